/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of mpiexec's external input: words, host lists and CPU quotas. */
#include "src/tools/run/opts/run_words.h"
#include "src/tools/run/run_cpus.h"
#include "src/tools/run/opts/run_hosts.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void quotes_keep_blanks(void **state)
{
	int n;
	char **w = run_words(" a 'b c'  \"d \\\" e\" f\\ g '' ", &n);

	T_IS(n, 5);
	T_STR(w[1], "b c");
	T_STR(w[2], "d \" e");
	T_STR(w[3], "f g");
	T_STR(w[4], "");
	T_NULL(w[5]);
	free(w);
}

static void blank_text_has_no_words(void **state)
{
	int n;
	char **w = run_words("  \t ", &n);

	T_IS(n, 0);
	T_NULL(w[0]);
	free(w);
}

static int file_with(const char *text, char name[32])
{
	FILE *f;
	int fd;

	snprintf(name, 32, "/tmp/run_words_test.XXXXXX");
	fd = mkstemp(name);
	f = fdopen(fd, "w");
	fputs(text, f);
	return fclose(f);
}

static void lines_of_a_file_become_contexts(void **state)
{
	char name[32], **w;
	int n;

	T_OK(file_with("# two programs\n-n 2 a b\n\n  -n 1 c\n", name));
	w = run_words_of_file(name, &n);
	unlink(name);
	T_IS(n, 8);
	T_STR(w[4], ":");
	T_STR(w[7], "c");
	free(w);
}

static void local_host_names_need_no_lookup(void **state)
{
	T_TRUE(run_hosts_is_local("localhost", "box"));
	T_TRUE(run_hosts_is_local("127.0.0.1", "box"));
	T_TRUE(run_hosts_is_local("box", "box"));
	T_TRUE(run_hosts_is_local("box", "box.example"));
	T_TRUE(run_hosts_is_local("box.example", "box"));
	T_FALSE(run_hosts_is_local("box.example", "box.other"));
	T_FALSE(run_hosts_is_local("boxer", "box"));
}

static void slots_of_a_list_add_up(void **state)
{
	struct run_hosts h = { 0 };

	T_OK(run_hosts_list("-host", "localhost:3,box,[::1]:2", &h));
	T_IS(run_hosts_slots(&h), 6);
	T_NULL(run_hosts_first_remote(&h, "box"));
	T_OK(run_hosts_list("-host", "box,far:2", &h));
	T_IS(h.count, 4);
	T_IS(h.host[1].slots, 2);
	T_IS(run_hosts_slots(&h), 9);
	T_STR(run_hosts_first_remote(&h, "box"), "far");
	run_hosts_free(&h);
}

static void both_host_file_notations_are_parsed(void **state)
{
	struct run_hosts h = { 0 };
	char name[32];

	T_OK(file_with("# hosts\nlocalhost:2\nbox slots=4 max_slots=8\n",
		       name));
	T_OK(run_hosts_file("-f", name, &h));
	unlink(name);
	T_IS(run_hosts_slots(&h), 6);
	T_IS(run_hosts_file("-f", "/nonexistent", &h), -EINVAL);
	run_hosts_free(&h);
}

static void hosts_without_name_or_slots_are_refused(void **state)
{
	static const char *const list[] = {
		"",
		"h:abc",
		"h:-5",
		"h:99999999999",
		"h:0",
		"h:",
		":2",
		"a,,b",
		"a,",
		"h:1x",
		"h:+",
		"[]:2",
		"a:600000,b:600000",
		"h: 5,",
		"h:1000001",
	};
	static const char *const file[] = {
		"h:abc\n",
		"h slots=\n",
		"h slots=-5\n",
		"h slots=99999999999\n",
		"h slots=2x\n",
		"h slot=2\n",
		"h max_slots=abc\n",
		"\n# h\n",
		":2\n",
		"",
	};
	struct run_hosts h = { 0 };
	char name[32];

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		T_IS(run_hosts_list("-host", list[i], &h), -EINVAL);
		run_hosts_free(&h);
	}
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		T_OK(file_with(file[i], name));
		T_IS(run_hosts_file("-f", name, &h), -EINVAL);
		unlink(name);
		run_hosts_free(&h);
	}
	T_OK(run_hosts_list("-host", "a:2, b c:1000", &h));
	T_IS(run_hosts_slots(&h), 1003);
	run_hosts_free(&h);
}

static void quota_is_rounded_up(void **state)
{
	T_IS(run_cpus_parse("150000 100000"), 2);
	T_IS(run_cpus_parse("50000 100000"), 1);
	T_IS(run_cpus_parse("max 100000"), 0);
	T_IS(run_cpus_parse("-1 100000"), 0);
	T_IS(run_cpus_parse(""), 0);
	T_TRUE(run_cpus() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(quotes_keep_blanks),
		T_CASE(blank_text_has_no_words),
		T_CASE(lines_of_a_file_become_contexts),
		T_CASE(local_host_names_need_no_lookup),
		T_CASE(slots_of_a_list_add_up),
		T_CASE(both_host_file_notations_are_parsed),
		T_CASE(hosts_without_name_or_slots_are_refused),
		T_CASE(quota_is_rounded_up),
	};

	return T_RUN(tests);
}
