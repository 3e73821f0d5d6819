/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of fault plans: every kind, and the error messages. */
#include "test/t.h"
#include "src/job/fault_plan.h"
#include "test/support/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char everything[] = "# a plan\n"
				 "seed = 42\n"
				 "\n"
				 "errors optical = 1e-9   # per bit; all day\n"
				 "errors * =2.5e-12\n"
				 "burst optical=20\n"
				 "\tlanes 17.A+ = 2 at 10 us\n"
				 "dead-link 17.A+ at 1.5 ms for 20ns\n"
				 "dead-node 3 at 1 s\n"
				 "dead-switch top.4\n"
				 "dead-rail 1 for 7 ps\n"
				 "slow-link 2.B- = 4\n"
				 "slow-node 3 = 1.5\n"
				 "memory * = 1e-7\n"
				 "loss = 0.01\n"
				 "duplicate = .02\n"
				 "reorder = 0.03 at 5us\n"
				 "corrupt = 1\n"
				 "delay = 0.05 by 200 us at 1 s for 2 s\n"
				 "partition 0-3|4-7 at 1 s for 100 ms";

static void check(const struct weft_fault_entry *f,
		  enum weft_fault_plan_kind kind, unsigned line,
		  const char *target, double value)
{
	T_IS(f->kind, kind);
	T_IS(f->line, line);
	T_STR(f->target, target);
	T_TRUE(f->value > value * (1 - 1e-12) - 1e-300 &&
	       f->value < value * (1 + 1e-12) + 1e-300);
}

static void check_time(const struct weft_fault_entry *f, uint64_t start,
		       uint64_t duration)
{
	T_TRUE(f->at_ps == start);
	T_TRUE(f->for_ps == duration);
}

static void every_kind_is_parsed(void **state)
{
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;

	T_OK(weft_fault_plan_parse("x", everything, &p, &why));
	T_IS(p.seed, 42);
	T_IS(p.count, 17);
	check(&p.fault[0], WEFT_FAULT_ERRORS, 4, "optical", 1e-9);
	check_time(&p.fault[0], 0, WEFT_FAULT_FOREVER);
	check(&p.fault[1], WEFT_FAULT_ERRORS, 5, "*", 2.5e-12);
	check(&p.fault[2], WEFT_FAULT_BURST, 6, "optical", 20);
	check(&p.fault[3], WEFT_FAULT_LANES, 7, "17.A+", 2);
	check_time(&p.fault[3], 10000000, WEFT_FAULT_FOREVER);
	check(&p.fault[4], WEFT_FAULT_DEAD_LINK, 8, "17.A+", 0);
	check_time(&p.fault[4], 1500000000, 20000);
	check(&p.fault[5], WEFT_FAULT_DEAD_NODE, 9, "3", 0);
	check(&p.fault[6], WEFT_FAULT_DEAD_SWITCH, 10, "top.4", 0);
	check(&p.fault[7], WEFT_FAULT_DEAD_RAIL, 11, "1", 0);
	check_time(&p.fault[7], 0, 7);
	check(&p.fault[8], WEFT_FAULT_SLOW_LINK, 12, "2.B-", 4);
	check(&p.fault[9], WEFT_FAULT_SLOW_NODE, 13, "3", 1.5);
	check(&p.fault[10], WEFT_FAULT_MEMORY, 14, "*", 1e-7);
	check(&p.fault[11], WEFT_FAULT_LOSS, 15, "", 0.01);
	check(&p.fault[12], WEFT_FAULT_DUPLICATE, 16, "", 0.02);
	check(&p.fault[13], WEFT_FAULT_REORDER, 17, "", 0.03);
	check(&p.fault[14], WEFT_FAULT_CORRUPT, 18, "", 1);
	check(&p.fault[15], WEFT_FAULT_DELAY, 19, "", 0.05);
	T_IS(p.fault[15].by_ps, 200000000);
	check_time(&p.fault[15], 1000000000000, 2000000000000);
	check(&p.fault[16], WEFT_FAULT_PARTITION, 20, "0-3|4-7", 0);
	weft_fault_plan_fini(&p);
	T_IS(p.count, 0);
}

