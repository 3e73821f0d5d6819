/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of the Sunway interface, with ten nodes in one process. */
#include "test/support/sunway_pair.h"

#include "prov/group/cunit/cunit_alu.h"

#define NODES 10
#define GROUP 3

struct ring {
	int n;
	struct side s[NODES];
	/* parent of member i (on node i); -1: root */
	int parent[NODES];
};

static void ring_open(struct ring *r, int n, const char *faults)
{
	uint32_t guid[NODES];

	*r = (struct ring){ .n = n };
	for (int i = 0; i < n; i++) {
		guid[i] = PAIR_GUID + (uint32_t)i;
		pair_side(&r->s[i], faults, guid[i]);
	}
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++) {
			if (i != k)
				pair_introduce(&r->s[i], &r->s[k]);
		}
		T_OK(weft_sunway_multicast_set(r->s[i].n, GROUP, guid,
					       (unsigned)n));
		r->parent[i] = (i - 1) / 3;
	}
	r->parent[0] = -1;
}

static void ring_close(struct ring *r)
{
	for (int i = 0; i < r->n; i++) {
		if (r->s[i].n)
			side_close(&r->s[i]);
	}
}

static void ring_run(struct ring *r, int rounds)
{
	for (int t = 0; t < rounds; t++) {
		for (int i = 0; i < r->n; i++) {
			if (r->s[i].n)
				weft_sunway_poll(r->s[i].n, 16);
		}
	}
}

/* Returns the descriptor of a member, with its position in the tree. */
static struct weft_sunway_coll descriptor_of(const struct ring *r, int me,
					     unsigned kind, unsigned type,
					     uint32_t bytes)
{
	int up = r->parent[me];
	struct weft_sunway_coll d = {
		.kind = (uint8_t)kind,
		.sum = WEFT_SUNWAY_SUM,
		.type = (uint8_t)type,
		.group = GROUP,
		.vi = up < 0 ? 0 : (uint8_t)r->s[up].vi[0],
		.parent = up < 0 ? WEFT_SUNWAY_ROOT : PAIR_GUID + (uint32_t)up,
		.bytes = bytes,
		.local = r->s[me].address,
		.result = r->s[me].address + 4096,
		.cookie = (uint64_t)me,
	};

	for (int i = 0; i < r->n; i++) {
		d.inputs += r->parent[i] == me;
		d.nth += i < me && up >= 0 && r->parent[i] == up;
	}
	return d;
}

static int member_post(struct ring *r, int me, const struct weft_sunway_coll *d)
{
	return weft_sunway_coll(r->s[me].n, 0, r->s[me].vi[0], d);
}

/* Returns whether a member's operation is complete; consumes its event. */
static bool op_completed(struct ring *r, int me, unsigned status)
{
	struct weft_sunway_event ev;

	if (weft_sunway_cq_read(r->s[me].n, 0, r->s[me].vi[0], &ev))
		return false;
	T_IS(ev.op, WEFT_SUNWAY_COLL);
	T_IS(ev.status, status);
	T_IS(ev.cookie, me);
	return true;
}

/* Runs until all remaining members complete an operation. */
static void ring_end(struct ring *r, unsigned status)
{
	bool complete[NODES] = { false };
	int left = 0;

	for (int i = 0; i < r->n; i++)
		left += r->s[i].n != NULL;
	for (int t = 0; t < 200000 && left; t++) {
		ring_run(r, 1);
		for (int i = 0; i < r->n; i++) {
			if (!r->s[i].n || complete[i] ||
			    !op_completed(r, i, status))
				continue;
			complete[i] = true;
			left--;
		}
	}
	T_IS(left, 0);
}

static void ring_all(struct ring *r, unsigned kind, unsigned type,
		     uint32_t bytes)
{
	for (int i = 0; i < r->n; i++) {
		struct weft_sunway_coll d =
			descriptor_of(r, i, kind, type, bytes);

		T_OK(member_post(r, i, &d));
	}
	ring_end(r, WEFT_SUNWAY_OK);
}

static struct weft_sunway_stats ring_stats(struct ring *r)
{
	struct weft_sunway_stats all = { 0 };

	for (int i = 0; i < r->n; i++) {
		struct weft_sunway_stats s = pair_stats(&r->s[i]);

		all.casts += s.casts;
		all.filtered += s.filtered;
		all.probes += s.probes;
		all.resent += s.resent;
		all.refused += s.refused;
	}
	return all;
}

