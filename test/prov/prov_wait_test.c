/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting, threads and progress over the provider: blocking calls, file
 * descriptors, counters, automatic progress, several threads on one endpoint,
 * reuse of an endpoint's name.
 */
#include "test/prov/prov_job.h"
#include "test/t.h"

#include <rdma/fi_ext_weft.h>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_MS 30000

/* Exchanges messages with the other process; waits by calling wait(). */
static void pingpong(struct job *j, int rounds, void (*wait)(struct job *j))
{
	uint64_t out, in;

	for (int i = 0; i < rounds; i++) {
		out = (uint64_t)i * 2 + (uint64_t)j->rank;
		job_trecv(j, !j->rank, &in, sizeof(in), 1, 0, &in);
		if (j->rank == 0)
			job_tinject(j, 1, &out, sizeof(out), 1);
		wait(j);
		job_check(j, j->entry.op_context == &in, "context", i);
		job_check(j, in == (uint64_t)i * 2 + !j->rank, "content", i);
		if (j->rank == 1)
			job_tinject(j, 0, &out, sizeof(out), 1);
	}
}

static void wait_sread(struct job *j)
{
	ssize_t n = fi_cq_sread(j->cq, &j->entry, 1, NULL, LONG_MS);

	job_check(j, n == 1, "fi_cq_sread", (long)n);
}

static void body_sread(struct job *j)
{
	struct fi_cq_tagged_entry e;

	pingpong(j, t_scale(500), wait_sread);
	job_barrier(j);
	job_check(j, fi_cq_sread(j->cq, &e, 1, NULL, 20) == -FI_EAGAIN,
		  "time-out", 0);
}

static void blocking_reads_wake_for_messages(void **state)
{
	static const enum fi_wait_obj objs[] = { FI_WAIT_UNSPEC, FI_WAIT_FD,
						 FI_WAIT_YIELD };
	struct job_opts o = { .threading = FI_THREAD_DOMAIN };

	for (size_t i = 0; i < 3; i++) {
		o.wait_obj = objs[i];
		job_run(2, body_sread, &o);
	}
}

static void wait_poll(struct job *j)
{
	struct pollfd p = { .events = POLLIN };
	struct fid *fid = &j->cq->fid;
	ssize_t n;

	job_check(j, fi_control(fid, FI_GETWAIT, &p.fd) == 0, "GETWAIT", 0);
	while ((n = fi_cq_read(j->cq, &j->entry, 1)) == -FI_EAGAIN) {
		int ret = fi_trywait(j->fabric, &fid, 1);

		if (ret == -FI_EAGAIN)
			continue;
		job_check(j, ret == 0, "fi_trywait", ret);
		job_check(j, poll(&p, 1, LONG_MS) == 1, "poll", 0);
	}
	job_check(j, n == 1, "fi_cq_read", (long)n);
}

static void body_poll(struct job *j)
{
	pingpong(j, t_scale(300), wait_poll);
}

static void a_descriptor_wakes_for_messages(void **state)
{
	struct job_opts o = { .wait_obj = FI_WAIT_FD };

	job_run(2, body_poll, &o);
}

static void body_cntr(struct job *j)
{
	char c[8] = "counted";
	int n = t_scale(400), ret;

	for (int i = 1; i <= n; i++) {
		job_trecv(j, !j->rank, c, sizeof(c), 1, 0, NULL);
		if (j->rank == 0)
			job_tinject(j, 1, c, sizeof(c), 1);
		ret = fi_cntr_wait(j->rx_cntr, (uint64_t)i, LONG_MS);
		job_check(j, ret == 0, "fi_cntr_wait", ret);
		if (j->rank == 1)
			job_tinject(j, 0, c, sizeof(c), 1);
	}
	job_barrier(j);
	ret = fi_cntr_wait(j->rx_cntr, (uint64_t)n + 1, 20);
	job_check(j, ret == -FI_ETIMEDOUT, "time-out", ret);
}

static void a_wait_for_a_counter_ends(void **state)
{
	struct job_opts o = { .counters = 1 };

	job_run(2, body_cntr, &o);
}

