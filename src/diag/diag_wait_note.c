/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes of waiting ranks, and the graph of waits. A note is
 *
 *   MPI_Waitall & 3 2;r 1 7 0 MPI_COMM_WORLD;s 2 7 0 MPI_COMM_WORLD
 *
 * call, & (all) or | (any), number of collectives started, total number of
 * items; then each item: kind, peer, tag, context, name. The item of a
 * collective is
 *
 *   c 12 0 0-511/1 MPI_COMM_WORLD
 *
 * its number, context, members, name. Members that are not equally spaced are
 * written as @0-2,5.
 */
#include "src/diag/diag_wait_note.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- notes --------------------------------------------------------------- */

/* Appends text to the note. Returns false if it does not fit. */
static bool append(char note[WEFT_WAIT_NOTE_BYTES], size_t *pos,
		   const char *text)
{
	size_t len = strlen(text);

	if (*pos + len >= WEFT_WAIT_NOTE_BYTES)
		return false;
	memcpy(note + *pos, text, len + 1);
	*pos += len;
	return true;
}

static void item_text(const struct weft_waitnote_item *i, char *text,
		      size_t len)
{
	size_t pos;

	if (i->kind == WEFT_WAIT_COLL && i->step)
		snprintf(text, len, ";c %d %u %d-%d/%d %s", i->tag, i->ctx,
			 i->first, i->last, i->step, i->comm);
	else if (i->kind == WEFT_WAIT_COLL)
		snprintf(text, len, ";c %d %u @%s %s", i->tag, i->ctx, i->list,
			 i->comm);
	else
		snprintf(text, len, ";%c %d %d %u %s", i->kind, i->peer, i->tag,
			 i->ctx, i->comm);
	/*
	 * Replace the separators of items, which a communicator's name may
	 * contain.
	 */
	for (pos = 1; text[pos]; pos++)
		if (text[pos] == ';' || text[pos] == '\n')
			text[pos] = '_';
}

char *weft_waitnote_write(const struct weft_waitnote *s,
			  char note[WEFT_WAIT_NOTE_BYTES])
{
	char text[128];
	size_t pos = 0;

	note[0] = '\0';
	snprintf(text, sizeof(text), "%s %c %d %d", s->call[0] ? s->call : "-",
		 s->any ? '|' : '&', s->world_seq, s->nitems + s->more);
	append(note, &pos, text);
	for (int i = 0; i < s->nitems; i++) {
		item_text(&s->item[i], text, sizeof(text));
		if (!append(note, &pos, text))
			break;
	}
	return note;
}

/*
 * Parses the item of a collective. Returns the position of the communicator's
 * name, or 0 if the text is not such an item.
 */
static int read_coll(struct weft_waitnote_item *i, const char *text)
{
	int n = 0, len;

	sscanf(text, "c %d %u %d-%d/%d %n", &i->tag, &i->ctx, &i->first,
	       &i->last, &i->step, &n);
	if (n)
		return n;
	sscanf(text, "c %d %u @%n", &i->tag, &i->ctx, &n);
	len = (int)strcspn(text + n, " ;");
	if (!n || len >= WEFT_WAIT_NOTE_LIST || text[n + len] != ' ')
		return 0;
	memcpy(i->list, text + n, (size_t)len);
	return n + len + 1;
}

static bool read_item(struct weft_waitnote_item *i, const char *text)
{
	char kind = text[0];
	int n = 0;

	memset(i, 0, sizeof(*i));
	i->kind = (enum weft_waitnote_kind)kind;
	if (kind == WEFT_WAIT_COLL)
		n = read_coll(i, text);
	else if (kind == WEFT_WAIT_RECV || kind == WEFT_WAIT_SEND)
		sscanf(text + 1, " %d %d %u %n", &i->peer, &i->tag, &i->ctx,
		       &n);
	if (!n)
		return false;
	if (kind != WEFT_WAIT_COLL)
		n++;
	snprintf(i->comm, sizeof(i->comm), "%.*s", (int)strcspn(text + n, ";"),
		 text + n);
	return true;
}

