/* SPDX-License-Identifier: BSD-3-Clause */
/* See show_role.h. */
#include "src/show/show_role.h"

#include <string.h>

#define P2P   (ROLE_RECV | ROLE_SEND | ROLE_COLL_MESSAGE)
#define TESTS (P2P | ROLE_POLL)

/*
 * Names without MPI_ and _c; a name that ends in * is a prefix. The first entry
 * that matches is used.
 */
static const struct {
	const char *name;
	struct show_role role;
} table[] = {
	{ "Recv", { ROLE_RECV, SHOW_NO_CLASS } },
	{ "Mrecv", { ROLE_RECV, SHOW_NO_CLASS } },
	{ "Probe", { ROLE_RECV, SHOW_NO_CLASS } },
	{ "Mprobe", { ROLE_RECV, SHOW_NO_CLASS } },
	{ "Send", { ROLE_SEND, SHOW_NO_CLASS } },
	{ "Ssend", { ROLE_SEND, SHOW_NO_CLASS } },
	{ "Rsend", { ROLE_SEND, SHOW_NO_CLASS } },
	{ "Sendrecv", { P2P, SHOW_NO_CLASS } },
	{ "Sendrecv_replace", { P2P, SHOW_NO_CLASS } },
	{ "Wait*", { P2P, SHOW_NO_CLASS } },
	{ "Test*", { TESTS, SHOW_NO_CLASS } },
	{ "Iprobe", { TESTS, SHOW_NO_CLASS } },
	{ "Improbe", { TESTS, SHOW_NO_CLASS } },
	{ "Request_get_status*", { TESTS, SHOW_NO_CLASS } },
	{ "Barrier", { 0, SHOW_WAIT_BARRIER } },
	{ "Allreduce", { 0, SHOW_WAIT_NXN } },
	{ "Allgather*", { 0, SHOW_WAIT_NXN } },
	{ "Alltoall*", { 0, SHOW_WAIT_NXN } },
	{ "Reduce_scatter*", { 0, SHOW_WAIT_NXN } },
	{ "Bcast", { ROLE_COLL_MESSAGE, SHOW_LATE_BROADCAST } },
	{ "Scatter*", { ROLE_COLL_MESSAGE, SHOW_LATE_BROADCAST } },
	{ "Reduce", { ROLE_COLL_MESSAGE, SHOW_EARLY_REDUCE } },
	{ "Gather*", { ROLE_COLL_MESSAGE, SHOW_EARLY_REDUCE } },
	{ "Scan", { ROLE_COLL_MESSAGE, SHOW_EARLY_SCAN } },
	{ "Exscan", { ROLE_COLL_MESSAGE, SHOW_EARLY_SCAN } },
	{ "Win_fence", { 0, SHOW_WAIT_FENCE } },
	{ "Win_create*", { 0, SHOW_WAIT_CREATE } },
	{ "Win_allocate*", { 0, SHOW_WAIT_CREATE } },
	{ "Win_free", { 0, SHOW_WAIT_CREATE } },
	{ "Win_start", { ROLE_SYNC, SHOW_NO_CLASS } },
	{ "Win_complete", { ROLE_SYNC, SHOW_NO_CLASS } },
	{ "Win_wait", { ROLE_SYNC, SHOW_NO_CLASS } },
	{ "Win_test", { ROLE_SYNC | ROLE_POLL, SHOW_NO_CLASS } },
	{ "Win_lock", { ROLE_LOCK, SHOW_NO_CLASS } },
	{ "Win_unlock", { ROLE_UNLOCK, SHOW_NO_CLASS } },
	{ "Comm_dup*", { ROLE_COLL_MESSAGE, SHOW_WAIT_NXN } },
	{ "Comm_split*", { ROLE_COLL_MESSAGE, SHOW_WAIT_NXN } },
	{ "Comm_create", { ROLE_COLL_MESSAGE, SHOW_WAIT_NXN } },
	{ "Comm_create_group", { ROLE_COLL_MESSAGE, SHOW_NO_CLASS } },
	{ "Cart_*", { ROLE_COLL_MESSAGE, SHOW_WAIT_NXN } },
	{ "Graph_*", { ROLE_COLL_MESSAGE, SHOW_WAIT_NXN } },
	{ "Dist_graph_*", { ROLE_COLL_MESSAGE, SHOW_WAIT_NXN } },
	{ "Neighbor_*", { ROLE_COLL_MESSAGE, SHOW_NO_CLASS } },
	{ "Intercomm_*", { ROLE_COLL_MESSAGE, SHOW_NO_CLASS } },
};

static bool fits(const char *pattern, const char *name, size_t len)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] == '*')
		return len >= n - 1 && !strncmp(pattern, name, n - 1);
	return n == len && !strncmp(pattern, name, len);
}

static struct show_role role_of(const char *name)
{
	size_t len;

	name += strncmp(name, "MPI_", 4) ? 0 : 4;
	len = strlen(name);
	if (len > 2 && !strcmp(name + len - 2, "_c"))
		len -= 2;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (fits(table[i].name, name, len))
			return table[i].role;
	return (struct show_role){ 0, SHOW_NO_CLASS };
}

void show_roles(const struct show *s, struct show_role *role)
{
	char name[JOB_PAGE_NAME];

	for (uint32_t id = 0; id < JOB_PAGE_NAMES; id++)
		role[id] = role_of(show_name(s, id, name));
}

const char *show_class_name(enum show_class c)
{
	static const char *const name[SHOW_CLASSES] = {
		[SHOW_LATE_SENDER] = "late sender",
		[SHOW_LATE_RECEIVER] = "late receiver",
		[SHOW_WAIT_BARRIER] = "wait at barrier",
		[SHOW_WAIT_NXN] = "wait at N x N",
		[SHOW_LATE_BROADCAST] = "late broadcast",
		[SHOW_EARLY_REDUCE] = "early reduce",
		[SHOW_EARLY_SCAN] = "early scan",
		[SHOW_WAIT_FENCE] = "wait at fence",
		[SHOW_WAIT_CREATE] = "wait at window creation",
		[SHOW_LATE_POST] = "late post",
		[SHOW_LATE_COMPLETE] = "late complete",
		[SHOW_LOCK_CONTENTION] = "lock contention",
		[SHOW_NOT_COMPLETED] = "not completed",
	};

	return name[c];
}
