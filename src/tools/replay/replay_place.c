/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes of the programs that share a machine. A node has ranks of one program
 * only. Programs with a list get their nodes first, then the others in their
 * order:
 *
 *   0-31,64      these nodes, in this order
 *   contiguous   the first run of free nodes with consecutive numbers
 *   random=SEED  random free nodes
 */
#include "src/tools/replay/replay_int.h"

#include "src/base/hash.h"

#include <stdlib.h>
#include <string.h>

struct chooser {
	uint32_t nodes, ppn;
	bool *taken;
	uint32_t *list; /* nodes of the program being placed */
};

static uint32_t needed(const struct replay_program *p, uint32_t ppn)
{
	return (p->size + ppn - 1) / ppn;
}

static bool is_list(const struct replay_program *p)
{
	return p->place && *p->place >= '0' && *p->place <= '9';
}

static void take(struct chooser *c, struct replay_program *p, uint32_t node)
{
	if (node >= c->nodes)
		replay_fail("--place %s: the machine has %u nodes, 0 to %u",
			    p->place, c->nodes, c->nodes - 1);
	if (c->taken[node])
		replay_fail("--place %s: node %u is in use", p->place, node);
	c->taken[node] = true;
	c->list[p->nodes++] = node;
}

/* Takes the nodes of a list such as "0-31,64"; a list may be too long. */
static void by_list(struct chooser *c, struct replay_program *p, uint32_t want)
{
	const char *at = p->place;

	while (*at && p->nodes < want) {
		char *end;
		unsigned long a = strtoul(at, &end, 10), b = a;

		if (end == at)
			break;
		if (*end == '-') {
			at = end + 1;
			b = strtoul(at, &end, 10);
		}
		if (end == at || b < a || (*end && *end != ',') ||
		    b > UINT32_MAX)
			break;
		for (; a <= b && p->nodes < want; a++)
			take(c, p, (uint32_t)a);
		at = end + (*end == ',');
	}
	if (*at && p->nodes < want)
		replay_fail("--place %s: expected nodes such as 0-31,64",
			    p->place);
	if (p->nodes < want)
		replay_fail("--place %s: %u nodes for %u ranks, %u on a node",
			    p->place, p->nodes, p->size, c->ppn);
}

static void contiguous(struct chooser *c, struct replay_program *p,
		       uint32_t want)
{
	uint32_t run = 0, node = 0;

	for (; node < c->nodes && run < want; node++)
		run = c->taken[node] ? 0 : run + 1;
	if (run < want)
		replay_fail("%s: no %u consecutive nodes are free", p->name,
			    want);
	for (uint32_t i = 0; i < want; i++)
		take(c, p, node - want + i);
}

static uint64_t seed_of(const struct replay_program *p)
{
	const char *text = p->place + strlen("random");
	char *end;
	uint64_t seed = 1;

	if (!*text)
		return seed;
	seed = strtoull(text + 1, &end, 10);
	if (*text != '=' || end == text + 1 || *end)
		replay_fail("--place %s: expected random=SEED, a whole number",
			    p->place);
	return seed;
}

/* The first nodes of a random permutation of the free ones. */
static void at_random(struct chooser *c, struct replay_program *p,
		      uint32_t want)
{
	uint32_t *free_nodes = calloc(c->nodes, sizeof(*free_nodes)), n = 0;
	uint64_t seed = seed_of(p);

	if (!free_nodes)
		replay_fail("out of memory");
	for (uint32_t i = 0; i < c->nodes; i++)
		if (!c->taken[i])
			free_nodes[n++] = i;
	if (n < want)
		replay_fail("%s: %u nodes are free, %u are needed", p->name, n,
			    want);
	for (uint32_t i = 0; i < want; i++) {
		uint64_t x = weft_hash_mix(weft_hash_mix(seed) + i);
		uint32_t k = i + (uint32_t)(x % (n - i));

		take(c, p, free_nodes[k]);
		free_nodes[k] = free_nodes[i];
	}
	free(free_nodes);
}

static void place_one(struct chooser *c, struct replay_program *p,
		      struct weft_vt_place *where)
{
	uint32_t want = needed(p, c->ppn);

	if (is_list(p))
		by_list(c, p, want);
	else if (!p->place || !strcmp(p->place, "contiguous"))
		contiguous(c, p, want);
	else if (!strncmp(p->place, "random", 6))
		at_random(c, p, want);
	else
		replay_fail("--place %s: expected contiguous, random=SEED, or "
			    "nodes such as 0-31,64",
			    p->place);
	for (uint32_t i = 0; i < p->size; i++)
		where[p->first + i] =
			(struct weft_vt_place){ c->list[i / c->ppn],
						i % c->ppn };
}

static bool uses_places(const struct replay_job *j)
{
	bool uses = j->programs > 1;

	for (unsigned i = 0; i < j->programs; i++)
		uses = uses || j->program[i].place;
	return uses;
}

struct weft_vt_place *replay_place(struct replay_job *j, uint32_t *nodes_p)
{
	struct weft_vt_place *where;
	struct chooser c = { .ppn = j->opt.ppn };

	if (!uses_places(j))
		return NULL;
	if (j->opt.map)
		replay_fail("--map places one job; several jobs, and jobs with "
			    "--place, have a list of nodes each");
	if (weft_vt_nodes(j->opt.machine, &c.nodes, &c.ppn))
		exit(2);
	for (unsigned i = 0; i < j->programs; i++)
		*nodes_p += needed(&j->program[i], c.ppn);
	c.nodes = *nodes_p;
	if (weft_vt_nodes(j->opt.machine, &c.nodes, &c.ppn))
		exit(2);
	where = calloc(j->size, sizeof(*where));
	c.taken = calloc(c.nodes, sizeof(*c.taken));
	c.list = calloc(c.nodes, sizeof(*c.list));
	if (!where || !c.taken || !c.list)
		replay_fail("out of memory");
	for (unsigned i = 0; i < j->programs; i++)
		if (is_list(&j->program[i]))
			place_one(&c, &j->program[i], where);
	for (unsigned i = 0; i < j->programs; i++)
		if (!is_list(&j->program[i]))
			place_one(&c, &j->program[i], where);
	j->opt.ppn = c.ppn;
	free(c.taken);
	free(c.list);
	return where;
}
