/* SPDX-License-Identifier: BSD-3-Clause */
/* Views, file pointers and data representations. */
#include "src/mpi/mpi_export.h"

#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/file/mpi_file.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <string.h>

/* ---- views --------------------------------------------------------------- */

static int check_type(const struct weft_file *f, const char *func, int arg,
		      MPI_Datatype type, struct weft_dt **dt_p)
{
	struct mpi_msg m = { .func = func,
			     .arg = arg - 2,
			     .buf = &m, /* not an argument: any valid address */
			     .count = 1,
			     .type = type };
	int err = mpi_check_data(&m, f);

	*dt_p = m.dt;
	return err;
}

static int check_filetype(const struct weft_file *f, const char *func,
			  const struct weft_file_view_args *a)
{
	static const char *const text[] = {
		[WEFT_FILE_TYPE_ETYPE] =
			"the filetype does not consist of whole etypes",
		[WEFT_FILE_TYPE_NEGATIVE] =
			"the filetype has negative displacements",
		[WEFT_FILE_TYPE_ORDER] =
			"the displacements of the filetype decrease",
		[WEFT_FILE_TYPE_OVERLAP] =
			"parts of the filetype overlap, and the file is "
			"written",
	};
	enum weft_file_type_error e =
		weft_file_type_check(f, a->etype, a->filetype);

	return e ? weft_err_arg(f, func,
				e == WEFT_FILE_TYPE_ETYPE ? MPI_ERR_TYPE
							  : MPI_ERR_IO,
				4, "%s", text[e])
		 : 0;
}

/* Checks the displacement; MPI_DISPLACEMENT_CURRENT is replaced later. */
static int check_disp(const struct weft_file *f, const char *func,
		      MPI_Offset disp)
{
	bool sequential = f->amode & MPI_MODE_SEQUENTIAL;

	if (disp == MPI_DISPLACEMENT_CURRENT && !sequential)
		return weft_err_arg(
			f, func, MPI_ERR_ARG, 2,
			"displacement MPI_DISPLACEMENT_CURRENT needs a file "
			"with MPI_MODE_SEQUENTIAL");
	if (disp != MPI_DISPLACEMENT_CURRENT && sequential)
		return weft_err_arg(f, func, MPI_ERR_ARG, 2,
				    "a file with MPI_MODE_SEQUENTIAL needs "
				    "MPI_DISPLACEMENT_CURRENT");
	if (disp < 0 && !sequential)
		return weft_err_arg(f, func, MPI_ERR_ARG, 2,
				    "negative displacement %lld",
				    (long long)disp);
	return 0;
}

static int check_rep(const struct weft_file *f, const char *func,
		     const char *name, const struct weft_file_rep **rep_p)
{
	int err = weft_check_ptr(f, func, 5, name, "datarep");

	if (err)
		return err;
	*rep_p = weft_file_rep_find(name);
	return *rep_p ? 0
		      : weft_err_arg(f, func, MPI_ERR_UNSUPPORTED_DATAREP, 5,
				     "unknown data representation \"%.60s\"",
				     name);
}

/*
 * The members agree on whether the arguments of all are valid, so that an error
 * of one member is an error of all.
 */
static int agree(struct weft_file *f, const char *func, int err)
{
	int rc = weft_file_agree(f, err ? -EREMOTEIO : 0);

	return err ? err : mpi_file_rc(f, func, rc);
}

