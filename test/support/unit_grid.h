/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The units of all machines on several carriers, for tests: two endpoints that
 * send numbered packets to each other and move bulk data.
 *
 *   pair_open -> (side_send, pair_exchange, bulk_run) ... -> pair_close
 */
#ifndef WEFT_UNIT_GRID_H
#define WEFT_UNIT_GRID_H

#include "prov/machine/apenet/apenet_transport.h"
#include "prov/machine/bgq/bgq_transport.h"
#include "prov/machine/gemini/gemini_transport.h"
#include "prov/machine/qsnet2/qsnet2_transport.h"
#include "prov/machine/sunway/sunway_transport.h"
#include "test/t.h"

#include <string.h>
#include <unistd.h>

#define PACKET_BYTES 1900
#define SIDES	     2

/* One endpoint and the packets that it received. */
struct side {
	struct weft_unit *u;
	struct weft_peer *peer; /* the other side */
	union weft_name name;
	uint64_t sent;
	uint64_t taken;
	uint64_t bytes;
	unsigned refuse; /* every n-th packet is refused once */
	unsigned refused;
	bool redelivery_due; /* the refused packet must be delivered again */
	struct bulk *fetch;  /* transfer that the next received packet starts */
	int lost;
	int done;
	int dma_err;
};

struct bulk {
	struct weft_dma d;
	struct side *s;
};

struct grid {
	const char *label;
	const struct weft_unit_ops *unit;
	const struct weft_carrier_ops *carrier;
	const char *faults;
	uint32_t slots;
};

static const struct grid grid[] = {
	{ "bgq loop", &weft_unit_bgq, &weft_carrier_loop, NULL, 0 },
	{ "gemini loop", &weft_unit_gemini, &weft_carrier_loop, NULL, 0 },
	{ "qsnet2 loop", &weft_unit_qsnet2, &weft_carrier_loop, NULL, 0 },
	{ "sunway loop", &weft_unit_sunway, &weft_carrier_loop, NULL, 0 },
	{ "apenet loop", &weft_unit_apenet, &weft_carrier_loop, NULL, 0 },
	{ "bgq loop, faults", &weft_unit_bgq, &weft_carrier_loop,
	  "seed=3; delay=0.1 by 2 ms; loss=0.05; duplicate=0.05; reorder=0.1",
	  0 },
	{ "gemini loop, faults", &weft_unit_gemini, &weft_carrier_loop,
	  "seed=4; delay=0.1 by 2 ms; loss=0.05; duplicate=0.05; reorder=0.1",
	  0 },
	{ "qsnet2 loop, faults", &weft_unit_qsnet2, &weft_carrier_loop,
	  "seed=5; delay=0.1 by 2 ms; loss=0.05; duplicate=0.05; reorder=0.1",
	  0 },
	{ "qsnet2 loop, faults not repaired", &weft_unit_qsnet2,
	  &weft_carrier_loop,
	  "seed=6; delay=0.1 by 2 ms; duplicate=0.1; reorder=0.2; raw", 0 },
	{ "sunway loop, faults", &weft_unit_sunway, &weft_carrier_loop,
	  "seed=7; delay=0.1 by 2 ms; loss=0.05; duplicate=0.05; reorder=0.1",
	  0 },
	{ "apenet loop, faults", &weft_unit_apenet, &weft_carrier_loop,
	  "seed=9; delay=0.1 by 2 ms; loss=0.05; duplicate=0.05; reorder=0.1",
	  0 },
	{ "sunway loop, faults not repaired", &weft_unit_sunway,
	  &weft_carrier_loop,
	  "seed=8; delay=0.1 by 2 ms; duplicate=0.1; reorder=0.2; raw", 0 },
	{ "bgq shm", &weft_unit_bgq, &weft_carrier_shm, NULL, 0 },
	{ "gemini shm", &weft_unit_gemini, &weft_carrier_shm, NULL, 0 },
	{ "qsnet2 shm", &weft_unit_qsnet2, &weft_carrier_shm, NULL, 0 },
	{ "sunway shm", &weft_unit_sunway, &weft_carrier_shm, NULL, 0 },
	{ "apenet shm", &weft_unit_apenet, &weft_carrier_shm, NULL, 0 },
};

static inline size_t size_of(uint64_t k)
{
	static const size_t sizes[] = {
		8,   0,	  1,   31,  32,	 33,   480,	     481,
		512, 319, 320, 321, 984, 1500, PACKET_BYTES,
	};

	return sizes[k % WEFT_COUNT_OF(sizes)];
}

static inline int on_deliver(void *arg, struct weft_peer *src,
			     const struct weft_pkt *pkt, const void *payload)
{
	struct side *s = arg;

	if (src != s->peer)
		/* packet of an unrelated process: invalid, but complete */
		return 0;
	if (s->refuse && !s->redelivery_due && s->taken % s->refuse == 0) {
		s->refused++;
		s->redelivery_due = true;
		return -EAGAIN;
	}
	s->redelivery_due = false;
	T_IS(pkt->type, 7);
	T_IS(pkt->tag, s->taken);
	T_IS(pkt->data, ~s->taken);
	T_IS(pkt->len, size_of(s->taken));
	T_IS(t_differs(payload, pkt->len, s->taken), -1);
	s->taken++;
	s->bytes += pkt->len;
	if (s->fetch)
		T_OK(s->u->ops->get(s->u, src, &s->fetch->d));
	return 0;
}

