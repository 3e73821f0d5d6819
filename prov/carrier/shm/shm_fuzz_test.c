/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hostile peer writes random bytes into the region of an endpoint that
 * receives packets. No process may crash or hang: afterwards every pair either
 * works or has been reported lost on one of its sides.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/shm/shm.h"
#include "src/base/clock.h"
#include "src/base/rng.h"
#include "test/support/log_text.h"
#include "test/t.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUZZ_SENDERS 2
#define FUZZ_SECONDS 40 /* time limit of a run */

/* Part of the region that the hostile peer overwrites. */
struct fuzz_mode {
	const char *name;
	size_t from;
	size_t bytes;	/* bytes that are overwritten; 0: all slots */
	unsigned every; /* time between two writes, us */
};

static const struct fuzz_mode modes[] = {
	{ "slots", 0, 0, 5 },
	{ "tail", offsetof(struct shm_head, tail), 8, 20000 },
	{ "head", offsetof(struct shm_head, head), 8, 500 },
	{ "wake and state", offsetof(struct shm_head, wake), 8, 500 },
	{ "geometry", 0, 128, 50 },
	{ "owners", SHM_OWNER_OFF, 512, 20 },
	{ "entries", 1, 0, 200 },
	{ "anything", 2, 0, 2 },
};

struct fuzz {
	union weft_name victim;
	weft_au32 up;
	weft_au32 writer_done; /* the hostile process has finished */
	/* the victim's result per sender: received or lost */
	weft_au32 verdict[FUZZ_SENDERS];
	/* whether the sender reported a loss */
	weft_au32 reported[FUZZ_SENDERS];
	weft_au32 stop;
	const struct fuzz_mode *mode;
	uint64_t seed;
};

static struct fuzz *fuzz_f; /* used by the victim's callbacks */

static int fuzz_deliver(void *arg, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	struct weft_carrier **c = arg;
	struct iovec iov = { .iov_base = (void *)(uintptr_t)payload,
			     .iov_len = pkt->len };

	if (pkt->len > (*c)->mtu)
		abort();
	if (weft_load32(&fuzz_f->writer_done) && pkt->unit < FUZZ_SENDERS)
		weft_store32(&fuzz_f->verdict[pkt->unit], 1);
	src->up = (void *)(uintptr_t)(pkt->unit + 1);
	(*c)->ops->send(*c, src, pkt, &iov, 1);
	return 0;
}

static void fuzz_lost(void *arg, struct weft_peer *peer, int err)
{
	uintptr_t sender = (uintptr_t)peer->up;

	if (sender && sender <= FUZZ_SENDERS)
		weft_store32(&fuzz_f->verdict[sender - 1], (uint32_t)err);
}

static const struct weft_carrier_up fuzz_up = { .deliver = fuzz_deliver,
						.lost = fuzz_lost };

static int fuzz_victim(struct fuzz *f)
{
	struct weft_carrier *c;
	struct weft_carrier_attr attr = { .up = &fuzz_up, .up_arg = &c };
	struct t_limit limit;

	t_limit_set(&limit, FUZZ_SECONDS);
	if (weft_carrier_shm.open(&attr, &c))
		return 1;
	c->ops->name_get(c, &f->victim);
	weft_store32(&f->up, 1);
	while (!weft_load32(&f->stop) && !t_limit_expired(&limit)) {
		if (!c->ops->poll(c, 32))
			c->ops->wait(c, 100000);
	}
	c->ops->close(c);
	return 0;
}

static int fuzz_sender(struct fuzz *f, uint32_t id)
{
	struct t_limit limit;
	struct weft_peer *to;
	struct end *e = calloc(1, sizeof(*e));
	uint64_t n = 0;
	int ret;

	t_limit_set(&limit, FUZZ_SECONDS);
	if (end_open(e, &weft_carrier_shm, id, NULL))
		return 1;
	while (!weft_load32(&f->up))
		sched_yield();
	to = end_peer_name(e, &f->victim);
	/*
	 * after the random writes, send until the victim has a result for this
	 * sender
	 */
	while (!weft_load32(&f->verdict[id]) && !e->lost) {
		ret = end_send(e, to, n, n % 4 ? n % 90 : n % 3000);
		n++;
		if (ret == -EAGAIN)
			e->c->ops->wait(e->c, 50000);
		e->c->ops->poll(e->c, 16);
		if (t_limit_expired(&limit))
			return 9;
	}
	weft_store32(&f->reported[id], 1);
	while (!weft_load32(&f->stop) && !t_limit_expired(&limit))
		sched_yield();
	end_close(e);
	free(e);
	return 0;
}

