/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct use of Elan4 by two processes. Process 0 writes to the memory of
 * process 1 with the short transaction engine and sets an event there. The
 * event copies a command to the command queue of process 1's unit, which
 * replies by DMA. After the write, both programs only poll their units.
 *
 * 	cc unit_qsnet2.c $(pkg-config --cflags --libs weft-nic) && ./a.out
 */
#include "unit_pair.h"

#include <stdalign.h>
#include <weft/qsnet2.h>

#define BYTES  4096
#define ROUNDS 1000

/* Memory that has the same address in both processes. */
static struct {
	alignas(64) struct weft_qsnet2_event arrived;
	alignas(64) struct weft_qsnet2_event replied;
	alignas(64) unsigned char data[BYTES];
	uint64_t command[16];
} m;

static struct weft_qsnet2 *elan;
static unsigned q;

/* Polls the unit; blocks briefly if it is idle. */
static void poll_unit(void)
{
	if (!weft_qsnet2_poll(elan, 16))
		weft_qsnet2_wait(elan, 1000000);
}

static void setup(int me, int to_other)
{
	struct weft_qsnet2_attr attr = { 0 };
	struct sockaddr_in name;

	must(weft_qsnet2_open(&attr, &elan), "weft_qsnet2_open");
	must(weft_qsnet2_map(elan, 0, &m, sizeof(m), WEFT_QSNET2_ALL), "map");
	must(weft_qsnet2_filter(elan, 0, WEFT_QSNET2_ACCEPT), "filter");
	must(weft_qsnet2_queue_open(elan, 0, 8192, WEFT_QSNET2_MAY_ALL, 0, &q),
	     "command queue");
	weft_qsnet2_name(elan, &name);
	exchange_names(to_other, &name);
	must(weft_qsnet2_route_set(elan, (uint32_t)!me, &name, 0), "route");
}

/* Process 1: makes its unit send the data back by DMA when the event fires. */
static void chain(void)
{
	struct weft_qsnet2_stream st = { .word = m.command, .max = 16 };
	struct weft_qsnet2_dma back = {
		.bytes = BYTES,
		.vproc = 0,
		.src = (uintptr_t)m.data,
		.dst = (uintptr_t)m.data,
		.dst_event = (uintptr_t)&m.replied,
	};

	weft_qsnet2_run_dma(&st, &back);
	m.arrived.type = WEFT_QSNET2_EVENT_COPY;
	m.arrived.words = (uint8_t)st.count;
	m.arrived.from = (uintptr_t)m.command;
	m.arrived.to = WEFT_QSNET2_QUEUE_ADDRESS(q);
}

static void serve(void)
{
	memset(m.data, 7, sizeof(m.data));
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		while (m.arrived.fired < i)
			poll_unit();
		m.arrived.count = -1;
	}
}

/*
 * Process 0: sends one packet with two transactions, then waits for the reply.
 */
static void write_and_wait(void)
{
	uint64_t word[32];
	double t = now();

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		struct weft_qsnet2_stream st = { .word = word, .max = 32 };

		m.replied.count = -1;
		weft_qsnet2_open_packet(&st, 0, 1, 255);
		weft_qsnet2_transaction(&st, WEFT_QSNET2_T_WRITE,
					(uintptr_t)m.data, &i, 8);
		weft_qsnet2_transaction(
			&st, WEFT_QSNET2_T_SET_EVENT | WEFT_QSNET2_T_LAST,
			(uintptr_t)&m.arrived, NULL, 0);
		while (weft_qsnet2_queue_write(elan, q, word, st.count))
			poll_unit();
		while (m.replied.fired < i)
			poll_unit();
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
	barrier(to_other, poll_unit);
	if (me == 0)
		write_and_wait();
	else
		serve();
	barrier(to_other, poll_unit);
	weft_qsnet2_close(elan);
	return finish(me);
}
