/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on random types: every rank describes the same numbers with its
 * own layout (gaps, negative strides, bounds below zero, absolute addresses),
 * and blocks have different lengths, also 0. The expected result, and the
 * bytes that must be unchanged, are computed without the library.
 *   coll_fuzz ROUNDS [SEED]
 */
#include "coll_t.h"

enum { UNIT = 3, MOST = 5, EDGE = 256, BLANK = 0x5a };

static MPI_Comm comm;
static int rank, size;
/* seeds: `shared` is the same on all ranks, `own` differs */
static unsigned shared, own;

/* Layout of an element of UNIT ints: their offsets, and the extent. */
struct elem {
	MPI_Datatype type;
	int off[UNIT];
	int extent;
	int absolute; /* whether addresses are relative to MPI_BOTTOM */
};

/* Blocks of elements in memory; all other bytes have the blank value. */
struct area {
	struct elem el;
	char *mem;
	size_t len;
	char *base; /* address of element 0 */
	int *count; /* number of elements of each block */
	int *displ; /* displacement of each block, in elements */
	int blocks;
};

/* ---- random datatypes ---------------------------------------------------- */

/* Draws the offsets of the ints, in bytes: multiples of 4 within +-60. */
static void draw_offsets(struct elem *e)
{
	int used[32] = { 0 }, i, k;

	for (i = 0; i < UNIT; i++) {
		do
			k = (int)(coll_rand(&own) % 31);
		while (used[k]);
		used[k] = 1;
		e->off[i] = 4 * (k - 15);
	}
}

static MPI_Datatype listed(const struct elem *e, const char *base)
{
	int len[UNIT] = { 1, 1, 1 }, i;
	MPI_Aint at[UNIT], zero = 0;
	MPI_Datatype t, r;

	if (base)
		MPI_Get_address(base, &zero);
	for (i = 0; i < UNIT; i++)
		at[i] = zero + e->off[i];
	MPI_Type_create_hindexed(UNIT, len, at, MPI_INT, &t);
	MPI_Type_create_resized(t, zero - 8, e->extent, &r);
	MPI_Type_free(&t);
	return r;
}

static void elem_draw(struct elem *e)
{
	int step, i;

	e->absolute = 0;
	switch (coll_rand(&own) % 4) {
	case 0: /* contiguous */
		for (i = 0; i < UNIT; i++)
			e->off[i] = 4 * i;
		e->extent = 4 * UNIT;
		MPI_Type_contiguous(UNIT, MPI_INT, &e->type);
		break;
	case 1: /* equal strides, also negative */
		step = (int)(coll_rand(&own) % 5) - 2;
		step = step ? step : 3;
		for (i = 0; i < UNIT; i++)
			e->off[i] = 4 * step * i;
		e->extent = 4 * ((UNIT - 1) * abs(step) + 1);
		MPI_Type_vector(UNIT, 1, step, MPI_INT, &e->type);
		break;
	default:
		draw_offsets(e);
		e->extent = 128 + 4 * (int)(coll_rand(&own) % 3);
		e->absolute = (int)(coll_rand(&own) % 2);
		e->type = e->absolute ? MPI_DATATYPE_NULL : listed(e, NULL);
	}
}

/* ---- buffers ------------------------------------------------------------- */

static int *at(const struct area *a, int block, int e, int k)
{
	return (int *)(void *)(a->base + a->el.extent * (a->displ[block] + e) +
			       a->el.off[k]);
}

/*
 * Allocates an area. even: all blocks are equal and adjacent; count: elements
 * of each block.
 */
static void area_open(struct area *a, int blocks, const int *count, int even)
{
	int i, b, pos = 0, reversed = (int)(coll_rand(&own) % 2);

	elem_draw(&a->el);
	a->blocks = blocks;
	a->count = coll_malloc(sizeof(int) * (size_t)(blocks + 1));
	a->displ = coll_malloc(sizeof(int) * (size_t)(blocks + 1));
	for (i = 0; i < blocks; i++) {
		b = reversed && !even ? blocks - 1 - i : i;
		a->count[b] = count[b];
		a->displ[b] = pos;
		pos += count[b] + (even ? 0 : (int)(coll_rand(&own) % 2));
	}
	a->len = (size_t)(a->el.extent * (pos + 2)) + 2 * EDGE;
	a->mem = coll_malloc(a->len);
	memset(a->mem, BLANK, a->len);
	a->base = a->mem + EDGE;
	if (a->el.absolute)
		a->el.type = listed(&a->el, a->base);
	MPI_Type_commit(&a->el.type);
}

static void area_close(struct area *a)
{
	MPI_Type_free(&a->el.type);
	free(a->count);
	free(a->displ);
	free(a->mem);
}

static void *buffer(const struct area *a)
{
	return a->el.absolute ? MPI_BOTTOM : a->base;
}

