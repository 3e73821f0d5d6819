/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration: tables, exact recovery of known numbers, refused tables. */
#include "src/tools/calibrate/cal.h"
#include "prov/net/file/net_file.h"
#include "test/t.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cal_machine machine = { .payload = 4096,
					    .header = 26,
					    .chunk = 32,
					    .hop_us = 0.1,
					    .hops = 2,
					    .ranks = 16 };
static struct cal_table table;
static struct cal_fit fit;
static char why[CAL_WHY];

static int parse(const char *text)
{
	char copy[4096];

	free(table.point);
	table = (struct cal_table){ 0 };
	snprintf(copy, sizeof(copy), "%s", text);
	return cal_parse(&table, "t", copy, why);
}

/* Adds a table computed from known numbers by the formulas of the fit. */
static void add_known(enum cal_kind kind, const struct cal_fit *known)
{
	struct cal_point p = { .kind = kind };

	for (p.bytes = 1; p.bytes <= 1 << 20; p.bytes *= 2) {
		p.us = cal_model(&machine, known, &p);
		table.point =
			realloc(table.point, (table.count + 1) * sizeof(p));
		T_NOT_NULL(table.point);
		table.point[table.count++] = p;
	}
	table.room = table.count;
}

static bool equals(double a, double b)
{
	return fabs(a / b - 1) < 1e-6;
}

static void osu_tables_are_read(void **state)
{
	T_OK(parse("# OSU MPI Latency Test v7.3\n# Size   Latency (us)\n"
		   "0  1.20\n8 1.25\n\n# OSU MPI Bandwidth Test v7.3\n"
		   "# Size  Bandwidth (MB/s)\n1048576    10485.76\n"
		   "# OSU MPI Allreduce Latency Test\n"
		   "8   5.5  5.1  6.0  1000\n"));
	T_IS(table.count, 4);
	T_IS(table.point[1].kind, CAL_LATENCY);
	T_TRUE(equals(table.point[1].us, 1.25));
	T_IS(table.point[2].kind, CAL_BANDWIDTH);
	T_TRUE(equals(table.point[2].us, 100));
	T_IS(table.point[3].kind, CAL_ALLREDUCE);
	T_TRUE(equals(table.point[3].us, 5.5));
}

/*
 * Tables may have other comments, blank lines, and line ends of other systems.
 */
static void variants_of_tables_are_read(void **state)
{
	T_OK(parse(
		"\xef\xbb\xbf\r\n# host a, b\r\n# OSU MPI Latency Test v7.4\r\n"
		"# Datatype: MPI_CHAR.\r\n"
		"# Size          Avg Latency(us)\r\n"
		"1                       1.57\r\n\t8\t2.5\r\n\r\n# end"));
	T_IS(table.count, 2);
	T_IS(table.point[1].kind, CAL_LATENCY);
	T_IS(table.point[1].bytes, 8);
	T_TRUE(equals(table.point[1].us, 2.5));
}

static void wrong_tables_are_refused_by_line(void **state)
{
	T_IS(parse("1 2\n"), -EINVAL);
	T_NOT_NULL(strstr(why, "t:1: no title before the values"));
	T_IS(parse("# OSU MPI Latency Test\n1 2\n2 x\n"), -EINVAL);
	T_NOT_NULL(strstr(why, "t:3: \"2 x\": expected a size"));
	T_IS(parse("# OSU MPI Latency Test\n1 0\n"), -EINVAL);
	T_IS(parse("# OSU MPI Latency Test\n-1 3\n"), -EINVAL);
	T_IS(parse("# OSU MPI Latency Test\n1.5 3\n"), -EINVAL);
	T_IS(parse("# OSU MPI Latency Test\n1 nan\n"), -EINVAL);
	T_IS(parse("# OSU MPI Latency Test\n1 2\r\n2\r\n"), -EINVAL);
	T_NOT_NULL(strstr(why, "t:3: \"2\": expected a size"));
	T_IS(parse("# OSU MPI Multiple Pair Test\n1 2\n"), -EINVAL);
	T_NOT_NULL(strstr(why, "t:2: \"OSU MPI Multiple Pair Test\" is not "
			       "used; expected \"# OSU MPI Latency"));
	T_IS(cal_read(&table, "/nowhere/t", why), -ENOENT);
}

static void tables_have_a_limit(void **state)
{
	for (int i = 0; i <= CAL_POINTS_MAX; i++) {
		char text[] = "# OSU MPI Latency Test\n8 1.5\n";

		if (!i)
			T_OK(parse(""));
		T_IS(cal_parse(&table, "t", text, why),
		     i < CAL_POINTS_MAX ? 0 : -EINVAL);
	}
	T_NOT_NULL(strstr(why, "more than 4096 values"));
}

