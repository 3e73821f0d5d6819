/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An endpoint for tests: a carrier whose deliveries are checked and counted. A
 * test packet carries its sequence number (per pair) in `tag` and the id of its
 * sender in `unit`; its payload is computed from both.
 */
#ifndef WEFT_CARRIER_FIXTURE_H
#define WEFT_CARRIER_FIXTURE_H

#include "prov/carrier/carrier.h"
#include "test/support/t_family.h"

#define END_PEERS 1024

/* Endpoints polled by one thread. */
struct end_group {
	struct end *e[128];
	int count;
};

struct end {
	struct weft_carrier *c;
	uint32_t id;
	union weft_name name;
	uint64_t got; /* packets received */
	/* next sequence number expected, by sender id */
	uint64_t got_from[END_PEERS];
	/* packets with wrong content, order or length */
	uint64_t bad;
	uint64_t lost;
	int lost_err;
	struct weft_peer *lost_peer;
	struct weft_peer *last;	 /* sender of the last packet */
	int refuse;		 /* number of packets to refuse with -EAGAIN */
	uint32_t refuse_from;	 /* refuse packets of this sender only */
	bool echo;		 /* send every packet back */
	uint64_t echoes_refused; /* echoes refused because the FIFO was full */
	/*
	 * endpoints polled with this one, since retransmission needs both sides
	 */
	struct end_group *group;
	bool not_polled; /* the endpoint is not polled with the group */
	bool unordered;	 /* virtual time: packets may be reordered */
};

/*
 * Opens an endpoint on the carrier ops. attr may be NULL; attr->up is ignored.
 * Returns 0 or -errno.
 */
int end_open(struct end *e, const struct weft_carrier_ops *ops, uint32_t id,
	     const struct weft_carrier_attr *attr);
void end_close(struct end *e);
struct weft_peer *end_peer(struct end *e, const struct end *to);
struct weft_peer *end_peer_name(struct end *e, const union weft_name *name);

/* Sends packet number n with len bytes; returns the result of send. */
int end_send(struct end *e, struct weft_peer *to, uint64_t n, size_t len);
/*
 * Calls end_send() until it does not return -EAGAIN, for at most `seconds`;
 * polls e between the calls.
 */
int end_send_all(struct end *e, struct weft_peer *to, uint64_t n, size_t len,
		 int seconds);
/* Polls until e->got reaches `want`; returns false after `seconds`. */
bool end_wait_got(struct end *e, uint64_t want, int seconds);
/* Polls until e->lost reaches `want`; returns false after `seconds`. */
bool end_wait_lost(struct end *e, uint64_t want, int seconds);

/* Stops an endpoint of the loop carrier as the end of its process would. */
void end_kill(struct weft_carrier *loop);
/* Returns whether end_kill() or its fault plan stopped the endpoint. */
bool end_is_dead(struct weft_carrier *loop);

#endif
