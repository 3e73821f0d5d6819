/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixture for tests: two APEnet+ boards in one process, each with a buffer in
 * host memory and one in device memory.
 */
#ifndef WEFT_APENET_PAIR_H
#define WEFT_APENET_PAIR_H

#include "prov/machine/apenet/apenet_dev.h"
#include "test/t.h"

#define PAIR_BYTES  (4u << 20)
#define PAIR_RIGHTS (WEFT_APENET_MAY_READ | WEFT_APENET_MAY_WRITE)

enum { HOST, DEVICE, KINDS };

struct side {
	struct weft_apenet *a;
	struct sockaddr_in name;
	uint32_t node;
	char *mem[KINDS];
	unsigned buf[KINDS];
};

static inline const char *pair_kind(int kind)
{
	return kind == HOST ? WEFT_MEM_HOST : WEFT_MEM_DEVICE;
}

#define PAIR_UNIT     a
#define PAIR_FN(verb) weft_apenet_##verb

static inline void side_close(struct side *s)
{
	weft_apenet_close(s->a);
	for (int k = 0; k < KINDS; k++)
		weft_mem_free(pair_kind(k), s->mem[k]);
}

#include "test/support/pair.h"

static inline void pair_side(struct side *s,
			     const struct weft_apenet_attr *attr, uint32_t node)
{
	struct weft_apenet_attr a = *attr;

	a.place.carrier = "loop";
	a.node = s->node = node;
	T_OK(weft_apenet_open(&a, &s->a));
	for (int k = 0; k < KINDS; k++) {
		T_OK(weft_mem_alloc(pair_kind(k), PAIR_BYTES,
				    (void **)&s->mem[k]));
		T_OK(weft_apenet_buf_open(s->a, s->mem[k], PAIR_BYTES,
					  PAIR_RIGHTS, &s->buf[k]));
	}
}

static inline void pair_open_as(struct pair *p,
				const struct weft_apenet_attr *attr)
{
	for (uint32_t i = 0; i < 2; i++)
		pair_side(&p->s[i], attr, i);
	pair_connect(p);
}

static inline void pair_open(struct pair *p)
{
	const struct weft_apenet_attr attr = { 0 };

	pair_open_as(p, &attr);
}

/* Waits for the next event of a side. */
static inline struct weft_apenet_event pair_event(struct pair *p, int side)
{
	struct weft_apenet_event ev;
	int err = -EAGAIN;

	for (int i = 0; i < 1000000 && err; i++) {
		pair_run(p, 1);
		err = weft_apenet_event(p->s[side].a, &ev);
	}
	T_OK(err);
	return ev;
}

/* Checks that the side writes no further event. */
static inline void pair_silent(struct pair *p, int side)
{
	struct weft_apenet_event ev;

	pair_run(p, 1000);
	T_IS(weft_apenet_event(p->s[side].a, &ev), -EAGAIN);
}

/* Returns a command that transfers between memory of side 0 and side 1. */
static inline struct weft_apenet_cmd pair_cmd(struct pair *p, int here,
					      int there, uint64_t bytes)
{
	return (struct weft_apenet_cmd){
		.node = 1,
		.flags = WEFT_APENET_EVENT | WEFT_APENET_RECEIVE,
		.local = (uintptr_t)p->s[0].mem[here],
		.remote = (uintptr_t)p->s[1].mem[there],
		.bytes = bytes,
		.cookie = 17,
		.data = 4711,
	};
}

static inline void pair_fill(struct side *s, int kind, uint64_t seed)
{
	char *bytes = malloc(PAIR_BYTES);

	t_fill(bytes, PAIR_BYTES, seed);
	T_OK(weft_mem_in(s->mem[kind], bytes, PAIR_BYTES));
	free(bytes);
}

/* Compares n bytes of two addresses in any kind of memory. */
static inline bool pair_same(const void *x, const void *y, size_t n)
{
	char *a = malloc(n), *b = malloc(n);
	bool same;

	T_OK(weft_mem_out(a, x, n));
	T_OK(weft_mem_out(b, y, n));
	same = !memcmp(a, b, n);
	free(a);
	free(b);
	return same;
}

static inline bool pair_is_zero(const void *x, size_t n)
{
	char *zero = calloc(1, n);
	bool is = pair_same(x, zero, n);

	free(zero);
	return is;
}

static inline struct weft_apenet_stats pair_stats(struct pair *p, int side)
{
	struct weft_apenet_stats st;

	weft_apenet_stats(p->s[side].a, &st);
	return st;
}

/* Returns the packet with this header on the carrier, without its CRC. */
static inline struct weft_pkt pair_packet(const struct apenet_header *h,
					  uint64_t extra)
{
	return (struct weft_pkt){
		.type = (uint8_t)(APENET_PKT + h->op),
		.flags = h->flags,
		.len = h->bytes,
		.aux = h->message,
		.tag = h->address,
		.data = extra,
	};
}

/* Delivers a forged packet from side 1 to side 0, with a valid CRC. */
static inline void pair_forge(struct pair *p, const struct apenet_header *h,
			      const void *data, uint64_t extra)
{
	struct weft_pkt pkt = pair_packet(h, extra);

	pkt.unit = apenet_crc(p->s[0].a, &pkt, data);
	T_OK(apenet_rx_packet(p->s[0].a, 1, true, &pkt, data));
}

#endif
