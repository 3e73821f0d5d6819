/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries of the job status page: the address of each member, for the other
 * members. A member may be several processes in succession, each with its own
 * entry: entries are numbered, and the entries of all members with the same
 * number belong together. While an entry is written, its state has length 0; a
 * reader that sees the state change reads the entry again.
 */
#include "src/job/job_page.h"
#include "src/base/must.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ENTRY_LEN(state)    ((state)&0xff)
#define ENTRY_NUMBER(state) ((state) >> 8)

static_assert(JOB_PAGE_ENTRY <= 0xff, "the length field has eight bits");

static uint64_t job_hash(const char *job)
{
	uint64_t h = 14695981039346656037u;

	for (; *job; job++)
		h = (h ^ (unsigned char)*job) * 1099511628211u;
	return h;
}

void weft_job_page_set_job(struct weft_job_page *r, const char *job)
{
	r->head->job = job_hash(job);
}

bool weft_job_page_is_of(const struct weft_job_page *r, const char *job)
{
	return r->head && r->head->job == job_hash(job);
}

uint32_t weft_job_page_entry_put(struct weft_job_page *r, uint32_t i,
				 const void *entry, size_t len)
{
	struct job_page_member *m = weft_job_page_member(r, i);
	/* relaxed: only this member writes the state */
	uint32_t number =
		ENTRY_NUMBER(weft_load32_relaxed(&m->entry_state)) + 1;
	uint64_t word[JOB_PAGE_ENTRY / 8] = { 0 };

	WEFT_ASSERT(len && len <= JOB_PAGE_ENTRY);
	memcpy(word, entry, len);
	weft_store32_relaxed(&m->entry_state, number << 8);
	for (int k = 0; k < JOB_PAGE_ENTRY / 8; k++)
		/*
		 * R2 pairs with A2 in entry_read: the state with length 0 is
		 * visible before any new byte.
		 */
		weft_store64(&m->entry[k], word[k]);
	/* R3 pairs with A3 in entry_read: bytes before length */
	weft_store32(&m->entry_state, number << 8 | (uint32_t)len);
	syscall(SYS_futex, &m->entry_state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	return number;
}

/*
 * Copies a complete entry with that number or a later one. Returns 0, -EPROTO,
 * or -EAGAIN: no such entry yet; the state is in *state_p.
 */
static int entry_read(const struct job_page_member *m, uint32_t number,
		      void *entry, size_t *len_p, uint32_t *state_p)
{
	uint64_t word[JOB_PAGE_ENTRY / 8];
	uint32_t len;

	/* A3 pairs with R3 in weft_job_page_entry_put. */
	*state_p = weft_load32(&m->entry_state);
	len = ENTRY_LEN(*state_p);
	if (!len || ENTRY_NUMBER(*state_p) < number)
		return -EAGAIN;
	if (len > JOB_PAGE_ENTRY || len > *len_p)
		return -EPROTO;
	for (int k = 0; k < JOB_PAGE_ENTRY / 8; k++)
		/* A2 pairs with R2: if a byte is new, the state has changed */
		word[k] = weft_load64(&m->entry[k]);
	/* relaxed: ordered by the acquire loads above */
	if (weft_load32_relaxed(&m->entry_state) != *state_p)
		return -EAGAIN;
	memcpy(entry, word, len);
	*len_p = len;
	return 0;
}

int weft_job_page_entry_get(const struct weft_job_page *r, uint32_t i,
			    uint32_t number, void *entry, size_t *len_p)
{
	struct timespec timeout = { .tv_nsec = 100000000 };
	struct job_page_member *m;
	uint32_t state;
	int ret;

	if (i >= r->members)
		return -EINVAL;
	m = weft_job_page_member(r, i);
	/* With a timeout: a member that dies may not wake its waiters. */
	while ((ret = entry_read(m, number, entry, len_p, &state)) == -EAGAIN)
		syscall(SYS_futex, &m->entry_state, FUTEX_WAIT, state, &timeout,
			NULL, 0);
	return ret;
}
