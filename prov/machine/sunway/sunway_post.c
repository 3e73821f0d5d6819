/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors. A program writes descriptors to the send queue of an interface,
 * and the engine fetches them. A fast short message is written on chip, with
 * its data. The engine serves the interfaces that have descriptors round-robin,
 * one descriptor each, while it has fewer than 256 messages in flight.
 */
#include "prov/machine/sunway/sunway_dev.h"

#include "src/base/iov.h"

/* ---- messages in flight ---- */

void sunway_msg_init(struct sunway_me *e, unsigned engine)
{
	weft_list_init(&e->ready);
	weft_list_init(&e->waiting);
	weft_list_init(&e->free);
	weft_list_init(&e->reply_slots);
	for (unsigned i = 0; i < SUNWAY_CLASSES; i++)
		weft_list_init(&e->run[i]);
	for (unsigned i = 0; i < WEFT_COUNT_OF(e->msg); i++) {
		e->msg[i].engine = (uint8_t)engine;
		weft_list_push_back(i < WEFT_SUNWAY_IN_FLIGHT ? &e->free
							      : &e->reply_slots,
				    &e->msg[i].link);
	}
}

WEFT_HOT struct sunway_msg *sunway_msg_take(struct weft_sunway *n,
					    unsigned engine)
{
	struct sunway_me *e = &n->me[engine];
	struct weft_list *pos = weft_list_pop_front(&e->free);

	if (!pos)
		return NULL;
	if (++e->in_flight > n->stats.in_flight_max)
		n->stats.in_flight_max = e->in_flight;
	return weft_container_of(pos, struct sunway_msg, link);
}

struct sunway_msg *sunway_msg_take_reply(struct weft_sunway *n, unsigned engine)
{
	struct weft_list *pos = weft_list_pop_front(&n->me[engine].reply_slots);
	struct sunway_msg *m;

	if (!pos)
		return NULL;
	m = weft_container_of(pos, struct sunway_msg, link);
	m->serves_read = true;
	return m;
}

WEFT_HOT void sunway_msg_free(struct weft_sunway *n, struct sunway_msg *m)
{
	struct sunway_me *e = &n->me[m->engine];
	uint8_t engine = m->engine;
	uint32_t gen = m->gen + 1;
	bool serves_read = m->serves_read;

	weft_list_remove(&m->link);
	sunway_bits_fini(&m->bits);
	memset(m, 0, offsetof(struct sunway_msg, data));
	m->engine = engine;
	m->gen = gen;
	/* the slot that was used last is still in the cache */
	weft_list_push_front(serves_read ? &e->reply_slots : &e->free,
			     &m->link);
	e->in_flight -= !serves_read;
}

static unsigned msg_class(const struct sunway_msg *m)
{
	if (m->fsm || m->d.flags & WEFT_SUNWAY_FAST)
		return SUNWAY_CLASS_FAST;
	if (m->d.bytes <= WEFT_SUNWAY_PACKET ||
	    (m->d.op == WEFT_SUNWAY_RDMAR && !m->serves_read))
		return SUNWAY_CLASS_SHORT;
	return m->d.bytes <= SUNWAY_MIDDLE ? SUNWAY_CLASS_MIDDLE
					   : SUNWAY_CLASS_LONG;
}

void sunway_msg_run(struct weft_sunway *n, struct sunway_msg *m)
{
	m->state = SUNWAY_SENDING;
	m->class = (uint8_t)msg_class(m);
	weft_list_push_back(&n->me[m->engine].run[m->class], &m->link);
}

