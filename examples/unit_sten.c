/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct use of Elan4: two processes. Process 0 writes into process 1 with the
 * short transaction engine and sets an event there; the event copies a command
 * that replies by DMA. After the first write neither program takes part: both
 * only poll their units.
 *
 *	cc unit_sten.c $(pkg-config --cflags --libs weft-nic) && ./a.out
 */
#include "unit_meet.h"

#include <stdalign.h>
#include <weft/sten.h>

#define BYTES  4096
#define ROUNDS 1000

/* Memory at the same address in both processes. */
static struct {
	alignas(64) struct weft_sten_event arrived;
	alignas(64) struct weft_sten_event answered;
	alignas(64) unsigned char data[BYTES];
	uint64_t command[16];
} m;

static struct weft_sten *elan;
static unsigned q;

/* Runs the unit; sleeps briefly when it has nothing to do. */
static void turn(void)
{
	if (!weft_sten_poll(elan, 16))
		weft_sten_wait(elan, 1000000);
}

static void setup(int me, int to_other)
{
	struct weft_sten_attr attr = { 0 };
	struct sockaddr_in name;

	must(weft_sten_open(&attr, &elan), "weft_sten_open");
	must(weft_sten_map(elan, 0, &m, sizeof(m), WEFT_STEN_ALL), "map");
	must(weft_sten_filter(elan, 0, WEFT_STEN_ACCEPT), "filter");
	must(weft_sten_queue_open(elan, 0, 8192, WEFT_STEN_MAY_ALL, 0, &q),
	     "command queue");
	weft_sten_name(elan, &name);
	swap_names(to_other, &name);
	must(weft_sten_route_set(elan, (uint32_t)!me, &name, 0), "route");
}

/* Process 1: when the event fires, its unit sends the data back by DMA. */
static void chain(void)
{
	struct weft_sten_stream st = { .word = m.command, .max = 16 };
	struct weft_sten_dma back = {
		.bytes = BYTES,
		.vproc = 0,
		.src = (uintptr_t)m.data,
		.dst = (uintptr_t)m.data,
		.dst_event = (uintptr_t)&m.answered,
	};

	weft_sten_run_dma(&st, &back);
	m.arrived.type = WEFT_STEN_EVENT_COPY;
	m.arrived.words = (uint8_t)st.count;
	m.arrived.from = (uintptr_t)m.command;
	m.arrived.to = WEFT_STEN_QUEUE_ADDRESS(q);
}

static void serve(void)
{
	memset(m.data, 7, sizeof(m.data));
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		while (m.arrived.fired < i)
			turn();
		m.arrived.count = -1;
	}
}

/* Process 0: one packet, two transactions, then wait for the reply. */
static void ask(void)
{
	uint64_t word[32];
	double t = now();

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		struct weft_sten_stream st = { .word = word, .max = 32 };

		m.answered.count = -1;
		weft_sten_open_packet(&st, 0, 1, 255);
		weft_sten_transaction(&st, WEFT_STEN_T_WRITE, (uintptr_t)m.data,
				      &i, 8);
		weft_sten_transaction(&st,
				      WEFT_STEN_T_SET_EVENT | WEFT_STEN_T_LAST,
				      (uintptr_t)&m.arrived, NULL, 0);
		while (weft_sten_queue_write(elan, q, word, st.count))
			turn();
		while (m.answered.fired < i)
			turn();
	}
	printf("packet, event, DMA of %d bytes back: %.0f ns\n", BYTES,
	       (now() - t) / ROUNDS * 1e9);
	printf("first byte %d, last byte %d\n", m.data[0], m.data[BYTES - 1]);
}

int main(void)
{
	int to_other;
	int me = two_processes(&to_other);

	setup(me, to_other);
	m.arrived.count = -1;
	if (me == 1)
		chain();
	meet(to_other, turn);
	if (me == 0)
		ask();
	else
		serve();
	meet(to_other, turn);
	weft_sten_close(elan);
	return finish(me);
}
