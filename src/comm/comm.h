/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators.
 *
 * A communicator is a group (two for an intercommunicator), a context id that
 * all members agreed on, and the attributes and other objects that the
 * application attached. MPI_COMM_WORLD and MPI_COMM_SELF differ from other
 * communicators only in their handles. References: the application holds one
 * reference, and every active request holds one.
 *
 *   weft_comm_create -> ... -> weft_comm_put
 */
#ifndef WEFT_COMM_H
#define WEFT_COMM_H

#include "src/base/attr.h"
#include "src/types/types_attr.h"
#include "src/base/list.h"
#include "src/comm/comm_group.h"
#include "src/types/types_obj.h"

#include <mpi.h>

struct weft_bsend; /* msg_bsend.h */
struct weft_errh;  /* diag_err.h */
struct weft_info;  /* types_info.h */
struct weft_route; /* offload_route.h */
struct weft_topo;  /* types_topo.h */

/* Parts of a context id; messages of different parts never match. */
enum weft_ctx_kind {
	WEFT_CTX_P2P = 0,  /* point-to-point messages of the application */
	WEFT_CTX_COLL = 1, /* collectives; tags from weft_comm_next_tag() */
	/* MPI_Comm_create_group, with the application's tag */
	WEFT_CTX_GROUP = 2,
	/* acknowledgements, handshakes of partitioned communication */
	WEFT_CTX_CTRL = 3,
};

struct weft_comm {
	struct weft_obj obj;

	/* fields that every send and receive reads */
	int rank; /* rank of this process in the local group */
	/*
	 * size of the group that the ranks of messages refer to (the remote
	 * group of an intercommunicator)
	 */
	int peers;
	/*
	 * equal to `peers`, or 0 if the communicator is revoked, so that
	 * messages are refused
	 */
	unsigned reach;
	uint64_t ctx;	 /* context id, shifted for the tag word */
	const int *proc; /* process index of each peer, by the peer's rank */

	int size; /* size of the local group */
	bool inter;
	bool revoked; /* revoked by MPIX_Comm_revoke (src/recover) */
	bool foreign; /* some members are processes of other jobs */
	/* weft_comm_exchange_addresses() was called */
	bool addresses_exchanged;
	struct weft_group *group;
	/* remote group; NULL in an intracommunicator */
	struct weft_group *remote;
	/*
	 * intercommunicator: intracommunicator of the local group; otherwise
	 * NULL
	 */
	struct weft_comm *local;
	weft_au32 coll_seq; /* collectives started, see weft_comm_next_tag() */
	/* number of collectives recorded in the trace (diag_trace.h) */
	uint32_t traced;

	/* class routes (offload_route.h); NULL: none */
	struct weft_route *route; /* route of all collectives */
	struct weft_route *joining;
	/* route for exact sums, if `route` does not support them */
	struct weft_route *exact_route;
	/*
	 * bit mask of the kinds of collectives that always use `route`
	 * (coll_unit.c)
	 */
	uint32_t unit_kinds;
	/*
	 * number of collectives before the route is joined (coll/coll_unit.c)
	 */
	unsigned join_age;
	/* topology, owned by the communicator; NULL: none */
	struct weft_topo *topo;
	/* attributes, owned by the communicator; NULL: none */
	struct weft_attr *attr;
	/* hints, owned by the communicator; NULL: none */
	struct weft_info *info;
	/* error handler, with one reference; never NULL */
	struct weft_errh *errh;
	struct weft_bsend *bsend;
	/* entry in the list of all communicators (diag_peer_failure.c) */
	struct weft_list link;
	/* persistent requests of this communicator (msg_persist.h) */
	struct weft_list persistent;
	/* src/recover: acknowledged failures, number of ballots started */
	int acked;
	uint32_t ballots;
	/* hosts of the members (coll/coll_hosts.h), computed on first use */
	struct coll_hosts *hosts;
	/* memory shared by all members (coll/coll_shared.h), or NULL */
	struct coll_shared *shared;
	uint32_t shared_calls; /* number of calls before `shared` was opened */
	char name[MPI_MAX_OBJECT_NAME];
};

/*
 * Predefined communicators, indexed by the low bits of the handle: null, world,
 * self. NULL while MPI is not running.
 */
extern struct weft_comm *weft_comm_predef[4] WEFT_HIDDEN;

static inline struct weft_comm *weft_comm_of(MPI_Comm handle)
{
	uintptr_t v = (uintptr_t)handle;

	if (weft_likely(v - 0x100 < 4))
		return weft_comm_predef[v & 3];
	return weft_obj_of(handle, WEFT_KIND_COMM);
}

static inline MPI_Comm weft_comm_handle(const struct weft_comm *c)
{
	return weft_obj_handle(&c->obj);
}

/*
 * Returns the tag of the next collective on c. All members call collectives in
 * the same order, so their counts, and thus the tags, are equal. Messages of
 * one collective between the same two ranks arrive in order and may share the
 * tag.
 */
static inline int weft_comm_next_tag(struct weft_comm *c)
{
	/*
	 * relaxed: collectives on one communicator do not run concurrently, so
	 * a load and a store suffice; other threads only read coll_seq
	 */
	uint32_t seq = weft_load32_relaxed(&c->coll_seq);

	weft_store32_relaxed(&c->coll_seq, seq + 1);
	return (int)(seq & 0x7fffffff);
}

/*
 * Creates a communicator over `group` (and `remote`), and takes over the
 * references to both groups. ctx_id: the context id that the members agreed on.
 * The error handler is inherited from parent, which may be NULL. Returns 0 or
 * -ENOMEM.
 */
int weft_comm_create(struct weft_comm *parent, struct weft_group *group,
		     struct weft_group *remote, unsigned ctx_id,
		     struct weft_comm **comm_p);

/* Returns whether some members are processes of other jobs. */
bool weft_comm_has_foreign(const struct weft_group *g);

static inline void weft_comm_get(struct weft_comm *c)
{
	weft_obj_get(&c->obj);
}

void weft_comm_put(struct weft_comm *c);

int weft_comm_open_predefined(void);
/* Closes the communicators MPI_COMM_WORLD and MPI_COMM_SELF. */
void weft_comm_close_predefined(void);
/* Closes the class routes of all communicators. */
void weft_comm_close_all(void);

#endif
