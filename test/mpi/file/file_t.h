/* SPDX-License-Identifier: BSD-3-Clause */
/* Support for the tests of files: file names, hints, and whole contents. */
#ifndef WEFT_TEST_FILE_T_H
#define WEFT_TEST_FILE_T_H

#include "mpi_t.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#define FT_PATH 256

/* Sets path to the same new name on all ranks; collective. */
static inline void ft_name(char path[FT_PATH], const char *what)
{
	const char *dir = getenv("TMPDIR");

	snprintf(path, FT_PATH, "%s/weft-%s-%ld-%d", dir ? dir : "/tmp", what,
		 (long)getpid(), mt_size);
	MT_OK(MPI_Bcast(path, FT_PATH, MPI_CHAR, 0, MPI_COMM_WORLD));
}

/* Opens a new file for reading and writing that is deleted when closed. */
static inline MPI_File ft_open(char path[FT_PATH], const char *what,
			       MPI_Info info)
{
	MPI_File f;

	ft_name(path, what);
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path,
			    MPI_MODE_CREATE | MPI_MODE_RDWR |
				    MPI_MODE_DELETE_ON_CLOSE,
			    info, &f));
	return f;
}

/* Rank 0 writes n bytes of the test pattern to a new file. */
static inline void ft_fill(const char *path, size_t n, uint64_t seed)
{
	unsigned char *b = malloc(n + 1);
	int fd;

	if (mt_rank == 0) {
		mt_fill(b, n, seed);
		fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
		MT_TRUE(fd >= 0 && write(fd, b, n) == (ssize_t)n);
		close(fd);
	}
	free(b);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Returns the number of elements that a status contains. */
static inline int ft_count(MPI_Status *s, MPI_Datatype type)
{
	int n = -1;

	MT_OK(MPI_Get_count(s, type, &n));
	return n;
}

#endif
