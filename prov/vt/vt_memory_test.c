/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks of one node pass through its memory: the times are
 * exact, the copies of one rank are executed one after the other, and so are
 * the copies in one memory.
 */
#include "test/support/vt_fixture.h"
#include "test/t.h"

#include <stdio.h>
#include <unistd.h>

#define BYTES 512u

static char path[32];
static struct net_config cfg;

/* Runs four ranks on bgq's machine file with the line of `key` replaced. */
static void run_on(int per_node,
		   int (*body)(struct play *p, struct end *e, uint32_t rank),
		   const char *key, const char *line, struct found *f)
{
	struct play p = { .ranks = 4, .body = body, .machine = path };
	char text[128];

	snprintf(path, sizeof(path), PLAY_FILE);
	snprintf(text, sizeof(text), "ranks_per_node = %d # spec: x\n%s",
		 per_node, line);
	play_file(path, "bgq", key, text);
	net_config_bgq(&cfg);
	play(&p, f);
	unlink(path);
}

/* Runs four ranks on one node. */
static void run(int (*body)(struct play *p, struct end *e, uint32_t rank),
		const char *key, const char *line, struct found *f)
{
	run_on(4, body, key, line, f);
}

static uint64_t copy_ps(uint64_t bytes)
{
	return bytes * cfg.memory.copy_ps_x1000 / 1000;
}

static int one_message(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 0)
		return end_send(e, rank_peer(p, e, 1), 0, BYTES);
	return rank == 1 ? wait_got(e, 1) : 0;
}

static void a_message_takes_the_latency_and_a_copy(void **state)
{
	struct found f;

	run(one_message, "ranks_per_node", "", &f);
	T_IS(cfg.memory.latency_ps, 150000);
	T_IS(f.clock[1], cfg.send_ps + 150000 + 128000 + cfg.recv_ps);
}

/* Ranks 0 and 2 send to rank 1 at the same time. */
static int two_to_one(struct play *p, struct end *e, uint32_t rank)
{
	if (rank == 0 || rank == 2)
		return end_send(e, rank_peer(p, e, 1), 0, BYTES);
	return rank == 1 ? wait_got(e, 2) : 0;
}

static void a_processor_makes_one_copy_at_a_time(void **state)
{
	struct found f;

	run(two_to_one, "ranks_per_node", "", &f);
	T_IS(f.clock[1],
	     cfg.send_ps + 150000 + 2 * copy_ps(BYTES) + cfg.recv_ps);
}

static int two_pairs(struct play *p, struct end *e, uint32_t rank)
{
	if (rank % 2 == 0)
		return end_send(e, rank_peer(p, e, rank + 1), 0, BYTES);
	return wait_got(e, 1);
}

/* The copy of the second pair starts when the memory has served the first. */
static void pairs_share_the_rate_of_the_memory(void **state)
{
	uint64_t first, total;
	struct found f;

	run(two_pairs, "ranks_per_node", "", &f);
	first = cfg.send_ps + 150000 + copy_ps(BYTES) + cfg.recv_ps;
	total = BYTES * cfg.memory.total_ps_x1000 / 1000;
	T_IS(f.clock[1], first);
	T_IS(f.clock[3], first + total);
}

/* Ranks 0 and 2 share one memory, ranks 1 and 3 another. */
static void separate_memories_use_the_interface(void **state)
{
	uint64_t first;
	struct found f;

	run(one_message, "ranks_per_node", "memories = 2 # spec: x\n", &f);
	first = cfg.send_ps + 150000 + copy_ps(BYTES) + cfg.recv_ps;
	T_TRUE(f.clock[1] > first + 100000);
}

/* Ranks 0 and 1 are on two nodes, or on one. */
static void both_processors_copy_packets(void **state)
{
	static const char line[] = "packet_copy = 2 GB/s # spec: x\n";
	struct found f, copied;

	run_on(1, one_message, "ranks_per_node", "", &f);
	run_on(1, one_message, "ranks_per_node", line, &copied);
	T_IS(copied.clock[0], f.clock[0] + BYTES * 500);
	T_IS(copied.clock[1], f.clock[1] + 2 * BYTES * 500);
	run(one_message, "ranks_per_node", "", &f);
	run(one_message, "ranks_per_node", line, &copied);
	T_IS(copied.clock[1], f.clock[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_message_takes_the_latency_and_a_copy),
		T_CASE(a_processor_makes_one_copy_at_a_time),
		T_CASE(pairs_share_the_rate_of_the_memory),
		T_CASE(separate_memories_use_the_interface),
		T_CASE(both_processors_copy_packets),
	};

	return T_RUN(tests);
}
