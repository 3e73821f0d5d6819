/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes: at explicit offsets, with the individual and with the
 * shared file pointer; independent and collective; blocking, nonblocking and
 * split.
 */
#include "src/mpi/mpi_export.h"

#include "src/core/core_state.h"
#include "src/mpi/file/mpi_file.h"
#include "src/msg/msg_req.h"
#include "src/msg/msg_status.h"
#include "src/msg/msg_wait.h"

#include <errno.h>

/* How an access finds its position. */
enum where {
	AT,	 /* explicit offset, argument 2 */
	POINTER, /* individual file pointer */
	SHARED,	 /* shared file pointer */
	ORDERED, /* shared file pointer, in the order of ranks */
};

/* A call as the application describes it. */
struct call {
	struct mpi_msg m;
	MPI_File fh;
	enum where where;
	MPI_Offset offset; /* AT only */
	bool write;
	bool collective;
};

/* Largest position in a file, bytes. */
#define POSITION_MAX ((MPI_Offset)1 << 60)

/* ---- checks -------------------------------------------------------------- */

static int check_mode(const struct call *c, const struct weft_file *f)
{
	int err = c->write ? mpi_check_file_write(f, c->m.func) : 0;

	if (!err && !c->write && f->amode & MPI_MODE_WRONLY)
		err = weft_err_arg(f, c->m.func, MPI_ERR_ACCESS, 0,
				   "the file was opened with MPI_MODE_WRONLY");
	if (!err && (c->where == AT || c->where == POINTER))
		err = mpi_check_file_seek(f, c->m.func);
	if (!err && c->collective)
		err = mpi_check_file_split(f, c->m.func);
	return err;
}

static int check_offset(const struct call *c, const struct weft_file *f)
{
	if (c->where != AT)
		return 0;
	if (c->offset < 0)
		return weft_err_arg(f, c->m.func, MPI_ERR_ARG, 2,
				    "negative offset %lld",
				    (long long)c->offset);
	if (f->view.etype_bytes &&
	    c->offset > POSITION_MAX / f->view.etype_bytes)
		return weft_err_arg(f, c->m.func, MPI_ERR_ARG, 2,
				    "offset %lld exceeds the largest file",
				    (long long)c->offset);
	return 0;
}

/* Checks a call and fills *a, except the offset. n_p: number of etypes. */
static int check(struct call *c, struct weft_file_access *a, MPI_Offset *n_p)
{
	struct weft_file *f;
	int err = mpi_check_file(c->m.func, 1, c->fh, &f);

	if (!err)
		err = check_mode(c, f);
	if (!err)
		err = check_offset(c, f);
	if (!err)
		err = mpi_check_data(&c->m, f);
	if (err)
		return err;
	*a = (struct weft_file_access){
		.f = f,
		.write = c->write,
		.mem = { c->m.dt, (void *)(uintptr_t)c->m.buf, c->m.count }
	};
	*n_p = weft_file_etypes(f, &a->mem);
	if (*n_p >= 0)
		return 0;
	return weft_err_arg(f, c->m.func, MPI_ERR_TYPE, c->m.arg + 2,
			    "the data does not consist of whole etypes");
}

/* ---- positions ----------------------------------------------------------- */

/* Sets the position, and advances the file pointer past the n etypes. */
static int find_position(const struct call *c, struct weft_file_access *a,
			 MPI_Offset n)
{
	switch (c->where) {
	case AT:
		a->offset = c->offset;
		return 0;
	case POINTER:
		a->offset = weft_file_advance(a->f, n);
		return 0;
	case SHARED:
		return weft_file_shared_advance(a->f, n, &a->offset);
	case ORDERED:
		return weft_file_shared_ordered(a->f, n, &a->offset);
	}
	return -EINVAL;
}

static int prepare(struct call *c, struct weft_file_access *a)
{
	MPI_Offset n;
	int err = check(c, a, &n);

	return err ? err : mpi_file_rc(a->f, c->m.func, find_position(c, a, n));
}

/* ---- calls --------------------------------------------------------------- */

static void set_status(MPI_Status *status, MPI_Count bytes)
{
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, bytes);
}

/* Blocking calls. */
static int access_now(struct call c, MPI_Status *status)
{
	struct weft_file_access a;
	MPI_Count bytes = 0;
	int err = prepare(&c, &a), rc;

	if (err)
		return err;
	rc = c.collective ? weft_file_access_all(&a, &bytes)
			  : weft_file_access(&a, &bytes);
	set_status(status, bytes);
	return mpi_file_rc(a.f, c.m.func, rc);
}

