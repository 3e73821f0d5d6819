/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tagged ports, host part: requests, packets to peers, receives for the thread.
 * Each destination has its own command queue, so a destination that discards
 * packets does not block the others; cookies keep the packets in order.
 */
#include "prov/machine/qsnet2/qsnet2_tport.h"

#include "src/base/attr.h"
#include "src/base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TPORT_SLOTS	 128
#define TPORT_ELAN_BYTES (4u << 20)
#define TPORT_CLOSE_NS	 1000000000u
#define TPORT_WRITES	 (TPORT_SLOT / WEFT_QSNET2_WRITE)
#define TPORT_WORDS	 (8 + TPORT_SLOT / 8 + 2 * TPORT_WRITES)

/* ---- requests ---- */

static struct tport_req *tport_req_alloc(struct weft_qsnet2_tports *t)
{
	struct weft_list *pos = weft_list_pop_front(&t->free);

	return pos ? weft_container_of(pos, struct tport_req, link) : NULL;
}

static unsigned tport_number(const struct weft_qsnet2_tports *t,
			     const struct tport_req *r)
{
	return (unsigned)(r - t->elan->req);
}

static void tport_req_free(struct weft_qsnet2_tports *t, struct tport_req *r)
{
	r->state = TPORT_FREE;
	weft_list_push_back(&t->free, &r->link);
}

/* Writes the seven words of a command that starts the thread. */
static void tport_start(uint64_t *words, enum tport_program pc, uint64_t reg)
{
	struct weft_qsnet2_stream st = { .word = words,
					 .max = TPORT_START_WORDS };
	const uint64_t regs[6] = { reg };

	weft_qsnet2_start_thread(&st, pc, regs);
}

/* ---- sending ---- */

static struct tport_dest *tport_dest(struct weft_qsnet2_tports *t,
				     uint32_t vproc)
{
	struct tport_dest *d = weft_hash_get(&t->dest, (uint64_t)vproc + 1);

	if (d)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	if (!weft_qsnet2_queue_open(t->s, t->context, 8192,
				    WEFT_QSNET2_MAY_STEN, 0, &d->q)) {
		if (!weft_hash_set(&t->dest, (uint64_t)vproc + 1, d))
			return d;
		weft_qsnet2_queue_close(t->s, d->q);
	}
	free(d);
	return NULL;
}

/*
 * Writes a packet for a slot of the destination's input queue; the cookie
 * ensures that it is executed once and in order.
 */
static void tport_packet(struct weft_qsnet2_stream *st,
			 const struct tport_dest *d, uint32_t dest,
			 uint64_t cookie, const void *buf, unsigned bytes)
{
	const unsigned char *p = buf;
	unsigned n;

	weft_qsnet2_open_packet(st, d->next_channel & 1, dest, QSNET2_FOREVER);
	weft_qsnet2_transaction(st, WEFT_QSNET2_T_IDENTIFY, cookie, NULL, 0);
	weft_qsnet2_transaction(st, WEFT_QSNET2_T_GET_INDEX, TPORT_ADDRESS,
				NULL, 0);
	for (unsigned at = 0; at < bytes; at += n) {
		n = bytes - at < WEFT_QSNET2_WRITE ? bytes - at
						   : WEFT_QSNET2_WRITE;
		weft_qsnet2_transaction(st, WEFT_QSNET2_T_WRITE, at, p + at, n);
	}
	weft_qsnet2_transaction(st, WEFT_QSNET2_T_COMMIT | WEFT_QSNET2_T_LAST,
				TPORT_ADDRESS, NULL, 0);
}

