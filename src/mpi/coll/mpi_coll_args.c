/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the arguments of collectives and calls coll/. Each rank checks the
 * arguments that are significant on it, and converts handles to objects.
 */
#include "src/mpi/coll/mpi_coll_args.h"

#include "src/types/types_info.h"
#include "src/comm/comm_exchange.h"
#include "src/msg/msg_req.h"
#include "src/types/types_topo.h"
#include "src/core/core_state.h"
#include "src/recover/recover.h"
#include "src/mpi/mpi_check.h"

#include <errno.h>

/* State of the check of one side: the send or the receive arguments. */
struct side_check {
	struct mpi_coll *m;
	const struct weft_comm *comm;
	struct weft_coll_side *side;
	MPI_Datatype type;
	int arg;
	int type_arg;
	int blocks; /* number of counts */
};

static int raise_arg(const struct side_check *c, int class, int arg,
		     const char *what)
{
	return weft_err_arg(c->comm, c->m->func, class, arg, "%s", what);
}

/* ---- types, counts, buffers --------------------------------------------- */

static int check_type(const struct side_check *c, MPI_Datatype type)
{
	const struct weft_dt *dt = weft_dt_of(type);

	if (type == MPI_DATATYPE_NULL)
		return raise_arg(c, MPI_ERR_TYPE, c->type_arg,
				 "datatype is MPI_DATATYPE_NULL");
	if (!dt)
		return raise_arg(c, MPI_ERR_TYPE, c->type_arg,
				 "invalid datatype");
	if (!weft_check)
		return 0;
	if (dt->size < 0)
		return raise_arg(
			c, MPI_ERR_TYPE, c->type_arg,
			"this datatype is not supported on this platform");
	if (!weft_dt_is_committed(dt))
		return raise_arg(c, MPI_ERR_TYPE, c->type_arg,
				 "datatype is not committed");
	return 0;
}

static int check_types(const struct side_check *c)
{
	int i, err = 0;

	if (!c->side->types)
		return check_type(c, c->type);
	/*
	 * the type is needed only if there is data; otherwise programs may pass
	 * MPI_DATATYPE_NULL
	 */
	for (i = 0; i < c->blocks && !err; i++)
		if (weft_coll_num(&c->side->counts, i))
			err = check_type(c, c->side->types[i]);
	return err;
}

static int check_count(const struct side_check *c, MPI_Count n)
{
	if (n >= 0)
		return 0;
	return weft_err_arg(c->comm, c->m->func, MPI_ERR_COUNT, c->arg + 1,
			    "negative count %lld", (long long)n);
}

static int too_many(const struct side_check *c, MPI_Count n)
{
	return weft_err_arg(c->comm, c->m->func, MPI_ERR_COUNT, c->arg + 1,
			    "%lld elements exceed the address space",
			    (long long)n);
}

static int check_counts(const struct side_check *c, MPI_Count *sum_p)
{
	const struct weft_coll_side *s = c->side;
	bool lists = c->m->a.uneven && c->type_arg - c->arg == 3;
	bool vector = c->m->a.kind == WEFT_COLL_REDUCE_SCATTER;
	int i, err = 0;

	*sum_p = s->count;
	if ((lists || (vector && c->m->a.uneven)) && !s->counts.at && c->blocks)
		return raise_arg(c, MPI_ERR_ARG, c->arg + 1,
				 "the array of counts is NULL");
	if (lists && !s->displs.at && c->blocks)
		return raise_arg(c, MPI_ERR_ARG, c->arg + 2,
				 "the array of displacements is NULL");
	if (!s->counts.at)
		return check_count(c, s->count);
	for (i = 0; i < c->blocks && !err; i++) {
		MPI_Count n = weft_coll_num(&s->counts, i);

		err = check_count(c, n);
		if (!err && __builtin_add_overflow(*sum_p, n, sum_p))
			err = too_many(c, n);
	}
	return err;
}

/*
 * Checks that the counts do not exceed the largest possible buffer: adjacent
 * blocks as one range, listed blocks one by one.
 */
static int check_range(const struct side_check *c)
{
	const struct weft_coll_side *s = c->side;
	const struct weft_dt *dt = s->dt;
	MPI_Count n = s->count;

	if (!s->counts.at)
		return __builtin_mul_overflow(n, c->blocks ? c->blocks : 1,
					      &n) ||
				       !weft_dt_count_valid(dt, n)
			       ? too_many(c, s->count)
			       : 0;
	for (int i = 0; i < c->blocks; i++) {
		n = weft_coll_num(&s->counts, i);
		if (s->types)
			dt = weft_dt_of(s->types[i]);
		if (n && !weft_dt_count_valid(dt, n))
			return too_many(c, n);
	}
	return 0;
}

