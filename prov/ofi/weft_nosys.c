/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions for ops table entries of calls that are not supported. */
#include "prov/ofi/weft_nosys.h"

#include <rdma/fi_errno.h>

int weft_nosys_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return -FI_ENOSYS;
}

int weft_nosys_control(struct fid *fid, int command, void *arg)
{
	return -FI_ENOSYS;
}

int weft_nosys_ops_open(struct fid *fid, const char *name, uint64_t flags,
			void **ops, void *context)
{
	return -FI_ENOSYS;
}

int weft_nosys_tostr(const struct fid *fid, char *buf, size_t len)
{
	return -FI_ENOSYS;
}

int weft_nosys_ops_set(struct fid *fid, const char *name, uint64_t flags,
		       void *ops, void *context)
{
	return -FI_ENOSYS;
}

int weft_nosys_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
			  struct fid_pep **pep, void *context)
{
	return -FI_ENOSYS;
}

int weft_nosys_wait_open(struct fid_fabric *fabric, struct fi_wait_attr *attr,
			 struct fid_wait **waitset)
{
	return -FI_ENOSYS;
}

int weft_nosys_scalable_ep(struct fid_domain *domain, struct fi_info *info,
			   struct fid_ep **sep, void *context)
{
	return -FI_ENOSYS;
}

int weft_nosys_stx_ctx(struct fid_domain *domain, struct fi_tx_attr *attr,
		       struct fid_stx **stx, void *context)
{
	return -FI_ENOSYS;
}

int weft_nosys_srx_ctx(struct fid_domain *domain, struct fi_rx_attr *attr,
		       struct fid_ep **rx_ep, void *context)
{
	return -FI_ENOSYS;
}

int weft_nosys_tx_ctx(struct fid_ep *sep, int index, struct fi_tx_attr *attr,
		      struct fid_ep **tx_ep, void *context)
{
	return -FI_ENOSYS;
}

int weft_nosys_rx_ctx(struct fid_ep *sep, int index, struct fi_rx_attr *attr,
		      struct fid_ep **rx_ep, void *context)
{
	return -FI_ENOSYS;
}

ssize_t weft_nosys_size_left(struct fid_ep *ep)
{
	return -FI_ENOSYS;
}

int weft_nosys_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen)
{
	return -FI_ENOSYS;
}

int weft_nosys_connect(struct fid_ep *ep, const void *addr, const void *param,
		       size_t paramlen)
{
	return -FI_ENOSYS;
}

int weft_nosys_listen(struct fid_pep *pep)
{
	return -FI_ENOSYS;
}

int weft_nosys_accept(struct fid_ep *ep, const void *param, size_t paramlen)
{
	return -FI_ENOSYS;
}

int weft_nosys_reject(struct fid_pep *pep, fid_t handle, const void *param,
		      size_t paramlen)
{
	return -FI_ENOSYS;
}

int weft_nosys_shutdown(struct fid_ep *ep, uint64_t flags)
{
	return -FI_ENOSYS;
}

static ssize_t no_barrier(struct fid_ep *ep, fi_addr_t coll_addr, void *context)
{
	return -FI_EOPNOTSUPP;
}

static ssize_t no_broadcast(struct fid_ep *ep, void *buf, size_t count,
			    void *desc, fi_addr_t coll_addr,
			    fi_addr_t root_addr, enum fi_datatype datatype,
			    uint64_t flags, void *context)
{
	return -FI_EOPNOTSUPP;
}

static ssize_t no_exchange(struct fid_ep *ep, const void *buf, size_t count,
			   void *desc, void *result, void *result_desc,
			   fi_addr_t coll_addr, enum fi_datatype datatype,
			   uint64_t flags, void *context)
{
	return -FI_EOPNOTSUPP;
}

static ssize_t no_combine(struct fid_ep *ep, const void *buf, size_t count,
			  void *desc, void *result, void *result_desc,
			  fi_addr_t coll_addr, enum fi_datatype datatype,
			  enum fi_op op, uint64_t flags, void *context)
{
	return -FI_EOPNOTSUPP;
}

static ssize_t no_reduce(struct fid_ep *ep, const void *buf, size_t count,
			 void *desc, void *result, void *result_desc,
			 fi_addr_t coll_addr, fi_addr_t root_addr,
			 enum fi_datatype datatype, enum fi_op op,
			 uint64_t flags, void *context)
{
	return -FI_EOPNOTSUPP;
}

static ssize_t no_rooted(struct fid_ep *ep, const void *buf, size_t count,
			 void *desc, void *result, void *result_desc,
			 fi_addr_t coll_addr, fi_addr_t root_addr,
			 enum fi_datatype datatype, uint64_t flags,
			 void *context)
{
	return -FI_EOPNOTSUPP;
}

static ssize_t no_msg(struct fid_ep *ep, const struct fi_msg_collective *msg,
		      struct fi_ioc *resultv, void **result_desc,
		      size_t result_count, uint64_t flags)
{
	return -FI_EOPNOTSUPP;
}

static ssize_t no_barrier2(struct fid_ep *ep, fi_addr_t coll_addr,
			   uint64_t flags, void *context)
{
	return -FI_EOPNOTSUPP;
}

struct fi_ops_collective weft_nosys_collective_ops = {
	.size = sizeof(struct fi_ops_collective),
	.barrier = no_barrier,
	.broadcast = no_broadcast,
	.alltoall = no_exchange,
	.allreduce = no_combine,
	.allgather = no_exchange,
	.reduce_scatter = no_combine,
	.reduce = no_reduce,
	.scatter = no_rooted,
	.gather = no_rooted,
	.msg = no_msg,
	.barrier2 = no_barrier2,
};
