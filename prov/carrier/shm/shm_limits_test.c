/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits of the region: an invalid packet is refused and counted, and its
 * writer is lost; all cells can be allocated; the pages of a FIFO are populated
 * on demand.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/shm/shm.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LONGER (SHM_LONG_BYTES + 1) /* payload that needs a cell */

struct pair {
	struct end *a, *b;
	struct weft_peer *to; /* a's peer record of b */
};

static void pair_open(struct pair *p)
{
	p->a = calloc(1, sizeof(*p->a));
	p->b = calloc(1, sizeof(*p->b));
	T_OK(end_open(p->a, &weft_carrier_shm, 1, NULL));
	T_OK(end_open(p->b, &weft_carrier_shm, 2, NULL));
	p->to = end_peer(p->a, p->b);
}

static void pair_close(struct pair *p)
{
	end_close(p->a);
	end_close(p->b);
	free(p->a);
	free(p->b);
}

static struct shm *shm_b(const struct pair *p)
{
	return shm_of(p->b->c);
}

/* Returns the slot that was filled last. */
static struct shm_slot *last_slot(const struct pair *p)
{
	const struct shm_view *v = &shm_b(p)->view;
	uint64_t ticket = shm_tail_ticket(weft_load64(&v->head->tail)) - 1;

	return &v->slot[ticket & (v->slots - 1)];
}

static void set_len(struct shm_slot *slot, size_t len)
{
	uint64_t word = weft_load64(&slot->word);
	struct weft_pkt pkt;

	memcpy(&pkt, &word, sizeof(word));
	pkt.len = (uint16_t)len;
	memcpy(&word, &pkt, sizeof(word));
	weft_store64(&slot->word, word);
}

/* Returns b's view of a's region, whose cells the test modifies, or NULL. */
static struct shm_view *view_of_a(const struct pair *p)
{
	struct shm *s = shm_b(p);

	for (uint32_t i = 0; i < s->view.entries; i++) {
		if (s->rx[i].peer)
			return &s->rx[i].peer->view;
	}
	return NULL;
}

/*
 * Checks that one packet was refused: not delivered, counted, its writer lost.
 */
static void expect_refused(struct pair *p)
{
	uint64_t got = p->b->got, was = shm_b(p)->stats.refused;

	T_TRUE(end_wait_lost(p->b, 1, 20));
	T_IS(p->b->got, got);
	T_IS(p->b->bad, 0);
	T_IS(shm_b(p)->stats.refused, was + 1);
	T_IS(p->b->lost_err, EPROTO);
	pair_close(p);
}

/* Opens a pair and sends n valid packets. */
static void pair_begin(struct pair *p, uint64_t n, size_t len)
{
	pair_open(p);
	for (uint64_t i = 0; i < n; i++) {
		T_OK(end_send_all(p->a, p->to, i, len, 20));
		T_TRUE(end_wait_got(p->b, i + 1, 20));
	}
	T_IS(p->b->bad, 0);
}

/*
 * The invalid packet is sent as a writer's first packet (slow path) and as a
 * later one (fast path).
 */
static void an_inline_packet_longer_than_its_slot_is_refused(void **state)
{
	static const size_t len[] = { SHM_SHORT_BYTES + 1, SHM_SLOT_BYTES,
				      UINT16_MAX };
	struct pair p;

	for (unsigned i = 0; i < 6; i++) {
		pair_begin(&p, i % 2, 8);
		T_OK(end_send_all(p.a, p.to, i % 2, SHM_SHORT_BYTES, 20));
		set_len(last_slot(&p), len[i / 2]);
		expect_refused(&p);
	}
}

static void an_inline_packet_may_fill_its_slot(void **state)
{
	struct pair p;

	pair_begin(&p, 3, SHM_SHORT_BYTES);
	pair_close(&p);
}

static void a_cell_index_out_of_range_is_refused(void **state)
{
	uint32_t no[] = { 0, SHM_NO_CELL, UINT32_MAX };
	struct pair p;

	for (unsigned i = 0; i < 6; i++) {
		pair_begin(&p, i % 2, LONGER);
		no[0] = shm_of(p.a->c)->view.cells;
		T_OK(end_send_all(p.a, p.to, i % 2, LONGER, 20));
		memcpy(last_slot(&p)->payload, &no[i / 2], sizeof(no[0]));
		expect_refused(&p);
	}
}

/*
 * The peer's region may specify smaller or larger cells than the receiver's
 * region.
 */
