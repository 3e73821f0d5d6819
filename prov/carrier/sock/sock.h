/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal declarations of the sock carrier: packets between processes of any
 * hosts, by datagrams.
 *
 *   sock_ops.c   open, close, the table of operations
 *   sock_name.c  the own address; route and MTU to another address
 *   sock_peer.c  peer records: first contact, incarnations, loss
 *   sock_tx.c    packets into datagrams; windows; retransmission
 *   sock_rx.c    datagrams into packets, in order, without duplicates
 *   sock_poll.c  poll: one pass over the socket and every busy peer
 *   sock_io.c    system calls in batches, errors of the network
 *   sock_fault.c fault injection below the socket
 *   sock_wait.c  waiting and waking
 *   sock_progress_thread.c
 *                progress thread for a caller outside MPI;
 *                sock_lock.c its lock
 *   sock_pace.c  round-trip times and congestion window
 *   sock_win.c   reception window
 *   sock_dgram.c memory of datagrams: single ones and batches for GSO
 *   sock_keys.c  key agreement at first contact: X25519, HMAC, HKDF
 *   sock_seal.c  signatures and replay detection
 *
 * All functions except wait and wake run between sock_enter and sock_leave, or
 * in the progress thread, under one lock. Wait and wake share with them only
 * the atomics of struct sock_waiter.
 */
#ifndef WEFT_CARRIER_SOCK_H
#define WEFT_CARRIER_SOCK_H

#include "prov/carrier/carrier.h"
#include "prov/carrier/carrier_faults.h"
#include "prov/carrier/sock/sock_layout.h"
#include "prov/carrier/sock/sock_pace.h"
#include "prov/carrier/sock/sock_win.h"
#include "prov/code/code_crc.h"
#include "src/base/hash.h"
#include "src/base/list.h"

#include <pthread.h>

#define SOCK_MTU	   8192u  /* largest payload of a packet */
#define SOCK_DGRAM_MAX	   65000u /* bytes of the largest datagram */
#define SOCK_DGRAM_MIN	   544u	  /* bytes of the smallest one: an MTU of 576 */
#define SOCK_GSO_BYTES	   65000u /* bytes of a GSO batch */
#define SOCK_BATCH	   64u	  /* datagrams of one sendmmsg */
#define SOCK_READ_BATCH	   8u	  /* datagrams of one recvmmsg */
#define SOCK_READ_BYTES	   65536u /* bytes of a read buffer (UDP_GRO) */
#define SOCK_REPLAY_WINDOW 4096u  /* counts remembered to detect replays */
#define SOCK_SILENCE_NS	   UINT64_C(300000000000)
/*
 * With a key: time without an answer to a probe after which a peer whose host
 * has refused datagrams is lost.
 */
#define SOCK_REFUSED_NS	   UINT64_C(2000000000)

struct sock_gso_batch;

#define SOCK_FREE_LISTS 2 /* number of free lists, by size of datagram */

/* A datagram in memory: one in flight, or one received ahead of its order. */
struct sock_dgram {
	struct sock_dgram *next;      /* in a free list */
	struct sock_gso_batch *batch; /* holds data; NULL: data follow this */
	uint8_t *data;
	uint32_t bytes;	  /* with the head */
	uint32_t room;	  /* bytes allocated at data */
	uint32_t at;	  /* received datagram: offset of the next record */
	uint8_t freelist; /* its free list, or SOCK_FREE_LISTS */
	bool loose;	  /* all its packets may be delivered out of order */
};

/* Full datagrams to one peer in contiguous memory, for GSO: sock_dgram.c. */
struct sock_gso_batch {
	struct sock_gso_batch *next; /* in the free list */
	struct sock_peer *peer;	     /* takes datagrams from it; or NULL */
	uint32_t room;		     /* bytes of each datagram, without a tag */
	uint32_t length;	     /* capacity in datagrams */
	uint32_t taken;
	uint32_t live; /* datagrams taken and not freed */
	struct sock_dgram dgram[SOCK_BATCH];
	_Alignas(64) uint8_t data[SOCK_GSO_BYTES];
};

