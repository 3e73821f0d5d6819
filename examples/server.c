/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server and its clients, which find it by a published name. The server adds
 * the numbers of its clients, and sends each of them the sum so far.
 *
 *   mpicc server.c -o server
 *   mpiexec -n 1 ./server serve 2 & mpiexec -n 2 ./server ask 20
 *                                          two jobs of one user on one host
 *   mpiexec --machine bgq -n 1 ./server serve 2 : -n 2 ./server ask 20
 *                                          one job, in virtual time
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "weft-example-server"

enum { TAG = 1, WAIT_MS = 20000 };

static void serve(int clients)
{
	char port[MPI_MAX_PORT_NAME];
	int sum = 0, n;

	MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Publish_name(NAME, MPI_INFO_NULL, port);
	/* clients of the same job look up the name after this barrier */
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < clients; i++) {
		MPI_Comm client;

		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &client);
		MPI_Recv(&n, 1, MPI_INT, 0, TAG, client, MPI_STATUS_IGNORE);
		sum += n;
		MPI_Send(&sum, 1, MPI_INT, 0, TAG, client);
		MPI_Comm_disconnect(&client);
	}
	MPI_Unpublish_name(NAME, MPI_INFO_NULL, port);
	MPI_Close_port(port);
	printf("%d clients, sum %d\n", clients, sum);
}

/*
 * Looks up the name; retries, since a server of another job may not have
 * started yet.
 */
static int find(char port[MPI_MAX_PORT_NAME])
{
	int err = 1;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int ms = 0; err && ms < WAIT_MS; ms += 20) {
		if (ms)
			usleep(20000);
		err = MPI_Lookup_name(NAME, MPI_INFO_NULL, port);
	}
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
	return err;
}

static void ask(int n)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm server;

	if (find(port)) {
		fprintf(stderr, "there is no server\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &server);
	MPI_Send(&n, 1, MPI_INT, 0, TAG, server);
	MPI_Recv(&n, 1, MPI_INT, 0, TAG, server, MPI_STATUS_IGNORE);
	printf("sum so far: %d\n", n);
	MPI_Comm_disconnect(&server);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc > 2 && !strcmp(argv[1], "serve"))
		serve(atoi(argv[2]));
	else if (argc > 2 && !strcmp(argv[1], "ask"))
		ask(atoi(argv[2]));
	else
		fprintf(stderr, "usage: server serve CLIENTS | ask NUMBER\n");
	return MPI_Finalize();
}
