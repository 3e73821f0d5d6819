/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms chosen by the machine file (coll_choice.h). */
#include "coll/coll_choice.h"

#include "src/core/core_state.h"
#include "src/job/job_log.h"

#include <ctype.h>
#include <rdma/fi_ext_weft.h>
#include <string.h>

#define CHOICES_MAX 64

static struct choice {
	enum weft_coll_kind kind;
	const struct coll_algo *row;
	uint64_t bytes_min, bytes_max;
	uint32_t ranks_min, ranks_max;
} choices[CHOICES_MAX];
static unsigned choice_count;
static unsigned chosen_kinds; /* bit mask */

/*
 * Returns whether `operation`, for example "bcast", is the kind of the option
 * WEFT_COLL_BCAST.
 */
static bool is_kind(enum weft_coll_kind kind, const char *operation)
{
	const char *name = weft_coll_options[kind].name + strlen("WEFT_COLL_");

	while (*name && tolower((unsigned char)*name) == *operation) {
		name++;
		operation++;
	}
	return !*name && !*operation;
}

static const struct coll_algo *row_of(const struct fi_weft_choice *c,
				      coll_find_fn find,
				      enum weft_coll_kind *kind_p)
{
	for (unsigned k = 0; k < WEFT_COLL_KINDS; k++)
		if (is_kind((enum weft_coll_kind)k, c->operation)) {
			*kind_p = (enum weft_coll_kind)k;
			return find(*kind_p, c->algorithm);
		}
	return NULL;
}

static void add_choice(const struct fi_weft_choice *c, coll_find_fn find)
{
	struct choice *to = &choices[choice_count];

	to->row = row_of(c, find, &to->kind);
	if (!to->row) {
		weft_log_once(WEFT_LOG_WARN,
			      "machine file: choose_%.19s: no algorithm "
			      "\"%.19s\"; the choice is ignored",
			      c->operation, c->algorithm);
		return;
	}
	to->bytes_min = c->bytes_min;
	to->bytes_max = c->bytes_max;
	to->ranks_min = c->ranks_min;
	to->ranks_max = c->ranks_max;
	chosen_kinds |= 1u << to->kind;
	choice_count++;
}

void coll_choices_load(coll_find_fn find)
{
	struct fi_weft_choice c;

	choice_count = chosen_kinds = 0;
	if (!weft_core.backend || !weft_core.backend->choice)
		return;
	for (unsigned i = 0;
	     choice_count < CHOICES_MAX && !weft_core.backend->choice(i, &c);
	     i++)
		add_choice(&c, find);
}

bool coll_has_choices(enum weft_coll_kind kind)
{
	return chosen_kinds >> kind & 1;
}

const struct coll_algo *coll_choice(enum weft_coll_kind kind, uint64_t bytes,
				    int ranks)
{
	for (unsigned i = 0; i < choice_count; i++) {
		const struct choice *c = &choices[i];

		if (c->kind == kind && bytes >= c->bytes_min &&
		    (!c->bytes_max || bytes <= c->bytes_max) &&
		    (uint32_t)ranks >= c->ranks_min &&
		    (!c->ranks_max || (uint32_t)ranks <= c->ranks_max))
			return c->row;
	}
	return NULL;
}