/* The receiver posts and does not poll; the sender must complete anyway. */
static void body_auto(struct job *j)
{
	size_t len = 1 << 20;
	char *buf = malloc(len);

	if (j->rank == 1) {
		job_trecv(j, 0, buf, len, 5, 0, NULL);
		weft_store64(&j->all->word[0], 1);
		while (weft_load64(&j->all->word[0]) != 2)
			sched_yield();
		job_wait(j, NULL);
		job_check(j, t_differs(buf, len, 3) < 0, "content", 0);
	} else {
		t_fill(buf, len, 3);
		while (weft_load64(&j->all->word[0]) != 1)
			sched_yield();
		job_tsend(j, 1, buf, len, 5, NULL);
		job_wait(j, NULL);
		weft_store64(&j->all->word[0], 2);
	}
	free(buf);
}

static void automatic_progress_receives_without_polling(void **state)
{
	struct job_opts o = { .progress = FI_PROGRESS_AUTO,
			      .tx_flags = FI_DELIVERY_COMPLETE };

	job_run(2, body_auto, &o);
}

/* ---- threads ------------------------------------------------------------- */

#define THREADS 3

struct worker {
	struct job *j;
	uint64_t tag;
	weft_au32 sent;
	weft_au32 received;
};

/* Reads an entry, and increments the word of the thread that owns it. */
static void read_entry(struct worker *l)
{
	struct fi_cq_tagged_entry e;
	ssize_t n = fi_cq_sread(l->j->cq, &e, 1, NULL, 1);

	job_check(l->j, n == 1 || n == -FI_EAGAIN, "fi_cq_sread", (long)n);
	if (n == 1)
		weft_add32(e.op_context, 1);
}

static void *worker_run(void *arg)
{
	struct worker *l = arg;
	struct job *j = l->j;
	char *out = malloc(20000), *in = malloc(20000);
	int rounds = t_scale(200);

	for (int i = 0; i < rounds; i++) {
		size_t len = i % 4 ? 16 : 20000;
		uint64_t seed = l->tag * 1000 + (uint64_t)i;

		t_fill(out, len, seed);
		while (fi_trecv(j->ep, in, len, NULL, j->addr[!j->rank], l->tag,
				0, &l->received))
			sched_yield();
		while (fi_tsend(j->ep, out, len, NULL, j->addr[!j->rank],
				l->tag, &l->sent) == -FI_EAGAIN)
			read_entry(l);
		while (weft_load32(&l->sent) <= (uint32_t)i ||
		       weft_load32(&l->received) <= (uint32_t)i)
			read_entry(l);
		job_check(j, t_differs(in, len, seed) < 0, "content", i);
	}
	free(out);
	free(in);
	return NULL;
}

static void body_threads(struct job *j)
{
	struct worker worker[THREADS];

	for (int i = 0; i < THREADS; i++)
		worker[i] = (struct worker){ .j = j, .tag = (uint64_t)i + 1 };
	t_threads(THREADS, worker_run, worker, sizeof(worker[0]));
}

static void threads_share_an_endpoint_and_a_queue(void **state)
{
	struct job_opts o = { .threading = FI_THREAD_SAFE,
			      .wait_obj = FI_WAIT_UNSPEC };

	job_run(2, body_threads, &o);
	o.progress = FI_PROGRESS_AUTO;
	job_run(2, body_threads, &o);
}

/* ---- endpoints opened and closed ----------------------------------------- */

static struct fid_ep *ep_reopen(struct job *j, struct sockaddr_in *name)
{
	struct fid_ep *ep;
	int ret;

	memcpy(j->info->src_addr, name, sizeof(*name));
	job_check(j, !fi_endpoint(j->domain, j->info, &ep, NULL), "ep", 0);
	job_check(j, !fi_ep_bind(ep, &j->av->fid, 0), "bind av", 0);
	job_check(j, !fi_ep_bind(ep, &j->cq->fid, FI_TRANSMIT | FI_RECV),
		  "bind cq", 0);
	while ((ret = fi_enable(ep)) == -FI_EADDRINUSE)
		sched_yield();
	job_check(j, ret == 0, "fi_enable", ret);
	return ep;
}

/*
 * Two endpoints of one domain share a queue: the job's endpoint and a second
 * one.
 */
