/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key agreement: the keys of a session, and the datagrams that are accepted
 * from an attacker that can read and send everything, with and without the
 * job's key.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOB   "the key of one job"
#define OTHER "the key of another"

struct pair {
	struct end a, b;
	struct weft_peer *ab, *ba;
	struct end_group group;
};

/* A datagram of an attacker, with space for a public key and a tag. */
struct dgram {
	struct sock_head head;
	uint8_t rest[SOCK_PUBLIC_BYTES + SOCK_TAG];
};

static struct pair *pair_open(const char *key, const char *faults_of_b)
{
	struct weft_carrier_attr attr = { .key = key,
					  .key_bytes = strlen(key) };
	struct pair *t = calloc(1, sizeof(*t));

	T_NOT_NULL(t);
	T_OK(end_open(&t->a, &weft_carrier_sock, 1, &attr));
	attr.faults = faults_of_b;
	T_OK(end_open(&t->b, &weft_carrier_sock, 2, &attr));
	t->ab = end_peer(&t->a, &t->b);
	t->ba = end_peer(&t->b, &t->a);
	t->group.e[0] = &t->a;
	t->group.e[1] = &t->b;
	t->group.count = 2;
	t->a.group = &t->group;
	t->b.group = &t->group;
	return t;
}

static void pair_exchange(struct pair *t, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n < to; n++) {
		T_OK(end_send_all(&t->a, t->ab, n, 100, 20));
		T_OK(end_send_all(&t->b, t->ba, n, 100, 20));
	}
	T_TRUE(end_wait_got(&t->a, to, 20));
	T_TRUE(end_wait_got(&t->b, to, 20));
}

static void pair_close(struct pair *t)
{
	T_IS(t->a.bad + t->b.bad, 0);
	T_IS(t->a.lost + t->b.lost, 0);
	end_close(&t->a);
	end_close(&t->b);
	free(t);
}

static struct weft_carrier_stats stats_of(const struct end *e)
{
	struct weft_carrier_stats s;

	e->c->ops->stats(e->c, &s);
	return s;
}

static void until_refused(struct end *e, uint64_t want)
{
	struct t_limit limit;

	t_limit_set(&limit, 20);
	while (stats_of(e).refused < want) {
		e->c->ops->poll(e->c, 16);
		T_FALSE(t_limit_expired(&limit));
	}
	T_IS(stats_of(e).refused, want);
}

static struct dgram dgram_of(const struct end *from, const struct end *to,
			     enum sock_kind kind, uint64_t count)
{
	return (struct dgram){ .head = { .magic = SOCK_MAGIC,
					 .from = sock_of(from->c)->gen,
					 .to = sock_of(to->c)->gen,
					 .kind = (uint8_t)kind,
					 .bytes = sizeof(struct sock_head) +
						  SOCK_TAG,
					 .count = count } };
}

/* Signs g as `from` does for `peer`, and sends it from the socket of `at`. */
static void dgram_send(struct dgram *g, const struct end *from,
		       struct weft_peer *peer, const struct end *at,
		       const struct end *to)
{
	struct sock *s = sock_of(from->c);
	uint8_t *data = (uint8_t *)g;

	sock_enter(s);
	sock_seal_sign(s, sock_peer_of(peer)->own_seal, data, sizeof(g->head));
	g->head.crc = sock_crc(s, g, sizeof(g->head));
	sock_leave(s);
	T_OK(sock_io_send_one(sock_of(at->c), &to->name, g, g->head.bytes));
}

/*
 * Returns a HELLO for incarnation `gen` of `to` that contains `public` and is
 * signed by `from` with the job's key.
 */
static struct dgram hello_of(const struct end *from, const struct end *to,
			     const uint8_t *public, uint64_t count,
			     uint64_t gen)
{
	struct dgram g = dgram_of(from, to, SOCK_HELLO, count);
	struct sock *s = sock_of(from->c);
	const uint32_t bytes = sizeof(g) - SOCK_TAG;

	g.head.to = gen;
	g.head.flags = SOCK_PUBLIC;
	g.head.bytes = sizeof(g);
	memcpy(g.rest, public, SOCK_PUBLIC_BYTES);
	sock_keys_sign(s, &sock_of(to->c)->name, (uint8_t *)&g, bytes);
	g.head.crc = sock_crc(s, &g, bytes);
	return g;
}

