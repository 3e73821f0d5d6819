/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fi_atomic, fi_fetch_atomic, fi_compare_atomic and their variants. The engine
 * uses libfabric's numbers for operations and types.
 */
#include "prov/ofi/ep/weft_atomic.h"
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/ep/weft_post.h"

static_assert((int)WEFT_NUM_MIN == FI_MIN && (int)WEFT_NUM_SUM == FI_SUM &&
		      (int)WEFT_NUM_LOR == FI_LOR &&
		      (int)WEFT_NUM_BXOR == FI_BXOR &&
		      (int)WEFT_NUM_READ == FI_ATOMIC_READ &&
		      (int)WEFT_NUM_WRITE == FI_ATOMIC_WRITE &&
		      (int)WEFT_NUM_CSWAP == FI_CSWAP &&
		      (int)WEFT_NUM_CSWAP_GT == FI_CSWAP_GT &&
		      (int)WEFT_NUM_MSWAP == FI_MSWAP,
	      "libfabric's numbers");
static_assert((int)WEFT_NUM_I8 == FI_INT8 && (int)WEFT_NUM_U64 == FI_UINT64 &&
		      (int)WEFT_NUM_F32 == FI_FLOAT &&
		      (int)WEFT_NUM_F64 == FI_DOUBLE,
	      "libfabric's numbers");

/* Arguments common to all atomic calls; counts are numbers of elements. */
struct call {
	struct weft_post post;
	const struct fi_ioc *iov;
	const struct fi_ioc *compare;
	const struct fi_ioc *result;
	size_t iov_count;
	size_t compare_count;
	size_t result_count;
	uint64_t addr;
	uint64_t key;
	uint64_t data;
	enum fi_datatype type;
	enum fi_op op;
};

static const uint64_t flags_of[] = {
	[WEFT_ATOMIC] = FI_ATOMIC | FI_WRITE,
	[WEFT_FETCH] = FI_ATOMIC | FI_READ,
	[WEFT_COMPARE] = FI_ATOMIC | FI_READ,
};

/*
 * Copies segments, converting their element counts to bytes. Returns the total
 * number of bytes, or -EINVAL.
 */
static ssize_t ioc_copy(struct iovec *to, const struct fi_ioc *from,
			size_t count, size_t bytes)
{
	ssize_t sum = 0;
	size_t i;

	if (count > WEFT_IOV_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		to[i].iov_base = from[i].addr;
		to[i].iov_len = from[i].count * bytes;
		sum += (ssize_t)to[i].iov_len;
	}
	return sum;
}

/*
 * Sets operands, comparands and results of op. Returns an error unless their
 * lengths are equal.
 */
static int operands_set(struct weft_nic_op *op, const struct call *c)
{
	size_t bytes = weft_num_bytes(c->type);
	ssize_t len = ioc_copy(op->iov, c->iov, c->iov_count, bytes);
	ssize_t results, compares;

	if (!bytes)
		return -EOPNOTSUPP;
	results = ioc_copy(op->result, c->result, c->result_count, bytes);
	compares = ioc_copy(op->compare, c->compare, c->compare_count, bytes);
	if (c->op == FI_ATOMIC_READ)
		len = results;
	if (len < 0 || (c->post.kind != WEFT_ATOMIC && results != len) ||
	    (c->post.kind == WEFT_COMPARE && compares != len))
		return -EINVAL;
	op->iov_count = (uint8_t)c->iov_count;
	op->result_count = (uint8_t)c->result_count;
	op->compare_count = (uint8_t)c->compare_count;
	op->len = (uint64_t)len;
	return 0;
}

static ssize_t atomic_post(struct weft_ep *ep, struct call *c)
{
	struct weft_nic_op *op;
	ssize_t ret;
	int err;

	c->post.comp_flags = flags_of[c->post.kind];
	weft_enter(ep->domain);
	op = weft_post_op(ep, &c->post, &ret);
	if (op) {
		op->addr = c->addr;
		op->key = c->key;
		op->data = c->data;
		op->tag = 0;
		op->at_op = (uint8_t)c->op;
		op->at_type = (uint8_t)c->type;
		err = operands_set(op, c);
		if (!err)
			err = weft_nic_atomic(ep->nic, op);
		ret = weft_post_end(ep, op, err);
	}
	weft_leave(ep->domain);
	return ret;
}

/* ---- atomics without result ---------------------------------------------- */

static ssize_t weft_atomic_writev(struct fid_ep *fid, const struct fi_ioc *iov,
				  void **desc, size_t count,
				  fi_addr_t dest_addr, uint64_t addr,
				  uint64_t key, enum fi_datatype datatype,
				  enum fi_op op, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct call c = {
		.post = { dest_addr, context, 0, ep->tx_flags, WEFT_ATOMIC },
		.iov = iov,
		.iov_count = count,
		.addr = addr,
		.key = key,
		.type = datatype,
		.op = op,
	};

	return atomic_post(ep, &c);
}

