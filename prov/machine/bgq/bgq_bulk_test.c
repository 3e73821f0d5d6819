/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data by direct puts and remote gets: byte counters, base addresses and
 * range registers of both units, refused descriptors, and packets of peers that
 * request memory that they may not access.
 */
#include "prov/machine/bgq/bgq_bulk.h"
#include "test/t.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MEM	   8192
#define READ_WRITE (WEFT_MR_REMOTE_READ | WEFT_MR_REMOTE_WRITE)
#define MEMORY	   7	 /* first range register for memory of peers */
#define BASE	   2	 /* base address of all memory */
#define PAGE	   65536 /* at least a page of the host */

struct side {
	struct weft_bgq *mu;
	struct weft_unit unit;
	struct bgq_bulk bulk;
	struct weft_peer *peer;
	int done;
	int err;
	alignas(64) struct weft_bgq_desc ring[4];
	struct weft_bgq_desc packets[4]; /* FIFO 0: packets of the test */
	struct weft_bgq_desc rget[BGQ_BULK_RGETS];
	alignas(64) unsigned char bounce[1024];
	alignas(64) unsigned char mem[MEM];
};

static struct side side[2];

static void side_open(struct side *s)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
	};
	const struct iovec bounce = { s->bounce, sizeof(s->bounce) };

	memset(s, 0, sizeof(*s));
	bgq_bulk_reserve(&s->bulk, &a);
	T_OK(bgq_create(&weft_carrier_loop, &a, 0, &s->mu));
	s->mu->engine = s;
	s->unit.carrier = s->mu->port.carrier;
	T_OK(weft_bgq_inj_open(s->mu, BGQ_BULK_FIFO, s->ring, 4, 0));
	T_OK(weft_bgq_inj_open(s->mu, 0, s->packets, 4, 0));
	T_OK(bgq_bulk_open(&s->bulk, s->mu, &s->unit, &bounce, s->rget));
	T_OK(weft_bgq_range_set(
		s->mu, WEFT_BGQ_USER_RANGES, s->ring,
		sizeof(s->ring) + sizeof(s->packets) + sizeof(s->rget), 0));
}

static void connect_to(struct side *s, struct side *to)
{
	union weft_name name;
	struct weft_carrier *c = s->mu->port.carrier;

	weft_bgq_name(to->mu, &name.in);
	T_OK(c->ops->peer(c, &name, &s->peer));
	T_OK(weft_port_bind(&s->mu->port, s->peer->index, s->peer));
}

static int pair_open(void **state)
{
	side_open(&side[0]);
	side_open(&side[1]);
	connect_to(&side[0], &side[1]);
	connect_to(&side[1], &side[0]);
	return 0;
}

static int pair_close(void **state)
{
	for (int i = 0; i < 2; i++) {
		weft_bgq_close(side[i].mu);
		bgq_bulk_close(&side[i].bulk);
	}
	return 0;
}

static int mem_open(struct side *s, void *mem, size_t bytes, unsigned access)
{
	const struct iovec iov = { mem, bytes };

	return bgq_bulk_mem_open(&s->bulk, &iov, access);
}

static void on_done(struct weft_dma *d, int err)
{
	side[0].done++;
	side[0].err = err;
}

/*
 * Moves `bytes` bytes between `mem` of both sides, in two segments. Returns the
 * result.
 */
static int move(bool get, size_t bytes)
{
	struct side *s = &side[0];
	struct weft_dma d = {
		.local = { { s->mem, 100 }, { s->mem + 100, MEM } },
		.local_count = 2,
		.remote = (uintptr_t)side[1].mem,
		.bytes = bytes,
		.done = on_done,
	};

	T_OK(get ? bgq_bulk_get(&s->bulk, s->peer, &d)
		 : bgq_bulk_put(&s->bulk, s->peer, &d));
	return s->err;
}

static uint64_t completed(const struct side *s)
{
	return weft_bgq_load(s->mu, WEFT_BGQ_INJ_COUNT, BGQ_BULK_FIFO);
}

static unsigned error_of(const struct side *s)
{
	return (unsigned)weft_bgq_load(s->mu, WEFT_BGQ_ERR_CODE, 0);
}

/* ---- transfers ---- */

static uint64_t upc(const struct side *s, enum weft_bgq_upc i)
{
	return weft_bgq_load(s->mu, WEFT_BGQ_UPC, i);
}

