/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Procedures whose Fortran form differs from the C function in more than the
 * types of the arguments.
 */
#include "src/fortran/fort_init.h"
#include "src/fortran/fort_section.h"
#include "fort_have.h"

#include <stdlib.h>
#include <string.h>

/* ---- start, time --------------------------------------------------------- */

static void f_Init(int *ierror)
{
	fort_register();
	fort_end(ierror, FORT_C(Init)(NULL, NULL));
}
FORT_BOTH(f_Init, mpi_init)

static void f_Init_thread(int *required, int *provided, int *ierror)
{
	fort_register();
	fort_end(ierror, FORT_C(Init_thread)(NULL, NULL, *required, provided));
}
FORT_BOTH(f_Init_thread, mpi_init_thread)

#if FORT_HAVE_Session_init
static void f_Session_init(int *info, int *errhandler, int *session,
			   int *ierror)
{
	MPI_Session s = MPI_SESSION_NULL;
	int rc;

	fort_register();
	rc = FORT_C(Session_init)(fort_Info(*info),
				  fort_Errhandler(*errhandler), &s);
	if (!rc)
		*session = fort_Session_int(s);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Session_init, mpi_session_init)
#endif

static void f_Pcontrol(int *level)
{
	FORT_C(Pcontrol)(*level);
}
FORT_BOTH(f_Pcontrol, mpi_pcontrol)

static double f_Wtime(void)
{
	return FORT_C(Wtime)();
}
FORT_BOTH(f_Wtime, mpi_wtime)

static double f_Wtick(void)
{
	return FORT_C(Wtick)();
}
FORT_BOTH(f_Wtick, mpi_wtick)

static MPI_Aint f_Aint_add(MPI_Aint *base, MPI_Aint *disp)
{
	return FORT_C(Aint_add)(*base, *disp);
}
FORT_BOTH(f_Aint_add, mpi_aint_add)

static MPI_Aint f_Aint_diff(MPI_Aint *a, MPI_Aint *b)
{
	return FORT_C(Aint_diff)(*a, *b);
}
FORT_BOTH(f_Aint_diff, mpi_aint_diff)

/* ---- info ---------------------------------------------------------------- */

static void f_Info_create_env(int *info, int *ierror)
{
	MPI_Info i = MPI_INFO_NULL;
	int rc = FORT_C(Info_create_env)(0, NULL, &i);

	if (!rc)
		*info = fort_Info_int(i);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Info_create_env, mpi_info_create_env)

static void f_Info_get(int *info, char *key, int *valuelen, char *value,
		       int *flag, int *ierror, size_t key_n, size_t value_n)
{
	struct fort_mem km, vm;
	char *k = fort_string(&km, key, key_n);
	size_t n = *valuelen > 0 ? (size_t)*valuelen : 0;
	char *v = fort_mem(&vm, n + 1);
	int found = 0;
	int rc = FORT_C(Info_get)(fort_Info(*info), k, *valuelen, v, &found);

	if (!rc && found)
		fort_pad(value, value_n, v);
	if (!rc)
		*flag = fort_logical(found);
	fort_mem_end(&km);
	fort_mem_end(&vm);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Info_get, mpi_info_get)

/* Lengths in C include the final null, lengths in Fortran do not. */
static void f_Info_get_string(int *info, char *key, int *buflen, char *value,
			      int *flag, int *ierror, size_t key_n,
			      size_t value_n)
{
	struct fort_mem km, vm;
	char *k = fort_string(&km, key, key_n);
	int room = *buflen > 0 ? *buflen + 1 : 0, found = 0;
	char *v = fort_mem(&vm, (size_t)room + 1);
	int want = *buflen > 0;
	int rc = FORT_C(Info_get_string)(fort_Info(*info), k, &room, v, &found);

	if (!rc && found && want)
		fort_pad(value, value_n, v);
	if (!rc && found)
		*buflen = room - 1;
	if (!rc)
		*flag = fort_logical(found);
	fort_mem_end(&km);
	fort_mem_end(&vm);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Info_get_string, mpi_info_get_string)

#if FORT_HAVE_Session_get_nth_pset
static void f_Session_get_nth_pset(int *session, int *info, int *n, int *len,
				   char *name, int *ierror, size_t name_n)
{
	struct fort_mem m;
	int room = *len > 0 ? *len + 1 : 0, want = *len > 0;
	char *v = fort_mem(&m, (size_t)room + 1);
	int rc = FORT_C(Session_get_nth_pset)(fort_Session(*session),
					      fort_Info(*info), *n, &room, v);

	if (!rc && want)
		fort_pad(name, name_n, v);
	if (!rc)
		*len = room - 1;
	fort_mem_end(&m);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Session_get_nth_pset, mpi_session_get_nth_pset)
#endif

/* ---- datatypes ----------------------------------------------------------- */

/* Sets only the array entries that the datatype has. */
static void f_Type_get_contents(int *datatype, int *max_i, int *max_a,
				int *max_d, int *ints, MPI_Aint *addresses,
				int *types, int *ierror)
{
	MPI_Datatype t = fort_Type(*datatype), *d;
	int ni, na, nd = 0, combiner, rc;
	struct fort_mem m;

	d = fort_mem(&m, *max_d > 0 ? (size_t)*max_d * sizeof(*d) : 0);
	rc = FORT_C(Type_get_contents)(t, *max_i, *max_a, *max_d, ints,
				       addresses, d);
	if (!rc)
		rc = PMPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
	for (int i = 0; i < nd && !rc; i++)
		types[i] = fort_Type_int(d[i]);
	fort_mem_end(&m);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Type_get_contents, mpi_type_get_contents)

