/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of datatypes and packing against a naive model (types_dt_model.h). */
#include "test/t.h"

#include "test/support/types_dt_model.h"
#include "src/types/types_pack.h"

#include <stdlib.h>

static void predefined_types_match_their_slots(void **state)
{
	int n = 0;

	for (uintptr_t i = 0; i < 256; i++) {
		struct weft_dt *dt = &weft_dt_predef[i];

		if (!dt->obj.predefined)
			continue;
		n++;
		T_IS(dt->obj.predefined, 0x200 + i);
		T_PTR(weft_dt_of((MPI_Datatype)(0x200 + i)), dt);
		T_PTR(weft_dt_handle(dt), (void *)(0x200 + i));
		T_IS(strncmp(dt->name, "MPI_", 4), 0);
		T_NULL(strchr(dt->name, 0x28));
		if (i >= 0x40 && (i & 0x40) && dt->size != MPI_UNDEFINED)
			T_IS(dt->size, 1 << ((i >> 3) & 7));
	}
	T_IS(n, 72); /* two bound marks included */
	T_NULL(weft_dt_of(MPI_DATATYPE_NULL));
	T_NULL(weft_dt_of(NULL));
	T_NULL(weft_dt_of((MPI_Datatype)MPI_SUM));
}

static void check_numbers(const struct twin *t)
{
	const struct weft_dt *dt = t->dt;
	const struct model *m = t->m;

	T_IS(dt->size, model_size(m));
	T_IS(dt->units, m->n);
	T_IS(dt->lb, model_lb(m));
	T_IS(dt->extent, model_extent(m));
	T_IS(dt->true_lb, model_true_lb(m));
	T_IS(dt->true_lb + dt->true_extent, model_true_ub(m));
}

/* A buffer for elements of a type; `first` is the address of element 0. */
struct arena {
	unsigned char *mem;
	unsigned char *first;
	long bytes;
};

static struct arena arena_open(const struct twin *t, int count)
{
	long last = (count - 1) * model_extent(t->m);
	long lo = model_true_lb(t->m) + (last < 0 ? last : 0);
	long hi = model_true_ub(t->m) + (last > 0 ? last : 0);
	struct arena a = { .bytes = hi - lo };

	a.mem = malloc((size_t)a.bytes + 1);
	a.first = a.mem - lo;
	t_fill(a.mem, (size_t)a.bytes, 7);
	return a;
}

static void check_range(const struct twin *t, const struct weft_typed *ty,
			size_t pos, size_t len)
{
	unsigned char *flat = malloc(len + 1);
	unsigned char *first = ty->buf;

	T_IS(weft_pack(ty, pos, flat, len), len);
	for (size_t i = 0; i < len; i++)
		T_IS(flat[i], first[model_byte(t->m, (long)(pos + i))]);
	free(flat);
}

/* Packs and unpacks ranges of random length, and compares the data. */
static void check_pieces(const struct twin *t, const struct weft_typed *ty,
			 struct weft_rng *r, bool overlaps)
{
	struct arena b = arena_open(t, (int)ty->count);
	struct weft_typed other = { t->dt, b.first, ty->count };
	size_t total = weft_typed_bytes(ty), pos = 0, n;
	unsigned char flat[64];

	memset(b.mem, 0, (size_t)b.bytes);
	while (pos < total) {
		n = weft_pack(ty, pos, flat, 1 + weft_rng_below(r, 64));
		T_IS(weft_unpack(&other, pos, flat, n), n);
		pos += n;
	}
	for (size_t i = 0; i < total && !overlaps; i++) {
		long at = model_byte(t->m, (long)i);

		T_IS(b.first[at], ((unsigned char *)ty->buf)[at]);
	}
	free(b.mem);
}

static void check_iov(const struct twin *t, const struct weft_typed *ty,
		      struct weft_rng *r)
{
	size_t total = weft_typed_bytes(ty), pos = 0, at = 0;
	int pieces = 0, n;
	struct iovec v[5];

