/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of datagrams: full datagrams are contiguous in batches, which are
 * freed with their last datagram and passed to the kernel as one segment.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- allocation ---------------------------------------------------------- */

static uint32_t length_of(uint32_t stride)
{
	uint32_t n = SOCK_GSO_BYTES / stride;

	return n < SOCK_BATCH ? n : SOCK_BATCH;
}

/* Fills all bytes of a datagram, including the tag. */
static void fill_pattern(const struct sock *s, struct sock_dgram *g,
			 uint64_t seed)
{
	t_fill(g->data, g->room + s->tag, seed);
}

static bool has_pattern(const struct sock *s, const struct sock_dgram *g,
			uint64_t seed)
{
	return t_differs(g->data, g->room + s->tag, seed) < 0;
}

static struct sock_dgram *full_dgram(struct sock *s, struct sock_peer *p)
{
	struct sock_dgram *g = sock_dgram_full(s, p);

	T_NOT_NULL(g);
	T_IS(g->room, p->dgram_max);
	T_IS(g->bytes, sizeof(struct sock_head));
	T_IS((uintptr_t)g->data % 8, 0);
	return g;
}

static void full_datagrams_are_contiguous_in_a_batch(void **state)
{
	static const uint32_t width[] = { SOCK_DGRAM_MIN, 1456, 9000, 32000 };

	for (uint32_t i = 0; i < 2 * WEFT_COUNT_OF(width); i++) {
		struct sock s = { .tag = i % 2 ? SOCK_TAG : 0 };
		struct sock_peer p = { .dgram_max = width[i / 2] };
		uint32_t stride = p.dgram_max + s.tag;
		uint32_t n = length_of(stride);
		struct sock_dgram *g[3 * SOCK_BATCH] = { NULL };

		for (uint32_t k = 0; k < 3 * n; k++) {
			g[k] = full_dgram(&s, &p);
			T_PTR(g[k]->batch, g[k - k % n]->batch);
			if (k % n)
				T_PTR(g[k]->data, g[k - 1]->data + stride);
			fill_pattern(&s, g[k], k);
		}
		for (uint32_t k = 0; k < 3 * n; k++)
			T_TRUE(has_pattern(&s, g[k], k));
		T_TRUE(g[0]->batch != g[n]->batch);
		for (uint32_t k = 0; k < 3 * n; k++)
			sock_dgram_free(&s, g[k]);
		T_IS(s.free_batch_count, 3);
		sock_dgram_fini(&s);
	}
}

/*
 * Small datagrams come from free lists by size: the last one freed is the next
 * one used, and a full list keeps no more.
 */
static void freed_datagrams_are_reused(void **state)
{
	enum { MOST = 64 };
	struct sock s = { .tag = 0 };
	struct sock_dgram *g[MOST + 1];

	for (int i = 0; i <= MOST; i++)
		g[i] = sock_dgram_new(&s, 512);
	for (int i = 0; i <= MOST; i++) {
		T_IS(g[i]->freelist, 0);
		sock_dgram_free(&s, g[i]);
		T_IS(s.free_count[0], i < MOST ? i + 1 : MOST);
	}
	for (int i = MOST - 1; i >= 0; i--) {
		T_PTR(sock_dgram_new(&s, i % 2 ? 100 : 512), g[i]);
		T_IS(s.free_count[0], i);
	}
	for (int i = 0; i < MOST; i++)
		sock_dgram_free(&s, g[i]);
	/* larger datagrams have another list, and the largest have none */
	g[0] = sock_dgram_new(&s, 513);
	T_IS(g[0]->freelist, 1);
	T_IS(s.free_count[0], MOST);
	sock_dgram_free(&s, g[0]);
	T_IS(s.free_count[1], 1);
	g[0] = sock_dgram_new(&s, 2049);
	T_IS(g[0]->freelist, SOCK_FREE_LISTS);
	sock_dgram_free(&s, g[0]);
	sock_dgram_fini(&s);
}

