/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files about MPI files. */
#ifndef WEFT_MPI_FILE_H
#define WEFT_MPI_FILE_H

#include "src/core/core_state.h"
#include "src/file/file.h"
#include "src/mpi/mpi_check.h"

/* Raises MPI_ERR_FILE for an invalid handle. */
int mpi_file_bad(const char *func, int arg, MPI_File handle) WEFT_COLD;

static inline int mpi_check_file(const char *func, int arg, MPI_File handle,
				 struct weft_file **file_p)
{
	*file_p = weft_file_of(handle);
	return weft_likely(*file_p != NULL) && weft_running()
		       ? 0
		       : mpi_file_bad(func, arg, handle);
}

/* Gets the owner of the error handler, also of MPI_FILE_NULL. */
int mpi_check_file_owner(const char *func, int arg, MPI_File handle,
			 struct weft_err_owner **owner_p);

/* Raises the failure -errno of a call on f; NULL: on MPI_FILE_NULL. */
int mpi_file_fail(const struct weft_file *f, const char *func,
		  int rc) WEFT_COLD;

static inline int mpi_file_rc(const struct weft_file *f, const char *func,
			      int rc)
{
	return weft_likely(rc == 0) ? MPI_SUCCESS : mpi_file_fail(f, func, rc);
}

/* Raise an error if the file is sequential (seek) or read-only (write). */
int mpi_check_file_seek(const struct weft_file *f, const char *func);
int mpi_check_file_write(const struct weft_file *f, const char *func);
/* Raises MPI_ERR_IO if a split collective is in progress. */
int mpi_check_file_split(const struct weft_file *f, const char *func);

#endif
