/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many requests: all, any, some; wait, test, get status. One scan function
 * counts the completed requests, one loop waits for them.
 */
#include "src/mpi/mpi_export.h"

#include "src/diag/diag_peer_failure.h"
#include "src/diag/diag_errtext.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_recv.h"
#include "src/core/core_state.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/pt2pt/mpi_req.h"

#include <mpi-ext.h>
#include <stdio.h>

struct many {
	const char *func;
	int count;
	MPI_Request *handle;
	int active; /* active requests in the last scan */
	int done;   /* completed requests in the last scan */
	int first;  /* index of the first completed request in the last scan */
	int failed; /* number of collected requests that failed */
	int error;  /* error of the first failed request: -errno or a code */
	/* description of the first failed request, for the error text */
	char which[96];
};

/*
 * Returns whether the handle is a send that completed at once: all such sends
 * share one request.
 */
static inline bool is_done_send(MPI_Request handle)
{
	return (struct weft_req *)handle == weft_req_null_done();
}

static int request_many_check(struct many *m)
{
	int i;

	if (m->count < 0)
		return weft_err_arg(NULL, m->func, MPI_ERR_COUNT, 1,
				    "negative count %d", m->count);
	if (m->count && !m->handle)
		return weft_check_ptr(NULL, m->func, 2, m->handle,
				      "array of requests");
	for (i = 0; weft_check && i < m->count; i++) {
		MPI_Request h = m->handle[i];

		if (is_done_send(h) ||
		    weft_likely(weft_obj_of(h, WEFT_KIND_REQ) != NULL))
			continue;
		if (h != MPI_REQUEST_NULL)
			return mpi_check_req_bad(m->func, 2, h);
	}
	return 0;
}

/* Checks the requests, and one or two outputs, which start at argument 3. */
static int check_outputs(struct many *m, const void *first, const void *second)
{
	int err = request_many_check(m);

	if (!err)
		err = weft_check_ptr(NULL, m->func, 3, first, "result");
	if (!err)
		err = weft_check_ptr(NULL, m->func, 4, second, "result");
	return err;
}

/* Checks the outputs of a *some call; indices may be NULL if count is 0. */
static int check_some(struct many *m, const int *outcount, const int *indices)
{
	return check_outputs(m, outcount, m->count ? indices : outcount);
}

/* Returns the request of a checked handle if it is active, otherwise NULL. */
static inline struct weft_req *active(const struct many *m, int i)
{
	struct weft_req *r = (struct weft_req *)m->handle[i];

	if (weft_unlikely(weft_handle_is_const(r)))
		return NULL;
	return r->flags & WEFT_REQ_ACTIVE ? r : NULL;
}

static void scan(struct many *m)
{
	int i;

	m->active = 0;
	m->done = 0;
	for (i = 0; i < m->count; i++) {
		const struct weft_req *r = active(m, i);

		if (!r)
			continue;
		m->active++;
		if (!weft_req_is_done(r))
			continue;
		if (!m->done++)
			m->first = i;
	}
}

/*
 * Polls until nothing more completes: a poll of the queue ends before a failed
 * entry, and a failed entry is returned alone, so one poll may not be enough.
 */
static void poll_while_completing(struct many *m, bool all)
{
	uint32_t mark;

	do {
		/* relaxed: shows whether this poll completed a request */
		mark = weft_load32_relaxed(&weft_completed);
		weft_progress_poll((struct weft_req *const *)m->handle,
				   m->count, !all);
		scan(m);
	} while (m->done < m->active &&
		 weft_load32_relaxed(&weft_completed) != mark);
}

/* Scans the requests once. all: the caller needs all requests, not only one. */
static void scan_once(struct many *m, bool all)
{
	scan(m);
	if (m->done < m->active)
		poll_while_completing(m, all);
}

/* Waits until all (or one) of the active requests are complete. */
static void wait_many(struct many *m, bool all)
{
	struct weft_idle w = weft_idle_begin(
		(struct weft_req *const *)m->handle, m->count, !all);

	for (;;) {
		scan(m);
		if (m->done == m->active || (!all && m->done))
			return;
		weft_idle_pass(&w);
	}
}

static MPI_Status *nth(MPI_Status *statuses, int i)
{
	return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE
					       : &statuses[i];
}

