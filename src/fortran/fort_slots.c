/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C functions that call operators and error handlers written in Fortran:
 * FORT_SLOTS of each kind, numbered in octal. The same procedure always gets
 * the same function.
 */
#include "src/fortran/fort_callback.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the slot of the procedure, or -1 if no slot is free. */
static int slot_of(fort_proc **table, fort_proc *proc)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < FORT_SLOTS && table[i] && table[i] != proc; i++)
		;
	if (i < FORT_SLOTS)
		table[i] = proc;
	pthread_mutex_unlock(&lock);
	return i < FORT_SLOTS ? i : -1;
}

#define EIGHT(m, a) \
	m(a##0) m(a##1) m(a##2) m(a##3) m(a##4) m(a##5) m(a##6) m(a##7)
#define ALL(m)       \
	EIGHT(m, 00) \
	EIGHT(m, 01) \
	EIGHT(m, 02) \
	EIGHT(m, 03) EIGHT(m, 04) EIGHT(m, 05) EIGHT(m, 06) EIGHT(m, 07)

/* ---- operators ----------------------------------------------------------- */

typedef void op_proc(void *in, void *inout, int *len, int *datatype);
typedef void op_proc_c(void *in, void *inout, MPI_Count *len, int *datatype);

static fort_proc *op_table[FORT_SLOTS], *op_c_table[FORT_SLOTS];

#define OP(k)                                                       \
	static void op_##k(void *in, void *inout, int *len,         \
			   MPI_Datatype *datatype)                  \
	{                                                           \
		int d = fort_Type_int(*datatype);                   \
		((op_proc *)op_table[k])(in, inout, len, &d);       \
	}                                                           \
	static void op_c_##k(void *in, void *inout, MPI_Count *len, \
			     MPI_Datatype *datatype)                \
	{                                                           \
		int d = fort_Type_int(*datatype);                   \
		((op_proc_c *)op_c_table[k])(in, inout, len, &d);   \
	}
ALL(OP)

#define NAME(k) op_##k,
static MPI_User_function *const ops[FORT_SLOTS] = { ALL(NAME) };
#undef NAME
#define NAME(k) op_c_##k,
static MPI_User_function_c *const ops_c[FORT_SLOTS] = { ALL(NAME) };
#undef NAME

MPI_User_function *fort_op_fn(fort_proc *proc)
{
	int k = slot_of(op_table, proc);

	return k < 0 ? NULL : ops[k];
}

MPI_User_function_c *fort_op_c_fn(fort_proc *proc)
{
	int k = slot_of(op_c_table, proc);

	return k < 0 ? NULL : ops_c[k];
}

/* ---- error handlers ------------------------------------------------------ */

typedef void err_proc(int *handle, int *code);

static fort_proc *comm_table[FORT_SLOTS], *file_table[FORT_SLOTS],
	*win_table[FORT_SLOTS], *session_table[FORT_SLOTS];

#define ERR(kind, Kind, k)                                         \
	static void kind##_##k(MPI_##Kind *object, int *code, ...) \
	{                                                          \
		int h = fort_##Kind##_int(*object);                \
		((err_proc *)kind##_table[k])(&h, code);           \
	}
#define ERRS(k)            \
	ERR(comm, Comm, k) \
	ERR(file, File, k) \
	ERR(win, Win, k)   \
	ERR(session, Session, k)
ALL(ERRS)

#define ERR_FN(kind, Kind)                                      \
	MPI_##Kind##_errhandler_function *fort_##kind##_err_fn( \
		fort_proc *proc)                                \
	{                                                       \
		static MPI_##Kind##_errhandler_function         \
			*const all[FORT_SLOTS] = { ALL(NAME) }; \
		int k = slot_of(kind##_table, proc);            \
                                                                \
		return k < 0 ? NULL : all[k];                   \
	}
#define NAME(k) comm_##k,
ERR_FN(comm, Comm)
#undef NAME
#define NAME(k) file_##k,
ERR_FN(file, File)
#undef NAME
#define NAME(k) win_##k,
ERR_FN(win, Win)
#undef NAME
#define NAME(k) session_##k,
ERR_FN(session, Session)
