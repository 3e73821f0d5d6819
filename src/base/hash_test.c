/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the hash table, compared with an array. */
#include "test/t.h"
#include "src/base/hash.h"
#include "src/base/rng.h"

#include <stdlib.h>

#define KEYS 512

static void lookup_in_an_empty_hash_returns_null(void **state)
{
	struct weft_hash h;

	weft_hash_init(&h);
	T_NULL(weft_hash_get(&h, 1));
	T_NULL(weft_hash_del(&h, 1));
	weft_hash_fini(&h);
}

static void random_changes_agree_with_an_array(void **state)
{
	void *model[KEYS] = { 0 };
	struct weft_hash h;
	struct weft_rng r;
	size_t used = 0;

	weft_hash_init(&h);
	weft_rng_init(&r, 1, 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t k = weft_rng_below(&r, KEYS);
		/* colliding keys: multiples of a large power of two */
		uint64_t key = k << 40;
		void *val = &model[weft_rng_below(&r, KEYS)];

		if (weft_rng_below(&r, 2)) {
			T_OK(weft_hash_set(&h, key, val));
			model[k] = val;
		} else {
			T_PTR(weft_hash_del(&h, key), model[k]);
			model[k] = NULL;
		}
		T_PTR(weft_hash_get(&h, key), model[k]);
	}
	for (uint64_t k = 0; k < KEYS; k++) {
		T_PTR(weft_hash_get(&h, k << 40), model[k]);
		used += model[k] != NULL;
	}
	T_IS(h.used, used);
	weft_hash_fini(&h);
}

static void sum_keys(void *arg, uint64_t key, void *val)
{
	*(uint64_t *)arg += key;
}

static void each_visits_every_entry_once(void **state)
{
	struct weft_hash h;
	uint64_t sum = 0;

	weft_hash_init(&h);
	for (uint64_t k = 1; k <= 100; k++)
		T_OK(weft_hash_set(&h, k, &h));
	weft_hash_each(&h, sum_keys, &sum);
	T_IS(sum, 5050);
	weft_hash_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(lookup_in_an_empty_hash_returns_null),
		T_CASE(random_changes_agree_with_an_array),
		T_CASE(each_visits_every_entry_once),
	};

	return T_RUN(tests);
}
