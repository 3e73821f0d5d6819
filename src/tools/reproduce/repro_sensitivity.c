/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the rows of a table on changed machines (repro_sensitivity.h). Worker
 * processes take jobs, one number and one change each, from a counter in shared
 * memory, and store the values of the rows there.
 */
#include "src/tools/reproduce/repro_sensitivity.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX 64

/*
 * Results of one changed machine. NAN: the experiment failed on the changed
 * machine; the row then counts neither as moved nor as out of its band.
 */
struct job_result {
	bool refused;
	double model[REPRO_ROWS_MAX];
};

struct pool {
	atomic_uint next;
	atomic_uint current[WORKERS_MAX]; /* job of each worker */
	struct job_result result[REPRO_NUMBERS_MAX][REPRO_CHANGES];
};

struct workers {
	const struct repro *r;
	struct repro_sensitivity *s;
	struct pool *pool;
	enum repro_change first; /* the pass runs this change and the next */
};

/* ---- a worker ------------------------------------------------------------ */

static bool row_moves(const struct repro_row *row, double model)
{
	return row->state == REPRO_DONE &&
	       fabs(model - row->model) > fabs(row->model) / 1000;
}

/*
 * Returns whether a job has to run a row: a number of a variant affects only
 * the rows of the variant, and a change by 10 % moves only rows that a factor
 * of 2 moves.
 */
static bool needs_row(const struct workers *w, unsigned number, unsigned i)
{
	const struct repro_row *row = &w->r->row[i];
	const struct job_result *result = w->pool->result[number];
	const char *variant = w->s->number[number].variant;
	char buf[64];

	if (row->state != REPRO_DONE)
		return false;
	if (*variant && strcmp(repro_arg(row, "variant", buf, ""), variant))
		return false;
	return w->first == REPRO_HALF ||
	       row_moves(row, result[REPRO_HALF].model[i]) ||
	       row_moves(row, result[REPRO_DOUBLE].model[i]);
}

static void run_rows(const struct workers *w, const struct repro *changed,
		     unsigned number, struct job_result *result)
{
	for (unsigned i = 0; i < changed->count; i++) {
		struct repro_row row = changed->row[i];

		if (!needs_row(w, number, i))
			continue;
		result->model[i] =
			repro_exp_run(changed, &row) ? NAN : row.model;
	}
}

static void run_job(const struct workers *w, unsigned number,
		    enum repro_change change)
{
	struct job_result *result = &w->pool->result[number][change];
	struct repro changed = *w->r;
	struct net_error_text why;
	struct net_config cfg;
	char path[64];
	int fd = repro_changed_file(w->r->machine, &w->s->number[number],
				    change);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	changed.machine = path;
	result->refused = fd < 0 || net_file_load(path, 0, &cfg, &why);
	for (unsigned i = 0; i < changed.count; i++)
		result->model[i] = changed.row[i].model;
	if (!result->refused)
		run_rows(w, &changed, number, result);
	if (fd >= 0)
		close(fd);
}

/* Runs jobs until none is left. Experiments report refused values on stderr. */
static void work(const struct workers *w, unsigned worker)
{
	unsigned job, jobs = 2 * w->s->count;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	while ((job = atomic_fetch_add(&w->pool->next, 1)) < jobs) {
		enum repro_change change = w->first + job % 2;

		atomic_store(&w->pool->current[worker], job / 2);
		if (w->s->effect[job / 2][change].run)
			run_job(w, job / 2, change);
	}
}

/* ---- the pool of workers ------------------------------------------------- */

