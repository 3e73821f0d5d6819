/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of text files: contents, and files that cannot be read. */
#include "src/base/text.h"

#include "test/t.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char name[32];
static int fd;

static void make(const char *text, size_t n)
{
	fd = memfd_create("text", MFD_CLOEXEC);
	T_TRUE(fd >= 0);
	T_IS(write(fd, text, n), (ssize_t)n);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
}

static void expect(const char *text, size_t n)
{
	char *got = NULL;

	make(text, n);
	T_OK(weft_text_read(name, &got));
	T_STR(got, text);
	free(got);
	close(fd);
}

static void contents_are_read_whole(void **state)
{
	static char many[100000];

	expect("one line\n", 9);
	expect("no end of line", 14);
	expect("", 0);
	memset(many, 'x', sizeof(many) - 1);
	expect(many, sizeof(many) - 1);
	/* text ends at a zero byte */
	expect("ab\0cd", 5);
}

static void errors_are_returned(void **state)
{
	char *text = NULL;

	T_IS(weft_text_read("/proc/self/no-such-file", &text), -ENOENT);
	T_IS(weft_text_read("/proc/self", &text), -EISDIR);
	/*
	 * the pointer is unchanged after an error, since callers free it in any
	 * case
	 */
	T_NULL(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(contents_are_read_whole),
		T_CASE(errors_are_returned),
	};

	return T_RUN(tests);
}
