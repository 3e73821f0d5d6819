/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/reproduce/repro.h"
#include "test/t.h"

#include <string.h>

static struct repro r;

static void read_bgq(void)
{
	memset(&r, 0, sizeof(r));
	r.system = "bgq";
	T_OK(repro_table_read(&r));
}

static void every_row_has_an_experiment(void **state)
{
	read_bgq();
	for (unsigned i = 0; i < r.count; i++) {
		if (!repro_exp_find(r.row[i].id))
			fail_msg("%s has none", r.row[i].id);
		T_IS(r.row[i].state, REPRO_LEFT_OUT);
		for (unsigned k = 0; k < i; k++)
			T_TRUE(strcmp(r.row[i].id, r.row[k].id));
	}
}

/* A constant is set by one figure; hop takes a difference of two. */
static void there_are_as_many_calibrated_rows_as_constants(void **state)
{
	unsigned predicted = 0;

	read_bgq();
	for (unsigned i = 0; i < r.count; i++)
		predicted += r.row[i].predicted;
	T_IS(r.count - predicted, 8);
	T_IS(predicted, 59);
}

static void errors_are_percents_or_points(void **state)
{
	struct repro_row row = { .value = 50, .model = 51, .band = 2,
				 .state = REPRO_DONE };

	T_TRUE(repro_error(&row) > 1.99 && repro_error(&row) < 2.01);
	row.model = 51.1;
	T_FALSE(repro_in_band(&row));
	row.points = true;
	T_TRUE(repro_in_band(&row));
	row.model = 47.9;
	T_FALSE(repro_in_band(&row));
	row.model = 48.1;
	T_TRUE(repro_in_band(&row));
	row.state = REPRO_LEFT_OUT;
	T_FALSE(repro_in_band(&row));
}

static void an_unknown_system_is_told(void **state)
{
	memset(&r, 0, sizeof(r));
	r.system = "bgl";
	T_IS(repro_table_read(&r), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_row_has_an_experiment),
		T_CASE(there_are_as_many_calibrated_rows_as_constants),
		T_CASE(errors_are_percents_or_points),
		T_CASE(an_unknown_system_is_told),
	};

	return T_RUN(tests);
}
