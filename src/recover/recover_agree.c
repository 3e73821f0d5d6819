/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement and shrink (recover_agree.h): requests that wait for a ballot,
 * whose value is
 *
 *   1 word            flag; bit 32: all unused context ids are offered
 *   WEFT_CTX_WINDOW   unused context ids, one bit each; shrink only
 *   n bits            living members, in whole words
 *   n bits            members whose failure is acknowledged
 */
#include "src/recover/recover_agree.h"

#include "src/boot/boot_abort.h"
#include "src/comm/comm_context.h"
#include "src/comm/comm_inter.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"
#include "src/msg/msg_wait.h"
#include "src/recover/recover_ballot.h"
#include "src/recover/recover_failed.h"
#include "src/recover/recover_members.h"
#include "src/recover/recover_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* first word of the context ids of shrunk communicators */
#define FIRST_WORD  (WEFT_CTX_WORDS - WEFT_CTX_WINDOW)
#define ALL_OFFERED (UINT64_C(1) << 32)

struct agreement {
	struct weft_req req;
	struct weft_comm *comm; /* holds one reference */
	struct weft_ballot *ballot;
	struct weft_recover_key key; /* key of the ballot */
	uint64_t begin_ps;
	bool shrinks;
	int *flag; /* agree: the flag, input and result */
	/* shrink */
	uint64_t offer[WEFT_CTX_WINDOW]; /* ids that this process offers */
	void (*ready)(void *arg, struct weft_comm *made);
	void *arg;
};

/* ids that shrinks in progress offer; each id is offered by one of them */
static uint64_t offered[WEFT_CTX_WINDOW];

/* ---- the value ----------------------------------------------------------- */

/* Positions of the parts of a value. */
struct parts {
	size_t ids, alive, acked, words;
};

static struct parts parts_of(int n, bool shrinks)
{
	size_t bits = ((size_t)n + 63) / 64;
	struct parts p = { .ids = 1 };

	p.alive = p.ids + (shrinks ? WEFT_CTX_WINDOW : 0);
	p.acked = p.alive + bits;
	p.words = p.acked + bits;
	return p;
}

static bool bit_of(const uint64_t *words, int i)
{
	return words[i / 64] >> i % 64 & 1;
}

/* Inverts the bits of the members that are among the first `count` failures. */
static void invert_failed(uint64_t *words, const struct weft_recover_members *m,
			  int count)
{
	for (int k = 0; k < count; k++)
		for (int i = 0; i < m->n; i++)
			if (m->proc[i] == weft_failed_proc(k))
				words[i / 64] ^= UINT64_C(1) << i % 64;
}

static void fill_ids(struct agreement *a, uint64_t *value)
{
	bool all = true;

	weft_ctx_unused(FIRST_WORD, a->offer);
	for (int i = 0; i < WEFT_CTX_WINDOW; i++) {
		all = all && !offered[i];
		a->offer[i] &= ~offered[i];
		offered[i] |= a->offer[i];
		value[1 + i] = a->offer[i];
	}
	if (!all)
		value[0] &= ~ALL_OFFERED;
}

static void withdraw_ids(struct agreement *a)
{
	for (int i = 0; i < WEFT_CTX_WINDOW; i++)
		offered[i] &= ~a->offer[i];
	memset(a->offer, 0, sizeof(a->offer));
}

