/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of endpoints (union weft_name): resolving, checking and printing them.
 */
#include "prov/ofi/weft_addr.h"
#include "prov/ofi/weft_conf.h"

#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdlib.h>
#include <unistd.h>

bool weft_addr_is_name(const union weft_name *name)
{
	return weft_name_is_ip(name) && name->in.sin_port &&
	       !weft_name_is_any(name) &&
	       !(weft_name_is_ipv6(name) &&
		 IN6_IS_ADDR_LINKLOCAL(&name->in6.sin6_addr));
}

union weft_name weft_addr_loopback(sa_family_t family, in_port_t port)
{
	union weft_name name;

	memset(&name, 0, sizeof(name));
	name.sa.sa_family = family;
	name.in.sin_port = port;
	weft_name_set_loopback(&name);
	return name;
}

size_t weft_addr_bytes(sa_family_t family)
{
	return family == AF_INET6 ? sizeof(struct sockaddr_in6)
				  : sizeof(struct sockaddr_in);
}

bool weft_addr_read(const void *addr, size_t len, union weft_name *name_p)
{
	struct sockaddr sa;
	size_t bytes;

	if (!addr || len < sizeof(sa))
		return false;
	memcpy(&sa, addr, sizeof(sa));
	bytes = weft_addr_bytes(sa.sa_family);
	if (len < bytes ||
	    (sa.sa_family != AF_INET && sa.sa_family != AF_INET6))
		return false;
	memset(name_p, 0, sizeof(*name_p));
	memcpy(name_p, addr, bytes);
	return true;
}

/* ---- addresses of this host ---------------------------------------------- */

/*
 * Returns whether interface address i is of that family and can be used by
 * other hosts. Link-local IPv6 addresses are excluded, since they also need an
 * interface number.
 */
static bool iface_has(const struct ifaddrs *i, sa_family_t family)
{
	const union weft_name *at = (const void *)i->ifa_addr;

	return at && at->sa.sa_family == family &&
	       !(family == AF_INET6 &&
		 IN6_IS_ADDR_LINKLOCAL(&at->in6.sin6_addr));
}

/*
 * Sets the address of *name to the first address of its family. iface: name of
 * the interface; NULL: any interface that is up, except the loopback. Returns 0
 * or -errno.
 */
static int addr_first(const char *iface, union weft_name *name)
{
	struct ifaddrs *list, *i;
	int ret = -EADDRNOTAVAIL;

	if (getifaddrs(&list))
		return -errno;
	for (i = list; i && ret; i = i->ifa_next) {
		if (!iface_has(i, name->sa.sa_family) ||
		    (iface ? strcmp(i->ifa_name, iface) != 0
			   : !(i->ifa_flags & IFF_UP) ||
				     i->ifa_flags & IFF_LOOPBACK))
			continue;
		*name = weft_name_make(weft_name_ip((const void *)i->ifa_addr),
				       name->in.sin_port);
		ret = 0;
	}
	freeifaddrs(list);
	return ret;
}

int weft_addr_iface(const char *text, union weft_name *name)
{
	union weft_name at;
	struct weft_ip ip;

	if (!weft_ip_parse(text, &ip))
		return addr_first(text, name);
	at = weft_name_make(ip, name->in.sin_port);
	if (at.sa.sa_family != name->sa.sa_family)
		return -EADDRNOTAVAIL;
	*name = at;
	return 0;
}

/*
 * Sets the address of *name to the local address of the default route, which it
 * finds by connecting a temporary socket.
 */
static int addr_by_route(union weft_name *name)
{
	/*
	 * addresses reserved for documentation (RFC 5737, 3849), which packets
	 * reach by the default route
	 */
	struct weft_ip ip = { .byte = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } };
	union weft_name to;
	socklen_t len = weft_name_bytes(name);
	int fd = socket(name->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (!weft_name_is_ipv6(name))
		weft_ip_parse("192.0.2.1", &ip);
	to = weft_name_make(ip, htons(9));
	if (connect(fd, &to.sa, len) || getsockname(fd, &to.sa, &len) ||
	    weft_name_is_loopback(&to) || !weft_addr_is_name(&to))
		ret = -EADDRNOTAVAIL;
	else
		*name = weft_name_make(weft_name_ip(&to), name->in.sin_port);
	close(fd);
	return ret;
}

int weft_addr_default_route(union weft_name *name)
{
	return addr_by_route(name) ? addr_first(NULL, name) : 0;
}

