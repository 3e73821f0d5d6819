/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace of calls and messages (diag_trace.h). */
#include "src/diag/diag_trace.h"

#include "src/base/clock.h"
#include "src/base/log.h"
#include "src/job/job_trace.h"
#include "src/comm/comm.h"
#include "src/core/core_lock.h"
#include "src/msg/msg.h"
#include "src/core/core_opts.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"
#include "src/core/core_time.h"

#include <errno.h>
#include <inttypes.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS = 64, CTRL = 3, ROUTES = 64 };

static_assert((int)TRACE_WORD_SYNC == (int)CTRL && WEFT_TAG_KIND_SHIFT == 48 &&
		      WEFT_TAG_CTX_SHIFT == 50 && WEFT_TAG_BITS == 31,
	      "tag word layout equals that of job_trace_layout.h");

/*
 * The state that recording of events accesses is stored with the hot data of
 * all calls: if there are more ranks than cores, every additional page costs a
 * TLB miss after each context switch.
 */
static WEFT_HOT_DATA struct weft_trace trace = { .fd = -1 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Original ops tables, and the tables that replace them during a trace. */
static WEFT_HOT_DATA struct fi_ops_tagged *tagged, hooked_tagged;
static WEFT_HOT_DATA struct fi_ops_cq *queue, hooked_queue;
static WEFT_HOT_DATA struct fi_weft_recv *direct, hooked_direct;
static WEFT_HOT_DATA struct fi_weft_typed *typed, hooked_typed;
static WEFT_HOT_DATA struct weft_trace_hooks ends;
/* the provider's table for the world; NULL in live mode */
static struct fi_weft_world *world;

static void put(enum trace_type type, const void *record, size_t bytes)
{
	pthread_mutex_lock(&lock);
	weft_trace_put(&trace, type, record, bytes);
	pthread_mutex_unlock(&lock);
}

static WEFT_NOINLINE void put_locked(const struct trace_event *e)
{
	pthread_mutex_lock(&lock);
	weft_trace_event(&trace, e);
	pthread_mutex_unlock(&lock);
}

/*
 * Writes an event. Inline, so that the way in which the event is written, which
 * depends on its constant kind, is selected at compile time.
 */
WEFT_INLINE void put_event(const struct trace_event *e)
{
	if (weft_likely(!weft_threads)) {
		weft_trace_event(&trace, e);
	} else {
		const struct trace_event copy = *e;

		put_locked(&copy);
	}
}

/*
 * time_before() and time_after() return time stamps before and after an
 * operation.
 */
static uint64_t time_before(void)
{
	return weft_likely(trace.counts) ? weft_counter()
					 : weft_core_clock_peek_ps();
}

static uint64_t time_after(void)
{
	return weft_likely(trace.counts) ? weft_counter_after()
					 : weft_core_clock_peek_ps();
}

static bool is_application_message(uint64_t word)
{
	return (word >> WEFT_TAG_KIND_SHIFT & 3) != CTRL;
}

/* ---- sends --------------------------------------------------------------- */

/*
 * Cache of lookups: for each value of the low bits of an address, the rank that
 * was found last.
 */
enum { RANK_CACHE = 1024 };
static weft_au32 rank_cache[RANK_CACHE];

static WEFT_COLD uint32_t rank_search(fi_addr_t addr)
{
	for (int i = 0; i < weft_core.job.size; i++)
		if (weft_core.proc[i].real == addr) {
			/* relaxed: the value is checked before use */
			weft_store32_relaxed(&rank_cache[addr % RANK_CACHE],
					     (uint32_t)i);
			return weft_core_member(i);
		}
	return UINT32_MAX;
}

static WEFT_NOINLINE uint32_t rank_lookup(fi_addr_t addr)
{
	/* relaxed: the value is checked before use */
	uint32_t guess = weft_load32_relaxed(&rank_cache[addr % RANK_CACHE]);

	return weft_core.proc[guess].real == addr ? weft_core_member((int)guess)
						  : rank_search(addr);
}

/* Returns the rank with this address. Often the address equals the rank. */
static inline uint32_t rank_of(fi_addr_t addr)
{
	if (weft_likely(addr < (fi_addr_t)weft_core.job.size &&
			weft_core.proc[addr].real == addr))
		return weft_core_member((int)addr);
	return rank_lookup(addr);
}

/*
 * Records a send. t: time before the send; the time after it may be too late,
 * since the message may arrive before the call returns.
 */
WEFT_INLINE ssize_t put_send(ssize_t rc, uint64_t t, size_t bytes, fi_addr_t to,
			     uint64_t word, bool later)
{
	const struct trace_event e = { .kind = TRACE_SEND,
				       .t = t,
				       .size = bytes,
				       .word = word,
				       .id = rank_of(to),
				       .later = later };

	if (!rc && is_application_message(word))
		put_event(&e);
	return rc;
}

/*
 * Records a send whose completion is reported in the queue;
 * put_completed_send() records a send that is already complete.
 */
static WEFT_NOINLINE WEFT_HOT ssize_t put_queued_send(ssize_t rc, uint64_t t,
						      size_t bytes,
						      fi_addr_t to,
						      uint64_t word)
{
	return put_send(rc, t, bytes, to, word, true);
}

static WEFT_NOINLINE WEFT_HOT ssize_t put_completed_send(ssize_t rc, uint64_t t,
							 size_t bytes,
							 fi_addr_t to,
							 uint64_t word)
{
	return put_send(rc, t, bytes, to, word, false);
}

static size_t sum(const struct iovec *iov, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += iov[i].iov_len;
	return bytes;
}

static WEFT_HOT ssize_t hook_send(struct fid_ep *ep, const void *buf,
				  size_t len, void *desc, fi_addr_t to,
				  uint64_t tag, void *context)
{
	uint64_t t = time_before();

	return put_queued_send(
		tagged->send(ep, buf, len, desc, to, tag, context), t, len, to,
		tag);
}

static ssize_t hook_sendv(struct fid_ep *ep, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t to, uint64_t tag,
			  void *context)
{
	uint64_t t = time_before();

	return put_queued_send(
		tagged->sendv(ep, iov, desc, count, to, tag, context), t,
		sum(iov, count), to, tag);
}

static ssize_t hook_sendmsg(struct fid_ep *ep, const struct fi_msg_tagged *m,
			    uint64_t flags)
{
	uint64_t t = time_before();

	return put_queued_send(tagged->sendmsg(ep, m, flags), t,
			       sum(m->msg_iov, m->iov_count), m->addr, m->tag);
}

static WEFT_HOT ssize_t hook_inject(struct fid_ep *ep, const void *buf,
				    size_t len, fi_addr_t to, uint64_t tag)
{
	uint64_t t = time_before();

	return put_completed_send(tagged->inject(ep, buf, len, to, tag), t, len,
				  to, tag);
}

static ssize_t hook_senddata(struct fid_ep *ep, const void *buf, size_t len,
			     void *desc, uint64_t data, fi_addr_t to,
			     uint64_t tag, void *context)
{
	uint64_t t = time_before();

	return put_queued_send(
		tagged->senddata(ep, buf, len, desc, data, to, tag, context), t,
		len, to, tag);
}

static ssize_t hook_injectdata(struct fid_ep *ep, const void *buf, size_t len,
			       uint64_t data, fi_addr_t to, uint64_t tag)
{
	uint64_t t = time_before();

	return put_completed_send(
		tagged->injectdata(ep, buf, len, data, to, tag), t, len, to,
		tag);
}

static ssize_t hook_typed_send(struct fid_ep *ep,
			       const struct fi_weft_data *data, size_t len,
			       fi_addr_t to, uint64_t tag, uint64_t flags,
			       void *context)
{
	uint64_t t = time_before();

	return put_queued_send(
		typed->send(ep, data, len, to, tag, flags, context), t, len, to,
		tag);
}

/* ---- receives and completions -------------------------------------------- */

/*
 * Records a receive. posted: time at which it was posted; 0: during the current
 * call.
 */
static WEFT_NOINLINE WEFT_HOT void put_recv(uint64_t word, size_t bytes,
					    uint64_t posted)
{
	uint64_t t = time_after();
	const struct trace_event e = { .kind = TRACE_RECV,
				       .t = t,
				       .span = posted ? t - posted : 0,
				       .size = bytes,
				       .word = word };

	if (is_application_message(word))
		put_event(&e);
}

/*
 * Returns the request of a receive that completes with a CQ entry; NULL: the
 * operation is not a receive.
 */
static struct weft_p2p *recv_of(void *context)
{
	struct weft_io *io = context;

	return io && io->done == ends.recv_done
		       ? weft_container_of(io, struct weft_p2p, io)
		       : NULL;
}

static void put_done(const struct weft_p2p *p)
{
	const struct trace_event e = {
		.kind = TRACE_DONE,
		.t = time_after(),
		.word = p->word,
		.id = weft_core_member((int)(p->pend.lane - weft_core.proc)),
	};

	if (is_application_message(p->word))
		put_event(&e);
}

static ssize_t trace_arrived(const struct fi_cq_tagged_entry *e, ssize_t n)
{
	for (ssize_t i = 0; i < n; i++) {
		const struct weft_p2p *p;

		if (e[i].flags & FI_RECV) {
			p = recv_of(e[i].op_context);
			put_recv(e[i].tag, e[i].len, p ? p->posted : 0);
		} else if (e[i].flags & FI_SEND && e[i].op_context) {
			p = ends.sent(e[i].op_context);
			if (p)
				put_done(p);
		}
	}
	return n;
}

static void record_post(void *context)
{
	struct weft_p2p *p = recv_of(context);

	if (p)
		p->posted = time_before();
}

static ssize_t hook_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			 fi_addr_t from, uint64_t tag, uint64_t ignore,
			 void *context)
{
	record_post(context);
	return tagged->recv(ep, buf, len, desc, from, tag, ignore, context);
}

