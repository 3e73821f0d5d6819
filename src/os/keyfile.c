/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's key, as 64 hexadecimal digits and a line end, so that it can be
 * copied to other hosts.
 *
 * The file is written under a temporary name, then linked to its final name by
 * link(2), which fails if that name exists. If many processes create the file
 * concurrently, also on several hosts that share the directory, exactly one
 * link succeeds, and all processes read that complete file.
 */
#include "src/os/keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEYFILE_NAME  ".weft_key"
#define KEYFILE_TEXT  (2 * WEFT_KEYFILE_BYTES + 1)
/* attempts, 10 ms apart: NFS may cache that the file is absent */
#define KEYFILE_TRIES 100

int weft_keyfile_path(char *path, size_t room)
{
	const char *home = getenv("HOME");
	const struct passwd *pw;
	int n;

	if (!home || *home != '/') {
		pw = getpwuid(geteuid());
		home = pw ? pw->pw_dir : NULL;
	}
	if (!home || *home != '/')
		return -ENOENT;
	n = snprintf(path, room, "%s/%s", home, KEYFILE_NAME);
	return n < (int)room ? 0 : -ENAMETOOLONG;
}

/* ---- reading ------------------------------------------------------------- */

/* Returns 0, or -EACCES: the content must not be used. */
static int keyfile_check(int fd, const char *path, char *why)
{
	struct stat st;

	if (fstat(fd, &st)) {
		snprintf(why, WEFT_KEYFILE_WHY, "key file %s: %s", path,
			 strerror(errno));
		return -EACCES;
	}
	if (!S_ISREG(st.st_mode)) {
		snprintf(why, WEFT_KEYFILE_WHY,
			 "key file %s is not a regular file", path);
		return -EACCES;
	}
	if (st.st_uid != geteuid()) {
		snprintf(
			why, WEFT_KEYFILE_WHY,
			"key file %s belongs to user %u, and this process runs "
			"as user %u: remove the file, or set WEFT_KEY_FILE to "
			"another one",
			path, (unsigned)st.st_uid, (unsigned)geteuid());
		return -EACCES;
	}
	if (st.st_mode & 077) {
		snprintf(
			why, WEFT_KEYFILE_WHY,
			"key file %s has mode %04o, so that other users may "
			"know the key: remove the file (a new one is created), "
			"or set mode 0600 if no other user has read it",
			path, (unsigned)(st.st_mode & 07777));
		return -EACCES;
	}
	return 0;
}

static int keyfile_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool keyfile_parse(const char *text, uint8_t *key)
{
	for (int i = 0; i < WEFT_KEYFILE_BYTES; i++) {
		int high = keyfile_digit(text[2 * i]);
		int low = keyfile_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		key[i] = (uint8_t)(high << 4 | low);
	}
	return text[KEYFILE_TEXT - 1] == '\n';
}

static int keyfile_read(int fd, const char *path, uint8_t *key, char *why)
{
	char text[KEYFILE_TEXT + 1];
	ssize_t n;
	int err = keyfile_check(fd, path, why);

	if (err)
		return err;
	n = read(fd, text, sizeof(text));
	if (n == KEYFILE_TEXT && keyfile_parse(text, key))
		return 0;
	snprintf(why, WEFT_KEYFILE_WHY,
		 "key file %s does not have %d hexadecimal digits and a line "
		 "end: remove the file, and a new one is created",
		 path, 2 * WEFT_KEYFILE_BYTES);
	return -EINVAL;
}

/* ---- creating ------------------------------------------------------------ */

static bool keyfile_write(int fd)
{
	uint8_t key[WEFT_KEYFILE_BYTES];
	char text[KEYFILE_TEXT + 1];
	ssize_t n;

	if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		return false;
	for (int i = 0; i < WEFT_KEYFILE_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", key[i]);
	text[KEYFILE_TEXT - 1] = '\n';
	/* the error of a short write is reported by the next write */
	for (size_t at = 0; at < KEYFILE_TEXT; at += (size_t)n) {
		n = write(fd, text + at, KEYFILE_TEXT - at);
		if (n <= 0)
			return false;
	}
	return !fsync(fd);
}

/* Links the file to its final name; true also if that name exists. */
static bool keyfile_link(const char *temp, const char *path)
{
	if (!link(temp, path) || errno == EEXIST)
		return true;
	/* for file systems without hard links */
	return !renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_NOREPLACE) ||
	       errno == EEXIST;
}

static bool keyfile_make(const char *path)
{
	size_t room = strlen(path) + 8;
	char *temp = malloc(room);
	bool ok = false;
	int err, fd;

	if (!temp)
		return false;
	snprintf(temp, room, "%s.XXXXXX", path);
	fd = mkostemp(temp, O_CLOEXEC); /* created with mode 0600 and O_EXCL */
	if (fd >= 0) {
		ok = keyfile_write(fd);
		ok = !close(fd) && ok && keyfile_link(temp, path);
		err = errno;
		unlink(temp);
		errno = err;
	}
	free(temp);
	return ok;
}

int weft_keyfile_get(const char *path, uint8_t key[WEFT_KEYFILE_BYTES],
		     char why[WEFT_KEYFILE_WHY])
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int fd, ret;

	for (int i = 0; i < KEYFILE_TRIES; i++) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0) {
			ret = keyfile_read(fd, path, key, why);
			close(fd);
			return ret;
		}
		if (errno != ENOENT || !keyfile_make(path))
			break;
		if (i)
			nanosleep(&pause, NULL);
	}
	ret = errno == EACCES && !access(path, F_OK) ? -EACCES : -ENOENT;
	snprintf(why, WEFT_KEYFILE_WHY, "key file %s cannot be %s: %s", path,
		 ret == -EACCES ? "read" : "created", strerror(errno));
	return ret;
}
