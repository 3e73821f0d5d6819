/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access control of the PMIx server's listener: finds the user of a connecting
 * process. See run_peercred.h.
 */
#include "src/tools/run/pmix/run_peercred.h"
#include "src/base/attr.h"
#include "src/tools/run/run_message.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define CONNECTION_TIMEOUT_S 10 /* read timeout of a silent connection, s */

/*
 * Poll period of the listener's test, and minimum time before a missing
 * listener thread counts as a failure.
 */
enum { TEST_MS = 100, TEST_MIN_MS = 500 };

/* ---- sock_diag ----------------------------------------------------------- */

static void put_end(const struct sockaddr_storage *ss, __be32 *addr,
		    __be16 *port)
{
	const struct sockaddr_in *in = (const void *)ss;
	const struct sockaddr_in6 *in6 = (const void *)ss;

	if (ss->ss_family == AF_INET6) {
		memcpy(addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
		*port = in6->sin6_port;
	} else {
		memcpy(addr, &in->sin_addr, sizeof(in->sin_addr));
		*port = in->sin_port;
	}
}

/*
 * Requests the socket whose source address is the remote end of the connection.
 */
static int diag_request(int fd, const struct run_connection *ends)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 req;
	} m;

	memset(&m, 0, sizeof(m));
	m.head.nlmsg_len = sizeof(m);
	m.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	m.head.nlmsg_flags = NLM_F_REQUEST;
	m.req.sdiag_family = (__u8)ends->remote.ss_family;
	m.req.sdiag_protocol = IPPROTO_TCP;
	m.req.idiag_states = ~0u;
	m.req.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
	m.req.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	put_end(&ends->remote, m.req.id.idiag_src, &m.req.id.idiag_sport);
	put_end(&ends->local, m.req.id.idiag_dst, &m.req.id.idiag_dport);
	return send(fd, &m, sizeof(m), 0) == sizeof(m) ? 0 : -EOPNOTSUPP;
}

/*
 * Returns whether the socket is the peer's and a process holds it: after
 * close() the kernel reports root as the owner. Without a matching connection
 * the kernel may return the listening socket of that port, hence the check of
 * the port.
 */
static bool diag_is_held(const struct inet_diag_msg *d,
			 const struct run_connection *ends)
{
	__be32 addr[4] = { 0 };
	__be16 port;

	put_end(&ends->local, addr, &port);
	return d->idiag_state == TCP_ESTABLISHED && d->idiag_inode &&
	       d->id.idiag_dport == port;
}

static int diag_receive(int fd, const struct run_connection *ends, uid_t *uid_p)
{
	union {
		struct nlmsghdr head;
		char room[4096];
	} m;
	ssize_t n = recv(fd, &m, sizeof(m), MSG_DONTWAIT);
	const struct inet_diag_msg *d = NLMSG_DATA(&m.head);
	const struct nlmsgerr *e = NLMSG_DATA(&m.head);

	if (n < 0 || !NLMSG_OK(&m.head, (size_t)n))
		return -EOPNOTSUPP;
	if (m.head.nlmsg_type == NLMSG_ERROR)
		return e->error == -ENOENT ? -ENOENT : -EOPNOTSUPP;
	if (m.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    m.head.nlmsg_len < NLMSG_LENGTH(sizeof(*d)))
		return -EOPNOTSUPP;
	if (!diag_is_held(d, ends))
		return -ENOENT;
	*uid_p = d->idiag_uid;
	return 0;
}

int run_peercred_diag(const struct run_connection *ends, uid_t *uid_p)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int ret;

	if (fd < 0)
		return -EOPNOTSUPP;
	ret = diag_request(fd, ends);
	if (!ret)
		ret = diag_receive(fd, ends, uid_p);
	close(fd);
	return ret;
}

/* ---- /proc/net/tcp ------------------------------------------------------- */

/*
 * Returns whether this line describes the peer's socket and a process holds it;
 * *uid_p: the owner.
 */
