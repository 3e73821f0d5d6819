/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening and polling streams, and the transfers on them. A connection that
 * fails is only marked; poll closes it and ends its transfers, so that no
 * callback occurs in any other call.
 */
#include "prov/carrier/stream/stream_int.h"
#include "src/base/must.h"
#include "src/os/wait_fd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define POLL_EVENTS   16
/* time between checks of all descriptors, without and with handshakes */
#define POLL_CHECK_NS UINT64_C(1000000)
#define POLL_GREET_NS UINT64_C(50000)

/*
 * Returns the maximum number of connections; leaves most descriptors to the
 * application.
 */
static uint32_t conn_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == RLIM_INFINITY ||
	    lim.rlim_cur / 8 >= STREAM_CONN_MAX)
		return STREAM_CONN_MAX;
	return (uint32_t)(lim.rlim_cur / 8);
}

int stream_open(struct stream *st, const struct stream_attr *attr)
{
	int ret;

	*st = (struct stream){ .attr = *attr,
			       .listener = -1,
			       .epoll = -1,
			       .conn_max = conn_limit() };
	weft_list_init(&st->conns);
	weft_list_init(&st->greeting);
	weft_list_init(&st->busy);
	st->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (st->epoll < 0)
		return -errno;
	st->scratch = malloc(STREAM_RECORD);
	ret = st->scratch ? stream_listen(st) : -ENOMEM;
	st->on = true;
	if (ret && ret != -EADDRINUSE) {
		stream_close(st);
		return ret;
	}
	return 0;
}

static void list_close(struct stream *st, struct weft_list *l)
{
	struct weft_list *n, *m;

	while ((n = weft_list_pop_front(l))) {
		struct stream_conn *c =
			weft_container_of(n, struct stream_conn, link);

		while ((m = weft_list_pop_front(&c->xfers)))
			weft_container_of(m, struct weft_stream_xfer, link)
				->conn = NULL;
		stream_conn_free(st, c);
	}
}

void stream_close(struct stream *st)
{
	if (!st->on)
		return;
	st->on = false;
	list_close(st, &st->conns);
	list_close(st, &st->greeting);
	weft_fd_close(&st->listener);
	weft_fd_close(&st->epoll);
	free(st->scratch);
	st->scratch = NULL;
}

/* ---- transfers ----------------------------------------------------------- */

static void xfer_begin(struct stream *st, struct stream_conn *c,
		       struct weft_stream_xfer *x)
{
	WEFT_ASSERT(!x->conn && x->bytes && x->iov_count <= WEFT_STREAM_IOV);
	x->conn = c;
	x->moved = 0;
	weft_list_push_back(&c->xfers, &x->link);
	if (weft_list_empty(&c->busy))
		weft_list_push_back(&st->busy, &c->busy);
	c->since_ns = st->now;
}

void stream_xfer_end(struct weft_stream_xfer *x)
{
	struct stream_conn *c = x->conn;

	weft_list_remove(&x->link);
	x->conn = NULL;
	if (weft_list_empty(&c->xfers))
		weft_list_remove(&c->busy);
}

static bool conn_usable(const struct stream_conn *c)
{
	return c && c->state == STREAM_READY && !c->broken;
}

bool stream_peer_ready(const struct stream_peer *p)
{
	return conn_usable(p->in);
}

bool stream_peer_writable(const struct stream_peer *p)
{
	return conn_usable(p->out);
}

bool stream_peer_receives(const struct stream_peer *p)
{
	return p->in && !weft_list_empty(&p->in->xfers);
}

int stream_expect(struct stream *st, struct stream_peer *p,
		  struct weft_stream_xfer *x)
{
	if (!st->on || st->listener < 0)
		return -EOPNOTSUPP;
	if (!conn_usable(p->in))
		return -EAGAIN;
	x->ticket = ++st->last_ticket;
	xfer_begin(st, p->in, x);
	return 0;
}

int stream_supply(struct stream *st, struct stream_peer *p,
		  struct weft_stream_xfer *x)
{
	if (!st->on || !conn_usable(p->out))
		return -EAGAIN;
	xfer_begin(st, p->out, x);
	return 0;
}

void stream_withdraw(struct stream *st, struct weft_stream_xfer *x)
{
	struct stream_conn *c = x->conn;

	if (!c)
		return;
	/*
	 * the rest of the record has no destination, so the connection must be
	 * closed
	 */
	if (c->now == x) {
		stream_break(st, c);
		c->now = NULL;
	}
	stream_xfer_end(x);
}

void stream_reset(struct stream *st, struct stream_peer *p)
{
	if (p->out && p->out->state == STREAM_READY)
		stream_break(st, p->out);
}

/* ---- the end of a connection --------------------------------------------- */

void stream_break(struct stream *st, struct stream_conn *c)
{
	c->broken = true;
	st->any_broken = true;
}

/* Removes the transfers of c and its association with its peer. */
static void conn_forget(struct stream *st, struct stream_conn *c)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &c->xfers)
		stream_xfer_end(
			weft_container_of(i, struct weft_stream_xfer, link));
	c->now = NULL;
	c->peer = NULL;
	stream_break(st, c);
}

void stream_peer_close(struct stream *st, struct stream_peer *p)
{
	struct weft_list *i, *tmp;

	if (!st->on)
		return;
	weft_list_each(i, tmp, &st->greeting) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, link);

		if (c->peer == p)
			conn_forget(st, c);
	}
	weft_list_each(i, tmp, &st->conns) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, link);

		if (c->peer == p)
			conn_forget(st, c);
	}
	p->in = NULL;
	p->out = NULL;
}

