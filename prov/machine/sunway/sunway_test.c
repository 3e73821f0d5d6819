/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA, queue messages and fast short messages of the Sunway interface. */
#include "test/support/sunway_pair.h"

/* ---- RDMA ---- */

static void a_write_ends_with_an_event(void **state)
{
	struct weft_sunway_desc d;
	struct weft_sunway_event ev;
	struct pair p;

	pair_open(&p, "");
	t_fill(p.a.mem, 10000, 1);
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 10000);
	d.local = p.a.address;
	d.remote += 300;
	d.cookie = 77;
	pair_post(&p.a, &d);
	ev = pair_event(&p, &p.a, 0);
	T_IS(ev.cookie, 77);
	T_IS(ev.status, WEFT_SUNWAY_OK);
	T_IS(ev.bytes, 10000);
	T_IS(t_differs(p.b.mem + 300, 10000, 1), -1);
	T_IS(p.b.mem[299] | p.b.mem[10300], 0);
	pair_close(&p);
}

/* No event is requested; only the answer word at the target changes. */
static void a_write_increments_the_answer_word(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < 5; i++) {
		t_fill(p.a.mem + i * 5000, 5000, i);
		d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 5000);
		d.flags = WEFT_SUNWAY_ANSWER;
		d.local = p.a.address + i * 5000;
		d.remote = p.b.address + 4096 + i * 5000;
		d.answer = p.b.address + 64;
		pair_post(&p.a, &d);
	}
	for (int i = 0; i < 100000 && nic_event_read(pair_word(&p.b, 64)) < 5;
	     i++)
		pair_run(&p, 1);
	T_IS(nic_event_read(pair_word(&p.b, 64)), 5);
	for (unsigned i = 0; i < 5; i++)
		T_IS(t_differs(p.b.mem + 4096 + i * 5000, 5000, i), -1);
	pair_run(&p, 100);
	T_IS(nic_event_read(pair_word(&p.b, 64)), 5);
	T_IS(pair_stats(&p.b).answers, 5);
	T_IS(pair_stats(&p.a).queued + pair_stats(&p.b).queued, 0);
	pair_close(&p);
}

/* The notification comes after the data, whatever the order of packets. */
static void a_notification_follows_its_data(void **state)
{
	struct weft_sunway_desc d;
	struct weft_sunway_arrival a;
	struct pair p;
	uint64_t notification;

	pair_open(&p, "seed=5; delay=0.3 by 2 ms; reorder=0.4; raw");
	for (unsigned i = 0; i < 20; i++) {
		t_fill(p.a.mem, 30000, i);
		d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 30000);
		d.flags |= WEFT_SUNWAY_NOTIFY;
		d.local = p.a.address;
		d.data = 1000 + i;
		pair_post(&p.a, &d);
		a = pair_arrival(&p, &p.b, 0);
		T_IS(t_differs(p.b.mem, 30000, i), -1);
		T_TRUE(a.notify);
		T_IS(a.len, sizeof(notification));
		memcpy(&notification, a.bytes, sizeof(notification));
		T_IS(notification, 1000 + i);
		weft_sunway_rq_release(p.b.n, 0, p.b.vi[0]);
		T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	}
	T_IS(pair_stats(&p.a).queued, 0);
	pair_close(&p);
}

/* A full receive queue delays notifications; none is lost. */
static void a_notification_waits_for_queue_space(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;
	unsigned n = pair_vi.receives + 10;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 8);
	d.flags = WEFT_SUNWAY_NOTIFY;
	d.local = p.a.address;
	for (unsigned i = 0; i < n; i++)
		pair_post(&p.a, &d);
	pair_run(&p, 200);
	T_IS(p.a.n->me[0].in_flight,
	     10); /* messages that wait for their replies */
	for (unsigned i = 0; i < n; i++) {
		T_TRUE(pair_arrival(&p, &p.b, 0).notify);
		weft_sunway_rq_release(p.b.n, 0, p.b.vi[0]);
	}
	pair_run(&p, 10);
	T_IS(p.a.n->me[0].in_flight, 0);
	pair_close(&p);
}

