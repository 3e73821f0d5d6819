/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of datagrams. Free lists hold datagrams of two sizes: short ones, and
 * those of Ethernet's size, of which thousands may be in flight.
 *
 * Full datagrams to a peer with much traffic are allocated in a batch:
 * their bytes, with space for the tag, are contiguous, so that the datagrams of
 * one system call are one memory segment, which the kernel splits (GSO).
 *
 *   dgram[0] dgram[1] dgram[2] ...        state of each datagram
 *      |        |        |
 *   [datagram|datagram|datagram|...   ]   data, SOCK_GSO_BYTES
 *
 * Datagrams are taken from the front and freed in any order. The batch is freed
 * with the last datagram taken, even if it had space for more: a peer without
 * traffic holds no batch. A peer whose datagram size changes starts another
 * batch.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/must.h"

#include <stdlib.h>

#define GRAM_FREE_BATCHES 16u

/* Free lists: bytes of each datagram, and maximum length of the list. */
static const struct {
	uint32_t room;
	uint32_t most;
} free_list[SOCK_FREE_LISTS] = { { 512, 64 }, { 2048, 1024 } };

/*
 * Returns the index of the first free list whose datagrams are large enough, or
 * SOCK_FREE_LISTS.
 */
static uint8_t free_list_of(uint32_t room)
{
	uint8_t i = 0;

	while (i < SOCK_FREE_LISTS && room > free_list[i].room)
		i++;
	return i;
}

static struct sock_dgram *dgram_init(struct sock_dgram *g, uint8_t *data,
				     uint32_t room)
{
	WEFT_ASSERT(room >= sizeof(struct sock_head));
	*g = (struct sock_dgram){ .data = data,
				  .bytes = sizeof(struct sock_head),
				  .room = room,
				  .unordered = true };
	/*
	 * the other fields of the header are written when the datagram is sent
	 */
	sock_dgram_head(g)->flags = 0;
	return g;
}

struct sock_dgram *sock_dgram_new(struct sock *s, uint32_t room)
{
	uint8_t freelist = free_list_of(room);
	bool kept = freelist < SOCK_FREE_LISTS;
	struct sock_dgram *g = kept ? s->free_list[freelist] : NULL;

	static_assert(sizeof(*g) % 8 == 0, "data follow it");
	if (g) {
		s->free_list[freelist] = g->next;
		WEFT_ASSERT(s->free_count[freelist]);
		s->free_count[freelist]--;
	} else {
		g = malloc(sizeof(*g) +
			   (kept ? free_list[freelist].room : room) + SOCK_TAG);
	}
	if (!g)
		return NULL;
	dgram_init(g, (uint8_t *)(g + 1), room);
	g->freelist = freelist;
	return g;
}

/* ---- GSO batches --------------------------------------------------------- */

/* Returns the number of datagrams of room bytes in one batch. */
static uint32_t batch_capacity(const struct sock *s, uint32_t room)
{
	uint32_t n = SOCK_GSO_BYTES / (room + s->tag);

	return n < SOCK_BATCH ? n : SOCK_BATCH;
}

/*
 * Returns a batch for the peer; NULL: no memory, or the batch would contain
 * only one datagram.
 */
static struct sock_gso_batch *batch_new(struct sock *s, struct sock_peer *p)
{
	uint32_t length = batch_capacity(s, p->dgram_max);
	struct sock_gso_batch *t = s->free_batch_list;

	if (length < 2)
		return NULL;
	if (t) {
		s->free_batch_list = t->next;
		WEFT_ASSERT(s->free_batch_count && !t->live);
		s->free_batch_count--;
	} else {
		t = aligned_alloc(_Alignof(struct sock_gso_batch), sizeof(*t));
	}
	if (!t)
		return NULL;
	t->peer = p;
	t->room = p->dgram_max;
	t->length = length;
	t->used = 0;
	t->live = 0;
	p->batch = t;
	return t;
}

/* Detaches the batch from its peer: no more datagrams are taken from it. */
static void batch_detach(struct sock_gso_batch *t)
{
	if (t->peer)
		t->peer->batch = NULL;
	t->peer = NULL;
}

static void batch_free(struct sock *s, struct sock_gso_batch *t)
{
	batch_detach(t);
	WEFT_ASSERT(!t->live && s->free_batch_count <= GRAM_FREE_BATCHES);
	if (s->free_batch_count == GRAM_FREE_BATCHES) {
		free(t);
		return;
	}
	t->next = s->free_batch_list;
	s->free_batch_list = t;
	s->free_batch_count++;
}

struct sock_dgram *sock_dgram_full(struct sock *s, struct sock_peer *p)
{
	struct sock_gso_batch *t = p->batch;
	struct sock_dgram *g;

	if (t && t->room != p->dgram_max) {
		batch_detach(t);
		t = NULL;
	}
	if (!t)
		t = batch_new(s, p);
	if (!t)
		return sock_dgram_new(s, p->dgram_max);
	WEFT_ASSERT(t->used < t->length && t->peer == p);
	g = dgram_init(&t->dgram[t->used],
		       t->data + (size_t)t->used * (t->room + s->tag), t->room);
	g->batch = t;
	t->live++;
	if (++t->used == t->length)
		batch_detach(t);
	return g;
}

/* ---- release of datagrams ------------------------------------------------ */

void sock_dgram_free(struct sock *s, struct sock_dgram *g)
{
	if (g && g->batch) {
		WEFT_ASSERT(g->batch->live && g->batch->live <= g->batch->used);
		if (!--g->batch->live)
			batch_free(s, g->batch);
		return;
	}
	if (g && g->freelist < SOCK_FREE_LISTS &&
	    s->free_count[g->freelist] < free_list[g->freelist].most) {
		g->next = s->free_list[g->freelist];
		s->free_list[g->freelist] = g;
		s->free_count[g->freelist]++;
		return;
	}
	free(g);
}

void sock_dgram_fini(struct sock *s)
{
	struct sock_dgram *g;
	struct sock_gso_batch *t;

	for (int i = 0; i < SOCK_FREE_LISTS; i++) {
		while ((g = s->free_list[i])) {
			s->free_list[i] = g->next;
			free(g);
		}
		s->free_count[i] = 0;
	}
	while ((t = s->free_batch_list)) {
		s->free_batch_list = t->next;
		free(t);
	}
	s->free_batch_count = 0;
}