static bool line_matches(const char *line, const struct sockaddr_in *remote,
			 const struct sockaddr_in *local, uid_t *uid_p)
{
	unsigned from, from_port, to, to_port, state, uid;
	unsigned long inode;

	/* addresses are printed as numbers in the host's byte order */
	if (sscanf(line, " %*u: %x:%x %x:%x %x %*x:%*x %*x:%*x %*x %u %*u %lu",
		   &from, &from_port, &to, &to_port, &state, &uid, &inode) != 7)
		return false;
	if (from != remote->sin_addr.s_addr ||
	    from_port != ntohs(remote->sin_port) ||
	    to != local->sin_addr.s_addr || to_port != ntohs(local->sin_port) ||
	    state != TCP_ESTABLISHED || !inode)
		return false;
	*uid_p = uid;
	return true;
}

int run_peercred_proc(const struct run_connection *ends, uid_t *uid_p)
{
	const struct sockaddr_in *remote = (const void *)&ends->remote;
	const struct sockaddr_in *local = (const void *)&ends->local;
	char line[256];
	bool found = false;
	FILE *f;

	if (ends->remote.ss_family != AF_INET)
		return -EOPNOTSUPP;
	f = fopen("/proc/net/tcp", "re");
	if (!f)
		return -EOPNOTSUPP;
	while (!found && fgets(line, sizeof(line), f))
		found = line_matches(line, remote, local, uid_p);
	fclose(f);
	return found ? 0 : -ENOENT;
}

/* ---- access decision ----------------------------------------------------- */

static int connection_owner(int sd, uid_t *uid_p)
{
	struct run_connection ends;
	socklen_t local = sizeof(ends.local), remote = sizeof(ends.remote);
	int ret;

	memset(&ends, 0, sizeof(ends));
	if (getsockname(sd, (struct sockaddr *)&ends.local, &local) ||
	    getpeername(sd, (struct sockaddr *)&ends.remote, &remote))
		return -ENOENT;
	if (ends.remote.ss_family != AF_INET &&
	    ends.remote.ss_family != AF_INET6)
		return -EOPNOTSUPP;
	ret = run_peercred_diag(&ends, uid_p);
	/* a kernel without the sock_diag module also returns ENOENT */
	return ret ? run_peercred_proc(&ends, uid_p) : 0;
}

static void message_once(const char *what, uid_t uid)
{
	static atomic_flag reported = ATOMIC_FLAG_INIT;

	/* report the first attempt only */
	if (!atomic_flag_test_and_set_explicit(&reported, memory_order_acq_rel))
		run_message(what, (unsigned)uid);
}

static bool is_allowed_user(int sd)
{
	uid_t uid = 0;
	int ret = connection_owner(sd, &uid);

	if (ret == -ENOENT)
		return false;
	if (ret) {
		message_once("the kernel does not report the user of a "
			     "connection: only the job's secret name protects "
			     "the job from other users",
			     uid);
		return true;
	}
	if (uid == getuid() || uid == geteuid())
		return true;
	message_once("a connection of user %u to the PMIx server was refused",
		     uid);
	return false;
}

/* ---- test of the listener ------------------------------------------------ */

static struct {
	struct sockaddr_storage address; /* address on which libpmix listens */
	/* port of the socket of run_peercred_test_listener(); 0: none */
	atomic_int tester;
} listener;

static int port_of(const struct sockaddr_storage *ss)
{
	return ss->ss_family == AF_INET6
		       ? ((const struct sockaddr_in6 *)ss)->sin6_port
		       : ((const struct sockaddr_in *)ss)->sin_port;
}

/* Returns whether the peer is the socket of run_peercred_test_listener(). */
static bool is_test(int sd)
{
	struct sockaddr_storage remote = { 0 };
	socklen_t len = sizeof(remote);
	/* A1 pairs with R1 in run_peercred_test_listener() */
	int tester =
		atomic_load_explicit(&listener.tester, memory_order_acquire);

	return tester && !getpeername(sd, (struct sockaddr *)&remote, &len) &&
	       port_of(&remote) == tester;
}

