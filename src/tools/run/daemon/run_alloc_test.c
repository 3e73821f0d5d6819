/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to spawn as frames, and the hosts of spawned ranks. */
#include "src/tools/run/daemon/run_alloc.h"
#include "src/tools/run/opts/run_opts.h"
#include "test/support/fuzz.h"
#include "test/t.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_hosts hosts_of(const char *list)
{
	struct run_hosts h = { 0 };

	if (*list)
		T_OK(run_hosts_list("-host", list, &h));
	return h;
}

/*
 * Returns a request for at most four programs, each given as "N HOSTS"; the
 * request has no words.
 */
static struct run_request request_of(const char *const *program)
{
	struct run_request r = { .part = calloc(4, sizeof(*r.part)) };

	T_NOT_NULL(r.part);
	for (; program[r.nparts]; r.nparts++) {
		char *end;

		r.part[r.nparts].n = (int)strtol(program[r.nparts], &end, 10);
		r.part[r.nparts].hosts = hosts_of(end + strspn(end, " "));
	}
	return r;
}

/* ---- places -------------------------------------------------------------- */

/* Places the programs; want: "a:1,b:2", or an error. */
static void placed_is(const char *list, int ppn, const char *used,
		      const char *const *program, const char *want, int error)
{
	struct run_hosts h = hosts_of(list), u = hosts_of(used), got;
	struct run_request r = request_of(program);
	struct run_alloc a;
	char text[128] = "";
	size_t pos = 0;

	T_OK(run_alloc_open(&a, &h, ppn));
	for (int i = 0; i < u.count; i++)
		run_alloc_use(&a, u.host[i].name, u.host[i].slots);
	T_IS(run_alloc_place(&a, &r, &got), error);
	for (int i = 0; !error && i < got.count; i++)
		pos += (size_t)snprintf(text + pos, sizeof(text) - pos,
					"%s%s:%d", i ? "," : "",
					got.host[i].name, got.host[i].slots);
	assert_string_equal(text, want);
	run_hosts_free(&got);
	run_alloc_close(&a);
	run_request_free(&r);
	run_hosts_free(&h);
	run_hosts_free(&u);
}

#define PROGRAMS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void free_slots_are_used_first(void **state)
{
	placed_is("a:2,b:2", 0, "a:2", PROGRAMS("1"), "b:1", 0);
	placed_is("a:2,b:2", 0, "a:1", PROGRAMS("3"), "a:1,b:2", 0);
	placed_is("a,b,c", 0, "b", PROGRAMS("2"), "a:1,c:1", 0);
	placed_is("a,b,c", 2, "a:2", PROGRAMS("3"), "b:2,c:1", 0);
	placed_is("a:2,b:2", 0, "", PROGRAMS("1", "1", "1"), "a:2,b:1", 0);
	/* a host with more ranks than slots has no free slots */
	placed_is("a,b:3", 0, "a:3,b:1", PROGRAMS("2"), "b:2", 0);
}

static void without_free_slots_all_hosts_get_ranks(void **state)
{
	placed_is("a:2,b:2", 0, "a:2,b:2", PROGRAMS("2"), "a:1,b:1", 0);
	placed_is("a:4,b:2", 0, "a:4,b:1", PROGRAMS("3"), "a:2,b:1", 0);
	placed_is("a:2,b:2", 0, "a:2,b:2", PROGRAMS("1"), "b:1", 0);
	placed_is("a,b", 0, "a,b", PROGRAMS("6"), "a:3,b:3", 0);
}

static void keys_name_hosts_of_the_list(void **state)
{
	placed_is("a:2,b:2", 0, "a:2", PROGRAMS("2 a"), "a:2", 0);
	placed_is("a:2,b:2", 0, "", PROGRAMS("3 b,a:2"), "b:1,a:2", 0);
	placed_is("a.x.org,b", 0, "", PROGRAMS("1 a"), "a.x.org:1", 0);
	placed_is("a.x.org,a", 0, "", PROGRAMS("1 a"), "a:1", 0);
	placed_is("a:2,b:2", 0, "", PROGRAMS("1 c"), "", -EHOSTUNREACH);
	placed_is("a:2,b:2", 0, "", PROGRAMS("2 a,c"), "", -EHOSTUNREACH);
	placed_is("a:2,b:2", 0, "", PROGRAMS("1 b", "2 a"), "b:1,a:2", 0);
	placed_is("a:2,b:2", 0, "", PROGRAMS("1 b", "2 b"), "b:3", 0);
	/* a program without keys after one with keys */
	placed_is("a:2,b:2", 0, "", PROGRAMS("2 a", "1"), "a:2,b:1", 0);
	placed_is("a:2,b:2", 0, "", PROGRAMS("1 a", "2"), "a:2,b:1", 0);
}

static void ranks_of_a_host_are_consecutive(void **state)
{
	placed_is("a,b", 0, "", PROGRAMS("1 a", "1 b", "1 a"), "", -EINVAL);
	placed_is("a,b,c", 0, "", PROGRAMS("2 b,c", "2 a,b"), "", -EINVAL);
	placed_is("a,b,c", 0, "", PROGRAMS("2 b,c", "2 c,a"), "b:1,c:2,a:1", 0);
}

