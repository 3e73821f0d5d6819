/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures that have procedures as arguments: see fort_callback.h. */
#include "src/fortran/fort_callback.h"
#include "fort_have.h"

#include <stdlib.h>

static int no_memory(void)
{
	PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_NO_MEM);
	return MPI_ERR_NO_MEM;
}

/* ---- procedures that are constants: programs may also call them ---------- */

#ifdef FORT_PMPI
#define CONSTANT(name, ...) extern fort_proc mpi_##name##_;
#else
#define CONSTANT(name, args, body) \
	void mpi_##name##_ args;   \
	FORT_EXPORT void mpi_##name##_ args body
#endif
#define COPY_ARGS(Value)                                             \
	(int *old, int *keyval, Value *extra, Value *in, Value *out, \
	 int *flag, int *ierror)
#define DELETE_ARGS(Value) \
	(int *object, int *keyval, Value *val, Value *extra, int *ierror)
#define NO_COPY                      \
	{                            \
		*flag = FORT_FALSE;  \
		fort_end(ierror, 0); \
	}
#define DUP                          \
	{                            \
		*out = *in;          \
		*flag = FORT_TRUE;   \
		fort_end(ierror, 0); \
	}
#define NO_DELETE                    \
	{                            \
		fort_end(ierror, 0); \
	}
CONSTANT(null_copy_fn, COPY_ARGS(int), NO_COPY)
CONSTANT(dup_fn, COPY_ARGS(int), DUP)
CONSTANT(null_delete_fn, DELETE_ARGS(int), NO_DELETE)
CONSTANT(comm_null_copy_fn, COPY_ARGS(MPI_Aint), NO_COPY)
CONSTANT(comm_dup_fn, COPY_ARGS(MPI_Aint), DUP)
CONSTANT(comm_null_delete_fn, DELETE_ARGS(MPI_Aint), NO_DELETE)
CONSTANT(type_null_copy_fn, COPY_ARGS(MPI_Aint), NO_COPY)
CONSTANT(type_dup_fn, COPY_ARGS(MPI_Aint), DUP)
CONSTANT(type_null_delete_fn, DELETE_ARGS(MPI_Aint), NO_DELETE)
CONSTANT(win_null_copy_fn, COPY_ARGS(MPI_Aint), NO_COPY)
CONSTANT(win_dup_fn, COPY_ARGS(MPI_Aint), DUP)
CONSTANT(win_null_delete_fn, DELETE_ARGS(MPI_Aint), NO_DELETE)
/* Constants that programs only pass as arguments; they are never called. */
CONSTANT(conversion_fn_null, (void), {})
CONSTANT(conversion_fn_null_c, (void), {})

/* ---- attributes ---------------------------------------------------------- */

static struct fort_keyval *new_keyval(fort_proc *copy, fort_proc *del,
				      MPI_Aint extra)
{
	struct fort_keyval *k = calloc(1, sizeof(*k));

	if (k)
		*k = (struct fort_keyval){ copy, del, extra, 0 };
	return k;
}

/*
 * All keyvals of one kind use the same C callbacks, which also free the cells.
 */
