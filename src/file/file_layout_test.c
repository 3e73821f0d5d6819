/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts compared with a list of all offsets, before and after encoding; and
 * damaged encodings, which must be refused or describe the same sizes.
 */
#include "src/file/file_layout.h"

#include "test/t.h"

#include <errno.h>
#include <stdlib.h>

#define TILES 3
#define DISP  37
#define ROOM  4096

/* ---- types --------------------------------------------------------------- */

static struct weft_dt *bytes(MPI_Count n)
{
	struct weft_dt *dt;

	T_OK(weft_dt_vector(1, n, n, weft_dt_of(MPI_BYTE), &dt));
	return dt;
}

static struct weft_dt *vector(MPI_Count n, MPI_Count len, MPI_Count stride)
{
	struct weft_dt *dt;

	T_OK(weft_dt_vector(n, len, stride, weft_dt_of(MPI_BYTE), &dt));
	return dt;
}

static struct weft_dt *list(void)
{
	const MPI_Count len[] = { 3, 1, 5, 2 }, disp[] = { 2, 9, 11, 30 };
	struct weft_dt *old = weft_dt_of(MPI_BYTE), *dt;
	const struct weft_dt_blocks b = {
		.n = 4, .blocklen = len, .disp = disp, .old = &old, .same = true
	};

	T_OK(weft_dt_blocks(&b, &dt));
	return dt;
}

/* Returns a type whose parts overlap. */
static struct weft_dt *overlapping(void)
{
	const MPI_Count len[] = { 6, 2, 1 }, disp[] = { 1, 3, 9 };
	struct weft_dt *old = weft_dt_of(MPI_BYTE), *dt;
	const struct weft_dt_blocks b = {
		.n = 3, .blocklen = len, .disp = disp, .old = &old, .same = true
	};

	T_OK(weft_dt_blocks(&b, &dt));
	return dt;
}

/* Returns a type with another extent; drops old. */
static struct weft_dt *resized(struct weft_dt *old, MPI_Count extent)
{
	struct weft_dt *dt;

	T_OK(weft_dt_resized(old, 0, extent, &dt));
	weft_dt_put(old);
	return dt;
}

/* Returns a type of n copies of old at a stride of `stride`; drops old. */
static struct weft_dt *loop(struct weft_dt *old, MPI_Count n, MPI_Count stride)
{
	struct weft_dt *dt;

	T_OK(weft_dt_vector(n, 1, stride, old, &dt));
	weft_dt_put(old);
	return dt;
}

/* Returns a sequence of a loop and a vector. */
static struct weft_dt *sequence(void)
{
	const MPI_Count len[] = { 1, 2 }, disp[] = { 0, 200 };
	struct weft_dt *old[] = { loop(list(), 3, 50),
				  resized(vector(3, 2, 5), 20) };
	const struct weft_dt_blocks b = {
		.n = 2, .blocklen = len, .disp = disp, .old = old
	};
	struct weft_dt *dt;

	T_OK(weft_dt_blocks(&b, &dt));
	weft_dt_put(old[0]);
	weft_dt_put(old[1]);
	return dt;
}

static struct weft_dt *type(int k)
{
	switch (k) {
	case 0:
		return bytes(1);
	case 1:
		return bytes(24);
	case 2:
		return resized(bytes(4), 16);
	case 3:
		return vector(5, 3, 8);
	case 4:
		return list();
	case 5:
		return resized(list(), 64);
	case 6:
		return loop(list(), 4, 40);
	case 7:
		return resized(sequence(), 300);
	case 8:
		return overlapping();
	case 9:
		return resized(bytes(6), 4);
	case 10:
		return resized(list(), 8);
	default:
		return NULL;
	}
}

/* ---- comparison ---------------------------------------------------------- */

/* Compares positions and offsets with a list of the first tiles. */
static void check(const struct file_layout *l)
{
	const struct weft_typed all = { l->dt, NULL, TILES };
	static MPI_Offset at[ROOM];
	struct iovec piece;
	size_t n = 0, pos = 0, next = 0;

	while (weft_pack_iov(&all, &pos, &piece, 1))
		for (size_t i = 0; i < piece.iov_len; i++)
			at[n++] = DISP + (MPI_Offset)(uintptr_t)piece.iov_base +
				  (MPI_Offset)i;
	assert_int_equal(n, TILES * l->dt->size);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(file_layout_offset(l, i), at[i]);
	assert_int_equal(file_layout_end(l, 0, n), at[n - 1] + 1);
	for (MPI_Offset o = 0; o <= at[n - 1]; o++) {
		while (next < n && at[next] < o)
			next++;
		assert_int_equal(file_layout_pos(l, o), next);
	}
}

