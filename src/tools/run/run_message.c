/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of mpiexec, one write per line: ranks cannot split a line. */
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *host; /* host named in the messages; NULL: none */

void run_message_on(const char *name)
{
	host = name;
}

int run_write_all(int fd, const char *data, size_t len)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	while (len > 0) {
		n = write(fd, data, len);
		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

void run_message(const char *fmt, ...)
{
	char *text = NULL, *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	n = asprintf(&line, "mpiexec%s%s: %s\n", host ? " on " : "",
		     host ? host : "", text);
	free(text);
	if (n < 0)
		return;
	run_write_all(STDERR_FILENO, line, (size_t)n);
	free(line);
}
