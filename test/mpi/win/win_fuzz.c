/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs, compared with a model. All ranks draw the same numbers, so
 * each rank computes the operations of all ranks and the contents of all
 * memory. In a round, a block of a target's memory belongs to one origin, whose
 * accumulates on it keep their order, or to all origins, which add to it.
 */
#include "win_t.h"

#define BLOCKS 12
#define LEN    96 /* number of ints of a block */
#define INTS   (BLOCKS * LEN)

static uint64_t state;

static unsigned draw(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

/*
 * Layouts of n ints: contiguous, every second int, or pairs with a gap of one
 * int.
 */
enum layout { PLAIN, SECOND, PAIRS, LAYOUTS };

static int place(enum layout l, int i)
{
	return l == PLAIN ? i : l == SECOND ? 2 * i : i / 2 * 3 + i % 2;
}

static void make_type(enum layout l, int n, MPI_Datatype *type, int *count)
{
	*count = 1;
	if (l == PLAIN) {
		*type = MPI_INT;
		*count = n;
		return;
	}
	if (l == SECOND)
		MPI_Type_vector(n, 1, 2, MPI_INT, type);
	else
		MPI_Type_vector(n / 2, 2, 3, MPI_INT, type);
	MPI_Type_commit(type);
}

enum what { PUT, GET, ACC, GETACC, FOP, CAS, WHATS };

struct step {
	enum what what;
	int origin, target, at; /* at: offset in the target's memory, in ints */
	int n;
	enum layout lo, lt, lr;
	MPI_Op op;
	int seed;
	int request;
};

static const MPI_Op ops[] = { MPI_SUM,	MPI_MAX,     MPI_MIN,
			      MPI_BXOR, MPI_REPLACE, MPI_NO_OP };

static struct step draw_step(int origin, int target, int block, int common,
			     int first)
{
	struct step s = { .origin = origin, .target = target };

	s.what = common ? ACC : first ? draw(WHATS) : ACC + draw(WHATS - ACC);
	s.n = s.what >= FOP ? 1 : 2 * (1 + (int)draw(16));
	s.lo = draw(LAYOUTS);
	s.lt = draw(LAYOUTS);
	s.lr = draw(LAYOUTS);
	if (s.n == 1)
		s.lo = s.lt = s.lr = PLAIN;
	s.at = block * LEN + (int)draw(LEN - 64);
	s.op = common ? MPI_SUM : ops[draw(s.what == ACC ? 5 : 6)];
	s.seed = (int)draw(1000);
	s.request = (int)draw(2);
	return s;
}

static int operand(const struct step *s, int i)
{
	return s->seed * 17 + i * 5 + s->origin;
}

static int apply(MPI_Op op, int t, int o)
{
	if (op == MPI_SUM)
		return t + o;
	if (op == MPI_MAX)
		return t > o ? t : o;
	if (op == MPI_MIN)
		return t < o ? t : o;
	if (op == MPI_BXOR)
		return t ^ o;
	return op == MPI_REPLACE ? o : t;
}

/* Modelled memory of all ranks. */
struct model {
	int *mem; /* memory of all ranks: size * INTS ints */
};

static void model_step(int *mem, const struct step *s, int *fetched)
{
	int *t = mem + s->target * INTS + s->at;

	for (int i = 0; i < s->n; i++) {
		int *p = &t[place(s->lt, i)];

		fetched[i] = *p;
		if (s->what == PUT)
			*p = operand(s, i);
		else if (s->what == CAS)
			*p = *p == operand(s, 7) % 3 ? operand(s, i) : *p;
		else if (s->what != GET)
			*p = apply(s->op, *p, operand(s, i));
	}
}

/* Buffers of a step that is in flight. */
struct flight {
	struct step s;
	int in[128], out[128], want[128];
	int compare;
	MPI_Request q;
};

static void issue(struct wt *w, struct flight *f, int passive)
{
	struct step *s = &f->s;
	MPI_Aint disp = wt_disp(w, s->target, (size_t)s->at * 4);
	MPI_Datatype to, tt, tr;
	int co, ct, cr, req = s->request && passive;

	make_type(s->lo, s->n, &to, &co);
	make_type(s->lt, s->n, &tt, &ct);
	make_type(s->lr, s->n, &tr, &cr);
	for (int i = 0; i < s->n; i++)
		f->in[place(s->lo, i)] = operand(s, i);
	f->q = MPI_REQUEST_NULL;
	f->compare = operand(s, 7) % 3;
	if (s->what == PUT && req)
		MT_OK(MPI_Rput(f->in, co, to, s->target, disp, ct, tt, w->win,
			       &f->q));
	else if (s->what == PUT)
		MT_OK(MPI_Put(f->in, co, to, s->target, disp, ct, tt, w->win));
	else if (s->what == GET && req)
		MT_OK(MPI_Rget(f->out, cr, tr, s->target, disp, ct, tt, w->win,
			       &f->q));
	else if (s->what == GET)
		MT_OK(MPI_Get(f->out, cr, tr, s->target, disp, ct, tt, w->win));
	else if (s->what == ACC && req)
		MT_OK(MPI_Raccumulate(f->in, co, to, s->target, disp, ct, tt,
				      s->op, w->win, &f->q));
	else if (s->what == ACC)
		MT_OK(MPI_Accumulate(f->in, co, to, s->target, disp, ct, tt,
				     s->op, w->win));
	else if (s->what == GETACC && req)
		MT_OK(MPI_Rget_accumulate(f->in, co, to, f->out, cr, tr,
					  s->target, disp, ct, tt, s->op,
					  w->win, &f->q));
	else if (s->what == GETACC)
		MT_OK(MPI_Get_accumulate(f->in, co, to, f->out, cr, tr,
					 s->target, disp, ct, tt, s->op,
					 w->win));
	else if (s->what == FOP)
		MT_OK(MPI_Fetch_and_op(f->in, f->out, MPI_INT, s->target, disp,
				       s->op, w->win));
	else
		MT_OK(MPI_Compare_and_swap(f->in, &f->compare, f->out, MPI_INT,
					   s->target, disp, w->win));
	if (s->lo != PLAIN)
		MPI_Type_free(&to);
	if (s->lt != PLAIN)
		MPI_Type_free(&tt);
	if (s->lr != PLAIN)
		MPI_Type_free(&tr);
}

static void check_fetched(const struct flight *f)
{
	if (f->s.what == PUT || f->s.what == ACC)
		return;
	for (int i = 0; i < f->s.n; i++)
		MT_IS(f->out[place(f->s.lr, i)], f->want[i]);
}

/* ---- one round ----------------------------------------------------------- */

/* Opens an epoch in which every rank may access the memory of every rank. */
static void open_epoch(struct wt *w, enum wt_sync sync)
{
	MPI_Group all;

	MPI_Win_get_group(w->win, &all);
	if (sync == WT_FENCE)
		MT_OK(MPI_Win_fence(0, w->win));
	if (sync == WT_PSCW) {
		MT_OK(MPI_Win_post(all, 0, w->win));
		MT_OK(MPI_Win_start(all, 0, w->win));
	}
	if (sync >= WT_LOCK)
		MT_OK(MPI_Barrier(w->comm));
	if (sync == WT_LOCK_ALL)
		MT_OK(MPI_Win_lock_all(0, w->win));
	for (int t = 0; sync == WT_LOCK_SHARED && t < w->size; t++)
		MT_OK(MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win));
	MPI_Group_free(&all);
}

