/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that the members of a job report to their launcher through a pipe. An
 * event is shorter than PIPE_BUF, so the kernel writes it atomically. The
 * launcher reads the events of a member in the order in which they were sent,
 * and before it detects the exit of the member.
 */
#ifndef WEFT_JOB_EVENT_H
#define WEFT_JOB_EVENT_H

#include <stdint.h>

enum weft_job_event_kind {
	WEFT_JOB_STARTED = 1, /* the member has started the library */
	WEFT_JOB_LEFT,	      /* the member has closed the library */
	WEFT_JOB_ABORTED, /* the member ends the job, with a code and a text */
};

struct weft_job_event {
	uint32_t magic;
	uint32_t kind;
	uint32_t member;
	int32_t code;
	char text[1008]; /* terminated by 0 */
};

/* Writes an event; text that is too long is truncated. Returns 0 or -errno. */
int weft_job_event_send(int fd, enum weft_job_event_kind kind, uint32_t member,
			int code, const char *text);
/*
 * Reads the next event from a nonblocking descriptor. Returns 0; -EAGAIN: there
 * is none; -EPROTO: the bytes that were read are not an event.
 */
int weft_job_event_next(int fd, struct weft_job_event *ev);

#endif
