/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective steps implemented by point-to-point messages; see comm_channel.h.
 */
#include "src/comm/comm_channel.h"

#include "src/types/types_dt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct weft_channel weft_channel_of(struct weft_comm *c)
{
	return (struct weft_channel){ c, WEFT_P2P_COLL, weft_comm_next_tag(c) };
}

void weft_channel_scratch(struct weft_comm *s, uint64_t ctx, const int *proc,
			  int n, int rank)
{
	memset(s, 0, sizeof(*s));
	weft_obj_init(&s->obj, WEFT_KIND_COMM);
	s->ctx = ctx;
	s->proc = proc;
	s->peers = n;
	s->reach = (unsigned)n;
	s->size = n;
	s->rank = rank;
}

struct weft_p2p_args weft_channel_args(const struct weft_channel *m,
				       const void *buf, size_t bytes, int peer)
{
	return (struct weft_p2p_args){ (void *)(uintptr_t)buf,
				       (MPI_Count)bytes,
				       weft_dt_of(MPI_BYTE),
				       peer,
				       m->tag,
				       m->comm,
				       m->flags };
}

/* Broadcasts by a binomial tree: ceil(log2 n) messages on the longest path. */
int weft_channel_bcast(const struct weft_channel *m, int root, void *buf,
		       size_t bytes)
{
	int n = m->comm->size;
	int me = (m->comm->rank - root + n) % n;
	struct weft_p2p_args a = weft_channel_args(m, buf, bytes, 0);
	int bit = 1;
	int rc = 0;

	while (bit < n && !(me & bit))
		bit <<= 1;
	if (me) {
		a.peer = (me - bit + root) % n;
		rc = weft_core_recv(&a, MPI_STATUS_IGNORE);
	}
	for (bit >>= 1; bit && !rc; bit >>= 1)
		if (me + bit < n) {
			a.peer = (me + bit + root) % n;
			rc = weft_core_send(&a);
		}
	return rc;
}

int weft_channel_swap(const struct weft_channel *m, int peer, const void *a,
		      size_t a_bytes, void *b, size_t b_bytes)
{
	const struct weft_p2p_args send =
		weft_channel_args(m, a, a_bytes, peer);
	const struct weft_p2p_args recv =
		weft_channel_args(m, b, b_bytes, peer);

	return weft_core_sendrecv(&send, &recv, MPI_STATUS_IGNORE);
}

/*
 * Gathers the blocks of all ranks: each step doubles the number of blocks in
 * every rank; n need not be a power of two.
 */
static int gather_steps(const struct weft_channel *m, char *tmp, size_t bytes)
{
	int n = m->comm->size;
	int me = m->comm->rank;
	int dist;
	int rc = 0;

	for (dist = 1; dist < n && !rc; dist <<= 1) {
		int cnt = dist < n - dist ? dist : n - dist;
		size_t len = (size_t)cnt * bytes;
		struct weft_p2p_args send =
			weft_channel_args(m, tmp, len, (me - dist + n) % n);
		struct weft_p2p_args recv = weft_channel_args(
			m, tmp + (size_t)dist * bytes, len, (me + dist) % n);

		rc = weft_core_sendrecv(&send, &recv, MPI_STATUS_IGNORE);
	}
	return rc;
}

int weft_channel_allgather(const struct weft_channel *m, void *all,
			   size_t bytes)
{
	int n = m->comm->size;
	int me = m->comm->rank;
	char *tmp = malloc((size_t)n * bytes);
	int i, rc;

	if (!tmp)
		return -ENOMEM;
	memcpy(tmp, (char *)all + (size_t)me * bytes, bytes);
	rc = gather_steps(m, tmp, bytes);
	for (i = 0; i < n; i++)
		memcpy((char *)all + (size_t)((me + i) % n) * bytes,
		       tmp + (size_t)i * bytes, bytes);
	free(tmp);
	return rc;
}

/*
 * Dissemination: after each step the flag of a rank includes the flags of twice
 * as many ranks; n need not be a power of two. Each message has one byte.
 */
int weft_channel_any(const struct weft_channel *m, bool *flag_p)
{
	int n = m->comm->size, me = m->comm->rank, rc = 0;
	char mine = (char)*flag_p, other = 0;

	for (int dist = 1; dist < n && !rc; dist <<= 1) {
		struct weft_p2p_args send =
			weft_channel_args(m, &mine, 1, (me - dist + n) % n);
		struct weft_p2p_args recv =
			weft_channel_args(m, &other, 1, (me + dist) % n);

		rc = weft_core_sendrecv(&send, &recv, MPI_STATUS_IGNORE);
		if (!rc)
			mine |= other;
	}
	if (!rc)
		*flag_p = mine != 0;
	return rc;
}
