/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop carrier: endpoints of one process, found by name in a registry. For
 * tests of the layers above, without processes and with fault injection.
 */
#include "prov/carrier/loop/loop.h"
#include "prov/carrier/carrier_cma.h"
#include "src/os/wait_fd.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOP_MTU 8192

static void loop_free(struct loop *l)
{
	for (uint32_t i = 0; i < l->peer_count; i++)
		loop_peer_free(l->peer[i]);
	weft_fd_close(&l->event);
	loop_share_put(l->share);
	carrier_faults_close(&l->faults);
	free(l->peer);
	free(l);
}

static int loop_share_new(struct loop *l, size_t bytes, size_t window_bytes)
{
	struct loop_share *sh;

	if (!bytes && !window_bytes)
		return 0;
	sh = calloc(1, sizeof(*sh));
	if (!sh)
		return -ENOMEM;
	sh->bytes = (bytes + 63) / 64 * 64;
	sh->window_bytes = (window_bytes + 63) / 64 * 64;
	sh->area = aligned_alloc(64, sh->bytes + sh->window_bytes);
	if (!sh->area) {
		free(sh);
		return -ENOMEM;
	}
	memset(sh->area, 0, sh->bytes + sh->window_bytes);
	sh->refs = 1;
	l->share = sh;
	return 0;
}

static void loop_init(struct loop *l, const struct weft_carrier_attr *attr)
{

	l->base.ops = &weft_carrier_loop;
	l->base.mtu = LOOP_MTU;
	l->base.short_bytes = LOOP_MTU;
	l->up = attr->up;
	l->up_arg = attr->up_arg;
	l->no_dma = attr->no_dma;
	l->window = attr->fifo_slots && attr->fifo_slots < LOOP_WINDOW
			    ? attr->fifo_slots
			    : LOOP_WINDOW;
	l->event = -1;
	weft_list_init(&l->inbox);
	weft_list_init(&l->node);
}

/*
 * Supported faults: all except corruption, which loop cannot detect, and
 * partitions, since there are no hosts.
 */
#define LOOP_FAULTS                                           \
	(1u << WEFT_FAULT_LOSS | 1u << WEFT_FAULT_DUPLICATE | \
	 1u << WEFT_FAULT_REORDER | 1u << WEFT_FAULT_DELAY)

static int loop_open(const struct weft_carrier_attr *attr,
		     struct weft_carrier **c_p)
{
	struct loop *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return -ENOMEM;
	loop_init(l, attr);
	ret = carrier_faults_open(&l->faults, attr->faults, LOOP_FAULTS);
	if (!ret)
		ret = loop_share_new(l, attr->share_bytes, attr->window_bytes);
	if (!ret)
		ret = loop_raw_join(l, &attr->name);
	if (ret) {
		loop_free(l);
		return ret;
	}
	*c_p = &l->base;
	return 0;
}

static void loop_close(struct weft_carrier *c)
{
	struct loop *l = loop_of(c);

	for (uint32_t i = 0; i < l->peer_count && !l->dead; i++)
		loop_pair_finish(l, l->peer[i]);
	loop_raw_leave(l);
	loop_free(l);
}

static void loop_name_get(struct weft_carrier *c, union weft_name *name)
{
	*name = loop_of(c)->name;
}

static int loop_peer(struct weft_carrier *c, const union weft_name *name,
		     struct weft_peer **peer_p)
{
	struct loop_peer *p;
	int ret = loop_peer_get(loop_of(c), name, &p);

	if (!ret)
		*peer_p = &p->base;
	return ret;
}

void loop_die(struct loop *l)
{
	l->dead = true;
	loop_raw_leave(l);
}

/* Counts a send; stops the endpoint when the fault plan's `die` is reached. */
static void loop_sent(struct loop *l)
{
	l->stats.sent++;
	if (l->faults.die && l->stats.sent >= l->faults.die)
		loop_die(l);
}

static int loop_send(struct weft_carrier *c, struct weft_peer *peer,
		     const struct weft_pkt *pkt, const struct iovec *iov,
		     int iov_count)
{
	struct loop *l = loop_of(c);
	struct loop_peer *p = loop_peer_of(peer);
	int ret = loop_pair_connect(l, p);

	if (ret)
		return ret;
	if (pkt->len > LOOP_MTU)
		return -EMSGSIZE;
	ret = loop_pair_send(l, p, pkt, iov, iov_count);
	if (!ret) {
		loop_sent(l);
		return 0;
	}
	l->stats.full++;
	/* relaxed: a hint for the next wait */
	weft_store32_relaxed(&l->full, 1);
	return ret;
}

static int loop_poll(struct weft_carrier *c, int budget)
{
	struct loop *l = loop_of(c);

	weft_add64(&l->now, 1);
	return l->dead ? 0 : loop_pair_poll(l, budget);
}

