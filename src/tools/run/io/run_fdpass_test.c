/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of passing descriptors (close-on-exec) and errors. */
#include "src/tools/run/io/run_fdpass.h"
#include "test/t.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static void descriptors_arrive_open(void **state)
{
	int pair[2], pipe_fd[2], got[RUN_FDS] = { -1, -1, -1 };
	char c = 0;

	T_OK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	T_OK(pipe(pipe_fd));
	T_OK(run_fd_send(pair[0], pipe_fd, 2, 0));
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	T_OK(run_fd_receive(pair[1], got));
	T_TRUE(fcntl(got[0], F_GETFD) & FD_CLOEXEC);
	T_IS(write(got[1], "x", 1), 1);
	T_IS(read(got[0], &c, 1), 1);
	T_IS(c, 'x');
	close(got[0]);
	close(got[1]);
	close(pair[0]);
	close(pair[1]);
}

static void error_arrives_without_descriptors(void **state)
{
	int pair[2], got[RUN_FDS] = { -1, -1, -1 };

	T_OK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	T_OK(run_fd_send(pair[0], NULL, 0, -EMFILE));
	T_IS(run_fd_receive(pair[1], got), -EMFILE);
	T_IS(got[0], -1);
	close(pair[0]);
	T_IS(run_fd_receive(pair[1], got), -EPIPE);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(descriptors_arrive_open),
		T_CASE(error_arrives_without_descriptors),
	};

	return T_RUN(tests);
}
