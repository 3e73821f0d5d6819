/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Out of memory: each operation is repeated while its k-th allocation fails,
 * for k = 1, 2, ... until none fails. It returns an error or succeeds, but
 * never crashes, and succeeds again when memory is available.
 */
#include "mpi_t.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static __thread long left; /* allocations until one fails; 0: none fails */
static long failures;
static const char *what; /* name of the operation, for a debugger */

static int fails(void)
{
	if (!left || --left)
		return 0;
	failures++;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

/* ---- operations: each returns an error code ---- */

static MPI_Comm self;

static int duplicate(void)
{
	MPI_Comm c = MPI_COMM_NULL;
	int rc = MPI_Comm_dup(self, &c);

	left = 0;
	if (c != MPI_COMM_NULL)
		MPI_Comm_free(&c);
	return rc;
}

static int split(void)
{
	MPI_Comm c = MPI_COMM_NULL;
	int rc = MPI_Comm_split(self, 1, 0, &c);

	left = 0;
	if (c != MPI_COMM_NULL)
		MPI_Comm_free(&c);
	return rc;
}

static int cart(void)
{
	int dims[] = { 1, 1 }, periods[] = { 0, 1 };
	MPI_Comm c = MPI_COMM_NULL;
	int rc = MPI_Cart_create(self, 2, dims, periods, 0, &c);

	left = 0;
	if (c != MPI_COMM_NULL)
		MPI_Comm_free(&c);
	return rc;
}

static int adjacent(void)
{
	int me = 0;
	MPI_Comm c = MPI_COMM_NULL;
	int rc = MPI_Dist_graph_create_adjacent(self, 1, &me, &me, 1, &me, &me,
						MPI_INFO_NULL, 0, &c);

	left = 0;
	if (c != MPI_COMM_NULL)
		MPI_Comm_free(&c);
	return rc;
}

static int group(void)
{
	int ranks[] = { 0 };
	MPI_Group g = MPI_GROUP_NULL, h = MPI_GROUP_NULL;
	int rc = MPI_Comm_group(self, &g);

	if (!rc)
		rc = MPI_Group_incl(g, 1, ranks, &h);
	left = 0;
	if (!rc)
		MPI_Group_free(&h);
	if (g != MPI_GROUP_NULL)
		MPI_Group_free(&g);
	return rc;
}

static int type(void)
{
	int lengths[] = { 1, 3 };
	MPI_Aint at[] = { 0, 16 };
	MPI_Datatype t = MPI_DATATYPE_NULL, u = MPI_DATATYPE_NULL;
	int rc = MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &t);

	if (!rc)
		rc = MPI_Type_vector(3, 2, 5, t, &u);
	if (!rc)
		rc = MPI_Type_commit(&u);
	left = 0;
	if (t != MPI_DATATYPE_NULL)
		MPI_Type_free(&t);
	if (u != MPI_DATATYPE_NULL)
		MPI_Type_free(&u);
	return rc;
}

static int info(void)
{
	MPI_Info i = MPI_INFO_NULL, k = MPI_INFO_NULL;
	int rc = MPI_Info_create(&i);

	if (!rc)
		rc = MPI_Info_set(i, "key", "value");
	if (!rc)
		rc = MPI_Info_set(i, "key", "another value");
	if (!rc)
		rc = MPI_Info_dup(i, &k);
	left = 0;
	if (k != MPI_INFO_NULL)
		MPI_Info_free(&k);
	if (i != MPI_INFO_NULL)
		MPI_Info_free(&i);
	return rc;
}

static int window(void)
{
	static int memory[4];
	MPI_Win w = MPI_WIN_NULL;
	int rc = MPI_Win_create(memory, sizeof(memory), 4, MPI_INFO_NULL, self,
				&w);

	left = 0;
	if (w != MPI_WIN_NULL)
		MPI_Win_free(&w);
	return rc;
}

