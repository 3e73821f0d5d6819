/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver library (cuda_driver.h). Device memory exists only in a process
 * that has loaded the library, so until then a lookup only loads one pointer:
 * the link from the last library in the loader's list to the next.
 */
#include "prov/mem/cuda/cuda_driver.h"
#include "src/base/attr.h"
#include "src/base/log.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum state { WAITING, LOADED, UNUSABLE };

static struct cuda_driver driver;
static atomic_int state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* last library in the loader's list at the last search */
static struct link_map *_Atomic last_library;

static const struct {
	const char *symbol;
	size_t offset;
} functions[] = {
#define ROW(name, symbol, params) \
	{ symbol, offsetof(struct cuda_driver, name) },
	CUDA_FUNCTIONS(ROW)
#undef ROW
};

static const char *option(void)
{
	const char *text = getenv("FI_WEFT_CUDA");

	return text && *text ? text : "auto";
}

/* Returns the name of the library; NULL: the library must not be used. */
static const char *library(void)
{
	const char *text = option();

	if (!strcmp(text, "no") ||
	    (!strcmp(text, "auto") && access("/dev/nvidiactl", R_OK | W_OK)))
		return NULL;
	return strcmp(text, "auto") && strcmp(text, "yes") ? text
							   : "libcuda.so.1";
}

bool cuda_driver_possible(void)
{
	/* whether the library may be used: 0: not known; 1: no; 2: yes */
	static atomic_int known;

	if (!atomic_load_explicit(&known, memory_order_relaxed))
		atomic_store_explicit(&known, library() ? 2 : 1,
				      memory_order_relaxed);
	return atomic_load_explicit(&known, memory_order_relaxed) == 2;
}

/* Finds the required functions in the library. */
static enum state resolve(void *lib, const char *name)
{
	for (size_t i = 0; i < WEFT_COUNT_OF(functions); i++) {
		void *f = dlsym(lib, functions[i].symbol);

		if (!f) {
			weft_log(WEFT_LOG_WARN,
				 "cuda: %s has no %s; memory of GPUs is not "
				 "used",
				 name, functions[i].symbol);
			return UNUSABLE;
		}
		memcpy((char *)&driver + functions[i].offset, &f, sizeof(f));
	}
	return LOADED;
}

/*
 * Stores the last library of the loader's list, and prevents its unloading,
 * because its record must stay valid.
 */
static void last_library_set(void)
{
	struct link_map *m = atomic_load(&last_library);

	if (!m)
		m = _r_debug.r_map;
	while (m && m->l_next)
		m = m->l_next;
	if (m && m->l_name && *m->l_name)
		dlopen(m->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	atomic_store(&last_library, m);
}

/*
 * Uses the library if it is loaded; otherwise loads it unless flags contain
 * RTLD_NOLOAD. The caller holds the lock.
 */
static void search(int flags)
{
	const char *name = library();
	void *lib;

	if (atomic_load(&state) != WAITING)
		return;
	if (!name) {
		atomic_store(&state, UNUSABLE);
		return;
	}
	/*
	 * set before the search: a library that is loaded meanwhile follows
	 * this one in the list
	 */
	last_library_set();
	lib = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | flags);
	if (lib)
		atomic_store(&state, (int)resolve(lib, name));
	else if (!flags)
		weft_log(WEFT_LOG_WARN, "cuda: %s", dlerror());
}

static WEFT_COLD const struct cuda_driver *search_again(int flags)
{
	pthread_mutex_lock(&lock);
	search(flags);
	pthread_mutex_unlock(&lock);
	return atomic_load(&state) == LOADED ? &driver : NULL;
}

const struct cuda_driver *cuda_driver(void)
{
	int s = atomic_load_explicit(&state, memory_order_acquire);
	const struct link_map *m;

	if (s != WAITING)
		return s == LOADED ? &driver : NULL;
	m = atomic_load_explicit(&last_library, memory_order_acquire);
	if (m && !*(struct link_map *const volatile *)&m->l_next)
		return NULL;
	return search_again(RTLD_NOLOAD);
}

const void *const volatile *cuda_driver_gate(void)
{
	const struct link_map *m;

	if (cuda_driver())
		return NULL;
	m = atomic_load_explicit(&last_library, memory_order_acquire);
	return m ? (const void *const volatile *)&m->l_next : NULL;
}

const struct cuda_driver *cuda_driver_load(void)
{
	return search_again(0);
}