/* One number in flight. */
struct sock_flight {
	struct sock_dgram *dgram; /* NULL: acknowledged */
	uint64_t order;		  /* among all transmissions to this peer */
	bool lost;		  /* considered lost, to be retransmitted */
};

enum sock_state {
	SOCK_NEW,	 /* nothing sent yet */
	SOCK_HELLO_SENT, /* HELLO sent */
	SOCK_ABSENT,	 /* no process has that port; to be retried later */
	SOCK_OPEN,	 /* the peer answered, or its host did not refuse */
};

struct sock_seal;

struct sock_peer {
	struct weft_peer base;
	struct weft_list busy; /* in sock.busy while the peer needs service */
	enum sock_state state;
	bool local;   /* on this host */
	bool self;    /* this endpoint itself: packets are passed in memory */
	bool refused; /* no process has the peer's port any more */
	uint64_t far; /* the peer's incarnation; 0: not known */
	uint64_t before; /* incarnations up to this one have ended */
	uint64_t ask_ns; /* ASKED: time of HELLO; ABSENT: of the next one */
	uint64_t hello_backoff_ns;
	uint64_t hello_since_ns; /* time of the first unanswered HELLO; 0: none
				  */
	uint64_t heard_ns;
	uint64_t
		probed_since_ns; /* first unanswered probe, if after heard_ns */
	/* with a key: unverified ICMP report that the port has no owner */
	uint64_t refusal_ns; /* time of the first report; 0: none */
	uint64_t probe_ns;   /* when the next probe is due */
	uint32_t refusals;   /* reports since refusal_ns */
	uint64_t count;	     /* datagrams sent to the peer: the last nonce */
	/* sender's state */
	struct {
		uint32_t next;	/* the number of the next datagram */
		uint32_t acked; /* every earlier number is acknowledged */
	} tx;
	struct sock_flight *flight; /* flight_room of them, a power of two */
	uint32_t flight_room;
	uint64_t order;		/* of the last transmission */
	uint64_t highest_acked; /* order of the latest acknowledged transmission
				 */
	uint64_t last_send_ns;	/* time of the last send */
	struct sock_dgram *open;      /* being filled, without a number yet */
	struct sock_gso_batch *batch; /* batch of the next full one, or NULL */
	uint32_t gram_max;
	uint32_t losses; /* numbers considered lost and not retransmitted yet */
	uint64_t inflight_bytes; /* bytes in flight */
	uint32_t timeouts;	 /* since the last acknowledgement */
	uint64_t rto_at;	 /* retransmission timeout; 0: none in flight */
	uint64_t wait_ns; /* time since when something has been in flight */
	uint32_t room;	  /* bytes in flight that the peer accepts */
	struct sock_pace pace;
	/* receiver's state */
	struct sock_win rx;
	struct sock_dgram **here; /* reorder buffer, SOCK_WINDOW entries */
	bool sends;		  /* the peer has sent data */
	uint8_t *whole;		  /* reassembly buffer of a packet in parts */
	uint32_t whole_bytes;
	uint64_t held;	  /* bytes in the reorder buffer */
	uint32_t stamp;	  /* of the last datagram received */
	uint32_t unacked; /* datagrams since the last acknowledgement */
	uint64_t unacked_bytes;
	uint64_t unacked_ns; /* arrival time of the first of them */
	bool ack_soon;	     /* the peer's window is half full */
	bool ack_now;
	bool small_room_sent; /* the last advertised room was small */
	bool blocked;	      /* the caller refused the peer's next packet */
	int broken;	  /* errno with which the peer will be lost; 0: none */
	bool bye;	  /* the peer has closed */
	uint32_t bye_seq; /* its last number plus one */
	bool bye_seen;	  /* our BYE was acknowledged */
	/* with a key: the session of this pair of incarnations */
	struct sock_seal *seal;	    /* verifies tags of the peer's datagrams */
	struct sock_seal *own_seal; /* creates tags of datagrams to the peer */
	bool proved; /* the peer has signed with the session's key */
	uint8_t public[SOCK_PUBLIC_BYTES]; /* the peer's public key */
	uint64_t public_count; /* count of the latest SOCK_PUBLIC datagram */
	uint64_t seen;	       /* the peer's latest count */
	uint64_t replay_bits[SOCK_REPLAY_WINDOW /
			     64]; /* earlier counts that arrived */
};

