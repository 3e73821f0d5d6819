/* SPDX-License-Identifier: BSD-3-Clause */
/* Health watch of this rank (diag_health.h). */
#include "src/diag/diag_health.h"

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/job/job_log.h"
#include "src/core/core_opts.h"
#include "src/boot/boot_pmix.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/health/health_sense.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <rdma/fi_ext_weft.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEALTH_KEY  "weft.health"
/* timeout for attaching the region of the host's first rank, s */
#define WAIT_S	    30
#define STACK_BYTES ((size_t)64 << 10)
/* interval between checks of the interface during a wait, ms */
#define NIC_MS	    200

/* Bits for recent warnings about the interface. */
enum { NIC_GARBAGE = 1, NIC_LOSSES = 2 };

/*
 * Location of the region: process and descriptor number of the host's first
 * rank.
 */
struct offer {
	int32_t pid;
	int32_t fd;
};

/* health.head is NULL while the watch is off */
static struct weft_health health = { .region.fd = -1 };
static struct weft_health_bounds bounds;
static pthread_t thread;
static bool running;
static weft_au32 stop;
/* table of the provider's counters; NULL: the provider has none */
static struct fi_weft_stats *stats;
/*
 * values of the counters at the last check, and times at which they last grew
 */
static uint64_t garbage, losses;
static uint64_t garbage_ns, losses_ns;

static int disable_watch(const char *what, int err)
{
	weft_log_once(WEFT_LOG_WARN,
		      "WEFT_HEALTH: the health watch is off: %s: %s", what,
		      strerror(-err));
	weft_health_close(&health);
	return 0;
}

/* ---- the region ---------------------------------------------------------- */

static int create_region(const char *name, uint64_t period_ns)
{
	struct weft_health_job job = {
		.name = name,
		.host = weft_core.host,
		.torus = weft_cfg_get(&weft_core_opts[WEFT_OPT_HEALTH_TORUS])
				 .text,
		.ranks = (uint32_t)weft_core.job.size,
		.here = (uint32_t)weft_core.job.local_size,
		.period_ns = period_ns,
	};
	struct offer o = { .pid = getpid() };
	int err = weft_health_open(&health, &job);

	if (err || weft_core.job.local_size < 2)
		return err;
	o.fd = health.region.fd;
	return weft_pmix_publish(HEALTH_KEY, &o, sizeof(o));
}

/*
 * Attaches the region of the host's first rank. Keeps the descriptor open,
 * because tools find the region by it.
 */
static int attach_region(const char *name)
{
	size_t len = sizeof(struct offer);
	struct offer o;
	int fd, err = weft_pmix_fetch(weft_core.job.local[0], HEALTH_KEY, &o,
				      &len, WAIT_S);

	if (err)
		return err;
	if (len != sizeof(o))
		return -EPROTO;
	fd = weft_region_open_remote_fd(o.pid, o.fd);
	if (fd < 0)
		return fd;
	err = weft_health_attach(&health, fd, name);
	if (err)
		close(fd);
	else
		health.region.fd = fd;
	return err;
}

/* Returns the index of this rank among the ranks of the host. */
static uint32_t local_index(void)
{
	const struct weft_job *job = &weft_core.job;

	for (int i = 0; job->local && i < job->local_size; i++)
		if (job->local[i] == job->rank)
			return (uint32_t)i;
	return 0;
}

/* Returns the period in ns, or 0 if the watch is off. */
static uint64_t period_ns(void)
{
	int64_t ms = weft_cfg_get(&weft_core_opts[WEFT_OPT_HEALTH]).i;

	return ms > 0 ? (uint64_t)ms * 1000000 : 0;
}

static void job_name(char name[HEALTH_JOB])
{
	snprintf(name, HEALTH_JOB, "%s", weft_pmix_job());
	if (!*name)
		snprintf(name, HEALTH_JOB, "alone.%d", getpid());
}

int weft_core_health_offer(void)
{
	char name[HEALTH_JOB];
	int err;

	if (!period_ns() || local_index())
		return 0;
	job_name(name);
	err = create_region(name, period_ns());
	return err ? disable_watch("the region of its host", err) : 0;
}

/* ---- checks of the host -------------------------------------------------- */

static void block_until(uint64_t due_ns)
{
	uint64_t now;

	while (!weft_load32(&stop) && (now = weft_now_ns()) < due_ns)
		weft_futex_wait(&stop, 0, due_ns - now, WEFT_FUTEX_THREADS);
}

/*
 * Main function of the health thread. The interval between two rounds is never
 * shorter than `step`: a late thread does not catch up.
 */
