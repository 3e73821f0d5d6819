/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background jobs: the run ends with the last rank of the other jobs, at the
 * same state in every run, and ranks of the background stay blocked.
 */
#include "test/support/vt_fixture.h"
#include "test/t.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FOREGROUND 2

/* Sends messages to the other rank of the background job, without end. */
static int traffic(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 5 - rank);

	for (uint64_t n = 1;; n++)
		if (send_waiting(e, to, n, 64) || wait_got(e, n))
			return 10;
}

/* Rank 0 sends twenty messages to rank 1, and leaves before or after rank 1. */
static int foreground(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *to = rank_peer(p, e, 1 - rank);
	int ret = 0;

	for (uint64_t n = 1; !rank && n <= 20 && !ret; n++)
		ret = send_waiting(e, to, n, 512);
	return ret || (rank && wait_got(e, 20)) ? 20 : 0;
}

static int body(struct play *p, struct end *e, uint32_t rank)
{
	return rank < FOREGROUND ? foreground(p, e, rank) : traffic(p, e, rank);
}

/* Runs play_rank() in a new process. */
static pid_t start(struct play *p, int rank)
{
	pid_t pid = fork();
	struct weft_vt_conf conf = { .machine = "bgq", .packet_bytes = 512 };
	struct weft_carrier_attr attr = { .world = p->w };
	struct end *e;

	if (pid)
		return pid;
	e = calloc(1, sizeof(*e));
	if (rank && weft_vt_attach(&conf, p->handle, (uint32_t)rank, &p->w))
		_exit(90);
	if (rank >= FOREGROUND)
		weft_vt_set_background(p->w);
	attr.world = p->w;
	if (!e || end_open(e, &weft_carrier_vt, (uint32_t)rank, &attr))
		_exit(91);
	rank = body(p, e, (uint32_t)rank);
	weft_vt_leave(e->c);
	_exit(rank);
}

static void wait_until_over(const struct weft_vt *w)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	while (!weft_load32(&w->head->over))
		nanosleep(&ms, NULL);
}

static void run_once(uint64_t *now_p, uint64_t *passes_p)
{
	struct play p = { .ranks = 4 };
	pid_t pid[4];
	int status;

	play_open(&p);
	for (int i = 0; i < 4; i++)
		pid[i] = start(&p, i);
	for (int i = 0; i < FOREGROUND; i++) {
		T_IS(waitpid(pid[i], &status, 0), pid[i]);
		T_IS(status, 0);
	}
	wait_until_over(p.w);
	*now_p = vt_reached(p.w);
	*passes_p = p.w->head->passes;
	T_TRUE(!vt_background_has_ended(p.w, 0));
	for (int i = FOREGROUND; i < 4; i++) {
		T_TRUE(vt_background_has_ended(p.w, (uint32_t)i));
		T_IS(weft_load32(&p.w->rank_of[i].status), WEFT_VT_BLOCKED);
		T_OK(kill(pid[i], SIGKILL));
		T_IS(waitpid(pid[i], &status, 0), pid[i]);
	}
	play_close(&p);
}

static void the_run_ends_with_the_foreground(void **state)
{
	uint64_t now, passes, first_now = 0, first_passes = 0;

	for (int i = 0; i < 5; i++) {
		run_once(&now, &passes);
		T_TRUE(now > 0 && passes > 1);
		if (i) {
			T_IS(now, first_now);
			T_IS(passes, first_passes);
		}
		first_now = now;
		first_passes = passes;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_run_ends_with_the_foreground),
	};

	return T_RUN(tests);
}
