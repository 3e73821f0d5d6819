/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapping of regions: this endpoint's, and those of peers on first contact. A
 * peer need not cooperate: its memfd is opened through /proc/PID/fd/N and
 * closed again once mapped, so that a thousand peers cost no descriptor.
 * Endpoints of one process share one mapping (so that ThreadSanitizer sees the
 * sharing). The windows at a region's end are not mapped if they can be opened
 * later by the same method (shm_window.c).
 *
 *   pid and N from the name's hint ------------+
 *   or pid from the socket, N by search -------+--> open, verify, map
 *   or the descriptor itself by SCM_RIGHTS ----+
 *   (if /proc refuses access, or does not show the pid)
 */
#include "prov/carrier/shm/shm.h"
#include "src/os/alive.h"
#include "src/base/limit.h"
#include "src/job/job_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_MISMATCHES 100

/* Regions of this process, for peers in the same process. */
static pthread_mutex_t map_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list map_own = { &map_own, &map_own };

static struct shm_map *map_find_own(uint64_t cookie)
{
	struct shm_map *found = NULL;
	struct weft_list *i, *tmp;

	pthread_mutex_lock(&map_lock);
	weft_list_each(i, tmp, &map_own) {
		struct shm_map *m = weft_container_of(i, struct shm_map, node);

		if (m->cookie == cookie && !found) {
			found = m;
			m->refs++;
		}
	}
	pthread_mutex_unlock(&map_lock);
	return found;
}

static void map_put(struct shm_map *m)
{
	unsigned left;

	pthread_mutex_lock(&map_lock);
	left = --m->refs;
	if (!left)
		weft_list_remove(&m->node);
	pthread_mutex_unlock(&map_lock);
	if (left)
		return;
	weft_region_close(&m->region);
	free(m);
}

void shm_map_drop(struct shm_view *v)
{
	if (v->map)
		map_put(v->map);
	*v = (struct shm_view){ 0 };
}

/*
 * Returns whether `count` items of `size` bytes at offset `off` are inside the
 * region and aligned.
 */
static bool map_fits(uint64_t bytes, uint64_t off, uint64_t count,
		     uint64_t size, uint64_t align)
{
	return off % align == 0 && off >= SHM_OWNER_OFF && off <= bytes &&
	       count * size <= bytes - off;
}

static uint64_t map_round(uint64_t x)
{
	return (x + 4095) & ~UINT64_C(4095);
}

/* Checks the geometry of a mapped region and copies it into *v. */
static int map_view(struct shm_view *v, struct shm_map *m)
{
	uint64_t mapped = m->region.bytes;
	struct shm_head h;

	/*
	 * copy the constant fields once, so that the values checked are the
	 * values used
	 */
	memcpy(&h, m->region.base, offsetof(struct shm_head, tail));
	if (!shm_id_is_own_format(&h) || h.bytes != m->bytes || !h.cookie)
		return -EPROTO;
	if (!h.slots || (h.slots & (h.slots - 1)) || h.slots > 1u << 20 ||
	    !h.entries || h.entries >= SHM_NO_WRITER || h.cell_bytes % 64 ||
	    h.cell_bytes > UINT16_MAX)
		return -EPROTO;
	if (!map_fits(mapped, SHM_OWNER_OFF, h.slots, 8, 64) ||
	    !map_fits(mapped, h.slot_off, h.slots, SHM_SLOT_BYTES, 128) ||
	    !map_fits(mapped, h.entry_off, h.entries, 128, 128) ||
	    !map_fits(mapped, h.cell_off, h.cells, h.cell_bytes, 64) ||
	    !map_fits(mapped, h.share_off, h.share_bytes, 1, 64))
		return -EPROTO;
	v->head = m->region.base;
	v->owner = (weft_au64 *)((char *)m->region.base + SHM_OWNER_OFF);
	v->slot = (struct shm_slot *)((char *)m->region.base + h.slot_off);
	v->entry = (struct shm_entry *)((char *)m->region.base + h.entry_off);
	v->cell = (uint8_t *)m->region.base + h.cell_off;
	v->share = (uint8_t *)m->region.base + h.share_off;
	v->share_bytes = h.share_bytes;
	v->window_off = map_round(h.share_off + h.share_bytes);
	v->slots = h.slots;
	v->entries = h.entries;
	v->cells = h.cells;
	v->cell_bytes = h.cell_bytes;
	v->lg = (unsigned)__builtin_ctz(h.slots);
	v->map = m;
	return 0;
}

