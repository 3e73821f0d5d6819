/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of MPI_Alloc_mem: which of them are reused, and how many are kept. */
#include "src/win/win_blocks.h"

#include "test/t.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static struct win_blocks w;

/*
 * Returns the inode of the memfd of the block at `base`, without marking the
 * block as reached by other processes.
 */
static ino_t inode_of(void *base)
{
	struct stat st;

	for (int i = 0; i < WIN_BLOCKS; i++)
		if (w.block[i].used && w.block[i].region.base == base) {
			T_OK(fstat(w.block[i].region.fd, &st));
			return st.st_ino;
		}
	return 0;
}

/* Allocates a block in the same way as MPI_Alloc_mem. */
static void *block_alloc(size_t bytes)
{
	void *base = win_blocks_take(&w, bytes);

	if (!base)
		base = win_blocks_make(&w, bytes);
	T_TRUE(base != NULL);
	return base;
}

/* Returns the number of existing regions, used or on the free list. */
static int region_count(void)
{
	int n = 0;

	for (int i = 0; i < WIN_BLOCKS; i++)
		n += w.block[i].region.base != NULL;
	return n;
}

static void a_freed_block_is_reused(void **state)
{
	char *a = block_alloc(100), *b;
	ino_t first = inode_of(a);

	memset(a, 1, 100);
	T_TRUE(win_blocks_give(&w, a));
	T_IS(region_count(), 1);
	b = block_alloc(4000);
	T_TRUE(a == b);
	T_IS(inode_of(b), first);
	T_IS(region_count(), 1);
	memset(b, 2, 4000);
	T_TRUE(win_blocks_give(&w, b));
	T_TRUE(!win_blocks_give(&w, b));
	T_TRUE(!win_blocks_give(&w, NULL));
	win_blocks_trim(&w);
	T_IS(region_count(), 0);
}

static void a_block_that_peers_may_map_is_not_reused(void **state)
{
	char *a = block_alloc(10000), *b = block_alloc(10000);
	ino_t first = inode_of(a), second = inode_of(b);
	const struct weft_region *r = win_blocks_find(&w, a + 9000, 1000);

	T_TRUE(r && r->base == a);
	T_TRUE(!win_blocks_find(&w, a + 9000, 100000));
	T_TRUE(win_blocks_give(&w, a));
	T_TRUE(win_blocks_give(&w, b));
	T_IS(region_count(), 1);
	T_TRUE(!win_blocks_find(&w, b, 1));
	a = block_alloc(10000);
	T_IS(inode_of(a), second);
	b = block_alloc(10000);
	T_TRUE(inode_of(b) != first);
	win_blocks_give(&w, a);
	win_blocks_give(&w, b);
	win_blocks_trim(&w);
}

static void a_block_that_a_child_shares_is_not_reused(void **state)
{
	char *a = block_alloc(64);
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	T_TRUE(win_blocks_give(&w, a));
	T_IS(region_count(), 0);
	a = block_alloc(64);
	T_TRUE(win_blocks_give(&w, a));
	T_IS(region_count(), 1);
	win_blocks_trim(&w);
}

static void large_blocks_are_released_immediately(void **state)
{
	void *a = block_alloc(WIN_KEPT_LARGEST),
	     *b = block_alloc(WIN_KEPT_LARGEST + 1);

	T_TRUE(win_blocks_give(&w, a));
	T_TRUE(win_blocks_give(&w, b));
	T_IS(region_count(), 1);
	T_IS(w.kept_bytes, WIN_KEPT_LARGEST);
	win_blocks_trim(&w);
	T_IS(w.kept_bytes, 0);
}

static void free_list_size_is_limited(void **state)
{
	void *all[WIN_BLOCKS_KEPT + 3], *last;

	for (int i = 0; i < WIN_BLOCKS_KEPT + 3; i++)
		all[i] = block_alloc(8);
	last = all[WIN_BLOCKS_KEPT + 2];
	for (int i = 0; i < WIN_BLOCKS_KEPT + 3; i++)
		T_TRUE(win_blocks_give(&w, all[i]));
	T_IS(region_count(), WIN_BLOCKS_KEPT);
	T_TRUE(block_alloc(8) == last);
	win_blocks_give(&w, last);
	for (int i = 0; i < 6; i++)
		all[i] = block_alloc(2 * MIB);
	for (int i = 0; i < 6; i++)
		T_TRUE(win_blocks_give(&w, all[i]));
	T_IS(w.kept_bytes, WIN_KEPT_BYTES);
	T_IS(region_count(), WIN_KEPT_BYTES / (2 * MIB));
	win_blocks_trim(&w);
}

static void small_request_does_not_reuse_large_block(void **state)
{
	void *a = block_alloc(MIB), *b;

	T_TRUE(win_blocks_give(&w, a));
	b = block_alloc(8);
	T_TRUE(b != a);
	T_IS(region_count(), 2);
	T_TRUE(win_blocks_take(&w, MIB / 2) == a);
	win_blocks_give(&w, a);
	win_blocks_give(&w, b);
	win_blocks_trim(&w);
}

static void full_table_releases_free_blocks(void **state)
{
	void *all[WIN_BLOCKS], *more;

	for (int i = 0; i < WIN_BLOCKS; i++)
		all[i] = block_alloc(8);
	T_TRUE(!win_blocks_make(&w, 8));
	T_TRUE(win_blocks_give(&w, all[0]));
	more = block_alloc(WIN_KEPT_LARGEST + 1);
	T_TRUE(win_blocks_give(&w, more));
	for (int i = 1; i < WIN_BLOCKS; i++)
		T_TRUE(win_blocks_give(&w, all[i]));
	win_blocks_trim(&w);
	T_IS(region_count(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_freed_block_is_reused),
		T_CASE(a_block_that_peers_may_map_is_not_reused),
		T_CASE(a_block_that_a_child_shares_is_not_reused),
		T_CASE(large_blocks_are_released_immediately),
		T_CASE(free_list_size_is_limited),
		T_CASE(small_request_does_not_reuse_large_block),
		T_CASE(full_table_releases_free_blocks),
	};

	return T_RUN(tests);
}
