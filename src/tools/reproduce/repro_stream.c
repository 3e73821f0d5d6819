/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many messages posted at once; the result is the time of the last arrival.
 *
 *   stream      count= messages of bytes= from node 0 to node to=, by path=;
 *               both=1: also count= messages in the other direction;
 *               pair=N: also count= messages from node 1 to N;
 *               routing=dynamic, ack=1: adaptive routing, acknowledged packets;
 *               rail=N: uses this rail, counted from 1;
 *               engines=N: round robin over this number of engines;
 *               in=NAME: receiving path, if it differs.
 *               Result: rate of all data; each=1: rate of half of the data;
 *               wire=1: rate of all bytes on the link
 *   puts        as stream, but procs= processes of node 0 post the messages in
 *               turn, and each post takes the software's time
 *   ease        rate of puts of procs= processes in percent of the rate of half
 *               as many
 *   rate        messages per second
 *   words       messages per second if every node sends messages of eight
 *               bytes to node 0, each to a random one of variables= words
 *   loss        rate loss with variant=, in percent; gain: rate gain of the
 *               machine over the variant, in percent
 *   complement  every node sends to its complement: rate of a node in percent
 *               of the rate of a single pair that exchanges messages
 */
#include "src/tools/reproduce/repro_bench.h"
#include "src/base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream {
	struct repro_bench bench;
	uint64_t last_ps, count;
	uint64_t engines;
	uint64_t procs; /* processes that post messages; 0: no software */
};

static void stream_arrived(void *arg, uint64_t at, uint64_t cookie,
			   uint32_t node)
{
	struct stream *s = arg;

	s->last_ps = at;
	s->count++;
}

static const struct net_up up = { .arrived = stream_arrived };

/* Posts the message `count` times, round robin over the engines. */
static int send_all(struct stream *s, struct net_msg *msg, uint64_t count)
{
	uint64_t at = 0;
	int err = 0;

	for (uint64_t i = 0; i < count && !err; i++) {
		if (s->procs)
			at = (i / s->procs + 1) * s->bench.cfg.send_ps;
		msg->fifo = (uint32_t)(i % s->engines);
		err = net_send(s->bench.net, at, msg);
	}
	return err;
}

static int repro_stream_run(const struct repro *r, const struct repro_row *row,
			    struct stream *s)
{
	uint64_t count = repro_arg_number(row, "count", 8);
	uint32_t to = (uint32_t)repro_arg_number(row, "to", 1);
	struct net_msg msg = { .bytes = repro_arg_number(row, "bytes", 8),
			       .dst = to,
			       .routing = NET_DETERMINISTIC };
	uint64_t pair = repro_arg_number(row, "pair", 0);
	char path[64], routing[64];
	int err = repro_bench_open(&s->bench, r, row, 1u << 16);

	if (!err)
		err = repro_bench_path(&s->bench,
				       repro_arg(row, "path", path, NULL),
				       &msg.path);
	if (!err)
		err = repro_bench_receive_path(&s->bench, row, &msg.path_in);
	if (!strcmp(repro_arg(row, "routing", routing, ""), "dynamic"))
		msg.routing = NET_DYNAMIC;
	msg.ack = repro_arg_number(row, "ack", 0) != 0;
	msg.rail = (uint8_t)repro_arg_number(row, "rail", 0);
	s->engines = repro_arg_number(row, "engines", 1);
	if (!err)
		err = send_all(s, &msg, count);
	msg.src = 1;
	msg.dst = (uint32_t)pair;
	if (!err && pair)
		err = send_all(s, &msg, count);
	msg.src = to;
	msg.dst = 0;
	if (!err && repro_arg_number(row, "both", 0))
		err = send_all(s, &msg, count);
	if (!err)
		err = repro_bench_run(&s->bench, &up, s);
	repro_bench_close(&s->bench);
	return err;
}

int repro_stream(const struct repro *r, const struct repro_row *row,
		 double *model_p)
{
	struct stream s = { .last_ps = 0 };
	int err = repro_stream_run(r, row, &s);
	const struct net_config *cfg = &s.bench.cfg;
	double share = 1;

	if (repro_arg_number(row, "each", 0))
		s.count /= 2;
	if (repro_arg_number(row, "wire", 0))
		share = net_wire_bytes(cfg,
				       cfg->payload_bytes / cfg->chunk_bytes) /
			(double)cfg->payload_bytes;
	*model_p = share *
		   (double)(s.count * repro_arg_number(row, "bytes", 8)) * 1e6 /
		   (double)s.last_ps;
	return err;
}

