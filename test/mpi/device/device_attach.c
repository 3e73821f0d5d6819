/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device memory in dynamic windows: puts, gets and accumulates to attachments
 * in device memory, in host memory, and in both at once; own attachments;
 * attachments side by side, overlapping, detached and freed ones.
 */
#include "device_t.h"

#include <stdbool.h>

enum {
	MOST = 100000,
	INTS = 40,
	TIMES = 20,
	COUNTER = 60000, /* offset of a counter in each attachment */
};

/* Attachments of a rank. */
enum { FIRST, HOST, SECOND, PLACES };

static unsigned char *mine[PLACES]; /* FIRST and SECOND are device memory */
/* addresses of the attachments of all ranks */
static MPI_Aint (*address)[PLACES];
static unsigned char *check;
static MPI_Win win;
static int to, from; /* neighbours */

static void memory_set(int place, size_t at, const void *data, size_t n)
{
	if (place == HOST)
		memcpy(mine[place] + at, data, n);
	else
		device_in(mine[place] + at, data, n);
}

static void memory_get(int place, size_t at, void *data, size_t n)
{
	if (place == HOST)
		memcpy(data, mine[place] + at, n);
	else
		device_out(data, mine[place] + at, n);
}

static int int_at(int place, size_t at)
{
	int v;

	memory_get(place, at, &v, sizeof(v));
	return v;
}

static void ints_set(int place, size_t at, int n, int value)
{
	int all[INTS];

	for (int i = 0; i < n; i++)
		all[i] = value;
	memory_set(place, at, all, (size_t)n * sizeof(int));
}

static void barrier(void)
{
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* ---- one attachment ------------------------------------------------------ */

static void moves(int place, int n)
{
	MPI_Request r;

	MT_OK(MPI_Win_fence(0, win));
	mt_fill(check, (size_t)n, (uint64_t)mt_rank);
	MT_OK(MPI_Put(check, n, MPI_BYTE, to, address[to][place] + 3, n,
		      MPI_BYTE, win));
	MT_OK(MPI_Win_fence(0, win));
	memset(check, 0, MOST);
	memory_get(place, 3, check, (size_t)n);
	MT_TRUE(mt_same(check, (size_t)n, (uint64_t)from));
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win));
	memset(check, 0, MOST);
	MT_OK(MPI_Rget(check, n, MPI_BYTE, to, address[to][place] + 3, n,
		       MPI_BYTE, win, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Win_unlock(to, win));
	MT_TRUE(mt_same(check, (size_t)n, (uint64_t)mt_rank));
	barrier();
}

/* Every rank increments a counter of rank 0; no old value occurs twice. */
static void counters(int place)
{
	int one = 1, old, last = -1, zero = 0;

	memory_set(place, COUNTER, &zero, sizeof(zero));
	barrier();
	for (int i = 0; i < TIMES; i++) {
		MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
		MT_OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0,
				       address[0][place] + COUNTER, MPI_SUM,
				       win));
		MT_OK(MPI_Win_unlock(0, win));
		MT_TRUE(old > last);
		last = old;
	}
	barrier();
	if (mt_rank == 0)
		MT_IS(int_at(place, COUNTER), TIMES * mt_size);
	barrier();
	/* only one rank's comparand equals the value */
	one = TIMES * mt_size + mt_rank;
	zero = -5;
	MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
	MT_OK(MPI_Compare_and_swap(&zero, &one, &old, MPI_INT, 0,
				   address[0][place] + COUNTER, win));
	MT_OK(MPI_Win_unlock(0, win));
	barrier();
	if (mt_rank == 0)
		MT_IS(int_at(place, COUNTER), -5);
}

/* ---- several attachments in one access ----------------------------------- */

/*
 * Returns a type of `each` bytes at the offset `at` of all attachments of a
 * rank; its displacement in the window is the address of FIRST.
 */
static MPI_Datatype all_places(int rank, MPI_Aint at, int each)
{
	int length[PLACES] = { each, each, each };
	MPI_Aint place[PLACES];
	MPI_Datatype t;

	for (int i = 0; i < PLACES; i++)
		place[i] = address[rank][i] - address[rank][FIRST] + at;
	MT_OK(MPI_Type_create_hindexed(PLACES, length, place, MPI_BYTE, &t));
	MT_OK(MPI_Type_commit(&t));
	return t;
}

