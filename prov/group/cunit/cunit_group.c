/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open and close of a group, and the packets of an operation: numbered when
 * posted, sent as far as credits allow, read in the order of their numbers.
 */
#include "prov/group/cunit/cunit_group.h"
#include "src/base/must.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

size_t weft_cunit_area_bytes(const struct weft_cunit_geo *geo)
{
	return geo->routes * cunit_segment_bytes(geo);
}

size_t weft_cunit_segment_bytes(const struct weft_cunit_geo *geo)
{
	return cunit_segment_bytes(geo);
}

/* Allocates a private segment for a member that shares no memory. */
static int segment_alloc(struct weft_cunit_group *g, void **segment_p)
{
	void *segment =
		mmap(NULL, cunit_segment_bytes(&g->geo), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (segment == MAP_FAILED)
		return -ENOMEM;
	*segment_p = segment;
	return 0;
}

int cunit_segments_map(struct weft_cunit_group *g, int from, int to)
{
	void *segment;
	int ret;

	WEFT_ASSERT(from >= 0 && to <= g->n);
	for (int i = from; i < to && !g->all_mapped; i++) {
		if (g->segment[i])
			continue;
		ret = g->send ? segment_alloc(g, &segment)
			      : g->reach(g->arg, i, &segment);
		if (ret)
			return ret;
		g->segment[i] = segment;
	}
	g->all_mapped |= from == 0 && to == g->n;
	return 0;
}

/* Maps the segments that this member always needs (attr.reach of cunit.h). */
static int group_segments_map(struct weft_cunit_group *g,
			      const struct weft_cunit_group_attr *a)
{
	bool area = a->area && !a->send;
	int ret = 0;

	for (int i = 0; area && i < a->n; i++)
		g->segment[i] = cunit_segment(a->area[i], &g->geo, a->route);
	if (area || g->flat_shared)
		return cunit_segments_map(g, 0, a->n);
	for (int i = g->me; i >= 0 && !ret; i = g->tree.parent[i])
		ret = cunit_segments_map(g, i, i + 1);
	return ret;
}

static void segments_free(struct weft_cunit_group *g)
{
	for (int i = 0; g->send && i < g->n; i++) {
		if (g->segment[i])
			munmap(g->segment[i], cunit_segment_bytes(&g->geo));
	}
}

/*
 * Returns the board at the tree's root, or NULL if the group uses none or does
 * not fit on it.
 */
static struct cunit_board *group_board(const struct weft_cunit_group *g,
				       const struct weft_cunit_group_attr *a)
{
	bool requested =
		a->form == WEFT_CUNIT_RANGE || a->form == WEFT_CUNIT_COUNTS;

	if (!(a->oversubscribed || requested) || a->flat || a->send ||
	    a->n > CUNIT_BOARD_MAX || (unsigned)a->n > a->geo->board)
		return NULL;
	return (struct cunit_board *)((char *)g->segment[g->tree.root] +
				      cunit_board_at(a->geo));
}

/* Checks the attributes: every member needs a cell for each of its inputs. */
static bool attr_fits(const struct weft_cunit_group_attr *a)
{
	if (a->n < 1 || a->me < 0 || a->me >= a->n || a->tree->n != a->n ||
	    a->route >= a->geo->routes || !a->generation)
		return false;
	if (a->flat && a->form != WEFT_CUNIT_EVENTS)
		return a->n <= WEFT_CUNIT_FLAT;
	return (!a->flat || a->n <= WEFT_CUNIT_FLAT) &&
	       (unsigned)weft_tree_width(a->tree) < a->geo->inputs;
}

static size_t scratch_bytes(const struct weft_cunit_group_attr *a)
{
	size_t parts = a->tree->depth > 1 ? (size_t)a->tree->depth : 1;
	size_t board = parts * CUNIT_BOARD_BYTES;
	size_t packets = (a->flat ? parts : 1) * a->geo->packet_bytes;

	return board > packets ? board : packets;
}

/*
 * Resets this member's segment. Its previous group is closed, and members of
 * the new group do not write here before all have opened.
 */
static void segment_reset(struct weft_cunit_group *g, uint64_t generation)
{
	struct cunit_head *segment = g->segment[g->me];

	memset(segment, 0, offsetof(struct cunit_head, generation));
	memset(segment->event_word, 0,
	       sizeof(*segment) - offsetof(struct cunit_head, event_word));
	for (unsigned s = 0; s < CUNIT_SLOTS; s++) {
		/* relaxed: R4 publishes the counters */
		weft_store64_relaxed(
			&cunit_count_of(segment, &g->geo, s)->arrived, 0);
		weft_store64_relaxed(&cunit_out(segment, &g->geo, s)->seq, 0);
	}
	if (g->board && g->me == g->tree.root)
		memset(g->board->slot, 0, sizeof(g->board->slot));
	/* R4: read by members that check whether this member has opened. */
	weft_store64(&segment->generation, generation);
}

int weft_cunit_group_open(const struct weft_cunit_group_attr *a,
			  struct weft_cunit_group **g_p)
{
	struct weft_cunit_group *g;
	int ret;

	if (!attr_fits(a))
		return -EINVAL;
	g = calloc(1, sizeof(*g) + (size_t)a->n * sizeof(g->segment[0]));
	if (!g)
		return -ENOMEM;
	g->geo = *a->geo;
	g->slot_bytes = cunit_slot_bytes(a->geo);
	g->clear = CUNIT_SLOTS;
	g->flat = a->flat;
	g->flat_shared = g->flat && !a->send;
	g->oversubscribed = a->oversubscribed;
	g->form = a->form;
	g->sig_history = a->ordered_with ? a->ordered_with->sig_history
					 : &g->own_sig_history;
	g->n = a->n;
	g->me = a->me;
	g->wake = a->wake;
	g->fence = a->fence;
	g->arg = a->arg;
	g->send = a->send;
	g->reach = a->reach;
	g->scratch = malloc(scratch_bytes(a));
	ret = g->scratch ? weft_tree_copy(&g->tree, a->tree) : -ENOMEM;
	if (!ret)
		ret = group_segments_map(g, a);
	if (ret)
		goto err_free;
	g->board = group_board(g, a);
	WEFT_ASSERT(g->segment[g->me]);
	segment_reset(g, a->generation);
	*g_p = g;
	return 0;
err_free:
	segments_free(g);
	weft_tree_fini(&g->tree);
	free(g->scratch);
	free(g);
	return ret;
}

/* ---- operations ---- */

static bool send_all(struct weft_cunit_group *g)
{
	bool moved = false;

	while (g->sending) {
		struct weft_coll_call *op = g->sending;

		while (op->sent < op->packets && cunit_credit_has(g, g->sent)) {
			WEFT_ASSERT(g->sent < g->posted &&
				    g->sent == op->first + op->sent);
			cunit_packet_send(g, op);
			op->sent++;
			g->sent++;
			moved = true;
		}
		if (op->sent < op->packets)
			break;
		g->sending = op->next;
	}
	return moved;
}

static void group_finish(struct weft_cunit_group *g, struct weft_coll_call *op)
{
	WEFT_ASSERT(g->head == op && g->tail);
	g->head = op->next;
	if (!g->head)
		g->tail = NULL;
	op->done(op);
}

/* Reads the next packet of op, or fails op if segments cannot be mapped. */
static bool read_one(struct weft_cunit_group *g, struct weft_coll_call *op)
{
	if (weft_unlikely(op->reach == -EAGAIN))
		op->reach = cunit_packet_segments_map(g, op);
	if (weft_likely(!op->reach))
		return cunit_packet_read(g, op);
	if (op->reach != -EAGAIN)
		op->err = op->reach;
	return op->reach != -EAGAIN;
}

/*
 * Reads available packets in the order of their numbers; sets *moved_p if there
 * was one.
 */
static void read_all(struct weft_cunit_group *g, bool *moved_p)
{
	while (g->head) {
		struct weft_coll_call *op = g->head;

		while (op->read < op->sent && read_one(g, op)) {
			WEFT_ASSERT(g->consumed == op->first + op->read &&
				    op->read < op->packets);
			op->read++;
			cunit_credit_read(g);
			*moved_p = true;
		}
		if (op->read < op->packets)
			break;
		group_finish(g, op);
	}
}

WEFT_HOT void weft_cunit_poll(struct weft_cunit_group *g)
{
	bool moved;

	do {
		moved = send_all(g);
		read_all(g, &moved);
	} while (moved && g->head);
}

int weft_cunit_post(struct weft_cunit_group *g, struct weft_coll_call *op)
{
	op->flags = 0;
	op->err = 0;
	op->sent = op->read = 0;
	op->next = NULL;
	op->reach = g->all_mapped ? 0 : -EAGAIN;
	if (g->err) {
		op->err = g->err;
		op->done(op);
		return 0;
	}
	cunit_packet_plan(g, op);
	WEFT_ASSERT(op->packets);
	op->first = g->posted;
	g->posted += op->packets;
	cunit_enqueue(g, op);
	if (!g->sending)
		g->sending = op;
	weft_cunit_poll(g);
	return 0;
}

bool weft_cunit_ready(const struct weft_cunit_group *g,
		      struct weft_cunit_watch *w)
{
	const struct weft_coll_call *op = g->head;

	w->word = NULL;
	if (!op)
		return false;
	w->event_word = cunit_event_word(g, CUNIT_EVENT_OUT);
	if (op->read < op->sent) {
		if (weft_unlikely(op->reach))
			return true;
		w->want = op->first + op->read + 1;
		return cunit_packet_available(g, op, &w->word);
	}
	w->event_word = cunit_event_word(g, CUNIT_EVENT_CREDIT);
	w->word = cunit_credit_word(g, g->sent, &w->want);
	return weft_load64(w->word) >= w->want;
}

uint64_t weft_cunit_atomics(const struct weft_cunit_group *g)
{
	return g->atomics;
}

void weft_cunit_state(const struct weft_cunit_group *g,
		      struct weft_cunit_state *s)
{
	const struct weft_coll_call *op = g->head;

	*s = (struct weft_cunit_state){ .posted = g->posted,
					.sent = g->sent,
					.read = g->consumed };
	if (!op)
		return;
	if (op->read >= op->sent)
		s->credit = cunit_credit_needs(g, g->sent);
	else if (!op->reach) /* a missing packet, not a missing mapping */
		s->packet = op->first + op->read + 1;
}

bool weft_cunit_spin(const struct weft_cunit_group *g, unsigned polls)
{
	struct weft_cunit_watch w;

	for (;;) {
		if (weft_cunit_ready(g, &w))
			return true;
		if (!w.word)
			return false;
		/*
		 * A0, A3: the same ordering as in the code that then reads the
		 * packet or credit
		 */
		while (weft_load64(w.word) < w.want) {
			if (!polls--)
				return false;
		}
	}
}

void weft_cunit_group_fail(struct weft_cunit_group *g, int err)
{
	WEFT_ASSERT(err < 0);
	g->err = err;
	g->sending = NULL;
	while (g->head) {
		g->head->err = err;
		group_finish(g, g->head);
	}
}

void weft_cunit_group_close(struct weft_cunit_group *g)
{
	weft_cunit_group_fail(g, -ECANCELED);
	segments_free(g);
	weft_tree_fini(&g->tree);
	free(g->scratch);
	free(g);
}
