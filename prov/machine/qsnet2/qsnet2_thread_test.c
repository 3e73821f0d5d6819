/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread processor: programs, contexts, priorities, start by commands. */
#include "test/support/qsnet2_pair.h"

#define LOG_MAX 4096

/* The first register of each run, in order of execution. */
struct log {
	uint64_t id[LOG_MAX];
	unsigned context[LOG_MAX];
	int n;
};

static int log_run(struct weft_qsnet2_thread *t)
{
	struct log *l = t->arg;

	T_TRUE(l->n < LOG_MAX);
	l->context[l->n] = t->context;
	l->id[l->n++] = t->regs[0];
	return 0;
}

/*
 * Logs a run. Register 1 is the number of runs left; returns whether another
 * run follows.
 */
static int log_runs(struct weft_qsnet2_thread *t)
{
	log_run(t);
	return t->regs[1]-- > 1;
}

static void start(struct weft_qsnet2 *s, unsigned q, uint32_t pc, uint64_t id,
		  uint64_t runs)
{
	const uint64_t regs[6] = { id, runs };
	uint64_t word[7];
	struct weft_qsnet2_stream st = { .word = word, .max = 7 };

	weft_qsnet2_start_thread(&st, pc, regs);
	T_OK(weft_qsnet2_queue_write(s, q, word, st.count));
}

/* Contexts 5 and 6 each have their own program 1. */
static void a_program_belongs_to_its_context(void **state)
{
	struct log five = { .n = 0 };
	struct log six = { .n = 0 };
	struct pair p;
	unsigned q;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 6, 1024, 255, 0, &q));
	T_OK(weft_qsnet2_program_set(p.a.s, 5, 1, log_run, &five));
	T_IS(weft_qsnet2_program_set(p.a.s, 5, 0, log_run, &five), -EINVAL);
	start(p.a.s, p.a.q, 1, 10, 1);
	pair_run(&p, 5);
	T_IS(five.n, 1);
	T_IS(five.id[0], 10);
	T_IS(five.context[0], 5);
	start(p.a.s, q, 1, 11, 1);
	pair_run(&p, 5);
	T_IS(five.n, 1);
	p.a.q = q;
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_COMMAND);
	T_OK(weft_qsnet2_queue_clear(p.a.s, q));
	T_OK(weft_qsnet2_program_set(p.a.s, 6, 1, log_run, &six));
	start(p.a.s, q, 1, 12, 1);
	pair_run(&p, 5);
	T_IS(five.n, 1);
	T_IS(six.n, 1);
	T_IS(six.context[0], 6);
	T_OK(weft_qsnet2_program_set(p.a.s, 6, 1, NULL, NULL));
	start(p.a.s, q, 1, 13, 1);
	pair_run(&p, 5);
	T_IS(six.n, 1);
	T_IS(pair_state(&p.a).trap, WEFT_QSNET2_TRAP_COMMAND);
	pair_close(&p);
}

/* High-priority threads run first, and between the runs of other threads. */
static void threads_of_high_priority_run_first(void **state)
{
	static const uint64_t want[] = { 20, 21, 20, 21, 1, 2, 1, 2, 1 };
	struct log l = { .n = 0 };
	struct pair p;
	unsigned high;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, WEFT_QSNET2_HIGH,
				    &high));
	T_OK(weft_qsnet2_program_set(p.a.s, 5, 1, log_runs, &l));
	start(p.a.s, p.a.q, 1, 1, 3);
	start(p.a.s, p.a.q, 1, 2, 2);
	start(p.a.s, high, 1, 20, 2);
	start(p.a.s, high, 1, 21, 2);
	for (int i = 0; i < 10; i++)
		weft_qsnet2_poll(p.a.s, 16);
	T_IS(l.n, WEFT_COUNT_OF(want));
	for (unsigned i = 0; i < WEFT_COUNT_OF(want); i++)
		T_IS(l.id[i], want[i]);
	pair_close(&p);
}

static void a_high_priority_thread_runs_at_a_yield(void **state)
{
	struct log l = { .n = 0 };
	struct pair p;
	unsigned high;
	int before;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 1024, 255, WEFT_QSNET2_HIGH,
				    &high));
	T_OK(weft_qsnet2_program_set(p.a.s, 5, 1, log_runs, &l));
	start(p.a.s, p.a.q, 1, 1, 1000);
	weft_qsnet2_poll(p.a.s, 16);
	before = l.n;
	T_TRUE(before > 0 && before < 1000);
	start(p.a.s, high, 1, 20, 1);
	weft_qsnet2_poll(p.a.s, 16);
	T_IS(l.id[before], 20);
	T_IS(l.id[before + 1], 1);
	for (int i = 0; i < 100; i++)
		weft_qsnet2_poll(p.a.s, 16);
	T_IS(l.n, 1001);
	pair_close(&p);
}

static void a_full_run_queue_traps_the_starting_queue(void **state)
{
	struct weft_qsnet2_queue_state st;
	struct log l = { .n = 0 };
	struct pair p;
	unsigned q;

	pair_open(&p, "");
	T_OK(weft_qsnet2_queue_open(p.a.s, 5, 64 * 1024, 255, 0, &q));
	T_OK(weft_qsnet2_program_set(p.a.s, 5, 1, log_run, &l));
	for (uint64_t i = 0; i <= WEFT_QSNET2_THREADS; i++)
		start(p.a.s, q, 1, i, 1);
	for (int i = 0; i < 2000; i++)
		weft_qsnet2_poll(p.a.s, 16);
	T_OK(weft_qsnet2_queue_state(p.a.s, q, &st));
	T_IS(st.trap, WEFT_QSNET2_TRAP_THREAD_OVERFLOW);
	T_IS(l.n, WEFT_QSNET2_THREADS);
	start(p.a.s, p.a.q, 1, 1, 1);
	weft_qsnet2_poll(p.a.s, 16);
	T_IS(l.n, WEFT_QSNET2_THREADS + 1);
	pair_close(&p);
}

/* A packet sets an event, which copies the command that starts a thread. */
static void an_event_starts_a_thread(void **state)
{
	const uint64_t regs[6] = { 77 };
	struct weft_qsnet2_stream st;
	struct weft_qsnet2_event *e;
	struct log l = { .n = 0 };
	struct pair p;

	pair_open(&p, "");
	T_OK(weft_qsnet2_program_set(p.b.s, 6, 3, log_run, &l));
	st = (struct weft_qsnet2_stream){ .word = qsnet2_word_at(&p.b, 2048),
					  .max = 7 };
	weft_qsnet2_start_thread(&st, 3, regs);
	e = (struct weft_qsnet2_event *)(void *)(p.b.mem + 64);
	e->count = -1;
	e->type = WEFT_QSNET2_EVENT_COPY;
	e->words = 7;
	e->from = qsnet2_at(&p.b, 2048);
	e->to = WEFT_QSNET2_QUEUE_ADDRESS(p.b.q);
	weft_qsnet2_open_packet(&p.a.st, 0, 1, 3);
	weft_qsnet2_transaction(&p.a.st,
				WEFT_QSNET2_T_SET_EVENT | WEFT_QSNET2_T_LAST,
				qsnet2_at(&p.b, 64), NULL, 0);
	pair_post_run(&p);
	T_IS(l.n, 1);
	T_IS(l.id[0], 77);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_program_belongs_to_its_context),
		T_CASE(threads_of_high_priority_run_first),
		T_CASE(a_high_priority_thread_runs_at_a_yield),
		T_CASE(a_full_run_queue_traps_the_starting_queue),
		T_CASE(an_event_starts_a_thread),
	};

	return T_RUN(tests);
}
