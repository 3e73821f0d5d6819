/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics of the machine's interface on one element; see win_unit.h. */
#include "src/win/win_unit.h"

#include "src/boot/boot_wire_up.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/diag/diag_count.h"
#include "src/win/win_fabric.h"
#include "src/win/win_op.h"
#include "src/win/win_word.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>

static int unit_errno(int rc)
{
	if (rc == -FI_EACCES || rc == -FI_EFAULT)
		return -ERANGE;
	return rc ? 1 : 0;
}

/* Returns the address of a process; FI_ADDR_NOTAVAIL: not known. */
static fi_addr_t address_of(int proc)
{
	const fi_addr_t *real = &weft_core.proc[proc].real;

	if (weft_unlikely(*real == FI_ADDR_NOTAVAIL) && weft_wire_resolve(proc))
		return FI_ADDR_NOTAVAIL;
	return *real;
}

int win_unit_change(struct weft_win *w, const struct win_unit_call *c)
{
	struct win_fi f = { .len = (size_t)c->unit->size };
	struct fi_weft_amo_word word = {
		.at = c->at,
		.operand = c->r.in,
		.compare = c->r.compare,
		.result = c->r.old,
		.type = win_fabric_type(c->unit),
		.op = c->r.compare ? FI_CSWAP : (enum fi_op)c->op->num,
	};
	fi_addr_t to;
	int rc;

	if (c->target == w->rank || !(w->fabric->types >> c->unit->basic & 1) ||
	    win_fi_find(w, c->target, c->location, &f) ||
	    f.len != (size_t)c->unit->size)
		return 1;
	word.remote = f.addr;
	word.key = f.key;
	weft_lock();
	to = address_of(w->comm->proc[c->target]);
	rc = to == FI_ADDR_NOTAVAIL
		     ? 1
		     : unit_errno(w->amo->word(weft_core.ep, to, &word));
	if (!rc && !c->at)
		weft_count(WEFT_COUNT_WIN_FABRIC, 1);
	weft_unlock();
	return rc;
}

int weft_win_word_by_unit(struct weft_win *w,
			  const struct weft_win_word_call *c)
{
	uint64_t unit = w->peer[c->rank].unit;
	const struct win_unit_call u = {
		.target = c->rank,
		.unit = c->dt,
		.op = c->op,
		.location = (char *)((uintptr_t)c->disp * unit),
		.r = { c->in, c->compare, c->result },
		.at = c->at,
	};

	return win_unit_change(w, &u);
}
