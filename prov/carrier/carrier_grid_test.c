/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of carrier.h: the same test cases on every carrier, in one
 * process.
 */
#include "test/support/carrier_fixture.h"
#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct grid {
	const struct weft_carrier_ops *ops;
	const char *faults;
	bool no_shared_memory;
	enum weft_carrier_code code;
};

#define NOISE "seed=7; errors * = 2e-5; loss=0.02; duplicate=0.05"

static const struct grid grids[] = {
	{ &weft_carrier_shm, NULL, false, 0 },
	{ &weft_carrier_loop, NULL, false, 0 },
	{ &weft_carrier_loop,
	  "seed=7; delay=0.1 by 2 ms; loss=0.05; duplicate=0.05; reorder=0.1",
	  false, 0 },
	{ &weft_carrier_hybrid, NULL, false, 0 },
	{ &weft_carrier_sock, NULL, true, 0 },
	{ &weft_carrier_sock,
	  "seed=7; delay=0.05 by 2 ms; loss=0.05; duplicate=0.05; reorder=0.1; "
	  "corrupt=0.02",
	  true, 0 },
	{ &weft_carrier_lossy, NOISE, true, WEFT_CARRIER_CRC32 },
	{ &weft_carrier_lossy, NOISE, true, WEFT_CARRIER_RS14 },
};

static struct grid *grid_of(void **state)
{
	return *state;
}

/* All endpoints of a test, polled by one thread. */
static struct end_group group;

static struct end *grid_open(void **state, uint32_t id, uint32_t slots)
{
	struct weft_carrier_attr attr = { .faults = grid_of(state)->faults,
					  .below = &weft_carrier_shm,
					  .code = grid_of(state)->code,
					  .fifo_slots = slots };
	struct end *e = calloc(1, sizeof(*e));

	T_NOT_NULL(e);
	T_OK(end_open(e, grid_of(state)->ops, id, &attr));
	e->group = &group;
	group.e[group.count++] = e;
	return e;
}

static void grid_close(struct end *e)
{
	for (int i = 0; i < group.count; i++) {
		if (group.e[i] == e)
			group.e[i] = group.e[--group.count];
	}
	T_IS(e->bad, 0);
	end_close(e);
	free(e);
}

static void every_size_arrives_whole(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct end *b = grid_open(state, 2, 0);
	struct weft_peer *to = end_peer(a, b);
	size_t len = 0;
	uint64_t n = 0;

	T_NOT_NULL(to);
	while (len <= a->c->mtu) {
		T_OK(end_send_all(a, to, n++, len, 20));
		T_TRUE(end_wait_got(b, n, 20));
		len += len < 300 ? 1 : len / 13;
	}
	T_OK(end_send_all(a, to, n++, a->c->mtu, 20));
	T_TRUE(end_wait_got(b, n, 20));
	if (a->c->mtu < UINT16_MAX)
		T_IS(end_send(a, to, n, a->c->mtu + 1), -EMSGSIZE);
	grid_close(a);
	grid_close(b);
}

static void an_endpoint_can_send_to_itself(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct weft_peer *to = end_peer(a, a);

	for (uint64_t n = 0; n < 50; n++)
		T_OK(end_send_all(a, to, n, n * 20, 20));
	T_TRUE(end_wait_got(a, 50, 20));
	T_PTR(a->last, to);
	grid_close(a);
}

static void a_full_fifo_returns_eagain_and_recovers(void **state)
{
	struct end *a = grid_open(state, 1, 32);
	struct end *b = grid_open(state, 2, 32);
	struct weft_peer *to = end_peer(a, b);
	uint64_t n = 0;
	int ret;

	for (int round = 0; round < 5; round++) {
		uint64_t tries = 0;

		do {
			ret = end_send(a, to, n, n % 2 ? 8 : 500);
			n += !ret;
		} while (!ret && ++tries < 1000000);
		T_AGAIN(ret);
		T_TRUE(end_wait_got(b, n, 20));
		T_OK(end_send_all(a, to, n++, 1, 20));
	}
	T_TRUE(end_wait_got(b, n, 20));
	grid_close(a);
	grid_close(b);
}

