/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for accesses and messages; see win_wait.h. */
#include "src/win/win_wait.h"

#include "src/diag/diag_peer_failure.h"
#include "src/core/core_state.h"
#include "src/os/waiter.h"

#include <errno.h>

#define DEAD_NS UINT64_C(200000000)

struct win_idle win_idle_begin(const struct weft_win *w)
{
	return (struct win_idle){ weft_idle_begin(NULL, 0, false), w->comm, 0 };
}

int win_idle_pass(struct win_idle *i)
{
	weft_idle_pass(&i->idle);
	if (weft_core.traits.waits_end ||
	    !weft_wait_check_due(&i->check_ns, weft_now_ns(), DEAD_NS))
		return 0;
	return weft_failure_in(i->comm) ? -ECONNRESET : 0;
}

int win_drain(struct weft_win *w, weft_au32 *pending)
{
	struct win_idle idle = win_idle_begin(w);
	int error = 0;

	while (!error && weft_load32(pending))
		error = win_idle_pass(&idle);
	weft_fence_full();
	weft_lock();
	if (weft_load32(&w->error))
		error = (int)weft_load32(&w->error);
	weft_store32(&w->error, 0);
	weft_unlock();
	return error;
}

int weft_win_flush_slow(struct weft_win *w, weft_au32 *pending)
{
	if (!weft_load32(pending))
		weft_progress_poll(NULL, 0, false);
	return win_drain(w, pending);
}

void weft_win_sync(struct weft_win *w)
{
	weft_fence_full();
	if (!weft_win_skip_progress(w))
		weft_progress_poll(NULL, 0, false);
	weft_fence_full();
}
