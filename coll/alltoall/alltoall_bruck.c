/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alltoall by Bruck's algorithm, for short blocks. Block i, for the rank at
 * distance i to the right, is routed by the bits of i: in round k each rank
 * sends all blocks i with bit k of i set, as one message, to the rank at
 * distance 2^k to the right.
 *
 * Restrictions: intracommunicators; blocks of equal size; not in place.
 * Cost: ceil(log2 p) (alpha + n / 2 beta), and three copies.
 *
 *   p = 5, block i     1  2  3  4     remaining distance
 *   k = 0 moves        1     3
 *   k = 1 moves           2  3
 *   k = 2 moves                 4
 */
#include "coll/coll_select.h"

struct bruck {
	/* packed blocks; block i is for the rank at distance i to the right */
	char *bytes;
	char *out;
	char *in;
	MPI_Count len; /* size of a block, bytes */
};

/*
 * Copies all blocks i with bit k of i set into a message, or back from a
 * message. Returns the size of the message.
 */
static MPI_Count bruck_runs(struct coll_prog *p, const struct bruck *b, int k,
			    char *msg, bool back)
{
	MPI_Count pos = 0, n;
	char *run;
	int i;

	for (i = k; i < p->size; i += 2 * k) {
		n = (p->size - i < k ? p->size - i : k) * b->len;
		run = b->bytes + i * b->len;
		coll_copy(p, back ? msg + pos : run, n, coll_byte(),
			  back ? run : msg + pos, n, coll_byte());
		pos += n;
	}
	return pos;
}

void coll_alltoall_bruck(struct coll_prog *p, const struct weft_coll_args *a)
{
	int size = p->size, i, k;
	MPI_Count n;
	struct bruck b;

	b.len = coll_block_bytes(&a->s, 0);
	b.bytes = coll_bytes(p, b.len * size);
	b.out = coll_bytes(p, b.len * ((MPI_Count)size / 2 + 1));
	b.in = coll_bytes(p, b.len * ((MPI_Count)size / 2 + 1));
	for (i = 0; i < size; i++)
		coll_copy(p, coll_block_addr(&a->s, (p->rank + i) % size),
			  a->s.count, a->s.dt, b.bytes + i * b.len, b.len,
			  coll_byte());
	for (k = 1; k < size; k <<= 1) {
		n = bruck_runs(p, &b, k, b.out, false);
		coll_recv(p, b.in, n, coll_byte(), (p->rank - k + size) % size);
		coll_send(p, b.out, n, coll_byte(), (p->rank + k) % size);
		coll_wait_all(p);
		bruck_runs(p, &b, k, b.in, true);
	}
	for (i = 0; i < size; i++)
		coll_copy(p, b.bytes + i * b.len, b.len, coll_byte(),
			  coll_block_addr(&a->r, (p->rank - i + size) % size),
			  a->r.count, a->r.dt);
}
