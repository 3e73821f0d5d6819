/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine over streams of the sock carrier: long messages arrive once and
 * correctly while streams open, are used, and break.
 */
#include "prov/nic/nic_int.h"
#include "test/support/nic_pair.h"

#include "src/base/rng.h"

enum { LONGEST = 1 << 20, SHORTEST = 40000 };

static const char key[17] = "a key of the job";

static struct weft_carrier_stats stats_of(const struct side *s)
{
	struct weft_carrier *c = weft_nic_carrier(s->nic);
	struct weft_carrier_stats st;

	c->ops->stats(c, &st);
	return st;
}

/* Returns the number of bytes that s has received through streams. */
static uint64_t received(const struct side *s)
{
	return stats_of(s).stream_bytes;
}

/* Sends a message and checks it; late: posts the receive after the send. */
static void message(struct world *w, struct side *from, struct side *to,
		    size_t len, bool late)
{
	unsigned sent = from->completions;
	unsigned got = to->completions;
	char *out = malloc(len);
	char *in = calloc(1, len + 1);

	t_fill(out, len, len);
	if (!late)
		post_recv(to, in, len, 1, to->peer->index);
	post_send(w, from, out, len, 1, 0);
	if (late)
		post_recv(to, in, len, 1, to->peer->index);
	poll_until(w, from, sent + 1);
	poll_until(w, to, got + 1);
	T_IS(from->completion[sent % 4096].err, 0);
	T_IS(to->completion[got % 4096].err, 0);
	T_IS(to->completion[got % 4096].len, len);
	T_IS(t_differs(in, len, len), -1);
	T_IS(in[len], 0);
	free(out);
	free(in);
}

/* Sends until a stream in each direction is authenticated. */
static void streams_open(struct world *w)
{
	struct t_limit limit;

	t_limit_set(&limit, 30);
	while (!stats_of(&w->a).streams || !stats_of(&w->b).streams) {
		message(w, &w->a, &w->b, 100000, false);
		message(w, &w->b, &w->a, 100000, false);
		T_FALSE(t_limit_expired(&limit));
	}
}

static struct world *streams_world(const char *faults, bool keyed)
{
	const struct grid g = { .machine = "native",
				.carrier = &weft_carrier_sock,
				.faults = faults,
				.stream_min = SHORTEST,
				.key = keyed ? key : NULL };

	return world_open(&g);
}

/* All bytes of a long message use the stream, and those of a short one none. */
static void long_messages_use_the_stream(void **state)
{
	for (int keyed = 0; keyed < 2; keyed++) {
		struct world *w = streams_world(NULL, keyed);
		uint64_t before;

		streams_open(w);
		before = received(&w->b);
		message(w, &w->a, &w->b, LONGEST, false);
		message(w, &w->a, &w->b, SHORTEST, true);
		T_IS(received(&w->b) - before, LONGEST + SHORTEST);
		message(w, &w->a, &w->b, SHORTEST - 1, false);
		T_IS(received(&w->b) - before, LONGEST + SHORTEST);
		T_IS(stats_of(&w->b).streams, 1);
		world_close(w);
	}
}

/* A message that starts in datagrams continues through the stream. */
static void a_message_changes_to_a_new_stream(void **state)
{
	struct world *w = streams_world(NULL, false);

	message(w, &w->a, &w->b, 64 << 20, false);
	T_TRUE(received(&w->b) > 0);
	T_TRUE(received(&w->b) < 64 << 20);
	world_close(w);
}

static void typed_pack(void *arg, size_t pos, void *to, size_t bytes)
{
	memcpy(to, (char *)arg + pos, bytes);
}

static void typed_unpack(void *arg, size_t pos, const void *from, size_t bytes)
{
	memcpy((char *)arg + pos, from, bytes);
}

static void typed_set(struct weft_nic_op *op, struct weft_nic_typed *t)
{
	op->flags = WEFT_OP_TAGGED;
	if (!t)
		return;
	op->iov[0].iov_base = t;
	op->iov_count = WEFT_IOV_TYPED;
}

/*
 * Sends a message whose sender or receiver has typed data: all bytes are sent
 * in packets.
 */
