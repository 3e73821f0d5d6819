/* SPDX-License-Identifier: BSD-3-Clause */
/* End of background jobs (run_background.h). */
#include "src/tools/run/job/run_background.h"

#include "src/tools/run/opts/run_parts.h"

bool run_background_has(const struct run_job *job, int rank)
{
	const struct run_part *p =
		run_part_of_app(job->opts, job->rank[rank].app);

	return p && p->background;
}

/* Returns whether a rank of another job has not exited yet. */
static bool others_run(const struct run_job *job)
{
	for (int i = 0; i < job->nranks; i++)
		if (!job->rank[i].exited && !run_background_has(job, i))
			return true;
	return false;
}

void run_background_end(struct run_job *job)
{
	if (job->opts->nparts < 2 || !job->live || others_run(job))
		return;
	for (int i = 0; i < job->nranks; i++) {
		struct run_rank *r = &job->rank[i];

		if (r->exited || r->dismissed || r->pid <= 0)
			continue;
		/*
		 * SIGKILL, since the rank is blocked: virtual time has stopped
		 */
		r->dismissed = true;
		kill(-r->pid, SIGKILL);
	}
}
