/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations applied locally: predefined, user-defined, on derived types. */
#include "mpi_t.h"

static void subtract(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout;

	MT_IS(*type, MPI_INT);
	for (int i = 0; i < *len; i++)
		b[i] = a[i] - b[i];
}

static void add_with_gap(void *in, void *inout, MPI_Count *len,
			 MPI_Datatype *type)
{
	MPI_Aint lb, extent;

	MPI_Type_get_extent(*type, &lb, &extent);
	for (MPI_Count i = 0; i < *len; i++) {
		double *a = (double *)((char *)in + i * extent);
		double *b = (double *)((char *)inout + i * extent);

		b[0] += a[0];
		b[2] += a[2];
	}
}

static void predefined(void)
{
	double a[4] = { 1, -2, 3, 4 }, b[4] = { 5, 6, -7, 8 };
	struct {
		int v, i;
	} x = { 3, 1 }, y = { 3, 0 };
	_Bool p = 1, q = 0;
	int commute;

	MT_OK(MPI_Reduce_local(a, b, 4, MPI_DOUBLE, MPI_SUM));
	MT_TRUE(b[0] == 6 && b[1] == 4 && b[2] == -4 && b[3] == 12);
	MT_OK(MPI_Reduce_local(a, b, 4, MPI_DOUBLE, MPI_MAX));
	MT_TRUE(b[0] == 6 && b[2] == 3);
	MT_OK(MPI_Reduce_local(&x, &y, 1, MPI_2INT, MPI_MAXLOC));
	MT_TRUE(y.v == 3 && y.i == 0);
	MT_OK(MPI_Reduce_local(&p, &q, 1, MPI_C_BOOL, MPI_LXOR));
	MT_IS(q, 1);
	MT_OK(MPI_Op_commutative(MPI_SUM, &commute));
	MT_IS(commute, 1);
}

static void user(void)
{
	int a[2] = { 10, 20 }, b[2] = { 1, 2 }, commute;
	double c[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	double d[8] = { 0 };
	MPI_Datatype t, spaced;
	MPI_Op op, spaced_op;

	MT_OK(MPI_Op_create(subtract, 0, &op));
	MT_OK(MPI_Op_commutative(op, &commute));
	MT_IS(commute, 0);
	MT_OK(MPI_Reduce_local(a, b, 2, MPI_INT, op));
	MT_TRUE(b[0] == 9 && b[1] == 18);
	MT_IS(MPI_Op_fromint(MPI_Op_toint(op)), op);
	MPI_Op_free(&op);
	MT_IS(op, MPI_OP_NULL);

	MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &t);
	MPI_Type_create_resized(t, 0, 4 * sizeof(double), &spaced);
	MPI_Type_commit(&spaced);
	MT_OK(MPI_Op_create_c(add_with_gap, 1, &spaced_op));
	MT_OK(MPI_Reduce_local_c(c, d, 2, spaced, spaced_op));
	MT_TRUE(d[0] == 1 && d[1] == 0 && d[2] == 1 && d[4] == 1 && d[6] == 1);
	MPI_Op_free(&spaced_op);
	MPI_Type_free(&t);
	MPI_Type_free(&spaced);
}

static void errors(void)
{
	double a = 1, b = 2;
	MPI_Op op = MPI_SUM;

	MT_IS(mt_class(MPI_Reduce_local(&a, &a, 1, MPI_DOUBLE, MPI_SUM)),
	      MPI_ERR_BUFFER);
	MT_IS(mt_class(MPI_Reduce_local(MPI_IN_PLACE, &a, 1, MPI_DOUBLE,
					MPI_SUM)),
	      MPI_ERR_BUFFER);
	MT_IS(mt_class(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_BAND)),
	      MPI_ERR_OP);
	MT_IS(mt_class(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_OP_NULL)),
	      MPI_ERR_OP);
	MT_IS(mt_class(MPI_Op_free(&op)), MPI_ERR_OP);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	predefined();
	user();
	errors();
	return mt_end();
}
