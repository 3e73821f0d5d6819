/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared region: memory without a name (memfd), passed between processes as a
 * descriptor. The kernel frees it when the last process that uses it has ended.
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
 * touch. Returns 0, -ENOMEM, -EMFILE, -ENOSPC, or -EFBIG: beyond the file size
 * limit. name is shown in /proc/PID/maps.
 */
int weft_region_open(struct weft_region *r, const char *name, size_t bytes);
/* Creates a region and maps only its first `front` bytes. */
int weft_region_open_front(struct weft_region *r, const char *name,
			   size_t bytes, size_t front);

/*
 * Creates a region that a known number of processes share: other processes can
 * map it writable until weft_region_seal(), and read only afterwards. Existing
 * mappings remain writable. A kernel before 5.1 does not support this:
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
 * descriptor. Returns 0 or -errno; -EINVAL: not a sealed memfd, or smaller than
 * min_bytes, so that an access could raise SIGBUS.
 */
int weft_region_attach(struct weft_region *r, int fd, size_t min_bytes);
/* As weft_region_attach, read only. */
int weft_region_attach_ro(struct weft_region *r, int fd, size_t min_bytes);
/* As weft_region_attach, but maps only the first `front` bytes (not 0). */
int weft_region_attach_front(struct weft_region *r, int fd, size_t front);

/*
 * Maps a part of the region behind a descriptor; offset and bytes are
 * multiples of the page size. Returns NULL with errno set to EINVAL (as
 * weft_region_attach) or ENOMEM on failure.
 */
void *weft_region_window(int fd, size_t offset, size_t bytes);
void weft_region_window_close(void *addr, size_t bytes);

/*
 * Allocates all pages of a mapped part in one call, instead of one page fault
 * per page. A kernel before 5.14 ignores this advice.
 */
void weft_region_populate(void *addr, size_t bytes);

/* Unmaps and closes the region; has no effect after a failed open. */
void weft_region_close(struct weft_region *r);

#endif
