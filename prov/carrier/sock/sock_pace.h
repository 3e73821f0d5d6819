/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion control and retransmission timeout of one peer: arithmetic only.
 * Times in nanoseconds, windows in bytes.
 *
 *   rto     smoothed round-trip time plus four deviations (RFC 6298),
 *           doubled at every timeout
 *   window  slow start: grows by the acknowledged bytes up to ssthresh, then
 *           by one datagram per round trip. A loss reduces it by an eighth,
 *           once per round trip, or by half if round-trip times show a queue,
 *           but not below the initial window; a timeout reduces it to two
 *           datagrams. A large window does not grow while round-trip times
 *           show a queue.
 */
#ifndef WEFT_CARRIER_SOCK_PACE_H
#define WEFT_CARRIER_SOCK_PACE_H

#include <stdint.h>

#define SOCK_RTO_MIN_NS	  UINT64_C(2000000)
#define SOCK_RTO_FIRST_NS UINT64_C(20000000)
#define SOCK_RTO_MAX_NS	  UINT64_C(1000000000)

struct sock_pace {
	uint64_t srtt_ns; /* smoothed round-trip time; 0: not measured yet */
	uint64_t var_ns;
	uint64_t min_rtt_ns; /* shortest recent round-trip time */
	uint64_t rto_ns;
	uint64_t window;
	uint64_t ssthresh;   /* window at which slow start ends, bytes */
	uint64_t reduced_ns; /* time of the last reduction after a loss */
	uint32_t datagram;   /* bytes of the largest datagram */
};

void sock_pace_init(struct sock_pace *p, uint32_t datagram);
void sock_pace_rtt(struct sock_pace *p, uint64_t ns);
void sock_pace_acked(struct sock_pace *p, uint64_t bytes);
/* Handles the loss of a datagram after which later datagrams have arrived. */
void sock_pace_loss(struct sock_pace *p, uint64_t now);
/* Handles the first timeout: doubles rto_ns only. */
void sock_pace_backoff(struct sock_pace *p);
/* Handles a repeated timeout: also reduces the window. */
void sock_pace_timeout(struct sock_pace *p, uint64_t inflight_bytes);

#endif
