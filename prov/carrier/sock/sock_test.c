/* SPDX-License-Identifier: BSD-3-Clause */
/* The sock carrier: unreliable networks, attackers, silent peers. */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct pair {
	struct end a, b;
	struct weft_peer *ab, *ba;
	struct end_group group;
};

static struct pair *pair_with(const struct weft_carrier_attr *attr)
{
	struct pair *t = calloc(1, sizeof(*t));

	T_NOT_NULL(t);
	T_OK(end_open(&t->a, &weft_carrier_sock, 1, attr));
	T_OK(end_open(&t->b, &weft_carrier_sock, 2, attr));
	t->ab = end_peer(&t->a, &t->b);
	t->ba = end_peer(&t->b, &t->a);
	t->group.e[0] = &t->a;
	t->group.e[1] = &t->b;
	t->group.count = 2;
	t->a.group = &t->group;
	t->b.group = &t->group;
	return t;
}

static struct pair *pair_open(const char *faults)
{
	struct weft_carrier_attr attr = { .faults = faults };

	return pair_with(&attr);
}

static void pair_close(struct pair *t)
{
	T_IS(t->a.bad + t->b.bad, 0);
	T_IS(t->a.lost + t->b.lost, 0);
	end_close(&t->a);
	end_close(&t->b);
	free(t);
}

/* Exchanges packets of many sizes in both directions, and checks each one. */
static void pair_exchange_from(struct pair *t, uint64_t from, uint64_t count)
{
	static const size_t len[] = { 8, 0, 900, 8192, 33, 3000, 1, 5000 };

	for (uint64_t n = from; n < count; n++) {
		size_t bytes = len[n % WEFT_COUNT_OF(len)];

		T_OK(end_send_all(&t->a, t->ab, n, bytes, 60));
		T_OK(end_send_all(&t->b, t->ba, n, bytes, 60));
	}
	T_TRUE(end_wait_got(&t->a, count, 60));
	T_TRUE(end_wait_got(&t->b, count, 60));
}

static void pair_exchange(struct pair *t, uint64_t count)
{
	pair_exchange_from(t, 0, count);
}

static struct weft_carrier_stats pair_stats(const struct end *e)
{
	struct weft_carrier_stats s;

	e->c->ops->stats(e->c, &s);
	return s;
}

static void packets_survive_an_unreliable_network(void **state)
{
	static const char *const plan[] = {
		"seed=1; loss=0.01",
		"seed=2; loss=0.2",
		"seed=3; duplicate=0.3",
		"seed=4; reorder=0.3",
		"seed=5; delay=0.2 by 2 ms",
		("seed=6; loss=0.1; duplicate=0.1; reorder=0.2; corrupt=0.1; "
		 "delay=0.05 by 2 ms"),
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(plan); i++) {
		struct pair *t = pair_open(plan[i]);

		pair_exchange(t, (uint64_t)t_scale(1000));
		if (strstr(plan[i], "loss=0.2"))
			T_TRUE(pair_stats(&t->a).resent > 0);
		if (strstr(plan[i], "corrupt"))
			T_TRUE(pair_stats(&t->a).refused > 0);
		pair_close(t);
	}
}

/*
 * All datagrams of the first 250 ms are lost, and the sender makes no call
 * after its sends: its progress thread retransmits the packets.
 */
static void the_progress_thread_retransmits(void **state)
{
	enum { N = 20 };
	struct weft_carrier_attr attr = { .faults = "loss=1 for 250 ms" };
	struct end a, b;
	struct weft_peer *to;

	T_OK(end_open(&b, &weft_carrier_sock, 2, NULL));
	T_OK(end_open(&a, &weft_carrier_sock, 1, &attr));
	to = end_peer(&a, &b);
	for (uint64_t n = 0; n < N; n++)
		T_OK(end_send_all(&a, to, n, 100, 20));
	T_TRUE(end_wait_got(&b, N, 20));
	T_IS(b.bad, 0);
	end_close(&b);
	end_close(&a);
}

/* A process controlled by a pipe: address of the receiver, then commands. */
struct child {
	pid_t pid;
	int pipe;
};

/*
 * Forks a child that executes `run`; called before threads exist, as
 * ThreadSanitizer requires.
 */
