/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of the program's own memory: data, heap and stack, no mappings. */
#include "src/os/program_memory.h"
#include "test/t.h"

#include <sys/mman.h>
#include <unistd.h>

static int in_data = 1;
static int in_bss[100000];

static void data_heap_and_stack_are_the_programs(void **state)
{
	int on_stack = 0;
	char *in_heap = sbrk(4096);

	T_FALSE(weft_program_memory_has(&in_data));
	weft_program_memory_open();
	T_TRUE(weft_program_memory_has(&in_data));
	T_TRUE(weft_program_memory_has(&in_bss[99999]));
	T_TRUE(weft_program_memory_has(&on_stack));
	T_TRUE(weft_program_memory_has(in_heap));
}

static void mappings_are_not(void **state)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	T_TRUE(p != MAP_FAILED);
	weft_program_memory_open();
	T_FALSE(weft_program_memory_has(p));
	T_FALSE(weft_program_memory_has(NULL));
	T_FALSE(weft_program_memory_has((void *)UINTPTR_MAX));
	munmap(p, 4096);
}

static void the_heap_grows(void **state)
{
	char *old = sbrk(0);

	weft_program_memory_open();
	T_FALSE(weft_program_memory_has(old + 65536));
	T_TRUE(sbrk(1 << 20) == old);
	T_TRUE(weft_program_memory_has(old + 65536));
	T_FALSE(weft_program_memory_has(old + (1 << 20)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(data_heap_and_stack_are_the_programs),
		T_CASE(mappings_are_not),
		T_CASE(the_heap_grows),
	};

	return T_RUN(tests);
}
