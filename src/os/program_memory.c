/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of the program's own memory (program_memory.h). */
#include "src/os/program_memory.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct weft_program_memory weft_program_memory;

/*
 * The kernel keeps this many bytes below the stack's start free of mappings,
 * even if the stack limit is smaller.
 */
#define STACK_BYTES ((uintptr_t)8 << 20)

/* Sets the range of the main program's writable segments. */
static int data_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct weft_program_memory *m = arg;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		if (!m->data || at < m->data)
			m->data = at;
		if (at + p->p_memsz > m->data_end)
			m->data_end = at + p->p_memsz;
	}
	return 1; /* stops after the first object, which is the program */
}

/*
 * Reads the ranges of the heap and the stack, which the kernel names in
 * /proc/self/maps.
 */
static void maps_read(struct weft_program_memory *m)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		if (strstr(line, "[heap]")) {
			m->heap = from;
			m->heap_end = to;
		} else if (strstr(line, "[stack]") && to > STACK_BYTES) {
			m->stack = to - STACK_BYTES;
			m->stack_end = to;
		}
	}
	if (f)
		fclose(f);
}

void weft_program_memory_open(void)
{
	struct weft_program_memory m = { 0 };

	dl_iterate_phdr(data_find, &m);
	maps_read(&m);
	weft_program_memory = m;
}

bool weft_program_memory_grown(uintptr_t at)
{
	struct weft_program_memory *m = &weft_program_memory;
	uintptr_t end;

	if (!m->heap || at < m->heap)
		return false;
	end = (uintptr_t)sbrk(0);
	if (at >= end)
		return false;
	m->heap_end = end;
	return true;
}