static void a_read_is_a_write_at_the_target(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	t_fill(p.b.mem, 100000, 3);
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAR, 100000);
	d.flags |= WEFT_SUNWAY_ANSWER;
	d.local = p.a.address + 8192;
	d.answer = p.a.address + 8;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(t_differs(p.a.mem + 8192, 100000, 3), -1);
	T_IS(nic_event_read(pair_word(&p.a, 8)), 1);
	T_IS(pair_stats(&p.b).reads, 1);
	/* the request is one packet; the other node sends the data */
	T_IS(pair_stats(&p.a).port[0] + pair_stats(&p.a).port[1], 1);
	T_IS(pair_stats(&p.b).port[0] + pair_stats(&p.b).port[1], 49);
	pair_close(&p);
}

/* The target's own reads use all its message slots. */
static void reads_wait_for_a_slot_at_the_target(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;
	unsigned n = WEFT_SUNWAY_IN_FLIGHT;

	pair_open(&p, "");
	d = pair_desc(&p.a, WEFT_SUNWAY_RDMAR, 4096);
	d.local = p.b.address;
	for (unsigned i = 0; i < n; i++)
		pair_post(&p.b, &d);
	weft_sunway_poll(p.b.n, 1000); /* b has no free slot */
	T_IS(p.b.n->me[0].in_flight, WEFT_SUNWAY_IN_FLIGHT);
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAR, 4096);
	d.local = p.a.address;
	for (unsigned i = 0; i < n; i++)
		pair_post(&p.a, &d);
	for (unsigned i = 0; i < n; i++) {
		T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
		T_IS(pair_event(&p, &p.b, 0).status, WEFT_SUNWAY_OK);
	}
	pair_close(&p);
}

static void wrong_addresses_fail_alone(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 5000);
	d.local = p.a.address;
	d.remote = p.b.address + PAIR_BYTES - 4999;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_ADDRESS);
	T_IS(p.b.mem[PAIR_BYTES - 1], 0);
	d.op = WEFT_SUNWAY_RDMAR;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_ADDRESS);
	d.op = WEFT_SUNWAY_RDMAW;
	d.remote = p.b.address;
	/* two packets are sent; the memory of the third is not registered */
	d.local = p.a.address + PAIR_BYTES - 4999;
	d.flags |= WEFT_SUNWAY_ANSWER;
	d.answer = p.b.address + 8192;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_ADDRESS);
	pair_run(&p, 100);
	T_IS(*pair_word(&p.b, 8192), 0);
	d.local = p.a.address;
	d.guid = WEFT_SUNWAY_GUID(9, 9);
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_NO_NODE);
	d.guid = p.b.n->guid;
	d.vi = 99;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_NO_VI);
	d.vi = (uint8_t)p.b.vi[0];
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(p.b.n->arriving, 0);
	pair_close(&p);
}

static void invalid_descriptors_are_refused(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 8);
	d.flags = WEFT_SUNWAY_ANSWER | WEFT_SUNWAY_NOTIFY;
	T_IS(weft_sunway_post(p.a.n, 0, p.a.vi[0], &d), -EINVAL);
	d.flags = 0;
	d.port = 2;
	T_IS(weft_sunway_post(p.a.n, 0, p.a.vi[0], &d), -EINVAL);
	d.port = 0;
	d.op = 0;
	T_IS(weft_sunway_post(p.a.n, 0, p.a.vi[0], &d), -EINVAL);
	d.op = WEFT_SUNWAY_QUEUE;
	d.bytes = WEFT_SUNWAY_PACKET + 1;
	T_IS(weft_sunway_post(p.a.n, 0, p.a.vi[0], &d), -EMSGSIZE);
	d.op = WEFT_SUNWAY_MANAGE;
	T_IS(weft_sunway_post(p.a.n, 0, p.a.vi[0], &d), -EPERM);
	pair_close(&p);
}

