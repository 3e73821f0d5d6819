/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatype constructors: sizes, bounds, envelopes, contents, errors. */
#include "mpi_t.h"

#include <limits.h>

static void bounds_are(MPI_Datatype t, int size, MPI_Aint lb, MPI_Aint extent)
{
	MPI_Aint l, e;
	MPI_Count lc, ec, sc;
	int s;

	MT_OK(MPI_Type_size(t, &s));
	MT_OK(MPI_Type_get_extent(t, &l, &e));
	MT_OK(MPI_Type_get_extent_c(t, &lc, &ec));
	MT_OK(MPI_Type_size_c(t, &sc));
	MT_TRUE(s == size && l == lb && e == extent);
	MT_TRUE(sc == size && lc == lb && ec == extent);
}

static void constructors(void)
{
	int len[3] = { 2, 1, 3 }, disp[3] = { 5, 0, 8 };
	int sizes[2] = { 4, 6 }, sub[2] = { 2, 3 }, start[2] = { 1, 2 };
	MPI_Aint at[3] = { 40, 0, 64 }, lb, extent;
	MPI_Datatype types[3] = { MPI_DOUBLE, MPI_CHAR, MPI_INT }, t, u;

	MT_OK(MPI_Type_contiguous(5, MPI_DOUBLE, &t));
	bounds_are(t, 40, 0, 40);
	MT_OK(MPI_Type_create_resized(t, -8, 64, &u));
	bounds_are(u, 40, -8, 64);
	MT_OK(MPI_Type_get_true_extent(u, &lb, &extent));
	MT_TRUE(lb == 0 && extent == 40);
	MPI_Type_free(&t);
	MPI_Type_free(&u);

	MT_OK(MPI_Type_vector(3, 2, -4, MPI_INT, &t));
	bounds_are(t, 24, -32, 40);
	MPI_Type_free(&t);
	MT_OK(MPI_Type_indexed(3, len, disp, MPI_INT, &t));
	bounds_are(t, 24, 0, 44);
	MPI_Type_free(&t);
	MT_OK(MPI_Type_create_indexed_block(3, 2, disp, MPI_SHORT, &t));
	bounds_are(t, 12, 0, 20);
	MPI_Type_free(&t);
	MT_OK(MPI_Type_create_hindexed(3, len, at, MPI_CHAR, &t));
	bounds_are(t, 6, 0, 67);
	MPI_Type_free(&t);
	MT_OK(MPI_Type_create_struct(3, len, at, types, &t));
	bounds_are(t, 29, 0, 80);
	MPI_Type_free(&t);
	MT_OK(MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C,
				       MPI_INT, &t));
	bounds_are(t, 24, 0, 96);
	MT_OK(MPI_Type_get_true_extent(t, &lb, &extent));
	MT_TRUE(lb == 32 && extent == 36);
	MPI_Type_free(&t);
	MT_IS(t, MPI_DATATYPE_NULL);
}

/*
 * The extent is rounded up to the alignment once, from the bytes of the whole
 * type map; the rounding of a component has no effect.
 */
static void odd_strides(void)
{
	MPI_Datatype t, u, v;

	MT_OK(MPI_Type_create_hvector(2, 1, 5, MPI_INT, &t));
	bounds_are(t, 8, 0, 12); /* bytes 0 to 9 */
	MT_OK(MPI_Type_create_hvector(2, 1, 13, t, &u));
	bounds_are(u, 16, 0, 24); /* bytes 0 to 22, not to 25 */
	MT_OK(MPI_Type_create_hvector(3, 1, 7, u, &v));
	bounds_are(v, 48, 0, 36); /* bytes 0 to 36 */
	MPI_Type_free(&u);
	MPI_Type_free(&v);
	/* components of a contiguous type keep their extents */
	MT_OK(MPI_Type_contiguous(2, t, &u));
	bounds_are(u, 16, 0, 24); /* bytes 12 to 21 are the second component */
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	MT_OK(MPI_Type_create_hvector(2, 1, -5, MPI_INT, &t));
	bounds_are(t, 8, -5, 12);
	MPI_Type_free(&t);
}

/*
 * Tests MPI_LB and MPI_UB, which MPI 3.0 removed: they set bounds without
 * adding data.
 */
