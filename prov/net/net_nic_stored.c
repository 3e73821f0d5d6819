/* SPDX-License-Identifier: BSD-3-Clause */
/* Delivery of a stored packet, which takes the time of the receiving path. */
#include "prov/net/net_nic_int.h"

void net_nic_stored(struct net_step *s, unsigned port, uint32_t pi,
		    uint64_t end)
{
	struct net *net = s->net;
	struct net_packet *p = net_packet(net, pi);
	uint64_t at =
		end +
		(p->flags & NET_P_ACK
			 ? net->cfg.ack_receive_ps
			 : net_path_in(net, net_mrec(net, p->msg))->receive_ps);

	p->frac = (uint16_t)(at % net->cfg.tick_ps);
	net_event_schedule(net, at, NET_EV_DELIVER,
			   net_word(s->id, NET_EV_DELIVER, port, p->vc, pi));
}