/* State shared between a waiting thread and the other threads. */
struct sock_waiter {
	weft_au64 due_ns;   /* time when poll is needed; UINT64_MAX: never */
	weft_au64 until_ns; /* end of the wait; 0: no thread is blocked */
	weft_au32 woken;
	weft_au32 full; /* a send was refused and should be retried */
	weft_au32 armed;
	weft_au64 watching;
	weft_au64 sleeps;
	uint64_t spin_ns;
	uint32_t room_waits; /* consecutive waits for room */
	int event;	     /* eventfd that wakes the waiting thread */
	int epoll;	     /* -1: not created */
	int timer;
};

struct sock_progress_thread {
	pthread_mutex_t lock; /* of struct sock except bed and this */
	pthread_t thread;
	bool runs;
	int event;	   /* eventfd that wakes the progress thread */
	weft_au32 over;	   /* the thread has to exit */
	weft_au32 idle;	   /* blocked until it is notified */
	weft_au32 turns;   /* poll passes of the caller */
	weft_au32 traffic; /* datagrams read and sent */
};

struct sock_out;
struct sock_in;
struct evp_pkey_st;

struct sock {
	struct weft_carrier base;
	struct sockaddr_in name;
	uint64_t gen;		  /* the own incarnation */
	uint32_t tag;		  /* bytes of a tag; 0: no key */
	uint8_t key[32];	  /* derived from attr.key */
	struct evp_pkey_st *pair; /* X25519 key pair of this incarnation */
	uint8_t public[SOCK_PUBLIC_BYTES]; /* public half of the key pair */
	uint64_t stray_answer_ns; /* time of the last answer to a stray datagram
				   */
	bool hides;		  /* payloads are encrypted */
	struct weft_code_crc crc;
	const struct weft_carrier_up *up;
	void *up_arg;
	int fd;
	uint32_t window;
	uint64_t silence_ns;
	uint64_t opened_ns;
	uint64_t now;	    /* time of the current call */
	uint64_t tick_ns;   /* time of the next probes of quiet peers */
	bool peers_changed; /* a peer needs service since the last pass */
	uint32_t poked;	    /* index of the next peer to probe */
	uint32_t depth;	    /* nesting depth of the caller's calls */
	bool polling;
	bool starved; /* a refused send waits for an ack */
	bool corked;  /* datagrams wait for the next pass to be sent */
	bool away;    /* this is the progress thread: nothing is delivered */
	bool dead;    /* failed, by the fault plan */
	bool gso;     /* the kernel segments what this endpoint sends (GSO) */
	uint32_t rcv_bytes; /* of the receive buffer, shared by senders */
	struct sock_peer **peer;
	uint32_t peer_count;
	uint32_t peer_room;
	uint32_t senders; /* peers that have sent data */
	struct weft_hash by_name;
	struct sock_peer *named; /* last found in by_name, or NULL */
	struct weft_list busy;
	struct sock_out *out;
	struct sock_in *in;
	struct sock_dgram *spare[SOCK_FREE_LISTS];
	uint32_t spares[SOCK_FREE_LISTS];
	struct sock_gso_batch *free_batch_list;
	uint32_t free_batch_count;
	struct carrier_faults faults;
	struct weft_list late; /* datagrams delayed by the fault plan */
	struct weft_carrier_stats stats;
	struct sock_waiter waiter;
	struct sock_progress_thread progress;
};

