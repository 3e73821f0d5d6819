/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splits output into lines. The common case (no tag, no timestamp) copies a
 * chunk up to its last newline in one piece; a tagged stream is copied line by
 * line.
 */
#include "src/tools/run/io/run_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int run_buf_add(struct run_buf *b, const char *data, size_t len)
{
	size_t cap = b->cap ? b->cap : 256;
	char *p;

	if (b->len + len > b->cap) {
		while (cap < b->len + len)
			cap *= 2;
		p = realloc(b->data, cap);
		if (!p)
			return -ENOMEM;
		b->data = p;
		b->cap = cap;
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

void run_buf_free(struct run_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

static int add_stamp(struct run_buf *out)
{
	struct timespec now;
	struct tm tm;
	char text[48];
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	n += (size_t)snprintf(text + n, sizeof(text) - n, ".%03d ",
			      (int)(now.tv_nsec / 1000000));
	return run_buf_add(out, text, n);
}

/* Adds timestamp and tag, unless the line already has them. */
static int add_head(struct run_line *l, struct run_buf *out)
{
	int err = 0;

	if (!l->open && l->stamp)
		err = add_stamp(out);
	if (!l->open && !err)
		err = run_buf_add(out, l->tag, strlen(l->tag));
	if (!err)
		err = run_buf_add(out, l->part.data, l->part.len);
	l->part.len = 0;
	return err;
}

static int add_line(struct run_line *l, const char *data, size_t len,
		    struct run_buf *out)
{
	int err = add_head(l, out);

	l->open = false;
	return err ? err : run_buf_add(out, data, len);
}

int run_line_feed(struct run_line *l, const char *data, size_t len,
		  struct run_buf *out)
{
	bool plain = !l->stamp && !*l->tag;
	const char *nl;
	size_t n;
	int err = 0;

	while (len > 0 && !err) {
		nl = plain ? memrchr(data, '\n', len) : memchr(data, '\n', len);
		if (!nl)
			break;
		n = (size_t)(nl - data) + 1;
		err = add_line(l, data, n, out);
		data += n;
		len -= n;
	}
	if (!err)
		err = run_buf_add(&l->part, data, len);
	if (!err && l->part.len > RUN_LINE_MAX)
		err = run_line_flush(l, false, out);
	return err;
}

int run_line_flush(struct run_line *l, bool end, struct run_buf *out)
{
	int err;

	if (l->part.len == 0 && !(end && l->open))
		return 0;
	err = add_head(l, out);
	l->open = !end;
	if (end && !err)
		err = run_buf_add(out, "\n", 1);
	return err;
}

/* Replaces %r and %h in the text of -prepend-pattern. */
static char *expand(const char *pattern, int rank, const char *host)
{
	struct run_buf b = { 0 };
	char num[12];
	int err = 0;

	for (; *pattern && !err; pattern++) {
		if (pattern[0] != '%' || !strchr("rh", pattern[1]) ||
		    !pattern[1]) {
			err = run_buf_add(&b, pattern, 1);
			continue;
		}
		snprintf(num, sizeof(num), "%d", rank);
		pattern++;
		err = *pattern == 'r' ? run_buf_add(&b, num, strlen(num))
				      : run_buf_add(&b, host, strlen(host));
	}
	if (err || run_buf_add(&b, "", 1)) {
		run_buf_free(&b);
		return NULL;
	}
	return b.data;
}

char *run_line_tag(const struct run_output *o, int rank, const char *host,
		   bool is_err)
{
	char *text = NULL;
	int n = -1;

	switch (o->tag) {
	case RUN_TAG_NONE:
		return strdup("");
	case RUN_TAG_RANK:
		n = asprintf(&text, "[%d] ", rank);
		break;
	case RUN_TAG_STREAM:
		n = asprintf(&text, "[1,%d]<%s>: ", rank,
			     is_err ? "stderr" : "stdout");
		break;
	case RUN_TAG_TEXT:
		return expand(o->pattern, rank, host);
	}
	return n < 0 ? NULL : text;
}
