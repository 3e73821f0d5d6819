/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of futexes: blocking, waking, timeouts, early changes. */
#include "src/base/futex.h"
#include "test/t.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static void futex_wait_returns_on_value_mismatch(void **state)
{
	weft_au32 a = 1, b = 2;

	T_OK(weft_futex_wait(&a, 0, UINT64_MAX, WEFT_FUTEX_THREADS));
	T_OK(weft_futex_wait(&a, 0, UINT64_MAX, WEFT_FUTEX_PROCESSES));
	if (weft_futex_wait_two((weft_au32 *[2]){ &a, &b },
				(uint32_t[2]){ 1, 0 }, UINT64_MAX) == -ENOSYS)
		skip();
}

static void futex_wait_without_wake_times_out(void **state)
{
	weft_au32 a = 0, b = 0;
	int two = weft_futex_wait_two((weft_au32 *[2]){ &a, &b },
				      (uint32_t[2]){ 0, 0 }, MS);

	T_IS(weft_futex_wait(&a, 0, MS, WEFT_FUTEX_THREADS), -ETIMEDOUT);
	T_IS(weft_futex_wait(&a, 0, MS, WEFT_FUTEX_PROCESSES), -ETIMEDOUT);
	T_TRUE(two == -ETIMEDOUT || two == -ENOSYS);
}

/* Blocks until w[0] is set; sets w[1] before. */
static void block_on(weft_au32 *w, enum weft_futex_scope scope)
{
	while (!weft_load32(&w[0])) {
		weft_store32(&w[1], 1);
		weft_futex_wait(&w[0], 0, UINT64_MAX, scope);
	}
}

static void *waiter_thread(void *arg)
{
	block_on(arg, WEFT_FUTEX_THREADS);
	return NULL;
}

static void set_and_wake(weft_au32 *w, enum weft_futex_scope scope)
{
	while (!weft_load32(&w[1]))
		;
	weft_store32(&w[0], 1);
	weft_futex_wake(&w[0], WEFT_FUTEX_ALL, scope);
}

static void a_thread_wakes_a_thread(void **state)
{
	weft_au32 w[2] = { 0, 0 };
	pthread_t t;

	T_OK(pthread_create(&t, NULL, waiter_thread, w));
	set_and_wake(w, WEFT_FUTEX_THREADS);
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
		block_on(w, WEFT_FUTEX_PROCESSES);
		_exit(0);
	}
	T_TRUE(pid > 0);
	set_and_wake(w, WEFT_FUTEX_PROCESSES);
	T_IS(waitpid(pid, &status, 0), pid);
	T_OK(status);
	munmap(w, 4096);
}

/* Waits with bit 2 until the word is 3, and counts its wake-ups. */
static void *wait_with_bit_2(void *arg)
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

static void wake_with_other_bits_is_ignored(void **state)
{
	weft_au32 w[3] = { 0, 0, 0 };
	pthread_t t;

	T_IS(weft_futex_wait_bits(&w[0], 0, 1, MS), -ETIMEDOUT);
	T_OK(pthread_create(&t, NULL, wait_with_bit_2, w));
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
		T_CASE(futex_wait_returns_on_value_mismatch),
		T_CASE(futex_wait_without_wake_times_out),
		T_CASE(a_thread_wakes_a_thread),
		T_CASE(a_process_wakes_a_process),
		T_CASE(wake_with_other_bits_is_ignored),
	};

	return T_RUN(tests);
}
