/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for published names: sockets of another user and names made to
 * deceive it are ignored, and malformed lists of sockets are refused.
 */
#include "src/boot/boot_names.h"
#include "src/boot/boot_names_find.h"

#include "test/support/fuzz.h"
#include "test/t.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "weft.test."

enum { ROOM = 2048, ATTR_UID = 7, UID_OTHER = 65534 };

static char rest[64];
static const struct boot_names_search search = { PREFIX, rest, sizeof(rest) };

/* ---- sockets ------------------------------------------------------------- */

static int bind_name(const char *name, size_t len)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path + 1, name, len);
	if (fd >= 0 &&
	    bind(fd, (struct sockaddr *)&at,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)))
		return -1;
	return fd;
}

/* Copies the name of the socket of a service while it is published. */
static void published_name(const char *service, const char *port, char *name,
			   size_t room)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[256], *at;

	T_NOT_NULL(f);
	T_OK(weft_names_publish(service, port));
	*name = '\0';
	while (fgets(line, sizeof(line), f))
		if ((at = strchr(line, '@')) && strstr(at, port))
			snprintf(name, room, "%.*s", (int)strcspn(at + 1, "\n"),
				 at + 1);
	fclose(f);
	T_OK(weft_names_unpublish(service, port));
	T_TRUE(*name);
}

/* Runs as another user: owns a socket of that name until `end` is closed. */
static void squat(const char *name, int ready, int end)
{
	char byte =
		(char)(setuid(UID_OTHER) || bind_name(name, strlen(name)) < 0);

	_exit(write(ready, &byte, 1) != 1 || read(end, &byte, 1) != 0);
}

/* Another user has a socket with the name that the service would have. */
static void sockets_of_other_users_are_ignored(void **state)
{
	char service[64], name[128], mine[64], port[128], byte;
	int ready[2], end[2], status;
	pid_t pid;

	if (geteuid() || boot_names_ask(&search) == -EOPNOTSUPP)
		skip();
	snprintf(service, sizeof(service), "squatted %d", (int)getpid());
	/* a port that no other job has */
	snprintf(mine, sizeof(mine), "weft:%08x:0200", (unsigned)getpid());
	published_name(service, mine, name, sizeof(name));
	T_OK(pipe(ready));
	T_OK(pipe(end));
	pid = fork();
	if (!pid) {
		close(end[1]);
		squat(name, ready[1], end[0]);
	}
	T_IS(read(ready[0], &byte, 1), 1);
	T_OK(byte);
	T_IS(weft_names_lookup(service, port, sizeof(port)), -ENOENT);
	T_OK(weft_names_publish(service, "weft:9"));
	T_OK(weft_names_lookup(service, port, sizeof(port)));
	T_STR(port, "weft:9");
	T_OK(weft_names_unpublish(service, "weft:9"));
	close(end[1]);
	T_IS(waitpid(pid, &status, 0), pid);
	T_OK(status);
	close(end[0]);
	close(ready[0]);
	close(ready[1]);
}

/*
 * A name that contains the bytes of a line of /proc/net/unix is not taken for
 * such a line.
 */
static void names_are_not_read_as_lines(void **state)
{
	static const char name[] =
		"x\n0: 00000002 00000000 00000000 0002 01 1 @" PREFIX "forged";
	static const char zero[] = PREFIX "a\0b";
	int fd = bind_name(name, sizeof(name) - 1), rc;
	int fd2 = bind_name(zero, sizeof(zero) - 1);

	T_TRUE(fd >= 0 && fd2 >= 0);
	rc = boot_names_ask(&search);
	close(fd);
	close(fd2);
	if (rc == -EOPNOTSUPP)
		skip();
	T_IS(rc, -ENOENT);
}

/* ---- messages of the kernel ---------------------------------------------- */

static size_t add_attr(char *at, unsigned short type, const void *data,
		       size_t len)
{
	const struct rtattr a = { (unsigned short)RTA_LENGTH(len), type };

	memcpy(at, &a, sizeof(a));
	memcpy(at + RTA_LENGTH(0), data, len);
	return RTA_SPACE(len);
}

