/* SPDX-License-Identifier: BSD-3-Clause */
/* Exits of ranks in a job that survives failures (run_survivors.h). */
#include "src/tools/run/daemon/run_survivors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int run_survivors_open(struct run_survivors *s, const struct run_layout *l)
{
	memset(s, 0, sizeof(*s));
	s->layout = l;
	s->exited = calloc((size_t)l->nranks, sizeof(*s->exited));
	return s->exited ? 0 : -ENOMEM;
}

void run_survivors_close(struct run_survivors *s)
{
	free(s->exited);
	s->exited = NULL;
}

static void record(struct run_survivors *s, int rank, int code)
{
	s->exited[rank] = true;
	if (!code)
		return;
	if (!s->failures++)
		s->first = code;
}

int run_survivors_take(struct run_survivors *s, int host, struct run_scan *body,
		       int *code_p)
{
	uint32_t rank = run_scan_u32(body), code = run_scan_u32(body);

	if (body->bad || !s->exited || code > 255 ||
	    rank >= (uint32_t)s->layout->nranks ||
	    run_layout_host_of(s->layout, (int)rank) != host || s->exited[rank])
		return -EPROTO;
	record(s, (int)rank, (int)code);
	*code_p = (int)code;
	return (int)rank;
}

void run_survivors_lose_host(struct run_survivors *s, int host, int code,
			     void (*fn)(void *arg, int rank, int code),
			     void *arg)
{
	const struct run_layout_host *h = &s->layout->host[host];

	for (int i = h->first; i < h->first + h->count; i++) {
		if (s->exited[i])
			continue;
		record(s, i, code);
		fn(arg, i, code);
	}
}

void run_survivors_write(int rank, int code, struct run_bytes *b)
{
	run_bytes_u32(b, (uint32_t)rank);
	run_bytes_u32(b, (uint32_t)code);
}

bool run_survivors_none(const struct run_survivors *s)
{
	return s->failures == s->layout->nranks;
}

int run_survivors_code(const struct run_survivors *s)
{
	if (s->after)
		return s->after;
	return run_survivors_none(s) ? s->first : 0;
}
