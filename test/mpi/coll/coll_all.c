/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares every collective with a naive implementation, for all combinations:
 * every predefined operation on every type that the standard allows, all roots,
 * lengths of 1 byte and up, in place or not, blocking, nonblocking and
 * persistent, on the world and on subsets of many shapes; then many collectives
 * in succession with late ranks, and several communicators in flight at once.
 * Inputs, and bytes after the buffers, must be unchanged.
 *   coll_all [N [BYTES [ROUNDS]]]
 * Tests every N-th pair of operation and type, with buffers of up to BYTES
 * bytes, and ROUNDS collectives in succession.
 */
#include "coll_types.h"

enum call {
	BARRIER,
	BCAST,
	REDUCE,
	ALLREDUCE,
	REDSCAT_BLOCK,
	REDSCAT,
	SCAN,
	EXSCAN,
	GATHER,
	SCATTER,
	ALLGATHER,
	ALLTOALL,
	CALLS
};

enum form { BLOCKING, NONBLOCKING, PERSISTENT };

struct world {
	MPI_Comm comm;
	int rank;
	int size;
	unsigned seed; /* the same on all ranks of comm */
	unsigned late;
};

struct trial {
	const struct world *w;
	enum call call;
	enum form form;
	const struct type *t;
	enum op op;
	long n; /* number of elements of a block */
	int root;
	bool in_place;
	MPI_Request req;
	char *in, *out;
	size_t out_bytes;
	int *counts;
};

enum { GUARD = 32 };

static long tried;

/* ---- buffers of a trial -------------------------------------------------- */

static bool has_blocks(enum call c)
{
	return c == GATHER || c == SCATTER || c == ALLGATHER || c == ALLTOALL;
}

static bool has_root(enum call c)
{
	return c == BCAST || c == REDUCE || c == GATHER || c == SCATTER;
}

/* Returns whether this rank may pass MPI_IN_PLACE. */
static bool may_in_place(const struct trial *x)
{
	if (x->call == BCAST || x->call == BARRIER)
		return false;
	return !has_root(x->call) || x->w->rank == x->root;
}

/* Fills the block that rank `from` sends to rank `to`. */
static void fill_block(char *at, size_t bytes, int from, int to)
{
	unsigned char c = (unsigned char)(from * 31 + to * 17);

	for (size_t i = 0; i < bytes; i++)
		at[i] = (char)(c + i * 7 + i / 256);
}

static bool is_block(const char *at, size_t bytes, int from, int to)
{
	unsigned char c = (unsigned char)(from * 31 + to * 17);

	for (size_t i = 0; i < bytes; i++)
		if (at[i] != (char)(c + i * 7 + i / 256))
			return false;
	return true;
}

static long counts_make(struct trial *x)
{
	long sum = 0;

	x->counts = coll_malloc(sizeof(int) * (size_t)x->w->size);
	for (int i = 0; i < x->w->size; i++) {
		x->counts[i] =
			(int)(x->call == REDSCAT ? x->n + i % 3 - 1 : x->n);
		sum += x->counts[i];
	}
	return sum;
}

/* Returns the number of elements before the block of this rank. */
static long counts_before(const struct trial *x)
{
	long sum = 0;

	for (int i = 0; i < x->w->rank; i++)
		sum += x->counts[i];
	return sum;
}

static void prepare_blocks(struct trial *x)
{
	const struct world *w = x->w;
	size_t block = x->t->extent * (size_t)x->n;
	char *mine = x->in_place ? x->out : x->in;

	if (x->call == ALLTOALL || x->call == SCATTER) {
		/* MPI_Scatter with MPI_IN_PLACE still reads its send buffer */
		mine = x->in_place && x->call == ALLTOALL ? x->out : x->in;
		for (int r = 0; r < w->size; r++)
			fill_block(mine + (size_t)r * block, block, w->rank, r);
		return;
	}
	if (x->in_place)
		mine += (size_t)w->rank * block;
	fill_block(mine, block, w->rank, 0);
}

static void prepare(struct trial *x)
{
	const struct world *w = x->w;
	long all = counts_make(x), n = has_blocks(x->call) ? all : x->n;
	size_t room;

	if (x->call == REDSCAT || x->call == REDSCAT_BLOCK)
		n = all;
	x->out_bytes = x->t->extent * (size_t)n;
	room = x->out_bytes + (PERIOD + 1) * x->t->extent + GUARD;
	x->in = coll_malloc(room);
	x->out = coll_malloc(room);
	memset(x->out, 0x5a, room);
	if (has_blocks(x->call))
		prepare_blocks(x);
	else if (x->call == BCAST && w->rank == x->root)
		fill_block(x->out, x->out_bytes, w->rank, 1);
	else if (x->call >= REDUCE && x->call <= EXSCAN)
		fill(x->t, x->op, x->in_place ? x->out : x->in, w->rank, 0, n);
	memset(x->out + x->out_bytes, 0x5a, GUARD);
}