/* Sends the HELLO of `from` to `to` from the socket of `at` to `goal`. */
static void hello_relay(const struct end *from, const struct end *to,
			const uint8_t *public, uint64_t count,
			const struct end *at, const struct end *goal)
{
	struct dgram g = hello_of(from, to, public, count, 0);

	T_OK(sock_io_send_one(sock_of(at->c), &goal->name, &g, sizeof(g)));
}

static void hello_send(const struct end *from, const struct end *to,
		       const uint8_t *public, uint64_t count)
{
	hello_relay(from, to, public, count, from, to);
}

static bool verifies(const struct end *by, struct sock_seal *seal,
		     const struct dgram *g)
{
	struct dgram copy = *g;

	return sock_seal_verify(sock_of(by->c), seal, (uint8_t *)&copy,
				sizeof(copy.head));
}

static void each_direction_of_each_pair_has_its_own_key(void **state)
{
	struct weft_carrier_attr attr = { .key = JOB,
					  .key_bytes = strlen(JOB) };
	struct pair *t = pair_open(JOB, NULL);
	struct weft_peer *cb;
	struct sock_peer *ab, *ba;
	struct dgram g;
	struct end c;

	T_OK(end_open(&c, &weft_carrier_sock, 3, &attr));
	t->group.e[t->group.count++] = &c;
	c.group = &t->group;
	pair_exchange(t, 0, 4);
	cb = end_peer(&c, &t->b);
	T_OK(end_send_all(&c, cb, 0, 8, 20));
	T_TRUE(end_wait_got(&t->b, 5, 20));
	sock_enter(sock_of(t->a.c));
	sock_enter(sock_of(t->b.c));
	ab = sock_peer_of(t->ab);
	ba = sock_peer_of(t->ba);
	g = dgram_of(&t->a, &t->b, SOCK_ACK, 1000);
	sock_seal_sign(sock_of(t->a.c), ab->own_seal, (uint8_t *)&g,
		       sizeof(g.head));
	T_TRUE(verifies(&t->b, ba->seal, &g));
	T_FALSE(verifies(&t->a, ab->seal, &g));
	T_FALSE(verifies(&t->b, sock_peer_of(end_peer(&t->b, &c))->seal, &g));
	sock_leave(sock_of(t->b.c));
	sock_leave(sock_of(t->a.c));
	end_close(&c);
	t->group.count = 2;
	T_TRUE(end_wait_lost(&t->b, 1, 20));
	T_IS(t->b.lost_err, ESHUTDOWN);
	t->b.lost = 0;
	pair_close(t);
}

/*
 * The datagram is sent back from the receiver's address, once unchanged, and
 * once with the two incarnations exchanged.
 */
static void a_datagram_sent_back_to_its_sender_is_refused(void **state)
{
	struct pair *t = pair_open(JOB, NULL);
	uint64_t count;
	struct dgram g;

	pair_exchange(t, 0, 20);
	count = sock_peer_of(t->ba)->seen + 100;
	g = dgram_of(&t->a, &t->b, SOCK_BYE, count);
	dgram_send(&g, &t->a, t->ab, &t->b, &t->a);
	until_refused(&t->a, 1);
	g = dgram_of(&t->b, &t->a, SOCK_BYE, count);
	dgram_send(&g, &t->a, t->ab, &t->b, &t->a);
	until_refused(&t->a, 2);
	/* send the HELLO from the receiver's address and the sender's */
	hello_relay(&t->a, &t->b, sock_of(t->a.c)->public, count, &t->b, &t->a);
	until_refused(&t->a, 3);
	hello_relay(&t->a, &t->b, sock_of(t->a.c)->public, count, &t->a, &t->a);
	until_refused(&t->a, 4);
	T_IS(stats_of(&t->a).forged, 3);
	pair_exchange(t, 20, 40);
	pair_close(t);
}

static void a_hello_is_accepted_once(void **state)
{
	struct pair *t = pair_open(JOB, NULL);
	const uint8_t *public = sock_of(t->a.c)->public;
	uint64_t count;

	pair_exchange(t, 0, 20);
	count = sock_peer_of(t->ab)->count + 100;
	hello_send(&t->a, &t->b, public, count);
	for (int i = 0; i < 3; i++)
		hello_send(&t->a, &t->b, public, count);
	until_refused(&t->b, 3);
	T_IS(stats_of(&t->b).replays, 3);
	pair_exchange(t, 20, 40);
	pair_close(t);
}