/*
 * Sends messages, beginning with number *n, until one is refused; returns the
 * error of that send.
 */
static int grid_fill(struct end *e, struct weft_peer *to, uint64_t *n)
{
	int ret;

	while (!(ret = end_send(e, to, *n, 8)))
		(*n)++;
	return ret;
}

/* No event reports that a FIFO has space again, so the wait must be short. */
static void a_wait_after_a_refused_send_is_short(void **state)
{
	struct end *a = grid_open(state, 1, 32);
	struct end *b = grid_open(state, 2, 32);
	struct weft_peer *to = end_peer(a, b);
	struct t_limit limit;
	uint64_t n = 0;

	/* fill the FIFO of a connected peer */
	T_OK(end_send_all(a, to, n++, 8, 20));
	T_TRUE(end_wait_got(b, n, 20));
	t_limit_set(&limit, 4);
	for (int i = 0; i < 50; i++) {
		/* a wait may deliver datagrams that were in flight */
		T_AGAIN(grid_fill(a, to, &n));
		T_TRUE(a->c->ops->wait(a->c, 100000000000u) <= 0);
		T_FALSE(t_limit_expired(&limit));
	}
	T_TRUE(end_wait_got(b, n, 20));
	grid_close(a);
	grid_close(b);
}

static void a_peer_that_does_not_poll_delays_no_other_peer(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct end *idle_peer = grid_open(state, 2, 0);
	struct end *b = grid_open(state, 3, 0);
	struct weft_peer *to_idle_peer = end_peer(a, idle_peer);
	struct weft_peer *to_b = end_peer(a, b);
	uint64_t n = 0;

	idle_peer->not_polled = true;
	while (end_send(a, to_idle_peer, n, 4000))
		;
	while (!end_send(a, to_idle_peer, n + 1, 4000))
		n++;
	n++;
	for (uint64_t k = 0; k < 300; k++) {
		T_OK(end_send_all(a, to_b, k, 4000, 20));
		T_TRUE(end_wait_got(b, k + 1, 20));
	}
	T_TRUE(end_wait_got(idle_peer, n, 20));
	grid_close(a);
	grid_close(idle_peer);
	grid_close(b);
}

static void a_refused_packet_is_redelivered_in_order(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct end *b = grid_open(state, 2, 0);
	struct end *to = grid_open(state, 3, 0);
	struct weft_peer *pa = end_peer(a, to);
	struct weft_peer *pb = end_peer(b, to);

	to->refuse = 25;
	to->refuse_from = 1;
	for (uint64_t n = 0; n < 20; n++) {
		T_OK(end_send_all(a, pa, n, n * 100, 20));
		T_OK(end_send_all(b, pb, n, n * 100, 20));
	}
	T_TRUE(end_wait_got(to, 40, 20));
	T_IS(to->got_from[1], 20);
	T_IS(to->got_from[2], 20);
	grid_close(a);
	grid_close(b);
	grid_close(to);
}

static void sending_to_a_peer_before_it_opens_returns_eagain(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct weft_carrier_attr attr = { .faults = grid_of(state)->faults,
					  .below = &weft_carrier_shm,
					  .code = grid_of(state)->code };
	union weft_name name = t_loopback();
	struct weft_peer *to;
	struct end *b;

	/* use b's port, which close releases */
	b = grid_open(state, 2, 0);
	name.in.sin_port = b->name.in.sin_port;
	grid_close(b);
	to = end_peer_name(a, &name);
	T_NOT_NULL(to);
	for (int i = 0; i < 100; i++)
		T_AGAIN(end_send(a, to, 0, 8));
	b = calloc(1, sizeof(*b));
	attr.name = name;
	T_OK(end_open(b, grid_of(state)->ops, 2, &attr));
	group.e[group.count++] = b;
	T_OK(end_send_all(a, to, 0, 8, 20));
	T_TRUE(end_wait_got(b, 1, 20));
	grid_close(a);
	grid_close(b);
}