static void f_Type_get_contents_c(int *datatype, MPI_Count *max_i,
				  MPI_Count *max_a, MPI_Count *max_c,
				  MPI_Count *max_d, int *ints,
				  MPI_Aint *addresses, MPI_Count *counts,
				  int *types, int *ierror)
{
	MPI_Datatype t = fort_Type(*datatype), *d;
	MPI_Count ni, na, nc, nd = 0;
	struct fort_mem m;
	int combiner, rc;

	d = fort_mem(&m, *max_d > 0 ? (size_t)*max_d * sizeof(*d) : 0);
	rc = FORT_C(Type_get_contents_c)(t, *max_i, *max_a, *max_c, *max_d,
					 ints, addresses, counts, d);
	if (!rc)
		rc = PMPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &combiner);
	for (MPI_Count i = 0; i < nd && !rc; i++)
		types[i] = fort_Type_int(d[i]);
	fort_mem_end(&m);
	fort_end(ierror, rc);
}
FORT_ALIAS(f_Type_get_contents_c, mpi_type_get_contents_c_f08_)

/* ---- buffers ------------------------------------------------------------- */

/*
 * Stores the address of a detached buffer; for an automatic buffer, the address
 * of the Fortran constant. Only mpi_f08 has an argument for the address, a
 * TYPE(C_PTR); mpif.h and the module mpi have none.
 */
static void set_address(void **to, void *from)
{
	if (from == MPI_BUFFER_AUTOMATIC)
		from = &mpi_fort_addresses_.buffer_automatic;
	*to = from;
}

#define DETACH(Name, name, Count, suffix, ...)                             \
	static void f_##Name##suffix(__VA_ARGS__ void **addr, Count *size, \
				     int *ierror)                          \
	{                                                                  \
		void *p = NULL;                                            \
		int rc = FORT_C(Name##suffix)(WHERE & p, size);            \
                                                                           \
		if (!rc)                                                   \
			set_address(addr, p);                              \
		fort_end(ierror, rc);                                      \
	}                                                                  \
	FORT_ALIAS(f_##Name##suffix, name##suffix##_f08_)
#define DETACH_OLD(Name, name, ...)                                            \
	static void old_##Name(__VA_ARGS__ void *addr, int *size, int *ierror) \
	{                                                                      \
		void *p = NULL;                                                \
                                                                               \
		(void)addr;                                                    \
		fort_end(ierror, FORT_C(Name)(WHERE & p, size));               \
	}                                                                      \
	FORT_ALIAS(old_##Name, name##_)

#define WHERE
DETACH(Buffer_detach, mpi_buffer_detach, int, , )
DETACH(Buffer_detach, mpi_buffer_detach, MPI_Count, _c, )
DETACH_OLD(Buffer_detach, mpi_buffer_detach, )
#undef WHERE
#define COMMA ,
#define WHERE fort_Comm(*comm) COMMA
DETACH(Comm_detach_buffer, mpi_comm_detach_buffer, int, , int *comm COMMA)
DETACH(Comm_detach_buffer, mpi_comm_detach_buffer, MPI_Count, _c,
       int *comm COMMA)
DETACH_OLD(Comm_detach_buffer, mpi_comm_detach_buffer, int *comm COMMA)
#undef WHERE
#if FORT_HAVE_Session_detach_buffer
#define WHERE fort_Session(*session) COMMA
DETACH(Session_detach_buffer, mpi_session_detach_buffer, int, ,
       int *session COMMA)
DETACH(Session_detach_buffer, mpi_session_detach_buffer, MPI_Count, _c,
       int *session COMMA)
DETACH_OLD(Session_detach_buffer, mpi_session_detach_buffer, int *session COMMA)
#endif

/* ---- procedures of Fortran alone ----------------------------------------- */

static void f_Sizeof(CFI_cdesc_t *x, int *size, int *ierror)
{
	*size = (int)x->elem_len;
	fort_end(ierror, MPI_SUCCESS);
}
FORT_ALIAS(f_Sizeof, mpi_sizeof_f08ts_)

/*
 * Does nothing: the call itself makes the compiler store and reload the buffer.
 */
static void f_F_sync_reg(void *buf)
{
	(void)buf;
}
FORT_ALIAS(f_F_sync_reg, mpi_f_sync_reg_f08ts_)
FORT_ALIAS(f_F_sync_reg, mpi_f_sync_reg_)

static void f_Status_convert(int *from, int *to, int *ierror)
{
	memcpy(to, from, sizeof(MPI_Status));
	fort_end(ierror, MPI_SUCCESS);
}
FORT_ALIAS(f_Status_convert, mpi_status_f2f08_f08_)
FORT_ALIAS(f_Status_convert, mpi_status_f082f_f08_)
FORT_ALIAS(f_Status_convert, mpi_status_f2f08_)
FORT_ALIAS(f_Status_convert, mpi_status_f082f_)
