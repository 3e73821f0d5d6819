/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments, random numbers, and files with random hints for the random tests
 * of files: PROGRAM [rounds [seed [folder]]].
 */
#ifndef WEFT_TEST_FILE_RANDOM_H
#define WEFT_TEST_FILE_RANDOM_H

#include "file_t.h"

/* random states: the same at all ranks, and this rank's own */
static uint64_t fr_common, fr_own;

/*
 * Initializes MPI and the random states. Returns the number of rounds; `rounds`
 * without arguments.
 */
static inline int fr_begin(int argc, char **argv, int rounds)
{
	mt_begin(&argc, &argv);
	fr_common = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	fr_own = fr_common * 1000003 + (uint64_t)mt_rank;
	if (argc > 3)
		setenv("TMPDIR", argv[3], 1);
	return argc > 1 ? atoi(argv[1]) : rounds;
}

/* Returns a number less than `below`, from the stream of this state. */
static inline unsigned fr_next(uint64_t *state, unsigned below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33) % below;
}

static inline void fr_set(MPI_Info info, const char *key, unsigned n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	MT_OK(MPI_Info_set(info, key, text));
}

/*
 * Draws hints with small buffers and random methods, so that an access takes
 * many steps.
 */
static inline MPI_Info fr_hints(uint64_t *state)
{
	static const char *const word[] = { "automatic", "enable", "disable" };
	MPI_Info info;

	MT_OK(MPI_Info_create(&info));
	fr_set(info, "cb_buffer_size", 64u << fr_next(state, 12));
	fr_set(info, "cb_nodes", 1 + fr_next(state, (unsigned)mt_size));
	fr_set(info, "striping_unit", 1 + fr_next(state, 200));
	fr_set(info, "ind_rd_buffer_size", 16u << fr_next(state, 10));
	fr_set(info, "ind_wr_buffer_size", 16u << fr_next(state, 10));
	MT_OK(MPI_Info_set(info, "romio_cb_read", word[fr_next(state, 3)]));
	MT_OK(MPI_Info_set(info, "romio_cb_write", word[fr_next(state, 3)]));
	MT_OK(MPI_Info_set(info, "romio_ds_read", word[fr_next(state, 3)]));
	MT_OK(MPI_Info_set(info, "romio_ds_write", word[fr_next(state, 3)]));
	return info;
}

/*
 * Opens a new file as ft_open() does, with random hints; its errors are fatal.
 */
static inline MPI_File fr_open(char path[FT_PATH], const char *what)
{
	MPI_Info info = fr_hints(&fr_common);
	MPI_File f = ft_open(path, what, info);

	MT_OK(MPI_Info_free(&info));
	MT_OK(MPI_File_set_errhandler(f, MPI_ERRORS_ARE_FATAL));
	return f;
}

#endif