static void typed_message(struct world *w, bool sender)
{
	enum { LEN = 200000 };
	char *out = malloc(LEN), *in = calloc(1, LEN);
	struct weft_nic_typed t = { typed_pack, typed_unpack,
				    sender ? out : in };
	unsigned a = w->a.completions, b = w->b.completions;
	uint64_t before = received(&w->b);
	struct weft_nic_op *op = side_request(&w->b, WEFT_RECV, in, LEN);

	t_fill(out, LEN, 6);
	op->m.src = w->b.peer->index;
	op->m.tag = op->m.ignore = 0;
	op->peer = NULL;
	typed_set(op, sender ? NULL : &t);
	T_OK(weft_nic_recv(w->b.nic, op));
	op = side_request(&w->a, WEFT_SEND, out, LEN);
	op->tag = 0;
	typed_set(op, sender ? &t : NULL);
	T_OK(weft_nic_send(w->a.nic, op));
	poll_until(w, &w->a, a + 1);
	poll_until(w, &w->b, b + 1);
	T_IS(t_differs(in, LEN, 6), -1);
	T_IS(received(&w->b), before);
	free(out);
	free(in);
}

static void typed_messages_use_packets(void **state)
{
	struct world *w = streams_world(NULL, false);

	streams_open(w);
	typed_message(w, true);
	typed_message(w, false);
	world_close(w);
}

/* Sends many messages of random lengths in both directions at once. */
static void traffic(struct world *w, int n, uint64_t seed)
{
	char *out = malloc((size_t)n * LONGEST);
	char *in = calloc((size_t)n, LONGEST);
	size_t *len = calloc((size_t)n, sizeof(*len));
	unsigned a = w->a.completions, b = w->b.completions;
	struct weft_rng rng;

	weft_rng_init(&rng, seed, 0);
	for (int i = 0; i < n; i++) {
		struct side *from = i % 2 ? &w->a : &w->b;
		struct side *to = i % 2 ? &w->b : &w->a;
		char *at = in + (size_t)i * LONGEST;

		len[i] = 1 + weft_rng_below(&rng, i % 4 ? LONGEST : 70000);
		t_fill(out + (size_t)i * LONGEST, len[i], (uint64_t)i + 1);
		if (i % 3)
			post_recv(to, at, LONGEST, (uint64_t)i,
				  to->peer->index);
		post_send(w, from, out + (size_t)i * LONGEST, len[i],
			  (uint64_t)i, 0);
		if (!(i % 3))
			post_recv(to, at, LONGEST, (uint64_t)i,
				  to->peer->index);
	}
	poll_until(w, &w->a, a + (unsigned)n);
	poll_until(w, &w->b, b + (unsigned)n);
	for (int i = 0; i < n; i++)
		T_IS(t_differs(in + (size_t)i * LONGEST, len[i],
			       (uint64_t)i + 1),
		     -1);
	T_IS(w->a.completions, a + (unsigned)n);
	T_IS(w->b.completions, b + (unsigned)n);
	free(out);
	free(in);
	free(len);
}

static void broken_streams_lose_and_double_nothing(void **state)
{
	static const char *const plans[] = {
		"cut=1",
		"cut=30",
		"cut=65576",
		"cut=100000",
		"cut=700001",
		"cut=3000000",
		"seed=5; loss=0.02; reorder=0.05; duplicate=0.02; cut=200000",
	};

	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
		struct world *w = streams_world(plans[i], i % 2);

		struct t_limit limit;

		t_limit_set(&limit, 60);
		for (uint64_t k = 0; !stats_of(&w->a).streams_broken; k++) {
			traffic(w, 12, i * 10 + k);
			T_FALSE(t_limit_expired(&limit));
		}
		/* messages after the stream has broken */
		traffic(w, 12, i);
		world_close(w);
	}
}

/* Without streams at the peer, all bytes use datagrams. */
static void a_peer_without_streams_gets_datagrams(void **state)
{
	const struct grid with = { .machine = "native",
				   .carrier = &weft_carrier_sock,
				   .stream_min = SHORTEST };
	const struct grid without = { .machine = "native",
				      .carrier = &weft_carrier_sock };
	struct world *w = calloc(1, sizeof(*w));

	T_NOT_NULL(w);
	side_open(&w->a, &with);
	side_open(&w->b, &without);
	w->a.peer = peer_of(&w->a, &w->b);
	w->b.peer = peer_of(&w->b, &w->a);
	for (int i = 0; i < 5; i++) {
		message(w, &w->a, &w->b, 200000, false);
		message(w, &w->b, &w->a, 200000, false);
	}
	T_IS(received(&w->a), 0);
	T_IS(stats_of(&w->a).streams, 0);
	world_close(w);
}

