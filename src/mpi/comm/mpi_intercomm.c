/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators: creation, merging, creation from groups. */
#include "src/mpi/mpi_export.h"

#include "src/comm/comm_context.h"
#include "src/types/types_info.h"
#include "src/comm/comm_inter.h"
#include "src/comm/comm_make.h"
#include "src/msg/msg_p2p.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/comm/mpi_comm.h"

static int check_leader(const void *c, const char *func, int arg, int leader,
			int size)
{
	if (leader >= 0 && leader < size)
		return 0;
	return weft_err_arg(c, func, MPI_ERR_RANK, arg,
			    "invalid leader %d in a group of %d", leader, size);
}

#pragma weak MPI_Intercomm_create = PMPI_Intercomm_create
int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader,
			  MPI_Comm peer_comm, int remote_leader, int tag,
			  MPI_Comm *newintercomm)
{
	MPI_ENTER;
	struct weft_comm *c, *peer = NULL, *made;
	struct weft_make_inter i;
	struct weft_channel local;
	int err = mpi_check_intra(__func__, 1, local_comm, &c);

	mpi_comm_set_null(newintercomm);
	if (!err)
		err = check_leader(c, __func__, 2, local_leader, c->size);
	if (!err && c->rank == local_leader) {
		err = mpi_check_comm(__func__, 3, peer_comm, &peer);
		if (!err)
			err = mpi_check_not_mixed(c, __func__, 3, c->group,
						  peer->group);
		if (!err)
			err = check_leader(peer, __func__, 4, remote_leader,
					   peer->peers);
	}
	if (!err)
		err = weft_check_ptr(c, __func__, 6, newintercomm,
				     "newintercomm");
	if (!err && tag < 0)
		err = weft_err_arg(c, __func__, MPI_ERR_TAG, 5,
				   "invalid tag %d", tag);
	if (err)
		return err;
	local = weft_channel_of(c);
	i = (struct weft_make_inter){ c->group,	      local_leader,  peer,
				      WEFT_P2P_GROUP, remote_leader, tag,
				      &local };
	err = weft_make_inter(&i, c, &made);
	if (err)
		return weft_err_rc(c, __func__, err);
	*newintercomm = weft_comm_handle(made);
	return MPI_SUCCESS;
}

#pragma weak MPI_Intercomm_merge = PMPI_Intercomm_merge
int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
	MPI_ENTER;
	struct weft_comm *c, *made;
	int err = mpi_check_comm(__func__, 1, intercomm, &c);

	mpi_comm_set_null(newintracomm);
	if (!err && !c->inter)
		err = weft_err_arg(c, __func__, MPI_ERR_COMM, 1,
				   "communicator is not an intercommunicator");
	if (!err)
		err = weft_check_ptr(c, __func__, 3, newintracomm,
				     "newintracomm");
	if (err)
		return err;
	err = weft_make_merge(c, high, &made);
	if (err)
		return weft_err_rc(c, __func__, err);
	*newintracomm = weft_comm_handle(made);
	return MPI_SUCCESS;
}

/* Communication between the two leaders without a common communicator. */
struct leader_channel {
	struct weft_comm comm;
	/* process indices of the leaders, smaller first on both sides */
	int proc[2];
};

static void leader_channel_open(struct leader_channel *l, uint64_t ctx, int me,
				int other)
{
	l->proc[0] = me < other ? me : other;
	l->proc[1] = me < other ? other : me;
	weft_channel_scratch(&l->comm, ctx, l->proc, 2, me > other);
}

/*
 * Checks the arguments of the leader, and opens the channel to the other
 * leader.
 */
static int open_leaders(const char *func, const struct weft_group *g,
			MPI_Group remote_group, int remote_leader,
			struct leader_channel *l)
{
	uint64_t ctx = (uint64_t)WEFT_CTX_NO_COMM << WEFT_TAG_CTX_SHIFT;
	struct weft_group *far;
	int err = mpi_check_group(g->session, func, 3, remote_group, &far);

	if (!err)
		err = mpi_check_not_mixed(g->session, func, 3, g, far);
	if (!err)
		err = check_leader(g->session, func, 4, remote_leader,
				   far->size);
	if (!err)
		leader_channel_open(l, ctx, weft_core.job.rank,
				    far->proc[remote_leader]);
	return err;
}

#pragma weak MPI_Intercomm_create_from_groups = \
	PMPI_Intercomm_create_from_groups
int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
				      MPI_Group remote_group, int remote_leader,
				      const char *stringtag, MPI_Info info,
				      MPI_Errhandler errhandler,
				      MPI_Comm *newintercomm)
{
	MPI_ENTER;
	uint64_t ctx = (uint64_t)WEFT_CTX_NO_COMM << WEFT_TAG_CTX_SHIFT;
	struct weft_comm scratch, *made;
	struct weft_channel local = { &scratch, WEFT_P2P_COLL, 0 };
	struct weft_make_inter i = { .flags = WEFT_P2P_CTRL, .local = &local };
	struct weft_group *g;
	struct weft_errh *h;
	struct leader_channel leaders;
	int err = mpi_check_group(NULL, __func__, 1, local_group, &g);

	mpi_comm_set_null(newintercomm);
	if (err)
		return err;
	err = check_leader(g->session, __func__, 2, local_leader, g->size);
	if (!err)
		err = weft_check_ptr(g->session, __func__, 5, stringtag,
				     "string");
	if (!err)
		err = mpi_check_info(g->session, __func__, 6, info);
	if (!err)
		err = mpi_check_errh(g->session, __func__, 7, errhandler, &h);
	if (!err)
		err = weft_check_ptr(g->session, __func__, 8, newintercomm,
				     "newintercomm");
	if (!err && g->rank == local_leader)
		err = open_leaders(__func__, g, remote_group, remote_leader,
				   &leaders);
	if (err)
		return err;
	local.tag = weft_make_tag(stringtag);
	weft_channel_scratch(&scratch, ctx, g->proc, g->size, g->rank);
	i.group = g;
	i.leader = local_leader;
	i.tag = local.tag;
	if (g->rank == local_leader) {
		i.peer = &leaders.comm;
		i.remote = !leaders.comm.rank;
	}
	err = weft_make_inter(&i, NULL, &made);
	if (!err)
		err = mpi_comm_set_args(made, info, errhandler);
	if (err)
		return weft_err_rc(g->session, __func__, err);
	*newintercomm = weft_comm_handle(made);
	return MPI_SUCCESS;
}