/* ---- barriers ---- */

/* No member leaves the barrier before the last one has arrived. */
static void barrier_waits_for_last_member(void **state)
{
	struct weft_sunway_coll d;
	struct ring r;

	ring_open(&r, NODES, "");
	for (int last = 0; last < NODES; last++) {
		for (int i = 0; i < NODES; i++) {
			d = descriptor_of(&r, i, WEFT_SUNWAY_BARRIER, 0, 0);
			if (i != last)
				T_OK(member_post(&r, i, &d));
		}
		ring_run(&r, 100);
		for (int i = 0; i < NODES; i++)
			T_TRUE(!op_completed(&r, i, WEFT_SUNWAY_OK));
		d = descriptor_of(&r, last, WEFT_SUNWAY_BARRIER, 0, 0);
		T_OK(member_post(&r, last, &d));
		ring_end(&r, WEFT_SUNWAY_OK);
	}
	T_IS(ring_stats(&r).casts, NODES * NODES);
	ring_close(&r);
}

/* ---- sums ---- */

/* Contributions are small integers, exact in every type. */
static void fill(struct ring *r, int i, unsigned type, unsigned count)
{
	for (unsigned k = 0; k < count; k++) {
		int v = (i * 7 + (int)k * 3) % 11 - 5;
		unsigned char *at = r->s[i].mem;

		if (type == WEFT_SUNWAY_INT32)
			((int32_t *)(void *)at)[k] = v;
		else if (type == WEFT_SUNWAY_INT64)
			((int64_t *)(void *)at)[k] = v;
		else if (type == WEFT_SUNWAY_FLOAT)
			((float *)(void *)at)[k] = (float)v;
		else
			((double *)(void *)at)[k] = v;
	}
}

static void check_sum(struct ring *r, unsigned sum, unsigned type)
{
	static const uint8_t cunit_op[] = { WEFT_NUM_SUM, WEFT_NUM_MAX,
					    WEFT_NUM_MIN, WEFT_NUM_BAND,
					    WEFT_NUM_BOR, WEFT_NUM_BXOR };
	static const uint8_t cunit_type[] = { WEFT_NUM_I32, WEFT_NUM_I64,
					      WEFT_NUM_F32, WEFT_NUM_F64 };
	unsigned bytes = type % 2 ? 8 : 4, count = WEFT_SUNWAY_FSM / bytes;
	unsigned char want[WEFT_SUNWAY_FSM];

	for (int i = 0; i < r->n; i++) {
		fill(r, i, type, count);
		if (!i)
			memcpy(want, r->s[0].mem, sizeof(want));
		else
			weft_cunit_combine(cunit_op[sum], cunit_type[type],
					   want, r->s[i].mem, count);
	}
	for (int i = 0; i < r->n; i++) {
		struct weft_sunway_coll d = descriptor_of(
			r, i, WEFT_SUNWAY_ALLREDUCE, type, sizeof(want));

		d.sum = (uint8_t)sum;
		T_OK(member_post(r, i, &d));
	}
	ring_end(r, WEFT_SUNWAY_OK);
	for (int i = 0; i < r->n; i++)
		T_TRUE(!memcmp(r->s[i].mem + 4096, want, sizeof(want)));
}

static void all_operations_and_types_of_the_machine(void **state)
{
	struct weft_sunway_coll d;
	struct ring r;

	ring_open(&r, 7, "");
	for (unsigned type = 0; type <= WEFT_SUNWAY_DOUBLE; type++) {
		for (unsigned sum = 0; sum <= WEFT_SUNWAY_XOR; sum++) {
			if (type < WEFT_SUNWAY_FLOAT || sum < WEFT_SUNWAY_AND) {
				check_sum(&r, sum, type);
				continue;
			}
			d = descriptor_of(&r, 0, WEFT_SUNWAY_ALLREDUCE, type,
					  8);
			d.sum = (uint8_t)sum;
			T_IS(member_post(&r, 0, &d), -EINVAL);
		}
	}
	ring_close(&r);
}

