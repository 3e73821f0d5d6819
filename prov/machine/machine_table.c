/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine table, one entry per machine. Limits of real machines are from
 * their papers. packet_bytes is the payload of a packet of the emulated unit,
 * and eager_bytes the limit of live jobs. In virtual time both are taken from
 * the machine file (keys message_packet, eager), which names their sources.
 */
#include "prov/machine/apenet/apenet_transport.h"
#include "prov/machine/gemini/gemini_transport.h"
#include "prov/machine/generic/generic_transport.h"
#include "prov/machine/bgq/bgq_transport.h"
#include "prov/nic/nic.h"
#include "prov/machine/qsnet2/qsnet2_transport.h"
#include "prov/machine/sunway/sunway_transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bits of fi_tx_attr.msg_order, with libfabric's values. */
#define SAS	     (1ull << 8)
#define RMA_ALL	     (0xfull << 32)
#define ATOMIC_ALL   (0xfull << 36)
#define ORDER_STRICT (SAS | RMA_ALL | ATOMIC_ALL)

/* Largest oversubscribed group on a board; larger groups use the tree. */
#define CUNIT_BOARD 128

/* Trees with up to eight children; packets of one page. */
#define CUNIT_NATIVE                                             \
	{                                                        \
		.routes = 32, .inputs = 9, .packet_bytes = 4096, \
		.board = CUNIT_BOARD                             \
	}
/*
 * Class routes of Blue Gene/Q: 16 per node [SC11 II.C], packets of 512 bytes
 * [SC11 II.A], inputs from 10 links, IO and the processes of the node.
 */
#define CUNIT_BGQ                                                \
	{                                                        \
		.routes = 16, .inputs = 32, .packet_bytes = 512, \
		.board = CUNIT_BOARD                             \
	}
#define BGQ_ROUTES 0x3fffu /* two routes are reserved for the system */
/* Barrier classes: 16 per node, without payload [SC11 II.D]. */
#define CUNIT_BGQ_BAR                                           \
	{                                                       \
		.routes = 16, .inputs = 32, .packet_bytes = 48, \
		.board = CUNIT_BOARD                            \
	}
#define KARY_ROUTES 0xffffffffu

/*
 * Sets the coordinates of a node. The block of nodes grows by doubling one
 * dimension after the other (E first, and only once), so every power of two is
 * a block: 32 nodes are a board of 2x2x2x2x2, 512 a midplane of 4x4x4x4x2 [SC11
 * II.A].
 */
static void bgq_coords(uint32_t node, int *at)
{
	enum { A, B, C, D, E, T };

	memset(at, 0, WEFT_TREE_DIMS * sizeof(*at));
	at[E] = node & 1;
	node >>= 1;
	for (int bit = 0; node; bit++) {
		for (int d = D; d >= A; d--, node >>= 1)
			at[d] |= (int)(node & 1) << bit;
	}
}

/*
 * Returns whether the nodes are a contiguous range; members may share a node.
 */
static bool is_range(const uint64_t *node, int n)
{
	uint64_t low = node[0];
	uint64_t high = node[0];
	uint64_t count = 0;
	bool *there;

	for (int i = 1; i < n; i++) {
		low = node[i] < low ? node[i] : low;
		high = node[i] > high ? node[i] : high;
	}
	if (high - low >= (uint64_t)n)
		return false;
	there = calloc((size_t)n, sizeof(*there));
	for (int i = 0; there && i < n; i++) {
		count += !there[node[i] - low];
		there[node[i] - low] = true;
	}
	free(there);
	return count == high - low + 1;
}

static bool is_any(const uint64_t *node, int n)
{
	return true;
}

/*
 * Hardware broadcast and network conditional need a contiguous range of nodes;
 * other groups use trees of chained events (prov/machine/qsnet2/README).
 */
static const struct weft_nic_group_form qsnet2_forms[] = {
	{ is_range, WEFT_CUNIT_RANGE },
	{ is_any, WEFT_CUNIT_EVENTS },
};

/*
 * No hardware for collectives: members arrive by atomics on one counter, whose
 * owner notifies them by puts (prov/machine/gemini/README).
 */
static const struct weft_nic_group_form gemini_forms[] = {
	{ is_any, WEFT_CUNIT_COUNTS },
};

