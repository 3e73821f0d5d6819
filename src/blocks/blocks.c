/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instrumented clock for virtual time: counts the basic blocks that a program
 * executes. The program is compiled with -fsanitize-coverage=trace-pc, which
 * makes the compiler insert a call of __sanitizer_cov_trace_pc() into every
 * basic block, and is linked with -lweft-blocks. prov/vt/vt_compute.c reads the
 * count (mpiexec --compute blocks=N). Libraries that are compiled without this
 * option are not counted.
 */
#include <stdint.h>

uint64_t weft_blocks_executed(void);
void __sanitizer_cov_trace_pc(void);

static _Thread_local uint64_t executed;

void __sanitizer_cov_trace_pc(void)
{
	executed++;
}

/* Returns the number of basic blocks that this thread has executed. */
uint64_t weft_blocks_executed(void)
{
	return executed;
}
