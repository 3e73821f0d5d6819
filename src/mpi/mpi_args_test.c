/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of argument checks (mpi_check.h, mpi_coll_args.c): every wrong argument
 * is reported with its class and position, the first one if several are wrong,
 * and valid calls reach coll/. Errors and collectives are stubs; communicators
 * are structures of this test.
 */
#include "src/mpi/mpi_export.h"

#include "src/comm/comm_exchange.h"
#include "src/core/core_state.h"
#include "src/mpi/coll/mpi_coll_args.h"
#include "src/mpi/mpi_check.h"
#include "src/recover/recover.h"
#include "src/types/types_topo.h"

#include "test/t.h"

enum { RANKS = 4 };

/* ---- stubs ---------------------------------------------------------------*/

bool weft_check = true;
struct weft_core weft_core;
struct weft_comm *weft_comm_predef[4];

static int class, position, runs;

int weft_err_arg(const void *obj, const char *func, int class_, int arg,
		 const char *fmt, ...)
{
	class = class_;
	position = arg;
	return class_;
}

int weft_err_rc_slow(const void *obj, const char *func, int rc)
{
	return MPI_ERR_OTHER;
}

int weft_check_comm_bad(const char *func, int arg, MPI_Comm handle)
{
	return weft_err_arg(NULL, func, MPI_ERR_COMM, arg, "comm");
}

int weft_check_intra(const struct weft_comm *c, const char *func, int arg)
{
	return c->inter ? weft_err_arg(c, func, MPI_ERR_COMM, arg, "inter") : 0;
}

int weft_check_ptr_bad(const void *obj, const char *func, int arg,
		       const char *what)
{
	return weft_err_arg(obj, func, MPI_ERR_ARG, arg, "%s", what);
}

int weft_recover_check_coll(const struct weft_comm *c)
{
	return 0;
}

int weft_comm_exchange_addresses(struct weft_comm *c)
{
	return 0;
}

int weft_coll_run(const struct weft_coll_args *a)
{
	runs++;
	return 0;
}

int weft_coll_start(const struct weft_coll_args *a, struct weft_req **req_p)
{
	runs++;
	return 0;
}

int weft_coll_init(const struct weft_coll_args *a, struct weft_req **req_p)
{
	runs++;
	return 0;
}

/* ---- communicators and types ---------------------------------------------*/

static struct weft_topo topology = { .nin = 2, .nout = 2 };
static struct weft_comm world = { .obj.kind = WEFT_KIND_COMM,
				  .rank = 1,
				  .size = RANKS,
				  .peers = RANKS,
				  .reach = RANKS };
static struct weft_comm cart = { .obj.kind = WEFT_KIND_COMM,
				 .rank = 1,
				 .size = RANKS,
				 .peers = RANKS,
				 .topo = &topology };
static struct weft_comm inter = {
	.obj.kind = WEFT_KIND_COMM, .size = RANKS, .peers = 3, .inter = true
};
static int in[64], out[64];
static const int counts[RANKS] = { 1, 1, 1, 1 };
static const int negative[RANKS] = { 1, 1, -1, 1 };
static MPI_Datatype uncommitted;

#define WORLD weft_comm_handle(&world)
#define CART  weft_comm_handle(&cart)
#define INTER weft_comm_handle(&inter)

static int setup(void **state)
{
	struct weft_dt *dt;

	T_OK(weft_dt_vector(2, 1, 2, weft_dt_of(MPI_INT), &dt));
	uncommitted = weft_dt_handle(dt);
	return 0;
}

static int teardown(void **state)
{
	weft_dt_put(weft_dt_of(uncommitted));
	return 0;
}

/* ---- messages ------------------------------------------------------------*/

/* Checks a message whose six arguments begin at position 1. */
static void message(const void *buf, MPI_Count count, MPI_Datatype type,
		    int peer, int tag, int recv, int want, int arg)
{
	struct mpi_msg m = {
		"PMPI_Send", 1, buf, count, type, peer, tag, NULL
	};

	class = MPI_SUCCESS;
	position = 0;
	mpi_check_msg(&m, &world, recv);
	T_IS(class, want);
	T_IS(position, arg);
}

static void valid_messages_pass(void **state)
{
	message(in, 1, MPI_INT, 0, 0, 0, MPI_SUCCESS, 0);
	message(in, 1, MPI_INT, RANKS - 1, 5, 0, MPI_SUCCESS, 0);
	message(NULL, 0, MPI_INT, 0, 0, 0, MPI_SUCCESS, 0);
	message(in, 1, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_SUCCESS, 0);
	message(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, 1, MPI_SUCCESS, 0);
}