static void lb_ub_markers(void)
{
	int len[3] = { 1, 1, 1 }, in[8], out[3], n, i;
	MPI_Aint at[3] = { -4, 0, 100 }, two[2] = { 0, 10 };
	MPI_Datatype all[3] = { MPI_LB, MPI_INT, MPI_UB };
	MPI_Datatype ub[2] = { MPI_INT, MPI_UB }, lb[2] = { MPI_INT, MPI_LB };
	MPI_Datatype parts[2], t, u;
	MPI_Status st;
	char row[40];

	bounds_are(MPI_UB, 0, 0, 0);
	MT_OK(MPI_Type_struct(3, len, at, all, &t));
	bounds_are(t, 4, -4, 104);
	MPI_Type_free(&t);
	two[1] = -3;
	MT_OK(MPI_Type_struct(2, len, two, lb, &t));
	bounds_are(t, 4, -3, 8); /* bytes -3 to 4, rounded up */
	MPI_Type_free(&t);
	two[1] = 10;
	MT_OK(MPI_Type_create_struct(2, len, two, ub, &t));
	bounds_are(t, 4, 0, 10);
	/*
	 * explicit bounds are inherited: data beyond a marker does not move the
	 * bound
	 */
	parts[0] = t;
	parts[1] = MPI_INT;
	two[1] = 20;
	MT_OK(MPI_Type_struct(2, len, two, parts, &u));
	bounds_are(u, 8, 0, 10);
	MPI_Type_free(&u);
	MT_OK(MPI_Type_hvector(2, 1, 30, t, &u));
	bounds_are(u, 8, 0, 40);
	MPI_Type_free(&u);
	MT_OK(MPI_Type_commit(&t));
	for (i = 0; i < 3; i++)
		out[i] = 70 + i;
	MT_OK(MPI_Sendrecv(out, 3, MPI_INT, 0, 1, row, 3, t, 0, 1,
			   MPI_COMM_SELF, &st));
	MT_OK(MPI_Get_count(&st, t, &n));
	MT_IS(n, 3);
	MT_OK(MPI_Get_elements(&st, t, &n));
	MT_IS(n, 3);
	for (i = 0; i < 3; i++) {
		memcpy(in, row + 10 * i, sizeof(int));
		MT_IS(in[0], 70 + i);
	}
	MPI_Type_free(&t);
}

static void empty_blocks(void)
{
	int len[3] = { 0, 4, 0 }, i[4], data[6] = { 1, 2, 3, 4, 5, 6 };
	MPI_Aint at[3] = { INT64_MAX, 8, INT64_MIN }, a[3];
	MPI_Datatype t, old;
	int packed[4], pos = 0;

	MT_OK(MPI_Type_create_hindexed(3, len, at, MPI_INT, &t));
	bounds_are(t, 16, 8, 16);
	MT_OK(MPI_Type_get_contents(t, 4, 3, 1, i, a, &old));
	MT_TRUE(a[0] == INT64_MAX && a[1] == 8 && a[2] == INT64_MIN);
	MT_OK(MPI_Type_commit(&t));
	MT_OK(MPI_Pack(data, 1, t, packed, sizeof(packed), &pos,
		       MPI_COMM_SELF));
	MT_TRUE(pos == sizeof(packed) && packed[0] == 3 && packed[3] == 6);
	MPI_Type_free(&t);
	MT_OK(MPI_Type_create_hindexed_block(3, 0, at, MPI_INT, &t));
	bounds_are(t, 0, 0, 0);
	MPI_Type_free(&t);
}

static void contents(void)
{
	int len[2] = { 3, 1 }, i[8], ni, na, nd, combiner;
	MPI_Count lens[2] = { 3, 1 }, disps[2] = { 0, 32 }, c[8];
	MPI_Count nic, nac, ncc, ndc;
	MPI_Aint at[2] = { 0, 32 }, a[4];
	MPI_Datatype v, types[2], t, got[2];

	MT_OK(MPI_Type_vector(2, 1, 3, MPI_INT, &v));
	types[0] = v;
	types[1] = MPI_DOUBLE;
	MT_OK(MPI_Type_create_struct(2, len, at, types, &t));
	MT_OK(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
	MT_TRUE(ni == 3 && na == 2 && nd == 2);
	MT_IS(combiner, MPI_COMBINER_STRUCT);
	MT_OK(MPI_Type_get_contents(t, 8, 4, 2, i, a, got));
	MT_TRUE(i[0] == 2 && i[1] == 3 && i[2] == 1 && a[1] == 32);
	MT_IS(got[1], MPI_DOUBLE);
	MPI_Type_free(&v);
	MT_OK(MPI_Type_get_envelope(got[0], &ni, &na, &nd, &combiner));
	MT_TRUE(combiner == MPI_COMBINER_VECTOR && ni == 3);
	MT_OK(MPI_Type_get_contents(got[0], 8, 4, 1, i, a, got + 1));
	MT_TRUE(i[0] == 2 && i[1] == 1 && i[2] == 3 && got[1] == MPI_INT);
	MPI_Type_free(&t);

	types[0] = got[0];
	MT_OK(MPI_Type_create_struct_c(2, lens, disps, types, &t));
	MT_OK(MPI_Type_get_envelope_c(t, &nic, &nac, &ncc, &ndc, &combiner));
	MT_TRUE(nic == 0 && nac == 0 && ncc == 5 && ndc == 2);
	MT_OK(MPI_Type_get_contents_c(t, 0, 0, 8, 2, i, a, c, got));
	MT_TRUE(c[0] == 2 && c[1] == 3 && c[4] == 32);
	MT_IS(mt_class(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner)),
	      MPI_ERR_TYPE);
	MPI_Type_free(&got[0]);
	MPI_Type_free(&types[0]);
	MPI_Type_free(&t);
	MT_OK(MPI_Type_get_envelope(MPI_INT, &ni, &na, &nd, &combiner));
	MT_TRUE(combiner == MPI_COMBINER_NAMED && !ni && !na && !nd);
}

