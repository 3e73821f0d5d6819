/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing. One walk over the description finds the pieces of a range; a sink
 * processes each piece: pack, unpack, or add to an iovec. The count of a
 * message is one more loop around the root, built on the stack.
 */
#include "src/types/types_pack.h"

#include "src/base/attr.h"
#include "src/base/copy.h"
#include "src/types/types_dt_node.h"

struct sink;

struct sink_ops {
	/* processes len bytes at mem; len <= left */
	void (*run)(struct sink *s, char *mem, size_t len);
	/* processes n runs of len bytes at distance stride; n * len <= left */
	void (*vec)(struct sink *s, char *mem, MPI_Count stride, size_t len,
		    MPI_Count n);
	/* processes n whole runs of a list; all of them fit into left */
	void (*idx)(struct sink *s, char *mem, const struct weft_dtn_part *p,
		    MPI_Count n);
	/* processes n whole lists of few runs at distance stride */
	void (*rows)(struct sink *s, char *mem, const struct weft_dtn *list,
		     MPI_Count stride, MPI_Count n);
};

struct sink {
	const struct sink_ops *ops;
	size_t left; /* bytes left; 0 ends the walk */
	char *flat;  /* pack, unpack: next byte of the packed side */
	struct iovec *iov;
	int used;
	int room;
	size_t described;
};

/* ---- copying ---- */

/*
 * Blocks to copy: n blocks, `stride` bytes apart in memory and `step` bytes
 * apart in packed form.
 */
struct blocks {
	char *mem;
	char *flat;
	MPI_Count stride;
	size_t step;
	MPI_Count n;
};

/*
 * Size, in bytes, up to which the loops in this file are faster than memcpy().
 */
#define RUN_SHORT 4096

/*
 * Messages of this size are not in the cache. For these, packing prefetches
 * memory that the hardware prefetcher does not predict: blocks a cache line or
 * more apart, rows that end before the prefetcher has adapted, parts at
 * irregular offsets. For data in the cache, prefetching would cost up to a
 * third of the speed.
 */
#define PREFETCH_MIN_BYTES ((size_t)1 << 20)
#define PREFETCH_BLOCKS	   8
#define PREFETCH_ROWS	   2
/* minimum length of a row, in bytes; shorter ones are copied as blocks */
#define ROW_MIN		   128
/* bytes of a row after which the hardware prefetcher has adapted */
#define PREFETCH_ROW_MAX   512
#define PREFETCH_PARTS	   8

/* Prefetches memory for reading (packing) or writing. */
WEFT_INLINE void prefetch_range(bool out, const char *at, size_t len)
{
	for (size_t i = 0; i < len; i += WEFT_CACHE_LINE) {
		if (out)
			weft_prefetch(at + i);
		else
			weft_prefetch_write(at + i);
	}
}

WEFT_INLINE void copy_run(char *to, const char *from, size_t len)
{
	if (len <= RUN_SHORT)
		weft_copy(to, from, len);
	else
		memcpy(to, from, len);
}

WEFT_INLINE void copy_blocks(bool out, bool prefetch, struct blocks b,
			     size_t len)
{
	for (MPI_Count i = 0; i < b.n; i++) {
		if (prefetch)
			prefetch_range(out, b.mem + PREFETCH_BLOCKS * b.stride,
				       1);
		memcpy(out ? b.flat : b.mem, out ? b.mem : b.flat, len);
		b.mem += b.stride;
		b.flat += b.step;
	}
}

WEFT_INLINE void copy_runs(bool out, bool prefetch, struct blocks b, size_t len)
{
	size_t row = len < PREFETCH_ROW_MAX ? len : PREFETCH_ROW_MAX;

	for (MPI_Count i = 0; i < b.n; i++) {
		if (prefetch && len >= ROW_MIN)
			prefetch_range(out, b.mem + PREFETCH_ROWS * b.stride,
				       row);
		copy_run(out ? b.flat : b.mem, out ? b.mem : b.flat, len);
		b.mem += b.stride;
		b.flat += b.step;
	}
}

