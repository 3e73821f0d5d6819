/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that a device copies: by the receiver, by the sender at the
 * receiver's request, and in packets if the device refuses, on every machine;
 * errors, a peer that dies during the copy, and forged packets.
 */
#include "prov/mem/mem.h"
#include "prov/nic/nic_int.h"
#include "test/support/nic_pair.h"

#define BYTES ((size_t)70001)

/* Behaviour of the callbacks of both sides. */
static struct {
	bool offer;  /* the sender copies */
	int err;     /* result of starting a copy */
	int at_end;  /* result of the copy */
	int polls;   /* polls until a copy is complete */
	int fetches; /* copies started by the receiver */
	int stores;  /* copies started by the sender */
	int packets; /* calls of pack */
} device;

static unsigned char from[BYTES], to[BYTES];
static struct weft_mem_share share;

static void pack(void *arg, size_t pos, void *out, size_t bytes)
{
	device.packets++;
	memcpy(out, from + pos, bytes);
}

static void unpack(void *arg, size_t pos, const void *in, size_t bytes)
{
	memcpy(to + pos, in, bytes);
}

static struct weft_nic_typed typed = { pack, unpack, NULL };

static int start(uint64_t bytes, uint32_t *ticket_p)
{
	*ticket_p = 1;
	if (!device.err)
		memcpy(to, from, bytes);
	return device.err;
}

static int up_fetch(void *arg, struct weft_nic_op *op,
		    const struct weft_mem_share *s, uint32_t *ticket_p)
{
	T_MEM(s, &share, sizeof(share));
	device.fetches++;
	return start(op->len, ticket_p);
}

static bool up_offer(void *arg, struct weft_nic_op *op,
		     const struct weft_mem_share *s,
		     struct weft_mem_share *mine)
{
	*mine = share;
	return device.offer;
}

static int up_store(void *arg, struct weft_nic_op *op,
		    const struct weft_mem_share *s, uint64_t bytes,
		    uint32_t *ticket_p)
{
	T_MEM(s, &share, sizeof(share));
	device.stores++;
	return start(bytes, ticket_p);
}

static int up_fetched(void *arg, uint32_t ticket)
{
	T_IS(ticket, 1);
	return device.polls-- > 0 ? -EAGAIN : device.at_end;
}

static const struct weft_nic_up device_up = {
	.done = up_done,
	.region = up_region,
	.event = up_event,
	.fetch = up_fetch,
	.offer = up_offer,
	.store = up_store,
	.fetched = up_fetched,
};

static struct world *device_world(const char *machine)
{
	const struct grid g = { .machine = machine };
	struct world *w = world_open(&g);

	weft_nic_set_up(w->a.nic, &device_up);
	weft_nic_set_up(w->b.nic, &device_up);
	memset(&device, 0, sizeof(device));
	memset(&share, 0x5a, sizeof(share));
	memset(to, 0, sizeof(to));
	t_fill(from, sizeof(from), 3);
	return w;
}

static void post(struct side *s, bool send, size_t bytes)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);

	op->kind = send ? WEFT_SEND : WEFT_RECV;
	op->flags = WEFT_OP_TAGGED | (send ? WEFT_OP_ACK : 0);
	op->peer = send ? s->peer : NULL;
	op->tag = op->m.tag = 9;
	op->m.src = WEFT_MATCH_ANY;
	op->m.ignore = 0;
	op->iov[0] = (struct iovec){ &typed, bytes };
	op->iov_count = WEFT_IOV_TYPED;
	op->len = bytes;
	if (send)
		op->share = &share;
	T_OK(send ? weft_nic_send(s->nic, op) : weft_nic_recv(s->nic, op));
}

/* Sends a message; early: the receive is posted before it arrives. */
static void message(struct world *w, size_t bytes, size_t room, bool early)
{
	if (early)
		post(&w->b, false, room);
	post(&w->a, true, bytes);
	for (int i = 0; i < 20; i++)
		poll_both(w);
	if (!early)
		post(&w->b, false, room);
	poll_until(w, &w->b, 1);
	poll_until(w, &w->a, 1);
}

