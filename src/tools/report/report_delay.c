/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes wait states and the chain of waits to the page (doc/page.md). */
#include "src/tools/report/report_part.h"

/*
 * Number of time slices of the run. Of a long chain, consecutive links shorter
 * than one slice are merged.
 */
enum { PARTS = 1000 };

/* ---- wait states --------------------------------------------------------- */

static bool any_nonzero(const uint64_t *ps)
{
	for (int c = 0; c < REPORT_CLASSES; c++)
		if (ps[c])
			return true;
	return false;
}

static void put_times(struct json *j, const uint64_t *ps)
{
	for (int c = 0; c < REPORT_CLASSES; c++)
		json_int(j, NULL, (int64_t)ps[c]);
}

void report_put_waits(struct json *j, const struct report *s,
		      const struct report_wait_result *w)
{
	char name[JOB_PAGE_NAME];

	json_object(j, "waits");
	json_array(j, "classes");
	for (int c = 0; c < REPORT_CLASSES; c++)
		json_text(j, NULL, report_class_name((enum report_class)c));
	json_close(j);
	json_array(j, "rank");
	for (uint32_t r = 0; r < s->ranks; r++) {
		json_array(j, NULL);
		put_times(j, w->by_rank[r]);
		json_close(j);
	}
	json_close(j);
	json_array(j, "call");
	for (uint32_t id = 1; id < JOB_PAGE_NAMES; id++)
		if (any_nonzero(w->by_call[id])) {
			json_array(j, NULL);
			json_text(j, NULL, report_name(s, id, name));
			put_times(j, w->by_call[id]);
			json_close(j);
		}
	json_close(j);
	json_close(j);
}

/* ---- the chain ----------------------------------------------------------- */

static const char *const via_name[REPORT_VIAS] = {
	[REPORT_OWN] = "own",
	[REPORT_MESSAGE] = "message",
	[REPORT_RECEIVER] = "receiver",
	[REPORT_COLLECTIVE] = "collective",
	[REPORT_SYNC] = "synchronization",
	[REPORT_LOCK] = "lock",
	[REPORT_OPEN] = "open",
	[REPORT_SEVERAL] = "several",
};

static void put_link(struct json *j, const struct report *s,
		     const struct report_link *x)
{
	char name[JOB_PAGE_NAME];

	json_object(j, NULL);
	json_int(j, "rank", x->rank);
	json_int(j, "from", (int64_t)x->from);
	json_int(j, "length", (int64_t)(x->to - x->from));
	json_text(j, "via", via_name[x->via]);
	if (x->via == REPORT_OWN || x->via == REPORT_SEVERAL)
		json_int(j, "outside", (int64_t)x->outside);
	else
		json_text(j, "call", report_name(s, x->id, name));
	if (x->via == REPORT_MESSAGE || x->via == REPORT_RECEIVER)
		json_int(j, "peer", x->peer);
	if (x->other != x->rank)
		json_int(j, "other", x->other);
	json_close(j);
}

/* Writes the links; consecutive short links are merged. */
static void put_links(struct json *j, const struct report *s,
		      const struct report_chain *c)
{
	uint64_t least = c->links > 2 * PARTS ? (s->end - s->begin) / PARTS : 0;
	struct report_link x;

	for (uint64_t i = c->links; i-- > 0;) {
		x = c->link[i];
		while (i && x.to - x.from < least &&
		       c->link[i - 1].to - c->link[i - 1].from < least) {
			x.via = REPORT_SEVERAL;
			x.outside += c->link[--i].outside;
			x.to = c->link[i].to;
		}
		put_link(j, s, &x);
	}
}

static void put_sum(struct json *j, const char *call, const char *via,
		    uint64_t ps)
{
	if (!ps)
		return;
	json_array(j, NULL);
	json_text(j, NULL, call);
	json_text(j, NULL, via);
	json_int(j, NULL, (int64_t)ps);
	json_close(j);
}

void report_put_chain(struct json *j, const struct report *s,
		      const struct report_chain *c)
{
	char name[JOB_PAGE_NAME];

	json_array(j, "chain");
	put_links(j, s, c);
	json_close(j);
	json_array(j, "chain_sum");
	put_sum(j, "", "own", c->outside);
	for (uint32_t id = 0; id < JOB_PAGE_NAMES; id++)
		for (int via = 0; via < REPORT_VIAS; via++)
			if (c->by_call[id][via])
				put_sum(j, report_name(s, id, name),
					via_name[via], c->by_call[id][via]);
	json_close(j);
	json_array(j, "chain_rank");
	for (uint32_t r = 0; r < s->ranks; r++)
		if (c->by_rank[r]) {
			const int64_t row[] = { r, (int64_t)c->by_rank[r] };

			json_array(j, NULL);
			json_ints(j, row, 2);
			json_close(j);
		}
	json_close(j);
}
