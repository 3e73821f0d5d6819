/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators: queries, names, hints, free and disconnect. */
#include "src/mpi/mpi_export.h"

#include "src/offload/offload_device.h"
#include "src/msg/msg_bsend.h"
#include "src/types/types_info.h"
#include "src/msg/msg_partitioned.h"
#include "src/msg/msg_persist.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/mpi/mpi_check.h"
#include "src/mpi/comm/mpi_comm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#pragma weak MPI_Comm_rank = PMPI_Comm_rank
int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, rank, "rank");
	if (!err)
		*rank = c->rank;
	return err;
}

#pragma weak MPI_Comm_size = PMPI_Comm_size
int PMPI_Comm_size(MPI_Comm comm, int *size)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, size, "size");
	if (!err)
		*size = c->size;
	return err;
}

#pragma weak MPI_Comm_test_inter = PMPI_Comm_test_inter
int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, flag, "flag");
	if (!err)
		*flag = c->inter;
	return err;
}

static int check_inter(const char *func, MPI_Comm comm,
		       struct weft_comm **comm_p)
{
	int err = mpi_check_comm(func, 1, comm, comm_p);

	if (!err && !(*comm_p)->inter)
		err = weft_err_arg(*comm_p, func, MPI_ERR_COMM, 1,
				   "communicator is not an intercommunicator");
	return err;
}

#pragma weak MPI_Comm_remote_size = PMPI_Comm_remote_size
int PMPI_Comm_remote_size(MPI_Comm comm, int *size)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check_inter(__func__, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, size, "size");
	if (!err)
		*size = c->peers;
	return err;
}

#pragma weak MPI_Comm_group = PMPI_Comm_group
int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, group, "group");
	if (!err)
		*group = (MPI_Group)weft_group_get(c->group);
	return err;
}

#pragma weak MPI_Comm_remote_group = PMPI_Comm_remote_group
int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check_inter(__func__, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, group, "group");
	if (!err)
		*group = (MPI_Group)weft_group_get(c->remote);
	return err;
}

#pragma weak MPI_Comm_compare = PMPI_Comm_compare
int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
	MPI_ENTER;
	struct weft_comm *a, *b;
	int err = mpi_check_comm(__func__, 1, comm1, &a);
	int far = MPI_IDENT;

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, result, "result");
	if (!err)
		err = mpi_check_comm(__func__, 2, comm2, &b);
	if (!err)
		err = mpi_check_not_mixed(a, __func__, 2, a->group, b->group);
	if (err)
		return err;
	if (a == b) {
		*result = MPI_IDENT;
		return MPI_SUCCESS;
	}
	*result = MPI_UNEQUAL;
	if (a->inter != b->inter)
		return MPI_SUCCESS;
	*result = mpi_group_compare(a->group, b->group);
	if (a->inter)
		far = mpi_group_compare(a->remote, b->remote);
	if (*result == MPI_UNEQUAL || far == MPI_UNEQUAL)
		*result = MPI_UNEQUAL;
	else if (*result == MPI_SIMILAR || far == MPI_SIMILAR)
		*result = MPI_SIMILAR;
	else
		*result = MPI_CONGRUENT;
	return MPI_SUCCESS;
}

/* ---- names and hints ---------------------------------------------------- */

#pragma weak MPI_Comm_set_name = PMPI_Comm_set_name
int PMPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, comm_name, "name");
	if (!err)
		snprintf(c->name, sizeof(c->name), "%s", comm_name);
	return err;
}

#pragma weak MPI_Comm_get_name = PMPI_Comm_get_name
int PMPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = weft_check_ptr(NULL, __func__, 2, comm_name, "comm_name");

	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, resultlen, "resultlen");
	if (err)
		return err;
	if (comm == MPI_COMM_NULL) {
		strcpy(comm_name, "MPI_COMM_NULL");
		*resultlen = (int)strlen(comm_name);
		return MPI_SUCCESS;
	}
	err = mpi_check_comm(__func__, 1, comm, &c);
	if (err)
		return err;
	strcpy(comm_name, c->name);
	*resultlen = (int)strlen(comm_name);
	return MPI_SUCCESS;
}