/* Ends the transfers of a broken connection with an error, and closes it. */
static void conn_reap(struct stream *st, struct stream_conn *c)
{
	bool ready = c->state == STREAM_READY;

	weft_list_remove(&c->link);
	if (ready)
		st->stats.broken++;
	if (c->peer && c->peer->in == c)
		c->peer->in = NULL;
	if (c->peer && c->peer->out == c)
		c->peer->out = NULL;
	while (!weft_list_empty(&c->xfers)) {
		struct weft_stream_xfer *x = weft_container_of(
			c->xfers.next, struct weft_stream_xfer, link);

		c->now = NULL;
		stream_xfer_end(x);
		x->done(x, -ECONNRESET);
	}
	stream_conn_free(st, c);
}

/* Returns a broken connection of the list, or NULL. */
static struct stream_conn *broken_find(struct weft_list *l)
{
	for (struct weft_list *i = l->next; i != l; i = i->next) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, link);

		if (c->broken)
			return c;
	}
	return NULL;
}

/* Closes broken connections; the callbacks may break further connections. */
static int broken_close(struct stream *st)
{
	struct stream_conn *c;
	int n = 0;

	st->any_broken = false;
	while ((c = broken_find(&st->greeting)) ||
	       (c = broken_find(&st->conns))) {
		conn_reap(st, c);
		n++;
	}
	return n;
}

/* ---- poll ---------------------------------------------------------------- */

/* Transfers bytes; returns the number of records, and breaks c on an error. */
static int conn_run(struct stream *st, struct stream_conn *c)
{
	int n = c->incoming ? stream_rx_run(st, c) : stream_tx_run(st, c);

	if (n < 0)
		stream_break(st, c);
	else if (n)
		c->since_ns = st->now;
	return n < 0 ? 1 : n;
}

static void conn_greet(struct stream *st, struct stream_conn *c)
{
	int ret = stream_auth_run(st, c);

	if (ret < 0) {
		st->stats.refused += c->incoming;
		stream_break(st, c);
	} else if (ret) {
		stream_conn_ready(st, c);
	}
}

/*
 * Checks an outgoing connection for its end. The peer sends nothing on it, so
 * it becomes readable only when the peer has closed it.
 */
static void conn_out_check(struct stream *st, struct stream_conn *c)
{
	uint8_t byte;

	if (recv(c->fd, &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN)
		stream_break(st, c);
}

static int conn_event(struct stream *st, struct stream_conn *c, uint32_t events)
{
	if (c->broken)
		return 0;
	if (c->state != STREAM_READY)
		conn_greet(st, c);
	else if (c->incoming)
		return conn_run(st, c);
	else if (events & ~(uint32_t)EPOLLOUT)
		conn_out_check(st, c);
	return 0;
}

/* Breaks connections whose time limit has passed. */
static void limits_check(struct stream *st)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &st->greeting) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, link);

		if (st->now - c->since_ns <= STREAM_GREETING_NS)
			continue;
		st->stats.refused += c->incoming;
		stream_break(st, c);
	}
	weft_list_each(i, tmp, &st->conns) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, link);

		/*
		 * only the sender closes an idle connection: it knows that no
		 * transfer is in flight
		 */
		if (!c->incoming && weft_list_empty(&c->xfers) &&
		    st->now - c->since_ns > STREAM_IDLE_NS)
			stream_break(st, c);
	}
}

/* Handles events of all descriptors. */
static int events_check(struct stream *st)
{
	struct epoll_event ev[POLL_EVENTS];
	int n = epoll_wait(st->epoll, ev, POLL_EVENTS, 0);
	int moved = 0;

	for (int i = 0; i < n; i++) {
		if (ev[i].data.ptr)
			moved += conn_event(st, ev[i].data.ptr, ev[i].events);
		else
			stream_accept(st);
	}
	limits_check(st);
	st->check_ns =
		st->now + (weft_list_empty(&st->greeting) ? POLL_CHECK_NS
							  : POLL_GREET_NS);
	return moved;
}

/*
 * Runs the connections with transfers. Callbacks may end transfers of any
 * connection, so connections are removed from the list one by one.
 */
static int busy_run(struct stream *st)
{
	struct weft_list todo, *i;
	int n = 0;

	weft_list_init(&todo);
	weft_list_splice_back(&todo, &st->busy);
	while ((i = weft_list_pop_front(&todo))) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, busy);

		weft_list_push_back(&st->busy, i);
		if (!c->broken)
			n += conn_run(st, c);
	}
	return n;
}

int stream_poll(struct stream *st, uint64_t now)
{
	int n = 0;

	if (!st->on)
		return 0;
	st->now = now;
	if (!weft_list_empty(&st->busy))
		n += busy_run(st);
	if (now >= st->check_ns)
		n += events_check(st);
	if (st->any_broken)
		n += broken_close(st);
	return n;
}

/* ---- segments ------------------------------------------------------------ */

void stream_iov_add(struct stream_iov *l, const void *data, uint64_t bytes,
		    uint64_t skip)
{
	if (skip < bytes)
		l->v[l->count++] =
			(struct iovec){ (char *)(uintptr_t)data + skip,
					bytes - skip };
}

void stream_iov_xfer(struct stream_iov *l, const struct weft_stream_xfer *x,
		     uint64_t from, uint64_t to)
{
	uint64_t left = to > from ? to - from : 0;

	from += x->start;
	for (int i = 0; i < x->iov_count && left; i++) {
		uint64_t n = x->iov[i].iov_len;

		if (from >= n) {
			from -= n;
			continue;
		}
		n -= from;
		if (n > left)
			n = left;
		stream_iov_add(l, (char *)x->iov[i].iov_base + from, n, 0);
		left -= n;
		from = 0;
	}
	WEFT_ASSERT(!left);
}
