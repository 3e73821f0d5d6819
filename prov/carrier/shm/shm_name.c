/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names. An endpoint listens on an abstract unix socket whose name contains
 * its ip:port; binding the socket makes the port exclusive, and the kernel
 * releases it when the process dies. 127.0.0.1 and "any" share one name space
 * of the host, every other local address has its own.
 *
 *   "\0weft.UID.PORT"  or  "\0weft.UID.PORT.IPHEX"
 *
 * Another user may have bound all ports, so that no endpoint of this user
 * could start. If no port is free, an endpoint without a requested port binds
 * a random port of a random loopback address: there are 2 to the 39 such
 * names, too many to be bound in advance.
 *
 * sin_zero of a name contains {pid:32, fd:16, cookie:16}, a hint by which the
 * region can be opened without a request to its owner. The hint is verified.
 */
#include "prov/carrier/shm/shm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NAME_BACKLOG   4096
#define NAME_PORT_LOW  20000
#define NAME_PORT_SPAN 40000
#define NAME_TRIES     256 /* ports tried before a random address is used */

static bool name_is_plain(uint32_t ip)
{
	uint32_t host = ntohl(ip);

	return host == INADDR_ANY || host == INADDR_LOOPBACK;
}

/* Makes the socket name of ip:port; returns the length of the address. */
static socklen_t name_make(struct sockaddr_un *un, uint32_t ip, uint16_t port)
{
	size_t room = sizeof(un->sun_path) - 1;
	int n;

	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	if (name_is_plain(ip))
		n = snprintf(un->sun_path + 1, room, "weft.%u.%u", geteuid(),
			     ntohs(port));
	else
		n = snprintf(un->sun_path + 1, room, "weft.%u.%u.%08x",
			     geteuid(), ntohs(port), ntohl(ip));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

static int name_bind(int fd, uint32_t ip, uint16_t port)
{
	struct sockaddr_un un;
	socklen_t len = name_make(&un, ip, port);

	return bind(fd, (struct sockaddr *)&un, len) ? -errno : 0;
}

static uint16_t name_port(uint64_t n)
{
	return htons((uint16_t)(NAME_PORT_LOW + n % NAME_PORT_SPAN));
}

/* Binds a random loopback address and port. */
static int name_bind_random(int fd, struct sockaddr_in *name)
{
	int ret = -EADDRINUSE;
	uint64_t draw;

	for (int i = 0; i < NAME_TRIES && ret == -EADDRINUSE; i++) {
		if (getrandom(&draw, sizeof(draw), 0) != sizeof(draw))
			return -EIO;
		name->sin_addr.s_addr =
			htonl(UINT32_C(127) << 24 | (uint32_t)(draw >> 40));
		name->sin_port = name_port(draw & UINT32_MAX);
		ret = name_bind(fd, name->sin_addr.s_addr, name->sin_port);
	}
	return ret;
}

/* Binds any free port, starting at one derived from the cookie. */
static int name_bind_any(int fd, uint64_t cookie, struct sockaddr_in *name)
{
	int ret = -EADDRINUSE;

	for (uint32_t i = 0; i < NAME_TRIES && ret == -EADDRINUSE; i++) {
		name->sin_port = name_port(cookie % NAME_PORT_SPAN + i);
		ret = name_bind(fd, name->sin_addr.s_addr, name->sin_port);
	}
	return ret == -EADDRINUSE ? name_bind_random(fd, name) : ret;
}

/*
 * Reads the addresses of the interfaces once; if this fails, only loopback
 * addresses are local.
 */
static void name_list_local(struct shm *s)
{
	struct ifaddrs *list, *i;
	unsigned n = 0;

	if (s->local_ip || getifaddrs(&list))
		return;
	for (i = list; i; i = i->ifa_next)
		n++;
	s->local_ip = calloc(n + 1, sizeof(*s->local_ip));
	for (i = list; i && s->local_ip; i = i->ifa_next) {
		if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET)
			s->local_ip[s->local_ip_count++] =
				((struct sockaddr_in *)(void *)i->ifa_addr)
					->sin_addr.s_addr;
	}
	freeifaddrs(list);
}

bool shm_name_is_local(struct shm *s, uint32_t ip)
{
	if (name_is_plain(ip) || ntohl(ip) >> 24 == 127)
		return true;
	name_list_local(s);
	for (unsigned i = 0; i < s->local_ip_count; i++) {
		if (s->local_ip[i] == ip)
			return true;
	}
	return false;
}

int shm_name_open(struct shm *s, const struct sockaddr_in *want)
{
	struct sockaddr_in name = { .sin_family = AF_INET,
				    .sin_port = want->sin_port,
				    .sin_addr = want->sin_addr };
	int ret;

	if (!shm_name_is_local(s, name.sin_addr.s_addr))
		return -EADDRNOTAVAIL;
	s->sock =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->sock < 0)
		return -errno;
	ret = name.sin_port
		      ? name_bind(s->sock, name.sin_addr.s_addr, name.sin_port)
		      : name_bind_any(s->sock, s->id.cookie, &name);
	if (ret)
		return ret;
	if (!name.sin_addr.s_addr)
		name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->name = name;
	return 0;
}

/* Starts to listen: from now on peers find this endpoint. */
int shm_name_listen(struct shm *s)
{
	return listen(s->sock, NAME_BACKLOG) ? -errno : 0;
}

void shm_name_close(struct shm *s)
{
	if (s->sock >= 0)
		close(s->sock);
	s->sock = -1;
	free(s->local_ip);
	s->local_ip = NULL;
}

static int name_connect(int fd, uint32_t ip, uint16_t port)
{
	struct sockaddr_un un;
	socklen_t len = name_make(&un, ip, port);

	return connect(fd, (struct sockaddr *)&un, len) ? -errno : 0;
}

/*
 * Returns a socket connected to ip:port, or -errno. An endpoint bound to "any"
 * is found under every local address.
 */
int shm_name_connect(uint32_t ip, uint16_t port)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = name_connect(fd, ip, port);
	if (ret == -ECONNREFUSED && !name_is_plain(ip))
		ret = name_connect(fd, INADDR_ANY, port);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

uint64_t shm_name_key(const struct sockaddr_in *n)
{
	uint32_t ip =
		name_is_plain(n->sin_addr.s_addr) ? 0 : n->sin_addr.s_addr;

	return (uint64_t)ip << 16 | n->sin_port;
}

static_assert(sizeof(((struct sockaddr_in *)0)->sin_zero) == sizeof(uint64_t),
	      "a hint fits sin_zero");

void shm_name_hint_set(struct sockaddr_in *n, uint64_t hint)
{
	memcpy(n->sin_zero, &hint, sizeof(hint));
}

uint64_t shm_name_hint(const struct sockaddr_in *n)
{
	uint64_t hint;

	memcpy(&hint, n->sin_zero, sizeof(hint));
	return hint;
}

/* Makes the hint of a name; fd 0: the descriptor is unknown. */
uint64_t shm_hint_make(uint32_t pid, int fd, uint64_t cookie)
{
	uint16_t low = fd > 0 && fd <= UINT16_MAX ? (uint16_t)fd : 0;

	return (uint64_t)pid << 32 | (uint64_t)low << 16 | (uint16_t)cookie;
}

uint32_t shm_hint_pid(uint64_t hint)
{
	return (uint32_t)(hint >> 32);
}

int shm_hint_fd(uint64_t hint)
{
	return (uint16_t)(hint >> 16);
}
