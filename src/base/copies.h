/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way to another process is shorter on this host: a message is copied
 * into shared memory piece by piece and out of it, by both sides at once, or
 * fetched whole by a system call, once. That depends on how fast lines travel
 * between processors and on what the kernel takes, so it is measured: two
 * threads do both, a few times each. Less than a millisecond.
 *
 * Of what is fetched, sender and receiver may copy a half each:
 * weft_copies_help and weft_copies_row say when. Of what is copied piece by
 * piece, short ones may go by our own loop: weft_copies_loop.
 */
#ifndef WEFT_BASE_COPIES_H
#define WEFT_BASE_COPIES_H

#include <stddef.h>
#include <stdint.h>

/* Sizes that are tried: 16, 32 and 64 KiB. */
#define WEFT_COPIES_LEAST 16384u
#define WEFT_COPIES_SIZES 3u
#define WEFT_COPIES_PIECE 8192u
/* Pieces that are tried by the loop, too: 512 bytes to 4 KiB. */
#define WEFT_COPIES_LOOPS 4u
#define WEFT_COPIES_BURST 8u /* of them, one after another */

struct weft_copies {
	/* the shortest of the runs, by size */
	uint64_t twice_ns[WEFT_COPIES_SIZES];
	uint64_t once_ns[WEFT_COPIES_SIZES];
	/* likewise of a burst, from WEFT_COPY_LEAST on; UINT64_MAX: not known
	 */
	uint64_t call_ns[WEFT_COPIES_LOOPS]; /* by memcpy */
	uint64_t loop_ns[WEFT_COPIES_LOOPS]; /* by the loop of copy.h */
};

/*
 * 0; -ENOTSUP: there is one processor for us, or no such system call; -EBUSY:
 * others have the processors. The loop's times may be known where the others
 * are not, for want of the call, and not known where they are: they come last.
 */
int weft_copies_measure(struct weft_copies *c);
/* Up to so many bytes messages are better copied: a power of two. */
size_t weft_copies_cut(const struct weft_copies *c);
/*
 * From so many bytes on both sides copy a message that is alone under way: half
 * of its bytes take longer than what a fetch takes however short it is, which
 * is to reach the other side and a system call.
 */
size_t weft_copies_help(const struct weft_copies *c);
/*
 * The same of messages in a row, where nobody waits for one of them: two who
 * write into one buffer take its lines from each other, and only beyond what a
 * core's cache of so many bytes keeps is that the cheaper way. 0: not known.
 */
size_t weft_copies_row(size_t cache_bytes);
/*
 * Pieces up to so many bytes are copied by the loop, as weft_copy_span takes
 * it: one of each length takes the least time in all then, so that a length
 * that was no faster in a few runs does not decide. 0: none.
 */
size_t weft_copies_loop(const struct weft_copies *c);

#endif
