/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace for tools: the JSON that Chrome's trace viewer and Perfetto read.
 * Ranks are threads of one process, calls complete events ("X"), messages flow
 * events from their sender ("s") to their receiver ("f"). Times are us.
 *
 * There is a line for each event, millions of them: they are put together in
 * one buffer, of pieces that stay the same and of numbers. Messages are matched
 * while calls are written.
 */
#include "src/base/attr.h"
#include "src/base/outfile.h"
#include "src/page/page_json.h"
#include "src/show/show.h"
#include "src/show/show_beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, LINE = 1024 };

/* What many lines begin with; a name of ROLL_NAME has six for each byte. */
struct piece {
	size_t len;
	char text[LINE / 2];
};

struct out {
	FILE *f;
	const struct show *s;
	char *to, *buffer;	      /* where the next byte goes */
	bool some;		      /* lines before this one */
	int err;		      /* of the first write that failed */
	struct piece *of[ROLL_NAMES]; /* begins of calls by name; or NULL */
};

WEFT_INLINE void add(struct out *o, const char *text, size_t len)
{
	memcpy(o->to, text, len);
	o->to += len;
}

WEFT_INLINE void add_text(struct out *o, const char *text)
{
	add(o, text, strlen(text));
}

static void add_digits(struct out *o, uint64_t x, unsigned least)
{
	char text[JSON_DIGITS], *end = text + sizeof(text);
	char *from = json_digits(end, x, least);

	add(o, from, (size_t)(end - from));
}

WEFT_INLINE void add_int(struct out *o, const char *key, uint64_t x)
{
	add_text(o, key);
	add_digits(o, x, 1);
}

/* ps as us; a live clock knows no ps. */
WEFT_INLINE void add_time(struct out *o, const char *key, uint64_t ps)
{
	add_int(o, key, ps / 1000000);
	*o->to++ = '.';
	if (o->s->job->virtual)
		add_digits(o, ps % 1000000, 6);
	else
		add_digits(o, ps / 1000 % 1000, 3);
}

static void flush(struct out *o)
{
	size_t len = (size_t)(o->to - o->buffer);

	if (fwrite(o->buffer, 1, len, o->f) != len && !o->err)
		o->err = -errno;
	o->to = o->buffer;
}

/* Room for one, behind those before. */
static void begin(struct out *o)
{
	if (o->to > o->buffer + BUFFER - LINE)
		flush(o);
	if (o->some)
		add(o, ",\n", 2);
	o->some = true;
}

static uint64_t since(const struct show *s, uint64_t ps)
{
	return ps > s->begin ? ps - s->begin : 0;
}

static void put_rank_name(struct out *o, uint32_t rank)
{
	begin(o);
	add_int(o, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":",
		rank);
	add_int(o, ",\"args\":{\"name\":\"rank ", rank);
	add_text(o, "\"}}");
}

/* A name is quoted once. */
static struct piece *new_begin(const struct show *s, uint32_t id)
{
	struct piece *p = calloc(1, sizeof(*p));
	FILE *f = p ? fmemopen(p->text, sizeof(p->text), "w") : NULL;
	char name[ROLL_NAME];
	struct json j;

	if (!f)
		return p;
	json_begin(&j, f);
	fputs("{\"ph\":\"X\",\"cat\":\"mpi\",\"name\":", f);
	json_text(&j, NULL, show_name(s, id, name));
	fputs(",\"pid\":0,\"tid\":", f);
	fclose(f);
	p->len = strlen(p->text);
	return p;
}

static bool put_call(struct out *o, uint32_t rank, const struct trace_event *e)
{
	uint32_t id = e->id < ROLL_NAMES ? e->id : 0;

	if (!o->of[id])
		o->of[id] = new_begin(o->s, id);
	if (!o->of[id] || !o->of[id]->len)
		return false;
	begin(o);
	add(o, o->of[id]->text, o->of[id]->len);
	add_digits(o, rank, 1);
	add_time(o, ",\"ts\":", since(o->s, e->t));
	add_time(o, ",\"dur\":", e->span);
	add_text(o, "}");
	return true;
}

static bool put_calls(struct out *o, uint32_t rank)
{
	struct show_walk w = show_walk(o->s, rank, SHOW(TRACE_CALL));
	const struct trace_event *e;
	bool good = true;

	while (good && (e = show_next(&w)))
		if (e->kind == TRACE_CALL)
			good = put_call(o, rank, e);
	return good;
}

static void put_end(struct out *o, const char *kind, uint64_t id, uint32_t rank,
		    uint64_t ps, uint64_t bytes)
{
	begin(o);
	add_int(o, kind, rank);
	add_int(o, ",\"id\":", id);
	add_time(o, ",\"ts\":", since(o->s, ps));
	add_int(o, ",\"args\":{\"bytes\":", bytes);
	add_text(o, "}}");
}

#define MESSAGE "\"name\":\"message\",\"cat\":\"message\",\"pid\":0,\"tid\":"

struct search {
	const struct show *s;
	struct show_matched m;
	int err;
};

static void search(void *arg)
{
	struct search *x = arg;

	x->err = show_match(x->s, &x->m);
}

static void put_messages(struct out *o, const struct show_matched *m)
{
	for (uint64_t i = 0; i < m->messages; i++) {
		const struct show_message *x = &m->message[i];

		put_end(o, "{\"ph\":\"s\"," MESSAGE, i + 1, x->from, x->sent,
			x->bytes);
		put_end(o, "{\"ph\":\"f\",\"bp\":\"e\"," MESSAGE, i + 1, x->to,
			x->got, x->bytes);
	}
}

static bool put_ranks(struct out *o)
{
	for (uint32_t r = 0; r < o->s->ranks; r++) {
		put_rank_name(o, r);
		if (!put_calls(o, r))
			return false;
	}
	return true;
}

static int put_all(struct out *o)
{
	struct search x = { .s = o->s };
	struct show_beside beside;
	bool good;

	show_beside_begin(&beside, search, &x);
	add_text(o, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	good = put_ranks(o);
	show_beside_end(&beside);
	if (good && !x.err)
		put_messages(o, &x.m);
	show_match_free(&x.m);
	return good ? x.err : -ENOMEM;
}

static int put_file(struct out *o)
{
	int err;

	setvbuf(o->f, NULL, _IONBF, 0);
	err = put_all(o);
	add_text(o, "\n]}\n");
	flush(o);
	return err ? err : o->err;
}

int show_perfetto(const struct show *s, const char *file)
{
	struct out o = { .s = s, .f = fopen(file, "we") };
	int err;

	if (!o.f)
		return -errno;
	o.buffer = o.to = malloc(BUFFER);
	err = o.buffer ? put_file(&o) : -ENOMEM;
	for (uint32_t i = 0; i < ROLL_NAMES; i++)
		free(o.of[i]);
	free(o.buffer);
	if (fclose(o.f) && !err)
		err = -errno;
	if (err && !weft_outfile_is_stream(file))
		unlink(file);
	return err;
}
