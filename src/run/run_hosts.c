/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of hosts in both habitual notations. */
#include "src/run/run_hosts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool run_hosts_is_local(const char *name, const char *self)
{
	static const char *const always[] = { "localhost", "127.0.0.1", "::1",
					      "localhost.localdomain" };
	size_t i, n = strcspn(name, "."), s = strcspn(self, ".");

	for (i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (!strcmp(name, always[i]))
			return true;
	if (!strcmp(name, self))
		return true;
	/* One of the two may lack its domain. */
	return n == s && !strncmp(name, self, n) && (!name[n] || !self[s]);
}

/* "host", "host:2", "[::1]:2"; the number of slots, 1 unless said. */
static int one_host(char *text, const char *self, int *slots_p, char **other_p)
{
	char *colon = strrchr(text, ':'), *name = text;
	int slots = 1;

	/* An IPv6 address has more than one colon. */
	if (colon && (strchr(text, ':') == colon || colon[-1] == ']')) {
		*colon = '\0';
		slots = atoi(colon + 1);
	}
	if (*name == '[') {
		name++;
		name[strcspn(name, "]")] = '\0';
	}
	if (!run_hosts_is_local(name, self)) {
		*other_p = strdup(name);
		return -EREMOTE;
	}
	*slots_p += slots > 0 ? slots : 1;
	return 0;
}

int run_hosts_list(const char *text, const char *self, int *slots_p,
		   char **other_p)
{
	char *copy = strdup(text), *save = NULL, *host;
	int err = copy ? 0 : -ENOMEM;

	host = copy ? strtok_r(copy, ", ", &save) : NULL;
	for (; host && !err; host = strtok_r(NULL, ", ", &save))
		err = one_host(host, self, slots_p, other_p);
	free(copy);
	return err;
}

static int one_line(char *line, const char *self, int *slots_p, char **other_p)
{
	const char *slots;
	char *name, *rest = NULL;
	int before = *slots_p, err;

	line[strcspn(line, "#\n")] = '\0';
	slots = strstr(line, "slots=");
	if (slots)
		slots += 6;
	name = strtok_r(line, " \t\r", &rest);
	if (!name)
		return 0;
	err = one_host(name, self, slots_p, other_p);
	if (!err && slots && atoi(slots) > 0)
		*slots_p = before + atoi(slots);
	return err;
}

int run_hosts_file(const char *name, const char *self, int *slots_p,
		   char **other_p)
{
	FILE *f = fopen(name, "re");
	char *line = NULL;
	size_t cap = 0;
	int err = 0;

	if (!f)
		return -errno;
	while (!err && getline(&line, &cap, f) > 0)
		err = one_line(line, self, slots_p, other_p);
	free(line);
	fclose(f);
	return err;
}
