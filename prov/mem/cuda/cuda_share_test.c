/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared device memory, with a driver that this test defines: descriptions,
 * memory of this process, and mappings that are kept, replaced and closed.
 */
#include "prov/mem/cuda/cuda_share.h"

#include "test/t.h"

#include <string.h>

enum { BYTES = 1 << 20, MAPPINGS = 32, OTHER = 77 };

/* Allocations of this process are [BASE, BASE + BYTES). */
#define BASE   UINT64_C(0x7000000000)
#define MAPPED UINT64_C(0x100000000) /* distance of the mappings */

/* ---- the driver, and the functions of this folder ------------------------ */

static int opened, closed, waits, entered;
static cuda_addr last_closed;
static bool refuses;

static int driver_range(cuda_addr *base, size_t *bytes, cuda_addr at)
{
	if (at < BASE || at >= BASE + BYTES)
		return CUDA_INVALID_VALUE;
	*base = BASE;
	*bytes = BYTES;
	return CUDA_OK;
}

static int driver_ipc_get(struct cuda_ipc_handle *h, cuda_addr at)
{
	T_IS(at, BASE);
	memset(h, 5, sizeof(*h));
	return refuses ? CUDA_INVALID_VALUE : CUDA_OK;
}

static int driver_ipc_open(cuda_addr *at, struct cuda_ipc_handle h,
			   unsigned flags)
{
	T_IS(flags, CUDA_IPC_LAZY_PEER_ACCESS);
	*at = (uint64_t)(++opened) * MAPPED;
	return refuses ? CUDA_OUT_OF_MEMORY : CUDA_OK;
}

static int driver_ipc_close(cuda_addr at)
{
	/* the close has waited for copies from the mapping */
	T_IS(waits, ++closed);
	last_closed = at;
	return CUDA_OK;
}

static int driver_uuid(unsigned char *uuid, int device)
{
	memset(uuid, device, 16);
	return CUDA_OK;
}

static const struct cuda_driver driver = { .range = driver_range,
					   .ipc_get = driver_ipc_get,
					   .ipc_open = driver_ipc_open,
					   .ipc_close = driver_ipc_close,
					   .device_uuid = driver_uuid };
static struct cuda_home home = { .driver = &driver };
const struct weft_mem_kind weft_mem_cuda = { .iface = 3 };
static struct cuda_where where = { .device = true, .ipc = true, .buffer = 9 };

bool cuda_where(const void *at, struct cuda_where *w)
{
	*w = where;
	return true;
}

struct cuda_home *cuda_home_enter(const void *at)
{
	entered++;
	return &home;
}

void cuda_home_leave(struct cuda_home *h)
{
	entered--;
}

int cuda_home_wait(struct cuda_home *h)
{
	waits++;
	return 0;
}

/* ---- cases --------------------------------------------------------------- */

static const void *own(uint64_t offset)
{
	return (const void *)(uintptr_t)(BASE + offset);
}

static struct weft_mem_share theirs(unsigned n)
{
	struct weft_mem_share s = { .iface = 3,
				    .process = OTHER,
				    .base = BASE + n * (uint64_t)BYTES,
				    .buffer = n,
				    .offset = 64,
				    .bytes = 100 };

	memset(s.handle, (int)n, sizeof(s.handle));
	return s;
}

static void memory_is_described_within_its_allocation(void **state)
{
	struct weft_mem_share s;

	T_OK(cuda_share_get(own(4096), BYTES - 4096, &s));
	T_IS(s.iface, 3);
	T_IS(s.base, BASE);
	T_IS(s.buffer, 9);
	T_IS(s.offset, 4096);
	T_IS(s.bytes, BYTES - 4096);
	T_IS(s.handle[63], 5);
	T_TRUE(s.process);
	/* beyond the end, and no allocation */
	T_IS(cuda_share_get(own(4096), BYTES - 4095, &s), -EOPNOTSUPP);
	T_IS(cuda_share_get(own(BYTES), 1, &s), -EOPNOTSUPP);
	refuses = true;
	T_IS(cuda_share_get(own(0), 1, &s), -EOPNOTSUPP);
	refuses = false;
	where.ipc = false;
	T_IS(cuda_share_get(own(0), 1, &s), -EOPNOTSUPP);
	where.ipc = true;
	T_IS(entered, 0);
}