static int tport_send(struct weft_qsnet2_tports *t, uint32_t dest,
		      const struct tport_envelope *env, const void *buf)
{
	struct qsnet2_route *r = qsnet2_route(t->s, dest);
	struct tport_dest *d = tport_dest(t, dest);
	alignas(8) unsigned char slot[TPORT_SLOT];
	uint64_t words[TPORT_WORDS];
	struct weft_qsnet2_stream st = { .word = words, .max = TPORT_WORDS };
	unsigned bytes = env->src ? 0 : (unsigned)env->bytes;
	int err;

	if (!d)
		return -ENOMEM;
	memcpy(slot, env, sizeof(*env));
	if (bytes)
		memcpy(slot + sizeof(*env), buf, bytes);
	tport_packet(&st, d, dest, r->cookie + 1, slot,
		     (unsigned)sizeof(*env) + bytes);
	if (st.count > st.max)
		return -EMSGSIZE;
	err = weft_qsnet2_queue_write(t->s, d->q, words, st.count);
	if (err)
		return err == -EIO && r->peer->lost ? -ECONNRESET : err;
	r->cookie++;
	d->next_channel++;
	return 0;
}

static bool tport_memory_possible(struct weft_qsnet2_tports *t, const void *buf,
				  uint64_t bytes, unsigned perm)
{
	return !bytes || qsnet2_memory_possible(t->s, t->context,
						(uintptr_t)buf, bytes, perm);
}

WEFT_EXPORT int weft_qsnet2_tports_tx(struct weft_qsnet2_tports *t,
				      uint32_t dest, uint64_t tag,
				      const void *buf, uint64_t bytes,
				      unsigned flags, unsigned *req_p)
{
	const unsigned perm = WEFT_QSNET2_LOCAL_READ | WEFT_QSNET2_REMOTE_READ;
	bool is_long = bytes > t->eager_bytes || flags & WEFT_QSNET2_SYNC;
	struct tport_envelope env = {
		.sender = t->me,
		.tag = tag,
		.bytes = bytes,
	};
	struct tport_req *r;
	int err;

	if (flags & ~WEFT_QSNET2_SYNC || bytes > INT32_MAX)
		return -EINVAL;
	if (!tport_has_route(t, dest))
		return -ENOENT;
	if (is_long && !tport_memory_possible(t, buf, bytes, perm))
		return -EFAULT;
	r = tport_req_alloc(t);
	if (!r)
		return -EAGAIN;
	env.req = tport_number(t, r);
	/* not 0, even for a synchronous message without data */
	env.src = is_long ? (bytes ? (uintptr_t)buf : TPORT_ADDRESS) : 0;
	r->tx = true;
	r->peer = dest;
	r->event = (struct weft_qsnet2_event){ .count = -1 };
	r->status = (struct weft_qsnet2_tports_status){ .sender = dest,
							.tag = tag,
							.bytes = bytes };
	r->state = is_long ? TPORT_WAITING : TPORT_DONE;
	err = tport_send(t, dest, &env, buf);
	if (err) {
		tport_req_free(t, r);
		return err;
	}
	*req_p = env.req;
	return 0;
}

/* ---- receiving ---- */

WEFT_EXPORT int weft_qsnet2_tports_rx(struct weft_qsnet2_tports *t,
				      uint32_t sender, uint64_t tag,
				      uint64_t ignore, void *buf,
				      uint64_t bytes, unsigned *req_p)
{
	uint64_t words[TPORT_START_WORDS];
	struct tport_req *r;
	int err;

	if (!tport_memory_possible(t, buf, bytes,
				   WEFT_QSNET2_LOCAL_WRITE |
					   WEFT_QSNET2_REMOTE_WRITE))
		return -EFAULT;
	r = tport_req_alloc(t);
	if (!r)
		return -EAGAIN;
	r->tx = false;
	r->peer = sender;
	r->tag = tag;
	r->ignore = ignore;
	r->buf = (uintptr_t)buf;
	r->room = bytes;
	r->state = TPORT_WAITING;
	tport_start(r->start, TPORT_PC_FETCHED, tport_number(t, r));
	r->event = (struct weft_qsnet2_event){
		.type = WEFT_QSNET2_EVENT_COPY,
		.words = TPORT_START_WORDS,
		.from = tport_address(t, r->start),
		.to = WEFT_QSNET2_QUEUE_ADDRESS(t->q_event),
	};
	tport_start(words, TPORT_PC_POST, tport_number(t, r));
	err = weft_qsnet2_queue_write(t->s, t->q_post, words,
				      TPORT_START_WORDS);
	if (err) {
		tport_req_free(t, r);
		return err;
	}
	*req_p = tport_number(t, r);
	return 0;
}

