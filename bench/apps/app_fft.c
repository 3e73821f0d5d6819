/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 3D Fourier transform of n^3 complex numbers (n a power of two), in slabs: two
 * dimensions are transformed in place, one alltoall transposes the cube, then
 * the third dimension is transformed. The transform forward and back is
 * verified against the input and by one known wave. Ranks beyond n have no slab
 * and only call the alltoall. Usage: app_fft [n] [repeats]
 */
#include "app.h"

#include <complex.h>

typedef double complex num;

struct cube {
	int n;
	int rank;
	int size;
	num *a; /* planes of this rank: [plane][row][column] */
	num *b;
};

/*
 * Returns the first plane of rank r, which owns planes [plane_lo(r), plane_lo(r
 * + 1)).
 */
static int plane_lo(const struct cube *c, int r)
{
	return (int)((long)c->n * r / c->size);
}

static int planes(const struct cube *c, int r)
{
	return plane_lo(c, r + 1) - plane_lo(c, r);
}

/* Transforms n numbers with stride s in place; sign -1 forward, 1 back. */
static void fft(num *v, int n, size_t s, int sign)
{
	int i, j = 0, len, half, k;
	num t, w, root;

	for (i = 1; i < n; i++) {
		int bit = n >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j |= bit;
		if (i < j) {
			t = v[(size_t)i * s];
			v[(size_t)i * s] = v[(size_t)j * s];
			v[(size_t)j * s] = t;
		}
	}
	for (len = 2; len <= n; len <<= 1) {
		half = len / 2;
		root = cexp(sign * 2 * 3.14159265358979323846 * I / len);
		for (i = 0; i < n; i += len)
			for (k = 0, w = 1; k < half; k++, w *= root) {
				num *x = v + (size_t)(i + k) * s;
				num *y = x + (size_t)half * s;

				t = *y * w;
				*y = *x - t;
				*x += t;
			}
	}
}

/* Transforms the columns of every plane: stride n. */
static void fft_columns(struct cube *c, int sign)
{
	size_t n = (size_t)c->n;
	int p, i;

	for (p = 0; p < planes(c, c->rank); p++)
		for (i = 0; i < c->n; i++)
			fft(c->a + (size_t)p * n * n + (size_t)i, c->n, n,
			    sign);
}

/* Transforms rows and columns of every plane. */
static void fft_planes(struct cube *c, int sign)
{
	size_t n = (size_t)c->n;
	int i;

	for (i = 0; i < planes(c, c->rank) * c->n; i++)
		fft(c->a + (size_t)i * n, c->n, 1, sign);
	fft_columns(c, sign);
}

/*
 * Transposes the cube: plane x, row y becomes plane y, row x. Rank s sends to
 * rank r (planes of s) times (planes of r) rows of n numbers.
 */
static void transpose(struct cube *c)
{
	size_t n = (size_t)c->n, p = (size_t)c->size;
	int *sc = app_alloc(4 * p, sizeof(int)), *sd = sc + p, *rc = sd + p;
	int *rd = rc + p, here = planes(c, c->rank), r, x, y, at = 0;

	for (r = 0; r < c->size; r++) {
		sc[r] = rc[r] = here * planes(c, r) * c->n;
		sd[r] = rd[r] = at;
		for (x = 0; x < here; x++)
			memcpy(c->b + at + (size_t)(x * planes(c, r)) * n,
			       c->a + ((size_t)x * n + (size_t)plane_lo(c, r)) *
					       n,
			       (size_t)planes(c, r) * n * sizeof(num));
		at += sc[r];
	}
	MPI_Alltoallv(c->b, sc, sd, MPI_C_DOUBLE_COMPLEX, c->a, rc, rd,
		      MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
	/*
	 * the block from rank r contains, for each of its planes x, the rows y
	 * that this rank owns now
	 */
	for (r = 0; r < c->size; r++)
		for (x = 0; x < planes(c, r); x++)
			for (y = 0; y < here; y++)
				memcpy(c->b + ((size_t)y * n +
					       (size_t)(plane_lo(c, r) + x)) *
						       n,
				       c->a + rd[r] +
					       (size_t)(x * here + y) * n,
				       n * sizeof(num));
	memcpy(c->a, c->b, (size_t)here * n * n * sizeof(num));
	free(sc);
}

/* Transforms the third dimension: transposes, transforms, transposes back. */
static void fft_third(struct cube *c, int sign)
{
	transpose(c);
	fft_columns(c, sign);
	transpose(c);
}

static num input(const struct cube *c, int x, int y, int z)
{
	uint64_t i =
		((uint64_t)x * (uint64_t)c->n + (uint64_t)y) * (uint64_t)c->n +
		(uint64_t)z;
	double w = 2 * 3.14159265358979323846 / c->n;

	/* noise and one strong wave (1, 2, 3) */
	return 1e-3 * app_unit(i) + cexp(I * w * (x + 2 * y + 3 * z));
}

static double compare(const struct cube *c, double scale, int fill)
{
	double worst = 0;
	size_t k = 0;
	int x, y, z;

	for (x = 0; x < planes(c, c->rank); x++)
		for (y = 0; y < c->n; y++)
			for (z = 0; z < c->n; z++, k++) {
				num v = input(c, plane_lo(c, c->rank) + x, y,
					      z);

				if (fill)
					c->a[k] = v;
				worst = fmax(worst, cabs(c->a[k] * scale - v));
			}
	return worst;
}

/*
 * Returns the error of the wave's coefficient, which is n^3 at (1, 2, 3), up to
 * noise.
 */
static double wave_error(const struct cube *c)
{
	double n3 = (double)c->n * c->n * c->n;
	int x = 1 - plane_lo(c, c->rank);

	if (x < 0 || x >= planes(c, c->rank) || c->n < 4)
		return 0;
	return fmax(
		0,
		cabs(c->a[((size_t)x * (size_t)c->n + 2) * (size_t)c->n + 3] /
			     n3 -
		     1) -
			1e-2);
}

int main(int argc, char **argv)
{
	struct cube c;
	double start, seconds, error[2], worst[2];
	int repeats, i, rc;
	size_t room;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &c.size);
	c.n = app_arg(argc, argv, 1, 64);
	repeats = app_arg(argc, argv, 2, 2);
	room = (size_t)planes(&c, c.rank) * (size_t)c.n * (size_t)c.n;
	c.a = app_alloc(room, sizeof(num));
	c.b = app_alloc(room, sizeof(num));
	compare(&c, 1, 1);
	error[1] = 0;
	start = MPI_Wtime();
	for (i = 0; i < repeats; i++) {
		fft_planes(&c, -1);
		fft_third(&c, -1);
		error[1] = fmax(error[1], wave_error(&c));
		fft_third(&c, 1);
		fft_planes(&c, 1);
		for (size_t k = 0; k < room; k++)
			c.a[k] /= (double)c.n * c.n * c.n;
	}
	seconds = MPI_Wtime() - start;
	error[0] = compare(&c, 1, 0);
	MPI_Allreduce(error, worst, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	rc = app_end("fft", c.rank, seconds, worst[0] + worst[1], 1e-10);
	free(c.a);
	free(c.b);
	MPI_Finalize();
	return rc;
}
