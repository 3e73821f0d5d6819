/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole replays in child processes: messages of all protocols, collectives,
 * communicators, deadlocks, and traces whose values are wrong. Times are
 * compared with those of real processes in test/vt/vt_replay.sh.
 */
#include "test/support/replay_write.h"

#include "src/tools/replay/replay.h"

#include <mpi.h>
#include <sys/wait.h>
#include <weft/coll_call.h>

static char text[8192];

/* Runs weft-sim with these words. Returns its exit status; text: its output. */
static int sim(const char *a, const char *b, const char *c, const char *d)
{
	char *words[] = { (char *)(uintptr_t) "weft-sim", (char *)(uintptr_t)a,
			  (char *)(uintptr_t)b,		  (char *)(uintptr_t)c,
			  (char *)(uintptr_t)d,		  NULL };
	int ends[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	T_OK(pipe(ends));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		status = replay_main(words);
		fflush(NULL);
		_exit(status);
	}
	close(ends[1]);
	while ((got = read(ends[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = 0;
	close(ends[0]);
	T_IS(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void has(const char *want)
{
	if (!strstr(text, want))
		fail_msg("\"%s\" does not have \"%s\"", text, want);
}

/* The same virtual time in two runs, on every machine. */
static void test_patterns(void **state)
{
	static const char *const machines[] = { "bgq", "gemini", "qsnet2",
						"sunway", "apenet" };
	static const char *const patterns[] = {
		"ring,ranks=6,bytes=200,steps=3",
		"halo,ranks=8,bytes=20k,steps=2,compute=5",
		"alltoall,ranks=4,bytes=3000,steps=2",
	};
	char first[sizeof(text)];

	(void)state;
	for (size_t m = 0; m < 5; m++)
		for (size_t p = 0; p < 3; p++) {
			T_OK(sim("--calls", patterns[p], "--machine",
				 machines[m]));
			has("virtual time");
			snprintf(first, sizeof(first), "%.200s",
				 strstr(text, "virtual time"));
			*strchr(first, '\n') = 0;
			T_OK(sim("--calls", patterns[p], "--machine",
				 machines[m]));
			has(first);
		}
}

static void test_compute(void **state)
{
	(void)state;
	T_OK(sim("--calls", "ring,ranks=2,bytes=0,steps=10,compute=1000",
		 "--compute", "2"));
	/* ten computations of 1 ms, times two, and messages */
	has("virtual time 200");
	has("ranks end at 200");
}

static int replay(struct writer *w)
{
	int rc;

	writer_save(w, w->n);
	rc = sim("--replay", w->file, "--machine", "bgq");
	writer_close(w);
	return rc;
}

static void end(struct writer *w, uint32_t rank)
{
	CALL(w, RECORD_END);
	writer_chunk(w, rank, 0);
}

/* Both ranks: messages of all kinds, a communicator, and collectives. */
static void write_rank(struct writer *w, uint32_t me)
{
	uint64_t other = WRITER_S(1 - (int)me);

	CALL(w, RECORD_IRECV, 0, 0, WRITER_S(RECORD_ANY), WRITER_S(RECORD_ANY),
	     100000, 1);
	CALL(w, RECORD_ISEND, RECORD_TYPED, 0, other, WRITER_S(3), 100000, 2);
	CALL(w, RECORD_WAIT, 2, 1, 2);
	CALL(w, RECORD_SENDRECV, 0, 0, other, WRITER_S(1), 10, other,
	     WRITER_S(1), 10);
	CALL(w, RECORD_COMM, 0, 5, RECORD_COMM_SPLIT, 2, 1, 0);
	CALL(w, RECORD_COLL, 0, 5, WEFT_COLL_BCAST, WRITER_S(1), 0,
	     (uintptr_t)MPI_BYTE, 1, 0, 5000);
	CALL(w, RECORD_COLL, RECORD_LATER, 5, WEFT_COLL_ALLREDUCE, WRITER_S(0),
	     (uintptr_t)MPI_SUM, (uintptr_t)MPI_DOUBLE, 8, 0, 4, 9);
	CALL(w, RECORD_WAIT_ONE, 1, 9, 0);
	CALL(w, RECORD_COLL, RECORD_COMMUTES, 0, WEFT_COLL_SCAN, WRITER_S(0), 0,
	     0, 24, 0, 3);
	CALL(w, RECORD_COMM_FREE, 5);
	CALL(w, RECORD_POLL, 3);
	CALL(w, RECORD_WTIME, 2);
	if (me)
		CALL(w, RECORD_SEND, RECORD_SYNC, 0, other, WRITER_S(4), 1);
	else
		CALL(w, RECORD_PROBE, 0, 0, other, WRITER_S(4));
	if (!me)
		CALL(w, RECORD_RECV, 0, 0, other, WRITER_S(4), 1);
	end(w, me);
}

static void test_calls(void **state)
{
	struct writer w;

	(void)state;
	writer_open(&w, 2);
	write_rank(&w, 0);
	write_rank(&w, 1);
	T_OK(replay(&w));
	has("replay: 2 ranks, 29 calls");
}

static void test_deadlock(void **state)
{
	struct writer w;

	(void)state;
	writer_open(&w, 3);
	end(&w, 0);
	CALL(&w, RECORD_RECV, 0, 0, WRITER_S(0), WRITER_S(6), 8);
	end(&w, 1);
	CALL(&w, RECORD_COLL, 0, 0, WEFT_COLL_BARRIER, WRITER_S(0), 0, 0, 1, 0,
	     0);
	end(&w, 2);
	T_IS(replay(&w), 35);
	has("deadlock: 3 of 3 ranks wait");
	has("rank 0: MPI_Finalize");
	has("rank 1: MPI_Recv, call 1, rank 0, tag 6");
	has("rank 2: MPI_Barrier, call 1");
}

static void test_refused(void **state)
{
	static const struct {
		uint64_t n[12];
		const char *text;
	} cases[] = {
		{ { RECORD_SEND, 0, 0, 4, 0, 1, WRITER_END }, "no rank 2" },
		{ { RECORD_SEND, 0, 3, 0, 0, 1, WRITER_END },
		  "no communicator 3" },
		{ { RECORD_SEND, 0, 0, 0, 1, 1, WRITER_END }, "no tag -1" },
		{ { RECORD_WAIT, 1, 5, WRITER_END }, "no request 5" },
		{ { RECORD_COLL, 0, 0, WEFT_COLL_BCAST, 4, 0, 0, 1, 0, 1,
		    WRITER_END },
		  "no such kind, root" },
		{ { RECORD_COLL, 0, 0, WEFT_COLL_BCAST, 0, 0, 0, 1, 0,
		    UINT64_C(1) << 39, WRITER_END },
		  "too long" },
		{ { RECORD_OTHER, 2, 'o', 'k', WRITER_END },
		  "ok cannot be replayed" },
	};
	struct writer w;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		writer_open(&w, 2);
		writer_call(&w, cases[i].n);
		end(&w, 0);
		end(&w, 1);
		T_IS(replay(&w), 1);
		has("rank 0");
		has(cases[i].text);
	}
}

static void test_arguments(void **state)
{
	(void)state;
	T_IS(sim("--calls", "star", NULL, NULL), 1);
	has("no pattern \"star\"");
	T_IS(sim("--calls", "halo,dims=2x2x2,ranks=9", NULL, NULL), 1);
	has("do not have 9 ranks");
	T_IS(sim("--calls", "ring,ranks=0", NULL, NULL), 1);
	T_IS(sim("--calls", "ring", "--machine", "nowhere"), 1);
	T_IS(sim("--replay", "/nonexistent", NULL, NULL), 1);
	has("/nonexistent: No such file");
	T_IS(sim("--replay", "x", "--calls", "ring"), 2);
	T_IS(sim("--calls", "ring", "--compute", "-1"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(test_patterns), T_CASE(test_compute),
		T_CASE(test_calls),    T_CASE(test_deadlock),
		T_CASE(test_refused),  T_CASE(test_arguments),
	};

	return T_RUN(tests);
}
