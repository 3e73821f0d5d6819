/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The benchmarks that are rows of coll_table.h, p2p_table.h and win_table.h, in
 * one program. The name of the program selects the row:
 *
 *   mpicc -O2 -o allreduce bench.c; mpiexec -n 2 ./allreduce -m 8:8
 *
 * If the program is named bench, its first argument selects the row; without
 * arguments it lists the names of all rows.
 */
#include "coll.h"
#include "p2p_table.h"
#include "win_table.h"

static void list_names(void)
{
	for (const struct coll *c = coll_table; c->name; c++)
		printf("%s i%s ", c->name, c->name);
	for (const struct pair_row *r = pair_table; r->name; r++)
		printf("%s ", r->name);
	for (const struct win_row *r = win_table; r->name; r++)
		printf("%s ", r->name);
	putchar('\n');
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	int rc;

	if (!strcmp(name, "bench")) {
		if (argc == 1) {
			list_names();
			return 0;
		}
		argc--;
		name = *++argv;
	}
	rc = bench_coll_main(argc, argv, name);
	if (rc < 0)
		rc = pair_main(argc, argv, name);
	if (rc < 0)
		rc = win_main(argc, argv, name);
	if (rc >= 0)
		return rc;
	fprintf(stderr, "bench: no benchmark %s; one of: ", name);
	list_names();
	return 2;
}
