/* SPDX-License-Identifier: BSD-3-Clause */
/* The procedures that take procedures: see fort_callback.h. */
#include "src/fortran/fort_callback.h"
#include "fort_have.h"

#include <stdlib.h>

static int no_memory(void)
{
	PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_NO_MEM);
	return MPI_ERR_NO_MEM;
}

/* ---- procedures that are constants --------------------------------------- */

/* Programs pass these procedures as arguments and never call them. */
#ifdef FORT_PMPI
#define CONSTANT(name) extern fort_proc mpi_##name##_;
#else
#define CONSTANT(name)                       \
	fort_proc mpi_##name##_;             \
	FORT_EXPORT void mpi_##name##_(void) \
	{                                    \
	}
#endif
CONSTANT(null_copy_fn)
CONSTANT(dup_fn)
CONSTANT(null_delete_fn)
CONSTANT(comm_null_copy_fn)
CONSTANT(comm_dup_fn)
CONSTANT(comm_null_delete_fn)
CONSTANT(type_null_copy_fn)
CONSTANT(type_dup_fn)
CONSTANT(type_null_delete_fn)
CONSTANT(win_null_copy_fn)
CONSTANT(win_dup_fn)
CONSTANT(win_null_delete_fn)
CONSTANT(conversion_fn_null)
CONSTANT(conversion_fn_null_c)

/* ---- attributes ---------------------------------------------------------- */

static struct fort_keyval *new_keyval(fort_proc *copy, fort_proc *del,
				      MPI_Aint extra)
{
	struct fort_keyval *k = calloc(1, sizeof(*k));

	if (k)
		*k = (struct fort_keyval){ copy, del, extra, 0 };
	return k;
}

#define KEYVAL(Name, name)                                                    \
	static void f_##Name##_create_keyval(fort_proc *copy, fort_proc *del, \
					     int *keyval, MPI_Aint *extra,    \
					     int *ierror)                     \
	{                                                                     \
		struct fort_keyval *k = new_keyval(copy, del, *extra);        \
		MPI_##Name##_copy_attr_function *c = fort_##name##_copy;      \
		MPI_##Name##_delete_attr_function *d = fort_##name##_delete;  \
                                                                              \
		if (copy == mpi_##name##_null_copy_fn_)                       \
			c = 0;                                                \
		if (copy == mpi_##name##_dup_fn_)                             \
			c = (MPI_##Name##_copy_attr_function *)1;             \
		if (del == mpi_##name##_null_delete_fn_)                      \
			d = 0;                                                \
		fort_end(ierror,                                              \
			 !k ? no_memory()                                     \
			    : FORT_C(Name##_create_keyval)(c, d, keyval, k)); \
	}                                                                     \
	FORT_BOTH(f_##Name##_create_keyval, mpi_##name##_create_keyval)

KEYVAL(Comm, comm)
KEYVAL(Type, type)
KEYVAL(Win, win)

/* MPI 1: attributes and extra state are default INTEGERs. */
static void f_Keyval_create(fort_proc *copy, fort_proc *del, int *keyval,
			    int *extra, int *ierror)
{
	struct fort_keyval *k = new_keyval(copy, del, *extra);
	MPI_Comm_copy_attr_function *c = fort_comm_copy;
	MPI_Comm_delete_attr_function *d = fort_comm_delete;

	if (copy == mpi_null_copy_fn_ || copy == mpi_comm_null_copy_fn_)
		c = 0;
	if (copy == mpi_dup_fn_ || copy == mpi_comm_dup_fn_)
		c = (MPI_Comm_copy_attr_function *)1;
	if (del == mpi_null_delete_fn_ || del == mpi_comm_null_delete_fn_)
		d = 0;
	if (!k) {
		fort_end(ierror, no_memory());
		return;
	}
	k->small = 1;
	fort_end(ierror, FORT_C(Keyval_create)(c, d, keyval, k));
}
FORT_ALIAS(f_Keyval_create, mpi_keyval_create_)

/* ---- operators and error handlers ---------------------------------------- */

/* No slot is free: an error of its own class, since memory is not the reason.
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

#define DATAREP(suffix)                                                    \
	static void f_Register_datarep##suffix(                            \
		char *datarep, fort_proc *read, fort_proc *write,          \
		fort_proc *extent, MPI_Aint *extra, int *ierror, size_t n) \
	{                                                                  \
		struct fort_datarep *r = malloc(sizeof(*r));               \
		MPI_Datarep_conversion_function##suffix                    \
			*in = fort_datarep_read##suffix,                   \
			*out = fort_datarep_write##suffix;                 \
		struct fort_mem m;                                         \
		char *name = fort_string(&m, datarep, n);                  \
		int rc;                                                    \
                                                                           \
		if (read == mpi_conversion_fn_null##suffix##_)             \
			in = 0;                                            \
		if (write == mpi_conversion_fn_null##suffix##_)            \
			out = 0;                                           \
		if (r)                                                     \
			*r = (struct fort_datarep){ read, write, extent,   \
						    *extra };              \
		rc = !r ? no_memory()                                      \
			: FORT_C(Register_datarep##suffix)(                \
				  name, in, out, fort_datarep_extent, r);  \
		if (rc)                                                    \
			free(r);                                           \
		fort_mem_end(&m);                                          \
		fort_end(ierror, rc);                                      \
	}

DATAREP()
DATAREP(_c)
FORT_BOTH(f_Register_datarep, mpi_register_datarep)
FORT_ALIAS(f_Register_datarep_c, mpi_register_datarep_c_f08_)
