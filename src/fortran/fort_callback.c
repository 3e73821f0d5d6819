/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that find the Fortran procedure through their extra state. */
#include "src/fortran/fort_callback.h"

#include <stdlib.h>

/* ---- attributes ---------------------------------------------------------- */

typedef void copy_proc(int *old, int *keyval, MPI_Aint *extra, MPI_Aint *in,
		       MPI_Aint *out, int *flag, int *ierror);
typedef void delete_proc(int *object, int *keyval, MPI_Aint *val,
			 MPI_Aint *extra, int *ierror);
/* Procedures of MPI 1: attributes and extra state are default INTEGERs. */
typedef void old_copy_proc(int *old, int *keyval, int *extra, int *in, int *out,
			   int *flag, int *ierror);
typedef void old_delete_proc(int *object, int *keyval, int *val, int *extra,
			     int *ierror);

/* Calls the copy procedure, and sets the copied value. */
static int call_copy(struct fort_keyval *k, int object, int keyval,
		     MPI_Aint from, MPI_Aint *to, int *flag)
{
	int in = (int)from, out = 0, extra = (int)k->extra;
	int rc = MPI_SUCCESS, f = FORT_FALSE;

	if (k->small) {
		((old_copy_proc *)k->copy)(&object, &keyval, &extra, &in, &out,
					   &f, &rc);
		*to = out;
	} else {
		((copy_proc *)k->copy)(&object, &keyval, &k->extra, &from, to,
				       &f, &rc);
	}
	*flag = fort_bool(f);
	return rc;
}

/*
 * Copies an attribute. The copy belongs to the same language (C or Fortran) as
 * the attribute.
 */
static int copy(struct fort_keyval *k, int object, int keyval, void *in,
		void *out, int *flag)
{
	MPI_Aint to = 0;
	int cell = fort_is_cell(in);
	int rc = call_copy(k, object, keyval, fort_cell_value(in), &to, flag);
	void *made;

	if (rc || !*flag)
		return rc;
	made = cell ? fort_cell(to) : (void *)to;
	if (cell && !made)
		return MPI_ERR_NO_MEM;
	*(void **)out = made;
	return MPI_SUCCESS;
}

static int del(struct fort_keyval *k, int object, int keyval, void *val)
{
	MPI_Aint v = fort_cell_value(val);
	int rc = MPI_SUCCESS, extra = (int)k->extra, small = (int)v;

	if (k->small)
		((old_delete_proc *)k->del)(&object, &keyval, &small, &extra,
					    &rc);
	else
		((delete_proc *)k->del)(&object, &keyval, &v, &k->extra, &rc);
	if (!rc)
		fort_cell_free(val);
	return rc;
}

int fort_comm_copy(MPI_Comm old, int keyval, void *extra, void *in, void *out,
		   int *flag)
{
	return copy(extra, fort_Comm_int(old), keyval, in, out, flag);
}

int fort_comm_delete(MPI_Comm comm, int keyval, void *val, void *extra)
{
	return del(extra, fort_Comm_int(comm), keyval, val);
}

int fort_type_copy(MPI_Datatype old, int keyval, void *extra, void *in,
		   void *out, int *flag)
{
	return copy(extra, fort_Type_int(old), keyval, in, out, flag);
}

int fort_type_delete(MPI_Datatype type, int keyval, void *val, void *extra)
{
	return del(extra, fort_Type_int(type), keyval, val);
}

int fort_win_copy(MPI_Win old, int keyval, void *extra, void *in, void *out,
		  int *flag)
{
	return copy(extra, fort_Win_int(old), keyval, in, out, flag);
}

int fort_win_delete(MPI_Win win, int keyval, void *val, void *extra)
{
	return del(extra, fort_Win_int(win), keyval, val);
}

/* ---- generalized requests ------------------------------------------------ */

typedef void query_proc(MPI_Aint *extra, int *status, int *ierror);
typedef void free_proc(MPI_Aint *extra, int *ierror);
typedef void cancel_proc(MPI_Aint *extra, int *complete, int *ierror);

int fort_grequest_query(void *extra, MPI_Status *status)
{
	struct fort_grequest *g = extra;
	int rc = MPI_SUCCESS;

	((query_proc *)g->query)(&g->extra, (int *)status, &rc);
	return rc;
}

int fort_grequest_free(void *extra)
{
	struct fort_grequest *g = extra;
	int rc = MPI_SUCCESS;

	((free_proc *)g->free)(&g->extra, &rc);
	free(g);
	return rc;
}

int fort_grequest_cancel(void *extra, int complete)
{
	struct fort_grequest *g = extra;
	int rc = MPI_SUCCESS, c = fort_logical(complete);

	((cancel_proc *)g->cancel)(&g->extra, &c, &rc);
	return rc;
}

/* ---- data representations ------------------------------------------------ */

typedef void extent_proc(int *type, MPI_Aint *extent, MPI_Aint *extra,
			 int *ierror);
typedef void convert_proc(void *user, int *type, int *count, void *file,
			  MPI_Offset *position, MPI_Aint *extra, int *ierror);
typedef void convert_proc_c(void *user, int *type, MPI_Count *count, void *file,
			    MPI_Offset *position, MPI_Aint *extra, int *ierror);

int fort_datarep_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
	struct fort_datarep *r = extra;
	int rc = MPI_SUCCESS, t = fort_Type_int(type);

	((extent_proc *)r->extent)(&t, extent, &r->extra, &rc);
	return rc;
}

#define CONVERT(which, suffix, Count)                                          \
	int fort_datarep_##which##suffix(void *user, MPI_Datatype type,        \
					 Count count, void *file,              \
					 MPI_Offset position, void *extra)     \
	{                                                                      \
		struct fort_datarep *r = extra;                                \
		int rc = MPI_SUCCESS, t = fort_Type_int(type);                 \
                                                                               \
		((convert_proc##suffix *)r->which)(user, &t, &count, file,     \
						   &position, &r->extra, &rc); \
		return rc;                                                     \
	}

CONVERT(read, , int)
CONVERT(write, , int)
CONVERT(read, _c, MPI_Count)
CONVERT(write, _c, MPI_Count)