static void map_geometry(struct shm_head *h,
			 const struct weft_carrier_attr *attr)
{
	uint32_t slots = 16;

	while (slots < (attr->fifo_slots ? attr->fifo_slots : SHM_SLOTS) &&
	       slots < 1u << 20)
		slots *= 2;
	h->slots = slots;
	h->entries = SHM_ENTRIES;
	h->cells = SHM_CELLS;
	h->cell_bytes = SHM_CELL_BYTES;
	h->share_bytes = attr->share_bytes;
	h->slot_off = map_round(SHM_OWNER_OFF + (uint64_t)slots * 8);
	h->entry_off =
		map_round(h->slot_off + (uint64_t)slots * SHM_SLOT_BYTES);
	h->cell_off = map_round(h->entry_off + (uint64_t)h->entries * 128);
	h->share_off = h->cell_off + (uint64_t)h->cells * h->cell_bytes;
	h->bytes = map_round(h->share_off + h->share_bytes) +
		   map_round(attr->window_bytes);
}

static void map_record(struct shm_map *m, const struct stat *st)
{
	m->bytes = (uint64_t)st->st_size;
	m->dev = st->st_dev;
	m->ino = st->st_ino;
}

/*
 * Logs why a region cannot be mapped: once per process, since attempts are
 * repeated, and only in the first rank of a job.
 */
void shm_map_failed(const char *what, size_t bytes, int err)
{
	static weft_au32 logged;
	char why[WEFT_LIMIT_TEXT] = "";

	if (weft_swap32(&logged, 1) || !weft_log_first(what))
		return;
	if (err == -EFBIG)
		weft_limit_file(why, bytes);
	else if (err == -ENOMEM)
		weft_limit_space(why, bytes);
	else if (err == -EMFILE)
		weft_limit_files(why);
	else if (err == -EPERM || err == -EACCES || err == -ENOSYS)
		weft_limit_memfd(why);
	weft_log(WEFT_LOG_ERROR, "shm: cannot allocate %s: %s%s", what,
		 strerror(-err), why);
}

/* Creates this endpoint's region and fills its constant fields. */
int shm_map_own(struct shm *s, const struct weft_carrier_attr *attr)
{
	struct shm_head h = { .magic = SHM_MAGIC, .version = SHM_VERSION };
	struct shm_map *m = calloc(1, sizeof(*m));
	struct stat st;
	size_t front;
	int ret;

	if (!m)
		return -ENOMEM;
	map_geometry(&h, attr);
	front = h.bytes - map_round(attr->window_bytes);
	ret = weft_region_open_front(&m->region, SHM_MAP_NAME, h.bytes, front);
	if (!ret && fstat(m->region.fd, &st))
		ret = -errno;
	if (ret) {
		shm_map_failed("the memory of an endpoint",
			       ret == -EFBIG ? h.bytes : front, ret);
		weft_region_close(&m->region);
		free(m);
		return ret;
	}
	map_record(m, &st);
	h.flags = s->base.fences ? SHM_FENCE : 0;
	h.cookie = s->id.cookie;
	h.pid = s->id.pid;
	h.ns = s->id.ns;
	h.start = s->id.start;
	h.base = (uintptr_t)m->region.base;
	h.port = s->name.in.sin_port;
	h.hint = shm_hint_make(h.pid, m->region.fd, h.cookie);
	weft_name_hint_set(&s->name, h.hint);
	h.state = SHM_OPEN;
	h.tail = shm_tail_make(0, SHM_NO_WRITER);
	memcpy(m->region.base, &h, sizeof(h));
	m->cookie = h.cookie;
	m->refs = 1;
	pthread_mutex_lock(&map_lock);
	weft_list_push_back(&map_own, &m->node);
	pthread_mutex_unlock(&map_lock);
	return map_view(&s->view, m);
}

