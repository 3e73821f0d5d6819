/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A model of members that exchange messages and die. Every handler runs as a
 * whole, or its member dies after any number of the handler's messages. The
 * model is explored in two ways: all interleavings of arrivals, deaths and
 * their detections (3 and 4 members), and all pairs of deaths at all moments,
 * and random orders (3 to 6 members).
 */
#include "src/recover/recover_consensus.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 6, ROOM = 12, STATE = 128 };

/* A message; the value has one bit per member. */
struct packet {
	uint8_t kind;
	uint8_t stamp;
	uint8_t value;
};

struct world {
	_Alignas(8) unsigned char member[MAX][STATE];
	struct packet queue[MAX][MAX][ROOM]; /* [from][to] */
	uint8_t queued[MAX][MAX];
	uint8_t detected[MAX]; /* bit mask of the deaths known to a member */
	uint8_t started;       /* bit masks of members */
	uint8_t dead;
	uint8_t n;
	uint8_t deaths_left;
};

static struct world *now; /* the world in which handlers send */
static int sends_left;	  /* messages until the running member dies */

static struct weft_consensus *member(struct world *w, int i)
{
	return (struct weft_consensus *)w->member[i];
}

static void on_send(void *arg, int to, const struct weft_consensus_msg *msg)
{
	int from = (int)(intptr_t)arg;
	uint8_t *used = &now->queued[from][to];

	if (sends_left == 0)
		return;
	sends_left--;
	if (now->dead >> to & 1)
		return;
	T_TRUE(*used < ROOM);
	now->queue[from][to][(*used)++] =
		(struct packet){ (uint8_t)msg->kind, (uint8_t)msg->stamp,
				 msg->value ? (uint8_t)*msg->value : 0 };
}

/* Returns the contribution of a member: all bits but its own. */
static uint64_t contribution(int i)
{
	return 0xff ^ 1u << i;
}

static void world_init(struct world *w, int n, int deaths)
{
	memset(w, 0, sizeof(*w));
	w->n = (uint8_t)n;
	w->deaths_left = (uint8_t)deaths;
	T_TRUE(weft_consensus_bytes(n, 1) <= STATE);
	for (int i = 0; i < n; i++) {
		uint64_t value = contribution(i);

		weft_consensus_init(member(w, i), n, i, 1, &value);
		member(w, i)->send = on_send;
		member(w, i)->arg = (void *)(intptr_t)i;
	}
}

static void member_dies(struct world *w, int i)
{
	w->dead |= (uint8_t)(1 << i);
	w->deaths_left--;
	for (int j = 0; j < w->n; j++)
		w->queued[j][i] = 0;
}

/* ---- events -------------------------------------------------------------- */

enum { START, DETECT, DELIVER, DIE };

/* An event at a member; other: the dead member, or the sender. */
struct event {
	int kind, at, other;
};

static bool is_possible(const struct world *w, struct event e)
{
	bool alive = !(w->dead >> e.at & 1);
	bool started = w->started >> e.at & 1;

	switch (e.kind) {
	case START:
		return alive && !started;
	case DETECT:
		return alive && w->dead >> e.other & 1 &&
		       !(w->detected[e.at] >> e.other & 1);
	case DELIVER:
		return alive && started && w->queued[e.other][e.at];
	default:
		return alive && w->deaths_left;
	}
}

static void deliver(struct world *w, int from, int to)
{
	struct packet *q = w->queue[from][to];
	uint64_t value = q[0].value;
	const struct weft_consensus_msg msg = {
		q[0].kind, q[0].stamp,
		weft_consensus_has_value(q[0].kind) ? &value : NULL
	};

	w->queued[from][to]--;
	memmove(q, q + 1, w->queued[from][to] * sizeof(*q));
	memset(&q[w->queued[from][to]], 0, sizeof(*q));
	T_TRUE(weft_consensus_receive(member(w, to), from, &msg));
}

/*
 * Executes an event; the member dies after `sends` messages. Returns the number
 * of messages sent.
 */
static int event_run(struct world *w, struct event e, int sends)
{
	now = w;
	sends_left = sends;
	if (e.kind == START) {
		w->started |= (uint8_t)(1 << e.at);
		weft_consensus_start(member(w, e.at));
	} else if (e.kind == DETECT) {
		w->detected[e.at] |= (uint8_t)(1 << e.other);
		weft_consensus_dead(member(w, e.at), e.other);
	} else if (e.kind == DELIVER) {
		deliver(w, e.other, e.at);
	}
	return sends - sends_left;
}

