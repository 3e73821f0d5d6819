/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet paths, scheduling and addresses of the Sunway chip. */
#include "test/support/sunway_pair.h"

/* ---- paths ---- */

static void the_target_determines_the_path(void **state)
{
	struct weft_sunway_desc d;
	struct weft_sunway_stats st;
	struct pair p;

	pair_open(&p, "");
	t_fill(p.a.mem, 100, 1);
	d = pair_desc(&p.a, WEFT_SUNWAY_QUEUE, 100);
	d.flags = 0;
	d.local = p.a.address;
	pair_post(&p.a, &d);
	T_IS(pair_arrival(&p, &p.a, 0).len, 100);
	weft_sunway_rq_release(p.a.n, 0, p.a.vi[0]);
	st = pair_stats(&p.a);
	T_IS(st.inside, 1);
	T_IS(st.crossed + st.port[0] + st.port[1], 0);
	d.engine = 1;
	d.vi = (uint8_t)p.a.vi[1];
	pair_post(&p.a, &d);
	T_IS(pair_arrival(&p, &p.a, 1).engine, 0);
	st = pair_stats(&p.a);
	T_IS(st.inside, 1);
	T_IS(st.crossed, 1);
	T_IS(st.port[0] + st.port[1], 0);
	d.guid = p.b.n->guid;
	pair_post(&p.a, &d);
	T_IS(t_differs(pair_arrival(&p, &p.b, 1).bytes, 100, 1), -1);
	st = pair_stats(&p.a);
	T_IS(st.inside + st.crossed, 2);
	T_IS(st.port[0] + st.port[1], 1);
	pair_close(&p);
}

/* RDMA inside the chip, between its two engines. */
static void rdma_works_across_the_crossbar(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	t_fill(p.a.mem, 50000, 2);
	d = pair_desc(&p.a, WEFT_SUNWAY_RDMAW, 50000);
	d.engine = 1;
	d.vi = (uint8_t)p.a.vi[1];
	d.local = p.a.address;
	d.remote = p.a.address + 100000;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(t_differs(p.a.mem + 100000, 50000, 2), -1);
	d.op = WEFT_SUNWAY_RDMAR;
	d.local = p.a.address + 200000;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(t_differs(p.a.mem + 200000, 50000, 2), -1);
	T_IS(pair_stats(&p.a).port[0] + pair_stats(&p.a).port[1], 0);
	pair_close(&p);
}

#define LARGE (1u << 20)

static void write_by(struct pair *p, uint8_t port, uint64_t seed)
{
	struct weft_sunway_desc d = pair_desc(&p->b, WEFT_SUNWAY_RDMAW, LARGE);

	t_fill(p->a.mem, LARGE, seed);
	d.port = port;
	d.local = p->a.address;
	d.flags |= WEFT_SUNWAY_ANSWER;
	d.answer = p->b.address + LARGE;
	pair_post(&p->a, &d);
	T_IS(pair_event(p, &p->a, 0).status, WEFT_SUNWAY_OK);
	T_IS(t_differs(p->b.mem, LARGE, seed), -1);
}

static void a_message_may_fix_its_port(void **state)
{
	struct weft_sunway_stats st;
	struct pair p;

	pair_open(&p, "");
	write_by(&p, 1, 5);
	st = pair_stats(&p.a);
	T_IS(st.port[0], 0);
	T_IS(st.port[1], LARGE / WEFT_SUNWAY_PACKET);
	write_by(&p, 0, 6);
	T_IS(pair_stats(&p.a).port[0], LARGE / WEFT_SUNWAY_PACKET);
	pair_close(&p);
}

/* Packets arrive out of order; the event is written when all have arrived. */
static void packets_of_a_message_use_both_ports(void **state)
{
	struct weft_sunway_stats st;
	struct pair p;

	pair_open(&p, "seed=11; delay=0.3 by 2 ms; reorder=0.4; raw");
	for (unsigned i = 0; i < 3; i++) {
		write_by(&p, WEFT_SUNWAY_ADAPTIVE, i);
		T_IS(nic_event_read(pair_word(&p.b, LARGE)), i + 1);
	}
	st = pair_stats(&p.a);
	T_IS(st.port[0] + st.port[1], 3 * LARGE / WEFT_SUNWAY_PACKET);
	T_TRUE(st.port[0] > LARGE / WEFT_SUNWAY_PACKET);
	T_TRUE(st.port[1] > LARGE / WEFT_SUNWAY_PACKET);
	pair_close(&p);
}

