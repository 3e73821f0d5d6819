/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random accesses of ranks that do not wait for each other. Each cell (etype)
 * of a tile belongs to at most one rank, so the contents of a rank's cells do
 * not depend on concurrent accesses of other ranks. A rank has up to PENDING
 * accesses in progress, and a nonblocking collective access may be in progress
 * during independent ones. At the end of a round rank 0 compares every byte of
 * the file, also the holes and the bytes before and after the tiles.
 *
 *   file_mix [rounds [seed [folder]]]
 */
#include "file_random.h"

#define CELLS	 64  /* largest number of cells of a tile */
#define TILES	 12  /* number of tiles of a file */
#define CELL	 8   /* largest etype, bytes */
#define ETYPES	 96  /* largest access, etypes */
#define TAIL	 100 /* number of bytes after the last tile */
#define PENDING	 4
#define PHASES	 3
#define OPS	 8 /* number of independent accesses of a phase */
#define FILE_MAX (500 + CELLS * TILES * CELL + TAIL)

/* The view of this rank, and the cells of all ranks. */
static struct {
	long disp;
	int etype; /* bytes of an etype */
	int cells;
	int owner[CELLS]; /* rank of each cell; -1: hole */
	int mine[CELLS];  /* cells of this rank */
	int count;	  /* number of this rank's cells */
} view;

/* Contents of this rank's cells, in the order of its stream. */
static unsigned char stream[CELLS * TILES * CELL];

static long offset_of(int tile, int cell)
{
	return view.disp + ((long)tile * view.cells + cell) * view.etype;
}

static int stream_etypes(void)
{
	return TILES * view.count;
}

static MPI_Datatype unit(void)
{
	return view.etype == 1	 ? MPI_BYTE
	       : view.etype == 2 ? MPI_SHORT
	       : view.etype == 4 ? MPI_INT
				 : MPI_DOUBLE;
}

/* ---- filetypes ----------------------------------------------------------- */

/* Makes a tile from the runs of consecutive cells of this rank. */
static MPI_Datatype make_runs(bool as_struct)
{
	MPI_Datatype type[CELLS], list, tile;
	MPI_Aint at[CELLS];
	int len[CELLS], n = 0;

	for (int k = 0; k < view.count; k++) {
		if (n && at[n - 1] + len[n - 1] * view.etype ==
				 view.mine[k] * view.etype) {
			len[n - 1]++;
			continue;
		}
		len[n] = 1;
		type[n] = unit();
		at[n++] = view.mine[k] * view.etype;
	}
	if (as_struct)
		MT_OK(MPI_Type_create_struct(n, len, at, type, &list));
	else
		MT_OK(MPI_Type_create_hindexed(n, len, at, unit(), &list));
	MT_OK(MPI_Type_create_resized(
		list, 0, (MPI_Aint)view.cells * view.etype, &tile));
	MT_OK(MPI_Type_free(&list));
	return tile;
}

static void draw_cells(void)
{
	unsigned holes = fr_next(&fr_common, 2) ? 0 : 2;

	view.cells = 1 + (int)fr_next(&fr_common, CELLS);
	for (int k = 0; k < view.cells; k++) {
		int r = (int)fr_next(&fr_common, (unsigned)mt_size + holes);

		view.owner[k] = r < mt_size ? r : -1;
	}
}

/* Makes an array whose columns are distributed block-cyclically. */
static MPI_Datatype make_darray(int rows, int columns)
{
	const int size[2] = { rows, columns }, procs[2] = { 1, mt_size };
	const int way[2] = { MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC };
	const int arg[2] = { MPI_DISTRIBUTE_DFLT_DARG,
			     1 + (int)fr_next(&fr_common, 3) };
	MPI_Datatype tile;

	for (int k = 0; k < view.cells; k++)
		view.owner[k] = k % columns / arg[1] % mt_size;
	MT_OK(MPI_Type_create_darray(mt_size, mt_rank, 2, size, way, arg, procs,
				     MPI_ORDER_C, unit(), &tile));
	return tile;
}

/* Makes a subarray: each rank has a contiguous range of columns. */
static MPI_Datatype make_subarray(int rows, int columns)
{
	const int size[2] = { rows, columns };
	const int first[2] = { 0, mt_rank * columns / mt_size };
	const int part[2] = { rows,
			      (mt_rank + 1) * columns / mt_size - first[1] };
	MPI_Datatype tile;

	for (int k = 0; k < view.cells; k++)
		for (int r = 0; r < mt_size; r++)
			if (k % columns >= r * columns / mt_size)
				view.owner[k] = r;
	MT_OK(MPI_Type_create_subarray(2, size, part, first, MPI_ORDER_C,
				       unit(), &tile));
	return tile;
}

static void find_own_cells(void)
{
	view.count = 0;
	for (int k = 0; k < view.cells; k++)
		if (view.owner[k] == mt_rank)
			view.mine[view.count++] = k;
}

