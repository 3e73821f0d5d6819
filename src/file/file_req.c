/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nonblocking independent accesses: a job of a worker thread, and a request
 * that the progress loop completes when the job is done.
 */
#include "src/file/file_guard.h"
#include "src/file/file_job.h"
#include "src/file/file_op.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_req.h"

#include <errno.h>
#include <stdlib.h>

/* Time in ns for which a wait blocks without making progress on messages. */
#define WAIT_NS 1000000

struct access_req {
	struct weft_req req;
	struct file_job job;
	struct file_op op;
	bool outside; /* the job was given to a worker */
};

static void run_access(struct file_job *job)
{
	struct access_req *a = weft_container_of(job, struct access_req, job);

	a->op.error = file_range_move(&a->op.range);
}

/*
 * Sets the result of the request. Returns 1 on success, otherwise an MPI error
 * code.
 */
static int access_end(struct access_req *a)
{
	MPI_Count bytes = file_op_finish(&a->op);
	int rc = a->op.error;

	if (bytes >= 0)
		a->req.bytes = bytes;
	else if (!rc)
		rc = (int)bytes;
	return rc ? weft_file_code(a->op.range.f, rc) : 1;
}

static int access_step(struct weft_req *r)
{
	struct access_req *a = weft_container_of(r, struct access_req, req);

	if (!file_job_is_done(&a->job))
		return 0;
	if (a->outside)
		weft_progress_outside_end();
	return access_end(a);
}

static void access_wait(struct weft_req *r)
{
	struct access_req *a = weft_container_of(r, struct access_req, req);

	while (!weft_req_is_done(r)) {
		weft_progress();
		if (!weft_req_is_done(r))
			file_job_wait(&a->job, WAIT_NS);
	}
}

static int access_query(struct weft_req *r, MPI_Status *status)
{
	const struct access_req *a =
		weft_container_of(r, struct access_req, req);

	(void)status;
	return weft_file_req_error(r, a->op.range.f);
}

static void access_free(struct weft_req *r)
{
	struct access_req *a = weft_container_of(r, struct access_req, req);

	r->obj.kind = WEFT_KIND_FREE;
	file_op_close(&a->op);
	free(a);
}

static const struct weft_req_ops access_ops = {
	.name = "file access",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = access_step,
	.wait = access_wait,
	.query = access_query,
	.free = access_free,
};

int weft_file_iaccess(const struct weft_file_access *args,
		      struct weft_req **req_p)
{
	struct access_req *a = malloc(sizeof(*a));
	int rc;

	if (!a)
		return -ENOMEM;
	rc = file_op_open(&a->op, args);
	if (rc) {
		free(a);
		return rc;
	}
	weft_req_init(&a->req, &access_ops, args->f->comm, WEFT_REQ_ACTIVE);
	a->job = (struct file_job){ .run = run_access };
	a->outside = file_jobs_are_threaded() && !args->f->atomic;
	if (a->outside) {
		weft_progress_outside_begin();
		file_job_start(&a->job);
	} else {
		/*
		 * in atomic mode the calling thread executes the access, since
		 * only threads of the application take the lock of atomic mode
		 */
		a->op.error = file_guarded_move(&a->op.range);
		weft_store32(&a->job.done, 1);
	}
	weft_progress_add(&a->req);
	*req_p = &a->req;
	return 0;
}
