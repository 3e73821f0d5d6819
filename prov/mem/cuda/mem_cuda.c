/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of NVIDIA GPUs, as a kind of memory (prov/mem/mem.h). Managed memory
 * and registered host memory can be accessed by the processor, and count as
 * host memory.
 */
#include "prov/mem/cuda/cuda_copy.h"
#include "prov/mem/cuda/cuda_home.h"
#include "prov/mem/cuda/cuda_kernel.h"
#include "prov/mem/cuda/cuda_share.h"
#include "prov/mem/mem.h"
#include "src/base/attr.h"

#include <errno.h>

bool weft_mem_cuda_possible(void)
{
	return cuda_driver_possible();
}

const void *const volatile *weft_mem_cuda_gate(void)
{
	return cuda_driver_gate();
}

static bool cuda_mine(const void *at)
{
	struct cuda_where w;

	return cuda_where(at, &w) && w.device;
}

static int cuda_alloc(size_t bytes, void **at_p)
{
	struct cuda_home *h = cuda_driver_load() ? cuda_home_enter(NULL) : NULL;
	cuda_addr at;
	int err;

	if (!h)
		return -ENOMEM;
	err = h->driver->alloc(&at, bytes) || h->driver->set_bytes(at, 0, bytes)
		      ? -ENOMEM
		      : 0;
	cuda_home_leave(h);
	if (!err)
		*at_p = (void *)(uintptr_t)at;
	return err;
}

static int cuda_free(void *at)
{
	struct cuda_home *h = cuda_mine(at) ? cuda_home_enter(at) : NULL;
	int err;

	if (!h)
		return -EINVAL;
	err = h->driver->free((uintptr_t)at) ? -EINVAL : 0;
	cuda_home_leave(h);
	return err;
}

static int cuda_in(void *to, const void *from, size_t bytes)
{
	struct cuda_home *h = cuda_home_enter(to);
	int err;

	if (!h)
		return -EIO;
	err = cuda_copy_in(h, to, from, bytes);
	cuda_home_leave(h);
	return err;
}

static int cuda_out(void *to, const void *from, size_t bytes)
{
	struct cuda_home *h = cuda_home_enter(from);
	int err;

	if (!h)
		return -EIO;
	err = cuda_copy_out(h, to, from, bytes);
	cuda_home_leave(h);
	return err;
}

static int cuda_move(const struct iovec *iov, size_t count, void *host, bool in)
{
	struct cuda_home *h = cuda_home_enter(count ? iov[0].iov_base : NULL);
	int err;

	if (!h)
		return -EIO;
	err = cuda_copy_move(h, iov, count, host, in);
	cuda_home_leave(h);
	return err;
}

/*
 * Returns -EOPNOTSUPP: the processor has no address for this memory, so it is
 * staged or shared.
 */
static int cuda_reach(void *at, size_t bytes, void **bus_p)
{
	return -EOPNOTSUPP;
}

static bool cuda_on_bus(uint64_t address)
{
	return false;
}

/* ---- memory of other processes ---- */

static int cuda_fetch(const struct weft_mem_share *s, uint64_t pos, void *to,
		      size_t bytes, uint32_t *ticket_p)
{
	struct cuda_where w = { .device = false };
	struct cuda_home *h;
	cuda_addr from;
	int err;

	if (pos > s->bytes || bytes > s->bytes - pos)
		return -EPROTO;
	cuda_where(to, &w);
	h = cuda_home_enter(w.device ? to : NULL);
	if (!h)
		return -EOPNOTSUPP;
	from = cuda_share_open(h, s);
	if (!from) {
		err = -EOPNOTSUPP;
	} else if (w.device) {
		err = cuda_copy_submit(h, to, from + pos, bytes, ticket_p);
	} else {
		*ticket_p = 0;
		err = cuda_copy_out(h, to, (void *)(uintptr_t)(from + pos),
				    bytes);
	}
	cuda_home_leave(h);
	return err;
}

static int cuda_fetched(uint32_t ticket)
{
	return cuda_home_passed(ticket);
}

static int cuda_opened(const struct weft_mem_share *s, void **at_p)
{
	struct cuda_home *h = cuda_home_enter(NULL);
	cuda_addr at;

	if (!h)
		return -EOPNOTSUPP;
	at = cuda_share_open(h, s);
	cuda_home_leave(h);
	*at_p = (void *)(uintptr_t)at;
	return at ? 0 : -EOPNOTSUPP;
}

static int cuda_store(const struct weft_mem_share *s, const void *from,
		      size_t bytes, uint32_t *ticket_p)
{
	struct cuda_home *h;
	cuda_addr to;
	int err = -EOPNOTSUPP;

	if (bytes > s->bytes)
		return -EPROTO;
	h = cuda_home_enter(from);
	if (!h)
		return -EOPNOTSUPP;
	to = cuda_share_open(h, s);
	if (to)
		err = cuda_copy_submit(h, (void *)(uintptr_t)to,
				       (uintptr_t)from, bytes, ticket_p);
	cuda_home_leave(h);
	return err;
}

static int cuda_reduce(const struct weft_mem_apply *x)
{
	struct cuda_home *h = cuda_home_enter(x->to);
	int err;

	if (!h)
		return -EOPNOTSUPP;
	err = cuda_apply(h, x);
	cuda_home_leave(h);
	return err;
}

static int cuda_copy(void *to, const void *from, size_t bytes)
{
	struct cuda_home *h = cuda_home_enter(to);
	uint32_t ticket;
	int err;

	if (!h)
		return -EIO;
	err = cuda_copy_submit(h, to, (uintptr_t)from, bytes, &ticket);
	cuda_home_leave(h);
	return err;
}

static int cuda_wait(void)
{
	struct cuda_home *h = cuda_home_enter(NULL);
	int err;

	if (!h)
		return -EIO;
	err = cuda_home_wait(h);
	cuda_home_leave(h);
	return err;
}

const struct weft_mem_kind weft_mem_cuda = {
	.name = "cuda",
	.path = "gpu",
	.iface = 1, /* the value of FI_HMEM_CUDA */
	.page_bits = 16,
	.stage_bytes = 262144,
	.alloc = cuda_alloc,
	.free = cuda_free,
	.mine = cuda_mine,
	.in = cuda_in,
	.out = cuda_out,
	.reach = cuda_reach,
	.on_bus = cuda_on_bus,
	.move = cuda_move,
	.share = cuda_share_get,
	.fetch = cuda_fetch,
	.store = cuda_store,
	.fetched = cuda_fetched,
	.opened = cuda_opened,
	.apply = cuda_reduce,
	.copy = cuda_copy,
	.wait = cuda_wait,
};
