/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract between message engine and unit. The unit of every machine, on
 * every carrier, delivers whole packets once and in order, keeps refused
 * packets, and moves bulk data or returns an error.
 */
#include "prov/machine/apenet/apenet_transport.h"
#include "prov/machine/gemini/gemini_transport.h"
#include "prov/machine/bgq/bgq_transport.h"
#include "prov/machine/qsnet2/qsnet2_transport.h"
#include "prov/machine/sunway/sunway_transport.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

static size_t size_of(uint64_t k)
{
	static const size_t sizes[] = {
		8,   0,	  1,   31,  32,	 33,   480,	     481,
		512, 319, 320, 321, 984, 1500, PACKET_BYTES,
	};

	return sizes[k % WEFT_COUNT_OF(sizes)];
}

static int on_deliver(void *arg, struct weft_peer *src,
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

static void on_lost(void *arg, struct weft_peer *peer, int err)
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

static void side_open(struct side *s, const struct grid *g, bool no_dma)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &up,
		.up_arg = s,
		.fifo_slots = g->slots,
		.no_dma = no_dma,
		.faults = g->faults,
		/* qsnet2 receives by the processor, or on its thread */
		.host_match = g->carrier == &weft_carrier_shm,
	};

	memset(s, 0, sizeof(*s));
	T_OK(g->unit->open(&machine, g->carrier, &a, &s->u));
	s->u->carrier->ops->name_get(s->u->carrier, &s->name);
}

static void side_connect(struct side *s, const union weft_name *name)
{
	T_OK(s->u->carrier->ops->peer(s->u->carrier, name, &s->peer));
}

static void pair_open(struct side *s, const struct grid *g, bool no_dma)
{
	side_open(&s[0], g, no_dma);
	side_open(&s[1], g, no_dma);
	side_connect(&s[0], &s[1].name);
	side_connect(&s[1], &s[0].name);
}

static void pair_close(struct side *s)
{
	s[0].u->ops->close(s[0].u);
	s[1].u->ops->close(s[1].u);
}

/* Sends the next packet in two pieces. Returns false if the unit is full. */
static bool side_send(struct side *s)
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
static void pair_exchange(struct side *s, uint64_t n)
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

static void packets_arrive_complete_once_in_order(void **state)
{
	struct side s[SIDES];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		print_message("  %s\n", grid[i].label);
		pair_open(s, &grid[i], false);
		pair_exchange(s, (uint64_t)t_scale(3000));
		pair_close(s);
	}
}

static void a_refused_packet_is_redelivered_first(void **state)
{
	struct side s[SIDES];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], false);
		s[0].refuse = 3;
		s[1].refuse = 1;
		pair_exchange(s, (uint64_t)t_scale(1000));
		T_TRUE(s[1].refused > 0);
		pair_close(s);
	}
}

/* The receiver does not poll; the sender has to wait, and no packet is lost. */
static void a_full_receiver_slows_the_sender(void **state)
{
	struct side s[SIDES];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		struct grid g = grid[i];
		int again = 0;

		g.slots = 16;
		pair_open(s, &g, false);
		for (int k = 0; k < 100000 && again < 100; k++) {
			if (!side_send(&s[0]))
				again++;
			s[0].u->ops->poll(s[0].u, 16);
		}
		T_IS(again, 100);
		pair_exchange(s, s[0].sent);
		pair_close(s);
	}
}

static void bulk_done(struct weft_dma *d, int err)
{
	struct bulk *b = weft_container_of(d, struct bulk, d);

	b->s->done++;
	b->s->dma_err = err;
}

static void bulk_fill(struct bulk *b, struct side *s, unsigned char *local,
		      const void *remote, size_t bytes)
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
static int bulk_run(struct bulk *b, struct side *s,
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
static int mem_open(struct side *s, const void *mem, size_t bytes,
		    unsigned access)
{
	const struct iovec iov = { (void *)(uintptr_t)mem, bytes };
	int reg = 0;

	if (s->u->ops->mem_open)
		reg = s->u->ops->mem_open(s->u, &iov, access);
	T_TRUE(reg >= 0);
	return reg;
}

static void mem_close(struct side *s, int reg)
{
	if (s->u->ops->mem_close)
		s->u->ops->mem_close(s->u, reg);
}

static void bulk_data_moves_in_both_directions(void **state)
{
	size_t n = 300001;
	unsigned char *mine = malloc(n);
	unsigned char *theirs = malloc(n);
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		mem_open(&s[1], theirs, n, READ_WRITE);
		t_fill(theirs, n, 1);
		bulk_fill(&b, &s[0], mine, theirs, n);
		T_OK(bulk_run(&b, s, s[0].u->ops->get));
		T_IS(s[0].done, 1);
		T_OK(s[0].dma_err);
		T_IS(t_differs(mine, n, 1), -1);
		t_fill(mine, n, 2);
		bulk_fill(&b, &s[0], mine, theirs, n);
		T_OK(bulk_run(&b, s, s[0].u->ops->put));
		T_IS(s[0].done, 2);
		T_IS(t_differs(theirs, n, 2), -1);
		pair_close(s);
	}
	free(mine);
	free(theirs);
}