	while (pos < total) {
		n = weft_pack_iov(ty, &pos, v, 1 + (int)weft_rng_below(r, 5));
		T_TRUE(n > 0);
		pieces += n;
		for (int i = 0; i < n; i++)
			for (size_t k = 0; k < v[i].iov_len; k++, at++)
				T_PTR((char *)v[i].iov_base + k,
				      (char *)ty->buf +
					      model_byte(t->m, (long)at));
	}
	T_IS(at, total);
	T_IS(weft_pack_iov(ty, &pos, v, 5), 0);
	n = weft_pack_pieces(ty, 1 << 20);
	T_TRUE(n >= pieces);
	for (int limit = 1; limit <= n + 1; limit += 1 + limit / 3)
		T_IS(weft_pack_pieces(ty, limit), limit < n ? limit : n);
}

static void check_elements(const struct twin *t)
{
	long bytes = 0;

	for (int i = 0; i < 2 * t->m->n; i++) {
		int size = t->m->item[i % t->m->n].size;

		T_IS(weft_dt_elements(t->dt, bytes), i);
		T_IS(weft_dt_bytes(t->dt, i), bytes);
		if (size > 1)
			T_IS(weft_dt_elements(t->dt, bytes + 1), -1);
		bytes += size;
	}
}

/*
 * Returns whether two data bytes have the same address, which is legal for
 * sends but not for receives.
 */
static bool has_overlap(const struct twin *t, int count)
{
	struct arena a = arena_open(t, count);
	long total = count * model_size(t->m);
	bool twice = false;

	memset(a.mem, 0, (size_t)a.bytes);
	for (long i = 0; i < total; i++)
		twice = a.first[model_byte(t->m, i)]++ || twice;
	free(a.mem);
	return twice;
}

static void check_twin(struct twin *t, struct weft_rng *r)
{
	int count = (int)weft_rng_below(r, 4);
	struct arena a;
	struct weft_typed ty;
	size_t total, pos;

	check_numbers(t);
	if (t->dt->size == 0 || count == 0)
		return;
	check_elements(t);
	a = arena_open(t, count);
	ty = (struct weft_typed){ t->dt, a.first, count };
	total = weft_typed_bytes(&ty);
	check_range(t, &ty, 0, total);
	for (int i = 0; i < 5; i++) {
		pos = weft_rng_below(r, total);
		check_range(t, &ty, pos, weft_rng_below(r, total - pos + 1));
	}
	check_iov(t, &ty, r);
	check_pieces(t, &ty, r, has_overlap(t, count));
	free(a.mem);
}

static void random_types_match_the_model(void **state)
{
	struct weft_rng r;

	weft_rng_init(&r, 1, 0);
	for (int i = 0; i < t_scale(3000); i++) {
		struct twin t = twin_random(&r, 1 + i % 4, 600);

		check_twin(&t, &r);
		twin_close(&t);
	}
}

static void darrays_match_the_model(void **state)
{
	const MPI_Count gsizes[] = { 7, 5, 3 };
	const int psizes[] = { 2, 3, 1 };
	const int distribs[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK,
				 MPI_DISTRIBUTE_NONE };
	struct weft_dt_darray a = { .size = 6,
				    .ndims = 3,
				    .gsizes = gsizes,
				    .distribs = distribs,
				    .psizes = psizes };
	struct twin old = twin_basic(MPI_INT), t;
	struct weft_rng r;

	weft_rng_init(&r, 2, 0);
	for (int k = 0; k < 36; k++) {
		int dargs[] = { k / 12 ? k / 12 + 1 : MPI_DISTRIBUTE_DFLT_DARG,
				MPI_DISTRIBUTE_DFLT_DARG,
				MPI_DISTRIBUTE_DFLT_DARG };

		a.dargs = dargs;
		a.rank = k % 6;
		a.order = k % 12 < 6 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
		t = twin_darray(&a, &old);
		check_twin(&t, &r);
		twin_close(&t);
	}
	twin_close(&old);
}

