/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process of the same user writes random values into the collective unit's
 * areas of a running group. No member may crash or hang: all operations end
 * with correct results, or a member reports an error. Wrong results are allowed
 * only if payload was overwritten, since a changed number cannot be detected.
 */
#include "test/prov/prov_job.h"

#include "prov/group/cunit/cunit_layout.h"
#include "prov/nic/nic.h"
#include "src/base/clock.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <fcntl.h>
#include <pthread.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_ext_weft.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS		  400
#define HITS		  6
/* limit without progress, ns */
#define PROGRESS_LIMIT_NS UINT64_C(60000000000)
/* number of doubles: too many for packets */
#define LONG_SUM	  9000
#define SHARED		  128 /* maximum number of regions */
/* number of descriptors of a member that are checked */
#define FDS		  256
#define PAGE		  ((size_t)sysconf(_SC_PAGESIZE))

/* Magic and size of the header of a shared area (prov/nic/nic_share.c). */
#define SHARE_MAGIC UINT64_C(0x7765667473683031)
#define SHARE_HEAD  (64 + 64 * 64 + 512 * 64)

/* ---- targets of the random writes ---------------------------------------- */

struct target {
	const struct weft_cunit_geo *geo;
	struct cunit_head *row;
	struct cunit_board *board;
	struct weft_rng *rng;
	uint64_t slot;
};

typedef void *place(struct target *t);

static void *at_count(struct target *t)
{
	return &cunit_count_of(t->row, t->geo, t->slot)->arrived;
}

static void *at_number(struct target *t)
{
	return &cunit_out(t->row, t->geo, t->slot)->seq;
}

static void *at_signature(struct target *t)
{
	return &cunit_out(t->row, t->geo, t->slot)->sig;
}

static void *at_cell(struct target *t)
{
	return &cunit_cell(t->row, t->geo, t->slot,
			   (unsigned)weft_rng_below(t->rng, 3))
			->sig;
}

static void *at_credit(struct target *t)
{
	weft_au64 *words[] = { &t->row->credit_in[0], &t->row->credit_in[1],
			       &t->row->credit_done };

	return words[weft_rng_below(t->rng, 3)];
}

static void *at_sync_point(struct target *t)
{
	uint64_t i = weft_rng_below(t->rng, CUNIT_SYNCPOINT_WORDS + 1);

	return i < CUNIT_SYNCPOINT_WORDS ? &t->row->word[i] : &t->row->met;
}

static void *at_event_word(struct target *t)
{
	return &t->row->event_word[weft_rng_below(t->rng, CUNIT_EVENT_WORDS)];
}

static void *at_board_count(struct target *t)
{
	return &t->board->slot[t->slot].arrived;
}

static void *at_board_number(struct target *t)
{
	return &t->board->slot[t->slot].out.seq;
}

static void *at_board_cell(struct target *t)
{
	return &t->board->cell[weft_rng_below(t->rng, 4)][t->slot].sig;
}

static void *at_anything(struct target *t)
{
	size_t words = cunit_segment_bytes(t->geo) / sizeof(uint64_t);

	return (uint64_t *)t->row + weft_rng_below(t->rng, words);
}

static const struct mode {
	const char *name;
	place *where;
	bool numbers; /* whether results may be wrong */
} modes[] = {
	{ "counts", at_count, false },
	{ "numbers", at_number, false },
	{ "signatures", at_signature, false },
	{ "cells", at_cell, false },
	{ "credits", at_credit, false },
	{ "sync points", at_sync_point, false },
	{ "event words", at_event_word, false },
	{ "the board's counts", at_board_count, false },
	{ "the board's numbers", at_board_number, false },
	{ "the board's cells", at_board_cell, false },
	{ "anything", at_anything, true },
};

#define MODES ((int)(sizeof(modes) / sizeof(modes[0])))

/* ---- the writing thread -------------------------------------------------- */

struct random_writer {
	const struct mode *mode;
	struct target target;
	char *area[SHARED]; /* the collective unit's part of each region */
	int areas;
	unsigned route;
	struct weft_rng rng;
	weft_au32 round; /* round of rank 0; ROUNDS: rank 0 has finished */
};

/*
 * Returns the collective unit's part of a region (whole pages after its head),
 * or NULL.
 */
static char *unit_in(char *from, size_t bytes)
{
	for (size_t at = 0; at + SHARE_HEAD < bytes; at += 64) {
		if (*(uint64_t *)(from + at) == SHARE_MAGIC)
			return from +
			       (at + SHARE_HEAD + PAGE - 1) / PAGE * PAGE;
	}
	return NULL;
}

/*
 * Maps the file at `path` and adds the collective unit's part, if the file is a
 * region.
 */
static void add_area(struct random_writer *s, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char *base = MAP_FAILED, *unit = NULL;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size)
		base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	if (base != MAP_FAILED)
		unit = unit_in(base, (size_t)st.st_size);
	if (unit)
		s->area[s->areas++] = unit;
	else if (base != MAP_FAILED)
		munmap(base, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
}

