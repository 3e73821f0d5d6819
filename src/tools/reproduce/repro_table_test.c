/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the tables of published results: rows, experiments, bands. */
#include "src/tools/reproduce/repro.h"
#include "test/t.h"

#include <string.h>

static struct repro r;

static void read_table(const char *system)
{
	memset(&r, 0, sizeof(r));
	r.system = system;
	T_OK(repro_table_read(&r));
}

static void check_rows(const char *system)
{
	read_table(system);
	T_TRUE(r.count > 10);
	for (unsigned i = 0; i < r.count; i++) {
		if (!repro_exp_find(&r.row[i]))
			fail_msg("%s has none", r.row[i].id);
		T_IS(r.row[i].state, REPRO_LEFT_OUT);
		for (unsigned k = 0; k < i; k++)
			T_TRUE(strcmp(r.row[i].id, r.row[k].id));
	}
}

static void every_row_has_an_experiment(void **state)
{
	check_rows("bgq");
	check_rows("qsnet2");
}

static void experiment_arguments_are_parsed(void **state)
{
	struct repro_row row = { .exp = "pingpong hops=12 path=dma slow=1" };
	char buf[64];

	T_IS(repro_arg_number(&row, "hops", 1), 12);
	T_IS(repro_arg_number(&row, "hop", 1), 1);
	T_IS(repro_arg_number(&row, "ops", 1), 1);
	T_STR(repro_arg(&row, "path", buf, "sten"), "dma");
	T_STR(repro_arg(&row, "a", buf, "sten"), "sten");
	T_TRUE(repro_slow(&row));
}

static void at_most_and_at_least_bounds(void **state)
{
	struct repro_row row = { .value = 3.5,
				 .model = 1,
				 .bound = REPRO_AT_MOST,
				 .state = REPRO_DONE };

	T_TRUE(repro_in_band(&row));
	row.model = 3.6;
	T_FALSE(repro_in_band(&row));
	row.bound = REPRO_AT_LEAST;
	T_TRUE(repro_in_band(&row));
}

/*
 * A constant is calibrated by one value; the time per hop by the difference of
 * two values.
 */
static void as_many_calibrated_rows_as_constants(void **state)
{
	unsigned predicted = 0;

	read_table("bgq");
	for (unsigned i = 0; i < r.count; i++)
		predicted += r.row[i].kind == REPRO_PREDICTED;
	T_IS(r.count - predicted, 8);
	T_IS(predicted, 59);
}

/*
 * A prediction with a reason is out of its band; a table that states a reason
 * for a prediction in its band is wrong, too.
 */
static void explained_predictions_are_outside(void **state)
{
	struct repro_row row = {
		.value = 50, .model = 51, .band = 3, .state = REPRO_DONE
	};

	T_FALSE(repro_failed(&row));
	strcpy(row.why, "reason");
	T_TRUE(repro_failed(&row));
	T_STR(repro_verdict(&row), "IN BAND, STATED AS OUTSIDE");
	row.model = 60;
	T_FALSE(repro_failed(&row));
	T_STR(repro_verdict(&row), "outside, explained");
	row.kind = REPRO_COMPARED;
	T_STR(repro_verdict(&row), "OUT OF BAND");
	T_FALSE(repro_failed(&row));
	row.kind = REPRO_PREDICTED;
	row.why[0] = 0;
	T_TRUE(repro_failed(&row));
	row.state = REPRO_FAILED;
	T_TRUE(repro_failed(&row));
	row.state = REPRO_LEFT_OUT;
	T_FALSE(repro_failed(&row));
}

static void summary_counts_explained_rows_apart(void **state)
{
	char sum[REPRO_SUM];

	memset(&r, 0, sizeof(r));
	r.count = 3;
	for (unsigned i = 0; i < r.count; i++)
		r.row[i] = (struct repro_row){ .value = 1,
					       .model = 1 + i,
					       .band = 5,
					       .state = REPRO_DONE };
	strcpy(r.row[2].why, "reason");
	repro_out_sum(&r, NULL, sum, sizeof(sum));
	T_STR(sum, "1 of 3 predictions in band, 1 outside (explained in "
		   "doc/model.md); 0 calibrated rows, which are no evidence");
}

static void predictions_of_several_systems_add_up(void **state)
{
	unsigned predictions = 100, held = 90;

	memset(&r, 0, sizeof(r));
	r.count = 4;
	for (unsigned i = 0; i < r.count; i++)
		r.row[i] = (struct repro_row){ .value = 1,
					       .model = 1 + i % 2,
					       .band = 5,
					       .state = REPRO_DONE };
	r.row[2].kind = REPRO_BOUND;
	r.row[3].state = REPRO_LEFT_OUT;
	repro_out_count(&r, &predictions, &held);
	T_IS(predictions, 102);
	T_IS(held, 91);
}

static void errors_are_in_percent_or_points(void **state)
{
	struct repro_row row = {
		.value = 50, .model = 51, .band = 2, .state = REPRO_DONE
	};

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

static void unknown_system_returns_enoent(void **state)
{
	memset(&r, 0, sizeof(r));
	r.system = "bgl";
	T_IS(repro_table_read(&r), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_row_has_an_experiment),
		T_CASE(as_many_calibrated_rows_as_constants),
		T_CASE(explained_predictions_are_outside),
		T_CASE(summary_counts_explained_rows_apart),
		T_CASE(predictions_of_several_systems_add_up),
		T_CASE(errors_are_in_percent_or_points),
		T_CASE(experiment_arguments_are_parsed),
		T_CASE(at_most_and_at_least_bounds),
		T_CASE(unknown_system_returns_enoent),
	};

	return T_RUN(tests);
}
