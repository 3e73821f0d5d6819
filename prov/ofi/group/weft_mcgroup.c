/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libfabric's groups and collective calls. The completion of an operation is
 * one entry in the transmit CQ with the flag FI_COLLECTIVE; its data field
 * holds the arithmetic flags (FI_WEFT_NAN, FI_WEFT_OVERFLOW).
 */
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/queue/weft_eq.h"
#include "prov/ofi/weft_err.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/ep/weft_post.h"

#include <rdma/fi_ext_weft.h>
#include <stdlib.h>
#include <string.h>

static_assert(FI_WEFT_NAN == WEFT_NUM_NAN &&
		      FI_WEFT_OVERFLOW == WEFT_NUM_OVERFLOW,
	      "flags of the unit");

/* ---- joining ------------------------------------------------------------- */

static void coll_joined(void *arg, struct weft_nic_group *coll, int err)
{
	struct weft_mcgroup *mc = arg;
	struct fi_eq_entry entry = { .fid = &mc->fid.fid,
				     .context = mc->fid.fid.context };

	mc->oversubscribed = !err && weft_grp_oversubscribed(coll);
	if (err)
		weft_eq_post_err(mc->ep->eq, &mc->fid.fid, entry.context, -err,
				 0);
	else
		weft_eq_post(mc->ep->eq, FI_JOIN_COMPLETE, &entry,
			     sizeof(entry));
	/*
	 * wake the thread that blocks in the CQ, so that it reads the event
	 * queue
	 */
	if (mc->ep->tx_cq && mc->ep->tx_cq->watch.obj != FI_WAIT_NONE)
		weft_cq_wake(mc->ep->tx_cq);
}

static int mc_close(struct fid *fid)
{
	struct weft_mcgroup *mc =
		weft_container_of(fid, struct weft_mcgroup, fid.fid);
	struct weft_ep *ep = mc->ep;

	weft_enter(ep->domain);
	weft_nic_leave(mc->group);
	weft_leave(ep->domain);
	weft_set_put(mc->set);
	weft_ref_put(&ep->ref);
	free(mc);
	return 0;
}

static int mc_ops_open(struct fid *fid, const char *name, uint64_t flags,
		       void **ops, void *context);

static struct fi_ops mc_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = mc_close,
	.bind = weft_nosys_bind,
	.control = weft_nosys_control,
	.ops_open = mc_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

/*
 * Sets member[] to the peers of the set, in the set's order, and *me_p to the
 * endpoint's own position. Returns 0 or -EINVAL.
 */
static int join_members(struct weft_ep *ep, const struct weft_set *set,
			struct weft_peer **member, int *me_p)
{
	*me_p = -1;
	for (size_t i = 0; i < set->count; i++) {
		member[i] = weft_post_peer(ep, set->addr[i]);
		if (!member[i])
			return -EINVAL;
		if (weft_name_equal(member[i]->name, &ep->name))
			*me_p = (int)i;
	}
	return *me_p < 0 ? -EINVAL : 0;
}

static int join_group(struct weft_mcgroup *mc, uint64_t flags)
{
	struct weft_peer **member;
	struct weft_nic_group_attr attr = {
		.n = (int)mc->set->count,
		.joined = coll_joined,
		.arg = mc,
		.no_route = flags & FI_WEFT_SOFTWARE,
		.key = mc->set->key,
	};
	int ret;

	member = calloc(mc->set->count + 1, sizeof(*member));
	if (!member)
		return -ENOMEM;
	attr.member = member;
	ret = join_members(mc->ep, mc->set, member, &attr.me);
	if (!ret)
		ret = weft_nic_join(mc->ep->nic, &attr, &mc->group);
	free(member);
	return ret;
}

static struct weft_set *to_set(const struct fi_collective_addr *ca)
{
	return (struct weft_set *)(uintptr_t)ca->set;
}

int weft_mcgroup_join(struct fid_ep *fid, const void *addr, uint64_t flags,
		      struct fid_mc **mc_p, void *context)
{
	const struct fi_collective_addr *ca = addr;
	struct weft_ep *ep = weft_to_ep(fid);
	struct weft_mcgroup *mc;
	int ret;