sa_family_t weft_addr_family(void)
{
	const struct weft_conf *c = weft_conf();
	const char *iface = *c->iface ? c->iface : NULL;
	union weft_name ipv4 = { .sa.sa_family = AF_INET };
	union weft_name ipv6 = { .sa.sa_family = AF_INET6 };

	if (c->backend != &weft_backend_live)
		return AF_INET;
	if (c->family)
		return c->family;
	if (iface)
		return weft_addr_iface(iface, &ipv4) &&
				       !weft_addr_iface(iface, &ipv6)
			       ? AF_INET6
			       : AF_INET;
	return addr_first(NULL, &ipv4) && !addr_first(NULL, &ipv6) ? AF_INET6
								   : AF_INET;
}

/* ---- names of hosts ------------------------------------------------------ */

static int resolve_name(const char *node, const char *service, int flags,
			sa_family_t family, union weft_name *name_p)
{
	struct addrinfo hints = { .ai_family = family,
				  .ai_socktype = SOCK_DGRAM,
				  .ai_flags = flags };
	struct addrinfo *list;
	int err = getaddrinfo(node, service, &hints, &list);

	if (err == EAI_MEMORY)
		return -ENOMEM;
	if (err)
		return -ENODATA;
	err = weft_addr_read(list->ai_addr, list->ai_addrlen, name_p)
		      ? 0
		      : -ENODATA;
	freeaddrinfo(list);
	return err;
}

/*
 * Resolves a name in the given family; for AF_UNSPEC, in IPv4 first and then in
 * IPv6.
 */
static int resolve(const char *node, const char *service, int flags,
		   sa_family_t family, union weft_name *name_p)
{
	int err = resolve_name(node, service, flags,
			       family == AF_UNSPEC ? AF_INET : family, name_p);

	if (err == -ENODATA && family == AF_UNSPEC)
		err = resolve_name(node, service, flags, AF_INET6, name_p);
	return err;
}

int weft_addr_resolve(const char *node, const char *service, bool numeric,
		      sa_family_t family, union weft_name *name_p)
{
	int err;

	if (!node && !service) {
		*name_p = weft_addr_loopback(family, 0);
		return 0;
	}
	err = resolve(node, service, AI_NUMERICHOST | AI_NUMERICSERV, family,
		      name_p);
	if (err == -ENODATA)
		err = resolve(node, service, numeric ? AI_NUMERICHOST : 0,
			      family, name_p);
	return err;
}

/* Adds i to the last 32 bits of an address. */
static void ip_add(union weft_name *name, size_t i)
{
	struct weft_ip ip = weft_name_ip(name);
	uint32_t low;

	memcpy(&low, ip.byte + 12, 4);
	low = htonl(ntohl(low) + (uint32_t)i);
	memcpy(ip.byte + 12, &low, 4);
	*name = weft_name_make(ip, name->in.sin_port);
}

/* A range of names, as the application describes it. */
struct range {
	const char *node;
	const char *service;
	sa_family_t family;
};

/* Computes the i-th node of a range and resolves it. */
static int range_node(const struct range *r, size_t i, union weft_name *name_p)
{
	const char *node = r->node;
	char text[256];
	int err = resolve(node, r->service, AI_NUMERICHOST, r->family, name_p);
	size_t len, at;

	if (!err) {
		ip_add(name_p, i);
		return 0;
	}
	if (!i)
		return weft_addr_resolve(node, r->service, false, r->family,
					 name_p);
	/* for example "node07" + 3 is "node10" */
	len = strlen(node);
	at = len;
	while (at && isdigit((unsigned char)node[at - 1]))
		at--;
	snprintf(text, sizeof(text), "%.*s%0*llu", (int)at, node,
		 (int)(len - at), strtoull(node + at, NULL, 10) + i);
	return weft_addr_resolve(text, r->service, false, r->family, name_p);
}

int weft_addr_range(const char *node, size_t node_count, const char *service,
		    size_t service_count, sa_family_t family,
		    union weft_name *names)
{
	const struct range r = { node, service, family };

	for (size_t i = 0; i < node_count; i++) {
		union weft_name name;
		int err = range_node(&r, i, &name);

		if (err)
			return err;
		for (size_t k = 0; k < service_count; k++) {
			*names = name;
			names->in.sin_port =
				htons((uint16_t)(ntohs(name.in.sin_port) + k));
			names++;
		}
	}
	return 0;
}

const char *weft_addr_str(const void *addr, char *buf, size_t *len)
{
	char text[WEFT_NAME_TEXT] = "?";
	union weft_name name;
	struct sockaddr sa;
	int n;

	memcpy(&sa, addr, sizeof(sa));
	if (weft_addr_read(addr, weft_addr_bytes(sa.sa_family), &name))
		weft_name_text(&name, text);
	n = snprintf(buf, *len, "fi_sockaddr_in%s://%s",
		     sa.sa_family == AF_INET6 ? "6" : "", text);
	*len = (size_t)n + 1;
	return buf;
}
