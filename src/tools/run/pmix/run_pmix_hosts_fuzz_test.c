/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that the PMIx server of a host receives, valid and changed. Each
 * fence and each request for data completes once, with the data of a valid
 * frame.
 */
#include "src/tools/run/pmix/run_pmix_hosts.h"

#include "test/support/fuzz.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * This host has ranks 0 and 1; the other hosts have rank 2, and ranks 3 and 4.
 */
enum { RANKS = 5, SELF = 0, OWN = 2 /* ranks of this host */, CHANGES = 6 };

#define NSPACE "job"

static struct run_layout layout;
static struct run_channel end; /* the daemon's end */
static struct fuzz fuzz;
static bool fuzzed;
static int asked; /* requests for the data of this host's rank */
/* number of reported exits, and the rank of the last one */
static int exits, exited;

/* A pending operation of this host. */
struct op {
	int done;
	pmix_status_t status;
	size_t len;
	char data[64];
};

static struct op fence, modex;

static void on_done(pmix_status_t status, const char *data, size_t len,
		    void *arg, pmix_release_cbfunc_t release, void *release_arg)
{
	struct op *op = arg;

	op->done++;
	op->status = status;
	op->len = len;
	memcpy(op->data, data, len < sizeof(op->data) ? len : sizeof(op->data));
	release(release_arg);
}

/* Replaces the function of libpmix. */
pmix_status_t PMIx_server_dmodex_request(const pmix_proc_t *proc,
					 pmix_dmodex_response_fn_t fn,
					 void *arg)
{
	char data[] = "own";

	asked++;
	T_TRUE(proc->rank < OWN);
	T_STR(proc->nspace, NSPACE);
	fn(PMIX_SUCCESS, data, 3, arg);
	return PMIX_SUCCESS;
}

static void on_exit_of(void *arg, int rank, int code)
{
	exits++;
	exited = rank;
	T_TRUE(rank >= OWN && rank < RANKS);
}

static void connection_open(void)
{
	struct run_hosts h = { 0 };
	int fd[2];

	T_OK(run_hosts_list("-host", "a:2,b:1,c:2", &h));
	T_OK(run_layout_make(&h, 0, RANKS, &layout));
	run_hosts_free(&h);
	T_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	run_pmix_hosts_open(fd[0], &layout, SELF, NSPACE);
	run_pmix_hosts_on_exit(on_exit_of, NULL);
	run_channel_open(&end, fd[1], fd[1]);
}

/* ---- frames of mpiexec --------------------------------------------------- */

static void put_u32(struct run_bytes *b, uint32_t value)
{
	if (fuzzed && fuzz_chance(&fuzz, CHANGES))
		value = (uint32_t)fuzz_number(&fuzz, value, 4);
	run_bytes_u32(b, value);
}

static void put_block(struct run_bytes *b, const char *data, size_t len)
{
	put_u32(b, (uint32_t)len);
	run_bytes_add(b, data, len);
}

/* Delivers a frame. Returns what run_pmix_hosts_read() returns. */
static int deliver(enum run_frame_kind kind, struct run_bytes *b)
{
	size_t n = b->len;

	if (fuzzed && fuzz_chance(&fuzz, CHANGES))
		n = fuzz_message(&fuzz, b->data, b->len, b->cap, NULL, 0);
	run_channel_put(&end, kind, b->data, n);
	run_bytes_free(b);
	return run_pmix_hosts_read();
}

static int deliver_fence(const char *data)
{
	struct run_bytes sig = { 0 }, b = { 0 };

	put_u32(&sig, RUN_FENCE_ALL);
	put_block(&b, sig.data, sig.len);
	put_u32(&b, PMIX_SUCCESS);
	put_block(&b, data, strlen(data));
	run_bytes_free(&sig);
	return deliver(RUN_FRAME_FENCE_DONE, &b);
}

static int deliver_data(uint32_t id, const char *data)
{
	struct run_bytes b = { 0 };

	put_u32(&b, id);
	put_u32(&b, PMIX_SUCCESS);
	put_block(&b, data, strlen(data));
	return deliver(RUN_FRAME_MODEX_DONE, &b);
}

static int deliver_question(void)
{
	struct run_bytes b = { 0 };

	put_u32(&b, 2); /* host */
	put_u32(&b, 9); /* id */
	put_u32(&b, 1); /* rank */
	return deliver(RUN_FRAME_MODEX, &b);
}

static int deliver_exit(uint32_t rank)
{
	struct run_bytes b = { 0 };

	put_u32(&b, rank);
	put_u32(&b, 0);
	return deliver(RUN_FRAME_RANK_EXIT, &b);
}

/* ---- frames of this host ------------------------------------------------- */

static struct run_scan next_frame(enum run_frame_kind kind)
{
	struct run_frame f;

	T_OK(run_channel_fill(&end));
	T_IS(run_channel_next(&end, &f), 1);
	T_IS(f.kind, kind);
	return f.body;
}

static void start_fence(void)
{
	pmix_proc_t all;
	struct run_scan s;
	size_t len;
	char *data = strdup("B");

	PMIX_LOAD_PROCID(&all, NSPACE, PMIX_RANK_WILDCARD);
	fence = (struct op){ 0 };
	T_IS(run_pmix_hosts_fence(&all, 1, data, 1, on_done, &fence),
	     PMIX_SUCCESS);
	s = next_frame(RUN_FRAME_FENCE);
	T_NOT_NULL(run_scan_block(&s, &len));
	T_IS(len, 4);
	T_MEM(run_scan_block(&s, &len), "B", 1);
	T_IS(len, 1);
	T_IS(s.left, 0);
}

