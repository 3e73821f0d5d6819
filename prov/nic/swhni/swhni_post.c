/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors. A program writes them into the send queue of an interface, from
 * which the engine fetches them; a fast short message is written on chip with
 * its data. The engine serves the interfaces that have descriptors round-robin,
 * one descriptor each, while it has fewer than 256 messages in flight.
 */
#include "prov/nic/swhni/swhni_dev.h"

#include "src/base/iov.h"

/* ---- messages in flight ---- */

void swhni_msg_init(struct swhni_me *e, unsigned engine)
{
	weft_list_init(&e->ready);
	weft_list_init(&e->waiting);
	weft_list_init(&e->free);
	weft_list_init(&e->backs);
	for (unsigned i = 0; i < SWHNI_CLASSES; i++)
		weft_list_init(&e->run[i]);
	for (unsigned i = 0; i < WEFT_COUNT_OF(e->msg); i++) {
		e->msg[i].engine = (uint8_t)engine;
		weft_list_push_back(i < WEFT_SWHNI_IN_FLIGHT ? &e->free
							     : &e->backs,
				    &e->msg[i].link);
	}
}

struct swhni_msg *swhni_msg_take(struct weft_swhni *n, unsigned engine)
{
	struct swhni_me *e = &n->me[engine];
	struct weft_list *pos = weft_list_pop_front(&e->free);

	if (!pos)
		return NULL;
	if (++e->flying > n->stats.in_flight_max)
		n->stats.in_flight_max = e->flying;
	return weft_container_of(pos, struct swhni_msg, link);
}

struct swhni_msg *swhni_msg_take_reply(struct weft_swhni *n, unsigned engine)
{
	struct weft_list *pos = weft_list_pop_front(&n->me[engine].backs);
	struct swhni_msg *m;

	if (!pos)
		return NULL;
	m = weft_container_of(pos, struct swhni_msg, link);
	m->back = true;
	return m;
}

void swhni_msg_free(struct weft_swhni *n, struct swhni_msg *m)
{
	struct swhni_me *e = &n->me[m->engine];
	uint8_t engine = m->engine;
	uint32_t gen = m->gen + 1;
	bool back = m->back;

	weft_list_remove(&m->link);
	swhni_bits_fini(&m->bits);
	memset(m, 0, offsetof(struct swhni_msg, data));
	m->engine = engine;
	m->gen = gen;
	weft_list_push_back(back ? &e->backs : &e->free, &m->link);
	e->flying -= !back;
}

static unsigned msg_class(const struct swhni_msg *m)
{
	if (m->fsm || m->d.flags & WEFT_SWHNI_FAST)
		return SWHNI_CLASS_FAST;
	if (m->d.bytes <= WEFT_SWHNI_PACKET ||
	    (m->d.op == WEFT_SWHNI_RDMAR && !m->back))
		return SWHNI_CLASS_SHORT;
	return m->d.bytes <= SWHNI_MIDDLE ? SWHNI_CLASS_MIDDLE
					  : SWHNI_CLASS_LONG;
}

void swhni_msg_run(struct weft_swhni *n, struct swhni_msg *m)
{
	m->state = SWHNI_SENDING;
	m->class = (uint8_t)msg_class(m);
	weft_list_push_back(&n->me[m->engine].run[m->class], &m->link);
}

void swhni_msg_end(struct weft_swhni *n, struct swhni_msg *m, unsigned status,
		   uint64_t value)
{
	struct swhni_vi *v = &n->me[m->engine].vi[m->vi];
	bool promised = m->d.flags & WEFT_SWHNI_EVENT;
	struct weft_swhni_event ev = {
		.cookie = m->d.cookie,
		.bytes = m->d.bytes,
		.op = m->d.op,
		.status = (uint8_t)status,
		.data = value,
	};

	if (m->d.op == SWHNI_OP_GATHER) {
		swhni_coll_sent(n, m, status);
	} else if (!m->orphan && !m->back) {
		v->owed -= promised;
		/* errors are reported even if no event was requested */
		if (promised || (status && swhni_cq_room(v)))
			swhni_cq_write(v, &ev);
	}
	swhni_msg_free(n, m);
}

uint32_t swhni_msg_id(const struct weft_swhni *n, const struct swhni_msg *m)
{
	return m->gen << 9 | (uint32_t)m->engine << 8 |
	       (uint32_t)(m - n->me[m->engine].msg);
}

struct swhni_msg *swhni_msg_find(struct weft_swhni *n, uint32_t guid,
				 uint32_t id)
{
	struct swhni_msg *m =
		&n->me[id >> 8 & 1].msg[id & (WEFT_SWHNI_IN_FLIGHT - 1)];

	if (m->state == SWHNI_FREE || m->d.guid != guid ||
	    swhni_msg_id(n, m) != id)
		return NULL;
	return m;
}

/* ---- from the interfaces to the engine ---- */

/* Takes the next descriptor of an interface; true: it has more. */
static bool vi_next(struct weft_swhni *n, struct swhni_vi *v,
		    struct swhni_msg *m)
{
	struct swhni_fsm *f;

	if (v->fsm_head != v->fsm_tail) {
		f = &v->fsm[v->fsm_head++ % SWHNI_FSMS];
		m->d = f->d;
		m->fsm = true;
		memcpy(m->data, f->data, sizeof(m->data));
	} else {
		m->d = v->sq[v->sq_head++ & (v->sends - 1)];
		n->stats.fetches++;
	}
	return v->fsm_head != v->fsm_tail || v->sq_head != v->sq_tail;
}

