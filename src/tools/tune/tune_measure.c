/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement of collective operations and their algorithms (tune.h). */
#include "src/tools/tune/tune.h"

#include <ctype.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of warm-up calls, in which a communicator joins its class route, and
 * number of measured calls.
 */
#define WARM_UP 3
#define CALLS	4

static char *from, *to;

int tune_buffers_open(size_t bytes)
{
	from = calloc(1, bytes);
	to = calloc(1, bytes);
	return from && to ? 0 : -1;
}

void tune_buffers_close(void)
{
	free(from);
	free(to);
}

/* ---- algorithms ---------------------------------------------------------- */

/*
 * Writes the info key, for example "weft_coll_bcast"; upper: writes the
 * option's name instead.
 */
static void key_of(enum tune_op op, bool upper, char key[48])
{
	snprintf(key, 48, "weft_coll_%s", tune_op_names[op]);
	for (char *c = key; upper && *c; c++)
		*c = (char)toupper((unsigned char)*c);
}

/*
 * Returns whether an algorithm is not compared: it is for other kinds of calls
 * or gives other results.
 */
static bool not_compared(const char *name)
{
	static const char *const names[] = { "auto", "exact", "inter", "hosts",
					     "inplace" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Returns the enumeration of an option's values, from MPI_T. */
static MPI_T_enum option_values(const char *option)
{
	MPI_T_enum values = MPI_T_ENUM_NULL;
	MPI_Datatype type;
	int index, verbosity, bind, scope;

	if (MPI_T_cvar_get_index(option, &index) ||
	    MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &type, &values,
				NULL, NULL, &bind, &scope))
		return MPI_T_ENUM_NULL;
	return values;
}

unsigned tune_algorithms(enum tune_op op, char name[TUNE_ALGORITHMS][TUNE_NAME])
{
	MPI_T_enum values;
	unsigned n = 0;
	char key[48];
	int count = 0, value, len;

	key_of(op, true, key);
	values = option_values(key);
	if (values == MPI_T_ENUM_NULL ||
	    MPI_T_enum_get_info(values, &count, NULL, NULL))
		return 0;
	for (int i = 0; i < count && n < TUNE_ALGORITHMS; i++) {
		len = TUNE_NAME;
		if (!MPI_T_enum_get_item(values, i, &value, name[n], &len) &&
		    !not_compared(name[n]))
			n++;
	}
	return n;
}

/* ---- operations ---------------------------------------------------------- */

static void call_operation(enum tune_op op, MPI_Comm comm, size_t bytes)
{
	int n = (int)bytes, words = n / 8;

	switch (op) {
	case TUNE_BARRIER:
		MPI_Barrier(comm);
		break;
	case TUNE_BCAST:
		MPI_Bcast(from, n, MPI_BYTE, 0, comm);
		break;
	case TUNE_REDUCE:
		MPI_Reduce(from, to, words, MPI_DOUBLE, MPI_SUM, 0, comm);
		break;
	case TUNE_ALLREDUCE:
		MPI_Allreduce(from, to, words, MPI_DOUBLE, MPI_SUM, comm);
		break;
	case TUNE_GATHER:
		MPI_Gather(from, n, MPI_BYTE, to, n, MPI_BYTE, 0, comm);
		break;
	case TUNE_SCATTER:
		MPI_Scatter(from, n, MPI_BYTE, to, n, MPI_BYTE, 0, comm);
		break;
	case TUNE_ALLGATHER:
		MPI_Allgather(from, n, MPI_BYTE, to, n, MPI_BYTE, comm);
		break;
	case TUNE_ALLTOALL:
		MPI_Alltoall(from, n, MPI_BYTE, to, n, MPI_BYTE, comm);
		break;
	case TUNE_REDUCE_SCATTER:
		MPI_Reduce_scatter_block(from, to, words, MPI_DOUBLE, MPI_SUM,
					 comm);
		break;
	default:
		MPI_Scan(from, to, words, MPI_DOUBLE, MPI_SUM, comm);
	}
}

/* Opens a communicator of the first ranks; other ranks get MPI_COMM_NULL. */
static MPI_Comm open_comm(enum tune_op op, int ranks, const char *algorithm)
{
	MPI_Comm comm, tuned;
	MPI_Info info;
	char key[48];
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank,
		       &comm);
	if (comm == MPI_COMM_NULL || !algorithm)
		return comm;
	key_of(op, false, key);
	MPI_Info_create(&info);
	MPI_Info_set(info, key, algorithm);
	MPI_Comm_dup_with_info(comm, info, &tuned);
	MPI_Info_free(&info);
	MPI_Comm_free(&comm);
	return tuned;
}

/* Returns whether the clocks of all ranks show the same time. */
static bool one_clock(void)
{
	int *value, found;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &found);
	return found && *value;
}

/*
 * Waits until the ranks can start at the same time and returns that time. Ranks
 * leave a barrier one after the other; without the wait, the time of an
 * operation would include the wait for the last rank.
 */
static double start_together(MPI_Comm comm, bool global)
{
	double begin, mine[2], last[2], start;

	MPI_Barrier(comm);
	begin = MPI_Wtime();
	if (!global)
		return begin;
	MPI_Barrier(comm);
	mine[0] = begin;
	mine[1] = MPI_Wtime() - begin;
	MPI_Allreduce(mine, last, 2, MPI_DOUBLE, MPI_MAX, comm);
	/*
	 * leaves time for the barrier and the allreduce; the allreduce takes
	 * less than three barriers
	 */
	start = last[0] + 4 * last[1] + 1e-6;
	while ((begin = MPI_Wtime()) < start)
		;
	return begin;
}

/* Returns the mean time of this rank in the operation. */
static double time_calls(enum tune_op op, MPI_Comm comm, size_t bytes)
{
	bool global = one_clock();
	double sum = 0, start;

	for (int i = 0; i < WARM_UP; i++)
		call_operation(op, comm, bytes);
	for (int i = 0; i < CALLS; i++) {
		start = start_together(comm, global);
		call_operation(op, comm, bytes);
		sum += MPI_Wtime() - start;
	}
	return sum / CALLS * 1e6;
}

double tune_measure(enum tune_op op, int ranks, size_t bytes,
		    const char *algorithm)
{
	MPI_Comm comm = open_comm(op, ranks, algorithm);
	double mine = 0, slowest;

	if (comm != MPI_COMM_NULL) {
		mine = time_calls(op, comm, bytes);
		MPI_Comm_free(&comm);
	}
	MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}
