/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of options: values, ranges, unknown names and suggestions. */
#include "test/t.h"
#include "src/job/job_cfg.h"
#include "src/base/attr.h"

#include <stdlib.h>

static const struct weft_cfg_opt opts[] = {
	{ "WEFT_T_FLAG", WEFT_CFG_BOOL, "no", "a flag", NULL },
	{ "WEFT_T_NUM", WEFT_CFG_INT, "-3", "a number", NULL },
	{ "WEFT_T_SIZE", WEFT_CFG_SIZE, "64k", "a size", NULL },
	{ "WEFT_T_WORD", WEFT_CFG_TEXT, "spin", "a word", "spin|block" },
	{ "WEFT_T_PART", WEFT_CFG_INT, "8", "few", "-1..128" },
	{ "WEFT_T_SLOTS", WEFT_CFG_SIZE, "0", "some", "0..1024" },
};

static void defaults_apply_without_environment(void **state)
{
	T_FALSE(weft_cfg_get(&opts[0]).b);
	T_IS(weft_cfg_get(&opts[1]).i, -3);
	T_IS(weft_cfg_get(&opts[2]).size, 65536);
	T_STR(weft_cfg_get(&opts[3]).text, "spin");
}

static void values_are_parsed_by_type(void **state)
{
	union weft_cfg_value v = { 0 };

	T_OK(weft_cfg_parse(&opts[0], "on", &v));
	T_TRUE(v.b);
	T_OK(weft_cfg_parse(&opts[1], "0x10", &v));
	T_IS(v.i, 16);
	T_OK(weft_cfg_parse(&opts[2], "3G", &v));
	T_IS(v.size, 3ull << 30);
	T_OK(weft_cfg_parse(&opts[3], "block", &v));
	T_STR(v.text, "block");
}

static void invalid_values_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "0", "maybe" }, { "1", "12x" },
		{ "1", "" },	  { "2", "-1" },
		{ "2", "5kb" },	  { "2", "" },
		{ "3", "spi" },	  { "3", "wait" },
		{ "1", "1 " },	  { "2", "9999999999999G" },
		{ "4", "-2" },	  { "4", "129" },
		{ "5", "1025" },  { "5", "99999999999999999999" },
	};
	union weft_cfg_value v;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		T_IS(weft_cfg_parse(&opts[atoi(bad[i][0])], bad[i][1], &v),
		     -EINVAL);
}

static void range_limits_are_accepted(void **state)
{
	union weft_cfg_value v = { 0 };

	T_OK(weft_cfg_parse(&opts[4], "-1", &v));
	T_IS(v.i, -1);
	T_OK(weft_cfg_parse(&opts[4], "128", &v));
	T_OK(weft_cfg_parse(&opts[5], "1k", &v));
	T_IS(v.size, 1024);
}

static void an_invalid_value_selects_the_default(void **state)
{
	setenv("WEFT_T_SIZE", "lots", 1);
	T_IS(weft_cfg_get(&opts[2]).size, 65536);
	setenv("WEFT_T_SIZE", "8", 1);
	T_IS(weft_cfg_get(&opts[2]).size, 8);
	unsetenv("WEFT_T_SIZE");
}

static void unknown_variables_are_counted(void **state)
{
	const struct weft_cfg_table t = { opts, WEFT_COUNT_OF(opts) };

	T_IS(weft_cfg_warn_unknown("WEFT_T_", &t, 1), 0);
	setenv("WEFT_T_SIZ", "1", 1);
	setenv("WEFT_T_WORD", "spin", 1);
	T_IS(weft_cfg_warn_unknown("WEFT_T_", &t, 1), 1);
	unsetenv("WEFT_T_SIZ");
	unsetenv("WEFT_T_WORD");
}

static void distance_counts_edits(void **state)
{
	T_IS(weft_cfg_distance("spin", "spin"), 0);
	T_IS(weft_cfg_distance("spin", "spun"), 1);
	T_IS(weft_cfg_distance("", "abc"), 3);
	T_IS(weft_cfg_distance("kitten", "sitting"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(defaults_apply_without_environment),
		T_CASE(values_are_parsed_by_type),
		T_CASE(invalid_values_are_refused),
		T_CASE(range_limits_are_accepted),
		T_CASE(an_invalid_value_selects_the_default),
		T_CASE(unknown_variables_are_counted),
		T_CASE(distance_counts_edits),
	};

	return T_RUN(tests);
}
