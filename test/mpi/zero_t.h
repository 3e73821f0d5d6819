/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For programs that call MPI functions with a count of 0: one datatype of each
 * kind, and a buffer that no such call may change.
 */
#ifndef WEFT_TEST_MPI_ZERO_T_H
#define WEFT_TEST_MPI_ZERO_T_H

#include "mpi_t.h"

enum { ZERO_TYPES = 19, ZERO_ROOM = 4096, ZERO_BLOCKS = 40 };

struct zero_type {
	const char *name;
	MPI_Datatype type;
	int basic; /* predefined type, allowed with predefined operations */
};

static struct zero_type zero_type[ZERO_TYPES];
static int zero_types;
static int zero_n; /* count argument: 0, or 3 for types of size 0 */
static char zero_room[ZERO_ROOM];

/*
 * Two buffer addresses for a call without data: NULL, and the middle of a
 * buffer.
 */
static void *const zero_buf[2] = { NULL, zero_room + ZERO_ROOM / 2 };

static inline void zero_add(const char *name, MPI_Datatype type)
{
	int ints, addrs, types, how;

	MT_OK(MPI_Type_get_envelope(type, &ints, &addrs, &types, &how));
	if (how != MPI_COMBINER_NAMED)
		MT_OK(MPI_Type_commit(&type));
	MT_TRUE(zero_types < ZERO_TYPES);
	zero_type[zero_types++] =
		(struct zero_type){ name, type, how == MPI_COMBINER_NAMED };
}

static inline void zero_add_vectors(void)
{
	MPI_Datatype t;

	MT_OK(MPI_Type_contiguous(3, MPI_INT, &t));
	zero_add("contiguous", t);
	MT_OK(MPI_Type_contiguous(0, MPI_INT, &t));
	zero_add("contiguous, no data", t);
	MT_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &t));
	zero_add("vector", t);
	MT_OK(MPI_Type_vector(ZERO_BLOCKS, 1, 2, MPI_INT, &t));
	zero_add("vector, many blocks", t);
	MT_OK(MPI_Type_vector(5000, 1, 2, MPI_DOUBLE, &t));
	zero_add("vector, long", t);
	MT_OK(MPI_Type_vector(2, 0, 2, MPI_INT, &t));
	zero_add("vector, no data", t);
	MT_OK(MPI_Type_create_hvector(3, 1, -16, MPI_INT, &t));
	zero_add("hvector, negative lb", t);
}

static inline void zero_add_lists(void)
{
	const int lens[3] = { 1, 2, 1 }, none[3] = { 0 };
	const int at[3] = { 4, 0, 9 };
	const MPI_Aint bytes[3] = { -8, 0, 16 };
	const MPI_Datatype mix[3] = { MPI_INT, MPI_CHAR, MPI_DOUBLE };
	MPI_Datatype t;

	MT_OK(MPI_Type_indexed(3, lens, at, MPI_INT, &t));
	zero_add("indexed", t);
	MT_OK(MPI_Type_indexed(3, none, at, MPI_INT, &t));
	zero_add("indexed, no data", t);
	MT_OK(MPI_Type_create_hindexed(3, lens, bytes, MPI_INT, &t));
	zero_add("hindexed, negative lb", t);
	MT_OK(MPI_Type_create_struct(3, lens, bytes, mix, &t));
	zero_add("struct", t);
	MT_OK(MPI_Type_create_struct(0, NULL, NULL, NULL, &t));
	zero_add("struct, no data", t);
}

static inline void zero_add_bounds(void)
{
	const int sizes[2] = { 4, 4 }, part[2] = { 2, 2 }, from[2] = { 1, 1 };
	MPI_Datatype t;

	MT_OK(MPI_Type_create_resized(MPI_INT, -8, 32, &t));
	zero_add("resized, negative lb", t);
	MT_OK(MPI_Type_create_resized(MPI_INT, 0, 0, &t));
	zero_add("resized, no extent", t);
	MT_OK(MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C,
				       MPI_INT, &t));
	zero_add("subarray", t);
	MT_OK(MPI_Type_dup(t, &t));
	zero_add("dup of a subarray", t);
}

static inline void zero_begin(void)
{
	memset(zero_room, 0x5a, sizeof(zero_room));
	zero_add("int", MPI_INT);
	zero_add("byte", MPI_BYTE);
	zero_add("double and int", MPI_DOUBLE_INT);
	zero_add_vectors();
	zero_add_lists();
	zero_add_bounds();
	MT_IS(zero_types, ZERO_TYPES);
}

static inline void zero_end(void)
{
	for (int i = 0; i < ZERO_ROOM; i++)
		MT_IS(zero_room[i], 0x5a);
	for (int i = 0; i < zero_types; i++)
		if (!zero_type[i].basic)
			MT_OK(MPI_Type_free(&zero_type[i].type));
}

/* Returns the largest count of type i that has no data. */
static inline int zero_max_count(int i)
{
	int bytes;

	MT_OK(MPI_Type_size(zero_type[i].type, &bytes));
	return bytes ? 0 : 3;
}

/*
 * Returns the datatype for the other side of a call: any, since a message
 * without data matches every signature.
 */
static inline MPI_Datatype zero_peer_type(int i)
{
	return zero_type[(i * 7 + 3) % ZERO_TYPES].type;
}

/* Checks the status of a message without data, with every datatype. */
static inline void zero_status(const MPI_Status *s, int source, int tag)
{
	MPI_Count big;
	int n;

	MT_IS(s->MPI_SOURCE, source);
	MT_IS(s->MPI_TAG, tag);
	for (int i = 0; i < zero_types; i++) {
		MPI_Datatype t = zero_type[i].type;

		MT_OK(MPI_Get_count(s, t, &n));
		MT_IS(n, 0);
		MT_OK(MPI_Get_count_c(s, t, &big));
		MT_IS(big, 0);
		MT_OK(MPI_Get_elements(s, t, &n));
		MT_IS(n, 0);
		MT_OK(MPI_Get_elements_x(s, t, &big));
		MT_IS(big, 0);
		MT_OK(MPI_Get_elements_c(s, t, &big));
		MT_IS(big, 0);
	}
}

#endif