/* ---- queue messages ---- */

static void queue_post(struct side *s, const struct side *to, uint64_t k,
		       unsigned flags)
{
	struct weft_sunway_desc d = pair_desc(to, WEFT_SUNWAY_QUEUE, 64);

	d.flags = (uint8_t)flags;
	d.local = s->address + k * 64;
	memcpy(s->mem + k * 64, &k, sizeof(k));
	pair_post(s, &d);
}

/*
 * Takes all messages of the raw queue, and counts each message number in
 * `seen`. Returns the number of messages.
 */
static unsigned queue_take(struct side *s, unsigned *seen, unsigned max)
{
	struct weft_sunway_arrival a;
	unsigned n = 0;
	uint64_t k;

	while (!weft_sunway_rq_peek(s->n, 0, s->vi[0], &a)) {
		T_IS(a.len, 64);
		memcpy(&k, a.bytes, sizeof(k));
		T_TRUE(k < max);
		seen[k]++;
		n++;
		weft_sunway_rq_release(s->n, 0, s->vi[0]);
	}
	return n;
}

#define MANY 500

static void reliable_messages_arrive_once(const char *faults)
{
	unsigned seen[MANY] = { 0 };
	struct pair p;
	unsigned n = 0;

	pair_open(&p, faults);
	for (unsigned i = 0; i < MANY; i++)
		queue_post(&p.a, &p.b, i, WEFT_SUNWAY_RELIABLE);
	for (int i = 0; i < 1000000 && (n < MANY || p.a.n->me[0].in_flight);
	     i++) {
		pair_run(&p, 1);
		n += queue_take(&p.b, seen, MANY);
	}
	T_IS(n, MANY);
	T_IS(p.a.n->me[0].in_flight, 0);
	for (unsigned i = 0; i < MANY; i++)
		T_IS(seen[i], 1);
	if (strstr(faults, "loss"))
		T_TRUE(pair_stats(&p.a).resent > 0);
	if (strstr(faults, "dup"))
		T_TRUE(pair_stats(&p.b).doubles > 0);
	pair_close(&p);
}

static void a_reliable_message_survives_losses(void **state)
{
	reliable_messages_arrive_once("seed=2; loss=0.2; raw");
}

static void duplicate_message_is_delivered_once(void **state)
{
	reliable_messages_arrive_once("seed=3; duplicate=0.3; raw");
}

static void messages_may_arrive_in_any_order(void **state)
{
	reliable_messages_arrive_once(
		"seed=4; delay=0.3 by 2 ms; reorder=0.3; raw");
}

/* The receiver is passive; messages that do not fit are retransmitted. */
static void a_full_queue_delays_reliable_messages(void **state)
{
	unsigned seen[MANY] = { 0 };
	unsigned n = pair_vi.receives + 30;
	unsigned got = 0;
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < n; i++)
		queue_post(&p.a, &p.b, i, WEFT_SUNWAY_RELIABLE);
	pair_run(&p, 5000);
	T_TRUE(pair_stats(&p.b).dropped >= 30);
	T_TRUE(p.a.n->me[0].in_flight > 0);
	for (int i = 0; i < 100000 && got < n; i++) {
		got += queue_take(&p.b, seen, MANY);
		pair_run(&p, 1);
	}
	T_IS(got, n);
	pair_close(&p);
}

static void an_unreliable_message_may_be_lost(void **state)
{
	unsigned seen[MANY] = { 0 };
	unsigned n = pair_vi.receives + 30;
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < n; i++)
		queue_post(&p.a, &p.b, i, WEFT_SUNWAY_EVENT);
	for (unsigned i = 0; i < n; i++)
		T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	pair_run(&p, 5000);
	T_IS(queue_take(&p.b, seen, MANY), pair_vi.receives);
	T_IS(pair_stats(&p.b).dropped, 30);
	T_IS(pair_stats(&p.a).resent, 0);
	pair_close(&p);
}

