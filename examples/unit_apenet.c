/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct use of the APEnet+ board. Two processes do a ping-pong with puts. Then
 * process 0 puts data from its device memory to the device memory of process 1,
 * repeats this with copies through host memory, and gets the data back.
 *
 * 	cc unit_apenet.c $(pkg-config --cflags --libs weft-nic) && ./a.out
 */
#include "unit_pair.h"

#include <weft/apenet.h>
#include <weft/mem.h>

#define ROUNDS 2000
#define BYTES  (1 << 20)

static struct weft_apenet *nic;
static char *host, *device; /* buffers of BYTES bytes */
/* addresses of the other process's buffers `host` and `device` */
static uint64_t peer_host, peer_device;

/* Polls the board; blocks briefly if it is idle. */
static void poll_unit(void)
{
	if (!weft_apenet_poll(nic, 16))
		weft_apenet_wait(nic, 1000000);
}

static void setup(int me, int to_other)
{
	const unsigned all = WEFT_APENET_MAY_READ | WEFT_APENET_MAY_WRITE;
	struct weft_apenet_attr attr = { .node = (uint32_t)me };
	struct sockaddr_in name;
	uint64_t at[2];
	unsigned buf;

	must(weft_apenet_open(&attr, &nic), "weft_apenet_open");
	must(weft_mem_alloc(WEFT_MEM_HOST, BYTES, (void **)&host), "host");
	must(weft_mem_alloc(WEFT_MEM_DEVICE, BYTES, (void **)&device),
	     "device");
	must(weft_apenet_buf_open(nic, host, BYTES, all, &buf), "buffer");
	must(weft_apenet_buf_open(nic, device, BYTES, all, &buf), "buffer");
	weft_apenet_name(nic, &name);
	exchange_names(to_other, &name);
	must(weft_apenet_node_set(nic, (uint32_t)!me, &name), "node");
	at[0] = (uintptr_t)host;
	at[1] = (uintptr_t)device;
	send_bytes(to_other, at, sizeof(at));
	recv_bytes(to_other, at, sizeof(at));
	peer_host = at[0];
	peer_device = at[1];
}

/* Waits for the next event and checks its type and status. */
static void expect(int what)
{
	struct weft_apenet_event ev;

	while (weft_apenet_event(nic, &ev))
		weft_apenet_poll(nic, 16);
	must(ev.what == what && !ev.status ? 0 : -5, "event");
}

static void ping_pong(int me)
{
	const struct weft_apenet_cmd ping = {
		.node = (uint32_t)!me,
		.flags = WEFT_APENET_RECEIVE,
		.local = (uintptr_t)host,
		.remote = peer_host,
		.bytes = 8,
	};
	double t = now();

	for (int i = 0; i < 2 * ROUNDS; i++) {
		if (i % 2 != me) {
			expect(WEFT_APENET_RECEIVED);
			continue;
		}
		must(weft_apenet_put(nic, &ping), "put");
		weft_apenet_poll(nic, 4);
	}
	if (me == 0)
		printf("puts of 8 bytes: %.0f ns one way\n",
		       (now() - t) / ROUNDS / 2 * 1e9);
}

static void put_device(const char *how, unsigned flags)
{
	struct weft_apenet_cmd put = {
		.node = 1,
		.flags = WEFT_APENET_EVENT | WEFT_APENET_RECEIVE | flags,
		.local = (uintptr_t)device,
		.remote = peer_device,
		.bytes = BYTES,
	};
	struct weft_apenet_stats st;

	memset(host, how[0], BYTES);
	must(weft_mem_in(device, host, BYTES), "copy in");
	must(weft_apenet_put(nic, &put), "put");
	expect(WEFT_APENET_SENT);
	weft_apenet_stats(nic, &st);
	printf("%s: %llu packets read by the board, %llu copies\n", how,
	       (unsigned long long)st.peer_reads,
	       (unsigned long long)st.copies);
}

static void check_device(const char *how)
{
	expect(WEFT_APENET_RECEIVED);
	must(weft_mem_out(host, device, BYTES), "copy out");
	must(host[0] == how[0] && host[BYTES - 1] == how[0] ? 0 : -5, how);
}

static void get_device(void)
{
	const struct weft_apenet_cmd get = {
		.node = 1,
		.flags = WEFT_APENET_EVENT,
		.local = (uintptr_t)host,
		.remote = peer_device,
		.bytes = BYTES,
	};

	memset(host, 0, BYTES);
	must(weft_apenet_get(nic, &get), "get");
	expect(WEFT_APENET_GOT);
	must(host[BYTES - 1] == 's' ? 0 : -5, "data of the get");
	printf("get: data is correct\n");
}

int main(void)
{
	int to_other;
	int me = two_processes(&to_other);

	setup(me, to_other);
	barrier(to_other, poll_unit);
	ping_pong(me);
	barrier(to_other, poll_unit);
	if (me == 0) {
		put_device("peer to peer", 0);
		barrier(to_other, poll_unit);
		put_device("staged", WEFT_APENET_STAGED);
		barrier(to_other, poll_unit);
		get_device();
	} else {
		check_device("peer to peer");
		barrier(to_other, poll_unit);
		check_device("staged");
		barrier(to_other, poll_unit);
	}
	barrier(to_other, poll_unit);
	weft_apenet_close(nic);
	weft_mem_free(WEFT_MEM_HOST, host);
	weft_mem_free(WEFT_MEM_DEVICE, device);
	return finish(me);
}
