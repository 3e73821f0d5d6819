/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining and leaving virtual time (boot_world.h). */
#include "src/boot/boot_world.h"

#include "src/job/job_log.h"
#include "src/diag/diag_call.h"
#include "src/core/core_fi.h"
#include "src/core/core_opts.h"
#include "src/boot/boot_pmix.h"
#include "src/boot/boot_spawn.h"
#include "src/diag/diag_report.h"
#include "src/core/core_state.h"
#include "src/diag/diag_trace.h"
#include "src/msg/msg_progress.h"

#include <limits.h>
#include <pthread.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext_weft.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HANDLE_BYTES 64
/*
 * format of WEFT_SPAWN_WORLD: first rank of the spawned job, handle of the
 * world
 */
#define SPAWN_FORMAT "%u %63[a-z0-9 ]"

/* the provider's table for the world; NULL in live mode */
static struct fi_weft_world *world;

static struct fid *domain(void)
{
	return &weft_core.domain->fid;
}

/* Returns the number of a rank of this job in the world. */
static uint32_t in_world(int rank)
{
	return (uint32_t)(weft_core.job.base + rank);
}

/*
 * Attaches a spawned process to the world of its parents. Returns 1 if this
 * process was not spawned.
 */
static int join_as_spawned(int rank)
{
	const char *text = getenv(WEFT_SPAWN_WORLD);
	char handle[HANDLE_BYTES] = "";
	unsigned base;

	if (!text)
		return 1;
	if (sscanf(text, SPAWN_FORMAT, &base, handle) != 2 || base > INT_MAX) {
		weft_log(WEFT_LOG_ERROR,
			 WEFT_SPAWN_WORLD "=%s is not a world; only "
					  "MPI_Comm_spawn sets it",
			 text);
		return -FI_EINVAL;
	}
	/*
	 * programs that this process starts do not belong to the world, so they
	 * must not inherit the variable
	 */
	unsetenv(WEFT_SPAWN_WORLD);
	weft_core.job.base = (int)base;
	return world->attach(domain(), in_world(rank), handle, sizeof(handle));
}

/*
 * Creates the world in the first process that the launcher has started;
 * attaches to it in the other processes, which get the handle through the
 * launcher.
 */
static int create_or_attach(const struct weft_job *job)
{
	char handle[HANDLE_BYTES] = "";
	size_t len = sizeof(handle);
	int rc = join_as_spawned(job->rank);

	if (rc <= 0)
		return rc;
	rc = 0;
	if (!job->member)
		rc = world->create(domain(), (uint32_t)job->members, handle,
				   &len);
	if (rc || job->members == 1)
		return rc;
	rc = weft_pmix_put(handle, sizeof(handle));
	if (rc || !job->member)
		return rc;
	len = sizeof(handle);
	rc = weft_pmix_get(0, handle, &len);
	return rc ? rc
		  : world->attach(domain(), (uint32_t)job->member, handle, len);
}

int weft_world_join(bool *joined_p)
{
	void *ops = NULL;
	int rc;

	if (fi_open_ops(domain(), FI_WEFT_WORLD, 0, &ops, NULL))
		return 0;
	world = ops;
	*joined_p = true;
	rc = create_or_attach(&weft_core.job);
	if (!rc && weft_core.job.background)
		rc = world->background(domain());
	return weft_fi_errno(rc);
}

int weft_world_address(int rank, void *name, size_t *len)
{
	return weft_fi_errno(
		world->address(domain(), in_world(rank), name, len));
}

uint64_t weft_world_id(void)
{
	return world->id(domain());
}

/* ---- places for spawned ranks -------------------------------------------- */

int weft_world_spare(void)
{
	return (int)world->spare(domain());
}

int weft_world_reserve(int ranks, char *text, size_t room)
{
	char handle[HANDLE_BYTES] = "";
	size_t len = sizeof(handle);
	int rc = world->handle(domain(), handle, &len);
	uint32_t first = 0;

	if (rc)
		return weft_fi_errno(rc);
	while ((rc = world->spawn(domain(), (uint32_t)ranks, &first)) ==
	       -FI_EAGAIN)
		weft_progress();
	if (rc)
		return weft_fi_errno(rc);
	snprintf(text, room, "%u %s", first, handle);
	return 0;
}

void weft_world_cancel(int ranks, const char *text)
{
	world->cancel(domain(), (uint32_t)strtoul(text, NULL, 10),
		      (uint32_t)ranks);
}

int weft_world_choice(unsigned i, struct fi_weft_choice *choice)
{
	return weft_fi_errno(world->choice(domain(), i, choice));
}

