/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread processor. A command starts a thread with a program and six
 * registers. The thread waits in the run queue for the priority of its command
 * queue, and runs until it ends or yields; one thread runs at a time. A program
 * is a host function, known only in its context. An event that copies a start
 * command to a command queue starts a thread when a packet arrives.
 */
#include "prov/machine/qsnet2/qsnet2_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct qsnet2_program {
	weft_qsnet2_program fn;
	void *arg;
};

static uint64_t program_key(unsigned context, uint32_t pc)
{
	return (uint64_t)context << 32 | pc;
}

static struct qsnet2_program *program_find(struct weft_qsnet2 *s,
					   unsigned context, uint32_t pc)
{
	return weft_hash_get(&s->programs, program_key(context, pc));
}

static int program_add(struct weft_qsnet2 *s, uint64_t key,
		       const struct qsnet2_program *like)
{
	struct qsnet2_program *p = weft_hash_get(&s->programs, key);
	int err;

	if (p) {
		*p = *like;
		return 0;
	}
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = *like;
	err = weft_hash_set(&s->programs, key, p);
	if (err)
		free(p);
	return err;
}

WEFT_EXPORT int weft_qsnet2_program_set(struct weft_qsnet2 *s, unsigned context,
					uint32_t pc, weft_qsnet2_program fn,
					void *arg)
{
	const struct qsnet2_program p = { fn, arg };

	if (context >= WEFT_QSNET2_CONTEXTS || !pc)
		return -EINVAL;
	if (fn)
		return program_add(s, program_key(context, pc), &p);
	free(weft_hash_del(&s->programs, program_key(context, pc)));
	return 0;
}

static bool program_there(struct weft_qsnet2 *s, unsigned context, uint32_t pc)
{
	return pc ? program_find(s, context, pc) != NULL : s->thread != NULL;
}

/* ---- run queues ---- */

static bool threads_push(struct qsnet2_threads *q,
			 const struct weft_qsnet2_thread *t)
{
	if (!q->ring)
		q->ring = calloc(WEFT_QSNET2_THREADS, sizeof(*q->ring));
	if (!q->ring || q->tail - q->head == WEFT_QSNET2_THREADS)
		return false;
	q->ring[q->tail++ % WEFT_QSNET2_THREADS] = *t;
	return true;
}

enum weft_qsnet2_trap qsnet2_thread_start(struct weft_qsnet2 *s,
					  unsigned context, unsigned flags,
					  const uint64_t *w)
{
	struct weft_qsnet2_thread t = {
		.unit = s,
		.context = context,
		.flags = flags & WEFT_QSNET2_HIGH,
		.pc = qsnet2_cmd_high(w[0]),
	};

	if (!program_there(s, context, t.pc))
		return WEFT_QSNET2_TRAP_COMMAND;
	memcpy(t.regs, w + 1, sizeof(t.regs));
	s->rare = true;
	return threads_push(&s->threads[t.flags], &t)
		       ? WEFT_QSNET2_TRAP_NONE
		       : WEFT_QSNET2_TRAP_THREAD_OVERFLOW;
}

/*
 * Runs a thread until it yields or ends; does nothing if its program was
 * removed.
 */
static int thread_run_once(struct weft_qsnet2 *s, struct weft_qsnet2_thread *t)
{
	const struct qsnet2_program *p;

	s->stats.threads++;
	if (!t->pc) {
		s->thread(s->arg, t->context, t->regs);
		return 0;
	}
	p = program_find(s, t->context, t->pc);
	if (!p)
		return 0;
	t->arg = p->arg;
	return p->fn(t);
}

int qsnet2_thread_run(struct weft_qsnet2 *s, int budget)
{
	struct weft_qsnet2_thread t;
	int n = 0;

	while (n < budget) {
		struct qsnet2_threads *high = &s->threads[1];
		struct qsnet2_threads *q =
			high->head != high->tail ? high : &s->threads[0];

		if (q->head == q->tail)
			break;
		t = q->ring[q->head++ % WEFT_QSNET2_THREADS];
		if (thread_run_once(s, &t))
			/* cannot fail: the slot of this thread is free */
			threads_push(q, &t);
		n++;
	}
	return n;
}

bool qsnet2_thread_waits(const struct weft_qsnet2 *s)
{
	return s->threads[0].head != s->threads[0].tail ||
	       s->threads[1].head != s->threads[1].tail;
}

static void program_free(void *arg, uint64_t key, void *val)
{
	free(val);
}

void qsnet2_thread_fini(struct weft_qsnet2 *s)
{
	weft_hash_each(&s->programs, program_free, NULL);
	weft_hash_fini(&s->programs);
	free(s->threads[0].ring);
	free(s->threads[1].ring);
}
