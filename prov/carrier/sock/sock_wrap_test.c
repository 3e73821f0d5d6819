/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of datagrams that wrap around, on an unreliable network. */
#include "prov/carrier/sock/sock.h"
#include "test/support/carrier_fixture.h"
#include "test/t.h"

enum { BEFORE = 100 }; /* datagrams before the wrap-around */

struct pair {
	struct end a, b;
	struct weft_peer *ab, *ba;
	struct end_group group;
};

static struct pair pair;

static void pair_open(const char *faults)
{
	const struct weft_carrier_attr attr = { .faults = faults };

	pair = (struct pair){ .group.count = 2 };
	T_OK(end_open(&pair.a, &weft_carrier_sock, 1, &attr));
	T_OK(end_open(&pair.b, &weft_carrier_sock, 2, &attr));
	pair.ab = end_peer(&pair.a, &pair.b);
	pair.ba = end_peer(&pair.b, &pair.a);
	pair.group.e[0] = &pair.a;
	pair.group.e[1] = &pair.b;
	pair.a.group = pair.b.group = &pair.group;
}

static void pair_close(void)
{
	T_IS(pair.a.bad + pair.b.bad, 0);
	T_IS(pair.a.lost + pair.b.lost, 0);
	end_close(&pair.a);
	end_close(&pair.b);
}

static void pair_exchange(uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n < to; n++) {
		T_OK(end_send_all(&pair.a, pair.ab, n, n * 37 % 8192, 60));
		T_OK(end_send_all(&pair.b, pair.ba, n, n * 53 % 8192, 60));
	}
	T_TRUE(end_wait_got(&pair.a, to, 60));
	T_TRUE(end_wait_got(&pair.b, to, 60));
}

static int is_acknowledged(void *arg)
{
	const struct sock_peer *ab = sock_peer_of(pair.ab);
	const struct sock_peer *ba = sock_peer_of(pair.ba);

	pair.a.c->ops->poll(pair.a.c, 32);
	pair.b.c->ops->poll(pair.b.c, 32);
	return ab->tx.acked == ab->tx.next && ba->tx.acked == ba->tx.next;
}

/*
 * Makes both directions continue with number `seq`, while no datagrams are in
 * flight.
 */
static void pair_continue_at(uint32_t seq)
{
	const struct weft_arq_tx tx = { .next = seq, .acked = seq };
	struct sock_peer *ab = sock_peer_of(pair.ab);
	struct sock_peer *ba = sock_peer_of(pair.ba);

	t_until(is_acknowledged, NULL, 60);
	ab->tx = ba->tx = tx;
	weft_arq_win_init(&ab->rx, seq);
	weft_arq_win_init(&ba->rx, seq);
}

static void datagram_numbers_wrap_around(void **state)
{
	static const uint32_t first[] = { UINT32_MAX - BEFORE,
					  INT32_MAX - BEFORE };
	static const char plan[] = "seed=7; loss=0.05; duplicate=0.1; "
				   "reorder=0.2";
	const uint64_t count = (uint64_t)t_scale(700) + 300;

	for (size_t i = 0; i < 2; i++) {
		uint32_t sent;

		pair_open(plan);
		pair_exchange(0, 10);
		pair_continue_at(first[i]);
		pair_exchange(10, count);
		/* both directions have passed the wrap-around */
		sent = sock_peer_of(pair.ab)->tx.acked - first[i];
		T_TRUE(sent > BEFORE && sent < INT32_MAX);
		sent = sock_peer_of(pair.ba)->tx.acked - first[i];
		T_TRUE(sent > BEFORE && sent < INT32_MAX);
		pair_close();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(datagram_numbers_wrap_around),
	};

	return T_RUN(tests);
}
