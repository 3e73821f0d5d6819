/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes cached on communicators, datatypes and windows. A keyval has two
 * callbacks, for copying and deleting; it exists until it is freed and no
 * attribute uses it. An object holds one pointer, the head of its list (NULL:
 * none).
 */
#ifndef WEFT_TYPES_ATTR_H
#define WEFT_TYPES_ATTR_H

#include "src/types/types_obj.h"

#include <mpi.h>

struct weft_attr; /* one attribute; the latest is first in the list */

/* Callbacks of a keyval. They differ only in the type of the handle. */
struct weft_keyval_fns {
	enum weft_kind kind; /* COMM, DT or WIN */
	union {
		MPI_Comm_copy_attr_function *comm;
		MPI_Type_copy_attr_function *type;
		MPI_Win_copy_attr_function *win;
	} copy;
	union {
		MPI_Comm_delete_attr_function *comm;
		MPI_Type_delete_attr_function *type;
		MPI_Win_delete_attr_function *win;
	} del;
	void *extra;
};

/* Create and free a keyval. Return MPI_SUCCESS or an error class. */
int weft_keyval_open(const struct weft_keyval_fns *fns, int *key_p);
int weft_keyval_free(enum weft_kind kind, int key);

/*
 * Set, get and delete an attribute. handle is passed to the callbacks. Return
 * MPI_SUCCESS, an error class, or the code that a callback returned.
 */
int weft_attr_set(struct weft_attr **list, enum weft_kind kind, void *handle,
		  int key, void *value);
int weft_attr_get(struct weft_attr **list, enum weft_kind kind, int key,
		  void **value_p, int *flag_p);
int weft_attr_delete(struct weft_attr **list, enum weft_kind kind, void *handle,
		     int key);

/*
 * Copies the attributes of an object to its duplicate: calls the copy callbacks
 * in the order in which the attributes were set.
 */
int weft_attrs_copy(struct weft_attr **to, struct weft_attr *const *from,
		    void *from_handle);
/*
 * Deletes all attributes of an object that is freed: calls the delete
 * callbacks, latest attribute first.
 */
int weft_attrs_clear(struct weft_attr **list, void *handle);

/*
 * Sets a predefined attribute of communicators (MPI_TAG_UB ...), an int whose
 * address weft_attr_get() returns. MPI_TAG_UB, MPI_HOST, MPI_IO and
 * MPI_WTIME_IS_GLOBAL have initial values; MPI_APPNUM and MPI_UNIVERSE_SIZE do
 * not exist until the start-up code sets them.
 */
void weft_attr_predef_set(int key, int value);

#endif
