/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs on several hosts: frames, layout, job descriptions and fences. */
#include "src/tools/run/daemon/run_daemon_job.h"
#include "src/tools/run/daemon/run_fence.h"
#include "test/support/fuzz.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct run_scan scan_of(const struct run_bytes *b)
{
	return (struct run_scan){ .at = b->data, .left = b->len };
}

/* Frames arrive byte by byte, and are returned whole and in order. */
static void frames_arrive_in_pieces(void **state)
{
	struct run_channel c;
	struct run_frame f;
	struct run_bytes b = { 0 };
	int in[2], out[2], got = 0;
	char byte;

	T_OK(pipe(in));
	T_OK(pipe(out));
	run_bytes_text(&b, "word");
	T_OK(run_frame_write(out[1], RUN_FRAME_OUTPUT, &b));
	run_bytes_u32(&b, 7);
	T_OK(run_frame_write(out[1], RUN_FRAME_EXIT, &b));
	close(out[1]);
	run_channel_open(&c, in[0], dup(in[1]));
	while (read(out[0], &byte, 1) == 1) {
		T_IS(write(in[1], &byte, 1), 1);
		T_OK(run_channel_fill(&c));
		if (run_channel_next(&c, &f) == 0)
			continue;
		T_IS(f.kind, got ? RUN_FRAME_EXIT : RUN_FRAME_OUTPUT);
		free(run_scan_text(&f.body));
		T_IS(run_scan_u32(&f.body), got ? 7 : 0);
		T_IS(f.body.bad, !got);
		got++;
	}
	T_IS(got, 2);
	close(in[1]);
	run_channel_close(&c);
	close(out[0]);
	run_bytes_free(&b);
}

static int next_of(uint32_t kind, uint32_t len)
{
	const uint32_t head[2] = { htonl(kind), htonl(len) };
	struct run_channel c;
	struct run_frame f;
	int fd[2], rc;

	T_OK(pipe(fd));
	run_channel_open(&c, fd[0], fd[1]);
	T_IS(write(fd[1], head, sizeof(head)), (int)sizeof(head));
	T_OK(run_channel_fill(&c));
	rc = run_channel_next(&c, &f);
	run_channel_close(&c);
	return rc;
}

static void invalid_frames_are_refused(void **state)
{
	T_IS(next_of(RUN_FRAME_OUTPUT, 0), 1);
	T_IS(next_of(RUN_FRAME_OUTPUT, 1), 0);
	T_IS(next_of(RUN_FRAME_OUTPUT, RUN_FRAME_MAX + 1), -EPROTO);
	T_IS(next_of(0, 0), -EPROTO);
	T_IS(next_of(RUN_FRAME_KINDS, 0), -EPROTO);
}

/* A frame that does not fit into the pipe is queued and written later. */
static void a_full_pipe_does_not_block(void **state)
{
	static char data[1 << 20];
	struct run_channel a, b;
	struct run_frame f;
	int fd[2], rc;

	T_OK(pipe(fd));
	run_channel_open(&a, dup(fd[0]), fd[1]);
	run_channel_open(&b, fd[0], dup(fd[1]));
	memset(data, 'x', sizeof(data));
	run_channel_put(&a, RUN_FRAME_INPUT, data, sizeof(data));
	/* the frame with its head, less the bytes that the pipe holds */
	T_IS(run_channel_queued(&a),
	     sizeof(data) + 8 - (size_t)fcntl(fd[1], F_GETPIPE_SZ));
	while (!(rc = run_channel_next(&b, &f))) {
		T_OK(run_channel_fill(&b));
		T_OK(run_channel_flush(&a));
	}
	T_IS(rc, 1);
	T_IS(f.body.left, sizeof(data));
	T_OK(memcmp(f.body.at, data, sizeof(data)));
	T_IS(run_channel_queued(&a), 0);
	run_channel_close(&a);
	run_channel_close(&b);
}

static void layout_is(const char *list, int ppn, int nranks, const char *names,
		      const char *ranks)
{
	struct run_hosts h = { 0 };
	struct run_layout l;
	char *text;

	T_OK(run_hosts_list("-host", list, &h));
	T_OK(run_layout_make(&h, ppn, nranks, &l));
	text = run_layout_names(&l);
	assert_string_equal(text, names);
	free(text);
	text = run_layout_ranks(&l);
	assert_string_equal(text, ranks);
	free(text);
	T_IS(l.nranks, nranks);
	T_IS(run_layout_host_of(&l, 0), 0);
	T_IS(run_layout_host_of(&l, nranks - 1), l.nhosts - 1);
	T_IS(run_layout_host_of(&l, nranks), -1);
	run_layout_free(&l);
	run_hosts_free(&h);
}

