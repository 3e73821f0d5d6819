/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the sockets of published names (boot_names_find.h). */
#include "src/boot/boot_names_find.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* UDIAG_SHOW_UID and UNIX_DIAG_UID, added in Linux 5.3 */
enum { SHOW_UID = 0x40, ATTR_UID = 7 };

/* Copies the rest of a name that begins with the prefix. */
static bool take(const struct boot_names_search *s, const char *name,
		 size_t len)
{
	size_t prefix = strlen(s->prefix);

	if (len < prefix || memcmp(name, s->prefix, prefix) ||
	    len - prefix >= s->room || memchr(name, '\0', len))
		return false;
	memcpy(s->rest, name + prefix, len - prefix);
	s->rest[len - prefix] = '\0';
	return true;
}

/* ---- sock_diag ----------------------------------------------------------- */

static int request_all(int fd)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req req;
	} m;

	memset(&m, 0, sizeof(m));
	m.head.nlmsg_len = sizeof(m);
	m.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	m.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	m.req.sdiag_family = AF_UNIX;
	m.req.udiag_states = ~0u;
	m.req.udiag_show = UDIAG_SHOW_NAME | SHOW_UID;
	return send(fd, &m, sizeof(m), 0) == sizeof(m) ? 0 : -EOPNOTSUPP;
}

/*
 * Reads the description of one socket. Returns 0 if it is the socket searched
 * for, 1 if it is another socket, -EOPNOTSUPP if the kernel does not report its
 * user.
 */
static int read_socket(const struct boot_names_search *s,
		       const struct nlmsghdr *h)
{
	const char *data = NLMSG_DATA(h), *name = NULL;
	const struct rtattr *a =
		(const void *)(data + sizeof(struct unix_diag_msg));
	int left = (int)h->nlmsg_len -
		   (int)NLMSG_LENGTH(sizeof(struct unix_diag_msg));
	size_t len = 0;
	bool has_uid = false;
	uint32_t uid = 0;

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == UNIX_DIAG_NAME) {
			name = RTA_DATA(a);
			len = RTA_PAYLOAD(a);
		} else if (a->rta_type == ATTR_UID &&
			   RTA_PAYLOAD(a) == sizeof(uid)) {
			memcpy(&uid, RTA_DATA(a), sizeof(uid));
			has_uid = true;
		}
	}
	if (left < 0 || !has_uid)
		return -EOPNOTSUPP;
	/* an abstract name begins with the byte 0 */
	if (uid != geteuid() || !len || *name)
		return 1;
	return take(s, name + 1, len - 1) ? 0 : 1;
}

int boot_names_read(const struct boot_names_search *s, const void *messages,
		    size_t bytes)
{
	const struct nlmsghdr *h = messages;
	int left = (int)bytes, rc = 1;

	for (; rc == 1 && NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return -ENOENT;
		if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		    h->nlmsg_len < NLMSG_LENGTH(sizeof(struct unix_diag_msg)))
			return -EOPNOTSUPP;
		rc = read_socket(s, h);
	}
	return rc;
}

int boot_names_ask(const struct boot_names_search *s)
{
	alignas(NLMSG_ALIGNTO) char buf[16384];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int rc = fd < 0 ? -EOPNOTSUPP : request_all(fd);
	ssize_t n;

	if (!rc)
		rc = 1;
	while (rc == 1) {
		/* the kernel has the answer ready before it returns */
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		rc = n > 0 ? boot_names_read(s, buf, (size_t)n) : -EOPNOTSUPP;
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* ---- /proc/net/unix ------------------------------------------------------ */

int boot_names_list(const struct boot_names_search *s, FILE *f)
{
	char line[256], *at;

	while (fgets(line, sizeof(line), f)) {
		at = strchr(line, '@');
		if (at && take(s, at + 1, strcspn(at + 1, "\n")))
			return 0;
	}
	return -ENOENT;
}

int boot_names_find(const struct boot_names_search *s)
{
	int rc = boot_names_ask(s);
	FILE *f = rc == -EOPNOTSUPP ? fopen("/proc/net/unix", "re") : NULL;

	if (f) {
		rc = boot_names_list(s, f);
		fclose(f);
	}
	return rc ? -ENOENT : 0;
}
