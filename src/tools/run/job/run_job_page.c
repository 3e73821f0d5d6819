/* SPDX-License-Identifier: BSD-3-Clause */
/* Job status page: ranks store their current MPI call there. */
#include "src/tools/run/job/run_job_page.h"
#include "src/tools/run/opts/run_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Descriptor of the page in a rank, above those of the topology and the
 * lifeline.
 */
enum { JOB_PAGE_FD = 202, CALL_TEXT = 256 };

int run_job_page_open(struct run_job *job)
{
	if (weft_job_page_open(&job->job_page, (uint32_t)job->nranks,
			       run_is_counted(&job->opts->model)))
		return 0;
	weft_job_page_set_job(&job->job_page, job->nspace);
	for (int i = 0; i < job->nranks; i++) {
		uint32_t app = job->rank[i].app;
		const struct run_part *p = run_part_of_app(job->opts, (int)app);

		weft_job_page_member(&job->job_page, (uint32_t)i)->app =
			p ? app - (uint32_t)p->app : app;
	}
	job->job_page_fd =
		fcntl(job->job_page.region.fd, F_DUPFD_CLOEXEC, JOB_PAGE_FD);
	if (job->job_page_fd < 0)
		return 0;
	close(job->job_page.region.fd);
	job->job_page.region.fd = -1;
	return 0;
}

void run_job_page_close(struct run_job *job)
{
	if (job->job_page_fd >= 0)
		close(job->job_page_fd);
	weft_job_page_close(&job->job_page);
}

char *run_job_page_call(const struct run_job *job, int rank)
{
	char text[CALL_TEXT];

	if (rank < 0 || !weft_job_page_in(&job->job_page, (uint32_t)rank, text,
					  sizeof(text)))
		return NULL;
	return strdup(text);
}

bool run_job_page_sessions(const struct run_job *job)
{
	return job->job_page.head && weft_load32(&job->job_page.head->sessions);
}

bool run_job_page_all_started(const struct run_job *job)
{
	for (int i = 0; i < job->nranks; i++) {
		const struct job_page_member *m;

		if (!job->job_page.head)
			return false;
		if (job->rank[i].remote)
			continue;
		m = weft_job_page_member(&job->job_page, (uint32_t)i);
		if (!weft_load32(&m->started))
			return false;
	}
	return true;
}

bool run_job_page_apart(const struct run_job *job)
{
	for (int i = job->first; i < job->first + job->nlocal; i++) {
		const struct job_page_member *m;

		if (!job->job_page.head)
			return false;
		m = weft_job_page_member(&job->job_page, (uint32_t)i);
		if (!weft_load32(&m->apart))
			return false;
	}
	return true;
}

bool run_job_page_finished(const struct run_job *job, int rank)
{
	return job->job_page.head &&
	       weft_load32(&weft_job_page_member(&job->job_page, (uint32_t)rank)
				    ->finished);
}

/*
 * Prints the ranks from `first` on that are in the same call as rank `first`,
 * and frees their entries.
 */
static void print_alike(FILE *f, char **call, int n, int first)
{
	const char *name = call[first];
	int i, from;

	fprintf(f, "%sin %s: ranks ", ftell(f) > 0 ? "; " : "", name);
	for (i = first; i < n; i++) {
		if (!call[i] || strcmp(call[i], name))
			continue;
		for (from = i;
		     i + 1 < n && call[i + 1] && !strcmp(call[i + 1], name);)
			i++;
		fprintf(f, "%s%d", from > first ? "," : "", from);
		if (i > from)
			fprintf(f, "-%d", i);
	}
	for (i = n - 1; i >= first; i--) {
		if (call[i] && i != first && !strcmp(call[i], name)) {
			free(call[i]);
			call[i] = NULL;
		}
	}
}

char *run_job_page_calls(const struct run_job *job)
{
	char **call = calloc((size_t)job->nranks, sizeof(*call));
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	for (i = 0; call && i < job->nranks; i++)
		if (!job->rank[i].exited)
			call[i] = run_job_page_call(job, i);
	for (i = 0; f && call && i < job->nranks; i++) {
		if (call[i])
			print_alike(f, call, job->nranks, i);
		free(call[i]);
	}
	if (f)
		fclose(f);
	free(call);
	if (text && *text)
		return text;
	free(text);
	return NULL;
}
