/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of membarrier registration by a process with one or two threads. */
#include "src/base/fence.h"
#include "test/t.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *wait_for_lock(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

static void membarrier_register_is_idempotent(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	long can = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
	int first = weft_membarrier_register();

	if (can > 0 && can & MEMBARRIER_CMD_GLOBAL_EXPEDITED)
		T_OK(first);
	else
		T_TRUE(first == -ENOSYS || first == -EPERM);
	pthread_mutex_lock(&lock);
	T_OK(pthread_create(&thread, NULL, wait_for_lock, &lock));
	T_IS(weft_membarrier_register(), first);
	if (!first)
		weft_membarrier();
	pthread_mutex_unlock(&lock);
	T_OK(pthread_join(thread, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(membarrier_register_is_idempotent),
	};

	return T_RUN(tests);
}
