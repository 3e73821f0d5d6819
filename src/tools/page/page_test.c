/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of pages: the JSON is valid for any text, and a page appears complete
 * or not at all.
 */
#include "src/tools/page/page.h"
#include "test/t.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the output of fn. */
static char *written(void (*fn)(struct json *j))
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j;

	json_begin(&j, f);
	fn(&j);
	fclose(f);
	return text;
}

static void nested(struct json *j)
{
	json_object(j, NULL);
	json_int(j, "a", -3);
	json_array(j, "b");
	json_number(j, NULL, 0.5);
	json_number(j, NULL, NAN);
	json_bool(j, NULL, true);
	json_object(j, NULL);
	json_close(j);
	json_close(j);
	json_text(j, "c", "x");
	json_close(j);
}

static void commas_stand_where_they_belong(void **state)
{
	char *text = written(nested);

	assert_string_equal(
		text, "{\"a\":-3,\"b\":[0.5,null,true,{}\n]\n,\"c\":\"x\"}\n");
	free(text);
}

static void long_numbers(struct json *j)
{
	static const int64_t many[] = { -1,  9,	    10,	       99,
					100, -1005, INT64_MIN, 120034 };

	json_array(j, NULL);
	json_int(j, NULL, INT64_MIN);
	json_int(j, NULL, INT64_MAX);
	json_int(j, NULL, 0);
	json_ints(j, many, 8);
	json_close(j);
}

static void numbers_keep_all_their_digits(void **state)
{
	char *text = written(long_numbers);

	assert_string_equal(
		text, "[-9223372036854775808,9223372036854775807,0,-1,9,10,"
		      "99,100,-1005,-9223372036854775808,120034]\n");
	free(text);
}

/*
 * Tests the numbers around each power of ten, where the number of digits
 * changes.
 */
static void digits_are_those_of_printf(void **state)
{
	char text[JSON_DIGITS], want[JSON_DIGITS];
	char *end = text + sizeof(text) - 1;

	*end = '\0';
	for (uint64_t ten = 1, i = 0; i < 20; i++, ten *= 10)
		for (uint64_t x = ten - 1; x != ten + 2; x++) {
			snprintf(want, sizeof(want), "%llu",
				 (unsigned long long)x);
			assert_string_equal(json_digits(end, x, 1), want);
			snprintf(want, sizeof(want), "%06llu",
				 (unsigned long long)x);
			assert_string_equal(json_digits(end, x, 6), want);
		}
}

static void odd_text(struct json *j)
{
	json_text(j, NULL, "a\"b\\c\n</script>\x7f\xc3\xa4\xff\xc3");
}

static void text_cannot_end_the_script_it_stands_in(void **state)
{
	char *text = written(odd_text);

	assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u003c/script>\\u007f"
				  "\xc3\xa4??\"");
	free(text);
}

static char *slurp(const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(f);
	assert_non_null(text);
	text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void a_page_appears_when_it_is_whole(void **state)
{
	char dir[] = "/tmp/page_test.XXXXXX", file[64], *text;
	struct page p;

	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/x.html", dir);
	assert_int_equal(page_open(&p, file, "run", "a <b> & c"), 0);
	json_array(&p.data, "open"); /* closed by page_close() */
	assert_int_not_equal(access(file, F_OK), 0);
	assert_int_equal(page_close(&p), 0);
	text = slurp(file);
	assert_non_null(strstr(text, "<title>a &lt;b> &amp; c</title>"));
	assert_non_null(strstr(text, "\"open\":[]"));
	assert_non_null(strstr(text, "</html>\n"));
	assert_null(strstr(text, "http://www.w3.org/2000/svg\" src"));
	free(text);
	assert_int_equal(page_open(&p, file, "run", "again"), 0);
	page_drop(&p);
	text = slurp(file);
	/* page_drop() leaves the previous file unchanged */
	assert_non_null(strstr(text, "a &lt;b>"));
	free(text);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void what_cannot_be_written_is_told(void **state)
{
	struct page p;

	assert_int_equal(page_open(&p, "/nowhere/x.html", "run", "x"), -ENOENT);
	assert_int_equal(page_open(&p, "", "run", "x"), -ENAMETOOLONG);
}

/* The temporary file is a link to /dev/full, to which every write fails. */
static void a_full_disk_is_told(void **state)
{
	char dir[] = "/tmp/page_test.XXXXXX", file[64], part[80];
	struct page p;

	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/x.html", dir);
	snprintf(part, sizeof(part), "%s.part", file);
	assert_int_equal(symlink("/dev/full", part), 0);
	assert_int_equal(page_open(&p, file, "run", "x"), 0);
	assert_int_equal(page_close(&p), -ENOSPC);
	assert_int_not_equal(access(file, F_OK), 0);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_stand_where_they_belong),
		cmocka_unit_test(numbers_keep_all_their_digits),
		cmocka_unit_test(digits_are_those_of_printf),
		cmocka_unit_test(text_cannot_end_the_script_it_stands_in),
		cmocka_unit_test(a_page_appears_when_it_is_whole),
		cmocka_unit_test(what_cannot_be_written_is_told),
		cmocka_unit_test(a_full_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
