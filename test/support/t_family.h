/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Family of the addresses of a test: T_FAMILY=inet6 selects IPv6.
 * test/prov/prov_ipv6.sh sets this variable to repeat tests with IPv6.
 */
#ifndef WEFT_TEST_FAMILY_H
#define WEFT_TEST_FAMILY_H

#include "prov/wire/wire_name.h"

#include <stdlib.h>

static inline sa_family_t t_family(void)
{
	const char *text = getenv("T_FAMILY");

	return text && !strcmp(text, "inet6") ? AF_INET6 : AF_INET;
}

/* Returns 127.0.0.1 or ::1, with port 0. */
static inline union weft_name t_loopback(void)
{
	union weft_name name;

	memset(&name, 0, sizeof(name));
	name.sa.sa_family = t_family();
	weft_name_set_loopback(&name);
	return name;
}

#endif
