/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Malformed messages of one-sided communication: each is refused, or changes
 * only memory of the window.
 */
#include "src/win/win_serve.h"

#include "src/boot/boot_abort.h"
#include "src/core/core_state.h"
#include "src/msg/msg_progress.h"
#include "src/offload/offload_device.h"
#include "src/win/win_attach.h"
#include "test/support/fuzz.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, GUARD = 64, SIZE = 5, ORIGIN = 1 };

struct weft_core weft_core;
bool weft_threads;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;

static struct weft_win_peer peer[SIZE];
static struct weft_win w;
/* message as the receive buffer holds it: header, runs, arrays */
static _Alignas(16) char message[WIN_AM_BYTES];
static struct win_am answer; /* last message sent */
static char answer_data[WIN_AM_ARRAY];
static size_t answer_bytes;
static int answers, grants[SIZE];
static int done, done_error; /* completed pieces, and the last error */

/* ---- functions of the library that the messages call --------------------- */

int win_am_send(struct weft_win *win, int rank, const struct win_am *head,
		const struct iovec *part, int n, struct win_op *op)
{
	if (head->type == WIN_AM_GRANT) {
		grants[rank]++;
		return 0;
	}
	T_IS(rank, ORIGIN);
	answers++;
	answer = *head;
	answer_bytes = n ? part->iov_len : 0;
	if (answer_bytes)
		memcpy(answer_data, part->iov_base, answer_bytes);
	return 0;
}

void win_op_piece_done(struct win_op *op, int err)
{
	op->left--;
	done++;
	done_error = err;
}

void weft_progress_notify(void)
{
}

void weft_core_abort(int code, const char *fmt, ...)
{
	fail_msg("aborted: %s", fmt);
	abort();
}

/*
 * Attachments of a dynamic window: the first half of the memory is on a
 * device, and is freed if `freed`; the other half is host memory.
 */
static bool freed;
static int packs, unpacks;

bool win_attach_has(const struct weft_win *win, uint64_t start, uint64_t bytes)
{
	return start - (uintptr_t)win->base <= BYTES &&
	       bytes <= BYTES - (start - (uintptr_t)win->base);
}

uint64_t win_attach_part(const struct weft_win *win, uint64_t start,
			 uint64_t bytes, bool *device_p)
{
	uint64_t from = start - (uintptr_t)win->base, end;

	*device_p = from < BYTES / 2;
	end = *device_p ? BYTES / 2 : BYTES;
	return bytes < end - from ? bytes : end - from;
}

bool weft_device_owns_slow(const void *at)
{
	return !freed && (uintptr_t)at - (uintptr_t)w.base < BYTES / 2;
}

int weft_device_pack(const struct weft_typed *from, size_t at, void *to,
		     size_t bytes)
{
	packs++;
	memcpy(to, from->buf, bytes);
	return 0;
}

int weft_device_unpack(const struct weft_typed *to, size_t at, const void *from,
		       size_t bytes)
{
	unpacks++;
	memcpy(to->buf, from, bytes);
	return 0;
}

int weft_device_copy(const struct weft_typed *to, const struct weft_typed *from)
{
	return 0;
}

/* ---- a valid request ----------------------------------------------------- */

static void window_open(void)
{
	memset(&w, 0, sizeof(w));
	memset(peer, 0, sizeof(peer));
	w.peer = peer;
	w.size = SIZE;
	w.bytes = BYTES;
	/* the sanitizer finds accesses beyond the block */
	w.base = malloc(BYTES);
	T_NOT_NULL(w.base);
	memset(w.base, 0, BYTES);
	weft_list_init(&w.lock_waiters);
	weft_list_init(&w.parts);
	weft_list_init(&w.attached);
	memset(grants, 0, sizeof(grants));
	answers = done = 0;
}

static void window_close(void)
{
	free(w.base);
}

struct request {
	MPI_Datatype unit;
	MPI_Op op;
	uint32_t flags;
};

