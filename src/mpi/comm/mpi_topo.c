/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cartesian topologies. Ranks are not reordered: a new communicator lists
 * its processes in the order of the old one.
 */
#include "src/mpi/mpi_export.h"

#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/comm/mpi_topo.h"

#include "src/comm/comm_make.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int mpi_check_topo(const char *func, MPI_Comm handle, int kind,
		   struct weft_comm **comm_p)
{
	int err = mpi_check_comm(func, 1, handle, comm_p);
	const char *want = kind == MPI_CART    ? "Cartesian"
			   : kind == MPI_GRAPH ? "graph"
					       : "distributed graph";

	if (err || ((*comm_p)->topo && (*comm_p)->topo->kind == kind))
		return err;
	return weft_err_arg(*comm_p, func, MPI_ERR_TOPOLOGY, 1,
			    "communicator has no %s topology", want);
}

int mpi_topo_comm(struct weft_comm *c, int n, struct weft_comm **comm_p)
{
	int *ranks, rc;

	if (n == c->size)
		return weft_comm_clone(c, comm_p);
	ranks = malloc(((size_t)n + 1) * sizeof(*ranks));
	if (!ranks)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		ranks[i] = i;
	rc = weft_comm_subset(c, ranks, n, comm_p);
	free(ranks);
	return rc;
}

int mpi_topo_finish(const char *func, struct weft_comm *old, int rc,
		    struct weft_comm *comm, struct weft_topo *t, MPI_Comm *out)
{
	if (!rc && comm && !t) {
		weft_comm_put(comm);
		rc = -ENOMEM;
	}
	if (rc)
		return weft_err_rc(old, func, rc);
	if (comm)
		comm->topo = t;
	*out = comm ? weft_comm_handle(comm) : MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/* ---- checks --------------------------------------------------------------*/

/*
 * Checks the dimensions of a grid and computes its number of processes; dims is
 * argument arg.
 */
static int check_grid(const struct weft_comm *c, const char *func, int arg,
		      int ndims, const int *dims, int *n_p)
{
	long long n = 1;

	*n_p = 1;
	if (weft_check && ndims < 0)
		return weft_err_arg(c, func, MPI_ERR_DIMS, arg - 1,
				    "negative ndims %d", ndims);
	if (ndims && !dims)
		return weft_check_ptr(c, func, arg, dims, "dims");
	for (int d = 0; d < ndims; d++) {
		if (weft_check && dims[d] < 1)
			return weft_err_arg(c, func, MPI_ERR_DIMS, arg,
					    "invalid size %d of dimension %d",
					    dims[d], d);
		n *= dims[d];
		if (n > c->size)
			return weft_err_arg(c, func, MPI_ERR_DIMS, arg,
					    "the grid has more than the %d "
					    "processes of the "
					    "communicator",
					    c->size);
	}
	*n_p = (int)n;
	return 0;
}

static int check_rank(const struct weft_comm *c, const char *func, int arg,
		      int rank)
{
	if (!weft_check || (rank >= 0 && rank < c->size))
		return 0;
	return weft_err_arg(c, func, MPI_ERR_RANK, arg,
			    "invalid rank %d in communicator of size %d", rank,
			    c->size);
}

/* Returns how many dimensions fit in the caller's arrays. */
static int fits(const struct weft_topo *t, int maxdims)
{
	return maxdims < t->ndims ? maxdims : t->ndims;
}

/* ---- constructors ------------------------------------------------------- */

#pragma weak MPI_Cart_create = PMPI_Cart_create
int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[],
		     const int periods[], int reorder, MPI_Comm *comm_cart)
{
	MPI_ENTER_COLL(comm_old, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c, *new = NULL;
	struct weft_topo *t = NULL;
	int err = mpi_check_intra(__func__, 1, comm_old, &c);
	int n, rc;

	mpi_comm_set_null(comm_cart);
	if (!err)
		err = check_grid(c, __func__, 3, ndims, dims, &n);
	if (!err && ndims)
		err = weft_check_ptr(c, __func__, 4, periods, "periods");
	if (!err)
		err = weft_check_ptr(c, __func__, 6, comm_cart, "comm_cart");
	if (err)
		return err;
	rc = mpi_topo_comm(c, n, &new);
	if (!rc && new)
		t = weft_topo_cart(ndims, dims, periods, new->rank);
	return mpi_topo_finish(__func__, c, rc, new, t, comm_cart);
}

/*
 * Returns the color of this process's subgrid (line, plane, ...), computed from
 * the coordinates of the dropped dimensions; *key_p: position in the subgrid.
 */
static int sub_color(const struct weft_topo *t, const int *remain, int *key_p)
{
	int color = 0;

	*key_p = 0;
	for (int d = 0; d < t->ndims; d++) {
		int *number = remain[d] ? key_p : &color;

		*number = *number * t->dims[d] + t->coords[d];
	}
	return color;
}

static struct weft_topo *sub_topo(const struct weft_topo *t, const int *remain,
				  int rank)
{
	int *kept = malloc((2 * (size_t)t->ndims + 1) * sizeof(int));
	struct weft_topo *sub = NULL;
	int n = 0;

	if (!kept)
		return NULL;
	for (int d = 0; d < t->ndims; d++) {
		if (!remain[d])
			continue;
		kept[n] = t->dims[d];
		kept[t->ndims + n++] = t->periods[d];
	}
	sub = weft_topo_cart(n, kept, kept + t->ndims, rank);
	free(kept);
	return sub;
}

#pragma weak MPI_Cart_sub = PMPI_Cart_sub
int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	MPI_ENTER_COLL(comm, MPI_NO_ROOT, MPI_NO_DATA);
	struct weft_comm *c, *new = NULL;
	struct weft_topo *t = NULL;
	int err = mpi_check_topo(__func__, comm, MPI_CART, &c);
	int color, key, rc;

	mpi_comm_set_null(newcomm);
	if (!err && c->topo->ndims)
		err = weft_check_ptr(c, __func__, 2, remain_dims,
				     "remain_dims");
	if (!err)
		err = weft_check_ptr(c, __func__, 3, newcomm, "newcomm");
	if (err)
		return err;
	color = sub_color(c->topo, remain_dims, &key);
	rc = weft_comm_split(c, color, key, &new);
	if (!rc && new)
		t = sub_topo(c->topo, remain_dims, new->rank);
	return mpi_topo_finish(__func__, c, rc, new, t, newcomm);
}

