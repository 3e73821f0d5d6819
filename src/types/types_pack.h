/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing of typed data. A position in a typed buffer is the number of packed
 * bytes before it. Every call computes the address from the position by a few
 * divisions, so any thread can move any range, in any order, and there is no
 * state between two pieces of a pipeline.
 */
#ifndef WEFT_TYPES_PACK_H
#define WEFT_TYPES_PACK_H

#include "src/types/types_dt.h"

#include <sys/uio.h>

/* A typed buffer: count elements of dt at buf. */
struct weft_typed {
	const struct weft_dt *dt;
	void *buf;
	MPI_Count count;
};

static inline size_t weft_typed_bytes(const struct weft_typed *t)
{
	return (size_t)(t->count * t->dt->size);
}

/*
 * Pack bytes [pos, pos + len) of the typed buffer into dst, or unpack them from
 * src. Return the number of bytes moved, less than len at the end of the data.
 */
size_t weft_pack(const struct weft_typed *t, size_t pos, void *dst, size_t len);
size_t weft_unpack(const struct weft_typed *t, size_t pos, const void *src,
		   size_t len);

/*
 * Describes packed bytes, starting at *pos, as at most n pieces of memory;
 * advances *pos past them and returns the number of pieces (0 at the end).
 */
int weft_pack_iov(const struct weft_typed *t, size_t *pos, struct iovec *iov,
		  int n);

/* Returns the number of contiguous pieces, at most limit; 0: no data. */
int weft_pack_pieces(const struct weft_typed *t, int limit);

/*
 * Copies typed data to typed data, like a send to self, up to the length of the
 * shorter side. Returns the number of bytes moved.
 */
size_t weft_pack_copy(const struct weft_typed *dst,
		      const struct weft_typed *src);

/*
 * Packing in external32: big-endian numbers of fixed sizes.
 * weft_pack_ext_size() returns the number of bytes per element of dt.
 */
MPI_Count weft_pack_ext_size(const struct weft_dt *dt);
size_t weft_pack_ext(const struct weft_typed *t, void *dst);
size_t weft_unpack_ext(const struct weft_typed *t, const void *src);

#endif
