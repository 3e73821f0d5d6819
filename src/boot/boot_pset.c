/* SPDX-License-Identifier: BSD-3-Clause */
/* Process sets, by queries to the PMIx server (boot_pset.h). */
#include "src/boot/boot_pset.h"

#include "src/boot/boot_pmix.h"
#include "src/core/core_state.h"

#include <errno.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
	pmix_info_t *info;
	size_t count;
};

/*
 * Queries one key of the PMIx server; set: name of the process set, or NULL.
 * Returns the first value of the answer, or NULL.
 */
static const pmix_value_t *query(const char *key, const char *set,
				 struct answer *a)
{
	char *keys[] = { (char *)(uintptr_t)key, NULL };
	pmix_query_t q = { .keys = keys };
	pmix_info_t name;
	pmix_status_t st;

	*a = (struct answer){ NULL, 0 };
	if (weft_pmix_connect())
		return NULL;
	if (set) {
		PMIX_INFO_LOAD(&name, PMIX_PSET_NAME, set, PMIX_STRING);
		q.qualifiers = &name;
		q.nqual = 1;
	}
	st = PMIx_Query_info(&q, 1, &a->info, &a->count);
	if (set)
		PMIX_INFO_DESTRUCT(&name);
	for (size_t i = 0; st == PMIX_SUCCESS && i < a->count; i++)
		if (PMIX_CHECK_KEY(&a->info[i], key))
			return &a->info[i].value;
	return NULL;
}

static void answer_free(struct answer *a)
{
	if (a->info)
		PMIX_INFO_FREE(a->info, a->count);
}

/*
 * Returns the names of all sets, separated by commas; the caller must free the
 * text.
 */
static char *all_names(void)
{
	struct answer a;
	const pmix_value_t *v = query(PMIX_QUERY_PSET_NAMES, NULL, &a);
	char *names = NULL;

	if (v && v->type == PMIX_STRING && v->data.string)
		names = strdup(v->data.string);
	answer_free(&a);
	return names;
}

int weft_pset_count(void)
{
	char *names = all_names();
	int n = 0;

	for (char *at = names; at && *at; at += strspn(at, ",")) {
		at += strcspn(at, ",");
		n++;
	}
	free(names);
	return n;
}

int weft_pset_name(int i, char *name, size_t room)
{
	char *names = all_names(), *next = NULL;
	char *at = names ? strtok_r(names, ",", &next) : NULL;
	int rc = -ENOENT;

	while (at && i--)
		at = strtok_r(NULL, ",", &next);
	if (at && strlen(at) < room) {
		strcpy(name, at);
		rc = 0;
	}
	free(names);
	return rc;
}

/* Returns the rank of a process in this job; -1: it is in another job. */
static int rank_in_job(const pmix_proc_t *p)
{
	const struct weft_job *job = &weft_core.job;
	pmix_rank_t first = (pmix_rank_t)(job->member - job->rank);

	if (!PMIX_CHECK_NSPACE(p->nspace, weft_pmix_job()) || p->rank < first ||
	    p->rank - first >= (pmix_rank_t)job->size)
		return -1;
	return (int)(p->rank - first);
}

/*
 * Copies the ranks of the members to *ranks_p; -ENOENT: a member is a process
 * of another job.
 */
static int copy_ranks(const pmix_data_array_t *list, int **ranks_p)
{
	const pmix_proc_t *p = list->array;
	int *ranks = malloc((list->size + 1) * sizeof(*ranks));

	if (!ranks)
		return -ENOMEM;
	for (size_t i = 0; i < list->size; i++) {
		int rank = rank_in_job(&p[i]);

		if (rank < 0) {
			free(ranks);
			return -ENOENT;
		}
		ranks[i] = rank;
	}
	*ranks_p = ranks;
	return (int)list->size;
}

int weft_pset_members(const char *name, int **ranks_p)
{
	struct answer a;
	const pmix_value_t *v = query(PMIX_QUERY_PSET_MEMBERSHIP, name, &a);
	int n = -ENOENT;

	if (v && v->type == PMIX_DATA_ARRAY && v->data.darray &&
	    v->data.darray->type == PMIX_PROC)
		n = copy_ranks(v->data.darray, ranks_p);
	answer_free(&a);
	return n;
}