static void wrong_message_arguments_are_found(void **state)
{
	message(NULL, 1, MPI_INT, 0, 0, 0, MPI_ERR_BUFFER, 1);
	message(MPI_IN_PLACE, 1, MPI_INT, 0, 0, 0, MPI_ERR_BUFFER, 1);
	message(in, -1, MPI_INT, 0, 0, 0, MPI_ERR_COUNT, 2);
	message(in, INT64_MAX / 2, MPI_INT, 0, 0, 0, MPI_ERR_COUNT, 2);
	message(in, 1, MPI_DATATYPE_NULL, 0, 0, 0, MPI_ERR_TYPE, 3);
	message(in, 1, (MPI_Datatype)in, 0, 0, 0, MPI_ERR_TYPE, 3);
	message(in, 1, uncommitted, 0, 0, 0, MPI_ERR_TYPE, 3);
	message(in, 1, MPI_INT, RANKS, 0, 0, MPI_ERR_RANK, 4);
	message(in, 1, MPI_INT, -7, 0, 0, MPI_ERR_RANK, 4);
	message(in, 1, MPI_INT, 0, -7, 0, MPI_ERR_TAG, 5);
}

static void wildcards_are_for_receives(void **state)
{
	message(in, 1, MPI_INT, MPI_ANY_SOURCE, 0, 0, MPI_ERR_RANK, 4);
	message(in, 1, MPI_INT, 0, MPI_ANY_TAG, 0, MPI_ERR_TAG, 5);
}

static void the_first_wrong_argument_is_reported(void **state)
{
	message(in, -1, MPI_INT, RANKS, -7, 0, MPI_ERR_COUNT, 2);
	message(in, 1, MPI_INT, RANKS, -7, 0, MPI_ERR_RANK, 4);
}

static void disabled_checks_still_check_handles(void **state)
{
	weft_check = false;
	message(in, -1, MPI_INT, RANKS, -7, 0, MPI_SUCCESS, 0);
	message(in, 1, MPI_DATATYPE_NULL, 0, 0, 0, MPI_ERR_TYPE, 3);
	weft_check = true;
}

/* ---- collectives ---------------------------------------------------------*/

static void collective(struct mpi_coll m, int want, int arg)
{
	int before = runs, rc;

	class = MPI_SUCCESS;
	position = 0;
	rc = mpi_coll_run(&m);
	T_IS(rc, want);
	T_IS(position, arg);
	T_IS(runs - before, want == MPI_SUCCESS);
}

static struct mpi_side ints(const void *buf, MPI_Count count)
{
	return mpi_side(buf, count, MPI_INT);
}

static struct mpi_side blocks(const void *buf, const int *n, const int *at)
{
	return mpi_side_v(buf, mpi_ints(n), mpi_ints(at), MPI_INT);
}

static struct mpi_coll bcast(struct mpi_side s, int root, MPI_Comm comm)
{
	return mpi_bcast("PMPI_Bcast", s, root, comm);
}

static struct mpi_coll gather(struct mpi_side s, struct mpi_side r, int root)
{
	return mpi_move_root("PMPI_Gather", WEFT_COLL_GATHER, s, r, root,
			     WORLD);
}

static struct mpi_coll reduce(const void *send, struct mpi_side r, MPI_Op op,
			      int root)
{
	return mpi_combine_root("PMPI_Reduce", send, r, op, root, WORLD);
}

static struct mpi_coll move(enum weft_coll_kind kind, struct mpi_side s,
			    struct mpi_side r, MPI_Comm comm)
{
	return mpi_move("PMPI_Alltoall", kind, s, r, comm);
}

static void barriers_need_a_communicator(void **state)
{
	collective(mpi_barrier("PMPI_Barrier", WORLD), MPI_SUCCESS, 0);
	collective(mpi_barrier("PMPI_Barrier", MPI_COMM_NULL), MPI_ERR_COMM, 1);
}

static void arguments_of_a_broadcast(void **state)
{
	collective(bcast(ints(in, 4), 0, WORLD), MPI_SUCCESS, 0);
	collective(bcast(ints(NULL, 0), 0, WORLD), MPI_SUCCESS, 0);
	collective(bcast(ints(NULL, 4), 0, WORLD), MPI_ERR_BUFFER, 1);
	collective(bcast(ints(in, -1), 0, WORLD), MPI_ERR_COUNT, 2);
	collective(bcast(mpi_side(in, 1, uncommitted), 0, WORLD), MPI_ERR_TYPE,
		   3);
	collective(bcast(ints(in, 4), RANKS, WORLD), MPI_ERR_ROOT, 4);
	collective(bcast(ints(in, 4), MPI_ROOT, WORLD), MPI_ERR_ROOT, 4);
	collective(bcast(ints(in, 4), MPI_ROOT, INTER), MPI_SUCCESS, 0);
	/* arguments are not significant at a rank that passes MPI_PROC_NULL */
	collective(bcast(ints(in, -1), MPI_PROC_NULL, INTER), MPI_SUCCESS, 0);
}

