/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts of the job, from the records read so far; see core_hosts.h. */
#include "src/core/core_hosts.h"

#include "src/core/core_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct card {
	uint32_t host;
	char name[WEFT_HOST_CARD - sizeof(uint32_t)];
};

static_assert(sizeof(struct card) == WEFT_HOST_CARD, "it goes by the wire");

/* By process: its host; by host (its first process): the name. */
struct known {
	int host; /* host number + 1; 0: unknown */
	char *name;
};

static struct known *known; /* job.size entries, or NULL */

bool weft_hosts_several(void)
{
	return weft_core.job.local_size < weft_core.job.size;
}

void weft_hosts_write(char card[WEFT_HOST_CARD])
{
	const struct weft_job *job = &weft_core.job;
	struct card c = { .host = (uint32_t)(job->local ? job->local[0]
							: job->rank) };

	gethostname(c.name, sizeof(c.name) - 1);
	memcpy(card, &c, sizeof(c));
}

void weft_hosts_read(int proc, const char card[WEFT_HOST_CARD])
{
	size_t size = (size_t)weft_core.job.size;
	struct card c;

	memcpy(&c, card, sizeof(c));
	if (!known)
		known = calloc(size, sizeof(*known));
	if (!known || c.host >= size)
		return;
	known[proc].host = (int)c.host + 1;
	if (!known[c.host].name)
		known[c.host].name = strndup(c.name, sizeof(c.name) - 1);
}

int weft_hosts_of(int proc)
{
	return known ? known[proc].host - 1 : -1;
}

const char *weft_hosts_name(int proc)
{
	return known && known[proc].host ? known[known[proc].host - 1].name
					 : NULL;
}

void weft_hosts_close(void)
{
	for (int i = 0; known && i < weft_core.job.size; i++)
		free(known[i].name);
	free(known);
	known = NULL;
}
