/* SPDX-License-Identifier: BSD-3-Clause */
/* The accumulate family, with and without requests. */
#include "src/mpi/mpi_export.h"

#include "src/offload/offload_device.h"
#include "src/msg/msg_req.h"
#include "src/msg/msg_wait.h"
#include "src/mpi/type/mpi_type.h"
#include "src/mpi/win/mpi_win.h"
#include "src/win/win_word.h"

#include <errno.h>
#include <stdlib.h>

/* A call as the application describes it. */
struct acc {
	struct mpi_msg o; /* buffer, count and type of the operand */
	/* buffer, count and type of the fetched value; func NULL: none */
	struct mpi_msg r;
	struct mpi_target t;
	const void *compare;
	int op_arg; /* position of the operation; 0: compare and swap */
	MPI_Op op;
	int win_arg;
	MPI_Win win;
};

static bool has_input(const struct acc *a)
{
	return !a->op_arg || a->op != MPI_NO_OP;
}

/* ---- checks ------------------------------------------------------------ */

static int check_op(const struct acc *a, const struct weft_win *w,
		    const struct weft_op *op, const struct weft_dt *e)
{
	const char *f = a->o.func;

	if (!op)
		return weft_err_arg(w, f, MPI_ERR_OP, a->op_arg,
				    "invalid operation %p", (void *)a->op);
	if (!op->obj.predefined)
		return weft_err_arg(w, f, MPI_ERR_OP, a->op_arg,
				    "operation is not predefined");
	if (a->op == MPI_NO_OP && !a->r.func)
		return weft_err_arg(w, f, MPI_ERR_OP, a->op_arg,
				    "MPI_NO_OP needs a result");
	if (a->op == MPI_REPLACE || a->op == MPI_NO_OP || !e ||
	    weft_op_allows(op, e))
		return 0;
	return weft_err_arg(w, f, MPI_ERR_OP, a->op_arg,
			    "operation is not defined for elements of %s",
			    e->name ? e->name : "this type");
}

/* Checks that the elements of all sides have one predefined type. */
static int check_types(const struct acc *a, const struct weft_win *w,
		       const struct weft_dt *e)
{
	const struct weft_dt *o = has_input(a) ? weft_dt_element(a->o.dt) : e;
	const struct weft_dt *r = a->r.func ? weft_dt_element(a->r.dt) : e;

	if (!e || !e->obj.predefined)
		return weft_err_arg(w, a->o.func, MPI_ERR_TYPE, a->t.arg + 3,
				    "datatype mixes several predefined types");
	if (!o || o->basic != e->basic || o->size != e->size)
		return weft_err_arg(w, a->o.func, MPI_ERR_TYPE, a->o.arg + 2,
				    "element type differs from the target's");
	if (!r || r->basic != e->basic || r->size != e->size)
		return weft_err_arg(w, a->o.func, MPI_ERR_TYPE, a->r.arg + 2,
				    "element type differs from the target's");
	return 0;
}

static int check_fit(const struct acc *a, const struct weft_win *w)
{
	MPI_Count t = a->t.count * a->t.dt->size;

	if (has_input(a) && a->o.count * a->o.dt->size > t)
		return weft_err_arg(w, a->o.func, MPI_ERR_TRUNCATE,
				    a->o.arg + 1,
				    "more elements than at the target");
	if (a->r.func && a->r.count * a->r.dt->size < t)
		return weft_err_arg(w, a->o.func, MPI_ERR_TRUNCATE,
				    a->r.arg + 1,
				    "fewer elements than at the target");
	return 0;
}

/* Returns whether an operand or a result is in device memory. */
static inline bool is_device(const void *in, const void *result)
{
	return weft_device_owns(in) || weft_device_owns(result);
}

static int check_data(struct acc *a, const struct weft_win *w)
{
	int err = 0;

	a->o.dt = a->t.dt; /* default, for calls without an operand */
	if (has_input(a))
		err = mpi_check_data(&a->o, w);
	if (!err && a->r.func)
		err = mpi_check_data(&a->r, w);
	return err;
}

