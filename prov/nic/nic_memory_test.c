/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory registers: the engine opens them for buffers and regions that peers
 * access, closes all of them, and sends packets if none is free. The unit is
 * `direct` with registers that only count.
 */
#include "test/support/nic_pair.h"

static int limit; /* registers that may be open */
static int open_now;
static int opens;
static unsigned granted; /* access bits of the last register */

static const struct weft_unit_ops counting;

static int counting_open(const struct weft_machine *m,
			 const struct weft_carrier_ops *carrier,
			 const struct weft_carrier_attr *attr,
			 struct weft_unit **u_p)
{
	int err = weft_unit_direct.open(m, carrier, attr, u_p);

	if (!err)
		(*u_p)->ops = &counting;
	return err;
}

static void counting_close(struct weft_unit *u)
{
	weft_unit_direct.close(u);
}

static int counting_packet(struct weft_unit *u, struct weft_peer *peer,
			   const struct weft_pkt *pkt, const struct iovec *iov,
			   int count)
{
	return weft_unit_direct.packet(u, peer, pkt, iov, count);
}

static int counting_get(struct weft_unit *u, struct weft_peer *peer,
			struct weft_dma *d)
{
	return weft_unit_direct.get(u, peer, d);
}

static int counting_put(struct weft_unit *u, struct weft_peer *peer,
			struct weft_dma *d)
{
	return weft_unit_direct.put(u, peer, d);
}

static int counting_poll(struct weft_unit *u, int budget)
{
	return weft_unit_direct.poll(u, budget);
}

static int counting_mem_open(struct weft_unit *u, const struct iovec *mem,
			     unsigned access)
{
	T_TRUE(mem->iov_len > 0);
	if (open_now == limit)
		return -ENOSPC;
	granted = access;
	opens++;
	return open_now++;
}

static void counting_mem_close(struct weft_unit *u, int reg)
{
	T_TRUE(open_now-- > 0);
}

static const struct weft_unit_ops counting = {
	.name = "counting",
	.open = counting_open,
	.close = counting_close,
	.packet = counting_packet,
	.get = counting_get,
	.put = counting_put,
	.mem_open = counting_mem_open,
	.mem_close = counting_mem_close,
	.poll = counting_poll,
};

static struct world *counting_world(int registers)
{
	static struct weft_machine m;
	const struct grid g = { .own = &m };

	m = *weft_machine_find("native");
	m.unit = &counting;
	m.packet_bytes = 1024;
	limit = registers;
	open_now = 0;
	opens = 0;
	return world_open(&g);
}

/* Sends a long message; returns whether it was sent in packets. */
static bool message(struct world *w)
{
	char *out = malloc(BIG), *in = calloc(1, BIG);
	unsigned done = w->a.completions + 1;
	struct weft_nic_stats before, after;

	weft_nic_stats(w->b.nic, &before);
	t_fill(out, BIG, 3);
	post_recv(&w->b, in, BIG, done, WEFT_MATCH_ANY);
	post_send(w, &w->a, out, BIG, done, 0);
	poll_until(w, &w->a, done);
	poll_until(w, &w->b, done);
	T_IS(w->b.completion[done - 1].err, 0);
	T_IS(t_differs(in, BIG, 3), -1);
	weft_nic_stats(w->b.nic, &after);
	free(out);
	free(in);
	return after.paced > before.paced;
}

static void registers_of_a_message_are_closed_at_its_end(void **state)
{
	struct world *w = counting_world(8);

	T_FALSE(message(w));
	T_IS(opens, 1); /* one register: that of the send buffer */
	T_IS(open_now, 0);
	/* DMA has worked: the sender also copies into the receive buffer */
	T_FALSE(message(w));
	T_IS(opens, 3);
	T_IS(granted, WEFT_MR_REMOTE_WRITE);
	T_IS(open_now, 0);
	world_close(w);
}

static void without_a_register_a_message_is_sent_in_packets(void **state)
{
	struct world *w = counting_world(0);

	T_TRUE(message(w));
	limit = 1;
	T_FALSE(message(w)); /* no register is left for a shared copy */
	T_FALSE(message(w));
	T_IS(open_now, 0);
	world_close(w);
}