static void expect(struct world *w, size_t bytes, int sent, int received)
{
	T_IS(w->a.completion[0].err, sent);
	T_IS(w->b.completion[0].err, received);
	if (!received || received == -EOVERFLOW) {
		T_IS(w->b.completion[0].len, bytes);
		T_MEM(to, from, bytes);
	}
	T_FALSE(weft_nic_fetching(w->a.nic));
	T_FALSE(weft_nic_fetching(w->b.nic));
	world_close(w);
}

static const char *const machines[] = { "native", "bgq",    "gemini",
					"qsnet2", "sunway", "apenet" };

static void the_receiver_copies(void **state)
{
	static const size_t bytes[] = { 1, 8, 5000, BYTES };

	for (unsigned m = 0; m < 6; m++) {
		for (unsigned i = 0; i < 8; i++) {
			struct world *w = device_world(machines[m]);

			device.polls = (int)i;
			message(w, bytes[i / 2], BYTES, i & 1);
			T_IS(device.fetches, 1);
			T_IS(device.packets, 0);
			expect(w, bytes[i / 2], 0, 0);
		}
	}
}

static void the_sender_copies_on_request(void **state)
{
	for (unsigned m = 0; m < 6; m++) {
		for (int early = 0; early < 2; early++) {
			struct world *w = device_world(machines[m]);

			device.offer = true;
			device.polls = 3;
			message(w, 5000, BYTES, early);
			T_IS(device.stores, 1);
			T_IS(device.fetches, 0);
			expect(w, 5000, 0, 0);
		}
	}
}

static void long_messages_are_truncated(void **state)
{
	for (int offer = 0; offer < 2; offer++) {
		struct world *w = device_world("native");

		device.offer = offer;
		message(w, BYTES, 1000, true);
		T_IS(w->b.completion[0].olen, BYTES - 1000);
		T_IS(to[1000], 0);
		expect(w, 1000, 0, -EOVERFLOW);
	}
}

static void refused_copies_become_packets(void **state)
{
	for (int offer = 0; offer < 2; offer++) {
		struct world *w = device_world("native");

		device.offer = offer;
		device.err = -EOPNOTSUPP;
		message(w, BYTES, BYTES, true);
		T_TRUE(device.packets > 0);
		expect(w, BYTES, 0, 0);
	}
}

static void errors_end_both_operations(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct world *w = device_world("native");

		device.offer = i & 1;
		*(i & 2 ? &device.err : &device.at_end) = -EIO;
		message(w, 5000, BYTES, true);
		T_IS(device.packets, 0);
		expect(w, 5000, -EIO, -EIO);
	}
}

static void without_callbacks_packets_are_sent(void **state)
{
	struct world *w = device_world("native");

	weft_nic_set_up(w->b.nic, &up);
	message(w, BYTES, BYTES, false);
	T_IS(device.fetches, 0);
	expect(w, BYTES, 0, 0);
}

/*
 * Packets that name no operation, or an operation in a wrong state, have no
 * effect.
 */
static void forged_packets_are_dropped(void **state)
{
	struct world *w = device_world("native");
	struct weft_unit *u = w->a.nic->unit;
	const struct iovec iov = { &share, sizeof(share) };
	struct weft_nic_stats before, after;

	post(&w->b, false, BYTES);
	for (int i = 0; i < 10; i++)
		poll_both(w);
	weft_nic_stats(w->b.nic, &before);
	for (uint32_t id = 0; id < 4; id++) {
		const struct weft_pkt store = { .type = NIC_STORE,
						.aux = id,
						.tag = 1,
						.data = 100,
						.len = sizeof(share) };
		const struct weft_pkt stored = { .type = NIC_STORED,
						 .aux = id };

		T_OK(u->ops->packet(u, w->a.peer, &store, &iov, 1));
		T_OK(u->ops->packet(u, w->a.peer, &stored, NULL, 0));
	}
	for (int i = 0; i < 10; i++)
		poll_both(w);
	weft_nic_stats(w->b.nic, &after);
	T_IS(after.garbage - before.garbage, 8);
	T_IS(w->b.completions, 0);
	T_IS(device.stores, 0);
	world_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_receiver_copies),
		T_CASE(the_sender_copies_on_request),
		T_CASE(long_messages_are_truncated),
		T_CASE(refused_copies_become_packets),
		T_CASE(errors_end_both_operations),
		T_CASE(without_callbacks_packets_are_sent),
		T_CASE(forged_packets_are_dropped),
	};

	return T_RUN(tests);
}
