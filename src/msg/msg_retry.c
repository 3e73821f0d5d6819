/* SPDX-License-Identifier: BSD-3-Clause */
/* Retry queue (msg_retry.h), used by posts and by the progress loop. */
#include "src/msg/msg_retry.h"

#include "src/msg/msg_progress.h"

#include <errno.h>

struct weft_proc weft_retry_recv_lane;
static struct weft_list queue;
static uint32_t pass;
static uint32_t lanes; /* number of lanes with entries */

void weft_retry_init(void)
{
	weft_list_init(&queue);
	lanes = 0;
}

static void enqueue(struct weft_retry *e)
{
	weft_list_push_back(&queue, &e->link);
	if (e->lane->pend++ == 0)
		lanes++;
	e->lane->addr = FI_ADDR_NOTAVAIL;
	if (!weft_core.pending++)
		weft_progress_recheck();
}

static void dequeue(struct weft_retry *e)
{
	weft_list_remove(&e->link);
	weft_core.pending--;
	if (--e->lane->pend)
		return;
	e->lane->addr = e->lane->real;
	lanes--;
}

int weft_retry_post(struct weft_retry *e)
{
	int rc = -EAGAIN;

	weft_list_init(&e->link);
	if (!e->lane->pend)
		rc = e->post(e);
	if (rc != -EAGAIN)
		return rc;
	enqueue(e);
	return 0;
}

int weft_retry_run(void)
{
	struct weft_list *pos, *tmp;
	uint32_t full = 0;
	int posted = 0;

	pass++;
	weft_list_each(pos, tmp, &queue) {
		struct weft_retry *e =
			weft_container_of(pos, struct weft_retry, link);
		int rc;

		if (full == lanes)
			/*
			 * do not visit all entries behind a full lane, which
			 * may be thousands
			 */
			break;
		if (e->lane->stamp == pass)
			continue;
		rc = e->post(e);
		if (rc == -EAGAIN) {
			e->lane->stamp = pass;
			full++;
			continue;
		}
		dequeue(e);
		posted++;
		e->left(e, rc);
	}
	return posted;
}

bool weft_retry_remove(struct weft_retry *e)
{
	if (!weft_retry_is_queued(e))
		return false;
	dequeue(e);
	return true;
}