static void a_name_in_use_is_refused(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct weft_carrier_attr attr = { .name = a->name,
					  .below = &weft_carrier_shm };
	struct end b;

	T_IS(end_open(&b, grid_of(state)->ops, 2, &attr), -EADDRINUSE);
	grid_close(a);
}

static void an_unassigned_address_is_unreachable(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	union weft_name name;
	struct weft_peer *p;
	struct weft_ip ip;

	/* addresses that are not assigned to any host */
	T_TRUE(weft_ip_parse(
		t_family() == AF_INET6 ? "2001:db8::1" : "192.0.2.1", &ip));
	name = weft_name_make(ip, htons(1));
	T_IS(a->c->ops->peer(a->c, &name, &p), -EHOSTUNREACH);
	grid_close(a);
}

static void a_reply_to_the_source_of_a_packet_arrives(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct end *b = grid_open(state, 2, 0);
	struct weft_peer *to = end_peer(a, b);

	T_OK(end_send_all(a, to, 0, 8, 20));
	T_TRUE(end_wait_got(b, 1, 20));
	T_IS(b->last->name->in.sin_port, a->name.in.sin_port);
	b->last->up = b;
	T_PTR(end_peer(b, a), b->last);
	T_OK(end_send_all(b, b->last, 0, 5000, 20));
	T_TRUE(end_wait_got(a, 1, 20));
	T_PTR(a->last, to);
	grid_close(a);
	grid_close(b);
}

static void a_peer_that_closes_is_reported_after_its_packets(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct end *b = grid_open(state, 2, 0);
	struct weft_peer *to = end_peer(a, b);

	for (uint64_t n = 0; n < 20; n++)
		T_OK(end_send_all(a, to, n, n % 2 ? 50 : 3000, 20));
	grid_close(a);
	T_TRUE(end_wait_lost(b, 1, 20));
	T_IS(b->got, 20);
	T_IS(b->lost_err, ESHUTDOWN);
	T_IS(end_send(b, b->lost_peer, 0, 8), -ECONNRESET);
	T_TRUE(end_wait_got(b, 20, 1));
	T_IS(b->lost, 1);
	grid_close(b);
}

static void many_senders_to_one_receiver(void **state)
{
	enum { N = 64 };
	struct end *to = grid_open(state, 900, 0);
	struct end *from[N];
	struct weft_peer *peer[N];

	for (uint32_t i = 0; i < N; i++) {
		from[i] = grid_open(state, i, 0);
		peer[i] = end_peer(from[i], to);
	}
	for (uint64_t n = 0; n < 40; n++) {
		for (uint32_t i = 0; i < N; i++)
			T_OK(end_send_all(from[i], peer[i], n,
					  (n * 37 + i) % 2000, 20));
		T_TRUE(end_wait_got(to, N * (n + 1), 20));
	}
	T_IS(to->got, N * 40);
	for (uint32_t i = 0; i < N; i++)
		grid_close(from[i]);
	grid_close(to);
}

static void memory_of_a_peer_can_be_read_and_written(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct end *b = grid_open(state, 2, 0);
	struct weft_peer *to = end_peer(a, b);
	enum { LEN = 100000, PIECES = 100 };
	uint8_t *remote_buf = malloc(LEN);
	uint8_t *local_buf = malloc(LEN);
	struct iovec iov[PIECES];
	int ret;

	for (int i = 0; i < PIECES; i++) {
		iov[i].iov_base = local_buf + i * (LEN / PIECES);
		iov[i].iov_len = i == 7 ? 0 : LEN / PIECES;
	}
	iov[6].iov_len *= 2;
	t_fill(remote_buf, LEN, 1);
	do {
		ret = a->c->ops->read(a->c, to, iov, PIECES,
				      (uintptr_t)remote_buf);
	} while (ret == -EAGAIN);
	if (ret == -EOPNOTSUPP)
		goto out;
	T_OK(ret);
	T_IS(t_differs(local_buf, LEN, 1), -1);
	t_fill(local_buf, LEN, 2);
	T_OK(a->c->ops->write(a->c, to, iov, PIECES, (uintptr_t)remote_buf));
	T_IS(t_differs(remote_buf, LEN, 2), -1);
	T_IS(a->c->ops->read(a->c, to, iov, 1, 4096), -EFAULT);
	T_IS(a->c->ops->write(a->c, to, iov, 1, 4096), -EFAULT);
out:
	free(remote_buf);
	free(local_buf);
	grid_close(a);
	grid_close(b);
}

