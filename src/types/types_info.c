/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects, as short lists with linear search. */
#include "src/types/types_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct weft_info *weft_info_open(void)
{
	struct weft_info *info = calloc(1, sizeof(*info));

	if (!info)
		return NULL;
	weft_obj_init(&info->obj, WEFT_KIND_INFO);
	pthread_mutex_init(&info->lock, NULL);
	return info;
}

void weft_info_close(struct weft_info *info)
{
	if (!info || info->obj.predefined || !weft_obj_put(&info->obj))
		return;
	info->obj.kind = WEFT_KIND_FREE;
	for (int i = 0; i < info->count; i++) {
		free(info->entry[i].key);
		free(info->entry[i].val);
	}
	free(info->entry);
	pthread_mutex_destroy(&info->lock);
	free(info);
}

/* ---- functions called with the lock held ---- */

static int info_find(const struct weft_info *info, const char *key)
{
	for (int i = 0; i < info->count; i++)
		if (!strcmp(info->entry[i].key, key))
			return i;
	return -1;
}

static int grow(struct weft_info *info)
{
	int room = info->room ? 2 * info->room : 8;
	struct weft_info_entry *e;

	if (info->count < info->room)
		return 0;
	e = realloc(info->entry, (size_t)room * sizeof(*e));
	if (!e)
		return -ENOMEM;
	info->entry = e;
	info->room = room;
	return 0;
}

static int append(struct weft_info *info, const char *key, char *val)
{
	struct weft_info_entry e = { strdup(key), val };

	if (!e.key || grow(info)) {
		free(e.key);
		return -ENOMEM;
	}
	info->entry[info->count++] = e;
	return 0;
}

/* ---- public functions ---- */

int weft_info_set(struct weft_info *info, const char *key, const char *val)
{
	char *copy = strdup(val);
	int rc = copy ? 0 : -ENOMEM;
	int i;

	if (rc)
		return rc;
	pthread_mutex_lock(&info->lock);
	i = info_find(info, key);
	if (i < 0) {
		rc = append(info, key, copy);
	} else {
		char *old = info->entry[i].val;

		info->entry[i].val = copy;
		copy = old;
	}
	pthread_mutex_unlock(&info->lock);
	if (rc || i >= 0)
		free(copy);
	return rc;
}

int weft_info_delete(struct weft_info *info, const char *key)
{
	int i;

	pthread_mutex_lock(&info->lock);
	i = info_find(info, key);
	if (i >= 0) {
		free(info->entry[i].key);
		free(info->entry[i].val);
		info->count--;
		memmove(&info->entry[i], &info->entry[i + 1],
			(size_t)(info->count - i) * sizeof(info->entry[0]));
	}
	pthread_mutex_unlock(&info->lock);
	return i < 0 ? -ENOENT : 0;
}

int weft_info_get(struct weft_info *info, const char *key, char *val, int room)
{
	int i, len = -ENOENT;

	pthread_mutex_lock(&info->lock);
	i = info_find(info, key);
	if (i >= 0) {
		len = (int)strlen(info->entry[i].val);
		if (room > 0) {
			int n = len < room ? len : room - 1;

			memcpy(val, info->entry[i].val, (size_t)n);
			val[n] = '\0';
		}
	}
	pthread_mutex_unlock(&info->lock);
	return len;
}

int weft_info_count(struct weft_info *info)
{
	int n;

	pthread_mutex_lock(&info->lock);
	n = info->count;
	pthread_mutex_unlock(&info->lock);
	return n;
}

int weft_info_key(struct weft_info *info, int n, char *key)
{
	int rc = -ENOENT;

	pthread_mutex_lock(&info->lock);
	if (n >= 0 && n < info->count) {
		strcpy(key, info->entry[n].key);
		rc = 0;
	}
	pthread_mutex_unlock(&info->lock);
	return rc;
}

struct weft_info *weft_info_dup(struct weft_info *from)
{
	struct weft_info *to = weft_info_open();
	int rc = 0;

	if (!to || !from)
		return to;
	pthread_mutex_lock(&from->lock);
	for (int i = 0; i < from->count && !rc; i++)
		rc = weft_info_set(to, from->entry[i].key, from->entry[i].val);
	pthread_mutex_unlock(&from->lock);
	if (!rc)
		return to;
	weft_info_close(to);
	return NULL;
}
