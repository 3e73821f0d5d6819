/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message control: probes, claims, multi buffers, cancelling, delivery,
 * selective completion, unknown senders, threads, and death of a peer during a
 * transfer.
 */
#include "test/prov/prov_job.h"

#include "src/base/clock.h"
#include "test/t.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void settle(struct job *j, ssize_t ret, const char *what)
{
	job_check(j, ret == 0, what, ret);
}

/* ---- probes -------------------------------------------------------------- */

static ssize_t probe(struct job *j, uint64_t tag, uint64_t flags, void *buf,
		     size_t len)
{
	struct iovec iov = { buf, len };
	struct fi_msg_tagged m = {
		.msg_iov = &iov,
		.iov_count = buf ? 1 : 0,
		.addr = j->addr[0],
		.tag = tag,
		.context = &j->entry,
	};

	return fi_trecvmsg(j->ep, &m, flags);
}

/* Peeks until the message has arrived. */
static void peek(struct job *j, uint64_t tag, uint64_t flags, size_t len)
{
	int ret;

	do {
		settle(j, probe(j, tag, FI_PEEK | flags, NULL, 0), "peek");
		ret = job_next(j);
		job_check(j, ret == 1 || j->error.err == FI_ENOMSG,
			  "peek error", j->error.err);
	} while (ret != 1);
	job_check(j, j->entry.len == len && j->entry.tag == tag, "peek result",
		  (long)j->entry.len);
	job_check(j, j->entry.data == tag + 100, "peek data",
		  (long)j->entry.data);
	job_check(j, j->entry.flags & FI_REMOTE_CQ_DATA, "peek flags", 0);
}

static void body_probe(struct job *j)
{
	static const size_t len[] = { 10, 7000, 600000 };
	char *buf = malloc(600000);
	ssize_t ret;
	int i;

	for (i = 0; i < 12 && j->rank == 0; i++) {
		t_fill(buf, len[i % 3], (uint64_t)i);
		do {
			ret = fi_tsenddata(j->ep, buf, len[i % 3], NULL,
					   (uint64_t)i + 100, j->addr[1],
					   (uint64_t)i, buf);
			fi_cq_read(j->cq, NULL, 0);
		} while (ret == -FI_EAGAIN);
		settle(j, ret, "senddata");
		job_wait(j, buf);
	}
	for (i = 0; i < 12 && j->rank == 1; i++) {
		uint64_t tag = (uint64_t)i;

		settle(j, probe(j, 999, FI_PEEK, NULL, 0), "peek");
		job_wait_err(j, FI_ENOMSG);
		if (i / 3 == 0) {
			peek(j, tag, 0, len[i % 3]);
			job_trecv(j, 0, buf, 600000, tag, 0, &j->entry);
		} else if (i / 3 == 1) {
			peek(j, tag, FI_CLAIM, len[i % 3]);
			settle(j, probe(j, tag, FI_CLAIM, buf, 600000),
			       "claim");
		} else if (i / 3 == 2) {
			peek(j, tag, FI_DISCARD, len[i % 3]);
			continue;
		} else {
			peek(j, tag, FI_CLAIM, len[i % 3]);
			settle(j, probe(j, tag, FI_CLAIM | FI_DISCARD, NULL, 0),
			       "discard");
			job_wait(j, &j->entry);
			continue;
		}
		job_wait(j, &j->entry);
		job_check(j, t_differs(buf, len[i % 3], tag) < 0, "bytes", i);
	}
	free(buf);
}

static void messages_are_peeked_claimed_and_discarded(void **state)
{
	job_run(2, body_probe, NULL);
}

/* ---- multi buffers ------------------------------------------------------- */

static void post_multi(struct job *j, char *buf, size_t len)
{
	struct iovec iov = { buf, len };
	struct fi_msg m = { .msg_iov = &iov,
			    .iov_count = 1,
			    .addr = FI_ADDR_UNSPEC,
			    .context = buf };

	settle(j, fi_recvmsg(j->ep, &m, FI_MULTI_RECV | FI_COMPLETION),
	       "multi");
}

