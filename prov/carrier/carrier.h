/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier: how packets reach another process. One carrier object is one
 * endpoint's door to the world; it owns an address and, per other endpoint, a
 * peer record. Implementations: shm (processes of one host), loop (inside one
 * process, with faults on request, for tests), sock (datagrams between any
 * hosts), both (shm or sock, by peer), vt (virtual time, on a model of the
 * machine's network), noisy (on another one: packets are damaged, found by the
 * machine's code, sent again).
 *
 * Life:  open(attr, up) -> [peer, send, poll, read, write, wait]* -> close
 *
 * Nothing blocks except wait. -EAGAIN means "nothing happened, ask again":
 * the FIFO is full, or the peer is not there yet. Packets between one pair of
 * endpoints arrive once, whole and in the order of their sends. A peer that
 * dies or leaves is reported through up->lost, once, after everything it sent
 * has been delivered; every later call on that record returns -ECONNRESET, and
 * peer() makes a new record for whoever takes the name next. Calls on one
 * carrier are serialised by the caller, with two exceptions: wake comes from
 * anywhere, and wait runs in one thread beside all the others, so that a
 * thread asleep does not keep another from sending.
 */
#ifndef WEFT_PROV_CARRIER_H
#define WEFT_PROV_CARRIER_H

#include "prov/wire/wire.h"
#include "src/base/atomic.h"
#include "src/base/bell.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/uio.h>

struct weft_carrier;
struct weft_carrier_virt;
struct weft_vt;

/* Another endpoint as this one sees it. Carriers embed it as first member. */
struct weft_peer {
	struct sockaddr_in name;
	uint32_t index; /* dense, from 0, stable while the carrier lives */
	uint16_t lost;	/* errno of its death, or 0 */
	uint16_t whole; /* a longer payload is put together there; 0: none is */
	void *up;	/* belongs to the caller; NULL at first */
};

/* Calls up, handed over at open. They may call send, never poll or wait. */
struct weft_carrier_up {
	/*
	 * A packet came from src. Both pointers are good during the call
	 * only. pkt is the carrier's own copy: it stays as it is, its len is
	 * at most mtu, and its other fields are whatever the peer put there.
	 * payload (aligned to 8) may change under the reader: copy, then
	 * check the copy. 0: taken. -EAGAIN: not now; the carrier offers it
	 * again at a later poll and nothing from src overtakes it.
	 */
	int (*deliver)(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload);
	/*
	 * peer is gone: ECONNRESET: it died; ESHUTDOWN: it closed in good
	 * order; EPROTO: what came from it was garbage; ENOMEM: there is no
	 * room for it here.
	 */
	void (*lost)(void *arg, struct weft_peer *peer, int err);
};

/* What finds wrong bits of packets (prov/carrier/noisy). */
enum weft_carrier_code {
	WEFT_CARRIER_CRC32C,
	WEFT_CARRIER_CRC16,
	WEFT_CARRIER_CRC32,
	WEFT_CARRIER_RS5,
	WEFT_CARRIER_RS14, /* corrects; and a CRC-32 */
};

struct weft_carrier_attr {
	struct sockaddr_in name; /* wanted address; port 0: any */
	const struct weft_carrier_up *up;
	void *up_arg;
	uint32_t fifo_slots; /* 0: the carrier's default */
	size_t share_bytes;  /* own memory that peers map; 0: none */
	size_t window_bytes; /* more of it, mapped in parts; 0: none */
	uint32_t spin_ns;    /* wait: spin so long; 0: default, 1: never */
	size_t loop_bytes;   /* shm: payloads that copy.h's loop copies at most
			      */
	bool no_dma;	     /* behave as if CMA were refused */
	const char *faults;  /* loop, sock, noisy: a fault plan */
	const struct weft_carrier_ops *below; /* noisy: whose packets err */
	enum weft_carrier_code code;	      /* noisy */
	uint32_t silence_ms; /* sock: a peer silent so long is lost; 0: default
			      */
	const void *key; /* sock: datagrams are signed with it; NULL: none */
	size_t key_bytes;
	bool encrypt; /* sock: and encrypted; needs a key */
	/* vt: the world, its threads, its arithmetic (carrier_vt.h) */
	struct weft_vt *world;
	bool threads; /* several threads of this process use the carrier */
	uint32_t (*combine)(unsigned op, unsigned type, void *acc,
			    const void *in, size_t bytes);
	/*
	 * What an atomic does to memory: data becomes what it says, old what
	 * was there. -EPROTO: it makes no sense.
	 */
	int (*change)(const void *what, size_t what_bytes, void *data,
		      void *old, size_t bytes);
};

/* What went through, for tests and tools. */
struct weft_carrier_stats {
	uint64_t sent;
	uint64_t received;
	uint64_t full;	  /* sends answered with -EAGAIN */
	uint64_t refused; /* garbage that came in and was dropped */
	uint64_t skipped; /* slots of writers that died over them */
	uint64_t sleeps;  /* waits that reached the kernel */
	uint64_t late;	  /* of them: ended by the clock, too late */
	uint64_t wakes;	  /* sleepers this side woke */
	uint64_t resent;  /* packets sent again after a loss */
	uint64_t forged;  /* of refused: not signed with the key */
	uint64_t replays; /* of refused: signed, and seen before */
	uint64_t damaged; /* noisy: sent with wrong bits, or lost */
	uint64_t found;	  /* noisy: came so, and were dropped */
	uint64_t fixed;	  /* noisy: came so, and were corrected */
	uint64_t far;	  /* of sent: by datagrams */
};

/*
 * Something that somebody else will do in a shared area: *word becomes want or
 * more, and the bell is rung (bell.h). word NULL with want 0: nothing
 * is expected; with want 1: more than one thing, so that wait only yields and
 * comes back.
 */
struct weft_carrier_watch {
	weft_au64 *word;
	uint64_t want;
	struct weft_bell *bell; /* NULL: a nudge comes instead */
	bool crowded;		/* those who will do it need this processor */
};

/*
 * A payload of mtu bytes that is not in memory yet: fill writes it where it
 * shall lie. As the only segment of a send to a carrier that says it fills;
 * the count of segments is WEFT_IOV_FILL.
 */
#define WEFT_IOV_FILL 254

struct weft_fill {
	void (*fill)(void *arg, size_t pos, void *to, size_t bytes);
	void *arg;
	size_t pos;
};

struct weft_carrier_ops {
	const char *name;
	/* -EADDRINUSE: another endpoint has that name. */
	int (*open)(const struct weft_carrier_attr *attr,
		    struct weft_carrier **c_p);
	/* Waits (bounded) until what was sent is where peers can read it. */
	void (*close)(struct weft_carrier *c);
	/* The own address, complete, with hints in sin_zero: pass it whole. */
	void (*name_get)(struct weft_carrier *c, struct sockaddr_in *name);
	/*
	 * The record for a name (ip and port; sin_zero only helps to find
	 * it): found or made, never connected here, so a peer that does not
	 * exist yet is no error. A record that is lost is not found again.
	 * -EHOSTUNREACH: this carrier can never reach that name.
	 */
	int (*peer)(struct weft_carrier *c, const struct sockaddr_in *name,
		    struct weft_peer **peer_p);
	/*
	 * Sends one packet; iov holds exactly pkt->len bytes, at most mtu.
	 * 0: the carrier has copied everything. -EAGAIN: the FIFO is full or
	 * the peer is not there yet; other peers are not held up by it.
	 * -ECONNRESET. -EMSGSIZE. -ENOMEM: the peer's memory cannot be
	 * mapped, and it is given up.
	 */
	int (*send)(struct weft_carrier *c, struct weft_peer *peer,
		    const struct weft_pkt *pkt, const struct iovec *iov,
		    int iov_count);
	/* Delivers up to budget packets; the number delivered. */
	int (*poll)(struct weft_carrier *c, int budget);
	/*
	 * DMA: copies between own memory and the peer's address space. 0, or
	 * -EOPNOTSUPP: not between these two (send packets instead),
	 * -EFAULT: the peer's memory is not there, -ECONNRESET.
	 */
	int (*read)(struct weft_carrier *c, struct weft_peer *peer,
		    const struct iovec *local, int count, uint64_t remote);
	int (*write)(struct weft_carrier *c, struct weft_peer *peer,
		     const struct iovec *local, int count, uint64_t remote);
	/*
	 * Spins, then sleeps until a packet may be there, wake was called,
	 * or timeout_ns is over (UINT64_MAX: for ever). The caller polls
	 * afterwards in any case, and comes back: 0 may be a false alarm, at
	 * least ten times a second, for the housekeeping that poll does, and
	 * soon after a send that found no room. -ETIMEDOUT. In virtual time
	 * -EAGAIN: what found no room may find some now.
	 */
	int (*wait)(struct weft_carrier *c, uint64_t timeout_ns);
	/* Ends a wait, now or the next one; from any thread or handler. */
	void (*wake)(struct weft_carrier *c);
	/*
	 * A descriptor that becomes readable when a packet arrives after
	 * arm() returned 0; arm returns -EAGAIN when something is there
	 * already. -EOPNOTSUPP without one. The carrier owns it.
	 */
	int (*wait_fd)(struct weft_carrier *c);
	int (*arm)(struct weft_carrier *c);
	/*
	 * The share_bytes of a peer's endpoint, or the own ones (peer NULL):
	 * zeroed at first, aligned to 64, mapped in both processes while the
	 * carrier lives. What lies there is as untrusted as a packet.
	 * -EAGAIN: the peer is not there yet. -EOPNOTSUPP: no common memory.
	 */
	int (*share)(struct weft_carrier *c, struct weft_peer *peer,
		     void **area_p, size_t *bytes_p);
	/*
	 * Part of the window_bytes of a peer's endpoint, or of the own ones
	 * (peer NULL): bytes from at on, multiples of a page. Zeroed at first,
	 * mapped until it is closed, whatever becomes of the peer. -EAGAIN and
	 * -EOPNOTSUPP as share; -ECONNRESET; -ENOMEM, -EMFILE.
	 */
	int (*window)(struct weft_carrier *c, struct weft_peer *peer, size_t at,
		      size_t bytes, void **area_p);
	void (*window_close)(struct weft_carrier *c, void *area, size_t bytes);
	/*
	 * wait also ends when what the caller expects in shared areas has
	 * come about; see struct weft_carrier_watch, which is copied.
	 */
	void (*watch)(struct weft_carrier *c,
		      const struct weft_carrier_watch *w);
	/* Wakes the peer if he sleeps, after a store into a shared area. */
	void (*nudge)(struct weft_carrier *c, struct weft_peer *peer);
	void (*stats)(struct weft_carrier *c, struct weft_carrier_stats *s);
};

/* First member of every implementation's object. */
struct weft_carrier {
	const struct weft_carrier_ops *ops;
	size_t mtu;	    /* largest payload of one packet */
	size_t short_bytes; /* up to this a payload rides with its header */
	const struct weft_carrier_virt *virt; /* carrier_vt.h; NULL: live */
	bool fences; /* who wakes sleepers must fence before he looks */
	bool fills;  /* takes struct weft_fill */
	bool cuts;   /* grants WEFT_PKT_LOOSE */
	int beside;  /* sock: a wait ends when this is readable, too; or -1 */
};

extern const struct weft_carrier_ops weft_carrier_shm;
extern const struct weft_carrier_ops weft_carrier_loop;
extern const struct weft_carrier_ops weft_carrier_sock;
extern const struct weft_carrier_ops weft_carrier_both;
extern const struct weft_carrier_ops weft_carrier_vt;
extern const struct weft_carrier_ops weft_carrier_noisy;

#endif
