/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixture for tests: two interfaces of one machine in one process. The header
 * of the machine defines the following, then includes this file:
 *
 *   struct side         with the interface, its address (name) and its number
 *                       in the tables of other interfaces (node)
 *   PAIR_UNIT           the field of the interface in struct side
 *   PAIR_FN(verb)       the function of the machine with this name
 *   side_close          closes the interface and frees its memory
 */
#ifndef WEFT_TEST_PAIR_H
#define WEFT_TEST_PAIR_H

#include "test/t.h"

#include <stdlib.h>
#include <string.h>

struct pair {
	union {
		struct {
			struct side a;
			struct side b;
		};
		struct side s[2];
	};
};

/* Returns zeroed memory for the rings and buffers of an interface. */
static inline void *pair_memory(size_t bytes)
{
	void *mem = aligned_alloc(128, bytes);

	T_NOT_NULL(mem);
	return memset(mem, 0, bytes);
}

/* Stores the address of another interface in the table of s. */
static inline void pair_introduce(struct side *s, struct side *other)
{
	PAIR_FN(name)(other->PAIR_UNIT, &other->name);
	T_OK(PAIR_FN(node_set)(s->PAIR_UNIT, other->node, &other->name));
}

static inline void pair_connect(struct pair *p)
{
	for (int i = 0; i < 4; i++)
		pair_introduce(&p->s[i / 2], &p->s[i % 2]);
}

static inline void pair_close(struct pair *p)
{
	side_close(&p->a);
	side_close(&p->b);
}

/* Polls both interfaces. */
static inline void pair_run(struct pair *p, int polls)
{
	for (int i = 0; i < polls; i++) {
		PAIR_FN(poll)(p->a.PAIR_UNIT, 16);
		PAIR_FN(poll)(p->b.PAIR_UNIT, 16);
	}
}

#endif
