/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine's frame: opening it on a unit, its operations and their names,
 * where packets go by type, polling, and the death of a peer.
 */
#include "prov/nic/nic_int.h"

#include "prov/nic/nic_coll_net.h"

#include "src/base/clock.h"
#include "src/base/log.h"

#include <stdlib.h>

#define ID_SLOT_BITS 22
#define ID_SLOTS     (1u << ID_SLOT_BITS)
#define CLOSE_NS     (2 * 1000 * 1000 * 1000ull)

/* ---- names of operations ------------------------------------------------- */

static int ids_grow(struct weft_nic *nic)
{
	uint32_t room = nic->id_room ? nic->id_room * 2 : 64, i;
	struct weft_op **ops;
	uint32_t *next;

	if (room > ID_SLOTS)
		return -ENOMEM;
	ops = realloc(nic->id_op, room * sizeof(*ops));
	if (!ops)
		return -ENOMEM;
	nic->id_op = ops;
	next = realloc(nic->id_next, room * sizeof(*next));
	if (!next)
		return -ENOMEM;
	nic->id_next = next;
	/* slot 0 stays unused, so that no name is 0 */
	for (i = room - 1; i >= (nic->id_room ? nic->id_room : 1); i--) {
		ops[i] = NULL;
		next[i] = nic->id_free;
		nic->id_free = i;
	}
	nic->id_room = room;
	return 0;
}

int nic_id_new(struct weft_nic *nic, struct weft_op *op)
{
	uint32_t slot;

	if (!nic->id_free && ids_grow(nic))
		return -ENOMEM;
	slot = nic->id_free;
	nic->id_free = nic->id_next[slot];
	nic->id_op[slot] = op;
	op->id = slot | ++nic->id_gen << ID_SLOT_BITS;
	return 0;
}

void nic_id_free(struct weft_nic *nic, struct weft_op *op)
{
	uint32_t slot = op->id & (ID_SLOTS - 1);

	if (!op->id)
		return;
	op->id = 0;
	nic->id_op[slot] = NULL;
	nic->id_next[slot] = nic->id_free;
	nic->id_free = slot;
}

struct weft_op *nic_id_op(struct weft_nic *nic, uint32_t id,
			  struct weft_peer *src)
{
	uint32_t slot = id & (ID_SLOTS - 1);
	struct weft_op *op;

	if (!slot || slot >= nic->id_room)
		return NULL;
	op = nic->id_op[slot];
	return op && op->id == id && op->peer == src ? op : NULL;
}

/* ---- operations -----------------------------------------------------------
 */

void nic_hold(struct nic_peer *p, struct weft_list *list, struct weft_op *op)
{
	weft_list_push_back(list, &op->link);
	op->linked = true;
	p->open_ops++;
}

void nic_unhold(struct weft_op *op)
{
	struct nic_peer *p;

	if (!op->linked)
		return;
	op->linked = false;
	p = op->peer->up;
	weft_list_remove(&op->link);
	p->open_ops--;
}

void nic_asked(struct weft_op *op, bool on)
{
	struct nic_peer *p;

	if (op->asked == on)
		return;
	op->asked = on;
	p = op->peer->up;
	p->asks += on ? 1 : (uint32_t)-1;
}

void nic_end(struct weft_nic *nic, struct weft_op *op, int err)
{
	nic_unhold(op);
	nic_asked(op, false);
	nic_id_free(nic, op);
	nic_cell_put(nic, op->cell);
	op->cell = 0;
	if (op->kind == WEFT_RECV)
		nic_recv_done(nic, op, err);
	else if (op->kind == WEFT_SERVE)
		weft_nic_op_put(op);
	else
		nic_done(nic, op, err);
}

/* ---- bytes in segments ----------------------------------------------------
 */

int nic_slice(const struct iovec *iov, int count, uint64_t offset, size_t bytes,
	      struct iovec *out)
{
	size_t n;
	int used = 0, i;

	for (i = 0; i < count && bytes; i++) {
		if (offset >= iov[i].iov_len) {
			offset -= iov[i].iov_len;
			continue;
		}
		n = iov[i].iov_len - offset;
		if (n > bytes)
			n = bytes;
		out[used].iov_base = (char *)iov[i].iov_base + offset;
		out[used++].iov_len = n;
		bytes -= n;
		offset = 0;
	}
	return used;
}

void nic_scatter(const struct iovec *iov, int count, uint64_t offset,
		 const void *from, size_t bytes)
{
	struct iovec part[WEFT_IOV_MAX];
	int n = nic_slice(iov, count, offset, bytes, part), i;

	for (i = 0; i < n; i++) {
		memcpy(part[i].iov_base, from, part[i].iov_len);
		from = (const char *)from + part[i].iov_len;
	}
}

void nic_gather(const struct iovec *iov, int count, uint64_t offset, void *to,
		size_t bytes)
{
	struct iovec part[WEFT_IOV_MAX];
	int n = nic_slice(iov, count, offset, bytes, part), i;

	for (i = 0; i < n; i++) {
		memcpy(to, part[i].iov_base, part[i].iov_len);
		to = (char *)to + part[i].iov_len;
	}
}

