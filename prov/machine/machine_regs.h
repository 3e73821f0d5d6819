/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory registers of a unit (range registers, memory descriptors,
 * mappings), as the units of peers read them. On a machine the target's
 * interface checks every access while its processor computes. In live mode no
 * thread emulates the target meanwhile, so the origin's unit does the target's
 * work: it reads the target's entries in shared memory, refuses accesses that
 * the entries do not allow, and copies the bytes.
 *
 *   offset   0       8                  64          64 + 32 i
 *            +-------+---------+--------+-----------+-----------+
 *            | used  | counter |        | entry 0   | entry i   |
 *            +-------+---------+--------+-----------+-----------+
 *
 * `used`: all entries from this index on are empty. `counter`: byte counter
 * for the unit's use, which peers change, too. Only the owner writes entries;
 * `seq` is odd during a write, and a reader that sees seq change reads again. A
 * process that writes wrong entries gains nothing: the kernel allows a process
 * that can map this memory to access the owner's memory in any case.
 */
#ifndef WEFT_MACHINE_REGS_H
#define WEFT_MACHINE_REGS_H

#include "prov/machine/machine_transport.h"

struct weft_regs_entry {
	uint64_t base;
	uint64_t bytes; /* length of the range; 0: the entry is empty */
	uint64_t flags; /* permissions; the unit defines the bits */
};

struct weft_regs_area;

struct weft_regs {
	struct weft_carrier *carrier;
	size_t offset; /* offset of the area in the shared memory, bytes */
	uint32_t count;
	/* entries of this unit; NULL: the carrier shares no memory */
	struct weft_regs_area *own;
	struct weft_table peer; /* areas of peers */
	uint64_t *taken;	/* bit mask of entries in use */
};

/*
 * Adds the area to the shared memory that a carrier will open; returns its
 * offset.
 */
size_t weft_regs_reserve(struct weft_carrier_attr *attr, uint32_t count);
int weft_regs_init(struct weft_regs *r, struct weft_carrier *c, size_t offset,
		   uint32_t count);
void weft_regs_fini(struct weft_regs *r);
/* Handles the loss of a peer: its area is not read any more. */
void weft_regs_lost(struct weft_regs *r, const struct weft_peer *peer);

/* Returns the index of a free entry, `first` or higher, or -ENOSPC. */
int weft_regs_alloc(struct weft_regs *r, uint32_t first);
/* Writes an entry. An entry with 0 bytes becomes free. */
void weft_regs_set(struct weft_regs *r, uint32_t i,
		   const struct weft_regs_entry *e);

/*
 * Reads entry i of a peer's unit. -ENOENT: no such entry, or empty; -EAGAIN:
 * the peer has no endpoint yet, or is writing the entry; -EOPNOTSUPP: no shared
 * memory with the peer.
 */
int weft_regs_read(struct weft_regs *r, struct weft_peer *peer, uint32_t i,
		   struct weft_regs_entry *e);
/*
 * Finds an entry of a peer, from index `first` on, that contains the bytes and
 * has all bits of flags. -EACCES: there is no such entry; other errors as for
 * weft_regs_read.
 */
int weft_regs_find(struct weft_regs *r, struct weft_peer *peer, uint32_t first,
		   const struct weft_regs_entry *want, uint32_t *i_p,
		   struct weft_regs_entry *e);
/*
 * Returns the byte counter of a peer, or of this process (peer NULL); NULL: no
 * shared memory.
 */
weft_au64 *weft_regs_counter(struct weft_regs *r, struct weft_peer *peer);

#endif
