/* SPDX-License-Identifier: BSD-3-Clause */
/* Block transfers and short-message mailboxes of the Gemini interface. */
#include "test/support/gemini_pair.h"

static struct weft_gemini_bte bte(struct pair *p, unsigned type, uint32_t bytes,
				  uint64_t data)
{
	return (struct weft_gemini_bte){
		.type = (uint8_t)type,
		.cq = (uint16_t)p->a.cq,
		.pe = 1,
		.local = { .mdh = (uint16_t)p->a.mdh, .offset = 64 },
		.remote = { .mdh = (uint16_t)p->b.mdh, .offset = 128 },
		.bytes = bytes,
		.data = data,
	};
}

static void a_block_is_put_with_local_and_global_events(void **state)
{
	struct weft_gemini_event e;
	struct weft_gemini_bte d;
	struct pair p;

	pair_open(&p);
	t_fill(p.a.mem + 64, 100000, 1);
	d = bte(&p, WEFT_GEMINI_BTE_PUT, 100000, 7);
	d.flags = WEFT_GEMINI_BTE_LOCAL | WEFT_GEMINI_BTE_NOTIFY;
	T_OK(weft_gemini_bte_post(p.a.f, 2, &d));
	e = pair_event(&p, p.a.f, p.a.cq);
	T_IS(e.source, WEFT_GEMINI_LOCAL);
	e = pair_event(&p, p.a.f, p.a.cq);
	T_IS(e.source, WEFT_GEMINI_GLOBAL);
	T_IS(e.status, WEFT_GEMINI_OK);
	T_IS(e.data, 7);
	T_IS(t_differs(p.b.mem + 128, 100000, 1), -1);
	e = pair_event(&p, p.b.f, p.b.rcq);
	T_IS(e.source, WEFT_GEMINI_REMOTE);
	T_IS(e.data, 7);
	/* one event each, however many packets the block has */
	T_AGAIN(weft_gemini_cq_read(p.a.f, p.a.cq, &e));
	T_AGAIN(weft_gemini_cq_read(p.b.f, p.b.rcq, &e));
	pair_close(&p);
}

static void a_block_get_returns_the_data(void **state)
{
	struct weft_gemini_bte d;
	struct pair p;

	pair_open_with(&p, "seed=1; delay=0.2 by 2 ms; reorder=0.3; raw", 0, 3);
	t_fill(p.b.mem + 128, 99996, 2);
	d = bte(&p, WEFT_GEMINI_BTE_GET, 99996, 8);
	T_OK(weft_gemini_bte_post(p.a.f, 0, &d));
	T_OK(pair_event(&p, p.a.f, p.a.cq).status);
	T_IS(t_differs(p.a.mem + 64, 99996, 2), -1);
	pair_close(&p);
}

static void blocks_need_whole_words_within_bounds(void **state)
{
	struct weft_gemini_bte d;
	struct pair p;

	pair_open(&p);
	d = bte(&p, WEFT_GEMINI_BTE_PUT, 6, 0);
	T_IS(weft_gemini_bte_post(p.a.f, 0, &d), -EINVAL);
	d.bytes = 8;
	d.local.offset = 2;
	T_IS(weft_gemini_bte_post(p.a.f, 0, &d), -EINVAL);
	d.local.offset = PAIR_BYTES - 4;
	T_IS(weft_gemini_bte_post(p.a.f, 0, &d), -EFAULT);
	T_IS(weft_gemini_bte_post(p.a.f, WEFT_GEMINI_CHANNELS, &d), -EINVAL);
	d = bte(&p, WEFT_GEMINI_BTE_PUT, 8, 0);
	d.remote.offset = PAIR_BYTES - 4;
	T_OK(weft_gemini_bte_post(p.a.f, 0, &d));
	T_IS(pair_event(&p, p.a.f, p.a.cq).status, WEFT_GEMINI_BOUNDS);
	pair_close(&p);
}

static void a_send_needs_a_posted_buffer(void **state)
{
	struct weft_gemini_local to = { .offset = 4096 };
	struct weft_gemini_event e;
	struct weft_gemini_bte d;
	struct pair p;

	pair_open(&p);
	t_fill(p.a.mem + 64, 20000, 3);
	d = bte(&p, WEFT_GEMINI_BTE_SEND, 20000, 1);
	T_OK(weft_gemini_bte_post(p.a.f, 1, &d));
	T_IS(pair_event(&p, p.a.f, p.a.cq).status, WEFT_GEMINI_SEQ_TERMINATE);
	to.mdh = (uint16_t)p.b.mdh;
	T_OK(weft_gemini_bte_recv(p.b.f, 1, &to, 20000, p.b.rcq, 55));
	T_OK(weft_gemini_bte_post(p.a.f, 1, &d));
	e = pair_event(&p, p.b.f, p.b.rcq);
	T_IS(e.data, 55);
	T_OK(pair_event(&p, p.a.f, p.a.cq).status);
	T_IS(t_differs(p.b.mem + 4096, 20000, 3), -1);
	T_OK(weft_gemini_bte_recv(p.b.f, 1, &to, 100, p.b.rcq, 56));
	T_OK(weft_gemini_bte_post(p.a.f, 1, &d));
	T_IS(pair_event(&p, p.a.f, p.a.cq).status, WEFT_GEMINI_SEQ_TERMINATE);
	pair_close(&p);
}

