/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long vectors: transferred by DMA between the members' memories instead of
 * packets. Every member owns a slice of the vector. It combines this slice from
 * the contributions of all members, in the order of the tree, and then fetches
 * the other slices from their owners. Three synchronisation points keep all
 * buffers valid as long as other members need them:
 *
 *   1   all members have published the addresses of their buffers
 *       allreduce: each combines its slice; reduce: and writes it to the root
 *       broadcast: each fetches the whole vector from the root
 *   2   all slices are combined
 *       allreduce: each fetches the others' slices
 *   3   no member needs another's buffer any more
 *
 * Long operations of a group are executed one after another, in the order of
 * their posts, independently of its packets. An exact sum is rounded once, by
 * the slice's owner. Work is done in chunks, so that scratch memory stays in
 * the cache and MPI_Test returns after a bounded time.
 */
#include "prov/group/grp_int.h"
#include "prov/nic/nic_int.h"
#include "prov/group/cunit/cunit_exact.h"
#include "prov/group/cunit/cunit_fold.h"
#include "src/base/hash.h"

#include <stdlib.h>

#define LONG_CHUNK  65536u /* bytes of one DMA */
#define LONG_EXACT  4096u  /* bytes of one chunk of an exact sum */
#define LONG_BUDGET 16	   /* chunks per poll */

enum long_phase {
	LONG_WAITING,
	LONG_MEETING,
	LONG_MAKING,
	LONG_MADE,
	LONG_TAKING,
	LONG_LEAVING
};

/*
 * Words published before an arrival at a synchronisation point. The arrival
 * counter may be wrong, so the words also contain the number of the point,
 * above the flags.
 */
enum { LONG_PUB_IN, LONG_PUB_OUT, LONG_PUB_FLAGS, LONG_PUB_CHECK };
#define LONG_PUB_POINT 8

struct nic_long {
	unsigned char chunk[2][LONG_CHUNK];
	struct weft_cunit_exact wide[LONG_EXACT / sizeof(double)];
	/* published words, CUNIT_SYNCPOINT_WORDS per member */
	uint64_t *published;
	unsigned char room[]; /* partial sums of the tree */
};

static bool long_is_exact(const struct weft_grp_work *w)
{
	return w->call.type == WEFT_COLL_EXACT;
}

static size_t elem_bytes(const struct weft_grp_work *w)
{
	return long_is_exact(w) ? sizeof(double)
				: weft_cunit_bytes(w->call.type);
}

static size_t call_bytes(const struct weft_grp_work *w)
{
	return w->call.count * elem_bytes(w);
}

WEFT_HOT bool nic_long_applies(const struct weft_nic_group *c,
			       const struct weft_grp_work *w)
{
	unsigned kind = w->call.kind;

	return c->bulk && call_bytes(w) >= COLL_LONG_BYTES &&
	       (kind == WEFT_COLL_BCAST || kind == WEFT_COLL_REDUCE ||
		kind == WEFT_COLL_ALLREDUCE);
}

/* Returns the slice of a member: bytes [*lo_p, *hi_p). */
static void slice_of(const struct weft_grp_work *w, int member, size_t *lo_p,
		     size_t *hi_p)
{
	size_t n = (size_t)w->coll->n, all = w->call.count;
	size_t per = ((all + n - 1) / n + 7) / 8 * 8;
	size_t lo = per * (size_t)member, hi = lo + per;

	*lo_p = (lo < all ? lo : all) * elem_bytes(w);
	*hi_p = (hi < all ? hi : all) * elem_bytes(w);
}

static uint64_t published(const struct weft_nic_group *c, int member, int what)
{
	return c->bulk->published[member * CUNIT_SYNCPOINT_WORDS + what];
}

/* ---- DMA ----------------------------------------------------------------- */

static void dma(struct weft_grp_work *w, int member, bool write, void *at,
		uint64_t remote, size_t bytes)
{
	struct weft_nic_group *c = w->coll;
	struct weft_carrier *ca = c->nic->unit->carrier;
	struct iovec iov = { .iov_base = at, .iov_len = bytes };
	int ret = (write ? ca->ops->write : ca->ops->read)(
		ca, c->member[member], &iov, 1, remote);

	c->nic->dma_bytes += bytes;
	/*
	 * other members wait at the synchronisation points, so the error is
	 * reported at the end
	 */
	if (ret && !w->call.err)
		w->call.err = ret == -ECONNRESET ? ret : -EIO;
}

/*
 * Returns a pointer to bytes of a member's contribution, in place or fetched
 * into buf.
 */
static const void *contribution(struct weft_grp_work *w, int member, size_t at,
				size_t bytes, void *buf)
{
	if (member == w->coll->me)
		return (const char *)w->call.in + at;
	dma(w, member, false, buf, published(w->coll, member, LONG_PUB_IN) + at,
	    bytes);
	return buf;
}

