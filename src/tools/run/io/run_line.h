/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the output of a rank to whole lines. A struct run_line is one stream
 * (stdout or stderr of one rank); it keeps an unfinished line, up to
 * RUN_LINE_MAX bytes. These functions do no I/O.
 */
#ifndef WEFT_RUN_LINE_H
#define WEFT_RUN_LINE_H

#include "src/tools/run/opts/run_opts.h"

/*
 * Maximum length, in bytes, of a line that is kept whole. A longer line is
 * passed on in pieces, and other ranks may print between them.
 */
enum { RUN_LINE_MAX = 1 << 20 };

struct run_buf {
	char *data;
	size_t len;
	size_t cap;
};

struct run_line {
	struct run_buf part; /* unfinished line */
	const char *tag;     /* text printed before each line; "": none */
	/* whether the time of day is printed before the tag */
	bool stamp;
	/* whether the beginning of the line has been printed */
	bool open;
};

/* Appends `data` to b. Returns 0 or -ENOMEM. */
int run_buf_add(struct run_buf *b, const char *data, size_t len);
void run_buf_free(struct run_buf *b);

/*
 * Appends to `out` each line that `data` completes, with its tag. Returns 0 or
 * -ENOMEM.
 */
int run_line_feed(struct run_line *l, const char *data, size_t len,
		  struct run_buf *out);

/*
 * Appends an unfinished line to `out`, and a newline if `end` is set. Returns 0
 * or -ENOMEM.
 */
int run_line_flush(struct run_line *l, bool end, struct run_buf *out);

/*
 * Returns the tag of a stream, for example "[1,3]<stdout>: ". Freed by the
 * caller; NULL: out of memory.
 */
char *run_line_tag(const struct run_output *o, int rank, const char *host,
		   bool is_err);

#endif