static ssize_t weft_atomic_write(struct fid_ep *fid, const void *buf,
				 size_t count, void *desc, fi_addr_t dest_addr,
				 uint64_t addr, uint64_t key,
				 enum fi_datatype datatype, enum fi_op op,
				 void *context)
{
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };

	return weft_atomic_writev(fid, &iov, NULL, 1, dest_addr, addr, key,
				  datatype, op, context);
}

/* Common part of fi_atomicmsg, fi_fetch_atomicmsg and fi_compare_atomicmsg. */
static int call_msg(struct weft_ep *ep, struct call *c,
		    const struct fi_msg_atomic *msg, uint64_t flags)
{
	if (msg->rma_iov_count != 1)
		return -FI_EINVAL;
	c->post.addr = msg->addr;
	c->post.context = msg->context;
	c->post.flags = weft_post_flags(flags, ep->tx_selective);
	c->iov = msg->msg_iov;
	c->iov_count = msg->iov_count;
	c->addr = msg->rma_iov[0].addr;
	c->key = msg->rma_iov[0].key;
	c->data = msg->data;
	c->type = msg->datatype;
	c->op = msg->op;
	return 0;
}

static ssize_t weft_atomic_writemsg(struct fid_ep *fid,
				    const struct fi_msg_atomic *msg,
				    uint64_t flags)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct call c = { .post.kind = WEFT_ATOMIC };
	int err = call_msg(ep, &c, msg, flags);

	return err ? err : atomic_post(ep, &c);
}

static ssize_t weft_atomic_inject(struct fid_ep *fid, const void *buf,
				  size_t count, fi_addr_t dest_addr,
				  uint64_t addr, uint64_t key,
				  enum fi_datatype datatype, enum fi_op op)
{
	struct weft_ep *ep = weft_to_ep(fid);
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };
	struct call c = {
		.post = { dest_addr, NULL, 0, WEFT_OP_QUIET, WEFT_ATOMIC },
		.iov = &iov,
		.iov_count = 1,
		.addr = addr,
		.key = key,
		.type = datatype,
		.op = op,
	};

	if (count * weft_num_bytes(datatype) > ep->inject_bytes)
		return -FI_EMSGSIZE;
	return atomic_post(ep, &c);
}

/* ---- atomics with result ------------------------------------------------- */

static ssize_t weft_atomic_readwritev(struct fid_ep *fid,
				      const struct fi_ioc *iov, void **desc,
				      size_t count, struct fi_ioc *resultv,
				      void **result_desc, size_t result_count,
				      fi_addr_t dest_addr, uint64_t addr,
				      uint64_t key, enum fi_datatype datatype,
				      enum fi_op op, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct call c = {
		.post = { dest_addr, context, 0, ep->tx_flags, WEFT_FETCH },
		.iov = iov,
		.iov_count = count,
		.result = resultv,
		.result_count = result_count,
		.addr = addr,
		.key = key,
		.type = datatype,
		.op = op,
	};

	return atomic_post(ep, &c);
}

static ssize_t weft_atomic_readwrite(struct fid_ep *fid, const void *buf,
				     size_t count, void *desc, void *result,
				     void *result_desc, fi_addr_t dest_addr,
				     uint64_t addr, uint64_t key,
				     enum fi_datatype datatype, enum fi_op op,
				     void *context)
{
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };
	struct fi_ioc res = { result, count };

	return weft_atomic_readwritev(fid, &iov, NULL, 1, &res, NULL, 1,
				      dest_addr, addr, key, datatype, op,
				      context);
}

static ssize_t weft_atomic_readwritemsg(struct fid_ep *fid,
					const struct fi_msg_atomic *msg,
					struct fi_ioc *resultv,
					void **result_desc, size_t result_count,
					uint64_t flags)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct call c = { .post.kind = WEFT_FETCH,
			  .result = resultv,
			  .result_count = result_count };
	int err = call_msg(ep, &c, msg, flags);

	return err ? err : atomic_post(ep, &c);
}

static ssize_t weft_atomic_compwritev(
	struct fid_ep *fid, const struct fi_ioc *iov, void **desc, size_t count,
	const struct fi_ioc *comparev, void **compare_desc,
	size_t compare_count, struct fi_ioc *resultv, void **result_desc,
	size_t result_count, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
	enum fi_datatype datatype, enum fi_op op, void *context)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct call c = {
		.post = { dest_addr, context, 0, ep->tx_flags, WEFT_COMPARE },
		.iov = iov,
		.iov_count = count,
		.compare = comparev,
		.compare_count = compare_count,
		.result = resultv,
		.result_count = result_count,
		.addr = addr,
		.key = key,
		.type = datatype,
		.op = op,
	};

	return atomic_post(ep, &c);
}

