/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the arguments of --bind-to and --map-by. */
#include "src/base/attr.h"
#include "src/tools/run/opts/run_flags.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	enum run_unit unit;
} units[] = {
	{ "none", RUN_UNIT_NONE },	{ "hwthread", RUN_UNIT_HWTHREAD },
	{ "core", RUN_UNIT_CORE },	{ "l1cache", RUN_UNIT_L1 },
	{ "l2cache", RUN_UNIT_L2 },	{ "l3cache", RUN_UNIT_L3 },
	{ "numa", RUN_UNIT_NUMA },	{ "package", RUN_UNIT_PACKAGE },
	{ "socket", RUN_UNIT_PACKAGE }, { "node", RUN_UNIT_NODE },
	{ "board", RUN_UNIT_NODE },	{ "machine", RUN_UNIT_NODE },
	{ "slot", RUN_UNIT_DEFAULT },	{ "seq", RUN_UNIT_DEFAULT },
	{ "user", RUN_UNIT_DEFAULT },	{ "rr", RUN_UNIT_DEFAULT },
};

static void report_units(const char *spelled, const char *word, size_t len)
{
	char list[256] = "";
	size_t i, n = 0;

	for (i = 0; i < WEFT_COUNT_OF(units); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, " %s",
				      units[i].word);
	run_message("%s %.*s: not one of%s", spelled, (int)len, word, list);
}

/* Finds the unit that a word names. Returns 0, or -EINVAL after a message. */
static int flag_unit(struct run_parse *p, const char *word, size_t len,
		     enum run_unit *unit_p)
{
	size_t i;

	for (i = 0; i < WEFT_COUNT_OF(units); i++) {
		if (strlen(units[i].word) != len ||
		    strncasecmp(units[i].word, word, len))
			continue;
		*unit_p = units[i].unit;
		return 0;
	}
	report_units(p->spelled, word, len);
	return -EINVAL;
}

/* Parses the value of --bind-to: "core", "core:2", "core:overload-allowed". */
int run_set_bind(struct run_parse *p, char **arg)
{
	size_t len = strcspn(arg[0], ":");
	const char *more = arg[0] + len;
	int err;

	p->o->place.bind_text = arg[0];
	err = flag_unit(p, arg[0], len, &p->o->place.bind);
	if (err || !*more)
		return err;
	if (!strcasecmp(more, ":overload-allowed") ||
	    !strcasecmp(more, ":if-supported"))
		return 0;
	return run_flag_number(p, more + 1, &p->o->place.bind_count);
}

static int set_modifier(struct run_parse *p, const char *word)
{
	struct run_place *pl = &p->o->place;

	if (!strncasecmp(word, "pe=", 3))
		return run_flag_number(p, word + 3, &pl->pe);
	if (!strcasecmp(word, "oversubscribe")) {
		pl->oversubscribe = true;
		return 0;
	}
	if (!strcasecmp(word, "nooversubscribe")) {
		pl->no_oversubscribe = true;
		return 0;
	}
	if (!strcasecmp(word, "hwtcpus")) {
		pl->bind = RUN_UNIT_HWTHREAD;
		return 0;
	}
	if (!strcasecmp(word, "span") || !strcasecmp(word, "nolocal") ||
	    !strcasecmp(word, "corecpus") || !strcasecmp(word, "inherit"))
		return 0;
	run_message("%s: modifier %s is not one of PE=n OVERSUBSCRIBE "
		    "NOOVERSUBSCRIBE HWTCPUS CORECPUS SPAN INHERIT NOLOCAL",
		    p->spelled, word);
	return -EINVAL;
}

/* Returns the next part of a text, which ends at ':' or ','; NULL: none. */
static char *part(char **rest)
{
	return strsep(rest, ":,");
}

static int set_ppr(struct run_parse *p, char **rest)
{
	char *n = part(rest), *unit = part(rest);

	if (!n || !unit) {
		run_message("%s ppr: ppr:N:UNIT is needed", p->spelled);
		return -EINVAL;
	}
	if (run_flag_number(p, n, &p->o->place.ppr))
		return -EINVAL;
	if (flag_unit(p, unit, strlen(unit), &p->o->place.map))
		return -EINVAL;
	if (p->o->place.map == RUN_UNIT_NODE && !p->o->model.ppn)
		p->o->model.ppn = p->o->place.ppr;
	return 0;
}

/* Parses --map-by: "core", ":OVERSUBSCRIBE", "ppr:2:package:PE=2". */
int run_set_map(struct run_parse *p, char **arg)
{
	char *copy = strdup(arg[0]), *rest = copy, *word;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	p->o->place.map_text = arg[0];
	word = part(&rest);
	if (!strcasecmp(word, "ppr"))
		err = set_ppr(p, &rest);
	else if (*word)
		err = flag_unit(p, word, strlen(word), &p->o->place.map);
	while (!err && (word = part(&rest)))
		err = set_modifier(p, word);
	free(copy);
	return err;
}
