/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event queues: control events and errors are kept in one list, in the order in
 * which they were posted. Event queues belong to a fabric, not to a domain, and
 * are not on the fast path, so a mutex, an event word and a list suffice.
 */
#include "prov/ofi/queue/weft_eq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/queue/weft_wait.h"
#include "src/base/clock.h"
#include "src/os/event_word.h"
#include "src/os/wait_fd.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct weft_eq {
	struct fid_eq fid;
	struct weft_fabric *fabric;
	enum fi_wait_obj obj;
	int event_fd; /* readable while an event is queued; -1: no FI_WAIT_FD */
	pthread_mutex_t mutex;
	struct weft_event event; /* event word on which readers block */
	struct weft_list events;
	/* references: domains, vectors and endpoints bound to the queue */
	weft_au32 ref;
};

struct event {
	struct weft_list link;
	uint32_t code;
	bool is_err;
	size_t len;
	char data[];
};

static struct weft_eq *to_eq(struct fid_eq *fid)
{
	return weft_container_of(fid, struct weft_eq, fid);
}

struct weft_eq *weft_eq_of(struct fid *fid)
{
	return weft_container_of(fid, struct weft_eq, fid.fid);
}

void weft_eq_get(struct weft_eq *eq)
{
	weft_ref_get(&eq->ref);
}

void weft_eq_put(struct weft_eq *eq)
{
	weft_ref_put(&eq->ref);
}

/* ---- writing ------------------------------------------------------------- */

static int eq_post(struct weft_eq *eq, const struct event *head,
		   const void *buf)
{
	struct event *e = malloc(sizeof(*e) + head->len);

	if (!e)
		return -ENOMEM;
	*e = *head;
	if (head->len)
		memcpy(e->data, buf, head->len);
	pthread_mutex_lock(&eq->mutex);
	weft_list_push_back(&eq->events, &e->link);
	weft_event_notify_locked(&eq->event);
	if (eq->event_fd >= 0)
		weft_event_fd_set(eq->event_fd);
	pthread_mutex_unlock(&eq->mutex);
	return 0;
}

int weft_eq_post(struct weft_eq *eq, uint32_t code, const void *buf, size_t len)
{
	struct event head = { .code = code, .len = len };

	return eq_post(eq, &head, buf);
}

int weft_eq_post_err(struct weft_eq *eq, struct fid *fid, void *context,
		     int err, uint64_t data)
{
	struct event head = { .is_err = true,
			      .len = sizeof(struct fi_eq_err_entry) };
	struct fi_eq_err_entry entry = {
		.fid = fid,
		.context = context,
		.data = data,
		.err = (int)-weft_ofi_err(-err),
		.prov_errno = err,
	};

	return eq_post(eq, &head, &entry);
}

static ssize_t weft_eq_write(struct fid_eq *fid, uint32_t code, const void *buf,
			     size_t len, uint64_t flags)
{
	int err;

	if (flags)
		return -FI_EBADFLAGS;
	err = weft_eq_post(to_eq(fid), code, buf, len);
	return err ? weft_ofi_err(err) : (ssize_t)len;
}

/* ---- reading ------------------------------------------------------------- */

static struct event *first_event(struct weft_eq *eq)
{
	if (weft_list_empty(&eq->events))
		return NULL;
	return weft_container_of(eq->events.next, struct event, link);
}

static void drop_first(struct weft_eq *eq)
{
	struct event *e = first_event(eq);

	weft_list_remove(&e->link);
	free(e);
	if (eq->event_fd >= 0 && weft_list_empty(&eq->events))
		weft_event_fd_clear(eq->event_fd);
}

/*
 * Copies the first event, as many of its bytes as fit, and removes the event
 * unless FI_PEEK is set.
 */
static ssize_t eq_take(struct weft_eq *eq, uint32_t *code, void *buf,
		       size_t len, uint64_t flags)
{
	struct event *e = first_event(eq);

	if (!e)
		return -FI_EAGAIN;
	if (e->is_err)
		return -FI_EAVAIL;
	if (code)
		*code = e->code;
	len = len < e->len ? len : e->len;
	if (len && buf)
		memcpy(buf, e->data, len);
	if (!(flags & FI_PEEK))
		drop_first(eq);
	return (ssize_t)len;
}

static ssize_t weft_eq_read(struct fid_eq *fid, uint32_t *code, void *buf,
			    size_t len, uint64_t flags)
{
	struct weft_eq *eq = to_eq(fid);
	ssize_t ret;

	if (flags & ~FI_PEEK)
		return -FI_EBADFLAGS;
	pthread_mutex_lock(&eq->mutex);
	ret = eq_take(eq, code, buf, len, flags);
	pthread_mutex_unlock(&eq->mutex);
	return ret;
}

