/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong arguments: null pointers for results, invalid buffers, counts larger
 * than any memory. Each call returns its error class and has no effect.
 */
#include "mpi_t.h"

#define BAD(class, call) bad(class, call, #call, __LINE__)
#define ARG(call)	 BAD(MPI_ERR_ARG, call)
#define BUF(call)	 BAD(MPI_ERR_BUFFER, call)

static MPI_Comm self;

static void bad(int want, int code, const char *call, int line)
{
	char text[MPI_MAX_ERROR_STRING];
	int class = -1, n;

	MPI_Error_class(code, &class);
	if (class == want)
		return;
	MPI_Error_string(code, text, &n);
	fprintf(stderr, "line %d: %s: class %d, not %d: %s\n", line, call,
		class, want, text);
	MPI_Abort(MPI_COMM_WORLD, 9);
}

static void null_results_communicators(void)
{
	MPI_Group g = MPI_GROUP_EMPTY;
	MPI_Request q;
	MPI_Comm c;
	int zero = 0, n;
	char text[MPI_MAX_OBJECT_NAME];

	ARG(MPI_Comm_rank(self, NULL));
	ARG(MPI_Comm_size(self, NULL));
	ARG(MPI_Comm_group(self, NULL));
	ARG(MPI_Comm_compare(self, self, NULL));
	ARG(MPI_Comm_test_inter(self, NULL));
	ARG(MPI_Comm_get_info(self, NULL));
	ARG(MPI_Comm_get_name(self, NULL, &n));
	ARG(MPI_Comm_get_name(self, text, NULL));
	ARG(MPI_Comm_get_errhandler(self, NULL));
	ARG(MPI_Comm_get_attr(self, MPI_TAG_UB, NULL, &n));
	ARG(MPI_Comm_get_attr(self, MPI_TAG_UB, &zero, NULL));
	ARG(MPI_Comm_dup(self, NULL));
	ARG(MPI_Comm_idup(self, NULL, &q));
	ARG(MPI_Comm_idup(self, &c, NULL));
	ARG(MPI_Comm_split(self, 0, 0, NULL));
	ARG(MPI_Comm_split_type(self, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
				NULL));
	ARG(MPI_Comm_free(NULL));
	ARG(MPI_Group_free(NULL));
	ARG(MPI_Group_size(g, NULL));
	ARG(MPI_Group_compare(g, g, NULL));
	ARG(MPI_Group_translate_ranks(g, 1, NULL, g, &n));
	ARG(MPI_Group_translate_ranks(g, 1, &zero, g, NULL));
	ARG(MPI_Group_incl(g, 1, NULL, &g));
	ARG(MPI_Group_incl(g, -1, &zero, &g));
	ARG(MPI_Group_range_excl(g, 1, NULL, &g));
	ARG(MPI_Cart_create(self, 1, NULL, &zero, 0, &c));
	ARG(MPI_Graph_create(self, 1, NULL, NULL, 0, &c));
	ARG(MPI_Dims_create(4, 2, NULL));
	ARG(MPI_Dist_graph_create(self, 1, NULL, &zero, &zero, MPI_UNWEIGHTED,
				  MPI_INFO_NULL, 0, &c));
	ARG(MPI_Dist_graph_create_adjacent(self, 1, &zero, NULL, 0, NULL, NULL,
					   MPI_INFO_NULL, 0, &c));
}

