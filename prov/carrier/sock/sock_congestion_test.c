/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of congestion control, arrival times, delayed acknowledgements, refused
 * sends and close.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void congestion_control_follows_rtt_and_loss(void **state)
{
	struct sock_pace p;
	uint64_t window;

	sock_pace_init(&p, 1000);
	T_IS(p.rto_ns, SOCK_RTO_FIRST_NS);
	sock_pace_rtt(&p, 10000000);
	/* RFC 6298: SRTT of 10 ms, plus four times the variation of 5 ms */
	T_IS(p.rto_ns, 30000000);
	for (int i = 0; i < 200; i++)
		sock_pace_rtt(&p, 1000);
	T_IS(p.rto_ns, SOCK_RTO_MIN_NS);
	window = p.window;
	sock_pace_acked(&p, 5000);
	T_IS(p.window, window + 5000);
	/* a loss does not reduce the window below the initial one */
	sock_pace_loss(&p, 1000000000);
	T_IS(p.window, window);
	p.window = 240000;
	sock_pace_loss(&p, 2000000000);
	T_IS(p.window, 210000);
	/* the window is reduced once per round trip */
	sock_pace_loss(&p, 2000000000 + p.srtt_ns / 2);
	T_IS(p.window, 210000);
	window = p.window;
	for (uint64_t acked = 0; acked < window; acked += 1000)
		sock_pace_acked(&p, 1000);
	/* after slow start the window grows by one datagram per round trip */
	T_TRUE(p.window > window + 800 && p.window <= window + 1000);
	/* if packets queue, a large window does not grow; a loss halves it */
	p.window = 400000;
	p.srtt_ns = 10 * p.min_rtt_ns + 1000000;
	sock_pace_acked(&p, 5000);
	T_IS(p.window, 400000);
	sock_pace_loss(&p, 3000000000);
	T_IS(p.window, 200000);
	sock_pace_timeout(&p, 40000);
	T_IS(p.window, 2000);
	T_IS(p.ssthresh, 20000);
	T_IS(p.rto_ns, 2 * SOCK_RTO_MIN_NS);
	for (int i = 0; i < 20; i++)
		sock_pace_timeout(&p, 0);
	T_IS(p.rto_ns, SOCK_RTO_MAX_NS);
}

struct pair {
	struct end a, b;
	struct weft_peer *ab, *ba;
	struct end_group group;
};

static void pair_open(struct pair *t)
{
	*t = (struct pair){ .group = { { &t->a, &t->b }, 2 } };
	T_OK(end_open(&t->a, &weft_carrier_sock, 1, NULL));
	T_OK(end_open(&t->b, &weft_carrier_sock, 2, NULL));
	t->ab = end_peer(&t->a, &t->b);
	t->ba = end_peer(&t->b, &t->a);
	t->a.group = t->b.group = &t->group;
}

static void pair_close(struct pair *t)
{
	T_IS(t->a.bad + t->b.bad, 0);
	T_IS(t->a.lost + t->b.lost, 0);
	end_close(&t->a);
	end_close(&t->b);
}

/* Exchanges packets, so that first contact is complete. */
static void pair_exchange(struct pair *t, uint64_t count)
{
	for (uint64_t n = 0; n < count; n++) {
		T_OK(end_send_all(&t->a, t->ab, n, 8, 60));
		T_OK(end_send_all(&t->b, t->ba, n, 8, 60));
	}
	T_TRUE(end_wait_got(&t->a, count, 60));
	T_TRUE(end_wait_got(&t->b, count, 60));
}

static void pair_poll_for(struct pair *t, uint64_t ns)
{
	uint64_t end = weft_now_ns() + ns;

	while (weft_now_ns() < end) {
		t->a.c->ops->poll(t->a.c, 16);
		t->b.c->ops->poll(t->b.c, 16);
	}
}

#define SLOW_NS 5000000

static const struct weft_carrier_up *quick;

/* Delivery callback that takes a long time for long packets. */
static int slow_deliver(void *arg, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	if (pkt->len > 8)
		nanosleep(&(struct timespec){ .tv_nsec = SLOW_NS }, NULL);
	return quick->deliver(arg, src, pkt, payload);
}