static void ranks_are_distributed_in_blocks(void **state)
{
	layout_is("a:2,b:2", 0, 4, "a,b", "0,1;2,3");
	layout_is("a:2,b:2", 0, 3, "a,b", "0,1;2");
	/* a host without ranks is left out */
	layout_is("a:4,b:4", 0, 3, "a", "0,1,2");
	/* more ranks than slots: in proportion to the slots */
	layout_is("a,b", 0, 5, "a,b", "0,1;2,3,4");
	layout_is("a:2,b", 0, 6, "a,b", "0,1,2,3;4,5");
	layout_is("a,b,c", 2, 5, "a,b,c", "0,1;2,3;4");
}

static struct run_layout three_hosts(void)
{
	struct run_hosts h = { 0 };
	struct run_layout l;

	T_OK(run_hosts_list("-host", "a:2,b:1,c:2", &h));
	T_OK(run_layout_make(&h, 0, 5, &l));
	run_hosts_free(&h);
	return l;
}

/* A job description is read as it was written; a truncated one is refused. */
static void a_job_is_read_as_written(void **state)
{
	char w0[] = "mpiexec", w1[] = "", e0[] = "A=b", dir[] = "/d",
	     ns[] = "n";
	char *words[] = { w0, w1, NULL }, *env[] = { e0, NULL };
	struct run_daemon_job j = { .words = words,
				    .env = env,
				    .wdir = dir,
				    .nspace = ns,
				    .key = "secret",
				    .layout = three_hosts(),
				    .network = true },
			      got;
	struct run_bytes b = { 0 };
	struct run_scan s;

	run_daemon_job_write(&j, 2, &b);
	for (size_t len = 0; len < b.len; len++) {
		s = (struct run_scan){ .at = b.data, .left = len };
		T_IS(run_daemon_job_read(&s, &got), -EPROTO);
	}
	s = scan_of(&b);
	T_OK(run_daemon_job_read(&s, &got));
	assert_string_equal(got.words[0], w0);
	assert_string_equal(got.words[1], w1);
	T_IS(got.words[2], NULL);
	assert_string_equal(got.env[0], e0);
	assert_string_equal(got.wdir, dir);
	assert_string_equal(got.nspace, ns);
	assert_string_equal(got.key, "secret");
	T_IS(got.layout.nhosts, 3);
	T_IS(got.layout.host[2].first, 3);
	T_IS(got.self, 2);
	T_TRUE(got.network);
	run_daemon_job_free(&got);
	/* a host index that is too large */
	b.data[b.len - 5] = 3;
	s = scan_of(&b);
	T_IS(run_daemon_job_read(&s, &got), -EPROTO);
	run_layout_free(&j.layout);
	run_bytes_free(&b);
}

static int layout_of(const uint32_t *counts, int n)
{
	struct run_bytes b = { 0 };
	struct run_layout l;
	struct run_scan s;
	int rc;

	run_bytes_u32(&b, (uint32_t)n);
	for (int i = 0; i < n; i++) {
		run_bytes_text(&b, "host");
		run_bytes_u32(&b, counts[i]);
	}
	s = scan_of(&b);
	rc = run_layout_read(&s, &l);
	run_layout_free(&l);
	run_bytes_free(&b);
	return rc;
}

static void layouts_have_ranks_on_every_host(void **state)
{
	const uint32_t most[] = { 3, RUN_RANKS_MAX - 3 };
	const uint32_t more[] = { 3, RUN_RANKS_MAX - 2 };
	const uint32_t none[] = { 3, 0 }, huge[] = { 3, UINT32_MAX };

	T_OK(layout_of(most, 2));
	T_IS(layout_of(more, 2), -EPROTO);
	T_IS(layout_of(none, 2), -EPROTO);
	T_IS(layout_of(huge, 2), -EPROTO);
	T_IS(layout_of(NULL, 0), -EPROTO);
}

/*
 * Job descriptions with changed bytes, counts and lengths are refused or read.
 */
static void changed_jobs_are_refused_or_read(void **state)
{
	char w0[] = "mpiexec", e0[] = "A=b", dir[] = "/d", ns[] = "n";
	char *words[] = { w0, NULL }, *env[] = { e0, NULL };
	struct run_daemon_job j = { .words = words,
				    .env = env,
				    .wdir = dir,
				    .nspace = ns,
				    .key = "secret",
				    .layout = three_hosts() },
			      got;
	int rounds = fuzz_rounds(3000), good = 0;
	struct run_bytes b = { 0 };
	struct fuzz f;

	run_daemon_job_write(&j, 2, &b);
	fuzz_init(&f, 39);
	for (int i = 0; i < rounds; i++) {
		struct run_scan s = { 0 };
		char *copy = fuzz_copy(&f, b.data, b.len, &s.left);

		s.at = copy;
		if (!run_daemon_job_read(&s, &got)) {
			good++;
			run_daemon_job_free(&got);
		}
		free(copy);
	}
	T_TRUE(good > rounds / 50 && good < rounds - rounds / 50);
	run_layout_free(&j.layout);
	run_bytes_free(&b);
}