/* Neighbours outside the communicator: below its ranks and above them. */
static void invalid_neighbours(void)
{
	int none = 0, one = 1, wrong[] = { -1, 1 };
	MPI_Comm c;

	for (int i = 0; i < 2; i++) {
		BAD(MPI_ERR_RANK,
		    MPI_Dist_graph_create_adjacent(
			    self, 1, &wrong[i], MPI_UNWEIGHTED, 1, &none,
			    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
		BAD(MPI_ERR_RANK,
		    MPI_Dist_graph_create_adjacent(
			    self, 1, &none, MPI_UNWEIGHTED, 1, &wrong[i],
			    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
		BAD(MPI_ERR_RANK,
		    MPI_Dist_graph_create(self, 1, &wrong[i], &one, &none,
					  MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
					  &c));
		BAD(MPI_ERR_RANK,
		    MPI_Dist_graph_create(self, 1, &none, &one, &wrong[i],
					  MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
					  &c));
	}
	ARG(MPI_Dist_graph_create_adjacent(self, -1, &none, MPI_UNWEIGHTED, 1,
					   &none, MPI_UNWEIGHTED, MPI_INFO_NULL,
					   0, &c));
	ARG(MPI_Dist_graph_create_adjacent(self, 1, &none, MPI_UNWEIGHTED, -1,
					   &none, MPI_UNWEIGHTED, MPI_INFO_NULL,
					   0, &c));
}

static void null_results_messages(void)
{
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Message m = MPI_MESSAGE_NO_PROC;
	MPI_Status st = { 0 };
	int x = 0, n, flag;

	ARG(MPI_Wait(NULL, &st));
	ARG(MPI_Test(NULL, &flag, &st));
	ARG(MPI_Test(&q, NULL, &st));
	ARG(MPI_Waitall(1, NULL, &st));
	ARG(MPI_Testall(1, &q, NULL, &st));
	ARG(MPI_Waitany(1, &q, NULL, &st));
	ARG(MPI_Testany(1, &q, NULL, &flag, &st));
	ARG(MPI_Testany(1, &q, &n, NULL, &st));
	ARG(MPI_Waitsome(1, &q, NULL, &n, &st));
	ARG(MPI_Testsome(1, &q, &n, NULL, &st));
	ARG(MPI_Request_get_status(q, NULL, &st));
	ARG(MPI_Request_free(NULL));
	ARG(MPI_Cancel(NULL));
	ARG(MPI_Start(NULL));
	ARG(MPI_Startall(1, NULL));
	ARG(MPI_Isend(&x, 1, MPI_INT, 0, 1, self, NULL));
	ARG(MPI_Irecv(&x, 1, MPI_INT, 0, 1, self, NULL));
	ARG(MPI_Ibsend(&x, 1, MPI_INT, 0, 1, self, NULL));
	ARG(MPI_Send_init(&x, 1, MPI_INT, 0, 1, self, NULL));
	ARG(MPI_Iprobe(0, 1, self, NULL, &st));
	ARG(MPI_Improbe(0, 1, self, &flag, NULL, &st));
	ARG(MPI_Mrecv(&x, 1, MPI_INT, NULL, &st));
	ARG(MPI_Imrecv(&x, 1, MPI_INT, &m, NULL));
	ARG(MPI_Get_count(NULL, MPI_INT, &n));
	ARG(MPI_Get_count(&st, MPI_INT, NULL));
	ARG(MPI_Get_elements(&st, MPI_INT, NULL));
	ARG(MPI_Test_cancelled(&st, NULL));
	ARG(MPI_Buffer_detach(NULL, &n));
	ARG(MPI_Buffer_attach(NULL, 10));
	ARG(MPI_Pack(&x, 1, MPI_INT, &x, 4, NULL, self));
	ARG(MPI_Unpack(&x, 4, NULL, &x, 1, MPI_INT, self));
	ARG(MPI_Pack_size(1, MPI_INT, self, NULL));
	ARG(MPI_Iallreduce(&x, &n, 1, MPI_INT, MPI_SUM, self, NULL));
	ARG(MPI_Reduce_scatter(&x, &n, NULL, MPI_INT, MPI_SUM, self));
}

static void null_results_others(void)
{
	MPI_Info info;
	MPI_Aint a;
	int n, flag;
	char text[MPI_MAX_ERROR_STRING];

	ARG(MPI_Type_size(MPI_INT, NULL));
	ARG(MPI_Type_get_extent(MPI_INT, NULL, &a));
	ARG(MPI_Type_extent(MPI_INT, NULL));
	ARG(MPI_Type_lb(MPI_INT, NULL));
	ARG(MPI_Type_ub(MPI_INT, NULL));
	ARG(MPI_Type_get_envelope(MPI_INT, NULL, &n, &n, &n));
	ARG(MPI_Op_commutative(MPI_SUM, NULL));
	ARG(MPI_Errhandler_free(NULL));
	ARG(MPI_Comm_create_errhandler(NULL, NULL));
	ARG(MPI_Error_class(MPI_ERR_RANK, NULL));
	ARG(MPI_Error_string(MPI_ERR_RANK, NULL, &n));
	ARG(MPI_Error_string(MPI_ERR_RANK, text, NULL));
	ARG(MPI_Add_error_class(NULL));
	ARG(MPI_Initialized(NULL));
	ARG(MPI_Query_thread(NULL));
	ARG(MPI_Get_version(NULL, &n));
	ARG(MPI_Get_processor_name(text, NULL));
	ARG(MPI_Alloc_mem(8, MPI_INFO_NULL, NULL));
	MT_OK(MPI_Info_create(&info));
	ARG(MPI_Info_create(NULL));
	ARG(MPI_Info_dup(info, NULL));
	ARG(MPI_Info_get_nkeys(info, NULL));
	ARG(MPI_Info_get_nthkey(info, 0, NULL));
	ARG(MPI_Info_get(info, "key", 3, NULL, &flag));
	ARG(MPI_Info_get_string(info, "key", NULL, text, &flag));
	MT_OK(MPI_Info_free(&info));
}

/* Tests invalid handles and numeric arguments. */
static void invalid_handles(void)
{
	MPI_Info stray = (MPI_Info)MPI_COMM_SELF;
	char text[8];
	MPI_Group g;
	MPI_Comm c;
	void *p;
	int n, flag;

	BAD(MPI_ERR_INFO, MPI_Alloc_mem(8, stray, &p));
	BAD(MPI_ERR_INFO, MPI_Comm_dup_with_info(self, stray, &c));
	BAD(MPI_ERR_INFO, MPI_Dist_graph_create(self, 0, NULL, NULL, NULL, NULL,
						stray, 0, &c));
	MT_OK(MPI_Comm_group(self, &g));
	BAD(MPI_ERR_ERRHANDLER,
	    MPI_Comm_create_from_group(g, "weft/args", MPI_INFO_NULL,
				       MPI_ERRHANDLER_NULL, &c));
	MT_OK(MPI_Group_free(&g));
	BAD(MPI_ERR_ERRHANDLER,
	    MPI_Comm_set_errhandler(self, MPI_ERRHANDLER_NULL));
	ARG(MPI_Add_error_code(-1, &n));
	ARG(MPI_Error_class(-1, &n));
	ARG(MPI_Info_get(MPI_INFO_ENV, "maxprocs", -1, text, &flag));
	ARG(MPI_Pready_list(-1, &n, MPI_REQUEST_NULL));
}

/* MPI_IN_PLACE and NULL are refused as buffers with data. */
static void invalid_buffers(void)
{
	MPI_Request q;
	MPI_Status st;
	int x = 0, y = 0;

	BUF(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 1, self));
	BUF(MPI_Isend(MPI_IN_PLACE, 1, MPI_INT, 0, 1, self, &q));
	BUF(MPI_Ssend(MPI_IN_PLACE, 1, MPI_INT, 0, 1, self));
	BUF(MPI_Bsend(MPI_IN_PLACE, 1, MPI_INT, 0, 1, self));
	BUF(MPI_Recv(MPI_IN_PLACE, 1, MPI_INT, 0, 1, self, &st));
	BUF(MPI_Irecv(MPI_IN_PLACE, 1, MPI_INT, 0, 1, self, &q));
	BUF(MPI_Send_init(MPI_IN_PLACE, 1, MPI_INT, 0, 1, self, &q));
	BUF(MPI_Sendrecv(MPI_IN_PLACE, 1, MPI_INT, 0, 1, &x, 1, MPI_INT, 0, 1,
			 self, &st));
	BUF(MPI_Send(NULL, 1, MPI_INT, 0, 1, self));
	BUF(MPI_Reduce_local(&x, NULL, 1, MPI_INT, MPI_SUM));
	BUF(MPI_Reduce_local(&x, &x, 1, MPI_INT, MPI_SUM));
	BUF(MPI_Allreduce(NULL, &y, 1, MPI_INT, MPI_SUM, self));
	BUF(MPI_Reduce(NULL, &y, 1, MPI_INT, MPI_SUM, 0, self));
	BUF(MPI_Scan(NULL, &y, 1, MPI_INT, MPI_SUM, self));
	BUF(MPI_Exscan(NULL, &y, 1, MPI_INT, MPI_SUM, self));
	BUF(MPI_Reduce_scatter_block(NULL, &y, 1, MPI_INT, MPI_SUM, self));
	BUF(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, self));
	/*
	 * a count of 0 needs no buffer, and rank 0 of an exscan gets no result
	 */
	MT_OK(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, self));
	MT_OK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, self));
	MT_OK(MPI_Exscan(&x, NULL, 1, MPI_INT, MPI_SUM, self));
	MT_OK(MPI_Exscan(&x, &x, 1, MPI_INT, MPI_SUM, self));
}

