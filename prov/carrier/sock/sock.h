/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal declarations of the sock carrier: packets between processes on any
 * hosts, by datagrams.
 *
 *   sock_ops.c     open, close, the table of operations
 *   sock_name.c    this endpoint's address; route and MTU to another address
 *   sock_peer.c    peer records: first contact, incarnations, loss
 *   sock_tx.c      packets into datagrams; windows; retransmission
 *   sock_rx.c      datagrams into packets, in order, without duplicates
 *   sock_poll.c    poll: one pass over the socket and every busy peer
 *   sock_io.c      system calls in batches, errors of the network
 *   sock_fault.c   fault injection between carrier and socket
 *   sock_wait.c    waiting and waking
 *   sock_progress_thread.c
 *                  progress thread for a caller outside MPI;
 *                  sock_lock.c its lock
 *   sock_pace.c    round-trip times and congestion window
 *   sock_dgram.c   memory of datagrams: single ones and batches for GSO
 *   sock_keys.c    key agreement at first contact: X25519, HMAC, HKDF
 *   sock_seal.c    signatures and replay detection
 *   sock_plain.c   instead of both: a build without OpenSSL
 *   sock_stream.c  streams for long transfers (prov/carrier/stream)
 *
 * All functions except wait and wake run between sock_enter and sock_leave, or
 * in the progress thread, protected by one lock. wait and wake access only the
 * atomics of struct sock_waiter.
 */
#ifndef WEFT_CARRIER_SOCK_H
#define WEFT_CARRIER_SOCK_H

#include "prov/arq/arq.h"
#include "prov/carrier/carrier.h"
#include "prov/carrier/carrier_faults.h"
#include "prov/carrier/sock/sock_layout.h"
#include "prov/carrier/sock/sock_pace.h"
#include "prov/carrier/stream/stream.h"
#include "prov/code/code_crc.h"
#include "src/base/hash.h"
#include "src/base/list.h"
#include "src/os/waiter.h"

#include <pthread.h>

#define SOCK_MTU	   8192u  /* largest payload of a packet */
#define SOCK_DGRAM_MAX	   65000u /* bytes of the largest datagram */
/* bytes of the smallest datagram, for an MTU of 576 */
#define SOCK_DGRAM_MIN	   544u
#define SOCK_GSO_BYTES	   65000u /* bytes of a GSO batch */
#define SOCK_BATCH	   64u	  /* datagrams per sendmmsg() */
#define SOCK_READ_BATCH	   8u	  /* datagrams per recvmmsg() */
#define SOCK_READ_BYTES	   65536u /* bytes of a read buffer (UDP_GRO) */
#define SOCK_WINDOW	   WEFT_ARQ_WINDOW /* datagrams in flight */
#define SOCK_REPLAY_WINDOW 4096u /* datagram counts kept to detect replays */
#define SOCK_SILENCE_NS	   UINT64_C(300000000000)
/*
 * With a key: time for which a peer whose host has refused a datagram may leave
 * probes unanswered before it is lost.
 */
#define SOCK_REFUSED_NS	   UINT64_C(2000000000)

struct sock_gso_batch;

#define SOCK_FREE_LISTS 2 /* number of free lists, by size of datagram */

/* A datagram in memory: in flight, or received out of order. */
struct sock_dgram {
	struct sock_dgram *next; /* link of a free list */
	/* batch that contains data; NULL: data follow this struct */
	struct sock_gso_batch *batch;
	uint8_t *data;
	uint32_t bytes;	  /* length with the header, bytes */
	uint32_t room;	  /* bytes allocated at data */
	uint32_t offset;  /* received datagram: offset of the next record */
	uint8_t freelist; /* index of its free list, or SOCK_FREE_LISTS */
	/* all packets may be delivered out of order (WEFT_PKT_SPLIT_OK) */
	bool unordered;
};

/* Full datagrams to one peer in contiguous memory, for GSO: sock_dgram.c. */
struct sock_gso_batch {
	struct sock_gso_batch *next; /* link of the free list */
	/* peer whose datagrams are allocated from the batch, or NULL */
	struct sock_peer *peer;
	uint32_t room;	 /* bytes of each datagram without its tag */
	uint32_t length; /* capacity in datagrams */
	uint32_t used;
	/* datagrams allocated from the batch and not freed yet */
	uint32_t live;
	struct sock_dgram dgram[SOCK_BATCH];
	_Alignas(64) uint8_t data[SOCK_GSO_BYTES];
};

