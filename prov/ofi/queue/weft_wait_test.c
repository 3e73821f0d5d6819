/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting in queues and counters, by many threads and by file descriptor. */
#include "test/support/weft_fake.h"
#include "test/t.h"

#define READERS 4

struct reader {
	struct fid_cq *cq;
	weft_au32 *left; /* number of entries not read yet */
	uint32_t got;
};

static void *read_blocking(void *arg)
{
	struct reader *r = arg;
	struct fi_cq_tagged_entry e;

	while (weft_load32(r->left)) {
		ssize_t n = fi_cq_sread(r->cq, &e, 1, NULL, 100);

		if (n != 1)
			continue;
		r->got++;
		/* the reader of the last entry wakes the others */
		if (weft_add32(r->left, (uint32_t)-1) == 1)
			for (int i = 0; i < READERS; i++)
				fi_cq_signal(r->cq);
	}
	fi_cq_signal(r->cq);
	return NULL;
}

/* Packets arrive at ep_count endpoints; each thread blocks on one queue. */
static void blocked_readers(enum fi_progress progress, int ep_count, bool no_fd)
{
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
	weft_au32 left = (uint32_t)t_scale(4000);
	uint32_t total = weft_load32(&left), got = 0;
	struct reader r[READERS];
	struct fake_ep *ep[3];
	pthread_t t[READERS];
	struct fid_cq *cq[READERS];
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, progress);
	f.no_fd = no_fd;
	for (int i = 0; i < ep_count; i++) {
		T_OK(fi_cq_open(f.domain, &attr, &cq[i], NULL));
		ep[i] = fake_ep_open(&f, cq[i], NULL, NULL);
	}
	for (int i = 0; i < READERS; i++) {
		r[i] = (struct reader){ cq[i % ep_count], &left, 0 };
		T_OK(pthread_create(&t[i], NULL, read_blocking, &r[i]));
	}
	for (uint32_t i = 0; i < total; i++) {
		fake_arrive(ep[i % (uint32_t)ep_count], 1);
		if (i % 64 == 0)
			sched_yield();
	}
	for (int i = 0; i < READERS; i++) {
		pthread_join(t[i], NULL);
		got += r[i].got;
	}
	T_IS(got, total);
	for (int i = 0; i < ep_count; i++) {
		fake_ep_close(ep[i]);
		T_OK(fi_close(&cq[i]->fid));
	}
	fake_close(&f);
}

static void threads_block_on_one_queue(void **state)
{
	blocked_readers(FI_PROGRESS_MANUAL, 1, false);
}

static void threads_block_on_queues_of_several_endpoints(void **state)
{
	blocked_readers(FI_PROGRESS_MANUAL, 3, false);
}

static void threads_block_on_carriers_without_descriptor(void **state)
{
	blocked_readers(FI_PROGRESS_MANUAL, 2, true);
}

static void the_progress_thread_wakes_blocked_threads(void **state)
{
	blocked_readers(FI_PROGRESS_AUTO, 1, false);
	blocked_readers(FI_PROGRESS_AUTO, 3, false);
}

static int counted(void *arg)
{
	struct weft_cntr *cntr = arg;

	return weft_load64(&cntr->value) == 5;
}

static void automatic_progress_needs_no_call(void **state)
{
	struct fid_cntr *cntr;
	struct fake_ep *ep;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_AUTO);
	T_OK(fi_cntr_open(f.domain, NULL, &cntr, NULL));
	ep = fake_ep_open(&f, NULL, cntr, NULL);
	fake_arrive(ep, 5);
	t_until(counted, weft_container_of(cntr, struct weft_cntr, fid), 10);
	fake_ep_close(ep);
	T_OK(fi_close(&cntr->fid));
	fake_close(&f);
}

static void *lock_often(void *arg)
{
	struct weft_domain *d = arg;

	for (int i = 0; i < t_scale(100000); i++) {
		weft_enter(d);
		d->next_key++;
		weft_leave(d);
	}
	return NULL;
}

static void the_mutex_excludes_other_threads(void **state)
{
	struct weft_domain d = { .threaded = true };

	t_threads(4, lock_often, &d, 0);
	T_IS(d.next_key, 4 * (uint64_t)t_scale(100000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_mutex_excludes_other_threads),
		T_CASE(threads_block_on_one_queue),
		T_CASE(threads_block_on_queues_of_several_endpoints),
		T_CASE(threads_block_on_carriers_without_descriptor),
		T_CASE(the_progress_thread_wakes_blocked_threads),
		T_CASE(automatic_progress_needs_no_call),
	};
	return T_RUN(tests);
}
