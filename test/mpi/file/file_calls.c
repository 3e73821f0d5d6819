/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every file function in its simplest use, in its int and its MPI_Count form
 * (file_fuzz.c has the general cases); queries, hints, shared file pointers,
 * error handlers and data representations.
 */
#include "file_t.h"

#define N 50 /* number of ints of each rank */

static int data[N], got[N];

static void expect(MPI_Status *s)
{
	MT_IS(ft_count(s, MPI_INT), N);
	MT_TRUE(!memcmp(data, got, sizeof(data)));
	memset(got, 0, sizeof(got));
}

static void set_data(int seed)
{
	for (int i = 0; i < N; i++)
		data[i] = (seed * 1000 + mt_rank) * 1000 + i;
}

/* Reads the rank's ints with every call that takes an offset. */
static void read_back(MPI_File f)
{
	MPI_Offset at = (MPI_Offset)mt_rank * N;
	MPI_Request r;
	MPI_Status s;

	MT_OK(MPI_File_read_at(f, at, got, N, MPI_INT, &s));
	expect(&s);
	MT_OK(MPI_File_read_at_c(f, at, got, N, MPI_INT, &s));
	expect(&s);
	MT_OK(MPI_File_read_at_all(f, at, got, N, MPI_INT, &s));
	expect(&s);
	MT_OK(MPI_File_read_at_all_c(f, at, got, N, MPI_INT, &s));
	expect(&s);
	MT_OK(MPI_File_iread_at_c(f, at, got, N, MPI_INT, &r));
	MT_OK(MPI_Wait(&r, &s));
	expect(&s);
	MT_OK(MPI_File_iread_at_all(f, at, got, N, MPI_INT, &r));
	MT_OK(MPI_Wait(&r, &s));
	expect(&s);
	MT_OK(MPI_File_read_at_all_begin_c(f, at, got, N, MPI_INT));
	MT_OK(MPI_File_read_at_all_end(f, got, &s));
	expect(&s);
}

static void written(MPI_File f, MPI_Status *s, int seed)
{
	MT_IS(ft_count(s, MPI_INT), N);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	read_back(f);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	set_data(seed + 1);
}

static void explicit_offsets(MPI_File f)
{
	MPI_Offset at = (MPI_Offset)mt_rank * N;
	MPI_Request r;
	MPI_Status s;

	set_data(0);
	MT_OK(MPI_File_write_at(f, at, data, N, MPI_INT, &s));
	written(f, &s, 0);
	MT_OK(MPI_File_write_at_c(f, at, data, N, MPI_INT, &s));
	written(f, &s, 1);
	MT_OK(MPI_File_write_at_all(f, at, data, N, MPI_INT, &s));
	written(f, &s, 2);
	MT_OK(MPI_File_write_at_all_c(f, at, data, N, MPI_INT, &s));
	written(f, &s, 3);
	MT_OK(MPI_File_iwrite_at_c(f, at, data, N, MPI_INT, &r));
	MT_OK(MPI_Wait(&r, &s));
	written(f, &s, 4);
	MT_OK(MPI_File_iwrite_at_all(f, at, data, N, MPI_INT, &r));
	MT_OK(MPI_Wait(&r, &s));
	written(f, &s, 5);
	MT_OK(MPI_File_write_at_all_begin_c(f, at, data, N, MPI_INT));
	MT_OK(MPI_File_write_at_all_end(f, data, &s));
	written(f, &s, 6);
}

/* ---- individual file pointers -------------------------------------------- */

static void to_start(MPI_File f)
{
	MPI_Offset at;

	MT_OK(MPI_File_get_position(f, &at));
	MT_IS(at, (MPI_Offset)(mt_rank + 1) * N);
	MT_OK(MPI_File_seek(f, -N, MPI_SEEK_CUR));
}

