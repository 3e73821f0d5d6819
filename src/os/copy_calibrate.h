/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which path to another process is faster on this host: a message is copied
 * into shared memory piece by piece and out of it, by both sides concurrently,
 * or fetched whole by one system call. This depends on the latency of cache
 * lines between processors and on the kernel, so it is measured: two threads do
 * both, a few times each, in less than a millisecond.
 *
 * Of a fetched message, sender and receiver may copy a half each (shared copy):
 * weft_copy_calibrate_help and weft_copy_calibrate_row return from which size
 * on. Short pieces may be copied by our own loop: weft_copy_calibrate_loop.
 */
#ifndef WEFT_COPY_CALIBRATE_H
#define WEFT_COPY_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

/* Measured sizes: 16, 32 and 64 KiB. */
#define WEFT_COPY_CALIBRATE_LEAST 16384u
#define WEFT_COPY_CALIBRATE_SIZES 3u
#define WEFT_COPY_CALIBRATE_PIECE 8192u
/* Sizes of pieces measured with the loop, too: 512 bytes to 4 KiB. */
#define WEFT_COPY_CALIBRATE_LOOPS 4u
#define WEFT_COPY_CALIBRATE_BURST 8u /* consecutive pieces */

struct weft_copy_calibration {
	/* minimum of the runs, by size */
	uint64_t twice_ns[WEFT_COPY_CALIBRATE_SIZES];
	uint64_t once_ns[WEFT_COPY_CALIBRATE_SIZES];
	/*
	 * minimum for a burst, from WEFT_COPY_LEAST on; UINT64_MAX: not known
	 */
	uint64_t call_ns[WEFT_COPY_CALIBRATE_LOOPS]; /* by memcpy */
	uint64_t loop_ns[WEFT_COPY_CALIBRATE_LOOPS]; /* by the loop of copy.h */
};

/*
 * Returns 0; -ENOTSUP: one processor only, or no such system call; -EBUSY:
 * other processes use the processors. The times of the loop may be known
 * without the others, if the system call is missing, and missing with the
 * others, since they are measured last.
 */
int weft_copy_calibrate_measure(struct weft_copy_calibration *c);
/*
 * Largest message in bytes that is better copied through shared memory: a power
 * of two.
 */
size_t weft_copy_calibrate_cut(const struct weft_copy_calibration *c);
/*
 * Least bytes from which both sides copy a single outstanding message: half of
 * its bytes take longer than the fixed cost of a fetch, which is the latency to
 * the other side and a system call.
 */
size_t weft_copy_calibrate_help(const struct weft_copy_calibration *c);
/*
 * Least bytes of a shared copy for consecutive messages, where no rank waits
 * for a single one: two threads that write into one buffer take its cache lines
 * from each other, so a shared copy is cheaper only beyond a share of the
 * core's cache of cache_bytes. 0: not known.
 */
size_t weft_copy_calibrate_row(size_t cache_bytes);
/*
 * Largest piece in bytes that the loop copies, for weft_copy_span: minimizes
 * the total time of one piece of each length, so that a single noisy length
 * does not decide. 0: none.
 */
size_t weft_copy_calibrate_loop(const struct weft_copy_calibration *c);

#endif
