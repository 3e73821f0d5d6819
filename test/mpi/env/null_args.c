/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls every function with one null argument: the cases are in null_args.inc,
 * which null_args.py generates. A case that crashes, or does not return an
 * error of the right class, is printed.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASE(call, ok)                                                \
	begin(#call);                                                 \
	code = call;                                                  \
	class = MPI_SUCCESS;                                          \
	MPI_Error_class(code, &class);                                \
	if (!(ok)) {                                                  \
		printf("%s: code %d class %d\n", #call, code, class); \
		wrong++;                                              \
	}

static long long memory[8192]; /* memory for results and arrays */
static const char *now, *name; /* name of the current call; path of a file */
static MPI_Comm cart, graph, adjacent;
static MPI_Session session;
static MPI_Info info;
static MPI_File file;
static MPI_Win win;
static int wrong, cases;

static int function(void)
{
	return 0;
}

static void begin(const char *call)
{
	memset(memory, 0, sizeof(memory));
	now = call;
	cases++;
	alarm(20);
}

static void stop(int sig)
{
	dprintf(2, "%s: signal %d\n", now, sig);
	_exit(1);
}

static void run(void)
{
	int code, class;

#include "null_args.inc"
}

/* Opens the objects that are valid arguments. */
static void open_all(void)
{
	static int part[64], one = 1, zero;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Info_create(&info);
	MPI_Cart_create(MPI_COMM_SELF, 1, &one, &zero, 0, &cart);
	MPI_Graph_create(MPI_COMM_SELF, 1, &zero, &zero, 0, &graph);
	MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, &zero, MPI_UNWEIGHTED,
				       0, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL,
				       0, &adjacent);
	MPI_Win_create(part, sizeof(part), 4, MPI_INFO_NULL, MPI_COMM_SELF,
		       &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_lock_all(0, win);
	MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
		      MPI_INFO_NULL, &file);
}

static void close_all(void)
{
	MPI_File_close(&file);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Comm_free(&cart);
	MPI_Comm_free(&graph);
	MPI_Comm_free(&adjacent);
	MPI_Info_free(&info);
	MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
	static const int caught[] = { SIGSEGV, SIGBUS, SIGABRT, SIGALRM };

	MPI_Init(&argc, &argv);
	for (unsigned i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		signal(caught[i], stop);
	name = argv[1];
	open_all();
	run();
	alarm(0);
	printf("%d cases, %d wrong\n", cases, wrong);
	close_all();
	MPI_Finalize();
	return wrong || cases < 1000;
}
