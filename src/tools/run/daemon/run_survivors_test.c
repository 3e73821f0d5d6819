/* SPDX-License-Identifier: BSD-3-Clause */
/* Exits of ranks in a job on several hosts that survives failures. */
#include "src/tools/run/daemon/run_survivors.h"
#include "test/t.h"

#include <errno.h>
#include <string.h>

static struct run_layout layout;
static struct run_survivors s;

/* Ranks 0 and 1 are on host a, ranks 2 and 3 on host b. */
static int setup(void **state)
{
	struct run_hosts h = { 0 };

	T_OK(run_hosts_list("-host", "a:2,b:2", &h));
	T_OK(run_layout_make(&h, 0, 4, &layout));
	T_OK(run_survivors_open(&s, &layout));
	run_hosts_free(&h);
	return 0;
}

static int teardown(void **state)
{
	run_survivors_close(&s);
	run_layout_free(&layout);
	return 0;
}

/* A host reports the exit of a rank; returns the rank or -errno. */
static int take(int host, uint32_t rank, uint32_t code)
{
	struct run_bytes b = { 0 };
	struct run_scan body;
	int got = -1, rc;

	run_bytes_u32(&b, rank);
	run_bytes_u32(&b, code);
	body = (struct run_scan){ .at = b.data, .left = b.len };
	rc = run_survivors_take(&s, host, &body, &got);
	if (rc >= 0)
		T_IS(got, code);
	run_bytes_free(&b);
	return rc;
}

static void exits_are_checked(void **state)
{
	struct run_scan empty = { .left = 0 };
	int code;

	T_IS(take(1, 4, 0), -EPROTO);
	T_IS(take(1, UINT32_MAX, 0), -EPROTO);
	T_IS(take(0, 2, 0), -EPROTO);
	T_IS(take(1, 2, 256), -EPROTO);
	T_IS(run_survivors_take(&s, 0, &empty, &code), -EPROTO);
	T_IS(take(1, 2, 255), 2);
	T_IS(take(1, 2, 0), -EPROTO);
	T_IS(s.failures, 1);
	run_survivors_close(&s);
	T_IS(take(0, 0, 0), -EPROTO);
}

static void the_first_failure_counts_if_all_have_failed(void **state)
{
	T_IS(take(1, 3, 7), 3);
	T_IS(take(1, 2, 8), 2);
	T_IS(take(0, 0, 9), 0);
	T_FALSE(run_survivors_none(&s));
	T_IS(run_survivors_code(&s), 0);
	T_IS(take(0, 1, 10), 1);
	T_TRUE(run_survivors_none(&s));
	T_IS(run_survivors_code(&s), 7);
}

static void an_exit_after_finalize_counts_more(void **state)
{
	T_IS(take(0, 0, 9), 0);
	s.after = 3;
	T_IS(run_survivors_code(&s), 3);
}

static int lost[4], losses;

static void lose(void *arg, int rank, int code)
{
	T_IS(code, 5);
	lost[losses++] = rank;
}

/* Ranks that have exited before the loss of their host are not reported. */
static void ranks_of_a_lost_host_have_failed(void **state)
{
	losses = 0;
	T_IS(take(1, 2, 0), 2);
	run_survivors_lose_host(&s, 1, 5, lose, NULL);
	T_IS(losses, 1);
	T_IS(lost[0], 3);
	T_IS(s.failures, 1);
	T_IS(s.first, 5);
	run_survivors_lose_host(&s, 1, 5, lose, NULL);
	T_IS(losses, 1);
	run_survivors_lose_host(&s, 0, 5, lose, NULL);
	T_IS(losses, 3);
	T_IS(lost[1], 0);
	T_FALSE(run_survivors_none(&s));
}

/*
 * The report of an exit, as it is written for the other hosts, is read with the
 * same rank and code.
 */
static void exits_are_read_as_written(void **state)
{
	struct run_bytes b = { 0 };
	struct run_scan body;
	int code;

	run_survivors_write(3, 17, &b);
	body = (struct run_scan){ .at = b.data, .left = b.len };
	T_IS(run_survivors_take(&s, 1, &body, &code), 3);
	T_IS(code, 17);
	run_bytes_free(&b);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(exits_are_checked),
		EACH(the_first_failure_counts_if_all_have_failed),
		EACH(an_exit_after_finalize_counts_more),
		EACH(ranks_of_a_lost_host_have_failed),
		EACH(exits_are_read_as_written),
	};

	return T_RUN(tests);
}