/*
 * Returns whether block i has data in the first page, which is never valid:
 * MPI_BOTTOM requires a type or displacements that contain addresses.
 */
static bool block_is_null(const struct weft_coll_side *s, int i)
{
	MPI_Count n = weft_coll_num(&s->counts, i);
	MPI_Count at = s->displs.at ? weft_coll_num(&s->displs, i) : 0;
	const struct weft_dt *dt =
		s->types && n ? weft_dt_of(s->types[i]) : s->dt;

	if (!n || !dt->obj.predefined || !dt->size)
		return false;
	if (!s->types && __builtin_mul_overflow(at, dt->extent, &at))
		return true;
	return at >= 0 && at < 4096;
}

static bool buffer_is_null(const struct side_check *c, MPI_Count sum)
{
	const struct weft_coll_side *s = c->side;

	if (s->buf || !sum)
		return false;
	if (!s->counts.at)
		return s->dt->obj.predefined && s->dt->size;
	for (int i = 0; i < c->blocks; i++)
		if (block_is_null(s, i))
			return true;
	return false;
}

/* Checks one side, whose values are significant on this rank. */
static int check_side(const struct side_check *c)
{
	MPI_Count sum = 0;
	int err;

	if (weft_check) {
		err = check_counts(c, &sum);
		if (err)
			return err;
	}
	err = check_types(c);
	if (err)
		return err;
	if (!c->side->types)
		c->side->dt = weft_dt_of(c->type);
	if (!weft_check)
		return 0;
	if (c->side->buf == MPI_IN_PLACE)
		return raise_arg(c, MPI_ERR_BUFFER, c->arg,
				 "MPI_IN_PLACE is not allowed here");
	if (buffer_is_null(c, sum))
		return raise_arg(c, MPI_ERR_BUFFER, c->arg, "buffer is NULL");
	return check_range(c);
}

static int check_s(struct mpi_coll *m, int blocks)
{
	const struct side_check c = {
		m,	  m->a.comm,	 &m->a.s, m->stype,
		m->s_arg, m->s_type_arg, blocks,
	};

	return check_side(&c);
}

static int check_r(struct mpi_coll *m, int blocks)
{
	const struct side_check c = {
		m,	  m->a.comm,	 &m->a.r, m->rtype,
		m->r_arg, m->r_type_arg, blocks,
	};

	return check_side(&c);
}

/*
 * Checks that MPI_IN_PLACE as the send buffer is used only with an
 * intracommunicator.
 */
static int check_in_place(const struct mpi_coll *m, int arg)
{
	if (!weft_check || !m->a.comm->inter)
		return 0;
	return weft_err_arg(m->a.comm, m->func, MPI_ERR_BUFFER, arg,
			    "MPI_IN_PLACE on an intercommunicator");
}

static int check_alias(const struct mpi_coll *m)
{
	if (!weft_check || !mpi_coll_alias(m))
		return 0;
	return weft_err_arg(m->a.comm, m->func, MPI_ERR_BUFFER, m->r_arg,
			    "send and receive buffer overlap, "
			    "use MPI_IN_PLACE");
}

/* ---- operations, roots, topologies -------------------------------------- */

static int check_op(struct mpi_coll *m)
{
	int arg = m->r_type_arg + 1;
	const struct weft_op *op;

	m->a.op = weft_op_of(m->op);
	op = m->a.op;
	if (!op)
		return weft_err_arg(m->a.comm, m->func, MPI_ERR_OP, arg,
				    m->op == MPI_OP_NULL
					    ? "operation is MPI_OP_NULL"
					    : "invalid operation");
	if (m->op == MPI_REPLACE || m->op == MPI_NO_OP)
		return weft_err_arg(
			m->a.comm, m->func, MPI_ERR_OP, arg,
			"operation is valid for one-sided calls only");
	if (!weft_op_allows(op, m->a.r.dt))
		return weft_err_arg(m->a.comm, m->func, MPI_ERR_OP, arg,
				    "operation is not defined for %s",
				    m->a.r.dt->name ? m->a.r.dt->name
						    : "a derived datatype");
	return 0;
}