/* Returns whether the unit stores packets before delivery. */
static bool stores_packets(const struct grid *g)
{
	return !g->faults && g->carrier == &weft_carrier_loop &&
	       (g->unit == &weft_unit_bgq || g->unit == &weft_unit_gemini ||
		g->unit == &weft_unit_qsnet2);
}

/*
 * Credits and responses that arrive during the copy are handled before packets
 * are delivered.
 */
static void after_a_copy_the_unit_polls_before_delivery(void **state)
{
	unsigned char mine[4096];
	unsigned char theirs[4096];
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (!stores_packets(&grid[i]))
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		mem_open(&s[0], theirs, sizeof(theirs), READ_WRITE);
		bulk_fill(&b, &s[1], mine, theirs, sizeof(mine));
		while (s[0].sent < 13)
			T_TRUE(side_send(&s[0]));
		s[1].fetch = &b;
		for (uint64_t n = 11; n <= 13; n++) {
			s[1].u->ops->poll(s[1].u, 16);
			T_IS(s[1].taken, n);
			T_IS(s[1].done, (int)n - 10);
			/* wait returns at once while packets are stored */
			if (n < 13)
				T_OK(s[1].u->carrier->ops->wait(s[1].u->carrier,
								1));
		}
		pair_close(s);
	}
}

/* Sends packets up to the limit in flight. Returns their number. */
static unsigned send_all(struct side *s)
{
	unsigned n = 0;

	while (n < 1000 && side_send(s))
		n++;
	return n;
}

static void pending_responses_are_sent_before_a_copy(void **state)
{
	static const struct grid g = { "sten", &weft_unit_qsnet2,
				       &weft_carrier_loop, NULL, 0 };
	unsigned char mine[4096];
	unsigned char theirs[4096];
	struct side s[SIDES];
	struct bulk b;
	unsigned n;

	pair_open(s, &g, false);
	mem_open(&s[0], theirs, sizeof(theirs), READ_WRITE);
	mem_open(&s[1], theirs, sizeof(theirs), READ_WRITE);
	pair_exchange(s, 15); /* the next packets are short */
	n = send_all(&s[0]);
	T_IS(n, 4);
	bulk_fill(&b, &s[1], mine, theirs, sizeof(mine));
	s[1].fetch = &b;
	s[1].u->ops->poll(s[1].u, 16);
	T_IS(s[1].taken, 16);
	s[0].u->ops->poll(s[0].u, 16);
	T_TRUE(send_all(&s[0]) >= n);
	s[1].fetch = NULL;
	pair_exchange(s, 30); /* the next packets are short */
	/* a sender that also copies may have more packets in flight */
	bulk_fill(&b, &s[0], mine, theirs, sizeof(mine));
	T_OK(bulk_run(&b, s, s[0].u->ops->put));
	T_TRUE(send_all(&s[0]) > n);
	pair_exchange(s, s[0].sent);
	pair_close(s);
}

/* Expects the result of a get and of a put of `bytes` at theirs. */
static void expect_access(struct side *s, unsigned char *theirs, size_t bytes,
			  int get, int put)
{
	unsigned char mine[8192];
	struct bulk b;

	t_fill(mine, bytes, 4);
	bulk_fill(&b, &s[0], mine, theirs, bytes);
	T_OK(bulk_run(&b, s, s[0].u->ops->put));
	T_IS(s[0].dma_err, put);
	T_IS(t_differs(theirs, bytes, 4) == -1, !put);
	t_fill(theirs, bytes, 5);
	T_OK(bulk_run(&b, s, s[0].u->ops->get));
	T_IS(s[0].dma_err, get);
	T_IS(t_differs(mine, bytes, 5) == -1, !get);
}

/* Units without registers allow every access. */
static bool checks_memory(const struct grid *g)
{
	return g->unit->mem_open && !g->faults;
}

static void the_registers_of_the_target_limit_every_access(void **state)
{
	unsigned char theirs[8192];
	const int no = -EACCES;
	struct side s[SIDES];
	int reg;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (!checks_memory(&grid[i]))
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		expect_access(s, theirs, 4096, no, no);
		reg = mem_open(&s[1], theirs + 8, 4096, WEFT_MR_REMOTE_READ);
		expect_access(s, theirs + 8, 4096, 0, no);
		expect_access(s, theirs + 8, 4097, no, no);
		expect_access(s, theirs + 7, 4096, no, no);
		mem_close(&s[1], reg);
		expect_access(s, theirs + 8, 4096, no, no);
		reg = mem_open(&s[1], theirs, 4096, READ_WRITE);
		expect_access(s, theirs, 4096, 0, 0);
		expect_access(s, theirs + 8, 4096, no, no);
		mem_close(&s[1], reg);
		expect_access(s, theirs, 4096, no, no);
		pair_exchange(s, 20);
		pair_close(s);
	}
}

