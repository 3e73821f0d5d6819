/* SPDX-License-Identifier: BSD-3-Clause */
/* Report of a replay (replay_report.h). */
#include "src/tools/replay/replay_report.h"

#include "src/tools/replay/replay_call.h"
#include "src/tools/replay/replay_int.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#define DEADLOCK_STATUS 35
/* maximum number of ranks, and of groups of ranks, in a deadlock report */
#define LISTED		32

/* ---- deadlock ------------------------------------------------------------ */

static bool same_wait(const struct replay_rank *a, const struct replay_rank *b)
{
	return a->stuck && b->stuck && a->program == b->program &&
	       a->call == b->call && a->call_peer == b->call_peer &&
	       a->call_tag == b->call_tag;
}

static void print_wait(const struct replay_rank *r, uint32_t last)
{
	printf("  ");
	if (replay_job.programs > 1)
		printf("job %u, ", r->program->index);
	if (last > r->rank)
		printf("ranks %u-%u: ", r->local, last - r->program->first);
	else
		printf("rank %u: ", r->local);
	printf("%s, call %" PRIu64, r->call, r->call_number);
	if (r->call_peer == MPI_ANY_SOURCE)
		printf(", any source");
	else if (r->call_peer >= 0)
		printf(", rank %d", r->call_peer);
	if (r->call_tag == MPI_ANY_TAG)
		printf(", any tag");
	else if (r->call_tag >= 0)
		printf(", tag %d", r->call_tag);
	printf("\n");
}

static int print_deadlock(void)
{
	const struct replay_job *j = &replay_job;
	unsigned lines = 0;

	printf("deadlock: %" PRIu64 " of %u ranks wait, and no message is in "
	       "flight\n",
	       j->stuck, j->size);
	for (uint32_t i = 0, last; i < j->size; i = last + 1) {
		last = i;
		if (!j->rank[i].stuck)
			continue;
		while (last + 1 < j->size &&
		       same_wait(&j->rank[i], &j->rank[last + 1]))
			last++;
		if (lines++ < LISTED)
			print_wait(&j->rank[i], last);
	}
	if (lines > LISTED)
		printf("  and %u more\n", lines - LISTED);
	return DEADLOCK_STATUS;
}

/* ---- results ------------------------------------------------------------- */

static double us(uint64_t ps)
{
	return (double)ps / 1e6;
}

static void print_ranks(void)
{
	for (uint32_t i = 0; i < replay_job.size; i++) {
		const struct replay_rank *r = &replay_job.rank[i];

		if (r->program->background)
			continue;
		if (replay_job.programs > 1)
			printf("job %u ", r->program->index);
		printf("rank %u %.6f us\n", r->local, us(r->end_ps));
	}
}

static void print_links(struct weft_carrier *c, uint32_t nodes)
{
	struct weft_vt_link l;

	for (uint32_t node = 0; node < nodes; node++) {
		int err = 0;

		for (unsigned port = 0; err != -EINVAL; port++) {
			memset(&l, 0, sizeof(l));
			err = weft_vt_link(c, node, port, &l);
			if (err || !l.packets)
				continue;
			printf("link %s %s %" PRIu64 " packets %" PRIu64
			       " bytes busy %.6f us\n",
			       l.node, l.name, l.packets, l.bytes,
			       us(l.busy_ps));
		}
	}
}

/* Prints speed and memory on stderr, because they depend on the host. */
static void print_speed(const struct replay_report *p,
			const struct weft_vt_count *n)
{
	double s = (double)p->ran_ns / 1e9, cpu;
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	      (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	fprintf(stderr,
		"weft-sim: start %.2f s, run %.2f s, %.2f s of CPU time, "
		"%.2f M events/s of it, %.1f GB resident at most\n",
		(double)p->opened_ns / 1e9, s, cpu,
		(double)n->events / cpu / 1e6, (double)u.ru_maxrss / 1e6);
}

/* Prints when the first and the last rank of a program end. */
static void print_ends(const struct replay_program *p)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = p->first; i < p->first + p->size; i++) {
		uint64_t end = replay_job.rank[i].end_ps;

		first = end < first ? end : first;
		last = end > last ? end : last;
	}
	printf("ranks end at %.6f to %.6f us\n", us(first), us(last));
}

static void print_jobs(void)
{
	const struct replay_job *j = &replay_job;

	for (unsigned i = 0; i < j->programs; i++) {
		const struct replay_program *p = &j->program[i];

		printf("job %u: %s, %u ranks on %u nodes (%s), %" PRIu64
		       " calls, ",
		       i, p->name, p->size, p->nodes,
		       p->place ? p->place : "contiguous", p->calls);
		if (j->opt.alone >= 0 && (unsigned)j->opt.alone != i)
			printf("idle\n");
		else if (p->background && j->opt.alone < 0)
			printf("background\n");
		else
			print_ends(p);
	}
}

static uint64_t count_calls(const struct replay_job *j)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < j->programs; i++)
		calls += j->program[i].calls;
	return calls;
}

int replay_report(const struct replay_report *p)
{
	const struct replay_job *j = &replay_job;
	struct weft_carrier *c = j->rank[0].carrier;
	struct weft_vt_count n;

	weft_vt_count(c, &n);
	if (j->stuck)
		return print_deadlock();
	printf("replay: %u ranks, %" PRIu64 " calls, machine %s\n", j->size,
	       count_calls(j), j->opt.machine);
	printf("virtual time %.6f us, %" PRIu64 " events, %" PRIu64
	       " packets, hash %016" PRIx64 "\n",
	       us(n.now_ps), n.events, n.packets + n.route_parts, n.hash);
	if (j->programs > 1)
		print_jobs();
	else
		print_ends(&j->program[0]);
	if (p->ranks)
		print_ranks();
	if (p->links)
		print_links(c, n.nodes);
	print_speed(p, &n);
	return 0;
}
