/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of futexes: blocking, waking, timeouts, early changes. */
#include "src/base/futex.h"
#include "test/t.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* Waits on two words whose values are 0. */
static int wait_two(uint32_t first, uint32_t second, uint64_t ns)
{
	weft_au32 a = 0, b = 0;

	return weft_futex_wait_two((weft_au32 *[2]){ &a, &b },
				   (uint32_t[2]){ first, second }, ns);
}

static void futex_wait_returns_on_value_mismatch(void **state)
{
	weft_au32 a = 1;

	T_OK(weft_futex_wait(&a, 0, UINT64_MAX, WEFT_FUTEX_THREADS));
	T_OK(weft_futex_wait(&a, 0, UINT64_MAX, WEFT_FUTEX_PROCESSES));
}

static void futex_wait_without_wake_times_out(void **state)
{
	weft_au32 a = 0;

	T_IS(weft_futex_wait(&a, 0, MS, WEFT_FUTEX_THREADS), -ETIMEDOUT);
	T_IS(weft_futex_wait(&a, 0, MS, WEFT_FUTEX_PROCESSES), -ETIMEDOUT);
}

static void wait_on_two_words_returns_for_either(void **state)
{
	/* every Linux kernel refuses to wait on 0 words */
	T_IS(syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0), -1);
	if (errno == ENOSYS || errno == EPERM)
		skip();
	T_OK(wait_two(1, 0, UINT64_MAX));
	T_OK(wait_two(0, 1, UINT64_MAX));
	T_IS(wait_two(0, 0, MS), -ETIMEDOUT);
}

/* Makes the system call fail with an error, as container filters do. */
static void forbid_waitv(unsigned err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex_waitv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		_exit(77);
}

/*
 * The error is reported, since a caller that took it for a wake-up would never
 * block.
 */
static void a_forbidden_wait_on_two_words_is_reported(void **state)
{
	static const unsigned errors[] = { EPERM, ENOSYS };

	for (int i = 0; i < 2; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid) {
			forbid_waitv(errors[i]);
			_exit(wait_two(0, 0, MS) != -ENOSYS);
		}
		T_IS(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			skip();
		T_OK(status);
	}
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
		T_CASE(wait_on_two_words_returns_for_either),
		T_CASE(a_forbidden_wait_on_two_words_is_reported),
		T_CASE(a_thread_wakes_a_thread),
		T_CASE(a_process_wakes_a_process),
		T_CASE(wake_with_other_bits_is_ignored),
	};

	return T_RUN(tests);
}