static void fuzz_range(const struct fuzz_mode *m, const struct shm_view *v,
		       uint8_t **at_p, size_t *bytes_p)
{
	uint8_t *base = (uint8_t *)v->head;

	*at_p = base + m->from;
	*bytes_p = m->bytes;
	if (m->bytes)
		return;
	switch (m->from) {
	case 0:
		*at_p = (uint8_t *)v->slot;
		*bytes_p = (size_t)v->slots * SHM_SLOT_BYTES;
		break;
	case 1:
		*at_p = (uint8_t *)v->entry;
		*bytes_p = 4 * sizeof(struct shm_entry);
		break;
	default:
		*at_p = base;
		*bytes_p = (size_t)(v->cell - base) + 65536;
		break;
	}
}

static int fuzz_scribbler(struct fuzz *f)
{
	uint64_t stop = weft_now_ns() + UINT64_C(250000000);
	struct weft_rng rng;
	struct shm_peer *p;
	struct end *e = calloc(1, sizeof(*e));
	uint8_t *start;
	size_t bytes;

	weft_rng_init(&rng, f->seed, 0);
	if (end_open(e, &weft_carrier_shm, 77, NULL))
		return 1;
	while (!weft_load32(&f->up))
		sched_yield();
	p = shm_peer_of(end_peer_name(e, &f->victim));
	if (end_send_all(e, &p->base, 0, 8, 10))
		return 2;
	fuzz_range(f->mode, &p->view, &start, &bytes);
	while (weft_now_ns() < stop) {
		uint64_t r = weft_rng_u64(&rng);
		size_t len = f->mode->bytes == 8 ? 8 : 1 + r % 8;
		size_t off = weft_rng_below(&rng, bytes - len + 1);

		r = weft_rng_u64(&rng);
		/* nearly valid values find more faults than random values */
		if (r % 3 == 0)
			r &= 0xffff;
		memcpy(start + off, &r, len);
		if (f->mode->every)
			usleep(f->mode->every);
	}
	weft_store32(&f->writer_done, 1);
	_exit(0);
}

static int fuzz_role(int i, void *arg)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	fuzz_f = arg;
	if (i == 0)
		return fuzz_victim(fuzz_f);
	if (i == 1)
		return fuzz_scribbler(fuzz_f);
	return fuzz_sender(fuzz_f, (uint32_t)i - 2);
}

static pid_t fuzz_start(struct fuzz *f, int i)
{
	pid_t pid = fork();

	if (!pid)
		_exit(fuzz_role(i, f));
	return pid;
}

/* Runs one mode until all results are available. */
static void fuzz_run(const struct fuzz_mode *m, uint64_t seed)
{
	struct fuzz *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[2 + FUZZ_SENDERS];
	struct t_limit limit;
	int status, bad = 0;

	t_limit_set(&limit, FUZZ_SECONDS);
	f->mode = m;
	f->seed = seed;
	for (int i = 0; i < 2 + FUZZ_SENDERS; i++)
		pid[i] = fuzz_start(f, i);
	for (int i = 0; i < FUZZ_SENDERS;) {
		i = weft_load32(&f->reported[i]) ? i + 1 : i;
		if (t_limit_expired(&limit))
			break;
		usleep(1000);
	}
	weft_store32(&f->stop, 1);
	for (int i = 0; i < 2 + FUZZ_SENDERS; i++) {
		waitpid(pid[i], &status, 0);
		if (status)
			print_error("%s, seed %llu: role %d ended with 0x%x\n",
				    m->name, (unsigned long long)seed, i,
				    status);
		bad |= status;
	}
	munmap(f, sizeof(*f));
	T_IS(bad, 0);
}

static void random_writes_neither_crash_nor_hang(void **state)
{
	const char *rounds = getenv("WEFT_FUZZ_ROUNDS");
	uint64_t n = rounds ? strtoull(rounds, NULL, 0) : 1;

	for (uint64_t seed = 1; seed <= n; seed++) {
		for (size_t i = 0; i < WEFT_COUNT_OF(modes); i++)
			fuzz_run(&modes[i], seed);
	}
}

