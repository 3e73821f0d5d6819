/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of the programs that share a machine (src/job/job_place.h). */
#include "src/tools/replay/replay_int.h"

#include "src/job/job_place.h"

#include <stdlib.h>

static bool uses_places(const struct replay_job *j)
{
	bool uses = j->programs > 1;

	for (unsigned i = 0; i < j->programs; i++)
		uses = uses || j->program[i].place;
	return uses;
}

/*
 * Reads the machine's number of nodes, and of ranks per node. Returns the
 * number of nodes that the programs need.
 */
static uint32_t read_machine(const struct replay_job *j,
			     const struct weft_place_job *job,
			     struct weft_place_machine *m)
{
	uint32_t want = 0;

	*m = (struct weft_place_machine){ .ppn = j->opt.ppn };
	if (weft_vt_nodes(j->opt.machine, &m->nodes, &m->ppn))
		exit(2);
	for (unsigned i = 0; i < j->programs; i++)
		want += weft_place_needed(&job[i], m->ppn);
	m->nodes = want;
	if (weft_vt_nodes(j->opt.machine, &m->nodes, &m->ppn))
		exit(2);
	return want;
}

struct weft_vt_place *replay_place(struct replay_job *j, uint32_t *nodes_p)
{
	struct weft_place_job job[REPLAY_PROGRAMS];
	struct weft_place_machine m;
	struct weft_vt_place *where;
	char why[WEFT_PLACE_WHY];
	uint32_t *node_of;

	if (!uses_places(j))
		return NULL;
	if (j->opt.map)
		replay_fail("--map places one job; several jobs, and jobs with "
			    "--place, have a list of nodes each");
	for (unsigned i = 0; i < j->programs; i++)
		job[i] = (struct weft_place_job){ .name = j->program[i].name,
						  .place = j->program[i].place,
						  .ranks = j->program[i].size };
	*nodes_p = read_machine(j, job, &m);
	where = calloc(j->size, sizeof(*where));
	node_of = calloc(j->size, sizeof(*node_of));
	if (!where || !node_of)
		replay_fail("out of memory");
	if (weft_place_jobs(&m, job, j->programs, node_of, why))
		replay_fail("%s", why);
	for (unsigned i = 0; i < j->programs; i++) {
		const struct replay_program *p = &j->program[i];

		j->program[i].nodes = job[i].nodes;
		for (uint32_t k = 0; k < p->size; k++)
			where[p->first + k] =
				(struct weft_vt_place){ node_of[p->first + k],
							k % m.ppn };
	}
	j->opt.ppn = m.ppn;
	free(node_of);
	return where;
}