static void regular_types_get_simple_nodes(void **state)
{
	struct twin i = twin_basic(MPI_INT), v, w;
	MPI_Count len[3] = { 2, 2, 2 }, disp[3] = { 0, 16, 32 };

	v = twin_vector(5, 3, 12, &i);
	T_IS(v.dt->root.kind, WEFT_DTN_RUN);
	T_TRUE(weft_dt_is_contig(v.dt));
	twin_close(&v);
	v = twin_blocks(3, len, disp, &i, true);
	T_IS(v.dt->root.kind, WEFT_DTN_VEC);
	w = twin_vector(4, 1, 48, &v);
	T_IS(w.dt->root.kind, WEFT_DTN_VEC);
	T_IS(w.dt->root.count, 12);
	twin_close(&w);
	disp[2] = 24;
	twin_close(&v);
	v = twin_blocks(3, len, disp, &i, true);
	T_IS(v.dt->root.kind, WEFT_DTN_IDX);
	T_IS(v.dt->root.count, 2);
	twin_close(&v);
	twin_close(&i);
}

static void copy_between_different_layouts(void **state)
{
	struct twin d = twin_basic(MPI_DOUBLE), v, w;
	double a[60], b[60], flat[60] = { 0 };
	MPI_Count len[2] = { 2, 1 }, disp[2] = { 40, 0 };

	for (int i = 0; i < 60; i++)
		a[i] = i, b[i] = -1;
	v = twin_vector(3, 1, 16, &d);
	w = twin_blocks(2, len, disp, &d, true);
	T_IS(weft_pack_copy(&(struct weft_typed){ w.dt, b, 2 },
			    &(struct weft_typed){ v.dt, a, 2 }),
	     48);
	T_TRUE(b[5] == 0 && b[6] == 2 && b[0] == 4);
	T_TRUE(b[12] == 5 && b[13] == 7 && b[7] == 9);
	T_TRUE(b[1] == -1 && b[8] == -1);
	T_IS(weft_pack_copy(&(struct weft_typed){ d.dt, flat, 6 },
			    &(struct weft_typed){ w.dt, b, 2 }),
	     48);
	T_TRUE(flat[0] == 0 && flat[1] == 2 && flat[5] == 9);
	twin_close(&v);
	twin_close(&w);
	twin_close(&d);
}

static void external32_is_big_endian_and_round_trips(void **state)
{
	struct twin old[3] = { twin_basic(MPI_SHORT), twin_basic(MPI_LONG),
			       twin_basic(MPI_DOUBLE) };
	MPI_Count len[3] = { 1, 1, 1 }, disp[3] = { 0, 8, 16 };
	struct {
		short s;
		long l;
		double d;
	} x = { 0x0102, -3, 1.0 }, y = { 0, 0, 0 };
	const unsigned char want[] = { 1,    2, 0xff, 0xff, 0xff, 0xfd, 0x3f,
				       0xf0, 0, 0,    0,    0,	  0,	0 };
	unsigned char ext[32];
	struct twin t = twin_blocks(3, len, disp, old, false);
	struct weft_typed in = { t.dt, &x, 1 }, out = { t.dt, &y, 1 };
	long double ld = -1.5L, back = 0;
	struct weft_typed ldt = { weft_dt_of(MPI_LONG_DOUBLE), &ld, 1 };

	T_IS(weft_pack_ext_size(t.dt), 14);
	T_IS(weft_pack_ext(&in, ext), 14);
	T_MEM(ext, want, 14);
	T_IS(weft_unpack_ext(&out, ext), 14);
	T_TRUE(y.s == x.s && y.l == x.l && y.d == x.d);
	T_IS(weft_pack_ext(&ldt, ext), 16);
	T_MEM(ext, ((unsigned char[]){ 0xbf, 0xff, 0x80, 0 }), 4);
	ldt.buf = &back;
	T_IS(weft_unpack_ext(&ldt, ext), 16);
	T_TRUE(back == ld);
	twin_close(&t);
	for (int i = 0; i < 3; i++)
		twin_close(&old[i]);
}

