/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of processes for debuggers (run_mpir.h). */
#include "src/tools/run/job/run_mpir.h"

#include "src/base/attr.h"

#include <stdlib.h>
#include <string.h>

#define DEBUG_SPAWNED 1 /* MPIR_DEBUG_SPAWNED */

/* the debugger reads and writes these variables by name */
#define FOR_DEBUGGER __attribute__((used, visibility("default")))

typedef struct {
	char *host_name;
	char *executable_name;
	int pid;
} MPIR_PROCDESC;

FOR_DEBUGGER MPIR_PROCDESC *MPIR_proctable;
FOR_DEBUGGER int MPIR_proctable_size;
FOR_DEBUGGER volatile int MPIR_debug_state;
FOR_DEBUGGER volatile int MPIR_being_debugged;
/* symbol whose presence shows that mpiexec is not a rank */
FOR_DEBUGGER int MPIR_i_am_starter;
/* symbol whose presence shows that each rank can be released separately */
FOR_DEBUGGER int MPIR_partial_attach_ok;
FOR_DEBUGGER char *MPIR_debug_abort_string;
FOR_DEBUGGER void *MPIR_Breakpoint(void);

WEFT_NOINLINE void *MPIR_Breakpoint(void)
{
	/* prevents the compiler from removing calls to this function */
	__asm__ volatile("" ::: "memory");
	return NULL;
}

bool run_mpir_debugged(void)
{
	return MPIR_being_debugged != 0;
}

void run_mpir_publish(struct run_job *job)
{
	size_t n = (size_t)MPIR_proctable_size + (size_t)job->nranks;
	MPIR_PROCDESC *table = realloc(MPIR_proctable, n * sizeof(*table));

	if (!table)
		return;
	MPIR_proctable = table;
	for (int i = 0; i < job->nranks; i++)
		table[MPIR_proctable_size++] = (MPIR_PROCDESC){
			strdup(job->host),
			strdup(job->opts->app[job->rank[i].app].argv[0]),
			job->rank[i].pid
		};
	MPIR_debug_state = DEBUG_SPAWNED;
	MPIR_Breakpoint();
}