bool weft_waitnote_read(struct weft_waitnote *s, const char *note)
{
	char all;
	int total = 0;

	memset(s, 0, sizeof(*s));
	if (sscanf(note, "%31s %c %d %d", s->call, &all, &s->world_seq,
		   &total) != 4)
		return false;
	if (!strcmp(s->call, "-"))
		s->call[0] = '\0';
	s->any = all == '|';
	while ((note = strchr(note, ';')) && s->nitems < WEFT_WAIT_NOTE_ITEMS)
		if (read_item(&s->item[s->nitems], ++note))
			s->nitems++;
	s->more = total > s->nitems ? total - s->nitems : 0;
	return true;
}

/* ---- the graph of waits -------------------------------------------------- */

struct job {
	const struct weft_waitnote *rank;
	int n;
};

/* Returns whether r is in a list such as "0-2,5". */
static bool is_listed(const char *list, int r)
{
	int from, to, n;

	for (; sscanf(list, "%d%n", &from, &n) == 1; list += *list == ',') {
		list += n;
		to = from;
		if (*list == '-' && sscanf(list + 1, "%d%n", &to, &n) == 1)
			list += 1 + n;
		if (r >= from && r <= to)
			return true;
	}
	return false;
}

static bool is_member(const struct weft_waitnote_item *i, int r)
{
	if (!i->step)
		return is_listed(i->list, r);
	return i->step > 0 && r >= i->first && r <= i->last &&
	       (r - i->first) % i->step == 0;
}

/* Returns the item of rank r that describes the same collective, or NULL. */
static const struct weft_waitnote_item *
same_coll(const struct job *j, int r, const struct weft_waitnote_item *i)
{
	const struct weft_waitnote *s = &j->rank[r];

	for (int k = 0; k < s->nitems && !s->left; k++)
		if (s->item[k].kind == WEFT_WAIT_COLL &&
		    s->item[k].ctx == i->ctx && s->item[k].tag == i->tag)
			return &s->item[k];
	return NULL;
}

/*
 * Returns whether rank r has completed the collective of item i and waits in a
 * later operation.
 */
static bool is_past(const struct job *j, int r,
		    const struct weft_waitnote_item *i)
{
	bool whole = i->first == 0 && i->last == j->n - 1 && i->step == 1;
	const struct weft_waitnote *s = &j->rank[r];

	for (int k = 0; k < s->nitems && !s->left; k++)
		if (s->item[k].kind == WEFT_WAIT_COLL &&
		    s->item[k].ctx == i->ctx && s->item[k].tag > i->tag &&
		    s->item[k].tag != WEFT_WAIT_FINALIZE)
			return true;
	return whole && !s->left && s->world_seq - 1 > i->tag;
}

/* Returns whether rank `me` waits for member r in the collective of item i. */
static bool coll_waits_for(const struct job *j, int me, int r,
			   const struct weft_waitnote_item *i)
{
	if (r == me || !is_member(i, r) || is_past(j, r, i))
		return false;
	if (!same_coll(j, r, i))
		return true;
	/*
	 * rank r has entered the collective, but has called a different
	 * function
	 */
	return strcmp(j->rank[r].call, j->rank[me].call) != 0;
}

static bool waits_for(const struct job *j, int me, int r,
		      const struct weft_waitnote_item *i)
{
	if (i->kind == WEFT_WAIT_COLL)
		return coll_waits_for(j, me, r, i);
	if (i->peer == WEFT_WAIT_ANY)
		return r != me;
	return r == i->peer;
}

static bool any_waits_for(const struct job *j, int me, int r)
{
	const struct weft_waitnote *s = &j->rank[me];

	for (int k = 0; k < s->nitems; k++)
		if (waits_for(j, me, r, &s->item[k]))
			return true;
	return false;
}

/*
 * Returns a rank for which rank `me` waits: takes the first item in which `me`
 * waits for any rank, and returns the lowest of these ranks; -1: none. Items
 * with wildcards are considered only if wild is set.
 */
