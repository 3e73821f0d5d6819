/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One packet of an operation: its publishers, its readers, and the position of
 * its bytes. The kinds differ in five properties, listed in a table. In a tree
 * with common memory the root of a broadcast or a scatter publishes at the
 * tree's root, whose segment all members have mapped.
 *
 *            published by   combined   read by   what a member reads
 *   bcast        root                   all       everything
 *   scatter      root                   all       its block
 *   gather       all                    root      everything, n blocks out
 *   allgather    all                    all       everything, n blocks out
 *   alltoall     all                    all       its block,  n blocks out
 *   reduce       all          yes       root      everything
 *   allreduce    all          yes       all       everything
 *   reduce_sc.   all          yes       all       its block
 */
#include "prov/group/cunit/cunit_fold.h"
#include "prov/group/cunit/cunit_group.h"
#include "src/base/must.h"

#include <errno.h>
#include <string.h>

struct cunit_kind_props {
	bool root_sends;
	bool combines;
	bool root_reads;
	bool has_blocks; /* contributions are n blocks; a member uses its own */
	bool per_member; /* results are n blocks, one from each member */
};

static const struct cunit_kind_props kind_props[WEFT_COLL_GROUP_KINDS] = {
	[WEFT_COLL_BARRIER] = { .combines = true },
	[WEFT_COLL_BCAST] = { .root_sends = true },
	[WEFT_COLL_REDUCE] = { .combines = true, .root_reads = true },
	[WEFT_COLL_ALLREDUCE] = { .combines = true },
	[WEFT_COLL_REDUCE_SCATTER] = { .combines = true, .has_blocks = true },
	[WEFT_COLL_SCATTER] = { .root_sends = true, .has_blocks = true },
	[WEFT_COLL_GATHER] = { .root_reads = true, .per_member = true },
	[WEFT_COLL_ALLGATHER] = { .per_member = true },
	[WEFT_COLL_ALLTOALL] = { .has_blocks = true, .per_member = true },
};

/*
 * Returns whether an operation uses the board: barriers, and short reductions
 * with more members than processors.
 */
bool cunit_uses_board(const struct weft_cunit_group *g,
		      const struct weft_coll_call *call)
{
	if (call->kind == WEFT_COLL_BARRIER)
		return g->board && g->form != WEFT_CUNIT_EVENTS;
	return g->board && g->oversubscribed &&
	       kind_props[call->kind].combines &&
	       !kind_props[call->kind].has_blocks &&
	       call->bytes <= CUNIT_BOARD_BYTES;
}

/* Returns whether the nodes of the tree combine; otherwise the readers do. */
static bool tree_combines(const struct weft_cunit_group *g,
			  const struct weft_coll_call *call)
{
	return kind_props[call->kind].combines &&
	       (!g->flat || cunit_uses_events(g, call->kind));
}

/*
 * Returns the payload size in bytes of a packet of this type: whole elements.
 */
static size_t packet_space(const struct weft_cunit_group *g, unsigned type)
{
	size_t elem = weft_cunit_bytes(type);

	return g->geo.packet_bytes / elem * elem;
}

void cunit_packet_plan(struct weft_cunit_group *g, struct weft_coll_call *call)
{
	const struct cunit_kind_props *f = &kind_props[call->kind];
	size_t room = packet_space(g, call->type);

	WEFT_ASSERT(room && call->kind < WEFT_COLL_GROUP_KINDS);
	cunit_sign(g, call);
	/*
	 * some members do not read all packets, so the next operation checks
	 * that all members agree
	 */
	if (f->root_sends || f->root_reads)
		*g->sig_history =
			(*g->sig_history ^ call->sig) * 0x9e3779b1u + 1;
	call->bytes = call->count * weft_cunit_bytes(call->type);
	if (f->has_blocks)
		call->bytes *= (size_t)g->n;
	/* an operation without data has one packet, like a barrier */
	call->packets = call->bytes ? (call->bytes + room - 1) / room : 1;
}

