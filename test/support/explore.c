/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The explorer: choices, threads and states. The memory model is in
 * explore_memory.c.
 */

/* the fortified longjmp() reports a jump to another stack as an error */
#undef _FORTIFY_SOURCE

#include "test/support/explore_int.h"
#include "test/t.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
	STACK = 128 << 10,
	CHOICES = 4096,
};

enum status {
	READY,
	BLOCKED, /* blocks in futex_wait */
	/* spins until the object that it read last has a newer value */
	SPINNING,
	/* polls until one of the objects that it read has a newer value */
	POLLING,
	ENDED,
};

/* A coroutine that is not running; `jumps`: it has run before. */
struct context {
	ucontext_t start;
	jmp_buf at;
	bool jumps;
};

struct thread {
	struct context context;
	enum status status;
	/*
	 * hash of all results of the thread's operations, and of the results
	 * before the loop
	 */
	uint64_t history, before;
	const volatile void *word[2];
	int words;
	uint32_t bits;
	/*
	 * last: last load, to detect a spin loop; repeat: the following loads
	 * return the same value
	 */
	struct explore_seen last;
	bool spun, repeat;
	int repeats;
	/* loads since explore_poll() */
	struct explore_seen seen[32];
	int seen_count;
};

static struct {
	struct explore *x;
	struct context scheduler;
	struct thread thread[EXPLORE_THREADS];
	int now;  /* thread that runs; -1: none */
	int last; /* thread that ran last */
	int interrupts;
	bool wake_lost;
	const char *error;
	/* choices of this execution, and how many are replayed */
	struct {
		uint16_t pick, of;
	} choice[CHOICES];
	int depth, replay;
	/* hash set of the known states, with open addressing; 0: free entry */
	uint64_t *known, known_room;
} e;

