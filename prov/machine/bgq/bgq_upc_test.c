/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance counters of the Message Unit: exact counts of known messages. */
#include "test/support/bgq_pair.h"

static uint64_t upc(struct side *s, enum weft_bgq_upc i)
{
	return weft_bgq_load(s->mu, WEFT_BGQ_UPC, i);
}

/* Opens a pair of units whose counters are 0. */
static void upc_open(struct pair *p)
{
	pair_open(p, "");
	for (unsigned i = 0; i < WEFT_BGQ_UPCS; i++) {
		T_OK(weft_bgq_store(p->a.mu, WEFT_BGQ_UPC, i, 0));
		T_OK(weft_bgq_store(p->b.mu, WEFT_BGQ_UPC, i, 0));
	}
}

/* Polls both units until one has received n packets. */
static void until_received(struct pair *p, struct side *s, uint64_t n)
{
	for (int i = 0; i < 1000000; i++) {
		if (upc(s, WEFT_BGQ_UPC_PACKETS_RECEIVED) >= n)
			break;
		pair_run(p, 1);
	}
	T_IS(upc(s, WEFT_BGQ_UPC_PACKETS_RECEIVED), n);
}

/* Messages of 0 bytes, of a whole packet, and of three packets. */
static void send_three(struct pair *p)
{
	upc_open(p);
	pair_send(p, 0, p->a.mem, 0);
	pair_send(p, 0, p->a.mem, 512);
	pair_send(p, 0, p->a.mem + 8, 1300);
	until_received(p, &p->b, 5);
}

static void sender_counts_packets_and_memory_reads(void **state)
{
	struct pair p;

	send_three(&p);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_PACKETS_SENT), 5);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MESSAGES_SENT), 3);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_PACKETS_RECEIVED), 0);
	/*
	 * 3 descriptors; 4 requests of 128 bytes; at offset 8: 4 of 128 and one
	 * of 32 bytes, the same, 2 of 128 and one of 32
	 */
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MASTER_READS), 3 + 4 + 5 + 5 + 3);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MASTER_READ_BYTES),
	     3 * 64 + 512 + 544 + 544 + 288);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MASTER_WRITES), 0);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_SLAVE_WRITES), 3);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_FETCHED, 0), 3);
	pair_close(&p);
}

static void receiver_counts_packets_and_memory_writes(void **state)
{
	struct pair p;

	send_three(&p);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MESSAGES_RECEIVED), 3);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_PACKETS_SENT), 0);
	/* header and payload in the FIFO at 0, 32, 576, 1120 and 1664 */
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MASTER_WRITES), 1 + 6 + 6 + 5 + 3);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MASTER_WRITE_BYTES), 32 + 3 * 544 + 320);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_SLAVE_READS), 0);
	/* the tail is read once more than there are packets */
	T_IS(weft_bgq_rec_poll(p.b.mu, 0, pair_take, &p.b, 16), 5);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_SLAVE_READS), 6);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_SLAVE_WRITES), 5);
	pair_close(&p);
}

static void writes_of_a_wrapped_packet_are_counted_in_two_parts(void **state)
{
	struct pair p;

	pair_open_rec(&p, "", 1024);
	pair_send(&p, 0, p.a.mem, 512);
	pair_until_packets(&p, 1);
	T_OK(weft_bgq_store(p.b.mu, WEFT_BGQ_UPC, WEFT_BGQ_UPC_MASTER_WRITES,
			    0));
	pair_send(&p, 0, p.a.mem, 512);
	pair_until_packets(&p, 2);
	/* 544 to 1024: 32, 64, 3 of 128; then 64 bytes at 0 */
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MASTER_WRITES), 5 + 1);
	pair_close(&p);
}

/*
 * Describes a put of 1000 bytes to base address 1, offset 64; the counter is at
 * base address 2.
 */
static void put_desc(struct pair *p, struct weft_bgq_desc *d, uint32_t node)
{
	struct weft_bgq_msg m = {
		.node = node,
		.payload = p->a.mem,
		.bytes = 1000,
		.vc = WEFT_BGQ_VC_ORDERED,
	};
	struct weft_bgq_put t = { .bat = 1, .offset = 64, .ctr_bat = 2 };

	weft_bgq_desc_put(d, &m, &t);
}

static void a_put_writes_data_and_a_counter_per_packet(void **state)
{
	struct weft_bgq_desc d;
	struct pair p;

	upc_open(&p);
	put_desc(&p, &d, 1);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	until_received(&p, &p.b, 2);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MESSAGES_RECEIVED), 1);
	/*
	 * writes per packet: 64, 3 of 128, 64 bytes; for the second packet 24
	 * bytes less; then the two counters
	 */
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MASTER_WRITES), 5 + 5 + 2);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MASTER_WRITE_BYTES), 2 * (512 + 32));
	pair_close(&p);
}

