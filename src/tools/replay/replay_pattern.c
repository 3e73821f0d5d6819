/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synthetic patterns: the calls of a rank are computed when they are needed, so
 * that a job of any size needs no trace.
 *
 *   ring,ranks=N,bytes=B,steps=S      each rank sends to the next one
 *   halo,ranks=N,bytes=B,steps=S      the six neighbours in a periodic box of
 *                                     ranks, then an allreduce of 8 bytes
 *   alltoall,ranks=N,bytes=B,steps=S  MPI_Alltoall
 *   shift,ranks=N,bytes=B,steps=S     each rank sends to the rank at a distance
 *                                     that is random in every step
 *
 * compute=US adds a computation in every step, dims=XxYxZ sets the box,
 * allreduce=K makes every K-th step of halo end with an allreduce (0: none),
 * seed=N sets the sequence of distances of shift.
 */
#include "src/tools/replay/replay_call.h"

#include "src/base/hash.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/coll_call.h>

enum form { RING, HALO, ALLTOALL, SHIFT, FORMS };

static const char *const forms[FORMS] = { "ring", "halo", "alltoall", "shift" };

struct pattern {
	struct replay_source base;
	enum form form;
	uint64_t bytes, steps, allreduce, compute_ps, seed;
	uint32_t dim[3];
	struct at {
		uint64_t step;
		unsigned call;
	} * at; /* next call of each rank */
};

static struct pattern *of(struct replay_source *s)
{
	return (struct pattern *)s;
}

/* ---- parameters ---------------------------------------------------------- */

/* Chooses the most cubic box. */
static void box(struct pattern *p)
{
	uint32_t n = p->base.ranks, best = UINT32_MAX;

	for (uint32_t x = 1; x <= n; x++) {
		if (n % x)
			continue;
		for (uint32_t y = 1; y <= n / x; y++) {
			uint32_t z = n / x / y;

			if (n / x % y || x + y + z >= best || x < y || y < z)
				continue;
			best = x + y + z;
			p->dim[0] = x;
			p->dim[1] = y;
			p->dim[2] = z;
		}
	}
}

static bool number(const char *text, uint64_t most, uint64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoull(text, &end, 10);
	if (!*text || *text == '-' || errno || end == text)
		return false;
	if (*end == 'k' || *end == 'K')
		*to *= 1024, end++;
	else if (*end == 'm' || *end == 'M')
		*to *= 1024 * 1024, end++;
	return !*end && *to <= most;
}

static bool dims(struct pattern *p, const char *text)
{
	char end;

	return sscanf(text, "%ux%ux%u%c", &p->dim[0], &p->dim[1], &p->dim[2],
		      &end) == 3 &&
	       p->dim[0] <= RECORD_RANKS_MAX && p->dim[1] <= RECORD_RANKS_MAX &&
	       p->dim[2] <= RECORD_RANKS_MAX;
}

static bool set(struct pattern *p, const char *key, const char *value)
{
	uint64_t n = 0;
	bool ok;

	if (!strcmp(key, "dims"))
		return dims(p, value);
	if (!strcmp(key, "ranks")) {
		ok = number(value, RECORD_RANKS_MAX, &n);
		p->base.ranks = (uint32_t)n;
		return ok && n;
	}
	if (!strcmp(key, "bytes"))
		return number(value, UINT32_MAX, &p->bytes);
	if (!strcmp(key, "steps"))
		return number(value, UINT32_MAX, &p->steps);
	if (!strcmp(key, "allreduce"))
		return number(value, UINT32_MAX, &p->allreduce);
	if (!strcmp(key, "seed"))
		return number(value, UINT32_MAX, &p->seed);
	ok = !strcmp(key, "compute") && number(value, UINT32_MAX, &n);
	p->compute_ps = n * 1000000;
	return ok;
}

