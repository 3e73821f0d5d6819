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
	int size_arg; /* argument with the size; the position follows */
	MPI_Count size;
	MPI_Count pos;
	bool external; /* external32 */
};

/* need bytes must be available from the position on. */
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

/* err: result of the first check; position: the caller's, of either type. */
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

	err = flat_open(f, err, m, position, &t);
	if (err)
		return err;
	out = (char *)out + f->pos;
	f->pos +=
		(MPI_Count)(f->external ? weft_pack_ext(&t, out)
					: weft_core_pack(&t, 0, out,
							 weft_typed_bytes(&t)));
	return MPI_SUCCESS;
}

static int unpack(struct flat *f, int err, struct mpi_msg *m, const void *in,
		  const void *position)
{
	struct weft_typed t;

	err = flat_open(f, err, m, position, &t);
	if (err)
		return err;
	in = (const char *)in + f->pos;
	f->pos += (MPI_Count)(f->external
				      ? weft_unpack_ext(&t, in)
				      : weft_core_unpack(&t, 0, in,
							 weft_typed_bytes(&t)));
	return MPI_SUCCESS;
}

/* ---- native --------------------------------------------------------------*/

#pragma weak MPI_Pack = PMPI_Pack
int PMPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype,
	      void *outbuf, int outsize, int *position, MPI_Comm comm)
{
	MPI_ENTER;
	struct flat f = { __func__, 5, outsize, position ? *position : 0,
			  false };
	struct mpi_msg m = { .func = __func__,
			     .arg = 1,
			     .buf = inbuf,
			     .count = incount,
			     .type = datatype };
	int err = pack(&f, check_comm(__func__, 7, comm), &m, outbuf, position);

	if (!err)
		*position = (int)f.pos;
	return err;
}

#pragma weak MPI_Pack_c = PMPI_Pack_c
int PMPI_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype,
		void *outbuf, MPI_Count outsize, MPI_Count *position,
		MPI_Comm comm)
{
	MPI_ENTER;
	struct flat f = { __func__, 5, outsize, position ? *position : 0,
			  false };
	struct mpi_msg m = { .func = __func__,
			     .arg = 1,
			     .buf = inbuf,
			     .count = incount,
			     .type = datatype };
	int err = pack(&f, check_comm(__func__, 7, comm), &m, outbuf, position);

	if (!err)
		*position = f.pos;
	return err;
}

#pragma weak MPI_Unpack = PMPI_Unpack
int PMPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf,
		int outcount, MPI_Datatype datatype, MPI_Comm comm)
{
	MPI_ENTER;
	struct flat f = { __func__, 2, insize, position ? *position : 0,
			  false };
	struct mpi_msg m = { .func = __func__,
			     .arg = 4,
			     .buf = outbuf,
			     .count = outcount,
			     .type = datatype };
	int err =
		unpack(&f, check_comm(__func__, 7, comm), &m, inbuf, position);

	if (!err)
		*position = (int)f.pos;
	return err;
}

#pragma weak MPI_Unpack_c = PMPI_Unpack_c
int PMPI_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position,
		  void *outbuf, MPI_Count outcount, MPI_Datatype datatype,
		  MPI_Comm comm)
{
	MPI_ENTER;
	struct flat f = { __func__, 2, insize, position ? *position : 0,
			  false };
	struct mpi_msg m = { .func = __func__,
			     .arg = 4,
			     .buf = outbuf,
			     .count = outcount,
			     .type = datatype };
	int err =
		unpack(&f, check_comm(__func__, 7, comm), &m, inbuf, position);

	if (!err)
		*position = f.pos;
	return err;
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

#pragma weak MPI_Pack_size = PMPI_Pack_size
int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
	MPI_ENTER;
	MPI_Count n = 0;
	int err = check_comm(__func__, 3, comm);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, size, "size");
	if (!err)
		err = size_of(__func__, 1, incount, datatype, false, &n);
	if (!err)
		*size = n > INT_MAX ? MPI_UNDEFINED : (int)n;
	return err;
}

