/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Carrier and address of a unit of the emulated interfaces. All zeroes select
 * the defaults: the shared-memory carrier and any free port of the loopback
 * address.
 */
#ifndef WEFT_PLACE_H
#define WEFT_PLACE_H

#include <netinet/in.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_place {
	const char *carrier;	 /* carrier: "shm" (also NULL) or "loop" */
	struct sockaddr_in name; /* requested address; port 0: any */
	const char *faults;	 /* fault plan of the loop carrier */
	uint32_t fifo_slots;	 /* slots of the carrier's FIFO; 0: default */
};

#ifdef __cplusplus
}
#endif
#endif
