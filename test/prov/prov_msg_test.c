/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between processes: content, truncation, order, deep queues, fences.
 */
#include "test/prov/prov_job.h"

#include "src/base/attr.h"
#include "test/t.h"

#include <rdma/fi_ext_weft.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BIG ((size_t)8 << 20)

static const size_t sizes[] = {
	0,     1,      7,      8,      9,	 63,	  64,	   65,
	255,   256,    257,    511,    512,	 513,	  1000,	   2048,
	4095,  4096,   4097,   8191,   8192,	 8193,	  9999,	   16384,
	65537, 262143, 262144, 300001, 1u << 20, 3000001, 8u << 20
};

static void check_bytes(struct job *j, const void *buf, size_t len,
			uint64_t seed)
{
	job_check(j, t_differs(buf, len, seed) < 0, "wrong bytes", (long)len);
}

/* ---- content ------------------------------------------------------------- */

static void body_sizes(struct job *j)
{
	char *out = malloc(BIG + 64), *in = malloc(BIG + 64);
	int peer = !j->rank;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t len = sizes[i], odd = i % 5;

		t_fill(out + odd, len, i + (size_t)j->rank * 100);
		memset(in, 0x55, len + 32);
		if (i % 2)
			job_barrier(j);
		job_trecv(j, peer, in + 3, len + 5, i, 0, &in);
		if (i % 3 == 0)
			job_barrier(j);
		job_tsend(j, peer, out + odd, len, i, &out);
		for (int k = 0; k < 2; k++) {
			job_check(j, job_next(j) == 1, "error", j->error.err);
			if (j->entry.op_context != &in)
				continue;
			job_check(j, j->entry.len == len, "length",
				  (long)j->entry.len);
			job_check(j, j->entry.tag == i, "tag", (long)i);
			job_check(j, j->source == j->addr[peer], "source", 0);
			job_check(j, j->entry.flags == (FI_RECV | FI_TAGGED),
				  "flags", (long)j->entry.flags);
		}
		check_bytes(j, in + 3, len, i + (size_t)peer * 100);
		job_check(j, in[2] == 0x55 && in[3 + len] == 0x55, "overrun",
			  (long)len);
	}
	free(out);
	free(in);
}

static void every_size_arrives_completely(void **state)
{
	job_run(2, body_sizes, NULL);
}

static void body_iovs(struct job *j)
{
	size_t total = j->rank + 1 ? 100000 : 0;
	char *out = malloc(total), *in = malloc(total);
	struct iovec so[4] = { { out, 1 },
			       { out + 1, 5000 },
			       { out + 5001, 0 },
			       { out + 5001, total - 5001 } };
	struct iovec si[3] = { { in, 3 },
			       { in + 3, 70001 },
			       { in + 70004, total - 70004 } };
	static const size_t cut[] = { 4, 2000, 9000, 100000 };

	t_fill(out, total, 7);
	for (int i = 0; i < 4; i++) {
		size_t last = cut[i] <= 5001 ? 0 : cut[i] - 5001;
		ssize_t ret;

		so[1].iov_len = cut[i] <= 5001 ? cut[i] - 1 : 5000;
		so[3].iov_len = last;
		memset(in, 0, total);
		ret = fi_trecvv(j->ep, si, NULL, 3, j->addr[!j->rank], 1, 0,
				in);
		job_check(j, ret == 0, "fi_trecvv", ret);
		do {
			ret = fi_tsendv(j->ep, so, NULL, 4, j->addr[!j->rank],
					1, out);
			fi_cq_read(j->cq, NULL, 0);
		} while (ret == -FI_EAGAIN);
		job_check(j, ret == 0, "fi_tsendv", ret);
		job_wait_any(j, 2);
		check_bytes(j, in, last ? 5001 + last : cut[i], 7);
	}
	free(out);
	free(in);
}

static void segments_are_gathered_and_scattered(void **state)
{
	job_run(2, body_iovs, NULL);
}

static void body_self(struct job *j)
{
	char *out = malloc(1 << 20), *in = malloc(1 << 20);

	for (size_t len = 1; len <= 1 << 20; len *= 8) {
		t_fill(out, len, len);
		job_tsend(j, 0, out, len, len, out);
		job_trecv(j, 0, in, len, len, 0, in);
		job_wait_any(j, 2);
		check_bytes(j, in, len, len);
	}
	free(out);
	free(in);
}

static void an_endpoint_sends_to_itself(void **state)
{
	job_run(1, body_self, NULL);
}

/* ---- truncation ---------------------------------------------------------- */

