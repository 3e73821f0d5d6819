#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints a header generated only from the tables of share/abi, as an example of
# another implementation's mpi.h for the same ABI.
cd "$(dirname "$0")/../../share/abi" || exit 1

cat <<'END'
#include <stdint.h>
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef struct MPI_Status {
	int MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_internal[5];
} MPI_Status;
typedef enum { MPI_T_cb_safety_one } MPI_T_cb_safety;
typedef enum { MPI_T_source_order_one } MPI_T_source_order;
END
awk -F'\t' '/^#/ || $3 ~ /Aint|Offset|Count|Status|safety|order/ { next }
	{ print "typedef struct MPI_ABI_" substr($3, 5) " *" $3 ";" }' types

# Types of callbacks: only their names are needed; each is declared as a
# function.
cat <<'END'
typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);
typedef void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *);
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);
#define COPY_AND_DELETE(name, handle, copy, del)                           \
	typedef int copy(handle, int, void *, void *, void *, int *);      \
	typedef int del(handle, int, void *, void *);
COPY_AND_DELETE(Old, MPI_Comm, MPI_Copy_function, MPI_Delete_function)
COPY_AND_DELETE(Comm, MPI_Comm, MPI_Comm_copy_attr_function,
		MPI_Comm_delete_attr_function)
COPY_AND_DELETE(Type, MPI_Datatype, MPI_Type_copy_attr_function,
		MPI_Type_delete_attr_function)
COPY_AND_DELETE(Win, MPI_Win, MPI_Win_copy_attr_function,
		MPI_Win_delete_attr_function)
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_File_errhandler_function(MPI_File *, int *, ...);
typedef void MPI_Session_errhandler_function(MPI_Session *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint *, void *);
typedef int MPI_Datarep_conversion_function(void *, MPI_Datatype, int, void *,
					    MPI_Offset, void *);
typedef int MPI_Datarep_conversion_function_c(void *, MPI_Datatype, MPI_Count,
					      void *, MPI_Offset, void *);
typedef void (*MPI_T_event_cb_function)(MPI_T_event_instance,
					MPI_T_event_registration,
					MPI_T_cb_safety, void *);
typedef void (*MPI_T_event_free_cb_function)(MPI_T_event_registration,
					     MPI_T_cb_safety, void *);
typedef void (*MPI_T_event_dropped_cb_function)(MPI_Count,
						MPI_T_event_registration, int,
						MPI_T_cb_safety, void *);
END
awk -F'\t' '/^#/ { next } { print "#define " $3 " ((" $1 ")" $2 ")" }' constants
awk -F'\t' '/^#/ { next } { print $2 " " $3 "(" $4 ");" }' functions