/* ---- remote memory ------------------------------------------------------- */

/* Memory of both sides with key 5. */
static unsigned char region[2][LONGEST];
static struct world *region_world;

static int region_find(void *arg, const struct weft_mem_access *want,
		       void **at_p, void **region_p)
{
	if (want->key != 5 || want->addr > LONGEST ||
	    want->len > LONGEST - want->addr)
		return -EFAULT;
	*at_p = region[arg == &region_world->b] + want->addr;
	*region_p = arg;
	return 0;
}

static const struct weft_nic_up region_up = {
	.done = up_done,
	.region = region_find,
	.event = up_event,
};

static struct world *region_world_open(const char *faults, bool keyed)
{
	struct world *w = streams_world(faults, keyed);

	region_world = w;
	weft_nic_set_up(w->a.nic, &region_up);
	weft_nic_set_up(w->b.nic, &region_up);
	return w;
}

static void access_post(struct side *s, uint8_t kind, unsigned flags, void *buf,
			uint64_t addr, uint64_t len)
{
	struct weft_nic_op *op = side_request(s, kind, buf, len);

	op->flags = (uint16_t)flags;
	op->addr = addr;
	op->key = 5;
	T_OK(weft_nic_rma(s->nic, op));
}

/* Accesses b's memory and waits. Returns how many bytes used a stream. */
static uint64_t access_run(struct world *w, uint8_t kind, unsigned flags,
			   uint64_t addr, uint64_t len, uint64_t seed)
{
	unsigned char *buf = malloc(len);
	unsigned char *at = region[1] + addr;
	uint64_t before = received(&w->a) + received(&w->b);
	unsigned n = w->a.completions;

	t_fill(kind == WEFT_READ ? at : buf, len, seed);
	access_post(&w->a, kind, flags, buf, addr, len);
	poll_until(w, &w->a, n + 1);
	T_IS(w->a.completion[n % 4096].err, 0);
	T_IS(t_differs(kind == WEFT_READ ? buf : at, len, seed), -1);
	T_IS(w->a.completions, n + 1);
	free(buf);
	return received(&w->a) + received(&w->b) - before;
}

static void long_accesses_use_the_stream(void **state)
{
	struct world *w = region_world_open(NULL, true);
	const unsigned relaxed = WEFT_OP_RELAXED;

	streams_open(w);
	T_IS(access_run(w, WEFT_READ, 0, 7, 300000, 3), 300000);
	T_IS(access_run(w, WEFT_READ, 0, 0, SHORTEST - 1, 3), 0);
	T_IS(access_run(w, WEFT_WRITE, relaxed, 9, 300001, 4), 300001);
	T_IS(access_run(w, WEFT_WRITE, relaxed, 9, SHORTEST - 1, 4), 0);
	/*
	 * an ordered write (no WEFT_OP_RELAXED) is sent in packets, not through
	 * the stream
	 */
	T_IS(access_run(w, WEFT_WRITE, 0, 9, 300001, 5), 0);
	world_close(w);
}

/* Every access completes once: by a stream, by packets, or by both. */
static void accesses_survive_broken_streams(void **state)
{
	static const char *const plans[] = { "cut=1", "cut=70000", "cut=100000",
					     "cut=500000",
					     "seed=4; loss=0.02; cut=300000" };

	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
		struct world *w = region_world_open(plans[i], i % 2);
		struct t_limit limit;
		unsigned n = 0;

		t_limit_set(&limit, 60);
		while (!stats_of(&w->a).streams_broken ||
		       !stats_of(&w->b).streams_broken) {
			access_run(w, WEFT_READ, 0, 1, 200000, n + 1);
			access_run(w, WEFT_WRITE, WEFT_OP_RELAXED, 2, 200000,
				   n + 2);
			n += 2;
			T_FALSE(t_limit_expired(&limit));
		}
		access_run(w, WEFT_READ, 0, 1, LONGEST - 1, 8);
		T_IS(w->b.events, n + 1);
		world_close(w);
	}
}

