/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of memory kinds, host memory, and lookup by address. */
#include "prov/mem/mem.h"
#include "src/base/attr.h"
#include "src/os/program_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int host_alloc(size_t bytes, void **at_p)
{
	void *at = calloc(1, bytes);

	if (!at)
		return -ENOMEM;
	*at_p = at;
	return 0;
}

static int host_free(void *at)
{
	free(at);
	return 0;
}

/* Returns true: this row matches all memory and is tested last. */
static bool host_mine(const void *at)
{
	return true;
}

static int host_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return 0;
}

static int host_reach(void *at, size_t bytes, void **bus_p)
{
	*bus_p = at;
	return 0;
}

static bool host_on_bus(uint64_t address)
{
	return true;
}

static const struct weft_mem_kind host = {
	.name = WEFT_MEM_HOST,
	.path = "host",
	.iface = 0, /* the value of FI_HMEM_SYSTEM */
	.page_bits = 12,
	.alloc = host_alloc,
	.free = host_free,
	.mine = host_mine,
	.in = host_copy,
	.out = host_copy,
	.reach = host_reach,
	.on_bus = host_on_bus,
};

static const struct weft_mem_kind *const rows[] = {
	&host,
	&weft_mem_device,
	&weft_mem_cuda,
};

/* Returns the number of usable rows: the last row needs a driver. */
static unsigned row_count(void)
{
	return WEFT_COUNT_OF(rows) - !weft_mem_cuda_possible();
}

const struct weft_mem_kind *weft_mem_kind_at(unsigned i)
{
	return i < row_count() ? rows[i] : NULL;
}

const struct weft_mem_kind *weft_mem_kind_named(const char *name)
{
	for (unsigned i = 0; i < row_count(); i++) {
		if (!strcmp(rows[i]->name, name))
			return rows[i];
	}
	return NULL;
}

const struct weft_mem_kind *weft_mem_kind_iface(unsigned iface)
{
	for (unsigned i = 0; i < row_count(); i++) {
		if (rows[i]->iface == iface)
			return rows[i];
	}
	return NULL;
}

static const struct weft_mem_kind *kind_of_byte(const char *at)
{
	unsigned i = WEFT_COUNT_OF(rows) - 1;

	if (weft_program_memory_has(at))
		return rows[0];
	while (!rows[i]->mine(at))
		i--;
	return rows[i];
}

const struct weft_mem_kind *weft_mem_kind_of(const void *at, size_t bytes)
{
	const struct weft_mem_kind *k = kind_of_byte(at);

	if (bytes > 1 && kind_of_byte((const char *)at + bytes - 1) != k)
		return NULL;
	return k;
}

const struct weft_mem_kind *weft_mem_kind_on_bus(uint64_t address)
{
	unsigned i = WEFT_COUNT_OF(rows) - 1;

	while (!rows[i]->on_bus(address))
		i--;
	return rows[i];
}

/* ---- interface for programs ---- */

WEFT_EXPORT int weft_mem_alloc(const char *kind, size_t bytes, void **at_p)
{
	const struct weft_mem_kind *k = weft_mem_kind_named(kind);

	return k && bytes ? k->alloc(bytes, at_p) : -EINVAL;
}

WEFT_EXPORT int weft_mem_free(const char *kind, void *at)
{
	const struct weft_mem_kind *k = weft_mem_kind_named(kind);

	return k ? k->free(at) : -EINVAL;
}

WEFT_EXPORT const char *weft_mem_name(const void *at, size_t bytes)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(at, bytes);

	return k ? k->name : NULL;
}

WEFT_EXPORT int weft_mem_in(void *to, const void *from, size_t bytes)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(to, bytes);

	return k ? k->in(to, from, bytes) : -EFAULT;
}

WEFT_EXPORT int weft_mem_out(void *to, const void *from, size_t bytes)
{
	const struct weft_mem_kind *k = weft_mem_kind_of(from, bytes);

	return k ? k->out(to, from, bytes) : -EFAULT;
}
