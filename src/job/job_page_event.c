/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of recovery in the job status page (job_page.h): a hash table with
 * open addressing, whose key is the event's number. An entry is found or
 * claimed by one compare-and-swap; its times are minima and maxima.
 */
#include "src/job/job_page.h"

static uint64_t key_of(const struct weft_job_page_event *e)
{
	uint64_t h = (e->number + 1) * UINT64_C(0x9e3779b97f4a7c15);

	h ^= h >> 29;
	h *= UINT64_C(0xbf58476d1ce4e5b9);
	return (h ^ h >> 32) << 8 | (unsigned)e->kind;
}

/* Returns the entry of an event; NULL: the table is full. */
static struct job_page_event *entry_of(struct job_page_event *table,
				       uint64_t key)
{
	for (unsigned i = 0; i < JOB_PAGE_EVENTS; i++) {
		struct job_page_event *e =
			&table[((key >> 8) + i) % JOB_PAGE_EVENTS];
		uint64_t old = weft_load64(&e->key);

		if (old == key)
			return e;
		if (!old && (weft_cas64(&e->key, &old, key) || old == key))
			return e;
	}
	return NULL;
}

/*
 * Lowers (or raises) a stored time to ps; the stored value is the time plus 1.
 */
static void limit(weft_au64 *word, uint64_t ps, bool lowest)
{
	uint64_t old = weft_load64(word);

	while ((!old || (lowest ? ps + 1 < old : ps + 1 > old)) &&
	       !weft_cas64(word, &old, ps + 1))
		;
}

void weft_job_page_event_add(struct weft_job_page *r,
			     const struct weft_job_page_event *e)
{
	struct job_page_event *table = r ? weft_job_page_events(r) : NULL;
	struct job_page_event *x = table ? entry_of(table, key_of(e)) : NULL;

	if (!x)
		return;
	limit(&x->begin_ps, e->begin_ps, true);
	limit(&x->end_ps, e->end_ps, false);
	limit(&x->first_end_ps, e->end_ps, true);
	weft_store64(&x->detail, e->rank);
	if (e->at_ps)
		weft_store64(&x->at_ps, e->at_ps + 1);
	weft_add32(&x->members, 1);
}
