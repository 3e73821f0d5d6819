/* SPDX-License-Identifier: BSD-3-Clause */
/* PMIx data between the hosts of a job (run_exchange.h). */
#include "src/tools/run/daemon/run_exchange.h"

#include <errno.h>
#include <limits.h>
#include <pmix_common.h>

int run_exchange_fence(struct run_exchange *x, int from, struct run_scan *body)
{
	struct run_fence *done;
	struct run_bytes b = { 0 };
	int rc = run_fence_arrive(&x->fences, x->layout, from, body, &done);

	if (rc <= 0)
		return rc;
	run_fence_write(done, &b);
	for (int i = 0; i < done->nhosts; i++)
		if (done->host[i].member)
			run_channel_put_bytes(&x->host[i].channel,
					      RUN_FRAME_FENCE_DONE, &b);
	rc = b.lost ? -ENOMEM : 1;
	run_bytes_free(&b);
	run_fence_free(done);
	return rc;
}

/* Refuses a request for the data of a rank whose host has left the job. */
static int refuse_question(struct run_exchange *x, int from, uint32_t id)
{
	struct run_bytes b = { 0 };

	run_bytes_u32(&b, id);
	run_bytes_u32(&b, (uint32_t)PMIX_ERR_NOT_FOUND);
	run_bytes_block(&b, "", 0);
	run_channel_put_bytes(&x->host[from].channel, RUN_FRAME_MODEX_DONE, &b);
	run_bytes_free(&b);
	return 0;
}

/* Forwards a request for the data of a rank to the rank's host. */
int run_exchange_question(struct run_exchange *x, int from,
			  struct run_scan *body)
{
	uint32_t id = run_scan_u32(body), rank = run_scan_u32(body);
	struct run_bytes b = { 0 };
	int to = body->bad || rank > INT_MAX
			 ? -1
			 : run_layout_host_of(x->layout, (int)rank);

	if (to < 0)
		return -EPROTO;
	if (x->host[to].state >= RUN_LINK_DONE)
		return refuse_question(x, from, id);
	run_bytes_u32(&b, (uint32_t)from);
	run_bytes_u32(&b, id);
	run_bytes_u32(&b, rank);
	run_channel_put_bytes(&x->host[to].channel, RUN_FRAME_MODEX, &b);
	run_bytes_free(&b);
	return 0;
}

int run_exchange_answer(struct run_exchange *x, struct run_scan *body)
{
	uint32_t to = run_scan_u32(body);

	if (body->bad || to >= (uint32_t)x->layout->nhosts)
		return -EPROTO;
	run_channel_put(&x->host[to].channel, RUN_FRAME_MODEX_DONE, body->at,
			body->left);
	return 0;
}

void run_exchange_close(struct run_exchange *x)
{
	struct run_fence *f;

	while ((f = x->fences.list)) {
		x->fences.list = f->next;
		run_fence_free(f);
	}
}