/* More buffers than bgq has range registers. */
static void many_buffers_are_accessible_at_a_time(void **state)
{
	enum { N = 60, BYTES = 2000 };
	unsigned char theirs[2 * N][BYTES];
	struct side s[SIDES];
	int reg[N];

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (!checks_memory(&grid[i]))
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		for (int k = 0; k < N; k++)
			reg[k] = mem_open(&s[1], theirs[2 * k], BYTES,
					  READ_WRITE);
		for (int k = 0; k < N; k++)
			expect_access(s, theirs[2 * k], BYTES, 0, 0);
		for (int k = 0; k < N; k++)
			mem_close(&s[1], reg[k]);
		for (int k = 0; k < N; k++)
			expect_access(s, theirs[2 * k], BYTES, -EACCES,
				      -EACCES);
		pair_close(s);
	}
}

static void bulk_to_a_bad_address_fails_alone(void **state)
{
	unsigned char mine[4096];
	void *hole =
		mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		if (grid[i].carrier != &weft_carrier_shm)
			continue;
		pair_open(s, &grid[i], false);
		pair_exchange(s, 10);
		mem_open(&s[1], hole, sizeof(mine), READ_WRITE);
		bulk_fill(&b, &s[0], mine, hole, sizeof(mine));
		T_OK(bulk_run(&b, s, s[0].u->ops->get));
		T_IS(s[0].dma_err, -EFAULT);
		pair_exchange(s, 20);
		pair_close(s);
	}
	munmap(hole, 8192);
}

static void without_dma_the_unit_returns_an_error(void **state)
{
	unsigned char mine[4096];
	unsigned char theirs[4096];
	struct side s[SIDES];
	struct bulk b;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], true);
		pair_exchange(s, 10);
		mem_open(&s[1], theirs, sizeof(theirs), READ_WRITE);
		bulk_fill(&b, &s[0], mine, theirs, sizeof(mine));
		T_IS(bulk_run(&b, s, s[0].u->ops->get), -EOPNOTSUPP);
		T_IS(bulk_run(&b, s, s[0].u->ops->put), -EOPNOTSUPP);
		T_IS(s[0].done, 0);
		pair_exchange(s, 20);
		pair_close(s);
	}
}

static void a_packet_to_itself_is_delivered(void **state)
{
	struct side s;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		side_open(&s, &grid[i], false);
		side_connect(&s, &s.name);
		for (int k = 0; k < 1000000 && s.taken < 100; k++) {
			if (s.sent < 100)
				side_send(&s);
			s.u->ops->poll(s.u, 16);
		}
		T_IS(s.taken, 100);
		s.u->ops->close(s.u);
	}
}

static int no_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	return 0;
}

static void no_lost(void *arg, struct weft_peer *peer, int err)
{
}

static const struct weft_carrier_up no_up = {
	.deliver = no_deliver,
	.lost = no_lost,
};

/* Makes a packet of random bytes; fields are often close to their limits. */
static void random_packet(struct weft_rng *r, struct weft_pkt *pkt,
			  void *payload)
{
	static const uint8_t types[] = { 0x55, 0x60, 0x70, 0x50, 0x40, 7 };

	weft_rng_fill(r, pkt, sizeof(*pkt));
	weft_rng_fill(r, payload, 2048);
	pkt->type = types[weft_rng_below(r, WEFT_COUNT_OF(types))];
	pkt->carrier = 0;
	pkt->len = (uint16_t)weft_rng_below(r, 2048);
	if (weft_rng_below(r, 2))
		pkt->flags = (uint8_t)weft_rng_below(r, 9);
	if (weft_rng_below(r, 2))
		pkt->unit = (uint32_t)weft_rng_below(r, 4);
	if (weft_rng_below(r, 2))
		pkt->tag = weft_rng_below(r, 1 << 14);
	if (pkt->type == 0x40 && weft_rng_below(r, 2)) {
		/* puts into a ring of apenet */
		pkt->flags = 0x1b;
		pkt->tag = UINT64_C(1) << 63 | weft_rng_below(r, 1 << 17);
		pkt->data = weft_rng_below(r, 20);
	}
	if (pkt->type == 0x55 && weft_rng_below(r, 2)) {
		pkt->len = (uint16_t)(weft_rng_below(r, 17) * 32);
		pkt->unit = (uint32_t)weft_rng_below(r, 3) << 29 |
			    (uint32_t)pkt->len / 32 << 24;
	}
}

