/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region of an endpoint: the memory that its peers may map, read and write.
 * This file documents the format, which has offsets and no pointers.
 *
 *   0            head      identity, geometry, tail, head, wake words
 *   4096         owners    writer of slot i, set where it changes (8 B each)
 *   slot_off     slots     the reception FIFO (128 B each)
 *   entry_off    entries   one per peer that sends to the owner (128 B each)
 *   cell_off     cells     payloads that the OWNER sends (cell_bytes each)
 *   share_off    share     shared area of the caller (share_bytes)
 *                windows   on the next pages: more shared memory, of which
 *                          peers map the parts they need (shm_window.c)
 *   bytes
 *
 * A slot is two cache lines; payloads of up to 32 bytes touch the first one
 * only:
 *
 *   0        8                        32                 64            128
 *   +--------+------------------------+------------------+--------------+
 *   | word   | rest of weft_pkt       | payload          | payload      |
 *   +--------+------------------------+------------------+--------------+
 *
 * A payload of up to SHM_LONG_BYTES may continue in the next slots: each holds
 * payload in all bytes except its word. That word is SKIPPED (without a
 * writer), for a receiver that reads the slot separately. The first slot is
 * published last.
 *
 * word is the first eight bytes of struct weft_pkt and is stored last. Its
 * upper half, the carrier's word, identifies the writer and shows whether the
 * slot is full:
 *
 *   31     24 23   22 21    16 15             0
 *   +--------+-------+--------+---------------+
 *   | lap    | kind  | seq    | writer        |
 *   +--------+-------+--------+---------------+
 *
 * lap is 1 on the first pass through the FIFO, 2 on the second, ... modulo 256:
 * a slot is full when its lap is that of the ticket the receiver waits for, so
 * slots are never cleared. seq counts the packets of one writer. writer is the
 * index of the sender's entry in the receiver's table.
 *
 * Pages are allocated on first touch, so a region of a few MiB costs only the
 * pages in use. Only the slots are populated all at once, when a peer sends a
 * stream of packets (tx_populate).
 */
#ifndef WEFT_CARRIER_SHM_LAYOUT_H
#define WEFT_CARRIER_SHM_LAYOUT_H

#include "prov/wire/wire.h"
#include "prov/wire/wire_name.h"
#include "src/base/atomic.h"

#include <stdalign.h>

#define SHM_MAGIC   UINT64_C(0x74666577206d6873) /* "shm weft" */
#define SHM_VERSION 5

#define SHM_SLOT_BYTES	128
/* payload bytes in the first cache line of a slot */
#define SHM_LINE_BYTES	(64 - sizeof(struct weft_pkt))
#define SHM_SHORT_BYTES (SHM_SLOT_BYTES - sizeof(struct weft_pkt))
/* payload bytes in a continuation slot */
#define SHM_MORE_BYTES	(SHM_SLOT_BYTES - 8)
#define SHM_LONG_SLOTS	5
#define SHM_LONG_MORE	((SHM_LONG_SLOTS - 1) * SHM_MORE_BYTES)
#define SHM_LONG_BYTES	(SHM_SHORT_BYTES + SHM_LONG_MORE)

/* Bits of shm_head.flags. */
#define SHM_FENCE 1u /* waiters do not use membarrier: senders must fence */

/* Values of shm_head.state. */
#define SHM_OPEN   1u
#define SHM_CLOSED 2u /* the endpoint was closed normally */
#define SHM_BROKEN 3u /* the FIFO contains impossible values */

/* Bits of shm_head.wake, set by a waiting thread. */
#define SHM_BLOCKED 1u /* the thread is in futex_wait on this word */
/* the thread waits for a connection at the listening socket */
#define SHM_ARMED   2u

struct shm_head {
	/* line 0: written once, before the socket listens */
	uint64_t magic; /* magic and version: same offset in all versions */
	uint32_t version;
	uint32_t flags;
	uint64_t bytes;
	/* random number that distinguishes generations of a name */
	uint64_t cookie;
	uint32_t pid;
	uint32_t ns;	/* pid namespace of the owner, see shm_id.c */
	uint64_t start; /* start time of pid, from /proc/PID/stat */
	uint64_t base;	/* address at which the owner mapped the region */
	uint64_t share_bytes;
	/* line 1: written once */
	uint32_t slots; /* a power of two */
	uint32_t entries;
	uint32_t cells;
	uint32_t cell_bytes;
	uint64_t slot_off;
	uint64_t entry_off;
	uint64_t cell_off;
	uint64_t share_off;
	uint16_t port; /* port of the endpoint's address, network byte order */
	uint16_t pad[3];
	uint64_t hint; /* pid, fd and cookie of the region (shm_name.c) */
	/* line 2: written by senders: {ticket:48, writer:16} */
	alignas(64) weft_au64 tail;
	/* line 3: number of slots read; the owner updates it every few slots */
	alignas(64) weft_au64 head;
	/* line 4: wake is written by the waiter and the waking sender */
	alignas(64) weft_au32 wake;
	weft_au32 state;
	/* line 5: written by peers that claim an entry */
	alignas(64) weft_au32 entry_next;
};

