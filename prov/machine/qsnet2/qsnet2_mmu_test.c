/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the Elan4 interface: translation, TLBs and chains, demand paging,
 * permissions, byte order.
 */
#include "test/support/qsnet2_pair.h"

#define LAST  WEFT_QSNET2_T_LAST
#define ELAN  (UINT64_C(7) << 60) /* an address outside every process */
#define SMALL 8192u

static struct weft_qsnet2_stats stats(const struct side *s)
{
	struct weft_qsnet2_stats st;

	weft_qsnet2_stats(s->s, &st);
	return st;
}

static void at_write(struct pair *p, uint64_t address, uint64_t v)
{
	weft_qsnet2_open_packet(&p->a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p->a.st, WEFT_QSNET2_T_WRITE | LAST, address,
				&v, 8);
	pair_post_run(p);
}

static uint8_t ack(struct pair *p)
{
	uint8_t a = pair_state(&p->a).ack[0];

	if (pair_state(&p->a).trap)
		T_OK(weft_qsnet2_queue_clear(p->a.s, p->a.q));
	return a;
}

/* ---- translation ---- */

/* Context 16374 needs all 14 bits, and uses the same TLB line as context 6. */
static void addresses_are_translated_per_context(void **state)
{
	struct sockaddr_in name;
	struct pair p;

	pair_open(&p, "");
	weft_qsnet2_name(p.b.s, &name);
	T_OK(weft_qsnet2_filter(p.b.s, 16374, WEFT_QSNET2_ACCEPT));
	T_IS(weft_qsnet2_map_at(p.b.s, 16384, ELAN, p.b.mem, 8,
				WEFT_QSNET2_ALL),
	     -EINVAL);
	T_IS(weft_qsnet2_map_at(p.b.s, 6, UINT64_MAX - 4, p.b.mem, 8,
				WEFT_QSNET2_ALL),
	     -EINVAL);
	T_OK(weft_qsnet2_map_at(p.b.s, 6, ELAN, p.b.mem, 100, WEFT_QSNET2_ALL));
	T_OK(weft_qsnet2_map_at(p.b.s, 16374, ELAN, p.b.mem + 4096, 100,
				WEFT_QSNET2_ALL));
	at_write(&p, ELAN, 11);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	T_OK(weft_qsnet2_route_set(p.a.s, 1, &name, 16374));
	at_write(&p, ELAN + 8, 12);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	T_IS(*qsnet2_word_at(&p.b, 0), 11);
	T_IS(*qsnet2_word_at(&p.b, 4096 + 8), 12);
	T_IS(*qsnet2_word_at(&p.b, 8), 0);
	at_write(&p, ELAN + 96, 13);
	T_IS(ack(&p), WEFT_QSNET2_ACK_ERROR);
	pair_close(&p);
}

static void touch(struct pair *p, unsigned page)
{
	T_NOT_NULL(qsnet2_memory(p->b.s, 6, ELAN + (uint64_t)page * SMALL, 8,
				 WEFT_QSNET2_LOCAL_READ));
}

static unsigned char *map_many(struct pair *p, unsigned pages, unsigned like)
{
	size_t bytes = (size_t)pages * SMALL;
	unsigned char *mem = malloc(bytes);

	T_NOT_NULL(mem);
	T_OK(weft_qsnet2_map_at(p->b.s, 6, ELAN, mem, bytes,
				WEFT_QSNET2_ALL | like));
	return mem;
}

/* The TLB has 16 lines of four pages: 64 consecutive pages fit, 80 do not. */
static void a_tlb_holds_64_pages(void **state)
{
	struct weft_qsnet2_stats st;
	struct pair p;
	void *mem;

	pair_open(&p, "");
	mem = map_many(&p, 80, 0);
	for (unsigned i = 0; i < 64; i++)
		touch(&p, i);
	st = stats(&p.b);
	T_IS(st.tlb_misses, 64);
	T_IS(st.fills, 64);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 64; i++)
			touch(&p, i);
	st = stats(&p.b);
	T_IS(st.tlb_misses, 64);
	T_IS(st.tlb_hits, 3 * 64);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 80; i++)
			touch(&p, i);
	st = stats(&p.b);
	T_TRUE(st.tlb_misses > 64 + 16);
	T_IS(st.fills, 80);
	pair_close(&p);
	free(mem);
}

