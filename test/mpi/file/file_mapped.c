/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files on tmpfs, where long writes and blocks that alternate between the ranks
 * are moved through a mapping: contents, the end of the file, files that other
 * programs shorten, missing memory, and the modification time.
 */
#include "file_t.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { BLOCK = 8192, BLOCKS = 120, ROUNDS = 3 };
#define BYTES ((size_t)BLOCK * BLOCKS)

static char path[FT_PATH];
static unsigned char *data, *got;

static MPI_File open_as(int mode)
{
	MPI_File f;

	MT_OK(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &f));
	return f;
}

/* Sets a view of blocks that alternate between the ranks. */
static void alternate(MPI_File f)
{
	MPI_Datatype block, tile;

	MT_OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &block));
	MT_OK(MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * mt_size,
				      &tile));
	MT_OK(MPI_Type_commit(&tile));
	MT_OK(MPI_File_set_view(f, (MPI_Offset)mt_rank * BLOCK, MPI_BYTE, tile,
				"native", MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&tile));
	MT_OK(MPI_Type_free(&block));
}

static void write_all(MPI_File f, int round)
{
	MPI_Status s;

	mt_fill(data, BYTES, (uint64_t)(round * 100 + mt_rank));
	MT_OK(MPI_File_write_at_all(f, 0, data, (int)BYTES, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), BYTES);
}

static void read_all(MPI_File f)
{
	MPI_Status s;

	memset(got, 0, BYTES);
	MT_OK(MPI_File_read_at_all(f, 0, got, (int)BYTES, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), BYTES);
	MT_TRUE(!memcmp(data, got, BYTES));
}

/* Compares the file with the blocks of all ranks, by read(). */
static void compare(int round)
{
	unsigned char *of = malloc(BYTES);
	int fd = open(path, O_RDONLY);

	MT_TRUE(of && fd >= 0);
	for (int r = 0; r < mt_size; r++) {
		mt_fill(of, BYTES, (uint64_t)(round * 100 + r));
		for (int k = 0; k < BLOCKS; k++) {
			off_t at = ((off_t)k * mt_size + r) * BLOCK;

			MT_IS(pread(fd, got, BLOCK, at), BLOCK);
			MT_TRUE(!memcmp(got, of + (size_t)k * BLOCK, BLOCK));
		}
	}
	close(fd);
	free(of);
}

/* The first round allocates the file's pages, the others are mapped. */
static void rounds(void)
{
	MPI_File f = open_as(MPI_MODE_RDWR | MPI_MODE_CREATE);

	alternate(f);
	for (int i = 0; i < ROUNDS; i++) {
		write_all(f, i);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
		compare(i);
		read_all(f);
		MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	MT_OK(MPI_File_close(&f));
	f = open_as(MPI_MODE_RDONLY);
	alternate(f);
	read_all(f);
	MT_OK(MPI_File_close(&f));
}

/* Shortens the file to n bytes, as another program does. */
static void cut(off_t n)
{
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 0)
		MT_IS(truncate(path, n), 0);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Accesses that extend beyond the end of the file; `half` bytes are left. */
static void shorter(void)
{
	MPI_File f = open_as(MPI_MODE_RDWR);
	off_t half = (off_t)BLOCK * mt_size * (BLOCKS / 2) + 100;
	MPI_Status s;
	MPI_Offset size;

	alternate(f);
	write_all(f, 5); /* the file is mapped from here on */
	cut(half);
	MT_OK(MPI_File_read_at(f, 0, got, (int)BYTES, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE),
	      BLOCK * (BLOCKS / 2) + (mt_rank ? 0 : 100));
	MT_TRUE(!memcmp(data, got, (size_t)ft_count(&s, MPI_BYTE)));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	write_all(f, 6);
	MT_OK(MPI_File_get_size(f, &size));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_IS(size >= (MPI_Offset)BYTES * mt_size - BLOCK * mt_size, 1);
	compare(6);
	read_all(f);
	MT_OK(MPI_File_close(&f));
}

/* Long contiguous writes, also beyond the end of the file. */
static void contiguous(void)
{
	MPI_File f = open_as(MPI_MODE_RDWR);
	MPI_Offset at = (MPI_Offset)BYTES * mt_rank + 77;

	for (int i = 0; i < 2; i++) {
		mt_fill(data, BYTES, (uint64_t)(mt_rank + 9 + i));
		MT_OK(MPI_File_write_at_all(f, at, data, (int)BYTES, MPI_BYTE,
					    MPI_STATUS_IGNORE));
		MT_OK(MPI_File_read_at_all(f, at, got, (int)BYTES, MPI_BYTE,
					   MPI_STATUS_IGNORE));
		MT_TRUE(!memcmp(data, got, BYTES));
	}
	MT_OK(MPI_File_close(&f));
}

/* A mapped write changes the file's modification time, as write() does. */
static void change_time(void)
{
	const struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
	MPI_File f = open_as(MPI_MODE_RDWR);
	struct stat st;

	alternate(f);
	if (mt_rank == 0)
		MT_IS(utimensat(AT_FDCWD, path, old, 0), 0);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	write_all(f, 7);
	MT_OK(MPI_File_sync(f));
	MT_IS(stat(path, &st), 0);
	MT_TRUE(st.st_mtime > 1);
	MT_OK(MPI_File_close(&f));
}

static void bus_error(int sig)
{
	_exit(99);
}

/*
 * A buffer whose second half is not accessible, like the pages of a file that
 * is shortened during the copy: an error, also if the program handles SIGBUS.
 */
static void missing_memory(void)
{
	MPI_File f = open_as(MPI_MODE_RDWR);
	int fd = memfd_create("half", 0);
	struct sigaction old, own = { .sa_handler = bus_error };
	unsigned char *half;

	MT_IS(ftruncate(fd, BYTES / 2), 0);
	half = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MT_TRUE(half != MAP_FAILED);
	alternate(f);
	write_all(f, 8);
	for (int i = 0; i < 2; i++) {
		memset(half, 0, BYTES / 2);
		MT_TRUE(MPI_File_read_at(f, 0, half, (int)BYTES, MPI_BYTE,
					 MPI_STATUS_IGNORE) != MPI_SUCCESS);
		MT_TRUE(!memcmp(half, data, BLOCK));
		if (i == 0)
			sigaction(SIGBUS, &own, &old);
	}
	sigaction(SIGBUS, &old, NULL);
	munmap(half, BYTES);
	close(fd);
	MT_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	setenv("TMPDIR", "/dev/shm", 1);
	ft_name(path, "mapped");
	data = malloc(BYTES);
	got = malloc(BYTES);
	MT_TRUE(data && got);
	rounds();
	shorter();
	contiguous();
	change_time();
	missing_memory();
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 0)
		MT_IS(unlink(path), 0);
	free(data);
	free(got);
	return mt_end();
}
