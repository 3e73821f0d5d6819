/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective call between the application and coll/. Every MPI_X writes its
 * arguments into struct mpi_coll by one of the constructors below, which the
 * int and the MPI_Count form share, and passes it to one of the three calls at
 * the end: blocking, nonblocking, persistent.
 */
#ifndef WEFT_MPI_COLL_ARGS_H
#define WEFT_MPI_COLL_ARGS_H

#include "coll/coll.h"

/* A buffer as the application describes it. */
struct mpi_side {
	void *buf;
	MPI_Count count;
	MPI_Datatype type;
	struct weft_coll_array counts;
	struct weft_coll_array displs;
	const MPI_Datatype *types;
	int nargs; /* number of arguments of this side */
};

struct mpi_coll {
	const char *func;
	MPI_Comm comm;
	MPI_Op op;
	MPI_Datatype stype;
	MPI_Datatype rtype;
	int s_arg; /* positions of the buffer arguments, from 1 */
	int r_arg;
	int s_type_arg; /* positions of the type arguments */
	int r_type_arg;
	int comm_arg; /* position of the communicator; a root precedes it */
	struct weft_coll_args a;
};

/* The name and the weak alias of a function in a body of mpi_coll_forms.h. */
#define COLL(X, x)	PMPI(FORM(X, x))
#define COLL_WEAK(X, x) MPI_WEAK(FORM(X, x))

static inline struct weft_coll_array mpi_ints(const int *at)
{
	return (struct weft_coll_array){ at, false };
}

static inline struct weft_coll_array mpi_counts(const MPI_Count *at)
{
	return (struct weft_coll_array){ at, true };
}

static inline struct weft_coll_array mpi_aints(const MPI_Aint *at)
{
	return (struct weft_coll_array){ at, true };
}

static inline struct mpi_side mpi_side(const void *buf, MPI_Count count,
				       MPI_Datatype type)
{
	return (struct mpi_side){
		.buf = (void *)(uintptr_t)buf,
		.count = count,
		.type = type,
		.nargs = 3,
	};
}

static inline struct mpi_side mpi_side_v(const void *buf,
					 struct weft_coll_array counts,
					 struct weft_coll_array displs,
					 MPI_Datatype type)
{
	return (struct mpi_side){
		.buf = (void *)(uintptr_t)buf,
		.counts = counts,
		.displs = displs,
		.type = type,
		.nargs = 4,
	};
}

static inline struct mpi_side mpi_side_w(const void *buf,
					 struct weft_coll_array counts,
					 struct weft_coll_array displs,
					 const MPI_Datatype *types)
{
	return (struct mpi_side){
		.buf = (void *)(uintptr_t)buf,
		.counts = counts,
		.displs = displs,
		.types = types,
		.nargs = 4,
	};
}

static inline struct weft_coll_side mpi_side_open(const struct mpi_side *s)
{
	return (struct weft_coll_side){
		.buf = s->buf,
		.count = s->count,
		.counts = s->counts,
		.displs = s->displs,
		.types = s->types,
	};
}

static inline struct mpi_coll mpi_barrier(const char *func, MPI_Comm comm)
{
	return (struct mpi_coll){
		.func = func,
		.comm = comm,
		.comm_arg = 1,
		.a = { .kind = WEFT_COLL_BARRIER },
	};
}

static inline struct mpi_coll mpi_bcast(const char *func, struct mpi_side b,
					int root, MPI_Comm comm)
{
	return (struct mpi_coll){
		.func = func,
		.comm = comm,
		.rtype = b.type,
		.r_arg = 1,
		.r_type_arg = 3,
		.comm_arg = 5,
		.a = { .kind = WEFT_COLL_BCAST,
		       .root = root,
		       .r = mpi_side_open(&b) },
	};
}

/*
 * Constructs an operation on two buffers: gather, scatter (with a root),
 * allgather and alltoall. uneven: either side has one count per rank
 * (MPI_Gatherv).
 */
static inline struct mpi_coll mpi_move(const char *func,
				       enum weft_coll_kind kind,
				       struct mpi_side s, struct mpi_side r,
				       MPI_Comm comm)
{
	return (struct mpi_coll){
		.func = func,
		.comm = comm,
		.stype = s.type,
		.rtype = r.type,
		.s_arg = 1,
		.s_type_arg = s.nargs,
		.r_arg = s.nargs + 1,
		.r_type_arg = s.nargs + r.nargs,
		.comm_arg = s.nargs + r.nargs + 1,
		.a = { .kind = kind,
		       .uneven = s.nargs == 4 || r.nargs == 4,
		       .s = mpi_side_open(&s),
		       .r = mpi_side_open(&r) },
	};
}

static inline struct mpi_coll
mpi_move_root(const char *func, enum weft_coll_kind kind, struct mpi_side s,
	      struct mpi_side r, int root, MPI_Comm comm)
{
	struct mpi_coll m = mpi_move(func, kind, s, r, comm);

	m.comm_arg++;
	m.a.root = root;
	return m;
}

/*
 * Constructs a reduction: r has the receive buffer, and the count (or counts)
 * and type of both buffers.
 */
static inline struct mpi_coll
mpi_combine(const char *func, enum weft_coll_kind kind, const void *sendbuf,
	    struct mpi_side r, MPI_Op op, MPI_Comm comm)
{
	return (struct mpi_coll){
		.func = func,
		.comm = comm,
		.op = op,
		.stype = r.type,
		.rtype = r.type,
		.s_arg = 1,
		.s_type_arg = 4,
		.r_arg = 2,
		.r_type_arg = 4,
		.comm_arg = 6,
		.a = { .kind = kind,
		       .uneven = r.nargs == 4,
		       .s = { .buf = (void *)(uintptr_t)sendbuf },
		       .r = mpi_side_open(&r) },
	};
}

static inline struct mpi_coll mpi_combine_root(const char *func,
					       const void *sendbuf,
					       struct mpi_side r, MPI_Op op,
					       int root, MPI_Comm comm)
{
	struct mpi_coll m =
		mpi_combine(func, WEFT_COLL_REDUCE, sendbuf, r, op, comm);

	m.comm_arg = 7;
	m.a.root = root;
	return m;
}

/* Returns the number of elements of the vectors that a reduction combines. */
MPI_Count mpi_coll_vector(const struct mpi_coll *m);
/* Returns whether the two buffers certainly overlap (mpi_coll_overlap.c). */
bool mpi_coll_alias(const struct mpi_coll *m);

/*
 * Check the arguments, then run, start or prepare the collective. Return the
 * result of the MPI function.
 */
int mpi_coll_run(struct mpi_coll *m);
/* Returns the result of a start: stores the request, or raises the error. */
int mpi_coll_started(const char *func, struct weft_comm *comm, int rc,
		     struct weft_req *r, MPI_Request *request);
int mpi_coll_start(struct mpi_coll *m, MPI_Request *request);
int mpi_coll_init(struct mpi_coll *m, MPI_Info info, MPI_Request *request);

#endif
