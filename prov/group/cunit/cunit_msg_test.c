/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups without shared memory: members send messages, which arrive in order
 * per pair only. All members execute the program of cunit_fixture.h.
 */
#include "test/support/cunit_fixture.h"
#include "src/base/attr.h"
#include "src/base/list.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

struct message {
	struct weft_cunit_msg m;
	uint8_t payload[512];
	struct weft_list link;
};

struct post {
	/* messages in flight, by sender and receiver */
	struct weft_list box[MAX_MEMBERS][MAX_MEMBERS];
	struct weft_cunit_group *g[MAX_MEMBERS];
	struct weft_rng rng;
	int n;
	int messages;
};

struct sender {
	struct post *post;
	int me;
};

static void message_send(void *arg, int member, const struct weft_cunit_msg *m,
			 const void *payload)
{
	struct sender *s = arg;
	struct message *l = calloc(1, sizeof(*l));

	T_TRUE(m->bytes <= sizeof(l->payload));
	l->m = *m;
	if (m->bytes)
		memcpy(l->payload, payload, m->bytes);
	weft_list_push_back(&s->post->box[s->me][member], &l->link);
	s->post->messages++;
}

/* Delivers one message of a random pair. */
static void message_deliver(struct post *p)
{
	int start = (int)weft_rng_below(&p->rng, (uint64_t)(p->n * p->n));

	for (int i = 0; i < p->n * p->n; i++) {
		int at = (start + i) % (p->n * p->n);
		struct weft_list *l =
			weft_list_pop_front(&p->box[at / p->n][at % p->n]);
		struct message *le;

		if (!l)
			continue;
		le = weft_container_of(l, struct message, link);
		T_TRUE(weft_cunit_receive(p->g[at % p->n], &le->m,
					  le->payload));
		free(le);
		p->messages--;
		return;
	}
}

static void msg_open(struct post *p, struct sender *s, int n)
{
	struct weft_cunit_group_attr a = {
		.geo = &geo, .n = n, .generation = 1, .send = message_send
	};
	struct weft_tree t;

	memset(p, 0, sizeof(*p));
	p->n = n;
	weft_rng_init(&p->rng, (uint64_t)n, 9);
	weft_tree_pairs(&t, n);
	for (int i = 0; i < n; i++) {
		s[i] = (struct sender){ p, i };
		for (int k = 0; k < n; k++)
			weft_list_init(&p->box[i][k]);
		a.me = i;
		a.arg = &s[i];
		a.tree = &t;
		a.flat = n <= WEFT_CUNIT_FLAT;
		T_OK(weft_cunit_group_open(&a, &p->g[i]));
	}
	weft_tree_fini(&t);
}

/*
 * All members post in random order, while messages are delivered; waits until
 * all operations are complete.
 */
static void message_round(struct post *p, struct job *j, struct flight *f,
			  int r)
{
	int order[MAX_MEMBERS];
	bool done;

	weft_rng_shuffle(&p->rng, order, p->n);
	for (int i = 0; i < p->n; i++) {
		struct flight *mine = &f[order[i]];

		flight_set(j, mine, order[i], r);
		weft_cunit_post(p->g[order[i]], &mine->call);
		if (p->messages && weft_rng_below(&p->rng, 2))
			message_deliver(p);
	}
	do {
		done = true;
		if (p->messages)
			message_deliver(p);
		for (int i = 0; i < p->n; i++) {
			weft_cunit_poll(p->g[i]);
			done &= f[i].done;
		}
	} while (!done);
	for (int i = 0; i < p->n; i++)
		T_IS(flight_check(j, &f[i], i, r), 0);
}

static void the_tree_runs_by_messages(void **state)
{
	static const int sizes[] = { 1, 2, 5, 9, 20 };
	struct post *p = malloc(sizeof(*p));
	struct sender s[MAX_MEMBERS];
	struct flight *f = calloc(MAX_MEMBERS, sizeof(*f));

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct job j = { .n = sizes[k], .seed = 99 };

		msg_open(p, s, sizes[k]);
		for (int r = 0; r < t_scale(400) + 40; r++)
			message_round(p, &j, f, r);
		while (p->messages)
			message_deliver(p);
		for (int i = 0; i < sizes[k]; i++)
			weft_cunit_group_close(p->g[i]);
	}
	free(f);
	free(p);
}

/* Returns whether one of nine members could have sent this message. */
static bool is_valid(const struct weft_cunit_msg *m, int inputs)
{
	size_t elem = weft_cunit_bytes(m->type);

	if (m->kind >= WEFT_COLL_GROUP_KINDS || m->origin >= 9 ||
	    m->root >= 9 || m->bytes > geo.packet_bytes)
		return false;
	if (m->what) /* a result; credits have no content */
		return m->what == 1 || !m->bytes;
	/* a contribution for one of the inputs other than the owner's */
	return m->input >= 1 && m->input <= inputs && elem &&
	       m->bytes % elem == 0 &&
	       (!m->bytes || weft_cunit_supports(m->op, m->type));
}

static void malformed_messages_are_ignored(void **state)
{
	struct post *p = malloc(sizeof(*p));
	struct sender s[MAX_MEMBERS];
	unsigned char junk[512];
	struct weft_tree t;
	struct weft_rng r;
	int taken = 0;
	bool sane;

	weft_rng_init(&r, 4, 4);
	msg_open(p, s, 9);
	weft_tree_pairs(&t, 9);
	for (int i = 0; i < 20000; i++) {
		struct weft_cunit_msg m;

		weft_rng_fill(&r, &m, sizeof(m));
		weft_rng_fill(&r, junk, sizeof(junk));
		m.what %= 4;
		m.type %= WEFT_CUNIT_TYPES + 1;
		m.kind %= WEFT_COLL_GROUP_KINDS + 1;
		m.op %= WEFT_NUM_KERNELS + 1;
		m.input %= 8;
		m.bytes = weft_rng_below(&r, 3) ? m.bytes % 512 : 0;
		m.origin %= 12;
		m.root %= 12;
		sane = is_valid(&m, weft_tree_inputs(&t, i % 9));
		T_IS(weft_cunit_receive(p->g[i % 9], &m, junk), sane);
		T_TRUE(sane || !p->messages);
		taken += sane;
		while (p->messages)
			message_deliver(p);
	}
	T_TRUE(taken > 1000 && taken < 19000);
	weft_tree_fini(&t);
	for (int i = 0; i < 9; i++)
		weft_cunit_group_close(p->g[i]);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_tree_runs_by_messages),
		T_CASE(malformed_messages_are_ignored),
	};

	return T_RUN(tests);
}
