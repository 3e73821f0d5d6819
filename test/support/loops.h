/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the calls of weft_copy_loop (src/base/copy.h), for programs that are
 * linked with -Wl,--wrap=weft_copy_loop.
 */
#ifndef WEFT_TEST_LOOPS_H
#define WEFT_TEST_LOOPS_H

#include <stddef.h>

static unsigned loops;

void __real_weft_copy_loop(void *to, const void *from, size_t len);
void __wrap_weft_copy_loop(void *to, const void *from, size_t len);

void __wrap_weft_copy_loop(void *to, const void *from, size_t len)
{
	loops++;
	__real_weft_copy_loop(to, from, len);
}

#endif
