/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the one-sided calls to the page: origin, target, time and bytes. */
#include "src/tools/report/report_part.h"

#include <string.h>

#define MOST 100000u /* maximum number of accesses on a page */

bool report_access(const struct report *s, const struct trace_event *e,
		   uint32_t *rank_p, bool *in)
{
	char name[JOB_PAGE_NAME];
	const char *p;

	if (e->kind != TRACE_CALL || !TRACE_IS_ACCESS(e->word) ||
	    TRACE_ACCESS_RANK(e->word) >= s->ranks)
		return false;
	*rank_p = TRACE_ACCESS_RANK(e->word);
	/* calls that fetch and modify count as moving data to the target */
	p = report_name(s, e->id, name);
	*in = !strncmp(p, "MPI_Get", 7) || !strncmp(p, "MPI_Rget", 8)
		      ? !strstr(p, "accumulate")
		      : false;
	return true;
}

static void put_access(struct json *j, uint32_t rank, uint32_t other, bool in,
		       const struct trace_event *e)
{
	json_array(j, NULL);
	json_int(j, NULL, in ? other : rank);
	json_int(j, NULL, in ? rank : other);
	json_int(j, NULL, (int64_t)e->t);
	json_int(j, NULL, (int64_t)(e->t + e->span));
	json_int(j, NULL, (int64_t)(e->word & TRACE_ACCESS_BYTES));
	json_close(j);
}

/*
 * Writes the one-sided calls; if there are more than MOST, only every step-th
 * call.
 */
void report_put_accesses(struct json *j, const struct report *s)
{
	uint64_t step = s->accesses / MOST + 1, n = 0;
	const struct trace_event *e;
	struct report_walk w;
	uint32_t other;
	bool in;

	if (!s->accesses)
		return;
	json_int(j, "accesses_all", (int64_t)s->accesses);
	json_array(j, "accesses");
	for (uint32_t r = 0; r < s->ranks; r++)
		for (w = report_walk(s, r, SHOW(TRACE_CALL));
		     (e = report_next(&w));)
			if (report_access(s, e, &other, &in) && n++ % step == 0)
				put_access(j, r, other, in, e);
	json_close(j);
}
