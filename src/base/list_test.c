/* SPDX-License-Identifier: BSD-3-Clause */
#include "test/t.h"
#include "src/base/list.h"

static void header_compiles(void **state)
{
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = { T_CASE(header_compiles) };

	return T_RUN(tests);
}
