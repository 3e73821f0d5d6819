/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the MPI layer: WEFT_* in the environment. */
#ifndef WEFT_CORE_OPTS_H
#define WEFT_CORE_OPTS_H

#include "src/job/job_cfg.h"

enum weft_core_opt {
	WEFT_OPT_CHECK,
	WEFT_OPT_SPIN,
	WEFT_OPT_STARTUP_REPORT,
	WEFT_OPT_SINGLETON,
	WEFT_OPT_LOG,
	WEFT_OPT_LOCAL_RANKS,
	WEFT_OPT_LOCAL_CPUS,
	WEFT_OPT_PROVIDER_LIB,
	WEFT_OPT_REPORT,
	WEFT_OPT_JOB_PAGE,
	WEFT_OPT_TRACE_FD,
	WEFT_OPT_EXACT,
	WEFT_OPT_VERBOSE,
	WEFT_OPT_WIN_PATH,
	WEFT_OPT_HEALTH,
	WEFT_OPT_HEALTH_TEMP,
	WEFT_OPT_HEALTH_LOAD,
	WEFT_OPT_HEALTH_TORUS,
	WEFT_OPT_KEY_FILE,
	WEFT_OPT_REGIONS,
	WEFT_OPT_COUNT,
};

extern bool weft_core_exact;
extern const struct weft_cfg_opt weft_core_opts[WEFT_OPT_COUNT];

#endif
