/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a trace as JSON for Chrome's trace viewer and Perfetto. Ranks are
 * threads of one process, calls are complete events ("X"), messages are flow
 * events from their sender ("s") to their receiver ("f"). Times are in us.
 *
 * The file has one line per event, millions of them: lines are composed in one
 * buffer from constant pieces and numbers. A second thread matches messages
 * while the calls are written.
 */
#include "src/base/attr.h"
#include "src/tools/outfile.h"
#include "src/tools/page/page_json.h"
#include "src/tools/report/report.h"
#include "src/tools/report/report_async.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, LINE = 1024 };

#define MESSAGE "\"name\":\"message\",\"cat\":\"message\",\"pid\":0,\"tid\":"

/*
 * Constant first part of the lines of one call name. The JSON text of a name of
 * JOB_PAGE_NAME bytes can be six times as long.
 */
struct prefix {
	size_t len;
	char text[LINE / 2];
};

struct out {
	FILE *f;
	const struct report *s;
	char *to, *buffer; /* next free byte, and start of the buffer */
	bool some;	   /* whether a line was written before */
	int err;	   /* -errno of the first failed write */
	/* constant first part of the lines of each call name, or NULL */
	struct prefix *of[JOB_PAGE_NAMES];
};

WEFT_INLINE void add_bytes(struct out *o, const char *text, size_t len)
{
	memcpy(o->to, text, len);
	o->to += len;
}

WEFT_INLINE void add_text(struct out *o, const char *text)
{
	add_bytes(o, text, strlen(text));
}

static void add_digits(struct out *o, uint64_t x, unsigned least)
{
	char text[JSON_DIGITS], *end = text + sizeof(text);
	char *from = json_digits(end, x, least);

	add_bytes(o, from, (size_t)(end - from));
}

WEFT_INLINE void add_int(struct out *o, const char *key, uint64_t x)
{
	add_text(o, key);
	add_digits(o, x, 1);
}

/* Writes ps as us; a live clock has no resolution below 1 ns. */
WEFT_INLINE void add_time(struct out *o, const char *key, uint64_t ps)
{
	add_int(o, key, ps / 1000000);
	*o->to++ = '.';
	if (o->s->job->virtual)
		add_digits(o, ps % 1000000, 6);
	else
		add_digits(o, ps / 1000 % 1000, 3);
}

static void flush_buffer(struct out *o)
{
	size_t len = (size_t)(o->to - o->buffer);

	if (fwrite(o->buffer, 1, len, o->f) != len && !o->err)
		o->err = -errno;
	o->to = o->buffer;
}

/*
 * Starts a line: flushes the buffer if fewer than LINE bytes are free, then
 * writes the separator.
 */
static void perfetto_begin(struct out *o)
{
	if (o->to > o->buffer + BUFFER - LINE)
		flush_buffer(o);
	if (o->some)
		add_bytes(o, ",\n", 2);
	o->some = true;
}

static uint64_t since_start(const struct report *s, uint64_t ps)
{
	return ps > s->begin ? ps - s->begin : 0;
}

/*
 * Creates the constant part of a call's lines, so that the name is quoted only
 * once.
 */
static struct prefix *new_prefix(const struct report *s, uint32_t id)
{
	struct prefix *p = calloc(1, sizeof(*p));
	FILE *f = p ? fmemopen(p->text, sizeof(p->text), "w") : NULL;
	char name[JOB_PAGE_NAME];
	struct json j;

	if (!f)
		return p;
	json_begin(&j, f);
	fputs("{\"ph\":\"X\",\"cat\":\"mpi\",\"name\":", f);
	json_text(&j, NULL, report_name(s, id, name));
	fputs(",\"pid\":0,\"tid\":", f);
	fclose(f);
	p->len = strlen(p->text);
	return p;
}

/* ---- arguments ----------------------------------------------------------- */

/* Writes the key of the next argument; the first one opens args. */
static void add_key(struct out *o, unsigned *n, const char *key)
{
	add_text(o, (*n)++ ? "," : ",\"args\":{");
	add_text(o, key);
}

static void add_arg(struct out *o, unsigned *n, const char *key, uint64_t x)
{
	add_key(o, n, key);
	add_digits(o, x, 1);
}

/*
 * Writes the communicator, with the number that MPI uses: 1 and 2 are
 * predefined (src/comm/comm_context.h).
 */
static void add_comm(struct out *o, unsigned *n, uint32_t ctx)
{
	add_key(o, n, "\"communicator\":");
	if (ctx == 1)
		add_text(o, "\"MPI_COMM_WORLD\"");
	else if (ctx == 2)
		add_text(o, "\"MPI_COMM_SELF\"");
	else
		add_digits(o, ctx, 1);
}

static void add_peer(struct out *o, unsigned *n, uint64_t word)
{
	uint32_t peer = TRACE_P2P_PEER(word), tag = TRACE_P2P_TAG(word);

	if (peer == TRACE_ANY_PEER)
		add_key(o, n, "\"peer\":\"MPI_ANY_SOURCE\"");
	else if (peer == TRACE_NULL_PEER)
		add_key(o, n, "\"peer\":\"MPI_PROC_NULL\"");
	else if (peer != TRACE_NO_PEER)
		add_arg(o, n, "\"peer\":", peer);
	if (tag == TRACE_ANY_TAG)
		add_key(o, n, "\"tag\":\"MPI_ANY_TAG\"");
	else if (tag != TRACE_NO_TAG)
		add_arg(o, n, "\"tag\":", tag);
	add_comm(o, n, TRACE_P2P_CTX(word));
}

