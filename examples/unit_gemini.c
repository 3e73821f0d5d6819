/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct use of Gemini's FMA: two processes increment a counter by atomic
 * operations, then exchange short messages through mailboxes.
 *
 *	cc unit_gemini.c $(pkg-config --cflags --libs weft-nic) && ./a.out
 */
#include "unit_pair.h"

#include <stdalign.h>
#include <weft/gemini.h>

#define ADDS   1000
#define ROUNDS 2000

static struct weft_gemini *nic;
/* counter of process 0, incremented by both processes */
static alignas(64) uint64_t total;
static unsigned cq;
static unsigned mdh;

/* Polls the unit; blocks briefly if it is idle. */
static void poll_unit(void)
{
	if (!weft_gemini_poll(nic, 16))
		weft_gemini_wait(nic, 1000000);
}

static void setup(int me, int to_other)
{
	struct weft_gemini_attr attr = { .ptag = 1 };
	struct sockaddr_in name[2];

	must(weft_gemini_open(&attr, &nic), "weft_gemini_open");
	must(weft_gemini_cq_open(nic, 64, &cq), "queue");
	must(weft_gemini_mem_open(nic, &total, 8, WEFT_GEMINI_WRITABLE,
				  WEFT_GEMINI_NO_CQ, &mdh),
	     "memory");
	weft_gemini_name(nic, &name[me]);
	name[!me] = name[me];
	exchange_names(to_other, &name[!me]);
	for (uint32_t i = 0; i < 2; i++)
		must(weft_gemini_node_set(nic, i, &name[i]), "node");
}

/*
 * Issues atomic adds through window 0, then waits for the event that reports
 * their completion.
 */
static void add_all(void)
{
	struct weft_gemini_window w = {
		.pe = 0,
		.mdh = (uint16_t)mdh,
		.cq = (uint16_t)cq,
	};
	struct weft_gemini_event e;

	must(weft_gemini_window_set(nic, 0, &w), "window");
	for (int i = 0; i < ADDS; i++)
		while (weft_gemini_amo(nic, 0, 0, WEFT_GEMINI_ADD, 1, 0, NULL))
			poll_unit();
	while (weft_gemini_sync(nic, 0, 1))
		poll_unit();
	while (weft_gemini_cq_read(nic, cq, &e))
		poll_unit();
	must(e.status ? -5 : 0, "status");
}

static void receive(struct weft_gemini_smsg *box)
{
	const void *msg;
	uint32_t n;

	while (weft_gemini_smsg_next(box, &msg, &n))
		poll_unit();
	weft_gemini_smsg_release(box);
}

static void post(struct weft_gemini_smsg *box, const void *msg, uint32_t n)
{
	while (weft_gemini_smsg_send(box, msg, n))
		poll_unit();
}

static void mailboxes(int me, int to_other)
{
	struct weft_gemini_smsg_name name = { .pe = (uint32_t)me };
	struct weft_gemini_smsg *box;
	uint64_t msg = 0;
	double t;

	must(weft_gemini_smsg_open(nic, 8, 64, &box), "mailbox");
	weft_gemini_smsg_name(box, &name);
	send_bytes(to_other, &name, sizeof(name));
	recv_bytes(to_other, &name, sizeof(name));
	must(weft_gemini_smsg_connect(box, 1, &name), "connect");
	barrier(to_other, poll_unit);
	t = now();
	for (int i = 0; i < ROUNDS; i++) {
		if (me == 0)
			post(box, &msg, sizeof(msg));
		receive(box);
		if (me == 1)
			post(box, &msg, sizeof(msg));
	}
	if (me == 0)
		printf("mailbox ping-pong: %.0f ns one way\n",
		       (now() - t) / ROUNDS / 2 * 1e9);
	barrier(to_other, poll_unit);
	weft_gemini_smsg_close(box);
}

/*
 * Process 0 polls while process 1 increments the counter, since its unit
 * executes the increments only in a poll.
 */
static void serve(void)
{
	while (total < 2 * ADDS)
		poll_unit();
	printf("counter incremented by both processes: %ju\n",
	       (uintmax_t)total);
}

int main(void)
{
	int to_other;
	int me = two_processes(&to_other);

	setup(me, to_other);
	add_all();
	if (me == 0)
		serve();
	barrier(to_other, poll_unit);
	mailboxes(me, to_other);
	weft_gemini_close(nic);
	return finish(me);
}
