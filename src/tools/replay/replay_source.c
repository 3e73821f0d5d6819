/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the reader of a source of calls by its name. */
#include "src/tools/replay/replay_call.h"

#include <stdio.h>
#include <string.h>

static bool is_otf2(const char *file)
{
	size_t n = strlen(file);

	return n > 5 && !strcmp(file + n - 5, ".otf2");
}

int replay_source_open(const char *name, bool is_pattern,
		       struct replay_source **s_p, char *why, size_t len)
{
	int rc;

	*why = '\0';
	if (is_pattern)
		rc = replay_pattern_open(name, s_p, why, len);
	else if (is_otf2(name))
		rc = replay_otf2_open(name, s_p, why, len);
	else
		rc = replay_trace_open(name, s_p, why, len);
	if (rc && !*why)
		snprintf(why, len, "%s: %s", name, strerror(-rc));
	return rc;
}
