/* SPDX-License-Identifier: BSD-3-Clause */
/* The constructors of communicators. */
#include "src/mpi/mpi_export.h"

#include "src/comm/comm_context.h"
#include "src/types/types_info.h"
#include "src/comm/comm_inter.h"
#include "src/comm/comm_make.h"
#include "src/msg/msg_p2p.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"
#include "src/types/types_topo.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/comm/mpi_comm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Ends a constructor: stores the handle (made NULL: MPI_COMM_NULL) or raises
 * the error rc.
 */
static int return_comm(const void *parent, const char *func, int rc,
		       struct weft_comm *made, MPI_Comm *newcomm)
{
	if (rc)
		return weft_err_rc(parent, func, rc);
	*newcomm = made ? weft_comm_handle(made) : MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/* ---- copies -------------------------------------------------------------- */

/* Copies attributes and topology. Returns 0, -errno or an MPI code. */
static int copy_attrs(struct weft_comm *from, struct weft_comm *to)
{
	int rc =
		weft_attrs_copy(&to->attr, &from->attr, weft_comm_handle(from));

	if (!rc && from->topo) {
		to->topo = weft_topo_dup(from->topo);
		if (!to->topo)
			rc = -ENOMEM;
	}
	return rc;
}

static int dup(const char *func, MPI_Comm comm, MPI_Info info, int arg,
	       MPI_Comm *newcomm)
{
	struct weft_comm *c, *made;
	int err = mpi_check_comm(func, 1, comm, &c);
	int rc;

	mpi_comm_set_null(newcomm);
	if (!err)
		err = mpi_check_info(c, func, 2, info);
	if (!err)
		err = weft_check_ptr(c, func, arg, newcomm, "newcomm");
	if (err)
		return err;
	rc = weft_comm_clone(c, &made);
	if (rc)
		return weft_err_rc(c, func, rc);
	rc = copy_attrs(c, made);
	if (!rc && weft_info_of(info))
		rc = mpi_comm_merge_info(made, weft_info_of(info));
	if (rc) {
		weft_comm_put(made);
		return weft_err_rc(c, func, rc);
	}
	return return_comm(c, func, 0, made, newcomm);
}

#pragma weak MPI_Comm_dup = PMPI_Comm_dup
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);

	return dup(__func__, comm, MPI_INFO_NULL, 2, newcomm);
}

#pragma weak MPI_Comm_dup_with_info = PMPI_Comm_dup_with_info
int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);

	return dup(__func__, comm, info, 3, newcomm);
}

/*
 * State of MPI_Comm_idup: attributes are copied during the call, and attached
 * when the new communicator has its context id.
 */
struct idup {
	MPI_Comm *newcomm;
	struct weft_attr *attr;
	struct weft_topo *topo;
	struct weft_info *info;
};

static void idup_ready(void *arg, struct weft_comm *made)
{
	struct idup *d = arg;

	made->attr = d->attr;
	made->topo = d->topo;
	made->info = d->info;
	*d->newcomm = weft_comm_handle(made);
	free(d);
}

static int idup_prepare(struct idup *d, struct weft_comm *c, MPI_Info info)
{
	int rc = weft_attrs_copy(&d->attr, &c->attr, weft_comm_handle(c));

	if (!rc && c->topo) {
		d->topo = weft_topo_dup(c->topo);
		rc = d->topo ? 0 : -ENOMEM;
	}
	if (!rc && weft_info_of(info))
		rc = mpi_comm_merge_hints(&d->info, weft_info_of(info));
	return rc;
}

