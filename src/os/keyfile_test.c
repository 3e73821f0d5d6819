/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the key file: created once; unsafe files are refused. */
#include "src/os/keyfile.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];
static char path[128];

static int setup(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/weft-keyfile.XXXXXX");
	T_NOT_NULL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/key", dir);
	return 0;
}

/* Removes the key file and checks that no other file is left. */
static int teardown(void **state)
{
	unlink(path);
	T_OK(rmdir(dir));
	return 0;
}

static int get_key(uint8_t *key, char *why)
{
	memset(key, 0, WEFT_KEYFILE_BYTES);
	*why = 0;
	return weft_keyfile_get(path, key, why);
}

static void key_file_is_created_on_first_use(void **state)
{
	uint8_t a[WEFT_KEYFILE_BYTES], b[WEFT_KEYFILE_BYTES];
	uint8_t none[WEFT_KEYFILE_BYTES] = { 0 };
	char why[WEFT_KEYFILE_WHY];
	struct stat st;

	T_OK(get_key(a, why));
	T_TRUE(memcmp(a, none, sizeof(a)));
	T_OK(get_key(b, why));
	T_OK(memcmp(a, b, sizeof(a)));
	T_OK(stat(path, &st));
	T_IS(st.st_mode & 07777, 0600);
	unlink(path);
	T_OK(get_key(b, why));
	T_TRUE(memcmp(a, b, sizeof(a)));
}

struct getter {
	pthread_t thread;
	pthread_barrier_t *start;
	uint8_t key[WEFT_KEYFILE_BYTES];
	int ret;
};

static void *get_key_at_barrier(void *arg)
{
	struct getter *r = arg;
	char why[WEFT_KEYFILE_WHY];

	pthread_barrier_wait(r->start);
	r->ret = get_key(r->key, why);
	return NULL;
}

static void concurrent_threads_get_the_same_key(void **state)
{
	enum { N = 64 };
	static struct getter r[N];
	pthread_barrier_t start;

	for (int round = 0; round < 5; round++) {
		unlink(path);
		pthread_barrier_init(&start, NULL, N);
		for (int i = 0; i < N; i++) {
			r[i].start = &start;
			T_OK(pthread_create(&r[i].thread, NULL,
					    get_key_at_barrier, &r[i]));
		}
		for (int i = 0; i < N; i++)
			T_OK(pthread_join(r[i].thread, NULL));
		pthread_barrier_destroy(&start);
		for (int i = 0; i < N; i++) {
			T_OK(r[i].ret);
			T_OK(memcmp(r[i].key, r[0].key, sizeof(r[0].key)));
		}
	}
}

static void key_file_readable_by_others_is_refused(void **state)
{
	static const mode_t mode[] = { 0644, 0640, 0604, 0620, 0602, 0610 };
	uint8_t key[WEFT_KEYFILE_BYTES];
	char why[WEFT_KEYFILE_WHY];
	char text[16];

	T_OK(get_key(key, why));
	for (size_t i = 0; i < WEFT_COUNT_OF(mode); i++) {
		T_OK(chmod(path, mode[i]));
		T_IS(get_key(key, why), -EACCES);
		snprintf(text, sizeof(text), "mode %04o", (unsigned)mode[i]);
		T_NOT_NULL(strstr(why, text));
		T_NOT_NULL(strstr(why, path));
	}
	T_OK(chmod(path, 0400));
	T_OK(get_key(key, why));
}

static void key_file_of_another_user_is_refused(void **state)
{
	uint8_t key[WEFT_KEYFILE_BYTES];
	char why[WEFT_KEYFILE_WHY];

	if (geteuid())
		skip();
	T_OK(get_key(key, why));
	T_OK(chown(path, 65534, 65534));
	T_IS(get_key(key, why), -EACCES);
	T_NOT_NULL(strstr(why, "belongs to user 65534"));
}

