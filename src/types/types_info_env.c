/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_INFO_ENV: the command and environment of this process. */
#include "src/types/types_info.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static struct weft_info env = {
	.obj = { WEFT_KIND_INFO, 1, 0, 0x131 },
	.lock = PTHREAD_MUTEX_INITIALIZER,
};
static pthread_once_t env_once = PTHREAD_ONCE_INIT;

/* Joins the arguments after the command with blanks, as far as they fit. */
static void join(char *out, size_t room, int argc, char *const argv[])
{
	size_t at = 0;

	out[0] = '\0';
	for (int i = 1; i < argc; i++) {
		int n = snprintf(out + at, room - at, "%s%s", i > 1 ? " " : "",
				 argv[i]);

		if (n < 0 || (size_t)n >= room - at)
			return;
		at += (size_t)n;
	}
}

/* Sets a value, truncated to the maximum length of info values. */
static int info_set_truncated(struct weft_info *info, const char *key,
			      const char *val)
{
	char cut[MPI_MAX_INFO_VAL];

	strncpy(cut, val, sizeof(cut) - 1);
	cut[sizeof(cut) - 1] = '\0';
	return weft_info_set(info, key, cut);
}

int weft_info_fill(struct weft_info *info, int argc, char *const argv[])
{
	char text[MPI_MAX_INFO_VAL], dir[PATH_MAX];
	struct utsname host;
	int rc = 0;

	if (argc > 0) {
		rc = info_set_truncated(info, "command", argv[0]);
		join(text, sizeof(text), argc, argv);
		if (!rc)
			rc = weft_info_set(info, "argv", text);
	}
	if (!rc && !uname(&host)) {
		rc = info_set_truncated(info, "host", host.nodename);
		if (!rc)
			rc = info_set_truncated(info, "arch", host.machine);
	}
	if (!rc && getcwd(dir, sizeof(dir)))
		rc = info_set_truncated(info, "wdir", dir);
	return rc;
}

/* Reads the command line, zero-terminated strings, from the kernel. */
static void env_fill(void)
{
	FILE *f = fopen("/proc/self/cmdline", "r");
	char text[16384], *argv[1024];
	size_t len = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	int argc = 0;

	if (f)
		fclose(f);
	text[len] = '\0';
	for (char *p = text; p < text + len && argc < 1024; p += strlen(p) + 1)
		argv[argc++] = p;
	weft_info_fill(&env, argc, argv);
}

struct weft_info *weft_info_env(void)
{
	pthread_once(&env_once, env_fill);
	return &env;
}
