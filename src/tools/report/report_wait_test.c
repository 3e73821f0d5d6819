/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of wait states and the chain of waits with small traces. The comment of
 * each case draws the calls of each rank by start and end, in ps, and computes
 * the expected result. Each case checks that the parts of the chain add up to
 * the duration of the run and that no call waits longer than it takes.
 */
#include "src/tools/report/report.h"
#include "test/t.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4 };

static struct weft_job_page job_page;
static struct report_job job = { .job_page = &job_page, .virtual = true };
static int fd;
static struct weft_trace rank[RANKS];
/* time of all ranks in each call, ps */
static uint64_t in_call[JOB_PAGE_NAMES];

static struct report s;
static struct report_matched m;
static struct report_wait_result w;
static struct report_chain c;

static int begin(void **state)
{
	memset(in_call, 0, sizeof(in_call));
	if (weft_job_page_open(&job_page, RANKS, true))
		return -1;
	fd = weft_trace_create("/tmp/x");
	for (uint32_t i = 0; i < RANKS; i++)
		if (weft_trace_attach(&rank[i], fd, i))
			return -1;
	return 0;
}

static int end(void **state)
{
	report_chain_free(&c);
	report_wait_free(&w);
	report_match_free(&m);
	report_close(&s);
	for (uint32_t i = 0; i < RANKS; i++)
		weft_trace_detach(&rank[i]);
	close(fd);
	weft_job_page_close(&job_page);
	return 0;
}

/* ---- events -------------------------------------------------------------- */

static uint32_t id_of(const char *name)
{
	return weft_job_page_id(&job_page, name);
}

static void call_of(uint32_t r, const char *name, uint64_t from, uint64_t to,
		    struct trace_event e)
{
	e.kind = TRACE_CALL;
	e.t = from;
	e.span = to - from;
	e.id = id_of(name);
	in_call[e.id] += e.span;
	weft_trace_event(&rank[r], &e);
}

static void call(uint32_t r, const char *name, uint64_t from, uint64_t to)
{
	call_of(r, name, from, to, (struct trace_event){ 0 });
}

/* Records collective number n on MPI_COMM_WORLD. */
static void coll(uint32_t r, const char *name, uint64_t n, uint64_t from,
		 uint64_t to)
{
	call_of(r, name, from, to,
		(struct trace_event){ .word = TRACE_COLL(0, 1, n) });
}

static void rooted(uint32_t r, const char *name, uint32_t root, uint64_t from,
		   uint64_t to)
{
	call_of(r, name, from, to,
		(struct trace_event){ .word = TRACE_COLL(0, 1, 0),
				      .root = root + 1,
				      .root_rank = root });
}

static void put(uint32_t r, struct trace_event e)
{
	weft_trace_event(&rank[r], &e);
}

static void sent(uint32_t r, uint32_t to, uint64_t word, uint64_t t, bool later)
{
	put(r, (struct trace_event){ .kind = TRACE_SEND,
				     .t = t,
				     .size = 8,
				     .word = word,
				     .id = to,
				     .later = later });
}

static void done(uint32_t r, uint32_t to, uint64_t word, uint64_t t)
{
	put(r, (struct trace_event){
		       .kind = TRACE_DONE, .t = t, .word = word, .id = to });
}

/*
 * Records an arrival. posted: post time of the receive; 0: posted by the call
 * in which the message arrives.
 */
static void got(uint32_t r, uint64_t word, uint64_t t, uint64_t posted)
{
	put(r, (struct trace_event){ .kind = TRACE_RECV,
				     .t = t,
				     .span = posted ? t - posted : 0,
				     .size = 8,
				     .word = word });
}

/* ---- results ------------------------------------------------------------- */

static void check_sums(void)
{
	uint64_t links = 0, sums = c.outside, t = s.end;

	for (uint64_t i = 0; i < c.links; i++) {
		T_IS(c.link[i].to, t); /* the links have no gap */
		t = c.link[i].from;
		links += c.link[i].to - c.link[i].from;
	}
	T_IS(links, s.end - s.begin);
	for (uint32_t id = 0; id < JOB_PAGE_NAMES; id++) {
		uint64_t waits = 0;

		for (int v = 0; v < REPORT_VIAS; v++)
			sums += c.by_call[id][v];
		for (int k = 0; k < REPORT_CLASSES; k++)
			waits += w.by_call[id][k];
		T_TRUE(waits <= in_call[id]);
	}
	T_IS(sums, s.end - s.begin);
}

