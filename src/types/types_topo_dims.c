/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Dims_create: factors as close to each other as possible. Of all
 * factorizations of n into k factors, the result has the smallest difference
 * between the largest and the smallest factor; of several such factorizations,
 * it is the lexicographically smallest, with the factors in descending order.
 */
#include "src/types/types_topo.h"

#include <errno.h>
#include <limits.h>

/* Returns whether d to the power of k is at least n. */
static bool power_reaches(int d, int k, int n)
{
	long long p = 1;

	for (; k > 0 && p < n; k--)
		p *= d;
	return p >= n;
}

/* Returns whether d to the power of k is more than n. */
static bool power_exceeds(int d, int k, int n)
{
	long long p = 1;

	for (; k > 0 && p <= n; k--)
		p *= d;
	return p > n;
}

/* All divisors, ascending; 2095133040 has the most divisors of all ints. */
struct divisors {
	int n;
	int d[1600];
};

static void find_divisors(struct divisors *all, int n)
{
	int pairs;

	all->n = 0;
	for (int d = 1; d <= n / d; d++)
		if (n % d == 0)
			all->d[all->n++] = d;
	pairs = all->n;
	for (int i = pairs - 1; i >= 0; i--)
		if (all->d[i] != n / all->d[i])
			all->d[all->n++] = n / all->d[i];
}

/*
 * Maximum number of factors, the number of bits of an int; any further factors
 * are 1.
 */
#define MAX_FACTORS 32

struct search {
	struct divisors all;
	int k;
	int f[MAX_FACTORS]; /* factors chosen so far, descending */
	int best[MAX_FACTORS];
	int spread; /* largest minus smallest factor of best */
};

/*
 * Completes a factorization with n as its last factor; stores it in `best` if
 * its spread is smaller than that of `best`.
 */
static void search_finish(struct search *s, int n, int limit)
{
	if (n > limit || s->f[0] - n >= s->spread)
		return;
	s->f[s->k - 1] = n;
	s->spread = s->f[0] - n;
	for (int i = 0; i < s->k; i++)
		s->best[i] = s->f[i];
}

/* Tries all factorizations of n from f[at] on, each factor <= limit. */
static void search(struct search *s, int n, int at, int limit)
{
	int left = s->k - at;

	for (int i = 0; i < s->all.n && s->all.d[i] <= limit; i++) {
		int d = s->all.d[i];
		int top = at ? s->f[0] : d;
		/* smaller factors cannot improve the best result */
		int low = top - s->spread + 1;

		if (n % d || d < low || !power_reaches(d, left, n))
			continue;
		if (low > 1 && left > 1 && power_exceeds(low, left - 1, n / d))
			return;
		s->f[at] = d;
		if (left == 1)
			search_finish(s, n, limit);
		else
			search(s, n / d, at + 1, d);
	}
}

/* Divides n by the non-zero entries and counts the zero entries. */
static int dims_divide_given(int *n, int ndims, const int *dims, int *open_p)
{
	*open_p = 0;
	for (int i = 0; i < ndims; i++) {
		if (dims[i] == 0) {
			(*open_p)++;
		} else if (dims[i] < 0 || *n % dims[i]) {
			return -EINVAL;
		} else {
			*n /= dims[i];
		}
	}
	return *open_p == 0 && *n != 1 ? -EINVAL : 0;
}

int weft_topo_dims(int nnodes, int ndims, int *dims)
{
	struct search s = { .spread = INT_MAX };
	int n = nnodes, open, k = 0;
	int rc = dims_divide_given(&n, ndims, dims, &open);

	if (rc || open == 0)
		return rc;
	s.k = open < MAX_FACTORS ? open : MAX_FACTORS;
	find_divisors(&s.all, n);
	search(&s, n, 0, n);
	for (int i = 0; i < ndims; i++)
		if (dims[i] == 0)
			dims[i] = k < s.k ? s.best[k++] : 1;
	return 0;
}
