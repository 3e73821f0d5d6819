/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces that a faulty or dying rank has written: the report makes all outputs
 * of a trace with changed chunks and events, and reads only the trace.
 */
#include "src/tools/report/report.h"
#include "test/support/fuzz.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANKS = 4, CHUNKS = 16 };

static struct weft_job_page job_page;
static struct report_job job = { .job_page = &job_page, .virtual = true };
static struct weft_trace rank[RANKS];
static int fd;
static char dir[64], file[96];

/* The valid trace, and a changed copy. */
static char *valid, *changed;
static size_t bytes;

/* ---- the valid trace ----------------------------------------------------- */

static uint32_t id_of(const char *name)
{
	return weft_job_page_id(&job_page, name);
}

static void put(uint32_t r, struct trace_event e)
{
	weft_trace_event(&rank[r], &e);
}

static void call(uint32_t r, const char *name, uint64_t t, uint64_t span,
		 uint64_t word)
{
	put(r, (struct trace_event){ .kind = TRACE_CALL,
				     .t = t,
				     .span = span,
				     .word = word,
				     .id = id_of(name),
				     .size = 9,
				     .root = TRACE_IS_COLL(word) ? 2 : 0,
				     .root_rank = 1 });
}

/*
 * Writes the events of a rendezvous from rank r to the next rank, with both MPI
 * calls.
 */
static void message(uint32_t r, uint64_t t, uint64_t word)
{
	uint32_t to = (r + 1) % RANKS;

	put(r, (struct trace_event){ .kind = TRACE_SEND,
				     .t = t,
				     .size = 8,
				     .word = word,
				     .id = to,
				     .later = true });
	put(to, (struct trace_event){ .kind = TRACE_RECV,
				      .t = t + 30,
				      .span = 10,
				      .word = word,
				      .size = 8 });
	put(r,
	    (struct trace_event){
		    .kind = TRACE_DONE, .t = t + 35, .word = word, .id = to });
	call(r, "MPI_Send", t - 1, 40, TRACE_P2P(to, 5, 1));
	call(to, "MPI_Recv", t - 5, 40, TRACE_P2P(r, 5, 1));
}

static void all_kinds_of_calls(void)
{
	uint64_t sync = (uint64_t)TRACE_WORD_SYNC << 48 | 1;

	for (uint32_t r = 0; r < RANKS; r++)
		message(r, 100 * (r + 1), 7 + r);
	message(0, 600, sync);
	for (uint32_t r = 0; r < RANKS; r++) {
		call(r, "MPI_Bcast", 1000 + r, 20, TRACE_COLL(0, 1, 0));
		call(r, "MPI_Scan", 1100 + r, 20, TRACE_COLL(0, 1, 1));
		call(r, "MPI_Reduce", 1200 - r, 20, TRACE_COLL(0, 1, 2));
		call(r, "MPI_Put", 1300 + r, 2, TRACE_ACCESS(r ^ 1, 8));
		call(r, "MPI_Win_lock", 1400 + r, 20, TRACE_ACCESS(2, 0));
		call(r, "MPI_Win_unlock", 1430 + r, 2, TRACE_ACCESS(2, 0));
		for (uint64_t i = 0; i < 3; i++)
			call(r, "MPI_Test", 1500 + 10 * i, 2, 0);
	}
}

static void all_kinds_of_records(void)
{
	static const char note[] = "now\t2000";
	static const char faults[] = "faults\t3 packets lost\n1 links dead";
	static const char waits[] = "waits\t0 1 2\n3 0";
	static const char deadlock[] = "deadlock\tthe job waits";
	const struct trace_link link = { "A+", "(0,0)", 5, 500, 50,
					 5,    1,	0, 2,	0 };
	const struct trace_tree_node node[2] = {
		{ 10, 0, 0, 0, -1, 2, 4, "(0,0)" },
		{ 10, 0, 0, 1, 0, 2, 4, "(0,1)" },
	};

	weft_trace_put(&rank[0], TRACE_NOTES, note, sizeof(note));
	weft_trace_put(&rank[0], TRACE_NOTES, faults, sizeof(faults));
	weft_trace_put(&rank[0], TRACE_NOTES, waits, sizeof(waits));
	weft_trace_put(&rank[0], TRACE_NOTES, deadlock, sizeof(deadlock));
	weft_trace_put(&rank[0], TRACE_LINKS, &link, sizeof(link));
	weft_trace_put(&rank[0], TRACE_TREES, node, sizeof(node));
}

static void open_call(void)
{
	struct trace_open *open = weft_trace_open_calls(&rank[3]);

	T_NOT_NULL(open);
	weft_store64(&open->since, 1700);
	weft_store32(&open->id, id_of("MPI_Recv"));
}

static int begin(void **state)
{
	struct stat s;

	strcpy(dir, "/tmp/weft-report.XXXXXX");
	if (!mkdtemp(dir) || weft_job_page_open(&job_page, RANKS, true))
		return -1;
	snprintf(file, sizeof(file), "%s/x", dir);
	fd = weft_trace_create(file);
	for (uint32_t r = 0; r < RANKS; r++)
		if (weft_trace_attach(&rank[r], fd, r))
			return -1;
	all_kinds_of_calls();
	all_kinds_of_records();
	open_call();
	for (uint32_t r = 0; r < RANKS; r++)
		weft_trace_detach(&rank[r]);
	if (fstat(fd, &s))
		return -1;
	bytes = (size_t)s.st_size;
	valid = malloc(bytes);
	changed = malloc(bytes);
	return valid && changed && pread(fd, valid, bytes, 0) == (ssize_t)bytes
		       ? 0
		       : -1;
}