static unsigned worker_count(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

/* Waits for the workers; returns 0, or -EIO if a worker failed. */
static int join_workers(const struct workers *w, const pid_t *pid,
			unsigned count)
{
	int status, err = 0;

	for (unsigned i = 0; i < count; i++) {
		if (waitpid(pid[i], &status, 0) == pid[i] && !status)
			continue;
		fprintf(stderr,
			"weft-reproduce: an experiment with another value of "
			"%s ended by a signal\n",
			w->s->number[atomic_load(&w->pool->current[i])].name);
		err = -EIO;
	}
	return err;
}

/* Runs the marked jobs of two changes. */
static int run_pass(struct workers *w, enum repro_change first)
{
	unsigned n = worker_count(), started = 0;
	pid_t pid[WORKERS_MAX];
	int err;

	w->first = first;
	atomic_store(&w->pool->next, 0);
	fflush(stdout);
	for (; started < n; started++) {
		pid[started] = fork();
		if (pid[started] < 0)
			break;
		if (!pid[started]) {
			work(w, started);
			_exit(0);
		}
	}
	err = join_workers(w, pid, started);
	return err || started ? err : -EAGAIN;
}

/* ---- effects ------------------------------------------------------------- */

static bool row_leaves(const struct repro_row *row, double model)
{
	struct repro_row changed = *row;

	changed.model = model;
	return !isnan(model) && repro_in_band(row) && !repro_in_band(&changed);
}

static void count_effect(const struct repro *r, const struct job_result *result,
			 struct repro_effect *e)
{
	e->refused = result->refused;
	for (unsigned i = 0; i < r->count && !e->refused; i++) {
		e->moved += row_moves(&r->row[i], result->model[i]);
		e->left += row_leaves(&r->row[i], result->model[i]);
	}
}

static void count_effects(struct workers *w, enum repro_change first)
{
	for (unsigned n = 0; n < w->s->count; n++)
		for (unsigned c = first; c < first + 2; c++)
			if (w->s->effect[n][c].run)
				count_effect(w->r, &w->pool->result[n][c],
					     &w->s->effect[n][c]);
}

static void mark(struct repro_sensitivity *s, enum repro_change first)
{
	for (unsigned n = 0; n < s->count; n++)
		s->effect[n][first].run = s->effect[n][first + 1].run =
			first == REPRO_HALF || !repro_unchecked(s, n);
}

/* Counts, for every row, the numbers that move it and that break it. */
static void count_rows(struct workers *w)
{
	for (unsigned n = 0; n < w->s->count; n++)
		for (unsigned i = 0; i < w->r->count; i++) {
			bool moves = false, leaves = false;

			for (unsigned c = 0; c < REPRO_CHANGES; c++) {
				const struct repro_effect *e =
					&w->s->effect[n][c];
				double m = w->pool->result[n][c].model[i];

				if (!e->run || e->refused)
					continue;
				moves |= row_moves(&w->r->row[i], m);
				leaves |= row_leaves(&w->r->row[i], m);
			}
			w->s->movers[i] += moves;
			w->s->breakers[i] += leaves;
		}
}

bool repro_unchecked(const struct repro_sensitivity *s, unsigned number)
{
	for (unsigned c = 0; c < REPRO_CHANGES; c++)
		if (s->effect[number][c].moved)
			return false;
	return true;
}

static int run_passes(struct workers *w)
{
	static const enum repro_change first[] = { REPRO_HALF, REPRO_LESS };
	int err = 0;

	for (unsigned i = 0; i < 2 && !err; i++) {
		mark(w->s, first[i]);
		err = run_pass(w, first[i]);
		count_effects(w, first[i]);
	}
	count_rows(w);
	return err;
}

/*
 * Copies the results, with those of MPI programs replaced by results of the
 * model: changed machines are run without processes.
 */
static void copy_baseline(struct repro *to, const struct repro *r)
{
	*to = *r;
	to->by = REPRO_BY_MODEL;
	for (unsigned i = 0; i < to->count; i++)
		if (to->row[i].state == REPRO_DONE && to->row[i].by_mpi &&
		    repro_exp_run(to, &to->row[i]))
			to->row[i].state = REPRO_FAILED;
}

int repro_sensitivity_run(struct repro_sensitivity *s, const struct repro *r)
{
	static struct repro baseline;
	struct workers w = { .r = &baseline, .s = s };
	int err;

	copy_baseline(&baseline, r);

	memset(s, 0, sizeof(*s));
	err = repro_numbers(r->machine, s->number);
	if (err < 0)
		return err;
	s->count = (unsigned)err;
	w.pool = mmap(NULL, sizeof(*w.pool), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w.pool == MAP_FAILED) {
		fprintf(stderr, "weft-reproduce: memory of the results: %s\n",
			strerror(errno));
		return -errno;
	}
	err = run_passes(&w);
	munmap(w.pool, sizeof(*w.pool));
	return err;
}

struct repro_sensitivity_sum
repro_sensitivity_sum(const struct repro_sensitivity *s, const struct repro *r)
{
	struct repro_sensitivity_sum sum = { 0 };

	for (unsigned i = 0; i < r->count; i++) {
		const struct repro_row *row = &r->row[i];
		bool could;

		if (row->kind != REPRO_PREDICTED || row->state != REPRO_DONE)
			continue;
		/* a row that is out of band has failed */
		could = s->breakers[i] || !repro_in_band(row);
		sum.predictions++;
		sum.could_fail += could;
		sum.held += could && repro_in_band(row);
	}
	for (unsigned n = 0; n < s->count; n++)
		sum.unchecked += repro_unchecked(s, n);
	return sum;
}
