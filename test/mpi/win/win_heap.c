/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows in memory from MPI_Alloc_mem, in a whole block or in a part of one;
 * some members may have no memory, or memory of the application. The values
 * must be correct, and no access may use libfabric if all memory is from
 * MPI_Alloc_mem and on this host (win_paths.c tests whole blocks). Also tested:
 * blocks that are attached to a dynamic window, detached and immediately
 * replaced; more blocks than the memory region can hold.
 */
#include "win_t.h"

#include <stdbool.h>

#define BLOCKS 100
#define ROOM   10000

enum mix { WHOLE, PART, ONE, MIXED, MIXES };

/*
 * Every rank adds to the first and last element of every rank, and reads the
 * others.
 */
static void add_and_read(MPI_Win win, long *mem, int n, enum mix mix)
{
	long one = 1, *got = malloc((size_t)n * sizeof(long));
	int members = mix == ONE ? 1 : mt_size;

	MT_OK(MPI_Win_lock_all(0, win));
	for (int t = 0; t < members; t++) {
		MT_OK(MPI_Accumulate(&one, 1, MPI_LONG, t, 0, 1, MPI_LONG,
				     MPI_SUM, win));
		MT_OK(MPI_Fetch_and_op(&one, got, MPI_LONG, t, n - 1, MPI_SUM,
				       win));
		MT_OK(MPI_Win_flush(t, win));
		MT_TRUE(got[0] >= 0 && got[0] < mt_size);
		MT_OK(MPI_Get(got, n - 2, MPI_LONG, t, 1, n - 2, MPI_LONG,
			      win));
		MT_OK(MPI_Win_flush(t, win));
		for (int i = 0; i < n - 2; i++)
			MT_IS(got[i], 1000 * t + i + 1);
	}
	MT_OK(MPI_Win_unlock_all(win));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank < members) {
		MT_IS(mem[0], mt_size);
		MT_IS(mem[n - 1], mt_size);
	}
	free(got);
}

static void one_mix(enum mix mix)
{
	bool mine = mix != MIXED || mt_rank % 2 == 0;
	int n = 700, from = mix == PART ? 517 : 0;
	long *block, *mem;
	MPI_Win win;

	if (mine)
		MT_OK(MPI_Alloc_mem(ROOM, MPI_INFO_NULL, &block));
	else
		block = malloc(ROOM);
	mem = block + from;
	for (int i = 0; i < n; i++)
		mem[i] = i && i < n - 1 ? 1000 * mt_rank + i : 0;
	MT_OK(MPI_Win_create(
		mix == ONE && mt_rank ? NULL : mem,
		mix == ONE && mt_rank ? 0 : n * (MPI_Aint)sizeof(long),
		sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	add_and_read(win, mem, n, mix);
	MT_OK(MPI_Win_free(&win));
	if (mine)
		MT_OK(MPI_Free_mem(block));
	else
		free(block);
}

/*
 * Every rank adds to the block of the next rank, whose initial values depend on
 * `seed`.
 */
static void add_next(MPI_Win win, MPI_Aint at, int seed)
{
	int to = (mt_rank + 1) % mt_size;
	long one = 1, two[2] = { 0, 0 }, old = 0, head = 0;
	MPI_Aint odd = MPI_Aint_add(at, 8 * 8);

	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win));
	MT_OK(MPI_Get(&head, 1, MPI_LONG, to, at, 1, MPI_LONG, win));
	MT_OK(MPI_Win_flush(to, win));
	MT_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, to, MPI_Aint_add(at, 8),
			       MPI_SUM, win));
	MT_OK(MPI_Put(&head, 1, MPI_LONG, to, MPI_Aint_add(at, 16), 1, MPI_LONG,
		      win));
	MT_OK(MPI_Get_accumulate(NULL, 0, MPI_LONG, two, 2, MPI_LONG, to, odd,
				 2, MPI_LONG, MPI_NO_OP, win));
	MT_OK(MPI_Win_unlock(to, win));
	MT_IS(head, 1000 * to + seed);
	MT_IS(old, seed);
	MT_IS(two[0], 8 * seed);
	MT_IS(two[1], 9 * seed);
}

/*
 * Attaches and detaches blocks, so that entries of the list of attached memory
 * are reused. Some blocks begin in the middle of an allocation. No block may
 * contain data of another.
 */
