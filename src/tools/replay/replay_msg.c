/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends, receives and requests of the replay: the functions that coll/ calls
 * (msg_p2p.h, msg_req.h, msg_progress.h), on endpoints of the engine. Protocol
 * choices are those of src/msg: a short send is injected, other sends are
 * operations; a refused operation waits in a queue behind earlier operations to
 * the same peer.
 */
#include "src/tools/replay/replay_int.h"

#include "src/msg/msg_persist.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_recv.h"
#include "src/msg/msg_tag.h"
#include "src/types/types_dt.h"

#include <errno.h>
#include <stdlib.h>

bool weft_threads;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;
weft_au32 weft_completed;

/* ---- requests ------------------------------------------------------------ */

int weft_req_no_start(struct weft_req *r)
{
	(void)r;
	return -EINVAL;
}

int weft_req_no_cancel(struct weft_req *r)
{
	(void)r;
	return 0;
}

int weft_req_no_step(struct weft_req *r)
{
	(void)r;
	return 1;
}

int weft_req_no_query(struct weft_req *r, MPI_Status *status)
{
	(void)r;
	(void)status;
	return 0;
}

static struct weft_list unused = { &unused, &unused };

static struct replay_op *op_get(void)
{
	struct weft_list *l = weft_list_pop_front(&unused);
	struct replay_op *op = l ? weft_container_of(l, struct replay_op, link)
				 : malloc(sizeof(*op));

	if (!op)
		replay_fail("out of memory");
	op->free_when_done = false;
	op->typed = false;
	op->err = 0;
	op->got_bytes = op->got_tag = 0;
	weft_list_init(&op->link);
	return op;
}

static void op_free(struct weft_req *r)
{
	struct replay_op *op = weft_container_of(r, struct replay_op, req);

	weft_list_push_front(&unused, &op->link);
}

static const struct weft_req_ops op_ops = {
	.name = "message",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = op_free,
};

static void no_free(struct weft_req *r)
{
	(void)r;
}

static const struct weft_req_ops done_ops = {
	.name = "done",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = no_free,
};

struct weft_req weft_req_done_send = { .ops = &done_ops, .done = 1 };

void weft_req_init(struct weft_req *r, const struct weft_req_ops *ops,
		   struct weft_comm *comm, uint32_t flags)
{
	*r = (struct weft_req){ .ops = ops, .comm = comm, .flags = flags };
	weft_obj_init(&r->obj, WEFT_KIND_REQ);
	weft_list_init(&r->link);
}

/* Not called: the replay frees no request that is not complete. */
void weft_req_orphaned(struct weft_req *r)
{
	(void)r;
}

int weft_req_release(struct weft_req *r)
{
	r->ops->free(r);
	return 0;
}

int weft_req_collect(struct weft_req **req_p, MPI_Status *status)
{
	struct weft_req *r = *req_p;
	int error = r->error;

	(void)status;
	*req_p = NULL;
	r->ops->free(r);
	return error;
}

static bool req_is_done(void *arg)
{
	return weft_req_is_done(arg);
}

void weft_req_wait(struct weft_req *r)
{
	replay_wait_until(req_is_done, r);
}

void weft_persist_add(struct weft_persist *p, const struct weft_req *r,
		      unsigned (*holds)(const struct weft_req *r))
{
	(void)p;
	(void)r;
	(void)holds;
}

void weft_persist_remove(struct weft_persist *p)
{
	(void)p;
}

/* ---- posting ------------------------------------------------------------- */

static void no_pack(void *arg, size_t pos, void *to, size_t bytes)
{
	(void)arg;
	(void)pos;
	memset(to, 0, bytes);
}

static void no_unpack(void *arg, size_t pos, const void *from, size_t bytes)
{
	(void)arg;
	(void)pos;
	(void)from;
	(void)bytes;
}

static void nop_fill(struct replay_rank *r, struct replay_op *op,
		     struct weft_nic_op *nop)
{
	nop->context = op;
	nop->comp_flags = 0;
	nop->kind = op->is_send ? WEFT_SEND : WEFT_RECV;
	nop->flags = (uint16_t)(WEFT_OP_TAGGED | op->flags);
	nop->peer = op->is_send ? op->peer : NULL;
	nop->tag = op->word;
	nop->data = 0;
	nop->len = op->bytes;
	nop->iov_count = 1;
	nop->iov[0].iov_base = replay_job.scratch;
	nop->iov[0].iov_len = op->bytes;
	if (!op->is_send) {
		nop->m.tag = op->word;
		nop->m.ignore = op->ignore;
		nop->m.src = WEFT_MATCH_ANY;
	}
	(void)r;
	if (!op->typed)
		return;
	op->form = (struct weft_nic_typed){ no_pack, no_unpack, NULL };
	nop->iov_count = WEFT_IOV_TYPED;
	nop->iov[0].iov_base = &op->form;
}

