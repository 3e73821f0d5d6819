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
#include <stdlib.h>
#include <string.h>

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

/* Sets the kind of the lines that follow a title. */
static void read_comment(const char *line, int *kind_p)
{
	if (!strstr(line, "MPI"))
		return;
	*kind_p = -1;
	for (unsigned i = 0; i < WEFT_COUNT_OF(titles); i++)
		if (strstr(line, titles[i].word)) {
			*kind_p = (int)titles[i].kind;
			return;
		}
}

/* Reads "size value"; columns after the second are not used. */
static bool read_values(const char *line, int kind, struct cal_point *p)
{
	double value;
	char *end;

	p->bytes = strtod(line, &end);
	if (end == line || !(p->bytes >= 0 && p->bytes < 1e12))
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

int cal_parse(struct cal_table *t, const char *name, char *text,
	      char why[CAL_WHY])
{
	struct cal_point p;
	unsigned line = 1;
	int kind = -1;
	char *end;

	for (; text; text = end, line++) {
		end = strchr(text, '\n');
		if (end)
			*end++ = 0;
		text += strspn(text, " \t\r");
		if (*text == '#')
			read_comment(text, &kind);
		if (!*text || *text == '#')
			continue;
		if (kind < 0) {
			snprintf(why, CAL_WHY,
				 "%.200s:%u: no title before the values; "
				 "expected \"# OSU MPI Latency Test\", "
				 "\"Bandwidth Test\" or \"Allreduce Latency "
				 "Test\"",
				 name, line);
			return -EINVAL;
		}
		if (!read_values(text, kind, &p)) {
			snprintf(why, CAL_WHY,
				 "%.200s:%u: \"%.60s\": expected a size in "
				 "bytes and a value above 0",
				 name, line, text);
			return -EINVAL;
		}
		if (add_point(t, &p)) {
			snprintf(why, CAL_WHY, "no memory");
			return -ENOMEM;
		}
	}
	return 0;
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
