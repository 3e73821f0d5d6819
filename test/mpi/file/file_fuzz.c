/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random accesses, compared with a model. All ranks draw the same numbers, so
 * each rank computes the accesses of all ranks and the contents of the file.
 *
 * In a round every rank has a view. The filetypes of all ranks have the same
 * extent and displacement, and each cell (etype) of a tile belongs to at most
 * one rank, so that all ranks may write at the same time. Cells without a rank
 * are holes. Every read is compared byte by byte, also memory that must not
 * change, and after each round rank 0 compares the file.
 *
 *   file_fuzz [rounds [seed [folder]]]
 */
#include "file_random.h"

#define CELLS	  24 /* largest number of cells of a tile */
#define CELL_MAX  8  /* largest etype, bytes */
#define FILE_MAX  (1 << 18)
#define RANKS_MAX 64
#define ETYPES	  200 /* largest access, etypes */
#define OPS	  6

static unsigned draw(unsigned below)
{
	return fr_next(&fr_common, below);
}

/* ---- model --------------------------------------------------------------- */

static unsigned char model[FILE_MAX];
static long model_size;

/* The views of all ranks. */
static struct {
	long disp;
	int etype;	      /* bytes of an etype */
	int cells;	      /* cells of a tile */
	int owner[CELLS];     /* rank of each cell; -1: hole */
	int count[RANKS_MAX]; /* cells of each rank */
	bool external;	      /* the data representation is external32 */
	long pointer[RANKS_MAX];
} view;

/* Returns the offset of byte `pos` of a rank's stream; count[rank] > 0. */
static long offset_of(int rank, long pos)
{
	long cell = pos / view.etype, tile = cell / view.count[rank];
	int want = (int)(cell % view.count[rank]), k = 0;

	for (;; k++)
		if (view.owner[k] == rank && !want--)
			break;
	return view.disp + (tile * view.cells + k) * view.etype +
	       pos % view.etype;
}

/* Returns the offset in memory of byte `pos` of the stream. */
static long mem_of(long pos)
{
	long in = pos % view.etype;

	return view.external ? pos - in + (view.etype - 1 - in) : pos;
}

static unsigned char data_byte(int rank, int op, long k)
{
	return (unsigned char)(1 + (rank * 7919 + op * 104729 + k * 31) % 255);
}

/* ---- accesses ------------------------------------------------------------ */

enum kind {
	AT,
	AT_ALL,
	IAT,
	IAT_ALL,
	PTR,
	PTR_ALL,
	IPTR,
	IPTR_ALL,
	SPLIT_AT,
	SPLIT,
	KINDS
};

struct access {
	enum kind kind;
	bool write;
	int id;
	long offset[RANKS_MAX]; /* offset of each rank in etypes */
	int etypes[RANKS_MAX];
	int stride; /* distance of etypes in memory, in etypes */
};

static bool has_offset(enum kind k)
{
	return k == AT || k == AT_ALL || k == IAT || k == IAT_ALL ||
	       k == SPLIT_AT;
}

/* Returns the number of etypes that fit into the model from `offset` on. */
static int limit(int rank, long offset, int n)
{
	while (n && offset_of(rank, (offset + n) * view.etype - 1) >= FILE_MAX)
		n--;
	return n;
}

static struct access draw_access(int id)
{
	struct access a = { .kind = draw(KINDS),
			    .write = draw(2),
			    .id = id,
			    .stride = 1 + (int)draw(2) };

	for (int r = 0; r < mt_size; r++) {
		long at =
			has_offset(a.kind) ? (long)draw(300) : view.pointer[r];
		int n = draw(4) ? (int)draw(ETYPES) : 0;

		a.offset[r] = at;
		a.etypes[r] = view.count[r] ? limit(r, at, n) : 0;
		if (!has_offset(a.kind))
			view.pointer[r] += a.etypes[r];
	}
	return a;
}