#pragma weak MPI_File_set_view = PMPI_File_set_view
int PMPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
		       MPI_Datatype filetype, const char *datarep,
		       MPI_Info info)
{
	MPI_ENTER;
	struct weft_file_view_args a = { .disp = disp };
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (err)
		return err;
	err = mpi_check_file_split(f, __func__);
	if (!err)
		err = check_disp(f, __func__, disp);
	if (!err)
		err = check_type(f, __func__, 3, etype, &a.etype);
	if (!err)
		err = check_type(f, __func__, 4, filetype, &a.filetype);
	if (!err)
		err = check_rep(f, __func__, datarep, &a.rep);
	if (!err)
		err = mpi_check_info(f, __func__, 6, info);
	if (!err)
		err = check_filetype(f, __func__, &a);
	err = agree(f, __func__, err);
	if (!err && disp == MPI_DISPLACEMENT_CURRENT)
		err = mpi_file_rc(f, __func__,
				  weft_file_shared_byte(f, &a.disp));
	if (!err)
		err = mpi_file_rc(f, __func__,
				  weft_file_hint(f, weft_info_of(info)));
	return err ? err : mpi_file_rc(f, __func__, weft_file_view_set(f, &a));
}

#pragma weak MPI_File_get_view = PMPI_File_get_view
int PMPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype,
		       MPI_Datatype *filetype, char *datarep)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = weft_check_ptr(f, __func__, 2, disp, "disp");
	if (!err)
		err = weft_check_ptr(f, __func__, 3, etype, "etype");
	if (!err)
		err = weft_check_ptr(f, __func__, 4, filetype, "filetype");
	if (!err)
		err = weft_check_ptr(f, __func__, 5, datarep, "datarep");
	if (err)
		return err;
	*disp = f->view.disp;
	/*
	 * the application frees these handles, except those of predefined types
	 */
	*etype = weft_dt_handle(weft_dt_get(f->view.etype));
	*filetype = weft_dt_handle(weft_dt_get(f->view.filetype));
	strcpy(datarep, weft_file_rep_name(f->view.rep));
	return MPI_SUCCESS;
}

#pragma weak MPI_File_get_byte_offset = PMPI_File_get_byte_offset
int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = mpi_check_file_seek(f, __func__);
	if (!err && offset < 0)
		err = weft_err_arg(f, __func__, MPI_ERR_ARG, 2,
				   "negative offset %lld", (long long)offset);
	if (!err)
		err = weft_check_ptr(f, __func__, 3, disp, "disp");
	if (!err)
		*disp = weft_file_byte_offset(f, offset);
	return err;
}

/* ---- file pointers ------------------------------------------------------- */

static int check_whence(const struct weft_file *f, const char *func, int whence)
{
	if (whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR ||
	    whence == MPI_SEEK_END)
		return 0;
	return weft_err_arg(f, func, MPI_ERR_ARG, 3,
			    "%d is not MPI_SEEK_SET, MPI_SEEK_CUR or "
			    "MPI_SEEK_END",
			    whence);
}

static int negative_position(const struct weft_file *f, const char *func)
{
	return weft_err_arg(f, func, MPI_ERR_ARG, 2,
			    "the position would be negative");
}

#pragma weak MPI_File_seek = PMPI_File_seek
int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence)
{
	MPI_ENTER;
	struct weft_file *f;
	MPI_Offset base = 0;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = mpi_check_file_seek(f, __func__);
	if (!err)
		err = check_whence(f, __func__, whence);
	if (!err && whence == MPI_SEEK_CUR)
		base = weft_file_advance(f, 0);
	if (!err && whence == MPI_SEEK_END)
		err = mpi_file_rc(f, __func__, weft_file_end(f, &base));
	if (err)
		return err;
	if (base + offset < 0)
		return negative_position(f, __func__);
	weft_file_advance(f, base + offset - weft_file_advance(f, 0));
	return MPI_SUCCESS;
}

#pragma weak MPI_File_get_position = PMPI_File_get_position
int PMPI_File_get_position(MPI_File fh, MPI_Offset *offset)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = mpi_check_file_seek(f, __func__);
	if (!err)
		err = weft_check_ptr(f, __func__, 2, offset, "offset");
	if (!err)
		*offset = weft_file_advance(f, 0);
	return err;
}

#pragma weak MPI_File_seek_shared = PMPI_File_seek_shared
int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f), rc;

	if (!err)
		err = mpi_check_file_seek(f, __func__);
	if (!err)
		err = check_whence(f, __func__, whence);
	if (err)
		return err;
	rc = weft_file_shared_seek(f, offset, whence);
	return rc == -EINVAL ? negative_position(f, __func__)
			     : mpi_file_rc(f, __func__, rc);
}

