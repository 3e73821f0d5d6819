/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names: an address of this host and a UDP port. The kernel's routing table
 * gives the route and MTU to another name, through a socket that is connected
 * for this purpose only.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* size of the IP and UDP headers, bytes */
#define NAME_IPV4_HEADERS 28u
#define NAME_IPV6_HEADERS 48u
#define NAME_RCV_BYTES	  (8 << 20)
#define NAME_SND_BYTES	  (4 << 20)

/* missing in the headers of some C libraries */
#ifndef IP_PMTUDISC_DO
#define IP_PMTUDISC_DO 2
#endif
#ifndef IPV6_PMTUDISC_DO
#define IPV6_PMTUDISC_DO 2
#endif

/*
 * Sets the socket's buffers as large as the kernel allows; root may exceed the
 * limit of other users.
 */
static void name_buffers(struct sock *s)
{
	int rcv = NAME_RCV_BYTES;
	int snd = NAME_SND_BYTES;
	socklen_t len = sizeof(rcv);

	if (setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcv, sizeof(rcv)))
		setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &rcv, sizeof(rcv));
	setsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &snd, sizeof(snd));
	if (getsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &rcv, &len))
		rcv = 1 << 17;
	s->rcv_bytes = (uint32_t)rcv;
}

static int option_set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) ? -errno : 0;
}

int sock_name_fragment(const struct sock *s, bool allowed)
{
	if (weft_name_is_ipv6(&s->name))
		return option_set(s->fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER,
				  allowed ? IPV6_PMTUDISC_DONT
					  : IPV6_PMTUDISC_DO);
	return option_set(s->fd, IPPROTO_IP, IP_MTU_DISCOVER,
			  allowed ? IP_PMTUDISC_DONT : IP_PMTUDISC_DO);
}

/* Makes the kernel report network errors with the destination address. */
static int name_errors(const struct sock *s)
{
	return weft_name_is_ipv6(&s->name)
		       ? option_set(s->fd, IPPROTO_IPV6, IPV6_RECVERR, 1)
		       : option_set(s->fd, IPPROTO_IP, IP_RECVERR, 1);
}

int sock_name_open(struct sock *s, const union weft_name *want)
{
	union weft_name name = *want;
	socklen_t len = weft_name_bytes(&name);
	int ret;

	if (!name.sa.sa_family)
		name.sa.sa_family = AF_INET;
	if (!weft_name_is_ip(&name))
		return -EAFNOSUPPORT;
	weft_name_hint_set(&name, 0);
	if (weft_name_is_any(&name))
		weft_name_set_loopback(&name);
	s->name = name;
	s->fd = socket(name.sa.sa_family,
		       SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return -errno;
	ret = sock_name_fragment(s, false);
	if (!ret)
		ret = name_errors(s);
	if (ret)
		return ret;
	name_buffers(s);
	if (bind(s->fd, &name.sa, len) || getsockname(s->fd, &name.sa, &len))
		return -errno;
	s->name = weft_name_make(weft_name_ip(&name), name.in.sin_port);
	return 0;
}

static uint32_t name_dgram_max(int fd, bool ipv6)
{
	uint32_t headers = ipv6 ? NAME_IPV6_HEADERS : NAME_IPV4_HEADERS;
	socklen_t len = sizeof(int);
	uint32_t dgram;
	int mtu;

	if (getsockopt(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
		       ipv6 ? IPV6_MTU : IP_MTU, &mtu, &len) ||
	    mtu < (int)(SOCK_DGRAM_MIN + headers))
		return SOCK_DGRAM_MIN;
	dgram = (uint32_t)mtu - headers;
	return (dgram < SOCK_DGRAM_MAX ? dgram : SOCK_DGRAM_MAX) & ~7u;
}

/* Returns whether the address is one of this host. */
static bool name_is_local(const union weft_name *n)
{
	union weft_name any_port = weft_name_make(weft_name_ip(n), 0);
	int fd = socket(n->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool local =
		fd >= 0 && !bind(fd, &any_port.sa, weft_name_bytes(&any_port));

	if (fd >= 0)
		close(fd);
	return local;
}

/*
 * Returns whether the kernel would route datagrams from ::1 to another host,
 * which cannot answer them. The kernel never does so from 127.0.0.0/8.
 */
static bool name_leaves_loopback(const struct sock *s,
				 const union weft_name *to)
{
	return weft_name_is_ipv6(to) && weft_name_is_loopback(&s->name) &&
	       !weft_name_is_loopback(to) && !name_is_local(to);
}

int sock_name_route(const struct sock *s, const union weft_name *to,
		    uint32_t *dgram_max_p, bool *local_p)
{
	union weft_name from = weft_name_make(weft_name_ip(&s->name), 0);
	union weft_name dest =
		weft_name_make(weft_name_ip(to), to->in.sin_port);
	socklen_t len = weft_name_bytes(&from);
	int fd;
	int ret = 0;

	if (to->sa.sa_family != from.sa.sa_family || !to->in.sin_port ||
	    weft_name_is_any(to) || name_leaves_loopback(s, to))
		return -EHOSTUNREACH;
	fd = socket(from.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, &from.sa, len))
		ret = -errno;
	else if (connect(fd, &dest.sa, len))
		ret = -EHOSTUNREACH;
	if (!ret) {
		*dgram_max_p = name_dgram_max(fd, weft_name_is_ipv6(to));
		*local_p = weft_name_is_loopback(to) ||
			   weft_name_same_host(to, &from);
	}
	close(fd);
	return ret;
}

/* Returns why this endpoint cannot reach the other name. */
static const char *name_obstacle(const struct sock *s,
				 const union weft_name *to)
{
	if (to->sa.sa_family != s->name.sa.sa_family)
		return "one address is IPv4 and the other IPv6; set "
		       "FI_WEFT_FAMILY to inet or inet6 on all hosts";
	if (weft_name_is_loopback(&s->name))
		return "this endpoint has a loopback address, which other "
		       "hosts cannot reach; set FI_WEFT_IFACE to an "
		       "interface and FI_WEFT_KEY to a secret";
	return "the host has no route to it";
}

void sock_name_log_unreachable(const struct sock *s, const union weft_name *to)
{
	char name[WEFT_NAME_TEXT], own[WEFT_NAME_TEXT];

	weft_log(WEFT_LOG_ERROR, "sock: %s cannot be reached from %s: %s",
		 weft_name_text(to, name), weft_name_text(&s->name, own),
		 name_obstacle(s, to));
}