static void body_multi(struct job *j)
{
	size_t room = 200000, min = 20000, len;
	char *buf = malloc(2 * room), *out = malloc(min);
	int n = 300, i, released = 0;
	ssize_t ret;

	if (j->rank == 1) {
		settle(j,
		       fi_setopt(&j->ep->fid, FI_OPT_ENDPOINT,
				 FI_OPT_MIN_MULTI_RECV, &min, sizeof(min)),
		       "setopt");
		post_multi(j, buf, room);
		post_multi(j, buf + room, room);
	}
	job_barrier(j);
	for (i = 0; i < n && j->rank == 0; i++) {
		len = (size_t)i * 67 % min;
		t_fill(out, len, (uint64_t)i);
		do {
			ret = fi_send(j->ep, out, len, NULL, j->addr[1], out);
			fi_cq_read(j->cq, NULL, 0);
		} while (ret == -FI_EAGAIN);
		settle(j, ret, "send");
		job_wait(j, out);
	}
	for (i = 0; i < n && j->rank == 1; i++) {
		job_check(j, job_next(j) == 1, "error", j->error.err);
		len = (size_t)i * 67 % min;
		job_check(j, j->entry.len == len, "length", i);
		job_check(j, t_differs(j->entry.buf, len, (uint64_t)i) < 0,
			  "bytes", i);
		if (!(j->entry.flags & FI_MULTI_RECV))
			continue;
		released++;
		post_multi(j, j->entry.op_context, room);
	}
	if (j->rank == 1)
		job_check(j, released >= 10, "released", released);
	free(buf);
	free(out);
}

static void a_multi_buffer_receives_many_and_is_released(void **state)
{
	job_run(2, body_multi, NULL);
}

/* ---- cancel -------------------------------------------------------------- */

static void body_cancel(struct job *j)
{
	int in[3] = { 0 }, x = 5;

	job_trecv(j, 0, &in[0], 4, 1, 0, &in[0]);
	job_trecv(j, -1, &in[1], 4, 1, 0, &in[1]);
	settle(j, fi_cancel(&j->ep->fid, &in[0]), "cancel");
	job_wait_err(j, FI_ECANCELED);
	job_check(j, j->error.op_context == &in[0], "context", 0);
	settle(j, fi_cancel(&j->ep->fid, &in[0]), "cancel twice");
	job_tinject(j, 0, &x, 4, 1);
	job_wait(j, &in[1]);
	job_check(j, in[1] == 5 && in[0] == 0, "content", in[1]);
	settle(j, fi_cancel(&j->ep->fid, &in[1]), "cancel late");
	job_check(j, fi_cq_read(j->cq, &j->entry, 1) == -FI_EAGAIN,
		  "spurious completion", 0);
}

static void a_posted_receive_can_be_cancelled(void **state)
{
	job_run(1, body_cancel, NULL);
}

/* ---- completions --------------------------------------------------------- */

/* With FI_DELIVERY_COMPLETE, a send completes after the receive was posted. */
static void body_delivery(struct job *j)
{
	static const size_t len[] = { 0, 8, 6000, 300000 };
	char *buf = malloc(300000);
	int i, k;

	for (i = 0; i < 4; i++) {
		if (j->rank == 0) {
			job_tsend(j, 1, buf, len[i], (uint64_t)i, buf);
			for (k = 0; k < 200; k++) {
				job_check(j,
					  fi_cq_read(j->cq, &j->entry, 1) ==
						  -FI_EAGAIN,
					  "too early", i);
				sched_yield();
			}
			weft_store64(&j->all->word[i], 1);
			job_wait(j, buf);
			continue;
		}
		while (!weft_load64(&j->all->word[i]))
			fi_cq_read(j->cq, NULL, 0);
		job_trecv(j, 0, buf, len[i], (uint64_t)i, 0, buf);
		job_wait(j, buf);
	}
	free(buf);
}

static void delivery_complete_waits_for_the_receive(void **state)
{
	const struct job_opts o = { .tx_flags = FI_DELIVERY_COMPLETE };

	job_run(2, body_delivery, &o);
}

static void body_quiet(struct job *j)
{
	int in = 0, out = 1;
	struct iovec iov = { &out, 4 };
	struct fi_msg_tagged m = { .msg_iov = &iov,
				   .iov_count = 1,
				   .addr = j->addr[0],
				   .tag = 3,
				   .context = &out };

	/*
	 * op_flags without FI_COMPLETION: calls without flags have no
	 * completion
	 */
	job_tsend(j, 0, &out, 4, 3, &out);
	job_trecv(j, 0, &in, 4, 3, 0, &in);
	while (!in)
		job_check(j, fi_cq_read(j->cq, &j->entry, 1) == -FI_EAGAIN,
			  "unrequested completion", 0);
	settle(j, fi_tsendmsg(j->ep, &m, FI_COMPLETION), "sendmsg");
	job_wait(j, &out);
	m.context = &in;
	iov.iov_base = &in;
	settle(j, fi_trecvmsg(j->ep, &m, FI_COMPLETION), "recvmsg");
	job_wait(j, &in);
}

