/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording of collectives (record.h). Elements of types that are not
 * predefined are recorded as bytes.
 */
#include "src/tools/replay/record.h"

#include <weft/coll_call.h>

/* largest handle of a predefined type or operation */
#define PREDEFINED 0x3ff

struct side {
	MPI_Count count;
	MPI_Datatype type;
	const int *counts;
	const MPI_Datatype *types;
};

struct call {
	enum weft_coll_kind kind;
	MPI_Comm comm;
	int root;
	MPI_Op op;
	const void *in; /* buffer that is compared with MPI_IN_PLACE */
	struct side s, r;
	bool uneven;
};

static uint64_t handle_of(uintptr_t handle)
{
	return handle <= PREDEFINED ? handle : 0;
}

static uint64_t size_of(MPI_Datatype type)
{
	return type == MPI_DATATYPE_NULL ? 0 : record_bytes(1, type);
}

/* Returns the number of elements of a side, in units of `unit` bytes. */
static uint64_t elements(const struct side *s, uint64_t unit)
{
	uint64_t bytes = record_bytes(s->count, s->type);

	return unit ? bytes / unit : 0;
}

static void put_counts(const struct side *s, int n, uint64_t unit)
{
	bool any = s->counts != NULL;

	record_number(any ? (uint64_t)n : 0);
	for (int i = 0; any && i < n; i++) {
		MPI_Datatype type = s->types ? s->types[i] : s->type;
		uint64_t bytes = record_bytes(s->counts[i], type);

		record_number(unit ? bytes / unit : 0);
	}
}

static unsigned flags_of(const struct call *c, bool later)
{
	unsigned flags = later ? RECORD_LATER : 0;
	int commutes = 1;

	if (c->op != MPI_OP_NULL)
		PMPI_Op_commutative(c->op, &commutes);
	if (commutes)
		flags |= RECORD_COMMUTES;
	if (c->in == MPI_IN_PLACE)
		flags |= RECORD_IN_PLACE;
	return c->uneven ? flags | RECORD_UNEVEN : flags;
}

/* Records a collective; req: request of a nonblocking collective, or NULL. */
static void collective(const struct call *c, const MPI_Request *req)
{
	MPI_Datatype type =
		c->r.type != MPI_DATATYPE_NULL ? c->r.type : c->s.type;
	bool plain = (uintptr_t)type <= PREDEFINED && !c->r.types &&
		     !c->s.types && type != MPI_DATATYPE_NULL;
	uint64_t unit = plain ? size_of(type) : 1;
	int n = 0;

	PMPI_Comm_size(c->comm, &n);
	if (!record_begin(RECORD_COLL, 12 + (c->uneven ? 2 * (size_t)n : 0)))
		return;
	record_number(flags_of(c, req));
	record_number(record_comm(c->comm));
	record_number((uint64_t)c->kind);
	record_number(record_signed(c->root));
	record_number(c->op == MPI_OP_NULL ? 0 : handle_of((uintptr_t)c->op));
	record_number(plain ? handle_of((uintptr_t)type) : 0);
	record_number(unit);
	record_number(elements(&c->s, unit));
	record_number(elements(&c->r, unit));
	if (c->uneven) {
		put_counts(&c->s, n, unit);
		put_counts(&c->r, n, unit);
	}
	if (req)
		record_number(record_req_add(*req));
}

/*
 * Defines the blocking and the nonblocking form of a collective. A blocking
 * call is recorded before it is made, since it never returns in a deadlock.
 */
#define BOTH(name, iname, kind, params, iparams, args, iargs, ...) \
	int MPI_##name params                                      \
	{                                                          \
		const struct call c = { kind, comm, __VA_ARGS__ }; \
		int rc;                                            \
                                                                   \
		record_enter();                                    \
		collective(&c, NULL);                              \
		rc = PMPI_##name args;                             \
		record_leave();                                    \
		return rc;                                         \
	}                                                          \
	int MPI_##iname iparams                                    \
	{                                                          \
		const struct call c = { kind, comm, __VA_ARGS__ }; \
		int rc;                                            \
                                                                   \
		record_enter();                                    \
		rc = PMPI_##iname iargs;                           \
		collective(&c, req);                               \
		record_leave();                                    \
		return rc;                                         \
	}

#define P(...) (__VA_ARGS__)
#define NO                                       \
	{                                        \
		0, MPI_DATATYPE_NULL, NULL, NULL \
	}
