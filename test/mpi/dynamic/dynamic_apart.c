/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failures after MPI_Comm_disconnect, for run_spawn.sh and hosts_spawn.sh. Two
 * children disconnect from their parents. Then
 *
 *   child   the last child dies: the parents complete
 *   parent  the last parent dies: the children complete
 *   again   the children connect to the parents again, and the last one dies:
 *           the parents end
 *   none    no process dies
 *   alone   no process dies, and the parents end early
 */
#include "mpi_t.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

/* Seconds to stay alive; a job that is being ended gets SIGKILL after 2 s. */
enum { LONGER = 4 };

/* Connects again, to a port of parent 0, and disconnects from c. */
static MPI_Comm reconnect(MPI_Comm c, bool parents)
{
	char port[MPI_MAX_PORT_NAME] = "";
	int root = parents ? (mt_rank ? MPI_PROC_NULL : MPI_ROOT) : 0;
	MPI_Comm made;

	if (parents && !mt_rank)
		MT_OK(MPI_Open_port(MPI_INFO_NULL, port));
	MT_OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, root, c));
	MT_OK(MPI_Comm_disconnect(&c));
	if (parents)
		MT_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
				      &made));
	else
		MT_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
				       &made));
	return made;
}

static void die(const char *what)
{
	/* all ranks have disconnected before one of them dies */
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank != mt_size - 1)
		return;
	fprintf(stderr, "%s dies\n", what);
	raise(SIGKILL);
}

static void live(const char *what)
{
	for (int i = 0; i < 10 * LONGER; i++)
		usleep(100000);
	printf("%s %d lives\n", what, mt_rank);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *args[] = { argv[1], NULL };
	const char *me = "child";
	MPI_Comm c;

	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_get_parent(&c));
	if (c == MPI_COMM_NULL) {
		me = "parent";
		MT_OK(MPI_Comm_spawn(argv[0], args, 2, MPI_INFO_NULL, 0,
				     MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
	}
	if (!strcmp(argv[1], "again")) {
		c = reconnect(c, !strcmp(me, "parent"));
		if (!strcmp(me, "child"))
			die(me);
		live(me);
	}
	MT_OK(MPI_Comm_disconnect(&c));
	if (!strcmp(argv[1], me))
		die(me);
	if (strcmp(argv[1], "alone") || strcmp(me, "parent"))
		live(me);
	else
		printf("parent %d lives\n", mt_rank);
	return mt_end();
}
