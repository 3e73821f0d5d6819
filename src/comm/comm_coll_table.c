/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of collectives (comm_coll_table.h). */
#include "src/comm/comm_coll_table.h"

static int no_attach(struct weft_comm *comm)
{
	return 0;
}

static void no_detach(struct weft_comm *comm)
{
}

static const struct weft_core_coll_ops no_coll = { no_attach, no_detach };
static const struct weft_core_coll_ops *coll = &no_coll;

void weft_core_coll_set(const struct weft_core_coll_ops *ops)
{
	coll = ops;
}

const struct weft_core_coll_ops *weft_core_coll_get(void)
{
	return coll;
}
