/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier of a job on several hosts. The endpoint's name is valid on both
 * carriers: a UDP port, and an abstract socket with the same address and port.
 */
#include "prov/carrier/hybrid/hybrid.h"
#include "src/base/clock.h"

#include <errno.h>
#include <stdlib.h>

/* attempts to find a port that is free on both carriers */
#define OPS_TRIES      64
/* polls of shared memory per poll of an idle socket */
#define OPS_SKIP_POLLS 8
/* Time between polls of the socket if all peers are remote. */
#define OPS_PAUSE_NS   UINT64_C(300)

static int ops_open_carriers(struct hybrid *b,
			     const struct weft_carrier_attr *attr)
{
	struct weft_carrier_attr a = *attr;
	int ret;

	a.up = &hybrid_peer_up;
	a.up_arg = b;
	/* sock must not spin: hybrid_wait() spins before it calls sock */
	a.spin_ns = 1;
	ret = weft_carrier_sock.open(&a, &b->sock);
	if (ret)
		return ret;
	a.spin_ns = attr->spin_ns;
	b->sock->ops->name_get(b->sock, &a.name);
	ret = weft_carrier_shm.open(&a, &b->shm);
	if (!ret)
		return 0;
	b->sock->ops->close(b->sock);
	b->sock = NULL;
	return ret;
}

/* Finds a port that is free on both carriers. */
static int ops_open_name(struct hybrid *b, const struct weft_carrier_attr *attr)
{
	int ret = -EADDRINUSE;

	for (int i = 0; i < OPS_TRIES && ret == -EADDRINUSE; i++) {
		ret = ops_open_carriers(b, attr);
		if (attr->name.in.sin_port)
			break;
	}
	return ret;
}

static void hybrid_close(struct weft_carrier *c)
{
	struct hybrid *b = hybrid_of(c);

	hybrid_wait_close(b);
	if (b->shm)
		b->shm->ops->close(b->shm);
	if (b->sock)
		b->sock->ops->close(b->sock);
	hybrid_peers_free(b);
	free(b->bounce);
	free(b);
}

static void ops_init(struct hybrid *b, const struct weft_carrier_attr *attr)
{
	b->base.ops = &weft_carrier_hybrid;
	b->base.fills = true;
	/* sock can split packets; shm sends them whole */
	b->base.cuts = true;
	b->up = attr->up;
	b->up_arg = attr->up_arg;
	b->watch_epoll = b->watch_end = b->epoll = -1;
	weft_hash_init(&b->by_name);
	weft_list_init(&b->ending);
}

static int hybrid_open(const struct weft_carrier_attr *attr,
		       struct weft_carrier **c_p)
{
	struct hybrid *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return -ENOMEM;
	ops_init(b, attr);
	ret = ops_open_name(b, attr);
	if (ret) {
		hybrid_close(&b->base);
		return ret;
	}
	hybrid_wait_open(b, attr);
	b->base.mtu = b->shm->mtu < b->sock->mtu ? b->shm->mtu : b->sock->mtu;
	b->base.short_bytes = b->shm->short_bytes;
	b->base.fences = b->shm->fences;
	b->bounce = malloc(b->base.mtu);
	b->shm->ops->name_get(b->shm, &b->name);
	*c_p = &b->base;
	if (b->bounce)
		return 0;
	hybrid_close(&b->base);
	return -ENOMEM;
}

static void hybrid_name_get(struct weft_carrier *c, union weft_name *name)
{
	*name = hybrid_of(c)->name;
}

/*
 * Returns the carrier of p, or NULL if there is none, with the error in *ret_p.
 */
static struct weft_carrier *ops_carrier(struct hybrid *b, struct hybrid_peer *p,
					int *ret_p)
{
	*ret_p = p->base.lost ? -ECONNRESET : 0;
	if (!*ret_p && !p->carrier)
		*ret_p = hybrid_peer_connect(b, p);
	return *ret_p ? NULL : p->carrier;
}

static int hybrid_send(struct weft_carrier *c, struct weft_peer *peer,
		       const struct weft_pkt *pkt, const struct iovec *iov,
		       int iov_count)
{
	struct hybrid *b = hybrid_of(c);
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct iovec whole;
	int ret;
	struct weft_carrier *carrier = ops_carrier(b, p, &ret);

	if (!carrier)
		return ret;
	if (iov_count == WEFT_IOV_FILL && !carrier->fills) {
		const struct weft_fill *f = iov->iov_base;

		f->fill(f->arg, f->pos, b->bounce, pkt->len);
		whole = (struct iovec){ b->bounce, pkt->len };
		iov = &whole;
		iov_count = 1;
	}
	ret = carrier->ops->send(carrier, p->carrier_peer, pkt, iov, iov_count);
	/* the path MTU may have changed */
	p->base.whole = p->carrier_peer->whole;
	return ret;
}

