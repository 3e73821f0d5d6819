/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of endpoints: resolving, checking, printing struct sockaddr_in. */
#include "prov/ofi/weft_addr.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool weft_addr_is_name(const struct sockaddr_in *name)
{
	return name->sin_family == AF_INET && name->sin_port &&
	       name->sin_addr.s_addr != htonl(INADDR_ANY);
}

struct sockaddr_in weft_addr_loopback(in_port_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = port,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

int weft_addr_iface(const char *text, struct in_addr *ip_p)
{
	struct ifaddrs *list, *i;
	int ret = -EADDRNOTAVAIL;

	if (inet_pton(AF_INET, text, ip_p) == 1)
		return 0;
	if (getifaddrs(&list))
		return -errno;
	for (i = list; i && ret; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET ||
		    strcmp(i->ifa_name, text))
			continue;
		*ip_p = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
		ret = 0;
	}
	freeifaddrs(list);
	return ret;
}

/*
 * Returns the local address of the default route, by connecting an unused
 * socket.
 */
static int addr_by_route(struct in_addr *ip_p)
{
	/* an unassigned address (RFC 5737), which uses the default route */
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(0xc0000201) };
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(fd, (struct sockaddr *)&to, &len) ||
	    ntohl(to.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET)
		ret = -EADDRNOTAVAIL;
	else
		*ip_p = to.sin_addr;
	close(fd);
	return ret;
}

static int addr_first_up(struct in_addr *ip_p)
{
	struct ifaddrs *list, *i;
	int ret = -EADDRNOTAVAIL;

	if (getifaddrs(&list))
		return -errno;
	for (i = list; i && ret; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET ||
		    !(i->ifa_flags & IFF_UP) || i->ifa_flags & IFF_LOOPBACK)
			continue;
		*ip_p = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
		ret = 0;
	}
	freeifaddrs(list);
	return ret;
}

bool weft_addr_has_ipv6(void)
{
	struct ifaddrs *list, *i;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (i = list; i && !found; i = i->ifa_next)
		found = i->ifa_addr && i->ifa_addr->sa_family == AF_INET6 &&
			i->ifa_flags & IFF_UP && !(i->ifa_flags & IFF_LOOPBACK);
	freeifaddrs(list);
	return found;
}

int weft_addr_default_route(struct in_addr *ip_p)
{
	return addr_by_route(ip_p) ? addr_first_up(ip_p) : 0;
}

static int resolve_name(const char *node, const char *service, int flags,
			struct sockaddr_in *name_p)
{
	struct addrinfo hints = { .ai_family = AF_INET,
				  .ai_socktype = SOCK_DGRAM,
				  .ai_flags = flags };
	struct addrinfo *list;
	int err = getaddrinfo(node, service, &hints, &list);

	if (err == EAI_MEMORY)
		return -ENOMEM;
	if (err)
		return -ENODATA;
	memcpy(name_p, list->ai_addr, sizeof(*name_p));
	freeaddrinfo(list);
	return 0;
}

int weft_addr_resolve(const char *node, const char *service, bool numeric,
		      struct sockaddr_in *name_p)
{
	int err;

	if (!node && !service) {
		*name_p = weft_addr_loopback(0);
		return 0;
	}
	err = resolve_name(node, service, AI_NUMERICHOST | AI_NUMERICSERV,
			   name_p);
	if (err == -ENODATA)
		err = resolve_name(node, service, numeric ? AI_NUMERICHOST : 0,
				   name_p);
	return err;
}

/* Resolves the i-th node of a range. */
static int range_node(const char *node, size_t i, const char *service,
		      struct sockaddr_in *name_p)
{
	char text[256];
	int err = resolve_name(node, service, AI_NUMERICHOST, name_p);
	size_t len, at;

	if (!err) {
		uint32_t host = ntohl(name_p->sin_addr.s_addr);

		name_p->sin_addr.s_addr = htonl(host + (uint32_t)i);
		return 0;
	}
	if (!i)
		return weft_addr_resolve(node, service, false, name_p);
	/* for example "node07" + 3 is "node10" */
	len = strlen(node);
	at = len;
	while (at && isdigit((unsigned char)node[at - 1]))
		at--;
	snprintf(text, sizeof(text), "%.*s%0*llu", (int)at, node,
		 (int)(len - at), strtoull(node + at, NULL, 10) + i);
	return weft_addr_resolve(text, service, false, name_p);
}

int weft_addr_range(const char *node, size_t node_count, const char *service,
		    size_t service_count, struct sockaddr_in *names)
{
	for (size_t i = 0; i < node_count; i++) {
		struct sockaddr_in name;
		int err = range_node(node, i, service, &name);

		if (err)
			return err;
		for (size_t k = 0; k < service_count; k++) {
			*names = name;
			names->sin_port =
				htons((uint16_t)(ntohs(name.sin_port) + k));
			names++;
		}
	}
	return 0;
}

const char *weft_addr_str(const struct sockaddr_in *name, char *buf,
			  size_t *len)
{
	char host[INET_ADDRSTRLEN];
	int n;

	if (name->sin_family != AF_INET)
		n = snprintf(buf, *len, "fi_sockaddr_in://?");
	else
		n = snprintf(
			buf, *len, "fi_sockaddr_in://%s:%u",
			inet_ntop(AF_INET, &name->sin_addr, host, sizeof(host)),
			ntohs(name->sin_port));
	*len = (size_t)n + 1;
	return buf;
}