/*
 * Counts of more than 2^63 bytes are refused; the same number of empty elements
 * is valid.
 */
static void counts_beyond_memory(void)
{
	MPI_Count n = (MPI_Count)1 << 61, one = 1;
	MPI_Aint at = 0;
	MPI_Datatype vast, none;
	MPI_Request q;
	MPI_Status st;
	int x = 0, y = 0, len = 1;

	MT_OK(MPI_Type_contiguous(0, MPI_INT, &none));
	MT_OK(MPI_Type_commit(&none));
	MT_OK(MPI_Send_c(&x, n, none, MPI_PROC_NULL, 1, self));
	MT_OK(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 60, &vast));
	MT_OK(MPI_Type_commit(&vast));
	BAD(MPI_ERR_COUNT, MPI_Send_c(&x, n, MPI_DOUBLE, 0, 1, self));
	BAD(MPI_ERR_COUNT, MPI_Send(&x, 100, vast, 0, 1, self));
	BAD(MPI_ERR_COUNT, MPI_Isend_c(&x, n, MPI_DOUBLE, 0, 1, self, &q));
	BAD(MPI_ERR_COUNT, MPI_Recv_c(&x, n, MPI_DOUBLE, 0, 1, self, &st));
	BAD(MPI_ERR_COUNT, MPI_Irecv_c(&x, n, MPI_DOUBLE, 0, 1, self, &q));
	BAD(MPI_ERR_COUNT, MPI_Recv_init_c(&x, n, MPI_DOUBLE, 0, 1, self, &q));
	BAD(MPI_ERR_COUNT, MPI_Bcast_c(&x, n, MPI_DOUBLE, 0, self));
	BAD(MPI_ERR_COUNT,
	    MPI_Allreduce_c(&x, &y, n, MPI_DOUBLE, MPI_SUM, self));
	BAD(MPI_ERR_COUNT,
	    MPI_Allgather_c(&x, n, MPI_DOUBLE, &y, n, MPI_DOUBLE, self));
	BAD(MPI_ERR_COUNT, MPI_Allgatherv_c(&x, one, MPI_DOUBLE, &y, &n, &at,
					    MPI_DOUBLE, self));
	BAD(MPI_ERR_COUNT,
	    MPI_Reduce_scatter_c(&x, &y, &n, MPI_DOUBLE, MPI_SUM, self));
	MT_OK(MPI_Send(&x, 1, vast, MPI_PROC_NULL, 1, self));
	MT_OK(MPI_Sendrecv(&mt_size, len, vast, 0, 2, &x, len, vast, 0, 2, self,
			   &st));
	MT_IS(x, mt_size);
	MT_OK(MPI_Type_free(&vast));
	MT_OK(MPI_Type_free(&none));
}

