/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of fences and requests for data between three hosts, valid and
 * changed: what mpiexec sends to the hosts is valid in all cases. Streams of
 * changed frames are read or refused.
 */
#include "src/tools/run/daemon/run_exchange.h"

#include "test/support/fuzz.h"
#include "test/t.h"

#include <pmix_common.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HOSTS = 3, RANKS = 5, FRAMES = 7, ROOM = 12, CHANGES = 12 };

/*
 * Three hosts with ranks 0 and 1, rank 2, and ranks 3 and 4; and the daemons'
 * ends of their channels.
 */
static struct run_layout layout;
static struct run_link host[HOSTS];
static struct run_channel end[HOSTS];
static struct run_exchange x;
/* frames that each host has sent and received, by kind */
static int sent[HOSTS][RUN_FRAME_KINDS], got[HOSTS][RUN_FRAME_KINDS];
static struct fuzz fuzz;
static bool fuzzed; /* numbers and lengths of frames are changed */

static void job_open(void)
{
	struct run_hosts h = { 0 };

	T_OK(run_hosts_list("-host", "a:2,b:1,c:2", &h));
	T_OK(run_layout_make(&h, 0, RANKS, &layout));
	run_hosts_free(&h);
	memset(host, 0, sizeof(host));
	memset(sent, 0, sizeof(sent));
	memset(got, 0, sizeof(got));
	for (int i = 0; i < HOSTS; i++) {
		int fd[2];

		T_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
		run_channel_open(&host[i].channel, fd[0], fd[0]);
		run_channel_open(&end[i], fd[1], fd[1]);
		host[i].state = RUN_LINK_RUNNING;
	}
	x = (struct run_exchange){ .layout = &layout, .host = host };
}

static void job_close(void)
{
	run_exchange_close(&x);
	for (int i = 0; i < HOSTS; i++) {
		run_channel_close(&host[i].channel);
		run_channel_close(&end[i]);
	}
	run_layout_free(&layout);
}

/* ---- what the hosts send ------------------------------------------------- */

static void put_u32(struct run_bytes *b, uint32_t value)
{
	if (fuzzed && fuzz_chance(&fuzz, CHANGES))
		value = (uint32_t)fuzz_number(&fuzz, value, 4);
	run_bytes_u32(b, value);
}

static void put_block(struct run_bytes *b, const void *data, size_t len)
{
	put_u32(b, (uint32_t)len);
	run_bytes_add(b, data, len);
}

static enum run_frame_kind put_fence(struct run_bytes *b, bool all,
				     const char *data)
{
	struct run_bytes sig = { 0 };

	put_u32(&sig, all ? RUN_FENCE_ALL : 0);
	if (!all)
		put_u32(&sig, 4);
	put_block(b, sig.data, sig.len);
	put_block(b, data, strlen(data));
	run_bytes_free(&sig);
	return RUN_FRAME_FENCE;
}

/* Writes frame i of the exchange, and the host that sends it. */
static enum run_frame_kind put_frame(int i, struct run_bytes *b, int *from_p)
{
	static const int from[FRAMES] = { 0, 1, 0, 2, 2, 0, 2 };

	*from_p = from[i];
	switch (i) {
	case 0:
		return put_fence(b, true, "A");
	case 1:
		return put_fence(b, true, "B");
	case 2:
		put_u32(b, 7); /* id */
		put_u32(b, 4); /* rank */
		return RUN_FRAME_MODEX;
	case 3:
		put_u32(b, 0); /* host */
		put_u32(b, 7); /* id */
		put_u32(b, PMIX_SUCCESS);
		put_block(b, "data", 4);
		return RUN_FRAME_MODEX_DONE;
	case 4:
		return put_fence(b, true, "C");
	case 5:
		return put_fence(b, false, "a");
	default:
		return put_fence(b, false, "c");
	}
}

/* mpiexec handles a frame as it does in src/tools/run/daemon/run_launch.c. */
static int handle(enum run_frame_kind kind, int from, struct run_scan *s)
{
	switch (kind) {
	case RUN_FRAME_FENCE:
		return run_exchange_fence(&x, from, s);
	case RUN_FRAME_MODEX:
		return run_exchange_question(&x, from, s);
	default:
		return run_exchange_answer(&x, s);
	}
}

