/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: before MPI_Init, between MPI_Init and MPI_Finalize, and after
 * MPI_Finalize, several at once, process sets, groups, communicators, windows,
 * files, buffers, error handlers, and objects of different sessions, which do
 * not mix.
 *
 *   session ORDER   ORDER is a list of letters: s (open a session and
 *                   communicate), i (MPI_Init), f (MPI_Finalize), o (open a
 *                   session that stays open), c (close it), 0 (only rank 0
 *                   opens and closes a session)
 */
#include "mpi_t.h"

#include <unistd.h>

static MPI_Session open_session(void)
{
	MPI_Session s = MPI_SESSION_NULL;

	MT_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	MT_TRUE(s != MPI_SESSION_NULL);
	return s;
}

static MPI_Comm open_comm(MPI_Session s, const char *set, const char *tag)
{
	MPI_Group g;
	MPI_Comm c;

	MT_OK(MPI_Group_from_session_pset(s, set, &g));
	MT_OK(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL,
					 MPI_ERRORS_RETURN, &c));
	MT_OK(MPI_Group_free(&g));
	return c;
}

static int class_of(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

/* ---- communication ------------------------------------------------------- */

static void ring(MPI_Comm c, int rank, int size)
{
	static char out[100000], in[100000];
	static const int bytes[] = { 0, 8, 5000, 100000 };

	for (int i = 0; i < 4; i++) {
		mt_fill(out, (size_t)bytes[i], (uint64_t)(rank + i));
		MT_OK(MPI_Sendrecv(out, bytes[i], MPI_BYTE, (rank + 1) % size,
				   i, in, bytes[i], MPI_BYTE,
				   (rank + size - 1) % size, i, c,
				   MPI_STATUS_IGNORE));
		MT_TRUE(mt_same(in, (size_t)bytes[i],
				(uint64_t)((rank + size - 1) % size + i)));
	}
}

static void sums(MPI_Comm c, int rank, int size)
{
	for (int i = 0; i < 40; i++) {
		int mine = rank + i, sum;

		MT_OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c));
		MT_IS(sum, size * (size - 1) / 2 + i * size);
	}
}

static void window(MPI_Comm c, int rank, int size)
{
	int *mem, value = rank + 1;
	MPI_Win w;

	MT_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, c, &mem,
			       &w));
	*mem = -1;
	MT_OK(MPI_Win_fence(0, w));
	MT_OK(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, w));
	MT_OK(MPI_Win_fence(0, w));
	MT_IS(*mem, (rank + size - 1) % size + 1);
	MT_OK(MPI_Win_free(&w));
}

static void file(MPI_Comm c, int rank)
{
	char name[64] = "", path[80];
	MPI_File f;
	int v = rank + 5, got = 0;

	/* the name is unique to the communicator, also if hosts share /tmp */
	if (!rank) {
		snprintf(name, sizeof(name), "/tmp/weft-session.XXXXXX");
		close(mkstemp(name));
	}
	MT_OK(MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, c));
	snprintf(path, sizeof(path), "%s", name);
	MT_OK(MPI_File_open(c, path,
			    MPI_MODE_CREATE | MPI_MODE_RDWR |
				    MPI_MODE_DELETE_ON_CLOSE,
			    MPI_INFO_NULL, &f));
	MT_OK(MPI_File_write_at_all(f, rank * (MPI_Offset)sizeof(int), &v, 1,
				    MPI_INT, MPI_STATUS_IGNORE));
	MT_OK(MPI_File_read_at_all(f, rank * (MPI_Offset)sizeof(int), &got, 1,
				   MPI_INT, MPI_STATUS_IGNORE));
	MT_IS(got, v);
	MT_OK(MPI_File_close(&f));
}

