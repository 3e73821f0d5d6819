/* SPDX-License-Identifier: BSD-3-Clause */
/* Fences of ranks on several hosts (run_fence.h). */
#include "src/tools/run/daemon/run_fence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_member(struct run_fence *f, int host)
{
	if (f->host[host].member)
		return;
	f->host[host].member = true;
	f->missing++;
}

/* Finds the hosts of the ranks in the signature. */
static int find_members(struct run_fence *f, const struct run_layout *l)
{
	struct run_scan s = { .at = f->signature.data,
			      .left = f->signature.len };
	uint32_t rank;
	int host;

	while (s.left) {
		rank = run_scan_u32(&s);
		if (s.bad)
			return -EPROTO;
		for (int i = 0; rank == RUN_FENCE_ALL && i < l->nhosts; i++)
			add_member(f, i);
		if (rank == RUN_FENCE_ALL)
			continue;
		host = rank < (uint32_t)l->nranks
			       ? run_layout_host_of(l, (int)rank)
			       : -1;
		if (host < 0)
			return -EPROTO;
		add_member(f, host);
	}
	return 0;
}

static struct run_fence *fence_find(struct run_fences *f, const char *signature,
				    size_t len)
{
	struct run_fence *p = f->list;

	while (p && (p->signature.len != len ||
		     memcmp(p->signature.data, signature, len)))
		p = p->next;
	return p;
}

static int fence_new(struct run_fences *f, const struct run_layout *l,
		     const char *signature, size_t len,
		     struct run_fence **fence_p)
{
	struct run_fence *p = calloc(1, sizeof(*p));
	int err = p ? 0 : -ENOMEM;

	if (err)
		return err;
	run_bytes_add(&p->signature, signature, len);
	p->host = calloc((size_t)l->nhosts, sizeof(*p->host));
	p->nhosts = l->nhosts;
	err = p->host && !p->signature.lost ? find_members(p, l) : -ENOMEM;
	if (err) {
		run_fence_free(p);
		return err;
	}
	p->next = f->list;
	f->list = p;
	*fence_p = p;
	return 0;
}

static void fence_remove(struct run_fences *f, struct run_fence *fence)
{
	struct run_fence **at = &f->list;

	while (*at != fence)
		at = &(*at)->next;
	*at = fence->next;
}

int run_fence_arrive(struct run_fences *f, const struct run_layout *l, int host,
		     struct run_scan *body, struct run_fence **done_p)
{
	size_t sig_len, len;
	const char *signature = run_scan_block(body, &sig_len);
	const char *data = run_scan_block(body, &len);
	struct run_fence *p;
	int err = 0;

	if (body->bad || !sig_len)
		return -EPROTO;
	p = fence_find(f, signature, sig_len);
	if (!p)
		err = fence_new(f, l, signature, sig_len, &p);
	if (err)
		return err;
	if (!p->host[host].member || p->host[host].arrived)
		return -EPROTO;
	p->host[host].arrived = true;
	run_bytes_add(&p->host[host].data, data, len);
	if (p->host[host].data.lost)
		return -ENOMEM;
	if (--p->missing)
		return 0;
	fence_remove(f, p);
	*done_p = p;
	return 1;
}

void run_fence_write(const struct run_fence *f, struct run_bytes *b)
{
	struct run_bytes all = { 0 };

	for (int i = 0; i < f->nhosts; i++)
		run_bytes_add(&all, f->host[i].data.data, f->host[i].data.len);
	run_bytes_block(b, f->signature.data, f->signature.len);
	run_bytes_u32(b, 0);
	run_bytes_block(b, all.data, all.len);
	b->lost = b->lost || all.lost;
	run_bytes_free(&all);
}

bool run_fence_waits_for(const struct run_fences *f, int host)
{
	for (const struct run_fence *p = f->list; p; p = p->next)
		if (p->host[host].member && !p->host[host].arrived)
			return true;
	return false;
}

void run_fence_free(struct run_fence *f)
{
	for (int i = 0; f->host && i < f->nhosts; i++)
		run_bytes_free(&f->host[i].data);
	free(f->host);
	run_bytes_free(&f->signature);
	free(f);
}
