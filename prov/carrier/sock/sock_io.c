/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls in batches. The datagrams of one call of the carrier are
 * collected and sent by one sendmmsg(), or by sendto() if there is only one. If
 * the kernel supports it, datagrams of one size for one peer form one message
 * that the kernel segments (UDP_SEGMENT), in one iovec if their memory is
 * contiguous; received messages that the kernel coalesced (UDP_GRO) are split
 * here.
 *
 * The batch refers to memory of the caller, which must not be freed before the
 * flush; acknowledgements, which free it, are handled after the flush.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/attr.h"
#include "src/base/must.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

#define IO_BULK_BYTES	   4096u
/* size of the buffer for a batch of encrypted datagrams */
#define IO_ENCRYPTED_BYTES (2u * SOCK_GSO_BYTES)
#define IO_ERRORS_MAX	   64 /* maximum number of errors read per call */

struct io_entry {
	struct sock_peer *peer;
	uint32_t seq; /* sequence number of a data datagram */
	bool data;
};

struct io_control {
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
};

struct io_small {
	struct sock_head head;
	uint8_t more[WEFT_ARQ_WORDS * 8]; /* bitmap words and tag */
};

struct sock_out {
	uint32_t count;
	uint32_t bytes;
	struct io_entry entry[SOCK_BATCH];
	struct iovec iov[SOCK_BATCH];
	/* segments of the messages; contiguous datagrams are joined */
	struct iovec piece[SOCK_BATCH];
	struct io_small small[SOCK_BATCH];
	struct mmsghdr msg[SOCK_BATCH];
	struct io_control control[SOCK_BATCH];
	uint32_t first[SOCK_BATCH]; /* first datagram of each message */
	/* encrypted copies of the datagrams */
	uint8_t *encrypted;
};

struct sock_in {
	_Alignas(64) uint8_t data[SOCK_READ_BATCH][SOCK_READ_BYTES];
	struct mmsghdr msg[SOCK_READ_BATCH];
	struct iovec iov[SOCK_READ_BATCH];
	union weft_name from[SOCK_READ_BATCH];
	uint32_t runs; /* number of consecutive reads of small messages */
};

int sock_io_open(struct sock *s)
{
	int on = 1;
	int off = 0;

	s->out = calloc(1, sizeof(*s->out));
	s->in = aligned_alloc(64, (sizeof(*s->in) + 63) / 64 * 64);
	if (!s->out || !s->in)
		return -ENOMEM;
	s->in->runs = 0;
	if (s->encrypts && !(s->out->encrypted = malloc(IO_ENCRYPTED_BYTES)))
		return -ENOMEM;
	s->gso =
		!setsockopt(s->fd, IPPROTO_UDP, UDP_SEGMENT, &off, sizeof(off));
	setsockopt(s->fd, IPPROTO_UDP, UDP_GRO, &on, sizeof(on));
	return 0;
}

