/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-sim --replay: options, the job, and its end. */
#include "src/tools/replay/replay.h"

#include "coll/coll.h"
#include "src/boot/boot_hosts.h"
#include "src/base/clock.h"
#include "src/core/core_state.h"
#include "src/tools/args.h"
#include "src/tools/replay/replay_call.h"
#include "src/tools/replay/replay_int.h"
#include "src/tools/replay/replay_report.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <rdma/fi_ext_weft.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* address space of the buffer of all messages, bytes; pages on first touch */
#define SCRATCH_BYTES ((size_t)64 << 30)

static const char before[] =
	"Usage: weft-sim --replay TRACE [OPTION]...\n"
	"       weft-sim --calls PATTERN [OPTION]...\n"
	"Replays the MPI calls of a recorded run on the model of a machine.\n";

struct words {
	const char *replay, *pattern;
	struct replay_options opt;
	struct replay_report report;
};

struct row {
	struct weft_arg arg;
	int (*set)(struct weft_args *a, struct words *w);
	size_t offset;
};

static int set_text(struct weft_args *a, struct words *w)
{
	*(const char **)((char *)w + ((const struct row *)a->row)->offset) =
		a->value[0];
	return 0;
}

static int set_flag(struct weft_args *a, struct words *w)
{
	*(bool *)((char *)w + ((const struct row *)a->row)->offset) = true;
	return 0;
}

static int set_ppn(struct weft_args *a, struct words *w)
{
	uint64_t v = 0;
	int err = weft_args_number(a, a->value[0], 1, 1024, &v);

	w->opt.ppn = (uint32_t)v;
	return err;
}

static int set_eager(struct weft_args *a, struct words *w)
{
	uint64_t v = 0;
	int err = weft_args_number(a, a->value[0], 1, UINT32_MAX, &v);

	w->opt.eager = v;
	return err;
}

static int set_compute(struct weft_args *a, struct words *w)
{
	char *end;

	w->opt.compute = strtod(a->value[0], &end);
	if (end != a->value[0] && !*end && w->opt.compute >= 0 &&
	    w->opt.compute < 1e6)
		return 0;
	return weft_args_error(a, "--compute %s: expected a factor, such as 1",
			       a->value[0]);
}

#define TEXT(names, arg, help, field)                 \
	{                                             \
		{ names, 1, arg, help, 0 }, set_text, \
			offsetof(struct words, field) \
	}
#define FLAG(names, help, field)                       \
	{                                              \
		{ names, 0, NULL, help, 0 }, set_flag, \
			offsetof(struct words, field)  \
	}

static const struct row rows[] = {
	TEXT("replay", "TRACE",
	     "trace of mpiexec --record, or the anchor file of an OTF2 archive",
	     replay),
	TEXT("calls", "NAME,KEY=N,...",
	     "synthetic calls: ring, halo or alltoall with ranks, bytes, "
	     "steps, compute (us), allreduce, dims",
	     pattern),
	TEXT("machine|m", "NAME[:DIMS]", "machine, or a machine file",
	     opt.machine),
	TEXT("map", "ORDER|FILE", "placement of the ranks, as mpiexec's --map",
	     opt.map),
	TEXT("faults", "PLAN", "fault plan, as mpiexec's --faults", opt.faults),
	{ { "ppn", 1, "N", "ranks per node", 0 }, set_ppn, 0 },
	{ { "eager", 1, "BYTES", "largest eager message", 0 }, set_eager, 0 },
	{ { "compute", 1, "FACTOR",
	    "factor of the recorded computation between calls (1)", 0 },
	  set_compute,
	  0 },
	FLAG("no-finalize", "end ranks without the barrier of MPI_Finalize",
	     opt.no_finalize),
	FLAG("ranks", "print the time of every rank", report.ranks),
	FLAG("links", "print the counters of the links", report.links),
};

/* ---- the job ------------------------------------------------------------- */

struct weft_core weft_core;

bool weft_hosts_several(void)
{
	return false;
}

int weft_hosts_of(int proc)
{
	(void)proc;
	return 0;
}

static int choice(unsigned i, struct fi_weft_choice *c)
{
	struct weft_vt_choice v;
	int rc = weft_vt_choice(replay_job.world, i, &v);

	static_assert(sizeof(v) == sizeof(*c), "copied");
	if (!rc)
		memcpy(c, &v, sizeof(*c));
	return rc;
}

/* Properties of the library in virtual time, as in boot_backend.c. */
static const struct weft_core_backend backend = {
	.traits = { .reports_waits = true,
		    .polls_block = true,
		    .waits_end = true,
		    .network_routes = true,
		    .addresses_known = true,
		    .global_clock = true },
	.clock = "virtual time",
	.choice = choice,
};

