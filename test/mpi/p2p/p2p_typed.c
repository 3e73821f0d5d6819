/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long messages with many gaps: layouts that differ on the two sides, every
 * form of send and receive, buffers that are too short, cancel, probes,
 * wildcards, collectives, and their memory use.
 */
#include "mpi_t.h"

#include <sys/resource.h>

#define INTS 60000 /* number of ints of a message: 240,000 bytes */

/* One layout of INTS ints. */
struct layout {
	MPI_Datatype type;
	int count;
	size_t bytes; /* size in memory, bytes, including gaps */
};

enum { PLAIN, VECTOR, STRUCT, INDEXED, LAYOUTS };

static struct layout all[LAYOUTS];

static void layout_open(struct layout *l, MPI_Datatype type)
{
	MPI_Aint lb, extent;
	int size;

	l->type = type;
	MT_OK(MPI_Type_commit(&l->type));
	MPI_Type_size(l->type, &size);
	MPI_Type_get_extent(l->type, &lb, &extent);
	l->count = INTS * 4 / size;
	MT_IS(l->count * size, INTS * 4);
	l->bytes = (size_t)extent * (size_t)l->count + 64;
}

static void open_all(void)
{
	int len[100], at[100], two[] = { 2, 1 };
	MPI_Aint place[] = { 4, 20 };
	MPI_Datatype t, of[] = { MPI_INT, MPI_INT };

	MPI_Type_contiguous(1, MPI_INT, &t);
	layout_open(&all[PLAIN], t);
	MPI_Type_vector(INTS / 100, 5, 7, MPI_INT, &t);
	layout_open(&all[VECTOR], t);
	MPI_Type_create_struct(2, two, place, of, &t);
	layout_open(&all[STRUCT], t);
	for (int i = 0; i < 100; i++) {
		len[i] = 1 + i % 5;
		at[i] = 9 * i + i % 3;
	}
	MPI_Type_indexed(100, len, at, MPI_INT, &t);
	layout_open(&all[INDEXED], t);
}

static void flat_fill(int *flat, int seed)
{
	for (int i = 0; i < INTS; i++)
		flat[i] = i * 3 + seed;
}

/*
 * Allocates memory of this layout, filled with the numbers of `seed`; seed -1:
 * only blank bytes.
 */
static char *data_new(const struct layout *l, int seed)
{
	char *mem = malloc(l->bytes);
	int *flat = malloc(INTS * sizeof(int)), pos = 0;

	MT_TRUE(mem && flat);
	memset(mem, 0x55, l->bytes);
	flat_fill(flat, seed);
	if (seed >= 0)
		MT_OK(MPI_Unpack(flat, INTS * 4, &pos, mem, l->count, l->type,
				 MPI_COMM_SELF));
	free(flat);
	return mem;
}

/*
 * Checks that the first n ints are those of `seed` and that all other bytes are
 * blank.
 */
static void data_check(const struct layout *l, char *mem, int n, int seed)
{
	char *want = data_new(l, -1);
	int *flat = malloc(INTS * sizeof(int)), pos = 0;

	flat_fill(flat, seed);
	for (int i = n; i < INTS; i++)
		flat[i] = 0x55555555;
	MT_OK(MPI_Unpack(flat, INTS * 4, &pos, want, l->count, l->type,
			 MPI_COMM_SELF));
	MT_TRUE(!memcmp(want, mem, l->bytes));
	free(flat);
	free(want);
	free(mem);
}

/*
 * Every layout is sent to every layout, with blocking, nonblocking and
 * persistent calls.
 */
static void to_every_layout(int to, int from)
{
	MPI_Request r[2];
	MPI_Status st;
	int n;

	for (int s = 0; s < LAYOUTS; s++)
		for (int d = 0; d < LAYOUTS; d++) {
			char *out = data_new(&all[s], s * d);
			char *in = data_new(&all[d], -1);
			char *again = data_new(&all[d], -1);

			MT_OK(MPI_Sendrecv(out, all[s].count, all[s].type, to,
					   5, in, all[d].count, all[d].type,
					   MPI_ANY_SOURCE, MPI_ANY_TAG,
					   MPI_COMM_WORLD, &st));
			MT_TRUE(st.MPI_SOURCE == from && st.MPI_TAG == 5);
			MPI_Get_elements(&st, all[d].type, &n);
			MT_IS(n, INTS);
			data_check(&all[d], in, INTS, s * d);
			MPI_Recv_init(again, all[d].count, all[d].type, from, 6,
				      MPI_COMM_WORLD, &r[0]);
			MPI_Ssend_init(out, all[s].count, all[s].type, to, 6,
				       MPI_COMM_WORLD, &r[1]);
			for (int k = 0; k < 2; k++) {
				MT_OK(MPI_Startall(2, r));
				MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
			}
			MPI_Request_free(&r[0]);
			MPI_Request_free(&r[1]);
			data_check(&all[d], again, INTS, s * d);
			free(out);
		}
}

/* The message is longer than the receive buffer. */
static void truncated(int to, int from)
{
	const struct layout *l = &all[VECTOR];
	int half = l->count / 2, n = half * (INTS / l->count);
	char *out = data_new(l, 8), *in = data_new(l, -1);
	MPI_Request r;
	MPI_Status st;

	MPI_Isend(out, l->count, l->type, to, 7, MPI_COMM_WORLD, &r);
	MT_IS(mt_class(MPI_Recv(in, half, l->type, from, 7, MPI_COMM_WORLD,
				&st)),
	      MPI_ERR_TRUNCATE);
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	data_check(l, in, n, 8);
	free(out);
}

