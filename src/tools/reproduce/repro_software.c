/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective by messages between processes, with the algorithms of coll/:
 * each process executes its steps in order; a send takes the software's send
 * time, a receive waits for its message and takes the software's receive time.
 * The result is the time of the last process.
 *
 *   members=N, per=N, kind=barrier|allreduce|bcast, bytes=N
 *   algo=tree       binomial tree, up and down (a broadcast: down)
 *   algo=rounds     dissemination or recursive doubling: the same steps
 *   short=NAME, long=NAME, middle=N
 *                   paths for messages of at most middle bytes, and for
 *                   longer messages
 */
#include "src/tools/reproduce/repro_bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 64 };

struct step {
	uint32_t peer;
	bool sends;
	bool received; /* whether the message to receive has arrived */
	uint64_t arrival_ps;
};

struct process {
	struct step step[STEPS_MAX];
	unsigned count, next;
	uint64_t clock;
};

struct soft {
	struct repro_bench bench;
	struct process *process;
	uint32_t n, per;
	uint64_t bytes, last_ps;
	uint8_t path;
	int err;
};

/* ---- algorithms ---------------------------------------------------------- */

static void software_add(struct soft *s, uint32_t p, uint32_t peer, bool sends)
{
	struct process *x = &s->process[p];

	if (x->count == STEPS_MAX)
		s->err = -E2BIG;
	else
		x->step[x->count++] =
			(struct step){ .peer = peer, .sends = sends };
}

/*
 * Adds the steps of a binomial tree: children p + 1, p + 2, p + 4, ... below
 * the lowest set bit of p. A reduction receives from the children in ascending
 * order, a broadcast sends to them in descending order.
 */
static void add_tree_steps(struct soft *s, uint32_t p, bool up)
{
	uint32_t low = p ? p & -p : UINT32_MAX, m;

	for (m = 1; up && m < low && p + m < s->n; m *= 2)
		software_add(s, p, p + m, false);
	if (p && up)
		software_add(s, p, p - low, true);
	if (p)
		software_add(s, p, p - low, false);
	for (m = 1; m < low && p + m < s->n; m *= 2)
		;
	while (m /= 2)
		if (p + m < s->n && m < low)
			software_add(s, p, p + m, true);
}

/* ---- processes ----------------------------------------------------------- */

static void post_message(struct soft *s, uint32_t p, uint32_t to, uint64_t at)
{
	const struct net_msg msg = { .src = p / s->per,
				     .dst = to / s->per,
				     .bytes = s->bytes,
				     .path = s->path,
				     .fifo = p % s->per,
				     .cookie = (uint64_t)p << 32 | to };
	int err = net_send(s->bench.net, at, &msg);

	if (err)
		s->err = err;
}

/* Executes steps until a receive whose message has not arrived. */
static void advance(struct soft *s, uint32_t p)
{
	struct process *x = &s->process[p];
	const struct net_config *cfg = &s->bench.cfg;

	for (; x->next < x->count; x->next++) {
		const struct step *t = &x->step[x->next];

		if (t->sends) {
			x->clock += cfg->send_ps;
			post_message(s, p, t->peer, x->clock);
			continue;
		}
		if (!t->received)
			return;
		if (x->clock < t->arrival_ps)
			x->clock = t->arrival_ps;
		x->clock += cfg->recv_ps + cfg->match_ps;
	}
	if (s->last_ps < x->clock)
		s->last_ps = x->clock;
}

static void software_arrived(void *arg, uint64_t at, uint64_t cookie,
			     uint32_t node)
{
	struct soft *s = arg;
	uint32_t from = (uint32_t)(cookie >> 32), p = (uint32_t)cookie;
	struct process *x = &s->process[p];

	for (unsigned i = 0; i < x->count; i++) {
		struct step *t = &x->step[i];

		if (t->sends || t->received || t->peer != from)
			continue;
		t->received = true;
		t->arrival_ps = at;
		break;
	}
	advance(s, p);
}

static int software_run(struct soft *s, const struct repro_row *row)
{
	static const struct net_up up = { .arrived = software_arrived };
	char kind[64], algo[64];
	bool down_only =
		!strcmp(repro_arg(row, "kind", kind, "barrier"), "bcast");
	bool by_tree = !strcmp(repro_arg(row, "algo", algo, "tree"), "tree");
	int err;

	s->process = calloc(s->n, sizeof(*s->process));
	if (!s->process)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->n; p++) {
		if (by_tree || down_only) {
			add_tree_steps(s, p, !down_only);
		} else {
			for (uint32_t m = 1; m < s->n; m *= 2) {
				software_add(s, p, (p + m) % s->n, true);
				software_add(s, p, (p + s->n - m) % s->n,
					     false);
			}
		}
	}
	for (uint32_t p = 0; p < s->n; p++)
		advance(s, p);
	err = s->err ? s->err : repro_bench_run(&s->bench, &up, s);
	free(s->process);
	return err ? err : s->err;
}

int repro_software(const struct repro *r, const struct repro_row *row,
		   double *model_p)
{
	struct soft s = { .last_ps = 0 };
	char kind[64], name[64];
	int err = repro_bench_open(&s.bench, r, row, 1u << 16);
	bool small;

	s.n = (uint32_t)repro_arg_number(row, "members", 4);
	s.per = (uint32_t)repro_arg_number(row, "per", 1);
	s.bytes = repro_arg_number(row, "bytes", 8);
	if (!strcmp(repro_arg(row, "kind", kind, "barrier"), "barrier"))
		s.bytes = 0;
	small = s.bytes <= repro_arg_number(row, "middle", UINT64_MAX);
	if (!err && (!s.n || !s.per || s.n > s.bench.nodes * s.per))
		err = -EINVAL;
	if (!err)
		err = repro_bench_path(
			&s.bench,
			repro_arg(row, small ? "short" : "long", name, NULL),
			&s.path);
	if (!err)
		err = software_run(&s, row);
	*model_p = (double)s.last_ps;
	repro_bench_close(&s.bench);
	return err;
}
