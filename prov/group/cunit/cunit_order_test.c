/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of sums: in a binomial tree, members get the same bits as with
 * recursive doubling, in any order of arrival and with every method of
 * combining. One thread acts for all members, in plain memory or by messages.
 */
#include "test/t.h"
#include "prov/group/cunit/cunit.h"
#include "src/base/rng.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MEMBERS 40
#define WIDE	    20 /* number of doubles, more than fit in a board's cell */
#define MESSAGES    (MAX_MEMBERS * MAX_MEMBERS)

/* Method by which members combine. */
enum form { FLAT, TREE, BOARD, MSGS, FORMS };

struct message {
	struct weft_cunit_msg m;
	int to;
	double payload[WIDE];
};

struct stage {
	int n;
	void *area[MAX_MEMBERS];
	struct weft_cunit_group *g[MAX_MEMBERS];
	struct weft_coll_call call[MAX_MEMBERS];
	double in[MAX_MEMBERS];
	double sum[MAX_MEMBERS][WIDE];
	struct message message[MESSAGES];
	int messages;
	int pending;
};

static struct stage stage;

static const struct weft_cunit_geo geo = { .routes = 1,
					   .inputs = 8,
					   .packet_bytes = 48 + 3 * 64,
					   .board = MAX_MEMBERS };

static void message_send(void *arg, int to, const struct weft_cunit_msg *m,
			 const void *payload)
{
	struct message *l = &stage.message[stage.messages++];

	T_TRUE(stage.messages <= MESSAGES && m->bytes <= sizeof(l->payload));
	l->m = *m;
	l->to = to;
	if (m->bytes)
		memcpy(l->payload, payload, m->bytes);
}

static void stage_open(int n, int k, enum form form)
{
	struct weft_cunit_group_attr a = { .geo = &geo,
					   .n = n,
					   .generation = 1,
					   .area = stage.area,
					   .flat = form == FLAT ||
						   (form == MSGS && n % 2 &&
						    n <= WEFT_CUNIT_FLAT),
					   .oversubscribed = form == BOARD };
	struct weft_tree t;

	T_OK(k ? weft_tree_kary(&t, n, k) : weft_tree_pairs(&t, n));
	a.tree = &t;
	a.send = form == MSGS ? message_send : NULL;
	stage.n = n;
	for (int i = 0; i < n; i++) {
		size_t bytes = weft_cunit_area_bytes(&geo);

		stage.area[i] = aligned_alloc(4096, bytes);
		memset(stage.area[i], 0, bytes);
	}
	for (a.me = 0; a.me < n; a.me++)
		T_OK(weft_cunit_group_open(&a, &stage.g[a.me]));
	weft_tree_fini(&t);
}

static void stage_close(void)
{
	for (int i = 0; i < stage.n; i++) {
		weft_cunit_group_close(stage.g[i]);
		free(stage.area[i]);
	}
}

static void stage_done(struct weft_coll_call *call)
{
	stage.pending--;
}

static void stage_poll(void)
{
	for (int i = 0; i < stage.messages; i++) {
		struct message l = stage.message[i];

		T_TRUE(weft_cunit_receive(stage.g[l.to], &l.m, l.payload));
	}
	stage.messages = 0;
	for (int i = 0; i < stage.n; i++)
		weft_cunit_poll(stage.g[i]);
}

/*
 * Starts an operation: on one element, as a single packet where possible; or on
 * a vector, posted.
 */
static void stage_post(int i, unsigned kind, int root, bool wide)
{
	struct weft_coll_call *c = &stage.call[i];

	for (int e = 0; e < WIDE; e++)
		stage.sum[i][e] = stage.in[i];
	*c = (struct weft_coll_call){
		.kind = (uint8_t)kind,
		.op = WEFT_NUM_SUM,
		.type = WEFT_NUM_F64,
		.root = root,
		.in = stage.sum[i],
		.out = stage.sum[i],
		.count = wide ? WIDE : 1,
		.done = stage_done,
	};
	stage.pending++;
	c->bytes = c->count * weft_cunit_bytes(c->type);
	switch (wide ? -EAGAIN : weft_cunit_single(stage.g[i], c, 0)) {
	case -EAGAIN:
		weft_cunit_post(stage.g[i], c);
		break;
	case 0:
		stage.pending--;
	}
}

