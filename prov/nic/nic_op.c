/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lifetime of an operation: its id, its link in a list of its peer, its
 * completion, and copies to and from its buffer. Also contains functions that
 * every file of the engine uses: peer records, memory for responses.
 */
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_dma.h"
#include "prov/nic/nic_memory.h"
#include "prov/nic/nic_recv.h"
#include "prov/nic/nic_send.h"
#include "prov/nic/nic_stream.h"
#include "src/base/iov.h"
#include "src/base/must.h"

#include <stdlib.h>

#define ID_SLOT_BITS 22
#define ID_SLOTS     (1u << ID_SLOT_BITS)

/* ---- ids of operations --------------------------------------------------- */

static int ids_grow(struct weft_nic *nic)
{
	uint32_t room = nic->id_room ? nic->id_room * 2 : 64, i;
	struct weft_nic_op **ops;
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
	/* slot 0 stays unused, so that no id is 0 */
	for (i = room - 1; i >= (nic->id_room ? nic->id_room : 1); i--) {
		ops[i] = NULL;
		next[i] = nic->id_free;
		nic->id_free = i;
	}
	nic->id_room = room;
	return 0;
}

int nic_id_new(struct weft_nic *nic, struct weft_nic_op *op)
{
	uint32_t slot;

	WEFT_ASSERT(!op->id);
	if (!nic->id_free && ids_grow(nic))
		return -ENOMEM;
	slot = nic->id_free;
	WEFT_ASSERT(slot && slot < nic->id_room && !nic->id_op[slot]);
	nic->id_free = nic->id_next[slot];
	nic->id_op[slot] = op;
	op->id = slot | ++nic->id_gen << ID_SLOT_BITS;
	return 0;
}

void nic_id_free(struct weft_nic *nic, struct weft_nic_op *op)
{
	uint32_t slot = op->id & (ID_SLOTS - 1);

	if (!op->id)
		return;
	WEFT_ASSERT(slot < nic->id_room && nic->id_op[slot] == op);
	op->id = 0;
	nic->id_op[slot] = NULL;
	nic->id_next[slot] = nic->id_free;
	nic->id_free = slot;
}

struct weft_nic_op *nic_id_op(struct weft_nic *nic, uint32_t id,
			      struct weft_peer *src)
{
	uint32_t slot = id & (ID_SLOTS - 1);
	struct weft_nic_op *op;

	if (!slot || slot >= nic->id_room)
		return NULL;
	op = nic->id_op[slot];
	return op && op->id == id && op->peer == src ? op : NULL;
}

/* Asserts that every id belongs to a pending op. */
void nic_ids_check(const struct weft_nic *nic)
{
	const struct weft_nic_op *op;
	uint32_t i;

	for (i = 1; i < nic->id_room; i++) {
		op = nic->id_op[i];
		weft_must(!op || (op->id & (ID_SLOTS - 1)) == i);
	}
}

void nic_ids_drop(struct weft_nic *nic)
{
	struct weft_nic_op *op;

	for (uint32_t i = 1; i < nic->id_room; i++) {
		op = nic->id_op[i];
		if (!op)
			continue;
		free(op->held);
		op->held = NULL;
	}
}

/* ---- operations ---------------------------------------------------------- */

/*
 * The table in nic_int.h: for each kind of op, the states that it may have in
 * each list of a peer.
 */
#define S(state) (1u << NIC_##state)
#define XFER	 (S(WAITING) | S(DMA_AGAIN) | S(DMA))

static const struct op_states {
	uint16_t sending, bulk, waiting, fin_wait;
} homes[] = {
	[WEFT_SEND] = { S(KEPT) | S(SENDING), S(PACING), XFER, 0 },
	[WEFT_RECV] = { 0, 0, XFER | S(WAITING_COPY) | S(PACED), S(FIN_WAIT) },
	[WEFT_WRITE] = { 0, S(PACING), XFER, 0 },
	[WEFT_READ] = { 0, S(PACING), XFER, 0 },
	[WEFT_ATOMIC] = { 0, S(PACING), S(WAITING) | S(DMA), 0 },
	[WEFT_FETCH] = { 0, S(PACING), S(WAITING) | S(DMA), 0 },
	[WEFT_COMPARE] = { 0, S(PACING), S(WAITING) | S(DMA), 0 },
	[WEFT_SERVE] = { 0, S(PACING), XFER, 0 },
};