#define E(n, t)                  \
	{                        \
		n, t, NULL, NULL \
	}
#define V(n, t)               \
	{                     \
		0, t, n, NULL \
	}
#define W(n, t)                            \
	{                                  \
		0, MPI_DATATYPE_NULL, n, t \
	}
/* sides that are significant at the root only */
#define AT(root, x, y) (is_rank(comm, root) ? (struct side)x : (struct side)y)

static bool is_rank(MPI_Comm comm, int root)
{
	int rank = -1;

	PMPI_Comm_rank(comm, &rank);
	return rank == root;
}

int MPI_Barrier(MPI_Comm comm)
{
	const struct call c = {
		WEFT_COLL_BARRIER, comm, 0, MPI_OP_NULL, NULL, NO, NO, false
	};
	int rc;

	record_enter();
	collective(&c, NULL);
	rc = PMPI_Barrier(comm);
	record_leave();
	return rc;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *req)
{
	const struct call c = {
		WEFT_COLL_BARRIER, comm, 0, MPI_OP_NULL, NULL, NO, NO, false
	};
	int rc;

	record_enter();
	rc = PMPI_Ibarrier(comm, req);
	collective(&c, req);
	record_leave();
	return rc;
}

BOTH(Bcast, Ibcast, WEFT_COLL_BCAST,
     P(void *buf, int n, MPI_Datatype t, int root, MPI_Comm comm),
     P(void *buf, int n, MPI_Datatype t, int root, MPI_Comm comm,
       MPI_Request *req),
     P(buf, n, t, root, comm), P(buf, n, t, root, comm, req), root, MPI_OP_NULL,
     NULL, NO, E(n, t), false)
BOTH(Reduce, Ireduce, WEFT_COLL_REDUCE,
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, int root,
       MPI_Comm comm),
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, int root,
       MPI_Comm comm, MPI_Request *req),
     P(in, out, n, t, op, root, comm), P(in, out, n, t, op, root, comm, req),
     root, op, in, NO, E(n, t), false)
BOTH(Allreduce, Iallreduce, WEFT_COLL_ALLREDUCE,
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm),
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm, MPI_Request *req),
     P(in, out, n, t, op, comm), P(in, out, n, t, op, comm, req), 0, op, in, NO,
     E(n, t), false)
BOTH(Scan, Iscan, WEFT_COLL_SCAN,
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm),
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm, MPI_Request *req),
     P(in, out, n, t, op, comm), P(in, out, n, t, op, comm, req), 0, op, in, NO,
     E(n, t), false)
BOTH(Exscan, Iexscan, WEFT_COLL_EXSCAN,
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm),
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm, MPI_Request *req),
     P(in, out, n, t, op, comm), P(in, out, n, t, op, comm, req), 0, op, in, NO,
     E(n, t), false)
BOTH(Reduce_scatter_block, Ireduce_scatter_block, WEFT_COLL_REDUCE_SCATTER,
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm),
     P(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm, MPI_Request *req),
     P(in, out, n, t, op, comm), P(in, out, n, t, op, comm, req), 0, op, in, NO,
     E(n, t), false)
BOTH(Reduce_scatter, Ireduce_scatter, WEFT_COLL_REDUCE_SCATTER,
     P(const void *in, void *out, const int *n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm),
     P(const void *in, void *out, const int *n, MPI_Datatype t, MPI_Op op,
       MPI_Comm comm, MPI_Request *req),
     P(in, out, n, t, op, comm), P(in, out, n, t, op, comm, req), 0, op, in, NO,
     V(n, t), true)
BOTH(Gather, Igather, WEFT_COLL_GATHER,
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, int root, MPI_Comm comm),
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, int root, MPI_Comm comm, MPI_Request *req),
     P(in, sn, st, out, rn, rt, root, comm),
     P(in, sn, st, out, rn, rt, root, comm, req), root, MPI_OP_NULL, in,
     E(sn, st), AT(root, E(rn, rt), NO), false)
BOTH(Scatter, Iscatter, WEFT_COLL_SCATTER,
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, int root, MPI_Comm comm),
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, int root, MPI_Comm comm, MPI_Request *req),
     P(in, sn, st, out, rn, rt, root, comm),
     P(in, sn, st, out, rn, rt, root, comm, req), root, MPI_OP_NULL, out,
     AT(root, E(sn, st), NO), E(rn, rt), false)