static void adaptive_messages_avoid_a_bad_port(void **state)
{
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_sunway_port_set(p.a.n, 0, 0));
	T_OK(weft_sunway_port_set(p.b.n, 0, 0));
	write_by(&p, WEFT_SUNWAY_ADAPTIVE, 8);
	T_IS(pair_stats(&p.a).port[0], 0);
	T_IS(pair_stats(&p.b).port[0], 0);
	pair_close(&p);
}

/* ---- scheduling ---- */

static void each_engine_has_128_interfaces(void **state)
{
	struct weft_sunway_vi vi = pair_vi;
	struct pair p;
	unsigned n = 0;
	unsigned i;

	pair_open(&p, "");
	vi.receives = 1;
	for (unsigned e = 0; e < WEFT_SUNWAY_ENGINES; e++) {
		vi.engine = e;
		while (!weft_sunway_vi_open(p.a.n, &vi, &i))
			n++;
		T_IS(weft_sunway_vi_open(p.a.n, &vi, &i), -ENOSPC);
	}
	T_IS(n, 2 * (WEFT_SUNWAY_VIS - 1));
	pair_close(&p);
}

/* Messages of three interfaces, posted one interface after the other. */
static void interfaces_are_served_round_robin(void **state)
{
	struct weft_sunway_vi attr = pair_vi;
	struct weft_sunway_arrival a;
	struct weft_sunway_desc d;
	struct pair p;
	unsigned vi[3];
	unsigned last;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_QUEUE, 8);
	d.flags = 0;
	d.port = 0; /* messages on one port keep their order */
	d.local = p.a.address;
	for (unsigned i = 0; i < 3; i++) {
		T_OK(weft_sunway_vi_open(p.a.n, &attr, &vi[i]));
		for (unsigned k = 0; k < 8; k++)
			T_OK(weft_sunway_post(p.a.n, 0, vi[i], &d));
	}
	last = vi[2];
	for (unsigned k = 0; k < 24; k++) {
		a = pair_arrival(&p, &p.b, 0);
		T_IS(a.vi, last == vi[2] ? vi[0] : last + 1);
		last = a.vi;
		weft_sunway_rq_release(p.b.n, 0, p.b.vi[0]);
	}
	pair_close(&p);
}

static void at_most_256_messages_in_flight(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 8);
	d.local = p.a.address;
	for (unsigned i = 0; i < 400; i++)
		pair_post(&p.a, &d);
	for (unsigned i = 0; i < 100; i++)
		weft_sunway_poll(p.a.n, 100);
	T_IS(p.a.n->me[0].in_flight, WEFT_SUNWAY_IN_FLIGHT);
	T_IS(p.a.n->me[0].vi[p.a.vi[0]].sq_head, WEFT_SUNWAY_IN_FLIGHT);
	for (unsigned i = 0; i < 400; i++)
		T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(pair_stats(&p.a).in_flight_max, WEFT_SUNWAY_IN_FLIGHT);
	pair_close(&p);
}

/*
 * Posts writes of these lengths; write `marked` (-1: none) has
 * WEFT_SUNWAY_FAST. Sets end[] to the cookies in order of completion.
 */
static void race(const uint32_t *bytes, unsigned n, int marked, unsigned *end)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < n; i++) {
		d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, bytes[i]);
		d.local = p.a.address;
		d.cookie = i;
		d.port = 0;
		if ((int)i == marked)
			d.flags |= WEFT_SUNWAY_FAST;
		pair_post(&p.a, &d);
	}
	for (unsigned i = 0; i < n; i++)
		end[i] = (unsigned)pair_event(&p, &p.a, 0).cookie;
	pair_close(&p);
}

static void short_messages_overtake_long_ones(void **state)
{
	static const uint32_t bytes[] = { 1 << 20, 40000, 1000 };
	unsigned end[3];

	race(bytes, 3, -1, end);
	T_IS(end[0], 2);
	T_IS(end[1], 1);
	T_IS(end[2], 0);
}

static void priority_message_completes_first(void **state)
{
	static const uint32_t bytes[] = { 1000, 1000, 9000 };
	unsigned end[3];

	race(bytes, 3, 2, end);
	T_IS(end[0], 2);
}

/* Long messages of a class share the port packet by packet. */
static void messages_are_interleaved(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	for (unsigned i = 0; i < 2; i++) {
		d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 400000);
		d.local = p.a.address;
		pair_post(&p.a, &d);
	}
	weft_sunway_poll(p.a.n, 20);
	T_IS(p.a.n->me[0].msg[0].sent, 10 * WEFT_SUNWAY_PACKET);
	T_IS(p.a.n->me[0].msg[1].sent, 10 * WEFT_SUNWAY_PACKET);
	pair_close(&p);
}

