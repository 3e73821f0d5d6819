/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the tests of prov/ofi: four machines, an endpoint and a carrier with only
 * the parts that the libfabric layer uses. Packets are only counted: any thread
 * may increment the number, and progress turns each packet into one completion
 * and one count of the endpoint.
 */
#ifndef WEFT_OFI_FAKE_H
#define WEFT_OFI_FAKE_H

#include "prov/ofi/weft_ofi.h"

#include <pthread.h>

struct fake {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	bool no_fd; /* the carriers of endpoints have no descriptor */
};

/* Opens a fabric and a domain with these modes; asserts success. */
void fake_open(struct fake *f, enum fi_threading threading,
	       enum fi_progress progress);
void fake_close(struct fake *f);

#define FAKE_PEERS 64

struct fake_ep {
	struct weft_ep ep;
	struct weft_carrier carrier;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	weft_au32 due; /* packets that have arrived and are not polled */
	bool woken;
	bool no_fd;
	int fd;
	uint64_t serial; /* number of the next completion, stored in its data */
	struct weft_peer peer[FAKE_PEERS];
	union weft_name name[FAKE_PEERS]; /* names of the peers */
	uint32_t peer_count;
	uint64_t exposed; /* number of regions listed now */
};

/* Opens an enabled endpoint with cq, cntr and av, each of which may be NULL. */
struct fake_ep *fake_ep_open(struct fake *f, struct fid_cq *cq,
			     struct fid_cntr *cntr, struct fid_av *av);
void fake_ep_close(struct fake_ep *e);
/* Lets n packets arrive; callable from any thread. */
void fake_arrive(struct fake_ep *e, uint32_t n);

#endif
