/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole replays in child processes: messages of all protocols, collectives,
 * communicators, deadlocks, and traces whose values are wrong. Times are
 * compared with those of real processes in test/vt/vt_replay.sh.
 */
#include "test/support/replay_sim.h"
#include "test/support/replay_write.h"

#include <mpi.h>
#include <weft/coll_call.h>

/* Runs weft-sim with the words of a line. */
static int sim_line(const char *line)
{
	char copy[512], *words[32] = { (char *)(uintptr_t) "weft-sim" };
	char *save = NULL;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w && n < 30;
	     w = strtok_r(NULL, " ", &save))
		words[++n] = w;
	return sim_words(words);
}

static void has(const char *want)
{
	if (!strstr(text, want))
		fail_msg("\"%s\" does not have \"%s\"", text, want);
}

/* Two runs take the same virtual time, on every machine. */
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

/* Returns the time after this word in the output, in us. */
static double time_after(const char *word)
{
	const char *at = strstr(text, word);

	if (!at)
		fail_msg("\"%s\" does not have \"%s\"", text, word);
	return strtod(at + strlen(word), NULL);
}

#define HALO	"--calls halo,ranks=16,bytes=20k,steps=2 "
#define SHIFT	"--calls shift,ranks=48,bytes=60k,steps=2 "
#define MACHINE "--machine bgq:2x2x4x4x2 "

/* A placement that lists the nodes in order equals the default map. */
static void test_place(void **state)
{
	double plain, placed;

	(void)state;
	T_OK(sim_line(MACHINE HALO));
	plain = time_after("virtual time ");
	T_OK(sim_line(MACHINE HALO "--place contiguous"));
	T_TRUE(time_after("virtual time ") == plain);
	T_OK(sim_line(MACHINE HALO "--place 0-15"));
	T_TRUE(time_after("virtual time ") == plain);
	/* three ranks need two nodes */
	T_OK(sim_line(MACHINE "--ppn 2 --calls ring,ranks=3 --place 4,5"));
	T_IS(sim_line(MACHINE "--ppn 2 --calls ring,ranks=3 --place 4"), 1);
	has("3 ranks, 2 on a node, need 2 nodes; the list has 1");
	T_OK(sim_line(MACHINE "--place random=5 " HALO));
	placed = time_after("virtual time ");
	T_TRUE(placed != plain);
	T_OK(sim_line(MACHINE HALO "--place random=5"));
	T_TRUE(time_after("virtual time ") == placed);
	T_OK(sim_line(MACHINE HALO "--place random=6"));
	T_TRUE(time_after("virtual time ") != placed);
}

/* A job that shares the network with another one is slower than alone. */
static void test_jobs(void **state)
{
	static const char jobs[] = "--place random=5 " MACHINE HALO SHIFT;
	char line[256];
	double alone, beside;

	(void)state;
	T_OK(sim_line("--alone 0 --place random=5 " MACHINE HALO SHIFT));
	alone = time_after("ranks end at ");
	has("job 1: shift,ranks=48,bytes=60k,steps=2, 48 ranks on 48 nodes");
	has("idle");
	T_OK(sim_line(jobs));
	beside = time_after("ranks end at ");
	T_TRUE(beside > alone);
	snprintf(line, sizeof(line), "%s --background", jobs);
	T_OK(sim_line(line));
	has("background");
	T_TRUE(time_after("ranks end at ") >= beside);
}

