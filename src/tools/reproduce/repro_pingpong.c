/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ping-pong of two nodes: the mean one-way time, from the post of a message
 * to its arrival.
 *
 *   shape=DIMS      shape of the machine
 *   to=N            the other node; hops=N: at this distance from node 0, the
 *                   first dimension first; to=far: farthest node of a torus
 *   bytes=N, path=NAME, variant=NAME
 *   soft=1          includes the software of both ends
 *   latency=1       without the packet's bytes in the engine and on the link
 *   in=NAME         path at the receiving end, if it differs
 *   warm=N          rounds that are not counted
 *
 * Other experiments:
 *
 *   added           additional time of the variant over the machine
 *   more            additional time of path= over base=, in percent
 *   crossover       size from which path b= is faster than a=; with copies=,
 *                   path b= includes copies by both hosts (repro_staged.c)
 *   hop             time per additional hop, from from= to hops=
 *   get             a request without data by the path ask=, and bytes= that
 *                   the other interface returns by reply=
 */
#include "src/tools/reproduce/repro_bench.h"
#include "prov/net/file/net_map.h"
#include "src/tools/reproduce/repro_staged.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 8u

struct pingpong {
	struct repro_bench bench;
	struct net_msg msg;
	uint8_t path[2];   /* paths of the first and the second node */
	uint8_t in;	   /* receiving path plus one; 0: the default */
	uint64_t bytes[2]; /* message size of the first and the second node */
	uint32_t node[2];
	/* number of messages, and of warm-up messages, which are not counted */
	unsigned sends, warm;
	uint64_t began, ended;
	uint64_t soft_ps; /* time from the arrival to the post of the reply */
	int err;
};

static void post_next(struct pingpong *p, uint64_t at, unsigned from)
{
	int err;

	p->msg.src = p->node[from];
	p->msg.dst = p->node[!from];
	p->msg.cookie = !from;
	p->msg.path = p->path[from];
	p->msg.path_in = p->in;
	p->msg.bytes = p->bytes[from];
	err = net_send(p->bench.net, at, &p->msg);
	if (err)
		p->err = err;
	p->sends++;
}

static void pingpong_arrived(void *arg, uint64_t at, uint64_t cookie,
			     uint32_t node)
{
	struct pingpong *p = arg;

	p->ended = at + p->soft_ps;
	if (p->sends == p->warm)
		p->began = p->ended;
	if (p->sends < 2 * ROUNDS + p->warm)
		post_next(p, at + p->soft_ps, (unsigned)cookie);
}

/* Runs the ping-pong; *ps_p: mean one-way time in ps. */
static int pingpong_run(struct pingpong *p, double *ps_p)
{
	static const struct net_up up = { .arrived = pingpong_arrived };
	int err;

	p->sends = 0;
	post_next(p, 0, 0);
	err = p->err ? p->err : repro_bench_run(&p->bench, &up, p);
	*ps_p = (double)(p->ended - p->began) / (2 * ROUNDS);
	return err ? err : p->err;
}

/* Returns the node at the row's distance from node 0, or the farthest. */
static uint32_t other_node(const struct repro_row *row,
			   const struct net_config *cfg)
{
	uint64_t hops = repro_arg_number(row, "hops", UINT64_MAX), max;
	uint16_t at[NET_DIMS_MAX] = { 0 };
	char buf[64];

	if (!strcmp(repro_arg(row, "to", buf, ""), "far")) {
		for (unsigned d = 0; d < cfg->dims; d++)
			at[d] = cfg->size[d] / 2;
		return net_node_at(cfg, at);
	}
	if (hops == UINT64_MAX)
		return (uint32_t)repro_arg_number(row, "to", 1);
	for (unsigned d = 0; d < cfg->dims; d++) {
		max = cfg->size[d] - 1u;
		at[d] = (uint16_t)(hops < max ? hops : max);
		hops -= at[d];
	}
	return net_node_at(cfg, at);
}

/* Returns the software time of both ends in ps; more for several packets. */
static uint64_t software_ps(const struct repro_row *row,
			    const struct net_config *cfg, uint64_t bytes)
{
	if (!repro_arg_number(row, "soft", 0))
		return 0;
	return cfg->send_ps + cfg->recv_ps + cfg->match_ps +
	       (bytes > cfg->payload_bytes ? cfg->message_ps : 0);
}

/* Returns the time of a packet's bytes in the engine and on the link, in ps. */
static uint64_t bytes_ps(const struct net_config *cfg, uint64_t bytes,
			 unsigned path)
{
	uint32_t chunks =
		(uint32_t)((bytes + cfg->chunk_bytes - 1) / cfg->chunk_bytes);
	uint64_t engine = cfg->header_bytes + chunks * cfg->chunk_bytes;

	return engine * cfg->path[path].injection_ps_per_byte_x1000 / 1000 +
	       net_wire_ticks(cfg, net_wire_bytes(cfg, chunks),
			      cfg->link_ps_per_byte_x1000) *
		       (uint64_t)cfg->tick_ps;
}

