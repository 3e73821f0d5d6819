/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of report.c, report_match.c and report_perfetto.c: events become calls,
 * messages, collectives and a trace file.
 */
#include "src/tools/report/report.h"
#include "test/t.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 48 };

static struct weft_job_page job_page;
static struct report_job job = { .job_page = &job_page };
static int fd;
static struct weft_trace rank[RANKS];

static int begin(void **state)
{
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
	for (uint32_t i = 0; i < RANKS; i++)
		weft_trace_detach(&rank[i]);
	close(fd);
	weft_job_page_close(&job_page);
	return 0;
}

static void put(uint32_t r, enum trace_kind kind, uint64_t t, uint64_t span,
		uint64_t word, uint32_t id)
{
	const struct trace_event e = { .t = t,
				       .span = span,
				       .word = word,
				       .id = id,
				       .kind = kind,
				       .size = span };

	weft_trace_event(&rank[r], &e);
}

static void nth_send_of_a_tag_word_matches_nth_arrival(void **state)
{
	struct report_matched m;
	struct report s;

	put(0, TRACE_SEND, 10, 1, 7, 1);
	put(0, TRACE_SEND, 20, 2, 7, 1);
	put(0, TRACE_SEND, 30, 3, 7, 2); /* same tag word, different receiver */
	put(1, TRACE_RECV, 40, 1, 7, 0);
	put(1, TRACE_RECV, 50, 2, 7, 0);
	put(1, TRACE_RECV, 60, 4, 8, 0); /* no send has this tag word */
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(s.sends, 3);
	T_IS(report_match(&s, &m), 0);
	T_IS(m.messages, 2);
	T_IS(m.message[0].sent, 10);
	T_IS(m.message[1].sent, 20);
	T_IS(m.message[1].got, 50);
	T_IS(m.message[1].from, 0);
	report_match_free(&m);
	report_close(&s);
}

/* Uses enough ranks for collisions in the hash table. */
static void equal_tag_words_match_per_destination(void **state)
{
	enum { WORDS = 8 };
	struct report_matched m;
	uint64_t t = 0;
	struct report s;

	for (uint64_t w = 0; w < WORDS; w++)
		for (uint32_t to = RANKS - 1; to; to--, t++) {
			put(0, TRACE_SEND, t, 1, w, to);
			put(to, TRACE_RECV, t, 1, w, 0);
		}
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(report_match(&s, &m), 0);
	T_IS(m.messages, t);
	for (uint64_t i = 0; i < m.messages; i++)
		T_IS(m.message[i].sent, m.message[i].got);
	report_match_free(&m);
	report_close(&s);
}

static void calls_of_a_collective_are_grouped(void **state)
{
	uint64_t a = TRACE_COLL(0, 1, 0), b = TRACE_COLL(0, 1, 1);
	const struct report_coll *c;
	struct report_matched m;
	struct report s;

	for (uint32_t r = 0; r < 3; r++) {
		put(r, TRACE_CALL, 100 + 10 * r, 50 - 10 * r, a, 1);
		put(r, TRACE_CALL, 200, 10, b, 1);
	}
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(report_match(&s, &m), 0);
	T_IS(report_match_colls(&s, &m), 0);
	T_IS(m.colls, 2);
	c = report_coll_of(&m, a, NULL);
	T_IS(c->ranks, 3);
	T_IS(c->first, 100);
	T_IS(c->last, 120);
	T_IS(c->last_rank, 2);
	T_IS(c->end, 150);
	T_TRUE(!report_coll_of(&m, 5, NULL));
	T_TRUE(report_coll_of(&m, b, c) == c + 1);
	T_TRUE(report_coll_of(&m, a, c) == c);
	report_match_free(&m);
	report_close(&s);
}

/* Counts the lines that begin with `with`; checks that all are complete. */
static unsigned lines(FILE *f, const char *with)
{
	char line[256];
	unsigned n = 0;

	rewind(f);
	T_TRUE(fgets(line, sizeof(line), f) != NULL); /* first line */
	while (fgets(line, sizeof(line), f) && line[0] == '{') {
		size_t len = strcspn(line, "\n");

		T_TRUE(line[len] == '\n' && len > 2);
		T_TRUE(line[len - 1] == '}' || line[len - 2] == '}');
		n += !strncmp(line, with, strlen(with));
	}
	T_IS(strcmp(line, "]}\n"), 0);
	return n;
}

/* Writes more calls and more messages than fit in one buffer. */
static void trace_file_has_complete_lines(void **state)
{
	enum { MANY = 9000 };
	char name[64];
	struct report s;
	FILE *f;

	snprintf(name, sizeof(name), "/tmp/report_test.%d.json", getpid());
	for (uint64_t i = 0; i < MANY; i++) {
		put(0, TRACE_SEND, 10 * i, 8, 7, 1);
		put(0, TRACE_CALL, 10 * i, 2, 0, 1);
		put(1, TRACE_RECV, 10 * i + 5, 8, 7, 0);
		put(1, TRACE_CALL, 10 * i + 3, 3, 0, 2);
	}
	for (int virtual = 0; virtual < 2; virtual ++) {
		job.virtual = virtual;
		T_IS(report_open(&s, fd, &job), 0);
		T_IS(report_perfetto(&s, name), 0);
		report_close(&s);
		f = fopen(name, "r");
		T_TRUE(f != NULL);
		T_IS(lines(f, "{\"ph\":\"M\""), RANKS);
		T_IS(lines(f, "{\"ph\":\"X\""), 2 * MANY);
		T_IS(lines(f, "{\"ph\":\"s\""), MANY);
		T_IS(lines(f, "{\"ph\":\"f\""), MANY);
		fclose(f);
		unlink(name);
	}
	job.virtual = false;
}