#pragma weak MPI_Cart_map = PMPI_Cart_map
int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[],
		  const int periods[], int *newrank)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_intra(__func__, 1, comm, &c);
	int n;

	if (!err)
		err = weft_check_ptr(c, __func__, 5, newrank, "newrank");
	if (!err)
		err = check_grid(c, __func__, 3, ndims, dims, &n);
	if (!err)
		*newrank = c->rank < n ? c->rank : MPI_UNDEFINED;
	return err;
}

#pragma weak MPI_Dims_create = PMPI_Dims_create
int PMPI_Dims_create(int nnodes, int ndims, int dims[])
{
	MPI_ENTER;

	if (weft_check && nnodes < 1)
		return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 1, "%d nodes",
				    nnodes);
	if (weft_check && ndims < 0)
		return weft_err_arg(NULL, __func__, MPI_ERR_DIMS, 2,
				    "negative ndims %d", ndims);
	if (ndims && !dims)
		return weft_check_ptr(NULL, __func__, 3, dims, "dims");
	for (int d = 0; d < ndims; d++)
		if (dims[d] < 0)
			return weft_err_arg(NULL, __func__, MPI_ERR_DIMS, 3,
					    "invalid size %d of dimension %d",
					    dims[d], d);
	if (ndims && weft_topo_dims(nnodes, ndims, dims))
		return weft_err_arg(NULL, __func__, MPI_ERR_DIMS, 3,
				    "the given sizes do not divide %d nodes",
				    nnodes);
	return MPI_SUCCESS;
}