	if (!(flags & FI_COLLECTIVE))
		return -FI_ENOSYS;
	if (!ep->nic || !ep->eq)
		return ep->nic ? -FI_ENOEQ : -FI_EOPBADSTATE;
	if (!ca || !ca->set || to_set(ca)->av != ep->av)
		return -FI_EINVAL;
	mc = calloc(1, sizeof(*mc));
	if (!mc)
		return -FI_ENOMEM;
	mc->fid.fid.fclass = FI_CLASS_MC;
	mc->fid.fid.context = context;
	mc->fid.fid.ops = &mc_fid_ops;
	mc->fid.fi_addr = (uintptr_t)mc;
	mc->ep = ep;
	/*
	 * a wait uses the policy only if oversubscribed; otherwise it does not
	 * yield
	 */
	weft_wait_policy_init(&mc->policy, WEFT_OVERSUBSCRIBED);
	mc->one_thread = !ep->domain->threaded && !ep->domain->auto_progress;
	mc->set = to_set(ca);
	/* set *mc_p first: the event may be posted immediately */
	*mc_p = &mc->fid;
	weft_ref_get(&mc->set->ref);
	weft_ref_get(&ep->ref);
	weft_enter(ep->domain);
	ret = join_group(mc, flags);
	weft_leave(ep->domain);
	if (!ret)
		return 0;
	*mc_p = NULL;
	weft_set_put(mc->set);
	weft_ref_put(&ep->ref);
	free(mc);
	return (int)weft_ofi_err(ret);
}

static int mc_route(struct fid *fid, struct fi_weft_route *route)
{
	struct weft_mcgroup *mc =
		weft_container_of(fid, struct weft_mcgroup, fid.fid);
	struct weft_nic_group_info info;

	weft_enter(mc->ep->domain);
	weft_nic_group_info(mc->group, &info);
	weft_leave(mc->ep->domain);
	route->id = info.route;
	route->depth = info.depth;
	route->members = info.members;
	route->bulk = info.bulk;
	route->barrier = info.barrier;
	route->form = info.form;
	route->levels = info.levels;
	route->described = info.described;
	route->most = info.most;
	route->atomics = info.atomics;
	return 0;
}

static void mc_fail(struct fid *fid, int err)
{
	struct weft_mcgroup *mc =
		weft_container_of(fid, struct weft_mcgroup, fid.fid);

	weft_enter(mc->ep->domain);
	if (mc->group && err > 0)
		weft_nic_group_fail(mc->group, -err);
	weft_leave(mc->ep->domain);
}

static int mc_ops_open(struct fid *fid, const char *name, uint64_t flags,
		       void **ops, void *context)
{
	static struct fi_weft_routes routes = {
		.size = sizeof(struct fi_weft_routes),
		.route = mc_route,
		.begin = weft_mcgroup_begin,
		.wait = weft_mcgroup_wait,
		.fail = mc_fail,
	};

	if (strcmp(name, FI_WEFT_ROUTES))
		return -FI_ENOSYS;
	*ops = &routes;
	return 0;
}

/* ---- collective calls ---------------------------------------------------- */

static struct weft_mcgroup *mc_of(fi_addr_t coll_addr)
{
	return coll_addr == FI_ADDR_NOTAVAIL ? NULL
					     : (void *)(uintptr_t)coll_addr;
}

/*
 * Returns the rank of a member, given by its address or by the rank itself; -1:
 * no such member.
 */
static int root_of(const struct weft_mcgroup *mc, fi_addr_t addr)
{
	int i = weft_set_index(mc->set, addr);

	return i >= 0 ? i : addr < mc->set->count ? (int)addr : -1;
}

/*
 * Returns the size of an element in bytes, for calls that do not reduce; 0:
 * unknown type.
 */
static size_t type_bytes(enum fi_datatype t)
{
	static const uint8_t bytes[] = {
		[FI_INT8] = 1,
		[FI_UINT8] = 1,
		[FI_INT16] = 2,
		[FI_UINT16] = 2,
		[FI_INT32] = 4,
		[FI_UINT32] = 4,
		[FI_INT64] = 8,
		[FI_UINT64] = 8,
		[FI_FLOAT] = 4,
		[FI_DOUBLE] = 8,
		[FI_FLOAT_COMPLEX] = 8,
		[FI_DOUBLE_COMPLEX] = 16,
		[FI_LONG_DOUBLE] = sizeof(long double),
		[FI_LONG_DOUBLE_COMPLEX] = 2 * sizeof(long double),
		[FI_INT128] = 16,
		[FI_UINT128] = 16,
	};

	return (size_t)t < WEFT_COUNT_OF(bytes) ? bytes[t] : 0;
}