static void body_pair(struct job *j)
{
	struct sockaddr_in any = { .sin_family = AF_INET }, name;
	size_t name_len = sizeof(name), len = 100000;
	char *out = malloc(len), *in = malloc(len);
	struct fid_ep *ep = ep_reopen(j, &any);
	fi_addr_t addr;

	fi_getname(&ep->fid, &name, &name_len);
	job_check(j, fi_av_insert(j->av, &name, 1, &addr, 0, NULL) == 1,
		  "insert", 0);
	for (int i = 0; i < t_scale(200); i++) {
		size_t n = i % 8 ? (size_t)i : len;
		struct fi_cq_tagged_entry e;
		int left = 2;

		t_fill(out, n, (uint64_t)i);
		job_check(j, !fi_trecv(ep, in, n, NULL, j->addr[0], 1, 0, in),
			  "fi_trecv", i);
		job_check(j, !fi_tsend(j->ep, out, n, NULL, addr, 1, out),
			  "fi_tsend", i);
		while (left) {
			ssize_t got = fi_cq_sread(j->cq, &e, 1, NULL, LONG_MS);

			job_check(j, got == 1, "fi_cq_sread", (long)got);
			left--;
		}
		job_check(j, t_differs(in, n, (uint64_t)i) < 0, "content", i);
	}
	job_check(j, fi_close(&ep->fid) == 0, "close", 0);
	free(out);
	free(in);
}

static void two_endpoints_of_a_domain_exchange_messages(void **state)
{
	static const enum fi_progress progress[] = { FI_PROGRESS_MANUAL,
						     FI_PROGRESS_AUTO };
	struct job_opts o = { .wait_obj = FI_WAIT_UNSPEC };

	for (int i = 0; i < 4; i++) {
		setenv("FI_WEFT_CARRIER", i & 1 ? "loop" : "shm", 1);
		o.progress = progress[i / 2];
		job_run(1, body_pair, &o);
	}
	unsetenv("FI_WEFT_CARRIER");
}

static void body_reuse(struct job *j)
{
	fi_addr_t addr;
	char c = 'x';

	if (j->rank == 1) {
		job_trecv(j, 0, &c, 1, 1, 0, NULL);
		job_wait(j, NULL);
		fi_close(&j->ep->fid);
		j->ep = ep_reopen(j, &j->all->name[1]);
		weft_store64(&j->all->word[0], 1);
		job_trecv(j, -1, &c, 1, 2, 0, NULL);
		job_wait(j, NULL);
		job_check(j, c == 'y', "content", c);
		return;
	}
	job_tsend(j, 1, &c, 1, 1, NULL);
	job_wait(j, NULL);
	while (weft_load64(&j->all->word[0]) != 1)
		fi_cq_read(j->cq, NULL, 0);
	fi_av_remove(j->av, &j->addr[1], 1, 0);
	job_check(j,
		  fi_av_insert(j->av, &j->all->name[1], 1, &addr, 0, NULL) == 1,
		  "insert", 0);
	j->addr[1] = addr;
	c = 'y';
	job_tsend(j, 1, &c, 1, 2, NULL);
	job_wait(j, NULL);
}

/* Three messages are unexpected; a long one is announced and then copied. */
static void body_stats(struct job *j)
{
	struct fi_weft_stats_data s;
	struct fi_weft_stats *stats;
	size_t len = 1 << 20;
	char *buf = malloc(len);

	job_check(j,
		  !fi_open_ops(&j->ep->fid, FI_WEFT_STATS, 0, (void **)&stats,
			       NULL),
		  "fi_open_ops", 0);
	for (int i = 0; i < 3; i++)
		job_tinject(j, 0, "x", 1, 1);
	do {
		fi_cq_read(j->cq, NULL, 0);
		stats->read(&j->ep->fid, &s, sizeof(s));
	} while (s.unexpected_now < 3);
	job_check(j, s.packets_received >= 3, "packets", 0);
	job_trecv(j, 0, buf, len, 2, 0, NULL);
	stats->read(&j->ep->fid, &s, sizeof(s));
	job_check(j, s.posted_now == 1, "posted", (long)s.posted_now);
	job_tsend(j, 0, buf, len, 2, NULL);
	job_wait_any(j, 2);
	stats->read(&j->ep->fid, &s, sizeof(s));
	job_check(j, s.rendezvous == 1, "rendezvous", (long)s.rendezvous);
	job_check(j, s.dma_bytes >= len || s.paced == 1, "path",
		  (long)s.dma_bytes);
	free(buf);
}

