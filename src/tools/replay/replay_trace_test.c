/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of traces: all kinds of calls, and every kind of wrong input. */
#include "test/support/replay_write.h"

#include "src/tools/replay/replay_call.h"
#include "test/support/fuzz.h"

#include <errno.h>
#include <weft/coll_call.h>

static char why[256];

static struct replay_source *opened(const struct writer *w)
{
	struct replay_source *s = NULL;

	*why = 0;
	T_OK(replay_trace_open(w->file, &s, why, sizeof(why)));
	return s;
}

/* A trace with every kind of call, in two chunks of rank 1. */
static void write_all(struct writer *w)
{
	writer_open(w, 2);
	CALL(w, RECORD_COMPUTE, 5000);
	CALL(w, RECORD_SEND, 0, 0, WRITER_S(1), WRITER_S(7), 300);
	CALL(w, RECORD_ISEND, RECORD_SYNC, 0, WRITER_S(1), WRITER_S(8), 9, 77);
	CALL(w, RECORD_WAIT, 1, 77);
	CALL(w, RECORD_COLL, RECORD_UNEVEN, 0, WEFT_COLL_ALLTOALL, WRITER_S(0),
	     0, 0, 1, 0, 0, 2, 3, 4, 2, 5, 6);
	CALL(w, RECORD_COMM, 0, 1, RECORD_COMM_SPLIT, 2, 1, 0);
	CALL(w, RECORD_END);
	writer_chunk(w, 0, 0);
	CALL(w, RECORD_RECV, 0, 0, WRITER_S(RECORD_ANY), WRITER_S(RECORD_ANY),
	     300);
	CALL(w, RECORD_IRECV, 0, 0, WRITER_S(0), WRITER_S(8), 9, 78);
	CALL(w, RECORD_WAIT_ONE, 1, 78, 0);
	writer_chunk(w, 1, 0);
	CALL(w, RECORD_SENDRECV, 0, 0, WRITER_S(1), WRITER_S(2), 3, WRITER_S(4),
	     WRITER_S(5), 6);
	CALL(w, RECORD_PROBE, 0, 0, WRITER_S(0), WRITER_S(1));
	CALL(w, RECORD_POLL, 3);
	CALL(w, RECORD_WTIME, 4);
	CALL(w, RECORD_COMM_FREE, 1);
	CALL(w, RECORD_REQ_FREE, 5);
	CALL(w, RECORD_OTHER, 2, 'o', 'k');
	CALL(w, RECORD_END);
	writer_chunk(w, 1, 1);
	writer_save(w, w->n);
}

static struct replay_call next_of(struct replay_source *s, uint32_t rank)
{
	struct replay_call c;

	T_TRUE(s->next(s, rank, &c));
	return c;
}

static void check_first_rank(struct replay_source *s)
{
	struct replay_call c = next_of(s, 0);

	T_IS(c.kind, RECORD_COMPUTE);
	T_IS(c.ps, 5000);
	c = next_of(s, 0);
	T_IS(c.peer, 1);
	T_IS(c.tag, 7);
	T_IS(c.bytes, 300);
	c = next_of(s, 0);
	T_IS(c.flags, RECORD_SYNC);
	T_IS(c.req, 77);
	c = next_of(s, 0);
	T_IS(c.count, 1);
	T_IS(c.reqs[0], 77);
	c = next_of(s, 0);
	T_IS(c.coll, WEFT_COLL_ALLTOALL);
	T_IS(c.sends[1], 4);
	T_IS(c.recvs[0], 5);
	T_IS(c.recv_count, 2);
	c = next_of(s, 0);
	T_IS(c.made, 1);
	T_IS(c.how, RECORD_COMM_SPLIT);
	T_IS(c.member[0], 1);
	T_IS(next_of(s, 0).kind, RECORD_END);
}

static void check_second_rank(struct replay_source *s)
{
	struct replay_call c = next_of(s, 1);

	T_IS(c.peer, RECORD_ANY);
	T_IS(c.tag, RECORD_ANY);
	T_IS(next_of(s, 1).req, 78);
	T_IS(next_of(s, 1).which, 0);
	c = next_of(s, 1);
	T_IS(c.peer_in, 4);
	T_IS(c.tag_in, 5);
	T_IS(c.bytes_in, 6);
	T_IS(next_of(s, 1).kind, RECORD_PROBE);
	T_IS(next_of(s, 1).count, 3);
	T_IS(next_of(s, 1).count, 4);
	T_IS(next_of(s, 1).comm, 1);
	T_IS(next_of(s, 1).req, 5);
	T_STR(next_of(s, 1).name, "ok");
	T_IS(next_of(s, 1).kind, RECORD_END);
}