/* Measures one message size on one path; *ps_p: one-way time in ps. */
static int measure(const struct repro *r, const struct repro_row *row,
		   uint64_t bytes, const char *path, double *ps_p)
{
	struct pingpong p = { .msg = { .routing = NET_DETERMINISTIC },
			      .bytes = { bytes, bytes } };
	int err = repro_bench_open(&p.bench, r, row, 1u << 16);

	if (!err)
		err = repro_bench_path(&p.bench, path, &p.path[0]);
	p.path[1] = p.path[0];
	p.warm = 2 * (unsigned)repro_arg_number(row, "warm", 0);
	if (!err)
		err = repro_bench_receive_path(&p.bench, row, &p.in);
	if (!err) {
		p.node[1] = other_node(row, &p.bench.cfg);
		p.soft_ps = software_ps(row, &p.bench.cfg, bytes);
		err = pingpong_run(&p, ps_p);
	}
	if (repro_arg_number(row, "latency", 0))
		*ps_p -= (double)bytes_ps(&p.bench.cfg, bytes, p.path[0]);
	repro_bench_close(&p.bench);
	return err;
}

int repro_pingpong(const struct repro *r, const struct repro_row *row,
		   double *model_p)
{
	char path[64];

	return measure(r, row, repro_arg_number(row, "bytes", 8),
		       repro_arg(row, "path", path, NULL), model_p);
}

int repro_more(const struct repro *r, const struct repro_row *row,
	       double *model_p)
{
	uint64_t bytes = repro_arg_number(row, "bytes", 8);
	char path[64];
	double base = 1;
	int err = repro_pingpong(r, row, model_p);

	if (!err)
		err = measure(r, row, bytes, repro_arg(row, "base", path, NULL),
			      &base);
	*model_p = 100 * (*model_p / base - 1);
	return err;
}

int repro_added(const struct repro *r, const struct repro_row *row,
		double *model_p)
{
	struct repro_row plain;
	double before = 0;
	int err = repro_pingpong(r, row, model_p);

	/*
	 * at the start of the text, because the first occurrence of a key is
	 * used
	 */
	plain = *row;
	snprintf(plain.exp, sizeof(plain.exp), "added variant= %.100s",
		 row->exp + strcspn(row->exp, " "));
	if (!err)
		err = repro_pingpong(r, &plain, &before);
	*model_p -= before;
	return err;
}

int repro_hop(const struct repro *r, const struct repro_row *row,
	      double *model_p)
{
	uint64_t hops = repro_arg_number(row, "hops", 2);
	uint64_t from = repro_arg_number(row, "from", 1);
	struct repro_row fewer;
	double before = 0;
	int err = repro_pingpong(r, row, model_p);

	/*
	 * at the start of the text, because the first occurrence of a key is
	 * used
	 */
	fewer = *row;
	snprintf(fewer.exp, sizeof(fewer.exp), "hop hops=%u %.100s",
		 (unsigned)from, row->exp);
	if (!err)
		err = repro_pingpong(r, &fewer, &before);
	*model_p = (*model_p - before) / (double)(hops - from);
	return err;
}

int repro_get(const struct repro *r, const struct repro_row *row,
	      double *model_p)
{
	struct pingpong p = { .msg = { .routing = NET_DETERMINISTIC } };
	char ask[64], reply[64];
	int err = repro_bench_open(&p.bench, r, row, 1u << 16);

	p.bytes[1] = repro_arg_number(row, "bytes", 8);
	if (!err)
		err = repro_bench_path(&p.bench,
				       repro_arg(row, "ask", ask, "get"),
				       &p.path[0]);
	if (!err)
		err = repro_bench_path(&p.bench,
				       repro_arg(row, "reply", reply, "reply"),
				       &p.path[1]);
	if (!err) {
		p.node[1] = other_node(row, &p.bench.cfg);
		err = pingpong_run(&p, model_p);
	}
	*model_p *= 2;
	repro_bench_close(&p.bench);
	return err;
}

static int measure_b(const struct repro *r, const struct repro_row *row,
		     uint64_t bytes, const char *path, double *ps_p)
{
	char kind[64];

	return *repro_arg(row, "copies", kind, "")
		       ? repro_staged(r, row, bytes, path, ps_p)
		       : measure(r, row, bytes, path, ps_p);
}

int repro_crossover(const struct repro *r, const struct repro_row *row,
		    double *model_p)
{
	char a[64], b[64];
	uint64_t low = 8, high = repro_arg_number(row, "high", 65536), mid;
	double ta, tb;
	int err = 0;

	repro_arg(row, "a", a, NULL);
	repro_arg(row, "b", b, NULL);
	while (low < high && !err) {
		mid = (low + high) / 2;
		err = measure(r, row, mid, a, &ta);
		if (!err)
			err = measure_b(r, row, mid, b, &tb);
		if (tb < ta)
			high = mid;
		else
			low = mid + 1;
	}
	*model_p = (double)low;
	return err;
}
