/* SPDX-License-Identifier: BSD-3-Clause */
/* Registered memory: keys, access, bounds, counters. */
#include "test/support/weft_fake.h"
#include "prov/ofi/weft_mr.h"
#include "test/t.h"

#define ALL (FI_REMOTE_READ | FI_REMOTE_WRITE)

static char memory[1000];

static struct weft_domain *domain_of(struct fake *f)
{
	return weft_container_of(f->domain, struct weft_domain, fid);
}

static int mr_find(struct fake *f, uint64_t key, uint64_t addr, size_t len,
		   uint64_t access)
{
	struct weft_mr_request want = { key, addr, len, access };
	struct weft_mr *mr;
	void *at = NULL;
	int err = weft_mr_find(domain_of(f), &want, &mr, &at);

	if (!err)
		T_PTR(at, memory + (addr - mr->start));
	return err;
}

static void user_keys_are_kept_and_unique(void **state)
{
	static const uint64_t keys[] = { 0, 1, 0xdeadbeefcafe1234, 1ull << 63 };
	struct fid_mr *mr[4], *again;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	for (int i = 0; i < 4; i++) {
		T_OK(fi_mr_reg(f.domain, memory, 10, ALL, 0, keys[i], 0, &mr[i],
			       NULL));
		T_TRUE(fi_mr_key(mr[i]) == keys[i]);
	}
	T_IS(fi_mr_reg(f.domain, memory, 10, ALL, 0, 1, 0, &again, NULL),
	     -FI_ENOKEY);
	T_IS(fi_mr_reg(f.domain, memory, 10, ALL, 0, FI_KEY_NOTAVAIL, 0, &again,
		       NULL),
	     -FI_EKEYREJECTED);
	T_IS(fi_close(&f.domain->fid), -FI_EBUSY);
	for (int i = 0; i < 4; i++)
		T_OK(fi_close(&mr[i]->fid));
	T_OK(fi_mr_reg(f.domain, memory, 10, ALL, 0, 1, 0, &again, NULL));
	T_OK(fi_close(&again->fid));
	fake_close(&f);
}

static void accesses_out_of_bounds_or_without_rights_are_refused(void **state)
{
	struct fid_mr *mr, *ro;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_mr_reg(f.domain, memory, 1000, ALL, 0, 7, 0, &mr, NULL));
	T_OK(fi_mr_reg(f.domain, memory, 1000, FI_REMOTE_READ, 0, 8, 0, &ro,
		       NULL));
	T_OK(mr_find(&f, 7, 0, 1000, ALL));
	T_OK(mr_find(&f, 7, 999, 1, ALL));
	T_OK(mr_find(&f, 7, 1000, 0, ALL));
	T_IS(mr_find(&f, 7, 1000, 1, ALL), -EFAULT);
	T_IS(mr_find(&f, 7, 1, 1000, ALL), -EFAULT);
	T_IS(mr_find(&f, 7, UINT64_MAX, 1, ALL), -EFAULT);
	T_IS(mr_find(&f, 7, 500, SIZE_MAX, ALL), -EFAULT);
	T_IS(mr_find(&f, 9, 0, 1, ALL), -ENOKEY);
	T_OK(mr_find(&f, 8, 0, 1, FI_REMOTE_READ));
	T_IS(mr_find(&f, 8, 0, 1, FI_REMOTE_WRITE), -EACCES);
	T_OK(fi_close(&mr->fid));
	T_IS(mr_find(&f, 7, 0, 1, ALL), -ENOKEY);
	T_OK(fi_close(&ro->fid));
	fake_close(&f);
}