/* Posts an operation. Returns 0, or -EAGAIN: no space now. */
static int post(struct replay_rank *r, struct replay_op *op)
{
	struct weft_nic_op *nop = weft_nic_op_get(r->nic);
	int err;

	if (!nop)
		replay_fail("out of memory");
	nop_fill(r, op, nop);
	err = op->is_send ? weft_nic_send(r->nic, nop)
			  : weft_nic_recv(r->nic, nop);
	if (weft_likely(!err))
		return 0;
	weft_nic_op_put(nop);
	if (err != -EAGAIN)
		replay_fail("rank %u: a message of %zu bytes was refused (%d)",
			    r->rank, op->bytes, -err);
	/* poll once, as the provider does */
	weft_nic_poll(r->nic, 64);
	return err;
}

static bool has_queued(const struct replay_rank *r,
		       const struct weft_peer *peer)
{
	const struct weft_list *l;

	for (l = r->retry.next; l != &r->retry; l = l->next)
		if (weft_container_of(l, const struct replay_op, link)->peer ==
		    peer)
			return true;
	return false;
}

static void post_or_queue(struct replay_rank *r, struct replay_op *op)
{
	bool queued = !weft_list_empty(&r->retry) && has_queued(r, op->peer);

	if (queued || post(r, op))
		weft_list_push_back(&r->retry, &op->link);
}

int replay_retry_run(struct replay_rank *r)
{
	struct weft_list *pos, *tmp;
	const struct weft_peer *full = NULL;
	int posted = 0;

	weft_list_each(pos, tmp, &r->retry) {
		struct replay_op *op =
			weft_container_of(pos, struct replay_op, link);

		if (op->peer == full)
			continue;
		weft_list_remove(pos);
		if (post(r, op)) {
			full = op->peer;
			weft_list_push_back(tmp, pos);
			continue;
		}
		posted++;
	}
	return posted;
}

/* ---- sends and receives -------------------------------------------------- */

static uint64_t word_of(const struct weft_p2p_args *a, int rank, int tag)
{
	return weft_tag_word(a->comm->ctx, a->mode >> 2 & 3, rank, tag);
}

static bool inject(struct replay_rank *r, const struct weft_p2p_args *a,
		   struct weft_peer *peer, size_t bytes)
{
	const struct iovec iov = { replay_job.scratch, bytes };
	int err;

	if (bytes > replay_job.machine->inject_bytes ||
	    (a->mode & WEFT_P2P_SYNC) || has_queued(r, peer))
		return false;
	err = weft_nic_inject(r->nic, peer, WEFT_OP_TAGGED, &iov,
			      word_of(a, a->comm->rank, a->tag), 0);
	if (!err)
		return true;
	if (err != -EAGAIN)
		replay_fail("rank %u: a message of %zu bytes was refused (%d)",
			    r->rank, bytes, -err);
	weft_nic_poll(r->nic, 64);
	return false;
}

static struct replay_op *op_make(const struct weft_p2p_args *a, bool typed,
				 size_t bytes)
{
	struct replay_op *op = op_get();
	size_t least = replay_job.machine->typed_bytes;

	weft_req_init(&op->req, &op_ops, a->comm, WEFT_REQ_ACTIVE);
	op->bytes = bytes;
	op->flags = 0;
	op->typed = typed && least && bytes >= least;
	return op;
}

static size_t bytes_of(const struct weft_p2p_args *a)
{
	return (size_t)(a->count * a->dt->size);
}

struct weft_req *replay_isend(const struct weft_p2p_args *a, bool typed)
{
	struct replay_rank *r = replay_me;
	size_t bytes = bytes_of(a);
	struct replay_op *op;
	struct weft_peer *peer;