static void pointer_writes(MPI_File f)
{
	MPI_Request r;
	MPI_Status s;

	set_data(20);
	MT_OK(MPI_File_seek(f, (MPI_Offset)mt_rank * N, MPI_SEEK_SET));
	MT_OK(MPI_File_write(f, data, N, MPI_INT, &s));
	to_start(f);
	written(f, &s, 20);
	MT_OK(MPI_File_write_all_c(f, data, N, MPI_INT, &s));
	to_start(f);
	written(f, &s, 21);
	MT_OK(MPI_File_iwrite_c(f, data, N, MPI_INT, &r));
	to_start(f);
	MT_OK(MPI_Wait(&r, &s));
	written(f, &s, 22);
	MT_OK(MPI_File_iwrite_all_c(f, data, N, MPI_INT, &r));
	to_start(f);
	MT_OK(MPI_Wait(&r, &s));
	written(f, &s, 23);
	MT_OK(MPI_File_write_all_begin_c(f, data, N, MPI_INT));
	to_start(f);
	MT_OK(MPI_File_write_all_end(f, data, &s));
	MT_IS(ft_count(&s, MPI_INT), N);
}

static void pointer_reads(MPI_File f)
{
	MPI_Request r;
	MPI_Status s;

	MT_OK(MPI_File_read(f, got, N, MPI_INT, &s));
	expect(&s);
	to_start(f);
	MT_OK(MPI_File_read_all_c(f, got, N, MPI_INT, &s));
	expect(&s);
	to_start(f);
	MT_OK(MPI_File_iread_c(f, got, N, MPI_INT, &r));
	MT_OK(MPI_Wait(&r, &s));
	expect(&s);
	to_start(f);
	MT_OK(MPI_File_iread_all_c(f, got, N, MPI_INT, &r));
	MT_OK(MPI_Wait(&r, &s));
	expect(&s);
	to_start(f);
	MT_OK(MPI_File_read_all_begin_c(f, got, N, MPI_INT));
	MT_OK(MPI_File_read_all_end(f, got, &s));
	expect(&s);
}

/* ---- shared file pointer ------------------------------------------------- */

/* Every rank writes ROUNDS blocks; each block must be in the file once. */
#define ROUNDS 20

static void shared_write(MPI_File f, int k)
{
	int block[2] = { mt_rank * ROUNDS + k, ~(mt_rank * ROUNDS + k) };
	MPI_Request r;
	MPI_Status s;

	switch (k % 4) {
	case 0:
		MT_OK(MPI_File_write_shared(f, block, 2, MPI_INT, &s));
		break;
	case 1:
		MT_OK(MPI_File_write_shared_c(f, block, 2, MPI_INT, &s));
		break;
	case 2:
		MT_OK(MPI_File_iwrite_shared(f, block, 2, MPI_INT, &r));
		MT_OK(MPI_Wait(&r, &s));
		break;
	default:
		MT_OK(MPI_File_iwrite_shared_c(f, block, 2, MPI_INT, &r));
		MT_OK(MPI_Wait(&r, &s));
	}
	MT_IS(ft_count(&s, MPI_INT), 2);
}

static int shared_read(MPI_File f, int k)
{
	int block[2] = { 0 };
	MPI_Request r;
	MPI_Status s;

	switch (k % 4) {
	case 0:
		MT_OK(MPI_File_read_shared(f, block, 2, MPI_INT, &s));
		break;
	case 1:
		MT_OK(MPI_File_read_shared_c(f, block, 2, MPI_INT, &s));
		break;
	case 2:
		MT_OK(MPI_File_iread_shared(f, block, 2, MPI_INT, &r));
		MT_OK(MPI_Wait(&r, &s));
		break;
	default:
		MT_OK(MPI_File_iread_shared_c(f, block, 2, MPI_INT, &r));
		MT_OK(MPI_Wait(&r, &s));
	}
	MT_IS(ft_count(&s, MPI_INT), 2);
	MT_IS(block[1], ~block[0]);
	return block[0];
}

static void shared(MPI_File f)
{
	int n = mt_size * ROUNDS, *seen = calloc((size_t)n, sizeof(int));
	MPI_Offset at;

	MT_OK(MPI_File_seek_shared(f, 4, MPI_SEEK_SET));
	MT_OK(MPI_File_seek_shared(f, -2, MPI_SEEK_CUR));
	for (int k = 0; k < ROUNDS; k++)
		shared_write(f, k);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_get_position_shared(f, &at));
	MT_IS(at, 2 + 2 * n);
	MT_OK(MPI_File_seek_shared(f, 2, MPI_SEEK_SET));
	for (int k = 0; k < ROUNDS; k++)
		seen[shared_read(f, k)]++;
	MT_OK(MPI_Allreduce(MPI_IN_PLACE, seen, n, MPI_INT, MPI_SUM,
			    MPI_COMM_WORLD));
	for (int k = 0; k < n; k++)
		MT_IS(seen[k], 1);
	free(seen);
}

