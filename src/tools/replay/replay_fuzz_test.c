/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays of traces with inconsistent calls: peers, sizes, communicators,
 * requests and their order are changed. Each replay ends, with a result or with
 * a message.
 */
#include "test/support/fuzz.h"
#include "test/support/replay_sim.h"
#include "test/support/replay_write.h"

#include <mpi.h>
#include <weft/coll_call.h>

enum { RANKS = 3, CALLS = 24, NUMBERS = 20 };

/* The numbers that encode a call; the last one is WRITER_END. */
struct call {
	uint64_t n[NUMBERS];
};

struct program {
	struct call call[RANKS][CALLS];
	int calls[RANKS];
};

#define ADD(p, r, ...)                   \
	((p)->call[r][(p)->calls[r]++] = \
		 (struct call){ { __VA_ARGS__, WRITER_END } })

#define BYTE ((uintptr_t)MPI_BYTE)
#define SUM  ((uintptr_t)MPI_SUM)
#define DBL  ((uintptr_t)MPI_DOUBLE)

/* Adds rank r's calls: messages around a ring, communicators, collectives. */
static void add_rank(struct program *p, int r)
{
	uint64_t next = WRITER_S((r + 1) % RANKS);
	uint64_t last = WRITER_S((r + RANKS - 1) % RANKS);

	ADD(p, r, RECORD_COMPUTE, 1000);
	ADD(p, r, RECORD_IRECV, 0, 0, last, WRITER_S(3), 20000, 1);
	ADD(p, r, RECORD_ISEND, 0, 0, next, WRITER_S(3), 20000, 2);
	ADD(p, r, RECORD_WAIT, 2, 1, 2);
	ADD(p, r, RECORD_SENDRECV, 0, 0, next, WRITER_S(1), 10, last,
	    WRITER_S(1), 10);
	ADD(p, r, RECORD_COMM, 0, 5, RECORD_COMM_SPLIT, 3, 2, 0, 1);
	ADD(p, r, RECORD_COLL, 0, 5, WEFT_COLL_BCAST, WRITER_S(1), 0, BYTE, 1,
	    0, 500);
	ADD(p, r, RECORD_COLL, RECORD_LATER, 5, WEFT_COLL_ALLREDUCE,
	    WRITER_S(0), SUM, DBL, 8, 0, 4, 9);
	ADD(p, r, RECORD_WAIT_ONE, 1, 9, 0);
	ADD(p, r, RECORD_COLL, RECORD_UNEVEN, 0, WEFT_COLL_ALLTOALL,
	    WRITER_S(0), 0, BYTE, 1, 0, 0, 3, 4, 4, 4, 3, 4, 4, 4);
	ADD(p, r, RECORD_COLL, RECORD_LATER, 0, WEFT_COLL_BARRIER, WRITER_S(0),
	    0, 0, 1, 0, 0, 10);
	ADD(p, r, RECORD_WAIT, 1, 10);
	ADD(p, r, RECORD_COMM_FREE, 5);
	ADD(p, r, RECORD_COLL, RECORD_COMMUTES, 0, WEFT_COLL_SCAN, WRITER_S(0),
	    0, 0, 24, 0, 3);
	ADD(p, r, RECORD_ISEND, RECORD_SYNC, 0, next, WRITER_S(4), 1, 11);
	ADD(p, r, RECORD_PROBE, 0, 0, last, WRITER_S(4));
	ADD(p, r, RECORD_RECV, 0, 0, WRITER_S(RECORD_ANY), WRITER_S(RECORD_ANY),
	    1);
	ADD(p, r, RECORD_WAIT, 1, 11);
	ADD(p, r, RECORD_WTIME, 1);
	ADD(p, r, RECORD_END);
}

static struct program valid(void)
{
	struct program p = { 0 };

	for (int r = 0; r < RANKS; r++)
		add_rank(&p, r);
	return p;
}

/* Replays the program; returns the exit status. */
static int run(const struct program *p)
{
	struct writer w;
	int rc;

	writer_open(&w, RANKS);
	for (int r = 0; r < RANKS; r++) {
		for (int i = 0; i < p->calls[r]; i++)
			writer_call(&w, p->call[r][i].n);
		writer_chunk(&w, (uint32_t)r, 0);
	}
	writer_save(&w, w.n);
	rc = sim("--replay", w.file, "--machine", "bgq");
	writer_close(&w);
	return rc;
}

