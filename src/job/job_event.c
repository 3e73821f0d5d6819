/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of members for their launcher (job_event.h). */
#include "src/job/job_event.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EVENT_MAGIC 0x746e7665u /* ASCII "evnt" */

static_assert(sizeof(struct weft_job_event) <= PIPE_BUF, "written whole");

int weft_job_event_send(int fd, enum weft_job_event_kind kind, uint32_t member,
			int code, const char *text)
{
	struct weft_job_event ev = { .magic = EVENT_MAGIC,
				     .kind = kind,
				     .member = member,
				     .code = code };
	ssize_t n;

	if (text)
		snprintf(ev.text, sizeof(ev.text), "%s", text);
	do
		n = write(fd, &ev, sizeof(ev));
	while (n < 0 && errno == EINTR);
	return n == sizeof(ev) ? 0 : -errno;
}

int weft_job_event_next(int fd, struct weft_job_event *ev)
{
	ssize_t n;

	do
		n = read(fd, ev, sizeof(*ev));
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return -EAGAIN;
	if (n != sizeof(*ev) || ev->magic != EVENT_MAGIC ||
	    memchr(ev->text, 0, sizeof(ev->text)) == NULL)
		return -EPROTO;
	return 0;
}