int repro_puts(const struct repro *r, const struct repro_row *row,
	       double *model_p)
{
	struct stream s = { .procs = repro_arg_number(row, "procs", 1) };
	int err = repro_stream_run(r, row, &s);

	*model_p = (double)(s.count * repro_arg_number(row, "bytes", 8)) * 1e6 /
		   (double)s.last_ps;
	return err;
}

int repro_ease(const struct repro *r, const struct repro_row *row,
	       double *model_p)
{
	uint64_t procs = repro_arg_number(row, "procs", 2);
	struct repro_row half = *row;
	double before = 1;
	int err = repro_puts(r, row, model_p);

	/*
	 * at the start of the text, because the first occurrence of a key is
	 * used
	 */
	snprintf(half.exp, sizeof(half.exp), "puts procs=%u %.100s",
		 (unsigned)(procs / 2), row->exp + strcspn(row->exp, " "));
	if (!err)
		err = repro_puts(r, &half, &before);
	*model_p = 100 * *model_p / before;
	return err;
}

/* Computes the variant's rate divided by the machine's rate. */
static int share_of(const struct repro *r, const struct repro_row *row,
		    double *share_p)
{
	struct repro_row plain = *row;
	double with = 0, without = 1;
	int err = repro_stream(r, row, &with);

	snprintf(plain.exp, sizeof(plain.exp), "loss variant= %.100s",
		 row->exp + strcspn(row->exp, " "));
	if (!err)
		err = repro_stream(r, &plain, &without);
	*share_p = with / without;
	return err;
}

int repro_loss(const struct repro *r, const struct repro_row *row,
	       double *model_p)
{
	int err = share_of(r, row, model_p);

	*model_p = 100 * (1 - *model_p);
	return err;
}

int repro_gain(const struct repro *r, const struct repro_row *row,
	       double *model_p)
{
	int err = share_of(r, row, model_p);

	*model_p = 100 * (1 / *model_p - 1);
	return err;
}

int repro_rate(const struct repro *r, const struct repro_row *row,
	       double *model_p)
{
	struct stream s = { .last_ps = 0 };
	int err = repro_stream_run(r, row, &s);

	*model_p = (double)s.count * 1e12 / (double)s.last_ps;
	return err;
}

#define WORDS_MESSAGES 20000u /* number of messages of all nodes together */

int repro_words(const struct repro *r, const struct repro_row *row,
		double *model_p)
{
	struct stream s = { .last_ps = 0 };
	struct net_msg msg = { .bytes = 8, .ack = 1 };
	uint64_t variables = repro_arg_number(row, "variables", 1);
	char path[64];
	int err = repro_bench_open(&s.bench, r, row, 1u << 16);

	if (!err)
		err = repro_bench_path(&s.bench,
				       repro_arg(row, "path", path, NULL),
				       &msg.path);
	for (uint64_t i = 0; !err && i < WORDS_MESSAGES; i++) {
		msg.src = (uint32_t)(1 + i % (s.bench.nodes - 1));
		msg.address = weft_hash_mix(i + 1) % variables * 8;
		err = net_send(s.bench.net, 0, &msg);
	}
	if (!err)
		err = repro_bench_run(&s.bench, &up, &s);
	*model_p = (double)s.count * 1e12 / (double)s.last_ps;
	repro_bench_close(&s.bench);
	return err;
}

/*
 * Measures the time of messages between nodes and their complements, for all
 * nodes or for one pair; *ps_p: time in ps.
 */
static int complement(const struct repro *r, const struct repro_row *row,
		      bool all, double *ps_p)
{
	struct stream s = { .last_ps = 0 };
	struct net_msg msg = { .bytes = repro_arg_number(row, "bytes", 65536),
			       .routing = NET_DYNAMIC };
	char path[64];
	int err = repro_bench_open(&s.bench, r, row, 1u << 20);

	if (!err)
		err = repro_bench_path(&s.bench,
				       repro_arg(row, "path", path, NULL),
				       &msg.path);
	for (; !err && msg.src < s.bench.nodes; msg.src++) {
		msg.dst = s.bench.nodes - 1 - msg.src;
		if (all || !msg.src || !msg.dst)
			err = net_send(s.bench.net, 0, &msg);
	}
	if (!err)
		err = repro_bench_run(&s.bench, &up, &s);
	*ps_p = (double)s.last_ps;
	repro_bench_close(&s.bench);
	return err;
}

int repro_complement(const struct repro *r, const struct repro_row *row,
		     double *model_p)
{
	double one = 0, all = 1;
	int err = complement(r, row, false, &one);

	if (!err)
		err = complement(r, row, true, &all);
	*model_p = 100 * one / all;
	return err;
}
