/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits the text of -wrapper, -configfile and -app into words. */
#include "src/tools/run/opts/run_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * Copies one word to *out_p, which has room for the whole text; returns the
 * text after the word.
 */
static const char *one_word(const char *text, char **out_p)
{
	char quote = 0, *out = *out_p;

	for (; *text && (quote || !is_blank(*text)); text++) {
		if (quote && *text == quote)
			quote = 0;
		else if (!quote && (*text == '\'' || *text == '"'))
			quote = *text;
		else if (*text == '\\' && quote != '\'' && text[1])
			*out++ = *++text;
		else
			*out++ = *text;
	}
	*out++ = '\0';
	*out_p = out;
	return text;
}

char **run_words(const char *text, int *count_p)
{
	size_t len = strlen(text);
	char **word = malloc((len / 2 + 2) * sizeof(*word) + len + 2);
	char *out;
	int n = 0;

	if (!word)
		return NULL;
	out = (char *)(word + len / 2 + 2);
	for (;;) {
		while (is_blank(*text))
			text++;
		if (!*text)
			break;
		word[n++] = out;
		text = one_word(text, &out);
	}
	word[n] = NULL;
	*count_p = n;
	return word;
}

char **run_words_of_file(const char *name, int *count_p)
{
	FILE *in = fopen(name, "re"), *all;
	char *line = NULL, *text = NULL, **word = NULL;
	size_t cap = 0, size;
	int lines = 0;

	if (!in)
		return NULL;
	all = open_memstream(&text, &size);
	while (all && getline(&line, &cap, in) > 0) {
		if (line[strspn(line, " \t\r\n")] == '\0' ||
		    line[strspn(line, " \t")] == '#')
			continue;
		fprintf(all, "%s%s", lines++ ? " : " : "", line);
	}
	fclose(in);
	free(line);
	if (all) {
		fclose(all);
		word = run_words(text, count_p);
	}
	free(text);
	return word;
}
