/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes. One lock covers all lists and the table of keyvals; callbacks are
 * called without it, because they may call MPI. An attribute holds a reference
 * on its keyval.
 */
#include "src/types/types_attr.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct keyval {
	struct weft_keyval_fns fns;
	/*
	 * references: one held by the user until the keyval is freed, one per
	 * attribute
	 */
	int refs;
	bool freed;
};

struct weft_attr {
	/* next in the list: the attribute set before this one */
	struct weft_attr *next;
	struct keyval *kv;
	int key;
	void *value;
};

/* First key that is assigned to a keyval; larger than all predefined keys. */
#define KEY_FIRST 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keyval **table;
static int keys;

/* ---- keyvals ---- */

int weft_keyval_open(const struct weft_keyval_fns *fns, int *key_p)
{
	struct keyval *kv = calloc(1, sizeof(*kv)), **more;
	int rc = MPI_ERR_NO_MEM;

	if (!kv)
		return rc;
	kv->fns = *fns;
	kv->refs = 1;
	pthread_mutex_lock(&lock);
	more = realloc(table, (size_t)(keys + 1) * sizeof(kv));
	if (more) {
		table = more;
		table[keys] = kv;
		*key_p = KEY_FIRST + keys++;
		rc = MPI_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	if (rc)
		free(kv);
	return rc;
}

/*
 * Returns the keyval or NULL; requires the lock. A freed keyval is still found
 * while attributes use it, so that the application can get and delete these
 * attributes; a second free has no effect.
 */
static struct keyval *keyval_find(enum weft_kind kind, int key)
{
	struct keyval *kv = NULL;

	if (key >= KEY_FIRST && key < KEY_FIRST + keys)
		kv = table[key - KEY_FIRST];
	return kv && kv->fns.kind == kind ? kv : NULL;
}

/*
 * Drops a reference; requires the lock. Keys are not reused, so that a stale
 * key is always detected.
 */
static void keyval_put(struct keyval *kv, int key)
{
	if (--kv->refs)
		return;
	table[key - KEY_FIRST] = NULL;
	free(kv);
}

int weft_keyval_free(enum weft_kind kind, int key)
{
	struct keyval *kv;
	int rc;

	pthread_mutex_lock(&lock);
	kv = keyval_find(kind, key);
	rc = kv ? MPI_SUCCESS : MPI_ERR_KEYVAL;
	if (kv && !kv->freed) {
		kv->freed = true;
		keyval_put(kv, key);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

/* ---- callbacks ---- */

static int call_delete(const struct weft_attr *a, void *handle)
{
	const struct weft_keyval_fns *f = &a->kv->fns;

	if (!f->del.comm)
		return MPI_SUCCESS;
	switch (f->kind) {
	case WEFT_KIND_COMM:
		return f->del.comm(handle, a->key, a->value, f->extra);
	case WEFT_KIND_DT:
		return f->del.type(handle, a->key, a->value, f->extra);
	default:
		return f->del.win(handle, a->key, a->value, f->extra);
	}
}

/*
 * Calls the copy callback. MPI_COMM_NULL_COPY_FN and MPI_COMM_DUP_FN are the
 * constants 0 and 1, not functions.
 */
static int call_copy(const struct weft_attr *a, void *handle, void **value_p,
		     int *flag_p)
{
	const struct weft_keyval_fns *f = &a->kv->fns;

	*value_p = a->value;
	*flag_p = f->copy.comm == MPI_COMM_DUP_FN;
	if (!f->copy.comm || *flag_p)
		return MPI_SUCCESS;
	switch (f->kind) {
	case WEFT_KIND_COMM:
		return f->copy.comm(handle, a->key, f->extra, a->value, value_p,
				    flag_p);
	case WEFT_KIND_DT:
		return f->copy.type(handle, a->key, f->extra, a->value, value_p,
				    flag_p);
	default:
		return f->copy.win(handle, a->key, f->extra, a->value, value_p,
				   flag_p);
	}
}

/* ---- lists of attributes ---- */

/*
 * Returns the link to the attribute, or the link at the end of the list (NULL).
 * Requires the lock.
 */
static struct weft_attr **attr_find(struct weft_attr **list, int key)
{
	while (*list && (*list)->key != key)
		list = &(*list)->next;
	return list;
}

/* Removes the attribute from the list, at any position, and frees it. */
static void attr_drop(struct weft_attr **list, struct weft_attr *a)
{
	pthread_mutex_lock(&lock);
	list = attr_find(list, a->key);
	if (*list == a) {
		*list = a->next;
		keyval_put(a->kv, a->key);
		free(a);
	}
	pthread_mutex_unlock(&lock);
}

static int attr_push(struct weft_attr **list, struct keyval *kv, int key,
		     void *value)
{
	struct weft_attr *a = malloc(sizeof(*a));

	if (!a)
		return MPI_ERR_NO_MEM;
	pthread_mutex_lock(&lock);
	kv->refs++;
	*a = (struct weft_attr){ *list, kv, key, value };
	*list = a;
	pthread_mutex_unlock(&lock);
	return MPI_SUCCESS;
}

static bool attr_lookup(struct weft_attr **list, enum weft_kind kind, int key,
			struct keyval **kv_p, struct weft_attr **attr_p)
{
	pthread_mutex_lock(&lock);
	*kv_p = keyval_find(kind, key);
	*attr_p = *attr_find(list, key);
	pthread_mutex_unlock(&lock);
	return *kv_p;
}

int weft_attr_set(struct weft_attr **list, enum weft_kind kind, void *handle,
		  int key, void *value)
{
	struct weft_attr *old;
	struct keyval *kv;
	int rc;

	if (!attr_lookup(list, kind, key, &kv, &old) || kv->freed)
		return MPI_ERR_KEYVAL;
	if (old) {
		rc = call_delete(old, handle);
		if (rc)
			return rc;
		attr_drop(list, old);
	}
	return attr_push(list, kv, key, value);
}

int weft_attr_delete(struct weft_attr **list, enum weft_kind kind, void *handle,
		     int key)
{
	struct weft_attr *old;
	struct keyval *kv;
	int rc;

	if (!attr_lookup(list, kind, key, &kv, &old))
		return MPI_ERR_KEYVAL;
	if (!old)
		return MPI_ERR_OTHER;
	rc = call_delete(old, handle);
	if (!rc)
		attr_drop(list, old);
	return rc;
}

int weft_attrs_clear(struct weft_attr **list, void *handle)
{
	struct weft_attr *a;
	int rc;

	while ((a = *list)) {
		rc = call_delete(a, handle);
		if (rc)
			return rc;
		attr_drop(list, a);
	}
	return MPI_SUCCESS;
}

/* Copies a and all attributes set before it, the oldest first. */
static int copy_from(struct weft_attr **to, const struct weft_attr *a,
		     void *from_handle)
{
	void *value;
	int flag, rc;

	if (!a)
		return MPI_SUCCESS;
	rc = copy_from(to, a->next, from_handle);
	if (!rc)
		rc = call_copy(a, from_handle, &value, &flag);
	if (!rc && flag)
		rc = attr_push(to, a->kv, a->key, value);
	return rc;
}

int weft_attrs_copy(struct weft_attr **to, struct weft_attr *const *from,
		    void *from_handle)
{
	*to = NULL;
	return copy_from(to, *from, from_handle);
}

/* ---- predefined attributes ---- */

static struct {
	int value;
	bool exists;
} predef[] = {
	[MPI_TAG_UB - MPI_TAG_UB] = { INT_MAX, true },
	[MPI_IO - MPI_TAG_UB] = { MPI_ANY_SOURCE, true },
	[MPI_HOST - MPI_TAG_UB] = { MPI_PROC_NULL, true },
	[MPI_WTIME_IS_GLOBAL - MPI_TAG_UB] = { 0, true },
	[MPI_APPNUM - MPI_TAG_UB] = { 0, false },
	[MPI_LASTUSEDCODE - MPI_TAG_UB] = { MPI_ERR_LASTCODE, true },
	[MPI_UNIVERSE_SIZE - MPI_TAG_UB] = { 0, false },
};

static bool is_predef(enum weft_kind kind, int key)
{
	return kind == WEFT_KIND_COMM && key >= MPI_TAG_UB &&
	       key < MPI_TAG_UB + (int)(sizeof(predef) / sizeof(predef[0]));
}

void weft_attr_predef_set(int key, int value)
{
	if (!is_predef(WEFT_KIND_COMM, key))
		return;
	predef[key - MPI_TAG_UB].value = value;
	predef[key - MPI_TAG_UB].exists = true;
}

int weft_attr_get(struct weft_attr **list, enum weft_kind kind, int key,
		  void **value_p, int *flag_p)
{
	struct weft_attr *a;
	struct keyval *kv;

	if (is_predef(kind, key)) {
		*flag_p = predef[key - MPI_TAG_UB].exists;
		if (*flag_p)
			*value_p = &predef[key - MPI_TAG_UB].value;
		return MPI_SUCCESS;
	}
	pthread_mutex_lock(&lock);
	kv = keyval_find(kind, key);
	a = *attr_find(list, key);
	*flag_p = a != NULL;
	if (a)
		*value_p = a->value;
	pthread_mutex_unlock(&lock);
	return kv || a ? MPI_SUCCESS : MPI_ERR_KEYVAL;
}