/* Delivers n bytes at offset `at` of a send of `total` bytes on channel 1. */
static enum weft_gemini_status arrive_at(struct weft_gemini *f, uint32_t src,
					 unsigned total, unsigned at,
					 unsigned n)
{
	unsigned char data[64];
	struct weft_pkt k = { .type = GEMINI_PKT,
			      .flags = GEMINI_SEND,
			      .len = (uint16_t)n,
			      .unit = gemini_unit(1, 3, 0),
			      .tag = gemini_tag(at, 0),
			      .data = total };

	memset(data, (int)src + 1, sizeof(data));
	return gemini_bte_arrive(f, gemini_peer(f, src), &k, data);
}

static enum weft_gemini_status arrive(struct pair *p, uint32_t src,
				      unsigned total, unsigned at, unsigned n)
{
	return arrive_at(p->b.f, src, total, at, n);
}

static void packets_beyond_a_send_are_refused(void **state)
{
	struct weft_gemini_local to = { .offset = 0 };
	struct pair p;

	pair_open(&p);
	to.mdh = (uint16_t)p.b.mdh;
	T_OK(weft_gemini_bte_recv(p.b.f, 1, &to, 64, p.b.rcq, 5));
	T_IS(arrive(&p, 0, 64, 0, 48), WEFT_GEMINI_OK);
	T_IS(arrive(&p, 0, 64, 32, 48), WEFT_GEMINI_BOUNDS);
	T_IS(arrive(&p, 0, 64, 0, 48), WEFT_GEMINI_BOUNDS);
	T_IS(arrive(&p, 0, 64, 48, 16), WEFT_GEMINI_OK);
	T_IS(pair_event(&p, p.b.f, p.b.rcq).data, 5);
	pair_close(&p);
}

/* The buffer of a partly received send returns when its sender is lost. */
static void a_lost_sender_returns_the_buffer(void **state)
{
	struct weft_gemini_local to = { .offset = 0 };
	struct weft_gemini_event e = { 0 };
	uint64_t v = 1;
	struct pair p;

	pair_open(&p);
	to.mdh = (uint16_t)p.a.mdh;
	T_OK(weft_gemini_bte_recv(p.a.f, 1, &to, 64, p.a.rcq, 5));
	T_IS(arrive_at(p.a.f, 1, 64, 0, 48), WEFT_GEMINI_OK);
	/* an outstanding request detects the loss */
	T_OK(weft_gemini_store(p.a.f, 0, 0, &v, 8));
	weft_gemini_close(p.b.f);
	for (int i = 0; i < 1000000; i++) {
		weft_gemini_poll(p.a.f, 16);
		if (weft_gemini_cq_read(p.a.f, p.a.rcq, &e) == 0)
			break;
	}
	T_IS(e.data, 5);
	T_IS(e.status, WEFT_GEMINI_TIMEOUT);
	weft_gemini_close(p.a.f);
	free(p.a.mem);
	free(p.b.mem);
}

/* Two nodes use the same transaction number at once. */
static void sends_of_two_nodes_are_kept_apart(void **state)
{
	struct weft_gemini_local to = { .offset = 0 };
	struct pair p;

	pair_open(&p);
	to.mdh = (uint16_t)p.b.mdh;
	for (unsigned i = 0; i < 2; i++) {
		to.offset = 64 * i;
		T_OK(weft_gemini_bte_recv(p.b.f, 1, &to, 64, p.b.rcq, i));
	}
	for (unsigned at = 0; at < 64; at += 32)
		for (uint32_t src = 0; src < 2; src++)
			T_IS(arrive(&p, src, 64, at, 32), WEFT_GEMINI_OK);
	for (unsigned i = 0; i < 128; i++)
		T_IS(p.b.mem[i], i / 64 + 1);
	for (unsigned i = 0; i < 2; i++)
		T_IS(pair_event(&p, p.b.f, p.b.rcq).data, i);
	pair_close(&p);
}

