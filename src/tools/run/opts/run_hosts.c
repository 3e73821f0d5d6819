/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses lists of hosts, in the notations of Hydra and Open MPI. */
#include "src/tools/run/opts/run_hosts.h"
#include "src/base/attr.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool run_hosts_same(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	if (!strcmp(a, b))
		return true;
	return n == m && !strncmp(a, b, n) && (!a[n] || !b[m]);
}

bool run_hosts_is_local(const char *name, const char *self)
{
	static const char *const always[] = { "localhost", "127.0.0.1", "::1",
					      "localhost.localdomain" };
	size_t i;

	for (i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (!strcmp(name, always[i]))
			return true;
	return run_hosts_same(name, self);
}

/* Source of a host name, for messages: "-host a:2", or "FILE, line 3". */
struct place {
	const char *option; /* option as the user wrote it */
	const char *text;   /* value of the option: the list, or the file */
	unsigned line;	    /* line number in the file; 0: not from a file */
};

static int refuse(const struct place *at, const char *fmt, ...)
	WEFT_PRINTF(2, 3);

static int refuse(const struct place *at, const char *fmt, ...)
{
	char what[256], line[32] = "";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (at->line)
		snprintf(line, sizeof(line), ", line %u", at->line);
	run_message("%s %s%s: %s", at->option, *at->text ? at->text : "''",
		    line, what);
	return -EINVAL;
}

int run_hosts_add(struct run_hosts *h, const char *name, int slots)
{
	struct run_host *list;
	int i;

	if (slots > RUN_SLOTS_MAX - run_hosts_slots(h))
		return -ERANGE;
	for (i = 0; i < h->count; i++) {
		if (strcmp(h->host[i].name, name))
			continue;
		h->host[i].slots += slots;
		return 0;
	}
	list = realloc(h->host, ((size_t)i + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	h->host = list;
	list[i].slots = slots;
	list[i].name = strdup(name);
	if (!list[i].name)
		return -ENOMEM;
	h->count++;
	return 0;
}

static int hosts_add(struct run_hosts *h, const struct place *at,
		     const char *name, int slots)
{
	int err = run_hosts_add(h, name, slots);

	return err == -ERANGE ? refuse(at, "the hosts have more than %d slots",
				       RUN_SLOTS_MAX)
			      : err;
}

static int read_slots(const struct place *at, const char *name,
		      const char *text, int *slots_p)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n < 1 ||
	    n > RUN_SLOTS_MAX)
		return refuse(at,
			      "host %s: '%s' is not a number of slots; it must "
			      "be 1 to %d",
			      name, text, RUN_SLOTS_MAX);
	*slots_p = (int)n;
	return 0;
}

/* Splits "host:2" or "[::1]:2" into name and slots; slots NULL: none given. */
static char *cut(char *text, char **slots_p)
{
	char *colon = strrchr(text, ':'), *name = text;

	*slots_p = NULL;
	/* an IPv6 address has more than one colon */
	if (colon && (strchr(text, ':') == colon || colon[-1] == ']')) {
		*colon = '\0';
		*slots_p = colon + 1;
	}
	if (*name == '[') {
		name++;
		name[strcspn(name, "]")] = '\0';
	}
	return name;
}

static int one_host(char *text, const struct place *at, struct run_hosts *h)
{
	char *slots, *name = cut(text, &slots);
	int n = 1, err = 0;

	if (!*name)
		return refuse(at, "a host without a name");
	if (slots)
		err = read_slots(at, name, slots, &n);
	return err ? err : hosts_add(h, at, name, n);
}

int run_hosts_list(const char *option, const char *text, struct run_hosts *h)
{
	const struct place at = { .option = option, .text = text };
	char *copy = strdup(text), *rest = copy, *part, *host, *save;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (part = strsep(&rest, ","))) {
		host = strtok_r(part, " ", &save);
		if (!host)
			err = refuse(&at, "a host without a name");
		for (; host && !err; host = strtok_r(NULL, " ", &save))
			err = one_host(host, &at, h);
	}
	free(copy);
	return err;
}

static int one_line(char *line, const struct place *at, struct run_hosts *h)
{
	char *name, *word, *slots, *rest = NULL;
	int n = 1, err = 0;

	line[strcspn(line, "#\n")] = '\0';
	word = strtok_r(line, " \t\r", &rest);
	if (!word)
		return 0;
	name = cut(word, &slots);
	if (!*name)
		return refuse(at, "a host without a name");
	if (slots)
		err = read_slots(at, name, slots, &n);
	while (!err && (word = strtok_r(NULL, " \t\r", &rest))) {
		int most;

		if (!strncmp(word, "slots=", 6))
			err = read_slots(at, name, word + 6, &n);
		else if (!strncmp(word, "max_slots=", 10) ||
			 !strncmp(word, "max-slots=", 10))
			err = read_slots(at, name, word + 10, &most);
		else
			err = refuse(at,
				     "host %s: '%s' is not one of slots=N "
				     "max_slots=N",
				     name, word);
	}
	return err ? err : hosts_add(h, at, name, n);
}

int run_hosts_file(const char *option, const char *name, struct run_hosts *h)
{
	struct place at = { .option = option, .text = name };
	FILE *f = fopen(name, "re");
	int err = 0, before = run_hosts_slots(h);
	char *line = NULL;
	size_t cap = 0;

	if (!f) {
		run_message("cannot read %s: %s", name, strerror(errno));
		return -EINVAL;
	}
	while (!err && getline(&line, &cap, f) > 0) {
		at.line++;
		err = one_line(line, &at, h);
	}
	at.line = 0;
	if (!err && ferror(f))
		err = refuse(&at, "cannot be read");
	if (!err && run_hosts_slots(h) == before)
		err = refuse(&at, "no host in the list");
	free(line);
	fclose(f);
	return err;
}

const char *run_hosts_first_remote(const struct run_hosts *h, const char *self)
{
	for (int i = 0; i < h->count; i++)
		if (!run_hosts_is_local(h->host[i].name, self))
			return h->host[i].name;
	return NULL;
}

int run_hosts_slots(const struct run_hosts *h)
{
	int i, n = 0;

	for (i = 0; i < h->count; i++)
		n += h->host[i].slots;
	return n;
}

void run_hosts_free(struct run_hosts *h)
{
	for (int i = 0; i < h->count; i++)
		free(h->host[i].name);
	free(h->host);
	memset(h, 0, sizeof(*h));
}
