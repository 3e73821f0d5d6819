/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurement of copies (copy_calibrate.h). One thread sends; the caller
 * receives and measures.
 */
#include "src/os/copy_calibrate.h"

#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/base/clock.h"
#include "src/base/copy.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { RUNS = 7, LOOP_RUNS = 15, CELLS = 8, SHARED_DOUBLINGS = 6 };

#define MOST	 (WEFT_COPY_CALIBRATE_LEAST << (WEFT_COPY_CALIBRATE_SIZES - 1))
/* time limit of the whole measurement, which then returns -EBUSY */
#define LIMIT_NS UINT64_C(3000000)

/*
 * State of the two threads. Messages are numbered; the receiver sets the sizes
 * of a message before it requests the message.
 */
struct transfer {
	/* number of the message to send */
	alignas(WEFT_CACHE_LINE) weft_au32 requested;
	/* pieces of the message sent so far; a notification counts as 1 */
	alignas(WEFT_CACHE_LINE) weft_au32 sent;
	/* number of pieces; 0: only a notification */
	alignas(WEFT_CACHE_LINE) uint32_t pieces;
	uint32_t piece; /* bytes of each piece */
	size_t span;	/* argument `span` of weft_copy_piece() */
	weft_au32 end;
	/* number of threads that do not access this struct any more */
	weft_au32 left;
	uint64_t until_ns;
	char *cell, *from, *to;
};

/*
 * Leaves the transfer. The last thread to leave frees the struct: the caller
 * does not wait for a sender that is not scheduled. R3: the accesses of the
 * first thread precede the free by the second.
 */
static void transfer_leave(struct transfer *s)
{
	if (weft_add32(&s->left, 1))
		free(s);
}

/*
 * Waits for *word to reach value. Returns false after the time limit, or if the
 * other thread has ended.
 */
static bool wait_for(struct transfer *s, weft_au32 *word, uint32_t value)
{
	for (unsigned i = 1; weft_load32(word) < value; i++)
		if (weft_load32(&s->end) ||
		    (i % 1024 == 0 && weft_now_ns() > s->until_ns))
			return false;
	return true;
}

static char *cell(const struct transfer *s, uint32_t i)
{
	return s->cell + (size_t)(i % CELLS) * WEFT_COPY_CALIBRATE_PIECE;
}

static void *sender(void *arg)
{
	struct transfer *s = arg;

	for (uint32_t n = 1; wait_for(s, &s->requested, n); n++) {
		/* copied: the receiver may change them after the last piece */
		uint32_t pieces = s->pieces, piece = s->piece;
		size_t span = s->span;

		if (!pieces)
			/* R1 pairs with the load in wait_for() */
			weft_store32(&s->sent, 1);
		for (uint32_t i = 0; i < pieces; i++) {
			weft_copy_piece(cell(s, i), s->from + i * piece, piece,
					span);
			weft_store32(&s->sent, i + 1); /* R1, as above */
		}
	}
	transfer_leave(s);
	return NULL;
}

/* Requests message n from the sender. Returns the start time in ns. */
static uint64_t transfer_start(struct transfer *s, uint32_t n, uint32_t pieces)
{
	uint64_t start = weft_now_ns();

	s->pieces = pieces;
	weft_store32(&s->sent, 0);
	/* R2 pairs with the load in wait_for() */
	weft_store32(&s->requested, n);
	return start;
}

/*
 * copy_pieces measures a copy through shared memory, copy_once a fetch by
 * system call. They return the time in ns; 0: failed.
 */
static uint64_t copy_pieces(struct transfer *s, uint32_t n, uint32_t pieces,
			    uint32_t piece, size_t span)
{
	uint32_t there = 0;
	uint64_t start;

	s->piece = piece;
	s->span = span;
	start = transfer_start(s, n, pieces);
	for (uint32_t i = 0; i < pieces; i++) {
		if (there <= i && !wait_for(s, &s->sent, i + 1))
			return 0;
		if (there <= i)
			there = weft_load32(&s->sent);
		weft_copy_piece(s->to + i * piece, cell(s, i), piece, span);
	}
	return weft_now_ns() - start;
}

static uint64_t copy_once(struct transfer *s, uint32_t n, size_t bytes)
{
	struct iovec to = { s->to, bytes }, from = { s->from, bytes };
	uint64_t start = transfer_start(s, n, 0);

	if (!wait_for(s, &s->sent, 1) ||
	    process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)bytes)
		return 0;
	return weft_now_ns() - start;
}

static void keep_least(uint64_t *least, uint64_t ns)
{
	if (ns < *least)
		*least = ns;
}

static int run_loops(struct transfer *s, struct weft_copy_calibration *c,
		     uint32_t *n)
{
	for (int run = 0; run < LOOP_RUNS; run++)
		for (unsigned i = 0; i < WEFT_COPY_CALIBRATE_LOOPS; i++) {
			uint32_t bytes = (uint32_t)WEFT_COPY_LEAST << i;
			size_t span = weft_copy_span(bytes);
			uint64_t call = copy_pieces(
				s, ++*n, WEFT_COPY_CALIBRATE_BURST, bytes, 0);
			uint64_t loop =
				call ? copy_pieces(s, ++*n,
						   WEFT_COPY_CALIBRATE_BURST,
						   bytes, span)
				     : 0;

			if (!loop)
				return -EBUSY;
			keep_least(&c->call_ns[i], call);
			keep_least(&c->loop_ns[i], loop);
		}
	return 0;
}