static struct child child_fork(void (*run)(int fd))
{
	struct child c;
	int fd[2];

	T_OK(pipe(fd));
	c.pid = fork();
	if (!c.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd[1]);
		run(fd[0]);
		_exit(1);
	}
	T_TRUE(c.pid > 0);
	close(fd[0]);
	c.pipe = fd[1];
	return c;
}

static void child_write(const struct child *c, const void *what, size_t bytes)
{
	T_IS(write(c->pipe, what, bytes), bytes);
}

static int child_end(struct child *c)
{
	int status;

	T_IS(waitpid(c->pid, &status, 0), c->pid);
	close(c->pipe);
	return status;
}

/* Opens an endpoint, and sends one packet to the address in the pipe. */
static void child_open(int fd, struct end *c)
{
	union weft_name name;

	if (read(fd, &name, sizeof(name)) != sizeof(name) ||
	    end_open(c, &weft_carrier_sock, 2, NULL) ||
	    end_send_all(c, end_peer_name(c, &name), 0, 8, 20))
		_exit(2);
}

static void child_no_calls(int fd)
{
	static struct end c;
	char word;

	child_open(fd, &c);
	if (read(fd, &word, 1) != 1 || !end_wait_got(&c, 30, 20) || c.bad)
		_exit(3);
	end_close(&c);
	_exit(0);
}

static void child_polls(int fd)
{
	static struct end c;

	child_open(fd, &c);
	for (;;)
		c.c->ops->poll(c.c, 16);
}

/* The receiver makes no call and is not declared dead. */
static void the_progress_thread_answers_probes(void **state)
{
	struct weft_carrier_attr attr = { .silence_ms = 2500 };
	struct child c = child_fork(child_no_calls);
	struct end e;

	T_OK(end_open(&e, &weft_carrier_sock, 1, &attr));
	child_write(&c, &e.name, sizeof(e.name));
	T_TRUE(end_wait_got(&e, 1, 20));
	for (uint64_t n = 0; n < 30; n++)
		T_OK(end_send_all(&e, e.last, n, 100, 20));
	/* poll for longer than silence_ms, with a margin for a loaded host */
	for (uint64_t end = weft_now_ns() + 3000000000; weft_now_ns() < end;)
		e.c->ops->poll(e.c, 16);
	T_IS(e.lost, 0);
	child_write(&c, "", 1);
	T_TRUE(end_wait_lost(&e, 1, 20));
	T_IS(e.lost_err, ESHUTDOWN);
	T_IS(child_end(&c), 0);
	end_close(&e);
}

/* Sets the maximum datagram size; the lock excludes the progress thread. */
static void set_dgram_max(struct end *e, struct weft_peer *to, uint32_t bytes)
{
	sock_enter(sock_of(e->c));
	sock_peer_of(to)->dgram_max = bytes;
	sock_leave(sock_of(e->c));
}

/* Datagrams are smaller than packets and of one size, so that GSO is used. */
static void a_small_mtu_splits_packets_into_parts(void **state)
{
	static const char *const plan[] = {
		NULL, "seed=9; loss=0.05; duplicate=0.05; "
		      "reorder=0.1; corrupt=0.02"
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(plan); i++) {
		struct pair *t = pair_open(plan[i]);

		set_dgram_max(&t->a, t->ab, 1472);
		set_dgram_max(&t->b, t->ba, SOCK_DGRAM_MIN);
		pair_exchange(t, (uint64_t)t_scale(800));
		pair_close(t);
	}
}

static int forger_open(union weft_name *name)
{
	int fd = socket(t_family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*name);

	*name = t_loopback();
	T_TRUE(fd >= 0);
	T_OK(bind(fd, (struct sockaddr *)name, sizeof(*name)));
	T_OK(getsockname(fd, (struct sockaddr *)name, &len));
	return fd;
}

static void forger_send(int fd, const struct end *to, const void *data,
			size_t bytes)
{
	T_IS(sendto(fd, data, bytes, 0, (const struct sockaddr *)&to->name,
		    sizeof(to->name)),
	     bytes);
}