/* ---- MPI calls of a trial ------------------------------------------------ */

/*
 * Returns whether this rank is not the root: insignificant arguments may have
 * any value.
 */
static bool is_non_root(const struct trial *x)
{
	return has_root(x->call) && x->w->rank != x->root;
}

static const void *from(const struct trial *x)
{
	if (x->call == SCATTER && is_non_root(x))
		return (const void *)16;
	return x->in_place && x->call != SCATTER ? MPI_IN_PLACE : x->in;
}

static void *to(const struct trial *x)
{
	if ((x->call == REDUCE || x->call == GATHER) && is_non_root(x))
		return (void *)16;
	return x->in_place && x->call == SCATTER ? MPI_IN_PLACE : x->out;
}

static void run(struct trial *x)
{
	const void *s = from(x);
	void *r = to(x);
	MPI_Datatype t = x->t->mpi;
	MPI_Op op = ops[x->op];
	MPI_Comm c = x->w->comm;
	int n = (int)x->n;

	switch (x->call) {
	case BARRIER:
		MPI_Barrier(c);
		break;
	case BCAST:
		MPI_Bcast(r, n, t, x->root, c);
		break;
	case REDUCE:
		MPI_Reduce(s, r, n, t, op, x->root, c);
		break;
	case ALLREDUCE:
		MPI_Allreduce(s, r, n, t, op, c);
		break;
	case REDSCAT_BLOCK:
		MPI_Reduce_scatter_block(s, r, n, t, op, c);
		break;
	case REDSCAT:
		MPI_Reduce_scatter(s, r, x->counts, t, op, c);
		break;
	case SCAN:
		MPI_Scan(s, r, n, t, op, c);
		break;
	case EXSCAN:
		MPI_Exscan(s, r, n, t, op, c);
		break;
	case GATHER:
		MPI_Gather(s, n, t, r, n, t, x->root, c);
		break;
	case SCATTER:
		MPI_Scatter(s, n, t, r, n, t, x->root, c);
		break;
	case ALLGATHER:
		MPI_Allgather(s, n, t, r, n, t, c);
		break;
	default:
		MPI_Alltoall(s, n, t, r, n, t, c);
		break;
	}
}

static void start(struct trial *x)
{
	const void *s = from(x);
	void *r = to(x);
	MPI_Datatype t = x->t->mpi;
	MPI_Op op = ops[x->op];
	MPI_Comm c = x->w->comm;
	int n = (int)x->n;

	switch (x->call) {
	case BARRIER:
		MPI_Ibarrier(c, &x->req);
		break;
	case BCAST:
		MPI_Ibcast(r, n, t, x->root, c, &x->req);
		break;
	case REDUCE:
		MPI_Ireduce(s, r, n, t, op, x->root, c, &x->req);
		break;
	case ALLREDUCE:
		MPI_Iallreduce(s, r, n, t, op, c, &x->req);
		break;
	case REDSCAT_BLOCK:
		MPI_Ireduce_scatter_block(s, r, n, t, op, c, &x->req);
		break;
	case REDSCAT:
		MPI_Ireduce_scatter(s, r, x->counts, t, op, c, &x->req);
		break;
	case SCAN:
		MPI_Iscan(s, r, n, t, op, c, &x->req);
		break;
	case EXSCAN:
		MPI_Iexscan(s, r, n, t, op, c, &x->req);
		break;
	case GATHER:
		MPI_Igather(s, n, t, r, n, t, x->root, c, &x->req);
		break;
	case SCATTER:
		MPI_Iscatter(s, n, t, r, n, t, x->root, c, &x->req);
		break;
	case ALLGATHER:
		MPI_Iallgather(s, n, t, r, n, t, c, &x->req);
		break;
	default:
		MPI_Ialltoall(s, n, t, r, n, t, c, &x->req);
		break;
	}
}

