/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info keys of windows; README describes each of them. MPI_Win_get_info returns
 * the keys in effect. It does not return unknown keys, invalid values, or
 * values that do not apply to the existing window.
 */
#include "src/win/win_hint.h"

#include "src/offload/offload_device.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- validity of values -------------------------------------------------- */

/* Returns whether [val, val + n) is in a list that ends with NULL. */
static bool is_one_of(const char *val, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n && !memcmp(*words, val, n))
			return true;
	return false;
}

static bool is_list_of(const char *val, char between, const char *const *words)
{
	const char ends[] = { between, 0 };
	size_t n = strcspn(val, ends);

	if (!is_one_of(val, n, words))
		return false;
	return !val[n] || is_list_of(val + n + 1, between, words);
}

static bool is_switch(const char *val)
{
	static const char *const words[] = { "true", "false", NULL };

	return is_one_of(val, strlen(val), words);
}

static bool is_order(const char *val)
{
	static const char *const words[] = { "rar", "raw", "war", "waw", NULL };

	return !strcmp(val, "none") || is_list_of(val, ',', words);
}

static bool is_ops(const char *val)
{
	static const char *const words[] = { "same_op", "same_op_no_op", NULL };

	return is_one_of(val, strlen(val), words);
}

static bool is_bytes(const char *val)
{
	size_t n = strspn(val, "0123456789");

	return n && n < 10 && !val[n];
}

/* Returns whether [kind, kind + n) is an entry of the supported kinds. */
static bool is_supported(const char *kind, size_t n)
{
	const char *all = weft_device_kinds();
	size_t k;

	for (; *all; all += k + (all[k] == ',')) {
		k = strcspn(all, ",");
		if (k == n && !memcmp(all, kind, n))
			return true;
	}
	return false;
}

/*
 * Returns whether the library supports [kind, kind + n): a kind of the list, or
 * mpi with restrictors.
 */
static bool is_kind(const char *kind, size_t n)
{
	static const char *const of_mpi[] = { "alloc_mem", "win_allocate",
					      "win_allocate_shared", NULL };
	char one[MPI_MAX_INFO_VAL + 1];

	if (is_supported(kind, n))
		return true;
	memcpy(one, kind, n);
	one[n] = 0;
	return !strncmp(one, "mpi:", 4) && is_list_of(one + 4, ':', of_mpi);
}

/* Returns whether `val` names only memory kinds that the library supports. */
static bool is_kinds(const char *val)
{
	size_t n = strcspn(val, ",");

	return is_kind(val, n) && (!val[n] || is_kinds(val + n + 1));
}

/* ---- changes of an existing window --------------------------------------- */

static bool always_true(const struct weft_win *w, const char *val)
{
	(void)w;
	(void)val;
	return true;
}

/*
 * Returns whether the key no_locks may be set to `val`; a window created
 * without locks cannot get locks later.
 */
static bool may_set_no_locks(const struct weft_win *w, const char *val)
{
	return !strcmp(val, "true") || !w->lockless;
}

static bool same_size_is_true(const struct weft_win *w, const char *val)
{
	bool same = true;

	for (int i = 0; i < w->size; i++)
		same = same && w->peer[i].size == w->peer[0].size;
	return same || !strcmp(val, "false");
}

static bool same_unit_is_true(const struct weft_win *w, const char *val)
{
	bool same = true;

	for (int i = 0; i < w->size; i++)
		same = same && w->peer[i].unit == w->peer[0].unit;
	return same || !strcmp(val, "false");
}

/* ---- table of keys ------------------------------------------------------- */

static const struct hint {
	const char *key;
	const char *val; /* default; NULL: absent by default */
	bool (*fits)(const char *val);
	/*
	 * returns whether the value is true of, or permitted for, this window
	 */
	bool (*may)(const struct weft_win *w, const char *val);
} hints[] = {
	{ "no_locks", "false", is_switch, may_set_no_locks },
	{ "accumulate_ordering", "rar,raw,war,waw", is_order, always_true },
	{ "accumulate_ops", "same_op_no_op", is_ops, always_true },
	{ "same_size", "false", is_switch, same_size_is_true },
	{ "same_disp_unit", "false", is_switch, same_unit_is_true },
	{ "alloc_shared_noncontig", "false", is_switch, always_true },
	{ "mpi_accumulate_granularity", "0", is_bytes, always_true },
	{ "mpi_assert_memory_alloc_kinds", NULL, is_kinds, always_true },
};

bool win_hint_is(const struct weft_win *w, const char *key, const char *want)
{
	char val[MPI_MAX_INFO_VAL + 1];

	return weft_info_get(w->info, key, val, sizeof(val)) >= 0 &&
	       !strcmp(val, want);
}

int win_hint_settle(struct weft_win *w, const char *key, const char *val)
{
	return weft_info_set(w->info, key, val);
}

/* Copies the hints that accesses use to fields of the window. */
static void apply_hints(struct weft_win *w)
{
	char val[MPI_MAX_INFO_VAL + 1] = "0";

	w->no_locks = win_hint_is(w, "no_locks", "true");
	w->unordered = win_hint_is(w, "accumulate_ordering", "none");
	weft_info_get(w->info, "mpi_accumulate_granularity", val, sizeof(val));
	w->granule = (size_t)strtoul(val, NULL, 10);
}

static int hints_set(struct weft_win *w, struct weft_info *info, bool exists)
{
	char val[MPI_MAX_INFO_VAL + 1];
	int rc = 0;

	for (size_t i = 0; info && !rc && i < WEFT_COUNT_OF(hints); i++) {
		const struct hint *h = &hints[i];

		if (weft_info_get(info, h->key, val, sizeof(val)) < 0 ||
		    !h->fits(val) || (exists && !h->may(w, val)))
			continue;
		rc = weft_info_set(w->info, h->key, val);
	}
	apply_hints(w);
	return rc;
}

int win_hint_open(struct weft_win *w, struct weft_info *info)
{
	int rc = 0;

	w->info = weft_info_open();
	if (!w->info)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < WEFT_COUNT_OF(hints); i++)
		if (hints[i].val)
			rc = weft_info_set(w->info, hints[i].key, hints[i].val);
	return rc ? rc : hints_set(w, info, false);
}

int weft_win_hint(struct weft_win *w, struct weft_info *info)
{
	return hints_set(w, info, true);
}