static void evaluate(void)
{
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(report_match(&s, &m), 0);
	T_IS(report_match_colls(&s, &m), 0);
	T_IS(report_wait(&s, &m, &w), 0);
	T_IS(report_chain(&s, &w, &c), 0);
	check_sums();
}

/* Checks link i, counted from the end of the run. */
static void link_is(uint64_t i, uint32_t r, enum report_wait_end via,
		    uint64_t from, uint64_t to)
{
	T_TRUE(i < c.links);
	T_IS(c.link[i].rank, r);
	T_IS(c.link[i].via, via);
	T_IS(c.link[i].from, from);
	T_IS(c.link[i].to, to);
}

static uint64_t waited(uint32_t r, enum report_class k)
{
	return w.by_rank[r][k];
}

/* ---- cases --------------------------------------------------------------- */

/*
 *   rank 0         Recv 10 ................ got 118, 120
 *   rank 1  Init 0-5           Send 100-102 (sent 100)
 *
 * Rank 0 waits 10 to 100 for a late sender: 90. Chain: rank 0 118-120, flight
 * 100-118, rank 1 0-100, of which 5 are in its call and 95 outside MPI.
 */
static void a_late_sender(void **state)
{
	call(1, "MPI_Init", 0, 5);
	sent(1, 0, 7, 100, false);
	call(1, "MPI_Send", 100, 102);
	got(0, 7, 118, 0);
	call(0, "MPI_Recv", 10, 120);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 90);
	T_IS(w.by_call[id_of("MPI_Recv")][REPORT_LATE_SENDER], 90);
	T_IS(waited(1, REPORT_LATE_SENDER), 0);
	T_IS(c.links, 3);
	link_is(0, 0, REPORT_OWN, 118, 120);
	link_is(1, 0, REPORT_MESSAGE, 100, 118);
	T_IS(c.link[1].peer, 1);
	link_is(2, 1, REPORT_OWN, 0, 100);
	T_IS(c.link[2].outside, 95);
	T_IS(c.by_rank[1], 100);
}

/*
 *   rank 0         Send 10 (sent 10) ............ done 128, 130
 *   rank 1  Init 0-5           Recv 100 .. got 124, 125
 *
 * The send is a rendezvous: it completes after the receive was posted at 100.
 * Rank 0 waits 10 to 100 for a late receiver: 90. Rank 1 does not wait.
 * Chain: rank 0 128-130, flight 100-128, rank 1 0-100.
 */
static void a_late_receiver(void **state)
{
	call(1, "MPI_Init", 0, 5);
	sent(0, 1, 7, 10, true);
	done(0, 1, 7, 128);
	call(0, "MPI_Send", 10, 130);
	got(1, 7, 124, 0);
	call(1, "MPI_Recv", 100, 125);
	evaluate();
	T_IS(waited(0, REPORT_LATE_RECEIVER), 90);
	T_IS(waited(1, REPORT_LATE_SENDER), 0);
	T_IS(c.links, 3);
	link_is(0, 0, REPORT_OWN, 128, 130);
	link_is(1, 0, REPORT_RECEIVER, 100, 128);
	T_IS(c.link[1].other, 1);
	link_is(2, 1, REPORT_OWN, 0, 100);
}

/*
 * As in a_late_receiver, but the receiver returns last, at 140. The message is
 * in flight from the post of its receive: rank 1 138-140, flight 100-138, rank
 * 1 0-100.
 */
static void late_receiver_flight_starts_at_receive_post(void **state)
{
	call(1, "MPI_Init", 0, 5);
	sent(0, 1, 7, 10, true);
	done(0, 1, 7, 128);
	call(0, "MPI_Send", 10, 130);
	got(1, 7, 138, 0);
	call(1, "MPI_Recv", 100, 140);
	evaluate();
	T_IS(waited(0, REPORT_LATE_RECEIVER), 90);
	T_IS(c.links, 3);
	link_is(1, 1, REPORT_MESSAGE, 100, 138);
	T_IS(c.link[1].other, 1);
	T_IS(c.link[1].peer, 0);
	link_is(2, 1, REPORT_OWN, 0, 100);
}

