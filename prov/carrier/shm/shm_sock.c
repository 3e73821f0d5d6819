/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages through the listening socket. They are rare: first contact needs one
 * only if /proc refuses access, and packets need none.
 *
 *   ask       request for the region; the descriptor is returned by SCM_RIGHTS
 *   handover  a sender that closes hands over its region, so that payloads in
 *             its cells stay readable; the kernel keeps it until accept()
 *   poke      connect and close: makes the descriptor of shm_wait_fd readable
 */
#include "prov/carrier/shm/shm.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOCK_REQUEST  1u
#define SOCK_HANDOVER 2u
#define SOCK_GRANT    3u
/* maximum number of descriptors in use for peers that have not replied */
#define SOCK_WAITING  8
#define SOCK_GRACE_MS 20 /* longest time between a connect and its message */

struct sock_msg {
	uint32_t kind;
	/*
	 * ASK: pid namespace of the sender. GRANT: nonzero if the owner holds a
	 * file lock on its region while it runs
	 */
	uint32_t ns;
	uint64_t cookie; /* cookie of the sender's region */
};

/*
 * Control buffer for one descriptor; with the kernel's alignment it has space
 * for two.
 */
union sock_ctl {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

#define SOCK_FDS ((int)(sizeof(union sock_ctl) / sizeof(int)))

static int sock_send(int sock, struct sock_msg m, int fd)
{
	struct iovec iov = { .iov_base = &m, .iov_len = sizeof(m) };
	union sock_ctl ctl = { .room = { 0 } };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		h.msg_control = ctl.room;
		h.msg_controllen = sizeof(ctl.room);
		ctl.head.cmsg_level = SOL_SOCKET;
		ctl.head.cmsg_type = SCM_RIGHTS;
		ctl.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&ctl.head), &fd, sizeof(fd));
	}
	if (sendmsg(sock, &h, MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(m))
		return -EPIPE;
	return 0;
}

/*
 * Extracts the descriptors of a message: returns the only one, or closes all if
 * there are several.
 */
static int sock_get_fd(struct msghdr *h)
{
	struct cmsghdr *cm;
	int fd[SOCK_FDS], count = 0;

	for (cm = CMSG_FIRSTHDR(h); cm; cm = CMSG_NXTHDR(h, cm)) {
		size_t n = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (cm->cmsg_level != SOL_SOCKET || cm->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n && count < SOCK_FDS; i++)
			memcpy(&fd[count++], CMSG_DATA(cm) + i * sizeof(int),
			       sizeof(int));
	}
	if (count == 1 && !(h->msg_flags & MSG_CTRUNC))
		return fd[0];
	while (count-- > 0)
		close(fd[count]);
	return -1;
}

/* Receives one message; the caller closes *fd_p unless it is -1. */
static int sock_recv(int sock, struct sock_msg *m, int *fd_p)
{
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	union sock_ctl ctl;
	struct msghdr h = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = ctl.room,
			    .msg_controllen = sizeof(ctl.room) };
	ssize_t n = recvmsg(sock, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*fd_p = -1;
	if (n < 0)
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	*fd_p = sock_get_fd(&h);
	return n == sizeof(*m) ? 0 : -EPIPE;
}

/* Returns whether the other end is a process of the same user. */
static bool sock_same_user(int sock, struct ucred *cred)
{
	socklen_t len = sizeof(*cred);

	return !getsockopt(sock, SOL_SOCKET, SO_PEERCRED, cred, &len) &&
	       cred->uid == geteuid();
}

/*
 * Returns whether p itself listens at the other end. Another process may have
 * bound the name after p died or called exec(); the kernel reports the process
 * that called listen().
 */
static bool sock_is_peer(int sock, const struct shm_peer *p)
{
	struct ucred cred;

	return sock_same_user(sock, &cred) && (uint32_t)cred.pid == p->id.pid &&
	       shm_id_alive(&p->id) && shm_map_is_held(p);
}

/*
 * Maps the region that a closing sender handed over, if its packets are unread.
 */
