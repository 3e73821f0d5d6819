/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct use of the Sunway interface: two processes do a ping-pong with fast
 * short messages; then process 0 writes to the memory of process 1, where an
 * answer word counts the messages.
 *
 * 	cc unit_sunway.c $(pkg-config --cflags --libs weft-nic) && ./a.out
 */
#include "unit_pair.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <weft/sunway.h>

#define JOB    100
#define ROUNDS 2000
#define WRITES 16
#define BYTES  65536

static struct weft_sunway *nic;
static unsigned vi;
static alignas(64) struct {
	_Atomic uint64_t answer; /* number of complete messages */
	char bytes[WRITES][BYTES];
} mine;
/* registered address of `mine`, the same in both processes */
static uint64_t address;

/* Polls the unit; blocks briefly if it is idle. */
static void poll_unit(void)
{
	if (!weft_sunway_poll(nic, 16))
		weft_sunway_wait(nic, 1000000);
}

static void setup(int me, int to_other)
{
	struct weft_sunway_attr attr = { .guid = (uint32_t)me };
	struct weft_sunway_vi v = {
		.job = JOB, .sends = 64, .receives = 64, .events = 64
	};
	struct weft_sunway_mem m = {
		.base = &mine,
		.bytes = sizeof(mine),
		.job = JOB,
		.kind = WEFT_SUNWAY_PAGED,
		.rights = WEFT_SUNWAY_MAY_WRITE,
		.page_bits = 16,
	};
	struct weft_sunway_name name;

	must(weft_sunway_open(&attr, &nic), "weft_sunway_open");
	must(weft_sunway_vi_open(nic, &v, &vi), "interface");
	must(weft_sunway_mem_open(nic, &m, &address), "memory");
	weft_sunway_name(nic, &name);
	send_bytes(to_other, &name, sizeof(name));
	recv_bytes(to_other, &name, sizeof(name));
	must(weft_sunway_node_set(nic, (uint32_t)!me, &name), "node");
}

static struct weft_sunway_desc desc_to_peer(int me, unsigned op)
{
	return (struct weft_sunway_desc){
		.op = (uint8_t)op,
		.port = WEFT_SUNWAY_ADAPTIVE,
		.vi = (uint8_t)vi,
		.guid = (uint32_t)!me,
	};
}

static void post(int me, uint64_t msg)
{
	struct weft_sunway_desc d = desc_to_peer(me, WEFT_SUNWAY_QUEUE);
	struct iovec iov = { &msg, sizeof(msg) };

	d.flags = WEFT_SUNWAY_RELIABLE;
	while (weft_sunway_fsm(nic, 0, vi, &d, &iov, 1))
		poll_unit();
	weft_sunway_poll(nic, 1);
}

static void receive(void)
{
	struct weft_sunway_arrival a;

	while (weft_sunway_rq_peek(nic, 0, vi, &a))
		weft_sunway_poll(nic, 16);
	weft_sunway_rq_release(nic, 0, vi);
}

static void ping_pong(int me)
{
	double t = now();

	for (int i = 0; i < ROUNDS; i++) {
		if (me == 0)
			post(me, (uint64_t)i);
		receive();
		if (me == 1)
			post(me, (uint64_t)i);
	}
	if (me == 0)
		printf("short messages: %.0f ns one way\n",
		       (now() - t) / ROUNDS / 2 * 1e9);
}

static void write_all(int me)
{
	struct weft_sunway_desc d = desc_to_peer(me, WEFT_SUNWAY_RDMAW);

	d.flags = WEFT_SUNWAY_ANSWER;
	d.answer = address;
	d.bytes = BYTES;
	for (int i = 0; i < WRITES; i++) {
		memset(mine.bytes[i], 'a' + i, BYTES);
		d.local = address + 8 + (uint64_t)i * BYTES;
		d.remote = d.local;
		while (weft_sunway_post(nic, 0, vi, &d))
			poll_unit();
	}
}

static void await_writes(void)
{
	int good = 0;

	while (atomic_load(&mine.answer) < WRITES)
		poll_unit();
	for (int i = 0; i < WRITES; i++)
		good += mine.bytes[i][0] == 'a' + i &&
			mine.bytes[i][BYTES - 1] == 'a' + i;
	printf("writes received from the other process: %d of %d\n", good,
	       WRITES);
	must(good == WRITES ? 0 : -5, "bytes");
}

int main(void)
{
	int to_other;
	int me = two_processes(&to_other);

	setup(me, to_other);
	barrier(to_other, poll_unit);
	ping_pong(me);
	barrier(to_other, poll_unit);
	if (me == 0)
		write_all(me);
	else
		await_writes();
	barrier(to_other, poll_unit);
	weft_sunway_close(nic);
	return finish(me);
}
