/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T events. The number of events is 0, which the standard allows, so every
 * index, name, registration and instance is invalid, and each function returns
 * the corresponding error. One time source exists: the clock of MPI_Wtime.
 */
#include "src/mpi/mpi_export.h"

#include "src/core/core_state.h"
#include "src/core/core_time.h"
#include "src/mpi/tool/mpi_tool.h"

static int not_valid(int why)
{
	int err = mpi_tool_ready();

	return err ? err : why;
}

#pragma weak MPI_T_event_get_num = PMPI_T_event_get_num
int PMPI_T_event_get_num(int *num_events)
{
	MPI_ENTER;

	*num_events = 0;
	return mpi_tool_ready();
}

#pragma weak MPI_T_event_get_index = PMPI_T_event_get_index
int PMPI_T_event_get_index(const char *name, int *event_index)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_NAME);
}

#pragma weak MPI_T_event_get_info = PMPI_T_event_get_info
int PMPI_T_event_get_info(int event_index, char *name, int *name_len,
			  int *verbosity, MPI_Datatype array_of_datatypes[],
			  MPI_Aint array_of_displacements[], int *num_elements,
			  MPI_T_enum *enumtype, MPI_Info *info, char *desc,
			  int *desc_len, int *bind)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_INDEX);
}

#pragma weak MPI_T_event_handle_alloc = PMPI_T_event_handle_alloc
int PMPI_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
			      MPI_T_event_registration *event_registration)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_INDEX);
}

#pragma weak MPI_T_event_handle_free = PMPI_T_event_handle_free
int PMPI_T_event_handle_free(MPI_T_event_registration event_registration,
			     void *user_data,
			     MPI_T_event_free_cb_function free_cb_function)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_handle_get_info = PMPI_T_event_handle_get_info
int PMPI_T_event_handle_get_info(MPI_T_event_registration event_registration,
				 MPI_Info *info_used)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_handle_set_info = PMPI_T_event_handle_set_info
int PMPI_T_event_handle_set_info(MPI_T_event_registration event_registration,
				 MPI_Info info)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_register_callback = PMPI_T_event_register_callback
int PMPI_T_event_register_callback(MPI_T_event_registration event_registration,
				   MPI_T_cb_safety cb_safety, MPI_Info info,
				   void *user_data,
				   MPI_T_event_cb_function event_cb_function)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_callback_get_info = PMPI_T_event_callback_get_info
int PMPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
				   MPI_T_cb_safety cb_safety,
				   MPI_Info *info_used)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_callback_set_info = PMPI_T_event_callback_set_info
int PMPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
				   MPI_T_cb_safety cb_safety, MPI_Info info)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_set_dropped_handler = PMPI_T_event_set_dropped_handler
int PMPI_T_event_set_dropped_handler(
	MPI_T_event_registration event_registration,
	MPI_T_event_dropped_cb_function dropped_cb_function)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_read = PMPI_T_event_read
int PMPI_T_event_read(MPI_T_event_instance event_instance, int element_index,
		      void *buffer)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_copy = PMPI_T_event_copy
int PMPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_get_timestamp = PMPI_T_event_get_timestamp
int PMPI_T_event_get_timestamp(MPI_T_event_instance event_instance,
			       MPI_Count *event_timestamp)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

#pragma weak MPI_T_event_get_source = PMPI_T_event_get_source
int PMPI_T_event_get_source(MPI_T_event_instance event_instance,
			    int *source_index)
{
	MPI_ENTER;

	return not_valid(MPI_T_ERR_INVALID_HANDLE);
}

/* ---- sources -------------------------------------------------------------*/

#pragma weak MPI_T_source_get_num = PMPI_T_source_get_num
int PMPI_T_source_get_num(int *num_sources)
{
	MPI_ENTER;

	*num_sources = 1;
	return mpi_tool_ready();
}

#pragma weak MPI_T_source_get_info = PMPI_T_source_get_info
int PMPI_T_source_get_info(int source_index, char *name, int *name_len,
			   char *desc, int *desc_len,
			   MPI_T_source_order *ordering,
			   MPI_Count *ticks_per_second, MPI_Count *max_ticks,
			   MPI_Info *info)
{
	MPI_ENTER;
	int err = mpi_tool_ready();

	if (!err && source_index != 0)
		err = MPI_T_ERR_INVALID_INDEX;
	if (err)
		return err;
	mpi_tool_text("clock", name, name_len);
	mpi_tool_text("the clock of MPI_Wtime", desc, desc_len);
	if (ordering)
		*ordering = MPI_T_SOURCE_ORDERED;
	if (ticks_per_second)
		*ticks_per_second = 1000000000;
	if (max_ticks)
		*max_ticks = INT64_MAX;
	if (info)
		*info = MPI_INFO_NULL;
	return MPI_SUCCESS;
}

#pragma weak MPI_T_source_get_timestamp = PMPI_T_source_get_timestamp
int PMPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
	MPI_ENTER;
	int err = mpi_tool_ready();

	if (!err && source_index != 0)
		err = MPI_T_ERR_INVALID_INDEX;
	if (!err)
		*timestamp = (MPI_Count)(weft_core_now_ps() / 1000);
	return err;
}