static inline struct sock *sock_of(struct weft_carrier *c)
{
	return (struct sock *)c;
}

static inline struct sock_peer *sock_peer_of(struct weft_peer *p)
{
	return (struct sock_peer *)p;
}

static inline struct sock_flight *sock_flight(struct sock_peer *p, uint32_t seq)
{
	return &p->flight[seq & (p->flight_room - 1)];
}

static inline struct sock_dgram **sock_reorder_slot(struct sock_peer *p,
						    uint32_t seq)
{
	return &p->here[seq % SOCK_WINDOW];
}

/*
 * CRC of a datagram: of everything behind the CRC's own word. With a tag: of
 * the head and the tag, which covers everything.
 */
static inline uint32_t sock_crc(const struct sock *s, const void *data,
				uint32_t bytes)
{
	const uint8_t *d = data;
	uint32_t head = s->tag ? sizeof(struct sock_head) : bytes;
	uint32_t crc = weft_code_crc(&s->crc, 0, d + 4, head - 4);

	return s->tag ? weft_code_crc(&s->crc, crc, d + bytes, s->tag) : crc;
}

static inline struct sock_head *sock_dgram_head(struct sock_dgram *g)
{
	return (struct sock_head *)(void *)g->data;
}

/* sock_name.c */
int sock_name_open(struct sock *s, const struct sockaddr_in *want);
uint64_t sock_name_key(const struct sockaddr_in *n);
/*
 * Sets the largest datagram of the route and whether it is local; returns 0,
 * -EHOSTUNREACH (no route), or another -errno.
 */
int sock_name_route(const struct sock *s, const struct sockaddr_in *to,
		    uint32_t *gram_max_p, bool *local_p);

/* sock_peer.c */
int sock_peer_get(struct sock *s, const struct sockaddr_in *name,
		  struct sock_peer **p_p);
/* Returns the latest peer record of that name, or NULL. */
struct sock_peer *sock_peer_find(struct sock *s,
				 const struct sockaddr_in *name);
/*
 * Returns the sender of h from that name; NULL: drop the datagram. With a key,
 * only for datagrams that carry the sender's public key.
 */
struct sock_peer *sock_peer_of_head(struct sock *s,
				    const struct sockaddr_in *name,
				    const struct sock_head *h,
				    const uint8_t *public);
/* Returns 0: p can be sent to; -EAGAIN: p does not exist yet; -ECONNRESET. */
int sock_peer_contact(struct sock *s, struct sock_peer *p);
void sock_peer_refused(struct sock *s, struct sock_peer *p);
/*
 * With a key: probes a peer whose host has refused a datagram, and marks it
 * refused if it does not answer.
 */
void sock_peer_probe(struct sock *s, struct sock_peer *p);
void sock_peer_fail(struct sock *s, struct sock_peer *p, int err);
/* Sets the largest datagram to p, without a tag, in bytes. */
void sock_peer_gram_max_set(struct sock_peer *p, uint32_t gram_max);
/* Datagrams sent to all peers. */
uint64_t sock_peer_sent(const struct sock *s);
/*
 * Allocate memory of the windows when needed, for count numbers in flight or
 * for the reorder buffer. Return false if out of memory.
 */
bool sock_peer_flight_reserve(struct sock_peer *p, uint32_t count);
bool sock_peer_reorder_reserve(struct sock_peer *p);
void sock_peer_free(struct sock *s, struct sock_peer *p);
void sock_peer_busy(struct sock *s, struct sock_peer *p);

/* sock_tx.c */
int sock_tx_send(struct sock *s, struct sock_peer *p,
		 const struct weft_pkt *pkt, const struct iovec *iov);
/*
 * Handles an acknowledgement; more: further bitmap words behind its head,
 * words their number.
 */
void sock_tx_acked(struct sock *s, struct sock_peer *p,
		   const struct sock_head *h, const uint8_t *more,
		   uint32_t words);