static void put(struct area *a, int block, int from, int to)
{
	for (int e = 0; e < a->count[block]; e++)
		for (int k = 0; k < UNIT; k++)
			*at(a, block, e, k) = coll_val(from, to, UNIT * e + k);
}

/*
 * Checks a block and overwrites it with the blank value, so that all other
 * bytes can be checked.
 */
static void check_and_blank(struct area *a, int block, int from, int to)
{
	for (int e = 0; e < a->count[block]; e++)
		for (int k = 0; k < UNIT; k++) {
			CHECK(*at(a, block, e, k) ==
			      coll_val(from, to, UNIT * e + k));
			memset(at(a, block, e, k), BLANK, sizeof(int));
		}
}

static void check_blank(const struct area *a)
{
	for (size_t i = 0; i < a->len; i++)
		CHECK(a->mem[i] == BLANK);
}

/* ---- one call, in one of three modes ------------------------------------- */

#define CALL(Name, Iname, ...)                                              \
	do {                                                                \
		MPI_Request req_;                                           \
		int way_ = (int)(coll_rand(&shared) % 3);                   \
                                                                            \
		if (way_ == 0) {                                            \
			MPI_##Name(__VA_ARGS__, comm);                      \
			break;                                              \
		}                                                           \
		if (way_ == 1)                                              \
			MPI_##Iname(__VA_ARGS__, comm, &req_);              \
		else                                                        \
			MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, \
					  &req_);                           \
		if (way_ == 2)                                              \
			MPI_Start(&req_);                                   \
		MPI_Wait(&req_, MPI_STATUS_IGNORE);                         \
		if (way_ == 2)                                              \
			MPI_Request_free(&req_);                            \
	} while (0)

/*
 * Draws the counts, the same on all ranks: rank a sends n[a * size + b]
 * elements to rank b.
 */
static int *draw_counts(int even)
{
	int *n = coll_malloc(sizeof(int) * (size_t)(size * size));
	int all = (int)(coll_rand(&shared) % MOST);

	for (int i = 0; i < size * size; i++)
		n[i] = even ? all : (int)(coll_rand(&shared) % MOST);
	return n;
}

static int *column(const int *n, int to)
{
	int *c = coll_malloc(sizeof(int) * (size_t)size);

	for (int q = 0; q < size; q++)
		c[q] = n[q * size + to];
	return c;
}

static void gather(const int *n, int even, int root, int in_place)
{
	int *from = column(n, root), me = rank == root, *mine = &from[rank];
	struct area s, r;
	void *sbuf;

	area_open(&s, 1, mine, 1);
	area_open(&r, me ? size : 0, from, even);
	put(&s, 0, rank, root);
	sbuf = buffer(&s);
	if (in_place && me) {
		put(&r, rank, rank, root);
		sbuf = MPI_IN_PLACE;
	}
	if (even)
		CALL(Gather, Igather, sbuf, *mine, s.el.type, buffer(&r), *mine,
		     r.el.type, root);
	else
		CALL(Gatherv, Igatherv, sbuf, *mine, s.el.type, buffer(&r),
		     r.count, r.displ, r.el.type, root);
	for (int q = 0; q < size && me; q++)
		check_and_blank(&r, q, q, root);
	check_and_blank(&s, 0, rank, root);
	check_blank(&s);
	check_blank(&r);
	area_close(&s);
	area_close(&r);
	free(from);
}

static void scatter(const int *n, int even, int root, int in_place)
{
	const int *to = &n[root * size];
	int me = rank == root, mine = to[rank];
	struct area s, r;
	void *rbuf;

	area_open(&s, me ? size : 0, to, even);
	area_open(&r, 1, &mine, 1);
	for (int q = 0; q < size && me; q++)
		put(&s, q, root, q);
	rbuf = in_place && me ? MPI_IN_PLACE : buffer(&r);
	if (even)
		CALL(Scatter, Iscatter, buffer(&s), mine, s.el.type, rbuf, mine,
		     r.el.type, root);
	else
		CALL(Scatterv, Iscatterv, buffer(&s), s.count, s.displ,
		     s.el.type, rbuf, mine, r.el.type, root);
	if (!in_place || !me)
		check_and_blank(&r, 0, root, rank);
	for (int q = 0; q < size && me; q++)
		check_and_blank(&s, q, root, q);
	check_blank(&s);
	check_blank(&r);
	area_close(&s);
	area_close(&r);
}

