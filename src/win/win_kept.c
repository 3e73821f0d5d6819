/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared pages of freed windows; see win_kept.h. */
#include "src/win/win_kept.h"

#include <stdlib.h>
#include <string.h>

static bool same_key(const struct win_kept_key *a, const struct win_kept_key *b)
{
	return a->n == b->n && a->dynamic == b->dynamic &&
	       a->lockless == b->lockless &&
	       !memcmp(a->proc, b->proc, (size_t)a->n * sizeof(*a->proc));
}

static void page_forget(struct win_kept_page *p)
{
	free((int *)(uintptr_t)p->key.proc);
	memset(p, 0, sizeof(*p));
}

static void page_close(struct win_kept_page *p)
{
	if (p->key.proc)
		weft_region_close(&p->region);
	page_forget(p);
}

uint64_t win_kept_take(struct win_kept *k, const struct win_kept_key *key,
		       struct weft_region *region_p)
{
	struct win_kept_page *last = NULL;
	uint64_t token;

	for (int i = 0; i < WIN_KEPT_PAGES; i++) {
		struct win_kept_page *p = &k->page[i];

		if (p->key.proc && same_key(&p->key, key) &&
		    (!last || p->given > last->given))
			last = p;
	}
	if (!last)
		return 0;
	token = last->token;
	*region_p = last->region;
	page_forget(last);
	return token;
}

/* Returns an unused entry, or the one whose page has been kept longest. */
static struct win_kept_page *entry_find(struct win_kept *k)
{
	struct win_kept_page *first = &k->page[0];

	for (int i = 0; i < WIN_KEPT_PAGES; i++) {
		struct win_kept_page *p = &k->page[i];

		if (!p->key.proc)
			return p;
		if (p->given < first->given)
			first = p;
	}
	return first;
}

void win_kept_give(struct win_kept *k, const struct win_kept_key *key,
		   uint64_t token, struct weft_region *region)
{
	size_t bytes = (size_t)key->n * sizeof(*key->proc);
	struct win_kept_page *p = entry_find(k);
	int *proc = malloc(bytes);

	if (!proc) {
		weft_region_close(region);
		return;
	}
	page_close(p);
	memcpy(proc, key->proc, bytes);
	p->key = *key;
	p->key.proc = proc;
	p->region = *region;
	p->token = token;
	p->given = ++k->gives;
}

void win_kept_trim(struct win_kept *k)
{
	for (int i = 0; i < WIN_KEPT_PAGES; i++)
		page_close(&k->page[i]);
}
