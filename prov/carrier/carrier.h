/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier: moves packets to another process. Each carrier object belongs to
 * one endpoint; it owns an address and, per other endpoint, a peer record.
 * Implementations: shm (processes of one host), loop (inside one process, with
 * fault injection, for tests), sock (datagrams between any hosts), hybrid (shm
 * or sock, by peer), lossy (on top of another carrier: a fault plan damages
 * packets, the machine's error code detects it, and they are retransmitted).
 * The virtual-time runtime (prov/vt) offers the same interface. Its other
 * functions (clock, transfers, atomics, class routes) are in a row of the table
 * in prov/backend/backend.h.
 *
 * Lifetime:  open(attr, up) -> [peer, send, poll, read, write, wait]* -> close
 *
 * No call blocks except wait. -EAGAIN means that the call had no effect and can
 * be retried: the FIFO is full, or the peer's endpoint does not exist yet.
 * Packets between one pair of endpoints arrive once, whole and in the order of
 * their sends. A peer that dies or closes is reported through up->lost, once,
 * after everything it sent has been delivered; every later call on that record
 * returns -ECONNRESET, and peer() makes a new record for the next endpoint with
 * that name. Calls on one carrier are serialised by the caller, with two
 * exceptions: wake may be called from any context, and wait may run in one
 * thread concurrently with calls in other threads, so that a blocked thread
 * does not prevent others from sending.
 */
#ifndef WEFT_PROV_CARRIER_H
#define WEFT_PROV_CARRIER_H

#include "prov/wire/wire.h"
#include "prov/wire/wire_name.h"
#include "src/base/atomic.h"
#include "src/base/list.h"
#include "src/os/event_word.h"

#include <stdbool.h>
#include <sys/uio.h>

struct weft_carrier;
struct weft_backend;
struct weft_vt;

/*
 * Another endpoint as seen by this one. Carriers embed this struct as the first
 * member of their peer records.
 */
struct weft_peer {
	/* the peer's name; stored in the carrier's record */
	const union weft_name *name;
	/* index of the peer in its carrier: dense, starting at 0, constant */
	uint32_t index;
	uint16_t lost; /* errno with which the peer was lost, or 0 */
	/*
	 * largest payload that is sent unfragmented on this path; 0: no limit
	 */
	uint16_t whole;
	void *up; /* belongs to the caller; initially NULL */
};

/* Callbacks, passed to open. They may call send, but never poll or wait. */
struct weft_carrier_up {
	/*
	 * A packet from src has arrived. Both pointers are valid only during
	 * the call. pkt is a copy made by the carrier: it does not change, its
	 * len is at most mtu, and its other fields have the values that the
	 * peer wrote. The peer may change payload (aligned to 8 bytes) during
	 * the call: copy it, then check the copy. Returns 0 if the packet was
	 * accepted; -EAGAIN if it cannot be accepted now: the carrier offers
	 * the packet again at a later poll, before any later packet of src.
	 */
	int (*deliver)(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload);
	/*
	 * The peer is lost. err is ECONNRESET: the peer died; ESHUTDOWN: the
	 * peer closed; EPROTO: the peer sent invalid packets; ENOMEM: no memory
	 * for the peer's mapping in this process.
	 */
	void (*lost)(void *arg, struct weft_peer *peer, int err);
	/*
	 * Requests one poll: the rank's modelled interface has packets to
	 * process. Optional; only carriers in virtual time call it, from poll
	 * or wait.
	 */
	void (*interface)(void *arg);
};

/* Codes that detect bit errors in packets (prov/carrier/lossy). */
enum weft_carrier_code {
	WEFT_CARRIER_CRC32C,
	WEFT_CARRIER_CRC16,
	WEFT_CARRIER_CRC32,
	WEFT_CARRIER_RS5,
	WEFT_CARRIER_RS14, /* Reed-Solomon and CRC-32 */
};

struct weft_carrier_attr {
	/* requested address; family 0: IPv4; port 0: any */
	union weft_name name;
	const struct weft_carrier_up *up;
	void *up_arg;
	uint32_t fifo_slots; /* FIFO size in slots; 0: the carrier's default */
	/* size of the shared area, which peers map, bytes; 0: none */
	size_t share_bytes;
	/* size of the memory that `window` maps in parts, bytes; 0: none */
	size_t window_bytes;
	/* spin time of a wait, ns; 0: default, 1: no spinning */
	uint32_t spin_ns;
	size_t loop_bytes;  /* shm: largest payload copied by copy.h's loop */
	bool no_dma;	    /* behave as on a host that forbids CMA */
	const char *faults; /* loop, sock, lossy: fault plan */
	/* lossy: the carrier below, into which errors are injected */
	const struct weft_carrier_ops *below;
	enum weft_carrier_code code; /* lossy: code that detects errors */
	uint32_t silence_ms; /* sock: silence timeout of a peer; 0: default */
	const void *key;     /* sock: key that signs datagrams; NULL: none */
	size_t key_bytes;
	bool encrypt; /* sock: encrypt datagrams; requires a key */
	bool streams; /* sock: open streams for long transfers */
	/* this field and the following ones are for prov/vt (vt_api.h) */
	struct weft_vt *world;
	bool threads; /* several threads of this process use the carrier */
	/* the processor matches messages even if the interface could do it */
	bool host_match;
	uint32_t (*combine)(unsigned op, unsigned type, void *acc,
			    const void *in, size_t bytes);
	/*
	 * Executes an atomic operation: changes data as `what` requests and
	 * stores the previous bytes in old. Returns -EPROTO if `what` is
	 * invalid.
	 */
	int (*change)(const void *what, size_t operand_bytes, void *data,
		      void *old, size_t bytes);
};

/* Counters, for tests and tools. */
struct weft_carrier_stats {
	uint64_t sent;
	uint64_t received;
	uint64_t full;	  /* sends that returned -EAGAIN */
	uint64_t refused; /* invalid packets received and dropped */
	uint64_t skipped; /* slots skipped because their writers died */
	uint64_t sleeps;  /* waits that blocked in the kernel */
	/*
	 * waits counted in `sleeps` that timed out although their event had
	 * occurred
	 */
	uint64_t late;
	uint64_t wakes;	 /* waiters woken by this endpoint */
	uint64_t resent; /* retransmitted packets */
	uint64_t forged; /* refused packets that were not signed with the key */
	/* refused packets that were duplicates with a valid signature */
	uint64_t replays;
	uint64_t damaged; /* lossy: packets sent damaged, or dropped */
	uint64_t found;	  /* lossy: damaged packets detected and dropped */
	uint64_t fixed;	  /* lossy: damaged packets corrected */
	/* packets counted in `sent` that were sent as datagrams */
	uint64_t remote;
	uint64_t streams;	 /* streams that peers opened */
	uint64_t streams_broken; /* broken streams, in both directions */
	uint64_t stream_bytes;	 /* bytes received by streams */
};

/*
 * A store that another process is expected to make in a shared area: *word
 * becomes `want` or more, and the event word is notified (event_word.h). word
 * NULL and want 0: no store is expected. word NULL and want 1: several stores
 * are expected, which wait cannot watch; it yields once and returns.
 */
struct weft_carrier_watch {
	weft_au64 *word;
	uint64_t want;
	/* event word of the wait; NULL: the writer calls nudge instead */
	struct weft_event *event_word;
	/* more ranks than processors: the writer needs this processor */
	bool oversubscribed;
};

/*
 * A payload of mtu bytes that is not in memory yet: fill writes the payload to
 * its destination. A weft_fill is the only segment of its send, the segment
 * count is WEFT_IOV_FILL, and the carrier must have `fills` set.
 */
#define WEFT_IOV_FILL 254

struct weft_fill {
	void (*fill)(void *arg, size_t pos, void *to, size_t bytes);
	void *arg;
	size_t pos;
};

/*
 * A long transfer over a stream (prov/carrier/stream): bytes [start, start +
 * bytes) of the segments. The receiver of the bytes calls expect, which sets
 * the ticket, and sends the ticket to the peer in a packet; the peer calls
 * supply with this ticket. Streams only carry bytes: matching, order and
 * completion remain with packets.
 */
#define WEFT_STREAM_IOV 4

struct weft_stream_xfer {
	struct weft_list link;
	/* connection, set by the carrier; NULL: not in progress */
	void *conn;
	/* segments; valid until done or withdraw is called */
	const struct iovec *iov;
	int iov_count; /* number of segments, at most WEFT_STREAM_IOV */
	uint64_t start;
	uint64_t bytes;
	/* receiver: bytes received and valid; sender: bytes sent */
	uint64_t moved;
	uint64_t ticket;
	/*
	 * Called by poll. Receiver: all bytes have arrived, or -ECONNRESET: the
	 * stream is broken and only `moved` bytes have arrived. Sender: the
	 * memory is not needed any more; only the receiver has the number of
	 * bytes that arrived.
	 */
	void (*done)(struct weft_stream_xfer *x, int err);
};

/* Streams of a carrier. None of these functions calls a callback. */
struct weft_stream_ops {
	/*
	 * Returns -EAGAIN if the peer has not opened a stream yet, -EOPNOTSUPP
	 * if the two processes cannot use streams.
	 */
	int (*expect)(struct weft_carrier *c, struct weft_peer *peer,
		      struct weft_stream_xfer *x);
	/*
	 * Returns -EAGAIN if there is no stream to the peer; the receiver
	 * detects the broken stream.
	 */
	int (*supply)(struct weft_carrier *c, struct weft_peer *peer,
		      struct weft_stream_xfer *x);
	/* Ends a transfer without calling done. */
	void (*withdraw)(struct weft_carrier *c, struct weft_peer *peer,
			 struct weft_stream_xfer *x);
	/* Returns whether expect would succeed. */
	bool (*ready)(struct weft_carrier *c, struct weft_peer *peer);
	/* Returns whether supply would succeed. */
	bool (*writable)(struct weft_carrier *c, struct weft_peer *peer);
	/* Opens a stream to the peer in the background. */
	void (*connect)(struct weft_carrier *c, struct weft_peer *peer);
	/* Closes the stream to the peer, which has reported it broken. */
	void (*reset)(struct weft_carrier *c, struct weft_peer *peer);
};

struct weft_carrier_ops {
	const char *name;
	/* functions for streams; NULL: the carrier has no streams */
	const struct weft_stream_ops *stream;
	/* row of the table in prov/backend/backend.h */
	const struct weft_backend *backend;
	/* packets are copied in memory and cross no link that damages them */
	bool memory;
	/* Returns -EADDRINUSE if another endpoint has that name. */
	int (*open)(const struct weft_carrier_attr *attr,
		    struct weft_carrier **c_p);
	/*
	 * Closes the carrier; first waits, with a time limit, until peers can
	 * read everything that was sent.
	 */
	void (*close)(struct weft_carrier *c);
	/*
	 * Returns the complete address of this endpoint, with a hint for the
	 * lookup: pass on the whole structure.
	 */
	void (*name_get)(struct weft_carrier *c, union weft_name *name);
	/*
	 * Looks up or creates the record of a peer by address (ip, port, and a
	 * hint for the lookup). Does not connect, so the peer need not exist
	 * yet. The record of a lost peer is not returned again.
	 * Returns -EHOSTUNREACH if this carrier cannot reach the address.
	 */
	int (*peer)(struct weft_carrier *c, const union weft_name *name,
		    struct weft_peer **peer_p);
	/*
	 * Sends one packet; iov holds exactly pkt->len bytes, at most mtu.
	 * Returns 0: the carrier has copied all bytes. -EAGAIN: the FIFO is
	 * full or the peer's endpoint does not exist yet; sends to other peers
	 * are not affected. -ECONNRESET: the peer is lost. -EMSGSIZE: longer
	 * than mtu. -ENOMEM: the peer's memory cannot be mapped, and the peer
	 * is lost.
	 */
	int (*send)(struct weft_carrier *c, struct weft_peer *peer,
		    const struct weft_pkt *pkt, const struct iovec *iov,
		    int iov_count);
	/* Delivers up to budget packets; returns the number delivered. */
	int (*poll)(struct weft_carrier *c, int budget);
	/*
	 * DMA: copies between memory of this process and the peer's address
	 * space. Returns 0; -EOPNOTSUPP: no DMA between these two processes
	 * (send packets instead); -EFAULT: the peer's memory does not exist;
	 * -ECONNRESET: the peer is lost.
	 */
	int (*read)(struct weft_carrier *c, struct weft_peer *peer,
		    const struct iovec *local, int count, uint64_t remote);
	int (*write)(struct weft_carrier *c, struct weft_peer *peer,
		     const struct iovec *local, int count, uint64_t remote);
	/*
	 * Spins, then blocks until a packet may have arrived, wake was called,
	 * or timeout_ns has passed (UINT64_MAX: no timeout). The caller must
	 * poll after every return, and call wait again: wait may return 0
	 * without a packet. It does so at least ten times a second, so that
	 * poll does its housekeeping, and soon after a send that was refused
	 * with -EAGAIN. Returns -ETIMEDOUT after timeout_ns. Only in virtual
	 * time, returns -EAGAIN: a refused send can be retried; and the errors
	 * of weft_backend.verdict.
	 */
	int (*wait)(struct weft_carrier *c, uint64_t timeout_ns);
	/*
	 * Ends the current or the next wait; callable from any thread and from
	 * signal handlers.
	 */
	void (*wake)(struct weft_carrier *c);
	/*
	 * Returns a descriptor that becomes readable when a packet arrives
	 * after arm() returned 0, or -EOPNOTSUPP. arm returns -EAGAIN if a
	 * packet has arrived already. The carrier owns the descriptor.
	 */
	int (*wait_fd)(struct weft_carrier *c);
	int (*arm)(struct weft_carrier *c);
	/*
	 * Returns the shared area (share_bytes) of a peer's endpoint, or of
	 * this endpoint (peer NULL): initially zero, aligned to 64 bytes,
	 * mapped in both processes while the carrier exists. The contents are
	 * as untrusted as a packet. Returns -EAGAIN: the peer's endpoint does
	 * not exist yet; -EOPNOTSUPP: no shared memory with the peer.
	 */
	int (*share)(struct weft_carrier *c, struct weft_peer *peer,
		     void **area_p, size_t *bytes_p);
	/*
	 * Maps part of the window (window_bytes) of a peer's endpoint, or of
	 * this endpoint (peer NULL), starting at byte `offset`; offset and
	 * length are multiples of the page size. The part is initially zero and
	 * stays mapped until window_close, even if the peer is lost. Returns
	 * -EAGAIN and -EOPNOTSUPP as share does; -ECONNRESET; -ENOMEM, -EMFILE.
	 */
	int (*window)(struct weft_carrier *c, struct weft_peer *peer,
		      size_t offset, size_t bytes, void **area_p);
	void (*window_close)(struct weft_carrier *c, void *area, size_t bytes);
	/*
	 * Makes wait return also when the expected store has been made; *w is
	 * copied.
	 */
	void (*watch)(struct weft_carrier *c,
		      const struct weft_carrier_watch *w);
	/* Wakes the peer if it is blocked, after a store into a shared area. */
	void (*nudge)(struct weft_carrier *c, struct weft_peer *peer);
	/*
	 * Notifies the carrier that the peer's process has ended. The carrier
	 * delivers the packets that have arrived and then declares the peer
	 * lost. Carriers that detect the end of processes themselves do
	 * nothing.
	 */
	void (*ended)(struct weft_carrier *c, struct weft_peer *peer);
	void (*stats)(struct weft_carrier *c, struct weft_carrier_stats *s);
};

/* First member of every implementation's object. */
struct weft_carrier {
	const struct weft_carrier_ops *ops;
	size_t mtu;	    /* largest payload of one packet */
	size_t short_bytes; /* largest payload in the packet's first slot */
	bool fences; /* wakers must fence before they check for waiters */
	bool fills;  /* supports struct weft_fill */
	bool cuts;   /* supports WEFT_PKT_SPLIT_OK */
	/* sock: another descriptor that ends a wait, or -1 */
	int extra_fd;
};

/* the row of the backend table for live mode, used by all carriers except vt */
extern const struct weft_backend weft_backend_live;

extern const struct weft_carrier_ops weft_carrier_shm;
extern const struct weft_carrier_ops weft_carrier_loop;
extern const struct weft_carrier_ops weft_carrier_sock;
extern const struct weft_carrier_ops weft_carrier_hybrid;
extern const struct weft_carrier_ops weft_carrier_vt;
extern const struct weft_carrier_ops weft_carrier_lossy;

#endif
