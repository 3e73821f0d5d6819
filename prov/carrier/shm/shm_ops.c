/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shm carrier: processes on one host. This file has open and close; shm.h
 * lists the other files, shm_layout.h is the shared format.
 */
#include "prov/carrier/shm/shm.h"
#include "prov/carrier/carrier_cma.h"
#include "src/base/clock.h"
#include "src/base/copy.h"
#include "src/base/log.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/*
 * time for which close waits until cells are read, before it hands over the
 * region
 */
#define SHM_LINGER_NS	   UINT64_C(20000000)
/*
 * time for which close waits for a living peer that cannot take over the region
 */
#define SHM_LINGER_LONG_NS UINT64_C(5000000000)

static void shm_init(struct shm *s, const struct weft_carrier_attr *attr)
{
	s->base.ops = &weft_carrier_shm;
	s->base.mtu = SHM_CELL_BYTES;
	s->base.short_bytes = SHM_SHORT_BYTES;
	s->base.fills = true;
	s->up = attr->up;
	s->up_arg = attr->up_arg;
	s->no_dma = attr->no_dma;
	s->copy_span = weft_copy_span(attr->loop_bytes);
	s->sock = -1;
	s->life = -1;
	s->stuck_ticket = UINT64_MAX;
	weft_list_init(&s->held_peers);
	weft_list_init(&s->cell_peers);
	weft_list_init(&s->ending);
	weft_pool_init(&s->held_pool, sizeof(struct shm_held));
	weft_hash_init(&s->by_name);
	weft_hash_init(&s->by_cookie);
	shm_wait_init(s, attr);
}

/* Frees everything that open has allocated, also after a failed open. */
static void shm_free(struct shm *s)
{
	for (uint32_t i = 0; i < s->peer_count; i++)
		shm_peer_close(s, s->peer[i]);
	shm_wait_fini(s);
	shm_name_close(s);
	shm_life_unlock(s);
	shm_map_drop(&s->view);
	weft_hash_fini(&s->by_name);
	weft_hash_fini(&s->by_cookie);
	weft_pool_fini(&s->held_pool);
	free(s->peer);
	free(s->cell_next);
	free(s->rx_long);
	free(s->rx);
	free(s);
}

static int shm_build(struct shm *s, const struct weft_carrier_attr *attr)
{
	int ret = shm_id_self(&s->id);

	if (!ret)
		ret = shm_name_open(s, &attr->name);
	if (!ret)
		ret = shm_map_own(s, attr);
	if (ret)
		return ret;
	s->rx = calloc(s->view.entries, sizeof(*s->rx));
	s->cell_next = calloc(s->view.cells, sizeof(*s->cell_next));
	s->rx_long = aligned_alloc(64, (SHM_LONG_BYTES + 63) / 64 * 64);
	if (!s->rx || !s->cell_next || !s->rx_long)
		return -ENOMEM;
	shm_cell_init(s);
	carrier_cma_allow();
	return shm_name_listen(s);
}

static int shm_open(const struct weft_carrier_attr *attr,
		    struct weft_carrier **c_p)
{
	struct shm *s = aligned_alloc(64, (sizeof(*s) + 63) / 64 * 64);
	int ret;

	if (!s)
		return -ENOMEM;
	memset(s, 0, sizeof(*s));
	shm_init(s, attr);
	ret = shm_build(s, attr);
	/*
	 * preallocate, so that a refused packet does not block the FIFO when
	 * memory is exhausted
	 */
	if (!ret)
		ret = weft_pool_grow(&s->held_pool);
	if (ret) {
		shm_free(s);
		return ret;
	}
	*c_p = &s->base;
	return 0;
}

/* Returns whether p is alive and has cells to read. */
static bool shm_lingers(struct shm *s, struct shm_peer *p)
{
	if (p->state != SHM_PEER_UP || shm_cell_reclaim(s, p))
		return false;
	return p->cells_sent != p->cells_reclaimed &&
	       weft_load32(&p->view.head->state) == SHM_OPEN;
}

/*
 * Waits until p has read its cells or until `end`; returns whether unread cells
 * are left.
 */
static bool shm_linger_until(struct shm *s, struct shm_peer *p, uint64_t end)
{
	while (shm_lingers(s, p) && weft_now_ns() < end)
		sched_yield();
	return shm_lingers(s, p);
}

/*
 * Waits, before close, until payloads in this endpoint's cells are read
 * (packets in slots are in the receivers' regions already). After a short time
 * the region is handed over to the receiver. A peer in another pid namespace
 * cannot be verified as the receiver, so close waits longer for it.
 */
static void shm_linger(struct shm *s)
{
	uint64_t now = weft_now_ns();

	for (uint32_t i = 0; i < s->peer_count; i++) {
		struct shm_peer *p = s->peer[i];

		if (shm_linger_until(s, p, now + SHM_LINGER_NS) &&
		    shm_sock_handover(s, p) && shm_peer_alive(s, p) &&
		    shm_linger_until(s, p, now + SHM_LINGER_LONG_NS))
			weft_log(WEFT_LOG_WARN,
				 "shm: closed before pid %u read all packets",
				 p->id.pid);
	}
}

static void shm_close(struct weft_carrier *c)
{
	struct shm *s = shm_of(c);

	shm_linger(s);
	weft_store32(&s->view.head->state, SHM_CLOSED);
	shm_window_close(c, NULL, 0);
	shm_free(s);
}

static void shm_name_get(struct weft_carrier *c, union weft_name *name)
{
	*name = shm_of(c)->name;
}

static int shm_peer_op(struct weft_carrier *c, const union weft_name *name,
		       struct weft_peer **peer_p)
{
	struct shm_peer *p;
	int ret = shm_peer_get(shm_of(c), name, &p);

	if (!ret)
		*peer_p = &p->base;
	return ret;
}

static int shm_share(struct weft_carrier *c, struct weft_peer *peer,
		     void **area_p, size_t *bytes_p)
{
	struct shm *s = shm_of(c);
	struct shm_peer *p = peer ? shm_peer_of(peer) : NULL;
	struct shm_view *v = p ? &p->view : &s->view;
	int ret;

	if (p && p->state != SHM_PEER_UP) {
		ret = shm_peer_connect(s, p);
		if (ret)
			return ret;
	}
	if (!v->share_bytes)
		return -EOPNOTSUPP;
	if (p)
		p->shared = true;
	*area_p = v->share;
	*bytes_p = v->share_bytes;
	return 0;
}

static void shm_stats(struct weft_carrier *c, struct weft_carrier_stats *st)
{
	struct shm *s = shm_of(c);

	*st = s->stats;
	/* relaxed: statistics */
	st->sleeps = weft_load64_relaxed(&s->waiter.sleeps);
	st->late = weft_load64_relaxed(&s->late);
}

/*
 * Does nothing: the carrier itself detects the death of a process on this host.
 */
static void shm_ended(struct weft_carrier *c, struct weft_peer *peer)
{
}

const struct weft_carrier_ops weft_carrier_shm = {
	.name = "shm",
	.backend = &weft_backend_live,
	.memory = true,
	.open = shm_open,
	.close = shm_close,
	.name_get = shm_name_get,
	.peer = shm_peer_op,
	.send = shm_send,
	.poll = shm_poll,
	.read = shm_read,
	.write = shm_write,
	.wait = shm_wait,
	.wake = shm_wake,
	.wait_fd = shm_wait_fd,
	.arm = shm_arm,
	.share = shm_share,
	.window = shm_window,
	.window_close = shm_window_close,
	.watch = shm_watch,
	.nudge = shm_nudge,
	.ended = shm_ended,
	.stats = shm_stats,
};
