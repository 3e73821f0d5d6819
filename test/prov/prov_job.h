/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job of processes over the provider, for tests: each process has one
 * endpoint and the names of all others. A failure ends the process with a
 * message.
 */
#ifndef WEFT_TEST_PROV_JOB_H
#define WEFT_TEST_PROV_JOB_H

#include "src/base/atomic.h"
#include "test/support/t_pace.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <netinet/in.h>
#include <sys/types.h>

#define JOB_MAX 128

/* Memory shared by all processes of a job. */
struct job_shared {
	struct sockaddr_in name[JOB_MAX];
	weft_au32 named[JOB_MAX];
	weft_au32 arrived; /* number of processes in the barrier */
	weft_au32 round;
	weft_au64 word[JOB_MAX]; /* words for use by the test */
};

struct job_opts {
	uint64_t tx_flags; /* value of tx_attr->op_flags */
	uint64_t cq_flags; /* FI_SELECTIVE_COMPLETION or 0 */
	enum fi_threading threading;
	enum fi_progress progress;
	enum fi_av_type av_type;
	uint64_t mr_mode;
	/* capabilities in addition to those of all tests */
	uint64_t caps;
	enum fi_wait_obj wait_obj; /* wait object of the CQ */
	int counters;		   /* bind counters for all operations */
	int seconds;		   /* time limit, s; 0: 60 */
	/* rank that the test kills, plus one; 0: none */
	int may_die;
	/* rank i is on node i * nodes_apart; 0: nodes are not specified */
	int nodes_apart;
};

struct job {
	int rank;
	int size;
	struct job_shared *all;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_eq *eq;
	struct fid_ep *ep;
	struct fid_cntr *tx_cntr;
	struct fid_cntr *rx_cntr;
	struct fid_cntr *remote_cntr;
	fi_addr_t addr[JOB_MAX];
	struct fi_cq_tagged_entry entry; /* the last completion */
	fi_addr_t source;		 /* source of the last completion */
	struct fi_cq_err_entry error;
};

/* Runs body in size processes; fails the test unless all succeed. */
void job_run(int size, void (*body)(struct job *j), const struct job_opts *o);

/* Ends the process with a message unless `ok` is true. */
void job_check(struct job *j, int ok, const char *what, long value);

/* These functions repeat the libfabric call while it returns -FI_EAGAIN. */
void job_tsend(struct job *j, int to, const void *buf, size_t len, uint64_t tag,
	       void *context);
void job_tinject(struct job *j, int to, const void *buf, size_t len,
		 uint64_t tag);
void job_trecv(struct job *j, int from, void *buf, size_t len, uint64_t tag,
	       uint64_t ignore, void *context);

/* Waits for a completion. Returns 1 or -FI_EAVAIL; entry or error is filled. */
int job_next(struct job *j);
/* Waits for the next completion, which must succeed and have this context. */
void job_wait(struct job *j, void *context);
/* Waits for `count` successful completions, in any order. */
void job_wait_any(struct job *j, int count);
/* Waits for the next completion, which must have this error. */
void job_wait_err(struct job *j, int err);
/* Makes progress until the counter has this value. */
void job_wait_cntr(struct job *j, struct fid_cntr *cntr, uint64_t value);

/*
 * For polling loops. Small jobs only yield, since a poll may move packets; with
 * more than 8 processes per processor each process sleeps (backoff).
 */
void job_backoff(const struct job *j, struct t_limit *l);
/* Waits for all processes; makes progress meanwhile. */
void job_barrier(struct job *j);

/* Returns the address of a rank; -1: any source. */
fi_addr_t job_addr(struct job *j, int rank);

#endif
