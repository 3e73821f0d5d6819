/* SPDX-License-Identifier: BSD-3-Clause */
/* Help, printed from the table of options itself. */
#include "config.h"
#include "src/base/attr.h"
#include "src/run/run_flags.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	const char *title;
} topics[RUN_TOPICS] = {
	[RUN_TOPIC_LAUNCH] = { "launch", "What to start" },
	[RUN_TOPIC_ENV] = { "env", "Environment of the ranks" },
	[RUN_TOPIC_BIND] = { "bind", "Placement on processors" },
	[RUN_TOPIC_OUTPUT] = { "output", "Output" },
	[RUN_TOPIC_MODEL] = { "machine", "Emulated machines" },
	[RUN_TOPIC_OTHER] = { "other", "Other" },
	[RUN_TOPIC_NONE] = { "ignored", "Accepted, without effect" },
};

static void print_head(const struct run_flag *f, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s", strlen(f->name) > 1 ? "--" : "-",
		 f->name, *f->args ? " " : "", f->args);
}

/* A row and its other names. */
static int print_row(int i)
{
	const struct run_flag *f = &run_flags[i];
	char head[120], more[80];
	int k;

	print_head(f, head, sizeof(head));
	for (k = i + 1; k < run_flags_count && !run_flags[k].help; k++) {
		snprintf(more, sizeof(more), ", %s%s",
			 strlen(run_flags[k].name) > 1 ? "--" : "-",
			 run_flags[k].name);
		if (strlen(head) + strlen(more) < sizeof(head))
			strcat(head, more);
	}
	if (strlen(head) > 22)
		printf("  %s\n  %22s %s\n", head, "", f->help);
	else
		printf("  %-22s %s\n", head, f->help);
	return k;
}

static void print_topic(enum run_topic topic)
{
	int i;

	printf("%s (--help %s)\n", topics[topic].title, topics[topic].word);
	for (i = 0; i < run_flags_count;)
		i = run_flags[i].topic == topic ? print_row(i) : i + 1;
	printf("\n");
}

void run_help(void)
{
	int t;

	printf("usage: mpiexec [options] program [arguments] "
	       "[ : [options] program ... ]\n"
	       "Starts the ranks of an MPI job on this host. Options have one "
	       "dash or two.\n\n");
	for (t = 0; t < RUN_TOPIC_NONE; t++)
		print_topic((enum run_topic)t);
	printf("Flags of other launchers are accepted: --help ignored\n"
	       "Exit code: that of the first rank that failed; 128+signal; "
	       "124 time-out;\n125 mpiexec failed; 126 program not executable; "
	       "127 program not found.\n");
}

int run_help_about(const char *word)
{
	const struct run_flag *f;
	int t;

	for (t = 0; t < RUN_TOPICS; t++) {
		if (strcmp(topics[t].word, word))
			continue;
		print_topic((enum run_topic)t);
		return 0;
	}
	word += strspn(word, "-");
	f = run_flag_find(word, strlen(word));
	if (!f)
		return -EINVAL;
	while (!f->help)
		f--;
	print_row((int)(f - run_flags));
	return 0;
}

void run_version(void)
{
	printf("mpiexec (Weft) %s\n", PACKAGE_VERSION);
}