/* Returns the sum of 2^53 and nine times 1, in the order of the tree. */
static double sum_in_tree(struct ring *r)
{
	double x, y;

	for (int i = 0; i < r->n; i++) {
		x = i ? 1 : 0x1p53;
		memcpy(r->s[i].mem, &x, sizeof(x));
	}
	ring_all(r, WEFT_SUNWAY_ALLREDUCE, WEFT_SUNWAY_DOUBLE, sizeof(x));
	memcpy(&x, r->s[0].mem + 4096, sizeof(x));
	for (int i = 1; i < r->n; i++) {
		memcpy(&y, r->s[i].mem + 4096, sizeof(y));
		T_TRUE(x == y);
	}
	return x;
}

/* The tree in the descriptors determines the order of a sum. */
static void a_sum_has_the_order_of_its_tree(void **state)
{
	static const int pairs[NODES] = { -1, 0, 0, 2, 0, 4, 4, 6, 0, 8 };
	struct ring r;

	ring_open(&r, NODES, "");
	for (int i = 0; i < NODES; i++)
		r.parent[i] = i ? 0 : -1;
	T_TRUE(sum_in_tree(&r) ==
	       0x1p53); /* 1 is added to 2^53 nine times, without effect */
	for (int i = 0; i < NODES; i++)
		r.parent[i] = i - 1;
	/* the ones are added first: 2^53 + 9 is rounded to even */
	T_TRUE(sum_in_tree(&r) == 0x1p53 + 8);
	for (int i = 0; i < NODES; i++)
		r.parent[i] = pairs[i];
	T_TRUE(sum_in_tree(&r) == 0x1p53 + 8); /* 2^53 + 2 + 4 + 2 */
	ring_close(&r);
}

/* The result does not depend on the order of arrival. */
static void parts_may_arrive_before_the_parent_posts(void **state)
{
	struct weft_sunway_coll d;
	struct ring r;
	int32_t v;

	ring_open(&r, NODES, "");
	for (int i = NODES - 1; i >= 0; i--) {
		v = 1 << i;
		memcpy(r.s[i].mem, &v, sizeof(v));
		d = descriptor_of(&r, i, WEFT_SUNWAY_ALLREDUCE,
				  WEFT_SUNWAY_INT32, 4);
		T_OK(member_post(&r, i, &d));
		ring_run(&r, 20);
	}
	ring_end(&r, WEFT_SUNWAY_OK);
	for (int i = 0; i < NODES; i++) {
		memcpy(&v, r.s[i].mem + 4096, sizeof(v));
		T_IS(v, (1 << NODES) - 1);
	}
	ring_close(&r);
}

/* ---- other operations ---- */

static void a_broadcast_waits_for_all_members(void **state)
{
	struct weft_sunway_coll d;
	struct ring r;

	ring_open(&r, 5, "");
	t_fill(r.s[0].mem, WEFT_SUNWAY_PACKET, 9);
	for (int i = 0; i < 4; i++) {
		d = descriptor_of(&r, i, WEFT_SUNWAY_BCAST, 0,
				  WEFT_SUNWAY_PACKET);
		T_OK(member_post(&r, i, &d));
	}
	ring_run(&r, 50);
	T_IS(ring_stats(&r).casts, 0); /* one member has not posted */
	d = descriptor_of(&r, 4, WEFT_SUNWAY_BCAST, 0, WEFT_SUNWAY_PACKET);
	T_OK(member_post(&r, 4, &d));
	ring_end(&r, WEFT_SUNWAY_OK);
	for (int i = 1; i < 5; i++)
		T_IS(t_differs(r.s[i].mem + 4096, WEFT_SUNWAY_PACKET, 9), -1);
	d.bytes++;
	T_IS(member_post(&r, 4, &d), -EINVAL);
	ring_close(&r);
}

static void only_the_root_gets_a_reduction(void **state)
{
	struct ring r;
	int64_t v;

	ring_open(&r, NODES, "");
	for (int i = 0; i < NODES; i++) {
		v = i * 1000003ll;
		memcpy(r.s[i].mem, &v, sizeof(v));
	}
	ring_all(&r, WEFT_SUNWAY_REDUCE, WEFT_SUNWAY_INT64, 8);
	memcpy(&v, r.s[0].mem + 4096, sizeof(v));
	T_IS(v, 45 * 1000003ll);
	memcpy(&v, r.s[1].mem + 4096, sizeof(v));
	T_IS(v, 0);
	T_IS(ring_stats(&r).casts, 0);
	ring_close(&r);
}