static void sizes_beyond_64_bits_are_refused(void **state)
{
	struct weft_dt *i = weft_dt_of(MPI_INT), *t = NULL, *u = NULL;

	T_OK(weft_dt_vector(1, (MPI_Count)1 << 50, 0, i, &t));
	T_IS(t->size, (MPI_Count)1 << 52);
	T_IS(weft_dt_vector(1, (MPI_Count)1 << 50, 0, t, &u), -EOVERFLOW);
	T_IS(weft_dt_vector((MPI_Count)1 << 40, 1, (MPI_Count)1 << 40, i, &u),
	     -EOVERFLOW);
	T_NULL(u);
	weft_dt_put(t);
}

/* ---- messages larger than the cache ---- */

#define LARGE	 (3 << 20) /* size of the packed data, bytes */
/* bytes per call: ranges begin and end inside a block */
#define ODD_STEP 10007

struct place {
	MPI_Count off, len;
};

/*
 * Packs and unpacks a type with n blocks at these offsets of mem, and compares
 * with separate copies of the blocks.
 */
static void check_large_pack(struct weft_dt *dt, const struct place *at,
			     size_t n, unsigned char *mem, size_t bytes)
{
	unsigned char *flat = malloc(LARGE + ODD_STEP);
	unsigned char *want = malloc(LARGE + ODD_STEP);
	struct weft_typed ty = { dt, mem, 1 };
	size_t all = 0, pos;

	t_fill(mem, bytes, 1);
	for (size_t i = 0; i < n; i++) {
		memcpy(want + all, mem + at[i].off, (size_t)at[i].len);
		all += (size_t)at[i].len;
	}
	T_TRUE(all >= LARGE - 4096 && all == weft_typed_bytes(&ty));
	for (pos = 0; pos < all; pos += ODD_STEP)
		weft_pack(&ty, pos, flat + pos, ODD_STEP);
	T_IS(memcmp(flat, want, all), 0);
	memset(mem, 0, bytes);
	for (pos = 0; pos < all; pos += ODD_STEP)
		weft_unpack(&ty, pos, want + pos, ODD_STEP);
	for (size_t i = 0; i < n; i++) {
		T_IS(memcmp(mem + at[i].off, flat, (size_t)at[i].len), 0);
		flat += at[i].len;
		memset(mem + at[i].off, 0, (size_t)at[i].len);
	}
	for (pos = 0; pos < bytes && !mem[pos]; pos++)
		;
	T_IS(pos, bytes);
	free(flat - all);
	free(want);
}

static void large_vectors_are_packed(void **state)
{
	static const struct place shape[] = { /* stride, length */
					      { 16, 8 },
					      { 128, 64 },
					      { 512, 200 },
					      { 4096, 24 },
					      { 2048, 1200 }
	};
	struct weft_dt *v;

	for (size_t k = 0; k < sizeof(shape) / sizeof(shape[0]); k++) {
		size_t n = LARGE / (size_t)shape[k].len;
		size_t bytes = n * (size_t)shape[k].off;
		struct place *at = calloc(n, sizeof(*at));
		unsigned char *mem = malloc(bytes);

		for (size_t i = 0; i < n; i++)
			at[i] = (struct place){ (MPI_Count)i * shape[k].off,
						shape[k].len };
		T_OK(weft_dt_vector((MPI_Count)n, shape[k].len, shape[k].off,
				    weft_dt_of(MPI_BYTE), &v));
		check_large_pack(v, at, n, mem, bytes);
		weft_dt_put(v);
		free(mem);
		free(at);
	}
}

/* Types of two blocks, and the only predefined type of which they consist. */
static void the_element_of_a_type(void **state)
{
	static const MPI_Count disp[] = { 0, 16 };
	static const struct {
		MPI_Datatype a, b, element;
		MPI_Count len[2];
	} row[] = {
		{ MPI_INT, MPI_INT, MPI_INT, { 1, 2 } },
		{ MPI_INT, MPI_DOUBLE, NULL, { 1, 1 } },
		{ MPI_INT, MPI_DOUBLE, MPI_INT, { 1, 0 } },
		{ MPI_INT, MPI_DOUBLE, MPI_DOUBLE, { 0, 1 } },
		{ MPI_2INT, MPI_2INT, MPI_2INT, { 1, 1 } },
		{ MPI_2INT, MPI_INT, NULL, { 1, 1 } },
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(row); i++) {
		struct weft_dt *old[] = { weft_dt_of(row[i].a),
					  weft_dt_of(row[i].b) };
		const struct weft_dt_blocks b = { 2,	0,   row[i].len,
						  disp, old, false };
		struct weft_dt *t, *v;

		T_OK(weft_dt_blocks(&b, &t));
		T_OK(weft_dt_vector(3, 2, 100, t, &v));
		T_PTR(weft_dt_element(t),
		      row[i].element ? weft_dt_of(row[i].element) : NULL);
		T_PTR(weft_dt_element(v), weft_dt_element(t));
		weft_dt_put(v);
		weft_dt_put(t);
	}
	T_PTR(weft_dt_element(weft_dt_of(MPI_CHAR)), weft_dt_of(MPI_CHAR));
}

