/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rings of the Message Unit. An injection FIFO has one producer, and the
 * unit as consumer. Up to sixteen reception engines fill a reception FIFO
 * concurrently: each reserves chunks by advancing the shadow tail, then
 * stores its packet. The tail that software reads advances over complete
 * packets, in the order of the reservations.
 *
 * 	       head            tail          shadow
 * 	        |               |              |
 * 	 ...free| packet packet |  ...   ####  |free...
 * 	        +---------------+--------------+
 * 	         for software     being stored
 */
#include "prov/machine/bgq/bgq_dev.h"

#include <errno.h>

#define REC_POS_BITS 48
#define REC_POS_MASK ((UINT64_C(1) << REC_POS_BITS) - 1)
#define REC_SEQ_ONE  (UINT64_C(1) << REC_POS_BITS)

uint64_t bgq_inj_free(struct bgq_inj *f)
{
	return f->slots -
	       (nic_doorbell_read(&f->tail) - nic_space_read(&f->head));
}

bool bgq_inj_empty(struct bgq_inj *f)
{
	return nic_doorbell_read(&f->tail) == nic_read_own(&f->head);
}

/* Appends either all n descriptors or none. -EAGAIN: no space for all. */
int bgq_inj_push(struct bgq_inj *f, const struct bgq_desc *d, unsigned n)
{
	uint64_t t = nic_read_own(&f->tail);

	if (t + n - f->head_seen > f->slots) {
		f->head_seen = nic_space_read(&f->head);
		if (t + n - f->head_seen > f->slots)
			return -EAGAIN;
	}
	for (unsigned i = 0; i < n; i++)
		f->ring[(t + i) & (f->slots - 1)] = d[i];
	nic_doorbell_ring(&f->tail, t + n);
	return 0;
}

static unsigned rec_seq(uint64_t word)
{
	return (unsigned)(word >> REC_POS_BITS);
}

int bgq_rec_reserve(struct bgq_rec *r, unsigned chunks,
		    struct bgq_reservation *p)
{
	uint64_t s = nic_event_read(&r->shadow);
	uint64_t next;

	do {
		uint64_t tail = nic_event_read(&r->tail);
		uint64_t at = s & REC_POS_MASK;
		uint64_t used = (at - nic_space_read(&r->head)) & REC_POS_MASK;

		if (used + chunks > r->chunks)
			return -EAGAIN;
		if ((uint16_t)(rec_seq(s) - rec_seq(tail)) >= BGQ_RMES)
			return -EAGAIN;
		p->first = at;
		p->end = (at + chunks) & REC_POS_MASK;
		p->seq = rec_seq(s);
		next = ((s & ~REC_POS_MASK) + REC_SEQ_ONE) | p->end;
		/* F0 pairs with itself: no chunk is reserved twice. */
	} while (!weft_cas64(&r->shadow, &s, next));
	return 0;
}

/*
 * Returns the done word of a complete packet: its end, and the number of the
 * next packet, so that the initial value 0 is not the done word of packet 0.
 */
static uint64_t done_word(unsigned seq, uint64_t end)
{
	return (uint64_t)(uint16_t)(seq + 1) << REC_POS_BITS | end;
}

/*
 * Commits a packet. The engine that completes a packet and the engine that
 * advances the tail both modify its done word. The later one sees the value of
 * the earlier one, so the tail always advances over complete packets. Meanwhile
 * the tail may have advanced by BGQ_RMES packets from the value that an
 * interrupted engine has read: the number in the done word then differs.
 */
void bgq_rec_commit(struct bgq_rec *r, const struct bgq_reservation *p)
{
	uint64_t tail, word, next;

	/* F1 pairs with F2 below. */
	atomic_exchange_explicit(&r->done[p->seq % BGQ_RMES],
				 done_word(p->seq, p->end),
				 memory_order_acq_rel);
	tail = nic_event_read(&r->tail);
	for (;;) {
		/* F2 pairs with F1 above in another engine. */
		word = atomic_fetch_or_explicit(
			&r->done[rec_seq(tail) % BGQ_RMES], 0,
			memory_order_acq_rel);
		if (word != done_word(rec_seq(tail), word & REC_POS_MASK))
			return;
		next = ((tail & ~REC_POS_MASK) + REC_SEQ_ONE) |
		       (word & REC_POS_MASK);
		/* E0 */
		if (weft_cas64(&r->tail, &tail, next))
			tail = next;
	}
}

void bgq_rec_copy_in(struct bgq_rec *r, uint64_t at, const void *src,
		     size_t bytes)
{
	size_t off = (at & (r->chunks - 1)) * WEFT_BGQ_CHUNK;
	size_t room = r->chunks * WEFT_BGQ_CHUNK - off;
	size_t first = bytes < room ? bytes : room;

	memcpy(r->base + off, src, first);
	memcpy(r->base, (const char *)src + first, bytes - first);
}

void bgq_rec_copy_out(struct bgq_rec *r, uint64_t at, void *dst, size_t bytes)
{
	size_t off = (at & (r->chunks - 1)) * WEFT_BGQ_CHUNK;
	size_t room = r->chunks * WEFT_BGQ_CHUNK - off;
	size_t first = bytes < room ? bytes : room;

	memcpy(dst, r->base + off, first);
	memcpy((char *)dst + first, r->base, bytes - first);
}

uint64_t bgq_rec_tail(struct bgq_rec *r)
{
	return nic_event_read(&r->tail) & REC_POS_MASK;
}

uint64_t bgq_rec_shadow(struct bgq_rec *r)
{
	return nic_event_read(&r->shadow) & REC_POS_MASK;
}

uint64_t bgq_rec_free(struct bgq_rec *r)
{
	uint64_t at = bgq_rec_shadow(r);

	return r->chunks - ((at - nic_space_read(&r->head)) & REC_POS_MASK);
}