#pragma weak MPI_Pack_size_c = PMPI_Pack_size_c
int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm,
		     MPI_Count *size)
{
	MPI_ENTER;
	int err = check_comm(__func__, 3, comm);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, size, "size");
	return err ? err : size_of(__func__, 1, incount, datatype, false, size);
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

#pragma weak MPI_Pack_external_size = PMPI_Pack_external_size
int PMPI_Pack_external_size(const char *datarep, int incount,
			    MPI_Datatype datatype, MPI_Aint *size)
{
	MPI_ENTER;
	MPI_Count n = 0;
	int err = check_rep(__func__, datarep);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, size, "size");
	if (!err)
		err = size_of(__func__, 2, incount, datatype, true, &n);
	if (!err)
		*size = (MPI_Aint)n;
	return err;
}

#pragma weak MPI_Pack_external_size_c = PMPI_Pack_external_size_c
int PMPI_Pack_external_size_c(const char *datarep, MPI_Count incount,
			      MPI_Datatype datatype, MPI_Count *size)
{
	MPI_ENTER;
	int err = check_rep(__func__, datarep);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, size, "size");
	return err ? err : size_of(__func__, 2, incount, datatype, true, size);
}

#pragma weak MPI_Pack_external = PMPI_Pack_external
int PMPI_Pack_external(const char *datarep, const void *inbuf, int incount,
		       MPI_Datatype datatype, void *outbuf, MPI_Aint outsize,
		       MPI_Aint *position)
{
	MPI_ENTER;
	struct flat f = { __func__, 6, outsize, position ? *position : 0,
			  true };
	struct mpi_msg m = { .func = __func__,
			     .arg = 2,
			     .buf = inbuf,
			     .count = incount,
			     .type = datatype };
	int err = pack(&f, check_rep(__func__, datarep), &m, outbuf, position);

	if (!err)
		*position = (MPI_Aint)f.pos;
	return err;
}

#pragma weak MPI_Pack_external_c = PMPI_Pack_external_c
int PMPI_Pack_external_c(const char *datarep, const void *inbuf,
			 MPI_Count incount, MPI_Datatype datatype, void *outbuf,
			 MPI_Count outsize, MPI_Count *position)
{
	MPI_ENTER;
	struct flat f = { __func__, 6, outsize, position ? *position : 0,
			  true };
	struct mpi_msg m = { .func = __func__,
			     .arg = 2,
			     .buf = inbuf,
			     .count = incount,
			     .type = datatype };
	int err = pack(&f, check_rep(__func__, datarep), &m, outbuf, position);

	if (!err)
		*position = f.pos;
	return err;
}

#pragma weak MPI_Unpack_external = PMPI_Unpack_external
int PMPI_Unpack_external(const char datarep[], const void *inbuf,
			 MPI_Aint insize, MPI_Aint *position, void *outbuf,
			 int outcount, MPI_Datatype datatype)
{
	MPI_ENTER;
	struct flat f = { __func__, 3, insize, position ? *position : 0, true };
	struct mpi_msg m = { .func = __func__,
			     .arg = 5,
			     .buf = outbuf,
			     .count = outcount,
			     .type = datatype };
	int err = unpack(&f, check_rep(__func__, datarep), &m, inbuf, position);

	if (!err)
		*position = (MPI_Aint)f.pos;
	return err;
}

#pragma weak MPI_Unpack_external_c = PMPI_Unpack_external_c
int PMPI_Unpack_external_c(const char datarep[], const void *inbuf,
			   MPI_Count insize, MPI_Count *position, void *outbuf,
			   MPI_Count outcount, MPI_Datatype datatype)
{
	MPI_ENTER;
	struct flat f = { __func__, 3, insize, position ? *position : 0, true };
	struct mpi_msg m = { .func = __func__,
			     .arg = 5,
			     .buf = outbuf,
			     .count = outcount,
			     .type = datatype };
	int err = unpack(&f, check_rep(__func__, datarep), &m, inbuf, position);

	if (!err)
		*position = f.pos;
	return err;
}