static void a_region_has_a_register_while_it_is_listed(void **state)
{
	const struct weft_mem_access row = {
		.key = 1,
		.len = sizeof(((struct side *)0)->mem),
		.access = WEFT_MR_REMOTE_READ | WEFT_MR_EVENTS,
	};
	struct world *w = counting_world(1);

	weft_nic_region_list(w->b.nic, &row, w->b.mem);
	T_IS(open_now, 1);
	T_IS(granted, WEFT_MR_REMOTE_READ);
	weft_nic_region_list(w->b.nic, &row, w->b.mem);
	T_IS(open_now, 1);
	weft_nic_region_unlist(w->b.nic, 1);
	T_IS(open_now, 0);
	weft_nic_region_unlist(w->b.nic, 1);
	T_IS(open_now, 0);
	world_close(w);
}

/* If a region has no register, peers access its memory by requests. */
static void without_a_register_a_region_is_not_listed(void **state)
{
	const struct weft_mem_access row = {
		.key = 1,
		.len = sizeof(((struct side *)0)->mem),
		.access = WEFT_MR_REMOTE_READ | WEFT_MR_REMOTE_WRITE,
	};
	static char buf[4000];

	for (int registers = 0; registers <= 2; registers++) {
		struct world *w = counting_world(registers);

		weft_nic_region_list(w->b.nic, &row, w->b.mem);
		T_IS(open_now, registers > 0);
		t_fill(buf, sizeof(buf), 5);
		post_rma(&w->a, WEFT_WRITE, buf, sizeof(buf), 1);
		poll_until(w, &w->a, 1);
		memset(buf, 0, sizeof(buf));
		post_rma(&w->a, WEFT_READ, buf, sizeof(buf), 1);
		poll_until(w, &w->a, 2);
		T_IS(w->a.completion[0].err, 0);
		T_IS(w->a.completion[1].err, 0);
		T_IS(t_differs(buf, sizeof(buf), 5), -1);
		T_IS(open_now, registers > 0);
		weft_nic_region_unlist(w->b.nic, 1);
		world_close(w);
	}
}

/* A request that the target serves by DMA has a register for its buffer. */
static void the_buffer_of_a_request_has_a_register(void **state)
{
	struct world *w = counting_world(1);
	static char buf[4000];

	post_rma(&w->a, WEFT_WRITE, buf, sizeof(buf), 1);
	T_IS(open_now, 1);
	T_IS(granted, WEFT_MR_REMOTE_READ);
	poll_until(w, &w->a, 1);
	T_IS(open_now, 0);
	post_rma(&w->a, WEFT_READ, buf, sizeof(buf), 1);
	T_IS(granted, WEFT_MR_REMOTE_WRITE);
	poll_until(w, &w->a, 2);
	T_IS(w->a.completion[0].err, 0);
	T_IS(w->a.completion[1].err, 0);
	T_IS(opens, 2);
	T_IS(open_now, 0);
	world_close(w);
}

/* Machine files replace the table's sizes; packets cannot become larger. */
static void a_machine_file_sets_the_sizes_of_messages(void **state)
{
	const struct weft_machine *row = weft_machine_find("bgq");
	struct weft_machine m;

	T_OK(weft_machine_modelled("mu", 0, 0, &m));
	T_IS(m.packet_bytes, row->packet_bytes);
	T_IS(m.eager_bytes, row->eager_bytes);
	T_OK(weft_machine_modelled("mu", 256, 1024, &m));
	T_IS(m.packet_bytes, 256);
	T_IS(m.eager_bytes, 1024);
	T_STR(m.name, "bgq");
	T_OK(weft_machine_modelled("mu", row->packet_bytes, 0, &m));
	T_IS(weft_machine_modelled("mu", row->packet_bytes + 1, 0, &m),
	     -EMSGSIZE);
	T_IS(weft_machine_modelled("unknown", 0, 0, &m), -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(registers_of_a_message_are_closed_at_its_end),
		T_CASE(without_a_register_a_message_is_sent_in_packets),
		T_CASE(a_region_has_a_register_while_it_is_listed),
		T_CASE(without_a_register_a_region_is_not_listed),
		T_CASE(the_buffer_of_a_request_has_a_register),
		T_CASE(a_machine_file_sets_the_sizes_of_messages),
	};

	return T_RUN(tests);
}