/* Returns the line of the call that starts at this time, in us. */
static const char *line_at(FILE *f, const char *when)
{
	static char line[512];

	rewind(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, when))
			return line;
	return "";
}

static void put_call(uint32_t r, uint64_t t, struct trace_event e)
{
	e.kind = TRACE_CALL;
	e.t = t * 1000000;
	e.id = 1;
	weft_trace_event(&rank[r], &e);
}

#define HAS(when, text) T_TRUE(strstr(line_at(f, when), text) != NULL)

/* Checks the arguments of each call: peer, tag, bytes, communicator, root. */
static void trace_file_contains_call_arguments(void **state)
{
	char name[64];
	struct report s;
	FILE *f;

	snprintf(name, sizeof(name), "/tmp/report_test.%d.json", getpid());
	put_call(0, 0, (struct trace_event){ .size = 0 });
	put_call(0, 1,
		 (struct trace_event){ .word = TRACE_P2P(3, 99, 1),
				       .size = 4097 });
	put_call(0, 2,
		 (struct trace_event){
			 .word = TRACE_P2P(TRACE_ANY_PEER, TRACE_ANY_TAG, 7),
			 .size = (UINT64_C(5) << 32) + 1 });
	put_call(0, 3,
		 (struct trace_event){ .word = TRACE_COLL(0, 1, 0),
				       .size = 1,
				       .root = 6,
				       .root_rank = 8 });
	put_call(0, 4, (struct trace_event){ .word = TRACE_ACCESS(2, 24) });
	job.virtual = true;
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(report_perfetto(&s, name), 0);
	report_close(&s);
	job.virtual = false;
	f = fopen(name, "r");
	T_TRUE(f != NULL);
	HAS("\"ts\":0.0", "\"dur\":0.000000}");
	HAS("\"ts\":1.0", "\"args\":{\"peer\":3,\"tag\":99,\"communicator\":"
			  "\"MPI_COMM_WORLD\",\"bytes\":4096}}");
	HAS("\"ts\":2.0", "\"peer\":\"MPI_ANY_SOURCE\",\"tag\":\"MPI_ANY_TAG\","
			  "\"communicator\":7,\"bytes\":21474836480}}");
	HAS("\"ts\":3.0", "\"root\":5,\"bytes\":0}}");
	HAS("\"ts\":4.0", "\"args\":{\"target\":2,\"bytes\":24}}");
	fclose(f);
	unlink(name);
}

static void events_of_invalid_rank_are_ignored(void **state)
{
	const struct trace_event e = { .kind = TRACE_SEND };
	struct weft_trace unrelated;
	struct report s;

	T_IS(weft_trace_attach(&unrelated, fd, UINT32_MAX - 1), 0);
	weft_trace_event(&unrelated, &e);
	weft_trace_detach(&unrelated);
	put(1, TRACE_SEND, 400, 8, 0, 3);
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(s.sends, 1);
	report_close(&s);
}

/* Traced calls are added to the calls that the ranks counted themselves. */
static void traced_calls_are_added_to_job_page(void **state)
{
	struct job_page_tally *t = weft_job_page_call_count(&job_page, 1, 3);
	struct report s;

	weft_store64(&t->count, 2);
	weft_store64(&t->ps, 1000);
	put(1, TRACE_CALL, 100, 50, 0, 3);
	put(1, TRACE_CALL, 200, 30, 0, 3);
	put(1, TRACE_CALL, 300, 30, 0, JOB_PAGE_NAMES);
	put(1, TRACE_SEND, 400, 8, 0, 3);
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(weft_load64(&t->count), 4);
	T_IS(weft_load64(&t->ps), 1080);
	T_IS(s.last, 1);
	T_IS(s.end, 330);
	report_close(&s);
}

static void corrupt_chunks_are_ignored(void **state)
{
	struct report s;

	put(0, TRACE_CALL, 1, 1, 0, 1);
	put(1, TRACE_CALL, 1, 1, 0, 1);
	put(2, TRACE_CALL, 1, 1, 0, 1);
	rank[0].event_buf->writer = RANKS;
	weft_store64(&rank[1].event_buf->state, TRACE_CHUNK);
	T_IS(report_open(&s, fd, &job), 0);
	T_IS(s.calls, 1);
	report_close(&s);
}

static void notes_are_found_by_name(void **state)
{
	struct report s;

	weft_trace_put(&rank[1], TRACE_NOTES, "ab\tone", 7);
	weft_trace_put(&rank[1], TRACE_NOTES, "a\ttwo\nlines", 12);
	T_IS(report_open(&s, fd, &job), 0);
	assert_string_equal(report_note(&s, "a"), "two\nlines");
	assert_string_equal(report_note(&s, "ab"), "one");
	T_TRUE(!report_note(&s, "b"));
	report_close(&s);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nth_send_of_a_tag_word_matches_nth_arrival),
		CASE(equal_tag_words_match_per_destination),
		CASE(calls_of_a_collective_are_grouped),
		CASE(trace_file_has_complete_lines),
		CASE(trace_file_contains_call_arguments),
		CASE(events_of_invalid_rank_are_ignored),
		CASE(traced_calls_are_added_to_job_page),
		CASE(corrupt_chunks_are_ignored),
		CASE(notes_are_found_by_name),
	};

	return T_RUN(tests);
}
