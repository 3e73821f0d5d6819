/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of coll_table.h. */
#include "coll.h"

int main(int argc, char **argv)
{
	return bench_coll_main(argc, argv, "reduce");
}
