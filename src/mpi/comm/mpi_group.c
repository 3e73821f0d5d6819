/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups. Every constructor marks processes in a table with one entry per
 * process of the job, then lists the marked processes in the order that the
 * standard defines.
 */
#include "src/mpi/mpi_export.h"

#include "src/types/types_info.h"
#include "src/core/core_state.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/comm/mpi_comm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int mpi_check_group(const void *obj, const char *func, int arg, MPI_Group h,
		    struct weft_group **group_p)
{
	*group_p = weft_group_of(h);
	if (weft_likely(*group_p != NULL))
		return 0;
	if (h == MPI_GROUP_NULL)
		return weft_err_arg(obj, func, MPI_ERR_GROUP, arg,
				    "group is MPI_GROUP_NULL");
	return weft_err_arg(obj, func, MPI_ERR_GROUP, arg, "invalid group %p",
			    (void *)h);
}

int mpi_check_not_mixed(const void *obj, const char *func, int arg,
			const struct weft_group *a, const struct weft_group *b)
{
	if (weft_likely(!weft_group_is_mixed(a, b)))
		return 0;
	return weft_err_arg(obj, func, MPI_ERR_SESSION, arg,
			    "arguments belong to different sessions, or to a "
			    "session and MPI_COMM_WORLD");
}

int mpi_check_info(const void *obj, const char *func, int arg, MPI_Info info)
{
	if (info == MPI_INFO_NULL || weft_info_of(info))
		return 0;
	return weft_err_arg(obj, func, MPI_ERR_INFO, arg, "invalid info %p",
			    (void *)info);
}

/* ---- queries ------------------------------------------------------------- */

#pragma weak MPI_Group_size = PMPI_Group_size
int PMPI_Group_size(MPI_Group group, int *size)
{
	MPI_ENTER;
	struct weft_group *g;
	int err = mpi_check_group(NULL, __func__, 1, group, &g);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, size, "size");
	if (!err)
		*size = g->size;
	return err;
}

#pragma weak MPI_Group_rank = PMPI_Group_rank
int PMPI_Group_rank(MPI_Group group, int *rank)
{
	MPI_ENTER;
	struct weft_group *g;
	int err = mpi_check_group(NULL, __func__, 1, group, &g);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, rank, "rank");
	if (!err)
		*rank = g->rank;
	return err;
}

/*
 * Returns an array with the rank in g, plus one, of every known process; 0: not
 * in g. The caller frees the array.
 */
static int *ranks_of(const struct weft_group *g)
{
	int *rank = calloc((size_t)weft_core.procs, sizeof(*rank));
	int i;

	for (i = 0; rank && i < g->size; i++)
		rank[g->proc[i]] = i + 1;
	return rank;
}

static int bad_rank(const char *func, int arg, int rank, int size)
{
	return weft_err_arg(NULL, func, MPI_ERR_RANK, arg,
			    "invalid rank %d in group of size %d", rank, size);
}

/* Checks n (argument 2) and the list of n entries (argument 3). */
static int check_list(const char *func, int n, const void *list)
{
	if (n < 0)
		return weft_err_arg(NULL, func, MPI_ERR_ARG, 2,
				    "negative number %d", n);
	return n ? weft_check_ptr(NULL, func, 3, list, "list") : 0;
}

#pragma weak MPI_Group_translate_ranks = PMPI_Group_translate_ranks
int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[],
			       MPI_Group group2, int ranks2[])
{
	MPI_ENTER;
	struct weft_group *a, *b;
	int i, err = mpi_check_group(NULL, __func__, 1, group1, &a);
	int *rank;

	if (!err)
		err = mpi_check_group(NULL, __func__, 4, group2, &b);
	if (!err)
		err = mpi_check_not_mixed(a->session, __func__, 4, a, b);
	if (!err)
		err = check_list(__func__, n, ranks1);
	if (!err && n)
		err = weft_check_ptr(NULL, __func__, 5, ranks2, "ranks2");
	for (i = 0; !err && i < n; i++)
		if (ranks1[i] != MPI_PROC_NULL &&
		    (ranks1[i] < 0 || ranks1[i] >= a->size))
			err = bad_rank(__func__, 3, ranks1[i], a->size);
	if (err)
		return err;
	rank = ranks_of(b);
	if (!rank)
		return weft_err_rc(NULL, __func__, -ENOMEM);
	for (i = 0; i < n; i++) {
		if (ranks1[i] == MPI_PROC_NULL)
			ranks2[i] = MPI_PROC_NULL;
		else if (rank[a->proc[ranks1[i]]])
			ranks2[i] = rank[a->proc[ranks1[i]]] - 1;
		else
			ranks2[i] = MPI_UNDEFINED;
	}
	free(rank);
	return MPI_SUCCESS;
}

