/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded memory: blocks share the pages of one file, in a fixed range. */
#include "src/job/job_skeleton.h"

#include "test/t.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Blocks are multiples of this size. */
#define GRAIN ((size_t)64 << 10)

static void test_parse(void **state)
{
	static const char *const wrong[] = {
		"",	"3",	"3,",  ",8",   "3,x",
		"-1,8", "3,-8", "3,0", "3,8x", "99999999999,8"
	};
	size_t min;
	int fd;

	(void)state;
	T_OK(weft_skeleton_parse("7,65536", &fd, &min));
	T_IS(fd, 7);
	T_IS(min, 65536);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		T_IS(weft_skeleton_parse(wrong[i], &fd, &min), -EINVAL);
}

static void test_blocks(void **state)
{
	size_t large = 2 * WEFT_SKELETON_FILE_BYTES + 100;
	int fd = memfd_create("fold", MFD_CLOEXEC), err;
	char *a, *b, *c, *used, text[32];

	(void)state;
	T_OK(ftruncate(fd, (off_t)WEFT_SKELETON_FILE_BYTES));
	snprintf(text, sizeof(text), "%d,1000", fd);
	setenv(WEFT_SKELETON_VAR, text, 1);
	T_TRUE(!weft_skeleton_alloc(999, &err) && !err);
	a = weft_skeleton_alloc(1000, &err);
	b = weft_skeleton_alloc(large, &err);
	T_TRUE(a && b && a != b);
	T_TRUE(weft_skeleton_has((uintptr_t)a));
	T_TRUE(weft_skeleton_has((uintptr_t)b + large - 1));
	T_TRUE(!weft_skeleton_has(WEFT_SKELETON_BASE - 1));
	T_TRUE(!weft_skeleton_has(WEFT_SKELETON_BASE + WEFT_SKELETON_RANGE));
	/* all blocks, and all parts of a long block, share the same pages */
	a[5] = 77;
	T_IS(b[5], 77);
	T_IS(b[WEFT_SKELETON_FILE_BYTES + 5], 77);
	T_IS(b[2 * WEFT_SKELETON_FILE_BYTES + 5], 77);
	b[large - 1] = 3;
	T_IS(a[99], 3);
	/* the addresses of a freed block are used again */
	T_TRUE(weft_skeleton_free(b));
	T_TRUE(!weft_skeleton_free(b));
	T_TRUE(!weft_skeleton_free(&fd));
	c = weft_skeleton_alloc(large / 2, &err);
	T_TRUE(c == b);
	T_IS(c[5], 77);
	T_TRUE(!weft_skeleton_alloc(SIZE_MAX, &err));
	T_TRUE(!weft_skeleton_alloc(WEFT_SKELETON_RANGE, &err));
	T_IS(err, -ENOMEM);
	T_TRUE(weft_skeleton_free(a) && weft_skeleton_free(c));
	/* a block of the same size, too */
	T_TRUE(weft_skeleton_alloc(1000, &err) == a);
	T_TRUE(weft_skeleton_alloc(large, &err) == b);
	/* an address of the next block is in use: nothing stays mapped */
	c = b + ((large + GRAIN - 1) & ~(GRAIN - 1));
	used = mmap(c + WEFT_SKELETON_FILE_BYTES, 4096, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	T_TRUE(used == c + WEFT_SKELETON_FILE_BYTES);
	T_TRUE(!weft_skeleton_alloc(large, &err));
	T_IS(err, -EEXIST);
	munmap(used, 4096);
	T_TRUE(weft_skeleton_alloc(large, &err) == c);
	T_TRUE(weft_skeleton_free(a) && weft_skeleton_free(b) &&
	       weft_skeleton_free(c));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(test_parse),
		T_CASE(test_blocks),
	};

	return T_RUN(tests);
}