static void test_all_calls(void **state)
{
	struct replay_source *s;
	struct writer w;

	(void)state;
	write_all(&w);
	s = opened(&w);
	T_IS(s->ranks, 2);
	check_first_rank(s);
	check_second_rank(s);
	s->close(s);
	writer_close(&w);
}

/* Opens the file and reads all calls. Returns whether both succeeded. */
static bool reads(const struct writer *w)
{
	struct replay_source *s = NULL;
	struct replay_call c = { .kind = RECORD_OTHER };
	bool ok = true;
	char at[256];

	if (replay_trace_open(w->file, &s, why, sizeof(why)))
		return false;
	for (uint32_t r = 0; ok && r < s->ranks && r < 4; r++) {
		c.kind = RECORD_OTHER;
		for (int i = 0; ok && c.kind && i < 10000; i++)
			ok = s->next(s, r, &c);
		s->where(s, r, at, sizeof(at));
		if (!ok)
			snprintf(why, sizeof(why), "%s", at);
	}
	s->close(s);
	return ok;
}

static void test_truncated(void **state)
{
	struct writer w;

	(void)state;
	write_all(&w);
	for (size_t n = 0; n < w.n; n++) {
		writer_save(&w, n);
		T_FALSE(reads(&w));
		/* the message names the file */
		T_NOT_NULL(strstr(why, w.file));
	}
	writer_save(&w, w.n);
	T_TRUE(reads(&w));
	writer_close(&w);
}

static void refused(struct writer *w, const char *text)
{
	writer_save(w, w->n);
	T_FALSE(reads(w));
	if (!strstr(why, text))
		fail_msg("\"%s\" does not have \"%s\"", why, text);
	writer_close(w);
}

static void test_corrupt(void **state)
{
	struct writer w;

	(void)state;
	write_all(&w);
	w.bytes[60] ^= 1;
	refused(&w, "byte 24: checksum");
	write_all(&w);
	w.bytes[0] = 'x';
	refused(&w, "not a trace");
	write_all(&w);
	w.bytes[8]++;
	refused(&w, "version");
	write_all(&w);
	memset(w.bytes + 12, 0, 4);
	refused(&w, "number of ranks");
	write_all(&w);
	w.bytes[28] = 2;
	refused(&w, "not in the job");
	write_all(&w);
	w.bytes[32] = 1;
	refused(&w, "missing");
}

static void test_wrong_calls(void **state)
{
	static const struct {
		uint64_t n[8];
		const char *text;
	} cases[] = {
		{ { RECORD_KINDS, WRITER_END }, "no such call" },
		{ { RECORD_SEND, 0, 0, WRITER_END }, "incomplete" },
		{ { RECORD_SEND, 128, WRITER_END }, "flags" },
		{ { RECORD_SEND, 0, 0, 0, 0, UINT64_MAX - 1, WRITER_END },
		  "size" },
		{ { RECORD_WAIT, 1000, WRITER_END }, "longer" },
		{ { RECORD_WAIT_ONE, 1, 1, 1, WRITER_END }, "no such request" },
		{ { RECORD_COLL, 0, 0, 99, 0, 0, 0, WRITER_END },
		  "incomplete" },
		{ { RECORD_COMM, 0, 1, 0, 1, 9, WRITER_END }, "member" },
		{ { RECORD_OTHER, 64, WRITER_END }, "name" },
		{ { RECORD_POLL, 1, WRITER_END }, "without MPI_Finalize" },
	};
	struct writer w;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		writer_open(&w, 1);
		writer_call(&w, cases[i].n);
		writer_chunk(&w, 0, 0);
		refused(&w, cases[i].text);
	}
}

/*
 * Calls with invalid values and valid checksums are refused or read, never
 * overrun.
 */
static void test_fuzz(void **state)
{
	struct record_chunk h;
	struct writer w;
	struct fuzz f;

	(void)state;
	write_all(&w);
	fuzz_init(&f, 45);
	for (int i = 0; i < fuzz_rounds(3000); i++) {
		struct writer v = w;
		size_t n;

		memcpy(&h, v.bytes + 24, sizeof(h));
		n = fuzz_message(&f, v.bytes + 48, h.bytes, h.bytes, NULL, 0);
		h.check = record_check(v.bytes + 48, h.bytes);
		(void)n;
		memcpy(v.bytes + 24, &h, sizeof(h));
		writer_save(&v, v.n);
		reads(&v);
		v = w;
		n = fuzz_message(&f, v.bytes, v.n, v.n, NULL, 0);
		writer_save(&v, n);
		reads(&v);
	}
	writer_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(test_all_calls), T_CASE(test_truncated),
		T_CASE(test_corrupt),	T_CASE(test_wrong_calls),
		T_CASE(test_fuzz),
	};

	return T_RUN(tests);
}