/* Sends an arbitrary datagram with a valid CRC. */
static void forger_sign(int fd, const struct end *to, struct sock_head *h,
			size_t bytes)
{
	h->magic = SOCK_MAGIC;
	h->bytes = (uint16_t)bytes;
	h->crc = sock_crc(sock_of(to->c), h, (uint32_t)bytes);
	forger_send(fd, to, h, bytes);
}

static void invalid_datagrams_are_dropped_and_counted(void **state)
{
	enum { N = 500 };
	struct pair *t = pair_open(NULL);
	union weft_name name;
	int fd = forger_open(&name);
	struct t_limit limit;
	struct weft_rng rng;
	uint8_t junk[2000];

	weft_rng_init(&rng, 11, 0);
	pair_exchange(t, 20);
	for (int i = 0; i < N; i++) {
		weft_rng_fill(&rng, junk, sizeof(junk));
		forger_send(fd, &t->b, junk,
			    1 + weft_rng_below(&rng, sizeof(junk) - 1));
		if (i % 32 == 0)
			t->b.c->ops->poll(t->b.c, 16);
	}
	t_limit_set(&limit, 20);
	while (pair_stats(&t->b).refused < N) {
		t->b.c->ops->poll(t->b.c, 16);
		T_FALSE(t_limit_expired(&limit));
	}
	T_IS(pair_stats(&t->b).refused, N);
	T_IS(t->b.got, 20);
	close(fd);
	pair_close(t);
}

/*
 * Repeats the datagram until the peer is lost, and returns whether this
 * happens: the progress thread drops datagrams from a new owner of a name.
 */
static bool send_until_lost(int fd, struct end *e, struct sock_head *h,
			    size_t bytes, uint64_t want)
{
	struct t_limit limit;

	t_limit_set(&limit, 20);
	while (e->lost < want && !t_limit_expired(&limit)) {
		forger_sign(fd, e, h, bytes);
		e->c->ops->poll(e->c, 16);
	}
	return e->lost == want;
}

/* A sender of invalid records with a valid CRC is lost; other peers are not. */
static void a_sender_of_invalid_records_is_lost(void **state)
{
	union {
		struct sock_head head;
		uint8_t bytes[512];
	} dgram;
	struct pair *t = pair_open(NULL);
	union weft_name name;
	int fd = forger_open(&name);
	struct weft_rng rng;

	weft_rng_init(&rng, 12, 0);
	pair_exchange(t, 20);
	for (uint64_t i = 1; i <= 50; i++) {
		memset(&dgram, 0, sizeof(dgram));
		weft_rng_fill(&rng, dgram.bytes + sizeof(dgram.head),
			      sizeof(dgram) - sizeof(dgram.head));
		dgram.head.from = i;
		dgram.head.kind = SOCK_DATA;
		T_TRUE(send_until_lost(
			fd, &t->b, &dgram.head,
			sizeof(dgram.head) + 1 + weft_rng_below(&rng, 400), i));
		T_IS(t->b.lost_err, EPROTO);
	}
	T_IS(t->b.got, 20);
	close(fd);
	t->b.lost = 0;
	T_OK(end_send_all(&t->a, t->ab, 20, 100, 20));
	T_TRUE(end_wait_got(&t->b, 21, 20));
	pair_close(t);
}

/* ---- endpoints with a key ---- */

static const char secret[] = "known to two peers";
static bool encrypt; /* set in the second run of the tests */

static struct pair *pair_signed(const char *plan)
{
	struct weft_carrier_attr attr = { .faults = plan,
					  .encrypt = encrypt,
					  .key = secret,
					  .key_bytes = sizeof(secret) };

	return pair_with(&attr);
}

static void signed_datagrams_survive_an_unreliable_network(void **state)
{
	static const char *const plan[] = {
		NULL, "seed=6; loss=0.1; duplicate=0.1; reorder=0.2; "
		      "corrupt=0.1; delay=0.05 by 2 ms"
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(plan); i++) {
		struct pair *t = pair_signed(plan[i]);

		if (i)
			set_dgram_max(&t->a, t->ab, 1472);
		pair_exchange(t, (uint64_t)t_scale(800));
		/* a corrupted tag counts as forged */
		T_TRUE(i || !pair_stats(&t->b).forged);
		/* duplicates injected by the fault plan count as replays */
		T_IS(pair_stats(&t->b).replays > 0, i);
		pair_close(t);
	}
}