static int check_root(const struct mpi_coll *m)
{
	const struct weft_comm *c = m->a.comm;
	int root = m->a.root;

	if ((unsigned)root < (unsigned)c->peers)
		return 0;
	if (c->inter && (root == MPI_ROOT || root == MPI_PROC_NULL))
		return 0;
	return weft_err_arg(c, m->func, MPI_ERR_ROOT, m->comm_arg - 1,
			    "invalid root %d in communicator of size %d", root,
			    c->peers);
}

static bool is_root(const struct mpi_coll *m)
{
	const struct weft_comm *c = m->a.comm;

	return m->a.root == (c->inter ? MPI_ROOT : c->rank);
}

/*
 * Returns whether this rank has the arguments of a non-root: any rank of an
 * intracommunicator, or a rank whose root is in the remote group.
 */
static bool is_leaf(const struct mpi_coll *m)
{
	return !m->a.comm->inter || m->a.root >= 0;
}

/* ---- by operation ------------------------------------------------------- */

static int check_bcast(struct mpi_coll *m)
{
	int err = check_root(m);

	if (err || m->a.root == MPI_PROC_NULL)
		return err;
	return check_r(m, 0);
}

static int check_gather(struct mpi_coll *m)
{
	int err = check_root(m);

	if (!err && is_root(m))
		err = check_r(m, m->a.comm->peers);
	if (err || !is_leaf(m))
		return err;
	if (m->a.s.buf == MPI_IN_PLACE && is_root(m))
		return 0;
	err = check_s(m, 0);
	return err || !is_root(m) ? err : check_alias(m);
}

static int check_scatter(struct mpi_coll *m)
{
	int err = check_root(m);

	if (!err && is_root(m))
		err = check_s(m, m->a.comm->peers);
	if (err || !is_leaf(m))
		return err;
	if (m->a.r.buf == MPI_IN_PLACE && is_root(m))
		return 0;
	err = check_r(m, 0);
	return err || !is_root(m) ? err : check_alias(m);
}

static int check_all(struct mpi_coll *m)
{
	int n = m->a.comm->peers;
	int err = check_r(m, n);

	if (err)
		return err;
	if (m->a.s.buf == MPI_IN_PLACE)
		return check_in_place(m, m->s_arg);
	err = check_s(m, n);
	return err ? err : check_alias(m);
}

MPI_Count mpi_coll_vector(const struct mpi_coll *m)
{
	const struct weft_coll_side *r = &m->a.r;
	int ranks = m->a.comm->size;
	MPI_Count sum = 0;

	if (m->a.kind != WEFT_COLL_REDUCE_SCATTER)
		return r->count;
	if (!r->counts.at)
		return r->count * ranks;
	for (int i = 0; i < ranks; i++)
		sum += weft_coll_num(&r->counts, i);
	return sum;
}

/* Checks the send buffer; type and count are in the receive side. */
static int check_vector(struct mpi_coll *m)
{
	const struct weft_dt *dt = m->a.r.dt;

	if (!weft_check || m->a.s.buf || !dt->obj.predefined || !dt->size ||
	    !mpi_coll_vector(m))
		return 0;
	return weft_err_arg(m->a.comm, m->func, MPI_ERR_BUFFER, m->s_arg,
			    "buffer is NULL");
}

/*
 * Checks a reduce: the receive side has type and count on every rank, a buffer
 * at the root only.
 */
static int check_reduce(struct mpi_coll *m)
{
	void *buf = m->a.r.buf;
	int err = check_root(m);

	if (err || m->a.root == MPI_PROC_NULL)
		return err;
	if (!is_root(m))
		m->a.r.buf = m->a.s.buf;
	else if (m->a.comm->inter)
		m->a.s.buf = NULL;
	err = check_r(m, 0);
	m->a.r.buf = buf;
	if (!err)
		err = check_op(m);
	if (err || !is_root(m) || m->a.comm->inter ||
	    m->a.s.buf == MPI_IN_PLACE)
		return err;
	err = check_vector(m);
	return err ? err : check_alias(m);
}

static int check_combine(struct mpi_coll *m)
{
	int err = check_r(m, m->a.comm->size);

	if (!err)
		err = check_op(m);
	if (err)
		return err;
	if (m->a.s.buf == MPI_IN_PLACE)
		return check_in_place(m, 1);
	err = check_vector(m);
	return err ? err : check_alias(m);
}

static int check_intra(struct mpi_coll *m)
{
	int err = weft_check_intra(m->a.comm, m->func, m->comm_arg);

	return err ? err : check_combine(m);
}