/* If only the socket is polled: spins until its next poll is due. */
static void ops_pause(const struct hybrid *b)
{
	/* relaxed: the value is only a hint */
	uint64_t until = weft_load64_relaxed(&b->next_poll_ns);

	while (until && weft_now_ns() < until)
		weft_relax();
}

/* Sets the time of the next poll depending on the result of this poll. */
static void ops_poll_schedule(struct hybrid *b, bool empty)
{
	weft_store32_relaxed(&b->skip_polls, empty ? OPS_SKIP_POLLS - 1 : 0);
	weft_store64_relaxed(&b->next_poll_ns,
			     empty ? weft_now_ns() + OPS_PAUSE_NS : 0);
}

/*
 * Polls the socket. Each poll is a system call, and polls in immediate
 * succession delay datagrams. While the socket is idle it is polled rarely,
 * which also saves CPU time for local peers and for other processes.
 */
static int ops_poll_sock(struct hybrid *b, int budget)
{
	/* relaxed: a hint, also written by waiting threads */
	uint32_t skip_polls = weft_load32_relaxed(&b->skip_polls);
	int n;

	if (!weft_load32_relaxed(&b->local_peers) &&
	    !weft_load32_relaxed(&b->oversubscribed)) {
		ops_pause(b);
	} else if (skip_polls) {
		weft_store32_relaxed(&b->skip_polls, skip_polls - 1);
		return 0;
	}
	n = b->sock->ops->poll(b->sock, budget);
	ops_poll_schedule(b, !n);
	return n;
}

static int hybrid_poll(struct weft_carrier *c, int budget)
{
	struct hybrid *b = hybrid_of(c);
	int n = b->shm->ops->poll(b->shm, budget);

	if (n < budget)
		n += ops_poll_sock(b, budget - n);
	if (n)
		/* relaxed: a hint; polls are serialised */
		weft_store64_relaxed(&b->moved,
				     weft_load64_relaxed(&b->moved) + 1);
	if (!weft_list_empty(&b->ending))
		hybrid_peer_report(b);
	return n;
}

static int hybrid_read(struct weft_carrier *c, struct weft_peer *peer,
		       const struct iovec *local, int count, uint64_t remote)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	int ret;
	struct weft_carrier *carrier = ops_carrier(hybrid_of(c), p, &ret);

	return carrier ? carrier->ops->read(carrier, p->carrier_peer, local,
					    count, remote)
		       : ret;
}

static int hybrid_write(struct weft_carrier *c, struct weft_peer *peer,
			const struct iovec *local, int count, uint64_t remote)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	int ret;
	struct weft_carrier *carrier = ops_carrier(hybrid_of(c), p, &ret);

	return carrier ? carrier->ops->write(carrier, p->carrier_peer, local,
					     count, remote)
		       : ret;
}

static void hybrid_wake(struct weft_carrier *c)
{
	struct hybrid *b = hybrid_of(c);

	b->shm->ops->wake(b->shm);
	/* sock's wake() also notifies an armed descriptor */
	b->sock->ops->wake(b->sock);
}

static int hybrid_share(struct weft_carrier *c, struct weft_peer *peer,
			void **area_p, size_t *bytes_p)
{
	struct hybrid *b = hybrid_of(c);
	struct hybrid_peer *p = peer ? hybrid_peer_of(peer) : NULL;
	struct weft_carrier *carrier = b->shm;
	int ret = 0;

	if (p)
		carrier = ops_carrier(b, p, &ret);
	return carrier ? carrier->ops->share(carrier,
					     p ? p->carrier_peer : NULL, area_p,
					     bytes_p)
		       : ret;
}

static int hybrid_window(struct weft_carrier *c, struct weft_peer *peer,
			 size_t offset, size_t bytes, void **area_p)
{
	struct hybrid *b = hybrid_of(c);
	struct hybrid_peer *p = peer ? hybrid_peer_of(peer) : NULL;
	struct weft_carrier *carrier = b->shm;
	int ret = 0;

	if (p)
		carrier = ops_carrier(b, p, &ret);
	return carrier ? carrier->ops->window(carrier,
					      p ? p->carrier_peer : NULL,
					      offset, bytes, area_p)
		       : ret;
}

