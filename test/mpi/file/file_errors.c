/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of files: each wrong argument and state, and each failure of the
 * operating system that a test can cause. A failure at one rank of a collective
 * call is reported as an error at all ranks.
 */
#include "file_t.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define IS(call, class) MT_IS(mt_class(call), class)
#define RDWR_NEW	(MPI_MODE_CREATE | MPI_MODE_RDWR)

static int open_class(const char *path, int amode)
{
	MPI_File f = (MPI_File)&f;
	int err = MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &f);

	if (err)
		MT_TRUE(f == MPI_FILE_NULL);
	else
		MT_OK(MPI_File_close(&f));
	return mt_class(err);
}

/* ---- names and modes ----------------------------------------------------- */

static void names(void)
{
	char path[FT_PATH], part[2 * FT_PATH], longest[PATH_MAX + 100];

	ft_name(path, "errors");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	MT_IS(open_class(path, MPI_MODE_RDWR), MPI_ERR_NO_SUCH_FILE);
	MT_IS(open_class("/tmp", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
	MT_IS(open_class(longest, MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
	MT_IS(open_class("", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
	/* the file of a running program cannot be opened for writing */
	MT_IS(open_class("/proc/self/exe", MPI_MODE_WRONLY),
	      MPI_ERR_FILE_IN_USE);
	ft_fill(path, 10, 1);
	MT_IS(open_class(path, RDWR_NEW | MPI_MODE_EXCL), MPI_ERR_FILE_EXISTS);
	snprintf(part, sizeof(part), "%s/file", path);
	MT_IS(open_class(part, RDWR_NEW), MPI_ERR_BAD_FILE);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 0) {
		MT_OK(MPI_File_delete(path, MPI_INFO_NULL));
		IS(MPI_File_delete(path, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
	}
	IS(MPI_File_delete(NULL, MPI_INFO_NULL), MPI_ERR_ARG);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void modes(void)
{
	static const int wrong[] = {
		0,
		MPI_MODE_RDONLY | MPI_MODE_RDWR,
		MPI_MODE_RDONLY | MPI_MODE_CREATE,
		MPI_MODE_RDONLY | MPI_MODE_EXCL,
		MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
		MPI_MODE_RDWR | 1 << 20,
	};
	char path[FT_PATH];
	MPI_File f;

	ft_name(path, "modes");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		MT_IS(open_class(path, wrong[i]), MPI_ERR_AMODE);
	IS(MPI_File_open(MPI_COMM_NULL, path, RDWR_NEW, MPI_INFO_NULL, &f),
	   MPI_ERR_COMM);
	IS(MPI_File_open(MPI_COMM_WORLD, path, RDWR_NEW, MPI_INFO_NULL, NULL),
	   MPI_ERR_ARG);
	if (mt_size > 1)
		MT_IS(open_class(path,
				 MPI_MODE_CREATE | (mt_rank ? MPI_MODE_RDWR
							    : MPI_MODE_WRONLY)),
		      MPI_ERR_NOT_SAME);
	unlink(path);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/*
 * Creates files in a directory without write permission; root may write there.
 */
static void permissions(void)
{
	char path[FT_PATH], part[2 * FT_PATH];

	if (geteuid() == 0)
		return;
	ft_name(path, "permissions");
	if (mt_rank == 0)
		MT_IS(mkdir(path, 0500), 0);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	snprintf(part, sizeof(part), "%s/file", path);
	MT_IS(open_class(part, RDWR_NEW), MPI_ERR_ACCESS);
	if (mt_rank == 0)
		rmdir(path);
}

/* ---- states -------------------------------------------------------------- */

static void read_only(void)
{
	char path[FT_PATH], b[4] = "";
	MPI_Request r;
	MPI_File f;

	ft_name(path, "read-only");
	ft_fill(path, 100, 1);
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY,
			    MPI_INFO_NULL, &f));
	IS(MPI_File_write(f, b, 4, MPI_BYTE, MPI_STATUS_IGNORE),
	   MPI_ERR_READ_ONLY);
	IS(MPI_File_write_all(f, b, 4, MPI_BYTE, MPI_STATUS_IGNORE),
	   MPI_ERR_READ_ONLY);
	IS(MPI_File_iwrite_shared(f, b, 4, MPI_BYTE, &r), MPI_ERR_READ_ONLY);
	IS(MPI_File_set_size(f, 10), MPI_ERR_READ_ONLY);
	IS(MPI_File_preallocate(f, 10), MPI_ERR_READ_ONLY);
	MT_OK(MPI_File_close(&f));
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path,
			    MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
			    MPI_INFO_NULL, &f));
	IS(MPI_File_read(f, b, 4, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
	IS(MPI_File_read_ordered(f, b, 4, MPI_BYTE, MPI_STATUS_IGNORE),
	   MPI_ERR_ACCESS);
	MT_OK(MPI_File_close(&f));
	IS(MPI_File_close(&f), MPI_ERR_FILE);
}

static void sequential(void)
{
	char path[FT_PATH], b[4] = "";
	MPI_Offset at;
	MPI_File f;

	ft_name(path, "sequential");
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path,
			    MPI_MODE_CREATE | MPI_MODE_WRONLY |
				    MPI_MODE_SEQUENTIAL |
				    MPI_MODE_DELETE_ON_CLOSE,
			    MPI_INFO_NULL, &f));
	IS(MPI_File_write(f, b, 4, MPI_BYTE, MPI_STATUS_IGNORE),
	   MPI_ERR_UNSUPPORTED_OPERATION);
	IS(MPI_File_write_at(f, 0, b, 4, MPI_BYTE, MPI_STATUS_IGNORE),
	   MPI_ERR_UNSUPPORTED_OPERATION);
	IS(MPI_File_seek(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
	IS(MPI_File_seek_shared(f, 0, MPI_SEEK_SET),
	   MPI_ERR_UNSUPPORTED_OPERATION);
	IS(MPI_File_get_position(f, &at), MPI_ERR_UNSUPPORTED_OPERATION);
	IS(MPI_File_get_position_shared(f, &at), MPI_ERR_UNSUPPORTED_OPERATION);
	IS(MPI_File_get_byte_offset(f, 0, &at), MPI_ERR_UNSUPPORTED_OPERATION);
	IS(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
	   MPI_ERR_ARG);
	MT_OK(MPI_File_write_shared(f, b, 4, MPI_BYTE, MPI_STATUS_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE,
				"native", MPI_INFO_NULL));
	MT_OK(MPI_File_write_ordered(f, b, 4, MPI_BYTE, MPI_STATUS_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_get_size(f, &at));
	MT_IS(at, 8 * mt_size);
	MT_OK(MPI_File_close(&f));
}

static void split(MPI_File f)
{
	char b[4] = "";
	MPI_Status s;

	IS(MPI_File_write_all_end(f, b, &s), MPI_ERR_IO);
	MT_OK(MPI_File_write_all_begin(f, b, 4, MPI_BYTE));
	IS(MPI_File_write_all_begin(f, b, 4, MPI_BYTE), MPI_ERR_IO);
	IS(MPI_File_read_all(f, b, 4, MPI_BYTE, &s), MPI_ERR_IO);
	IS(MPI_File_read_all_end(f, b, &s), MPI_ERR_IO);
	IS(MPI_File_write_at_all_end(f, b, &s), MPI_ERR_IO);
	IS(MPI_File_set_size(f, 0), MPI_ERR_IO);
	IS(MPI_File_sync(f), MPI_ERR_IO);
	IS(MPI_File_close(&f), MPI_ERR_IO);
	MT_OK(MPI_File_write_all_end(f, b, &s));
	MT_IS(ft_count(&s, MPI_BYTE), 4);
}

/* ---- arguments ----------------------------------------------------------- */

static void accesses(MPI_File f)
{
	MPI_Datatype open;
	MPI_Status s;
	int b[4];

	MT_OK(MPI_Type_contiguous(2, MPI_INT, &open));
	IS(MPI_File_read_at(f, -1, b, 1, MPI_INT, &s), MPI_ERR_ARG);
	IS(MPI_File_read_at(f, INT64_MAX, b, 1, MPI_INT, &s), MPI_ERR_ARG);
	IS(MPI_File_read_at(f, 0, b, -1, MPI_INT, &s), MPI_ERR_COUNT);
	IS(MPI_File_read_at(f, 0, NULL, 1, MPI_INT, &s), MPI_ERR_BUFFER);
	IS(MPI_File_read_at(f, 0, b, 1, MPI_DATATYPE_NULL, &s), MPI_ERR_TYPE);
	IS(MPI_File_read_at(f, 0, b, 1, open, &s), MPI_ERR_TYPE);
	IS(MPI_File_read(MPI_FILE_NULL, b, 1, MPI_INT, &s), MPI_ERR_FILE);
	IS(MPI_File_read((MPI_File)open, b, 1, MPI_INT, &s), MPI_ERR_FILE);
	IS(MPI_File_iread(f, b, 1, MPI_INT, NULL), MPI_ERR_ARG);
	MT_OK(MPI_Type_free(&open));
}

static void pointers(MPI_File f)
{
	IS(MPI_File_seek(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
	IS(MPI_File_seek(f, 0, 12345), MPI_ERR_ARG);
	IS(MPI_File_seek_shared(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
	IS(MPI_File_seek_shared(f, 0, 12345), MPI_ERR_ARG);
	IS(MPI_File_get_position(f, NULL), MPI_ERR_ARG);
	IS(MPI_File_get_byte_offset(f, -1, NULL), MPI_ERR_ARG);
	IS(MPI_File_set_size(f, -1), MPI_ERR_ARG);
	IS(MPI_File_preallocate(f, -1), MPI_ERR_ARG);
	IS(MPI_File_set_info(f, (MPI_Info)f), MPI_ERR_INFO);
	if (mt_size > 1) {
		IS(MPI_File_set_size(f, mt_rank), MPI_ERR_NOT_SAME);
		IS(MPI_File_preallocate(f, mt_rank), MPI_ERR_NOT_SAME);
		IS(MPI_File_set_atomicity(f, mt_rank == 0), MPI_ERR_NOT_SAME);
		IS(MPI_File_seek_shared(f, mt_rank, MPI_SEEK_SET),
		   MPI_ERR_NOT_SAME);
	}
}

static int view_class(MPI_File f, MPI_Offset disp, MPI_Datatype etype,
		      MPI_Datatype type, const char *rep)
{
	return mt_class(
		MPI_File_set_view(f, disp, etype, type, rep, MPI_INFO_NULL));
}

static void views(MPI_File f)
{
	const int lens[2] = { 1, 1 }, down[2] = { 4, 0 }, twice[2] = { 0, 0 };
	const int before[2] = { -2, 1 };
	MPI_Datatype t[3];

	MT_OK(MPI_Type_indexed(2, lens, down, MPI_INT, &t[0]));
	MT_OK(MPI_Type_indexed(2, lens, twice, MPI_INT, &t[1]));
	MT_OK(MPI_Type_indexed(2, lens, before, MPI_INT, &t[2]));
	MT_IS(view_class(f, 0, MPI_INT, t[0], "native"), MPI_ERR_TYPE);
	for (int i = 0; i < 3; i++) {
		MT_OK(MPI_Type_commit(&t[i]));
		MT_IS(view_class(f, 0, MPI_INT, t[i], "native"), MPI_ERR_IO);
		MT_OK(MPI_Type_free(&t[i]));
	}
	MT_IS(view_class(f, -2, MPI_INT, MPI_INT, "native"), MPI_ERR_ARG);
	MT_IS(view_class(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT,
			 "native"),
	      MPI_ERR_ARG);
	MT_IS(view_class(f, 0, MPI_DOUBLE, MPI_INT, "native"), MPI_ERR_TYPE);
	MT_IS(view_class(f, 0, MPI_INT, MPI_INT, "other"),
	      MPI_ERR_UNSUPPORTED_DATAREP);
	MT_IS(view_class(f, 0, MPI_INT, MPI_INT, NULL), MPI_ERR_ARG);
	/* an error on one rank is reported on all ranks */
	MT_TRUE(view_class(f, mt_rank ? 0 : -2, MPI_INT, MPI_INT, "native"));
	MT_OK(view_class(f, 0, MPI_INT, MPI_INT, "native"));
	IS(MPI_File_write_at(f, 0, "ab", 2, MPI_BYTE, MPI_STATUS_IGNORE),
	   MPI_ERR_TYPE);
}

/* ---- failures of the operating system ------------------------------------ */

/* The ints of the ranks alternate; aggregators write them together. */
static void set_interleaved(MPI_File f)
{
	MPI_Datatype t;

	MT_OK(MPI_Type_create_resized(MPI_INT, 0, 4 * mt_size, &t));
	MT_OK(MPI_Type_commit(&t));
	MT_OK(MPI_File_set_view(f, 4 * mt_rank, MPI_INT, t, "native",
				MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&t));
}

static void full_disk(void)
{
	int b[100] = { 0 };
	MPI_Request r;
	MPI_Status s;
	MPI_File f;

	if (access("/dev/full", W_OK))
		return;
	MT_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY,
			    MPI_INFO_NULL, &f));
	IS(MPI_File_write(f, b, 100, MPI_INT, &s), MPI_ERR_NO_SPACE);
	IS(MPI_File_write_all(f, b, 100, MPI_INT, &s), MPI_ERR_NO_SPACE);
	set_interleaved(f);
	IS(MPI_File_write_all(f, b, 100, MPI_INT, &s), MPI_ERR_NO_SPACE);
	MT_OK(MPI_File_iwrite_all(f, b, 100, MPI_INT, &r));
	IS(MPI_Wait(&r, &s), MPI_ERR_NO_SPACE);
	MT_OK(MPI_File_iwrite(f, b, 100, MPI_INT, &r));
	IS(MPI_Wait(&r, &s), MPI_ERR_NO_SPACE);
	MT_OK(MPI_File_write_all_begin(f, b, 100, MPI_INT));
	IS(MPI_File_write_all_end(f, b, &s), MPI_ERR_NO_SPACE);
	MT_OK(MPI_File_close(&f));
}

/* Exceeding the file size limit returns an error instead of raising SIGXFSZ. */
static void size_limit(void)
{
	struct rlimit old, low;
	char path[FT_PATH], b[3000];
	MPI_Status s;
	MPI_Offset size;
	MPI_File f;

	MT_IS(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = old;
	low.rlim_cur = 4096;
	MT_IS(setrlimit(RLIMIT_FSIZE, &low), 0);
	f = ft_open(path, "limit", MPI_INFO_NULL);
	mt_fill(b, sizeof(b), 3);
	MT_OK(MPI_File_write_at_all(f, 0, b, 3000, MPI_BYTE, &s));
	IS(MPI_File_write_at(f, 2000, b, 3000, MPI_BYTE, &s), MPI_ERR_NO_SPACE);
	IS(MPI_File_write_at_all(f, 4096, b, 3000, MPI_BYTE, &s),
	   MPI_ERR_NO_SPACE);
	IS(MPI_File_set_size(f, 5000), MPI_ERR_NO_SPACE);
	IS(MPI_File_preallocate(f, 5000), MPI_ERR_NO_SPACE);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_get_size(f, &size));
	MT_IS(size, 4096);
	MT_IS(setrlimit(RLIMIT_FSIZE, &old), 0);
	MT_OK(MPI_File_close(&f));
}

/* Another program shortens the file. */
static void shrinking_file(void)
{
	char path[FT_PATH], b[1000];
	MPI_File f = ft_open(path, "shrink", MPI_INFO_NULL);
	MPI_Status s;

	mt_fill(b, sizeof(b), 3);
	MT_OK(MPI_File_write_at_all(f, 0, b, 1000, MPI_BYTE, &s));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 0)
		MT_IS(truncate(path, 300), 0);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_read_at_all(f, 0, b, 1000, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), 300);
	MT_OK(MPI_File_read_at(f, 300, b, 1000, MPI_BYTE, &s));
	MT_IS(ft_count(&s, MPI_BYTE), 0);
	MT_OK(MPI_File_close(&f));
}

/* The file to delete no longer exists, which is an error on all ranks. */
static void deleted_file(void)
{
	char path[FT_PATH];
	MPI_File f = ft_open(path, "deleted", MPI_INFO_NULL);

	if (mt_rank == 0)
		MT_IS(unlink(path), 0);
	IS(MPI_File_close(&f), MPI_ERR_NO_SUCH_FILE);
	MT_TRUE(f == MPI_FILE_NULL);
}

int main(int argc, char **argv)
{
	char path[FT_PATH];
	MPI_File f;

	mt_begin(&argc, &argv);
	names();
	modes();
	permissions();
	read_only();
	sequential();
	f = ft_open(path, "arguments", MPI_INFO_NULL);
	split(f);
	accesses(f);
	pointers(f);
	views(f);
	MT_OK(MPI_File_close(&f));
	full_disk();
	size_limit();
	shrinking_file();
	deleted_file();
	return mt_end();
}