/* Appends the description of a socket; name NULL: a socket without a name. */
static size_t add_socket(char *at, const char *name, uint32_t uid)
{
	const struct unix_diag_msg u = { .udiag_family = AF_UNIX };
	struct nlmsghdr h = { .nlmsg_type = SOCK_DIAG_BY_FAMILY };
	char path[64] = "";
	const uint8_t shut = 0;
	size_t n = NLMSG_SPACE(sizeof(u));

	memcpy(at + NLMSG_HDRLEN, &u, sizeof(u));
	if (name) {
		memcpy(path + 1, name, strlen(name));
		n += add_attr(at + n, UNIX_DIAG_NAME, path, strlen(name) + 1);
	}
	n += add_attr(at + n, UNIX_DIAG_SHUTDOWN, &shut, 1);
	n += add_attr(at + n, ATTR_UID, &uid, sizeof(uid));
	h.nlmsg_len = (uint32_t)n;
	memcpy(at, &h, sizeof(h));
	return n;
}

static size_t add_end(char *at)
{
	const struct nlmsghdr h = { .nlmsg_len = NLMSG_SPACE(4),
				    .nlmsg_type = NLMSG_DONE };

	memset(at, 0, NLMSG_SPACE(4));
	memcpy(at, &h, sizeof(h));
	return NLMSG_SPACE(4);
}

static void the_socket_of_this_user_is_found(void **state)
{
	const uint32_t me = geteuid();
	_Alignas(8) char buf[ROOM];
	size_t n = 0;

	n += add_socket(buf + n, NULL, me);
	n += add_socket(buf + n, PREFIX "theirs", me + 1);
	n += add_socket(buf + n, "weft.tes", me);
	n += add_socket(buf + n, "weft.text.other", me);
	T_IS(boot_names_read(&search, buf, n), 1);
	T_IS(boot_names_read(&search, buf, n + add_end(buf + n)), -ENOENT);
	n += add_socket(buf + n, PREFIX "mine", me);
	T_OK(boot_names_read(&search, buf, n));
	T_STR(rest, "mine");
	/* if two names match, the first one is returned */
	n += add_socket(buf + n, PREFIX "second", me);
	n += add_end(buf + n);
	T_OK(boot_names_read(&search, buf, n));
	T_STR(rest, "mine");
}

/*
 * A Linux kernel before 5.3 reports no users; a kernel without unix_diag
 * reports an error.
 */
static void kernels_that_report_no_users_are_recognized(void **state)
{
	const uint32_t me = geteuid();
	_Alignas(8) char buf[ROOM];
	struct nlmsghdr h;
	size_t n = add_socket(buf, PREFIX "mine", me);

	memcpy(&h, buf, sizeof(h));
	h.nlmsg_len -= (uint32_t)RTA_SPACE(sizeof(me));
	memcpy(buf, &h, sizeof(h));
	T_IS(boot_names_read(&search, buf, n), -EOPNOTSUPP);
	h.nlmsg_len = NLMSG_LENGTH(sizeof(struct nlmsgerr));
	h.nlmsg_type = NLMSG_ERROR;
	memcpy(buf, &h, sizeof(h));
	T_IS(boot_names_read(&search, buf, n), -EOPNOTSUPP);
}

static void names_longer_than_the_buffer_are_ignored(void **state)
{
	const struct boot_names_search s = { PREFIX, rest, 5 };
	_Alignas(8) char buf[ROOM];

	T_OK(boot_names_read(&s, buf,
			     add_socket(buf, PREFIX "four", geteuid())));
	T_STR(rest, "four");
	T_IS(boot_names_read(&s, buf,
			     add_socket(buf, PREFIX "fives", geteuid())),
	     1);
}