static void a_fence_waits_for_all_earlier_blocks(void **state)
{
	struct weft_gemini_bte d;
	struct pair p;

	pair_open(&p);
	d = bte(&p, WEFT_GEMINI_BTE_PUT, 8192, 1);
	T_OK(weft_gemini_bte_post(p.a.f, 0, &d));
	d.flags = WEFT_GEMINI_BTE_FENCE;
	d.data = 2;
	T_OK(weft_gemini_bte_post(p.a.f, 0, &d));
	for (int i = 0; i < 100; i++)
		weft_gemini_poll(p.a.f, 16);
	T_IS(p.a.f->channel[0].in_flight, 1);
	T_IS(p.a.f->channel[0].tx_head, 1);
	T_IS(pair_event(&p, p.a.f, p.a.cq).data, 1);
	T_IS(pair_event(&p, p.a.f, p.a.cq).data, 2);
	pair_close(&p);
}

static void a_channel_holds_1023_descriptors(void **state)
{
	struct weft_gemini_bte d;
	struct pair p;

	pair_open(&p);
	d = bte(&p, WEFT_GEMINI_BTE_PUT, 4, 0);
	for (int i = 0; i < WEFT_GEMINI_TX_DESCS; i++)
		T_OK(weft_gemini_bte_post(p.a.f, 3, &d));
	T_AGAIN(weft_gemini_bte_post(p.a.f, 3, &d));
	pair_close(&p);
}

/* ---- mailboxes ---- */

struct boxes {
	struct pair p;
	struct weft_gemini_smsg *a;
	struct weft_gemini_smsg *b;
};

static void boxes_open(struct boxes *x, uint16_t slots, uint32_t bytes)
{
	struct weft_gemini_smsg_name na;
	struct weft_gemini_smsg_name nb;

	pair_open(&x->p);
	T_OK(weft_gemini_smsg_open(x->p.a.f, slots, bytes, &x->a));
	T_OK(weft_gemini_smsg_open(x->p.b.f, slots, bytes, &x->b));
	weft_gemini_smsg_name(x->a, &na);
	weft_gemini_smsg_name(x->b, &nb);
	na.pe = 0;
	nb.pe = 1;
	T_IS(weft_gemini_smsg_send(x->a, "", 0), -ENOTCONN);
	T_OK(weft_gemini_smsg_connect(x->a, 1, &nb));
	T_OK(weft_gemini_smsg_connect(x->b, 1, &na));
}

static void boxes_close(struct boxes *x)
{
	weft_gemini_smsg_close(x->a);
	weft_gemini_smsg_close(x->b);
	pair_close(&x->p);
}

static void mailbox_messages_arrive_in_order(void **state)
{
	unsigned char buf[3000];
	const void *got;
	uint32_t n;
	struct boxes x;
	unsigned sent = 0;

	boxes_open(&x, 8, sizeof(buf));
	for (unsigned k = 0; k < 500; pair_run(&x.p, 1)) {
		t_fill(buf, sent * 7 % 3001, sent);
		if (sent < 500 &&
		    weft_gemini_smsg_send(x.a, buf, sent * 7 % 3001) == 0)
			sent++;
		if (weft_gemini_smsg_next(x.b, &got, &n))
			continue;
		T_IS(n, k * 7 % 3001);
		T_IS(t_differs(got, n, k), -1);
		weft_gemini_smsg_release(x.b);
		k++;
	}
	T_IS(weft_gemini_smsg_send(x.a, buf, 3100), -EMSGSIZE);
	boxes_close(&x);
}

static void without_credit_a_message_waits(void **state)
{
	const void *got;
	uint32_t n;
	struct boxes x;

	boxes_open(&x, 4, 100);
	for (int i = 0; i < 4; i++)
		T_OK(weft_gemini_smsg_send(x.a, "x", 1));
	T_AGAIN(weft_gemini_smsg_send(x.a, "x", 1));
	for (int i = 0; i < 100; i++)
		pair_run(&x.p, 1);
	T_AGAIN(weft_gemini_smsg_send(x.a, "x", 1));
	for (int i = 0; i < 2; i++) {
		T_OK(weft_gemini_smsg_next(x.b, &got, &n));
		weft_gemini_smsg_release(x.b);
	}
	for (int i = 0; i < 100; i++)
		pair_run(&x.p, 1);
	T_OK(weft_gemini_smsg_send(x.a, "x", 1));
	T_OK(weft_gemini_smsg_send(x.a, "x", 1));
	T_AGAIN(weft_gemini_smsg_send(x.a, "x", 1));
	boxes_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_block_is_put_with_local_and_global_events),
		T_CASE(a_block_get_returns_the_data),
		T_CASE(blocks_need_whole_words_within_bounds),
		T_CASE(a_send_needs_a_posted_buffer),
		T_CASE(packets_beyond_a_send_are_refused),
		T_CASE(a_lost_sender_returns_the_buffer),
		T_CASE(sends_of_two_nodes_are_kept_apart),
		T_CASE(a_fence_waits_for_all_earlier_blocks),
		T_CASE(a_channel_holds_1023_descriptors),
		T_CASE(mailbox_messages_arrive_in_order),
		T_CASE(without_credit_a_message_waits),
	};

	return T_RUN(tests);
}
