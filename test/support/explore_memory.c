/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory model of the explorer (explore.h): values with views.
 *
 * A view has one stamp per object. Plain memory uses several objects: one whose
 * stamp counts writes, and one per thread whose stamp counts its reads; an
 * access is ordered after others if the thread's view contains their stamps.
 */
#include "test/support/explore_int.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 96, VALUES = 120, PRIVATE = 16 };

struct view {
	uint8_t stamp[OBJECTS];
};

struct value {
	uint64_t value;
	struct view view; /* joined by a thread that acquires the value */
};

struct object {
	const volatile char *at;
	size_t bytes;
	bool plain;
	int count;
	struct value v[VALUES];
};

/* Views of a thread: the values that it must see, and those that fences add. */
struct views {
	struct view now;
	struct view acquired; /* joined by the next acquire fence */
	struct view released; /* view at the last release fence */
};

static struct {
	enum explore_fault fault;
	int threads;
	struct views of[EXPLORE_THREADS];
	struct view sc_fence;  /* join of all sequentially consistent fences */
	struct view sc_stores; /* join of all sequentially consistent stores */
	int objects;
	struct object object[OBJECTS];
	struct {
		const volatile char *at;
		size_t bytes;
	} private[PRIVATE];
	int privates;
} m;

/* ---- views and orders ---------------------------------------------------- */

static void join(struct view *v, const struct view *more)
{
	for (int i = 0; i < m.objects; i++) {
		if (v->stamp[i] < more->stamp[i])
			v->stamp[i] = more->stamp[i];
	}
}

static bool acquires(int order)
{
	return (order == memory_order_acquire ||
		order == memory_order_acq_rel || order == EXPLORE_SEQ_CST) &&
	       m.fault != EXPLORE_NO_ACQUIRE;
}

static bool releases(int order)
{
	return (order == memory_order_release ||
		order == memory_order_acq_rel || order == EXPLORE_SEQ_CST) &&
	       m.fault != EXPLORE_NO_RELEASE;
}

/* ---- objects ------------------------------------------------------------- */

void explore_memory_reset(enum explore_fault fault, int threads)
{
	m.fault = fault;
	m.threads = threads;
	m.objects = m.privates = 0;
	memset(m.of, 0, sizeof(m.of));
	memset(&m.sc_fence, 0, sizeof(m.sc_fence));
	memset(&m.sc_stores, 0, sizeof(m.sc_stores));
}

static int new_object(const volatile void *at, size_t bytes, uint64_t value)
{
	struct object *o = &m.object[m.objects];

	if (m.objects == OBJECTS)
		abort();
	o->at = at;
	o->bytes = bytes;
	o->plain = false;
	o->count = 1;
	memset(&o->v[0], 0, sizeof(o->v[0]));
	o->v[0].value = value;
	return m.objects++;
}

static int object_at(const volatile void *at, size_t bytes)
{
	for (int i = 0; i < m.objects; i++) {
		if (m.object[i].at == at && !m.object[i].plain)
			return i;
	}
	return new_object(at, bytes, explore_memory_raw(at, bytes));
}

void explore_plain(void *at, size_t bytes)
{
	int first = new_object(at, bytes, 0);

	m.object[first].plain = true;
	for (int i = 0; i < m.threads; i++)
		m.object[new_object(at, 0, 0)].plain = true;
}

void explore_private(const volatile void *at, size_t bytes)
{
	if (m.privates == PRIVATE)
		abort();
	m.private[m.privates].at = at;
	m.private[m.privates++].bytes = bytes;
}

bool explore_memory_is_private(const volatile void *at)
{
	for (int i = 0; i < m.privates; i++) {
		size_t off = (uintptr_t)at - (uintptr_t)m.private[i].at;

		if (off < m.private[i].bytes)
			return true;
	}
	return false;
}

