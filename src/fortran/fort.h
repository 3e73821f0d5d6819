/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversions between Fortran arguments and those of the C ABI. Files that
 * define procedures are compiled twice: for the names mpi_*_, which call MPI_*,
 * and with FORT_PMPI for the names pmpi_*_, which call PMPI_*. A tool that
 * replaces the C functions thus also intercepts the Fortran calls.
 */
#ifndef FORT_H
#define FORT_H

#define WEFT_STRICT_ABI /* only the names of the standard ABI */
#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef FORT_PMPI
#define FORT_C(name) PMPI_##name
#define FORT_F(name) p##name
#else
#define FORT_C(name) MPI_##name
#define FORT_F(name) name
#endif
#define FORT_EXPORT __attribute__((visibility("default")))
#define FORT_SLOW   __attribute__((noinline, cold))

/* Defines the symbol `name` with the code of the static function `body`. */
#define FORT_ALIAS(body, name) FORT_ALIAS_(body, FORT_F(name))
#define FORT_ALIAS_(body, name) \
	FORT_EXPORT extern __typeof__(body) name __attribute__((alias(#body)));
/* Defines the name for mpif.h and the module mpi, and the name for mpi_f08. */
#define FORT_BOTH(body, name)     \
	FORT_ALIAS(body, name##_) \
	FORT_ALIAS(body, name##_f08_)

/* ---- constants that Fortran knows by their address ----------------------- */

/* Layout of the common block MPI_FORT_ADDRESSES of mpif.h and the modules. */
struct fort_addresses {
	int bottom;
	int in_place;
	int buffer_automatic;
	int unweighted;
	int weights_empty;
	int errcodes_ignore;
	int status_ignore[8];
	int statuses_ignore[8];
};

/* The common block MPI_FORT_STRINGS. */
struct fort_strings {
	char argv_null;
	char argvs_null;
};

extern struct fort_addresses mpi_fort_addresses_;
extern struct fort_strings mpi_fort_strings_;

void *fort_buf_special(const void *p);

static inline int fort_is_special(const void *p)
{
	return (uintptr_t)p - (uintptr_t)&mpi_fort_addresses_ <
	       sizeof(mpi_fort_addresses_);
}

static inline void *fort_buf(void *p)
{
	return fort_is_special(p) ? fort_buf_special(p) : p;
}

/*
 * Returns the C form of a Fortran status, which consists of the same eight
 * integers.
 */
static inline MPI_Status *fort_status(int *status)
{
	return fort_is_special(status) ? MPI_STATUS_IGNORE
				       : (MPI_Status *)status;
}

int *fort_weights(const int *weights);

/* ---- results ------------------------------------------------------------- */

/* Stores the error code in ierror, which is optional in mpi_f08. */
static inline void fort_end(int *ierror, int rc)
{
	if (ierror)
		*ierror = rc;
}

/* Adds one to the indices that C returns, which start at 0. */
static inline void fort_index(int *index, int n)
{
	for (int i = 0; i < n; i++)
		if (index[i] != MPI_UNDEFINED)
			index[i]++;
}

/* ---- LOGICAL: values found by configure ---------------------------------- */

#ifndef FORT_TRUE
#define FORT_TRUE 1
#endif
#ifndef FORT_FALSE
#define FORT_FALSE 0
#endif

static inline int fort_bool(int logical)
{
	return logical != FORT_FALSE;
}

static inline int fort_logical(int flag)
{
	return flag ? FORT_TRUE : FORT_FALSE;
}

/* ---- memory for converted arguments -------------------------------------- */

struct fort_mem {
	void *heap; /* allocated copy; NULL: the argument fits into `stack` */
	_Alignas(16) char stack[256];
};

/*
 * Returns memory for a converted argument; never NULL: if memory is exhausted,
 * the job ends with a message.
 */
void *fort_mem(struct fort_mem *m, size_t bytes);
void fort_mem_end(struct fort_mem *m);
int *fort_bools(struct fort_mem *m, const int *logicals, int n);
void fort_bools_update(int *logicals, const int *bools, int n);

/* ---- strings ------------------------------------------------------------- */

/*
 * Returns a C string: the Fortran string without leading and trailing blanks,
 * with a final null.
 */
char *fort_string(struct fort_mem *m, const char *s, size_t n);
/* Copies a C string into n characters and fills the rest with blanks. */
void fort_pad(char *to, size_t n, const char *from);

/* ---- handles ------------------------------------------------------------- */

/*
 * Handles below this value are predefined; the Fortran integer of such a handle
 * is its value in C.
 */
#define FORT_PREDEFINED 4096

#define FORT_HANDLE(Name, Type)                                              \
	static inline Type fort_##Name(int i)                                \
	{                                                                    \
		return (unsigned)i < FORT_PREDEFINED                         \
			       ? (Type)(intptr_t)i                           \
			       : PMPI_##Name##_fromint(i);                   \
	}                                                                    \
	static inline int fort_##Name##_int(Type h)                          \
	{                                                                    \
		return (uintptr_t)h < FORT_PREDEFINED                        \
			       ? (int)(intptr_t)h                            \
			       : PMPI_##Name##_toint(h);                     \
	}                                                                    \
	/*                                                                   \
	 * Sets the integer of an argument that C may have changed to a null \
	 * handle.                                                           \
	 */                                                                  \
	static inline void fort_##Name##_update(int *i, Type h)              \
	{                                                                    \
		if ((uintptr_t)h < FORT_PREDEFINED)                          \
			*i = (int)(intptr_t)h;                               \
	}

FORT_HANDLE(Comm, MPI_Comm)
FORT_HANDLE(Type, MPI_Datatype)
FORT_HANDLE(Errhandler, MPI_Errhandler)
FORT_HANDLE(File, MPI_File)
FORT_HANDLE(Group, MPI_Group)
FORT_HANDLE(Info, MPI_Info)
FORT_HANDLE(Message, MPI_Message)
FORT_HANDLE(Op, MPI_Op)
FORT_HANDLE(Request, MPI_Request)
FORT_HANDLE(Session, MPI_Session)
FORT_HANDLE(Win, MPI_Win)
#undef FORT_HANDLE

MPI_Datatype *fort_Type_array(struct fort_mem *m, const int *i, int n);
MPI_Request *fort_Request_array(struct fort_mem *m, const int *i, int n);
void fort_requests_update(int *i, const MPI_Request *h, int n);

/* ---- lengths of array arguments ------------------------------------------ */

/* Returns the number of blocks in a collective on this communicator. */
int fort_peers(const int *comm);
/*
 * Returns the number of neighbours: destinations if `out` is not 0, otherwise
 * sources.
 */
int fort_neighbors(const int *comm, int out);
int fort_cart_dims(const int *comm);

#endif