int weft_world_failure(uint32_t i, struct fi_weft_failure *f)
{
	return weft_fi_errno(world->failure(domain(), i, f));
}

void weft_world_file_time(size_t bytes, bool write)
{
	/* a failure of the world is reported by the next wait */
	world->file(domain(), bytes, write);
}

void weft_world_compute(uint64_t ps)
{
	world->compute(domain(), ps);
}

double weft_world_factor(void)
{
	const char *text = getenv("FI_WEFT_COMPUTE");
	double factor = text ? strtod(text, NULL) : 0;

	return factor > 0 ? factor : 1;
}

/* ---- leaving virtual time ------------------------------------------------ */

static bool verbose(void)
{
	return weft_cfg_get(&weft_core_opts[WEFT_OPT_VERBOSE]).b;
}

/* Returns whether this job prints reports; only the first job prints them. */
static bool report_requested(void)
{
	return !weft_core.job.base &&
	       (verbose() || weft_call_report_requested());
}

/*
 * Writes the report of links, unless another rank has written it: several ranks
 * may end the job concurrently.
 */
static void write_links(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;

	if (!weft_log_first("report"))
		return;
	f = open_memstream(&text, &len);
	if (!f)
		return;
	weft_report_links(f, world, domain());
	fclose(f);
	weft_call_report(text);
	free(text);
}

/*
 * Waits until all ranks have left, including those of spawned jobs, then
 * reports: the counters are then final and deterministic.
 */
static void report_when_left(void)
{
	struct fi_weft_note n;

	for (uint32_t r = 0; world->read(domain(), r, &n) != -FI_EINVAL; r++)
		while (!world->read(domain(), r, &n) && n.waits)
			usleep(1000);
	if (verbose())
		weft_report_count(stderr, world, domain());
	if (!weft_call_report_requested())
		return;
	write_links();
	weft_trace_world();
}

/*
 * Condition variable on which a rank waits for the launcher, outside virtual
 * time.
 */
static pthread_mutex_t launcher_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t launcher_woken = PTHREAD_COND_INITIALIZER;
static bool launcher_is_done;

static void wait_for_launcher(void)
{
	pthread_mutex_lock(&launcher_lock);
	while (!launcher_is_done)
		pthread_cond_wait(&launcher_woken, &launcher_lock);
	pthread_mutex_unlock(&launcher_lock);
}

static void launcher_done(void)
{
	pthread_mutex_lock(&launcher_lock);
	launcher_is_done = true;
	pthread_cond_signal(&launcher_woken);
	pthread_mutex_unlock(&launcher_lock);
}

void weft_world_leave(void)
{
	world->leave(domain());
}

void weft_world_halt(void)
{
	world->leave(domain());
	weft_call_mark_failed();
	weft_pmix_close();
	_exit(0);
}

void weft_world_failed_ranks(char *text, size_t len)
{
	char why[96];
	size_t pos = 0;

	*text = 0;
	for (int r = 0; world && r < weft_core.job.size && pos < len; r++)
		if (!world->why(domain(), in_world(r), why, sizeof(why)))
			pos += (size_t)snprintf(text + pos, len - pos,
						"%s rank %d (%s)",
						pos ? "," : ":", r, why);
}

/* Returns whether this is the lowest rank whose node has not failed. */
static bool is_first(void)
{
	char why[96];
	int r = 0;

	while (r < weft_core.job.rank &&
	       !world->why(domain(), in_world(r), why, sizeof(why)))
		r++;
	return r == weft_core.job.rank;
}

void weft_world_leave_alone(void)
{
	if (!report_requested() || !is_first())
		return;
	world->leave(domain());
	report_when_left();
}

/*
 * The report can be written at once: virtual time does not advance while this
 * rank runs, and this rank does not wait again.
 */
void weft_world_report_abort(void)
{
	if (world && weft_call_report_requested())
		write_links();
}

int weft_world_end(void)
{
	if (weft_core.job.rank == 0) {
		/*
		 * Warn if the program computed for long without advancing
		 * virtual time: rates that it prints are wrong.
		 */
		struct fi_weft_count n = { 0 };
		char text[320];

		world->count(domain(), &n);
		if (weft_report_free_compute(&n, text, sizeof(text)))
			weft_log(WEFT_LOG_WARN, "%s", text);
	}
	/*
	 * if there are several jobs, wait until the ranks of background jobs
	 * have blocked
	 */
	if (weft_core.job.member == 0 &&
	    (report_requested() || weft_core.job.members > weft_core.job.size))
		report_when_left();
	/*
	 * the fence makes all ranks disconnect from the launcher together; if
	 * they disconnected one by one, they would delay the other ranks
	 */
	return weft_pmix_fence(wait_for_launcher, launcher_done);
}
