/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-info --health JOB: maps the registers of the health watch
 * (src/health/health.h) read-only and prints the state of each rank, as its
 * neighbours have reported it.
 */
#include "src/tools/info/info_health.h"

#include "src/base/clock.h"
#include "src/health/health.h"

#include <string.h>
#include <unistd.h>

static double seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

/* Prints text of another process; unprintable characters become '?'. */
static void show_text(struct weft_report *r, const char *key, const char *text)
{
	char safe[HEALTH_JOB];

	snprintf(safe, sizeof(safe), "%s", text);
	for (char *c = safe; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	report_value(r, key, "%s", safe);
}

static void show_sensors(struct weft_report *r, const struct weft_health *h)
{
	const struct health_head *head = h->head;
	uint32_t temp = weft_load32(&head->temp_mc);
	uint32_t load = weft_load32(&head->load_cpcpu);
	uint32_t warns = weft_load32(&head->warns);

	if (temp == HEALTH_NONE)
		report_value(r, "temperature", "not known");
	else
		report_value(r, "temperature", "%.1f C%s", (int32_t)temp / 1e3,
			     warns & 1 ? ", too high" : "");
	if (load == HEALTH_NONE)
		report_value(r, "load", "not known");
	else
		report_value(r, "load", "%.2f of each processor%s",
			     (int32_t)load / 1e2,
			     warns & 2 ? ", too high" : "");
}

static void show_job(struct weft_report *r, const struct weft_health *h)
{
	const struct health_job_info *w = &h->what;

	report_section(r, "job", "Job");
	show_text(r, "name", w->job);
	show_text(r, "host", w->host);
	report_value(r, "ranks", "%u here of %u", w->slots, w->ranks);
	report_value(r, "torus", "%ux%ux%u", w->shape[0], w->shape[1],
		     w->shape[2]);
	report_value(r, "period", "%.3f ms", (double)w->period_ns / 1e6);
	show_sensors(r, h);
	report_section_end(r);
}

enum { COLUMNS = 8 };

struct cell {
	char text[24];
};

/* Prints a line of the table, or a JSON object. */
static void row(struct weft_report *r, const char *const (*field)[2], int n)
{
	static const int width[] = { 5, 8, 8, 10, 10, 10, 13, 12 };

	if (r->json) {
		report_row(r, field, n);
		return;
	}
	for (int i = 0; i < n; i++)
		fprintf(r->out, "  %-*s", width[i], field[i][1]);
	fputc('\n', r->out);
}

static void show_heading(struct weft_report *r)
{
	static const char *const field[][2] = {
		{ "", "rank" },		{ "", "pid" },	     { "", "host" },
		{ "", "interface" },	{ "", "seen by" },   { "", "for" },
		{ "", "known within" }, { "", "last beat" },
	};

	if (!r->json)
		row(r, field, COLUMNS);
}

static void show_rank(struct weft_report *r, const struct weft_health_view *v)
{
	static const char *const absent[] = { "not started", NULL,
					      "finalized" };
	const char *gone =
		v->state <= HEALTH_LEFT ? absent[v->state] : "unknown";
	struct cell rank, pid, by, since, beat, known;
	const char *field[COLUMNS][2] = {
		{ "rank", rank.text },
		{ "pid", pid.text },
		{ "host", gone ? gone : weft_watch_name(v->host) },
		{ "interface", gone ? "-" : weft_watch_name(v->nic) },
		{ "seen by", by.text },
		{ "for", since.text },
		{ "known within", known.text },
		{ "last beat", beat.text },
	};

	snprintf(rank.text, sizeof(rank.text), "%u", v->rank);
	snprintf(pid.text, sizeof(pid.text), "%u", v->pid);
	snprintf(by.text, sizeof(by.text), "%s", "weft-info");
	if (v->by != HEALTH_NO_SLOT)
		snprintf(by.text, sizeof(by.text), "rank %u", v->by);
	snprintf(since.text, sizeof(since.text), "%.2f s",
		 seconds(v->known_ns));
	snprintf(beat.text, sizeof(beat.text), "%.2f s ago",
		 seconds(v->beat_ns));
	/*
	 * The time from a rank's last heartbeat to the detection of its state
	 * is at most the number of checks without a new heartbeat, plus one, in
	 * rounds.
	 */
	if (v->by == HEALTH_NO_SLOT || !v->checks)
		snprintf(known.text, sizeof(known.text), "-");
	else
		snprintf(known.text, sizeof(known.text), "%.1f periods",
			 (double)(v->checks + 1) / WEFT_HEALTH_ROUNDS);
	row(r, (const char *const(*)[2])field, gone ? 3 : COLUMNS);
}

int tool_health(struct weft_report *r, const char *job)
{
	int fd = weft_health_find(job), err;
	struct weft_health_view v;
	struct weft_health h;
	uint64_t now;

	err = fd < 0 ? fd : weft_health_attach_readonly(&h, fd);
	if (fd >= 0)
		close(fd);
	if (err) {
		fprintf(stderr,
			"weft-info: no job %s with health monitoring on this "
			"host; start it with mpiexec --health MS, or "
			"WEFT_HEALTH=MS\n",
			job);
		return 1;
	}
	report_begin(r);
	show_job(r, &h);
	now = weft_now_ns();
	report_list(r, "ranks", "Ranks");
	show_heading(r);
	for (uint32_t i = 0; weft_health_view_get(&h, i, now, &v); i++)
		show_rank(r, &v);
	report_list_end(r);
	report_end(r);
	weft_health_close(&h);
	return 0;
}