/* Polls e until it has refused `want` datagrams. */
static void until_refused(struct end *e, uint64_t want)
{
	struct t_limit limit;

	t_limit_set(&limit, 20);
	while (pair_stats(e).refused < want) {
		e->c->ops->poll(e->c, 16);
		T_FALSE(t_limit_expired(&limit));
	}
}

static bool has_unacked(const struct end *e, struct weft_peer *to)
{
	struct sock *s = sock_of(e->c);
	const struct sock_peer *p = sock_peer_of(to);
	bool yes;

	sock_enter(s);
	yes = p->unacked || sock_tx_pending(p);
	sock_leave(s);
	return yes;
}

/* Polls until everything is acknowledged and no progress thread sends. */
static void pair_settle(struct pair *t)
{
	struct t_limit limit;

	t_limit_set(&limit, 20);
	while (has_unacked(&t->a, t->ab) || has_unacked(&t->b, t->ba)) {
		t->a.c->ops->poll(t->a.c, 16);
		t->b.c->ops->poll(t->b.c, 16);
		T_FALSE(t_limit_expired(&limit));
	}
}

/* The same signed datagram is sent three times; two are refused as replays. */
static void a_replayed_datagram_is_refused(void **state)
{
	struct pair *t = pair_signed(NULL);
	struct sock *a = sock_of(t->a.c);
	uint8_t copy[400];
	struct sock_head *h = (void *)copy;
	uint64_t got;

	pair_exchange(t, 20);
	pair_settle(t);
	got = t->b.got;
	memset(copy, 0, sizeof(copy));
	*h = (struct sock_head){ .magic = SOCK_MAGIC,
				 .from = a->gen,
				 .to = sock_of(t->b.c)->gen,
				 .seq = sock_peer_of(t->ab)->tx.next,
				 .kind = SOCK_ACK,
				 .bytes = sizeof(*h) + SOCK_TAG,
				 .count = sock_peer_of(t->ab)->count + 1 };
	sock_seal_sign(a, sock_peer_of(t->ab)->own_seal, copy, sizeof(*h));
	h->crc = sock_crc(a, h, sizeof(*h));
	for (int i = 0; i < 3; i++)
		T_OK(sock_io_send_one(a, &t->b.name, copy,
				      sizeof(*h) + SOCK_TAG));
	until_refused(&t->b, 2);
	T_IS(pair_stats(&t->b).replays, 2);
	/* use a count older than all recorded ones */
	h->count = 1;
	sock_seal_sign(a, sock_peer_of(t->ab)->own_seal, copy, sizeof(*h));
	h->crc = sock_crc(a, h, sizeof(*h));
	sock_peer_of(t->ba)->seen += 2 * SOCK_REPLAY_WINDOW;
	T_OK(sock_io_send_one(a, &t->b.name, copy, sizeof(*h) + SOCK_TAG));
	until_refused(&t->b, 3);
	T_IS(pair_stats(&t->b).replays, 3);
	T_IS(t->b.got, got);
	sock_peer_of(t->ba)->seen -= 2 * SOCK_REPLAY_WINDOW;
	sock_peer_of(t->ab)->count += 2;
	pair_exchange_from(t, 20, 40);
	pair_close(t);
}

