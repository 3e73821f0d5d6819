/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles as integers, for Fortran. The integer of a predefined handle is its
 * value; another object gets a number above 4095 at the first request and keeps
 * it until it is freed.
 */
#ifndef WEFT_TYPES_HANDLE_H
#define WEFT_TYPES_HANDLE_H

#include "src/types/types_obj.h"

/* Returns the number of an object, or 0: out of memory. */
int weft_handle_id(struct weft_obj *o);

/* Returns the object with this number and kind, or NULL. */
void *weft_handle_find(int id, enum weft_kind kind);

#endif