static bool unit_supports(enum fi_op op, enum fi_datatype type)
{
	return (size_t)type < WEFT_NUM_WORDS && weft_cunit_supports(op, type);
}

int weft_query_collective(struct fid_domain *domain, enum fi_collective_op coll,
			  struct fi_collective_attr *attr, uint64_t flags)
{
	bool reduces = coll == FI_ALLREDUCE || coll == FI_REDUCE ||
		       coll == FI_REDUCE_SCATTER;
	size_t bytes;

	if (!attr)
		return -FI_EINVAL;
	bytes = type_bytes(attr->datatype);
	if ((size_t)coll > FI_GATHER || (coll != FI_BARRIER && !bytes) ||
	    (reduces && !unit_supports(attr->op, attr->datatype)))
		return -FI_EOPNOTSUPP;
	attr->datatype_attr.size = bytes;
	/* the count is limited by memory only: data is sent in packets */
	attr->datatype_attr.count = bytes ? SIZE_MAX / bytes : 0;
	attr->max_members = INT32_MAX;
	attr->mode = 0;
	return 0;
}

/* Arguments of libfabric's collective calls, except buffers and count. */
struct mc_args {
	fi_addr_t root; /* root of the operation, for kinds that have one */
	enum fi_datatype datatype;
	enum fi_op op; /* FI_NOOP: the call does not reduce */
	uint64_t flags;
	void *context;
};

static bool has_root(unsigned kind)
{
	return kind == WEFT_COLL_BCAST || kind == WEFT_COLL_REDUCE ||
	       kind == WEFT_COLL_GATHER || kind == WEFT_COLL_SCATTER;
}

/*
 * Sets root, type and operation of a call. Returns false if the collective unit
 * does not support them.
 */
static bool call_fill(const struct weft_mcgroup *mc, const struct mc_args *a,
		      struct weft_coll_call *call)
{
	if (has_root(call->kind))
		call->root = root_of(mc, a->root);
	if (a->op == FI_NOOP) {
		call->type = WEFT_NUM_U8;
		call->count *= type_bytes(a->datatype);
		return type_bytes(a->datatype);
	}
	call->type = (uint8_t)a->datatype;
	call->op = (uint8_t)a->op;
	if (a->flags & FI_WEFT_EXACT && a->datatype == FI_DOUBLE &&
	    a->op == FI_SUM && call->kind != WEFT_COLL_REDUCE_SCATTER)
		call->type = WEFT_COLL_EXACT;
	return unit_supports(a->op, a->datatype);
}

/* Posts an operation that completes with a CQ entry. */
static ssize_t coll_post(struct fid_ep *fid, fi_addr_t coll_addr,
			 struct weft_coll_call call, struct mc_args a)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct weft_mcgroup *mc = mc_of(coll_addr);
	struct weft_nic_op *op;
	ssize_t ret = -FI_ENOMEM;

	if (!mc || mc->ep != ep || !mc->group)
		return -FI_EINVAL;
	if (!call_fill(mc, &a, &call))
		return -FI_EOPNOTSUPP;
	weft_enter(ep->domain);
	op = weft_nic_op_get(ep->nic);
	if (op) {
		op->kind = WEFT_COLLECTIVE;
		op->peer = NULL;
		op->context = a.context;
		op->comp_flags = FI_COLLECTIVE;
		op->flags = a.flags & FI_COMPLETION
				    ? 0
				    : ep->tx_flags & WEFT_OP_QUIET;
		op->tag = 0;
		op->iov[0].iov_base = NULL;
		ret = weft_post_end(ep, op,
				    weft_grp_post(mc->group, op, &call));
	}
	weft_leave(ep->domain);
	return ret;
}

/* The first parameters of libfabric's collective calls with two buffers. */
#define IN_OUT                                                        \
	struct fid_ep *ep, const void *buf, size_t count, void *desc, \
		void *result, void *result_desc, fi_addr_t coll_addr