/* ---- combining a slice --------------------------------------------------- */

/*
 * Returns whether this member's contribution is read before the result
 * overwrites it.
 */
static bool own_read_first(const struct weft_nic_group *c)
{
	const struct weft_tree *t = &c->tree;

	return t->visit[0] == c->me ||
	       (c->n > 1 && t->visit[1] == c->me && t->merge[1]);
}

/*
 * Returns which of the first two members' contributions is read into acc first.
 * If these two are combined with each other, either order is possible, since a
 * single operation commutes: if acc is this member's buffer, it already
 * contains this member's contribution; otherwise the other one is fetched
 * directly into acc.
 */
static int first_member(const struct weft_grp_work *w, size_t at,
			const unsigned char *acc)
{
	const struct weft_tree *t = &w->coll->tree;
	bool here = acc == (const unsigned char *)w->call.in + at;

	if (t->n < 2 || !t->merge[1] || !own_read_first(w->coll))
		return 0;
	return (t->visit[0] == w->coll->me) == here ? 0 : 1;
}

/* Combines a chunk of all members' contributions into acc. */
static void chunk_combine(struct weft_grp_work *w, size_t at, size_t bytes,
			  unsigned char *acc)
{
	struct weft_nic_group *c = w->coll;
	struct weft_cunit_fold fold = {
		.op = w->call.op,
		.type = w->call.type,
		.bytes = bytes,
		.count = bytes / elem_bytes(w),
		.out = acc,
		.scratch = c->bulk->room,
		.stride = LONG_CHUNK,
	};
	int swap = first_member(w, at, acc);

	for (int i = 0; i < c->n; i++) {
		int member = c->tree.visit[i < 2 ? i ^ swap : i];
		int merges = c->tree.merge[i];
		void *buf = merges ? c->bulk->chunk[0]
				   : weft_cunit_fold_at(&fold, fold.parts);

		weft_cunit_fold_part(
			&fold, contribution(w, member, at, bytes, buf), merges);
	}
	w->call.flags |= fold.flags;
}

static void chunk_exact(struct weft_grp_work *w, size_t at, size_t bytes,
			unsigned char *acc)
{
	struct weft_nic_group *c = w->coll;
	struct weft_cunit_exact *wide = c->bulk->wide;
	size_t n = bytes / sizeof(double);
	double x;

	memset(wide, 0, n * sizeof(*wide));
	for (int i = 0; i < c->n; i++) {
		const char *from =
			contribution(w, i, at, bytes, c->bulk->chunk[0]);

		for (size_t k = 0; k < n; k++) {
			memcpy(&x, from + k * sizeof(x), sizeof(x));
			weft_cunit_exact_put(&wide[k], x);
		}
	}
	for (size_t k = 0; k < n; k++) {
		x = weft_cunit_exact_to(&wide[k]);
		w->call.flags |=
			weft_cunit_exact_is_nan(&wide[k]) ? WEFT_NUM_NAN : 0;
		memcpy(acc + k * sizeof(x), &x, sizeof(x));
	}
}

/* Combines one chunk of this member's slice and stores or writes the result. */
static void combine_chunk(struct weft_grp_work *w, size_t at, size_t bytes)
{
	struct weft_nic_group *c = w->coll;
	bool here =
		w->call.kind == WEFT_COLL_ALLREDUCE || w->call.root == c->me;
	unsigned char *out = here ? (unsigned char *)w->call.out + at : NULL;
	unsigned char *acc = c->bulk->chunk[1];

	/*
	 * in place, out may hold the result only if this member's contribution
	 * is read first
	 */
	if (out && (w->call.in != w->call.out || own_read_first(c)))
		acc = out;
	if (long_is_exact(w))
		chunk_exact(w, at, bytes, acc);
	else
		chunk_combine(w, at, bytes, acc);
	if (!here)
		dma(w, w->call.root, true, acc,
		    published(c, w->call.root, LONG_PUB_OUT) + at, bytes);
	else if (acc != out)
		memcpy(out, acc, bytes);
}

/* ---- phases -------------------------------------------------------------- */

/*
 * Returns the checksum of the published words, equal for the same operation and
 * arguments.
 */
static uint64_t check_of(const struct weft_grp_work *w, const uint64_t *words)
{
	uint64_t call = (uint64_t)w->call.kind << 56 |
			(uint64_t)w->call.op << 48 |
			(uint64_t)w->call.type << 40 | (uint32_t)w->call.root;

	return weft_hash_mix(words[LONG_PUB_IN] +
			     weft_hash_mix(words[LONG_PUB_OUT] +
					   weft_hash_mix(w->number + call) +
					   w->call.count));
}