static void no_dma_disables_dma(void **state)
{
	struct weft_carrier_attr attr = { .faults = grid_of(state)->faults,
					  .below = &weft_carrier_shm,
					  .code = grid_of(state)->code,
					  .no_dma = true };
	struct end *b = grid_open(state, 2, 0);
	uint64_t word = 0;
	struct iovec iov = { .iov_base = &word, .iov_len = sizeof(word) };
	struct end a;
	int ret;

	T_OK(end_open(&a, grid_of(state)->ops, 1, &attr));
	do {
		ret = a.c->ops->read(a.c, end_peer(&a, b), &iov, 1,
				     (uintptr_t)&word);
	} while (ret == -EAGAIN);
	T_IS(ret, -EOPNOTSUPP);
	end_close(&a);
	grid_close(b);
}

static void shared_area_is_mapped_by_both_endpoints(void **state)
{
	struct weft_carrier_attr attr = { .faults = grid_of(state)->faults,
					  .below = &weft_carrier_shm,
					  .code = grid_of(state)->code,
					  .share_bytes = 100000 };
	struct end a, b;
	size_t bytes_a, bytes_b;
	void *seen_a, *seen_b;
	int ret;

	T_OK(end_open(&a, grid_of(state)->ops, 1, &attr));
	T_OK(end_open(&b, grid_of(state)->ops, 2, &attr));
	ret = b.c->ops->share(b.c, NULL, &seen_b, &bytes_b);
	if (grid_of(state)->no_shared_memory) {
		T_IS(ret, -EOPNOTSUPP);
		T_IS(a.c->ops->share(a.c, end_peer(&a, &b), &seen_a, &bytes_a),
		     -EOPNOTSUPP);
		goto out;
	}
	T_OK(ret);
	do {
		ret = a.c->ops->share(a.c, end_peer(&a, &b), &seen_a, &bytes_a);
	} while (ret == -EAGAIN);
	T_OK(ret);
	T_TRUE(bytes_a >= 100000 && bytes_a == bytes_b);
	T_IS((uintptr_t)seen_a % 64, 0);
	T_IS(*(uint32_t *)seen_a, 0);
	memset((char *)seen_a + 99999, 7, 1);
	T_IS(((char *)seen_b)[99999], 7);
	end_close(&b);
	*(char *)seen_a = 1; /* the area stays mapped after b is closed */
	T_TRUE(end_wait_lost(&a, 1, 20));
	*(char *)seen_a = 2;
out:
	end_close(&b);
	end_close(&a);
}

static void windows_are_mapped_by_both_endpoints(void **state)
{
	struct weft_carrier_attr attr = { .faults = grid_of(state)->faults,
					  .below = &weft_carrier_shm,
					  .code = grid_of(state)->code,
					  .share_bytes = 100,
					  .window_bytes = 1 << 20 };
	struct end a, b;
	void *seen_a, *seen_b, *part;
	int ret;

	T_OK(end_open(&a, grid_of(state)->ops, 1, &attr));
	T_OK(end_open(&b, grid_of(state)->ops, 2, &attr));
	ret = b.c->ops->window(b.c, NULL, 8192, 4096, &seen_b);
	if (grid_of(state)->no_shared_memory) {
		T_IS(ret, -EOPNOTSUPP);
		end_close(&b);
		end_close(&a);
		return;
	}
	T_OK(ret);
	do {
		ret = a.c->ops->window(a.c, end_peer(&a, &b), 8192, 4096,
				       &seen_a);
	} while (ret == -EAGAIN);
	T_OK(ret);
	T_IS(*(uint64_t *)seen_a, 0);
	memset((char *)seen_a + 4095, 7, 1);
	T_IS(((char *)seen_b)[4095], 7);
	/*
	 * this endpoint's window, another part of the peer's window, and an
	 * offset beyond its end
	 */
	T_OK(a.c->ops->window(a.c, NULL, 8192, 4096, &part));
	T_IS(((char *)part)[4095], 0);
	a.c->ops->window_close(a.c, part, 4096);
	T_OK(a.c->ops->window(a.c, end_peer(&a, &b), 0, 4096, &part));
	T_IS(((char *)part)[4095], 0);
	a.c->ops->window_close(a.c, part, 4096);
	T_IS(a.c->ops->window(a.c, end_peer(&a, &b), 1 << 20, 4096, &part),
	     -EOPNOTSUPP);
	b.c->ops->window_close(b.c, seen_b, 4096);
	end_close(&b);
	*(char *)seen_a = 1; /* the window stays mapped after b is closed */
	T_TRUE(end_wait_lost(&a, 1, 20));
	*(char *)seen_a = 2;
	a.c->ops->window_close(a.c, seen_a, 4096);
	end_close(&a);
}