/* ---- peers ----------------------------------------------------------------
 */

struct nic_peer *nic_peer_make(struct weft_nic *nic, struct weft_peer *peer)
{
	struct nic_peer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->peer = peer;
	weft_list_init(&p->busy);
	weft_list_init(&p->ctrl);
	weft_list_init(&p->sending);
	weft_list_init(&p->bulk);
	weft_list_init(&p->waiting);
	weft_list_init(&p->gone);
	weft_list_push_back(&nic->peers, &p->link);
	peer->up = p;
	return p;
}

/* Answers that will not leave any more; ends: the receives behind them. */
static void ctrl_drop(struct weft_nic *nic, struct nic_peer *p, bool ends)
{
	struct weft_list *n;
	struct nic_ctrl *c;

	while ((n = weft_list_pop_front(&p->ctrl))) {
		c = weft_container_of(n, struct nic_ctrl, link);
		if (ends && c->op)
			nic_end(nic, c->op, c->op->err);
		free(c);
	}
}

/* Ends all ops of a list, except those the unit still has its hands on. */
static void list_fail(struct weft_nic *nic, struct weft_list *list, int err)
{
	struct weft_list *n, *tmp;
	struct weft_op *op;

	weft_list_each(n, tmp, list)
	{
		op = weft_container_of(n, struct weft_op, link);
		if (op->state != NIC_DMA)
			nic_end(nic, op, err);
	}
}

static void nic_lost(void *arg, struct weft_peer *peer, int err)
{
	struct weft_nic *nic = arg;
	struct nic_peer *p = nic_peer_of(nic, peer);

	if (!p)
		return;
	peer->lost = (uint32_t)err;
	nic->deaths += err == ECONNRESET || err == ENOMEM;
	p->share = NULL;
	ctrl_drop(nic, p, true);
	weft_list_remove(&p->busy);
	list_fail(nic, &p->sending, -err);
	list_fail(nic, &p->bulk, -err);
	list_fail(nic, &p->waiting, -err);
	nic_recv_lost(nic, p, -err);
	nic_coll_lost(nic, peer, -err);
}

/* ---- packets in -----------------------------------------------------------
 */

typedef int (*nic_got_fn)(struct weft_nic *nic, struct weft_peer *src,
			  const struct weft_pkt *pkt, const void *payload);

static const nic_got_fn got[NIC_TYPES] = {
	[NIC_MSG] = nic_got_msg,
	[NIC_FIRST] = nic_got_first,
	[NIC_NEXT] = nic_got_next,
	[NIC_RTS] = nic_got_rts,
	[NIC_FIN] = nic_got_fin,
	[NIC_CTS] = nic_got_cts,
	[NIC_BULK] = nic_got_bulk,
	[NIC_HELP] = nic_got_help,
	[NIC_HELPED] = nic_got_helped,
	[NIC_WRITE] = nic_got_write,
	[NIC_WRITE_PULL] = nic_got_write_pull,
	[NIC_READ] = nic_got_read,
	[NIC_READ_PUSH] = nic_got_read_push,
	[NIC_READ_DATA] = nic_got_read_data,
	[NIC_EVENT] = nic_got_event,
	[NIC_ATOMIC] = nic_got_atomic,
	[NIC_RESULT] = nic_got_result,
	[NIC_COLL] = nic_got_coll,
};

/*
 * -EAGAIN (no memory) makes the carrier offer the packet again; what makes no
 * sense is counted and forgotten.
 */
static int nic_deliver(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic *nic = arg;
	int err;

	if (weft_likely(pkt->type == NIC_MSG))
		return nic_got_msg(nic, src, pkt, payload);
	if (!pkt->type || pkt->type >= NIC_TYPES) {
		nic->garbage++;
		return 0;
	}
	err = got[pkt->type](nic, src, pkt, payload);
	if (err == -EAGAIN)
		return err;
	if (err)
		nic->garbage++;
	return 0;
}

static const struct weft_carrier_up nic_up = {
	.deliver = nic_deliver,
	.lost = nic_lost,
};

WEFT_HOT int weft_nic_poll(struct weft_nic *nic, int budget)
{
	int n = nic->unit->ops->poll(nic->unit, budget);

	if (weft_unlikely(!weft_list_empty(&nic->busy)))
		nic_push_all(nic);
	if (weft_unlikely(nic->coll_groups))
		nic_coll_poll(nic);
	return n;
}

/* ---- life ------------------------------------------------------------------
 */

