/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal declarations of the streams, and their wire format. Numbers are in
 * the byte order of the sender's host: the receiver refuses a connection of the
 * other byte order by its magic number.
 *
 *   A connects to B                              B
 *   hello: names, incarnations, nonce of A ---->
 *     <---- answer: nonce of B, HMAC(key, 'B', hello, nonce of B)
 *   proof: HMAC(key, 'A', hello, nonce of B) --->
 *   record: head, payload, tag ----------------->
 *
 * The key is the session's of the datagrams (sock_keys.c), so that only the
 * process that exchanges datagrams with B can connect. All bytes after the
 * proof are records from A to B. Without a key, proofs are zeros, and records
 * have no tags.
 */
#ifndef WEFT_CARRIER_STREAM_INT_H
#define WEFT_CARRIER_STREAM_INT_H

#include "prov/carrier/stream/stream.h"

#define STREAM_MAGIC	0x57535432u /* "WST2": version 2 */
#define STREAM_NONCE	32u
#define STREAM_PROOF	32u
#define STREAM_TAG	16u
/* largest payload of a record with and without a tag */
#define STREAM_RECORD	65536u
#define STREAM_UNTAGGED (1u << 20)

/* Largest number of incoming connections that are not authenticated yet. */
#define STREAM_GREETING_MAX 16u
/* time limit of a handshake */
#define STREAM_GREETING_NS  UINT64_C(2000000000)
/*
 * Largest number of outgoing and of incoming connections: this number, or an
 * eighth of the process's descriptor limit if that is smaller.
 */
#define STREAM_CONN_MAX	    256u
/* idle time after which a connection may be closed in favour of another */
#define STREAM_SPARE_NS	    UINT64_C(1000000000)
/* time without a transfer after which a connection is closed */
#define STREAM_IDLE_NS	    UINT64_C(60000000000)

enum stream_mode { STREAM_OPEN, STREAM_TAGGED, STREAM_ENCRYPTED };

struct stream_hello {
	uint32_t magic;
	uint16_t mode; /* enum stream_mode; must be equal on both sides */
	uint16_t port; /* port of the sender's datagrams, network byte order */
	struct weft_ip address;
	uint64_t from; /* incarnation of the sender */
	uint64_t to;   /* incarnation of the receiver */
	uint8_t nonce[STREAM_NONCE];
};

struct stream_answer {
	uint8_t nonce[STREAM_NONCE];
	uint8_t proof[STREAM_PROOF];
};

struct stream_head {
	uint64_t ticket; /* ticket of the transfer, issued by the receiver */
	uint64_t offset; /* offset of the payload in the transfer */
	uint32_t bytes;	 /* length of the payload */
	uint32_t reserved;
};

static_assert(sizeof(struct stream_hello) == 72 &&
		      sizeof(struct stream_answer) == 64 &&
		      sizeof(struct stream_head) == 24,
	      "wire format");

enum stream_state {
	STREAM_CONNECTING, /* out: the kernel connects */
	STREAM_HELLO_SENT, /* out: hello sent */
	STREAM_ACCEPTED,   /* in: hello not complete */
	STREAM_ANSWERED,   /* in: answer sent, proof not complete */
	STREAM_READY,
};

struct stream_seal;

