/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FI_WEFT_COPY_LOOP_MAX is applied to the endpoint: messages up to that length
 * are not copied by the C library's memcpy, which this program replaces.
 */
#include "test/prov/prov_job.h"

#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define LEN 1536 /* length of the messages, used for no other copy */

static weft_au32 calls;

/*
 * Counts copies of LEN bytes. The compiler assumes that the buffers overlap, so
 * it does not replace the loop by a call of memcpy.
 */
WEFT_EXPORT void *memcpy(void *to, const void *from, size_t len)
{
	if (len == LEN)
		weft_add32(&calls, 1);
	return memmove(to, from, len);
}

/*
 * Each rank sends one message to a posted receive and checks the number of
 * memcpy() calls.
 */
static void calls_are(struct job *j, uint32_t count)
{
	static char out[LEN], in[LEN];

	t_fill(out, LEN, (uint64_t)j->rank);
	/* set before the barrier, since the other rank may send first */
	weft_store32(&calls, 0);
	job_trecv(j, !j->rank, in, LEN, 1, 0, in);
	job_barrier(j);
	job_tsend(j, !j->rank, out, LEN, 1, out);
	job_wait_any(j, 2);
	job_check(j, weft_load32(&calls) == count, "calls of memcpy",
		  (long)weft_load32(&calls));
	job_check(j, t_differs(in, LEN, !j->rank) < 0, "content", 0);
	job_barrier(j);
}

static void body_called(struct job *j)
{
	calls_are(j, 2);
}

static void body_looped(struct job *j)
{
	calls_are(j, 0);
}

static void the_copy_loop_limit_is_read_from_the_environment(void **state)
{
	unsetenv("FI_WEFT_COPY_LOOP_MAX");
	job_run(2, body_called, NULL);
	setenv("FI_WEFT_COPY_LOOP_MAX", "0", 1);
	job_run(2, body_called, NULL);
	setenv("FI_WEFT_COPY_LOOP_MAX", "1535", 1);
	job_run(2, body_called, NULL);
	setenv("FI_WEFT_COPY_LOOP_MAX", "1536", 1);
	job_run(2, body_looped, NULL);
	unsetenv("FI_WEFT_COPY_LOOP_MAX");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_copy_loop_limit_is_read_from_the_environment),
	};

	return T_RUN(tests);
}
