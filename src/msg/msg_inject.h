/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends without a request: a few contiguous bytes, to a process whose address
 * is known and that has no queued sends. Inline, because this is nearly all of
 * the work of a short MPI_Send. The send is one fi_tinject, and the buffer may
 * be reused immediately.
 */
#ifndef WEFT_MSG_INJECT_H
#define WEFT_MSG_INJECT_H

#include "src/diag/diag_count.h"
#include "src/types/types_dt.h"
#include "src/core/core_fi.h"
#include "src/core/core_io.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_p2p.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"
#include "src/offload/offload_device.h"

#include <errno.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

static_assert(FI_EAGAIN == EAGAIN, "FI_EAGAIN equals EAGAIN");

/*
 * Sends bytes. Returns 0, -EAGAIN or -FI_E*. Requires the lock. Queued sends to
 * that process must be posted first: while the queue is not empty, to->addr is
 * FI_ADDR_NOTAVAIL.
 */
WEFT_INLINE int weft_core_inject_bytes(const void *data, size_t bytes,
				       const struct weft_proc *to,
				       uint64_t word)
{
	int rc;

	if (weft_unlikely(to->addr == FI_ADDR_NOTAVAIL ||
			  weft_device_owns(data)))
		return -EAGAIN;
	rc = (int)fi_tinject(weft_core.ep, data, bytes, to->addr, word);
	if (weft_likely(rc == 0)) {
		weft_count(WEFT_COUNT_SEND_INJECT, 1);
		weft_count(WEFT_COUNT_SEND_BYTES, bytes);
	}
	return rc;
}

/*
 * Sends a message. Returns 0, -errno, or -EAGAIN: a request is needed. The lock
 * is not held.
 */
WEFT_INLINE int weft_core_inject(const struct weft_p2p_args *a)
{
	size_t bytes = (size_t)(a->count * a->dt->size);
	int rc;

	if (weft_unlikely(bytes > weft_core.inject_bytes ||
			  !weft_dt_is_run(a->dt, a->count) || a->peer < 0 ||
			  a->mode & WEFT_P2P_SYNC))
		return -EAGAIN;
	weft_lock();
	rc = weft_core_inject_bytes(
		(const char *)((uintptr_t)a->buf + (uintptr_t)a->dt->true_lb),
		bytes, &weft_core.proc[a->comm->proc[a->peer]],
		weft_tag_word(a->comm->ctx, a->mode >> 2 & 3, a->comm->rank,
			      a->tag));
	weft_unlock();
	return weft_likely(rc == 0) ? 0 : weft_fi_errno(rc);
}

#endif