static void chains_hold_what_the_tlb_evicts(void **state)
{
	enum { PAGES = 5000 };
	struct weft_qsnet2_stats st;
	struct pair p;
	void *mem;

	pair_open(&p, "");
	mem = map_many(&p, PAGES, 0);
	for (unsigned i = 0; i < PAGES; i++)
		touch(&p, i);
	T_IS(stats(&p.b).fills, PAGES);
	st = stats(&p.b);
	for (unsigned i = 0; i < PAGES; i++)
		T_PTR(qsnet2_memory(p.b.s, 6, ELAN + (uint64_t)i * SMALL, 8,
				    WEFT_QSNET2_LOCAL_READ),
		      (unsigned char *)mem + (size_t)i * SMALL);
	T_IS(stats(&p.b).fills, PAGES);
	/* chains hold several pages, so a lookup takes several steps */
	T_TRUE(stats(&p.b).walks - st.walks > PAGES + PAGES / 2);
	T_OK(weft_qsnet2_unmap_at(p.b.s, 6, ELAN));
	T_NULL(qsnet2_memory(p.b.s, 6, ELAN, 8, WEFT_QSNET2_LOCAL_READ));
	T_NULL(qsnet2_memory(p.b.s, 6, ELAN + 4999 * SMALL, 8,
			     WEFT_QSNET2_LOCAL_READ));
	pair_close(&p);
	free(mem);
}

/* The memory of the chains is limited; dropped translations are added again. */
static void full_chains_are_dropped_and_refilled(void **state)
{
	static unsigned char mem[8];
	struct weft_qsnet2 *s;
	struct pair p;
	const uint64_t bytes = UINT64_C(1) << 40;

	pair_open(&p, "");
	s = p.b.s;
	T_OK(weft_qsnet2_map_at(s, 6, ELAN, mem, bytes, WEFT_QSNET2_ALL));
	for (uint64_t i = 0; i < QSNET2_PAGES + 100; i++)
		T_PTR(qsnet2_memory(s, 6, ELAN + i * SMALL, 8,
				    WEFT_QSNET2_LOCAL_READ),
		      mem + i * SMALL);
	T_TRUE(s->mmu.pages <= QSNET2_PAGES);
	T_PTR(qsnet2_memory(s, 6, ELAN, 8, WEFT_QSNET2_LOCAL_READ), mem);
	pair_close(&p);
}

static void two_of_eight_page_sizes_are_in_use(void **state)
{
	static const uint64_t kb[] = {
		4, 8, 64, 512, 2048, 4096, 65536, 524288
	};
	struct pair p;
	uint64_t before;
	void *mem;

	pair_open(&p, "");
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 8; k++)
			T_IS(weft_qsnet2_pages(p.b.s, kb[i] << 10, kb[k] << 10),
			     i < k ? 0 : -EINVAL);
	T_IS(weft_qsnet2_pages(p.b.s, 16 << 10, 4 << 20), -EINVAL);
	mem = map_many(&p, 128, WEFT_QSNET2_LARGE);
	T_OK(weft_qsnet2_pages(p.b.s, SMALL, 64 << 10));
	before = stats(&p.b).tlb_misses;
	for (unsigned i = 0; i < 128; i++)
		touch(&p, i);
	T_IS(stats(&p.b).tlb_misses - before, 16);
	T_OK(weft_qsnet2_pages(p.b.s, SMALL, 512 << 10));
	before = stats(&p.b).tlb_misses;
	for (unsigned i = 0; i < 128; i++)
		touch(&p, i);
	T_IS(stats(&p.b).tlb_misses - before, 2);
	T_OK(weft_qsnet2_unmap_at(p.b.s, 6, ELAN));
	pair_close(&p);
	free(mem);
}

static void unmapped_memory_is_inaccessible(void **state)
{
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_qsnet2_map_at(p.b.s, 6, ELAN, p.b.mem, 64, WEFT_QSNET2_ALL));
	at_write(&p, ELAN, 1);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	T_OK(weft_qsnet2_unmap_at(p.b.s, 6, ELAN));
	at_write(&p, ELAN, 2);
	T_IS(ack(&p), WEFT_QSNET2_ACK_ERROR);
	T_OK(weft_qsnet2_map_at(p.b.s, 6, ELAN, p.b.mem + 64, 64,
				WEFT_QSNET2_ALL));
	at_write(&p, ELAN, 3);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	T_IS(*qsnet2_word_at(&p.b, 0), 1);
	T_IS(*qsnet2_word_at(&p.b, 64), 3);
	T_IS(weft_qsnet2_unmap_at(p.b.s, 6, ELAN + 64), -ENOENT);
	pair_close(&p);
}

