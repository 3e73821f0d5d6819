/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of output files (outfile.h). */
#include "src/tools/outfile.h"
#include "src/base/attr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(char why[WEFT_OUTFILE_WHY], const char *fmt, ...)
	WEFT_PRINTF(2, 3);

static int refuse(char why[WEFT_OUTFILE_WHY], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, WEFT_OUTFILE_WHY, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Checks that the folder of a new file exists and is writable. */
static int check_folder(const char *file, char why[WEFT_OUTFILE_WHY])
{
	char dir[PATH_MAX] = ".";
	size_t n = strlen(file);

	while (n && file[n - 1] == '/')
		n--;
	while (n && file[n - 1] != '/')
		n--;
	if (n >= sizeof(dir))
		return refuse(why, "the name is too long");
	if (n)
		snprintf(dir, sizeof(dir), "%.*s", (int)n, file);
	if (!access(dir, W_OK | X_OK))
		return 0;
	return refuse(why, "directory %.180s: %s", dir, strerror(errno));
}

/* Returns whether `text` contains one of the marks, separated by '|'. */
static bool has_mark(const char *text, size_t len, const char *marks)
{
	size_t n;

	for (; *marks; marks += n + (marks[n] == '|')) {
		n = strcspn(marks, "|");
		if (memmem(text, len, marks, n))
			return true;
	}
	return false;
}

static int check_regular(const char *file, const struct stat *s,
			 const char *marks, char why[WEFT_OUTFILE_WHY])
{
	char text[512];
	ssize_t n;
	int fd;

	if (access(file, W_OK))
		return refuse(why, "%s", strerror(errno));
	if (!s->st_size)
		return 0;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return refuse(why, "%s", strerror(errno));
	n = read(fd, text, sizeof(text));
	close(fd);
	if (n >= 0 && has_mark(text, (size_t)n, marks))
		return 0;
	if (s->st_mode & 0111 || (n >= 4 && !memcmp(text, "\177ELF", 4)))
		return refuse(why, "this is an executable file, which would be "
				   "overwritten; choose another name");
	return refuse(why, "the file exists and was not written by this "
			   "program; remove it or choose another name");
}

/* Checks whether the device accepts a byte; /dev/full does not. */
static int check_device(const char *file, char why[WEFT_OUTFILE_WHY])
{
	int fd = open(file, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int err = fd < 0 ? errno : 0;

	if (!err && !isatty(fd) && write(fd, "\n", 1) < 0 && errno != EAGAIN)
		err = errno;
	if (fd >= 0)
		close(fd);
	return err ? refuse(why, "%s", strerror(err)) : 0;
}

int weft_outfile_check(const char *file, const char *marks,
		       char why[WEFT_OUTFILE_WHY])
{
	struct stat s;

	if (!*file)
		return refuse(why, "the name is empty");
	if (stat(file, &s)) {
		if (errno == ENOENT)
			return check_folder(file, why);
		return refuse(why, "%s", strerror(errno));
	}
	if (S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode) || S_ISSOCK(s.st_mode))
		return refuse(why, "this is a %s, and a file is needed",
			      S_ISDIR(s.st_mode)   ? "directory"
			      : S_ISBLK(s.st_mode) ? "block device"
						   : "socket");
	if (S_ISREG(s.st_mode))
		return check_regular(file, &s, marks, why);
	return S_ISCHR(s.st_mode) ? check_device(file, why) : 0;
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return d && n <= 2; /* empty: only "." and ".." */
}

int weft_outfile_check_dir(const char *dir, char why[WEFT_OUTFILE_WHY])
{
	struct stat s;

	if (stat(dir, &s)) {
		if (errno == ENOENT)
			return check_folder(dir, why);
		return refuse(why, "%s", strerror(errno));
	}
	if (!S_ISDIR(s.st_mode) || !is_empty(dir))
		return refuse(why, "%s; remove it or choose another name",
			      S_ISDIR(s.st_mode)
				      ? "the directory is not empty"
				      : "this exists and is no directory");
	return access(dir, W_OK | X_OK) ? refuse(why, "%s", strerror(errno))
					: 0;
}

bool weft_outfile_is_stream(const char *file)
{
	struct stat s;

	return !stat(file, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}