/*
 * Segments of 100 bytes at offset 0, and of 3900 at offset 100: 1 and 8
 * packets, of 128 and 7 * 544 + 320 bytes in chunks of 32.
 */
static void transfers_are_counted_as_packets(void **state)
{
	const uint64_t memory = 128 + 7 * 544 + 320;
	const struct side *s = &side[0];

	mem_open(&side[1], side[1].mem, 4000, READ_WRITE);
	T_OK(move(true, 4000));
	T_IS(upc(s, WEFT_BGQ_UPC_MESSAGES_SENT), 1);
	T_IS(upc(s, WEFT_BGQ_UPC_PACKETS_SENT), 1);
	/* the descriptor, and its payload of two descriptors */
	T_IS(upc(s, WEFT_BGQ_UPC_MASTER_READ_BYTES), 64 + 128);
	T_IS(upc(s, WEFT_BGQ_UPC_MESSAGES_RECEIVED), 2);
	T_IS(upc(s, WEFT_BGQ_UPC_PACKETS_RECEIVED), 9);
	/* each packet decrements the byte counter */
	T_IS(upc(s, WEFT_BGQ_UPC_MASTER_WRITE_BYTES), memory + 9 * 32);
	T_OK(move(false, 4000));
	T_IS(upc(s, WEFT_BGQ_UPC_MESSAGES_SENT), 1 + 2);
	T_IS(upc(s, WEFT_BGQ_UPC_PACKETS_SENT), 1 + 9);
	T_IS(upc(s, WEFT_BGQ_UPC_MASTER_READ_BYTES),
	     64 + 128 + 2 * 64 + memory);
	T_IS(upc(s, WEFT_BGQ_UPC_MESSAGES_RECEIVED), 2);
}

static void a_get_is_one_descriptor_and_a_counter(void **state)
{
	mem_open(&side[1], side[1].mem, 4000, WEFT_MR_REMOTE_READ);
	t_fill(side[1].mem, 4000, 1);
	T_OK(move(true, 4000));
	T_IS(side[0].done, 1);
	T_IS(t_differs(side[0].mem, 4000, 1), -1);
	T_IS(completed(&side[0]), 1);
	T_IS(side[0].unit.transfers, 1);
	T_IS(weft_load64(&side[0].bulk.counter), 0);
	T_IS(weft_load64(weft_regs_counter(&side[1].bulk.range, NULL)), 0);
}

static void a_put_counts_its_bytes_at_the_target(void **state)
{
	weft_au64 *counter = weft_regs_counter(&side[1].bulk.range, NULL);

	mem_open(&side[1], side[1].mem, 4000, WEFT_MR_REMOTE_WRITE);
	t_fill(side[0].mem, 4000, 2);
	T_OK(move(false, 4000));
	T_IS(t_differs(side[1].mem, 4000, 2), -1);
	T_IS(completed(&side[0]), 2); /* one for each segment */
	T_IS(side[0].unit.transfers, 1);
	T_IS(0 - weft_load64(counter), 4000);
}

/* The local memory of a transfer is accessible only during the transfer. */
static void ranges_of_a_transfer_are_closed_after_it(void **state)
{
	mem_open(&side[1], side[1].mem, MEM, READ_WRITE);
	T_OK(move(true, MEM));
	T_FALSE(bgq_range_ok(side[0].mu, (uintptr_t)side[0].mem, 1, BGQ_READ,
			     false));
	T_OK(move(false, MEM));
	T_FALSE(bgq_range_ok(side[0].mu, (uintptr_t)side[0].mem, 1, BGQ_READ,
			     false));
}

static void refused_transfers_set_the_error_registers(void **state)
{
	T_IS(move(true, 4000), -EACCES);
	T_IS(error_of(&side[0]), WEFT_BGQ_ERR_RANGE);
	T_IS(weft_bgq_load(side[0].mu, WEFT_BGQ_ERR_COUNT, 0), 1);
	T_IS(weft_bgq_load(side[0].mu, WEFT_BGQ_ERR_ADDRESS, 0),
	     (uintptr_t)side[1].mem);
	mem_open(&side[1], side[1].mem, 3999, READ_WRITE);
	T_IS(move(true, 4000), -EACCES);
	T_IS(move(false, 4000), -EACCES);
	T_IS(weft_bgq_load(side[0].mu, WEFT_BGQ_ERR_COUNT, 0), 3);
	T_OK(move(true, 3999));
	T_OK(move(false, 3999));
	T_IS(side[0].unit.transfers, 2);
}

