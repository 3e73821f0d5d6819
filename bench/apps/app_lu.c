/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dense LU with row pivoting, as the Linpack benchmark does it: blocks of
 * columns are distributed cyclically over the ranks; the owner factors a panel
 * and broadcasts it with its pivots, and every rank swaps rows and updates its
 * columns. Then A x = b is solved and verified as in Linpack: |A x - b| / (eps
 * (|A| |x| + |b|) n). Usage: app_lu [n] [block]
 */
#include "app.h"

#include <float.h>

struct lu {
	int n;
	int nb; /* number of columns per block */
	int rank;
	int size;
	int cols;  /* number of columns of this rank */
	double *a; /* columns of this rank, stored one after another */
};

static int owner(const struct lu *m, int col)
{
	return col / m->nb % m->size;
}

/* Returns the local number of a column that this rank owns. */
static int local_column(const struct lu *m, int col)
{
	return col / m->nb / m->size * m->nb + col % m->nb;
}

static double *column(const struct lu *m, int at)
{
	return m->a + (size_t)at * (size_t)m->n;
}

static double entry(const struct lu *m, int row, int col)
{
	return app_unit((uint64_t)row * (uint64_t)m->n + (uint64_t)col);
}

/* Returns the number of columns before col that this rank owns. */
static int cols_before(const struct lu *m, int col)
{
	int k, count = 0;

	for (k = 0; k < col; k += m->nb)
		if (owner(m, k) == m->rank)
			count += k + m->nb < col ? m->nb : col - k;
	return count;
}

static void lu_open(struct lu *m, int n, int nb)
{
	int col, row;
	double *c;

	m->n = n;
	m->nb = nb;
	MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &m->size);
	m->cols = cols_before(m, n);
	m->a = app_alloc((size_t)m->cols * (size_t)n, sizeof(double));
	for (col = 0; col < n; col++) {
		if (owner(m, col) != m->rank)
			continue;
		c = column(m, local_column(m, col));
		for (row = 0; row < n; row++)
			c[row] = entry(m, row, col);
	}
}

static void swap_rows(double *c, int i, int j)
{
	double t = c[i];

	c[i] = c[j];
	c[j] = t;
}

/* Factors columns [k, k + w) of the panel, rows k..n; stores the pivots. */
static void factor(const struct lu *m, double *panel, int k, int w, int *pivot)
{
	int j, i, l, best;
	double *c, *d;

	for (j = 0; j < w; j++) {
		c = panel + (size_t)j * (size_t)m->n;
		best = k + j;
		for (i = k + j + 1; i < m->n; i++)
			if (fabs(c[i]) > fabs(c[best]))
				best = i;
		pivot[j] = best;
		for (l = 0; l < w; l++)
			swap_rows(panel + (size_t)l * (size_t)m->n, k + j,
				  best);
		for (i = k + j + 1; i < m->n; i++)
			c[i] /= c[k + j];
		for (l = j + 1; l < w; l++) {
			d = panel + (size_t)l * (size_t)m->n;
			for (i = k + j + 1; i < m->n; i++)
				d[i] -= c[i] * d[k + j];
		}
	}
}

/*
 * Updates one local column: swaps rows, solves with the panel's triangle,
 * subtracts.
 */
static void update(const struct lu *m, const double *panel, int k, int w,
		   const int *pivot, double *c)
{
	const double *p;
	int j, i;

	for (j = 0; j < w; j++)
		swap_rows(c, k + j, pivot[j]);
	for (j = 0; j < w; j++) {
		p = panel + (size_t)j * (size_t)m->n;
		for (i = k + j + 1; i < m->n; i++)
			c[i] -= p[i] * c[k + j];
	}
}

/* Broadcasts rows k..n of the panel's columns in one message. */
static void bcast_panel(const struct lu *m, double *panel, int k, int w)
{
	MPI_Datatype part;

	MPI_Type_vector(w, m->n - k, m->n, MPI_DOUBLE, &part);
	MPI_Type_commit(&part);
	MPI_Bcast(panel + k, 1, part, owner(m, k), MPI_COMM_WORLD);
	MPI_Type_free(&part);
}

