/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live row of the backend table: the clock is the host's, a transfer is a
 * copy by this process and completes within the call, and the path of a packet
 * has no effect.
 */
#include "prov/backend/backend.h"

#include "src/base/attr.h"
#include "src/base/clock.h"

#include <errno.h>
#include <time.h>

/* ---- clock --------------------------------------------------------------- */

static uint64_t live_now_ps(struct weft_carrier *c, bool pay)
{
	return weft_clock_now_ps(&weft_wall_clock);
}

static uint64_t live_tick_ps(struct weft_carrier *c)
{
	struct timespec ts;

	clock_getres(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_nsec * 1000;
}

static void live_compute(struct weft_carrier *c, uint64_t ps)
{
}

static int live_verdict(struct weft_carrier *c)
{
	return 0;
}

/* ---- packets ------------------------------------------------------------- */

static void live_nothing(struct weft_carrier *c)
{
}

static void live_routing(struct weft_carrier *c,
			 const struct weft_pkt_attr *routing)
{
}

static unsigned live_path(struct weft_carrier *c, const char *name)
{
	return 0;
}

/* ---- transfers ----------------------------------------------------------- */

/* Copies the segments of d, limited to its length; returns their number. */
static int live_iov(const struct weft_dma *d, struct iovec *iov)
{
	size_t left = d->bytes;
	int n = 0;

	for (int i = 0; i < d->local_count && left; i++) {
		iov[n] = d->local[i];
		if (iov[n].iov_len > left)
			iov[n].iov_len = left;
		left -= iov[n].iov_len;
		n += iov[n].iov_len > 0;
	}
	return n;
}

static int live_end(struct weft_dma *d, int err)
{
	if (err == -EOPNOTSUPP || err == -EAGAIN)
		return err;
	d->done(d, err);
	return 0;
}

static int live_get(struct weft_carrier *c, struct weft_peer *peer,
		    struct weft_dma *d, const struct weft_dma_path *path)
{
	struct iovec iov[WEFT_COUNT_OF(d->local)];
	int n = live_iov(d, iov);

	return live_end(d, n ? c->ops->read(c, peer, iov, n, d->remote) : 0);
}

static int live_put(struct weft_carrier *c, struct weft_peer *peer,
		    struct weft_dma *d, const struct weft_dma_path *path)
{
	struct iovec iov[WEFT_COUNT_OF(d->local)];
	int n = live_iov(d, iov);

	return live_end(d, n ? c->ops->write(c, peer, iov, n, d->remote) : 0);
}

/* The peer's processor executes atomics: the caller sends a request. */
static int live_atomic(struct weft_carrier *c, struct weft_peer *peer,
		       struct weft_amo *a, const struct weft_dma_path *path)
{
	return -EOPNOTSUPP;
}

const struct weft_backend weft_backend_live = {
	.now_ps = live_now_ps,
	.tick_ps = live_tick_ps,
	.compute = live_compute,
	.device_copied = live_compute,
	.completed = live_nothing,
	.verdict = live_verdict,
	.long_message = live_nothing,
	.routing = live_routing,
	.full = live_nothing,
	.path = live_path,
	.get = live_get,
	.put = live_put,
	.atomic = live_atomic,
};