/* Returns whether no side has an element, so that types are not checked. */
static bool is_empty(const struct acc *a)
{
	return a->t.count * a->t.dt->size == 0 &&
	       (!has_input(a) || a->o.count * a->o.dt->size == 0) &&
	       (!a->r.func || a->r.count * a->r.dt->size == 0);
}

static WEFT_COLD int check_slow(const struct acc *a, const struct weft_win *w,
				const struct weft_op *op)
{
	const struct weft_dt *e = is_empty(a) ? NULL : weft_dt_element(a->t.dt);
	int err = is_empty(a) ? 0 : check_types(a, w, e);

	if (!err && a->op_arg)
		err = check_op(a, w, op, e);
	return err ? err : check_fit(a, w);
}

/* Returns whether all sides have one predefined type that supports op. */
static inline bool is_plain(const struct acc *a, const struct weft_op *op)
{
	const struct weft_dt *t = a->t.dt;

	return t->obj.predefined && a->o.dt == t && a->o.count == a->t.count &&
	       op && op->row && op->row[t->basic] &&
	       (!a->r.func || (a->r.dt == t && a->r.count == a->t.count));
}

/* Checks a call and fills *x; x->dt NULL: no data to access. */
static int win_acc_check(struct acc *a, struct weft_win **win_p,
			 struct weft_win_xfer *x)
{
	struct weft_op *op = a->op_arg ? weft_op_of(a->op) : NULL;
	int err = mpi_check_win(a->o.func, a->win_arg, a->win, win_p);

	x->dt = NULL;
	if (!err)
		err = mpi_check_target(&a->t, *win_p);
	if (!err && a->t.rank == MPI_PROC_NULL)
		return 0;
	if (!err)
		err = check_data(a, *win_p);
	if (!err && !is_plain(a, op))
		err = check_slow(a, *win_p, op);
	if (err || !a->t.count || !a->t.dt->size ||
	    (has_input(a) && (!a->o.count || !a->o.dt->size)))
		return err;
	*x = (struct weft_win_xfer){ (void *)(uintptr_t)a->o.buf,
				     a->o.count,
				     a->o.dt,
				     a->t.rank,
				     a->t.disp,
				     a->t.count,
				     a->t.dt,
				     op,
				     (void *)(uintptr_t)a->r.buf,
				     a->r.count,
				     a->r.dt,
				     a->compare };
	/*
	 * relaxed: the next MPI_Win_fence is called by this thread, or ordered
	 * after this store by the application
	 */
	weft_store32_relaxed(&(*win_p)->used, 1);
	return 0;
}

/* ---- operands and results in device memory ------------------------------ */

/* Host memory in place of data in device memory. */
struct staged {
	struct weft_typed device;
	struct weft_typed host;
	/* block to be freed; NULL: the data is not in device memory */
	void *block;
};

static bool is_staged(const void *buf, MPI_Count count,
		      const struct weft_dt *dt)
{
	return count && dt && buf &&
	       weft_device_owns((const char *)buf + dt->true_lb);
}

static int stage(struct staged *s, void **buf_p, MPI_Count count,
		 const struct weft_dt *dt)
{
	int rc;

	if (!is_staged(*buf_p, count, dt))
		return 0;
	s->device = (struct weft_typed){ dt, *buf_p, count };
	rc = weft_device_to_host(&s->device, &s->host, &s->block);
	if (!rc)
		*buf_p = s->host.buf;
	return rc;
}

/*
 * Executes a call on data in device memory, using copies in host memory; the
 * call is complete when this function returns.
 */
