/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of the accumulate lock: word changes and long changes lose no update,
 * with threads, so that ThreadSanitizer checks the ordering, and with
 * processes, which block and are woken.
 */
#include "src/win/win_acc_lock.h"

#include "src/diag/diag_peer_failure.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/os/waiter.h"
#include "test/t.h"

#include <sys/mman.h>

struct weft_core weft_core;
static bool member_died;

int weft_progress(void)
{
	return 0;
}

bool weft_failure_in(const struct weft_comm *c)
{
	return member_died;
}

#define ROUNDS	2000
#define MEMBERS 4
#define WORDS	8
#define TARGET	2

/* Memory of the target, and the state of all members. */
struct shared {
	struct win_acc_lock lock;
	struct win_record record[MEMBERS];
	/* changed by both kinds of changes */
	uint64_t word[WORDS];
};

static struct win_acc_members members_of(struct shared *s)
{
	return (struct win_acc_members){ &s->record[0].busy,
					 sizeof(s->record[0]), MEMBERS, NULL };
}

static void add_long(struct shared *s)
{
	struct win_acc_members m = members_of(s);

	T_OK(win_acc_lock_acquire(&s->lock, TARGET, &m));
	for (int i = 0; i < WORDS; i++)
		s->word[i]++;
	win_acc_lock_release(&s->lock);
}

/*
 * Adds one to a word, or to all words if the lock refuses a word change.
 * Returns the number of additions.
 */
static int add_word(struct shared *s, int me, bool threads)
{
	weft_au32 *busy = &s->record[me].busy;

	if (!win_acc_word_begin(&s->lock, busy, TARGET, threads)) {
		add_long(s);
		return WORDS;
	}
	weft_add64((weft_au64 *)(void *)&s->word[me % WORDS], 1);
	win_acc_word_end(busy);
	return 1;
}

/*
 * Makes word changes and long changes in turn. Returns the number of additions.
 */
static long add_both(struct shared *s, int me, bool threads)
{
	long n = 0;

	for (int i = 0; i < t_scale(ROUNDS); i++) {
		n += add_word(s, me, threads);
		if ((i + me) % 3 == 0) {
			add_long(s);
			n += WORDS;
		}
	}
	return n;
}

static long sum_of(const struct shared *s)
{
	long sum = 0;

	for (int i = 0; i < WORDS; i++)
		sum += (long)s->word[i];
	return sum;
}

static struct shared threads_share;
static weft_au64 added;
static weft_au32 next_member;

static void *add_as_member(void *arg)
{
	int me = (int)weft_add32(&next_member, 1);

	(void)arg;
	weft_add64(&added, (uint64_t)add_both(&threads_share, me, false));
	return NULL;
}

/* All threads are one member, with one busy word. */
static void *add_as_thread(void *arg)
{
	(void)arg;
	weft_add64(&added, (uint64_t)add_both(&threads_share, 1, true));
	return NULL;
}

static void check_sum(void *(*thread)(void *))
{
	memset(&threads_share, 0, sizeof(threads_share));
	weft_store64(&added, 0);
	weft_store32(&next_member, 0);
	t_threads(MEMBERS, thread, NULL, 0);
	T_IS(sum_of(&threads_share), (long)weft_load64(&added));
	T_IS(weft_load32(&threads_share.lock.waiters), 0);
	for (int i = 0; i < MEMBERS; i++)
		T_IS(weft_load32(&threads_share.record[i].busy), 0);
}

static void members_lose_no_update(void **state)
{
	check_sum(add_as_member);
}

static void threads_of_a_member_lose_no_update(void **state)
{
	check_sum(add_as_thread);
}

static int add_in_process(int i, void *arg)
{
	weft_au64 *total = (weft_au64 *)((struct shared *)arg + 1);

	weft_add64(total, (uint64_t)add_both(arg, i, false));
	return 0;
}

static void processes_lose_no_update(void **state)
{
	size_t bytes = sizeof(struct shared) + sizeof(weft_au64);
	struct shared *s = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(s != MAP_FAILED);
	t_processes(MEMBERS, add_in_process, s, 60);
	T_IS(sum_of(s), (long)weft_load64((weft_au64 *)(void *)(s + 1)));
	munmap(s, bytes);
}

/* A word change at another target does not delay a long change. */
static void other_targets_are_independent(void **state)
{
	struct shared s = { 0 };
	struct win_acc_lock other = { 0 };

	T_TRUE(win_acc_word_begin(&other, &s.record[0].busy, TARGET + 1,
				  false));
	add_long(&s);
	T_IS(sum_of(&s), WORDS);
	win_acc_word_end(&s.record[0].busy);
}

static void held_lock_refuses_word_changes(void **state)
{
	struct shared s = { 0 };
	struct win_acc_members m = members_of(&s);

	T_OK(win_acc_lock_acquire(&s.lock, TARGET, &m));
	T_TRUE(!win_acc_word_begin(&s.lock, &s.record[0].busy, TARGET, false));
	T_IS(weft_load32(&s.record[0].busy), 0);
	T_TRUE(!win_acc_word_begin(&s.lock, &s.record[0].busy, TARGET, true));
	T_IS(weft_load32(&s.record[0].busy), 0);
	win_acc_lock_release(&s.lock);
	T_TRUE(win_acc_word_begin(&s.lock, &s.record[0].busy, TARGET, false));
	T_IS(weft_load32(&s.record[0].busy), TARGET + 1);
	win_acc_word_end(&s.record[0].busy);
}

static void death_of_a_member_ends_the_wait(void **state)
{
	struct shared s = { 0 };
	struct win_acc_members m = members_of(&s);

	member_died = true;
	T_TRUE(win_acc_word_begin(&s.lock, &s.record[3].busy, TARGET, false));
	T_IS(win_acc_lock_acquire(&s.lock, TARGET, &m), -ECONNRESET);
	if (!weft_wait_is_unbounded())
		T_IS(win_acc_lock_acquire(&s.lock, TARGET, &m), -ECONNRESET);
	member_died = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(members_lose_no_update),
		T_CASE(threads_of_a_member_lose_no_update),
		T_CASE(processes_lose_no_update),
		T_CASE(other_targets_are_independent),
		T_CASE(held_lock_refuses_word_changes),
		T_CASE(death_of_a_member_ends_the_wait),
	};

	return T_RUN(tests);
}
