/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface below the libfabric face: a message engine that is
 * the same for all machines, over a unit that is the machine's own.
 *
 *     prov/ofi        weft_nic_* calls, struct weft_op
 *     nic engine      eager and rendezvous, matching, RMA, atomics
 *     unit            direct (native) | mu (bgq) | fma (gemini) | sten (qsnet2)
 *     carrier         shm | loop
 *
 * The engine speaks in packets and in DMA; a unit carries them as its machine
 * would (descriptors in an injection FIFO, a put window, a command queue).
 * A machine is one row: a unit, its limits, and the sizes at which one path
 * hands over to the next. Nothing here knows rdma/ headers.
 */
#ifndef WEFT_PROV_NIC_H
#define WEFT_PROV_NIC_H

#include "prov/carrier/carrier.h"

struct weft_unit;
struct weft_machine;

/* DMA between own and a peer's memory, as a unit takes it. */
struct weft_dma {
	struct iovec local[4];
	int local_count;
	uint64_t remote; /* address in the peer */
	size_t bytes;
	/* called once from poll (or from the post itself); err 0 or -errno */
	void (*done)(struct weft_dma *d, int err);
};

/*
 * What the engine asks of a unit. Nothing blocks. A packet that a unit takes
 * is delivered to up->deliver at the peer exactly once and in order of posts;
 * what the unit adds on the way (descriptors, cutting, counters) stays inside.
 */
struct weft_unit_ops {
	const char *name;
	/*
	 * Opens the unit on a carrier it creates with attr; up gets whole
	 * engine packets, not the unit's fragments.
	 */
	int (*open)(const struct weft_machine *m,
		    const struct weft_carrier_ops *carrier,
		    const struct weft_carrier_attr *attr,
		    struct weft_unit **u_p);
	void (*close)(struct weft_unit *u);
	/* One engine packet, payload up to the machine's packet_bytes. */
	int (*packet)(struct weft_unit *u, struct weft_peer *peer,
		      const struct weft_pkt *pkt, const struct iovec *iov,
		      int iov_count);
	/* Receiver-driven read, sender-driven write; -EAGAIN, -EOPNOTSUPP. */
	int (*get)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_dma *d);
	int (*put)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_dma *d);
	/* Runs the unit's engines and the carrier; number of packets. */
	int (*poll)(struct weft_unit *u, int budget);
};

/* First member of every unit's object. */
struct weft_unit {
	const struct weft_unit_ops *ops;
	struct weft_carrier *carrier;
};

/* A machine: which unit, its limits, where the paths hand over. */
struct weft_machine {
	const char *name;   /* FI_WEFT_MACHINE */
	const char *fabric; /* fi_fabric_attr.name */
	const struct weft_unit_ops *unit;
	size_t inject_bytes; /* largest fi_inject */
	size_t packet_bytes; /* payload of one engine packet */
	size_t eager_bytes;  /* above: rendezvous */
	uint64_t msg_order;  /* FI_ORDER_* bits, as a plain number */
	unsigned fifos; /* injection FIFOs, windows or queues used */
};

/* The rows; NULL for an unknown name. The first row is the default. */
const struct weft_machine *weft_machine_find(const char *name);
const struct weft_machine *weft_machine_at(unsigned i);

#endif
