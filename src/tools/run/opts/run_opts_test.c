/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the command line. */
#include "src/tools/run/opts/run_opts.h"
#include "src/tools/run/opts/run_words.h"
#include "test/t.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **words; /* words of the last parsed line */

/* Parses a line; discards messages. */
static bool parse(struct run_opts *o, const char *line, int *code_p)
{
	int n, err = dup(2), out = dup(1), null = open("/dev/null", O_WRONLY);
	bool ok;

	free(words);
	words = run_words(line, &n);
	fflush(stdout);
	dup2(null, 2);
	dup2(null, 1);
	ok = run_opts_parse(o, words, code_p);
	dup2(err, 2);
	dup2(out, 1);
	close(err);
	close(out);
	close(null);
	return ok;
}

static void rank_count_option_has_aliases(void **state)
{
	static const char *const line[] = {
		"mpiexec -n 4 a",
		"mpiexec -np 4 a",
		"mpiexec --np 4 a",
		"mpiexec --np=4 a",
		"mpiexec -c 4 a",
		"mpiexec --n 4 a",
		"mpiexec -ppn 4 a",
		"mpiexec -N 4 a",
		"mpiexec -host localhost:4 a",
		"mpiexec --map-by ppr:4:node a",
	};
	struct run_opts o;
	size_t i;
	int code;

	for (i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		T_TRUE(parse(&o, line[i], &code));
		T_IS(run_opts_ranks(&o), 4);
		run_opts_free(&o);
	}
}

static void contexts_are_numbered_in_order(void **state)
{
	struct run_opts o;
	int code;

	T_TRUE(parse(&o, "mpiexec -n 2 a -x y : -wdir /tmp -n 3 b : c", &code));
	T_IS(o.napps, 3);
	T_IS(o.app[1].first, 2);
	T_IS(o.app[2].first, 5);
	T_STR(o.app[0].argv[1], "-x");
	T_STR(o.app[1].wdir, "/tmp");
	T_NULL(o.app[2].wdir);
	T_NULL(o.app[2].argv[1]);
	run_opts_free(&o);
}

static void environment_is_set_for_all_or_one_context(void **state)
{
	struct run_opts o;
	int code;

	T_TRUE(parse(&o, "mpiexec -genv A 1 -x B=2 -x 'C*' -env D 4 a : b",
		     &code));
	T_IS(o.genv.count, 3);
	T_STR(o.genv.edit[0].value, "1");
	T_STR(o.genv.edit[1].name, "B");
	T_NULL(o.genv.edit[2].value);
	T_IS(o.app[0].env.count, 1);
	T_IS(o.app[1].env.count, 0);
	free((void *)(uintptr_t)o.genv.edit[1].name);
	run_opts_free(&o);
}

static void refused(const char *const *line, size_t n)
{
	struct run_opts o;
	int code;

	for (size_t i = 0; i < n; i++) {
		code = 0;
		T_FALSE(parse(&o, line[i], &code));
		T_IS(code, 125);
		run_opts_free(&o);
	}
}

static void invalid_command_lines_exit_with_125(void **state)
{
	static const char *const line[] = {
		"mpiexec",
		"mpiexec -n",
		"mpiexec -n 2",
		"mpiexec -n 0 a",
		"mpiexec -n x a",
		"mpiexec -n 2 a : ",
		"mpiexec --bind-to moon a",
		"mpiexec --map-by core:PE=x a",
		"mpiexec --map-by ppr:2 a",
		"mpiexec --output smoke a",
		"mpiexec -launcher fork -host elsewhere.example a",
		"mpiexec -host elsewhere.example --machine bgq a",
		"mpiexec -host elsewhere.example --clock virtual a",
		"mpiexec -env FI_WEFT_CLOCK virtual -host elsewhere.example a",
		"mpiexec -hostfile /nonexistent a",
		"mpiexec -configfile /nonexistent",
		"mpiexec --binf-to core a",
		"mpiexec --clock sand a",
		"mpiexec --clock virtual a",
		"mpiexec --machine native a",
		"mpiexec --machine qsnet2@cray:4 a",
		"mpiexec -n 17 --machine qsnet2:4x4 a",
		"mpiexec --machine cm5 a",
		"mpiexec --machine ./nonexistent a",
		"mpiexec -n 33 --machine bgq:2x2x2x2x2 a",
		"mpiexec -n 2 --machine bgq:2xx2 a",
		"mpiexec -n 2 --machine bgq --map ABC a",
		"mpiexec -n 2 --machine bgq --map ./nonexistent a",
		"mpiexec --machine bgq --compute soon a",
		"mpiexec --machine bgq --faults plan a",
		"mpiexec --machine bgq --faults errors=x a",
		"mpiexec --faults reorder=0.1 a",
		"mpiexec --timeout soon a",
		"mpiexec --with-ft x a",
		"mpiexec --survive --machine bgq --faults dead-node=3 a",
		"mpiexec --survive --machine apenet --faults ;dead-node\t3 a",
		"mpiexec --survive -launcher mpirun -host elsewhere.example a",
		"mpiexec -stdin me a",
	};
	refused(line, sizeof(line) / sizeof(line[0]));
}

static void invalid_numbers_are_refused(void **state)
{
	static const char *const line[] = {
		"mpiexec --timeout inf a",
		"mpiexec --timeout nan a",
		"mpiexec --timeout -1 a",
		"mpiexec -stdin me a",
		"mpiexec -stdin '' a",
		"mpiexec -stdin -3 a",
		"mpiexec -n 2 -stdin 2 a",
		"mpiexec -n 1000000 a : -n 1 a",
		"mpiexec -n 99999999999 a",
		"mpiexec -ppn 1000000 -host elsewhere1,elsewhere2 a",
		"mpiexec -host '' a",
		"mpiexec -host h:abc a",
		"mpiexec --health 0 a",
		"mpiexec --compute nan a",
		"mpiexec --npersocket 0 a",
	};

	refused(line, sizeof(line) / sizeof(line[0]));
}