/* Writes a request for two runs of two elements each. Returns its length. */
static size_t request_make(const struct request *r)
{
	const struct weft_dt *dt = weft_dt_of(r->unit);
	size_t row = 4 * (size_t)dt->extent, n = sizeof(struct win_am);
	const struct win_am head = { .type = WIN_AM_ACCESS,
				     .id = 9,
				     .unit = (uint32_t)(uintptr_t)r->unit,
				     .op = (uint32_t)(uintptr_t)r->op,
				     .flags = r->flags,
				     .runs = 2,
				     .count = 4 };
	const struct win_am_run run[2] = { { 64, 2 }, { BYTES - 64, 2 } };

	memcpy(message, &head, sizeof(head));
	memcpy(message + n, run, sizeof(run));
	n += sizeof(run);
	memset(message + n, 1, 2 * row);
	n += r->flags & WIN_AM_INPUT ? row : 0;
	return n + (r->flags & WIN_AM_COMPARE ? row : 0);
}

static void serve(size_t n)
{
	struct win_am head;

	if (n < sizeof(head))
		return;
	memcpy(&head, message, sizeof(head));
	win_serve(&w, ORIGIN, &head, message + sizeof(head), n - sizeof(head));
}

static int served(size_t n)
{
	answers = 0;
	serve(n);
	T_IS(answers, 1);
	T_IS(answer.type, WIN_AM_ANSWER);
	return answer.error;
}

static struct fi_weft_mem mem_ops;

/*
 * Opens a dynamic window with two attachments, one in device memory and one in
 * host memory.
 */
static char *dynamic_open(void)
{
	window_open();
	w.dynamic = true;
	w.rank = ORIGIN;
	weft_core.device = &mem_ops;
	weft_store32(&w.devices, 1);
	freed = false;
	packs = unpacks = 0;
	return w.base;
}

static void dynamic_close(void)
{
	weft_core.device = NULL;
	window_close();
}

/* ---- cases --------------------------------------------------------------- */

static const struct request sum = { MPI_INT64_T, MPI_SUM,
				    WIN_AM_INPUT | WIN_AM_FETCH };

static void requests_change_the_runs_and_return_old_elements(void **state)
{
	uint64_t *at;

	window_open();
	at = (uint64_t *)w.base;
	at[8] = 5;
	T_OK(served(request_make(&sum)));
	T_IS(answer_bytes, 32);
	T_IS(at[8], 5 + UINT64_C(0x0101010101010101));
	T_IS(at[BYTES / 8 - 8], UINT64_C(0x0101010101010101));
	T_IS(*(uint64_t *)(void *)answer_data, 5);
	window_close();
}

/* Handles beyond the predefined range are addresses in the sender's process. */
static void handles_of_other_objects_are_refused(void **state)
{
	size_t n;
	struct win_am *head = (struct win_am *)(void *)message;

	window_open();
	n = request_make(&sum);
	head->unit = 0x10000;
	T_IS(served(n), -EBADMSG);
	n = request_make(&sum);
	head->op = 0x10000;
	T_IS(served(n), -EBADMSG);
	head->op = (uint32_t)(uintptr_t)MPI_OP_NULL;
	T_IS(served(n), -EBADMSG);
	window_close();
}

/* Old elements of an earlier access are not returned to another origin. */
static void refused_requests_return_no_data(void **state)
{
	struct win_am *head = (struct win_am *)(void *)message;
	struct win_am_run *run;
	size_t n;

	window_open();
	T_OK(served(request_make(&sum)));
	n = request_make(&sum);
	run = (struct win_am_run *)(void *)(message + sizeof(*head));
	run[1].count = 1;
	T_IS(served(n), -EBADMSG);
	T_IS(answer_bytes, 0);
	run[1].count = 3;
	T_IS(served(n), -ERANGE);
	T_IS(answer_bytes, 0);
	run[1] = (struct win_am_run){ BYTES - 8, 2 };
	T_IS(served(n), -ERANGE);
	run[1] = (struct win_am_run){ UINT64_MAX - 7, 2 };
	T_IS(served(n), -ERANGE);
	run[1] = (struct win_am_run){ BYTES - 16, 2 };
	T_OK(served(n));
	T_IS(answer_bytes, 32);
	window_close();
}

