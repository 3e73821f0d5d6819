/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank, size and checks for the test programs. If its condition is false,
 * MT_TRUE ends the job with a message that contains file and line.
 */
#ifndef WEFT_TEST_MPI_MT_H
#define WEFT_TEST_MPI_MT_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mt_rank, mt_size;

#define MT_TRUE(x)                                                            \
	do {                                                                  \
		if (!(x)) {                                                   \
			fprintf(stderr, "rank %d of %d: %s:%d: failed: %s\n", \
				mt_rank, mt_size, __FILE__, __LINE__, #x);    \
			MPI_Abort(MPI_COMM_WORLD, 9);                         \
		}                                                             \
	} while (0)
#define MT_IS(a, b) MT_TRUE((a) == (b))
#define MT_OK(x)    MT_TRUE((x) == MPI_SUCCESS)

static inline void mt_begin(int *argc, char ***argv)
{
	MT_OK(MPI_Init(argc, argv));
	MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
}

static inline int mt_end(void)
{
	MT_OK(MPI_Finalize());
	return 0;
}

/* Returns the number of ranks of comm on this host; collective. */
static inline int mt_local_ranks(MPI_Comm comm)
{
	enum { NAME = MPI_MAX_PROCESSOR_NAME };
	char mine[NAME] = "", *all;
	int n, k, count = 0;

	MPI_Comm_size(comm, &n);
	all = malloc((size_t)n * NAME);
	MT_OK(MPI_Get_processor_name(mine, &k));
	MT_OK(MPI_Allgather(mine, NAME, MPI_CHAR, all, NAME, MPI_CHAR, comm));
	for (k = 0; k < n; k++)
		count += !strcmp(mine, all + (size_t)k * NAME);
	free(all);
	return count;
}

/* Returns byte k of the test pattern with this seed. */
static inline unsigned char mt_byte(uint64_t seed, size_t k)
{
	return (unsigned char)((seed * 131 + k * 7 + (k >> 8)) & 0xff);
}

static inline void mt_fill(void *buf, size_t n, uint64_t seed)
{
	unsigned char *p = buf;
	size_t k;

	for (k = 0; k < n; k++)
		p[k] = mt_byte(seed, k);
}

static inline int mt_same(const void *buf, size_t n, uint64_t seed)
{
	const unsigned char *p = buf;
	size_t k;

	for (k = 0; k < n; k++)
		if (p[k] != mt_byte(seed, k))
			return 0;
	return 1;
}

/* Returns the error class of an error code. */
static inline int mt_class(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

#endif