int shm_map_own_fd(const struct shm *s)
{
	return s->view.map->region.fd;
}

/* Uses a verified mapping as p's region. */
static int map_adopt(struct shm *s, struct shm_peer *p, struct shm_map *m)
{
	struct shm_view v = { 0 };
	struct shm_id id;
	int ret = map_view(&v, m);

	if (ret)
		return ret;
	id = (struct shm_id){ .pid = v.head->pid,
			      .ns = v.head->ns,
			      .start = v.head->start,
			      .cookie = v.head->cookie };
	/* refuse the region of an earlier owner of the peer's name */
	if (p->id.cookie ? id.cookie != p->id.cookie
			 : v.head->port != p->name.in.sin_port)
		return -ESTALE;
	if (!p->id.cookie) {
		shm_peer_identify(s, p, &id);
		if (!weft_hash_get(&s->by_cookie, id.cookie))
			weft_hash_set(&s->by_cookie, id.cookie, p);
	}
	p->fence = s->base.fences || (v.head->flags & SHM_FENCE);
	p->view = v;
	p->head = v.head;
	p->slot = v.slot;
	p->lg = (uint8_t)v.lg;
	p->mapped = true;
	return 0;
}

/*
 * Returns the size of a region without its windows, read from its head; 0: not
 * a region, or not the region to which the hint refers.
 */
static size_t map_front(int fd, const struct stat *st, uint64_t hint)
{
	struct shm_head h;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || h.hint != hint ||
	    h.share_off > (uint64_t)st->st_size ||
	    h.share_bytes > (uint64_t)st->st_size - h.share_off)
		return 0;
	return map_round(h.share_off + h.share_bytes);
}

/* Maps the region of descriptor fd as p's; `front`: without its windows. */
static int map_fd(struct shm *s, struct shm_peer *p, int fd, bool front)
{
	struct shm_map *m = calloc(1, sizeof(*m));
	struct shm_map *own;
	struct stat st = { 0 };
	size_t bytes;
	int ret;

	if (!m)
		return -ENOMEM;
	m->refs = 1;
	m->region.fd = -1;
	weft_list_init(&m->node);
	ret = fstat(fd, &st) ? -errno : st.st_uid != geteuid() ? -EPERM : 0;
	if (ret)
		goto err_put;
	map_record(m, &st);
	bytes = front ? map_front(fd, &st, weft_name_hint(&p->name))
		      : (size_t)st.st_size;
	ret = weft_region_attach_front(&m->region, fd, bytes);
	if (ret == -ENOMEM)
		shm_map_failed("a mapping of a peer's memory", bytes, ret);
	if (ret)
		goto err_put;
	own = map_find_own(((struct shm_head *)m->region.base)->cookie);
	if (own) {
		map_put(m);
		m = own;
	}
	ret = map_adopt(s, p, m);
	if (!ret)
		return 0;
err_put:
	map_put(m);
	return ret;
}

/*
 * Returns whether p's process still has the mapped region open, that is, has
 * not called exec(); true if /proc does not show the process.
 */
bool shm_map_is_held(const struct shm_peer *p)
{
	int fd = shm_hint_fd(weft_name_hint(&p->name));
	const struct shm_map *m = p->view.map;
	struct stat st;
	char path[48];

	if (!m || !m->ino || !fd)
		return true;
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", p->id.pid, fd);
	if (stat(path, &st))
		return errno != ENOENT;
	return st.st_dev == m->dev && st.st_ino == m->ino;
}

/* Maps the whole region of descriptor fd as p's; the caller closes fd. */
int shm_map_fd(struct shm *s, struct shm_peer *p, int fd)
{
	return map_fd(s, p, fd, false);
}

static int map_try(struct shm *s, struct shm_peer *p, uint32_t pid, int n,
		   bool front)
{
	int fd = shm_reach_open(pid, n);
	int ret;

	if (fd < 0)
		return fd;
	ret = map_fd(s, p, fd, front);
	close(fd);
	return ret;
}

