/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A shared region: memory without a name (memfd), reached by descriptor. It
 * knows nothing of its content. Nothing stays behind when its users die.
 *
 *   weft_region_open (create)     -> pass fd -> weft_region_close
 *   weft_region_gather (create)   -> pass fd -> weft_region_shut -> close
 *   weft_region_attach (peer's fd)           -> weft_region_close
 *   weft_region_peek (to read only)          -> weft_region_close
 *
 * A region may be longer than what is mapped of it: its end is then reached
 * through weft_region_window, a piece at a time.
 */
#ifndef WEFT_BASE_REGION_H
#define WEFT_BASE_REGION_H

#include <stddef.h>
#include <sys/types.h>

struct weft_region {
	void *base;
	size_t bytes; /* mapped, from the region's beginning on */
	int fd;	      /* -1: closed after mapping */
};

/*
 * Creates a region of zeroes, its size sealed against shrinking. Pages come
 * on first touch; -ENOMEM, -EMFILE, -ENOSPC, -EFBIG: beyond the limit of a
 * file. name shows in /proc/PID/maps.
 */
int weft_region_open(struct weft_region *r, const char *name, size_t bytes);
/* The same, of which the first so many bytes are mapped. */
int weft_region_open_front(struct weft_region *r, const char *name,
			   size_t bytes, size_t front);

/*
 * The same for a region that a known number of processes share: others can map
 * it until weft_region_shut(), and from then on only read it. Mappings that
 * are there stay as they are. A kernel before 5.1 cannot do that: -EINVAL.
 */
int weft_region_gather(struct weft_region *r, const char *name, size_t bytes);
int weft_region_shut(const struct weft_region *r);

/* Opens the descriptor of another process, which has said its number: one's
 * own, or -errno. What is behind it is for the caller to check. */
int weft_region_reach(pid_t pid, int fd);

/*
 * Maps the region behind a foreign descriptor and leaves the descriptor to
 * the caller. -EINVAL: not a sealed memfd, or smaller than min_bytes, so that
 * touching it could raise SIGBUS.
 */
int weft_region_attach(struct weft_region *r, int fd, size_t min_bytes);
/* The same, to read only. */
int weft_region_peek(struct weft_region *r, int fd, size_t min_bytes);
/* The same, of which the first so many bytes are mapped; not 0. */
int weft_region_attach_front(struct weft_region *r, int fd, size_t front);

/*
 * Maps bytes from at on, both multiples of a page, of the region behind a
 * descriptor. NULL, and errno: EINVAL as above, ENOMEM.
 */
void *weft_region_window(int fd, size_t at, size_t bytes);
void weft_region_window_close(void *at, size_t bytes);

/*
 * Brings the pages of a mapped piece in at once, instead of a fault for each;
 * advice only, which a kernel before 5.14 does not know.
 */
void weft_region_warm(void *at, size_t bytes);

/* Unmaps and closes; accepts what a failed open leaves. */
void weft_region_close(struct weft_region *r);

#endif
