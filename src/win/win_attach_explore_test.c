/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of a list of attachments in a shared page
 * (test/support/explore.h): a target detaches memory and attaches other memory,
 * in the same slot, while an origin looks for an address. The origin must not
 * find values of both attachments.
 */
#include "test/support/explore_atomic.h"

#include <stdlib.h>

/* attachments of this test are not allocated, so free() does nothing */
#define free(p) ((void)(p))
#include "src/win/win_attach.c"
#undef free
#include "test/t.h"

struct weft_core weft_core;
bool weft_threads;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;

struct win_heap_place win_heap_find(const void *base, size_t bytes)
{
	return (struct win_heap_place){ .fd = -1 };
}

int win_fi_execute(struct weft_win *w, int target, const struct win_fi *f)
{
	return -EIO;
}

int win_am_open(struct weft_win *w)
{
	return 0;
}

bool weft_device_owns_slow(const void *at)
{
	return false;
}

int weft_fi_errno(int rc)
{
	return rc;
}

#define FIRST_AT  1000
#define SECOND_AT 100

static struct weft_win win;
#define PAGE_BYTES (sizeof(struct win_page) + sizeof(struct win_record))
/* the page of one member, and its list */
static alignas(WEFT_CACHE_LINE) char page_bytes[PAGE_BYTES + 64];
static struct attached first, second;
static uint64_t first_bytes, second_bytes, wanted;

static struct win_attached *slots(void)
{
	return (void *)(page_bytes + PAGE_BYTES);
}

static void setup(void)
{
	struct win_page *page = (void *)page_bytes;
	struct win_attached *s = slots();

	page->attached = PAGE_BYTES;
	atomic_init(&win_record(page, 0)->slots, 1);
	atomic_init(&s->start, FIRST_AT);
	atomic_init(&s->bytes, first_bytes);
	atomic_init(&s->key, 1);
	atomic_init(&s->id, 1);
	atomic_init(&ids, 1);
	win = (struct weft_win){ .page = page };
	first = (struct attached){ .start = FIRST_AT,
				   .bytes = first_bytes,
				   .slot = s };
	second = (struct attached){ .start = SECOND_AT, .bytes = second_bytes };
}

static void replace(void)
{
	attached_close(&win, &first);
	if (publish(&win, &second, 2) || second.slot != slots())
		explore_fail("not published in the empty slot");
}

/*
 * Checks that a place, if one is found, belongs to an attachment that contains
 * the address.
 */
static void find(void)
{
	struct win_attach_place p;

	if (list_find(slots(), 1, wanted, &p))
		return;
	if (p.key == 1 && p.addr == wanted - FIRST_AT &&
	    p.bytes == FIRST_AT + first_bytes - wanted)
		return;
	if (p.key == 2 && p.addr == wanted - SECOND_AT &&
	    p.bytes == SECOND_AT + second_bytes - wanted)
		return;
	explore_fail("values of two attachments");
}

static void either(int i)
{
	if (i)
		find();
	else
		replace();
}

static const char *explore_find(uint64_t a, uint64_t b, uint64_t at,
				enum explore_fault fault)
{
	struct explore x = { .threads = 2,
			     .setup = setup,
			     .thread = either,
			     .fault = fault,
			     .states_max = 20000000 };

	first_bytes = a;
	second_bytes = b;
	wanted = at;
	return explore_run(&x);
}

static void an_address_of_neither_is_not_found(void **state)
{
	T_NULL(explore_find(500, 10, 150, EXPLORE_NO_FAULT));
	T_NULL(explore_find(10, 5000, 1200, EXPLORE_NO_FAULT));
}

/*
 * The origin looks up no address of the first attachment, because it is being
 * detached.
 */
static void places_are_of_one_attachment(void **state)
{
	T_NULL(explore_find(500, 10, 105, EXPLORE_NO_FAULT));
	T_NULL(explore_find(50, 50, 105, EXPLORE_NO_FAULT));
}

static void seeded_faults_are_found(void **state)
{
	T_NOT_NULL(explore_find(500, 10, 150, EXPLORE_NO_FENCE));
	T_NOT_NULL(explore_find(500, 10, 150, EXPLORE_NO_ACQUIRE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(an_address_of_neither_is_not_found),
		T_CASE(places_are_of_one_attachment),
		T_CASE(seeded_faults_are_found),
	};

	return T_RUN(tests);
}
