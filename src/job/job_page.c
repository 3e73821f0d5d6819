/* SPDX-License-Identifier: BSD-3-Clause */
/* Job status page (job_page.h); job_page_layout.h has the layout. */
#include "src/job/job_page.h"
#include "src/base/must.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t members_offset(void)
{
	return sizeof(struct job_page_head) +
	       JOB_PAGE_NAMES * sizeof(struct job_page_name);
}

static size_t tallies_offset(uint32_t members)
{
	return members_offset() + members * sizeof(struct job_page_member);
}

static size_t text_offset(uint32_t members)
{
	return tallies_offset(members) +
	       (size_t)members * JOB_PAGE_NAMES * sizeof(struct job_page_tally);
}

static size_t events_offset(uint32_t members)
{
	return text_offset(members) + JOB_PAGE_TEXT;
}

static size_t page_bytes_of(uint32_t members, bool counted)
{
	return counted ? events_offset(members) +
				 JOB_PAGE_EVENTS * sizeof(struct job_page_event)
		       : tallies_offset(members);
}

static void *page_addr(const struct weft_job_page *r, size_t offset)
{
	return (char *)r->region.base + offset;
}

int weft_job_page_open(struct weft_job_page *r, uint32_t members, bool counted)
{
	size_t bytes = page_bytes_of(members, counted);
	int err;

	memset(r, 0, sizeof(*r));
	r->region.fd = -1;
	err = weft_region_open(&r->region, "weft-job-page", bytes);
	if (err)
		return err;
	r->head = r->region.base;
	r->members = members;
	r->counted = counted;
	r->head->bytes = bytes;
	r->head->members = members;
	r->head->counted = counted;
	r->head->version = JOB_PAGE_VERSION;
	r->head->magic = JOB_PAGE_MAGIC;
	return 0;
}

int weft_job_page_attach(struct weft_job_page *r, int fd)
{
	const struct job_page_head *h;
	int err;

	memset(r, 0, sizeof(*r));
	err = weft_region_attach(&r->region, fd, members_offset());
	if (err)
		return err;
	h = r->head = r->region.base;
	r->members = h->members;
	r->counted = h->counted;
	if (h->magic == JOB_PAGE_MAGIC && h->version == JOB_PAGE_VERSION &&
	    h->bytes == page_bytes_of(r->members, r->counted) &&
	    h->bytes <= r->region.bytes)
		return 0;
	weft_job_page_close(r);
	return -EINVAL;
}

uint32_t weft_job_page_other(int fd)
{
	struct {
		uint32_t magic;
		uint32_t version;
	} h;

	static_assert(offsetof(struct job_page_head, magic) == 0 &&
			      offsetof(struct job_page_head, version) == 4,
		      "the same in all versions");
	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    h.magic != JOB_PAGE_MAGIC || h.version == JOB_PAGE_VERSION)
		return 0;
	return h.version;
}

void weft_job_page_close(struct weft_job_page *r)
{
	weft_region_close(&r->region);
	r->head = NULL;
	r->members = 0;
}

struct job_page_event *weft_job_page_events(const struct weft_job_page *r)
{
	return r->head && r->counted ? page_addr(r, events_offset(r->members))
				     : NULL;
}

/* yields before the writer of a name is considered dead */
#define JOB_PAGE_NAME_YIELDS 10000

static struct job_page_name *name_slot(const struct weft_job_page *r,
				       uint32_t id)
{
	return (struct job_page_name *)page_addr(r,
						 sizeof(struct job_page_head)) +
	       id;
}

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 16;
}

/*
 * Waits while another process writes the name. Returns false if that process
 * has died before it finished.
 */
static bool is_ready(const struct job_page_name *n)
{
	/* A0 pairs with R0 in claim(): a READY text is complete */
	for (int i = 0; weft_load32(&n->state) == JOB_PAGE_WRITING; i++) {
		if (i == JOB_PAGE_NAME_YIELDS)
			return false;
		sched_yield();
	}
	return weft_load32(&n->state) == JOB_PAGE_READY;
}

/*
 * Claims the slot if it is free. Returns whether the slot now holds the name,
 * written by this process or another.
 */
