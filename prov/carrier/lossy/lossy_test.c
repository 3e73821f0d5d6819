/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit errors between two endpoints: the machine's code detects all of them. */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/lossy/lossy.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const enum weft_carrier_code codes[] = {
	WEFT_CARRIER_CRC32C, WEFT_CARRIER_CRC16, WEFT_CARRIER_CRC32,
	WEFT_CARRIER_RS5,    WEFT_CARRIER_RS14,
};

/* ---- error codes on buffers ---- */

static void check_size(const struct lossy_code *c, uint32_t bytes)
{
	uint8_t data[4096];
	uint32_t all = bytes + lossy_code_bytes(c, bytes);
	bool fixed;

	t_fill(data, bytes, bytes);
	lossy_code_seal(c, data, bytes);
	T_IS(lossy_code_open(c, data, all, &fixed), bytes);
	T_FALSE(fixed);
	T_IS(t_differs(data, bytes, bytes), -1);
	T_IS(lossy_code_open(c, data, all - 1, &fixed), -EBADMSG);
}

static void intact_data_passes_the_check(void **state)
{
	static struct lossy_code c;

	for (size_t k = 0; k < WEFT_COUNT_OF(codes); k++) {
		lossy_code_init(&c, codes[k]);
		for (uint32_t bytes = 48; bytes < 3000;
		     bytes += bytes < 200 ? 1 : 37)
			check_size(&c, bytes);
	}
}

/*
 * Flips one to three bits anywhere in the frame: all errors are detected or
 * corrected.
 */
static void check_bits(const struct lossy_code *c, struct weft_rng *rng)
{
	uint32_t bytes = 48 + (uint32_t)weft_rng_below(rng, 2016);
	uint32_t all = bytes + lossy_code_bytes(c, bytes);
	unsigned wrong = 1 + (unsigned)weft_rng_below(rng, 3);
	uint8_t data[4096];
	bool fixed;
	int n;

	t_fill(data, bytes, 5);
	lossy_code_seal(c, data, bytes);
	for (uint64_t bit = weft_rng_below(rng, 8 * all - 8); wrong--;
	     bit += 1 + weft_rng_below(rng, 3))
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	n = lossy_code_open(c, data, all, &fixed);
	if (c->kind != WEFT_CARRIER_RS14) {
		T_IS(n, -EBADMSG);
		return;
	}
	T_IS(n, bytes);
	T_IS(t_differs(data, bytes, 5), -1);
}

static void wrong_bits_are_detected_or_corrected(void **state)
{
	static struct lossy_code c;
	struct weft_rng rng;

	weft_rng_init(&rng, 3, 0);
	for (size_t k = 0; k < WEFT_COUNT_OF(codes); k++) {
		lossy_code_init(&c, codes[k]);
		for (int i = 0; i < 2000; i++)
			check_bits(&c, &rng);
	}
}

/* ---- frames between two endpoints ---- */

struct pair {
	struct end a, b;
	struct weft_peer *to;
};

static void pair_open(struct pair *t, const char *faults,
		      enum weft_carrier_code code)
{
	struct weft_carrier_attr attr = { .faults = faults,
					  .below = &weft_carrier_shm,
					  .code = code };

	memset(t, 0, sizeof(*t));
	T_OK(end_open(&t->a, &weft_carrier_lossy, 1, &attr));
	T_OK(end_open(&t->b, &weft_carrier_lossy, 2, &attr));
	t->to = end_peer(&t->a, &t->b);
}

/* Sends the packets from `first` on, until b has received `packets`. */
static void pair_run_from(struct pair *t, uint64_t first, uint64_t packets)
{
	for (uint64_t n = first; n < packets; n++) {
		while (end_send(&t->a, t->to, n, n * 37 % 2000)) {
			t->a.c->ops->poll(t->a.c, 64);
			t->b.c->ops->poll(t->b.c, 64);
		}
	}
	for (int i = 0; i < 10000000 && t->b.got < packets; i++) {
		t->a.c->ops->poll(t->a.c, 64);
		t->b.c->ops->poll(t->b.c, 64);
	}
	T_IS(t->b.got, packets);
	T_IS(t->b.bad, 0);
	while (!lossy_all_acked((struct lossy *)(void *)t->a.c) ||
	       !lossy_all_acked((struct lossy *)(void *)t->b.c)) {
		t->a.c->ops->poll(t->a.c, 64);
		t->b.c->ops->poll(t->b.c, 64);
	}
}

static void pair_run(struct pair *t, uint64_t packets)
{
	pair_run_from(t, 0, packets);
}

static void pair_close(struct pair *t)
{
	end_close(&t->a);
	end_close(&t->b);
}

/*
 * Frames are damaged at the rate of the fault plan; each damaged frame is
 * detected or corrected, none is delivered.
 */
