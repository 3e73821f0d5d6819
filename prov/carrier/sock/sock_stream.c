/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams for long transfers (prov/carrier/stream) between endpoints that
 * exchange datagrams. The TCP port has the number of the UDP port, so a peer's
 * name is enough to connect. A stream belongs to the session of two
 * incarnations and ends with it.
 */
#include "prov/carrier/sock/sock.h"
#include "config.h"
#include "src/base/log.h"

#include <errno.h>

/*
 * Returns the peer of an incoming connection. With a key, only a peer that has
 * signed a datagram is accepted.
 */
static struct stream_peer *
sock_stream_find(void *arg, const union weft_name *name, uint64_t gen)
{
	struct sock *s = arg;
	struct sock_peer *p = sock_peer_find(s, name);

	if (!p || p->base.lost || p->self || p->remote_gen != gen ||
	    (s->tag && !p->proved))
		return NULL;
	return &p->stream;
}

/* Without OpenSSL, connections cannot be authenticated. */
#ifdef HAVE_CRYPTO
#define SOCK_STREAMS true
#else
#define SOCK_STREAMS false
#endif

int sock_stream_open(struct sock *s, const struct weft_carrier_attr *attr)
{
	const struct stream_attr a = {
		.name = s->name,
		.gen = s->gen,
		.tags = s->tag,
		.encrypt = s->encrypts,
		.find = sock_stream_find,
		.arg = s,
	};
	int ret;

	if (!attr->streams || !SOCK_STREAMS)
		return 0;
	ret = stream_open(&s->stream, &a);
	s->stream.cut_bytes = s->faults.cut;
	if (!ret && s->stream.listener < 0)
		weft_log(WEFT_LOG_INFO,
			 "sock: TCP port %u is in use; without it no peer can "
			 "open a stream",
			 ntohs(s->name.in.sin_port));
	return ret;
}

/* Returns whether a stream with p is possible. */
static bool stream_possible(const struct sock *s, const struct sock_peer *p)
{
	return s->stream.on && !p->base.lost && !p->self && !s->dead &&
	       p->remote_gen;
}

static int sock_stream_expect(struct weft_carrier *c, struct weft_peer *peer,
			      struct weft_stream_xfer *x)
{
	struct sock *s = sock_of(c);
	struct sock_peer *p = sock_peer_of(peer);
	int ret = -EOPNOTSUPP;

	sock_enter(s);
	if (stream_possible(s, p))
		ret = stream_expect(&s->stream, &p->stream, x);
	sock_leave(s);
	return ret;
}

static int sock_stream_supply(struct weft_carrier *c, struct weft_peer *peer,
			      struct weft_stream_xfer *x)
{
	struct sock *s = sock_of(c);
	struct sock_peer *p = sock_peer_of(peer);
	int ret = -EAGAIN;

	sock_enter(s);
	if (stream_possible(s, p))
		ret = stream_supply(&s->stream, &p->stream, x);
	/* poll is needed now: it reports the end of the transfer */
	sock_wait_due_earlier(s, s->now);
	sock_leave(s);
	return ret;
}

static void sock_stream_withdraw(struct weft_carrier *c, struct weft_peer *peer,
				 struct weft_stream_xfer *x)
{
	struct sock *s = sock_of(c);

	sock_enter(s);
	stream_withdraw(&s->stream, x);
	sock_leave(s);
}

static bool sock_stream_ready(struct weft_carrier *c, struct weft_peer *peer)
{
	struct sock *s = sock_of(c);
	struct sock_peer *p = sock_peer_of(peer);
	bool ready;

	sock_enter(s);
	ready = stream_possible(s, p) && stream_peer_ready(&p->stream);
	sock_leave(s);
	return ready;
}

static bool sock_stream_writable(struct weft_carrier *c, struct weft_peer *peer)
{
	struct sock *s = sock_of(c);
	struct sock_peer *p = sock_peer_of(peer);
	bool writable;

	sock_enter(s);
	writable = stream_possible(s, p) && stream_peer_writable(&p->stream);
	sock_leave(s);
	return writable;
}

static void sock_stream_connect(struct weft_carrier *c, struct weft_peer *peer)
{
	struct sock *s = sock_of(c);
	struct sock_peer *p = sock_peer_of(peer);

	sock_enter(s);
	if (stream_possible(s, p) && (!s->tag || p->proved))
		stream_connect(&s->stream, &p->stream);
	sock_leave(s);
}

static void sock_stream_reset(struct weft_carrier *c, struct weft_peer *peer)
{
	struct sock *s = sock_of(c);

	sock_enter(s);
	stream_reset(&s->stream, &sock_peer_of(peer)->stream);
	sock_leave(s);
}

const struct weft_stream_ops sock_stream_ops = {
	.expect = sock_stream_expect,
	.supply = sock_stream_supply,
	.withdraw = sock_stream_withdraw,
	.ready = sock_stream_ready,
	.writable = sock_stream_writable,
	.connect = sock_stream_connect,
	.reset = sock_stream_reset,
};