static void body_truncate(struct job *j)
{
	static const size_t len[] = { 100, 6000, 500000 };
	char *buf = malloc(500000);
	uint64_t data = 0x1122334455667788;

	for (int i = 0; i < 3; i++) {
		if (j->rank == 0) {
			ssize_t ret;

			t_fill(buf, len[i], 3);
			do {
				ret = fi_tsenddata(j->ep, buf, len[i], NULL,
						   data, j->addr[1], 5, buf);
				fi_cq_read(j->cq, NULL, 0);
			} while (ret == -FI_EAGAIN);
			job_wait(j, buf);
			continue;
		}
		job_trecv(j, 0, buf, len[i] / 2, 5, 0, buf);
		job_wait_err(j, FI_ETRUNC);
		job_check(j, j->error.len == len[i] / 2, "len",
			  (long)j->error.len);
		job_check(j, j->error.olen == len[i] - len[i] / 2, "olen",
			  (long)j->error.olen);
		job_check(j, j->error.data == data && j->error.tag == 5,
			  "data and tag", 0);
		job_check(j, j->error.op_context == buf, "context", 0);
		check_bytes(j, buf, len[i] / 2, 3);
	}
	free(buf);
}

static void truncation_is_reported_with_data_and_tag(void **state)
{
	job_run(2, body_truncate, NULL);
}

/* ---- receives without a queue -------------------------------------------- */

static void wait_direct(struct job *j, const struct fi_weft_recv *r,
			const struct fi_weft_arrival *a)
{
	struct fi_cq_tagged_entry e;

	while (!a->complete) {
		r->poll(j->ep, a, 100);
		/*
		 * arrivals must wake a thread that is blocked in the queue, too
		 */
		if (!a->complete)
			fi_cq_sread(j->cq, &e, 1, NULL, 1000);
	}
}

static void body_direct(struct job *j)
{
	static const size_t len[] = { 8, 3000, 200000, 1 << 20 };
	unsigned char *buf = malloc(1 << 20);
	struct fi_weft_recv *r;

	job_check(j,
		  !fi_open_ops(&j->ep->fid, FI_WEFT_RECV, 0, (void **)&r, NULL),
		  "fi_open_ops", 0);
	for (unsigned i = 0; i < WEFT_COUNT_OF(len); i++) {
		struct fi_weft_arrival a = { .complete = 0 };

		if (j->rank == 0) {
			t_fill(buf, len[i], i);
			job_tsend(j, 1, buf, len[i], 7, buf);
			job_wait(j, buf);
			job_tsend(j, 1, buf, len[i], 8, buf);
			job_wait(j, buf);
			continue;
		}
		job_check(j, !r->post(j->ep, buf, len[i], 7, 0, &a), "post", 0);
		wait_direct(j, r, &a);
		job_check(j, !a.err && a.len == len[i] && a.tag == 7, "first",
			  a.err);
		check_bytes(j, buf, len[i], i);
		a.complete = 0;
		job_check(j, !r->post(j->ep, buf, 4, 8, 0, &a), "post", 0);
		wait_direct(j, r, &a);
		job_check(j, a.err == FI_ETRUNC && a.len == 4 && a.tag == 8,
			  "truncation", a.err);
	}
	free(buf);
	job_barrier(j);
}

static void a_receive_without_a_queue_completes_in_memory(void **state)
{
	const struct job_opts o = { .wait_obj = FI_WAIT_UNSPEC };

	job_run(2, body_direct, &o);
}

/* A receive with a callback, and the callback's arguments. */
struct called {
	struct fi_weft_arrival a;
	int times;
	int err;
};

static void count_call(struct fi_weft_arrival *a)
{
	struct called *c = (struct called *)a;

	c->times += a->complete;
	c->err = a->err;
	memset(a, 0xff, sizeof(*a)); /* the caller's memory may be reused now */
}

static void post_called(struct job *j, struct fi_weft_recv *r, void *buf,
			size_t len, uint64_t tag, struct called *c)
{
	*c = (struct called){ .a.call = count_call };
	job_check(j, !r->post(j->ep, buf, len, tag, 0, &c->a), "post", 0);
}

/* Waits for the callback; no CQ entry may arrive meanwhile. */
static void wait_called(struct job *j, const struct called *c, int err)
{
	struct fi_cq_tagged_entry e;

	while (!c->times)
		job_check(j, fi_cq_read(j->cq, &e, 1) == -FI_EAGAIN, "queue",
			  0);
	job_check(j, c->times == 1 && c->err == err, "called", c->err);
}

