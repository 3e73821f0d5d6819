/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots with gnuplot, see sim_plot.h. */
#include "src/tools/sim/sim_plot.h"
#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *end, *terminal;
} kinds[] = {
	{ ".png", "pngcairo noenhanced font 'sans,11'" },
	{ ".svg", "svg noenhanced font 'sans,12' background 'white'" },
};

static const char *terminal(const char *file)
{
	size_t n = strlen(file), e;

	for (unsigned i = 0; i < WEFT_COUNT_OF(kinds); i++) {
		e = strlen(kinds[i].end);
		if (n > e && !strcmp(file + n - e, kinds[i].end))
			return kinds[i].terminal;
	}
	return NULL;
}

static int have_gnuplot(void)
{
	const char *dirs = getenv("PATH");
	char path[4096];
	size_t len;

	while (dirs && *dirs) {
		len = strcspn(dirs, ":");
		snprintf(path, sizeof(path), "%.*s/gnuplot", (int)len, dirs);
		if (!access(path, X_OK))
			return 1;
		dirs += len + (dirs[len] == ':');
	}
	return 0;
}

int sim_plot_check(const char *program, const char *file)
{
	const char *reason = NULL;

	if (!terminal(file))
		reason = "the file name must end in .png or .svg";
	else if (strpbrk(file, "'\\\n"))
		reason = "no quotes or backslashes in the name";
	else if (!have_gnuplot())
		reason = "plots need gnuplot (Debian: gnuplot-nox)";
	if (reason)
		fprintf(stderr, "%s: %s: %s\n", program, file, reason);
	return reason ? -1 : 0;
}

FILE *sim_plot_open(const char *file, unsigned width, unsigned height)
{
	FILE *f = popen("gnuplot", "w");

	if (f)
		fprintf(f, "set terminal %s size %u,%u\nset output '%s'\n",
			terminal(file), width, height, file);
	return f;
}

int sim_plot_close(FILE *f)
{
	fputs("unset output\n", f);
	return pclose(f) ? -EIO : 0;
}
