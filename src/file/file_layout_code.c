/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoding of layouts for other members: a header, then the nodes of the
 * datatype description in depth-first order, each with its list of parts. A
 * decoded layout has a datatype with the fields that packing reads, in one
 * block of memory: type, nodes, child pointers, parts.
 */
#include "src/file/file_layout.h"

#include <errno.h>
#include <stdlib.h>

#define DEPTH_MAX 256

struct head {
	int64_t disp, size, extent, true_lb, true_extent, pieces;
	uint64_t grain;
	uint64_t contig, overlaps;
	uint64_t nodes, parts, children;
};

struct node {
	int64_t kind, size, off, count, len, stride;
};

static bool has_parts(const struct weft_dtn *n)
{
	return n->kind == WEFT_DTN_IDX || n->kind == WEFT_DTN_SEQ;
}

/* ---- encoding ------------------------------------------------------------ */

static void count_nodes(const struct weft_dtn *n, struct head *h)
{
	h->nodes++;
	if (has_parts(n))
		h->parts += (uint64_t)n->count + 1;
	if (n->kind == WEFT_DTN_LOOP)
		count_nodes(n->child, h);
	if (n->kind == WEFT_DTN_SEQ) {
		h->children += (uint64_t)n->count;
		for (MPI_Count i = 0; i < n->count; i++)
			count_nodes(n->seq[i], h);
	}
}

static struct head head_of(const struct file_layout *l)
{
	const struct weft_dt *dt = l->dt;
	struct head h = { .disp = l->disp,
			  .size = dt->size,
			  .extent = dt->extent,
			  .true_lb = dt->true_lb,
			  .true_extent = dt->true_extent,
			  .pieces = l->pieces,
			  .grain = l->grain,
			  .contig = l->contig,
			  .overlaps = l->overlaps };

	count_nodes(&dt->root, &h);
	return h;
}

size_t file_layout_size(const struct file_layout *l)
{
	struct head h = head_of(l);

	return sizeof(h) + h.nodes * sizeof(struct node) +
	       h.parts * sizeof(struct weft_dtn_part);
}

static char *put(char *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	return to + n;
}

static char *put_node(char *to, const struct weft_dtn *n)
{
	struct node out = { n->kind,  n->size, n->off,
			    n->count, n->len,  n->stride };

	to = put(to, &out, sizeof(out));
	if (has_parts(n))
		to = put(to, n->part,
			 ((size_t)n->count + 1) * sizeof(*n->part));
	if (n->kind == WEFT_DTN_LOOP)
		to = put_node(to, n->child);
	if (n->kind == WEFT_DTN_SEQ)
		for (MPI_Count i = 0; i < n->count; i++)
			to = put_node(to, n->seq[i]);
	return to;
}

void file_layout_encode(const struct file_layout *l, void *to)
{
	struct head h = head_of(l);

	put_node(put(to, &h, sizeof(h)), &l->dt->root);
}

/* ---- decoding ------------------------------------------------------------ */

struct decoder {
	const char *at;
	const char *end;
	/* free entries of the memory block */
	struct weft_dtn *node;
	const struct weft_dtn **child;
	struct weft_dtn_part *part;
	size_t nodes, children, parts;
};

static bool take(struct decoder *d, void *to, size_t n)
{
	if ((size_t)(d->end - d->at) < n)
		return false;
	memcpy(to, d->at, n);
	d->at += n;
	return true;
}

static struct weft_dtn *new_node(struct decoder *d)
{
	if (!d->nodes)
		return NULL;
	d->nodes--;
	return d->node++;
}

static bool get_node(struct decoder *d, struct weft_dtn *n, int depth);

/*
 * Returns whether the positions of the parts do not decrease, start at 0 and
 * end at the size of the node.
 */
static bool parts_are_valid(const struct weft_dtn *n)
{
	for (MPI_Count i = 0; i < n->count; i++)
		if (n->part[i].pos < 0 || n->part[i + 1].pos < n->part[i].pos)
			return false;
	return n->part[0].pos == 0 && n->part[n->count].pos == n->size;
}

static bool get_parts(struct decoder *d, struct weft_dtn *n)
{
	size_t want = (size_t)n->count + 1;

	if (n->count < 1 || want > d->parts)
		return false;
	n->part = d->part;
	d->part += want;
	d->parts -= want;
	return take(d, (void *)(uintptr_t)n->part, want * sizeof(*n->part)) &&
	       parts_are_valid(n);
}

