/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory handles of the message engine, live: one for each buffer and region
 * that peers may access, and for each local segment of a block transfer. The
 * memory descriptors are also in shared memory (machine_regs.h), where the unit
 * of a peer finds the handle of a buffer and does the target's checks: valid
 * handle, protection tag, bounds, permission. Handle 0 is the mailbox of the
 * requester; the last handle is never opened.
 */
#include "prov/machine/gemini/gemini_bulk.h"
#include "prov/machine/machine_regs.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_HANDLE 1
/* maximum number of handles tried for one access */
#define TRIES	     100
#define FOR_PEERS    (UINT64_C(1) << 16) /* handle may be used by peers */

/*
 * Returns the flags of a published entry: flags of the handle, and protection
 * tag.
 */
static uint64_t entry_flags(unsigned flags, unsigned ptag)
{
	return flags | (uint64_t)ptag << 8;
}

size_t gemini_handles_reserve(struct weft_carrier_attr *attr)
{
	return weft_regs_reserve(attr, GEMINI_NO_HANDLE);
}

int gemini_handles_init(struct weft_gemini *f, size_t offset)
{
	int err;

	f->handles = calloc(1, sizeof(*f->handles));
	if (!f->handles)
		return -ENOMEM;
	err = weft_regs_init(f->handles, f->port.carrier, offset,
			     GEMINI_NO_HANDLE);
	if (err) {
		free(f->handles);
		f->handles = NULL;
	}
	return err;
}

void gemini_handles_fini(struct weft_gemini *f)
{
	if (f->handles)
		weft_regs_fini(f->handles);
	free(f->handles);
	f->handles = NULL;
}

void gemini_handles_lost(struct weft_gemini *f, const struct weft_peer *peer)
{
	if (f->handles)
		weft_regs_lost(f->handles, peer);
}

int gemini_handle_open(struct weft_gemini *f, const struct iovec *mem,
		       unsigned flags, bool for_peers)
{
	const struct weft_regs_entry e = {
		.base = (uintptr_t)mem->iov_base,
		.bytes = mem->iov_len,
		.flags = entry_flags(flags, f->ptag) |
			 (for_peers ? FOR_PEERS : 0),
	};
	int i;

	if (!e.bytes || e.bytes > GEMINI_OFFSET_MASK)
		return -EINVAL;
	i = weft_regs_alloc(f->handles, FIRST_HANDLE);
	if (i < 0)
		return i;
	f->mdd[i] = (struct gemini_mdd){
		.base = e.base,
		.bytes = e.bytes,
		.flags = (uint8_t)flags,
		.ptag = f->ptag,
		.cq = WEFT_GEMINI_NO_CQ,
		.valid = true,
	};
	weft_regs_set(f->handles, (uint32_t)i, &e);
	return i;
}

void gemini_handle_close(struct weft_gemini *f, int mdh)
{
	const struct weft_regs_entry none = { 0 };

	f->mdd[mdh].valid = false;
	weft_regs_set(f->handles, (uint32_t)mdh, &none);
}

int gemini_handle_find(struct weft_gemini *f, struct weft_peer *peer,
		       const struct iovec *mem, bool write,
		       struct weft_gemini_local *at)
{
	const struct weft_regs_entry want = {
		.base = (uintptr_t)mem->iov_base,
		.bytes = mem->iov_len,
		.flags = FOR_PEERS | (write ? WEFT_GEMINI_WRITABLE : 0),
	};
	struct weft_regs_entry e;
	uint32_t i;
	int err = weft_regs_find(f->handles, peer, FIRST_HANDLE, &want, &i, &e);

	if (err == -EACCES) {
		/* the unit refuses this handle */
		*at = (struct weft_gemini_local){ .mdh = GEMINI_NO_HANDLE };
		return 0;
	}
	if (!err)
		*at = (struct weft_gemini_local){ .mdh = (uint16_t)i,
						  .offset =
							  want.base - e.base };
	return err;
}

int gemini_handle_check(struct weft_gemini *f, struct weft_peer *peer,
			const struct weft_gemini_bte *cmd,
			enum weft_gemini_status *status_p, uint64_t *addr_p)
{
	struct weft_regs_entry e = { 0 };
	struct gemini_mdd m = { 0 };
	int err = weft_regs_read(f->handles, peer, cmd->remote.mdh, &e);

	if (err && err != -ENOENT)
		return err;
	m.valid = !err;
	m.base = e.base;
	m.bytes = e.bytes;
	m.flags = (uint8_t)e.flags;
	if (m.valid && (uint8_t)(e.flags >> 8) != f->ptag)
		*status_p = WEFT_GEMINI_PROTECTION;
	else
		*status_p = gemini_translate(&m, cmd->remote.offset, cmd->bytes,
					     cmd->type == WEFT_GEMINI_BTE_PUT,
					     addr_p);
	return 0;
}

int gemini_handle_settle(struct weft_gemini *f, struct weft_peer *peer,
			 uint64_t at, const struct weft_gemini_bte *cmd,
			 enum weft_gemini_status *status_p)
{
	const struct iovec mem = { (void *)(uintptr_t)at, cmd->bytes };
	struct weft_gemini_bte c = *cmd;
	uint64_t there = 0;
	int err = 0;

	for (int tries = 0; tries < TRIES && !err; tries++) {
		err = gemini_handle_check(f, peer, &c, status_p, &there);
		if (err || c.remote.mdh == GEMINI_NO_HANDLE ||
		    (!*status_p && there == at))
			return err;
		err = gemini_handle_find(f, peer, &mem,
					 c.type == WEFT_GEMINI_BTE_PUT,
					 &c.remote);
	}
	return err ? err : -EAGAIN;
}
