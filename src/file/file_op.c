/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses in progress (file_op.h), and independent blocking accesses. */
#include "src/file/file_op.h"

#include "src/file/file_guard.h"
#include "src/file/file_layout.h"
#include "src/file/file_rep.h"
#include "src/offload/offload_device.h"

#include <errno.h>
#include <stdlib.h>

/* ---- device memory ------------------------------------------------------- */

/* Replaces device memory by host memory with the same layout. */
static int device_open(struct file_op *op, bool write)
{
	op->device = op->user;
	op->host_copy = weft_device_host_alloc(&op->device, &op->user);
	if (!op->host_copy)
		return -ENOMEM;
	return write ? weft_device_copy(&op->user, &op->device) : 0;
}

/* Copies the first `bytes` bytes of the data that was read to device memory. */
static int device_store(const struct file_op *op, size_t bytes)
{
	char *packed = malloc(bytes + 1);
	int rc = packed ? 0 : -ENOMEM;

	if (!rc) {
		weft_pack(&op->user, 0, packed, bytes);
		rc = weft_device_unpack(&op->device, 0, packed, bytes);
	}
	free(packed);
	return rc;
}

/* ---- preparation --------------------------------------------------------- */

MPI_Offset weft_file_etypes(const struct weft_file *f,
			    const struct weft_typed *mem)
{
	MPI_Count bytes = mem->count * mem->dt->size;
	MPI_Count etype = f->view.etype->size;

	if (!bytes)
		return 0;
	return bytes % etype ? -1 : bytes / etype;
}

/*
 * Prepares the conversion: allocates the buffer and, for a write, converts the
 * application's data to the file's representation.
 */
static int convert_open(struct file_op *op, const struct weft_file_rep *rep)
{
	struct file_range *r = &op->range;
	int rc =
		weft_file_rep_type(rep, (struct weft_dt *)op->user.dt, &op->dt);

	if (rc)
		return rc;
	op->rep = rep;
	r->bytes = (size_t)(op->user.count * op->dt->size);
	op->converted = malloc(r->bytes ? r->bytes : 1);
	if (!op->converted)
		return -ENOMEM;
	r->mem = (struct weft_typed){ weft_dt_of(MPI_BYTE), op->converted,
				      (MPI_Count)r->bytes };
	return r->write ? file_rep_write(rep, &op->user, op->converted) : 0;
}

int file_op_open(struct file_op *op, const struct weft_file_access *a)
{
	struct weft_file *f = a->f;
	int rc = 0;

	*op = (struct file_op){ .user = a->mem };
	weft_file_get(f);
	weft_dt_get((struct weft_dt *)a->mem.dt);
	op->range = (struct file_range){
		.f = f,
		.layout = file_layout_get(f->view.layout),
		.write = a->write,
		.pos = (size_t)(a->offset * f->view.etype_bytes),
		.bytes = weft_typed_bytes(&a->mem),
	};
	if (op->range.bytes && weft_device_has(&a->mem))
		rc = device_open(op, a->write);
	op->range.mem = op->user;
	if (!rc && file_rep_converts(f->view.rep))
		rc = convert_open(op, f->view.rep);
	if (!f->view.layout->dt->size)
		/* a view without data has no bytes to access */
		op->range.bytes = 0;
	if (rc)
		file_op_close(op);
	return rc;
}

/* ---- end ----------------------------------------------------------------- */

/* Returns the number of whole elements in the bytes that were moved. */
static MPI_Count whole_elements(const struct file_op *op)
{
	return op->dt->size ? (MPI_Count)op->range.done / op->dt->size : 0;
}

/*
 * Converts the data that was read. Returns the number of bytes in memory, or
 * -errno.
 */
static MPI_Count convert_finish(const struct file_op *op)
{
	struct weft_typed part = op->user;
	int rc;

	part.count = whole_elements(op);
	rc = op->range.write ? 0 : file_rep_read(op->rep, &part, op->converted);
	return rc ? rc : part.count * part.dt->size;
}

MPI_Count file_op_finish(struct file_op *op)
{
	MPI_Count bytes =
		op->rep ? convert_finish(op) : (MPI_Count)op->range.done;
	int rc = 0;

	if (op->host_copy && !op->range.write && bytes > 0)
		rc = device_store(op, (size_t)bytes);
	return rc ? rc : bytes;
}

void file_op_close(struct file_op *op)
{
	free(op->converted);
	free(op->host_copy);
	if (op->dt)
		weft_dt_put(op->dt);
	weft_dt_put((struct weft_dt *)op->user.dt);
	file_layout_close(op->range.layout);
	weft_file_put(op->range.f);
}

/* ---- blocking accesses --------------------------------------------------- */

int weft_file_access(const struct weft_file_access *a, MPI_Count *bytes_p)
{
	struct file_op op;
	int rc = file_op_open(&op, a), rc2;
	MPI_Count bytes;

	*bytes_p = 0;
	if (rc)
		return rc;
	rc = file_guarded_move(&op.range);
	bytes = file_op_finish(&op);
	rc2 = bytes < 0 ? (int)bytes : 0;
	if (!rc2)
		*bytes_p = bytes;
	file_op_close(&op);
	return rc ? rc : rc2;
}