static int arrive(struct run_fences *f, const struct run_layout *l, int host,
		  uint32_t rank, const char *data, struct run_fence **done_p)
{
	struct run_bytes sig = { 0 }, body = { 0 };
	struct run_scan s;
	int rc;

	run_bytes_u32(&sig, 0);
	run_bytes_u32(&sig, rank);
	run_bytes_block(&body, sig.data, sig.len);
	run_bytes_text(&body, data);
	s = scan_of(&body);
	rc = run_fence_arrive(f, l, host, &s, done_p);
	run_bytes_free(&sig);
	run_bytes_free(&body);
	return rc;
}

static void data_is(struct run_fence *f, const char *want)
{
	struct run_bytes b = { 0 };
	struct run_scan s;
	size_t len;
	char *text;

	run_fence_write(f, &b);
	s = scan_of(&b);
	run_scan_block(&s, &len);
	T_IS(len, 8);
	T_IS(run_scan_u32(&s), 0);
	text = run_scan_text(&s);
	assert_string_equal(text, want);
	free(text);
	run_bytes_free(&b);
	run_fence_free(f);
}

/* Fences of all ranks and of ranks 0 and 4 are open at the same time. */
static void fences_complete_with_the_last_host(void **state)
{
	struct run_layout l = three_hosts();
	struct run_fences f = { 0 };
	struct run_fence *done = NULL;

	T_IS(arrive(&f, &l, 2, RUN_FENCE_ALL, "C", &done), 0);
	T_IS(arrive(&f, &l, 2, 4, "c", &done), 0);
	T_IS(arrive(&f, &l, 1, 4, "b", &done), -EPROTO);
	T_IS(arrive(&f, &l, 2, RUN_FENCE_ALL, "C", &done), -EPROTO);
	T_IS(arrive(&f, &l, 1, 5, "", &done), -EPROTO);
	T_TRUE(run_fence_waits_for(&f, 0));
	T_TRUE(run_fence_waits_for(&f, 1));
	T_TRUE(!run_fence_waits_for(&f, 2));
	T_IS(arrive(&f, &l, 0, RUN_FENCE_ALL, "A", &done), 0);
	T_IS(arrive(&f, &l, 0, 4, "a", &done), 1);
	T_TRUE(!done->host[1].member);
	data_is(done, "ac");
	T_IS(arrive(&f, &l, 1, RUN_FENCE_ALL, "B", &done), 1);
	data_is(done, "ABC");
	T_TRUE(!run_fence_waits_for(&f, 1));
	/* the same fence again */
	T_IS(arrive(&f, &l, 0, 4, "x", &done), 0);
	T_IS(arrive(&f, &l, 2, 4, "", &done), 1);
	data_is(done, "x");
	run_layout_free(&l);
}

/* The signature of one fence may be the beginning of another's. */
static void fences_are_found_by_their_whole_signature(void **state)
{
	struct run_layout l = three_hosts();
	struct run_fence *done = NULL;
	struct run_fences f = { 0 };
	struct run_bytes sig = { 0 }, body = { 0 };
	struct run_scan s;

	T_OK(arrive(&f, &l, 0, 3, "long", &done));
	run_bytes_u32(&sig, 0);
	run_bytes_block(&body, sig.data, sig.len);
	run_bytes_text(&body, "short");
	s = scan_of(&body);
	T_IS(run_fence_arrive(&f, &l, 0, &s, &done), 1);
	run_fence_free(done);
	T_IS(arrive(&f, &l, 2, 3, "long", &done), 1);
	run_fence_free(done);
	run_bytes_free(&sig);
	run_bytes_free(&body);
	run_layout_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(frames_arrive_in_pieces),
		T_CASE(invalid_frames_are_refused),
		T_CASE(a_full_pipe_does_not_block),
		T_CASE(ranks_are_distributed_in_blocks),
		T_CASE(a_job_is_read_as_written),
		T_CASE(layouts_have_ranks_on_every_host),
		T_CASE(changed_jobs_are_refused_or_read),
		T_CASE(fences_are_found_by_their_whole_signature),
		T_CASE(fences_complete_with_the_last_host),
	};

	return T_RUN(tests);
}
