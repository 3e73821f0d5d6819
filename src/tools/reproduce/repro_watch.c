/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault awareness.
 *
 *   aware   mean time from the failure of a host (what=nic: of its interface)
 *           until the master is notified; count= failures one after another, on
 *           random nodes at random times, period wd= in ms
 *   hidden  largest additional time of a message of bytes= while neighbours
 *           exchange their health status every wd= ms: ping-pong of two nodes
 *           by path=, for periods= periods
 */
#include "src/tools/reproduce/repro_bench.h"
#include "prov/net/health/net_watch.h"
#include "src/base/hash.h"

#include <errno.h>
#include <string.h>

#define MS	1000000000ull
#define PACKETS (1u << 16)

static int open_watched(struct repro_bench *b, const struct repro *r,
			const struct repro_row *row)
{
	int err = repro_bench_config(r, row, &b->cfg);

	if (!err && !b->cfg.watch_ps)
		return -EOPNOTSUPP;
	b->cfg.watch_ps = repro_arg_number(row, "wd", 500) * MS;
	return err ? err : repro_bench_build(b, PACKETS);
}

/* ---- aware: time until a failure is reported ----------------------------- */

static void on_timer(void *arg, uint64_t at, uint64_t cookie)
{
	net_watch_timer(arg, at, cookie);
}

static void on_word(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		    unsigned port)
{
	net_watch_word(arg, at, cookie, node, port);
}

/*
 * Runs one failure on a new network; adds the time until the master is notified
 * to *ps_p.
 */
static int one_failure(const struct repro *r, const struct repro_row *row,
		       uint64_t seed, unsigned what, double *ps_p)
{
	static const struct net_up up = { .timer = on_timer, .word = on_word };
	struct repro_bench b = { .net = NULL };
	struct net_watch *w = NULL;
	bool stop = false;
	uint64_t wd, at;
	int err = open_watched(&b, r, row);

	wd = b.cfg.watch_ps;
	at = 4 * wd + weft_hash_mix(seed) % wd;
	if (!err)
		err = net_watch_open(&w, b.net, &b.cfg, seed, 16 * wd);
	if (!err)
		err = net_watch_fail(
			w, at, (uint32_t)(weft_hash_mix(seed + 1) % b.nodes),
			what);
	while (!err && !net_watch_done(w) && net_next(b.net) != NET_NEVER)
		net_run(b.net, net_next(b.net), &up, w, &stop);
	if (!err && !net_watch_done(w))
		err = -ETIMEDOUT;
	if (!err)
		*ps_p += (double)(net_watch_get(w, 0)->master_at - at);
	if (w)
		net_watch_close(w);
	repro_bench_close(&b);
	return err;
}

int repro_aware(const struct repro *r, const struct repro_row *row,
		double *model_p)
{
	uint64_t count = repro_arg_number(row, "count", 200);
	char buf[64];
	bool nic = !strcmp(repro_arg(row, "what", buf, "host"), "nic");
	int err = 0;

	*model_p = 0;
	for (uint64_t i = 0; i < count && !err; i++)
		err = one_failure(r, row, i * 1000 + 1,
				  nic ? NET_WATCH_NIC : NET_WATCH_HOST,
				  model_p);
	*model_p /= (double)count;
	return err;
}

/* ---- hidden: delay of messages by the health check ----------------------- */

struct pair {
	struct repro_bench bench;
	struct net_watch *watch; /* health check of the machine, or NULL */
	struct net_msg msg;
	uint64_t until, sent_at;
	/* number of messages; longest one-way time, ps */
	uint64_t messages, most_ps;
	uint64_t sum_ps;
	int err;
};

static void post_next(struct pair *p, uint64_t at, uint32_t from)
{
	if (at > p->until)
		return;
	p->sent_at = at;
	p->msg.src = from;
	p->msg.dst = !from;
	p->err |= net_send(p->bench.net, at, &p->msg);
}

static void pair_arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct pair *p = arg;
	uint64_t took = at - p->sent_at;

	p->messages++;
	p->sum_ps += took;
	if (p->most_ps < took)
		p->most_ps = took;
	post_next(p, at, node);
}

static void pair_timer(void *arg, uint64_t at, uint64_t cookie)
{
	net_watch_timer(((struct pair *)arg)->watch, at, cookie);
}

static void pair_word(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		      unsigned port)
{
	net_watch_word(((struct pair *)arg)->watch, at, cookie, node, port);
}

static int run_pair(const struct repro *r, const struct repro_row *row,
		    struct pair *p, bool watched)
{
	static const struct net_up up = { .arrived = pair_arrived,
					  .timer = pair_timer,
					  .word = pair_word };
	char path[64];
	int err = open_watched(&p->bench, r, row);

	p->msg.routing = NET_DETERMINISTIC;
	p->msg.bytes = repro_arg_number(row, "bytes", 8);
	p->until = repro_arg_number(row, "periods", 4) * p->bench.cfg.watch_ps;
	if (!err)
		err = repro_bench_path(&p->bench,
				       repro_arg(row, "path", path, NULL),
				       &p->msg.path);
	if (!err && watched)
		err = net_watch_open(&p->watch, p->bench.net, &p->bench.cfg, 1,
				     p->until);
	if (!err)
		post_next(p, 0, 0);
	if (!err)
		err = p->err ? p->err : repro_bench_run(&p->bench, &up, p);
	if (!err && watched && !net_watch_words(p->watch))
		err = -ENODATA;
	if (p->watch)
		net_watch_close(p->watch);
	repro_bench_close(&p->bench);
	return err;
}

int repro_hidden(const struct repro *r, const struct repro_row *row,
		 double *model_p)
{
	struct pair with = { .err = 0 }, without = { .err = 0 };
	int err = run_pair(r, row, &without, false);

	if (!err)
		err = run_pair(r, row, &with, true);
	if (!err && with.messages != without.messages)
		err = -EPROTO;
	*model_p = (double)(with.sum_ps - without.sum_ps) +
		   (double)(with.most_ps - without.most_ps);
	return err;
}