/* A datagram of more than half a batch is allocated separately. */
static void large_datagrams_have_no_batch(void **state)
{
	struct sock s = { .tag = SOCK_TAG };
	struct sock_peer p = { .dgram_max = SOCK_DGRAM_MAX - SOCK_TAG };
	struct sock_dgram *g = full_dgram(&s, &p);

	fill_pattern(&s, g, 1);
	T_NULL(g->batch);
	T_NULL(p.batch);
	sock_dgram_free(&s, g);
	sock_dgram_fini(&s);
}

/*
 * A peer without datagrams in flight has no batch, even if the last one was not
 * full.
 */
static void a_batch_is_freed_with_its_last_datagram(void **state)
{
	struct sock s = { .tag = 0 };
	struct sock_peer p = { .dgram_max = 1472 };
	struct sock_peer other = { .dgram_max = 1000 };
	struct sock_gso_batch *t;
	struct sock_dgram *g[3];

	for (uint32_t i = 0; i < 3; i++)
		g[i] = full_dgram(&s, &p);
	t = p.batch;
	T_NOT_NULL(t);
	sock_dgram_free(&s, g[1]);
	sock_dgram_free(&s, g[0]);
	T_PTR(p.batch, t);
	sock_dgram_free(&s, g[2]);
	T_NULL(p.batch);
	T_IS(s.free_batch_count, 1);
	/* the next peer that needs a batch gets the freed one */
	g[0] = full_dgram(&s, &other);
	T_PTR(other.batch, t);
	T_PTR(g[0]->data, t->data);
	T_IS(s.free_batch_count, 0);
	sock_dgram_free(&s, g[0]);
	sock_dgram_fini(&s);
}

static void few_free_batches_are_kept(void **state)
{
	enum { TRAINS = 60, MOST = 2 << 20 };
	struct sock s = { .tag = 0 };
	struct sock_peer p = { .dgram_max = 1472 };
	uint32_t n = TRAINS * length_of(p.dgram_max);
	struct sock_dgram **g = calloc(n, sizeof(struct sock_dgram *));

	T_NOT_NULL(g);
	for (uint32_t i = 0; i < n; i++)
		g[i] = full_dgram(&s, &p);
	for (uint32_t i = 0; i < n; i++)
		sock_dgram_free(&s, g[i]);
	T_TRUE(s.free_batch_count > 1);
	T_TRUE(s.free_batch_count * sizeof(struct sock_gso_batch) <= MOST);
	sock_dgram_fini(&s);
	T_IS(s.free_batch_count, 0);
	free(g);
}

/*
 * Datagrams taken before a change of size stay where they are; later ones are
 * in a new batch.
 */
static void a_smaller_datagram_size_starts_a_new_batch(void **state)
{
	struct sock s = { .tag = SOCK_TAG };
	struct sock_peer p = { .dgram_max = 1456 };
	struct sock_dgram *old = full_dgram(&s, &p);
	struct sock_dgram *first, *second;

	fill_pattern(&s, old, 1);
	p.dgram_max = 1000;
	first = full_dgram(&s, &p);
	second = full_dgram(&s, &p);
	T_TRUE(first->batch != old->batch);
	T_PTR(p.batch, first->batch);
	T_PTR(second->data, first->data + 1000 + SOCK_TAG);
	fill_pattern(&s, first, 2);
	fill_pattern(&s, second, 3);
	T_TRUE(has_pattern(&s, old, 1));
	/* the old batch is detached from the peer */
	sock_dgram_free(&s, old);
	T_PTR(p.batch, first->batch);
	T_IS(s.free_batch_count, 1);
	sock_dgram_free(&s, second);
	sock_dgram_free(&s, first);
	T_NULL(p.batch);
	sock_dgram_fini(&s);
}

/*
 * Datagrams of several peers, in batches and single, are taken and freed at
 * random.
 */
