/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that programs use but the standard ABI omits: Fortran handles as ints,
 * and names that MPI 3.0 removed, mapped to their successors. The library has
 * no symbols for these names. -DWEFT_STRICT_ABI disables this header. mpi.h
 * includes it at its end; do not include it directly.
 */
#ifndef WEFT_MPI_COMPAT_H
#define WEFT_MPI_COMPAT_H

/* ---- Fortran: handles and statuses as integers ---- */

typedef int MPI_Fint;

/*
 * Functions instead of macros, so that their addresses can be taken. PMPI_
 * names exist for tools; a tool that replaces MPI_X_toint also intercepts
 * MPI_X_c2f.
 */
#define WEFT_FORTRAN_HANDLE(X)                           \
	static inline MPI_Fint MPI_##X##_c2f(MPI_##X h)  \
	{                                                \
		return (MPI_Fint)MPI_##X##_toint(h);     \
	}                                                \
	static inline MPI_Fint PMPI_##X##_c2f(MPI_##X h) \
	{                                                \
		return (MPI_Fint)PMPI_##X##_toint(h);    \
	}                                                \
	static inline MPI_##X MPI_##X##_f2c(MPI_Fint i)  \
	{                                                \
		return MPI_##X##_fromint((int)i);        \
	}                                                \
	static inline MPI_##X PMPI_##X##_f2c(MPI_Fint i) \
	{                                                \
		return PMPI_##X##_fromint((int)i);       \
	}

WEFT_FORTRAN_HANDLE(Comm)
WEFT_FORTRAN_HANDLE(Errhandler)
WEFT_FORTRAN_HANDLE(File)
WEFT_FORTRAN_HANDLE(Group)
WEFT_FORTRAN_HANDLE(Info)
WEFT_FORTRAN_HANDLE(Message)
WEFT_FORTRAN_HANDLE(Op)
WEFT_FORTRAN_HANDLE(Request)
WEFT_FORTRAN_HANDLE(Session)
WEFT_FORTRAN_HANDLE(Win)
#undef WEFT_FORTRAN_HANDLE

/*
 * Defined separately, since the function's name differs from that of the handle
 * type.
 */
static inline MPI_Fint MPI_Type_c2f(MPI_Datatype h)
{
	return (MPI_Fint)MPI_Type_toint(h);
}

static inline MPI_Fint PMPI_Type_c2f(MPI_Datatype h)
{
	return (MPI_Fint)PMPI_Type_toint(h);
}

static inline MPI_Datatype MPI_Type_f2c(MPI_Fint i)
{
	return MPI_Type_fromint((int)i);
}

static inline MPI_Datatype PMPI_Type_f2c(MPI_Fint i)
{
	return PMPI_Type_fromint((int)i);
}

#define MPI_F_STATUS_IGNORE   ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)

/* A status consists of the same eight integers in all languages. */
typedef MPI_Status MPI_F08_status;

static inline int PMPI_Status_c2f(const MPI_Status *c, MPI_Fint *f)
{
	int i;

	f[MPI_F_SOURCE] = c->MPI_SOURCE;
	f[MPI_F_TAG] = c->MPI_TAG;
	f[MPI_F_ERROR] = c->MPI_ERROR;
	for (i = 0; i < 5; i++)
		f[3 + i] = c->MPI_internal[i];
	return MPI_SUCCESS;
}

static inline int PMPI_Status_f2c(const MPI_Fint *f, MPI_Status *c)
{
	int i;

	c->MPI_SOURCE = f[MPI_F_SOURCE];
	c->MPI_TAG = f[MPI_F_TAG];
	c->MPI_ERROR = f[MPI_F_ERROR];
	for (i = 0; i < 5; i++)
		c->MPI_internal[i] = f[3 + i];
	return MPI_SUCCESS;
}

static inline int PMPI_Status_c2f08(const MPI_Status *c, MPI_F08_status *f08)
{
	*f08 = *c;
	return MPI_SUCCESS;
}

static inline int PMPI_Status_f082c(const MPI_F08_status *f08, MPI_Status *c)
{
	*c = *f08;
	return MPI_SUCCESS;
}

static inline int PMPI_Status_f082f(const MPI_F08_status *f08, MPI_Fint *f)
{
	return PMPI_Status_c2f(f08, f);
}

static inline int PMPI_Status_f2f08(const MPI_Fint *f, MPI_F08_status *f08)
{
	return PMPI_Status_f2c(f, f08);
}

static inline int MPI_Status_c2f(const MPI_Status *c, MPI_Fint *f)
{
	return PMPI_Status_c2f(c, f);
}

static inline int MPI_Status_f2c(const MPI_Fint *f, MPI_Status *c)
{
	return PMPI_Status_f2c(f, c);
}

static inline int MPI_Status_c2f08(const MPI_Status *c, MPI_F08_status *f08)
{
	return PMPI_Status_c2f08(c, f08);
}

static inline int MPI_Status_f082c(const MPI_F08_status *f08, MPI_Status *c)
{
	return PMPI_Status_f082c(f08, c);
}

static inline int MPI_Status_f082f(const MPI_F08_status *f08, MPI_Fint *f)
{
	return PMPI_Status_f082f(f08, f);
}

static inline int MPI_Status_f2f08(const MPI_Fint *f, MPI_F08_status *f08)
{
	return PMPI_Status_f2f08(f, f08);
}

/* ---- names removed in MPI 3.0 ---- */

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

/*
 * MPI-1 types that mark the lower and upper bound of a struct type. The
 * standard ABI does not use their values; other libraries reject them.
 */
#define MPI_LB ((MPI_Datatype)0x0000023e)
#define MPI_UB ((MPI_Datatype)0x0000023f)

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
