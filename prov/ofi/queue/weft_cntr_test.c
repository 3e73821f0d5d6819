/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters: counting, waiting, thresholds, errors. */
#include "test/support/weft_fake.h"
#include "test/t.h"

static struct fid_cntr *cntr_open(struct fake *f, enum fi_wait_obj obj)
{
	struct fi_cntr_attr attr = { .wait_obj = obj };
	struct fid_cntr *cntr;

	T_OK(fi_cntr_open(f->domain, &attr, &cntr, NULL));
	return cntr;
}

static void numbers_are_added_set_and_read(void **state)
{
	struct fid_cntr *cntr;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	cntr = cntr_open(&f, FI_WAIT_UNSPEC);
	T_IS(fi_cntr_read(cntr), 0);
	T_OK(fi_cntr_set(cntr, 5));
	T_OK(fi_cntr_add(cntr, 7));
	T_IS(fi_cntr_read(cntr), 12);
	T_IS(fi_cntr_readerr(cntr), 0);
	T_OK(fi_cntr_seterr(cntr, 2));
	T_OK(fi_cntr_adderr(cntr, 3));
	T_IS(fi_cntr_readerr(cntr), 5);
	T_IS(fi_cntr_read(cntr), 12);
	T_OK(fi_close(&cntr->fid));
	fake_close(&f);
}

static void a_wait_ends_on_threshold_timeout_or_error(void **state)
{
	struct fid_cntr *cntr;
	struct fake_ep *ep;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	cntr = cntr_open(&f, FI_WAIT_UNSPEC);
	ep = fake_ep_open(&f, NULL, cntr, NULL);
	T_OK(fi_cntr_wait(cntr, 0, -1));
	T_IS(fi_cntr_wait(cntr, 1, 5), -FI_ETIMEDOUT);
	fake_arrive(ep, 3);
	T_OK(fi_cntr_wait(cntr, 3, -1));
	T_IS(fi_cntr_read(cntr), 3);
	/* Earlier errors do not end a wait; the next error does. */
	T_OK(fi_cntr_adderr(cntr, 1));
	T_IS(fi_cntr_wait(cntr, 4, 5), -FI_ETIMEDOUT);
	fake_ep_close(ep);
	T_OK(fi_close(&cntr->fid));
	fake_close(&f);
}

struct waiter {
	struct fid_cntr *cntr;
	int ret;
};

static void *wait_for_ten(void *arg)
{
	struct waiter *w = arg;

	w->ret = fi_cntr_wait(w->cntr, 10, -1);
	return NULL;
}

static void an_error_ends_the_wait_of_another_thread(void **state)
{
	struct waiter w;
	struct fake f;
	pthread_t t;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	w.cntr = cntr_open(&f, FI_WAIT_UNSPEC);
	T_OK(pthread_create(&t, NULL, wait_for_ten, &w));
	/* end the wait whether or not the thread is blocked already */
	while (pthread_tryjoin_np(t, NULL))
		T_OK(fi_cntr_adderr(w.cntr, 1));
	T_IS(w.ret, -FI_EAVAIL);
	T_OK(fi_close(&w.cntr->fid));
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(numbers_are_added_set_and_read),
		T_CASE(a_wait_ends_on_threshold_timeout_or_error),
		T_CASE(an_error_ends_the_wait_of_another_thread),
	};
	return T_RUN(tests);
}
