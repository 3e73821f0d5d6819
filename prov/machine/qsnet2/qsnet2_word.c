/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics of the message engine on a peer's memory, live. A sum of 8 bytes
 * without result is an add-word transaction, which the target's input processor
 * executes. For all other operations the packet starts a thread at the target,
 * whose program changes the word and returns the old value.
 *
 * On the machine the target's MMU translates the address while its processor
 * computes. Here this unit does the work of the target: it checks the target's
 * mappings in shared memory (qsnet2_bulk.c), and changes the word, which both
 * processes have mapped, by atomic instructions. An address without mapping, or
 * without permission, traps.
 */
#include "prov/machine/machine_regs.h"
#include "prov/machine/qsnet2/qsnet2_bulk.h"
#include "prov/machine/qsnet2/qsnet2_swap.h"

#include <errno.h>

#define WORD_PROGRAM 1 /* number of the program in the engine's context */

/*
 * Program of the thread processor. Registers: address of the atomic (struct
 * weft_amo_word), and of a flag that is set at the end.
 */
static int word_program(struct weft_qsnet2_thread *t)
{
	struct weft_amo_word *w = (void *)(uintptr_t)t->regs[0];

	w->exec(w);
	*(bool *)(uintptr_t)t->regs[1] = true;
	return 0;
}

int qsnet2_word_open(struct weft_qsnet2 *s, unsigned context)
{
	return weft_qsnet2_program_set(s, context, WORD_PROGRAM, word_program,
				       NULL);
}

/*
 * Checks the access of an atomic against the target's mappings, as the target's
 * MMU would.
 */
static int word_check(struct weft_qsnet2 *s, struct weft_peer *peer,
		      const struct weft_amo_word *w)
{
	struct weft_regs_entry want = { .base = w->remote, .bytes = w->bytes };
	struct weft_regs_entry e;
	uint32_t i;
	int err;

	if (w->op != WEFT_NUM_READ)
		want.flags |= WEFT_QSNET2_REMOTE_WRITE;
	if (w->kind != WEFT_ATOMIC)
		want.flags |= WEFT_QSNET2_REMOTE_READ;
	err = weft_regs_find(s->bulk_maps, peer, 0, &want, &i, &e);
	if (err == -EACCES)
		qsnet2_trap(s, WEFT_QSNET2_TRAP_MEMORY, w->remote);
	return err;
}

static bool is_add_word(const struct weft_amo_word *w)
{
	return w->kind == WEFT_ATOMIC && w->op == WEFT_NUM_SUM &&
	       (w->type == WEFT_NUM_I64 || w->type == WEFT_NUM_U64);
}

/* Starts the thread at high priority, and runs it to its end. */
static int word_thread(struct weft_qsnet2 *s, struct weft_amo_word *w)
{
	bool done = false;
	const uint64_t command[7] = { WEFT_QSNET2_RUN_THREAD |
					      (uint64_t)WORD_PROGRAM << 32,
				      (uintptr_t)w, (uintptr_t)&done };

	if (qsnet2_thread_start(s, s->bulk_context, WEFT_QSNET2_HIGH, command))
		return -EAGAIN;
	while (!done)
		qsnet2_thread_run(s, 1);
	return 0;
}

int qsnet2_word_amo(struct weft_qsnet2 *s, struct weft_unit *u,
		    struct weft_peer *peer, struct weft_amo_word *w)
{
	int err = word_check(s, peer, w);

	if (!err && is_add_word(w))
		qsnet2_word_add(w->at, w->operand, false);
	else if (!err)
		err = word_thread(s, w);
	if (err)
		return err;
	s->stats.packets++;
	s->stats.acks[0]++;
	u->atomics++;
	return 0;
}