static void make(struct trial *x)
{
	const void *s = from(x);
	void *r = to(x);
	MPI_Datatype t = x->t->mpi;
	MPI_Op op = ops[x->op];
	MPI_Comm c = x->w->comm;
	MPI_Info i = MPI_INFO_NULL;
	int n = (int)x->n;

	switch (x->call) {
	case BARRIER:
		MPI_Barrier_init(c, i, &x->req);
		break;
	case BCAST:
		MPI_Bcast_init(r, n, t, x->root, c, i, &x->req);
		break;
	case REDUCE:
		MPI_Reduce_init(s, r, n, t, op, x->root, c, i, &x->req);
		break;
	case ALLREDUCE:
		MPI_Allreduce_init(s, r, n, t, op, c, i, &x->req);
		break;
	case REDSCAT_BLOCK:
		MPI_Reduce_scatter_block_init(s, r, n, t, op, c, i, &x->req);
		break;
	case REDSCAT:
		MPI_Reduce_scatter_init(s, r, x->counts, t, op, c, i, &x->req);
		break;
	case SCAN:
		MPI_Scan_init(s, r, n, t, op, c, i, &x->req);
		break;
	case EXSCAN:
		MPI_Exscan_init(s, r, n, t, op, c, i, &x->req);
		break;
	case GATHER:
		MPI_Gather_init(s, n, t, r, n, t, x->root, c, i, &x->req);
		break;
	case SCATTER:
		MPI_Scatter_init(s, n, t, r, n, t, x->root, c, i, &x->req);
		break;
	case ALLGATHER:
		MPI_Allgather_init(s, n, t, r, n, t, c, i, &x->req);
		break;
	default:
		MPI_Alltoall_init(s, n, t, r, n, t, c, i, &x->req);
		break;
	}
}

/* ---- checks of results --------------------------------------------------- */

static void report_wrong_result(const struct trial *x, const char *what)
{
	char type[MPI_MAX_OBJECT_NAME];
	int len;

	MPI_Type_get_name(x->t->mpi, type, &len);
	fprintf(stderr,
		"call %d form %d op %d on %s: %ld elements, root %d, "
		"in place %d, rank %d of %d: %s\n",
		x->call, x->form, x->op, type, x->n, x->root, x->in_place,
		x->w->rank, x->w->size, what);
	CHECK(!"a collective");
}

/*
 * Checks n elements, starting at element `first`, against the reduction over
 * ranks 0 .. ranks - 1.
 */
static void check_reduction(const struct trial *x, int ranks, long first,
			    long n)
{
	char *want = coll_malloc(x->t->extent * (size_t)(n + PERIOD));

	answer(x->t, x->op, want, ranks, first, n);
	if (!same(x->t, x->out, want, n))
		report_wrong_result(x, "result");
	free(want);
}

static void check_input(const struct trial *x, long n)
{
	char *was;

	if (x->in_place || n > 5000)
		return;
	was = coll_malloc(x->t->extent * (size_t)(n + PERIOD));
	fill(x->t, x->op, was, x->w->rank, 0, n);
	if (!same(x->t, x->in, was, n))
		report_wrong_result(x, "input changed");
	free(was);
}

static void check_blocks(const struct trial *x)
{
	const struct world *w = x->w;
	size_t block = x->t->extent * (size_t)x->n;
	int to_me = x->call == ALLTOALL ? w->rank : 0;
	const char *mine = x->out;

	if (x->call == SCATTER) {
		if (x->in_place)
			mine = x->in + (size_t)w->rank * block;
		if (!is_block(mine, block, x->root, w->rank))
			report_wrong_result(x, "block");
		return;
	}
	if (x->call == GATHER && w->rank != x->root)
		return;
	for (int r = 0; r < w->size; r++)
		if (!is_block(x->out + (size_t)r * block, block, r, to_me))
			report_wrong_result(x, "block");
}

static void check_sums(const struct trial *x)
{
	const struct world *w = x->w;

	switch (x->call) {
	case REDUCE:
		if (w->rank == x->root)
			check_reduction(x, w->size, 0, x->n);
		break;
	case ALLREDUCE:
		check_reduction(x, w->size, 0, x->n);
		break;
	case SCAN:
		check_reduction(x, w->rank + 1, 0, x->n);
		break;
	case EXSCAN:
		if (w->rank)
			check_reduction(x, w->rank, 0, x->n);
		break;
	default:
		check_reduction(x, w->size, counts_before(x),
				x->counts[w->rank]);
		break;
	}
	check_input(x, (long)(x->out_bytes / x->t->extent));
}

static void check(struct trial *x)
{
	if (x->call == BCAST && !is_block(x->out, x->out_bytes, x->root, 1))
		report_wrong_result(x, "bytes");
	if (has_blocks(x->call))
		check_blocks(x);
	else if (x->call >= REDUCE)
		check_sums(x);
	for (int i = 0; i < GUARD; i++)
		if (x->out[x->out_bytes + (size_t)i] != 0x5a)
			report_wrong_result(x, "bytes behind the buffer");
	free(x->in);
	free(x->out);
	free(x->counts);
	tried++;
}

