/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the shm carrier: its objects, and the functions that its
 * files share.
 *
 *   shm_ops.c    open, close, small operations, the table
 *   shm_name.c   names: abstract sockets, ports, which addresses are local
 *   shm_map.c    mapping of a peer's region; shm_window.c its windows
 *   shm_peer.c   peer records, entries, liveness, loss of a peer
 *   shm_tx.c     send        shm_cell.c   payloads that do not fit a slot
 *   shm_rx.c     poll        shm_tick.c   housekeeping every few polls
 *   shm_wait.c   wait, wake, arm
 *   shm_dma.c    read, write              shm_id.c     process identity
 *   shm_life.c   liveness of peers        shm_reach.c  reachability by memory
 *   shm_sock.c   messages through the listening socket
 */
#ifndef WEFT_CARRIER_SHM_H
#define WEFT_CARRIER_SHM_H

#include "prov/carrier/carrier.h"
#include "prov/carrier/shm/shm_layout.h"
#include "src/base/hash.h"
#include "src/base/list.h"
#include "src/os/waiter.h"
#include "src/base/pool.h"
#include "src/base/region.h"

#include <sys/types.h>

#define SHM_SLOTS      1024
#define SHM_ENTRIES    8192
#define SHM_CELLS      256
#define SHM_CELL_BYTES 8192
#define SHM_MAP_NAME   "weft-shm"
#define SHM_NO_CELL    UINT16_MAX
#define SHM_NO_WRITER  UINT16_MAX

static_assert(SHM_CELLS < SHM_NO_CELL && SHM_ENTRIES < SHM_NO_WRITER &&
		      SHM_CELL_BYTES <= UINT16_MAX,
	      "indices of 16 bits");

/*
 * A mapped region as seen by one process. The geometry is copied here and
 * checked once; it is not read from shared memory again.
 */
struct shm_view {
	struct shm_head *head;
	weft_au64 *owner;
	struct shm_slot *slot;
	struct shm_entry *entry;
	uint8_t *cell;
	uint8_t *share;
	uint64_t share_bytes;
	uint64_t window_off; /* offset of the windows in the region */
	uint32_t slots;
	uint32_t entries;
	uint32_t cells;
	uint32_t cell_bytes;
	unsigned lg; /* slots == 1 << lg */
	struct shm_map *map;
};

/* A mapping with its reference count. */
struct shm_map {
	struct weft_region region;
	uint64_t bytes; /* size of the whole region, mapped or not */
	dev_t dev;	/* device and inode that identify the region */
	ino_t ino;
	uint64_t cookie;
	/* number of references, protected by map_lock in shm_map.c */
	unsigned refs;
	struct weft_list node; /* node in map_own of shm_map.c, or in no list */
};

/*
 * Process identity that survives pid reuse: pid, start time and a random
 * cookie.
 */
struct shm_id {
	uint32_t pid;
	/* pid namespace of pid; 0: unknown, no other process matches */
	uint32_t ns;
	uint64_t start;
	uint64_t cookie;
};

enum shm_state {
	SHM_PEER_NEW,
	SHM_PEER_UP,   /* mapped, with an entry in the peer's table */
	SHM_PEER_LOST, /* dead, or about to be reported lost */
};

struct shm_peer {
	struct weft_peer base;
	/*
	 * Sending. The fast path uses the fields up to head_seen: one cache
	 * line.
	 */
	uint8_t state; /* enum shm_state */
	bool fence;    /* fence before the load of the peer's wake word */
	uint8_t seq;
	uint8_t lg; /* `lg`, `head` and `slot` are copies from view */
	/* index of this endpoint's entry in the peer's table */
	uint16_t writer;
	struct shm_head *head;
	struct shm_slot *slot;
	/*
	 * last value read from the peer's head word; kept lower while !warm, so
	 * that the fast path enters the slow path every TX_CHECK_SLOTS slots
	 */
	uint64_t head_seen;
	bool mapped; /* view is valid */
	bool warm;   /* all pages of the peer's FIFO are populated */
	/*
	 * consecutive reads of an outdated head, which the tail exceeds by more
	 * than the FIFO size
	 */
	unsigned old_heads;
	/* value of stats.received when the peer's head was last read */
	uint64_t received_seen;
	bool shared; /* the caller has a pointer into the peer's shared area */
	union weft_name name;
	struct shm_view view;
	/* counter in the peer's table: cells that the peer has read */
	weft_au64 *cells_done;
	uint64_t cells_sent;
	uint64_t cells_reclaimed;
	/* list of cells in flight to the peer, oldest first */
	uint16_t cell_first;
	uint16_t cell_last;
	/* node in shm.cell_peers while cells are in flight */
	struct weft_list cell_node;
	/* Connection. */
	struct shm_id id; /* identity; pid 0: not known yet */
	/* socket on which the region's descriptor is awaited, or -1 */
	int sock;
	bool requested;
	/* a process listened at the peer's name in the last attempt */
	bool listens;
	/* descriptor of the region of a peer in another pid namespace, or -1 */
	int life;
	bool table_full;
	unsigned mismatches; /* attempts that found no matching region */
	uint64_t retry_ns;   /* earliest time of the next attempt, ns */
	uint64_t backoff_ns;
	/* Reception. */
	/* packets refused by the caller, struct shm_held */
	struct weft_list held;
	/* node in shm.held_peers while held is not empty */
	struct weft_list held_node;
	unsigned held_count;
	/* Loss. */
	struct weft_list end_node; /* node in shm.ending */
	uint64_t end_ticket; /* FIFO ticket after which the loss is reported */
	int end_err;
	int dma; /* 0: unknown; 1: DMA works; -errno: DMA fails */
	/* last time at which the pid was verified, ns */
	uint64_t dma_verified_ns;
};

