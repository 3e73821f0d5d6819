/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Published names of services, for the jobs of the same user on one host. A
 * published name is a Unix socket in the abstract namespace that the publisher
 * keeps open; the name of the socket contains a hash of the service and the
 * port:
 *
 *   @weft.1000.9ae16a3b2f90404f.weft:0badcafe:02002345...
 *
 * The kernel removes the name when the publisher exits. Sockets of other users
 * are ignored (boot_names_find.h), so no user can take the name of a service of
 * another one.
 */
#ifndef WEFT_BOOT_NAMES_H
#define WEFT_BOOT_NAMES_H

#include <stddef.h>

/*
 * Publishes the port of a service. Returns 0 or -errno; -EEXIST: the service is
 * published already; -ENAMETOOLONG: the port name is too long, so it is not a
 * port of Weft.
 */
int weft_names_publish(const char *service, const char *port);
/*
 * Removes a published name. Returns 0, or -ENOENT if this process has not
 * published this service with this port.
 */
int weft_names_unpublish(const char *service, const char *port);
/* Copies the published port of a service to `port`. Returns 0 or -ENOENT. */
int weft_names_lookup(const char *service, char *port, size_t room);

#endif