static void the_valid_program_is_replayed(void **state)
{
	struct program p = valid();

	T_OK(run(&p));
	T_NOT_NULL(strstr(text, "3 ranks, 57 calls"));
}

/* A communicator may be freed while its operations are outstanding. */
static void freed_communicators_complete_their_operations(void **state)
{
	struct program p = { 0 };

	for (int r = 0; r < RANKS; r++) {
		ADD(&p, r, RECORD_COMM, 0, 5, RECORD_COMM_AGREE, 3, 0, 1, 2);
		ADD(&p, r, RECORD_IRECV, 0, 5, WRITER_S((r + 2) % RANKS),
		    WRITER_S(3), 40000, 1);
		ADD(&p, r, RECORD_ISEND, 0, 5, WRITER_S((r + 1) % RANKS),
		    WRITER_S(3), 40000, 2);
		ADD(&p, r, RECORD_COLL, RECORD_LATER, 5, WEFT_COLL_ALLREDUCE,
		    WRITER_S(0), SUM, DBL, 8, 0, 4000, 3);
		ADD(&p, r, RECORD_COMM_FREE, 5);
		ADD(&p, r, RECORD_WAIT, 3, 1, 2, 3);
		ADD(&p, r, RECORD_END);
	}
	T_OK(run(&p));
}

/* A probe for a message that is never sent ends with the deadlock report. */
static void probes_without_a_message_are_reported(void **state)
{
	struct program p = { 0 };

	ADD(&p, 0, RECORD_PROBE, 0, 0, WRITER_S(1), WRITER_S(5));
	for (int r = 0; r < RANKS; r++)
		ADD(&p, r, RECORD_END);
	T_IS(run(&p), 35);
	T_NOT_NULL(strstr(text, "rank 0: MPI_Probe, call 1, rank 1, tag 5"));
}

/*
 * Changes one number of a call. Large sizes would make the replay slow: a new
 * size is small, or so large that the replay refuses it. Numbers of polls stay
 * small.
 */
static void change_number(struct fuzz *f, struct call *c)
{
	unsigned n = 0, i;
	uint64_t x;

	while (c->n[n] != WRITER_END)
		n++;
	i = (unsigned)weft_rng_below(&f->rng, n);
	x = fuzz_number(f, c->n[i], 8);
	if (x > 4096 && x < UINT64_C(1) << 42)
		x = fuzz_chance(f, 2) ? x & 15 : x << 42 | 1;
	if (i && (c->n[0] == RECORD_POLL || c->n[0] == RECORD_WTIME))
		x &= 15;
	if (x != WRITER_END)
		c->n[i] = x;
}

static void change(struct fuzz *f, struct program *p)
{
	int r = (int)weft_rng_below(&f->rng, RANKS), order[CALLS];
	struct program was = *p;

	if (!fuzz_chance(f, 4)) {
		change_number(f, &p->call[r][weft_rng_below(
					 &f->rng, (uint64_t)p->calls[r])]);
		return;
	}
	for (int i = 0; i < p->calls[r]; i++)
		order[i] = i;
	p->calls[r] = fuzz_order(f, order, p->calls[r], CALLS);
	for (int i = 0; i < p->calls[r]; i++)
		p->call[r][i] = was.call[r][order[i]];
}

static void changed_programs_end(void **state)
{
	int rounds = fuzz_rounds(80), good = 0;
	struct fuzz f;

	fuzz_init(&f, 45);
	for (int i = 0; i < rounds; i++) {
		struct program p = valid();
		int rc;

		do
			change(&f, &p);
		while (fuzz_chance(&f, 3));
		rc = run(&p);
		if (rc < 0 || rc > 100)
			fail_msg("round %d: exit status %d: %s", i, rc, text);
		T_TRUE(*text);
		good += !rc;
	}
	T_TRUE(good && good < rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_valid_program_is_replayed),
		T_CASE(freed_communicators_complete_their_operations),
		T_CASE(probes_without_a_message_are_reported),
		T_CASE(changed_programs_end),
	};

	return T_RUN(tests);
}