/* ---- demand paging ---- */

/* Maps a page of ELAN to the memory of a side on first use. */
struct driver {
	struct side *side;
	uint64_t bytes; /* bytes of ELAN; accesses beyond are refused */
	unsigned called;
	unsigned refused;
};

static int driver_page(void *arg, unsigned context, uint64_t address,
		       uint64_t bytes, unsigned perm)
{
	struct driver *d = arg;
	uint64_t at = address - ELAN;

	d->called++;
	if (address < ELAN || at + bytes > d->bytes) {
		d->refused++;
		return -EFAULT;
	}
	for (at &= ~(uint64_t)(SMALL - 1); at < address - ELAN + bytes;
	     at += SMALL) {
		unsigned flags;

		if (!qsnet2_memory_mapped(d->side->s, context, ELAN + at, 8,
					  perm, &flags))
			T_OK(weft_qsnet2_map_at(d->side->s, context, ELAN + at,
						d->side->mem + at, SMALL,
						WEFT_QSNET2_ALL));
	}
	return 0;
}

static void driver_open(struct driver *d, struct side *side)
{
	*d = (struct driver){ .side = side, .bytes = 16 * SMALL };
	T_OK(weft_qsnet2_pager_set(side->s, side->context, driver_page, d));
}

/* No memory is mapped on either side when the DMA starts. */
static void pages_are_mapped_on_first_use(void **state)
{
	struct weft_qsnet2_dma dma = {
		.bytes = 10 * SMALL,
		.vproc = 1,
		.src = ELAN + 100,
		.dst = ELAN + 777,
		.src_event = ELAN + 11 * SMALL,
		.dst_event = ELAN + 12 * SMALL,
	};
	struct weft_qsnet2_event *e[2];
	struct driver da, db;
	struct pair p;

	pair_open(&p, "");
	driver_open(&da, &p.a);
	driver_open(&db, &p.b);
	e[0] = (struct weft_qsnet2_event *)(void *)(p.a.mem + 11 * SMALL);
	e[1] = (struct weft_qsnet2_event *)(void *)(p.b.mem + 12 * SMALL);
	e[0]->count = -1;
	e[1]->count = -1;
	t_fill(p.a.mem + 100, dma.bytes, 3);
	weft_qsnet2_run_dma(&p.a.st, &dma);
	pair_post_run(&p);
	T_IS(e[0]->fired, 1);
	T_IS(e[1]->fired, 1);
	T_IS(t_differs(p.b.mem + 777, dma.bytes, 3), -1);
	T_IS(stats(&p.a).trap, WEFT_QSNET2_TRAP_NONE);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_NONE);
	/* a fault at b is a Discard to a; a fault at a needs no packet */
	T_IS(stats(&p.b).faults, db.called);
	T_TRUE(db.called >= 11);
	T_TRUE(da.called >= 11);
	T_TRUE(stats(&p.a).restarts >= 11);
	T_IS(stats(&p.a).acks[2], stats(&p.a).restarts);
	T_IS(da.refused + db.refused, 0);
	pair_close(&p);
}

/* Transactions before the fault are not executed twice. */
static void a_faulting_packet_executes_once(void **state)
{
	struct driver d;
	struct pair p;
	uint64_t v = 1;

	pair_open(&p, "");
	driver_open(&d, &p.b);
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_ADD_WORD,
				qsnet2_at(&p.b, 65536), &v, 8);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_WRITE | LAST, ELAN + 8,
				&v, 8);
	pair_post_run(&p);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	T_IS(stats(&p.a).restarts, 1);
	T_IS(d.called, 1);
	T_IS(*qsnet2_word_at(&p.b, 65536), 1);
	T_IS(*qsnet2_word_at(&p.b, 8), 1);
	pair_close(&p);
}

static void a_fault_the_driver_refuses_is_an_error(void **state)
{
	struct driver d;
	struct pair p;

	pair_open(&p, "");
	driver_open(&d, &p.b);
	for (unsigned i = 1; i < 40; i++) {
		at_write(&p, ELAN + (i + 20) * SMALL, 1);
		T_IS(ack(&p), WEFT_QSNET2_ACK_ERROR);
		T_TRUE(d.refused >= i);
		T_TRUE(p.b.s->faults <= QSNET2_FAULTS);
	}
	weft_qsnet2_write_word(&p.a.st, ELAN, 1);
	pair_post_run(&p);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_MEMORY);
	T_OK(weft_qsnet2_pager_set(p.b.s, 6, NULL, NULL));
	T_OK(weft_qsnet2_queue_clear(p.a.s, p.a.q));
	at_write(&p, ELAN, 1);
	T_IS(ack(&p), WEFT_QSNET2_ACK_ERROR);
	pair_close(&p);
}