static void moves_to_all(int target, int source, int each)
{
	MPI_Datatype t = all_places(target, 7, each);
	int n = PLACES * each;
	unsigned char *part = malloc((size_t)n);

	MT_OK(MPI_Win_fence(0, win));
	mt_fill(check, (size_t)n, 50 + (uint64_t)mt_rank);
	MT_OK(MPI_Put(check, n, MPI_BYTE, target, address[target][FIRST], 1, t,
		      win));
	MT_OK(MPI_Win_fence(0, win));
	for (int i = 0; i < PLACES; i++)
		memory_get(i, 7, part + i * each, (size_t)each);
	MT_TRUE(mt_same(part, (size_t)n, 50 + (uint64_t)source));
	memset(part, 0, (size_t)n);
	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Get(part, n, MPI_BYTE, target, address[target][FIRST], 1, t,
		      win));
	MT_OK(MPI_Win_fence(0, win));
	MT_TRUE(mt_same(part, (size_t)n, 50 + (uint64_t)mt_rank));
	MT_OK(MPI_Type_free(&t));
	free(part);
}

/* Returns a type of the integers of all attachments of a rank. */
static MPI_Datatype all_ints(int rank)
{
	int length[PLACES] = { INTS, INTS, INTS };
	MPI_Aint place[PLACES];
	MPI_Datatype t;

	for (int i = 0; i < PLACES; i++)
		place[i] = address[rank][i] - address[rank][FIRST];
	MT_OK(MPI_Type_create_hindexed(PLACES, length, place, MPI_INT, &t));
	MT_OK(MPI_Type_commit(&t));
	return t;
}

/* All ranks add to the integers of rank 0, concurrently. */
static void accumulates(void)
{
	MPI_Datatype t = all_ints(0);
	int add[PLACES * INTS], old[PLACES * INTS];

	for (int i = 0; i < PLACES; i++)
		ints_set(i, 0, INTS, 5);
	for (int i = 0; i < PLACES * INTS; i++)
		add[i] = mt_rank + i;
	MT_OK(MPI_Win_fence(0, win));
	for (int i = 0; i < TIMES; i++)
		MT_OK(MPI_Accumulate(add, PLACES * INTS, MPI_INT, 0,
				     address[0][FIRST], 1, t, MPI_SUM, win));
	MT_OK(MPI_Win_fence(0, win));
	MT_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, old, PLACES * INTS, MPI_INT,
				 0, address[0][FIRST], 1, t, MPI_NO_OP, win));
	MT_OK(MPI_Win_fence(0, win));
	for (int i = 0; i < PLACES * INTS; i++)
		MT_IS(old[i],
		      5 + TIMES * (mt_size * (mt_size - 1) / 2 + mt_size * i));
	MT_OK(MPI_Type_free(&t));
}

/*
 * Exposure epochs: a target in MPI_Win_wait executes accesses to its device
 * memory.
 */
static void exposures(void)
{
	MPI_Group all, group[2];
	MPI_Request r;
	int n = 20000;

	MT_OK(MPI_Win_get_group(win, &all));
	MT_OK(MPI_Group_incl(all, 1, &to, &group[0]));
	MT_OK(MPI_Group_incl(all, 1, &from, &group[1]));
	MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	mt_fill(check, (size_t)n, 70 + (uint64_t)mt_rank);
	MT_OK(MPI_Win_post(group[1], 0, win));
	MT_OK(MPI_Win_start(group[0], 0, win));
	MT_OK(MPI_Rput(check, n, MPI_BYTE, to, address[to][FIRST], n, MPI_BYTE,
		       win, &r));
	MT_OK(MPI_Put(check, n, MPI_BYTE, to, address[to][HOST], n, MPI_BYTE,
		      win));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Win_complete(win));
	MT_OK(MPI_Win_wait(win));
	for (int i = FIRST; i <= HOST; i++) {
		memory_get(i, 0, check, (size_t)n);
		MT_TRUE(mt_same(check, (size_t)n, 70 + (uint64_t)from));
	}
	MT_OK(MPI_Group_free(&group[0]));
	MT_OK(MPI_Group_free(&group[1]));
	MT_OK(MPI_Group_free(&all));
	barrier();
}

/* ---- attach and detach --------------------------------------------------- */

static int attach(int place, size_t at, size_t n)
{
	return mt_class(MPI_Win_attach(win, mine[place] + at, (MPI_Aint)n));
}

static int detach(int place, size_t at)
{
	return mt_class(MPI_Win_detach(win, mine[place] + at));
}

/* Returns the error class of a get of one byte, from the call or the unlock. */
static int get_class(int target, MPI_Aint at)
{
	char byte;
	int rc, rc2;

	MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
	rc = MPI_Get(&byte, 1, MPI_BYTE, target, at, 1, MPI_BYTE, win);
	rc2 = MPI_Win_unlock(target, win);
	return mt_class(rc ? rc : rc2);
}