/* Results of constructors that fail are null handles. */
static void failed_constructors(void)
{
	int dims[2] = { 2, 0 }, periods[2] = { 0, 0 };
	MPI_Comm c = self;

	BAD(MPI_ERR_DIMS, MPI_Cart_create(self, 1, dims, periods, 0, &c));
	MT_IS(c, MPI_COMM_NULL);
	c = self;
	BAD(MPI_ERR_DIMS, MPI_Cart_create(self, -1, dims, periods, 0, &c));
	MT_IS(c, MPI_COMM_NULL);
	c = self;
	BAD(MPI_ERR_TOPOLOGY, MPI_Cart_sub(self, dims, &c));
	MT_IS(c, MPI_COMM_NULL);
	c = self;
	ARG(MPI_Graph_create(self, 5, dims, dims, 0, &c));
	MT_IS(c, MPI_COMM_NULL);
	c = self;
	ARG(MPI_Comm_split(self, -5, 0, &c));
	MT_IS(c, MPI_COMM_NULL);
	c = self;
	BAD(MPI_ERR_GROUP, MPI_Comm_create(self, MPI_GROUP_NULL, &c));
	MT_IS(c, MPI_COMM_NULL);
	c = self;
	BAD(MPI_ERR_COMM, MPI_Intercomm_merge(self, 0, &c));
	MT_IS(c, MPI_COMM_NULL);
}

