/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames between mpiexec and its daemons (run_frame.h). */
#include "src/tools/run/daemon/run_frame.h"
#include "src/tools/run/run_message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 8, CHUNK = 65536 };

/* ---- values -------------------------------------------------------------- */

static bool buf_reserve(struct run_bytes *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 256;
	char *p;

	while (cap - b->len < more)
		cap *= 2;
	if (cap == b->cap)
		return true;
	p = realloc(b->data, cap);
	if (!p) {
		b->lost = true;
		return false;
	}
	b->data = p;
	b->cap = cap;
	return true;
}

void run_bytes_add(struct run_bytes *b, const void *data, size_t len)
{
	if (!len || !buf_reserve(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

void run_bytes_u32(struct run_bytes *b, uint32_t value)
{
	uint32_t net = htonl(value);

	run_bytes_add(b, &net, sizeof(net));
}

void run_bytes_block(struct run_bytes *b, const void *data, size_t len)
{
	run_bytes_u32(b, (uint32_t)len);
	run_bytes_add(b, data, len);
}

void run_bytes_text(struct run_bytes *b, const char *text)
{
	run_bytes_block(b, text, strlen(text));
}

void run_bytes_list(struct run_bytes *b, char *const *list)
{
	uint32_t n = 0;

	while (list[n])
		n++;
	run_bytes_u32(b, n);
	for (uint32_t i = 0; i < n; i++)
		run_bytes_text(b, list[i]);
}

void run_bytes_free(struct run_bytes *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

uint32_t run_scan_u32(struct run_scan *s)
{
	uint32_t net;

	if (s->left < sizeof(net)) {
		s->bad = true;
		s->left = 0;
		return 0;
	}
	memcpy(&net, s->at, sizeof(net));
	s->at += sizeof(net);
	s->left -= sizeof(net);
	return ntohl(net);
}

const char *run_scan_block(struct run_scan *s, size_t *len_p)
{
	uint32_t len = run_scan_u32(s);
	const char *at = s->at;

	if (s->bad || len > s->left) {
		s->bad = true;
		s->left = 0;
		*len_p = 0;
		return NULL;
	}
	s->at += len;
	s->left -= len;
	*len_p = len;
	return at;
}

char *run_scan_text(struct run_scan *s)
{
	size_t len;
	const char *at = run_scan_block(s, &len);
	char *text = at ? strndup(at, len) : NULL;

	if (!text)
		s->bad = true;
	return text;
}

char **run_scan_list(struct run_scan *s)
{
	uint32_t n = run_scan_u32(s);
	char **list;

	/* a text takes four bytes or more */
	if (s->bad || n > s->left / 4) {
		s->bad = true;
		return NULL;
	}
	list = calloc((size_t)n + 1, sizeof(*list));
	for (uint32_t i = 0; list && i < n && !s->bad; i++)
		list[i] = run_scan_text(s);
	return list;
}

void run_list_free(char **list)
{
	for (char **p = list; p && *p; p++)
		free(*p);
	free(list);
}

/* ---- channel ------------------------------------------------------------- */

void run_channel_open(struct run_channel *c, int in, int out)
{
	memset(c, 0, sizeof(*c));
	c->in = in;
	c->out = out;
	fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
}

void run_channel_close(struct run_channel *c)
{
	if (c->out >= 0 && c->out != c->in)
		close(c->out);
	if (c->in >= 0)
		close(c->in);
	c->in = -1;
	c->out = -1;
	run_bytes_free(&c->rx);
	run_bytes_free(&c->tx);
	c->taken = 0;
	c->sent = 0;
}

int run_channel_fill(struct run_channel *c)
{
	ssize_t n;

	/* frames that were returned are no longer in use */
	if (c->taken) {
		memmove(c->rx.data, c->rx.data + c->taken,
			c->rx.len - c->taken);
		c->rx.len -= c->taken;
		c->taken = 0;
	}
	if (!buf_reserve(&c->rx, CHUNK))
		return -ENOMEM;
	n = read(c->in, c->rx.data + c->rx.len, c->rx.cap - c->rx.len);
	if (n > 0) {
		c->rx.len += (size_t)n;
		c->read_bytes += (size_t)n;
		return 0;
	}
	if (n == 0)
		return -EPIPE;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int run_channel_next(struct run_channel *c, struct run_frame *f)
{
	struct run_scan s = { .at = c->rx.data + c->taken,
			      .left = c->rx.len - c->taken };
	uint32_t kind, len;

	if (s.left < HEAD)
		return 0;
	kind = run_scan_u32(&s);
	len = run_scan_u32(&s);
	if (!kind || kind >= RUN_FRAME_KINDS || len > RUN_FRAME_MAX)
		return -EPROTO;
	if (s.left < len)
		return 0;
	f->kind = kind;
	f->body = (struct run_scan){ .at = s.at, .left = len };
	c->taken += HEAD + (size_t)len;
	return 1;
}

static void add_frame(struct run_bytes *to, enum run_frame_kind kind,
		      const void *data, size_t len)
{
	run_bytes_u32(to, kind);
	run_bytes_block(to, data, len);
}

void run_channel_put(struct run_channel *c, enum run_frame_kind kind,
		     const void *data, size_t len)
{
	if (c->out < 0)
		return;
	add_frame(&c->tx, kind, data, len);
	run_channel_flush(c);
}

void run_channel_put_bytes(struct run_channel *c, enum run_frame_kind kind,
			   const struct run_bytes *b)
{
	run_channel_put(c, kind, b->data, b->len);
}

int run_channel_flush(struct run_channel *c)
{
	ssize_t n;

	while (c->out >= 0 && c->sent < c->tx.len) {
		n = write(c->out, c->tx.data + c->sent, c->tx.len - c->sent);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		c->sent += (size_t)n;
		c->write_bytes += (size_t)n;
	}
	c->tx.len = 0;
	c->sent = 0;
	return 0;
}

int run_frame_write(int fd, enum run_frame_kind kind, const struct run_bytes *b)
{
	struct run_bytes all = { 0 };
	int err;

	add_frame(&all, kind, b->data, b->len);
	err = all.lost || b->lost ? -ENOMEM
				  : run_write_all(fd, all.data, all.len);
	run_bytes_free(&all);
	return err;
}
