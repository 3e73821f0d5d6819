/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine, by the block transfer engine. */
#ifndef WEFT_GEMINI_BULK_H
#define WEFT_GEMINI_BULK_H

#include "prov/machine/gemini/gemini_dev.h"
#include "prov/nic/nic.h"

/*
 * offset: offset of the memory handles in shared memory; used in live mode only
 */
int gemini_bulk_open(struct weft_gemini *f, size_t offset);
void gemini_bulk_close(struct weft_gemini *f);

/* Implements get and put of struct weft_unit_ops. */
int gemini_bulk_move(struct weft_gemini *f, struct weft_unit *u,
		     struct weft_peer *peer, struct weft_dma *d, bool get);
/* Execute short accesses and atomics; in virtual time only. */
int gemini_bulk_window(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d, bool get);
int gemini_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_amo *a);

/* ---- gemini_handles.c: memory handles of the engine, live ---- */

/* a handle that is never valid */
#define GEMINI_NO_HANDLE (WEFT_GEMINI_MDDS - 1u)

/*
 * Adds shared memory for the handles, before the carrier is opened; returns its
 * offset.
 */
size_t gemini_handles_reserve(struct weft_carrier_attr *attr);
int gemini_handles_init(struct weft_gemini *f, size_t offset);
void gemini_handles_fini(struct weft_gemini *f);
void gemini_handles_lost(struct weft_gemini *f, const struct weft_peer *peer);

/*
 * Returns a new handle, or -ENOSPC, -EINVAL. for_peers: peers can find the
 * handle by gemini_handle_find.
 */
int gemini_handle_open(struct weft_gemini *f, const struct iovec *mem,
		       unsigned flags, bool for_peers);
void gemini_handle_close(struct weft_gemini *f, int mdh);
/*
 * Finds the handle of a peer's memory; if there is none, sets a handle that the
 * unit refuses. -EAGAIN, -EOPNOTSUPP: no shared memory with the peer.
 */
int gemini_handle_find(struct weft_gemini *f, struct weft_peer *peer,
		       const struct iovec *mem, bool write,
		       struct weft_gemini_local *at);
/*
 * Checks the remote side of a block transfer as the target's unit would. Sets
 * the status and, if it is OK, the address in the peer; errors as for
 * gemini_handle_find.
 */
int gemini_handle_check(struct weft_gemini *f, struct weft_peer *peer,
			const struct weft_gemini_bte *cmd,
			enum weft_gemini_status *status_p, uint64_t *addr_p);
/*
 * Checks the remote side of a block transfer, memory at address `at`, as the
 * target's unit would, and sets the status; errors as for gemini_handle_find.
 * The handle that was found may have belonged to another buffer with the same
 * memory, and its owner may have closed it and opened it for other memory
 * since: then another handle is looked up.
 */
int gemini_handle_settle(struct weft_gemini *f, struct weft_peer *peer,
			 uint64_t at, const struct weft_gemini_bte *cmd,
			 enum weft_gemini_status *status_p);

/* ---- gemini_word.c: atomics of the message engine, live ---- */

/* Implements amo_word of struct weft_unit_ops. */
int gemini_word_amo(struct weft_gemini *f, struct weft_unit *u,
		    struct weft_peer *peer, struct weft_amo_word *w);

#endif
