/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording of the start and end of MPI, of communicators, and of calls that
 * cannot be replayed (record.h).
 */
#include "src/tools/replay/record.h"

#include <stdlib.h>

int MPI_Init(int *argc, char ***argv)
{
	int rc = PMPI_Init(argc, argv);

	if (!rc)
		record_start();
	return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *level)
{
	int rc = PMPI_Init_thread(argc, argv, wanted, level);

	if (!rc)
		record_start();
	return rc;
}

int MPI_Finalize(void)
{
	record_enter();
	record_end();
	return PMPI_Finalize();
}

/* ---- communicators ------------------------------------------------------- */

/* Writes the members of a communicator, as ranks of the world. */
static void put_members(MPI_Comm comm, int n)
{
	MPI_Group own, world;
	int *from = record_realloc(NULL, ((size_t)n + 1) * sizeof(*from));
	int *to = record_realloc(NULL, ((size_t)n + 1) * sizeof(*to));

	for (int i = 0; i < n; i++)
		from[i] = i;
	PMPI_Comm_group(comm, &own);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_translate_ranks(own, n, from, world, to);
	PMPI_Group_free(&own);
	PMPI_Group_free(&world);
	record_number((uint64_t)n);
	for (int i = 0; i < n; i++)
		record_number((uint64_t)to[i]);
	free(from);
	free(to);
}

static void made(MPI_Comm parent, MPI_Comm comm, enum record_comm_how how)
{
	int n = 0, inter = 0;

	if (comm != MPI_COMM_NULL) {
		PMPI_Comm_size(comm, &n);
		PMPI_Comm_test_inter(comm, &inter);
	}
	if (inter)
		record_other("an intercommunicator");
	if (!inter && record_begin(RECORD_COMM, 4 + (size_t)n)) {
		record_number(record_comm(parent));
		record_number(comm == MPI_COMM_NULL ? 0
						    : record_comm_add(comm));
		record_number((uint64_t)how);
		if (n)
			put_members(comm, n);
		else
			record_number(0);
	}
	record_leave();
}

#define MAKES(name, how, params, args) \
	int MPI_##name params          \
	{                              \
		int rc;                \
                                       \
		record_enter();        \
		rc = PMPI_##name args; \
		made(comm, *out, how); \
		return rc;             \
	}
#define P(...) (__VA_ARGS__)

MAKES(Comm_dup, RECORD_COMM_AGREE, P(MPI_Comm comm, MPI_Comm *out),
      P(comm, out))
MAKES(Comm_dup_with_info, RECORD_COMM_AGREE,
      P(MPI_Comm comm, MPI_Info info, MPI_Comm *out), P(comm, info, out))
MAKES(Comm_create, RECORD_COMM_AGREE,
      P(MPI_Comm comm, MPI_Group group, MPI_Comm *out), P(comm, group, out))
MAKES(Comm_split, RECORD_COMM_SPLIT,
      P(MPI_Comm comm, int color, int key, MPI_Comm *out),
      P(comm, color, key, out))
MAKES(Comm_split_type, RECORD_COMM_SPLIT,
      P(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out),
      P(comm, type, key, info, out))
MAKES(Cart_create, RECORD_COMM_AGREE,
      P(MPI_Comm comm, int n, const int *dims, const int *periods, int reorder,
	MPI_Comm *out),
      P(comm, n, dims, periods, reorder, out))
MAKES(Cart_sub, RECORD_COMM_SPLIT,
      P(MPI_Comm comm, const int *remain, MPI_Comm *out), P(comm, remain, out))

int MPI_Comm_free(MPI_Comm *comm)
{
	uint64_t id = record_comm(*comm);
	int rc;

	record_enter();
	if (record_begin(RECORD_COMM_FREE, 1))
		record_number(id);
	record_comm_drop(*comm);
	rc = PMPI_Comm_free(comm);
	record_leave();
	return rc;
}

/* ---- calls that cannot be replayed --------------------------------------- */

#define OTHER(name, params, args)           \
	int MPI_##name params               \
	{                                   \
		record_other("MPI_" #name); \
		return PMPI_##name args;    \
	}

OTHER(Win_create,
      P(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
	MPI_Win *win),
      P(base, size, unit, info, comm, win))
OTHER(Win_allocate,
      P(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
	MPI_Win *win),
      P(size, unit, info, comm, base, win))
OTHER(Win_allocate_shared,
      P(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
	MPI_Win *win),
      P(size, unit, info, comm, base, win))
OTHER(Win_create_dynamic, P(MPI_Info info, MPI_Comm comm, MPI_Win *win),
      P(info, comm, win))
OTHER(File_open,
      P(MPI_Comm comm, const char *name, int mode, MPI_Info info,
	MPI_File *file),
      P(comm, name, mode, info, file))
OTHER(Comm_spawn,
      P(const char *command, char **argv, int n, MPI_Info info, int root,
	MPI_Comm comm, MPI_Comm *out, int *errors),
      P(command, argv, n, info, root, comm, out, errors))
OTHER(Mprobe,
      P(int from, int tag, MPI_Comm comm, MPI_Message *message,
	MPI_Status *status),
      P(from, tag, comm, message, status))
OTHER(Comm_create_group,
      P(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out),
      P(comm, group, tag, out))
OTHER(Neighbor_alltoall,
      P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
	MPI_Datatype rt, MPI_Comm comm),
      P(in, sn, st, out, rn, rt, comm))
OTHER(Neighbor_allgather,
      P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
	MPI_Datatype rt, MPI_Comm comm),
      P(in, sn, st, out, rn, rt, comm))
