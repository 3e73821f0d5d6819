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
	"Usage: weft-sim --replay TRACE [--place P] [--background] "
	"[OPTION]...\n"
	"       weft-sim --calls PATTERN [--place P] [--background] "
	"[OPTION]...\n"
	"Replays the MPI calls of a recorded run on the model of a machine. "
	"Several\n--replay and --calls are jobs that share the machine.\n";

struct words {
	/* default of --place, for jobs without a --place of their own */
	const char *place;
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

static int add_program(struct weft_args *a, bool is_pattern)
{
	struct replay_job *j = &replay_job;

	if (j->programs == REPLAY_PROGRAMS)
		return weft_args_error(a, "more than %d jobs", REPLAY_PROGRAMS);
	j->program[j->programs] =
		(struct replay_program){ .name = a->value[0],
					 .is_pattern = is_pattern,
					 .index = j->programs };
	j->programs++;
	return 0;
}

static int set_replay(struct weft_args *a, struct words *w)
{
	(void)w;
	return add_program(a, false);
}

static int set_calls(struct weft_args *a, struct words *w)
{
	(void)w;
	return add_program(a, true);
}

static int set_place(struct weft_args *a, struct words *w)
{
	struct replay_job *j = &replay_job;

	if (j->programs)
		j->program[j->programs - 1].place = a->value[0];
	else
		w->place = a->value[0];
	return 0;
}

static int set_background(struct weft_args *a, struct words *w)
{
	struct replay_job *j = &replay_job;

	(void)w;
	if (!j->programs)
		return weft_args_error(a, "--background follows the --replay "
					  "or --calls that it belongs to");
	j->program[j->programs - 1].background = true;
	return 0;
}

static int set_alone(struct weft_args *a, struct words *w)
{
	uint64_t v = 0;
	int err = weft_args_number(a, a->value[0], 0, REPLAY_PROGRAMS - 1, &v);

	w->opt.alone = (int)v;
	return err;
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
	{ { "replay", 1, "TRACE",
	    "trace of mpiexec --record, or the anchor file of an OTF2 archive",
	    0 },
	  set_replay,
	  0 },
	{ { "calls", 1, "NAME,KEY=N,...",
	    "synthetic calls: ring, halo, alltoall or shift with ranks, bytes, "
	    "steps, compute (us), allreduce, dims, seed",
	    0 },
	  set_calls,
	  0 },
	{ { "place", 1, "P",
	    "nodes of the job before it, or of all jobs: contiguous (default), "
	    "random, random=SEED, or a list such as 0-31,64",
	    0 },
	  set_place,
	  0 },
	{ { "background", 0, NULL,
	    "the job before it repeats its calls until the other jobs end", 0 },
	  set_background,
	  0 },
	TEXT("machine|m", "NAME[:DIMS]", "machine, or a machine file",
	     opt.machine),
	TEXT("map", "ORDER|FILE", "placement of the ranks, as mpiexec's --map",
	     opt.map),
	TEXT("faults", "PLAN", "fault plan, as mpiexec's --faults", opt.faults),
	{ { "alone", 1, "JOB",
	    "only this job runs, on its nodes; the first job is 0", 0 },
	  set_alone,
	  0 },
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
	static struct weft_machine m;
	struct weft_vt_unit u;
	int err = weft_vt_unit(name, &u);

	if (err == -ENOENT)
		replay_fail("--machine %s: no such machine", name);
	if (err)
		exit(2);
	err = weft_machine_modelled(u.name, u.packet_bytes, u.eager_bytes, &m);
	if (err == -ENODEV)
		replay_fail("--machine %s: no unit \"%s\"", name, u.name);
	if (err)
		replay_fail("--machine %s: message_packet = %zu B: packets of "
			    "unit %s hold at most %zu bytes",
			    name, u.packet_bytes, u.name, m.packet_bytes);
	return &m;
}

static void group_open(struct replay_program *p)
{
	uint32_t n = p->size;
	struct weft_group *g = calloc(1, sizeof(*g) + n * sizeof(g->proc[0]));

	if (!g)
		replay_fail("out of memory");
	g->size = (int)n;
	for (uint32_t i = 0; i < n; i++)
		g->proc[i] = (int)(p->first + i);
	p->group = g;
}

/* Numbers the ranks of all programs. */
static void programs_open(struct replay_job *j, const char *place)
{
	uint64_t ranks = 0;

	for (unsigned i = 0; i < j->programs; i++) {
		struct replay_program *p = &j->program[i];

		p->first = (uint32_t)ranks;
		p->size = p->source->ranks;
		ranks += p->size;
		if (!p->place)
			p->place = place;
		if (p->background)
			j->backgrounds++;
		else
			j->left += p->size;
	}
	if (ranks > RECORD_RANKS_MAX)
		replay_fail("the jobs have %llu ranks, more than %u",
			    (unsigned long long)ranks,
			    (unsigned)RECORD_RANKS_MAX);
	if (j->opt.alone >= (int)j->programs)
		replay_fail("--alone %d: there are %u jobs, 0 to %u",
			    j->opt.alone, j->programs, j->programs - 1);
	if (!j->left)
		replay_fail("all jobs have --background, so none would end");
	j->size = (uint32_t)ranks;
}

static void world_open(void)
{
	struct replay_job *j = &replay_job;
	uint32_t nodes = 0;
	struct weft_vt_place *place = replay_place(j, &nodes);
	const struct weft_vt_conf conf = {
		.place = place,
		.nodes = nodes,
		.machine = j->opt.machine,
		.map = j->opt.map ? j->opt.map : "",
		.ppn = j->opt.ppn,
		.faults = j->opt.faults,
		.packet_bytes = (uint32_t)j->machine->unit->packet_max,
	};
	char handle[WEFT_VT_HANDLE];

	if (weft_vt_create(&conf, j->size, &j->world, handle))
		exit(2);
	free(place);
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

static void ranks_open(struct replay_program *p)
{
	group_open(p);
	for (uint32_t i = 0; i < p->size; i++) {
		struct replay_rank *r = &replay_job.rank[p->first + i];

		r->rank = p->first + i;
		r->local = i;
		r->program = p;
		if (replay_rank_open(r))
			replay_fail("rank %u: no endpoint", i);
	}
}

static void job_open(const struct words *w)
{
	struct replay_job *j = &replay_job;

	j->opt = w->opt;
	programs_open(j, w->place);
	j->machine = machine_of(j->opt.machine);
	/* tables of ranks are large and mostly untouched: one mapping each */
	mallopt(M_MMAP_MAX, INT_MAX);
	j->scratch_bytes = SCRATCH_BYTES;
	j->scratch = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	j->rank = calloc(j->size, sizeof(*j->rank));
	if (!j->rank || j->scratch == MAP_FAILED)
		replay_fail("out of memory");
	world_open();
	core_open();
	for (unsigned i = 0; i < j->programs; i++)
		ranks_open(&j->program[i]);
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
	if (!replay_job.programs)
		return weft_args_error(&a, "use --replay or --calls");
	return 0;
}

static int source_open(struct replay_program *p)
{
	char why[256];
	int rc = replay_source_open(p->name, p->is_pattern, &p->source, why,
				    sizeof(why));

	if (rc)
		fprintf(stderr, "weft-sim: %s\n", why);
	return rc;
}

int replay_main(char **argv)
{
	struct words w = {
		.opt = { .machine = "bgq", .compute = 1, .alone = -1 }
	};
	int rc = parse(argv, &w);
	uint64_t start_ns;

	if (rc)
		return rc < 0 ? 2 : 0;
	for (unsigned i = 0; i < replay_job.programs; i++)
		if (source_open(&replay_job.program[i]))
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
