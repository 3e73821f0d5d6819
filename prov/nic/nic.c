/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine's frame: opening it on a unit, its operations and their names,
 * where packets go by type, polling, and the death of a peer.
 */
#include "prov/nic/nic_int.h"

#include "prov/nic/nic_coll_net.h"

#include "src/base/must.h"
#include "src/base/clock.h"
#include "src/base/iov.h"
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

/* The table of nic_int.h: the states of a kind in each list of a peer. */
#define S(state) (1u << NIC_##state)
#define XFER	 (S(WAITING) | S(DMA_AGAIN))

static const struct home {
	uint16_t sending, bulk, waiting, parting;
} homes[] = {
	[WEFT_SEND] = { S(KEPT) | S(SENDING), S(PACING), XFER, 0 },
	[WEFT_RECV] = { 0, 0, XFER | S(WAITING_HELP) | S(PACED), S(PARTING) },
	[WEFT_WRITE] = { 0, S(PACING), XFER, 0 },
	[WEFT_READ] = { 0, S(PACING), XFER, 0 },
	[WEFT_ATOMIC] = { 0, S(PACING), S(WAITING), 0 },
	[WEFT_FETCH] = { 0, S(PACING), S(WAITING), 0 },
	[WEFT_COMPARE] = { 0, S(PACING), S(WAITING), 0 },
	[WEFT_SERVE] = { 0, S(PACING), XFER, 0 },
};

static const struct home *home_of(const struct weft_op *op)
{
	weft_must(op->kind < WEFT_COUNT_OF(homes));
	return &homes[op->kind];
}

static void home_check(const struct nic_peer *p, const struct weft_list *list,
		       const struct weft_op *op)
{
	const struct home *h = home_of(op);
	unsigned fits = list == &p->sending   ? h->sending
			: list == &p->bulk    ? h->bulk
			: list == &p->waiting ? h->waiting
					      : h->parting;

	weft_must(fits & 1u << op->state);
	/* who is ended by an answer has a name */
	weft_must(op->id || op->kind == WEFT_SERVE || list == &p->sending ||
		  (list != &p->bulk && op->kind != WEFT_SEND));
}

/* Only what is in a list of its peer, or a receive that met its message. */
static void end_check(const struct weft_op *op)
{
	const struct home *h = home_of(op);
	unsigned any = h->sending | h->bulk | h->waiting | h->parting;

	if (op->linked)
		weft_must(any & 1u << op->state);
	else
		weft_must(op->kind == WEFT_RECV && op->state == NIC_NEW);
}

void nic_hold(struct nic_peer *p, struct weft_list *list, struct weft_op *op)
{
	home_check(p, list, op);
	weft_must(!op->linked);
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
	end_check(op);
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
	int n = nic_slice(iov, count, offset, bytes, part);

	weft_iov_scatter(part, n, from);
}

void nic_gather(const struct iovec *iov, int count, uint64_t offset, void *to,
		size_t bytes)
{
	struct iovec part[WEFT_IOV_MAX];
	int n = nic_slice(iov, count, offset, bytes, part);

	weft_iov_gather(to, part, n);
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
	weft_list_init(&p->parting);
	weft_list_init(&p->gone);
	weft_list_push_back(&nic->peers, &p->link);
	peer->up = p;
	return p;
}

/* Answers that will not leave any more. */
static void ctrl_drop(struct nic_peer *p)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&p->ctrl)))
		free(weft_container_of(n, struct nic_ctrl, link));
}

static void list_fail(struct weft_nic *nic, struct weft_list *list, int err)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, list)
		nic_end(nic, weft_container_of(n, struct weft_op, link), err);
}

/* Receives that have all of their message: it no longer matters who knows. */
static void parting_end(struct weft_nic *nic, struct nic_peer *p)
{
	struct weft_list *n, *tmp;
	struct weft_op *op;

	weft_list_each(n, tmp, &p->parting)
	{
		op = weft_container_of(n, struct weft_op, link);
		nic_end(nic, op, op->err);
	}
}

static void nic_lost(void *arg, struct weft_peer *peer, int err)
{
	struct weft_nic *nic = arg;
	struct nic_peer *p = peer->up;

	peer->lost = (uint32_t)err;
	nic->deaths += err == ECONNRESET;
	if (p) {
		p->share = NULL;
		ctrl_drop(p);
		weft_list_remove(&p->busy);
		parting_end(nic, p);
		list_fail(nic, &p->sending, -err);
		list_fail(nic, &p->bulk, -err);
		list_fail(nic, &p->waiting, -err);
	}
	nic_recv_lost(nic, peer, -err);
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
	[NIC_CANCEL] = nic_got_cancel,
};

/*
 * -EAGAIN (no memory) makes the carrier offer the packet again; what makes no
 * sense is counted and forgotten. Whatever may have to be answered finds the
 * peer's record and the memory for it.
 */
static int nic_deliver(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic *nic = arg;
	int err;

	if (weft_likely(pkt->type == NIC_MSG && !(pkt->flags & WEFT_OP_ACK)))
		return nic_got_msg(nic, src, pkt, payload);
	if (!pkt->type || pkt->type >= NIC_TYPES) {
		nic->garbage++;
		return 0;
	}
	if (weft_unlikely(!nic_peer_of(nic, src) || !nic_ready(nic)))
		return -EAGAIN;
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
	weft_list_init(&nic->spare);
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
	nic->whole_bytes = nic->packet_bytes;
	if (nic->whole_bytes > nic->eager_bytes)
		nic->whole_bytes = nic->eager_bytes;
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
	err = nic_spares_fill(nic) ? -ENOMEM : nic_coll_open(nic, attr);
	if (err)
		goto err_close;
	*nic_p = nic;
	return 0;
err_close:
	nic->unit->ops->close(nic->unit);
	nic_spares_free(nic);
	free(nic);
	return err;
}

/* Is something under way that was promised and needs this side to move? */
static bool nic_unfinished(struct weft_nic *nic)
{
	struct weft_list *n;
	struct nic_peer *p;

	for (n = nic->peers.next; n != &nic->peers; n = n->next) {
		p = weft_container_of(n, struct nic_peer, link);
		if (!weft_list_empty(&p->ctrl) ||
		    !weft_list_empty(&p->parting) ||
		    !weft_list_empty(&p->sending))
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
		ctrl_drop(p);
		free(p);
	}
}

/* A name whose op has ended, or is another's by now, was not given back. */
static void ids_check(const struct weft_nic *nic)
{
	const struct weft_op *op;
	uint32_t i;

	for (i = 1; i < nic->id_room; i++) {
		op = nic->id_op[i];
		weft_must(!op || (op->id & (ID_SLOTS - 1)) == i);
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
	ids_check(nic);
	nic_coll_close(nic);
	nic->unit->ops->close(nic->unit);
	nic_recv_fini(nic);
	nic_spares_free(nic);
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
	const struct weft_list *n;

	*s = (struct weft_nic_stats){
		.posted = nic->match[0].posted_used + nic->match[1].posted_used,
		.unexpected = nic->match[0].msgs_used + nic->match[1].msgs_used,
		.rendezvous = nic->rendezvous,
		.dma_bytes = nic->dma_bytes,
		.paced = nic->paced,
		.garbage = nic->garbage,
	};
	for (n = nic->gone.next; n != &nic->gone; n = n->next)
		s->gone++;
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