/* ---- atomics ---- */

static uint64_t word; /* word in the memory of side 1, mapped by side 0 */

static int amo(unsigned kind, unsigned op, uint64_t operand, uint64_t *old)
{
	struct weft_amo_word w = {
		.remote = (uintptr_t)&word,
		.at = &word,
		.operand = operand,
		.kind = (uint8_t)kind,
		.op = (uint8_t)op,
		.type = WEFT_NUM_I64,
		.bytes = 8,
	};
	int err = bgq_atomic_word(&side[0].bulk, side[0].peer, &w);

	if (old)
		*old = w.old;
	return err;
}

static void atomics_are_accesses_to_atomic_addresses(void **state)
{
	weft_au64 *counter = weft_regs_counter(&side[1].bulk.range, NULL);
	uint64_t old = 0;

	word = 5;
	mem_open(&side[1], &word, 8, READ_WRITE);
	T_OK(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 7, NULL));
	T_IS(word, 12);
	T_IS(0 - weft_load64(counter), 8);
	T_OK(amo(WEFT_ATOMIC, WEFT_NUM_BOR, 1, NULL));
	T_OK(amo(WEFT_ATOMIC, WEFT_NUM_BXOR, 4, NULL));
	T_IS(word, 9);
	T_OK(amo(WEFT_ATOMIC, WEFT_NUM_MAX, UINT64_MAX, NULL)); /* -1 */
	T_IS(word, 9);
	T_OK(amo(WEFT_ATOMIC, WEFT_NUM_WRITE, 20, NULL));
	T_IS(word, 20);
	T_IS(0 - weft_load64(counter), 5 * 8);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_SUM, 1, &old));
	T_IS(old, 20);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_SUM, UINT64_MAX, &old));
	T_IS(old, 21);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_READ, 0, &old));
	T_IS(old, 20);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_WRITE, 0, &old));
	T_IS(old, 20);
	T_IS(word, 0);
	T_IS(weft_load64(&side[0].bulk.counter), 0);
	T_IS(completed(&side[0]), 9);
	T_IS(side[0].unit.atomics, 9);
	T_IS(side[0].unit.transfers, 0);
}

static void other_atomics_are_for_the_owner(void **state)
{
	struct weft_amo_word w = { .remote = (uintptr_t)&word,
				   .at = &word,
				   .operand = 1,
				   .kind = WEFT_ATOMIC,
				   .op = WEFT_NUM_SUM,
				   .type = WEFT_NUM_I32,
				   .bytes = 4 };

	word = 5;
	mem_open(&side[1], &word, 8, READ_WRITE);
	T_IS(amo(WEFT_FETCH, WEFT_NUM_SUM, 2, NULL), -EOPNOTSUPP);
	T_IS(amo(WEFT_FETCH, WEFT_NUM_WRITE, 2, NULL), -EOPNOTSUPP);
	T_IS(amo(WEFT_FETCH, WEFT_NUM_BOR, 2, NULL), -EOPNOTSUPP);
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_MIN, 2, NULL), -EOPNOTSUPP);
	T_IS(amo(WEFT_COMPARE, WEFT_NUM_CSWAP, 2, NULL), -EOPNOTSUPP);
	T_IS(bgq_atomic_word(&side[0].bulk, side[0].peer, &w), -EOPNOTSUPP);
	w.op = WEFT_NUM_WRITE;
	T_IS(bgq_atomic_word(&side[0].bulk, side[0].peer, &w), -EOPNOTSUPP);
	w.op = WEFT_NUM_SUM;
	w.type = WEFT_NUM_F64;
	w.bytes = 8;
	T_IS(bgq_atomic_word(&side[0].bulk, side[0].peer, &w), -EOPNOTSUPP);
	T_IS(word, 5);
	T_IS(completed(&side[0]), 0);
	T_IS(side[0].unit.atomics, 0);
}