/* A long message completes while short messages are posted all the time. */
static void a_long_message_progresses_under_load(void **state)
{
	struct weft_sunway_desc d;
	struct weft_sunway_event ev;
	struct pair p;
	bool complete = false;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 200000);
	d.local = p.a.address;
	d.cookie = 1;
	pair_post(&p.a, &d);
	d.bytes = 64;
	d.cookie = 2;
	for (int i = 0; i < 2000 && !complete; i++) {
		while (p.a.n->me[0].in_flight < 200)
			if (weft_sunway_post(p.a.n, 0, p.a.vi[0], &d) ||
			    !weft_sunway_poll(p.a.n, 1))
				break;
		pair_run(&p, 1);
		while (!weft_sunway_cq_read(p.a.n, 0, p.a.vi[0], &ev))
			complete |= ev.cookie == 1;
	}
	T_TRUE(complete);
	pair_close(&p);
}

/* ---- addresses ---- */

/* Reads one word of each of n pages of b. Returns the TLB misses at b. */
static uint64_t read_pages(struct pair *p, uint64_t at, unsigned n,
			   unsigned bits)
{
	uint64_t before = pair_stats(&p->b).tlb_misses;
	struct weft_sunway_desc d;

	for (unsigned i = 0; i < n; i++) {
		d = pair_desc(&p->b, WEFT_SUNWAY_RDMAR, 8);
		d.local = p->a.address;
		d.remote = at + ((uint64_t)i << bits);
		pair_post(&p->a, &d);
		T_IS(pair_event(p, &p->a, 0).status, WEFT_SUNWAY_OK);
		T_IS(*pair_word(&p->a, 0), i);
	}
	return pair_stats(&p->b).tlb_misses - before;
}

/* Opens paged memory of b; each page starts with its number. */
static uint64_t pages_open(struct pair *p, unsigned n, unsigned bits,
			   unsigned char **mem_p)
{
	struct weft_sunway_mem m = {
		.base = aligned_alloc(4096, (size_t)n << bits),
		.bytes = (uint64_t)n << bits,
		.job = PAIR_JOB,
		.kind = WEFT_SUNWAY_PAGED,
		.rights = WEFT_SUNWAY_MAY_READ,
		.page_bits = (uint8_t)bits,
	};
	uint64_t at;

	for (uint64_t i = 0; i < n; i++)
		memcpy((char *)m.base + (i << bits), &i, sizeof(i));
	T_OK(weft_sunway_mem_open(p->b.n, &m, &at));
	*mem_p = m.base;
	return at;
}

static void the_tlb_holds_2048_pages_and_prefetches(void **state)
{
	unsigned char *mem;
	struct pair p;
	uint64_t at;

	pair_open(&p, "");
	at = pages_open(&p, WEFT_SUNWAY_TLB, 12, &mem);
	/* every second page was prefetched with the page before it */
	T_IS(read_pages(&p, at, WEFT_SUNWAY_TLB, 12), WEFT_SUNWAY_TLB / 2);
	T_IS(pair_stats(&p.b).prefetched, WEFT_SUNWAY_TLB / 2);
	T_IS(read_pages(&p, at, WEFT_SUNWAY_TLB, 12), 0);
	T_OK(weft_sunway_mem_close(p.b.n, at));
	free(mem);
	at = pages_open(&p, WEFT_SUNWAY_TLB + 512, 12, &mem);
	read_pages(&p, at, WEFT_SUNWAY_TLB + 512, 12);
	T_TRUE(read_pages(&p, at, WEFT_SUNWAY_TLB + 512, 12) > 0);
	pair_close(&p);
	free(mem);
}

static void pages_have_4_kb_to_8_mb(void **state)
{
	struct weft_sunway_mem m = {
		.base = &m,
		.bytes = sizeof(m),
		.job = PAIR_JOB,
		.kind = WEFT_SUNWAY_PAGED,
	};
	unsigned char *mem;
	struct pair p;
	uint64_t at;

	pair_open(&p, "");
	for (unsigned bits = 12; bits <= 23; bits += 11) {
		at = pages_open(&p, 3, bits, &mem);
		/* the second page is prefetched with the first */
		T_IS(read_pages(&p, at, 3, bits), 2);
		T_OK(weft_sunway_mem_close(p.b.n, at));
		free(mem);
	}
	m.page_bits = 11;
	T_IS(weft_sunway_mem_open(p.b.n, &m, &at), -EINVAL);
	m.page_bits = 24;
	T_IS(weft_sunway_mem_open(p.b.n, &m, &at), -EINVAL);
	pair_close(&p);
}