static _Alignas(64) char stacks[EXPLORE_THREADS][STACK];

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = ((h + 0x632be59bd9b4e019u) ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* ---- choices and states -------------------------------------------------- */

static int choose(int of)
{
	int d = e.depth;

	if (of <= 1)
		return 0;
	if (d == CHOICES) {
		explore_fail("an execution has too many choices");
		return 0;
	}
	e.depth++;
	if (d >= e.replay) {
		e.choice[d].pick = 0;
		e.choice[d].of = (uint16_t)of;
		e.replay = d + 1;
	}
	return e.choice[d].pick;
}

/* Moves to the next list of choices; returns false after the last one. */
static bool next_choices(void)
{
	int d = e.depth;

	while (d > 0 && e.choice[d - 1].pick + 1 == e.choice[d - 1].of)
		d--;
	if (!d)
		return false;
	e.choice[d - 1].pick++;
	e.replay = d;
	return true;
}

/* Returns the entry of h in the set, or the free entry for it. */
static uint64_t *find_state(uint64_t *set, uint64_t room, uint64_t h)
{
	uint64_t i = h & (room - 1);

	while (set[i] && set[i] != h)
		i = (i + 1) & (room - 1);
	return &set[i];
}

static bool grow_states(void)
{
	uint64_t room = e.known_room ? 4 * e.known_room : 4096;
	uint64_t *more = calloc(room, sizeof(*more));

	if (!more)
		return false;
	for (uint64_t i = 0; i < e.known_room; i++) {
		if (e.known[i])
			*find_state(more, room, e.known[i]) = e.known[i];
	}
	free(e.known);
	e.known = more;
	e.known_room = room;
	return true;
}

/* Adds h to the known states; returns whether it is new. */
static bool add_state(uint64_t h)
{
	uint64_t *at;

	if (2 * e.x->states >= e.known_room && !grow_states()) {
		explore_fail("no memory for the states");
		return false;
	}
	h = h ? h : 1;
	at = find_state(e.known, e.known_room, h);
	if (*at)
		return false;
	*at = h;
	if (++e.x->states > e.x->states_max)
		explore_fail("more states than expected");
	return true;
}

static uint64_t hash_state(void)
{
	bool live[EXPLORE_THREADS];
	uint64_t h = 0;

	for (int i = 0; i < e.x->threads; i++) {
		const struct thread *t = &e.thread[i];

		live[i] = t->status != ENDED;
		h = mix(h, t->history);
		h = mix(h, t->status | (uint64_t)t->repeat << 8 |
				   (uint64_t)t->spun << 9);
	}
	h = mix(h, e.wake_lost);
	if (e.x->interrupts)
		h = mix(h, (uint64_t)e.last << 32 | (unsigned)e.interrupts);
	return explore_memory_hash(h, live, e.x->threads);
}

/* ---- threads ------------------------------------------------------------- */

static struct thread *self(void)
{
	return e.now < 0 ? NULL : &e.thread[e.now];
}

/*
 * Continues another coroutine. _setjmp() is faster than swapcontext(), which
 * makes system calls, but AddressSanitizer knows only the latter.
 */
#if defined(__SANITIZE_ADDRESS__)
static void switch_to(struct context *from, struct context *to)
{
	swapcontext(&from->start, &to->start);
}
#else
static void switch_to(struct context *from, struct context *to)
{
	if (_setjmp(from->at))
		return;
	from->jumps = true;
	if (to->jumps)
		_longjmp(to->at, 1);
	setcontext(&to->start);
}
#endif

static void to_scheduler(void)
{
	switch_to(&self()->context, &e.scheduler);
}

/* Lets other threads run before an operation. */
static void step(void)
{
	struct thread *t = self();

	t->repeat = t->spun = false;
	to_scheduler();
}

static void result(uint64_t value)
{
	self()->history = mix(self()->history, value);
}

static void run_thread(int i)
{
	e.x->thread(i);
	e.thread[i].status = ENDED;
	to_scheduler();
}

void explore_fail(const char *what)
{
	if (!e.error)
		e.error = what;
	if (e.now >= 0)
		to_scheduler();
}

static bool newer_seen(const struct thread *t)
{
	for (int i = 0; i < t->seen_count; i++) {
		if (explore_memory_newer(&t->seen[i]))
			return true;
	}
	return false;
}

static bool runnable(struct thread *t)
{
	if (t->status == SPINNING && explore_memory_newer(&t->last))
		t->status = READY;
	if (t->status == POLLING && newer_seen(t))
		t->status = READY;
	return t->status == READY;
}

/*
 * If all other threads wait, ends the spin of a spinning thread. Returns
 * whether there was one.
 */
static bool end_a_spin(void)
{
	for (int i = 0; i < e.x->threads; i++) {
		if (e.thread[i].status == SPINNING) {
			e.thread[i].status = READY;
			e.thread[i].repeat = true;
			return true;
		}
	}
	return false;
}

static int runnable_threads(int at[EXPLORE_THREADS])
{
	int n = 0;

	if (e.x->interrupts && e.interrupts == e.x->interrupts - 1 &&
	    runnable(&e.thread[e.last])) {
		at[0] = e.last;
		return 1;
	}
	for (int i = 0; i < e.x->threads; i++) {
		if (runnable(&e.thread[i]))
			at[n++] = i;
	}
	return n;
}

/* Called when all threads have ended, or no thread can run. */
static void finish(void)
{
	for (int i = 0; i < e.x->threads; i++) {
		if (e.thread[i].status != ENDED) {
			explore_fail("deadlock");
			return;
		}
	}
	e.x->executions++;
	if (e.x->check)
		e.x->check();
}

static void run(int i)
{
	e.interrupts += i != e.last && runnable(&e.thread[e.last]);
	e.now = e.last = i;
	switch_to(&e.scheduler, &e.thread[i].context);
	e.now = -1;
}

static void execute(void)
{
	int at[EXPLORE_THREADS];
	int n;

	/*
	 * runs each thread up to its first operation; other threads cannot
	 * observe this
	 */
	for (int i = 0; i < e.x->threads; i++)
		run(i);
	e.interrupts = 0;
	while (!e.error) {
		n = runnable_threads(at);
		if (!n && end_a_spin())
			continue;
		if (!n) {
			finish();
			return;
		}
		/* the states of the replayed choices are already known */
		if (e.depth >= e.replay && !add_state(hash_state()))
			return;
		run(at[choose(n)]);
	}
}

static void start_thread(struct thread *t, char *stack, int i)
{
	memset(t, 0, sizeof(*t));
	getcontext(&t->context.start);
	t->context.start.uc_stack.ss_sp = stack;
	t->context.start.uc_stack.ss_size = STACK;
	t->context.start.uc_link = NULL;
	makecontext(&t->context.start, (void (*)(void))run_thread, 1, i);
}

int explore_interrupts(int n)
{
	if (getenv("LONG"))
		return 0;
	return t_scale(100) < 100 && (!n || n > 2) ? 2 : n;
}

const char *explore_run(struct explore *x)
{
	memset(&e, 0, sizeof(e));
	e.x = x;
	e.now = -1;
	x->states = x->executions = 0;
	do {
		e.depth = 0;
		e.wake_lost = false;
		explore_memory_reset(x->fault, x->threads);
		x->setup();
		for (int i = 0; i < x->threads; i++)
			start_thread(&e.thread[i], stacks[i], i);
		execute();
	} while (!e.error && next_choices());
	free(e.known);
	printf("explored %d threads: %llu states, %llu executions, %s\n",
	       x->threads, (unsigned long long)x->states,
	       (unsigned long long)x->executions,
	       e.error ? e.error : "no error");
	return e.error;
}

/* ---- operations ---------------------------------------------------------- */

static void note_load(struct thread *t, struct explore_seen s)
{
	t->last = s;
	for (int i = 0; i < t->seen_count; i++) {
		if (t->seen[i].at == s.at) {
			t->seen[i] = s;
			return;
		}
	}
	if (t->seen_count < (int)(sizeof(t->seen) / sizeof(t->seen[0])))
		t->seen[t->seen_count++] = s;
}

static bool is_direct(const volatile void *at)
{
	return e.now < 0 || explore_memory_is_private(at);
}

uint64_t explore_load(const volatile void *at, size_t bytes, int order)
{
	struct thread *t = self();
	struct explore_seen s;
	bool again = t && t->repeat && t->last.at == at;

	if (is_direct(at))
		return explore_memory_raw(at, bytes);
	if (again && ++t->repeats < 10000)
		return explore_memory_value(&t->last);
	t->repeats = 0;
	step();
	s = explore_memory_pick(
		e.now, at, bytes, order,
		choose(explore_memory_picks(e.now, at, bytes, order)));
	note_load(t, s);
	result(explore_memory_value(&s));
	return explore_memory_value(&s);
}

void explore_store(volatile void *at, size_t bytes, uint64_t value, int order)
{
	if (!is_direct(at)) {
		step();
		explore_memory_store(e.now, at, bytes, value, order);
		result(1);
	}
	explore_memory_raw_set(at, bytes, value);
}

uint64_t explore_modify(volatile void *at, size_t bytes, enum explore_rmw op,
			uint64_t value, int order)
{
	bool direct = is_direct(at);
	uint64_t old, new;

	if (!direct)
		step();
	old = explore_memory_raw(at, bytes);
	new = op == EXPLORE_ADD	  ? old + value
	      : op == EXPLORE_OR  ? old | value
	      : op == EXPLORE_AND ? old &value
				  : value;
	if (!direct) {
		explore_memory_modify(e.now, at, bytes, new, order);
		result(old);
	}
	explore_memory_raw_set(at, bytes, new);
	return old;
}

/* A failed exchange is a load, and may return an old value. */
bool explore_cas(volatile void *at, size_t bytes, void *expect, uint64_t value,
		 int order, int failed_order)
{
	uint64_t want = explore_memory_raw(expect, bytes);
	bool direct = is_direct(at);
	struct explore_seen s;
	bool same;

	if (!direct)
		step();
	same = explore_memory_raw(at, bytes) == want;
	if (direct && !same) {
		explore_memory_raw_set(expect, bytes,
				       explore_memory_raw(at, bytes));
	} else if (!direct) {
		int others = explore_memory_others(e.now, at, bytes, want,
						   failed_order);
		int pick = choose(others + same);

		if (same && pick == 0) {
			explore_memory_modify(e.now, at, bytes, value, order);
		} else {
			pick -= same;
			same = false;
			s = explore_memory_pick_other(e.now, at, bytes, want,
						      failed_order, pick);
			note_load(self(), s);
			explore_memory_raw_set(expect, bytes,
					       explore_memory_value(&s));
		}
		result(explore_memory_raw(expect, bytes) * 2 + same);
	}
	if (same)
		explore_memory_raw_set(at, bytes, value);
	return same;
}

void explore_fence(int order)
{
	if (e.now < 0 || e.x->fault == EXPLORE_NO_FENCE)
		return;
	step();
	explore_memory_fence(e.now, order);
	result(2);
}

void explore_membarrier(void)
{
	if (e.now < 0 || e.x->fault == EXPLORE_NO_MEMBARRIER)
		return;
	step();
	explore_memory_membarrier();
	result(3);
}

/*
 * Models an iteration of a spin loop with a limit. Two cases are explored: all
 * further iterations return the same value, or the next iteration returns
 * another value. Iterations in between change nothing.
 */
void explore_spin(void)
{
	struct thread *t = self();

	if (!t || t->repeat || !t->last.at)
		return;
	if (choose(2) == 0) {
		t->repeat = true;
		return;
	}
	t->spun = true;
	t->status = SPINNING;
	to_scheduler();
}

void explore_poll(void)
{
	self()->before = self()->history;
	self()->seen_count = 0;
}

void explore_again(void)
{
	struct thread *t = self();

	t->history = t->before;
	for (int i = 0; i < t->seen_count; i++)
		t->history += mix((uintptr_t)t->seen[i].at,
				  explore_memory_value(&t->seen[i]));
	t->status = POLLING;
	to_scheduler();
}

/*
 * As in the operating system, comparing the words and queueing the thread is
 * one step.
 */
int explore_futex_wait(const volatile void *const word[2],
		       const uint32_t value[2], int words, uint32_t bits)
{
	struct thread *t = self();
	struct explore_seen s;

	step();
	explore_memory_fence(e.now, EXPLORE_SEQ_CST);
	for (int i = 0; i < words; i++) {
		int n = explore_memory_picks(e.now, word[i], 4, 0);

		s = explore_memory_pick(e.now, word[i], 4, 0, choose(n));
		result(explore_memory_value(&s));
		if (explore_memory_value(&s) != value[i])
			return 0;
		t->word[i] = word[i];
	}
	t->words = words;
	t->bits = bits;
	t->status = BLOCKED;
	to_scheduler();
	return 0;
}

static bool blocks_on(const struct thread *t, const volatile void *word,
		      uint32_t bits)
{
	return t->status == BLOCKED && t->bits & bits &&
	       (t->word[0] == word || (t->words > 1 && t->word[1] == word));
}

void explore_futex_wake(const volatile void *word, uint32_t bits)
{
	step();
	explore_memory_fence(e.now, EXPLORE_SEQ_CST);
	result(4);
	if (e.x->fault == EXPLORE_NO_WAKE && !e.wake_lost) {
		e.wake_lost = true;
		return;
	}
	for (int i = 0; i < e.x->threads; i++) {
		if (blocks_on(&e.thread[i], word, bits))
			e.thread[i].status = READY;
	}
}

/* ---- plain memory -------------------------------------------------------- */

void explore_plain_read(const void *at, size_t bytes)
{
	if (e.now >= 0 && explore_memory_plain(e.now, at, bytes, false))
		explore_fail("data race: a read is not ordered after a write");
}

void explore_plain_write(void *at, size_t bytes)
{
	if (e.now >= 0 && explore_memory_plain(e.now, at, bytes, true))
		explore_fail("data race: a write is not ordered");
}

void *explore_copy(void *to, const void *from, size_t bytes)
{
	explore_plain_read(from, bytes);
	explore_plain_write(to, bytes);
	return memmove(to, from, bytes);
}