static void the_ranges_of_the_target_limit_atomics(void **state)
{
	uint64_t old = 0;
	int reg;

	word = 5;
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 1, NULL), -EACCES);
	T_IS(error_of(&side[0]), WEFT_BGQ_ERR_RANGE);
	T_IS(amo(WEFT_FETCH, WEFT_NUM_SUM, 1, NULL), -EACCES);
	reg = mem_open(&side[1], &word, 8, WEFT_MR_REMOTE_READ);
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 1, NULL), -EACCES);
	T_IS(amo(WEFT_FETCH, WEFT_NUM_SUM, 1, NULL), -EACCES);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_READ, 0, &old));
	T_IS(old, 5);
	bgq_bulk_mem_close(&side[1].bulk, reg);
	mem_open(&side[1], &word, 7, READ_WRITE);
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 1, NULL), -EACCES);
	T_IS(word, 5);
	T_IS(side[0].unit.atomics, 1);
}

/* ---- descriptors ---- */

static struct weft_bgq_msg msg_of(const void *payload, size_t bytes)
{
	return (struct weft_bgq_msg){
		.node = side[0].peer->index,
		.vc = WEFT_BGQ_VC_ORDERED,
		.payload = payload,
		.bytes = bytes,
	};
}

/* Posts a descriptor. Returns the error code that the unit records. */
static unsigned post(const struct weft_bgq_desc *d)
{
	struct side *s = &side[0];

	s->mu->err_code = 0;
	s->bulk.err = 0;
	T_OK(weft_bgq_inj_post(s->mu, BGQ_BULK_FIFO, d, NULL));
	T_IS(bgq_tx_step(s->mu, BGQ_BULK_FIFO), 1);
	weft_bgq_inj_clear(s->mu, BGQ_BULK_FIFO);
	T_IS(s->bulk.err, error_of(s) ? -EACCES : 0);
	return error_of(s);
}

static unsigned post_put(unsigned bat, uint64_t offset, unsigned ctr_bat,
			 const void *payload)
{
	const struct weft_bgq_msg msg = msg_of(payload, 64);
	const struct weft_bgq_put put = {
		.bat = (uint16_t)bat,
		.offset = offset,
		.ctr_bat = (uint16_t)ctr_bat,
	};
	struct weft_bgq_desc d;

	weft_bgq_desc_put(&d, &msg, &put);
	return post(&d);
}

/* Returns the offset of memory from base address BASE. */
static uint64_t offset_of(const void *mem)
{
	return (uintptr_t)mem - 4096;
}

/*
 * Descriptors of atomics on a word that this process has not mapped are
 * refused.
 */
static void an_atomic_needs_its_word(void **state)
{
	struct weft_bgq_put to = { .bat = BASE,
				   .offset = (uintptr_t)side[1].mem - 4096,
				   .ctr_bat = 1,
				   .store_op = WEFT_BGQ_STORE_ADD };
	struct weft_bgq_msg msg = msg_of(side[0].bounce, 8);
	struct weft_amo_word w = { .remote = (uintptr_t)side[1].mem + 8,
				   .at = side[1].mem + 8 };
	struct weft_bgq_desc d;

	mem_open(&side[1], side[1].mem, MEM, READ_WRITE);
	weft_bgq_desc_put(&d, &msg, &to);
	T_IS(post(&d), WEFT_BGQ_ERR_ATOMIC);
	side[0].bulk.word = &w;
	T_IS(post(&d), WEFT_BGQ_ERR_ATOMIC);
	to = (struct weft_bgq_put){ .offset = 8 };
	msg = msg_of(side[1].mem, 8);
	msg.load_op = WEFT_BGQ_LOAD_INC;
	weft_bgq_desc_put((void *)side[0].bounce, &msg, &to);
	msg = msg_of(side[0].bounce, sizeof(d));
	weft_bgq_desc_get(&d, &msg, BGQ_BULK_RGET_FIFO);
	T_IS(post(&d), WEFT_BGQ_ERR_ATOMIC);
	T_IS(side[1].mem[0], 0);
}

static void direct_puts_are_checked_at_both_ends(void **state)
{
	const unsigned char *from = side[0].bounce;
	uint64_t to = offset_of(side[1].mem);

	mem_open(&side[1], side[1].mem, 128, READ_WRITE);
	T_IS(post_put(BASE, to + 64, 1, from), WEFT_BGQ_OK);
	T_IS(post_put(BASE, to + 65, 1, from), WEFT_BGQ_ERR_RANGE);
	T_IS(post_put(30, 0, 1, from), WEFT_BGQ_ERR_BAT_ID);
	T_IS(post_put(WEFT_BGQ_BAT_ENTRIES, 0, 1, from), WEFT_BGQ_ERR_BAT_ID);
	T_IS(post_put(BASE, to, 0, from), WEFT_BGQ_ERR_BAT_ID);
	T_IS(post_put(BASE, to, 1, side[0].mem), WEFT_BGQ_ERR_RANGE);
	/* the rings are in a range that is reserved for the system */
	T_IS(post_put(BASE, offset_of(side[1].ring), 1, from),
	     WEFT_BGQ_ERR_RANGE);
	/* payloads of packets may be read, not written */
	T_IS(post_put(BASE, offset_of(side[1].bounce), 1, from),
	     WEFT_BGQ_ERR_RANGE);
}

