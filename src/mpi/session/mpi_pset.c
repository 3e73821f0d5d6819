/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process sets: three that Weft defines, then those of the PMIx server, in the
 * order in which the server lists them.
 */
#include "src/mpi/mpi_export.h"

#include "src/boot/boot_pset.h"
#include "src/comm/comm_group.h"
#include "src/core/core_state.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/session/mpi_session.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- sets of Weft: return their members, NULL: no memory ----------------- */

static struct weft_group *range_of(int first, int size)
{
	struct weft_group *g = weft_group_new(size);

	for (int i = 0; g && i < size; i++)
		g->proc[i] = first + i;
	return g;
}

static struct weft_group *set_world(void)
{
	return range_of(0, weft_core.job.size);
}

static struct weft_group *set_self(void)
{
	return range_of(weft_core.job.rank, 1);
}

static struct weft_group *set_host(void)
{
	const struct weft_job *job = &weft_core.job;
	struct weft_group *g;

	if (!job->local)
		return set_self();
	g = weft_group_new(job->local_size);
	for (int i = 0; g && i < job->local_size; i++)
		g->proc[i] = job->local[i];
	return g;
}

static const struct {
	const char *name;
	struct weft_group *(*members)(void);
} sets[] = {
	{ "mpi://WORLD", set_world },
	{ "mpi://SELF", set_self },
	{ "mpix://HOST", set_host },
};
enum { OWN_SETS = sizeof(sets) / sizeof(sets[0]) };

/* ---- all sets ------------------------------------------------------------ */

/* Returns the members of a set of the PMIx server; -ENOENT: no such set. */
static int server_members(const char *name, struct weft_group **group_p)
{
	int *ranks, n = weft_pset_members(name, &ranks);
	struct weft_group *g;

	if (n < 0)
		return n;
	g = weft_group_new(n);
	if (g && n)
		memcpy(g->proc, ranks, (size_t)n * sizeof(*ranks));
	free(ranks);
	*group_p = g;
	return g ? 0 : -ENOMEM;
}

static int members_of(const char *name, struct weft_group **group_p)
{
	for (int i = 0; i < OWN_SETS; i++) {
		if (strcasecmp(name, sets[i].name))
			continue;
		*group_p = sets[i].members();
		return *group_p ? 0 : -ENOMEM;
	}
	return server_members(name, group_p);
}

/*
 * Gets the group of the process set named by argument 2; an error calls the
 * error handler of s.
 */
static int get_set(const char *func, struct weft_session *s, const char *name,
		   struct weft_group **group_p)
{
	int rc, err = weft_check_ptr(s, func, 2, name, "pset_name");

	if (err)
		return err;
	rc = members_of(name, group_p);
	if (rc == -ENOENT)
		return weft_err_arg(s, func, MPI_ERR_ARG, 2,
				    "there is no process set %s", name);
	return weft_err_rc(s, func, rc);
}

#pragma weak MPI_Session_get_num_psets = PMPI_Session_get_num_psets
int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info,
			       int *npset_names)
{
	MPI_ENTER;
	struct weft_session *s;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		err = mpi_check_info(s, __func__, 2, info);
	if (!err)
		err = weft_check_ptr(s, __func__, 3, npset_names,
				     "npset_names");
	if (!err)
		*npset_names = OWN_SETS + weft_pset_count();
	return err;
}

#pragma weak MPI_Session_get_nth_pset = PMPI_Session_get_nth_pset
int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n,
			      int *pset_len, char *pset_name)
{
	MPI_ENTER;
	char name[MPI_MAX_PSET_NAME_LEN];
	struct weft_session *s;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		err = mpi_check_info(s, __func__, 2, info);
	if (!err)
		err = weft_check_ptr(s, __func__, 4, pset_len, "pset_len");
	if (!err && *pset_len > 0)
		err = weft_check_ptr(s, __func__, 5, pset_name, "pset_name");
	if (err)
		return err;
	if (n >= 0 && n < OWN_SETS)
		snprintf(name, sizeof(name), "%s", sets[n].name);
	else if (n < 0 || weft_pset_name(n - OWN_SETS, name, sizeof(name)))
		return weft_err_arg(s, __func__, MPI_ERR_ARG, 3,
				    "there is no process set number %d", n);
	if (*pset_len > 0)
		snprintf(pset_name, (size_t)*pset_len, "%s", name);
	*pset_len = (int)strlen(name) + 1;
	return MPI_SUCCESS;
}

#pragma weak MPI_Session_get_pset_info = PMPI_Session_get_pset_info
int PMPI_Session_get_pset_info(MPI_Session session, const char *pset_name,
			       MPI_Info *info)
{
	MPI_ENTER;
	struct weft_session *s;
	struct weft_group *g = NULL;
	struct weft_info *made;
	char text[24];
	int err = mpi_check_session(__func__, 1, session, &s);

	if (!err)
		err = weft_check_ptr(s, __func__, 3, info, "info");
	if (!err)
		err = get_set(__func__, s, pset_name, &g);
	if (err)
		return err;
	snprintf(text, sizeof(text), "%d", g->size);
	weft_group_put(g);
	made = weft_info_open();
	if (!made || weft_info_set(made, "mpi_size", text)) {
		weft_info_close(made);
		return weft_err_rc(s, __func__, -ENOMEM);
	}
	*info = weft_info_handle(made);
	return MPI_SUCCESS;
}

#pragma weak MPI_Group_from_session_pset = PMPI_Group_from_session_pset
int PMPI_Group_from_session_pset(MPI_Session session, const char *pset_name,
				 MPI_Group *newgroup)
{
	MPI_ENTER;
	struct weft_session *s;
	struct weft_group *g;
	int err = mpi_check_session(__func__, 1, session, &s);

	if (newgroup)
		*newgroup = MPI_GROUP_NULL;
	if (!err)
		err = weft_check_ptr(s, __func__, 3, newgroup, "newgroup");
	if (!err)
		err = get_set(__func__, s, pset_name, &g);
	if (err)
		return err;
	weft_group_set_session(g, s);
	weft_group_ready(g);
	*newgroup = weft_obj_handle(&g->obj);
	return MPI_SUCCESS;
}