static void only_the_root_of_a_gather_receives(void **state)
{
	collective(gather(ints(in, 1), ints(out, 1), 1), MPI_SUCCESS, 0);
	collective(gather(ints(in, 1), ints(NULL, -1), 0), MPI_SUCCESS, 0);
	collective(gather(ints(in, 1), ints(NULL, 1), 1), MPI_ERR_BUFFER, 4);
	collective(gather(ints(in, 1), ints(out, -1), 1), MPI_ERR_COUNT, 5);
	collective(gather(ints(in, -1), ints(out, 1), 1), MPI_ERR_COUNT, 2);
	collective(gather(ints(in, 1), ints(out, 1), -1), MPI_ERR_ROOT, 7);
	collective(gather(ints(out + 1, 1), ints(out, 1), 1), MPI_ERR_BUFFER,
		   4);
	collective(gather(ints(MPI_IN_PLACE, 1), ints(out, 1), 1), MPI_SUCCESS,
		   0);
	collective(gather(ints(MPI_IN_PLACE, 1), ints(out, 1), 0),
		   MPI_ERR_BUFFER, 1);
}

static void arguments_of_a_reduction(void **state)
{
	collective(reduce(in, ints(out, 1), MPI_SUM, 1), MPI_SUCCESS, 0);
	collective(reduce(in, ints(NULL, 1), MPI_SUM, 0), MPI_SUCCESS, 0);
	collective(reduce(in, ints(NULL, 1), MPI_SUM, 1), MPI_ERR_BUFFER, 2);
	collective(reduce(NULL, ints(out, 1), MPI_SUM, 1), MPI_ERR_BUFFER, 1);
	collective(reduce(in, ints(out, -1), MPI_SUM, 1), MPI_ERR_COUNT, 3);
	collective(reduce(in, ints(out, 1), MPI_OP_NULL, 1), MPI_ERR_OP, 5);
	collective(reduce(in, ints(out, 1), MPI_REPLACE, 1), MPI_ERR_OP, 5);
	collective(reduce(in, mpi_side(out, 1, MPI_FLOAT), MPI_BAND, 1),
		   MPI_ERR_OP, 5);
	collective(reduce(in, ints(out, 1), MPI_SUM, RANKS), MPI_ERR_ROOT, 6);
	collective(reduce(in, ints(in, 1), MPI_SUM, 1), MPI_ERR_BUFFER, 2);
}

static void arrays_of_counts(void **state)
{
	const struct mpi_side good = blocks(out, counts, counts);

	collective(move(WEFT_COLL_ALLTOALL, blocks(in, counts, counts), good,
			WORLD),
		   MPI_SUCCESS, 0);
	collective(
		move(WEFT_COLL_ALLTOALL, blocks(in, NULL, counts), good, WORLD),
		MPI_ERR_ARG, 2);
	collective(
		move(WEFT_COLL_ALLTOALL, blocks(in, counts, NULL), good, WORLD),
		MPI_ERR_ARG, 3);
	collective(move(WEFT_COLL_ALLTOALL, blocks(in, negative, counts), good,
			WORLD),
		   MPI_ERR_COUNT, 2);
	collective(move(WEFT_COLL_ALLTOALL, blocks(in, counts, counts),
			blocks(out, negative, counts), WORLD),
		   MPI_ERR_COUNT, 6);
}

static void neighbourhood_collectives_need_a_topology(void **state)
{
	collective(move(WEFT_COLL_NEIGHBOR_ALLTOALL, ints(in, 1), ints(out, 1),
			CART),
		   MPI_SUCCESS, 0);
	collective(move(WEFT_COLL_NEIGHBOR_ALLTOALL, ints(in, 1), ints(out, 1),
			WORLD),
		   MPI_ERR_TOPOLOGY, 7);
}

static void scans_need_an_intracommunicator(void **state)
{
	collective(mpi_combine("PMPI_Scan", WEFT_COLL_SCAN, in, ints(out, 1),
			       MPI_SUM, INTER),
		   MPI_ERR_COMM, 6);
}

static void requests_and_hints_are_checked(void **state)
{
	struct mpi_coll m = bcast(ints(in, 4), 0, WORLD);
	MPI_Request r;

	T_IS(mpi_coll_start(&m, NULL), MPI_ERR_ARG);
	T_IS(position, 6);
	T_IS(mpi_coll_init(&m, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
	T_IS(position, 7);
	T_IS(mpi_coll_init(&m, (MPI_Info)in, &r), MPI_ERR_INFO);
	T_IS(position, 6);
	T_IS(mpi_coll_init(&m, MPI_INFO_NULL, &r), MPI_SUCCESS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T_CASE(valid_messages_pass),
		T_CASE(wrong_message_arguments_are_found),
		T_CASE(wildcards_are_for_receives),
		T_CASE(the_first_wrong_argument_is_reported),
		T_CASE(disabled_checks_still_check_handles),
		T_CASE(barriers_need_a_communicator),
		T_CASE(arguments_of_a_broadcast),
		T_CASE(only_the_root_of_a_gather_receives),
		T_CASE(arguments_of_a_reduction),
		T_CASE(arrays_of_counts),
		T_CASE(neighbourhood_collectives_need_a_topology),
		T_CASE(scans_need_an_intracommunicator),
		T_CASE(requests_and_hints_are_checked),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