static void ordered(MPI_File f)
{
	MPI_Status s;

	set_data(40);
	MT_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	MT_OK(MPI_File_write_ordered_c(f, data, N, MPI_INT, &s));
	MT_IS(ft_count(&s, MPI_INT), N);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	read_back(f);
	MT_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	MT_OK(MPI_File_read_ordered_c(f, got, N, MPI_INT, &s));
	expect(&s);
	MT_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	MT_OK(MPI_File_read_ordered_begin(f, got, N, MPI_INT));
	MT_OK(MPI_File_read_ordered_end(f, got, &s));
	expect(&s);
	MT_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	MT_OK(MPI_File_write_ordered_begin_c(f, data, N, MPI_INT));
	MT_OK(MPI_File_write_ordered_end(f, data, &s));
	MT_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	MT_OK(MPI_File_read_ordered_begin_c(f, got, N, MPI_INT));
	MT_OK(MPI_File_read_ordered_end(f, got, &s));
	expect(&s);
}

/* ---- queries ------------------------------------------------------------- */

static void view_queries(MPI_File f)
{
	MPI_Datatype vec, e, t;
	MPI_Offset disp, size;
	char rep[MPI_MAX_DATAREP_STRING];
	int combiner, n[3];

	MT_OK(MPI_Type_vector(2, 1, 3, MPI_INT, &vec));
	MT_OK(MPI_Type_commit(&vec));
	MT_OK(MPI_File_set_view(f, 100, MPI_INT, vec, "internal",
				MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&vec));
	MT_OK(MPI_File_get_view(f, &disp, &e, &t, rep));
	MT_TRUE(disp == 100 && e == MPI_INT && !strcmp(rep, "internal"));
	MT_OK(MPI_Type_get_envelope(t, &n[0], &n[1], &n[2], &combiner));
	MT_IS(combiner, MPI_COMBINER_VECTOR);
	MT_OK(MPI_Type_free(&t));
	MT_OK(MPI_File_get_byte_offset(f, 3, &disp));
	MT_IS(disp, 100 + 16 + 12);
	MT_OK(MPI_File_set_size(f, 100 + 16 + 12));
	MT_OK(MPI_File_seek(f, 0, MPI_SEEK_END));
	MT_OK(MPI_File_get_position(f, &disp));
	MT_IS(disp, 3);
	MT_OK(MPI_File_seek_shared(f, -1, MPI_SEEK_END));
	MT_OK(MPI_File_get_position_shared(f, &disp));
	MT_IS(disp, 2);
	MT_OK(MPI_File_preallocate(f, 1000));
	MT_OK(MPI_File_get_size(f, &size));
	MT_IS(size, 1000);
	MT_OK(MPI_File_preallocate(f, 10));
	MT_OK(MPI_File_get_size(f, &size));
	MT_IS(size, 1000);
	MT_OK(MPI_File_sync(f));
}

static void queries(MPI_File f)
{
	MPI_Group g, world;
	int amode, flag, same;

	MT_OK(MPI_File_get_amode(f, &amode));
	MT_IS(amode,
	      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
	MT_OK(MPI_File_get_group(f, &g));
	MT_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	MT_OK(MPI_Group_compare(g, world, &same));
	MT_IS(same, MPI_IDENT);
	MT_OK(MPI_Group_free(&g));
	MT_OK(MPI_Group_free(&world));
	MT_OK(MPI_File_get_atomicity(f, &flag));
	MT_IS(flag, 0);
	MT_OK(MPI_File_set_atomicity(f, 1));
	MT_OK(MPI_File_get_atomicity(f, &flag));
	MT_IS(flag, 1);
	MT_OK(MPI_File_set_atomicity(f, 0));
	MT_TRUE(MPI_File_fromint(MPI_File_toint(f)) == f);
	MT_TRUE(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)) ==
		MPI_FILE_NULL);
}

static void hint_is(MPI_File f, const char *key, const char *want)
{
	char val[MPI_MAX_INFO_VAL];
	int flag, len = sizeof(val);
	MPI_Info info;

	MT_OK(MPI_File_get_info(f, &info));
	MT_OK(MPI_Info_get_string(info, key, &len, val, &flag));
	MT_TRUE(flag ? want && !strcmp(val, want) : !want);
	MT_OK(MPI_Info_free(&info));
}

