/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts of a communicator's members, as reported by the launcher. */
#include "src/comm/comm_local.h"

#include "src/core/core_state.h"

bool weft_proc_is_local(int proc)
{
	const struct weft_job *job = &weft_core.job;
	int k = 0;

	if (proc == job->rank)
		return true;
	while (job->local && k < job->local_size && job->local[k] != proc)
		k++;
	return job->local && k < job->local_size;
}

bool weft_comm_is_local(const struct weft_comm *c)
{
	int i = 0;

	while (i < c->size && weft_proc_is_local(c->proc[i]))
		i++;
	return i == c->size;
}