static void buffers(MPI_Session s, MPI_Comm c, int rank, int size)
{
	static char mem[4096];
	int out = rank, in = -1, n = 0;
	MPI_Request r;
	void *at;

	MT_IS(class_of(MPI_Bsend(&out, 1, MPI_INT, (rank + 1) % size, 9, c)),
	      MPI_ERR_BUFFER);
	MT_OK(MPI_Session_attach_buffer(s, mem, sizeof(mem)));
	MT_IS(class_of(MPI_Session_attach_buffer(s, mem, sizeof(mem))),
	      MPI_ERR_BUFFER);
	MT_OK(MPI_Bsend(&out, 1, MPI_INT, (rank + 1) % size, 9, c));
	MT_OK(MPI_Recv(&in, 1, MPI_INT, (rank + size - 1) % size, 9, c,
		       MPI_STATUS_IGNORE));
	MT_IS(in, (rank + size - 1) % size);
	MT_OK(MPI_Session_flush_buffer(s));
	MT_OK(MPI_Session_iflush_buffer(s, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_OK(MPI_Session_detach_buffer(s, &at, &n));
	MT_TRUE(at == mem);
	MT_IS(n, (int)sizeof(mem));
}

static void communicate(MPI_Session s, const char *tag)
{
	MPI_Comm c = open_comm(s, "mpi://WORLD", tag), dup;
	int rank, size;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	mt_rank = rank;
	mt_size = size;
	ring(c, rank, size);
	sums(c, rank, size);
	window(c, rank, size);
	file(c, rank);
	buffers(s, c, rank, size);
	MT_OK(MPI_Comm_dup(c, &dup));
	sums(dup, rank, size);
	MT_OK(MPI_Comm_disconnect(&dup));
	MT_OK(MPI_Comm_disconnect(&c));
}

/* ---- sets and info ------------------------------------------------------- */

static void sets(MPI_Session s)
{
	static const char *const names[] = { "mpi://WORLD", "mpi://SELF",
					     "mpix://HOST" };
	int n, len, flag;
	char name[64], value[64];
	MPI_Info info;
	MPI_Group g;

	MT_OK(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
	MT_TRUE(n >= 3);
	for (int i = 0; i < 3; i++) {
		len = 0;
		MT_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len,
					       NULL));
		MT_IS(len, (int)strlen(names[i]) + 1);
		MT_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len,
					       name));
		MT_TRUE(!strcmp(name, names[i]));
		len = 4;
		MT_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len,
					       name));
		MT_TRUE(!strcmp(name, "mpi"));
		MT_IS(len, (int)strlen(names[i]) + 1);
	}
	for (int i = 3; i < n; i++) {
		len = sizeof(name);
		MT_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len,
					       name));
		MT_OK(MPI_Group_from_session_pset(s, name, &g));
		MT_OK(MPI_Group_free(&g));
	}
	MT_IS(class_of(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, n, &len,
						name)),
	      MPI_ERR_ARG);
	MT_OK(MPI_Session_get_pset_info(s, "mpi://SELF", &info));
	len = sizeof(value);
	MT_OK(MPI_Info_get_string(info, "mpi_size", &len, value, &flag));
	MT_TRUE(flag && !strcmp(value, "1"));
	MT_OK(MPI_Info_free(&info));
	MT_IS(class_of(MPI_Group_from_session_pset(s, "mpi://NONE", &g)),
	      MPI_ERR_ARG);
	MT_TRUE(g == MPI_GROUP_NULL);
	MT_OK(MPI_Session_get_info(s, &info));
	len = sizeof(value);
	MT_OK(MPI_Info_get_string(info, "thread_level", &len, value, &flag));
	MT_TRUE(flag && !strncmp(value, "MPI_THREAD_", 11));
	MT_OK(MPI_Info_free(&info));
}

/* ---- error handlers ------------------------------------------------------ */

static MPI_Session handler_session;
static int handler_code;

static void handler(MPI_Session *s, int *code, ...)
{
	handler_session = *s;
	handler_code = *code;
}

static void handlers(MPI_Session s)
{
	MPI_Errhandler h, got;
	MPI_Group g;

	MT_OK(MPI_Session_create_errhandler(handler, &h));
	MT_OK(MPI_Session_set_errhandler(s, h));
	MT_OK(MPI_Session_get_errhandler(s, &got));
	MT_TRUE(got == h);
	MT_OK(MPI_Errhandler_free(&got));
	MT_OK(MPI_Session_call_errhandler(s, MPI_ERR_ARG));
	MT_TRUE(handler_session == s);
	MT_IS(handler_code, MPI_ERR_ARG);
	handler_code = 0;
	MPI_Group_from_session_pset(s, "mpi://NONE", &g);
	MT_IS(class_of(handler_code), MPI_ERR_ARG);
	MT_OK(MPI_Errhandler_free(&h));
	MT_OK(MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN));
}

/* ---- two sessions -------------------------------------------------------- */

