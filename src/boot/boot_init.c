/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start and end of the library. MPI_Init and every session are users of the
 * library; the first user starts it, by a list of steps that are timed
 * (WEFT_STARTUP_REPORT=1 prints the times on rank 0).
 *
 * Sessions begin and end in each process independently, so a process without
 * users of the library may have peers that still have some: the library
 * therefore stays open until the process exits. It is closed earlier only in
 * MPI_Finalize, where all processes synchronize, and only if none of them has
 * used sessions. A session that begins later starts the library again in each
 * process. In a job on several hosts the library always stays open: to start it
 * again, the processes would have to exchange new addresses through PMIx, and
 * if a process has published values before its PMIx_Finalize, a PMIx server
 * need not pass on newer values.
 */
#include "src/boot/boot_debug.h"
#include "src/boot/boot_init.h"

#include "src/base/clock.h"
#include "src/base/fence.h"
#include "src/base/log.h"
#include "src/diag/diag_call.h"
#include "src/msg/msg_ack.h"
#include "src/diag/diag_peer_failure.h"
#include "src/diag/diag_deadlock.h"
#include "src/diag/diag_err.h"
#include "src/diag/diag_health.h"
#include "src/boot/boot_foreign.h"
#include "src/boot/boot_format.h"
#include "src/boot/boot_hosts.h"
#include "src/core/core_lock.h"
#include "src/core/core_opts.h"
#include "src/boot/boot_pmix.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_recv.h"
#include "src/msg/msg_send.h"
#include "src/core/core_time.h"
#include "src/diag/diag_trace.h"
#include "src/offload/offload_route.h"
#include "src/recover/recover.h"
#include "src/recover/recover_msg.h"
#include "src/boot/boot_wire_up.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- steps of MPI_Init --------------------------------------------------- */

static int step_options(void)
{
	weft_check = weft_cfg_get(&weft_core_opts[WEFT_OPT_CHECK]).b;
	weft_core.survives = weft_cfg_get(&weft_core_opts[WEFT_OPT_SURVIVE]).b;
	weft_core_exact = weft_cfg_get(&weft_core_opts[WEFT_OPT_EXACT]).b;
	/*
	 * called only for its warning about an unknown value: src/base/log.c
	 * reads the variable itself and treats an unknown value as "warn"
	 */
	weft_cfg_get(&weft_core_opts[WEFT_OPT_LOG]);
	if (gethostname(weft_core.host, sizeof(weft_core.host)))
		snprintf(weft_core.host, sizeof(weft_core.host), "localhost");
	/*
	 * called before PMIx starts a thread, because registration is fast then
	 * (fence.h); the provider's second registration costs nothing
	 */
	weft_membarrier_register();
	return 0;
}

static bool alone; /* the library is started by a session */

static int step_job(void)
{
	int rc = weft_format_check_launcher();

	if (!rc)
		rc = weft_pmix_open(&weft_core.job, alone);
	if (weft_core.job.launched)
		weft_log_set_rank(weft_core.job.member);
	if (!rc)
		weft_debug_wait(weft_core.job.member);
	return rc ? rc : weft_core_health_offer();
}

static const struct weft_wire_module routes = { weft_routes_open,
						weft_routes_close };

static int step_wire(void)
{
	int rc = weft_wire_open(weft_threads, &routes);

	if (rc)
		return rc;
	weft_failure_open(weft_wire_resolve);
	weft_core_clock_open();
	if (weft_core.traits.reports_waits)
		weft_deadlock_open();
	return 0;
}

