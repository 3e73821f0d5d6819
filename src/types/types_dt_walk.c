/* SPDX-License-Identifier: BSD-3-Clause */
/* Walk over the basic elements of a type, in the order of its type map. */
#include "src/types/types_dt_map.h"

static int walk_row(const struct weft_dt *dt, MPI_Count n, weft_dt_walk_fn fn,
		    void *arg)
{
	int rc = 0;

	if (n && dt->unit)
		return fn(arg, dt->unit, n * dt->units);
	for (MPI_Count i = 0; i < n && !rc; i++)
		rc = weft_dt_walk(dt, fn, arg);
	return rc;
}

int weft_dt_walk(const struct weft_dt *dt, weft_dt_walk_fn fn, void *arg)
{
	const struct weft_dt_map *m = dt->map;
	int rc = 0;

	if (dt->units == 0)
		return 0;
	if (dt->unit)
		return fn(arg, dt->unit, dt->units);
	if (m->kind == WEFT_MAP_ALIAS)
		return weft_dt_walk(m->old[0], fn, arg);
	for (MPI_Count i = 0; i < m->count && !rc; i++)
		rc = walk_row(weft_dt_map_old(m, i), weft_dt_map_len(m, i), fn,
			      arg);
	return rc;
}

struct tally {
	MPI_Count bytes; /* bytes left */
	MPI_Count units; /* elements left, for tally_bytes() */
	MPI_Count done;
};

/* Counts elements while bytes are left. */
static int tally_units(void *arg, const struct weft_dt *basic, MPI_Count n)
{
	struct tally *t = arg;
	MPI_Count fit = t->bytes / basic->size;

	if (fit < n) {
		t->done += fit;
		t->bytes -= fit * basic->size;
		return 1;
	}
	t->done += n;
	t->bytes -= n * basic->size;
	return 0;
}

/* Counts bytes while elements are left. */
static int tally_bytes(void *arg, const struct weft_dt *basic, MPI_Count n)
{
	struct tally *t = arg;
	MPI_Count take = t->units < n ? t->units : n;

	t->done += take * basic->size;
	t->units -= take;
	return t->units == 0;
}

MPI_Count weft_dt_elements(const struct weft_dt *dt, MPI_Count bytes)
{
	struct tally t = { .bytes = 0 };

	if (dt->size <= 0)
		return bytes ? -1 : 0;
	t.bytes = bytes % dt->size;
	t.done = bytes / dt->size * dt->units;
	if (t.bytes)
		weft_dt_walk(dt, tally_units, &t);
	return t.bytes ? -1 : t.done;
}

MPI_Count weft_dt_bytes(const struct weft_dt *dt, MPI_Count n)
{
	struct tally t = { .bytes = 0 };

	if (dt->units == 0)
		return 0;
	t.units = n % dt->units;
	t.done = n / dt->units * dt->size;
	if (t.units)
		weft_dt_walk(dt, tally_bytes, &t);
	return t.done;
}

const struct weft_dt *weft_dt_element(const struct weft_dt *dt)
{
	const struct weft_dt_map *m = dt->map;
	const struct weft_dt *one = NULL, *e;

	if (dt->obj.predefined || !m)
		return dt;
	for (MPI_Count i = 0; i < m->olds; i++) {
		/* an empty block adds no element, whatever its type */
		if (!m->old[i]->size || (m->olds > 1 && !weft_dt_map_len(m, i)))
			continue;
		e = weft_dt_element(m->old[i]);
		if (!e || (one && one != e))
			return NULL;
		one = e;
	}
	return one;
}
