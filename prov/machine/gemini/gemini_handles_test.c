/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Block transfers of the message engine: descriptors, events and memory handles
 * of both units, and requests of peers for memory that they may not access.
 */
#include "prov/machine/gemini/gemini_bulk.h"
#include "test/t.h"

#include <errno.h>
#include <string.h>

#define MEM 8192

struct side {
	struct weft_gemini *f;
	struct weft_unit unit;
	struct weft_peer *peer;
	unsigned cq;
	int done;
	int err;
	alignas(64) unsigned char mem[MEM];
};

static struct side side[2];

/* Replaces the engine's lookup of a peer's mailbox; here peers have none. */
static struct gemini_mdd *no_mailbox(struct weft_gemini *f,
				     struct weft_peer *src)
{
	return NULL;
}

static void side_open(struct side *s, uint8_t ptag)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
	};
	size_t offset = gemini_handles_reserve(&a);

	memset(s, 0, sizeof(*s));
	T_OK(gemini_create(&weft_carrier_loop, &a, ptag, &s->f));
	T_OK(gemini_bulk_open(s->f, offset));
	T_OK(weft_gemini_cq_open(s->f, 16, &s->cq));
	s->f->mailbox = no_mailbox;
	s->unit.carrier = s->f->port.carrier;
}

static void connect_to(struct side *s, struct side *to)
{
	union weft_name name;
	struct weft_carrier *c = s->f->port.carrier;

	weft_gemini_name(to->f, &name.in);
	T_OK(c->ops->peer(c, &name, &s->peer));
	T_OK(weft_port_bind(&s->f->port, 1, s->peer));
}

static void pair_tags(uint8_t a, uint8_t b)
{
	side_open(&side[0], a);
	side_open(&side[1], b);
	connect_to(&side[0], &side[1]);
	connect_to(&side[1], &side[0]);
}

static int pair_open(void **state)
{
	pair_tags(1, 1);
	return 0;
}

static int pair_close(void **state)
{
	for (int i = 0; i < 2; i++) {
		gemini_bulk_close(side[i].f);
		weft_gemini_close(side[i].f);
	}
	return 0;
}

static int handle(struct side *s, size_t bytes, unsigned flags)
{
	const struct iovec mem = { s->mem, bytes };

	return gemini_handle_open(s->f, &mem, flags, true);
}

/* Returns the number of handles of a unit. */
static unsigned handles(const struct side *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < WEFT_GEMINI_MDDS; i++)
		n += s->f->mdd[i].valid;
	return n;
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
		.local = { { s->mem, 101 }, { s->mem + 101, MEM } },
		.local_count = 2,
		.remote = (uintptr_t)side[1].mem,
		.bytes = bytes,
		.done = on_done,
	};

	T_OK(gemini_bulk_move(s->f, &s->unit, s->peer, &d, get));
	return s->err;
}

static void a_transfer_is_a_descriptor_and_an_event_per_segment(void **state)
{
	struct weft_gemini_stats st;
	const struct gemini_cq *cq = &side[0].f->cq[side[0].f->bulk_cq];

	handle(&side[1], 4001, WEFT_GEMINI_WRITABLE);
	t_fill(side[1].mem, 4001, 1);
	T_OK(move(true, 4001));
	T_IS(side[0].done, 1);
	T_IS(t_differs(side[0].mem, 4001, 1), -1);
	T_IS(cq->tail, 2);
	T_IS(side[0].unit.transfers, 1);
	t_fill(side[0].mem, 4001, 2);
	T_OK(move(false, 4001));
	T_IS(t_differs(side[1].mem, 4001, 2), -1);
	T_IS(cq->tail, 4);
	T_IS(side[0].unit.transfers, 2);
	weft_gemini_stats(side[0].f, &st);
	T_IS(st.requests, 2 * (gemini_packets(101) + gemini_packets(3900)));
	T_IS(st.errors, 0);
	/* local handles are closed with the transfer */
	T_IS(handles(&side[0]), 0);
}

static void refused_transfers_end_with_an_error_event(void **state)
{
	const struct iovec mem = { side[1].mem, 4000 };
	struct weft_gemini_stats st;
	int mdh;

	T_IS(move(true, 4000), -EACCES);
	T_IS(side[0].done, 1);
	T_IS(side[0].f->cq[side[0].f->bulk_cq].tail, 2);
	weft_gemini_stats(side[0].f, &st);
	T_IS(st.errors, 2);
	mdh = handle(&side[1], 4000, 0);
	T_IS(move(false, 4000), -EACCES);
	T_OK(move(true, 4000));
	T_IS(move(true, 4001), -EACCES);
	gemini_handle_close(side[1].f, mdh);
	T_IS(move(true, 4000), -EACCES);
	/* the handle of a local segment is for one transfer of its owner */
	T_TRUE(gemini_handle_open(side[1].f, &mem, 0, false) > 0);
	T_IS(move(true, 4000), -EACCES);
	T_IS(side[0].unit.transfers, 1);
	T_IS(handles(&side[0]), 0);
}