static int step_waiting(void)
{
	int64_t spin = weft_cfg_get(&weft_core_opts[WEFT_OPT_SPIN]).i;
	long cores = weft_cfg_get(&weft_core_opts[WEFT_OPT_LOCAL_CPUS]).i;
	enum weft_core_share core_share;

	/* polls take virtual time, blocking does not: never spin */
	if (weft_core.traits.polls_block) {
		weft_store32_relaxed(&weft_core.spin, 0);
		return 0;
	}
	if (cores < 1)
		cores = sysconf(_SC_NPROCESSORS_ONLN);
	weft_core.oversubscribed = weft_core.job.local_size > cores;
	core_share =
		weft_core.oversubscribed ? WEFT_OVERSUBSCRIBED : WEFT_OWN_CORE;
	weft_wait_policy_init(&weft_core.policy, core_share);
	weft_wait_policy_set_ranks(&weft_core.policy, core_share,
				   (uint32_t)weft_core.job.local_size - 1);
	weft_core.polls_are_syscalls = spin < 0 && weft_hosts_network();
	if (spin < 0)
		spin = weft_core.polls_are_syscalls
			       ? WEFT_SYSCALL_POLLS
			       : weft_wait_policy_rule[core_share].spin.passes;
	weft_store32_relaxed(&weft_core.spin, (uint32_t)spin);
	return 0;
}

static int step_objects(void)
{
	weft_pool_init(&weft_core.p2p, sizeof(struct weft_p2p));
	weft_retry_init();
	return 0;
}

static int step_watch(void)
{
	int rc = weft_core_health_join();
	const struct weft_watcher *w = weft_core_health_watcher();

	if (w)
		weft_progress_add_watcher(w);
	return rc;
}

static const struct {
	const char *name;
	int (*run)(void);
} steps[] = {
	{ "options", step_options },	  { "pmix", step_job },
	{ "fabric", step_wire },	  { "names", weft_wire_names },
	{ "waiting", step_waiting },	  { "objects", step_objects },
	{ "control", weft_ctrl_open },	  { "watch", step_watch },
	{ "recover", weft_recover_open },
};

static void report(const uint64_t *ns)
{
	char line[256];
	size_t i, pos = 0;

	for (i = 0; i < WEFT_COUNT_OF(steps); i++)
		pos += (size_t)snprintf(line + pos, sizeof(line) - pos,
					"%s %s %.2f", i ? "," : "",
					steps[i].name,
					(double)(ns[i + 1] - ns[i]) * 1e-6);
	if (weft_core.job.rank == 0 &&
	    weft_cfg_get(&weft_core_opts[WEFT_OPT_STARTUP_REPORT]).b)
		fprintf(stderr, "weft: start-up in ms:%s\n", line);
	weft_log(WEFT_LOG_DEBUG, "start-up in ms:%s", line);
}

/* ---- users --------------------------------------------------------------- */

/*
 * protects the variables below, and serializes starts and ends of the library
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* number of users of the library: MPI_Init and sessions */
static unsigned users;
static bool is_open;
static bool used_sessions;
/* pid of the process that opened the library; a forked child has another pid */
static pid_t opener;

static int open_library(int level)
{
	static const struct weft_trace_hooks ends = { weft_p2p_recv_done,
						      weft_p2p_sent };
	uint64_t ns[WEFT_COUNT_OF(steps) + 1];
	size_t i;
	int rc;

	weft_threads = level == MPI_THREAD_MULTIPLE;
	weft_core.thread_level = level;
	ns[0] = weft_now_ns();
	for (i = 0; i < WEFT_COUNT_OF(steps); i++) {
		rc = steps[i].run();
		if (rc)
			return rc;
		ns[i + 1] = weft_now_ns();
	}
	weft_trace_start(&ends);
	weft_call_start(weft_threads, weft_call_report_requested()
					      ? weft_core_clock_peek_ps
					      : NULL);
	report(ns);
	opener = getpid();
	is_open = true;
	return 0;
}

/* Adds a user of the library. Requires the lock. */
static int add_user(int level)
{
	int rc = is_open ? 0 : open_library(level);

	if (rc || users++)
		return rc;
	weft_call_resume();
	/*
	 * R3 pairs with A3 in weft_running(): the initialised state of the
	 * process is visible.
	 */
	weft_store32(&weft_core.phase, WEFT_RUNNING);
	return 0;
}

