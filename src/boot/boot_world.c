/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining and leaving virtual time (boot_world.h). */
#include "src/boot/boot_world.h"

#include "src/job/job_log.h"
#include "src/diag/diag_call.h"
#include "src/core/core_fi.h"
#include "src/core/core_opts.h"
#include "src/boot/boot_pmix.h"
#include "src/diag/diag_report.h"
#include "src/core/core_state.h"
#include "src/diag/diag_trace.h"

#include <pthread.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext_weft.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HANDLE_BYTES 64

static struct fi_weft_world *world; /* NULL in live mode */

static struct fid *domain(void)
{
	return &weft_core.domain->fid;
}

/*
 * Creates the world in rank 0; attaches to it in the other ranks. The launcher
 * passes the handle.
 */
static int create_or_attach(int rank, int size)
{
	char handle[HANDLE_BYTES] = "";
	size_t len = sizeof(handle);
	int rc = 0;

	if (!rank)
		rc = world->create(domain(), (uint32_t)size, handle, &len);
	if (rc || size == 1)
		return rc;
	rc = weft_pmix_put(handle, sizeof(handle));
	if (rc || !rank)
		return rc;
	len = sizeof(handle);
	rc = weft_pmix_get(0, handle, &len);
	return rc ? rc : world->attach(domain(), (uint32_t)rank, handle, len);
}

int weft_world_join(bool *joined_p)
{
	void *ops = NULL;

	if (fi_open_ops(domain(), FI_WEFT_WORLD, 0, &ops, NULL))
		return 0;
	world = ops;
	*joined_p = true;
	return weft_fi_errno(
		create_or_attach(weft_core.job.rank, weft_core.job.size));
}

int weft_world_address(int rank, void *name, size_t *len)
{
	return weft_fi_errno(
		world->address(domain(), (uint32_t)rank, name, len));
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

static bool report_requested(void)
{
	return verbose() || weft_call_report_requested();
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
 * Waits until all ranks have left, then reports: the state is then final and
 * deterministic.
 */
static void report_when_left(void)
{
	struct fi_weft_note n;

	for (int r = 0; r < weft_core.job.size; r++)
		while (!world->read(domain(), (uint32_t)r, &n) && n.waits)
			usleep(1000);
	if (verbose())
		weft_report_count(stderr, world, domain());
	if (!weft_call_report_requested())
		return;
	write_links();
	weft_trace_world();
}

/* Condition on which a rank waits for the launcher, outside virtual time. */
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
		if (!world->why(domain(), (uint32_t)r, why, sizeof(why)))
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
	       !world->why(domain(), (uint32_t)r, why, sizeof(why)))
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
 * Virtual time does not advance while this rank runs, and this rank does not
 * wait again.
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
	if (weft_core.job.rank == 0 && report_requested())
		report_when_left();
	/*
	 * the fence makes all ranks disconnect from the launcher together;
	 * ranks that disconnect one by one delay the other ranks
	 */
	return weft_pmix_fence(wait_for_launcher, launcher_done);
}
