/* SPDX-License-Identifier: BSD-3-Clause */
/* Matching compared with a naive list model, on fixed and random sequences. */
#include "prov/match/match.h"

#include "src/base/rng.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MODEL_MAX 4096

/* The model: arrays in order of age, searched from the oldest entry. */
struct model {
	struct weft_match_recv *posted[MODEL_MAX];
	struct weft_match_msg *msgs[MODEL_MAX];
	int posted_count;
	int msgs_count;
};

static void *drop(void **array, int *count, int i)
{
	void *p = array[i];

	memmove(array + i, array + i + 1,
		(size_t)(*count - i - 1) * sizeof(*array));
	--*count;
	return p;
}

static int model_recv(struct model *d, const struct weft_match_recv *r)
{
	int i;

	for (i = 0; i < d->msgs_count; i++) {
		if (weft_match_fits(r, d->msgs[i]->src, d->msgs[i]->tag))
			return i;
	}
	return -1;
}

static int model_msg(struct model *d, uint32_t src, uint64_t tag)
{
	int i;

	for (i = 0; i < d->posted_count; i++) {
		if (weft_match_fits(d->posted[i], src, tag))
			return i;
	}
	return -1;
}

static struct weft_match_recv *recv_new(uint32_t src, uint64_t tag,
					uint64_t ignore)
{
	struct weft_match_recv *r = calloc(1, sizeof(*r));

	T_NOT_NULL(r);
	r->src = src;
	r->tag = tag;
	r->ignore = ignore;
	return r;
}

static struct weft_match_msg *msg_new(uint32_t src, uint64_t tag)
{
	struct weft_match_msg *u = calloc(1, sizeof(*u));

	T_NOT_NULL(u);
	u->src = src;
	u->tag = tag;
	return u;
}

/*
 * Posts a receive in the tested code and in the model: either both find the
 * same message, or both queue the receive.
 */
static void step_recv(struct weft_match *m, struct model *d,
		      struct weft_match_recv *r)
{
	struct weft_match_msg *u = weft_match_search(m, r);
	int i = model_recv(d, r);

	if (i < 0) {
		T_NULL(u);
		weft_match_post(m, r);
		d->posted[d->posted_count++] = r;
		return;
	}
	T_PTR(u, d->msgs[i]);
	weft_match_remove(m, u);
	free(drop((void **)d->msgs, &d->msgs_count, i));
	free(r);
}

static void step_msg(struct weft_match *m, struct model *d,
		     struct weft_match_msg *u)
{
	struct weft_match_recv *r = weft_match_arrive(m, u->src, u->tag);
	int i = model_msg(d, u->src, u->tag);

	if (i < 0) {
		T_NULL(r);
		weft_match_add(m, u);
		d->msgs[d->msgs_count++] = u;
		return;
	}
	T_PTR(r, d->posted[i]);
	weft_match_unpost(m, r);
	free(drop((void **)d->posted, &d->posted_count, i));
	free(u);
}

static void step_cancel(struct weft_match *m, struct model *d, uint64_t pick)
{
	struct weft_match_recv *r;

	if (!d->posted_count)
		return;
	r = drop((void **)d->posted, &d->posted_count,
		 (int)(pick % (uint64_t)d->posted_count));
	weft_match_unpost(m, r);
	weft_match_unpost(m, r);
	free(r);
}

static void drain(struct weft_match *m, struct model *d)
{
	while (d->posted_count)
		step_cancel(m, d, 0);
	while (d->msgs_count) {
		weft_match_remove(m, d->msgs[0]);
		free(drop((void **)d->msgs, &d->msgs_count, 0));
	}
	T_IS(m->posted_used, 0);
	T_IS(m->msgs_used, 0);
	weft_match_fini(m);
}

static const uint64_t masks[] = { 0,	0,    0,  3,  0xff, UINT64_MAX,
				  0xf0, 0x80, 12, 16, 0x70 };

/* lean: probability of a receive, in sixteenths. */
static void random_run(uint64_t seed, int steps, unsigned lean, uint64_t tags)
{
	struct weft_match m;
	struct model *d = calloc(1, sizeof(*d));
	struct weft_rng rng;
	uint64_t x;
	uint32_t src;

	weft_rng_init(&rng, seed, 0);
	weft_match_init(&m);
	while (steps--) {
		x = weft_rng_u64(&rng);
		src = (uint32_t)(x >> 8) % 5;
		if (x % 64 == 0)
			step_cancel(&m, d, x >> 20);
		else if (x % 16 < lean && d->posted_count < MODEL_MAX)
			step_recv(&m, d,
				  recv_new(src == 4 ? WEFT_MATCH_ANY : src,
					   (x >> 20) % tags,
					   masks[(x >> 40) %
						 WEFT_COUNT_OF(masks)]));
		else if (d->msgs_count < MODEL_MAX)
			step_msg(&m, d, msg_new(src % 4, (x >> 20) % tags));
	}
	drain(&m, d);
	free(d);
}

