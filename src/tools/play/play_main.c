/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-play [--background] --replay FILE, or --calls PATTERN: makes the calls
 * of this rank. In a background job it repeats them without end.
 */
#include "src/tools/play/play.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <weft/region.h>

/*
 * Size of the address space for message data; pages are allocated on first
 * touch.
 */
#define SCRATCH_BYTES ((uint64_t)64 << 30)
#define HALF	      (SCRATCH_BYTES / 2)

/* Number of polls without result after which the model has run. */
#define POLLS 4

struct play play;
static char *scratch;

void play_fail(const char *form, ...)
{
	va_list ap;

	fprintf(stderr, "weft-play: %s: rank %u, call %llu: ", play.name,
		play.rank, (unsigned long long)play.calls);
	va_start(ap, form);
	vfprintf(stderr, form, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

void play_check(int rc)
{
	char text[MPI_MAX_ERROR_STRING];
	int class, len;

	if (rc == MPI_SUCCESS)
		return;
	MPI_Error_class(rc, &class);
	if (class == MPI_ERR_TRUNCATE || class == MPI_ERR_IN_STATUS)
		return;
	MPI_Error_string(rc, text, &len);
	play_fail("%s", text);
}

int play_int(uint64_t n)
{
	if (n > INT_MAX)
		play_fail("%llu elements are more than %d",
			  (unsigned long long)n, INT_MAX);
	return (int)n;
}

static void *area(uint64_t from, uint64_t bytes)
{
	if (bytes > HALF)
		play_fail("%llu bytes are more than %llu",
			  (unsigned long long)bytes, (unsigned long long)HALF);
	return scratch + from;
}

void *play_out(uint64_t bytes)
{
	return area(0, bytes);
}

void *play_in(uint64_t bytes)
{
	return area(HALF, bytes);
}

/* ---- calls --------------------------------------------------------------- */

static void make(const struct replay_call *c)
{
	switch (c->kind) {
	case RECORD_COMPUTE:
		WEFT_REGION_TIME((double)c->ps * 1e-12);
		break;
	case RECORD_POLL:
		play_poll(c->count);
		break;
	case RECORD_WTIME:
		for (uint64_t i = 0; i < c->count; i++)
			MPI_Wtime();
		break;
	case RECORD_COLL:
		play_coll(c);
		break;
	case RECORD_COMM:
		play_comm_make(c);
		break;
	case RECORD_COMM_FREE:
		play_comm_free(c->comm);
		break;
	case RECORD_OTHER:
		play_fail("%s cannot be replayed", c->name);
	default:
		play_message(c);
		break;
	}
}

static void make_all(void)
{
	struct replay_source *s = play.source;
	struct replay_call c;
	char at[160] = "";

	for (;; make(&c)) {
		if (!s->next(s, play.rank, &c)) {
			s->where(s, play.rank, at, sizeof(at));
			play_fail("%s", at);
		}
		if (c.kind == RECORD_END)
			return;
		play.calls += c.kind != RECORD_COMPUTE;
	}
}

/*
 * Makes the calls again and again. A rank that never waits would keep the model
 * from running, so each pass ends with polls.
 */
static void repeat(void)
{
	for (;;) {
		play_poll(POLLS);
		play_comm_free_all();
		play.source->rewind(play.source, play.rank);
		make_all();
	}
}

/* ---- start --------------------------------------------------------------- */

static void open_source(bool is_pattern)
{
	char why[256] = "";
	int rank, ranks;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	play.rank = (uint32_t)rank;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (replay_source_open(play.name, is_pattern, &play.source, why,
			       sizeof(why)))
		play_fail("%s", why);
	if (play.source->ranks != (uint32_t)ranks)
		play_fail("calls of %u ranks, the job has %d",
			  play.source->ranks, ranks);
	scratch = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (scratch == MAP_FAILED)
		play_fail("no address space for messages");
}

int main(int argc, char **argv)
{
	bool background = argc > 1 && !strcmp(argv[1], "--background");
	char **word = argv + 1 + background;

	if (argc - background != 3 ||
	    (strcmp(word[0], "--replay") && strcmp(word[0], "--calls"))) {
		fprintf(stderr, "usage: mpiexec --machine NAME --replay FILE\n"
				"       mpiexec --machine NAME --calls "
				"PATTERN\n");
		return 2;
	}
	play.name = word[1];
	MPI_Init(NULL, NULL);
	open_source(!strcmp(word[0], "--calls"));
	make_all();
	if (background)
		repeat();
	play_poll_close();
	MPI_Finalize();
	return 0;
}
