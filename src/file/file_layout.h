/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of a view: the map from the stream of data bytes to offsets of the
 * file. The filetype repeats without end from the displacement on:
 *
 *   stream     0 1 2 3 | 4 5 6 7 | ...            (tiles of 4 data bytes)
 *   file   disp: 01..23..|45..67..| ...           (extent of 8 bytes)
 *
 * The datatype walk in types_pack.c computes the pieces: the map is a typed
 * buffer whose addresses are file offsets. Offsets normally do not decrease
 * with the position, so a bisection computes the inverse. A layout is also sent
 * to the other members, so that an aggregator can compute which bytes of a
 * member are in its part of the file without receiving a list of pieces.
 *
 * Offsets decrease where tiles overlap (the extent is smaller than the true
 * extent, as in filetypes that are used for one tile only), and where pieces of
 * a tile overlap, which is allowed only if the file is not written. Such ranges
 * are accessed piece by piece (file_layout_is_ordered()).
 */
#ifndef WEFT_FILE_LAYOUT_H
#define WEFT_FILE_LAYOUT_H

#include "src/base/atomic.h"
#include "src/types/types_pack.h"

struct file_layout {
	struct weft_typed map; /* buf: the displacement as an address */
	struct weft_dt *dt;
	MPI_Offset disp;
	MPI_Count pieces; /* number of contiguous pieces of a tile */
	/* bitwise OR of all boundaries between pieces */
	uint64_t grain;
	bool contig; /* the stream is one run of bytes of the file */
	bool owned;  /* dt was decoded and is not reference-counted */
	/* pieces of a tile overlap; file_layout_find_overlaps() sets this */
	bool overlaps;
	bool tiles_overlap;
	weft_au32 refs;
};

/* Creates the layout; holds a reference on dt. NULL: out of memory. */
struct file_layout *file_layout_open(struct weft_dt *dt, MPI_Offset disp);
/*
 * An access in progress holds a reference, which it drops by
 * file_layout_close().
 */
struct file_layout *file_layout_get(struct file_layout *l);
void file_layout_close(struct file_layout *l);
/*
 * Sets l->overlaps if pieces of a tile overlap, which is allowed only if the
 * file is not written.
 */
void file_layout_find_overlaps(struct file_layout *l);

/* Returns the offset of byte `pos` of the stream. */
MPI_Offset file_layout_offset(const struct file_layout *l, size_t pos);
/*
 * Returns the number of bytes of the stream before the first byte that is at or
 * beyond this offset of the file.
 */
size_t file_layout_pos(const struct file_layout *l, MPI_Offset offset);

/*
 * Returns whether the file offsets of the `len` bytes that begin at position
 * pos increase.
 */
static inline bool file_layout_is_ordered(const struct file_layout *l,
					  size_t pos, size_t len)
{
	return !l->overlaps &&
	       (!l->tiles_overlap || pos + len <= (size_t)l->dt->size);
}

/* Returns the offset after the last of `len` bytes from pos on; len > 0. */
static inline MPI_Offset file_layout_end(const struct file_layout *l,
					 size_t pos, size_t len)
{
	return file_layout_offset(l, pos + len - 1) + 1;
}

/* Returns the typed buffer in which offset `base` of the file is at buf. */
struct weft_typed file_layout_at(const struct file_layout *l, char *buf,
				 MPI_Offset base);

/*
 * Encode a layout for another process, and decode it. file_layout_size()
 * returns the number of bytes. file_layout_decode() returns 0, -EPROTO for
 * invalid data, or -ENOMEM.
 */
size_t file_layout_size(const struct file_layout *l);
void file_layout_encode(const struct file_layout *l, void *to);
int file_layout_decode(const void *from, size_t bytes,
		       struct file_layout **layout_p);

#endif