static void changed_requests_stay_in_the_window(void **state)
{
	static const struct fuzz_field fields[] = {
		FUZZ_FIELD(struct win_am, type, 0),
		FUZZ_FIELD(struct win_am, unit, 0),
		FUZZ_FIELD(struct win_am, op, 0),
		FUZZ_FIELD(struct win_am, flags, 0),
		FUZZ_FIELD(struct win_am, runs, 0),
		FUZZ_FIELD(struct win_am, count, 0),
		FUZZ_FIELD(struct win_am_run, location, sizeof(struct win_am)),
		FUZZ_FIELD(struct win_am_run, count, sizeof(struct win_am)),
		FUZZ_FIELD(struct win_am_run, location,
			   sizeof(struct win_am) + sizeof(struct win_am_run)),
		FUZZ_FIELD(struct win_am_run, count,
			   sizeof(struct win_am) + sizeof(struct win_am_run)),
	};
	static const struct request valid[] = {
		{ MPI_INT64_T, MPI_SUM, WIN_AM_INPUT | WIN_AM_FETCH },
		{ MPI_BYTE, MPI_REPLACE, WIN_AM_INPUT | WIN_AM_PLAIN },
		{ MPI_BYTE, MPI_NO_OP, WIN_AM_FETCH | WIN_AM_PLAIN },
		{ MPI_INT, MPI_OP_NULL,
		  WIN_AM_INPUT | WIN_AM_COMPARE | WIN_AM_FETCH },
		{ MPI_DOUBLE_INT, MPI_MAXLOC, WIN_AM_INPUT },
		{ MPI_SHORT, MPI_PROD, WIN_AM_INPUT | WIN_AM_FETCH },
	};
	int good = 0, bad = 0, rounds = fuzz_rounds(20000);
	struct fuzz f;

	fuzz_init(&f, 35);
	window_open();
	for (int i = 0; i < rounds; i++) {
		size_t n = request_make(&valid[i % 6]);

		n = fuzz_message(&f, message, n, sizeof(message), fields,
				 sizeof(fields) / sizeof(fields[0]));
		answers = 0;
		serve(n);
		good += answers && !answer.error;
		bad += answers && answer.error;
		if (answers && answer.error)
			T_IS(answer_bytes, 0);
	}
	T_TRUE(good > rounds / 20 && bad > rounds / 20);
	/* the changed messages may have requested locks: release all */
	while (w.exclusive || w.shared)
		win_serve_unlock(&w, ORIGIN);
	T_TRUE(weft_list_empty(&w.lock_waiters));
	window_close();
}

/* One run of elements, part of which is in the memory of the device. */
static void runs_are_split_between_kinds_of_memory(void **state)
{
	const struct request add = { MPI_INT64_T, MPI_SUM, WIN_AM_INPUT };
	char *base = dynamic_open();
	struct win_am *head = (struct win_am *)(void *)message;
	struct win_am_run *run =
		(struct win_am_run *)(void *)(message + sizeof(*head));
	uint64_t *half = (uint64_t *)(void *)(base + BYTES / 2);
	size_t n = request_make(&add);

	run[0] = (struct win_am_run){ (uintptr_t)(half - 1), 2 };
	run[1] = (struct win_am_run){ (uintptr_t)(half - 3), 2 };
	half[0] = 1;
	half[-3] = 2;
	T_OK(served(n));
	T_IS(packs, 2);
	T_IS(unpacks, 2);
	T_IS(half[0], 1 + UINT64_C(0x0101010101010101));
	T_IS(half[-1], UINT64_C(0x0101010101010101));
	T_IS(half[-2], UINT64_C(0x0101010101010101));
	T_IS(half[-3], 2 + UINT64_C(0x0101010101010101));
	/* an element in memory of both kinds */
	run[0].location += 4;
	T_IS(served(n), -ERANGE);
	run[0].location = (uintptr_t)half;
	T_OK(served(n));
	freed = true;
	T_IS(served(n), -ERANGE);
	run[1].location = (uintptr_t)base + BYTES - 8;
	T_IS(served(n), -ERANGE);
	dynamic_close();
}