/* ---- random trials ------------------------------------------------------- */

/*
 * Draws an allowed pair of operation and type. Types with gaps are excluded,
 * because blocks are compared as bytes.
 */
static void draw_pair(struct world *w, struct trial *x)
{
	int size;

	do {
		x->t = &types[coll_rand(&w->seed) % (unsigned)ntypes];
		x->op = (enum op)(coll_rand(&w->seed) % OPS);
		MPI_Type_size(x->t->mpi, &size);
	} while (!allowed(x->op, x->t->kind) || (size_t)size != x->t->extent);
}

static enum form draw_form(struct world *w)
{
	unsigned draw = coll_rand(&w->seed) % 8;

	return draw < 4 ? BLOCKING : draw < 7 ? NONBLOCKING : PERSISTENT;
}

static void try(struct trial *x)
{
	/* only the root of a rooted call may use MPI_IN_PLACE */
	x->in_place = x->in_place && may_in_place(x);
	prepare(x);
	switch (x->form) {
	case BLOCKING:
		run(x);
		break;
	case NONBLOCKING:
		start(x);
		MPI_Wait(&x->req, MPI_STATUS_IGNORE);
		break;
	default:
		make(x);
		MPI_Start(&x->req);
		MPI_Wait(&x->req, MPI_STATUS_IGNORE);
		MPI_Request_free(&x->req);
		break;
	}
	check(x);
}

/*
 * Returns a number of elements, at least one, such that no buffer is longer
 * than `bytes`.
 */
static long elements(const struct trial *x, long bytes)
{
	long n = bytes / (long)x->t->extent;

	if (has_blocks(x->call) || x->call == REDSCAT ||
	    x->call == REDSCAT_BLOCK)
		n /= x->w->size;
	return n ? n : 1;
}

static void every_pair(struct world *w, int stride)
{
	int i = (int)(w->seed % (unsigned)stride);

	for (int op = 0; op < OPS; op++)
		for (int t = 0; t < ntypes; t++) {
			if (!allowed((enum op)op, types[t].kind) ||
			    i++ % stride)
				continue;
			for (int c = REDUCE; c <= EXSCAN; c++) {
				struct trial x = {
					.w = w,
					.call = (enum call)c,
					.form = draw_form(w),
					.t = &types[t],
					.op = (enum op)op,
				};

				x.n = 1 + (long)(coll_rand(&w->seed) % 40);
				x.root = (int)(coll_rand(&w->seed) %
					       (unsigned)w->size);
				x.in_place = coll_rand(&w->seed) & 1;
				try(&x);
			}
		}
}

static void try_length(struct world *w, enum call call, long bytes, int root,
		       bool in_place)
{
	struct trial x = { .w = w,
			   .call = call,
			   .form = draw_form(w),
			   .root = root,
			   .in_place = in_place };

	draw_pair(w, &x);
	x.n = elements(&x, bytes);
	try(&x);
}

/* Tests all lengths of 2^k - 1, 2^k and 2^k + 1 bytes up to longest. */
static void every_length(struct world *w, long longest)
{
	for (long p = 1; p <= longest; p *= 2)
		for (long bytes = p - 1; bytes <= p + 1; bytes++) {
			if (!bytes || bytes > longest)
				continue;
			for (int c = 0; c < CALLS; c++)
				for (int in_place = 0; in_place < 2; in_place++)
					try_length(w, (enum call)c, bytes,
						   (int)(p % w->size),
						   in_place);
		}
}

static void every_root(struct world *w, long longest)
{
	static const long lengths[] = { 1, 100, 3000, 20000, 70000 };

	for (int root = 0; root < w->size; root++)
		for (size_t l = 0; l < N_OF(lengths); l++)
			for (int c = 0; c < CALLS; c++)
				if (has_root((enum call)c) &&
				    lengths[l] <= longest)
					try_length(w, (enum call)c, lengths[l],
						   root, (root + l) & 1);
}

static void in_succession(struct world *w, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		enum call c = (enum call)(coll_rand(&w->seed) % CALLS);
		long bytes = 1L << coll_rand(&w->seed) % 12;
		int root = (int)(coll_rand(&w->seed) % (unsigned)w->size);

		coll_skew(&w->late, w->rank);
		try_length(w, c, bytes, root, i & 1);
	}
}

/* ---- communicators ------------------------------------------------------- */

/*
 * Sets color and key of a rank for subset shape s. Returns false if the shape
 * does not exist.
 */
