/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Demand paging. The driver of a context may map missing memory on first use. A
 * packet that needs a missing translation is acknowledged with Discard before
 * any of its transactions is executed, and the driver is called later; the
 * sender's unit then retransmits the packet without involving either process.
 * For the unit's own engines the driver is called synchronously.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct qsnet2_pager {
	weft_qsnet2_pager fn;
	void *arg;
};

static struct qsnet2_pager *pager_of(struct weft_qsnet2 *s, unsigned context)
{
	return s->pagers.used ? weft_hash_get(&s->pagers, (uint64_t)context + 1)
			      : NULL;
}

WEFT_EXPORT int weft_qsnet2_pager_set(struct weft_qsnet2 *s, unsigned context,
				      weft_qsnet2_pager fn, void *arg)
{
	struct qsnet2_pager *p;
	int err;

	if (context >= WEFT_QSNET2_CONTEXTS)
		return -EINVAL;
	free(weft_hash_del(&s->pagers, (uint64_t)context + 1));
	if (!fn)
		return 0;
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct qsnet2_pager){ fn, arg };
	err = weft_hash_set(&s->pagers, (uint64_t)context + 1, p);
	if (err)
		free(p);
	return err;
}

bool qsnet2_fault_has_pager(struct weft_qsnet2 *s, unsigned context)
{
	return pager_of(s, context) != NULL;
}

bool qsnet2_fault_map(struct weft_qsnet2 *s, const struct qsnet2_fault *f)
{
	struct qsnet2_pager *p = pager_of(s, f->context);

	if (!p)
		return false;
	s->stats.faults++;
	return !p->fn(p->arg, f->context, f->address, f->bytes, f->perm);
}

/* ---- faults of packets ---- */

static struct qsnet2_fault *fault_find(struct weft_qsnet2 *s,
				       const struct qsnet2_fault *like)
{
	for (unsigned i = 0; i < s->faults; i++) {
		struct qsnet2_fault *f = &s->fault[i];

		if (f->context == like->context && f->perm == like->perm &&
		    f->address == like->address && f->bytes == like->bytes)
			return f;
	}
	return NULL;
}

static void fault_remove(struct weft_qsnet2 *s, struct qsnet2_fault *f)
{
	*f = s->fault[--s->faults];
}

/*
 * Frees an entry for a fault, if necessary by removing faults that the driver
 * refused. Returns whether an entry is free.
 */
static bool fault_space(struct weft_qsnet2 *s)
{
	for (unsigned i = 0; s->faults == QSNET2_FAULTS && i < s->faults; i++) {
		if (s->fault[i].refused)
			fault_remove(s, &s->fault[i]);
	}
	return s->faults < QSNET2_FAULTS;
}

/*
 * Records a fault. Returns true if the packet must be retransmitted, false if
 * the driver has refused this fault.
 */
static bool fault_raise(struct weft_qsnet2 *s, const struct qsnet2_fault *like)
{
	struct qsnet2_fault *f = fault_find(s, like);

	if (f && f->refused) {
		fault_remove(s, f);
		return false;
	}
	if (!f && fault_space(s))
		s->fault[s->faults++] = *like;
	s->rare = true;
	return true;
}

void qsnet2_fault_run(struct weft_qsnet2 *s)
{
	for (unsigned i = 0; i < s->faults;) {
		struct qsnet2_fault f = s->fault[i];

		if (f.refused) {
			i++;
			continue;
		}
		if (qsnet2_fault_map(s, &f))
			fault_remove(s, &s->fault[i]);
		else
			s->fault[i].refused = true;
	}
}

/* ---- memory accesses of a packet ---- */

struct probe {
	struct weft_qsnet2 *s;
	unsigned context;
	/*
	 * size of the reserved slot; smaller addresses are offsets in the slot
	 */
	uint64_t slot_bytes;
};

/*
 * Permission that each transaction needs, and the bytes that it accesses; 0
 * bytes: the transaction's data length.
 */
static const struct {
	uint8_t perm;
	uint8_t bytes;
} needs[] = {
	[WEFT_QSNET2_T_WRITE] = { WEFT_QSNET2_REMOTE_WRITE, 0 },
	[WEFT_QSNET2_T_SET_EVENT] = { WEFT_QSNET2_REMOTE_EVENT, 32 },
	[WEFT_QSNET2_T_TEST_GE] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_TEST_LT] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_TEST_EQ] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_TEST_NE] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_WAIT_GE] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_WAIT_LT] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_WAIT_EQ] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_WAIT_NE] = { WEFT_QSNET2_REMOTE_READ, 8 },
	[WEFT_QSNET2_T_ADD_WORD] = { WEFT_QSNET2_REMOTE_WRITE, 8 },
	[WEFT_QSNET2_T_TEST_AND_WRITE] = { WEFT_QSNET2_REMOTE_WRITE, 8 },
	[WEFT_QSNET2_T_GET_INDEX] = { WEFT_QSNET2_REMOTE_EVENT,
				      sizeof(struct weft_qsnet2_input) },
};

static bool probe_trans(struct probe *p, const struct qsnet2_trans *t)
{
	struct qsnet2_fault f = {
		.address = t->address,
		.context = (uint16_t)p->context,
	};
	unsigned type = t->type & QSNET2_TYPE;
	const struct weft_qsnet2_input *q;
	unsigned flags;

	if (type >= WEFT_COUNT_OF(needs) || !needs[type].perm ||
	    (type == WEFT_QSNET2_T_WRITE && t->address < p->slot_bytes))
		return true;
	f.perm = needs[type].perm;
	f.bytes = needs[type].bytes ? needs[type].bytes : t->bytes;
	q = qsnet2_memory_mapped(p->s, p->context, f.address, f.bytes, f.perm,
				 &flags);
	if (!q)
		return !fault_raise(p->s, &f);
	if (type == WEFT_QSNET2_T_GET_INDEX)
		p->slot_bytes = q->slot_bytes;
	return true;
}

unsigned qsnet2_fault_packet(struct weft_qsnet2 *s, unsigned context,
			     const void *payload, unsigned len)
{
	struct probe p = { .s = s, .context = context };
	const unsigned char *at = payload;
	struct qsnet2_trans t;
	unsigned n;

	if (!qsnet2_fault_has_pager(s, context))
		return WEFT_QSNET2_ACK_OK;
	while (len >= sizeof(t)) {
		memcpy(&t, at, sizeof(t));
		if (!probe_trans(&p, &t))
			return WEFT_QSNET2_ACK_DISCARD;
		n = (unsigned)sizeof(t) + qsnet2_words(t.bytes) * 8;
		if (n > len)
			break;
		at += n;
		len -= n;
	}
	return WEFT_QSNET2_ACK_OK;
}

static void pager_free(void *arg, uint64_t key, void *val)
{
	free(val);
}

void qsnet2_fault_fini(struct weft_qsnet2 *s)
{
	weft_hash_each(&s->pagers, pager_free, NULL);
	weft_hash_fini(&s->pagers);
}