/*
 *   rank 0  Barrier 10 ..................... 99
 *   rank 1        Barrier 40 ............ 96
 *   rank 2                   Barrier 90 .. 97
 *
 * Waits: 80, 50 and 0. Chain: 90-99 in the barrier, then rank 2 10-90.
 */
static void a_barrier(void **state)
{
	coll(0, "MPI_Barrier", 0, 10, 99);
	coll(1, "MPI_Barrier", 0, 40, 96);
	coll(2, "MPI_Barrier", 0, 90, 97);
	evaluate();
	T_IS(waited(0, REPORT_WAIT_BARRIER), 80);
	T_IS(waited(1, REPORT_WAIT_BARRIER), 50);
	T_IS(waited(2, REPORT_WAIT_BARRIER), 0);
	T_IS(w.by_call[id_of("MPI_Barrier")][REPORT_WAIT_BARRIER], 130);
	T_IS(c.links, 2);
	link_is(0, 0, REPORT_COLLECTIVE, 90, 99);
	T_IS(c.link[0].other, 2);
	link_is(1, 2, REPORT_OWN, 10, 90);
	T_IS(c.link[1].outside, 80);
}

/*
 *   rank 0  Recv 0 ............................ got 150, 152
 *   rank 1     Recv 10 ... got 120, 121  Send 130-131
 *   rank 2  Init 0-5    Send 100-102
 *
 * Late senders: rank 0 130, rank 1 90. Chain: rank 0 150-152, flight 130-150,
 * rank 1 120-130, flight 100-120, rank 2 0-100.
 */
static void a_chain_through_three_ranks(void **state)
{
	call(2, "MPI_Init", 0, 5);
	sent(2, 1, 1, 100, false);
	call(2, "MPI_Send", 100, 102);
	got(1, 1, 120, 0);
	call(1, "MPI_Recv", 10, 121);
	sent(1, 0, 2, 130, false);
	call(1, "MPI_Send", 130, 131);
	got(0, 2, 150, 0);
	call(0, "MPI_Recv", 0, 152);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 130);
	T_IS(waited(1, REPORT_LATE_SENDER), 90);
	T_IS(c.links, 5);
	link_is(1, 0, REPORT_MESSAGE, 130, 150);
	link_is(2, 1, REPORT_OWN, 120, 130);
	T_IS(c.link[2].outside, 9); /* 120-121 is in MPI_Recv */
	link_is(3, 1, REPORT_MESSAGE, 100, 120);
	link_is(4, 2, REPORT_OWN, 0, 100);
}

/*
 *   rank 0  Irecv 0-1  Irecv 1-2  Waitall 2 .. got 35 .. got 75, 80
 *   rank 1                    Send 30-31
 *   rank 2                              Send 60-61
 *
 * The request that completes last counts: late sender 2 to 60, 58. Chain: rank
 * 0 75-80, flight 60-75, rank 2 0-60.
 */
static void waitall_waits_for_the_last_request(void **state)
{
	call(0, "MPI_Irecv", 0, 1);
	call(0, "MPI_Irecv", 1, 2);
	got(0, 1, 35, 1);
	got(0, 2, 75, 2);
	call(0, "MPI_Waitall", 2, 80);
	sent(1, 0, 1, 30, false);
	call(1, "MPI_Send", 30, 31);
	sent(2, 0, 2, 60, false);
	call(2, "MPI_Send", 60, 61);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 58);
	T_IS(w.by_call[id_of("MPI_Waitall")][REPORT_LATE_SENDER], 58);
	T_IS(c.links, 3);
	link_is(1, 0, REPORT_MESSAGE, 60, 75);
	T_IS(c.link[1].peer, 2);
	link_is(2, 2, REPORT_OWN, 0, 60);
}

/*
 *   rank 0  Waitall 2 .......... got 65 (sent 60) .. got 75 (sent 10), 80
 *   rank 1                  Send 60-61
 *   rank 2    Send 10-11
 *
 * The message that arrives last was sent first. The late-sender wait is for the
 * other message, 2 to 60. The chain continues with the message that arrived
 * last: rank 0 75-80, flight 10-75, rank 2 2-10.
 */
