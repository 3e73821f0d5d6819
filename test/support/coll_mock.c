/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implementation of coll_mock.h. One lock protects all state. Sends and
 * receives are matched when they are posted, in the order of posting for each
 * pair, tag and context; a random number generator selects the matched pair
 * that is delivered next.
 */
#include "test/t.h"

#include "test/support/coll_mock.h"

#include "coll/coll_hosts.h"

#include "src/base/list.h"
#include "src/base/rng.h"
#include "src/offload/offload_device.h"
#include "src/boot/boot_hosts.h"
#include "src/core/core_lock.h"
#include "src/core/core_opts.h"
#include "src/offload/offload_route_call.h"
#include "src/msg/msg_p2p.h"
#include "src/msg/msg_pause.h"
#include "src/msg/msg_persist.h"
#include "src/types/types_pack.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"
#include "src/core/core_state.h"
#include "src/msg/msg_wait.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

bool weft_threads;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;
weft_au32 weft_completed;
struct weft_core weft_core;

/* One end of a message. */
struct mock_req {
	struct weft_req req;
	/* link in the list of unmatched requests, or of matched receives */
	struct weft_list link;
	struct mock_req *sender; /* receive: the matching send */
	uint64_t ctx;
	int src;
	int dst;
	int tag;
	bool send;
	struct weft_typed data;
	char *copy; /* eager send: packed data */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_rng rng;
static struct weft_list unmatched = { &unmatched, &unmatched };
static struct weft_list ready = { &ready, &ready };
static struct weft_list steps = { &steps, &steps };
static int alive; /* number of existing message requests */
static uint64_t messages, bytes_sent;
/*
 * break_at: process to which one message arrives with an error; break_number:
 * this message is the break_number-th from now, 0: none
 */
static int break_at, break_number;
static int break_err;
static bool broken; /* an error was injected, so failure notices are allowed */

/* ---- words of memory that all ranks share ---- */

int mock_pause_result;

struct weft_pause weft_pause_begin(const struct weft_comm *c)
{
	return (struct weft_pause){ .comm = c };
}

int weft_pause(struct weft_pause *p, weft_au32 *word, uint32_t seen,
	       uint32_t bits, weft_au32 *waiters)
{
	sched_yield();
	return mock_pause_result;
}

void weft_pause_wake(weft_au32 *word, uint32_t bits, weft_au32 *waiters)
{
}

/* ---- device memory: none in this job ---- */

bool weft_device_owns_slow(const void *at)
{
	return false;
}

int weft_device_pack(const struct weft_typed *t, size_t pos, void *dst,
		     size_t len)
{
	weft_pack(t, pos, dst, len);
	return 0;
}

int weft_device_unpack(const struct weft_typed *t, size_t pos, const void *src,
		       size_t len)
{
	weft_unpack(t, pos, src, len);
	return 0;
}

int weft_device_copy(const struct weft_typed *dst, const struct weft_typed *src)
{
	weft_pack_copy(dst, src);
	return 0;
}

/* ---- requests ---- */

int weft_req_no_start(struct weft_req *r)
{
	return -EINVAL;
}

int weft_req_no_cancel(struct weft_req *r)
{
	return 0;
}

int weft_req_no_step(struct weft_req *r)
{
	return 1;
}

int weft_req_no_query(struct weft_req *r, MPI_Status *status)
{
	return 0;
}

static void msg_free(struct weft_req *r)
{
	struct mock_req *m = weft_container_of(r, struct mock_req, req);

	pthread_mutex_lock(&lock);
	alive--;
	pthread_mutex_unlock(&lock);
	free(m);
}

static const struct weft_req_ops msg_ops = {
	.name = "message",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = msg_free,
};

struct weft_req weft_req_done_send = { .ops = &msg_ops, .done = 1 };

void weft_req_init(struct weft_req *r, const struct weft_req_ops *ops,
		   struct weft_comm *comm, uint32_t flags)
{
	memset(r, 0, sizeof(*r));
	weft_obj_init(&r->obj, WEFT_KIND_REQ);
	r->ops = ops;
	r->comm = comm;
	r->flags = flags;
	weft_list_init(&r->link);
}

/* Not called: the tests complete all requests. */
void weft_req_orphaned(struct weft_req *r)
{
	T_NULL(r);
}

int weft_req_release(struct weft_req *r)
{
	r->ops->free(r);
	return 0;
}

int weft_req_collect(struct weft_req **req_p, MPI_Status *status)
{
	struct weft_req *r = *req_p;
	int error = r->error;

	T_TRUE(weft_req_is_done(r));
	r->flags &= ~(uint32_t)WEFT_REQ_ACTIVE;
	if (r->flags & WEFT_REQ_PERSISTENT)
		return error;
	*req_p = NULL;
	r->ops->free(r);
	return error;
}

/* ---- messages ---- */

static bool is_match(const struct mock_req *a, const struct mock_req *b)
{
	return a->send != b->send && a->ctx == b->ctx && a->src == b->src &&
	       a->dst == b->dst && a->tag == b->tag;
}

/* Matches the request with the oldest counterpart, or queues it. */
static void match(struct mock_req *m)
{
	struct weft_list *pos, *tmp;
	struct mock_req *o;

	weft_list_each(pos, tmp, &unmatched) {
		o = weft_container_of(pos, struct mock_req, link);
		if (!is_match(m, o))
			continue;
		weft_list_remove(&o->link);
		if (m->send) {
			o->sender = m;
			weft_list_push_back(&ready, &o->link);
		} else {
			m->sender = o;
			weft_list_push_back(&ready, &m->link);
		}
		return;
	}
	weft_list_push_back(&unmatched, &m->link);
}

/*
 * Completes an eager send, whose data the mock keeps. Sets *req_p to the shared
 * completed request, or to a new one.
 */
static void send_done(struct mock_req *m, struct weft_req **req_p)
{
	struct mock_req *shown;
	size_t n = weft_typed_bytes(&m->data);

	m->copy = malloc(n + 1);
	T_NOT_NULL(m->copy);
	T_IS(weft_pack(&m->data, 0, m->copy, n), n);
	*req_p = weft_req_null_done();
	if (weft_rng_below(&rng, 2))
		return;
	shown = calloc(1, sizeof(*shown));
	T_NOT_NULL(shown);
	weft_req_init(&shown->req, &msg_ops, NULL, WEFT_REQ_ACTIVE);
	weft_req_complete(&shown->req, 0);
	alive++;
	*req_p = &shown->req;
}

static struct mock_req *msg_open(const struct weft_p2p_args *a)
{
	struct mock_req *m = calloc(1, sizeof(*m));