static void *watch_thread(void *arg)
{
	uint64_t step = health.what.period_ns / WEFT_HEALTH_ROUNDS, now;

	pthread_setname_np(pthread_self(), "weft-health");
	while (!weft_load32(&stop)) {
		now = weft_now_ns();
		weft_health_sense(&health, now, &bounds, "");
		weft_health_round(&health, now);
		block_until(now + step);
	}
	return NULL;
}

static int start_thread(void)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int err;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES > (size_t)PTHREAD_STACK_MIN
						 ? STACK_BYTES
						 : (size_t)PTHREAD_STACK_MIN);
	/*
	 * block all signals in this thread, so that the application's threads
	 * handle them
	 */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, &attr, watch_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

/* ---- checks of the interface --------------------------------------------- */

/* Returns whether the counter grew within the last two periods. */
static uint32_t grew_recently(uint64_t count, uint64_t *old, uint64_t *last_ns,
			      uint64_t now_ns)
{
	if (count > *old)
		*last_ns = now_ns;
	*old = count;
	return *last_ns && now_ns - *last_ns <= 2 * health.what.period_ns;
}

/*
 * Checks the interface; called during a long wait, in which the rank polls its
 * interface. Requires the lock.
 */
static void nic_check(void)
{
	struct fi_weft_stats_data d = { 0 };
	uint64_t now = weft_now_ns();
	uint32_t warns = 0;

	if (!running)
		return;
	if (stats && stats->read(&weft_core.ep->fid, &d, sizeof(d)) > 0) {
		if (grew_recently(d.refused, &garbage, &garbage_ns, now))
			warns |= NIC_GARBAGE;
		if (grew_recently(d.resent, &losses, &losses_ns, now))
			warns |= NIC_LOSSES;
	}
	weft_health_nic(&health, now, warns);
}

static const struct weft_watcher watcher = { .idle = nic_check, .ms = NIC_MS };

static int health_begin(void)
{
	void *ops = NULL;
	int err = start_thread();

	if (err) {
		weft_health_leave(&health);
		return disable_watch("its thread", err);
	}
	running = true;
	if (!fi_open_ops(&weft_core.ep->fid, FI_WEFT_STATS, 0, &ops, NULL))
		stats = ops;
	nic_check();
	return 0;
}

const struct weft_watcher *weft_core_health_watcher(void)
{
	return running ? &watcher : NULL;
}

int weft_core_health_join(void)
{
	char name[HEALTH_JOB];
	int err = 0;
	int64_t temp, load;

	if (!period_ns())
		return 0;
	if (weft_core.traits.reports_faults) {
		weft_log_once(WEFT_LOG_WARN,
			      "WEFT_HEALTH: the health watch is off in virtual "
			      "time; the machine's own watch is in the report");
		weft_core_health_close();
		return 0;
	}
	job_name(name);
	if (local_index())
		err = attach_region(name);
	else if (!health.head)
		return 0; /* the reason is logged already */
	if (!err)
		err = weft_health_join(&health, local_index(),
				       (uint32_t)weft_core.job.rank);
	if (err)
		return disable_watch("the region of its host", err);
	temp = weft_cfg_get(&weft_core_opts[WEFT_OPT_HEALTH_TEMP]).i;
	load = weft_cfg_get(&weft_core_opts[WEFT_OPT_HEALTH_LOAD]).i;
	bounds.temp_mc = temp ? (int32_t)temp * 1000 : INT32_MAX;
	bounds.load_cpcpu = load ? (int32_t)load * 100 : INT32_MAX;
	return health_begin();
}

void weft_core_health_close(void)
{
	if (running) {
		weft_store32(&stop, 1);
		weft_futex_wake(&stop, WEFT_FUTEX_ALL, WEFT_FUTEX_THREADS);
		pthread_join(thread, NULL);
	}
	running = false;
	weft_health_leave(&health);
	weft_health_close(&health);
}

static bool view_of(int proc, struct weft_health_view *v)
{
	return health.head &&
	       weft_health_view_get(
		       &health, weft_health_find_rank(&health, (uint32_t)proc),
		       weft_now_ns(), v);
}

bool weft_core_health_is_broken(int proc)
{
	struct weft_health_view v;

	return view_of(proc, &v) && v.host == WEFT_WATCH_BROKEN;
}

void weft_core_health_text(int proc, char *text, size_t len)
{
	struct weft_health_view v;
	char state[128];

	*text = 0;
	if (!view_of(proc, &v))
		return;
	weft_health_view_format(&v, state, sizeof(state));
	snprintf(text, len, " (%s)", state);
}
