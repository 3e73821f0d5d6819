/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions of arguments that are not inline: strings, arrays, constants. */
#include "src/fortran/fort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FORT_EXPORT struct fort_addresses mpi_fort_addresses_;
FORT_EXPORT struct fort_strings mpi_fort_strings_;

void *fort_buf_special(const void *p)
{
	const struct fort_addresses *a = &mpi_fort_addresses_;

	if (p == &a->in_place)
		return MPI_IN_PLACE;
	return p == &a->buffer_automatic ? MPI_BUFFER_AUTOMATIC : MPI_BOTTOM;
}

int *fort_weights(const int *weights)
{
	if (weights == &mpi_fort_addresses_.unweighted)
		return MPI_UNWEIGHTED;
	if (weights == &mpi_fort_addresses_.weights_empty)
		return MPI_WEIGHTS_EMPTY;
	return (int *)(uintptr_t)weights;
}

void *fort_mem(struct fort_mem *m, size_t bytes)
{
	m->heap = NULL;
	if (bytes <= sizeof(m->stack))
		return m->stack;
	m->heap = malloc(bytes);
	if (!m->heap) {
		fprintf(stderr,
			"MPI: no memory for a Fortran argument of "
			"%zu bytes\n",
			bytes);
		PMPI_Abort(MPI_COMM_SELF, MPI_ERR_NO_MEM);
		abort();
	}
	return m->heap;
}

void fort_mem_end(struct fort_mem *m)
{
	free(m->heap);
}

static size_t bytes_of(int n, size_t each)
{
	return n > 0 ? (size_t)n * each : 0;
}

int *fort_bools(struct fort_mem *m, const int *logicals, int n)
{
	int *b = fort_mem(m, bytes_of(n, sizeof(int)));

	for (int i = 0; i < n; i++)
		b[i] = fort_bool(logicals[i]);
	return b;
}

void fort_bools_update(int *logicals, const int *bools, int n)
{
	for (int i = 0; i < n; i++)
		logicals[i] = fort_logical(bools[i]);
}

char *fort_string(struct fort_mem *m, const char *s, size_t n)
{
	char *c;

	while (n > 0 && s[n - 1] == ' ')
		n--;
	while (n > 0 && *s == ' ') {
		s++;
		n--;
	}
	c = fort_mem(m, n + 1);
	memcpy(c, s, n);
	c[n] = 0;
	return c;
}

void fort_pad(char *to, size_t n, const char *from)
{
	size_t have = strnlen(from, n);

	memcpy(to, from, have);
	memset(to + have, ' ', n - have);
}

MPI_Datatype *fort_Type_array(struct fort_mem *m, const int *i, int n)
{
	MPI_Datatype *h = fort_mem(m, bytes_of(n, sizeof(*h)));

	for (int k = 0; k < n; k++)
		h[k] = fort_Type(i[k]);
	return h;
}

MPI_Request *fort_Request_array(struct fort_mem *m, const int *i, int n)
{
	MPI_Request *h = fort_mem(m, bytes_of(n, sizeof(*h)));

	for (int k = 0; k < n; k++)
		h[k] = fort_Request(i[k]);
	return h;
}

void fort_requests_update(int *i, const MPI_Request *h, int n)
{
	for (int k = 0; k < n; k++)
		fort_Request_update(&i[k], h[k]);
}

/*
 * Returns 0 if the number cannot be determined: the C function then reports the
 * invalid communicator.
 */
int fort_peers(const int *comm)
{
	MPI_Comm c = fort_Comm(*comm);
	int inter = 0, n = 0;

	if (c == MPI_COMM_NULL || PMPI_Comm_test_inter(c, &inter))
		return 0;
	if (inter)
		PMPI_Comm_remote_size(c, &n);
	else
		PMPI_Comm_size(c, &n);
	return n;
}

int fort_cart_dims(const int *comm)
{
	MPI_Comm c = fort_Comm(*comm);
	int kind = MPI_UNDEFINED, n = 0;

	if (c == MPI_COMM_NULL || PMPI_Topo_test(c, &kind) || kind != MPI_CART)
		return 0;
	return PMPI_Cartdim_get(c, &n) ? 0 : n;
}

int fort_neighbors(const int *comm, int out)
{
	MPI_Comm c = fort_Comm(*comm);
	int kind = MPI_UNDEFINED, in = 0, to = 0, rank = 0, weighted;

	if (c == MPI_COMM_NULL || PMPI_Topo_test(c, &kind))
		return 0;
	if (kind == MPI_CART)
		return 2 * fort_cart_dims(comm);
	if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(c, &in, &to, &weighted);
		return out ? to : in;
	}
	if (kind != MPI_GRAPH || PMPI_Comm_rank(c, &rank))
		return 0;
	return PMPI_Graph_neighbors_count(c, rank, &in) ? 0 : in;
}

/* ---- handles are equal if their values are equal ------------------------- */

#define COMPARE(handle)                                                     \
	int mpi_fort_##handle##_eq_(const int *a, const int *b);            \
	FORT_EXPORT int mpi_fort_##handle##_eq_(const int *a, const int *b) \
	{                                                                   \
		return fort_logical(*a == *b);                              \
	}                                                                   \
	int mpi_fort_##handle##_ne_(const int *a, const int *b);            \
	FORT_EXPORT int mpi_fort_##handle##_ne_(const int *a, const int *b) \
	{                                                                   \
		return fort_logical(*a != *b);                              \
	}

COMPARE(comm)
COMPARE(datatype)
COMPARE(errhandler)
COMPARE(file)
COMPARE(group)
COMPARE(info)
COMPARE(message)
COMPARE(op)
COMPARE(request)
COMPARE(session)
COMPARE(win)
