/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views at the limits of the standard: filetypes that overlap themselves in a
 * file that is only read, filetypes whose tiles overlap, and views that are set
 * while accesses are in progress, which MPI leaves undefined.
 */
#include "file_t.h"

#define INTS 60

/* ---- overlaps ------------------------------------------------------------ */

/* Creates a file with the ints 0, 1, 2, ... */
static MPI_File open_counted(char path[FT_PATH])
{
	int b[INTS];
	MPI_File f;

	ft_name(path, "views");
	for (int i = 0; i < INTS; i++)
		b[i] = i;
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path,
			    MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
			    &f));
	MT_OK(MPI_File_write_all(f, b, INTS, MPI_INT, MPI_STATUS_IGNORE));
	MT_OK(MPI_File_close(&f));
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path,
			    MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE,
			    MPI_INFO_NULL, &f));
	return f;
}

/* Reads n ints of the view with each kind of call; want(i): expected int i. */
static void read_ways(MPI_File f, int n, int (*want)(int i), int valid)
{
	int b[4 * INTS];
	MPI_Request r;
	MPI_Status s;

	for (int way = 0; way < 3; way++) {
		memset(b, 0xff, sizeof(b));
		if (way == 0)
			MT_OK(MPI_File_read_at(f, 0, b, n, MPI_INT, &s));
		if (way == 1)
			MT_OK(MPI_File_read_at_all(f, 0, b, n, MPI_INT, &s));
		if (way == 2) {
			MT_OK(MPI_File_iread_at(f, 0, b, n, MPI_INT, &r));
			MT_OK(MPI_Wait(&r, &s));
		}
		MT_IS(ft_count(&s, MPI_INT), valid);
		for (int i = 0; i < n; i++)
			MT_IS(b[i], i < valid ? want(i) : -1);
	}
	/* from the middle of a piece to beyond the next overlap */
	MT_OK(MPI_File_read_at_all(f, 1, b, 5, MPI_INT, &s));
	for (int i = 0; i < 5; i++)
		MT_IS(b[i], want(i + 1));
}

static int want_inside(int i)
{
	static const int in[4] = { 0, 1, 2, 1 };

	return i / 4 * 5 + in[i % 4];
}

static int want_between(int i)
{
	return i / 3 * 2 + i % 3;
}

static void view_end(MPI_File f, int ints)
{
	MPI_Offset end;

	MT_OK(MPI_File_seek(f, 0, MPI_SEEK_END));
	MT_OK(MPI_File_get_position(f, &end));
	MT_IS(end, ints);
}

static void overlaps(void)
{
	const int lens[2] = { 3, 1 }, disps[2] = { 0, 1 };
	MPI_Datatype inside, tiles, triple;
	char path[FT_PATH];
	MPI_File f = open_counted(path);

	MT_OK(MPI_Type_indexed(2, lens, disps, MPI_INT, &inside));
	MT_OK(MPI_Type_create_resized(inside, 0, 20, &tiles));
	MT_OK(MPI_Type_commit(&tiles));
	MT_OK(MPI_File_set_view(f, 0, MPI_INT, tiles, "native", MPI_INFO_NULL));
	read_ways(f, INTS / 5 * 4 + 8, want_inside, INTS / 5 * 4);
	view_end(f, INTS / 5 * 4);
	MT_OK(MPI_Type_free(&tiles));
	MT_OK(MPI_Type_free(&inside));

	/* tiles of 3 ints at a distance of 2: the last tile is cut */
	MT_OK(MPI_Type_contiguous(3, MPI_INT, &triple));
	MT_OK(MPI_Type_create_resized(triple, 0, 8, &tiles));
	MT_OK(MPI_Type_commit(&tiles));
	MT_OK(MPI_File_set_view(f, 0, MPI_INT, tiles, "native", MPI_INFO_NULL));
	read_ways(f, INTS / 2 * 3 + 4, want_between, INTS / 2 * 3 - 1);
	view_end(f, INTS / 2 * 3 - 1);
	MT_OK(MPI_Type_free(&tiles));
	MT_OK(MPI_Type_free(&triple));
	MT_OK(MPI_File_close(&f));
}

/* ---- tiles that overlap -------------------------------------------------- */

/*
 * A filetype that is larger than its extent is used for one tile: rank r has
 * ints r, r + size, ... Successive tiles begin 4 bytes apart, so the next int
 * after the tile is at offset 4 * (r + 1).
 */
static void one_tile(bool collective)
{
	char path[FT_PATH];
	MPI_File f = ft_open(path, "views", MPI_INFO_NULL);
	MPI_Datatype many, tile;
	int b[INTS], got;

	MT_OK(MPI_Type_vector(INTS, 1, mt_size, MPI_INT, &many));
	MT_OK(MPI_Type_create_resized(many, 8, 4, &tile));
	MT_OK(MPI_Type_commit(&tile));
	MT_OK(MPI_File_set_view(f, 4 * mt_rank, MPI_INT, tile, "native",
				MPI_INFO_NULL));
	for (int i = 0; i < INTS; i++)
		b[i] = i * mt_size + mt_rank;
	if (collective)
		MT_OK(MPI_File_write_all(f, b, INTS, MPI_INT,
					 MPI_STATUS_IGNORE));
	else
		MT_OK(MPI_File_write(f, b, INTS, MPI_INT, MPI_STATUS_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	memset(b, 0, sizeof(b));
	MT_OK(MPI_File_read_at_all(f, 0, b, INTS, MPI_INT, MPI_STATUS_IGNORE));
	for (int i = 0; i < INTS; i++)
		MT_IS(b[i], i * mt_size + mt_rank);
	MT_OK(MPI_File_read_at_all(f, INTS, &got, 1, MPI_INT,
				   MPI_STATUS_IGNORE));
	MT_IS(got, mt_rank + 1);
	MT_OK(MPI_Type_free(&tile));
	MT_OK(MPI_Type_free(&many));
	MT_OK(MPI_File_close(&f));
}

/* ---- views during accesses ----------------------------------------------- */

/* Rank r has ints r, r + size, ... of the file, counted from int `base`. */
static void set_interleaved(MPI_File f, int base)
{
	MPI_Datatype t;

	MT_OK(MPI_Type_create_resized(MPI_INT, 0, 4 * mt_size, &t));
	MT_OK(MPI_Type_commit(&t));
	MT_OK(MPI_File_set_view(f, 4 * (base + mt_rank), MPI_INT, t, "native",
				MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&t));
}

/* Two writes in progress, each with the view that it was started with. */
static void in_progress(bool collective)
{
	char path[FT_PATH];
	MPI_File f = ft_open(path, "views", MPI_INFO_NULL);
	int b[2][INTS], got;
	MPI_Request r[2];

	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < INTS; i++)
			b[k][i] = (k * INTS + i) * mt_size + mt_rank;
		set_interleaved(f, k * INTS * mt_size);
		if (collective)
			MT_OK(MPI_File_iwrite_all(f, b[k], INTS, MPI_INT,
						  &r[k]));
		else
			MT_OK(MPI_File_iwrite(f, b[k], INTS, MPI_INT, &r[k]));
	}
	MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native",
				MPI_INFO_NULL));
	for (int i = 0; i < 2 * INTS * mt_size; i++) {
		MT_OK(MPI_File_read_at(f, i, &got, 1, MPI_INT,
				       MPI_STATUS_IGNORE));
		MT_IS(got, i);
	}
	MT_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	overlaps();
	one_tile(true);
	one_tile(false);
	in_progress(true);
	in_progress(false);
	return mt_end();
}