/* ---- queries ------------------------------------------------------------ */

#pragma weak MPI_Topo_test = PMPI_Topo_test
int PMPI_Topo_test(MPI_Comm comm, int *status)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_comm(__func__, 1, comm, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, status, "status");
	if (!err)
		*status = c->topo ? c->topo->kind : MPI_UNDEFINED;
	return err;
}

#pragma weak MPI_Cartdim_get = PMPI_Cartdim_get
int PMPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_CART, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 2, ndims, "ndims");
	if (!err)
		*ndims = c->topo->ndims;
	return err;
}

#pragma weak MPI_Cart_get = PMPI_Cart_get
int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[],
		  int coords[])
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_CART, &c);

	if (!err && fits(c->topo, maxdims) > 0) {
		err = weft_check_ptr(c, __func__, 3, dims, "dims");
		if (!err)
			err = weft_check_ptr(c, __func__, 4, periods,
					     "periods");
		if (!err)
			err = weft_check_ptr(c, __func__, 5, coords, "coords");
	}
	for (int d = 0; !err && d < fits(c->topo, maxdims); d++) {
		dims[d] = c->topo->dims[d];
		periods[d] = c->topo->periods[d];
		coords[d] = c->topo->coords[d];
	}
	return err;
}

#pragma weak MPI_Cart_rank = PMPI_Cart_rank
int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_CART, &c);
	const struct weft_topo *t;

	if (!err && c->topo->ndims)
		err = weft_check_ptr(c, __func__, 2, coords, "coords");
	if (!err)
		err = weft_check_ptr(c, __func__, 3, rank, "rank");
	if (err)
		return err;
	t = c->topo;
	for (int d = 0; d < t->ndims && weft_check; d++)
		if (!t->periods[d] &&
		    (coords[d] < 0 || coords[d] >= t->dims[d]))
			return weft_err_arg(c, __func__, MPI_ERR_ARG, 2,
					    "coordinate %d is outside "
					    "dimension %d of size %d",
					    coords[d], d, t->dims[d]);
	*rank = weft_topo_cart_rank(t, coords);
	return MPI_SUCCESS;
}

#pragma weak MPI_Cart_coords = PMPI_Cart_coords
int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_CART, &c);
	int *all;

	if (!err)
		err = check_rank(c, __func__, 2, rank);
	if (!err && fits(c->topo, maxdims) > 0)
		err = weft_check_ptr(c, __func__, 4, coords, "coords");
	if (err)
		return err;
	all = malloc(((size_t)c->topo->ndims + 1) * sizeof(*all));
	if (!all)
		return weft_err_rc(c, __func__, -ENOMEM);
	weft_topo_cart_coords(c->topo, rank, all);
	for (int d = 0; d < fits(c->topo, maxdims); d++)
		coords[d] = all[d];
	free(all);
	return MPI_SUCCESS;
}

#pragma weak MPI_Cart_shift = PMPI_Cart_shift
int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source,
		    int *rank_dest)
{
	MPI_ENTER;
	struct weft_comm *c;
	int err = mpi_check_topo(__func__, comm, MPI_CART, &c);

	if (!err)
		err = weft_check_ptr(c, __func__, 4, rank_source,
				     "rank_source");
	if (!err)
		err = weft_check_ptr(c, __func__, 5, rank_dest, "rank_dest");
	if (err)
		return err;
	if (direction < 0 || direction >= c->topo->ndims)
		return weft_err_arg(
			c, __func__, MPI_ERR_ARG, 2,
			"invalid direction %d; the grid has %d dimensions",
			direction, c->topo->ndims);
	if (disp == INT_MIN)
		return weft_err_arg(c, __func__, MPI_ERR_ARG, 3,
				    "displacement %d", disp);
	*rank_source = weft_topo_cart_step(c->topo, direction, -disp);
	*rank_dest = weft_topo_cart_step(c->topo, direction, disp);
	return MPI_SUCCESS;
}