static void datagrams_are_freed_in_any_order(void **state)
{
	enum { N = 400, PEERS = 3 };
	struct sock s = { .tag = SOCK_TAG };
	struct sock_peer p[PEERS];
	struct sock_dgram *g[N] = { NULL };
	uint64_t seed[N];
	struct weft_rng rng;

	memset(p, 0, sizeof(p));
	weft_rng_init(&rng, 21, 0);
	for (uint32_t round = 0; round < (uint32_t)t_scale(20000); round++) {
		uint32_t i = weft_rng_below(&rng, N);
		struct sock_peer *to = &p[weft_rng_below(&rng, PEERS)];

		if (g[i]) {
			T_TRUE(has_pattern(&s, g[i], seed[i]));
			sock_dgram_free(&s, g[i]);
			g[i] = NULL;
			continue;
		}
		if (!to->dgram_max || !weft_rng_below(&rng, 100))
			to->dgram_max = 544 + 8 * weft_rng_below(&rng, 200);
		g[i] = weft_rng_below(&rng, 4)
			       ? full_dgram(&s, to)
			       : sock_dgram_new(&s, to->dgram_max);
		T_NOT_NULL(g[i]);
		seed[i] = round;
		fill_pattern(&s, g[i], round);
	}
	for (uint32_t i = 0; i < N; i++) {
		T_TRUE(!g[i] || has_pattern(&s, g[i], seed[i]));
		sock_dgram_free(&s, g[i]);
	}
	for (uint32_t i = 0; i < PEERS; i++)
		T_NULL(p[i].batch);
	sock_dgram_fini(&s);
}

/* ---- transmission between two endpoints ---------------------------------- */

/* Wrapper of sendmmsg(): records arguments; may simulate missing GSO. */
static weft_au32 longest_segment;
static weft_au32 without_gso; /* GSO fails with EIO */
static weft_au32 calls; /* number of sendmmsg() calls on the socket calls_of */
static weft_au32 calls_of; /* descriptor of the counted socket */

static void record_segments(const struct msghdr *m)
{
	for (size_t i = 0; i < m->msg_iovlen; i++) {
		if (m->msg_iov[i].iov_len > weft_load32(&longest_segment))
			weft_store32(&longest_segment,
				     (uint32_t)m->msg_iov[i].iov_len);
	}
}

int sendmmsg(int fd, struct mmsghdr *msg, unsigned n, int flags)
{
	if ((uint32_t)fd == weft_load32(&calls_of))
		weft_store32(&calls, weft_load32(&calls) + 1);
	if (weft_load32(&without_gso)) {
		n = 1;
		if (msg->msg_hdr.msg_control) {
			errno = EIO;
			return -1;
		}
	}
	for (unsigned i = 0; i < n; i++)
		record_segments(&msg[i].msg_hdr);
	return (int)syscall(SYS_sendmmsg, fd, msg, n, flags);
}

struct pair {
	struct end a, b;
	struct sock_peer *p; /* a's peer record of b */
	struct end_group group;
	uint64_t sent;
};

static struct pair *pair_open(const struct weft_carrier_attr *attr)
{
	struct pair *t = calloc(1, sizeof(*t));

	T_NOT_NULL(t);
	T_OK(end_open(&t->a, &weft_carrier_sock, 1, attr));
	T_OK(end_open(&t->b, &weft_carrier_sock, 2, attr));
	t->group = (struct end_group){ { &t->a, &t->b }, 2 };
	t->a.group = t->b.group = &t->group;
	t->p = sock_peer_of(end_peer(&t->a, &t->b));
	sock_peer_dgram_max_set(t->p, 1472 - sock_of(t->a.c)->tag);
	weft_store32(&longest_segment, 0);
	return t;
}

static void pair_send(struct pair *t)
{
	T_OK(end_send_all(&t->a, &t->p->base, t->sent++, 8192, 60));
	T_TRUE(end_wait_got(&t->b, t->sent, 60));
}

/*
 * Sends many packets as if within one poll, so that they share datagrams. Holds
 * the lock, so that the progress thread does not send them.
 */
static void pair_burst(struct pair *t)
{
	struct sock *s = sock_of(t->a.c);

	sock_enter(s);
	s->polling = true;
	/* load on the host may have reduced the windows: enlarge them */
	t->p->pace.window = t->p->room = 1u << 20;
	for (int i = 0; i < 40; i++)
		T_OK(end_send(&t->a, &t->p->base, t->sent++, 8192));
	s->polling = false;
	sock_poll_pass_send_deferred(s);
	sock_leave(s);
	T_TRUE(end_wait_got(&t->b, t->sent, 60));
}

/*
 * Polls until everything is acknowledged; returns the number of a's free
 * batches.
 */