/* Nonblocking calls. */
static int access_later(struct call c, MPI_Request *request)
{
	struct weft_file_access a;
	struct weft_req *r;
	MPI_Offset n;
	int err = check(&c, &a, &n), rc;

	if (!err)
		err = weft_check_ptr(a.f, c.m.func, c.m.arg + 3, request,
				     "request");
	if (err)
		return err;
	rc = find_position(&c, &a, n);
	if (!rc)
		rc = c.collective ? weft_file_iaccess_all(&a, &r)
				  : weft_file_iaccess(&a, &r);
	if (!rc)
		*request = (MPI_Request)r;
	return mpi_file_rc(a.f, c.m.func, rc);
}

/* ---- split collectives --------------------------------------------------- */

/* Returns a number > 0 that identifies a kind of split collective. */
static int split_kind(enum where where, bool write)
{
	return 1 + 2 * (int)where + write;
}

static int access_begin(struct call c)
{
	struct weft_file_access a;
	int err = prepare(&c, &a), rc;

	if (err)
		return err;
	rc = weft_file_iaccess_all(&a, &a.f->split);
	if (!rc)
		a.f->split_kind = split_kind(c.where, c.write);
	return mpi_file_rc(a.f, c.m.func, rc);
}

static int access_end(const char *func, MPI_File fh, enum where where,
		      bool write, MPI_Status *status)
{
	struct weft_file *f;
	struct weft_req *r;
	int err = mpi_check_file(func, 1, fh, &f);

	if (err)
		return err;
	if (!f->split || f->split_kind != split_kind(where, write))
		return weft_err_arg(f, func, MPI_ERR_IO, 0,
				    "the matching split collective access was "
				    "not begun");
	r = f->split;
	weft_req_wait(r);
	f->split = NULL;
	set_status(status, r->bytes);
	/*
	 * no error handler is called here: the request's query function calls
	 * it
	 */
	return weft_req_collect(&r, MPI_STATUS_IGNORE);
}

/* The arguments that all functions have; n: the position of buf. */
#define CALL(n, place, wr, all)                                          \
	(struct call)                                                    \
	{                                                                \
		.m = { .func = __func__,                                 \
		       .arg = n,                                         \
		       .buf = buf,                                       \
		       .count = count,                                   \
		       .type = datatype },                               \
		.fh = fh, .where = place, .write = wr, .collective = all \
	}
#define CALL_AT(wr, all)                                              \
	(struct call)                                                 \
	{                                                             \
		.m = { .func = __func__,                              \
		       .arg = 3,                                      \
		       .buf = buf,                                    \
		       .count = count,                                \
		       .type = datatype },                            \
		.fh = fh, .where = AT, .offset = offset, .write = wr, \
		.collective = all                                     \
	}

#pragma weak MPI_File_read_at_all_end = PMPI_File_read_at_all_end
int PMPI_File_read_at_all_end(MPI_File fh, void *buf, MPI_Status *status)
{
	MPI_ENTER;

	(void)buf;
	return access_end(__func__, fh, AT, false, status);
}

#pragma weak MPI_File_read_all_end = PMPI_File_read_all_end
int PMPI_File_read_all_end(MPI_File fh, void *buf, MPI_Status *status)
{
	MPI_ENTER;

	(void)buf;
	return access_end(__func__, fh, POINTER, false, status);
}

#pragma weak MPI_File_read_ordered_end = PMPI_File_read_ordered_end
int PMPI_File_read_ordered_end(MPI_File fh, void *buf, MPI_Status *status)
{
	MPI_ENTER;

	(void)buf;
	return access_end(__func__, fh, ORDERED, false, status);
}

#pragma weak MPI_File_write_at_all_end = PMPI_File_write_at_all_end
int PMPI_File_write_at_all_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	MPI_ENTER;

	(void)buf;
	return access_end(__func__, fh, AT, true, status);
}

#pragma weak MPI_File_write_all_end = PMPI_File_write_all_end
int PMPI_File_write_all_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	MPI_ENTER;

	(void)buf;
	return access_end(__func__, fh, POINTER, true, status);
}

#pragma weak MPI_File_write_ordered_end = PMPI_File_write_ordered_end
int PMPI_File_write_ordered_end(MPI_File fh, const void *buf,
				MPI_Status *status)
{
	MPI_ENTER;

	(void)buf;
	return access_end(__func__, fh, ORDERED, true, status);
}

#define MPI_BODY "src/mpi/file/mpi_file_access_body.inc"
#include "src/mpi/mpi_both_counts.h"