/* Removes a user of the library. Requires the lock. */
static void remove_user(void)
{
	if (--users)
		return;
	weft_store32(&weft_core.phase, WEFT_AFTER_FINALIZE);
	weft_call_finish();
}

/* Completes the operations that need no other process. */
static void drain(void)
{
	while (weft_core.pending ||
	       (users < 2 && weft_load32(&weft_core.stepping)))
		weft_progress();
}

/* Closes the library, which has left the job. Requires the lock. */
static void close_library(void)
{
	weft_trace_stop();
	weft_core_health_close();
	weft_comm_close_all();
	weft_recover_close();
	weft_failure_close();
	weft_core_clock_close();
	weft_wire_close();
	weft_recover_msg_close();
	weft_foreign_close();
	weft_call_finish();
	weft_pmix_close();
	weft_pool_fini(&weft_core.p2p);
	free(weft_core.job.local);
	weft_core.job.local = NULL;
	is_open = false;
}

static void report_calls(void)
{
	weft_call_stop();
	if (weft_core.job.rank == 0)
		weft_call_print(weft_core.backend->clock);
}

/* ---- sessions ------------------------------------------------------------ */

/*
 * Closes the library at the end of a process that has used sessions. A process
 * that exits within an MPI call does not wait for other ranks.
 */
static void close_at_exit(void)
{
	if (opener != getpid() || pthread_mutex_trylock(&lock))
		return;
	if (is_open && !users) {
		report_calls();
		weft_core.backend->leave();
		close_library();
	}
	pthread_mutex_unlock(&lock);
}

static void close_later(void)
{
	static bool registered;

	if (!registered)
		atexit(close_at_exit);
	registered = true;
}

/*
 * Connects to the launcher again, for a session that begins after MPI_Finalize.
 */
static int join_again(void)
{
	return weft_hosts_several() ? weft_pmix_connect() : 0;
}

int weft_core_session_open(int level)
{
	int rc;

	pthread_mutex_lock(&lock);
	alone = true;
	weft_pmix_use_sessions(weft_load32(&weft_core.world_phase) ==
			       WEFT_AFTER_FINALIZE);
	rc = add_user(level);
	if (!rc) {
		used_sessions = true;
		close_later();
		weft_recover_started();
		rc = join_again();
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void weft_core_session_close(void)
{
	pthread_mutex_lock(&lock);
	drain();
	remove_user();
	pthread_mutex_unlock(&lock);
}

/*
 * Keeps the library open after MPI_Finalize. leaves: notify the launcher that
 * this process has completed MPI_Finalize.
 */
static void stay(bool leaves)
{
	close_later();
	if (leaves)
		weft_pmix_leave();
}

/* ---- MPI_Init and MPI_Finalize ------------------------------------------- */

int weft_core_init(int required)
{
	int rc;

	pthread_mutex_lock(&lock);
	weft_core.main_thread = pthread_self();
	alone = false;
	rc = add_user(required);
	if (!rc)
		rc = weft_pmix_collect();
	if (!rc)
		rc = weft_comm_open_predefined();
	if (!rc)
		weft_store32(&weft_core.world_phase, WEFT_RUNNING);
	pthread_mutex_unlock(&lock);
	return rc;
}

int weft_core_fini(void)
{
	bool stays;
	int rc;

	pthread_mutex_lock(&lock);
	stays = used_sessions || weft_hosts_several();
	drain();
	if (!stays)
		report_calls();
	rc = weft_core.backend->sync(&stays);
	if (!rc && !stays)
		rc = weft_core.backend->leave();
	weft_store32(&weft_core.world_phase, WEFT_AFTER_FINALIZE);
	remove_user();
	weft_comm_close_predefined();
	if (!stays || rc)
		close_library();
	else
		stay(!used_sessions);
	pthread_mutex_unlock(&lock);
	return rc > 0 ? 0 : rc;
}
