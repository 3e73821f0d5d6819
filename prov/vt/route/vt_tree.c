/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of prov/net over the nodes of a route's members: opening, closing and
 * sharing them. If the switches have no space for another tree, and only copy
 * packets, an open tree that reaches all members also carries the results of
 * this route; ranks that are not members drop them. The members forward all
 * packets if the switches have no trees, or if the switches cannot serve the
 * group and the interfaces have chained events.
 */
#include "prov/vt/route/vt_route.h"

#include <stdlib.h>

static uint32_t node_of(struct weft_vt *w, const struct vt_member *m)
{
	return vt_rank(w, m->rank)->node;
}

/* Returns the i-th member of a route in the order of nodes. */
static const struct vt_member *by_node(struct weft_vt *w,
				       const struct vt_member *m, uint32_t i)
{
	uint32_t k = m[i].by_node;

	vt_require(k < w->size);
	return &m[k];
}

/* Makes the tree of a route whose interfaces forward all packets. */
static int plan_chain(struct weft_vt *w, uint32_t place,
		      struct net_tree_plan *tree)
{
	const struct vt_member *m = vt_route_members(w, place);
	uint32_t n = w->routes[place].count;
	struct weft_tree_shape f;
	unsigned nth;

	*tree = (struct net_tree_plan){
		.node = calloc(n, sizeof(*tree->node)),
		.parent = calloc(n, sizeof(*tree->parent)),
		.share = calloc(n, sizeof(*tree->share)),
		.count = n,
		.room = n,
	};
	if (!tree->node || !tree->parent || !tree->share) {
		net_tree_plan_free(tree);
		return -ENOMEM;
	}
	weft_tree_shape_init(&f, n, w->cfg.fold_levels);
	for (uint32_t i = 0; i < n; i++) {
		tree->node[i] = node_of(w, &m[i]);
		tree->share[i] = 1;
		tree->parent[i] =
			i ? (int)weft_tree_shape_parent(&f, i, &nth) : -1;
	}
	return 0;
}

/* Makes the tree over the nodes of the members; each node occurs once. */
static int plan_nodes(struct weft_vt *w, uint32_t place,
		      struct net_tree_plan *tree)
{
	const struct vt_member *m = vt_route_members(w, place);
	uint32_t n = w->routes[place].count, count = 0;
	uint32_t *node = calloc(n, sizeof(*node));
	uint32_t *share = calloc(n, sizeof(*share));
	int ret = -ENOMEM;

	for (uint32_t k = 0; node && share && k < n; k++) {
		uint32_t at = node_of(w, by_node(w, m, k));

		if (!count || node[count - 1] != at)
			node[count++] = at;
		share[count - 1]++;
	}
	if (node && share)
		ret = net_tree_plan(&w->cfg, node, share, count, tree);
	free(node);
	free(share);
	return ret;
}

int vt_tree_plan(struct weft_vt *w, uint32_t place, struct net_tree_plan *tree)
{
	return vt_tree_chained(w, place) ? plan_chain(w, place, tree)
					 : plan_nodes(w, place, tree);
}

/*
 * Returns the position, in the order of nodes, of the first member at this or a
 * later node; the number of members if there is none.
 */
static uint32_t find_node(struct weft_vt *w, uint32_t place, uint32_t node)
{
	const struct vt_member *m = vt_route_members(w, place);
	uint32_t low = 0, high = w->routes[place].count;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (node_of(w, by_node(w, m, mid)) < node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool vt_tree_at(struct weft_vt *w, uint32_t place, uint32_t node)
{
	uint32_t i = find_node(w, place, node);

	return i < w->routes[place].count &&
	       node_of(w, by_node(w, vt_route_members(w, place), i)) == node;
}

/* Returns whether a route reaches all nodes of another route's members. */
static bool covers(struct weft_vt *w, uint32_t place, uint32_t other)
{
	const struct vt_member *m = vt_route_members(w, other);

	for (uint32_t i = 0; i < w->routes[other].count; i++)
		if (!vt_tree_at(w, place, node_of(w, &m[i])))
			return false;
	return true;
}

static int tree_share(struct weft_vt *w, uint32_t place, uint32_t *id_p)
{
	uint32_t end = w->size * VT_PLACES;

	if (net_tree_supports(&w->cfg, WEFT_COLL_BARRIER))
		return -ENOSPC;
	for (uint32_t q = 0; q < end; q++) {
		if (weft_load32(&w->routes[q].state) != VT_ROUTE_OPENED ||
		    q == place || !covers(w, q, place))
			continue;
		*id_p = w->routes[q].id;
		return 0;
	}
	return -ENOSPC;
}

bool vt_tree_absent(const struct weft_vt *w, uint32_t place)
{
	return w->routes[place].no_tree;
}

bool vt_tree_chained(const struct weft_vt *w, uint32_t place)
{
	return w->routes[place].no_tree && w->cfg.coll_chain;
}

bool vt_tree_by_cpu(const struct weft_vt *w, uint32_t place)
{
	return w->routes[place].no_tree && !w->cfg.coll_chain;
}

/*
 * Opens a tree of the network for a route, or uses the tree of another route.
 */
static int open_tree(struct weft_vt *w, uint32_t place)
{
	struct vt_route *r = &w->routes[place];
	struct net_tree_plan tree;
	int ret = plan_nodes(w, place, &tree);

	if (ret)
		return ret;
	ret = net_tree_open(w->net, tree.node, tree.parent, tree.share,
			    tree.count, &r->id);
	net_tree_plan_free(&tree);
	if (!ret && vt_route_is_place(w, r->id)) {
		w->trees[r->id] = (struct vt_tree){ .place = place };
		net_tree_class_set(w->net, r->id,
				   r->count == w->initial ? NET_TREE_WORLD
							  : NET_TREE_GROUP);
	} else if (ret == -ENOSPC) {
		ret = tree_share(w, place, &r->id);
	}
	return ret;
}

int vt_tree_open(struct weft_vt *w, uint32_t place)
{
	struct vt_route *r = &w->routes[place];
	int ret;

	r->no_tree = !w->cfg.routes && w->adders;
	if (r->no_tree)
		return 0;
	ret = open_tree(w, place);
	r->no_tree = (ret == -EINVAL || ret == -ENOSPC) && w->cfg.coll_chain &&
		     w->adders;
	if (ret)
		return r->no_tree ? 0 : ret;
	vt_require(vt_route_is_place(w, r->id));
	w->trees[r->id].users++;
	r->times = r->times % ((1u << (64 - VT_BCAST_OPENING)) - 1) + 1;
	return 0;
}

void vt_tree_close(struct weft_vt *w, uint32_t place)
{
	const struct vt_route *r = &w->routes[place];

	if (vt_tree_absent(w, place))
		return;
	vt_require(vt_route_is_place(w, r->id));
	if (!--w->trees[r->id].users)
		net_tree_close(w->net, r->id);
}

uint32_t vt_tree_next(struct weft_vt *w, uint32_t place, uint32_t node,
		      uint32_t *nth)
{
	const struct vt_member *m = vt_route_members(w, place), *one;

	if (*nth == VT_NONE)
		*nth = find_node(w, place, node);
	if (*nth >= w->routes[place].count)
		return VT_NONE;
	one = by_node(w, m, (*nth)++);
	return node_of(w, one) == node ? (uint32_t)(one - m) : VT_NONE;
}
