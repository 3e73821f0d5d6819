/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes random values into the world. Ranks exchange messages and reduce on a
 * class route while another process overwrites a part of their shared memory.
 * Every rank must end with all its data or with an error; it must not hang or
 * die by a signal.
 */
#include "test/support/carrier_fixture.h"
#include "prov/vt/vt.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANKS	      4u
#define ROUNDS	      400u
#define ROUNDS_BEFORE 20u /* rounds before the memory is overwritten */
#define FOREVER	      UINT64_MAX
#define SECONDS	      100 /* time limit after which a hanging rank is killed */

static const struct weft_vt_conf bgq = { .machine = "bgq",
					 .map = "",
					 .packet_bytes = 512 };

/* Valid exit codes of a rank; all others are faults of the carrier. */
enum {
	END_WELL,
	END_BROKEN = 10, /* a wait reported a broken model */
	END_DEADLOCK,
	END_LOST,   /* a peer is lost */
	END_WRONG,  /* wrong data, because payloads are not checked */
	END_REFUSED /* a route did not open, or refused a contribution */
};

struct page {
	char handle[WEFT_VT_HANDLE];
	weft_au32 round[RANKS];
};

/* ---- ranks --------------------------------------------------------------- */

static uint32_t add_words(unsigned op, unsigned type, void *acc, const void *in,
			  size_t bytes)
{
	uint64_t a, b;

	(void)op;
	(void)type;
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		memcpy(&a, (char *)acc + i, 8);
		memcpy(&b, (const char *)in + i, 8);
		a += b;
		memcpy((char *)acc + i, &a, 8);
	}
	return 0;
}

/* Returns the exit code for the result of a wait; 0: continue. */
static int exit_code(const struct end *e, int ret)
{
	if (ret == -EOWNERDEAD)
		return END_BROKEN;
	if (ret == -EDEADLK)
		return END_DEADLOCK;
	if (ret && ret != -EAGAIN && ret != -ETIMEDOUT)
		return 1;
	if (e->lost && e->lost_err != ECONNRESET && e->lost_err != ESHUTDOWN)
		return 2;
	if (e->lost)
		return END_LOST;
	return e->bad ? END_WRONG : 0;
}

static int pass_on(struct end *e)
{
	if (e->c->ops->poll(e->c, 8))
		return exit_code(e, 0);
	return exit_code(e, e->c->ops->wait(e->c, FOREVER));
}

static int exchange(struct end *e, struct weft_peer *to, uint64_t round)
{
	uint64_t n = round * 3, want = n + 3;
	int ret = 0;

	while (n < want && !ret) {
		ret = end_send(e, to, n, (n * 97) % e->c->mtu);
		if (!ret)
			n++;
		else if (ret == -EAGAIN)
			ret = pass_on(e);
		else
			ret = END_LOST;
	}
	while (e->got < want && !ret)
		ret = pass_on(e);
	return ret;
}

static int open_route(struct end *e, uint32_t rank, struct weft_peer **peer,
		      unsigned *id_p)
{
	struct weft_backend_route a = { .key = 7,
					.routes = UINT32_MAX,
					.n = RANKS,
					.me = (int)rank,
					.member = peer };
	int ret, end = 0;

	while ((ret = e->c->ops->backend->routes->open(e->c, &a, id_p)) ==
		       -EAGAIN &&
	       !end)
		end = pass_on(e);
	return end ? end : ret ? END_REFUSED : 0;
}

static int reduce(struct end *e, unsigned id, uint32_t rank, uint64_t round)
{
	struct weft_backend_part part = { .kind = WEFT_COLL_ALLREDUCE,
					  .bytes = 16,
					  .seq = round };
	uint64_t data[64] = { rank, round };
	int ret, end = 0;

	while ((ret = e->c->ops->backend->routes->send(e->c, id, &part,
						       data)) == -EAGAIN &&
	       !end)
		end = pass_on(e);
	if (end || ret)
		return end ? end : END_REFUSED;
	while ((ret = e->c->ops->backend->routes->take(e->c, id, &part,
						       data)) == -EAGAIN &&
	       !end)
		end = pass_on(e);
	if (end || ret)
		return end ? end : END_REFUSED;
	return part.bytes == 16 && data[0] == RANKS * (RANKS - 1) / 2
		       ? 0
		       : END_WRONG;
}

static int run_rank(struct page *p, struct weft_vt *w, uint32_t rank)
{
	struct weft_carrier_attr attr = { .combine = add_words, .world = w };
	struct weft_peer *peer[RANKS];
	union weft_name name;
	struct end *e = calloc(1, sizeof(*e));
	unsigned id = 0;
	int ret;

	if (rank && weft_vt_attach(&bgq, p->handle, rank, &attr.world))
		return 3;
	if (end_open(e, &weft_carrier_vt, rank, &attr))
		return 4;
	for (uint32_t i = 0; i < RANKS; i++) {
		weft_vt_name(attr.world, i, &name);
		peer[i] = end_peer_name(e, &name);
	}
	ret = open_route(e, rank, peer, &id);
	for (uint64_t k = 0; k < ROUNDS && !ret; k++) {
		weft_store32(&p->round[rank], (uint32_t)k);
		ret = exchange(e, peer[(rank + 1) % RANKS], k);
		if (!ret)
			ret = reduce(e, id, rank, k);
	}
	weft_store32(&p->round[rank], ROUNDS);
	end_close(e);
	return ret;
}