static uint32_t pair_drained(struct pair *t)
{
	struct sock *s = sock_of(t->a.c);
	struct t_limit limit;
	uint32_t batches;

	t_limit_set(&limit, 60);
	sock_enter(s);
	while (sock_tx_pending(t->p)) {
		T_FALSE(t_limit_expired(&limit));
		t->a.c->ops->poll(t->a.c, 16);
		t->b.c->ops->poll(t->b.c, 16);
	}
	T_NULL(t->p->batch);
	batches = s->free_batch_count;
	sock_leave(s);
	return batches;
}

/* Returns whether a uses GSO. */
static bool pair_uses_gso(struct pair *t)
{
	struct sock *s = sock_of(t->a.c);
	bool uses_gso;

	sock_enter(s);
	uses_gso = s->gso;
	sock_leave(s);
	return uses_gso;
}

static void pair_close(struct pair *t)
{
	T_IS(t->a.bad + t->b.bad + t->a.lost + t->b.lost, 0);
	end_close(&t->a);
	end_close(&t->b);
	free(t);
}

/*
 * Datagrams that the kernel segments are passed as one memory segment, whether
 * plain, signed or encrypted.
 */
static void a_gso_call_passes_one_segment(void **state)
{
	for (int i = 0; i < 3; i++) {
		struct weft_carrier_attr attr = { .key = i ? "secret" : NULL,
						  .key_bytes = i ? 6 : 0,
						  .encrypt = i == 2 };
		struct pair *t = pair_open(&attr);

		pair_send(t);
		pair_drained(t);
		pair_burst(t);
		if (pair_uses_gso(t))
			T_TRUE(weft_load32(&longest_segment) >= 30 * 1472);
		pair_close(t);
	}
}

/*
 * Without GSO each datagram is sent separately, even if several are contiguous
 * in memory, as encrypted ones are.
 */
static void without_gso_datagrams_are_sent_separately(void **state)
{
	struct weft_carrier_attr attr = { .key = "secret",
					  .key_bytes = 6,
					  .encrypt = true };
	struct pair *t = pair_open(&attr);

	pair_send(t);
	pair_drained(t);
	weft_store32(&longest_segment, 0);
	weft_store32(&without_gso, 1);
	pair_burst(t);
	T_FALSE(pair_uses_gso(t));
	T_TRUE(weft_load32(&longest_segment) <= 1472);
	pair_close(t);
	weft_store32(&without_gso, 0);
}

/* Single packets that are split do not use a batch. */
static void a_peer_with_little_traffic_has_no_batch(void **state)
{
	struct pair *t = pair_open(NULL);

	for (int i = 0; i < 20; i++) {
		pair_send(t);
		T_IS(pair_drained(t), 0);
	}
	pair_burst(t);
	T_TRUE(pair_drained(t) > 0);
	pair_close(t);
}

static void a_single_datagram_is_sent_without_sendmmsg(void **state)
{
	struct pair *t = pair_open(NULL);
	struct sock *s = sock_of(t->a.c);

	pair_send(t);
	pair_drained(t);
	sock_enter(s);
	weft_store32(&calls_of, (uint32_t)s->fd);
	weft_store32(&calls, 0);
	for (uint32_t n = 1; n <= 3; n++) {
		for (uint32_t i = 0; i < n; i++)
			sock_tx_control(s, t->p, SOCK_HELLO);
		sock_io_flush(s);
		T_IS(weft_load32(&calls), n - 1);
	}
	weft_store32(&calls_of, 0);
	sock_leave(s);
	pair_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(full_datagrams_are_contiguous_in_a_batch),
		T_CASE(freed_datagrams_are_reused),
		T_CASE(large_datagrams_have_no_batch),
		T_CASE(a_batch_is_freed_with_its_last_datagram),
		T_CASE(few_free_batches_are_kept),
		T_CASE(a_smaller_datagram_size_starts_a_new_batch),
		T_CASE(datagrams_are_freed_in_any_order),
		T_CASE(a_gso_call_passes_one_segment),
		T_CASE(without_gso_datagrams_are_sent_separately),
		T_CASE(a_peer_with_little_traffic_has_no_batch),
		T_CASE(a_single_datagram_is_sent_without_sendmmsg),
	};

	return T_RUN(tests);
}
