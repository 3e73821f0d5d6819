/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance variables: everything the core and the provider count, as one
 * table. Usable at any time; before MPI_Init everything is 0.
 */
#ifndef WEFT_CORE_TOOL_H
#define WEFT_CORE_TOOL_H

#include <stdbool.h>
#include <stdint.h>

enum weft_pvar_from {
	WEFT_PVAR_CORE,	    /* a counter of core_count.h */
	WEFT_PVAR_SENT,	    /* the sum of all ways of sending */
	WEFT_PVAR_PENDING,  /* requests that wait in the retry queue */
	WEFT_PVAR_PROVIDER, /* a field of the provider's statistics */
};

struct weft_pvar {
	const char *name;
	const char *help;
	enum weft_pvar_from from;
	unsigned at; /* which counter, or offset of the field */
	bool level;  /* how much there is now, not how much there was */
};

extern const struct weft_pvar weft_pvars[];
extern const int weft_pvar_count;
extern const int weft_pvar_first_provider; /* those before are the core's */

/* 0; -ENOTSUP: the provider below does not count this. */
int weft_pvar_read(int i, uint64_t *value_p);

#endif