/* Memory buffer of an access: its bytes and its datatype. */
struct memory {
	unsigned char buf[2 * ETYPES * CELL_MAX];
	unsigned char want[2 * ETYPES * CELL_MAX];
	int etypes;
	MPI_Datatype type;
	MPI_Request request;
};

/* Returns the address of byte k of the data. */
static long mem_at(const struct access *a, long k)
{
	return k / view.etype * view.etype * a->stride + k % view.etype;
}

static MPI_Datatype unit(void)
{
	return view.etype == 1	 ? MPI_BYTE
	       : view.etype == 2 ? MPI_SHORT
	       : view.etype == 4 ? MPI_INT
				 : MPI_DOUBLE;
}

static void memory_open(struct memory *m, const struct access *a)
{
	long n = (long)a->etypes[mt_rank] * view.etype;

	memset(m->buf, 0xee, sizeof(m->buf));
	for (long k = 0; a->write && k < n; k++)
		m->buf[mem_at(a, k)] = data_byte(mt_rank, a->id, k);
	memcpy(m->want, m->buf, sizeof(m->buf));
	m->etypes = a->etypes[mt_rank];
	m->request = MPI_REQUEST_NULL;
	MT_OK(MPI_Type_create_resized(unit(), 0, view.etype * a->stride,
				      &m->type));
	MT_OK(MPI_Type_commit(&m->type));
}

/* Applies the writes of all ranks to the model. */
static void model_write(const struct access *a)
{
	for (int r = 0; r < mt_size; r++)
		for (long k = 0; k < (long)a->etypes[r] * view.etype; k++) {
			long at = offset_of(r, a->offset[r] * view.etype + k);

			model[at] = data_byte(r, a->id, mem_of(k));
			if (at >= model_size)
				model_size = at + 1;
		}
}

/* Stores the expected data of a read. Returns the number of etypes. */
static int model_read(const struct access *a, struct memory *m)
{
	long n = (long)a->etypes[mt_rank] * view.etype, k, first;

	first = a->offset[mt_rank] * view.etype;
	for (k = 0; k < n && offset_of(mt_rank, first + k) < model_size; k++)
		;
	/* a conversion delivers whole elements */
	n = view.external ? k - k % view.etype : k;
	for (k = 0; k < n; k++)
		m->want[mem_at(a, mem_of(k))] =
			model[offset_of(mt_rank, first + k)];
	return (int)n;
}

static void check_read(const struct access *a, struct memory *m, MPI_Status *s)
{
	int want = model_read(a, m), got = ft_count(s, MPI_BYTE);

	if (got != want || memcmp(m->buf, m->want, sizeof(m->buf)))
		fprintf(stderr, "read of kind %d: %d bytes, expected %d\n",
			a->kind, got, want);
	MT_IS(got, want);
	MT_TRUE(!memcmp(m->buf, m->want, sizeof(m->buf)));
}

static int start_write(MPI_File f, const struct access *a, struct memory *m,
		       MPI_Status *s)
{
	MPI_Offset at = a->offset[mt_rank];

	switch (a->kind) {
	case AT:
		return MPI_File_write_at(f, at, m->buf, m->etypes, m->type, s);
	case AT_ALL:
		return MPI_File_write_at_all(f, at, m->buf, m->etypes, m->type,
					     s);
	case IAT:
		return MPI_File_iwrite_at(f, at, m->buf, m->etypes, m->type,
					  &m->request);
	case IAT_ALL:
		return MPI_File_iwrite_at_all_c(f, at, m->buf, m->etypes,
						m->type, &m->request);
	case PTR:
		return MPI_File_write_c(f, m->buf, m->etypes, m->type, s);
	case PTR_ALL:
		return MPI_File_write_all(f, m->buf, m->etypes, m->type, s);
	case IPTR:
		return MPI_File_iwrite(f, m->buf, m->etypes, m->type,
				       &m->request);
	case IPTR_ALL:
		return MPI_File_iwrite_all(f, m->buf, m->etypes, m->type,
					   &m->request);
	case SPLIT_AT:
		return MPI_File_write_at_all_begin(f, at, m->buf, m->etypes,
						   m->type) ||
		       MPI_File_write_at_all_end(f, m->buf, s);
	default:
		return MPI_File_write_all_begin(f, m->buf, m->etypes,
						m->type) ||
		       MPI_File_write_all_end(f, m->buf, s);
	}
}