WEFT_HOT void sunway_msg_end(struct weft_sunway *n, struct sunway_msg *m,
			     unsigned status, uint64_t value)
{
	struct sunway_vi *v = &n->me[m->engine].vi[m->vi];
	bool promised = m->d.flags & WEFT_SUNWAY_EVENT;
	struct weft_sunway_event ev = {
		.cookie = m->d.cookie,
		.bytes = m->d.bytes,
		.op = m->d.op,
		.status = (uint8_t)status,
		.data = value,
	};

	if (m->d.op == SUNWAY_OP_GATHER) {
		sunway_coll_sent(n, m, status);
	} else if (!m->orphan && !m->serves_read) {
		v->reserved -= promised;
		/* errors are reported even if no event was requested */
		if (promised || (status && sunway_cq_space(v)))
			sunway_cq_write(v, &ev);
	}
	sunway_msg_free(n, m);
}

void sunway_msg_drop(struct weft_sunway *n, struct sunway_msg *m)
{
	struct sunway_vi *v = &n->me[m->engine].vi[m->vi];

	v->reserved -= !!(m->d.flags & WEFT_SUNWAY_EVENT);
	sunway_msg_free(n, m);
}

uint32_t sunway_msg_id(const struct weft_sunway *n, const struct sunway_msg *m)
{
	return m->gen << 9 | (uint32_t)m->engine << 8 |
	       (uint32_t)(m - n->me[m->engine].msg);
}

struct sunway_msg *sunway_msg_find(struct weft_sunway *n, uint32_t guid,
				   uint32_t id)
{
	struct sunway_msg *m =
		&n->me[id >> 8 & 1].msg[id & (WEFT_SUNWAY_IN_FLIGHT - 1)];

	if (m->state == SUNWAY_FREE || m->d.guid != guid ||
	    sunway_msg_id(n, m) != id)
		return NULL;
	return m;
}

/* ---- from the interfaces to the engine ---- */

/* Takes the next descriptor of an interface. Returns whether there are more. */
static bool vi_next(struct weft_sunway *n, struct sunway_vi *v,
		    struct sunway_msg *m)
{
	struct sunway_fsm *f;

	if (v->fsm_head != v->fsm_tail) {
		f = &v->fsm[v->fsm_head++ % SUNWAY_FSMS];
		m->d = f->d;
		m->fsm = true;
		memcpy(m->data, f->data, sizeof(m->data));
	} else {
		m->d = v->sq[v->sq_head++ & (v->sends - 1)];
		n->stats.fetches++;
	}
	return v->fsm_head != v->fsm_tail || v->sq_head != v->sq_tail;
}

static void msg_begin(struct weft_sunway *n, struct sunway_msg *m)
{
	unsigned status = WEFT_SUNWAY_OK;

	if (m->d.op == WEFT_SUNWAY_MANAGE && m->d.flags & WEFT_SUNWAY_SOURCE &&
	    !sunway_route(n, m->d.hop, &m->d.guid))
		status = WEFT_SUNWAY_NO_NODE;
	if (m->d.op == WEFT_SUNWAY_QUEUE && m->d.flags & WEFT_SUNWAY_RELIABLE &&
	    sunway_window_join(n, m))
		status = WEFT_SUNWAY_NO_NODE;
	if (status)
		sunway_msg_end(n, m, status, 0);
	else
		sunway_msg_run(n, m);
}

WEFT_HOT void sunway_fetch(struct weft_sunway *n, unsigned engine)
{
	struct sunway_me *e = &n->me[engine];

	while (!weft_list_empty(&e->ready) && !weft_list_empty(&e->free)) {
		struct sunway_vi *v = weft_container_of(
			e->ready.next, struct sunway_vi, ready);
		struct sunway_msg *m = sunway_msg_take(n, engine);

		m->vi = (uint8_t)(v - e->vi);
		m->job = v->job;
		weft_list_remove(&v->ready);
		if (vi_next(n, v, m))
			weft_list_push_back(&e->ready, &v->ready);
		msg_begin(n, m);
	}
}

/* ---- from the program to the interface ---- */