/* Starts the ballot. Requires the lock. Returns 0 or -ENOMEM. */
static int ballot_begin(struct agreement *a)
{
	struct weft_recover_members m = weft_recover_members(a->comm);
	struct weft_recover_key key = weft_recover_key(a->comm);
	struct parts at = parts_of(m.n, a->shrinks);
	uint64_t *value = malloc(at.words * sizeof(*value));

	a->ballot = NULL;
	if (value && m.n) {
		weft_failed_update();
		memset(value, 0xff, at.words * sizeof(*value));
		if (a->flag)
			value[0] = ALL_OFFERED | (uint32_t)*a->flag;
		if (a->shrinks)
			fill_ids(a, value);
		invert_failed(value + at.alive, &m, weft_failed_count());
		memset(value + at.acked, 0,
		       (at.words - at.acked) * sizeof(*value));
		invert_failed(value + at.acked, &m, a->comm->acked);
		key.seq = a->comm->ballots++;
		a->key = key;
		a->ballot = weft_ballot_start(
			&key, m.proc, m.n, m.me,
			&(struct weft_ballot_value){ .word = value,
						     .words = at.words,
						     .alive = at.alive });
	}
	free(value);
	weft_recover_members_close(&m);
	return a->ballot ? 0 : -ENOMEM;
}

/*
 * Records the failures that a decision contains. Returns whether a failure is
 * not acknowledged by all members. Requires the lock.
 */
static bool decision_read(const struct agreement *a, const uint64_t *value)
{
	struct weft_recover_members m = weft_recover_members(a->comm);
	struct parts at = parts_of(m.n, a->shrinks);
	bool unacked = false;

	for (int i = 0; i < m.n; i++) {
		if (bit_of(value + at.alive, i))
			continue;
		if (i == m.me)
			weft_core_abort(1, "the other processes regard this "
					   "process as failed");
		weft_failed_add(m.proc[i]);
		unacked = unacked || !bit_of(value + at.acked, i);
	}
	weft_recover_members_close(&m);
	return unacked;
}

/* ---- shrink -------------------------------------------------------------- */

/* Returns the group without the failed processes of the decision. */
static struct weft_group *survivors(const struct weft_group *g,
				    const struct agreement *a,
				    const uint64_t *value)
{
	struct weft_recover_members m = weft_recover_members(a->comm);
	const uint64_t *alive = value + parts_of(m.n, true).alive;
	struct weft_group *made = weft_group_new(g->size);
	int n = 0;

	for (int i = 0; made && i < g->size; i++)
		for (int k = 0; k < m.n; k++)
			if (m.proc[k] == g->proc[i] && bit_of(alive, k))
				made->proc[n++] = g->proc[i];
	weft_recover_members_close(&m);
	if (!made)
		return NULL;
	made->size = n;
	weft_group_ready(made);
	return made;
}

/*
 * Takes the lowest context ids that all members offer. Returns false if there
 * are too few.
 */
static bool ids_take(const uint64_t *value, int count, unsigned *ids)
{
	int n = 0;

	for (unsigned i = 0; i < WEFT_CTX_WINDOW; i++)
		for (uint64_t left = value[1 + i]; left && n < count;
		     left &= left - 1)
			ids[n++] = (FIRST_WORD + i) * 64 +
				   (unsigned)__builtin_ctzll(left);
	if (n < count)
		return false;
	while (n--)
		weft_ctx_use(ids[n]);
	return true;
}

static int shrink_create(struct agreement *a, const uint64_t *value,
			 const unsigned *ids, struct weft_comm **made_p)
{
	struct weft_comm *c = a->comm;
	struct weft_group *group = survivors(c->group, a, value);
	struct weft_group *remote =
		c->remote ? survivors(c->remote, a, value) : NULL;

	if (!group || (c->remote && !remote)) {
		weft_group_put(group);
		weft_group_put(remote);
		return -ENOMEM;
	}
	if (!c->remote)
		return weft_comm_create(c, group, NULL, ids[0], made_p);
	return weft_inter_create(c, group, remote, ids, made_p);
}

/*
 * Ends a ballot of a shrink. Returns 1: done; 0: another ballot was started;
 * -errno.
 */