static void large_lists_are_packed(void **state)
{
	enum { PARTS = LARGE / 64 };
	struct place *at = calloc(PARTS, sizeof(*at));
	MPI_Count *len = calloc(PARTS, sizeof(*len));
	MPI_Count *off = calloc(PARTS, sizeof(*off)), next = 0;
	struct weft_dt *byte = weft_dt_of(MPI_BYTE), *t;
	const struct weft_dt_blocks b = { PARTS, 0, len, off, &byte, true };
	unsigned char *mem;

	for (MPI_Count i = 0; i < PARTS; i++) {
		len[i] = 4 * (4 + i * 7 % 25);
		off[i] = next + 4 * (i * 5 % 11);
		next = off[i] + len[i] + 4;
		at[i] = (struct place){ off[i], len[i] };
	}
	mem = malloc((size_t)next);
	T_OK(weft_dt_blocks(&b, &t));
	check_large_pack(t, at, PARTS, mem, (size_t)next);
	weft_dt_put(t);
	free(mem);
	free(off);
	free(len);
	free(at);
}

static void component_types_survive_their_free(void **state)
{
	struct weft_dt *v, *w;
	int a[12], flat[4];
	struct weft_typed ty;

	for (int i = 0; i < 12; i++)
		a[i] = i;
	T_OK(weft_dt_vector(2, 1, 8, weft_dt_of(MPI_INT), &v));
	T_OK(weft_dt_vector(2, 1, 28, v, &w));
	weft_dt_put(v);
	ty = (struct weft_typed){ w, a, 1 };
	T_IS(weft_pack(&ty, 0, flat, 99), 16);
	T_TRUE(flat[0] == 0 && flat[1] == 2 && flat[2] == 7 && flat[3] == 9);
	weft_dt_put(w);
}

static void *get_and_put(void *arg)
{
	struct weft_dt *dt = *(struct weft_dt **)arg, *v;

	for (int i = 0; i < t_scale(20000); i++) {
		T_OK(weft_dt_vector(2, 1, 64, dt, &v));
		weft_dt_put(v);
	}
	return NULL;
}

static void threads_share_a_type(void **state)
{
	struct weft_dt *v;

	T_OK(weft_dt_vector(2, 1, 8, weft_dt_of(MPI_INT), &v));
	t_threads(4, get_and_put, &v, 0);
	T_IS(weft_load32(&v->obj.refs), 1);
	weft_dt_put(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE_ONE_THREAD(predefined_types_match_their_slots),
		T_CASE_ONE_THREAD(random_types_match_the_model),
		T_CASE_ONE_THREAD(darrays_match_the_model),
		T_CASE_ONE_THREAD(regular_types_get_simple_nodes),
		T_CASE_ONE_THREAD(copy_between_different_layouts),
		T_CASE_ONE_THREAD(external32_is_big_endian_and_round_trips),
		T_CASE_ONE_THREAD(sizes_beyond_64_bits_are_refused),
		T_CASE_ONE_THREAD(large_vectors_are_packed),
		T_CASE_ONE_THREAD(the_element_of_a_type),
		T_CASE_ONE_THREAD(large_lists_are_packed),
		T_CASE_ONE_THREAD(component_types_survive_their_free),
		T_CASE(threads_share_a_type),
	};

	return T_RUN(tests);
}
