/* SPDX-License-Identifier: BSD-3-Clause */
/* Retransmission timeout and congestion window of one peer. */
#include "prov/carrier/sock/sock_pace.h"
#include "src/base/must.h"

#include <stdbool.h>

#define PACE_INITIAL_BYTES 65536
#define PACE_INITIAL_GRAMS 4
#define PACE_LARGE_BYTES   262144
/* delay that host load adds to a round trip, ns */
#define PACE_QUEUE_NS	   50000
/* number of samples in which the recorded minimum grows by a factor of e */
#define PACE_FORGET	   1024
/* upper limit of the window, bytes */
#define PACE_WINDOW_BYTES  (UINT64_C(16) << 20)

static uint64_t pace_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t pace_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t pace_initial(uint32_t datagram)
{
	return pace_max(PACE_INITIAL_BYTES,
			(uint64_t)PACE_INITIAL_GRAMS * datagram);
}

void sock_pace_init(struct sock_pace *p, uint32_t datagram)
{
	*p = (struct sock_pace){
		.rto_ns = SOCK_RTO_FIRST_NS,
		.datagram = datagram,
		.window = pace_initial(datagram),
		.ssthresh = PACE_WINDOW_BYTES,
	};
}

void sock_pace_rtt(struct sock_pace *p, uint64_t ns)
{
	uint64_t off = ns > p->srtt_ns ? ns - p->srtt_ns : p->srtt_ns - ns;

	if (!p->srtt_ns) {
		p->srtt_ns = pace_max(ns, 1);
		p->var_ns = ns / 2;
	} else {
		p->var_ns = (3 * p->var_ns + off) / 4;
		p->srtt_ns = pace_max((7 * p->srtt_ns + ns) / 8, 1);
	}
	p->min_rtt_ns += p->min_rtt_ns / PACE_FORGET;
	if (!p->min_rtt_ns || ns < p->min_rtt_ns)
		p->min_rtt_ns = pace_max(ns, 1);
	p->rto_ns = p->srtt_ns + 4 * p->var_ns;
	p->rto_ns =
		pace_min(pace_max(p->rto_ns, SOCK_RTO_MIN_NS), SOCK_RTO_MAX_NS);
}

/* Returns whether datagrams in flight spend most of their time in queues. */
static bool pace_has_queue(const struct sock_pace *p)
{
	return p->window >= PACE_LARGE_BYTES &&
	       p->srtt_ns > 2 * p->min_rtt_ns + PACE_QUEUE_NS;
}

void sock_pace_acked(struct sock_pace *p, uint64_t bytes)
{
	if (pace_has_queue(p))
		return;
	WEFT_ASSERT(p->window);
	if (p->window >= p->ssthresh)
		bytes = bytes * p->datagram / p->window;
	p->window = pace_min(p->window + bytes, PACE_WINDOW_BYTES);
}

/*
 * Handles a loss after which later datagrams have arrived. A link error is more
 * likely than congestion, so the window does not fall below the initial one.
 */
void sock_pace_loss(struct sock_pace *p, uint64_t now)
{
	uint64_t less = p->window / (pace_has_queue(p) ? 2 : 8);

	if (p->reduced_ns && now - p->reduced_ns < p->srtt_ns)
		return;
	WEFT_ASSERT(p->window > less);
	p->reduced_ns = now;
	p->ssthresh = pace_max(p->window - less, pace_initial(p->datagram));
	p->ssthresh = pace_min(p->ssthresh, p->window);
	p->window = p->ssthresh;
}

void sock_pace_backoff(struct sock_pace *p)
{
	WEFT_ASSERT(p->rto_ns && p->rto_ns <= SOCK_RTO_MAX_NS);
	p->rto_ns = pace_min(2 * p->rto_ns, SOCK_RTO_MAX_NS);
}

void sock_pace_timeout(struct sock_pace *p, uint64_t inflight_bytes)
{
	p->ssthresh = pace_max(inflight_bytes / 2, 2 * (uint64_t)p->datagram);
	p->window = 2 * (uint64_t)p->datagram;
	sock_pace_backoff(p);
}
