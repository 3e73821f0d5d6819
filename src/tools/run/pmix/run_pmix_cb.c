/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callbacks of the PMIx server. They run in the library's progress thread, do
 * not wait for other processes, and respond immediately: on one host all data
 * is local; run_pmix_hosts.c implements fences across several hosts. Events for
 * the main loop are written to a pipe before the client gets its response, so
 * that the exit of a client is never seen before its finalize.
 */
#include "src/tools/run/pmix/run_pmix_cb.h"
#include "src/tools/run/pmix/run_pmix.h"
#include "src/tools/run/pmix/run_pmix_hosts.h"
#include "src/tools/run/pmix/run_pmix_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	int fd[2];
	pmix_nspace_t nspace;
	/* accessed by the library's thread only */
	size_t groups;
} cb = { .fd = { -1, -1 } };

static void send_event(enum run_event_kind kind, const pmix_proc_t *proc,
		       int code, const char *text)
{
	struct run_event ev = { .kind = kind,
				.rank = (int32_t)proc->rank,
				.code = code };

	if (strncmp(proc->nspace, cb.nspace, PMIX_MAX_NSLEN))
		return;
	if (text)
		ev.text = strdup(text);
	/* smaller than PIPE_BUF: written whole or not at all */
	if (write(cb.fd[1], &ev, sizeof(ev)) < 0)
		free(ev.text);
}

