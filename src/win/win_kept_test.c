/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of kept pages: they are found by their key, and limited in number. */
#include "src/win/win_kept.h"

#include "test/t.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static const int procs[] = { 3, 1, 4 };

static struct win_kept_key key_of(int n)
{
	return (struct win_kept_key){ .proc = procs, .n = n };
}

static struct weft_region region_new(void)
{
	struct weft_region r;

	T_OK(weft_region_open(&r, "weft-test", 4096));
	close(r.fd);
	r.fd = -1;
	return r;
}

static void give(struct win_kept *k, struct win_kept_key key, uint64_t token)
{
	struct weft_region r = region_new();

	win_kept_give(k, &key, token, &r);
}

/*
 * Takes the page of this key and closes it. Returns its token, or 0 if there is
 * none.
 */
static uint64_t take(struct win_kept *k, struct win_kept_key key)
{
	struct weft_region r = { 0 };
	uint64_t token = win_kept_take(k, &key, &r);

	if (token) {
		*(volatile char *)r.base = 1; /* the page is still mapped */
		weft_region_close(&r);
	}
	return token;
}

static bool is_mapped(void *at)
{
	return !msync(at, 4096, MS_ASYNC);
}

static void pages_are_found_by_their_key(void **state)
{
	static const int others[] = { 3, 1, 5 };
	struct win_kept k = { 0 };
	struct win_kept_key key = key_of(3);

	give(&k, key, 7);
	T_IS(take(&k, key_of(2)), 0);
	key.dynamic = true;
	T_IS(take(&k, key), 0);
	key.dynamic = false;
	key.lockless = true;
	T_IS(take(&k, key), 0);
	key.lockless = false;
	key.proc = others;
	T_IS(take(&k, key), 0);
	T_IS(take(&k, key_of(3)), 7);
	T_IS(take(&k, key_of(3)), 0);
}

static void last_page_is_used_first(void **state)
{
	struct win_kept k = { 0 };

	for (uint64_t i = 1; i <= 3; i++)
		give(&k, key_of(3), i);
	T_IS(take(&k, key_of(3)), 3);
	give(&k, key_of(3), 4);
	T_IS(take(&k, key_of(3)), 4);
	T_IS(take(&k, key_of(3)), 2);
	T_IS(take(&k, key_of(3)), 1);
}

static void oldest_page_is_closed_if_there_is_no_room(void **state)
{
	struct weft_region first = region_new();
	struct win_kept_key key = key_of(3);
	struct win_kept k = { 0 };

	win_kept_give(&k, &key, 1, &first);
	for (uint64_t i = 2; i <= WIN_KEPT_PAGES; i++)
		give(&k, key_of(3), i);
	T_TRUE(is_mapped(first.base));
	give(&k, key_of(2), 99);
	T_TRUE(!is_mapped(first.base));
	for (uint64_t i = WIN_KEPT_PAGES; i > 1; i--)
		T_IS(take(&k, key_of(3)), i);
	T_IS(take(&k, key_of(3)), 0);
	T_IS(take(&k, key_of(2)), 99);
}

static void trim_closes_all_pages(void **state)
{
	struct weft_region first = region_new();
	struct win_kept_key key = key_of(3);
	struct win_kept k = { 0 };

	win_kept_give(&k, &key, 1, &first);
	win_kept_trim(&k);
	T_TRUE(!is_mapped(first.base));
	T_IS(take(&k, key_of(3)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(pages_are_found_by_their_key),
		T_CASE(last_page_is_used_first),
		T_CASE(oldest_page_is_closed_if_there_is_no_room),
		T_CASE(trim_closes_all_pages),
	};

	return T_RUN(tests);
}