/* Records which request failed first, before the request is freed. */
static WEFT_COLD void note_failed(struct many *m, int i,
				  const struct weft_req *r)
{
	const struct weft_p2p *p;
	bool sends = r->flags & WEFT_REQ_SEND;
	int at;

	if (m->failed++)
		return;
	m->error = r->error;
	at = snprintf(m->which, sizeof(m->which), "request %d of %d", i,
		      m->count);
	if (r->ops != &weft_p2p_ops)
		return;
	p = weft_container_of(r, struct weft_p2p, req);
	if (p->peer < 0)
		snprintf(m->which + at, sizeof(m->which) - (size_t)at,
			 " (receive from any rank)");
	else
		snprintf(m->which + at, sizeof(m->which) - (size_t)at,
			 " (%s rank %d)", sends ? "send to" : "receive from",
			 p->peer);
}

/* Returns the communicator of a failed request, with a reference, or NULL. */
static struct weft_comm *failing(const struct many *m, int i)
{
	const struct weft_req *r = active(m, i);

	if (!r || !r->error || !r->comm)
		return NULL;
	weft_comm_get(r->comm);
	return r->comm;
}

/*
 * Ends request i with weft_req_collect(), without calling an error handler.
 * Returns the error code of the request.
 */
static int collect(struct many *m, int i, MPI_Status *status)
{
	struct weft_req *r = active(m, i);
	struct weft_comm *c;
	int code;

	if (!r) {
		weft_status_empty(status);
		return MPI_SUCCESS;
	}
	c = failing(m, i);
	if (weft_unlikely(r->error))
		note_failed(m, i, r);
	code = weft_req_collect(&r, status);
	if (!r)
		m->handle[i] = MPI_REQUEST_NULL;
	if (weft_unlikely(code))
		code = weft_err_code_rc(c, code);
	if (weft_unlikely(c != NULL))
		weft_comm_put(c);
	if (status != MPI_STATUS_IGNORE)
		status->MPI_ERROR = code;
	return code;
}

/*
 * Calls the error handler of c, the communicator of the first failed request.
 * The text contains the first error, since a program that is aborted here does
 * not read the statuses.
 */
static WEFT_COLD int fail(struct many *m, struct weft_comm *c)
{
	char peers[320] = "", more[48] = "";
	int code = weft_err_code_rc(c, m->error), err;

	if (weft_errtext_class(code) == MPI_ERR_PROC_ABORTED ||
	    weft_errtext_class(code) == MPIX_ERR_PROC_FAILED)
		weft_failure_text(peers, sizeof(peers));
	if (m->failed > 1)
		snprintf(more, sizeof(more), "; %d other requests failed",
			 m->failed - 1);
	err = weft_err_arg(c, m->func, MPI_ERR_IN_STATUS, 0,
			   "%s failed: %s%s%s", m->which,
			   weft_errtext_get(code), peers, more);
	if (c)
		weft_comm_put(c);
	return err;
}

/* Waits until request i is complete; also polls for the later requests. */
static WEFT_NOINLINE void wait_next(struct many *m, int i)
{
	struct weft_idle w = weft_idle_begin(
		(struct weft_req *const *)m->handle + i, m->count - i, false);
	struct weft_req *r = active(m, i);

	while (r && !weft_req_is_done(r))
		weft_p2p_pass(r, &w);
}

static inline void free_plain(struct weft_req *r)
{
	if (weft_likely(r->ops == &weft_p2p_ops))
		weft_p2p_close(weft_container_of(r, struct weft_p2p, req));
	else
		r->ops->free(r);
}

static inline void status_good(MPI_Status *status, const struct weft_req *r)
{
	weft_req_status_plain(r, status);
	status->MPI_ERROR = MPI_SUCCESS;
}

/*
 * Collects and frees r if it completed successfully with a plain status;
 * otherwise returns false.
 */
static inline bool complete_plain(struct weft_req *r, MPI_Status *statuses,
				  int i)
{
	if (weft_unlikely(weft_handle_is_const(r) || !weft_req_is_plain(r)))
		return false;
	if (statuses != MPI_STATUSES_IGNORE)
		status_good(&statuses[i], r);
	free_plain(r);
	return true;
}

/*
 * Collects a persistent request as complete_plain() does, and makes it
 * inactive; otherwise returns false.
 */
