/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer records, from creation to loss.
 *
 *   NEW    named by the caller, or sender of a packet: its entry in this
 *          endpoint's table has its identity (pid, start time, cookie)
 *   UP     its region is mapped and this endpoint has an entry in its table
 *   LOST   dead, closed or refused; reported once the FIFO is read up to the
 *          ticket that was the tail when the loss was detected
 *
 * The cookie distinguishes generations of a name: a new process that binds the
 * port of a dead one is a new peer.
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/clock.h"
#include "src/job/job_log.h"
#include "src/base/must.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PEER_BACKOFF_NS	    UINT64_C(50000)
#define PEER_BACKOFF_MAX_NS UINT64_C(2000000)
#define PEER_MISMATCHES	    500

static int peer_room(struct shm *s)
{
	uint32_t room = s->peer_room ? s->peer_room * 2 : 16;
	struct shm_peer **more;

	if (s->peer_count < s->peer_room)
		return 0;
	more = realloc(s->peer, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->peer = more;
	s->peer_room = room;
	return 0;
}

static int peer_new(struct shm *s, const union weft_name *name,
		    struct shm_peer **p_p)
{
	struct shm_peer *p = NULL;
	int ret = peer_room(s);

	if (!ret)
		p = aligned_alloc(64, (sizeof(*p) + 63) / 64 * 64);
	if (!p)
		return -ENOMEM;
	memset(p, 0, sizeof(*p));
	ret = weft_hash_set(&s->by_name, shm_name_key(name), p);
	if (ret) {
		free(p);
		return ret;
	}
	WEFT_ASSERT(s->peer_count < s->peer_room);
	p->name = *name;
	p->base.name = &p->name;
	p->base.index = s->peer_count;
	p->writer = SHM_NO_WRITER;
	p->sock = -1;
	p->life = -1;
	p->cell_first = SHM_NO_CELL;
	weft_list_init(&p->held);
	weft_list_init(&p->held_node);
	weft_list_init(&p->cell_node);
	weft_list_init(&p->end_node);
	s->peer[s->peer_count++] = p;
	shm_wait_peer_added(s);
	*p_p = p;
	return 0;
}

int shm_peer_get(struct shm *s, const union weft_name *name,
		 struct shm_peer **p_p)
{
	struct shm_peer *p;

	if (!weft_name_is_ip(name) || !name->in.sin_port)
		return -EHOSTUNREACH;
	p = shm_name_find(s, name);
	/*
	 * a peer with a remote address may be in another network namespace of
	 * this host
	 */
	if (!p && !shm_name_is_local(s, name) && !shm_reach_by_hint(name))
		return -EHOSTUNREACH;
	/*
	 * check now: the name may have a new owner that the last tick did not
	 * detect
	 */
	if (p)
		shm_tick_peer(s, p);
	if (!p || p->state == SHM_PEER_LOST)
		return peer_new(s, name, p_p);
	/* keep the new name: it may have a hint that the stored one lacks */
	if (!p->id.pid && weft_name_hint(name))
		p->name = *name;
	*p_p = p;
	return 0;
}

/*
 * Returns whether the peer existed (the name has a hint, or the peer was
 * contacted) and has exited. The pid of a peer that is in another namespace or
 * was never contacted proves nothing: a peer on another host may have the pid
 * of a local process.
 */
static bool peer_has_exited(const struct shm *s, const struct shm_peer *p)
{
	if (p->id.pid && shm_peer_other_namespace(s, p))
		return !p->listens;
	if (p->id.pid)
		return !shm_id_alive(&p->id);
	return weft_name_hint(&p->name) && !p->listens &&
	       !shm_reach_by_hint(&p->name);
}

/*
 * Logs the loss of a peer that was never reached; the peer may be on another
 * host.
 */
static void peer_log_lost(const struct shm_peer *p)
{
	char name[WEFT_NAME_TEXT];

	if (p->id.pid)
		return;
	weft_log_once(WEFT_LOG_WARN,
		      "shm: %s exited before first contact, or is on "
		      "another host and was opened without FI_WEFT_KEY and "
		      "FI_WEFT_IFACE",
		      weft_name_text(&p->name, name));
}

/* Delays the next attempt; the delay doubles each time. */
static void peer_backoff(struct shm_peer *p, uint64_t now)
{
	p->backoff_ns = p->backoff_ns ? p->backoff_ns * 2 : PEER_BACKOFF_NS;
	if (p->backoff_ns > PEER_BACKOFF_MAX_NS)
		p->backoff_ns = PEER_BACKOFF_MAX_NS;
	p->retry_ns = now + p->backoff_ns;
}

/*
 * Maps p's region. Returns -EAGAIN: no endpoint yet; -ECONNRESET: no endpoint
 * any more; -EPROTO: invalid region; -ENOMEM.
 */
int shm_peer_map(struct shm *s, struct shm_peer *p)
{
	uint64_t now = weft_now_ns();
	int ret;

	if (now < p->retry_ns)
		return -EAGAIN;
	ret = shm_map_peer(s, p);
	if (!ret || ret == -EPROTO || ret == -ENOMEM)
		return ret;
	if (peer_has_exited(s, p)) {
		/* the peer may have handed over its region to this endpoint */
		shm_sock_accept(s);
		if (p->mapped)
			return 0;
		peer_log_lost(p);
		return -ECONNRESET;
	}
	/*
	 * the peer closed without handing over its region, but its process
	 * still runs
	 */
	if (p->state == SHM_PEER_LOST && ++p->mismatches > PEER_MISMATCHES)
		return -ECONNRESET;
	peer_backoff(p, now);
	return -EAGAIN;
}

static void peer_sign(struct shm *s, struct shm_entry *e)
{
	e->start = s->id.start;
	e->cookie = s->id.cookie;
	e->hint = weft_name_hint(&s->name);
	e->ip = weft_name_ip(&s->name);
	e->port = s->name.in.sin_port;
	e->ns = s->id.ns;
	/*
	 * R4 pairs with A4 in shm_peer_admit(): the identity fields are written
	 * before the state is SHM_READY.
	 */
	weft_store64(&e->state, (uint64_t)s->id.pid << 32 | SHM_READY);
}

/* Handles a full table: logs it once and backs off, since a scan takes long. */
static int peer_table_full(struct shm_peer *p, uint64_t now)
{
	if (!p->table_full)
		weft_log(WEFT_LOG_WARN,
			 "shm: the peer table of port %u is full",
			 ntohs(p->name.in.sin_port));
	p->table_full = true;
	peer_backoff(p, now);
	return -EAGAIN;
}

/* Claims an entry in p's table. */
static int peer_claim(struct shm *s, struct shm_peer *p)
{
	struct shm_view *v = &p->view;
	uint64_t now = weft_now_ns();
	/* 0: this pid is invalid in the peer's pid namespace */
	uint64_t pid = shm_peer_other_namespace(s, p) ? 0 : s->id.pid;
	uint32_t first;

	if (p->table_full && now < p->retry_ns)
		return -EAGAIN;
	WEFT_ASSERT(p->state == SHM_PEER_NEW && p->mapped);
	first = weft_add32(&v->head->entry_next, 1);
	for (uint32_t i = 0; i < v->entries; i++) {
		uint32_t n = (first + i) % v->entries;
		struct shm_entry *e = &v->entry[n];
		uint64_t free_state = SHM_FREE;

		/* relaxed: a hint, verified by the compare-and-swap */
		if (weft_load64_relaxed(&e->state) != SHM_FREE ||
		    !weft_cas64(&e->state, &free_state,
				pid << 32 | SHM_CLAIMED))
			continue;
		peer_sign(s, e);
		p->writer = (uint16_t)n;
		p->cells_done = &e->cells_done;
		/* make the FIFO appear full: the first send reads the head */
		p->head_seen = weft_load64(&v->head->head) - v->slots;
		p->seq = 0;
		p->state = SHM_PEER_UP;
		return 0;
	}
	return peer_table_full(p, now);
}

int shm_peer_connect(struct shm *s, struct shm_peer *p)
{
	int ret;

	if (p->state == SHM_PEER_LOST)
		return p->end_err == ENOMEM ? -ENOMEM : -ECONNRESET;
	if (!p->mapped) {
		ret = shm_peer_map(s, p);
		if (ret == -EAGAIN)
			return ret;
		if (ret) {
			shm_peer_fail(s, p, -ret);
			return ret == -ENOMEM ? ret : -ECONNRESET;
		}
	}
	if (weft_load32(&p->view.head->state) == SHM_OPEN)
		return peer_claim(s, p);
	shm_peer_fail(s, p, ESHUTDOWN);
	return -ECONNRESET;
}

bool shm_peer_refuses(const struct shm_peer *p)
{
	return p->state == SHM_PEER_UP &&
	       weft_load64(p->cells_done) == SHM_REFUSED;
}

/*
 * Returns the record for the process that wrote this name and identity into an
 * entry.
 */
static struct shm_peer *peer_of_entry(struct shm *s,
				      const union weft_name *name,
				      const struct shm_id *id)
{
	struct shm_peer *p = weft_hash_get(&s->by_cookie, id->cookie);

	if (p && !p->base.lost)
		return p;
	p = shm_name_find(s, name);
	if (p && p->id.cookie && p->id.cookie != id->cookie)
		/* the name has a new owner, so the previous one has exited */
		shm_peer_fail(s, p, ECONNRESET);
	if ((!p || p->state == SHM_PEER_LOST) && peer_new(s, name, &p))
		return NULL;
	if (weft_hash_set(&s->by_cookie, id->cookie, p))
		return NULL;
	shm_peer_identify(s, p, id);
	if (!weft_name_hint(&p->name))
		p->name = *name;
	return p;
}

/*
 * Creates a peer for the writer of an entry; returns NULL if the entry is not
 * SHM_READY.
 */
struct shm_peer *shm_peer_admit(struct shm *s, uint16_t writer)
{
	struct shm_entry *e = &s->view.entry[writer];
	/* A4 pairs with R4 in peer_sign(). */
	uint64_t state = weft_load64(&e->state);
	union weft_name name = weft_name_make(e->ip, e->port);
	struct shm_id id = { .pid = (uint32_t)(state >> 32),
			     .ns = e->ns,
			     .start = e->start,
			     .cookie = e->cookie };
	struct shm_peer *p;

	WEFT_ASSERT(writer < s->view.entries);
	state &= 0xff;
	if ((state != SHM_READY && state != SHM_LEFT) || !id.cookie || !id.pid)
		return NULL;
	weft_name_hint_set(&name, e->hint);
	p = peer_of_entry(s, &name, &id);
	if (!p)
		return NULL;
	s->rx[writer] = (struct shm_rx){ .peer = p };
	if (writer >= s->rx_used)
		s->rx_used = writer + 1u;
	return p;
}

/* Marks p lost; poll reports the loss when p's last packets have been read. */
void shm_peer_fail(struct shm *s, struct shm_peer *p, int err)
{
	if (p->state == SHM_PEER_LOST)
		return;
	WEFT_ASSERT(err > 0 && weft_list_empty(&p->end_node));
	if (p->state == SHM_PEER_UP)
		weft_store64(&p->view.entry[p->writer].state,
			     (uint64_t)s->id.pid << 32 | SHM_LEFT);
	/*
	 * a living peer may still read the cells sent to it: keep them until it
	 * dies
	 */
	if (err != EPROTO && err != ENOMEM)
		shm_cell_forget(s, p);
	weft_list_remove(&p->cell_node);
	shm_sock_forget(s, p);
	p->state = SHM_PEER_LOST;
	for (uint32_t i = 0; i < s->rx_used; i++) {
		if (s->rx[i].peer == p)
			s->rx[i].ready = 0;
	}
	p->end_err = err;
	p->end_ticket = shm_tail_ticket(weft_load64(&s->view.head->tail));
	weft_list_push_back(&s->ending, &p->end_node);
	if (shm_name_find(s, &p->name) == p)
		weft_hash_del(&s->by_name, shm_name_key(&p->name));
	weft_store32_relaxed(&s->nudge, 1);
}

/*
 * Frees the entries of a lost peer; if the peer is alive, marks them refused.
 */
static void peer_entries_free(struct shm *s, struct shm_peer *p)
{
	for (uint32_t i = 0; i < s->rx_used; i++) {
		struct shm_entry *e = &s->view.entry[i];

		if (s->rx[i].peer != p)
			continue;
		/* notify the living peer that its packets are refused */
		if (p->end_err == EPROTO || p->end_err == ENOMEM) {
			weft_store64(&e->cells_done, SHM_REFUSED);
			continue;
		}
		s->rx[i] = (struct shm_rx){ 0 };
		weft_store64(&e->cells_done, 0);
		weft_store64(&e->state, SHM_FREE);
	}
}

/* Reports the loss of p, after its last packet in the FIFO was read. */
void shm_peer_end(struct shm *s, struct shm_peer *p)
{
	WEFT_ASSERT(p->state == SHM_PEER_LOST && p->end_err);
	weft_list_remove(&p->end_node);
	shm_held_drop(s, p);
	peer_entries_free(s, p);
	if (weft_hash_get(&s->by_cookie, p->id.cookie) == p)
		weft_hash_del(&s->by_cookie, p->id.cookie);
	/*
	 * keep the mapping if the caller may hold a pointer into the shared
	 * area
	 */
	if (!p->shared) {
		shm_map_drop(&p->view);
		p->mapped = false;
	}
	if (p->life >= 0)
		close(p->life);
	p->life = -1;
	p->base.lost = (uint16_t)p->end_err;
	weft_log(WEFT_LOG_INFO, "shm: peer %u (pid %u) is lost: %s",
		 p->base.index, p->id.pid, strerror(p->end_err));
	s->up->lost(s->up_arg, &p->base, p->end_err);
}

void shm_peer_close(struct shm *s, struct shm_peer *p)
{
	if (p->state == SHM_PEER_UP)
		weft_store64(&p->view.entry[p->writer].state,
			     (uint64_t)s->id.pid << 32 | SHM_LEFT);
	shm_sock_forget(s, p);
	shm_held_drop(s, p);
	shm_map_drop(&p->view);
	if (p->life >= 0)
		close(p->life);
	free(p);
}
