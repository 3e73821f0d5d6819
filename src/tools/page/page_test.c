/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of pages: the JSON is valid, and a page is complete or absent. */
#include "src/tools/page/page.h"
#include "test/t.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void commas_separate_json_elements(void **state)
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

static void json_integers_keep_all_digits(void **state)
{
	char *text = written(long_numbers);

	assert_string_equal(
		text, "[-9223372036854775808,9223372036854775807,0,-1,9,10,"
		      "99,100,-1005,-9223372036854775808,120034]\n");
	free(text);
}

/* Tests numbers around each power of ten. */
static void json_digits_match_printf(void **state)
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
	/* characters of three and four bytes, and truncated ones */
	json_text(j, NULL,
		  "\xe2\x82\xac.\xf0\x9d\x84\x9e.\xe2\x82.\xf0\x9d\x84");
}

static void json_text_cannot_close_the_script_element(void **state)
{
	char *text = written(odd_text);

	assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u003c/script>\\u007f"
				  "\xc3\xa4??\""
				  "\"\xe2\x82\xac.\xf0\x9d\x84\x9e.??.???\"");
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

static void page_file_appears_on_close(void **state)
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

static void page_open_reports_an_invalid_path(void **state)
{
	struct page p;

	assert_int_equal(page_open(&p, "/nowhere/x.html", "run", "x"), -ENOENT);
	assert_int_equal(page_open(&p, "", "run", "x"), -ENAMETOOLONG);
}

/* The temporary file is a link to /dev/full, to which every write fails. */
static void page_close_reports_enospc(void **state)
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
		cmocka_unit_test(commas_separate_json_elements),
		cmocka_unit_test(json_integers_keep_all_digits),
		cmocka_unit_test(json_digits_match_printf),
		cmocka_unit_test(json_text_cannot_close_the_script_element),
		cmocka_unit_test(page_file_appears_on_close),
		cmocka_unit_test(page_open_reports_an_invalid_path),
		cmocka_unit_test(page_close_reports_enospc),
	};

	return T_RUN(tests);
}