static void *grid_wake_later(void *arg)
{
	struct timespec ts = { .tv_nsec = 30000000 };
	struct end *e = arg;

	nanosleep(&ts, NULL);
	e->c->ops->wake(e->c);
	return NULL;
}

static void wait_ends_by_timeout_and_by_wake(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	uint64_t end = weft_now_ns() + 30000000;
	pthread_t th;

	/* wait may return early, so the test checks the time */
	while (weft_now_ns() < end)
		T_TRUE(a->c->ops->wait(a->c, end - weft_now_ns()) <= 0);
	T_IS(a->c->ops->wait(a->c, 1), -ETIMEDOUT);
	a->c->ops->wake(a->c);
	T_OK(a->c->ops->wait(a->c, 10000000000u));
	T_OK(pthread_create(&th, NULL, grid_wake_later, a));
	T_OK(a->c->ops->wait(a->c, 10000000000u));
	pthread_join(th, NULL);
	grid_close(a);
}

/* Keeps polling until n threads are done. */
static void grid_linger(struct end *e, weft_au32 *done, uint32_t n)
{
	weft_add32(done, 1);
	while (weft_load32(done) < n) {
		e->c->ops->poll(e->c, 16);
		sched_yield();
	}
}

/* Ping-pong between threads that block while they wait. */
struct grid_thread {
	struct end *me;
	weft_au32 *done;
	union weft_name to;
	uint64_t rounds;
	bool first;
};

static void *grid_ping(void *arg)
{
	struct grid_thread *g = arg;
	struct end *e = g->me;
	struct weft_peer *to = end_peer_name(e, &g->to);

	for (uint64_t n = 0; n < g->rounds; n++) {
		if (g->first && end_send_all(e, to, n, n % 700, 60))
			return e;
		while (e->got <= n) {
			if (!e->c->ops->poll(e->c, 1))
				e->c->ops->wait(e->c, 1000000000);
		}
		if (!g->first && end_send_all(e, to, n, n % 700, 60))
			return e;
	}
	grid_linger(e, g->done, 2);
	return NULL;
}

static void blocked_threads_are_woken_by_packets(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	struct end *b = grid_open(state, 2, 0);
	uint64_t rounds =
		(uint64_t)t_scale(grid_of(state)->faults ? 300 : 5000);
	weft_au32 done = 0;
	struct grid_thread g[2] = { { a, &done, b->name, rounds, true },
				    { b, &done, a->name, rounds, false } };

	a->group = NULL;
	b->group = NULL;
	t_threads(2, grid_ping, g, sizeof(g[0]));
	T_IS(a->got, rounds);
	T_IS(b->got, rounds);
	grid_close(a);
	grid_close(b);
}

/* One thread blocks in wait while another one sends and polls. */
struct grid_waiter {
	struct end *e;
	weft_au32 *stop;
};

static void *grid_wait_loop(void *arg)
{
	struct grid_waiter *g = arg;

	while (!weft_load32(g->stop))
		g->e->c->ops->wait(g->e->c, 1000000);
	return NULL;
}

