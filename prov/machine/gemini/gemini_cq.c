/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion queues. An event for a full queue is lost; the next event written
 * to the queue has the overrun flag set.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>

void gemini_cq_write(struct weft_gemini *f, unsigned cq, uint8_t source,
		     uint8_t status, uint64_t data)
{
	struct weft_gemini_event e = {
		.data = data,
		.source = source,
		.status = status,
	};
	struct gemini_cq *q;

	if (cq >= WEFT_GEMINI_CQS || !f->cq[cq].ring)
		return;
	q = &f->cq[cq];
	if (q->tail - q->head > q->mask) {
		q->overrun = true;
		return;
	}
	e.overrun = q->overrun;
	q->overrun = false;
	q->ring[q->tail++ & q->mask] = gemini_entry(&e);
}

WEFT_EXPORT int weft_gemini_cq_open(struct weft_gemini *f, uint32_t entries,
				    unsigned *cq_p)
{
	unsigned i = 0;

	if (!entries || (entries & (entries - 1)) || entries > 1u << 29)
		return -EINVAL;
	while (i < WEFT_GEMINI_CQS && f->cq[i].ring)
		i++;
	if (i == WEFT_GEMINI_CQS)
		return -ENOSPC;
	f->cq[i] = (struct gemini_cq){ .mask = entries - 1 };
	f->cq[i].ring = calloc(entries, sizeof(uint64_t));
	if (!f->cq[i].ring)
		return -ENOMEM;
	*cq_p = i;
	return 0;
}

WEFT_EXPORT int weft_gemini_cq_close(struct weft_gemini *f, unsigned cq)
{
	if (cq >= WEFT_GEMINI_CQS || !f->cq[cq].ring)
		return -EINVAL;
	free(f->cq[cq].ring);
	f->cq[cq].ring = NULL;
	return 0;
}

WEFT_EXPORT int weft_gemini_cq_read(struct weft_gemini *f, unsigned cq,
				    struct weft_gemini_event *ev)
{
	struct gemini_cq *q;

	if (cq >= WEFT_GEMINI_CQS || !f->cq[cq].ring)
		return -EINVAL;
	q = &f->cq[cq];
	if (q->head != q->tail) {
		gemini_entry_read(q->ring[q->head++ & q->mask], ev);
		return 0;
	}
	return -EAGAIN;
}