/*
 * Requests the data of rank 4, which is on another host. Returns the id of the
 * request.
 */
static uint32_t start_modex(void)
{
	pmix_proc_t proc;
	struct run_scan s;
	uint32_t id;

	PMIX_LOAD_PROCID(&proc, NSPACE, 4);
	modex = (struct op){ 0 };
	T_IS(run_pmix_hosts_modex(&proc, on_done, &modex), PMIX_SUCCESS);
	s = next_frame(RUN_FRAME_MODEX);
	id = run_scan_u32(&s);
	T_IS(run_scan_u32(&s), 4);
	T_FALSE(s.bad);
	return id;
}

/*
 * Checks that `want` answers to requests for this host's data have been sent.
 */
static void check_answers(int want)
{
	struct run_frame f;
	size_t len;
	int n = 0;

	T_OK(run_channel_fill(&end));
	while (run_channel_next(&end, &f) == 1) {
		T_IS(f.kind, RUN_FRAME_MODEX_DONE);
		run_scan_u32(&f.body);
		run_scan_u32(&f.body);
		T_IS(run_scan_u32(&f.body), PMIX_SUCCESS);
		T_MEM(run_scan_block(&f.body, &len), "own", 3);
		T_IS(len, 3);
		n++;
	}
	T_IS(n, want);
}

static void op_is(const struct op *op, const char *data)
{
	T_IS(op->done, 1);
	T_IS(op->status, PMIX_SUCCESS);
	T_IS(op->len, strlen(data));
	T_MEM(op->data, data, op->len);
}

/* ---- cases --------------------------------------------------------------- */

static void operations_complete_with_the_data_of_their_frames(void **state)
{
	uint32_t id;

	fuzzed = false;
	start_fence();
	id = start_modex();
	asked = exits = 0;
	T_OK(deliver_data(id, "data"));
	op_is(&modex, "data");
	T_IS(fence.done, 0);
	T_OK(deliver_fence("ABC"));
	op_is(&fence, "ABC");
	T_OK(deliver_question());
	T_IS(asked, 1);
	check_answers(1);
	T_OK(deliver_exit(3));
	T_IS(exits, 1);
	T_IS(exited, 3);
	/* each operation completes only once */
	T_IS(deliver_fence("ABC"), -EPROTO);
	T_IS(deliver_data(id, "data"), -EPROTO);
	/*
	 * exits of ranks of this host and of ranks outside the job are refused
	 */
	T_IS(deliver_exit(OWN - 1), -EPROTO);
	T_IS(deliver_exit(RANKS), -EPROTO);
	T_IS(exits, 1);
}

/* A frame that is truncated does not complete an operation. */
static void truncated_frames_leave_the_operation_pending(void **state)
{
	struct run_bytes b = { 0 };
	uint32_t id;

	fuzzed = false;
	id = start_modex();
	run_bytes_u32(&b, id);
	run_bytes_u32(&b, PMIX_SUCCESS);
	run_bytes_u32(&b, 5);
	run_bytes_add(&b, "data", 4);
	T_IS(deliver(RUN_FRAME_MODEX_DONE, &b), -EPROTO);
	T_IS(modex.done, 0);
	/* a request for data that names no rank */
	run_bytes_u32(&b, 2);
	run_bytes_u32(&b, 9);
	asked = 0;
	T_IS(deliver(RUN_FRAME_MODEX, &b), -EPROTO);
	T_IS(asked, 0);
	T_OK(deliver_data(id, "data"));
	op_is(&modex, "data");
}

static void changed_frames_complete_operations_once(void **state)
{
	int rounds = fuzz_rounds(3000), good = 0, bad = 0;

	fuzz_init(&fuzz, 42);
	for (int i = 0; i < rounds; i++) {
		uint32_t id;
		int rc[4];

		start_fence();
		id = start_modex();
		asked = 0;
		fuzzed = true;
		rc[0] = deliver_fence("ABC");
		rc[1] = deliver_data(id, "data");
		rc[2] = deliver_question();
		rc[3] = deliver_exit(3);
		fuzzed = false;
		for (int k = 0; k < 4; k++) {
			T_TRUE(!rc[k] || rc[k] == -EPROTO);
			good += !rc[k];
			bad += rc[k] == -EPROTO;
		}
		T_IS(fence.done, !rc[0]);
		T_IS(modex.done, !rc[1]);
		if (rc[0])
			T_OK(deliver_fence("ABC"));
		if (rc[1])
			T_OK(deliver_data(id, "data"));
		T_IS(fence.done, 1);
		T_IS(modex.done, 1);
		check_answers(asked);
	}
	T_TRUE(good > rounds && bad > rounds / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(operations_complete_with_the_data_of_their_frames),
		T_CASE(truncated_frames_leave_the_operation_pending),
		T_CASE(changed_frames_complete_operations_once),
	};
	int rc;

	connection_open();
	rc = T_RUN(tests);
	run_channel_close(&end);
	run_layout_free(&layout);
	return rc;
}