static void body_called(struct job *j)
{
	static unsigned char buf[4][3000];
	struct fi_weft_recv *r;
	struct called c[4];

	job_check(j,
		  !fi_open_ops(&j->ep->fid, FI_WEFT_RECV, 0, (void **)&r, NULL),
		  "fi_open_ops", 0);
	if (j->rank == 0) {
		t_fill(buf[0], 3000, 5);
		for (uint64_t tag = 1; tag < 4; tag++) {
			job_tsend(j, 1, buf[0], 3000, tag, buf);
			job_wait(j, buf);
		}
		job_barrier(j);
		return;
	}
	post_called(j, r, buf[0], 1, 99, &c[0]);
	post_called(j, r, buf[1], 3000, 1, &c[1]);
	wait_called(j, &c[1], 0);
	check_bytes(j, buf[1], 3000, 5);
	post_called(j, r, buf[2], 8, 2, &c[2]);
	wait_called(j, &c[2], FI_ETRUNC);
	/*
	 * for an unexpected message, the callback is called within post, or
	 * soon after
	 */
	post_called(j, r, buf[3], 3000, 3, &c[3]);
	wait_called(j, &c[3], 0);
	check_bytes(j, buf[3], 3000, 5);
	job_check(j, !c[0].times, "no message was sent", 0);
	fi_cancel(&j->ep->fid, &c[0].a);
	wait_called(j, &c[0], FI_ECANCELED);
	job_barrier(j);
}

static void a_receive_without_a_queue_may_have_a_callback(void **state)
{
	const struct job_opts o = { .wait_obj = FI_WAIT_UNSPEC };

	job_run(2, body_called, &o);
}

/* ---- fences -------------------------------------------------------------- */

/* A fenced message is sent when the large message before it is complete. */
static void body_fence(struct job *j)
{
	unsigned char *big = malloc(1 << 20);
	struct iovec iov = { big, 8 };
	struct fi_msg_tagged m = { .msg_iov = &iov,
				   .iov_count = 1,
				   .tag = 2,
				   .addr = job_addr(j, 1),
				   .context = &iov };
	ssize_t ret;

	if (j->rank == 0) {
		job_tsend(j, 1, big, 1 << 20, 1, big);
		ret = fi_tsendmsg(j->ep, &m, FI_FENCE | FI_COMPLETION);
		job_check(j, ret == -FI_EAGAIN, "the fence waits", (long)ret);
		job_barrier(j);
		while (ret == -FI_EAGAIN) {
			fi_cq_read(j->cq, NULL, 0);
			ret = fi_tsendmsg(j->ep, &m, FI_FENCE | FI_COMPLETION);
		}
		job_check(j, !ret, "fi_tsendmsg", (long)ret);
		job_wait(j, big);
		job_wait(j, &iov);
	} else {
		job_barrier(j);
		job_trecv(j, 0, big, 1 << 20, 1, 0, big);
		job_wait(j, big);
		job_trecv(j, 0, big, 8, 2, 0, big);
		job_wait(j, big);
	}
	free(big);
	job_barrier(j);
}

static void a_fence_waits_for_earlier_operations(void **state)
{
	job_run(2, body_fence, NULL);
}

/* ---- deep queues --------------------------------------------------------- */

static void body_unexpected(struct job *j)
{
	int n = t_scale(100000), i;
	uint64_t got = 0;

	if (j->rank == 0) {
		for (i = 0; i < n; i++)
			job_tinject(j, 1, &i, sizeof(i), (uint64_t)i);
		job_barrier(j);
		return;
	}
	/* the barrier makes progress: all messages arrive unexpected */
	job_barrier(j);
	for (i = n - 1; i >= 0; i--) {
		job_trecv(j, 0, &got, sizeof(got), (uint64_t)i, 0, &got);
		job_wait(j, &got);
		job_check(j, (int)got == i, "content", i);
	}
}

static void a_hundred_thousand_messages_are_unexpected(void **state)
{
	const struct job_opts o = { .seconds = 30 };

	job_run(2, body_unexpected, &o);
}

static void body_reversed(struct job *j)
{
	int n = t_scale(10000), i;
	int *in = calloc((size_t)n, sizeof(*in));

	if (j->rank == 1) {
		for (i = 0; i < n; i++)
			job_trecv(j, i % 2 ? 0 : -1, &in[i], sizeof(*in),
				  (uint64_t)i, 0, &in[i]);
	}
	job_barrier(j);
	for (i = n - 1; i >= 0; i--) {
		if (j->rank == 0)
			job_tinject(j, 1, &i, sizeof(i), (uint64_t)i);
		else
			job_wait(j, &in[i]);
	}
	for (i = 0; i < n && j->rank == 1; i++)
		job_check(j, in[i] == i, "content", i);
	free(in);
}

static void ten_thousand_receives_match_in_reverse(void **state)
{
	job_run(2, body_reversed, NULL);
}

