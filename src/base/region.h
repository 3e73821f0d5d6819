/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared region: memory without a name (a memfd), which is passed between
 * processes as a descriptor. The kernel frees it when the last process that
 * uses it has ended.
 *
 *   weft_region_open (create)           -> pass fd -> weft_region_close
 *   weft_region_open_unsealed (create)  -> pass fd -> weft_region_seal
 *                                       -> weft_region_close
 *   weft_region_attach (peer's fd)      -> weft_region_close
 *   weft_region_attach_ro (read only)   -> weft_region_close
 *
 * A region may be longer than its mapping; weft_region_window maps other parts
 * of it.
 */
#ifndef WEFT_BASE_REGION_H
#define WEFT_BASE_REGION_H

#include <stddef.h>
#include <sys/types.h>

struct weft_region {
	void *base;
	size_t bytes; /* length of the mapping, from the start of the region */
	int fd;	      /* descriptor; -1: closed after mapping */
};

/*
 * Creates a region of zeroes whose size is sealed. Pages are allocated on first
 * touch. Returns 0, -ENOMEM, -EMFILE, -ENOSPC, or -EFBIG if it exceeds the file
 * size limit. /proc/PID/maps shows `name`.
 */
int weft_region_open(struct weft_region *r, const char *name, size_t bytes);
/*
 * Like weft_region_open, but maps only the first `front` bytes of the region.
 */
int weft_region_open_front(struct weft_region *r, const char *name,
			   size_t bytes, size_t front);

/*
 * Creates a region that other processes can map writable until
 * weft_region_seal() is called, and read-only afterwards. Existing mappings
 * remain writable. On kernels before 5.1, which do not support this,
 * weft_region_seal() returns -EINVAL.
 */
int weft_region_open_unsealed(struct weft_region *r, const char *name,
			      size_t bytes);
int weft_region_seal(const struct weft_region *r);

/*
 * Opens a descriptor of another process by its number. Returns a descriptor of
 * this process or -errno. The caller checks which file the descriptor refers
 * to.
 */
int weft_region_open_remote_fd(pid_t pid, int fd);

/*
 * Maps the region behind a descriptor of another process; the caller keeps the
 * descriptor. Returns 0 or -errno; -EINVAL: the file is not a sealed memfd, or
 * is smaller than min_bytes, so that an access could raise SIGBUS.
 */
int weft_region_attach(struct weft_region *r, int fd, size_t min_bytes);
/* Like weft_region_attach, but maps the region read-only. */
int weft_region_attach_ro(struct weft_region *r, int fd, size_t min_bytes);
/* Like weft_region_attach, but maps only the first `front` bytes (not 0). */
int weft_region_attach_front(struct weft_region *r, int fd, size_t front);

/*
 * Maps a part of the region behind a descriptor; offset and bytes are multiples
 * of the page size. On failure returns NULL and sets errno to EINVAL (for the
 * same reasons as weft_region_attach) or ENOMEM.
 */
void *weft_region_window(int fd, size_t offset, size_t bytes);
void weft_region_window_close(void *addr, size_t bytes);

/*
 * Allocates all pages of a mapped part in one call, instead of one page fault
 * per page. Kernels before 5.14 ignore this request.
 */
void weft_region_populate(void *addr, size_t bytes);

/* Unmaps and closes the region; has no effect after a failed open. */
void weft_region_close(struct weft_region *r);

#endif
