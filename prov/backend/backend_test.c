/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The backend of live mode: transfers are cut to their length and complete
 * within the call, a refused transfer does not complete, and paths and atomics
 * do not exist.
 */
#include "prov/backend/backend.h"
#include "src/base/attr.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* A carrier that copies within this process, or returns an error. */
static int copy_err;
static int copies;

static int copy(const struct iovec *local, int count, char *remote, bool read)
{
	copies++;
	for (int i = 0; i < count && !copy_err; i++) {
		if (read)
			memcpy(local[i].iov_base, remote, local[i].iov_len);
		else
			memcpy(remote, local[i].iov_base, local[i].iov_len);
		remote += local[i].iov_len;
	}
	return copy_err;
}

static int copy_read(struct weft_carrier *c, struct weft_peer *peer,
		     const struct iovec *local, int count, uint64_t remote)
{
	return copy(local, count, (char *)(uintptr_t)remote, true);
}

static int copy_write(struct weft_carrier *c, struct weft_peer *peer,
		      const struct iovec *local, int count, uint64_t remote)
{
	return copy(local, count, (char *)(uintptr_t)remote, false);
}

static const struct weft_carrier_ops ops = {
	.name = "copy",
	.backend = &weft_backend_live,
	.read = copy_read,
	.write = copy_write,
};
static struct weft_carrier carrier = { .ops = &ops };

static int completions, last_err;

static void transfer_done(struct weft_dma *d, int err)
{
	completions++;
	last_err = err;
}

/* Transfers 10 bytes between segments of 4, 0 and 100 bytes and remote. */
static int transfer(bool get, char *first, char *rest, char *remote,
		    size_t bytes)
{
	const struct weft_dma_path path = { .quick = true };
	struct weft_dma d = {
		.local = { { first, 4 }, { NULL, 0 }, { rest, 100 } },
		.local_count = 3,
		.remote = (uintptr_t)remote,
		.bytes = bytes,
		.done = transfer_done,
	};
	const struct weft_backend *b = carrier.ops->backend;

	completions = 0;
	copies = 0;
	return get ? b->get(&carrier, NULL, &d, &path)
		   : b->put(&carrier, NULL, &d, &path);
}

static void transfers_are_cut_and_complete_within_the_call(void **state)
{
	char first[4], rest[100] = { 0 }, remote[101] = "0123456789abcdef";

	T_OK(transfer(true, first, rest, remote, 10));
	T_IS(completions, 1);
	T_IS(last_err, 0);
	T_TRUE(!memcmp(first, "0123", 4));
	T_TRUE(!memcmp(rest, "456789\0", 7));
	memset(remote, 'x', sizeof(remote));
	T_OK(transfer(false, first, rest, remote, 10));
	T_IS(completions, 1);
	T_TRUE(!memcmp(remote, "0123456789x", 11));
	T_OK(transfer(false, first, rest, remote, 0));
	T_IS(completions, 1);
	T_IS(copies, 0);
}

static void a_refused_transfer_does_not_complete(void **state)
{
	static const struct {
		int err;
		int ret;
		int completions;
	} rows[] = {
		{ -EOPNOTSUPP, -EOPNOTSUPP, 0 },
		{ -EAGAIN, -EAGAIN, 0 },
		{ -ECONNRESET, 0, 1 },
		{ -EFAULT, 0, 1 },
	};
	char first[4], rest[100], remote[10];

	for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++) {
		copy_err = rows[i].err;
		T_IS(transfer(true, first, rest, remote, 10), rows[i].ret);
		T_IS(completions, rows[i].completions);
		if (completions)
			T_IS(last_err, rows[i].err);
	}
	copy_err = 0;
}

static void live_has_no_paths_atomics_or_class_routes(void **state)
{
	const struct weft_backend *b = &weft_backend_live;
	const struct weft_dma_path path = { .quick = true };
	struct weft_amo a = { .dma.done = transfer_done };

	completions = 0;
	T_IS(b->atomic(&carrier, NULL, &a, &path), -EOPNOTSUPP);
	T_IS(completions, 0);
	T_IS(b->path(&carrier, "dma"), 0);
	T_TRUE(!b->paths && !b->atomics && !b->transfers_later && !b->routes);
	T_OK(b->verdict(&carrier));
}

static void the_clock_is_the_hosts(void **state)
{
	const struct weft_backend *b = &weft_backend_live;
	uint64_t before = weft_now_ns(), now, after;
	struct timespec resolution;

	/* computation alone does not advance the clock */
	b->compute(&carrier, UINT64_C(1000000000000000));
	b->device_copied(&carrier, UINT64_C(1000000000000000));
	now = b->now_ps(&carrier, true) / 1000;
	after = weft_now_ns();
	T_TRUE(before <= now && now <= after);
	T_OK(clock_getres(CLOCK_MONOTONIC, &resolution));
	T_IS(b->tick_ps(&carrier), resolution.tv_nsec * 1000);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		T_CASE(transfers_are_cut_and_complete_within_the_call),
		T_CASE(a_refused_transfer_does_not_complete),
		T_CASE(live_has_no_paths_atomics_or_class_routes),
		T_CASE(the_clock_is_the_hosts),
	};

	return T_RUN(cases);
}