WEFT_EXPORT int weft_qsnet2_tports_done(struct weft_qsnet2_tports *t,
					unsigned req,
					struct weft_qsnet2_tports_status *st)
{
	struct tport_req *r;

	if (req >= WEFT_QSNET2_TPORTS_REQS ||
	    t->elan->req[req].state == TPORT_FREE)
		return -EINVAL;
	r = &t->elan->req[req];
	if (r->tx && r->state == TPORT_WAITING && !r->event.count)
		r->state = TPORT_DONE;
	if (r->state != TPORT_DONE)
		return -EAGAIN;
	if (st)
		*st = r->status;
	tport_req_free(t, r);
	return 0;
}

WEFT_EXPORT int weft_qsnet2_tports_wait(struct weft_qsnet2_tports *t,
					unsigned req,
					struct weft_qsnet2_tports_status *st,
					uint64_t timeout_ns)
{
	uint64_t start = weft_now_ns();
	uint64_t past = 0;
	int err;

	while ((err = weft_qsnet2_tports_done(t, req, st)) == -EAGAIN) {
		if (weft_qsnet2_poll(t->s, 16))
			continue;
		past = weft_now_ns() - start;
		if (past >= timeout_ns)
			return -ETIMEDOUT;
		weft_qsnet2_wait(t->s, timeout_ns - past);
	}
	return err;
}

WEFT_EXPORT void weft_qsnet2_tports_stats(struct weft_qsnet2_tports *t,
					  struct weft_qsnet2_tports_stats *st)
{
	*st = t->stats;
}

/* ---- open and close ---- */

static int tport_elan_open(struct weft_qsnet2_tports *t, uint32_t slots)
{
	size_t bytes = sizeof(*t->elan) + (size_t)slots * TPORT_SLOT;
	void *mem;
	struct tport_elan *e;

	if (slots & (slots - 1) || slots > 65536)
		return -EINVAL;
	if (posix_memalign(&mem, 64, bytes))
		return -ENOMEM;
	memset(mem, 0, bytes);
	t->elan = mem;
	e = t->elan;
	weft_qsnet2_input_init(&e->input, NULL, TPORT_SLOT, slots,
			       tport_address(t, &e->arrived));
	e->input.base = tport_address(t, e->slot);
	tport_start(e->start, TPORT_PC_ARRIVED, 0);
	e->arrived = (struct weft_qsnet2_event){
		.count = -1,
		.type = WEFT_QSNET2_EVENT_COPY,
		.words = TPORT_START_WORDS,
		.from = tport_address(t, e->start),
		.to = WEFT_QSNET2_QUEUE_ADDRESS(t->q_event),
	};
	for (unsigned i = 0; i < WEFT_QSNET2_TPORTS_REQS; i++)
		weft_list_push_back(&t->free, &e->req[i].link);
	return weft_qsnet2_map_at(t->s, t->context, TPORT_ADDRESS, mem, bytes,
				  WEFT_QSNET2_ALL | WEFT_QSNET2_LARGE);
}

#define TPORT_NO_QUEUE UINT32_MAX

/*
 * Opens the queues. The host and events start the thread through separate
 * queues, so the host never waits for queue space.
 */
