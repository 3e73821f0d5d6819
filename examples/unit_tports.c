/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tagged ports of the Elan4 interface: two processes send each other messages
 * that the thread processor matches. Short messages are exchanged as a
 * ping-pong. The long message is announced by an envelope and fetched by a DMA,
 * which the receiver's unit posts and the sender's unit executes, while both
 * programs only poll their units.
 *
 * 	cc unit_tports.c $(pkg-config --cflags --libs weft-nic) && ./a.out
 */
#include "unit_pair.h"

#include <weft/qsnet2.h>

#define ROUNDS 1000
#define LONG   (1 << 20)
#define SECOND UINT64_C(1000000000)

static unsigned char buf[LONG];
static struct weft_qsnet2 *elan;
static struct weft_qsnet2_tports *ports;

static void poll_unit(void)
{
	if (!weft_qsnet2_poll(elan, 16))
		weft_qsnet2_wait(elan, 1000000);
}

static void setup(int me, int to_other)
{
	struct weft_qsnet2_attr attr = { 0 };
	struct weft_qsnet2_tports_attr t = { .vproc = (uint32_t)me };
	struct sockaddr_in name;

	must(weft_qsnet2_open(&attr, &elan), "weft_qsnet2_open");
	must(weft_qsnet2_map(elan, 0, buf, sizeof(buf), WEFT_QSNET2_ALL),
	     "map");
	must(weft_qsnet2_filter(elan, 0, WEFT_QSNET2_ACCEPT), "filter");
	weft_qsnet2_name(elan, &name);
	must(weft_qsnet2_route_set(elan, (uint32_t)me, &name, 0), "route");
	exchange_names(to_other, &name);
	must(weft_qsnet2_route_set(elan, (uint32_t)!me, &name, 0), "route");
	must(weft_qsnet2_tports_open(elan, &t, &ports),
	     "weft_qsnet2_tports_open");
}

static void send_message(uint32_t to, uint64_t tag, uint64_t bytes)
{
	unsigned req;
	int err;

	while ((err = weft_qsnet2_tports_tx(ports, to, tag, buf, bytes, 0,
					    &req)) == -11)
		poll_unit();
	must(err, "tx");
	must(weft_qsnet2_tports_wait(ports, req, NULL, 10 * SECOND), "tx");
}

/*
 * Receives from any sender; ignores the lowest 8 bits of the tag. Returns the
 * size of the message.
 */
static uint64_t receive_message(uint64_t tag, uint64_t bytes)
{
	struct weft_qsnet2_tports_status st;
	unsigned req;

	must(weft_qsnet2_tports_rx(ports, WEFT_QSNET2_ANY, tag, 255, buf, bytes,
				   &req),
	     "rx");
	must(weft_qsnet2_tports_wait(ports, req, &st, 10 * SECOND), "rx");
	must(st.err, "message");
	return st.bytes;
}

int main(void)
{
	struct weft_qsnet2_tports_stats st;
	int to_other;
	int me = two_processes(&to_other);
	double t;

	setup(me, to_other);
	barrier(to_other, poll_unit);
	t = now();
	for (uint64_t i = 0; i < ROUNDS; i++) {
		if (me == 0)
			send_message(1, 0x500 | (i & 255), 8);
		receive_message(0x500, 8);
		if (me == 1)
			send_message(0, 0x500 | (i & 255), 8);
	}
	if (me == 0)
		printf("8 bytes, round trip: %.0f ns\n",
		       (now() - t) / ROUNDS * 1e9);
	t = now();
	memset(buf, me + 1, sizeof(buf));
	if (me == 1)
		send_message(0, 0x600, LONG);
	else if (receive_message(0x600, LONG) == LONG)
		printf("%d bytes, rendezvous: %.0f us, last byte %d\n", LONG,
		       (now() - t) * 1e6, buf[LONG - 1]);
	barrier(to_other, poll_unit);
	weft_qsnet2_tports_stats(ports, &st);
	if (me == 0)
		printf("%d messages fetched by DMA\n", (int)st.fetched);
	weft_qsnet2_tports_close(ports);
	weft_qsnet2_close(elan);
	return finish(me);
}
