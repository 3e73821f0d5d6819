/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Security of the region: which processes may receive it; names of dead
 * processes bound by an attacker, many descriptors, no free name.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/shm/shm.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_USER 65534
#define SECONDS	   120 /* time limit, in seconds, for a loaded host */

/* Exit status of a process that waits for a handed-over region. */
enum { GOT_NOTHING = 0, GOT_A_REGION = 42 };

/* ---- a child and two pipes ----------------------------------------------- */

struct child {
	pid_t pid;
	int to;	  /* written by the parent, read by the child */
	int from; /* written by the child, read by the parent */
};

/* Reads all len bytes; returns false after a timeout. */
static bool read_from(int fd, void *buf, size_t len)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, SECONDS * 1000) == 1 &&
	       read(fd, buf, len) == (ssize_t)len;
}

static bool write_to(int fd, const void *buf, size_t len)
{
	return write(fd, buf, len) == (ssize_t)len;
}

/* Starts a child that runs fn(to, from) with its ends of the pipes. */
static struct child start_child(int (*fn)(int to, int from))
{
	pid_t parent = getpid();
	int to[2], from[2];
	struct child c;

	T_OK(pipe(to));
	T_OK(pipe(from));
	fflush(NULL);
	c = (struct child){ .pid = fork(), .to = to[1], .from = from[0] };
	if (c.pid) {
		close(to[0]);
		close(from[1]);
		return c;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(99);
	close(to[1]);
	close(from[0]);
	_exit(fn(to[0], from[1]));
}

static int end_of(struct child *c)
{
	int status = -1;

	close(c->to);
	close(c->from);
	T_IS(waitpid(c->pid, &status, 0), c->pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- names and descriptors ----------------------------------------------- */

static socklen_t name_of(struct sockaddr_un *un, uid_t uid, unsigned port)
{
	int n;

	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	n = snprintf(un->sun_path + 1, sizeof(un->sun_path) - 1, "weft.%u.%u",
		     uid, port);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

static int bind_to(uid_t uid, unsigned port)
{
	struct sockaddr_un un;
	socklen_t len = name_of(&un, uid, port);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	return bind(fd, (struct sockaddr *)&un, len) ? -1 : fd;
}

/* Searches all messages at a listening socket for a descriptor. */
static int received_fd(int sock)
{
	char ctl[256], buf[64];
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	int fd;

	while ((fd = accept4(sock, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		struct msghdr h = { .msg_iov = &iov,
				    .msg_iovlen = 1,
				    .msg_control = ctl,
				    .msg_controllen = sizeof(ctl) };

		if (recvmsg(fd, &h, 0) > 0 && CMSG_FIRSTHDR(&h))
			return GOT_A_REGION;
		close(fd);
	}
	return GOT_NOTHING;
}

/* Binds the name, reports this, and on request checks for a descriptor. */
static int bind_and_check(int to, int from, uid_t uid, unsigned port)
{
	int sock = bind_to(uid, port);
	char c = 0;

	if (sock < 0 || listen(sock, 64) || !write_to(from, &c, 1) ||
	    !read_from(to, &c, 1))
		return 3;
	return received_fd(sock);
}

/* ---- handover of a region ------------------------------------------------ */

/* Opens an endpoint, reports its name, and never polls. */
static int open_without_poll(int to, int from)
{
	struct end e;
	char c;

	if (end_open(&e, &weft_carrier_shm, 1, NULL) ||
	    !write_to(from, &e.name, sizeof(e.name)))
		return 2;
	read_from(to, &c, 1);
	return 2;
}

/* Runs open_without_poll(), then executes another program, which binds the same
 * name. */
static int open_then_exec(int to, int from)
{
	char arg[3][16];
	struct end e;
	char c;

	if (end_open(&e, &weft_carrier_shm, 1, NULL) ||
	    !write_to(from, &e.name, sizeof(e.name)) || !read_from(to, &c, 1))
		return 2;
	snprintf(arg[0], sizeof(arg[0]), "%d", to);
	snprintf(arg[1], sizeof(arg[1]), "%d", from);
	snprintf(arg[2], sizeof(arg[2]), "%u", ntohs(e.name.in.sin_port));
	execl("/proc/self/exe", "shm_security_test", arg[0], arg[1], arg[2],
	      (char *)NULL);
	return 4;
}

static int other_user_bind(int to, int from)
{
	unsigned port;

	if (setuid(OTHER_USER) || !read_from(to, &port, sizeof(port)))
		return 2;
	return bind_and_check(to, from, 0, port);
}

/*
 * Opens an endpoint and sends payloads in cells to a peer that does not read
 * them.
 */
static void send_cells(struct end *e, const union weft_name *name)
{
	struct weft_peer *to;

	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	to = end_peer_name(e, name);
	for (uint64_t n = 0; n < 4; n++)
		T_OK(end_send_all(e, to, n, 6000, SECONDS));
}

static void a_region_is_not_handed_over_to_another_user(void **state)
{
	struct end *e = calloc(1, sizeof(*e));
	struct child peer, other;
	union weft_name name;
	unsigned port;
	char c = 0;

	if (geteuid())
		skip();
	peer = start_child(open_without_poll);
	T_TRUE(read_from(peer.from, &name, sizeof(name)));
	send_cells(e, &name);
	kill(peer.pid, SIGKILL);
	T_IS(end_of(&peer), 128);
	other = start_child(other_user_bind);
	port = ntohs(name.in.sin_port);
	T_TRUE(write_to(other.to, &port, sizeof(port)));
	T_TRUE(read_from(other.from, &c, 1));
	end_close(e);
	T_TRUE(write_to(other.to, &c, 1));
	T_IS(end_of(&other), GOT_NOTHING);
	free(e);
}

static void a_region_is_not_handed_over_after_exec(void **state)
{
	struct end *e = calloc(1, sizeof(*e));
	struct child peer = start_child(open_then_exec);
	union weft_name name;
	char c = 0;

	T_TRUE(read_from(peer.from, &name, sizeof(name)));
	send_cells(e, &name);
	T_TRUE(write_to(peer.to, &c, 1));
	T_TRUE(read_from(peer.from, &c, 1));
	end_close(e);
	T_TRUE(write_to(peer.to, &c, 1));
	T_IS(end_of(&peer), GOT_NOTHING);
	free(e);
}

/* Sends packets and closes immediately. */
static int send_and_close(int to, int from)
{
	union weft_name name;
	struct weft_peer *peer;
	struct end e;

	if (end_open(&e, &weft_carrier_shm, 1, NULL) ||
	    !read_from(to, &name, sizeof(name)))
		return 2;
	peer = end_peer_name(&e, &name);
	for (uint64_t n = 0; n < 4; n++)
		if (end_send_all(&e, peer, n, 6000, SECONDS))
			return 3;
	end_close(&e);
	return 0;
}

static void a_handover_is_found_after_free_entries(void **state)
{
	struct end *e = calloc(1, sizeof(*e));
	struct child c;
	uint64_t until;
	struct end first;

	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	/* the table's first entry was used and is free again */
	T_OK(end_open(&first, &weft_carrier_shm, 2, NULL));
	T_OK(end_send_all(&first, end_peer(&first, e), 0, 8, SECONDS));
	end_close(&first);
	T_TRUE(end_wait_lost(e, 1, SECONDS));
	c = start_child(send_and_close);
	T_TRUE(write_to(c.to, &e->name, sizeof(e->name)));
	T_IS(end_of(&c), 0);
	/* a poll with budget 0 accepts the region but reads no packet */
	until = weft_now_ns() + 100000000;
	while (weft_now_ns() < until)
		e->c->ops->poll(e->c, 0);
	T_TRUE(end_wait_lost(e, 2, SECONDS));
	T_IS(e->got, 5);
	T_IS(e->bad, 0);
	end_close(e);
	free(e);
}

/* ---- messages with descriptors ------------------------------------------- */

/* Sends a message with count descriptors to the endpoint of that name. */
static int send_fds(const union weft_name *name, uint32_t kind, int count)
{
	struct {
		uint32_t kind, zero;
		uint64_t cookie;
	} m = { .kind = kind };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} ctl;
	struct iovec iov = { .iov_base = &m, .iov_len = sizeof(m) };
	struct msghdr h = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = ctl.room,
			    .msg_controllen =
				    CMSG_SPACE((size_t)count * sizeof(int)) };
	struct sockaddr_un un;
	socklen_t len = name_of(&un, geteuid(), ntohs(name->in.sin_port));
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memset(&ctl, 0, sizeof(ctl));
	ctl.head.cmsg_level = SOL_SOCKET;
	ctl.head.cmsg_type = SCM_RIGHTS;
	ctl.head.cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
	for (int i = 0; i < count; i++)
		memcpy(CMSG_DATA(&ctl.head) + (size_t)i * sizeof(int), &s,
		       sizeof(s));
	T_OK(connect(s, (struct sockaddr *)&un, len));
	T_IS(sendmsg(s, &h, 0), sizeof(m));
	return s;
}

static void excess_descriptors_are_closed(void **state)
{
	struct end e;
	struct pollfd pfd = { .events = POLLIN };
	int before;

	T_OK(end_open(&e, &weft_carrier_shm, 1, NULL));
	/*
	 * the first request from another pid namespace opens the lock's
	 * descriptor
	 */
	before = t_open_files() + 1;
	for (uint32_t kind = 1; kind <= 3; kind++) {
		for (int count = 1; count <= 8; count++) {
			pfd.fd = send_fds(&e.name, kind, count);
			/* poll until a reply arrives or the peer closes */
			while (!poll(&pfd, 1, 0))
				e.c->ops->poll(e.c, 1);
			close(pfd.fd);
			T_IS(t_open_files(), before);
		}
	}
	end_close(&e);
}

/* ---- no free names ------------------------------------------------------- */

/* Binds as many ports as descriptors are available. */
static int bind_ports(int to, int from)
{
	struct rlimit lim;
	unsigned port[2];
	int bound = 0;
	char c;

	getrlimit(RLIMIT_NOFILE, &lim);
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
	if (setuid(OTHER_USER) || !read_from(to, port, sizeof(port)))
		return 2;
	while (port[0] + (unsigned)bound < port[1] &&
	       bind_to(0, port[0] + (unsigned)bound) >= 0)
		bound++;
	if (!write_to(from, &bound, sizeof(bound)))
		return 3;
	read_from(to, &c, 1);
	return 0;
}

/* Starts processes until no port is free; returns their number, or -1. */
static int bind_all_ports(struct child *c, int most)
{
	unsigned port[2] = { 20000, 60000 };
	int n, bound = 0;

	for (n = 0; n < most && port[0] < port[1]; n++) {
		c[n] = start_child(bind_ports);
		if (!write_to(c[n].to, port, sizeof(port)) ||
		    !read_from(c[n].from, &bound, sizeof(bound)) || !bound)
			return -1;
		port[0] += (unsigned)bound;
	}
	return port[0] < port[1] ? -1 : n;
}

static int exchange_packet(struct end *a, struct end *b)
{
	if (end_open(a, &weft_carrier_shm, 1, NULL) ||
	    end_open(b, &weft_carrier_shm, 2, NULL))
		return 11;
	/* connect first without a hint, then with the hint */
	memset(b->name.in.sin_zero, 0, sizeof(b->name.in.sin_zero));
	if (end_send_all(a, end_peer_name(a, &b->name), 0, 700, SECONDS) ||
	    !end_wait_got(b, 1, SECONDS))
		return 12;
	if (end_send_all(b, end_peer(b, a), 0, 700, SECONDS) ||
	    !end_wait_got(a, 1, SECONDS))
		return 13;
	end_close(a);
	end_close(b);
	return a->bad + b->bad ? 14 : 0;
}

/* Runs in its own network namespace, so that other tests find free names. */
static int exchange_without_free_ports(int to, int from)
{
	enum { MOST = 64 };
	struct child c[MOST];
	struct end a, b;
	int n, ret;

	if (unshare(CLONE_NEWNET))
		return 77;
	n = bind_all_ports(c, MOST);
	if (n < 0)
		return 10;
	ret = exchange_packet(&a, &b);
	while (n-- > 0)
		end_of(&c[n]);
	return ret;
}

static void an_endpoint_opens_when_all_ports_are_bound(void **state)
{
	struct child c;
	int code;

	if (geteuid())
		skip();
	c = start_child(exchange_without_free_ports);
	code = end_of(&c);
	if (code == 77)
		skip();
	T_IS(code, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_region_is_not_handed_over_to_another_user),
		T_CASE(a_region_is_not_handed_over_after_exec),
		T_CASE(a_handover_is_found_after_free_entries),
		T_CASE(excess_descriptors_are_closed),
		T_CASE(an_endpoint_opens_when_all_ports_are_bound),
	};

	/* this process was started by open_then_exec() */
	if (argc == 4)
		return bind_and_check(atoi(argv[1]), atoi(argv[2]), geteuid(),
				      (unsigned)atoi(argv[3]));
	return T_RUN(tests);
}
