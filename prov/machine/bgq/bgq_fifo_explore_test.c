/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of engines that fill a reception FIFO
 * (test/support/explore.h), with two done words instead of sixteen: engines
 * reserve, store and commit packets. The tail must pass every packet, in order,
 * and only when it is stored.
 */
#include "test/support/explore_atomic.h"

#define BGQ_RMES 2
#include "prov/machine/bgq/bgq_fifo.c"
#include "test/t.h"

static struct bgq_rec fifo;
static uint64_t stored[8]; /* number of stores to each chunk */
static const int *packets; /* number of packets that each engine stores */
static unsigned first_seq;

static void setup(void)
{
	memset(&fifo, 0, sizeof(fifo));
	fifo.chunks = 64;
	atomic_init(&fifo.tail, (uint64_t)first_seq << REC_POS_BITS);
	atomic_init(&fifo.shadow, (uint64_t)first_seq << REC_POS_BITS);
	/* done words of the packets before first_seq */
	for (unsigned i = 0; first_seq && i < BGQ_RMES; i++)
		atomic_init(&fifo.done[i],
			    done_word(first_seq - BGQ_RMES + i, 0));
	memset(stored, 0, sizeof(stored));
	for (size_t i = 0; i < WEFT_COUNT_OF(stored); i++)
		explore_plain(&stored[i], sizeof(stored[i]));
	explore_private(&fifo.head, sizeof(fifo.head));
}

/* Reads the packets that the tail has passed. */
static void check_tail(void)
{
	uint64_t tail = bgq_rec_tail(&fifo);

	for (uint64_t at = 0; at < tail; at++) {
		explore_plain_read(&stored[at], sizeof(stored[at]));
		if (stored[at] != at + 1)
			explore_fail("the tail has passed a packet too early");
	}
}

static void reserve(struct bgq_reservation *p)
{
	for (;;) {
		explore_poll();
		if (!bgq_rec_reserve(&fifo, 1, p))
			return;
		explore_again();
	}
}

static void store_packets(int engine)
{
	struct bgq_reservation p;

	for (int i = 0; i < packets[engine]; i++) {
		reserve(&p);
		explore_plain_write(&stored[p.first], sizeof(stored[0]));
		stored[p.first] = p.first + 1;
		bgq_rec_commit(&fifo, &p);
	}
	check_tail();
}

static void all_are_passed(void)
{
	if (fifo.tail != fifo.shadow)
		explore_fail("packets are behind the tail");
}

static const char *explore_fifo(const int *each, int engines,
				enum explore_fault fault)
{
	struct explore x = { .threads = engines,
			     .setup = setup,
			     .thread = store_packets,
			     .check = all_are_passed,
			     .fault = fault,
			     .interrupts =
				     explore_interrupts(engines > 2 ? 2 : 3),
			     .states_max = 20000000 };

	packets = each;
	return explore_run(&x);
}

static void two_engines(void **state)
{
	T_NULL(explore_fifo((const int[]){ 1, 3 }, 2, EXPLORE_NO_FAULT));
	T_NULL(explore_fifo((const int[]){ 2, 2 }, 2, EXPLORE_NO_FAULT));
}

static void three_engines(void **state)
{
	T_NULL(explore_fifo((const int[]){ 1, 1, 2 }, 3, EXPLORE_NO_FAULT));
}

static void numbers_wrap_around(void **state)
{
	first_seq = UINT16_MAX - 1;
	T_NULL(explore_fifo((const int[]){ 1, 3 }, 2, EXPLORE_NO_FAULT));
	first_seq = 0;
}

static void seeded_faults_are_found(void **state)
{
	T_NOT_NULL(explore_fifo((const int[]){ 1, 1 }, 2, EXPLORE_NO_RELEASE));
	T_NOT_NULL(explore_fifo((const int[]){ 1, 1 }, 2, EXPLORE_NO_ACQUIRE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(two_engines),
		T_CASE(three_engines),
		T_CASE(numbers_wrap_around),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
