/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's request to start further ranks; vt_spawn.c contains the engine's
 * part.
 */
#include "prov/vt/vt.h"

#include <stdio.h>
#include <unistd.h>

static bool is_answered(const struct vt *v)
{
	return weft_load32(&v->w->cold_of[v->rank].spawn.state) ==
	       VT_SPAWN_STARTED;
}

static int request(struct vt *v, uint32_t count)
{
	uint32_t i = vt_buf_get(v);
	struct vt_buf *b;
	int ret = -EAGAIN;

	if (i == VT_NONE)
		return -EAGAIN;
	vt_enter(v);
	b = vt_buf(v->w, i);
	b->kind = VT_SPAWN;
	b->more = 0;
	b->from = v->rank;
	b->to = count;
	b->stamp = vt_time(v);
	v->last_to = VT_NONE;
	weft_store32(&v->w->cold_of[v->rank].spawn.state, VT_SPAWN_REQUESTED);
	vt_post(v, i);
	/* if the rank has several threads, they must not be blocked together */
	if (!v->threads)
		ret = vt_block_until(v, is_answered);
	vt_exit(v);
	return ret;
}

int weft_vt_spawn(struct weft_carrier *c, uint32_t count, uint32_t *first_p)
{
	struct vt *v = vt_of(c);
	struct vt_spawn *s = &v->w->cold_of[v->rank].spawn;
	uint32_t first;
	int ret;

	if (v->out)
		return -ESHUTDOWN;
	if (!count || count > v->w->size - v->w->initial)
		return -ENOSPC;
	if (weft_load32(&s->state) == VT_SPAWN_IDLE)
		ret = request(v, count);
	else
		ret = vt_verdict(c);
	if (ret || !is_answered(v))
		return ret ? ret : -EAGAIN;
	first = s->first;
	weft_store32(&s->state, VT_SPAWN_IDLE);
	if (first == VT_NONE)
		return -ENOSPC;
	if (first < v->w->initial || first > v->w->size - count) {
		vt_mark_broken(v);
		return -EOWNERDEAD;
	}
	*first_p = first;
	return 0;
}

/*
 * Cancels started ranks for which there will be no process. The caller is a
 * running rank, so the count of running ranks does not become zero here.
 */
void weft_vt_spawn_cancel(struct weft_carrier *c, uint32_t first,
			  uint32_t count)
{
	struct weft_vt *w = vt_of(c)->w;

	for (uint32_t i = first; i < w->size && i - first < count; i++) {
		uint32_t run = WEFT_VT_RUN;

		if (!weft_load32(&w->rank_of[i].pid) &&
		    weft_cas32(&w->rank_of[i].status, &run, WEFT_VT_LEFT))
			weft_add32(&w->head->running, (uint32_t)-1);
	}
}

int weft_vt_handle(const struct weft_vt *w, char handle[WEFT_VT_HANDLE])
{
	if (w->region.fd < 0)
		return -ENOSPC;
	snprintf(handle, WEFT_VT_HANDLE, "vt %d %d", (int)getpid(),
		 w->region.fd);
	return 0;
}

uint64_t weft_vt_id(const struct weft_vt *w)
{
	return w->head->id;
}

uint32_t weft_vt_spare(const struct weft_vt *w)
{
	return w->size - w->initial;
}