static void selective_completions_are_reported_on_request_only(void **state)
{
	const struct job_opts o = { .cq_flags = FI_SELECTIVE_COMPLETION };

	job_run(1, body_quiet, &o);
}

/* A message from a sender not in the AV matches receives from any source. */
static void body_unknown_sender(struct job *j)
{
	int x = 7, in = 0;

	if (j->rank == 1)
		settle(j, fi_av_remove(j->av, &j->addr[0], 1, 0), "remove");
	job_barrier(j);
	if (j->rank == 0) {
		job_tinject(j, 1, &x, 4, 1);
	} else {
		job_trecv(j, -1, &in, 4, 1, 0, &in);
		job_wait(j, &in);
		job_check(j, in == 7 && j->source == FI_ADDR_NOTAVAIL, "source",
			  (long)j->source);
	}
}

static void an_unknown_sender_matches_any_source(void **state)
{
	job_run(2, body_unknown_sender, NULL);
}

/* ---- threads ------------------------------------------------------------- */

#define THREADS 3

struct message_thread {
	struct job *j;
	int id;
	int rounds;
};

/*
 * Every thread has its own tag; completions are shared, so only their number is
 * checked.
 */
static void *exchange_messages(void *arg)
{
	struct message_thread *t = arg;
	int out[4] = { t->id }, i;

	for (i = 0; i < t->rounds; i++)
		job_tinject(t->j, !t->j->rank, out, sizeof(out),
			    (uint64_t)t->id);
	return NULL;
}

static void body_threads(struct job *j)
{
	struct message_thread t[THREADS];
	int rounds = t_scale(2000), n = rounds * THREADS, i;
	int(*in)[4] = calloc((size_t)n, sizeof(*in));

	for (i = 0; i < n; i++)
		job_trecv(j, !j->rank, in[i], sizeof(*in),
			  (uint64_t)(i % THREADS), 0, in[i]);
	for (i = 0; i < THREADS; i++)
		t[i] = (struct message_thread){ j, i, rounds };
	t_threads(THREADS, exchange_messages, t, sizeof(t[0]));
	job_wait_any(j, n);
	for (i = 0; i < n; i++)
		job_check(j, in[i][0] == i % THREADS, "content", i);
	free(in);
}

static void threads_share_an_endpoint(void **state)
{
	const struct job_opts o = { .threading = FI_THREAD_SAFE };

	job_run(2, body_threads, &o);
}

/* The target never calls libfabric: its progress thread responds. */
static void body_auto(struct job *j)
{
	weft_au64 mem = 5;
	uint64_t one = 1, old = 0;
	struct fid_mr *mr;

	settle(j,
	       fi_mr_reg(j->domain, &mem, 8, FI_REMOTE_READ | FI_REMOTE_WRITE,
			 0, 1, 0, &mr, NULL),
	       "mr");
	job_barrier(j);
	if (j->rank == 0) {
		settle(j,
		       fi_fetch_atomic(j->ep, &one, 1, NULL, &old, NULL,
				       j->addr[1], 0, 1, FI_UINT64, FI_SUM,
				       &old),
		       "atomic");
		job_wait(j, &old);
		job_check(j, old == 5, "old", (long)old);
		weft_store64(&j->all->word[0], 1);
	} else {
		while (!weft_load64(&j->all->word[0]))
			sched_yield();
		job_check(j, weft_load64(&mem) == 6, "sum",
			  (long)weft_load64(&mem));
	}
	job_barrier(j);
	settle(j, fi_close(&mr->fid), "close mr");
}

static void automatic_progress_serves_peers_without_calls(void **state)
{
	const struct job_opts o = { .threading = FI_THREAD_SAFE,
				    .progress = FI_PROGRESS_AUTO };

	job_run(2, body_auto, &o);
}

/* ---- death of a peer ----------------------------------------------------- */

/*
 * Rank 1 dies with messages to and from it in flight; ranks 0 and 2 continue.
 */