static void random_packets_of_another_process_are_harmless(void **state)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &no_up,
	};
	unsigned char payload[2048];
	struct weft_carrier *c;
	struct weft_peer *peer;
	struct weft_pkt pkt;
	struct weft_rng r;
	struct side s[SIDES];

	weft_rng_init(&r, 12, 0);
	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], false);
		T_OK(grid[i].carrier->open(&a, &c));
		T_OK(c->ops->peer(c, &s[1].name, &peer));
		for (int k = 0; k < t_scale(5000); k++) {
			struct iovec iov = { payload, 0 };

			random_packet(&r, &pkt, payload);
			iov.iov_len = pkt.len;
			c->ops->send(c, peer, &pkt, &iov, 1);
			c->ops->poll(c, 16);
			s[1].u->ops->poll(s[1].u, 16);
			if (k % 64 == 0)
				pair_exchange(s, (uint64_t)k / 64 + 1);
		}
		c->ops->close(c);
		pair_close(s);
	}
}

/* Addresses of processes that connect to each other. */
struct board {
	union weft_name name[SIDES];
	_Atomic int ready[SIDES];
	_Atomic int finished;
};

struct job {
	const struct grid *g;
	struct board *board;
};

static int child(int i, void *arg)
{
	struct job *j = arg;
	struct side s;
	uint64_t n = (uint64_t)t_scale(5000);

	side_open(&s, j->g, false);
	j->board->name[i] = s.name;
	j->board->ready[i] = 1;
	while (!j->board->ready[!i])
		usleep(100);
	side_connect(&s, &j->board->name[!i]);
	while (s.sent < n || s.taken < n) {
		if (s.sent < n)
			side_send(&s);
		s.u->ops->poll(s.u, 16);
	}
	j->board->finished++;
	while (j->board->finished < SIDES)
		s.u->ops->poll(s.u, 16);
	s.u->ops->close(s.u);
	return 0;
}

static void processes_communicate_by_shared_memory(void **state)
{
	struct board *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		struct job j = { &grid[i], b };

		if (grid[i].carrier != &weft_carrier_shm)
			continue;
		memset(b, 0, sizeof(*b));
		t_processes(SIDES, child, &j, 60);
	}
	munmap(b, sizeof(*b));
}

/* Lets the parent read `theirs`, until the process is killed. */
static void victim(const struct job *j, unsigned char *theirs, size_t bytes)
{
	struct side s;

	side_open(&s, j->g, false);
	mem_open(&s, theirs, bytes, READ_WRITE);
	j->board->name[1] = s.name;
	j->board->ready[1] = 1;
	for (;;)
		s.u->ops->poll(s.u, 16);
}

/* Returns the result of a transfer from the other process. */
static int get_from(struct side *s, void *theirs, size_t bytes)
{
	unsigned char mine[4096];
	struct bulk b;
	int err;

	bulk_fill(&b, s, mine, theirs, bytes);
	do {
		err = s->u->ops->get(s->u, s->peer, &b.d);
		s->u->ops->poll(s->u, 16);
	} while (err == -EAGAIN);
	return err ? err : s->dma_err;
}

static void a_transfer_with_a_dead_process_ends(void **state)
{
	static unsigned char theirs[4096];
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct side s;
	pid_t pid;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		const struct job j = { &grid[i], board };

		if (!checks_memory(&grid[i]) ||
		    grid[i].carrier != &weft_carrier_shm)
			continue;
		memset(board, 0, sizeof(*board));
		pid = fork();
		if (!pid)
			victim(&j, theirs, sizeof(theirs));
		while (!board->ready[1])
			usleep(100);
		side_open(&s, &grid[i], false);
		side_connect(&s, &board->name[1]);
		T_OK(get_from(&s, theirs, sizeof(theirs)));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		T_IS(get_from(&s, theirs, sizeof(theirs)), -ECONNRESET);
		s.u->ops->close(s.u);
	}
	munmap(board, sizeof(*board));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_arrive_complete_once_in_order),
		T_CASE(a_refused_packet_is_redelivered_first),
		T_CASE(a_full_receiver_slows_the_sender),
		T_CASE(bulk_data_moves_in_both_directions),
		T_CASE(after_a_copy_the_unit_polls_before_delivery),
		T_CASE(pending_responses_are_sent_before_a_copy),
		T_CASE(the_registers_of_the_target_limit_every_access),
		T_CASE(many_buffers_are_accessible_at_a_time),
		T_CASE(bulk_to_a_bad_address_fails_alone),
		T_CASE(without_dma_the_unit_returns_an_error),
		T_CASE(a_packet_to_itself_is_delivered),
		T_CASE(random_packets_of_another_process_are_harmless),
		T_CASE(processes_communicate_by_shared_memory),
		T_CASE(a_transfer_with_a_dead_process_ends),
	};

	return T_RUN(tests);
}
