/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: parts of the memory at the end of a region, mapped on demand. The
 * region's descriptor was closed after first contact, so it is opened again
 * through /proc and verified to be the same file. Endpoints of one process
 * share their windows, like their mappings (shm_map.c).
 */
#include "prov/carrier/shm/shm.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct shm_window {
	struct weft_list node;
	dev_t dev;
	ino_t ino;
	uint64_t offset; /* offset in the region */
	size_t bytes;
	void *base;
	unsigned refs;
	const struct shm *closed_by; /* endpoint that closed the window last */
};

/* Windows of this process. */
static pthread_mutex_t window_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list windows = { &windows, &windows };
/* Windows closed while a thread waited, possibly on a word in one of them. */
static struct weft_list closed_windows = { &closed_windows, &closed_windows };

/* Opens the descriptor of p's region again; the caller closes it. */
static int window_reopen(const struct shm_peer *p)
{
	const struct shm_map *m = p->view.map;
	uint64_t hint = weft_name_hint(&p->name);
	struct stat st;
	int fd = shm_reach_open(shm_hint_pid(hint), shm_hint_fd(hint));

	if (fd < 0)
		return fd == -EMFILE || fd == -ENFILE ? fd : -ECONNRESET;
	if (!fstat(fd, &st) && st.st_dev == m->dev && st.st_ino == m->ino)
		return fd;
	close(fd);
	return -ECONNRESET;
}

static struct shm_window *window_find(const struct shm_map *m, uint64_t offset,
				      size_t bytes)
{
	struct weft_list *i;

	for (i = windows.next; i != &windows; i = i->next) {
		struct shm_window *w =
			weft_container_of(i, struct shm_window, node);

		if (w->dev == m->dev && w->ino == m->ino &&
		    w->offset == offset && w->bytes == bytes)
			return w;
	}
	return NULL;
}

static int window_map(struct shm_peer *p, struct shm_window *w, int own_fd)
{
	int fd = own_fd >= 0 ? own_fd : window_reopen(p);

	if (fd < 0)
		return fd;
	w->base = weft_region_window(fd, w->offset, w->bytes);
	if (fd != own_fd)
		close(fd);
	if (w->base)
		return 0;
	if (errno != EINVAL)
		shm_map_failed("a table row of the collective unit", w->bytes,
			       -errno);
	return errno == EINVAL ? -EPROTO : -ENOMEM;
}

static int window_new(struct shm_peer *p, const struct shm_map *m,
		      uint64_t offset, size_t bytes, struct shm_window **w_p)
{
	struct shm_window *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return -ENOMEM;
	w->dev = m->dev;
	w->ino = m->ino;
	w->offset = offset;
	w->bytes = bytes;
	ret = window_map(p, w, m->region.fd);
	if (ret) {
		free(w);
		return ret;
	}
	weft_list_push_back(&windows, &w->node);
	*w_p = w;
	return 0;
}

static int window_get(struct shm_peer *p, const struct shm_map *m,
		      uint64_t offset, size_t bytes, void **area_p)
{
	struct shm_window *w;
	int ret = 0;

	pthread_mutex_lock(&window_lock);
	w = window_find(m, offset, bytes);
	if (!w)
		ret = window_new(p, m, offset, bytes, &w);
	if (!ret) {
		w->refs++;
		*area_p = w->base;
	}
	pthread_mutex_unlock(&window_lock);
	return ret;
}

int shm_window(struct weft_carrier *c, struct weft_peer *peer, size_t offset,
	       size_t bytes, void **area_p)
{
	struct shm *s = shm_of(c);
	struct shm_peer *p = peer ? shm_peer_of(peer) : NULL;
	struct shm_view *v = p ? &p->view : &s->view;
	const struct shm_map *m;
	uint64_t room;
	int ret;

	if (p && p->state != SHM_PEER_UP) {
		ret = shm_peer_connect(s, p);
		if (ret)
			return ret;
	}
	m = v->map;
	room = m->bytes > v->window_off ? m->bytes - v->window_off : 0;
	if (offset > room || bytes > room - offset)
		return -EOPNOTSUPP;
	if (m->region.bytes < m->bytes)
		return window_get(p, m, v->window_off + offset, bytes, area_p);
	/* the whole region is mapped, and stays mapped */
	if (p)
		p->shared = true;
	*area_p = (char *)m->region.base + v->window_off + offset;
	return 0;
}

static void window_unmap(struct shm_window *w)
{
	weft_region_window_close(w->base, w->bytes);
	free(w);
}

/* Unmaps an endpoint's closed windows, which no thread reads any more. */
static void windows_unmap_closed(const struct shm *s)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &closed_windows) {
		struct shm_window *w =
			weft_container_of(i, struct shm_window, node);

		if (w->closed_by != s)
			continue;
		weft_list_remove(&w->node);
		window_unmap(w);
	}
}

/*
 * Closes a window. The caller must no longer watch a word in it (ops->watch).
 * area NULL: unmaps windows that earlier calls could not unmap.
 */
void shm_window_close(struct weft_carrier *c, void *area, size_t bytes)
{
	struct weft_list *i, *tmp;

	pthread_mutex_lock(&window_lock);
	weft_list_each(i, tmp, &windows) {
		struct shm_window *w =
			weft_container_of(i, struct shm_window, node);

		if (w->base != area || w->bytes != bytes || --w->refs)
			continue;
		weft_list_remove(&w->node);
		weft_list_push_back(&closed_windows, &w->node);
		w->closed_by = shm_of(c);
	}
	/* F3 pairs with F3 in shm_wait(). */
	weft_fence_full();
	/* A6 pairs with R6 in shm_wait(). */
	if (!weft_load32(&shm_of(c)->waits))
		windows_unmap_closed(shm_of(c));
	pthread_mutex_unlock(&window_lock);
}
