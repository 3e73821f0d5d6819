/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast to send to one peer, and how long to wait for its answer: pure
 * arithmetic. Times in nanoseconds, windows in bytes.
 *
 *   rto     smoothed round trip plus four deviations (RFC 6298), doubled at
 *           every time that it passes in vain
 *   window  grows by what is acknowledged up to `turn`, then by one datagram a
 *           round trip; halved by a loss, once a round trip; two datagrams
 *           after a time-out. A large one does not grow where round trips say
 *           that more would only stand in a queue
 */
#ifndef WEFT_CARRIER_SOCK_PACE_H
#define WEFT_CARRIER_SOCK_PACE_H

#include <stdint.h>

#define SOCK_RTO_MIN_NS	  UINT64_C(2000000)
#define SOCK_RTO_FIRST_NS UINT64_C(20000000)
#define SOCK_RTO_MAX_NS	  UINT64_C(1000000000)

struct sock_pace {
	uint64_t srtt_ns; /* 0: nothing measured yet */
	uint64_t var_ns;
	uint64_t least_ns; /* the shortest round trip, as of late */
	uint64_t rto_ns;
	uint64_t window;
	uint64_t turn;	   /* where growth becomes slow */
	uint64_t cut_ns;   /* when the window was last halved */
	uint32_t datagram; /* largest, in bytes */
};

void sock_pace_init(struct sock_pace *p, uint32_t datagram);
/* A round trip was measured. */
void sock_pace_rtt(struct sock_pace *p, uint64_t ns);
/* So many bytes were acknowledged. */
void sock_pace_acked(struct sock_pace *p, uint64_t bytes);
/* A datagram is missing among later ones. */
void sock_pace_gap(struct sock_pace *p, uint64_t now);
/* Nothing came for rto_ns: wait longer. */
void sock_pace_wait(struct sock_pace *p);
/* And not for the longer time either. */
void sock_pace_timeout(struct sock_pace *p, uint64_t flying);

#endif
