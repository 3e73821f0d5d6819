/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that error messages contain the limits, and that exceeding the file
 * size limit does not kill the process.
 */
#include "src/base/limit.h"

#include "src/base/region.h"
#include "test/t.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

static void set(__rlimit_resource_t what, rlim_t to)
{
	struct rlimit l;

	T_OK(getrlimit(what, &l));
	l.rlim_cur = to;
	T_OK(setrlimit(what, &l));
}

/* Checks that text names the limit, the request and the option of ulimit. */
static void told(const char *text, const char *limit, const char *wanted,
		 const char *name)
{
	T_TRUE(strstr(text, limit) && strstr(text, wanted) &&
	       strstr(text, name));
}

static void a_limit_is_told_with_its_numbers(void **state)
{
	char text[WEFT_LIMIT_TEXT];

	T_STR(weft_limit_file(text, 5000), "");
	set(RLIMIT_FSIZE, 4096);
	told(weft_limit_file(text, 5000), " 4 KiB", " 5 KiB", "ulimit -f");
	T_TRUE(weft_limit_file_ok(4096));
	T_FALSE(weft_limit_file_ok(4097));
	set(RLIMIT_FSIZE, RLIM_INFINITY);
	set(RLIMIT_NOFILE, 55);
	told(weft_limit_files(text), " 55 ", "descriptors", "ulimit -n");
	set(RLIMIT_NPROC, 77);
	told(weft_limit_tasks(text, 99), " 77 ", " 99 ", "ulimit -u");
	told(weft_limit_thread(text, 99), " 77 ", " 99 ", "ulimit -u");
}

static void a_region_beyond_the_limit_is_refused(void **state)
{
	struct weft_region r;

	set(RLIMIT_FSIZE, 4096);
	T_IS(weft_region_open(&r, "weft-test", 8192), -EFBIG);
	T_OK(weft_region_open(&r, "weft-test", 4096));
	weft_region_close(&r);
	set(RLIMIT_FSIZE, RLIM_INFINITY);
}

static int without_space(int i, void *arg)
{
	struct rlimit l = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };
	char text[WEFT_LIMIT_TEXT];

	setrlimit(RLIMIT_AS, &l);
	if (!weft_limit_try_thread())
		return 2;
	weft_limit_thread(text, 99);
	if (!strstr(text, " 1024 KiB") || !strstr(text, "ulimit -v"))
		return 3;
	return 0;
}

static void a_thread_without_a_stack_is_not_there(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* the sanitizer's shadow memory exceeds the limit */
#endif
	t_processes(1, without_space, NULL, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_thread_without_a_stack_is_not_there),
		T_CASE(a_region_beyond_the_limit_is_refused),
		T_CASE(a_limit_is_told_with_its_numbers),
	};

	return T_RUN(tests);
}
