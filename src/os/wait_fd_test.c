/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the descriptors on which threads block. */
#include "src/base/clock.h"
#include "src/os/wait_fd.h"
#include "test/t.h"

#define MS	UINT64_C(1000000)
#define LONG_NS UINT64_C(20000000000)

static int readable(int fd, uint64_t ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return weft_fd_poll(&p, 1, ns);
}

static void an_event_is_readable_from_set_to_clear(void **state)
{
	int fd = weft_event_fd_open();

	T_IS(readable(fd, 0), 0);
	weft_event_fd_set(fd);
	weft_event_fd_set(fd);
	T_IS(readable(fd, UINT64_MAX), 1);
	weft_event_fd_clear(fd);
	T_IS(readable(fd, 0), 0);
	weft_event_fd_clear(fd);
	weft_fd_close(&fd);
	T_IS(fd, -1);
	weft_fd_close(&fd);
}

static void a_timer_is_readable_at_its_time(void **state)
{
	int fd = weft_timer_fd_open();
	uint64_t at = weft_now_ns() + 2 * MS;

	weft_timer_fd_set(fd, at, 0);
	T_IS(readable(fd, LONG_NS), 1);
	T_TRUE(weft_now_ns() >= at);
	weft_timer_fd_set(fd, 0, 0);
	T_IS(readable(fd, 2 * MS), 0);
	weft_timer_fd_set(fd, 1, 0);
	T_IS(readable(fd, LONG_NS), 1);
	weft_fd_close(&fd);
}

static void a_poll_ends_by_its_timeout(void **state)
{
	int fd = weft_event_fd_open();
	uint64_t start = weft_now_ns();

	T_IS(readable(fd, 3 * MS), 0);
	T_TRUE(weft_now_ns() - start >= 3 * MS);
	weft_fd_close(&fd);
}

static void a_set_is_readable_if_one_of_its_members_is(void **state)
{
	int fd[2] = { weft_event_fd_open(), weft_event_fd_open() };
	int epoll = weft_epoll_open(fd, 2);

	T_IS(readable(epoll, 0), 0);
	weft_event_fd_set(fd[1]);
	T_IS(readable(epoll, 0), 1);
	T_OK(weft_epoll_add(epoll, fd[0]));
	weft_fd_close(&epoll);
	weft_fd_close(&fd[0]);
	fd[0] = -EMFILE;
	T_IS(weft_epoll_open(fd, 2), -EMFILE);
	weft_fd_close(&fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(an_event_is_readable_from_set_to_clear),
		T_CASE(a_timer_is_readable_at_its_time),
		T_CASE(a_poll_ends_by_its_timeout),
		T_CASE(a_set_is_readable_if_one_of_its_members_is),
	};

	return T_RUN(tests);
}
