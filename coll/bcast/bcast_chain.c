/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast along a chain, in segments: a rank forwards one segment while the
 * next one arrives.
 *
 * Restrictions: intracommunicators only.
 * Cost: (p - 2 + n / s) (alpha + s beta) with segments of s bytes.
 *
 *   p = 3, root 1, segments a b c
 *                  1->2     a  b  c
 *                  2->0        a  b  c
 */
#include "coll/coll_select.h"

enum { CHAIN_SEGMENT = 64 * 1024 };

static MPI_Count chain_len(MPI_Count total, MPI_Count pos)
{
	return total - pos < CHAIN_SEGMENT ? total - pos : CHAIN_SEGMENT;
}

void coll_bcast_chain(struct coll_prog *p, const struct weft_coll_args *a)
{
	int v = (p->rank - a->root + p->size) % p->size;
	int left = (p->rank - 1 + p->size) % p->size;
	int right = (p->rank + 1) % p->size;
	unsigned next = COLL_NO_MSG, now;
	MPI_Count pos, len;
	struct coll_flat f;

	coll_flat_open(p, &a->r, &f);
	if (v == 0)
		coll_flat_pack(p, &f);
	else
		next = coll_recv(p, f.bytes, chain_len(f.len, 0), coll_byte(),
				 left);
	for (pos = 0; pos < f.len; pos += len) {
		len = chain_len(f.len, pos);
		now = next;
		if (v != 0)
			next = coll_recv(p, f.bytes + pos + len,
					 chain_len(f.len, pos + len),
					 coll_byte(), left);
		coll_wait(p, now);
		if (v + 1 < p->size)
			coll_send(p, f.bytes + pos, len, coll_byte(), right);
	}
	if (v == 0)
		return;
	coll_wait_all(p);
	coll_flat_unpack(p, &f);
}
