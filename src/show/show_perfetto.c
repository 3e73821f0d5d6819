/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace for tools: the JSON that Chrome's trace viewer and Perfetto read.
 * Ranks are threads of one process, calls complete events ("X"), messages flow
 * events from their sender ("s") to their receiver ("f"). Times are us.
 *
 * There is a line for each event, millions of them: lines are put together
 * here of pieces that stay the same and of numbers.
 */
#include "src/page/page_json.h"
#include "src/show/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, PIECE = 512 };

/* Text of one line, or a piece that many lines begin with. */
struct piece {
	size_t len;
	char text[PIECE];
};

struct out {
	FILE *f;
	const struct show *s;
	bool some;		      /* lines before this one */
	struct piece *of[ROLL_NAMES]; /* begins of calls by name; or NULL */
};

static void add(struct piece *p, const char *text, size_t len)
{
	if (len > sizeof(p->text) - p->len)
		len = sizeof(p->text) - p->len;
	memcpy(p->text + p->len, text, len);
	p->len += len;
}

static void add_text(struct piece *p, const char *text)
{
	add(p, text, strlen(text));
}

static void add_int(struct piece *p, const char *key, uint64_t x)
{
	char text[JSON_DIGITS], *end = text + sizeof(text);
	char *from = json_digits(end, x, 1);

	add_text(p, key);
	add(p, from, (size_t)(end - from));
}

/* ps as us. */
static void add_time(struct piece *p, const char *key, uint64_t ps)
{
	char text[JSON_DIGITS], *end = text + sizeof(text);
	char *from = json_digits(end, ps % 1000000, 6);

	*--from = '.';
	from = json_digits(from, ps / 1000000, 1);
	add_text(p, key);
	add(p, from, (size_t)(end - from));
}

static void put(struct out *o, struct piece *line)
{
	if (o->some)
		fwrite_unlocked(",\n", 1, 2, o->f);
	o->some = true;
	fwrite_unlocked(line->text, 1, line->len, o->f);
}

static uint64_t since(const struct show *s, uint64_t ps)
{
	return ps > s->begin ? ps - s->begin : 0;
}

static void put_rank_name(struct out *o, uint32_t rank)
{
	struct piece line = { 0 };

	add_int(&line,
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":",
		rank);
	add_int(&line, ",\"args\":{\"name\":\"rank ", rank);
	add_text(&line, "\"}}");
	put(o, &line);
}

/* A name is quoted once. */
static struct piece *new_begin(const struct show *s, uint32_t id)
{
	struct piece *p = calloc(1, sizeof(*p));
	char name[ROLL_NAME], *text = NULL;
	struct json j;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		json_begin(&j, f);
		json_text(&j, NULL, show_name(s, id, name));
		fclose(f);
	}
	if (p && text) {
		add_text(p, "{\"ph\":\"X\",\"cat\":\"mpi\",\"name\":");
		add(p, text, len);
		add_text(p, ",\"pid\":0,\"tid\":");
	}
	free(text);
	return p;
}

static bool put_call(struct out *o, uint32_t rank, const struct trace_event *e)
{
	uint32_t id = e->id < ROLL_NAMES ? e->id : 0;
	struct piece line;

	if (!o->of[id])
		o->of[id] = new_begin(o->s, id);
	if (!o->of[id] || !o->of[id]->len)
		return false;
	line.len = 0;
	add(&line, o->of[id]->text, o->of[id]->len);
	add_int(&line, "", rank);
	add_time(&line, ",\"ts\":", since(o->s, e->t));
	add_time(&line, ",\"dur\":", e->span);
	add(&line, "}", 1);
	put(o, &line);
	return true;
}

static bool put_calls(struct out *o, uint32_t rank)
{
	struct show_walk w = show_walk(o->s, rank);
	const struct trace_event *e;
	bool good = true;

	while (good && (e = show_next(&w)))
		if (e->kind == TRACE_CALL)
			good = put_call(o, rank, e);
	return good;
}

static void put_end(struct out *o, const char *begin, uint64_t id,
		    uint32_t rank, uint64_t ps, uint64_t bytes)
{
	struct piece line;

	line.len = 0;
	add_int(&line, begin, rank);
	add_int(&line, ",\"id\":", id);
	add_time(&line, ",\"ts\":", since(o->s, ps));
	add_int(&line, ",\"args\":{\"bytes\":", bytes);
	add(&line, "}}", 2);
	put(o, &line);
}

#define MESSAGE "\"name\":\"message\",\"cat\":\"message\",\"pid\":0,\"tid\":"

static int put_messages(struct out *o)
{
	struct show_matched m;
	int err = show_match(o->s, &m);

	for (uint64_t i = 0; !err && i < m.messages; i++) {
		const struct show_message *x = &m.message[i];

		put_end(o, "{\"ph\":\"s\"," MESSAGE, i + 1, x->from, x->sent,
			x->bytes);
		put_end(o, "{\"ph\":\"f\",\"bp\":\"e\"," MESSAGE, i + 1, x->to,
			x->got, x->bytes);
	}
	show_match_free(&m);
	return err;
}

static int put_all(struct out *o)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", o->f);
	for (uint32_t r = 0; r < o->s->ranks; r++) {
		put_rank_name(o, r);
		if (!put_calls(o, r))
			return -ENOMEM;
	}
	return put_messages(o);
}

int show_perfetto(const struct show *s, const char *file)
{
	struct out o = { .f = fopen(file, "we"), .s = s };
	int err;

	if (!o.f)
		return -errno;
	setvbuf(o.f, NULL, _IOFBF, BUFFER);
	err = put_all(&o);
	fputs("\n]}\n", o.f);
	for (uint32_t i = 0; i < ROLL_NAMES; i++)
		free(o.of[i]);
	if (fflush(o.f) || ferror(o.f))
		err = -errno;
	if (fclose(o.f) && !err)
		err = -errno;
	if (err)
		unlink(file);
	return err;
}