/* ---- permissions ---- */

enum use {
	USE_COMMAND_WRITE,
	USE_COMMAND_READ,
	USE_COMMAND_EVENT,
	USE_PACKET_WRITE,
	USE_PACKET_ADD,
	USE_PACKET_TEST,
	USE_PACKET_EVENT,
	USE_DMA_FROM,
	USE_GET_FROM,
	USE_COUNT,
};

static const unsigned use_needs[USE_COUNT] = {
	[USE_COMMAND_WRITE] = WEFT_QSNET2_LOCAL_WRITE,
	[USE_COMMAND_READ] = WEFT_QSNET2_LOCAL_READ,
	[USE_COMMAND_EVENT] = WEFT_QSNET2_LOCAL_WRITE,
	[USE_PACKET_WRITE] = WEFT_QSNET2_REMOTE_WRITE,
	[USE_PACKET_ADD] = WEFT_QSNET2_REMOTE_WRITE,
	[USE_PACKET_TEST] = WEFT_QSNET2_REMOTE_READ,
	[USE_PACKET_EVENT] = WEFT_QSNET2_REMOTE_EVENT,
	[USE_DMA_FROM] = WEFT_QSNET2_LOCAL_READ,
	[USE_GET_FROM] = WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_REMOTE_READ,
};

static void use_commands(struct pair *p, enum use use)
{
	static const unsigned types[USE_COUNT] = {
		[USE_PACKET_WRITE] = WEFT_QSNET2_T_WRITE,
		[USE_PACKET_ADD] = WEFT_QSNET2_T_ADD_WORD,
		[USE_PACKET_TEST] = WEFT_QSNET2_T_TEST_EQ,
		[USE_PACKET_EVENT] = WEFT_QSNET2_T_SET_EVENT,
	};
	struct weft_qsnet2_dma d = {
		.bytes = 64,
		.vproc = 1,
		.src = ELAN,
		.dst = qsnet2_at(&p->b, 4096),
	};
	uint64_t v = 0;

	if (use == USE_COMMAND_WRITE)
		weft_qsnet2_write_word(&p->a.st, ELAN, 1);
	else if (use == USE_COMMAND_READ)
		weft_qsnet2_copy64(&p->a.st, ELAN, qsnet2_at(&p->a, 4096));
	else if (use == USE_COMMAND_EVENT)
		weft_qsnet2_set_event(&p->a.st, ELAN, 1);
	if (use == USE_GET_FROM) {
		d.flags = WEFT_QSNET2_DMA_REMOTE;
		d.dst = qsnet2_at(&p->a, 4096);
	}
	if (use == USE_DMA_FROM || use == USE_GET_FROM)
		weft_qsnet2_run_dma(&p->a.st, &d);
	if (!types[use])
		return;
	weft_qsnet2_open_packet(&p->a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p->a.st, types[use] | LAST, ELAN, &v,
				use == USE_PACKET_EVENT ? 0 : 8);
}

/* Both sides map 64 bytes at ELAN with perm. Returns whether the use works. */
static bool use_works(enum use use, unsigned perm)
{
	struct pair p;
	bool ok;

	pair_open(&p, "");
	T_OK(weft_qsnet2_map_at(p.a.s, 5, ELAN, p.a.mem, 64, perm));
	T_OK(weft_qsnet2_map_at(p.b.s, 6, ELAN, p.b.mem, 64, perm));
	use_commands(&p, use);
	pair_post_run(&p);
	ok = !pair_state(&p.a).trap && !stats(&p.a).trap && !stats(&p.b).trap;
	if (use == USE_DMA_FROM || use == USE_GET_FROM)
		ok = ok && stats(&p.a).dmas == 1;
	pair_close(&p);
	return ok;
}

static void every_use_needs_its_permission_and_no_other(void **state)
{
	for (enum use u = 0; u < USE_COUNT; u++) {
		T_TRUE(use_works(u, use_needs[u]));
		for (unsigned bit = 1; bit < WEFT_QSNET2_ALL; bit <<= 1) {
			if (use_needs[u] & bit)
				T_FALSE(use_works(u, WEFT_QSNET2_ALL & ~bit));
		}
	}
}

