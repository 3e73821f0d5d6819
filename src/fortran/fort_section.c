/* SPDX-License-Identifier: BSD-3-Clause */
/* Array sections as datatypes or as contiguous copies. See the header. */
#include "src/fortran/fort_section.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Errors of sections belong to no communicator: the error handler of
 * MPI_COMM_SELF is called.
 */
static int fail(int code)
{
	PMPI_Comm_call_errhandler(MPI_COMM_SELF, code);
	return code;
}

static MPI_Count elements_of(const CFI_cdesc_t *d, int dims)
{
	MPI_Count n = 1;

	for (int i = 0; i < dims; i++)
		n *= d->dim[i].extent;
	return n;
}

/* ---- datatypes ----------------------------------------------------------- */

/* A datatype and the number of its items in one element of the array. */
struct item {
	MPI_Datatype type;
	MPI_Count n;
};

static int make_full(const CFI_cdesc_t *d, int dims, struct item e,
		     MPI_Datatype *made)
{
	MPI_Datatype inner, next;
	int rc = PMPI_Type_contiguous_c(e.n, e.type, &inner);

	for (int i = 0; i < dims && !rc; i++) {
		rc = PMPI_Type_create_hvector_c(d->dim[i].extent, 1,
						d->dim[i].sm, inner, &next);
		PMPI_Type_free(&inner);
		inner = next;
	}
	*made = inner;
	return rc;
}

static int join(MPI_Datatype a, MPI_Datatype b, MPI_Count at,
		MPI_Datatype *made)
{
	MPI_Count lengths[2] = { 1, 1 }, places[2] = { 0, at };
	MPI_Datatype types[2] = { a, b };
	int rc = PMPI_Type_create_struct_c(2, lengths, places, types, made);

	PMPI_Type_free(&a);
	PMPI_Type_free(&b);
	return rc;
}

/*
 * Makes a type of the first n elements of a section, in its lowest `dims`
 * dimensions.
 */
static int make_first(const CFI_cdesc_t *d, int dims, MPI_Count n,
		      struct item e, MPI_Datatype *made)
{
	MPI_Datatype inner, rows, rest;
	MPI_Count row, whole;
	int rc;

	if (dims == 0)
		return PMPI_Type_contiguous_c(e.n, e.type, made);
	row = elements_of(d, dims - 1);
	whole = n / row;
	rc = make_full(d, dims - 1, e, &inner);
	if (rc)
		return rc;
	rc = PMPI_Type_create_hvector_c(whole, 1, d->dim[dims - 1].sm, inner,
					&rows);
	PMPI_Type_free(&inner);
	if (rc || n % row == 0) {
		*made = rows;
		return rc;
	}
	rc = make_first(d, dims - 1, n % row, e, &rest);
	return rc ? rc : join(rows, rest, whole * d->dim[dims - 1].sm, made);
}

static MPI_Datatype type_of_element(const CFI_cdesc_t *d)
{
	switch (d->type) {
	case CFI_type_float:
		return MPI_FLOAT;
	case CFI_type_double:
		return MPI_DOUBLE;
	case CFI_type_float_Complex:
		return MPI_C_FLOAT_COMPLEX;
	case CFI_type_double_Complex:
		return MPI_C_DOUBLE_COMPLEX;
	case CFI_type_int8_t:
		return MPI_INT8_T;
	case CFI_type_int16_t:
		return MPI_INT16_T;
	case CFI_type_int32_t:
		return MPI_INT32_T;
	case CFI_type_int64_t:
		return MPI_INT64_T;
	default:
		return MPI_BYTE;
	}
}

/* Returns whether items of the type fill memory without gaps. */
static int is_dense(MPI_Datatype t, MPI_Count extent)
{
	MPI_Count size, low, true_extent;

	return !PMPI_Type_size_c(t, &size) &&
	       !PMPI_Type_get_true_extent_c(t, &low, &true_extent) &&
	       size == extent && low == 0 && true_extent == extent;
}

/*
 * Finds how `count` items of the type cover elements: an element has one or
 * several items, or an item has several elements. Returns the number of
 * elements, or -1.
 */
static MPI_Count cover(const CFI_cdesc_t *d, MPI_Count count, MPI_Datatype t,
		       struct item *e)
{
	MPI_Count bytes = (MPI_Count)d->elem_len, low, extent;
	int one_byte;

