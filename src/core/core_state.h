/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process as a member of its job: what MPI_Init builds and MPI_Finalize
 * takes down. One per process; everything else hangs on objects.
 */
#ifndef WEFT_CORE_STATE_H
#define WEFT_CORE_STATE_H

#include "src/base/list.h"
#include "src/base/patience.h"
#include "src/base/pool.h"
#include "src/core/core_comm.h"

#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <stdalign.h>

enum weft_phase {
	WEFT_BEFORE_INIT,
	WEFT_RUNNING,
	WEFT_AFTER_FINALIZE,
};

/* Another process of the job. */
struct weft_proc {
	fi_addr_t addr; /* FI_ADDR_NOTAVAIL: take the slow path */
	fi_addr_t real; /* the address once it is known */
	uint32_t pend;	/* sends that wait in core_pend.c */
	uint32_t stamp; /* last retry pass that found it full */
};

/* What the launcher told us. */
struct weft_job {
	int rank;
	int size;
	int local_rank;
	int local_size;
	int appnum;   /* -1: unknown */
	int universe; /* -1: unknown */
	bool launched;
	int *local; /* local_size job indices of those on my host; or NULL */
};

#define WEFT_DEAR_LOOKS 12 /* as many as a message of another host takes */

struct weft_core {
	/* read by every message: a line */
	alignas(WEFT_CACHE_LINE) struct fid_ep *ep;
	struct fid_cq *cq;
	struct weft_proc *proc; /* job.size of them */
	size_t inject_bytes;
	unsigned pending;   /* requests in the retry queues */
	unsigned joining;   /* routes that are being joined */
	weft_au32 stepping; /* requests that are stepped */
	weft_au32 spin;	    /* empty polls before sleeping */
	bool looks_dear;    /* at a socket: those in vain become fewer */
	bool crowded;	    /* more ranks than processors on this host */
	bool virt;	    /* the clock is virtual: core_world.h */
	bool tells_met;	    /* of sends, the provider: core_ctrl.h */
	double tick_s;	    /* of weft_ticks(); 0: the clock is asked */
	struct fi_weft_recv
		*recv;	 /* receives that no queue hears of, or NULL */
	bool recv_calls; /* so do those that are requests */
	struct fi_weft_mem *device; /* core_device.h; NULL: no such memory */

	weft_au32 phase; /* enum weft_phase */
	int thread_level;
	pthread_t main_thread;
	struct weft_job job;
	struct weft_comm *world;
	struct weft_comm *self;

	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fi_weft_typed *typed; /* core_typed.h; NULL: there are none */
	bool can_sleep;		     /* fi_cq_sread works */
	struct weft_patience patience;
	size_t max_bytes;     /* of one message */
	size_t iov_limit;     /* pieces of one send or receive */
	struct weft_pool p2p; /* requests of core_p2p.c */
	char host[MPI_MAX_PROCESSOR_NAME];
};

extern struct weft_core weft_core WEFT_HIDDEN;

static inline bool weft_running(void)
{
	return weft_load32(&weft_core.phase) == WEFT_RUNNING;
}

#endif
