/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of endpoints: resolving, checking, printing struct sockaddr_in. */
#ifndef WEFT_OFI_ADDR_H
#define WEFT_OFI_ADDR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Returns whether name is an IPv4 address with a host and a port, as an
 * endpoint's name must be.
 */
bool weft_addr_is_name(const struct sockaddr_in *name);

/* Returns 127.0.0.1 with that port (network order). */
struct sockaddr_in weft_addr_loopback(in_port_t port);

/*
 * Returns the address in text, or the first address of the interface with that
 * name. -EADDRNOTAVAIL: there is no such interface, or it has no address.
 */
int weft_addr_iface(const char *text, struct in_addr *ip_p);

/*
 * Returns the source address of the default route. If there is no route,
 * returns the address of the first interface, by interface number, that is up
 * and not the loopback. -EADDRNOTAVAIL: there is none.
 */
int weft_addr_default_route(struct in_addr *ip_p);

/* Returns whether an interface that is up, not the loopback, has IPv6. */
bool weft_addr_has_ipv6(void);

/*
 * Resolves node and service as getaddrinfo does; either may be NULL (loopback,
 * port 0). Numbers are used directly; a name service is queried only for names,
 * and never if numeric is set. Returns 0, -ENODATA (unknown) or -ENOMEM.
 */
int weft_addr_resolve(const char *node, const char *service, bool numeric,
		      struct sockaddr_in *name_p);

/*
 * Resolves node_count times service_count names; services vary faster. Address
 * and port are incremented from one name to the next; for a host name with a
 * number at its end, this number is incremented.
 */
int weft_addr_range(const char *node, size_t node_count, const char *service,
		    size_t service_count, struct sockaddr_in *names);

/*
 * Formats "fi_sockaddr_in://127.0.0.1:4711". *len: size of buf, then bytes
 * needed.
 */
const char *weft_addr_str(const struct sockaddr_in *name, char *buf,
			  size_t *len);

#endif
