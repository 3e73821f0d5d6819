/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: checks of filetypes, and the exchange of layouts. All members know the
 * layouts of all others, because an aggregator of a collective access computes
 * the offsets of their data.
 */
#include "src/file/file_view.h"

#include "src/comm/comm_channel.h"
#include "src/file/file_layout.h"
#include "src/file/file_plan.h"
#include "src/file/file_rep.h"
#include "src/msg/msg_progress.h"

#include <errno.h>
#include <stdlib.h>

#define BATCH 256

/* ---- checks -------------------------------------------------------------- */

/* Checks one piece; *last: start of the previous piece, *end: its end. */
static enum weft_file_type_error check_piece(const struct iovec *piece,
					     bool write, uintptr_t *last,
					     uintptr_t *end)
{
	uintptr_t at = (uintptr_t)piece->iov_base;

	if ((MPI_Aint)at < 0)
		return WEFT_FILE_TYPE_NEGATIVE;
	if (at < *last)
		return WEFT_FILE_TYPE_ORDER;
	if (at < *end && write)
		return WEFT_FILE_TYPE_OVERLAP;
	*last = at;
	*end = at + piece->iov_len;
	return WEFT_FILE_TYPE_OK;
}

static enum weft_file_type_error check_pieces(const struct weft_dt *dt,
					      bool write)
{
	const struct weft_typed tile = { dt, NULL, 1 };
	struct iovec piece[BATCH];
	uintptr_t last = 0, end = 0;
	enum weft_file_type_error err = WEFT_FILE_TYPE_OK;
	size_t pos = 0;
	int n;

	while (!err && (n = weft_pack_iov(&tile, &pos, piece, BATCH)) > 0)
		for (int i = 0; i < n && !err; i++)
			err = check_piece(&piece[i], write, &last, &end);
	return err;
}

enum weft_file_type_error weft_file_type_check(const struct weft_file *f,
					       struct weft_dt *etype,
					       struct weft_dt *filetype)
{
	bool write = !(f->amode & MPI_MODE_RDONLY);

	if (!etype->size || filetype->size % etype->size)
		return WEFT_FILE_TYPE_ETYPE;
	if (!filetype->size)
		return WEFT_FILE_TYPE_OK;
	if (filetype->true_lb < 0)
		return WEFT_FILE_TYPE_NEGATIVE;
	/*
	 * overlapping tiles are accepted if the extent is positive, since many
	 * filetypes are used for one tile only
	 */
	if (filetype->extent <= 0)
		return WEFT_FILE_TYPE_ORDER;
	return weft_dt_is_contig(filetype) ? WEFT_FILE_TYPE_OK
					   : check_pieces(filetype, write);
}

/* ---- layouts of the members ---------------------------------------------- */

static void members_close(struct file_layout **member, int n)
{
	for (int i = 0; member && i < n; i++)
		file_layout_close(member[i]);
	free(member);
}

/* Gathers the sizes of the encoded layouts; *max_p: the largest of them. */
static int gather_sizes(struct weft_file *f, uint64_t *size, uint64_t *max_p)
{
	struct weft_channel m = weft_channel_of(f->control);
	int rc = weft_channel_allgather(&m, size, sizeof(*size));

	*max_p = 0;
	for (int i = 0; i < f->comm->size; i++)
		*max_p = size[i] > *max_p ? size[i] : *max_p;
	return rc;
}

static int decode_all(struct weft_file *f, const char *all,
		      const uint64_t *size, uint64_t max,
		      struct file_layout **member)
{
	int rc = 0;

	for (int i = 0; i < f->comm->size && !rc; i++)
		rc = file_layout_decode(all + (size_t)i * (size_t)max,
					(size_t)size[i], &member[i]);
	return rc;
}

/* Gathers the encoded layouts in blocks of `max` bytes. */
static int gather_layouts(struct weft_file *f, const struct file_layout *mine,
			  uint64_t *size, struct file_layout **member)
{
	uint64_t max;
	char *all;
	int rc;

	size[f->comm->rank] = file_layout_size(mine);
	rc = gather_sizes(f, size, &max);
	if (rc)
		return rc;
	all = calloc((size_t)f->comm->size, (size_t)max);
	rc = weft_file_agree(f, all ? 0 : -ENOMEM);
	if (!rc) {
		struct weft_channel m = weft_channel_of(f->control);

		file_layout_encode(mine,
				   all + (size_t)f->comm->rank * (size_t)max);
		rc = weft_channel_allgather(&m, all, (size_t)max);
	}
	if (!rc)
		rc = decode_all(f, all, size, max, member);
	free(all);
	return weft_file_agree(f, rc);
}

