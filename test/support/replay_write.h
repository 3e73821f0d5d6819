/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes traces of calls for the tests of the replay. */
#ifndef WEFT_REPLAY_WRITE_H
#define WEFT_REPLAY_WRITE_H

#include "test/t.h"

#include "src/job/job_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct writer {
	char file[64];
	unsigned char bytes[4096];
	size_t n;
	unsigned char call[512];
	size_t calls; /* size of the calls, bytes */
};

static inline void writer_open(struct writer *w, uint32_t ranks)
{
	struct record_head h = { .version = RECORD_VERSION, .ranks = ranks };
	int fd;

	memset(w, 0, sizeof(*w));
	snprintf(w->file, sizeof(w->file), "/tmp/weft-replay.XXXXXX");
	fd = mkstemp(w->file);
	T_TRUE(fd >= 0);
	close(fd);
	memcpy(h.magic, RECORD_MAGIC, sizeof(h.magic));
	memcpy(w->bytes, &h, sizeof(h));
	w->n = sizeof(h);
}

/* Adds numbers, up to the first that is WRITER_END. */
#define WRITER_END   UINT64_MAX
#define WRITER_S(n)  record_signed(n)
#define CALL(w, ...) writer_call(w, (uint64_t[]){ __VA_ARGS__, WRITER_END })

static inline void writer_call(struct writer *w, const uint64_t *n)
{
	for (; *n != WRITER_END; n++)
		w->calls =
			(size_t)(record_put(w->call + w->calls, *n) - w->call);
	T_TRUE(w->calls < sizeof(w->call));
}

/* Ends a chunk of a rank with the calls so far. */
static inline void writer_chunk(struct writer *w, uint32_t rank,
				uint32_t number)
{
	struct record_chunk c = { RECORD_CHUNK_MAGIC, rank, number,
				  (uint32_t)w->calls, 0 };

	c.check = record_check(w->call, w->calls);
	T_TRUE(w->n + sizeof(c) + w->calls <= sizeof(w->bytes));
	memcpy(w->bytes + w->n, &c, sizeof(c));
	memcpy(w->bytes + w->n + sizeof(c), w->call, w->calls);
	w->n += sizeof(c) + w->calls;
	w->calls = 0;
}

static inline void writer_save(const struct writer *w, size_t n)
{
	FILE *f = fopen(w->file, "w");

	T_NOT_NULL(f);
	T_IS(fwrite(w->bytes, 1, n, f), n);
	T_OK(fclose(f));
}

static inline void writer_close(struct writer *w)
{
	T_OK(unlink(w->file));
}

#endif