static int next_of(const struct job *j, int me, bool wild)
{
	const struct weft_waitnote *s = &j->rank[me];

	for (int k = 0; k < s->nitems; k++) {
		const struct weft_waitnote_item *i = &s->item[k];
		bool is_wild =
			i->kind != WEFT_WAIT_COLL && i->peer == WEFT_WAIT_ANY;

		for (int r = 0; r < j->n && is_wild <= wild; r++)
			if (waits_for(j, me, r, i))
				return r;
	}
	return -1;
}

/*
 * Returns the lowest rank of the cycle that contains r, and sets *len to the
 * length of the cycle.
 */
static int cycle_of(const int *next, int r, int *len)
{
	int low = r, current = next[r];

	for (*len = 1; current != r; current = next[current], ++*len)
		low = current < low ? current : low;
	return low;
}

/*
 * Returns the lowest rank of the shortest cycle, or -1. walked[r]: number of
 * the walk that visited rank r.
 */
static int find_cycle(const int *next, int n, int *walked)
{
	int best = -1, best_len = 0, len, low, current;

	memset(walked, 0, (size_t)n * sizeof(*walked));
	for (int r = 0; r < n; r++) {
		for (current = r; current >= 0 && !walked[current];
		     current = next[current])
			walked[current] = r + 1;
		if (current < 0 || walked[current] != r + 1)
			continue;
		low = cycle_of(next, current, &len);
		if (best >= 0 && len >= best_len)
			continue;
		best = low;
		best_len = len;
	}
	return best;
}

/*
 * Returns the first rank of a chain of waits that ends at a rank that has left,
 * or -1.
 */
static int find_chain(const struct job *j, const int *next)
{
	int current, steps;

	for (int r = 0; r < j->n; r++) {
		current = r;
		for (steps = 0; next[current] >= 0 && steps < j->n; steps++)
			current = next[current];
		if (steps && steps < j->n && j->rank[current].left)
			return r;
	}
	return -1;
}

/* ---- printing ------------------------------------------------------------ */

/* Prints the ranks r for which in[r] is set, as in "ranks 0-3,7". */
static void print_ranges(FILE *f, const bool *in, int n)
{
	int count = 0, from, printed = 0;

	for (int i = 0; i < n; i++)
		count += in[i];
	fprintf(f, count == 1 ? "rank " : "ranks ");
	for (int i = 0; i < n; i++) {
		if (!in[i])
			continue;
		for (from = i; i + 1 < n && in[i + 1];)
			i++;
		fprintf(f, "%s%d", printed++ ? "," : "", from);
		if (i > from)
			fprintf(f, "%s%d", i > from + 1 ? "-" : ",", i);
	}
}

enum { DELTA_SELF = 1 << 30 };

static void print_missing(FILE *f, const struct job *j, int me,
			  const struct weft_waitnote_item *i)
{
	bool *in = calloc((size_t)j->n, sizeof(*in));
	bool absent = false, other = false;

	if (!in)
		return;
	for (int r = 0; r < j->n; r++) {
		in[r] = coll_waits_for(j, me, r, i);
		absent |= in[r] && !same_coll(j, r, i);
		other |= in[r] && same_coll(j, r, i);
	}
	for (int r = 0; r < j->n && absent; r++)
		in[r] &= !same_coll(j, r, i);
	if (absent || other) {
		fprintf(f, absent ? "; not in it: " : "; in another call: ");
		print_ranges(f, in, j->n);
	}
	free(in);
}