static const struct weft_machine *machine_of(const char *name)
{
	char unit[WEFT_VT_UNIT];
	const struct weft_machine *m;
	int err = weft_vt_unit(name, unit);

	if (err == -ENOENT)
		replay_fail("--machine %s: no such machine", name);
	if (err)
		exit(2);
	for (unsigned i = 1; (m = weft_machine_at(i)); i++)
		if (!strcmp(m->unit->name, unit))
			return m;
	replay_fail("--machine %s: no unit \"%s\"", name, unit);
}

static void group_open(void)
{
	uint32_t n = replay_job.size;
	struct weft_group *g = calloc(1, sizeof(*g) + n * sizeof(g->proc[0]));

	if (!g)
		replay_fail("out of memory");
	g->size = (int)n;
	for (uint32_t i = 0; i < n; i++)
		g->proc[i] = (int)i;
	replay_job.group = g;
}

static void world_open(void)
{
	struct replay_job *j = &replay_job;
	const struct weft_vt_conf conf = {
		.machine = j->opt.machine,
		.map = j->opt.map ? j->opt.map : "",
		.ppn = j->opt.ppn,
		.faults = j->opt.faults,
		.packet_bytes = (uint32_t)j->machine->unit->packet_max,
	};
	char handle[WEFT_VT_HANDLE];

	if (weft_vt_create(&conf, j->size, &j->world, handle))
		exit(2);
	weft_vt_host(j->world, replay_fiber_park, NULL);
}

static void core_open(void)
{
	weft_core.backend = &backend;
	weft_core.traits = backend.traits;
	weft_core.job = (struct weft_job){ .size = (int)replay_job.size,
					   .local_size = (int)replay_job.size };
	/* reads the choices of collective algorithms */
	weft_coll_core_ops.attach(NULL);
}

static void job_open(const struct words *w)
{
	struct replay_job *j = &replay_job;

	j->opt = w->opt;
	j->size = j->source->ranks;
	j->machine = machine_of(j->opt.machine);
	/* tables of ranks are large and mostly untouched: one mapping each */
	mallopt(M_MMAP_MAX, INT_MAX);
	j->scratch_bytes = SCRATCH_BYTES;
	j->scratch = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	j->rank = calloc(j->size, sizeof(*j->rank));
	if (!j->rank || j->scratch == MAP_FAILED)
		replay_fail("out of memory");
	group_open();
	world_open();
	core_open();
	for (uint32_t i = 0; i < j->size; i++) {
		j->rank[i].rank = i;
		if (replay_rank_open(&j->rank[i]))
			replay_fail("rank %u: no endpoint", i);
	}
	if (replay_fibers_open(replay_run_rank))
		replay_fail("out of memory");
}

/* ---- the program --------------------------------------------------------- */

static bool is_option(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word, name, n) && (!word[n] || word[n] == '=');
}

bool replay_requested(char *const *word)
{
	for (; *word; word++) {
		const char *w = *word;

		while (*w == '-')
			w++;
		if (w != *word &&
		    (is_option(w, "replay") || is_option(w, "calls")))
			return true;
	}
	return false;
}

static int parse(char **argv, struct words *w)
{
	struct weft_args a = { .program = "weft-sim",
			       WEFT_ARGS_TABLE(rows),
			       .before = before,
			       .word = argv + 1 };
	enum weft_args_found found;

	while ((found = weft_args_next(&a)) == WEFT_ARGS_OPTION)
		if (((const struct row *)a.row)->set(&a, w))
			return -EINVAL;
	if (found == WEFT_ARGS_HELP)
		return 1;
	if (found == WEFT_ARGS_WORD)
		weft_args_error(&a, "unexpected word %s", *a.word);
	if (found != WEFT_ARGS_END)
		return -EINVAL;
	if (!w->replay == !w->pattern)
		return weft_args_error(&a, "use either --replay or --calls");
	return 0;
}

static bool is_otf2(const char *file)
{
	size_t n = strlen(file);

	return n > 5 && !strcmp(file + n - 5, ".otf2");
}

static int source_open(const struct words *w)
{
	struct replay_source **s = &replay_job.source;
	char why[256] = "";
	int rc;

	if (w->pattern)
		rc = replay_pattern_open(w->pattern, s, why, sizeof(why));
	else if (is_otf2(w->replay))
		rc = replay_otf2_open(w->replay, s, why, sizeof(why));
	else
		rc = replay_trace_open(w->replay, s, why, sizeof(why));
	if (rc)
		fprintf(stderr, "weft-sim: %s\n", *why ? why : strerror(-rc));
	return rc;
}

int replay_main(char **argv)
{
	struct words w = { .opt = { .machine = "bgq", .compute = 1 } };
	int rc = parse(argv, &w);
	uint64_t start_ns;

	if (rc)
		return rc < 0 ? 2 : 0;
	if (source_open(&w))
		return 1;
	start_ns = weft_now_ns();
	job_open(&w);
	w.report.opened_ns = weft_now_ns() - start_ns;
	rc = replay_fibers_run();
	w.report.ran_ns = weft_now_ns() - start_ns - w.report.opened_ns;
	if (rc)
		replay_fail("the model has failed (%d)", -rc);
	return replay_report(&w.report);
}