static ssize_t weft_atomic_compwrite(struct fid_ep *fid, const void *buf,
				     size_t count, void *desc,
				     const void *compare, void *compare_desc,
				     void *result, void *result_desc,
				     fi_addr_t dest_addr, uint64_t addr,
				     uint64_t key, enum fi_datatype datatype,
				     enum fi_op op, void *context)
{
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };
	const struct fi_ioc cmp = { (void *)(uintptr_t)compare, count };
	struct fi_ioc res = { result, count };

	return weft_atomic_compwritev(fid, &iov, NULL, 1, &cmp, NULL, 1, &res,
				      NULL, 1, dest_addr, addr, key, datatype,
				      op, context);
}

static ssize_t
weft_atomic_compwritemsg(struct fid_ep *fid, const struct fi_msg_atomic *msg,
			 const struct fi_ioc *comparev, void **compare_desc,
			 size_t compare_count, struct fi_ioc *resultv,
			 void **result_desc, size_t result_count,
			 uint64_t flags)
{
	struct weft_ep *ep = weft_to_ep(fid);
	struct call c = { .post.kind = WEFT_COMPARE,
			  .compare = comparev,
			  .compare_count = compare_count,
			  .result = resultv,
			  .result_count = result_count };
	int err = call_msg(ep, &c, msg, flags);

	return err ? err : atomic_post(ep, &c);
}

/* ---- queries ------------------------------------------------------------- */

static int atomic_valid(const struct weft_machine *m, unsigned kind,
			enum fi_datatype type, enum fi_op op, size_t *count)
{
	size_t n = weft_atomic_max_count(m, kind, (unsigned)op, (unsigned)type);

	if (!n)
		return -FI_EOPNOTSUPP;
	if (count)
		*count = n;
	return 0;
}

static int weft_atomic_writevalid(struct fid_ep *fid, enum fi_datatype datatype,
				  enum fi_op op, size_t *count)
{
	return atomic_valid(weft_to_ep(fid)->domain->machine, WEFT_ATOMIC,
			    datatype, op, count);
}

static int weft_atomic_readwritevalid(struct fid_ep *fid,
				      enum fi_datatype datatype, enum fi_op op,
				      size_t *count)
{
	return atomic_valid(weft_to_ep(fid)->domain->machine, WEFT_FETCH,
			    datatype, op, count);
}

static int weft_atomic_compwritevalid(struct fid_ep *fid,
				      enum fi_datatype datatype, enum fi_op op,
				      size_t *count)
{
	return atomic_valid(weft_to_ep(fid)->domain->machine, WEFT_COMPARE,
			    datatype, op, count);
}

int weft_query_atomic(struct fid_domain *domain, enum fi_datatype datatype,
		      enum fi_op op, struct fi_atomic_attr *attr,
		      uint64_t flags)
{
	struct weft_domain *d =
		weft_container_of(domain, struct weft_domain, fid);
	unsigned kind = WEFT_ATOMIC;

	if (flags & ~(FI_FETCH_ATOMIC | FI_COMPARE_ATOMIC | FI_TAGGED))
		return -FI_EBADFLAGS;
	if ((flags & FI_TAGGED) ||
	    (flags & FI_FETCH_ATOMIC && flags & FI_COMPARE_ATOMIC))
		return -FI_EOPNOTSUPP;
	if (flags & FI_FETCH_ATOMIC)
		kind = WEFT_FETCH;
	if (flags & FI_COMPARE_ATOMIC)
		kind = WEFT_COMPARE;
	attr->size = weft_num_bytes((unsigned)datatype);
	return atomic_valid(d->machine, kind, datatype, op, &attr->count);
}

struct fi_ops_atomic weft_atomic_ops = {
	.size = sizeof(struct fi_ops_atomic),
	.write = weft_atomic_write,
	.writev = weft_atomic_writev,
	.writemsg = weft_atomic_writemsg,
	.inject = weft_atomic_inject,
	.readwrite = weft_atomic_readwrite,
	.readwritev = weft_atomic_readwritev,
	.readwritemsg = weft_atomic_readwritemsg,
	.compwrite = weft_atomic_compwrite,
	.compwritev = weft_atomic_compwritev,
	.compwritemsg = weft_atomic_compwritemsg,
	.writevalid = weft_atomic_writevalid,
	.readwritevalid = weft_atomic_readwritevalid,
	.compwritevalid = weft_atomic_compwritevalid,
};
