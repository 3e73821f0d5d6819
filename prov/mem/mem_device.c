/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Emulated device memory. A block is a memfd that is mapped twice: without
 * access rights at the address that programs get, and readable at another
 * address, which the device and the bus use. Copies use the second mapping.
 * A direct access to the program's address causes a SIGSEGV, and the kernel
 * also refuses accesses by other processes.
 *
 * 	program           address --> no access
 * 	in, out, reach    bus ------> the same pages
 *
 * The second mappings of all processes are in one address window, like
 * device memory on a bus, so an interface can recognize a peer's device
 * address. If the window is not available, the mappings are at arbitrary
 * addresses, and count as host memory in virtual time.
 */
#include "prov/mem/mem.h"
#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/base/list.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	     ((size_t)64 << 10) /* page size of the interface */
#define WINDOW	     UINT64_C(0x300000000000)
#define WINDOW_BYTES (UINT64_C(1) << 40)

struct block {
	struct weft_list link;
	char *address;
	char *bus;
	size_t bytes;
};

/*
 * The device. There is only one device, and one bus: its blocks are found by
 * address, regardless of which call allocated them.
 */
static struct {
	pthread_mutex_t lock;
	struct weft_list blocks;
	uint64_t next; /* offset of the next block in the window */
	/* number of blocks; 0: no block was allocated yet */
	_Atomic uint32_t count;
} device = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.blocks = { &device.blocks, &device.blocks },
};

/* Returns the block that contains the address. The caller holds the lock. */
static struct block *block_of(const void *at)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &device.blocks) {
		struct block *b = weft_container_of(pos, struct block, link);

		if ((uintptr_t)at - (uintptr_t)b->address < b->bytes)
			return b;
	}
	return NULL;
}

/*
 * Maps memory at the next address of the window or, if that address is not
 * free, anywhere.
 */
static void *map_bus(int fd, size_t bytes)
{
	uint64_t next;
	void *at;

	pthread_mutex_lock(&device.lock);
	next = device.next;
	device.next += bytes + PAGE;
	pthread_mutex_unlock(&device.lock);
	at = mmap(next + bytes > WINDOW_BYTES
			  ? NULL
			  : (void *)(uintptr_t)(WINDOW + next),
		  bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* Reserves address space, aligned to a page of the device. */
static void *address_space_reserve(size_t bytes)
{
	char *room = mmap(NULL, bytes + PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (room == MAP_FAILED)
		return NULL;
	before = (PAGE - (uintptr_t)room % PAGE) % PAGE;
	if (before)
		munmap(room, before);
	munmap(room + before + bytes, PAGE - before);
	return room + before;
}

static void block_free(struct block *b)
{
	if (b->address)
		munmap(b->address, b->bytes);
	if (b->bus)
		munmap(b->bus, b->bytes);
	free(b);
}

static int block_map(struct block *b)
{
	int fd = memfd_create("weft-device", MFD_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (!err && ftruncate(fd, (off_t)b->bytes))
		err = -errno;
	if (!err) {
		b->address = address_space_reserve(b->bytes);
		b->bus = map_bus(fd, b->bytes);
	}
	if (b->address && mmap(b->address, b->bytes, PROT_NONE,
			       MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		err = -ENOMEM;
	if (fd >= 0)
		close(fd);
	return !err && (!b->address || !b->bus) ? -ENOMEM : err;
}

static int device_alloc(size_t bytes, void **at_p)
{
	struct block *b = calloc(1, sizeof(*b));
	int err;

	if (!b || bytes > SIZE_MAX / 2) {
		free(b);
		return -ENOMEM;
	}
	b->bytes = (bytes + PAGE - 1) / PAGE * PAGE;
	err = block_map(b);
	if (err) {
		block_free(b);
		return err;
	}
	pthread_mutex_lock(&device.lock);
	weft_list_push_back(&device.blocks, &b->link);
	weft_store32_relaxed(&device.count, 1);
	pthread_mutex_unlock(&device.lock);
	*at_p = b->address;
	return 0;
}

static int device_free(void *at)
{
	struct block *b;

	pthread_mutex_lock(&device.lock);
	b = block_of(at);
	if (b && b->address == at)
		weft_list_remove(&b->link);
	else
		b = NULL;
	pthread_mutex_unlock(&device.lock);
	if (!b)
		return -EINVAL;
	block_free(b);
	return 0;
}

static bool device_mine(const void *at)
{
	bool mine;

	/* relaxed: a thread that has an address has seen its allocation */
	if (!weft_load32_relaxed(&device.count))
		return false;
	pthread_mutex_lock(&device.lock);
	mine = block_of(at) != NULL;
	pthread_mutex_unlock(&device.lock);
	return mine;
}

static int device_reach(void *at, size_t bytes, void **bus_p)
{
	int err = -EFAULT;
	struct block *b;

	pthread_mutex_lock(&device.lock);
	b = block_of(at);
	if (b && bytes <= b->bytes - (size_t)((char *)at - b->address)) {
		*bus_p = b->bus + ((char *)at - b->address);
		err = 0;
	}
	pthread_mutex_unlock(&device.lock);
	return err;
}

static bool device_on_bus(uint64_t address)
{
	return address - WINDOW < WINDOW_BYTES;
}

static int device_in(void *to, const void *from, size_t bytes)
{
	void *bus;
	int err = device_reach(to, bytes, &bus);

	if (!err)
		memcpy(bus, from, bytes);
	return err;
}

static int device_out(void *to, const void *from, size_t bytes)
{
	void *bus;
	int err = device_reach((void *)(uintptr_t)from, bytes, &bus);

	if (!err)
		memcpy(to, bus, bytes);
	return err;
}

const struct weft_mem_kind weft_mem_device = {
	.name = WEFT_MEM_DEVICE,
	.path = "gpu",
	.iface = WEFT_MEM_DEVICE_IFACE,
	.page_bits = 16,
	.stage_bytes = 32768, /* assumed: copies keep up with a link */
	.alloc = device_alloc,
	.free = device_free,
	.mine = device_mine,
	.in = device_in,
	.out = device_out,
	.reach = device_reach,
	.on_bus = device_on_bus,
};
