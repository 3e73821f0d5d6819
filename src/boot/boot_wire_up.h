/* SPDX-License-Identifier: BSD-3-Clause */
/* Endpoint, completion queue, and the addresses of other processes. */
#ifndef WEFT_BOOT_WIRE_UP_H
#define WEFT_BOOT_WIRE_UP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Functions of a module that is opened before the endpoint is enabled, and
 * closed after the endpoint is closed and before its fabric is.
 */
struct weft_wire_module {
	int (*open)(void); /* returns 0 or an error of libfabric */
	void (*close)(void);
};

int weft_wire_open(bool threads, const struct weft_wire_module *g);
int weft_wire_names(void);
void weft_wire_close(void);

const void *weft_wire_name(size_t *len_p);
/*
 * Inserts the name of an endpoint as the address of proc. Returns 0 or -errno.
 * Requires the lock.
 */
int weft_wire_insert(int proc, const void *name);
/*
 * Copies the name of a process of this job. *len_p: on entry the size of the
 * buffer, on return the length of the name. Returns 0 or -errno.
 */
int weft_wire_name_of(int proc, void *name, size_t *len_p);
/* Looks up the name of proc and inserts it like weft_wire_insert(). */
int weft_wire_resolve(int proc);

#endif
