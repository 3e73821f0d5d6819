/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of line splitting: lines stay whole, however their data is split. */
#include "src/tools/run/io/run_line.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

static const char *buf_text(struct run_buf *out)
{
	run_buf_add(out, "", 1);
	out->len--;
	return out->data;
}

static void incomplete_line_is_buffered(void **state)
{
	struct run_line l = { .tag = "" };
	struct run_buf out = { 0 };

	T_OK(run_line_feed(&l, "one\ntw", 6, &out));
	T_STR(buf_text(&out), "one\n");
	T_OK(run_line_feed(&l, "o\n", 2, &out));
	T_STR(buf_text(&out), "one\ntwo\n");
	run_buf_free(&out);
	run_buf_free(&l.part);
}

static void unfinished_line_is_flushed(void **state)
{
	struct run_line l = { .tag = "" };
	struct run_buf out = { 0 };

	T_OK(run_line_feed(&l, "tail", 4, &out));
	T_IS(out.len, 0);
	T_OK(run_line_flush(&l, false, &out));
	T_STR(buf_text(&out), "tail");
	T_OK(run_line_flush(&l, true, &out));
	T_STR(buf_text(&out), "tail\n");
	run_buf_free(&out);
	run_buf_free(&l.part);
}

static void tag_is_printed_once_before_every_line(void **state)
{
	struct run_line l = { .tag = "[3] " };
	struct run_buf out = { 0 };

	T_OK(run_line_feed(&l, "a\nb\nc", 5, &out));
	T_OK(run_line_flush(&l, false, &out));
	T_OK(run_line_feed(&l, "d\n\n", 3, &out));
	T_STR(buf_text(&out), "[3] a\n[3] b\n[3] cd\n[3] \n");
	run_buf_free(&out);
	run_buf_free(&l.part);
}

static void long_line_is_split_in_order(void **state)
{
	struct run_line l = { .tag = "" };
	struct run_buf out = { 0 };
	size_t i, n = RUN_LINE_MAX + 5000;
	char *in = malloc(n);

	T_NOT_NULL(in);
	for (i = 0; i < n; i++)
		in[i] = (char)('a' + i % 26);
	for (i = 0; i < n; i += 1000)
		T_OK(run_line_feed(&l, in + i, n - i < 1000 ? n - i : 1000,
				   &out));
	T_TRUE(out.len > RUN_LINE_MAX);
	T_OK(run_line_feed(&l, "\n", 1, &out));
	T_IS(out.len, n + 1);
	T_MEM(out.data, in, n);
	free(in);
	run_buf_free(&out);
	run_buf_free(&l.part);
}

static void tags_match_hydra_and_open_mpi(void **state)
{
	static const struct {
		struct run_output o;
		const char *want;
	} row[] = {
		{ { .tag = RUN_TAG_NONE }, "" },
		{ { .tag = RUN_TAG_RANK }, "[7] " },
		{ { .tag = RUN_TAG_STREAM }, "[1,7]<stderr>: " },
		{ { .tag = RUN_TAG_TEXT, .pattern = "%h/%r%% " }, "box/7%% " },
	};
	size_t i;
	char *tag;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		tag = run_line_tag(&row[i].o, 7, "box", true);
		T_STR(tag, row[i].want);
		free(tag);
	}
}

static void timestamp_precedes_the_tag(void **state)
{
	struct run_line l = { .tag = "[0] ", .stamp = true };
	struct run_buf out = { 0 };

	T_OK(run_line_feed(&l, "x\n", 2, &out));
	/* expected: 2026-11-15T01:02:03.456 [0] x */
	T_IS(strlen(buf_text(&out)), 24 + 6);
	T_IS(out.data[10], 'T');
	T_STR(out.data + 24, "[0] x\n");
	run_buf_free(&out);
	run_buf_free(&l.part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(incomplete_line_is_buffered),
		T_CASE(unfinished_line_is_flushed),
		T_CASE(tag_is_printed_once_before_every_line),
		T_CASE(long_line_is_split_in_order),
		T_CASE(tags_match_hydra_and_open_mpi),
		T_CASE(timestamp_precedes_the_tag),
	};

	return T_RUN(tests);
}
