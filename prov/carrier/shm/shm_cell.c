/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells: payloads that do not fit a slot wait in the sender's own region. A
 * receiver reads the cells of one sender in the order of its packets, so one
 * counter per pair ("so many of yours are read") gives them back: nobody
 * writes into anybody's cells. Free cells are a stack: the one whose lines
 * are still in the cache is used first.
 *
 * A peer may hold as many cells as are free besides. So one peer that does
 * not read takes half of them, the next one a quarter, and there is always
 * one left for a peer that does.
 */
#include "prov/carrier/shm/shm.h"

#include <errno.h>

/* Look for returned cells after so many sends: fewer looks, fewer misses. */
#define CELL_BATCH 8

void shm_cell_init(struct shm *s)
{
	s->cell_free = SHM_NO_CELL;
	for (unsigned i = s->view.cells; i-- > 0;)
		shm_cell_put(s, (uint16_t)i);
}

void shm_cell_put(struct shm *s, uint16_t cell)
{
	s->cell_next[cell] = s->cell_free;
	s->cell_free = cell;
	s->cell_free_count++;
}

static void cell_take_back(struct shm *s, struct shm_peer *p, uint64_t n)
{
	while (n-- > 0) {
		uint16_t cell = p->cell_first;

		p->cell_first = s->cell_next[cell];
		p->cells_back++;
		shm_cell_put(s, cell);
	}
	if (p->cells_back == p->cells_sent)
		weft_list_remove(&p->cell_node);
}

/* Takes back what p has read. -EPROTO: it claims more than it was sent. */
int shm_cell_reclaim(struct shm *s, struct shm_peer *p)
{
	uint64_t flying = p->cells_sent - p->cells_back;
	uint64_t n;

	if (!flying)
		return 0;
	/* A2 pairs with R2 in rx_done(): read before it is written again. */
	n = weft_load64(p->cells_done) - p->cells_back;
	if (n > flying)
		return -EPROTO;
	cell_take_back(s, p, n);
	return 0;
}

/* Everything p had goes back: it will read no more. */
void shm_cell_forget(struct shm *s, struct shm_peer *p)
{
	cell_take_back(s, p, p->cells_sent - p->cells_back);
}

static bool cell_allowed(const struct shm *s, const struct shm_peer *p)
{
	return p->cells_sent - p->cells_back < s->cell_free_count;
}

static int cell_collect(struct shm *s, struct shm_peer *p)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &s->cell_peers)
	{
		struct shm_peer *q =
			weft_container_of(i, struct shm_peer, cell_node);

		if (shm_cell_reclaim(s, q))
			shm_peer_fail(s, q, EPROTO);
	}
	return cell_allowed(s, p) ? 0 : -EAGAIN;
}

/* A cell for a packet to p. It is p's only after shm_cell_sent. */
int shm_cell_get(struct shm *s, struct shm_peer *p, uint16_t *cell_p)
{
	uint64_t flying = p->cells_sent - p->cells_back;
	int ret = 0;

	if (flying >= CELL_BATCH && p->cells_sent % CELL_BATCH == 0)
		ret = shm_cell_reclaim(s, p);
	if (!ret && !cell_allowed(s, p))
		ret = cell_collect(s, p);
	if (ret)
		return ret;
	*cell_p = s->cell_free;
	s->cell_free = s->cell_next[*cell_p];
	s->cell_free_count--;
	return 0;
}

void shm_cell_sent(struct shm *s, struct shm_peer *p, uint16_t cell)
{
	if (p->cells_sent == p->cells_back) {
		p->cell_first = cell;
		weft_list_push_back(&s->cell_peers, &p->cell_node);
	} else {
		s->cell_next[p->cell_last] = cell;
	}
	p->cell_last = cell;
	p->cells_sent++;
}
