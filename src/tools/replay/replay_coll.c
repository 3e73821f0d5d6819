/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of the replay: the algorithms of coll/, selected as in the
 * library by size, number of ranks, machine file and WEFT_COLL_ options.
 */
#include "src/tools/replay/replay_int.h"

#include "coll/coll.h"
#include "src/tools/replay/replay_call.h"
#include "src/types/types_dt.h"
#include "src/types/types_op.h"

#include <stdlib.h>

static void user_op(void *in, void *io, int *n, MPI_Datatype *type)
{
	(void)in;
	(void)io;
	(void)n;
	(void)type;
}

/* Returns an operation that is not predefined. */
static struct weft_op *other_op(bool commutes)
{
	static struct weft_op *op[2];

	if (!op[commutes] &&
	    weft_op_open(user_op, NULL, commutes, &op[commutes]))
		replay_fail("out of memory");
	return op[commutes];
}

/* predefined handles are small numbers (MPI 5.0, appendix A) */
#define HANDLE_MAX 0x3ff

static struct weft_op *op_of(const struct replay_call *c)
{
	struct weft_op *op = NULL;

	if (c->op && c->op <= HANDLE_MAX)
		op = weft_op_of((MPI_Op)(uintptr_t)c->op);
	return op ? op : other_op(c->flags & RECORD_COMMUTES);
}

static bool reduces(unsigned kind)
{
	return kind == WEFT_COLL_REDUCE || kind == WEFT_COLL_ALLREDUCE ||
	       kind == WEFT_COLL_REDUCE_SCATTER || kind == WEFT_COLL_SCAN ||
	       kind == WEFT_COLL_EXSCAN;
}

static struct weft_dt *type_of(const struct replay_call *c)
{
	struct weft_dt *dt = NULL;

	if (c->type && c->type <= HANDLE_MAX)
		dt = weft_dt_of((MPI_Datatype)(uintptr_t)c->type);
	return dt && dt->size ? dt : weft_dt_of(MPI_BYTE);
}

/*
 * Elements per rank as an array of MPI_Count, and the displacements of adjacent
 * blocks.
 */
struct arrays {
	MPI_Count *count, *place;
};

static struct arrays arrays_of(const uint64_t *from, int n, uint64_t scale)
{
	struct arrays a = { calloc((size_t)n + 1, sizeof(MPI_Count)),
			    calloc((size_t)n + 1, sizeof(MPI_Count)) };
	uint64_t sum = 0;

	if (!a.count || !a.place)
		replay_fail("out of memory");
	for (int i = 0; i < n; i++) {
		a.count[i] = (MPI_Count)(from[i] * scale);
		a.place[i] = (MPI_Count)sum;
		sum += from[i] * scale;
	}
	return a;
}

static void invalid(const char *why)
{
	replay_fail("rank %u, call %llu: invalid collective: %s",
		    replay_me->rank, (unsigned long long)replay_me->call_number,
		    why);
}

/*
 * Checks that `elements` elements of `bytes` bytes each fit in one half of the
 * scratch memory.
 */
static void check_size(uint64_t elements, uint64_t bytes)
{
	if (bytes && elements > replay_job.scratch_bytes / 2 / bytes)
		invalid("its vectors are too long");
}

/*
 * Returns the send or the receive buffer of a call. The send buffer begins at
 * the start of the scratch memory, the receive buffer in its second half, since
 * algorithms require different buffers.
 */
static struct weft_coll_side side_of(const struct replay_call *c, bool in,
				     struct arrays *a)
{
	struct weft_dt *dt = type_of(c);
	uint64_t size = (uint64_t)replay_comm_of(c->comm)->size;
	uint64_t scale = dt->size == (MPI_Count)c->type_bytes
				 ? 1
				 : c->type_bytes / (uint64_t)dt->size;
	uint64_t n = in ? c->recv : c->send;
	const uint64_t *each = in ? c->recvs : c->sends;
	struct weft_coll_side s = {
		.buf = replay_job.scratch +
		       (in ? replay_job.scratch_bytes / 2 : 0),
		.count = (MPI_Count)(n * scale),
		.dt = dt,
	};

	if (c->type_bytes > REPLAY_BYTES_MAX)
		invalid("its elements are too long");
	check_size(n, c->type_bytes * size);
	/*
	 * in a scatter, MPI_IN_PLACE is the receive buffer: the root keeps its
	 * own block
	 */
	if (in == (c->coll == WEFT_COLL_SCATTER) && c->flags & RECORD_IN_PLACE)
		s.buf = MPI_IN_PLACE;
	if (!each)
		return s;
	if ((in ? c->recv_count : c->send_count) != size)
		invalid("its counts do not fit the communicator");
	for (uint64_t i = 0; i < size; i++)
		check_size(each[i], c->type_bytes * size);
	*a = arrays_of(each, (int)size, scale);
	s.counts = (struct weft_coll_array){ a->count, true };
	s.displs = (struct weft_coll_array){ a->place, true };
	return s;
}

static const char *const names[WEFT_COLL_KINDS] = {
	[WEFT_COLL_BARRIER] = "MPI_Barrier",
	[WEFT_COLL_BCAST] = "MPI_Bcast",
	[WEFT_COLL_REDUCE] = "MPI_Reduce",
	[WEFT_COLL_ALLREDUCE] = "MPI_Allreduce",
	[WEFT_COLL_GATHER] = "MPI_Gather",
	[WEFT_COLL_SCATTER] = "MPI_Scatter",
	[WEFT_COLL_ALLGATHER] = "MPI_Allgather",
	[WEFT_COLL_ALLTOALL] = "MPI_Alltoall",
	[WEFT_COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter",
	[WEFT_COLL_SCAN] = "MPI_Scan",
	[WEFT_COLL_EXSCAN] = "MPI_Exscan",
};

static void run(const struct weft_coll_args *a, bool later,
		struct weft_req **req_p)
{
	int rc = later ? weft_coll_start(a, req_p) : weft_coll_run(a);

	if (rc)
		replay_fail("rank %u, call %llu (%s): failed (%d)",
			    replay_me->rank,
			    (unsigned long long)replay_me->call_number,
			    replay_me->call, -rc);
}

struct weft_req *replay_coll_call(const struct replay_call *c)
{
	struct weft_comm *comm = replay_comm_of(c->comm);
	struct arrays s = { NULL, NULL }, r = { NULL, NULL };
	struct weft_coll_args a = { .kind = (enum weft_coll_kind)c->coll,
				    .comm = comm,
				    .root = (int)c->root,
				    .uneven = c->flags & RECORD_UNEVEN };
	struct weft_req *req = NULL;

	if (!comm || c->coll >= WEFT_COLL_KINDS || !names[c->coll] ||
	    c->root < 0 || c->root >= comm->size)
		invalid("no such kind, root or communicator");
	replay_me->call = names[c->coll];
	if (reduces(c->coll))
		a.op = op_of(c);
	a.s = side_of(c, false, &s);
	a.r = side_of(c, true, &r);
	run(&a, c->flags & RECORD_LATER, &req);
	/* a nonblocking collective may still read the arrays */
	if (!(c->flags & RECORD_LATER)) {
		free(s.count);
		free(s.place);
		free(r.count);
		free(r.place);
	}
	return req;
}
