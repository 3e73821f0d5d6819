/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the page of a run, as they are written: links, faults, the chain. */
#include "src/tools/report/report_part.h"

#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 2, SHORT = 2500 };

static struct weft_job_page job_page;
static struct report_job job = { .job_page = &job_page, .virtual = true };
static int fd;
static struct weft_trace rank[RANKS];
static struct report s;

/* The written text, without ends of lines. */
static char *text;
static size_t text_bytes;
static FILE *file;
static struct json j;

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
	report_close(&s);
	for (uint32_t i = 0; i < RANKS; i++)
		weft_trace_detach(&rank[i]);
	close(fd);
	weft_job_page_close(&job_page);
	free(text);
	text = NULL;
	return 0;
}

static void page_begin(void)
{
	T_IS(report_open(&s, fd, &job), 0);
	file = open_memstream(&text, &text_bytes);
	T_NOT_NULL(file);
	json_begin(&j, file);
	json_object(&j, NULL);
}

static void page_end(void)
{
	char *to;

	json_close(&j);
	fclose(file);
	to = text;
	for (const char *from = text; *from; from++)
		if (*from != '\n')
			*to++ = *from;
	*to = '\0';
}

static void put_link(const char *name, const char *node, struct trace_link l)
{
	memcpy(l.name, name, strlen(name));
	memcpy(l.node, node, strlen(node));
	weft_trace_put(&rank[0], TRACE_LINKS, &l, sizeof(l));
}

static void put_note(const char *note)
{
	weft_trace_put(&rank[0], TRACE_NOTES, note, strlen(note) + 1);
}

/* Links without packets are counted, unless a fault plan concerns them. */
static void links_are_summed_by_class(void **state)
{
	put_link("A+", "(0)",
		 (struct trace_link){ .packets = 4,
				      .bytes = 1000,
				      .busy_ps = 200,
				      .queued_ps = 40 });
	put_link("A+", "(1) port 3", (struct trace_link){ .bad = 2 });
	put_link("A+", "(2)",
		 (struct trace_link){
			 .packets = 6, .bytes = 500, .busy_ps = 500 });
	put_link("B-", "(2)", (struct trace_link){ .packets = 0 });
	put_note("now\t1000");
	page_begin();
	report_put_links(&j, &s);
	page_end();
	T_STR(text, "{\"links\":{\"time_ps\":1000,\"classes\":["
		    "{\"name\":\"A+\",\"links\":3,\"used\":2,\"packets\":10,"
		    "\"bytes\":1500,\"busy\":0.233333333,\"most\":0.5,"
		    "\"queued\":0.0133333333},"
		    "{\"name\":\"B-\",\"links\":1,\"used\":0,\"packets\":0,"
		    "\"bytes\":0,\"busy\":0,\"most\":0,\"queued\":0}],"
		    "\"link\":[[\"(0)\",\"A+\",4,1000,200,40],"
		    "[\"(1)\",\"A+\",0,0,0,0,2,0,0,0],"
		    "[\"(2)\",\"A+\",6,500,500,0]],\"idle\":1}}");
}

static void links_of_a_run_without_time_are_left_out(void **state)
{
	put_link("A+", "(0)", (struct trace_link){ .packets = 4 });
	page_begin();
	report_put_links(&j, &s);
	page_end();
	T_STR(text, "{}");
}

static void faults_have_their_numbers(void **state)
{
	put_note("faults\t10 packets lost\n200 nodes");
	page_begin();
	report_put_faults(&j, &s);
	page_end();
	T_STR(text, "{\"faults\":[[\"packets lost\",10],[\"nodes\",200]]}");
}

/* Links of the chain are stored from the end of the run to its start. */
static void the_chain_has_its_links_and_sums(void **state)
{
	const uint32_t id = weft_job_page_id(&job_page, "MPI_Recv");
	struct report_link link[] = {
		{ .rank = 1,
		  .other = 0,
		  .peer = 0,
		  .id = id,
		  .via = REPORT_MESSAGE,
		  .from = 5,
		  .to = 9 },
		{ .via = REPORT_OWN, .to = 5, .outside = 3 },
	};
	uint64_t by_rank[RANKS] = { 0, 7 };
	struct report_chain c = {
		.link = link,
		.links = 2,
		.outside = 3,
		.by_call = calloc(JOB_PAGE_NAMES, sizeof(*c.by_call)),
		.by_rank = by_rank,
	};

	T_NOT_NULL(c.by_call);
	c.by_call[id][REPORT_MESSAGE] = 4;
	page_begin();
	report_put_chain(&j, &s, &c);
	page_end();
	free(c.by_call);
	T_STR(text, "{\"chain\":[{\"rank\":0,\"from\":0,\"length\":5,"
		    "\"via\":\"own\",\"outside\":3},"
		    "{\"rank\":1,\"from\":5,\"length\":4,\"via\":\"message\","
		    "\"call\":\"MPI_Recv\",\"peer\":0,\"other\":0}],"
		    "\"chain_sum\":[[\"\",\"own\",3],"
		    "[\"MPI_Recv\",\"message\",4]],\"chain_rank\":[[1,7]]}");
}

/* Of a long chain, links shorter than a thousandth of the run are merged. */
static void short_links_of_a_long_chain_are_merged(void **state)
{
	struct report_link *link = calloc(SHORT, sizeof(*link));
	struct report_chain c = {
		.link = link,
		.links = SHORT,
		.by_call = calloc(JOB_PAGE_NAMES, sizeof(*c.by_call)),
		.by_rank = calloc(RANKS, sizeof(*c.by_rank)),
	};
	const char *at = "{\"chain\":[";
	char want[96];

	T_TRUE(link && c.by_call && c.by_rank);
	for (uint64_t i = 0; i < SHORT; i++)
		link[SHORT - 1 - i] = (struct report_link){
			.via = REPORT_OWN, .from = i, .to = i + 1, .outside = 1
		};
	page_begin();
	s.begin = 0;
	s.end = SHORT; /* a thousandth is 2 ps: links are merged in pairs */
	report_put_chain(&j, &s, &c);
	page_end();
	T_IS(strncmp(text, at, strlen(at)), 0);
	at = text + strlen(at);
	for (int i = 0; i < SHORT; i += 2) {
		snprintf(want, sizeof(want),
			 "%s{\"rank\":0,\"from\":%d,\"length\":2,\"via\":"
			 "\"several\",\"outside\":2}",
			 i ? "," : "", i);
		T_IS(strncmp(at, want, strlen(want)), 0);
		at += strlen(want);
	}
	T_STR(at, "],\"chain_sum\":[],\"chain_rank\":[]}");
	free(link);
	free(c.by_call);
	free(c.by_rank);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(links_are_summed_by_class),
		CASE(links_of_a_run_without_time_are_left_out),
		CASE(faults_have_their_numbers),
		CASE(the_chain_has_its_links_and_sums),
		CASE(short_links_of_a_long_chain_are_merged),
	};

	return T_RUN(tests);
}
