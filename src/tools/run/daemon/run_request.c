/* SPDX-License-Identifier: BSD-3-Clause */
/* A request to start processes, as a frame (run_request.h). */
#include "src/tools/run/daemon/run_request.h"
#include "src/tools/run/opts/run_opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void run_request_write(const struct run_request *r, struct run_bytes *b)
{
	run_bytes_u32(b, (uint32_t)r->nparts);
	for (int i = 0; i < r->nparts; i++) {
		const struct run_hosts *h = &r->part[i].hosts;

		run_bytes_u32(b, (uint32_t)r->part[i].n);
		run_bytes_u32(b, (uint32_t)h->count);
		for (int k = 0; k < h->count; k++) {
			run_bytes_text(b, h->host[k].name);
			run_bytes_u32(b, (uint32_t)h->host[k].slots);
		}
	}
	run_bytes_list(b, r->words);
	run_bytes_list(b, r->env);
}

/*
 * Reads one program. *left: number of processes that this and the following
 * programs may have.
 */
static int read_part(struct run_scan *s, struct run_request_part *p, int *left)
{
	uint32_t n = run_scan_u32(s), hosts = run_scan_u32(s), slots;
	char *name;
	int err = s->bad || !n || n > (uint32_t)*left ? -EPROTO : 0;

	p->n = (int)n;
	*left -= err ? 0 : p->n;
	for (uint32_t i = 0; i < hosts && !err; i++) {
		name = run_scan_text(s);
		slots = run_scan_u32(s);
		if (s->bad || !slots || slots > RUN_SLOTS_MAX)
			err = -EPROTO;
		else
			err = run_hosts_add(&p->hosts, name, (int)slots);
		free(name);
	}
	return err == -ERANGE ? -EPROTO : err;
}

int run_request_read(struct run_scan *s, struct run_request *r)
{
	uint32_t n = run_scan_u32(s);
	int err = 0, left = RUN_RANKS_MAX;

	memset(r, 0, sizeof(*r));
	/* a program takes at least eight bytes of the frame */
	if (s->bad || !n || n > s->left / 8)
		return -EPROTO;
	r->part = calloc(n, sizeof(*r->part));
	if (!r->part)
		return -ENOMEM;
	for (r->nparts = 0; r->nparts < (int)n && !err; r->nparts++)
		err = read_part(s, &r->part[r->nparts], &left);
	if (!err) {
		r->words = run_scan_list(s);
		r->env = run_scan_list(s);
	}
	if (!err && (s->bad || !r->words || !r->words[0] || !r->env))
		err = -EPROTO;
	if (err)
		run_request_free(r);
	return err;
}

void run_request_free(struct run_request *r)
{
	for (int i = 0; i < r->nparts; i++)
		run_hosts_free(&r->part[i].hosts);
	free(r->part);
	run_list_free(r->words);
	run_list_free(r->env);
	memset(r, 0, sizeof(*r));
}
