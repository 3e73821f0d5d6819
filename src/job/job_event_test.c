/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the events that members send to their launcher. */
#include "src/job/job_event.h"
#include "test/t.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int end[2]; /* reading and writing end */

static int open_pipe(void **state)
{
	return pipe2(end, O_CLOEXEC | O_NONBLOCK);
}

static int close_pipe(void **state)
{
	close(end[0]);
	close(end[1]);
	return 0;
}

static void events_are_read_in_order(void **state)
{
	struct weft_job_event ev;

	T_OK(weft_job_event_send(end[1], WEFT_JOB_STARTED, 3, 0, NULL));
	T_OK(weft_job_event_send(end[1], WEFT_JOB_ABORTED, 3, 17, "why"));
	T_OK(weft_job_event_next(end[0], &ev));
	T_IS(ev.kind, WEFT_JOB_STARTED);
	T_IS(ev.member, 3);
	T_IS(ev.text[0], 0);
	T_OK(weft_job_event_next(end[0], &ev));
	T_IS(ev.kind, WEFT_JOB_ABORTED);
	T_IS(ev.code, 17);
	T_OK(strcmp(ev.text, "why"));
	T_IS(weft_job_event_next(end[0], &ev), -EAGAIN);
}

static void long_text_is_cut(void **state)
{
	struct weft_job_event ev;
	char text[4096];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	T_OK(weft_job_event_send(end[1], WEFT_JOB_ABORTED, 0, 1, text));
	T_OK(weft_job_event_next(end[0], &ev));
	T_IS(strlen(ev.text), sizeof(ev.text) - 1);
}

/* Returns a valid event. */
static struct weft_job_event valid(void)
{
	struct weft_job_event ev;

	T_OK(weft_job_event_send(end[1], WEFT_JOB_LEFT, 0, 0, NULL));
	T_IS(read(end[0], &ev, sizeof(ev)), (ssize_t)sizeof(ev));
	return ev;
}

static void other_bytes_are_refused(void **state)
{
	struct weft_job_event ev = valid(), got = ev;

	T_IS(write(end[1], &ev, 64), 64);
	T_IS(weft_job_event_next(end[0], &got), -EPROTO);
	ev.magic++;
	T_IS(write(end[1], &ev, sizeof(ev)), (ssize_t)sizeof(ev));
	T_IS(weft_job_event_next(end[0], &got), -EPROTO);
	ev = valid();
	memset(ev.text, 'x', sizeof(ev.text));
	T_IS(write(end[1], &ev, sizeof(ev)), (ssize_t)sizeof(ev));
	T_IS(weft_job_event_next(end[0], &got), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_are_read_in_order,
						open_pipe, close_pipe),
		cmocka_unit_test_setup_teardown(long_text_is_cut, open_pipe,
						close_pipe),
		cmocka_unit_test_setup_teardown(other_bytes_are_refused,
						open_pipe, close_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
