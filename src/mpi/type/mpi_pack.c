/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pack and related functions. Packed data has no header: it can be sent as
 * MPI_PACKED and received as the type, and vice versa.
 */
#include "src/mpi/mpi_export.h"

#include "src/offload/offload_device.h"
#include "src/types/types_pack.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/type/mpi_type.h"

#include <limits.h>
#include <string.h>

/* A packed buffer and the position in it, for either width of integers. */
struct flat {
	const char *func;
	int size_arg; /* number of the size argument; the position follows */
	MPI_Count size;
	MPI_Count pos;
	bool external; /* packed as external32 */
};

/* Checks that `need` bytes are available at the position. */
static int check_flat(const struct flat *f, MPI_Count need)
{
	if (!weft_check)
		return 0;
	if (f->pos < 0 || f->pos > f->size)
		return weft_err_arg(NULL, f->func, MPI_ERR_ARG, f->size_arg + 1,
				    "position %lld in a buffer of %lld bytes",
				    (long long)f->pos, (long long)f->size);
	if (need > f->size - f->pos)
		return weft_err_arg(
			NULL, f->func, MPI_ERR_TRUNCATE, f->size_arg,
			"%lld bytes needed at position %lld of %lld",
			(long long)need, (long long)f->pos, (long long)f->size);
	return 0;
}

static int check_comm(const char *func, int arg, MPI_Comm comm)
{
	struct weft_comm *c;

	return mpi_check_comm(func, arg, comm, &c);
}

/*
 * Starts a pack or unpack. err: result of the first check; position: the
 * caller's argument, of either type.
 */
static int flat_open(const struct flat *f, int err, struct mpi_msg *m,
		     const void *position, struct weft_typed *t)
{
	if (!err)
		err = weft_check_ptr(NULL, f->func, f->size_arg + 1, position,
				     "position");
	if (!err)
		err = mpi_check_data(m, NULL);
	if (err)
		return err;
	*t = (struct weft_typed){ m->dt, (void *)(uintptr_t)m->buf, m->count };
	return check_flat(f, t->count * (f->external ? weft_pack_ext_size(t->dt)
						     : t->dt->size));
}

static int pack(struct flat *f, int err, struct mpi_msg *m, void *out,
		const void *position)
{
	struct weft_typed t;
	size_t bytes;

	err = flat_open(f, err, m, position, &t);
	if (err)
		return err;
	out = (char *)out + f->pos;
	bytes = weft_typed_bytes(&t);
	if (f->external)
		bytes = weft_pack_ext(&t, out);
	else
		err = weft_core_pack(&t, 0, out, bytes);
	if (err)
		return weft_err_rc(NULL, m->func, err);
	f->pos += (MPI_Count)bytes;
	return MPI_SUCCESS;
}

static int unpack(struct flat *f, int err, struct mpi_msg *m, const void *in,
		  const void *position)
{
	struct weft_typed t;
	size_t bytes;

	err = flat_open(f, err, m, position, &t);
	if (err)
		return err;
	in = (const char *)in + f->pos;
	bytes = weft_typed_bytes(&t);
	if (f->external)
		bytes = weft_unpack_ext(&t, in);
	else
		err = weft_core_unpack(&t, 0, in, bytes);
	if (err)
		return weft_err_rc(NULL, m->func, err);
	f->pos += (MPI_Count)bytes;
	return MPI_SUCCESS;
}

/* ---- sizes ---------------------------------------------------------------*/

static int size_of(const char *func, int arg, MPI_Count count,
		   MPI_Datatype type, bool external, MPI_Count *size)
{
	struct weft_dt *dt;
	int err = mpi_check_type(func, arg + 1, type, &dt);

	if (err)
		return err;
	if (weft_check && count < 0)
		return weft_err_arg(NULL, func, MPI_ERR_COUNT, arg,
				    "negative count %lld", (long long)count);
	*size = external ? weft_pack_ext_size(dt) : dt->size;
	if (__builtin_mul_overflow(*size, count, size))
		return weft_err_arg(NULL, func, MPI_ERR_COUNT, arg,
				    "%lld elements have too many bytes",
				    (long long)count);
	return 0;
}

/* ---- external32 ----------------------------------------------------------*/

static int check_rep(const char *func, const char *datarep)
{
	if (datarep && !strcmp(datarep, "external32"))
		return 0;
	return weft_err_arg(NULL, func, MPI_ERR_UNSUPPORTED_DATAREP, 1,
			    "data representation \"%s\" is not external32",
			    datarep ? datarep : "(null)");
}

#define MPI_BODY "src/mpi/type/mpi_pack_body.inc"
#include "src/mpi/mpi_both_counts.h"
