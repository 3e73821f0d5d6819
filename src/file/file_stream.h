/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between typed buffers, at any position of each. */
#ifndef WEFT_FILE_STREAM_H
#define WEFT_FILE_STREAM_H

#include "src/types/types_pack.h"

static inline bool file_stream_is_run(const struct weft_typed *t)
{
	return weft_dt_is_run(t->dt, t->count);
}

/* Returns the address of byte pos of a typed buffer that is one run. */
static inline char *file_stream_at(const struct weft_typed *t, size_t pos)
{
	return (char *)t->buf + t->dt->true_lb + pos;
}

static inline void file_stream_copy(const struct weft_typed *to, size_t to_pos,
				    const struct weft_typed *from,
				    size_t from_pos, size_t bytes)
{
	char tmp[8192];
	size_t n;

	if (file_stream_is_run(to)) {
		weft_pack(from, from_pos, file_stream_at(to, to_pos), bytes);
		return;
	}
	if (file_stream_is_run(from)) {
		weft_unpack(to, to_pos, file_stream_at(from, from_pos), bytes);
		return;
	}
	for (; bytes; bytes -= n, to_pos += n, from_pos += n) {
		n = bytes < sizeof(tmp) ? bytes : sizeof(tmp);
		weft_pack(from, from_pos, tmp, n);
		weft_unpack(to, to_pos, tmp, n);
	}
}

#endif
