/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spawned processes: the program spawns itself, and parents and children
 * communicate over the intercommunicator, over merged communicators, and over
 * communicators of three jobs. Also: arguments, info keys, several programs in
 * one job, errors, and the end of a connection.
 */
#include "mpi_t.h"

#include <unistd.h>

enum { LONG = 300000 };

static char out[LONG], in[LONG];
static char *program;

static int class_of(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

/* ---- communication of parents and children ------------------------------- */

/* Every rank sends to every rank of the remote group. */
static void messages(MPI_Comm c, int side)
{
	static const int bytes[] = { 0, 8, 4000, LONG };
	MPI_Request r;
	int rank, n;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_remote_size(c, &n);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < n; i++) {
			size_t len = (size_t)bytes[k];
			uint64_t mine = (uint64_t)(side * 64 + rank * 8 + i);
			uint64_t theirs = (uint64_t)(!side * 64 + i * 8 + rank);

			mt_fill(out, len, mine);
			MT_OK(MPI_Isend(out, bytes[k], MPI_BYTE, i, k, c, &r));
			MT_OK(MPI_Recv(in, bytes[k], MPI_BYTE, i, k, c,
				       MPI_STATUS_IGNORE));
			MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
			MT_TRUE(mt_same(in, len, theirs));
		}
}

static void sums(MPI_Comm c)
{
	int rank, n, sum;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &n);
	for (int i = 0; i < 30; i++) {
		int v = rank + i;

		MT_OK(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c));
		MT_IS(sum, n * (n - 1) / 2 + n * i);
	}
}

static void window(MPI_Comm c)
{
	int rank, n, *mem, v;
	MPI_Win w;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &n);
	MT_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, c, &mem,
			       &w));
	*mem = -1;
	v = rank;
	MT_OK(MPI_Win_fence(0, w));
	MT_OK(MPI_Put(&v, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, w));
	MT_OK(MPI_Win_fence(0, w));
	MT_IS(*mem, (rank + n - 1) % n);
	MT_OK(MPI_Win_free(&w));
}

static void partitions(MPI_Comm c)
{
	int rank, n, v[4], w[4] = { 0 };
	MPI_Request r[2];

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &n);
	for (int i = 0; i < 4; i++)
		v[i] = rank * 10 + i;
	MT_OK(MPI_Psend_init(v, 4, 1, MPI_INT, (rank + 1) % n, 5, c,
			     MPI_INFO_NULL, &r[0]));
	MT_OK(MPI_Precv_init(w, 4, 1, MPI_INT, (rank + n - 1) % n, 5, c,
			     MPI_INFO_NULL, &r[1]));
	MT_OK(MPI_Startall(2, r));
	for (int i = 0; i < 4; i++)
		MT_OK(MPI_Pready(i, r[0]));
	MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < 4; i++)
		MT_IS(w[i], (rank + n - 1) % n * 10 + i);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

/* Tests the intercommunicator, and communicators made of it, on both sides. */
static void both_sides(MPI_Comm inter, int side)
{
	MPI_Comm merged, half, dup;
	int rank, v, got;

	messages(inter, side);
	MT_OK(MPI_Comm_dup(inter, &dup));
	messages(dup, side);
	MT_OK(MPI_Comm_free(&dup));
	v = side + 1;
	MT_OK(MPI_Allreduce(&v, &got, 1, MPI_INT, MPI_MAX, inter));
	MT_IS(got, 2 - side);
	MT_OK(MPI_Intercomm_merge(inter, side, &merged));
	sums(merged);
	window(merged);
	partitions(merged);
	MPI_Comm_rank(merged, &rank);
	MT_OK(MPI_Comm_split(merged, rank % 2, -rank, &half));
	sums(half);
	MT_OK(MPI_Comm_free(&half));
	MT_OK(MPI_Comm_split(inter, 0, 0, &dup));
	messages(dup, side);
	MT_OK(MPI_Comm_free(&dup));
	MT_OK(MPI_Comm_free(&merged));
}

/* ---- children ------------------------------------------------------------ */

static int child(MPI_Comm parent, const char *what)
{
	MPI_Comm null;
	int *appnum, flag;

	if (!strcmp(what, "talk")) {
		both_sides(parent, 1);
	} else if (!strcmp(what, "first") || !strcmp(what, "second")) {
		MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum,
					&flag));
		MT_TRUE(flag && *appnum == !strcmp(what, "second"));
		MT_OK(MPI_Barrier(parent));
	} else if (!strcmp(what, "dir")) {
		char dir[64];

		MT_TRUE(getcwd(dir, sizeof(dir)) && !strcmp(dir, "/"));
	} else {
		/* "third": a communicator of three jobs */
		MPI_Comm both;

		MT_OK(MPI_Intercomm_merge(parent, 1, &both));
		MT_OK(MPI_Comm_dup(both, &null));
		sums(null);
		MT_OK(MPI_Comm_free(&null));
		MT_OK(MPI_Comm_free(&both));
	}
	MT_OK(MPI_Comm_disconnect(&parent));
	MT_OK(MPI_Comm_get_parent(&null));
	MT_TRUE(null == MPI_COMM_NULL);
	return mt_end();
}