static void hybrid_window_close(struct weft_carrier *c, void *area,
				size_t bytes)
{
	struct hybrid *b = hybrid_of(c);

	b->shm->ops->window_close(b->shm, area, bytes);
}

static void hybrid_watch(struct weft_carrier *c,
			 const struct weft_carrier_watch *w)
{
	struct hybrid *b = hybrid_of(c);

	b->shm->ops->watch(b->shm, w);
}

static void hybrid_nudge(struct weft_carrier *c, struct weft_peer *peer)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);

	if (p->carrier)
		p->carrier->ops->nudge(p->carrier, p->carrier_peer);
}

static void hybrid_ended(struct weft_carrier *c, struct weft_peer *peer)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);

	if (p->carrier)
		p->carrier->ops->ended(p->carrier, p->carrier_peer);
}

/* Returns the carrier of p if it has streams, otherwise NULL. */
static struct weft_carrier *ops_stream(const struct hybrid_peer *p)
{
	return p->carrier && p->carrier->ops->stream && !p->base.lost
		       ? p->carrier
		       : NULL;
}

static int hybrid_expect(struct weft_carrier *c, struct weft_peer *peer,
			 struct weft_stream_xfer *x)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct weft_carrier *to = ops_stream(p);

	return to ? to->ops->stream->expect(to, p->carrier_peer, x)
		  : -EOPNOTSUPP;
}

static int hybrid_supply(struct weft_carrier *c, struct weft_peer *peer,
			 struct weft_stream_xfer *x)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct weft_carrier *to = ops_stream(p);

	return to ? to->ops->stream->supply(to, p->carrier_peer, x) : -EAGAIN;
}

static void hybrid_withdraw(struct weft_carrier *c, struct weft_peer *peer,
			    struct weft_stream_xfer *x)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct weft_carrier *to = p->carrier;

	if (x->conn)
		to->ops->stream->withdraw(to, p->carrier_peer, x);
}

static bool hybrid_ready(struct weft_carrier *c, struct weft_peer *peer)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct weft_carrier *to = ops_stream(p);

	return to && to->ops->stream->ready(to, p->carrier_peer);
}

static bool hybrid_writable(struct weft_carrier *c, struct weft_peer *peer)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct weft_carrier *to = ops_stream(p);

	return to && to->ops->stream->writable(to, p->carrier_peer);
}

static void hybrid_connect(struct weft_carrier *c, struct weft_peer *peer)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct weft_carrier *to = ops_stream(p);

	if (to)
		to->ops->stream->connect(to, p->carrier_peer);
}

static void hybrid_reset(struct weft_carrier *c, struct weft_peer *peer)
{
	struct hybrid_peer *p = hybrid_peer_of(peer);
	struct weft_carrier *to = ops_stream(p);

	if (to)
		to->ops->stream->reset(to, p->carrier_peer);
}

static const struct weft_stream_ops hybrid_stream_ops = {
	.expect = hybrid_expect,
	.supply = hybrid_supply,
	.withdraw = hybrid_withdraw,
	.ready = hybrid_ready,
	.writable = hybrid_writable,
	.connect = hybrid_connect,
	.reset = hybrid_reset,
};

static void hybrid_stats(struct weft_carrier *c, struct weft_carrier_stats *st)
{
	struct hybrid *b = hybrid_of(c);
	struct weft_carrier_stats far = { 0 };

	b->shm->ops->stats(b->shm, st);
	b->sock->ops->stats(b->sock, &far);
	st->sent += far.sent;
	st->received += far.received;
	st->full += far.full;
	st->refused += far.refused;
	st->resent = far.resent;
	st->forged = far.forged;
	st->replays = far.replays;
	st->remote = far.sent;
	st->streams = far.streams;
	st->streams_broken = far.streams_broken;
	st->stream_bytes = far.stream_bytes;
}

const struct weft_carrier_ops weft_carrier_hybrid = {
	.name = "hybrid",
	.stream = &hybrid_stream_ops,
	.backend = &weft_backend_live,
	.open = hybrid_open,
	.close = hybrid_close,
	.name_get = hybrid_name_get,
	.peer = hybrid_peer,
	.send = hybrid_send,
	.poll = hybrid_poll,
	.read = hybrid_read,
	.write = hybrid_write,
	.wait = hybrid_wait,
	.wake = hybrid_wake,
	.wait_fd = hybrid_wait_fd,
	.arm = hybrid_arm,
	.share = hybrid_share,
	.window = hybrid_window,
	.window_close = hybrid_window_close,
	.watch = hybrid_watch,
	.nudge = hybrid_nudge,
	.ended = hybrid_ended,
	.stats = hybrid_stats,
};