static int idup(const char *func, MPI_Comm comm, MPI_Info info, int arg,
		MPI_Comm *newcomm, MPI_Request *request)
{
	struct weft_comm *c;
	struct weft_req *r;
	struct idup *d;
	int err = mpi_check_comm(func, 1, comm, &c);
	int rc = -ENOMEM;

	mpi_comm_set_null(newcomm);
	if (!err)
		err = mpi_check_info(c, func, 2, info);
	if (!err)
		err = weft_check_ptr(c, func, arg, newcomm, "newcomm");
	if (!err)
		err = weft_check_ptr(c, func, arg + 1, request, "request");
	if (err)
		return err;
	d = calloc(1, sizeof(*d));
	if (d) {
		d->newcomm = newcomm;
		rc = idup_prepare(d, c, info);
	}
	if (!rc)
		rc = weft_make_iclone(c, idup_ready, d, &r);
	if (rc) {
		free(d);
		return weft_err_rc(c, func, rc);
	}
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

#pragma weak MPI_Comm_idup = PMPI_Comm_idup
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);

	return idup(__func__, comm, MPI_INFO_NULL, 2, newcomm, request);
}

#pragma weak MPI_Comm_idup_with_info = PMPI_Comm_idup_with_info
int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
			     MPI_Request *request)
{
	MPI_ENTER_ON(comm, MPI_NO_ROOT, MPI_NO_DATA);

	return idup(__func__, comm, info, 3, newcomm, request);
}

/* ---- by group ------------------------------------------------------------ */

/* Checks that all members of g are in the communicator. */
static int check_subset(struct weft_comm *c, const char *func,
			const struct weft_group *g)
{
	int i, err = mpi_check_not_mixed(c, func, 2, c->group, g);

	for (i = 0; !err && weft_check && i < g->size; i++)
		if (weft_group_rank_of(c->group, g->proc[i]) == MPI_UNDEFINED)
			return weft_err_arg(c, func, MPI_ERR_GROUP, 2,
					    "process %d of the group is not in "
					    "the communicator",
					    i);
	return err;
}

#pragma weak MPI_Comm_create = PMPI_Comm_create
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c, *made = NULL;
	struct weft_group *g;
	int err = mpi_check_comm(__func__, 1, comm, &c);
	int rc;

	mpi_comm_set_null(newcomm);
	if (!err)
		err = mpi_check_group(c, __func__, 2, group, &g);
	if (!err)
		err = weft_check_ptr(c, __func__, 3, newcomm, "newcomm");
	if (!err)
		err = check_subset(c, __func__, g);
	if (err)
		return err;
	rc = weft_make_create(c, g, &made);
	return return_comm(c, __func__, rc, made, newcomm);
}

#pragma weak MPI_Comm_create_group = PMPI_Comm_create_group
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
			   MPI_Comm *newcomm)
{
	MPI_ENTER_ARGS(comm, MPI_NO_ARG, tag, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c, *made = NULL;
	struct weft_group *g;
	int err = mpi_check_intra(__func__, 1, comm, &c);
	int rc;

	mpi_comm_set_null(newcomm);
	if (!err)
		err = mpi_check_group(c, __func__, 2, group, &g);
	if (!err)
		err = weft_check_ptr(c, __func__, 4, newcomm, "newcomm");
	if (!err)
		err = check_subset(c, __func__, g);
	if (!err && tag < 0)
		err = weft_err_arg(c, __func__, MPI_ERR_TAG, 3,
				   "invalid tag %d", tag);
	if (err)
		return err;
	rc = weft_make_group(c, g, tag, &made);
	return return_comm(c, __func__, rc, made, newcomm);
}

int mpi_comm_set_args(struct weft_comm *made, MPI_Info info,
		      MPI_Errhandler errhandler)
{
	struct weft_errh *h = weft_errh_of(errhandler);

	if (!made)
		return 0;
	if (h) {
		weft_errh_put(made->errh);
		made->errh = weft_errh_get(h);
	}
	if (!weft_info_of(info))
		return 0;
	return mpi_comm_merge_info(made, weft_info_of(info));
}

#pragma weak MPI_Comm_create_from_group = PMPI_Comm_create_from_group
int PMPI_Comm_create_from_group(MPI_Group group, const char *stringtag,
				MPI_Info info, MPI_Errhandler errhandler,
				MPI_Comm *newcomm)
{
	MPI_ENTER;
	struct weft_comm *made = NULL;
	struct weft_group *g;
	struct weft_session *s;
	struct weft_errh *h;
	int err = mpi_check_group(NULL, __func__, 1, group, &g);
	int rc;

	mpi_comm_set_null(newcomm);
	if (err)
		return err;
	s = g->session;
	err = weft_check_ptr(s, __func__, 2, stringtag, "string");
	if (!err)
		err = mpi_check_info(s, __func__, 3, info);
	if (!err)
		err = mpi_check_errh(s, __func__, 4, errhandler, &h);
	if (!err)
		err = weft_check_ptr(s, __func__, 5, newcomm, "newcomm");
	if (err)
		return err;
	rc = weft_make_from_group(g, stringtag, &made);
	if (!rc)
		rc = mpi_comm_set_args(made, info, errhandler);
	return return_comm(s, __func__, rc, made, newcomm);
}

/* ---- by color ------------------------------------------------------------ */

#pragma weak MPI_Comm_split = PMPI_Comm_split
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c, *made = NULL;
	int err = mpi_check_comm(__func__, 1, comm, &c);
	int rc;

	mpi_comm_set_null(newcomm);
	if (!err && color < 0 && color != MPI_UNDEFINED)
		err = weft_err_arg(c, __func__, MPI_ERR_ARG, 2,
				   "negative color %d", color);
	if (!err)
		err = weft_check_ptr(c, __func__, 4, newcomm, "newcomm");
	if (err)
		return err;
	rc = weft_comm_split(c, color, key, &made);
	return return_comm(c, __func__, rc, made, newcomm);
}

