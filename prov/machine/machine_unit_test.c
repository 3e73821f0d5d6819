/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract between message engine and unit. The unit of every machine, on
 * every carrier, delivers whole packets once and in order, keeps refused
 * packets, and moves bulk data or returns an error.
 */
#include "test/support/unit_grid.h"

#include <stdio.h>
#include <sys/mman.h>

static void packets_arrive_complete_once_in_order(void **state)
{
	struct side s[SIDES];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		print_message("  %s\n", grid[i].label);
		pair_open(s, &grid[i], false);
		pair_exchange(s, (uint64_t)t_scale(3000));
		pair_close(s);
	}
}

static void a_refused_packet_is_redelivered_first(void **state)
{
	struct side s[SIDES];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], false);
		s[0].refuse = 3;
		s[1].refuse = 1;
		pair_exchange(s, (uint64_t)t_scale(1000));
		T_TRUE(s[1].refused > 0);
		pair_close(s);
	}
}

/* The receiver does not poll; the sender has to wait, and no packet is lost. */
static void a_full_receiver_slows_the_sender(void **state)
{
	struct side s[SIDES];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		struct grid g = grid[i];
		int again = 0;

		g.slots = 16;
		pair_open(s, &g, false);
		for (int k = 0; k < 100000 && again < 100; k++) {
			if (!side_send(&s[0]))
				again++;
			s[0].u->ops->poll(s[0].u, 16);
		}
		T_IS(again, 100);
		pair_exchange(s, s[0].sent);
		pair_close(s);
	}
}

static void bulk_data_moves_in_both_directions(void **state)
{
	size_t n = 300001;
	unsigned char *mine = malloc(n);
	unsigned char *theirs = malloc(n);
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		mem_open(&s[1], theirs, n, READ_WRITE);
		t_fill(theirs, n, 1);
		bulk_fill(&b, &s[0], mine, theirs, n);
		T_OK(bulk_run(&b, s, s[0].u->ops->get));
		T_IS(s[0].done, 1);
		T_OK(s[0].dma_err);
		T_IS(t_differs(mine, n, 1), -1);
		t_fill(mine, n, 2);
		bulk_fill(&b, &s[0], mine, theirs, n);
		T_OK(bulk_run(&b, s, s[0].u->ops->put));
		T_IS(s[0].done, 2);
		T_IS(t_differs(theirs, n, 2), -1);
		pair_close(s);
	}
	free(mine);
	free(theirs);
}

/* Returns whether the unit stores packets before delivery. */
static bool stores_packets(const struct grid *g)
{
	return !g->faults && g->carrier == &weft_carrier_loop &&
	       (g->unit == &weft_unit_bgq || g->unit == &weft_unit_gemini ||
		g->unit == &weft_unit_qsnet2);
}

/*
 * Credits and responses that arrive during the copy are handled before packets
 * are delivered.
 */
static void after_a_copy_the_unit_polls_before_delivery(void **state)
{
	unsigned char mine[4096];
	unsigned char theirs[4096];
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (!stores_packets(&grid[i]))
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		mem_open(&s[0], theirs, sizeof(theirs), READ_WRITE);
		bulk_fill(&b, &s[1], mine, theirs, sizeof(mine));
		while (s[0].sent < 13)
			T_TRUE(side_send(&s[0]));
		s[1].fetch = &b;
		for (uint64_t n = 11; n <= 13; n++) {
			s[1].u->ops->poll(s[1].u, 16);
			T_IS(s[1].taken, n);
			T_IS(s[1].done, (int)n - 10);
			/* wait returns at once while packets are stored */
			if (n < 13)
				T_OK(s[1].u->carrier->ops->wait(s[1].u->carrier,
								1));
		}
		pair_close(s);
	}
}

/* Sends packets up to the limit in flight. Returns their number. */
static unsigned send_all(struct side *s)
{
	unsigned n = 0;

	while (n < 1000 && side_send(s))
		n++;
	return n;
}

static void pending_responses_are_sent_before_a_copy(void **state)
{
	static const struct grid g = { "sten", &weft_unit_qsnet2,
				       &weft_carrier_loop, NULL, 0 };
	unsigned char mine[4096];
	unsigned char theirs[4096];
	struct side s[SIDES];
	struct bulk b;
	unsigned n;

	pair_open(s, &g, false);
	mem_open(&s[0], theirs, sizeof(theirs), READ_WRITE);
	mem_open(&s[1], theirs, sizeof(theirs), READ_WRITE);
	pair_exchange(s, 15); /* the next packets are short */
	n = send_all(&s[0]);
	T_IS(n, 4);
	bulk_fill(&b, &s[1], mine, theirs, sizeof(mine));
	s[1].fetch = &b;
	s[1].u->ops->poll(s[1].u, 16);
	T_IS(s[1].taken, 16);
	s[0].u->ops->poll(s[0].u, 16);
	T_TRUE(send_all(&s[0]) >= n);
	s[1].fetch = NULL;
	pair_exchange(s, 30); /* the next packets are short */
	/* a sender that also copies may have more packets in flight */
	bulk_fill(&b, &s[0], mine, theirs, sizeof(mine));
	T_OK(bulk_run(&b, s, s[0].u->ops->put));
	T_TRUE(send_all(&s[0]) > n);
	pair_exchange(s, s[0].sent);
	pair_close(s);
}

