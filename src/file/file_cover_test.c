/* SPDX-License-Identifier: BSD-3-Clause */
/* Marked bytes of a window, compared with an array of flags. */
#include "src/file/file_cover.h"

#include "test/t.h"

#include <string.h>

#define BYTES 1000

/* Marks runs at multiples of `unit`; compares all runs with the flags. */
static void check_unit(size_t unit, unsigned seed)
{
	struct file_cover c;
	char flag[BYTES + 1] = { 0 };
	size_t at = 0, n, from = 0;

	assert_int_equal(file_cover_open(&c, BYTES, unit), 0);
	assert_int_equal((size_t)1 << c.shift, unit);
	for (int k = 0; k < 12; k++) {
		size_t a, b;

		seed = seed * 1103515245u + 12345u;
		a = (seed >> 8) % (BYTES / unit) * unit;
		b = (seed >> 20) % 9 * unit * 13;
		b = a + b > BYTES / unit * unit ? BYTES / unit * unit - a : b;
		file_cover_mark(&c, a, b);
		memset(flag + a, 1, b);
	}
	while (file_cover_next(&c, &at, &n)) {
		assert_true(n > 0);
		for (; from < at; from++)
			assert_int_equal(flag[from], 0);
		for (; from < at + n; from++)
			assert_int_equal(flag[from], 1);
		at += n;
	}
	for (; from < BYTES; from++)
		assert_int_equal(flag[from], 0);
	file_cover_close(&c);
}

static void units(void **state)
{
	for (unsigned seed = 1; seed < 200; seed++)
		for (size_t unit = 1; unit <= 64; unit *= 2)
			check_unit(unit, seed);
}

/* The grain divides all boundaries, and is at most 4096 bytes. */
static void grains(void **state)
{
	struct file_cover c;

	assert_int_equal(file_cover_open(&c, 100, 24), 0);
	assert_int_equal(c.shift, 3);
	file_cover_close(&c);
	assert_int_equal(file_cover_open(&c, 100, 0), 0);
	assert_int_equal(c.shift, 12);
	file_cover_close(&c);
	assert_int_equal(file_cover_open(&c, 0, 1), 0);
	assert_int_equal(c.grains, 0);
	file_cover_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		cmocka_unit_test(grains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