static struct win_op op;

static void respond_with(uint32_t id, int32_t error, size_t bytes)
{
	const struct win_am head = { .type = WIN_AM_ANSWER,
				     .id = id,
				     .error = error };

	memset(message, 7, sizeof(message));
	win_serve(&w, ORIGIN, &head, message, bytes);
}

static void responses_have_the_expected_length(void **state)
{
	static const size_t wrong[] = { 0, 15, 17, WIN_AM_ARRAY };
	char old[16 + GUARD], zero[sizeof(old)] = { 0 };
	uint32_t id;

	window_open();
	memset(old, 0, sizeof(old));
	op = (struct win_op){ .w = &w };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		T_OK(win_serve_expect(&op, ORIGIN, old, 16, &id));
		/* a response to a request that does not exist */
		respond_with(id + 1, 0, 16);
		T_IS(done, (int)i);
		respond_with(id, 0, wrong[i]);
		T_IS(done, (int)i + 1);
		T_IS(done_error, -EBADMSG);
		T_MEM(old, zero, sizeof(old));
	}
	T_OK(win_serve_expect(&op, ORIGIN, old, 16, &id));
	respond_with(id, 5, 0); /* an error that is not negative */
	T_IS(done_error, -EBADMSG);
	T_OK(win_serve_expect(&op, ORIGIN, old, 16, &id));
	respond_with(id, 0, 16);
	T_OK(done_error);
	T_IS(old[15], 7);
	T_MEM(old + 16, zero, GUARD);
	respond_with(id, 0, 16); /* a second response to the same request */
	T_IS(done, 6);
	T_IS(op.left, 0);
	window_close();
}

/* Responses find their requests after the identifiers have wrapped. */
static void request_numbers_wrap(void **state)
{
	uint32_t id[4];

	window_open();
	w.part_ids = UINT32_MAX - 2;
	op = (struct win_op){ .w = &w };
	for (int i = 0; i < 4; i++)
		T_OK(win_serve_expect(&op, ORIGIN, NULL, 0, &id[i]));
	T_IS(id[3], 1);
	for (int i = 3; i >= 0; i--) {
		respond_with(id[i], 0, 0);
		T_OK(done_error);
	}
	T_IS(done, 4);
	window_close();
}

static void send_lock(int rank, uint32_t flags)
{
	const struct win_am head = { .type = WIN_AM_LOCK, .flags = flags };

	win_serve(&w, rank, &head, NULL, 0);
}

static void send_unlock(int rank)
{
	const struct win_am head = { .type = WIN_AM_UNLOCK };

	win_serve(&w, rank, &head, NULL, 0);
}

static void grants_are(int one, int two, int three, int four)
{
	T_IS(grants[1], one);
	T_IS(grants[2], two);
	T_IS(grants[3], three);
	T_IS(grants[4], four);
}

static void locks_are_granted_in_the_order_of_requests(void **state)
{
	window_open();
	send_lock(1, 0);
	send_lock(2, 0);
	send_lock(3, WIN_AM_EXCLUSIVE);
	send_lock(4, 0);
	grants_are(1, 1, 0, 0);
	send_unlock(1);
	grants_are(1, 1, 0, 0);
	send_unlock(2);
	grants_are(1, 1, 1, 0);
	T_TRUE(w.exclusive);
	T_IS(w.shared, 0);
	send_unlock(3);
	grants_are(1, 1, 1, 1);
	T_IS(w.shared, 1);
	send_unlock(4);
	T_IS(w.shared, 0);
	T_FALSE(w.exclusive);
	T_IS(w.unlocks, 4);
	window_close();
}

/*
 * A member that holds other locks by MPI_Win_lock_all does not wait behind an
 * exclusive request, which may wait for one of these locks.
 */