/*
 * An active request cannot be started again; an inactive request is unchanged
 * by the error.
 */
static void requests(void)
{
	MPI_Request q, nothing = MPI_REQUEST_NULL;
	MPI_Status st;
	int x = 0, y = 7, k, flag;

	BAD(MPI_ERR_COUNT, MPI_Waitall(-1, &nothing, &st));
	BAD(MPI_ERR_COUNT, MPI_Testall(-1, &nothing, &flag, &st));
	BAD(MPI_ERR_COUNT, MPI_Waitany(-1, &nothing, &k, &st));
	BAD(MPI_ERR_COUNT, MPI_Testsome(-1, &nothing, &k, &k, &st));
	BAD(MPI_ERR_COUNT, MPI_Startall(-1, &nothing));
	BAD(MPI_ERR_REQUEST, MPI_Start(&nothing));
	MT_OK(MPI_Recv_init(&x, 1, MPI_INT, 0, 3, self, &q));
	for (k = 0; k < 2; k++) {
		MT_OK(MPI_Start(&q));
		BAD(MPI_ERR_REQUEST, MPI_Start(&q));
		BAD(MPI_ERR_REQUEST, MPI_Startall(1, &q));
		y++;
		MT_OK(MPI_Send(&y, 1, MPI_INT, 0, 3, self));
		MT_OK(MPI_Wait(&q, &st));
		MT_IS(x, y);
	}
	MT_OK(MPI_Iprobe(0, 3, self, &flag, &st));
	MT_IS(flag, 0);
	MT_OK(MPI_Request_free(&q));
	MT_OK(MPI_Irecv(&x, 1, MPI_INT, 0, 3, self, &q));
	BAD(MPI_ERR_REQUEST, MPI_Start(&q));
	MT_OK(MPI_Send(&y, 1, MPI_INT, 0, 3, self));
	MT_OK(MPI_Wait(&q, &st));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	MT_OK(MPI_Comm_dup(MPI_COMM_SELF, &self));
	null_results_communicators();
	invalid_neighbours();
	null_results_messages();
	null_results_others();
	invalid_handles();
	invalid_buffers();
	counts_beyond_memory();
	failed_constructors();
	requests();
	MT_OK(MPI_Comm_free(&self));
	return mt_end();
}
