/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: open and close, sizes, hints, atomic mode, and shared checks. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/file/mpi_file.h"
#include "src/offload/offload_device.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------- */

int mpi_file_bad(const char *func, int arg, MPI_File handle)
{
	if (!weft_running())
		return weft_check_comm_bad(func, arg, MPI_COMM_NULL);
	if (handle == MPI_FILE_NULL)
		return weft_err_arg(&weft_file_null, func, MPI_ERR_FILE, arg,
				    "file is MPI_FILE_NULL");
	return weft_err_arg(&weft_file_null, func, MPI_ERR_FILE, arg,
			    "invalid file %p", (void *)handle);
}

int mpi_check_file_owner(const char *func, int arg, MPI_File handle,
			 struct weft_err_owner **owner_p)
{
	struct weft_file *f;
	int err = 0;

	*owner_p = &weft_file_null;
	if (handle == MPI_FILE_NULL)
		return 0;
	err = mpi_check_file(func, arg, handle, &f);
	if (!err)
		*owner_p = &f->head;
	return err;
}

int mpi_file_fail(const struct weft_file *f, const char *func, int rc)
{
	if (!f)
		return weft_err_arg(&weft_file_null, func, weft_file_class(rc),
				    0, "%s", weft_file_text(rc));
	rc = weft_file_errno(f, rc);
	return weft_err_arg(f, func, weft_file_class(rc), 0, "%.300s: %s",
			    f->path, weft_file_text(rc));
}

int mpi_check_file_seek(const struct weft_file *f, const char *func)
{
	if (!(f->amode & MPI_MODE_SEQUENTIAL))
		return 0;
	return weft_err_arg(f, func, MPI_ERR_UNSUPPORTED_OPERATION, 0,
			    "the file was opened with MPI_MODE_SEQUENTIAL");
}

int mpi_check_file_write(const struct weft_file *f, const char *func)
{
	if (!(f->amode & MPI_MODE_RDONLY))
		return 0;
	return weft_err_arg(f, func, MPI_ERR_READ_ONLY, 0,
			    "the file was opened with MPI_MODE_RDONLY");
}

int mpi_check_file_split(const struct weft_file *f, const char *func)
{
	if (!f->split)
		return 0;
	return weft_err_arg(f, func, MPI_ERR_IO, 0,
			    "a split collective access is in progress");
}

/* ---- open, close, delete ------------------------------------------------- */

#define AMODE_ACCESS (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY)
#define AMODE_ALL                                          \
	(AMODE_ACCESS | MPI_MODE_CREATE | MPI_MODE_EXCL |  \
	 MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN | \
	 MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND)

/* Returns why the mode is invalid, or NULL. */
static const char *amode_error(int amode)
{
	int access = amode & AMODE_ACCESS;

	if (amode & ~AMODE_ALL)
		return "unknown bits";
	if (access != MPI_MODE_RDONLY && access != MPI_MODE_RDWR &&
	    access != MPI_MODE_WRONLY)
		return "exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and "
		       "MPI_MODE_WRONLY is needed";
	if (access == MPI_MODE_RDONLY &&
	    amode & (MPI_MODE_CREATE | MPI_MODE_EXCL))
		return "MPI_MODE_RDONLY excludes MPI_MODE_CREATE and "
		       "MPI_MODE_EXCL";
	if (access == MPI_MODE_RDWR && amode & MPI_MODE_SEQUENTIAL)
		return "MPI_MODE_RDWR excludes MPI_MODE_SEQUENTIAL";
	return NULL;
}

static int check_amode(const char *func, int amode)
{
	const char *why = amode_error(amode);

	return why ? weft_err_arg(&weft_file_null, func, MPI_ERR_AMODE, 3,
				  "invalid mode %d: %s", amode, why)
		   : 0;
}

static int check_path(const char *func, int arg, const char *path)
{
	int err = weft_check_ptr(&weft_file_null, func, arg, path, "filename");

	if (err || *path)
		return err;
	return weft_err_arg(&weft_file_null, func, MPI_ERR_BAD_FILE, arg,
			    "filename is empty");
}

/* Gets the communicator; errors call the handler of MPI_FILE_NULL. */
static int check_comm(const char *func, MPI_Comm comm,
		      struct weft_comm **comm_p)
{
	*comm_p = weft_comm_of(comm);
	if (!weft_running())
		return weft_check_comm_bad(func, 1, comm);
	if (!*comm_p)
		return weft_err_arg(&weft_file_null, func, MPI_ERR_COMM, 1,
				    "invalid communicator %p", (void *)comm);
	if ((*comm_p)->inter)
		return weft_err_arg(&weft_file_null, func, MPI_ERR_COMM, 1,
				    "communicator is an intercommunicator");
	return 0;
}

#pragma weak MPI_File_open = PMPI_File_open
int PMPI_File_open(MPI_Comm comm, const char *filename, int amode,
		   MPI_Info info, MPI_File *fh)
{
	MPI_ENTER;
	struct weft_comm *c;
	struct weft_file *f;
	int err = check_comm(__func__, comm, &c), rc;

	if (fh)
		*fh = MPI_FILE_NULL;
	if (!err)
		err = check_path(__func__, 2, filename);
	if (!err)
		err = check_amode(__func__, amode);
	if (!err)
		err = mpi_check_info(&weft_file_null, __func__, 4, info);
	if (!err)
		err = weft_check_ptr(&weft_file_null, __func__, 5, fh, "fh");
	if (err)
		return err;
	rc = weft_file_open(c, filename, amode, weft_info_of(info), &f);
	if (rc)
		return weft_err_arg(&weft_file_null, __func__,
				    weft_file_class(rc), 0, "%.300s: %s",
				    filename, weft_file_text(rc));
	*fh = weft_file_handle(f);
	return MPI_SUCCESS;
}