struct stream_conn {
	struct weft_list link; /* entry in conns or greeting of struct stream */
	struct weft_list busy; /* entry in busy of struct stream, while it has
				* transfers */
	int fd;
	enum stream_state state;
	bool incoming;
	bool broken;   /* closed by the next poll */
	bool writable; /* EPOLLOUT is requested */
	/* out: payload of a record, if a further record follows */
	uint32_t record_bytes;
	bool head_full; /* in: the head of the record is complete and valid */
	struct weft_ip from; /* in: address of the other side */
	/* peer; NULL: unknown until the handshake of an incoming connection */
	struct stream_peer *peer;
	uint64_t since_ns; /* start of the handshake, or last activity */
	/* Handshake. */
	struct stream_hello hello;
	struct stream_answer answer;
	uint8_t proof[STREAM_PROOF];
	uint32_t got; /* bytes of the message that is being received */
	/* Records. */
	/* keys of the tags; NULL: records have no tags */
	struct stream_seal *seal;
	/* number of records so far; used as the nonce */
	uint64_t count;
	struct weft_list xfers; /* transfers in progress */
	/*
	 * transfer of the record in progress; NULL: no record, or its transfer
	 * was withdrawn
	 */
	struct weft_stream_xfer *now;
	struct stream_head head;
	uint8_t tag[STREAM_TAG];
	/* in: head of the following record, of which next_got bytes are read */
	struct stream_head next;
	uint32_t next_got;
	/* bytes of the record sent or received: head, payload, tag */
	uint64_t pos;
	bool record;	 /* out: a record is in progress */
	uint64_t raw;	 /* out: bytes of all records passed to the kernel */
	uint8_t *sealed; /* out: encrypted payload of the record, or NULL */
};

static inline uint32_t stream_tag_bytes(const struct stream_conn *c)
{
	return c->seal ? STREAM_TAG : 0;
}

/* Iovecs for a system call, or for the computation of a tag. */
struct stream_iov {
	struct iovec v[2 * WEFT_STREAM_IOV + 4];
	int count;
};

/* Appends [data + skip, data + bytes); skip may exceed bytes. */
void stream_iov_add(struct stream_iov *l, const void *data, uint64_t bytes,
		    uint64_t skip);
/* Appends bytes [from, to) of the transfer x. */
void stream_iov_xfer(struct stream_iov *l, const struct weft_stream_xfer *x,
		     uint64_t from, uint64_t to);

/* stream.c */
/*
 * Marks the connection as broken; the next poll closes it and ends its
 * transfers.
 */
void stream_break(struct stream *st, struct stream_conn *c);
/* Removes x from its connection. */
void stream_xfer_end(struct weft_stream_xfer *x);

/* stream_conn.c */
int stream_listen(struct stream *st);
void stream_accept(struct stream *st);
struct stream_conn *stream_conn_new(struct stream *st, int fd, bool incoming);
/* Closes the descriptor and frees the record, which must have no transfers. */
void stream_conn_free(struct stream *st, struct stream_conn *c);
/* Enables or disables EPOLLOUT events of c. */
void stream_conn_want(struct stream *st, struct stream_conn *c, bool writable);
/* Registers an authenticated connection with its peer. */
void stream_conn_ready(struct stream *st, struct stream_conn *c);

/* stream_auth.c */
/* Starts the handshake of a new outgoing connection. */
int stream_auth_hello(struct stream *st, struct stream_conn *c);
/* Continues the handshake; returns 1: authenticated, 0: not yet, or -errno. */
int stream_auth_run(struct stream *st, struct stream_conn *c);

/* stream_seal.c */
struct stream_seal *stream_seal_new(const uint8_t key[16], bool encrypt,
				    bool sends);
void stream_seal_free(struct stream_seal *s);
/*
 * Computes the tag of record number `count`. With encryption
 * the encrypted payload is stored at `to`. Returns false if OpenSSL fails.
 */
bool stream_seal_sign(struct stream_seal *s, uint64_t count,
		      const struct stream_head *head,
		      const struct stream_iov *payload, uint8_t *to,
		      uint8_t tag[STREAM_TAG]);
/* Returns whether the tag is valid; decrypts the payload in place. */
bool stream_seal_verify(struct stream_seal *s, uint64_t count,
			const struct stream_head *head,
			const struct stream_iov *payload,
			const uint8_t tag[STREAM_TAG]);

/* stream_tx.c, stream_rx.c: return the number of records, or -errno */
int stream_tx_run(struct stream *st, struct stream_conn *c);
int stream_rx_run(struct stream *st, struct stream_conn *c);

#endif