	T_NOT_NULL(m);
	T_TRUE(a->mode & WEFT_P2P_COLL);
	weft_req_init(&m->req, &msg_ops, a->comm, WEFT_REQ_ACTIVE);
	m->ctx = a->comm->ctx;
	m->tag = a->tag;
	m->data = (struct weft_typed){ a->dt, a->buf, a->count };
	alive++;
	return m;
}

int weft_core_isend(const struct weft_p2p_args *a, struct weft_req **req_p)
{
	struct mock_req *m;

	T_TRUE(a->peer >= 0 && a->peer < a->comm->peers);
	pthread_mutex_lock(&lock);
	m = msg_open(a);
	m->send = true;
	m->src = a->comm->group->proc[a->comm->rank];
	m->dst = a->comm->proc[a->peer];
	messages++;
	bytes_sent += weft_typed_bytes(&m->data);
	*req_p = &m->req;
	if (weft_rng_below(&rng, 2))
		send_done(m, req_p);
	match(m);
	pthread_mutex_unlock(&lock);
	return 0;
}

int weft_core_irecv(const struct weft_p2p_args *a, struct weft_req **req_p)
{
	struct mock_req *m;

	T_TRUE(a->peer >= 0 && a->peer < a->comm->peers);
	pthread_mutex_lock(&lock);
	m = msg_open(a);
	m->src = a->comm->proc[a->peer];
	m->dst = a->comm->group->proc[a->comm->rank];
	*req_p = &m->req;
	match(m);
	pthread_mutex_unlock(&lock);
	return 0;
}

int weft_core_recv(const struct weft_p2p_args *a, MPI_Status *status)
{
	struct weft_req *r;

	weft_core_irecv(a, &r);
	weft_req_wait(r);
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, a->peer, a->tag, r->bytes);
	return weft_req_collect(&r, status);
}

void mock_break(int at, int number, int err)
{
	break_err = err;
	break_at = at;
	break_number = number;
	broken = number;
}

bool mock_broke(void)
{
	return broken && !break_number;
}

/* Returns whether this message arrives with an error. */
static bool breaks(const struct mock_req *r)
{
	return r->dst == break_at && break_number && !--break_number;
}

/*
 * Copies the message, unless it is too long for the receive. Returns 0 or an
 * error.
 */