/* ---- parents ------------------------------------------------------------- */

static MPI_Comm spawn(const char *what, int n, MPI_Info info, MPI_Comm comm)
{
	char arg[16], *args[] = { arg, NULL };
	int size, codes[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	MPI_Comm c;

	snprintf(arg, sizeof(arg), "%s", what);
	MT_OK(MPI_Comm_spawn(program, args, n, info, mt_size - 1, comm, &c,
			     codes));
	MT_OK(MPI_Comm_remote_size(c, &size));
	for (int i = 0; i < n; i++)
		MT_IS(class_of(codes[i]),
		      i < size ? MPI_SUCCESS : MPI_ERR_SPAWN);
	return c;
}

static void several_programs(void)
{
	char first[] = "first", second[] = "second";
	char *a[] = { first, NULL }, *b[] = { second, NULL };
	char *commands[] = { program, program }, **args[] = { a, b };
	int n[] = { 1, 2 }, size;
	MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };
	MPI_Comm c;

	MT_OK(MPI_Comm_spawn_multiple(2, commands, args, n, infos, 0,
				      MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
	MT_OK(MPI_Comm_remote_size(c, &size));
	MT_IS(size, 3);
	MT_OK(MPI_Barrier(c));
	MT_OK(MPI_Comm_disconnect(&c));
}

/* Merges a first child job, then spawns a second one from both. */
static void three_jobs(void)
{
	MPI_Comm a = spawn("third", 2, MPI_INFO_NULL, MPI_COMM_WORLD);
	MPI_Comm b = spawn("third", 1, MPI_INFO_NULL, MPI_COMM_WORLD);
	MPI_Comm with_a, with_b, dup;

	MT_OK(MPI_Intercomm_merge(a, 0, &with_a));
	MT_OK(MPI_Intercomm_merge(b, 0, &with_b));
	MT_OK(MPI_Comm_dup(with_a, &dup));
	sums(dup);
	MT_OK(MPI_Comm_free(&dup));
	MT_OK(MPI_Comm_dup(with_b, &dup));
	sums(dup);
	MT_OK(MPI_Comm_free(&dup));
	MT_OK(MPI_Comm_free(&with_a));
	MT_OK(MPI_Comm_free(&with_b));
	MT_OK(MPI_Comm_disconnect(&a));
	MT_OK(MPI_Comm_disconnect(&b));
}

static void keys(void)
{
	MPI_Info info;
	MPI_Comm c;
	int size;

	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, "wdir", "/"));
	MT_OK(MPI_Info_set(info, "host", "localhost"));
	MT_OK(MPI_Info_set(info, "soft", "1:9:3,2"));
	c = spawn("dir", 3, info, MPI_COMM_WORLD);
	MT_OK(MPI_Comm_remote_size(c, &size));
	MT_IS(size, 2);
	MT_OK(MPI_Comm_disconnect(&c));
	MT_OK(MPI_Info_free(&info));
}

/* Checks that no process can be spawned with this value of an info key. */
static void refused(const char *key, const char *value)
{
	MPI_Info info;
	MPI_Comm c;

	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, key, value));
	MT_IS(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0,
				      MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE)),
	      MPI_ERR_SPAWN);
	MT_OK(MPI_Info_free(&info));
}

static void errors(void)
{
	int codes[2] = { 0, 0 };
	MPI_Comm c;

	MT_IS(class_of(MPI_Comm_spawn("/nonexistent/program", MPI_ARGV_NULL, 2,
				      MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c,
				      codes)),
	      MPI_ERR_SPAWN);
	MT_TRUE(c == MPI_COMM_NULL);
	MT_IS(class_of(codes[1]), MPI_ERR_SPAWN);
	MT_IS(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL,
				      mt_size, MPI_COMM_WORLD, &c, codes)),
	      MPI_ERR_ROOT);
	refused("arch", "pdp11");
	refused("host", "elsewhere.example");
	refused("hostfile", "/nonexistent/hosts");
	refused("wdir", "/nonexistent");
	refused("soft", "3:9");
}

int main(int argc, char **argv)
{
	MPI_Comm parent, c;
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	MT_TRUE(len > 0);
	path[len] = '\0';
	program = path;
	mt_begin(&argc, &argv);
	MT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	MT_OK(MPI_Comm_get_parent(&parent));
	if (parent != MPI_COMM_NULL)
		return child(parent, argv[1]);
	for (int n = 1; n < 4; n += 2) {
		c = spawn("talk", n, MPI_INFO_NULL, MPI_COMM_WORLD);
		both_sides(c, 0);
		MT_OK(MPI_Comm_disconnect(&c));
	}
	several_programs();
	three_jobs();
	keys();
	errors();
	return mt_end();
}
