/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of datagrams. Short ones are allocated one by one, those of Ethernet's
 * size by the thousand: free lists keep some of both sizes.
 *
 * Full datagrams to a peer with much traffic are allocated in a batch (train):
 * their bytes, with space for the tag, are contiguous, so that the datagrams of
 * one system call are one memory segment for the kernel, which cuts it (GSO).
 *
 *   gram[0]  gram[1]  gram[2] ...         state of each datagram
 *      |        |        |
 *   [datagram|datagram|datagram|...   ]   data, SOCK_JOIN_BYTES
 *
 * Datagrams are taken from the front and freed in any order. The batch is freed
 * with the last datagram taken, even if it had space for more: a peer without
 * traffic holds no batch. A peer whose datagram size changes starts another
 * batch.
 */
#include "prov/carrier/sock/sock.h"

#include <stdlib.h>

#define GRAM_SPARE_TRAIN 16u

/* Free lists: size of datagram in bytes, and maximum length of the list. */
static const struct {
	uint32_t room;
	uint32_t most;
} gram_shelf[SOCK_SHELVES] = { { 512, 64 }, { 2048, 1024 } };

/* Index of the first free list with datagrams of this size, or SOCK_SHELVES. */
static uint8_t gram_shelf_of(uint32_t room)
{
	uint8_t i = 0;

	while (i < SOCK_SHELVES && room > gram_shelf[i].room)
		i++;
	return i;
}

static struct sock_gram *gram_init(struct sock_gram *g, uint8_t *data,
				   uint32_t room)
{
	*g = (struct sock_gram){ .data = data,
				 .bytes = sizeof(struct sock_head),
				 .room = room,
				 .loose = true };
	/* The other fields of the head are written before it is sent. */
	sock_gram_head(g)->flags = 0;
	return g;
}

struct sock_gram *sock_gram_new(struct sock *s, uint32_t room)
{
	uint8_t shelf = gram_shelf_of(room);
	bool kept = shelf < SOCK_SHELVES;
	struct sock_gram *g = kept ? s->spare[shelf] : NULL;

	static_assert(sizeof(*g) % 8 == 0, "data follow it");
	if (g) {
		s->spare[shelf] = g->next;
		s->spares[shelf]--;
	} else {
		g = malloc(sizeof(*g) + (kept ? gram_shelf[shelf].room : room) +
			   SOCK_TAG);
	}
	if (!g)
		return NULL;
	gram_init(g, (uint8_t *)(g + 1), room);
	g->shelf = shelf;
	return g;
}

/* ---- batches ------------------------------------------------------------- */

/* Number of datagrams of room bytes in one batch. */
static uint32_t train_length(const struct sock *s, uint32_t room)
{
	uint32_t n = SOCK_JOIN_BYTES / (room + s->tag);

	return n < SOCK_BATCH ? n : SOCK_BATCH;
}

/*
 * Returns a batch for the peer, or NULL: no memory, or the batch would hold one
 * datagram only.
 */
static struct sock_train *train_new(struct sock *s, struct sock_peer *p)
{
	uint32_t length = train_length(s, p->gram_max);
	struct sock_train *t = s->spare_train;

	if (length < 2)
		return NULL;
	if (t) {
		s->spare_train = t->next;
		s->spare_trains--;
	} else {
		t = aligned_alloc(_Alignof(struct sock_train), sizeof(*t));
	}
	if (!t)
		return NULL;
	t->peer = p;
	t->room = p->gram_max;
	t->length = length;
	t->taken = 0;
	t->live = 0;
	p->train = t;
	return t;
}

/* The peer takes no more datagrams from the batch. */
static void train_leave(struct sock_train *t)
{
	if (t->peer)
		t->peer->train = NULL;
	t->peer = NULL;
}

static void train_free(struct sock *s, struct sock_train *t)
{
	train_leave(t);
	if (s->spare_trains == GRAM_SPARE_TRAIN) {
		free(t);
		return;
	}
	t->next = s->spare_train;
	s->spare_train = t;
	s->spare_trains++;
}

struct sock_gram *sock_gram_full(struct sock *s, struct sock_peer *p)
{
	struct sock_train *t = p->train;
	struct sock_gram *g;

	if (t && t->room != p->gram_max) {
		train_leave(t);
		t = NULL;
	}
	if (!t)
		t = train_new(s, p);
	if (!t)
		return sock_gram_new(s, p->gram_max);
	g = gram_init(&t->gram[t->taken],
		      t->data + (size_t)t->taken * (t->room + s->tag), t->room);
	g->train = t;
	t->live++;
	if (++t->taken == t->length)
		train_leave(t);
	return g;
}

/* -------------------------------------------------------------------------- */

void sock_gram_free(struct sock *s, struct sock_gram *g)
{
	if (g && g->train) {
		if (!--g->train->live)
			train_free(s, g->train);
		return;
	}
	if (g && g->shelf < SOCK_SHELVES &&
	    s->spares[g->shelf] < gram_shelf[g->shelf].most) {
		g->next = s->spare[g->shelf];
		s->spare[g->shelf] = g;
		s->spares[g->shelf]++;
		return;
	}
	free(g);
}

void sock_gram_fini(struct sock *s)
{
	struct sock_gram *g;
	struct sock_train *t;

	for (int i = 0; i < SOCK_SHELVES; i++) {
		while ((g = s->spare[i])) {
			s->spare[i] = g->next;
			free(g);
		}
		s->spares[i] = 0;
	}
	while ((t = s->spare_train)) {
		s->spare_train = t->next;
		free(t);
	}
	s->spare_trains = 0;
}
