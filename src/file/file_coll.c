/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective access is a request that the progress loop advances in stages.
 * Blocking calls wait for the request.
 *
 *   gather   all members exchange their ranges of the stream, unless the views
 *            and hints decide that every member accesses the file itself
 *   decide   two phases in rounds (file_coll_round.c), or independent accesses
 *            of all members, if their ranges do not interleave
 *   agree    the error of any member is the error of all
 *
 * Collective accesses of a file run one at a time, in the order of the calls,
 * so that messages of two accesses are never confused.
 */
#include "src/file/file_coll.h"

#include "coll/coll.h"
#include "src/file/file_guard.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_wait.h"

#include <errno.h>
#include <stdlib.h>

/* ---- waiting ------------------------------------------------------------- */

void file_coll_fail(struct file_coll *c, int rc)
{
	if (rc && !c->error)
		c->error = rc;
}

int file_coll_wait_for(struct file_coll *c, struct weft_req *r)
{
	if (c->waits == c->wait_room) {
		int room = 2 * c->wait_room + 8;
		void *more = realloc(c->wait, (size_t)room * sizeof(*c->wait));

		if (!more) {
			file_coll_fail(c, weft_req_finish(r));
			return -ENOMEM;
		}
		c->wait = more;
		c->wait_room = room;
	}
	c->wait[c->waits++] = r;
	return 0;
}

void file_coll_run(struct file_coll *c, void (*fn)(struct file_job *job))
{
	c->job = (struct file_job){ .run = fn };
	if (!c->background) {
		fn(&c->job);
		return;
	}
	c->job_runs = true;
	weft_progress_outside_begin();
	file_job_start(&c->job);
}

static bool messages_ended(const struct file_coll *c)
{
	for (int i = 0; i < c->waits; i++)
		if (!weft_req_is_done(c->wait[i]))
			return false;
	for (int i = 0; c->await_arrivals && i < c->arrivals; i++)
		if (!weft_req_is_done(c->arrival[i].req))
			return false;
	return true;
}

/* Returns whether the job and all messages of the stage are complete. */
static bool waits_ended(struct file_coll *c)
{
	if (c->job_runs && !file_job_is_done(&c->job))
		return false;
	if (c->job_runs)
		weft_progress_outside_end();
	c->job_runs = false;
	if (!messages_ended(c))
		return false;
	for (int i = 0; i < c->waits; i++)
		file_coll_fail(
			c, weft_req_collect(&c->wait[i], MPI_STATUS_IGNORE));
	c->waits = 0;
	return true;
}

/* ---- stages -------------------------------------------------------------- */

static void start_collective(struct file_coll *c, struct weft_coll_args *a)
{
	struct weft_req *r;
	int rc;

	a->comm = c->f->comm;
	rc = weft_coll_start(a, &r);
	if (!rc)
		file_coll_wait_for(c, r);
	file_coll_fail(c, rc);
}

void file_coll_agree(struct file_coll *c)
{
	struct weft_dt *dt = weft_dt_of(MPI_INT64_T);
	struct weft_coll_args a = {
		.kind = WEFT_COLL_ALLREDUCE,
		.op = weft_op_of(MPI_MIN),
		.s = { .buf = &c->vote[0], .count = 1, .dt = dt },
		.r = { .buf = &c->vote[1], .count = 1, .dt = dt },
	};

	c->vote[0] = c->error;
	c->next = NULL;
	start_collective(c, &a);
}

static void move_own(struct file_job *job)
{
	struct file_coll *c = weft_container_of(job, struct file_coll, job);

	c->op.error = file_range_move(&c->op.range);
	c->valid = c->op.range.pos + c->op.range.done;
}

static void moved_own(struct file_coll *c)
{
	file_coll_fail(c, c->op.error);
	file_coll_agree(c);
}

static void decide(struct file_coll *c)
{
	int rc = c->error;

	if (!rc)
		rc = file_plan_make(&c->plan, c->f, c->member,
				    c->op.range.write);
	file_coll_fail(c, rc);
	if (rc) {
		file_coll_agree(c);
	} else if (c->plan.two_phase) {
		file_coll_rounds(c);
	} else {
		c->next = moved_own;
		file_coll_run(c, move_own);
	}
}

static void gather(struct file_coll *c)
{
	struct weft_dt *dt = weft_dt_of(MPI_BYTE);
	MPI_Count n = sizeof(*c->member);
	struct weft_coll_args a = {
		.kind = WEFT_COLL_ALLGATHER,
		.s = { .buf = MPI_IN_PLACE },
		.r = { .buf = c->member, .count = n, .dt = dt },
	};

	c->tag = weft_comm_next_tag(c->f->comm);
	c->member[c->f->comm->rank] =
		(struct file_member){ (int64_t)c->op.range.pos,
				      (int64_t)c->op.range.bytes, c->error };
	c->next = decide;
	start_collective(c, &a);
}

