/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info keys of files. MPI_File_get_info returns the keys in effect, but no
 * unknown keys and no invalid values.
 */
#include "src/file/file_hint.h"

#include "src/comm/comm_channel.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* largest default number of aggregators per host */
#define PER_HOST 4

/* ---- values -------------------------------------------------------------- */

/* Returns the number in the text; 0: the text is not a number from 1 to max. */
static uint64_t number(const char *text, uint64_t max)
{
	uint64_t n = 0;

	for (; *text >= '0' && *text <= '9' && n <= max; text++)
		n = n * 10 + (uint64_t)(*text - '0');
	return *text || n > max ? 0 : n;
}

static const char *const switch_names[] = { "automatic", "enable", "disable" };

/*
 * Returns the value of enum file_switch that the text names; -1: unknown text.
 */
static int switch_of(const char *text)
{
	for (int i = 0; i < 3; i++)
		if (!strcmp(text, switch_names[i]))
			return i;
	return -1;
}

/* ---- table of keys ------------------------------------------------------- */

enum value_kind { BYTES, NODES, SWITCH };

#define BYTES_MAX ((uint64_t)1 << 40)

static const struct hint {
	const char *key;
	enum value_kind kind;
	size_t field; /* offset of the field in struct file_hints */
	bool common;  /* the value of rank 0 applies to all members */
} hints[] = {
	{ "cb_buffer_size", BYTES, offsetof(struct file_hints, cb_bytes),
	  true },
	{ "cb_nodes", NODES, offsetof(struct file_hints, cb_nodes), true },
	{ "striping_unit", BYTES, offsetof(struct file_hints, unit), true },
	{ "romio_cb_read", SWITCH, offsetof(struct file_hints, cb_read), true },
	{ "romio_cb_write", SWITCH, offsetof(struct file_hints, cb_write),
	  true },
	{ "romio_ds_read", SWITCH, offsetof(struct file_hints, ds_read),
	  false },
	{ "romio_ds_write", SWITCH, offsetof(struct file_hints, ds_write),
	  false },
	{ "ind_rd_buffer_size", BYTES, offsetof(struct file_hints, rd_bytes),
	  false },
	{ "ind_wr_buffer_size", BYTES, offsetof(struct file_hints, wr_bytes),
	  false },
};

static void set_field(struct file_hints *h, const struct hint *key,
		      const char *text)
{
	void *field = (char *)h + key->field;
	uint64_t n;

	switch (key->kind) {
	case BYTES:
		n = number(text, BYTES_MAX);
		if (n)
			*(size_t *)field = (size_t)n;
		break;
	case NODES:
		n = number(text, INT_MAX);
		if (n)
			*(int *)field = (int)n;
		break;
	case SWITCH:
		if (switch_of(text) >= 0)
			*(enum file_switch *)field =
				(enum file_switch)switch_of(text);
		break;
	}
}

static void print_field(const struct file_hints *h, const struct hint *key,
			char *text, size_t room)
{
	const void *field = (const char *)h + key->field;

	if (key->kind == BYTES)
		snprintf(text, room, "%zu", *(const size_t *)field);
	else if (key->kind == NODES)
		snprintf(text, room, "%d", *(const int *)field);
	else
		snprintf(text, room, "%s",
			 switch_names[*(const enum file_switch *)field]);
}

/* ---- aggregators --------------------------------------------------------- */

/*
 * Chooses cb_nodes ranks, round-robin over the hosts, so that the hosts have
 * equal numbers of aggregators; then sorts them.
 */
static void choose_aggregators(struct weft_file *f)
{
	int n = f->comm->size, want = f->hints.cb_nodes, found = 0;

	for (int round = 0; found < want; round++)
		for (int h = 0; h < f->hosts && found < want; h++)
			for (int i = 0, k = 0; i < n; i++) {
				if (f->host_of[i] != h || k++ != round)
					continue;
				f->aggregator[found++] = i;
				break;
			}
	f->aggregators = found;
	for (int i = 1; i < found; i++)
		for (int k = i; k && f->aggregator[k] < f->aggregator[k - 1];
		     k--) {
			int t = f->aggregator[k];

			f->aggregator[k] = f->aggregator[k - 1];
			f->aggregator[k - 1] = t;
		}
}

/* ---- setting ------------------------------------------------------------- */