#define CALL(which)                                                     \
	(struct weft_coll_call)                                         \
	{                                                               \
		.kind = which, .in = buf, .out = result, .count = count \
	}
#define ARGS(root, op)                             \
	(struct mc_args)                           \
	{                                          \
		root, datatype, op, flags, context \
	}

static ssize_t mc_barrier2(struct fid_ep *ep, fi_addr_t coll_addr,
			   uint64_t flags, void *context)
{
	const enum fi_datatype datatype = FI_UINT8;
	void *buf = NULL, *result = NULL;
	size_t count = 0;

	return coll_post(ep, coll_addr, CALL(WEFT_COLL_BARRIER),
			 ARGS(0, FI_NOOP));
}

static ssize_t mc_barrier(struct fid_ep *ep, fi_addr_t coll_addr, void *context)
{
	return mc_barrier2(ep, coll_addr, 0, context);
}

static ssize_t mc_broadcast(struct fid_ep *ep, void *result, size_t count,
			    void *desc, fi_addr_t coll_addr, fi_addr_t root,
			    enum fi_datatype datatype, uint64_t flags,
			    void *context)
{
	const void *buf = NULL;

	return coll_post(ep, coll_addr, CALL(WEFT_COLL_BCAST),
			 ARGS(root, FI_NOOP));
}

static ssize_t mc_alltoall(IN_OUT, enum fi_datatype datatype, uint64_t flags,
			   void *context)
{
	return coll_post(ep, coll_addr, CALL(WEFT_COLL_ALLTOALL),
			 ARGS(0, FI_NOOP));
}

static ssize_t mc_allgather(IN_OUT, enum fi_datatype datatype, uint64_t flags,
			    void *context)
{
	return coll_post(ep, coll_addr, CALL(WEFT_COLL_ALLGATHER),
			 ARGS(0, FI_NOOP));
}

static ssize_t mc_allreduce(IN_OUT, enum fi_datatype datatype, enum fi_op op,
			    uint64_t flags, void *context)
{
	return coll_post(ep, coll_addr, CALL(WEFT_COLL_ALLREDUCE), ARGS(0, op));
}

static ssize_t mc_reduce_scatter(IN_OUT, enum fi_datatype datatype,
				 enum fi_op op, uint64_t flags, void *context)
{
	return coll_post(ep, coll_addr, CALL(WEFT_COLL_REDUCE_SCATTER),
			 ARGS(0, op));
}

static ssize_t mc_reduce(IN_OUT, fi_addr_t root, enum fi_datatype datatype,
			 enum fi_op op, uint64_t flags, void *context)
{
	return coll_post(ep, coll_addr, CALL(WEFT_COLL_REDUCE), ARGS(root, op));
}

static ssize_t mc_scatter(IN_OUT, fi_addr_t root, enum fi_datatype datatype,
			  uint64_t flags, void *context)
{
	return coll_post(ep, coll_addr, CALL(WEFT_COLL_SCATTER),
			 ARGS(root, FI_NOOP));
}

static ssize_t mc_gather(IN_OUT, fi_addr_t root, enum fi_datatype datatype,
			 uint64_t flags, void *context)
{
	return coll_post(ep, coll_addr, CALL(WEFT_COLL_GATHER),
			 ARGS(root, FI_NOOP));
}

/* not called by libfabric 1.17, which has no wrapper fi_coll_msg */
static ssize_t mc_msg(struct fid_ep *ep, const struct fi_msg_collective *msg,
		      struct fi_ioc *resultv, void **result_desc,
		      size_t result_count, uint64_t flags)
{
	return -FI_ENOSYS;
}

struct fi_ops_collective weft_mcgroup_ops = {
	.size = sizeof(struct fi_ops_collective),
	.barrier = mc_barrier,
	.broadcast = mc_broadcast,
	.alltoall = mc_alltoall,
	.allreduce = mc_allreduce,
	.allgather = mc_allgather,
	.reduce_scatter = mc_reduce_scatter,
	.reduce = mc_reduce,
	.scatter = mc_scatter,
	.gather = mc_gather,
	.msg = mc_msg,
	.barrier2 = mc_barrier2,
};
