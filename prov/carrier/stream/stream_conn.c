/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections. A process opens one to each peer to which it sends long
 * transfers. The kernel probes silent connections (keepalive), so that the
 * receiver of a transfer detects a sender that is gone or unreachable.
 */
#include "prov/carrier/stream/stream_int.h"
#include "src/base/must.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONN_BACKLOG	 64
#define CONN_ACCEPTS	 4 /* connections accepted per check */
/*
 * Size of the socket buffers, bytes, which the kernel doubles: larger buffers
 * do not stay in the cache, and a transfer of one mebibyte takes 5 % longer.
 */
#define CONN_BUFFER	 (512 << 10)
/*
 * TCP bytes in one packet of the kernel (GSO): 64 KiB minus its largest header
 */
#define CONN_GSO_BYTES	 65215u
/* keepalive: seconds of silence, seconds between probes, number of probes */
#define CONN_KEEP_IDLE	 2
#define CONN_KEEP_EVERY	 1
#define CONN_KEEP_PROBES 4
/* time between attempts to connect: first, and maximum */
#define CONN_RETRY_NS	 UINT64_C(1000000000)
#define CONN_RETRY_MAX	 UINT64_C(64000000000)

static int conn_socket(const struct stream *st)
{
	return socket(st->attr.name.sa.sa_family,
		      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static void option_set(int fd, int level, int name, int value)
{
	/* without an option a connection is slower, but correct */
	(void)setsockopt(fd, level, name, &value, sizeof(value));
}

static void conn_options(int fd)
{
	option_set(fd, SOL_SOCKET, SO_SNDBUF, CONN_BUFFER);
	option_set(fd, SOL_SOCKET, SO_RCVBUF, CONN_BUFFER);
	option_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	option_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	option_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, CONN_KEEP_IDLE);
	option_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, CONN_KEEP_EVERY);
	option_set(fd, IPPROTO_TCP, TCP_KEEPCNT, CONN_KEEP_PROBES);
}

static int epoll_set(struct stream *st, int op, int fd, void *ptr, bool out)
{
	struct epoll_event ev = { .events = EPOLLIN | (out ? EPOLLOUT : 0),
				  .data.ptr = ptr };

	return epoll_ctl(st->epoll, op, fd, &ev) ? -errno : 0;
}

int stream_listen(struct stream *st)
{
	int fd = conn_socket(st);

	if (fd < 0)
		return -errno;
	option_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, &st->attr.name.sa, weft_name_bytes(&st->attr.name)) ||
	    listen(fd, CONN_BACKLOG) ||
	    epoll_set(st, EPOLL_CTL_ADD, fd, NULL, false)) {
		int err = errno;

		close(fd);
		return -err;
	}
	st->listener = fd;
	return 0;
}

struct stream_conn *stream_conn_new(struct stream *st, int fd, bool incoming)
{
	struct stream_conn *c = calloc(1, sizeof(*c));

	if (!c || epoll_set(st, EPOLL_CTL_ADD, fd, c, !incoming)) {
		free(c);
		close(fd);
		return NULL;
	}
	conn_options(fd);
	c->fd = fd;
	c->incoming = incoming;
	c->writable = !incoming;
	c->state = incoming ? STREAM_ACCEPTED : STREAM_CONNECTING;
	c->since_ns = st->now;
	weft_list_init(&c->xfers);
	weft_list_init(&c->busy);
	weft_list_push_back(&st->greeting, &c->link);
	st->accepted_count += incoming;
	st->conn_count[incoming]++;
	return c;
}

void stream_conn_free(struct stream *st, struct stream_conn *c)
{
	WEFT_ASSERT(weft_list_empty(&c->xfers));
	if (c->incoming && c->state != STREAM_READY)
		st->accepted_count--;
	st->conn_count[c->incoming]--;
	weft_list_remove(&c->busy);
	close(c->fd);
	stream_seal_free(c->seal);
	free(c->sealed);
	free(c);
}

void stream_conn_want(struct stream *st, struct stream_conn *c, bool writable)
{
	if (c->writable == writable)
		return;
	c->writable = writable;
	if (epoll_set(st, EPOLL_CTL_MOD, c->fd, c, writable))
		stream_break(st, c);
}

/*
 * Returns the payload with which a record with a tag fills whole segments and
 * one packet of the kernel (GSO): otherwise the last bytes of each record would
 * be a packet of their own, which costs the kernel as much as a large one.
 */