static void publish(struct weft_grp_work *w, uint64_t point)
{
	uint64_t words[CUNIT_SYNCPOINT_WORDS] = {
		[LONG_PUB_IN] = (uintptr_t)w->call.in,
		[LONG_PUB_OUT] = (uintptr_t)w->call.out,
		[LONG_PUB_FLAGS] = point << LONG_PUB_POINT | w->call.flags,
	};

	words[LONG_PUB_CHECK] = check_of(w, words);
	weft_cunit_syncpoint_write(w->coll->hw, words);
}

static void arrive(struct weft_grp_work *w, unsigned points, unsigned phase)
{
	w->coll->points += points;
	publish(w, w->coll->points);
	weft_cunit_syncpoint_arrive(w->coll->hw, points);
	w->phase = (uint8_t)phase;
}

/*
 * Reads and checks the published words. If a member has not arrived, or the
 * words belong to another operation, fails the group at all members and returns
 * false. At the last synchronisation point the words may already belong to the
 * next operation.
 */
static bool published_check(struct weft_grp_work *w)
{
	struct weft_nic_group *c = w->coll;
	bool last = w->phase == LONG_LEAVING;

	for (int i = 0; i < c->n; i++) {
		uint64_t *words =
			&c->bulk->published[i * CUNIT_SYNCPOINT_WORDS];

		weft_cunit_syncpoint_read(c->hw, i, words);
		if (words[LONG_PUB_FLAGS] >> LONG_PUB_POINT < c->points ||
		    (!last && words[LONG_PUB_CHECK] != check_of(w, words))) {
			nic_check_fail(c);
			return false;
		}
	}
	return true;
}

/* Prepares the work of the next phase, after all members have arrived. */
static void work_begin(struct weft_grp_work *w)
{
	struct weft_nic_group *c = w->coll;

	if (!published_check(w))
		return;
	slice_of(w, c->me, &w->at, &w->end);
	if (w->call.kind == WEFT_COLL_BCAST) {
		w->at = 0;
		w->end = c->me == w->call.root ? 0 : call_bytes(w);
	}
	w->phase = LONG_MAKING;
}

/* Advances to the next slice to be fetched; returns false if none is left. */
static bool next_slice(struct weft_grp_work *w)
{
	while (w->at >= w->end) {
		if (++w->from >= w->coll->n)
			return false;
		if (w->from != w->coll->me)
			slice_of(w, w->from, &w->at, &w->end);
	}
	return true;
}

static size_t chunk_bytes(const struct weft_grp_work *w)
{
	size_t most = long_is_exact(w) ? LONG_EXACT : LONG_CHUNK;

	return w->end - w->at < most ? w->end - w->at : most;
}

static void combine_chunks(struct weft_grp_work *w, int *budget)
{
	char *out = w->call.out;

	for (; w->at < w->end && *budget; --*budget) {
		size_t bytes = chunk_bytes(w);

		if (w->call.kind == WEFT_COLL_BCAST)
			dma(w, w->call.root, false, out + w->at,
			    published(w->coll, w->call.root, LONG_PUB_OUT) +
				    w->at,
			    bytes);
		else
			combine_chunk(w, w->at, bytes);
		w->at += bytes;
	}
	if (w->at < w->end)
		return;
	if (w->call.kind == WEFT_COLL_ALLREDUCE)
		arrive(w, 1, LONG_MADE);
	else
		arrive(w, 2, LONG_LEAVING);
}

static void fetch_chunks(struct weft_grp_work *w, int *budget)
{
	char *out = w->call.out;

	while (next_slice(w)) {
		size_t bytes = chunk_bytes(w);

		if (!(*budget)--)
			return;
		dma(w, w->from, false, out + w->at,
		    published(w->coll, w->from, LONG_PUB_OUT) + w->at, bytes);
		w->at += bytes;
	}
	arrive(w, 1, LONG_LEAVING);
}

static void fetch_begin(struct weft_grp_work *w)
{
	struct weft_nic_group *c = w->coll;

	if (!published_check(w))
		return;
	for (int i = 0; i < c->n; i++)
		w->call.flags |= (uint8_t)published(c, i, LONG_PUB_FLAGS);
	w->at = w->end = 0;
	w->from = -1;
	w->phase = LONG_TAKING;
}

static void leave(struct weft_grp_work *w)
{
	weft_list_remove(&w->link);
	w->call.done(&w->call);
}

/*
 * Returns whether the operation waits at a synchronisation point that other
 * members have not reached.
 */
static bool is_waiting(const struct weft_grp_work *w)
{
	struct weft_cunit_watch watch;

	return (w->phase == LONG_MEETING || w->phase == LONG_MADE ||
		w->phase == LONG_LEAVING) &&
	       !weft_cunit_syncpoint_reached(w->coll->hw, w->coll->points,
					     &watch);
}

