/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cancelled sends, on every machine, with and without DMA and with injected
 * faults: every cancelled send completes, and its message is either delivered
 * or not.
 */
#include "test/support/nic_pair.h"

/* Waits for the completion of context; the test fails after a timeout. */
static const struct completion *completion_of(struct world *w, struct side *s,
					      const void *context)
{
	struct t_limit limit;

	t_limit_set(&limit, 30);
	while (!is_complete(s, context)) {
		poll_both(w);
		T_FALSE(t_limit_expired(&limit));
	}
	for (unsigned i = 0;; i++) {
		if (s->completion[i].context == context)
			return &s->completion[i];
	}
}

static uint64_t unexpected(const struct side *s)
{
	struct weft_nic_stats st;

	weft_nic_stats(s->nic, &st);
	return st.unexpected;
}

/* Polls until n unexpected messages wait at s. */
static void poll_until_unexpected(struct world *w, struct side *s, uint64_t n)
{
	struct t_limit limit;

	t_limit_set(&limit, 30);
	while (unexpected(s) < n) {
		poll_both(w);
		T_FALSE(t_limit_expired(&limit));
	}
}

/* A message that waits for a receive is cancelled and never received. */
static void case_unmatched(const struct grid *g)
{
	static const size_t len[] = { 0, 8, 3000, 20000, BIG };
	struct world *w = world_open(g);
	char *out = calloc(1, BIG), *next = malloc(BIG), *in = malloc(BIG);

	for (unsigned i = 0; i < sizeof(len) / sizeof(*len); i++) {
		w->a.completions = w->b.completions = 0;
		t_fill(next, len[i], i);
		post_send(w, &w->a, out, len[i], 1, WEFT_OP_ACK);
		poll_until_unexpected(w, &w->b, 1);
		T_OK(weft_nic_cancel(w->a.nic, out));
		T_IS(completion_of(w, &w->a, out)->err, -ECANCELED);
		T_IS(unexpected(&w->b), 0);
		/* the receive must match the next message */
		post_send(w, &w->a, next, len[i], 1, WEFT_OP_ACK);
		post_recv(&w->b, in, BIG, 1, WEFT_MATCH_ANY);
		T_IS(completion_of(w, &w->a, next)->err, 0);
		T_IS(completion_of(w, &w->b, in)->len, len[i]);
		T_IS(t_differs(in, len[i], i), -1);
	}
	world_close(w);
	free(out);
	free(next);
	free(in);
}

/* Cancels one of several messages with the same tag. */
static void case_chosen(const struct grid *g)
{
	struct world *w = world_open(g);
	char out[3][BIG / 8], *in = malloc(BIG);

	for (unsigned i = 0; i < 3; i++) {
		t_fill(out[i], sizeof(out[i]), i);
		post_send(w, &w->a, out[i], sizeof(out[i]), 1, WEFT_OP_ACK);
	}
	T_OK(weft_nic_cancel(w->a.nic, out[1]));
	T_IS(completion_of(w, &w->a, out[1])->err, -ECANCELED);
	for (unsigned i = 0; i < 3; i += 2) {
		w->b.completions = 0;
		post_recv(&w->b, in, BIG, 1, WEFT_MATCH_ANY);
		T_IS(completion_of(w, &w->b, in)->err, 0);
		T_IS(t_differs(in, sizeof(out[i]), i), -1);
		T_IS(completion_of(w, &w->a, out[i])->err, 0);
	}
	free(in);
	world_close(w);
}

/* Cancels matched and claimed messages, which are still delivered. */
static void case_matched(const struct grid *g)
{
	static const size_t len[] = { 8, 20000, BIG };
	struct world *w = world_open(g);
	char *out = malloc(BIG), *in = malloc(BIG);

	for (unsigned i = 0; i < sizeof(len) / sizeof(*len); i++) {
		w->a.completions = w->b.completions = 0;
		t_fill(out, len[i], i);
		post_recv(&w->b, in, BIG, 1, WEFT_MATCH_ANY);
		while (try_send(&w->a, out, len[i], 1, WEFT_OP_ACK))
			poll_both(w);
		for (unsigned k = 0; k < i; k++)
			poll_both(w);
		weft_nic_cancel(w->a.nic, out);
		weft_nic_cancel(w->a.nic, out);
		T_IS(completion_of(w, &w->a, out)->err, 0);
		T_IS(completion_of(w, &w->b, in)->err, 0);
		T_IS(t_differs(in, len[i], i), -1);
	}
	T_IS(weft_nic_cancel(w->a.nic, out), -ENOENT);
	free(out);
	free(in);
	world_close(w);
}

/* Cancels at every stage of the protocol: the send completes in all cases. */
static void case_any_stage(const struct grid *g)
{
	struct world *w = world_open(g);
	char *out = malloc(BIG), *in = malloc(BIG);
	unsigned cancelled = 0, delivered = 0;

	for (unsigned i = 0; i < 40; i++) {
		w->a.completions = w->b.completions = 0;
		t_fill(out, 20000, i);
		while (try_send(&w->a, out, 20000, 1, WEFT_OP_ACK))
			poll_both(w);
		for (unsigned k = 0; k < i / 2; k++)
			poll_both(w);
		weft_nic_cancel(w->a.nic, out);
		if (i % 2)
			post_recv(&w->b, in, BIG, 1, WEFT_MATCH_ANY);
		if (completion_of(w, &w->a, out)->err == 0) {
			delivered++;
			if (i % 2 == 0)
				post_recv(&w->b, in, BIG, 1, WEFT_MATCH_ANY);
			T_IS(completion_of(w, &w->b, in)->err, 0);
			T_IS(t_differs(in, 20000, i), -1);
			continue;
		}
		cancelled++;
		T_IS(unexpected(&w->b), 0);
		if (i % 2) {
			T_FALSE(is_complete(&w->b, in));
			T_OK(weft_nic_cancel(w->b.nic, in));
		}
	}
	T_IS(cancelled + delivered, 40);
	/* every send without a matching receive is cancelled */
	T_TRUE(cancelled >= 20);
	free(out);
	free(in);
	world_close(w);
}

static void an_unmatched_message_is_cancelled(void **state)
{
	on_every_machine(case_unmatched);
}

static void one_of_several_messages_with_a_tag_is_cancelled(void **state)
{
	on_every_machine(case_chosen);
}

static void a_matched_message_is_delivered_despite_cancel(void **state)
{
	on_every_machine(case_matched);
}

static void a_send_cancelled_at_any_stage_completes(void **state)
{
	on_every_machine(case_any_stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(an_unmatched_message_is_cancelled),
		T_CASE(one_of_several_messages_with_a_tag_is_cancelled),
		T_CASE(a_matched_message_is_delivered_despite_cancel),
		T_CASE(a_send_cancelled_at_any_stage_completes),
	};

	return T_RUN(tests);
}
