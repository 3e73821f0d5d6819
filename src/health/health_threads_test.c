/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the region with several threads of one process: ranks that execute
 * rounds, sensors that any of them may read, and readers. Run under
 * ThreadSanitizer; a reader must see no rank as broken, and no detection that
 * is older than the test.
 */
#include "src/base/clock.h"
#include "src/health/health_sense.h"
#include "test/t.h"

#include <string.h>

enum { RANKS = 6, READERS = 2, ROUNDS = 3000 };

struct actor {
	struct weft_health h;
	bool reads;
	/* number of ranks that have not finished their rounds */
	weft_au32 *left;
	uint64_t began_ns;
};

static void run_rounds(struct actor *a)
{
	const struct weft_health_bounds b = { INT32_MAX, INT32_MAX };

	for (int i = 0; i < t_scale(ROUNDS); i++) {
		uint64_t now = weft_now_ns();

		weft_health_sense(&a->h, now, &b, "/nowhere");
		weft_health_round(&a->h, now);
		weft_health_nic(&a->h, now, 0);
	}
	weft_health_leave(&a->h);
	weft_add32(a->left, UINT32_MAX);
}

/*
 * Returns the number of invalid results; they are counted because cmocka's
 * assertions are not thread-safe.
 */
static uint32_t read_once(const struct actor *a)
{
	struct weft_health_view v;
	uint32_t bad = 0;

	for (uint32_t i = 0; i < RANKS; i++) {
		uint64_t now = weft_now_ns();

		weft_health_view_get(&a->h, i, now, &v);
		bad += v.host == WEFT_WATCH_BROKEN;
		bad += v.state == HEALTH_JOINED && v.rank != i;
		bad += v.by != HEALTH_NO_SLOT &&
		       (v.by >= RANKS || v.known_ns > now - a->began_ns);
	}
	return bad;
}

static weft_au32 bad_reads;

static void *run_actor(void *arg)
{
	struct actor *a = arg;

	if (!a->reads)
		run_rounds(a);
	while (a->reads && weft_load32(a->left))
		weft_add32(&bad_reads, read_once(a));
	return NULL;
}

static void concurrent_readers_see_valid_states(void **state)
{
	const struct weft_health_job job = { .name = "job",
					     .host = "here",
					     .ranks = RANKS,
					     .here = RANKS,
					     .period_ns = 1000000000 };
	static struct actor actor[RANKS + READERS];
	struct weft_health first;
	weft_au32 left = RANKS;

	T_OK(weft_health_open(&first, &job));
	for (uint32_t i = 0; i < RANKS + READERS; i++) {
		struct actor *a = &actor[i];

		a->reads = i >= RANKS;
		a->left = &left;
		a->began_ns = weft_now_ns();
		T_OK(a->reads ? weft_health_attach_readonly(&a->h,
							    first.region.fd)
			      : weft_health_attach(&a->h, first.region.fd,
						   "job"));
		if (!a->reads)
			T_OK(weft_health_join(&a->h, i, i));
	}
	t_threads(RANKS + READERS, run_actor, actor, sizeof(*actor));
	T_IS(weft_load32(&bad_reads), 0);
	for (uint32_t i = 0; i < RANKS + READERS; i++)
		weft_health_close(&actor[i].h);
	weft_health_close(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(concurrent_readers_see_valid_states),
	};

	return T_RUN(tests);
}
