/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts of the job, from the host records read so far (boot_hosts.h). */
#include "src/boot/boot_hosts.h"

#include "src/core/core_opts.h"
#include "src/core/core_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct host_record {
	uint32_t host;
	char name[WEFT_HOST_RECORD - sizeof(uint32_t)];
};

static_assert(sizeof(struct host_record) == WEFT_HOST_RECORD, "wire format");

/* Host of each rank. The number of a host is its first rank. */
struct known {
	int host; /* number of the rank's host + 1; 0: unknown */
	/* name of the host; only in the entry of the host's first rank */
	char *name;
};

static struct known *known; /* job.size entries; NULL: no record read yet */

bool weft_hosts_several(void)
{
	return weft_core.job.local_size < weft_core.job.size;
}

bool weft_hosts_network(void)
{
	return weft_hosts_several() ||
	       weft_cfg_get(&weft_core_opts[WEFT_OPT_JOB_NETWORK]).b;
}

void weft_hosts_write(char host_record[WEFT_HOST_RECORD])
{
	const struct weft_job *job = &weft_core.job;
	struct host_record c = { .host = (uint32_t)(job->local ? job->local[0]
							       : job->rank) };

	gethostname(c.name, sizeof(c.name) - 1);
	memcpy(host_record, &c, sizeof(c));
}

void weft_hosts_read(int proc, const char host_record[WEFT_HOST_RECORD])
{
	size_t size = (size_t)weft_core.job.size;
	struct host_record c;

	memcpy(&c, host_record, sizeof(c));
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
	return known && proc < weft_core.job.size ? known[proc].host - 1 : -1;
}

const char *weft_hosts_name(int proc)
{
	int host = weft_hosts_of(proc);

	return host >= 0 ? known[host].name : NULL;
}

void weft_hosts_close(void)
{
	for (int i = 0; known && i < weft_core.job.size; i++)
		free(known[i].name);
	free(known);
	known = NULL;
}
