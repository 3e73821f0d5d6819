/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies: grids, sub-grids, graphs, distributed graphs. */
#include "mpi_t.h"

static void grid(void)
{
	int dims[2] = { 0, 0 }, periods[2] = { 1, 0 }, d[2], p[2], c[2];
	int rank, n, src, dst, kind, remain[2] = { 0, 1 };
	MPI_Comm cart, row, copy;

	MT_OK(MPI_Dims_create(mt_size, 2, dims));
	MT_IS(dims[0] * dims[1], mt_size);
	MT_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart));
	MT_OK(MPI_Topo_test(cart, &kind));
	MT_IS(kind, MPI_CART);
	MT_OK(MPI_Cartdim_get(cart, &n));
	MT_IS(n, 2);
	MT_OK(MPI_Cart_get(cart, 2, d, p, c));
	MT_TRUE(d[0] == dims[0] && p[0] == 1 && p[1] == 0);
	MPI_Comm_rank(cart, &rank);
	MT_IS(c[0] * dims[1] + c[1], rank);
	MT_OK(MPI_Cart_rank(cart, c, &n));
	MT_IS(n, rank);
	MT_OK(MPI_Cart_coords(cart, rank, 2, d));
	MT_TRUE(d[0] == c[0] && d[1] == c[1]);
	MT_OK(MPI_Cart_shift(cart, 0, 1, &src, &dst));
	MT_IS(dst, (c[0] + 1) % dims[0] * dims[1] + c[1]);
	MT_OK(MPI_Cart_shift(cart, 1, 1, &src, &dst));
	MT_IS(src, c[1] ? rank - 1 : MPI_PROC_NULL);
	MT_IS(dst, c[1] + 1 < dims[1] ? rank + 1 : MPI_PROC_NULL);
	/* the message from the left neighbour contains its rank */
	n = -1;
	MT_OK(MPI_Sendrecv(&rank, 1, MPI_INT, dst, 0, &n, 1, MPI_INT, src, 0,
			   cart, MPI_STATUS_IGNORE));
	MT_IS(n, c[1] ? rank - 1 : -1);

	MT_OK(MPI_Cart_sub(cart, remain, &row));
	MPI_Comm_size(row, &n);
	MT_IS(n, dims[1]);
	MPI_Comm_rank(row, &n);
	MT_IS(n, c[1]);
	MT_OK(MPI_Cartdim_get(row, &n));
	MT_IS(n, 1);
	MT_OK(MPI_Comm_dup(cart, &copy));
	MT_OK(MPI_Topo_test(copy, &kind));
	MT_IS(kind, MPI_CART);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&row);
	MPI_Comm_free(&cart);
}

static void small_grid(void)
{
	int dims[1] = { mt_size > 1 ? mt_size - 1 : 1 }, periods[1] = { 0 };
	int none[1] = { 0 }, n;
	MPI_Comm cart, point;

	MT_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart));
	MT_IS(cart == MPI_COMM_NULL, mt_rank >= dims[0]);
	MT_OK(MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &n));
	MT_IS(n, mt_rank < dims[0] ? mt_rank : MPI_UNDEFINED);
	if (cart == MPI_COMM_NULL)
		return;
	MT_OK(MPI_Cart_sub(cart, none, &point));
	MPI_Comm_size(point, &n);
	MT_IS(n, 1);
	MT_OK(MPI_Cartdim_get(point, &n));
	MT_IS(n, 0);
	MPI_Comm_free(&point);
	MPI_Comm_free(&cart);
}

/* A ring: every node has its two neighbours. */
static void graph(void)
{
	int *index = malloc((size_t)mt_size * sizeof(int));
	int *edges = malloc(2 * (size_t)mt_size * sizeof(int));
	int n, e, list[2], next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	MPI_Comm ring;

	for (int i = 0; i < mt_size; i++) {
		index[i] = 2 * (i + 1);
		edges[2 * i] = (i + mt_size - 1) % mt_size;
		edges[2 * i + 1] = (i + 1) % mt_size;
	}
	MT_OK(MPI_Graph_create(MPI_COMM_WORLD, mt_size, index, edges, 0,
			       &ring));
	MT_OK(MPI_Graphdims_get(ring, &n, &e));
	MT_TRUE(n == mt_size && e == 2 * mt_size);
	MT_OK(MPI_Graph_neighbors_count(ring, mt_rank, &n));
	MT_IS(n, 2);
	MT_OK(MPI_Graph_neighbors(ring, mt_rank, 2, list));
	MT_TRUE(list[0] == prev && list[1] == next);
	MPI_Comm_free(&ring);
	free(index);
	free(edges);
}