static_assert(offsetof(struct shm_head, slots) == 64 &&
		      offsetof(struct shm_head, tail) == 128 &&
		      offsetof(struct shm_head, head) == 192 &&
		      offsetof(struct shm_head, wake) == 256 &&
		      offsetof(struct shm_head, entry_next) == 320 &&
		      sizeof(struct shm_head) == 384,
	      "shared format");

#define SHM_OWNER_OFF 4096

struct shm_slot {
	/* line 0: written by the writer of the slot, word last */
	alignas(SHM_SLOT_BYTES) weft_au64 word;
	uint64_t rest[3]; /* remaining bytes of struct weft_pkt */
	uint8_t payload[SHM_SHORT_BYTES];
};

static_assert(sizeof(struct shm_slot) == SHM_SLOT_BYTES &&
		      offsetof(struct shm_slot, rest) == 8 &&
		      offsetof(struct shm_slot, payload) == 32,
	      "shared format");

/* Kinds of slots (field `kind`). */
#define SHM_INLINE  0u /* the payload is in the slot */
/* the payload is in a cell of the writer; payload[0..3] is the cell's index */
#define SHM_CELL    1u
/* no packet: the writer died, or the slot continues a LONG packet */
#define SHM_SKIPPED 2u
#define SHM_LONG    3u /* the payload continues in the next slots */

/* Returns the number of slots of a LONG packet. */
static inline uint32_t shm_long_slots(uint32_t len)
{
	return 1 + (uint32_t)((len - SHM_SHORT_BYTES + SHM_MORE_BYTES - 1) /
			      SHM_MORE_BYTES);
}

/*
 * States of an entry, in the low byte of shm_entry.state; the high half is the
 * pid.
 */
#define SHM_FREE    0u
#define SHM_CLAIMED 1u /* being filled by a sender */
#define SHM_READY   2u
#define SHM_LEFT    3u /* the sender has closed */

/* value of cells_done: the owner refuses all further packets */
#define SHM_REFUSED UINT64_MAX

struct shm_entry {
	/*
	 * line 0: written by the sender; the owner only frees the entry. The
	 * pid in `state` is 0 while a sender in another pid namespace fills the
	 * entry (CLAIMED).
	 */
	alignas(128) weft_au64 state; /* {pid:32, 0:24, state:8} */
	uint64_t start;
	uint64_t cookie; /* cookie of the sender's region */
	uint64_t hint;	 /* pid, fd and cookie of the sender's region */
	struct weft_ip ip;
	uint16_t port;
	uint16_t pad;
	uint32_t ns; /* pid namespace of the sender */
	/*
	 * line 1: number of the sender's cells that the owner has read, written
	 * by the owner
	 */
	alignas(64) weft_au64 cells_done;
};

static_assert(sizeof(struct shm_entry) == 128 &&
		      offsetof(struct shm_entry, cells_done) == 64,
	      "shared format");

/*
 * Functions that build the carrier's word (upper half of a slot's word) and
 * extract its fields.
 */
static inline uint32_t shm_word(uint8_t lap, uint32_t kind, uint8_t seq,
				uint16_t writer)
{
	return (uint32_t)lap << 24 | kind << 22 | (uint32_t)(seq & 63) << 16 |
	       writer;
}

static inline uint8_t shm_word_lap(uint32_t w)
{
	return (uint8_t)(w >> 24);
}

static inline uint32_t shm_word_kind(uint32_t w)
{
	return w >> 22 & 3;
}

static inline uint8_t shm_word_seq(uint32_t w)
{
	return w >> 16 & 63;
}

static inline uint16_t shm_word_writer(uint32_t w)
{
	return (uint16_t)w;
}

/*
 * A slot's word is {type, flags, len, carrier} in memory. These functions split
 * and join it in registers, for both byte orders.
 */
static inline uint64_t shm_slot_word(uint32_t low, uint32_t carrier)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (uint64_t)carrier << 32 | low;
#else
	return (uint64_t)low << 32 | carrier;
#endif
}

static inline uint32_t shm_slot_carrier(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (uint32_t)(word >> 32);
#else
	return (uint32_t)word;
#endif
}

/* Returns the lap of a ticket in a FIFO of 1 << lg slots. */
static inline uint8_t shm_lap(uint64_t ticket, unsigned lg)
{
	return (uint8_t)((ticket >> lg) + 1);
}

/* Makes {ticket, writer} as stored in tail and in the owner words. */
static inline uint64_t shm_tail_make(uint64_t ticket, uint16_t writer)
{
	return ticket << 16 | writer;
}

static inline uint64_t shm_tail_ticket(uint64_t t)
{
	return t >> 16;
}

static inline uint16_t shm_tail_writer(uint64_t t)
{
	return (uint16_t)t;
}

#endif