/* Factors the whole matrix; every rank also updates the right-hand side b. */
static void decompose(struct lu *m, double *b)
{
	size_t room = (size_t)m->n * (size_t)m->nb;
	double *panel = app_alloc(room, sizeof(double));
	int *pivot = app_alloc((size_t)m->nb, sizeof(int));
	int k, w, at, j;

	for (k = 0; k < m->n; k += w) {
		w = m->n - k < m->nb ? m->n - k : m->nb;
		at = cols_before(m, k);
		if (owner(m, k) == m->rank) {
			factor(m, column(m, at), k, w, pivot);
			memcpy(panel, column(m, at),
			       (size_t)w * (size_t)m->n * sizeof(double));
			at += w;
		}
		MPI_Bcast(pivot, w, MPI_INT, owner(m, k), MPI_COMM_WORLD);
		bcast_panel(m, panel, k, w);
		for (j = at; j < m->cols; j++)
			update(m, panel, k, w, pivot, column(m, j));
		update(m, panel, k, w, pivot, b);
	}
	free(panel);
	free(pivot);
}

/*
 * Solves U x = b from the last column to the first; the owner of a column
 * computes its x.
 */
static void back_substitute(const struct lu *m, double *b, double *x)
{
	double *c;
	int col, i, w, k;

	for (k = (m->n - 1) / m->nb * m->nb; k >= 0; k -= m->nb) {
		w = m->n - k < m->nb ? m->n - k : m->nb;
		for (col = k + w - 1; col >= k; col--) {
			if (owner(m, k) != m->rank)
				continue;
			c = column(m, local_column(m, col));
			x[col] = b[col] / c[col];
			for (i = 0; i < col; i++)
				b[i] -= c[i] * x[col];
		}
		/* pass the remainder of b to the next owner */
		MPI_Bcast(b, k, MPI_DOUBLE, owner(m, k), MPI_COMM_WORLD);
		MPI_Bcast(x + k, w, MPI_DOUBLE, owner(m, k), MPI_COMM_WORLD);
	}
}

/* Returns the residual of the solution; each rank computes some rows. */
static double residual(const struct lu *m, const double *x)
{
	double mine[3] = { 0, 0, 0 }, worst[3], xmax = 0, sum, abs, v;
	int row, col;

	for (col = 0; col < m->n; col++)
		xmax = fmax(xmax, fabs(x[col]));
	for (row = m->rank; row < m->n; row += m->size) {
		sum = -entry(m, row, m->n);
		abs = 0;
		for (col = 0; col < m->n; col++) {
			v = entry(m, row, col);
			sum += v * x[col];
			abs += fabs(v);
		}
		mine[0] = fmax(mine[0], fabs(sum));
		mine[1] = fmax(mine[1], abs);
		mine[2] = fmax(mine[2], fabs(entry(m, row, m->n)));
	}
	MPI_Allreduce(mine, worst, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return worst[0] / (DBL_EPSILON * (worst[1] * xmax + worst[2]) * m->n);
}

int main(int argc, char **argv)
{
	double *b, *x, start, seconds, error;
	struct lu m;
	int n, nb, i, rc;

	MPI_Init(&argc, &argv);
	n = app_arg(argc, argv, 1, 600);
	nb = app_arg(argc, argv, 2, 16);
	lu_open(&m, n, nb);
	b = app_alloc((size_t)n, sizeof(*b));
	x = app_alloc((size_t)n, sizeof(*x));
	for (i = 0; i < n; i++)
		b[i] = entry(&m, i, n);
	start = MPI_Wtime();
	decompose(&m, b);
	back_substitute(&m, b, x);
	seconds = MPI_Wtime() - start;
	error = residual(&m, x);
	rc = app_end("lu", m.rank, seconds, error, 16);
	free(b);
	free(x);
	free(m.a);
	MPI_Finalize();
	return rc;
}
