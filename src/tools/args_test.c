/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of command-line options: names, words, numbers, help, errors. */
#include "src/tools/args.h"
#include "test/t.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct row {
	struct weft_arg arg;
	int id;
};

static const struct row rows[] = {
	{ { "number|n", 1, "N", "a number", 0 }, 1 },
	{ { "quiet", 0, "", "no words", 1 }, 2 },
	{ { "pair", WEFT_ARGS_PAIR, "K V", "two", 0 }, 3 },
	{ { "x", WEFT_ARGS_MAYBE, "N", "perhaps one", 1 }, 4 },
};

static const struct weft_args_topic topics[] = {
	{ "first", "The first", false },
	{ "second", "The second", true },
	{ NULL, NULL, false },
};

static char text[8192];
static char *line[8];
static struct weft_args a;

/* Resets the parser to these words; next() stores the output in text. */
static void begin(const char *w0, const char *w1, const char *w2)
{
	const char *const w[] = { w0, w1, w2 };

	memset(line, 0, sizeof(line));
	for (int i = 0; i < 3 && w[i]; i++)
		line[i] = (char *)(uintptr_t)w[i];
	a = (struct weft_args){ .program = "prog",
				WEFT_ARGS_TABLE(rows),
				.topic = topics,
				.before = "usage: prog\n",
				.after = "the end\n",
				.word = line };
}

static enum weft_args_found next(void)
{
	int fd[2], out = dup(1), err = dup(2);
	enum weft_args_found found;
	ssize_t n;

	T_OK(pipe(fd));
	fflush(stdout);
	dup2(fd[1], 1);
	dup2(fd[1], 2);
	found = weft_args_next(&a);
	fflush(stdout);
	dup2(out, 1);
	dup2(err, 2);
	close(out);
	close(err);
	close(fd[1]);
	n = read(fd[0], text, sizeof(text) - 1);
	close(fd[0]);
	text[n > 0 ? n : 0] = 0;
	return found;
}

static void found_is(int id, const char *v0, char **rest)
{
	T_IS(next(), WEFT_ARGS_OPTION);
	T_IS(((const struct row *)a.row)->id, id);
	if (v0)
		T_STR(a.value[0], v0);
	T_PTR(a.word, rest);
}

static void options_take_one_or_two_dashes_and_three_value_forms(void **state)
{
	begin("--number", "5", NULL);
	found_is(1, "5", line + 2);
	T_IS(next(), WEFT_ARGS_END);
	begin("-number=5", "word", NULL);
	found_is(1, "5", line + 1);
	T_IS(next(), WEFT_ARGS_WORD);
	begin("-n5", NULL, NULL);
	T_IS(next(), WEFT_ARGS_WRONG);
	begin("-n5", NULL, NULL);
	a.attached = true;
	found_is(1, "5", line + 1);
	begin("--", "-n", NULL);
	T_IS(next(), WEFT_ARGS_WORD);
	T_STR(a.word[0], "-n");
	begin("-", NULL, NULL);
	T_IS(next(), WEFT_ARGS_WORD);
}

static void a_pair_is_one_word_or_two(void **state)
{
	begin("-pair", "K=V", "x");
	found_is(3, "K=V", line + 2);
	begin("-pair", "K", "V");
	found_is(3, "K", line + 3);
	T_STR(a.value[1], "V");
	begin("-pair", "K", NULL);
	T_IS(next(), WEFT_ARGS_WRONG);
	T_STR(text, "prog: -pair: K V is missing\n");
}

static void an_optional_value_is_not_the_next_word(void **state)
{
	begin("-x", "3", NULL);
	found_is(4, NULL, line + 1);
	T_NULL(a.value[0]);
	begin("--x=3", NULL, NULL);
	found_is(4, "3", line + 1);
	begin("-x3", NULL, NULL);
	a.attached = true;
	found_is(4, "3", line + 1);
}

static void unknown_option_suggests_nearest(void **state)
{
	begin("--nomber", "5", NULL);
	T_IS(next(), WEFT_ARGS_WRONG);
	T_STR(text, "prog: unknown option --nomber; did you mean --number?\n");
	begin("--entirely-different", NULL, NULL);
	T_IS(next(), WEFT_ARGS_WRONG);
	T_STR(text, "prog: unknown option --entirely-different; prog --help "
		    "lists all\n");
	begin("--quiet=1", NULL, NULL);
	T_IS(next(), WEFT_ARGS_WRONG);
	begin("--number", NULL, NULL);
	T_IS(next(), WEFT_ARGS_WRONG);
	T_STR(text, "prog: --number: N is missing\n");
}

static void help_prints_option_table(void **state)
{
	begin("--help", NULL, NULL);
	T_IS(next(), WEFT_ARGS_HELP);
	T_STR(text, "usage: prog\n\n"
		    "The first (--help first)\n"
		    "  --number N, -n         a number\n"
		    "  --pair K V             two\n"
		    "\nthe end\n");
	begin("-h", "second", NULL);
	T_IS(next(), WEFT_ARGS_HELP);
	T_STR(text, "The second (--help second)\n"
		    "  --quiet                no words\n"
		    "  -x[=N]                 perhaps one\n\n");
	begin("-n", "--help", NULL);
	T_IS(next(), WEFT_ARGS_HELP);
	T_STR(text, "  --number N, -n         a number\n");
}

static void numbers_are_checked_against_the_range(void **state)
{
	uint64_t v = 0;

	begin("-n", "5", NULL);
	T_IS(next(), WEFT_ARGS_OPTION);
	T_OK(weft_args_number(&a, "2k", 1, 4096, &v));
	T_IS(v, 2048);
	T_IS(weft_args_number(&a, "0", 1, 4096, &v), -EINVAL);
	T_IS(weft_args_number(&a, "4097", 1, 4096, &v), -EINVAL);
	T_IS(weft_args_number(&a, "-1", 0, 4096, &v), -EINVAL);
	T_IS(v, 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(options_take_one_or_two_dashes_and_three_value_forms),
		T_CASE(a_pair_is_one_word_or_two),
		T_CASE(an_optional_value_is_not_the_next_word),
		T_CASE(unknown_option_suggests_nearest),
		T_CASE(help_prints_option_table),
		T_CASE(numbers_are_checked_against_the_range),
	};

	return T_RUN(tests);
}
