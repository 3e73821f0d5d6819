/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of the OSU benchmarks: comment lines with the name of the test, then
 * lines of a message size and a value. Several tests may be in one file.
 */
#include "src/tools/calibrate/cal.h"

#include "src/base/attr.h"
#include "src/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Byte order mark, which some editors write at the start of a text in UTF-8. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/*
 * Words in the title of a table; the first one that occurs determines the kind.
 */
static const struct {
	const char *word;
	enum cal_kind kind;
} titles[] = {
	{ "MPI Allreduce", CAL_ALLREDUCE },
	{ "MPI Bandwidth Test", CAL_BANDWIDTH },
	{ "MPI Latency Test", CAL_LATENCY },
};

static int add_point(struct cal_table *t, const struct cal_point *p)
{
	struct cal_point *grown;
	unsigned room = t->room ? 2 * t->room : 64;

	if (t->count == t->room) {
		grown = realloc(t->point, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		t->point = grown;
		t->room = room;
	}
	t->point[t->count++] = *p;
	return 0;
}

/* Position in a file. */
struct cursor {
	const char *name;
	unsigned line;
	const char *title; /* last title, or NULL */
	/* kind of the table with this title; -1: the table is not used */
	int kind;
};

/*
 * Sets the kind of the lines that follow a title. Other comments, such as
 * "# Datatype: MPI_CHAR.", have no effect.
 */
static void read_comment(const char *line, struct cursor *at)
{
	if (!strstr(line, "MPI") || !strstr(line, "Test"))
		return;
	at->title = line + strspn(line, "# \t");
	at->kind = -1;
	for (unsigned i = 0; i < WEFT_COUNT_OF(titles); i++)
		if (strstr(line, titles[i].word)) {
			at->kind = (int)titles[i].kind;
			return;
		}
}

/* Reads "size value"; columns after the second are not used. */
static bool read_values(const char *line, int kind, struct cal_point *p)
{
	double value;
	char *end;

	p->bytes = strtod(line, &end);
	if (end == line || !(p->bytes >= 0 && p->bytes < 1e12) ||
	    floor(p->bytes) < p->bytes)
		return false;
	line = end;
	value = strtod(line, &end);
	if (end == line || (*end && !isspace((unsigned char)*end)) ||
	    !(value > 0 && value < 1e12))
		return false;
	p->kind = (enum cal_kind)kind;
	/* MB/s are bytes per microsecond */
	p->us = kind == CAL_BANDWIDTH ? p->bytes / value : value;
	return p->us > 0;
}

/* Reports values without a title before them. */
static int no_title(const struct cursor *at, char why[CAL_WHY])
{
	const char *expected = "expected \"# OSU MPI Latency Test\", "
			       "\"Bandwidth Test\" or \"Allreduce Latency "
			       "Test\"";

	if (at->title)
		snprintf(why, CAL_WHY, "%.200s:%u: \"%.60s\" is not used; %s",
			 at->name, at->line, at->title, expected);
	else
		snprintf(why, CAL_WHY,
			 "%.200s:%u: no title before the values; %s", at->name,
			 at->line, expected);
	return -EINVAL;
}

static int read_line(struct cal_table *t, struct cursor *at, char *line,
		     char why[CAL_WHY])
{
	struct cal_point p;

	line[strcspn(line, "\r")] = 0;
	line += strspn(line, " \t");
	if (*line == '#')
		read_comment(line, at);
	if (!*line || *line == '#')
		return 0;
	if (at->kind < 0)
		return no_title(at, why);
	if (!read_values(line, at->kind, &p)) {
		snprintf(why, CAL_WHY,
			 "%.200s:%u: \"%.60s\": expected a size in bytes and a "
			 "value above 0",
			 at->name, at->line, line);
		return -EINVAL;
	}
	if (t->count == CAL_POINTS_MAX) {
		snprintf(why, CAL_WHY,
			 "%.200s:%u: more than %d values; give one run of each "
			 "test",
			 at->name, at->line, CAL_POINTS_MAX);
		return -EINVAL;
	}
	if (!add_point(t, &p))
		return 0;
	snprintf(why, CAL_WHY, "no memory");
	return -ENOMEM;
}

int cal_parse(struct cal_table *t, const char *name, char *text,
	      char why[CAL_WHY])
{
	struct cursor at = { .name = name, .kind = -1 };
	char *end;
	int err = 0;

	if (!strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)))
		text += strlen(BYTE_ORDER_MARK);
	for (; text && !err; text = end) {
		end = strchr(text, '\n');
		if (end)
			*end++ = 0;
		at.line++;
		err = read_line(t, &at, text, why);
	}
	return err;
}

int cal_read(struct cal_table *t, const char *name, char why[CAL_WHY])
{
	char *text = NULL;
	int err = weft_text_read(name, &text);

	if (err) {
		snprintf(why, CAL_WHY, "%.200s: %s", name, strerror(-err));
		return err;
	}
	err = cal_parse(t, name, text, why);
	free(text);
	return err;
}
