/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics of the message engine on a peer's memory, live: accesses to atomic
 * addresses of the peer's L2 cache, on 8 aligned bytes.
 *
 *   without result   a direct put whose target is an atomic address: store,
 *                    add, or, xor, maximum
 *   with result      a remote get of a direct put whose payload is an atomic
 *                    address: load, load and clear, increment, decrement
 *
 * The L2 cache has no other atomics; for other atomics the machine's software
 * sends a message to the owner of the word. As for all bulk data, this unit
 * does the work of both (bgq_bulk.c): it checks the peer's base addresses and
 * range registers, and performs the access on the word, which both processes
 * have mapped, by atomic instructions of the processor. So the access is atomic
 * with respect to all processes, and the peer may compute.
 */
#include "prov/machine/bgq/bgq_bulk.h"

#include <errno.h>

static bool is_integer(const struct weft_amo_word *w)
{
	return w->type == WEFT_NUM_I64 || w->type == WEFT_NUM_U64;
}

/*
 * Returns the enum weft_bgq_store_op of an atomic, or 0 if the machine has
 * none.
 */
static unsigned store_op_of(const struct weft_amo_word *w)
{
	if (w->op == WEFT_NUM_WRITE)
		return WEFT_BGQ_STORE;
	if (!is_integer(w))
		return 0;
	switch (w->op) {
	case WEFT_NUM_SUM:
		return WEFT_BGQ_STORE_ADD;
	case WEFT_NUM_BOR:
		return WEFT_BGQ_STORE_OR;
	case WEFT_NUM_BXOR:
		return WEFT_BGQ_STORE_XOR;
	case WEFT_NUM_MAX:
		return w->type == WEFT_NUM_I64 ? WEFT_BGQ_STORE_MAX_SIGNED
					       : WEFT_BGQ_STORE_MAX_UNSIGNED;
	default:
		return 0;
	}
}

/*
 * Returns the enum weft_bgq_load_op of an atomic, or 0 if the machine has none.
 */
static unsigned load_op_of(const struct weft_amo_word *w)
{
	if (w->op == WEFT_NUM_READ)
		return WEFT_BGQ_LOAD;
	if (w->op == WEFT_NUM_WRITE && !w->operand)
		return WEFT_BGQ_LOAD_CLEAR;
	if (w->op != WEFT_NUM_SUM || !is_integer(w))
		return 0;
	switch (w->operand) {
	case 0:
		return WEFT_BGQ_LOAD;
	case 1:
		return WEFT_BGQ_LOAD_INC;
	case UINT64_MAX:
		return WEFT_BGQ_LOAD_DEC;
	default:
		return 0;
	}
}

/*
 * Posts an atomic store. Its operand is the payload, which is copied to memory
 * that the unit reads.
 */
static int store_post(struct bgq_bulk *b, struct weft_peer *peer, unsigned op)
{
	const struct weft_bgq_put put = {
		.bat = BGQ_BAT_MEMORY,
		.offset = b->word->remote - BGQ_MEMORY_BASE,
		.ctr_bat = BGQ_BAT_SHARED,
		.store_op = (uint8_t)op,
	};
	const struct weft_bgq_msg msg = {
		.node = peer->index,
		.vc = WEFT_BGQ_VC_ORDERED,
		.payload = b->descs,
		.bytes = 8,
	};
	struct weft_bgq_desc d;

	memcpy(b->descs, &b->word->operand, 8);
	weft_bgq_desc_put(&d, &msg, &put);
	return bgq_bulk_post(b, &d);
}

/*
 * Posts an atomic load: the peer's direct put stores the old value and
 * decrements the counter.
 */
static int load_post(struct bgq_bulk *b, struct weft_peer *peer, unsigned op)
{
	const struct weft_bgq_put put = {
		.bat = BGQ_BAT_COUNTER,
		.offset = offsetof(struct bgq_bulk, result) -
			  offsetof(struct bgq_bulk, counter),
		.ctr_bat = BGQ_BAT_COUNTER,
	};
	struct weft_bgq_msg msg = {
		.vc = WEFT_BGQ_VC_ORDERED,
		.load_op = (uint8_t)op,
		.payload = (void *)(uintptr_t)b->word->remote,
		.bytes = 8,
	};
	struct weft_bgq_desc d;
	int err;

	nic_event_post(&b->counter, 8);
	weft_bgq_desc_put(b->descs, &msg, &put);
	msg.node = peer->index;
	msg.load_op = 0;
	msg.payload = b->descs;
	msg.bytes = sizeof(*b->descs);
	weft_bgq_desc_get(&d, &msg, BGQ_BULK_RGET_FIFO);
	err = bgq_bulk_post(b, &d);
	if (!err && !b->err && nic_event_read(&b->counter))
		err = -EIO;
	b->word->old = nic_event_read(&b->result);
	return err;
}

int bgq_atomic_word(struct bgq_bulk *b, struct weft_peer *peer,
		    struct weft_amo_word *w)
{
	unsigned op = w->kind == WEFT_ATOMIC  ? store_op_of(w)
		      : w->kind == WEFT_FETCH ? load_op_of(w)
					      : 0;
	int err;

	if (!op || w->bytes != 8)
		return -EOPNOTSUPP;
	b->err = 0;
	b->word = w;
	err = w->kind == WEFT_ATOMIC ? store_post(b, peer, op)
				     : load_post(b, peer, op);
	b->word = NULL;
	if (!err)
		err = b->err;
	b->unit->atomics += !err;
	return err;
}
