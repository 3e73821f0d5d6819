/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: integers in Fortran, addresses in C. See fort_callback.h. */
#include "src/fortran/fort_callback.h"

/*
 * Returns the value of an attribute for Fortran. For a predefined attribute C
 * gets the address of the value, Fortran the value itself.
 */
static MPI_Aint value_of(int keyval, void *attribute)
{
	if (keyval == MPI_WIN_SIZE)
		return *(MPI_Aint *)attribute;
	if ((keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE) ||
	    keyval == MPI_WIN_DISP_UNIT || keyval == MPI_WIN_CREATE_FLAVOR ||
	    keyval == MPI_WIN_MODEL)
		return *(int *)attribute;
	return fort_cell_value(attribute);
}

static int no_memory(void)
{
	PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_NO_MEM);
	return MPI_ERR_NO_MEM;
}

/*
 * Value: type of the attribute argument; the procedures of MPI 1 use a shorter
 * integer.
 */
#define GET(Fn, Kind, Value)                                                   \
	static void f_##Fn(int *object, int *keyval, Value *val, int *flag,    \
			   int *ierror)                                        \
	{                                                                      \
		void *a = NULL;                                                \
		int found = 0;                                                 \
		int rc =                                                       \
			FORT_C(Fn)(fort_##Kind(*object), *keyval, &a, &found); \
                                                                               \
		if (!rc && found)                                              \
			*val = (Value)value_of(*keyval, a);                    \
		if (!rc)                                                       \
			*flag = fort_logical(found);                           \
		fort_end(ierror, rc);                                          \
	}
#define SET(Fn, Kind, Value)                                                  \
	static void f_##Fn(int *object, int *keyval, Value *val, int *ierror) \
	{                                                                     \
		void *cell = fort_cell(*val);                                 \
		int rc = !cell ? no_memory()                                  \
			       : FORT_C(Fn)(fort_##Kind(*object), *keyval,    \
					    cell);                            \
                                                                              \
		if (rc)                                                       \
			fort_cell_free(cell);                                 \
		fort_end(ierror, rc);                                         \
	}

GET(Comm_get_attr, Comm, MPI_Aint)
FORT_BOTH(f_Comm_get_attr, mpi_comm_get_attr)
SET(Comm_set_attr, Comm, MPI_Aint)
FORT_BOTH(f_Comm_set_attr, mpi_comm_set_attr)
GET(Type_get_attr, Type, MPI_Aint)
FORT_BOTH(f_Type_get_attr, mpi_type_get_attr)
SET(Type_set_attr, Type, MPI_Aint)
FORT_BOTH(f_Type_set_attr, mpi_type_set_attr)
GET(Win_get_attr, Win, MPI_Aint)
FORT_BOTH(f_Win_get_attr, mpi_win_get_attr)
SET(Win_set_attr, Win, MPI_Aint)
FORT_BOTH(f_Win_set_attr, mpi_win_set_attr)
GET(Attr_get, Comm, int)
FORT_ALIAS(f_Attr_get, mpi_attr_get_)
SET(Attr_put, Comm, int)
FORT_ALIAS(f_Attr_put, mpi_attr_put_)
