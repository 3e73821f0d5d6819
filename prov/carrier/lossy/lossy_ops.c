/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open, close and wait of the carrier, and calls passed to the carrier below.
 */
#include "prov/carrier/lossy/lossy.h"
#include "src/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* longest wait, so that retransmissions are sent in time */
#define RETRANSMIT_CHECK_NS UINT64_C(1000000)
/* time limit of close for the last acknowledgements */
#define DRAIN_NS	    UINT64_C(1000000000)

#define LOSSY_CAN                                           \
	(1u << WEFT_FAULT_ERRORS | 1u << WEFT_FAULT_BURST | \
	 1u << WEFT_FAULT_CORRUPT | 1u << WEFT_FAULT_LOSS | \
	 1u << WEFT_FAULT_DUPLICATE)

static struct lossy *lossy_of(struct weft_carrier *c)
{
	return (struct lossy *)(void *)c;
}

static struct weft_carrier *below(struct weft_carrier *c)
{
	return lossy_of(c)->below;
}

/* Returns the largest payload whose frame fits the MTU of the carrier below. */
static size_t payload_max(const struct lossy *n)
{
	size_t most = LOSSY_BYTES, bytes;

	if (most > n->below->mtu)
		most = n->below->mtu;
	bytes = most;
	while (bytes + lossy_code_bytes(&n->code, (uint32_t)bytes) > most)
		bytes -= 8;
	return bytes - sizeof(struct lossy_head);
}

static void ops_free(struct lossy *n)
{
	lossy_peers_free(n);
	carrier_faults_close(&n->faults);
	free(n);
}

static int ops_open(const struct weft_carrier_attr *attr,
		    struct weft_carrier **c_p)
{
	struct lossy *n = calloc(1, sizeof(*n));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!n)
		return -ENOMEM;
	n->up = attr->up;
	n->up_arg = attr->up_arg;
	n->opened_ns = n->now_ns = lossy_clock();
	a.up = &lossy_up;
	a.up_arg = n;
	lossy_code_init(&n->code, attr->code);
	err = carrier_faults_open(&n->faults, attr->faults, LOSSY_CAN);
	if (!err)
		err = lossy_plan_check(&n->faults.plan, attr->faults);
	if (!err)
		err = attr->below->open(&a, &n->below);
	if (err) {
		ops_free(n);
		return err;
	}
	n->base.ops = &weft_carrier_lossy;
	n->base.mtu = payload_max(n);
	n->base.fences = n->below->fences;
	*c_p = &n->base;
	return 0;
}

/*
 * Retransmits until all frames are acknowledged, then closes: frames in flight
 * may be damaged.
 */
static void ops_close(struct weft_carrier *c)
{
	struct lossy *n = lossy_of(c);
	uint64_t end = lossy_clock() + DRAIN_NS;

	n->closing = true;
	while (!lossy_all_acked(n) && n->now_ns < end) {
		if (!lossy_poll(c, 64))
			n->below->ops->wait(n->below, RETRANSMIT_CHECK_NS);
	}
	weft_log(WEFT_LOG_INFO,
		 "faults: %llu frames damaged or dropped here; %llu detected, "
		 "%llu corrected, %llu retransmitted",
		 (unsigned long long)n->damaged, (unsigned long long)n->found,
		 (unsigned long long)n->fixed, (unsigned long long)n->resent);
	n->below->ops->close(n->below);
	ops_free(n);
}

static void ops_name_get(struct weft_carrier *c, union weft_name *name)
{
	below(c)->ops->name_get(below(c), name);
}

static int ops_peer(struct weft_carrier *c, const union weft_name *name,
		    struct weft_peer **peer_p)
{
	return below(c)->ops->peer(below(c), name, peer_p);
}

/* Refuses DMA: no error code would cover these bytes. */
static int ops_dma(struct weft_carrier *c, struct weft_peer *peer,
		   const struct iovec *local, int count, uint64_t remote)
{
	return -EOPNOTSUPP;
}

static int ops_share(struct weft_carrier *c, struct weft_peer *peer,
		     void **area_p, size_t *bytes_p)
{
	return -EOPNOTSUPP;
}

static int ops_window(struct weft_carrier *c, struct weft_peer *peer,
		      size_t offset, size_t bytes, void **area_p)
{
	return -EOPNOTSUPP;
}

static void ops_window_close(struct weft_carrier *c, void *area, size_t bytes)
{
}

static int ops_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	int err;

	if (timeout_ns <= RETRANSMIT_CHECK_NS)
		return below(c)->ops->wait(below(c), timeout_ns);
	err = below(c)->ops->wait(below(c), RETRANSMIT_CHECK_NS);
	return err == -ETIMEDOUT ? 0 : err;
}

static void ops_wake(struct weft_carrier *c)
{
	below(c)->ops->wake(below(c));
}

static int ops_wait_fd(struct weft_carrier *c)
{
	return below(c)->ops->wait_fd(below(c));
}

/*
 * Arms the descriptor of the carrier below unless frames are unacknowledged:
 * the descriptor does not signal that a retransmission is due.
 */
static int ops_arm(struct weft_carrier *c)
{
	if (!lossy_all_acked(lossy_of(c)))
		return -EAGAIN;
	return below(c)->ops->arm(below(c));
}

static void ops_watch(struct weft_carrier *c,
		      const struct weft_carrier_watch *w)
{
	below(c)->ops->watch(below(c), w);
}

static void ops_nudge(struct weft_carrier *c, struct weft_peer *peer)
{
	below(c)->ops->nudge(below(c), peer);
}

static void ops_ended(struct weft_carrier *c, struct weft_peer *peer)
{
	below(c)->ops->ended(below(c), peer);
}

static void ops_stats(struct weft_carrier *c, struct weft_carrier_stats *s)
{
	const struct lossy *n = lossy_of(c);

	n->below->ops->stats(n->below, s);
	s->resent += n->resent;
	s->full += n->full;
	s->damaged = n->damaged;
	s->found = n->found;
	s->fixed = n->fixed;
}

const struct weft_carrier_ops weft_carrier_lossy = {
	.name = "lossy",
	.backend = &weft_backend_live,
	.open = ops_open,
	.close = ops_close,
	.name_get = ops_name_get,
	.peer = ops_peer,
	.send = lossy_send,
	.poll = lossy_poll,
	.read = ops_dma,
	.write = ops_dma,
	.wait = ops_wait,
	.wake = ops_wake,
	.wait_fd = ops_wait_fd,
	.arm = ops_arm,
	.share = ops_share,
	.window = ops_window,
	.window_close = ops_window_close,
	.watch = ops_watch,
	.nudge = ops_nudge,
	.ended = ops_ended,
	.stats = ops_stats,
};