static ssize_t hook_recvv(struct fid_ep *ep, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t from,
			  uint64_t tag, uint64_t ignore, void *context)
{
	record_post(context);
	return tagged->recvv(ep, iov, desc, count, from, tag, ignore, context);
}

static ssize_t hook_recvmsg(struct fid_ep *ep, const struct fi_msg_tagged *m,
			    uint64_t flags)
{
	record_post(m->context);
	return tagged->recvmsg(ep, m, flags);
}

static ssize_t hook_typed_recv(struct fid_ep *ep,
			       const struct fi_weft_data *data, size_t len,
			       uint64_t tag, uint64_t ignore, uint64_t flags,
			       void *context)
{
	record_post(context);
	return typed->recv(ep, data, len, tag, ignore, flags, context);
}

static WEFT_HOT ssize_t hook_cq_read(struct fid_cq *cq, void *buf, size_t count)
{
	return trace_arrived(buf, queue->read(cq, buf, count));
}

static ssize_t hook_cq_sread(struct fid_cq *cq, void *buf, size_t count,
			     const void *cond, int timeout)
{
	return trace_arrived(buf, queue->sread(cq, buf, count, cond, timeout));
}

/*
 * Completion function of direct receives, which have no CQ entry and may
 * complete before post() returns.
 */