/* Returns the offset of packet i in the contributions; *bytes_p: its length. */
static size_t packet_at(const struct weft_cunit_group *g,
			const struct weft_coll_call *call, size_t i,
			size_t *bytes_p)
{
	size_t room = packet_space(g, call->type);
	size_t at = i * room;

	WEFT_ASSERT(i < call->packets && at <= call->bytes);
	*bytes_p = call->bytes - at < room ? call->bytes - at : room;
	return at;
}

/* Returns the member whose segment holds the root's packets of a call. */
static int root_segment(const struct weft_cunit_group *g,
			const struct weft_coll_call *call)
{
	return g->flat || g->send ? call->root : g->tree.root;
}

static void publish(struct weft_cunit_group *g,
		    const struct weft_coll_call *call, uint64_t seq,
		    const void *data, size_t bytes)
{
	bool at_root = kind_props[call->kind].root_sends;
	int member = at_root ? root_segment(g, call) : g->me;

	cunit_publish(g, cunit_slot(g, member, seq), cunit_sig(call, seq), seq,
		      data, bytes);
	if (g->send)
		cunit_msg_publish(g, call, g->me, seq, bytes);
	else
		cunit_notify(g, CUNIT_EVENT_OUT);
}

void cunit_packet_send(struct weft_cunit_group *g, struct weft_coll_call *call)
{
	const struct cunit_kind_props *f = &kind_props[call->kind];
	uint64_t seq = call->first + call->sent;
	size_t bytes, at = packet_at(g, call, call->sent, &bytes);
	const char *from = call->kind == WEFT_COLL_BCAST ? call->out : call->in;

	WEFT_ASSERT(call->sent < call->packets);
	if (f->root_sends && call->root != g->me)
		return;
	if (bytes)
		from += at;
	if (cunit_uses_board(g, call))
		cunit_board_arrive(g, call, seq, from, bytes);
	else if (tree_combines(g, call))
		cunit_node_arrive(g, call, seq, from, bytes);
	else
		publish(g, call, seq, from, bytes);
}

/* Returns the slot of the packet of `member`. */
static struct cunit_packet *packet_of(const struct weft_cunit_group *g,
				      const struct weft_coll_call *call,
				      int member, uint64_t seq)
{
	return cunit_uses_board(g, call) ? cunit_board_out(g, seq)
					 : cunit_slot(g, member, seq);
}

/*
 * Sets the range [*from_p, *to_p) of members whose packets this member reads.
 */
static void sources(const struct weft_cunit_group *g,
		    const struct weft_coll_call *call, int *from_p, int *to_p)
{
	const struct cunit_kind_props *f = &kind_props[call->kind];

	*from_p = 0;
	*to_p = g->n;
	if (f->root_reads && call->root != g->me)
		*to_p = 0;
	else if (f->root_sends)
		*from_p = root_segment(g, call);
	else if (tree_combines(g, call))
		*from_p = g->tree.root;
	else
		return;
	if (*to_p)
		*to_p = *from_p + 1;
	/* the root of a broadcast has the data */
	if (call->kind == WEFT_COLL_BCAST && call->root == g->me)
		*to_p = *from_p;
}

int cunit_packet_segments_map(struct weft_cunit_group *g,
			      const struct weft_coll_call *call)
{
	int from, to;

	sources(g, call, &from, &to);
	return cunit_segments_map(g, from, to);
}

bool cunit_packet_available(const struct weft_cunit_group *g,
			    const struct weft_coll_call *call,
			    weft_au64 **word_p)
{
	uint64_t seq = call->first + call->read;
	int i, to;

	for (sources(g, call, &i, &to); i < to; i++) {
		*word_p = &packet_of(g, call, i, seq)->seq;
		/*
		 * A0 pairs with R0 in cunit_publish(), node_publish(),
		 * board_publish()
		 */
		if (weft_load64(*word_p) != seq + 1)
			return false;
	}
	return true;
}

