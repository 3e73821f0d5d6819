/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exposures and their completion, in a shared page and by messages: the
 * counters start just below their wrap-around.
 */
#include "src/win/win.h"

#include "coll/coll.h"
#include "src/comm/comm_group.h"
#include "src/core/core_state.h"
#include "src/diag/diag_trace.h"
#include "src/msg/msg_pause.h"
#include "src/msg/msg_progress.h"
#include "src/win/win_am.h"
#include "src/win/win_layout.h"
#include "src/win/win_wait.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

/* This rank is member 0; the members 1 to 3 are simulated. */
enum { RANKS = 4, EPOCHS = 3 };

struct weft_core weft_core;
bool weft_threads;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;

static struct weft_comm comm;
static struct weft_group *group; /* the members 1 to 3 */
static struct weft_win_peer peer[RANKS];
static struct weft_win w;
static int sent[RANKS]; /* messages sent to each member */

/* ---- functions of the library -------------------------------------------- */

int weft_coll_run(const struct weft_coll_args *a)
{
	return 0;
}

bool weft_coll_barrier_on_route(struct weft_comm *c, struct weft_req **req_p,
				int *rc_p)
{
	*rc_p = 0;
	return true;
}

int win_drain(struct weft_win *win, weft_au32 *pending)
{
	return 0;
}

void weft_group_put(struct weft_group *g)
{
}

int weft_group_rank_of(const struct weft_group *g, int proc)
{
	return proc;
}

struct weft_pause weft_pause_begin(const struct weft_comm *c)
{
	return (struct weft_pause){ .comm = c };
}

int weft_pause(struct weft_pause *p, weft_au32 *word, uint32_t seen,
	       uint32_t bits, weft_au32 *waiters)
{
	return -ETIMEDOUT; /* nothing is left to wait for */
}

uint32_t weft_pause_event_add(weft_au32 *word)
{
	return weft_add32(word, 1) + 1;
}

void weft_pause_wake(weft_au32 *word, uint32_t bits, weft_au32 *waiters)
{
}

bool weft_traced(void)
{
	return false;
}

void weft_trace_sync(const struct weft_comm *c, int rank, unsigned what,
		     bool out)
{
}

int win_am_send_empty(struct weft_win *win, int rank, enum win_am_type type,
		      uint32_t flags)
{
	sent[rank]++;
	return 0;
}

void weft_progress_notify(void)
{
}

void weft_progress_poll(struct weft_req *const *req, int nreq, bool any)
{
}

struct win_idle win_idle_begin(const struct weft_win *win)
{
	return (struct win_idle){ .comm = NULL };
}

int win_idle_pass(struct win_idle *i)
{
	return -ETIMEDOUT;
}

/* ---- the window ---------------------------------------------------------- */

/* Opens a window whose counters have the value `first`. */
static void window_open(bool page, uint32_t first)
{
	size_t record =
		sizeof(struct win_page) + RANKS * sizeof(struct win_record);

	memset(&w, 0, sizeof(w));
	memset(peer, 0, sizeof(peer));
	memset(sent, 0, sizeof(sent));
	group = calloc(1, sizeof(*group) + RANKS * sizeof(int));
	T_NOT_NULL(group);
	group->size = RANKS - 1;
	for (int i = 1; i < RANKS; i++)
		group->proc[i - 1] = i;
	w.peer = peer;
	w.size = RANKS;
	w.comm = &comm;
	w.completed = first;
	weft_store32(&w.completes, first);
	if (!page)
		return;
	w.page = aligned_alloc(64, record + 64);
	T_NOT_NULL(w.page);
	memset(w.page, 0, record + 64);
	w.page->ranks = RANKS;
	w.page->posts = record;
	weft_store32(&win_record(w.page, 0)->completes, first);
	for (int i = 0; i < RANKS; i++) {
		weft_store32(win_posts(w.page, 0, i), first);
		weft_store32(win_posts(w.page, i, 0), first);
		peer[i].posts = first;
	}
}

static void window_close(void)
{
	free(group);
	free(w.page);
	w.page = NULL;
}

/* A member completes its accesses to this rank. */
static void complete_one(void)
{
	weft_add32(w.page ? &win_record(w.page, 0)->completes : &w.completes,
		   1);
}

/* Each exposure ends with the completion of the last of its origins. */
static void exposures_end(bool page)
{
	window_open(page, UINT32_MAX - 4);
	for (int epoch = 0; epoch < EPOCHS; epoch++) {
		T_OK(weft_win_post(&w, group, 0));
		for (int i = 1; i < RANKS; i++) {
			T_IS(weft_win_test(&w), 0);
			complete_one();
		}
		if (epoch % 2)
			T_IS(weft_win_test(&w), 1);
		else
			T_OK(weft_win_wait(&w));
		T_NULL(w.posted);
	}
	T_IS(w.completed, (uint32_t)(UINT32_MAX - 4 + 3 * EPOCHS));
	/* a notification of each exposure to each origin */
	for (int i = 1; i < RANKS; i++)
		T_IS(page ? weft_load32(win_posts(w.page, i, 0)) -
				     (UINT32_MAX - 4)
			  : (uint32_t)sent[i],
		     EPOCHS);
	/* one origin is missing */
	T_OK(weft_win_post(&w, group, 0));
	complete_one();
	complete_one();
	T_IS(weft_win_wait(&w), -ETIMEDOUT);
	window_close();
}

static void exposures_end_with_the_last_completion(void **state)
{
	exposures_end(true);
	exposures_end(false);
}

static void members_post(bool page)
{
	for (int i = 1; i < RANKS; i++)
		weft_add32(page ? win_posts(w.page, 0, i) : &peer[i].post, 1);
}

/* An access epoch begins when all its targets have exposed their memory. */
static void epochs_begin(bool page)
{
	window_open(page, UINT32_MAX - 1);
	for (int epoch = 0; epoch < EPOCHS; epoch++) {
		members_post(page);
		T_OK(weft_win_start(&w, group, 0));
		for (int i = 1; i < RANKS; i++)
			T_TRUE(weft_win_is_open(&w, &peer[i]));
		T_FALSE(weft_win_is_open(&w, &peer[0]));
		T_OK(weft_win_complete(&w));
		T_FALSE(weft_win_is_open(&w, &peer[1]));
	}
	/* each target was notified of the end of each epoch */
	for (int i = 1; i < RANKS; i++)
		T_IS(page ? weft_load32(&win_record(w.page, i)->completes)
			  : (uint32_t)sent[i],
		     EPOCHS);
	/* no further exposure */
	T_IS(weft_win_start(&w, group, 0), -ETIMEDOUT);
	window_close();
}

static void epochs_begin_with_the_exposures_of_all_targets(void **state)
{
	epochs_begin(true);
	epochs_begin(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(exposures_end_with_the_last_completion),
		T_CASE(epochs_begin_with_the_exposures_of_all_targets),
	};

	return T_RUN(tests);
}
