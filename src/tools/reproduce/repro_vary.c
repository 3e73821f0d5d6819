/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a machine file and changed copies of it (repro_vary.h). */
#include "src/tools/reproduce/repro_vary.h"
#include "src/base/attr.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns whether values in this unit need not be integers. */
static bool takes_fractions(const char *unit)
{
	static const char *const units[] = { "ps", "ns",   "us",   "ms",
					     "s",  "MB/s", "GB/s", "Gbit/s" };

	for (unsigned i = 0; i < WEFT_COUNT_OF(units); i++)
		if (!strcmp(unit, units[i]))
			return true;
	return false;
}

/*
 * Returns whether a value is a number and a unit: the text after the digits is
 * empty or separated by a space, unlike that of a shape (4x4x2).
 */
static bool parse_number(struct repro_number *n)
{
	char *rest;

	if (!isdigit((unsigned char)n->value[0]))
		return false;
	n->number = strtod(n->value, &rest);
	if (*rest && *rest != ' ' && *rest != '\t')
		return false;
	n->whole = !takes_fractions(rest + strspn(rest, " \t"));
	return n->number > 0; /* no factor changes 0 */
}

struct number_list {
	struct repro_number *number;
	unsigned count;
};

static void add_number(void *arg, const struct net_file_entry *e)
{
	struct number_list *l = arg;
	struct repro_number *n = &l->number[l->count];

	if (l->count == REPRO_NUMBERS_MAX)
		return;
	snprintf(n->name, sizeof(n->name), "%s%s%s%s%s",
		 e->variant ? e->variant : "", e->variant ? ": " : "",
		 e->part ? e->part : "", e->part ? "." : "", e->key);
	snprintf(n->variant, sizeof(n->variant), "%s",
		 e->variant ? e->variant : "");
	snprintf(n->value, sizeof(n->value), "%s", e->value);
	n->source = e->kind;
	n->line = e->line;
	l->count += parse_number(n);
}

int repro_numbers(const char *machine,
		  struct repro_number list[REPRO_NUMBERS_MAX])
{
	struct number_list l = { list, 0 };
	struct net_error_text why;
	int err = net_file_each(machine, add_number, &l, &why);

	if (err)
		fprintf(stderr, "weft-reproduce: %s\n", why.text);
	return err ? err : (int)l.count;
}

double repro_changed(const struct repro_number *n, enum repro_change change)
{
	static const double factor[REPRO_CHANGES] = { 0.9, 1.1, 0.5, 2 };
	double x = n->number * factor[change];

	if (!n->whole)
		return x;
	x = round(x);
	if (factor[change] < 1)
		return fmin(x, n->number - 1);
	return fmax(x, n->number + 1);
}

/* Reads a whole file into memory that the caller frees; NULL: errno is set. */
static char *read_text(const char *path, size_t *len_p)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	if (!f)
		return NULL;
	n = getdelim(&text, &room, '\0', f);
	fclose(f);
	if (n < 0) {
		free(text);
		return NULL;
	}
	*len_p = (size_t)n;
	return text;
}

/* Returns the first digit of the value on a line, or NULL. */
static char *find_value(char *text, unsigned line)
{
	while (text && --line) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	text = text ? strchr(text, '=') : NULL;
	return text ? text + 1 + strspn(text + 1, " \t") : NULL;
}

/* Copies the text with a changed number to a file in memory. */
static int write_copy(const char *text, size_t len, const char *value, double x)
{
	size_t old = strspn(value, "0123456789.");
	int fd = memfd_create("machine", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!f)
		return -errno;
	fwrite(text, 1, (size_t)(value - text), f);
	fprintf(f, "%.10g", x);
	fwrite(value + old, 1, len - (size_t)(value - text) - old, f);
	if (fclose(f)) {
		close(fd);
		return -EIO;
	}
	return fd;
}

int repro_changed_file(const char *machine, const struct repro_number *n,
		       enum repro_change change)
{
	struct net_error_text why;
	char path[4096], *text, *value;
	size_t len;
	int fd = net_file_find(machine, path, sizeof(path), &why);

	if (fd)
		return fd;
	text = read_text(path, &len);
	if (!text)
		return -EIO;
	value = find_value(text, n->line);
	fd = value ? write_copy(text, len, value, repro_changed(n, change))
		   : -EINVAL;
	free(text);
	return fd;
}