static void basic_mode_uses_provider_keys_and_virtual_addresses(void **state)
{
	uint64_t base = (uintptr_t)memory;
	struct fid_domain *user_keys;
	struct fid_mr *a, *b;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	user_keys = f.domain;
	f.info->domain_attr->mr_mode = FI_MR_BASIC;
	T_OK(fi_domain(f.fabric, f.info, &f.domain, NULL));
	T_OK(fi_mr_reg(f.domain, memory, 100, ALL, 0, 5, 0, &a, NULL));
	T_OK(fi_mr_reg(f.domain, memory, 100, ALL, 0, 5, 0, &b, NULL));
	T_TRUE(fi_mr_key(a) != fi_mr_key(b));
	T_OK(mr_find(&f, fi_mr_key(a), base + 10, 90, ALL));
	T_IS(mr_find(&f, fi_mr_key(a), base - 1, 1, ALL), -EFAULT);
	T_IS(mr_find(&f, fi_mr_key(a), 0, 1, ALL), -EFAULT);
	T_OK(fi_close(&a->fid));
	T_OK(fi_close(&b->fid));
	T_OK(fi_close(&user_keys->fid));
	fake_close(&f);
}

static void all_three_registration_calls_agree(void **state)
{
	struct iovec iov[2] = { { memory, 10 }, { memory + 20, 10 } };
	struct fi_mr_attr attr = { .mr_iov = iov,
				   .iov_count = 1,
				   .access = FI_REMOTE_READ,
				   .requested_key = 3,
				   .context = memory };
	struct fid_mr *v, *a;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_mr_regv(f.domain, iov, 1, ALL, 0, 2, 0, &v, NULL));
	T_IS(fi_mr_regv(f.domain, iov, 2, ALL, 0, 4, 0, &a, NULL), -FI_EINVAL);
	T_OK(fi_mr_regattr(f.domain, &attr, 0, &a));
	T_PTR(a->fid.context, attr.context);
	T_IS(fi_mr_regattr(f.domain, &attr, 1ull << 60, &a), -FI_EBADFLAGS);
	T_OK(fi_mr_enable(v));
	T_OK(mr_find(&f, 2, 0, 10, ALL));
	T_OK(mr_find(&f, 3, 0, 10, FI_REMOTE_READ));
	T_OK(fi_close(&v->fid));
	T_OK(fi_close(&a->fid));
	fake_close(&f);
}

static void a_bound_counter_counts_and_cannot_be_closed(void **state)
{
	struct fid_cntr *cntr;
	struct fid_mr *mr;
	struct weft_mr *m;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_cntr_open(f.domain, NULL, &cntr, NULL));
	T_OK(fi_mr_reg(f.domain, memory, 10, ALL, 0, 1, FI_RMA_EVENT, &mr,
		       NULL));
	T_OK(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_WRITE));
	T_IS(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_WRITE), -FI_EINVAL);
	T_IS(fi_close(&cntr->fid), -FI_EBUSY);
	m = weft_container_of(mr, struct weft_mr, fid);
	weft_mr_event(m, FI_REMOTE_WRITE);
	weft_mr_event(m, FI_REMOTE_READ);
	T_IS(fi_cntr_read(cntr), 1);
	T_OK(fi_close(&mr->fid));
	T_OK(fi_close(&cntr->fid));
	fake_close(&f);
}

static void regions_are_listed_for_peers_until_closed(void **state)
{
	struct fid_mr *early, *late, *local;
	struct fake_ep *ep;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_mr_reg(f.domain, memory, 10, ALL, 0, 1, 0, &early, NULL));
	ep = fake_ep_open(&f, NULL, NULL, NULL);
	T_IS(ep->exposed, 1);
	T_OK(fi_mr_reg(f.domain, memory, 10, ALL, 0, 2, 0, &late, NULL));
	T_OK(fi_mr_reg(f.domain, memory, 10, FI_READ, 0, 3, 0, &local, NULL));
	T_IS(ep->exposed, 2);
	T_OK(fi_close(&early->fid));
	T_OK(fi_close(&late->fid));
	T_IS(ep->exposed, 0);
	T_OK(fi_close(&local->fid));
	fake_ep_close(ep);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(user_keys_are_kept_and_unique),
		T_CASE(accesses_out_of_bounds_or_without_rights_are_refused),
		T_CASE(basic_mode_uses_provider_keys_and_virtual_addresses),
		T_CASE(all_three_registration_calls_agree),
		T_CASE(a_bound_counter_counts_and_cannot_be_closed),
		T_CASE(regions_are_listed_for_peers_until_closed),
	};
	return T_RUN(tests);
}
