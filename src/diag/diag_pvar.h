/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of performance variables: all counters of the MPI layer and the
 * provider. They can be read at any time; before MPI_Init all are 0.
 */
#ifndef WEFT_DIAG_PVAR_H
#define WEFT_DIAG_PVAR_H

#include <stdbool.h>
#include <stdint.h>

enum weft_pvar_from {
	WEFT_PVAR_CORE,	    /* a counter of diag_count.h */
	WEFT_PVAR_SENT,	    /* sum of the counters of all send paths */
	WEFT_PVAR_PENDING,  /* number of operations in the retry queue */
	WEFT_PVAR_PROVIDER, /* a field of the provider's statistics */
	WEFT_PVAR_CLOCK,    /* the job's clock */
};

struct weft_pvar {
	const char *name;
	const char *help;
	enum weft_pvar_from from;
	unsigned position; /* index of the counter, or offset of the field */
	bool level;	   /* a current level, not a sum */
};

extern const struct weft_pvar weft_pvars[];
extern const int weft_pvar_count;
/* index of the provider's first variable; earlier ones are the core's */
extern const int weft_pvar_first_provider;

/* Reads variable i. Returns 0, or -ENOTSUP if the provider does not have it. */
int weft_pvar_read(int i, uint64_t *value_p);

#endif