/* Nodes besides the two of a pair. */
#define EXTRA_NODES 6

static void one_queue_pair_reaches_all_nodes(void **state)
{
	struct side s[EXTRA_NODES];
	unsigned got[EXTRA_NODES] = { 0 };
	struct weft_sunway_arrival a;
	unsigned total = 0;

	for (uint32_t i = 0; i < EXTRA_NODES; i++)
		pair_side(&s[i], "seed=9; loss=0.1; raw", PAIR_GUID + i);
	for (unsigned i = 0; i < EXTRA_NODES * EXTRA_NODES; i++)
		pair_introduce(&s[i / EXTRA_NODES], &s[i % EXTRA_NODES]);
	for (unsigned i = 0; i < EXTRA_NODES * EXTRA_NODES; i++)
		for (unsigned k = 0; k < 10; k++)
			queue_post(&s[i / EXTRA_NODES], &s[i % EXTRA_NODES], k,
				   WEFT_SUNWAY_RELIABLE);
	for (int k = 0; k < 100000 && total < EXTRA_NODES * EXTRA_NODES * 10;
	     k++) {
		for (unsigned i = 0; i < EXTRA_NODES; i++) {
			weft_sunway_poll(s[i].n, 16);
			while (!weft_sunway_rq_peek(s[i].n, 0, 0, &a)) {
				T_TRUE(a.guid - PAIR_GUID < EXTRA_NODES);
				got[a.guid - PAIR_GUID]++;
				weft_sunway_rq_release(s[i].n, 0, 0);
				total++;
			}
		}
	}
	for (unsigned i = 0; i < EXTRA_NODES; i++)
		T_IS(got[i], EXTRA_NODES * 10);
	for (unsigned i = 0; i < EXTRA_NODES; i++)
		side_close(&s[i]);
}

/* Each virtual queue has its own buffers; the raw queue shares the ring. */
static void virtual_queues_share_one_ring(void **state)
{
	char buf[2][64] = { "" };
	struct weft_sunway_buffer b = { buf[0], sizeof(buf[0]), 5 };
	struct weft_sunway_event ev;
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_sunway_rq_post(p.b.n, 0, p.b.vi[0], 7, &b));
	strcpy((char *)p.a.mem, "late");
	strcpy((char *)p.a.mem + 8, "raw");
	strcpy((char *)p.a.mem + 16, "soon");
	for (unsigned i = 0; i < 3; i++) {
		static const uint16_t queue[] = { 9, 0, 7 };

		d = pair_desc(&p.b, WEFT_SUNWAY_QUEUE, 8);
		d.flags = WEFT_SUNWAY_RELIABLE;
		d.local = p.a.address + 8 * i;
		d.queue = queue[i];
		pair_post(&p.a, &d);
	}
	ev = pair_event(&p, &p.b, 0);
	T_IS(ev.cookie, 5);
	T_IS(ev.queue, 7);
	T_IS(ev.bytes, 8);
	T_STR(buf[0], "soon");
	T_STR((const char *)pair_arrival(&p, &p.b, 0).bytes, "raw");
	weft_sunway_rq_release(p.b.n, 0, p.b.vi[0]);
	b = (struct weft_sunway_buffer){ buf[1], 3, 6 };
	T_OK(weft_sunway_rq_post(p.b.n, 0, p.b.vi[0], 9, &b));
	ev = pair_event(&p, &p.b, 0);
	T_IS(ev.cookie, 6);
	T_IS(ev.bytes, 3);
	T_STR(buf[1], "lat");
	pair_close(&p);
}

/* ---- fast short messages ---- */