/*
 * The liveness check must not scan up to an impossible tail, which could take
 * days.
 */
static void an_impossible_tail_does_not_stall_the_check(void **state)
{
	struct end *a = calloc(1, sizeof(*a));
	uint64_t end = weft_now_ns() + UINT64_C(500000000);

	T_OK(end_open(a, &weft_carrier_shm, 1, NULL));
	weft_store64(&shm_of(a->c)->view.head->tail,
		     shm_tail_make(UINT64_C(1) << 46, 1));
	while (weft_now_ns() < end)
		a->c->ops->poll(a->c, 16);
	T_TRUE(shm_of(a->c)->broken);
	end_close(a);
	free(a);
}

/*
 * A tail far ahead of the head may be an old value of the head. Attempts that
 * find such a value are counted from the last attempt that found a valid head.
 */
static void old_heads_are_counted_while_they_persist(void **state)
{
	struct end *a = calloc(1, sizeof(*a));
	struct end *b = calloc(1, sizeof(*b));
	struct weft_peer *to;
	struct t_limit limit;
	uint64_t n = 0;
	weft_au64 *at;

	t_limit_set(&limit, 60);
	T_OK(end_open(a, &weft_carrier_shm, 1, NULL));
	T_OK(end_open(b, &weft_carrier_shm, 2, NULL));
	to = end_peer(a, b);
	at = &shm_of(b->c)->view.head->tail;
	for (int round = 0; round < 3; round++) {
		uint64_t tail;
		int ret;

		/*
		 * the first send maps the region; a send that finds the FIFO
		 * full rereads the head
		 */
		while ((ret = end_send(a, to, n, 200)) == 0 || !n) {
			n += !ret;
			T_FALSE(t_limit_expired(&limit));
		}
		T_IS(ret, -EAGAIN);
		while (b->got < n && !t_limit_expired(&limit))
			b->c->ops->poll(b->c, 64);
		T_IS(b->got, n);
		tail = weft_load64(at);
		weft_store64(at,
			     shm_tail_make(shm_tail_ticket(tail) + (1 << 20),
					   shm_tail_writer(tail)));
		for (int i = 0; i < 600; i++)
			T_IS(end_send(a, to, n, 200), -EAGAIN);
		weft_store64(at, tail);
	}
	T_IS(a->lost, 0);
	end_close(a);
	end_close(b);
	free(a);
	free(b);
}

/* ---- a region with wrong constants --------------------------------------- */

/* One wrong field: `value` overwrites `bytes` bytes at offset `off`. */
struct wrong {
	const char *name;
	size_t off, bytes;
	uint64_t value;
};

#define WRONG(field, v)                                            \
	{                                                          \
#field " = " #v, offsetof(struct shm_head, field), \
			sizeof(((struct shm_head *)0)->field), v   \
	}

static const struct wrong wrongs[] = {
	WRONG(magic, 0),
	WRONG(version, SHM_VERSION + 1),
	WRONG(bytes, 0),
	WRONG(bytes, UINT64_MAX),
	WRONG(cookie, 0),
	WRONG(slots, 0),
	WRONG(slots, 48),
	WRONG(slots, 1u << 21),
	WRONG(slots, 1u << 20),
	WRONG(entries, 0),
	WRONG(entries, SHM_NO_WRITER),
	WRONG(entries, SHM_NO_WRITER - 1),
	WRONG(cells, UINT32_MAX),
	WRONG(cell_bytes, SHM_CELL_BYTES - 8),
	WRONG(cell_bytes, 65536),
	WRONG(slot_off, 0),
	WRONG(slot_off, SHM_OWNER_OFF + 64),
	WRONG(slot_off, UINT64_MAX - 127),
	WRONG(entry_off, SHM_OWNER_OFF + 64),
	WRONG(entry_off, UINT64_MAX - 127),
	WRONG(cell_off, SHM_OWNER_OFF + 8),
	WRONG(cell_off, UINT64_MAX - 63),
	WRONG(share_off, SHM_OWNER_OFF + 8),
	WRONG(share_off, UINT64_MAX - 63),
	WRONG(share_bytes, UINT64_MAX),
	WRONG(tail, UINT64_C(5000) << 16),
};

