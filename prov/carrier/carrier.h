/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier: moves packets to another process. One carrier object belongs to
 * one endpoint; it owns an address and, per other endpoint, a peer record.
 * Implementations: shm (processes of one host), loop (inside one process, with
 * fault injection, for tests), sock (datagrams between any hosts), hybrid (shm
 * or sock, by peer), lossy (on another carrier: packets are damaged, detected
 * by the machine's code, retransmitted). The virtual-time runtime (prov/vt)
 * offers the same interface.
 *
 * Lifetime:  open(attr, up) -> [peer, send, poll, read, write, wait]* -> close
 *
 * No call blocks except wait. -EAGAIN means "nothing happened, try again": the
 * FIFO is full, or the peer's endpoint does not exist yet. Packets between one
 * pair of endpoints arrive once, whole and in the order of their sends. A peer
 * that dies or closes is reported through up->lost, once, after everything it
 * sent has been delivered; every later call on that record returns -ECONNRESET,
 * and peer() makes a new record for the next endpoint with that name. Calls on
 * one carrier are serialised by the caller, with two exceptions: wake may be
 * called from any context, and wait runs in one thread concurrently with all
 * others, so that a blocked thread does not keep another from sending.
 */
#ifndef WEFT_PROV_CARRIER_H
#define WEFT_PROV_CARRIER_H

#include "prov/wire/wire.h"
#include "src/base/atomic.h"
#include "src/os/event_word.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/uio.h>

struct weft_carrier;
struct weft_carrier_virt;
struct weft_vt;

/* Another endpoint as seen by this one. Carriers embed it as first member. */
struct weft_peer {
	struct sockaddr_in name;
	uint32_t index; /* dense, from 0, fixed while the carrier exists */
	uint16_t lost;	/* errno of its death, or 0 */
	/* largest payload that is not cut on the path; 0: none is cut */
	uint16_t whole;
	void *up; /* belongs to the caller; initially NULL */
};

/* Callbacks, passed to open. They may call send, never poll or wait. */
struct weft_carrier_up {
	/*
	 * A packet from src has arrived. Both pointers are valid during the
	 * call only. pkt is the carrier's own copy: it does not change, its len
	 * is at most mtu, and its other fields are as the peer set them. The
	 * peer may change payload (aligned to 8) meanwhile: copy, then check
	 * the copy. 0: taken. -EAGAIN: not now; the carrier offers it again at
	 * a later poll and nothing from src overtakes it.
	 */
	int (*deliver)(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload);
	/*
	 * peer is gone: ECONNRESET: it died; ESHUTDOWN: it closed; EPROTO: it
	 * sent invalid packets; ENOMEM: there is no memory for it here.
	 */
	void (*lost)(void *arg, struct weft_peer *peer, int err);
};

/* Codes that detect bit errors in packets (prov/carrier/lossy). */
enum weft_carrier_code {
	WEFT_CARRIER_CRC32C,
	WEFT_CARRIER_CRC16,
	WEFT_CARRIER_CRC32,
	WEFT_CARRIER_RS5,
	WEFT_CARRIER_RS14, /* correcting; with a CRC-32 */
};

struct weft_carrier_attr {
	struct sockaddr_in name; /* requested address; port 0: any */
	const struct weft_carrier_up *up;
	void *up_arg;
	uint32_t fifo_slots; /* 0: the carrier's default */
	size_t share_bytes;  /* bytes of own memory that peers map; 0: none */
	size_t window_bytes; /* further bytes, mapped in parts; 0: none */
	uint32_t spin_ns;    /* ns to spin in wait; 0: default, 1: none */
	size_t loop_bytes;   /* shm: largest payload copied by copy.h's loop */
	bool no_dma;	     /* behave as if CMA were refused */
	const char *faults;  /* loop, sock, lossy: a fault plan */
	/* lossy: carrier below, with errors */
	const struct weft_carrier_ops *below;
	enum weft_carrier_code code; /* lossy */
	uint32_t silence_ms; /* sock: silence timeout of a peer; 0: default */
	const void *key;     /* sock: key that signs datagrams; NULL: none */
	size_t key_bytes;
	bool encrypt; /* sock: encrypts datagrams; needs a key */
	/* prov/vt: the shared world segment, threads, arithmetic (vt_api.h) */
	struct weft_vt *world;
	bool threads; /* several threads of this process use the carrier */
	uint32_t (*combine)(unsigned op, unsigned type, void *acc,
			    const void *in, size_t bytes);
	/*
	 * Executes an atomic: changes data as `what` requests, stores the old
	 * bytes in old. -EPROTO: invalid.
	 */
	int (*change)(const void *what, size_t what_bytes, void *data,
		      void *old, size_t bytes);
};

/* Counters, for tests and tools. */
struct weft_carrier_stats {
	uint64_t sent;
	uint64_t received;
	uint64_t full;	  /* sends that returned -EAGAIN */
	uint64_t refused; /* invalid packets received and dropped */
	uint64_t skipped; /* slots of writers that died before publishing */
	uint64_t sleeps;  /* waits that blocked in the kernel */
	uint64_t late;	  /* of sleeps: ended late by a timeout */
	uint64_t wakes;	  /* waiters woken by this side */
	uint64_t resent;  /* retransmitted packets */
	uint64_t forged;  /* of refused: not signed with the key */
	uint64_t replays; /* of refused: signed duplicates */
	uint64_t damaged; /* lossy: packets sent damaged, or dropped */
	uint64_t found;	  /* lossy: damaged packets detected and dropped */
	uint64_t fixed;	  /* lossy: damaged packets corrected */
	uint64_t far;	  /* of sent: as datagrams */
};

/*
 * A store that another process will make in a shared area: *word reaches want
 * or more, and the event word is notified (event_word.h). word NULL with want
 * 0: nothing is expected; with want 1: more than one thing, so that wait only
 * yields and returns.
 */
struct weft_carrier_watch {
	weft_au64 *word;
	uint64_t want;
	struct weft_event *event_word; /* NULL: a nudge is sent instead */
	bool crowded; /* oversubscribed: the writers need this processor */
};

/*
 * A payload of mtu bytes that is not in memory yet: fill writes it to its
 * destination. It is the only segment of a send to a carrier with `fills`; the
 * count of segments is WEFT_IOV_FILL.
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
	/* Waits (bounded) until peers can read everything that was sent. */
	void (*close)(struct weft_carrier *c);
	/*
	 * Returns the own complete address, with hints in sin_zero: pass all of
	 * it on.
	 */
	void (*name_get)(struct weft_carrier *c, struct sockaddr_in *name);
	/*
	 * Returns the record of a name (ip and port; sin_zero only helps to
	 * find it): found or made, not connected here, so a peer that does not
	 * exist yet is no error. A record that is lost is not found again.
	 * -EHOSTUNREACH: this carrier can never reach that name.
	 */
	int (*peer)(struct weft_carrier *c, const struct sockaddr_in *name,
		    struct weft_peer **peer_p);
	/*
	 * Sends one packet; iov holds exactly pkt->len bytes, at most mtu. 0:
	 * the carrier has copied everything. -EAGAIN: the FIFO is full or the
	 * peer's endpoint does not exist yet; other peers are not delayed.
	 * -ECONNRESET. -EMSGSIZE. -ENOMEM: the peer's memory cannot be mapped,
	 * and the peer is lost.
	 */
	int (*send)(struct weft_carrier *c, struct weft_peer *peer,
		    const struct weft_pkt *pkt, const struct iovec *iov,
		    int iov_count);
	/* Delivers up to budget packets; returns the number delivered. */
	int (*poll)(struct weft_carrier *c, int budget);
	/*
	 * DMA: copies between own memory and the peer's address space. 0, or
	 * -EOPNOTSUPP: not between these two (send packets instead), -EFAULT:
	 * the peer's memory does not exist, -ECONNRESET.
	 */
	int (*read)(struct weft_carrier *c, struct weft_peer *peer,
		    const struct iovec *local, int count, uint64_t remote);
	int (*write)(struct weft_carrier *c, struct weft_peer *peer,
		     const struct iovec *local, int count, uint64_t remote);
	/*
	 * Spins, then blocks until a packet may have arrived, wake was called,
	 * or timeout_ns has passed (UINT64_MAX: for ever). The caller polls
	 * afterwards in any case, and calls again: 0 may be spurious, at least
	 * ten times a second, for the housekeeping of poll, and soon after a
	 * send that found no room. -ETIMEDOUT. In virtual time -EAGAIN: a
	 * refused send may find room now.
	 */
	int (*wait)(struct weft_carrier *c, uint64_t timeout_ns);
	/* Ends the current or next wait; from any thread or signal handler. */
	void (*wake)(struct weft_carrier *c);
	/*
	 * Returns a descriptor that becomes readable when a packet arrives
	 * after arm() returned 0; arm returns -EAGAIN if a packet has arrived
	 * already. -EOPNOTSUPP without one. The carrier owns the descriptor.
	 */
	int (*wait_fd)(struct weft_carrier *c);
	int (*arm)(struct weft_carrier *c);
	/*
	 * Returns the share_bytes of a peer's endpoint, or the own ones (peer
	 * NULL): initially zero, aligned to 64, mapped in both processes while
	 * the carrier exists. The contents are as untrusted as a packet.
	 * -EAGAIN: the peer's endpoint does not exist yet. -EOPNOTSUPP: no
	 * common memory.
	 */
	int (*share)(struct weft_carrier *c, struct weft_peer *peer,
		     void **area_p, size_t *bytes_p);
	/*
	 * Maps part of the window_bytes of a peer's endpoint, or of the own
	 * ones (peer NULL): bytes from at on, multiples of a page. Initially
	 * zero, mapped until it is closed, also if the peer is lost. -EAGAIN
	 * and -EOPNOTSUPP as share; -ECONNRESET; -ENOMEM, -EMFILE.
	 */
	int (*window)(struct weft_carrier *c, struct weft_peer *peer, size_t at,
		      size_t bytes, void **area_p);
	void (*window_close)(struct weft_carrier *c, void *area, size_t bytes);
	/*
	 * wait also ends when an expected store in a shared area has been made;
	 * see struct weft_carrier_watch, which is copied.
	 */
	void (*watch)(struct weft_carrier *c,
		      const struct weft_carrier_watch *w);
	/* Wakes the peer if it blocks, after a store into a shared area. */
	void (*nudge)(struct weft_carrier *c, struct weft_peer *peer);
	void (*stats)(struct weft_carrier *c, struct weft_carrier_stats *s);
};

/* First member of every implementation's object. */
struct weft_carrier {
	const struct weft_carrier_ops *ops;
	size_t mtu;	    /* largest payload of one packet */
	size_t short_bytes; /* largest payload in the packet's first slot */
	const struct weft_carrier_virt *virt; /* vt_api.h; NULL: live */
	bool fences; /* a waker must fence before it checks for waiters */
	bool fills;  /* supports struct weft_fill */
	bool cuts;   /* supports WEFT_PKT_SPLIT_OK */
	int beside;  /* sock: descriptor that also ends a wait; or -1 */
};

extern const struct weft_carrier_ops weft_carrier_shm;
extern const struct weft_carrier_ops weft_carrier_loop;
extern const struct weft_carrier_ops weft_carrier_sock;
extern const struct weft_carrier_ops weft_carrier_hybrid;
extern const struct weft_carrier_ops weft_carrier_vt;
extern const struct weft_carrier_ops weft_carrier_lossy;

#endif
