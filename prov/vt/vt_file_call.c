/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's file access in virtual time; vt_file.c has the engine's part. */
#include "prov/vt/vt.h"

#include <string.h>

static_assert(sizeof(struct vt_file) <= VT_BUF_BYTES, "fits any buffer");

static bool file_done(const struct vt *v)
{
	return v->w->cold_of[v->rank].files_done == v->files;
}

int vt_file_access(struct weft_carrier *c, uint64_t bytes, bool write)
{
	struct vt *v = vt_of(c);
	struct vt_file m = { .bytes = bytes, .write = write };
	struct vt_buf *b;
	uint32_t i;
	int ret;

	/*
	 * not modelled for a rank with several threads, since the access would
	 * block all of them
	 */
	if (!v->w->cfg.io_nodes || v->out || v->threads)
		return 0;
	i = vt_buf_get(v);
	if (i == VT_NONE)
		return -EAGAIN;
	vt_enter(v);
	b = vt_buf(v->w, i);
	b->kind = VT_FILE;
	b->from = b->to = v->rank;
	b->attr = (struct weft_pkt_attr){ 0 };
	b->by_interface = 0;
	b->stamp = vt_time(v);
	memcpy(b->payload, &m, sizeof(m));
	v->last_to = VT_NONE;
	v->files++;
	vt_post(v, i);
	ret = vt_block_until(v, file_done);
	vt_exit(v);
	return ret;
}
