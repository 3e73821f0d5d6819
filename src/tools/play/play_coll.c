/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the recorded collective calls. Elements of types that are not
 * predefined are bytes; an operation that is not predefined does nothing.
 */
#include "src/tools/play/play.h"

#include <limits.h>
#include <stdlib.h>
#include <weft/coll_call.h>

/* predefined handles are small numbers (MPI 5.0, appendix A) */
#define HANDLE_MAX 0x3ff

/* Arguments of a collective. */
struct coll {
	const struct replay_call *c;
	MPI_Comm comm;
	/* sent, received: number of elements of `type` */
	int root, sent, received;
	void *in, *out;
	MPI_Datatype type;
	MPI_Op op;
	uint64_t scale; /* number of elements of `type` per recorded element */
	/*
	 * counts and displacements per rank, for both sides; NULL: equal counts
	 */
	int *each;
	int *sent_of, *sent_at, *received_of, *received_at;
	MPI_Request *req; /* request of a nonblocking collective, or NULL */
};

#define BOTH(k, name, iname, ...)                      \
	((k)->req ? MPI_##iname(__VA_ARGS__, (k)->req) \
		  : MPI_##name(__VA_ARGS__))

/* ---- arguments ----------------------------------------------------------- */

static void none(void *in, void *io, int *n, MPI_Datatype *type)
{
	(void)in;
	(void)io;
	(void)n;
	(void)type;
}

static MPI_Op op_of(const struct replay_call *c)
{
	static MPI_Op other[2] = { MPI_OP_NULL, MPI_OP_NULL };
	bool commutes = c->flags & RECORD_COMMUTES;

	if (c->op && c->op <= HANDLE_MAX)
		return (MPI_Op)(uintptr_t)c->op;
	if (other[commutes] == MPI_OP_NULL)
		play_check(MPI_Op_create(none, commutes, &other[commutes]));
	return other[commutes];
}

static void choose_type(struct coll *k)
{
	int size = 0;

	k->type = MPI_BYTE;
	k->scale = k->c->type_bytes;
	if (!k->c->type || k->c->type > HANDLE_MAX)
		return;
	if (MPI_Type_size((MPI_Datatype)(uintptr_t)k->c->type, &size) ||
	    (uint64_t)size != k->c->type_bytes)
		play_fail("no type %llu of %llu bytes",
			  (unsigned long long)k->c->type,
			  (unsigned long long)k->c->type_bytes);
	k->type = (MPI_Datatype)(uintptr_t)k->c->type;
	k->scale = 1;
}

/*
 * Converts a number of recorded elements to a number of elements of the type.
 */
static int elements(const struct coll *k, uint64_t n)
{
	if (k->scale && n > INT_MAX / k->scale)
		play_fail("%llu elements of %llu bytes are too many",
			  (unsigned long long)n,
			  (unsigned long long)k->c->type_bytes);
	return play_int(n * k->scale);
}

/*
 * Stores the count of each rank and the displacements of adjacent blocks.
 * Returns the sum of the counts.
 */
static uint64_t lay_out(const struct coll *k, const uint64_t *from, int n,
			int *of, int *at)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++) {
		of[i] = elements(k, from[i]);
		at[i] = play_int(sum);
		sum += (uint64_t)of[i];
	}
	return sum;
}

/*
 * Sets the counts of both sides. Returns the number of elements of the longer
 * side.
 */
static uint64_t lay_out_both(struct coll *k, int n)
{
	const struct replay_call *c = k->c;
	uint64_t most = 0, sum;

	if ((c->sends && c->send_count != (uint64_t)n) ||
	    (c->recvs && c->recv_count != (uint64_t)n))
		play_fail("counts do not fit the communicator");
	k->each = calloc(4 * (size_t)n, sizeof(*k->each));
	if (!k->each)
		play_fail("out of memory");
	k->sent_of = k->each;
	k->sent_at = k->each + n;
	k->received_of = k->each + 2 * n;
	k->received_at = k->each + 3 * n;
	if (c->sends)
		most = lay_out(k, c->sends, n, k->sent_of, k->sent_at);
	if (c->recvs) {
		sum = lay_out(k, c->recvs, n, k->received_of, k->received_at);
		most = sum > most ? sum : most;
	}
	return most;
}

/* Sets the buffers. most: number of elements of the longer side */
static void set_buffers(struct coll *k, uint64_t most)
{
	const struct replay_call *c = k->c;
	uint64_t bytes = most * (k->type == MPI_BYTE ? 1 : c->type_bytes);
	bool in_place = c->flags & RECORD_IN_PLACE;

	k->in = play_out(bytes);
	k->out = play_in(bytes);
	if (in_place && c->coll == WEFT_COLL_SCATTER)
		k->out = MPI_IN_PLACE;
	else if (in_place)
		k->in = MPI_IN_PLACE;
}

