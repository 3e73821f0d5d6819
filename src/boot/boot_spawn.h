/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start of further processes, which form a job of their own. They are started
 * by the launcher's PMIx server or, without a launcher, by Weft's mpiexec. The
 * new job finds the port of its parents in the environment.
 */
#ifndef WEFT_BOOT_SPAWN_H
#define WEFT_BOOT_SPAWN_H

#include <stddef.h>

/* Environment variable with the port of the parents. */
#define WEFT_SPAWN_PORT "WEFT_PARENT_PORT"

/*
 * Environment variable with the world of the parents in virtual time, and the
 * first rank of the spawned job in it.
 */
#define WEFT_SPAWN_WORLD "WEFT_PARENT_WORLD"

/*
 * PMIx key by which Weft's mpiexec gets the directories in which to search for
 * the command.
 */
#define WEFT_SPAWN_PATH "weft.spawn.path"

struct weft_spawn_app {
	const char *command;
	/*
	 * arguments without the command, terminated by NULL; NULL: no arguments
	 */
	char *const *args;
	int n;		  /* number of processes */
	const char *wdir; /* working directory; NULL: that of this process */
	/*
	 * directories in which to search for the command; NULL: those of
	 * mpiexec
	 */
	const char *path;
	const char *host;     /* names of hosts; NULL: chosen by the launcher */
	const char *hostfile; /* file with names of hosts; NULL: none */
};

/*
 * Starts the processes of all programs as one job. Returns 0, -ENOENT: a
 * program or directory was not found, -EHOSTUNREACH: no processes can be
 * started on these hosts, -ENOTSUP: the launcher cannot start
 * processes, -ENOSPC: in virtual time, the machine has too few free places for
 * ranks; or another -errno.
 */
int weft_spawn(const struct weft_spawn_app *app, int count, const char *port);

#endif
