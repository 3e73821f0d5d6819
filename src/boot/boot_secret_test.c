/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the job's key, with a correct and with a malicious PMIx server. */
#include "src/boot/boot_secret.h"

#include "src/base/attr.h"
#include "src/base/log.h"
#include "src/boot/boot_pmix.h"
#include "test/t.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OFFER (1 + 2 * WEFT_SECRET_KEY)

static const char *job;
static bool first; /* this process is rank 0 */
static uint8_t store[OFFER];
static char dir[64], path[128], other[128];

const char *weft_pmix_job(void)
{
	return job;
}

int weft_pmix_bcast(void *bytes, size_t len)
{
	T_IS(len, OFFER);
	if (first)
		memcpy(store, bytes, len);
	memcpy(bytes, store, len);
	return 0;
}

static int setup(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/weft-secret.XXXXXX");
	T_NOT_NULL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/key", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	setenv("WEFT_KEY_FILE", path, 1);
	unsetenv("FI_WEFT_KEY");
	job = "job@1";
	return 0;
}

static int teardown(void **state)
{
	weft_secret_close();
	unlink(path);
	unlink(other);
	T_OK(rmdir(dir));
	return 0;
}

static int open_key(bool as_first, uint8_t *key)
{
	first = as_first;
	memset(key, 0, WEFT_SECRET_KEY);
	return weft_secret_open(!first, false, key);
}

static bool stored(const void *bytes, size_t len)
{
	return memmem(store, sizeof(store), bytes, len);
}

static void all_ranks_derive_one_unpublished_key(void **state)
{
	uint8_t a[WEFT_SECRET_KEY], b[WEFT_SECRET_KEY], file[65] = { 0 };
	uint8_t tag[WEFT_SECRET_TAG];
	int fd;

	T_OK(open_key(true, a));
	T_OK(open_key(false, b));
	T_MEM(a, b, sizeof(a));
	T_TRUE(weft_secret_signs());
	T_FALSE(stored(a, 8));
	weft_secret_sign(0, "x", 1, tag);
	T_FALSE(stored(tag, 8));
	fd = open(path, O_RDONLY);
	T_TRUE(fd >= 0);
	T_IS(read(fd, file, sizeof(file)), sizeof(file));
	close(fd);
	T_FALSE(stored(file, 16));
	/* the next job of the same user has another key */
	T_OK(open_key(true, b));
	T_TRUE(memcmp(a, b, sizeof(a)));
}

/* The server returns the data of rank 0 of another job to rank 1. */
static void data_of_another_job_is_refused(void **state)
{
	uint8_t a[WEFT_SECRET_KEY], b[WEFT_SECRET_KEY];

	T_OK(open_key(true, a));
	job = "job@2";
	T_IS(open_key(false, b), -EACCES);
}

static void hosts_with_different_key_files_are_refused(void **state)
{
	uint8_t a[WEFT_SECRET_KEY], b[WEFT_SECRET_KEY];

	T_OK(open_key(true, a));
	setenv("WEFT_KEY_FILE", other, 1);
	T_IS(open_key(false, b), -EACCES);
	setenv("FI_WEFT_KEY", "sixteen characters", 1);
	T_IS(open_key(false, b), -EACCES);
	T_OK(open_key(true, a));
	T_OK(open_key(false, b));
	T_MEM(a, b, sizeof(a));
	setenv("FI_WEFT_KEY", "too short", 1);
	T_IS(open_key(true, a), -EACCES);
}

/* An attacker replaces the nonce, the check, or the mode. */
static void modified_key_offer_is_refused(void **state)
{
	uint8_t a[WEFT_SECRET_KEY], b[WEFT_SECRET_KEY];
	uint8_t original[OFFER];

	T_OK(open_key(true, a));
	memcpy(original, store, sizeof(original));
	for (size_t i = 0; i < OFFER; i += 8) {
		store[i] ^= 3;
		T_IS(open_key(false, b), -EACCES);
		memcpy(store, original, sizeof(original));
	}
	/* mode OPEN: no rank has a secret, the nonce is the key */
	store[0] = 1;
	T_IS(open_key(false, b), -EACCES);
	memcpy(store, original, sizeof(original));
	T_OK(open_key(false, b));
	T_MEM(a, b, sizeof(a));
}

static void key_file_readable_by_others_ends_the_job(void **state)
{
	uint8_t a[WEFT_SECRET_KEY];

	T_OK(open_key(true, a));
	T_OK(chmod(path, 0644));
	T_IS(open_key(true, a), -EACCES);
	T_IS(open_key(false, a), -EACCES);
}

/* Without a key file the job warns, and the nonce is the key. */
static void without_any_secret_the_key_is_public(void **state)
{
	uint8_t a[WEFT_SECRET_KEY], b[WEFT_SECRET_KEY];

	setenv("WEFT_KEY_FILE", "/nonexistent/key", 1);
	T_OK(open_key(true, a));
	T_OK(open_key(false, b));
	T_MEM(a, b, sizeof(a));
	T_FALSE(weft_secret_signs());
	T_TRUE(stored(a, sizeof(a)));
	/* a rank that has a secret refuses a job whose key is the nonce */
	setenv("WEFT_KEY_FILE", path, 1);
	T_IS(open_key(false, b), -EACCES);
	/* a rank without a secret refuses a job with a secret */
	T_OK(open_key(true, a));
	setenv("WEFT_KEY_FILE", "/nonexistent/key", 1);
	T_IS(open_key(false, b), -EACCES);
}

/* Weft's mpiexec accepts no other user, so no key file is created. */
static void weft_mpiexec_needs_no_key_file(void **state)
{
	uint8_t a[WEFT_SECRET_KEY];
	struct stat st;

	first = true;
	T_OK(weft_secret_open(0, true, a));
	T_FALSE(weft_secret_signs());
	T_IS(stat(path, &st), -1);
}