/* Checks an exscan, in which the first rank gets no result. */
static int check_exscan(struct mpi_coll *m)
{
	void *buf = m->a.r.buf;
	int err;

	if (m->a.comm->rank || m->a.comm->inter || m->a.s.buf == MPI_IN_PLACE)
		return check_intra(m);
	m->a.r.buf = m->a.s.buf;
	err = check_r(m, 0);
	m->a.r.buf = buf;
	return err ? err : check_op(m);
}

static int check_neighbor(struct mpi_coll *m)
{
	const struct weft_comm *c = m->a.comm;
	int err;

	if (!c->topo)
		return weft_err_arg(c, m->func, MPI_ERR_TOPOLOGY, m->comm_arg,
				    "communicator has no topology");
	err = check_s(m, c->topo->nout);
	if (!err)
		err = check_r(m, c->topo->nin);
	return err ? err : check_alias(m);
}

static int check_none(struct mpi_coll *m)
{
	return 0;
}

typedef int (*check_fn)(struct mpi_coll *m);

static const check_fn checks[WEFT_COLL_KINDS] = {
	[WEFT_COLL_BARRIER] = check_none,
	[WEFT_COLL_BCAST] = check_bcast,
	[WEFT_COLL_REDUCE] = check_reduce,
	[WEFT_COLL_ALLREDUCE] = check_combine,
	[WEFT_COLL_GATHER] = check_gather,
	[WEFT_COLL_SCATTER] = check_scatter,
	[WEFT_COLL_ALLGATHER] = check_all,
	[WEFT_COLL_ALLTOALL] = check_all,
	[WEFT_COLL_REDUCE_SCATTER] = check_combine,
	[WEFT_COLL_SCAN] = check_intra,
	[WEFT_COLL_EXSCAN] = check_exscan,
	[WEFT_COLL_NEIGHBOR_ALLGATHER] = check_neighbor,
	[WEFT_COLL_NEIGHBOR_ALLTOALL] = check_neighbor,
};

static int coll_args_check(struct mpi_coll *m)
{
	int err = mpi_check_comm(m->func, m->comm_arg, m->comm, &m->a.comm);

	return err ? err : checks[m->a.kind](m);
}

/* ---- run, start, prepare ------------------------------------------------ */

int mpi_coll_run(struct mpi_coll *m)
{
	int err = coll_args_check(m);

	if (weft_unlikely(err))
		return err;
	if (weft_unlikely(weft_core.survives))
		err = weft_recover_check_coll(m->a.comm);
	/*
	 * addresses are exchanged in advance, since every rank will communicate
	 * with every other rank
	 */
	if (!err && m->a.kind == WEFT_COLL_ALLTOALL)
		err = weft_comm_exchange_addresses(m->a.comm);
	if (weft_likely(!err))
		err = weft_coll_run(&m->a);
	return weft_err_rc(m->a.comm, m->func, err);
}

int mpi_coll_started(const char *func, struct weft_comm *comm, int rc,
		     struct weft_req *r, MPI_Request *request)
{
	if (weft_unlikely(rc))
		return weft_err_rc(comm, func, rc);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

int mpi_coll_start(struct mpi_coll *m, MPI_Request *request)
{
	struct weft_req *r = NULL;
	int err = coll_args_check(m);

	if (!err && weft_check)
		err = weft_check_ptr(m->a.comm, m->func, m->comm_arg + 1,
				     request, "request");
	if (weft_unlikely(err))
		return err;
	if (weft_unlikely(m->a.comm->revoked))
		return weft_err_rc(m->a.comm, m->func, -ESTALE);
	err = weft_coll_start(&m->a, &r);
	return mpi_coll_started(m->func, m->a.comm, err, r, request);
}

int mpi_coll_init(struct mpi_coll *m, MPI_Info info, MPI_Request *request)
{
	struct weft_req *r = NULL;
	int err = coll_args_check(m);

	if (!err && weft_check)
		err = weft_check_ptr(m->a.comm, m->func, m->comm_arg + 2,
				     request, "request");
	if (!err && weft_check && info != MPI_INFO_NULL && !weft_info_of(info))
		err = weft_err_arg(m->a.comm, m->func, MPI_ERR_INFO,
				   m->comm_arg + 1, "invalid info");
	if (!err && weft_core.survives)
		err = weft_err_rc(m->a.comm, m->func,
				  weft_recover_check_coll(m->a.comm));
	if (weft_unlikely(err))
		return err;
	err = weft_coll_init(&m->a, &r);
	return mpi_coll_started(m->func, m->a.comm, err, r, request);
}