/* Copies an error entry. Before API 1.5 the structure ended with err_data. */
static ssize_t weft_eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *buf,
			       uint64_t flags)
{
	struct weft_eq *eq = to_eq(fid);
	bool whole =
		FI_VERSION_GE(eq->fabric->fid.api_version, FI_VERSION(1, 5));
	size_t len = whole ? sizeof(*buf)
			   : offsetof(struct fi_eq_err_entry, err_data_size);
	ssize_t ret = -FI_EAGAIN;

	pthread_mutex_lock(&eq->mutex);
	if (first_event(eq) && first_event(eq)->is_err) {
		memcpy(buf, first_event(eq)->data, len);
		if (!(flags & FI_PEEK))
			drop_first(eq);
		ret = (ssize_t)len;
	}
	pthread_mutex_unlock(&eq->mutex);
	return ret;
}

/* Waits for an event or the deadline. The caller holds the mutex. */
static void wait_event(struct weft_eq *eq, uint64_t deadline)
{
	uint64_t now;

	while (weft_list_empty(&eq->events) &&
	       (now = weft_now_ns()) < deadline) {
		uint32_t seen =
			weft_event_prepare_wait(&eq->event, WEFT_EVENT_NOTIFY);

		pthread_mutex_unlock(&eq->mutex);
		weft_event_block(&eq->event, seen, deadline - now);
		pthread_mutex_lock(&eq->mutex);
	}
}

static ssize_t weft_eq_sread(struct fid_eq *fid, uint32_t *code, void *buf,
			     size_t len, int timeout, uint64_t flags)
{
	struct weft_eq *eq = to_eq(fid);
	ssize_t ret;

	if (flags & ~FI_PEEK)
		return -FI_EBADFLAGS;
	if (eq->obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	pthread_mutex_lock(&eq->mutex);
	wait_event(eq, weft_deadline(NULL, timeout));
	ret = eq_take(eq, code, buf, len, flags);
	pthread_mutex_unlock(&eq->mutex);
	return ret;
}

int weft_eq_trywait(struct weft_eq *eq)
{
	bool empty;

	pthread_mutex_lock(&eq->mutex);
	empty = weft_list_empty(&eq->events);
	pthread_mutex_unlock(&eq->mutex);
	return empty ? 0 : -EAGAIN;
}

static const char *weft_eq_strerror(struct fid_eq *fid, int prov_errno,
				    const void *err_data, char *buf, size_t len)
{
	return weft_strerror(prov_errno, buf, len);
}

/* ---- open and close ------------------------------------------------------ */

static int weft_eq_close(struct fid *fid)
{
	struct weft_eq *eq = weft_eq_of(fid);

	if (weft_load32(&eq->ref))
		return -FI_EBUSY;
	while (!weft_list_empty(&eq->events))
		drop_first(eq);
	weft_fd_close(&eq->event_fd);
	pthread_mutex_destroy(&eq->mutex);
	weft_ref_put(&eq->fabric->ref);
	free(eq);
	return 0;
}

static int weft_eq_control(struct fid *fid, int command, void *arg)
{
	struct weft_eq *eq = weft_eq_of(fid);

	return weft_wait_control(eq->obj, eq->event_fd, command, arg);
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_eq_close,
	.bind = weft_nosys_bind,
	.control = weft_eq_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_eq eq_ops = {
	.size = sizeof(struct fi_ops_eq),
	.read = weft_eq_read,
	.readerr = weft_eq_readerr,
	.write = weft_eq_write,
	.sread = weft_eq_sread,
	.strerror = weft_eq_strerror,
};

int weft_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		 struct fid_eq **eq_p, void *context)
{
	enum fi_wait_obj obj = attr ? attr->wait_obj : FI_WAIT_UNSPEC;
	struct weft_eq *eq;
	int ret;

	if (obj != FI_WAIT_NONE && obj != FI_WAIT_UNSPEC && obj != FI_WAIT_FD &&
	    obj != FI_WAIT_YIELD)
		return -FI_ENOSYS;
	if (attr && attr->flags & ~(FI_WRITE | FI_AFFINITY))
		return -FI_EBADFLAGS;
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return -FI_ENOMEM;
	eq->event_fd = -1;
	if (obj == FI_WAIT_FD) {
		eq->event_fd = weft_event_fd_open();
		if (eq->event_fd < 0) {
			ret = (int)weft_ofi_err(eq->event_fd);
			free(eq);
			return ret;
		}
	}
	eq->fid.fid.fclass = FI_CLASS_EQ;
	eq->fid.fid.context = context;
	eq->fid.fid.ops = &fid_ops;
	eq->fid.ops = &eq_ops;
	eq->fabric = weft_container_of(fabric, struct weft_fabric, fid);
	eq->obj = obj;
	weft_list_init(&eq->events);
	pthread_mutex_init(&eq->mutex, NULL);
	weft_ref_get(&eq->fabric->ref);
	*eq_p = &eq->fid;
	return 0;
}