static void wait_runs_concurrently_with_send_and_poll(void **state)
{
	struct end *a = grid_open(state, 1, 0);
	weft_au32 stop = 0;
	struct grid_waiter g = { .e = a, .stop = &stop };
	struct weft_peer *to = end_peer(a, a);
	uint64_t rounds = (uint64_t)t_scale(2000);
	pthread_t th;

	T_OK(pthread_create(&th, NULL, grid_wait_loop, &g));
	for (uint64_t n = 0; n < rounds; n++) {
		T_OK(end_send_all(a, to, n, n % 300, 20));
		if (n % 16 == 0)
			T_TRUE(end_wait_got(a, n, 20));
	}
	T_TRUE(end_wait_got(a, rounds, 20));
	weft_store32(&stop, 1);
	a->c->ops->wake(a->c);
	pthread_join(th, NULL);
	grid_close(a);
}

/* All endpoints send to all others; also run under ThreadSanitizer. */
struct grid_flood {
	struct end *me;
	union weft_name *names;
	uint32_t count;
	uint64_t rounds;
	weft_au32 *done;
};

static void *grid_flood(void *arg)
{
	struct grid_flood *f = arg;
	struct end *e = f->me;
	struct weft_peer *to[8];

	for (uint32_t i = 0; i < f->count; i++)
		to[i] = end_peer_name(e, &f->names[i]);
	for (uint64_t n = 0; n < f->rounds; n++) {
		for (uint32_t i = 0; i < f->count; i++)
			end_send_all(e, to[i], n,
				     n % 5 ? n % 97 : n * 31 % 3000, 60);
	}
	end_wait_got(e, f->rounds * f->count, 60);
	grid_linger(e, f->done, f->count);
	return NULL;
}

static void threads_flood_each_other(void **state)
{
	enum { N = 4 };
	union weft_name names[N];
	struct grid_flood f[N];
	weft_au32 done = 0;

	for (uint32_t i = 0; i < N; i++) {
		f[i] = (struct grid_flood){ .me = grid_open(state, i, 64),
					    .names = names,
					    .count = N,
					    .done = &done,
					    .rounds = (uint64_t)t_scale(3000) };
		names[i] = f[i].me->name;
		f[i].me->group = NULL;
	}
	t_threads(N, grid_flood, f, sizeof(f[0]));
	for (uint32_t i = 0; i < N; i++)
		T_IS(f[i].me->got, f[i].rounds * N);
	for (uint32_t i = 0; i < N; i++)
		grid_close(f[i].me);
}

int main(void)
{
	int failed = 0;

	for (size_t i = 0; i < WEFT_COUNT_OF(grids); i++) {
		void *g = (void *)(uintptr_t)&grids[i];
#define GRID(f)                      \
	{                            \
#f, f, NULL, NULL, g \
	}
		const struct CMUnitTest tests[] = {
			GRID(every_size_arrives_whole),
			GRID(an_endpoint_can_send_to_itself),
			GRID(a_full_fifo_returns_eagain_and_recovers),
			GRID(a_wait_after_a_refused_send_is_short),
			GRID(a_peer_that_does_not_poll_delays_no_other_peer),
			GRID(a_refused_packet_is_redelivered_in_order),
			GRID(sending_to_a_peer_before_it_opens_returns_eagain),
			GRID(a_name_in_use_is_refused),
			GRID(an_unassigned_address_is_unreachable),
			GRID(a_reply_to_the_source_of_a_packet_arrives),
			GRID(a_peer_that_closes_is_reported_after_its_packets),
			GRID(many_senders_to_one_receiver),
			GRID(memory_of_a_peer_can_be_read_and_written),
			GRID(no_dma_disables_dma),
			GRID(shared_area_is_mapped_by_both_endpoints),
			GRID(windows_are_mapped_by_both_endpoints),
			GRID(wait_ends_by_timeout_and_by_wake),
			GRID(blocked_threads_are_woken_by_packets),
			GRID(wait_runs_concurrently_with_send_and_poll),
			GRID(threads_flood_each_other),
		};

		failed += cmocka_run_group_tests_name(grids[i].ops->name, tests,
						      NULL, NULL);
	}
	return failed;
}
