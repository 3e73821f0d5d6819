/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job of processes over the provider, for tests: each has one endpoint and
 * the names of all. A failure ends the process with a message.
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
	weft_au32 arrived; /* barrier */
	weft_au32 round;
	weft_au64 word[JOB_MAX]; /* for the test */
};

struct job_opts {
	uint64_t tx_flags; /* tx_attr->op_flags */
	uint64_t cq_flags; /* FI_SELECTIVE_COMPLETION */
	enum fi_threading threading;
	enum fi_progress progress;
	enum fi_av_type av_type;
	uint64_t mr_mode;
	uint64_t caps;		   /* besides those of all tests */
	enum fi_wait_obj wait_obj; /* of the queue */
	int counters;		   /* bind counters for all operations */
	int seconds;		   /* 0: 60 */
	int may_die;		   /* rank + 1 that is killed, or 0 */
	int nodes_apart; /* rank i is on node i times that; 0: unknown */
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
	fi_addr_t source;		 /* and its source */
	struct fi_cq_err_entry error;
};

/* Runs body in size processes; fails the test unless all succeed. */
void job_run(int size, void (*body)(struct job *j), const struct job_opts *o);

/* Ends the process with a message unless ok. */
void job_check(struct job *j, int ok, const char *what, long value);

/* Calls that may return -FI_EAGAIN, repeated until they do not. */
void job_tsend(struct job *j, int to, const void *buf, size_t len, uint64_t tag,
	       void *context);
void job_tinject(struct job *j, int to, const void *buf, size_t len,
		 uint64_t tag);
void job_trecv(struct job *j, int from, void *buf, size_t len, uint64_t tag,
	       uint64_t ignore, void *context);

/* Waits for a completion: 1 or -FI_EAVAIL; entry or error filled. */
int job_next(struct job *j);
/* The next completion must be a success of that context. */
void job_wait(struct job *j, void *context);
/* Waits for `count` successful completions, in any order. */
void job_wait_any(struct job *j, int count);
/* The next completion must be this error. */
void job_wait_err(struct job *j, int err);
/* Makes progress until the counter has that value. */
void job_wait_cntr(struct job *j, struct fid_cntr *cntr, uint64_t value);

/* For polling loops. A small job only yields, since its polls may move the
 * packets; in a job with many more processes than processors each rests. */
void job_rest(const struct job *j, struct t_limit *l);
/* Waits for all processes; makes progress meanwhile. */
void job_barrier(struct job *j);

/* -1: any source. */
fi_addr_t job_addr(struct job *j, int rank);

#endif