static int end(void **state)
{
	static const char *const names[] = {
		"x",	       "x.jsonl",	 "x-links.csv",
		"x-nodes.csv", "x-messages.csv", "x.json"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[160];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	free(valid);
	free(changed);
	close(fd);
	weft_job_page_close(&job_page);
	return rmdir(dir);
}

/* ---- evaluation ---------------------------------------------------------- */

/* Makes all outputs of a trace of n bytes; returns its number of calls. */
static uint64_t evaluate(size_t n)
{
	int copy = memfd_create("trace", MFD_CLOEXEC);
	char json[sizeof(file) + 8];
	struct report s;
	uint64_t calls;

	T_TRUE(copy >= 0);
	T_IS(write(copy, changed, n), (ssize_t)n);
	if (report_open(&s, copy, &job)) {
		close(copy);
		return 0;
	}
	calls = s.calls;
	snprintf(json, sizeof(json), "%s.json", file);
	T_OK(report_page(&s, file));
	T_OK(report_perfetto(&s, json));
	T_OK(report_stats(&s, file));
	report_close(&s);
	close(copy);
	return calls;
}

static void the_valid_trace_has_all_kinds(void **state)
{
	memcpy(changed, valid, bytes);
	T_IS(evaluate(bytes), 2 * 5 + RANKS * 9);
	T_TRUE(bytes < TRACE_HEAD + CHUNKS * TRACE_CHUNK);
}

static void truncated_traces_are_read(void **state)
{
	size_t at[] = { 0,
			1,
			TRACE_HEAD - 1,
			TRACE_HEAD,
			TRACE_HEAD + 1,
			TRACE_HEAD + TRACE_CHUNK_HEAD - 1,
			TRACE_HEAD + TRACE_CHUNK_HEAD + 31,
			TRACE_HEAD + TRACE_CHUNK,
			bytes - 1 };

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		memcpy(changed, valid, bytes);
		evaluate(at[i]);
	}
}

/* The histogram of very long times has no index outside its array. */
static void long_times_are_drawn(void **state)
{
	struct job_page_tally *t =
		weft_job_page_call_count(&job_page, 0, id_of("MPI_Recv"));

	memcpy(changed, valid, bytes);
	for (int shift = 50; shift < 64; shift++) {
		weft_store64(&t->ps, UINT64_C(1) << shift);
		T_TRUE(evaluate(bytes) > 0);
	}
	weft_store64(&t->ps, UINT64_MAX);
	T_TRUE(evaluate(bytes) > 0);
	weft_store64(&t->ps, 0);
}

static const struct fuzz_field chunk_fields[] = {
	FUZZ_FIELD(struct trace_chunk, type, 0),
	FUZZ_FIELD(struct trace_chunk, writer, 0),
	FUZZ_FIELD(struct trace_chunk, state, 0),
	FUZZ_FIELD(struct trace_chunk, event_buf, 0),
	FUZZ_FIELD(struct trace_chunk, counted, 0),
	FUZZ_FIELD(struct trace_chunk, open[0].id, 0),
	FUZZ_FIELD(struct trace_chunk, open[0].since, 0),
};

static const struct fuzz_field entry_fields[] = {
	FUZZ_FIELD(struct trace_entry, t, 0),
	FUZZ_FIELD(struct trace_entry, span, 0),
	FUZZ_FIELD(struct trace_entry, word, 0),
	FUZZ_FIELD(struct trace_entry, id, 0),
	FUZZ_FIELD(struct trace_entry, mark, 0),
};

#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

/* Changes a chunk's head, an event, or the records of a chunk. */
static void change(struct fuzz *f)
{
	size_t chunks = (bytes - TRACE_HEAD) / TRACE_CHUNK;
	size_t i = weft_rng_below(&f->rng, chunks + 1);
	char *chunk = changed + TRACE_HEAD + i * TRACE_CHUNK;
	size_t left = bytes - (size_t)(chunk - changed);
	char *entry = chunk + TRACE_CHUNK_HEAD +
		      sizeof(struct trace_entry) * weft_rng_below(&f->rng, 24);

	if (left < 4096)
		return;
	switch (weft_rng_below(&f->rng, 8)) {
	case 0:
		fuzz_message(f, chunk, TRACE_CHUNK_HEAD, TRACE_CHUNK_HEAD,
			     chunk_fields, COUNT(chunk_fields));
		break;
	case 1:
		fuzz_message(f, chunk + TRACE_CHUNK_HEAD, 256, 256, NULL, 0);
		break;
	case 2:
		fuzz_message(f, changed, sizeof(struct trace_head),
			     sizeof(struct trace_head), NULL, 0);
		break;
	default:
		fuzz_message(f, entry, sizeof(struct trace_entry),
			     sizeof(struct trace_entry), entry_fields,
			     COUNT(entry_fields));
		break;
	}
}

static void changed_traces_are_read(void **state)
{
	int rounds = fuzz_rounds(600), good = 0;
	struct fuzz f;

	fuzz_init(&f, 51);
	for (int i = 0; i < rounds; i++) {
		memcpy(changed, valid, bytes);
		do
			change(&f);
		while (!fuzz_chance(&f, 4));
		good += evaluate(bytes) > 0;
	}
	T_TRUE(good > rounds / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_valid_trace_has_all_kinds),
		T_CASE(truncated_traces_are_read),
		T_CASE(long_times_are_drawn),
		T_CASE(changed_traces_are_read),
	};

	t_leak_start();
	return t_exit_code(cmocka_run_group_tests(tests, begin, end),
			   COUNT(tests));
}