static void help_and_version_exit_0(void **state)
{
	static const char *const line[] = {
		"mpiexec -h",	       "mpiexec --help",
		"mpiexec --help bind", "mpiexec -bind-to -help",
		"mpiexec -V",	       "mpiexec --version",
	};
	struct run_opts o;
	size_t i;
	int code;

	for (i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		code = 1;
		T_FALSE(parse(&o, line[i], &code));
		T_IS(code, 0);
		run_opts_free(&o);
	}
}

static void options_without_effect_are_reported_once(void **state)
{
	struct run_opts o;
	int code;

	T_TRUE(parse(&o,
		     "mpiexec --mca a b --mca c d -iface eth0 "
		     "--allow-run-as-root --oversubscribe a",
		     &code));
	T_IS(o.nnotes, 2);
	run_opts_free(&o);
}

static void placement_options_are_parsed(void **state)
{
	struct run_opts o;
	int code;

	T_TRUE(parse(&o,
		     "mpiexec --map-by ppr:2:socket:PE=3,OVERSUBSCRIBE "
		     "-bind-to numa a",
		     &code));
	T_IS(o.place.ppr, 2);
	T_IS(o.place.pe, 3);
	T_IS(o.place.map, RUN_UNIT_PACKAGE);
	T_IS(o.place.bind, RUN_UNIT_NUMA);
	T_TRUE(o.place.oversubscribe);
	run_opts_free(&o);
	T_TRUE(parse(&o, "mpiexec --map-by :OVERSUBSCRIBE -bind-to core:2 a",
		     &code));
	T_IS(o.place.map, RUN_UNIT_DEFAULT);
	T_IS(o.place.bind_count, 2);
	run_opts_free(&o);
}

/* Other launchers end the job when a rank fails. */
static void survivors_on_several_hosts_use_the_remote_shell(void **state)
{
	static const char *const line[] = {
		"mpiexec --survive -host elsewhere.example:2 -n 2 a",
		"mpiexec --survive -launcher ssh -host elsewhere.example a",
	};
	struct run_opts o;
	int code;

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		T_TRUE(parse(&o, line[i], &code));
		T_TRUE(o.remote.wanted);
		T_IS(o.remote.launcher, RUN_LAUNCHER_RSH);
		run_opts_free(&o);
	}
	T_TRUE(parse(&o, "mpiexec -host elsewhere.example -n 1 a", &code));
	T_IS(o.remote.launcher, RUN_LAUNCHER_ANY);
	run_opts_free(&o);
}

static void timeout_is_set_by_option_or_environment(void **state)
{
	static const char *const wrong[] = { "soon", "inf", "-1" };
	struct run_opts o;
	int code;

	setenv("MPIEXEC_TIMEOUT", "9", 1);
	T_TRUE(parse(&o, "mpiexec a", &code));
	T_IS((int)o.timeout_s, 9);
	run_opts_free(&o);
	T_TRUE(parse(&o, "mpiexec -maxtime 3 a", &code));
	T_IS((int)o.timeout_s, 3);
	run_opts_free(&o);
	setenv("MPIEXEC_TIMEOUT", "0", 1);
	T_TRUE(parse(&o, "mpiexec a", &code));
	T_TRUE(o.timeout_s <= 0);
	run_opts_free(&o);
	for (int i = 0; i < 3; i++) {
		setenv("MPIEXEC_TIMEOUT", wrong[i], 1);
		T_FALSE(parse(&o, "mpiexec a", &code));
		run_opts_free(&o);
	}
	unsetenv("MPIEXEC_TIMEOUT");
}

static void machine_with_the_live_clock_is_accepted(void **state)
{
	struct run_opts o;
	int code;

	T_TRUE(parse(&o, "mpiexec --machine bgq:2x2 --clock live a", &code));
	T_STR(o.model.spec, "bgq");
	run_opts_free(&o);
}

static void default_shape_holds_all_ranks(void **state)
{
	static const struct {
		const char *line;
		const char *spec;
		const char *map;
	} row[] = {
		{ "-n 512", "bgq:4x4x4x4x2", NULL },
		{ "-n 512 --ppn 16", "bgq:2x2x2x2x2", NULL },
		{ "-n 3 --map TABCDE", "bgq:1x1x1x2x2", "TABCDE" },
		{ "-n 3 --map /dev/../proc/self/environ", NULL, NULL },
	};
	struct run_opts o;
	char line[128];
	int code;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(line, sizeof(line), "mpiexec -q --machine bgq %s a",
			 row[i].line);
		T_IS(parse(&o, line, &code), row[i].spec != NULL);
		if (row[i].spec)
			T_STR(o.model.spec, row[i].spec);
		if (row[i].map)
			T_STR(o.model.map_spec, row[i].map);
		run_opts_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(rank_count_option_has_aliases),
		T_CASE(contexts_are_numbered_in_order),
		T_CASE(environment_is_set_for_all_or_one_context),
		T_CASE(invalid_command_lines_exit_with_125),
		T_CASE(invalid_numbers_are_refused),
		T_CASE(help_and_version_exit_0),
		T_CASE(options_without_effect_are_reported_once),
		T_CASE(placement_options_are_parsed),
		T_CASE(survivors_on_several_hosts_use_the_remote_shell),
		T_CASE(timeout_is_set_by_option_or_environment),
		T_CASE(machine_with_the_live_clock_is_accepted),
		T_CASE(default_shape_holds_all_ranks),
	};
	int rc = T_RUN(tests);

	free(words);
	return rc;
}
