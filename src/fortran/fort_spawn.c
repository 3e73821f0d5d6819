/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spawn: arrays of CHARACTER become arrays of strings. The last entry of a list
 * is blank.
 */
#include "src/fortran/fort.h"
#include "fort_have.h"

#include <stdlib.h>
#include <string.h>

#if FORT_HAVE_Comm_spawn

static int is_blank(const char *s, size_t n)
{
	while (n > 0 && s[n - 1] == ' ')
		n--;
	return n == 0;
}

/*
 * Returns an allocated copy of one string, without trailing blanks; NULL: no
 * memory.
 */
static char *copy_string(const char *s, size_t n)
{
	char *c;

	while (n > 0 && s[n - 1] == ' ')
		n--;
	c = malloc(n + 1);
	if (c) {
		memcpy(c, s, n);
		c[n] = 0;
	}
	return c;
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

/*
 * Returns the strings at s, s + step, ... up to the first blank one, or
 * exactly `count` of them if count is not 0. NULL: no memory.
 */
static char **list_of(const char *s, size_t n, size_t step, size_t count)
{
	size_t have = count;
	char **list;

	while (!count && !is_blank(s + have * step, n))
		have++;
	list = calloc(have + 1, sizeof(*list));
	for (size_t i = 0; list && i < have; i++) {
		list[i] = copy_string(s + i * step, n);
		if (!list[i]) {
			free_list(list);
			return NULL;
		}
	}
	return list;
}

static int *errcodes(int *codes)
{
	return fort_is_special(codes) ? MPI_ERRCODES_IGNORE : codes;
}

static void f_Comm_spawn(char *command, char *argv, int *maxprocs, int *info,
			 int *root, int *comm, int *intercomm, int *codes,
			 int *ierror, size_t command_n, size_t argv_n)
{
	int has = argv != &mpi_fort_strings_.argv_null;
	char **list = has ? list_of(argv, argv_n, argv_n, 0) : MPI_ARGV_NULL;
	MPI_Comm c = MPI_COMM_NULL;
	struct fort_mem m;
	char *name = fort_string(&m, command, command_n);
	int rc = has && !list ? MPI_ERR_NO_MEM
			      : FORT_C(Comm_spawn)(name, list, *maxprocs,
						   fort_Info(*info), *root,
						   fort_Comm(*comm), &c,
						   errcodes(codes));

	if (!rc)
		*intercomm = fort_Comm_int(c);
	free_list(list);
	fort_mem_end(&m);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Comm_spawn, mpi_comm_spawn)

/*
 * Returns the argument lists of all commands from argvs(count, *), whose first
 * index is the command; NULL: no memory.
 */
static char ***lists_of(const char *argvs, size_t n, size_t count)
{
	char ***all = calloc(count + 1, sizeof(*all));

	for (size_t i = 0; all && i < count; i++)
		all[i] = list_of(argvs + i * n, n, count * n, 0);
	return all;
}

static void free_lists(char ***all, size_t count)
{
	for (size_t i = 0; all && i < count; i++)
		free_list(all[i]);
	free(all);
}

static void f_Comm_spawn_multiple(int *count, char *commands, char *argvs,
				  int *maxprocs, int *infos, int *root,
				  int *comm, int *intercomm, int *codes,
				  int *ierror, size_t command_n, size_t argv_n)
{
	size_t n = *count > 0 ? (size_t)*count : 0;
	int has = argvs != &mpi_fort_strings_.argvs_null;
	char ***all = has ? lists_of(argvs, argv_n, n) : MPI_ARGVS_NULL;
	char **names = list_of(commands, command_n, command_n, n);
	MPI_Comm c = MPI_COMM_NULL;
	struct fort_mem m;
	MPI_Info *info = fort_mem(&m, n * sizeof(*info));
	int rc = MPI_ERR_NO_MEM;

	for (size_t i = 0; i < n; i++)
		info[i] = fort_Info(infos[i]);
	if (names && (all || !has))
		rc = FORT_C(Comm_spawn_multiple)(*count, names, all, maxprocs,
						 info, *root, fort_Comm(*comm),
						 &c, errcodes(codes));
	if (!rc)
		*intercomm = fort_Comm_int(c);
	free_lists(all, n);
	free_list(names);
	fort_mem_end(&m);
	fort_end(ierror, rc);
}
FORT_BOTH(f_Comm_spawn_multiple, mpi_comm_spawn_multiple)

#else
typedef int fort_no_spawn; /* ISO C forbids an empty source file */
#endif
