/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA with replies and probes (SWE-30), on a network that loses and duplicates
 * packets. Links with error-correcting codes do not lose packets, but failing
 * rails and switches do.
 */
#include "test/support/sunway_pair.h"

enum {
	ROUNDS = 40,
	BYTES = 9000, /* five packets */
	/* bytes of a message with more packets than a word has bits */
	MANY = 200000,
	WORD = 1u << 20, /* offset of an answer word, above all data */
};

static struct weft_sunway_desc desc(struct pair *p, unsigned op, unsigned i,
				    uint32_t bytes)
{
	struct weft_sunway_desc d = pair_desc(&p->b, op, bytes);

	d.local = p->a.address + (uint64_t)i * BYTES;
	d.remote = p->b.address + (uint64_t)i * BYTES;
	return d;
}

static void events(struct pair *p, unsigned count)
{
	while (count--)
		T_IS(pair_event(p, &p->a, 0).status, WEFT_SUNWAY_OK);
	T_IS(p->a.n->me[0].in_flight, 0);
	T_IS(p->b.n->arriving, 0);
}

/* Each write increments the answer word once, and has one event. */
static void writes(const char *faults)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, faults);
	for (unsigned i = 0; i < ROUNDS; i++) {
		t_fill(p.a.mem + i * BYTES, BYTES, i);
		d = desc(&p, WEFT_SUNWAY_RDMAW, i, i % 3 ? BYTES : 100);
		d.flags |= WEFT_SUNWAY_ANSWER;
		d.answer = p.b.address + WORD;
		pair_post(&p.a, &d);
	}
	events(&p, ROUNDS);
	pair_run(&p, 5000); /* packets still in flight have no effect */
	T_IS(nic_event_read(pair_word(&p.b, WORD)), ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++)
		T_IS(t_differs(p.b.mem + i * BYTES, i % 3 ? BYTES : 100, i),
		     -1);
	if (strstr(faults, "loss")) {
		T_TRUE(pair_stats(&p.a).asked > 0);
		T_TRUE(pair_stats(&p.a).rdma_retransmitted > 0);
	} else {
		T_IS(pair_stats(&p.a).rdma_retransmitted, 0);
	}
	if (strstr(faults, "duplicate"))
		T_TRUE(pair_stats(&p.b).doubles > 0);
	pair_close(&p);
}

static void a_write_survives_losses(void **state)
{
	writes("seed=2; loss=0.2; raw");
}

static void a_duplicate_write_counts_once(void **state)
{
	writes("seed=3; duplicate=0.3; raw");
}

static void no_retransmission_without_loss(void **state)
{
	writes("");
}

static void a_read_survives_loss_and_duplication(void **state)
{
	static const char *const faults[] = { "seed=2; loss=0.2; raw",
					      "seed=3; duplicate=0.3; raw" };
	struct weft_sunway_desc d;
	struct pair p;

	for (unsigned k = 0; k < 2; k++) {
		pair_open(&p, faults[k]);
		for (unsigned i = 0; i < ROUNDS; i++) {
			t_fill(p.b.mem + i * BYTES, BYTES, i);
			d = desc(&p, WEFT_SUNWAY_RDMAR, i, BYTES);
			d.flags |= WEFT_SUNWAY_ANSWER;
			d.answer = p.a.address + WORD;
			pair_post(&p.a, &d);
		}
		events(&p, ROUNDS);
		pair_run(&p, 5000);
		T_IS(nic_event_read(pair_word(&p.a, WORD)), ROUNDS);
		for (unsigned i = 0; i < ROUNDS; i++)
			T_IS(t_differs(p.a.mem + i * BYTES, BYTES, i), -1);
		T_TRUE(k || pair_stats(&p.a).rdma_retransmitted > 0);
		T_TRUE(!k || pair_stats(&p.a).doubles > 0);
		pair_close(&p);
	}
}

/* The message has more packets than a word has bits. */
static void a_long_message_survives_losses(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "seed=5; loss=0.05; duplicate=0.05; raw");
	t_fill(p.a.mem, MANY, 1);
	t_fill(p.b.mem + WORD, MANY, 2);
	d = desc(&p, WEFT_SUNWAY_RDMAW, 0, MANY);
	pair_post(&p.a, &d);
	d = desc(&p, WEFT_SUNWAY_RDMAR, 0, MANY);
	d.local += WORD;
	d.remote += WORD;
	pair_post(&p.a, &d);
	events(&p, 2);
	T_IS(t_differs(p.b.mem, MANY, 1), -1);
	T_IS(t_differs(p.a.mem + WORD, MANY, 2), -1);
	pair_close(&p);
}

/* While a notification waits for space, no data is retransmitted. */
static void message_waiting_for_buffer_is_not_retransmitted(void **state)
{
	struct weft_sunway_arrival a;
	struct weft_sunway_desc d;
	struct pair p;
	unsigned n;

	pair_open(&p, "");
	for (unsigned i = 0; i <= pair_vi.receives; i++) {
		d = desc(&p, WEFT_SUNWAY_RDMAW, 0, BYTES);
		d.flags |= WEFT_SUNWAY_NOTIFY;
		d.data = i;
		pair_post(&p.a, &d);
	}
	pair_run(&p, 5000);
	T_TRUE(pair_stats(&p.a).asked > 0);
	T_IS(pair_stats(&p.a).rdma_retransmitted, 0);
	T_TRUE(p.a.n->me[0].in_flight > 0);
	for (n = 0; p.a.n->me[0].in_flight && n < 1000; n++) {
		pair_run(&p, 1);
		if (!weft_sunway_rq_peek(p.b.n, 0, p.b.vi[0], &a))
			weft_sunway_rq_release(p.b.n, 0, p.b.vi[0]);
	}
	T_IS(p.a.n->me[0].in_flight, 0);
	pair_close(&p);
}

/* The target repeats an error status, too. */
static void an_error_status_survives_losses(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "seed=6; loss=0.3; raw");
	for (unsigned i = 0; i < ROUNDS; i++) {
		d = desc(&p, i % 2 ? WEFT_SUNWAY_RDMAR : WEFT_SUNWAY_RDMAW, 0,
			 BYTES);
		if (i % 4) {
			d.remote = p.b.address + PAIR_BYTES - 100;
		} else {
			d.flags |= WEFT_SUNWAY_ANSWER;
			d.answer = p.b.address + PAIR_BYTES;
		}
		pair_post(&p.a, &d);
	}
	for (unsigned i = 0; i < ROUNDS; i++)
		T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_ADDRESS);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_write_survives_losses),
		T_CASE(a_duplicate_write_counts_once),
		T_CASE(no_retransmission_without_loss),
		T_CASE(a_read_survives_loss_and_duplication),
		T_CASE(a_long_message_survives_losses),
		T_CASE(message_waiting_for_buffer_is_not_retransmitted),
		T_CASE(an_error_status_survives_losses),
	};

	return T_RUN(tests);
}