static const struct op_states *op_states_of(const struct weft_nic_op *op)
{
	weft_must(op->kind < WEFT_COUNT_OF(homes));
	return &homes[op->kind];
}

static void op_states_check(const struct nic_peer *p,
			    const struct weft_list *list,
			    const struct weft_nic_op *op)
{
	const struct op_states *h = op_states_of(op);
	unsigned fits = list == &p->sending   ? h->sending
			: list == &p->bulk    ? h->bulk
			: list == &p->waiting ? h->waiting
					      : h->fin_wait;

	weft_must(fits & 1u << op->state);
	/* an op that is completed by a response has an id */
	weft_must(op->id || op->kind == WEFT_SERVE || list == &p->sending ||
		  (list != &p->bulk && op->kind != WEFT_SEND));
}

/*
 * Asserts that an op may complete: it is in a list of its peer, or is a matched
 * receive.
 */
static void end_check(const struct weft_nic_op *op)
{
	const struct op_states *h = op_states_of(op);
	unsigned any = h->sending | h->bulk | h->waiting | h->fin_wait;

	weft_must(op->state != NIC_DMA);
	if (op->linked)
		weft_must(any & 1u << op->state);
	else
		weft_must(op->kind == WEFT_RECV && op->state == NIC_NEW);
}

void nic_op_list_add(struct nic_peer *p, struct weft_list *list,
		     struct weft_nic_op *op)
{
	op_states_check(p, list, op);
	weft_must(!op->linked);
	weft_list_push_back(list, &op->link);
	op->linked = true;
	p->open_ops++;
}

void nic_op_list_remove(struct weft_nic_op *op)
{
	struct nic_peer *p;

	if (!op->linked)
		return;
	op->linked = false;
	p = op->peer->up;
	weft_list_remove(&op->link);
	WEFT_ASSERT(p->open_ops);
	p->open_ops--;
}

void nic_request_count(struct weft_nic_op *op, bool on)
{
	struct nic_peer *p;

	if (op->request_counted == on)
		return;
	op->request_counted = on;
	p = op->peer->up;
	WEFT_ASSERT(on || p->requests);
	p->requests += on ? 1 : (uint32_t)-1;
}

void nic_end(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	end_check(op);
	nic_op_list_remove(op);
	nic_request_count(op, false);
	nic_id_free(nic, op);
	nic_memory_close(nic, op);
	nic_stream_end(nic, op);
	nic_cell_put(nic, op->cell);
	op->cell = 0;
	if (op->kind == WEFT_RECV)
		nic_recv_done(nic, op, err);
	else if (op->kind == WEFT_SERVE)
		weft_nic_op_put(op);
	else
		nic_done(nic, op, err);
}

/* ---- segments ------------------------------------------------------------ */

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
	const struct weft_nic_typed *t;
	struct iovec part[WEFT_IOV_MAX];
	int n;

	if (count == WEFT_IOV_TYPED) {
		t = iov[0].iov_base;
		t->unpack(t->arg, offset, from, bytes);
		return;
	}
	n = nic_slice(iov, count, offset, bytes, part);
	weft_iov_scatter(part, n, from);
}

void nic_gather(const struct iovec *iov, int count, uint64_t offset, void *to,
		size_t bytes)
{
	struct iovec part[WEFT_IOV_MAX];
	int n = nic_slice(iov, count, offset, bytes, part);

	weft_iov_gather(to, part, n);
}

/* ---- peers --------------------------------------------------------------- */

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
	weft_list_init(&p->fin_wait);
	weft_list_init(&p->gone);
	weft_list_push_back(&nic->peers, &p->link);
	peer->up = p;
	return p;
}

/* ---- memory for responses ------------------------------------------------ */

int nic_spares_fill(struct weft_nic *nic)
{
	struct nic_ctrl *c;

	WEFT_ASSERT(nic->spares <= NIC_SPARES);
	while (nic->spares < NIC_SPARES) {
		c = malloc(sizeof(*c) + sizeof(struct nic_segs));
		if (!c)
			return nic->spares < NIC_SPARES_LOW ? -EAGAIN : 0;
		weft_list_push_back(&nic->spare, &c->link);
		nic->spares++;
	}
	return 0;
}

void nic_spares_free(struct weft_nic *nic)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&nic->spare)))
		free(weft_container_of(n, struct nic_ctrl, link));
}