#pragma weak MPI_File_get_position_shared = PMPI_File_get_position_shared
int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset)
{
	MPI_ENTER;
	struct weft_file *f;
	int err = mpi_check_file(__func__, 1, fh, &f);

	if (!err)
		err = mpi_check_file_seek(f, __func__);
	if (!err)
		err = weft_check_ptr(f, __func__, 2, offset, "offset");
	return err ? err
		   : mpi_file_rc(f, __func__,
				 weft_file_shared_advance(f, 0, offset));
}

/* ---- data representations ------------------------------------------------ */

/* Gets the extent of a type in the file. */
static int type_extent(const char *func, MPI_File fh, MPI_Datatype datatype,
		       const void *out, MPI_Count *extent_p)
{
	struct weft_file *f;
	struct weft_dt *dt, *in_file;
	int err = mpi_check_file(func, 1, fh, &f), rc;

	if (!err)
		err = check_type(f, func, 2, datatype, &dt);
	if (!err)
		err = weft_check_ptr(f, func, 3, out, "extent");
	if (err)
		return err;
	rc = weft_file_rep_type(f->view.rep, dt, &in_file);
	if (rc)
		return mpi_file_rc(f, func, rc);
	*extent_p = in_file->extent;
	weft_dt_put(in_file);
	return 0;
}

/*
 * Registers a data representation, given by either the int or the MPI_Count
 * form of its functions.
 */
static int register_rep(const char *func, const struct weft_file_rep_args *a)
{
	int err, rc;

	if (!weft_running())
		return weft_check_comm_bad(func, 0, MPI_COMM_NULL);
	err = weft_check_ptr(&weft_file_null, func, 1, a->name, "datarep");
	if (!err && !a->extent)
		err = weft_check_ptr_bad(&weft_file_null, func, 4,
					 "dtype_file_extent_fn");
	if (!err && (!*a->name || strlen(a->name) >= MPI_MAX_DATAREP_STRING))
		err = weft_err_arg(&weft_file_null, func, MPI_ERR_ARG, 1,
				   "the name is empty or longer than %d",
				   MPI_MAX_DATAREP_STRING - 1);
	if (err)
		return err;
	rc = weft_file_rep_register(a);
	if (rc == -EEXIST)
		return weft_err_arg(&weft_file_null, func, MPI_ERR_DUP_DATAREP,
				    1, "\"%s\" is registered already", a->name);
	return mpi_file_rc(NULL, func, rc);
}

#pragma weak MPI_Register_datarep = PMPI_Register_datarep
int PMPI_Register_datarep(const char *datarep,
			  MPI_Datarep_conversion_function *read_conversion_fn,
			  MPI_Datarep_conversion_function *write_conversion_fn,
			  MPI_Datarep_extent_function *dtype_file_extent_fn,
			  void *extra_state)
{
	MPI_ENTER;
	const struct weft_file_rep_args a = { .name = datarep,
					      .read = read_conversion_fn,
					      .write = write_conversion_fn,
					      .extent = dtype_file_extent_fn,
					      .extra = extra_state };

	return register_rep(__func__, &a);
}

#pragma weak MPI_Register_datarep_c = PMPI_Register_datarep_c
int PMPI_Register_datarep_c(
	const char *datarep,
	MPI_Datarep_conversion_function_c *read_conversion_fn,
	MPI_Datarep_conversion_function_c *write_conversion_fn,
	MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
	MPI_ENTER;
	const struct weft_file_rep_args a = { .name = datarep,
					      .read_c = read_conversion_fn,
					      .write_c = write_conversion_fn,
					      .extent = dtype_file_extent_fn,
					      .extra = extra_state };

	return register_rep(__func__, &a);
}

#define MPI_BODY "src/mpi/file/mpi_file_view_body.inc"
#include "src/mpi/mpi_both_counts.h"
