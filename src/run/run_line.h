/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of a rank in, whole lines out. A struct run_line is one stream (the
 * stdout or stderr of one rank); it keeps the part of a line that has not
 * ended yet, up to RUN_LINE_MAX bytes. Pure: no descriptor, no clock of its
 * own.
 */
#ifndef WEFT_RUN_LINE_H
#define WEFT_RUN_LINE_H

#include "src/run/run_opts.h"

/* A longer line leaves in pieces, and other ranks may print between them. */
enum { RUN_LINE_MAX = 1 << 20 };

struct run_buf {
	char *data;
	size_t len;
	size_t cap;
};

struct run_line {
	struct run_buf part; /* a line that has not ended */
	const char *tag;     /* printed before each line, "" for none */
	bool stamp;	     /* and the time of day before that */
	bool open;	     /* its beginning has been printed already */
};

/* 0 or -ENOMEM. */
int run_buf_add(struct run_buf *b, const char *data, size_t len);
void run_buf_free(struct run_buf *b);

/* Appends to out each line that data completes, with its tag. */
int run_line_feed(struct run_line *l, const char *data, size_t len,
		  struct run_buf *out);

/* Appends what is left of an unfinished line; end: a newline after it. */
int run_line_flush(struct run_line *l, bool end, struct run_buf *out);

/*
 * The tag of a stream, e.g. "[1,3]<stdout>: ". Freed by the caller; NULL when
 * there is no memory.
 */
char *run_line_tag(const struct run_output *o, int rank, const char *host,
		   bool is_err);

#endif
