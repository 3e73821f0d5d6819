/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts: positions and offsets (file_layout.h). */
#include "src/file/file_layout.h"

#include <limits.h>
#include <stdlib.h>

/* End of the range of offsets that a layout addresses, bytes. */
#define OFFSET_END ((MPI_Count)1 << 61)
/* number of pieces per call of weft_pack_iov() */
#define BATCH	   256

/* Returns the number of tiles whose bytes and offsets do not overflow. */
static MPI_Count tile_count(const struct weft_dt *dt)
{
	MPI_Count step = dt->extent > dt->size ? dt->extent : dt->size;

	return step > 0 ? OFFSET_END / step : 0;
}

/* Returns the bitwise OR of all piece boundaries below node n. */
static uint64_t node_grain(const struct weft_dtn *n)
{
	uint64_t bits = (uint64_t)n->off;

	switch (n->kind) {
	case WEFT_DTN_RUN:
		return bits | (uint64_t)n->len;
	case WEFT_DTN_VEC:
		return bits | (uint64_t)n->len | (uint64_t)n->stride;
	case WEFT_DTN_LOOP:
		return bits | (uint64_t)n->stride | node_grain(n->child);
	case WEFT_DTN_IDX:
		for (MPI_Count i = 0; i < n->count; i++)
			bits |= (uint64_t)n->part[i].off |
				(uint64_t)n->part[i + 1].pos;
		return bits;
	case WEFT_DTN_SEQ:
		for (MPI_Count i = 0; i < n->count; i++)
			bits |= (uint64_t)n->part[i].off |
				node_grain(n->seq[i]);
		return bits;
	}
	return 1;
}

struct file_layout *file_layout_open(struct weft_dt *dt, MPI_Offset disp)
{
	struct file_layout *l = calloc(1, sizeof(*l));
	struct weft_typed tile = { .dt = dt, .count = 1 };

	if (!l)
		return NULL;
	weft_store32_relaxed(&l->refs, 1); /* relaxed: not shared yet */
	l->dt = weft_dt_get(dt);
	l->disp = disp;
	l->contig = weft_dt_is_contig(dt);
	l->tiles_overlap = dt->extent < dt->true_extent;
	l->map = (struct weft_typed){ .dt = dt,
				      .buf = (void *)(uintptr_t)disp,
				      .count = tile_count(dt) };
	l->pieces = dt->size ? weft_pack_pieces(&tile, INT_MAX) : 0;
	l->grain =
		node_grain(&dt->root) | (uint64_t)dt->extent | (uint64_t)disp;
	return l;
}

struct file_layout *file_layout_get(struct file_layout *l)
{
	weft_add32(&l->refs, 1);
	return l;
}

void file_layout_close(struct file_layout *l)
{
	if (!l || weft_add32(&l->refs, UINT32_MAX) != 1)
		return;
	if (l->owned)
		free(l->dt);
	else
		weft_dt_put(l->dt);
	free(l);
}

void file_layout_find_overlaps(struct file_layout *l)
{
	const struct weft_typed tile = { l->dt, NULL, 1 };
	struct iovec piece[BATCH];
	uintptr_t end = 0;
	size_t pos = 0;
	int n;

	if (l->contig || !l->dt->size)
		return;
	while (!l->overlaps &&
	       (n = weft_pack_iov(&tile, &pos, piece, BATCH)) > 0)
		for (int i = 0; i < n; i++) {
			uintptr_t at = (uintptr_t)piece[i].iov_base;

			l->overlaps = l->overlaps || at < end;
			end = at + piece[i].iov_len;
		}
}

/* ---- positions and offsets ----------------------------------------------- */

/* Returns the piece at pos, with its offset as the address. */
static struct iovec piece_at(const struct weft_typed *t, size_t pos)
{
	struct iovec piece = { 0 };

	weft_pack_iov(t, &pos, &piece, 1);
	return piece;
}

MPI_Offset file_layout_offset(const struct file_layout *l, size_t pos)
{
	if (l->contig)
		return l->disp + l->dt->true_lb + (MPI_Offset)pos;
	return (MPI_Offset)(uintptr_t)piece_at(&l->map, pos).iov_base;
}

/*
 * Returns the number of data bytes of one tile that precede offset x in the
 * tile.
 */
static size_t tile_pos(const struct weft_dt *dt, MPI_Offset x)
{
	const struct weft_typed tile = { dt, NULL, 1 };
	size_t lo = 0, hi = (size_t)dt->size;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct iovec p = piece_at(&tile, mid);
		MPI_Offset at = (MPI_Offset)(uintptr_t)p.iov_base;

		if (at >= x)
			hi = mid;
		else if (at + (MPI_Offset)p.iov_len >= x)
			return mid + (size_t)(x - at);
		else
			lo = mid + p.iov_len;
	}
	return lo;
}

/*
 * As tile_pos(), for a tile whose pieces overlap: checks the pieces one after
 * the other.
 */
static size_t tile_first(const struct weft_dt *dt, MPI_Offset x)
{
	const struct weft_typed tile = { dt, NULL, 1 };
	size_t pos = 0;

	while (pos < (size_t)dt->size) {
		struct iovec p = piece_at(&tile, pos);
		MPI_Offset at = (MPI_Offset)(uintptr_t)p.iov_base;

		if (at + (MPI_Offset)p.iov_len > x)
			return at < x ? pos + (size_t)(x - at) : pos;
		pos += p.iov_len;
	}
	return pos;
}

/* Returns the first tile that has bytes at or beyond offset x of tile 0. */
static MPI_Offset first_tile(const struct file_layout *l, MPI_Offset x)
{
	const struct weft_dt *dt = l->dt;

	if (!l->tiles_overlap)
		return x / dt->extent;
	return x < dt->true_extent ? 0 : (x - dt->true_extent) / dt->extent + 1;
}

size_t file_layout_pos(const struct file_layout *l, MPI_Offset offset)
{
	const struct weft_dt *dt = l->dt;
	MPI_Offset x = offset - l->disp - dt->true_lb, tile;

	if (x <= 0 || !dt->size)
		return 0;
	if (l->contig)
		return (size_t)x;
	tile = first_tile(l, x);
	x += dt->true_lb - tile * dt->extent;
	return (size_t)(tile * dt->size) +
	       (l->overlaps ? tile_first(dt, x) : tile_pos(dt, x));
}

struct weft_typed file_layout_at(const struct file_layout *l, char *buf,
				 MPI_Offset base)
{
	struct weft_typed t = l->map;

	/* computed as an integer: the address may be outside of the buffer */
	t.buf = (void *)((uintptr_t)buf + (uintptr_t)l->disp - (uintptr_t)base);
	return t;
}