static void a_packet_longer_than_its_cell_is_refused(void **state)
{
	struct pair p;

	pair_begin(&p, 1, LONGER);
	view_of_a(&p)->cell_bytes = LONGER - 1;
	T_OK(end_send_all(p.a, p.to, 1, LONGER, 20));
	expect_refused(&p);
}

static void a_packet_longer_than_the_mtu_is_refused(void **state)
{
	struct pair p;
	size_t mtu;

	pair_begin(&p, 1, LONGER);
	mtu = p.b->c->mtu;
	T_TRUE(mtu < UINT16_MAX);
	view_of_a(&p)->cell_bytes = UINT16_MAX;
	view_of_a(&p)->cells = 1;
	T_OK(end_send_all(p.a, p.to, 1, LONGER, 20));
	set_len(last_slot(&p), mtu + 1);
	memset(last_slot(&p)->payload, 0, sizeof(uint32_t));
	expect_refused(&p);
}

static void a_packet_may_fill_its_cell(void **state)
{
	struct pair p;

	pair_begin(&p, 1, 8);
	T_OK(end_send_all(p.a, p.to, 1, p.a->c->mtu, 20));
	T_TRUE(end_wait_got(p.b, 2, 20));
	T_IS(p.b->bad, 0);
	pair_close(&p);
}

/* ---- allocation of cells ------------------------------------------------- */

#define READERS 24

/* Sends payloads in cells until a send is refused; returns the number sent. */
static unsigned fill_cells(struct end *e, struct weft_peer *to)
{
	unsigned n = 0;
	int ret;

	while ((ret = end_send(e, to, n, LONGER)) == 0) {
		n++;
		T_TRUE(n <= shm_of(e->c)->view.cells);
	}
	T_AGAIN(ret);
	return n;
}

/*
 * No peer reads. Each peer gets half of the free cells until none is left, and
 * the next send returns -EAGAIN. Then one peer reads, and its cells are
 * available again.
 */
static void all_cells_can_be_allocated(void **state)
{
	struct end *a = calloc(1, sizeof(*a));
	struct end *b = calloc(READERS, sizeof(*b));
	struct weft_peer *to[READERS];
	unsigned left, n[READERS], some = 0;
	struct shm *s;

	T_OK(end_open(a, &weft_carrier_shm, 1, NULL));
	s = shm_of(a->c);
	left = s->view.cells;
	for (unsigned i = 0; i < READERS; i++) {
		T_OK(end_open(&b[i], &weft_carrier_shm, 2 + i, NULL));
		to[i] = end_peer(a, &b[i]);
		/* connect first: later sends fail only if no cell is free */
		T_OK(end_send_all(a, to[i], 0, 8, 20));
		T_TRUE(end_wait_got(&b[i], 1, 20));
		b[i].got_from[1] = 0;
	}
	for (unsigned i = 0; i < READERS; i++) {
		n[i] = fill_cells(a, to[i]);
		T_IS(n[i], (left + 1) / 2);
		left -= n[i];
		T_IS(s->cell_free_count, left);
		some += n[i] > 0;
	}
	T_IS(left, 0);
	T_TRUE(some < READERS);
	T_TRUE(end_wait_got(&b[1], 1 + n[1], 20));
	T_IS(fill_cells(a, to[READERS - 1]), (n[1] + 1) / 2);
	for (unsigned i = 0; i < READERS; i++) {
		T_TRUE(end_wait_got(&b[i], 1 + n[i], 20));
		T_IS(b[i].bad, 0);
		end_close(&b[i]);
	}
	end_close(a);
	free(a);
	free(b);
}

/*
 * A peer writes how many of its cells it has read; valid counts are not above
 * the number of sent cells, and not below the previous count.
 */
static void a_peer_with_an_impossible_count_of_cells_is_lost(void **state)
{
	static const uint64_t claims[] = { SHM_CELLS + 1, UINT64_MAX };

	for (size_t i = 0; i < WEFT_COUNT_OF(claims); i++) {
		struct pair p;
		uint64_t n = 1;
		int ret;

		pair_begin(&p, 1, 8);
		T_OK(end_send(p.a, p.to, n, LONGER));
		weft_store64(shm_peer_of(p.to)->cells_done, claims[i]);
		do {
			ret = end_send(p.a, p.to, ++n, LONGER);
			T_TRUE(n <= shm_of(p.a->c)->view.cells);
		} while (!ret);
		T_IS(ret, -ECONNRESET);
		T_TRUE(end_wait_lost(p.a, 1, 20));
		T_IS(p.a->lost_err, EPROTO);
		pair_close(&p);
	}
}