/* Two puts of 1000 bytes from b's memory to a's. */
static void a_remote_get_is_one_message_that_starts_others(void **state)
{
	struct weft_bgq_desc *in;
	struct weft_bgq_desc d;
	struct weft_bgq_msg m = { .node = 1, .vc = WEFT_BGQ_VC_ORDERED };
	struct pair p;

	upc_open(&p);
	in = (void *)p.a.mem;
	for (int i = 0; i < 2; i++) {
		put_desc(&p, &in[i], 0);
		((struct bgq_desc *)&in[i])->payload = (uintptr_t)p.b.mem;
	}
	m.payload = in;
	m.bytes = 2 * sizeof(*in);
	weft_bgq_desc_get(&d, &m, PAIR_RGET);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	until_received(&p, &p.a, 4);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MESSAGES_SENT), 1);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MESSAGES_RECEIVED), 2);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_PACKETS_RECEIVED), 1);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MASTER_WRITES), 2);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MASTER_WRITE_BYTES), 128);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_MESSAGES_SENT), 2);
	T_IS(upc(&p.b, WEFT_BGQ_UPC_PACKETS_SENT), 4);
	T_IS(weft_bgq_load(p.b.mu, WEFT_BGQ_INJ_FETCHED, PAIR_RGET), 2);
	/* b's processor has not posted these messages */
	T_IS(upc(&p.b, WEFT_BGQ_UPC_SLAVE_WRITES), 0);
	pair_close(&p);
}

static void a_refused_or_prefetched_message_is_not_counted(void **state)
{
	struct weft_bgq_msg m = {
		.node = 1,
		.vc = WEFT_BGQ_VC_ORDERED,
		.flags = WEFT_BGQ_PREFETCH,
		.bytes = 128,
	};
	struct weft_bgq_desc d;
	struct pair p;

	upc_open(&p);
	m.payload = p.a.mem;
	weft_bgq_desc_fifo(&d, &m, 0, NULL);
	T_OK(weft_bgq_inj_post(p.a.mu, 0, &d, NULL));
	pair_send(&p, 0, p.a.mem + PAIR_BYTES, 32); /* an invalid address */
	for (int i = 0; i < 100; i++)
		pair_run(&p, 1);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_ERROR, 0), WEFT_BGQ_ERR_RANGE);
	T_IS(weft_bgq_load(p.a.mu, WEFT_BGQ_INJ_FETCHED, 0), 2);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MASTER_READS), 2 + 1);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_MESSAGES_SENT), 0);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_PACKETS_SENT), 0);
	pair_close(&p);
}

static void slave_port_counts_accesses_to_fifo_registers(void **state)
{
	struct weft_bgq *mu;
	struct pair p;

	upc_open(&p);
	mu = p.a.mu;
	weft_bgq_load(mu, WEFT_BGQ_INJ_HEAD, 0);
	weft_bgq_load(mu, WEFT_BGQ_GI_STATUS, 0);
	weft_bgq_load(mu, WEFT_BGQ_IRQ_PENDING, 0); /* not counted */
	T_IS(upc(&p.a, WEFT_BGQ_UPC_SLAVE_READS), 2);
	T_OK(weft_bgq_store(mu, WEFT_BGQ_INJ_THRESHOLD, 0, 3));
	T_OK(weft_bgq_store(mu, WEFT_BGQ_IRQ_MASK, 0, 1));
	T_IS(weft_bgq_store(mu, WEFT_BGQ_INJ_HEAD, 0, 1), -EPERM);
	T_OK(weft_bgq_bat_set(mu, 9, p.a.mem, 0));
	T_IS(upc(&p.a, WEFT_BGQ_UPC_SLAVE_WRITES), 2);
	pair_send(&p, 0, p.a.mem, 32);
	T_OK(weft_bgq_inj_close(mu, 0));
	T_OK(weft_bgq_inj_open(mu, 0, p.a.ring, PAIR_SLOTS, 0));
	T_IS(upc(&p.a, WEFT_BGQ_UPC_SLAVE_WRITES), 2 + 1 + 4);
	T_OK(weft_bgq_store(mu, WEFT_BGQ_UPC, WEFT_BGQ_UPC_SLAVE_WRITES, 50));
	pair_send(&p, 0, p.a.mem, 32);
	T_IS(upc(&p.a, WEFT_BGQ_UPC_SLAVE_WRITES), 51);
	T_IS(weft_bgq_store(mu, WEFT_BGQ_UPC, WEFT_BGQ_UPCS, 0), -EINVAL);
	T_IS(weft_bgq_load(mu, WEFT_BGQ_UPC, WEFT_BGQ_UPCS), 0);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(sender_counts_packets_and_memory_reads),
		T_CASE(receiver_counts_packets_and_memory_writes),
		T_CASE(writes_of_a_wrapped_packet_are_counted_in_two_parts),
		T_CASE(a_put_writes_data_and_a_counter_per_packet),
		T_CASE(a_remote_get_is_one_message_that_starts_others),
		T_CASE(a_refused_or_prefetched_message_is_not_counted),
		T_CASE(slave_port_counts_accesses_to_fifo_registers),
	};

	return T_RUN(tests);
}