/* ---- properties ---------------------------------------------------------- */

/*
 * Checks that all decisions are equal and contain the contributions of the
 * living members.
 */
static void check_decisions(struct world *w)
{
	int first = -1;

	for (int i = 0; i < w->n; i++) {
		const struct weft_consensus *c = member(w, i);
		uint64_t value = *weft_consensus_value(c);

		if (!c->decided)
			continue;
		if (first < 0)
			first = i;
		T_IS(value, *weft_consensus_value(member(w, first)));
		for (int j = 0; j < w->n; j++)
			T_TRUE(w->dead >> j & 1 || !(value >> j & 1));
		T_TRUE(value >> w->n == 0xffu >> w->n);
	}
}

/*
 * Checks that every living member has decided if no event other than a death is
 * possible.
 */
static void check_end(struct world *w)
{
	for (int i = 0; i < w->n; i++)
		T_TRUE(w->dead >> i & 1 || member(w, i)->decided);
}

/* ---- all interleavings --------------------------------------------------- */

enum { SET_BITS = 23 };
static uint64_t *seen;
static size_t seen_count;
static struct world *stack;
static size_t stack_len, stack_room;

/* Adds a world to the set; returns false if the set contained it. */
static bool seen_add(const struct world *w)
{
	const uint64_t *word = (const uint64_t *)(const void *)w;
	uint64_t h = 14695981039346656037u;
	size_t at;

	for (size_t i = 0; i < sizeof(*w) / sizeof(*word); i++)
		h = (h ^ word[i] ^ h >> 29) * 0x9fb21c651e98df25u;
	h |= 1;
	for (at = h >> (64 - SET_BITS); seen[at]; at++, at %= 1u << SET_BITS)
		if (seen[at] == h)
			return false;
	T_TRUE(++seen_count < 7u << (SET_BITS - 3));
	seen[at] = h;
	return true;
}

static void push(const struct world *w)
{
	if (!seen_add(w))
		return;
	if (stack_len == stack_room) {
		stack_room = stack_room ? 2 * stack_room : 1024;
		stack = realloc(stack, stack_room * sizeof(*stack));
		T_NOT_NULL(stack);
	}
	stack[stack_len++] = *w;
}

/* Pushes the worlds that an event can lead to, with any death during it. */
static void branch(const struct world *w, struct event e)
{
	struct world next = *w;
	int sends;

	if (e.kind == DIE) {
		member_dies(&next, e.at);
		push(&next);
		return;
	}
	sends = event_run(&next, e, ROOM * MAX);
	check_decisions(&next);
	push(&next);
	for (int k = 0; w->deaths_left && k < sends; k++) {
		next = *w;
		event_run(&next, e, k);
		member_dies(&next, e.at);
		check_decisions(&next);
		push(&next);
	}
}

static void expand(struct world *w)
{
	bool quiet = true;

	for (int kind = START; kind <= DIE; kind++)
		for (int i = 0; i < w->n; i++)
			for (int j = 0; j < w->n; j++) {
				struct event e = { kind, i, j };
				bool once = kind == START || kind == DIE;

				if ((once && j) || !is_possible(w, e))
					continue;
				quiet = quiet && kind == DIE;
				branch(w, e);
			}
	if (quiet)
		check_end(w);
}

static void explore(int n, int deaths)
{
	struct world w;

	seen = calloc(1u << SET_BITS, sizeof(*seen));
	T_NOT_NULL(seen);
	seen_count = 0;
	world_init(&w, n, deaths);
	push(&w);
	while (stack_len) {
		w = stack[--stack_len];
		expand(&w);
	}
	print_message("%d members, %d deaths: %zu states\n", n, deaths,
		      seen_count);
	free(seen);
	free(stack);
	stack = NULL;
	stack_room = 0;
}

static void all_interleavings_of_three(void **state)
{
	explore(3, 0);
	explore(3, 1);
	explore(3, 2);
}

static void all_interleavings_of_four(void **state)
{
	explore(4, 1);
	if (getenv("LONG"))
		explore(4, 2); /* 2.2 million states */
}

/* ---- deaths at all moments ----------------------------------------------- */

/*
 * Finds a possible event other than a death: a random one, or, if rng is NULL,
 * the first. Returns whether there is one.
 */