static void set_hint(MPI_File f, const char *key, const char *value)
{
	MPI_Info info;

	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, key, value));
	MT_OK(MPI_File_set_info(f, info));
	MT_OK(MPI_Info_free(&info));
}

/* The memory kinds are those of the communicator. */
static void kinds(MPI_File f)
{
	char val[MPI_MAX_INFO_VAL];
	int flag, len = sizeof(val);
	MPI_Info info;

	MT_OK(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
	MT_OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &len, val,
				  &flag));
	MT_TRUE(flag && strstr(val, "mpi"));
	MT_OK(MPI_Info_free(&info));
	hint_is(f, "mpi_memory_alloc_kinds", val);
}

static void hints(MPI_File f)
{
	MPI_Info info;

	kinds(f);
	hint_is(f, "cb_buffer_size", "16777216");
	hint_is(f, "romio_cb_write", "automatic");
	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, "cb_buffer_size", "65536"));
	MT_OK(MPI_Info_set(info, "cb_nodes", "1000000"));
	MT_OK(MPI_Info_set(info, "romio_cb_read", "perhaps"));
	MT_OK(MPI_Info_set(info, "romio_ds_write", "disable"));
	MT_OK(MPI_Info_set(info, "striping_unit", "-5"));
	MT_OK(MPI_Info_set(info, "unknown", "1"));
	MT_OK(MPI_File_set_info(f, info));
	MT_OK(MPI_Info_free(&info));
	hint_is(f, "cb_buffer_size", "65536");
	hint_is(f, "romio_cb_read", "automatic");
	hint_is(f, "romio_ds_write", "disable");
	hint_is(f, "striping_unit", "4096");
	hint_is(f, "unknown", NULL);
	set_hint(f, "collective_buffering", "false");
	hint_is(f, "collective_buffering", "false");
	hint_is(f, "romio_cb_write", "disable");
	set_hint(f, "collective_buffering", "maybe");
	hint_is(f, "romio_cb_read", "disable");
	set_hint(f, "romio_cb_read", "enable");
	hint_is(f, "collective_buffering", "true");
	hint_is(f, "romio_cb_write", "disable");
	set_hint(f, "romio_cb_read", "disable");
	set_hint(f, "collective_buffering", "true");
	hint_is(f, "romio_cb_read", "automatic");
}

/*
 * Hints of collective accesses are those of rank 0; other hints may differ
 * between ranks.
 */
static void different_hints(MPI_File f)
{
	int rank, size;
	char text[32];

	MT_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	MT_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
	snprintf(text, sizeof(text), "%d", (rank + 1) * 4096);
	set_hint(f, "cb_buffer_size", text);
	set_hint(f, "striping_unit", text);
	set_hint(f, "ind_rd_buffer_size", text);
	hint_is(f, "cb_buffer_size", "4096");
	hint_is(f, "striping_unit", "4096");
	hint_is(f, "ind_rd_buffer_size", text);
	snprintf(text, sizeof(text), "%d", size - rank);
	set_hint(f, "cb_nodes", text);
	snprintf(text, sizeof(text), "%d", size);
	hint_is(f, "cb_nodes", text);
	set_hint(f, "romio_cb_write", rank ? "enable" : "disable");
	hint_is(f, "romio_cb_write", "disable");
	set_hint(f, "romio_ds_read", rank ? "enable" : "disable");
	hint_is(f, "romio_ds_read", rank ? "enable" : "disable");
}

/* ---- error handlers ------------------------------------------------------ */

static int errors;
static MPI_File error_file;

static void on_error(MPI_File *f, int *code, ...)
{
	errors++;
	error_file = *f;
}

