/* SPDX-License-Identifier: BSD-3-Clause */
/* All kinds of memory; the processor cannot access device memory. */
#include "prov/mem/mem.h"
#include "test/t.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 200000
#define BLOCK ((size_t)4 << 16) /* size of the block that holds BYTES bytes */

static void bytes_round_trip_in_every_memory_kind(void **state)
{
	const struct weft_mem_kind *k;
	char *from = malloc(BYTES), *to = malloc(BYTES);

	for (unsigned i = 0; (k = weft_mem_kind_at(i)); i++) {
		char *at;

		T_OK(weft_mem_alloc(k->name, BYTES, (void **)&at));
		T_OK(weft_mem_out(to, at, BYTES));
		for (int b = 0; b < BYTES; b++)
			T_IS(to[b], 0);
		t_fill(from, BYTES, i);
		T_OK(weft_mem_in(at, from, BYTES));
		T_OK(weft_mem_out(to, at + 77, BYTES - 77));
		T_TRUE(!memcmp(to, from + 77, BYTES - 77));
		T_TRUE(weft_mem_kind_of(at, BYTES) == k);
		T_TRUE(weft_mem_kind_iface(k->iface) == k);
		T_OK(weft_mem_free(k->name, at));
	}
	free(from);
	free(to);
}

/* Returns the wait status of a child process that calls act. */
static int child_status(void (*act)(char *at), char *at)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		act(at);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void read_byte(char *at)
{
	_exit(*(volatile char *)at & 1);
}

static void write_byte(char *at)
{
	*(volatile char *)at = 1;
}

/*
 * Accesses memory like a peer: the operating system copies the byte, and no
 * signal is raised.
 */
static void fetch_byte(char *at)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { at, 1 };

	_exit(process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 ? 3 : 4);
}

static void the_processor_cannot_access_device_memory(void **state)
{
	char *at;

	T_OK(weft_mem_alloc(WEFT_MEM_DEVICE, BYTES, (void **)&at));
	T_TRUE(child_status(read_byte, at) != 0);
	T_TRUE(child_status(write_byte, at) != 0);
	T_IS(child_status(fetch_byte, at), 4);
	T_OK(weft_mem_free(WEFT_MEM_DEVICE, at));
}

static void device_memory_is_accessible_by_its_bus_address(void **state)
{
	char *at, *bus, byte = 0;

	T_OK(weft_mem_alloc(WEFT_MEM_DEVICE, BYTES, (void **)&at));
	T_OK(weft_mem_device.reach(at + 5, 10, (void **)&bus));
	bus[3] = 9;
	T_OK(weft_mem_out(&byte, at + 8, 1));
	T_IS(byte, 9);
	/* a peer recognizes the kind by the address alone */
	T_TRUE(weft_mem_kind_on_bus((uintptr_t)&byte) == weft_mem_kind_at(0));
	if ((uintptr_t)bus >> 40 == 0x30)
		T_TRUE(weft_mem_kind_on_bus((uintptr_t)bus) ==
		       &weft_mem_device);
	T_IS(weft_mem_device.reach(at, (size_t)1 << 40, (void **)&bus),
	     -EFAULT);
	T_IS(weft_mem_device.reach(&byte, 1, (void **)&bus), -EFAULT);
	T_OK(weft_mem_free(WEFT_MEM_DEVICE, at));
}

static void unknown_or_straddling_memory_is_refused(void **state)
{
	char *at, buf[8];
	void *bus;

	T_IS(weft_mem_alloc("tape", 1, (void **)&at), -EINVAL);
	T_IS(weft_mem_alloc(WEFT_MEM_DEVICE, 0, (void **)&at), -EINVAL);
	T_OK(weft_mem_alloc(WEFT_MEM_DEVICE, BYTES, (void **)&at));
	/* ranges that begin before the block or end after it */
	T_TRUE(weft_mem_name(at - 4, 8) == NULL);
	T_IS(weft_mem_in(at - 4, buf, 8), -EFAULT);
	T_IS(weft_mem_out(buf, at - 4, 8), -EFAULT);
	/* a block is a multiple of 64 KiB */
	T_OK(weft_mem_device.reach(at, BLOCK, &bus));
	T_IS(weft_mem_device.reach(at, BLOCK + 1, &bus), -EFAULT);
	T_OK(weft_mem_device.reach(at + BLOCK - 1, 1, &bus));
	T_IS(weft_mem_device.reach(at + BLOCK - 1, 2, &bus), -EFAULT);
	T_IS(weft_mem_device.reach(at + BLOCK, 1, &bus), -EFAULT);
	T_IS(weft_mem_free(WEFT_MEM_DEVICE, at + 1), -EINVAL);
	T_OK(weft_mem_free(WEFT_MEM_DEVICE, at));
	T_IS(weft_mem_free(WEFT_MEM_DEVICE, at), -EINVAL);
	T_TRUE(!strcmp(weft_mem_name(buf, 8), WEFT_MEM_HOST));
}

