/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machines: one row each. Limits of real ones come from their papers;
 * where one path hands over to the next is a choice of the message layers
 * that ran on them, and marked so.
 */
#include "prov/nic/fma/fma_engine.h"
#include "prov/nic/mu/mu_engine.h"
#include "prov/nic/nic.h"

#include <string.h>

/* Bits of fi_tx_attr.msg_order, as libfabric numbers them. */
#define SAS	     (1ull << 8)
#define RMA_ALL	     (0xfull << 32)
#define ATOMIC_ALL   (0xfull << 36)
#define ORDER_STRICT (SAS | RMA_ALL | ATOMIC_ALL)

static const struct weft_machine rows[] = {
	{
		.name = "native",
		.fabric = "weft",
		.unit = &weft_unit_direct,
		.inject_bytes = 256,
		.packet_bytes = 8192, /* or less: the carrier's largest */
		.eager_bytes = 8192,  /* measured, see bench/README */
		.msg_order = ORDER_STRICT,
		.fifos = 1,
	},
	{
		.name = "bgq",
		.fabric = "weft-bgq",
		.unit = &weft_unit_mu,
		.inject_bytes = 512,
		.packet_bytes = 512, /* payload of a torus packet */
		.eager_bytes = 4096, /* assumed: PAMI's remote-get limit */
		.msg_order = ORDER_STRICT,
		.fifos = 16,
	},
	{
		.name = "gemini",
		.fabric = "weft-gemini",
		.unit = &weft_unit_fma,
		.inject_bytes = 64,   /* one put window */
		.packet_bytes = 1024, /* assumed: an SMSG slot */
		.eager_bytes = 8192,  /* assumed */
		.msg_order = ORDER_STRICT,
		.fifos = 1,
	},
	{
		.name = "qsnet2",
		.fabric = "weft-qsnet2",
		.unit = &weft_unit_direct,
		.inject_bytes = 128,  /* assumed: a queue slot */
		.packet_bytes = 2048, /* assumed: an input queue slot */
		.eager_bytes = 16384, /* assumed */
		.msg_order = ORDER_STRICT,
		.fifos = 1,
	},
};

const struct weft_machine *weft_machine_at(unsigned i)
{
	return i < WEFT_COUNT_OF(rows) ? &rows[i] : NULL;
}

const struct weft_machine *weft_machine_find(const char *name)
{
	unsigned i;

	for (i = 0; i < WEFT_COUNT_OF(rows); i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}
