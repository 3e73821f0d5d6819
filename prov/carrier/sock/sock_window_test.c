/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of the sock carrier: many senders, counts of bytes in flight. */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <stdlib.h>
#include <sys/socket.h>

enum { SENDERS = 64, PACKETS_EACH = 100 };

struct senders {
	struct end from[SENDERS];
	struct weft_peer *peer[SENDERS];
	uint64_t sent[SENDERS];
	struct end to;
};

static void senders_send(struct senders *c)
{
	for (uint32_t i = 0; i < SENDERS; i++) {
		struct end *e = &c->from[i];

		e->c->ops->poll(e->c, 16);
		if (c->sent[i] < PACKETS_EACH &&
		    !end_send(e, c->peer[i], c->sent[i], 8000))
			c->sent[i]++;
	}
}

static struct senders *senders_open(int buffer)
{
	struct senders *c = calloc(1, sizeof(*c));
	struct sock *s;

	T_NOT_NULL(c);
	T_OK(end_open(&c->to, &weft_carrier_sock, 900, NULL));
	s = sock_of(c->to.c);
	if (buffer) {
		T_OK(setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &buffer,
				sizeof(buffer)));
		/* take the lock, since the progress thread reads rcv_bytes */
		sock_enter(s);
		s->rcv_bytes = 2 * (uint32_t)buffer;
		sock_leave(s);
	}
	for (uint32_t i = 0; i < SENDERS; i++) {
		T_OK(end_open(&c->from[i], &weft_carrier_sock, i, NULL));
		c->peer[i] = end_peer(&c->from[i], &c->to);
	}
	return c;
}

static uint64_t senders_resent(const struct end *e)
{
	struct weft_carrier_stats s;

	e->c->ops->stats(e->c, &s);
	return s.resent;
}

static void senders_close(struct senders *c)
{
	for (uint32_t i = 0; i < SENDERS; i++)
		end_close(&c->from[i]);
	end_close(&c->to);
	free(c);
}

/*
 * Many senders and a receiver that makes no call for half a second: the bytes
 * in flight do not exceed the receiver's window, and all packets arrive soon
 * after it polls again. Runs with the buffer granted at open (larger for root),
 * and with the buffer of an unprivileged process.
 */
static void many_senders_wait_for_a_receiver_outside_mpi(void **state)
{
	static const int buffer[] = { 0, 106496 };

	for (size_t i = 0; i < WEFT_COUNT_OF(buffer); i++) {
		struct senders *c = senders_open(buffer[i]);
		uint64_t end = weft_now_ns() + 500000000;
		uint64_t resent = 0;
		struct t_limit limit;

		while (weft_now_ns() < end)
			senders_send(c);
		t_limit_set(&limit, 60);
		while (c->to.got < SENDERS * PACKETS_EACH) {
			T_FALSE(t_limit_expired(&limit));
			c->to.c->ops->poll(c->to.c, 64);
			senders_send(c);
		}
		T_IS(c->to.bad, 0);
		for (uint32_t k = 0; k < SENDERS; k++)
			resent += senders_resent(&c->from[k]);
		T_TRUE(resent < SENDERS * PACKETS_EACH);
		senders_close(c);
	}
}

/*
 * Returns the bytes counted as in flight that belong to no unacknowledged
 * datagram; takes the lock, since progress threads may run.
 */
static uint64_t bytes_unaccounted(struct end *e, struct sock_peer *p)
{
	uint64_t bytes;

	sock_enter(sock_of(e->c));
	bytes = p->inflight_bytes;
	for (uint32_t seq = p->tx.acked; seq != p->tx.next; seq++) {
		const struct sock_flight *f = sock_flight(p, seq);

		if (f->dgram && !f->lost)
			bytes -= f->dgram->bytes;
	}
	sock_leave(sock_of(e->c));
	return bytes;
}

/*
 * Most peers receive few datagrams: the array of datagrams in flight grows only
 * with traffic.
 */
static void the_window_grows_with_datagrams_in_flight(void **state)
{
	struct end a, b;
	struct sock_peer *p;
	struct t_limit limit;
	uint64_t sent = 1;

	T_OK(end_open(&a, &weft_carrier_sock, 1, NULL));
	T_OK(end_open(&b, &weft_carrier_sock, 2, NULL));
	p = sock_peer_of(end_peer(&a, &b));
	T_OK(end_send_all(&a, &p->base, 0, 8, 20));
	T_TRUE(end_wait_got(&b, 1, 20));
	T_TRUE(p->flight_room <= 32);
	sock_enter(sock_of(a.c));
	p->dgram_max = 1000;
	sock_leave(sock_of(a.c));
	t_limit_set(&limit, 60);
	while (p->flight_room <= 32) {
		T_FALSE(t_limit_expired(&limit));
		if (!end_send(&a, &p->base, sent, 8000))
			sent++;
		else
			a.c->ops->poll(a.c, 1);
	}
	T_TRUE(p->flight_room < SOCK_WINDOW);
	T_IS(bytes_unaccounted(&a, p), 0);
	while (b.got < sent) {
		T_FALSE(t_limit_expired(&limit));
		b.c->ops->poll(b.c, 64);
		a.c->ops->poll(a.c, 1);
	}
	T_IS(b.bad, 0);
	end_close(&a);
	end_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(many_senders_wait_for_a_receiver_outside_mpi),
		T_CASE(the_window_grows_with_datagrams_in_flight),
	};

	return T_RUN(tests);
}
