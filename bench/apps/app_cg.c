/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients for the 3D Poisson problem (7-point stencil, zero
 * boundary) on n^3 unknowns. The cube is divided into blocks on a Cartesian
 * communicator; faces are sent as derived types directly from the arrays.
 * Verified against the known solution. Usage: app_cg [n] [iterations]
 */
#include "app.h"

struct block {
	MPI_Comm cart;
	int n; /* unknowns per direction of the whole cube */
	/* first unknown of this rank's block, per direction */
	int lo[3];
	int len[3];  /* unknowns of this rank's block, per direction */
	int full[3]; /* unknowns including the halo, per direction */
	/* ranks of the neighbours at the low and high side of each direction */
	int neighbour[6];
	MPI_Datatype out[6];
	MPI_Datatype in[6];
};

static size_t at(const struct block *b, int x, int y, int z)
{
	return ((size_t)(x + 1) * (size_t)b->full[1] + (size_t)(y + 1)) *
		       (size_t)b->full[2] +
	       (size_t)(z + 1);
}

static size_t volume(const struct block *b)
{
	return (size_t)b->full[0] * (size_t)b->full[1] * (size_t)b->full[2];
}

/*
 * Returns the datatype of one layer of the block at one side of direction d;
 * from: the layer's index.
 */
static MPI_Datatype face(const struct block *b, int d, int from)
{
	int sub[3] = { b->len[0], b->len[1], b->len[2] };
	int start[3] = { 1, 1, 1 };
	MPI_Datatype t;

	sub[d] = 1;
	start[d] = from;
	MPI_Type_create_subarray(3, b->full, sub, start, MPI_ORDER_C,
				 MPI_DOUBLE, &t);
	MPI_Type_commit(&t);
	return t;
}

static void block_open(struct block *b, int n)
{
	int dims[3] = { 0, 0, 0 }, periods[3] = { 0, 0, 0 }, me[3];
	int size, rank, d;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 3, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &b->cart);
	MPI_Comm_rank(b->cart, &rank);
	MPI_Cart_coords(b->cart, rank, 3, me);
	b->n = n;
	for (d = 0; d < 3; d++) {
		b->lo[d] = (int)((long)n * me[d] / dims[d]);
		b->len[d] = (int)((long)n * (me[d] + 1) / dims[d]) - b->lo[d];
		b->full[d] = b->len[d] + 2;
		MPI_Cart_shift(b->cart, d, 1, &b->neighbour[2 * d],
			       &b->neighbour[2 * d + 1]);
	}
	for (d = 0; d < 3; d++) {
		b->out[2 * d] = face(b, d, 1);
		b->out[2 * d + 1] = face(b, d, b->len[d]);
		b->in[2 * d] = face(b, d, 0);
		b->in[2 * d + 1] = face(b, d, b->len[d] + 1);
	}
}

static void block_close(struct block *b)
{
	int f;

	for (f = 0; f < 6; f++) {
		MPI_Type_free(&b->out[f]);
		MPI_Type_free(&b->in[f]);
	}
	MPI_Comm_free(&b->cart);
}

static void exchange(const struct block *b, double *v)
{
	MPI_Request req[12];
	int f;

	for (f = 0; f < 6; f++)
		MPI_Irecv(v, 1, b->in[f], b->neighbour[f], f ^ 1, b->cart,
			  &req[f]);
	for (f = 0; f < 6; f++)
		MPI_Isend(v, 1, b->out[f], b->neighbour[f], f, b->cart,
			  &req[6 + f]);
	MPI_Waitall(12, req, MPI_STATUSES_IGNORE);
}

/* Computes y = A x. */
static void apply(const struct block *b, double *x, double *y)
{
	size_t row = (size_t)b->full[2], plane = row * (size_t)b->full[1], k;
	int i, j, l;

	exchange(b, x);
	for (i = 0; i < b->len[0]; i++)
		for (j = 0; j < b->len[1]; j++)
			for (l = 0; l < b->len[2]; l++) {
				k = at(b, i, j, l);
				y[k] = 6 * x[k] - x[k - 1] - x[k + 1] -
				       x[k - row] - x[k + row] - x[k - plane] -
				       x[k + plane];
			}
}

static double dot(const struct block *b, const double *x, const double *y)
{
	double sum = 0, all;
	size_t k;
	int i, j, l;

	for (i = 0; i < b->len[0]; i++)
		for (j = 0; j < b->len[1]; j++)
			for (l = 0; l < b->len[2]; l++) {
				k = at(b, i, j, l);
				sum += x[k] * y[k];
			}
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, b->cart);
	return all;
}

/* Computes y = x + s y (scale), or y += s x. */
static void step(size_t n, double *y, const double *x, double s, int scale)
{
	size_t k;

	for (k = 0; k < n; k++)
		y[k] = scale ? x[k] + s * y[k] : y[k] + s * x[k];
}

/* Solves A x = r, starting at x = 0; r is overwritten. Returns |r|^2. */
static double solve(const struct block *b, double *x, double *r, int most)
{
	size_t n = volume(b);
	double *p = app_alloc(n, sizeof(*p)), *q = app_alloc(n, sizeof(*q));
	double rr = dot(b, r, r), first = rr, next, alpha;
	int i;

	memcpy(p, r, n * sizeof(*p));
	for (i = 0; i < most && rr > 1e-24 * first; i++) {
		apply(b, p, q);
		alpha = rr / dot(b, p, q);
		step(n, x, p, alpha, 0);
		step(n, r, q, -alpha, 0);
		next = dot(b, r, r);
		step(n, p, r, next / rr, 1);
		rr = next;
	}
	free(p);
	free(q);
	return rr;
}

/*
 * Returns the known solution, a wave and noise, from which the right-hand side
 * is computed.
 */
static double known(const struct block *b, int i, int j, int l)
{
	double h = 3.14159265358979323846 / (b->n + 1);
	int x = b->lo[0] + i, y = b->lo[1] + j, z = b->lo[2] + l;
	uint64_t k =
		((uint64_t)x * (uint64_t)b->n + (uint64_t)y) * (uint64_t)b->n +
		(uint64_t)z;

	return sin(h * (x + 1)) * sin(2 * h * (y + 1)) * sin(h * (z + 1)) +
	       app_unit(k);
}

static void each_known(const struct block *b, double *v, double s)
{
	int i, j, l;

	for (i = 0; i < b->len[0]; i++)
		for (j = 0; j < b->len[1]; j++)
			for (l = 0; l < b->len[2]; l++)
				v[at(b, i, j, l)] += s * known(b, i, j, l);
}

int main(int argc, char **argv)
{
	int rank, n, most, rc;
	struct block b;
	double *x, *r, start, seconds, error, norm;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	n = app_arg(argc, argv, 1, 48);
	most = app_arg(argc, argv, 2, 1000);
	block_open(&b, n);
	x = app_alloc(volume(&b), sizeof(*x));
	r = app_alloc(volume(&b), sizeof(*r));
	each_known(&b, x, 1);
	norm = sqrt(dot(&b, x, x));
	apply(&b, x, r);
	memset(x, 0, volume(&b) * sizeof(*x));
	start = MPI_Wtime();
	solve(&b, x, r, most);
	seconds = MPI_Wtime() - start;
	each_known(&b, x, -1);
	error = sqrt(dot(&b, x, x)) / norm;
	rc = app_end("cg", rank, seconds, error, 1e-8);
	free(x);
	free(r);
	block_close(&b);
	MPI_Finalize();
	return rc;
}
