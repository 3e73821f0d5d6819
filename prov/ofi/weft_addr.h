/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of endpoints: resolving, checking, printing struct sockaddr_in. */
#ifndef WEFT_OFI_ADDR_H
#define WEFT_OFI_ADDR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/* IPv4 with a host and a port: something an endpoint can be called. */
bool weft_addr_is_name(const struct sockaddr_in *name);

/* 127.0.0.1 with that port (network order). */
struct sockaddr_in weft_addr_loopback(in_port_t port);

/*
 * The address that text says, or the first one of the interface that it
 * names. -EADDRNOTAVAIL: there is no such interface, or it has no address.
 */
int weft_addr_iface(const char *text, struct in_addr *ip_p);

/*
 * The address from which packets leave by the default route; where there is
 * none, that of the first interface, in the order of their numbers, that is up
 * and not the loopback. -EADDRNOTAVAIL: there is none.
 */
int weft_addr_outside(struct in_addr *ip_p);

/*
 * node and service as for getaddrinfo; either may be NULL (loopback, port 0).
 * Numbers are taken as they are; a name service is asked only for names, and
 * not at all when numeric. 0, -ENODATA: unknown, -ENOMEM.
 */
int weft_addr_resolve(const char *node, const char *service, bool numeric,
		      struct sockaddr_in *name_p);

/*
 * node_count times service_count names, services running faster: addresses
 * and ports count up, or the number at the end of a host's name does.
 */
int weft_addr_range(const char *node, size_t node_count, const char *service,
		    size_t service_count, struct sockaddr_in *names);

/* "fi_sockaddr_in://127.0.0.1:4711"; *len: room, then what is needed. */
const char *weft_addr_str(const struct sockaddr_in *name, char *buf,
			  size_t *len);

#endif
