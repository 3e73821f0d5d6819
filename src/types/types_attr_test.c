/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of attributes: copying, deleting, order, callbacks that fail. */
#include "test/t.h"

#include "src/types/types_attr.h"
#include "src/types/types_handle.h"

#include <limits.h>
#include <string.h>

static char trace[64];

static void trace_add(char c)
{
	size_t n = strlen(trace);

	trace[n] = c;
	trace[n + 1] = '\0';
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out,
		int *flag)
{
	trace_add(*(char *)extra);
	*(void **)out = (char *)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static bool refuse;

static int del(MPI_Comm comm, int key, void *value, void *extra)
{
	trace_add(*(char *)extra);
	return refuse ? 42 : MPI_SUCCESS;
}

static int keyval(void *extra)
{
	struct weft_keyval_fns f = { .kind = WEFT_KIND_COMM,
				     .copy.comm = copy,
				     .del.comm = del,
				     .extra = extra };
	int key = 0;

	T_IS(weft_keyval_open(&f, &key), MPI_SUCCESS);
	return key;
}

static intptr_t value_of(struct weft_attr **list, int key)
{
	void *v = NULL;
	int flag;

	T_IS(weft_attr_get(list, WEFT_KIND_COMM, key, &v, &flag), MPI_SUCCESS);
	return flag ? (intptr_t)v : -1;
}

static int set(struct weft_attr **list, int key, intptr_t v)
{
	return weft_attr_set(list, WEFT_KIND_COMM, NULL, key, (void *)v);
}

static void copy_in_order_delete_in_reverse(void **state)
{
	struct weft_attr *a = NULL, *b = NULL;
	int k1 = keyval("1"), k2 = keyval("2"), k3 = keyval("3");

	trace[0] = '\0';
	T_OK(set(&a, k1, 10));
	T_OK(set(&a, k2, 20));
	T_OK(set(&a, k3, 30));
	T_OK(weft_attrs_copy(&b, &a, NULL));
	T_STR(trace, "123");
	T_IS(value_of(&b, k2), 21);
	T_OK(weft_attrs_clear(&a, NULL));
	T_STR(trace, "123321");
	T_NULL(a);
	T_OK(weft_keyval_free(WEFT_KIND_COMM, k2));
	/* b still has an attribute of k2 */
	T_OK(weft_keyval_free(WEFT_KIND_COMM, k2));
	T_IS(value_of(&b, k2), 21);
	T_IS(set(&b, k2, 1), MPI_ERR_KEYVAL);
	T_OK(weft_attr_delete(&b, WEFT_KIND_COMM, NULL, k2));
	T_IS(weft_keyval_free(WEFT_KIND_COMM, k2), MPI_ERR_KEYVAL);
	T_OK(weft_attrs_clear(&b, NULL));
	T_OK(weft_keyval_free(WEFT_KIND_COMM, k1));
	T_OK(weft_keyval_free(WEFT_KIND_COMM, k3));
}

static void replacing_deletes_the_old_value(void **state)
{
	struct weft_attr *a = NULL;
	int k = keyval("r");

	trace[0] = '\0';
	T_OK(set(&a, k, 1));
	T_OK(set(&a, k, 99));
	T_STR(trace, "r");
	refuse = true;
	T_IS(set(&a, k, 3), 42);
	T_IS(value_of(&a, k), 99);
	T_IS(weft_attrs_clear(&a, NULL), 42);
	refuse = false;
	T_OK(weft_attrs_clear(&a, NULL));
	T_IS(weft_keyval_free(WEFT_KIND_DT, k), MPI_ERR_KEYVAL);
	T_OK(weft_keyval_free(WEFT_KIND_COMM, k));
}

static void predefined_attributes_are_integers(void **state)
{
	struct weft_attr *none = NULL;
	int *v, flag;

	T_OK(weft_attr_get(&none, WEFT_KIND_COMM, MPI_TAG_UB, (void **)&v,
			   &flag));
	T_TRUE(flag && *v == INT_MAX);
	T_OK(weft_attr_get(&none, WEFT_KIND_COMM, MPI_APPNUM, (void **)&v,
			   &flag));
	T_FALSE(flag);
	weft_attr_predef_set(MPI_APPNUM, 3);
	T_OK(weft_attr_get(&none, WEFT_KIND_COMM, MPI_APPNUM, (void **)&v,
			   &flag));
	T_TRUE(flag && *v == 3);
	T_IS(set(&none, MPI_TAG_UB, 1), MPI_ERR_KEYVAL);
	T_IS(weft_attr_get(&none, WEFT_KIND_DT, MPI_TAG_UB, (void **)&v, &flag),
	     MPI_ERR_KEYVAL);
}

static void handle_numbers_are_stable(void **state)
{
	struct weft_obj o, p;
	int id;

	weft_obj_init(&o, WEFT_KIND_OP);
	weft_obj_init(&p, WEFT_KIND_DT);
	id = weft_handle_id(&o);
	T_TRUE(id > 4095);
	T_IS(weft_handle_id(&o), id);
	T_TRUE(weft_handle_id(&p) != id);
	T_PTR(weft_handle_find(id, WEFT_KIND_OP), &o);
	T_NULL(weft_handle_find(id, WEFT_KIND_DT));
	T_TRUE(weft_obj_put(&o));
	T_NULL(weft_handle_find(id, WEFT_KIND_OP));
	T_TRUE(weft_obj_put(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(copy_in_order_delete_in_reverse),
		T_CASE(replacing_deletes_the_old_value),
		T_CASE(predefined_attributes_are_integers),
		T_CASE(handle_numbers_are_stable),
	};

	return T_RUN(tests);
}