static WEFT_COLD int acc_staged(struct weft_win *w, struct weft_win_xfer x)
{
	struct staged in = { 0 }, compare = { 0 }, result = { 0 };
	void *comparand = (void *)(uintptr_t)x.compare;
	struct weft_req *r = NULL;
	int rc = 0;

	if (x.op != weft_op_of(MPI_NO_OP))
		rc = stage(&in, &x.buf, x.count, x.dt);
	if (!rc)
		rc = stage(&compare, &comparand, 1, x.tdt);
	if (!rc)
		rc = stage(&result, &x.result, x.rcount, x.rdt);
	x.compare = comparand;
	if (!rc)
		rc = weft_win_acc(w, &x, &r);
	if (!rc) {
		weft_req_wait(r);
		rc = weft_req_collect(&r, MPI_STATUS_IGNORE);
	}
	if (!rc && result.block)
		rc = weft_device_copy(&result.device, &result.host);
	free(in.block);
	free(compare.block);
	free(result.block);
	return rc;
}

static bool uses_device(const struct weft_win_xfer *x)
{
	return weft_device_used() && (is_staged(x->buf, x->count, x->dt) ||
				      is_staged(x->compare, 1, x->tdt) ||
				      is_staged(x->result, x->rcount, x->rdt));
}

static int acc(struct acc a)
{
	struct weft_win_xfer x;
	struct weft_win *w;
	int err = win_acc_check(&a, &w, &x);

	if (weft_unlikely(err || !x.dt))
		return err;
	err = uses_device(&x) ? acc_staged(w, x) : weft_win_acc(w, &x, NULL);
	return weft_err_rc(w, a.o.func, err);
}