/* Returns the color of this host: its lowest rank in MPI_COMM_WORLD. */
static int host_color(void)
{
	return weft_core.job.local ? weft_core.job.local[0]
				   : weft_core.job.rank;
}

/* Returns the color for a split type; -1: unknown type. */
static int type_color(int type, MPI_Info info)
{
	char val[MPI_MAX_INFO_VAL + 1] = "";
	struct weft_info *i = weft_info_of(info);

	switch (type) {
	case MPI_UNDEFINED:
		return MPI_UNDEFINED;
	case MPI_COMM_TYPE_SHARED:
	case MPI_COMM_TYPE_HW_UNGUIDED:
		return host_color();
	case MPI_COMM_TYPE_HW_GUIDED:
	case MPI_COMM_TYPE_RESOURCE_GUIDED:
		if (i)
			weft_info_get(i, "mpi_hw_resource_type", val,
				      sizeof(val));
		return strcmp(val, "mpi_shared_memory") ? MPI_UNDEFINED
							: host_color();
	default:
		return -1;
	}
}

#pragma weak MPI_Comm_split_type = PMPI_Comm_split_type
int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
			 MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c, *made = NULL;
	int color = type_color(split_type, info);
	int err = mpi_check_comm(__func__, 1, comm, &c);
	int rc;

	mpi_comm_set_null(newcomm);
	if (!err && color == -1)
		err = weft_err_arg(c, __func__, MPI_ERR_ARG, 2,
				   "unknown split type %d", split_type);
	if (!err)
		err = mpi_check_info(c, __func__, 4, info);
	if (!err)
		err = weft_check_ptr(c, __func__, 5, newcomm, "newcomm");
	if (err)
		return err;
	rc = weft_comm_split(c, color, key, &made);
	/*
	 * MPI_COMM_TYPE_HW_UNGUIDED requests a proper subset; the only
	 * supported subset is the ranks of the host, so if these are all ranks,
	 * the result is MPI_COMM_NULL
	 */
	if (!rc && split_type == MPI_COMM_TYPE_HW_UNGUIDED && made &&
	    made->size == c->size && made->peers == c->peers) {
		weft_comm_put(made);
		made = NULL;
	}
	if (!rc && made && weft_info_of(info)) {
		rc = mpi_comm_merge_info(made, weft_info_of(info));
		if (rc)
			weft_comm_put(made);
	}
	return return_comm(c, __func__, rc, made, newcomm);
}
