/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves one piece of an access by a system call before the function returns
 * (FI_WEFT_RMA_SYNC). The function is inline, because a function return after a
 * system call costs as much as ten other returns.
 */
#ifndef WEFT_WIN_RMA_SYNC_H
#define WEFT_WIN_RMA_SYNC_H

#include "src/diag/diag_count.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/win/win_fabric.h"
#include "src/win/win_op.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>

/*
 * Moves one piece by a system call before the function returns, in a window
 * whose members share a page. Returns false if nothing was moved.
 */
WEFT_INLINE bool win_fi_sync(struct weft_win *w, int target,
			     const struct win_fi *f)
{
	const struct fi_weft_rma_sync *now = w->fabric->now;
	fi_addr_t to;
	int rc;

	if (!now || !w->page)
		return false;
	weft_lock();
	to = weft_core.proc[w->comm->proc[target]].addr;
	if (to == FI_ADDR_NOTAVAIL)
		/* the address is not resolved yet, or sends are queued */
		rc = -EAGAIN;
	else if (f->kind == WIN_FI_WRITE)
		rc = now->write(weft_core.ep, f->local, f->len, to, f->addr,
				f->key);
	else
		rc = now->read(weft_core.ep, f->local, f->len, to, f->addr,
			       f->key);
	if (!rc)
		weft_count(WEFT_COUNT_WIN_FABRIC, 1);
	weft_unlock();
	return !rc;
}

#endif
