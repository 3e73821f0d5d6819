/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a unit of the emulated interfaces stands: which carrier moves its
 * packets, and its address there. Zero everywhere is a good beginning: the
 * shared-memory carrier, any free port of the loopback address.
 */
#ifndef WEFT_PLACE_H
#define WEFT_PLACE_H

#include <netinet/in.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_place {
	const char *carrier;	 /* "shm" (NULL) or "loop" */
	struct sockaddr_in name; /* wanted address; port 0: any */
	const char *faults;	 /* loop: what goes wrong, see its carrier */
	uint32_t fifo_slots;	 /* packets of carrier buffer; 0: default */
};

#ifdef __cplusplus
}
#endif
#endif
