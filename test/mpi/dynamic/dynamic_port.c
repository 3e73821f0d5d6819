/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports and published names within one job: ranks below the middle accept, the
 * others connect, several times over one port. MPI_Comm_join over a socket, and
 * the errors of ports and names.
 */
#include "mpi_t.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROUNDS = 4 };

static int class_of(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

static void swap(MPI_Comm c, int side)
{
	int v = side, got = -1, n;

	MPI_Comm_remote_size(c, &n);
	MT_OK(MPI_Allreduce(&v, &got, 1, MPI_INT, MPI_SUM, c));
	MT_IS(got, side ? 0 : n);
}

/* Makes a name that no other test uses at the same time. */
static void service_name(char name[64])
{
	int pid = (int)getpid();

	MT_OK(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
	snprintf(name, 64, "dynamic_port %d", pid);
}

static void meet(MPI_Comm half, int side, const char *service)
{
	char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME];
	MPI_Comm c;

	if (!mt_rank) {
		MT_OK(MPI_Open_port(MPI_INFO_NULL, port));
		MT_OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
		MT_IS(class_of(MPI_Publish_name(service, MPI_INFO_NULL, port)),
		      MPI_ERR_SERVICE);
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_Lookup_name(service, MPI_INFO_NULL, found));
	for (int i = 0; i < ROUNDS; i++) {
		if (!side)
			MT_OK(MPI_Comm_accept(found, MPI_INFO_NULL, 0, half,
					      &c));
		else
			MT_OK(MPI_Comm_connect(found, MPI_INFO_NULL, 0, half,
					       &c));
		swap(c, side);
		MT_OK(MPI_Comm_disconnect(&c));
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (!mt_rank) {
		MT_OK(MPI_Unpublish_name(service, MPI_INFO_NULL, port));
		MT_OK(MPI_Close_port(port));
		MT_IS(class_of(MPI_Close_port(port)), MPI_ERR_PORT);
		MT_IS(class_of(MPI_Comm_accept(port, MPI_INFO_NULL, 0,
					       MPI_COMM_SELF, &c)),
		      MPI_ERR_PORT);
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void errors(const char *service)
{
	char port[MPI_MAX_PORT_NAME] = "no port";
	MPI_Comm c;

	MT_IS(class_of(MPI_Lookup_name(service, MPI_INFO_NULL, port)),
	      MPI_ERR_NAME);
	MT_IS(class_of(MPI_Unpublish_name(service, MPI_INFO_NULL, port)),
	      MPI_ERR_SERVICE);
	MT_IS(class_of(MPI_Close_port(port)), MPI_ERR_PORT);
	MT_IS(class_of(MPI_Comm_connect("no port", MPI_INFO_NULL, 0,
					MPI_COMM_SELF, &c)),
	      MPI_ERR_PORT);
	MT_TRUE(c == MPI_COMM_NULL);
	MT_IS(class_of(MPI_Comm_connect("weft:00000001:zz", MPI_INFO_NULL, 0,
					MPI_COMM_SELF, &c)),
	      MPI_ERR_PORT);
}

/* Ranks 0 and 1 call MPI_Comm_join over a socket. */
static void join(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(a);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), peer = fd;
	MPI_Comm c;

	if (mt_rank == 0) {
		/* the kernel chooses an abstract name */
		MT_IS(bind(fd, (struct sockaddr *)&a, sizeof(sa_family_t)), 0);
		MT_IS(listen(fd, 1), 0);
		MT_IS(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	}
	MT_OK(MPI_Bcast(&a, sizeof(a), MPI_BYTE, 0, MPI_COMM_WORLD));
	MT_OK(MPI_Bcast(&len, sizeof(len), MPI_BYTE, 0, MPI_COMM_WORLD));
	if (mt_rank == 0)
		peer = accept(fd, NULL, NULL);
	else if (mt_rank == 1)
		MT_IS(connect(fd, (struct sockaddr *)&a, len), 0);
	if (mt_rank < 2) {
		MT_OK(MPI_Comm_join(peer, &c));
		swap(c, mt_rank);
		MT_OK(MPI_Comm_disconnect(&c));
	}
	if (peer != fd)
		close(peer);
	close(fd);
}

int main(int argc, char **argv)
{
	char service[64];
	MPI_Comm half;
	int side;

	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	side = mt_rank >= (mt_size + 1) / 2;
	MT_OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
	service_name(service);
	meet(half, side, service);
	errors(service);
	join();
	MT_OK(MPI_Comm_free(&half));
	return mt_end();
}