	if (PMPI_Type_get_extent_c(t, &low, &extent) || extent <= 0)
		return -1;
	*e = (struct item){ t, 1 };
	if (extent == bytes)
		return count;
	if (!is_dense(t, extent))
		return -1;
	if (bytes % extent == 0 && count % (bytes / extent) == 0) {
		e->n = bytes / extent;
		return count / e->n;
	}
	if (extent % bytes)
		return -1;
	e->type = type_of_element(d);
	one_byte = e->type == MPI_BYTE;
	e->n = one_byte ? bytes : 1;
	return count * (extent / bytes);
}

static void set_plain(struct fort_section *s, CFI_cdesc_t *d, MPI_Count count,
		      int type)
{
	s->addr = d->base_addr;
	s->count = count;
	s->n = count > INT_MAX ? INT_MAX : (int)count;
	s->type = type;
}

int fort_one(struct fort_section *s, CFI_cdesc_t *d, MPI_Count count, int type)
{
	struct item e;
	MPI_Count n;
	int rc;

	set_plain(s, d, count, type);
	if (fort_plain(d) || count <= 0)
		return MPI_SUCCESS;
	n = cover(d, count, fort_Type(type), &e);
	if (n < 0)
		return fail(MPI_ERR_TYPE);
	if (n > elements_of(d, d->rank))
		return fail(MPI_ERR_COUNT);
	rc = make_first(d, d->rank, n, e, &s->made);
	if (rc) {
		s->made = NULL;
		return rc;
	}
	rc = PMPI_Type_commit(&s->made);
	if (rc)
		return rc;
	s->count = s->n = 1;
	s->type = fort_Type_int(s->made);
	return MPI_SUCCESS;
}

/*
 * Returns the distance in bytes between neighbouring elements, or 0 if it
 * varies.
 */
static ptrdiff_t uniform_step(const CFI_cdesc_t *d)
{
	ptrdiff_t step = 0, next = 0;

	for (int i = 0; i < d->rank; i++) {
		if (d->dim[i].extent == 1)
			continue;
		if (!step)
			step = next = d->dim[i].sm;
		if (d->dim[i].sm != next)
			return 0;
		next *= d->dim[i].extent;
	}
	return step;
}

int fort_many(struct fort_section *s, CFI_cdesc_t *d, int type, int pending,
	      int constant)
{
	MPI_Datatype t = fort_Type(type);
	ptrdiff_t step = uniform_step(d);
	MPI_Count low, extent;
	int rc;

	set_plain(s, d, 0, type);
	if (fort_plain(d))
		return MPI_SUCCESS;
	if (!step || PMPI_Type_get_extent_c(t, &low, &extent) ||
	    extent != (MPI_Count)d->elem_len)
		return fort_copy(s, d, pending, constant);
	rc = PMPI_Type_create_resized_c(t, low, step, &s->made);
	if (!rc)
		rc = PMPI_Type_commit(&s->made);
	if (!rc)
		s->type = fort_Type_int(s->made);
	return rc;
}

/* ---- copies -------------------------------------------------------------- */

/*
 * Copies between the section and contiguous memory. Returns the end of the
 * contiguous memory that was used.
 */
static char *move(const CFI_cdesc_t *d, int dims, char *at, char *packed,
		  int in)
{
	if (dims == 0) {
		memcpy(in ? packed : at, in ? at : packed, d->elem_len);
		return packed + d->elem_len;
	}
	for (ptrdiff_t i = 0; i < d->dim[dims - 1].extent; i++)
		packed = move(d, dims - 1, at + i * d->dim[dims - 1].sm, packed,
			      in);
	return packed;
}

int fort_copy(struct fort_section *s, CFI_cdesc_t *d, int pending, int constant)
{
	s->addr = d->base_addr;
	if (fort_plain(d))
		return MPI_SUCCESS;
	/* refused: a copy could not be written back after the call */
	if (pending)
		return fail(MPI_ERR_BUFFER);
	s->copy = malloc((size_t)elements_of(d, d->rank) * d->elem_len);
	if (!s->copy)
		return fail(MPI_ERR_NO_MEM);
	move(d, d->rank, d->base_addr, s->copy, 1);
	s->addr = s->copy;
	s->from = constant ? NULL : d;
	return MPI_SUCCESS;
}

void fort_close(struct fort_section *s, int n)
{
	for (int i = 0; i < n; i++) {
		if (s[i].copy && s[i].from)
			move(s[i].from, s[i].from->rank, s[i].from->base_addr,
			     s[i].copy, 0);
		free(s[i].copy);
		if (s[i].made)
			PMPI_Type_free(&s[i].made);
	}
}
