/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics of the message engine on a peer's memory, live: AMO requests with a
 * memory handle of the peer, in a transaction of their own. On the machine the
 * target's unit checks handle, bounds and permission and changes the word while
 * its processor computes; here this unit does it, by the target's memory
 * descriptors in shared memory (gemini_handles.c), on the word that both
 * processes have mapped. All AMOs are uncached, so that they are atomic with
 * respect to the processors. Operations that the machine lacks (words of 4
 * bytes, floating point, minimum, maximum) are not executed here.
 */
#include "prov/machine/gemini/gemini_bulk.h"

#include <errno.h>

#define NO_AMO UINT32_MAX

/* An AMO: operation with flags, and its operands. */
struct word_amo {
	unsigned op; /* NO_AMO: the machine does not have the operation */
	uint64_t a;
	uint64_t b;
};

static unsigned integer_op(unsigned op)
{
	switch (op) {
	case WEFT_NUM_SUM:
		return WEFT_GEMINI_ADD;
	case WEFT_NUM_BAND:
		return WEFT_GEMINI_AND;
	case WEFT_NUM_BOR:
		return WEFT_GEMINI_OR;
	case WEFT_NUM_BXOR:
		return WEFT_GEMINI_XOR;
	default:
		return NO_AMO;
	}
}

/*
 * Selects the AMO. A read is a fetching OR with 0; a swap is a fetching AND-XOR
 * with a mask of 0, whose address must be a multiple of 16.
 */
static struct word_amo amo_of(const struct weft_amo_word *w)
{
	bool integer = w->type == WEFT_NUM_I64 || w->type == WEFT_NUM_U64;

	if (w->op == WEFT_NUM_READ)
		return (struct word_amo){ .op = WEFT_GEMINI_OR };
	if (w->op == WEFT_NUM_WRITE && !(w->remote % 16))
		return (struct word_amo){ WEFT_GEMINI_AX, 0, w->operand };
	if (w->op == WEFT_NUM_CSWAP && integer)
		return (struct word_amo){ WEFT_GEMINI_CSWAP, w->compare,
					  w->operand };
	return (struct word_amo){ integer ? integer_op(w->op) : NO_AMO,
				  w->operand, 0 };
}

/* Counts the packets of a request as the machine would send them. */
static void request_count(struct weft_gemini *f, unsigned op)
{
	f->stats.requests++;
	f->stats.phits +=
		gemini_put_phits((op & 15) >= WEFT_GEMINI_AX ? 16 : 8);
}

int gemini_word_amo(struct weft_gemini *f, struct weft_unit *u,
		    struct weft_peer *peer, struct weft_amo_word *w)
{
	const struct iovec mem = { (void *)(uintptr_t)w->remote, 8 };
	struct weft_gemini_bte cmd = { .type = WEFT_GEMINI_BTE_PUT,
				       .bytes = 8 };
	enum weft_gemini_status status = WEFT_GEMINI_OK;
	struct word_amo amo = amo_of(w);
	int ssid, err;

	if (amo.op == NO_AMO || w->bytes != 8)
		return -EOPNOTSUPP;
	err = gemini_handle_find(f, peer, &mem, true, &cmd.remote);
	ssid = err ? err : gemini_txn_open(f, WEFT_GEMINI_NO_CQ);
	if (ssid < 0)
		return ssid;
	err = gemini_handle_settle(f, peer, w->remote, &cmd, &status);
	if (!err && !status) {
		request_count(f, amo.op);
		w->old = gemini_amo_run(f, (uintptr_t)w->at,
					amo.op | WEFT_GEMINI_UNCACHED, amo.a,
					amo.b);
		u->atomics++;
	}
	f->stats.errors += status != WEFT_GEMINI_OK;
	f->txn[ssid].status = (uint8_t)status;
	gemini_txn_close(f, (unsigned)ssid, 0);
	return err ? err : status ? -EACCES : 0;
}