static void handlers(MPI_File f)
{
	MPI_Errhandler h, now, comm;
	MPI_File none;

	MT_OK(MPI_File_get_errhandler(f, &now));
	MT_TRUE(now == MPI_ERRORS_RETURN);
	MT_OK(MPI_File_create_errhandler(on_error, &h));
	MT_OK(MPI_File_set_errhandler(f, h));
	MT_OK(MPI_File_get_errhandler(f, &now));
	MT_TRUE(now == h);
	MT_OK(MPI_Errhandler_free(&now));
	MT_TRUE(MPI_File_seek(f, -1, MPI_SEEK_SET) != MPI_SUCCESS);
	MT_TRUE(errors == 1 && error_file == f);
	MT_OK(MPI_File_call_errhandler(f, MPI_ERR_IO));
	MT_IS(errors, 2);
	MT_OK(MPI_File_set_errhandler(MPI_FILE_NULL, h));
	MT_TRUE(MPI_File_open(MPI_COMM_SELF, "/nowhere/file", MPI_MODE_RDONLY,
			      MPI_INFO_NULL, &none) != MPI_SUCCESS);
	MT_TRUE(errors == 3 && error_file == MPI_FILE_NULL);
	MT_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	MT_OK(MPI_File_set_errhandler(f, MPI_ERRORS_RETURN));
	MT_OK(MPI_Errhandler_free(&h));
	MT_OK(MPI_Comm_create_errhandler(
		(MPI_Comm_errhandler_function *)on_error, &comm));
	MT_IS(mt_class(MPI_File_set_errhandler(f, comm)), MPI_ERR_ARG);
	MT_OK(MPI_Errhandler_free(&comm));
}

/* The error of a request calls the file's error handler once, in MPI_Wait. */
static void request_handler(void)
{
	MPI_Errhandler h;
	MPI_Request r;
	MPI_Status s;
	MPI_File f;
	int flag = 0;

	if (access("/dev/full", W_OK))
		return;
	MT_OK(MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY,
			    MPI_INFO_NULL, &f));
	MT_OK(MPI_File_create_errhandler(on_error, &h));
	MT_OK(MPI_File_set_errhandler(f, h));
	MT_OK(MPI_Errhandler_free(&h));
	errors = 0;
	MT_OK(MPI_File_iwrite(f, data, N, MPI_INT, &r));
	while (!flag)
		MT_OK(MPI_Request_get_status(r, &flag, &s));
	MT_OK(MPI_Request_get_status_all(1, &r, &flag, &s));
	MT_IS(errors, 0);
	MT_IS(mt_class(MPI_Wait(&r, MPI_STATUS_IGNORE)), MPI_ERR_NO_SPACE);
	MT_TRUE(errors == 1 && error_file == f);
	MT_OK(MPI_File_close(&f));
}

/* ---- data representations ------------------------------------------------ */

/* Each int has 8 bytes in the file: the int and its complement. */
static int wide_extent(MPI_Datatype t, MPI_Aint *extent, void *extra)
{
	if (t != MPI_INT)
		return MPI_ERR_TYPE;
	*extent = 8;
	return MPI_SUCCESS;
}

static int wide_write(void *user, MPI_Datatype t, int n, void *file,
		      MPI_Offset at, void *extra)
{
	for (int i = 0; i < n; i++) {
		((int *)file)[2 * i] = ((int *)user)[at + i];
		((int *)file)[2 * i + 1] = ~((int *)user)[at + i];
	}
	return MPI_SUCCESS;
}

static int wide_read(void *user, MPI_Datatype t, int n, void *file,
		     MPI_Offset at, void *extra)
{
	*(int *)extra += n;
	for (int i = 0; i < n; i++) {
		if (((int *)file)[2 * i] != ~((int *)file)[2 * i + 1])
			return MPI_ERR_CONVERSION;
		((int *)user)[at + i] = ((int *)file)[2 * i];
	}
	return MPI_SUCCESS;
}

static int wide_write_c(void *user, MPI_Datatype t, MPI_Count n, void *file,
			MPI_Offset at, void *extra)
{
	return wide_write(user, t, (int)n, file, at, extra);
}

static int wide_read_c(void *user, MPI_Datatype t, MPI_Count n, void *file,
		       MPI_Offset at, void *extra)
{
	return wide_read(user, t, (int)n, file, at, extra);
}

