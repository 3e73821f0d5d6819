/* SPDX-License-Identifier: BSD-3-Clause */
/* Endpoint, completion queue, and the addresses of other processes. */
#ifndef WEFT_CORE_WIRE_UP_H
#define WEFT_CORE_WIRE_UP_H

#include <stdbool.h>
#include <stddef.h>

/* Who has to be there before the endpoint is enabled, and is closed between
 * the endpoint and its fabric. */
struct weft_wire_guest {
	int (*open)(void); /* 0, or an error of libfabric */
	void (*close)(void);
};

int weft_wire_open(bool threads, const struct weft_wire_guest *g);
/* Everybody can ask for my name from now on. */
int weft_wire_names(void);
void weft_wire_close(void);

/* The name of my endpoint. */
const void *weft_wire_name(size_t *len_p);
/* Takes a name for proc's; the lock is held. 0 or -errno. */
int weft_wire_insert(int proc, const void *name);
/* Makes proc's address known; 0 or -errno. Caller holds the lock. */
int weft_wire_reach(int proc);

#endif
