/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the intrusive list. */
#include "test/t.h"
#include "src/base/list.h"

struct item {
	int n;
	struct weft_list link;
};

static int value(struct weft_list *l)
{
	return weft_container_of(l, struct item, link)->n;
}

static void expect_digits(struct weft_list *l, const char *digits)
{
	struct weft_list *p, *tmp;

	weft_list_each(p, tmp, l) {
		T_IS(value(p), *digits - '0');
		digits++;
	}
	T_IS(*digits, 0);
}

static void order_is_kept_at_both_ends(void **state)
{
	struct item a = { .n = 1 }, b = { .n = 2 }, c = { .n = 3 };
	struct weft_list l;

	weft_list_init(&l);
	T_TRUE(weft_list_empty(&l));
	T_NULL(weft_list_pop_front(&l));
	weft_list_push_back(&l, &b.link);
	weft_list_push_back(&l, &c.link);
	weft_list_push_front(&l, &a.link);
	expect_digits(&l, "123");
	T_IS(value(weft_list_pop_front(&l)), 1);
	weft_list_insert_after(&b.link, &a.link);
	expect_digits(&l, "213");
}

static void removing_twice_is_harmless(void **state)
{
	struct item a = { .n = 1 }, b = { .n = 2 };
	struct weft_list l;

	weft_list_init(&l);
	weft_list_push_back(&l, &a.link);
	weft_list_push_back(&l, &b.link);
	weft_list_remove(&a.link);
	weft_list_remove(&a.link);
	expect_digits(&l, "2");
}

static void loop_may_remove_current_node(void **state)
{
	struct item it[5];
	struct weft_list l, *p, *tmp;

	weft_list_init(&l);
	for (int i = 0; i < 5; i++) {
		it[i].n = i;
		weft_list_push_back(&l, &it[i].link);
	}
	weft_list_each(p, tmp, &l) {
		if (value(p) % 2)
			weft_list_remove(p);
	}
	expect_digits(&l, "024");
}

static void splice_moves_everything(void **state)
{
	struct item a = { .n = 1 }, b = { .n = 2 }, c = { .n = 3 };
	struct weft_list l, m;

	weft_list_init(&l);
	weft_list_init(&m);
	weft_list_push_back(&l, &a.link);
	weft_list_splice_back(&l, &m);
	expect_digits(&l, "1");
	weft_list_push_back(&m, &b.link);
	weft_list_push_back(&m, &c.link);
	weft_list_splice_back(&l, &m);
	expect_digits(&l, "123");
	T_TRUE(weft_list_empty(&m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(order_is_kept_at_both_ends),
		T_CASE(removing_twice_is_harmless),
		T_CASE(loop_may_remove_current_node),
		T_CASE(splice_moves_everything),
	};

	return T_RUN(tests);
}