/*
 * Posts a remote get of 64 bytes to base address 20 of this process. Returns
 * the error code that the unit records.
 */
static unsigned post_get(const void *payload, unsigned fifo, unsigned ctr_bat)
{
	const struct weft_bgq_put put = {
		.bat = 20,
		.ctr_bat = (uint16_t)ctr_bat,
	};
	struct weft_bgq_msg msg = msg_of(payload, 64);
	struct weft_bgq_desc d;

	weft_bgq_desc_put(side[0].bulk.descs, &msg, &put);
	msg = msg_of(side[0].bulk.descs, sizeof(d));
	weft_bgq_desc_get(&d, &msg, fifo);
	return post(&d);
}

static void remote_gets_are_checked_at_both_ends(void **state)
{
	const unsigned fifo = BGQ_BULK_RGET_FIFO;
	unsigned char *from = side[1].mem;
	int reg;

	mem_open(&side[1], from, 128, WEFT_MR_REMOTE_READ);
	T_OK(weft_bgq_bat_set(side[0].mu, 20, side[0].mem, 0));
	T_IS(post_get(from, fifo, 0), WEFT_BGQ_ERR_RANGE);
	reg = mem_open(&side[0], side[0].mem, 64, WEFT_MR_REMOTE_READ);
	T_IS(post_get(from, fifo, 0), WEFT_BGQ_ERR_RANGE);
	bgq_bulk_mem_close(&side[0].bulk, reg);
	mem_open(&side[0], side[0].mem, 64, WEFT_MR_REMOTE_WRITE);
	T_IS(post_get(from + 64, fifo, 0), WEFT_BGQ_OK);
	T_IS(post_get(from + 65, fifo, 0), WEFT_BGQ_ERR_RANGE);
	T_IS(post_get(from, fifo + 1, 0), WEFT_BGQ_ERR_INJ_ID);
	T_IS(post_get(from, fifo, 30), WEFT_BGQ_ERR_BAT_ID);
}

/* ---- packets of peers ---- */

/* Sends one packet from side 0 and lets side 1 handle it. */
static void packet_send(const struct weft_bgq_desc *d)
{
	int (*dma)(struct weft_bgq *, const struct bgq_desc *) =
		side[0].mu->dma;

	side[0].mu->dma = NULL;
	side[1].mu->err_code = 0;
	T_OK(weft_bgq_inj_post(side[0].mu, 0, d, NULL));
	T_IS(bgq_tx_step(side[0].mu, 0), 1);
	side[0].mu->dma = dma;
	for (int i = 0; i < 4; i++)
		weft_bgq_poll(side[1].mu, 16);
	weft_bgq_inj_clear(side[1].mu, BGQ_BULK_RGET_FIFO);
}

/*
 * Sends a remote get of 64 bytes at `from`, to mem of this process. Returns the
 * error code that side 1 records.
 */
static unsigned get_packet(const void *from, unsigned bat)
{
	const struct weft_bgq_put put = {
		.bat = (uint16_t)bat,
		.offset = offset_of(side[0].mem),
		.ctr_bat = 1,
	};
	struct weft_bgq_msg msg = msg_of(from, 64);
	struct weft_bgq_desc d;

	weft_bgq_desc_put((void *)side[0].bounce, &msg, &put);
	msg = msg_of(side[0].bounce, sizeof(d));
	weft_bgq_desc_get(&d, &msg, BGQ_BULK_RGET_FIFO);
	packet_send(&d);
	return error_of(&side[1]);
}