static void a_fast_short_message_gathers_128_bytes(void **state)
{
	char part[3][64];
	struct iovec iov[3] = { { part[0], 64 },
				{ part[1], 1 },
				{ part[2], 63 } };
	struct weft_sunway_desc d;
	struct weft_sunway_arrival a;
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < 3; i++)
		memset(part[i], 'a' + (int)i, 64);
	d = pair_desc(&p.b, WEFT_SUNWAY_QUEUE, 0);
	T_OK(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, iov, 3));
	memset(part, 0, sizeof(part)); /* the message is already on chip */
	a = pair_arrival(&p, &p.b, 0);
	T_IS(a.len, WEFT_SUNWAY_FSM);
	T_IS(((const char *)a.bytes)[63], 'a');
	T_IS(((const char *)a.bytes)[64], 'b');
	T_IS(((const char *)a.bytes)[127], 'c');
	iov[2].iov_len = 64;
	T_IS(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, iov, 3), -EMSGSIZE);
	pair_close(&p);
}

/*
 * A fast short message avoids the two fetches from memory (descriptor and data)
 * that other messages need.
 */
static void a_fast_short_message_saves_two_crossings(void **state)
{
	struct iovec iov;
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 128);
	d.local = p.a.address;
	pair_post(&p.a, &d);
	pair_event(&p, &p.a, 0);
	T_IS(pair_stats(&p.a).fetches, 2);
	iov = (struct iovec){ p.a.mem, 128 };
	T_OK(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, &iov, 1));
	pair_event(&p, &p.a, 0);
	T_IS(pair_stats(&p.a).fetches, 2);
	T_IS(pair_stats(&p.a).fsms, 1);
	pair_close(&p);
}

static void short_messages_read_and_write_memory_and_io(void **state)
{
	uint64_t v = 0x1234;
	struct iovec iov = { &v, sizeof(v) };
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 8);
	T_OK(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, &iov, 1));
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(*pair_word(&p.b, 0), 0x1234);
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAR, 8);
	d.local = p.a.address + 16;
	T_OK(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, NULL, 0));
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(*pair_word(&p.a, 16), 0x1234);
	d = pair_desc(&p.b, WEFT_SUNWAY_IO_WRITE, 0);
	d.engine = 1;
	d.remote = 200;
	T_OK(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, &iov, 1));
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_OK(weft_sunway_io_get(p.b.n, 1, 200, &v));
	T_IS(v, 0x1234);
	T_OK(weft_sunway_io_get(p.b.n, 0, 200, &v));
	T_IS(v, 0);
	d.op = WEFT_SUNWAY_IO_READ;
	d.local = p.a.address + 24;
	T_OK(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, NULL, 0));
	T_IS(pair_event(&p, &p.a, 0).data, 0x1234);
	T_IS(*pair_word(&p.a, 24), 0x1234);
	d.remote = WEFT_SUNWAY_IO;
	T_OK(weft_sunway_fsm(p.a.n, 0, p.a.vi[0], &d, NULL, 0));
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_ADDRESS);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_write_ends_with_an_event),
		T_CASE(a_write_increments_the_answer_word),
		T_CASE(a_notification_follows_its_data),
		T_CASE(a_notification_waits_for_queue_space),
		T_CASE(a_read_is_a_write_at_the_target),
		T_CASE(reads_wait_for_a_slot_at_the_target),
		T_CASE(wrong_addresses_fail_alone),
		T_CASE(invalid_descriptors_are_refused),
		T_CASE(a_reliable_message_survives_losses),
		T_CASE(duplicate_message_is_delivered_once),
		T_CASE(messages_may_arrive_in_any_order),
		T_CASE(a_full_queue_delays_reliable_messages),
		T_CASE(an_unreliable_message_may_be_lost),
		T_CASE(one_queue_pair_reaches_all_nodes),
		T_CASE(virtual_queues_share_one_ring),
		T_CASE(a_fast_short_message_gathers_128_bytes),
		T_CASE(a_fast_short_message_saves_two_crossings),
		T_CASE(short_messages_read_and_write_memory_and_io),
	};

	return T_RUN(tests);
}
