/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the options of the MPI layer (core_opts.h). */
#include "src/core/core_opts.h"
#include "src/job/job_network.h"
#include "src/job/job_own.h"

bool weft_core_exact;

const struct weft_cfg_opt weft_core_opts[WEFT_OPT_COUNT] = {
	[WEFT_OPT_CHECK] = { "WEFT_CHECK", WEFT_CFG_BOOL, "1",
			     "check the arguments of MPI calls", NULL },
	[WEFT_OPT_SPIN] = { "WEFT_SPIN", WEFT_CFG_INT, "-1",
			    "empty polls before a waiting rank blocks; -1: "
			    "many if every rank has a core, else few",
			    NULL },
	[WEFT_OPT_STARTUP_REPORT] = { "WEFT_STARTUP_REPORT", WEFT_CFG_BOOL, "0",
				      "rank 0 prints how long the steps of "
				      "MPI_Init took",
				      NULL },
	[WEFT_OPT_SINGLETON] = { "WEFT_SINGLETON", WEFT_CFG_BOOL, "0",
				 "run as a single process even if a "
				 "launcher's variables are set",
				 NULL },
	[WEFT_OPT_LOG] = { "WEFT_LOG", WEFT_CFG_TEXT, "warn",
			   "level of messages on stderr",
			   "error|warn|info|debug" },
	[WEFT_OPT_LOCAL_RANKS] = { "WEFT_LOCAL_RANKS", WEFT_CFG_INT, "0",
				   "set by mpiexec: ranks on this host", NULL },
	[WEFT_OPT_LOCAL_CPUS] = { "WEFT_LOCAL_CPUS", WEFT_CFG_INT, "0",
				  "processors for the ranks of this host; "
				  "mpiexec sets it",
				  NULL },
	[WEFT_OPT_PROVIDER_LIB] = { "WEFT_PROVIDER_LIB", WEFT_CFG_TEXT, "",
				    "file of the libfabric provider, instead "
				    "of the one in the library's directory",
				    NULL },
	[WEFT_OPT_REPORT] = { "WEFT_REPORT", WEFT_CFG_BOOL, "0",
			      "time every MPI call for the report at the end",
			      NULL },
	[WEFT_OPT_JOB_PAGE] = { "WEFT_JOB_PAGE", WEFT_CFG_INT, "-1",
				"set by mpiexec: descriptor of the job status "
				"page, in which ranks record their current "
				"call",
				NULL },
	[WEFT_OPT_JOB_EVENTS] = { "WEFT_JOB_EVENTS", WEFT_CFG_INT, "-1",
				  "set by mpiexec in virtual time: descriptor "
				  "of the pipe on which ranks report their "
				  "start and end",
				  NULL },
	[WEFT_OPT_JOB_OWN] = { WEFT_JOB_OWN, WEFT_CFG_TEXT, "",
			       "set by mpiexec --job: first rank and number of "
			       "ranks of this rank's job",
			       NULL },
	[WEFT_OPT_JOB_NETWORK] = { WEFT_JOB_NETWORK, WEFT_CFG_BOOL, "0",
				   "processes on other hosts may connect to "
				   "this one; set by mpiexec in a job with "
				   "several hosts in its list, and by "
				   "MPI_Comm_spawn",
				   NULL },
	[WEFT_OPT_TRACE_FD] = { "WEFT_TRACE_FD", WEFT_CFG_INT, "-1",
				"set by mpiexec: descriptor of the file to "
				"which ranks write events",
				NULL },
	[WEFT_OPT_RECORD] = { "WEFT_RECORD", WEFT_CFG_TEXT, "",
			      "set by mpiexec --record: file to which ranks "
			      "write their calls",
			      NULL },
	[WEFT_OPT_VERBOSE] = { "WEFT_VERBOSE", WEFT_CFG_BOOL, "0",
			       "rank 0 prints a summary at the end of virtual "
			       "time, with a hash of all events",
			       NULL },
	[WEFT_OPT_WIN_PATH] = { "WEFT_WIN_PATH", WEFT_CFG_TEXT, "memory",
				"what one-sided communication may use: the "
				"shared memory of the host, else libfabric's "
				"reads, writes and atomics, else messages",
				"memory|fabric|messages" },
	[WEFT_OPT_HEALTH] = { "WEFT_HEALTH", WEFT_CFG_INT, "0",
			      "period in ms in which ranks of a host check "
			      "each other, for weft-info --health and error "
			      "messages about dead peers; 0: off",
			      "0..60000" },
	[WEFT_OPT_HEALTH_TEMP] = { "WEFT_HEALTH_TEMP", WEFT_CFG_INT, "95",
				   "degrees above which a host is sick; 0: "
				   "never",
				   "0..1000" },
	[WEFT_OPT_HEALTH_LOAD] = { "WEFT_HEALTH_LOAD", WEFT_CFG_INT, "0",
				   "runnable tasks per processor above which "
				   "a host is sick; 0: never",
				   "0..1000000" },
	[WEFT_OPT_HEALTH_TORUS] = { "WEFT_HEALTH_TORUS", WEFT_CFG_TEXT, "",
				    "shape of the torus in which ranks check "
				    "their neighbours, \"4x2x2\"; mpiexec "
				    "sets it to the machine's shape",
				    NULL },
	[WEFT_OPT_KEY_FILE] = { "WEFT_KEY_FILE", WEFT_CFG_TEXT, "",
				"file with the user's key, created on first "
				"use; "
				"empty: .weft_key in the home directory",
				NULL },
	[WEFT_OPT_REGIONS] = { "WEFT_REGIONS", WEFT_CFG_TEXT, "",
			       "file with the times of the program's regions "
			       "in virtual time (weft/region.h), set by "
			       "mpiexec --compute-table",
			       NULL },
	[WEFT_OPT_SURVIVE] = { "WEFT_SURVIVE", WEFT_CFG_BOOL, "0",
			       "ranks continue after the failure of a rank, "
			       "which their calls report; set by mpiexec "
			       "--survive",
			       NULL },
	[WEFT_OPT_DEBUG_WAIT] = { "WEFT_DEBUG_WAIT", WEFT_CFG_TEXT, "",
				  "these ranks (\"all\", or a list such as "
				  "0,3) wait in MPI_Init until a debugger sets "
				  "MPIR_debug_gate",
				  NULL },
	[WEFT_OPT_EXACT] = { "WEFT_EXACT", WEFT_CFG_BOOL, "0",
			     "MPI_SUM of doubles is rounded once in every "
			     "reduction, whatever the number and order of "
			     "ranks",
			     NULL },
};
