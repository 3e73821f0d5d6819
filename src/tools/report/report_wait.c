/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wait states: which calls of a rank waited for another rank, until when, and
 * the class of that time.
 *
 *   rank 0   ....[ MPI_Recv     x         got ]....      x = sent: until here
 *   rank 1   ...................[ MPI_Send ]........     rank 0 waits for a
 *                               sent                     late sender
 *
 * A call waits from its start to x, the time of the remote event that it needs:
 * a message is sent, a receive is posted, the last rank enters a collective. If
 * a call needs several events, the latest x is used, so the waiting time never
 * exceeds the duration of the call. After x the message is in flight; this time
 * has no class. The chain (report_chain.c) includes both times.
 *
 * Calls of the MPI_Test family in a loop count as one wait if there is no other
 * call between two of them and the time outside MPI is at most LOOP_PS or the
 * duration of the longer of the two.
 */
#include "src/tools/report/report_role.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 64 };

/*
 * Longest time in ps between two calls of an empty loop, including the time for
 * recording them.
 */
#define LOOP_PS UINT64_C(2000000)

struct part {
	uint64_t from, to;
	uint32_t id;
};

struct unlock {
	uint64_t word, from, to;
	uint32_t rank;
};

struct waiting {
	const struct report *s;
	const struct report_matched *m;
	struct report_wait_result *out;
	struct report_role role[JOB_PAGE_NAMES];
	/* shortest time in flight of a message, ps, by log2 of its size */
	uint64_t least[SIZES];
	/* waits of each rank's sends for late receivers */
	struct report_waits *sends;
	/*
	 * latest entry into each collective by the ranks processed so far: time
	 * and rank
	 */
	uint64_t *scan;
	uint32_t *scan_rank;
	/* all unlock calls, sorted by tag word and end */
	struct unlock *unlock;
	uint64_t unlocks;
	bool no_memory;
};

/* State of one rank, whose calls are processed in the order of recording. */
struct rank_state {
	struct waiting *w;
	uint32_t rank;
	/* index of the next message and sync that arrives at this rank */
	uint64_t message, sync;
	uint64_t send; /* index in w->sends[rank] */
	const struct report_coll *coll;
	/* calls of the current loop of MPI_Test calls, the current call last */
	struct part *loop;
	uint64_t parts, room;
	/* the current call */
	const struct trace_event *e;
	uint64_t begin, end; /* start of the loop or call; end of the call */
	/* time of the remote event of the call (x in the drawing above) */
	uint64_t until;
	enum report_class class;
};

static void push_wait(struct waiting *w, struct report_waits *list,
		      struct report_wait x)
{
	uint64_t room = list->room ? 2 * list->room : 64;
	struct report_wait *at;

	if (list->count == list->room) {
		at = realloc(list->wait, room * sizeof(*at));
		if (!at) {
			w->no_memory = true;
			return;
		}
		list->wait = at;
		list->room = room;
	}
	list->wait[list->count++] = x;
}

/* ---- preparation, for all ranks ------------------------------------------ */

static unsigned size_class(uint64_t bytes)
{
	unsigned n = 0;

	while (bytes >>= 1)
		n++;
	return n;
}

/* Returns whether a rendezvous receive was posted after the send. */
static bool is_late_receive(const struct report_message *x)
{
	return x->posted > x->sent && x->done > x->posted && x->from != x->to;
}

static void scan_messages(struct waiting *w)
{
	memset(w->least, 0xff, sizeof(w->least));
	for (uint64_t i = 0; i < w->m->messages; i++) {
		const struct report_message *x = &w->m->message[i];
		uint64_t *least = &w->least[size_class(x->bytes)];

		if (x->got > x->sent && x->got - x->sent < *least)
			*least = x->got - x->sent;
		if (is_late_receive(x))
			push_wait(
				w, &w->sends[x->from],
				(struct report_wait){ .to = x->done,
						      .from = x->posted,
						      .other = x->to,
						      .peer = x->to,
						      .via = REPORT_RECEIVER });
	}
}