/* Uses process_vm_readv() and _writev(), which detect bad addresses. */
static int loop_dma(struct weft_carrier *c, struct weft_peer *peer, bool write,
		    const struct iovec *local, int count, uint64_t remote)
{
	struct loop *l = loop_of(c);
	struct loop_peer *p = loop_peer_of(peer);
	int ret = loop_pair_connect(l, p);

	if (ret)
		return ret;
	if (l->no_dma)
		return -EOPNOTSUPP;
	if (!loop_raw_is_alive(p->gen))
		return -ECONNRESET;
	ret = carrier_cma(getpid(), write, local, count, remote);
	return ret == -EPERM || ret == -ENOSYS ? -EOPNOTSUPP : ret;
}

static int loop_read(struct weft_carrier *c, struct weft_peer *peer,
		     const struct iovec *local, int count, uint64_t remote)
{
	return loop_dma(c, peer, false, local, count, remote);
}

static int loop_write(struct weft_carrier *c, struct weft_peer *peer,
		      const struct iovec *local, int count, uint64_t remote)
{
	return loop_dma(c, peer, true, local, count, remote);
}

static int loop_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct loop *l = loop_of(c);

	/*
	 * yields instead of blocking: a store into a shared area wakes no
	 * waiter of this carrier. relaxed: hints
	 */
	if (weft_load64_relaxed(&l->watching) ||
	    weft_load32_relaxed(&l->full)) {
		weft_store32_relaxed(&l->full, 0);
		sched_yield();
		return 0;
	}
	return loop_raw_wait(l, timeout_ns);
}

static void loop_watch(struct weft_carrier *c,
		       const struct weft_carrier_watch *w)
{
	/* relaxed: only the next wait reads the value */
	weft_store64_relaxed(&loop_of(c)->watching, w->want);
}

/* Does nothing: an endpoint that watches a shared area never blocks. */
static void loop_nudge(struct weft_carrier *c, struct weft_peer *peer)
{
}

static void loop_wake(struct weft_carrier *c)
{
	loop_raw_wake(loop_of(c));
}

static int loop_wait_fd(struct weft_carrier *c)
{
	struct loop *l = loop_of(c);

	if (l->event < 0)
		l->event = weft_event_fd_open();
	return l->event;
}

static int loop_arm(struct weft_carrier *c)
{
	if (loop_wait_fd(c) < 0)
		return -EOPNOTSUPP;
	return loop_raw_arm(loop_of(c));
}

static int loop_share_of(struct weft_carrier *c, struct weft_peer *peer,
			 struct loop_share **sh_p)
{
	struct loop *l = loop_of(c);
	struct loop_peer *p = peer ? loop_peer_of(peer) : NULL;
	int ret;

	*sh_p = l->share;
	if (p) {
		ret = loop_pair_connect(l, p);
		if (ret)
			return ret;
		if (!p->share)
			p->share = loop_share_get(p->gen);
		*sh_p = p->share;
	}
	return *sh_p ? 0 : -EOPNOTSUPP;
}

static int loop_share(struct weft_carrier *c, struct weft_peer *peer,
		      void **area_p, size_t *bytes_p)
{
	struct loop_share *sh;
	int ret = loop_share_of(c, peer, &sh);

	if (ret)
		return ret;
	*area_p = sh->area;
	*bytes_p = sh->bytes;
	return 0;
}

/*
 * Returns part of the windows, which follow the shared area in the same memory.
 */
static int loop_window(struct weft_carrier *c, struct weft_peer *peer,
		       size_t offset, size_t bytes, void **area_p)
{
	struct loop_share *sh;
	int ret = loop_share_of(c, peer, &sh);

	if (ret)
		return ret;
	if (offset > sh->window_bytes || sh->window_bytes - offset < bytes)
		return -EOPNOTSUPP;
	*area_p = (char *)sh->area + sh->bytes + offset;
	return 0;
}

static void loop_window_close(struct weft_carrier *c, void *area, size_t bytes)
{
}

static void loop_stats(struct weft_carrier *c, struct weft_carrier_stats *s)
{
	*s = loop_of(c)->stats;
}

/* Does nothing: all endpoints are in this process. */
static void loop_ended(struct weft_carrier *c, struct weft_peer *peer)
{
}

const struct weft_carrier_ops weft_carrier_loop = {
	.name = "loop",
	.backend = &weft_backend_live,
	.memory = true,
	.open = loop_open,
	.close = loop_close,
	.name_get = loop_name_get,
	.peer = loop_peer,
	.send = loop_send,
	.poll = loop_poll,
	.read = loop_read,
	.write = loop_write,
	.wait = loop_wait,
	.wake = loop_wake,
	.wait_fd = loop_wait_fd,
	.arm = loop_arm,
	.share = loop_share,
	.window = loop_window,
	.window_close = loop_window_close,
	.watch = loop_watch,
	.nudge = loop_nudge,
	.ended = loop_ended,
	.stats = loop_stats,
};
