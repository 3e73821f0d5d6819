/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded by test/run/run_limit_self.sh: thread number FAIL_THREAD and all
 * later threads cannot be started; with HANG_INIT PMIx_Init never returns.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);

int pthread_create(pthread_t *th, const pthread_attr_t *attr,
		   void *(*fn)(void *), void *arg)
{
	union {
		void *p;
		create_fn *create;
	} next = { .p = dlsym(RTLD_NEXT, "pthread_create") };
	const char *fail = getenv("FAIL_THREAD");
	static int count;

	if (fail && ++count >= atoi(fail))
		return EAGAIN;
	return next.create(th, attr, fn, arg);
}

int PMIx_Init(void *proc, void *info, size_t count);

int PMIx_Init(void *proc, void *info, size_t count)
{
	union {
		void *p;
		int (*init)(void *, void *, size_t);
	} next = { .p = dlsym(RTLD_NEXT, "PMIx_Init") };

	while (getenv("HANG_INIT"))
		pause();
	return next.init(proc, info, count);
}