static void semicolons_separate_faults_on_a_command_line(void **state)
{
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;

	T_OK(weft_fault_plan_load(
		"seed=7; errors * = 1e-6 ;dead-node 2 at 1us; ", &p, &why));
	T_IS(p.seed, 7);
	T_IS(p.count, 2);
	check(&p.fault[1], WEFT_FAULT_DEAD_NODE, 1, "2", 0);
	weft_fault_plan_fini(&p);
}

static void ends_of_processes_and_their_detection(void **state)
{
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;

	T_OK(weft_fault_plan_load("dead-processor 0,3,1 at 3 ms; dead-rank 5;"
				  "detect by 20 us",
				  &p, &why));
	T_IS(p.count, 3);
	check(&p.fault[0], WEFT_FAULT_DEAD_PROCESSOR, 1, "0,3,1", 0);
	check_time(&p.fault[0], 3000000000, WEFT_FAULT_FOREVER);
	check(&p.fault[1], WEFT_FAULT_DEAD_RANK, 1, "5", 0);
	check(&p.fault[2], WEFT_FAULT_DETECT, 1, "", 0);
	T_IS(p.fault[2].by_ps, 20000000);
	weft_fault_plan_fini(&p);
	T_IS(weft_fault_plan_load("detect = 3", &p, &why), -EINVAL);
}

static void empty_text_is_an_empty_plan(void **state)
{
	static const char *const empty[] = { "", "\n\n", ";;", "# x; loss = 1",
					     " \t" };
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;

	for (unsigned i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		T_OK(weft_fault_plan_parse("x", empty[i], &p, &why));
		T_IS(p.count + p.seed, 0);
	}
}

static void errors_name_file_and_line(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{ "loss = 1\nlos = 1",
		  "f:2: unknown fault \"los\"; did you mean loss?" },
		{ "\n\nerrors = 1", "f:3: errors: expected a link class or *" },
		{ "dead-node", "f:1: dead-node: expected a node" },
		{ "loss", "f:1: loss: expected \"= VALUE\", not \"\"" },
		{ "loss = x", "f:1: loss: expected a number, not \"x\"" },
		{ "loss = 1x", "f:1: loss: expected a number, not \"1x\"" },
		{ "loss = 1e", "f:1: loss: expected a number, not \"1e\"" },
		{ "loss = -1", "f:1: loss: expected a number, not \"-1\"" },
		{ "loss = 1.5", "f:1: loss: must be from 0 to 1, not 1.5" },
		{ "slow-node 3 = 0.5",
		  "f:1: slow-node: must be from 1 to 1e+06, not 0.5" },
		{ "lanes 3 = 1.5",
		  "f:1: lanes: must be a whole number, not 1.5" },
		{ "loss = 1 at", "f:1: at: expected a time, not \"\"" },
		{ "loss = 1 at 3 days",
		  "f:1: at: expected the unit ps, ns, us, ms or s after 3, "
		  "not \"days\"" },
		{ "loss = 1 at 3",
		  "f:1: at: expected the unit ps, ns, us, ms or s after 3, "
		  "not \"\"" },
		{ "loss = 1 for 9e99 s", "f:1: for: 9e99 s is too long" },
		{ "delay = 1 at 1 s",
		  "f:1: delay: expected \"by TIME\", not \"at\"" },
		{ "loss = 1 by 1 s", "f:1: loss: unexpected \"by\"" },
		{ "dead-node 3 = 4", "f:1: dead-node: unexpected \"=\"" },
		{ "loss = 1 for 1 s at 1 s", "f:1: loss: unexpected \"at\"" },
		{ "loss = 1\ndelay = 1 by 1 s\nloss = 0",
		  "f:3: loss: already in line 1" },
		{ "seed = 1\nseed = 1", "f:2: seed: already in line 1" },
		{ "seed 1", "f:1: seed: expected \"= NUMBER\"" },
		{ "seed = 1.5", "f:1: seed: must be a whole number, not 1.5" },
		{ "seed = 1 2", "f:1: seed: unexpected \"2\"" },
		{ "a b c d e f g h i j k l m n o p q",
		  "f:1: line too long: use at most 240 characters and "
		  "15 words" },
	};
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		T_IS(weft_fault_plan_parse("f", wrong[i].text, &p, &why),
		     -EINVAL);
		T_STR(why.text, wrong[i].why);
		T_TRUE(!p.fault && !p.count);
	}
}

