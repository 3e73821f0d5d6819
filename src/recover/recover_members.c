/* SPDX-License-Identifier: BSD-3-Clause */
/* Members and key of a communicator (recover_members.h). */
#include "src/recover/recover_members.h"

#include "src/comm/comm_inter.h"
#include "src/msg/msg_tag.h"

#include <stdlib.h>

struct weft_recover_members weft_recover_members(const struct weft_comm *c)
{
	struct weft_recover_members m = { c->proc, c->size, c->rank, NULL };
	struct weft_comm scratch;

	if (!c->inter)
		return m;
	m.owned = weft_inter_members(c->group, c->remote, &scratch, c->ctx);
	m.proc = m.owned;
	m.n = m.owned ? scratch.size : 0;
	m.me = m.owned ? scratch.rank : 0;
	return m;
}

void weft_recover_members_close(struct weft_recover_members *m)
{
	free(m->owned);
}

/*
 * The hash contains the ranks of the members, unless some are processes of
 * other jobs, whose numbers differ from process to process.
 */
struct weft_recover_key weft_recover_key(const struct weft_comm *c)
{
	struct weft_recover_members m = weft_recover_members(c);
	uint32_t h = 2166136261u ^ (uint32_t)m.n;

	for (int i = 0; i < m.n && !c->foreign; i++)
		h = (h ^ (uint32_t)m.proc[i]) * 16777619u;
	weft_recover_members_close(&m);
	return (struct weft_recover_key){
		.ctx = (uint32_t)(c->ctx >> WEFT_TAG_CTX_SHIFT), .hash = h
	};
}
