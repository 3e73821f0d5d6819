/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of calls on the page, from the job status page: number of calls,
 * time and distribution over the ranks.
 */
#include "src/tools/report/report_part.h"

#include <stdlib.h>

enum { BARS = 12 };

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Writes a histogram of the time per rank, from the shortest to the longest. */
static void put_spread(struct json *j, const uint64_t *ps, uint32_t n)
{
	uint64_t low = ps[0];
	double span = (double)(ps[n - 1] - low) + 1;
	uint32_t bar[BARS] = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		unsigned k = (unsigned)((double)(ps[i] - low) / span * BARS);

		/* above 2^53 ps rounding may make k = BARS */
		bar[k < BARS ? k : BARS - 1]++;
	}
	json_array(j, "spread");
	for (int i = 0; i < BARS; i++)
		json_int(j, NULL, bar[i]);
	json_close(j);
}

struct sum {
	uint64_t count, ps, most;
	uint32_t most_rank;
};

static struct sum sum_call(const struct report *s, uint32_t id, uint64_t *ps)
{
	struct sum all = { 0 };

	for (uint32_t r = 0; r < s->ranks; r++) {
		const struct job_page_tally *t =
			weft_job_page_call_count(s->job->job_page, r, id);

		ps[r] = weft_load64(&t->ps);
		all.count += weft_load64(&t->count);
		all.ps += ps[r];
		if (ps[r] > all.most) {
			all.most = ps[r];
			all.most_rank = r;
		}
	}
	return all;
}

static void put_call(struct json *j, const struct report *s, uint32_t id,
		     uint64_t *ps)
{
	struct sum all = sum_call(s, id, ps);
	double span = (double)(s->end - s->begin) * s->ranks;
	char name[JOB_PAGE_NAME];

	if (!all.count)
		return;
	qsort(ps, s->ranks, sizeof(*ps), by_value);
	json_object(j, NULL);
	json_text(j, "name", report_name(s, id, name));
	json_int(j, "count", (int64_t)all.count);
	json_int(j, "ps", (int64_t)all.ps);
	json_number(j, "part", span > 0 ? (double)all.ps / span : 0);
	json_int(j, "least", (int64_t)ps[0]);
	json_int(j, "median", (int64_t)ps[s->ranks / 2]);
	json_int(j, "most", (int64_t)all.most);
	json_int(j, "most_rank", all.most_rank);
	put_spread(j, ps, s->ranks);
	json_close(j);
}

void report_put_calls(struct json *j, const struct report *s)
{
	uint64_t *ps = calloc(s->ranks, sizeof(*ps));

	json_array(j, "calls");
	for (uint32_t id = 1; ps && id < JOB_PAGE_NAMES; id++)
		put_call(j, s, id, ps);
	json_close(j);
	free(ps);
}
