/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Software costs of machine files in virtual time (prov/vt): a change of one
 * number makes a small program longer by an exact number of picoseconds; a
 * comment derives the number. Times of the network: prov/net/net_golden_test.c.
 */
#include "test/support/replay_sim.h"
#include "test/support/replay_write.h"

#include <inttypes.h>
#include <mpi.h>
#include <weft/coll_call.h>

#define NS UINT64_C(1000)

/* ---- programs ------------------------------------------------------------ */

static void send_to(struct writer *w, int peer, int tag, uint64_t bytes)
{
	CALL(w, RECORD_SEND, 0, 0, WRITER_S(peer), WRITER_S(tag), bytes);
}

static void recv_from(struct writer *w, int peer, int tag, uint64_t bytes)
{
	CALL(w, RECORD_RECV, 0, 0, WRITER_S(peer), WRITER_S(tag), bytes);
}

static void end_rank(struct writer *w, uint32_t rank)
{
	CALL(w, RECORD_END);
	writer_chunk(w, rank, 0);
}

/* Writes n round trips: 2 n messages, one after another. */
static void trips(struct writer *w, int n, uint64_t bytes)
{
	for (int i = 0; i < n; i++) {
		send_to(w, 1, 1, bytes);
		recv_from(w, 1, 1, bytes);
	}
	end_rank(w, 0);
	for (int i = 0; i < n; i++) {
		recv_from(w, 0, 1, bytes);
		send_to(w, 0, 1, bytes);
	}
	end_rank(w, 1);
}

static void round_trip(struct writer *w, uint64_t bytes)
{
	trips(w, 1, bytes);
}

static void round_trips(struct writer *w, uint64_t bytes)
{
	trips(w, 4, bytes);
}

/*
 * Posts three receives with other tags before the receive that the first
 * message matches; later messages match the first entry.
 */
static void search(struct writer *w, uint64_t bytes)
{
	send_to(w, 1, 4, bytes);
	recv_from(w, 1, 9, bytes);
	for (int tag = 1; tag < 4; tag++)
		send_to(w, 1, tag, bytes);
	recv_from(w, 1, 9, bytes);
	end_rank(w, 0);
	for (uint64_t tag = 1; tag < 4; tag++)
		CALL(w, RECORD_IRECV, 0, 0, WRITER_S(0), 2 * tag, bytes, tag);
	recv_from(w, 0, 4, bytes);
	send_to(w, 0, 9, bytes);
	CALL(w, RECORD_WAIT, 3, 1, 2, 3);
	send_to(w, 0, 9, bytes);
	end_rank(w, 1);
}

static void clock_reads(struct writer *w, uint64_t n)
{
	CALL(w, RECORD_WTIME, n);
	end_rank(w, 0);
	end_rank(w, 1);
}

/* Writes n polls while a receive whose message is never sent is outstanding. */
static void polls(struct writer *w, uint64_t n)
{
	CALL(w, RECORD_IRECV, 0, 0, WRITER_S(1), WRITER_S(1), 8, 1);
	CALL(w, RECORD_POLL, n);
	CALL(w, RECORD_REQ_FREE, 1);
	end_rank(w, 0);
	end_rank(w, 1);
}

/* Writes three sums of n doubles. */
static void sums(struct writer *w, uint64_t n)
{
	for (uint32_t r = 0; r < 2; r++) {
		for (int i = 0; i < 3; i++)
			CALL(w, RECORD_COLL, 0, 0, WEFT_COLL_ALLREDUCE,
			     WRITER_S(0), (uintptr_t)MPI_SUM,
			     (uintptr_t)MPI_DOUBLE, 8, 0, n);
		end_rank(w, r);
	}
}

/* n barriers. */
static void barriers(struct writer *w, uint64_t n)
{
	for (uint32_t r = 0; r < 2; r++) {
		for (uint64_t i = 0; i < n; i++)
			CALL(w, RECORD_COLL, 0, 0, WEFT_COLL_BARRIER,
			     WRITER_S(0), 0, 0, 1, 0, 0);
		end_rank(w, r);
	}
}