/* Datagrams with a wrong bit, length or key are dropped. */
static void a_forged_datagram_is_dropped(void **state)
{
	enum { N = 300 };
	struct pair *t = pair_signed(NULL);
	struct weft_carrier_attr other = { .key = "guessed, and wrong",
					   .key_bytes = 18,
					   .encrypt = encrypt };
	uint8_t dgram[512];
	struct sock_head *h = (void *)dgram;
	union weft_name name;
	int fd = forger_open(&name);
	struct weft_rng rng;
	struct end e;

	weft_rng_init(&rng, 13, 0);
	pair_exchange(t, 20);
	for (uint64_t i = 1; i <= N; i++) {
		uint32_t bytes =
			(uint32_t)(sizeof(*h) + weft_rng_below(&rng, 300));

		weft_rng_fill(&rng, dgram, sizeof(dgram));
		h->magic = SOCK_MAGIC;
		h->from = i % 2 ? sock_of(t->a.c)->gen : 1 + i;
		h->to = i % 3 ? sock_of(t->b.c)->gen : 0;
		h->kind = (uint8_t)(SOCK_HELLO + i % 5);
		h->bytes = (uint16_t)(bytes + SOCK_TAG);
		h->crc = sock_crc(sock_of(t->b.c), h, bytes);
		forger_send(fd, &t->b, dgram, bytes + SOCK_TAG);
		until_refused(&t->b, i);
	}
	T_IS(pair_stats(&t->b).forged, N);
	T_OK(end_open(&e, &weft_carrier_sock, 3, &other));
	T_IS(end_send(&e, end_peer(&e, &t->b), 0, 8), -EAGAIN);
	until_refused(&t->b, N + 1);
	T_IS(pair_stats(&t->b).forged, N + 1);
	T_IS(t->b.got, 20);
	close(fd);
	end_close(&e);
	pair_exchange_from(t, 20, 40);
	pair_close(t);
}

/* Payloads are unreadable, and unencrypted datagrams are refused. */
static void encrypted_payloads_are_unreadable(void **state)
{
	struct weft_carrier_attr plain = { .key = secret,
					   .key_bytes = sizeof(secret) };
	struct weft_carrier_attr open = { .encrypt = true };
	static const char text[] = "a text that two peers may read";
	union {
		struct sock_head head;
		uint8_t bytes[sizeof(struct sock_head) + sizeof(text) + 16];
	} g = { .head = { .count = 7 } };
	uint8_t *body = g.bytes + sizeof(g.head);
	uint32_t bytes = sizeof(g.head) + sizeof(text);
	struct pair *t;
	struct end e;

	encrypt = true;
	t = pair_signed(NULL);
	encrypt = false;
	pair_exchange(t, 4);
	pair_settle(t);
	memcpy(body, text, sizeof(text));
	sock_seal_sign(sock_of(t->a.c), sock_peer_of(t->ab)->own_seal, g.bytes,
		       bytes);
	for (size_t i = 0; i + 4 <= sizeof(text); i++)
		T_NULL(memmem(body, sizeof(text), text + i, 4));
	T_TRUE(sock_seal_verify(sock_of(t->b.c), sock_peer_of(t->ba)->seal,
				g.bytes, bytes));
	T_OK(memcmp(body, text, sizeof(text)));
	T_OK(end_open(&e, &weft_carrier_sock, 3, &plain));
	T_IS(end_send(&e, end_peer(&e, &t->b), 0, 8), -EAGAIN);
	until_refused(&t->b, 1);
	T_IS(pair_stats(&t->b).forged, 1);
	end_close(&e);
	pair_close(t);
	T_IS(end_open(&e, &weft_carrier_sock, 3, &open), -EACCES);
}

/* Runs the signature tests, which use GMAC, again with GCM. */
static void encrypted_datagrams_pass_the_signature_tests(void **state)
{
	encrypt = true;
	signed_datagrams_survive_an_unreliable_network(state);
	a_replayed_datagram_is_refused(state);
	a_forged_datagram_is_dropped(state);
	encrypt = false;
}

static void a_silent_peer_is_lost_once(void **state)
{
	struct weft_carrier_attr attr = { .silence_ms = 100 };
	union weft_name name;
	int fd = forger_open(&name);
	struct weft_peer *to;
	struct end e;

	T_OK(end_open(&e, &weft_carrier_sock, 1, &attr));
	to = end_peer_name(&e, &name);
	T_OK(end_send_all(&e, to, 0, 100, 20));
	T_TRUE(end_wait_lost(&e, 1, 20));
	T_IS(e.lost_err, ECONNRESET);
	T_PTR(e.lost_peer, to);
	T_IS(end_send(&e, to, 1, 100), -ECONNRESET);
	e.c->ops->poll(e.c, 16);
	T_IS(e.lost, 1);
	end_close(&e);
	close(fd);
}

