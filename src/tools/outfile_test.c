/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the checks of output files: new files, files of this program,
 * streams, directories.
 */
#include "src/tools/outfile.h"
#include "test/t.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/outfile_test.XXXXXX";
static char path[256];

static const char *in_dir(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static const char *file_with(const char *text, mode_t mode)
{
	const char *name = in_dir("file");
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	T_IS(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	fchmod(fd, mode);
	close(fd);
	return name;
}

static int check(const char *name, char why[WEFT_OUTFILE_WHY])
{
	why[0] = '\0';
	return weft_outfile_check(name, "mark|other", why);
}

static void only_files_of_this_program_are_replaced(void **state)
{
	static const struct {
		const char *text;
		mode_t mode;
		const char *why; /* expected reason; NULL: allowed */
	} row[] = {
		{ "", 0600, NULL },
		{ "a mark here", 0600, NULL },
		{ "the other one", 0600, NULL },
		{ "a mark here", 0700, NULL },
		{ "int main(void)", 0600, "not written by this program" },
		{ "#!/bin/sh", 0700, "executable" },
		{ "\177ELF", 0600, "executable" },
	};
	char why[WEFT_OUTFILE_WHY];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		T_IS(check(file_with(row[i].text, row[i].mode), why),
		     row[i].why ? -EINVAL : 0);
		if (row[i].why)
			T_NOT_NULL(strstr(why, row[i].why));
	}
	T_FALSE(weft_outfile_is_stream(path));
	unlink(path);
}

static void new_file_needs_an_existing_folder(void **state)
{
	char why[WEFT_OUTFILE_WHY];

	T_IS(check("", why), -EINVAL);
	T_OK(check(in_dir("new"), why));
	T_IS(check(in_dir("none/new"), why), -EINVAL);
	T_NOT_NULL(strstr(why, "No such file"));
	T_IS(check(dir, why), -EINVAL);
	T_NOT_NULL(strstr(why, "directory"));
}

static void streams_that_accept_data_are_allowed(void **state)
{
	char why[WEFT_OUTFILE_WHY];

	T_OK(check("/dev/null", why));
	T_TRUE(weft_outfile_is_stream("/dev/null"));
	T_IS(check("/dev/full", why), -EINVAL);
	T_NOT_NULL(strstr(why, "No space"));
	T_OK(mkfifo(in_dir("fifo"), 0600));
	T_OK(check(path, why));
	T_TRUE(weft_outfile_is_stream(path));
	unlink(path);
}

static void result_folder_is_new_or_empty(void **state)
{
	char why[WEFT_OUTFILE_WHY], sub[300];

	T_OK(weft_outfile_check_dir(in_dir("new"), why));
	T_IS(weft_outfile_check_dir(in_dir("none/new"), why), -EINVAL);
	file_with("x", 0600);
	T_IS(weft_outfile_check_dir(path, why), -EINVAL);
	T_NOT_NULL(strstr(why, "no directory"));
	T_IS(weft_outfile_check_dir(dir, why), -EINVAL);
	T_NOT_NULL(strstr(why, "not empty"));
	unlink(path);
	T_OK(weft_outfile_check_dir(dir, why));
	snprintf(sub, sizeof(sub), "%s/", in_dir("new"));
	T_OK(weft_outfile_check_dir(sub, why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(only_files_of_this_program_are_replaced),
		T_CASE(new_file_needs_an_existing_folder),
		T_CASE(streams_that_accept_data_are_allowed),
		T_CASE(result_folder_is_new_or_empty),
	};
	int rc;

	if (!mkdtemp(dir))
		return 1;
	rc = T_RUN(tests);
	rmdir(dir);
	return rc;
}