static uint32_t conn_record_bytes(int fd)
{
	uint32_t other = sizeof(struct stream_head) + STREAM_TAG;
	int mss = 0;
	socklen_t len = sizeof(mss);
	uint32_t whole;

	if (getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &len) || mss <= 0)
		return STREAM_RECORD;
	whole = CONN_GSO_BYTES / (uint32_t)mss * (uint32_t)mss;
	return whole > STREAM_RECORD / 2 ? whole - other : STREAM_RECORD;
}

void stream_conn_ready(struct stream *st, struct stream_conn *c)
{
	struct stream_peer *p = c->peer;

	c->state = STREAM_READY;
	c->since_ns = st->now;
	weft_list_remove(&c->link);
	weft_list_push_back(&st->conns, &c->link);
	if (!c->incoming) {
		c->record_bytes = conn_record_bytes(c->fd);
		p->backoff_ns = 0;
		st->stats.connects++;
		return;
	}
	st->accepted_count--;
	st->stats.accepts++;
	/*
	 * the peer has opened another connection, so the earlier one is broken
	 */
	if (p->in)
		stream_break(st, p->in);
	p->in = c;
}

/* Breaks the oldest incoming connection that is not authenticated. */
static void accepted_drop_oldest(struct stream *st)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &st->greeting) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, link);

		if (!c->incoming || c->broken)
			continue;
		st->stats.refused++;
		stream_break(st, c);
		return;
	}
}

void stream_accept(struct stream *st)
{
	for (int i = 0; i < CONN_ACCEPTS; i++) {
		union weft_name from = { .in.sin_family = 0 };
		socklen_t len = sizeof(from);
		int fd = accept4(st->listener, &from.sa, &len,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct stream_conn *c;

		if (fd < 0)
			return;
		/* the peer uses datagrams, and tries again later */
		if (st->conn_count[1] >= st->conn_max + STREAM_GREETING_MAX) {
			st->stats.refused++;
			close(fd);
			continue;
		}
		if (st->accepted_count >= STREAM_GREETING_MAX)
			accepted_drop_oldest(st);
		c = stream_conn_new(st, fd, true);
		if (c)
			c->from = weft_name_ip(&from);
	}
}

/*
 * Connects from the address of the datagrams, by which the peer identifies this
 * endpoint.
 */
static int conn_connect(struct stream *st, struct stream_peer *p)
{
	union weft_name from = weft_name_make(weft_name_ip(&st->attr.name), 0);
	socklen_t len = weft_name_bytes(&from);
	int fd = conn_socket(st);
	struct stream_conn *c;

	if (fd < 0)
		return -errno;
	option_set(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	/* an ended connection must not block the port of an endpoint */
	option_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, &from.sa, len) ||
	    (connect(fd, &p->name.sa, len) && errno != EINPROGRESS)) {
		close(fd);
		return -ECONNREFUSED;
	}
	c = stream_conn_new(st, fd, false);
	if (!c)
		return -ENOMEM;
	c->peer = p;
	p->out = c;
	/* the next poll checks all descriptors */
	st->check_ns = 0;
	return 0;
}

/*
 * Breaks the outgoing connection that has been idle longest, if it has been
 * idle for STREAM_SPARE_NS; the next poll closes it.
 */
static void spare_break(struct stream *st)
{
	struct stream_conn *oldest = NULL;
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &st->conns) {
		struct stream_conn *c =
			weft_container_of(i, struct stream_conn, link);

		if (c->incoming || c->broken || !weft_list_empty(&c->xfers))
			continue;
		if (!oldest || c->since_ns < oldest->since_ns)
			oldest = c;
	}
	if (oldest && st->now - oldest->since_ns > STREAM_SPARE_NS)
		stream_break(st, oldest);
}

void stream_connect(struct stream *st, struct stream_peer *p)
{
	if (!st->on || p->out || st->now < p->retry_ns)
		return;
	/*
	 * an idle connection is closed, so that the peer's next request can
	 * connect
	 */
	if (st->conn_count[0] >= st->conn_max) {
		spare_break(st);
		return;
	}
	p->backoff_ns = p->backoff_ns ? 2 * p->backoff_ns : CONN_RETRY_NS;
	if (p->backoff_ns > CONN_RETRY_MAX)
		p->backoff_ns = CONN_RETRY_MAX;
	p->retry_ns = st->now + p->backoff_ns;
	conn_connect(st, p);
}
