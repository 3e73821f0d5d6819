/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sock carrier inside: processes of any hosts, by datagrams.
 *
 *   sock_ops.c     open, close, the table
 *   sock_name.c    the own address; which way and how wide to another
 *   sock_peer.c    records: who is behind a name, who is lost
 *   sock_tx.c      packets into datagrams; windows; sending again
 *   sock_rx.c      datagrams into packets, in order, once
 *   sock_turn.c    poll: one look at the socket and at every busy peer
 *   sock_io.c      system calls in batches, errors of the network
 *   sock_fault.c   faults below the socket
 *   sock_wait.c    waiting and waking
 *   sock_deputy.c  a thread for when the caller is away; sock_lock.c the lock
 *   sock_pace.c    round trips and congestion
 *   sock_win.c     what has arrived
 *   sock_gram.c    memory of datagrams: single ones, and trains of full ones
 *   sock_keys.c    key agreement at first contact: X25519, HMAC, HKDF
 *   sock_seal.c    signatures, and what was seen before
 *
 * All but wait and wake run between sock_enter and sock_leave, or in the
 * deputy, under one lock; what they share with the others are the atomics of
 * struct sock_bed.
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

#define SOCK_MTU	8192u  /* largest payload of a packet */
#define SOCK_GRAM_MAX	65000u /* largest datagram */
#define SOCK_GRAM_MIN	544u   /* smallest: a path of 576 */
#define SOCK_JOIN_BYTES 65000u /* of datagrams that the kernel cuts */
#define SOCK_BATCH	64u    /* datagrams of one sendmmsg */
#define SOCK_READ_BATCH 8u     /* and of one recvmmsg */
#define SOCK_READ_BYTES 65536u /* the kernel may join what it received */
#define SOCK_SEEN	4096u  /* counts that are remembered */
#define SOCK_SILENCE_NS UINT64_C(300000000000)
/* With a key: a peer whose host has refused datagrams, and which answers no
 * probe for this long, is lost. */
#define SOCK_REFUSED_NS UINT64_C(2000000000)

struct sock_train;

#define SOCK_SHELVES 2 /* sizes of datagrams that are kept for the next */

/* A datagram that is kept: one on its way, or one that came too early. */
struct sock_gram {
	struct sock_gram *next;	  /* among spare ones */
	struct sock_train *train; /* data is in it; NULL: behind this */
	uint8_t *data;
	uint32_t bytes; /* with its head */
	uint32_t room;	/* of data */
	uint32_t at;	/* received: the next record */
	uint8_t shelf;	/* where it lies when it is spare, or SOCK_SHELVES */
	bool loose;	/* nothing in it waits for what was before */
};

/* Full ones to one peer whose bytes lie one behind another: sock_gram.c. */
struct sock_train {
	struct sock_train *next; /* among spare ones */
	struct sock_peer *peer;	 /* gets more of it; NULL: no more */
	uint32_t room;		 /* of each of them, without a tag */
	uint32_t length;	 /* of them there is place for */
	uint32_t taken;
	uint32_t live; /* of those taken: not freed */
	struct sock_gram gram[SOCK_BATCH];
	_Alignas(64) uint8_t data[SOCK_JOIN_BYTES];
};

/* One number that is on its way. */
struct sock_flight {
	struct sock_gram *gram; /* NULL: it has arrived */
	uint64_t order; /* among all that went to this peer, also again */
	bool lost;	/* taken for lost, to be sent again */
};

enum sock_state {
	SOCK_NEW,    /* nothing sent yet */
	SOCK_ASKED,  /* are you there? */
	SOCK_ABSENT, /* nobody has that port; ask again later */
	SOCK_OPEN,   /* it answered, or its port is silent, so taken */
};

struct sock_seal;

