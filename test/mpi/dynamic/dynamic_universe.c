/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_UNIVERSE_SIZE, and the places of spawned processes: dynamic_universe SIZE
 * CASE spawns processes one by one.
 *   full    until the places of virtual time are used: MPI_ERR_SPAWN
 *   failed  one place is on a processor that has failed
 *   live    there is no limit
 *   none    the first spawn fails, and ends the job
 */
#include "mpi_t.h"

#include <stdbool.h>

static int universe(void)
{
	int *size, flag;

	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size,
				&flag));
	return flag ? *size : -1;
}

static bool spawn(char *program, char **args)
{
	int class = MPI_SUCCESS, code;
	MPI_Comm c;

	code = MPI_Comm_spawn(program, args, 1, MPI_INFO_NULL, 0,
			      MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE);
	MPI_Error_class(code, &class);
	if (code) {
		MT_IS(class, MPI_ERR_SPAWN);
		return false;
	}
	MT_OK(MPI_Barrier(c));
	MT_OK(MPI_Comm_disconnect(&c));
	return true;
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	int want, n = 0, size;

	mt_begin(&argc, &argv);
	want = atoi(argv[1]);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MT_IS(universe(), want);
	MT_OK(MPI_Comm_get_parent(&parent));
	if (parent != MPI_COMM_NULL) {
		MT_OK(MPI_Barrier(parent));
		MT_OK(MPI_Comm_disconnect(&parent));
		return mt_end();
	}
	if (strcmp(argv[2], "none"))
		MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD,
					      MPI_ERRORS_RETURN));
	while (n < want && spawn(argv[0], argv + 1))
		n++;
	if (!strcmp(argv[2], "full"))
		MT_IS(n, want - size);
	else if (!strcmp(argv[2], "failed"))
		MT_IS(n, want - size - 1);
	else
		MT_IS(n, want);
	return mt_end();
}