/* An access may extend over two attachments that are side by side. */
static void neighbours(void)
{
	barrier();
	MT_IS(detach(FIRST, 0), MPI_SUCCESS);
	MT_IS(attach(FIRST, 0, 1000), MPI_SUCCESS);
	MT_IS(attach(FIRST, 999, 1), MPI_ERR_RMA_ATTACH);
	MT_IS(attach(FIRST, 1000, MOST - 1000), MPI_SUCCESS);
	barrier();
	moves(FIRST, 5000);
	barrier();
	MT_IS(detach(FIRST, 1000), MPI_SUCCESS);
	barrier();
	MT_IS(get_class(to, address[to][FIRST] + 999), MPI_SUCCESS);
	MT_IS(get_class(to, address[to][FIRST] + 1000), MPI_ERR_RMA_RANGE);
	MT_IS(get_class(mt_rank, address[mt_rank][FIRST] + 1000),
	      MPI_ERR_RMA_RANGE);
	barrier();
	MT_IS(detach(FIRST, 0), MPI_SUCCESS);
	MT_IS(detach(FIRST, 0), MPI_ERR_BASE);
	MT_IS(attach(FIRST, 0, MOST), MPI_SUCCESS);
	MT_IS(attach(FIRST, 5, 10), MPI_ERR_RMA_ATTACH);
	MT_IS(attach(SECOND, 0, MOST), MPI_ERR_RMA_ATTACH);
	barrier();
}

/* Memory that was freed although it is attached gives an error, no crash. */
static void freed_memory(void)
{
	unsigned char *extra = device_alloc(1000);
	MPI_Aint at, *all = malloc((size_t)mt_size * sizeof(*all));

	MT_OK(MPI_Get_address(extra, &at));
	MT_OK(MPI_Allgather(&at, 1, MPI_AINT, all, 1, MPI_AINT,
			    MPI_COMM_WORLD));
	MT_OK(MPI_Win_attach(win, extra, 1000));
	barrier();
	MT_IS(get_class(to, all[to]), MPI_SUCCESS);
	barrier();
	MT_OK(MPI_Free_mem(extra));
	barrier();
	MT_IS(get_class(to, all[to]), MPI_ERR_RMA_RANGE);
	MT_IS(get_class(mt_rank, all[mt_rank]), MPI_ERR_RMA_RANGE);
	MT_IS(get_class(to, address[to][FIRST]), MPI_SUCCESS);
	barrier();
	MT_OK(MPI_Win_detach(win, extra));
	free(all);
}

/* A target that waits in a receive executes accesses to its memory. */
static void passive_target(void)
{
	char token = 0;

	barrier();
	if (mt_rank == 0 && mt_size > 1) {
		MT_OK(MPI_Recv(&token, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
	} else if (mt_rank == 1) {
		for (int i = 0; i < TIMES; i++)
			MT_IS(get_class(0, address[0][SECOND] + i),
			      MPI_SUCCESS);
		MT_OK(MPI_Send(&token, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD));
	}
	barrier();
}

static void window_open(void)
{
	MPI_Aint my[PLACES];

	MT_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	MT_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	for (int i = 0; i < PLACES; i++) {
		mine[i] = i == HOST ? malloc(MOST) : device_alloc(MOST);
		MT_OK(MPI_Get_address(mine[i], &my[i]));
		MT_IS(attach(i, 0, MOST), MPI_SUCCESS);
	}
	MT_OK(MPI_Allgather(my, PLACES, MPI_AINT, address, PLACES, MPI_AINT,
			    MPI_COMM_WORLD));
}

static void window_close(void)
{
	MT_OK(MPI_Win_free(&win));
	free(mine[HOST]);
	MT_OK(MPI_Free_mem(mine[FIRST]));
	MT_OK(MPI_Free_mem(mine[SECOND]));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	to = (mt_rank + 1) % mt_size;
	from = (mt_rank + mt_size - 1) % mt_size;
	check = malloc(MOST);
	address = malloc((size_t)mt_size * sizeof(*address));
	for (int round = 0; round < 2; round++) {
		window_open();
		passive_target(); /* rank 0 has made no access yet */
		for (int i = 0; i < PLACES; i++) {
			moves(i, 1);
			moves(i, 50000);
			counters(i);
		}
		moves_to_all(to, from, 1);
		moves_to_all(to, from, 30000);
		moves_to_all(mt_rank, mt_rank, 9000);
		accumulates();
		exposures();
		neighbours();
		freed_memory();
		window_close();
	}
	free(address);
	free(check);
	return mt_end();
}