/* ---- overwriting the world ----------------------------------------------- */

struct part {
	const char *name;
	void *start;
	size_t bytes; /* approximate number of bytes in use */
};

static uint64_t overwrite(struct weft_rng *rng, uint64_t old)
{
	switch (weft_rng_below(rng, 6)) {
	case 0:
		return weft_rng_u64(rng);
	case 1:
		return weft_rng_below(rng, 4096);
	case 2:
		return UINT64_MAX;
	case 3:
		return old ^ UINT64_C(1) << weft_rng_below(rng, 64);
	case 4:
		return weft_rng_u64(rng) & UINT32_MAX;
	default:
		return old + 1;
	}
}

/*
 * Overwrites words at random positions, or the next nonzero word, if there is
 * one nearby.
 */
static void overwrite_words(struct weft_rng *rng, const struct part *p,
			    int words)
{
	uint64_t *w = p->start;
	size_t count = p->bytes / 8, i;

	while (words-- > 0) {
		i = weft_rng_below(rng, count);
		for (size_t k = 0; k < 512 && !w[i]; k++)
			i = (i + 1) % count;
		w[i] = overwrite(rng, w[i]);
	}
}

static void parts_of(struct weft_vt *w, struct part *p)
{
	struct vt_head *h = w->head;
	char *base = w->region.base;

	p[0] = (struct part){ "head", h, sizeof(*h) };
	p[1] = (struct part){ "running", (void *)&h->running,
			      sizeof(*h) - offsetof(struct vt_head, running) };
	p[2] = (struct part){ "ranks", w->rank_of,
			      RANKS * sizeof(*w->rank_of) };
	p[3] = (struct part){ "due", w->due, RANKS * 8 };
	p[4] = (struct part){ "batch", w->batch, RANKS * 4 };
	p[5] = (struct part){ "desks", w->cold_of,
			      RANKS * sizeof(*w->cold_of) };
	p[6] = (struct part){ "bufs", w->bufs, 16 * RANKS * w->buf_bytes };
	p[7] = (struct part){ "members", w->members,
			      RANKS * sizeof(*w->members) };
	p[8] = (struct part){ "routes", w->routes, sizeof(*w->routes) };
	p[9] = (struct part){ "trees", w->trees, 128 };
	p[10] = (struct part){ "net", w->net, 8192 };
	p[11] = (struct part){ "all of net", w->net, h->bytes - h->net_off };
	p[12] = (struct part){ "all", base, h->bytes };
}

enum { PARTS = 13, PARTS_BUT_NET = 10 };

/*
 * Returns the number of parts to overwrite. Random values in the model cause
 * undefined behaviour of C; the guard handles the consequences, but a sanitizer
 * would end the process first.
 */
static unsigned part_count(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return PARTS_BUT_NET;
#else
	return PARTS;
#endif
}

/* ---- one test run -------------------------------------------------------- */

static pid_t start(struct page *p, struct weft_vt *w, uint32_t rank)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(99);
	/* use the default handlers, not cmocka's */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
	alarm(SECONDS);
	_exit(run_rank(p, w, rank));
}

static int rounds_before_done(void *arg)
{
	struct page *p = arg;

	for (uint32_t i = 0; i < RANKS; i++)
		if (weft_load32(&p->round[i]) < ROUNDS_BEFORE)
			return 0;
	return 1;
}

static bool ended_well(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	return code == END_WELL || (code >= END_BROKEN && code <= END_REFUSED);
}

/* Returns the number of ranks with an invalid exit code. */
static int play(uint64_t seed)
{
	struct page *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct part all[PARTS], *part = &all[seed % part_count()];
	struct weft_rng rng;
	struct weft_vt *w;
	pid_t pid[RANKS];
	int status, bad = 0;

	T_TRUE(p != MAP_FAILED);
	weft_rng_init(&rng, seed, 0);
	T_OK(weft_vt_create(&bgq, RANKS, &w, p->handle));
	parts_of(w, all);
	for (uint32_t i = 0; i < RANKS; i++)
		pid[i] = start(p, w, i);
	t_until(rounds_before_done, p, SECONDS);
	overwrite_words(&rng, part, 1 + (int)(seed / part_count() % 8));
	for (uint32_t i = 0; i < RANKS; i++) {
		T_IS(waitpid(pid[i], &status, 0), pid[i]);
		if (ended_well(status))
			continue;
		bad++;
		print_message("seed %llu (%s): rank %u ends with %#x\n",
			      (unsigned long long)seed, part->name, i,
			      (unsigned)status);
	}
	weft_vt_close(w);
	munmap(p, sizeof(*p));
	return bad;
}

static void random_writes_end_in_errors(void **state)
{
	const char *one = getenv("VT_FUZZ_SEED"), *more = getenv("VT_FUZZ");
	uint64_t games = more ? strtoull(more, NULL, 0) : 8u * part_count();
	int bad = 0;

	if (one) {
		T_IS(play(strtoull(one, NULL, 0)), 0);
		return;
	}
	for (uint64_t seed = 0; seed < games; seed++)
		bad += play(seed);
	T_IS(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(random_writes_end_in_errors),
	};

	return T_RUN(tests);
}