static MPI_Datatype draw_filetype(void)
{
	unsigned way = fr_next(&fr_common, 4);
	int columns = mt_size + (int)fr_next(&fr_common, 8);
	int rows = CELLS / columns;
	MPI_Datatype tile;

	if (way > 1 && rows) {
		view.cells = rows * columns;
		tile = way == 2 ? make_darray(rows, columns)
				: make_subarray(rows, columns);
		find_own_cells();
		return tile;
	}
	draw_cells();
	find_own_cells();
	return make_runs(way == 1);
}

static void set_view(MPI_File f)
{
	static const char *const rep[] = { "native", "internal" };
	MPI_Datatype type;

	view.etype = 1 << fr_next(&fr_common, 4);
	view.disp = fr_next(&fr_common, 500);
	type = draw_filetype();
	MT_OK(MPI_Type_commit(&type));
	MT_OK(MPI_File_set_view(f, view.disp, unit(), type,
				rep[fr_next(&fr_common, 2)], MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&type));
}

/* ---- memory -------------------------------------------------------------- */

/* An access in progress, and its memory. */
struct access {
	MPI_Request request; /* MPI_REQUEST_NULL: no access is in progress */
	bool write;
	int first, n;	  /* etypes of the stream */
	int slot[ETYPES]; /* place of each etype in memory */
	MPI_Datatype type;
	unsigned char buf[2 * ETYPES * CELL];
	unsigned char want[2 * ETYPES * CELL]; /* memory after the access */
};

static void draw_slots(struct access *a)
{
	bool mixed = fr_next(&fr_own, 2);

	for (int k = 0; k < a->n; k++)
		a->slot[k] = 2 * k + (int)fr_next(&fr_own, 2);
	for (int k = a->n - 1; mixed && k > 0; k--) {
		int other = (int)fr_next(&fr_own, (unsigned)k + 1);
		int slot = a->slot[k];

		a->slot[k] = a->slot[other];
		a->slot[other] = slot;
	}
}

/* Makes the memory datatype: the slots in one list, or in two. */
static MPI_Datatype make_memory_type(const struct access *a)
{
	int half[2] = { 1, 1 }, n[2] = { a->n / 2, a->n - a->n / 2 };
	MPI_Aint at[ETYPES], zero[2] = { 0, 0 };
	MPI_Datatype part[2], type;

	for (int k = 0; k < a->n; k++)
		at[k] = a->slot[k] * view.etype;
	if (fr_next(&fr_own, 2)) {
		MT_OK(MPI_Type_create_hindexed_block(a->n, 1, at, unit(),
						     &type));
	} else {
		for (int i = 0; i < 2; i++)
			MT_OK(MPI_Type_create_hindexed_block(
				n[i], 1, at + i * n[0], unit(), &part[i]));
		MT_OK(MPI_Type_create_struct(2, half, zero, part, &type));
		MT_OK(MPI_Type_free(&part[0]));
		MT_OK(MPI_Type_free(&part[1]));
	}
	MT_OK(MPI_Type_commit(&type));
	return type;
}

static void memory_open(struct access *a)
{
	size_t e = (size_t)view.etype;

	draw_slots(a);
	a->type = make_memory_type(a);
	for (size_t i = 0; i < sizeof(a->buf); i++)
		a->buf[i] = (unsigned char)fr_next(&fr_own, 256);
	memcpy(a->want, a->buf, sizeof(a->buf));
	for (int k = 0; k < a->n; k++) {
		unsigned char *at = stream + (size_t)(a->first + k) * e;

		if (a->write)
			memcpy(at, a->buf + (size_t)a->slot[k] * e, e);
		else
			memcpy(a->want + (size_t)a->slot[k] * e, at, e);
	}
}

static void memory_check(struct access *a, MPI_Status *s)
{
	MT_IS(ft_count(s, MPI_BYTE), a->n * view.etype);
	MT_TRUE(!memcmp(a->buf, a->want, sizeof(a->buf)));
	MT_OK(MPI_Type_free(&a->type));
}

/* ---- accesses ------------------------------------------------------------ */

/* The last entry is for the collective accesses. */
static struct access all[PENDING + 1];

static void finish(struct access *a)
{
	MPI_Status s;
	int done = 0;

	if (a->request == MPI_REQUEST_NULL)
		return;
	if (fr_next(&fr_own, 2))
		while (!done)
			MT_OK(MPI_Test(&a->request, &done, &s));
	else
		MT_OK(MPI_Wait(&a->request, &s));
	memory_check(a, &s);
}

/* Waits for the accesses in progress that overlap the range of a. */
static void finish_overlaps(const struct access *a)
{
	for (int i = 0; i <= PENDING; i++)
		if (a != &all[i] && all[i].first < a->first + a->n &&
		    a->first < all[i].first + all[i].n)
			finish(&all[i]);
}

