/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the libfabric provider: FI_WEFT_* in the environment. The provider
 * reads them; the MPI library presents them as control variables of MPI_T.
 */
#ifndef WEFT_JOB_FI_OPTS_H
#define WEFT_JOB_FI_OPTS_H

#include "src/job/job_cfg.h"

enum weft_fi_opt {
	WEFT_FI_MACHINE,
	WEFT_FI_CARRIER,
	WEFT_FI_FAULTS,
	WEFT_FI_IFACE,
	WEFT_FI_FAMILY,
	WEFT_FI_KEY,
	WEFT_FI_ENCRYPT,
	WEFT_FI_SILENCE,
	WEFT_FI_STREAM_MIN,
	WEFT_FI_DMA,
	WEFT_FI_PEER,
	WEFT_FI_CUDA, /* read by prov/mem */
	WEFT_FI_SPIN,
	WEFT_FI_EAGER,
	WEFT_FI_HOST_EAGER,
	WEFT_FI_HOST_SHARED_COPY,
	WEFT_FI_HOST_SHARED_COPY_BUSY,
	WEFT_FI_HOST_LOOP,
	WEFT_FI_FIFO,
	WEFT_FI_NODE,
	WEFT_FI_ARITY,
	WEFT_FI_MATCH,
	WEFT_FI_CLOCK,
	WEFT_FI_PPN,
	WEFT_FI_MAP,
	WEFT_FI_COMPUTE,
	WEFT_FI_NOISE,
	WEFT_FI_SKELETON,
	WEFT_FI_JOB,
	WEFT_FI_UNIVERSE,
	WEFT_FI_COUNT,
};

extern const struct weft_cfg_opt weft_fi_opts[WEFT_FI_COUNT];

#endif
