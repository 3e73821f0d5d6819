/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of futexes: blocking, waking, timeouts, and words that change before
 * the wait.
 */
#include "src/base/futex.h"
#include "test/t.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static void a_word_of_another_value_is_not_slept_on(void **state)
{
	weft_au32 a = 1, b = 2;

	T_OK(weft_futex_wait(&a, 0, UINT64_MAX, WEFT_FUTEX_THREADS));
	T_OK(weft_futex_wait(&a, 0, UINT64_MAX, WEFT_FUTEX_PROCESSES));
	if (weft_futex_wait_two((weft_au32 *[2]){ &a, &b },
				(uint32_t[2]){ 1, 0 }, UINT64_MAX) == -ENOSYS)
		skip();
}

static void a_sleep_that_nobody_ends_says_so(void **state)
{
	weft_au32 a = 0, b = 0;
	int two = weft_futex_wait_two((weft_au32 *[2]){ &a, &b },
				      (uint32_t[2]){ 0, 0 }, MS);

	T_IS(weft_futex_wait(&a, 0, MS, WEFT_FUTEX_THREADS), -ETIMEDOUT);
	T_IS(weft_futex_wait(&a, 0, MS, WEFT_FUTEX_PROCESSES), -ETIMEDOUT);
	T_TRUE(two == -ETIMEDOUT || two == -ENOSYS);
}

/* Blocks until the first word is set. */
static void sleep_for(weft_au32 *w, enum weft_futex_scope reach)
{
	while (!weft_load32(&w[0])) {
		weft_store32(&w[1], 1);
		weft_futex_wait(&w[0], 0, UINT64_MAX, reach);
	}
}

static void *sleeper(void *arg)
{
	sleep_for(arg, WEFT_FUTEX_THREADS);
	return NULL;
}

static void wake(weft_au32 *w, enum weft_futex_scope reach)
{
	while (!weft_load32(&w[1]))
		;
	weft_store32(&w[0], 1);
	weft_futex_wake(&w[0], WEFT_FUTEX_ALL, reach);
}

static void a_thread_wakes_a_thread(void **state)
{
	weft_au32 w[2] = { 0, 0 };
	pthread_t t;

	T_OK(pthread_create(&t, NULL, sleeper, w));
	wake(w, WEFT_FUTEX_THREADS);
	T_OK(pthread_join(t, NULL));
}

static void a_process_wakes_a_process(void **state)
{
	weft_au32 *w = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	T_TRUE(w != MAP_FAILED);
	pid = fork();
	if (!pid) {
		sleep_for(w, WEFT_FUTEX_PROCESSES);
		_exit(0);
	}
	T_TRUE(pid > 0);
	wake(w, WEFT_FUTEX_PROCESSES);
	T_IS(waitpid(pid, &status, 0), pid);
	T_OK(status);
	munmap(w, 4096);
}

/* Waits with bit 2 until the word is 3, and counts its wake-ups. */
static void *sleeps_for_a_bit(void *arg)
{
	weft_au32 *w = arg;
	uint32_t seen;

	while ((seen = weft_load32(&w[0])) != 3) {
		weft_store32(&w[1], 1);
		if (!weft_futex_wait_bits(&w[0], seen, 2, 60000 * MS))
			weft_add32(&w[2], 1);
	}
	return NULL;
}

static void a_wake_with_another_bit_is_for_others(void **state)
{
	weft_au32 w[3] = { 0, 0, 0 };
	pthread_t t;

	T_IS(weft_futex_wait_bits(&w[0], 0, 1, MS), -ETIMEDOUT);
	T_OK(pthread_create(&t, NULL, sleeps_for_a_bit, w));
	while (!weft_load32(&w[1]))
		;
	for (int i = 0; i < 1000; i++)
		weft_futex_wake_bits(&w[0], 4 | 1);
	T_IS(weft_load32(&w[2]), 0);
	weft_store32(&w[0], 3);
	weft_futex_wake_bits(&w[0], 2 | 8);
	T_OK(pthread_join(t, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_word_of_another_value_is_not_slept_on),
		T_CASE(a_sleep_that_nobody_ends_says_so),
		T_CASE(a_thread_wakes_a_thread),
		T_CASE(a_process_wakes_a_process),
		T_CASE(a_wake_with_another_bit_is_for_others),
	};

	return T_RUN(tests);
}
