/* SPDX-License-Identifier: BSD-3-Clause */
/* Error classes and texts of file errors. */
#include "src/file/file.h"

#include "src/core/core_state.h"
#include "src/diag/diag_errtext.h"
#include "src/msg/msg_req.h"
#include "src/recover/recover.h"

#include <errno.h>
#include <mpi-ext.h>
#include <stdio.h>

int weft_file_errno(const struct weft_file *f, int rc)
{
	return f && f->comm ? weft_recover_errno(f->comm, rc) : rc;
}

int weft_file_class(int rc)
{
	switch (-rc) {
	case ENOENT:
		return MPI_ERR_NO_SUCH_FILE;
	case EEXIST:
		return MPI_ERR_FILE_EXISTS;
	case EISDIR:
	case ENOTDIR:
	case ENAMETOOLONG:
	case ELOOP:
	case ENXIO:
	case ENODEV:
		return MPI_ERR_BAD_FILE;
	case EACCES:
	case EPERM:
		return MPI_ERR_ACCESS;
	case EROFS:
		return MPI_ERR_READ_ONLY;
	case ENOSPC:
	case EFBIG:
		return MPI_ERR_NO_SPACE;
	case EDQUOT:
		return MPI_ERR_QUOTA;
	case ETXTBSY:
	case EBUSY:
		return MPI_ERR_FILE_IN_USE;
	case ENOMEM:
		return MPI_ERR_NO_MEM;
	case ESPIPE:
	case EOPNOTSUPP:
	case ENOSYS:
		return MPI_ERR_UNSUPPORTED_OPERATION;
	case EHOSTUNREACH:
	case ECONNRESET:
	case ESHUTDOWN:
		return weft_core.survives ? MPIX_ERR_PROC_FAILED
					  : MPI_ERR_PROC_ABORTED;
	case WEFT_FILE_NOT_SAME:
		return MPI_ERR_NOT_SAME;
	case WEFT_FILE_CONVERSION:
		return MPI_ERR_CONVERSION;
	default:
		return MPI_ERR_IO;
	}
}

const char *weft_file_text(int rc)
{
	switch (-rc) {
	case WEFT_FILE_NOT_SAME:
		return "the members passed different arguments";
	case WEFT_FILE_CONVERSION:
		return "a conversion function of the data representation "
		       "failed";
	case EREMOTEIO:
		return "another rank failed in this collective call";
	case EHOSTUNREACH:
	case ECONNRESET:
	case ESHUTDOWN:
		return "a process of the file's communicator has ended";
	default:
		return strerror(-rc);
	}
}

int weft_file_code(const struct weft_file *f, int rc)
{
	char text[MPI_MAX_ERROR_STRING];

	rc = weft_file_errno(f, rc);
	snprintf(text, sizeof(text), "access to the file %.300s failed: %s",
		 f->path, weft_file_text(rc));
	return weft_errtext_store(weft_file_class(rc), text);
}

int weft_file_req_error(const struct weft_req *r, const struct weft_file *f)
{
	return r->error ? weft_err_call(f, r->ops->name, r->error) : 0;
}
