/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups whose nodes are not contiguous. On qsnet2 their broadcasts and
 * barriers use events of the units, chained along a tree; the units count the
 * commands that events start. On other machines, and on contiguous nodes,
 * events start no commands.
 */
#include "test/prov/prov_group.h"

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

/* Polls until events have started `want` commands; fails if there are more. */
static void chained_is(struct job *j, uint64_t want, const char *what)
{
	while (job_counters(j).chained < want)
		fi_cq_read(j->cq, NULL, 0);
	for (int i = 0; i < 100; i++)
		fi_cq_read(j->cq, NULL, 0);
	job_check(j, job_counters(j).chained == want, what,
		  (long)job_counters(j).chained);
	job_barrier(j);
}

#define CHAIN_BYTES 200000

static void broadcast_and_check(struct job *j, struct group *g, int root,
				size_t bytes)
{
	static unsigned char buf[CHAIN_BYTES];

	for (size_t i = 0; i < bytes; i++)
		buf[i] = (unsigned char)(g->me == root ? i * 7 + bytes : 0);
	finish(j,
	       fi_broadcast(j->ep, buf, bytes, NULL, g->addr,
			    j->addr[g->first + root * g->step], FI_UINT8, 0,
			    &j->entry),
	       "broadcast");
	for (size_t i = 0; i < bytes; i++)
		job_check(j, buf[i] == (unsigned char)(i * 7 + bytes), "byte",
			  (long)i);
}

/*
 * At each member one event starts the packets that follow a broadcast packet,
 * and two events start the packets that follow a barrier. In a group on
 * contiguous nodes events start no packets.
 */
static void body_chain(struct job *j)
{
	/* sizes around the limits of a short and of a long packet */
	static const size_t bytes[] = { 0,    1,    8,	  112,	      113,
					2032, 2033, 9000, CHAIN_BYTES };
	const char *machine = getenv("FI_WEFT_MACHINE");
	uint64_t per = machine && !strcmp(machine, "qsnet2") ? 1 : 0, want;
	struct group range, gaps;

	group_open(j, &range, j->rank & ~1, j->rank | 1, 1);
	for (int i = 0; i < 20; i++) {
		broadcast_and_check(j, &range, i % 2, 8);
		finish(j, fi_barrier(j->ep, range.addr, &j->entry), "barrier");
	}
	job_check(j, !job_counters(j).chained, "a range", 0);
	group_open(j, &gaps, j->rank % 2, j->size - 1, 2);
	for (int i = 0; i < 5; i++)
		broadcast_and_check(j, &gaps, i % gaps.n, 8);
	chained_is(j, want = 5 * per, "broadcasts");
	for (int i = 0; i < 10; i++)
		finish(j, fi_barrier(j->ep, gaps.addr, &j->entry), "barrier");
	chained_is(j, want += 20 * per, "barriers");
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		for (int root = 0; root < gaps.n; root++)
			broadcast_and_check(j, &gaps, root, bytes[i]);
	}
	job_check(j, !per || job_counters(j).chained > want + 400,
		  "commands for long broadcasts",
		  (long)job_counters(j).chained);
	job_barrier(j);
	group_close(j, &range);
	group_close(j, &gaps);
	job_barrier(j);
}

static void events_are_chained_if_nodes_have_gaps(void **state)
{
	const struct job_opts o = { .nodes_apart = 1 };

	(void)state;
	if (getenv("FI_WEFT_ARITY"))
		skip();
	job_run(10, body_chain, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(events_are_chained_if_nodes_have_gaps),
	};

	return T_RUN(tests);
}
