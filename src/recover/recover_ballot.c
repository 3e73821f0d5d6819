/* SPDX-License-Identifier: BSD-3-Clause */
/* Ballots over messages (recover_ballot.h). */
#include "src/recover/recover_ballot.h"

#include "src/base/list.h"
#include "src/base/log.h"
#include "src/boot/boot_abort.h"
#include "src/recover/recover_failed.h"

#include <stdlib.h>
#include <string.h>

/* released ballots that are kept */
#define KEPT	  64
/* messages of ballots that this process has not started yet */
#define EARLY_MAX 100000

struct weft_ballot {
	struct weft_list link;
	struct weft_recover_key key;
	bool released;
	int seen; /* number of failures that were passed to the consensus */
	int n;
	int *proc;
	struct weft_consensus *consensus;
};

/* ballots in progress, oldest first */
static struct weft_list ballots = { &ballots, &ballots };
static int kept; /* released ballots */

/* ---- messages ------------------------------------------------------------ */

static bool key_is(const struct weft_recover_key *a,
		   const struct weft_recover_key *b)
{
	return a->ctx == b->ctx && a->hash == b->hash && a->seq == b->seq;
}

static struct weft_ballot *find(const struct weft_recover_key *key)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &ballots) {
		struct weft_ballot *b =
			weft_container_of(pos, struct weft_ballot, link);

		if (key_is(&b->key, key))
			return b;
	}
	return NULL;
}

static void ballot_send(void *arg, int to, const struct weft_consensus_msg *msg)
{
	const struct weft_ballot *b = arg;
	const struct weft_recover_msg m = {
		.what = WEFT_RECOVER_BALLOT,
		.key = b->key,
		.kind = msg->kind,
		.stamp = msg->stamp,
		.from = (uint32_t)b->consensus->me,
		.words = msg->value ? (uint32_t)b->consensus->words : 0,
	};

	weft_recover_msg_send(b->proc[to], &m, msg->value);
}

static void receive(struct weft_ballot *b, const struct weft_recover_msg *m)
{
	const struct weft_consensus_msg msg = {
		.kind = m->kind,
		.stamp = m->stamp,
		.value = weft_recover_msg_value(m),
	};

	if (m->from >= (uint32_t)b->n ||
	    (m->words && m->words != b->consensus->words) ||
	    !weft_consensus_receive(b->consensus, (int)m->from, &msg))
		weft_log(WEFT_LOG_WARN, "invalid message of an agreement");
}

/* ---- messages that arrive before the ballot has started ------------------ */

struct early {
	struct weft_list link;
	struct weft_recover_msg msg;
};

static struct weft_list earlies = { &earlies, &earlies };
static int early_count;

static void early_add(const struct weft_recover_msg *m)
{
	size_t value = m->words * sizeof(uint64_t);
	struct early *e =
		early_count < EARLY_MAX ? malloc(sizeof(*e) + value) : NULL;

	if (!e)
		weft_core_abort(1, "out of memory for early messages of "
				   "agreements");
	memcpy(&e->msg, m, sizeof(*m) + value);
	weft_list_push_back(&earlies, &e->link);
	early_count++;
}

static void early_deliver(struct weft_ballot *b)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &earlies) {
		struct early *e = weft_container_of(pos, struct early, link);

		if (!key_is(&e->msg.key, &b->key))
			continue;
		weft_list_remove(pos);
		early_count--;
		receive(b, &e->msg);
		free(e);
	}
}

void weft_ballot_receive(const struct weft_recover_msg *m)
{
	struct weft_ballot *b = find(&m->key);

	if (b)
		receive(b, m);
	else
		early_add(m);
}

/* ---- ballots ------------------------------------------------------------- */

static void ballot_free(struct weft_ballot *b)
{
	weft_list_remove(&b->link);
	free(b->consensus);
	free(b->proc);
	free(b);
}

/* Passes new failures to the consensus of the ballot. */
static void advance(struct weft_ballot *b)
{
	for (; b->seen < weft_failed_count(); b->seen++) {
		int proc = weft_failed_proc(b->seen);

		for (int i = 0; i < b->n; i++)
			if (b->proc[i] == proc)
				weft_consensus_dead(b->consensus, i);
	}
}

struct weft_ballot *weft_ballot_start(const struct weft_recover_key *key,
				      const int *proc, int n, int me,
				      const struct weft_ballot_value *value)
{
	struct weft_ballot *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	weft_list_push_back(&ballots, &b->link);
	b->key = *key;
	b->n = n;
	b->proc = malloc((size_t)n * sizeof(*proc));
	b->consensus = malloc(weft_consensus_bytes(n, value->words));
	if (!b->proc || !b->consensus) {
		ballot_free(b);
		return NULL;
	}
	memcpy(b->proc, proc, (size_t)n * sizeof(*proc));
	weft_consensus_init(b->consensus, n, me, value->words, value->word);
	b->consensus->alive = value->alive;
	b->consensus->send = ballot_send;
	b->consensus->arg = b;
	advance(b);
	weft_consensus_start(b->consensus);
	early_deliver(b);
	return b;
}

const uint64_t *weft_ballot_decision(const struct weft_ballot *b)
{
	return b->consensus->decided ? weft_consensus_value(b->consensus)
				     : NULL;
}

void weft_ballot_put(struct weft_ballot *b)
{
	struct weft_list *pos, *tmp;

	b->released = true;
	kept++;
	weft_list_each(pos, tmp, &ballots) {
		b = weft_container_of(pos, struct weft_ballot, link);
		if (kept <= KEPT)
			return;
		if (!b->released)
			continue;
		kept--;
		ballot_free(b);
	}
}

void weft_ballots_advance(void)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &ballots)
		advance(weft_container_of(pos, struct weft_ballot, link));
}

void weft_ballots_close(void)
{
	struct weft_list *n;

	while (!weft_list_empty(&ballots))
		ballot_free(weft_container_of(ballots.next, struct weft_ballot,
					      link));
	kept = 0;
	while ((n = weft_list_pop_front(&earlies)))
		free(weft_container_of(n, struct early, link));
	early_count = 0;
}
