/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page that all members of a window on one host share: its locks,
 * exposures and attachments, followed by the memory itself, if the window
 * allocates it.
 *
 * +------+--------+------------+----------------+----------+----------+
 * | head | record | locks      | posts          | attached | memory   |
 * |      | 1/rank | 1/rank, or | ranks by ranks | dynamic  | page     |
 * |      |        | no_locks   |                | only     | aligned  |
 * +------+--------+------------+----------------+----------+----------+
 *
 * posts[o * ranks + t]: number of exposures of t to o. Untouched pages take
 * no memory.
 */
#ifndef WEFT_WIN_LAYOUT_H
#define WEFT_WIN_LAYOUT_H

#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/win/win_heap.h"

#include <stdalign.h>
#include <stddef.h>

#define WIN_MAGIC	 UINT64_C(0x57454654574e3035)
#define WIN_ATTACHED_MAX 1024

/* A ticket lock, granted in the order of requests; see win_rwlock.h. */
struct win_rwlock {
	weft_au32 users; /* number of tickets issued */
	weft_au32 read;	 /* ticket that may acquire the lock in shared mode */
	/* ticket that may acquire the lock in exclusive mode */
	weft_au32 write;
	weft_au32 waiters; /* number of waiters on read or write */
};
static_assert(sizeof(struct win_rwlock) == 16, "shared format");

/*
 * The accumulate lock of a target, granted in the order of requests;
 * win_acc_lock.h.
 */
struct win_acc_lock {
	weft_au32 users; /* number of tickets issued */
	weft_au32 now;	 /* ticket that holds the lock */
	/* number of processes that wait for a change of `now` */
	weft_au32 waiters;
	uint32_t zero;
};
static_assert(sizeof(struct win_acc_lock) == 16, "shared format");

struct win_record {
	/* cache line 0: lock for accumulates to this rank's memory */
	alignas(WEFT_CACHE_LINE) struct win_acc_lock acc;
	/* cache line 1: written by the members for which this rank waits */
	alignas(WEFT_CACHE_LINE) weft_au32 completes;
	/* event word, incremented after a change of this line or of posts */
	weft_au32 events;
	weft_au32 waiters;
	/* number of used entries of attached; written by this rank only */
	weft_au32 slots;
	/* number of attachments in device memory; written by this rank only */
	weft_au32 devices;
	/* cache line 2: written by this rank only */
	/* 1 + rank of the target whose words this rank changes; 0: none */
	alignas(WEFT_CACHE_LINE) weft_au32 busy;
};
static_assert(sizeof(struct win_record) == 192, "shared format");

/* The lock that MPI_Win_lock acquires on a rank's memory. */
struct win_rank_lock {
	alignas(WEFT_CACHE_LINE) struct win_rwlock lock;
};
static_assert(sizeof(struct win_rank_lock) == 64, "shared format");

/* Memory that is attached to a dynamic window; bytes 0: none. */
struct win_attached {
	weft_au64 start;
	weft_au64 bytes; /* size in bytes; stored last */
	weft_au64 key;
	weft_au64 id; /* attachment id, unique in its process */
	/* location for processes that can map the memory */
	struct win_heap_place heap;
};
static_assert(sizeof(struct win_attached) == 64, "shared format");

/*
 * Synchronization page of a member without a shared page; other members access
 * it by fi_*.
 */
struct win_remote {
	struct win_rwlock lock;
	/* version of the list; odd: the list is being changed */
	weft_au64 version;
	weft_au32 slots;
	weft_au32 devices; /* number of attachments in device memory */
	/* slots of attachments; dynamic windows only */
	struct win_attached slot[];
};
static_assert(offsetof(struct win_remote, version) == 16 &&
		      offsetof(struct win_remote, slot) == 32,
	      "shared format");

struct win_page {
	alignas(WEFT_CACHE_LINE) uint64_t magic;
	/* random number of this window, to verify the opened file */
	uint64_t token;
	uint64_t locks; /* offsets from the start of the page; 0: absent */
	uint64_t posts;
	uint64_t attached;
	uint64_t memory;
	uint32_t ranks;
	uint32_t zero;
	struct win_record record[];
};
static_assert(offsetof(struct win_page, record) == 64, "shared format");

static inline struct win_record *win_record(struct win_page *p, int rank)
{
	return &p->record[rank];
}

static inline struct win_rwlock *win_rank_lock(struct win_page *p, int rank)
{
	struct win_rank_lock *all =
		(struct win_rank_lock *)(void *)((char *)p + p->locks);

	return &all[rank].lock;
}

/* Returns the counter of exposures of target to origin. */
static inline weft_au32 *win_posts(struct win_page *p, int origin, int target)
{
	weft_au32 *all = (weft_au32 *)(void *)((char *)p + p->posts);

	return &all[(size_t)origin * p->ranks + (size_t)target];
}

static inline struct win_attached *win_attached(struct win_page *p, int rank)
{
	struct win_attached *all =
		(struct win_attached *)(void *)((char *)p + p->attached);

	return all + (size_t)rank * WIN_ATTACHED_MAX;
}

#endif