/*
 * The new owner of a name refuses a HELLO for an earlier owner, and answers
 * with its public key, which the sender in this test already has. HELLOs that
 * arrive at the same time get a single answer.
 */
static void a_hello_for_an_earlier_owner_is_answered(void **state)
{
	struct pair *t = pair_open(JOB, NULL);
	const uint8_t *public = sock_of(t->a.c)->public;
	struct sock *b = sock_of(t->b.c);
	uint64_t count, now;

	pair_exchange(t, 0, 20);
	count = sock_peer_of(t->ab)->count + 100;
	sock_enter(b);
	now = b->now;
	for (uint64_t i = 0; i < 4; i++) {
		struct dgram g =
			hello_of(&t->a, &t->b, public, count + i, b->gen + 1);

		b->now = now + (i / 2 + 1) * UINT64_C(1000000000);
		T_OK(sock_rx_datagram(b, &t->a.name, (uint8_t *)&g, sizeof(g),
				      16));
	}
	b->now = now;
	sock_leave(b);
	T_IS(stats_of(&t->b).refused, 4);
	T_IS(stats_of(&t->b).forged, 0);
	until_refused(&t->a, 2);
	T_IS(stats_of(&t->a).replays, 2);
	pair_exchange(t, 20, 40);
	T_IS(stats_of(&t->a).refused, 2);
	/* the HELLOs have not changed the session */
	hello_send(&t->a, &t->b, public, count);
	pair_exchange(t, 40, 60);
	T_IS(stats_of(&t->b).refused, 4);
	pair_close(t);
}

/*
 * A count is new once, unless it is older than the newest one by the length of
 * the window: compared with a list of all counts.
 */
static void a_count_is_new_once_within_the_window(void **state)
{
	enum { WINDOW = SOCK_REPLAY_WINDOW, MOST = 512 * WINDOW };
	static const int steps[] = {
		1,	     2,		 63,	      64,	   65,
		WINDOW - 1,  WINDOW,	 WINDOW + 1,  0,	   -1,
		-63,	     -64,	 -65,	      1 - WINDOW,  -WINDOW,
		-1 - WINDOW, 2 * WINDOW, -WINDOW / 2, -WINDOW + 2, 1
	};
	struct sock_peer *p = calloc(1, sizeof(*p));
	bool *seen = calloc(MOST, sizeof(*seen));
	int recent[8] = { 0 };
	int newest = 0, again = 0;

	T_NOT_NULL(p);
	T_NOT_NULL(seen);
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t r = i * UINT64_C(6364136223846793005) >> 33;
		int count = i % 2 ? recent[r % 8]
				  : newest + steps[r % WEFT_COUNT_OF(steps)];
		bool is_new;

		if (count < 0 || count >= MOST)
			continue;
		is_new = count > newest ||
			 (newest - count < WINDOW && !seen[count]);
		T_IS(sock_seal_count_is_new(p, (uint64_t)count), is_new);
		again += newest - count < WINDOW && count < newest && !is_new;
		seen[count] = true;
		recent[i / 2 % 8] = count;
		newest = count > newest ? count : newest;
	}
	T_TRUE(newest > MOST / 4 && again > 100);
	/* even the longest gap is handled in constant time */
	T_TRUE(sock_seal_count_is_new(p, UINT64_MAX));
	T_FALSE(sock_seal_count_is_new(p, UINT64_MAX));
	T_TRUE(sock_seal_count_is_new(p, UINT64_MAX - WINDOW + 1));
	T_FALSE(sock_seal_count_is_new(p, UINT64_MAX - WINDOW));
	free(seen);
	free(p);
}

/*
 * A process that has the job's key cannot change the session of another
 * process.
 */
static void another_public_key_is_refused(void **state)
{
	/* X25519 returns zero for this key */
	static const uint8_t low[SOCK_PUBLIC_BYTES];
	struct pair *t = pair_open(JOB, NULL);
	uint8_t public[SOCK_PUBLIC_BYTES];

	memcpy(public, sock_of(t->a.c)->public, sizeof(public));
	/* the invalid key creates no session; a valid key later does */
	hello_send(&t->a, &t->b, low, 1);
	for (int i = 0; i < 100; i++)
		t->b.c->ops->poll(t->b.c, 16);
	T_IS(sock_peer_of(t->ba)->remote_gen, 0);
	pair_exchange(t, 0, 20);
	public[3] ^= 4;
	hello_send(&t->a, &t->b, public, 1 << 20);
	until_refused(&t->b, 1);
	T_IS(stats_of(&t->b).forged, 1);
	pair_exchange(t, 20, 40);
	pair_close(t);
}

