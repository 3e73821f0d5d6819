/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics and domains: supported and refused options, and closing. */
#include "prov/ofi/weft_fabric.h"
#include "test/support/weft_fake.h"
#include "prov/ofi/ep/weft_progress.h"
#include "test/t.h"

#include <rdma/fi_ext_weft.h>

static void several_domains_keep_the_fabric_open(void **state)
{
	struct fid_domain *more[2];
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_domain(f.fabric, f.info, &more[0], NULL));
	T_OK(fi_domain(f.fabric, f.info, &more[1], NULL));
	T_IS(fi_close(&f.fabric->fid), -FI_EBUSY);
	T_OK(fi_close(&more[0]->fid));
	T_OK(fi_close(&more[1]->fid));
	fake_close(&f);
}

static void a_domain_in_use_cannot_be_closed(void **state)
{
	struct fid_cq *cq;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_cq_open(f.domain, NULL, &cq, NULL));
	T_IS(fi_close(&f.domain->fid), -FI_EBUSY);
	T_OK(fi_close(&cq->fid));
	fake_close(&f);
}

static void an_unknown_fabric_name_is_refused(void **state)
{
	struct fi_fabric_attr attr = { .name = "ethernet" };
	struct fid_domain *domain;
	struct fid_fabric *fabric;
	struct fake f;

	T_IS(weft_fabric_open(&attr, &fabric, NULL), -FI_ENODATA);
	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	f.info->domain_attr->name[0] = 'X';
	T_IS(fi_domain(f.fabric, f.info, &domain, NULL), -FI_EINVAL);
	fake_close(&f);
}

static void unsupported_calls_are_refused(void **state)
{
	struct fi_collective_attr coll = { 0 };
	struct fid_pep *pep;
	struct fid_wait *wait;
	struct fid_stx *stx;
	struct fid_ep *ep;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_IS(fi_passive_ep(f.fabric, f.info, &pep, NULL), -FI_ENOSYS);
	T_IS(f.fabric->ops->wait_open(f.fabric, NULL, &wait), -FI_ENOSYS);
	T_IS(fi_scalable_ep(f.domain, f.info, &ep, NULL), -FI_ENOSYS);
	T_IS(fi_stx_context(f.domain, NULL, &stx, NULL), -FI_ENOSYS);
	T_IS(fi_srx_context(f.domain, NULL, &ep, NULL), -FI_ENOSYS);
	T_IS(fi_query_collective(f.domain, FI_BARRIER, &coll, 0),
	     -FI_EOPNOTSUPP);
	T_IS(fi_control(&f.domain->fid, FI_ALIAS, NULL), -FI_ENOSYS);
	fake_close(&f);
}

static void the_lock_is_taken_only_if_threads_share_the_domain(void **state)
{
	static const struct {
		enum fi_threading threading;
		enum fi_progress progress;
		bool threaded;
	} row[] = {
		{ FI_THREAD_SAFE, FI_PROGRESS_MANUAL, true },
		{ FI_THREAD_FID, FI_PROGRESS_MANUAL, true },
		{ FI_THREAD_ENDPOINT, FI_PROGRESS_MANUAL, true },
		{ FI_THREAD_COMPLETION, FI_PROGRESS_MANUAL, true },
		{ FI_THREAD_UNSPEC, FI_PROGRESS_UNSPEC, true },
		{ FI_THREAD_DOMAIN, FI_PROGRESS_MANUAL, false },
		{ FI_THREAD_DOMAIN, FI_PROGRESS_UNSPEC, false },
		{ FI_THREAD_DOMAIN, FI_PROGRESS_AUTO, true },
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(row); i++) {
		struct weft_domain *d;
		struct fake f;

		fake_open(&f, row[i].threading, row[i].progress);
		d = weft_container_of(f.domain, struct weft_domain, fid);
		T_IS(d->threaded, row[i].threaded);
		fake_close(&f);
	}
}

static void a_poll_set_returns_ready_members(void **state)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_cq_tagged_entry e;
	struct fid_poll *set;
	struct fid_cntr *cntr;
	struct fid_cq *cq;
	struct fake_ep *ep;
	void *context[3];
	struct fake f;
	int a, b;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_cq_open(f.domain, &attr, &cq, &a));
	T_OK(fi_cntr_open(f.domain, NULL, &cntr, &b));
	ep = fake_ep_open(&f, cq, cntr, NULL);
	T_OK(fi_poll_open(f.domain, NULL, &set));
	T_OK(fi_poll_add(set, &cq->fid, 0));
	T_OK(fi_poll_add(set, &cntr->fid, 0));
	T_IS(fi_poll_add(set, &f.domain->fid, 0), -FI_EINVAL);
	T_IS(fi_close(&cq->fid), -FI_EBUSY);
	T_IS(fi_poll(set, context, 3), 0);
	fake_arrive(ep, 1);
	T_IS(fi_poll(set, context, 3), 2);
	T_PTR(context[0], &a);
	T_PTR(context[1], &b);
	/* the counter has been reported; the CQ entry is still unread */
	T_IS(fi_poll(set, context, 3), 1);
	T_PTR(context[0], &a);
	T_IS(fi_cq_read(cq, &e, 1), 1);
	T_IS(fi_poll(set, context, 3), 0);
	T_OK(fi_poll_del(set, &cq->fid, 0));
	T_IS(fi_poll_del(set, &cq->fid, 0), -FI_EINVAL);
	T_OK(fi_close(&set->fid));
	fake_ep_close(ep);
	T_OK(fi_close(&cq->fid));
	T_OK(fi_close(&cntr->fid));
	fake_close(&f);
}

static void clock_and_statistics_are_opened_by_name(void **state)
{
	struct fi_weft_stats_data data = { 0 };
	struct fi_weft_clock *clock;
	struct fi_weft_stats *stats;
	struct fake_ep *ep;
	uint64_t before;
	struct fake f;
	void *ops;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	ep = fake_ep_open(&f, NULL, NULL, NULL);
	T_OK(fi_open_ops(&f.domain->fid, FI_WEFT_CLOCK, 0, (void **)&clock,
			 NULL));
	before = clock->now_ps(&f.domain->fid);
	T_TRUE(clock->now_ps(&f.domain->fid) >= before);
	T_TRUE(clock->tick_ps(&f.domain->fid) > 0);
	T_OK(fi_open_ops(&f.domain->fid, FI_WEFT_STATS, 0, (void **)&stats,
			 NULL));
	fake_arrive(ep, 4);
	weft_domain_progress(ep->ep.domain);
	T_IS(stats->read(&f.domain->fid, &data, sizeof(data)), sizeof(data));
	T_IS(data.packets_received, 4);
	T_IS(data.unexpected_now, 3);
	T_IS(stats->read(&ep->ep.fid.fid, &data, 16), 16);
	T_IS(fi_open_ops(&f.domain->fid, "weft_none", 0, &ops, NULL),
	     -FI_ENOSYS);
	fake_ep_close(ep);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(several_domains_keep_the_fabric_open),
		T_CASE(a_domain_in_use_cannot_be_closed),
		T_CASE(an_unknown_fabric_name_is_refused),
		T_CASE(unsupported_calls_are_refused),
		T_CASE(the_lock_is_taken_only_if_threads_share_the_domain),
		T_CASE(a_poll_set_returns_ready_members),
		T_CASE(clock_and_statistics_are_opened_by_name),
	};
	return T_RUN(tests);
}