static void wait_class_uses_the_latest_send_not_arrival(void **state)
{
	got(0, 1, 65, 1);
	got(0, 2, 75, 1);
	call(0, "MPI_Waitall", 2, 80);
	sent(1, 0, 1, 60, false);
	call(1, "MPI_Send", 60, 61);
	sent(2, 0, 2, 10, false);
	call(2, "MPI_Send", 10, 11);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 58);
	T_IS(c.links, 3);
	link_is(1, 0, REPORT_MESSAGE, 10, 75);
	link_is(2, 2, REPORT_OWN, 2, 10);
}

/*
 *   rank 0  Allreduce 10 ........... 55   Recv 60 ..... got 98, 100
 *   rank 1     Allreduce 20 ........ 56          Send 90-92
 *   rank 2               Allreduce 50-57
 *
 * N x N: 40, 30, 0; late sender 30. Chain: rank 0 98-100, flight 90-98, rank 1
 * 56-90, the allreduce 50-56, rank 2 10-50.
 */
static void chain_continues_through_a_collective(void **state)
{
	coll(0, "MPI_Allreduce", 0, 10, 55);
	coll(1, "MPI_Allreduce", 0, 20, 56);
	coll(2, "MPI_Allreduce", 0, 50, 57);
	sent(1, 0, 7, 90, false);
	call(1, "MPI_Send", 90, 92);
	got(0, 7, 98, 0);
	call(0, "MPI_Recv", 60, 100);
	evaluate();
	T_IS(waited(0, REPORT_WAIT_NXN), 40);
	T_IS(waited(1, REPORT_WAIT_NXN), 30);
	T_IS(waited(2, REPORT_WAIT_NXN), 0);
	T_IS(waited(0, REPORT_LATE_SENDER), 30);
	T_IS(c.links, 5);
	link_is(2, 1, REPORT_OWN, 56, 90);
	link_is(3, 1, REPORT_COLLECTIVE, 50, 56);
	link_is(4, 2, REPORT_OWN, 10, 50);
}

/*
 *   rank 0  Bcast 10 ....... 60          Reduce 70 .......... 120
 *   rank 1       Bcast 50-55 (root)              Reduce 100-101
 *   rank 2  Bcast 55-61 (after the root)   Reduce 80 ... 110
 *
 * Rank 0 waits 40 for the root of the broadcast, rank 2 does not. As root of
 * the reduction, rank 0 waits 30 for rank 1. The other ranks do not wait,
 * however long the call takes.
 */
static void collectives_with_a_root(void **state)
{
	rooted(0, "MPI_Bcast", 1, 10, 60);
	rooted(1, "MPI_Bcast", 1, 50, 55);
	rooted(2, "MPI_Bcast", 1, 55, 61);
	for (uint32_t r = 0; r < 3; r++) {
		static const uint64_t from[] = { 70, 100, 80 },
				      to[] = { 120, 101, 110 };

		call_of(r, "MPI_Reduce", from[r], to[r],
			(struct trace_event){ .word = TRACE_COLL(0, 1, 1),
					      .root = 1,
					      .root_rank = 0 });
	}
	evaluate();
	T_IS(waited(0, REPORT_LATE_BROADCAST), 40);
	T_IS(waited(2, REPORT_LATE_BROADCAST), 0);
	T_IS(waited(0, REPORT_EARLY_REDUCE), 30);
	T_IS(waited(2, REPORT_EARLY_REDUCE), 0);
	link_is(0, 0, REPORT_COLLECTIVE, 100, 120);
	link_is(1, 1, REPORT_OWN, 10, 100);
}

/*
 * A rank in a scan waits for lower ranks: rank 1, which enters at 20, waits for
 * rank 0 until 30. Rank 0 does not wait.
 */
static void a_scan(void **state)
{
	coll(0, "MPI_Scan", 0, 30, 35);
	coll(1, "MPI_Scan", 0, 20, 40);
	coll(2, "MPI_Scan", 0, 90, 91);
	evaluate();
	T_IS(waited(0, REPORT_EARLY_SCAN), 0);
	T_IS(waited(1, REPORT_EARLY_SCAN), 10);
	T_IS(waited(2, REPORT_EARLY_SCAN), 0);
}

