/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions and their groups: references, and groups that do not mix. */
#include "src/comm/comm_group.h"
#include "src/comm/comm_session.h"
#include "src/core/core_state.h"
#include "src/types/types_info.h"
#include "test/t.h"

struct weft_core weft_core;
static int handler_refs;

struct weft_errh *weft_errh_get(struct weft_errh *h)
{
	handler_refs++;
	return h;
}

void weft_errh_put(struct weft_errh *h)
{
	handler_refs--;
}

static struct weft_errh handler, other_handler;

static struct weft_session *open_session(void)
{
	struct weft_session *s = weft_session_new(&handler, weft_info_open());

	assert_non_null(s);
	return s;
}

static MPI_Session handle_of(struct weft_session *s)
{
	return weft_obj_handle(&s->head.obj);
}

static struct weft_group *group_of(struct weft_session *s)
{
	struct weft_group *g = weft_group_new(1);

	assert_non_null(g);
	g->proc[0] = 0;
	weft_group_set_session(g, s);
	return g;
}

static void closed_session_has_no_handle(void **state)
{
	struct weft_session *s = open_session();
	MPI_Session h = handle_of(s);

	assert_ptr_equal(weft_session_of(h), s);
	assert_null(weft_session_of(MPI_SESSION_NULL));
	s->closed = true;
	assert_null(weft_session_of(h));
	weft_session_put(s);
}

static void group_keeps_its_session(void **state)
{
	struct weft_session *s = open_session();
	struct weft_group *g = group_of(s);

	assert_int_equal(handler_refs, 1);
	weft_session_put(s);
	assert_int_equal(handler_refs, 1);
	weft_group_put(g);
	assert_int_equal(handler_refs, 0);
}

static void group_changes_its_session(void **state)
{
	struct weft_session *a = open_session(), *b = open_session();
	struct weft_group *g = group_of(a);

	weft_group_set_session(g, b);
	weft_group_set_session(g, b);
	weft_session_put(a);
	assert_int_equal(handler_refs, 1);
	weft_session_put(b);
	weft_group_put(g);
	assert_int_equal(handler_refs, 0);
}

static void groups_of_two_sessions_mix(void **state)
{
	struct weft_session *a = open_session(), *b = open_session();
	struct weft_group *ga = group_of(a), *gb = group_of(b);
	struct weft_group *world = group_of(NULL), *empty = weft_group_new(0);

	weft_group_set_session(empty, a);
	assert_null(empty->session);
	assert_true(weft_group_is_mixed(ga, gb));
	assert_true(weft_group_is_mixed(ga, world));
	assert_false(weft_group_is_mixed(ga, ga));
	assert_false(weft_group_is_mixed(ga, empty));
	assert_false(weft_group_is_mixed(empty, gb));
	weft_group_put(ga);
	weft_group_put(gb);
	weft_group_put(world);
	weft_group_put(empty);
	weft_session_put(a);
	weft_session_put(b);
	assert_int_equal(handler_refs, 0);
}

static void handler_is_replaced(void **state)
{
	struct weft_session *s = open_session();

	weft_session_errhandler_set(s, &other_handler);
	assert_ptr_equal(s->head.errh, &other_handler);
	assert_int_equal(handler_refs, 1);
	weft_session_put(s);
	assert_int_equal(handler_refs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_session_has_no_handle),
		cmocka_unit_test(group_keeps_its_session),
		cmocka_unit_test(group_changes_its_session),
		cmocka_unit_test(groups_of_two_sessions_mix),
		cmocka_unit_test(handler_is_replaced),
	};

	return T_RUN(tests);
}
