/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divides transfers into records, which are sent from the caller's memory. Only
 * encrypted payloads are copied.
 */
#include "prov/carrier/stream/stream_int.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

/*
 * Bytes after which a call starts no further record, so that control packets,
 * which start other transfers, and bytes of the other direction are not
 * delayed.
 */
#define TX_RUN_BYTES (256 << 10)

static uint64_t tx_record_bytes(const struct stream_conn *c)
{
	return sizeof(c->head) + c->head.bytes + stream_tag_bytes(c);
}

/* Computes the tag of the record, and its encrypted payload. */
static int tx_seal(const struct stream *st, struct stream_conn *c)
{
	struct stream_iov payload = { .count = 0 };

	if (!c->seal)
		return 0;
	if (st->attr.encrypt && !c->sealed)
		c->sealed = malloc(STREAM_RECORD);
	if (st->attr.encrypt && !c->sealed)
		return -ENOMEM;
	stream_iov_xfer(&payload, c->now, c->head.offset,
			c->head.offset + c->head.bytes);
	return stream_seal_sign(c->seal, c->count++, &c->head, &payload,
				c->sealed, c->tag)
		       ? 0
		       : -EIO;
}

/* Starts the next record of the oldest transfer. */
static int tx_begin(struct stream *st, struct stream_conn *c)
{
	uint32_t most = c->seal ? STREAM_RECORD : STREAM_UNTAGGED;
	uint32_t part = c->seal ? c->record_bytes : STREAM_UNTAGGED;
	struct weft_stream_xfer *x =
		weft_container_of(c->xfers.next, struct weft_stream_xfer, link);
	uint64_t left = x->bytes - x->moved;

	c->now = x;
	c->head = (struct stream_head){
		.ticket = x->ticket,
		.offset = x->moved,
		.bytes = left <= most ? (uint32_t)left : part,
	};
	c->pos = 0;
	c->record = true;
	return tx_seal(st, c);
}

/* Collects the unsent bytes of the record. */
static void tx_iov(const struct stream_conn *c, struct stream_iov *l)
{
	uint64_t head = sizeof(c->head);
	uint64_t done = c->pos > head ? c->pos - head : 0;
	uint64_t bytes = c->head.bytes;

	stream_iov_add(l, &c->head, head, c->pos);
	if (c->sealed)
		stream_iov_add(l, c->sealed, bytes, done);
	else
		stream_iov_xfer(l, c->now, c->head.offset + done,
				c->head.offset + bytes);
	stream_iov_add(l, c->tag, stream_tag_bytes(c),
		       done > bytes ? done - bytes : 0);
}

/*
 * Fault plan: shortens the iovec so that the connection breaks after cut_bytes
 * bytes.
 */
static void tx_cut(const struct stream *st, const struct stream_conn *c,
		   struct stream_iov *l)
{
	uint64_t left = st->cut_bytes - c->raw;

	for (int i = 0; i < l->count; i++) {
		if (l->v[i].iov_len >= left) {
			l->v[i].iov_len = left;
			l->count = left ? i + 1 : i;
			return;
		}
		left -= l->v[i].iov_len;
	}
}

/* Passes bytes to the kernel; returns their number, or -errno. */
static ssize_t tx_write(const struct stream *st, struct stream_conn *c)
{
	struct stream_iov l = { .count = 0 };
	struct msghdr m = { .msg_iov = l.v };
	ssize_t n;

	tx_iov(c, &l);
	if (st->cut_bytes)
		tx_cut(st, c, &l);
	m.msg_iovlen = (size_t)l.count;
	do {
		n = sendmsg(c->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	c->raw += (uint64_t)n;
	if (st->cut_bytes && c->raw >= st->cut_bytes)
		return -ECONNRESET;
	return n;
}

/*
 * Ends a record, and also its transfer if the record was the last one of the
 * transfer.
 */
static void tx_record_done(struct stream *st, struct stream_conn *c)
{
	c->now->moved += c->head.bytes;
	st->stats.sent += c->head.bytes;
	c->record = false;
	if (c->now->moved == c->now->bytes)
		return;
	c->now = NULL;
}

/*
 * Sends records until the kernel accepts no more, `*left_p` bytes are sent, or
 * the oldest transfer is sent. Returns the number of records, or -errno.
 */
static int tx_push(struct stream *st, struct stream_conn *c, int64_t *left_p)
{
	ssize_t n = 0;
	int records = 0;

	while (c->record || (!c->now && *left_p > 0)) {
		if (!c->record)
			n = tx_begin(st, c);
		if (n >= 0)
			n = tx_write(st, c);
		if (n == -EAGAIN || n == -ENOBUFS)
			return records;
		if (n < 0)
			return (int)n;
		*left_p -= n;
		c->pos += (uint64_t)n;
		if (c->pos < tx_record_bytes(c))
			continue;
		tx_record_done(st, c);
		records++;
	}
	return records;
}

int stream_tx_run(struct stream *st, struct stream_conn *c)
{
	int64_t left = TX_RUN_BYTES;
	int records = 0;

	while (!weft_list_empty(&c->xfers) && !c->broken) {
		struct weft_stream_xfer *x;
		int n = tx_push(st, c, &left);

		if (n < 0)
			return n;
		records += n;
		x = c->now;
		if (c->record || !x) {
			/*
			 * with EPOLLOUT enabled, a wait ends as soon as more
			 * can be sent
			 */
			stream_conn_want(st, c, true);
			return records;
		}
		c->now = NULL;
		stream_xfer_end(x);
		x->done(x, 0);
		records++;
	}
	if (!c->broken)
		stream_conn_want(st, c, false);
	return records;
}