/* Datagram in flight, by its sequence number. */
struct sock_flight {
	struct sock_dgram *dgram; /* datagram in flight; NULL: acknowledged */
	/* position among all transmissions to this peer */
	uint64_t order;
	bool lost; /* considered lost: to be retransmitted */
};

enum sock_state {
	SOCK_NEW,
	SOCK_HELLO_SENT, /* HELLO sent */
	SOCK_ABSENT,	 /* no process has the port; retried later */
	SOCK_OPEN, /* the peer answered, or its host sent no refusal in time */
};

struct sock_seal;

struct sock_peer {
	struct weft_peer base;
	union weft_name name; /* the peer's name, without a hint */
	/* node in sock.busy while the peer needs service */
	struct weft_list busy;
	enum sock_state state;
	bool local;
	bool self;    /* this endpoint itself: packets are passed in memory */
	bool refused; /* no process has the peer's port any more */
	uint64_t remote_gen; /* the peer's incarnation; 0: not known */
	uint64_t ended_gen;  /* latest incarnation that has ended */
	/* HELLO_SENT: time of the HELLO; ABSENT: time of the next HELLO */
	uint64_t hello_ns;
	uint64_t hello_backoff_ns;
	/* time of the first unanswered HELLO, ns; 0: none */
	uint64_t hello_since_ns;
	/*
	 * time at which the peer became ABSENT, ns; 0: never ABSENT, or OPEN
	 * since
	 */
	uint64_t absent_since_ns;
	uint64_t last_received_ns;
	/* time of the first unanswered probe since last_received_ns, ns */
	uint64_t probed_since_ns;
	/* With a key: unverified ICMP reports that no process has the port. */
	uint64_t refusal_ns; /* time of the first report, ns; 0: none */
	uint64_t probe_ns;   /* time of the next probe, ns */
	uint32_t refusals;   /* number of reports since refusal_ns */
	/* number of datagrams sent to the peer; also the last nonce used */
	uint64_t count;
	/* Sender's state. */
	struct weft_arq_tx tx;
	/* datagrams in flight; flight_room entries, a power of two */
	struct sock_flight *flight;
	uint32_t flight_room;
	uint64_t order; /* number of transmissions so far */
	/* order of the latest acknowledged transmission */
	uint64_t highest_acked;
	uint64_t last_send_ns;
	/* datagram being filled, without a sequence number yet */
	struct sock_dgram *open;
	/* batch of the next full datagram, or NULL */
	struct sock_gso_batch *batch;
	uint32_t dgram_max;
	/* sequence numbers considered lost and not retransmitted yet */
	uint32_t losses;
	uint64_t inflight_bytes;
	/* consecutive timeouts since the last acknowledgement */
	uint32_t timeouts;
	/* time of the retransmission timeout, ns; 0: nothing in flight */
	uint64_t rto_deadline_ns;
	uint64_t wait_ns; /* time since which data have been in flight, ns */
	uint32_t room;	  /* receive window of the peer, bytes */
	struct sock_pace pace;
	/* Receiver's state. */
	struct weft_arq_win rx;
	struct sock_dgram **reorder; /* reorder buffer, SOCK_WINDOW entries */
	bool sends;
	/* reassembly buffer of a packet that arrives in parts */
	uint8_t *reassembly;
	uint32_t reassembly_bytes;
	uint64_t held;	/* bytes in the reorder buffer */
	uint32_t stamp; /* stamp of the last datagram received */
	/* datagrams received since the last acknowledgement */
	uint32_t unacked;
	uint64_t unacked_bytes;
	/* arrival time of the first unacknowledged datagram, ns */
	uint64_t unacked_ns;
	/* the peer requests a fast acknowledgement (SOCK_ACK_SOON) */
	bool ack_soon;
	bool ack_now;
	bool small_room_sent; /* the last advertised receive window was small */
	bool blocked;	      /* the caller refused the peer's next packet */
	int broken;	  /* errno with which the peer will be lost; 0: none */
	bool bye;	  /* the peer has closed */
	uint32_t bye_seq; /* the peer's last sequence number plus one */
	bool bye_seen;	  /* the peer acknowledged this endpoint's BYE */
	/* With a key: the session of this pair of incarnations. */
	struct sock_seal *seal;	    /* verifies tags of the peer's datagrams */
	struct sock_seal *own_seal; /* creates tags of datagrams to the peer */
	bool proved; /* the peer has signed a datagram with the session key */
	uint8_t public[SOCK_PUBLIC_BYTES];
	uint64_t public_count; /* count of the latest SOCK_PUBLIC datagram */
	uint64_t seen;	       /* latest count received from the peer */
	uint64_t replay_bits[SOCK_REPLAY_WINDOW /
			     64]; /* earlier counts received, one bit each */
	struct stream_peer stream;
};

