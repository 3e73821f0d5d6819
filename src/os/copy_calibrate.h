/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures which path to another process is faster on this host: copying a
 * message into shared memory and out of it piece by piece, by both sides
 * concurrently, or fetching it as a whole with one system call. The result
 * depends on the latency of cache lines between processors and on the kernel.
 * Two threads measure both paths several times, in less than a millisecond.
 *
 * Sender and receiver may each copy half of a fetched message (shared copy):
 * weft_copy_calibrate_shared_least and weft_copy_calibrate_shared_least_queued
 * return the smallest size for this. Short pieces may be copied by the loop of
 * copy.h: weft_copy_calibrate_loop returns the largest size.
 */
#ifndef WEFT_COPY_CALIBRATE_H
#define WEFT_COPY_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

/* Measured sizes: 16, 32 and 64 KiB. */
#define WEFT_COPY_CALIBRATE_LEAST 16384u
#define WEFT_COPY_CALIBRATE_SIZES 3u
#define WEFT_COPY_CALIBRATE_PIECE 8192u
/* Number of piece sizes for which the loop is measured: 512 bytes to 4 KiB. */
#define WEFT_COPY_CALIBRATE_LOOPS 4u
/* Number of consecutive pieces per measurement. */
#define WEFT_COPY_CALIBRATE_BURST 8u

struct weft_copy_calibration {
	/*
	 * shortest measured time per message size: through shared memory
	 * (copied twice), and fetched by system call (copied once)
	 */
	uint64_t twice_ns[WEFT_COPY_CALIBRATE_SIZES];
	uint64_t once_ns[WEFT_COPY_CALIBRATE_SIZES];
	/*
	 * minimum time of a burst per piece size, from WEFT_COPY_LEAST bytes;
	 * UINT64_MAX: not known
	 */
	uint64_t call_ns[WEFT_COPY_CALIBRATE_LOOPS]; /* copied by memcpy */
	/* copied by the loop of copy.h */
	uint64_t loop_ns[WEFT_COPY_CALIBRATE_LOOPS];
};

/*
 * Measures all times. Returns 0; -ENOTSUP: only one processor, or the system
 * call is missing; -EBUSY: other processes use the processors. With -ENOTSUP
 * the times of the loop may be valid. With 0 they may be missing, since they
 * are measured last.
 */
int weft_copy_calibrate_measure(struct weft_copy_calibration *c);
/*
 * Returns the size in bytes of the largest message that is copied faster
 * through shared memory: a power of two.
 */
size_t weft_copy_calibrate_threshold(const struct weft_copy_calibration *c);
/*
 * Returns the least size in bytes of a single outstanding message for a shared
 * copy: copying half of the bytes takes longer than the fixed cost of a fetch,
 * which is the latency to the other side and a system call.
 */
size_t weft_copy_calibrate_shared_least(const struct weft_copy_calibration *c);
/*
 * Returns the least size in bytes for a shared copy of consecutive messages,
 * when no rank waits for a single message: two threads that write into one
 * buffer take its cache lines from each other, so a shared copy is faster only
 * above a fraction of the core's cache (cache_bytes). 0: not known.
 */
size_t weft_copy_calibrate_shared_least_queued(size_t cache_bytes);
/*
 * Returns the largest piece in bytes for the loop, the argument of
 * weft_copy_span. It minimizes the total time of one piece of each length, so
 * that a single noisy length does not decide. 0: the loop is never faster.
 */
size_t weft_copy_calibrate_loop(const struct weft_copy_calibration *c);

#endif