/* Rank 0 specifies all edges i -> i+1 with weight i + 100. */
static void dist_graph(void)
{
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	int *v = malloc(4 * (size_t)mt_size * sizeof(int)), n, in, out, w;
	int src[1], dst[1], sw[1], dw[1];
	MPI_Comm g, h;

	for (int i = 0; i < mt_size; i++) {
		v[i] = i;
		v[mt_size + i] = 1;
		v[2 * mt_size + i] = (i + 1) % mt_size;
		v[3 * mt_size + i] = 100 + i;
	}
	n = mt_rank == 0 ? mt_size : 0;
	MT_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, v, v + mt_size,
				    v + 2 * mt_size, v + 3 * mt_size,
				    MPI_INFO_NULL, 0, &g));
	MT_OK(MPI_Dist_graph_neighbors_count(g, &in, &out, &w));
	MT_TRUE(in == 1 && out == 1 && w);
	MT_OK(MPI_Dist_graph_neighbors(g, 1, src, sw, 1, dst, dw));
	MT_TRUE(src[0] == prev && sw[0] == 100 + prev);
	MT_TRUE(dst[0] == next && dw[0] == 100 + mt_rank);
	MT_OK(MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 1, &prev, MPI_UNWEIGHTED, 1, &next,
		MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &h));
	MT_OK(MPI_Dist_graph_neighbors_count(h, &in, &out, &w));
	MT_TRUE(in == 1 && out == 1 && !w);
	MPI_Comm_free(&g);
	MPI_Comm_free(&h);
	free(v);
}

/* A rank that specifies no edges may pass NULL: the graph still has weights. */
static void no_edges(void)
{
	int *none = mt_rank ? NULL : MPI_WEIGHTS_EMPTY, in, out, w;
	int to = 0, one = 1, weight = 7, sw, dw, src, dst;
	MPI_Comm g;

	MT_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, none, 0,
					     NULL, none, MPI_INFO_NULL, 0, &g));
	MT_OK(MPI_Dist_graph_neighbors_count(g, &in, &out, &w));
	MT_TRUE(in == 0 && out == 0 && w);
	MPI_Comm_free(&g);
	/* rank 0 specifies one edge, to itself */
	MT_OK(MPI_Dist_graph_create(
		MPI_COMM_WORLD, !mt_rank, mt_rank ? NULL : &to,
		mt_rank ? NULL : &one, mt_rank ? NULL : &to,
		mt_rank ? NULL : &weight, MPI_INFO_NULL, 0, &g));
	MT_OK(MPI_Dist_graph_neighbors_count(g, &in, &out, &w));
	MT_TRUE(in == !mt_rank && out == in && w);
	MT_OK(MPI_Dist_graph_neighbors(g, in, &src, &sw, out, &dst, &dw));
	MT_TRUE(mt_rank || (sw == 7 && dw == 7));
	MPI_Comm_free(&g);
}

static void errors(void)
{
	int dims[1] = { mt_size + 1 }, periods[1] = { 0 }, n;
	MPI_Comm c;

	MT_IS(mt_class(
		      MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c)),
	      MPI_ERR_DIMS);
	MT_IS(mt_class(MPI_Cartdim_get(MPI_COMM_WORLD, &n)), MPI_ERR_TOPOLOGY);
	dims[0] = 3;
	MT_IS(mt_class(MPI_Dims_create(4, 1, dims)), MPI_ERR_DIMS);
	MT_OK(MPI_Topo_test(MPI_COMM_WORLD, &n));
	MT_IS(n, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	grid();
	small_grid();
	graph();
	dist_graph();
	no_edges();
	errors();
	return mt_end();
}