	if (a->peer == MPI_PROC_NULL)
		return weft_req_null_done();
	peer = replay_peer(r, (uint32_t)a->comm->proc[a->peer]);
	if (!peer)
		replay_fail("out of memory");
	if (!typed && inject(r, a, peer, bytes))
		return weft_req_null_done();
	op = op_make(a, typed, bytes);
	op->is_send = true;
	op->peer = peer;
	op->word = word_of(a, a->comm->rank, a->tag);
	if (a->mode & WEFT_P2P_SYNC)
		op->flags |= WEFT_OP_ACK;
	post_or_queue(r, op);
	return &op->req;
}

struct weft_req *replay_irecv(const struct weft_p2p_args *a, bool typed)
{
	struct replay_rank *r = replay_me;
	struct replay_op *op;
	int source = a->peer, tag = a->tag;

	if (a->peer == MPI_PROC_NULL)
		return weft_req_null_done();
	op = op_make(a, typed, bytes_of(a));
	op->is_send = false;
	op->peer = NULL;
	op->ignore = 0;
	if (source == MPI_ANY_SOURCE) {
		op->ignore |= WEFT_TAG_SRC;
		source = 0;
	}
	if (tag == MPI_ANY_TAG) {
		op->ignore |= WEFT_TAG_MASK;
		tag = 0;
	}
	op->word = word_of(a, source, tag);
	post_or_queue(r, op);
	return &op->req;
}

int weft_core_isend(const struct weft_p2p_args *a, struct weft_req **req_p)
{
	*req_p = replay_isend(a, false);
	return 0;
}

int weft_core_irecv(const struct weft_p2p_args *a, struct weft_req **req_p)
{
	*req_p = replay_irecv(a, false);
	return 0;
}

static int wait_and_free(struct weft_req *r)
{
	if (r == weft_req_null_done())
		return 0;
	weft_req_wait(r);
	return weft_req_collect(&r, MPI_STATUS_IGNORE);
}

int weft_core_send(const struct weft_p2p_args *a)
{
	return wait_and_free(replay_isend(a, false));
}

int weft_core_recv(const struct weft_p2p_args *a, MPI_Status *status)
{
	struct weft_req *r = replay_irecv(a, false);

	weft_req_wait(r);
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, a->peer, a->tag, r->bytes);
	return weft_req_collect(&r, MPI_STATUS_IGNORE);
}

int weft_core_sendrecv(const struct weft_p2p_args *send,
		       const struct weft_p2p_args *recv, MPI_Status *status)
{
	struct weft_req *r = replay_irecv(recv, false);
	int rc = weft_core_send(send);
	int rc2 = wait_and_free(r);

	(void)status;
	return rc ? rc : rc2;
}

/* ---- stepped requests ---------------------------------------------------- */

int replay_steps_run(struct replay_rank *r)
{
	struct weft_list *pos, *tmp;
	int done = 0;

	weft_list_each(pos, tmp, &r->steps) {
		struct weft_req *q =
			weft_container_of(pos, struct weft_req, link);
		int rc = q->ops->step(q);

		if (!rc)
			continue;
		weft_list_remove(pos);
		weft_req_complete(q, rc == 1 ? 0 : rc);
		done++;
	}
	return done;
}

void weft_progress_add(struct weft_req *q)
{
	weft_list_push_back(&replay_me->steps, &q->link);
	replay_steps_run(replay_me);
}

/* ---- probes -------------------------------------------------------------- */

bool replay_peek(const struct weft_p2p_args *a)
{
	struct replay_rank *r = replay_me;
	struct replay_op *op = op_make(a, false, 0);
	struct weft_nic_op *nop = weft_nic_op_get(r->nic);
	int source = a->peer, tag = a->tag, err;

	op->is_send = false;
	op->ignore = (source == MPI_ANY_SOURCE ? WEFT_TAG_SRC : 0) |
		     (tag == MPI_ANY_TAG ? WEFT_TAG_MASK : 0);
	op->word = word_of(a, source == MPI_ANY_SOURCE ? 0 : source,
			   tag == MPI_ANY_TAG ? 0 : tag);
	if (!nop)
		replay_fail("out of memory");
	nop_fill(r, op, nop);
	weft_nic_poll(r->nic, 64);
	err = weft_nic_peek(r->nic, nop);
	if (err)
		replay_fail("rank %u: a probe failed (%d)", r->rank, -err);
	weft_req_wait(&op->req);
	err = op->req.error;
	op_free(&op->req);
	return !err;
}
