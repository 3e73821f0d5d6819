/* SPDX-License-Identifier: BSD-3-Clause */
/* Session objects (comm_session.h). */
#include "src/comm/comm_session.h"

#include "src/types/types_info.h"

#include <stdlib.h>

struct weft_session *weft_session_new(struct weft_errh *errh,
				      struct weft_info *info)
{
	struct weft_session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	weft_obj_init(&s->head.obj, WEFT_KIND_SESSION);
	s->head.errh = weft_errh_get(errh);
	s->info = info;
	return s;
}

struct weft_session *weft_session_get(struct weft_session *s)
{
	if (s)
		weft_obj_get(&s->head.obj);
	return s;
}

void weft_session_put(struct weft_session *s)
{
	if (!s || !weft_obj_put(&s->head.obj))
		return;
	weft_errh_put(s->head.errh);
	weft_info_close(s->info);
	s->head.obj.kind = WEFT_KIND_FREE;
	free(s);
}

void weft_session_errhandler_set(struct weft_session *s, struct weft_errh *h)
{
	struct weft_errh *old = s->head.errh;

	s->head.errh = weft_errh_get(h);
	weft_errh_put(old);
}