static int by_end(const void *a, const void *b)
{
	const struct report_wait *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

/* Sorts waits by their end. Waits of only one kind are already sorted. */
static void sort_waits(struct report_waits *w)
{
	for (uint64_t i = 1; i < w->count; i++)
		if (w->wait[i].to < w->wait[i - 1].to) {
			qsort(w->wait, w->count, sizeof(*w->wait), by_end);
			return;
		}
}

static int by_word(const void *a, const void *b)
{
	const struct unlock *x = a, *y = b;

	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void add_unlock(struct waiting *w, uint32_t rank,
		       const struct trace_event *e)
{
	struct unlock *more = w->unlock;

	/* the array grows when `unlocks` is 0 or a power of two */
	if (!(w->unlocks & (w->unlocks - 1)))
		more = realloc(more, 2 * (w->unlocks + 1) * sizeof(*w->unlock));
	if (!more) {
		w->no_memory = true;
		return;
	}
	w->unlock = more;
	w->unlock[w->unlocks++] =
		(struct unlock){ e->word, e->t, e->t + e->span, rank };
}

static void find_unlocks(struct waiting *w)
{
	const struct trace_event *e;
	bool some = false;

	for (uint32_t i = 0; i < JOB_PAGE_NAMES; i++)
		some |= w->role[i].waits == ROLE_UNLOCK;
	for (uint32_t r = 0; some && r < w->s->ranks; r++) {
		struct report_walk k = report_walk(w->s, r, SHOW(TRACE_CALL));

		while ((e = report_next(&k)))
			if (e->kind == TRACE_CALL && e->id < JOB_PAGE_NAMES &&
			    w->role[e->id].waits == ROLE_UNLOCK)
				add_unlock(w, r, e);
	}
	if (w->unlocks)
		qsort(w->unlock, w->unlocks, sizeof(*w->unlock), by_word);
}

/* ---- one call ------------------------------------------------------------ */

/* Records that the current call waited until x.to for an event at x.from. */
static void add_wait(struct rank_state *a, struct report_wait x,
		     enum report_class class)
{
	uint64_t until = x.from;

	if (x.from >= x.to || x.to > a->end)
		return;
	x.id = a->e->id;
	push_wait(a->w, &a->w->out->rank[a->rank], x);
	if (class == REPORT_NO_CLASS || until <= a->begin || until <= a->until)
		return;
	a->until = until;
	a->class = class;
}

/*
 * Adds the wait for a message, which is in flight from its send or, for a
 * rendezvous with a late receive, from the post of the receive.
 */
static void check_message(struct rank_state *a, const struct report_message *x)
{
	uint64_t from = is_late_receive(x) ? x->posted : x->sent;
	uint64_t least = a->w->least[size_class(x->bytes)];
	bool coll = TRACE_WORD_KIND(x->word) != 0;

	if (x->from == a->rank || from + least <= a->begin)
		return;
	add_wait(a,
		 (struct report_wait){ .to = x->got,
				       .from = from,
				       .other = is_late_receive(x) ? a->rank
								   : x->from,
				       .peer = x->from,
				       .via = REPORT_MESSAGE },
		 is_late_receive(x) || coll ? REPORT_NO_CLASS
					    : REPORT_LATE_SENDER);
}

static void check_messages(struct rank_state *a, unsigned waits)
{
	const struct report_matched *m = a->w->m;

	for (; a->message < m->messages; a->message++) {
		const struct report_message *x = &m->message[a->message];
		bool coll = TRACE_WORD_KIND(x->word) != 0;

		if (x->to != a->rank || x->got > a->end)
			return;
		if (x->got >= a->e->t &&
		    waits & (coll ? ROLE_COLL_MESSAGE : ROLE_RECV))
			check_message(a, x);
	}
}

static void check_syncs(struct rank_state *a, unsigned waits)
{
	const struct report_matched *m = a->w->m;

	for (; a->sync < m->syncs; a->sync++) {
		const struct report_message *x = &m->sync[a->sync];

		if (x->to != a->rank || x->got > a->end)
			return;
		if (x->got < a->e->t || x->from == a->rank ||
		    x->sent <= a->begin || !(waits & ROLE_SYNC))
			continue;
		add_wait(a,
			 (struct report_wait){ .to = x->got,
					       .from = x->sent,
					       .other = x->from,
					       .via = REPORT_SYNC },
			 TRACE_WORD_TAG(x->word) == 1 ? REPORT_LATE_POST
						      : REPORT_LATE_COMPLETE);
	}
}

static void check_sends(struct rank_state *a, unsigned waits)
{
	const struct report_waits *list = &a->w->sends[a->rank];

	for (; a->send < list->count; a->send++) {
		const struct report_wait *x = &list->wait[a->send];

		if (x->to > a->end)
			return;
		if (x->to >= a->e->t && x->from > a->begin && waits & ROLE_SEND)
			add_wait(a, *x, REPORT_LATE_RECEIVER);
	}
}

/*
 * Returns the time at which the rank for which a collective waits has entered
 * it; rank_p: that rank.
 */
static uint64_t entry_time(struct rank_state *a, const struct report_coll *c,
			   enum report_class class, uint32_t *rank_p)
{
	uint64_t i = (uint64_t)(c - a->w->m->coll), t;

	*rank_p = c->last_rank;
	if (class == REPORT_LATE_BROADCAST) {
		*rank_p = c->root;
		return c->root_in;
	}
	if (class == REPORT_EARLY_REDUCE)
		return c->root == a->rank ? c->last : 0;
	if (class != REPORT_EARLY_SCAN)
		return c->last;
	/* latest entry of the lower ranks, which are processed first */
	t = a->w->scan[i];
	*rank_p = a->w->scan_rank[i];
	if (a->e->t > t) {
		a->w->scan[i] = a->e->t;
		a->w->scan_rank[i] = a->rank;
	}
	return t;
}

static void check_coll(struct rank_state *a, enum report_class class)
{
	const struct report_coll *c;
	uint32_t other;
	uint64_t t;

	if (class == REPORT_NO_CLASS || !TRACE_IS_COLL(a->e->word))
		return;
	c = report_coll_of(a->w->m, a->e->word, a->coll);
	if (!c)
		return;
	a->coll = c;
	t = entry_time(a, c, class, &other);
	if (other == a->rank || t <= a->begin || t >= a->end)
		return;
	add_wait(a,
		 (struct report_wait){ .to = a->end,
				       .from = t,
				       .other = other,
				       .via = REPORT_COLLECTIVE },
		 class);
}

/*
 * Finds the last unlock of the call's target by another rank during the call.
 */
static void check_lock(struct rank_state *a)
{
	const struct waiting *w = a->w;
	uint64_t low = 0, high = w->unlocks;

	while (low < high) {
		uint64_t mid = (low + high) / 2;
		const struct unlock *u = &w->unlock[mid];

		if (u->word < a->e->word ||
		    (u->word == a->e->word && u->to < a->end))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low && w->unlock[low - 1].word == a->e->word &&
	       w->unlock[low - 1].to > a->begin;
	     low--)
		if (w->unlock[low - 1].rank != a->rank) {
			add_wait(a,
				 (struct report_wait){
					 .to = a->end,
					 .from = w->unlock[low - 1].to,
					 .other = w->unlock[low - 1].rank,
					 .via = REPORT_LOCK },
				 REPORT_LOCK_CONTENTION);
			return;
		}
}

/* ---- the classes --------------------------------------------------------- */

static void report_wait_add(struct rank_state *a, const struct part *p)
{
	uint64_t to = p->to < a->until ? p->to : a->until;

	if (to <= p->from || p->id >= JOB_PAGE_NAMES)
		return;
	a->w->out->by_rank[a->rank][a->class] += to - p->from;
	a->w->out->by_call[p->id][a->class] += to - p->from;
}

/*
 * Adds the wait to its class. The wait may have started in earlier calls of the
 * loop; the time in these is added once.
 */
static void add_class(struct rank_state *a)
{
	if (a->class == REPORT_NO_CLASS)
		return;
	for (uint64_t i = 0; i < a->parts; i++)
		report_wait_add(a, &a->loop[i]);
	a->loop[0] = a->loop[a->parts - 1];
	a->loop[0].from =
		a->until > a->loop[0].from ? a->until : a->loop[0].from;
	a->parts = 1;
}

/* Returns whether this call continues the loop of the previous call. */
static bool continues_loop(const struct rank_state *a,
			   const struct trace_event *e, bool poll)
{
	const struct part *p;
	uint64_t longer = e->span > LOOP_PS ? e->span : LOOP_PS;

	if (!poll || !a->parts || a->end > e->t)
		return false;
	p = &a->loop[a->parts - 1];
	if (p->to - p->from > longer)
		longer = p->to - p->from;
	return e->t - a->end <= longer;
}

static void begin_call(struct rank_state *a, const struct trace_event *e,
		       bool poll)
{
	struct part *more = a->loop;

	if (!continues_loop(a, e, poll)) {
		a->parts = 0;
		a->begin = e->t;
	}
	if (a->parts == a->room) {
		a->room = a->room ? 2 * a->room : 64;
		more = realloc(more, a->room * sizeof(*more));
		if (!more) {
			a->w->no_memory = true;
			return;
		}
		a->loop = more;
	}
	a->e = e;
	a->end = e->t + e->span;
	a->until = 0;
	a->class = REPORT_NO_CLASS;
	a->loop[a->parts++] = (struct part){ e->t, a->end, e->id };
}

static void process_call(struct rank_state *a, const struct trace_event *e)
{
	struct report_role role = { 0, REPORT_NO_CLASS };

	if (e->id < JOB_PAGE_NAMES)
		role = a->w->role[e->id];
	begin_call(a, e, role.waits & ROLE_POLL);
	if (a->w->no_memory)
		return;
	check_messages(a, role.waits);
	check_syncs(a, role.waits);
	check_sends(a, role.waits);
	check_coll(a, role.class);
	if (role.waits & ROLE_LOCK && e->word)
		check_lock(a);
	add_class(a);
	if (!(role.waits & ROLE_POLL))
		a->parts = 0;
}

/* ---- all ranks ----------------------------------------------------------- */

static void add_open_calls(struct waiting *w)
{
	const struct report *s = w->s;

	for (uint32_t i = 0; i < s->opens; i++) {
		const struct report_open_call *o = &s->open[i];
		uint64_t span = s->end - o->t;

		w->out->by_rank[o->rank][REPORT_NOT_COMPLETED] += span;
		w->out->by_call[o->id][REPORT_NOT_COMPLETED] += span;
		if (span)
			push_wait(w, &w->out->rank[o->rank],
				  (struct report_wait){ .to = s->end,
							.from = o->t,
							.other = o->rank,
							.id = o->id,
							.via = REPORT_OPEN });
	}
}

static void process_ranks(struct waiting *w)
{
	struct rank_state a = { .w = w };
	uint64_t message = 0, sync = 0;

	for (uint32_t r = 0; !w->no_memory && r < w->s->ranks; r++) {
		struct report_walk k;
		const struct trace_event *e;

		a.rank = r;
		a.message = message;
		a.sync = sync;
		a.send = a.parts = 0;
		a.coll = NULL;
		sort_waits(&w->sends[r]);
		k = report_walk(a.w->s, a.rank, SHOW(TRACE_CALL));
		while (!a.w->no_memory && (e = report_next(&k)))
			if (e->kind == TRACE_CALL)
				process_call(&a, e);
		while (message < w->m->messages &&
		       w->m->message[message].to == r)
			message++;
		while (sync < w->m->syncs && w->m->sync[sync].to == r)
			sync++;
	}
	free(a.loop);
	add_open_calls(w);
	for (uint32_t r = 0; r < w->s->ranks; r++)
		sort_waits(&w->out->rank[r]);
}

static void waiting_free(struct waiting *w)
{
	for (uint32_t r = 0; w->sends && r < w->s->ranks; r++)
		free(w->sends[r].wait);
	free(w->sends);
	free(w->scan);
	free(w->scan_rank);
	free(w->unlock);
	free(w);
}

static struct waiting *waiting_new(const struct report *s,
				   const struct report_matched *m,
				   struct report_wait_result *out)
{
	struct waiting *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->s = s;
	w->m = m;
	w->out = out;
	w->sends = calloc(s->ranks, sizeof(*w->sends));
	w->scan = calloc(m->colls + 1, sizeof(*w->scan));
	w->scan_rank = calloc(m->colls + 1, sizeof(*w->scan_rank));
	if (w->sends && w->scan && w->scan_rank)
		return w;
	waiting_free(w);
	return NULL;
}

int report_wait(const struct report *s, const struct report_matched *m,
		struct report_wait_result *out)
{
	struct waiting *w;
	bool no_memory = true;

	out->rank = calloc(s->ranks, sizeof(*out->rank));
	out->by_rank = calloc(s->ranks, sizeof(*out->by_rank));
	out->by_call = calloc(JOB_PAGE_NAMES, sizeof(*out->by_call));
	out->ranks = s->ranks;
	w = out->rank && out->by_rank && out->by_call ? waiting_new(s, m, out)
						      : NULL;
	if (w && m->all) {
		report_roles(s, w->role);
		scan_messages(w);
		find_unlocks(w);
		process_ranks(w);
	}
	if (w) {
		no_memory = w->no_memory;
		waiting_free(w);
	}
	if (no_memory)
		report_wait_free(out);
	return no_memory ? -ENOMEM : 0;
}

void report_wait_free(struct report_wait_result *w)
{
	for (uint32_t r = 0; w->rank && r < w->ranks; r++)
		free(w->rank[r].wait);
	free(w->rank);
	free(w->by_rank);
	free(w->by_call);
	memset(w, 0, sizeof(*w));
}
