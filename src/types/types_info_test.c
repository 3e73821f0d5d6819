/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of info objects: keys, order, limits. */
#include "test/t.h"

#include "src/types/types_info.h"

#include <stdio.h>
#include <string.h>

static void keys_keep_their_order_and_last_value(void **state)
{
	struct weft_info *info = weft_info_open();
	char key[MPI_MAX_INFO_KEY], val[8];

	T_OK(weft_info_set(info, "b", "1"));
	T_OK(weft_info_set(info, "a", "2"));
	T_OK(weft_info_set(info, "b", "three"));
	T_IS(weft_info_count(info), 2);
	T_OK(weft_info_key(info, 0, key));
	T_STR(key, "b");
	T_IS(weft_info_get(info, "b", val, 4), 5);
	T_STR(val, "thr");
	T_IS(weft_info_get(info, "b", NULL, 0), 5);
	T_IS(weft_info_get(info, "c", val, 8), -ENOENT);
	T_OK(weft_info_delete(info, "b"));
	T_IS(weft_info_delete(info, "b"), -ENOENT);
	T_IS(weft_info_key(info, 1, key), -ENOENT);
	weft_info_close(info);
}

static void a_copy_is_independent(void **state)
{
	struct weft_info *a = weft_info_open(), *b;
	char val[8], key[16];

	for (int i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		T_OK(weft_info_set(a, key, "x"));
	}
	b = weft_info_dup(a);
	T_OK(weft_info_set(a, "k3", "y"));
	T_IS(weft_info_count(b), 20);
	weft_info_get(b, "k3", val, 8);
	T_STR(val, "x");
	weft_info_close(a);
	weft_info_close(b);
}

static void info_env_contains_the_command(void **state)
{
	struct weft_info *env = weft_info_env();
	char val[MPI_MAX_INFO_VAL];

	T_PTR(weft_info_of(MPI_INFO_ENV), env);
	T_TRUE(weft_info_get(env, "command", val, sizeof(val)) > 0);
	T_TRUE(strstr(val, "types_info_test") != NULL);
	T_TRUE(weft_info_get(env, "wdir", val, sizeof(val)) > 0);
	T_NULL(weft_info_of(MPI_INFO_NULL));
	weft_info_close(env);
	T_PTR(weft_info_of(MPI_INFO_ENV), env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(keys_keep_their_order_and_last_value),
		T_CASE(a_copy_is_independent),
		T_CASE(info_env_contains_the_command),
	};

	return T_RUN(tests);
}
