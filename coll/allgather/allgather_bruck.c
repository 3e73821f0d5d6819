/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allgather by Bruck's algorithm. Each rank collects blocks in a temporary
 * buffer that begins with its own block. In round k the rank sends its first
 * 2^k blocks to the rank at distance 2^k to the left. At the end it copies the
 * blocks to their positions.
 *
 * Restrictions: intracommunicators only; supports the v form, since every rank
 * knows all counts.
 * Cost: ceil(log2 p) alpha + (p - 1) / p n beta, and a copy of n bytes.
 *
 *   p = 5       rank  0      1      2      3      4
 *   k = 0             ab     bc     cd     de     ea
 *   k = 1             abcd   bcde   cdea   deab   eabc
 *   k = 2             abcde  bcdea  cdeab  deabc  eabcd
 */
#include "coll/coll_select.h"

/*
 * Returns the byte offsets of the blocks, starting with this rank's block; the
 * last entry is the total size.
 */
static MPI_Count *bruck_offsets(struct coll_prog *p,
				const struct weft_coll_args *a)
{
	MPI_Count room = (p->size + 1) * (MPI_Count)sizeof(MPI_Count);
	MPI_Count *off = coll_bytes(p, room);
	int i;

	if (!off)
		return NULL;
	off[0] = 0;
	for (i = 0; i < p->size; i++)
		off[i + 1] = off[i] +
			     coll_block_bytes(&a->r, (p->rank + i) % p->size);
	return off;
}

static void bruck_place(struct coll_prog *p, const struct weft_coll_args *a,
			char *bytes, const MPI_Count *off)
{
	int i, b;

	for (i = coll_in_place(&a->s) ? 1 : 0; i < p->size; i++) {
		b = (p->rank + i) % p->size;
		coll_copy(p, bytes + off[i], off[i + 1] - off[i], coll_byte(),
			  coll_block_addr(&a->r, b), coll_count(&a->r, b),
			  a->r.dt);
	}
}

void coll_allgather_bruck(struct coll_prog *p, const struct weft_coll_args *a)
{
	MPI_Count *off = bruck_offsets(p, a);
	const struct weft_coll_side *s = &a->s;
	int size = p->size, k, n;
	char *bytes;

	if (!off)
		return;
	bytes = coll_bytes(p, off[size]);
	if (coll_in_place(s))
		coll_copy(p, coll_block_addr(&a->r, p->rank),
			  coll_count(&a->r, p->rank), a->r.dt, bytes, off[1],
			  coll_byte());
	else
		coll_copy(p, s->buf, s->count, s->dt, bytes, off[1],
			  coll_byte());
	for (k = 1; k < size; k <<= 1) {
		n = k < size - k ? k : size - k;
		coll_recv(p, bytes + off[k], off[k + n] - off[k], coll_byte(),
			  (p->rank + k) % size);
		coll_send(p, bytes, off[n], coll_byte(),
			  (p->rank - k + size) % size);
		coll_wait_all(p);
	}
	bruck_place(p, a, bytes, off);
}