/* Sends the open datagram if the windows allow it. */
void sock_tx_send_open(struct sock *s, struct sock_peer *p);
/*
 * Handles the retransmission timeout; sends lost datagrams, then the open one,
 * as the windows allow.
 */
void sock_tx_progress(struct sock *s, struct sock_peer *p);
void sock_tx_control(struct sock *s, struct sock_peer *p, enum sock_kind kind);
/* Sends a HELLO or ACK of first contact, with our public key. */
void sock_tx_control_public(struct sock *s, struct sock_peer *p,
			    enum sock_kind kind);
/* The kernel had no room for number seq: marks it to be retransmitted. */
void sock_tx_mark_unsent(struct sock_peer *p, uint32_t seq);
/* Retransmits everything unacknowledged, without regard to the windows. */
void sock_tx_retransmit_all(struct sock *s, struct sock_peer *p);
bool sock_tx_pending(const struct sock_peer *p);
/* Whether p is requested to acknowledge soon. */
bool sock_tx_ack_soon(const struct sock *s, const struct sock_peer *p);
/* Reports that p does not answer and marks it to be lost. */
void sock_tx_fail_silent(const struct sock *s, struct sock_peer *p);

/* sock_rx.c */
/*
 * Handles one datagram of bytes, which are at least a head and a tag. Returns
 * the number of packets delivered, or -EBADMSG: not a datagram of this
 * protocol, or changed on the network.
 */
int sock_rx_datagram(struct sock *s, const struct sockaddr_in *from,
		     uint8_t *data, uint32_t bytes, int budget);
/* Delivers datagrams of the reorder buffer that are next in order. */
int sock_rx_deliver_kept(struct sock *s, struct sock_peer *p, int budget);
/* Bytes in flight that the peer is allowed. */
uint32_t sock_rx_room(const struct sock *s, const struct sock_peer *p);

/* sock_poll.c */
int sock_poll(struct weft_carrier *c, int budget);
/* Sends the datagrams that wait for the next pass. */
void sock_poll_pass_uncork(struct sock *s);
/*
 * Poll pass of the progress thread. Returns the time of the next
 * retransmission.
 */
uint64_t sock_poll_pass_away(struct sock *s);
/*
 * At close: returns when everything is acknowledged and every peer has answered
 * the BYE, or after the timeout.
 */
void sock_poll_pass_finish(struct sock *s);

/* sock_io.c */
int sock_io_open(struct sock *s);
void sock_io_close(struct sock *s);
/*
 * Fills in the time-dependent fields of the head and adds the datagram to the
 * batch.
 */
void sock_io_add(struct sock *s, struct sock_peer *p, void *data,
		 uint32_t bytes);
void sock_io_flush(struct sock *s);
/* Whether the batch holds datagrams. */
bool sock_io_batched(const struct sock *s);
/* Reads the ICMP errors of the socket and marks the refused peers. */
void sock_io_errors(struct sock *s);
/* Sends one datagram immediately; returns 0 or -errno. */
int sock_io_send_one(struct sock *s, const struct sockaddr_in *to,
		     const void *data, uint32_t bytes);
enum sock_read_more {
	SOCK_READ_EMPTY, /* the socket is empty */
	SOCK_READ_MAYBE, /* perhaps more, for the next pass */
	SOCK_READ_AGAIN, /* more: read again now */
};

/* Reads one datagram, or a batch; returns the packets delivered. */
int sock_io_read(struct sock *s, int budget, enum sock_read_more *left_p);

/* sock_dgram.c */
struct sock_dgram *sock_dgram_new(struct sock *s, uint32_t room);
/*
 * Returns a datagram of full size for p, in p's batch if possible; NULL: no
 * memory.
 */
struct sock_dgram *sock_dgram_full(struct sock *s, struct sock_peer *p);
void sock_dgram_free(struct sock *s, struct sock_dgram *g);
void sock_dgram_fini(struct sock *s);