/* Copies common sizes as constants: a block is one load and one store. */
WEFT_INLINE void copy_sized(bool out, bool prefetch, struct blocks b,
			    size_t len)
{
	switch (len) {
	case 1:
		copy_blocks(out, prefetch, b, 1);
		break;
	case 2:
		copy_blocks(out, prefetch, b, 2);
		break;
	case 4:
		copy_blocks(out, prefetch, b, 4);
		break;
	case 8:
		copy_blocks(out, prefetch, b, 8);
		break;
	case 12:
		copy_blocks(out, prefetch, b, 12);
		break;
	case 16:
		copy_blocks(out, prefetch, b, 16);
		break;
	case 24:
		copy_blocks(out, prefetch, b, 24);
		break;
	case 32:
		copy_blocks(out, prefetch, b, 32);
		break;
	case 64:
		copy_blocks(out, prefetch, b, 64);
		break;
	default:
		copy_runs(out, prefetch, b, len);
	}
}

WEFT_INLINE char *copy_idx(bool out, bool prefetch, char *mem, char *flat,
			   const struct weft_dtn_part *p, MPI_Count n)
{
	for (; n > 0; n--, p++) {
		size_t len = (size_t)(p[1].pos - p[0].pos);

		if (prefetch && n > PREFETCH_PARTS)
			prefetch_range(out, mem + p[PREFETCH_PARTS].off,
				       2 * WEFT_CACHE_LINE);
		copy_run(out ? flat : mem + p->off, out ? mem + p->off : flat,
			 len);
		flat += len;
	}
	return flat;
}

/* Number of lists (rows) per pass: their data fits the first-level cache. */
#define ROWS_AT_ONCE 64

/*
 * Copies the rows member by member: each loop copies one member of all rows, so
 * that the block size is constant in the loop.
 */
WEFT_INLINE void copy_rows(bool out, char *mem, char *flat,
			   const struct weft_dtn *list, struct blocks b)
{
	const struct weft_dtn_part *p = list->part;

	for (MPI_Count k = 0; k < list->count; k++) {
		b.mem = mem + list->off + p[k].off;
		b.flat = flat + p[k].pos;
		copy_sized(out, false, b, (size_t)(p[k + 1].pos - p[k].pos));
	}
}

WEFT_INLINE void copy_all_rows(bool out, char *mem, char *flat,
			       const struct weft_dtn *list, MPI_Count stride,
			       MPI_Count n)
{
	struct blocks b = { NULL, NULL, stride, (size_t)list->size, 0 };

	for (; n > 0; n -= b.n) {
		b.n = n < ROWS_AT_ONCE ? n : ROWS_AT_ONCE;
		copy_rows(out, mem, flat, list, b);
		mem += b.n * stride;
		flat += b.n * list->size;
	}
}

static void sink_advance(struct sink *s, size_t len)
{
	s->flat += len;
	s->left -= len;
}

static void pack_run(struct sink *s, char *mem, size_t len)
{
	copy_run(s->flat, mem, len);
	sink_advance(s, len);
}

static void pack_vec(struct sink *s, char *mem, MPI_Count stride, size_t len,
		     MPI_Count n)
{
	struct blocks b = { mem, s->flat, stride, len, n };

	copy_sized(true, false, b, len);
	sink_advance(s, len * (size_t)n);
}

static void pack_idx(struct sink *s, char *mem, const struct weft_dtn_part *p,
		     MPI_Count n)
{
	sink_advance(s, (size_t)(copy_idx(true, false, mem, s->flat, p, n) -
				 s->flat));
}

static void pack_rows(struct sink *s, char *mem, const struct weft_dtn *list,
		      MPI_Count stride, MPI_Count n)
{
	copy_all_rows(true, mem, s->flat, list, stride, n);
	sink_advance(s, (size_t)(n * list->size));
}

static void unpack_run(struct sink *s, char *mem, size_t len)
{
	copy_run(mem, s->flat, len);
	sink_advance(s, len);
}

static void unpack_vec(struct sink *s, char *mem, MPI_Count stride, size_t len,
		       MPI_Count n)
{
	struct blocks b = { mem, s->flat, stride, len, n };

	copy_sized(false, false, b, len);
	sink_advance(s, len * (size_t)n);
}