static WEFT_HOT void direct_done(struct fi_weft_arrival *a)
{
	if (!a->err)
		put_recv(a->tag, a->len, 0);
}

static struct weft_p2p *request_of(struct fi_weft_arrival *a)
{
	return weft_container_of(a, struct weft_p2p, io.arrival);
}

/*
 * Original completion function of direct receives that are requests; it is the
 * same for all requests.
 */
static WEFT_HOT_DATA _Atomic(void (*)(struct fi_weft_arrival *)) request_call;

static WEFT_HOT void request_done(struct fi_weft_arrival *a)
{
	if (!a->err)
		put_recv(a->tag, a->len, request_of(a)->posted);
	/* relaxed: the function was stored before the receive was posted */
	atomic_load_explicit(&request_call, memory_order_relaxed)(a);
}

static WEFT_HOT ssize_t hook_post(struct fid_ep *ep, void *buf, size_t len,
				  uint64_t tag, uint64_t ignore,
				  struct fi_weft_arrival *a)
{
	if (a->call) { /* relaxed: see request_done() */
		atomic_store_explicit(&request_call, a->call,
				      memory_order_relaxed);
		request_of(a)->posted = time_before();
	}
	a->call = a->call ? request_done : direct_done;
	return direct->post(ep, buf, len, tag, ignore, a);
}

/* ---- calls --------------------------------------------------------------- */

static WEFT_HOT void call_done(uint32_t id, uint64_t since, uint64_t until,
			       const struct weft_call_mark *mark)
{
	const struct trace_event e = { .kind = TRACE_CALL,
				       .t = since,
				       .span = until - since,
				       .id = id,
				       .word = mark->word,
				       .size = mark->size,
				       .root = mark->root,
				       .root_rank = mark->root_rank };

	put_event(&e);
}

/* Returns the number of bytes of the data plus one; 0: invalid type. */
static uint64_t size_of(MPI_Count count, MPI_Datatype type)
{
	const struct weft_dt *dt = weft_dt_of(type);

	return dt && count >= 0 ? (uint64_t)count * dt->size + 1 : 0;
}