static int shrink_end(struct agreement *a, const uint64_t *decision)
{
	struct weft_comm *made = NULL;
	unsigned ids[2];
	int rc;

	weft_lock();
	decision_read(a, decision);
	withdraw_ids(a);
	if (!ids_take(decision, a->comm->inter ? 2 : 1, ids)) {
		weft_ballot_put(a->ballot);
		rc = decision[0] & ALL_OFFERED ? -ENOSPC : ballot_begin(a);
		weft_unlock();
		return rc;
	}
	weft_unlock();
	rc = shrink_create(a, decision, ids, &made);
	weft_lock();
	weft_ballot_put(a->ballot);
	weft_unlock();
	if (rc)
		return rc;
	weft_recover_record(JOB_PAGE_SHRINK, &a->key, a->begin_ps);
	a->ready(a->arg, made);
	return 1;
}

/* ---- requests ------------------------------------------------------------ */

static int agree_end(struct agreement *a, const uint64_t *decision)
{
	bool unacked;

	weft_lock();
	*a->flag = (int)(uint32_t)*decision;
	unacked = decision_read(a, decision);
	weft_ballot_put(a->ballot);
	weft_unlock();
	weft_recover_record(JOB_PAGE_AGREEMENT, &a->key, a->begin_ps);
	return unacked ? -EHOSTDOWN : 1;
}

static int agreement_step(struct weft_req *r)
{
	struct agreement *a = weft_container_of(r, struct agreement, req);
	const uint64_t *decision;

	weft_lock();
	weft_ballots_advance();
	decision = weft_ballot_decision(a->ballot);
	weft_unlock();
	if (!decision)
		return 0;
	return a->shrinks ? shrink_end(a, decision) : agree_end(a, decision);
}

static void agreement_free(struct weft_req *r)
{
	struct agreement *a = weft_container_of(r, struct agreement, req);

	weft_comm_put(a->comm);
	r->obj.kind = WEFT_KIND_FREE;
	free(a);
}

static const struct weft_req_ops agreement_ops = {
	.name = "agreement",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = agreement_step,
	.query = weft_req_no_query,
	.free = agreement_free,
};

static struct agreement *agreement_new(struct weft_comm *c)
{
	struct agreement *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	weft_req_init(&a->req, &agreement_ops, c,
		      WEFT_REQ_ACTIVE | WEFT_REQ_SEND);
	weft_comm_get(c);
	a->comm = c;
	return a;
}

/* Starts an agreement; a may be NULL: no memory. */
static int agreement_start(struct agreement *a, struct weft_req **req_p)
{
	int rc = -ENOMEM;

	if (!a)
		return rc;
	a->begin_ps = weft_recover_now_ps();
	weft_lock();
	rc = ballot_begin(a);
	weft_unlock();
	if (rc) {
		agreement_free(&a->req);
		return rc;
	}
	*req_p = &a->req;
	weft_progress_add(&a->req);
	return 0;
}

int weft_recover_iagree(struct weft_comm *c, int *flag, struct weft_req **req_p)
{
	struct agreement *a = agreement_new(c);

	if (a)
		a->flag = flag;
	return agreement_start(a, req_p);
}

int weft_recover_agree(struct weft_comm *c, int *flag)
{
	struct weft_req *r;
	int rc = weft_recover_iagree(c, flag, &r);

	return rc ? rc : weft_req_finish(r);
}

int weft_recover_ishrink(struct weft_comm *c,
			 void (*ready)(void *arg, struct weft_comm *made),
			 void *arg, struct weft_req **req_p)
{
	struct agreement *a = agreement_new(c);

	if (a) {
		a->shrinks = true;
		a->ready = ready;
		a->arg = arg;
	}
	return agreement_start(a, req_p);
}

static void set_comm(void *arg, struct weft_comm *made)
{
	*(struct weft_comm **)arg = made;
}

int weft_recover_shrink(struct weft_comm *c, struct weft_comm **comm_p)
{
	struct weft_req *r;
	int rc = weft_recover_ishrink(c, set_comm, comm_p, &r);

	return rc ? rc : weft_req_finish(r);
}
