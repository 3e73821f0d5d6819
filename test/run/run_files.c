/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files whose accesses fail: run_files.sh prepares the folder. All ranks get
 * the error, later accesses work, and bytes that were written before are kept.
 *
 *   run_files space FOLDER CLASS   there is no space: MPI_ERR_NO_SPACE, _QUOTA
 *   run_files open FOLDER CLASS    FOLDER/file can be read, not written
 *   run_files shrink FOLDER        another process shortens the file
 *   run_files die FOLDER WAY       the last rank dies in a collective write
 */
#include "test/mpi/file/file_t.h"

#include <mpi-ext.h>
#include <signal.h>
#include <sys/wait.h>

enum { KEPT = 40000, MUCH = 4 << 20, ROUNDS = 200 };

static char path[FT_PATH];
static char *much;
static int wanted;

#define FAILS(call) MT_IS(mt_class(call), wanted)

/* ---- the part of the file that is kept ----------------------------------- */

/* Creates the file with KEPT bytes of each rank. */
static MPI_File open_kept(MPI_Comm comm, int amode)
{
	static unsigned char data[KEPT];
	MPI_File f;

	MT_OK(MPI_File_open(comm, path, MPI_MODE_RDWR | amode, MPI_INFO_NULL,
			    &f));
	if (!amode)
		return f;
	mt_fill(data, KEPT, (uint64_t)mt_rank);
	MT_OK(MPI_File_write_at_all(f, (MPI_Offset)mt_rank * KEPT, data, KEPT,
				    MPI_BYTE, MPI_STATUS_IGNORE));
	return f;
}

/* Compares the bytes of all ranks, without MPI. */
static void check_kept(int ranks)
{
	static unsigned char data[KEPT];
	int fd = open(path, O_RDONLY);

	for (int r = 0; r < ranks; r++) {
		MT_IS(pread(fd, data, KEPT, (off_t)r * KEPT), KEPT);
		MT_TRUE(mt_same(data, KEPT, (uint64_t)r));
	}
	close(fd);
}

/* Sets a view of single ints that alternate between the ranks. */
static void alternate(MPI_File f)
{
	MPI_Datatype t;

	MT_OK(MPI_Type_create_resized(MPI_INT, 0, 4 * mt_size, &t));
	MT_OK(MPI_Type_commit(&t));
	MT_OK(MPI_File_set_view(f, (MPI_Offset)mt_size * KEPT + 4 * mt_rank,
				MPI_INT, t, "native", MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&t));
}

/* ---- no space ------------------------------------------------------------ */

static void collective_fails(MPI_File f, MPI_Offset at)
{
	const int n = MUCH / 4;
	MPI_Request r;
	MPI_Status s;

	FAILS(MPI_File_write_at_all(f, at, much, n, MPI_INT, &s));
	MT_OK(MPI_File_iwrite_at_all(f, at, much, n, MPI_INT, &r));
	FAILS(MPI_Wait(&r, &s));
	MT_OK(MPI_File_write_at_all_begin(f, at, much, n, MPI_INT));
	FAILS(MPI_File_write_at_all_end(f, much, &s));
	/* only rank 0 has no space: all ranks get the error */
	FAILS(MPI_File_write_at_all(f, at, much, mt_rank ? 0 : n, MPI_INT, &s));
	FAILS(MPI_File_write_ordered(f, much, n, MPI_INT, &s));
	check_kept(mt_size);
}

static void space(void)
{
	MPI_File f = open_kept(MPI_COMM_WORLD, MPI_MODE_CREATE);
	MPI_Offset end = (MPI_Offset)mt_size * KEPT;
	MPI_Request r;
	MPI_Status s;

	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_File_write_at(f, end + (MPI_Offset)mt_rank * MUCH, much, MUCH,
				MPI_BYTE, &s));
	MT_OK(MPI_File_iwrite_at(f, end + (MPI_Offset)mt_rank * MUCH, much,
				 MUCH, MPI_BYTE, &r));
	FAILS(MPI_Wait(&r, &s));
	FAILS(MPI_File_preallocate(f, end + 2 * MUCH));
	MT_OK(MPI_File_set_view(f, end + (MPI_Offset)mt_rank * MUCH, MPI_INT,
				MPI_INT, "native", MPI_INFO_NULL));
	collective_fails(f, 0);
	alternate(f);
	collective_fails(f, 0);
	FAILS(MPI_File_write_at(f, 0, much, MUCH / 4, MPI_INT, &s));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	/* after the file has been shortened again, writes succeed */
	MT_OK(MPI_File_set_size(f, end));
	MT_OK(MPI_File_write_at_all(f, 0, much, 100, MPI_INT, &s));
	MT_IS(ft_count(&s, MPI_INT), 100);
	MT_OK(MPI_File_close(&f));
	check_kept(mt_size);
}

/* ---- files that cannot be written ---------------------------------------- */

