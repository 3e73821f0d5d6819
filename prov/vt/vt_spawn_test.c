/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that are started during the run: which ranks, at which time, and what
 * happens if no rank is free or no process is started.
 */
#include "test/support/vt_fixture.h"
#include "test/t.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define US UINT64_C(1000000)

static void compute(struct end *e, uint64_t ps)
{
	e->c->ops->backend->compute(e->c, ps);
}

/* Starts processes for ranks; they run the same body. */
static int start(struct play *p, uint32_t first, uint32_t count)
{
	if (weft_vt_handle(p->w, p->handle))
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -1;
		if (!pid)
			_exit(play_rank((int)(first + i), p));
	}
	return 0;
}

static int wait_for_children(int count)
{
	int status, bad = 0;

	while (count--)
		bad |= wait(&status) < 0 || status;
	return bad;
}

/* ---- ranks that start ---------------------------------------------------- */

static int parent(struct play *p, struct end *e)
{
	uint32_t first = 0;
	int ret;

	compute(e, 5 * US);
	p->found->value[0] = now(e) + p->w->ahead_ps;
	if (weft_vt_spawn(e->c, 2, &first))
		return 10;
	p->found->value[1] = first;
	if (start(p, first, 2))
		return 11;
	ret = wait_got(e, 2);
	return ret || wait_for_children(2) ? 12 : 0;
}

/* Rank 1 waits for a message from the last rank that rank 0 starts. */
static int family(struct play *p, struct end *e, uint32_t rank)
{
	int ret;

	if (!rank)
		return parent(p, e);
	if (rank == 1)
		return wait_got(e, 1);
	p->found->value[rank] = now(e);
	ret = send_waiting(e, rank_peer(p, e, 0), 0, 8);
	if (!ret && rank == 3)
		ret = send_waiting(e, rank_peer(p, e, 1), 0, 8);
	return ret ? 20 : 0;
}

static void ranks_start_one_lookahead_after_the_request(void **state)
{
	struct play p = { .ranks = 2, .universe = 4, .body = family };
	struct found first, second;

	play(&p, &first);
	T_IS(first.value[1], 2);
	T_IS(first.value[2], first.value[0]);
	T_IS(first.value[3], first.value[0]);
	play(&p, &second);
	T_IS(second.count.hash, first.count.hash);
	T_IS(second.count.now_ps, first.count.now_ps);
}

/* ---- ranks that cannot start --------------------------------------------- */

static int limits(struct play *p, struct end *e, uint32_t rank)
{
	uint32_t first = 99;

	(void)p;
	if (rank)
		return 0;
	if (weft_vt_spawn(e->c, 0, &first) != -ENOSPC ||
	    weft_vt_spawn(e->c, 4, &first) != -ENOSPC)
		return 30;
	/*
	 * rank 3 has failed: only two of the free ranks 2, 4 and 5 are
	 * consecutive
	 */
	if (weft_vt_spawn(e->c, 3, &first) != -ENOSPC || first != 99)
		return 31;
	if (weft_vt_spawn(e->c, 2, &first) || first != 4)
		return 32;
	weft_vt_spawn_cancel(e->c, first, 2);
	/* virtual time advances without the processes */
	if (e->c->ops->wait(e->c, 1000) != -ETIMEDOUT)
		return 33;
	if (weft_vt_spawn(e->c, 1, &first) || first != 2)
		return 34;
	weft_vt_spawn_cancel(e->c, first, 1);
	return weft_vt_spawn(e->c, 1, &first) == -ENOSPC ? 0 : 35;
}

static void only_free_places_are_used_and_each_once(void **state)
{
	struct play p = { .ranks = 2,
			  .universe = 6,
			  .faults = "dead-rank 3 at 1 ps",
			  .body = limits };
	struct found found;

	play(&p, &found);
}

static int refused(struct play *p, struct end *e, uint32_t rank)
{
	char handle[WEFT_VT_HANDLE];
	uint32_t first;

	if (weft_vt_handle(p->w, handle) != (rank ? -ENOSPC : 0))
		return 40;
	return weft_vt_spawn(e->c, 1, &first) == -ENOSPC ? 0 : 41;
}

static void a_world_without_places_refuses(void **state)
{
	struct play p = { .ranks = 2, .body = refused };
	struct found found;

	play(&p, &found);
}

static int vacant(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_vt_conf conf = { .machine = "bgq", .packet_bytes = 512 };
	struct weft_vt_note note;
	struct weft_vt *w = NULL;

	if (weft_vt_read_note(e->c, 2, &note) != -ENOENT ||
	    weft_vt_read_note(e->c, 3, &note) != -EINVAL)
		return 50;
	return rank || weft_vt_attach(&conf, p->handle, 2, &w) == -EINVAL ? 0
									  : 51;
}

static void a_rank_that_was_not_started_cannot_attach(void **state)
{
	struct play p = { .ranks = 2, .universe = 3, .body = vacant };
	struct found found;

	play(&p, &found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(ranks_start_one_lookahead_after_the_request),
		T_CASE(only_free_places_are_used_and_each_once),
		T_CASE(a_world_without_places_refuses),
		T_CASE(a_rank_that_was_not_started_cannot_attach),
	};

	return T_RUN(tests);
}