/* State shared by a waiting thread and the other threads. */
struct sock_waiter {
	struct weft_waiter base;
	/* time when poll is needed, ns; UINT64_MAX: never */
	weft_au64 due_ns;
	weft_au64 until_ns; /* end of the wait, ns; 0: no thread is blocked */
	weft_au32 armed;
	weft_au64 watching;
	int event; /* eventfd that wakes the waiting thread */
	int epoll; /* epoll descriptor of wait_fd; -1: not created */
	int timer;
};

struct sock_progress_thread {
	/* protects struct sock except waiter and progress */
	pthread_mutex_t lock;
	pthread_t thread;
	bool runs;
	int event; /* eventfd that wakes the progress thread */
	weft_au32 stop;
	weft_au32 idle;		/* the thread is blocked without timeout */
	weft_au32 caller_polls; /* poll passes of the caller */
	weft_au32 traffic;	/* datagrams read and sent */
};

struct sock_out;
struct sock_in;
struct evp_pkey_st;

struct sock {
	struct weft_carrier base;
	union weft_name name;
	uint64_t gen;	 /* incarnation of this endpoint */
	uint32_t tag;	 /* bytes of an authentication tag; 0: no key */
	uint8_t key[32]; /* key derived from attr.key */
	struct evp_pkey_st *pair; /* X25519 key pair of this endpoint */
	uint8_t public[SOCK_PUBLIC_BYTES]; /* public half of the key pair */
	/*
	 * time of the last answer to a datagram for the name's previous owner,
	 * ns
	 */
	uint64_t stray_answer_ns;
	bool encrypts;
	struct weft_code_crc crc;
	const struct weft_carrier_up *up;
	void *up_arg;
	int fd;
	uint32_t window;
	uint64_t silence_ns;
	uint64_t opened_ns;
	uint64_t now;	    /* time of the current call, ns */
	uint64_t tick_ns;   /* time of the next round of probes, ns */
	bool peers_changed; /* a peer was added to `busy` since the last pass */
	uint32_t probe_next; /* index of the next peer to probe */
	uint32_t depth;	     /* nesting depth of the caller's calls */
	bool polling;
	/* a send was refused: the next acknowledgement notifies the caller */
	bool send_refused;
	bool deferred; /* datagrams are left for the next pass to send */
	/* set while the progress thread polls: no packet is delivered */
	bool in_progress_thread;
	bool dead;	    /* stopped by the fault plan */
	bool absent_logged; /* an absent loopback peer was reported */
	bool gso;	    /* the kernel supports GSO for this socket */
	/* size of the receive buffer, shared by all senders */
	uint32_t rcv_bytes;
	struct sock_peer **peer;
	uint32_t peer_count;
	uint32_t peer_room;
	uint32_t senders;
	struct weft_hash by_name;
	struct sock_peer *last_found; /* peer last found in by_name, or NULL */
	struct weft_list busy;
	struct sock_out *out;
	struct sock_in *in;
	struct sock_dgram *free_list[SOCK_FREE_LISTS];
	uint32_t free_count[SOCK_FREE_LISTS];
	struct sock_gso_batch *free_batch_list;
	uint32_t free_batch_count;
	struct carrier_faults faults;
	struct weft_list delayed; /* datagrams delayed by the fault plan */
	struct weft_carrier_stats stats;
	struct stream stream;
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
	return &p->reorder[seq % SOCK_WINDOW];
}

/*
 * Returns the CRC of a datagram: of all bytes after the CRC's own word. With a
 * tag: of the header and the tag, which covers all other bytes.
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
int sock_name_open(struct sock *s, const union weft_name *want);
/* Allows or forbids IP fragmentation of datagrams. Returns 0 or -errno. */
int sock_name_fragment(const struct sock *s, bool allowed);
/*
 * Sets the largest datagram of the route and whether the route is local.
 * Returns 0, -EHOSTUNREACH (no route), or another -errno.
 */
int sock_name_route(const struct sock *s, const union weft_name *to,
		    uint32_t *dgram_max_p, bool *local_p);
/*
 * Reports that the kernel has no route from this endpoint to another name. The
 * usual cause is an endpoint bound to a loopback address and a peer on another
 * host.
 */
void sock_name_log_unreachable(const struct sock *s, const union weft_name *to);

/* sock_peer.c */
int sock_peer_get(struct sock *s, const union weft_name *name,
		  struct sock_peer **p_p);