static void devices_differ_in_their_numbers(void **state)
{
	struct weft_mem_share first, second, again;

	where.ordinal = 1;
	T_OK(cuda_share_get(own(0), 1, &first));
	T_OK(cuda_share_get(own(0), 1, &again));
	where.ordinal = 2;
	T_OK(cuda_share_get(own(0), 1, &second));
	where.ordinal = 0;
	T_IS(first.device, again.device);
	T_TRUE(first.device != second.device);
}

/* The driver cannot map memory of the same process. */
static void memory_of_this_process_is_not_mapped(void **state)
{
	struct weft_mem_share s, bad;

	T_OK(cuda_share_get(own(4096), 100, &s));
	T_IS(cuda_share_open(&home, &s), BASE + 4096);
	bad = s;
	bad.offset = BYTES - 100;
	T_IS(cuda_share_open(&home, &bad), BASE + BYTES - 100);
	bad.offset++;
	T_IS(cuda_share_open(&home, &bad), 0);
	bad.offset = UINT64_MAX;
	T_IS(cuda_share_open(&home, &bad), 0);
	/* the allocation was freed, or begins elsewhere */
	bad = s;
	bad.base += 4096;
	T_IS(cuda_share_open(&home, &bad), 0);
	bad.base = BASE + BYTES;
	T_IS(cuda_share_open(&home, &bad), 0);
	T_IS(opened, 0);
}

static void mappings_are_kept_until_the_allocation_changes(void **state)
{
	struct weft_mem_share s = theirs(1), none = { 0 };
	cuda_addr at;

	T_IS(cuda_share_open(&home, &none), 0);
	T_IS(opened, 0);
	at = cuda_share_open(&home, &s);
	T_IS(at, MAPPED + 64);
	s.offset = 128;
	T_IS(cuda_share_open(&home, &s), MAPPED + 128);
	T_IS(opened, 1);
	/*
	 * another allocation at the same address has another number, or another
	 * handle
	 */
	s.buffer++;
	T_IS(cuda_share_open(&home, &s), 2 * MAPPED + 128);
	T_IS(closed, 1);
	T_IS(last_closed, MAPPED);
	s.handle[63]++;
	T_IS(cuda_share_open(&home, &s), 3 * MAPPED + 128);
	T_IS(closed, 2);
	/* the same address in another process */
	s.process++;
	T_IS(cuda_share_open(&home, &s), 4 * MAPPED + 128);
	T_IS(closed, 2);
}

/* The mapping that was not used for the longest time is closed. */
static void a_full_table_replaces_the_oldest_mapping(void **state)
{
	struct weft_mem_share s;
	int first = opened, before = closed;

	for (unsigned i = 0; i < MAPPINGS; i++) {
		s = theirs(100 + i);
		T_IS(cuda_share_open(&home, &s),
		     (uint64_t)(first + 1 + (int)i) * MAPPED + 64);
	}
	before = closed;
	s = theirs(100);
	cuda_share_open(&home, &s);
	T_IS(closed, before);
	s = theirs(200);
	cuda_share_open(&home, &s);
	T_IS(closed, before + 1);
	T_IS(last_closed, (uint64_t)(first + 2) * MAPPED);
	s = theirs(100);
	cuda_share_open(&home, &s);
	T_IS(closed, before + 1);
}

/* A refused mapping is not kept, so the next call tries again. */
static void a_refused_mapping_is_tried_again(void **state)
{
	struct weft_mem_share s = theirs(300);
	int before = opened;

	refuses = true;
	T_IS(cuda_share_open(&home, &s), 0);
	T_IS(cuda_share_open(&home, &s), 0);
	T_IS(opened, before + 2);
	refuses = false;
	T_IS(cuda_share_open(&home, &s), (uint64_t)(before + 3) * MAPPED + 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(memory_is_described_within_its_allocation),
		T_CASE(devices_differ_in_their_numbers),
		T_CASE(memory_of_this_process_is_not_mapped),
		T_CASE(mappings_are_kept_until_the_allocation_changes),
		T_CASE(a_full_table_replaces_the_oldest_mapping),
		T_CASE(a_refused_mapping_is_tried_again),
	};

	return T_RUN(tests);
}
