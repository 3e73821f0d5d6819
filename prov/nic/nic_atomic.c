/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic operations on a peer's memory. The operands are sent in one packet;
 * the target's engine executes the atomic and responds with the old values
 * (NIC_RESULT) or with FIN. In virtual time the target's interface executes the
 * atomic, if the region is listed.
 */
#include "prov/nic/nic_atomic.h"
#include "prov/nic/nic_atomic_exec.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_rma.h"
#include "prov/nic/nic_send.h"
#include "prov/nic/nic_share.h"

#include <stdlib.h>

#define OPEN_MAX 4096

static bool kind_has(unsigned kind, unsigned op)
{
	if (kind == WEFT_COMPARE)
		return op >= WEFT_NUM_CSWAP;
	if (kind == WEFT_FETCH)
		return op <= WEFT_NUM_WRITE;
	return op <= WEFT_NUM_WRITE && op != WEFT_NUM_READ;
}

/* Returns whether the operation is defined on elements of the type. */
static bool type_has(unsigned op, unsigned type)
{
	if (op >= WEFT_NUM_OPS || type >= WEFT_NUM_WORDS)
		return false;
	if (op < WEFT_NUM_KERNELS)
		return weft_num_unit[op][type];
	return op != WEFT_NUM_MSWAP || type < WEFT_NUM_F32;
}

size_t weft_atomic_max_count(const struct weft_machine *m, unsigned kind,
			     unsigned op, unsigned type)
{
	size_t room = m->packet_bytes - sizeof(struct nic_atomic);

	if (!kind_has(kind, op) || !type_has(op, type))
		return 0;
	if (kind == WEFT_COMPARE)
		room /= 2;
	return room / weft_num_bytes(type);
}

/* ---- initiator ----------------------------------------------------------- */

/*
 * Packs header, operands and comparands into one payload, op->held. Returns 0
 * or -ENOMEM.
 */
static int atomic_pack(struct weft_nic_op *op)
{
	struct nic_atomic a = {
		.key = op->key,
		.addr = op->addr,
		.count = (uint32_t)(op->len / weft_num_bytes(op->at_type)),
		.op = op->at_op,
		.type = op->at_type,
		.kind = op->kind,
	};
	size_t operands = op->at_op == WEFT_NUM_READ ? 0 : op->len;
	size_t compare = op->kind == WEFT_COMPARE ? op->len : 0;
	char *buf = malloc(sizeof(a) + operands + compare);

	if (!buf)
		return -ENOMEM;
	memcpy(buf, &a, sizeof(a));
	nic_gather(op->iov, op->iov_count, 0, buf + sizeof(a), operands);
	nic_gather(op->compare, op->compare_count, 0,
		   buf + sizeof(a) + operands, compare);
	op->held = buf;
	op->limit = sizeof(a) + operands + compare;
	return 0;
}

/* Returns the access rights that the target's region must have. */
static uint32_t atomic_rights(unsigned kind, unsigned op)
{
	if (op == WEFT_NUM_READ)
		return WEFT_MR_REMOTE_READ;
	return WEFT_MR_REMOTE_WRITE |
	       (kind == WEFT_ATOMIC ? 0 : WEFT_MR_REMOTE_READ);
}

/* Sends the atomic as a request that the target's processor executes. */
static int atomic_request(struct weft_nic *nic, struct nic_peer *p,
			  struct weft_nic_op *op)
{
	int err = nic_id_new(nic, op);

	if (err)
		return err;
	op->request_type = NIC_ATOMIC;
	op->state = NIC_PACING;
	nic_op_list_remove(op);
	nic_request_count(op, true);
	nic_op_list_add(p, &p->bulk, op);
	nic_push(nic, p);
	return 0;
}

/* ---- atomics executed by the interface ----------------------------------- */

struct nic_amo {
	struct weft_amo amo;
	struct weft_nic_op *op;
};

static void amo_done(struct weft_dma *d, int err)
{
	struct nic_amo *a = weft_container_of(d, struct nic_amo, amo.dma);
	struct weft_nic_op *op = a->op;
	struct weft_nic *nic = op->nic;
	struct nic_peer *p = op->peer->up;

	free(a);
	op->state = NIC_WAITING;
	p->one_sided_count--;
	if (err == -EOPNOTSUPP)
		err = atomic_request(nic, p, op);
	else if (!err && op->events)
		nic_access_notify(nic, op);
	if (!op->request_counted)
		nic_end(nic, op, err);
}

/*
 * Posts the atomic to the unit. After -EAGAIN or -EOPNOTSUPP nothing has
 * happened.
 */