/* Overwrites n bytes of b's region, then sends from a; returns the error. */
static int send_to_wrong(size_t off, const void *bytes, size_t n, int tries)
{
	struct end *a = calloc(1, sizeof(*a));
	struct end *b = calloc(1, sizeof(*b));
	struct weft_peer *to;
	struct t_limit limit;
	int ret;

	t_limit_set(&limit, 20);

	T_OK(end_open(a, &weft_carrier_shm, 1, NULL));
	T_OK(end_open(b, &weft_carrier_shm, 2, NULL));
	memcpy((char *)shm_of(b->c)->view.head + off, bytes, n);
	to = end_peer(a, b);
	while ((ret = end_send(a, to, 0, 200)) == -EAGAIN && --tries &&
	       !t_limit_expired(&limit))
		sched_yield();
	while (ret == -ECONNRESET && !a->lost)
		a->c->ops->poll(a->c, 16);
	if (a->lost)
		ret = -a->lost_err;
	b->c->ops->poll(b->c, 16);
	end_close(a);
	end_close(b);
	free(a);
	free(b);
	return ret;
}

static void a_region_with_a_wrong_head_is_refused(void **state)
{
	T_OK(send_to_wrong(0, "", 0, 1));
	for (size_t i = 0; i < WEFT_COUNT_OF(wrongs); i++) {
		const struct wrong *w = &wrongs[i];
		int ret = send_to_wrong(w->off, &w->value, w->bytes, -1);

		if (ret != -EPROTO)
			print_error("%s: %d\n", w->name, ret);
		T_IS(ret, -EPROTO);
	}
}

/* Must run first: a process reports another version only once. */
static void another_version_is_named(void **state)
{
	uint32_t version = SHM_VERSION + 70;
	char words[128];

	log_text_begin();
	T_IS(send_to_wrong(offsetof(struct shm_head, version), &version,
			   sizeof(version), -1),
	     -EPROTO);
	snprintf(words, sizeof(words),
		 "the memory of a peer has format %u, this process has format "
		 "%u:",
		 version, SHM_VERSION);
	T_TRUE(log_text_contains(words));
}

static void random_bytes_in_a_head_crash_no_process(void **state)
{
	struct weft_rng rng;

	weft_rng_init(&rng, 5, 0);
	for (int i = 0; i < t_scale(400); i++) {
		uint64_t noise = weft_rng_u64(&rng);

		send_to_wrong(weft_rng_below(&rng, 121), &noise, 1 + noise % 8,
			      3);
	}
}

/* A sender without an entry in the peer's table retries, with backoff. */
static void a_full_entry_table_is_scanned_with_backoff(void **state)
{
	struct end *a = calloc(1, sizeof(*a));
	struct end *b = calloc(1, sizeof(*b));
	struct shm_view *v;
	struct weft_peer *to;
	uint64_t start;
	uint32_t scans;
	int ret;

	T_OK(end_open(a, &weft_carrier_shm, 1, NULL));
	T_OK(end_open(b, &weft_carrier_shm, 2, NULL));
	v = &shm_of(b->c)->view;
	to = end_peer(a, b);
	for (uint32_t i = 0; i < v->entries; i++)
		weft_store64(&v->entry[i].state, SHM_CLAIMED);
	start = weft_now_ns();
	for (int i = 0; i < 20000; i++)
		T_IS(end_send(a, to, 0, 8), -EAGAIN);
	scans = weft_load32(&v->head->entry_next);
	/*
	 * the backoff starts at 50 us and doubles up to 2 ms: six attempts,
	 * then one every 2 ms
	 */
	T_TRUE(scans >= 1 && scans <= 8 + (weft_now_ns() - start) / 2000000);
	weft_store64(&v->entry[77].state, SHM_FREE);
	do {
		ret = end_send(a, to, 0, 8);
	} while (ret == -EAGAIN);
	T_OK(ret);
	/* free the test's entries: close must not treat them as peers */
	for (uint32_t i = 0; i < v->entries; i++) {
		if (i != 77)
			weft_store64(&v->entry[i].state, SHM_FREE);
	}
	end_close(a);
	end_close(b);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(another_version_is_named),
		T_CASE(old_heads_are_counted_while_they_persist),
		T_CASE(a_region_with_a_wrong_head_is_refused),
		T_CASE(random_bytes_in_a_head_crash_no_process),
		T_CASE(a_full_entry_table_is_scanned_with_backoff),
		T_CASE(an_impossible_tail_does_not_stall_the_check),
		T_CASE(random_writes_neither_crash_nor_hang),
	};

	return T_RUN(tests);
}