#define KEYVAL(Name, name)                                                    \
	static void f_##Name##_create_keyval(fort_proc *copy, fort_proc *del, \
					     int *keyval, MPI_Aint *extra,    \
					     int *ierror)                     \
	{                                                                     \
		struct fort_keyval *k = new_keyval(copy, del, *extra);        \
		int rc = !k ? no_memory()                                     \
			    : FORT_C(Name##_create_keyval)(                   \
				      fort_##name##_copy,                     \
				      fort_##name##_delete, keyval, k);       \
                                                                              \
		fort_end(ierror, rc);                                         \
	}                                                                     \
	FORT_BOTH(f_##Name##_create_keyval, mpi_##name##_create_keyval)

KEYVAL(Comm, comm)
KEYVAL(Type, type)
KEYVAL(Win, win)

/*
 * Creates a keyval as in MPI 1: attributes and extra state are default
 * INTEGERs.
 */
static void f_Keyval_create(fort_proc *copy, fort_proc *del, int *keyval,
			    int *extra, int *ierror)
{
	struct fort_keyval *k = new_keyval(copy, del, *extra);

	if (!k) {
		fort_end(ierror, no_memory());
		return;
	}
	k->small = 1;
	fort_end(ierror, FORT_C(Keyval_create)(fort_comm_copy, fort_comm_delete,
					       keyval, k));
}
FORT_ALIAS(f_Keyval_create, mpi_keyval_create_)

/* ---- operators and error handlers ---------------------------------------- */

/*
 * Raises an error when no slot is free. It is not MPI_ERR_NO_MEM, because
 * memory is not exhausted.
 */
static int no_slot(void)
{
	PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
	return MPI_ERR_OTHER;
}

static void f_Op_create(fort_proc *user_fn, int *commute, int *op, int *ierror)
{
	MPI_User_function *fn = fort_op_fn(user_fn);
	MPI_Op o = MPI_OP_NULL;
	int rc = !fn ? no_slot()
		     : FORT_C(Op_create)(fn, fort_bool(*commute), &o);

	if (!rc)
		*op = fort_Op_int(o);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Op_create, mpi_op_create)

static void f_Op_create_c(fort_proc *user_fn, int *commute, int *op,
			  int *ierror)
{
	MPI_User_function_c *fn = fort_op_c_fn(user_fn);
	MPI_Op o = MPI_OP_NULL;
	int rc = !fn ? no_slot()
		     : FORT_C(Op_create_c)(fn, fort_bool(*commute), &o);

	if (!rc)
		*op = fort_Op_int(o);
	fort_end(ierror, rc);
}
FORT_ALIAS(f_Op_create_c, mpi_op_create_c_f08_)

#define ERRHANDLER(Name, name)                                                 \
	static void f_##Name##_create_errhandler(fort_proc *proc,              \
						 int *errhandler, int *ierror) \
	{                                                                      \
		MPI_##Name##_errhandler_function *fn =                         \
			fort_##name##_err_fn(proc);                            \
		MPI_Errhandler h = MPI_ERRHANDLER_NULL;                        \
		int rc = !fn ? no_slot()                                       \
			     : FORT_C(Name##_create_errhandler)(fn, &h);       \
                                                                               \
		if (!rc)                                                       \
			*errhandler = fort_Errhandler_int(h);                  \
		fort_end(ierror, rc);                                          \
	}                                                                      \
	FORT_BOTH(f_##Name##_create_errhandler, mpi_##name##_create_errhandler)

ERRHANDLER(Comm, comm)
ERRHANDLER(File, file)
ERRHANDLER(Win, win)
#if FORT_HAVE_Session_create_errhandler
ERRHANDLER(Session, session)
#endif

/* ---- generalized requests, data representations -------------------------- */

static void f_Grequest_start(fort_proc *query, fort_proc *free_fn,
			     fort_proc *cancel, MPI_Aint *extra, int *request,
			     int *ierror)
{
	struct fort_grequest *g = malloc(sizeof(*g));
	MPI_Request r = MPI_REQUEST_NULL;
	int rc;

	if (!g) {
		fort_end(ierror, no_memory());
		return;
	}
	*g = (struct fort_grequest){ query, free_fn, cancel, *extra };
	rc = FORT_C(Grequest_start)(fort_grequest_query, fort_grequest_free,
				    fort_grequest_cancel, g, &r);
	if (!rc)
		*request = fort_Request_int(r);
	else
		free(g);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Grequest_start, mpi_grequest_start)

#define DATAREP(suffix)                                                      \
	static void f_Register_datarep##suffix(                              \
		char *datarep, fort_proc *read, fort_proc *write,            \
		fort_proc *extent, MPI_Aint *extra, int *ierror, size_t n)   \
	{                                                                    \
		struct fort_datarep *r = malloc(sizeof(*r));                 \
		MPI_Datarep_conversion_function##suffix                      \
			*in = fort_datarep_read##suffix,                     \
			*out = fort_datarep_write##suffix;                   \
		struct fort_mem m;                                           \
		char *name = fort_string(&m, datarep, n);                    \
		int rc;                                                      \
                                                                             \
		if (read == (fort_proc *)mpi_conversion_fn_null##suffix##_)  \
			in = 0;                                              \
		if (write == (fort_proc *)mpi_conversion_fn_null##suffix##_) \
			out = 0;                                             \
		if (r)                                                       \
			*r = (struct fort_datarep){ read, write, extent,     \
						    *extra };                \
		rc = !r ? no_memory()                                        \
			: FORT_C(Register_datarep##suffix)(                  \
				  name, in, out, fort_datarep_extent, r);    \
		if (rc)                                                      \
			free(r);                                             \
		fort_mem_end(&m);                                            \
		fort_end(ierror, rc);                                        \
	}

DATAREP()
DATAREP(_c)
FORT_BOTH(f_Register_datarep, mpi_register_datarep)
FORT_ALIAS(f_Register_datarep_c, mpi_register_datarep_c_f08_)