static void no_mixing(MPI_Session a)
{
	MPI_Session b = open_session();
	MPI_Comm c = open_comm(a, "mpi://SELF", "a"), made;
	MPI_Group ga, gb, g;
	int rank = 0, other, result;

	MT_OK(MPI_Group_from_session_pset(a, "mpi://SELF", &ga));
	MT_OK(MPI_Group_from_session_pset(b, "mpi://SELF", &gb));
	MT_IS(class_of(MPI_Group_union(ga, gb, &g)), MPI_ERR_SESSION);
	MT_IS(class_of(MPI_Group_compare(ga, gb, &result)), MPI_ERR_SESSION);
	MT_IS(class_of(MPI_Group_translate_ranks(ga, 1, &rank, gb, &other)),
	      MPI_ERR_SESSION);
	MT_IS(class_of(MPI_Comm_create(c, gb, &made)), MPI_ERR_SESSION);
	MT_IS(class_of(MPI_Intercomm_create_from_groups(
		      ga, 0, gb, 0, "ab", MPI_INFO_NULL, MPI_ERRORS_RETURN,
		      &made)),
	      MPI_ERR_SESSION);
	MT_OK(MPI_Group_union(ga, MPI_GROUP_EMPTY, &g));
	MT_IS(class_of(MPI_Group_compare(g, gb, &result)), MPI_ERR_SESSION);
	MT_OK(MPI_Group_free(&g));
	MT_OK(MPI_Comm_create(c, ga, &made));
	MT_OK(MPI_Comm_free(&made));
	MT_OK(MPI_Group_free(&ga));
	MT_OK(MPI_Session_finalize(&b));
	MT_TRUE(b == MPI_SESSION_NULL);
	MT_OK(MPI_Group_free(&gb));
	MT_OK(MPI_Comm_free(&c));
}

static void inter(MPI_Session s)
{
	MPI_Group all, mine, theirs;
	MPI_Comm c;
	int n, rank, out, in = -1;
	int low[3] = { 0, 0, 1 }, high[3];

	MT_OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &all));
	MPI_Group_size(all, &n);
	MPI_Group_rank(all, &rank);
	if (n < 2) {
		MPI_Group_free(&all);
		return;
	}
	low[1] = n / 2 - 1;
	high[0] = n / 2;
	high[1] = n - 1;
	high[2] = 1;
	MT_OK(MPI_Group_range_incl(all, 1, rank < n / 2 ? &low : &high, &mine));
	MT_OK(MPI_Group_range_incl(all, 1, rank < n / 2 ? &high : &low,
				   &theirs));
	MT_OK(MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "two",
					       MPI_INFO_NULL, MPI_ERRORS_RETURN,
					       &c));
	out = rank < n / 2;
	MT_OK(MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_MAX, c));
	MT_IS(in, !out);
	MPI_Group_free(&all);
	MPI_Group_free(&mine);
	MPI_Group_free(&theirs);
	MT_OK(MPI_Comm_free(&c));
}

static void session(const char *tag)
{
	MPI_Session s = open_session();

	communicate(s, tag);
	sets(s);
	handlers(s);
	inter(s);
	no_mixing(s);
	MT_OK(MPI_Session_finalize(&s));
	MT_TRUE(s == MPI_SESSION_NULL);
}

/* ---- the order ----------------------------------------------------------- */

static void world_is(int initialized, int finalized)
{
	int a = -1, b = -1;

	MT_OK(MPI_Initialized(&a));
	MT_OK(MPI_Finalized(&b));
	MT_IS(a, initialized);
	MT_IS(b, finalized);
}

static void only_rank_0(void)
{
	const char *rank = getenv("PMIX_RANK");
	MPI_Session s;

	if (rank && strcmp(rank, "0"))
		return;
	s = open_session();
	MT_OK(MPI_Session_finalize(&s));
}

int main(int argc, char **argv)
{
	const char *order = argc > 1 ? argv[1] : "sss";
	MPI_Session kept = MPI_SESSION_NULL;
	int init = 0, fini = 0;

	srand((unsigned)getpid());
	for (const char *at = order; *at; at++) {
		char tag[16];

		snprintf(tag, sizeof(tag), "step %d", (int)(at - order));
		switch (*at) {
		case 's':
			session(tag);
			break;
		case '0':
			only_rank_0();
			break;
		case 'o':
			kept = open_session();
			break;
		case 'c':
			communicate(kept, tag);
			MT_OK(MPI_Session_finalize(&kept));
			break;
		case 'i':
			MT_OK(MPI_Init(NULL, NULL));
			init = 1;
			MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
			MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
			sums(MPI_COMM_WORLD, mt_rank, mt_size);
			break;
		case 'f':
			sums(MPI_COMM_WORLD, mt_rank, mt_size);
			MT_OK(MPI_Finalize());
			fini = 1;
			break;
		}
		world_is(init, fini);
	}
	if (!mt_rank)
		printf("ok\n");
	return 0;
}
