/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the page of a run, called by show_page.c. */
#ifndef WEFT_SHOW_PART_H
#define WEFT_SHOW_PART_H

#include "src/page/page.h"
#include "src/show/show.h"

void show_put_calls(struct json *j, const struct show *s);
void show_put_time(struct json *j, const struct show *s);
void show_put_messages(struct json *j, const struct show *s,
		       const struct show_matched *m);
/* One-sided calls: accesses to windows of other ranks. */
void show_put_accesses(struct json *j, const struct show *s);
/*
 * Is this event a one-sided call to a rank of the job? rank_p: its target; in:
 * the data moves from the target to the origin.
 */
bool show_access(const struct show *s, const struct trace_event *e,
		 uint32_t *rank_p, bool *in);
void show_put_matrix(struct json *j, const struct show *s);
void show_put_waits(struct json *j, const struct show *s,
		    const struct show_wait_result *w);
void show_put_chain(struct json *j, const struct show *s,
		    const struct show_chain *c);
void show_put_links(struct json *j, const struct show *s);
void show_put_routes(struct json *j, const struct show *s);
void show_put_faults(struct json *j, const struct show *s);

#endif
