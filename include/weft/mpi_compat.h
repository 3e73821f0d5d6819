/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs use and the standard ABI leaves out: Fortran handles as ints,
 * and names that MPI 3.0 removed, mapped to their successors. The library has
 * no symbol for any of it. -DWEFT_STRICT_ABI turns all of it off. mpi.h
 * includes this page at its end; nobody else should.
 */
#ifndef WEFT_MPI_COMPAT_H
#define WEFT_MPI_COMPAT_H

/* ---- Fortran: handles and statuses as integers --------------------------- */

typedef int MPI_Fint;

#define MPI_Comm_c2f(h)	      ((MPI_Fint)MPI_Comm_toint(h))
#define MPI_Comm_f2c(i)	      MPI_Comm_fromint(i)
#define MPI_Errhandler_c2f(h) ((MPI_Fint)MPI_Errhandler_toint(h))
#define MPI_Errhandler_f2c(i) MPI_Errhandler_fromint(i)
#define MPI_File_c2f(h)	      ((MPI_Fint)MPI_File_toint(h))
#define MPI_File_f2c(i)	      MPI_File_fromint(i)
#define MPI_Group_c2f(h)      ((MPI_Fint)MPI_Group_toint(h))
#define MPI_Group_f2c(i)      MPI_Group_fromint(i)
#define MPI_Info_c2f(h)	      ((MPI_Fint)MPI_Info_toint(h))
#define MPI_Info_f2c(i)	      MPI_Info_fromint(i)
#define MPI_Message_c2f(h)    ((MPI_Fint)MPI_Message_toint(h))
#define MPI_Message_f2c(i)    MPI_Message_fromint(i)
#define MPI_Op_c2f(h)	      ((MPI_Fint)MPI_Op_toint(h))
#define MPI_Op_f2c(i)	      MPI_Op_fromint(i)
#define MPI_Request_c2f(h)    ((MPI_Fint)MPI_Request_toint(h))
#define MPI_Request_f2c(i)    MPI_Request_fromint(i)
#define MPI_Session_c2f(h)    ((MPI_Fint)MPI_Session_toint(h))
#define MPI_Session_f2c(i)    MPI_Session_fromint(i)
#define MPI_Type_c2f(h)	      ((MPI_Fint)MPI_Type_toint(h))
#define MPI_Type_f2c(i)	      MPI_Type_fromint(i)
#define MPI_Win_c2f(h)	      ((MPI_Fint)MPI_Win_toint(h))
#define MPI_Win_f2c(i)	      MPI_Win_fromint(i)

#define MPI_F_STATUS_IGNORE   ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)

/* A status is the same eight integers in all languages. */
typedef MPI_Status MPI_F08_status;

static inline int MPI_Status_c2f(const MPI_Status *c, MPI_Fint *f)
{
	int i;

	f[MPI_F_SOURCE] = c->MPI_SOURCE;
	f[MPI_F_TAG] = c->MPI_TAG;
	f[MPI_F_ERROR] = c->MPI_ERROR;
	for (i = 0; i < 5; i++)
		f[3 + i] = c->MPI_internal[i];
	return MPI_SUCCESS;
}

static inline int MPI_Status_f2c(const MPI_Fint *f, MPI_Status *c)
{
	int i;

	c->MPI_SOURCE = f[MPI_F_SOURCE];
	c->MPI_TAG = f[MPI_F_TAG];
	c->MPI_ERROR = f[MPI_F_ERROR];
	for (i = 0; i < 5; i++)
		c->MPI_internal[i] = f[3 + i];
	return MPI_SUCCESS;
}

static inline int MPI_Status_c2f08(const MPI_Status *c, MPI_F08_status *f08)
{
	*f08 = *c;
	return MPI_SUCCESS;
}

static inline int MPI_Status_f082c(const MPI_F08_status *f08, MPI_Status *c)
{
	*c = *f08;
	return MPI_SUCCESS;
}

#define MPI_Status_f082f(f08, f) MPI_Status_c2f(f08, f)
#define MPI_Status_f2f08(f, f08) MPI_Status_f2c(f, f08)

/* ---- removed in MPI 3.0 -------------------------------------------------- */

typedef MPI_Comm_errhandler_function MPI_Handler_function;

#define MPI_Address(location, address) MPI_Get_address(location, address)
#define MPI_Errhandler_create(function, errhandler) \
	MPI_Comm_create_errhandler(function, errhandler)
#define MPI_Errhandler_get(comm, errhandler) \
	MPI_Comm_get_errhandler(comm, errhandler)
#define MPI_Errhandler_set(comm, errhandler) \
	MPI_Comm_set_errhandler(comm, errhandler)
#define MPI_Type_hindexed(count, lengths, displacements, oldtype, newtype) \
	MPI_Type_create_hindexed(count, lengths, displacements, oldtype,   \
				 newtype)
#define MPI_Type_hvector(count, length, stride, oldtype, newtype) \
	MPI_Type_create_hvector(count, length, stride, oldtype, newtype)
#define MPI_Type_struct(count, lengths, displacements, types, newtype) \
	MPI_Type_create_struct(count, lengths, displacements, types, newtype)

static inline int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent)
{
	MPI_Aint lb;

	return MPI_Type_get_extent(type, &lb, extent);
}

static inline int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb)
{
	MPI_Aint extent;

	return MPI_Type_get_extent(type, lb, &extent);
}

static inline int MPI_Type_ub(MPI_Datatype type, MPI_Aint *ub)
{
	MPI_Aint lb, extent;
	int err = MPI_Type_get_extent(type, ub ? &lb : ub, &extent);

	if (err == MPI_SUCCESS)
		*ub = lb + extent;
	return err;
}

#endif
