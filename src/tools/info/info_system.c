/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --report: the system, formats and environment. */
#include "src/tools/info/info_system.h"

#include "src/base/attr.h"
#include "src/job/job_page_layout.h"
#include "src/job/job_record.h"
#include "src/job/job_trace_layout.h"
#include "src/tools/info/info_report.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

static void show_distribution(struct weft_report *r)
{
	static const char key[] = "PRETTY_NAME=";
	FILE *f = fopen("/etc/os-release", "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		line[strcspn(line, "\n")] = 0;
		report_value(r, "distribution", "%s", line + strlen(key));
	}
	if (f)
		fclose(f);
}

static void show_limit(struct weft_report *r, const char *name, int limit)
{
	struct rlimit l;

	if (getrlimit(limit, &l))
		return;
	if (l.rlim_cur == RLIM_INFINITY)
		report_value(r, name, "unlimited");
	else
		report_value(r, name, "%llu", (unsigned long long)l.rlim_cur);
}

static void show_kernel(struct weft_report *r)
{
	struct utsname u;

	report_section(r, "system", "System");
	if (!uname(&u))
		report_value(r, "kernel", "%s %s %s", u.sysname, u.release,
			     u.machine);
	show_distribution(r);
	report_value(r, "compiled by", "%s", __VERSION__);
	show_limit(r, "open files", RLIMIT_NOFILE);
	show_limit(r, "processes", RLIMIT_NPROC);
	show_limit(r, "locked memory", RLIMIT_MEMLOCK);
	show_limit(r, "address space", RLIMIT_AS);
	report_section_end(r);
}

static void show_formats(struct weft_report *r)
{
	report_section(r, "formats", "Formats shared by processes");
	report_value(r, "job status page", "%u", JOB_PAGE_VERSION);
	report_value(r, "trace", "%u", TRACE_VERSION);
	report_value(r, "record of calls", "%u", RECORD_VERSION);
	report_section_end(r);
}

static bool has_effect(const char *variable)
{
	static const char *const prefix[] = { "WEFT_", "FI_",	 "MPI",
					      "PMIX_", "OMPI_",	 "PRTE_",
					      "SLURM", "HWLOC_", "LD_" };

	for (size_t i = 0; i < WEFT_COUNT_OF(prefix); i++) {
		if (!strncmp(variable, prefix[i], strlen(prefix[i])))
			return true;
	}
	return false;
}

/* Returns whether the value of a variable is secret and must not be printed. */
static bool is_secret(const char *name)
{
	return strstr(name, "KEY") || strstr(name, "SECRET") ||
	       strstr(name, "TOKEN") || strstr(name, "JWT");
}

const char *printable_value(const char *name, const char *value)
{
	if (!value)
		return "-";
	return is_secret(name) ? "(set, not printed)" : value;
}

static void show_environment(struct weft_report *r)
{
	char name[128];

	report_section(r, "environment", "Environment");
	for (char **e = environ; *e; e++) {
		size_t n = strcspn(*e, "=");

		if (!has_effect(*e) || n >= sizeof(name) || !(*e)[n])
			continue;
		memcpy(name, *e, n);
		name[n] = 0;
		report_value(r, name, "%s", printable_value(name, *e + n + 1));
	}
	report_section_end(r);
}

void show_system(struct weft_report *r)
{
	show_kernel(r);
	show_formats(r);
	show_environment(r);
}