static bool get_children(struct decoder *d, struct weft_dtn *n, int depth)
{
	const struct weft_dtn **list = d->child;

	if ((size_t)n->count > d->children)
		return false;
	d->child += n->count;
	d->children -= (size_t)n->count;
	n->seq = list;
	for (MPI_Count i = 0; i < n->count; i++) {
		struct weft_dtn *c = new_node(d);

		if (!c || !get_node(d, c, depth + 1) ||
		    c->size != n->part[i + 1].pos - n->part[i].pos)
			return false;
		list[i] = c;
	}
	return true;
}

static bool get_loop(struct decoder *d, struct weft_dtn *n, int depth)
{
	struct weft_dtn *c = new_node(d);

	n->child = c;
	return c && get_node(d, c, depth + 1) && c->size > 0 && n->count > 0 &&
	       n->size / n->count == c->size && n->size % n->count == 0;
}

static bool get_node(struct decoder *d, struct weft_dtn *n, int depth)
{
	struct node in;

	if (depth > DEPTH_MAX || !take(d, &in, sizeof(in)) || in.size < 0 ||
	    in.count < 0 || in.len < 0)
		return false;
	*n = (struct weft_dtn){ .kind = (enum weft_dtn_kind)in.kind,
				.size = in.size,
				.off = in.off,
				.count = in.count,
				.len = in.len,
				.stride = in.stride };
	switch (in.kind) {
	case WEFT_DTN_RUN:
		return in.size == in.len;
	case WEFT_DTN_VEC:
		return in.len > 0 && in.count > 0 &&
		       in.size / in.len == in.count && in.size % in.len == 0;
	case WEFT_DTN_IDX:
		return get_parts(d, n);
	case WEFT_DTN_LOOP:
		return get_loop(d, n, depth);
	case WEFT_DTN_SEQ:
		return get_parts(d, n) && get_children(d, n, depth);
	default:
		return false;
	}
}

/* Allocates the type and its nodes in one block. */
static struct weft_dt *new_type(const struct head *h, struct decoder *d)
{
	size_t bytes = sizeof(struct weft_dt) +
		       (size_t)h->nodes * sizeof(struct weft_dtn) +
		       (size_t)h->children * sizeof(*d->child) +
		       (size_t)h->parts * sizeof(*d->part);
	struct weft_dt *dt = calloc(1, bytes);

	if (!dt)
		return NULL;
	d->node = (struct weft_dtn *)(dt + 1);
	d->child = (const struct weft_dtn **)(d->node + h->nodes);
	d->part = (struct weft_dtn_part *)(d->child + h->children);
	/* the root node is stored in the type */
	d->nodes = (size_t)h->nodes - 1;
	d->children = (size_t)h->children;
	d->parts = (size_t)h->parts;
	dt->flags = WEFT_DT_COMMITTED | (h->contig ? WEFT_DT_CONTIG : 0);
	dt->size = h->size;
	dt->extent = h->extent;
	dt->true_lb = h->true_lb;
	dt->true_extent = h->true_extent;
	return dt;
}

/* Returns whether the counts of the header are possible in `bytes` bytes. */
static bool head_is_valid(const struct head *h, size_t bytes)
{
	return h->nodes > 0 && h->nodes <= bytes / sizeof(struct node) &&
	       h->parts <= bytes / sizeof(struct weft_dtn_part) &&
	       h->children < h->nodes && h->disp >= 0 && h->size >= 0 &&
	       (h->size == 0 || h->extent > 0) && h->true_lb >= 0;
}

int file_layout_decode(const void *from, size_t bytes,
		       struct file_layout **layout_p)
{
	struct decoder d = { .at = from, .end = (const char *)from + bytes };
	struct file_layout *l;
	struct head h;
	struct weft_dt *dt;

	if (!take(&d, &h, sizeof(h)) || !head_is_valid(&h, bytes))
		return -EPROTO;
	dt = new_type(&h, &d);
	if (!dt)
		return -ENOMEM;
	if (!get_node(&d, &dt->root, 0) || dt->root.size != dt->size) {
		free(dt);
		return -EPROTO;
	}
	weft_obj_init(&dt->obj, WEFT_KIND_DT);
	l = file_layout_open(dt, h.disp);
	if (!l) {
		free(dt);
		return -ENOMEM;
	}
	l->owned = true;
	l->overlaps = h.overlaps != 0;
	*layout_p = l;
	return 0;
}