static void unpack_idx(struct sink *s, char *mem, const struct weft_dtn_part *p,
		       MPI_Count n)
{
	sink_advance(s, (size_t)(copy_idx(false, false, mem, s->flat, p, n) -
				 s->flat));
}

static void unpack_rows(struct sink *s, char *mem, const struct weft_dtn *list,
			MPI_Count stride, MPI_Count n)
{
	copy_all_rows(false, mem, s->flat, list, stride, n);
	sink_advance(s, (size_t)(n * list->size));
}

static const struct sink_ops pack_ops = {
	.run = pack_run, .vec = pack_vec, .idx = pack_idx, .rows = pack_rows
};
static const struct sink_ops unpack_ops = { .run = unpack_run,
					    .vec = unpack_vec,
					    .idx = unpack_idx,
					    .rows = unpack_rows };

/* ---- copying with prefetch ---- */

static bool is_wide(MPI_Count stride)
{
	return stride >= WEFT_CACHE_LINE || stride <= -WEFT_CACHE_LINE;
}

static void pack_vec_prefetch(struct sink *s, char *mem, MPI_Count stride,
			      size_t len, MPI_Count n)
{
	struct blocks b = { mem, s->flat, stride, len, n };

	if (!is_wide(stride)) {
		pack_vec(s, mem, stride, len, n);
		return;
	}
	copy_sized(true, true, b, len);
	sink_advance(s, len * (size_t)n);
}

static void unpack_vec_prefetch(struct sink *s, char *mem, MPI_Count stride,
				size_t len, MPI_Count n)
{
	struct blocks b = { mem, s->flat, stride, len, n };

	if (!is_wide(stride)) {
		unpack_vec(s, mem, stride, len, n);
		return;
	}
	copy_sized(false, true, b, len);
	sink_advance(s, len * (size_t)n);
}

static void pack_idx_prefetch(struct sink *s, char *mem,
			      const struct weft_dtn_part *p, MPI_Count n)
{
	sink_advance(s, (size_t)(copy_idx(true, true, mem, s->flat, p, n) -
				 s->flat));
}

static void unpack_idx_prefetch(struct sink *s, char *mem,
				const struct weft_dtn_part *p, MPI_Count n)
{
	sink_advance(s, (size_t)(copy_idx(false, true, mem, s->flat, p, n) -
				 s->flat));
}

static const struct sink_ops pack_prefetch_ops = { .run = pack_run,
						   .vec = pack_vec_prefetch,
						   .idx = pack_idx_prefetch,
						   .rows = pack_rows };
static const struct sink_ops unpack_prefetch_ops = { .run = unpack_run,
						     .vec = unpack_vec_prefetch,
						     .idx = unpack_idx_prefetch,
						     .rows = unpack_rows };

static bool is_uncached(const struct weft_typed *t)
{
	return weft_typed_bytes(t) >= PREFETCH_MIN_BYTES;
}

/* ---- iovec ---- */

static void iov_run(struct sink *s, char *mem, size_t len)
{
	struct iovec *last = s->used ? &s->iov[s->used - 1] : NULL;

	if (last && (char *)last->iov_base + last->iov_len == mem) {
		last->iov_len += len;
	} else if (s->used == s->room) {
		s->left = 0;
		return;
	} else {
		s->iov[s->used++] = (struct iovec){ mem, len };
	}
	s->described += len;
	s->left -= len;
}

static void iov_vec(struct sink *s, char *mem, MPI_Count stride, size_t len,
		    MPI_Count n)
{
	for (MPI_Count i = 0; i < n && s->left; i++)
		iov_run(s, mem + i * stride, len);
}

static void iov_idx(struct sink *s, char *mem, const struct weft_dtn_part *p,
		    MPI_Count n)
{
	for (; n > 0 && s->left; n--, p++)
		iov_run(s, mem + p->off, (size_t)(p[1].pos - p[0].pos));
}

