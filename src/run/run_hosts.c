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

static int add(struct run_hosts *h, const char *name, int slots)
{
	struct run_host *list;
	int i;

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

/* "host", "host:2", "[::1]:2"; said > 0: slots that a word after it gave. */
static int one_host(char *text, int said, struct run_hosts *h)
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
	if (said > 0)
		slots = said;
	return add(h, name, slots > 0 ? slots : 1);
}

int run_hosts_list(const char *text, struct run_hosts *h)
{
	char *copy = strdup(text), *save = NULL, *host;
	int err = copy ? 0 : -ENOMEM;

	host = copy ? strtok_r(copy, ", ", &save) : NULL;
	for (; host && !err; host = strtok_r(NULL, ", ", &save))
		err = one_host(host, 0, h);
	free(copy);
	return err;
}

static int one_line(char *line, struct run_hosts *h)
{
	const char *slots;
	char *name, *rest = NULL;
	int said;

	line[strcspn(line, "#\n")] = '\0';
	slots = strstr(line, "slots=");
	said = slots ? atoi(slots + 6) : 0;
	name = strtok_r(line, " \t\r", &rest);
	return name ? one_host(name, said, h) : 0;
}

int run_hosts_file(const char *name, struct run_hosts *h)
{
	FILE *f = fopen(name, "re");
	char *line = NULL;
	size_t cap = 0;
	int err = 0;

	if (!f)
		return -errno;
	while (!err && getline(&line, &cap, f) > 0)
		err = one_line(line, h);
	free(line);
	fclose(f);
	return err;
}

const char *run_hosts_foreign(const struct run_hosts *h, const char *self)
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
