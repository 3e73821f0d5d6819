/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs with several results that the MPI standard allows:
 *
 *   shared   ranks write and read records with the shared file pointer; the
 *            file has each record once, those of a rank in the order of its
 *            calls, and every record is read once
 *   atomic   ranks write the same cells of the file in atomic mode; each read
 *            finds the data of one write
 *   alone    a nonblocking access progresses while the rank makes no MPI call
 *
 *   file_shared [rounds [seed [folder]]]
 */
#include "file_random.h"

#define RECORDS	 12 /* number of records of each rank */
#define WORDS	 40 /* largest record, ints */
#define RANKS	 64
#define CALLS	 3   /* maximum number of records of a call */
#define WRITES	 12  /* number of accesses of each rank in atomic mode */
#define ATOMIC_N 300 /* number of ints of an access in atomic mode */

/* ---- shared file pointer ------------------------------------------------- */

static int words; /* number of ints of a record */
static MPI_Datatype record;

static int value(int rank, int number, int word)
{
	return (rank * RECORDS + number) * WORDS + word;
}

/* Sets a view whose etype is a record; the same at all ranks. */
static void set_records(MPI_File f, int gap)
{
	MPI_Datatype tile;

	MT_OK(MPI_Type_contiguous(words, MPI_INT, &record));
	MT_OK(MPI_Type_commit(&record));
	MT_OK(MPI_Type_create_resized(record, 0, 4 * (words + gap), &tile));
	MT_OK(MPI_Type_commit(&tile));
	MT_OK(MPI_File_set_view(f, 36, record, tile, "native", MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&tile));
}

static void write_records(MPI_File f)
{
	static int data[RECORDS][WORDS * CALLS];
	MPI_Request r[RECORDS];
	MPI_Status s;
	int calls = 0, done = 0;

	while (done < RECORDS) {
		int n = 1 + (int)fr_next(&fr_own, CALLS), *at = data[calls];

		n = n < RECORDS - done ? n : RECORDS - done;
		for (int k = 0; k < n * words; k++)
			at[k] = value(mt_rank, done + k / words, k % words);
		r[calls] = MPI_REQUEST_NULL;
		if (fr_next(&fr_own, 2)) {
			MT_OK(MPI_File_write_shared(f, at, n, record, &s));
			MT_IS(ft_count(&s, record), n);
		} else {
			MT_OK(MPI_File_iwrite_shared(f, at, n, record,
						     &r[calls]));
		}
		done += n;
		calls++;
	}
	MT_OK(MPI_Waitall(calls, r, MPI_STATUSES_IGNORE));
}

/* Compares a record, and counts it. */
static void take(const int *data, int *seen)
{
	int first = data[0], number = first / WORDS;

	MT_TRUE(first >= 0 && number < mt_size * RECORDS && first % WORDS == 0);
	for (int k = 0; k < words; k++)
		MT_IS(data[k], first + k);
	seen[number]++;
}

/* Reads records until the end of the file. */
static void read_records(MPI_File f)
{
	int data[WORDS * CALLS], total = mt_size * RECORDS, got;
	int seen[RANKS * RECORDS] = { 0 };
	MPI_Request r;
	MPI_Status s;

	do {
		int n = 1 + (int)fr_next(&fr_own, CALLS);

		if (fr_next(&fr_own, 2)) {
			MT_OK(MPI_File_read_shared(f, data, n, record, &s));
		} else {
			MT_OK(MPI_File_iread_shared(f, data, n, record, &r));
			MT_OK(MPI_Wait(&r, &s));
		}
		got = ft_count(&s, record);
		for (int k = 0; k < got; k++)
			take(data + k * words, seen);
	} while (got);
	MT_OK(MPI_Allreduce(MPI_IN_PLACE, seen, total, MPI_INT, MPI_SUM,
			    MPI_COMM_WORLD));
	for (int i = 0; i < total; i++)
		MT_IS(seen[i], 1);
}

/*
 * Checks that the file has each record once, and the records of each rank in
 * order.
 */
static void compare_records(const char *path, int gap)
{
	static int file[RANKS * RECORDS * 2 * WORDS + 9];
	int next[RANKS] = { 0 }, seen[RANKS * RECORDS] = { 0 };
	int step = words + gap, total = mt_size * RECORDS, fd;
	ssize_t bytes = 36 + 4 * ((ssize_t)step * total - gap);

	if (mt_rank)
		return;
	fd = open(path, O_RDONLY);
	MT_IS(read(fd, file, sizeof(file)), bytes);
	close(fd);
	for (int i = 0; i < total; i++) {
		const int *at = file + 9 + i * step;
		int number = at[0] / WORDS;

		take(at, seen);
		MT_IS(number % RECORDS, next[number / RECORDS]++);
		for (int k = words; k < step && i + 1 < total; k++)
			MT_IS(at[k], 0);
	}
}