static void a_peer_gets_only_memory_that_is_open(void **state)
{
	mem_open(&side[0], side[0].mem, 64, WEFT_MR_REMOTE_WRITE);
	t_fill(side[1].mem, 128, 9);
	memset(side[0].mem, 0, 64);
	T_IS(get_packet(side[1].mem, BASE), WEFT_BGQ_ERR_RANGE);
	T_IS(side[0].mem[0], 0);
	mem_open(&side[1], side[1].mem, 64, WEFT_MR_REMOTE_READ);
	T_IS(get_packet(side[1].mem + 1, BASE), WEFT_BGQ_ERR_RANGE);
	T_IS(side[0].mem[0], 0);
	T_IS(get_packet(side[1].mem, BASE), WEFT_BGQ_OK);
	T_IS(t_differs(side[0].mem, 64, 9), -1);
	T_IS(get_packet(side[1].mem, 30), WEFT_BGQ_ERR_BAT_ID);
}

/*
 * Sends a direct put of 8 bytes; ctr NULL: the shared counter. Returns the
 * error code that side 1 records.
 */
static unsigned put_packet(const void *to, unsigned op, const void *ctr)
{
	const struct weft_bgq_msg msg = msg_of(side[0].bounce, 8);
	const struct weft_bgq_put put = {
		.bat = BASE,
		.offset = offset_of(to),
		.ctr_bat = ctr ? BASE : 1,
		.ctr_offset = ctr ? offset_of(ctr) : 0,
		.store_op = (uint8_t)op,
	};
	struct weft_bgq_desc d;

	weft_bgq_desc_put(&d, &msg, &put);
	packet_send(&d);
	return error_of(&side[1]);
}

static void a_peer_puts_only_into_memory_that_is_open(void **state)
{
	unsigned char *to = side[1].mem;

	T_IS(put_packet(to, 0, NULL), WEFT_BGQ_ERR_RANGE);
	mem_open(&side[1], to, 64, WEFT_MR_REMOTE_READ);
	T_IS(put_packet(to, 0, NULL), WEFT_BGQ_ERR_RANGE);
	mem_open(&side[1], to, 64, READ_WRITE);
	T_IS(put_packet(to + 56, 0, NULL), WEFT_BGQ_OK);
	T_IS(put_packet(to + 57, 0, NULL), WEFT_BGQ_ERR_RANGE);
	T_IS(put_packet(to, WEFT_BGQ_STORE_ADD, NULL), WEFT_BGQ_OK);
}

/*
 * If all registers are in use, one is extended over addresses without memory. A
 * packet for these addresses is refused and does not crash the process.
 */
static void packets_for_gaps_are_refused(void **state)
{
	char *pages = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned i = MEMORY;
	char *at;

	for (int k = 0; k < 32; k++) {
		T_TRUE(mem_open(&side[1], pages + k * 2 * PAGE, 64,
				READ_WRITE) >= 0);
		munmap(pages + k * 2 * PAGE + PAGE, PAGE);
	}
	while (!side[1].mu->range[i].gaps)
		T_TRUE(++i < WEFT_BGQ_USER_RANGES);
	at = (void *)(uintptr_t)side[1].mu->range[i].base;
	T_IS(put_packet(at + 8, 0, NULL), WEFT_BGQ_OK);
	T_IS(put_packet(at + PAGE, 0, NULL), WEFT_BGQ_ERR_RANGE);
	T_IS(put_packet(at + PAGE, WEFT_BGQ_STORE_ADD, NULL),
	     WEFT_BGQ_ERR_RANGE);
	T_IS(put_packet(at + 8, 0, at + PAGE), WEFT_BGQ_ERR_RANGE);
	munmap(pages, 64 * PAGE);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, pair_open, pair_close)
	const struct CMUnitTest tests[] = {
		CASE(transfers_are_counted_as_packets),
		CASE(a_get_is_one_descriptor_and_a_counter),
		CASE(a_put_counts_its_bytes_at_the_target),
		CASE(ranges_of_a_transfer_are_closed_after_it),
		CASE(refused_transfers_set_the_error_registers),
		CASE(atomics_are_accesses_to_atomic_addresses),
		CASE(other_atomics_are_for_the_owner),
		CASE(the_ranges_of_the_target_limit_atomics),
		CASE(an_atomic_needs_its_word),
		CASE(direct_puts_are_checked_at_both_ends),
		CASE(remote_gets_are_checked_at_both_ends),
		CASE(a_peer_gets_only_memory_that_is_open),
		CASE(a_peer_puts_only_into_memory_that_is_open),
		CASE(packets_for_gaps_are_refused),
	};

	return T_RUN(tests);
}
