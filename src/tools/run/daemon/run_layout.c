/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts of a job and their ranks (run_layout.h). */
#include "src/tools/run/daemon/run_layout.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int slots_of(const struct run_hosts *hosts, int i, int ppn)
{
	return ppn > 0 ? ppn : hosts->host[i].slots;
}

/*
 * Returns the number of ranks in the first `slots` of all slots; all slots
 * together have nranks ranks.
 */
static int ranks_before(int64_t slots, int64_t all, int nranks)
{
	if (nranks <= all)
		return (int)(slots < nranks ? slots : nranks);
	return (int)(slots * nranks / all);
}

static int add_host(struct run_layout *l, const char *name, int first,
		    int count)
{
	struct run_layout_host *h = &l->host[l->nhosts];

	if (!count)
		return 0;
	h->name = strdup(name);
	h->first = first;
	h->count = count;
	l->nhosts++;
	return h->name ? 0 : -ENOMEM;
}

int run_layout_make(const struct run_hosts *hosts, int ppn, int nranks,
		    struct run_layout *l)
{
	int64_t all = 0, seen = 0;
	int i, first = 0, end, err = 0;

	memset(l, 0, sizeof(*l));
	l->host = calloc((size_t)hosts->count, sizeof(*l->host));
	if (!l->host)
		return -ENOMEM;
	l->nranks = nranks;
	for (i = 0; i < hosts->count; i++)
		all += slots_of(hosts, i, ppn);
	for (i = 0; i < hosts->count && !err; i++) {
		seen += slots_of(hosts, i, ppn);
		end = ranks_before(seen, all, nranks);
		err = add_host(l, hosts->host[i].name, first, end - first);
		first = end;
	}
	return err;
}

int run_layout_host_of(const struct run_layout *l, int rank)
{
	for (int i = 0; i < l->nhosts; i++)
		if (rank >= l->host[i].first &&
		    rank - l->host[i].first < l->host[i].count)
			return i;
	return -1;
}

void run_layout_write(const struct run_layout *l, struct run_bytes *b)
{
	run_bytes_u32(b, (uint32_t)l->nhosts);
	for (int i = 0; i < l->nhosts; i++) {
		run_bytes_text(b, l->host[i].name);
		run_bytes_u32(b, (uint32_t)l->host[i].count);
	}
}

int run_layout_read(struct run_scan *s, struct run_layout *l)
{
	uint32_t n = run_scan_u32(s), count;
	char *name;

	memset(l, 0, sizeof(*l));
	/* each host takes at least eight bytes of the frame */
	if (s->bad || !n || n > s->left / 8)
		return -EPROTO;
	l->host = calloc(n, sizeof(*l->host));
	if (!l->host)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		name = run_scan_text(s);
		count = run_scan_u32(s);
		l->host[l->nhosts++] = (struct run_layout_host){
			.name = name, .first = l->nranks, .count = (int)count
		};
		if (s->bad || !count ||
		    count > (uint32_t)(RUN_RANKS_MAX - l->nranks))
			return -EPROTO;
		l->nranks += (int)count;
	}
	return 0;
}

char *run_layout_names(const struct run_layout *l)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; f && i < l->nhosts; i++)
		fprintf(f, "%s%s", i ? "," : "", l->host[i].name);
	if (f)
		fclose(f);
	return text;
}

char *run_layout_ranks(const struct run_layout *l)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; f && i < l->nhosts; i++)
		for (int k = 0; k < l->host[i].count; k++)
			fprintf(f, "%s%d",
				k   ? ","
				: i ? ";"
				    : "",
				l->host[i].first + k);
	if (f)
		fclose(f);
	return text;
}

void run_layout_free(struct run_layout *l)
{
	for (int i = 0; i < l->nhosts; i++)
		free(l->host[i].name);
	free(l->host);
	memset(l, 0, sizeof(*l));
}