static void *encode(const struct file_layout *l, size_t *bytes_p)
{
	void *code;

	*bytes_p = file_layout_size(l);
	code = malloc(*bytes_p);
	file_layout_encode(l, code);
	return code;
}

static void offsets_and_positions(void **state)
{
	struct weft_dt *dt;

	for (int k = 0; (dt = type(k)); k++) {
		struct file_layout *l = file_layout_open(dt, DISP), *copy;
		size_t n;
		void *code;

		file_layout_find_overlaps(l);
		assert_int_equal(l->overlaps, k == 8);
		code = encode(l, &n);
		check(l);
		T_OK(file_layout_decode(code, n, &copy));
		check(copy);
		assert_int_equal(copy->contig, l->contig);
		assert_int_equal(copy->grain, l->grain);
		assert_int_equal(copy->pieces, l->pieces);
		assert_int_equal(file_layout_is_ordered(copy, 1, 4), k != 8);
		assert_int_equal(file_layout_is_ordered(copy, 1, 99), k < 8);
		file_layout_close(copy);
		file_layout_close(l);
		weft_dt_put(dt);
		free(code);
	}
}

/* The grain divides every boundary. */
static void grain_divides_boundaries(void **state)
{
	struct weft_dt *dt = resized(vector(4, 8, 32), 256);
	struct file_layout *l = file_layout_open(dt, 64);

	assert_int_equal(l->grain & 7, 0);
	assert_int_equal(l->grain & 8, 8);
	assert_int_equal(l->pieces, 4);
	file_layout_close(l);
	weft_dt_put(dt);
}

/* The buffer of a window has the bytes at their offsets in the window. */
static void typed_buffer_of_a_window(void **state)
{
	struct weft_dt *dt = vector(4, 2, 5);
	struct file_layout *l = file_layout_open(dt, 0);
	char window[20] = "abcdefghijklmnopqrs", out[8];
	struct weft_typed t = file_layout_at(l, window, 100);
	size_t pos = file_layout_pos(l, 102);

	weft_pack(&t, pos, out, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(out[i],
				 'a' + file_layout_offset(l, pos + i) - 100);
	file_layout_close(l);
	weft_dt_put(dt);
}

static void damaged_encodings(void **state)
{
	struct weft_dt *dt;

	for (int k = 0; (dt = type(k)); k++) {
		struct file_layout *l = file_layout_open(dt, DISP), *copy;
		size_t n;
		unsigned char *code = encode(l, &n);

		for (size_t cut = 0; cut < n; cut++)
			assert_int_equal(file_layout_decode(code, cut, &copy),
					 -EPROTO);
		for (size_t i = 0; i < 8 * n; i++) {
			int rc;

			code[i / 8] ^= (unsigned char)(1u << i % 8);
			rc = file_layout_decode(code, n, &copy);
			code[i / 8] ^= (unsigned char)(1u << i % 8);
			assert_true(rc == 0 || rc == -EPROTO || rc == -ENOMEM);
			if (!rc)
				file_layout_close(copy);
		}
		file_layout_close(l);
		weft_dt_put(dt);
		free(code);
	}
}

/* Changes one byte of the encoding of a type; it must be refused. */
static void refuse(struct weft_dt *dt, size_t at)
{
	struct file_layout *l = file_layout_open(dt, DISP), *copy;
	size_t n;
	unsigned char *code = encode(l, &n);

	code[at] ^= 1;
	assert_int_equal(file_layout_decode(code, n, &copy), -EPROTO);
	file_layout_close(l);
	weft_dt_put(dt);
	free(code);
}

#define NODE 96		 /* offset of the root node, bytes */
#define PART (NODE + 48) /* offset of its first part */

static void inconsistent_encodings(void **state)
{
	refuse(bytes(24), NODE + 32);	    /* length of a run */
	refuse(list(), PART + 8);	    /* position of the first part */
	refuse(vector(4, 2, 5), NODE + 24); /* number of runs */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_and_positions),
		cmocka_unit_test(grain_divides_boundaries),
		cmocka_unit_test(typed_buffer_of_a_window),
		cmocka_unit_test(damaged_encodings),
		cmocka_unit_test(inconsistent_encodings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
