/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deadlock report: writing notes about requests, and the report from the notes
 * of all ranks.
 */
#include "src/diag/diag_deadlock.h"

#include "src/boot/boot_abort.h"
#include "src/boot/boot_foreign.h"
#include "src/diag/diag_call.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/diag/diag_wait_note.h"
#include "src/diag/diag_trace.h"

#include <rdma/fi_ext_weft.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static_assert(sizeof(((struct fi_weft_note *)0)->text) >= WEFT_WAIT_NOTE_BYTES,
	      "WEFT_WAIT_NOTE_BYTES fit into fi_weft_note");

enum {
	EXIT_DEADLOCK = 35, /* exit status: EDEADLK, which is 35 on all
			       supported hosts */
	/* time to wait for the rank that prints the report, in seconds */
	GRACE_S = 10,
};

/* ---- description of one request ------------------------------------------ */

static void describe_comm(const struct weft_comm *c,
			  struct weft_waitnote_item *i)
{
	i->ctx = (uint32_t)(c->ctx >> WEFT_TAG_CTX_SHIFT);
	if (c->name[0])
		snprintf(i->comm, sizeof(i->comm), "%.*s",
			 WEFT_WAIT_NOTE_NAME - 1, c->name);
	else
		snprintf(i->comm, sizeof(i->comm), "communicator %u", i->ctx);
}

/* Returns the rank of a peer in the world; the report uses these ranks. */
static int rank_of(const struct weft_comm *c, int peer)
{
	return weft_foreign_rank(c->proc[peer]);
}

/* Lists the members for which a rank waits, as ranges. */
static void list_members(const struct weft_comm *c, char *list, size_t size)
{
	size_t pos = 0;
	int k, from;

	for (k = 0; k < c->peers && pos < size; k++) {
		for (from = k;
		     k + 1 < c->peers && rank_of(c, k + 1) == rank_of(c, k) + 1;
		     k++)
			;
		pos += (size_t)snprintf(
			list + pos, size - pos, k > from ? "%s%d-%d" : "%s%d",
			pos ? "," : "", rank_of(c, from), rank_of(c, k));
	}
	if (pos >= size)
		list[0] = '\0';
}

/*
 * Describes the members as a range with a constant step if possible, otherwise
 * as a list; for an intercommunicator, describes the members of the remote
 * group.
 */
static void describe_members(const struct weft_comm *c,
			     struct weft_waitnote_item *i)
{
	int step = c->peers > 1 ? rank_of(c, 1) - rank_of(c, 0) : 1;

	i->first = rank_of(c, 0);
	i->last = rank_of(c, c->peers - 1);
	for (int k = 2; k < c->peers; k++)
		if (rank_of(c, k) - rank_of(c, k - 1) != step)
			step = 0;
	i->step = c->inter || step < 0 ? 0 : step;
	if (!i->step)
		list_members(c, i->list, sizeof(i->list));
}

/*
 * Describes a collective. seq: number of the collective, which is equal in all
 * members.
 */
static void describe_coll(const struct weft_comm *c, int seq,
			  struct weft_waitnote_item *i)
{
	*i = (struct weft_waitnote_item){ .kind = WEFT_WAIT_COLL, .tag = seq };
	describe_comm(c, i);
	describe_members(c, i);
}

static void describe_msg(const struct weft_p2p *p, struct weft_waitnote_item *i)
{
	const struct weft_comm *c = p->req.comm;
	bool sends = p->req.flags & WEFT_REQ_SEND;
	bool any = p->peer < 0 || p->peer >= c->peers;

	if (weft_p2p_kind(p->mode) == WEFT_CTX_COLL) {
		describe_coll(c, weft_tag_tag(p->word), i);
		return;
	}
	*i = (struct weft_waitnote_item){
		.kind = sends ? WEFT_WAIT_SEND : WEFT_WAIT_RECV,
		.peer = any ? WEFT_WAIT_ANY : rank_of(c, p->peer),
		.tag = !sends && p->ignore & WEFT_TAG_MASK
			       ? WEFT_WAIT_ANY
			       : weft_tag_tag(p->word),
	};
	describe_comm(c, i);
}

static bool is_coll(const struct weft_req *r)
{
	return !strcmp(r->ops->name, "collective") ||
	       !strcmp(r->ops->name, "context agreement") ||
	       !strcmp(r->ops->name, "communicator duplicate");
}

static bool describe_req(const struct weft_req *r, struct weft_waitnote_item *i)
{
	if (!r->ops || !strcmp(r->ops->name, "message"))
		describe_msg(weft_container_of(r, struct weft_p2p, req), i);
	else if (is_coll(r))
		/*
		 * if several collectives are in flight, report the last one
		 * started
		 */
		describe_coll(r->comm, (int)weft_load32(&r->comm->coll_seq) - 1,
			      i);
	else
		return false;
	return true;
}

/* ---- description of all requests ----------------------------------------- */

/*
 * Returns whether the collective is already listed; a collective may have
 * several outstanding requests.
 */
static bool is_listed(const struct weft_waitnote *s,
		      const struct weft_waitnote_item *i)
{
	for (int k = 0; k < s->nitems && i->kind == WEFT_WAIT_COLL; k++)
		if (s->item[k].kind == i->kind && s->item[k].ctx == i->ctx &&
		    s->item[k].tag == i->tag)
			return true;
	return false;
}