/* Large unexpected messages do not delay other messages. */
static void body_large_unexpected(struct job *j)
{
	size_t len = 400000;
	char *buf = calloc(40, len);
	int n = 40, i, x = 0;

	for (i = 0; i < n && j->rank == 0; i++) {
		t_fill(buf + (size_t)i * len, len, (uint64_t)i);
		job_tsend(j, 1, buf + (size_t)i * len, len, (uint64_t)i, buf);
	}
	if (j->rank == 0) {
		job_tinject(j, 1, &n, sizeof(n), 1000);
		job_wait_any(j, n);
	} else {
		job_trecv(j, 0, &x, sizeof(x), 1000, 0, &x);
		job_wait(j, &x);
		for (i = n - 1; i >= 0; i--) {
			job_trecv(j, 0, buf, len, (uint64_t)i, 0, buf);
			job_wait(j, buf);
			check_bytes(j, buf, len, (uint64_t)i);
		}
	}
	free(buf);
}

static void large_unexpected_messages_do_not_delay_others(void **state)
{
	job_run(2, body_large_unexpected, NULL);
}

/* ---- order --------------------------------------------------------------- */

static void body_order(struct job *j)
{
	static const size_t len[] = { 8, 3000, 20000, 400000, 1, 10000 };
	int n = t_scale(600), i;
	char *buf = malloc(400000);

	for (i = 0; i < n && j->rank == 0; i++) {
		t_fill(buf, len[i % 6], (uint64_t)i);
		job_tsend(j, 1, buf, len[i % 6], 9, buf);
		job_wait(j, buf);
	}
	for (i = 0; i < n && j->rank == 1; i++) {
		job_trecv(j, i % 3 ? 0 : -1, buf, 400000, 9, i % 2 ? 0 : 6,
			  buf);
		job_wait(j, buf);
		job_check(j, j->entry.len == len[i % 6], "overtaken", i);
		check_bytes(j, buf, len[i % 6], (uint64_t)i);
	}
	free(buf);
}

static void messages_of_a_pair_match_in_order(void **state)
{
	job_run(2, body_order, NULL);
}

/* Repeats a refused post without reading any queue. */
static void body_post_only(struct job *j)
{
	static char buf[1000];
	ssize_t ret;
	int i;

	for (i = 0; i < 3000; i++) {
		if (j->rank) {
			job_trecv(j, 0, buf, sizeof(buf), (uint64_t)i, 0, buf);
			job_wait(j, buf);
			continue;
		}
		do
			ret = fi_tsend(j->ep, buf, sizeof(buf), NULL,
				       j->addr[1], (uint64_t)i, buf);
		while (ret == -FI_EAGAIN);
		job_check(j, ret == 0, "send", ret);
	}
	if (!j->rank)
		job_wait_any(j, 3000);
	job_barrier(j);
}

static void posting_without_polling_makes_progress(void **state)
{
	job_run(2, body_post_only, NULL);
}

static void body_all_to_all(struct job *j)
{
	size_t len = 3000;
	int n = j->size, rounds = 3, i, r;
	char *in = malloc(len * (size_t)n), *out = malloc(len);

	t_fill(out, len, (uint64_t)j->rank);
	for (r = 0; r < rounds; r++) {
		for (i = 0; i < n; i++)
			job_trecv(j, i, in + (size_t)i * len, len, (uint64_t)r,
				  0, in);
		for (i = 0; i < n; i++)
			job_tsend(j, (j->rank + i) % n, out, len, (uint64_t)r,
				  out);
		job_wait_any(j, 2 * n);
		for (i = 0; i < n; i++)
			check_bytes(j, in + (size_t)i * len, len, (uint64_t)i);
	}
	free(in);
	free(out);
}

static void many_processes_exchange_all_to_all(void **state)
{
	const struct job_opts o = { .seconds = 100 };

	job_run(t_scale(64) < 8 ? 8 : 64, body_all_to_all, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_size_arrives_completely),
		T_CASE(segments_are_gathered_and_scattered),
		T_CASE(an_endpoint_sends_to_itself),
		T_CASE(truncation_is_reported_with_data_and_tag),
		T_CASE(a_receive_without_a_queue_completes_in_memory),
		T_CASE(a_receive_without_a_queue_may_have_a_callback),
		T_CASE(a_fence_waits_for_earlier_operations),
		T_CASE(a_hundred_thousand_messages_are_unexpected),
		T_CASE(ten_thousand_receives_match_in_reverse),
		T_CASE(large_unexpected_messages_do_not_delay_others),
		T_CASE(messages_of_a_pair_match_in_order),
		T_CASE(posting_without_polling_makes_progress),
		T_CASE(many_processes_exchange_all_to_all),
	};

	return T_RUN(tests);
}
