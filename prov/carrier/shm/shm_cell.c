/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells: payloads that do not fit a slot are stored in the sender's own
 * region. A receiver reads the cells of one sender in the order of the
 * packets, so one counter per pair (cells read) is enough to return them: no
 * process writes into another process's cells.
 *
 * Free cells are used in FIFO order. The cell that was returned last would be
 * the worst choice: its cache lines are in the receiver's cache and must be
 * transferred one by one before they can be written. Cells that were never
 * used are not touched while CELL_REUSE_MIN used cells are free.
 *
 * A peer may have as many cells in flight as there are free cells. One peer
 * that does not read thus occupies half of the cells, the next such peer a
 * quarter, and one cell is always left for a peer that does read.
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/must.h"

#include <errno.h>

/*
 * sends between checks for returned cells, since a check may cause a cache miss
 */
#define CELL_BATCH     8
#define CELL_REUSE_MIN 32 /* 256 KiB, fits the L2 cache */

void shm_cell_init(struct shm *s)
{
	s->cell_unused = 0;
	s->cell_free_count = (uint16_t)s->view.cells;
}

/*
 * Returns the number of free cells that were used before: the length of the
 * FIFO cell_free .. cell_free_last.
 */
static unsigned cell_free_used(const struct shm *s)
{
	WEFT_ASSERT(s->cell_unused <= s->view.cells);
	WEFT_ASSERT(s->cell_free_count >= s->view.cells - s->cell_unused);
	return s->cell_free_count - (s->view.cells - s->cell_unused);
}

void shm_cell_put(struct shm *s, uint16_t cell)
{
	WEFT_ASSERT(cell < s->cell_unused &&
		    s->cell_free_count < s->view.cells);
	if (cell_free_used(s))
		s->cell_next[s->cell_free_last] = cell;
	else
		s->cell_free = cell;
	s->cell_free_last = cell;
	s->cell_free_count++;
}

static uint16_t cell_alloc(struct shm *s)
{
	unsigned waiting = cell_free_used(s);
	uint16_t cell = s->cell_free;

	WEFT_ASSERT(s->cell_free_count);
	if (s->cell_unused < s->view.cells && waiting < CELL_REUSE_MIN)
		cell = s->cell_unused++;
	else
		s->cell_free = s->cell_next[cell];
	WEFT_ASSERT(cell < s->cell_unused);
	s->cell_free_count--;
	return cell;
}

static void cell_reclaim_one(struct shm *s, struct shm_peer *p, uint64_t n)
{
	WEFT_ASSERT(n <= p->cells_sent - p->cells_reclaimed);
	while (n-- > 0) {
		uint16_t cell = p->cell_first;

		WEFT_ASSERT(cell < s->cell_unused);
		p->cell_first = s->cell_next[cell];
		p->cells_reclaimed++;
		shm_cell_put(s, cell);
	}
	if (p->cells_reclaimed == p->cells_sent)
		weft_list_remove(&p->cell_node);
}

/*
 * Reclaims the cells that p has read. Returns -EPROTO if p claims to have read
 * more cells than were sent.
 */
int shm_cell_reclaim(struct shm *s, struct shm_peer *p)
{
	uint64_t in_flight = p->cells_sent - p->cells_reclaimed;
	uint64_t n;

	if (!in_flight)
		return 0;
	/*
	 * A2 pairs with R2 in rx_done(): the cell is read before it is
	 * rewritten.
	 */
	n = weft_load64(p->cells_done) - p->cells_reclaimed;
	if (n > in_flight)
		return -EPROTO;
	cell_reclaim_one(s, p, n);
	return 0;
}

/* Reclaims all cells in flight to p, which will not read them any more. */
void shm_cell_forget(struct shm *s, struct shm_peer *p)
{
	cell_reclaim_one(s, p, p->cells_sent - p->cells_reclaimed);
}

static bool cell_allowed(const struct shm *s, const struct shm_peer *p)
{
	return p->cells_sent - p->cells_reclaimed < s->cell_free_count;
}

static int cell_collect(struct shm *s, struct shm_peer *p)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &s->cell_peers) {
		struct shm_peer *q =
			weft_container_of(i, struct shm_peer, cell_node);

		if (shm_cell_reclaim(s, q))
			shm_peer_fail(s, q, EPROTO);
	}
	return cell_allowed(s, p) ? 0 : -EAGAIN;
}

/*
 * Allocates a cell for a packet to p. The cell counts as in flight only after
 * shm_cell_sent().
 */
int shm_cell_get(struct shm *s, struct shm_peer *p, uint16_t *cell_p)
{
	uint64_t in_flight = p->cells_sent - p->cells_reclaimed;
	int ret = 0;

	if (in_flight >= CELL_BATCH && p->cells_sent % CELL_BATCH == 0)
		ret = shm_cell_reclaim(s, p);
	if (!ret && !cell_allowed(s, p))
		ret = cell_collect(s, p);
	if (ret)
		return ret;
	*cell_p = cell_alloc(s);
	return 0;
}

void shm_cell_sent(struct shm *s, struct shm_peer *p, uint16_t cell)
{
	WEFT_ASSERT(cell < s->cell_unused);
	if (p->cells_sent == p->cells_reclaimed) {
		p->cell_first = cell;
		weft_list_push_back(&s->cell_peers, &p->cell_node);
	} else {
		s->cell_next[p->cell_last] = cell;
	}
	p->cell_last = cell;
	p->cells_sent++;
}