static inline void on_lost(void *arg, struct weft_peer *peer, int err)
{
	struct side *s = arg;

	s->lost = err;
}

static const struct weft_carrier_up up = {
	.deliver = on_deliver,
	.lost = on_lost,
};

static const struct weft_machine machine = {
	.name = "test",
	.packet_bytes = PACKET_BYTES,
};

static inline void side_open(struct side *s, const struct grid *g, bool no_dma)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &up,
		.up_arg = s,
		.fifo_slots = g->slots,
		.no_dma = no_dma,
		.faults = g->faults,
		/*
		 * qsnet2: messages are matched by the processor, or by the
		 * interface's thread
		 */
		.host_match = g->carrier == &weft_carrier_shm,
	};

	memset(s, 0, sizeof(*s));
	T_OK(g->unit->open(&machine, g->carrier, &a, &s->u));
	s->u->carrier->ops->name_get(s->u->carrier, &s->name);
}

static inline void side_connect(struct side *s, const union weft_name *name)
{
	T_OK(s->u->carrier->ops->peer(s->u->carrier, name, &s->peer));
}

static inline void pair_open(struct side *s, const struct grid *g, bool no_dma)
{
	side_open(&s[0], g, no_dma);
	side_open(&s[1], g, no_dma);
	side_connect(&s[0], &s[1].name);
	side_connect(&s[1], &s[0].name);
}

static inline void pair_close(struct side *s)
{
	s[0].u->ops->close(s[0].u);
	s[1].u->ops->close(s[1].u);
}

/* Sends the next packet in two pieces. Returns false if the unit is full. */
static inline bool side_send(struct side *s)
{
	unsigned char buf[PACKET_BYTES];
	size_t n = size_of(s->sent);
	struct iovec iov[2] = { { buf, n / 3 }, { buf + n / 3, n - n / 3 } };
	struct weft_pkt pkt = {
		.type = 7,
		.len = (uint16_t)n,
		.tag = s->sent,
		.data = ~s->sent,
	};
	int err;

	t_fill(buf, n, s->sent);
	err = s->u->ops->packet(s->u, s->peer, &pkt, iov, 2);
	T_TRUE(err == 0 || err == -EAGAIN);
	if (err)
		return false;
	s->sent++;
	return true;
}

/* Both sides send n packets to each other. */
static inline void pair_exchange(struct side *s, uint64_t n)
{
	uint64_t idle = 0;

	while (s[0].taken < n || s[1].taken < n) {
		uint64_t before = s[0].taken + s[1].taken;

		for (int i = 0; i < SIDES; i++) {
			if (s[i].sent < n)
				side_send(&s[i]);
			s[i].u->ops->poll(s[i].u, 16);
		}
		idle = before == s[0].taken + s[1].taken ? idle + 1 : 0;
		if (idle > 20000)
			fail_msg("stuck at %ju and %ju", (uintmax_t)s[0].taken,
				 (uintmax_t)s[1].taken);
		if (idle > 100)
			usleep(100);
	}
}

static inline void bulk_done(struct weft_dma *d, int err)
{
	struct bulk *b = weft_container_of(d, struct bulk, d);

	b->s->done++;
	b->s->dma_err = err;
}

static inline void bulk_fill(struct bulk *b, struct side *s,
			     unsigned char *local, const void *remote,
			     size_t bytes)
{
	memset(b, 0, sizeof(*b));
	b->s = s;
	b->d.local[0].iov_base = local;
	b->d.local[0].iov_len = 1001;
	b->d.local[1].iov_base = local + 1001;
	b->d.local[1].iov_len = bytes - 1001;
	b->d.local_count = 2;
	b->d.remote = (uintptr_t)remote;
	b->d.bytes = bytes;
	b->d.done = bulk_done;
}

/* Posts a transfer until the unit accepts it. */
static inline int bulk_run(struct bulk *b, struct side *s,
			   int (*post)(struct weft_unit *, struct weft_peer *,
				       struct weft_dma *))
{
	int err = -EAGAIN;

	for (int k = 0; k < 100000 && err == -EAGAIN; k++) {
		err = post(s[0].u, s[0].peer, &b->d);
		s[0].u->ops->poll(s[0].u, 16);
		s[1].u->ops->poll(s[1].u, 16);
	}
	return err;
}

#define READ_WRITE (WEFT_MR_REMOTE_READ | WEFT_MR_REMOTE_WRITE)

/*
 * Registers memory of this side for accesses of the other side, if the unit
 * checks them.
 */
static inline int mem_open(struct side *s, const void *mem, size_t bytes,
			   unsigned access)
{
	const struct iovec iov = { (void *)(uintptr_t)mem, bytes };
	int reg = 0;

	if (s->u->ops->mem_open)
		reg = s->u->ops->mem_open(s->u, &iov, access);
	T_TRUE(reg >= 0);
	return reg;
}

static inline void mem_close(struct side *s, int reg)
{
	if (s->u->ops->mem_close)
		s->u->ops->mem_close(s->u, reg);
}

/*
 * Returns whether the unit checks accesses; units without registers allow every
 * access.
 */
static inline bool checks_memory(const struct grid *g)
{
	return g->unit->mem_open && !g->faults;
}

#endif
