/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callbacks of Fortran programs, called from C. Fortran arguments are passed by
 * address, handles are integers, and ierror is the last argument.
 */
#ifndef FORT_CALLBACK_H
#define FORT_CALLBACK_H

#include "src/fortran/fort.h"

/* A Fortran procedure with any interface. */
typedef void fort_proc(void);

/*
 * Operators and error handlers get no argument through which a C function could
 * find the Fortran procedure. Each of these functions therefore returns one of
 * FORT_SLOTS C functions, which belongs to the procedure from then on, or NULL
 * if FORT_SLOTS different procedures are in use.
 */
#define FORT_SLOTS 64
MPI_User_function *fort_op_fn(fort_proc *proc);
MPI_User_function_c *fort_op_c_fn(fort_proc *proc);
MPI_Comm_errhandler_function *fort_comm_err_fn(fort_proc *proc);
MPI_File_errhandler_function *fort_file_err_fn(fort_proc *proc);
MPI_Win_errhandler_function *fort_win_err_fn(fort_proc *proc);
MPI_Session_errhandler_function *fort_session_err_fn(fort_proc *proc);

/*
 * An attribute that Fortran sets is an integer; C gets the address of this
 * integer. In C the attribute is therefore the address of a cell that contains
 * the value. Fortran gets the value of a cell, or the address itself if C has
 * set the attribute.
 */
void *fort_cell(MPI_Aint value); /* returns NULL if there is no memory */
MPI_Aint fort_cell_value(void *attribute);
int fort_is_cell(void *attribute);
/* Does nothing with an attribute that C has set. */
void fort_cell_free(void *attribute);

/*
 * The procedures of a keyval, and its extra state. Valid until the process
 * ends.
 */
struct fort_keyval {
	fort_proc *copy;
	fort_proc *del;
	MPI_Aint extra;
	int small; /* attributes are default INTEGERs: MPI_Keyval_create */
};

MPI_Comm_copy_attr_function fort_comm_copy;
MPI_Comm_delete_attr_function fort_comm_delete;
MPI_Type_copy_attr_function fort_type_copy;
MPI_Type_delete_attr_function fort_type_delete;
MPI_Win_copy_attr_function fort_win_copy;
MPI_Win_delete_attr_function fort_win_delete;

/* A generalized request. Valid until its free function is called. */
struct fort_grequest {
	fort_proc *query;
	fort_proc *free;
	fort_proc *cancel;
	MPI_Aint extra;
};

MPI_Grequest_query_function fort_grequest_query;
MPI_Grequest_free_function fort_grequest_free;
MPI_Grequest_cancel_function fort_grequest_cancel;

/*
 * A data representation. Valid until the process ends, like the representation
 * itself.
 */
struct fort_datarep {
	fort_proc *read;
	fort_proc *write;
	fort_proc *extent;
	MPI_Aint extra;
};

MPI_Datarep_extent_function fort_datarep_extent;
MPI_Datarep_conversion_function fort_datarep_read;
MPI_Datarep_conversion_function fort_datarep_write;
MPI_Datarep_conversion_function_c fort_datarep_read_c;
MPI_Datarep_conversion_function_c fort_datarep_write_c;

#endif