static void find_areas(struct random_writer *s, uint64_t pid)
{
	for (int fd = 0; fd < FDS && s->areas < SHARED; fd++) {
		char path[64], to[64] = "";

		snprintf(path, sizeof(path), "/proc/%u/fd/%d", (unsigned)pid,
			 fd);
		if (readlink(path, to, sizeof(to) - 1) > 0 &&
		    strstr(to, "memfd:"))
			add_area(s, path);
	}
}

/* Returns a random value, zero, or a value close to the old one. */
static uint64_t random_value(struct weft_rng *r, uint64_t was)
{
	switch (weft_rng_below(r, 5)) {
	case 0:
		return weft_rng_u64(r);
	case 1:
		return 0;
	case 2:
		return was + 1;
	case 3:
		return was - 1;
	default:
		return was + CUNIT_SLOTS;
	}
}

static void write_target(struct random_writer *s)
{
	struct target *t = &s->target;
	char *area = s->area[weft_rng_below(&s->rng, (uint64_t)s->areas)];
	uint64_t *word;

	t->row = cunit_segment(area, t->geo, s->route);
	t->board =
		(struct cunit_board *)((char *)t->row + cunit_board_at(t->geo));
	t->slot = weft_rng_below(&s->rng, CUNIT_SLOTS);
	word = s->mode->where(t);
	__atomic_store_n(
		word,
		random_value(&s->rng, __atomic_load_n(word, __ATOMIC_RELAXED)),
		__ATOMIC_RELAXED);
}

/* Writes random values while the other members are in the middle of a round. */
static void *random_writer_run(void *arg)
{
	struct random_writer *s = arg;
	uint32_t next = 0;

	for (int i = 0; i < HITS; i++) {
		next += (uint32_t)weft_rng_below(&s->rng, ROUNDS / HITS);
		while (weft_load32(&s->round) < next)
			sched_yield();
		for (uint64_t k = weft_rng_below(&s->rng, 1000); k > 0; k--)
			weft_load32(&s->round);
		write_target(s);
	}
	return NULL;
}

/* ---- the working members ------------------------------------------------- */

/*
 * Words of job_shared: number of members that have finished, whether an error
 * was reported, whether a result was wrong, pids.
 */
enum { WORD_DONE, WORD_ERROR, WORD_WRONG, WORD_PID };

struct worker {
	struct job *j;
	struct fid_av_set *set;
	struct fid_mc *mc;
	fi_addr_t addr;
	const struct mode *mode;
};

static void worker_open(struct worker *w)
{
	struct fi_av_set_attr attr = { .start_addr = FI_ADDR_NOTAVAIL,
				       .end_addr = FI_ADDR_NOTAVAIL };
	struct job *j = w->j;
	struct fi_eq_entry e;
	fi_addr_t coll;
	uint32_t event;
	ssize_t n;

	job_check(j, !fi_av_set(j->av, &attr, &w->set, NULL), "set", 0);
	for (int r = 0; r < j->size; r++)
		fi_av_set_insert(w->set, j->addr[r]);
	fi_av_set_addr(w->set, &coll);
	job_check(j, !fi_join_collective(j->ep, coll, w->set, 0, &w->mc, w),
		  "join", 0);
	do {
		fi_cq_read(j->cq, NULL, 0);
		n = fi_eq_read(j->eq, &event, &e, sizeof(e), 0);
	} while (n == -FI_EAGAIN);
	job_check(j, n == sizeof(e), "joined", (long)n);
	w->addr = fi_mc_addr(w->mc);
}

static unsigned worker_route(struct worker *w)
{
	struct fi_weft_routes *ops;
	struct fi_weft_route r;

	job_check(w->j,
		  !fi_open_ops(&w->mc->fid, FI_WEFT_ROUTES, 0, (void **)&ops,
			       NULL) &&
			  !ops->route(&w->mc->fid, &r) && r.id >= 0,
		  "a class route", 0);
	return (unsigned)r.id;
}

/*
 * Waits for the completion of one operation. Returns false if the operation
 * failed.
 */
static bool worker_wait(struct worker *w, int round)
{
	struct job *j = w->j;
	uint64_t end = weft_now_ns() + PROGRESS_LIMIT_NS;
	ssize_t ret;

	for (;;) {
		ret = fi_cq_read(j->cq, &j->entry, 1);
		if (ret == 1)
			return true;
		if (ret == -FI_EAVAIL) {
			fi_cq_readerr(j->cq, &j->error, 0);
			weft_store64(&j->all->word[WORD_ERROR], 1);
			return false;
		}
		job_check(j, weft_now_ns() < end, w->mode->name, round);
		sched_yield();
	}
}

