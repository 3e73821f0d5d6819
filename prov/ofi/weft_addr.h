/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of endpoints (union weft_name): resolving, checking and printing them.
 */
#ifndef WEFT_OFI_ADDR_H
#define WEFT_OFI_ADDR_H

#include "prov/wire/wire_name.h"

/*
 * Returns whether name has an address and a port, as an endpoint's name must.
 * Link-local IPv6 addresses are refused.
 */
bool weft_addr_is_name(const union weft_name *name);

/* Returns 127.0.0.1 or ::1 with that port (network order). */
union weft_name weft_addr_loopback(sa_family_t family, in_port_t port);

/* Returns the size of a name of that family, bytes. */
size_t weft_addr_bytes(sa_family_t family);

/* Copies a name from the application; returns false if it is invalid. */
bool weft_addr_read(const void *addr, size_t len, union weft_name *name_p);

/*
 * Returns the default address family of endpoints: the family set by
 * FI_WEFT_FAMILY; else a family of FI_WEFT_IFACE, preferably IPv4; else IPv6,
 * if no interface except the loopback has an IPv4 address and some interface
 * has an IPv6 address; else IPv4. Always IPv4 in virtual time.
 */
sa_family_t weft_addr_family(void);

/*
 * Sets the address of *name, whose family is already set: to the address in
 * text, or to the first address of the interface with that name.
 * -EADDRNOTAVAIL: there is no such interface, or it has no address of that
 * family.
 */
int weft_addr_iface(const char *text, union weft_name *name);

/*
 * Sets the address of *name, whose family is already set: to the source address
 * of the default route or, without such a route, to the address of the first
 * interface, by interface number, that is up and not the loopback.
 * -EADDRNOTAVAIL: there is no such address.
 */
int weft_addr_default_route(union weft_name *name);

/*
 * Resolves node and service as getaddrinfo does; either may be NULL (loopback,
 * port 0). Numeric addresses are used directly; a name service is queried only
 * for host names, and never if `numeric` is set. AF_UNSPEC: a node without an
 * IPv4 address resolves to its IPv6 address. Returns 0, -ENODATA (unknown node
 * or service) or -ENOMEM.
 */
int weft_addr_resolve(const char *node, const char *service, bool numeric,
		      sa_family_t family, union weft_name *name_p);

/*
 * Resolves node_count x service_count names, in an order in which the service
 * varies faster than the node. Address and port are incremented from one name
 * to the next; for a host name with a number at its end, this number is
 * incremented.
 */
int weft_addr_range(const char *node, size_t node_count, const char *service,
		    size_t service_count, sa_family_t family,
		    union weft_name *names);

/*
 * Formats "fi_sockaddr_in://127.0.0.1:4711" or "fi_sockaddr_in6://[::1]:4711".
 * *len: in: size of buf; out: number of bytes needed.
 */
const char *weft_addr_str(const void *addr, char *buf, size_t *len);

#endif