static bool claim(struct job_page_name *n, const char *name)
{
	uint32_t free_state = JOB_PAGE_FREE;

	if (weft_load32(&n->state) != JOB_PAGE_FREE ||
	    !weft_cas32(&n->state, &free_state, JOB_PAGE_WRITING))
		return is_ready(n) &&
		       !strncmp(n->text, name, JOB_PAGE_NAME - 1);
	snprintf(n->text, JOB_PAGE_NAME, "%s", name);
	/* R0 pairs with A0 in is_ready() and weft_job_page_name() */
	weft_store32(&n->state, JOB_PAGE_READY);
	return true;
}

uint32_t weft_job_page_id(struct weft_job_page *r, const char *name)
{
	uint32_t h = hash(name), id;

	for (uint32_t i = 0; i < JOB_PAGE_NAMES; i++) {
		id = (h + i) % JOB_PAGE_NAMES;
		if (id && claim(name_slot(r, id), name))
			return id;
	}
	return 0;
}

bool weft_job_page_name(const struct weft_job_page *r, uint32_t id,
			char name[JOB_PAGE_NAME])
{
	const struct job_page_name *n;

	if (!id || id >= JOB_PAGE_NAMES)
		return false;
	n = name_slot(r, id);
	/* A0 pairs with R0 in claim() */
	if (weft_load32(&n->state) != JOB_PAGE_READY)
		return false;
	memcpy(name, n->text, JOB_PAGE_NAME);
	name[JOB_PAGE_NAME - 1] = '\0';
	return true;
}

struct job_page_member *weft_job_page_member(const struct weft_job_page *r,
					     uint32_t i)
{
	WEFT_ASSERT(i < r->members);
	return (struct job_page_member *)page_addr(r, members_offset()) + i;
}

struct job_page_tally *weft_job_page_call_count(const struct weft_job_page *r,
						uint32_t i, uint32_t id)
{
	WEFT_ASSERT(r->counted && i < r->members && id < JOB_PAGE_NAMES);
	return (struct job_page_tally *)page_addr(r,
						  tallies_offset(r->members)) +
	       (size_t)i * JOB_PAGE_NAMES + id;
}

bool weft_job_page_in(const struct weft_job_page *r, uint32_t i, char *text,
		      size_t len)
{
	const struct job_page_member *m;
	char name[JOB_PAGE_NAME];
	size_t n = 0;

	if (!r->head || i >= r->members || !len)
		return false;
	m = weft_job_page_member(r, i);
	text[0] = '\0';
	for (int t = 0; t < JOB_PAGE_THREADS && n < len; t++) {
		if (!weft_job_page_name(r, weft_load32(&m->in[t]), name) ||
		    strstr(text, name))
			continue;
		n += (size_t)snprintf(text + n, len - n, "%s%s", n ? ", " : "",
				      name);
	}
	return n > 0;
}

void weft_job_page_text_add(struct weft_job_page *r, const char *text)
{
	char *to = page_addr(r, text_offset(r->members));
	uint32_t used = weft_load32(&r->head->text_len);
	size_t len = strlen(text);

	WEFT_ASSERT(r->counted);
	if (used >= JOB_PAGE_TEXT)
		return;
	if (len > JOB_PAGE_TEXT - used)
		len = JOB_PAGE_TEXT - used;
	memcpy(to + used, text, len);
	/* R1 pairs with A1 in weft_job_page_text() */
	weft_store32(&r->head->text_len, used + (uint32_t)len);
}

char *weft_job_page_text(const struct weft_job_page *r)
{
	/* A1 pairs with R1 in weft_job_page_text_add() */
	uint32_t len = r->counted ? weft_load32(&r->head->text_len) : 0;

	if (!len || len > JOB_PAGE_TEXT)
		return NULL;
	return strndup(page_addr(r, text_offset(r->members)), len);
}

bool weft_job_page_first(struct weft_job_page *r, const char *text)
{
	uint32_t h = hash(text) | 1, seen;

	for (int i = 0; i < JOB_PAGE_ONCE; i++) {
		seen = 0;
		if (weft_cas32(&r->head->once[i], &seen, h))
			return true;
		if (seen == h)
			return false;
	}
	return true;
}