static void removed_ranks_free_their_slots(void **state)
{
	struct run_hosts h = hosts_of("a:2,b:2"), got;
	struct run_request r = request_of(PROGRAMS("2"));
	struct run_alloc a;

	T_OK(run_alloc_open(&a, &h, 0));
	run_alloc_use(&a, "a", 2);
	run_alloc_use(&a, "a", -1);
	/* a host that is not in the list has no slots */
	run_alloc_use(&a, "c", 1);
	T_OK(run_alloc_place(&a, &r, &got));
	assert_string_equal(got.host[0].name, "a");
	T_IS(got.host[0].slots, 1);
	run_hosts_free(&got);
	run_alloc_close(&a);
	run_request_free(&r);
	run_hosts_free(&h);
}

/* ---- frames -------------------------------------------------------------- */

static struct run_bytes written(const char *const *program)
{
	char w0[] = "mpiexec", w1[] = "", e0[] = "A=b";
	char *words[] = { w0, w1, NULL }, *env[] = { e0, NULL };
	struct run_request r = request_of(program);
	struct run_bytes b = { 0 };

	r.words = words;
	r.env = env;
	run_request_write(&r, &b);
	r.words = NULL;
	r.env = NULL;
	run_request_free(&r);
	return b;
}

static int read_all(const struct run_bytes *b, size_t len,
		    struct run_request *r)
{
	struct run_scan s = { .at = b->data, .left = len };

	return run_request_read(&s, r);
}

static void a_request_is_read_as_written(void **state)
{
	struct run_bytes b = written(PROGRAMS("3 a:2,b", "1"));
	struct run_request r;

	for (size_t len = 0; len < b.len; len++)
		T_IS(read_all(&b, len, &r), -EPROTO);
	T_OK(read_all(&b, b.len, &r));
	T_IS(r.nparts, 2);
	T_IS(r.part[0].n, 3);
	T_IS(r.part[0].hosts.count, 2);
	assert_string_equal(r.part[0].hosts.host[1].name, "b");
	T_IS(r.part[0].hosts.host[0].slots, 2);
	T_IS(r.part[1].n, 1);
	T_IS(r.part[1].hosts.count, 0);
	assert_string_equal(r.words[0], "mpiexec");
	assert_string_equal(r.words[1], "");
	assert_string_equal(r.env[0], "A=b");
	run_request_free(&r);
	run_bytes_free(&b);
}

static void numbers_of_processes_are_limited(void **state)
{
	char most[32], more[32];
	struct run_request r;
	struct run_bytes b;

	snprintf(most, sizeof(most), "%d", RUN_RANKS_MAX - 1);
	snprintf(more, sizeof(more), "%d", RUN_RANKS_MAX);
	b = written(PROGRAMS("1", most));
	T_OK(read_all(&b, b.len, &r));
	run_request_free(&r);
	run_bytes_free(&b);
	b = written(PROGRAMS("1", more));
	T_IS(read_all(&b, b.len, &r), -EPROTO);
	run_bytes_free(&b);
	b = written(PROGRAMS("0"));
	T_IS(read_all(&b, b.len, &r), -EPROTO);
	run_bytes_free(&b);
}

/*
 * A request without command-line words is refused, since nothing could be
 * started.
 */
static void a_request_has_words(void **state)
{
	char *none[] = { NULL };
	struct run_request r = request_of(PROGRAMS("1")), got;
	struct run_bytes b = { 0 };

	r.words = none;
	r.env = none;
	run_request_write(&r, &b);
	r.words = NULL;
	r.env = NULL;
	run_request_free(&r);
	T_IS(read_all(&b, b.len, &got), -EPROTO);
	run_bytes_free(&b);
}

/* Requests with changed bytes, counts and lengths are refused or read. */
static void changed_requests_are_refused_or_read(void **state)
{
	struct run_bytes b = written(PROGRAMS("3 a:2,b", "1"));
	int rounds = fuzz_rounds(3000), good = 0;
	struct run_request r;
	struct fuzz f;

	fuzz_init(&f, 41);
	for (int i = 0; i < rounds; i++) {
		struct run_scan s = { 0 };
		char *copy = fuzz_copy(&f, b.data, b.len, &s.left);

		s.at = copy;
		if (!run_request_read(&s, &r)) {
			good++;
			run_request_free(&r);
		}
		free(copy);
	}
	T_TRUE(good > rounds / 50 && good < rounds - rounds / 50);
	run_bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(free_slots_are_used_first),
		T_CASE(without_free_slots_all_hosts_get_ranks),
		T_CASE(keys_name_hosts_of_the_list),
		T_CASE(ranks_of_a_host_are_consecutive),
		T_CASE(removed_ranks_free_their_slots),
		T_CASE(a_request_is_read_as_written),
		T_CASE(numbers_of_processes_are_limited),
		T_CASE(a_request_has_words),
		T_CASE(changed_requests_are_refused_or_read),
	};

	return T_RUN(tests);
}
