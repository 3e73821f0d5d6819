/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Location of Weft's data files: share/weft in a folder above the library or
 * program that contains this code. So an installation can be moved, and a build
 * tree uses its own share/weft. The prefix given to configure is tried last.
 */
#include "prov/net/file/net_file_int.h"
#include "src/job/job_cfg.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef WEFT_DATADIR
#define WEFT_DATADIR "/usr/local/share"
#endif

/*
 * Searches for share/weft/`what` in every folder above `file`. Returns whether
 * it was found.
 */
static bool search_above(char *file, const char *what, char *path, size_t len)
{
	char *slash;
	int n;

	while ((slash = strrchr(file, '/'))) {
		*slash = 0;
		n = snprintf(path, len, "%s/share/weft/%s", file, what);
		if (n > 0 && (size_t)n < len && !access(path, R_OK))
			return true;
	}
	return false;
}

/* Finds the path of the library or program that contains this function. */
static bool own_file(char *file)
{
	union {
		int (*fn)(const char *, char *, size_t);
		void *p;
	} self = { .fn = net_file_share };
	Dl_info info;

	return dladdr(self.p, &info) && info.dli_fname &&
	       realpath(info.dli_fname, file);
}

int net_file_share(const char *what, char *path, size_t len)
{
	char file[4096];
	ssize_t n;

	if (own_file(file) && search_above(file, what, path, len))
		return 0;
	n = readlink("/proc/self/exe", file, sizeof(file) - 1);
	if (n > 0) {
		file[n] = 0;
		if (search_above(file, what, path, len))
			return 0;
	}
	n = snprintf(path, len, "%s/weft/%s", WEFT_DATADIR, what);
	return n > 0 && (size_t)n < len && !access(path, R_OK) ? 0 : -ENOENT;
}

/* Lists the installed machines, and finds the name most similar to `name`. */
static void list_machines(const char *name, char *all, size_t len,
			  char *nearest, size_t nearest_len)
{
	unsigned least = (unsigned)strlen(name) / 2 + 1, d;
	struct dirent *entry;
	char dir[4096];
	size_t at = 0;
	DIR *list;

	*all = *nearest = 0;
	if (net_file_share("machines", dir, sizeof(dir)))
		return;
	list = opendir(dir);
	while (list && (entry = readdir(list))) {
		if (entry->d_name[0] == '.' || at >= len)
			continue;
		at += (size_t)snprintf(all + at, len - at, " %s",
				       entry->d_name);
		d = weft_cfg_distance(entry->d_name, name);
		if (d < least) {
			least = d;
			snprintf(nearest, nearest_len, "%s", entry->d_name);
		}
	}
	if (list)
		closedir(list);
}

static int no_machine(const char *name, struct net_error_text *why)
{
	char all[160], nearest[256];

	if (strchr(name, '/')) {
		file_fail(why, "machine file %.200s: %s", name,
			  strerror(errno));
		return -ENOENT;
	}
	if (!access(name, R_OK)) {
		file_fail(why,
			  "no machine %.100s; the file in this folder is "
			  "./%.100s",
			  name, name);
		return -ENOENT;
	}
	list_machines(name, all, sizeof(all), nearest, sizeof(nearest));
	if (!*all)
		file_fail(why,
			  "machine %.100s: no share/weft/machines above the "
			  "program or library; give a file name with a /",
			  name);
	else
		file_fail(why,
			  "no machine %.100s%s%s; available:%s (or a file name "
			  "with a /)",
			  name, *nearest ? "; nearest is " : "", nearest, all);
	return -ENOENT;
}

int net_file_find(const char *spec, char *path, size_t len,
		  struct net_error_text *why)
{
	const char *colon = strrchr(spec, ':');
	char name[3072], what[3200];
	const char *at = strrchr(spec, '@');
	size_t n = colon && !strchr(colon, '/') ? (size_t)(colon - spec)
						: strlen(spec);

	if (at && !strchr(at, '/') && (size_t)(at - spec) < n)
		n = (size_t)(at - spec);
	if (!n || n >= sizeof(name)) {
		file_fail(why, "expected NAME[@VARIANT][:DIMS] or "
			       "FILE[@VARIANT][:DIMS], e.g. bgq:4x4x4x4x2");
		return -ENOENT;
	}
	memcpy(name, spec, n);
	name[n] = 0;
	snprintf(what, sizeof(what), "machines/%s", name);
	if (!strchr(name, '/') && !net_file_share(what, path, len))
		return 0;
	if (!strchr(name, '/') || access(name, R_OK) || strlen(name) >= len)
		return no_machine(name, why);
	memcpy(path, name, n + 1);
	return 0;
}