BOTH(Allgather, Iallgather, WEFT_COLL_ALLGATHER,
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, MPI_Comm comm),
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, MPI_Comm comm, MPI_Request *req),
     P(in, sn, st, out, rn, rt, comm), P(in, sn, st, out, rn, rt, comm, req), 0,
     MPI_OP_NULL, in, E(sn, st), E(rn, rt), false)
BOTH(Alltoall, Ialltoall, WEFT_COLL_ALLTOALL,
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, MPI_Comm comm),
     P(const void *in, int sn, MPI_Datatype st, void *out, int rn,
       MPI_Datatype rt, MPI_Comm comm, MPI_Request *req),
     P(in, sn, st, out, rn, rt, comm), P(in, sn, st, out, rn, rt, comm, req), 0,
     MPI_OP_NULL, in, E(sn, st), E(rn, rt), false)
BOTH(Gatherv, Igatherv, WEFT_COLL_GATHER,
     P(const void *in, int sn, MPI_Datatype st, void *out, const int *rn,
       const int *rd, MPI_Datatype rt, int root, MPI_Comm comm),
     P(const void *in, int sn, MPI_Datatype st, void *out, const int *rn,
       const int *rd, MPI_Datatype rt, int root, MPI_Comm comm,
       MPI_Request *req),
     P(in, sn, st, out, rn, rd, rt, root, comm),
     P(in, sn, st, out, rn, rd, rt, root, comm, req), root, MPI_OP_NULL, in,
     E(sn, st), AT(root, V(rn, rt), NO), true)
BOTH(Scatterv, Iscatterv, WEFT_COLL_SCATTER,
     P(const void *in, const int *sn, const int *sd, MPI_Datatype st, void *out,
       int rn, MPI_Datatype rt, int root, MPI_Comm comm),
     P(const void *in, const int *sn, const int *sd, MPI_Datatype st, void *out,
       int rn, MPI_Datatype rt, int root, MPI_Comm comm, MPI_Request *req),
     P(in, sn, sd, st, out, rn, rt, root, comm),
     P(in, sn, sd, st, out, rn, rt, root, comm, req), root, MPI_OP_NULL, out,
     AT(root, V(sn, st), NO), E(rn, rt), true)
BOTH(Allgatherv, Iallgatherv, WEFT_COLL_ALLGATHER,
     P(const void *in, int sn, MPI_Datatype st, void *out, const int *rn,
       const int *rd, MPI_Datatype rt, MPI_Comm comm),
     P(const void *in, int sn, MPI_Datatype st, void *out, const int *rn,
       const int *rd, MPI_Datatype rt, MPI_Comm comm, MPI_Request *req),
     P(in, sn, st, out, rn, rd, rt, comm),
     P(in, sn, st, out, rn, rd, rt, comm, req), 0, MPI_OP_NULL, in, E(sn, st),
     V(rn, rt), true)
BOTH(Alltoallv, Ialltoallv, WEFT_COLL_ALLTOALL,
     P(const void *in, const int *sn, const int *sd, MPI_Datatype st, void *out,
       const int *rn, const int *rd, MPI_Datatype rt, MPI_Comm comm),
     P(const void *in, const int *sn, const int *sd, MPI_Datatype st, void *out,
       const int *rn, const int *rd, MPI_Datatype rt, MPI_Comm comm,
       MPI_Request *req),
     P(in, sn, sd, st, out, rn, rd, rt, comm),
     P(in, sn, sd, st, out, rn, rd, rt, comm, req), 0, MPI_OP_NULL, in,
     V(sn, st), V(rn, rt), true)
BOTH(Alltoallw, Ialltoallw, WEFT_COLL_ALLTOALL,
     P(const void *in, const int *sn, const int *sd, const MPI_Datatype *st,
       void *out, const int *rn, const int *rd, const MPI_Datatype *rt,
       MPI_Comm comm),
     P(const void *in, const int *sn, const int *sd, const MPI_Datatype *st,
       void *out, const int *rn, const int *rd, const MPI_Datatype *rt,
       MPI_Comm comm, MPI_Request *req),
     P(in, sn, sd, st, out, rn, rd, rt, comm),
     P(in, sn, sd, st, out, rn, rd, rt, comm, req), 0, MPI_OP_NULL, in,
     W(sn, st), W(rn, rt), true)