static void add_item(struct weft_waitnote *s,
		     const struct weft_waitnote_item *i)
{
	if (is_listed(s, i))
		return;
	if (s->nitems < WEFT_WAIT_NOTE_ITEMS)
		s->item[s->nitems++] = *i;
	else
		s->more++;
}

static void add_coll(struct weft_waitnote *s, const struct weft_idle *w)
{
	struct weft_waitnote_item i;

	describe_coll(w->comm, w->seq, &i);
	add_item(s, &i);
}

/*
 * Describes in *s the waits of the blocked threads, which are linked by `next`
 * from `first` on.
 */
static void describe(const struct weft_idle *first, struct weft_waitnote *s)
{
	char call[96];

	memset(s, 0, sizeof(*s));
	snprintf(s->call, sizeof(s->call), "%.*s", WEFT_WAIT_NOTE_NAME - 1,
		 weft_call_text(call, sizeof(call)));
	/*
	 * if several threads are in calls, keep only the first name, up to the
	 * comma
	 */
	s->call[strcspn(s->call, ",")] = '\0';
	if (weft_core.world)
		s->world_seq = (int)weft_load32(&weft_core.world->coll_seq);
	for (; first; first = first->next) {
		s->any |= first->any;
		if (first->comm)
			add_coll(s, first);
		for (int k = 0; k < first->nreq; k++) {
			const struct weft_req *r =
				weft_obj_of(first->req[k], WEFT_KIND_REQ);

			/*
			 * a request without communicator is part of a
			 * collective that is already listed
			 */
			if (r && r->comm && r->flags & WEFT_REQ_ACTIVE &&
			    !weft_req_is_done(r)) {
				struct weft_waitnote_item i;

				if (describe_req(r, &i))
					add_item(s, &i);
				else
					s->more++;
			}
		}
	}
}

/* ---- deadlock report ----------------------------------------------------- */

/*
 * Reads the notes of all ranks. Sets *now_p to the latest of the ranks' clocks.
 */
static struct weft_waitnote *read_notes(const struct fi_weft_world *world,
					int n, uint64_t *now_p)
{
	struct weft_waitnote *all = calloc((size_t)n, sizeof(*all));
	struct fi_weft_note note;

	*now_p = 0;
	for (int r = 0; all && r < n; r++) {
		memset(&note, 0, sizeof(note));
		if (world->read(&weft_core.domain->fid, (uint32_t)r, &note))
			continue;
		note.text[sizeof(note.text) - 1] = '\0';
		weft_waitnote_read(&all[r], note.text);
		all[r].left = !note.waits;
		if (note.clock_ps > *now_p)
			*now_p = note.clock_ps;
	}
	return all;
}

static void trace_deadlock(const struct weft_waitnote *all, int n, uint64_t now,
			   const char *report_text)
{
	char when[24];
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f)
		weft_waitnote_graph(f, all, n);
	if (f)
		fclose(f);
	weft_trace_note("deadlock", report_text);
	snprintf(when, sizeof(when), "%llu", (unsigned long long)now);
	weft_trace_note("end", when);
	if (text)
		weft_trace_note("waits", text);
	free(text);
}

/* Returns the number of ranks, including those of spawned jobs. */
static int count_ranks(const struct fi_weft_world *world)
{
	struct fi_weft_note note;
	int n = 0;

	while (!world->read(&weft_core.domain->fid, (uint32_t)n, &note))
		n++;
	return n;
}

/*
 * Prints the report with one call, so that other output is not mixed into it.
 * The ranks of spawned jobs follow those of the first job.
 */
static void print_report(const struct fi_weft_world *world)
{
	int n = count_ranks(world);
	uint64_t now;
	struct weft_waitnote *all = read_notes(world, n, &now);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f && all) {
		fprintf(f, "weft: ");
		weft_waitnote_print(f, all, n, now);
	}
	if (f)
		fclose(f);
	if (text)
		fputs(text, stderr);
	fflush(stderr);
	if (text && all && weft_traced())
		trace_deadlock(all, n, now, text);
	free(text);
	free(all);
}

void weft_deadlock_report(const struct weft_idle *first)
{
	struct fi_weft_world *world = NULL;
	struct fid *domain = &weft_core.domain->fid;
	struct weft_waitnote me;
	char note[WEFT_WAIT_NOTE_BYTES];

	if (fi_open_ops(domain, FI_WEFT_WORLD, 0, (void **)&world, NULL))
		weft_core_abort(EXIT_DEADLOCK, "deadlock: all ranks wait");
	describe(first, &me);
	fflush(stdout);
	if (!world->note(domain, me.nitems ? me.item[0].peer : -1,
			 weft_waitnote_write(&me, note))) {
		print_report(world);
		weft_core_exit_job(EXIT_DEADLOCK,
				   "deadlock: every rank waits for another");
	}
	/* Wait while another rank prints the report and ends the job. */
	sleep(GRACE_S);
	_exit(EXIT_DEADLOCK);
}

static const struct weft_watcher watcher = { .stuck = weft_deadlock_report };

void weft_deadlock_open(void)
{
	weft_progress_add_watcher(&watcher);
}