static void stage_sum(struct weft_rng *r, unsigned kind, int root, bool wide)
{
	int order[MAX_MEMBERS];

	weft_rng_shuffle(r, order, stage.n);
	for (int i = 0; i < stage.n; i++)
		stage_post(order[i], kind, root, wide);
	do
		stage_poll();
	while (stage.messages);
	T_IS(stage.pending, 0);
}

static void check_sums(struct weft_rng *r, double want)
{
	for (int w = 0; w < 2; w++) {
		stage_sum(r, WEFT_COLL_ALLREDUCE, 0, w);
		for (int i = 0; i < stage.n; i++)
			T_MEM(&stage.sum[i][w * (WIDE - 1)], &want,
			      sizeof(want));
		for (int root = 0; root < stage.n; root++) {
			stage_sum(r, WEFT_COLL_REDUCE, root, w);
			T_MEM(stage.sum[root], &want, sizeof(want));
		}
	}
}

static void draw_numbers(struct weft_rng *r, int n)
{
	for (int i = 0; i < n; i++)
		stage.in[i] = (weft_rng_unit(r) - 0.5) * 1e16;
}

/* Returns the result of recursive doubling. */
static double recursive_doubling(const double *in, int n)
{
	double acc[MAX_MEMBERS], other[MAX_MEMBERS];
	int m = 1, left = 0;

	while (2 * m <= n)
		m *= 2;
	for (int i = 0; i < m; i++) {
		acc[i] = in[left++];
		if (i < n - m)
			acc[i] += in[left++];
	}
	for (int bit = 1; bit < m; bit *= 2) {
		memcpy(other, acc, sizeof(acc));
		for (int i = 0; i < m; i++)
			acc[i] = i & bit ? other[i ^ bit] + other[i]
					 : other[i] + other[i ^ bit];
	}
	return acc[m - 1];
}

static void tree_of_pairs_matches_recursive_doubling(void **state)
{
	struct weft_rng r;

	weft_rng_init(&r, 21, 0);
	for (int n = 1; n <= MAX_MEMBERS; n++) {
		enum form form = n > WEFT_CUNIT_FLAT ? TREE : FLAT;

		for (; form < FORMS; form++) {
			stage_open(n, 0, form);
			draw_numbers(&r, n);
			check_sums(&r, recursive_doubling(stage.in, n));
			stage_close();
		}
	}
}

/*
 * Sums in many orders of arrival; checks that all results have the same bits,
 * and returns the result.
 */
static double sum_in_any_order(int n, enum form form, struct weft_rng *r)
{
	double want = 0;

	stage_open(n, 3, form);
	for (int round = 0; round < t_scale(1000); round++) {
		stage_sum(r, WEFT_COLL_ALLREDUCE, 0, round % 2);
		if (!round)
			want = stage.sum[0][0];
		for (int i = 0; i < n; i++)
			T_MEM(&stage.sum[i][0], &want, sizeof(want));
	}
	stage_close();
	return want;
}

/*
 * The bits do not depend on the method either: the tree's nodes combine, or one
 * member combines all contributions.
 */
static void sums_do_not_depend_on_arrival_order(void **state)
{
	static const int sizes[] = { 7, 13, 32 };
	struct weft_rng r;

	weft_rng_init(&r, 5, 0);
	for (int k = 0; k < 3; k++) {
		enum form form = sizes[k] > WEFT_CUNIT_FLAT ? TREE : FLAT;
		double first, other;

		draw_numbers(&r, sizes[k]);
		first = sum_in_any_order(sizes[k], form, &r);
		for (form++; form < FORMS; form++) {
			other = sum_in_any_order(sizes[k], form, &r);
			T_MEM(&other, &first, sizeof(first));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(tree_of_pairs_matches_recursive_doubling),
		T_CASE(sums_do_not_depend_on_arrival_order),
	};

	return T_RUN(tests);
}
