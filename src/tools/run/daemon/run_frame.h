/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames between mpiexec and its daemons on other hosts, over the standard
 * input and output of the remote shell: kind, length, bytes. Numbers are in
 * network order. A reader checks every length.
 */
#ifndef WEFT_RUN_FRAME_H
#define WEFT_RUN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum run_frame_kind {
	RUN_FRAME_JOB = 1, /* to a daemon: the job, struct run_daemon_job */
	/* to a daemon: bytes of stdin; no bytes: end of file */
	RUN_FRAME_INPUT,
	RUN_FRAME_INPUT_TAKEN, /* from a daemon: send more stdin */
	/* from a daemon: bytes that its ranks wrote to stdout */
	RUN_FRAME_OUTPUT,
	/* from a daemon: a fence of its ranks: signature, data */
	RUN_FRAME_FENCE,
	/*
	 * to a daemon: a complete fence: signature, status, data of all hosts
	 */
	RUN_FRAME_FENCE_DONE,
	RUN_FRAME_MODEX,      /* request: id, rank */
	RUN_FRAME_MODEX_DONE, /* response: id, status, data */
	RUN_FRAME_SIGNAL,     /* to a daemon: signal for its mpiexec */
	RUN_FRAME_END,	      /* to a daemon: end the ranks without a message */
	RUN_FRAME_EXIT,	      /* from a daemon: exit code of its ranks */
	/*
	 * a rank has exited, in a job that survives failures; in both
	 * directions: rank, exit code (0: the rank has completed MPI_Finalize)
	 */
	RUN_FRAME_RANK_EXIT,
	/* from a daemon: its next RUN_FRAME_EXIT does not end the job */
	RUN_FRAME_SURVIVED,
	RUN_FRAME_PING,	   /* to a daemon, which returns the frame */
	RUN_FRAME_STARTED, /* from a daemon: its ranks have been started */
	/* from a daemon: a rank spawns: id, struct run_request */
	RUN_FRAME_SPAWN,
	/*
	 * from a daemon: its ranks have failed after they had disconnected from
	 * other jobs
	 */
	RUN_FRAME_APART,
	RUN_FRAME_SPAWN_DONE, /* to a daemon: id, status of PMIx */
	RUN_FRAME_KINDS,
};

enum { RUN_FRAME_MAX = 256 << 20 }; /* maximum number of bytes in a frame */

/* Entry of a fence's signature: all ranks of the job. */
#define RUN_FENCE_ALL UINT32_MAX

/* Bytes to which values are added; a zeroed structure is empty. */
struct run_bytes {
	char *data;
	size_t len;
	size_t cap;
	bool lost; /* whether a value is missing because memory was exhausted */
};

void run_bytes_add(struct run_bytes *b, const void *data, size_t len);
void run_bytes_u32(struct run_bytes *b, uint32_t value);
/* Adds a block: its length and its bytes. */
void run_bytes_block(struct run_bytes *b, const void *data, size_t len);
void run_bytes_text(struct run_bytes *b, const char *text);
/* Adds the texts of a list that ends with NULL. */
void run_bytes_list(struct run_bytes *b, char *const *list);
void run_bytes_free(struct run_bytes *b);

/* Bytes from which values are taken; bad: a value was missing. */
struct run_scan {
	const char *at;
	size_t left;
	bool bad;
};

uint32_t run_scan_u32(struct run_scan *s);
/* Takes a block: its length and its bytes; NULL if it is missing. */
const char *run_scan_block(struct run_scan *s, size_t *len_p);
/* Takes a text; NULL if it is missing. Freed by the caller. */
char *run_scan_text(struct run_scan *s);
/* Takes a list of texts; NULL if it is missing. Freed by run_list_free(). */
char **run_scan_list(struct run_scan *s);
void run_list_free(char **list);

struct run_frame {
	enum run_frame_kind kind;
	struct run_scan body; /* valid until the next call with the channel */
};

/* One end of a connection. Descriptors are set to nonblocking mode. */
struct run_channel {
	int in;	 /* descriptor for reading; -1: closed */
	int out; /* descriptor for writing; -1: closed */
	struct run_bytes rx;
	size_t taken; /* bytes of rx that were returned as frames */
	struct run_bytes tx;
	size_t sent;	      /* bytes of tx that were written */
	uint64_t read_bytes;  /* all bytes read so far */
	uint64_t write_bytes; /* all bytes written so far */
};

void run_channel_open(struct run_channel *c, int in, int out);
void run_channel_close(struct run_channel *c);

/* Reads available bytes. Returns 0; -EPIPE: end of file; or -errno. */
int run_channel_fill(struct run_channel *c);

/* Returns 1 and a frame; 0: no frame is complete; or -EPROTO. */
int run_channel_next(struct run_channel *c, struct run_frame *f);

/* Queues a frame, and writes as much as possible without blocking. */
void run_channel_put(struct run_channel *c, enum run_frame_kind kind,
		     const void *data, size_t len);
void run_channel_put_bytes(struct run_channel *c, enum run_frame_kind kind,
			   const struct run_bytes *b);

/* Writes queued bytes. Returns 0, or -errno if the other end is closed. */
int run_channel_flush(struct run_channel *c);

static inline size_t run_channel_queued(const struct run_channel *c)
{
	return c->tx.len - c->sent;
}

/* Writes a whole frame with blocking calls. Returns 0 or -errno. */
int run_frame_write(int fd, enum run_frame_kind kind,
		    const struct run_bytes *b);

#endif