static void set_arguments(struct coll *k)
{
	const struct replay_call *c = k->c;
	uint64_t most;
	int n = 0;

	play_check(MPI_Comm_size(k->comm, &n));
	if (c->root < 0 || c->root >= n)
		play_fail("no root %lld", (long long)c->root);
	choose_type(k);
	k->root = (int)c->root;
	k->sent = elements(k, c->send);
	k->received = elements(k, c->recv);
	most = (uint64_t)(k->sent > k->received ? k->sent : k->received) *
	       (uint64_t)n;
	if (c->flags & RECORD_UNEVEN) {
		uint64_t listed = lay_out_both(k, n);

		most = listed > most ? listed : most;
	}
	set_buffers(k, most);
}

/* ---- calls --------------------------------------------------------------- */

static int run_reduction(struct coll *k)
{
	k->op = op_of(k->c);
	switch (k->c->coll) {
	case WEFT_COLL_REDUCE:
		return BOTH(k, Reduce, Ireduce, k->in, k->out, k->received,
			    k->type, k->op, k->root, k->comm);
	case WEFT_COLL_ALLREDUCE:
		return BOTH(k, Allreduce, Iallreduce, k->in, k->out,
			    k->received, k->type, k->op, k->comm);
	case WEFT_COLL_SCAN:
		return BOTH(k, Scan, Iscan, k->in, k->out, k->received, k->type,
			    k->op, k->comm);
	case WEFT_COLL_EXSCAN:
		return BOTH(k, Exscan, Iexscan, k->in, k->out, k->received,
			    k->type, k->op, k->comm);
	default:
		if (k->each)
			return BOTH(k, Reduce_scatter, Ireduce_scatter, k->in,
				    k->out, k->received_of, k->type, k->op,
				    k->comm);
		return BOTH(k, Reduce_scatter_block, Ireduce_scatter_block,
			    k->in, k->out, k->received, k->type, k->op,
			    k->comm);
	}
}

static int run_even(const struct coll *k)
{
	switch (k->c->coll) {
	case WEFT_COLL_BARRIER:
		return k->req ? MPI_Ibarrier(k->comm, k->req)
			      : MPI_Barrier(k->comm);
	case WEFT_COLL_BCAST:
		return BOTH(k, Bcast, Ibcast, k->out, k->received, k->type,
			    k->root, k->comm);
	case WEFT_COLL_GATHER:
		return BOTH(k, Gather, Igather, k->in, k->sent, k->type, k->out,
			    k->received, k->type, k->root, k->comm);
	case WEFT_COLL_SCATTER:
		return BOTH(k, Scatter, Iscatter, k->in, k->sent, k->type,
			    k->out, k->received, k->type, k->root, k->comm);
	case WEFT_COLL_ALLGATHER:
		return BOTH(k, Allgather, Iallgather, k->in, k->sent, k->type,
			    k->out, k->received, k->type, k->comm);
	default:
		return BOTH(k, Alltoall, Ialltoall, k->in, k->sent, k->type,
			    k->out, k->received, k->type, k->comm);
	}
}

static int run_uneven(const struct coll *k)
{
	switch (k->c->coll) {
	case WEFT_COLL_GATHER:
		return BOTH(k, Gatherv, Igatherv, k->in, k->sent, k->type,
			    k->out, k->received_of, k->received_at, k->type,
			    k->root, k->comm);
	case WEFT_COLL_SCATTER:
		return BOTH(k, Scatterv, Iscatterv, k->in, k->sent_of,
			    k->sent_at, k->type, k->out, k->received, k->type,
			    k->root, k->comm);
	case WEFT_COLL_ALLGATHER:
		return BOTH(k, Allgatherv, Iallgatherv, k->in, k->sent, k->type,
			    k->out, k->received_of, k->received_at, k->type,
			    k->comm);
	case WEFT_COLL_ALLTOALL:
		return BOTH(k, Alltoallv, Ialltoallv, k->in, k->sent_of,
			    k->sent_at, k->type, k->out, k->received_of,
			    k->received_at, k->type, k->comm);
	default:
		return run_even(k);
	}
}

static int run(struct coll *k)
{
	switch (k->c->coll) {
	case WEFT_COLL_REDUCE:
	case WEFT_COLL_ALLREDUCE:
	case WEFT_COLL_REDUCE_SCATTER:
	case WEFT_COLL_SCAN:
	case WEFT_COLL_EXSCAN:
		return run_reduction(k);
	case WEFT_COLL_NEIGHBOR_ALLGATHER:
	case WEFT_COLL_NEIGHBOR_ALLTOALL:
		play_fail("collectives of neighbours cannot be replayed");
	default:
		return k->each ? run_uneven(k) : run_even(k);
	}
}

void play_coll(const struct replay_call *c)
{
	MPI_Request req = MPI_REQUEST_NULL;
	struct coll k = { .c = c,
			  .comm = play_comm(c->comm),
			  .req = c->flags & RECORD_LATER ? &req : NULL };

	set_arguments(&k);
	play_check(run(&k));
	/*
	 * k.each is kept, because a nonblocking collective reads its counts
	 * until it is complete
	 */
	if (k.req)
		play_open(c->req, req, k.each);
	else
		free(k.each);
}
