/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries about process sets: the ranks of each program of the command line are
 * a set, app/0, app/1, ... Called in the PMIx library's thread; the options do
 * not change after the start.
 */
#include "src/tools/run/pmix/run_pmix_cb.h"
#include "src/tools/run/job/run_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET_PREFIX "app/"

static const struct run_job *job;

void run_pmix_query_open(const struct run_job *of)
{
	job = of;
}

/* Returns the names of all sets, separated by commas; freed by the caller. */
static char *set_names(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (int i = 0; i < job->opts->napps; i++)
		fprintf(f, "%s" SET_PREFIX "%d", i ? "," : "", i);
	fclose(f);
	return text;
}

static pmix_status_t names(pmix_info_t *info)
{
	char *text = set_names();

	if (!text)
		return PMIX_ERR_NOMEM;
	PMIX_INFO_LOAD(info, PMIX_QUERY_PSET_NAMES, text, PMIX_STRING);
	free(text);
	return PMIX_SUCCESS;
}

/* Returns the program whose set the query names, or NULL. */
static const struct run_app *app_of(const pmix_query_t *q)
{
	char name[32];

	for (size_t i = 0; i < q->nqual; i++) {
		const pmix_value_t *v = &q->qualifiers[i].value;

		if (!PMIX_CHECK_KEY(&q->qualifiers[i], PMIX_PSET_NAME) ||
		    v->type != PMIX_STRING || !v->data.string)
			continue;
		for (int k = 0; k < job->opts->napps; k++) {
			snprintf(name, sizeof(name), SET_PREFIX "%d", k);
			if (!strcmp(name, v->data.string))
				return &job->opts->app[k];
		}
	}
	return NULL;
}

static pmix_status_t members(const pmix_query_t *q, pmix_info_t *info)
{
	const struct run_app *app = app_of(q);
	pmix_data_array_t list;
	pmix_proc_t *p;

	if (!app)
		return PMIX_ERR_NOT_FOUND;
	PMIX_DATA_ARRAY_CONSTRUCT(&list, (size_t)app->n, PMIX_PROC);
	p = list.array;
	for (int i = 0; i < app->n; i++)
		PMIX_LOAD_PROCID(&p[i], job->nspace,
				 (pmix_rank_t)(app->first + i));
	PMIX_INFO_LOAD(info, PMIX_QUERY_PSET_MEMBERSHIP, &list,
		       PMIX_DATA_ARRAY);
	PMIX_DATA_ARRAY_DESTRUCT(&list);
	return PMIX_SUCCESS;
}

static void answered(void *arg)
{
	pmix_info_t *info = arg;

	PMIX_INFO_FREE(info, 1);
}

pmix_status_t run_pmix_query(pmix_proc_t *proc, pmix_query_t *queries,
			     size_t nqueries, pmix_info_cbfunc_t done,
			     void *arg)
{
	pmix_status_t rc = PMIX_ERR_NOT_SUPPORTED;
	const pmix_query_t *q = queries;
	pmix_info_t *info;

	if (nqueries != 1 || !q->keys || !q->keys[0] || q->keys[1])
		return PMIX_ERR_NOT_SUPPORTED;
	PMIX_INFO_CREATE(info, 1);
	if (!info)
		return PMIX_ERR_NOMEM;
	if (!strcmp(q->keys[0], PMIX_QUERY_PSET_NAMES))
		rc = names(info);
	else if (!strcmp(q->keys[0], PMIX_QUERY_PSET_MEMBERSHIP))
		rc = members(q, info);
	if (rc == PMIX_SUCCESS)
		done(PMIX_SUCCESS, info, 1, arg, answered, info);
	else
		answered(info);
	return rc;
}