/* Returns whether any member has gaps in its view. */
static bool any_has_gaps(const struct weft_file *f)
{
	for (int i = 0; f->member && i < f->comm->size; i++)
		if (!f->member[i]->contig)
			return true;
	return !f->member && !f->view.layout->contig;
}

static int members_set(struct weft_file *f, const struct file_layout *mine)
{
	size_t n = (size_t)f->comm->size;
	struct file_layout **member;
	uint64_t *size;
	int rc;

	if (n == 1)
		return 0;
	member = calloc(n, sizeof(struct file_layout *));
	size = calloc(n, sizeof(*size));
	rc = weft_file_agree(f, member && size ? 0 : -ENOMEM);
	if (!rc)
		rc = gather_layouts(f, mine, size, member);
	free(size);
	if (rc) {
		members_close(member, (int)n);
		return rc;
	}
	members_close(f->member, (int)n);
	f->member = member;
	return 0;
}

/* ---- setting ------------------------------------------------------------- */

static void view_drop(struct file_view *v)
{
	file_layout_close(v->layout);
	if (v->dt)
		weft_dt_put(v->dt);
	if (v->etype)
		weft_dt_put(v->etype);
	if (v->filetype)
		weft_dt_put(v->filetype);
}

void file_view_close(struct weft_file *f)
{
	members_close(f->member, f->comm ? f->comm->size : 0);
	f->member = NULL;
	view_drop(&f->view);
	f->view = (struct file_view){ 0 };
}

/* Builds the view of this member, which holds references to the types. */
static int view_make(const struct weft_file *f, struct file_view *v,
		     const struct weft_file_view_args *a)
{
	struct weft_dt *e = NULL;
	int rc = weft_file_rep_type(a->rep, a->etype, &e);

	*v = (struct file_view){ .disp = a->disp, .rep = a->rep };
	if (!rc) {
		v->etype_bytes = e->size;
		weft_dt_put(e);
		rc = weft_file_rep_type(a->rep, a->filetype, &v->dt);
	}
	if (rc)
		return rc;
	v->layout = file_layout_open(v->dt, a->disp);
	if (!v->layout) {
		weft_dt_put(v->dt);
		return -ENOMEM;
	}
	if (f->amode & MPI_MODE_RDONLY)
		file_layout_find_overlaps(v->layout);
	v->etype = weft_dt_get(a->etype);
	v->filetype = weft_dt_get(a->filetype);
	return 0;
}

/*
 * Waits for the collective accesses in progress, which use the layouts of all
 * members. All members have started them before this collective call. MPI does
 * not allow a change of the view while accesses are in progress, but programs
 * exist that do this.
 */
static void drain(struct weft_file *f)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	while (weft_load32(&f->coll_done) != weft_load32(&f->coll_started))
		weft_idle_pass(&w);
}

int file_view_open(struct weft_file *f)
{
	struct weft_dt *byte = weft_dt_of(MPI_BYTE);
	const struct weft_file_view_args a = { 0, byte, byte,
					       weft_file_rep_find("native") };
	int rc = view_make(f, &f->view, &a);

	if (rc)
		f->view = (struct file_view){ 0 };
	else
		file_plan_view_set(f);
	return rc;
}

int weft_file_view_set(struct weft_file *f, const struct weft_file_view_args *a)
{
	struct file_view v;
	int rc = view_make(f, &v, a), agreed = weft_file_agree(f, rc);

	drain(f);
	if (!agreed)
		agreed = members_set(f, v.layout);
	if (agreed) {
		if (!rc)
			view_drop(&v);
		return agreed;
	}
	view_drop(&f->view);
	f->view = v;
	f->pointer = 0;
	f->locks = any_has_gaps(f);
	file_plan_view_set(f);
	return weft_file_shared_set(f, 0);
}

/* ---- queries ------------------------------------------------------------- */

MPI_Offset weft_file_byte_offset(const struct weft_file *f, MPI_Offset etype)
{
	const struct file_view *v = &f->view;

	return file_layout_offset(v->layout, (size_t)(etype * v->etype_bytes));
}

int weft_file_end(struct weft_file *f, MPI_Offset *etypes_p)
{
	MPI_Count etype = f->view.etype_bytes;
	MPI_Offset size;
	int rc = weft_file_size(f, &size);

	*etypes_p = 0;
	if (!rc && etype)
		*etypes_p = ((MPI_Offset)file_layout_pos(f->view.layout, size) +
			     etype - 1) /
			    etype;
	return rc;
}

MPI_Offset weft_file_advance(struct weft_file *f, MPI_Offset n)
{
	MPI_Offset old;

	pthread_mutex_lock(&f->lock);
	old = f->pointer;
	f->pointer += n;
	pthread_mutex_unlock(&f->lock);
	return old;
}