#pragma weak MPI_File_close = PMPI_File_close
int PMPI_File_close(MPI_File *fh)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = weft_check_ptr(&weft_file_null, __func__, 1, fh, "fh"), rc;

	if (!err)
		err = mpi_check_file(__func__, 1, *fh, &f);
	if (!err)
		err = mpi_check_file_split(f, __func__);
	if (err)
		return err;
	weft_file_get(f); /* the error handler needs the file after the close */
	rc = weft_file_close(f);
	*fh = MPI_FILE_NULL;
	err = mpi_file_rc(f, __func__, rc);
	weft_file_put(f);
	return err;
}

#pragma weak MPI_File_delete = PMPI_File_delete
int PMPI_File_delete(const char *filename, MPI_Info info)
{
	MPI_ENTER;
	int err, rc;

	if (!weft_running())
		return weft_check_comm_bad(__func__, 0, MPI_COMM_NULL);
	err = check_path(__func__, 1, filename);
	if (!err)
		err = mpi_check_info(&weft_file_null, __func__, 2, info);
	if (err)
		return err;
	rc = weft_file_delete(filename);
	return rc ? weft_err_arg(&weft_file_null, __func__, weft_file_class(rc),
				 0, "%.300s: %s", filename, weft_file_text(rc))
		  : MPI_SUCCESS;
}

/* ---- sizes --------------------------------------------------------------- */

static int check_size(const char *func, MPI_File fh, MPI_Offset size,
		      struct weft_file **file_p)
{
	int err = mpi_check_file(func, 1, fh, file_p);

	if (!err && size < 0)
		err = weft_err_arg(*file_p, func, MPI_ERR_ARG, 2,
				   "negative size %lld", (long long)size);
	if (!err)
		err = mpi_check_file_write(*file_p, func);
	if (!err)
		err = mpi_check_file_seek(*file_p, func);
	return err ? err : mpi_check_file_split(*file_p, func);
}

#pragma weak MPI_File_set_size = PMPI_File_set_size
int PMPI_File_set_size(MPI_File fh, MPI_Offset size)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = check_size(__func__, fh, size, &f);

	return err ? err
		   : mpi_file_rc(f, __func__, weft_file_size_set(f, size));
}

#pragma weak MPI_File_preallocate = PMPI_File_preallocate
int PMPI_File_preallocate(MPI_File fh, MPI_Offset size)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = check_size(__func__, fh, size, &f);

	return err ? err
		   : mpi_file_rc(f, __func__, weft_file_preallocate(f, size));
}

#pragma weak MPI_File_get_size = PMPI_File_get_size
int PMPI_File_get_size(MPI_File fh, MPI_Offset *size)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = weft_check_ptr(f, __func__, 2, size, "size");
	return err ? err : mpi_file_rc(f, __func__, weft_file_size(f, size));
}

/* ---- queries ------------------------------------------------------------- */

#pragma weak MPI_File_get_amode = PMPI_File_get_amode
int PMPI_File_get_amode(MPI_File fh, int *amode)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = weft_check_ptr(f, __func__, 2, amode, "amode");
	if (!err)
		*amode = f->amode;
	return err;
}

#pragma weak MPI_File_get_group = PMPI_File_get_group
int PMPI_File_get_group(MPI_File fh, MPI_Group *group)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = weft_check_ptr(f, __func__, 2, group, "group");
	if (!err)
		*group = weft_obj_handle(&weft_group_get(f->comm->group)->obj);
	return err;
}

#pragma weak MPI_File_set_info = PMPI_File_set_info
int PMPI_File_set_info(MPI_File fh, MPI_Info info)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = mpi_check_info(f, __func__, 2, info);
	if (!err)
		err = mpi_check_file_split(f, __func__);
	return err ? err
		   : mpi_file_rc(f, __func__,
				 weft_file_hint(f, weft_info_of(info)));
}

#pragma weak MPI_File_get_info = PMPI_File_get_info
int PMPI_File_get_info(MPI_File fh, MPI_Info *info_used)
{
	MPI_ENTER;
	struct weft_file *f;
	struct weft_info *info;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = weft_check_ptr(f, __func__, 2, info_used, "info_used");
	if (err)
		return err;
	info = weft_file_info(f);
	if (!info || weft_device_info(info)) {
		weft_info_close(info);
		return mpi_file_rc(f, __func__, -ENOMEM);
	}
	*info_used = weft_info_handle(info);
	return MPI_SUCCESS;
}

/* ---- consistency --------------------------------------------------------- */

#pragma weak MPI_File_set_atomicity = PMPI_File_set_atomicity
int PMPI_File_set_atomicity(MPI_File fh, int flag)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = mpi_check_file_split(f, __func__);
	return err ? err
		   : mpi_file_rc(f, __func__,
				 weft_file_atomic_set(f, flag != 0));
}

#pragma weak MPI_File_get_atomicity = PMPI_File_get_atomicity
int PMPI_File_get_atomicity(MPI_File fh, int *flag)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = weft_check_ptr(f, __func__, 2, flag, "flag");
	if (!err)
		*flag = f->atomic;
	return err;
}

#pragma weak MPI_File_sync = PMPI_File_sync
int PMPI_File_sync(MPI_File fh)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = mpi_check_file_split(f, __func__);
	return err ? err : mpi_file_rc(f, __func__, weft_file_sync(f));
}