static void use_rep(MPI_File f, const char *name, int *converted)
{
	MPI_Datatype vec;
	MPI_Offset size;
	MPI_Count extent_c;
	MPI_Aint extent;
	MPI_Status s;

	*converted = 0;
	MT_OK(MPI_Type_vector(1, 1, 1, MPI_INT, &vec));
	MT_OK(MPI_Type_commit(&vec));
	MT_OK(MPI_File_set_size(f, 0));
	MT_OK(MPI_File_set_view(f, 0, MPI_INT, vec, name, MPI_INFO_NULL));
	MT_OK(MPI_Type_free(&vec));
	MT_OK(MPI_File_get_type_extent(f, MPI_INT, &extent));
	MT_OK(MPI_File_get_type_extent_c(f, MPI_INT, &extent_c));
	MT_TRUE(extent == 8 && extent_c == 8);
	set_data(60);
	MT_OK(MPI_File_write_at_all(f, mt_rank * N, data, N, MPI_INT, &s));
	MT_IS(ft_count(&s, MPI_INT), N);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_get_size(f, &size));
	MT_IS(size, 8 * N * mt_size);
	MT_OK(MPI_File_read_at(f, mt_rank * N, got, N, MPI_INT, &s));
	expect(&s);
	MT_IS(*converted, N);
	MT_OK(MPI_File_write_at_all(f, 0, data, mt_rank ? 0 : 3, MPI_INT, &s));
}

/* A failed conversion is an error of the access. */
static void failing_rep(MPI_File f)
{
	int zero[4] = { 0 };
	MPI_Status s;

	MT_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native",
				MPI_INFO_NULL));
	MT_OK(MPI_File_write_at_all(f, 0, zero, 16, MPI_BYTE, &s));
	MT_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "wide", MPI_INFO_NULL));
	MT_IS(mt_class(MPI_File_read_at_all(f, 0, got, 2, MPI_INT, &s)),
	      MPI_ERR_CONVERSION);
	MT_IS(mt_class(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "wide",
					 MPI_INFO_NULL)),
	      MPI_ERR_CONVERSION);
}

static void representations(MPI_File f)
{
	static int converted;
	char name[MPI_MAX_DATAREP_STRING + 10];

	MT_OK(MPI_Register_datarep("wide", wide_read, wide_write, wide_extent,
				   &converted));
	MT_OK(MPI_Register_datarep_c("wide_c", wide_read_c, wide_write_c,
				     wide_extent, &converted));
	MT_IS(mt_class(MPI_Register_datarep("wide", wide_read, wide_write,
					    wide_extent, NULL)),
	      MPI_ERR_DUP_DATAREP);
	MT_IS(mt_class(MPI_Register_datarep("native", wide_read, wide_write,
					    wide_extent, NULL)),
	      MPI_ERR_DUP_DATAREP);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	MT_IS(mt_class(MPI_Register_datarep(name, NULL, NULL, wide_extent,
					    NULL)),
	      MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Register_datarep("x", NULL, NULL, NULL, NULL)),
	      MPI_ERR_ARG);
	use_rep(f, "wide", &converted);
	use_rep(f, "wide_c", &converted);
	failing_rep(f);
}

/*
 * Tests external32: big-endian numbers, and a struct of long (4 bytes) and
 * short.
 */
static void external(MPI_File f)
{
	struct {
		long l;
		short s;
	} v = { 0x01020304, 0x0506 }, w = { 0 };
	const int lens[2] = { 1, 1 };
	const MPI_Aint disp[2] = { 0, 8 };
	const MPI_Datatype types[2] = { MPI_LONG, MPI_SHORT };
	const unsigned char want[6] = { 1, 2, 3, 4, 5, 6 };
	unsigned char raw[6];
	MPI_Datatype t;
	MPI_Status s;

	MT_OK(MPI_Type_create_struct(2, lens, disp, types, &t));
	MT_OK(MPI_Type_commit(&t));
	MT_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "external32",
				MPI_INFO_NULL));
	MT_OK(MPI_File_write_at_all(f, 0, &v, mt_rank == 0, t, &s));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_read_at(f, 0, &w, 1, t, &s));
	MT_TRUE(w.l == v.l && w.s == v.s);
	MT_OK(MPI_File_read_at(f, 0, raw, 6, MPI_BYTE, &s));
	MT_TRUE(!memcmp(raw, want, 6));
	MT_OK(MPI_Type_free(&t));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* ---- modes --------------------------------------------------------------- */

