/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Class routes in virtual time: collectives by the network, or by the members'
 * interfaces and processors where the network has no trees.
 *
 *   vt_route.c         class routes
 *   vt_part.c          contributions and results of class routes
 *   vt_fold.c          reductions by the interfaces of the members
 *   vt_result_bcast.c  results forwarded from member to member
 *   vt_tree.c          trees of the model for class routes, shared if needed
 */
#ifndef WEFT_VT_ROUTE_H
#define WEFT_VT_ROUTE_H

#include "prov/vt/vt.h"

/* vt_part.c */
bool vt_route_is_place(const struct weft_vt *w, uint32_t place);
struct vt_member *vt_route_members(struct weft_vt *w, uint32_t place);
struct vt_adder *vt_adders(struct weft_vt *w, uint32_t place);
/*
 * Returns the member that sent a contribution. vt_part_has_result() returns
 * whether `member` gets the result.
 */
struct vt_member *vt_part_member(struct weft_vt *w, const struct vt_buf *b);
bool vt_part_has_result(const struct weft_backend_part *part, uint32_t member);
/*
 * Completes a contribution whose member gets no result: returns its buffer and
 * releases a member that waits for space in its window. vt_route_done() does
 * this for any contribution that has been combined.
 */
void vt_part_done(struct vt_engine_pass *t, uint32_t i);
void vt_route_done(struct vt_engine_pass *t, uint32_t i);
/*
 * Computes acc = acc op in. If the operations of the two members differ,
 * records this in acc's flags.
 */
void vt_part_add(struct vt_engine_pass *t, struct vt_buf *acc,
		 const struct vt_buf *in);
/*
 * Stores a result until all members have it; returns its slot in the window.
 * The buffer of the contribution stays with its member. vt_route_deliver()
 * delivers the result to a member whose contribution waits.
 */
unsigned vt_route_result_store(struct vt_engine_pass *t, uint32_t place,
			       uint64_t seq, uint32_t i);
bool vt_route_deliver(struct vt_engine_pass *t, uint32_t place, uint32_t member,
		      unsigned k);
/*
 * vt_route_result_to_root() delivers a complete result to the one member that
 * gets it; vt_route_bcast() broadcasts the result to all members.
 */
void vt_route_result_to_root(struct vt_engine_pass *t, uint32_t i);
void vt_route_bcast(struct vt_engine_pass *t, uint32_t i, uint64_t at);

/* vt_route.c */
int vt_route_open(struct weft_carrier *c, const struct weft_backend_route *attr,
		  unsigned *id_p);
void vt_route_close(struct weft_carrier *c, unsigned id);
bool vt_route_can(struct weft_carrier *c, enum weft_coll_kind kind);
bool vt_route_chained(struct weft_carrier *c, unsigned id);
int vt_route_send(struct weft_carrier *c, unsigned id,
		  const struct weft_backend_part *part, const void *data);
int vt_route_take(struct weft_carrier *c, unsigned id,
		  struct weft_backend_part *part, void *data);
/*
 * Stores an arrived result until the member takes it. Returns -EPROTO if b is
 * not a result.
 */
int vt_route_result_put(struct vt *v, const struct vt_buf *b);
/*
 * Returns whether the window now has a free slot for the contribution that the
 * last send could not post.
 */
bool vt_route_room(const struct vt *v);
/* Functions that the engine calls. */
void vt_route_post(struct vt_engine_pass *t, uint32_t i);
uint64_t vt_route_combine(void *arg, uint64_t at, uint32_t node,
			  const uint64_t *cookie, unsigned count);
void vt_route_result(void *arg, uint64_t at, uint32_t route, uint32_t node,
		     uint64_t seq, uint64_t cookie);

/*
 * vt_tree.c. vt_tree_open() opens the tree over the nodes of the members of the
 * route with index `place`; returns 0 or -errno. vt_tree_at() returns whether a
 * member is at that node. vt_tree_next() returns the members at a node, one per
 * call; nth is VT_NONE at first, and VT_NONE at the end.
 */
int vt_tree_open(struct weft_vt *w, uint32_t place);
/* Sets *tree to the nodes and parents of an open tree, for display. */
int vt_tree_plan(struct weft_vt *w, uint32_t place, struct net_tree_plan *tree);
void vt_tree_close(struct weft_vt *w, uint32_t place);
/*
 * vt_tree_absent() returns whether the network has no tree for the route, so
 * that the members forward all packets. vt_tree_chained() returns whether their
 * interfaces do this by chained events; otherwise their processors do it by
 * polling.
 */
bool vt_tree_absent(const struct weft_vt *w, uint32_t place);
bool vt_tree_chained(const struct weft_vt *w, uint32_t place);
bool vt_tree_by_cpu(const struct weft_vt *w, uint32_t place);
bool vt_tree_at(struct weft_vt *w, uint32_t place, uint32_t node);
uint32_t vt_tree_next(struct weft_vt *w, uint32_t place, uint32_t node,
		      uint32_t *nth);

/* vt_fold.c */
/*
 * Returns whether the members' interfaces combine this contribution, because
 * the machine's network does not.
 */
bool vt_fold_applies(const struct weft_vt *w, uint32_t place,
		     const struct weft_backend_part *part);
void vt_adder_init(struct vt_adder *a);
/*
 * Returns whether the window slot of `seq` is free, which means that no
 * contribution in it waits to be combined.
 */
bool vt_fold_slot_free(const struct vt_adder *a, uint64_t seq);
void vt_fold_post(struct vt_engine_pass *t, uint32_t i);
void vt_fold_timer(void *arg, uint64_t at, uint64_t cookie);
void vt_fold_packet(struct vt_engine_pass *t, uint32_t i, uint32_t bytes);

/* vt_result_bcast.c */
/*
 * Sends the result in buffer i from the first member to all members, starting
 * at time `at`.
 */
void vt_result_begin(struct vt_engine_pass *t, uint32_t i, uint64_t at);
/* Sends a broadcast from its root by chained events. */
void vt_result_bcast_begin(struct vt_engine_pass *t, uint32_t i);
/* Returns whether the broadcast arrived before the member's contribution. */
bool vt_result_arrived(struct weft_vt *w, uint32_t place, uint32_t member,
		       unsigned k);
/*
 * Handles a packet of a result at a member, which forwards the result when it
 * is complete.
 */
void vt_result_packet(struct vt_engine_pass *t, uint64_t cookie,
		      uint64_t offset, uint32_t bytes);
void vt_result_timer(struct vt_engine_pass *t, uint64_t cookie);
/* Returns the rank that sent or forwarded the result with this cookie. */
uint32_t vt_result_sender(struct weft_vt *w, uint64_t cookie);

#endif