#define SENDS 400 /* more sends than there are cells */
#define ROUND 16  /* consecutive sends that must use different cells */

/* Free cells are reused in FIFO order; most cells are never touched. */
static void free_cells_are_reused_in_fifo_order(void **state)
{
	unsigned last[256], most = 0;
	struct pair p;
	struct shm *s;

	pair_open(&p);
	s = shm_of(p.a->c);
	T_TRUE(s->view.cells <= 256);
	for (unsigned i = 0; i < 256; i++)
		last[i] = 0;
	for (unsigned i = 1; i <= SENDS; i++) {
		uint16_t cell;

		T_OK(end_send_all(p.a, p.to, i - 1, LONGER, 20));
		T_TRUE(end_wait_got(p.b, i, 20));
		cell = shm_peer_of(p.to)->cell_last;
		T_TRUE(!last[cell] || i - last[cell] > ROUND);
		last[cell] = i;
		most = cell > most ? cell : most;
	}
	T_TRUE(most >= ROUND && most < s->view.cells / 2);
	T_IS(p.b->bad, 0);
	pair_close(&p);
}

/* ---- population of pages ------------------------------------------------- */

#define WINDOW 64

/*
 * Returns the number of pages of b's FIFO; *populated_p: how many are
 * populated.
 */
static size_t fifo_pages(const struct pair *p, size_t *populated_p)
{
	const struct shm_view *v = &shm_b(p)->view;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)v->slot / page * page;
	uintptr_t end = (uintptr_t)(v->slot + v->slots);
	size_t n = (end - at + page - 1) / page;
	unsigned char *in = calloc(n, 1);

	T_OK(mincore((void *)at, end - at, in));
	*populated_p = 0;
	for (size_t i = 0; i < n; i++)
		*populated_p += in[i] & 1;
	free(in);
	return n;
}

/* Returns whether the kernel supports MADV_POPULATE_WRITE (5.14 or later). */
static bool kernel_populates_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool populates = false;

#ifdef MADV_POPULATE_WRITE
	populates = !madvise(at, page, MADV_POPULATE_WRITE);
#endif
	munmap(at, page);
	return populates;
}

static void a_stream_of_packets_populates_the_fifo(void **state)
{
	size_t pages, populated;
	struct pair p;

	if (!kernel_populates_pages())
		skip();
	pair_open(&p);
	for (uint64_t i = 0; i < WINDOW; i++)
		T_OK(end_send_all(p.a, p.to, i, 8, 20));
	pages = fifo_pages(&p, &populated);
	T_IS(populated, pages);
	T_TRUE(end_wait_got(p.b, WINDOW, 20));
	T_IS(p.b->bad, 0);
	pair_close(&p);
}

/*
 * Skipped if the host's pages are so large that the first packet populates all
 * of them.
 */
static void fifo_pages_are_populated_on_demand(void **state)
{
	struct weft_peer *to_a;
	size_t pages, populated, first = 0;
	struct pair p;

	pair_open(&p);
	to_a = end_peer(p.b, p.a);
	for (uint64_t i = 0; i < WINDOW; i++) {
		T_OK(end_send_all(p.a, p.to, i, 8, 20));
		T_TRUE(end_wait_got(p.b, i + 1, 20));
		T_OK(end_send_all(p.b, to_a, i, 8, 20));
		T_TRUE(end_wait_got(p.a, i + 1, 20));
		if (!first)
			fifo_pages(&p, &first);
	}
	pages = fifo_pages(&p, &populated);
	pair_close(&p);
	if (first == pages)
		skip();
	T_TRUE(populated < pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(an_inline_packet_longer_than_its_slot_is_refused),
		T_CASE(an_inline_packet_may_fill_its_slot),
		T_CASE(a_cell_index_out_of_range_is_refused),
		T_CASE(a_packet_longer_than_its_cell_is_refused),
		T_CASE(a_packet_longer_than_the_mtu_is_refused),
		T_CASE(a_packet_may_fill_its_cell),
		T_CASE(all_cells_can_be_allocated),
		T_CASE(a_peer_with_an_impossible_count_of_cells_is_lost),
		T_CASE(free_cells_are_reused_in_fifo_order),
		T_CASE(a_stream_of_packets_populates_the_fifo),
		T_CASE(fifo_pages_are_populated_on_demand),
	};

	return T_RUN(tests);
}