int mpi_group_compare(const struct weft_group *a, const struct weft_group *b)
{
	int *rank;
	int i, same;

	if (a->size != b->size)
		return MPI_UNEQUAL;
	if (!a->size ||
	    !memcmp(a->proc, b->proc, (size_t)a->size * sizeof(a->proc[0])))
		return MPI_IDENT;
	rank = ranks_of(b);
	for (i = 0, same = rank != NULL; same && i < a->size; i++)
		same = rank[a->proc[i]] != 0;
	free(rank);
	return same ? MPI_SIMILAR : MPI_UNEQUAL;
}

#pragma weak MPI_Group_compare = PMPI_Group_compare
int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
	MPI_ENTER;
	struct weft_group *a, *b;
	int err = mpi_check_group(NULL, __func__, 1, group1, &a);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, result, "result");
	if (!err)
		err = mpi_check_group(NULL, __func__, 2, group2, &b);
	if (!err)
		err = mpi_check_not_mixed(a->session, __func__, 2, a, b);
	if (!err)
		*result = mpi_group_compare(a, b);
	return err;
}

#pragma weak MPI_Group_free = PMPI_Group_free
int PMPI_Group_free(MPI_Group *group)
{
	MPI_ENTER;
	struct weft_group *g;
	int err = weft_check_ptr(NULL, __func__, 1, group, "group");

	if (!err)
		err = mpi_check_group(NULL, __func__, 1, *group, &g);
	if (err)
		return err;
	weft_group_put(g);
	*group = MPI_GROUP_NULL;
	return MPI_SUCCESS;
}

/* ---- sets ---------------------------------------------------------------- */

static int return_group(const char *func, struct weft_group *g,
			MPI_Group *newgroup)
{
	if (!g)
		return weft_err_rc(NULL, func, -ENOMEM);
	weft_group_ready(g);
	*newgroup = weft_obj_handle(&g->obj);
	return MPI_SUCCESS;
}

enum set_op { UNION, INTERSECTION, DIFFERENCE };

/*
 * Returns the union (members of a, then the others of b), the intersection
 * (members of a in b) or the difference (members of a not in b).
 */
static struct weft_group *group_combine(const struct weft_group *a,
					const struct weft_group *b,
					enum set_op op)
{
	int *proc = malloc((size_t)(a->size + b->size + 1) * sizeof(*proc));
	int *other = ranks_of(op == UNION ? a : b);
	struct weft_group *g = NULL;
	int i, n = 0;

	if (!proc || !other)
		goto out;
	for (i = 0; i < a->size; i++)
		if (op == UNION ||
		    (other[a->proc[i]] != 0) == (op == INTERSECTION))
			proc[n++] = a->proc[i];
	for (i = 0; op == UNION && i < b->size; i++)
		if (!other[b->proc[i]])
			proc[n++] = b->proc[i];
	g = weft_group_new(n);
	if (g && n)
		memcpy(g->proc, proc, (size_t)n * sizeof(*proc));
	weft_group_set_session(g, a->session ? a->session : b->session);
out:
	free(proc);
	free(other);
	return g;
}

static int set_of(const char *func, MPI_Group group1, MPI_Group group2,
		  enum set_op op, MPI_Group *newgroup)
{
	struct weft_group *a, *b;
	int err = mpi_check_group(NULL, func, 1, group1, &a);

	if (!err)
		err = mpi_check_group(NULL, func, 2, group2, &b);
	if (!err)
		err = mpi_check_not_mixed(a->session, func, 2, a, b);
	if (!err)
		err = weft_check_ptr(NULL, func, 3, newgroup, "newgroup");
	return err ? err
		   : return_group(func, group_combine(a, b, op), newgroup);
}

#pragma weak MPI_Group_union = PMPI_Group_union
int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	MPI_ENTER;

	return set_of(__func__, group1, group2, UNION, newgroup);
}

#pragma weak MPI_Group_intersection = PMPI_Group_intersection
int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2,
			    MPI_Group *newgroup)
{
	MPI_ENTER;

	return set_of(__func__, group1, group2, INTERSECTION, newgroup);
}

#pragma weak MPI_Group_difference = PMPI_Group_difference
int PMPI_Group_difference(MPI_Group group1, MPI_Group group2,
			  MPI_Group *newgroup)
{
	MPI_ENTER;

	return set_of(__func__, group1, group2, DIFFERENCE, newgroup);
}

/* ---- subgroups ----------------------------------------------------------- */

/* The ranks to be included or excluded. */
struct part {
	const char *func;
	const struct weft_group *g;
	int *ranks;
	int n;
};

