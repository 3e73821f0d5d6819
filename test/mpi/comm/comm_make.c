/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All constructors of intracommunicators; messages of different communicators
 * are kept apart.
 */
#include "mpi_t.h"

#include <limits.h>

static int sum_of_ranks(MPI_Comm c)
{
	int r, sum;

	MPI_Comm_rank(c, &r);
	MT_OK(MPI_Allreduce(&r, &sum, 1, MPI_INT, MPI_SUM, c));
	return sum;
}

static void copies(void)
{
	MPI_Comm a, b, c[6];
	MPI_Request q[6];
	char name[MPI_MAX_OBJECT_NAME];
	int x, i, n;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &a));
	MT_OK(MPI_Comm_compare(a, MPI_COMM_WORLD, &x));
	MT_IS(x, MPI_CONGRUENT);
	MT_OK(MPI_Comm_set_name(a, "mine"));
	MT_OK(MPI_Comm_get_name(a, name, &n));
	MT_TRUE(!strcmp(name, "mine") && n == 4);
	MT_OK(MPI_Comm_dup_with_info(a, MPI_INFO_NULL, &b));
	/* several duplications in flight, and a collective in between */
	for (i = 0; i < 6; i++)
		MT_OK(MPI_Comm_idup(b, &c[i], &q[i]));
	MT_IS(sum_of_ranks(b), mt_size * (mt_size - 1) / 2);
	MT_OK(MPI_Waitall(6, q, MPI_STATUSES_IGNORE));
	for (i = 0; i < 6; i++) {
		MT_IS(sum_of_ranks(c[i]), mt_size * (mt_size - 1) / 2);
		MT_OK(MPI_Comm_free(&c[i]));
	}
	MT_OK(MPI_Comm_free(&a));
	MT_IS(a, MPI_COMM_NULL);
	MT_OK(MPI_Comm_free(&b));
}

static void splits(void)
{
	MPI_Comm c, d;
	int r, n, local_ranks = mt_local_ranks(MPI_COMM_WORLD);

	MT_OK(MPI_Comm_split(MPI_COMM_WORLD, mt_rank % 3, -mt_rank, &c));
	MPI_Comm_rank(c, &r);
	MPI_Comm_size(c, &n);
	MT_IS(n, (mt_size - mt_rank % 3 + 2) / 3);
	MT_IS(r, n - 1 - mt_rank / 3);
	MT_IS(sum_of_ranks(c), n * (n - 1) / 2);
	MT_OK(MPI_Comm_split(c, r ? MPI_UNDEFINED : 0, 0, &d));
	MT_IS(d == MPI_COMM_NULL, r != 0);
	if (d != MPI_COMM_NULL)
		MT_OK(MPI_Comm_free(&d));
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
				  MPI_INFO_NULL, &c));
	MPI_Comm_size(c, &n);
	MT_IS(n, local_ranks);
	MT_OK(MPI_Comm_free(&c));
	/* the result is MPI_COMM_NULL unless it is a proper subset */
	MT_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0,
				  MPI_INFO_NULL, &c));
	MT_IS(c == MPI_COMM_NULL, local_ranks == mt_size);
	if (c == MPI_COMM_NULL)
		return;
	MPI_Comm_size(c, &n);
	MT_IS(n, local_ranks);
	MT_OK(MPI_Comm_free(&c));
}

static int color_of(int rank)
{
	return rank % 5 == 3 ? MPI_UNDEFINED : rank % 2;
}

/* Keys: equal, descending, the extreme numbers, and repeated. */
static int key_of(int rank, int pattern)
{
	const int keys[] = { 0, -rank, rank % 4 < 2 ? INT_MAX : INT_MIN,
			     rank * 7 % 3 };

	return keys[pattern];
}

/* Ranks are ordered by their keys; equal keys keep the order of ranks. */
static void order_of_keys(void)
{
	for (int pattern = 0; pattern < 4; pattern++) {
		int want = 0, members = 0, mine = key_of(mt_rank, pattern);
		int rank, size;
		MPI_Comm c;

		for (int i = 0; i < mt_size; i++) {
			int key = key_of(i, pattern);

			if (color_of(i) != color_of(mt_rank))
				continue;
			members++;
			want += key < mine || (key == mine && i < mt_rank);
		}
		MT_OK(MPI_Comm_split(MPI_COMM_WORLD, color_of(mt_rank), mine,
				     &c));
		MT_IS(c == MPI_COMM_NULL, color_of(mt_rank) == MPI_UNDEFINED);
		if (c == MPI_COMM_NULL)
			continue;
		MPI_Comm_rank(c, &rank);
		MPI_Comm_size(c, &size);
		MT_IS(rank, want);
		MT_IS(size, members);
		MT_OK(MPI_Comm_free(&c));
	}
}