/* Returns whether key is a hint; other keys are ignored. */
static bool is_hint(const char *key)
{
	return !strncmp(key, "weft_", 5) || !strncmp(key, "mpi_", 4);
}

int mpi_comm_merge_hints(struct weft_info **hints_p, struct weft_info *info)
{
	char key[MPI_MAX_INFO_KEY];
	char val[MPI_MAX_INFO_VAL + 1];
	int i, rc = 0;

	if (!*hints_p)
		*hints_p = weft_info_open();
	if (!*hints_p)
		return -ENOMEM;
	for (i = 0; info && !rc && !weft_info_key(info, i, key); i++)
		if (is_hint(key) &&
		    weft_info_get(info, key, val, sizeof(val)) >= 0)
			rc = weft_info_set(*hints_p, key, val);
	return rc;
}

int mpi_comm_merge_info(struct weft_comm *c, struct weft_info *info)
{
	return mpi_comm_merge_hints(&c->info, info);
}

#pragma weak MPI_Comm_set_info = PMPI_Comm_set_info
int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = mpi_check_info(c, __func__, 2, info);
	if (err)
		return err;
	return weft_err_rc(c, __func__,
			   mpi_comm_merge_info(c, weft_info_of(info)));
}

#pragma weak MPI_Comm_get_info = PMPI_Comm_get_info
int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
	MPI_ENTER;
	struct weft_comm *c;
	struct weft_info *info;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, info_used, "info_used");
	if (err)
		return err;
	info = c->info ? weft_info_dup(c->info) : weft_info_open();
	if (!info || weft_device_info(info)) {
		if (info)
			weft_info_close(info);
		return weft_err_rc(c, __func__, -ENOMEM);
	}
	*info_used = weft_info_handle(info);
	return MPI_SUCCESS;
}

/* ---- free and disconnect ------------------------------------------------- */

static int check_freeable(const char *func, const MPI_Comm *comm,
			  struct weft_comm **comm_p)
{
	int err = weft_check_ptr(NULL, func, 1, comm, "comm");

	if (!err)
		err = mpi_check_comm(func, 1, *comm, comm_p);
	if (!err && (*comm_p)->obj.predefined)
		err = weft_err_arg(*comm_p, func, MPI_ERR_COMM, 1,
				   "%s cannot be freed", (*comm_p)->name);
	return err;
}

static int release(const char *func, struct weft_comm *c, MPI_Comm *comm)
{
	int err = weft_attrs_clear(&c->attr, *comm);
	MPI_Count size;
	void *buffer;

	if (err)
		return weft_err_call(c, func, err);
	weft_bsend_detach(&c->bsend, &buffer, &size);
	*comm = MPI_COMM_NULL;
	if (c == weft_core.parent)
		weft_core.parent = NULL;
	weft_comm_put(c);
	return MPI_SUCCESS;
}

#pragma weak MPI_Comm_free = PMPI_Comm_free
int PMPI_Comm_free(MPI_Comm *comm)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check_freeable(__func__, comm, &c);

	return err ? err : release(__func__, c, comm);
}

/*
 * Returns whether communication on c is pending. Buffered sends hold references
 * until the buffer space of their messages is free, partitioned receives until
 * the first message of their sender has arrived.
 */
static bool is_pending(struct weft_comm *c)
{
	weft_bsend_reap(weft_bsend_process());
	weft_bsend_reap(&c->bsend);
	weft_partitioned_reap();
	return weft_persist_is_pending(c);
}

#pragma weak MPI_Comm_disconnect = PMPI_Comm_disconnect
int PMPI_Comm_disconnect(MPI_Comm *comm)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = check_freeable(__func__, comm, &c);

	if (err)
		return err;
	while (is_pending(c))
		weft_progress_poll(NULL, 0, false);
	return release(__func__, c, comm);
}