/* The peer's host has failed: nothing arrives, nothing is in flight. */
static void a_waiting_receiver_detects_a_silent_host(void **state)
{
	struct weft_carrier_attr attr = { .silence_ms = 400 };
	struct weft_carrier_attr die = { .faults = "die=1" };
	struct end e, c;

	T_OK(end_open(&e, &weft_carrier_sock, 1, &attr));
	T_OK(end_open(&c, &weft_carrier_sock, 2, &die));
	T_OK(end_send_all(&c, end_peer(&c, &e), 0, 8, 20));
	T_TRUE(end_wait_got(&e, 1, 20));
	sock_peer_of(e.last)->local = false;
	T_TRUE(end_wait_lost(&e, 1, 20));
	T_IS(e.lost_err, ECONNRESET);
	T_PTR(e.lost_peer, e.last);
	end_close(&c);
	end_close(&e);
}

/* With a key, only HELLOs are sent to a peer until it answers. */
static void a_host_that_never_answers_is_lost(void **state)
{
	struct weft_carrier_attr attr = { .silence_ms = 400,
					  .key = "secret",
					  .key_bytes = 6 };
	struct t_limit limit;
	union weft_name name;
	int fd = forger_open(&name);
	struct weft_peer *to;
	struct end e;

	T_OK(end_open(&e, &weft_carrier_sock, 1, &attr));
	to = end_peer_name(&e, &name);
	sock_peer_of(to)->local = false;
	t_limit_set(&limit, 20);
	while (!e.lost && !t_limit_expired(&limit)) {
		end_send(&e, to, 0, 100);
		e.c->ops->poll(e.c, 16);
	}
	T_IS(e.lost, 1);
	T_PTR(e.lost_peer, to);
	T_IS(end_send(&e, to, 0, 100), -ECONNRESET);
	end_close(&e);
	close(fd);
}

/* Nothing is in flight or unacknowledged, and nothing arrives. */
static void an_idle_killed_peer_is_detected(void **state)
{
	struct child c = child_fork(child_polls);
	struct end e;

	T_OK(end_open(&e, &weft_carrier_sock, 1, NULL));
	child_write(&c, &e.name, sizeof(e.name));
	T_TRUE(end_wait_got(&e, 1, 20));
	for (uint64_t end = weft_now_ns() + 50000000; weft_now_ns() < end;)
		e.c->ops->poll(e.c, 16);
	kill(c.pid, SIGKILL);
	child_end(&c);
	T_TRUE(end_wait_lost(&e, 1, 20));
	T_IS(e.lost_err, ECONNRESET);
	/* the first one or two probes detect the dead peer, not a batch */
	sock_enter(sock_of(e.c));
	T_TRUE(sock_peer_of(e.last)->count < SOCK_BATCH / 4);
	sock_leave(sock_of(e.c));
	end_close(&e);
}

/* An endpoint that gets the name of a dead one is a new peer. */
static void name_reused(const char *key)
{
	struct weft_carrier_attr again = { .key = key,
					   .key_bytes = key ? strlen(key) : 0 };
	struct weft_carrier_attr die = again;
	struct end_group group = { .count = 2 };
	struct weft_peer *old;
	struct end a, b;

	T_OK(end_open(&a, &weft_carrier_sock, 1, &again));
	die.faults = "die=5";
	T_OK(end_open(&b, &weft_carrier_sock, 2, &die));
	group.e[0] = &a;
	group.e[1] = &b;
	a.group = &group;
	b.group = &group;
	old = end_peer(&a, &b);
	T_OK(end_send_all(&a, old, 0, 8, 20));
	T_TRUE(end_wait_got(&b, 1, 20));
	for (uint64_t n = 0; n < 5; n++)
		T_OK(end_send_all(&b, end_peer(&b, &a), n, 8, 20));
	T_TRUE(end_wait_got(&a, 4, 20));
	again.name = b.name;
	group.count = 1;
	end_close(&b);
	T_OK(end_open(&b, &weft_carrier_sock, 3, &again));
	group.count = 2;
	b.group = &group;
	/* datagrams for the previous owner are not delivered to the new one */
	end_send(&a, old, 1, 8);
	T_TRUE(end_wait_lost(&a, 1, 20));
	T_IS(a.lost_err, ECONNRESET);
	T_PTR(a.lost_peer, old);
	T_IS(b.got, 0);
	T_TRUE(end_peer(&a, &b) != old);
	T_PTR(end_peer(&a, &b), end_peer(&a, &b));
	b.got_from[1] = 5;
	T_OK(end_send_all(&a, end_peer(&a, &b), 5, 8, 20));
	T_TRUE(end_wait_got(&b, 1, 20));
	T_OK(end_send_all(&b, end_peer(&b, &a), 0, 8, 20));
	T_TRUE(end_wait_got(&a, 5, 20));
	T_IS(a.bad + b.bad, 0);
	T_IS(a.lost, 1);
	end_close(&a);
	end_close(&b);
}