static int amo_post(struct weft_nic *nic, struct nic_peer *p,
		    struct weft_nic_op *op, uint64_t at)
{
	struct nic_amo *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return -ENOMEM;
	a->op = op;
	a->amo = (struct weft_amo){
		.dma = { .remote = at,
			 .region = op->region,
			 .key = op->key,
			 .bytes = op->len,
			 .ordered = true,
			 .done = amo_done },
		.what = op->held,
		.operand_bytes = op->limit,
		.operands = op->limit - sizeof(struct nic_atomic),
	};
	if (op->kind != WEFT_ATOMIC) {
		a->amo.dma.local_count = op->result_count;
		memcpy(a->amo.dma.local, op->result,
		       op->result_count * sizeof(op->result[0]));
	}
	err = nic->unit->ops->amo(nic->unit, op->peer, &a->amo);
	if (err) {
		free(a);
		return err;
	}
	op->state = NIC_DMA;
	p->one_sided_count++;
	nic_op_list_add(p, &p->waiting, op);
	return 0;
}

/* Lets the unit execute the atomic. -ENOENT: send it as a request instead. */
static int atomic_by_unit(struct weft_nic *nic, struct nic_peer *p,
			  struct weft_nic_op *op)
{
	uint64_t at = 0;
	int err;

	if (weft_likely(!nic->unit->carrier->ops->backend->atomics) || !op->len)
		return -ENOENT;
	err = nic_access_find(nic, p, op, atomic_rights(op->kind, op->at_op),
			      &at);
	/* send a request for an invalid access: the target reports the error */
	if (err)
		return err == -EAGAIN ? err : -ENOENT;
	err = amo_post(nic, p, op, at);
	if (err == -EOPNOTSUPP)
		return p->one_sided_count ? -EAGAIN : -ENOENT;
	return err;
}

int nic_atomic_change(const void *what, size_t operand_bytes, void *data,
		      void *old, size_t bytes)
{
	struct nic_atomic a;
	size_t sets;
	struct nic_atomic_call call = { .target = data, .old = old };

	if (operand_bytes < sizeof(a))
		return -EPROTO;
	memcpy(&a, what, sizeof(a));
	sets = a.op == WEFT_NUM_READ ? 0 : a.kind == WEFT_COMPARE ? 2 : 1;
	if (!kind_has(a.kind, a.op) || !type_has(a.op, a.type) ||
	    a.count * weft_num_bytes(a.type) != bytes ||
	    operand_bytes != sizeof(a) + sets * bytes)
		return -EPROTO;
	call.op = a.op;
	call.type = a.type;
	call.count = a.count;
	call.operand = (const char *)what + sizeof(a);
	call.compare = (const char *)what + sizeof(a) + bytes;
	nic_atomic_exec(&call);
	return 0;
}

int weft_nic_atomic(struct weft_nic *nic, struct weft_nic_op *op)
{
	struct nic_peer *p = nic_peer_of(nic, op->peer);
	size_t max = weft_atomic_max_count(nic->machine, op->kind, op->at_op,
					   op->at_type);
	int err = nic_may_post(p, op);

	if (err)
		return err;
	if (!max)
		return -EOPNOTSUPP;
	if (op->len > max * weft_num_bytes(op->at_type))
		return -EMSGSIZE;
	if (p->open_ops >= OPEN_MAX)
		return -EAGAIN;
	err = atomic_pack(op);
	if (!err)
		err = atomic_by_unit(nic, p, op);
	return err == -ENOENT ? atomic_request(nic, p, op) : err;
}

/* ---- one word, within the call, live ------------------------------------- */

static void word_exec(struct weft_amo_word *w)
{
	const struct nic_atomic_call call = {
		.op = w->op,
		.type = w->type,
		.count = 1,
		.target = w->at,
		.operand = &w->operand,
		.compare = &w->compare,
		.old = &w->old,
	};

	nic_atomic_exec(&call);
}

/*
 * Executes the atomic on a local copy of the word, and writes the word back to
 * the peer if it has changed.
 */
static int word_by_copy(struct weft_nic *nic, struct weft_peer *peer,
			struct weft_amo_word *w)
{
	struct weft_carrier *c = nic->unit->carrier;
	uint64_t word = 0, was;
	const struct iovec local = { &word, w->bytes };
	int err = c->ops->read(c, peer, &local, 1, w->remote);

	if (err)
		return -EAGAIN;
	was = word;
	w->at = &word;
	err = nic->unit->ops->amo_word(nic->unit, peer, w);
	w->at = NULL;
	if (err || word == was)
		return err;
	return c->ops->write(c, peer, &local, 1, w->remote) ? -EFAULT : 0;
}

bool weft_nic_has_amo_word(const struct weft_nic *nic)
{
	return nic->unit->ops->amo_word && !nic->no_dma &&
	       !nic->unit->carrier->ops->backend->transfers_later;
}

int weft_nic_amo_now(struct weft_nic *nic, struct weft_peer *peer,
		     const struct weft_mem_access *want,
		     struct weft_amo_word *w)
{
	struct nic_peer *p = nic_peer_of(nic, peer);
	struct weft_mem_access a = *want;
	uint64_t region;
	uint32_t has;
	int err;

