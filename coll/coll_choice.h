/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choices of algorithms that the machine file of a job in virtual time
 * contains, since the fastest algorithm depends on the machine. A choice
 * applies to a range of numbers of ranks and of bytes, and has precedence over
 * the algorithm table; a row that the user forces has precedence over the
 * choice. weft-tune(1) makes the choices.
 */
#ifndef WEFT_COLL_CHOICE_H
#define WEFT_COLL_CHOICE_H

#include "coll/coll_select.h"

/*
 * coll_choices_load() reads the choices from the job's backend; a live job has
 * none. Its argument (coll_algo_named) returns the row of an algorithm.
 */
typedef const struct coll_algo *(*coll_find_fn)(enum weft_coll_kind kind,
						const char *name);
void coll_choices_load(coll_find_fn find);
bool coll_has_choices(enum weft_coll_kind kind);
/* Returns the chosen row, or NULL; bytes as returned by coll_volume(). */
const struct coll_algo *coll_choice(enum weft_coll_kind kind, uint64_t bytes,
				    int ranks);

#endif