/* The attacker has a session in another job, possibly of the same user. */
static void a_datagram_of_another_job_is_refused(void **state)
{
	struct pair *t = pair_open(JOB, NULL);
	struct pair *u = pair_open(OTHER, NULL);
	struct dgram g;

	pair_exchange(t, 0, 20);
	pair_exchange(u, 0, 20);
	g = dgram_of(&t->a, &t->b, SOCK_BYE, 1 << 20);
	dgram_send(&g, &u->a, u->ab, &t->a, &t->b);
	until_refused(&t->b, 1);
	T_IS(stats_of(&t->b).forged, 1);
	/* send the datagram unchanged, then as a first contact */
	g = dgram_of(&u->a, &u->b, SOCK_BYE, 1 << 20);
	dgram_send(&g, &u->a, u->ab, &u->a, &t->b);
	until_refused(&t->b, 2);
	T_IS(end_send(&u->a, end_peer(&u->a, &t->b), 0, 8), -EAGAIN);
	until_refused(&t->b, 3);
	T_IS(stats_of(&t->b).forged, 2);
	pair_exchange(t, 20, 40);
	pair_exchange(u, 20, 40);
	pair_close(t);
	pair_close(u);
}

/*
 * a sends one HELLO, and b's answer to it is lost: the data that b sends still
 * reach a.
 */
static void a_lost_ack_of_first_contact_is_resent_with_data(void **state)
{
	struct pair *t = pair_open(JOB, "loss=1 for 150 ms");
	struct sock_peer *p = sock_peer_of(t->ba);
	struct t_limit limit;

	T_IS(end_send(&t->a, t->ab, 0, 8), -EAGAIN);
	t_limit_set(&limit, 20);
	for (bool contacted = false; !contacted;) {
		t->b.c->ops->poll(t->b.c, 16);
		sock_enter(sock_of(t->b.c));
		contacted = p->remote_gen;
		sock_leave(sock_of(t->b.c));
		T_FALSE(t_limit_expired(&limit));
	}
	T_OK(end_send(&t->b, t->ba, 0, 8));
	T_TRUE(end_wait_got(&t->a, 1, 20));
	pair_close(t);
}

/*
 * Sends ICMP "port unreachable" about a datagram from a to b, as b's host
 * would; if raw sockets are not allowed, calls the carrier's handler for it.
 */
static void forge_refusal(struct pair *t)
{
	const union weft_name *a = &t->a.name, *b = &t->b.name;
	struct {
		struct icmphdr icmp;
		struct iphdr ip;
		struct udphdr udp;
	} m = { .icmp = { .type = ICMP_DEST_UNREACH,
			  .code = ICMP_PORT_UNREACH },
		.ip = { .version = 4,
			.ihl = 5,
			.tot_len = htons(sizeof(m.ip) + sizeof(m.udp)),
			.ttl = 64,
			.protocol = IPPROTO_UDP,
			.saddr = a->in.sin_addr.s_addr,
			.daddr = b->in.sin_addr.s_addr },
		.udp = { .source = a->in.sin_port, .dest = b->in.sin_port } };
	uint16_t word[sizeof(m) / 2];
	uint32_t sum = 0;
	/* this test forges only ICMPv4 messages */
	int fd = weft_name_is_ipv6(a) ? -1
				      : socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC,
					       IPPROTO_ICMP);

	if (fd < 0) {
		sock_enter(sock_of(t->a.c));
		sock_peer_refused(sock_of(t->a.c), sock_peer_of(t->ab));
		sock_leave(sock_of(t->a.c));
		return;
	}
	memcpy(word, &m, sizeof(m));
	for (size_t i = 0; i < sizeof(m) / 2; i++)
		sum += word[i];
	sum = (sum & 0xffff) + (sum >> 16);
	m.icmp.checksum = (uint16_t) ~(sum + (sum >> 16));
	T_IS(sendto(fd, &m, sizeof(m), 0, (const struct sockaddr *)a,
		    sizeof(*a)),
	     sizeof(m));
	close(fd);
}

