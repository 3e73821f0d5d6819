/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get, with and without requests. */
#include "src/mpi/mpi_export.h"

#include "src/offload/offload_device.h"
#include "src/msg/msg_req.h"
#include "src/msg/msg_wait.h"
#include "src/mpi/win/mpi_win.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An access as the application describes it. */
struct move {
	struct mpi_msg o; /* buffer, count and type of the origin */
	struct mpi_target t;
	MPI_Win win;
};

/*
 * Checks that the destination (target of a put, origin of a get) is large
 * enough.
 */
static int check_fit(const struct move *m, const struct weft_win *w, bool put)
{
	MPI_Count o = m->o.count * m->o.dt->size;
	MPI_Count t = m->t.count * m->t.dt->size;

	if (weft_likely(o == t || !weft_check || (put ? o < t : t < o)))
		return 0;
	return weft_err_arg(w, m->o.func, MPI_ERR_TRUNCATE, put ? 6 : 2,
			    "%lld bytes do not fit into %lld",
			    (long long)(put ? o : t), (long long)(put ? t : o));
}

/* Checks an access and fills *x; x->dt NULL: no data to move. */
WEFT_INLINE int check(struct move *m, bool put, struct weft_win **win_p,
		      struct weft_win_xfer *x)
{
	int err = mpi_check_win(m->o.func, 8, m->win, win_p);

	if (weft_likely(!err))
		err = mpi_check_data(&m->o, *win_p);
	if (weft_likely(!err))
		err = mpi_check_target(&m->t, *win_p);
	x->dt = NULL;
	if (weft_unlikely(err || m->t.rank == MPI_PROC_NULL))
		return err;
	err = check_fit(m, *win_p, put);
	if (weft_unlikely(err || !m->t.count || !m->t.dt->size || !m->o.count ||
			  !m->o.dt->size))
		return err;
	x->buf = (void *)(uintptr_t)m->o.buf;
	x->count = m->o.count;
	x->dt = m->o.dt;
	x->target = m->t.rank;
	x->disp = m->t.disp;
	x->tcount = m->t.count;
	x->tdt = m->t.dt;
	/*
	 * relaxed: the next MPI_Win_fence is called by this thread, or ordered
	 * after this store by the application
	 */
	weft_store32_relaxed(&(*win_p)->used, 1);
	return 0;
}

static bool is_device(const struct weft_win_xfer *x)
{
	return weft_device_owns((char *)x->buf + x->dt->true_lb);
}

/*
 * Moves data in device memory through host memory; the access is complete when
 * this function returns.
 */
static WEFT_COLD int move_staged(struct weft_win *w,
				 const struct weft_win_xfer *x, bool put)
{
	const struct weft_typed t = { x->dt, x->buf, x->count };
	size_t bytes = weft_typed_bytes(&t);
	struct weft_win_xfer host = *x;
	struct weft_req *r = NULL;
	int rc = 0;

	host.buf = malloc(bytes);
	if (!host.buf)
		return -ENOMEM;
	host.dt = weft_dt_of(MPI_BYTE);
	host.count = (MPI_Count)bytes;
	if (put)
		rc = weft_device_pack(&t, 0, host.buf, bytes);
	else
		bytes = (size_t)(x->tcount * x->tdt->size);
	if (!rc)
		rc = put ? weft_win_put(w, &host, &r)
			 : weft_win_get(w, &host, &r);
	if (!rc) {
		weft_req_wait(r);
		rc = weft_req_collect(&r, MPI_STATUS_IGNORE);
	}
	if (!rc && !put)
		rc = weft_device_unpack(&t, 0, host.buf, bytes);
	free(host.buf);
	return rc;
}

WEFT_INLINE int move(struct move m, bool put)
{
	struct weft_win_xfer x;
	struct weft_win *w;
	int err = check(&m, put, &w, &x);

	if (weft_unlikely(err || !x.dt))
		return err;
	if (is_device(&x))
		err = move_staged(w, &x, put);
	else
		err = put ? weft_win_put(w, &x, NULL)
			  : weft_win_get(w, &x, NULL);
	return weft_err_rc(w, m.o.func, err);
}

/* Returns the address of an array in mapped memory; NULL: use move(). */
WEFT_INLINE char *array_at(const struct weft_win *w, int rank, MPI_Aint disp,
			   MPI_Count count, const struct weft_dt *dt)
{
	const struct weft_win_peer *p;

	if (weft_unlikely(!w || !dt || !dt->obj.predefined ||
			  dt->size != dt->extent || count <= 0 ||
			  (unsigned)rank >= (unsigned)w->size))
		return NULL;
	p = &w->peer[rank];
	if (weft_unlikely(!p->direct || !weft_win_is_open(w, p) ||
			  !weft_win_holds(w, p, disp, count, dt)))
		return NULL;
	return p->direct + (uint64_t)disp * p->unit;
}

/*
 * Fast path: moves an array of one predefined type from or to mapped memory.
 * Returns false, without any effect, if another path is needed.
 */
WEFT_INLINE bool array_moved(MPI_Win win, int rank, MPI_Aint disp,
			     MPI_Count count, MPI_Datatype type,
			     const void *buf, bool put)
{
	struct weft_win *w = weft_win_of(win);
	const struct weft_dt *dt = weft_dt_of(type);
	char *at = array_at(w, rank, disp, count, dt), *to, *from;
	size_t bytes;

	if (weft_unlikely(!at || !buf || weft_device_owns(buf)))
		return false;
	bytes = (size_t)(count * dt->size);
	to = put ? at : (char *)(uintptr_t)buf;
	from = put ? (char *)(uintptr_t)buf : at;
	/* copied by one load and one store */
	if (weft_likely(bytes == sizeof(uint64_t)))
		memcpy(to, from, sizeof(uint64_t));
	else
		memmove(to, from, bytes);
	/* relaxed: as in check(), and weft_win_order() */
	weft_store32_relaxed(&w->used, 1);
	if (put)
		weft_store32_relaxed(&w->stored, 1);
	return true;
}

WEFT_INLINE int rmove(struct move m, bool put, MPI_Request *request)
{
	struct weft_req *r = weft_req_null_done();
	struct weft_win_xfer x;
	struct weft_win *w;
	int err = check(&m, put, &w, &x);

	if (weft_likely(!err))
		err = weft_check_ptr(w, m.o.func, 9, request, "request");
	if (weft_unlikely(err))
		return err;
	if (x.dt && is_device(&x))
		err = move_staged(w, &x, put);
	else if (weft_likely(x.dt != NULL))
		err = put ? weft_win_put(w, &x, &r) : weft_win_get(w, &x, &r);
	if (weft_unlikely(err))
		return weft_err_rc(w, m.o.func, err);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

#define MOVE                                                            \
	(struct move)                                                   \
	{                                                               \
		.o = MPI_WIN_ORIGIN, .t = MPI_WIN_TARGET(4), .win = win \
	}

#define MPI_BODY "src/mpi/win/mpi_win_move_body.inc"
#include "src/mpi/mpi_both_counts.h"
