/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info objects: ordered lists of copied keys and values. Thread-safe: every
 * call acquires the lock of its object.
 */
#ifndef WEFT_TYPES_INFO_H
#define WEFT_TYPES_INFO_H

#include "src/types/types_obj.h"

#include <mpi.h>
#include <pthread.h>

struct weft_info_entry {
	char *key;
	char *val;
};

struct weft_info {
	struct weft_obj obj;
	pthread_mutex_t lock;
	int count;
	int room;
	struct weft_info_entry *entry;
};

/*
 * Returns MPI_INFO_ENV, which is filled at the first use: command, argv, host,
 * arch, wdir. Start-up code adds maxprocs and thread_level.
 */
struct weft_info *weft_info_env(void);
/*
 * Fills info from a given command line, for MPI_Info_create_env. Returns 0 or
 * -ENOMEM.
 */
int weft_info_fill(struct weft_info *info, int argc, char *const argv[]);

/*
 * Returns the object of a handle, or NULL if the handle is MPI_INFO_NULL,
 * stale, or not an info.
 */
static inline struct weft_info *weft_info_of(MPI_Info h)
{
	return h == MPI_INFO_ENV ? weft_info_env()
				 : weft_obj_of(h, WEFT_KIND_INFO);
}

static inline MPI_Info weft_info_handle(const struct weft_info *info)
{
	return weft_obj_handle(&info->obj);
}

/* Create an empty info, or a copy of from (may be NULL); NULL: no memory. */
struct weft_info *weft_info_open(void);
struct weft_info *weft_info_dup(struct weft_info *from);
void weft_info_close(struct weft_info *info);

/* Sets a key. Returns 0 or -ENOMEM. */
int weft_info_set(struct weft_info *info, const char *key, const char *val);
/* Deletes a key. Returns 0 or -ENOENT. */
int weft_info_delete(struct weft_info *info, const char *key);
/*
 * Returns the length of the value, or -ENOENT. If room > 0, copies at most room
 * - 1 characters of the value and a terminating zero.
 */
int weft_info_get(struct weft_info *info, const char *key, char *val, int room);
int weft_info_count(struct weft_info *info);
/*
 * Copies the name of key number n to `key`, which has MPI_MAX_INFO_KEY bytes.
 * Returns 0 or -ENOENT.
 */
int weft_info_key(struct weft_info *info, int n, char *key);

#endif
