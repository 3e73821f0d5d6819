/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the page of a run; doc/page.md describes its content. */
#include "src/tools/report/report.h"
#include "src/tools/report/report_async.h"
#include "src/tools/report/report_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_fact(struct json *j, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	json_array(j, NULL);
	json_text(j, NULL, name);
	json_text(j, NULL, text);
	json_close(j);
}

/* Returns the command as one line. Freed by the caller; NULL: no memory. */
static char *command(char *const *argv)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (int i = 0; f && argv && argv[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	if (f)
		fclose(f);
	return text;
}

static void put_facts(struct json *j, const struct report *s)
{
	char *line = command(s->job->argv), text[64];

	json_array(j, "facts");
	if (!s->job->jobs)
		put_fact(j, "command", line);
	for (unsigned i = 0; s->job->jobs && s->job->jobs[i]; i++) {
		snprintf(text, sizeof(text), "job %u", i);
		put_fact(j, text, s->job->jobs[i]);
	}
	snprintf(text, sizeof(text), "%u", s->ranks);
	put_fact(j, "ranks", text);
	put_fact(j, "clock", s->job->virtual ? "virtual" : "live");
	put_fact(j, "machine", s->job->machine);
	put_fact(j, "shape", s->job->shape);
	if (s->job->nodes) {
		snprintf(text, sizeof(text), "%u of %u", s->job->nodes_used,
			 s->job->nodes);
		put_fact(j, "nodes used", text);
	}
	if (s->job->virtual)
		put_fact(j, "computing between MPI calls",
			 s->job->compute
				 ? "counts"
				 : "takes no time; use --compute to count it");
	put_fact(j, "host", s->job->host);
	snprintf(text, sizeof(text), "%.6f us",
		 (double)(s->end - s->begin) * 1e-6);
	put_fact(j, "from first to last call", text);
	put_fact(j, "hash of the events", report_note(s, "hash"));
	if (s->file.lost) {
		snprintf(text, sizeof(text),
			 "disk full: events of %u ranks are incomplete",
			 s->file.lost);
		put_fact(j, "not complete", text);
	}
	json_close(j);
	free(line);
}

/* Writes the lines "rank others ..." as arrays of numbers. */
static void put_waits(struct json *j, const char *text)
{
	char *end;
	long first;

	json_array(j, "waits");
	while (text && *text) {
		first = strtol(text, &end, 10);
		if (end == text)
			break;
		json_array(j, NULL);
		json_int(j, NULL, first);
		json_array(j, NULL);
		for (text = end; *text == ' '; text = end)
			json_int(j, NULL, strtol(text, &end, 10));
		json_close(j);
		json_close(j);
		text += *text == '\n';
	}
	json_close(j);
}

/* ---- matching, done by a second thread while the rest is written --------- */

struct match_job {
	const struct report *s;
	struct report_matched m;
	struct report_wait_result w;
	struct report_chain c;
	int err;
};

static void match_job(void *arg)
{
	struct match_job *x = arg;

	x->err = report_match(x->s, &x->m);
	if (!x->err)
		x->err = report_match_colls(x->s, &x->m);
	if (!x->err)
		x->err = report_wait(x->s, &x->m, &x->w);
	if (!x->err)
		x->err = report_chain(x->s, &x->w, &x->c);
}

/* ---- sections of the page ------------------------------------------------ */

static void put_sections(struct json *j, const struct report *s)
{
	const char *text;

	put_facts(j, s);
	text = report_note(s, "deadlock");
	if (text) {
		json_object(j, "deadlock");
		json_text(j, "text", text);
		put_waits(j, report_note(s, "waits"));
		json_close(j);
	}
	report_put_calls(j, s);
	report_put_time(j, s);
	report_put_accesses(j, s);
	report_put_matrix(j, s);
	report_put_links(j, s);
	report_put_routes(j, s);
	report_put_faults(j, s);
	if (s->job->report)
		json_text(j, "report", s->job->report);
}

static int put_all(struct json *j, const struct report *s)
{
	struct match_job x = { .s = s };
	struct report_async async;

	report_async_start(&async, match_job, &x);
	put_sections(j, s);
	report_async_join(&async);
	if (!x.err) {
		report_put_messages(j, s, &x.m);
	}
	if (!x.err && x.m.all) {
		report_put_waits(j, s, &x.w);
		report_put_chain(j, s, &x.c);
	} else if (!x.err) {
		json_text(j, "waits_note",
			  "This run has more events than the 8,388,608 whose "
			  "messages are matched: wait states and the chain of "
			  "waits are not computed. Trace fewer iterations.");
	}
	report_match_free(&x.m);
	report_wait_free(&x.w);
	report_chain_free(&x.c);
	return x.err;
}

int report_page(const struct report *s, const char *file)
{
	char *line = command(s->job->argv), title[160];
	struct page p;
	int err;

	snprintf(title, sizeof(title), "%.100s, %u rank%s",
		 line ? line : "a job", s->ranks, s->ranks == 1 ? "" : "s");
	free(line);
	err = page_open(&p, file, "run", title);
	if (err)
		return err;
	err = put_all(&p.data, s);
	if (!err)
		return page_close(&p);
	page_drop(&p);
	return err;
}
