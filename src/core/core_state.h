/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of this process as a member of its job, created by the first MPI_Init
 * or MPI_Session_init (src/boot/boot_init.c). Each process has one; all other
 * state is in objects.
 */
#ifndef WEFT_CORE_STATE_H
#define WEFT_CORE_STATE_H

#include "src/core/core_backend.h"
#include "src/base/list.h"
#include "src/os/wait_policy.h"
#include "src/base/pool.h"
#include "src/comm/comm.h"

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

/* Record of a process with which this process may communicate. */
struct weft_proc {
	/* address for the fast path; FI_ADDR_NOTAVAIL: take the slow path */
	fi_addr_t addr;
	fi_addr_t real; /* address; FI_ADDR_NOTAVAIL: not known yet */
	uint32_t pend;	/* number of sends queued in msg_retry.c */
	/* number of the last retry pass that got -EAGAIN for this process */
	uint32_t stamp;
};

/* Data about the job from the launcher. */
struct weft_job {
	int rank;
	int size;
	int local_size;
	/*
	 * rank that this job's rank 0 has in the world of virtual time: not 0
	 * in a spawned job and in the second and later jobs of one mpiexec.
	 * Live mode: 0
	 */
	int base;
	/*
	 * index of this process among all processes that the launcher has
	 * started, and the number of these processes: equal to rank and size,
	 * unless mpiexec runs several jobs
	 */
	int member;
	int members;
	/* background job, which ends when the other jobs have ended */
	bool background;
	int appnum;   /* MPI_APPNUM; -1: unknown */
	int universe; /* MPI_UNIVERSE_SIZE; -1: unknown */
	bool launched;
	int *local; /* ranks on this host, local_size entries; or NULL */
};

/* number of polls that take as long as a message from another host */
#define WEFT_SYSCALL_POLLS 12

struct weft_core {
	/* cache line that every send and receive reads */
	alignas(WEFT_CACHE_LINE) struct fid_ep *ep;
	struct fid_cq *cq;
	/* array of `procs` entries, by process index (boot_foreign.h) */
	struct weft_proc *proc;
	size_t inject_bytes;
	unsigned pending; /* number of operations in the retry queue */
	unsigned joining; /* number of class routes being joined */
	/* number of requests with a step function, see weft_progress_add() */
	weft_au32 stepping;
	weft_au32 spin; /* number of empty polls before blocking */
	/* polls are system calls, so spin adapts to the traffic */
	bool polls_are_syscalls;
	bool oversubscribed; /* more ranks than processors on this host */
	/* the provider reports when a send is matched (msg_ack.h) */
	bool reports_match;
	struct weft_core_traits traits; /* copy of backend->traits */
	double tick_s; /* seconds per tick; 0: read the host's clock instead */
	/* provider's table for direct receives (without CQ entry), or NULL */
	struct fi_weft_recv *recv;
	/* nonblocking receives are direct receives as well */
	bool direct_requests;
	/*
	 * receive requests must have all fields set, for deadlock reports or
	 * because receives may be interrupted
	 */
	bool whole_requests;
	/* device memory (offload_device.h); NULL: this process has none */
	struct fi_weft_mem *device;
	/*
	 * word that is NULL until this process may have memory of a GPU; NULL:
	 * there is no such word
	 */
	const void *const volatile *device_gate;
	/*
	 * processes of this host may share device memory; the same in all of
	 * them
	 */
	bool device_shared;

	/* enum weft_phase: RUNNING while MPI or a session is initialized */
	weft_au32 phase;
	weft_au32 world_phase; /* enum weft_phase of MPI_Init, MPI_Finalize */
	bool survives; /* the program may survive failures (src/recover) */
	int thread_level;
	pthread_t main_thread; /* thread that called MPI_Init */
	struct weft_job job;
	const struct weft_core_backend *backend;
	/*
	 * number of known processes; those from index job.size on belong to
	 * other jobs
	 */
	int procs;
	int proc_room; /* largest number of known processes */
	/* MPI_COMM_WORLD; NULL before MPI_Init and after MPI_Finalize */
	struct weft_comm *world;
	struct weft_comm *self;
	struct weft_comm *parent; /* MPI_Comm_get_parent; NULL: none */

	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	/*
	 * provider's table for typed messages, which are packed packet by
	 * packet (msg_typed.h), or NULL
	 */
	struct fi_weft_typed *typed;
	bool can_block; /* the provider supports fi_cq_sread */
	struct weft_wait_policy policy;
	size_t max_bytes;
	/* largest number of memory blocks of one send or receive */
	size_t iov_limit;
	struct weft_pool p2p; /* pool of struct weft_p2p (msg.h) */
	char host[MPI_MAX_PROCESSOR_NAME];
};

extern struct weft_core weft_core WEFT_HIDDEN;

/* Returns the index of a rank of this job among the ranks of all jobs. */
static inline uint32_t weft_core_member(int rank)
{
	return (uint32_t)(rank + weft_core.job.member - weft_core.job.rank);
}

static inline bool weft_running(void)
{
	return weft_load32(&weft_core.phase) == WEFT_RUNNING;
}

static inline bool weft_world_is_running(void)
{
	return weft_load32(&weft_core.world_phase) == WEFT_RUNNING;
}

#endif
