/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names. An endpoint listens on an abstract unix socket whose name contains
 * its ip:port; binding the socket makes the port exclusive, and the kernel
 * releases it when the process dies. 127.0.0.1 and "any" share one name space
 * of the host, every other local address has its own.
 *
 *   "\0weft.UID.PORT"  or  "\0weft.UID.PORT.IPHEX"
 *
 * An IPv6 name has 32 digits, or "ip6" for ::1 and "any".
 *
 * Another user may have bound all ports, so that no endpoint of this user could
 * start. If no port is free, an endpoint without a requested port binds a
 * random port of a random address of 127.0.0.0/8, or of the discard prefix
 * 100::/64 (RFC 6666), which no host uses: there are 2^39 such names, too many
 * for another user to bind.
 *
 * The hint of a name contains {pid:32, fd:16, cookie:16}, by which the
 * region can be opened without a request to its owner. The hint is verified.
 */
#include "prov/carrier/shm/shm.h"

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

/* Returns whether the name is in the name space of 127.0.0.1 or ::1. */
static bool name_is_plain(const union weft_name *n)
{
	return weft_name_is_any(n) ||
	       (weft_name_is_loopback(n) &&
		(weft_name_is_ipv6(n) ||
		 n->in.sin_addr.s_addr == htonl(INADDR_LOOPBACK)));
}

/* Writes the hexadecimal digits of the address. */
static void name_digits(const union weft_name *n, char text[33])
{
	const struct weft_ip ip = weft_name_ip(n);

	for (unsigned i = weft_name_is_ipv6(n) ? 0 : 12; i < 16; i++)
		text += sprintf(text, "%02x", ip.byte[i]);
}

/* Makes the socket name of n; returns the length of the address. */
static socklen_t name_make(struct sockaddr_un *un, const union weft_name *n)
{
	size_t room = sizeof(un->sun_path) - 1;
	char digits[33] = "ip6";
	bool plain = name_is_plain(n);
	int len;

	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	if (!plain)
		name_digits(n, digits);
	len = snprintf(un->sun_path + 1, room,
		       plain && !weft_name_is_ipv6(n) ? "weft.%u.%u"
						      : "weft.%u.%u.%s",
		       geteuid(), ntohs(n->in.sin_port), digits);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)len);
}

static int name_bind(int fd, const union weft_name *n)
{
	struct sockaddr_un un;
	socklen_t len = name_make(&un, n);

	return bind(fd, (struct sockaddr *)&un, len) ? -errno : 0;
}

static uint16_t name_port(uint64_t n)
{
	return htons((uint16_t)(NAME_PORT_LOW + n % NAME_PORT_SPAN));
}

/* Returns whether the address is in 100::/64. */
static bool name_is_discard(const union weft_name *n)
{
	static const uint8_t prefix[8] = { 1 };

	return weft_name_is_ipv6(n) &&
	       !memcmp(&n->in6.sin6_addr, prefix, sizeof(prefix));
}

/* Binds a random address of 127.0.0.0/8 or 100::/64, and a random port. */
static int name_bind_random(int fd, union weft_name *name)
{
	struct weft_ip ip = { .byte = { 1 } };
	int ret = -EADDRINUSE;
	uint64_t draw;

	if (!weft_name_is_ipv6(name))
		ip = (struct weft_ip){ .byte = { [10] = 0xff, 0xff, 127 } };
	for (int i = 0; i < NAME_TRIES && ret == -EADDRINUSE; i++) {
		if (getrandom(&draw, sizeof(draw), 0) != sizeof(draw))
			return -EIO;
		for (int k = 13; k < 16; k++)
			ip.byte[k] = (uint8_t)(draw >> (8 * k - 64));
		*name = weft_name_make(ip, name_port(draw & UINT32_MAX));
		ret = name_bind(fd, name);
	}
	return ret;
}

/* Binds any free port, starting at one derived from the cookie. */
static int name_bind_any(int fd, uint64_t cookie, union weft_name *name)
{
	int ret = -EADDRINUSE;

	for (uint32_t i = 0; i < NAME_TRIES && ret == -EADDRINUSE; i++) {
		name->in.sin_port = name_port(cookie % NAME_PORT_SPAN + i);
		ret = name_bind(fd, name);
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
		const union weft_name *at = (const void *)i->ifa_addr;

		if (at && weft_name_is_ip(at))
			s->local_ip[s->local_ip_count++] = weft_name_ip(at);
	}
	freeifaddrs(list);
}

bool shm_name_is_local(struct shm *s, const union weft_name *n)
{
	const struct weft_ip ip = weft_name_ip(n);

	if (weft_name_is_any(n) || weft_name_is_loopback(n) ||
	    name_is_discard(n))
		return true;
	name_list_local(s);
	for (unsigned i = 0; i < s->local_ip_count; i++) {
		if (!memcmp(&s->local_ip[i], &ip, sizeof(ip)))
			return true;
	}
	return false;
}

int shm_name_open(struct shm *s, const union weft_name *want)
{
	union weft_name name = *want;
	int ret;

	if (!name.sa.sa_family)
		name.sa.sa_family = AF_INET;
	if (!weft_name_is_ip(&name))
		return -EAFNOSUPPORT;
	if (!shm_name_is_local(s, &name))
		return -EADDRNOTAVAIL;
	weft_name_hint_set(&name, 0);
	s->sock =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->sock < 0)
		return -errno;
	ret = name.in.sin_port ? name_bind(s->sock, &name)
			       : name_bind_any(s->sock, s->id.cookie, &name);
	if (ret)
		return ret;
	if (weft_name_is_any(&name))
		weft_name_set_loopback(&name);
	s->name = name;
	return 0;
}

/* Starts to listen: from now on peers can find this endpoint. */
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

static int name_connect(int fd, const union weft_name *n)
{
	struct sockaddr_un un;
	socklen_t len = name_make(&un, n);

	return connect(fd, (struct sockaddr *)&un, len) ? -errno : 0;
}

/*
 * Returns a socket connected to the name, or -errno. An endpoint bound to "any"
 * is found under every local address of its family.
 */
int shm_name_connect(const union weft_name *n)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	union weft_name any = *n;
	int ret;

	if (fd < 0)
		return -errno;
	ret = name_connect(fd, n);
	weft_name_set_any(&any);
	if (ret == -ECONNREFUSED && !name_is_plain(n))
		ret = name_connect(fd, &any);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static union weft_name name_plain(const union weft_name *n)
{
	union weft_name plain = *n;

	if (name_is_plain(n))
		weft_name_set_any(&plain);
	return plain;
}

uint64_t shm_name_key(const union weft_name *n)
{
	const union weft_name plain = name_plain(n);

	return weft_name_key(&plain);
}

bool shm_name_equal(const union weft_name *a, const union weft_name *b)
{
	const union weft_name plain_a = name_plain(a);
	const union weft_name plain_b = name_plain(b);

	return weft_name_equal(&plain_a, &plain_b);
}

struct shm_peer *shm_name_find(const struct shm *s, const union weft_name *name)
{
	struct shm_peer *p = weft_hash_get(&s->by_name, shm_name_key(name));

	return p && shm_name_equal(&p->name, name) ? p : NULL;
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
