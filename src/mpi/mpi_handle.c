/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles as integers and back. A predefined handle is its own number; an
 * invalid handle gives 0, which is not the number of any handle.
 */
#include "src/mpi/mpi_export.h"

#include "src/types/types_handle.h"

static int to_int(const void *handle, enum weft_kind kind)
{
	struct weft_obj *o;

	if (weft_handle_is_const(handle))
		return (int)(uintptr_t)handle;
	o = weft_obj_of(handle, kind);
	return o ? weft_handle_id(o) : 0;
}

static void *from_int(int id, enum weft_kind kind)
{
	if (id >= 0 && id <= (int)WEFT_HANDLE_MAX)
		return (void *)(uintptr_t)id;
	return weft_handle_find(id, kind);
}

#pragma weak MPI_Comm_toint = PMPI_Comm_toint
int PMPI_Comm_toint(MPI_Comm comm)
{
	return to_int(comm, WEFT_KIND_COMM);
}

#pragma weak MPI_Comm_fromint = PMPI_Comm_fromint
MPI_Comm PMPI_Comm_fromint(int comm)
{
	return from_int(comm, WEFT_KIND_COMM);
}

#pragma weak MPI_Errhandler_toint = PMPI_Errhandler_toint
int PMPI_Errhandler_toint(MPI_Errhandler errhandler)
{
	return to_int(errhandler, WEFT_KIND_ERRH);
}

#pragma weak MPI_Errhandler_fromint = PMPI_Errhandler_fromint
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler)
{
	return from_int(errhandler, WEFT_KIND_ERRH);
}

#pragma weak MPI_File_toint = PMPI_File_toint
int PMPI_File_toint(MPI_File file)
{
	return to_int(file, WEFT_KIND_FILE);
}

#pragma weak MPI_File_fromint = PMPI_File_fromint
MPI_File PMPI_File_fromint(int file)
{
	return from_int(file, WEFT_KIND_FILE);
}

#pragma weak MPI_Group_toint = PMPI_Group_toint
int PMPI_Group_toint(MPI_Group group)
{
	return to_int(group, WEFT_KIND_GROUP);
}

#pragma weak MPI_Group_fromint = PMPI_Group_fromint
MPI_Group PMPI_Group_fromint(int group)
{
	return from_int(group, WEFT_KIND_GROUP);
}

#pragma weak MPI_Info_toint = PMPI_Info_toint
int PMPI_Info_toint(MPI_Info info)
{
	return to_int(info, WEFT_KIND_INFO);
}

#pragma weak MPI_Info_fromint = PMPI_Info_fromint
MPI_Info PMPI_Info_fromint(int info)
{
	return from_int(info, WEFT_KIND_INFO);
}

#pragma weak MPI_Message_toint = PMPI_Message_toint
int PMPI_Message_toint(MPI_Message message)
{
	return to_int(message, WEFT_KIND_MSG);
}

#pragma weak MPI_Message_fromint = PMPI_Message_fromint
MPI_Message PMPI_Message_fromint(int message)
{
	return from_int(message, WEFT_KIND_MSG);
}

#pragma weak MPI_Op_toint = PMPI_Op_toint
int PMPI_Op_toint(MPI_Op op)
{
	return to_int(op, WEFT_KIND_OP);
}

#pragma weak MPI_Op_fromint = PMPI_Op_fromint
MPI_Op PMPI_Op_fromint(int op)
{
	return from_int(op, WEFT_KIND_OP);
}

#pragma weak MPI_Request_toint = PMPI_Request_toint
int PMPI_Request_toint(MPI_Request request)
{
	return to_int(request, WEFT_KIND_REQ);
}

#pragma weak MPI_Request_fromint = PMPI_Request_fromint
MPI_Request PMPI_Request_fromint(int request)
{
	return from_int(request, WEFT_KIND_REQ);
}

#pragma weak MPI_Session_toint = PMPI_Session_toint
int PMPI_Session_toint(MPI_Session session)
{
	return to_int(session, WEFT_KIND_SESSION);
}

#pragma weak MPI_Session_fromint = PMPI_Session_fromint
MPI_Session PMPI_Session_fromint(int session)
{
	return from_int(session, WEFT_KIND_SESSION);
}

#pragma weak MPI_Type_toint = PMPI_Type_toint
int PMPI_Type_toint(MPI_Datatype datatype)
{
	return to_int(datatype, WEFT_KIND_DT);
}

#pragma weak MPI_Type_fromint = PMPI_Type_fromint
MPI_Datatype PMPI_Type_fromint(int datatype)
{
	return from_int(datatype, WEFT_KIND_DT);
}

#pragma weak MPI_Win_toint = PMPI_Win_toint
int PMPI_Win_toint(MPI_Win win)
{
	return to_int(win, WEFT_KIND_WIN);
}

#pragma weak MPI_Win_fromint = PMPI_Win_fromint
MPI_Win PMPI_Win_fromint(int win)
{
	return from_int(win, WEFT_KIND_WIN);
}