/* Starts the operation, which now needs the segments of all members. */
static void long_start(struct weft_grp_work *w, int *budget)
{
	int ret = weft_cunit_syncpoint_map(w->coll->hw);

	if (!ret) {
		arrive(w, 1, LONG_MEETING);
		return;
	}
	*budget = 0;
	if (ret != -EAGAIN)
		grp_fail(w->coll, ret);
}

static void step(struct weft_grp_work *w, int *budget)
{
	switch ((enum long_phase)w->phase) {
	case LONG_WAITING:
		long_start(w, budget);
		return;
	case LONG_MEETING:
		work_begin(w);
		return;
	case LONG_MAKING:
		combine_chunks(w, budget);
		return;
	case LONG_MADE:
		fetch_begin(w);
		return;
	case LONG_TAKING:
		fetch_chunks(w, budget);
		return;
	case LONG_LEAVING:
		if (published_check(w))
			leave(w);
		return;
	}
}

static struct weft_grp_work *head_of(const struct weft_nic_group *c)
{
	return weft_container_of(c->longs.next, struct weft_grp_work, link);
}

void nic_long_move(struct weft_nic_group *c)
{
	int budget = LONG_BUDGET;

	while (!weft_list_empty(&c->longs) && budget && !is_waiting(head_of(c)))
		step(head_of(c), &budget);
}

bool nic_long_ready(const struct weft_nic_group *c,
		    struct weft_cunit_watch *watch)
{
	return !is_waiting(head_of(c)) ||
	       weft_cunit_syncpoint_reached(c->hw, c->points, watch);
}

void nic_long_post(struct weft_nic_group *c, struct weft_grp_work *w)
{
	w->phase = LONG_WAITING;
	w->number = ++c->long_posts;
	w->call.flags = 0;
	w->call.err = c->err;
	if (c->err) {
		w->call.done(&w->call);
		return;
	}
	weft_list_push_back(&c->longs, &w->link);
	nic_long_move(c);
}

bool nic_long_spin(struct weft_grp_work *w, unsigned polls)
{
	struct weft_cunit_watch watch;

	while (!w->complete) {
		nic_long_move(w->coll);
		if (!w->complete && w->phase == LONG_WAITING)
			/* the operation waits for a member's segment */
			return false;
		if (w->complete || nic_long_ready(w->coll, &watch))
			continue;
		/*
		 * A5: same ordering as in weft_cunit_syncpoint_reached(), which
		 * checks the point later
		 */
		while (weft_load64(watch.word) < watch.want) {
			if (!polls--)
				return false;
		}
	}
	return true;
}

uint64_t nic_long_syncpoint(const struct weft_nic_group *c)
{
	return !weft_list_empty(&c->longs) && is_waiting(head_of(c)) ? c->points
								     : 0;
}

void nic_long_fail(struct weft_nic_group *c, int err)
{
	while (!weft_list_empty(&c->longs)) {
		struct weft_grp_work *w = head_of(c);

		w->call.err = err;
		leave(w);
	}
}

/* ---- open and close ------------------------------------------------------ */

/* Returns whether this member must test DMA with `member`. */
static bool long_probes_member(const struct weft_nic_group *c, int member)
{
	return member != c->me &&
	       (c->n <= COLL_SMALL_MAX || member == coll_parent(c, c->me) ||
		coll_is_below(c, member));
}

/*
 * Tests whether DMA works. A member that may access one peer on its host may
 * access all of them, so in a large group each member is tested by its
 * neighbours only.
 */
static int long_probe(struct weft_nic_group *c)
{
	struct weft_carrier *ca = c->nic->unit->carrier;
	int ret = 0;

	for (int i = 0; i < c->n && !ret; i++) {
		if (long_probes_member(c, i))
			ret = ca->ops->read(ca, c->member[i], NULL, 0, 0);
	}
	return ret;
}

int nic_long_open(struct weft_nic_group *c)
{
	size_t room = (size_t)c->tree.depth * LONG_CHUNK;
	int ret = -EOPNOTSUPP;

	if (!c->nic->no_dma && c->n <= COLL_LONG_MEMBERS)
		ret = long_probe(c);
	if (ret)
		return ret == -EAGAIN ? ret : -EOPNOTSUPP;
	c->bulk =
		malloc(sizeof(*c->bulk) + room +
		       (size_t)c->n * CUNIT_SYNCPOINT_WORDS * sizeof(uint64_t));
	if (!c->bulk)
		return -EOPNOTSUPP;
	c->bulk->published = (uint64_t *)(c->bulk->room + room);
	return 0;
}

void nic_long_close(struct weft_nic_group *c)
{
	nic_long_fail(c, -ECANCELED);
	free(c->bulk);
	c->bulk = NULL;
}