static void up_set(struct end *e, const struct weft_carrier_up *up)
{
	struct sock *s = sock_of(e->c);

	pthread_mutex_lock(&s->progress.lock);
	s->up = up;
	pthread_mutex_unlock(&s->progress.lock);
}

/*
 * Returns the time when e last received from p; takes the lock, since the
 * progress thread may receive.
 */
static uint64_t received_from_ns(const struct end *e, struct weft_peer *p)
{
	struct sock *s = sock_of(e->c);
	uint64_t ns;

	pthread_mutex_lock(&s->progress.lock);
	ns = sock_peer_of(p)->last_received_ns;
	pthread_mutex_unlock(&s->progress.lock);
	return ns;
}

/*
 * Two long packets in one poll pass: the arrival time of the second is the time
 * when it was read, after the delivery of the first, and not the start of the
 * pass; otherwise measured round-trip times are too short. If the progress
 * thread reads one of them before the pass does, the test retries.
 */
static void arrival_time_is_the_read_time_in_the_pass(void **state)
{
	struct weft_carrier_up slow;
	uint64_t since, received_ns, delay_ns = 0;
	struct pair t;

	pair_open(&t);
	pair_exchange(&t, 4);
	quick = sock_of(t.b.c)->up;
	slow = (struct weft_carrier_up){ .deliver = slow_deliver,
					 .lost = quick->lost };
	up_set(&t.b, &slow);
	for (uint64_t n = 4; n < 204 && delay_ns < SLOW_NS; n += 2) {
		T_OK(end_send_all(&t.a, t.ab, n, 8000, 60));
		T_OK(end_send_all(&t.a, t.ab, n + 1, 8000, 60));
		t.a.c->ops->poll(t.a.c, 0);
		since = weft_now_ns();
		t.b.c->ops->poll(t.b.c, 16);
		received_ns = received_from_ns(&t.b, t.ba);
		delay_ns = received_ns > since ? received_ns - since : 0;
		T_TRUE(end_wait_got(&t.b, n + 2, 60));
	}
	T_TRUE(delay_ns >= SLOW_NS);
	up_set(&t.b, quick);
	pair_close(&t);
}

/* Delay after each sendmmsg(), as if the process were preempted there. */
static weft_au64 send_delay_ns;

int sendmmsg(int fd, struct mmsghdr *msg, unsigned n, int flags)
{
	int ret = (int)syscall(SYS_sendmmsg, fd, msg, n, flags);
	const struct timespec ts = { .tv_nsec = (long)weft_load64(
					     &send_delay_ns) };

	if (ts.tv_nsec)
		nanosleep(&ts, NULL);
	return ret;
}

/* Queues two packets, which the next pass of e sends by one system call. */
static void defer_two(struct end *e, struct weft_peer *one,
		      struct weft_peer *other, uint64_t n)
{
	struct sock *s = sock_of(e->c);

	sock_enter(s);
	s->polling = true;
	T_OK(end_send(e, one, n, 8));
	T_OK(end_send(e, other, n, 8));
	s->polling = false;
	sock_leave(s);
}

/*
 * A pass first sends queued datagrams, which takes time: the arrival time of
 * datagrams that it reads must be later. If the progress thread is faster than
 * the pass, the test retries.
 */
static void arrival_time_is_after_the_sends_of_the_pass(void **state)
{
	static struct pair pair, *t = &pair;
	static struct end third;
	struct weft_peer *other;
	uint64_t since, received_ns, delay_ns = 0;

	pair_open(t);
	T_OK(end_open(&third, &weft_carrier_sock, 3, NULL));
	other = end_peer(&t->a, &third);
	T_OK(end_send_all(&t->a, other, 0, 8, 60));
	T_TRUE(end_wait_got(&third, 1, 60));
	pair_exchange(t, 1);
	for (uint64_t n = 1; n <= 100 && delay_ns < SLOW_NS; n++) {
		T_OK(end_send_all(&t->b, t->ba, n, 8, 60));
		t->b.c->ops->poll(t->b.c, 0);
		defer_two(&t->a, t->ab, other, n);
		weft_store64(&send_delay_ns, SLOW_NS);
		since = weft_now_ns();
		t->a.c->ops->poll(t->a.c, 16);
		received_ns = received_from_ns(&t->a, t->ab);
		weft_store64(&send_delay_ns, 0);
		delay_ns = received_ns > since ? received_ns - since : 0;
		T_TRUE(end_wait_got(&t->a, n + 1, 60));
		T_TRUE(end_wait_got(&t->b, n + 1, 60));
		T_TRUE(end_wait_got(&third, n + 1, 60));
	}
	T_TRUE(delay_ns >= SLOW_NS);
	pair_close(t);
	end_close(&third);
}

