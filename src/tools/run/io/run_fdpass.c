/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes file descriptors (SCM_RIGHTS) between mpiexec and its helpers. */
#include "src/tools/run/io/run_fdpass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union space {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(RUN_FDS * sizeof(int))];
};

int run_fd_send(int sock, const int *fd, int n, int err)
{
	union space u;
	struct iovec iov = { .iov_base = &err, .iov_len = sizeof(err) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	size_t bytes = (size_t)n * sizeof(int);

	memset(&u, 0, sizeof(u));
	if (n > 0) {
		msg.msg_control = &u;
		msg.msg_controllen = CMSG_SPACE(bytes);
		u.head.cmsg_level = SOL_SOCKET;
		u.head.cmsg_type = SCM_RIGHTS;
		u.head.cmsg_len = CMSG_LEN(bytes);
		memcpy(CMSG_DATA(&u.head), fd, bytes);
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int run_fd_receive(int sock, int fd[RUN_FDS])
{
	union space u;
	int err = 0;
	struct iovec iov = { .iov_base = &err, .iov_len = sizeof(err) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &u,
			      .msg_controllen = sizeof(u) };
	struct cmsghdr *h;
	ssize_t n;

	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(err))
		return n < 0 ? -errno : -EPIPE;
	h = CMSG_FIRSTHDR(&msg);
	if (h && h->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(h), h->cmsg_len - CMSG_LEN(0));
	return err;
}