static void a_further_lock_of_an_epoch_precedes_waiting_requests(void **state)
{
	window_open();
	send_lock(1, 0);
	send_lock(2, WIN_AM_EXCLUSIVE);
	send_lock(3, WIN_AM_FURTHER);
	grants_are(1, 0, 1, 0);
	send_unlock(1);
	send_unlock(3);
	grants_are(1, 1, 1, 0);
	send_lock(1, WIN_AM_EXCLUSIVE);
	/* an exclusive lock that is held is waited for */
	send_lock(4, WIN_AM_FURTHER);
	grants_are(1, 1, 1, 0);
	send_unlock(2);
	grants_are(1, 1, 1, 1);
	send_unlock(4);
	grants_are(2, 1, 1, 1);
	send_unlock(1);
	window_close();
}

/* This rank's own requests take turns with those of the other members. */
static void a_rank_gets_the_lock_of_its_own_memory(void **state)
{
	window_open();
	send_lock(3, WIN_AM_EXCLUSIVE);
	win_serve_lock(&w, 0, 0);
	T_IS(weft_load32(&peer[0].granted), 0);
	send_unlock(3);
	T_IS(weft_load32(&peer[0].granted), 1);
	win_serve_unlock(&w, 0);
	T_IS(w.shared, 0);
	/* only messages are counted */
	T_IS(w.unlocks, 1);
	window_close();
}

/* A member that holds no lock does not release the lock of another. */
static void an_unlock_without_a_lock_has_no_effect(void **state)
{
	window_open();
	send_lock(1, WIN_AM_EXCLUSIVE);
	send_lock(2, WIN_AM_EXCLUSIVE);
	send_unlock(3);
	T_TRUE(w.exclusive);
	/* member 2 waits for the lock and does not hold it */
	send_unlock(2);
	T_TRUE(w.exclusive);
	grants_are(1, 0, 0, 0);
	T_IS(w.unlocks, 0);
	send_unlock(1);
	grants_are(1, 1, 0, 0);
	send_unlock(1);
	T_TRUE(w.exclusive);
	send_unlock(2);
	T_FALSE(w.exclusive);
	/* a holder of the shared lock releases it once */
	send_lock(1, 0);
	send_lock(2, 0);
	send_unlock(1);
	send_unlock(1);
	T_IS(w.shared, 1);
	send_lock(4, WIN_AM_EXCLUSIVE);
	grants_are(2, 2, 0, 0);
	send_unlock(2);
	grants_are(2, 2, 0, 1);
	T_IS(w.unlocks, 4);
	send_unlock(4);
	window_close();
}

/* A member has one request, however many messages it sends. */
static void repeated_lock_requests_have_no_effect(void **state)
{
	window_open();
	send_lock(1, 0);
	send_lock(1, 0);
	send_lock(1, WIN_AM_EXCLUSIVE);
	grants_are(1, 0, 0, 0);
	T_IS(w.shared, 1);
	send_lock(2, WIN_AM_EXCLUSIVE);
	send_lock(2, 0);
	send_unlock(1);
	grants_are(1, 1, 0, 0);
	T_TRUE(w.exclusive);
	T_IS(w.shared, 0);
	send_unlock(2);
	T_TRUE(weft_list_empty(&w.lock_waiters));
	grants_are(1, 1, 0, 0);
	window_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(requests_change_the_runs_and_return_old_elements),
		T_CASE(handles_of_other_objects_are_refused),
		T_CASE(refused_requests_return_no_data),
		T_CASE(changed_requests_stay_in_the_window),
		T_CASE(runs_are_split_between_kinds_of_memory),
		T_CASE(responses_have_the_expected_length),
		T_CASE(request_numbers_wrap),
		T_CASE(locks_are_granted_in_the_order_of_requests),
		T_CASE(a_further_lock_of_an_epoch_precedes_waiting_requests),
		T_CASE(a_rank_gets_the_lock_of_its_own_memory),
		T_CASE(an_unlock_without_a_lock_has_no_effect),
		T_CASE(repeated_lock_requests_have_no_effect),
	};

	return T_RUN(tests);
}