/* A closed region is not written any more, and the write fails. */
static void a_closed_region_ends_its_transfers(void **state)
{
	struct world *w = region_world_open(NULL, false);
	unsigned char *buf = calloc(1, LONGEST);
	unsigned n;

	streams_open(w);
	n = w->a.completions;
	access_post(&w->a, WEFT_WRITE, WEFT_OP_RELAXED, buf, 0, LONGEST);
	while (weft_list_empty(&((struct nic_peer *)w->b.peer->up)->waiting)) {
		poll_both(w);
		T_IS(w->a.completions, n);
	}
	weft_nic_region_closed(w->b.nic, 5);
	memset(region[1], 1, LONGEST);
	poll_until(w, &w->a, n + 1);
	T_IS(w->a.completion[n % 4096].err, -EACCES);
	for (int i = 0; i < 1000; i++)
		poll_both(w);
	T_IS(region[1][0], 1);
	T_IS(region[1][LONGEST - 1], 1);
	free(buf);
	world_close(w);
}

/* ---- invalid grants ------------------------------------------------------ */

struct grant_row {
	const char *what;
	uint8_t flags;
	uint64_t start;
	uint64_t data;
	uint16_t len;
};

static const struct grant_row grants[] = {
	{ "a stream from a later byte", NIC_CTS_STREAM, 1, 100000, 16 },
	{ "a stream of no bytes", NIC_CTS_STREAM, 0, 0, 16 },
	{ "a stream beyond the end", NIC_CTS_STREAM, 0, 100001, 16 },
	{ "a short grant", NIC_CTS_STREAM, 0, 100000, 15 },
	{ "a restart without a stream", NIC_CTS_RESTART, 0, 100000, 16 },
	{ "a restart beyond the grant", NIC_CTS_RESTART, 9, 9, 16 },
};

/* Sends a CTS of B for A's waiting message, as a faulty peer would. */
static void grant_send(struct world *w, const struct grant_row *r, uint32_t id)
{
	const struct nic_grant g = { .start = r->start, .ticket = 1 };
	const struct weft_pkt pkt = { .type = NIC_CTS,
				      .flags = r->flags,
				      .len = r->len,
				      .aux = id,
				      .tag = 77,
				      .data = r->data };
	struct weft_carrier *c = weft_nic_carrier(w->b.nic);
	struct iovec iov = { (void *)(uintptr_t)&g, r->len };

	T_OK(c->ops->send(c, w->b.peer, &pkt, &iov, 1));
}

static void invalid_grants_are_dropped(void **state)
{
	struct world *w = streams_world(NULL, false);
	char *out = malloc(100000);
	char *in = malloc(100000);
	struct weft_nic_stats st;
	uint32_t id;

	streams_open(w);
	t_fill(out, 100000, 2);
	post_send(w, &w->a, out, 100000, 9, 0);
	for (int i = 0; i < 100; i++)
		poll_both(w);
	id = ((struct weft_nic_op *)weft_container_of(
		      ((struct nic_peer *)w->a.peer->up)->waiting.next,
		      struct weft_nic_op, link))
		     ->id;
	for (size_t i = 0; i < sizeof(grants) / sizeof(*grants); i++) {
		struct t_limit limit;

		grant_send(w, &grants[i], id);
		t_limit_set(&limit, 30);
		do {
			poll_both(w);
			weft_nic_stats(w->a.nic, &st);
			if (t_limit_expired(&limit))
				fail_msg("%s is accepted", grants[i].what);
		} while (st.garbage != i + 1);
	}
	/* the message itself is not affected */
	id = w->b.completions;
	post_recv(&w->b, in, 100000, 9, w->b.peer->index);
	poll_until(w, &w->b, id + 1);
	T_IS(t_differs(in, 100000, 2), -1);
	free(out);
	free(in);
	world_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(long_messages_use_the_stream),
		T_CASE(a_message_changes_to_a_new_stream),
		T_CASE(broken_streams_lose_and_double_nothing),
		T_CASE(a_peer_without_streams_gets_datagrams),
		T_CASE(typed_messages_use_packets),
		T_CASE(long_accesses_use_the_stream),
		T_CASE(accesses_survive_broken_streams),
		T_CASE(a_closed_region_ends_its_transfers),
		T_CASE(invalid_grants_are_dropped),
	};

	return T_RUN(tests);
}