static int parse(struct pattern *p, char *text, char *why, size_t len)
{
	char *save = NULL, *word = strtok_r(text, ",", &save);
	size_t i = 0;

	while (word && i < FORMS && strcmp(word, forms[i]))
		i++;
	if (!word || i == FORMS) {
		snprintf(why, len,
			 "no pattern \"%s\"; use ring, halo, alltoall or shift",
			 word ? word : "");
		return -EINVAL;
	}
	p->form = (enum form)i;
	while ((word = strtok_r(NULL, ",", &save))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		if (!value || !set(p, word, value)) {
			snprintf(why, len, "invalid %s of the pattern", word);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- calls --------------------------------------------------------------- */

static uint32_t neighbour(const struct pattern *p, uint32_t rank, unsigned way)
{
	uint32_t at[3] = { rank % p->dim[0], rank / p->dim[0] % p->dim[1],
			   rank / p->dim[0] / p->dim[1] };
	unsigned d = way / 2;
	uint32_t step = way % 2 ? p->dim[d] - 1 : 1;

	at[d] = (at[d] + step) % p->dim[d];
	return (at[2] * p->dim[1] + at[1]) * p->dim[0] + at[0];
}

static const uint64_t halo_reqs[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

/*
 * Makes call k of a step of the pattern halo. Returns false if the step has no
 * call k.
 */
static bool halo(const struct pattern *p, uint32_t rank, const struct at *at,
		 struct replay_call *c)
{
	unsigned k = at->call;
	/* a message in direction k comes from the opposite neighbour */
	unsigned way = k < 6 ? k ^ 1 : k - 6;

	if (k < 12) {
		c->kind = k < 6 ? RECORD_IRECV : RECORD_ISEND;
		c->peer = neighbour(p, rank, way);
		c->tag = k % 6;
		c->bytes = p->bytes;
		c->req = halo_reqs[k];
	} else if (k == 12) {
		c->kind = RECORD_WAIT;
		c->count = 12;
		c->reqs = halo_reqs;
	} else {
		c->kind = RECORD_COLL;
		c->coll = WEFT_COLL_ALLREDUCE;
		c->type = (uint64_t)(uintptr_t)MPI_DOUBLE;
		c->op = (uint64_t)(uintptr_t)MPI_SUM;
		c->type_bytes = 8;
		c->send = c->recv = 1;
	}
	return k < 13 ||
	       (k == 13 && p->allreduce && !((at->step + 1) % p->allreduce));
}

static bool ring(const struct pattern *p, uint32_t rank, const struct at *at,
		 struct replay_call *c)
{
	uint32_t n = p->base.ranks;

	c->kind = RECORD_SENDRECV;
	c->peer = (rank + 1) % n;
	c->peer_in = (rank + n - 1) % n;
	c->bytes = c->bytes_in = p->bytes;
	return !at->call;
}

static bool shift(const struct pattern *p, uint32_t rank, const struct at *at,
		  struct replay_call *c)
{
	uint32_t n = p->base.ranks, by = 0;

	if (n > 1)
		by = 1 + (uint32_t)(weft_hash_mix(weft_hash_mix(p->seed) +
						  at->step) %
				    (n - 1));
	c->kind = RECORD_SENDRECV;
	c->peer = (rank + by) % n;
	c->peer_in = (rank + n - by) % n;
	c->bytes = c->bytes_in = p->bytes;
	return !at->call;
}

static bool alltoall(const struct pattern *p, const struct at *at,
		     struct replay_call *c)
{
	c->kind = RECORD_COLL;
	c->coll = WEFT_COLL_ALLTOALL;
	c->type = (uint64_t)(uintptr_t)MPI_BYTE;
	c->type_bytes = 1;
	c->send = c->recv = p->bytes;
	return !at->call;
}

static bool call_at(const struct pattern *p, uint32_t rank, const struct at *at,
		    struct replay_call *c)
{
	struct at after = *at;

	if (p->compute_ps && !at->call) {
		c->kind = RECORD_COMPUTE;
		c->ps = p->compute_ps;
		return true;
	}
	after.call -= p->compute_ps ? 1 : 0;
	if (p->form == HALO)
		return halo(p, rank, &after, c);
	if (p->form == SHIFT)
		return shift(p, rank, &after, c);
	return p->form == RING ? ring(p, rank, &after, c)
			       : alltoall(p, &after, c);
}

static bool next(struct replay_source *s, uint32_t rank, struct replay_call *c)
{
	struct pattern *p = of(s);
	struct at *at = &p->at[rank];

	for (; at->step < p->steps; at->step++, at->call = 0) {
		memset(c, 0, sizeof(*c));
		if (call_at(p, rank, at, c)) {
			at->call++;
			return true;
		}
	}
	memset(c, 0, sizeof(*c));
	return true;
}

static void where(struct replay_source *s, uint32_t rank, char *text,
		  size_t len)
{
	(void)s;
	snprintf(text, len, " rank %u of the pattern", rank);
}

static void rewind_pattern(struct replay_source *s, uint32_t rank)
{
	of(s)->at[rank] = (struct at){ 0 };
}

static void close_pattern(struct replay_source *s)
{
	free(of(s)->at);
	free(s);
}

int replay_pattern_open(const char *text, struct replay_source **s_p, char *why,
			size_t len)
{
	struct pattern *p = calloc(1, sizeof(*p));
	char *copy = strdup(text);
	int rc = p && copy ? 0 : -ENOMEM;

	if (!rc) {
		*p = (struct pattern){ .base = { 64, next, where, close_pattern,
						 rewind_pattern },
				       .bytes = 1024,
				       .steps = 10,
				       .seed = 1,
				       .allreduce = 1 };
		rc = parse(p, copy, why, len);
	}
	if (!rc && !p->dim[0])
		box(p);
	if (!rc &&
	    (uint64_t)p->dim[0] * p->dim[1] * p->dim[2] != p->base.ranks) {
		snprintf(why, len, "dims %ux%ux%u do not have %u ranks",
			 p->dim[0], p->dim[1], p->dim[2], p->base.ranks);
		rc = -EINVAL;
	}
	if (!rc)
		p->at = calloc(p->base.ranks, sizeof(*p->at));
	if (!rc && !p->at)
		rc = -ENOMEM;
	free(copy);
	if (rc)
		free(p);
	else
		*s_p = &p->base;
	return rc;
}
