/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of OTF2 archives: refused until there is a reader. */
#include "src/tools/replay/replay_call.h"

#include <errno.h>
#include <stdio.h>

int replay_otf2_open(const char *file, struct replay_source **s_p, char *why,
		     size_t len)
{
	(void)s_p;
	snprintf(why, len, "%s: OTF2 archives cannot be read yet", file);
	return -ENOSYS;
}
