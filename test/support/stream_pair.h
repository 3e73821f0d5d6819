/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: two endpoints with streams in one process, which know each other
 * as the sock carrier would, and a clock that the test sets.
 */
#ifndef WEFT_CARRIER_STREAM_PAIR_H
#define WEFT_CARRIER_STREAM_PAIR_H

#include "prov/carrier/stream/stream_int.h"
#include "test/support/t_family.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* bytes before and after a buffer that must not change */
#define PAIR_GUARD 64

struct pair_end {
	struct stream st;
	struct stream_peer other; /* the other endpoint as seen by this one */
	bool unknown;		  /* the other endpoint is not known */
};

struct pair {
	struct pair_end a, b;
	uint64_t now;
};

/* A transfer and how it ended. */
struct pair_xfer {
	struct weft_stream_xfer x;
	struct iovec iov[WEFT_STREAM_IOV];
	int ends;
	int err;
};

static inline struct stream_peer *
pair_find(void *arg, const union weft_name *name, uint64_t gen)
{
	struct pair_end *e = arg;

	return !e->unknown && weft_name_equal(name, &e->other.name) &&
			       gen == e->other.gen
		       ? &e->other
		       : NULL;
}

static inline union weft_name pair_free_port(void)
{
	union weft_name name = t_loopback();
	socklen_t len = sizeof(name);
	int fd = socket(name.sa.sa_family, SOCK_STREAM, 0);

	T_OK(bind(fd, &name.sa, weft_name_bytes(&name)));
	T_OK(getsockname(fd, &name.sa, &len));
	close(fd);
	return name;
}

static inline void pair_end_open(struct pair_end *e, uint64_t gen,
				 enum stream_mode mode)
{
	struct stream_attr attr = { .gen = gen,
				    .tags = mode != STREAM_OPEN,
				    .encrypt = mode == STREAM_ENCRYPTED,
				    .find = pair_find,
				    .arg = e };

	for (int i = 0; i < 16; i++) {
		attr.name = pair_free_port();
		T_OK(stream_open(&e->st, &attr));
		if (e->st.listener >= 0)
			return;
		stream_close(&e->st);
	}
	fail_msg("no free port");
}

static inline struct pair *pair_open(enum stream_mode mode)
{
	struct pair *p = calloc(1, sizeof(*p));

	T_NOT_NULL(p);
	pair_end_open(&p->a, 7, mode);
	pair_end_open(&p->b, 8, mode);
	p->a.other.name = p->b.st.attr.name;
	p->b.other.name = p->a.st.attr.name;
	p->a.other.gen = 8;
	p->b.other.gen = 7;
	memset(p->a.other.key, 5, STREAM_KEY_BYTES);
	memset(p->b.other.key, 5, STREAM_KEY_BYTES);
	p->now = UINT64_C(1000000000);
	p->a.st.now = p->b.st.now = p->now;
	return p;
}

static inline void pair_close(struct pair *p)
{
	stream_close(&p->a.st);
	stream_close(&p->b.st);
	free(p);
}

/* Polls both sides n times; the clock advances by a millisecond each. */
static inline void pair_poll(struct pair *p, int n)
{
	for (int i = 0; i < n; i++) {
		p->now += 1000000;
		stream_poll(&p->a.st, p->now);
		stream_poll(&p->b.st, p->now);
	}
}

/* Polls until the condition holds; the test fails after many polls. */
#define PAIR_UNTIL(p, cond)                               \
	do {                                              \
		for (int until_ = 0; !(cond); until_++) { \
			T_TRUE(until_ < 4000);            \
			if (until_ > 100)                 \
				usleep(500);              \
			pair_poll(p, 1);                  \
		}                                         \
	} while (0)

static inline void pair_connect(struct pair *p)
{
	stream_connect(&p->a.st, &p->a.other);
	PAIR_UNTIL(p, stream_peer_ready(&p->b.other));
}

static inline void pair_done(struct weft_stream_xfer *x, int err)
{
	struct pair_xfer *t = weft_container_of(x, struct pair_xfer, x);

	t->ends++;
	t->err = err;
}

/* Describes bytes [start, start + bytes) of buf, in two segments. */
static inline void pair_xfer_set(struct pair_xfer *t, uint8_t *buf,
				 uint64_t start, uint64_t bytes)
{
	uint64_t first = start + bytes / 3;

	t->iov[0] = (struct iovec){ buf, first };
	t->iov[1] = (struct iovec){ buf + first, start + bytes - first };
	t->ends = t->err = 0;
	t->x = (struct weft_stream_xfer){ .iov = t->iov,
					  .iov_count = 2,
					  .start = start,
					  .bytes = bytes,
					  .done = pair_done };
}

#endif