/* Returns whether a received a refusal, then a datagram of the peer. */
static bool refusal_cleared(const struct pair *t)
{
	struct sock *s = sock_of(t->a.c);
	const struct sock_peer *p = sock_peer_of(t->ab);
	bool yes;

	sock_enter(s);
	yes = p->refusals && !p->refusal_ns;
	sock_leave(s);
	return yes;
}

/* The peer answers the probe, so it is not lost. */
static void a_forged_refusal_loses_no_peer(void **state)
{
	struct pair *t = pair_open(JOB, NULL);
	struct t_limit limit;

	pair_exchange(t, 0, 20);
	for (uint64_t n = 20; n < 40; n++) {
		forge_refusal(t);
		forge_refusal(t);
		pair_exchange(t, n, n + 1);
	}
	/* without other traffic, the answer to the probe is enough */
	sock_enter(sock_of(t->a.c));
	sock_peer_of(t->ab)->refusals = 0;
	sock_peer_of(t->ab)->refusal_ns = 0;
	sock_leave(sock_of(t->a.c));
	forge_refusal(t);
	forge_refusal(t);
	t_limit_set(&limit, 20);
	while (!refusal_cleared(t)) {
		t->a.c->ops->poll(t->a.c, 16);
		T_FALSE(t_limit_expired(&limit));
	}
	pair_exchange(t, 40, 60);
	pair_close(t);
}

/* Forks a process that sends a packet to the name in the pipe, and polls. */
static pid_t child_fork(int *pipe_p)
{
	struct weft_carrier_attr attr = { .key = JOB,
					  .key_bytes = strlen(JOB) };
	union weft_name name;
	static struct end c;
	int fd[2];
	pid_t pid;

	T_OK(pipe(fd));
	pid = fork();
	T_TRUE(pid >= 0);
	*pipe_p = fd[1];
	if (pid) {
		close(fd[0]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(fd[0], &name, sizeof(name)) != sizeof(name) ||
	    end_open(&c, &weft_carrier_sock, 2, &attr) ||
	    end_send_all(&c, end_peer_name(&c, &name), 0, 8, 20))
		_exit(2);
	for (;;)
		c.c->ops->poll(c.c, 16);
}

/*
 * Polls until e reports the loss of a peer, and returns whether it does; stores
 * the messages logged meanwhile in text.
 */
static bool lost_with_text(struct end *e, char *text, size_t room)
{
	int old = dup(2);
	int log = memfd_create("log", MFD_CLOEXEC);
	bool lost;
	ssize_t n;

	dup2(log, 2);
	lost = end_wait_lost(e, 1, 20);
	dup2(old, 2);
	n = pread(log, text, room - 1, 0);
	text[n > 0 ? n : 0] = 0;
	close(old);
	close(log);
	return lost;
}

/*
 * Must run first: ThreadSanitizer requires that no threads exist before a fork.
 */
static void a_killed_peer_is_lost_after_a_refusal(void **state)
{
	struct weft_carrier_attr attr = { .key = JOB,
					  .key_bytes = strlen(JOB) };
	char text[512];
	int fd;
	pid_t child = child_fork(&fd);
	struct end e;

	T_OK(end_open(&e, &weft_carrier_sock, 1, &attr));
	T_IS(write(fd, &e.name, sizeof(e.name)), sizeof(e.name));
	T_TRUE(end_wait_got(&e, 1, 20));
	kill(child, SIGKILL);
	T_IS(waitpid(child, NULL, 0), child);
	T_TRUE(lost_with_text(&e, text, sizeof(text)));
	T_IS(e.lost_err, ECONNRESET);
	T_NOT_NULL(strstr(text, "its host refuses datagrams"));
	close(fd);
	end_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_killed_peer_is_lost_after_a_refusal),
		T_CASE(each_direction_of_each_pair_has_its_own_key),
		T_CASE(a_datagram_sent_back_to_its_sender_is_refused),
		T_CASE(a_hello_is_accepted_once),
		T_CASE(a_hello_for_an_earlier_owner_is_answered),
		T_CASE(a_count_is_new_once_within_the_window),
		T_CASE(another_public_key_is_refused),
		T_CASE(a_datagram_of_another_job_is_refused),
		T_CASE(a_lost_ack_of_first_contact_is_resent_with_data),
		T_CASE(a_forged_refusal_loses_no_peer),
	};

	return T_RUN(tests);
}
