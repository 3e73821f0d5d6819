/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that each MPI function may wait for, for report_wait.c. */
#ifndef WEFT_REPORT_ROLE_H
#define WEFT_REPORT_ROLE_H

#include "src/tools/report/report.h"

enum {
	ROLE_RECV = 1,	       /* messages to this rank */
	ROLE_SEND = 2,	       /* completions of sends of this rank */
	ROLE_COLL_MESSAGE = 4, /* messages within a collective */
	ROLE_SYNC = 8,	  /* MPI_Win_post and MPI_Win_complete of other ranks */
	ROLE_LOCK = 16,	  /* MPI_Win_unlock of other ranks */
	ROLE_UNLOCK = 32, /* the function is MPI_Win_unlock */
	ROLE_POLL = 64,	  /* returns immediately; called in a loop */
};

struct report_role {
	unsigned waits;		 /* ROLE_ flags */
	enum report_class class; /* class of a collective; else REPORT_NO_CLASS
				  */
};

/* Fills the JOB_PAGE_NAMES entries of role. */
void report_roles(const struct report *s, struct report_role *role);

#endif