static ssize_t worker_post(struct worker *w, int what, double *in, double *out,
			   size_t n)
{
	struct fid_ep *ep = w->j->ep;
	void *context = &w->j->entry;

	switch (what) {
	case 0:
		return fi_barrier(ep, w->addr, context);
	case 1:
		memcpy(out, in, n * sizeof(*in));
		return fi_broadcast(ep, out, n, NULL, w->addr, w->j->addr[0],
				    FI_DOUBLE, 0, context);
	case 2:
		return fi_reduce(ep, in, n, NULL, out, NULL, w->addr,
				 w->j->addr[0], FI_DOUBLE, FI_SUM, 0, context);
	default:
		return fi_allreduce(ep, in, n, NULL, out, NULL, w->addr,
				    FI_DOUBLE, FI_SUM, 0, context);
	}
}

static bool is_right(const struct worker *w, int what, const double *out,
		     size_t n, int round)
{
	int size = w->j->size;
	double want = what == 1 ? round
				: size * (double)round + size * (size - 1) / 2;

	if (what == 0 || (what == 2 && w->j->rank))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (out[i] != want)
			return false;
	}
	return true;
}

static bool worker_round(struct worker *w, int round)
{
	static double in[LONG_SUM], out[LONG_SUM];
	static const size_t sizes[] = { 1, 1, 6, 40, 700 };
	int what = round % 7;
	size_t n = round % 40 == 39 ? LONG_SUM : sizes[round % 5];

	for (size_t i = 0; i < n; i++)
		in[i] = round + w->j->rank;
	/* a post may be refused when the group has failed */
	if (worker_post(w, what, in, out, n)) {
		weft_store64(&w->j->all->word[WORD_ERROR], 1);
		return false;
	}
	if (!worker_wait(w, round))
		return false;
	if (!w->mode->numbers && !is_right(w, what, out, n, round) &&
	    !weft_load64(&w->j->all->word[WORD_ERROR]))
		weft_store64(&w->j->all->word[WORD_WRONG],
			     (uint64_t)(w->mode - modes) + 1);
	return true;
}

/* Waits until all members have finished this trial. */
static void wait_all_done(struct worker *w, uint64_t so_many)
{
	uint64_t end = weft_now_ns() + PROGRESS_LIMIT_NS;

	weft_add64(&w->j->all->word[WORD_DONE], 1);
	while (weft_load64(&w->j->all->word[WORD_DONE]) < so_many) {
		fi_cq_read(w->j->cq, NULL, 0);
		job_check(w->j, weft_now_ns() < end, w->mode->name, -1);
		sched_yield();
	}
}

static void trial(struct job *j, int mode, struct random_writer *s,
		  uint64_t number)
{
	struct worker w = { .j = j, .mode = &modes[mode] };
	uint64_t all = (uint64_t)j->size;
	pthread_t thread;

	worker_open(&w);
	wait_all_done(&w, (3 * number + 1) * all);
	if (j->rank == 0) {
		s->mode = w.mode;
		s->route = worker_route(&w);
		weft_store32(&s->round, 0);
		job_check(j,
			  !pthread_create(&thread, NULL, random_writer_run, s),
			  "thread", 0);
	}
	for (int round = 0; round < ROUNDS && worker_round(&w, round); round++)
		weft_store32(&s->round, (uint32_t)round);
	weft_store32(&s->round, ROUNDS);
	if (j->rank == 0)
		pthread_join(thread, NULL);
	wait_all_done(&w, (3 * number + 2) * all);
	job_check(j, !weft_load64(&j->all->word[WORD_WRONG]),
		  "a wrong result without an error", mode);
	fi_close(&w.mc->fid);
	fi_close(&w.set->fid);
	wait_all_done(&w, (3 * number + 3) * all);
	weft_store64(&j->all->word[WORD_ERROR], 0);
}

static void body(struct job *j)
{
	static struct random_writer s;
	const struct weft_machine *m =
		weft_machine_find(j->info->domain_attr->name);
	struct worker w = { .j = j, .mode = modes };
	uint64_t number = 0;

	weft_rng_init(&s.rng, 99, (uint64_t)j->size);
	s.target = (struct target){ .geo = &m->cu, .rng = &s.rng };
	/*
	 * when a group has joined, all members have regions and have published
	 * their pids
	 */
	weft_store64(&j->all->word[WORD_PID + j->rank], (uint64_t)getpid());
	worker_open(&w);
	for (int r = 0; r < j->size; r++)
		find_areas(&s, weft_load64(&j->all->word[WORD_PID + r]));
	job_check(j, s.areas >= j->size, "regions", s.areas);
	fi_close(&w.mc->fid);
	fi_close(&w.set->fid);
	for (int round = 0; round < t_scale(4); round++) {
		for (int mode = 0; mode < MODES; mode++, number++)
			trial(j, mode, &s, number);
	}
}

static void random_writes_give_an_error_or_no_effect(void **state)
{
	const struct job_opts o = { .seconds = 300 };

	job_run(2, body, &o);
	job_run(4, body, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(random_writes_give_an_error_or_no_effect),
	};

	return T_RUN(tests);
}
