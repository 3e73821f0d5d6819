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

/*
 * getrlimit() is replaced by the linker's --wrap, since a test process may not
 * be able to remove its limits.
 */
static bool unlimited;
int __real_getrlimit(__rlimit_resource_t what, struct rlimit *l);
int __wrap_getrlimit(__rlimit_resource_t what, struct rlimit *l);

int __wrap_getrlimit(__rlimit_resource_t what, struct rlimit *l)
{
	if (!unlimited)
		return __real_getrlimit(what, l);
	l->rlim_cur = l->rlim_max = RLIM_INFINITY;
	return 0;
}

static void set_limit(__rlimit_resource_t what, rlim_t to)
{
	struct rlimit l;

	T_OK(getrlimit(what, &l));
	l.rlim_cur = to;
	T_OK(setrlimit(what, &l));
}

/* Checks that text names the limit, the request and the option of ulimit. */
static void expect_limit_text(const char *text, const char *limit,
			      const char *request, const char *name)
{
	T_TRUE(strstr(text, limit) && strstr(text, request) &&
	       strstr(text, name));
}

static void limit_message_names_limit_and_demand(void **state)
{
	char text[WEFT_LIMIT_TEXT];

	T_STR(weft_limit_file(text, 5000), "");
	set_limit(RLIMIT_FSIZE, 4096);
	expect_limit_text(weft_limit_file(text, 5000), " 4 KiB", " 5 KiB",
			  "ulimit -f");
	T_TRUE(weft_limit_file_ok(4096));
	T_FALSE(weft_limit_file_ok(4097));
	set_limit(RLIMIT_FSIZE, RLIM_INFINITY);
	set_limit(RLIMIT_NOFILE, 55);
	expect_limit_text(weft_limit_files(text), " 55 ", "descriptors",
			  "ulimit -n");
	set_limit(RLIMIT_NPROC, 77);
	expect_limit_text(weft_limit_tasks(text, 99), " 77 ", " 99 ",
			  "ulimit -u");
	expect_limit_text(weft_limit_thread(text, 99), " 77 ", " 99 ",
			  "ulimit -u");
}

/* Without a limit the text is empty, whatever the buffer contained. */
static void no_limit_gives_an_empty_text(void **state)
{
	char text[WEFT_LIMIT_TEXT] = "old text";

	unlimited = true;
	T_STR(weft_limit_space(text, 3), "");
	strcpy(text, "old text");
	T_STR(weft_limit_file(text, 3), "");
	strcpy(text, "old text");
	T_STR(weft_limit_files(text), "");
	strcpy(text, "old text");
	T_STR(weft_limit_tasks(text, 3), "");
	strcpy(text, "old text");
	T_STR(weft_limit_thread(text, 3), "");
	strcpy(text, "old text");
	T_STR(weft_limit_memfd(text), "");
	T_TRUE(weft_limit_file_ok(SIZE_MAX));
	unlimited = false;
}

static void a_region_beyond_the_file_size_limit_is_refused(void **state)
{
	struct weft_region r;

	memset(&r, 0x11, sizeof(r));
	set_limit(RLIMIT_FSIZE, 4096);
	T_IS(weft_region_open(&r, "weft-test", 8192), -EFBIG);
	/* the region is marked as closed */
	T_NULL(r.base);
	T_IS(r.fd, -1);
	T_OK(weft_region_open(&r, "weft-test", 4096));
	weft_region_close(&r);
	set_limit(RLIMIT_FSIZE, RLIM_INFINITY);
}

static int run_without_address_space(int i, void *arg)
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

static void thread_creation_failure_is_reported(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* the sanitizer's shadow memory exceeds the limit */
#endif
	t_processes(1, run_without_address_space, NULL, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(thread_creation_failure_is_reported),
		T_CASE(no_limit_gives_an_empty_text),
		T_CASE(a_region_beyond_the_file_size_limit_is_refused),
		T_CASE(limit_message_names_limit_and_demand),
	};

	return T_RUN(tests);
}