/* Counts the mappings of device memory. */
static unsigned count_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned count = 0;
	char line[512];

	T_NOT_NULL(f);
	while (fgets(line, sizeof(line), f))
		count += strstr(line, "weft-device") != NULL;
	fclose(f);
	return count;
}

static void freed_device_memory_is_unmapped(void **state)
{
	unsigned mappings = count_mappings();
	int files = t_open_files(), on_bus = 0;
	void *at[3], *bus[3];

	for (int i = 0; i < 3; i++) {
		T_OK(weft_mem_alloc(WEFT_MEM_DEVICE, BYTES, &at[i]));
		T_OK(weft_mem_device.reach(at[i], 1, &bus[i]));
		on_bus += weft_mem_device.on_bus((uintptr_t)bus[i]);
	}
	/* all blocks are in the window, or the host does not allow it */
	T_IS(on_bus, weft_mem_device.on_bus((uintptr_t)bus[0]) ? 3 : 0);
	T_IS(count_mappings(), mappings + 6);
	T_IS(t_open_files(), files);
	for (int i = 0; i < 3; i++)
		T_OK(weft_mem_free(WEFT_MEM_DEVICE, at[i]));
	T_IS(count_mappings(), mappings);
}

static void the_bus_window_has_bounds(void **state)
{
	const uint64_t from = UINT64_C(0x300000000000);
	const uint64_t end = UINT64_C(0x310000000000);

	T_FALSE(weft_mem_device.on_bus(from - 1));
	T_TRUE(weft_mem_device.on_bus(from));
	T_TRUE(weft_mem_device.on_bus(end - 1));
	T_FALSE(weft_mem_device.on_bus(end));
}

static int limit(__rlimit_resource_t what, rlim_t to)
{
	const struct rlimit l = { to, to };

	return setrlimit(what, &l);
}

/*
 * Limits the address space so that only one of the two mappings of a block
 * fits.
 */
static int alloc_without_space(int i, void *arg)
{
	const rlim_t block = (rlim_t)1 << 30;
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	void *at;

	if (!f || fscanf(f, "%lu", &pages) != 1)
		return 1;
	fclose(f);
	if (limit(RLIMIT_AS,
		  pages * (rlim_t)sysconf(_SC_PAGESIZE) + block * 3 / 2))
		return 4;
	if (weft_mem_alloc(WEFT_MEM_DEVICE, block, &at) != -ENOMEM)
		return 2;
	/* the failed allocation has released its address space */
	return weft_mem_alloc(WEFT_MEM_DEVICE, block / 2, &at) ? 3 : 0;
}

static int alloc_without_files(int i, void *arg)
{
	void *at;

	if (limit(RLIMIT_NOFILE, 0))
		return 2;
	return weft_mem_alloc(WEFT_MEM_DEVICE, BYTES, &at) == -EMFILE ? 0 : 1;
}

static void an_allocation_beyond_a_limit_fails(void **state)
{
	t_processes(1, alloc_without_files, NULL, 60);
	t_processes(1, alloc_without_space, NULL, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(bytes_round_trip_in_every_memory_kind),
		T_CASE(the_processor_cannot_access_device_memory),
		T_CASE(device_memory_is_accessible_by_its_bus_address),
		T_CASE(unknown_or_straddling_memory_is_refused),
		T_CASE(freed_device_memory_is_unmapped),
		T_CASE(the_bus_window_has_bounds),
		T_CASE(an_allocation_beyond_a_limit_fails),
	};

	return T_RUN(tests);
}