struct sock_peer {
	struct weft_peer base;
	struct weft_list busy; /* in sock.busy while there is work for it */
	enum sock_state state;
	bool local;	 /* on this host */
	bool self;	 /* this endpoint: its packets stay in memory */
	bool refused;	 /* nobody has its port any more */
	uint64_t far;	 /* its incarnation; 0: never heard of */
	uint64_t before; /* incarnations up to this one are past */
	uint64_t ask_ns; /* ASKED: since when; ABSENT: when to ask again */
	uint64_t ask_wait_ns;
	uint64_t mute_ns; /* since when it has been asked in vain; 0: never */
	uint64_t heard_ns;
	uint64_t asked_ns; /* since when it owes an answer, if after heard_ns */
	/* with a key: ICMP, which anybody can send, reports no such port */
	uint64_t doubt_ns; /* since when; 0: no such report */
	uint64_t probe_ns; /* when the next probe is due */
	uint32_t refusals; /* reports since then */
	uint64_t count;	   /* datagrams sent to it: the nonce of the next tag */
	/* sending */
	struct {
		uint32_t next;	/* the number of the next datagram */
		uint32_t acked; /* everything before has arrived */
	} tx;
	struct sock_flight *flight; /* a power of two of them, at the first */
	uint32_t flight_room;
	uint64_t order;		  /* of the last that went ... */
	uint64_t landed;	  /* ... and of the latest that arrived */
	uint64_t went_ns;	  /* when the last packet was sent */
	struct sock_gram *open;	  /* being filled, has no number yet */
	struct sock_train *train; /* where its next full one lies, or NULL */
	uint32_t gram_max;
	uint32_t losses;   /* flights that are lost and not sent again */
	uint64_t flying;   /* bytes on their way */
	uint32_t timeouts; /* since the last acknowledgement */
	uint64_t rto_at;   /* 0: nothing on its way */
	uint64_t wait_ns;  /* since when something is on its way */
	uint32_t room;	   /* what it lets us have on the way */
	struct sock_pace pace;
	/* receiving */
	struct sock_win rx;
	struct sock_gram **here; /* SOCK_WINDOW of them, at the first */
	bool sends;		 /* it has sent data */
	uint8_t *whole;		 /* a packet that comes in parts */
	uint32_t whole_bytes;
	uint64_t held;	  /* bytes in here */
	uint32_t stamp;	  /* of the last datagram */
	uint32_t unacked; /* datagrams since the last acknowledgement ... */
	uint64_t unacked_bytes;
	uint64_t unacked_ns; /* ... of which the first came then */
	bool ack_soon;	     /* its window is half full */
	bool ack_now;
	bool closed_room; /* it was told that there is little room */
	bool blocked;	  /* the caller refused its next packet */
	int broken;	  /* errno: it will be lost for this */
	bool bye;	  /* it has closed ... */
	uint32_t bye_seq; /* ... after so many datagrams */
	bool bye_seen;	  /* ours was answered */
	/* with a key: the session of this pair of incarnations */
	struct sock_seal *seal;	    /* tags of what the peer sends */
	struct sock_seal *own_seal; /* tags of what we send to the peer */
	bool proved; /* the peer has signed with the session's key */
	uint8_t public[SOCK_PUBLIC_BYTES]; /* the peer's */
	uint64_t public_seen; /* count of its latest SOCK_PUBLIC datagram */
	uint64_t seen;	      /* the latest count of it ... */
	uint64_t seen_bits[SOCK_SEEN / 64]; /* ... and of those before */
};

/* What waiting threads share with the others. */
struct sock_bed {
	weft_au64 due_ns;   /* when poll has something to do; UINT64_MAX */
	weft_au64 until_ns; /* a sleeper wakes up by then; 0: nobody sleeps */
	weft_au32 woken;
	weft_au32 full; /* a send was refused, and may not be now */
	weft_au32 armed;
	weft_au64 watching;
	weft_au64 sleeps;
	uint64_t spin_ns;
	uint32_t room_waits; /* of the thread that waits */
	int event;	     /* eventfd of wake */
	int epoll;	     /* -1: not asked for */
	int timer;
};

struct sock_deputy {
	pthread_mutex_t lock; /* of struct sock but for bed and this */
	pthread_t thread;
	bool runs;
	int event;	   /* eventfd: come */
	weft_au32 over;	   /* and go */
	weft_au32 idle;	   /* asleep until it is called */
	weft_au32 turns;   /* of the caller */
	weft_au32 traffic; /* datagrams read and sent */
};

