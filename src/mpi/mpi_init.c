/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Init to MPI_Finalize, and MPI_Abort. */
#include "src/mpi/mpi_export.h"

#include "coll/coll.h"
#include "src/types/types_attr.h"
#include "src/boot/boot_abort.h"
#include "src/msg/msg_bsend.h"
#include "src/diag/diag_call.h"
#include "src/diag/diag_err.h"
#include "src/boot/boot_init.h"
#include "src/core/core_opts.h"
#include "src/types/types_info.h"
#include "src/core/core_state.h"
#include "src/mpi/dynamic/mpi_dynamic.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/mpi_init.h"
#include "src/file/file.h"
#include "src/recover/recover.h"
#include "src/win/win.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *mpi_thread_level_name(int level)
{
	return level == MPI_THREAD_MULTIPLE	? "MPI_THREAD_MULTIPLE"
	       : level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
	       : level == MPI_THREAD_FUNNELED	? "MPI_THREAD_FUNNELED"
						: "MPI_THREAD_SINGLE";
}

/* Sets the predefined attributes and MPI_INFO_ENV of the job. */
static void set_predefined(void)
{
	const struct weft_job *job = &weft_core.job;
	char text[24];

	if (job->appnum >= 0)
		weft_attr_predef_set(MPI_APPNUM, job->appnum);
	if (job->universe >= 0)
		weft_attr_predef_set(MPI_UNIVERSE_SIZE, job->universe);
	if (weft_core.traits.global_clock)
		weft_attr_predef_set(MPI_WTIME_IS_GLOBAL, 1);
	snprintf(text, sizeof(text), "%d", job->size);
	weft_info_set(weft_info_env(), "maxprocs", text);
	weft_info_set(weft_info_env(), "thread_level",
		      mpi_thread_level_name(weft_core.thread_level));
}

/* Warns about misspelt environment variables, once per job. */
static void warn_unknown(void)
{
	const struct weft_cfg_table known[] = {
		{ weft_core_opts, WEFT_OPT_COUNT },
		{ weft_coll_options, WEFT_COLL_KINDS },
	};

	weft_cfg_warn_unknown("WEFT_", known, WEFT_COUNT_OF(known));
}

static int start(const char *func, int required)
{
	uint32_t phase = weft_load32(&weft_core.world_phase);
	int rc;

	if (phase == WEFT_RUNNING)
		return weft_err_arg(NULL, func, MPI_ERR_OTHER, 0,
				    "MPI is initialized already");
	if (phase == WEFT_AFTER_FINALIZE)
		return weft_err_arg(
			NULL, func, MPI_ERR_OTHER, 0,
			"MPI was finalized and cannot be initialized again");
	weft_core_coll_set(&weft_coll_core_ops);
	if (weft_core_init(required))
		weft_core_abort(1, "%s failed: see the message above",
				func + 1);
	set_predefined();
	weft_coll_open(weft_core.world);
	rc = mpi_spawn_connect();
	if (rc)
		weft_core_abort(1,
				"%s: this job was spawned and cannot connect "
				"to its parents: %s",
				func + 1, strerror(-rc));
	if (weft_core.job.rank == 0)
		warn_unknown();
	weft_recover_started();
	return MPI_SUCCESS;
}

#pragma weak MPI_Init = PMPI_Init
int PMPI_Init(int *argc, char ***argv)
{
	MPI_ENTER;

	return start(__func__, MPI_THREAD_SINGLE);
}

#pragma weak MPI_Init_thread = PMPI_Init_thread
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	MPI_ENTER;
	int err;

	if (required > MPI_THREAD_MULTIPLE)
		required = MPI_THREAD_MULTIPLE;
	if (required < MPI_THREAD_SINGLE)
		required = MPI_THREAD_SINGLE;
	err = start(__func__, required);
	if (!err && provided)
		*provided = weft_core.thread_level;
	return err;
}

#pragma weak MPI_Initialized = PMPI_Initialized
int PMPI_Initialized(int *flag)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, flag, "flag");

	if (err)
		return err;
	*flag = weft_load32(&weft_core.world_phase) != WEFT_BEFORE_INIT;
	return MPI_SUCCESS;
}

#pragma weak MPI_Finalized = PMPI_Finalized
int PMPI_Finalized(int *flag)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, flag, "flag");

	if (err)
		return err;
	*flag = weft_load32(&weft_core.world_phase) == WEFT_AFTER_FINALIZE;
	return MPI_SUCCESS;
}

#pragma weak MPI_Finalize = PMPI_Finalize
int PMPI_Finalize(void)
{
	MPI_ENTER;
	int err;

	if (!weft_world_is_running())
		return weft_check_comm_bad(__func__, 0, MPI_COMM_WORLD);
	/*
	 * the attributes of MPI_COMM_SELF are deleted first: libraries clean up
	 * in their delete callbacks, while MPI still works
	 */
	err = weft_attrs_clear(&weft_core.self->attr, MPI_COMM_SELF);
	if (err)
		return weft_err_call(weft_core.self, __func__, err);
	weft_bsend_flush(weft_bsend_process());
	weft_file_fini();
	weft_win_heap_trim();
	weft_win_share_trim();
	return weft_err_rc(NULL, __func__, weft_core_fini());
}

#pragma weak MPI_Query_thread = PMPI_Query_thread
int PMPI_Query_thread(int *provided)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, provided, "provided");

	if (err)
		return err;
	if (!weft_world_is_running())
		return weft_check_comm_bad(__func__, 0, MPI_COMM_WORLD);
	*provided = weft_core.thread_level;
	return MPI_SUCCESS;
}

#pragma weak MPI_Is_thread_main = PMPI_Is_thread_main
int PMPI_Is_thread_main(int *flag)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, flag, "flag");

	if (err)
		return err;
	if (!weft_world_is_running())
		return weft_check_comm_bad(__func__, 0, MPI_COMM_WORLD);
	*flag = pthread_equal(pthread_self(), weft_core.main_thread) != 0;
	return MPI_SUCCESS;
}

#pragma weak MPI_Abort = PMPI_Abort
int PMPI_Abort(MPI_Comm comm, int errorcode)
{
	MPI_ENTER;
	const struct weft_comm *c = weft_comm_of(comm);
	const char *name = c && c->name[0] ? c->name : "communicator";
	char text[MPI_MAX_OBJECT_NAME + 32];

	snprintf(text, sizeof(text), "MPI_Abort(%s, %d)", name, errorcode);
	if (!weft_call_has_launcher())
		weft_core_abort(errorcode, "%s", text);
	fflush(stdout);
	weft_core_exit_job(errorcode & 255 ? errorcode & 255 : 1, text);
}