/* Four operations are outstanding; a fifth waits for the first. */
static void four_operations_of_a_group_in_flight(void **state)
{
	struct weft_sunway_coll d;
	struct ring r;

	ring_open(&r, 4, "");
	for (int k = 0; k < 4; k++) {
		for (int i = 1; i < 4; i++) {
			d = descriptor_of(&r, i, WEFT_SUNWAY_BARRIER, 0, 0);
			T_OK(member_post(&r, i, &d));
		}
	}
	ring_run(&r, 50);
	T_IS(member_post(&r, 3, &d), -EAGAIN);
	for (int k = 0; k < 4; k++) {
		d = descriptor_of(&r, 0, WEFT_SUNWAY_BARRIER, 0, 0);
		T_OK(member_post(&r, 0, &d));
		ring_end(&r, WEFT_SUNWAY_OK);
	}
	d = descriptor_of(&r, 3, WEFT_SUNWAY_BARRIER, 0, 0);
	T_OK(member_post(&r, 3, &d));
	ring_close(&r);
}

/* ---- multicast ---- */

/* The group has nodes without members; their interfaces drop the copies. */
static void non_members_drop_multicast_copies(void **state)
{
	struct ring r;

	ring_open(&r, NODES, "");
	r.n = 6; /* number of members; the group's table also has other nodes */
	t_fill(r.s[0].mem, 100, 1);
	for (int i = 0; i < 6; i++) {
		struct weft_sunway_coll d =
			descriptor_of(&r, i, WEFT_SUNWAY_BCAST, 0, 100);

		T_OK(member_post(&r, i, &d));
	}
	ring_end(&r, WEFT_SUNWAY_OK);
	r.n = NODES;
	ring_run(&r, 20);
	for (int i = 6; i < NODES; i++) {
		T_IS(pair_stats(&r.s[i]).filtered, 1);
		T_IS(r.s[i].mem[4096] | r.s[i].mem[0], 0);
	}
	T_IS(ring_stats(&r).filtered, 4);
	ring_close(&r);
}

/* An operation of another job on a node of the group gets no copy. */
static void multicast_copies_are_for_one_job(void **state)
{
	struct weft_sunway_coll d;
	struct weft_sunway_event ev;
	struct side other;
	struct ring r;

	ring_open(&r, 3, "");
	other = r.s[1];
	pair_vis(&other, PAIR_JOB + 1);
	d = descriptor_of(&r, 1, WEFT_SUNWAY_BARRIER, 0, 0);
	d.inputs = 1; /* an input that never arrives */
	T_OK(weft_sunway_coll(other.n, 0, other.vi[0], &d));
	ring_all(&r, WEFT_SUNWAY_BARRIER, 0, 0);
	ring_run(&r, 20);
	T_IS(weft_sunway_cq_read(other.n, 0, other.vi[0], &ev), -EAGAIN);
	ring_close(&r);
}

static void there_are_32_groups(void **state)
{
	uint32_t guid = PAIR_GUID;
	struct weft_sunway_coll d;
	struct ring r;

	ring_open(&r, 1, "");
	T_OK(weft_sunway_multicast_set(r.s[0].n, 31, &guid, 1));
	T_IS(weft_sunway_multicast_set(r.s[0].n, 32, &guid, 1), -EINVAL);
	d = descriptor_of(&r, 0, WEFT_SUNWAY_BARRIER, 0, 0);
	d.group = 32;
	T_IS(member_post(&r, 0, &d), -EINVAL);
	d.group = 30; /* a group without nodes */
	T_IS(member_post(&r, 0, &d), -EINVAL);
	d.group = 31;
	T_OK(member_post(&r, 0, &d));
	ring_end(&r, WEFT_SUNWAY_OK);
	ring_close(&r);
}

/* ---- failures ---- */