/* The written numbers have no exponents, which machine files do not have. */
static void rates_are_written_as_machine_files_have_them(void **state)
{
	static const struct {
		double us_per_byte;
		const char *text;
	} row[] = {
		{ 8e-5, "= 12.50 GB/s" },      { 1e-8, "= 100000 GB/s" },
		{ 2e-3, "= 500.0 MB/s" },      { 30, "= 0.03333 MB/s" },
		{ 1.0001e-3, "= 999.9 MB/s" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		fit = (struct cal_fit){ .overhead = 1,
					.time = 2,
					.byte = row[i].us_per_byte };
		cal_write(f, "", &machine, &fit);
		fclose(f);
		T_NOT_NULL(strstr(text, row[i].text));
		free(text);
	}
}

static void known_numbers_are_recovered(void **state)
{
	const struct cal_fit known = { .overhead = 0.4,
				       .time = 0.9,
				       .byte = 8e-5,
				       .gap = 0.05,
				       .message = 0.2,
				       /* 58 bytes on the wire */
				       .response = 2 * (1.3 + 58 * 8e-5) / 64,
				       .eager = 8192 };

	T_OK(parse(""));
	add_known(CAL_LATENCY, &known);
	add_known(CAL_BANDWIDTH, &known);
	T_OK(cal_fit(&table, &machine, &fit, why));
	T_TRUE(equals(fit.overhead, 0.4));
	T_TRUE(equals(fit.time, 0.9));
	T_TRUE(equals(fit.byte, 8e-5));
	T_TRUE(equals(fit.gap, 0.05));
	T_TRUE(equals(fit.message, 0.2));
	T_TRUE(equals(fit.eager, 8192));
	T_TRUE(!fit.overhead_assumed);
	T_TRUE(fit.eager_known);
	T_TRUE(fit.worst_error < 1e-6);
}

/*
 * From latencies alone, overhead + time is exact, but how it divides between
 * the two is assumed.
 */
static void latencies_alone_give_the_sum(void **state)
{
	const struct cal_fit known = {
		.overhead = 0.39, .time = 0.9, .byte = 8e-5, .eager = 1 << 20
	};

	T_OK(parse(""));
	add_known(CAL_LATENCY, &known);
	T_OK(cal_fit(&table, &machine, &fit, why));
	T_TRUE(fit.overhead_assumed);
	T_TRUE(equals(fit.overhead + fit.time, 1.29));
	T_TRUE(equals(fit.byte, 8e-5));
	T_TRUE(fit.gap == 0);
	T_TRUE(!fit.eager_known);
}

static void useless_tables_are_refused(void **state)
{
	T_OK(parse("# OSU MPI Bandwidth Test\n1024 1000\n"));
	T_IS(cal_fit(&table, &machine, &fit, why), -EINVAL);
	T_NOT_NULL(strstr(why, "no latencies"));
	T_OK(parse("# OSU MPI Latency Test\n8 2.0\n1048576 1.0\n"));
	T_IS(cal_fit(&table, &machine, &fit, why), -EINVAL);
	T_NOT_NULL(strstr(why, "no latency and rate"));
	T_OK(parse("# OSU MPI Latency Test\n8 0.2\n1048576 100\n"));
	T_IS(cal_fit(&table, &machine, &fit, why), -EINVAL);
	T_NOT_NULL(strstr(why, "2 links of 100 ns (key hop)"));
}

/*
 * The written file contains the fitted numbers, and the reader accepts the
 * file.
 */
static void the_written_file_is_a_machine(void **state)
{
	static const char base[] =
		"name = x\nunit = generic\ntopology = gen-fat-tree\n"
		"shape = 4x4\nlink = 1 GB/s # old\nhop = 100 ns\n"
		"G = 3 ns\no_send = 1 ns\no_recv = 1 ns\nlatency = 9 us\n";
	static const struct net_spec want;
	struct net_error_text error;
	struct net_config cfg;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fit = (struct cal_fit){ .overhead = 0.4,
				.time = 0.9,
				.byte = 8e-5,
				.gap = 0.2,
				.eager = 8192,
				.eager_known = true };
	cal_write(f, base, &machine, &fit);
	fclose(f);
	T_OK(net_file_parse("m", text, len, &want, &cfg, &error));
	T_IS(cfg.latency_ps, 700000);
	T_IS(cfg.send_ps, 200000);
	T_IS(cfg.recv_ps, 200000);
	T_IS(cfg.path[0].gap_ps, 200000);
	T_IS(cfg.link_ps_per_byte_x1000, 80000);
	T_IS(cfg.byte_ps_x1000, 0);
	T_IS(cfg.eager_bytes, 8192);
	free(text);
}

/*
 * Fitted values that the base file does not contain are written before its
 * variants.
 */
static void values_precede_variants(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fit = (struct cal_fit){ .overhead = 1, .time = 2, .byte = 1 };
	cal_write(f, "name = x\n[fast]\nlink = 2 GB/s\n", &machine, &fit);
	fclose(f);
	T_TRUE(strstr(text, "o_send") < strstr(text, "[fast]"));
	T_NOT_NULL(strstr(text, "[fast]\nlink = 2 GB/s\n"));
	free(text);
}

static void allreduce_is_compared_by_steps(void **state)
{
	const struct cal_point p = { CAL_ALLREDUCE, 8, 1 };

	fit = (struct cal_fit){ .overhead = 1, .time = 2, .byte = 0 };
	T_TRUE(equals(cal_model(&machine, &fit, &p), 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(osu_tables_are_read),
		T_CASE(variants_of_tables_are_read),
		T_CASE(tables_have_a_limit),
		T_CASE(rates_are_written_as_machine_files_have_them),
		T_CASE(wrong_tables_are_refused_by_line),
		T_CASE(known_numbers_are_recovered),
		T_CASE(latencies_alone_give_the_sum),
		T_CASE(useless_tables_are_refused),
		T_CASE(the_written_file_is_a_machine),
		T_CASE(values_precede_variants),
		T_CASE(allreduce_is_compared_by_steps),
	};

	return T_RUN(tests);
}