static int start_read(MPI_File f, const struct access *a, struct memory *m,
		      MPI_Status *s)
{
	MPI_Offset at = a->offset[mt_rank];

	switch (a->kind) {
	case AT:
		return MPI_File_read_at(f, at, m->buf, m->etypes, m->type, s);
	case AT_ALL:
		return MPI_File_read_at_all(f, at, m->buf, m->etypes, m->type,
					    s);
	case IAT:
		return MPI_File_iread_at(f, at, m->buf, m->etypes, m->type,
					 &m->request);
	case IAT_ALL:
		return MPI_File_iread_at_all_c(f, at, m->buf, m->etypes,
					       m->type, &m->request);
	case PTR:
		return MPI_File_read_c(f, m->buf, m->etypes, m->type, s);
	case PTR_ALL:
		return MPI_File_read_all(f, m->buf, m->etypes, m->type, s);
	case IPTR:
		return MPI_File_iread(f, m->buf, m->etypes, m->type,
				      &m->request);
	case IPTR_ALL:
		return MPI_File_iread_all(f, m->buf, m->etypes, m->type,
					  &m->request);
	case SPLIT_AT:
		return MPI_File_read_at_all_begin(f, at, m->buf, m->etypes,
						  m->type) ||
		       MPI_File_read_at_all_end(f, m->buf, s);
	default:
		return MPI_File_read_all_begin(f, m->buf, m->etypes, m->type) ||
		       MPI_File_read_all_end(f, m->buf, s);
	}
}

static void run(MPI_File f, const struct access *a)
{
	static struct memory m;
	MPI_Status s;

	memory_open(&m, a);
	MT_OK(a->write ? start_write(f, a, &m, &s) : start_read(f, a, &m, &s));
	if (m.request != MPI_REQUEST_NULL)
		MT_OK(MPI_Wait(&m.request, &s));
	if (a->write)
		MT_IS(ft_count(&s, MPI_BYTE), m.etypes * view.etype);
	else
		check_read(a, &m, &s);
	MT_OK(MPI_Type_free(&m.type));
	/*
	 * wait, since a later access by another rank reads or extends the file
	 */
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (a->write)
		model_write(a);
}

/* ---- views --------------------------------------------------------------- */

static void draw_view(void)
{
	static const int sizes[] = { 1, 2, 4, 8 };
	bool sparse = draw(3) == 0;

	memset(&view, 0, sizeof(view));
	view.etype = sizes[draw(4)];
	view.external = draw(4) == 0;
	view.disp = draw(2) ? (long)draw(500) : 0;
	view.cells = 1 + (int)draw(CELLS);
	for (int k = 0; k < view.cells; k++) {
		int r = (int)draw((unsigned)mt_size + (sparse ? 3 : 0));

		view.owner[k] = r < mt_size ? r : -1;
		if (r < mt_size)
			view.count[r]++;
	}
}

/* Makes the filetype of this rank by one of several constructors. */
static MPI_Datatype make_filetype(MPI_Datatype etype)
{
	int lens[CELLS], disps[CELLS], n = 0;
	MPI_Datatype list, tile;

	for (int k = 0; k < view.cells; k++) {
		if (view.owner[k] != mt_rank)
			continue;
		if (n && disps[n - 1] + lens[n - 1] == k) {
			lens[n - 1]++;
			continue;
		}
		lens[n] = 1;
		disps[n++] = k;
	}
	MT_OK(MPI_Type_indexed(n, lens, disps, etype, &list));
	MT_OK(MPI_Type_create_resized(
		list, 0, (MPI_Aint)view.cells * view.etype, &tile));
	MT_OK(MPI_Type_free(&list));
	if (draw(2)) {
		MT_OK(MPI_Type_contiguous(1 + (int)draw(3), tile, &list));
		MT_OK(MPI_Type_free(&tile));
		tile = list;
	}
	MT_OK(MPI_Type_commit(&tile));
	return tile;
}

