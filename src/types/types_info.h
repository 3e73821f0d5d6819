/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info objects: an ordered list of keys and values, each a copy. Thread-safe: a
 * lock covers every call.
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
 * MPI_INFO_ENV, filled on first use from the system: command, argv, host, arch,
 * wdir. Start-up adds maxprocs and thread_level.
 */
struct weft_info *weft_info_env(void);
/* Fills info from a given command line; for MPI_Info_create_env. */
int weft_info_fill(struct weft_info *info, int argc, char *const argv[]);

/* The object of a handle; NULL: MPI_INFO_NULL, stale, or no info. */
static inline struct weft_info *weft_info_of(MPI_Info h)
{
	return h == MPI_INFO_ENV ? weft_info_env()
				 : weft_obj_of(h, WEFT_KIND_INFO);
}

static inline MPI_Info weft_info_handle(const struct weft_info *info)
{
	return weft_obj_handle(&info->obj);
}

/* A new empty info, or a copy; NULL: out of memory. from may be NULL. */
struct weft_info *weft_info_open(void);
struct weft_info *weft_info_dup(struct weft_info *from);
void weft_info_close(struct weft_info *info);

/* 0, -ENOMEM. */
int weft_info_set(struct weft_info *info, const char *key, const char *val);
/* 0, -ENOENT. */
int weft_info_delete(struct weft_info *info, const char *key);
/*
 * Returns the length of the value, or -ENOENT; copies at most room - 1
 * characters and a zero when room > 0.
 */
int weft_info_get(struct weft_info *info, const char *key, char *val, int room);
int weft_info_count(struct weft_info *info);
/* Copies key n (MPI_MAX_INFO_KEY bytes of room); -ENOENT. */
int weft_info_key(struct weft_info *info, int n, char *key);

#endif