/* Returns the number of threads of this process; 0: unknown. */
static int count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = d ? -2 : 0; /* the entries "." and ".." are not threads */

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Waits for the listener to close the connection. */
static int wait_closed(int sd)
{
	struct pollfd p = { .fd = sd, .events = POLLIN };
	int ms, threads;

	for (ms = 0; ms < CONNECTION_TIMEOUT_S * 1000; ms += TEST_MS) {
		if (poll(&p, 1, TEST_MS) == 1)
			return 0;
		threads = count_threads();
		/* expected: main thread, progress thread, listener thread */
		if (ms >= TEST_MIN_MS && threads > 0 && threads < 3)
			break;
	}
	return -ETIMEDOUT;
}

int run_peercred_test_listener(void)
{
	struct sockaddr_storage own = { 0 };
	socklen_t len = listener.address.ss_family == AF_INET6
				? sizeof(struct sockaddr_in6)
				: sizeof(struct sockaddr_in);
	int sd, err = 0;

	if (listener.address.ss_family != AF_INET &&
	    listener.address.ss_family != AF_INET6)
		return -ENOTCONN;
	sd = socket(listener.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (sd < 0)
		return -errno;
	if (connect(sd, (struct sockaddr *)&listener.address, len))
		err = -errno;
	len = sizeof(own);
	if (!err && getsockname(sd, (struct sockaddr *)&own, &len))
		err = -errno;
	/*
	 * R1 pairs with A1 in is_test(): store before the first byte is sent,
	 * after which the kernel hands the connection to accept()
	 */
	atomic_store_explicit(&listener.tester, port_of(&own),
			      memory_order_release);
	if (!err && write(sd, "?", 1) != 1)
		err = -errno;
	if (!err)
		err = wait_closed(sd);
	atomic_store_explicit(&listener.tester, 0, memory_order_release);
	close(sd);
	return err;
}

/* ---- replaced functions of the C library --------------------------------- */

/*
 * Replaces listen() in this process, for libpmix: the kernel hands over a
 * connection when its first data has arrived, or after CONNECTION_TIMEOUT_S.
 */
WEFT_EXPORT int run_peercred_listen(int sd, int backlog) WEFT_SYMBOL("listen");

int run_peercred_listen(int sd, int backlog)
{
	const int seconds = CONNECTION_TIMEOUT_S;
	socklen_t len = sizeof(listener.address);

	if (getsockname(sd, (struct sockaddr *)&listener.address, &len))
		listener.address.ss_family = AF_UNSPEC;
	/* fails without effect for sockets other than TCP */
	setsockopt(sd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds,
		   sizeof(seconds));
	return (int)syscall(SYS_listen, sd, backlog);
}

/*
 * Returns whether data has arrived. A connection without data has already been
 * silent for CONNECTION_TIMEOUT_S. For other connections this time limits every
 * read of libpmix.
 */
static bool has_data(int sd)
{
	const struct timeval most = { .tv_sec = CONNECTION_TIMEOUT_S };
	struct pollfd p = { .fd = sd, .events = POLLIN };

	setsockopt(sd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	return poll(&p, 1, 0) == 1;
}

/*
 * Replaces accept() in this process: the dynamic linker finds this function
 * before that of the C library. libpmix is the only caller and treats EAGAIN as
 * a connection that was closed before accept().
 */
WEFT_EXPORT int run_peercred_accept(int sd, struct sockaddr *addr,
				    socklen_t *len) WEFT_SYMBOL("accept");

int run_peercred_accept(int sd, struct sockaddr *addr, socklen_t *len)
{
	int got = accept4(sd, addr, len, SOCK_CLOEXEC);

	if (got < 0 || (!is_test(got) && has_data(got) && is_allowed_user(got)))
		return got;
	close(got);
	errno = EAGAIN;
	return -1;
}

bool run_peercred_installed(void)
{
	union {
		void *p;
		int (*accept)(int sd, struct sockaddr *addr, socklen_t *len);
		int (*listen)(int sd, int backlog);
	} a = { .p = dlsym(RTLD_DEFAULT, "accept") },
	  l = { .p = dlsym(RTLD_DEFAULT, "listen") };

	return a.accept == run_peercred_accept &&
	       l.listen == run_peercred_listen;
}
