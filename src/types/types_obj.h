/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common header of all MPI objects. A handle is either a constant below 4096
 * (predefined; a table of its kind has the object) or the address of an object.
 * The kind field detects handles that are stale or of another kind.
 */
#ifndef WEFT_TYPES_OBJ_H
#define WEFT_TYPES_OBJ_H

#include "src/base/atomic.h"

#include <stddef.h>

enum weft_kind {
	WEFT_KIND_FREE = 0,
	WEFT_KIND_COMM = 0x57430001,
	WEFT_KIND_GROUP,
	WEFT_KIND_DT,
	WEFT_KIND_OP,
	WEFT_KIND_REQ,
	WEFT_KIND_MSG,
	WEFT_KIND_INFO,
	WEFT_KIND_ERRH,
	WEFT_KIND_WIN,
	WEFT_KIND_FILE,
	WEFT_KIND_SESSION,
};

struct weft_obj {
	uint32_t kind; /* enum weft_kind */
	weft_au32 refs;
	/* number for MPI_X_toint, >= 4096, assigned at first use; 0: none */
	int32_t id;
	/* value of a predefined handle; 0: created at run time */
	uint32_t predefined;
};

/* Handles up to this value are constants of the ABI, never addresses. */
#define WEFT_HANDLE_MAX 4095u

static inline bool weft_handle_is_const(const void *handle)
{
	return (uintptr_t)handle <= WEFT_HANDLE_MAX;
}

/* Returns the object of a run-time handle; NULL: not of this kind. */
static inline void *weft_obj_of(const void *handle, enum weft_kind kind)
{
	const struct weft_obj *o = handle;

	if (weft_handle_is_const(o) || ((uintptr_t)o & 7) || o->kind != kind)
		return NULL;
	return (void *)(uintptr_t)handle;
}

static inline void *weft_obj_handle(const struct weft_obj *o)
{
	return o->predefined ? (void *)(uintptr_t)o->predefined
			     : (void *)(uintptr_t)o;
}

static inline void weft_obj_init(struct weft_obj *o, enum weft_kind kind)
{
	o->kind = kind;
	/* relaxed: the object is not shared yet */
	weft_store32_relaxed(&o->refs, 1);
	o->id = 0;
	o->predefined = 0;
}

static inline void weft_obj_get(struct weft_obj *o)
{
	/* relaxed: the caller holds a reference */
	atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
}

/* Releases the number of an object that is being freed (types_handle.c). */
void weft_obj_forget(struct weft_obj *o);

/* Drops a reference. Returns whether the caller must free the object. */
static inline bool weft_obj_put(struct weft_obj *o)
{
	if (weft_add32(&o->refs, (uint32_t)-1) != 1)
		return false;
	if (o->id)
		weft_obj_forget(o);
	return true;
}

#endif
