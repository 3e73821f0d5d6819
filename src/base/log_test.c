/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of log messages: levels, rank prefix, long lines. */
#include "test/t.h"
#include "src/base/log.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[4096];

/* Runs fn with stderr redirected to a pipe, and stores its output in text. */
static void capture(void (*fn)(void))
{
	int fd[2], old = dup(2);
	ssize_t n;

	T_OK(pipe(fd));
	dup2(fd[1], 2);
	close(fd[1]);
	fn();
	dup2(old, 2);
	close(old);
	n = read(fd[0], text, sizeof(text) - 1);
	close(fd[0]);
	T_TRUE(n >= 0);
	text[n] = 0;
}

static void log_some_messages(void)
{
	weft_log(WEFT_LOG_DEBUG, "not shown");
	weft_log(WEFT_LOG_WARN, "queue %d full", 3);
	weft_log_set_rank(12);
	weft_log(WEFT_LOG_ERROR, "gone");
	weft_log_set_rank(0);
	weft_log(WEFT_LOG_ERROR, "gone, too");
}

static void lines_carry_rank_and_level(void **state)
{
	capture(log_some_messages);
	T_STR(text, "weft: warn: queue 3 full\nweft[12]: error: gone\n"
		    "weft[0]: error: gone, too\n");
}

static void log_long_message(void)
{
	char *s = malloc(3000);

	memset(s, 'x', 2999);
	s[2999] = 0;
	weft_log(WEFT_LOG_ERROR, "%s", s);
	free(s);
}

static void a_long_line_is_truncated_with_newline(void **state)
{
	capture(log_long_message);
	T_TRUE(strlen(text) <= 1024);
	T_IS(text[strlen(text) - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(lines_carry_rank_and_level),
		T_CASE(a_long_line_is_truncated_with_newline),
	};

	unsetenv("WEFT_LOG");
	return T_RUN(tests);
}
