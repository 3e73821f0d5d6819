/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of other jobs: their indices, and their order. */
#include "src/boot/boot_foreign.h"

#include "src/boot/boot_pmix.h"
#include "src/boot/boot_wire_up.h"
#include "src/core/core_state.h"
#include "test/t.h"

#include <errno.h>
#include <string.h>

enum { SIZE = 4, ROOM = 7, NAME = 16, ME = 1 };

struct weft_core weft_core = { .job = { .size = SIZE, .rank = ME },
			       .procs = SIZE,
			       .proc_room = ROOM };
static int inserted; /* last process whose address was inserted */
static const char my_name[NAME] = "endpoint 1";

const char *weft_pmix_job(void)
{
	return "job";
}

const void *weft_wire_name(size_t *len_p)
{
	*len_p = NAME;
	return my_name;
}

int weft_wire_name_of(int proc, void *name, size_t *len_p)
{
	memset(name, 'a' + proc, NAME);
	*len_p = NAME;
	return 0;
}

int weft_wire_insert(int proc, const void *name)
{
	inserted = proc;
	return 0;
}

static struct weft_identity make(uint64_t job, uint32_t rank, char name)
{
	struct weft_identity id = { .job = job, .rank = rank, .len = NAME };

	memset(id.name, name, NAME);
	return id;
}

static int reset(void **state)
{
	weft_foreign_close();
	weft_core.procs = SIZE;
	inserted = -1;
	return 0;
}

static void own_processes_keep_their_rank(void **state)
{
	struct weft_identity id;

	assert_int_equal(weft_foreign_identify(2, &id), 0);
	assert_int_equal(id.name[0], 'c');
	assert_int_equal(weft_foreign_find(&id), 2);
	assert_int_equal(inserted, -1);
	id.rank = SIZE;
	assert_int_equal(weft_foreign_find(&id), -EPROTO);
	id.rank = 2;
	id.len = NAME - 1;
	assert_int_equal(weft_foreign_find(&id), -EPROTO);
}

static void others_get_the_next_index(void **state)
{
	struct weft_identity a = make(7, 0, 'x'), b = make(7, 1, 'y'), got;
	struct weft_identity again = make(8, 0, 'x'), any = make(0, 0, 'y');

	assert_int_equal(weft_foreign_find(&a), SIZE);
	assert_int_equal(inserted, SIZE);
	assert_int_equal(weft_foreign_find(&b), SIZE + 1);
	assert_int_equal(weft_foreign_find(&a), SIZE);
	assert_int_equal(weft_foreign_find(&any), SIZE + 1);
	/* the same rank of another job is another process */
	assert_int_equal(weft_foreign_find(&again), SIZE + 2);
	assert_int_equal(weft_foreign_identify(SIZE + 1, &got), 0);
	assert_memory_equal(&got, &b, sizeof(b));
	b.rank = 2;
	assert_int_equal(weft_foreign_find(&b), -ENOSPC);
}

static void order_is_by_job_and_rank(void **state)
{
	uint64_t mine = weft_foreign_job();
	struct weft_identity low = make(mine - 1, 9, 'x');
	struct weft_identity high = make(mine + 1, 0, 'y');
	struct weft_identity next = make(mine + 1, 1, 'z');
	int l = weft_foreign_find(&low), n = weft_foreign_find(&next);
	int h = weft_foreign_find(&high);

	assert_true(weft_foreign_before(0, 1));
	assert_false(weft_foreign_before(1, 0));
	assert_false(weft_foreign_before(2, 2));
	assert_true(weft_foreign_before(l, 0));
	assert_false(weft_foreign_before(3, l));
	assert_true(weft_foreign_before(3, h));
	assert_true(weft_foreign_before(h, n));
	assert_false(weft_foreign_before(n, h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(own_processes_keep_their_rank, reset),
		cmocka_unit_test_setup(others_get_the_next_index, reset),
		cmocka_unit_test_setup(order_is_by_job_and_rank, reset),
	};

	return T_RUN(tests);
}
