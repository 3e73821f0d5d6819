/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of other jobs (boot_foreign.h). */
#include "src/boot/boot_foreign.h"

#include "src/boot/boot_pmix.h"
#include "src/boot/boot_wire_up.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/*
 * processes of other jobs; entry i has the index job.size + i; allocated at the
 * first use
 */
static struct weft_identity *known;
static uint64_t alone; /* number of a job without a launcher */

uint64_t weft_foreign_job(void)
{
	const char *name = weft_pmix_job();
	uint64_t h = UINT64_C(14695981039346656037);

	/* virtual time: the number is the same in every run */
	if (weft_core.traits.global_clock)
		return (uint64_t)weft_core.job.base + 1;
	if (!*name) {
		while (!alone)
			if (getrandom(&alone, sizeof(alone), 0) < 0)
				alone = h;
		return alone;
	}
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return h;
}

int weft_foreign_identify(int proc, struct weft_identity *id)
{
	size_t len = sizeof(id->name);
	int rc;

	if (proc >= weft_core.job.size) {
		*id = known[proc - weft_core.job.size];
		return 0;
	}
	memset(id, 0, sizeof(*id));
	id->job = weft_foreign_job();
	id->rank = (uint32_t)proc;
	rc = weft_wire_name_of(proc, id->name, &len);
	id->len = (uint32_t)len;
	return rc;
}

static bool is_same(const struct weft_identity *a,
		    const struct weft_identity *b)
{
	if (a->len != b->len || memcmp(a->name, b->name, a->len))
		return false;
	return !b->job || (a->job == b->job && a->rank == b->rank);
}

/*
 * Returns the index of the process with this identity, or -ENOENT if it is not
 * known.
 */
static int find_known(const struct weft_identity *id)
{
	int n = weft_core.procs - weft_core.job.size;

	for (int i = 0; i < n; i++)
		if (is_same(&known[i], id))
			return weft_core.job.size + i;
	return -ENOENT;
}

/* Adds a process to the table. Requires the lock. */
static int add(const struct weft_identity *id)
{
	int proc = weft_core.procs, rc;

	if (proc == weft_core.proc_room)
		return -ENOSPC;
	if (!known)
		known = calloc(
			(size_t)(weft_core.proc_room - weft_core.job.size),
			sizeof(*known));
	if (!known)
		return -ENOMEM;
	known[proc - weft_core.job.size] = *id;
	rc = weft_wire_insert(proc, id->name);
	if (rc)
		return rc;
	weft_core.procs++;
	return proc;
}

int weft_foreign_find(const struct weft_identity *id)
{
	size_t len;
	int proc;

	weft_wire_name(&len);
	if (id->len != len || len > sizeof(id->name))
		return -EPROTO;
	if (id->job == weft_foreign_job())
		return id->rank < (uint32_t)weft_core.job.size ? (int)id->rank
							       : -EPROTO;
	weft_lock();
	proc = find_known(id);
	if (proc < 0)
		proc = add(id);
	weft_unlock();
	return proc;
}

static void order_of(int proc, uint64_t *job_p, uint32_t *rank_p)
{
	int i = proc - weft_core.job.size;

	*job_p = i < 0 ? weft_foreign_job() : known[i].job;
	*rank_p = i < 0 ? (uint32_t)proc : known[i].rank;
}

bool weft_foreign_before(int a, int b)
{
	uint64_t job_a, job_b;
	uint32_t rank_a, rank_b;

	if (a < weft_core.job.size && b < weft_core.job.size)
		return a < b;
	order_of(a, &job_a, &rank_a);
	order_of(b, &job_b, &rank_b);
	return job_a != job_b ? job_a < job_b : rank_a < rank_b;
}

int weft_foreign_rank(int proc)
{
	uint64_t job;
	uint32_t rank;

	order_of(proc, &job, &rank);
	return (int)(job - 1 + rank);
}

int weft_foreign_of_rank(int rank)
{
	struct weft_identity id = { .job = 0 };
	size_t len = sizeof(id.name);
	int proc = rank - weft_core.job.base;

	if (proc >= 0 && proc < weft_core.job.size)
		return proc;
	if (weft_core.backend->address(proc, id.name, &len))
		return -ENOENT;
	id.len = (uint32_t)len;
	return find_known(&id);
}

void weft_foreign_close(void)
{
	free(known);
	known = NULL;
}