static void damaged_frames_are_detected_and_retransmitted(void **state)
{
	for (size_t k = 0; k < WEFT_COUNT_OF(codes); k++) {
		struct weft_carrier_stats sa, sb;
		uint64_t frames, wrong, seen;
		struct pair t;

		pair_open(&t, "seed=5; errors * = 2e-5", codes[k]);
		pair_run(&t, 3000);
		t.a.c->ops->stats(t.a.c, &sa);
		t.b.c->ops->stats(t.b.c, &sb);
		/* frames of 8400 bits: 155 of 1000 are damaged */
		frames = 3000 + sa.resent;
		T_TRUE(sa.damaged > frames * 12 / 100);
		T_TRUE(sa.damaged < frames * 19 / 100);
		wrong = sa.damaged + sb.damaged;
		seen = sa.found + sb.found + sa.fixed + sb.fixed;
		/*
		 * errors in the four unused bits after the 140 check bits of
		 * RS14 are not detected
		 */
		T_TRUE(seen <= wrong && seen >= wrong * 98 / 100);
		T_TRUE(seen == wrong || codes[k] == WEFT_CARRIER_RS14);
		T_IS(sb.fixed > 0, codes[k] == WEFT_CARRIER_RS14);
		/* a lower bound: a loaded host retransmits more */
		T_TRUE(sa.resent > 300 || codes[k] == WEFT_CARRIER_RS14);
		pair_close(&t);
	}
}

/* A burst of 300 bits is not correctable: the CRC detects it. */
static void uncorrectable_frames_are_retransmitted(void **state)
{
	struct weft_carrier_stats sa, sb;
	struct pair t;

	pair_open(&t, "seed=5; errors * = 1e-5; burst * = 300",
		  WEFT_CARRIER_RS14);
	pair_run(&t, 2000);
	t.a.c->ops->stats(t.a.c, &sa);
	t.b.c->ops->stats(t.b.c, &sb);
	T_TRUE(sb.found > 50 && sa.resent > 50);
	pair_close(&t);
}

static void lost_and_duplicate_frames_are_delivered_once(void **state)
{
	struct weft_carrier_stats sa;
	struct pair t;

	pair_open(&t, "seed=2; loss=0.05; duplicate=0.2; corrupt=0.05",
		  WEFT_CARRIER_CRC32);
	pair_run(&t, 1000);
	t.a.c->ops->stats(t.a.c, &sa);
	T_TRUE(sa.resent > 50);
	pair_close(&t);
}

/* Returns the only peer of an endpoint. */
static struct lossy_peer *only_peer(struct end *e)
{
	struct lossy *n = (struct lossy *)(void *)e->c;

	for (uint32_t i = 0; i < n->peers; i++) {
		if (n->peer[i])
			return n->peer[i];
	}
	fail_msg("no peer");
	return NULL;
}

/*
 * Makes both sides continue with frame number `seq`, while no frames are in
 * flight.
 */
static void pair_continue_at(struct pair *t, uint32_t seq)
{
	struct lossy_peer *a = only_peer(&t->a), *b = only_peer(&t->b);

	a->tx = (struct weft_arq_tx){ .next = seq, .acked = seq };
	a->retransmit_next = seq;
	weft_arq_win_init(&b->rx, seq);
	b->nak_frame = 0;
}

static void frame_numbers_wrap_around(void **state)
{
	static const uint32_t before[] = { UINT32_MAX - 40, INT32_MAX - 40 };
	struct pair t;

	for (size_t i = 0; i < WEFT_COUNT_OF(before); i++) {
		pair_open(&t, "seed=2; loss=0.1; duplicate=0.2; corrupt=0.1",
			  WEFT_CARRIER_CRC32);
		pair_run(&t, 10);
		pair_continue_at(&t, before[i]);
		pair_run_from(&t, 10, 300);
		T_IS(only_peer(&t.a)->tx.next, (uint32_t)(before[i] + 290));
		pair_close(&t);
	}
}

static void a_fault_plan_with_links_is_refused(void **state)
{
	static const char *const plans[] = { "errors A+ = 1e-5", "dead-node 3",
					     "errors * = 2" };

	for (size_t i = 0; i < WEFT_COUNT_OF(plans); i++) {
		struct weft_carrier_attr attr = { .faults = plans[i],
						  .below = &weft_carrier_shm };
		struct end e;

		T_IS(end_open(&e, &weft_carrier_lossy, 1, &attr), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(intact_data_passes_the_check),
		T_CASE(wrong_bits_are_detected_or_corrected),
		T_CASE(damaged_frames_are_detected_and_retransmitted),
		T_CASE(uncorrectable_frames_are_retransmitted),
		T_CASE(lost_and_duplicate_frames_are_delivered_once),
		T_CASE(frame_numbers_wrap_around),
		T_CASE(a_fault_plan_with_links_is_refused),
	};

	return T_RUN(tests);
}