static bool desc_valid(const struct weft_sunway *n,
		       const struct weft_sunway_desc *d)
{
	bool write = d->op == WEFT_SUNWAY_RDMAW;

	if (!d->op || d->op > WEFT_SUNWAY_MANAGE || d->vi >= WEFT_SUNWAY_VIS ||
	    d->engine >= WEFT_SUNWAY_ENGINES || d->guid >= WEFT_SUNWAY_GUIDS)
		return false;
	if (d->port != WEFT_SUNWAY_ADAPTIVE && d->port >= n->ports)
		return false;
	if (d->flags & WEFT_SUNWAY_NOTIFY &&
	    (!write || d->flags & WEFT_SUNWAY_ANSWER))
		return false;
	if (d->flags & WEFT_SUNWAY_ANSWER && !write &&
	    d->op != WEFT_SUNWAY_RDMAR)
		return false;
	return true;
}

static void vi_ready(struct weft_sunway *n, unsigned engine,
		     struct sunway_vi *v, const struct weft_sunway_desc *d)
{
	v->reserved += !!(d->flags & WEFT_SUNWAY_EVENT);
	if (weft_list_empty(&v->ready))
		weft_list_push_back(&n->me[engine].ready, &v->ready);
}

WEFT_HOT WEFT_EXPORT int weft_sunway_post(struct weft_sunway *n,
					  unsigned engine, unsigned vi,
					  const struct weft_sunway_desc *d)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);

	if (!v || !desc_valid(n, d) || d->op == WEFT_SUNWAY_IO_WRITE ||
	    d->op == WEFT_SUNWAY_IO_READ)
		return -EINVAL;
	if (d->op == WEFT_SUNWAY_QUEUE && d->bytes > WEFT_SUNWAY_PACKET)
		return -EMSGSIZE;
	if (d->op == WEFT_SUNWAY_MANAGE && v->job >= WEFT_SUNWAY_SYSTEM_JOBS)
		return -EPERM;
	if (v->sq_tail - v->sq_head >= v->sends ||
	    (d->flags & WEFT_SUNWAY_EVENT && !sunway_cq_space(v)))
		return -EAGAIN;
	v->sq[v->sq_tail++ & (v->sends - 1)] = *d;
	vi_ready(n, engine, v, d);
	return 0;
}

static size_t iov_bytes(const struct iovec *iov, int count)
{
	size_t bytes = 0;

	for (int i = 0; i < count; i++)
		bytes += iov[i].iov_len;
	return bytes;
}

/* Gathers the data of a fast short message. Returns 0 or -EMSGSIZE. */
static int fsm_gather(struct sunway_fsm *f, const struct iovec *iov, int count)
{
	bool sends =
		f->d.op != WEFT_SUNWAY_RDMAR && f->d.op != WEFT_SUNWAY_IO_READ;
	size_t bytes = sends ? iov_bytes(iov, count) : f->d.bytes;

	if (count > WEFT_SUNWAY_GATHER)
		return -EINVAL;
	if (bytes > WEFT_SUNWAY_FSM)
		return -EMSGSIZE;
	if (f->d.op == WEFT_SUNWAY_IO_WRITE && bytes != sizeof(uint64_t))
		return -EINVAL;
	f->d.bytes = (uint32_t)bytes;
	if (sends)
		weft_iov_gather(f->data, iov, count);
	return 0;
}

WEFT_EXPORT int weft_sunway_fsm(struct weft_sunway *n, unsigned engine,
				unsigned vi, const struct weft_sunway_desc *d,
				const struct iovec *iov, int count)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);
	struct sunway_fsm *f;
	int err;

	if (!v || !desc_valid(n, d) || d->op == WEFT_SUNWAY_MANAGE)
		return -EINVAL;
	if (v->fsm_tail - v->fsm_head >= SUNWAY_FSMS ||
	    (d->flags & WEFT_SUNWAY_EVENT && !sunway_cq_space(v)))
		return -EAGAIN;
	f = &v->fsm[v->fsm_tail % SUNWAY_FSMS];
	f->d = *d;
	err = fsm_gather(f, iov, count);
	if (err)
		return err;
	v->fsm_tail++;
	n->stats.fsms++;
	vi_ready(n, engine, v, d);
	return 0;
}