/* Creates a window in memory of MPI_Alloc_mem, which other ranks map. */
static int window_mapped(void)
{
	long k = left;
	void *base;
	MPI_Win w = MPI_WIN_NULL;
	int rc;

	left = 0;
	MPI_Alloc_mem(4096, MPI_INFO_NULL, &base);
	left = k;
	rc = MPI_Win_create(base, 4096, 1, MPI_INFO_NULL, self, &w);
	left = 0;
	if (w != MPI_WIN_NULL)
		MPI_Win_free(&w);
	MPI_Free_mem(base);
	return rc;
}

static int window_allocated(void)
{
	void *base;
	MPI_Win w = MPI_WIN_NULL;
	int rc = MPI_Win_allocate(64, 4, MPI_INFO_NULL, self, &base, &w);

	left = 0;
	if (w != MPI_WIN_NULL)
		MPI_Win_free(&w);
	return rc;
}

static int window_dynamic(void)
{
	static int memory[4];
	MPI_Win w = MPI_WIN_NULL;
	int rc = MPI_Win_create_dynamic(MPI_INFO_NULL, self, &w);

	if (!rc) {
		MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
		rc = MPI_Win_attach(w, memory, sizeof(memory));
		left = 0;
		if (!rc)
			MPI_Win_detach(w, memory);
	}
	left = 0;
	if (w != MPI_WIN_NULL)
		MPI_Win_free(&w);
	return rc;
}

static int file(void)
{
	char name[] = "/tmp/no_memory.XXXXXX";
	MPI_File f = MPI_FILE_NULL;
	long k = left;
	int rc, fd;

	left = 0;
	fd = mkstemp(name);
	close(fd);
	left = k;
	rc = MPI_File_open(self, name, MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	if (!rc)
		rc = MPI_File_write_at_all(f, 0, name, 8, MPI_BYTE,
					   MPI_STATUS_IGNORE);
	left = 0;
	if (f != MPI_FILE_NULL)
		MPI_File_close(&f);
	unlink(name);
	return rc;
}

static int message(void)
{
	static char from[100000], to[100000];
	MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int rc = MPI_Irecv(to, sizeof(to), MPI_BYTE, 0, 1, self, &r[0]);

	if (!rc)
		rc = MPI_Isend(from, sizeof(from), MPI_BYTE, 0, 1, self, &r[1]);
	if (rc && r[0] != MPI_REQUEST_NULL)
		MPI_Cancel(&r[0]);
	left = 0;
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	return rc;
}

static int persistent(void)
{
	int x = 0;
	MPI_Request r = MPI_REQUEST_NULL;
	int rc = MPI_Send_init(&x, 1, MPI_INT, MPI_PROC_NULL, 1, self, &r);

	if (!rc)
		rc = MPI_Start(&r);
	if (!rc)
		rc = MPI_Wait(&r, MPI_STATUS_IGNORE);
	left = 0;
	if (r != MPI_REQUEST_NULL)
		MPI_Request_free(&r);
	return rc;
}

static int collective(void)
{
	int x = 1, y = 0;
	MPI_Request r = MPI_REQUEST_NULL;
	int rc = MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, self, &r);

	left = 0;
	if (r != MPI_REQUEST_NULL)
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	return rc;
}

#define OP(f)         \
	{             \
#f, f \
	}

static const struct {
	const char *name;
	int (*run)(void);
} ops[] = {
	OP(duplicate),	   OP(split),	       OP(cart),
	OP(adjacent),	   OP(group),	       OP(type),
	OP(info),	   OP(window),	       OP(window_allocated),
	OP(window_mapped), OP(window_dynamic), OP(file),
	OP(message),	   OP(persistent),     OP(collective),
};

/* Lets each allocation of an operation fail in turn. */
static void exhaust(int (*run)(void))
{
	long k = 0, before;
	int rc;

	MT_OK(run());
	do {
		before = failures;
		left = ++k;
		rc = run();
		left = 0;
		if (before == failures)
			MT_OK(rc);
		MT_OK(run());
	} while (before != failures);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	MT_OK(MPI_Comm_dup(MPI_COMM_SELF, &self));
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		what = ops[i].name;
		exhaust(ops[i].run);
	}
	MT_TRUE(failures > 50); /* the allocators above were called */
	MT_OK(MPI_Comm_free(&self));
	return mt_end();
}
