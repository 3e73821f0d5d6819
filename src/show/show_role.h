/* SPDX-License-Identifier: BSD-3-Clause */
/* What each MPI function may wait for, by its name. Used by show_wait.c. */
#ifndef WEFT_SHOW_ROLE_H
#define WEFT_SHOW_ROLE_H

#include "src/show/show.h"

enum {
	ROLE_RECV = 1,	       /* messages to this rank */
	ROLE_SEND = 2,	       /* completions of the rank's own sends */
	ROLE_COLL_MESSAGE = 4, /* messages within a collective */
	ROLE_SYNC = 8,	  /* MPI_Win_post and MPI_Win_complete of other ranks */
	ROLE_LOCK = 16,	  /* MPI_Win_unlock of other ranks */
	ROLE_UNLOCK = 32, /* is MPI_Win_unlock itself */
	ROLE_POLL = 64,	  /* returns immediately; called in a loop */
};

struct show_role {
	unsigned waits;	       /* ROLE_ */
	enum show_class class; /* class of a collective; else SHOW_NO_CLASS */
};

/* Fills role, JOB_PAGE_NAMES entries. */
void show_roles(const struct show *s, struct show_role *role);

#endif
