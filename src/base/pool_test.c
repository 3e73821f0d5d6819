/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of pools of objects of one size. */
#include "test/t.h"
#include "src/base/pool.h"

#include <string.h>

#define MANY 5000

static void objects_do_not_overlap(void **state)
{
	static unsigned char *o[MANY];
	struct weft_pool p;

	weft_pool_init(&p, 72);
	for (int i = 0; i < MANY; i++) {
		o[i] = weft_pool_get(&p);
		T_NOT_NULL(o[i]);
		T_IS((uintptr_t)o[i] % 64, 0);
		memset(o[i], i & 255, 72);
	}
	T_IS(p.used, MANY);
	for (int i = 0; i < MANY; i++) {
		for (int k = 0; k < 72; k++)
			T_IS(o[i][k], i & 255);
		weft_pool_put(&p, o[i]);
	}
	T_IS(p.used, 0);
	weft_pool_fini(&p);
}

static void last_freed_object_is_reused_first(void **state)
{
	struct weft_pool p;
	void *a, *b;

	weft_pool_init(&p, 8);
	a = weft_pool_get(&p);
	b = weft_pool_get(&p);
	weft_pool_put(&p, a);
	weft_pool_put(&p, b);
	T_PTR(weft_pool_get(&p), b);
	T_PTR(weft_pool_get(&p), a);
	weft_pool_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(objects_do_not_overlap),
		T_CASE(last_freed_object_is_reused_first),
	};

	return T_RUN(tests);
}
