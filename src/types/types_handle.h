/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles as integers, for Fortran: predefined handles are their own value,
 * objects get a number above 4095 at the first request, and keep it until they
 * are freed.
 */
#ifndef WEFT_TYPES_HANDLE_H
#define WEFT_TYPES_HANDLE_H

#include "src/types/types_obj.h"

/* The number, or 0: out of memory. */
int weft_handle_id(struct weft_obj *o);

/* The object with this number and kind, or NULL. */
void *weft_handle_find(int id, enum weft_kind kind);

#endif