/* Returns the status of a descriptor for 64 bytes of side 1. */
static unsigned check(unsigned type, unsigned mdh, uint64_t offset)
{
	const struct weft_gemini_bte cmd = {
		.type = (uint8_t)type,
		.remote = { .mdh = (uint16_t)mdh, .offset = offset },
		.bytes = 64,
	};
	enum weft_gemini_status status = 0;
	uint64_t addr = 0;

	T_OK(gemini_handle_check(side[0].f, side[0].peer, &cmd, &status,
				 &addr));
	T_IS(addr, status ? 0 : (uintptr_t)side[1].mem + offset);
	return status;
}

static void every_violation_of_a_descriptor_has_its_status(void **state)
{
	const unsigned get = WEFT_GEMINI_BTE_GET;
	const unsigned put = WEFT_GEMINI_BTE_PUT;
	unsigned mdh = (unsigned)handle(&side[1], 128, 0);

	T_IS(check(get, mdh, 64), WEFT_GEMINI_OK);
	T_IS(check(get, mdh, 65), WEFT_GEMINI_BOUNDS);
	T_IS(check(put, mdh, 0), WEFT_GEMINI_PROTECTION);
	T_IS(check(get, mdh + 1, 0), WEFT_GEMINI_MDD_INVALID);
	T_IS(check(get, 0, 0), WEFT_GEMINI_MDD_INVALID);
	T_IS(check(get, GEMINI_NO_HANDLE, 0), WEFT_GEMINI_MDD_INVALID);
	T_IS(check(get, GEMINI_NO_HANDLE + 1, 0), WEFT_GEMINI_MDD_INVALID);
	gemini_handle_close(side[1].f, (int)mdh);
	T_IS(check(get, mdh, 0), WEFT_GEMINI_MDD_INVALID);
}

static void another_protection_tag_is_refused(void **state)
{
	unsigned mdh;

	pair_tags(1, 2);
	mdh = (unsigned)handle(&side[1], 128, WEFT_GEMINI_WRITABLE);
	T_IS(check(WEFT_GEMINI_BTE_GET, mdh, 0), WEFT_GEMINI_PROTECTION);
	T_IS(check(WEFT_GEMINI_BTE_PUT, mdh, 0), WEFT_GEMINI_PROTECTION);
	pair_close(state);
}

static void all_handles_can_be_used(void **state)
{
	for (unsigned i = 1; i < GEMINI_NO_HANDLE; i++)
		T_IS(handle(&side[1], 64, 0), i);
	T_IS(handle(&side[1], 64, 0), -ENOSPC);
	gemini_handle_close(side[1].f, 700);
	T_IS(handle(&side[1], 64, 0), 700);
}

/* ---- requests of peers ---- */

/* Waits for the event of the requests through window 0; returns its status. */
static unsigned window_status(void)
{
	struct weft_gemini_event e;

	T_OK(weft_gemini_sync(side[0].f, 0, 5));
	while (weft_gemini_cq_read(side[0].f, side[0].cq, &e)) {
		weft_gemini_poll(side[1].f, 16);
		weft_gemini_poll(side[0].f, 16);
	}
	return e.status;
}

static void window(unsigned mdh)
{
	const struct weft_gemini_window w = {
		.pe = 1,
		.mdh = (uint16_t)mdh,
		.cq = (uint16_t)side[0].cq,
	};

	T_OK(weft_gemini_window_set(side[0].f, 0, &w));
}

static unsigned store(unsigned mdh, uint64_t offset)
{
	window(mdh);
	T_OK(weft_gemini_store(side[0].f, 0, offset, "12345678", 8));
	return window_status();
}

static unsigned get(unsigned mdh, uint64_t offset)
{
	struct weft_gemini_local to = {
		.mdh = (uint16_t)handle(&side[0], 64, WEFT_GEMINI_WRITABLE),
	};
	unsigned status;

	window(mdh);
	T_OK(weft_gemini_get(side[0].f, 0, offset, &to, 8));
	status = window_status();
	gemini_handle_close(side[0].f, to.mdh);
	return status;
}

static void requests_of_peers_are_limited_to_handles(void **state)
{
	unsigned mdh;

	memcpy(side[1].mem, "abcdefgh", 8);
	T_IS(store(1, 0), WEFT_GEMINI_MDD_INVALID);
	T_IS(get(1, 0), WEFT_GEMINI_MDD_INVALID);
	T_IS(get(0, 0), WEFT_GEMINI_MDD_INVALID); /* no mailbox */
	mdh = (unsigned)handle(&side[1], 64, 0);
	T_IS(store(mdh, 0), WEFT_GEMINI_PROTECTION);
	T_IS(get(mdh, 60), WEFT_GEMINI_BOUNDS);
	T_IS(side[0].mem[0], 0);
	T_IS(get(mdh, 0), WEFT_GEMINI_OK);
	T_IS(memcmp(side[0].mem, "abcdefgh", 8), 0);
	T_IS(memcmp(side[1].mem, "abcdefgh", 8), 0);
}

/* ---- atomics ---- */

