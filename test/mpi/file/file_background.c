/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A nonblocking access is executed after the call that starts it has returned.
 * Each access of this program blocks the thread that executes it, until the
 * rank lets it continue: a read from an empty pipe, a write to a full pipe, a
 * write to bytes that another open file has locked.
 */
#include "file_t.h"

#include <errno.h>
#include <sys/stat.h>

enum { BYTES = 3000, TESTS = 50 };

static unsigned char data[BYTES], got[BYTES];

/* Checks for 10 ms that the access does not complete. */
static void is_in_progress(MPI_Request *r)
{
	int done;

	for (int i = 0; i < TESTS; i++) {
		MT_OK(MPI_Test(r, &done, MPI_STATUS_IGNORE));
		MT_TRUE(!done);
		usleep(200);
	}
}

static void finish(MPI_Request *r)
{
	MPI_Status s;

	MT_OK(MPI_Wait(r, &s));
	MT_IS(ft_count(&s, MPI_BYTE), BYTES);
}

/* ---- pipes --------------------------------------------------------------- */

/*
 * Opens a pipe by a name of this rank. *fd_p: a descriptor that is open at both
 * ends of the pipe.
 */
static MPI_File pipe_open(int amode, int *fd_p)
{
	char path[FT_PATH];
	MPI_File f;

	ft_name(path, "pipe");
	snprintf(path + strlen(path), FT_PATH - strlen(path), "-%d", mt_rank);
	MT_OK(mkfifo(path, 0600));
	*fd_p = open(path, O_RDWR | O_NONBLOCK);
	MT_TRUE(*fd_p >= 0);
	MT_OK(MPI_File_open(MPI_COMM_SELF, path, amode | MPI_MODE_SEQUENTIAL,
			    MPI_INFO_NULL, &f));
	unlink(path);
	return f;
}

static void reads_from_an_empty_pipe(void)
{
	int fd;
	MPI_File f = pipe_open(MPI_MODE_RDONLY, &fd);
	MPI_Request r;

	memset(got, 0, BYTES);
	MT_OK(MPI_File_iread_shared(f, got, BYTES, MPI_BYTE, &r));
	is_in_progress(&r);
	MT_IS(write(fd, data, BYTES), BYTES);
	finish(&r);
	MT_TRUE(!memcmp(got, data, BYTES));
	close(fd);
	MT_OK(MPI_File_close(&f));
}

static void writes_to_a_full_pipe(void)
{
	int fd;
	MPI_File f = pipe_open(MPI_MODE_WRONLY, &fd);
	size_t before = 0, after = 0;
	unsigned char byte;
	MPI_Request r;

	while (write(fd, "0", 1) == 1)
		before++;
	MT_IS(errno, EAGAIN);
	MT_OK(MPI_File_iwrite_shared(f, data, BYTES, MPI_BYTE, &r));
	is_in_progress(&r);
	for (; after < before + BYTES; after++) {
		while (read(fd, &byte, 1) != 1)
			MT_IS(errno, EAGAIN);
		MT_IS(byte, after < before ? '0' : data[after - before]);
	}
	finish(&r);
	close(fd);
	MT_OK(MPI_File_close(&f));
}

/* ---- locked bytes -------------------------------------------------------- */

/* Locks or unlocks the whole file, by another open file of this rank. */
static bool lock_all(int fd, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_SETLKW, &l);
}

/* Opens a file with a view that has gaps, so that its writes take locks. */
static MPI_File gaps_open(char path[FT_PATH], const char *exchange)
{
	MPI_Datatype tile;
	MPI_Info info;
	MPI_File f;

	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, "romio_cb_write", exchange));
	f = ft_open(path, "gaps", info);
	MT_OK(MPI_Info_free(&info));
	MT_OK(MPI_Type_create_resized(MPI_BYTE, 0, 2 * mt_size, &tile));
	MT_OK(MPI_Type_commit(&tile));
	MT_OK(MPI_File_set_view(f, 2 * mt_rank, MPI_BYTE, tile, "native",
				MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&tile));
	return f;
}

/* Compares this rank's bytes of the file. */
static void compare(int fd)
{
	size_t n = (size_t)2 * BYTES * (size_t)mt_size, k;
	unsigned char *file = calloc(1, n);

	MT_TRUE(pread(fd, file, n, 0) > 0);
	for (k = 0; k < BYTES; k++)
		MT_IS(file[2 * ((size_t)mt_size * k + (size_t)mt_rank)],
		      data[k]);
	free(file);
}

static void writes_to_locked_bytes(bool collective, const char *exchange)
{
	char path[FT_PATH];
	MPI_File f = gaps_open(path, exchange);
	int fd = open(path, O_RDWR);
	MPI_Request r;

	MT_TRUE(fd >= 0);
	if (mt_rank == 0)
		MT_TRUE(lock_all(fd, F_WRLCK));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(collective
		      ? MPI_File_iwrite_at_all(f, 0, data, BYTES, MPI_BYTE, &r)
		      : MPI_File_iwrite_at(f, 0, data, BYTES, MPI_BYTE, &r));
	is_in_progress(&r);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 0)
		MT_TRUE(lock_all(fd, F_UNLCK));
	finish(&r);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	compare(fd);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	close(fd);
	MT_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	mt_fill(data, BYTES, (uint64_t)mt_rank + 1);
	reads_from_an_empty_pipe();
	writes_to_a_full_pipe();
	writes_to_locked_bytes(false, "automatic");
	writes_to_locked_bytes(true, "disable");
	writes_to_locked_bytes(true, "enable");
	return mt_end();
}