static void allgather(const int *n, int even, int in_place)
{
	int *from = column(n, 0), *mine = &from[rank];
	struct area s, r;
	void *sbuf;

	area_open(&s, 1, mine, 1);
	area_open(&r, size, from, even);
	put(&s, 0, rank, 0);
	sbuf = buffer(&s);
	if (in_place) {
		put(&r, rank, rank, 0);
		sbuf = MPI_IN_PLACE;
	}
	if (even)
		CALL(Allgather, Iallgather, sbuf, *mine, s.el.type, buffer(&r),
		     *mine, r.el.type);
	else
		CALL(Allgatherv, Iallgatherv, sbuf, *mine, s.el.type,
		     buffer(&r), r.count, r.displ, r.el.type);
	for (int q = 0; q < size; q++)
		check_and_blank(&r, q, q, 0);
	check_and_blank(&s, 0, rank, 0);
	check_blank(&s);
	check_blank(&r);
	area_close(&s);
	area_close(&r);
	free(from);
}

/*
 * Calls MPI_Alltoallw: displacements are in bytes, and every block has a
 * datatype.
 */
static void alltoallw(struct area *s, struct area *r, void *sbuf)
{
	MPI_Datatype *st = coll_malloc(sizeof(*st) * 2 * (size_t)size);
	int *sd = coll_malloc(sizeof(int) * 2 * (size_t)size);

	for (int q = 0; q < size; q++) {
		st[q] = s->el.type;
		st[size + q] = r->el.type;
		sd[q] = s->displ[q] * s->el.extent;
		sd[size + q] = r->displ[q] * r->el.extent;
	}
	CALL(Alltoallw, Ialltoallw, sbuf, s->count, sd, st, buffer(r), r->count,
	     sd + size, st + size);
	free(st);
	free(sd);
}

static void alltoall(int *n, int even, int in_place)
{
	int *from, form = (int)(coll_rand(&shared) % 2);
	struct area s, r;
	void *sbuf;

	/* with MPI_IN_PLACE the counts of both directions are equal */
	for (int a = 0; a < size && in_place; a++)
		for (int b = 0; b < a; b++)
			n[a * size + b] = n[b * size + a];
	from = column(n, rank);
	area_open(&s, size, &n[rank * size], even);
	area_open(&r, size, from, even);
	for (int q = 0; q < size; q++)
		put(in_place ? &r : &s, q, rank, q);
	sbuf = in_place ? MPI_IN_PLACE : buffer(&s);
	if (even)
		CALL(Alltoall, Ialltoall, sbuf, n[0], s.el.type, buffer(&r),
		     n[0], r.el.type);
	else if (form)
		CALL(Alltoallv, Ialltoallv, sbuf, s.count, s.displ, s.el.type,
		     buffer(&r), r.count, r.displ, r.el.type);
	else
		alltoallw(&s, &r, sbuf);
	for (int q = 0; q < size; q++) {
		check_and_blank(&r, q, q, rank);
		if (!in_place)
			check_and_blank(&s, q, rank, q);
	}
	check_blank(&s);
	check_blank(&r);
	area_close(&s);
	area_close(&r);
	free(from);
}

static void bcast(const int *n, int root)
{
	struct area a;

	area_open(&a, 1, n, 1);
	if (rank == root)
		put(&a, 0, root, 0);
	CALL(Bcast, Ibcast, buffer(&a), a.count[0], a.el.type, root);
	check_and_blank(&a, 0, root, 0);
	check_blank(&a);
	area_close(&a);
}

static void one_round(void)
{
	int even = (int)(coll_rand(&shared) % 2);
	int root = (int)(coll_rand(&shared) % (unsigned)size);
	int in_place = coll_rand(&shared) % 3 == 0;
	int *n = draw_counts(even);

	switch (coll_rand(&shared) % 5) {
	case 0:
		bcast(n, root);
		break;
	case 1:
		gather(n, even, root, in_place);
		break;
	case 2:
		scatter(n, even, root, in_place);
		break;
	case 3:
		allgather(n, even, in_place);
		break;
	default:
		alltoall(n, even, in_place);
	}
	free(n);
}

/* Forces one algorithm per round, by a name that several operations have. */
static void force(unsigned round)
{
	static const char *const names[] = { "auto",  "linear",	 "binomial",
					     "chain", "scatter", "recdbl",
					     "bruck", "ring",	 "pairwise" };
	static const char *const keys[] = {
		"weft_coll_bcast",    "weft_coll_gather",
		"weft_coll_scatter",  "weft_coll_allgather",
		"weft_coll_alltoall",
	};
	MPI_Info info;

	MPI_Info_create(&info);
	for (size_t k = 0; k < N_OF(keys); k++)
		MPI_Info_set(info, keys[k], names[round % N_OF(names)]);
	MPI_Comm_set_info(comm, info);
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100, i;

	MPI_Init(&argc, &argv);
	shared = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	own = shared * 31 + (unsigned)rank;
	for (i = 0; i < rounds; i++) {
		if (i % 20 == 0)
			force(i / 20);
		one_round();
	}
	MPI_Comm_free(&comm);
	MPI_Finalize();
	if (!rank)
		printf("coll_fuzz: %u rounds\n", rounds);
	return 0;
}