static bool event_next(struct world *w, struct weft_rng *rng, struct event *e_p)
{
	int found = 0;

	for (int kind = START; kind <= DELIVER; kind++)
		for (int i = 0; i < w->n; i++)
			for (int j = 0; j < w->n; j++) {
				struct event e = { kind, i, j };

				if ((kind == START && j) || !is_possible(w, e))
					continue;
				found++;
				if (rng ? weft_rng_below(rng,
							 (uint64_t)found) == 0
					: found == 1)
					*e_p = e;
			}
	return found;
}

/* Runs to the end; member which[i] dies after when[i] messages of its own. */
static void run_with_deaths(int n, int deaths, const int *which,
			    const int *when, struct weft_rng *rng)
{
	int left[MAX];
	struct world w;
	struct event e;

	world_init(&w, n, deaths);
	for (int i = 0; i < n; i++)
		left[i] = ROOM * MAX;
	for (int i = 0; i < deaths; i++)
		left[which[i]] = when[i];
	while (event_next(&w, rng, &e)) {
		left[e.at] -= event_run(&w, e, left[e.at]);
		if (!left[e.at])
			member_dies(&w, e.at);
		check_decisions(&w);
	}
	check_end(&w);
}

static void pairs_of_deaths_at_all_moments(void **state)
{
	int which[2], when[2];

	for (int n = 3; n <= MAX; n++)
		for (int k = 0; k < n * n; k++)
			for (int m = 0; m < 4 * n * 4 * n; m++) {
				which[0] = k / n;
				which[1] = k % n;
				when[0] = 1 + m / (4 * n);
				when[1] = 1 + m % (4 * n);
				if (which[0] != which[1])
					run_with_deaths(n, 2, which, when,
							NULL);
			}
}

static void random_orders_and_deaths(void **state)
{
	int runs = t_scale(40000);
	struct weft_rng rng;

	weft_rng_init(&rng, 41, 0);
	for (int r = 0; r < runs; r++) {
		int n = 3 + (int)weft_rng_below(&rng, 4);
		int deaths = (int)weft_rng_below(&rng, (uint64_t)n);
		int which[MAX], when[MAX];

		for (int i = 0; i < n; i++) {
			which[i] = i;
			when[i] = 1 +
				  (int)weft_rng_below(&rng, (uint64_t)(4 * n));
		}
		weft_rng_shuffle(&rng, which, n);
		run_with_deaths(n, deaths, which, when, &rng);
	}
}

/* ---- single cases -------------------------------------------------------- */

static void one_member_decides_at_once(void **state)
{
	struct world w;

	world_init(&w, 1, 0);
	event_run(&w, (struct event){ START, 0, 0 }, 1);
	T_TRUE(member(&w, 0)->decided);
	T_IS(*weft_consensus_value(member(&w, 0)), contribution(0));
}

static void invalid_messages_are_refused(void **state)
{
	uint64_t value = 1;
	struct world w;
	struct weft_consensus *c;
	const struct weft_consensus_msg bad[] = {
		{ WEFT_CONSENSUS_KINDS, 1, NULL },
		{ WEFT_CONSENSUS_VOTE, 0, NULL },
		{ WEFT_CONSENSUS_VOTE, 4, &value },
		{ WEFT_CONSENSUS_VOTE, 0, &value },
		{ WEFT_CONSENSUS_PROPOSE, 2, &value },
		{ WEFT_CONSENSUS_DECIDE, 0, &value },
		{ WEFT_CONSENSUS_ACK, 0, NULL },
		{ WEFT_CONSENSUS_QUERY, 0, &value },
	};
	const struct weft_consensus_msg good = { WEFT_CONSENSUS_PROPOSE, 1,
						 &value };

	world_init(&w, 3, 0);
	c = member(&w, 1);
	event_run(&w, (struct event){ START, 1, 0 }, ROOM);
	sends_left = ROOM;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		T_FALSE(weft_consensus_receive(c, 0, &bad[i]));
	T_FALSE(weft_consensus_receive(c, 1, &good));
	T_FALSE(weft_consensus_receive(c, 3, &good));
	T_FALSE(weft_consensus_receive(c, -1, &good));
	T_TRUE(weft_consensus_receive(c, 0, &good));
	T_IS(*weft_consensus_value(c), 1);
	T_FALSE(c->decided);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(one_member_decides_at_once),
		T_CASE(invalid_messages_are_refused),
		T_CASE(all_interleavings_of_three),
		T_CASE(all_interleavings_of_four),
		T_CASE(pairs_of_deaths_at_all_moments),
		T_CASE(random_orders_and_deaths),
	};

	return T_RUN(tests);
}