/* Returns the latest peer record with the address `name`, or NULL. */
struct sock_peer *sock_peer_find(struct sock *s, const union weft_name *name);
/*
 * Returns the peer that sent a datagram with header h from the address `name`;
 * NULL: drop the datagram. With a key, called only for datagrams that carry the
 * sender's public key.
 */
struct sock_peer *sock_peer_of_head(struct sock *s, const union weft_name *name,
				    const struct sock_head *h,
				    const uint8_t *public);
/*
 * Returns 0: packets can be sent to p; -EAGAIN: p does not exist yet;
 * -ECONNRESET.
 */
int sock_peer_contact(struct sock *s, struct sock_peer *p);
void sock_peer_refused(struct sock *s, struct sock_peer *p);
/*
 * With a key: probes a peer whose host has refused a datagram, and marks it
 * refused if it does not answer.
 */
void sock_peer_probe(struct sock *s, struct sock_peer *p);
void sock_peer_fail(struct sock *s, struct sock_peer *p, int err);
/*
 * Sets the length of the largest datagram that is sent to p, in bytes without
 * the tag.
 */
void sock_peer_dgram_max_set(struct sock_peer *p, uint32_t dgram_max);
uint64_t sock_peer_sent(const struct sock *s);
/*
 * Allocate the memory of the windows on demand: for count sequence numbers in
 * flight, or for the reorder buffer. Return false if there is no memory.
 */
bool sock_peer_flight_reserve(struct sock_peer *p, uint32_t count);
bool sock_peer_reorder_reserve(struct sock_peer *p);
void sock_peer_free(struct sock *s, struct sock_peer *p);
void sock_peer_busy(struct sock *s, struct sock_peer *p);

/* sock_tx.c */
int sock_tx_send(struct sock *s, struct sock_peer *p,
		 const struct weft_pkt *pkt, const struct iovec *iov);
/*
 * Handles an acknowledgement. `more`: bitmap words after the header; `words`:
 * their number.
 */
void sock_tx_acked(struct sock *s, struct sock_peer *p,
		   const struct sock_head *h, const uint8_t *more,
		   uint32_t words);
/* Sends the open datagram if the windows allow. */
void sock_tx_send_open(struct sock *s, struct sock_peer *p);
/*
 * Handles the retransmission timeout; then sends lost datagrams and the open
 * datagram, as the windows allow.
 */
void sock_tx_progress(struct sock *s, struct sock_peer *p);
void sock_tx_control(struct sock *s, struct sock_peer *p, enum sock_kind kind);
/* Sends a HELLO or ACK of first contact, with this endpoint's public key. */
void sock_tx_control_public(struct sock *s, struct sock_peer *p,
			    enum sock_kind kind);
/* The socket buffer was full: marks datagram seq for retransmission. */
void sock_tx_mark_unsent(struct sock_peer *p, uint32_t seq);
/* Retransmits all unacknowledged datagrams, regardless of the windows. */
void sock_tx_retransmit_all(struct sock *s, struct sock_peer *p);
bool sock_tx_pending(const struct sock_peer *p);
/* Returns whether p should be requested to acknowledge soon. */
bool sock_tx_ack_soon(const struct sock *s, const struct sock_peer *p);
/*
 * Logs that p does not answer, and marks p so that the next pass declares it
 * lost.
 */
void sock_tx_fail_silent(const struct sock *s, struct sock_peer *p);

/* sock_rx.c */
/*
 * Handles one datagram, which contains at least a header and a tag. Returns the
 * number of packets delivered, or -EBADMSG: not a datagram of this protocol, or
 * corrupted.
 */
int sock_rx_datagram(struct sock *s, const union weft_name *from, uint8_t *data,
		     uint32_t bytes, int budget);
/* Delivers datagrams from the reorder buffer that are next in order. */
int sock_rx_deliver_reordered(struct sock *s, struct sock_peer *p, int budget);
/* Returns the receive window granted to the peer, bytes. */
uint32_t sock_rx_room(const struct sock *s, const struct sock_peer *p);

/* sock_poll.c */
int sock_poll(struct weft_carrier *c, int budget);
/* Sends the datagrams that were left for the next pass. */
void sock_poll_pass_send_deferred(struct sock *s);
/*
 * Makes a poll pass of the progress thread; returns the time of the next
 * retransmission.
 */
uint64_t sock_poll_pass_in_thread(struct sock *s);
/*
 * At close: returns when everything is acknowledged and every peer has answered
 * the BYE, or after the time limit.
 */
void sock_poll_pass_finish(struct sock *s);