uint64_t explore_memory_raw(const volatile void *at, size_t bytes)
{
	uint64_t v = 0;

	/* little endian, as the processors of the tests */
	memcpy(&v, (const void *)at, bytes);
	return v;
}

void explore_memory_raw_set(volatile void *at, size_t bytes, uint64_t value)
{
	memcpy((void *)at, &value, bytes);
}

/* ---- loads --------------------------------------------------------------- */

/* Returns the oldest value that a load may return. */
static int oldest(int thread, int object, int order)
{
	int stamp = m.of[thread].now.stamp[object];

	if (order != EXPLORE_SEQ_CST)
		return stamp;
	if (stamp < m.sc_stores.stamp[object])
		stamp = m.sc_stores.stamp[object];
	if (stamp < m.sc_fence.stamp[object])
		stamp = m.sc_fence.stamp[object];
	return stamp;
}

int explore_memory_picks(int thread, const volatile void *at, size_t bytes,
			 int order)
{
	int i = object_at(at, bytes);

	return m.object[i].count - oldest(thread, i, order);
}

static struct explore_seen load(int thread, int object, int stamp, int order)
{
	struct object *o = &m.object[object];
	struct views *t = &m.of[thread];

	t->now.stamp[object] = (uint8_t)stamp;
	join(&t->acquired, &o->v[stamp].view);
	if (acquires(order))
		join(&t->now, &o->v[stamp].view);
	return (struct explore_seen){ o->at, object, stamp };
}

struct explore_seen explore_memory_pick(int thread, const volatile void *at,
					size_t bytes, int order, int pick)
{
	int i = object_at(at, bytes);

	return load(thread, i, m.object[i].count - 1 - pick, order);
}

int explore_memory_others(int thread, const volatile void *at, size_t bytes,
			  uint64_t not, int order)
{
	int i = object_at(at, bytes);
	int n = 0;

	for (int k = oldest(thread, i, order); k < m.object[i].count; k++)
		n += m.object[i].v[k].value != not ;
	return n;
}

struct explore_seen explore_memory_pick_other(int thread,
					      const volatile void *at,
					      size_t bytes, uint64_t not,
					      int order, int pick)
{
	int i = object_at(at, bytes);
	int k = m.object[i].count - 1;

	while (m.object[i].v[k].value == not || pick-- > 0)
		k--;
	return load(thread, i, k, order);
}

uint64_t explore_memory_value(const struct explore_seen *s)
{
	return m.object[s->object].v[s->stamp].value;
}

bool explore_memory_newer(const struct explore_seen *s)
{
	return m.object[s->object].count - 1 > s->stamp;
}

/* ---- stores and fences --------------------------------------------------- */

static struct value *append(int thread, int object, uint64_t value, int order)
{
	struct object *o = &m.object[object];
	struct views *t = &m.of[thread];
	struct value *v = &o->v[o->count];

	if (o->count == VALUES)
		abort();
	t->now.stamp[object] = (uint8_t)o->count++;
	v->value = o->bytes < 8 ? value & ((UINT64_C(1) << 8 * o->bytes) - 1)
				: value;
	v->view = releases(order) ? t->now : t->released;
	v->view.stamp[object] = t->now.stamp[object];
	if (order == EXPLORE_SEQ_CST)
		m.sc_stores.stamp[object] = t->now.stamp[object];
	return v;
}

void explore_memory_store(int thread, const volatile void *at, size_t bytes,
			  uint64_t value, int order)
{
	append(thread, object_at(at, bytes), value, order);
}

void explore_memory_modify(int thread, const volatile void *at, size_t bytes,
			   uint64_t value, int order)
{
	int i = object_at(at, bytes);
	int latest = m.object[i].count - 1;

	load(thread, i, latest, order);
	/* a modification continues the release sequence of the old value */
	join(&append(thread, i, value, order)->view,
	     &m.object[i].v[latest].view);
}

