/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Composition of a type from other types, read by the walk over basic elements.
 * The composition owns the references and arrays. For types_dt*.c only.
 */
#ifndef WEFT_TYPES_DT_MAP_H
#define WEFT_TYPES_DT_MAP_H

#include "src/types/types_dt.h"

enum weft_dt_map_kind {
	WEFT_MAP_VECTOR, /* count blocks of blocklen elements of old[0] */
	WEFT_MAP_BLOCKS, /* count blocks of individual lengths */
	WEFT_MAP_ALIAS,	 /* old[0] with other bounds */
};

struct weft_dt_map {
	enum weft_dt_map_kind kind;
	bool same; /* old[0] is used for all blocks */
	MPI_Count count;
	MPI_Count blocklen;
	/* BLOCKS: block lengths; NULL: all blocks have length blocklen */
	MPI_Count *len;
	MPI_Count olds;
	struct weft_dt **old;  /* component types, with a reference on each */
	struct weft_dtn *node; /* inner nodes of the description */
	struct weft_dtn_part *part;
	const struct weft_dtn **seq;
};

/* Creates a map for olds types; NULL: out of memory. */
struct weft_dt_map *weft_dt_map_open(enum weft_dt_map_kind kind,
				     MPI_Count olds);
/* Drops the references and frees the map; m may be NULL. */
void weft_dt_map_close(struct weft_dt_map *m);

static inline MPI_Count weft_dt_map_len(const struct weft_dt_map *m,
					MPI_Count i)
{
	return m->len ? m->len[i] : m->blocklen;
}

static inline struct weft_dt *weft_dt_map_old(const struct weft_dt_map *m,
					      MPI_Count i)
{
	return m->old[m->same ? 0 : i];
}

#endif