/* Splits by every resource name that the library offers. */
static void by_resource(void)
{
	char key[MPI_MAX_INFO_KEY], val[16];
	MPI_Info hw, want;
	MPI_Comm c;
	int n, i, flag, len;

	MT_OK(MPI_Get_hw_resource_info(&hw));
	MT_OK(MPI_Info_get_nkeys(hw, &n));
	MT_TRUE(n > 0);
	for (i = 0; i < n; i++) {
		len = sizeof(val);
		MT_OK(MPI_Info_get_nthkey(hw, i, key));
		MT_OK(MPI_Info_get_string(hw, key, &len, val, &flag));
		MT_TRUE(flag);
		MT_TRUE(!strcmp(val, "true") || !strcmp(val, "false"));
		MT_OK(MPI_Info_create(&want));
		MT_OK(MPI_Info_set(want, "mpi_hw_resource_type", key));
		MT_OK(MPI_Comm_split_type(
			MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, want, &c));
		MT_OK(MPI_Info_free(&want));
		MT_TRUE(c != MPI_COMM_NULL || strcmp(val, "true"));
		if (c != MPI_COMM_NULL)
			MT_OK(MPI_Comm_free(&c));
	}
	MT_OK(MPI_Info_free(&hw));
}

static void by_group(void)
{
	MPI_Group w, g;
	MPI_Comm c;
	int range[1][3] = { { 0, mt_size - 1, 2 } };
	int n, r;

	MT_OK(MPI_Comm_group(MPI_COMM_WORLD, &w));
	MT_OK(MPI_Group_range_incl(w, 1, range, &g));
	MT_OK(MPI_Comm_create(MPI_COMM_WORLD, g, &c));
	MT_IS(c == MPI_COMM_NULL, mt_rank % 2);
	if (c != MPI_COMM_NULL) {
		MPI_Comm_size(c, &n);
		MT_IS(n, (mt_size + 1) / 2);
		MT_OK(MPI_Comm_free(&c));
	}
	/* only the members make this call */
	if (mt_rank % 2 == 0) {
		MT_OK(MPI_Comm_create_group(MPI_COMM_WORLD, g, 17, &c));
		MPI_Comm_rank(c, &r);
		MT_IS(r, mt_rank / 2);
		MT_IS(sum_of_ranks(c),
		      (mt_size + 1) / 2 * ((mt_size + 1) / 2 - 1) / 2);
		MT_OK(MPI_Comm_free(&c));
		MT_OK(MPI_Comm_create_from_group(g, "weft/test", MPI_INFO_NULL,
						 MPI_ERRORS_RETURN, &c));
		MPI_Comm_size(c, &n);
		MT_IS(n, (mt_size + 1) / 2);
		MT_OK(MPI_Comm_disconnect(&c));
		MT_IS(c, MPI_COMM_NULL);
	}
	MT_OK(MPI_Group_free(&g));
	MT_OK(MPI_Group_free(&w));
}

/*
 * Equal tags in two communicators: each receive gets the message of its
 * communicator.
 */
static void contexts(void)
{
	MPI_Comm c;
	MPI_Request s[2];
	int next = (mt_rank + 1) % mt_size;
	int prev = (mt_rank + mt_size - 1) % mt_size;
	int a = 1, b = 2, x, y;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MT_OK(MPI_Isend(&a, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &s[0]));
	MT_OK(MPI_Isend(&b, 1, MPI_INT, next, 5, c, &s[1]));
	MT_OK(MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c,
		       MPI_STATUS_IGNORE));
	MT_OK(MPI_Recv(&x, 1, MPI_INT, prev, MPI_ANY_TAG, MPI_COMM_WORLD,
		       MPI_STATUS_IGNORE));
	MT_IS(x, 1);
	MT_IS(y, 2);
	MT_OK(MPI_Waitall(2, s, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Comm_free(&c));
}

/*
 * The communicator is freed while a receive is pending; the request stays
 * valid.
 */
static void freed_early(void)
{
	MPI_Comm c;
	MPI_Request r;
	int next = (mt_rank + 1) % mt_size;
	int x;

	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MT_OK(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, c, &r));
	MT_OK(MPI_Send(&mt_rank, 1, MPI_INT, next, 1, c));
	MT_OK(MPI_Comm_free(&c));
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	MT_IS(x, (mt_rank + mt_size - 1) % mt_size);
}

/* More communicators are created than there are ids: ids are reused. */
static void many(void)
{
	MPI_Comm c, d;
	int i;

	for (i = 0; i < (mt_size > 8 ? 50 : 500); i++) {
		MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		MT_OK(MPI_Comm_split(c, 0, 0, &d));
		MT_OK(MPI_Comm_free(&c));
		MT_OK(MPI_Comm_free(&d));
	}
}

/*
 * A creation from a group and a duplication are in flight at the same time,
 * started in either order.
 */
