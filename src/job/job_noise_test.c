/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of operating-system noise, valid and invalid. */
#include "test/t.h"

#include "src/job/job_noise.h"

static void test_valid(void **state)
{
	struct weft_noise n;

	(void)state;
	T_OK(weft_noise_parse("", &n));
	T_TRUE(n.gap_ps == 0);
	T_OK(weft_noise_parse("100,25", &n));
	T_TRUE(n.gap_ps == 1e10 && n.length_ps == 25e6);
	T_FALSE(n.fixed);
	T_IS(n.seed, 0);
	T_OK(weft_noise_parse("0.5,2.5,fixed,7", &n));
	T_TRUE(n.fixed);
	T_IS(n.seed, 7);
	T_OK(weft_noise_parse("1,1,9", &n));
	T_FALSE(n.fixed);
	T_IS(n.seed, 9);
}

static void test_invalid(void **state)
{
	static const char *const texts[] = {
		"5",	    "x,1",	  "1,x",   "0,1",   "1,0",
		"-1,1",	    "1,-1",	  "1,1,",  "1,1x",  "1,1,fixedx",
		"1,1,-3",   "1,1,3,4",	  "nan,1", "1,nan", "1e99,1",
		"1,1,half", "1,1,fixed,",
	};
	struct weft_noise n;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		T_IS(weft_noise_parse(texts[i], &n), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(test_valid),
		T_CASE(test_invalid),
	};

	return T_RUN(tests);
}