static void random_sequences_agree_with_the_model(void **state)
{
	uint64_t seed;

	for (seed = 1; seed <= 30; seed++) {
		random_run(seed, t_scale(4000), 8, 200);
		random_run(seed, t_scale(4000), 11, 1000);
		random_run(seed, t_scale(4000), 5, 1000);
	}
}

static void the_oldest_receive_of_all_classes_matches(void **state)
{
	struct weft_match m;
	struct weft_match_recv r[20];
	int i;

	weft_match_init(&m);
	for (i = 0; i < 20; i++) {
		r[i] = (struct weft_match_recv){
			.src = i % 2 ? WEFT_MATCH_ANY : 1,
			.tag = 7,
			.ignore = i % 3 ? 0 : 0xff,
		};
		weft_match_post(&m, &r[i]);
	}
	for (i = 0; i < 20; i++) {
		T_PTR(weft_match_arrive(&m, 1, 7), &r[i]);
		weft_match_unpost(&m, &r[i]);
	}
	T_NULL(weft_match_arrive(&m, 1, 7));
	weft_match_fini(&m);
}

static void a_receive_that_stays_posted_matches_again(void **state)
{
	struct weft_match m;
	struct weft_match_recv r = { .src = WEFT_MATCH_ANY };

	weft_match_init(&m);
	weft_match_post(&m, &r);
	T_PTR(weft_match_arrive(&m, 1, 0), &r);
	T_PTR(weft_match_arrive(&m, 2, 0), &r);
	weft_match_unpost(&m, &r);
	weft_match_fini(&m);
}

#define MANY (WEFT_MATCH_FRONT + 4)

/*
 * More kinds of receives than classes, one after another: a new kind reuses an
 * empty class and is hashed.
 */
static void an_empty_class_is_reused(void **state)
{
	struct weft_match_recv r[MANY];
	struct weft_match_msg u[MANY];
	struct weft_match m;

	weft_match_init(&m);
	for (uint64_t kind = 0; kind < 3 * WEFT_MATCH_CLASSES; kind++) {
		for (uint64_t i = 0; i < MANY; i++) {
			r[i] = (struct weft_match_recv){ .tag = i << 32,
							 .ignore = kind };
			weft_match_post(&m, &r[i]);
		}
		T_PTR(weft_match_arrive(&m, 0, (MANY - 1ull) << 32),
		      &r[MANY - 1]);
		T_TRUE(r[MANY - 1].cls < WEFT_MATCH_CLASSES);
		for (int i = 0; i < MANY; i++)
			weft_match_unpost(&m, &r[i]);
	}
	for (uint64_t kind = 0; kind < 3 * WEFT_MATCH_CLASSES; kind++) {
		for (uint64_t i = 0; i < MANY; i++) {
			u[i] = (struct weft_match_msg){ .tag = i << 32 };
			weft_match_add(&m, &u[i]);
		}
		r[0] = (struct weft_match_recv){ .tag = (MANY - 1ull) << 32,
						 .ignore = kind + 100 };
		T_PTR(weft_match_search(&m, &r[0]), &u[MANY - 1]);
		T_NOT_NULL(m.last);
		T_IS(m.last->ignore, kind + 100);
		T_TRUE(m.last->indexed);
		for (int i = 0; i < MANY; i++)
			weft_match_remove(&m, &u[i]);
	}
	weft_match_fini(&m);
}

/* Messages that arrive after the first search are hashed; the table grows. */
static void the_hash_table_of_messages_grows(void **state)
{
	enum { N = 4096 };
	struct weft_match_msg *u = calloc(N, sizeof(*u));
	struct weft_match_recv want = { .tag = 5 };
	struct weft_match m;

	weft_match_init(&m);
	for (uint64_t i = 0; i < N; i++) {
		u[i].tag = i;
		weft_match_add(&m, &u[i]);
		if (i == MANY)
			weft_match_search(&m, &want);
		want.tag = i - 1;
	}
	want.tag = N - 1;
	T_PTR(weft_match_search(&m, &want), &u[N - 1]);
	T_TRUE(8 * m.last->msgs_mask >= N);
	weft_match_fini(&m);
	free(u);
}

/*
 * A search that ends within the front makes no hash table, however many
 * receives were posted before; one that goes beyond the front does.
 */
