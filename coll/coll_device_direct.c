/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of long vectors in GPU memory, by ranks of one host. The ranks
 * exchange descriptions of their buffers (memory shared by IPC handles). Then
 * one rank per GPU, the lowest one, combines a slice of all vectors and stores
 * the result in the buffers of all ranks that get it; the other ranks wait,
 * since a GPU is slow to switch between processes.
 *
 *   descriptions of all buffers           allgather
 *   a slice of all vectors -> results     kernels, copies: one rank per GPU
 *   barrier: all results are complete
 *
 * A slice is combined in the order of ranks 0, 1, ... (an allreduce or
 * reduce_scatter in place begins with the vector of the rank whose buffer
 * receives the slice's result). The result does not depend on timing.
 */
#include "coll/coll_device.h"
#include "coll/coll_hosts.h"
#include "src/base/num.h"
#include "src/offload/offload_device.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>
#include <stdlib.h>

/*
 * Minimum size of a vector, bytes. Shorter vectors are staged, since the
 * exchange of descriptions takes longer than staging.
 */
#define DIRECT_BYTES (256 << 10)

/* A rank's description of its buffers, sent to all ranks. */
struct offer {
	uint64_t possible;
	struct fi_weft_share in;
	/* result buffer; valid if the rank gets a result */
	struct fi_weft_share out;
};

struct direct {
	const struct weft_coll_args *a;
	const char *in; /* this rank's vector */
	char *out;
	int size, rank;
	int workers; /* number of ranks that combine: one per GPU */
	int worker;  /* index among the workers; -1: not a worker */
	size_t elem;
	MPI_Count total; /* elements of a vector */
	struct offer *offers;
	char **ins, **outs; /* addresses in this process, by rank */
};

static struct fid *domain(void)
{
	return &weft_core.domain->fid;
}

/* ---- which calls ---- */

static bool is_kind(const struct weft_coll_args *a)
{
	return a->kind == WEFT_COLL_ALLREDUCE || a->kind == WEFT_COLL_REDUCE ||
	       (a->kind == WEFT_COLL_REDUCE_SCATTER && !a->r.counts.at);
}

static MPI_Count elements(const struct weft_coll_args *a)
{
	return a->kind == WEFT_COLL_REDUCE_SCATTER ? a->r.count * a->comm->size
						   : a->r.count;
}

/* Returns whether there are GPU kernels for the operation and type. */
static bool has_kernel(const struct weft_coll_args *a)
{
	static const unsigned ops = 1u << WEFT_NUM_MIN | 1u << WEFT_NUM_MAX |
				    1u << WEFT_NUM_SUM | 1u << WEFT_NUM_PROD |
				    1u << WEFT_NUM_BAND | 1u << WEFT_NUM_BOR |
				    1u << WEFT_NUM_BXOR;
	const unsigned type = a->r.dt->basic;

	return a->op && a->op->row && a->op->row[type] &&
	       a->op->num < WEFT_NUM_KERNELS && ops >> a->op->num & 1 &&
	       type >= WEFT_NUM_I32 && type <= WEFT_NUM_F64 &&
	       a->r.dt->obj.predefined;
}

/*
 * The result is the same at all ranks, since it does not depend on this rank's
 * buffers.
 */
bool coll_direct_possible(const struct weft_coll_args *a)
{
	return weft_core.device_shared && is_kind(a) && !a->comm->inter &&
	       a->comm->size > 1 && has_kernel(a) &&
	       elements(a) * a->r.dt->size >= DIRECT_BYTES &&
	       !coll_hosts(a->comm);
}

static bool has_result(const struct weft_coll_args *a)
{
	return a->kind != WEFT_COLL_REDUCE || a->root == a->comm->rank;
}

static bool describe(const void *at, size_t bytes, struct fi_weft_share *s)
{
	return weft_device_owns(at) &&
	       !weft_core.device->share(domain(), at, bytes, s);
}

static void offer_fill(const struct direct *d, struct offer *o)
{
	const struct weft_coll_args *a = d->a;
	const bool in_place = a->s.buf == MPI_IN_PLACE;
	const size_t bytes = (size_t)d->total * d->elem;
	const size_t out = (size_t)a->r.count * d->elem;

	*o = (struct offer){ 0 };
	/*
	 * not possible: in place, the block's result would overwrite data that
	 * other ranks read
	 */
	if (in_place && a->kind == WEFT_COLL_REDUCE_SCATTER)
		return;
	o->possible = describe(d->in, bytes, &o->in) &&
		      (!has_result(a) || describe(d->out, out, &o->out));
}

/* ---- exchange ---- */

static int offers_exchange(struct direct *d)
{
	struct offer mine;
	struct weft_coll_args g = {
		.kind = WEFT_COLL_ALLGATHER,
		.comm = d->a->comm,
		.s = { .buf = &mine,
		       .count = sizeof(mine),
		       .dt = weft_dt_of(MPI_BYTE) },
		.r = { .buf = d->offers,
		       .count = sizeof(mine),
		       .dt = weft_dt_of(MPI_BYTE) },
	};

	offer_fill(d, &mine);
	return weft_coll_run(&g);
}

static bool all_possible(const struct direct *d)
{
	for (int i = 0; i < d->size; i++) {
		if (!d->offers[i].possible)
			return false;
	}
	return true;
}

/* Returns the lowest rank with the same GPU as `rank`. */
static int first_of(const struct direct *d, int rank)
{
	int i = 0;

	while (d->offers[i].in.device != d->offers[rank].in.device)
		i++;
	return i;
}

static void workers_set(struct direct *d)
{
	d->worker = -1;
	for (int i = 0; i < d->size; i++) {
		if (first_of(d, i) != i)
			continue;
		if (i == d->rank)
			d->worker = d->workers;
		d->workers++;
	}
}

static int map_one(const struct fi_weft_share *s, char **at_p)
{
	void *at = NULL;
	int rc = weft_core.device->open_share(domain(), s, &at);

	*at_p = at;
	return rc;
}

static int map_all(struct direct *d)
{
	int rc = 0;

	for (int i = 0; i < d->size && !rc; i++) {
		if (i == d->rank) {
			d->ins[i] = (char *)(uintptr_t)d->in;
			d->outs[i] = d->out;
			continue;
		}
		rc = map_one(&d->offers[i].in, &d->ins[i]);
		if (!rc && (d->a->kind != WEFT_COLL_REDUCE || i == d->a->root))
			rc = map_one(&d->offers[i].out, &d->outs[i]);
	}
	return rc;
}

/* ---- work ---- */

/*
 * Starts to combine n elements at offset `from` of all vectors. If the buffer
 * of the result is the vector of one rank, that vector is the first operand.
 */
static int combine(const struct direct *d, char *to, MPI_Count from,
		   MPI_Count n)
{
	const size_t offset = (size_t)from * d->elem;
	int first = 0, rc = 0;
	const char *so_far;

	for (int i = 0; i < d->size; i++) {
		if (d->ins[i] + offset == to)
			first = i;
	}
	so_far = d->ins[first] + offset;
	for (int k = 0; k < d->size && n && !rc; k++) {
		const struct fi_weft_apply x = {
			.to = to,
			.a = so_far,
			.b = d->ins[k] + offset,
			.count = (uint64_t)n,
			.op = d->a->op->num,
			.type = d->a->r.dt->basic,
		};

		if (k == first)
			continue;
		rc = weft_core.device->apply(domain(), &x);
		so_far = to;
	}
	return rc;
}

static MPI_Count slice_at(const struct direct *d, int i)
{
	return d->total / d->workers * i +
	       (i < d->total % d->workers ? i : d->total % d->workers);
}

/* Combines a slice, and copies it to all ranks. */
static int slice_to_all(const struct direct *d)
{
	MPI_Count from = slice_at(d, d->worker);
	MPI_Count n = slice_at(d, d->worker + 1) - from;
	const size_t at = (size_t)from * d->elem, bytes = (size_t)n * d->elem;
	int rc;

	if (d->a->kind == WEFT_COLL_REDUCE)
		return combine(d, d->outs[d->a->root] + at, from, n);
	rc = combine(d, d->out + at, from, n);
	for (int i = 0; i < d->size && bytes && !rc; i++) {
		if (i != d->rank)
			rc = weft_core.device->copy(domain(), d->outs[i] + at,
						    d->out + at, bytes);
	}
	return rc;
}

/* Combines the blocks of all ranks that use this GPU. */
static int blocks_of_gpu(const struct direct *d)
{
	int rc = 0;

	for (int i = 0; i < d->size && !rc; i++) {
		if (first_of(d, i) == d->rank)
			rc = combine(d, d->outs[i], d->a->r.count * i,
				     d->a->r.count);
	}
	return rc;
}

static int work(const struct direct *d)
{
	int rc = d->a->kind == WEFT_COLL_REDUCE_SCATTER ? blocks_of_gpu(d)
							: slice_to_all(d);
	int done = weft_core.device->wait(domain());

	return rc ? rc : done;
}

/* Sets *any_p to whether `mine` is set at any rank; also acts as a barrier. */
static int agree(const struct direct *d, bool mine, bool *any_p)
{
	int in = mine, out = 1;
	struct weft_coll_args b = {
		.kind = WEFT_COLL_ALLREDUCE,
		.comm = d->a->comm,
		.op = weft_op_of(MPI_MAX),
		.s = { .buf = &in },
		.r = { .buf = &out, .count = 1, .dt = weft_dt_of(MPI_INT) },
	};
	int rc = weft_coll_run(&b);

	*any_p = out;
	return rc;
}

/*
 * Executes the operation. *done_p: false if a rank cannot access the memory of
 * another one. If any rank fails, all ranks return its error: a rank that has
 * no result must not return success.
 */
static int execute(struct direct *d, bool *done_p)
{
	bool refused, failed;
	int rc;

	workers_set(d);
	rc = agree(d, d->worker >= 0 && map_all(d), &refused);
	*done_p = rc || !refused;
	if (rc || refused)
		return rc;
	rc = agree(d, d->worker >= 0 && work(d), &failed);
	return rc ? rc : failed ? -EIO : 0;
}

static int direct_open(struct direct *d, const struct weft_coll_args *a)
{
	const size_t n = (size_t)a->comm->size;

	*d = (struct direct){
		.a = a,
		.in = a->s.buf == MPI_IN_PLACE ? a->r.buf : a->s.buf,
		.out = a->r.buf,
		.size = a->comm->size,
		.rank = a->comm->rank,
		.elem = (size_t)a->r.dt->size,
		.total = elements(a),
		.offers = calloc(n, sizeof(struct offer)),
		.ins = calloc(n, sizeof(char *)),
		.outs = calloc(n, sizeof(char *)),
	};
	return d->offers && d->ins && d->outs ? 0 : -ENOMEM;
}

bool coll_direct_run(const struct weft_coll_args *a, int *rc_p)
{
	struct direct d;
	bool done = true;

	*rc_p = direct_open(&d, a);
	if (!*rc_p)
		*rc_p = offers_exchange(&d);
	if (!*rc_p) {
		done = all_possible(&d);
		if (done)
			*rc_p = execute(&d, &done);
	}
	free(d.offers);
	free(d.ins);
	free(d.outs);
	return done;
}
