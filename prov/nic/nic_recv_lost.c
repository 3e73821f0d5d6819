/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handling of receives and unexpected messages when a peer dies, when the layer
 * above fails selected receives (weft_nic_recv_filter), and when the interface
 * closes.
 */
#include "prov/nic/nic_recv.h"
#include "prov/nic/nic_op.h"

/*
 * Counts a kept message whose sender has closed or died, so that gone_search()
 * finds it.
 */
static void gone_msg_add(struct weft_nic *nic, struct nic_msg *u)
{
	struct nic_peer *p = nic_peer_of(nic, u->src);

	/*
	 * without a peer record, only receives from any source find the message
	 */
	if (!p || u->left)
		return;
	if (!p->left++)
		weft_list_push_back(&nic->gone, &p->gone);
	u->left = 1;
}

/*
 * Drops the peer's incomplete messages; counts its complete messages, which are
 * kept.
 */
static void lost_msgs(struct weft_nic *nic, struct weft_match *m,
		      struct weft_peer *peer)
{
	struct weft_list *n, *tmp;
	struct nic_msg *u;

	weft_list_each(n, tmp, &m->msgs) {
		u = weft_container_of(n, struct nic_msg, m.order);
		if (u->src != peer)
			continue;
		if (!u->rts && u->got == u->len) {
			gone_msg_add(nic, u);
			continue;
		}
		weft_match_remove(m, &u->m);
		nic_msg_free(nic, u);
	}
}

static void lost_posted(struct weft_nic *nic, struct weft_match *m,
			struct weft_peer *peer, int err)
{
	struct weft_list *n, *tmp;
	struct weft_nic_op *op;

	weft_list_each(n, tmp, &m->posted) {
		op = weft_container_of(n, struct weft_nic_op, m.order);
		if (op->m.src != peer->index)
			continue;
		nic_recv_fail(nic, op, err);
	}
}

/*
 * Marks claimed messages that will remain incomplete; receives of these
 * messages will report err.
 */
static void lost_claimed(struct weft_nic *nic, struct weft_peer *peer, int err)
{
	struct weft_list *n, *tmp;
	struct nic_msg *u;

	weft_list_each(n, tmp, &nic->claimed) {
		u = weft_container_of(n, struct nic_msg, link);
		if (u->src == peer && u->got < u->len)
			u->lost = (uint16_t)-err;
	}
}

static void lost_arriving(struct weft_nic *nic, struct nic_peer *p, int err)
{
	struct weft_nic_op *op = p->rx_op;
	struct nic_msg *u = p->rx_msg;

	p->rx_op = NULL;
	p->rx_msg = NULL;
	if (op)
		nic_recv_done(nic, op, err);
	if (u && u->dropped)
		nic_msg_free(nic, u);
}

void nic_recv_lost(struct weft_nic *nic, struct weft_peer *peer, int err)
{
	if (peer->up)
		lost_arriving(nic, peer->up, err);
	lost_claimed(nic, peer, err);
	lost_msgs(nic, &nic->match[0], peer);
	lost_msgs(nic, &nic->match[1], peer);
	lost_posted(nic, &nic->match[0], peer, err);
	lost_posted(nic, &nic->match[1], peer, err);
}

void weft_nic_recv_filter(struct weft_nic *nic,
			  int (*filter)(void *arg, uint64_t tag,
					uint64_t ignore),
			  void *arg)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->match[1].posted) {
		struct weft_nic_op *op =
			weft_container_of(n, struct weft_nic_op, m.order);
		int err = op->peer ? 0 : filter(arg, op->m.tag, op->m.ignore);

		if (err)
			nic_recv_fail(nic, op, err);
	}
}

static void msgs_free(struct weft_nic *nic, struct weft_match *m)
{
	struct weft_list *n;
	struct nic_msg *u;

	while (!weft_list_empty(&m->msgs)) {
		n = m->msgs.next;
		u = weft_container_of(n, struct nic_msg, m.order);
		weft_match_remove(m, &u->m);
		/*
		 * the carrier is closed and its peers are freed: do not access
		 * u->src
		 */
		u->left = 0;
		nic_msg_free(nic, u);
	}
}

void nic_recv_fini(struct weft_nic *nic)
{
	struct weft_list *n;
	struct nic_msg *u;

	while ((n = weft_list_pop_front(&nic->claimed))) {
		u = weft_container_of(n, struct nic_msg, link);
		u->left = 0; /* claimed: u->src is freed as well */
		nic_msg_free(nic, u);
	}
	msgs_free(nic, &nic->match[0]);
	msgs_free(nic, &nic->match[1]);
}
