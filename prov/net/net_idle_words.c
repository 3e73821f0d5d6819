/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control words that a link's protocol inserts between blocks of data: packet
 * starts, credits, and status words from an interface to its neighbours. The
 * words are sent even if they are empty, so they do not delay packets.
 *
 *    busy    |--- block ---|w|--- block ---|w|--- block ---|w|
 *    idle    |w|w|w|w|w|w|w|w|
 *
 * With cfg.credit_words, tokens return in the next control word of the reverse
 * link; a word carries the tokens of all channels. Status words do not use the
 * first word of a packet, which is left to credits.
 */
#include "prov/net/fault/net_fault_int.h"
#include "prov/net/net_nic.h"
#include "prov/net/net_nic_int.h"

#include <errno.h>

/* Returns the time at which the next control word for credits or status starts.
 */
static uint64_t next_word(const struct net *net, uint32_t node, unsigned port,
			  uint64_t from, uint64_t rate, bool credit)
{
	const struct net_config *cfg = &net->cfg;
	bool busy = net_node(net, node)->busy >> port & 1;
	uint64_t period =
		cfg->block_header_bytes + (busy ? cfg->block_bytes : 0) * 1ull;
	uint64_t words = cfg->payload_bytes / cfg->block_bytes, i;

	period = period * rate / 1000;
	i = (from + period - 1) / period;
	if (busy && i % words == 0 && !credit)
		i++;
	return i * period;
}

void net_words_ready(struct net_step *s, unsigned port, uint64_t tick,
		     const struct net_packet *p)
{
	struct net *net = s->net;

	net_wheel_put(net, tick > s->now ? tick : s->now + 1, NET_EV_TOKEN,
		      net_word(s->id, NET_EV_TOKEN, port,
			       p->vc | NET_TOKEN_READY,
			       net_cost(net, p->chunks, p->vc)));
}

void net_words_credit(struct net_step *s, uint64_t word)
{
	const struct net *net = s->net;
	uint32_t node = net_word_node(word);
	unsigned port = net_word_port(word);
	uint32_t link = net_links(net, node)[port];
	const struct net_hop *h = net_link_hop(net, link);
	uint64_t rate = net->rate[h->rate], now = s->now * net->cfg.tick_ps;
	uint64_t sent = next_word(net, node, port, now, rate, true) +
			net->cfg.block_header_bytes * rate / 1000;

	net_wheel_after(
		s, (uint32_t)((sent - now) / net->cfg.tick_ps) + h->token_ticks,
		NET_EV_TOKEN,
		net_word(net_link_peer(link), NET_EV_TOKEN, net_link_port(link),
			 net_word_vc(word) & ~(unsigned)NET_TOKEN_READY,
			 net_word_payload(word)));
}

int net_control_send(struct net *net, uint64_t at, uint32_t node, unsigned port,
		     uint64_t cookie)
{
	uint64_t *next, rate, leave;
	struct net_mrec *m;
	uint32_t link, mi;

	if (!net->off_control || !net->cfg.block_header_bytes)
		return -EOPNOTSUPP;
	if (node >= net->nodes || port >= net->ports)
		return -EINVAL;
	link = net_links(net, node)[port];
	if (link == NET_LINK_NONE)
		return -EINVAL;
	if (net->off_fault && net_fault_link(net, node, port)->state)
		return 0;
	mi = net_mrec_get(net);
	if (!mi)
		return -EAGAIN;
	rate = net->rate[net_link_hop(net, link)->rate];
	next = (uint64_t *)net_at(net, net->off_control) +
	       (uint64_t)node * net->ports + port;
	leave = next_word(net, node, port, at < *next ? *next : at, rate,
			  false);
	*next = leave + net->cfg.block_header_bytes * rate / 1000;
	m = net_mrec(net, mi);
	m->cookie = cookie;
	m->ready_ps = *next + net->cfg.hop_ps;
	net->timers++;
	net_event_schedule(net, m->ready_ps, NET_EV_TIMER,
			   net_word(net_link_peer(link), NET_EV_TIMER,
				    net_link_port(link), NET_TIMER_WORD, mi));
	return 0;
}