static void predefined(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Datatype t, u;
	int size, n, ni, na, nd, combiner;

	MPI_Type_get_name(MPI_DOUBLE, name, &n);
	MT_TRUE(!strcmp(name, "MPI_DOUBLE") && n == 10);
	/* MPI_LONG_LONG is a synonym and has the name of the original type */
	MPI_Type_get_name(MPI_LONG_LONG, name, &n);
	MT_TRUE(!strcmp(name, "MPI_LONG_LONG_INT"));
	MPI_Type_get_name(MPI_C_FLOAT_COMPLEX, name, &n);
	MT_TRUE(!strcmp(name, "MPI_C_COMPLEX"));
	MT_OK(MPI_Type_size(MPI_REAL2, &size));
	MT_IS(size, MPI_UNDEFINED);
	MT_OK(MPI_Type_size(MPI_DOUBLE_INT, &size));
	MT_IS(size, 12);
	MT_OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t));
	MT_IS(t, MPI_REAL8);
	MT_OK(MPI_Type_create_f90_real(12, 200, &t));
	MT_OK(MPI_Type_create_f90_real(12, 200, &u));
	MT_IS(t, u);
	MPI_Type_size(t, &size);
	MT_IS(size, 8);
	MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
	MT_TRUE(combiner == MPI_COMBINER_F90_REAL && ni == 2);
	MT_OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &t));
	MT_IS(t, MPI_DOUBLE_INT);
	MT_OK(MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &t));
	MT_IS(t, MPI_DATATYPE_NULL);
	MT_OK(MPI_Type_dup(MPI_INT, &t));
	MT_OK(MPI_Type_set_name(t, "mine"));
	MPI_Type_get_name(t, name, &n);
	MT_TRUE(!strcmp(name, "mine"));
	MT_IS(MPI_Type_fromint(MPI_Type_toint(t)), t);
	MT_IS(MPI_Type_toint(MPI_INT), 0x209);
	MPI_Type_free(&t);
}

static void large(void)
{
	MPI_Datatype t, u;
	MPI_Count size;
	int n;

	MT_OK(MPI_Type_contiguous(INT_MAX, MPI_INT, &t));
	MT_OK(MPI_Type_contiguous_c((MPI_Count)1 << 34, MPI_DOUBLE, &u));
	MT_OK(MPI_Type_size(t, &n));
	MT_IS(n, MPI_UNDEFINED);
	MT_OK(MPI_Type_size_x(u, &size));
	MT_IS(size, (MPI_Count)1 << 37);
	MPI_Type_free(&t);
	MPI_Type_free(&u);
}

static void errors(void)
{
	MPI_Datatype t = MPI_INT, u;
	int len[1] = { -1 }, disp[1] = { 0 }, n;
	char text[MPI_MAX_ERROR_STRING];
	int code;

	MT_IS(mt_class(MPI_Type_contiguous(-1, MPI_INT, &u)), MPI_ERR_COUNT);
	MT_IS(mt_class(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &u)),
	      MPI_ERR_TYPE);
	MT_IS(mt_class(MPI_Type_indexed(1, len, disp, MPI_INT, &u)),
	      MPI_ERR_ARG);
	MT_IS(mt_class(MPI_Type_free(&t)), MPI_ERR_TYPE);
	MT_IS(mt_class(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &u)),
	      MPI_ERR_ARG);
	MT_OK(MPI_Type_contiguous(2, MPI_INT, &u));
	code = MPI_Send(&n, 1, u, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MT_IS(mt_class(code), MPI_ERR_TYPE);
	MPI_Error_string(code, text, &n);
	MT_TRUE(strstr(text, "not committed"));
	MPI_Type_free(&u);
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	constructors();
	odd_strides();
	lb_ub_markers();
	empty_blocks();
	contents();
	predefined();
	large();
	errors();
	return mt_end();
}