static int send_frame(int i)
{
	struct run_bytes b = { 0 };
	struct run_scan s;
	int from, rc;
	enum run_frame_kind kind = put_frame(i, &b, &from);
	char *exact;
	size_t n = b.len;

	if (fuzzed && fuzz_chance(&fuzz, CHANGES))
		n = fuzz_message(&fuzz, b.data, b.len, b.cap, NULL, 0);
	/* exact size: AddressSanitizer detects reads beyond the end */
	exact = malloc(n + !n);
	T_NOT_NULL(exact);
	memcpy(exact, b.data, n);
	run_bytes_free(&b);
	s = (struct run_scan){ .at = exact, .left = n };
	rc = host[from].state == RUN_LINK_RUNNING ? handle(kind, from, &s) : 0;
	free(exact);
	sent[from][kind]++;
	if (rc >= 0)
		return rc;
	/* the host is lost */
	T_IS(rc, -EPROTO);
	run_channel_close(&host[from].channel);
	host[from].state = RUN_LINK_LOST;
	return rc;
}

/* ---- what the hosts receive ---------------------------------------------- */

static void check_fence(struct run_scan *s, const char *want)
{
	size_t len;
	const char *data;

	run_scan_block(s, &len);
	T_TRUE(len > 0 && len % 4 == 0);
	T_IS(run_scan_u32(s), PMIX_SUCCESS);
	data = run_scan_block(s, &len);
	T_FALSE(s->bad);
	T_IS(s->left, 0);
	if (!want)
		return;
	T_IS(len, strlen(want));
	T_MEM(data, want, len);
}

static void check_question(struct run_scan *s, int to)
{
	uint32_t from = run_scan_u32(s), rank;

	run_scan_u32(s);
	rank = run_scan_u32(s);
	T_FALSE(s->bad);
	T_IS(s->left, 0);
	T_TRUE(from < HOSTS && rank < RANKS);
	T_IS(run_layout_host_of(&layout, (int)rank), to);
}

/* Reads the frames of all hosts. want: data of the next fence, if known. */
static void receive(const char *want)
{
	struct run_frame f;

	for (int i = 0; i < HOSTS; i++) {
		/* the end of file, after a loss, is no error here */
		run_channel_fill(&end[i]);
		while (run_channel_next(&end[i], &f) == 1) {
			got[i][f.kind]++;
			if (f.kind == RUN_FRAME_FENCE_DONE)
				check_fence(&f.body, want);
			else if (f.kind == RUN_FRAME_MODEX)
				check_question(&f.body, i);
			else
				T_IS(f.kind, RUN_FRAME_MODEX_DONE);
		}
		T_IS(end[i].rx.len, end[i].taken);
	}
}

/* ---- cases --------------------------------------------------------------- */

static void frames_reach_the_hosts_of_their_ranks(void **state)
{
	fuzzed = false;
	job_open();
	T_OK(send_frame(0));
	T_OK(send_frame(1));
	receive(NULL);
	T_IS(got[0][RUN_FRAME_FENCE_DONE], 0);
	T_OK(send_frame(2));
	receive(NULL);
	T_IS(got[2][RUN_FRAME_MODEX], 1);
	T_OK(send_frame(3));
	receive(NULL);
	T_IS(got[0][RUN_FRAME_MODEX_DONE], 1);
	T_IS(send_frame(4), 1);
	receive("ABC");
	for (int i = 0; i < HOSTS; i++)
		T_IS(got[i][RUN_FRAME_FENCE_DONE], 1);
	T_OK(send_frame(5));
	T_IS(send_frame(6), 1);
	receive("ac");
	T_IS(got[0][RUN_FRAME_FENCE_DONE], 2);
	T_IS(got[1][RUN_FRAME_FENCE_DONE], 1);
	T_IS(got[2][RUN_FRAME_FENCE_DONE], 2);
	T_NULL(x.fences.list);
	job_close();
}

/*
 * A host that has left the job cannot answer, so mpiexec refuses the request
 * itself.
 */
static void questions_for_a_host_that_has_left_are_refused(void **state)
{
	static const enum run_link_state left[] = { RUN_LINK_DONE,
						    RUN_LINK_LOST };
	struct run_frame f;

	fuzzed = false;
	for (size_t i = 0; i < 2; i++) {
		job_open();
		host[2].state = left[i];
		T_OK(send_frame(2));
		T_OK(run_channel_fill(&end[0]));
		T_IS(run_channel_next(&end[0], &f), 1);
		T_IS(f.kind, RUN_FRAME_MODEX_DONE);
		T_IS(run_scan_u32(&f.body), 7);
		T_IS((int)run_scan_u32(&f.body), PMIX_ERR_NOT_FOUND);
		T_IS(run_scan_u32(&f.body), 0);
		T_FALSE(f.body.bad);
		T_OK(run_channel_fill(&end[2]));
		T_OK(run_channel_next(&end[2], &f));
		job_close();
	}
}

