/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of topologies: dims, coordinates, shifts, neighbours. */
#include "test/t.h"

#include "src/base/attr.h"
#include "src/types/types_topo.h"

static void check_dims(int n, int k)
{
	int dims[8] = { 0 }, product = 1;

	T_OK(weft_topo_dims(n, k, dims));
	for (int i = 0; i < k; i++) {
		product *= dims[i];
		T_TRUE(i == 0 || dims[i] <= dims[i - 1]);
	}
	T_IS(product, n);
}

/* Returns the least difference between the largest and smallest factor. */
static int least_spread(int n, int k, int top, int limit)
{
	int least = 1 << 30;

	if (k == 1)
		return n <= limit ? (top ? top : n) - n : least;
	for (int d = 1; d <= n && d <= limit; d++) {
		int s = n % d ? least
			      : least_spread(n / d, k - 1, top ? top : d, d);

		least = s < least ? s : least;
	}
	return least;
}

static void dims_are_balanced_and_descending(void **state)
{
	for (int n = 1; n <= 400; n++)
		for (int k = 1; k <= 4; k++) {
			int d[4] = { 0 };

			check_dims(n, k);
			weft_topo_dims(n, k, d);
			T_IS(d[0] - d[k - 1], least_spread(n, k, 0, n));
		}
}

/*
 * Numbers with many divisors. The best factors are often found late, for
 * example a large factor and several equal small ones (3600 = 10 10 6 6).
 */
static void dims_of_composite_numbers_are_balanced(void **state)
{
	static const int four[] = { 3600, 3960, 4680 };

	for (int n = 90; n <= 8100; n += 90) {
		int d[3] = { 0 };

		T_OK(weft_topo_dims(n, 3, d));
		T_IS(d[0] - d[2], least_spread(n, 3, 0, n));
	}
	for (size_t i = 0; i < WEFT_COUNT_OF(four); i++) {
		int d[4] = { 0 };

		T_OK(weft_topo_dims(four[i], 4, d));
		T_IS(d[0] - d[3], least_spread(four[i], 4, 0, four[i]));
	}
}

/*
 * Compares with results of other MPI libraries; also tests a prime, and the int
 * with the most divisors.
 */
static void dims_of_large_numbers(void **state)
{
	static const int known[][4] = {
		{ 34425, 51, 27, 25 },
		{ 4620, 22, 15, 14 },
		{ 1000000007, 1000000007, 1, 1 },
		{ 2095133040, 1292, 1287, 1260 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		int d[3] = { 0 };

		T_OK(weft_topo_dims(known[i][0], 3, d));
		T_MEM(d, known[i] + 1, sizeof(d));
	}
	for (int k = 1; k <= 8; k++)
		check_dims(2095133040, k);
}

static void nonzero_dims_are_kept(void **state)
{
	int a[3] = { 0, 3, 0 }, b[2] = { 5, 0 }, c[2] = { 2, 3 };
	int d[2] = { 2, 2 };

	T_OK(weft_topo_dims(24, 3, a));
	T_TRUE(a[0] == 4 && a[1] == 3 && a[2] == 2);
	T_IS(weft_topo_dims(24, 2, b), -EINVAL);
	T_OK(weft_topo_dims(6, 2, c));
	T_IS(weft_topo_dims(6, 2, d), -EINVAL);
}

static void coordinates_and_ranks_agree(void **state)
{
	const int dims[] = { 2, 3, 4 }, periods[] = { 0, 1, 0 };
	int c[3], out[3] = { 1, -1, 3 }, off[3] = { 2, 0, 0 };

	for (int r = 0; r < 24; r++) {
		struct weft_topo *t = weft_topo_cart(3, dims, periods, r);

		weft_topo_cart_coords(t, r, c);
		T_IS(weft_topo_cart_rank(t, c), r);
		T_MEM(c, t->coords, sizeof(c));
		T_IS(c[0] * 12 + c[1] * 4 + c[2], r);
		weft_topo_close(t);
	}
	{
		struct weft_topo *t = weft_topo_cart(3, dims, periods, 0);

		T_IS(weft_topo_cart_rank(t, out), 12 + 2 * 4 + 3);
		T_IS(weft_topo_cart_rank(t, off), MPI_PROC_NULL);
		weft_topo_close(t);
	}
}

static void cart_neighbours_in_shift_order(void **state)
{
	const int dims[] = { 3, 2 }, periods[] = { 1, 0 };
	const int want[] = { 4, 2, MPI_PROC_NULL, 1 };
	struct weft_topo *t = weft_topo_cart(2, dims, periods, 0), *d;

	T_IS(t->nin, 4);
	T_MEM(t->in, want, sizeof(want));
	T_MEM(t->out, want, sizeof(want));
	T_IS(weft_topo_cart_step(t, 0, -7), 4);
	T_IS(weft_topo_cart_step(t, 1, 2), MPI_PROC_NULL);
	d = weft_topo_dup(t);
	weft_topo_close(t);
	T_MEM(d->out, want, sizeof(want));
	weft_topo_close(d);
}

static void graphs_list_their_edges(void **state)
{
	const int index[] = { 2, 3, 4, 6 }, edges[] = { 1, 3, 0, 3, 0, 2 };
	struct weft_topo *t = weft_topo_graph(4, index, edges, 3);
	struct weft_topo *s = weft_topo_dist(2, edges, index, 0, NULL, edges);

	T_IS(t->nin, 2);
	T_TRUE(t->in[0] == 0 && t->in[1] == 2);
	T_IS(t->nedges, 6);
	T_TRUE(s->weighted && s->in_weight[1] == 3 && s->nout == 0);
	weft_topo_close(t);
	weft_topo_close(s);
	/* both directions have weights, or none has */
	s = weft_topo_dist(2, edges, index, 1, edges, NULL);
	T_FALSE(s->weighted);
	weft_topo_close(s);
	s = weft_topo_dist(2, edges, NULL, 1, edges, index);
	T_FALSE(s->weighted);
	weft_topo_close(s);
	/* a communicator without a topology */
	weft_topo_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(dims_are_balanced_and_descending),
		T_CASE(dims_of_composite_numbers_are_balanced),
		T_CASE(dims_of_large_numbers),
		T_CASE(nonzero_dims_are_kept),
		T_CASE(coordinates_and_ranks_agree),
		T_CASE(cart_neighbours_in_shift_order),
		T_CASE(graphs_list_their_edges),
	};

	return T_RUN(tests);
}