static void packet_check(struct weft_coll_call *call,
			 const struct cunit_packet *p, uint64_t seq)
{
	if (p->sig != cunit_sig(call, seq))
		call->err = -EPROTO;
	call->flags |= p->flags;
}

/*
 * Copies the part that this member needs from bytes [at, at + bytes) of a
 * member's contribution.
 */
static void deposit(const struct weft_cunit_group *g,
		    const struct weft_coll_call *call, int member, size_t at,
		    const uint8_t *data, size_t bytes)
{
	const struct cunit_kind_props *f = &kind_props[call->kind];
	size_t block = call->bytes;
	size_t low = 0, to = 0;

	if (f->has_blocks) {
		block /= (size_t)g->n;
		low = (size_t)g->me * block;
	}
	if (f->per_member)
		to = (size_t)member * block;
	if (at < low) {
		size_t skip = low - at;

		if (skip >= bytes)
			return;
		data += skip;
		bytes -= skip;
		at = low;
	}
	if (at >= low + block)
		return;
	if (bytes > low + block - at)
		bytes = low + block - at;
	WEFT_ASSERT(at >= low && at - low + bytes <= block);
	memcpy((char *)call->out + to + at - low, data, bytes);
}

/* Combines all members' packets into the scratch buffer. */
static void combine_all(struct weft_cunit_group *g, struct weft_coll_call *call,
			uint64_t seq, size_t bytes)
{
	struct weft_cunit_fold fold = {
		.op = call->op,
		.type = call->type,
		.bytes = bytes,
		.count = bytes / weft_cunit_bytes(call->type),
		.out = g->scratch,
		.scratch = g->scratch + g->geo.packet_bytes,
		.stride = g->geo.packet_bytes,
	};

	for (int i = 0; i < g->n; i++) {
		int member = g->tree.visit[i];
		struct cunit_packet *p = cunit_slot(g, member, seq);

		packet_check(call, p, seq);
		cunit_read_count_update(g, member, seq, p->lag);
		if (bytes)
			weft_cunit_fold_part(&fold, p->payload,
					     g->tree.merge[i]);
	}
	call->flags |= fold.flags;
}

static void packet_combine_or_copy(struct weft_cunit_group *g,
				   struct weft_coll_call *call)
{
	uint64_t seq = call->first + call->read;
	size_t bytes, at = packet_at(g, call, call->read, &bytes);
	int i, to;

	sources(g, call, &i, &to);
	if (g->flat && kind_props[call->kind].combines &&
	    !tree_combines(g, call) && i < to) {
		combine_all(g, call, seq, bytes);
		if (bytes)
			deposit(g, call, 0, at, g->scratch, bytes);
		return;
	}
	for (; i < to; i++) {
		struct cunit_packet *p = packet_of(g, call, i, seq);

		packet_check(call, p, seq);
		if (bytes)
			deposit(g, call, i, at, p->payload, bytes);
	}
}

/*
 * Returns whether a packet was overwritten while it was read. Only forged
 * credits can cause this, and only where a slot can be overwritten before all
 * members have sent a later packet.
 */
static bool packet_overwritten(struct weft_cunit_group *g,
			       struct weft_coll_call *call)
{
	weft_au64 *word;

	if (kind_props[call->kind].combines &&
	    (tree_combines(g, call) || g->sent == call->first + call->read + 1))
		return false;
	/*
	 * A8 pairs with R0 of a later packet: the payload is read before the
	 * number is read again
	 */
	weft_fence_acquire();
	return !cunit_packet_available(g, call, &word);
}

bool cunit_packet_read(struct weft_cunit_group *g, struct weft_coll_call *call)
{
	weft_au64 *word;

	WEFT_ASSERT(call->read < call->sent);
	if (!cunit_packet_available(g, call, &word))
		return false;
	packet_combine_or_copy(g, call);
	if (weft_unlikely(packet_overwritten(g, call)))
		call->err = -EPROTO;
	return true;
}
