/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info keys of windows: every key with values that are in effect afterwards,
 * and with values that leave the earlier one in effect.
 */
#include "src/win/win_hint.h"

#include "src/offload/offload_device.h"
#include "src/types/types_info.h"
#include "test/t.h"

#include <stdlib.h>

const char *weft_device_kinds(void)
{
	return "system,mpi,cuda,cuda:device";
}

static struct weft_win_peer peer[3];
static struct weft_win win;

static void win_new(struct weft_info *info)
{
	for (int i = 0; i < 3; i++)
		peer[i] = (struct weft_win_peer){ .size = 64, .unit = 8 };
	win = (struct weft_win){ .peer = peer, .size = 3 };
	T_OK(win_hint_open(&win, info));
}

static struct weft_info *info_of(const char *key, const char *val)
{
	struct weft_info *info = weft_info_open();

	T_NOT_NULL(info);
	T_OK(weft_info_set(info, key, val));
	return info;
}

/* Sets a key of an existing window; returns whether it is in effect. */
static bool takes(const char *key, const char *val)
{
	struct weft_info *info = info_of(key, val);

	T_OK(weft_win_hint(&win, info));
	weft_info_close(info);
	return win_hint_is(&win, key, val);
}

static void a_window_without_hints_has_the_defaults(void **state)
{
	char val[8];

	win_new(NULL);
	T_TRUE(win_hint_is(&win, "no_locks", "false"));
	T_TRUE(win_hint_is(&win, "accumulate_ordering", "rar,raw,war,waw"));
	T_TRUE(win_hint_is(&win, "accumulate_ops", "same_op_no_op"));
	T_TRUE(win_hint_is(&win, "same_size", "false"));
	T_TRUE(win_hint_is(&win, "same_disp_unit", "false"));
	T_TRUE(win_hint_is(&win, "alloc_shared_noncontig", "false"));
	T_TRUE(win_hint_is(&win, "mpi_accumulate_granularity", "0"));
	T_TRUE(weft_info_get(win.info, "mpi_assert_memory_alloc_kinds", val,
			     sizeof(val)) < 0);
	T_IS(weft_info_count(win.info), 7);
	T_FALSE(win.no_locks);
	T_FALSE(win.unordered);
	T_IS(win.granule, 0);
	weft_info_close(win.info);
}

static const struct {
	const char *key;
	const char *good[6];
	const char *bad[12];
} values[] = {
	{ "no_locks", { "true", "false" }, { "", "tru", "truee", "1" } },
	{ "accumulate_ordering",
	  { "none", "rar", "waw,rar", "raw,war,waw" },
	  { "", "none,rar", "rar,", ",rar", "rar;raw", "ra", "rarr", "all" } },
	{ "accumulate_ops",
	  { "same_op", "same_op_no_op" },
	  { "", "same", "same_op_", "same_op,same_op" } },
	{ "same_size", { "true", "false" }, { "yes", "TRUE", "" } },
	{ "same_disp_unit", { "true", "false" }, { "yes", "falsee", "" } },
	{ "alloc_shared_noncontig", { "true", "false" }, { "0", "" } },
	{ "mpi_accumulate_granularity",
	  { "0", "8", "999999999" },
	  { "", "1000000000", "-1", "8k", "0x8", " 8" } },
	{ "mpi_assert_memory_alloc_kinds",
	  { "system", "mpi,system", "mpi:alloc_mem", "cuda:device,mpi", "cuda",
	    "system,mpi:win_allocate:win_allocate_shared" },
	  { "", "hip", "system,", "system:alloc_mem", "mpi:", "mpi:heap",
	    "mpi:alloc_mem:", "mpi:alloc_mem,hip", "syste", "mpi:alloc",
	    "cuda:host", "mp" } },
	{ "mpi_memory_alloc_kinds", { NULL }, { "system", "mpi" } },
	{ "unknown_key", { NULL }, { "true" } },
};

static void each_key_takes_valid_values_only(void **state)
{
	win_new(NULL);
	for (size_t i = 0; i < WEFT_COUNT_OF(values); i++) {
		const char *now = values[i].good[0];

		for (int k = 0; k < 6 && values[i].good[k]; k++) {
			now = values[i].good[k];
			T_TRUE(takes(values[i].key, now));
		}
		for (int k = 0; k < 12 && values[i].bad[k]; k++) {
			T_FALSE(takes(values[i].key, values[i].bad[k]));
			T_TRUE(!now || win_hint_is(&win, values[i].key, now));
		}
	}
	weft_info_close(win.info);
}

static void hints_change_the_fields_of_accesses(void **state)
{
	struct weft_info *info = info_of("no_locks", "true");

	T_OK(weft_info_set(info, "accumulate_ordering", "none"));
	T_OK(weft_info_set(info, "mpi_accumulate_granularity", "24"));
	win_new(info);
	weft_info_close(info);
	T_TRUE(win.no_locks);
	T_TRUE(win.unordered);
	T_IS(win.granule, 24);
	T_TRUE(takes("accumulate_ordering", "rar"));
	T_FALSE(win.unordered);
	T_TRUE(takes("no_locks", "false"));
	T_FALSE(win.no_locks);
	weft_info_close(win.info);
}

static void a_window_without_locks_gets_none_later(void **state)
{
	win_new(NULL);
	T_TRUE(takes("no_locks", "true"));
	win.lockless = true;
	T_FALSE(takes("no_locks", "false"));
	T_TRUE(win.no_locks);
	weft_info_close(win.info);
}

/* One member of three differs: the last, the middle one, the first. */
static void sameness_must_be_true(void **state)
{
	for (int i = 0; i < 3; i++) {
		win_new(NULL);
		peer[i].size = 32;
		T_FALSE(takes("same_size", "true"));
		T_TRUE(takes("same_size", "false"));
		T_TRUE(takes("same_disp_unit", "true"));
		peer[i].unit = 4;
		T_TRUE(takes("same_disp_unit", "false"));
		T_FALSE(takes("same_disp_unit", "true"));
		weft_info_close(win.info);
	}
}

/* All values are accepted before the members have exchanged their sizes. */
static void a_new_window_believes_its_hints(void **state)
{
	struct weft_info *info = info_of("same_size", "true");

	win_new(NULL);
	weft_info_close(win.info);
	peer[1].size = 1;
	T_OK(win_hint_open(&win, info));
	weft_info_close(info);
	T_TRUE(win_hint_is(&win, "same_size", "true"));
	T_OK(win_hint_settle(&win, "same_size", "false"));
	T_TRUE(win_hint_is(&win, "same_size", "false"));
	weft_info_close(win.info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_window_without_hints_has_the_defaults),
		T_CASE(each_key_takes_valid_values_only),
		T_CASE(hints_change_the_fields_of_accesses),
		T_CASE(a_window_without_locks_gets_none_later),
		T_CASE(sameness_must_be_true),
		T_CASE(a_new_window_believes_its_hints),
	};

	return T_RUN(tests);
}