static int amo(unsigned kind, unsigned op, uint64_t operand, uint64_t compare,
	       uint64_t *word, uint64_t *old)
{
	struct weft_amo_word w = {
		.remote = (uintptr_t)word,
		.at = word,
		.operand = operand,
		.compare = compare,
		.kind = (uint8_t)kind,
		.op = (uint8_t)op,
		.type = WEFT_NUM_U64,
		.bytes = 8,
	};
	int err = gemini_word_amo(side[0].f, &side[0].unit, side[0].peer, &w);

	if (old)
		*old = w.old;
	return err;
}

/* A cached line of this unit must not hide the value in memory. */
static void cache_word(uint64_t *word)
{
	gemini_amo_run(side[0].f, (uintptr_t)word, WEFT_GEMINI_ADD, 0, 0);
}

static void atomics_are_amos_in_memory(void **state)
{
	uint64_t *word = (void *)side[1].mem, old = 0;
	struct weft_gemini_stats st;

	handle(&side[1], 64, WEFT_GEMINI_WRITABLE);
	cache_word(word);
	*word = 5;
	T_OK(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 7, 0, word, NULL));
	T_IS(*word, 12);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_SUM, 10, 0, word, &old));
	T_IS(old, 12);
	T_OK(amo(WEFT_ATOMIC, WEFT_NUM_BAND, 20, 0, word, NULL));
	T_IS(*word, 20);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_BOR, 1, 0, word, &old));
	T_OK(amo(WEFT_FETCH, WEFT_NUM_BXOR, 5, 0, word, &old));
	T_IS(old, 21);
	T_IS(*word, 16);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_READ, 99, 0, word, &old));
	T_IS(old, 16);
	T_OK(amo(WEFT_COMPARE, WEFT_NUM_CSWAP, 3, 15, word, &old));
	T_IS(old, 16);
	T_IS(*word, 16);
	T_OK(amo(WEFT_COMPARE, WEFT_NUM_CSWAP, 3, 16, word, &old));
	T_IS(*word, 3);
	T_OK(amo(WEFT_FETCH, WEFT_NUM_WRITE, 9, 0, word, &old));
	T_IS(old, 3);
	T_IS(*word, 9);
	T_IS(side[0].unit.atomics, 9);
	weft_gemini_stats(side[0].f, &st);
	T_IS(st.requests, 9);
	T_IS(st.phits, 6 * 11 + 3 * 14); /* swaps have two operands */
	T_IS(st.amo_hits, 0);
}

static void other_atomics_are_for_the_owner(void **state)
{
	uint64_t *word = (void *)side[1].mem;
	struct weft_amo_word w = { .remote = (uintptr_t)word,
				   .at = word,
				   .kind = WEFT_ATOMIC,
				   .op = WEFT_NUM_SUM,
				   .type = WEFT_NUM_U32,
				   .bytes = 4 };

	handle(&side[1], 64, WEFT_GEMINI_WRITABLE);
	*word = 5;
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_MAX, 7, 0, word, NULL), -EOPNOTSUPP);
	T_IS(gemini_word_amo(side[0].f, &side[0].unit, side[0].peer, &w),
	     -EOPNOTSUPP);
	w.type = WEFT_NUM_F64;
	w.bytes = 8;
	T_IS(gemini_word_amo(side[0].f, &side[0].unit, side[0].peer, &w),
	     -EOPNOTSUPP);
	/* an and-xor needs an address that is a multiple of 16 */
	T_IS(amo(WEFT_FETCH, WEFT_NUM_WRITE, 7, 0, word + 1, NULL),
	     -EOPNOTSUPP);
	T_IS(*word, 5);
	T_IS(side[0].unit.atomics, 0);
}

static void the_handles_of_the_target_limit_atomics(void **state)
{
	uint64_t *word = (void *)side[1].mem;
	int mdh;

	*word = 5;
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 1, 0, word, NULL), -EACCES);
	mdh = handle(&side[1], 64, 0);
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 1, 0, word, NULL), -EACCES);
	gemini_handle_close(side[1].f, mdh);
	handle(&side[1], 7, WEFT_GEMINI_WRITABLE);
	T_IS(amo(WEFT_ATOMIC, WEFT_NUM_SUM, 1, 0, word, NULL), -EACCES);
	T_IS(*word, 5);
	T_IS(side[0].f->stats.errors, 3);
	T_IS(side[0].unit.atomics, 0);
	/* every transaction has ended */
	for (int i = 0; i < WEFT_GEMINI_SSIDS; i++)
		T_FALSE(side[0].f->txn[i].used);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, pair_open, pair_close)
	const struct CMUnitTest tests[] = {
		CASE(a_transfer_is_a_descriptor_and_an_event_per_segment),
		CASE(refused_transfers_end_with_an_error_event),
		CASE(every_violation_of_a_descriptor_has_its_status),
		cmocka_unit_test(another_protection_tag_is_refused),
		CASE(all_handles_can_be_used),
		CASE(requests_of_peers_are_limited_to_handles),
		CASE(atomics_are_amos_in_memory),
		CASE(other_atomics_are_for_the_owner),
		CASE(the_handles_of_the_target_limit_atomics),
	};

	return T_RUN(tests);
}