/* sock_fault.c */
void sock_fault_send(struct sock *s, const struct sockaddr_in *to,
		     const void *data, uint32_t bytes);
/* Sends delayed datagrams that are due, or all of them. */
void sock_fault_run(struct sock *s, bool all);
void sock_fault_fini(struct sock *s);
/* Time of the next delayed datagram, or UINT64_MAX. */
uint64_t sock_fault_due(const struct sock *s);

/* sock_keys.c */
int sock_keys_open(struct sock *s, const struct weft_carrier_attr *attr);
void sock_keys_close(struct sock *s);
/* Writes the tag behind a SOCK_PUBLIC datagram to that address. */
void sock_keys_sign(const struct sock *s, const struct sockaddr_in *to,
		    uint8_t *data, uint32_t bytes);
/* Whether the sender of a SOCK_PUBLIC datagram has the job's key. */
bool sock_keys_verify(const struct sock *s, const struct sockaddr_in *from,
		      const uint8_t *data, uint32_t bytes);
/*
 * Derives the session's keys for p, whose incarnation is far; false: the public
 * key is invalid, or out of memory.
 */
bool sock_keys_agree(struct sock *s, struct sock_peer *p, uint64_t far,
		     const uint8_t public[SOCK_PUBLIC_BYTES]);
/*
 * Reports our incarnation and public key to the sender of a datagram for an
 * earlier owner of our address, at most once a millisecond.
 */
void sock_keys_answer_stray(struct sock *s, const struct sockaddr_in *to,
			    uint64_t far);

/* sock_seal.c */
/*
 * Returns a context for tags with this key; NULL: no memory. sends: for
 * datagrams that this endpoint sends.
 */
struct sock_seal *sock_seal_new(const struct sock *s, const uint8_t key[16],
				bool sends);
void sock_seal_close(struct sock_seal *seal);
/* Writes the tag behind data, and encrypts data in place if s hides. */
void sock_seal_sign(const struct sock *s, struct sock_seal *seal, uint8_t *data,
		    uint32_t bytes);
/* Whether the tag is valid; if so, encrypted data are decrypted in place. */
bool sock_seal_verify(const struct sock *s, struct sock_seal *seal,
		      uint8_t *data, uint32_t bytes);
/* Whether count arrives from p for the first time; records it. */
bool sock_seal_count_is_new(struct sock_peer *p, uint64_t count);

/* sock_wait.c */
int sock_wait_init(struct sock *s, const struct weft_carrier_attr *attr);
void sock_wait_fini(struct sock *s);
/*
 * Set the time when poll is needed, or make it earlier; wake the waiting thread
 * if it would wake later.
 */
void sock_wait_due(struct sock *s, uint64_t at_ns);
void sock_wait_due_earlier(struct sock *s, uint64_t at_ns);
int sock_wait(struct weft_carrier *c, uint64_t timeout_ns);
void sock_wake(struct weft_carrier *c);
int sock_wait_fd(struct weft_carrier *c);
int sock_arm(struct weft_carrier *c);

/* sock_progress_thread.c */
int sock_progress_thread_open(struct sock *s);
void sock_progress_thread_close(struct sock *s);

/* sock_lock.c */
void sock_progress_thread_ring(struct sock *s);
/*
 * Wakes the idle progress thread; called when a datagram is sent and none was
 * in flight.
 */
void sock_progress_thread_call(struct sock *s);
/* Increments a counter that progress_watch() compares; under the lock. */
static inline void sock_progress_thread_count(weft_au32 *n)
{
	/* relaxed: one writer, and a reader that only compares */
	weft_store32_relaxed(n, weft_load32_relaxed(n) + 1);
}

/*
 * Take and release the lock around a call of the caller. Nested calls from
 * callbacks are allowed.
 */
void sock_enter(struct sock *s);
void sock_leave(struct sock *s);

#endif