static void address_tag_is_valid_for_its_rank_only(void **state)
{
	static const char name[] = "10.0.0.1:4711, and its host";
	uint8_t a[WEFT_SECRET_KEY];
	uint8_t tag[WEFT_SECRET_TAG];

	T_OK(open_key(true, a));
	weft_secret_sign(3, name, sizeof(name), tag);
	T_TRUE(weft_secret_verify(3, name, sizeof(name), tag));
	T_FALSE(weft_secret_verify(4, name, sizeof(name), tag));
	T_FALSE(weft_secret_verify(3, name, sizeof(name) - 1, tag));
	tag[15] ^= 1;
	T_FALSE(weft_secret_verify(3, name, sizeof(name), tag));
	tag[15] ^= 1;
	/* tag of another job of the same user */
	T_OK(open_key(true, a));
	T_FALSE(weft_secret_verify(3, name, sizeof(name), tag));
}

/*
 * Opens the key as rank 0 of job `name`, which the job described by `parents`
 * has spawned; NULL: without parents.
 */
static int open_spawned(const char *name, const char *parents, bool own,
			uint8_t *key)
{
	job = name;
	first = true;
	if (parents)
		setenv(WEFT_SECRET_PARENTS, parents, 1);
	memset(key, 0, WEFT_SECRET_KEY);
	return weft_secret_open(0, own, key);
}

/*
 * Runs a spawned job in a child process, because a process keeps the offer of
 * its parents.
 */
static int in_child(int (*run)(const char *parents), const char *parents)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(run(parents));
	T_IS(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint8_t parents_key[WEFT_SECRET_KEY];
static uint8_t parents_tag[WEFT_SECRET_TAG];
static uint32_t parents_id;

static int same_key(const uint8_t *key)
{
	char *text = weft_secret_for_children();

	free(text);
	return text && weft_secret_id() == parents_id &&
			       !memcmp(key, parents_key, WEFT_SECRET_KEY)
		       ? 0
		       : 1;
}

static int spawned_by_other(const char *parents)
{
	uint8_t key[WEFT_SECRET_KEY], tag[WEFT_SECRET_TAG];

	if (open_spawned("job@2", parents, false, key) || same_key(key) ||
	    getenv(WEFT_SECRET_PARENTS))
		return 1;
	weft_secret_sign(0, "x", 1, tag);
	/* a tag of the parents is not valid here */
	if (!memcmp(tag, parents_tag, sizeof(tag)))
		return 1;
	weft_secret_close();
	/* the library starts again */
	return open_spawned("job@2", NULL, false, key) || same_key(key);
}

static int spawned_by_weft(const char *parents)
{
	uint8_t key[WEFT_SECRET_KEY];

	return open_spawned("job@2", parents, true, key) || same_key(key);
}

static int refused(const char *parents)
{
	uint8_t key[WEFT_SECRET_KEY];

	return open_spawned("job@2", parents, false, key) == -EACCES ? 0 : 1;
}

static char *start_parents(bool own)
{
	char *text;

	T_OK(open_spawned("job@1", NULL, own, parents_key));
	parents_id = weft_secret_id();
	T_TRUE(parents_id);
	weft_secret_sign(0, "x", 1, parents_tag);
	text = weft_secret_for_children();
	T_NOT_NULL(text);
	return text;
}

/* A job and the jobs that it spawns have one key. */
static void spawned_jobs_have_the_key_of_their_parents(void **state)
{
	char *text = start_parents(false);

	T_IS(in_child(spawned_by_other, text), 0);
	free(text);
	weft_secret_close();
	T_IS(weft_secret_for_children(), NULL);
	T_IS(weft_secret_id(), 0);
	text = start_parents(true);
	T_IS(in_child(spawned_by_weft, text), 0);
	free(text);
}

/*
 * An offer of the parents is refused if it was changed or is that of another
 * user.
 */
static void a_changed_offer_of_parents_is_refused(void **state)
{
	char *text = start_parents(false), before, more[1024];

	for (size_t i = 0; text[i]; i += 7) {
		before = text[i];
		text[i] = before == '1' ? '2' : '1';
		T_IS(in_child(refused, text), 0);
		text[i] = before;
	}
	T_IS(in_child(refused, ""), 0);
	T_IS(in_child(refused, "123"), 0);
	/* the name of a job is too long */
	snprintf(more, sizeof(more), "%s%0300d", text, 0);
	T_IS(in_child(refused, more), 0);
	setenv("WEFT_KEY_FILE", other, 1);
	T_IS(in_child(refused, text), 0);
	free(text);
}

/* Jobs with different keys have different numbers. */
static void a_number_identifies_the_key(void **state)
{
	uint8_t key[WEFT_SECRET_KEY];
	uint32_t id;
	char *text = start_parents(true);

	free(text);
	id = parents_id;
	T_TRUE(memcmp(&id, parents_key, sizeof(id)));
	T_OK(open_spawned("job@1", NULL, true, key));
	T_TRUE(weft_secret_id() != id);
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(all_ranks_derive_one_unpublished_key),
		EACH(data_of_another_job_is_refused),
		EACH(hosts_with_different_key_files_are_refused),
		EACH(modified_key_offer_is_refused),
		EACH(key_file_readable_by_others_ends_the_job),
		EACH(without_any_secret_the_key_is_public),
		EACH(weft_mpiexec_needs_no_key_file),
		EACH(address_tag_is_valid_for_its_rank_only),
		EACH(spawned_jobs_have_the_key_of_their_parents),
		EACH(a_changed_offer_of_parents_is_refused),
		EACH(a_number_identifies_the_key),
	};

	return T_RUN(tests);
}
