/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of endpoints: an IPv4 or IPv6 address and a port, in the operating
 * system's sockaddr structures, which applications see as FI_SOCKADDR_IN and
 * FI_SOCKADDR_IN6. All names of a job have one family.
 *
 * A name also has room for a hint of the shared-memory carrier (shm_name.c):
 * sin_zero of an IPv4 name; flow label and scope of an IPv6 name, which is
 * never link-local. The hint is not compared.
 */
#ifndef WEFT_WIRE_NAME_H
#define WEFT_WIRE_NAME_H

#include "src/base/hash.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

union weft_name {
	struct sockaddr sa;
	struct sockaddr_in in; /* in.sin_port is the port for both families */
	struct sockaddr_in6 in6;
};

/* The 16 bytes of an address; an IPv4 address is mapped (::ffff:0:0/96). */
struct weft_ip {
	uint8_t byte[16];
};

/* Size of the text "[ADDRESS]:PORT", bytes. */
#define WEFT_NAME_TEXT (INET6_ADDRSTRLEN + 8)

static_assert(offsetof(struct sockaddr_in, sin_port) ==
			      offsetof(struct sockaddr_in6, sin6_port) &&
		      sizeof(union weft_name) == 28 &&
		      sizeof(((struct sockaddr_in *)0)->sin_zero) == 8,
	      "both families");

static inline bool weft_name_is_ipv6(const union weft_name *n)
{
	return n->sa.sa_family == AF_INET6;
}

/* Returns whether the family of the name is IPv4 or IPv6. */
static inline bool weft_name_is_ip(const union weft_name *n)
{
	return n->sa.sa_family == AF_INET || weft_name_is_ipv6(n);
}

/* Returns the size of the sockaddr structure for the name's family. */
static inline socklen_t weft_name_bytes(const union weft_name *n)
{
	return weft_name_is_ipv6(n) ? sizeof(n->in6) : sizeof(n->in);
}

static inline bool weft_ip_is_ipv4(const struct weft_ip *ip)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(ip->byte, mapped, sizeof(mapped));
}

static inline struct weft_ip weft_name_ip(const union weft_name *n)
{
	struct weft_ip ip = { .byte = { [10] = 0xff, [11] = 0xff } };

	if (weft_name_is_ipv6(n))
		memcpy(ip.byte, &n->in6.sin6_addr, sizeof(ip.byte));
	else
		memcpy(ip.byte + 12, &n->in.sin_addr, 4);
	return ip;
}

/* Returns a name with this address and port; port is in network byte order. */
static inline union weft_name weft_name_make(struct weft_ip ip, in_port_t port)
{
	union weft_name n;

	memset(&n, 0, sizeof(n));
	n.in.sin_port = port;
	if (weft_ip_is_ipv4(&ip)) {
		n.in.sin_family = AF_INET;
		memcpy(&n.in.sin_addr, ip.byte + 12, 4);
	} else {
		n.in6.sin6_family = AF_INET6;
		memcpy(&n.in6.sin6_addr, ip.byte, sizeof(ip.byte));
	}
	return n;
}

static inline bool weft_name_same_host(const union weft_name *a,
				       const union weft_name *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return false;
	return weft_name_is_ipv6(a)
		       ? IN6_ARE_ADDR_EQUAL(&a->in6.sin6_addr,
					    &b->in6.sin6_addr)
		       : a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
}

static inline bool weft_name_equal(const union weft_name *a,
				   const union weft_name *b)
{
	return a->in.sin_port == b->in.sin_port && weft_name_same_host(a, b);
}

/*
 * Returns the key of a name for hash tables. Different IPv4 names have
 * different keys. Two IPv6 names may have the same key, so tables must compare
 * the names as well.
 */
static inline uint64_t weft_name_key(const union weft_name *n)
{
	uint64_t half[2];

	if (!weft_name_is_ipv6(n))
		return (uint64_t)n->in.sin_addr.s_addr << 16 | n->in.sin_port;
	memcpy(half, &n->in6.sin6_addr, sizeof(half));
	return weft_hash_mix(half[0] + n->in.sin_port) ^ half[1];
}

/* Returns whether the address is 0.0.0.0 or ::. */
static inline bool weft_name_is_any(const union weft_name *n)
{
	return weft_name_is_ipv6(n)
		       ? IN6_IS_ADDR_UNSPECIFIED(&n->in6.sin6_addr)
		       : n->in.sin_addr.s_addr == htonl(INADDR_ANY);
}

/* Returns whether the address is of 127.0.0.0/8, or ::1. */
static inline bool weft_name_is_loopback(const union weft_name *n)
{
	return weft_name_is_ipv6(n)
		       ? IN6_IS_ADDR_LOOPBACK(&n->in6.sin6_addr)
		       : ntohl(n->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Sets the address to 127.0.0.1 or ::1; keeps family and port. */
static inline void weft_name_set_loopback(union weft_name *n)
{
	if (weft_name_is_ipv6(n))
		n->in6.sin6_addr = in6addr_loopback;
	else
		n->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

/* Sets the address to 0.0.0.0 or ::; keeps family and port. */
static inline void weft_name_set_any(union weft_name *n)
{
	if (weft_name_is_ipv6(n))
		n->in6.sin6_addr = in6addr_any;
	else
		n->in.sin_addr.s_addr = htonl(INADDR_ANY);
}

static inline void weft_name_hint_set(union weft_name *n, uint64_t hint)
{
	if (!weft_name_is_ipv6(n)) {
		memcpy(n->in.sin_zero, &hint, sizeof(hint));
		return;
	}
	n->in6.sin6_flowinfo = (uint32_t)hint;
	n->in6.sin6_scope_id = (uint32_t)(hint >> 32);
}

static inline uint64_t weft_name_hint(const union weft_name *n)
{
	uint64_t hint;

	if (weft_name_is_ipv6(n))
		return (uint64_t)n->in6.sin6_scope_id << 32 |
		       n->in6.sin6_flowinfo;
	memcpy(&hint, n->in.sin_zero, sizeof(hint));
	return hint;
}

/*
 * Formats the address of a name, without the port, into `text`. Returns text.
 */
static inline const char *weft_name_host_text(const union weft_name *n,
					      char text[INET6_ADDRSTRLEN])
{
	const void *ip = weft_name_is_ipv6(n) ? (const void *)&n->in6.sin6_addr
					      : &n->in.sin_addr;

	if (!inet_ntop(n->sa.sa_family, ip, text, INET6_ADDRSTRLEN))
		strcpy(text, "?");
	return text;
}

/*
 * Formats a name, as 10.0.0.1:4711 or [fd00::1]:4711, into `text`. Returns
 * text.
 */
static inline const char *weft_name_text(const union weft_name *n,
					 char text[WEFT_NAME_TEXT])
{
	char host[INET6_ADDRSTRLEN];

	snprintf(text, WEFT_NAME_TEXT,
		 weft_name_is_ipv6(n) ? "[%s]:%u" : "%s:%u",
		 weft_name_host_text(n, host), ntohs(n->in.sin_port));
	return text;
}

/*
 * Parses a numeric address of either family; returns whether `text` is such an
 * address.
 */
static inline bool weft_ip_parse(const char *text, struct weft_ip *ip_p)
{
	union weft_name n;

	memset(&n, 0, sizeof(n));
	if (inet_pton(AF_INET, text, &n.in.sin_addr) == 1)
		n.sa.sa_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &n.in6.sin6_addr) == 1)
		n.sa.sa_family = AF_INET6;
	else
		return false;
	*ip_p = weft_name_ip(&n);
	return true;
}

#endif
