/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sharing device memory. The owner describes an allocation by a handle of the
 * driver; another process opens the handle once and keeps the mapping, because
 * opening takes 100 us or more. The table holds the most recently used
 * mappings. A mapping is closed when its entry is needed, and when the owner
 * describes another allocation at the same address, which shows that the first
 * allocation was freed.
 */
#include "prov/mem/cuda/cuda_share.h"
#include "src/base/attr.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#define MAPPINGS 32

struct mapping {
	/* allocation of the mapping; process 0: unused entry */
	struct weft_mem_share what;
	cuda_addr at;
	uint64_t used; /* value of the counter `uses` at the last use */
};

static struct mapping mappings[MAPPINGS];
static uint64_t uses;
static uint64_t self;
static pthread_once_t self_once = PTHREAD_ONCE_INIT;

static void self_set(void)
{
	if (getrandom(&self, sizeof(self), 0) != sizeof(self) || !self)
		self = (uintptr_t)&self | 1;
}

/*
 * Returns a number of the device that is the same in all processes. The caller
 * has called cuda_home_enter().
 */
static uint32_t device_number(const struct cuda_driver *d, int ordinal)
{
	static uint32_t known[64];
	unsigned char uuid[16] = { 0 };
	uint32_t h = 2166136261u;

	if (ordinal >= 0 && ordinal < 64 && known[ordinal])
		return known[ordinal];
	d->device_uuid(uuid, ordinal);
	for (unsigned i = 0; i < sizeof(uuid); i++)
		h = (h ^ uuid[i]) * 16777619u;
	if (ordinal >= 0 && ordinal < 64)
		known[ordinal] = h;
	return h;
}

/* Describes in s the memory at an address whose attributes are known. */
static int describe(struct cuda_home *h, const struct cuda_where *w,
		    const void *at, size_t bytes, struct weft_mem_share *s)
{
	const struct cuda_driver *d = h->driver;
	struct cuda_ipc_handle handle;
	cuda_addr base;
	size_t all;

	if (d->range(&base, &all, (uintptr_t)at) ||
	    (uintptr_t)at - base > all ||
	    bytes > all - ((uintptr_t)at - base) || d->ipc_get(&handle, base))
		return -EOPNOTSUPP;
	*s = (struct weft_mem_share){
		.iface = weft_mem_cuda.iface,
		.device = device_number(d, w->ordinal),
		.process = self,
		.base = base,
		.buffer = w->buffer,
		.offset = (uintptr_t)at - base,
		.bytes = bytes,
	};
	memcpy(s->handle, handle.bytes, sizeof(s->handle));
	return 0;
}

int cuda_share_get(const void *at, size_t bytes, struct weft_mem_share *s)
{
	struct cuda_home *h;
	struct cuda_where w;
	int err;

	pthread_once(&self_once, self_set);
	if (!cuda_where(at, &w) || !w.device || !w.ipc)
		return -EOPNOTSUPP;
	h = cuda_home_enter(at);
	if (!h)
		return -EOPNOTSUPP;
	err = describe(h, &w, at, bytes, s);
	cuda_home_leave(h);
	return err;
}

static void mapping_close(struct cuda_home *h, struct mapping *m)
{
	if (!m->what.process)
		return;
	/* copies from this memory may still be in progress */
	cuda_home_wait(h);
	h->driver->ipc_close(m->at);
	m->what.process = 0;
	m->used = 0;
}

/* Returns the mapping of the allocation, or the entry for a new mapping. */
static struct mapping *mapping_find(struct cuda_home *h,
				    const struct weft_mem_share *s)
{
	struct mapping *oldest = &mappings[0];

	for (unsigned i = 0; i < MAPPINGS; i++) {
		struct mapping *m = &mappings[i];

		if (m->what.process == s->process && m->what.base == s->base) {
			if (m->what.buffer != s->buffer ||
			    memcmp(m->what.handle, s->handle,
				   sizeof(s->handle)))
				mapping_close(h, m);
			return m;
		}
		if (m->used < oldest->used)
			oldest = m;
	}
	mapping_close(h, oldest);
	return oldest;
}

/*
 * Returns the address of memory of this process; 0: the memory is not in an
 * allocation.
 */
static cuda_addr own_address(struct cuda_home *h,
			     const struct weft_mem_share *s)
{
	cuda_addr base;
	size_t all;

	if (h->driver->range(&base, &all, s->base) || base != s->base ||
	    s->offset > all || s->bytes > all - s->offset)
		return 0;
	return base + s->offset;
}

cuda_addr cuda_share_open(struct cuda_home *h, const struct weft_mem_share *s)
{
	struct cuda_ipc_handle handle;
	struct mapping *m;

	pthread_once(&self_once, self_set);
	if (s->process == self)
		return own_address(h, s);
	if (!s->process)
		return 0;
	m = mapping_find(h, s);
	if (!m->what.process) {
		memcpy(handle.bytes, s->handle, sizeof(handle.bytes));
		if (h->driver->ipc_open(&m->at, handle,
					CUDA_IPC_LAZY_PEER_ACCESS))
			return 0;
		m->what = *s;
	}
	m->used = ++uses;
	return m->at + s->offset;
}