static bool shape(int s, int rank, int size, int *color, int *key)
{
	/* lines, planes and cubes of a torus with dimensions of length 2 */
	static const int boxes[] = { 1, 2, 3, 4, 6, 5, 7, 8, 12, 16, 32 };
	unsigned draw = (unsigned)(rank * 7919 + s * 104729);

	*key = rank;
	if (s < (int)N_OF(boxes)) {
		*color = rank & ~boxes[s];
		return true;
	}
	coll_rand(&draw);
	switch (s - (int)N_OF(boxes)) {
	case 0:
		*color = rank % 2;
		break;
	case 1: /* all ranks in reverse order */
		*color = 0;
		*key = -rank;
		break;
	case 2: /* each rank has a communicator of its own */
		*color = rank;
		break;
	case 3:
		*color = rank * 3 / size;
		*key = -rank;
		break;
	case 4: /* all ranks but one */
		*color = rank == size / 2 ? MPI_UNDEFINED : 0;
		break;
	case 5: /* some ranks in any order, others in no communicator */
	case 6:
	case 7:
		*color = (int)(coll_rand(&draw) % 3);
		*key = (int)coll_rand(&draw);
		if (*color == 2)
			*color = MPI_UNDEFINED;
		break;
	default:
		return false;
	}
	return true;
}

enum { SHAPES = 19 };

/*
 * Creates the communicator of subset shape s. Returns false if this rank is not
 * a member.
 */
static bool world_open(struct world *w, int s)
{
	int rank, size, color, key;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!shape(s, rank, size, &color, &key))
		CHECK(!"a shape");
	MPI_Comm_split(MPI_COMM_WORLD, color, key, &w->comm);
	if (w->comm == MPI_COMM_NULL)
		return false;
	MPI_Comm_rank(w->comm, &w->rank);
	MPI_Comm_size(w->comm, &w->size);
	w->seed = (unsigned)(s * 7 + 1);
	w->late = 3;
	return true;
}

/*
 * Runs collectives on several communicators, with several operations in flight
 * on each.
 */
static void in_flight(int rounds)
{
	enum { COMMS = 6, EACH = 5 };
	static const int shapes[COMMS] = { 0, 2, 11, 12, 15, 16 };
	struct world w[COMMS];
	bool in[COMMS];

	for (int c = 0; c < COMMS; c++)
		in[c] = world_open(&w[c], shapes[c]);
	for (int i = 0; i < rounds; i++) {
		struct trial x[COMMS][EACH];

		for (int k = 0; k < COMMS * EACH; k++) {
			int c = k % COMMS;
			struct trial *at = &x[c][k / COMMS];

			if (!in[c])
				continue;
			*at = (struct trial){ .w = &w[c], .form = NONBLOCKING };
			at->call = (enum call)(coll_rand(&w[c].seed) % CALLS);
			at->root = (int)(coll_rand(&w[c].seed) %
					 (unsigned)w[c].size);
			draw_pair(&w[c], at);
			at->n = elements(at, 1L << coll_rand(&w[c].seed) % 15);
			at->in_place = (k & 1) && may_in_place(at);
			coll_skew(&w[c].late, w[c].rank);
			prepare(at);
			start(at);
		}
		/* complete the operations in reverse order */
		for (int k = COMMS * EACH - 1; k >= 0; k--) {
			struct trial *at = &x[k % COMMS][k / COMMS];

			if (!in[k % COMMS])
				continue;
			MPI_Wait(&at->req, MPI_STATUS_IGNORE);
			check(at);
		}
	}
	for (int c = 0; c < COMMS; c++)
		if (in[c])
			MPI_Comm_free(&w[c].comm);
}

int main(int argc, char **argv)
{
	int stride = argc > 1 ? atoi(argv[1]) : 10;
	long longest = argc > 2 ? atol(argv[2]) : 20000, sum = 0;
	int rounds = argc > 3 ? atoi(argv[3]) : 100;
	struct world w = { .comm = MPI_COMM_WORLD, .seed = 1, .late = 3 };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(w.comm, &w.rank);
	MPI_Comm_size(w.comm, &w.size);
	all_types();
	every_pair(&w, stride);
	every_length(&w, longest);
	every_root(&w, longest);
	in_succession(&w, rounds);
	for (int s = 0; s < SHAPES; s++) {
		struct world part;

		if (!world_open(&part, s))
			continue;
		every_pair(&part, stride * 4);
		every_length(&part, longest / 16);
		every_root(&part, longest / 16);
		in_succession(&part, rounds / 10);
		MPI_Comm_free(&part.comm);
	}
	in_flight(rounds / 20);
	MPI_Reduce(&tried, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!w.rank)
		printf("coll_all: %ld parts of collectives are correct\n", sum);
	MPI_Finalize();
	return 0;
}