static void iov_rows(struct sink *s, char *mem, const struct weft_dtn *list,
		     MPI_Count stride, MPI_Count n)
{
	for (; n > 0 && s->left; n--, mem += stride)
		iov_idx(s, mem + list->off, list->part, list->count);
}

static const struct sink_ops iov_ops = {
	.run = iov_run, .vec = iov_vec, .idx = iov_idx, .rows = iov_rows
};

/* ---- walk over the description ---- */

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void walk_vec(struct sink *s, const struct weft_dtn *n, char *base,
		     size_t pos)
{
	size_t len = (size_t)n->len;
	MPI_Count i = (MPI_Count)(pos / len);
	size_t skip = pos % len;
	MPI_Count whole;

	base += i * n->stride;
	if (skip) {
		s->ops->run(s, base + skip, min_size(len - skip, s->left));
		base += n->stride;
		i++;
	}
	whole = (MPI_Count)(s->left / len);
	if (whole > n->count - i)
		whole = n->count - i;
	if (whole)
		s->ops->vec(s, base, n->stride, len, whole);
	if (s->left && i + whole < n->count)
		s->ops->run(s, base + whole * n->stride, s->left);
}

/* Returns the index of the part that contains byte pos. */
static MPI_Count find_part(const struct weft_dtn *n, size_t pos)
{
	MPI_Count lo = 0, hi = n->count - 1, mid;

	while (lo < hi) {
		mid = lo + (hi - lo + 1) / 2;
		if ((size_t)n->part[mid].pos <= pos)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

static void walk_idx(struct sink *s, const struct weft_dtn *n, char *base,
		     size_t pos)
{
	MPI_Count i = pos ? find_part(n, pos) : 0;
	const struct weft_dtn_part *p = &n->part[i];
	size_t skip = pos - (size_t)p->pos;
	size_t end = pos + s->left;
	MPI_Count last = n->count;

	if (end < (size_t)n->size)
		last = find_part(n, end);
	if (skip && i < last) {
		s->ops->run(s, base + p->off + skip,
			    (size_t)(p[1].pos - p[0].pos) - skip);
		p = &n->part[++i];
		skip = 0;
	}
	if (i < last)
		s->ops->idx(s, base, p, last - i);
	if (s->left && last < n->count)
		s->ops->run(s, base + n->part[last].off + skip, s->left);
}

/* Maximum length of a repeated list (of a struct) that is copied by rows. */
#define ROWS_MAX_RUNS 32

static void walk_loop(struct sink *s, const struct weft_dtn *n, char *base,
		      size_t pos);

/* Processes bytes of node n from pos to the end of the node or of the sink. */
static void walk(struct sink *s, const struct weft_dtn *n, char *base,
		 size_t pos)
{
	MPI_Count i;

	base += n->off;
	switch (n->kind) {
	case WEFT_DTN_RUN:
		s->ops->run(s, base + pos,
			    min_size((size_t)n->len - pos, s->left));
		break;
	case WEFT_DTN_VEC:
		walk_vec(s, n, base, pos);
		break;
	case WEFT_DTN_IDX:
		walk_idx(s, n, base, pos);
		break;
	case WEFT_DTN_LOOP:
		walk_loop(s, n, base, pos);
		break;
	case WEFT_DTN_SEQ:
		i = find_part(n, pos);
		pos -= (size_t)n->part[i].pos;
		for (; i < n->count && s->left; i++, pos = 0)
			walk(s, n->seq[i], base + n->part[i].off, pos);
		break;
	}
}

static void walk_loop(struct sink *s, const struct weft_dtn *n, char *base,
		      size_t pos)
{
	const struct weft_dtn *child = n->child;
	MPI_Count i = (MPI_Count)(pos / (size_t)child->size);
	MPI_Count whole;

	pos %= (size_t)child->size;
	if (pos) {
		walk(s, child, base + i * n->stride, pos);
		i++;
	}
	if (child->kind == WEFT_DTN_IDX && child->count <= ROWS_MAX_RUNS) {
		whole = (MPI_Count)(s->left / (size_t)child->size);
		if (whole > n->count - i)
			whole = n->count - i;
		if (whole > 0)
			s->ops->rows(s, base + i * n->stride, child, n->stride,
				     whole);
		i += whole;
	}
	for (; i < n->count && s->left; i++)
		walk(s, child, base + i * n->stride, 0);
}

static void walk_typed(struct sink *s, const struct weft_typed *t, size_t pos)
{
	struct weft_dtn all;

	if (s->left == 0)
		return;
	weft_dtn_repeat(&all, &t->dt->root, t->count, t->dt->extent);
	walk(s, &all, t->buf, pos);
}

/* Returns the length of a range, limited to the bytes of the typed buffer. */
static size_t clip(const struct weft_typed *t, size_t pos, size_t len)
{
	size_t total = weft_typed_bytes(t);

	return pos >= total ? 0 : min_size(len, total - pos);
}

size_t weft_pack(const struct weft_typed *t, size_t pos, void *dst, size_t len)
{
	struct sink s = { .ops = is_uncached(t) ? &pack_prefetch_ops
						: &pack_ops,
			  .flat = dst };

	len = clip(t, pos, len);
	if (weft_dt_is_contig(t->dt)) {
		if (len)
			memcpy(dst, (char *)t->buf + t->dt->true_lb + pos, len);
		return len;
	}
	s.left = len;
	walk_typed(&s, t, pos);
	return len;
}

size_t weft_unpack(const struct weft_typed *t, size_t pos, const void *src,
		   size_t len)
{
	struct sink s = { .ops = is_uncached(t) ? &unpack_prefetch_ops
						: &unpack_ops };

	len = clip(t, pos, len);
	if (weft_dt_is_contig(t->dt)) {
		if (len)
			memcpy((char *)t->buf + t->dt->true_lb + pos, src, len);
		return len;
	}
	/* pack and unpack share the field; unpack only reads the packed side */
	s.flat = (char *)(uintptr_t)src;
	s.left = len;
	walk_typed(&s, t, pos);
	return len;
}

int weft_pack_iov(const struct weft_typed *t, size_t *pos, struct iovec *iov,
		  int n)
{
	struct sink s = { .ops = &iov_ops, .iov = iov, .room = n };

	s.left = clip(t, *pos, SIZE_MAX);
	walk_typed(&s, t, *pos);
	*pos += s.described;
	return s.used;
}

static MPI_Count node_pieces(const struct weft_dtn *n, MPI_Count limit)
{
	MPI_Count sum = 0;

	switch (n->kind) {
	case WEFT_DTN_RUN:
		return n->len ? 1 : 0;
	case WEFT_DTN_LOOP:
		sum = node_pieces(n->child, limit);
		return n->count > limit / sum ? limit : n->count * sum;
	case WEFT_DTN_SEQ:
		for (MPI_Count i = 0; i < n->count && sum < limit; i++)
			sum += node_pieces(n->seq[i], limit);
		return sum < limit ? sum : limit;
	default:
		return n->count < limit ? n->count : limit;
	}
}

int weft_pack_pieces(const struct weft_typed *t, int limit)
{
	struct weft_dtn all;

	if (t->count == 0 || t->dt->size == 0)
		return 0;
	weft_dtn_repeat(&all, &t->dt->root, t->count, t->dt->extent);
	return (int)node_pieces(&all, limit);
}

size_t weft_pack_copy(const struct weft_typed *dst,
		      const struct weft_typed *src)
{
	size_t len = min_size(weft_typed_bytes(dst), weft_typed_bytes(src));
	char tmp[8192];
	size_t pos, n;

	if (weft_dt_is_run(dst->dt, dst->count))
		return weft_pack(src, 0, (char *)dst->buf + dst->dt->true_lb,
				 len);
	if (weft_dt_is_run(src->dt, src->count))
		return weft_unpack(dst, 0, (char *)src->buf + src->dt->true_lb,
				   len);
	for (pos = 0; pos < len; pos += n) {
		n = weft_pack(src, pos, tmp, min_size(sizeof(tmp), len - pos));
		weft_unpack(dst, pos, tmp, n);
	}
	return len;
}
