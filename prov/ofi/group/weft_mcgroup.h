/* SPDX-License-Identifier: BSD-3-Clause */
/* Address sets and joined groups: the objects behind fid_av_set and fid_mc. */
#ifndef WEFT_MCGROUP_H
#define WEFT_MCGROUP_H

#include "prov/ofi/weft_ofi.h"
#include "src/os/wait_policy.h"

#include <rdma/fi_ext_weft.h>

/* An ordered subset of an address vector: weft_set.c. */
struct weft_set {
	struct fid_av_set fid;
	struct weft_av *av;
	fi_addr_t *addr;
	size_t count;
	size_t room;
	fi_addr_t above; /* greater than all addresses ever inserted */
	/* hash of the comm_key, by which equal sets are distinguished */
	uint64_t key;
	/* references: owner, and groups joined with the set */
	weft_au32 ref;
};

int weft_set_open(struct fid_av *av, struct fi_av_set_attr *attr,
		  struct fid_av_set **set_p, void *context);
/* Releases a reference to the set; the last release frees the set. */
void weft_set_put(struct weft_set *set);
/* Returns the position of an address in the set, or -1. */
int weft_set_index(const struct weft_set *set, fi_addr_t addr);

/*
 * A joined group; collective calls get the address of this object as coll_addr.
 */
struct weft_mcgroup {
	struct fid_mc fid;
	struct weft_ep *ep;
	struct weft_set *set;
	struct weft_nic_group *group;
	bool one_thread; /* blocking calls are possible (weft_mcgroup_wait.c) */
	bool oversubscribed; /* the group has more members than processors */
	struct weft_wait_policy policy;
};

int weft_query_collective(struct fid_domain *domain, enum fi_collective_op coll,
			  struct fi_collective_attr *attr, uint64_t flags);

/*
 * cm.join with FI_COLLECTIVE, and the ops table of the collective calls:
 * weft_mcgroup.c.
 */
int weft_mcgroup_join(struct fid_ep *ep, const void *addr, uint64_t flags,
		      struct fid_mc **mc_p, void *context);
extern struct fi_ops_collective weft_mcgroup_ops;

/* Blocking calls: weft_mcgroup_wait.c. */
int weft_mcgroup_begin(struct fid *fid, struct fi_weft_work *work,
		       uint64_t flags,
		       void (*done)(struct fi_weft_work *work, int err));
int weft_mcgroup_wait(struct fid *fid, struct fi_weft_work *work,
		      int timeout_ms);
/*
 * Blocking wait in virtual time: weft_mcgroup_wait_vt.c. Returns 0 or -errno.
 */
int weft_mcgroup_wait_virtual(struct weft_ep *ep, struct weft_grp_work *w,
			      int timeout_ms);

#endif