static int tport_queues_open(struct weft_qsnet2_tports *t)
{
	int err = weft_qsnet2_queue_open(t->s, t->context, 64 * 1024,
					 WEFT_QSNET2_MAY_THREAD, 0, &t->q_post);

	if (!err)
		err = weft_qsnet2_queue_open(t->s, t->context, 8192,
					     WEFT_QSNET2_MAY_THREAD,
					     WEFT_QSNET2_HIGH, &t->q_event);
	if (!err)
		err = weft_qsnet2_queue_open(t->s, t->context, 8192,
					     WEFT_QSNET2_MAY_DMA, 0,
					     &t->q_thread);
	return err;
}

WEFT_EXPORT int
weft_qsnet2_tports_open(struct weft_qsnet2 *s,
			const struct weft_qsnet2_tports_attr *attr,
			struct weft_qsnet2_tports **t_p)
{
	struct weft_qsnet2_tports *t;
	int err;

	if (attr->context >= WEFT_QSNET2_CONTEXTS ||
	    attr->vproc >= WEFT_QSNET2_VPROCS ||
	    attr->eager_bytes > WEFT_QSNET2_TPORTS_MAX)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->s = s;
	t->context = attr->context;
	t->me = attr->vproc;
	t->eager_bytes =
		attr->eager_bytes ? attr->eager_bytes : WEFT_QSNET2_TPORTS_MAX;
	t->elan_room = attr->elan_bytes ? attr->elan_bytes : TPORT_ELAN_BYTES;
	t->q_post = t->q_event = t->q_thread = TPORT_NO_QUEUE;
	weft_hash_init(&t->dest);
	weft_list_init(&t->free);
	weft_list_init(&t->posted);
	weft_list_init(&t->early);
	weft_list_init(&t->matched);
	weft_list_push_back(&s->tports, &t->link);
	err = tport_queues_open(t);
	if (!err)
		err = tport_elan_open(t,
				      attr->slots ? attr->slots : TPORT_SLOTS);
	if (!err)
		err = tport_programs_set(t, true);
	if (err) {
		weft_qsnet2_tports_close(t);
		return err;
	}
	*t_p = t;
	return 0;
}

static void dest_waits(void *arg, uint64_t key, void *val)
{
	struct weft_qsnet2_tports *t = ((void **)arg)[0];
	bool *waits = ((void **)arg)[1];
	const struct qsnet2_queue *q =
		qsnet2_queue(t->s, ((struct tport_dest *)val)->q);

	if (!q->trap && q->tail != qsnet2_queue_oldest(q))
		*waits = true;
}

static void tport_flush(struct weft_qsnet2_tports *t)
{
	uint64_t start = weft_now_ns();
	bool waits = true;
	void *arg[] = { t, &waits };

	while (waits && weft_now_ns() - start < TPORT_CLOSE_NS) {
		waits = false;
		weft_hash_each(&t->dest, dest_waits, arg);
		if (waits && !weft_qsnet2_poll(t->s, 16))
			weft_qsnet2_wait(t->s, 1000000);
	}
}

static void dest_close(void *arg, uint64_t key, void *val)
{
	struct tport_dest *d = val;

	weft_qsnet2_queue_close(arg, d->q);
	free(d);
}

static void tport_queue_close(struct weft_qsnet2_tports *t, unsigned q)
{
	if (q != TPORT_NO_QUEUE)
		weft_qsnet2_queue_close(t->s, q);
}

WEFT_EXPORT void weft_qsnet2_tports_close(struct weft_qsnet2_tports *t)
{
	if (!t)
		return;
	tport_flush(t);
	weft_list_remove(&t->link);
	tport_programs_set(t, false);
	weft_hash_each(&t->dest, dest_close, t->s);
	weft_hash_fini(&t->dest);
	tport_queue_close(t, t->q_post);
	tport_queue_close(t, t->q_event);
	tport_queue_close(t, t->q_thread);
	tport_match_fini(t);
	weft_qsnet2_unmap_at(t->s, t->context, TPORT_ADDRESS);
	free(t->elan);
	free(t);
}