static void open_fails(void)
{
	char other[2 * FT_PATH], b[10];
	MPI_Status s;
	MPI_File f;

	snprintf(other, sizeof(other), "%s2", path);
	FAILS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL,
			    &f));
	FAILS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY,
			    MPI_INFO_NULL, &f));
	FAILS(MPI_File_open(MPI_COMM_WORLD, other,
			    MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			    &f));
	FAILS(MPI_File_delete(path, MPI_INFO_NULL));
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY,
			    MPI_INFO_NULL, &f));
	MT_OK(MPI_File_read_at_all(f, 0, b, 10, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), 5);
	MT_TRUE(!memcmp(b, "bytes", 5));
	MT_OK(MPI_File_close(&f));
}

/* ---- a file that becomes shorter ----------------------------------------- */

/* Starts a process that shortens and extends the file until it is killed. */
static pid_t start_cutter(void)
{
	pid_t pid = fork();

	while (pid == 0) {
		if (truncate(path, 1000) || truncate(path, MUCH))
			_exit(1);
	}
	return pid;
}

/* Checks that each byte has the written value, or 0 after an extension. */
static void check_cut(const unsigned char *data, int n)
{
	MT_TRUE(n >= 0 && n <= MUCH / 16);
	for (int k = 0; k < n; k++)
		MT_TRUE(data[k] == 0 || data[k] == 7);
}

static void shrink(void)
{
	unsigned char *data = malloc(MUCH / 16);
	MPI_File f = open_kept(MPI_COMM_WORLD, MPI_MODE_CREATE);
	pid_t pid = 0;
	MPI_Status s;

	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 0)
		pid = start_cutter();
	for (int k = 0; k < ROUNDS; k++) {
		MPI_Offset at = k % 3 * MUCH / 64;

		if (k == ROUNDS / 2)
			alternate(f);
		memset(data, 7, MUCH / 16);
		MT_OK(MPI_File_write_at_all(f, at, data, MUCH / 64, MPI_INT,
					    &s));
		MT_OK(k % 2 ? MPI_File_read_at_all(f, at, data, MUCH / 64,
						   MPI_INT, &s)
			    : MPI_File_read_at(f, at, data, MUCH / 64, MPI_INT,
					       &s));
		if (k >= ROUNDS / 2)
			check_cut(data, ft_count(&s, MPI_BYTE));
	}
	if (mt_rank == 0)
		MT_TRUE(!kill(pid, SIGKILL) && waitpid(pid, NULL, 0) == pid);
	MT_OK(MPI_File_close(&f));
	free(data);
}

/* ---- a rank that dies ---------------------------------------------------- */

/* Starts the collective write that `way` selects, and waits for it. */
static int write_as(MPI_File f, const char *way)
{
	const int n = MUCH / 64;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status s;
	int rc;

	if (!strncmp(way, "ordered", 7))
		return MPI_File_write_ordered(f, much, n, MPI_INT, &s);
	rc = MPI_File_iwrite_at_all(f, 0, much, n, MPI_INT, &r);
	if (mt_rank == mt_size - 1)
		raise(SIGKILL);
	return rc ? rc : MPI_Wait(&r, &s);
}

static void die(const char *way)
{
	MPI_File f = open_kept(MPI_COMM_WORLD, MPI_MODE_CREATE), g;
	bool last = mt_rank == mt_size - 1;
	MPI_Comm rest;
	int rc, n;

	if (strstr(way, "alternate"))
		alternate(f);
	else
		MT_OK(MPI_File_set_view(
			f, (MPI_Offset)mt_size * KEPT + mt_rank * MUCH, MPI_INT,
			MPI_INT, "native", MPI_INFO_NULL));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (last && !strstr(way, "during"))
		raise(SIGKILL);
	rc = write_as(f, way);
	printf("rank %d: class %d %s\n", mt_rank, mt_class(rc),
	       mt_class(rc) == MPIX_ERR_PROC_FAILED ? "failed" : "other");
	fflush(stdout);
	MPI_File_close(&f);
	/* the surviving ranks use the file */
	MT_OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest));
	MT_OK(MPI_Comm_size(rest, &n));
	MT_IS(n, mt_size - 1);
	g = open_kept(rest, 0);
	MT_OK(MPI_File_write_at_all(g, (MPI_Offset)mt_size * KEPT, much, 10,
				    MPI_BYTE, MPI_STATUS_IGNORE));
	MT_OK(MPI_File_close(&g));
	check_kept(mt_size);
	printf("rank %d: good\n", mt_rank);
	fflush(stdout);
	MT_OK(MPI_Comm_free(&rest));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	snprintf(path, sizeof(path), "%s/file", argv[2]);
	much = calloc(1, MUCH);
	if (!strcmp(argv[1], "die"))
		MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD,
					      MPI_ERRORS_RETURN));
	if (!strcmp(argv[1], "die"))
		die(argv[3]);
	else if (!strcmp(argv[1], "shrink"))
		shrink();
	else
		wanted = atoi(argv[3]);
	if (!strcmp(argv[1], "space"))
		space();
	if (!strcmp(argv[1], "open"))
		open_fails();
	free(much);
	return mt_end();
}