static void in_any_order(void)
{
	MPI_Comm copy, group;
	MPI_Request q;
	MPI_Group w;

	MT_OK(MPI_Comm_group(MPI_COMM_WORLD, &w));
	if (mt_rank % 2 == 0)
		MT_OK(MPI_Comm_create_group(MPI_COMM_WORLD, w, 0, &group));
	MT_OK(MPI_Comm_idup(MPI_COMM_WORLD, &copy, &q));
	if (mt_rank % 2)
		MT_OK(MPI_Comm_create_group(MPI_COMM_WORLD, w, 0, &group));
	MT_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	MT_IS(sum_of_ranks(copy), sum_of_ranks(group));
	MT_OK(MPI_Group_free(&w));
	MT_OK(MPI_Comm_free(&copy));
	MT_OK(MPI_Comm_free(&group));
}

/*
 * The first WITH_INFO constructors have an info argument. The others have none,
 * and the new communicator does not inherit the hints of its parent.
 */
enum { WITH_INFO = 6, CONSTRUCTORS = 11 };

static MPI_Comm make_with(int how, MPI_Comm from, MPI_Info info)
{
	const int one = 1, me = mt_rank;
	MPI_Comm c = MPI_COMM_NULL;
	MPI_Request r;
	MPI_Group g;

	switch (how) {
	case 0:
		MT_OK(MPI_Comm_dup_with_info(from, info, &c));
		break;
	case 1:
		MT_OK(MPI_Comm_idup_with_info(from, info, &c, &r));
		MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		break;
	case 2:
		MT_OK(MPI_Comm_split_type(from, MPI_COMM_TYPE_SHARED, 0, info,
					  &c));
		break;
	case 3:
		MT_OK(MPI_Dist_graph_create(from, 1, &me, &one, &me,
					    MPI_UNWEIGHTED, info, 0, &c));
		break;
	case 4:
		MT_OK(MPI_Dist_graph_create_adjacent(
			from, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED,
			info, 0, &c));
		break;
	default:
		MT_OK(MPI_Comm_group(from, &g));
		MT_OK(MPI_Comm_create_from_group(g, "hints", info,
						 MPI_ERRORS_ARE_FATAL, &c));
		MT_OK(MPI_Group_free(&g));
	}
	return c;
}

static MPI_Comm make_without(int how, MPI_Comm from)
{
	MPI_Comm c = MPI_COMM_NULL;
	MPI_Group g;
	int zero = 0;

	MT_OK(MPI_Comm_group(from, &g));
	switch (how) {
	case WITH_INFO:
		MT_OK(MPI_Comm_dup(from, &c));
		break;
	case WITH_INFO + 1:
		MT_OK(MPI_Comm_split(from, 0, 0, &c));
		break;
	case WITH_INFO + 2:
		MT_OK(MPI_Comm_create(from, g, &c));
		break;
	case WITH_INFO + 3:
		MT_OK(MPI_Comm_create_group(from, g, 0, &c));
		break;
	default:
		MT_OK(MPI_Cart_create(from, 1, &mt_size, &zero, 0, &c));
	}
	MT_OK(MPI_Group_free(&g));
	return c;
}

static int has_hint(MPI_Comm c, const char *key)
{
	char val[16] = "";
	int len = sizeof(val), flag;
	MPI_Info used;

	MT_OK(MPI_Comm_get_info(c, &used));
	MT_OK(MPI_Info_get_string(used, key, &len, val, &flag));
	MT_OK(MPI_Info_free(&used));
	MT_TRUE(!flag || !strcmp(val, "true"));
	return flag;
}

/* MPI_Comm_get_info returns the hints in use, not every key that was set. */
static void hints(void)
{
	MPI_Comm from, c;
	MPI_Info info;

	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, "mpi_assert_no_any_source", "true"));
	MT_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &from));
	MT_OK(MPI_Info_delete(info, "mpi_assert_no_any_source"));
	MT_OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
	MT_OK(MPI_Info_set(info, "an_unknown_key", "true"));
	for (int how = 0; how < CONSTRUCTORS; how++) {
		c = how < WITH_INFO ? make_with(how, from, info)
				    : make_without(how, from);
		MT_IS(has_hint(c, "mpi_assert_no_any_tag"), how < WITH_INFO);
		MT_TRUE(!has_hint(c, "mpi_assert_no_any_source"));
		MT_TRUE(!has_hint(c, "an_unknown_key"));
		MT_OK(MPI_Comm_free(&c));
	}
	MT_OK(MPI_Comm_free(&from));
	MT_OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	mt_begin(&argc, &argv);
	copies();
	splits();
	order_of_keys();
	by_resource();
	by_group();
	contexts();
	freed_early();
	many();
	in_any_order();
	hints();
	return mt_end();
}