static void mark_peer(const struct weft_comm *c, int peer, int tag,
		      uint64_t size, int root)
{
	uint32_t peer_field = peer == MPI_ANY_SOURCE  ? TRACE_ANY_PEER
			      : peer == MPI_PROC_NULL ? TRACE_NULL_PEER
			      : peer < 0	      ? TRACE_NO_PEER
						      : (uint32_t)peer;
	uint32_t tag_field = tag == MPI_ANY_TAG		? TRACE_ANY_TAG
			     : tag == WEFT_TRACE_NO_ARG ? TRACE_NO_TAG
							: (uint32_t)tag;
	const struct weft_call_mark m = {
		.word = TRACE_P2P(peer_field, tag_field,
				  c->ctx >> WEFT_TAG_CTX_SHIFT),
		.size = size,
		.root = root >= 0 ? (uint32_t)root + 1 : 0,
	};

	weft_call_mark(&m);
}

void weft_trace_win_coll(struct weft_comm *c)
{
	const struct weft_call_mark m = {
		.word = TRACE_COLL(weft_core_member(c->proc[0]),
				   c->ctx >> WEFT_TAG_CTX_SHIFT, c->traced)
	};

	if (trace.fd < 0)
		return;
	c->traced++;
	weft_call_mark(&m);
}

void weft_trace_win_peer(const struct weft_comm *c, int rank)
{
	if (trace.fd >= 0)
		mark_peer(c, rank, WEFT_TRACE_NO_ARG, 0, -1);
}

void weft_trace_coll(MPI_Comm comm, int root, MPI_Count count,
		     MPI_Datatype type)
{
	struct weft_comm *c = weft_comm_of(comm);
	struct weft_call_mark m = { .size = size_of(count, type) };

	if (trace.fd < 0 || !c)
		return;
	if (c->inter) {
		mark_peer(c, WEFT_TRACE_NO_ARG, WEFT_TRACE_NO_ARG, m.size,
			  root);
		return;
	}
	m.word = TRACE_COLL(weft_core_member(c->proc[0]),
			    c->ctx >> WEFT_TAG_CTX_SHIFT, c->traced++);
	if (root >= 0 && root < c->size) {
		m.root = (uint32_t)root + 1;
		m.root_rank = weft_core_member(c->proc[root]);
	}
	weft_call_mark(&m);
}

void weft_trace_args(const struct weft_trace_args *a)
{
	const struct weft_comm *c = weft_comm_of(a->comm);

	if (trace.fd >= 0 && c)
		mark_peer(c, a->peer, a->tag, size_of(a->count, a->type),
			  a->root);
}

void weft_trace_sync(const struct weft_comm *c, int peer, unsigned what,
		     bool out)
{
	struct trace_event e = {
		.kind = out ? TRACE_SEND : TRACE_RECV,
		.word = weft_tag_word(c->ctx, TRACE_WORD_SYNC,
				      out ? c->rank : peer, (int)what),
		.id = weft_core_member(c->proc[peer]),
	};

	if (trace.fd < 0)
		return;
	e.t = out ? time_before() : time_after();
	put_event(&e);
}

/* ---- start and stop ------------------------------------------------------ */

static void install_tagged_hooks(void)
{
	tagged = weft_core.ep->tagged;
	hooked_tagged = *tagged;
	hooked_tagged.send = hook_send;
	hooked_tagged.sendv = hook_sendv;
	hooked_tagged.sendmsg = hook_sendmsg;
	hooked_tagged.inject = hook_inject;
	hooked_tagged.senddata = hook_senddata;
	hooked_tagged.injectdata = hook_injectdata;
	hooked_tagged.recv = hook_recv;
	hooked_tagged.recvv = hook_recvv;
	hooked_tagged.recvmsg = hook_recvmsg;
	weft_core.ep->tagged = &hooked_tagged;
}

static void install_hooks(void)
{
	install_tagged_hooks();
	queue = weft_core.cq->ops;
	hooked_queue = *queue;
	hooked_queue.read = hook_cq_read;
	hooked_queue.sread = hook_cq_sread;
	weft_core.cq->ops = &hooked_queue;
	direct = weft_core.recv;
	if (direct) {
		hooked_direct = *direct;
		hooked_direct.post = hook_post;
		weft_core.recv = &hooked_direct;
	}
	typed = weft_core.typed;
	if (typed) {
		hooked_typed = *typed;
		hooked_typed.send = hook_typed_send;
		hooked_typed.recv = hook_typed_recv;
		weft_core.typed = &hooked_typed;
	}
}

bool weft_traced(void)
{
	return trace.fd >= 0;
}

