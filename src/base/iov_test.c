/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of gathering and scattering segments. */
#include "src/base/iov.h"
#include "test/t.h"

static void gather_keeps_the_order_and_counts_bytes(void **state)
{
	char a[] = "one", b[] = "two", all[8] = "";
	struct iovec iov[] = { { a, 3 }, { b, 3 } };

	T_IS(weft_iov_gather(all, iov, 2), 6);
	T_STR(all, "onetwo");
}

static void scatter_fills_segments_in_order(void **state)
{
	char a[4] = "", b[3] = "";
	struct iovec iov[] = { { a, 3 }, { b, 2 } };

	weft_iov_scatter(iov, 2, "wefts");
	T_STR(a, "wef");
	T_STR(b, "ts");
}

static void an_empty_segment_needs_no_address(void **state)
{
	char a[] = "x", all[2] = "";
	struct iovec iov[] = { { NULL, 0 }, { a, 1 }, { NULL, 0 } };

	T_IS(weft_iov_gather(all, iov, 3), 1);
	T_STR(all, "x");
	weft_iov_scatter(iov, 3, "y");
	T_STR(a, "y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(gather_keeps_the_order_and_counts_bytes),
		T_CASE(scatter_fills_segments_in_order),
		T_CASE(an_empty_segment_needs_no_address),
	};

	return T_RUN(tests);
}
