/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names: an address of this host and a UDP port. The kernel's routing table
 * gives the route and MTU to another name, through a socket that is connected
 * for this purpose only.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME_HEADER_BYTES 28u /* bytes of the IP and UDP headers */
#define NAME_RCV_BYTES	  (8 << 20)
#define NAME_SND_BYTES	  (4 << 20)

/* missing in the headers of some C libraries */
#ifndef IP_PMTUDISC_DO
#define IP_PMTUDISC_DO 2
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

/*
 * Sets socket options: no IP fragments; network errors are reported with the
 * destination address.
 */
static int name_options(int fd)
{
	int discover = IP_PMTUDISC_DO;
	int on = 1;

	if (setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &discover,
		       sizeof(discover)) ||
	    setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on)))
		return -errno;
	return 0;
}

int sock_name_open(struct sock *s, const struct sockaddr_in *want)
{
	struct sockaddr_in name = { .sin_family = AF_INET,
				    .sin_port = want->sin_port,
				    .sin_addr = want->sin_addr };
	socklen_t len = sizeof(name);
	int ret;

	if (!name.sin_addr.s_addr)
		name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return -errno;
	ret = name_options(s->fd);
	if (ret)
		return ret;
	name_buffers(s);
	if (bind(s->fd, (struct sockaddr *)&name, sizeof(name)) ||
	    getsockname(s->fd, (struct sockaddr *)&name, &len))
		return -errno;
	memset(name.sin_zero, 0, sizeof(name.sin_zero));
	s->name = name;
	return 0;
}

uint64_t sock_name_key(const struct sockaddr_in *n)
{
	return (uint64_t)n->sin_addr.s_addr << 16 | n->sin_port;
}

static uint32_t name_dgram_max(int fd)
{
	socklen_t len = sizeof(int);
	uint32_t dgram;
	int mtu;

	if (getsockopt(fd, IPPROTO_IP, IP_MTU, &mtu, &len) ||
	    mtu < (int)(SOCK_DGRAM_MIN + NAME_HEADER_BYTES))
		return SOCK_DGRAM_MIN;
	dgram = (uint32_t)mtu - NAME_HEADER_BYTES;
	return (dgram < SOCK_DGRAM_MAX ? dgram : SOCK_DGRAM_MAX) & ~7u;
}

int sock_name_route(const struct sock *s, const struct sockaddr_in *to,
		    uint32_t *dgram_max_p, bool *local_p)
{
	struct sockaddr_in from = { .sin_family = AF_INET,
				    .sin_addr = s->name.sin_addr };
	int fd;
	int ret = 0;

	if (to->sin_family != AF_INET || !to->sin_port || !to->sin_addr.s_addr)
		return -EHOSTUNREACH;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)))
		ret = -errno;
	else if (connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		ret = -EHOSTUNREACH;
	if (!ret) {
		*dgram_max_p = name_dgram_max(fd);
		*local_p = ntohl(to->sin_addr.s_addr) >> 24 == 127 ||
			   to->sin_addr.s_addr == from.sin_addr.s_addr;
	}
	close(fd);
	return ret;
}

void sock_name_log_unreachable(const struct sock *s,
			       const struct sockaddr_in *to)
{
	char ip[INET_ADDRSTRLEN], own[INET_ADDRSTRLEN];
	bool loopback = ntohl(s->name.sin_addr.s_addr) >> 24 == 127;

	inet_ntop(AF_INET, &to->sin_addr, ip, sizeof(ip));
	inet_ntop(AF_INET, &s->name.sin_addr, own, sizeof(own));
	weft_log(WEFT_LOG_ERROR, "sock: %s:%u cannot be reached from %s:%u%s",
		 ip, ntohs(to->sin_port), own, ntohs(s->name.sin_port),
		 loopback ? ": this endpoint is at the loopback, which other "
			    "hosts do not reach; set FI_WEFT_IFACE to an "
			    "interface and FI_WEFT_KEY to a secret"
			  : ": the host has no route to it");
}
