/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachments of dynamic windows, of this process and of targets. */
#ifndef WEFT_WIN_ATTACH_H
#define WEFT_WIN_ATTACH_H

#include "src/win/win.h"

/*
 * An address of a target for fi_*, and the number of bytes up to the end of the
 * attachment.
 */
struct win_attach_place {
	uint64_t addr;
	uint64_t key;
	uint64_t bytes;
	uint32_t slot; /* index in the target's list */
	bool device;   /* device memory: fi_* cannot access it */
};

/*
 * Updates the copy of the target's list; called before an access. Returns 0 or
 * the error.
 */
int win_attach_update(struct weft_win *w, int target);

/*
 * Finds the attachment of the target that contains the address `start`. Returns
 * 0, or -ERANGE: the address is not attached.
 */
int win_attach_find(struct weft_win *w, int target, uint64_t start,
		    struct win_attach_place *p);

/*
 * Returns whether all bytes of this range of this rank's memory are attached,
 * by one or several attachments.
 */
bool win_attach_has(const struct weft_win *w, uint64_t start, uint64_t bytes);

/*
 * Returns the number of bytes, of `bytes` from address `start` of this rank,
 * that an access may treat alike: host memory of one or several attachments, or
 * device memory of one (*device_p). 0: `start` is not attached.
 */
uint64_t win_attach_part(const struct weft_win *w, uint64_t start,
			 uint64_t bytes, bool *device_p);

/*
 * Returns whether this range of the target's memory includes attached device
 * memory, as far as the target's list is known.
 */
bool win_attach_on_device(struct weft_win *w, int target, uint64_t start,
			  uint64_t bytes);

void win_attach_clear(struct weft_win *w);

/*
 * Registers memory of this rank for access by all members. *mr_p NULL: no
 * registration is needed. Returns 0 or -errno.
 */
int win_mr_open(const struct weft_win *w, void *base, size_t bytes,
		struct fid_mr **mr_p, uint64_t *key_p);
void win_mr_close(struct fid_mr *mr);

#endif