static size_t field_bytes(enum value_kind kind)
{
	return kind == BYTES   ? sizeof(size_t)
	       : kind == NODES ? sizeof(int)
			       : sizeof(enum file_switch);
}

/*
 * Key of the MPI standard, which applies to collective reads and collective
 * writes.
 */
#define BUFFERING "collective_buffering"

static bool is_unbuffered(const struct file_hints *h)
{
	return h->cb_read == FILE_DISABLE && h->cb_write == FILE_DISABLE;
}

static void set_buffering(struct file_hints *h, const char *text)
{
	if (!strcmp(text, "false"))
		h->cb_read = h->cb_write = FILE_DISABLE;
	else if (!strcmp(text, "true") && is_unbuffered(h))
		h->cb_read = h->cb_write = FILE_AUTO;
}

/* Sets the hints whose keys are in info. */
static void read_info(struct file_hints *h, struct weft_info *info)
{
	char text[MPI_MAX_INFO_VAL + 1];

	if (info && weft_info_get(info, BUFFERING, text, sizeof(text)) >= 0)
		set_buffering(h, text);
	for (size_t i = 0; info && i < WEFT_COUNT_OF(hints); i++)
		if (weft_info_get(info, hints[i].key, text, sizeof(text)) >= 0)
			set_field(h, &hints[i], text);
}

void file_hint_join(struct weft_file *f, const struct file_hints *first)
{
	struct file_hints *h = &f->hints;

	for (size_t i = 0; i < WEFT_COUNT_OF(hints); i++)
		if (hints[i].common)
			memcpy((char *)h + hints[i].field,
			       (const char *)first + hints[i].field,
			       field_bytes(hints[i].kind));
	if (h->cb_nodes > f->comm->size)
		h->cb_nodes = f->comm->size;
	choose_aggregators(f);
}

/*
 * Returns the default number of aggregators: for each host, the number of
 * processes that can copy to the page cache in parallel.
 */
static int default_aggregators(const struct weft_file *f)
{
	/*
	 * sysconf() reads a file, so it is called once; all threads store the
	 * same value
	 */
	static weft_au32 known;
	int each = (int)weft_load32(&known);
	long cpus;

	if (!each) {
		cpus = sysconf(_SC_NPROCESSORS_ONLN);
		each = cpus < 1 ? 1 : cpus > PER_HOST ? PER_HOST : (int)cpus;
		weft_store32(&known, (uint32_t)each);
	}
	return f->hosts > INT_MAX / PER_HOST ? f->hosts : f->hosts * each;
}

void file_hint_open(struct weft_file *f, struct weft_info *info)
{
	f->hints = (struct file_hints){ .cb_bytes = (size_t)16 << 20,
					.cb_nodes = default_aggregators(f),
					.rd_bytes = (size_t)4 << 20,
					.wr_bytes = (size_t)512 << 10,
					.unit = 4096 };
	read_info(&f->hints, info);
}

int weft_file_hint(struct weft_file *f, struct weft_info *info)
{
	struct weft_channel m = weft_channel_of(f->control);
	struct file_hints first;
	int rc;

	read_info(&f->hints, info);
	first = f->hints;
	rc = weft_channel_bcast(&m, 0, &first, sizeof(first));
	if (!rc)
		file_hint_join(f, &first);
	return weft_file_agree(f, rc);
}

struct weft_info *weft_file_info(const struct weft_file *f)
{
	struct weft_info *info = weft_info_open();
	char text[MPI_MAX_INFO_VAL + 1];
	int rc = info ? 0 : -ENOMEM;

	if (!rc)
		rc = weft_info_set(info, BUFFERING,
				   is_unbuffered(&f->hints) ? "false" : "true");
	for (size_t i = 0; !rc && i < WEFT_COUNT_OF(hints); i++) {
		print_field(&f->hints, &hints[i], text, sizeof(text));
		rc = weft_info_set(info, hints[i].key, text);
	}
	if (!rc || !info)
		return info;
	weft_info_close(info);
	return NULL;
}

unsigned file_hint_perm(struct weft_info *info)
{
	char text[MPI_MAX_INFO_VAL + 1];
	char *end;
	unsigned long mode;

	if (!info || weft_info_get(info, "file_perm", text, sizeof(text)) <= 0)
		return 0666;
	mode = strtoul(text, &end, 8);
	return *end || mode > 0777 ? 0666 : (unsigned)mode;
}