/* Faults that differ only in their start times are accepted. */
static void a_link_may_fail_twice(void **state)
{
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;

	T_OK(weft_fault_plan_parse("f",
				   "dead-link 1 at 1 s for 1 ms\n"
				   "dead-link 1 at 2 s for 1 ms\n"
				   "dead-link 2 at 1 s",
				   &p, &why));
	T_IS(p.count, 3);
	weft_fault_plan_fini(&p);
}

/* Numbers have 15 digits; times are rounded; names have 95 characters. */
static void numbers_and_names_have_limits(void **state)
{
	char name[WEFT_FAULT_TARGET + 1], text[160];
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;

	T_OK(weft_fault_plan_parse("f",
				   "loss = 0.12345678901234 at 1.6 ps\n"
				   "corrupt = 1e-123 at 0.0014 ns",
				   &p, &why));
	T_TRUE(p.fault[0].value > 0.1234567890123 &&
	       p.fault[0].value < 0.1234567890124);
	T_IS(p.fault[0].at_ps, 2);
	T_TRUE(p.fault[1].value < 1e-100 && p.fault[1].value > 0);
	T_IS(p.fault[1].at_ps, 1);
	weft_fault_plan_fini(&p);
	T_IS(weft_fault_plan_parse("f", "loss = 0.123456789012345", &p, &why),
	     -EINVAL);
	memset(name, 'n', sizeof(name));
	name[WEFT_FAULT_TARGET - 1] = '\0';
	snprintf(text, sizeof(text), "dead-link %s", name);
	T_OK(weft_fault_plan_parse("f", text, &p, &why));
	T_STR(p.fault[0].target, name);
	weft_fault_plan_fini(&p);
	name[WEFT_FAULT_TARGET - 1] = 'n';
	name[WEFT_FAULT_TARGET] = '\0';
	snprintf(text, sizeof(text), "dead-link %s", name);
	T_IS(weft_fault_plan_parse("f", text, &p, &why), -EINVAL);
	T_NOT_NULL(strstr(why.text, "is too long"));
}

static void plan_files_are_parsed_and_named_in_errors(void **state)
{
	char path[] = "fault_plan_test.XXXXXX", want[80];
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;
	FILE *f = fdopen(mkstemp(path), "w");

	T_NOT_NULL(f);
	fputs("seed = 3\nloss = 0.5\nlost = 1\n", f);
	fclose(f);
	T_IS(weft_fault_plan_load(path, &p, &why), -EINVAL);
	snprintf(want, sizeof(want),
		 "%s:3: unknown fault \"lost\"; did you mean loss?", path);
	T_STR(why.text, want);
	T_OK(truncate(path, 20));
	T_OK(weft_fault_plan_load(path, &p, &why));
	T_IS(p.seed, 3);
	weft_fault_plan_fini(&p);
	unlink(path);
	T_IS(weft_fault_plan_load(path, &p, &why), -ENOENT);
	T_NOT_NULL(strstr(why.text, path));
}

/* A changed valid plan is accepted, or refused with a message. */
static void changed_plans_are_refused_or_accepted(void **state)
{
	struct weft_fault_plan_why why;
	struct weft_fault_plan p;
	char text[sizeof(everything) + 200];
	int good = 0, rounds = fuzz_rounds(20000);
	struct fuzz f;

	fuzz_init(&f, 1);
	for (int i = 0; i < rounds; i++) {
		strcpy(text, everything);
		do
			fuzz_text(&f, text, sizeof(text));
		while (fuzz_chance(&f, 2));
		if (!weft_fault_plan_parse("f", text, &p, &why)) {
			weft_fault_plan_fini(&p);
			good++;
		} else {
			T_TRUE(!strncmp(why.text, "f:", 2));
		}
	}
	T_TRUE(good > rounds / 50 && good < rounds - rounds / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_kind_is_parsed),
		T_CASE(semicolons_separate_faults_on_a_command_line),
		T_CASE(ends_of_processes_and_their_detection),
		T_CASE(empty_text_is_an_empty_plan),
		T_CASE(errors_name_file_and_line),
		T_CASE(a_link_may_fail_twice),
		T_CASE(numbers_and_names_have_limits),
		T_CASE(plan_files_are_parsed_and_named_in_errors),
		T_CASE(changed_plans_are_refused_or_accepted),
	};

	return T_RUN(tests);
}
