/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared regions in sealed memfds. */
#include "src/base/region.h"

#include "src/base/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define REGION_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

static int region_map_as(struct weft_region *r, int fd, size_t bytes, int prot)
{
	void *base = mmap(NULL, bytes, prot, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	r->base = base;
	r->bytes = bytes;
	return 0;
}

static int region_map(struct weft_region *r, int fd, size_t bytes)
{
	return region_map_as(r, fd, bytes, PROT_READ | PROT_WRITE);
}

static int region_make(struct weft_region *r, const char *name, size_t bytes,
		       size_t front, int seals)
{
	int fd, ret;

	*r = (struct weft_region){ .fd = -1 };
	/* growing a file beyond the size limit would raise SIGXFSZ */
	if (!weft_limit_file_ok(bytes))
		return -EFBIG;
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, seals)) {
		ret = -errno;
		goto err_close;
	}
	ret = region_map(r, fd, front);
	if (ret)
		goto err_close;
	r->fd = fd;
	return 0;
err_close:
	close(fd);
	return ret;
}

int weft_region_open(struct weft_region *r, const char *name, size_t bytes)
{
	return weft_region_open_front(r, name, bytes, bytes);
}

int weft_region_open_front(struct weft_region *r, const char *name,
			   size_t bytes, size_t front)
{
	return region_make(r, name, bytes, front, REGION_SEALS | F_SEAL_SEAL);
}

int weft_region_open_unsealed(struct weft_region *r, const char *name,
			      size_t bytes)
{
	return region_make(r, name, bytes, bytes, REGION_SEALS);
}

int weft_region_seal(const struct weft_region *r)
{
	int seals = F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

	return fcntl(r->fd, F_ADD_SEALS, seals) ? -errno : 0;
}

/*
 * Returns the size of a region in bytes, or -EINVAL if its size is not sealed.
 */
static off_t region_size(int fd)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) ||
	    st.st_size <= 0)
		return -EINVAL;
	return st.st_size;
}

int weft_region_open_remote_fd(pid_t pid, int fd)
{
	char path[64];
	int got;

	snprintf(path, sizeof(path), "/proc/%lld/fd/%d", (long long)pid, fd);
	got = open(path, O_RDWR | O_CLOEXEC);
	return got < 0 ? -errno : got;
}

int weft_region_attach(struct weft_region *r, int fd, size_t min_bytes)
{
	off_t size = region_size(fd);

	*r = (struct weft_region){ .fd = -1 };
	if (size < 0 || (size_t)size < min_bytes)
		return -EINVAL;
	return region_map(r, fd, (size_t)size);
}

int weft_region_attach_ro(struct weft_region *r, int fd, size_t min_bytes)
{
	off_t size = region_size(fd);

	*r = (struct weft_region){ .fd = -1 };
	if (size < 0 || (size_t)size < min_bytes)
		return -EINVAL;
	return region_map_as(r, fd, (size_t)size, PROT_READ);
}

int weft_region_attach_front(struct weft_region *r, int fd, size_t front)
{
	off_t size = region_size(fd);

	*r = (struct weft_region){ .fd = -1 };
	if (size < 0 || (size_t)size < front)
		return -EINVAL;
	return region_map(r, fd, front);
}

void *weft_region_window(int fd, size_t offset, size_t bytes)
{
	off_t size = region_size(fd);
	void *base;

	if (size < 0 || (size_t)size < offset ||
	    (size_t)size - offset < bytes) {
		errno = EINVAL;
		return NULL;
	}
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)offset);
	return base == MAP_FAILED ? NULL : base;
}

void weft_region_populate(void *addr, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page_offset =
		(uintptr_t)addr % (uintptr_t)sysconf(_SC_PAGESIZE);

	madvise((char *)addr - page_offset, bytes + page_offset,
		MADV_POPULATE_WRITE);
#else
	(void)addr;
	(void)bytes;
#endif
}

void weft_region_window_close(void *addr, size_t bytes)
{
	munmap(addr, bytes);
}

void weft_region_close(struct weft_region *r)
{
	if (r->base)
		munmap(r->base, r->bytes);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct weft_region){ .fd = -1 };
}