static void append(void)
{
	char path[FT_PATH];
	MPI_Offset at;
	MPI_Info info;
	MPI_File f;

	ft_name(path, "append");
	ft_fill(path, 77, 1);
	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_File_open(MPI_COMM_WORLD, path,
			    MPI_MODE_RDWR | MPI_MODE_APPEND |
				    MPI_MODE_UNIQUE_OPEN |
				    MPI_MODE_DELETE_ON_CLOSE,
			    info, &f));
	MT_OK(MPI_Info_free(&info));
	MT_OK(MPI_File_get_position(f, &at));
	MT_IS(at, 77);
	MT_OK(MPI_File_get_position_shared(f, &at));
	MT_IS(at, 77);
	MT_OK(MPI_File_close(&f));
	MT_TRUE(access(path, F_OK) != 0);
}

/* Opens a file on a communicator with the ranks in reverse order. */
static MPI_File open_reversed(const char *path)
{
	MPI_Comm reversed;
	MPI_File f;

	MT_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -mt_rank, &reversed));
	MT_OK(MPI_File_open(reversed, path,
			    MPI_MODE_RDWR | MPI_MODE_CREATE |
				    MPI_MODE_DELETE_ON_CLOSE,
			    MPI_INFO_NULL, &f));
	MT_OK(MPI_Comm_free(&reversed));
	return f;
}

/* Advances the shared pointer of f by n bytes for each rank. */
static void advance(MPI_File f, int n, MPI_Offset expected)
{
	MPI_Offset at;

	MT_OK(MPI_File_write_shared(f, data, n, MPI_BYTE, MPI_STATUS_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	MT_OK(MPI_File_get_position_shared(f, &at));
	MT_IS(at, expected);
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Each open file has a shared pointer of its own, which starts at 0. */
static void several_files(void)
{
	char path[3][FT_PATH];
	MPI_File f[3];

	for (int i = 0; i < 3; i++)
		ft_name(path[i], (const char *[]){ "s0", "s1", "s2" }[i]);
	f[0] = ft_open(path[0], "s0", MPI_INFO_NULL);
	f[1] = open_reversed(path[1]);
	f[2] = ft_open(path[2], "s2", MPI_INFO_NULL);
	for (int i = 0; i < 3; i++)
		advance(f[i], i + 1, (i + 1) * mt_size);
	MT_OK(MPI_File_close(&f[0]));
	f[0] = ft_open(path[0], "s0", MPI_INFO_NULL);
	for (int i = 0; i < 3; i++)
		advance(f[i], 1, (i ? i + 2 : 1) * mt_size);
	for (int i = 0; i < 3; i++)
		MT_OK(MPI_File_close(&f[i]));
}

/* Many concurrent requests complete, including freed ones. */
static void many_requests(MPI_File f)
{
	enum { MANY = 64 };
	MPI_Request r[MANY], freed;
	MPI_Status s[MANY];
	int flag = 0;

	set_data(80);
	for (int k = 0; k < MANY; k++)
		MT_OK(MPI_File_iwrite_at(f, (mt_rank * MANY + k) * N, data, N,
					 MPI_INT, &r[k]));
	while (!flag)
		MT_OK(MPI_Testall(MANY, r, &flag, s));
	for (int k = 0; k < MANY; k++)
		MT_IS(ft_count(&s[k], MPI_INT), N);
	for (int k = 0; k < MANY; k++) {
		MT_OK(MPI_File_read_at(f, (mt_rank * MANY + k) * N, got, N,
				       MPI_INT, &s[0]));
		expect(&s[0]);
	}
	MT_OK(MPI_File_iwrite_at(f, mt_rank * MANY * N, data, N, MPI_INT,
				 &freed));
	MT_OK(MPI_Request_free(&freed));
	for (int k = 0; k < 3; k++)
		MT_OK(MPI_File_iwrite_at_all(f, (mt_rank * MANY + k) * N, data,
					     N, MPI_INT, &r[k]));
	MT_OK(MPI_Waitall(3, r, s));
}

int main(int argc, char **argv)
{
	char path[FT_PATH];
	MPI_File f;

	mt_begin(&argc, &argv);
	f = ft_open(path, "calls", MPI_INFO_NULL);
	queries(f);
	hints(f);
	different_hints(f);
	handlers(f);
	request_handler();
	MT_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native",
				MPI_INFO_NULL));
	explicit_offsets(f);
	pointer_writes(f);
	pointer_reads(f);
	shared(f);
	ordered(f);
	many_requests(f);
	view_queries(f);
	representations(f);
	external(f);
	MT_OK(MPI_File_close(&f));
	append();
	several_files();
	return mt_end();
}
