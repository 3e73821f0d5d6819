/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that MPI functions wait for (report_role.h). */
#include "src/tools/report/report_role.h"

#include <string.h>

#define P2P   (ROLE_RECV | ROLE_SEND | ROLE_COLL_MESSAGE)
#define TESTS (P2P | ROLE_POLL)

/*
 * Roles by name, without MPI_ and _c; a name that ends in * is a prefix. The
 * first matching entry is used.
 */
static const struct {
	const char *name;
	struct report_role role;
} table[] = {
	{ "Recv", { ROLE_RECV, REPORT_NO_CLASS } },
	{ "Mrecv", { ROLE_RECV, REPORT_NO_CLASS } },
	{ "Probe", { ROLE_RECV, REPORT_NO_CLASS } },
	{ "Mprobe", { ROLE_RECV, REPORT_NO_CLASS } },
	{ "Send", { ROLE_SEND, REPORT_NO_CLASS } },
	{ "Ssend", { ROLE_SEND, REPORT_NO_CLASS } },
	{ "Rsend", { ROLE_SEND, REPORT_NO_CLASS } },
	{ "Sendrecv", { P2P, REPORT_NO_CLASS } },
	{ "Sendrecv_replace", { P2P, REPORT_NO_CLASS } },
	{ "Wait*", { P2P, REPORT_NO_CLASS } },
	{ "Test*", { TESTS, REPORT_NO_CLASS } },
	{ "Iprobe", { TESTS, REPORT_NO_CLASS } },
	{ "Improbe", { TESTS, REPORT_NO_CLASS } },
	{ "Request_get_status*", { TESTS, REPORT_NO_CLASS } },
	{ "Barrier", { 0, REPORT_WAIT_BARRIER } },
	{ "Allreduce", { 0, REPORT_WAIT_NXN } },
	{ "Allgather*", { 0, REPORT_WAIT_NXN } },
	{ "Alltoall*", { 0, REPORT_WAIT_NXN } },
	{ "Reduce_scatter*", { 0, REPORT_WAIT_NXN } },
	{ "Bcast", { ROLE_COLL_MESSAGE, REPORT_LATE_BROADCAST } },
	{ "Scatter*", { ROLE_COLL_MESSAGE, REPORT_LATE_BROADCAST } },
	{ "Reduce", { ROLE_COLL_MESSAGE, REPORT_EARLY_REDUCE } },
	{ "Gather*", { ROLE_COLL_MESSAGE, REPORT_EARLY_REDUCE } },
	{ "Scan", { ROLE_COLL_MESSAGE, REPORT_EARLY_SCAN } },
	{ "Exscan", { ROLE_COLL_MESSAGE, REPORT_EARLY_SCAN } },
	{ "Win_fence", { 0, REPORT_WAIT_FENCE } },
	{ "Win_create*", { 0, REPORT_WAIT_CREATE } },
	{ "Win_allocate*", { 0, REPORT_WAIT_CREATE } },
	{ "Win_free", { 0, REPORT_WAIT_CREATE } },
	{ "Win_start", { ROLE_SYNC, REPORT_NO_CLASS } },
	{ "Win_complete", { ROLE_SYNC, REPORT_NO_CLASS } },
	{ "Win_wait", { ROLE_SYNC, REPORT_NO_CLASS } },
	{ "Win_test", { ROLE_SYNC | ROLE_POLL, REPORT_NO_CLASS } },
	{ "Win_lock", { ROLE_LOCK, REPORT_NO_CLASS } },
	{ "Win_unlock", { ROLE_UNLOCK, REPORT_NO_CLASS } },
	{ "Comm_dup*", { ROLE_COLL_MESSAGE, REPORT_WAIT_NXN } },
	{ "Comm_split*", { ROLE_COLL_MESSAGE, REPORT_WAIT_NXN } },
	{ "Comm_create", { ROLE_COLL_MESSAGE, REPORT_WAIT_NXN } },
	{ "Comm_create_group", { ROLE_COLL_MESSAGE, REPORT_NO_CLASS } },
	{ "Cart_*", { ROLE_COLL_MESSAGE, REPORT_WAIT_NXN } },
	{ "Graph_*", { ROLE_COLL_MESSAGE, REPORT_WAIT_NXN } },
	{ "Dist_graph_*", { ROLE_COLL_MESSAGE, REPORT_WAIT_NXN } },
	{ "Neighbor_*", { ROLE_COLL_MESSAGE, REPORT_NO_CLASS } },
	{ "Intercomm_*", { ROLE_COLL_MESSAGE, REPORT_NO_CLASS } },
};

static bool name_matches(const char *pattern, const char *name, size_t len)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] == '*')
		return len >= n - 1 && !strncmp(pattern, name, n - 1);
	return n == len && !strncmp(pattern, name, len);
}

static struct report_role role_of(const char *name)
{
	size_t len;

	name += strncmp(name, "MPI_", 4) ? 0 : 4;
	len = strlen(name);
	if (len > 2 && !strcmp(name + len - 2, "_c"))
		len -= 2;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (name_matches(table[i].name, name, len))
			return table[i].role;
	return (struct report_role){ 0, REPORT_NO_CLASS };
}

void report_roles(const struct report *s, struct report_role *role)
{
	char name[JOB_PAGE_NAME];

	for (uint32_t id = 0; id < JOB_PAGE_NAMES; id++)
		role[id] = role_of(report_name(s, id, name));
}

const char *report_class_name(enum report_class c)
{
	static const char *const name[REPORT_CLASSES] = {
		[REPORT_LATE_SENDER] = "late sender",
		[REPORT_LATE_RECEIVER] = "late receiver",
		[REPORT_WAIT_BARRIER] = "wait at barrier",
		[REPORT_WAIT_NXN] = "wait at N x N",
		[REPORT_LATE_BROADCAST] = "late broadcast",
		[REPORT_EARLY_REDUCE] = "early reduce",
		[REPORT_EARLY_SCAN] = "early scan",
		[REPORT_WAIT_FENCE] = "wait at fence",
		[REPORT_WAIT_CREATE] = "wait at window creation",
		[REPORT_LATE_POST] = "late post",
		[REPORT_LATE_COMPLETE] = "late complete",
		[REPORT_LOCK_CONTENTION] = "lock contention",
		[REPORT_NOT_COMPLETED] = "not completed",
	};

	return name[c];
}