static void changed_messages_are_refused_or_read(void **state)
{
	static const size_t attr = NLMSG_SPACE(sizeof(struct unix_diag_msg));
	const struct fuzz_field fields[] = {
		FUZZ_FIELD(struct nlmsghdr, nlmsg_len, 0),
		FUZZ_FIELD(struct nlmsghdr, nlmsg_type, 0),
		{ (uint16_t)attr, 2 },	     /* length of the name */
		{ (uint16_t)(attr + 2), 2 }, /* type of the attribute */
		{ (uint16_t)(attr + 4), 1 },
		{ (uint16_t)(attr + RTA_SPACE(sizeof(PREFIX "mine"))), 2 },
	};
	int rounds = fuzz_rounds(20000), found = 0, refused = 0;
	struct fuzz f;

	fuzz_init(&f, 36);
	for (int i = 0; i < rounds; i++) {
		char *buf = malloc(ROOM), *exact;
		size_t n;
		int rc;

		T_NOT_NULL(buf);
		n = add_socket(buf, PREFIX "mine", geteuid());
		n += add_socket(buf + n, PREFIX "later", geteuid());
		n += add_end(buf + n);
		n = fuzz_message(&f, buf, n, ROOM, fields,
				 sizeof(fields) / sizeof(fields[0]));
		/* exact size: AddressSanitizer detects reads beyond the end */
		exact = realloc(buf, n + !n);
		memset(rest, 1, sizeof(rest));
		rc = boot_names_read(&search, exact, n);
		free(exact);
		T_TRUE(rc == 0 || rc == 1 || rc == -ENOENT ||
		       rc == -EOPNOTSUPP);
		if (!rc)
			T_NOT_NULL(memchr(rest, '\0', sizeof(rest)));
		else
			T_IS(rest[0], 1);
		found += !rc;
		refused += rc == -EOPNOTSUPP;
	}
	T_TRUE(found > rounds / 20 && refused > rounds / 20);
}

/* ---- /proc/net/unix ------------------------------------------------------ */

static int list_of(const char *text, size_t len)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, len, "r");
	int rc;

	T_NOT_NULL(f);
	rc = boot_names_list(&search, f);
	fclose(f);
	return rc;
}

static const char list[] =
	"Num       RefCount Protocol Flags    Type St Inode Path\n"
	"0: 00000002 00000000 00010000 0001 01 20001 /run/dbus/socket\n"
	"0: 00000002 00000000 00000000 0002 01 20002\n"
	"0: 00000002 00000000 00000000 0002 01 20003 @weft.tes\n"
	"0: 00000002 00000000 00000000 0002 01 20004 @" PREFIX "mine\n"
	"0: 00000002 00000000 00000000 0002 01 20005 @" PREFIX "later\n";

static void the_name_is_found_in_the_list(void **state)
{
	T_OK(list_of(list, sizeof(list) - 1));
	T_STR(rest, "mine");
	/* the last line has no end */
	T_OK(list_of(list, strlen(list) - 1));
	T_IS(list_of(list, strcspn(list, "@")), -ENOENT);
}

static void changed_lists_are_read(void **state)
{
	int rounds = fuzz_rounds(5000), found = 0;
	char text[2048];
	struct fuzz f;

	fuzz_init(&f, 37);
	for (int i = 0; i < rounds; i++) {
		int rc;

		memcpy(text, list, sizeof(list));
		for (int k = 0; k < 3; k++)
			fuzz_text(&f, text, sizeof(text));
		if (!*text)
			continue;
		memset(rest, 1, sizeof(rest));
		rc = list_of(text, strlen(text));
		T_TRUE(rc == 0 || rc == -ENOENT);
		if (!rc)
			T_NOT_NULL(memchr(rest, '\0', sizeof(rest)));
		found += !rc;
	}
	T_TRUE(found > rounds / 2 && found < rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(sockets_of_other_users_are_ignored),
		T_CASE(names_are_not_read_as_lines),
		T_CASE(the_socket_of_this_user_is_found),
		T_CASE(kernels_that_report_no_users_are_recognized),
		T_CASE(names_longer_than_the_buffer_are_ignored),
		T_CASE(changed_messages_are_refused_or_read),
		T_CASE(the_name_is_found_in_the_list),
		T_CASE(changed_lists_are_read),
	};

	return T_RUN(tests);
}
