/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of membarrier registration by a process with one or two threads. */
#include "src/base/fence.h"
#include "test/t.h"

#include <errno.h>
#include <pthread.h>

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
	int first = weft_membarrier_register();

	T_TRUE(first == 0 || first == -ENOSYS || first == -EPERM);
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
