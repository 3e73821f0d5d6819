/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the page of a run, called by report_page.c. */
#ifndef WEFT_REPORT_PART_H
#define WEFT_REPORT_PART_H

#include "src/tools/page/page.h"
#include "src/tools/report/report.h"

void report_put_calls(struct json *j, const struct report *s);
void report_put_time(struct json *j, const struct report *s);
void report_put_messages(struct json *j, const struct report *s,
			 const struct report_matched *m);
/* Writes the one-sided calls: accesses to windows of other ranks. */
void report_put_accesses(struct json *j, const struct report *s);
/*
 * Returns whether the event is a one-sided call to a rank of the job. rank_p:
 * the target; in: whether the data moves from the target to the origin.
 */
bool report_access(const struct report *s, const struct trace_event *e,
		   uint32_t *rank_p, bool *in);
void report_put_matrix(struct json *j, const struct report *s);
void report_put_waits(struct json *j, const struct report *s,
		      const struct report_wait_result *w);
void report_put_chain(struct json *j, const struct report *s,
		      const struct report_chain *c);
void report_put_links(struct json *j, const struct report *s);
void report_put_routes(struct json *j, const struct report *s);
void report_put_faults(struct json *j, const struct report *s);

#endif