static void first_stage(struct file_coll *c)
{
	if (!file_plan_is_direct(c->f, c->op.range.write)) {
		gather(c);
		return;
	}
	c->next = moved_own;
	if (!c->error)
		file_coll_run(c, move_own);
}

/* ---- the request --------------------------------------------------------- */

/*
 * Sets the result of the access. Returns 1 on success, otherwise an MPI error
 * code.
 */
static int coll_end(struct file_coll *c)
{
	int rc = c->error ? c->error : (int)c->vote[1];
	MPI_Count bytes;

	c->op.range.done = rc ? 0 : c->valid - c->op.range.pos;
	bytes = file_op_finish(&c->op);
	if (bytes >= 0)
		c->req.bytes = bytes;
	else if (!rc)
		rc = (int)bytes;
	weft_add32(&c->f->coll_done, 1);
	c->op.error = rc;
	return rc ? weft_file_code(c->f, rc) : 1;
}

static int coll_step(struct weft_req *r)
{
	struct file_coll *c = weft_container_of(r, struct file_coll, req);

	if (weft_load32(&c->f->coll_done) != c->ticket)
		return 0; /* an earlier access is in progress */
	while (waits_ended(c)) {
		if (!c->next)
			return coll_end(c);
		c->next(c);
	}
	return 0;
}

static int coll_query(struct weft_req *r, MPI_Status *status)
{
	const struct file_coll *c = weft_container_of(r, struct file_coll, req);

	(void)status;
	return weft_file_req_error(r, c->f);
}

static void coll_free(struct weft_req *r)
{
	struct file_coll *c = weft_container_of(r, struct file_coll, req);

	r->obj.kind = WEFT_KIND_FREE;
	if (c->op.range.f)
		file_op_close(&c->op);
	free(c->wait);
	free(c->member);
	free(c->part);
	free(c->packed);
	free(c->arrival);
	weft_file_put(c->f);
	free(c);
}

static const struct weft_req_ops coll_ops = {
	.name = "collective file access",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = coll_step,
	.query = coll_query,
	.free = coll_free,
};

/* Allocates the state of a collective access, and its arrays. */
static struct file_coll *coll_alloc(const struct weft_file *f)
{
	struct file_coll *c = calloc(1, sizeof(*c));
	size_t n = (size_t)f->comm->size;

	if (!c)
		return NULL;
	c->member = calloc(n, sizeof(*c->member));
	c->part = calloc(n, sizeof(*c->part));
	c->arrival = calloc((size_t)f->aggregators, sizeof(*c->arrival));
	if (c->member && c->part && c->arrival)
		return c;
	free(c->member);
	free(c->part);
	free(c->arrival);
	free(c);
	return NULL;
}

/*
 * Creates the state of a collective access. If the preparation fails, all
 * members report the error at the end.
 */
static struct file_coll *coll_new(const struct weft_file_access *a)
{
	struct file_coll *c = coll_alloc(a->f);

	if (!c)
		return NULL;
	c->f = a->f;
	weft_file_get(c->f);
	c->error = file_op_open(&c->op, a);
	if (c->error) /* after an error this member takes part without data */
		c->op = (struct file_op){ .range = { .write = a->write } };
	c->valid = c->op.range.pos + c->op.range.bytes;
	c->index = -1;
	for (int i = 0; i < c->f->aggregators; i++)
		if (c->f->aggregator[i] == c->f->comm->rank)
			c->index = i;
	return c;
}

/* Starts a collective access. */
static int start(const struct weft_file_access *a, bool background,
		 struct file_coll **coll_p)
{
	struct file_coll *c = coll_new(a);

	if (!c)
		return -ENOMEM;
	weft_req_init(&c->req, &coll_ops, c->f->comm, WEFT_REQ_ACTIVE);
	c->background = background && file_jobs_are_threaded();
	c->next = first_stage;
	if (c->f->atomic) {
		/* only application threads take the lock of atomic mode */
		if (!c->error)
			c->op.error = file_guarded_move(&c->op.range);
		c->valid = c->op.range.pos + c->op.range.done;
		c->next = moved_own;
	}
	c->ticket = weft_add32(&c->f->coll_started, 1);
	weft_progress_add(&c->req);
	*coll_p = c;
	return 0;
}

int weft_file_iaccess_all(const struct weft_file_access *a,
			  struct weft_req **req_p)
{
	struct file_coll *c;
	int rc;

	if (a->f->comm->size == 1)
		return weft_file_iaccess(a, req_p);
	rc = start(a, true, &c);
	if (!rc)
		*req_p = &c->req;
	return rc;
}

int weft_file_access_all(const struct weft_file_access *a, MPI_Count *bytes_p)
{
	struct file_coll *c;
	int rc;

	if (a->f->comm->size == 1)
		return weft_file_access(a, bytes_p);
	rc = start(a, false, &c);
	if (rc)
		return rc;
	weft_req_wait(&c->req);
	*bytes_p = c->req.bytes;
	rc = c->op.error;
	coll_free(&c->req);
	return rc;
}