static int copy_message(struct mock_req *r)
{
	struct mock_req *s = r->sender;
	size_t n = weft_typed_bytes(&s->data);

	if (n > weft_typed_bytes(&r->data))
		return -EMSGSIZE;
	r->req.bytes = (MPI_Count)n;
	if (!n)
		return 0;
	if (s->copy)
		T_IS(weft_unpack(&r->data, 0, s->copy, n), n);
	else
		T_IS(weft_pack_copy(&r->data, &s->data), n);
	return 0;
}

/*
 * Delivers a message. Checks that send and receive have the same length, unless
 * the message is a signal or a failure notice.
 */
static void deliver(struct mock_req *r)
{
	struct mock_req *s = r->sender;

	T_TRUE(broken || !weft_typed_bytes(&s->data) ||
	       weft_typed_bytes(&s->data) == weft_typed_bytes(&r->data));
	weft_req_complete(&r->req, breaks(r) ? break_err : copy_message(r));
	if (!s->copy) {
		weft_req_complete(&s->req, 0);
		return;
	}
	free(s->copy);
	free(s);
	alive--;
}

static struct weft_list *pick(struct weft_list *from)
{
	struct weft_list *n;
	uint64_t len = 0;

	for (n = from->next; n != from; n = n->next)
		len++;
	if (!len)
		return NULL;
	n = from->next;
	for (len = weft_rng_below(&rng, len < 8 ? len : 8); len; len--)
		n = n->next;
	return n;
}

static bool deliver_one(void)
{
	struct weft_list *n;

	pthread_mutex_lock(&lock);
	n = pick(&ready);
	if (n) {
		weft_list_remove(n);
		deliver(weft_container_of(n, struct mock_req, link));
	}
	pthread_mutex_unlock(&lock);
	return n;
}

void weft_req_wait(struct weft_req *r)
{
	while (!weft_req_is_done(r))
		if (!deliver_one())
			sched_yield();
}

/* ---- schedules ---- */

static bool step_one(struct weft_req *r)
{
	int rc = r->ops->step(r);

	if (!rc)
		return false;
	weft_list_remove(&r->link);
	weft_req_complete(r, rc == 1 ? 0 : rc);
	return true;
}

void weft_progress_add(struct weft_req *r)
{
	weft_list_push_back(&steps, &r->link);
	if (weft_rng_below(&rng, 2))
		step_one(r);
}

static int step_all(void)
{
	struct weft_list *pos, *tmp;
	int over = 0;

	weft_list_each(pos, tmp, &steps)
		if (weft_rng_below(&rng, 3))
			over += step_one(
				weft_container_of(pos, struct weft_req, link));
	return over;
}

void mock_settle(struct mock *m)
{
	int idle = 0;

	while (!weft_list_empty(&steps)) {
		idle++;
		if (deliver_one())
			idle = 0;
		if (step_all())
			idle = 0;
		T_TRUE(idle < 1000); /* no progress: deadlock */
	}
}

/* ---- communicators ---- */

void weft_comm_put(struct weft_comm *c)
{
	weft_obj_put(&c->obj);
}

void weft_persist_add(struct weft_persist *p, const struct weft_req *r,
		      unsigned (*holds)(const struct weft_req *r))
{
}

void weft_persist_remove(struct weft_persist *p)
{
}

static struct weft_group *group_of(int first, int n)
{
	struct weft_group *g =
		calloc(1, sizeof(*g) + (size_t)n * sizeof(g->proc[0]));
	int i;

	T_NOT_NULL(g);
	g->size = n;
	for (i = 0; i < n; i++)
		g->proc[i] = first + i;
	return g;
}

/*
 * Creates a communicator of n processes, starting with process first, for rank
 * `rank`.
 */
static struct weft_comm *comm_open(uint64_t ctx, int first, int n, int rank)
{
	struct weft_comm *c = calloc(1, sizeof(*c));

	T_NOT_NULL(c);
	weft_obj_init(&c->obj, WEFT_KIND_COMM);
	c->ctx = ctx;
	c->group = group_of(first, n);
	c->rank = rank;
	c->size = c->peers = n;
	c->proc = c->group->proc;
	return c;
}

static struct weft_comm *mock_comm(int p, int q, int i)
{
	bool right = i >= p;
	struct weft_comm *c = right ? comm_open(right, p, q, i - p)
				    : comm_open(right, 0, p, i);

	if (!q)
		return c;
	c->local = right ? comm_open(11, p, q, i - p) : comm_open(10, 0, p, i);
	c->ctx = 9;
	c->inter = true;
	c->remote = right ? group_of(0, p) : group_of(p, q);
	c->peers = c->remote->size;
	c->proc = c->remote->proc;
	return c;
}