static void sock_accept_handover(struct shm *s, uint64_t cookie, int fd)
{
	struct shm_peer *p = weft_hash_get(&s->by_cookie, cookie);
	uint32_t used = weft_load32(&s->view.head->entry_next);

	if (used > s->view.entries)
		used = s->view.entries;
	/* the sender's packets may not have been polled yet */
	for (uint32_t i = 0; !p && i < used; i++) {
		struct shm_entry *e = &s->view.entry[i];

		/*
		 * skip free entries: entries at lower indices may have been
		 * freed
		 */
		if (weft_load64(&e->state) && e->cookie == cookie)
			p = shm_peer_admit(s, (uint16_t)i);
	}
	if (p && !p->mapped && !p->base.lost)
		shm_map_fd(s, p, fd);
}

/*
 * Sends this endpoint's region. A requester in another pid namespace checks
 * liveness by the lock, so the lock is taken first.
 */
static void sock_grant(struct shm *s, int sock, uint32_t ns)
{
	struct sock_msg m = { .kind = SOCK_GRANT, .cookie = s->id.cookie };

	if (ns != s->id.ns || !ns)
		m.ns = !shm_life_lock(s);
	sock_send(sock, m, shm_map_own_fd(s));
}

static void sock_serve(struct shm *s, int sock)
{
	struct pollfd pfd = { .fd = sock, .events = POLLIN };
	struct ucred cred;
	struct sock_msg m;
	int fd;
	int ret;

	if (!sock_same_user(sock, &cred)) {
		s->stats.refused++;
		return;
	}
	ret = sock_recv(sock, &m, &fd);
	if (ret == -EAGAIN && poll(&pfd, 1, SOCK_GRACE_MS) == 1)
		ret = sock_recv(sock, &m, &fd);
	if (!ret && m.kind == SOCK_REQUEST)
		sock_grant(s, sock, m.ns);
	else if (!ret && m.kind == SOCK_HANDOVER && fd >= 0)
		sock_accept_handover(s, m.cookie, fd);
	if (fd >= 0)
		close(fd);
}

/* Handles all connections that wait in the backlog. */
void shm_sock_accept(struct shm *s)
{
	int sock;

	while ((sock = accept4(s->sock, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		sock_serve(s, sock);
		close(sock);
	}
}

void shm_sock_notify(struct shm_peer *p)
{
	int sock = shm_name_connect(&p->name);

	if (sock >= 0)
		close(sock);
}

void shm_sock_forget(struct shm *s, struct shm_peer *p)
{
	if (p->sock < 0)
		return;
	close(p->sock);
	p->sock = -1;
	if (p->requested)
		s->socks_waiting--;
	p->requested = false;
}

/* Requests p's region, or checks for the reply. Returns 0 or -EAGAIN. */
int shm_sock_request(struct shm *s, struct shm_peer *p)
{
	struct sock_msg m = { .kind = SOCK_REQUEST,
			      .ns = s->id.ns,
			      .cookie = s->id.cookie };
	int fd;
	int ret;

	if (!p->requested) {
		if (s->socks_waiting >= SOCK_WAITING ||
		    sock_send(p->sock, m, -1)) {
			shm_sock_forget(s, p);
			return -EAGAIN;
		}
		p->requested = true;
		s->socks_waiting++;
	}
	ret = sock_recv(p->sock, &m, &fd);
	if (ret == -EAGAIN)
		return -EAGAIN;
	shm_sock_forget(s, p);
	if (fd < 0)
		return -EAGAIN;
	ret = shm_map_fd(s, p, fd);
	if (!ret && m.ns)
		shm_life_watch(s, p, fd);
	close(fd);
	return ret ? -EAGAIN : 0;
}

/*
 * Sends this endpoint's region to p's socket. The receiver can read and write
 * the region, so it is sent only to a process that is verified to be p.
 */
int shm_sock_handover(struct shm *s, struct shm_peer *p)
{
	struct sock_msg m = { .kind = SOCK_HANDOVER, .cookie = s->id.cookie };
	int sock = shm_name_connect(&p->name);
	int ret;

	if (sock < 0)
		return sock;
	ret = sock_is_peer(sock, p) ? sock_send(sock, m, shm_map_own_fd(s))
				    : -EPERM;
	close(sock);
	return ret;
}