/* ---- runs ---------------------------------------------------------------- */

/* Returns the end of the last rank, in ps. */
static uint64_t run(const char *machine, const char *ppn,
		    void (*program)(struct writer *w, uint64_t n), uint64_t n)
{
	char *words[] = { (char *)(uintptr_t) "weft-sim",
			  (char *)(uintptr_t) "--replay",
			  NULL,
			  (char *)(uintptr_t) "--machine",
			  (char *)(uintptr_t)machine,
			  (char *)(uintptr_t) "--no-finalize",
			  (char *)(uintptr_t) "--ppn",
			  (char *)(uintptr_t)ppn,
			  NULL };
	unsigned long long whole, part;
	struct writer w;
	const char *at;

	writer_open(&w, 2);
	program(&w, n);
	writer_save(&w, w.n);
	words[2] = w.file;
	T_OK(sim_words(words));
	writer_close(&w);
	at = strstr(text, " to ");
	T_NOT_NULL(at);
	T_IS(sscanf(at, " to %llu.%6llu us", &whole, &part), 2);
	return whole * 1000000 + part;
}

/* Writes the machine file with the line of a key replaced. */
static void write_file(char *path, const char *machine, const char *key,
		       const char *value)
{
	char from[4096], line[512], word[32];
	const char *top = getenv("top_srcdir");
	int fd = mkstemp(path);
	FILE *in, *out = fdopen(fd, "w");
	int replaced = 0;

	snprintf(from, sizeof(from), "%s/share/machines/%s", top ? top : "..",
		 machine);
	in = fopen(from, "r");
	T_TRUE(in && out);
	while (fgets(line, sizeof(line), in)) {
		/* the first line only: variants at the end repeat keys */
		if (!replaced && sscanf(line, "%31[a-z_.] =", word) == 1 &&
		    !strcmp(word, key))
			replaced = snprintf(line, sizeof(line), "%s = %s\n",
					    key, value);
		fputs(line, out);
	}
	T_TRUE(replaced);
	fclose(in);
	T_OK(fclose(out));
}

struct cost {
	const char *machine, *key, *low, *high; /* two values of the key */
	const char *ppn;
	void (*program)(struct writer *w, uint64_t n);
	uint64_t n;
	uint64_t more; /* additional time of the program with `high`, ps */
};

static void check_cost(const struct cost *c)
{
	char low[] = "/tmp/weft-golden-XXXXXX",
	     high[] = "/tmp/weft-golden-XXXXXX";
	uint64_t a, b;

	write_file(low, c->machine, c->key, c->low);
	write_file(high, c->machine, c->key, c->high);
	a = run(low, c->ppn, c->program, c->n);
	b = run(high, c->ppn, c->program, c->n);
	unlink(low);
	unlink(high);
	if (b - a != c->more)
		fail_msg("%s: %s = %s, then %s: %" PRIu64 " ps more, not "
			 "%" PRIu64,
			 c->machine, c->key, c->low, c->high, b - a, c->more);
}