struct mock *mock_open(int p, int q, uint64_t seed)
{
	struct mock *m = calloc(1, sizeof(*m));
	int i;

	T_NOT_NULL(m);
	weft_rng_init(&rng, seed, 1);
	m->p = p;
	m->q = q;
	m->comm = calloc((size_t)(p + q), sizeof(struct weft_comm *));
	T_NOT_NULL(m->comm);
	for (i = 0; i < p + q; i++)
		m->comm[i] = mock_comm(p, q, i);
	return m;
}

static void comm_close(struct weft_comm *c)
{
	T_IS(weft_load32(&c->obj.refs), 1);
	coll_hosts_leave(c);
	free(c->group);
	free(c->remote);
	free(c);
}

void mock_close(struct mock *m)
{
	int i;

	T_TRUE(weft_list_empty(&unmatched));
	T_TRUE(weft_list_empty(&ready));
	T_TRUE(weft_list_empty(&steps));
	T_IS(alive, 0);
	for (i = 0; i < m->p + m->q; i++) {
		if (m->comm[i]->local)
			comm_close(m->comm[i]->local);
		comm_close(m->comm[i]);
	}
	free(m->comm);
	free(m);
}

/* ---- threads ---- */

struct each {
	void (*fn)(int i, void *arg);
	void *arg;
	int i;
};

static void *each_main(void *arg)
{
	struct each *e = arg;

	e->fn(e->i, e->arg);
	return NULL;
}

void mock_each(struct mock *m, void (*fn)(int i, void *arg), void *arg)
{
	int i, n = m->p + m->q;
	struct each *e = calloc((size_t)n, sizeof(*e));

	T_NOT_NULL(e);
	for (i = 0; i < n; i++)
		e[i] = (struct each){ fn, arg, i };
	weft_threads = true;
	t_threads(n, each_main, e, sizeof(*e));
	weft_threads = false;
	free(e);
}

uint64_t mock_messages(void)
{
	return messages;
}

uint64_t mock_bytes(void)
{
	return bytes_sent;
}

/* ---- hosts ---- */

/* ranks per host; < 0: number of hosts, round-robin; 0: one host */
static int spread;

void mock_spread(int n)
{
	spread = n;
}

bool weft_hosts_several(void)
{
	return spread;
}

int weft_hosts_of(int proc)
{
	return spread > 0 ? proc / spread : proc % -spread;
}

int weft_route_resolve(const struct weft_comm *comm)
{
	return 0;
}

/* ---- the collective unit: none in this job ---- */

bool weft_route_supports(const struct weft_op *op, const struct weft_dt *dt)
{
	return false;
}

void weft_route_reduction(struct weft_coll_call *call, const struct weft_op *op,
			  const struct weft_dt *dt)
{
}

size_t weft_route_max_bytes(const struct weft_route *r)
{
	return 0;
}

bool weft_route_has_bulk(const struct weft_comm *comm)
{
	return false;
}

void weft_route_leave(struct weft_comm *comm)
{
}

void weft_route_join(struct weft_comm *comm)
{
}

int weft_route_join_begin(struct weft_comm *comm)
{
	return -EOPNOTSUPP;
}

void weft_route_join_wait(struct weft_comm *comm)
{
}

bool weft_core_exact;

bool weft_route_may_post(struct weft_route *r, uint32_t *ticket)
{
	return true;
}

void weft_route_posted(struct weft_route *r, uint32_t *ticket)
{
}

enum weft_route_state weft_route_state(struct weft_route *r)
{
	return WEFT_ROUTE_FAILED;
}

enum weft_route_state weft_route_wait(struct weft_route *r)
{
	return weft_route_state(r);
}

int weft_route_open(struct weft_comm *comm, uint64_t salt,
		    struct weft_route **r_p)
{
	return -EOPNOTSUPP;
}

void weft_route_close(struct weft_route *r)
{
}

bool weft_routes_exist(void)
{
	return false;
}

int weft_route_run(struct weft_route *r, const struct weft_coll_call *call)
{
	return -EOPNOTSUPP;
}

int weft_route_barrier(struct weft_route *r, struct weft_req **req_p)
{
	return -ENOSYS;
}

int weft_route_allreduce(struct weft_route *r, const void *in, void *out,
			 MPI_Count count, MPI_Datatype type, MPI_Op op,
			 struct weft_req **req_p)
{
	return -ENOSYS;
}

int weft_route_post(struct weft_route *r, const struct weft_coll_call *call,
		    struct weft_req **req_p)
{
	return -EOPNOTSUPP;
}