/*
 * The event of a get is set with the permissions of the origin, not of the
 * owner of the memory.
 */
static void source_event_of_a_get_uses_remote_rights(void **state)
{
	struct weft_qsnet2_dma d = {
		.bytes = 64,
		.flags = WEFT_QSNET2_DMA_REMOTE,
		.vproc = 1,
		.src_event = ELAN,
	};
	struct pair p;

	for (int may = 0; may < 2; may++) {
		pair_open(&p, "");
		d.src = qsnet2_at(&p.b, 4096);
		d.dst = qsnet2_at(&p.a, 4096);
		T_OK(weft_qsnet2_map_at(
			p.b.s, 6, ELAN, p.b.mem, 64,
			may ? WEFT_QSNET2_REMOTE_EVENT
			    : WEFT_QSNET2_ALL & ~WEFT_QSNET2_REMOTE_EVENT));
		weft_qsnet2_run_dma(&p.a.st, &d);
		pair_post_run(&p);
		T_IS(((struct weft_qsnet2_event *)(void *)p.b.mem)->count, may);
		pair_close(&p);
	}
}

/* ---- byte order ---- */

static const unsigned dma_types[] = { 0, WEFT_QSNET2_DMA_16, WEFT_QSNET2_DMA_32,
				      WEFT_QSNET2_DMA_64 };
static const unsigned write_types[] = { 0, WEFT_QSNET2_T_16, WEFT_QSNET2_T_32,
					WEFT_QSNET2_T_64 };

/* Compares got with sent; swapped: the bytes of each element are reversed. */
static void check_order(const unsigned char *got, const unsigned char *sent,
			size_t bytes, unsigned type, bool swapped)
{
	size_t mask = swapped ? ((size_t)1 << type) - 1 : 0;

	for (size_t i = 0; i < bytes; i++)
		T_IS(got[i], sent[i ^ mask]);
}

static void writes_are_swapped_by_their_type(void **state)
{
	unsigned char buf[128];
	struct pair p;

	t_fill(buf, sizeof(buf), 9);
	for (unsigned type = 0; type < 4; type++) {
		for (int big = 0; big < 2; big++) {
			pair_open(&p, "");
			T_OK(weft_qsnet2_map_at(
				p.b.s, 6, ELAN, p.b.mem, 4096,
				WEFT_QSNET2_ALL |
					(big ? WEFT_QSNET2_BIG_ENDIAN : 0)));
			weft_qsnet2_open_packet(&p.a.st, 0, 1, 3);
			weft_qsnet2_transaction(
				&p.a.st,
				WEFT_QSNET2_T_WRITE | write_types[type] | LAST,
				ELAN + 8, buf, 128);
			pair_post_run(&p);
			T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
			check_order(p.b.mem + 8, buf, 128, type, big);
			pair_close(&p);
		}
	}
}

/* Elements are swapped if the byte orders of the two pages differ. */
static void a_dma_converts_between_byte_orders(void **state)
{
	struct weft_qsnet2_dma d = { .bytes = 5000, .vproc = 1 };
	unsigned like[2];
	struct pair p;

	for (unsigned i = 0; i < 16; i++) {
		unsigned type = i / 4;

		like[0] = i & 1 ? WEFT_QSNET2_BIG_ENDIAN : 0;
		like[1] = i & 2 ? WEFT_QSNET2_BIG_ENDIAN : 0;
		pair_open(&p, "");
		T_OK(weft_qsnet2_map_at(p.a.s, 5, ELAN, p.a.mem, 32768,
					WEFT_QSNET2_ALL | like[0]));
		T_OK(weft_qsnet2_map_at(p.b.s, 6, ELAN, p.b.mem, 32768,
					WEFT_QSNET2_ALL | like[1]));
		t_fill(p.a.mem + 16, d.bytes, i);
		d.flags = (uint8_t)dma_types[type];
		d.src = ELAN + 16;
		d.dst = ELAN + 1024;
		weft_qsnet2_run_dma(&p.a.st, &d);
		pair_post_run(&p);
		T_IS(stats(&p.a).dmas, 1);
		check_order(p.b.mem + 1024, p.a.mem + 16, d.bytes, type,
			    like[0] != like[1]);
		pair_close(&p);
	}
}