static const struct cost costs[] = {
	/* eight messages, each sent and received by a processor */
	{ "bgq", "send", "48 ns", "58 ns", "1", round_trips, 8, 80 * NS },
	{ "bgq", "recv", "48 ns", "58 ns", "1", round_trips, 8, 80 * NS },
	{ "qsnet2", "send", "65 ns", "75 ns", "1", round_trips, 8, 80 * NS },
	{ "qsnet2", "recv", "65 ns", "75 ns", "1", round_trips, 8, 80 * NS },
	{ "gemini", "send", "200 ns", "210 ns", "1", round_trips, 8, 80 * NS },
	{ "sunway", "send", "1297 ns", "1307 ns", "1", round_trips, 8,
	  80 * NS },
	{ "sunway", "recv", "1297 ns", "1307 ns", "1", round_trips, 8,
	  80 * NS },
	{ "apenet", "send", "300 ns", "310 ns", "1", round_trips, 8, 80 * NS },
	/* eight messages, and one more packet for the first contact */
	{ "gemini", "recv", "300 ns", "310 ns", "1", round_trips, 8, 90 * NS },
	{ "apenet", "recv", "300 ns", "310 ns", "1", round_trips, 8, 90 * NS },
	{ "apenet", "recv", "300 ns", "310 ns", "1", round_trip, 8, 30 * NS },
	/* the interface matches each of the eight messages */
	{ "qsnet2", "match", "300 ns", "310 ns", "1", round_trips, 8, 80 * NS },
	/*
	 * the first message is compared with three other receives before it
	 * matches
	 */
	{ "qsnet2", "match_entry", "60 ns", "70 ns", "1", search, 8, 30 * NS },
	/*
	 * added once to each of eight messages, by rendezvous or in three
	 * packets
	 */
	{ "bgq", "message", "126 ns", "136 ns", "1", round_trips, 20000,
	  80 * NS },
	{ "bgq", "message", "126 ns", "136 ns", "1", round_trips, 1000,
	  80 * NS },
	{ "gemini", "message", "300 ns", "310 ns", "1", round_trips, 20000,
	  80 * NS },
	{ "qsnet2", "message", "500 ns", "510 ns", "1", round_trips, 20000,
	  80 * NS },
	{ "apenet", "message", "300 ns", "310 ns", "1", round_trips, 20000,
	  80 * NS },
	/*
	 * added once to each of eight messages that processors send in packets
	 */
	{ "gemini", "eager_message", "0 ns", "10 ns", "1", round_trips, 1200,
	  80 * NS },
	/* two copies of 1000 B for each of eight messages: .25 ns/B longer */
	{ "sunway", "packet_copy", "4 GB/s", "2 GB/s", "1", round_trips, 1000,
	  8 * 2 * 250 * NS },
	/* each read takes 10 ns longer; the first poll of a series is free */
	{ "bgq", "wtime", "20 ns", "30 ns", "1", clock_reads, 5, 50 * NS },
	{ "bgq", "poll", "50 ns", "60 ns", "1", polls, 5, 40 * NS },
	{ "bgq", "poll", "50 ns", "60 ns", "1", polls, 100, 990 * NS },
	/* eight messages through the node's memory */
	{ "bgq", "memory_latency", "150 ns", "160 ns", "2", round_trips, 8,
	  80 * NS },
	/*
	 * 1000 B are three packets with headers of 40 B: 1120 B of eight
	 * messages at .5 - .25 ns/B. With memory_total = 1 GB/s the memory is
	 * slower than a processor's copy: 1 - .25 ns/B.
	 */
	{ "bgq", "memory_copy", "4 GB/s", "2 GB/s", "2", round_trips, 1000,
	  8 * 280 * NS },
	{ "bgq", "memory_total", "25 GB/s", "1 GB/s", "2", round_trips, 1000,
	  8 * 840 * NS },
	/* three barriers in the network */
	{ "sunway", "coll_send", "143 ns", "153 ns", "1", barriers, 3,
	  30 * NS },
	{ "sunway", "coll_recv", "142 ns", "152 ns", "1", barriers, 3,
	  30 * NS },
	{ "sunway", "fold", "173 ns", "183 ns", "1", barriers, 3, 30 * NS },
	{ "qsnet2", "query", "82.5 ns", "92.5 ns", "1", barriers, 3, 30 * NS },
	{ "qsnet2", "fold", "300 ns", "310 ns", "1", sums, 1, 30 * NS },
};

static void costs_move_the_end_by_their_number(void **state)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		check_cost(&costs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(costs_move_the_end_by_their_number),
	};

	return T_RUN(tests);
}