/* Refuses ranks outside of the group and duplicates. */
static int check_part(const struct part *p)
{
	char *seen = calloc((size_t)p->g->size + 1, 1);
	int i, err = 0;

	if (!seen)
		return weft_err_rc(NULL, p->func, -ENOMEM);
	for (i = 0; i < p->n && !err; i++) {
		if (p->ranks[i] < 0 || p->ranks[i] >= p->g->size)
			err = bad_rank(p->func, 3, p->ranks[i], p->g->size);
		else if (seen[p->ranks[i]]++)
			err = weft_err_arg(NULL, p->func, MPI_ERR_RANK, 3,
					   "rank %d is listed twice",
					   p->ranks[i]);
	}
	free(seen);
	return err;
}

static struct weft_group *include_ranks(const struct part *p)
{
	struct weft_group *g = weft_group_new(p->n);
	int i;

	for (i = 0; g && i < p->n; i++)
		g->proc[i] = p->g->proc[p->ranks[i]];
	weft_group_set_session(g, p->g->session);
	return g;
}

static struct weft_group *exclude_ranks(const struct part *p)
{
	struct weft_group *g = weft_group_new(p->g->size - p->n);
	char *out = calloc((size_t)p->g->size + 1, 1);
	int i, n = 0;

	for (i = 0; out && i < p->n; i++)
		out[p->ranks[i]] = 1;
	for (i = 0; g && out && i < p->g->size; i++)
		if (!out[i])
			g->proc[n++] = p->g->proc[i];
	weft_group_set_session(g, p->g->session);
	free(out);
	return g;
}

static int subgroup(struct part *p, int incl, MPI_Group *newgroup)
{
	int err = check_list(p->func, p->n, p->ranks);

	if (!err)
		err = weft_check_ptr(NULL, p->func, 4, newgroup, "newgroup");
	if (!err)
		err = check_part(p);
	if (err)
		return err;
	return return_group(p->func, incl ? include_ranks(p) : exclude_ranks(p),
			    newgroup);
}

#pragma weak MPI_Group_incl = PMPI_Group_incl
int PMPI_Group_incl(MPI_Group group, int n, const int ranks[],
		    MPI_Group *newgroup)
{
	MPI_ENTER;
	struct weft_group *g;
	struct part p = { __func__, NULL, (int *)(uintptr_t)ranks, n };
	int err = mpi_check_group(NULL, __func__, 1, group, &g);

	p.g = g;
	return err ? err : subgroup(&p, 1, newgroup);
}

#pragma weak MPI_Group_excl = PMPI_Group_excl
int PMPI_Group_excl(MPI_Group group, int n, const int ranks[],
		    MPI_Group *newgroup)
{
	MPI_ENTER;
	struct weft_group *g;
	struct part p = { __func__, NULL, (int *)(uintptr_t)ranks, n };
	int err = mpi_check_group(NULL, __func__, 1, group, &g);

	p.g = g;
	return err ? err : subgroup(&p, 0, newgroup);
}

static int range_length(const int range[3])
{
	if ((range[2] > 0 && range[0] > range[1]) ||
	    (range[2] < 0 && range[0] < range[1]))
		return 0;
	return (range[1] - range[0]) / range[2] + 1;
}

/* Expands the ranges {first, last, stride} to a list of ranks. */
static int ranges_of(const char *func, MPI_Group group, int n, int ranges[][3],
		     int incl, MPI_Group *newgroup)
{
	struct weft_group *g;
	struct part p = { func, NULL, NULL, 0 };
	int err = mpi_check_group(NULL, func, 1, group, &g);
	int i, k, count = 0;

	if (!err)
		err = check_list(func, n, ranges);
	for (i = 0; !err && i < n; i++) {
		if (ranges[i][2] == 0)
			return weft_err_arg(NULL, func, MPI_ERR_ARG, 3,
					    "range %d has stride 0", i);
		count += range_length(ranges[i]);
	}
	if (err)
		return err;
	p.g = g;
	p.ranks = malloc((size_t)(count + 1) * sizeof(int));
	if (!p.ranks)
		return weft_err_rc(NULL, func, -ENOMEM);
	for (i = 0; i < n; i++)
		for (k = 0; k < range_length(ranges[i]); k++)
			p.ranks[p.n++] = ranges[i][0] + k * ranges[i][2];
	err = subgroup(&p, incl, newgroup);
	free(p.ranks);
	return err;
}

#pragma weak MPI_Group_range_incl = PMPI_Group_range_incl
int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3],
			  MPI_Group *newgroup)
{
	MPI_ENTER;

	return ranges_of(__func__, group, n, ranges, 1, newgroup);
}

#pragma weak MPI_Group_range_excl = PMPI_Group_range_excl
int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3],
			  MPI_Group *newgroup)
{
	MPI_ENTER;

	return ranges_of(__func__, group, n, ranges, 0, newgroup);
}
