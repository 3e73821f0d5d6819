/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests which references on a communicator count as pending. */
#include "src/comm/comm.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_persist.h"
#include "src/msg/msg_req.h"

#include "test/t.h"

bool weft_threads = true;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;

static struct weft_comm comm;

/* An inactive persistent request with its references on comm. */
struct fake {
	struct weft_req req;
	struct weft_persist persist;
};

static unsigned two(const struct weft_req *r)
{
	return 2;
}

static void fake_open(struct fake *f, unsigned refs)
{
	f->req.comm = &comm;
	f->req.flags = WEFT_REQ_PERSISTENT;
	weft_store32(&f->req.done, 0);
	for (unsigned i = 0; i < refs; i++)
		weft_comm_get(&comm);
	weft_persist_add(&f->persist, &f->req, refs == 2 ? two : NULL);
}

static void fake_close(struct fake *f, unsigned refs)
{
	weft_persist_remove(&f->persist);
	weft_add32(&comm.obj.refs, -refs);
}

static int comm_open(void **state)
{
	comm = (struct weft_comm){ .obj.kind = WEFT_KIND_COMM };
	weft_store32(&comm.obj.refs, 1);
	return 0;
}

static void a_reference_of_a_request_is_pending(void **state)
{
	T_TRUE(!weft_persist_is_pending(&comm));
	weft_comm_get(&comm);
	T_TRUE(weft_persist_is_pending(&comm));
}

static void persistent_requests_are_pending_while_active(void **state)
{
	struct fake f[2];

	fake_open(&f[0], 1);
	fake_open(&f[1], 1);
	T_TRUE(!weft_persist_is_pending(&comm));
	f[1].req.flags |= WEFT_REQ_ACTIVE;
	T_TRUE(weft_persist_is_pending(&comm));
	weft_store32(&f[1].req.done, 1);
	T_TRUE(!weft_persist_is_pending(&comm));
	f[1].req.flags &= ~(uint32_t)WEFT_REQ_ACTIVE;
	T_TRUE(!weft_persist_is_pending(&comm));
	fake_close(&f[0], 1);
	fake_close(&f[1], 1);
	T_TRUE(!weft_persist_is_pending(&comm));
}

static void a_request_may_hold_several_references(void **state)
{
	struct fake f;

	fake_open(&f, 2);
	T_TRUE(!weft_persist_is_pending(&comm));
	weft_comm_get(&comm);
	T_TRUE(weft_persist_is_pending(&comm));
	fake_close(&f, 2);
	T_TRUE(weft_persist_is_pending(&comm));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_reference_of_a_request_is_pending,
				       comm_open),
		cmocka_unit_test_setup(
			persistent_requests_are_pending_while_active,
			comm_open),
		cmocka_unit_test_setup(a_request_may_hold_several_references,
				       comm_open),
	};

	return T_RUN(tests);
}