static void attach_and_detach(void)
{
	MPI_Aint mine, *all = malloc((size_t)mt_size * sizeof(*all));
	long *block, *mem;
	MPI_Win win;

	MT_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	for (int i = 0; i < BLOCKS; i++) {
		MT_OK(MPI_Alloc_mem(ROOM, MPI_INFO_NULL, &block));
		mem = block + (i % 2 ? 517 : 0);
		for (int k = 0; k < 100; k++)
			mem[k] = k * i;
		mem[0] = 1000 * mt_rank + i;
		MT_OK(MPI_Win_attach(win, mem, 100 * sizeof(long)));
		MPI_Get_address(mem, &mine);
		MT_OK(MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT,
				    MPI_COMM_WORLD));
		add_next(win, all[(mt_rank + 1) % mt_size], i);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		MT_IS(mem[1], i + 1);
		MT_IS(mem[2], mem[0]);
		MT_OK(MPI_Win_detach(win, mem));
		MT_OK(MPI_Free_mem(block));
	}
	MT_OK(MPI_Win_free(&win));
	free(all);
}

/* Blocks do not overlap, and can be freed in any order. */
static void many_blocks(void)
{
	int *block[BLOCKS];

	for (int i = 0; i < BLOCKS; i++) {
		MT_OK(MPI_Alloc_mem(ROOM, MPI_INFO_NULL, &block[i]));
		for (size_t k = 0; k < ROOM / sizeof(int); k++)
			block[i][k] = i;
	}
	for (int i = 0; i < BLOCKS; i++) {
		int *b = block[i * 37 % BLOCKS];

		for (size_t k = 0; k < ROOM / sizeof(int); k++)
			MT_IS(b[k], i * 37 % BLOCKS);
		MT_OK(MPI_Free_mem(b));
	}
}

/*
 * Allocates and frees one block after the other; some sizes reuse freed blocks,
 * others do not.
 */
static void alloc_and_free_sizes(void)
{
	static const MPI_Aint size[] = { 8,	 4096,	  5000,	  20000,
					 100000, 1 << 20, 3 << 20 };
	const int sizes = (int)(sizeof(size) / sizeof(size[0]));

	for (int i = 0; i < 20 * sizes; i++) {
		MPI_Aint n = size[i * 3 % sizes];
		char *a, *b;

		MT_OK(MPI_Alloc_mem(n, MPI_INFO_NULL, &a));
		memset(a, 'a', (size_t)n);
		MT_OK(MPI_Alloc_mem(n, MPI_INFO_NULL, &b));
		memset(b, 'b', (size_t)n);
		MT_TRUE(a[0] == 'a' && a[n - 1] == 'a');
		MT_OK(MPI_Free_mem(a));
		MT_TRUE(b[0] == 'b' && b[n - 1] == 'b');
		MT_OK(MPI_Free_mem(b));
	}
}

/* mpi_minimum_memory_alignment is honoured for small and for large values. */
static void alignment(void)
{
	static const char *const bad[] = { "0", "48", "-64", "4k" };
	MPI_Info info;
	char *mem, text[32];
	int class;

	MT_OK(MPI_Info_create(&info));
	for (uintptr_t n = 1; n <= 1 << 21; n *= 2) {
		snprintf(text, sizeof(text), "%ju", (uintmax_t)n);
		MT_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", text));
		for (int i = 0; i < 3; i++) {
			MT_OK(MPI_Alloc_mem(100 + 5000 * i, info, &mem));
			MT_IS((uintptr_t)mem % n, 0);
			mem[99 + 5000 * i] = 1;
			MT_OK(MPI_Free_mem(mem));
		}
	}
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		MT_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment",
				   bad[i]));
		MT_OK(MPI_Error_class(MPI_Alloc_mem(8, info, &mem), &class));
		MT_IS(class, MPI_ERR_INFO_VALUE);
	}
	MT_OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	alloc_and_free_sizes();
	alignment();
	for (int round = 0; round < 3; round++)
		for (int m = 0; m < MIXES; m++)
			one_mix(m);
	attach_and_detach();
	many_blocks();
	for (int m = 0; m < MIXES; m++)
		one_mix(m);
	return mt_end();
}