static void shared_round(void)
{
	char path[FT_PATH];
	MPI_File f = fr_open(path, "shared");
	int gap = (int)fr_next(&fr_common, 2) * (int)fr_next(&fr_common, WORDS);

	words = 1 + (int)fr_next(&fr_common, WORDS);
	if (fr_next(&fr_common, 3) == 0)
		MT_OK(MPI_File_set_atomicity(f, 1));
	set_records(f, gap);
	write_records(f);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	compare_records(path, gap);
	MT_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	read_records(f);
	MT_OK(MPI_Type_free(&record));
	MT_OK(MPI_File_close(&f));
}

/* ---- atomic mode --------------------------------------------------------- */

/*
 * Writes the same number to all cells, or reads the cells, which must then be
 * equal.
 */
static void atomic_access(MPI_File f, int k)
{
	int data[ATOMIC_N];
	bool write = fr_next(&fr_own, 2);
	MPI_Request r;
	MPI_Status s;

	for (int i = 0; i < ATOMIC_N; i++)
		data[i] = write ? 1 + mt_rank * WRITES + k : -1;
	switch (fr_next(&fr_own, 2)) {
	case 0:
		MT_OK(write ? MPI_File_write_at(f, 0, data, ATOMIC_N, MPI_INT,
						&s)
			    : MPI_File_read_at(f, 0, data, ATOMIC_N, MPI_INT,
					       &s));
		break;
	default:
		MT_OK(write ? MPI_File_iwrite_at(f, 0, data, ATOMIC_N, MPI_INT,
						 &r)
			    : MPI_File_iread_at(f, 0, data, ATOMIC_N, MPI_INT,
						&r));
		MT_OK(MPI_Wait(&r, &s));
	}
	MT_IS(ft_count(&s, MPI_INT), ATOMIC_N);
	for (int i = 0; i < ATOMIC_N; i++)
		MT_IS(data[i], data[0]);
	MT_TRUE(data[0] >= 0 && data[0] <= mt_size * WRITES);
}

static void atomic_round(void)
{
	int zero[ATOMIC_N] = { 0 }, gap = (int)fr_next(&fr_common, 30);
	MPI_Datatype tile;
	char path[FT_PATH];
	MPI_File f = fr_open(path, "atomic");

	MT_OK(MPI_File_set_atomicity(f, 1));
	MT_OK(MPI_Type_create_resized(MPI_INT, 0, 4 * (1 + gap), &tile));
	MT_OK(MPI_Type_commit(&tile));
	MT_OK(MPI_File_set_view(f, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&tile));
	MT_OK(MPI_File_write_at_all(f, 0, zero, mt_rank ? 0 : ATOMIC_N, MPI_INT,
				    MPI_STATUS_IGNORE));
	for (int k = 0; k < WRITES; k++)
		atomic_access(f, k);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_close(&f));
}

/* ---- progress without MPI calls ------------------------------------------ */

static void alone(void)
{
	enum { BYTES = 1 << 16 };
	static unsigned char data[BYTES], got[BYTES];
	char path[FT_PATH];
	MPI_File f = ft_open(path, "alone", MPI_INFO_NULL);
	MPI_Offset at = (MPI_Offset)mt_rank * BYTES;
	int fd = open(path, O_RDONLY), done = 0;
	MPI_Request r;
	MPI_Status s;

	mt_fill(data, BYTES, (uint64_t)mt_rank + 1);
	MT_OK(MPI_File_iwrite_at(f, at, data, BYTES, MPI_BYTE, &r));
	/* no MPI call until the data is in the file */
	while (pread(fd, got, BYTES, at) != BYTES ||
	       memcmp(data, got, BYTES) != 0)
		;
	while (!done)
		MT_OK(MPI_Test(&r, &done, &s));
	MT_IS(ft_count(&s, MPI_BYTE), BYTES);
	memset(got, 0, BYTES);
	MT_OK(MPI_File_iread_at(f, at, got, BYTES, MPI_BYTE, &r));
	for (done = 0; !done;)
		MT_OK(MPI_Request_get_status(r, &done, &s));
	MT_TRUE(!memcmp(data, got, BYTES));
	MT_OK(MPI_Wait(&r, &s));
	MT_IS(ft_count(&s, MPI_BYTE), BYTES);
	close(fd);
	MT_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	int rounds = fr_begin(argc, argv, 10);

	alone();
	for (int i = 0; i < rounds; i++) {
		shared_round();
		atomic_round();
	}
	return mt_end();
}