/*
 *   rank 0  Irecv 0-1  Test 10-12  Test 13-15  Test 16-20 (got 18)
 *   rank 1                                     Send 17-18
 *
 * The three tests are one wait from 10 to 17, of which 2 + 2 + 1 are inside
 * MPI. Chain: rank 0 18-20, flight 17-18, rank 1 0-17.
 */
static void test_calls_in_a_loop_are_one_wait(void **state)
{
	call(0, "MPI_Irecv", 0, 1);
	call(0, "MPI_Test", 10, 12);
	call(0, "MPI_Test", 13, 15);
	got(0, 7, 18, 1);
	call(0, "MPI_Test", 16, 20);
	sent(1, 0, 7, 17, false);
	call(1, "MPI_Send", 17, 18);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 5);
	T_IS(c.links, 3);
	link_is(1, 0, REPORT_MESSAGE, 17, 18);
	link_is(2, 1, REPORT_OWN, 0, 17);
}

/*
 * A rank that computes between its tests does not wait: the test at 60 us
 * completes a message that was sent at 17 us.
 */
static void occasional_mpi_test_has_no_wait_state(void **state)
{
	const uint64_t us = 1000000;

	call(0, "MPI_Irecv", 0, 1 * us);
	call(0, "MPI_Test", 10 * us, 12 * us);
	got(0, 7, 61 * us, 1 * us);
	call(0, "MPI_Test", 60 * us, 62 * us);
	sent(1, 0, 7, 17 * us, false);
	call(1, "MPI_Send", 17 * us, 18 * us);
	sent(1, 2, 8, 18 * us, false);
	got(2, 8, 22 * us, 0); /* a message takes 4 us */
	call(2, "MPI_Recv", 18 * us, 23 * us);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 0);
	T_IS(c.links, 1);
}

/*
 *   rank 0      Recv 10 .. got 24, 25
 *   rank 1  Send 4-6 (sent 5)
 *   rank 2         Send 11-12, rank 3  Recv 11 .. got 21, 22: 10 of flight
 *
 * The message to rank 0 was in flight when the receive started: no wait state,
 * but the chain continues with the sender: rank 0 24-25, flight 5-24, rank 1
 * 4-5.
 */
static void chain_follows_a_message_in_flight(void **state)
{
	sent(1, 0, 7, 5, false);
	call(1, "MPI_Send", 4, 6);
	got(0, 7, 24, 0);
	call(0, "MPI_Recv", 10, 25);
	sent(2, 3, 8, 11, false);
	call(2, "MPI_Send", 11, 12);
	got(3, 8, 21, 0);
	call(3, "MPI_Recv", 11, 22);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 0);
	T_IS(c.links, 3);
	link_is(1, 0, REPORT_MESSAGE, 5, 24);
	link_is(2, 1, REPORT_OWN, 4, 5);
}

/*
 * The message arrived before rank 0 called the receive: another message was in
 * flight for 1 ps, so this message arrived by 6.
 */
static void unexpected_message_causes_no_wait(void **state)
{
	sent(1, 0, 7, 5, false);
	sent(1, 2, 8, 5, false);
	call(1, "MPI_Send", 4, 6);
	got(0, 7, 11, 0);
	call(0, "MPI_Recv", 10, 12);
	got(2, 8, 6, 0);
	call(2, "MPI_Recv", 4, 7);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 0);
	T_IS(c.links, 1);
	link_is(0, 0, REPORT_OWN, 4, 12);
}

/*
 * Rank 1 sends at the time at which its receive completes: the chain has links
 * at 40, 30 and 20.
 */
static void adjacent_waits_are_chained(void **state)
{
	sent(2, 1, 1, 20, false);
	call(2, "MPI_Send", 0, 21);
	got(1, 1, 30, 0);
	sent(1, 0, 2, 30, false);
	call(1, "MPI_Sendrecv", 1, 30);
	got(0, 2, 40, 0);
	call(0, "MPI_Recv", 2, 40);
	evaluate();
	T_IS(c.links, 3);
	link_is(0, 0, REPORT_MESSAGE, 30, 40);
	link_is(1, 1, REPORT_MESSAGE, 20, 30);
	link_is(2, 2, REPORT_OWN, 0, 20);
}

