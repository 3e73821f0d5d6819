/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: a number of successes and a number of failures. Reading a counter
 * makes progress, as reading a completion queue does; waiting uses the same
 * functions as completion queues.
 */
#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/ep/weft_progress.h"
#include "prov/ofi/queue/weft_wait.h"

#include <stdlib.h>

static struct weft_cntr *to_cntr(struct fid_cntr *fid)
{
	return weft_container_of(fid, struct weft_cntr, fid);
}

void weft_cntr_count_err(struct weft_cntr *cntr)
{
	if (!cntr)
		return;
	weft_add64(&cntr->errors, 1);
	weft_watch_notify(&cntr->watch);
}

static uint64_t progress_and_read(struct weft_cntr *cntr, weft_au64 *number)
{
	uint64_t v;

	weft_enter(cntr->domain);
	weft_domain_progress(cntr->domain);
	v = weft_load64(number);
	weft_leave(cntr->domain);
	return v;
}

static uint64_t weft_cntr_read(struct fid_cntr *fid)
{
	return progress_and_read(to_cntr(fid), &to_cntr(fid)->value);
}

static uint64_t weft_cntr_readerr(struct fid_cntr *fid)
{
	return progress_and_read(to_cntr(fid), &to_cntr(fid)->errors);
}

/*
 * Adds `value` to one of the two numbers, or sets it to `value`; wakes waiters.
 */
static int cntr_change(struct weft_cntr *cntr, weft_au64 *number, bool add,
		       uint64_t value)
{
	weft_enter(cntr->domain);
	weft_store64(number, (add ? weft_load64(number) : 0) + value);
	weft_watch_notify(&cntr->watch);
	weft_leave(cntr->domain);
	return 0;
}

static int weft_cntr_add(struct fid_cntr *fid, uint64_t value)
{
	return cntr_change(to_cntr(fid), &to_cntr(fid)->value, true, value);
}

static int weft_cntr_set(struct fid_cntr *fid, uint64_t value)
{
	return cntr_change(to_cntr(fid), &to_cntr(fid)->value, false, value);
}

static int weft_cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	return cntr_change(to_cntr(fid), &to_cntr(fid)->errors, true, value);
}

static int weft_cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	return cntr_change(to_cntr(fid), &to_cntr(fid)->errors, false, value);
}

static int weft_cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
	struct weft_cntr *cntr = to_cntr(fid);
	uint64_t deadline = weft_deadline(cntr->domain, timeout);
	uint64_t errors;
	int ret = 0;

	weft_enter(cntr->domain);
	errors = weft_load64(&cntr->errors);
	for (;;) {
		weft_domain_progress(cntr->domain);
		if (weft_load64(&cntr->value) >= threshold)
			break;
		if (weft_load64(&cntr->errors) != errors)
			ret = -FI_EAVAIL;
		else
			ret = (int)weft_ofi_err(
				weft_watch_wait(&cntr->watch, deadline));
		if (ret && ret != -FI_EAGAIN)
			break;
	}
	weft_watch_end(&cntr->watch);
	weft_leave(cntr->domain);
	return ret;
}

int weft_cntr_trywait(struct weft_cntr *cntr)
{
	uint64_t before = weft_load64(&cntr->value);
	int ret;

	weft_enter(cntr->domain);
	weft_domain_progress(cntr->domain);
	ret = weft_load64(&cntr->value) != before
		      ? -EAGAIN
		      : weft_watch_arm(&cntr->watch);
	weft_leave(cntr->domain);
	return ret;
}

static int weft_cntr_close(struct fid *fid)
{
	struct weft_cntr *cntr =
		weft_container_of(fid, struct weft_cntr, fid.fid);

	if (weft_load32(&cntr->ref))
		return -FI_EBUSY;
	weft_watch_close(&cntr->watch);
	weft_ref_put(&cntr->domain->ref);
	free(cntr);
	return 0;
}

static int weft_cntr_control(struct fid *fid, int command, void *arg)
{
	struct weft_cntr *cntr =
		weft_container_of(fid, struct weft_cntr, fid.fid);

	return weft_watch_control(&cntr->watch, command, arg);
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_cntr_close,
	.bind = weft_nosys_bind,
	.control = weft_cntr_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_cntr cntr_ops = {
	.size = sizeof(struct fi_ops_cntr),
	.read = weft_cntr_read,
	.readerr = weft_cntr_readerr,
	.add = weft_cntr_add,
	.set = weft_cntr_set,
	.wait = weft_cntr_wait,
	.adderr = weft_cntr_adderr,
	.seterr = weft_cntr_seterr,
};

int weft_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		   struct fid_cntr **cntr_p, void *context)
{
	struct weft_cntr *cntr;
	int err;

	if (attr && attr->events != FI_CNTR_EVENTS_COMP)
		return -FI_ENOSYS;
	if (attr && attr->flags)
		return -FI_EBADFLAGS;
	cntr = calloc(1, sizeof(*cntr));
	if (!cntr)
		return -FI_ENOMEM;
	cntr->fid.fid.fclass = FI_CLASS_CNTR;
	cntr->fid.fid.context = context;
	cntr->fid.fid.ops = &fid_ops;
	cntr->fid.ops = &cntr_ops;
	cntr->domain = weft_container_of(domain, struct weft_domain, fid);
	err = weft_watch_open(&cntr->watch, cntr->domain,
			      attr ? attr->wait_obj : FI_WAIT_UNSPEC);
	if (err) {
		free(cntr);
		return (int)weft_ofi_err(err);
	}
	weft_ref_get(&cntr->domain->ref);
	*cntr_p = &cntr->fid;
	return 0;
}