static void a_search_within_the_front_hashes_nothing(void **state)
{
	struct weft_match_recv r[MANY], want = { .tag = MANY };
	struct weft_match_msg u[MANY];
	struct weft_match m;

	weft_match_init(&m);
	for (uint64_t i = 0; i < MANY; i++) {
		r[i] = (struct weft_match_recv){ .tag = i };
		weft_match_post(&m, &r[i]);
	}
	for (int i = 0; i < MANY - WEFT_MATCH_FRONT; i++)
		weft_match_unpost(&m, &r[i]);
	T_NULL(weft_match_arrive(&m, 0, MANY));
	T_IS(m.classes, 0);
	weft_match_post(&m, &r[0]);
	T_NULL(weft_match_arrive(&m, 0, MANY));
	T_IS(m.classes, 1);
	weft_match_unpost(&m, &r[0]);
	for (int i = MANY - WEFT_MATCH_FRONT; i < MANY; i++)
		weft_match_unpost(&m, &r[i]);
	for (uint64_t i = 0; i < MANY; i++) {
		u[i] = (struct weft_match_msg){ .tag = i };
		weft_match_add(&m, &u[i]);
		T_NULL(weft_match_search(&m, &want));
		T_IS(m.cls[0].indexed, i >= WEFT_MATCH_FRONT);
	}
	for (int i = 0; i < MANY; i++)
		weft_match_remove(&m, &u[i]);
	weft_match_fini(&m);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Fills and drains deep queues on both sides, in reverse order; the time per
 * element is bounded.
 */
static void deep_queues_take_constant_time(void **state)
{
	int n = t_scale(100000), i;
	struct weft_match_recv *r = calloc((size_t)n, sizeof(*r));
	struct weft_match_msg *u = calloc((size_t)n, sizeof(*u));
	struct weft_match_recv want = { .ignore = 3 };
	struct weft_match m;
	uint64_t t0 = cpu_ns();

	weft_match_init(&m);
	for (i = 0; i < n; i++) {
		r[i].tag = (uint64_t)i;
		weft_match_post(&m, &r[i]);
	}
	for (i = n - 1; i >= 0; i--) {
		T_PTR(weft_match_arrive(&m, 0, (uint64_t)i), &r[i]);
		weft_match_unpost(&m, &r[i]);
	}
	for (i = 0; i < n; i++) {
		u[i].tag = (uint64_t)i * 4;
		weft_match_add(&m, &u[i]);
	}
	for (i = n - 1; i >= 0; i--) {
		want.tag = (uint64_t)i * 4 + 1;
		T_PTR(weft_match_search(&m, &want), &u[i]);
		weft_match_remove(&m, &u[i]);
	}
	T_TRUE((cpu_ns() - t0) / (uint64_t)n < 20000);
	weft_match_fini(&m);
	free(r);
	free(u);
}

/* A linear search compares all entries up to the match, or all of them. */
static void searched_entries_are_counted(void **state)
{
	struct weft_match_recv r[3] = { { .tag = 1 },
					{ .tag = 2 },
					{ .tag = 3 } };
	struct weft_match_msg u[2] = { { .tag = 8 }, { .tag = 9 } };
	struct weft_match m;

	weft_match_init(&m);
	T_IS(weft_match_posted_searched(&m, NULL), 0);
	for (unsigned i = 0; i < 3; i++)
		weft_match_post(&m, &r[i]);
	T_IS(weft_match_posted_searched(&m, &r[0]), 1);
	T_IS(weft_match_posted_searched(&m, &r[2]), 3);
	T_IS(weft_match_posted_searched(&m, NULL), 3);
	for (unsigned i = 0; i < 2; i++)
		weft_match_add(&m, &u[i]);
	T_IS(weft_match_msgs_searched(&m, &u[0]), 1);
	T_IS(weft_match_msgs_searched(&m, NULL), 2);
	for (unsigned i = 0; i < 3; i++)
		weft_match_unpost(&m, &r[i]);
	for (unsigned i = 0; i < 2; i++)
		weft_match_remove(&m, &u[i]);
	weft_match_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(searched_entries_are_counted),
		T_CASE(the_oldest_receive_of_all_classes_matches),
		T_CASE(a_receive_that_stays_posted_matches_again),
		T_CASE(random_sequences_agree_with_the_model),
		T_CASE(an_empty_class_is_reused),
		T_CASE(a_search_within_the_front_hashes_nothing),
		T_CASE(the_hash_table_of_messages_grows),
		T_CASE(deep_queues_take_constant_time),
	};

	return T_RUN(tests);
}