static void set_view(MPI_File f)
{
	MPI_Datatype type = make_filetype(unit());

	MT_OK(MPI_File_set_view(f, view.disp, unit(), type,
				view.external ? "external32" : "native",
				MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&type));
}

/* ---- ordered accesses ---------------------------------------------------- */

/* All ranks have the same view; the shared file pointer gives the position. */
static void ordered(MPI_File f, int id)
{
	static unsigned char buf[ETYPES], got[ETYPES];
	long at = (long)draw(1000), pos = at;
	int n[RANKS_MAX];
	MPI_Status s;

	for (int r = 0; r < mt_size; r++)
		n[r] = (int)draw(ETYPES);
	MT_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native",
				MPI_INFO_NULL));
	MT_OK(MPI_File_seek_shared(f, at, MPI_SEEK_SET));
	for (int k = 0; k < n[mt_rank]; k++)
		buf[k] = data_byte(mt_rank, id, k);
	if (draw(2)) {
		MT_OK(MPI_File_write_ordered(f, buf, n[mt_rank], MPI_BYTE, &s));
	} else {
		MT_OK(MPI_File_write_ordered_begin(f, buf, n[mt_rank],
						   MPI_BYTE));
		MT_OK(MPI_File_write_ordered_end(f, buf, &s));
	}
	MT_IS(ft_count(&s, MPI_BYTE), n[mt_rank]);
	for (int r = 0; r < mt_size; r++)
		for (int k = 0; k < n[r]; k++, pos++)
			model[pos] = data_byte(r, id, k);
	if (pos > model_size && pos > at)
		model_size = pos;
	MT_OK(MPI_File_seek_shared(f, at, MPI_SEEK_SET));
	MT_OK(MPI_File_read_ordered(f, got, n[mt_rank], MPI_BYTE, &s));
	MT_TRUE(!memcmp(buf, got, (size_t)n[mt_rank]));
}

/* ---- rounds -------------------------------------------------------------- */

static void compare_file(const char *path)
{
	static unsigned char all[FILE_MAX];
	ssize_t n;
	int fd;

	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	if (mt_rank == 0) {
		fd = open(path, O_RDONLY);
		n = read(fd, all, sizeof(all));
		close(fd);
		MT_IS(n, model_size);
		MT_TRUE(!memcmp(all, model, (size_t)n));
	}
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void shrink(MPI_File f)
{
	long size = (long)draw((unsigned)model_size + 1);

	MT_OK(MPI_File_set_size(f, size));
	memset(model + size, 0, (size_t)(FILE_MAX - size));
	model_size = size;
}

static void fuzz_round(int round)
{
	char path[FT_PATH];
	MPI_File f = fr_open(path, "fuzz");

	memset(model, 0, sizeof(model));
	model_size = 0;
	if (draw(4) == 0)
		MT_OK(MPI_File_set_atomicity(f, 1));
	for (int v = 0; v < 3; v++) {
		draw_view();
		set_view(f);
		for (int k = 0; k < OPS; k++) {
			struct access a =
				draw_access((round * 3 + v) * OPS + k);

			run(f, &a);
		}
		if (draw(3) == 0)
			shrink(f);
		if (draw(3) == 0)
			ordered(f, round + v);
		compare_file(path);
	}
	MT_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	int rounds = fr_begin(argc, argv, 20);

	for (int i = 0; i < rounds; i++)
		fuzz_round(i);
	return mt_end();
}