/* Sums are retransmitted; members probe for missing results. */
static void timeouts_and_probes_recover_losses(void **state)
{
	struct weft_sunway_stats st;
	struct ring r;
	int32_t v;

	ring_open(&r, NODES, "seed=11; loss=0.2; raw");
	for (int k = 0; k < 40; k++) {
		for (int i = 0; i < NODES; i++) {
			v = i + k;
			memcpy(r.s[i].mem, &v, sizeof(v));
		}
		ring_all(&r, WEFT_SUNWAY_ALLREDUCE, WEFT_SUNWAY_INT32, 4);
		for (int i = 0; i < NODES; i++) {
			memcpy(&v, r.s[i].mem + 4096, sizeof(v));
			T_IS(v, 45 + k * NODES);
		}
	}
	st = ring_stats(&r);
	T_TRUE(st.resent > 20);
	T_TRUE(st.probes > 20);
	T_IS(st.refused, 0);
	ring_close(&r);
}

/* A copy that arrives late is not taken for a later result. */
static void a_late_copy_completes_no_operation(void **state)
{
	const struct weft_pkt pkt = { .flags = SUNWAY_MULTICAST, .tag = GROUP };
	const struct sunway_in in = { .guid = PAIR_GUID,
				      .pkt = &pkt,
				      .slice = { .job = PAIR_JOB } };
	struct weft_sunway_coll d;
	struct ring r;

	ring_open(&r, 2, "");
	for (int k = 0; k < SUNWAY_COLLS; k++)
		ring_all(&r, WEFT_SUNWAY_BARRIER, 0, 0);
	d = descriptor_of(&r, 1, WEFT_SUNWAY_BARRIER, 0, 0);
	T_OK(member_post(&r, 1, &d));
	sunway_coll_multicast(r.s[1].n, &in);
	T_TRUE(!op_completed(&r, 1, WEFT_SUNWAY_OK));
	d = descriptor_of(&r, 0, WEFT_SUNWAY_BARRIER, 0, 0);
	T_OK(member_post(&r, 0, &d));
	ring_end(&r, WEFT_SUNWAY_OK);
	ring_close(&r);
}

static void no_probes_without_loss(void **state)
{
	struct ring r;

	ring_open(&r, NODES, "");
	for (int i = 0; i < NODES; i++)
		r.s[i].n->resend_ns = UINT64_C(1) << 40;
	for (int k = 0; k < 20; k++)
		ring_all(&r, WEFT_SUNWAY_BARRIER, 0, 0);
	T_IS(ring_stats(&r).probes, 0);
	ring_close(&r);
}

/* A member's node is lost: all other members get an error, now and later. */
static void dead_node_fails_collective_on_all_members(void **state)
{
	struct ring r;

	ring_open(&r, NODES, "");
	ring_all(&r, WEFT_SUNWAY_BARRIER, 0, 0);
	side_close(&r.s[9]); /* a leaf of the tree */
	r.s[9].n = NULL;
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < 9; i++) {
			struct weft_sunway_coll d =
				descriptor_of(&r, i, WEFT_SUNWAY_BARRIER, 0, 0);

			T_OK(member_post(&r, i, &d));
		}
		ring_end(&r, WEFT_SUNWAY_GONE);
	}
	ring_close(&r);
}

/* One member contributes a different size: all members get an error. */
static void different_sizes_fail_at_all_members(void **state)
{
	struct weft_sunway_coll d;
	struct ring r;

	ring_open(&r, 6, "");
	for (int i = 0; i < 6; i++) {
		d = descriptor_of(&r, i, WEFT_SUNWAY_ALLREDUCE,
				  WEFT_SUNWAY_INT32, i == 5 ? 8 : 4);
		T_OK(member_post(&r, i, &d));
	}
	ring_end(&r, WEFT_SUNWAY_COMMAND);
	ring_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(barrier_waits_for_last_member),
		T_CASE(all_operations_and_types_of_the_machine),
		T_CASE(a_sum_has_the_order_of_its_tree),
		T_CASE(parts_may_arrive_before_the_parent_posts),
		T_CASE(a_broadcast_waits_for_all_members),
		T_CASE(only_the_root_gets_a_reduction),
		T_CASE(four_operations_of_a_group_in_flight),
		T_CASE(non_members_drop_multicast_copies),
		T_CASE(multicast_copies_are_for_one_job),
		T_CASE(there_are_32_groups),
		T_CASE(timeouts_and_probes_recover_losses),
		T_CASE(a_late_copy_completes_no_operation),
		T_CASE(no_probes_without_loss),
		T_CASE(dead_node_fails_collective_on_all_members),
		T_CASE(different_sizes_fail_at_all_members),
	};

	return T_RUN(tests);
}