void sock_io_close(struct sock *s)
{
	if (s->out)
		free(s->out->encrypted);
	free(s->out);
	free(s->in);
	s->out = NULL;
	s->in = NULL;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* ---- ICMP errors --------------------------------------------------------- */

static void io_error(struct sock *s, const union weft_name *to,
		     const struct sock_extended_err *e)
{
	struct sock_peer *p = sock_peer_find(s, to);

	if (p &&
	    (e->ee_origin == SO_EE_ORIGIN_ICMP ||
	     e->ee_origin == SO_EE_ORIGIN_ICMP6) &&
	    e->ee_errno == ECONNREFUSED)
		sock_peer_refused(s, p);
}

static bool io_is_error(const struct cmsghdr *c)
{
	return (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
	       (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR);
}

/*
 * Reads one error from the socket's error queue; returns false if there is
 * none.
 */
static bool io_error_read(struct sock *s)
{
	_Alignas(struct cmsghdr) char control[512];
	union weft_name to = { .in.sin_family = 0 };
	struct msghdr m = { .msg_name = &to,
			    .msg_namelen = sizeof(to),
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };

	if (recvmsg(s->fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		struct sock_extended_err e;

		if (!io_is_error(c))
			continue;
		memcpy(&e, CMSG_DATA(c), sizeof(e));
		io_error(s, &to, &e);
	}
	return true;
}

void sock_io_errors(struct sock *s)
{
	for (int i = 0; i < IO_ERRORS_MAX && io_error_read(s); i++)
		;
}

/* ---- sending datagrams --------------------------------------------------- */

/* Returns the stamp of the last datagram received, plus its age. */
static uint32_t io_echo(const struct sock *s, const struct sock_peer *p)
{
	uint32_t us = (uint32_t)((s->now - p->last_received_ns) / 1000);

	if (!p->stamp)
		return 0;
	return p->stamp + us ? p->stamp + us : 1;
}

static void io_head(struct sock *s, struct sock_peer *p, struct sock_head *h)
{
	uint32_t us = (uint32_t)(s->now / 1000);

	h->magic = SOCK_MAGIC;
	h->from = s->gen;
	h->to = p->remote_gen;
	h->ack = p->rx.next;
	h->ack_bits = weft_arq_win_word(&p->rx, 0);
	h->room = sock_rx_room(s, p);
	h->stamp = us ? us : 1;
	h->echo = io_echo(s, p);
	h->flags = (h->flags & (SOCK_UNORDERED | SOCK_PUBLIC)) |
		   (p->bye ? SOCK_BYE_RECEIVED : 0) |
		   (sock_tx_ack_soon(s, p) ? SOCK_ACK_SOON : 0);
	h->count = ++p->count;
	p->unacked = 0;
	p->unacked_bytes = 0;
	p->ack_soon = false;
	p->ack_now = false;
	p->small_room_sent = h->room < 2 * p->dgram_max;
}

static void io_sign(const struct sock *s, const struct sock_peer *p,
		    uint8_t *data, uint32_t bytes)
{
	if (weft_unlikely(data[offsetof(struct sock_head, flags)] &
			  SOCK_PUBLIC))
		sock_keys_sign(s, &p->name, data, bytes);
	else
		sock_seal_sign(s, p->own_seal, data, bytes);
}

void sock_io_add(struct sock *s, struct sock_peer *p, void *data,
		 uint32_t bytes)
{
	struct sock_out *o = s->out;
	struct sock_head *h = data;
	uint32_t i = o->count;

	static_assert(SOCK_DGRAM_MAX <= UINT16_MAX, "a datagram's length");
	if (s->dead)
		return;
	WEFT_ASSERT(i < SOCK_BATCH && bytes >= sizeof(*h));
	sock_progress_thread_count(&s->progress.traffic);
	io_head(s, p, h);
	h->bytes = (uint16_t)(bytes + s->tag);
	if (h->kind != SOCK_DATA)
		h = data = memcpy(&o->small[i], h, bytes);
	if (s->encrypts)
		h = data = memcpy(o->encrypted + o->bytes, h, bytes);
	if (s->tag)
		io_sign(s, p, data, bytes);
	h->crc = sock_crc(s, h, bytes);
	bytes += s->tag;
	if (s->faults.any) {
		sock_fault_send(s, &p->name, data, bytes);
		return;
	}
	o->entry[i] = (struct io_entry){ p, h->seq, h->kind == SOCK_DATA };
	o->iov[i] = (struct iovec){ .iov_base = data, .iov_len = bytes };
	o->bytes += bytes;
	if (++o->count == SOCK_BATCH || o->bytes + bytes > SOCK_GSO_BYTES)
		sock_io_flush(s);
}

bool sock_io_batched(const struct sock *s)
{
	return s->out->count;
}

/*
 * Returns the number of entries, starting at i, that can form one GSO message.
 */
static uint32_t io_gso_count(const struct sock *s, uint32_t i)
{
	const struct sock_out *o = s->out;
	size_t size = o->iov[i].iov_len;
	size_t all = size;
	uint32_t n = 1;

	if (!s->gso || size > o->entry[i].peer->dgram_max + s->tag)
		return 1;
	for (; i + n < o->count; n++) {
		size_t next = o->iov[i + n].iov_len;

		if (o->entry[i + n].peer != o->entry[i].peer || next > size ||
		    all + next > SOCK_GSO_BYTES)
			break;
		all += next;
		if (next < size)
			return n + 1;
	}
	return n;
}

static void io_segment(struct msghdr *m, struct io_control *c, size_t size)
{
	struct cmsghdr *head = (struct cmsghdr *)(void *)c->room;
	uint16_t bytes = (uint16_t)size;

	m->msg_control = c->room;
	m->msg_controllen = CMSG_SPACE(sizeof(bytes));
	head->cmsg_level = IPPROTO_UDP;
	head->cmsg_type = UDP_SEGMENT;
	head->cmsg_len = CMSG_LEN(sizeof(bytes));
	memcpy(CMSG_DATA(head), &bytes, sizeof(bytes));
}

/*
 * Builds the iovec of n entries starting at i, joining contiguous memory;
 * returns its length.
 */
static uint32_t io_iovec(const struct sock_out *o, uint32_t i, uint32_t n,
			 struct iovec *piece)
{
	uint32_t last = 0;

	piece[0] = o->iov[i];
	for (uint32_t k = i + 1; k < i + n; k++) {
		const uint8_t *end = piece[last].iov_base;

		if (end + piece[last].iov_len == o->iov[k].iov_base)
			piece[last].iov_len += o->iov[k].iov_len;
		else
			piece[++last] = o->iov[k];
	}
	return last + 1;
}

/* Builds messages of the entries starting at i; returns their number. */
static uint32_t io_build(struct sock *s, uint32_t i)
{
	struct sock_out *o = s->out;
	struct iovec *piece = o->piece;
	uint32_t msgs = 0;

	while (i < o->count) {
		struct msghdr *m = &o->msg[msgs].msg_hdr;
		uint32_t n = io_gso_count(s, i);

		*m = (struct msghdr){
			.msg_name = &o->entry[i].peer->name,
			.msg_namelen = weft_name_bytes(&s->name),
			.msg_iov = piece,
			.msg_iovlen = io_iovec(o, i, n, piece),
		};
		piece += m->msg_iovlen;
		if (n > 1)
			io_segment(m, &o->control[msgs], o->iov[i].iov_len);
		o->first[msgs++] = i;
		i += n;
	}
	return msgs;
}

/*
 * Handles a smaller path MTU, found at entry i. Later datagrams are smaller;
 * datagrams that already have a sequence number are sent as IP fragments.
 */
static void io_mtu_shrunk(struct sock *s, uint32_t i)
{
	struct io_entry *e = &s->out->entry[i];
	struct iovec *v = &s->out->iov[i];
	uint32_t width = e->peer->dgram_max + s->tag;
	bool local;

	sock_name_route(s, &e->peer->name, &width, &local);
	if (v->iov_len <= width)
		width = SOCK_DGRAM_MIN;
	sock_peer_dgram_max_set(e->peer, width - s->tag);
	e->peer->pace.datagram = e->peer->dgram_max;
	sock_name_fragment(s, true);
	sock_io_send_one(s, &e->peer->name, v->iov_base, (uint32_t)v->iov_len);
	sock_name_fragment(s, false);
}

static void io_unsent(struct sock *s, uint32_t i)
{
	struct sock_out *o = s->out;

	for (; i < o->count; i++) {
		if (o->entry[i].data)
			sock_tx_mark_unsent(o->entry[i].peer, o->entry[i].seq);
	}
}

/* Handles an error at entry i; returns the entry to continue with. */
static uint32_t io_failed(struct sock *s, uint32_t i, bool joined)
{
	int err = errno;

	/* any call may return an asynchronous error of an earlier datagram */
	if (err == EINTR)
		return i;
	if (err == ECONNREFUSED || err == EHOSTUNREACH || err == ENETUNREACH) {
		sock_io_errors(s);
		return err == ECONNREFUSED ? i : i + 1;
	}
	if (joined && (err == EIO || err == EINVAL || err == EMSGSIZE ||
		       err == ENOPROTOOPT)) {
		s->gso = false;
		return i;
	}
	if (err == EMSGSIZE) {
		io_mtu_shrunk(s, i);
		return i + 1;
	}
	if (err != EAGAIN && err != ENOBUFS && err != ENOMEM)
		/* the datagram is treated as lost in the network */
		return i + 1;
	io_unsent(s, i);
	return s->out->count;
}

/*
 * io_call_send() and io_call_receive() make the system calls directly: the C
 * library's sendto() and recvfrom() are cancellation points, which cost one
 * atomic operation before and after each call in threaded programs.
 */
static ssize_t io_call_send(const struct sock *s, const union weft_name *to,
			    const void *data, size_t bytes)
{
	return syscall(SYS_sendto, s->fd, data, bytes, MSG_DONTWAIT, to,
		       weft_name_bytes(&s->name));
}

static ssize_t io_call_receive(const struct sock *s, union weft_name *from,
			       void *data, size_t room)
{
	socklen_t len = sizeof(*from);

	return syscall(SYS_recvfrom, s->fd, data, room, MSG_DONTWAIT, from,
		       &len);
}

/* Sends the last entry alone, by a cheaper system call. */
static uint32_t io_send_one(struct sock *s, uint32_t i)
{
	const struct iovec *v = &s->out->iov[i];
	const struct sock_peer *p = s->out->entry[i].peer;

	if (io_call_send(s, &p->name, v->iov_base, v->iov_len) < 0)
		return io_failed(s, i, false);
	return i + 1;
}

/* Sends entries starting at i; returns the entry to continue with. */
static uint32_t io_send(struct sock *s, uint32_t i)
{
	struct sock_out *o = s->out;
	uint32_t msgs = io_build(s, i);
	int n = sendmmsg(s->fd, o->msg, msgs, MSG_DONTWAIT);

	if (n <= 0)
		return io_failed(s, i, o->msg[0].msg_hdr.msg_control);
	return (uint32_t)n == msgs ? o->count : o->first[n];
}

void sock_io_flush(struct sock *s)
{
	struct sock_out *o = s->out;
	uint32_t i = 0;

	for (int tries = 0; i < o->count && tries < 1000; tries++)
		i = o->count - i == 1 ? io_send_one(s, i) : io_send(s, i);
	o->count = 0;
	o->bytes = 0;
}

int sock_io_send_one(struct sock *s, const union weft_name *to,
		     const void *data, uint32_t bytes)
{
	for (int tries = 0; tries < 3; tries++) {
		if (io_call_send(s, to, data, bytes) >= 0)
			return 0;
		if (errno != ECONNREFUSED)
			break;
		sock_io_errors(s);
	}
	return -errno;
}

/* ---- receiving datagrams ------------------------------------------------- */

/* Returns the length of the datagram at data, from its header; 0: invalid. */
static uint32_t io_length(const struct sock *s, const uint8_t *data,
			  uint32_t left)
{
	uint16_t bytes;

	if (left < sizeof(struct sock_head))
		return 0;
	memcpy(&bytes, data + offsetof(struct sock_head, bytes), sizeof(bytes));
	return bytes >= sizeof(struct sock_head) + s->tag && bytes <= left
		       ? bytes
		       : 0;
}

/*
 * Handles one datagram, or several that the kernel coalesced. After an invalid
 * datagram the start of the next one is unknown, so the remaining bytes are
 * dropped.
 */
static int io_message(struct sock *s, uint32_t i, int budget)
{
	struct sock_in *in = s->in;
	uint8_t *data = in->data[i];
	uint32_t left = in->msg[i].msg_len;
	int n = 0;

	while (left) {
		uint32_t bytes = io_length(s, data, left);
		int got = bytes ? sock_rx_datagram(s, &in->from[i], data, bytes,
						   budget - n)
				: -EBADMSG;

		if (got < 0) {
			s->stats.refused++;
			break;
		}
		n += got;
		data += bytes;
		left -= bytes;
	}
	return n;
}

/* Reads one message; returns 1, or -1 with errno. */
static int io_receive_one(struct sock *s)
{
	struct sock_in *in = s->in;
	ssize_t n =
		io_call_receive(s, &in->from[0], in->data[0], SOCK_READ_BYTES);

	if (n < 0)
		return -1;
	in->msg[0].msg_len = (uint32_t)n;
	return 1;
}

/* Reads at most count messages; returns their number, or -1 with errno. */
static int io_receive(struct sock *s, uint32_t count)
{
	struct sock_in *in = s->in;

	if (count == 1)
		return io_receive_one(s);
	for (uint32_t i = 0; i < count; i++) {
		in->iov[i] = (struct iovec){ .iov_base = in->data[i],
					     .iov_len = SOCK_READ_BYTES };
		in->msg[i].msg_hdr = (struct msghdr){
			.msg_name = &in->from[i],
			.msg_namelen = sizeof(in->from[i]),
			.msg_iov = &in->iov[i],
			.msg_iovlen = 1,
		};
	}
	return recvmmsg(s->fd, in->msg, count, MSG_DONTWAIT, NULL);
}

/*
 * Chooses how to read next. A ping-pong has one message at a time, and a
 * coalesced message is best read into the previous buffer, which is in the
 * cache: both are read one by one. Batches are for many small messages.
 */
static enum sock_read_more io_read_more(struct sock_in *in, int got,
					uint32_t count)
{
	bool bulk = got > 0 && in->msg[0].msg_len > IO_BULK_BYTES;

	if (got < (int)count) {
		in->runs = got > 1 ? in->runs : 0;
		return SOCK_READ_EMPTY;
	}
	in->runs = bulk ? 0 : in->runs + 1;
	return bulk || count > 1 ? SOCK_READ_AGAIN : SOCK_READ_MAYBE;
}

int sock_io_read(struct sock *s, int budget, enum sock_read_more *left_p)
{
	struct sock_in *in = s->in;
	uint32_t count = in->runs > 1 ? SOCK_READ_BATCH : 1;
	int got = io_receive(s, count);
	int n = 0;

	if (got < 0 && errno != EAGAIN) {
		sock_io_errors(s);
		got = io_receive(s, count);
	}
	*left_p = io_read_more(in, got, count);
	if (got > 0)
		sock_progress_thread_count(&s->progress.traffic);
	for (int i = 0; i < got; i++)
		n += io_message(s, (uint32_t)i, budget - n);
	return n;
}
