/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moving typed data. A position in a typed buffer is the number of packed bytes
 * before it: every call finds the address from that number by a few divisions,
 * so any range can be moved at any time, in any order, by any thread, and there
 * is no state between two pieces of a pipeline.
 */
#ifndef WEFT_TYPES_PACK_H
#define WEFT_TYPES_PACK_H

#include "src/types/types_dt.h"

#include <sys/uio.h>

/* count elements of dt at buf. */
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
 * Moves packed bytes [pos, pos + len) out of the typed buffer into dst, or
 * from src into it. Returns the bytes moved: less than len at the end.
 */
size_t weft_pack(const struct weft_typed *t, size_t pos, void *dst, size_t len);
size_t weft_unpack(const struct weft_typed *t, size_t pos, const void *src,
		   size_t len);

/*
 * Describes packed bytes from *pos on as at most n pieces of memory; advances
 * *pos past them and returns the number of pieces (0 at the end).
 */
int weft_pack_iov(const struct weft_typed *t, size_t *pos, struct iovec *iov,
		  int n);

/* Pieces that the whole buffer needs, counted up to limit; 0: no data. */
int weft_pack_pieces(const struct weft_typed *t, int limit);

/*
 * Copies typed data to typed data, as a send to self; the shorter side limits.
 * Returns the bytes moved.
 */
size_t weft_pack_copy(const struct weft_typed *dst,
		      const struct weft_typed *src);

/* The external32 form: big-endian, fixed sizes. Bytes per element of dt. */
MPI_Count weft_pack_ext_size(const struct weft_dt *dt);
size_t weft_pack_ext(const struct weft_typed *t, void *dst);
size_t weft_unpack_ext(const struct weft_typed *t, const void *src);

#endif
