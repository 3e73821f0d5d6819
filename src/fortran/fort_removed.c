/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Procedures that MPI 3.0 removed but old programs still call; each calls its
 * successor, as weft/mpi_compat.h does in C. Addresses are default INTEGERs, so
 * these procedures work for relative displacements; an address that does not
 * fit is an error.
 */
#include "src/fortran/fort_callback.h"

#include <limits.h>

/*
 * Stores an address in a default INTEGER. Returns MPI_SUCCESS, or MPI_ERR_ARG
 * if it does not fit.
 */
static int narrow(int *to, MPI_Aint from)
{
	if (from > INT_MAX || from < INT_MIN) {
		PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_ARG);
		return MPI_ERR_ARG;
	}
	*to = (int)from;
	return MPI_SUCCESS;
}

static MPI_Aint *widen(struct fort_mem *m, const int *from, int n)
{
	MPI_Aint *a = fort_mem(m, n > 0 ? (size_t)n * sizeof(*a) : 0);

	for (int i = 0; i < n; i++)
		a[i] = from[i];
	return a;
}

static void f_Address(void *location, int *address, int *ierror)
{
	MPI_Aint a = 0;
	int rc = FORT_C(Get_address)(fort_buf(location), &a);

	fort_end(ierror, rc ? rc : narrow(address, a));
}
FORT_ALIAS(f_Address, mpi_address_)

static void f_Type_hvector(int *count, int *length, int *stride, int *old,
			   int *type, int *ierror)
{
	MPI_Datatype t = MPI_DATATYPE_NULL;
	int rc = FORT_C(Type_create_hvector)(*count, *length, *stride,
					     fort_Type(*old), &t);

	if (!rc)
		*type = fort_Type_int(t);
	fort_end(ierror, rc);
}
FORT_ALIAS(f_Type_hvector, mpi_type_hvector_)

static void f_Type_hindexed(int *count, int *lengths, int *places, int *old,
			    int *type, int *ierror)
{
	MPI_Datatype t = MPI_DATATYPE_NULL;
	struct fort_mem m;
	int rc = FORT_C(Type_create_hindexed)(*count, lengths,
					      widen(&m, places, *count),
					      fort_Type(*old), &t);

	if (!rc)
		*type = fort_Type_int(t);
	fort_mem_end(&m);
	fort_end(ierror, rc);
}
FORT_ALIAS(f_Type_hindexed, mpi_type_hindexed_)

static void f_Type_struct(int *count, int *lengths, int *places, int *types,
			  int *type, int *ierror)
{
	MPI_Datatype t = MPI_DATATYPE_NULL;
	struct fort_mem m, tm;
	int rc = FORT_C(Type_create_struct)(
		*count, lengths, widen(&m, places, *count),
		fort_Type_array(&tm, types, *count), &t);

	if (!rc)
		*type = fort_Type_int(t);
	fort_mem_end(&m);
	fort_mem_end(&tm);
	fort_end(ierror, rc);
}
FORT_ALIAS(f_Type_struct, mpi_type_struct_)

/*
 * Gets a bound or the extent of a type. which: 0 for the lower bound, 1 for the
 * extent, 2 for the upper bound
 */
static void bound(int *type, int *to, int which, int *ierror)
{
	MPI_Aint low = 0, extent = 0;
	int rc = FORT_C(Type_get_extent)(fort_Type(*type), &low, &extent);
	MPI_Aint all[] = { low, extent, low + extent };

	fort_end(ierror, rc ? rc : narrow(to, all[which]));
}

static void f_Type_lb(int *type, int *low, int *ierror)
{
	bound(type, low, 0, ierror);
}
FORT_ALIAS(f_Type_lb, mpi_type_lb_)

static void f_Type_extent(int *type, int *extent, int *ierror)
{
	bound(type, extent, 1, ierror);
}
FORT_ALIAS(f_Type_extent, mpi_type_extent_)

static void f_Type_ub(int *type, int *up, int *ierror)
{
	bound(type, up, 2, ierror);
}
FORT_ALIAS(f_Type_ub, mpi_type_ub_)

static void f_Errhandler_create(fort_proc *proc, int *errhandler, int *ierror)
{
	MPI_Comm_errhandler_function *fn = fort_comm_err_fn(proc);
	MPI_Errhandler h = MPI_ERRHANDLER_NULL;
	int rc = fn ? FORT_C(Comm_create_errhandler)(fn, &h) : MPI_ERR_OTHER;

	if (!rc)
		*errhandler = fort_Errhandler_int(h);
	fort_end(ierror, rc);
}
FORT_ALIAS(f_Errhandler_create, mpi_errhandler_create_)

static void f_Errhandler_get(int *comm, int *errhandler, int *ierror)
{
	MPI_Errhandler h = MPI_ERRHANDLER_NULL;
	int rc = FORT_C(Comm_get_errhandler)(fort_Comm(*comm), &h);

	if (!rc)
		*errhandler = fort_Errhandler_int(h);
	fort_end(ierror, rc);
}
FORT_ALIAS(f_Errhandler_get, mpi_errhandler_get_)

static void f_Errhandler_set(int *comm, int *errhandler, int *ierror)
{
	fort_end(ierror,
		 FORT_C(Comm_set_errhandler)(fort_Comm(*comm),
					     fort_Errhandler(*errhandler)));
}
FORT_ALIAS(f_Errhandler_set, mpi_errhandler_set_)