static void body_death(struct job *j)
{
	size_t len = 4 << 20;
	char *out = calloc(1, len), *in = calloc(1, len);
	int x = 0, errors = 0, i;
	ssize_t ret;

	if (j->rank == 1) {
		/* this message is never received */
		job_tsend(j, 0, out, len, 50, out);
		weft_store64(&j->all->word[1], (uint64_t)getpid());
		while (1)
			fi_cq_read(j->cq, NULL, 0);
	}
	job_trecv(j, 1, in, len, 1, 0, in);
	job_trecv(j, 1, in, len, 2, 0, in);
	job_trecv(j, -1, &x, 4, 3, 0, &x);
	job_tsend(j, 1, out, len, 9, out);
	if (j->rank == 0) {
		while (!weft_load64(&j->all->word[1]))
			fi_cq_read(j->cq, NULL, 0);
		weft_store64(&j->all->word[2], 1);
	} else {
		weft_store64(&j->all->word[3], 1);
	}
	while (errors < 3) {
		if (job_next(j) == 1) {
			job_check(j, j->entry.op_context == &x, "success", 0);
			continue;
		}
		job_check(j, j->error.op_context != &x, "wildcard failed", 0);
		errors++;
	}
	/* a post to a dead peer is refused or fails, but never blocks */
	for (i = 0; i < 3; i++) {
		ret = fi_tsend(j->ep, out, len, NULL, j->addr[1], 9, out);
		job_check(j, ret == 0 || (ret < 0 && ret != -FI_EAGAIN),
			  "send to a dead peer", ret);
		if (!ret)
			job_check(j, job_next(j) == -FI_EAVAIL, "error", 0);
	}
	/* the survivors still communicate */
	i = 77;
	job_tinject(j, j->rank ? 0 : 2, &i, 4, 3);
	if (!x)
		job_wait(j, &x);
	job_check(j, x == 77, "content", x);
	free(out);
	free(in);
}

static void *killer(void *arg)
{
	struct job_shared *all = arg;

	/* both survivors have posted the operations that the death must end */
	while (!weft_load64(&all->word[2]) || !weft_load64(&all->word[3]))
		usleep(1000);
	kill((pid_t)weft_load64(&all->word[1]), SIGKILL);
	return NULL;
}

static void body_death_kill(struct job *j)
{
	pthread_t t;

	if (j->rank == 2)
		pthread_create(&t, NULL, killer, j->all);
	body_death(j);
	if (j->rank == 2)
		pthread_join(t, NULL);
	/* exit without a barrier or a regular close, since a rank is missing */
	_exit(0);
}

static void survivors_of_a_killed_peer_get_errors(void **state)
{
	const struct job_opts o = { .seconds = 60, .may_die = 2 };

	job_run(3, body_death_kill, &o);
}

/* Length of a message that is eager on every machine. */
#define LAST ((size_t)1500)

/*
 * Messages of a process that has closed and exited match a receive posted
 * later.
 */
static void body_sender_exits(struct job *j)
{
	uint64_t end = weft_now_ns() + 500000000u;
	char *buf = malloc(LAST);

	t_fill(buf, LAST, 1);
	if (j->rank == 0) {
		job_tsend(j, 1, buf, LAST, 1, buf);
		job_wait(j, buf);
		job_tinject(j, 1, buf, 64, 2);
		settle(j, fi_close(&j->ep->fid), "close");
		weft_store64(&j->all->word[0], 1);
		_exit(0);
	}
	while (!weft_load64(&j->all->word[0]) || weft_now_ns() < end)
		fi_cq_read(j->cq, NULL, 0);
	memset(buf, 0, LAST);
	job_trecv(j, 0, buf, LAST, 1, 0, buf);
	job_wait(j, buf);
	job_check(j, t_differs(buf, LAST, 1) < 0, "bytes", 0);
	job_trecv(j, 0, buf, LAST, 2, 0, buf);
	job_wait(j, buf);
	job_check(j, j->entry.len == 64, "length", (long)j->entry.len);
	_exit(0);
}

static void messages_are_received_after_their_sender_exits(void **state)
{
	job_run(2, body_sender_exits, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(messages_are_peeked_claimed_and_discarded),
		T_CASE(a_multi_buffer_receives_many_and_is_released),
		T_CASE(a_posted_receive_can_be_cancelled),
		T_CASE(delivery_complete_waits_for_the_receive),
		T_CASE(selective_completions_are_reported_on_request_only),
		T_CASE(an_unknown_sender_matches_any_source),
		T_CASE(threads_share_an_endpoint),
		T_CASE(automatic_progress_serves_peers_without_calls),
		T_CASE(survivors_of_a_killed_peer_get_errors),
		T_CASE(messages_are_received_after_their_sender_exits),
	};

	return T_RUN(tests);
}