static int run_long(struct transfer *s, struct weft_copy_calibration *c,
		    uint32_t *n)
{
	for (int run = 0; run < RUNS; run++)
		for (unsigned i = 0; i < WEFT_COPY_CALIBRATE_SIZES; i++) {
			size_t bytes = (size_t)WEFT_COPY_CALIBRATE_LEAST << i;
			uint32_t pieces =
				(uint32_t)(bytes / WEFT_COPY_CALIBRATE_PIECE);
			uint64_t twice = copy_pieces(
				s, ++*n, pieces, WEFT_COPY_CALIBRATE_PIECE, 0);
			uint64_t once = twice ? copy_once(s, ++*n, bytes) : 0;

			if (!once)
				return weft_now_ns() > s->until_ns ? -EBUSY
								   : -ENOTSUP;
			keep_least(&c->twice_ns[i], twice);
			keep_least(&c->once_ns[i], once);
		}
	return 0;
}

/*
 * Measures all times. The loop of copy.h needs no system call, so it is
 * measured even if copy_once is not supported. The loop is measured last, so
 * that the more important times are kept if the host becomes busy.
 */
static int run_all(struct transfer *s, struct weft_copy_calibration *c)
{
	uint32_t n = 0;
	int ret = run_long(s, c, &n);

	if (ret == -EBUSY || run_loops(s, c, &n)) {
		memset(c->call_ns, 0xff, sizeof(c->call_ns));
		memset(c->loop_ns, 0xff, sizeof(c->loop_ns));
	}
	return ret;
}

/*
 * Returns a processor other than the one on which the caller runs; -1: this
 * process may not use another processor.
 */
static int other_processor(void)
{
	int here = sched_getcpu();
	cpu_set_t mine;

	if (sched_getaffinity(0, sizeof(mine), &mine))
		return -1;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (i != here && CPU_ISSET(i, &mine))
			return i;
	return -1;
}

/*
 * Starts the sender on the processor. Returns 0, or -errno: no sender was
 * started.
 */
static int start_sender(struct transfer *s, int processor)
{
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t there;
	int ret;

	CPU_ZERO(&there);
	CPU_SET(processor, &there);
	ret = pthread_attr_init(&attr);
	if (ret)
		return -ret;
	ret = pthread_attr_setaffinity_np(&attr, sizeof(there), &there);
	if (!ret)
		ret = pthread_attr_setdetachstate(&attr,
						  PTHREAD_CREATE_DETACHED);
	if (!ret)
		ret = pthread_create(&thread, &attr, sender, s);
	pthread_attr_destroy(&attr);
	return -ret;
}

static struct transfer *transfer_new(void)
{
	size_t cells = (size_t)CELLS * WEFT_COPY_CALIBRATE_PIECE;
	size_t bytes = sizeof(struct transfer) + cells + 2 * MOST;
	struct transfer *s = aligned_alloc(WEFT_CACHE_LINE, bytes);

	if (!s)
		return NULL;
	memset(s, 0, bytes);
	s->until_ns = weft_now_ns() + LIMIT_NS;
	s->cell = (char *)(s + 1);
	s->from = s->cell + cells;
	s->to = s->from + MOST;
	return s;
}

int weft_copy_calibrate_measure(struct weft_copy_calibration *c)
{
	int processor = other_processor(), ret;
	struct transfer *s;

	memset(c, 0xff, sizeof(*c));
	if (processor < 0)
		return -ENOTSUP;
	s = transfer_new();
	if (!s)
		return -ENOMEM;
	ret = start_sender(s, processor);
	if (ret) {
		free(s);
		return ret;
	}
	ret = run_all(s, c);
	weft_store32(&s->end, 1);
	transfer_leave(s);
	return ret;
}

size_t weft_copy_calibrate_threshold(const struct weft_copy_calibration *c)
{
	unsigned i = WEFT_COPY_CALIBRATE_SIZES;

	while (i && c->twice_ns[i - 1] > c->once_ns[i - 1])
		i--;
	return (size_t)WEFT_COPY_CALIBRATE_LEAST << i >> 1;
}

/* Assumes linear times: a fixed cost plus a cost per 16 KiB. */
size_t weft_copy_calibrate_shared_least(const struct weft_copy_calibration *c)
{
	int64_t first = (int64_t)c->once_ns[0];
	int64_t last = (int64_t)c->once_ns[WEFT_COPY_CALIBRATE_SIZES - 1];
	int64_t steps = (1 << (WEFT_COPY_CALIBRATE_SIZES - 1)) - 1;
	int64_t step_ns = (last - first) / steps;
	unsigned i = 0;

	while (i < SHARED_DOUBLINGS &&
	       step_ns * (1 << i) / 2 <= first - step_ns)
		i++;
	return (size_t)WEFT_COPY_CALIBRATE_LEAST << i;
}

size_t weft_copy_calibrate_loop(const struct weft_copy_calibration *c)
{
	int64_t saves = 0, most = 0;
	size_t bytes = 0;

	for (unsigned i = 0; i < WEFT_COPY_CALIBRATE_LOOPS; i++) {
		saves += (int64_t)(c->call_ns[i] - c->loop_ns[i]);
		if (saves > most) {
			most = saves;
			bytes = WEFT_COPY_LEAST << i;
		}
	}
	return bytes;
}

size_t weft_copy_calibrate_shared_least_queued(size_t cache_bytes)
{
	return cache_bytes / 8;
}