/* MPI_Probe, MPI_Mprobe and receives report the sizes of the message. */
static void probed(int to, int from)
{
	const struct layout *s = &all[STRUCT], *d = &all[INDEXED];
	char *out = data_new(s, 4), *in = data_new(d, -1);
	MPI_Request r;
	MPI_Message m;
	MPI_Status st;
	int n;

	MPI_Isend(out, s->count, s->type, to, 9, MPI_COMM_WORLD, &r);
	MT_OK(MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &st));
	MPI_Get_count(&st, MPI_INT, &n);
	MT_IS(n, INTS);
	MT_OK(MPI_Mprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &st));
	MT_OK(MPI_Mrecv(in, d->count, d->type, &m, &st));
	MPI_Get_elements(&st, d->type, &n);
	MT_IS(n, INTS);
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	data_check(d, in, INTS, 4);
	free(out);
}

/* A send without a receive, and a receive without a message, are cancelled. */
static void cancelled(int to, int from)
{
	const struct layout *l = &all[STRUCT];
	char *out = data_new(l, 1), *in = data_new(l, -1);
	MPI_Request r[2];
	MPI_Status st;
	int flag;

	MPI_Issend(out, l->count, l->type, to, 10, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(in, l->count, l->type, from, 11, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < 2; i++) {
		MT_OK(MPI_Cancel(&r[i]));
		MT_OK(MPI_Wait(&r[i], &st));
		MPI_Test_cancelled(&st, &flag);
		MT_TRUE(flag);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Iprobe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &flag, &st);
	MT_TRUE(!flag);
	data_check(l, in, 0, 0);
	free(out);
}

/* Keeps many messages in flight at once, in both directions. */
static void crossing(int to, int from)
{
	enum { MANY = 8 };
	MPI_Request r[2 * MANY];
	char *out[MANY], *in[MANY];

	for (int i = 0; i < MANY; i++) {
		const struct layout *s = &all[i % LAYOUTS];
		const struct layout *d = &all[(i + 1) % LAYOUTS];

		out[i] = data_new(s, i);
		in[i] = data_new(d, -1);
		MPI_Isend(out[i], s->count, s->type, to, i, MPI_COMM_WORLD,
			  &r[i]);
		MPI_Irecv(in[i], d->count, d->type, from, i, MPI_COMM_WORLD,
			  &r[MANY + i]);
	}
	MT_OK(MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < MANY; i++) {
		data_check(&all[(i + 1) % LAYOUTS], in[i], INTS, i);
		free(out[i]);
	}
}

static void collectives(void)
{
	const struct layout *mine = &all[1 + mt_rank % 3];
	char *mem = data_new(mine, mt_rank ? -1 : 77);
	int *flat = malloc((size_t)mt_size * INTS * sizeof(int));
	MPI_Request r;

	MT_OK(MPI_Bcast(mem, mine->count, mine->type, 0, MPI_COMM_WORLD));
	MT_OK(MPI_Iallgather(mem, mine->count, mine->type, flat, INTS, MPI_INT,
			     MPI_COMM_WORLD, &r));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	for (int i = 0; i < mt_size * INTS; i++)
		MT_IS(flat[i], i % INTS * 3 + 77);
	free(flat);
	data_check(mine, mem, INTS, 77);
}

static long kilobytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* Returns whether the provider packs messages packet by packet. */
static int packs_during_transfer(void)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	return !machine || !strcmp(machine, "native");
}

/*
 * If messages are packed packet by packet, a long message takes no additional
 * memory.
 */
static void memory_is_bounded(int to, int from)
{
	enum { MIB = 24 };
	int n = MIB << 17; /* number of doubles; gaps have the same size */
	double *mem = malloc((size_t)n * 16);
	MPI_Datatype t;
	long before;

	memset(mem, mt_rank, (size_t)n * 16);
	MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &t);
	MPI_Type_commit(&t);
	before = kilobytes();
	if (mt_rank % 2 == 0)
		MT_OK(MPI_Send(mem, 1, t, to, 1, MPI_COMM_WORLD));
	MT_OK(MPI_Recv(mem, 1, t, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (mt_rank % 2)
		MT_OK(MPI_Send(mem, 1, t, to, 1, MPI_COMM_WORLD));
	MT_TRUE(!packs_during_transfer() ||
		kilobytes() - before < MIB * 1024 / 4);
	MPI_Type_free(&t);
	free(mem);
}

int main(int argc, char **argv)
{
	int to, from;

	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	to = (mt_rank + 1) % mt_size;
	from = (mt_rank + mt_size - 1) % mt_size;
	open_all();
	to_every_layout(to, from);
	if (argc > 1) /* not every provider supports these cases */
		truncated(to, from);
	probed(to, from);
	cancelled(to, from);
	crossing(to, from);
	collectives();
	if (argc > 1 && !strcmp(argv[1], "bounded"))
		memory_is_bounded(to, from);
	for (int i = 0; i < LAYOUTS; i++)
		MPI_Type_free(&all[i].type);
	return mt_end();
}
