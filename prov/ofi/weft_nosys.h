/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions for entries of an ops table that the object does not support.
 * libfabric calls most entries without a check, so none may be NULL.
 */
#ifndef WEFT_NOSYS_H
#define WEFT_NOSYS_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

/* struct fi_ops */
int weft_nosys_bind(struct fid *fid, struct fid *bfid, uint64_t flags);
int weft_nosys_control(struct fid *fid, int command, void *arg);
int weft_nosys_ops_open(struct fid *fid, const char *name, uint64_t flags,
			void **ops, void *context);
int weft_nosys_tostr(const struct fid *fid, char *buf, size_t len);
int weft_nosys_ops_set(struct fid *fid, const char *name, uint64_t flags,
		       void *ops, void *context);

/* fabric */
int weft_nosys_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
			  struct fid_pep **pep, void *context);
int weft_nosys_wait_open(struct fid_fabric *fabric, struct fi_wait_attr *attr,
			 struct fid_wait **waitset);

/* domain */
int weft_nosys_scalable_ep(struct fid_domain *domain, struct fi_info *info,
			   struct fid_ep **sep, void *context);
int weft_nosys_stx_ctx(struct fid_domain *domain, struct fi_tx_attr *attr,
		       struct fid_stx **stx, void *context);
int weft_nosys_srx_ctx(struct fid_domain *domain, struct fi_rx_attr *attr,
		       struct fid_ep **rx_ep, void *context);

/* endpoint */
int weft_nosys_tx_ctx(struct fid_ep *sep, int index, struct fi_tx_attr *attr,
		      struct fid_ep **tx_ep, void *context);
int weft_nosys_rx_ctx(struct fid_ep *sep, int index, struct fi_rx_attr *attr,
		      struct fid_ep **rx_ep, void *context);
ssize_t weft_nosys_size_left(struct fid_ep *ep);

/* connection management */
int weft_nosys_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen);
int weft_nosys_connect(struct fid_ep *ep, const void *addr, const void *param,
		       size_t paramlen);
int weft_nosys_listen(struct fid_pep *pep);
int weft_nosys_accept(struct fid_ep *ep, const void *param, size_t paramlen);
int weft_nosys_reject(struct fid_pep *pep, fid_t handle, const void *param,
		      size_t paramlen);
int weft_nosys_shutdown(struct fid_ep *ep, uint64_t flags);

/* table for collective calls of an endpoint without a collective unit */
extern struct fi_ops_collective weft_nosys_collective_ops;

#endif