void weft_trace_start(const struct weft_trace_hooks *of)
{
	int64_t fd = weft_cfg_get(&weft_core_opts[WEFT_OPT_TRACE_FD]).i;
	bool counts;

	if (fd < 0)
		return;
	if (weft_trace_attach(&trace, (int)fd,
			      (uint32_t)weft_core.job.member)) {
		weft_log(WEFT_LOG_WARN, "WEFT_TRACE_FD=%d is not a trace file",
			 (int)fd);
		return;
	}
	if (fi_open_ops(&weft_core.domain->fid, FI_WEFT_WORLD, 0,
			(void **)&world, NULL))
		world = NULL;
	install_hooks();
	ends = *of;
	counts = !weft_core.traits.global_clock &&
		 weft_trace_use_counter(&trace);
	weft_call_set_trace(call_done, counts, weft_trace_open_calls(&trace));
}

void weft_trace_stop(void)
{
	if (!queue)
		return;
	weft_call_set_trace(NULL, false, NULL);
	weft_core.ep->tagged = tagged;
	weft_core.cq->ops = queue;
	weft_core.recv = direct;
	weft_core.typed = typed;
	queue = NULL;
	pthread_mutex_lock(&lock);
	weft_trace_detach(&trace);
	pthread_mutex_unlock(&lock);
}

/* ---- notes and links ----------------------------------------------------- */

void weft_trace_note(const char *name, const char *text)
{
	size_t room = TRACE_CHUNK / 2;
	char *note;

	if (trace.fd < 0)
		return;
	note = calloc(1, room);
	if (!note)
		return;
	snprintf(note, room, "%s\t%s", name, text);
	put(TRACE_NOTES, note, strlen(note) + 1);
	free(note);
}

static void put_link(const struct fi_weft_link *l)
{
	struct trace_link t = {
		.packets = l->packets,
		.bytes = l->bytes,
		.busy_ps = l->busy_ps,
		.queued_ps = l->queued_ps,
		.bad = l->bad,
		.detours = l->detours,
		.retry_ps = l->retry_ps,
		.dead = l->dead,
	};

	memcpy(t.name, l->name, sizeof(l->name));
	memcpy(t.node, l->node, sizeof(t.node));
	put(TRACE_LINKS, &t, sizeof(t));
}

static void put_links(struct fid *domain)
{
	struct fi_weft_link l;
	unsigned port;
	int err;

	for (uint32_t node = 0;; node++) {
		for (port = 0; port < PORTS; port++) {
			err = world->link(domain, node, port, &l);
			if (err == -FI_EINVAL)
				break;
			if (!err)
				put_link(&l);
		}
		if (!port)
			return;
	}
}

/*
 * Writes a note with one line for each kind of fault, which contains its count
 * and its name.
 */
static void put_faults(struct fid *domain)
{
	const char *name;
	char *text = NULL;
	uint64_t value;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	for (unsigned i = 0; (name = world->fault(domain, i, &value)); i++)
		if (value)
			fprintf(f, "%" PRIu64 " %s\n", value, name);
	fclose(f);
	if (len)
		weft_trace_note("faults", text);
	free(text);
}

void weft_trace_world(void)
{
	struct fid *domain = &weft_core.domain->fid;
	struct fi_weft_count n = { 0 };
	char text[64];

	if (trace.fd < 0 || !world)
		return;
	world->count(domain, &n);
	snprintf(text, sizeof(text), "%016" PRIx64, n.hash);
	weft_trace_note("hash", text);
	snprintf(text, sizeof(text), "%" PRIu64, n.now_ps);
	weft_trace_note("now", text);
	put_links(domain);
	put_faults(domain);
}

/* ---- class routes -------------------------------------------------------- */

static void put_tree_node(void *arg, const struct fi_weft_branch *b)
{
	struct trace_tree_node *t = arg;

	t->parent = b->parent;
	t->ranks = b->ranks;
	memcpy(t->node, b->node, sizeof(t->node));
	put(TRACE_TREES, t, sizeof(*t));
	t->index++;
}

void weft_trace_route(const struct weft_comm *comm, int id)
{
	static uint32_t routes;
	struct trace_tree_node t = { .first = (uint32_t)weft_core.job.member,
				     .route = routes,
				     .members = (uint32_t)comm->size };

	if (trace.fd < 0 || !world || id < 0 || routes == ROUTES ||
	    comm->proc[0] != weft_core.job.rank)
		return;
	t.t = weft_core_clock_peek_ps();
	world->tree(&weft_core.domain->fid, id, put_tree_node, &t);
	routes++;
}
