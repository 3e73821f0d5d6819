/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The project's test library over cmocka. A test file is a list of functions
 * whose names state what is tested, and one table at its end:
 *
 *   static void ring_keeps_order(void **state) { ... T_IS(pop(r), 1); }
 *   int main(void)
 *   {
 *           const struct CMUnitTest tests[] = { T_CASE(ring_keeps_order) };
 *           return T_RUN(tests);
 *   }
 */
#ifndef WEFT_TEST_T_H
#define WEFT_TEST_T_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/support/t_pace.h"

#include <errno.h>
#include <sys/types.h>

#define T_CASE(f)	     cmocka_unit_test(f)
/*
 * A case of one thread in a program with cases of several: skipped under
 * ThreadSanitizer.
 */
#define T_CASE_ONE_THREAD(f) t_case_one_thread(#f, f)
#define T_RUN(tests)                                            \
	(t_leak_start(),                                        \
	 t_exit_code(cmocka_run_group_tests(tests, NULL, NULL), \
		     sizeof(tests) / sizeof((tests)[0])))

struct CMUnitTest t_case_one_thread(const char *name, CMUnitTestFunction f);

/* Records the allocated memory, for the check at exit (t_leak.c). */
void t_leak_start(void);

/* Skips the rest of a case, as cmocka's skip(), and counts it. */
#undef skip
#define skip() (t_skipped++, _skip(__FILE__, __LINE__))
extern size_t t_skipped;

/*
 * Returns the exit code of a test program: 77, which means skipped, if no case
 * was run to its end.
 */
int t_exit_code(int failed, size_t cases);

#define T_TRUE(x)      assert_true(x)
#define T_FALSE(x)     assert_false(x)
#define T_OK(x)	       assert_int_equal((x), 0)
#define T_IS(a, b)     assert_int_equal((a), (b))
#define T_AGAIN(x)     assert_int_equal((x), -EAGAIN)
#define T_STR(a, b)    assert_string_equal((a), (b))
#define T_MEM(a, b, n) assert_memory_equal((a), (b), (n))
#define T_PTR(a, b)    assert_ptr_equal((a), (b))
#define T_NOT_NULL(a)  assert_non_null(a)
#define T_NULL(a)      assert_null(a)

/* Runs fn(arg + i * stride) in n threads and joins them. */
void t_threads(int n, void *(*fn)(void *), void *arg, size_t stride);

/*
 * Runs fn(i) in n child processes and waits at most `seconds` (as t_pace.h
 * counts them). The test fails unless all of them exit with 0. Remaining
 * children are killed by their pid.
 */
void t_processes(int n, int (*fn)(int i, void *arg), void *arg, int seconds);

/* Calls cond(arg) until it returns true; the test fails after `seconds`. */
void t_until(int (*cond)(void *), void *arg, int seconds);

/* Fills buf with the pattern of test messages: the byte stream of `seed`. */
void t_fill(void *buf, size_t len, uint64_t seed);

/*
 * Returns the position of the first byte that differs from the pattern, or -1.
 */
ssize_t t_differs(const void *buf, size_t len, uint64_t seed);

/* Returns the number of open file descriptors of this process. */
int t_open_files(void);

/* Returns the test size `full`, or less if instrumentation makes tests slow. */
int t_scale(int full);

#endif