/* Searches the descriptors of pid for the region that has p's name. */
static int map_scan(struct shm *s, struct shm_peer *p, uint32_t pid)
{
	struct dirent *e;
	char path[32];
	int ret = -ESTALE;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	d = opendir(path);
	if (!d)
		return -errno;
	while (ret && ret != -ENOMEM && (e = readdir(d))) {
		if (e->d_name[0] != '.')
			ret = map_try(s, p, pid, atoi(e->d_name), false);
	}
	closedir(d);
	return ret;
}

/*
 * Returns whether err means that no descriptor is free: retries are useless,
 * and the caller reports ENOMEM.
 */
static bool map_no_descriptor(int err)
{
	if (err != -EMFILE && err != -ENFILE)
		return false;
	shm_map_failed("a descriptor for a peer's memory", 0, err);
	return true;
}

/*
 * Returns the pid of the listener at p's name, or -errno; *sock_p is connected
 * to the listener.
 */
static int map_listener_pid(struct shm_peer *p, int *sock_p)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int fd = shm_name_connect(&p->name);
	int ret = fd;

	if (map_no_descriptor(fd))
		return -ENOMEM;
	p->listens = fd >= 0 || fd == -EAGAIN;
	if (fd < 0)
		return -EAGAIN; /* no listener yet, or its backlog is full */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		ret = -errno;
	else if (cred.uid != geteuid())
		ret = -EPERM;
	else
		/* 0: the listener is in another pid namespace */
		ret = (int)cred.pid;
	if (ret < 0)
		close(fd);
	else
		*sock_p = fd;
	return ret;
}

/* Logs, once, why an existing peer cannot be reached; the caller retries. */
static int map_refused(struct shm_peer *p, int err)
{
	if (!p->backoff_ns)
		weft_log(WEFT_LOG_WARN, "shm: cannot connect to port %u: %s",
			 ntohs(p->name.in.sin_port), strerror(-err));
	return -EAGAIN;
}

/*
 * Handles a listener at p's name that has no matching region. The listener may
 * be about to close, so this is an error only after MAP_MISMATCHES attempts.
 */
static int map_mismatch(struct shm_peer *p)
{
	return ++p->mismatches < MAP_MISMATCHES ? -EAGAIN : -EPROTO;
}

/*
 * If p is in a child pid namespace: replaces its pid by its pid in this
 * namespace.
 */
static void map_translate(struct shm *s, struct shm_peer *p, uint32_t pid)
{
	if (!shm_peer_other_namespace(s, p))
		return;
	p->id.pid = pid;
	p->id.ns = s->id.ns;
	p->id.start = weft_proc_start(pid);
}

/*
 * Maps the region of p. Returns 0; -EAGAIN: not possible now; -ENOMEM; -EPROTO:
 * p has no valid region.
 */
int shm_map_peer(struct shm *s, struct shm_peer *p)
{
	uint64_t hint = weft_name_hint(&p->name);
	int sock = -1;
	int pid, ret = 0;

	if (p->sock >= 0)
		return shm_sock_request(s, p);
	if (shm_hint_pid(hint) && shm_hint_fd(hint) &&
	    !(ret = map_try(s, p, shm_hint_pid(hint), shm_hint_fd(hint), true)))
		return 0;
	if (ret == -ENOMEM || map_no_descriptor(ret))
		return -ENOMEM;
	pid = map_listener_pid(p, &sock);
	if (pid == -EAGAIN || pid == -ENOMEM)
		return pid;
	if (pid < 0)
		return map_refused(p, pid);
	/*
	 * the peer's pid as reported by the kernel identifies it in /proc only
	 * if /proc shows our pid namespace
	 */
	ret = pid && s->id.ns ? map_scan(s, p, (uint32_t)pid) : -EPERM;
	if (ret == -EACCES || ret == -EPERM || ret == -ENOENT) {
		p->sock = sock;
		return shm_sock_request(s, p);
	}
	close(sock);
	if (ret == -ENOMEM || map_no_descriptor(ret))
		return -ENOMEM;
	if (!ret)
		map_translate(s, p, (uint32_t)pid);
	return ret ? map_mismatch(p) : 0;
}
