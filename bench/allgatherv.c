/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark of allgatherv: its row of coll_table.h, run by coll.h. */
#include "coll.h"

int main(int argc, char **argv)
{
	return bench_coll_main(argc, argv, "allgatherv");
}
