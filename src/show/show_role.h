/* SPDX-License-Identifier: BSD-3-Clause */
/* What each MPI function may wait for, by its name. */
#ifndef WEFT_SHOW_ROLE_H
#define WEFT_SHOW_ROLE_H

#include "src/show/show.h"

enum {
	ROLE_RECV = 1,	  /* messages to this rank */
	ROLE_SEND = 2,	  /* completions of its own sends */
	ROLE_INSIDE = 4,  /* messages of a collective */
	ROLE_SYNC = 8,	  /* MPI_Win_post and MPI_Win_complete of others */
	ROLE_LOCK = 16,	  /* MPI_Win_unlock of others */
	ROLE_UNLOCK = 32, /* is one */
	ROLE_POLL = 64,	  /* returns at once; called in a loop */
};

struct show_role {
	unsigned waits;	       /* ROLE_ */
	enum show_class class; /* of a collective; else SHOW_NO_CLASS */
};

/* role: ROLL_NAMES of them. */
void show_roles(const struct show *s, struct show_role *role);

#endif
