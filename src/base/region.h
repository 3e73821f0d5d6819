/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared region: memory without a name (memfd), passed by descriptor. Its
 * content is opaque here. Nothing remains when its users have died.
 *
 *   weft_region_open (create)           -> pass fd -> weft_region_close
 *   weft_region_open_unsealed (create)  -> pass fd -> weft_region_seal
 *                                       -> weft_region_close
 *   weft_region_attach (peer's fd)      -> weft_region_close
 *   weft_region_attach_ro (read only)   -> weft_region_close
 *
 * A region may be longer than its mapping: the rest is then mapped in parts by
 * weft_region_window.
 */
#ifndef WEFT_BASE_REGION_H
#define WEFT_BASE_REGION_H

#include <stddef.h>
#include <sys/types.h>

struct weft_region {
	void *base;
	size_t bytes; /* mapped, from the start of the region */
	int fd;	      /* -1: closed after mapping */
};

/*
 * Creates a region of zeroes, its size sealed against shrinking. Pages are
 * allocated on first touch. Returns 0, -ENOMEM, -EMFILE, -ENOSPC, or -EFBIG:
 * beyond the limit of a file's size. name is shown in /proc/PID/maps.
 */
int weft_region_open(struct weft_region *r, const char *name, size_t bytes);
/* Creates a region and maps only its first front bytes. */
int weft_region_open_front(struct weft_region *r, const char *name,
			   size_t bytes, size_t front);

/*
 * Creates a region that a known number of processes share: others can map it
 * until weft_region_seal(), and after that only read it. Existing mappings
 * remain writable. A kernel before 5.1 does not support this: -EINVAL.
 */
int weft_region_open_unsealed(struct weft_region *r, const char *name,
			      size_t bytes);
int weft_region_seal(const struct weft_region *r);

/*
 * Opens a descriptor of another process by its number; returns an own
 * descriptor or -errno. The caller checks what it refers to.
 */
int weft_region_open_remote_fd(pid_t pid, int fd);

/*
 * Maps the region behind a descriptor of another process; the caller keeps the
 * descriptor. -EINVAL: not a sealed memfd, or smaller than min_bytes, so that
 * access could raise SIGBUS.
 */
int weft_region_attach(struct weft_region *r, int fd, size_t min_bytes);
/* As weft_region_attach, read only. */
int weft_region_attach_ro(struct weft_region *r, int fd, size_t min_bytes);
/* As weft_region_attach, maps only the first front bytes, more than 0. */
int weft_region_attach_front(struct weft_region *r, int fd, size_t front);

/*
 * Maps bytes from at on, both multiples of a page, of the region behind a
 * descriptor. NULL, and errno: EINVAL as in weft_region_attach, or ENOMEM.
 */
void *weft_region_window(int fd, size_t at, size_t bytes);
void weft_region_window_close(void *at, size_t bytes);

/*
 * Allocates the pages of a mapped part at once, instead of one fault per page;
 * only advice, which a kernel before 5.14 ignores.
 */
void weft_region_populate(void *at, size_t bytes);

/* Unmaps and closes; accepts the state after a failed open. */
void weft_region_close(struct weft_region *r);

#endif