/* MPI_Isend does not wait for a message that arrives during the call. */
static void nonblocking_call_has_no_wait_state(void **state)
{
	sent(1, 0, 7, 20, false);
	call(1, "MPI_Send", 20, 21);
	got(0, 7, 30, 5);
	call(0, "MPI_Isend", 10, 40);
	evaluate();
	T_IS(waited(0, REPORT_LATE_SENDER), 0);
	T_IS(c.links, 1);
}

/*
 *   rank 0  Start 10 .. 45 (posted 40)     Complete 70-72
 *   rank 1            Post 40-41  Wait 50 ............. 80
 *
 * Late post 30, late complete 20 (sent at 70). Chain: rank 1 79-80, from rank 0
 * at 70; rank 0 45-70; from rank 1 at 40; rank 1 10-40.
 */
static void active_target_epochs(void **state)
{
	uint64_t kind = (uint64_t)TRACE_WORD_SYNC << 48;

	sent(1, 0, kind | UINT64_C(1) << 31 | 1, 40, false);
	call(1, "MPI_Win_post", 40, 41);
	got(0, kind | UINT64_C(1) << 31 | 1, 45, 0);
	call(0, "MPI_Win_start", 10, 45);
	sent(0, 1, kind | 2, 70, false);
	call(0, "MPI_Win_complete", 70, 72);
	got(1, kind | 2, 79, 0);
	call(1, "MPI_Win_wait", 50, 80);
	evaluate();
	T_IS(m.messages, 0);
	T_IS(m.syncs, 2);
	T_IS(waited(0, REPORT_LATE_POST), 30);
	T_IS(waited(1, REPORT_LATE_COMPLETE), 20);
	T_IS(c.links, 5);
	link_is(1, 1, REPORT_SYNC, 70, 79);
	link_is(2, 0, REPORT_OWN, 45, 70);
	link_is(3, 0, REPORT_SYNC, 40, 45);
	link_is(4, 1, REPORT_OWN, 10, 40);
}

/*
 *   rank 0  Lock 0-5 ......... Unlock 50-60
 *   rank 1      Lock 10 ................. 65
 *
 * Rank 1 waits for the lock until 60: 50. Rank 2 waits for the lock of another
 * target, 10-64, which rank 3 unlocks at 20-30: 20.
 */
static void lock_contention_ends_with_the_unlock(void **state)
{
	const struct trace_event at = { .word = TRACE_P2P(3, 0, 9) },
				 other = { .word = TRACE_P2P(4, 0, 9) };

	call_of(0, "MPI_Win_lock", 0, 5, at);
	call_of(0, "MPI_Win_unlock", 50, 60, at);
	call_of(1, "MPI_Win_lock", 10, 65, at);
	call_of(2, "MPI_Win_lock", 10, 64, other);
	call_of(3, "MPI_Win_unlock", 20, 30, other);
	evaluate();
	T_IS(waited(1, REPORT_LOCK_CONTENTION), 50);
	T_IS(waited(2, REPORT_LOCK_CONTENTION), 20);
	T_IS(waited(0, REPORT_LOCK_CONTENTION), 0);
	T_IS(c.links, 2);
	link_is(0, 1, REPORT_LOCK, 60, 65);
	link_is(1, 0, REPORT_OWN, 0, 60);
}

/*
 *   rank 0  Unlock 0-5  Unlock 10-15  Unlock 20-25 ...
 *   rank 1   Lock 1-7    Lock 11-17    Lock 21-27  ...
 *
 * Each lock waits for the unlock within it: 4.
 */
static void each_lock_finds_its_unlock(void **state)
{
	const struct trace_event at = { .word = TRACE_P2P(3, 0, 9) };

	for (uint64_t t = 0; t < 400; t += 10) {
		call_of(0, "MPI_Win_unlock", t, t + 5, at);
		call_of(1, "MPI_Win_lock", t + 1, t + 7, at);
	}
	evaluate();
	T_IS(waited(1, REPORT_LOCK_CONTENTION), 40 * 4);
	T_IS(waited(0, REPORT_LOCK_CONTENTION), 0);
}

