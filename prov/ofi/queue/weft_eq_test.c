/* SPDX-License-Identifier: BSD-3-Clause */
/* Event queues: order, errors, waiting. */
#include "prov/ofi/queue/weft_eq.h"
#include "test/support/weft_fake.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <poll.h>

static struct fid_eq *eq_open(struct fake *f, enum fi_wait_obj obj)
{
	struct fi_eq_attr attr = { .size = 32,
				   .flags = FI_WRITE,
				   .wait_obj = obj };
	struct fid_eq *eq;

	T_OK(fi_eq_open(f->fabric, &attr, &eq, NULL));
	return eq;
}

static void post(struct fid_eq *eq, uint32_t event, uint64_t data)
{
	struct fi_eq_entry e = { .fid = &eq->fid, .data = data };

	T_IS(fi_eq_write(eq, event, &e, sizeof(e), 0), sizeof(e));
}

static void events_are_read_in_order_and_peek_keeps_them(void **state)
{
	struct fi_eq_entry e;
	struct fid_eq *eq;
	uint32_t event;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	eq = eq_open(&f, FI_WAIT_NONE);
	T_AGAIN(fi_eq_read(eq, &event, &e, sizeof(e), 0));
	/* more events than the requested size: none is lost */
	for (uint64_t i = 0; i < 100; i++)
		post(eq, FI_NOTIFY, i);
	for (uint64_t i = 0; i < 100; i++) {
		T_IS(fi_eq_read(eq, &event, &e, sizeof(e), FI_PEEK), sizeof(e));
		T_IS(e.data, i);
		T_IS(fi_eq_read(eq, &event, &e, sizeof(e), 0), sizeof(e));
		T_IS(event, FI_NOTIFY);
		T_IS(e.data, i);
		T_PTR(e.fid, &eq->fid);
	}
	T_AGAIN(fi_eq_read(eq, &event, &e, sizeof(e), 0));
	T_OK(fi_close(&eq->fid));
	fake_close(&f);
}

static void a_read_with_a_short_buffer_removes_the_event(void **state)
{
	uint32_t event = 0;
	struct fid_eq *eq;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	eq = eq_open(&f, FI_WAIT_NONE);
	post(eq, FI_JOIN_COMPLETE, 1);
	T_IS(fi_eq_read(eq, &event, NULL, 0, 0), 0);
	T_IS(event, FI_JOIN_COMPLETE);
	T_AGAIN(fi_eq_read(eq, &event, NULL, 0, 0));
	T_OK(fi_close(&eq->fid));
	fake_close(&f);
}

static void an_error_is_read_by_readerr_only(void **state)
{
	struct fi_eq_err_entry err;
	struct fi_eq_entry e;
	struct fid_eq *eq;
	uint32_t event;
	struct fake f;
	int context;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	eq = eq_open(&f, FI_WAIT_UNSPEC);
	T_AGAIN(fi_eq_readerr(eq, &err, 0));
	T_OK(weft_eq_post_err(weft_eq_of(&eq->fid), &f.domain->fid, &context,
			      EINVAL, 9));
	T_IS(fi_eq_read(eq, &event, &e, sizeof(e), 0), -FI_EAVAIL);
	T_IS(fi_eq_sread(eq, &event, &e, sizeof(e), -1, 0), -FI_EAVAIL);
	T_IS(fi_eq_readerr(eq, &err, 0), sizeof(err));
	T_IS(err.err, FI_EINVAL);
	T_IS(err.data, 9);
	T_PTR(err.context, &context);
	T_PTR(err.fid, &f.domain->fid);
	T_AGAIN(fi_eq_readerr(eq, &err, 0));
	T_OK(fi_close(&eq->fid));
	fake_close(&f);
}

static void a_blocking_read_times_out(void **state)
{
	struct fi_eq_entry e;
	struct fid_eq *eq;
	uint32_t event;
	uint64_t start = weft_now_ns();
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	eq = eq_open(&f, FI_WAIT_UNSPEC);
	T_AGAIN(fi_eq_sread(eq, &event, &e, sizeof(e), 20, 0));
	T_TRUE(weft_now_ns() - start >= 20000000u);
	T_OK(fi_close(&eq->fid));
	fake_close(&f);
}

static void *post_one(void *arg)
{
	post(arg, FI_NOTIFY, 42);
	return NULL;
}

static void an_event_wakes_a_blocked_thread(void **state)
{
	struct fi_eq_entry e = { 0 };
	struct fid_eq *eq;
	uint32_t event;
	struct fake f;
	pthread_t t;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	eq = eq_open(&f, FI_WAIT_UNSPEC);
	T_OK(pthread_create(&t, NULL, post_one, eq));
	T_IS(fi_eq_sread(eq, &event, &e, sizeof(e), -1, 0), sizeof(e));
	T_IS(e.data, 42);
	pthread_join(t, NULL);
	T_OK(fi_close(&eq->fid));
	fake_close(&f);
}

static void the_descriptor_is_readable_while_events_are_queued(void **state)
{
	struct pollfd p = { .events = POLLIN };
	struct fi_eq_entry e;
	struct fid_eq *eq;
	struct fid *fid;
	uint32_t event;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	eq = eq_open(&f, FI_WAIT_FD);
	fid = &eq->fid;
	T_OK(fi_control(fid, FI_GETWAIT, &p.fd));
	T_OK(fi_trywait(f.fabric, &fid, 1));
	T_IS(poll(&p, 1, 0), 0);
	post(eq, FI_NOTIFY, 0);
	post(eq, FI_NOTIFY, 1);
	T_IS(poll(&p, 1, 0), 1);
	T_AGAIN(fi_trywait(f.fabric, &fid, 1));
	T_IS(fi_eq_read(eq, &event, &e, sizeof(e), 0), sizeof(e));
	T_IS(poll(&p, 1, 0), 1);
	T_IS(fi_eq_sread(eq, &event, &e, sizeof(e), -1, 0), sizeof(e));
	T_IS(poll(&p, 1, 0), 0);
	T_OK(fi_close(fid));
	fake_close(&f);
}

static void a_bound_queue_cannot_be_closed(void **state)
{
	struct fid_eq *eq;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	eq = eq_open(&f, FI_WAIT_NONE);
	T_OK(fi_domain_bind(f.domain, &eq->fid, 0));
	T_IS(fi_close(&eq->fid), -FI_EBUSY);
	T_IS(fi_close(&f.fabric->fid), -FI_EBUSY);
	T_OK(fi_close(&f.domain->fid));
	T_OK(fi_close(&eq->fid));
	T_OK(fi_close(&f.fabric->fid));
	fi_freeinfo(f.info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(events_are_read_in_order_and_peek_keeps_them),
		T_CASE(a_read_with_a_short_buffer_removes_the_event),
		T_CASE(an_error_is_read_by_readerr_only),
		T_CASE(a_blocking_read_times_out),
		T_CASE(an_event_wakes_a_blocked_thread),
		T_CASE(the_descriptor_is_readable_while_events_are_queued),
		T_CASE(a_bound_queue_cannot_be_closed),
	};
	return T_RUN(tests);
}
