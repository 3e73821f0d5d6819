/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of entries of the job status page (test/support/explore.h): a
 * member replaces its entry while another one reads it. The reader must get a
 * complete entry, old or new, and be woken.
 */
#include "test/support/explore_atomic.h"

#include <unistd.h>

static long explore_syscall(long number, const volatile void *word, int op,
			    uint32_t value, ...);
#define syscall explore_syscall
#include "src/job/job_page_entry.c"
#undef syscall

#include "test/t.h"

static long explore_syscall(long number, const volatile void *word, int op,
			    uint32_t value, ...)
{
	if (op == FUTEX_WAKE)
		explore_futex_wake(word, 1);
	else
		explore_futex_wait((const volatile void *const[2]){ word },
				   (const uint32_t[2]){ value }, 1, 1);
	return 0;
}

static struct job_page_member member;
static uint32_t entries, wanted;

struct job_page_member *weft_job_page_member(const struct weft_job_page *r,
					     uint32_t i)
{
	return &member;
}

static void setup(void)
{
	memset(&member, 0, sizeof(member));
	/* all other words use the same code as the first and the last */
	for (int k = 1; k < JOB_PAGE_ENTRY / 8 - 1; k++)
		explore_private(&member.entry[k], sizeof(member.entry[k]));
}

static void put_entries(void)
{
	struct weft_job_page r = { .members = 1 };
	uint8_t entry[JOB_PAGE_ENTRY];

	for (uint32_t n = 1; n <= entries; n++) {
		memset(entry, (int)n, sizeof(entry));
		if (weft_job_page_entry_put(&r, 0, entry, sizeof(entry)) != n)
			explore_fail("a wrong number");
	}
}

static void get_entry(void)
{
	struct weft_job_page r = { .members = 1 };
	uint8_t entry[JOB_PAGE_ENTRY];
	size_t len = sizeof(entry);

	if (weft_job_page_entry_get(&r, 0, wanted, entry, &len) ||
	    len != sizeof(entry) || entry[0] < wanted ||
	    entry[0] != entry[sizeof(entry) - 1])
		explore_fail("an entry of two writes, or an old one");
}

static void put_or_get(int i)
{
	if (i)
		get_entry();
	else
		put_entries();
}

static const char *explore_entry(uint32_t puts, uint32_t number,
				 enum explore_fault fault)
{
	struct explore x = { .threads = 2,
			     .setup = setup,
			     .thread = put_or_get,
			     .fault = fault,
			     .interrupts = explore_interrupts(0),
			     .states_max = 5000000 };

	entries = puts;
	wanted = number;
	return explore_run(&x);
}

static void entries_are_read_whole(void **state)
{
	T_NULL(explore_entry(1, 1, EXPLORE_NO_FAULT));
	T_NULL(explore_entry(2, 1, EXPLORE_NO_FAULT));
	T_NULL(explore_entry(2, 2, EXPLORE_NO_FAULT));
}

static void seeded_faults_are_found(void **state)
{
	T_NOT_NULL(explore_entry(2, 1, EXPLORE_NO_RELEASE));
	T_NOT_NULL(explore_entry(2, 1, EXPLORE_NO_ACQUIRE));
	T_STR(explore_entry(1, 1, EXPLORE_NO_WAKE), "deadlock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(entries_are_read_whole),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