/* Tests and additions use the value, whatever the byte order of the page. */
static void big_endian_words_are_used_by_value(void **state)
{
	static const unsigned char seven[8] = { 0, 0, 0, 0, 0, 0, 0, 7 };
	struct pair p;
	uint64_t v = 5;

	pair_open(&p, "");
	T_OK(weft_qsnet2_map_at(p.b.s, 6, ELAN, p.b.mem, 64,
				WEFT_QSNET2_ALL | WEFT_QSNET2_BIG_ENDIAN));
	T_OK(weft_qsnet2_map_at(p.a.s, 5, ELAN, p.a.mem, 64,
				WEFT_QSNET2_ALL | WEFT_QSNET2_BIG_ENDIAN));
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_TEST_AND_WRITE, ELAN, &v,
				8);
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_TEST_EQ, ELAN, &v, 8);
	v = 2;
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_ADD_WORD, ELAN, &v, 8);
	v = 8;
	weft_qsnet2_transaction(&p.a.st, WEFT_QSNET2_T_TEST_LT | LAST, ELAN, &v,
				8);
	weft_qsnet2_write_word(&p.a.st, ELAN, 6);
	weft_qsnet2_add_word(&p.a.st, ELAN, 1);
	weft_qsnet2_set_event(&p.a.st, ELAN, 1);
	pair_post_run(&p);
	T_MEM(p.b.mem, seven, 8);
	T_MEM(p.a.mem, seven, 8);
	/* event fields must be in host byte order, not in a big-endian page */
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_MEMORY);
	T_IS(ack(&p), WEFT_QSNET2_ACK_OK);
	pair_close(&p);
}

static void units_must_be_aligned(void **state)
{
	struct weft_qsnet2_dma d = {
		.bytes = 64,
		.flags = WEFT_QSNET2_DMA_32,
		.vproc = 1,
	};
	struct pair p;
	uint64_t v = 0;

	pair_open(&p, "");
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p.a.st,
				WEFT_QSNET2_T_WRITE | WEFT_QSNET2_T_32 | LAST,
				qsnet2_at(&p.b, 2), &v, 8);
	pair_post_run(&p);
	T_IS(ack(&p), WEFT_QSNET2_ACK_ERROR);
	d.src = qsnet2_at(&p.a, 0);
	d.dst = qsnet2_at(&p.b, 2);
	weft_qsnet2_run_dma(&p.a.st, &d);
	pair_post_run(&p);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_ALIGNMENT);
	pair_close(&p);
}

/* A translation cached for one use does not permit another use. */
static void cached_translation_keeps_permissions(void **state)
{
	struct pair p;
	uint64_t at = UINT64_C(1) << 40;

	pair_open(&p, NULL);
	T_OK(weft_qsnet2_map_at(p.a.s, 5, at, p.a.mem, 4096,
				WEFT_QSNET2_LOCAL_READ));
	T_TRUE(weft_qsnet2_memory(p.a.s, 5, at, 8, WEFT_QSNET2_LOCAL_READ));
	T_TRUE(!weft_qsnet2_memory(p.a.s, 5, at, 8, WEFT_QSNET2_LOCAL_WRITE));
	T_TRUE(!weft_qsnet2_memory(p.a.s, 5, at, 8, WEFT_QSNET2_REMOTE_WRITE));
	T_TRUE(!weft_qsnet2_memory(p.a.s, 5, at, 8, WEFT_QSNET2_REMOTE_EVENT));
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(addresses_are_translated_per_context),
		T_CASE(a_tlb_holds_64_pages),
		T_CASE(chains_hold_what_the_tlb_evicts),
		T_CASE(full_chains_are_dropped_and_refilled),
		T_CASE(two_of_eight_page_sizes_are_in_use),
		T_CASE(unmapped_memory_is_inaccessible),
		T_CASE(pages_are_mapped_on_first_use),
		T_CASE(a_faulting_packet_executes_once),
		T_CASE(a_fault_the_driver_refuses_is_an_error),
		T_CASE(every_use_needs_its_permission_and_no_other),
		T_CASE(source_event_of_a_get_uses_remote_rights),
		T_CASE(writes_are_swapped_by_their_type),
		T_CASE(a_dma_converts_between_byte_orders),
		T_CASE(big_endian_words_are_used_by_value),
		T_CASE(units_must_be_aligned),
		T_CASE(cached_translation_keeps_permissions),
	};

	return T_RUN(tests);
}
