/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of the jobs that share a machine (job_place.h). */
#include "src/job/job_place.h"

#include "src/base/attr.h"
#include "src/base/hash.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chooser {
	struct weft_place_machine machine;
	bool *taken;
	uint32_t *list; /* nodes of the job that is being placed */
	char *why;
};

static int refuse(const struct chooser *c, const char *form, ...)
	WEFT_PRINTF(2, 3);

static int refuse(const struct chooser *c, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	vsnprintf(c->why, WEFT_PLACE_WHY, form, args);
	va_end(args);
	return -EINVAL;
}

uint32_t weft_place_needed(const struct weft_place_job *j, uint32_t ppn)
{
	return j->ranks / ppn + (j->ranks % ppn != 0);
}

static bool is_list(const struct weft_place_job *j)
{
	return j->place && *j->place >= '0' && *j->place <= '9';
}

static int take(struct chooser *c, struct weft_place_job *j, unsigned long node)
{
	if (node >= c->machine.nodes)
		return refuse(c,
			      "--place %s: the machine has %u nodes, 0 to %u",
			      j->place, c->machine.nodes, c->machine.nodes - 1);
	if (c->taken[node])
		return refuse(c, "--place %s: node %lu is in use", j->place,
			      node);
	c->taken[node] = true;
	c->list[j->nodes++] = (uint32_t)node;
	return 0;
}

/* Reads a number without a sign, and moves *at_p past it. */
static bool read_node(const char **at_p, unsigned long *node_p)
{
	char *end;

	if (!isdigit((unsigned char)**at_p))
		return false;
	*node_p = strtoul(*at_p, &end, 10);
	*at_p = end;
	return true;
}

/*
 * Takes nodes from a list such as "0-31,64", which may contain more nodes than
 * the job needs.
 */
static int by_list(struct chooser *c, struct weft_place_job *j, uint32_t want)
{
	const char *at = j->place;
	int err = 0;

	while (*at && !err) {
		const char *end = at;
		unsigned long a, b;

		if (!read_node(&end, &a))
			break;
		b = a;
		if (*end == '-') {
			end++;
			if (!read_node(&end, &b))
				break;
		}
		if (b < a || (*end && *end != ','))
			break;
		for (; a <= b && j->nodes < want && !err; a++)
			err = take(c, j, a);
		at = end + (*end == ',');
	}
	if (err)
		return err;
	if (*at)
		return refuse(c, "--place %s: expected nodes such as 0-31,64",
			      j->place);
	if (j->nodes < want)
		return refuse(c,
			      "--place %s: %u ranks, %u on a node, need %u "
			      "nodes; the list has %u",
			      j->place, j->ranks, c->machine.ppn, want,
			      j->nodes);
	return 0;
}

static int contiguous(struct chooser *c, struct weft_place_job *j,
		      uint32_t want)
{
	uint32_t run = 0, node = 0;
	int err = 0;

	for (; node < c->machine.nodes && run < want; node++)
		run = c->taken[node] ? 0 : run + 1;
	if (run < want)
		return refuse(c,
			      "%s: no %u consecutive nodes are free; use "
			      "--place random or a larger shape",
			      j->name, want);
	for (uint32_t i = 0; i < want && !err; i++)
		err = take(c, j, node - want + i);
	return err;
}

static int read_seed(const struct chooser *c, const struct weft_place_job *j,
		     uint64_t *seed_p)
{
	const char *text = j->place + strlen("random");
	char *end;

	*seed_p = 1;
	if (!*text)
		return 0;
	errno = 0;
	*seed_p = strtoull(text + 1, &end, 10);
	if (*text != '=' || !isdigit((unsigned char)text[1]) || *end || errno)
		return refuse(c,
			      "--place %s: expected random, or random=SEED "
			      "with a whole number",
			      j->place);
	return 0;
}

/* Takes the first nodes of a random permutation of the free nodes. */
static int permute(struct chooser *c, struct weft_place_job *j, uint32_t want,
		   uint32_t *free_nodes)
{
	uint32_t n = 0;
	uint64_t seed;
	int err = read_seed(c, j, &seed);

	for (uint32_t i = 0; i < c->machine.nodes; i++)
		if (!c->taken[i])
			free_nodes[n++] = i;
	if (!err && n < want)
		err = refuse(c, "%s: %u nodes are free, %u are needed", j->name,
			     n, want);
	for (uint32_t i = 0; i < want && !err; i++) {
		uint64_t x = weft_hash_mix(weft_hash_mix(seed) + i);
		uint32_t k = i + (uint32_t)(x % (n - i));

		err = take(c, j, free_nodes[k]);
		free_nodes[k] = free_nodes[i];
	}
	return err;
}

static int at_random(struct chooser *c, struct weft_place_job *j, uint32_t want)
{
	uint32_t *free_nodes = calloc(c->machine.nodes, sizeof(*free_nodes));
	int err = free_nodes ? permute(c, j, want, free_nodes) : -ENOMEM;

	free(free_nodes);
	return err;
}

static int place_one(struct chooser *c, struct weft_place_job *j,
		     uint32_t *node_of)
{
	uint32_t want = weft_place_needed(j, c->machine.ppn);
	int err;

	j->nodes = 0;
	if (is_list(j))
		err = by_list(c, j, want);
	else if (!j->place || !strcmp(j->place, "contiguous"))
		err = contiguous(c, j, want);
	else if (!strncmp(j->place, "random", strlen("random")))
		err = at_random(c, j, want);
	else
		err = refuse(c,
			     "--place %s: expected contiguous, random, "
			     "random=SEED, or nodes such as 0-31,64",
			     j->place);
	for (uint32_t i = 0; i < j->ranks && !err; i++)
		node_of[i] = c->list[i / c->machine.ppn];
	return err;
}

/* Places the jobs that have a list, or those that have none. */
static int place_some(struct chooser *c, struct weft_place_job *job,
		      unsigned jobs, bool with_list, uint32_t *node_of)
{
	int err = 0;

	for (unsigned i = 0; i < jobs && !err; i++) {
		if (is_list(&job[i]) == with_list)
			err = place_one(c, &job[i], node_of);
		node_of += job[i].ranks;
	}
	return err;
}

int weft_place_jobs(const struct weft_place_machine *m,
		    struct weft_place_job *job, unsigned jobs,
		    uint32_t *node_of, char why[WEFT_PLACE_WHY])
{
	struct chooser c = { .machine = *m,
			     .taken = calloc(m->nodes, sizeof(*c.taken)),
			     .list = calloc(m->nodes, sizeof(*c.list)),
			     .why = why };
	int err = c.taken && c.list ? 0 : -ENOMEM;

	snprintf(why, WEFT_PLACE_WHY, "out of memory");
	if (!err)
		err = place_some(&c, job, jobs, true, node_of);
	if (!err)
		err = place_some(&c, job, jobs, false, node_of);
	free(c.taken);
	free(c.list);
	return err;
}