static void statistics_count_unexpected_and_rendezvous_messages(void **state)
{
	job_run(1, body_stats, NULL);
}

static void an_endpoint_name_can_be_reused(void **state)
{
	job_run(2, body_reuse, NULL);
}

static void body_unknown_sender(struct job *j)
{
	char c = 's';

	/* rank 1 removes rank 0 from its vector, and still receives from it */
	if (j->rank == 0) {
		for (uint64_t tag = 1; tag <= 2; tag++) {
			job_barrier(j);
			job_tinject(j, 1, &c, 1, tag);
		}
		return;
	}
	fi_av_remove(j->av, &j->addr[0], 1, 0);
	job_barrier(j);
	job_trecv(j, -1, &c, 1, 1, 0, NULL);
	job_wait(j, NULL);
	job_check(j, j->source == FI_ADDR_NOTAVAIL, "source of an unknown peer",
		  0);
	fi_av_insert(j->av, &j->all->name[0], 1, &j->addr[0], 0, NULL);
	job_barrier(j);
	job_trecv(j, -1, &c, 1, 2, 0, NULL);
	job_wait(j, NULL);
	job_check(j, j->source == j->addr[0], "source", (long)j->source);
}

static void an_unknown_sender_has_a_source_once_inserted(void **state)
{
	job_run(2, body_unknown_sender, NULL);
}

static void body_states(struct job *j)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct sockaddr_in name;
	size_t len = 4;
	struct fid_ep *ep;
	struct fid_cq *cq;
	char c;

	job_check(j,
		  fi_getname(&j->ep->fid, &name, &len) == -FI_ETOOSMALL &&
			  len == sizeof(name),
		  "getname short", (long)len);
	memcpy(j->info->src_addr,
	       &(struct sockaddr_in){ .sin_family = AF_INET }, sizeof(name));
	job_check(j, !fi_endpoint(j->domain, j->info, &ep, NULL), "ep", 0);
	job_check(j, !fi_cq_open(j->domain, &attr, &cq, NULL), "cq", 0);
	job_check(j, fi_tsend(ep, &c, 1, NULL, 0, 0, NULL) == -FI_EOPBADSTATE,
		  "send before enable", 0);
	job_check(j, fi_enable(ep) == -FI_ENOAV, "enable without vector", 0);
	fi_ep_bind(ep, &j->av->fid, 0);
	job_check(j, fi_enable(ep) == -FI_ENOCQ, "enable without queue", 0);
	job_check(j, fi_ep_bind(ep, &cq->fid, FI_PEEK) == -FI_EBADFLAGS,
		  "bind flags", 0);
	fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV);
	job_check(j, fi_ep_bind(ep, &cq->fid, FI_RECV) == -FI_EINVAL,
		  "bind twice", 0);
	job_check(j, fi_enable(ep) == 0, "enable", 0);
	job_check(j, fi_close(&cq->fid) == -FI_EBUSY, "close in use", 0);
	job_check(j, fi_close(&ep->fid) == 0 && fi_close(&cq->fid) == 0,
		  "close", 0);
}

/*
 * Exits; libfabric unloads the provider while its progress thread may be
 * running.
 */
static void body_exit(struct job *j)
{
	exit(0);
}

static void a_program_may_exit_with_open_objects(void **state)
{
	struct job_opts o = { .progress = FI_PROGRESS_AUTO };

	job_run(4, body_exit, NULL);
	job_run(4, body_exit, &o);
}

static void endpoint_calls_in_the_wrong_state_are_refused(void **state)
{
	job_run(1, body_states, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(blocking_reads_wake_for_messages),
		T_CASE(a_descriptor_wakes_for_messages),
		T_CASE(a_wait_for_a_counter_ends),
		T_CASE(automatic_progress_receives_without_polling),
		T_CASE(threads_share_an_endpoint_and_a_queue),
		T_CASE(two_endpoints_of_a_domain_exchange_messages),
		T_CASE(statistics_count_unexpected_and_rendezvous_messages),
		T_CASE(an_endpoint_name_can_be_reused),
		T_CASE(an_unknown_sender_has_a_source_once_inserted),
		T_CASE(endpoint_calls_in_the_wrong_state_are_refused),
		T_CASE(a_program_may_exit_with_open_objects),
	};
	return T_RUN(tests);
}