static void nic_init(struct weft_nic *nic, const struct weft_nic_attr *attr)
{
	nic->machine = attr->machine;
	nic->up = attr->up;
	nic->up_arg = attr->up_arg;
	nic->min_multi = attr->min_multi;
	nic->no_dma = attr->no_dma;
	weft_list_init(&nic->busy);
	weft_list_init(&nic->peers);
	weft_list_init(&nic->claimed);
	weft_list_init(&nic->gone);
	weft_match_init(&nic->match[0]);
	weft_match_init(&nic->match[1]);
	weft_pool_init(&nic->head.ops, sizeof(struct weft_op));
	weft_pool_init(&nic->msgs, sizeof(struct nic_msg));
}

static void nic_sizes(struct weft_nic *nic, const struct weft_nic_attr *attr)
{
	size_t mtu = nic->unit->carrier->mtu;

	nic->packet_bytes = attr->machine->packet_bytes;
	if (nic->packet_bytes > mtu)
		nic->packet_bytes = mtu;
	nic->eager_bytes = attr->machine->eager_bytes;
	if (attr->eager_bytes)
		nic->eager_bytes = attr->eager_bytes;
	if (nic->eager_bytes > NIC_EAGER_CAP)
		nic->eager_bytes = NIC_EAGER_CAP;
}

int weft_nic_open(const struct weft_nic_attr *attr, struct weft_nic **nic_p)
{
	struct weft_nic *nic = aligned_alloc(64, (sizeof(*nic) + 63) / 64 * 64);
	struct weft_carrier_attr ca = {
		.name = attr->name,
		.up = &nic_up,
		.up_arg = nic,
		.fifo_slots = attr->fifo_slots,
		.spin_ns = attr->spin_ns,
		.share_bytes = nic_share_bytes(),
		.window_bytes = weft_cu_area_bytes(&attr->machine->cu) +
				weft_cu_area_bytes(&attr->machine->bar),
		.no_dma = attr->no_dma,
		.faults = attr->faults,
		.world = attr->world,
		.threads = attr->threads,
		.combine = nic_coll_combine,
	};
	int err;

	if (!nic)
		return -ENOMEM;
	memset(nic, 0, sizeof(*nic));
	nic_init(nic, attr);
	err = attr->machine->unit->open(attr->machine, attr->carrier, &ca,
					&nic->unit);
	if (err) {
		free(nic);
		return err;
	}
	nic_sizes(nic, attr);
	nic_share_init(nic);
	err = nic_coll_open(nic, attr);
	if (err) {
		nic->unit->ops->close(nic->unit);
		free(nic);
		return err;
	}
	*nic_p = nic;
	return 0;
}

/* Is something under way that was promised and needs this side to move? */
static bool nic_unfinished(struct weft_nic *nic)
{
	struct weft_list *n;
	struct nic_peer *p;

	for (n = nic->peers.next; n != &nic->peers; n = n->next) {
		p = weft_container_of(n, struct nic_peer, link);
		if (!weft_list_empty(&p->ctrl) || !weft_list_empty(&p->sending))
			return true;
	}
	return false;
}

static void peers_free(struct weft_nic *nic)
{
	struct weft_list *n;
	struct nic_peer *p;

	while ((n = weft_list_pop_front(&nic->peers))) {
		p = weft_container_of(n, struct nic_peer, link);
		ctrl_drop(nic, p, false);
		free(p);
	}
}

void weft_nic_close(struct weft_nic *nic)
{
	uint64_t end = weft_now_ns() + CLOSE_NS;

	if (!nic)
		return;
	while (nic_unfinished(nic) && weft_now_ns() < end) {
		if (!weft_nic_poll(nic, 64))
			weft_relax();
	}
	if (nic->garbage)
		weft_log(WEFT_LOG_INFO, "nic: %llu packets made no sense",
			 (unsigned long long)nic->garbage);
	nic_coll_close(nic);
	nic->unit->ops->close(nic->unit);
	nic_recv_fini(nic);
	peers_free(nic);
	weft_match_fini(&nic->match[0]);
	weft_match_fini(&nic->match[1]);
	weft_pool_fini(&nic->head.ops);
	weft_pool_fini(&nic->msgs);
	free(nic->id_op);
	free(nic->id_next);
	free(nic);
}

void weft_nic_name(struct weft_nic *nic, struct sockaddr_in *name)
{
	nic->unit->carrier->ops->name_get(nic->unit->carrier, name);
}

void weft_nic_stats(const struct weft_nic *nic, struct weft_nic_stats *s)
{
	*s = (struct weft_nic_stats){
		.posted = nic->match[0].posted_used + nic->match[1].posted_used,
		.unexpected = nic->match[0].msgs_used + nic->match[1].msgs_used,
		.rendezvous = nic->rendezvous,
		.dma_bytes = nic->dma_bytes,
		.paced = nic->paced,
		.garbage = nic->garbage,
	};
}

uint64_t weft_nic_deaths(const struct weft_nic *nic)
{
	return nic->deaths;
}

struct weft_carrier *weft_nic_carrier(struct weft_nic *nic)
{
	return nic->unit->carrier;
}

void weft_nic_set_min_multi(struct weft_nic *nic, size_t bytes)
{
	nic->min_multi = bytes;
}
