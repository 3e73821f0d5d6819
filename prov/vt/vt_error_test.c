/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error responses of gemini: the rank that sent the bad packets gets the error
 * events, and no message is lost.
 */
#include "prov/net/fault/net_fault.h"
#include "test/support/vt_fixture.h"
#include "test/t.h"

#define PACKETS 300
#define SENDER	0 /* the sender is on another chip than the receiver */
#define TARGET	3

static uint64_t retransmitted(struct end *e)
{
	struct weft_carrier_stats s = { 0 };

	e->c->ops->stats(e->c, &s);
	return s.resent;
}

/*
 * Rank 0 sends packets to rank 3, which sends one back. Sets value[0] and [3]
 * to the numbers of error events of these ranks, [1] to the number of error
 * events of the whole network.
 */
static int send_all(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_vt *w = vt_of(e->c)->w;
	struct net_fault_count n = { 0 };
	int ret = 0;

	if (rank != SENDER && rank != TARGET)
		return 0;
	if (rank == TARGET) {
		ret = wait_got(e, PACKETS);
		return ret ? ret : end_send(e, rank_peer(p, e, SENDER), 0, 8);
	}
	for (uint64_t i = 0; i < PACKETS && !ret; i++)
		ret = send_waiting(e, rank_peer(p, e, TARGET), i, 64);
	if (ret || wait_got(e, 1))
		return 1;
	if (net_fault_count_get(w->net, &n) && n.lost)
		return 2;
	p->found->value[0] = retransmitted(e);
	p->found->value[1] = n.error_events;
	p->found->value[3] =
		weft_load32_relaxed(&vt_rank(w, TARGET)->error_events);
	return 0;
}

static void bad_packets_are_events_at_the_sender(void **state)
{
	struct play p = { .ranks = 4, .machine = "gemini", .body = send_all };
	struct found f;

	play(&p, &f);
	T_IS(f.value[0], 0);
	p.faults = "seed = 3; memory * = 0.1";
	play(&p, &f);
	T_TRUE(f.value[0] > 10);
	/* only the target's own packet can cause an error event there */
	T_TRUE(f.value[3] <= 1);
	T_IS(f.value[0] + f.value[3], f.value[1]);
}

/* Other machines have no error responses. */
static void other_machines_have_no_events(void **state)
{
	struct play p = { .ranks = 4,
			  .machine = "qsnet2",
			  .faults = "seed = 3; memory * = 0.1",
			  .body = send_all };
	struct found f;

	play(&p, &f);
	T_IS(f.value[0] + f.value[1] + f.value[3], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(bad_packets_are_events_at_the_sender),
		T_CASE(other_machines_have_no_events),
	};

	return T_RUN(tests);
}
