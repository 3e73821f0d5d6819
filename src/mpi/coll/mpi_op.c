/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations: create, free, query, apply locally. */
#include "src/mpi/mpi_export.h"

#include "src/offload/offload_device.h"
#include "src/diag/diag_err.h"
#include "src/types/types_op.h"
#include "src/mpi/mpi_check.h"

static int check_op(const char *func, int arg, MPI_Op handle,
		    struct weft_op **op_p)
{
	*op_p = weft_op_of(handle);
	if (*op_p)
		return 0;
	if (handle == MPI_OP_NULL)
		return weft_err_arg(NULL, func, MPI_ERR_OP, arg,
				    "operation is MPI_OP_NULL");
	return weft_err_arg(NULL, func, MPI_ERR_OP, arg, "invalid operation %p",
			    (void *)handle);
}

static int op_create(const char *func, MPI_User_function *fn,
		     MPI_User_function_c *fn_c, int commute, MPI_Op *op)
{
	struct weft_op *o;
	int err = weft_check_ptr(NULL, func, 3, op, "op");
	int rc;

	if (!err && weft_check && !fn && !fn_c)
		err = weft_check_ptr(NULL, func, 1, NULL, "user_fn");
	if (err)
		return err;
	rc = weft_op_open(fn, fn_c, commute, &o);
	if (!rc)
		*op = weft_op_handle(o);
	return weft_err_rc(NULL, func, rc);
}

#pragma weak MPI_Op_create = PMPI_Op_create
int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	MPI_ENTER;

	return op_create(__func__, user_fn, NULL, commute, op);
}

#pragma weak MPI_Op_create_c = PMPI_Op_create_c
int PMPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
	MPI_ENTER;

	return op_create(__func__, NULL, user_fn, commute, op);
}

#pragma weak MPI_Op_free = PMPI_Op_free
int PMPI_Op_free(MPI_Op *op)
{
	MPI_ENTER;
	struct weft_op *o;
	int err = weft_check_ptr(NULL, __func__, 1, op, "op");

	if (!err)
		err = check_op(__func__, 1, *op, &o);
	if (err)
		return err;
	if (o->obj.predefined)
		return weft_err_arg(NULL, __func__, MPI_ERR_OP, 1,
				    "a predefined operation cannot be freed");
	weft_op_put(o);
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}

#pragma weak MPI_Op_commutative = PMPI_Op_commutative
int PMPI_Op_commutative(MPI_Op op, int *commute)
{
	MPI_ENTER;
	struct weft_op *o;
	int err = check_op(__func__, 1, op, &o);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, commute, "commute");
	if (!err)
		*commute = weft_op_commutes(o);
	return err;
}

/* Checks two buffers, neither of which may be MPI_IN_PLACE. */
static int check_buffers(const struct mpi_msg *m, const void *inout)
{
	int arg = m->buf == MPI_IN_PLACE ? 1 : 2;

	if (!weft_check || (m->buf != MPI_IN_PLACE && inout != MPI_IN_PLACE &&
			    (m->buf != inout || !m->count || !m->dt->size)))
		return 0;
	return weft_err_arg(NULL, m->func, MPI_ERR_BUFFER, arg,
			    "inbuf and inoutbuf must be different buffers");
}

static int reduce_local(struct mpi_msg *m, void *inout, MPI_Op op)
{
	struct weft_op *o;
	int err = mpi_check_data(m, NULL);

	if (!err && !inout && m->count && m->dt->obj.predefined)
		err = weft_err_arg(NULL, m->func, MPI_ERR_BUFFER, 2,
				   "buffer is NULL");
	if (!err)
		err = check_buffers(m, inout);
	if (!err)
		err = check_op(m->func, 5, op, &o);
	if (err)
		return err;
	if (weft_check && !weft_op_allows(o, m->dt))
		return weft_err_arg(NULL, m->func, MPI_ERR_OP, 5,
				    "operation is not defined for datatype %s",
				    m->dt->name ? m->dt->name : "(derived)");
	if (m->count && (weft_device_owns(m->buf) || weft_device_owns(inout)))
		return weft_err_rc(
			NULL, m->func,
			weft_device_apply(o, m->buf, inout, m->count, m->dt));
	if (m->count)
		weft_op_apply(o, m->buf, inout, m->count, m->dt);
	return MPI_SUCCESS;
}

/*
 * mpi_msg.arg is 2 in MPI_Reduce_local, so that count and datatype, the next
 * two positions, are reported as its arguments 3 and 4.
 */

#define MPI_BODY "src/mpi/coll/mpi_op_body.inc"
#include "src/mpi/mpi_both_counts.h"