/* Reception state of one entry of this endpoint's table. */
struct shm_rx {
	/* peer of the entry; NULL: the entry was not admitted */
	struct shm_peer *peer;
	uint64_t cells_done;
	/*
	 * {INLINE, seq, writer} of the next packet, plus one, if the fast path
	 * can receive it; 0: take the slow path
	 */
	uint32_t ready;
	uint8_t seq;
};

/* A packet that deliver() refused with -EAGAIN. */
struct shm_held {
	struct weft_list node;
	struct shm_rx *rx;
	struct weft_pkt pkt;
	uint32_t kind;
	uint8_t payload[SHM_LONG_BYTES];
};

struct shm {
	struct weft_carrier base;
	const struct weft_carrier_up *up;
	void *up_arg;
	/* Reception; rx_next is written by poll and read by wait. */
	weft_au64 rx_next;
	uint64_t rx_head; /* last value published in the region's head word */
	struct shm_view view;
	struct shm_rx *rx;
	uint8_t *rx_long; /* buffer in which a long payload is assembled */
	uint32_t rx_step; /* slots occupied by the current packet */
	uint32_t rx_used; /* all admitted entries are below this index */
	unsigned polls;
	weft_au32 nudge; /* a wait has blocked: poll does housekeeping */
	struct weft_list held_peers;
	struct weft_pool held_pool;
	struct weft_list ending;
	/* Peers. */
	struct shm_peer **peer;
	uint32_t peer_count;
	uint32_t peer_room;
	uint32_t identified;
	struct weft_hash by_name;
	struct weft_hash by_cookie;
	/* Cells of this endpoint. */
	/* links of the lists of free cells and of cells in flight */
	uint16_t *cell_next;
	/* FIFO of free cells that were used before */
	uint16_t cell_free;
	uint16_t cell_free_last;
	/* number of free cells, including those never used */
	uint16_t cell_free_count;
	uint16_t cell_unused; /* lowest cell that was never used */
	struct weft_list cell_peers;
	size_t copy_span; /* span argument of weft_copy_piece() */
	/* Identity. */
	union weft_name name;
	struct shm_id id;
	int sock; /* listening socket */
	int life; /* own region's descriptor, locked to show liveness, or -1 */
	int socks_waiting;
	struct weft_ip *local_ip; /* addresses of this host */
	unsigned local_ip_count;
	bool no_dma;
	/* Waiting. */
	struct weft_waiter waiter;
	uint32_t cpus;
	weft_au32 waits;   /* a thread is in shm_wait() */
	uint64_t armed_ns; /* time of the last arm, ns; used by arm only */
	/* waits end when this word reaches watch_want */
	_Atomic(weft_au64 *) watch_word;
	weft_au64 watch_want;
	_Atomic(struct weft_event *) watch_event; /* event word of watch_word */
	/* the kernel has no futex_waitv: a thread can block on one word only */
	bool no_waitv;
	weft_au64 late;
	int epoll;
	_Atomic int timer; /* timerfd; read by shm_wake() in any thread */
	/* Housekeeping. */
	uint64_t tick_ns;
	uint32_t tick_peer; /* next peer to be checked */
	uint32_t tick_entry;
	uint64_t stuck_ticket;
	uint64_t stuck_ns;
	uint64_t stuck_cpu;
	bool broken;
	struct weft_carrier_stats stats;
};

static_assert(offsetof(struct shm_peer, head_seen) == 48,
	      "one line on the short path");

static inline struct shm *shm_of(struct weft_carrier *c)
{
	return (struct shm *)c;
}

static inline struct shm_peer *shm_peer_of(struct weft_peer *p)
{
	return (struct shm_peer *)p;
}

/* Records the identity of p's process. */
static inline void shm_peer_identify(struct shm *s, struct shm_peer *p,
				     const struct shm_id *id)
{
	s->identified += !p->id.pid;
	p->id = *id;
}

/*
 * Returns whether p is in another pid namespace, so that its pid is not valid
 * here.
 */
static inline bool shm_peer_other_namespace(const struct shm *s,
					    const struct shm_peer *p)
{
	return p->id.cookie != s->id.cookie &&
	       (p->id.ns != s->id.ns || !s->id.ns);
}