void explore_memory_fence(int thread, int order)
{
	struct views *t = &m.of[thread];

	if (acquires(order))
		join(&t->now, &t->acquired);
	if (order == EXPLORE_SEQ_CST) {
		join(&t->now, &m.sc_fence);
		join(&t->now, &m.sc_stores);
		join(&m.sc_fence, &t->now);
	}
	if (releases(order))
		t->released = t->now;
}

void explore_memory_membarrier(void)
{
	/* twice, so that every thread sees the stores of all other threads */
	for (int i = 0; i < 2 * m.threads; i++)
		explore_memory_fence(i % m.threads, EXPLORE_SEQ_CST);
}

/* ---- plain memory -------------------------------------------------------- */

static int latest(int object)
{
	return m.object[object].count - 1;
}

/* Counts an access in an object of plain memory. */
static void count(int thread, int object)
{
	if (m.object[object].count == UINT8_MAX)
		abort();
	m.of[thread].now.stamp[object] = (uint8_t)m.object[object].count++;
}

static bool plain_access(int thread, int first, bool write)
{
	const struct view *now = &m.of[thread].now;
	bool race = now->stamp[first] != latest(first);

	for (int i = 0; write && i < m.threads; i++)
		race |= now->stamp[first + 1 + i] != latest(first + 1 + i);
	count(thread, write ? first : first + 1 + thread);
	return race;
}

bool explore_memory_plain(int thread, const void *at, size_t bytes, bool write)
{
	const volatile char *from = at;
	bool race = false;

	for (int i = 0; i < m.objects; i++) {
		const struct object *o = &m.object[i];

		if (o->plain && o->bytes && from < o->at + o->bytes &&
		    o->at < from + bytes)
			race |= plain_access(thread, i, write);
	}
	return race;
}

/* ---- states -------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = ((h + 0x94d049bb133111ebu) ^ v) * 0xbf58476d1ce4e5b9u;
	return h ^ h >> 31;
}

/* Hashes a view without the differences that no living thread can observe. */
static uint64_t hash_view(const struct view *v, const struct view *least)
{
	uint64_t h = 0;

	for (int i = 0; i < m.objects; i++) {
		if (v->stamp[i] > least->stamp[i])
			h += mix((uintptr_t)m.object[i].at +
					 (unsigned)i * m.object[i].plain,
				 (uint64_t)v->stamp[i] - least->stamp[i]);
	}
	return h;
}

static uint64_t hash_object(int object, const struct view *least)
{
	const struct object *o = &m.object[object];
	uint64_t h = (uintptr_t)o->at + (unsigned)object * o->plain;

	if (o->plain)
		return mix(h, (uint64_t)o->count - least->stamp[object]);
	for (int k = least->stamp[object]; k < o->count; k++) {
		h = mix(h, o->v[k].value);
		h = mix(h, hash_view(&o->v[k].view, least));
	}
	return h;
}

static struct view least_view(const bool *live, int threads)
{
	struct view least;

	memset(&least, 0xff, sizeof(least));
	for (int t = 0; t < threads; t++) {
		for (int i = 0; live[t] && i < m.objects; i++) {
			if (least.stamp[i] > m.of[t].now.stamp[i])
				least.stamp[i] = m.of[t].now.stamp[i];
		}
	}
	return least;
}

uint64_t explore_memory_hash(uint64_t h, const bool *live, int threads)
{
	struct view least = least_view(live, threads);
	uint64_t objects = 0;

	for (int t = 0; t < threads; t++) {
		h = mix(h, hash_view(&m.of[t].now, &least));
		h = mix(h, hash_view(&m.of[t].acquired, &least));
		h = mix(h, hash_view(&m.of[t].released, &least));
	}
	h = mix(h, hash_view(&m.sc_fence, &least));
	h = mix(h, hash_view(&m.sc_stores, &least));
	for (int i = 0; i < m.objects; i++)
		objects += hash_object(i, &least);
	return mix(h, objects);
}