static inline bool deactivate_plain(struct weft_req *r, MPI_Status *statuses,
				    int i)
{
	const uint32_t either = WEFT_REQ_SEND | WEFT_REQ_DIRECT;

	if (weft_handle_is_const(r) || r->ops != &weft_p2p_ops || r->error ||
	    (r->flags & ~either) != (WEFT_REQ_ACTIVE | WEFT_REQ_PERSISTENT))
		return false;
	if (statuses != MPI_STATUSES_IGNORE)
		status_good(&statuses[i], r);
	r->flags &= ~(uint32_t)WEFT_REQ_ACTIVE;
	return true;
}

/*
 * Collects a request with any result. Returns its error code. c_p: communicator
 * of the first failed request.
 */
static WEFT_NOINLINE int complete_slow(struct many *m, int i,
				       MPI_Status *statuses,
				       struct weft_comm **c_p)
{
	if (!*c_p)
		*c_p = failing(m, i);
	return collect(m, i, nth(statuses, i));
}

static int collect_all(struct many *m, MPI_Status *statuses)
{
	MPI_Request *handle = m->handle;
	struct weft_comm *c = NULL;
	int i, n = m->count, bad = 0;

	for (i = 0; i < n; i++) {
		struct weft_req *r = (struct weft_req *)handle[i];

		if (is_done_send(handle[i])) {
			if (statuses != MPI_STATUSES_IGNORE)
				status_good(&statuses[i], &weft_req_done_send);
			handle[i] = MPI_REQUEST_NULL;
			continue;
		}
		if (!weft_handle_is_const(r) && !weft_req_is_done(r))
			wait_next(m, i);
		if (weft_likely(complete_plain(r, statuses, i)))
			handle[i] = MPI_REQUEST_NULL;
		else if (!deactivate_plain(r, statuses, i) &&
			 complete_slow(m, i, statuses, &c))
			bad = 1;
	}
	return weft_unlikely(bad) ? fail(m, c) : MPI_SUCCESS;
}

/* Collects the completed requests, in the order of the array. */
static int collect_some(struct many *m, int *outcount, int *indices,
			MPI_Status *statuses)
{
	struct weft_comm *c = NULL;
	int i, n = 0, bad = 0;

	if (!m->active) {
		*outcount = MPI_UNDEFINED;
		return MPI_SUCCESS;
	}
	for (i = 0; i < m->count && n < m->done; i++) {
		const struct weft_req *r = active(m, i);

		if (!r || !weft_req_is_done(r))
			continue;
		if (!c)
			c = failing(m, i);
		if (collect(m, i, nth(statuses, n)))
			bad = 1;
		indices[n++] = i;
	}
	*outcount = n;
	return bad ? fail(m, c) : MPI_SUCCESS;
}

static int collect_any(struct many *m, int *indx, MPI_Status *status)
{
	if (!m->active) {
		*indx = MPI_UNDEFINED;
		weft_status_empty(status);
		return MPI_SUCCESS;
	}
	*indx = m->first;
	return mpi_req_finish(m->func, &m->handle[m->first], status);
}

#pragma weak MPI_Waitall = PMPI_Waitall
int PMPI_Waitall(int count, MPI_Request array_of_requests[],
		 MPI_Status *array_of_statuses)
{
	MPI_ENTER;
	struct many m = { .func = __func__, count, array_of_requests };
	int err = request_many_check(&m);

	return weft_unlikely(err) ? err : collect_all(&m, array_of_statuses);
}

#pragma weak MPI_Testall = PMPI_Testall
int PMPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
		 MPI_Status *array_of_statuses)
{
	MPI_ENTER;
	struct many m = { .func = __func__, count, array_of_requests };
	int err = check_outputs(&m, flag, flag);

	if (err)
		return err;
	scan_once(&m, true);
	*flag = m.done == m.active;
	return *flag ? collect_all(&m, array_of_statuses) : MPI_SUCCESS;
}

#pragma weak MPI_Waitany = PMPI_Waitany
int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *indx,
		 MPI_Status *status)
{
	MPI_ENTER;
	struct many m = { .func = __func__, count, array_of_requests };
	int err = check_outputs(&m, indx, indx);

	if (err)
		return err;
	wait_many(&m, false);
	return collect_any(&m, indx, status);
}