/* Draws a range of the stream for the entry. */
static void draw_range(struct access *a)
{
	int etypes = stream_etypes();

	finish(a);
	a->first = etypes ? (int)fr_next(&fr_own, (unsigned)etypes) : 0;
	a->n = fr_next(&fr_own, 8) ? (int)fr_next(&fr_own, ETYPES) : 0;
	if (a->n > etypes - a->first)
		a->n = etypes - a->first;
	finish_overlaps(a);
	memory_open(a);
}

static void independent(MPI_File f, struct access *a)
{
	MPI_Status s;

	a->write = fr_next(&fr_own, 2);
	draw_range(a);
	switch (fr_next(&fr_own, 4)) {
	case 0:
		MT_OK(a->write ? MPI_File_write_at(f, a->first, a->buf, !!a->n,
						   a->type, &s)
			       : MPI_File_read_at(f, a->first, a->buf, !!a->n,
						  a->type, &s));
		memory_check(a, &s);
		break;
	case 1:
		MT_OK(MPI_File_seek(f, a->first, MPI_SEEK_SET));
		MT_OK(a->write ? MPI_File_iwrite(f, a->buf, !!a->n, a->type,
						 &a->request)
			       : MPI_File_iread(f, a->buf, !!a->n, a->type,
						&a->request));
		break;
	default:
		MT_OK(a->write ? MPI_File_iwrite_at(f, a->first, a->buf, !!a->n,
						    a->type, &a->request)
			       : MPI_File_iread_at(f, a->first, a->buf, !!a->n,
						   a->type, &a->request));
	}
}

static void collective(MPI_File f, struct access *a)
{
	MPI_Status s;

	a->write = fr_next(&fr_common, 2);
	draw_range(a);
	if (fr_next(&fr_common, 2)) {
		MT_OK(a->write ? MPI_File_iwrite_at_all(f, a->first, a->buf,
							!!a->n, a->type,
							&a->request)
			       : MPI_File_iread_at_all(f, a->first, a->buf,
						       !!a->n, a->type,
						       &a->request));
		return;
	}
	MT_OK(a->write ? MPI_File_write_at_all(f, a->first, a->buf, !!a->n,
					       a->type, &s)
		       : MPI_File_read_at_all(f, a->first, a->buf, !!a->n,
					      a->type, &s));
	memory_check(a, &s);
}

/* ---- rounds -------------------------------------------------------------- */

/* Stores the stream `from` of a rank to its cells in an image of the file. */
static void put_cells(unsigned char *file, int rank, const unsigned char *from)
{
	size_t e = (size_t)view.etype;

	for (int t = 0; t < TILES; t++)
		for (int k = 0; k < view.cells; k++)
			if (view.owner[k] == rank) {
				memcpy(file + offset_of(t, k), from, e);
				from += e;
			}
}

static void get_cells(const unsigned char *file)
{
	size_t e = (size_t)view.etype;

	for (int t = 0; t < TILES; t++)
		for (int k = 0; k < view.count; k++)
			memcpy(stream + (size_t)(t * view.count + k) * e,
			       file + offset_of(t, view.mine[k]), e);
}

static size_t file_bytes(void)
{
	return (size_t)offset_of(TILES, 0) + TAIL;
}

/* Compares the file with the cells of all ranks, at rank 0. */
static void compare(const char *path, unsigned char *file)
{
	static unsigned char got[FILE_MAX + 1], from[sizeof(stream)];
	int fd, bytes = (int)sizeof(stream);

	if (mt_rank) {
		MT_OK(MPI_Send(stream, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
		return;
	}
	put_cells(file, 0, stream);
	for (int r = 1; r < mt_size; r++) {
		MT_OK(MPI_Recv(from, bytes, MPI_BYTE, r, 0, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE));
		put_cells(file, r, from);
	}
	fd = open(path, O_RDONLY);
	MT_IS(read(fd, got, sizeof(got)), (ssize_t)file_bytes());
	close(fd);
	MT_TRUE(!memcmp(got, file, file_bytes()));
}

static void mix_round(int round)
{
	static unsigned char file[FILE_MAX];
	char path[FT_PATH];
	MPI_File f = fr_open(path, "mix");

	set_view(f);
	mt_fill(file, file_bytes(), (uint64_t)round);
	ft_fill(path, file_bytes(), (uint64_t)round);
	get_cells(file);
	for (int i = 0; i <= PENDING; i++)
		all[i] = (struct access){ .request = MPI_REQUEST_NULL };
	for (int p = 0; p < PHASES; p++) {
		for (int k = 0; k < OPS; k++)
			independent(f, &all[fr_next(&fr_own, PENDING)]);
		collective(f, &all[PENDING]);
	}
	for (int i = 0; i <= PENDING; i++)
		finish(&all[i]);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	compare(path, file);
	MT_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	int rounds = fr_begin(argc, argv, 20);

	for (int i = 0; i < rounds; i++)
		mix_round(i);
	return mt_end();
}
