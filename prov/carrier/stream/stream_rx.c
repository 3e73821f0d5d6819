/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives records into the buffers of transfers. The payload is received
 * directly into the buffer. A head is refused unless it continues a transfer at
 * its first missing byte: so even the head of a record whose tag is wrong can
 * change only bytes of the transfer that no valid record has delivered.
 */
#include "prov/carrier/stream/stream_int.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* largest number of bytes per call, so that other work is not delayed */
#define RX_RUN_BYTES (256u << 10)

static struct weft_stream_xfer *rx_find(const struct stream_conn *c,
					uint64_t ticket)
{
	for (struct weft_list *i = c->xfers.next; i != &c->xfers; i = i->next) {
		struct weft_stream_xfer *x =
			weft_container_of(i, struct weft_stream_xfer, link);

		if (x->ticket == ticket)
			return x;
	}
	return NULL;
}

/*
 * Checks a complete head. The payload of a transfer that was withdrawn is
 * dropped.
 */
static int rx_head(struct stream *st, struct stream_conn *c)
{
	uint32_t most = c->seal ? STREAM_RECORD : STREAM_UNTAGGED;
	struct weft_stream_xfer *x = rx_find(c, c->next.ticket);

	c->head = c->next;
	c->next_got = 0;
	c->pos = 0;
	if (!c->head.bytes || c->head.bytes > most || !c->head.ticket ||
	    c->head.ticket > st->last_ticket)
		return -EPROTO;
	if (x &&
	    (c->head.offset != x->moved || c->head.bytes > x->bytes - x->moved))
		return -EPROTO;
	c->now = x;
	c->head_full = true;
	return 0;
}

/* Collects the memory for the missing bytes of the payload. */
static bool rx_payload(const struct stream *st, const struct stream_conn *c,
		       struct stream_iov *l)
{
	uint64_t left = c->head.bytes > c->pos ? c->head.bytes - c->pos : 0;

	if (c->now) {
		stream_iov_xfer(l, c->now, c->head.offset + c->pos,
				c->head.offset + c->head.bytes);
		return true;
	}
	/*
	 * scratch has space for a record with a tag; other records are dropped
	 * in pieces
	 */
	if (c->seal) {
		stream_iov_add(l, st->scratch, c->head.bytes, c->pos);
		return true;
	}
	stream_iov_add(l, st->scratch,
		       left < STREAM_RECORD ? left : STREAM_RECORD, 0);
	return left <= STREAM_RECORD;
}

/* Collects the memory for the next bytes: up to the head of the next record. */
static void rx_iov(const struct stream *st, struct stream_conn *c,
		   struct stream_iov *l)
{
	if (c->head_full) {
		if (!rx_payload(st, c, l))
			return;
		stream_iov_add(l, c->tag, stream_tag_bytes(c),
			       c->pos > c->head.bytes ? c->pos - c->head.bytes
						      : 0);
	}
	stream_iov_add(l, &c->next, sizeof(c->next), c->next_got);
}

static bool rx_valid(struct stream *st, struct stream_conn *c)
{
	struct stream_iov payload = { .count = 0 };

	if (!c->seal)
		return true;
	if (c->now)
		stream_iov_xfer(&payload, c->now, c->head.offset,
				c->head.offset + c->head.bytes);
	else
		stream_iov_add(&payload, st->scratch, c->head.bytes, 0);
	if (stream_seal_verify(c->seal, c->count++, &c->head, &payload, c->tag))
		return true;
	st->stats.forged++;
	return false;
}

static int rx_record_done(struct stream *st, struct stream_conn *c)
{
	struct weft_stream_xfer *x = c->now;

	if (!rx_valid(st, c))
		return -EBADMSG;
	c->head_full = false;
	c->now = NULL;
	if (!x)
		return 0;
	st->stats.received += c->head.bytes;
	x->moved += c->head.bytes;
	if (x->moved < x->bytes)
		return 0;
	stream_xfer_end(x);
	x->done(x, 0);
	return 0;
}

/* Counts n received bytes; returns the number of complete records or -errno. */
static int rx_bytes(struct stream *st, struct stream_conn *c, uint64_t n)
{
	uint64_t body = c->head.bytes + stream_tag_bytes(c);
	int records = 0;
	int ret = 0;

	if (c->head_full) {
		uint64_t part = n < body - c->pos ? n : body - c->pos;

		c->pos += part;
		n -= part;
		if (c->pos == body) {
			ret = rx_record_done(st, c);
			records = 1;
		}
	}
	c->next_got += (uint32_t)n;
	if (!ret && c->next_got == sizeof(c->next))
		ret = rx_head(st, c);
	return ret ? ret : records;
}

/* Returns the number of bytes that the iovecs of l can hold. */
static uint64_t rx_room(const struct stream_iov *l)
{
	uint64_t n = 0;

	for (int i = 0; i < l->count; i++)
		n += l->v[i].iov_len;
	return n;
}

int stream_rx_run(struct stream *st, struct stream_conn *c)
{
	uint64_t all = 0;
	int records = 0;

	while (all < RX_RUN_BYTES && !c->broken) {
		struct stream_iov l = { .count = 0 };
		struct msghdr m = { .msg_iov = l.v };
		ssize_t n;
		int ret;

		rx_iov(st, c, &l);
		m.msg_iovlen = (size_t)l.count;
		n = recvmsg(c->fd, &m, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return records;
		if (n <= 0)
			return -ECONNRESET;
		ret = rx_bytes(st, c, (uint64_t)n);
		if (ret < 0)
			return ret;
		records += ret + 1;
		all += (uint64_t)n;
		if ((uint64_t)n < rx_room(&l) && !c->head_full)
			return records;
	}
	return records;
}