static const struct weft_machine rows[] = {
	{
		.name = "native",
		.fabric = "weft",
		.unit = &weft_unit_direct,
		.inject_bytes = 256,
		/* the limit of the carrier is used if it is lower */
		.packet_bytes = 8192,
		/* default; mpiexec measures the best limit on the host */
		.eager_bytes = 65536,
		.eager_by_host = true,
		.typed_bytes = 8192 +
			       /*
				* the shortest message of more than one packet
				* (measured by bench/dt)
				*/
			       1,
		.msg_order = ORDER_STRICT,
		.fifos = 1,
		.cu = CUNIT_NATIVE,
		.routes = KARY_ROUTES,
	},
	{
		.name = "bgq",
		.fabric = "weft-bgq",
		.unit = &weft_unit_bgq,
		.code = WEFT_CARRIER_RS5,
		/* immediate sends of MPI over PAMI, LLNL BG/Q tutorial */
		.inject_bytes = 112,
		/*
		 * payload of 512 bytes [SC11 II.A], less a chunk for the header
		 */
		.packet_bytes = 480,
		/* longer messages use remote get, LLNL BG/Q tutorial */
		.eager_bytes = 2048,
		/* routing is deterministic, so packets keep their order */
		.msg_order = ORDER_STRICT,
		.fifos = 544, /* injection FIFOs [SC11 III.A] */
		.cu = CUNIT_BGQ,
		.routes = BGQ_ROUTES,
		.bar = CUNIT_BGQ_BAR,
		.barriers = BGQ_ROUTES,
		.coords = bgq_coords,
	},
	{
		.name = "gemini",
		.fabric = "weft-gemini",
		.unit = &weft_unit_gemini,
		.code = WEFT_CARRIER_CRC16,
		/* one burst of stores to a window [HOTI10 II.B] */
		.inject_bytes = 64,
		/*
		 * mailbox slot of 1024 bytes (FMA limit of Open MPI), less
		 * headers
		 */
		.packet_bytes = 984,
		.eager_bytes = 8192, /* assumed; longer messages: BTE get */
		/* sequence numbers in mailboxes keep packets in order */
		.msg_order = ORDER_STRICT,
		.fifos = 64, /* user windows (gemini.h) */
		.cu = CUNIT_NATIVE,
		.routes = KARY_ROUTES,
		.forms = gemini_forms,
		/* measured with the benchmarks barrier and allreduce */
		.tree_least = 3,
		/* longest vector for which the tree is used; measured */
		.tree_bytes = 1024,
	},
	{
		.name = "qsnet2",
		.fabric = "weft-qsnet2",
		.unit = &weft_unit_qsnet2,
		.code = WEFT_CARRIER_CRC32,
		/* one write transaction [IEEE Micro 2005, DMA steps] */
		.inject_bytes = 128,
		/* packet of 2 KB (Elan4 driver), less the header */
		.packet_bytes = 2016,
		/* assumed, from Tports; longer messages: DMA by the receiver */
		.eager_bytes = 32768,
		.msg_order = ORDER_STRICT, /* cookies keep packets in order */
		/* command queues [IEEE Micro 2005] */
		.fifos = 8000,
		.cu = CUNIT_NATIVE,
		.routes = KARY_ROUTES,
		.forms = qsnet2_forms,
	},
	{
		.name = "sunway",
		.fabric = "weft-sunway",
		.unit = &weft_unit_sunway,
		.code = WEFT_CARRIER_RS14,
		/*
		 * fast short message of 128 bytes [2021, 3.1], less the header
		 */
		.inject_bytes = 96,
		/* payload of 2 KB [2021, 5.2], less the header */
		.packet_bytes = 2016,
		.eager_bytes = 16384, /* assumed; longer messages: RDMAR */
		/* sequence numbers restore the order */
		.msg_order = ORDER_STRICT,
		.fifos = 256, /* 2 engines of 128 interfaces */
		.cu = CUNIT_NATIVE,
		.routes = KARY_ROUTES,
		.bar = CUNIT_NATIVE,
		.barriers = KARY_ROUTES,
		.levels = 2, /* as in share/machines/sunway */
	},
	{
		.name = "apenet",
		.fabric = "weft-apenet",
		.unit = &weft_unit_apenet,
		.code = WEFT_CARRIER_CRC32,
		.inject_bytes = 128, /* assumed: part of a ring slot */
		/* assumed: payload of 4 KB, less the header */
		.packet_bytes = 4064,
		/* assumed; longer messages: put on request */
		.eager_bytes = 32768,
		/* dimension-order routing keeps packets in order */
		.msg_order = ORDER_STRICT,
		/*
		 * GPUDirect: section 3 of the paper cited in
		 * share/machines/apenet
		 */
		.hmem = true,
		/* command queue: section 2.1 of the APEnet+ paper */
		.fifos = 1,
		/* no hardware collectives: no routes, software trees */
		.cu = CUNIT_NATIVE,
	},
	{
		.name = "generic",
		.fabric = "weft-generic",
		.unit = &weft_unit_generic,
		.code = WEFT_CARRIER_CRC32,
		.inject_bytes = 256, /* assumed */
		/* assumed: payload of 4 KB, less the header */
		.packet_bytes = 4064,
		/* assumed; a machine file's key eager overrides it */
		.eager_bytes = 8192,
		.msg_order = ORDER_STRICT,
		.fifos = 1,
		.cu = CUNIT_NATIVE,
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

int weft_machine_modelled(const char *unit, size_t packet_bytes,
			  size_t eager_bytes, struct weft_machine *m)
{
	unsigned i = 1;

	while (i < WEFT_COUNT_OF(rows) && strcmp(rows[i].unit->name, unit))
		i++;
	if (i == WEFT_COUNT_OF(rows))
		return -ENODEV;
	*m = rows[i];
	if (packet_bytes > m->packet_bytes)
		return -EMSGSIZE;
	if (packet_bytes)
		m->packet_bytes = packet_bytes;
	if (eager_bytes)
		m->eager_bytes = eager_bytes;
	return 0;
}
