/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes as core_unit*.c see them. */
#ifndef WEFT_CORE_UNIT_INT_H
#define WEFT_CORE_UNIT_INT_H

#include "src/core/core_unit.h"

#include <rdma/fi_ext_weft.h>

struct weft_route {
	struct weft_comm *comm; /* whose ranks it has */
	struct fid_av_set *set;
	struct fid_mc *mc;
	struct fi_weft_routes *ops;
	weft_au32 joined;      /* 1: yes; 2: it failed */
	uint32_t held, passed; /* operations that waited for it, numbered */
	struct fi_weft_route info;
};

/* Waits for a call; rc: what its begin said. 0 or -errno. */
int weft_unit_finish(struct weft_route *r, struct fi_weft_work *work, int rc);

/* An error of an operation, in the caller's words. */
int weft_unit_errno(int rc);

/* libfabric's names of a type and an operation that the unit can do. */
uint32_t weft_unit_names(const struct weft_op *op, const struct weft_dt *dt,
			 uint8_t *op_p);

/*
 * core_unit_later.c: hands in a part, to be waited for later; no queue hears of
 * it. -ENOSYS: not here, and nothing was done. open: before the first; close:
 * after the last.
 */
int weft_later_begin(struct weft_route *r, struct fi_weft_call *f,
		     struct weft_req **req_p);
void weft_later_open(void);
void weft_later_close(void);

/* core_unit_short.c: before the first of its calls. */
void weft_short_open(void);

#endif
