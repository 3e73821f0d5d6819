/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Dims_create: factors as equal as they can be. The largest factor is
 * made as small as possible, then the next one, and so on: of all ways to
 * write n as a product of k factors, the first in the order of descending
 * factors.
 */
#include "src/types/types_topo.h"

#include <errno.h>

/* True when d to the power of k is at least n. */
static bool power_reaches(int d, int k, int n)
{
	long long p = 1;

	for (; k > 0 && p < n; k--)
		p *= d;
	return p >= n;
}

/* All divisors of a number, ascending; no int has more than 1536. */
struct divisors {
	int n;
	int d[1536];
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

/* Writes n as k descending factors, none above limit; false: impossible. */
static bool split(const struct divisors *all, int n, int k, int limit, int *f)
{
	if (k == 0)
		return n == 1;
	for (int i = 0; i < all->n && all->d[i] <= limit; i++) {
		int d = all->d[i];

		if (n % d || !power_reaches(d, k, n))
			continue;
		f[0] = d;
		if (split(all, n / d, k - 1, d, f + 1))
			return true;
	}
	return false;
}

/* Divides n by the entries that are given; counts the others. */
static int take_given(int *n, int ndims, const int *dims, int *open_p)
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

/* More factors than bits in an int are ones anyway. */
#define MAX_FACTORS 32

int weft_topo_dims(int nnodes, int ndims, int *dims)
{
	int factor[MAX_FACTORS], n = nnodes, open, k = 0;
	int rc = take_given(&n, ndims, dims, &open);
	struct divisors all;

	if (rc || open == 0)
		return rc;
	if (open > MAX_FACTORS)
		open = MAX_FACTORS;
	find_divisors(&all, n);
	if (!split(&all, n, open, n, factor))
		return -EINVAL;
	for (int i = 0; i < ndims; i++)
		if (dims[i] == 0)
			dims[i] = k < open ? factor[k++] : 1;
	return 0;
}