struct sock_out;
struct sock_in;
struct evp_pkey_st;

struct sock {
	struct weft_carrier base;
	struct sockaddr_in name;
	uint64_t gen;		  /* the own incarnation */
	uint32_t tag;		  /* bytes of a tag; 0: there is no key */
	uint8_t key[32];	  /* derived from attr.key */
	struct evp_pkey_st *pair; /* X25519 key pair of this incarnation */
	uint8_t public[SOCK_PUBLIC_BYTES]; /* its public half */
	uint64_t stray_ns; /* when a stray datagram was answered last */
	bool hides;	   /* payloads are encrypted */
	struct weft_code_crc crc;
	const struct weft_carrier_up *up;
	void *up_arg;
	int fd;
	uint32_t window;
	uint64_t silence_ns;
	uint64_t opened_ns;
	uint64_t now;	  /* of this call */
	uint64_t tick_ns; /* when the quiet are poked next */
	bool stirred;	  /* something happened to a peer since its turn */
	uint32_t poked;	  /* the peer whose turn it is */
	uint32_t depth;	  /* of the caller's calls inside each other */
	bool polling;
	bool starved;	    /* a send was refused, and an answer makes room */
	bool corked;	    /* something waits for the next turn to go */
	bool away;	    /* this is the deputy: nothing goes up */
	bool dead;	    /* by the fault plan */
	bool gso;	    /* the kernel cuts what we send */
	uint32_t rcv_bytes; /* of the socket's buffer, shared by senders */
	struct sock_peer **peer;
	uint32_t peer_count;
	uint32_t peer_room;
	uint32_t senders; /* peers that have sent data */
	struct weft_hash by_name;
	struct sock_peer *named; /* found there last, or NULL */
	struct weft_list busy;
	struct sock_out *out;
	struct sock_in *in;
	struct sock_gram *spare[SOCK_SHELVES];
	uint32_t spares[SOCK_SHELVES];
	struct sock_train *spare_train;
	uint32_t spare_trains;
	struct carrier_faults faults;
	struct weft_list late; /* datagrams that the fault plan keeps */
	struct weft_carrier_stats stats;
	struct sock_bed bed;
	struct sock_deputy deputy;
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

static inline struct sock_gram **sock_here(struct sock_peer *p, uint32_t seq)
{
	return &p->here[seq % SOCK_WINDOW];
}

/*
 * The checksum of a datagram, of all behind the word that it stands in. Of one
 * that is signed: of the head and of the tag, which is of all.
 */
static inline uint32_t sock_crc(const struct sock *s, const void *data,
				uint32_t bytes)
{
	const uint8_t *d = data;
	uint32_t head = s->tag ? sizeof(struct sock_head) : bytes;
	uint32_t crc = weft_code_crc(&s->crc, 0, d + 4, head - 4);

	return s->tag ? weft_code_crc(&s->crc, crc, d + bytes, s->tag) : crc;
}

static inline struct sock_head *sock_gram_head(struct sock_gram *g)
{
	return (struct sock_head *)(void *)g->data;
}

/* sock_name.c */
int sock_name_open(struct sock *s, const struct sockaddr_in *want);
uint64_t sock_name_key(const struct sockaddr_in *n);
/* -EHOSTUNREACH: there is no way; else the widest datagram of it. */
int sock_name_way(const struct sock *s, const struct sockaddr_in *to,
		  uint32_t *gram_max_p, bool *local_p);

/* sock_peer.c */
int sock_peer_get(struct sock *s, const struct sockaddr_in *name,
		  struct sock_peer **p_p);
/* Who has that name, or NULL. */
struct sock_peer *sock_peer_named(struct sock *s,
				  const struct sockaddr_in *name);
/*
 * Who sent h from that name; NULL: drop it. With a key: by a datagram that
 * carries the sender's public key.
 */
struct sock_peer *sock_peer_from(struct sock *s, const struct sockaddr_in *name,
				 const struct sock_head *h,
				 const uint8_t *public);
/* 0: it may be sent to. -EAGAIN: it is not there yet. -ECONNRESET. */
int sock_peer_meet(struct sock *s, struct sock_peer *p);
void sock_peer_refused(struct sock *s, struct sock_peer *p);
/* With a key: asks a peer whose host has refused a datagram for an answer, and
 * gives it up when none comes. */
void sock_peer_probe(struct sock *s, struct sock_peer *p);
void sock_peer_lose(struct sock *s, struct sock_peer *p, int err);
/* The widest datagram to it, without a tag. */
void sock_peer_width(struct sock_peer *p, uint32_t gram_max);
/* Datagrams sent to all peers. */
uint64_t sock_peer_sent(const struct sock *s);
/* Memory for windows, of count numbers, as they are needed; false: none. */
bool sock_peer_can_fly(struct sock_peer *p, uint32_t count);
bool sock_peer_can_keep(struct sock_peer *p);
void sock_peer_free(struct sock *s, struct sock_peer *p);
void sock_peer_busy(struct sock *s, struct sock_peer *p);

/* sock_tx.c */
int sock_tx_send(struct sock *s, struct sock_peer *p,
		 const struct weft_pkt *pkt, const struct iovec *iov);
/* An acknowledgement came, with so many more words behind its head. */
void sock_tx_acked(struct sock *s, struct sock_peer *p,
		   const struct sock_head *h, const uint8_t *more,
		   uint32_t words);
/* The open datagram goes, if it may. */
void sock_tx_go(struct sock *s, struct sock_peer *p);
/* Sends what may go now: lost ones, then the open one. */
void sock_tx_run(struct sock *s, struct sock_peer *p);
void sock_tx_small(struct sock *s, struct sock_peer *p, enum sock_kind kind);
/* The same with our public key: HELLO or ACK of first contact. */
void sock_tx_public(struct sock *s, struct sock_peer *p, enum sock_kind kind);
/* The network has no room for it: it goes again soon. */
void sock_tx_unsent(struct sock_peer *p, uint32_t seq);
/* All that is not acknowledged once more, whatever the windows say. */
void sock_tx_repeat(struct sock *s, struct sock_peer *p);
bool sock_tx_waits(const struct sock_peer *p);
/* Whether p should not wait long with its acknowledgement. */
bool sock_tx_hurries(const struct sock *s, const struct sock_peer *p);
/* It will be lost for its silence. */
void sock_tx_say_silent(const struct sock *s, struct sock_peer *p);

/* sock_rx.c */
/*
 * One datagram came, of bytes, which hold a head and a tag at least; the number
 * of packets delivered, or -EBADMSG: it is none of ours, or was changed, and
 * nothing that it says is true.
 */
int sock_rx_gram(struct sock *s, const struct sockaddr_in *from, uint8_t *data,
		 uint32_t bytes, int budget);
/* Delivers what was kept. */
int sock_rx_release(struct sock *s, struct sock_peer *p, int budget);
/* What we let it have on the way. */
uint32_t sock_rx_room(const struct sock *s, const struct sock_peer *p);

/* sock_turn.c */
int sock_poll(struct weft_carrier *c, int budget);
/* What the last sends have left to wait goes. */
void sock_turn_uncork(struct sock *s);
/* The deputy's turn; when it has something to send again. */
uint64_t sock_turn_away(struct sock *s);
/* At close: everything acknowledged and the last word said, or time over. */
void sock_turn_finish(struct sock *s);

/* sock_io.c */
int sock_io_open(struct sock *s);
void sock_io_close(struct sock *s);
/* Fills in what the head says of this moment, and puts it into the batch. */
void sock_io_add(struct sock *s, struct sock_peer *p, void *data,
		 uint32_t bytes);
void sock_io_flush(struct sock *s);
/* Whether something is in the batch. */
bool sock_io_holds(const struct sock *s);
/* Learns from the kernel whose port has no owner. */
void sock_io_errors(struct sock *s);
/* Sends one datagram now; 0 or -errno. */
int sock_io_one(struct sock *s, const struct sockaddr_in *to, const void *data,
		uint32_t bytes);
enum sock_left {
	SOCK_NOTHING,	/* nothing is left */
	SOCK_SOMETHING, /* perhaps, for the next turn */
	SOCK_MUCH,	/* go on now */
};

/* Reads one datagram, or a batch; packets delivered. */
int sock_io_read(struct sock *s, int budget, enum sock_left *left_p);

/* sock_gram.c */
struct sock_gram *sock_gram_new(struct sock *s, uint32_t room);
/* One of full size for p, behind the one before it if there is place. */
struct sock_gram *sock_gram_full(struct sock *s, struct sock_peer *p);
void sock_gram_free(struct sock *s, struct sock_gram *g);
void sock_gram_fini(struct sock *s);

/* sock_fault.c */
void sock_fault_send(struct sock *s, const struct sockaddr_in *to,
		     const void *data, uint32_t bytes);
/* Sends what was kept long enough; all: everything. */
void sock_fault_run(struct sock *s, bool all);
void sock_fault_fini(struct sock *s);
/* When the next one is due, or UINT64_MAX. */
uint64_t sock_fault_due(const struct sock *s);

/* sock_keys.c */
int sock_keys_open(struct sock *s, const struct weft_carrier_attr *attr);
void sock_keys_close(struct sock *s);
/* Writes the tag behind a SOCK_PUBLIC datagram to that name. */
void sock_keys_sign(const struct sock *s, const struct sockaddr_in *to,
		    uint8_t *data, uint32_t bytes);
/* Whether the sender of a SOCK_PUBLIC datagram has the job's key. */
bool sock_keys_hold(const struct sock *s, const struct sockaddr_in *from,
		    const uint8_t *data, uint32_t bytes);
/* Derives the session's keys for p, whose incarnation is far; false: the
 * public key is none, or there is no memory. */
bool sock_keys_agree(struct sock *s, struct sock_peer *p, uint64_t far,
		     const uint8_t public[SOCK_PUBLIC_BYTES]);
/* Reports our incarnation and public key to the sender of a datagram that was
 * meant for an earlier owner of our name, at most once a millisecond. */
void sock_keys_stray(struct sock *s, const struct sockaddr_in *to,
		     uint64_t far);

/* sock_seal.c */
/* A context for tags with this key; NULL: no memory. sends: of our own. */
struct sock_seal *sock_seal_new(const struct sock *s, const uint8_t key[16],
				bool sends);
void sock_seal_close(struct sock_seal *seal);
/* Writes the tag behind data, which is encrypted in place if s hides. */
void sock_seal_sign(const struct sock *s, struct sock_seal *seal, uint8_t *data,
		    uint32_t bytes);
/* Whether the tag is right. What was encrypted is plain then. */
bool sock_seal_holds(const struct sock *s, struct sock_seal *seal,
		     uint8_t *data, uint32_t bytes);
/* Whether count comes for the first time from p; remembers it. */
bool sock_seal_first(struct sock_peer *p, uint64_t count);

/* sock_wait.c */
int sock_wait_init(struct sock *s, const struct weft_carrier_attr *attr);
void sock_wait_fini(struct sock *s);
/* poll has something to do at that time at the latest. */
void sock_wait_due(struct sock *s, uint64_t at_ns);
void sock_wait_sooner(struct sock *s, uint64_t at_ns);
int sock_wait(struct weft_carrier *c, uint64_t timeout_ns);
void sock_wake(struct weft_carrier *c);
int sock_wait_fd(struct weft_carrier *c);
int sock_arm(struct weft_carrier *c);

/* sock_deputy.c */
int sock_deputy_open(struct sock *s);
void sock_deputy_close(struct sock *s);

/* sock_lock.c */
void sock_deputy_ring(struct sock *s);
/* Something is on its way, after a time when nothing was. */
void sock_deputy_call(struct sock *s);
/* Counts up for deputy_look(); under the lock. */
static inline void sock_deputy_count(weft_au32 *n)
{
	/* relaxed: one writer, and a reader that compares */
	weft_store32_relaxed(n, weft_load32_relaxed(n) + 1);
}

/* Around what the caller does; calls up may come back in. */
void sock_enter(struct sock *s);
void sock_leave(struct sock *s);

#endif
