/* SPDX-License-Identifier: BSD-3-Clause */
/* Test support: a network in its own memory that records its callbacks. */
#include "test/support/net_fixture.h"

#include "src/base/hash.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

static void record_event(struct net_fixture *e, uint64_t at, uint64_t node,
			 uint64_t what)
{
	e->backwards += at < e->last_at;
	e->last_at = at;
	e->last_node = node;
	if (node < 64)
		e->node_at[node] = at;
	e->log = weft_hash_mix(e->log ^ weft_hash_mix(at) ^ node << 40 ^ what);
}

static void on_packet(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		      uint64_t offset, uint32_t bytes)
{
	struct net_fixture *e = arg;

	e->packets++;
	e->bytes += bytes;
	if (cookie < 8) {
		e->overtaken += offset < e->offset_of[cookie];
		e->offset_of[cookie] = offset;
	}
	record_event(e, at, node, cookie ^ offset << 8);
}

static void on_arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct net_fixture *e = arg;

	e->arrived++;
	if (cookie < 8)
		e->cookie_at[cookie] = at;
	e->last_cookie = cookie;
	record_event(e, at, node, cookie);
}

static void on_sent(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct net_fixture *e = arg;

	e->sent++;
	e->sent_at = at;
	record_event(e, at, node, cookie);
}

static void on_acked(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct net_fixture *e = arg;

	e->acked++;
	e->acked_at = at;
	record_event(e, at, node, cookie);
}

static void on_error(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct net_fixture *e = arg;

	e->errors++;
	record_event(e, at, node, cookie);
}

static void on_lost(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct net_fixture *e = arg;

	e->lost++;
	e->lost_at = at;
	record_event(e, at, node, ~cookie);
}

static void on_dead(void *arg, uint64_t at, uint32_t node)
{
	struct net_fixture *e = arg;

	e->dead++;
	e->dead_at = at;
	e->dead_node = node;
	record_event(e, at, node, 0);
}

static void on_timer(void *arg, uint64_t at, uint64_t cookie)
{
	struct net_fixture *e = arg;

	e->timers++;
	e->last_cookie = cookie;
	record_event(e, at, 0, cookie);
}

static uint64_t on_combine(void *arg, uint64_t at, uint32_t node,
			   const uint64_t *cookie, unsigned count)
{
	struct net_fixture *e = arg;
	uint64_t sum = 0;

	e->combines++;
	while (count--)
		sum += cookie[count];
	return sum;
}

static void on_result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		      uint64_t seq, uint64_t cookie)
{
	struct net_fixture *e = arg;

	e->results++;
	e->result_sum += cookie;
	e->result_at = at;
	record_event(e, at, node, cookie ^ seq << 20 ^ route);
}

static uint8_t on_ask(void *arg, uint64_t at, const struct net_query_info *q)
{
	struct net_fixture *e = arg;

	e->queried++;
	record_event(e, at, q->node, q->cookie ^ q->seq << 20 ^ q->route);
	return q->node < 64 ? e->node_answer[q->node] : NET_OK;
}

static void on_answer(void *arg, uint64_t at, const struct net_query_info *q)
{
	struct net_fixture *e = arg;

	e->answers++;
	e->answer = q->answer;
	e->answer_at = at;
	record_event(e, at, q->node, q->cookie ^ q->seq << 20 ^ q->answer);
}

const struct net_up net_fixture_up = {
	.packet = on_packet,
	.arrived = on_arrived,
	.sent = on_sent,
	.acked = on_acked,
	.error = on_error,
	.lost = on_lost,
	.dead = on_dead,
	.timer = on_timer,
	.combine = on_combine,
	.result = on_result,
	.ask = on_ask,
	.answer = on_answer,
};

void net_fixture_open(struct net_fixture *e, const struct net_config *cfg,
		      uint32_t packets)
{
	size_t bytes;

	memset(e, 0, sizeof(*e));
	e->cfg = *cfg;
	packets = packets ? packets : 4096;
	bytes = net_bytes(cfg, packets);
	e->net = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
	T_NOT_NULL(e->net);
	T_OK(net_open(e->net, bytes, cfg, packets));
}

void net_fixture_close(struct net_fixture *e)
{
	T_OK(net_check(e->net));
	T_IS(e->backwards, 0);
	free(e->net);
}

void net_fixture_drain(struct net_fixture *e)
{
	net_run(e->net, NET_NEVER, &net_fixture_up, e, NULL);
}

int net_fixture_send(struct net_fixture *e, uint64_t at, uint32_t src,
		     uint32_t dst, uint64_t bytes)
{
	struct net_msg msg = { .src = src, .dst = dst, .bytes = bytes };

	return net_send(e->net, at, &msg);
}
