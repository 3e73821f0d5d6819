/* SPDX-License-Identifier: BSD-3-Clause */
/* Published names of services, as abstract sockets (boot_names.h). */
#include "src/boot/boot_names.h"

#include "src/base/list.h"
#include "src/boot/boot_names_find.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * maximum size of a socket's name, without the leading zero byte, but with the
 * terminating one
 */
enum { NAME_ROOM = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

struct published {
	struct weft_list link;
	int fd;
	char name[NAME_ROOM];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list all = { &all, &all };

static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return h;
}

/*
 * Writes the name of the socket for a service and its port. Returns 0 or
 * -ENAMETOOLONG.
 */
static int socket_name(char name[NAME_ROOM], const char *service,
		       const char *port)
{
	int n = snprintf(name, NAME_ROOM, "weft.%u.%016" PRIx64 ".%s",
			 (unsigned)geteuid(), hash(service), port);

	return n < NAME_ROOM ? 0 : -ENAMETOOLONG;
}

int weft_names_lookup(const char *service, char *port, size_t room)
{
	char prefix[NAME_ROOM];
	const struct boot_names_search s = { prefix, port, room };

	return socket_name(prefix, service, "") ? -ENOENT : boot_names_find(&s);
}

static int bind_socket(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return -errno;
	memcpy(addr.sun_path + 1, name, len);
	if (!bind(fd, (struct sockaddr *)&addr,
		  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			      len)))
		return fd;
	rc = errno == EADDRINUSE ? -EEXIST : -errno;
	close(fd);
	return rc;
}

int weft_names_publish(const char *service, const char *port)
{
	struct published *p = calloc(1, sizeof(*p));
	char found[NAME_ROOM];
	int rc = p ? socket_name(p->name, service, port) : -ENOMEM;

	pthread_mutex_lock(&lock);
	if (!rc && !weft_names_lookup(service, found, sizeof(found)))
		rc = -EEXIST;
	if (!rc) {
		p->fd = bind_socket(p->name);
		rc = p->fd < 0 ? p->fd : 0;
	}
	if (!rc)
		weft_list_push_back(&all, &p->link);
	pthread_mutex_unlock(&lock);
	if (rc)
		free(p);
	return rc;
}

int weft_names_unpublish(const char *service, const char *port)
{
	struct weft_list *pos, *tmp;
	char name[NAME_ROOM];
	int rc = -ENOENT;

	if (socket_name(name, service, port))
		return -ENOENT;
	pthread_mutex_lock(&lock);
	weft_list_each(pos, tmp, &all) {
		struct published *p =
			weft_container_of(pos, struct published, link);

		if (rc && !strcmp(p->name, name)) {
			weft_list_remove(&p->link);
			close(p->fd);
			free(p);
			rc = 0;
		}
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
