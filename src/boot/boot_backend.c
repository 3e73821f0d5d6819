/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two instances of struct weft_core_backend (core_backend.h), for live mode
 * and for virtual time, and how a rank leaves the job in each case.
 */
#include "src/boot/boot_backend.h"

#include "src/boot/boot_hosts.h"
#include "src/boot/boot_pmix.h"
#include "src/boot/boot_world.h"
#include "src/comm/comm_channel.h"
#include "src/core/core_state.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/recover/recover.h"

#include <errno.h>
#include <rdma/fi_eq.h>
#include <stdlib.h>
#include <string.h>

/* ---- leaving ------------------------------------------------------------- */

static void idle(void)
{
	uint32_t mark = weft_load32(&weft_completed);

	if (!weft_progress())
		weft_progress_block(mark, 1000);
}

static void wake(void)
{
	if (weft_core.can_block)
		fi_cq_signal(weft_core.cq);
}

/*
 * Executes a barrier of all ranks: no rank leaves before all ranks have called
 * MPI_Finalize. The barrier has a tag of its own: with the tag of the next
 * collective, a rank that omitted a collective would match the other ranks'
 * messages of that collective.
 */
static int final_barrier(bool *stays_p)
{
	struct weft_channel m = { weft_core.world, WEFT_P2P_COLL,
				  WEFT_TAG_LAST };

	return weft_channel_any(&m, stays_p);
}

static int leave_world(void)
{
	weft_world_leave();
	return weft_world_end();
}

/*
 * Waits for all ranks of a job. The fence of some launchers completes on one
 * host before the other hosts have entered it (Slurm 22.05), so a job on
 * several hosts synchronizes by messages first. If a rank is dead, the messages
 * fail, and the launcher decides how the job ends. Under Weft's mpiexec the job
 * status page shows whether a rank has used sessions. A job that survives
 * failures waits for the living ranks only.
 */
static int sync_job(bool *stays_p)
{
	int rc;

	if (weft_core.survives) {
		rc = weft_recover_sync(stays_p);
		*stays_p = *stays_p || weft_pmix_sessions_used();
		return rc;
	}
	if (weft_hosts_several() || !weft_pmix_launcher_is_weft())
		final_barrier(stays_p);
	rc = weft_pmix_fence(idle, wake);
	*stays_p = *stays_p || weft_pmix_sessions_used();
	return rc;
}

/*
 * In a job that survives failures, ranks may fail even during MPI_Finalize, so
 * each rank leaves independently.
 */
static int sync_survivors(bool *stays_p)
{
	int rc = weft_recover_sync(stays_p);

	if (rc)
		return rc;
	weft_world_leave_alone();
	return 1;
}

static int sync_world(bool *stays_p)
{
	char dead[8];
	int rc;

	if (weft_core.survives)
		return sync_survivors(stays_p);
	rc = final_barrier(stays_p);
	if (!rc)
		return 0;
	weft_world_failed_ranks(dead, sizeof(dead));
	if (!*dead) {
		weft_world_leave();
		return rc;
	}
	/* after a node failure every rank leaves independently */
	weft_world_leave_alone();
	return 1;
}

static int leave_nothing(void)
{
	return 0;
}

/* ---- the table ----------------------------------------------------------- */

static const struct weft_core_backend live = {
	.clock = "time",
	.address = weft_pmix_get,
	.sync = sync_job,
	.leave = leave_nothing,
};

static const struct weft_core_backend modelled = {
	.traits = { .reports_waits = true,
		    .polls_block = true,
		    .waits_end = true,
		    .network_routes = true,
		    .network_windows = true,
		    .network_locks = true,
		    .addresses_known = true,
		    .global_clock = true,
		    .reports_faults = true },
	.clock = "virtual time",
	.address = weft_world_address,
	.world = weft_world_id,
	.reserve = weft_world_reserve,
	.cancel = weft_world_cancel,
	.sync = sync_world,
	.leave = leave_world,
	.choice = weft_world_choice,
	.file_time = weft_world_file_time,
	.compute = weft_world_compute,
	.factor = weft_world_factor,
	.failure = weft_world_failure,
};

int weft_core_backend_open(void)
{
	bool joined = false;
	int rc = weft_world_join(&joined);

	weft_core.backend = joined ? &modelled : &live;
	weft_core.traits = weft_core.backend->traits;
	return rc;
}