static pmix_status_t cb_connected(const pmix_proc_t *proc, void *obj,
				  pmix_info_t info[], size_t ninfo,
				  pmix_op_cbfunc_t done, void *arg)
{
	send_event(RUN_EVENT_CONNECTED, proc, 0, NULL);
	return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t cb_finalized(const pmix_proc_t *proc, void *obj,
				  pmix_op_cbfunc_t done, void *arg)
{
	send_event(RUN_EVENT_FINALIZED, proc, 0, NULL);
	return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t cb_abort(const pmix_proc_t *proc, void *obj, int status,
			      const char msg[], pmix_proc_t procs[], size_t n,
			      pmix_op_cbfunc_t done, void *arg)
{
	send_event(RUN_EVENT_ABORT, proc, status, msg);
	return PMIX_OPERATION_SUCCEEDED;
}

/* Completes a fence at once if all ranks are on this host. */
static pmix_status_t cb_fence(const pmix_proc_t procs[], size_t nprocs,
			      const pmix_info_t info[], size_t ninfo,
			      char *data, size_t ndata,
			      pmix_modex_cbfunc_t done, void *arg)
{
	if (run_pmix_hosts_fd() >= 0)
		return run_pmix_hosts_fence(procs, nprocs, data, ndata, done,
					    arg);
	done(PMIX_SUCCESS, data, ndata, arg, free, data);
	return PMIX_SUCCESS;
}

/* Gets the data of a rank on another host. */
static pmix_status_t cb_direct_modex(const pmix_proc_t *proc,
				     const pmix_info_t info[], size_t ninfo,
				     pmix_modex_cbfunc_t done, void *arg)
{
	return run_pmix_hosts_fd() < 0 ? PMIX_ERR_NOT_FOUND
				       : run_pmix_hosts_modex(proc, done, arg);
}

static pmix_status_t cb_spawn(const pmix_proc_t *proc,
			      const pmix_info_t job_info[], size_t ninfo,
			      const pmix_app_t apps[], size_t napps,
			      pmix_spawn_cbfunc_t done, void *arg)
{
	struct run_event ev = { .kind = RUN_EVENT_SPAWN,
				.rank = (int32_t)proc->rank };
	bool several = run_pmix_hosts_fd() >= 0;
	pmix_status_t rc = run_pmix_spawn_request(
		apps, napps, several ? run_pmix_hosts_self() : NULL, done, arg,
		&ev.spawn);

	if (rc != PMIX_SUCCESS)
		return rc;
	if (several)
		run_pmix_hosts_spawn(ev.spawn);
	else if (write(cb.fd[1], &ev, sizeof(ev)) < 0)
		run_pmix_spawn_answer(ev.spawn, PMIX_ERR_JOB_FAILED_TO_LAUNCH);
	return PMIX_SUCCESS;
}

static pmix_status_t cb_connect(const pmix_proc_t procs[], size_t nprocs,
				const pmix_info_t info[], size_t ninfo,
				pmix_op_cbfunc_t done, void *arg)
{
	return run_pmix_hosts_fd() < 0 ? PMIX_OPERATION_SUCCEEDED
				       : PMIX_ERR_NOT_SUPPORTED;
}

/*
 * Accepts event registrations; nothing else is needed, since the library sends
 * events to local clients.
 */
static pmix_status_t cb_events(pmix_status_t *codes, size_t ncodes,
			       const pmix_info_t info[], size_t ninfo,
			       pmix_op_cbfunc_t done, void *arg)
{
	return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t cb_no_events(pmix_status_t *codes, size_t ncodes,
				  pmix_op_cbfunc_t done, void *arg)
{
	return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t cb_notify(pmix_status_t code, const pmix_proc_t *source,
			       pmix_data_range_t range, pmix_info_t info[],
			       size_t ninfo, pmix_op_cbfunc_t done, void *arg)
{
	return PMIX_OPERATION_SUCCEEDED;
}

/* Handles job control: only termination of the job is supported. */
static pmix_status_t cb_job_control(const pmix_proc_t *proc,
				    const pmix_proc_t targets[], size_t n,
				    const pmix_info_t directives[],
				    size_t ndirs, pmix_info_cbfunc_t done,
				    void *arg)
{
	size_t i;

	for (i = 0; i < ndirs; i++) {
		if (!PMIX_CHECK_KEY(&directives[i], PMIX_JOB_CTRL_KILL) &&
		    !PMIX_CHECK_KEY(&directives[i], PMIX_JOB_CTRL_TERMINATE))
			continue;
		send_event(RUN_EVENT_KILL, proc, 0, NULL);
		return PMIX_OPERATION_SUCCEEDED;
	}
	return PMIX_ERR_NOT_SUPPORTED;
}

static void group_answered(void *arg)
{
	pmix_info_t *info = arg;

	PMIX_INFO_FREE(info, 1);
}

/*
 * Creates or destroys a group: its members, and a context id taken from a
 * counter.
 */
static pmix_status_t cb_group(pmix_group_operation_t op, char grp[],
			      const pmix_proc_t procs[], size_t nprocs,
			      const pmix_info_t directives[], size_t ndirs,
			      pmix_info_cbfunc_t done, void *arg)
{
	pmix_info_t *info = NULL;
	size_t id;

	if (run_pmix_hosts_fd() >= 0)
		return PMIX_ERR_NOT_SUPPORTED;
	if (op != PMIX_GROUP_CONSTRUCT)
		return PMIX_OPERATION_SUCCEEDED;
	PMIX_INFO_CREATE(info, 1);
	if (!info)
		return PMIX_ERR_NOMEM;
	id = ++cb.groups;
	PMIX_INFO_LOAD(info, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
	done(PMIX_SUCCESS, info, 1, arg, group_answered, info);
	return PMIX_SUCCESS;
}

int run_pmix_event_fd(void)
{
	return cb.fd[0];
}

int run_pmix_next(struct run_event *ev)
{
	ssize_t n = read(cb.fd[0], ev, sizeof(*ev));

	return n == sizeof(*ev) ? 0 : -EAGAIN;
}

int run_pmix_cb_open(const char *nspace)
{
	if (pipe2(cb.fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	/* a write blocks while the pipe is full: no event is lost */
	fcntl(cb.fd[1], F_SETFL, 0);
	PMIX_LOAD_NSPACE(cb.nspace, nspace);
	return 0;
}

static pmix_server_module_t module = {
	.client_connected2 = cb_connected,
	.client_finalized = cb_finalized,
	.abort = cb_abort,
	.fence_nb = cb_fence,
	.direct_modex = cb_direct_modex,
	.spawn = cb_spawn,
	.connect = cb_connect,
	.disconnect = cb_connect,
	.register_events = cb_events,
	.deregister_events = cb_no_events,
	.notify_event = cb_notify,
	.query = run_pmix_query,
	.job_control = cb_job_control,
	.group = cb_group,
};

pmix_server_module_t *run_pmix_module(void)
{
	return &module;
}