static int refused_ranks(uint32_t rank, uint32_t to)
{
	struct run_bytes b = { 0 };
	struct run_scan s;
	int rc;

	run_bytes_u32(&b, 1);
	run_bytes_u32(&b, rank);
	s = (struct run_scan){ .at = b.data, .left = b.len };
	rc = run_exchange_question(&x, 0, &s) == -EPROTO;
	run_bytes_free(&b);
	run_bytes_u32(&b, to);
	s = (struct run_scan){ .at = b.data, .left = b.len };
	rc += run_exchange_answer(&x, &s) == -EPROTO;
	s.left = 3;
	T_IS(run_exchange_answer(&x, &s), -EPROTO);
	run_bytes_free(&b);
	return rc;
}

static void ranks_and_hosts_outside_the_job_are_refused(void **state)
{
	job_open();
	T_IS(refused_ranks(RANKS - 1, HOSTS - 1), 0);
	T_IS(refused_ranks(RANKS, HOSTS), 2);
	T_IS(refused_ranks(UINT32_MAX, UINT32_MAX), 2);
	T_IS(refused_ranks(1u << 31, 1u << 31), 2);
	job_close();
}

static void changed_exchanges_send_valid_frames(void **state)
{
	int rounds = fuzz_rounds(2000), lost = 0, complete = 0;

	fuzz_init(&fuzz, 40);
	fuzzed = true;
	for (int r = 0; r < rounds; r++) {
		int order[ROOM], n = FRAMES, bad = 0;

		for (int i = 0; i < FRAMES; i++)
			order[i] = i;
		if (fuzz_chance(&fuzz, 2))
			n = fuzz_order(&fuzz, order, n, ROOM);
		job_open();
		for (int i = 0; i < n; i++) {
			bad += send_frame(order[i]) < 0;
			receive(NULL);
		}
		for (int i = 0; i < HOSTS; i++)
			T_TRUE(got[i][RUN_FRAME_FENCE_DONE] <=
			       sent[i][RUN_FRAME_FENCE]);
		lost += bad > 0;
		complete += got[0][RUN_FRAME_FENCE_DONE] == 2;
		job_close();
	}
	T_TRUE(lost > rounds / 10 && complete > rounds / 10);
}

/* ---- streams ------------------------------------------------------------- */

/* Writes frames of several lengths; returns their number. */
static int put_stream(struct run_bytes *b)
{
	static const char data[3000];
	static const size_t len[] = { 0, 1, 8, 3000, 4 };

	for (size_t i = 0; i < 5; i++) {
		put_u32(b, (uint32_t)(1 + (i * 3) % (RUN_FRAME_KINDS - 1)));
		put_block(b, data, len[i]);
	}
	return 5;
}

/*
 * Reads a stream that arrives in two pieces. Returns the number of frames, or
 * -EPROTO.
 */
static int read_stream(const struct run_bytes *b, size_t first)
{
	struct run_channel c;
	struct run_frame f;
	size_t used = 0;
	int fd[2], n = 0, rc = 1;

	T_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	run_channel_open(&c, fd[0], fd[0]);
	for (int i = 0; i < 2 && rc >= 0; i++) {
		const char *at = b->data + (i ? first : 0);
		size_t len = i ? b->len - first : first;

		T_IS(write(fd[1], at, len), (ssize_t)len);
		T_OK(run_channel_fill(&c));
		while ((rc = run_channel_next(&c, &f)) > 0) {
			T_TRUE(f.kind > 0 && f.kind < RUN_FRAME_KINDS);
			used += 8 + f.body.left;
			T_TRUE(used <= b->len);
			/* the body is the last part of the frame */
			T_PTR(f.body.at + f.body.left, c.rx.data + c.taken);
			n++;
		}
	}
	run_channel_close(&c);
	close(fd[1]);
	return rc < 0 ? rc : n;
}

static void changed_streams_are_read_or_refused(void **state)
{
	int rounds = fuzz_rounds(2000), whole = 0, refused = 0;

	fuzz_init(&fuzz, 41);
	for (int r = 0; r < rounds; r++) {
		struct run_bytes b = { 0 };
		int n, rc;

		fuzzed = r % 4;
		n = put_stream(&b);
		rc = read_stream(&b, weft_rng_below(&fuzz.rng, b.len));
		if (!fuzzed)
			T_IS(rc, n);
		else
			T_TRUE(rc == -EPROTO || (rc >= 0 && rc <= 400));
		whole += rc == n;
		refused += rc == -EPROTO;
		run_bytes_free(&b);
	}
	T_TRUE(whole > rounds / 4 && refused > rounds / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(frames_reach_the_hosts_of_their_ranks),
		T_CASE(questions_for_a_host_that_has_left_are_refused),
		T_CASE(ranks_and_hosts_outside_the_job_are_refused),
		T_CASE(changed_exchanges_send_valid_frames),
		T_CASE(changed_streams_are_read_or_refused),
	};

	return T_RUN(tests);
}