static void print_item(FILE *f, const struct job *j, int me, int k, int delta)
{
	const struct weft_waitnote_item *i = &j->rank[me].item[k];

	if (i->kind == WEFT_WAIT_COLL) {
		if (i->tag != WEFT_WAIT_FINALIZE)
			fprintf(f, "number %d ", i->tag);
		fprintf(f, "on %s", i->comm);
		print_missing(f, j, me, i);
		return;
	}
	fprintf(f, i->kind == WEFT_WAIT_RECV ? "from " : "to ");
	/*
	 * Print "rank 3" or "any rank" or, if delta is not 0, the rank relative
	 * to the waiting rank.
	 */
	if (i->peer == WEFT_WAIT_ANY)
		fprintf(f, "any rank");
	else if (delta == DELTA_SELF)
		fprintf(f, "itself");
	else if (delta)
		fprintf(f, "rank %c %d", delta > 0 ? '+' : '-', abs(delta));
	else
		fprintf(f, "rank %d", i->peer);
	if (i->tag == WEFT_WAIT_ANY)
		fprintf(f, ", any tag, %s", i->comm);
	else
		fprintf(f, ", tag %d, %s", i->tag, i->comm);
}

static void print_rank(FILE *f, const struct job *j, int me, const int *delta)
{
	const struct weft_waitnote *s = &j->rank[me];

	if (s->left) {
		fprintf(f, "has left MPI\n");
		return;
	}
	fprintf(f, "%s", s->call[0] ? s->call : "in no MPI call");
	if (s->nitems + s->more > 1)
		fprintf(f, " for %s of %d", s->any ? "one" : "all",
			s->nitems + s->more);
	for (int k = 0; k < s->nitems; k++) {
		fprintf(f, k ? " | " : " ");
		print_item(f, j, me, k, delta[k]);
	}
	if (s->more)
		fprintf(f, " | and %d more", s->more);
	fprintf(f, "\n");
}

/* ---- groups of equal ranks ----------------------------------------------- */

/*
 * Returns the distance from one rank to another, in the shorter direction of
 * the ring of all ranks.
 */
static int delta_of(int from, int to, int n)
{
	int d = to - from;

	if (d > n / 2)
		d -= n;
	return d < -(n / 2) ? d + n : d;
}

static bool items_equal(const struct job *j, int a, int b, int k, bool relative)
{
	const struct weft_waitnote_item *x = &j->rank[a].item[k];
	const struct weft_waitnote_item *y = &j->rank[b].item[k];
	bool same;

	if (x->kind != y->kind || x->tag != y->tag || x->ctx != y->ctx ||
	    strcmp(x->comm, y->comm))
		return false;
	if (x->kind == WEFT_WAIT_COLL)
		return x->first == y->first && x->last == y->last &&
		       x->step == y->step && !strcmp(x->list, y->list);
	same = x->peer == y->peer;
	if (!relative || x->peer < 0 || y->peer < 0)
		return same;
	return delta_of(a, x->peer, j->n) == delta_of(b, y->peer, j->n);
}

/*
 * Returns whether two ranks wait for the same requests and collectives.
 * relative: compare the distances to the peers instead of the ranks of the
 * peers.
 */
static bool ranks_equal(const struct job *j, int a, int b, bool relative)
{
	const struct weft_waitnote *x = &j->rank[a], *y = &j->rank[b];

	if (x->left || y->left)
		return x->left && y->left;
	if (strcmp(x->call, y->call) || x->any != y->any ||
	    x->nitems != y->nitems || x->more != y->more)
		return false;
	for (int k = 0; k < x->nitems; k++)
		if (!items_equal(j, a, b, k, relative))
			return false;
	return true;
}

static int mark_equal(const struct job *j, int a, bool relative,
		      const bool *done, bool *in)
{
	int count = 0;

	for (int r = 0; r < j->n; r++) {
		in[r] = !done[r] && ranks_equal(j, a, r, relative);
		count += in[r];
	}
	return count;
}

/* minimum group size for which peers are printed as distances */
enum { RELATIVE_MIN_RANKS = 4 };

/*
 * Computes the distances of the peers from rank a for printing; 0: print the
 * rank of the peer. alone: rank a is the only rank of its group.
 */
