/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace for tools: the JSON that Chrome's trace viewer and Perfetto read.
 * Ranks are threads of one process, calls complete events ("X"), messages flow
 * events from their sender ("s") to their receiver ("f"). Times are us.
 */
#include "src/page/page_json.h"
#include "src/show/show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double us(const struct show *s, uint64_t ps)
{
	return ps > s->begin ? (double)(ps - s->begin) * 1e-6 : 0;
}

static void begin(struct json *j, const char *phase, const char *name,
		  uint32_t rank)
{
	json_object(j, NULL);
	json_text(j, "ph", phase);
	json_text(j, "name", name);
	json_int(j, "pid", 0);
	json_int(j, "tid", rank);
}

static void put_rank_name(struct json *j, uint32_t rank)
{
	char name[24];

	snprintf(name, sizeof(name), "rank %u", rank);
	begin(j, "M", "thread_name", rank);
	json_object(j, "args");
	json_text(j, "name", name);
	json_close(j);
	json_close(j);
}

static void put_calls(struct json *j, const struct show *s, uint32_t rank)
{
	struct show_walk w = show_walk(s, rank);
	const struct trace_event *e;
	char name[ROLL_NAME];

	while ((e = show_next(&w))) {
		if (e->kind != TRACE_CALL)
			continue;
		begin(j, "X", show_name(s, e->id, name), rank);
		json_text(j, "cat", "mpi");
		json_number(j, "ts", us(s, e->t));
		json_number(j, "dur", (double)e->span * 1e-6);
		json_close(j);
	}
}

static void put_end(struct json *j, const char *phase, uint64_t id,
		    uint32_t rank, double ts, uint64_t bytes)
{
	begin(j, phase, "message", rank);
	json_text(j, "cat", "message");
	json_int(j, "id", (int64_t)id);
	json_number(j, "ts", ts);
	if (*phase == 'f')
		json_text(j, "bp", "e");
	json_object(j, "args");
	json_int(j, "bytes", (int64_t)bytes);
	json_close(j);
	json_close(j);
}

static int put_messages(struct json *j, const struct show *s)
{
	struct show_matched m;
	int err = show_match(s, &m);

	for (uint64_t i = 0; !err && i < m.messages; i++) {
		const struct show_message *x = &m.message[i];

		put_end(j, "s", i + 1, x->from, us(s, x->sent), x->bytes);
		put_end(j, "f", i + 1, x->to, us(s, x->got), x->bytes);
	}
	show_match_free(&m);
	return err;
}

int show_perfetto(const struct show *s, const char *file)
{
	FILE *f = fopen(file, "we");
	struct json j;
	int err;

	if (!f)
		return -errno;
	json_begin(&j, f);
	json_object(&j, NULL);
	json_text(&j, "displayTimeUnit", "ns");
	json_array(&j, "traceEvents");
	for (uint32_t r = 0; r < s->ranks; r++) {
		put_rank_name(&j, r);
		put_calls(&j, s, r);
	}
	err = put_messages(&j, s);
	json_close(&j);
	json_close(&j);
	if (fflush(f) || ferror(f))
		err = -errno;
	if (fclose(f) && !err)
		err = -errno;
	if (err)
		unlink(file);
	return err;
}