/*
 *   rank 0  Send 0-5       Recv 50 ... open
 *   rank 1  Init 0-20  Barrier 30 ... open
 *
 * The job deadlocks at 200: Recv, open for 150, and Barrier, open for 170,
 * are incomplete. The chain starts with the call that was entered last:
 * 50-200, then rank 0 0-50.
 */
static void open_calls_at_a_deadlock_are_incomplete(void **state)
{
	struct trace_open *o;

	call(0, "MPI_Send", 0, 5);
	call(1, "MPI_Init", 0, 20);
	weft_trace_put(&rank[0], TRACE_NOTES, "end\t200", 8);
	o = weft_trace_open_calls(&rank[0]);
	weft_store64(&o->since, 50);
	weft_store32(&o->id, id_of("MPI_Recv"));
	o = weft_trace_open_calls(&rank[1]);
	weft_store64(&o->since, 30);
	weft_store32(&o->id, id_of("MPI_Barrier"));
	in_call[id_of("MPI_Recv")] += 150;
	in_call[id_of("MPI_Barrier")] += 170;
	evaluate();
	T_IS(s.opens, 2);
	T_IS(s.end, 200);
	T_IS(waited(0, REPORT_NOT_COMPLETED), 150);
	T_IS(waited(1, REPORT_NOT_COMPLETED), 170);
	T_IS(c.links, 2);
	link_is(0, 0, REPORT_OPEN, 50, 200);
	link_is(1, 0, REPORT_OWN, 0, 50);
	T_IS(c.link[1].outside, 45);
	/* the report includes open calls */
	T_IS(weft_load64(
		     &weft_job_page_call_count(&job_page, 0, id_of("MPI_Recv"))
			      ->ps),
	     150);
}

/*
 * A rank writes the event of a completed call before it clears the entry of the
 * open call.
 */
static void completed_call_is_not_open(void **state)
{
	struct trace_open *o = weft_trace_open_calls(&rank[0]);

	call(0, "MPI_Send", 10, 15);
	weft_store64(&o->since, 10);
	weft_store32(&o->id, id_of("MPI_Send"));
	evaluate();
	T_IS(s.opens, 0);
	T_IS(s.end, 15);
}

/*
 * The first of two sends with the same tag word completes immediately: the
 * recorded completion belongs to the second.
 */
static void immediate_sends_have_no_completion_event(void **state)
{
	sent(0, 1, 7, 10, false);
	sent(0, 1, 7, 20, true);
	done(0, 1, 7, 33);
	call(0, "MPI_Waitall", 10, 34);
	got(1, 7, 30, 5);
	got(1, 7, 40, 6);
	call(1, "MPI_Waitall", 25, 41);
	evaluate();
	T_IS(m.messages, 2);
	T_IS(m.message[0].done, 0);
	T_IS(m.message[1].done, 33);
	T_IS(m.message[1].posted, 6);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_late_sender),
		CASE(a_late_receiver),
		CASE(late_receiver_flight_starts_at_receive_post),
		CASE(a_barrier),
		CASE(a_chain_through_three_ranks),
		CASE(waitall_waits_for_the_last_request),
		CASE(wait_class_uses_the_latest_send_not_arrival),
		CASE(chain_continues_through_a_collective),
		CASE(collectives_with_a_root),
		CASE(a_scan),
		CASE(test_calls_in_a_loop_are_one_wait),
		CASE(occasional_mpi_test_has_no_wait_state),
		CASE(chain_follows_a_message_in_flight),
		CASE(unexpected_message_causes_no_wait),
		CASE(adjacent_waits_are_chained),
		CASE(nonblocking_call_has_no_wait_state),
		CASE(active_target_epochs),
		CASE(lock_contention_ends_with_the_unlock),
		CASE(each_lock_finds_its_unlock),
		CASE(open_calls_at_a_deadlock_are_incomplete),
		CASE(completed_call_is_not_open),
		CASE(immediate_sends_have_no_completion_event),
	};

	return T_RUN(tests);
}
