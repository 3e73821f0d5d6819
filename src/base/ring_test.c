/* SPDX-License-Identifier: BSD-3-Clause */
#include "test/t.h"
#include "src/base/ring.h"

#include <stdlib.h>

struct elem {
	uint64_t a, b, c;
};

static struct weft_ring *ring_new(uint32_t n)
{
	size_t bytes = weft_ring_bytes(n, sizeof(struct elem));
	struct weft_ring *r = aligned_alloc(64, (bytes + 63) / 64 * 64);

	weft_ring_init(r, n, sizeof(struct elem));
	return r;
}

static void full_and_empty_are_told_apart(void **state)
{
	struct weft_ring *r = ring_new(4);
	struct elem e = { 0 };

	(void)state;
	T_FALSE(weft_ring_pop(r, &e));
	for (uint64_t i = 0; i < 4; i++) {
		e.a = i;
		T_TRUE(weft_ring_push(r, &e));
	}
	T_FALSE(weft_ring_push(r, &e));
	T_TRUE(weft_ring_pop(r, &e));
	T_IS(e.a, 0);
	e.a = 4;
	T_TRUE(weft_ring_push(r, &e));
	for (uint64_t i = 1; i < 5; i++) {
		T_TRUE(weft_ring_pop(r, &e));
		T_IS(e.a, i);
	}
	T_FALSE(weft_ring_pop(r, &e));
	free(r);
}

static void indices_may_wrap(void **state)
{
	struct weft_ring *r = ring_new(4);
	struct elem e = { 0 };

	(void)state;
	weft_store64(&r->tail, UINT64_MAX - 1);
	weft_store64(&r->head, UINT64_MAX - 1);
	r->head_seen = UINT64_MAX - 1;
	for (uint64_t i = 0; i < 20; i++) {
		e.a = i;
		T_TRUE(weft_ring_push(r, &e));
		T_TRUE(weft_ring_pop(r, &e));
		T_IS(e.a, i);
	}
	free(r);
}

struct stress {
	struct weft_ring *r;
	uint64_t count;
	uint64_t wrong;
};

static void *produce(struct stress *s)
{
	for (uint64_t i = 0; i < s->count; i++) {
		struct elem e = { i, i * 3, ~i };

		while (!weft_ring_push(s->r, &e))
			weft_relax();
	}
	return NULL;
}

static void *consume(struct stress *s)
{
	struct elem e;

	for (uint64_t i = 0; i < s->count; i++) {
		while (!weft_ring_pop(s->r, &e))
			weft_relax();
		s->wrong += e.a != i || e.b != i * 3 || e.c != ~i;
	}
	return NULL;
}

struct role {
	struct stress *s;
	void *(*fn)(struct stress *);
};

static void *run_role(void *arg)
{
	struct role *r = arg;

	return r->fn(r->s);
}

static void one_producer_one_consumer_stress(void **state)
{
	struct stress s = { ring_new(64), (uint64_t)t_scale(1000000), 0 };
	struct role roles[2] = { { &s, produce }, { &s, consume } };

	(void)state;
	t_threads(2, run_role, roles, sizeof(roles[0]));
	T_IS(s.wrong, 0);
	free(s.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(full_and_empty_are_told_apart),
		T_CASE(indices_may_wrap),
		T_CASE(one_producer_one_consumer_stress),
	};

	return T_RUN(tests);
}