static void write_file(const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	T_TRUE(fd >= 0);
	T_IS(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void malformed_key_file_is_refused(void **state)
{
	char text[80];
	uint8_t key[WEFT_KEYFILE_BYTES];
	char why[WEFT_KEYFILE_WHY];

	memset(text, 'a', sizeof(text));
	text[64] = '\n';
	text[65] = 0;
	write_file(text);
	T_OK(get_key(key, why));
	T_IS(key[0], 0xaa);
	write_file("");
	T_IS(get_key(key, why), -EINVAL);
	text[5] = 'A';
	write_file(text);
	T_IS(get_key(key, why), -EINVAL);
	text[5] = 'a';
	text[64] = 'a';
	write_file(text);
	T_IS(get_key(key, why), -EINVAL);
	text[64] = '\n';
	text[65] = 'a';
	text[66] = 0;
	write_file(text);
	T_IS(get_key(key, why), -EINVAL);
	T_NOT_NULL(strstr(why, "64 hexadecimal digits"));
	unlink(path);
	T_OK(mkdir(path, 0700));
	T_IS(get_key(key, why), -EACCES);
	T_NOT_NULL(strstr(why, "not a regular file"));
	T_OK(rmdir(path));
	/* opening a FIFO does not block */
	T_OK(mkfifo(path, 0600));
	T_IS(get_key(key, why), -EACCES);
}

static void key_file_creation_failure_is_reported(void **state)
{
	uint8_t key[WEFT_KEYFILE_BYTES];
	char why[WEFT_KEYFILE_WHY];

	snprintf(path, sizeof(path), "%s/no/key", dir);
	T_IS(get_key(key, why), -ENOENT);
	T_NOT_NULL(strstr(why, "cannot be created: No such file"));
	T_NOT_NULL(strstr(why, path));
}

/* The error of the failed step is reported, and the file is removed. */
static void key_file_that_cannot_be_written_is_removed(void **state)
{
	uint8_t key[WEFT_KEYFILE_BYTES];
	char why[WEFT_KEYFILE_WHY];
	struct rlimit was, low;

	T_OK(getrlimit(RLIMIT_FSIZE, &was));
	low = was;
	signal(SIGXFSZ, SIG_IGN);
	/* limits below the size of the file: the first write may be partial */
	for (low.rlim_cur = 0; low.rlim_cur < 65; low.rlim_cur += 16) {
		T_OK(setrlimit(RLIMIT_FSIZE, &low));
		T_IS(get_key(key, why), -ENOENT);
		T_OK(setrlimit(RLIMIT_FSIZE, &was));
		T_NOT_NULL(strstr(why, "cannot be created: File too large"));
	}
	signal(SIGXFSZ, SIG_DFL);
}

static void key_file_path_is_in_home_directory(void **state)
{
	char got[64];
	const char *was = getenv("HOME");
	char *home = was ? strdup(was) : NULL;

	setenv("HOME", "/somewhere", 1);
	T_OK(weft_keyfile_path(got, sizeof(got)));
	T_STR(got, "/somewhere/.weft_key");
	T_IS(weft_keyfile_path(got, 10), -ENAMETOOLONG);
	/*
	 * HOME is not an absolute path: the home directory of the user database
	 * is used, if there is one
	 */
	setenv("HOME", "here", 1);
	if (!weft_keyfile_path(got, sizeof(got)))
		T_IS(*got, '/');
	if (home)
		setenv("HOME", home, 1);
	free(home);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(key_file_is_created_on_first_use),
		EACH(concurrent_threads_get_the_same_key),
		EACH(key_file_readable_by_others_is_refused),
		EACH(key_file_of_another_user_is_refused),
		EACH(malformed_key_file_is_refused),
		EACH(key_file_creation_failure_is_reported),
		EACH(key_file_that_cannot_be_written_is_removed),
		T_CASE(key_file_path_is_in_home_directory),
	};

	return T_RUN(tests);
}
