/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handling: detected errors, their texts, and which handler is called. */
#include "mpi_t.h"

static int calls, last_code;
static MPI_Comm last_comm;

static void handler(MPI_Comm *comm, int *code, ...)
{
	calls++;
	last_code = *code;
	last_comm = *comm;
}

static void expect_text(int code, int class, const char *text)
{
	char buf[MPI_MAX_ERROR_STRING];
	int n;

	MT_IS(mt_class(code), class);
	MT_OK(MPI_Error_string(code, buf, &n));
	if (strcmp(buf, text))
		fprintf(stderr, "says: %s\n", buf);
	MT_TRUE(!strcmp(buf, text));
}

static void texts(void)
{
	char want[200];
	int x = 0;

	snprintf(want, sizeof(want),
		 "MPI_Send: invalid rank %d in communicator of size %d "
		 "(argument 4)",
		 mt_size + 3, mt_size);
	expect_text(MPI_Send(&x, 1, MPI_INT, mt_size + 3, 0, MPI_COMM_WORLD),
		    MPI_ERR_RANK, want);
	expect_text(MPI_Send(&x, -2, MPI_INT, 0, 0, MPI_COMM_WORLD),
		    MPI_ERR_COUNT, "MPI_Send: negative count -2 (argument 2)");
	expect_text(MPI_Send(&x, 1, MPI_INT, 0, -7, MPI_COMM_WORLD),
		    MPI_ERR_TAG, "MPI_Send: invalid tag -7 (argument 5)");
	expect_text(MPI_Recv(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE),
		    MPI_ERR_TYPE,
		    "MPI_Recv: datatype is MPI_DATATYPE_NULL (argument 3)");
	expect_text(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD),
		    MPI_ERR_BUFFER,
		    "MPI_Send: buffer is NULL and count is 1 (argument 1)");
	expect_text(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM,
		    "MPI_Barrier: communicator is MPI_COMM_NULL (argument 1)");
	expect_text(
		MPI_Comm_size(MPI_COMM_NULL, &x), MPI_ERR_COMM,
		"MPI_Comm_size: communicator is MPI_COMM_NULL (argument 1)");
	expect_text(
		MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD),
		MPI_ERR_RANK,
		mt_size == 1
			? "MPI_Send: invalid rank -1 in communicator of size 1 "
			  "(argument 4)"
			: "MPI_Send: invalid rank -1 in communicator of size 2 "
			  "(argument 4)");
}

static void other_checks(void)
{
	MPI_Datatype t;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm c = MPI_COMM_WORLD;
	int x, flag;

	MPI_Type_contiguous(2, MPI_INT, &t);
	MT_IS(mt_class(MPI_Send(&x, 1, t, 0, 0, MPI_COMM_WORLD)), MPI_ERR_TYPE);
	MPI_Type_free(&t);
	MT_IS(mt_class(MPI_Cancel(&r)), MPI_ERR_REQUEST);
	MT_IS(mt_class(MPI_Start(&r)), MPI_ERR_REQUEST);
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
	MT_IS(flag, 1);
	MT_IS(mt_class(MPI_Comm_free(&c)), MPI_ERR_COMM);
	MT_IS(mt_class(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &c)), MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Comm_remote_size(MPI_COMM_WORLD, &x)), MPI_ERR_COMM);
	MT_IS(mt_class(MPI_Init(NULL, NULL)), MPI_ERR_OTHER);
}

static void handlers(void)
{
	MPI_Errhandler h, g;
	MPI_Comm c, d;
	int x = 0, code;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MT_OK(MPI_Comm_create_errhandler(handler, &h));
	MT_OK(MPI_Comm_set_errhandler(c, h));
	MT_OK(MPI_Comm_get_errhandler(c, &g));
	MT_IS(g, h);
	MT_OK(MPI_Errhandler_free(&g));
	MT_OK(MPI_Errhandler_free(&h));
	MT_IS(h, MPI_ERRHANDLER_NULL);
	code = MPI_Send(&x, 1, MPI_INT, 99, 0, c);
	MT_IS(calls, 1);
	MT_IS(last_code, code);
	MT_IS(last_comm, c);
	/* duplicates inherit the handler */
	MT_OK(MPI_Comm_dup(c, &d));
	MPI_Send(&x, 1, MPI_INT, 99, 0, d);
	MT_IS(calls, 2);
	MT_IS(last_comm, d);
	MT_OK(MPI_Comm_call_errhandler(d, MPI_ERR_OTHER));
	MT_IS(calls, 3);
	MT_IS(last_code, MPI_ERR_OTHER);
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Comm_free(&d));
}

static void own_codes(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int class, code, x, n, flag, *last;

	MT_OK(MPI_Add_error_class(&class));
	MT_TRUE(class > MPI_ERR_LASTCODE);
	MT_OK(MPI_Add_error_code(class, &code));
	MT_OK(MPI_Add_error_string(code, "our own"));
	MT_OK(MPI_Error_class(code, &x));
	MT_IS(x, class);
	MT_OK(MPI_Error_string(code, text, &n));
	MT_TRUE(!strcmp(text, "our own") && n == 7);
	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last,
				&flag));
	MT_TRUE(flag && *last == code);
	/*
	 * a code can be removed after its text, a class after its text and its
	 * codes
	 */
	MT_OK(MPI_Add_error_string(class, "a class of our own"));
	MT_IS(mt_class(MPI_Remove_error_class(class)), MPI_ERR_OTHER);
	MT_IS(mt_class(MPI_Remove_error_code(code)), MPI_ERR_OTHER);
	MT_OK(MPI_Remove_error_string(class));
	MT_IS(mt_class(MPI_Remove_error_class(class)), MPI_ERR_OTHER);
	MT_IS(mt_class(MPI_Remove_error_code(class)), MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Remove_error_class(code)), MPI_ERR_ARG);
	MT_OK(MPI_Remove_error_string(code));
	MT_IS(mt_class(MPI_Remove_error_string(code)), MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Remove_error_string(MPI_ERR_RANK)), MPI_ERR_ARG);
	MT_OK(MPI_Error_string(code, text, &n));
	MT_IS(n, 0);
	MT_OK(MPI_Remove_error_code(code));
	MT_OK(MPI_Remove_error_class(class));
	MT_IS(mt_class(MPI_Remove_error_class(class)), MPI_ERR_ARG);
	MT_TRUE(MPI_Error_class(code, &x) != MPI_SUCCESS);
	MT_IS(mt_class(MPI_ERR_RANK), MPI_ERR_RANK);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	texts();
	other_checks();
	handlers();
	own_codes();
	return mt_end();
}