static void find_deltas(const struct job *j, int a, bool use_relative,
			bool alone, int *delta)
{
	const struct weft_waitnote *s = &j->rank[a];

	for (int k = 0; k < s->nitems; k++) {
		delta[k] = 0;
		if (s->item[k].kind == WEFT_WAIT_COLL || s->item[k].peer < 0)
			continue;
		if (s->item[k].peer == a)
			delta[k] = use_relative || alone ? DELTA_SELF : 0;
		else if (use_relative)
			delta[k] = delta_of(a, s->item[k].peer, j->n);
	}
}

static void print_group(FILE *f, const struct job *j, int a, bool *done,
			bool *in)
{
	int delta[WEFT_WAIT_NOTE_ITEMS];
	int same = mark_equal(j, a, false, done, in);
	int relative = mark_equal(j, a, true, done, in);
	bool use_relative = relative > same && relative >= RELATIVE_MIN_RANKS;

	if (!use_relative)
		mark_equal(j, a, false, done, in);
	find_deltas(j, a, use_relative, same == 1, delta);
	fprintf(f, "  ");
	print_ranges(f, in, j->n);
	fprintf(f, ": ");
	print_rank(f, j, a, delta);
	for (int r = 0; r < j->n; r++)
		done[r] |= in[r];
}

/* ---- cycles and chains of waits ------------------------------------------ */

enum { RANKS_SHOWN = 12 };

/*
 * Prints the chain of waits that starts at a rank, up to its end or until it
 * returns to that rank.
 */
static void print_waits(FILE *f, const int *next, int from)
{
	int current = from, len = 1, shown = 0;

	for (current = next[from]; current >= 0 && current != from;
	     current = next[current])
		len++;
	fprintf(f, current < 0 ? "  chain: rank %d" : "  cycle: rank %d", from);
	for (current = next[from]; current >= 0 && current != from;
	     current = next[current]) {
		if (++shown < RANKS_SHOWN || shown > len - 2)
			fprintf(f, " -> rank %d", current);
		else if (shown == RANKS_SHOWN)
			fprintf(f, " -> ... (%d more)", len - 1 - shown);
	}
	if (current < 0)
		fprintf(f, ", which has left MPI\n");
	else
		fprintf(f, " -> rank %d\n", from);
}

/*
 * Prints the shortest cycle of waits, if possible one without wildcards, or
 * else a chain of waits.
 */
static void print_cycle(FILE *f, const struct job *j)
{
	int *next = calloc((size_t)j->n, sizeof(*next));
	int *walked = calloc((size_t)j->n, sizeof(*walked));
	int from = -1;

	for (int wild = 0; next && walked && wild < 2 && from < 0; wild++) {
		for (int r = 0; r < j->n; r++)
			next[r] = j->rank[r].left ? -1 : next_of(j, r, wild);
		from = find_cycle(next, j->n, walked);
	}
	if (next && from < 0)
		from = find_chain(j, next);
	if (next && from >= 0)
		print_waits(f, next, from);
	free(next);
	free(walked);
}

void weft_waitnote_graph(FILE *f, const struct weft_waitnote *rank, int n)
{
	const struct job j = { rank, n };

	for (int me = 0; me < n && n <= WEFT_WAIT_NOTE_GRAPH_RANKS; me++) {
		fprintf(f, "%d", me);
		for (int r = 0; r < n; r++)
			if (r != me && any_waits_for(&j, me, r))
				fprintf(f, " %d", r);
		fprintf(f, "\n");
	}
}

void weft_waitnote_print(FILE *f, const struct weft_waitnote *rank, int n,
			 uint64_t now_ps)
{
	const struct job j = { rank, n };
	bool *done = calloc((size_t)n, sizeof(*done));
	bool *in = calloc((size_t)n, sizeof(*in));
	int left = 0;

	for (int r = 0; r < n; r++)
		left += rank[r].left;
	fprintf(f,
		"deadlock after %.6f us: %d of %d ranks wait, and no "
		"message is in flight\n",
		(double)now_ps * 1e-6, n - left, n);
	for (int r = 0; done && in && r < n; r++)
		if (!done[r])
			print_group(f, &j, r, done, in);
	print_cycle(f, &j);
	free(done);
	free(in);
}