/* Expects the result of a get and of a put of `bytes` at theirs. */
static void expect_access(struct side *s, unsigned char *theirs, size_t bytes,
			  int get, int put)
{
	unsigned char mine[8192];
	struct bulk b;

	t_fill(mine, bytes, 4);
	bulk_fill(&b, &s[0], mine, theirs, bytes);
	T_OK(bulk_run(&b, s, s[0].u->ops->put));
	T_IS(s[0].dma_err, put);
	T_IS(t_differs(theirs, bytes, 4) == -1, !put);
	t_fill(theirs, bytes, 5);
	T_OK(bulk_run(&b, s, s[0].u->ops->get));
	T_IS(s[0].dma_err, get);
	T_IS(t_differs(mine, bytes, 5) == -1, !get);
}

static void the_registers_of_the_target_limit_every_access(void **state)
{
	unsigned char theirs[8192];
	const int no = -EACCES;
	struct side s[SIDES];
	int reg;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (!checks_memory(&grid[i]))
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		expect_access(s, theirs, 4096, no, no);
		reg = mem_open(&s[1], theirs + 8, 4096, WEFT_MR_REMOTE_READ);
		expect_access(s, theirs + 8, 4096, 0, no);
		expect_access(s, theirs + 8, 4097, no, no);
		expect_access(s, theirs + 7, 4096, no, no);
		mem_close(&s[1], reg);
		expect_access(s, theirs + 8, 4096, no, no);
		reg = mem_open(&s[1], theirs, 4096, READ_WRITE);
		expect_access(s, theirs, 4096, 0, 0);
		expect_access(s, theirs + 8, 4096, no, no);
		mem_close(&s[1], reg);
		expect_access(s, theirs, 4096, no, no);
		pair_exchange(s, 20);
		pair_close(s);
	}
}

/* Opens more buffers than bgq has range registers. */
static void many_buffers_are_accessible_at_a_time(void **state)
{
	enum { N = 60, BYTES = 2000 };
	unsigned char theirs[2 * N][BYTES];
	struct side s[SIDES];
	int reg[N];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (!checks_memory(&grid[i]))
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		for (int k = 0; k < N; k++)
			reg[k] = mem_open(&s[1], theirs[2 * k], BYTES,
					  READ_WRITE);
		for (int k = 0; k < N; k++)
			expect_access(s, theirs[2 * k], BYTES, 0, 0);
		for (int k = 0; k < N; k++)
			mem_close(&s[1], reg[k]);
		for (int k = 0; k < N; k++)
			expect_access(s, theirs[2 * k], BYTES, -EACCES,
				      -EACCES);
		pair_close(s);
	}
}

static void bulk_to_a_bad_address_fails_alone(void **state)
{
	unsigned char mine[4096];
	void *hole =
		mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (grid[i].carrier != &weft_carrier_shm)
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		mem_open(&s[1], hole, sizeof(mine), READ_WRITE);
		bulk_fill(&b, &s[0], mine, hole, sizeof(mine));
		T_OK(bulk_run(&b, s, s[0].u->ops->get));
		T_IS(s[0].dma_err, -EFAULT);
		pair_exchange(s, 20);
		pair_close(s);
	}
	munmap(hole, 8192);
}

static void without_dma_the_unit_returns_an_error(void **state)
{
	unsigned char mine[4096];
	unsigned char theirs[4096];
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], true);
		pair_exchange(s, 10);
		mem_open(&s[1], theirs, sizeof(theirs), READ_WRITE);
		bulk_fill(&b, &s[0], mine, theirs, sizeof(mine));
		T_IS(bulk_run(&b, s, s[0].u->ops->get), -EOPNOTSUPP);
		T_IS(bulk_run(&b, s, s[0].u->ops->put), -EOPNOTSUPP);
		T_IS(s[0].done, 0);
		pair_exchange(s, 20);
		pair_close(s);
	}
}

static void a_packet_to_itself_is_delivered(void **state)
{
	struct side s;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		side_open(&s, &grid[i], false);
		side_connect(&s, &s.name);
		for (int k = 0; k < 1000000 && s.taken < 100; k++) {
			if (s.sent < 100)
				side_send(&s);
			s.u->ops->poll(s.u, 16);
		}
		T_IS(s.taken, 100);
		s.u->ops->close(s.u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_arrive_complete_once_in_order),
		T_CASE(a_refused_packet_is_redelivered_first),
		T_CASE(a_full_receiver_slows_the_sender),
		T_CASE(bulk_data_moves_in_both_directions),
		T_CASE(after_a_copy_the_unit_polls_before_delivery),
		T_CASE(pending_responses_are_sent_before_a_copy),
		T_CASE(the_registers_of_the_target_limit_every_access),
		T_CASE(many_buffers_are_accessible_at_a_time),
		T_CASE(bulk_to_a_bad_address_fails_alone),
		T_CASE(without_dma_the_unit_returns_an_error),
		T_CASE(a_packet_to_itself_is_delivered),
	};

	return T_RUN(tests);
}