static void add_args(struct out *o, const struct trace_event *e, bool open)
{
	unsigned n = 0;

	if (TRACE_IS_ACCESS(e->word)) {
		add_arg(o, &n, "\"target\":", TRACE_ACCESS_RANK(e->word));
		add_arg(o, &n, "\"bytes\":", e->word & TRACE_ACCESS_BYTES);
	} else if (TRACE_IS_COLL(e->word)) {
		add_comm(o, &n, TRACE_COLL_CTX(e->word));
	} else if (TRACE_IS_P2P(e->word)) {
		add_peer(o, &n, e->word);
	}
	if (e->root)
		add_arg(o, &n, "\"root\":", e->root - 1);
	if (e->size)
		add_arg(o, &n, "\"bytes\":", e->size - 1);
	if (open)
		add_key(o, &n, "\"not completed\":true");
	add_text(o, n ? "}}" : "}");
}

static bool put_call(struct out *o, uint32_t rank, const struct trace_event *e,
		     bool open)
{
	uint32_t id = e->id < JOB_PAGE_NAMES ? e->id : 0;

	if (!o->of[id])
		o->of[id] = new_prefix(o->s, id);
	if (!o->of[id] || !o->of[id]->len)
		return false;
	perfetto_begin(o);
	add_bytes(o, o->of[id]->text, o->of[id]->len);
	add_digits(o, rank, 1);
	add_time(o, ",\"ts\":", since_start(o->s, e->t));
	add_time(o, ",\"dur\":", e->span);
	add_args(o, e, open);
	return true;
}

static bool put_calls(struct out *o, uint32_t rank)
{
	struct report_walk w = report_walk(o->s, rank, SHOW(TRACE_CALL));
	const struct trace_event *e;
	bool good = true;

	while (good && (e = report_next(&w)))
		if (e->kind == TRACE_CALL)
			good = put_call(o, rank, e, false);
	return good;
}

/* Writes one end of a message; sent: whether it is the sender's end. */
static void put_end(struct out *o, uint64_t id, const struct report_message *x,
		    bool sent)
{
	unsigned n = 0;

	perfetto_begin(o);
	add_int(o,
		sent ? "{\"ph\":\"s\"," MESSAGE
		     : "{\"ph\":\"f\",\"bp\":\"e\"," MESSAGE,
		sent ? x->from : x->to);
	add_int(o, ",\"id\":", id);
	add_time(o, ",\"ts\":", since_start(o->s, sent ? x->sent : x->got));
	add_arg(o, &n, "\"from\":", x->from);
	add_arg(o, &n, "\"to\":", x->to);
	add_arg(o, &n, "\"tag\":", TRACE_WORD_TAG(x->word));
	add_arg(o, &n, "\"bytes\":", x->bytes);
	add_comm(o, &n, TRACE_WORD_CTX(x->word));
	add_text(o, "}}");
}

struct match_job {
	const struct report *s;
	struct report_matched m;
	int err;
};

static void match_job(void *arg)
{
	struct match_job *x = arg;

	x->err = report_match(x->s, &x->m);
}

static bool put_ranks(struct out *o)
{
	bool good = true;

	for (uint32_t r = 0; r < o->s->ranks; r++) {
		perfetto_begin(o);
		add_int(o,
			"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,"
			"\"tid\":",
			r);
		add_int(o, ",\"args\":{\"name\":\"rank ", r);
		add_text(o, "\"}}");
		if (!put_calls(o, r))
			return false;
	}
	/* calls that were open at the end of the job */
	for (uint32_t i = 0; good && i < o->s->opens; i++) {
		const struct trace_event e = { .kind = TRACE_CALL,
					       .t = o->s->open[i].t,
					       .span = o->s->end -
						       o->s->open[i].t,
					       .id = o->s->open[i].id };

		good = put_call(o, o->s->open[i].rank, &e, true);
	}
	return good;
}

static int put_all(struct out *o)
{
	struct match_job x = { .s = o->s };
	struct report_async async;
	bool good;

	report_async_start(&async, match_job, &x);
	add_text(o, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	good = put_ranks(o);
	report_async_join(&async);
	if (good && !x.err) {
		for (uint64_t i = 0; i < x.m.messages; i++) {
			put_end(o, i + 1, &x.m.message[i], true);
			put_end(o, i + 1, &x.m.message[i], false);
		}
	}
	report_match_free(&x.m);
	return good ? x.err : -ENOMEM;
}

static int put_file(struct out *o)
{
	int err;

	setvbuf(o->f, NULL, _IONBF, 0);
	err = put_all(o);
	add_text(o, "\n]}\n");
	flush_buffer(o);
	return err ? err : o->err;
}

int report_perfetto(const struct report *s, const char *file)
{
	struct out o = { .s = s, .f = fopen(file, "we") };
	int err;

	if (!o.f)
		return -errno;
	o.buffer = o.to = malloc(BUFFER);
	err = o.buffer ? put_file(&o) : -ENOMEM;
	for (uint32_t i = 0; i < JOB_PAGE_NAMES; i++)
		free(o.of[i]);
	free(o.buffer);
	if (fclose(o.f) && !err)
		err = -errno;
	if (err && !weft_outfile_is_stream(file))
		unlink(file);
	return err;
}
