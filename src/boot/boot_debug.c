/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that wait for a debugger (boot_debug.h). */
#include "src/boot/boot_debug.h"

#include "src/base/log.h"
#include "src/core/core_opts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK_NS 20000000 /* interval at which the gate is checked, ns */

/*
 * Set to 1 by a debugger that is attached; the name is that of the MPIR process
 * acquisition interface.
 */
volatile int MPIR_debug_gate;

/*
 * Returns whether the list ("all", or ranks separated by commas) contains rank.
 */
static bool has_rank(const char *list, int rank)
{
	char *end;

	if (!strcmp(list, "all"))
		return true;
	for (; *list; list = *end == ',' ? end + 1 : end) {
		long n = strtol(list, &end, 10);

		if (end == list || (*end && *end != ','))
			return false;
		if (n == rank)
			return true;
	}
	return false;
}

void weft_debug_wait(int rank)
{
	const char *list =
		weft_cfg_get(&weft_core_opts[WEFT_OPT_DEBUG_WAIT]).text;
	const struct timespec period = { 0, CHECK_NS };

	if (!has_rank(list, rank) || MPIR_debug_gate)
		return;
	weft_log(WEFT_LOG_WARN,
		 "waiting for a debugger: gdb -p %d -ex 'set var "
		 "MPIR_debug_gate = 1'",
		 (int)getpid());
	while (!MPIR_debug_gate)
		nanosleep(&period, NULL);
}
