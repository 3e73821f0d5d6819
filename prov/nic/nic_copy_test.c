/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies that use the host's copy loop (src/base/copy.h): the sender's copy
 * into a cell and the receiver's copy out of it, up to the length configured
 * for the endpoint.
 */
#include "test/support/loops.h"
#include "test/support/nic_pair.h"

/* Returns how many copies of one message used the copy loop. */
static unsigned loops_of(struct world *w, size_t len)
{
	static char out[8192], in[8192];
	unsigned a = w->a.completions, b = w->b.completions;

	t_fill(out, len, len);
	memset(in, 0, sizeof(in));
	post_recv(&w->b, in, sizeof(in), 1, WEFT_MATCH_ANY);
	loops = 0;
	post_send(w, &w->a, out, len, 1, 0);
	poll_until(w, &w->a, a + 1);
	poll_until(w, &w->b, b + 1);
	T_IS(w->b.completion[b].len, len);
	T_IS(t_differs(in, len, len), -1);
	return loops;
}

static void the_copy_loop_is_used_up_to_the_configured_length(void **state)
{
	static const size_t most[] = { 0, 1024, 2048, 4096 };
	static const size_t len[] = { 600,  1023, 1024, 1025, 2048,
				      2049, 4096, 4097, 8192 };

	for (unsigned i = 0; i < 4; i++) {
		const struct grid g = { .machine = "native",
					.carrier = &weft_carrier_shm,
					.host_loop = most[i] };
		struct world *w = world_open(&g);

		for (unsigned k = 0; k < sizeof(len) / sizeof(*len); k++)
			T_IS(loops_of(w, len[k]), len[k] <= most[i] ? 2 : 0);
		world_close(w);
	}
}

static void the_copy_loop_is_not_used_below_512_bytes(void **state)
{
	const struct grid g = { .machine = "native",
				.carrier = &weft_carrier_shm,
				.host_loop = 4096 };
	struct world *w = world_open(&g);

	T_IS(loops_of(w, 8), 0);
	T_IS(loops_of(w, 511), 0);
	world_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_copy_loop_is_used_up_to_the_configured_length),
		T_CASE(the_copy_loop_is_not_used_below_512_bytes),
	};

	return T_RUN(tests);
}