	/* the access must not overtake accesses that the peer has to execute */
	if (!weft_nic_has_amo_word(nic) || !p || p->dma_refused ||
	    p->requests || p->one_sided_count)
		return -EAGAIN;
	if (!kind_has(w->kind, w->op) || !type_has(w->op, w->type))
		return -EOPNOTSUPP;
	w->bytes = (uint8_t)weft_num_bytes(w->type);
	w->exec = word_exec;
	a.len = w->bytes;
	a.access = atomic_rights(w->kind, w->op);
	err = nic_share_find(nic, p, &a, &w->remote, &region, &has);
	if (err == -ENOENT || (!err && (has & WEFT_MR_EVENTS)))
		return -EAGAIN;
	if (err)
		return err;
	if ((w->remote | (uintptr_t)w->at) & (w->bytes - 1u))
		return -EOPNOTSUPP;
	return w->at ? nic->unit->ops->amo_word(nic->unit, peer, w)
		     : word_by_copy(nic, peer, w);
}

int nic_got_result(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);

	if (!op || (op->kind != WEFT_FETCH && op->kind != WEFT_COMPARE) ||
	    op->state != NIC_WAITING || pkt->len != op->len)
		return -EPROTO;
	nic_scatter(op->result, op->result_count, 0, payload, pkt->len);
	nic_end(nic, op, 0);
	return 0;
}

/* ---- target -------------------------------------------------------------- */

/*
 * Checks a received request and finds its target memory. Returns 0 or -errno.
 */
static int atomic_check(struct weft_nic *nic, const struct nic_atomic *a,
			uint32_t len, void **at_p, void **region_p)
{
	struct weft_mem_access want = { .key = a->key, .addr = a->addr };
	size_t bytes = weft_num_bytes(a->type), sets = 1;

	if (!weft_atomic_max_count(nic->machine, a->kind, a->op, a->type))
		return -EPROTO;
	want.len = (uint64_t)a->count * bytes;
	if (a->op == WEFT_NUM_READ)
		sets = 0;
	else if (a->kind == WEFT_COMPARE)
		sets = 2;
	if (want.len > nic->packet_bytes || len != sets * want.len)
		return -EPROTO;
	want.access = atomic_rights(a->kind, a->op);
	return nic->up->region(nic->up_arg, &want, at_p, region_p);
}

/*
 * Allocates the response packet, to which the caller adds the old values. NULL:
 * out of memory.
 */
static struct nic_ctrl *atomic_response(uint32_t id, size_t bytes)
{
	struct nic_ctrl *c = malloc(sizeof(*c) + bytes);

	if (c)
		c->pkt = (struct weft_pkt){
			.type = NIC_RESULT,
			.aux = id,
			.len = (uint16_t)bytes,
		};
	return c;
}

static void atomic_event(struct weft_nic *nic, struct weft_peer *src,
			 const struct weft_pkt *pkt, const struct nic_atomic *a,
			 void *region)
{
	const struct weft_nic_op seen = {
		.kind = a->op == WEFT_NUM_READ ? WEFT_REMOTE_READ
					       : WEFT_REMOTE_WRITE,
		.flags = pkt->flags & WEFT_OP_DATA,
		.len = (uint64_t)a->count * weft_num_bytes(a->type),
		.data = pkt->data,
		.addr = a->addr,
		.key = a->key,
	};

	nic_event(nic, src, &seen, region);
}

int nic_got_atomic(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload)
{
	struct nic_ctrl *answer = NULL;
	struct nic_atomic_call call;
	struct nic_atomic a;
	void *at, *region;
	size_t bytes;
	int err;

	if (pkt->len < sizeof(a))
		return -EPROTO;
	memcpy(&a, payload, sizeof(a));
	err = atomic_check(nic, &a, pkt->len - (uint32_t)sizeof(a), &at,
			   &region);
	if (err) {
		nic_fin(nic, src, pkt->aux, err);
		return err == -EPROTO ? err : 0;
	}
	bytes = (size_t)a.count * weft_num_bytes(a.type);
	/*
	 * allocate the response first: after the memory has changed, the atomic
	 * must not fail
	 */
	if (a.kind != WEFT_ATOMIC) {
		answer = atomic_response(pkt->aux, bytes);
		if (!answer)
			return -EAGAIN;
	}
	call = (struct nic_atomic_call){
		.op = a.op,
		.type = a.type,
		.count = a.count,
		.target = at,
		.operand = (const char *)payload + sizeof(a),
		.compare = (const char *)payload + sizeof(a) + bytes,
		.old = answer ? answer->payload : NULL,
	};
	nic_atomic_exec(&call);
	if (answer)
		nic_ctrl_send(nic, src, answer);
	else
		nic_fin(nic, src, pkt->aux, 0);
	atomic_event(nic, src, pkt, &a, region);
	return 0;
}
