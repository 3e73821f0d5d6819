/* SPDX-License-Identifier: BSD-3-Clause */
/* Endpoint, completion queue, and the addresses of other processes. */
#ifndef WEFT_BOOT_WIRE_UP_H
#define WEFT_BOOT_WIRE_UP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A module that opens before the endpoint is enabled, and closes between the
 * endpoint and its fabric.
 */
struct weft_wire_module {
	int (*open)(void); /* 0, or an error of libfabric */
	void (*close)(void);
};

int weft_wire_open(bool threads, const struct weft_wire_module *g);
/* Publishes the name of this process. */
int weft_wire_names(void);
void weft_wire_close(void);

/* Returns the name of this process's endpoint. */
const void *weft_wire_name(size_t *len_p);
/* Inserts a name as proc's address; the lock is held. 0 or -errno. */
int weft_wire_insert(int proc, const void *name);
/* Looks up proc's address; 0 or -errno. The caller holds the lock. */
int weft_wire_resolve(int proc);

#endif
