/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: an endpoint on a carrier that counts and checks deliveries. */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/loop/loop.h"
#include "prov/vt/vt_api.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <sched.h>
#include <string.h>

static uint64_t end_seed(uint32_t id, uint64_t n)
{
	return (uint64_t)id << 40 ^ n;
}

static int end_deliver(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload)
{
	struct end *e = arg;
	uint32_t from = pkt->unit;

	if (e->refuse && from == e->refuse_from) {
		e->refuse--;
		return -EAGAIN;
	}
	e->last = src;
	e->got++;
	if (from >= END_PEERS || pkt->tag != e->got_from[from] ||
	    pkt->type != (uint8_t)(1 + pkt->tag % 200) ||
	    pkt->flags != (uint8_t)from || pkt->aux != ~(uint32_t)pkt->tag ||
	    pkt->data != end_seed(from, pkt->tag) ||
	    t_differs(payload, pkt->len, end_seed(from, pkt->tag)) >= 0)
		e->bad++;
	if (from < END_PEERS)
		e->got_from[from] = pkt->tag + 1;
	if (e->echo &&
	    end_send(e, src, e->got_from[from] - 1, pkt->len) == -EAGAIN)
		e->echoes_refused++;
	return 0;
}

static void end_lost(void *arg, struct weft_peer *peer, int err)
{
	struct end *e = arg;

	e->lost++;
	e->lost_err = err;
	e->lost_peer = peer;
}

static const struct weft_carrier_up end_up = {
	.deliver = end_deliver,
	.lost = end_lost,
};

int end_open(struct end *e, const struct weft_carrier_ops *ops, uint32_t id,
	     const struct weft_carrier_attr *attr)
{
	struct weft_carrier_attr a = { .up = NULL };
	int ret;

	memset(e, 0, sizeof(*e));
	if (attr)
		a = *attr;
	if (!weft_name_is_ip(&a.name))
		a.name.sa.sa_family = t_family();
	if (weft_name_is_any(&a.name))
		weft_name_set_loopback(&a.name);
	a.up = &end_up;
	a.up_arg = e;
	e->id = id;
	ret = ops->open(&a, &e->c);
	if (!ret)
		ops->name_get(e->c, &e->name);
	return ret;
}

void end_close(struct end *e)
{
	if (e->c)
		e->c->ops->close(e->c);
	e->c = NULL;
}

struct weft_peer *end_peer_name(struct end *e, const union weft_name *name)
{
	struct weft_peer *p = NULL;

	return e->c->ops->peer(e->c, name, &p) ? NULL : p;
}

struct weft_peer *end_peer(struct end *e, const struct end *to)
{
	return end_peer_name(e, &to->name);
}

int end_send(struct end *e, struct weft_peer *to, uint64_t n, size_t len)
{
	uint8_t buf[UINT16_MAX];
	size_t cut = len / 3;
	struct iovec iov[2] = { { .iov_base = buf, .iov_len = cut },
				{ .iov_base = buf + cut,
				  .iov_len = len - cut } };
	struct weft_pkt pkt = { .type = (uint8_t)(1 + n % 200),
				.flags = (uint8_t)e->id,
				.len = (uint16_t)len,
				.unit = e->id,
				.aux = ~(uint32_t)n,
				.tag = n,
				.data = end_seed(e->id, n) };

	if (e->unordered)
		e->c->ops->backend->routing(
			e->c, &(struct weft_pkt_attr){ .vc = WEFT_VC_DYNAMIC });
	t_fill(buf, len, end_seed(e->id, n));
	if (n % 3 == 0 || !cut) {
		iov[0].iov_len = len;
		return e->c->ops->send(e->c, to, &pkt, iov, 1);
	}
	return e->c->ops->send(e->c, to, &pkt, iov, 2);
}

/* Polls e and the endpoints of its group once. */
static void end_poll(struct end *e)
{
	int n = e->c->ops->poll(e->c, 16);

	for (int i = 0; e->group && i < e->group->count; i++) {
		struct end *o = e->group->e[i];

		if (o != e && !o->not_polled)
			n += o->c->ops->poll(o->c, 16);
	}
	if (!n)
		sched_yield();
}

int end_send_all(struct end *e, struct weft_peer *to, uint64_t n, size_t len,
		 int seconds)
{
	struct t_limit limit;
	int ret;

	t_limit_set(&limit, seconds);
	while ((ret = end_send(e, to, n, len)) == -EAGAIN) {
		if (t_limit_expired(&limit))
			return -ETIMEDOUT;
		end_poll(e);
	}
	return ret;
}

bool end_wait_got(struct end *e, uint64_t want, int seconds)
{
	struct t_limit limit;

	t_limit_set(&limit, seconds);
	while (e->got < want) {
		if (t_limit_expired(&limit))
			return false;
		end_poll(e);
	}
	return true;
}

bool end_wait_lost(struct end *e, uint64_t want, int seconds)
{
	struct t_limit limit;

	t_limit_set(&limit, seconds);
	while (e->lost < want) {
		if (t_limit_expired(&limit))
			return false;
		end_poll(e);
	}
	return true;
}

void end_kill(struct weft_carrier *loop)
{
	loop_die(loop_of(loop));
}

bool end_is_dead(struct weft_carrier *loop)
{
	return loop_of(loop)->dead;
}