static int racc(struct acc a, MPI_Request *request)
{
	struct weft_req *r = weft_req_null_done();
	struct weft_win_xfer x;
	struct weft_win *w;
	int err = win_acc_check(&a, &w, &x);

	if (!err)
		err = weft_check_ptr(w, a.o.func, a.win_arg + 1, request,
				     "request");
	if (err)
		return err;
	if (x.dt && uses_device(&x))
		err = acc_staged(w, x);
	else if (x.dt)
		err = weft_win_acc(w, &x, &r);
	if (err)
		return weft_err_rc(w, a.o.func, err);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

/* ---- fast path of one word ---------------------------------------------- */

/*
 * Executes a call on one word by the machine's interface or, if the interface
 * does not have this atomic operation, by the processor. Returns false, without
 * any effect, if the slow path is needed.
 */
static bool word_done_by_unit(struct weft_win *w, struct weft_win_word_call *c,
			      MPI_Op op)
{
	bool done;
	int rc;

	c->at = weft_win_word_at(w, c->rank, c->disp, c->dt);
	if (!c->at || is_device(c->in, c->result) ||
	    weft_device_owns(c->compare) || !weft_win_words_begin(w, c->rank))
		return false;
	rc = weft_win_word_by_unit(w, c);
	done = !rc;
	if (rc > 0 && c->compare) {
		weft_win_word_swap(c->at, c->dt, c->in, c->compare, c->result);
		done = true;
	} else if (rc > 0) {
		done = weft_win_word_op(c->at, c->dt, op, c->in, c->result);
	}
	weft_win_words_end(w);
	/* relaxed: as in win_acc_check(), and weft_win_order() */
	weft_store32_relaxed(&w->used, 1);
	weft_store32_relaxed(&w->stored, 1);
	return done;
}

static inline bool unit_has_words(const struct weft_win *w)
{
	return weft_unlikely(w && w->amo && w->words);
}

/* Executes a sum, read or swap of one word by the machine's interface. */
static bool op_done_by_unit(struct weft_win *w, struct weft_win_word_call *c,
			    MPI_Op op)
{
	if ((op != MPI_SUM && op != MPI_NO_OP && op != MPI_REPLACE) ||
	    (!c->in && op != MPI_NO_OP))
		return false;
	c->op = weft_op_of(op);
	return word_done_by_unit(w, c, op);
}

/* Executes a call on one word if possible. result NULL: nothing is fetched. */
WEFT_INLINE bool word_done(MPI_Win win, int rank, MPI_Aint disp,
			   MPI_Datatype type, MPI_Op op, const void *in,
			   void *result)
{
	struct weft_win *w = weft_win_of(win);
	struct weft_dt *dt = weft_dt_of(type);
	char *at = weft_win_word(w, rank, disp, dt);
	bool done;

	if (weft_unlikely(!at || (!in && op != MPI_NO_OP) ||
			  is_device(in, result) ||
			  !weft_win_words_begin(w, rank)))
		return unit_has_words(w) &&
		       op_done_by_unit(
			       w,
			       &(struct weft_win_word_call){ .rank = rank,
							     .disp = disp,
							     .dt = dt,
							     .in = in,
							     .result = result },
			       op);
	done = weft_win_word_op(at, dt, op, in, result);
	weft_win_words_end(w);
	if (weft_unlikely(!done))
		return false;
	/* relaxed: as in win_acc_check(), and weft_win_order() */
	weft_store32_relaxed(&w->used, 1);
	weft_store32_relaxed(&w->stored, 1);
	return true;
}

/*
 * Fills *x for an array of `count` elements of one predefined type in mapped
 * memory. Returns the window, or NULL: the arguments must be checked.
 */
WEFT_INLINE struct weft_win *array_of(MPI_Win win, int rank, MPI_Aint disp,
				      MPI_Count count, MPI_Datatype type,
				      MPI_Op op, const void *in,
				      struct weft_win_xfer *x)
{
	struct weft_win *w = weft_win_of(win);
	struct weft_dt *dt = weft_dt_of(type);
	struct weft_op *o = weft_op_of(op);
	const struct weft_win_peer *p;

	if (!w || !w->words || !dt || !dt->obj.predefined || !o || !o->row ||
	    !o->row[dt->basic] || !in || weft_device_owns(in) || count <= 0 ||
	    (unsigned)rank >= (unsigned)w->size)
		return NULL;
	p = &w->peer[rank];
	if (!weft_win_is_open(w, p) || !weft_win_holds(w, p, disp, count, dt))
		return NULL;
	*x = (struct weft_win_xfer){
		.buf = (void *)(uintptr_t)in,
		.count = count,
		.dt = dt,
		.target = rank,
		.disp = disp,
		.tcount = count,
		.tdt = dt,
		.op = o,
	};
	/* relaxed: as in win_acc_check() */
	weft_store32_relaxed(&w->used, 1);
	return w;
}

/* ---- accumulate -------------------------------------------------------- */

#define ACC                                                               \
	(struct acc)                                                      \
	{                                                                 \
		.o = MPI_WIN_ORIGIN, .t = MPI_WIN_TARGET(4), .op_arg = 8, \
		.op = op, .win_arg = 9, .win = win                        \
	}

#define GET_ACC                                                                \
	(struct acc)                                                           \
	{                                                                      \
		.o = MPI_WIN_ORIGIN,                                           \
		.r = { .func = __func__,                                       \
		       .arg = 4,                                               \
		       .buf = result_addr,                                     \
		       .count = result_count,                                  \
		       .type = result_datatype },                              \
		.t = MPI_WIN_TARGET(7), .op_arg = 11, .op = op, .win_arg = 12, \
		.win = win                                                     \
	}

/* ---- one element --------------------------------------------------------- */

/* A call for one element of a predefined type. */
struct single {
	const char *func;
	const void *in;
	const void *compare; /* comparand; NULL: the operation op is executed */
	void *result;
	MPI_Datatype type;
	int rank;
	MPI_Aint disp;
	MPI_Op op;
	MPI_Win win;
};

/*
 * Returns whether the type supports compare and swap: integers, logicals and
 * bytes can be compared bit by bit.
 */
static bool has_compare_and_swap(const struct weft_dt *dt)
{
	return dt->basic <= WEFT_NUM_U64 || dt->basic == WEFT_NUM_I128 ||
	       (dt->basic >= WEFT_NUM_L8 && dt->basic <= WEFT_NUM_BYTE);
}

static int check_single(const struct single *s, int arg)
{
	struct weft_win *w = weft_win_of(s->win);
	struct weft_dt *dt = weft_dt_of(s->type);

	if (!dt || !dt->obj.predefined)
		return weft_err_arg(w, s->func, MPI_ERR_TYPE, arg,
				    "datatype is not predefined");
	if (s->compare && !has_compare_and_swap(dt))
		return weft_err_arg(w, s->func, MPI_ERR_TYPE, arg,
				    "compare and swap is not defined for %s",
				    dt->name);
	return 0;
}

static int single(const struct single *s)
{
	int at = s->compare ? 3 : 2; /* position of the result */
	struct acc a = {
		.o = { .func = s->func,
		       .arg = 1,
		       .buf = s->in,
		       .count = 1,
		       .type = s->type },
		.r = { .func = s->func,
		       .arg = at,
		       .buf = s->result,
		       .count = 1,
		       .type = s->type },
		.t = { s->func, at + 2, s->rank, s->disp, 1, s->type, NULL },
		.compare = s->compare,
		.op_arg = s->compare ? 0 : 6,
		.op = s->op,
		.win_arg = 7,
		.win = s->win,
	};
	int err = check_single(s, at + 1);

	return err ? err : acc(a);
}

#pragma weak MPI_Fetch_and_op = PMPI_Fetch_and_op
int PMPI_Fetch_and_op(const void *origin_addr, void *result_addr,
		      MPI_Datatype datatype, int target_rank,
		      MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	MPI_ENTER_ACCESS(1, datatype);

	if (weft_likely(result_addr &&
			word_done(win, target_rank, target_disp, datatype, op,
				  origin_addr, result_addr)))
		return MPI_SUCCESS;
	return single(&(struct single){ __func__, origin_addr, NULL,
					result_addr, datatype, target_rank,
					target_disp, op, win });
}

#pragma weak MPI_Compare_and_swap = PMPI_Compare_and_swap
int PMPI_Compare_and_swap(const void *origin_addr, const void *compare_addr,
			  void *result_addr, MPI_Datatype datatype,
			  int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	struct weft_win *w = weft_win_of(win);
	struct weft_dt *dt = weft_dt_of(datatype);
	char *at = weft_win_word(w, target_rank, target_disp, dt);
	int err;

	MPI_ENTER_ACCESS(1, datatype);

	if (weft_likely(at && origin_addr && compare_addr && result_addr &&
			!is_device(origin_addr, result_addr) &&
			!weft_device_owns(compare_addr) &&
			weft_win_words_begin(w, target_rank))) {
		weft_win_word_swap(at, dt, origin_addr, compare_addr,
				   result_addr);
		weft_win_words_end(w);
		/* relaxed: as in win_acc_check(), and weft_win_order() */
		weft_store32_relaxed(&w->used, 1);
		weft_store32_relaxed(&w->stored, 1);
		return MPI_SUCCESS;
	}
	if (unit_has_words(w) && origin_addr && compare_addr && result_addr &&
	    word_done_by_unit(
		    w,
		    &(struct weft_win_word_call){ .rank = target_rank,
						  .disp = target_disp,
						  .dt = dt,
						  .in = origin_addr,
						  .compare = compare_addr,
						  .result = result_addr },
		    MPI_OP_NULL))
		return MPI_SUCCESS;
	err = weft_check_ptr(w, __func__, 2, compare_addr, "compare_addr");
	if (err)
		return err;
	return single(&(struct single){ __func__, origin_addr, compare_addr,
					result_addr, datatype, target_rank,
					target_disp, MPI_OP_NULL, win });
}

#define MPI_BODY "src/mpi/win/mpi_win_acc_body.inc"
#include "src/mpi/mpi_both_counts.h"