/* A message crosses two pages that are not adjacent in memory. */
static void pages_may_be_at_any_address(void **state)
{
	unsigned char *other = calloc(1, 4096);
	unsigned char *mem;
	struct weft_sunway_desc d;
	struct pair p;
	uint64_t at;

	pair_open(&p, "");
	at = pages_open(&p, 3, 12, &mem);
	read_pages(&p, at, 3, 12);
	memset(mem + 4000, 'a', 96);
	memset(other, 'b', 100);
	T_OK(weft_sunway_page_set(p.b.n, at + 4096, other));
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAR, 196);
	d.local = p.a.address;
	d.remote = at + 4000;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(p.a.mem[95], 'a');
	T_IS(p.a.mem[96], 'b');
	T_IS(p.a.mem[195], 'b');
	pair_close(&p);
	free(mem);
	free(other);
}

static unsigned read_status(struct pair *p, uint64_t remote)
{
	struct weft_sunway_desc d = pair_desc(&p->b, WEFT_SUNWAY_RDMAR, 8);

	d.local = p->a.address;
	d.remote = remote;
	pair_post(&p->a, &d);
	return pair_event(p, &p->a, 0).status;
}

/*
 * Access is refused because of rights, job or kind of address, and after the
 * memory was freed.
 */
static void memory_access_is_checked(void **state)
{
	struct weft_sunway_mem m = {
		.base = aligned_alloc(4096, 4096),
		.bytes = 4096,
		.job = PAIR_JOB,
		.kind = WEFT_SUNWAY_SEGMENTED,
		.rights = WEFT_SUNWAY_MAY_WRITE,
	};
	struct pair p;
	uint64_t at;

	pair_open(&p, "");
	T_OK(weft_sunway_mem_open(p.b.n, &m, &at));
	T_IS(read_status(&p, at), WEFT_SUNWAY_ADDRESS);
	T_OK(weft_sunway_mem_close(p.b.n, at));
	m.rights = WEFT_SUNWAY_MAY_READ;
	m.job = PAIR_JOB + 1;
	T_OK(weft_sunway_mem_open(p.b.n, &m, &at));
	T_IS(read_status(&p, at), WEFT_SUNWAY_ADDRESS);
	T_OK(weft_sunway_mem_close(p.b.n, at));
	m.job = PAIR_JOB;
	T_OK(weft_sunway_mem_open(p.b.n, &m, &at));
	T_IS(read_status(&p, at), WEFT_SUNWAY_OK);
	T_IS(read_status(&p, at ^ UINT64_C(3) << 62), WEFT_SUNWAY_ADDRESS);
	T_OK(weft_sunway_mem_close(p.b.n, at));
	T_IS(read_status(&p, at), WEFT_SUNWAY_ADDRESS);
	m.kind = WEFT_SUNWAY_PHYSICAL;
	T_IS(weft_sunway_mem_open(p.b.n, &m, &at), -EPERM);
	pair_close(&p);
	free(m.base);
}

static void the_system_uses_physical_addresses(void **state)
{
	struct weft_sunway_mem m = {
		.job = 1,
		.bytes = PAIR_BYTES,
		.kind = WEFT_SUNWAY_PHYSICAL,
		.rights = WEFT_SUNWAY_MAY_READ,
	};
	struct pair p;
	uint64_t at;

	pair_open(&p, "");
	pair_system(&p);
	m.base = p.b.mem;
	T_OK(weft_sunway_mem_open(p.b.n, &m, &at));
	T_IS(at, (uintptr_t)p.b.mem);
	t_fill(p.b.mem + 40, 8, 4);
	T_IS(read_status(&p, (uintptr_t)p.b.mem + 40), WEFT_SUNWAY_OK);
	T_IS(t_differs(p.a.mem, 8, 4), -1);
	T_IS(read_status(&p, (uintptr_t)p.b.mem + PAIR_BYTES - 4),
	     WEFT_SUNWAY_ADDRESS);
	T_IS(pair_stats(&p.b).tlb_hits + pair_stats(&p.b).tlb_misses, 0);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_target_determines_the_path),
		T_CASE(rdma_works_across_the_crossbar),
		T_CASE(a_message_may_fix_its_port),
		T_CASE(packets_of_a_message_use_both_ports),
		T_CASE(adaptive_messages_avoid_a_bad_port),
		T_CASE(each_engine_has_128_interfaces),
		T_CASE(interfaces_are_served_round_robin),
		T_CASE(at_most_256_messages_in_flight),
		T_CASE(short_messages_overtake_long_ones),
		T_CASE(priority_message_completes_first),
		T_CASE(messages_are_interleaved),
		T_CASE(a_long_message_progresses_under_load),
		T_CASE(the_tlb_holds_2048_pages_and_prefetches),
		T_CASE(pages_have_4_kb_to_8_mb),
		T_CASE(pages_may_be_at_any_address),
		T_CASE(memory_access_is_checked),
		T_CASE(the_system_uses_physical_addresses),
	};

	return T_RUN(tests);
}
