/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams: TCP connections for the bytes of long transfers between processes
 * that already exchange datagrams (prov/carrier/sock). See README.
 *
 *   stream.c       open, close, poll; transfers
 *   stream_conn.c  connections: listen, accept, connect, limits
 *   stream_auth.c  handshake that authenticates a new connection
 *   stream_seal.c  tags and encryption of records
 *   stream_plain.c instead of both: a build without OpenSSL
 *   stream_tx.c    transfers into records
 *   stream_rx.c    records into the buffers of transfers
 *   stream_int.h   declarations shared by these files
 *
 * The owner serialises all calls. Only stream_poll() makes callbacks (find, and
 * done of a transfer); they may call all functions except open, close and poll.
 */
#ifndef WEFT_CARRIER_STREAM_H
#define WEFT_CARRIER_STREAM_H

#include "prov/carrier/carrier.h"
#include "src/base/list.h"

#define STREAM_KEY_BYTES 32u

struct stream_conn;

/* The streams of one peer; embedded in the owner's record of the peer. */
struct stream_peer {
	union weft_name name; /* address and port of its datagram socket */
	uint64_t gen;	      /* incarnation */
	uint8_t key[STREAM_KEY_BYTES];
	struct stream_conn *out; /* connection for bytes to the peer, or NULL */
	struct stream_conn *in;	 /* authenticated connection from the peer */
	/* earliest time of the next attempt to connect */
	uint64_t retry_ns;
	uint64_t backoff_ns;
};

struct stream_attr {
	union weft_name name; /* address and port of the datagram socket */
	uint64_t gen;	      /* incarnation of this endpoint */
	bool tags;	      /* records are authenticated */
	bool encrypt;	      /* records are encrypted; requires tags */
	/*
	 * Returns the peer with this address and incarnation, if it has shown
	 * that it has the job's key; otherwise NULL.
	 */
	struct stream_peer *(*find)(void *arg, const union weft_name *name,
				    uint64_t gen);
	void *arg;
};

struct stream_stats {
	uint64_t connects; /* connections opened to peers and authenticated */
	uint64_t accepts;  /* authenticated connections from peers */
	uint64_t refused;  /* connections that failed the authentication */
	uint64_t broken;   /* authenticated connections that broke */
	uint64_t sent;	   /* payload bytes */
	uint64_t received; /* payload bytes of valid records */
	uint64_t forged;   /* records with a wrong tag */
};

struct stream {
	bool on;
	struct stream_attr attr;
	int listener; /* listening socket; -1: no peer can connect */
	int epoll;
	/* authenticated connections, and those in the handshake */
	struct weft_list conns;
	struct weft_list greeting;
	struct weft_list busy;	 /* connections with transfers */
	uint32_t accepted_count; /* incoming connections in the list greeting */
	/*
	 * connections: [0] outgoing, [1] incoming, including unauthenticated
	 * ones
	 */
	uint32_t conn_count[2];
	uint32_t conn_max; /* maximum of each of the two counts */
	bool any_broken;   /* a connection is to be closed */
	uint64_t last_ticket;
	uint64_t now;
	uint64_t check_ns; /* time of the next check of all descriptors */
	uint8_t *scratch;  /* for bytes of records that no transfer expects */
	/* fault plan: bytes of records after which a connection breaks, or 0 */
	uint64_t cut_bytes;
	struct stream_stats stats;
};

/*
 * Opens a listening socket with the address and port of the datagrams. If the
 * TCP port is in use, peers cannot connect, and their bytes arrive in
 * datagrams.
 */
int stream_open(struct stream *st, const struct stream_attr *attr);
void stream_close(struct stream *st);
/* Returns whether transfers are outstanding. */
static inline bool stream_is_busy(const struct stream *st)
{
	return st->on && !weft_list_empty(&st->busy);
}

/* Returns the number of transfers that made progress. */
int stream_poll(struct stream *st, uint64_t now);

/* Closes the peer's connections; done is not called. */
void stream_peer_close(struct stream *st, struct stream_peer *p);
/* Returns whether transfers from the peer are outstanding. */
bool stream_peer_receives(const struct stream_peer *p);
/* Returns whether a connection from the peer is authenticated. */
bool stream_peer_ready(const struct stream_peer *p);
/* Returns whether a connection to the peer is authenticated. */
bool stream_peer_writable(const struct stream_peer *p);
/* Opens a connection to p in the background, if there is none. */
void stream_connect(struct stream *st, struct stream_peer *p);

/*
 * Registers the destination of bytes that p will send, and sets x->ticket.
 * Returns -EAGAIN if no connection from p is authenticated.
 */
int stream_expect(struct stream *st, struct stream_peer *p,
		  struct weft_stream_xfer *x);
/*
 * Makes the next poll send the bytes of x, with a ticket that p has issued.
 * Returns -EAGAIN if no connection to p is authenticated.
 */
int stream_supply(struct stream *st, struct stream_peer *p,
		  struct weft_stream_xfer *x);
/* Ends a transfer without calling done. */
void stream_withdraw(struct stream *st, struct weft_stream_xfer *x);
/* Breaks the connection to p, if any. */
void stream_reset(struct stream *st, struct stream_peer *p);

#endif
