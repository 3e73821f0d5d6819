/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct use of Blue Gene/Q's Message Unit: a remote get and a ping-pong of
 * direct puts between two processes, like the benchmarks in the paper.
 *
 * 	cc unit_bgq.c $(pkg-config --cflags --libs weft-nic) && ./a.out
 */
#include "unit_pair.h"

#include <weft/bgq.h>

#define BYTES  4096
#define ROUNDS 2000
#define SLOTS  16
#define RGET   1 /* number of the remote get FIFO */

enum {
	BAT_MEM = 1,
	BAT_COUNTER = 2,
};

static struct weft_bgq *mu;
static alignas(64) struct weft_bgq_desc ring[2][SLOTS];
static alignas(64) unsigned char mem[BYTES];
static _Atomic uint64_t counter;

/* Polls the unit; blocks briefly if it is idle. */
static void poll_unit(void)
{
	if (!weft_bgq_poll(mu, 16))
		weft_bgq_wait(mu, 1000000);
}

/* Sets up the unit: the memory that it may access, base addresses and FIFOs. */
static void setup(int me, int to_other)
{
	struct weft_bgq_attr attr = { .seed = 1 };
	struct sockaddr_in name;

	must(weft_bgq_open(&attr, &mu), "weft_bgq_open");
	must(weft_bgq_range_set(mu, 0, mem, sizeof(mem), 0), "range");
	must(weft_bgq_range_set(mu, 1, (void *)&counter, 8, 0), "range");
	must(weft_bgq_range_set(mu, 2, ring, sizeof(ring), 0), "range");
	must(weft_bgq_bat_set(mu, BAT_MEM, mem, 0), "base address");
	must(weft_bgq_bat_set(mu, BAT_COUNTER, (void *)&counter, 0), "base");
	must(weft_bgq_inj_open(mu, 0, ring[0], SLOTS, 0), "injection FIFO");
	must(weft_bgq_inj_open(mu, RGET, ring[1], SLOTS, WEFT_BGQ_RGET),
	     "FIFO");
	weft_bgq_name(mu, &name);
	exchange_names(to_other, &name);
	must(weft_bgq_node_set(mu, (uint32_t)!me, &name), "node");
}

static void post(const struct weft_bgq_desc *d)
{
	while (weft_bgq_inj_post(mu, 0, d, NULL))
		poll_unit();
}

static void wait_counter(void)
{
	while (counter)
		poll_unit();
}

/*
 * Returns the descriptor of a direct put from `mem` to `mem` of the other
 * process, with the reception counter of that process.
 */
static struct weft_bgq_desc put_desc(uint32_t node, uint64_t bytes)
{
	struct weft_bgq_msg msg = {
		.node = node,
		.vc = WEFT_BGQ_VC_ORDERED,
		.payload = mem,
		.bytes = bytes,
	};
	struct weft_bgq_put put = { .bat = BAT_MEM, .ctr_bat = BAT_COUNTER };
	struct weft_bgq_desc d;

	weft_bgq_desc_put(&d, &msg, &put);
	return d;
}

/*
 * Node 0 reads node 1's memory: the packet carries a descriptor that node 1's
 * unit executes. Node 1 has sent the descriptor beforehand, because it contains
 * an address of node 1.
 */
static void remote_get(int to_other)
{
	struct weft_bgq_msg msg = {
		.node = 1,
		.vc = WEFT_BGQ_VC_ORDERED,
		.bytes = sizeof(struct weft_bgq_desc),
	};
	struct weft_bgq_desc inner;
	struct weft_bgq_desc d;

	recv_bytes(to_other, &inner, sizeof(inner));
	memcpy(mem, &inner, sizeof(inner));
	msg.payload = mem;
	weft_bgq_desc_get(&d, &msg, RGET);
	counter = BYTES;
	post(&d);
	wait_counter();
	printf("remote get: %d bytes, the last is %d\n", BYTES, mem[BYTES - 1]);
}

static void serve_get(int to_other)
{
	struct weft_bgq_desc inner = put_desc(0, BYTES);

	memset(mem, 42, sizeof(mem));
	send_bytes(to_other, &inner, sizeof(inner));
	while (!weft_bgq_load(mu, WEFT_BGQ_INJ_COUNT, RGET))
		poll_unit();
}

static void ping_pong(int me)
{
	struct weft_bgq_desc d = put_desc((uint32_t)!me, 8);
	double t = now();

	counter = 8;
	for (int i = 0; i < ROUNDS; i++) {
		if (me == 0)
			post(&d);
		wait_counter();
		counter = 8;
		if (me == 1)
			post(&d);
	}
	if (me == 0)
		printf("direct put ping-pong: %.0f ns one way\n",
		       (now() - t) / ROUNDS / 2 * 1e9);
}

int main(void)
{
	int to_other;
	int me = two_processes(&to_other);

	setup(me, to_other);
	if (me == 0)
		remote_get(to_other);
	else
		serve_get(to_other);
	counter = 8;
	barrier(to_other, poll_unit);
	ping_pong(me);
	barrier(to_other, poll_unit);
	weft_bgq_close(mu);
	return finish(me);
}