static void a_reused_name_is_a_new_peer(void **state)
{
	name_reused(NULL);
	name_reused(secret);
}

/* The descriptor is readable for arrivals, wake, and due retransmissions. */
static void an_armed_descriptor_becomes_readable(void **state)
{
	struct pair *t = pair_open(NULL);
	struct weft_carrier *c = t->b.c;
	struct pollfd fd = { .fd = c->ops->wait_fd(c), .events = POLLIN };

	T_TRUE(fd.fd >= 0);
	pair_exchange(t, 1);
	while (c->ops->arm(c))
		c->ops->poll(c, 16);
	T_OK(end_send_all(&t->a, t->ab, 1, 8, 20));
	/* the descriptor is readable also when an acknowledgement is due */
	while (t->b.got < 2) {
		T_IS(poll(&fd, 1, 20000), 1);
		while (c->ops->arm(c))
			c->ops->poll(c, 16);
	}
	T_IS(t->b.got, 2);
	c->ops->wake(c);
	T_IS(poll(&fd, 1, 20000), 1);
	while (c->ops->arm(c))
		c->ops->poll(c, 16);
	/* a does not read, so b's retransmission becomes due */
	T_OK(end_send(&t->b, t->ba, 1, 8));
	T_IS(poll(&fd, 1, 20000), 1);
	while (c->ops->arm(c))
		c->ops->poll(c, 16);
	T_IS(poll(&fd, 1, 20000), 1);
	T_TRUE(end_wait_got(&t->a, 2, 20));
	pair_close(t);
}

/* The sender is refused while the peer does not read; no packet is lost. */
static void a_slow_reader_is_not_flooded(void **state)
{
	struct pair *t = pair_open(NULL);
	uint64_t n = 20;
	uint64_t resent;

	pair_exchange(t, n);
	while (!end_send(&t->a, t->ab, n, 8192))
		n++;
	T_TRUE(n <= 20 + SOCK_WINDOW);
	T_TRUE(end_wait_got(&t->b, n, 20));
	resent = pair_stats(&t->a).resent;
	T_TRUE(resent <= n);
	pair_close(t);
}

static void a_raw_fault_plan_is_refused(void **state)
{
	struct weft_carrier_attr attr = { .faults = "raw; loss=0.1" };
	struct end e;

	T_IS(end_open(&e, &weft_carrier_sock, 1, &attr), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_survive_an_unreliable_network),
		T_CASE(the_progress_thread_retransmits),
		T_CASE(the_progress_thread_answers_probes),
		T_CASE(a_small_mtu_splits_packets_into_parts),
		T_CASE(invalid_datagrams_are_dropped_and_counted),
		T_CASE(a_sender_of_invalid_records_is_lost),
		T_CASE(signed_datagrams_survive_an_unreliable_network),
		T_CASE(a_replayed_datagram_is_refused),
		T_CASE(a_forged_datagram_is_dropped),
		T_CASE(encrypted_payloads_are_unreadable),
		T_CASE(encrypted_datagrams_pass_the_signature_tests),
		T_CASE(a_silent_peer_is_lost_once),
		T_CASE(a_waiting_receiver_detects_a_silent_host),
		T_CASE(a_host_that_never_answers_is_lost),
		T_CASE(an_idle_killed_peer_is_detected),
		T_CASE(a_reused_name_is_a_new_peer),
		T_CASE(an_armed_descriptor_becomes_readable),
		T_CASE(a_slow_reader_is_not_flooded),
		T_CASE(a_raw_fault_plan_is_refused),
	};

	return T_RUN(tests);
}