/*
 * Returns the number of datagrams that e has sent; takes the lock, since the
 * progress thread may send.
 */
static uint64_t sent_by(const struct end *e)
{
	struct sock *s = sock_of(e->c);
	uint64_t n;

	pthread_mutex_lock(&s->progress.lock);
	n = sock_peer_sent(s);
	pthread_mutex_unlock(&s->progress.lock);
	return n;
}

/*
 * On an oversubscribed host some replies are late, and the acknowledgement is
 * sent separately.
 */
static void a_reply_carries_the_acknowledgement(void **state)
{
	enum { N = 200, AFTER_NS = 60000 };
	static struct pair pair, *t = &pair;
	uint64_t was;

	pair_open(t);
	pair_exchange(t, 1);
	was = sent_by(&t->b);
	for (uint64_t n = 1; n <= N; n++) {
		T_OK(end_send_all(&t->a, t->ab, n, 8, 60));
		T_TRUE(end_wait_got(&t->b, n + 1, 60));
		pair_poll_for(t, AFTER_NS);
		T_OK(end_send_all(&t->b, t->ba, n, 8, 60));
		T_TRUE(end_wait_got(&t->a, n + 1, 60));
	}
	T_TRUE(sent_by(&t->b) - was < N + N / 2);
	pair_close(t);
}

/*
 * b does not poll; when its receive window is full, sends are refused and the
 * sender blocks.
 */
static void a_refused_sender_blocks_until_the_window_opens(void **state)
{
	const uint64_t ns = 20000000;
	static struct pair pair, *t = &pair;
	struct weft_carrier *a;
	uint64_t n = 20;
	struct t_limit limit;

	pair_open(t);
	a = t->a.c;
	pair_exchange(t, n);
	t_limit_set(&limit, 30);
	do {
		T_FALSE(t_limit_expired(&limit));
		a->ops->poll(a, 16);
		while (!end_send(&t->a, t->ab, n, 8192))
			n++;
	} while (a->ops->wait(a, ns) != -ETIMEDOUT);
	T_TRUE(end_wait_got(&t->b, n, 20));
	while (end_send(&t->a, t->ab, n, 8192)) {
		T_FALSE(t_limit_expired(&limit));
		a->ops->wait(a, ns);
		a->ops->poll(a, 16);
	}
	T_TRUE(end_wait_got(&t->b, n + 1, 20));
	pair_close(t);
}

/*
 * Each send takes longer than the interval between two BYEs: the answers must
 * be read nevertheless. There are two peers, since a single datagram is not
 * sent by sendmmsg().
 */
static void close_with_slow_sends_ends(void **state)
{
	static struct pair pair, *t = &pair;
	static struct end third;

	pair_open(t);
	T_OK(end_open(&third, &weft_carrier_sock, 3, NULL));
	pair_exchange(t, 1);
	T_OK(end_send_all(&t->a, end_peer(&t->a, &third), 0, 8, 60));
	T_TRUE(end_wait_got(&third, 1, 60));
	weft_store64(&send_delay_ns, 80000000);
	pair_close(t);
	weft_store64(&send_delay_ns, 0);
	end_close(&third);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(congestion_control_follows_rtt_and_loss),
		T_CASE(arrival_time_is_the_read_time_in_the_pass),
		T_CASE(arrival_time_is_after_the_sends_of_the_pass),
		T_CASE(a_reply_carries_the_acknowledgement),
		T_CASE(a_refused_sender_blocks_until_the_window_opens),
		T_CASE(close_with_slow_sends_ends),
	};

	return T_RUN(tests);
}
