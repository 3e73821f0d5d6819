/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Integer (Fortran) handles of objects, in one table with one lock, since few
 * programs use them.
 */
#include "src/types/types_handle.h"

#include "src/base/hash.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_hash table;
static int32_t last = WEFT_HANDLE_MAX;

int weft_handle_id(struct weft_obj *o)
{
	int id;

	if (o->predefined)
		return (int)o->predefined;
	pthread_mutex_lock(&lock);
	if (!o->id && !weft_hash_set(&table, (uint64_t)last + 1, o))
		o->id = ++last;
	id = o->id;
	pthread_mutex_unlock(&lock);
	return id;
}

void *weft_handle_find(int id, enum weft_kind kind)
{
	struct weft_obj *o;

	pthread_mutex_lock(&lock);
	o = weft_hash_get(&table, (uint64_t)(unsigned)id);
	if (o && o->kind != kind)
		o = NULL;
	pthread_mutex_unlock(&lock);
	return o;
}

void weft_obj_forget(struct weft_obj *o)
{
	pthread_mutex_lock(&lock);
	weft_hash_del(&table, (uint64_t)o->id);
	pthread_mutex_unlock(&lock);
}