#pragma weak MPI_Testany = PMPI_Testany
int PMPI_Testany(int count, MPI_Request array_of_requests[], int *indx,
		 int *flag, MPI_Status *status)
{
	MPI_ENTER;
	struct many m = { .func = __func__, count, array_of_requests };
	int err = check_outputs(&m, indx, flag);

	if (err)
		return err;
	scan_once(&m, false);
	*flag = !m.active || m.done;
	*indx = MPI_UNDEFINED;
	return *flag ? collect_any(&m, indx, status) : MPI_SUCCESS;
}

#pragma weak MPI_Waitsome = PMPI_Waitsome
int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
		  int array_of_indices[], MPI_Status *array_of_statuses)
{
	MPI_ENTER;
	struct many m = { .func = __func__, incount, array_of_requests };
	int err = check_some(&m, outcount, array_of_indices);

	if (err)
		return err;
	wait_many(&m, false);
	if (m.done < m.active && !weft_core.traits.polls_block)
		poll_while_completing(&m, false);
	return collect_some(&m, outcount, array_of_indices, array_of_statuses);
}

#pragma weak MPI_Testsome = PMPI_Testsome
int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
		  int array_of_indices[], MPI_Status *array_of_statuses)
{
	MPI_ENTER;
	struct many m = { .func = __func__, incount, array_of_requests };
	int err = check_some(&m, outcount, array_of_indices);

	if (err)
		return err;
	scan_once(&m, false);
	return collect_some(&m, outcount, array_of_indices, array_of_statuses);
}

/* ---- status without completion ------------------------------------------ */

static int get_status(struct many *m, int i, MPI_Status *status)
{
	struct weft_req *r = active(m, i);

	if (status == MPI_STATUS_IGNORE)
		return MPI_SUCCESS;
	if (!r) {
		weft_status_empty(status);
		return MPI_SUCCESS;
	}
	return mpi_req_peek(r, status);
}

#pragma weak MPI_Request_get_status_all = PMPI_Request_get_status_all
int PMPI_Request_get_status_all(int count,
				const MPI_Request array_of_requests[],
				int *flag, MPI_Status *array_of_statuses)
{
	MPI_ENTER;
	struct many m = { .func = __func__,
			  count,
			  (MPI_Request *)(uintptr_t)array_of_requests };
	int i, err = check_outputs(&m, flag, flag);

	if (err)
		return err;
	scan_once(&m, true);
	*flag = m.done == m.active;
	for (i = 0; *flag && i < count && !err; i++)
		err = get_status(&m, i, nth(array_of_statuses, i));
	return err;
}

#pragma weak MPI_Request_get_status_any = PMPI_Request_get_status_any
int PMPI_Request_get_status_any(int count,
				const MPI_Request array_of_requests[],
				int *indx, int *flag, MPI_Status *status)
{
	MPI_ENTER;
	struct many m = { .func = __func__,
			  count,
			  (MPI_Request *)(uintptr_t)array_of_requests };
	int err = check_outputs(&m, indx, flag);

	if (err)
		return err;
	scan_once(&m, false);
	*flag = !m.active || m.done;
	*indx = m.done ? m.first : MPI_UNDEFINED;
	if (m.done)
		return get_status(&m, m.first, status);
	if (*flag)
		weft_status_empty(status);
	return MPI_SUCCESS;
}

#pragma weak MPI_Request_get_status_some = PMPI_Request_get_status_some
int PMPI_Request_get_status_some(int incount,
				 const MPI_Request array_of_requests[],
				 int *outcount, int array_of_indices[],
				 MPI_Status *array_of_statuses)
{
	MPI_ENTER;
	struct many m = { .func = __func__,
			  incount,
			  (MPI_Request *)(uintptr_t)array_of_requests };
	int i, n = 0, err = check_some(&m, outcount, array_of_indices);

	if (err)
		return err;
	scan_once(&m, false);
	for (i = 0; i < incount && n < m.done && !err; i++) {
		const struct weft_req *r = active(&m, i);

		if (!r || !weft_req_is_done(r))
			continue;
		err = get_status(&m, i, nth(array_of_statuses, n));
		array_of_indices[n++] = i;
	}
	*outcount = m.active ? n : MPI_UNDEFINED;
	return err;
}