static void test_wrong_places(void **state)
{
	static const char *const lines[][2] = {
		{ "--place 120-140", "the machine has 128 nodes, 0 to 127" },
		{ "--place 1,2,2", "node 2 is in use" },
		{ "--place 0-14", "need 16 nodes; the list has 15" },
		{ "--place 3-1", "expected nodes such as 0-31,64" },
		{ "--place 0-3x", "expected nodes such as 0-31,64" },
		{ "--place random=x", "expected random, or random=SEED" },
		{ "--place near", "expected contiguous, random, random=SEED" },
		{ "--place 0-15 --map ABCDET", "--map places one job" },
		{ "--calls ring,ranks=113", "128 nodes, 129 are needed" },
		{ "--place 50-65 --calls ring,ranks=65",
		  "no 65 consecutive nodes are free" },
		{ "--background", "all jobs have --background" },
		{ "--alone 1", "--alone 1: there are 1 jobs" },
	};
	char line[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(line, sizeof(line), MACHINE HALO "%s", lines[i][0]);
		T_TRUE(sim_line(line) != 0);
		has(lines[i][1]);
	}
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

/* Writes a rank's calls: all kinds of messages, a communicator, collectives. */
static void write_rank(struct writer *w, uint32_t me)
{
	uint64_t other = WRITER_S(1 - (int)me);

	CALL(w, RECORD_IRECV, 0, 0, WRITER_S(RECORD_ANY), WRITER_S(RECORD_ANY),
	     100000, 1);
	CALL(w, RECORD_ISEND, RECORD_TYPED, 0, other, WRITER_S(3), 100000, 2);
	CALL(w, RECORD_WAIT, 2, 1, 2);
	/* any tag of one source, and one tag of any source */
	CALL(w, RECORD_IRECV, 0, 0, other, WRITER_S(RECORD_ANY), 100, 3);
	CALL(w, RECORD_ISEND, 0, 0, other, WRITER_S(7), 100, 4);
	CALL(w, RECORD_WAIT, 2, 3, 4);
	CALL(w, RECORD_IRECV, 0, 0, WRITER_S(RECORD_ANY), WRITER_S(8), 100, 5);
	CALL(w, RECORD_ISEND, 0, 0, other, WRITER_S(8), 100, 6);
	CALL(w, RECORD_WAIT, 2, 5, 6);
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
	has("replay: 2 ranks, 41 calls");
}

/* Two jobs run the same trace, and a background job repeats it. */
static void test_traces(void **state)
{
	char line[512];
	struct writer w;
	double one;

	(void)state;
	writer_open(&w, 2);
	write_rank(&w, 0);
	write_rank(&w, 1);
	writer_save(&w, w.n);
	snprintf(line, sizeof(line), MACHINE "--replay %s", w.file);
	T_OK(sim_line(line));
	one = time_after("ranks end at ");
	snprintf(line, sizeof(line),
		 MACHINE "--replay %s --replay %s --place 8,9 " HALO
			 "--replay %s --background --place 2-3",
		 w.file, w.file, w.file);
	T_OK(sim_line(line));
	has("job 1: ");
	/* the nodes of one pair of ranks share no link with the others */
	T_TRUE(time_after("(contiguous), 41 calls, ranks end at ") < 1.1 * one);
	T_TRUE(time_after("(8,9), 41 calls, ranks end at ") < 1.1 * one);
	has("(2-3), ");
	writer_close(&w);
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
		uint64_t n[16];
		const char *text;
	} cases[] = {
		{ { RECORD_SEND, 0, 0, 4, 0, 1, WRITER_END }, "no rank 2" },
		{ { RECORD_SEND, 0, 3, 0, 0, 1, WRITER_END },
		  "no communicator 3" },
		{ { RECORD_SEND, 0, 0, 0, 1, 1, WRITER_END }, "no tag -1" },
		{ { RECORD_WAIT, 1, 5, WRITER_END }, "no request 5" },
		{ { RECORD_IRECV, 0, 0, 2, 2, 8, 5, RECORD_IRECV, 0, 0, 2, 2, 8,
		    5, WRITER_END },
		  "request is in use: 5" },
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
	T_IS(sim("--machine", "bgq", NULL, NULL), 2);
	has("use --replay or --calls");
	T_IS(sim("--calls", "ring", "--compute", "-1"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(test_patterns), T_CASE(test_compute),
		T_CASE(test_place),    T_CASE(test_jobs),
		T_CASE(test_traces),   T_CASE(test_wrong_places),
		T_CASE(test_calls),    T_CASE(test_deadlock),
		T_CASE(test_refused),  T_CASE(test_arguments),
	};

	return T_RUN(tests);
}
