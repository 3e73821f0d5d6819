/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong of two nodes from memory that the interfaces cannot access, by
 * staging: a host copies a chunk, posts it, and copies the next one while the
 * first is in flight; the receiving host copies the arrived chunks. Copy times
 * are those of the machine file, chunk sizes those of the kind of memory
 * (prov/mem).
 *
 *   copies=KIND     kind of memory
 */
#include "prov/mem/mem.h"
#include "src/tools/reproduce/repro_bench.h"
#include "src/tools/reproduce/repro_staged.h"

#include <errno.h>

#define ROUNDS 4u

struct staged {
	struct repro_bench bench;
	const struct weft_mem_kind *kind;
	struct net_msg msg;
	uint64_t bytes;
	uint32_t node[2];
	uint64_t received; /* bytes of the current message that have arrived */
	/* time at which the receiving host has copied the received bytes, ps */
	uint64_t free_ps;
	uint64_t began;
	unsigned sends, warm;
	int err;
};

static uint64_t copy_ps(const struct staged *s, uint64_t bytes)
{
	const struct net_config *cfg = &s->bench.cfg;

	return cfg->device_copy_ps + bytes * cfg->device_ps_x1000 / 1000;
}

/* Posts all chunks of a message, each after its copy. */
static void staged_post(struct staged *s, uint64_t at, unsigned from)
{
	const struct net_config *cfg = &s->bench.cfg;
	uint64_t left = s->bytes;
	int err;

	s->msg.src = s->node[from];
	s->msg.dst = s->node[!from];
	s->msg.cookie = !from;
	if (left > cfg->payload_bytes)
		at += cfg->message_ps;
	while (left) {
		s->msg.bytes = left < s->kind->stage_bytes
				       ? left
				       : s->kind->stage_bytes;
		at += copy_ps(s, s->msg.bytes) + cfg->send_ps;
		err = net_send(s->bench.net, at, &s->msg);
		if (err)
			s->err = err;
		left -= s->msg.bytes;
	}
	s->received = 0;
	s->sends++;
}

static void staged_arrived(void *arg, uint64_t at, uint64_t cookie,
			   uint32_t node)
{
	struct staged *s = arg;
	uint64_t left = s->bytes - s->received;
	uint64_t n = left < s->kind->stage_bytes ? left : s->kind->stage_bytes;

	if (s->free_ps < at)
		s->free_ps = at;
	s->free_ps += s->bench.cfg.recv_ps + copy_ps(s, n);
	s->received += n;
	if (s->received < s->bytes)
		return;
	if (s->sends == s->warm)
		s->began = s->free_ps;
	if (s->sends < 2 * ROUNDS + s->warm)
		staged_post(s, s->free_ps, (unsigned)cookie);
}

int repro_staged(const struct repro *r, const struct repro_row *row,
		 uint64_t bytes, const char *path, double *ps_p)
{
	static const struct net_up up = { .arrived = staged_arrived };
	struct staged s = { .msg = { .routing = NET_DETERMINISTIC },
			    .bytes = bytes,
			    .node = { 0, 1 } };
	char kind[64];
	int err = repro_bench_open(&s.bench, r, row, 1u << 16);

	s.kind = weft_mem_kind_named(repro_arg(row, "copies", kind, ""));
	if (!err && !s.kind)
		err = -EINVAL;
	if (!err)
		err = repro_bench_path(&s.bench, path, &s.msg.path);
	s.warm = 2 * (unsigned)repro_arg_number(row, "warm", 0);
	if (!err) {
		staged_post(&s, 0, 0);
		err = s.err ? s.err : repro_bench_run(&s.bench, &up, &s);
	}
	*ps_p = (double)(s.free_ps - s.began) / (2 * ROUNDS);
	repro_bench_close(&s.bench);
	return err ? err : s.err;
}
