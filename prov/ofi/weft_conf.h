/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the provider, which are libfabric parameters. */
#ifndef WEFT_OFI_CONF_H
#define WEFT_OFI_CONF_H

#include "prov/ofi/weft_ofi.h"
#include "src/job/job_cfg.h"

struct weft_conf {
	const struct weft_machine *machine;	/* FI_WEFT_MACHINE */
	const struct weft_carrier_ops *carrier; /* FI_WEFT_CARRIER, or NULL */
	const char *faults;			/* FI_WEFT_FAULTS */
	const char *iface;			/* FI_WEFT_IFACE */
	sa_family_t family;  /* FI_WEFT_FAMILY; AF_UNSPEC: auto */
	const char *key;     /* FI_WEFT_KEY */
	bool encrypt;	     /* FI_WEFT_ENCRYPT */
	uint32_t silence_ms; /* FI_WEFT_SILENCE */
	size_t stream_min;   /* FI_WEFT_STREAM_MIN */
	bool dma;	     /* FI_WEFT_DMA */
	bool peer;	     /* FI_WEFT_PEER */
	size_t spin_ns;	     /* FI_WEFT_SPIN */
	/* FI_WEFT_EAGER; 0: the machine's limit */
	size_t eager_bytes;
	size_t host_eager;	      /* FI_WEFT_HOST_EAGER */
	size_t host_shared_copy;      /* FI_WEFT_SHARED_COPY_MIN */
	size_t host_shared_copy_busy; /* FI_WEFT_SHARED_COPY_MIN_BUSY */
	size_t host_loop;	      /* FI_WEFT_COPY_LOOP_MAX */
	/* FI_WEFT_FIFO; 0: the carrier's default */
	uint32_t fifo_slots;
	int node;			    /* FI_WEFT_NODE; -1: unknown */
	unsigned arity;			    /* FI_WEFT_ARITY */
	bool host_match;		    /* FI_WEFT_MATCH */
	const struct weft_backend *backend; /* FI_WEFT_CLOCK */
	struct weft_vt_conf vt; /* FI_WEFT_MACHINE, _MAP, _PPN, _COMPUTE */
	const char *job;	/* FI_WEFT_JOB */
};

/*
 * Returns the options, which are read from the environment at the first call.
 */
const struct weft_conf *weft_conf(void);

/*
 * Returns entry i of the machine table; the entry of the configured machine has
 * the sizes from its machine file. NULL: no more entries.
 */
const struct weft_machine *weft_conf_machine_at(unsigned i);
extern const struct weft_cfg_table weft_conf_options;

#endif