static void close_epoch(struct wt *w, enum wt_sync sync)
{
	if (sync == WT_FENCE)
		MT_OK(MPI_Win_fence(0, w->win));
	if (sync == WT_PSCW) {
		MT_OK(MPI_Win_complete(w->win));
		MT_OK(MPI_Win_wait(w->win));
	}
	if (sync == WT_LOCK_ALL)
		MT_OK(MPI_Win_unlock_all(w->win));
	for (int t = 0; sync == WT_LOCK_SHARED && t < w->size; t++)
		MT_OK(MPI_Win_unlock(t, w->win));
	if (sync >= WT_LOCK)
		MT_OK(MPI_Barrier(w->comm));
}

/* Executes one step; an exclusive lock is held for this step only. */
static void do_step(struct wt *w, struct flight *f, enum wt_sync sync)
{
	if (sync == WT_LOCK)
		MT_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, f->s.target, 0, w->win));
	issue(w, f, sync >= WT_LOCK);
	if (sync >= WT_LOCK && draw(4) == 0)
		MT_OK(MPI_Win_flush(f->s.target, w->win));
	if (f->q != MPI_REQUEST_NULL)
		MT_OK(MPI_Wait(&f->q, MPI_STATUS_IGNORE));
	if (sync == WT_LOCK)
		MT_OK(MPI_Win_unlock(f->s.target, w->win));
}

static void round_of(struct wt *w, int *mem, enum wt_sync sync)
{
	struct flight *mine =
		malloc(sizeof(*mine) * BLOCKS * 4 * (size_t)w->size);
	int n = 0, fetched[128];

	open_epoch(w, sync);
	for (int t = 0; t < w->size; t++)
		for (int b = 0; b < BLOCKS; b++) {
			int owner = (int)draw((unsigned)w->size + 1);
			int common = owner == w->size;
			int steps = common ? w->size : (int)draw(4);
			enum what first = WHATS;

			for (int k = 0; k < steps; k++) {
				struct step s = draw_step(common ? k : owner, t,
							  b, common, !k);

				/*
				 * puts and gets have no order with other
				 * operations
				 */
				if (first == PUT || first == GET)
					break;
				first = s.what;
				model_step(mem, &s, fetched);
				if (s.origin != w->rank)
					continue;
				mine[n].s = s;
				memcpy(mine[n].want, fetched, sizeof(fetched));
				n++;
			}
		}
	for (int i = 0; i < n; i++) {
		uint64_t keep = state;

		do_step(w, &mine[i], sync);
		state = keep + 1;
	}
	close_epoch(w, sync);
	for (int i = 0; i < n; i++)
		check_fetched(&mine[i]);
	MT_TRUE(!memcmp(w->mem, mem + w->rank * INTS, INTS * 4));
	MT_OK(MPI_Barrier(w->comm));
	free(mine);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;

	mt_begin(&argc, &argv);
	for (int k = 0; k < WT_KINDS; k++) {
		struct wt w = wt_open(k, MPI_COMM_WORLD, INTS * 4, 4);
		int *mem = calloc((size_t)mt_size, INTS * 4);

		for (int r = 0; r < rounds; r++) {
			state = (uint64_t)(k * 1000 + r);
			round_of(&w, mem, r % WT_SYNCS);
		}
		if (!wt_is_dynamic(&w))
			MT_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win));
		free(mem);
		wt_close(&w);
	}
	return mt_end();
}
