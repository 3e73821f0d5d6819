/* SPDX-License-Identifier: BSD-3-Clause */
/* Revocation (recover_revoke.h). */
#include "src/recover/recover_revoke.h"

#include "src/base/log.h"
#include "src/core/core_state.h"
#include "src/diag/diag_peer_failure.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_tag.h"
#include "src/offload/offload_route.h"
#include "src/recover/recover_failed.h"
#include "src/recover/recover_members.h"
#include "src/recover/recover_record.h"

#include <errno.h>
#include <stdlib.h>

/* A revocation of a communicator that this process has not created yet. */
struct early {
	struct weft_list link;
	struct weft_recover_key key;
};

static struct weft_list earlies = { &earlies, &earlies };

/* ---- forwarding ---------------------------------------------------------- */

/* Sends the revocation to the first living member from position `at` on. */
static void forward_to(const struct weft_recover_members *m, int at, int step,
		       const struct weft_recover_msg *msg)
{
	for (int i = 0; i < m->n && at != m->me; i++) {
		if (!weft_failed_is(m->proc[at])) {
			weft_recover_msg_send(m->proc[at], msg, NULL);
			return;
		}
		at = (at + step + m->n) % m->n;
	}
}

static void forward(const struct weft_comm *c)
{
	const struct weft_recover_msg msg = { .what = WEFT_RECOVER_REVOKE,
					      .key = weft_recover_key(c) };
	struct weft_recover_members m = weft_recover_members(c);

	for (int dist = 1; dist < m.n; dist <<= 1) {
		forward_to(&m, (m.me + dist) % m.n, 1, &msg);
		forward_to(&m, (m.me - dist + m.n) % m.n, -1, &msg);
	}
	weft_recover_members_close(&m);
}

/* ---- a revoked communicator ---------------------------------------------- */

static void mark(struct weft_comm *c)
{
	c->revoked = true;
	c->reach = 0;
	c->unit_kinds = 0;
	weft_routes_fail(c, ECONNRESET);
	if (c->local)
		mark(c->local);
}

void weft_revoke(struct weft_comm *c)
{
	struct weft_recover_key key;

	if (c->revoked)
		return;
	weft_log(WEFT_LOG_INFO, "communicator %s is revoked", c->name);
	mark(c);
	forward(c);
	key = weft_recover_key(c);
	weft_recover_record(JOB_PAGE_REVOCATION, &key, weft_recover_now_ps());
	weft_progress_attention();
}

static bool is_of(const struct weft_recover_key *key, const struct weft_comm *c)
{
	struct weft_recover_key own = weft_recover_key(c);

	return own.ctx == key->ctx && own.hash == key->hash;
}

void weft_revoke_receive(const struct weft_recover_msg *m)
{
	uint64_t ctx = (uint64_t)m->key.ctx << WEFT_TAG_CTX_SHIFT;
	struct weft_comm *c = weft_comm_list_find(ctx);
	struct early *e;

	if (c && is_of(&m->key, c)) {
		weft_revoke(c);
		return;
	}
	e = c ? NULL : malloc(sizeof(*e));
	if (!e)
		return;
	e->key = m->key;
	weft_list_push_back(&earlies, &e->link);
}

void weft_revoke_new(struct weft_comm *c)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &earlies) {
		struct early *e = weft_container_of(pos, struct early, link);

		if (!is_of(&e->key, c))
			continue;
		weft_list_remove(pos);
		free(e);
		weft_revoke(c);
	}
}

void weft_revoke_close(void)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&earlies)))
		free(weft_container_of(n, struct early, link));
}