/* shm_name.c */
int shm_name_open(struct shm *s, const union weft_name *want);
int shm_name_listen(struct shm *s);
void shm_name_close(struct shm *s);
bool shm_name_is_local(struct shm *s, const union weft_name *n);
int shm_name_connect(const union weft_name *n);
/* Both functions treat 0.0.0.0 as 127.0.0.1 and :: as ::1. */
uint64_t shm_name_key(const union weft_name *n);
bool shm_name_equal(const union weft_name *a, const union weft_name *b);
/* Returns the latest record with that name, or NULL. */
struct shm_peer *shm_name_find(const struct shm *s,
			       const union weft_name *name);
uint64_t shm_hint_make(uint32_t pid, int fd, uint64_t cookie);
uint32_t shm_hint_pid(uint64_t hint);
int shm_hint_fd(uint64_t hint);

/* shm_id.c */
/*
 * Returns whether a region has this version's format; logs a different version.
 */
bool shm_id_is_own_format(const struct shm_head *h);
int shm_id_self(struct shm_id *id);
bool shm_id_alive(const struct shm_id *id);

/* shm_life.c */
int shm_life_lock(struct shm *s);
void shm_life_unlock(struct shm *s);
void shm_life_watch(struct shm *s, struct shm_peer *p, int fd);
bool shm_peer_alive(const struct shm *s, const struct shm_peer *p);

/* shm_reach.c */
int shm_reach_open(uint32_t pid, int fd);
bool shm_reach_by_hint(const union weft_name *name);

/* shm_map.c */
int shm_map_own(struct shm *s, const struct weft_carrier_attr *attr);
void shm_map_drop(struct shm_view *v);
int shm_map_peer(struct shm *s, struct shm_peer *p);
int shm_map_fd(struct shm *s, struct shm_peer *p, int fd);
int shm_map_own_fd(const struct shm *s);
bool shm_map_is_held(const struct shm_peer *p);
void shm_map_failed(const char *what, size_t bytes, int err);

/* shm_window.c */
int shm_window(struct weft_carrier *c, struct weft_peer *peer, size_t offset,
	       size_t bytes, void **area_p);
void shm_window_close(struct weft_carrier *c, void *area, size_t bytes);

/* shm_sock.c */
void shm_sock_accept(struct shm *s);
void shm_sock_notify(struct shm_peer *p);
int shm_sock_request(struct shm *s, struct shm_peer *p);
void shm_sock_forget(struct shm *s, struct shm_peer *p);
int shm_sock_handover(struct shm *s, struct shm_peer *p);

/* shm_peer.c */
int shm_peer_get(struct shm *s, const union weft_name *name,
		 struct shm_peer **p_p);
void shm_peer_close(struct shm *s, struct shm_peer *p);
int shm_peer_map(struct shm *s, struct shm_peer *p);
int shm_peer_connect(struct shm *s, struct shm_peer *p);
bool shm_peer_refuses(const struct shm_peer *p);
struct shm_peer *shm_peer_admit(struct shm *s, uint16_t writer);
void shm_peer_fail(struct shm *s, struct shm_peer *p, int err);
void shm_peer_end(struct shm *s, struct shm_peer *p);

/* shm_tx.c */
int shm_send(struct weft_carrier *c, struct weft_peer *peer,
	     const struct weft_pkt *pkt, const struct iovec *iov,
	     int iov_count);

/* shm_cell.c */
void shm_cell_init(struct shm *s);
int shm_cell_get(struct shm *s, struct shm_peer *p, uint16_t *cell_p);
void shm_cell_put(struct shm *s, uint16_t cell);
void shm_cell_sent(struct shm *s, struct shm_peer *p, uint16_t cell);
int shm_cell_reclaim(struct shm *s, struct shm_peer *p);
void shm_cell_forget(struct shm *s, struct shm_peer *p);

/* shm_rx.c */
int shm_poll(struct weft_carrier *c, int budget);

/* shm_held.c */
int shm_held_put(struct shm *s, struct shm_rx *rx, const struct weft_pkt *pkt,
		 uint32_t kind, const uint8_t *slot);
void shm_held_free(struct shm *s, struct shm_peer *p, struct shm_held *h);
void shm_held_drop(struct shm *s, struct shm_peer *p);

/* shm_tick.c */
void shm_tick_peer(struct shm *s, struct shm_peer *p);
void shm_tick(struct shm *s);

/* shm_dma.c */
int shm_read(struct weft_carrier *c, struct weft_peer *peer,
	     const struct iovec *local, int count, uint64_t remote);
int shm_write(struct weft_carrier *c, struct weft_peer *peer,
	      const struct iovec *local, int count, uint64_t remote);

/* shm_wait.c */
void shm_wait_init(struct shm *s, const struct weft_carrier_attr *attr);
void shm_wait_peer_added(struct shm *s);
void shm_wait_fini(struct shm *s);
bool shm_wait_ready(const struct shm *s);
int shm_wait(struct weft_carrier *c, uint64_t timeout_ns);
void shm_wake(struct weft_carrier *c);
void shm_watch(struct weft_carrier *c, const struct weft_carrier_watch *w);
void shm_nudge(struct weft_carrier *c, struct weft_peer *peer);
int shm_wait_fd(struct weft_carrier *c);
int shm_arm(struct weft_carrier *c);
void shm_wake_peer(struct shm *s, struct shm_peer *p);

#endif
