/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A region for the members of a window: a memfd of rank 0, which the others
 * open through /proc while rank 0 waits for them. The file has no name that
 * could be left behind. A token verifies that the right file was opened.
 */
#include "src/win/win_share.h"

#include "src/base/clock.h"
#include "src/comm/comm_channel.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/win/win_hint.h"
#include "src/win/win_kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Location of rank 0's region. */
struct place {
	int64_t pid;
	int32_t fd;
	int32_t error;
	uint64_t token;
	uint64_t bytes;
};

int win_share_agree(struct weft_win *w, int rc)
{
	struct weft_channel m = weft_channel_of(w->comm);
	int *all = calloc((size_t)w->size, sizeof(*all));
	int err;

	if (!all)
		return -ENOMEM;
	all[w->rank] = rc;
	err = weft_channel_allgather(&m, all, sizeof(*all));
	for (int i = 0; !err && i < w->size; i++)
		err = all[i];
	free(all);
	return err;
}

/* ---- layout -------------------------------------------------------------- */

static uint64_t page_up(uint64_t n)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

static void layout(struct win_page *p, const struct weft_win *w)
{
	uint64_t n = (uint64_t)w->size, rows = 0;

	memset(p, 0, sizeof(*p));
	p->magic = WIN_MAGIC;
	p->ranks = (uint32_t)n;
	p->posts = sizeof(*p) + n * sizeof(struct win_record);
	if (!w->lockless) {
		p->locks = p->posts;
		p->posts += n * sizeof(struct win_rank_lock);
	}
	p->attached = page_up(p->posts + n * n * sizeof(weft_au32));
	if (w->dynamic)
		rows = n * WIN_ATTACHED_MAX * sizeof(struct win_attached);
	p->memory = page_up(p->attached + rows);
}

/* ---- creating and mapping ------------------------------------------------ */

static void region_create(struct weft_win *w, const struct win_page *p,
			  uint64_t bytes, struct place *location)
{
	location->error =
		weft_region_open(&w->region, "weft-window", p->memory + bytes);
	if (location->error)
		return;
	location->pid = getpid();
	location->fd = w->region.fd;
	location->bytes = p->memory + bytes;
	location->token = (weft_now_ns() ^ (uint64_t)location->pid << 32) | 1;
	memcpy(w->region.base, p, sizeof(*p));
	win_share_page(w)->token = location->token;
}

static int region_map(struct weft_win *w, const struct place *location)
{
	int fd = weft_region_open_remote_fd((pid_t)location->pid,
					    (int)location->fd),
	    rc;

	if (fd < 0)
		return fd;
	rc = weft_region_attach(&w->region, fd, location->bytes);
	if (!rc && (win_share_page(w)->magic != WIN_MAGIC ||
		    win_share_page(w)->token != location->token))
		rc = -EINVAL;
	w->region.fd = fd;
	return rc;
}

/*
 * Allocates this rank's part, so that a shortage of memory is reported here
 * instead of causing a signal later.
 */
static int reserve(const struct weft_win *w, uint64_t memory,
		   const struct win_share_part *mine)
{
	off_t offset = (off_t)(memory + mine->offset);

	if (!mine->bytes ||
	    !posix_fallocate(w->region.fd, offset, (off_t)mine->bytes))
		return 0;
	return -ENOMEM;
}

int win_share_open(struct weft_win *w, uint64_t bytes,
		   struct win_share_part mine)
{
	struct weft_channel m = weft_channel_of(w->comm);
	struct win_page p;
	struct place location = { 0 };
	int rc;

	layout(&p, w);
	w->region.fd = -1;
	if (w->rank == 0)
		region_create(w, &p, bytes, &location);
	rc = weft_channel_bcast(&m, 0, &location, sizeof(location));
	if (!rc)
		rc = location.error;
	if (!rc && w->rank)
		rc = region_map(w, &location);
	if (!rc)
		rc = reserve(w, p.memory, &mine);
	rc = win_share_agree(w, rc);
	if (w->region.fd >= 0)
		close(w->region.fd);
	w->region.fd = -1;
	if (rc)
		win_share_close(w);
	w->token = rc || bytes ? 0 : location.token;
	return rc;
}

void win_share_close(struct weft_win *w)
{
	weft_region_close(&w->region);
	w->page = NULL;
}

/* ---- kept pages ---------------------------------------------------------- */

/* pages of freed windows, protected by the core lock */
static struct win_kept kept;

static struct win_kept_key key_of(const struct weft_win *w, bool lockless)
{
	return (struct win_kept_key){ w->comm->proc, w->size, w->dynamic,
				      lockless };
}

uint64_t win_share_offer(struct weft_win *w)
{
	struct win_kept_key key = key_of(w, win_hint_is(w, "no_locks", "true"));

	weft_lock();
	w->token = win_kept_take(&kept, &key, &w->region);
	weft_unlock();
	return w->token;
}

/*
 * Clears this rank's part of the page. The next window uses the page only after
 * an exchange to which every member contributes after this call.
 */
static void page_clear(struct weft_win *w)
{
	struct win_page *p = w->page;

	memset((void *)win_record(p, w->rank), 0, sizeof(struct win_record));
	if (p->locks)
		memset((void *)win_rank_lock(p, w->rank), 0,
		       sizeof(struct win_rank_lock));
	memset((void *)win_posts(p, w->rank, 0), 0,
	       (size_t)w->size * sizeof(weft_au32));
}

void win_share_keep(struct weft_win *w)
{
	struct win_kept_key key = key_of(w, w->lockless);

	if (!w->page || !w->token)
		return;
	page_clear(w);
	weft_lock();
	win_kept_give(&kept, &key, w->token, &w->region);
	weft_unlock();
	memset(&w->region, 0, sizeof(w->region));
	w->region.fd = -1;
	w->page = NULL;
}

void weft_win_share_trim(void)
{
	weft_lock();
	win_kept_trim(&kept);
	weft_unlock();
}