static void msg_begin(struct weft_swhni *n, struct swhni_msg *m)
{
	unsigned status = WEFT_SWHNI_OK;

	if (m->d.op == WEFT_SWHNI_MANAGE && m->d.flags & WEFT_SWHNI_SOURCE &&
	    !swhni_route(n, m->d.hop, &m->d.guid))
		status = WEFT_SWHNI_NO_NODE;
	if (m->d.op == WEFT_SWHNI_QUEUE && m->d.flags & WEFT_SWHNI_RELIABLE &&
	    swhni_window_join(n, m))
		status = WEFT_SWHNI_NO_NODE;
	if (status)
		swhni_msg_end(n, m, status, 0);
	else
		swhni_msg_run(n, m);
}

void swhni_fetch(struct weft_swhni *n, unsigned engine)
{
	struct swhni_me *e = &n->me[engine];

	while (!weft_list_empty(&e->ready) && !weft_list_empty(&e->free)) {
		struct swhni_vi *v = weft_container_of(e->ready.next,
						       struct swhni_vi, ready);
		struct swhni_msg *m = swhni_msg_take(n, engine);

		m->vi = (uint8_t)(v - e->vi);
		m->job = v->job;
		weft_list_remove(&v->ready);
		if (vi_next(n, v, m))
			weft_list_push_back(&e->ready, &v->ready);
		msg_begin(n, m);
	}
}

/* ---- from the program to the interface ---- */

static bool desc_valid(const struct weft_swhni *n,
		       const struct weft_swhni_desc *d)
{
	bool write = d->op == WEFT_SWHNI_RDMAW;

	if (!d->op || d->op > WEFT_SWHNI_MANAGE || d->vi >= WEFT_SWHNI_VIS ||
	    d->engine >= WEFT_SWHNI_ENGINES || d->guid >= WEFT_SWHNI_GUIDS)
		return false;
	if (d->port != WEFT_SWHNI_ADAPTIVE && d->port >= n->ports)
		return false;
	if (d->flags & WEFT_SWHNI_NOTIFY &&
	    (!write || d->flags & WEFT_SWHNI_ANSWER))
		return false;
	if (d->flags & WEFT_SWHNI_ANSWER && !write && d->op != WEFT_SWHNI_RDMAR)
		return false;
	return true;
}

static void vi_ready(struct weft_swhni *n, unsigned engine, struct swhni_vi *v,
		     const struct weft_swhni_desc *d)
{
	v->owed += !!(d->flags & WEFT_SWHNI_EVENT);
	if (weft_list_empty(&v->ready))
		weft_list_push_back(&n->me[engine].ready, &v->ready);
}

WEFT_EXPORT int weft_swhni_post(struct weft_swhni *n, unsigned engine,
				unsigned vi, const struct weft_swhni_desc *d)
{
	struct swhni_vi *v = swhni_vi(n, engine, vi);

	if (!v || !desc_valid(n, d) || d->op == WEFT_SWHNI_IO_WRITE ||
	    d->op == WEFT_SWHNI_IO_READ)
		return -EINVAL;
	if (d->op == WEFT_SWHNI_QUEUE && d->bytes > WEFT_SWHNI_PACKET)
		return -EMSGSIZE;
	if (d->op == WEFT_SWHNI_MANAGE && v->job >= WEFT_SWHNI_SYSTEM_JOBS)
		return -EPERM;
	if (v->sq_tail - v->sq_head >= v->sends ||
	    (d->flags & WEFT_SWHNI_EVENT && !swhni_cq_room(v)))
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

/* Gathers the data of a fast short message; -EMSGSIZE. */
static int fsm_gather(struct swhni_fsm *f, const struct iovec *iov, int count)
{
	bool sends =
		f->d.op != WEFT_SWHNI_RDMAR && f->d.op != WEFT_SWHNI_IO_READ;
	size_t bytes = sends ? iov_bytes(iov, count) : f->d.bytes;

	if (count > WEFT_SWHNI_GATHER)
		return -EINVAL;
	if (bytes > WEFT_SWHNI_FSM)
		return -EMSGSIZE;
	if (f->d.op == WEFT_SWHNI_IO_WRITE && bytes != sizeof(uint64_t))
		return -EINVAL;
	f->d.bytes = (uint32_t)bytes;
	if (sends)
		weft_iov_gather(f->data, iov, count);
	return 0;
}

WEFT_EXPORT int weft_swhni_fsm(struct weft_swhni *n, unsigned engine,
			       unsigned vi, const struct weft_swhni_desc *d,
			       const struct iovec *iov, int count)
{
	struct swhni_vi *v = swhni_vi(n, engine, vi);
	struct swhni_fsm *f;
	int err;

	if (!v || !desc_valid(n, d) || d->op == WEFT_SWHNI_MANAGE)
		return -EINVAL;
	if (v->fsm_tail - v->fsm_head >= SWHNI_FSMS ||
	    (d->flags & WEFT_SWHNI_EVENT && !swhni_cq_room(v)))
		return -EAGAIN;
	f = &v->fsm[v->fsm_tail % SWHNI_FSMS];
	f->d = *d;
	err = fsm_gather(f, iov, count);
	if (err)
		return err;
	v->fsm_tail++;
	n->stats.fsms++;
	vi_ready(n, engine, v, d);
	return 0;
}
