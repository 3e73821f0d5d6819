/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failures that the program survives (recover.h): the state of this process,
 * and the function that the progress loop calls when a process has failed or a
 * message about a failure has arrived.
 */
#include "src/recover/recover.h"

#include "src/core/core_lock.h"
#include "src/core/core_opts.h"
#include "src/core/core_state.h"
#include "src/diag/diag_call.h"
#include "src/job/job_page.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/recover/recover_agree.h"
#include "src/recover/recover_ballot.h"
#include "src/recover/recover_failed.h"
#include "src/recover/recover_interrupt.h"
#include "src/recover/recover_revoke.h"

#include <errno.h>

/* ms between checks for failures while a rank waits */
#define CHECK_MS 10

static void handle(const struct weft_recover_msg *m)
{
	if (m->what == WEFT_RECOVER_BALLOT)
		weft_ballot_receive(m);
	else if (m->what == WEFT_RECOVER_REVOKE)
		weft_revoke_receive(m);
}

/*
 * Handles failures and messages about failures; called by the progress loop,
 * with the lock held.
 */
static void attend(void)
{
	weft_failed_update();
	weft_recover_msg_deliver();
	weft_ballots_advance();
	weft_interrupt_all();
	if (!weft_core.traits.waits_end && !weft_failed_all_silent())
		weft_progress_attention();
}

static const struct weft_watcher watcher = { .idle = attend, .ms = CHECK_MS };
/*
 * Watcher without a period, for the case that the failure of a process ends
 * waits.
 */
static const struct weft_watcher wakened = { .idle = attend, .ms = -1 };

/* ---- the thread that waits for exits ------------------------------------- */

static pthread_t listener;
static bool listens;
static weft_au32 ending;

static void *listen(void *arg)
{
	struct weft_job_page *page = arg;
	uint32_t seen = 0;

	while (!weft_load32(&ending)) {
		uint32_t now = weft_job_page_exits(page);

		if (now != seen)
			weft_progress_attention();
		seen = now;
		weft_job_page_wait_exit(page, seen);
	}
	return NULL;
}

/*
 * Starts the thread that waits for exits. Without this thread, failures are
 * detected by idle waits.
 */
static void listen_begin(void)
{
	uint32_t me;

	weft_store32(&ending, 0);
	listens = weft_call_has_launcher() &&
		  !pthread_create(&listener, NULL, listen,
				  weft_call_job_page(&me));
}

static void listen_end(void)
{
	uint32_t me;

	if (!listens)
		return;
	weft_store32(&ending, 1);
	weft_job_page_wake_waiters(weft_call_job_page(&me));
	pthread_join(listener, NULL);
	listens = false;
}

/* ---- start and end ------------------------------------------------------- */

int weft_recover_open(void)
{
	int rc;

	if (!weft_core.survives)
		return 0;
	weft_lock();
	rc = weft_failed_open();
	if (!rc)
		rc = weft_recover_msg_open(handle);
	weft_unlock();
	if (rc)
		return rc;
	if (weft_core.traits.waits_end) {
		weft_progress_add_watcher(&wakened);
		return 0;
	}
	weft_progress_add_watcher(&watcher);
	listen_begin();
	return 0;
}

void weft_recover_started(void)
{
	uint32_t me;
	struct weft_job_page *page;

	if (!weft_core.survives || !weft_call_has_launcher())
		return;
	page = weft_call_job_page(&me);
	weft_store32(&weft_job_page_member(page, me)->started, 1);
}

void weft_recover_close(void)
{
	if (!weft_core.survives)
		return;
	listen_end();
	weft_lock();
	weft_ballots_close();
	weft_revoke_close();
	weft_failed_close();
	weft_unlock();
}

int weft_recover_sync(bool *stays_p)
{
	int flag = !*stays_p;
	int rc = weft_recover_agree(weft_core.world, &flag);

	*stays_p = !flag;
	/* the last messages may be in the retry queue */
	while (weft_core.pending)
		weft_progress();
	return rc == -EHOSTDOWN ? 0 : rc;
}

/* ---- calls --------------------------------------------------------------- */

bool weft_recover_is_needed(void)
{
	return weft_failed_count();
}

int weft_recover_check_coll(const struct weft_comm *c)
{
	int rc = 0;

	weft_lock();
	weft_failed_update();
	if (weft_interrupt_revoked(c))
		rc = -ESTALE;
	else if (weft_failed_in(c, 0))
		rc = -ECONNRESET;
	weft_unlock();
	return rc;
}

int weft_recover_check_probe(const struct weft_comm *c, int peer)
{
	int rc;

	weft_lock();
	weft_failed_update();
	rc = weft_interrupt_revoked(c) ? -ESTALE
				       : weft_interrupt_receive(c, peer);
	weft_unlock();
	return rc == -EOWNERDEAD ? -ECONNRESET : rc;
}

static bool may_follow(int rc)
{
	switch (-rc) {
	case EIO:
	case EREMOTEIO:
	case ECANCELED:
	case ECONNRESET:
	case ESHUTDOWN:
	case EHOSTUNREACH:
	case ESTALE:
		return true;
	default:
		return false;
	}
}

int weft_recover_errno(const struct weft_comm *c, int rc)
{
	bool found;

	if (!weft_core.survives || !may_follow(rc))
		return rc;
	if (c->revoked)
		return -ESTALE;
	weft_lock();
	weft_failed_update();
	found = weft_failed_in(c, 0);
	weft_unlock();
	return found ? -ECONNRESET : rc;
}

void weft_recover_comm_opened(struct weft_comm *c)
{
	weft_lock();
	c->acked = 0;
	weft_revoke_new(c);
	weft_unlock();
}

bool weft_recover_comm_closed(struct weft_comm *c)
{
	bool used;

	weft_lock();
	used = c->revoked || c->ballots || weft_failed_in(c, 0);
	weft_unlock();
	return used;
}