/* sock_io.c */
int sock_io_open(struct sock *s);
void sock_io_close(struct sock *s);
/*
 * Fills in the time-dependent fields of the header and adds the datagram to the
 * batch.
 */
void sock_io_add(struct sock *s, struct sock_peer *p, void *data,
		 uint32_t bytes);
void sock_io_flush(struct sock *s);
/* Returns whether the batch contains datagrams. */
bool sock_io_batched(const struct sock *s);
/* Reads the ICMP errors of the socket and marks the refused peers. */
void sock_io_errors(struct sock *s);
/* Sends one datagram immediately; returns 0 or -errno. */
int sock_io_send_one(struct sock *s, const union weft_name *to,
		     const void *data, uint32_t bytes);
enum sock_read_more {
	SOCK_READ_EMPTY, /* the socket is empty */
	SOCK_READ_MAYBE, /* possibly more: read in the next pass */
	SOCK_READ_AGAIN, /* more datagrams: read again now */
};

/* Reads one datagram or a batch; returns the number of packets delivered. */
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
void sock_fault_send(struct sock *s, const union weft_name *to,
		     const void *data, uint32_t bytes);
/* Sends the delayed datagrams: those that are due, or all. */
void sock_fault_run(struct sock *s, bool all);
void sock_fault_fini(struct sock *s);
/* Returns the time of the next delayed datagram, or UINT64_MAX. */
uint64_t sock_fault_due(const struct sock *s);

/* sock_keys.c */
int sock_keys_open(struct sock *s, const struct weft_carrier_attr *attr);
void sock_keys_close(struct sock *s);
/* Appends the tag to a SOCK_PUBLIC datagram for that address. */
void sock_keys_sign(const struct sock *s, const union weft_name *to,
		    uint8_t *data, uint32_t bytes);
/* Returns whether a SOCK_PUBLIC datagram is signed with the job's key. */
bool sock_keys_verify(const struct sock *s, const union weft_name *from,
		      const uint8_t *data, uint32_t bytes);
/*
 * Derives the session's keys for p with incarnation remote_gen. Returns false
 * if the public key is invalid or there is no memory.
 */
bool sock_keys_agree(struct sock *s, struct sock_peer *p, uint64_t remote_gen,
		     const uint8_t public[SOCK_PUBLIC_BYTES]);
/*
 * Answers a datagram for a previous owner of this address, with this endpoint's
 * incarnation and public key, at most once a millisecond.
 */
void sock_keys_answer_stray(struct sock *s, const union weft_name *to,
			    uint64_t remote_gen);

/* sock_seal.c */
/*
 * Returns a context that computes tags with this key; NULL: no memory. `sends`:
 * for datagrams that this endpoint sends.
 */
struct sock_seal *sock_seal_new(const struct sock *s, const uint8_t key[16],
				bool sends);
void sock_seal_close(struct sock_seal *seal);
/* Appends the tag to data, and encrypts data in place if s->encrypts. */
void sock_seal_sign(const struct sock *s, struct sock_seal *seal, uint8_t *data,
		    uint32_t bytes);
/* Returns whether the tag is valid; if so, decrypts encrypted data in place. */
bool sock_seal_verify(const struct sock *s, struct sock_seal *seal,
		      uint8_t *data, uint32_t bytes);
/* Returns whether p's datagram number `count` is new, and records it. */
bool sock_seal_count_is_new(struct sock_peer *p, uint64_t count);

/* sock_stream.c */
extern const struct weft_stream_ops sock_stream_ops;
int sock_stream_open(struct sock *s, const struct weft_carrier_attr *attr);

/* sock_wait.c */
int sock_wait_init(struct sock *s, const struct weft_carrier_attr *attr);
void sock_wait_fini(struct sock *s);
/*
 * Set the time when poll is needed (sock_wait_due_earlier: only if it is
 * earlier than the current one); wake the waiting thread if its wait would end
 * later.
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
void sock_progress_thread_notify(struct sock *s);
/*
 * Wakes the idle progress thread; called when a datagram is sent and none was
 * in flight.
 */
void sock_progress_thread_wake(struct sock *s);
/*
 * Increments a counter that progress_watch() compares with an earlier value;
 * the caller holds the lock.
 */
static inline void sock_progress_thread_count(weft_au32 *n)
{
	/* relaxed: one writer; readers compare values only */
	weft_store32_relaxed(n, weft_load32_relaxed(n) + 1);
}

/*
 * Take and release the lock around a call into the carrier; calls from
 * callbacks may be nested.
 */
void sock_enter(struct sock *s);
void sock_leave(struct sock *s);

#endif
