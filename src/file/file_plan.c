/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan of a collective access (file_plan.h). */
#include "src/file/file_plan.h"

#include "src/file/file_layout.h"

/* Two phases are used up to this ratio of the accessed range to the data. */
#define SPARSE	   8
/*
 * On one host the members share the page cache. Up to this ratio of the tile to
 * its data, reading the gaps costs less than messages. From this mean length of
 * the pieces on, in bytes, one system call per piece costs less than messages.
 */
#define READ_ALL   4
#define LONG_PIECE 2048

/* ---- methods ------------------------------------------------------------- */

static bool is_direct(const struct file_layout *l, bool write)
{
	if (l->contig || !l->dt->size || l->dt->size / l->pieces >= LONG_PIECE)
		return true;
	return !write && l->dt->extent / READ_ALL <= l->dt->size;
}

void file_plan_view_set(struct weft_file *f)
{
	for (int write = 0; write < 2; write++) {
		f->direct[write] = f->hosts == 1;
		for (int i = 0; i < f->comm->size && f->direct[write]; i++)
			f->direct[write] =
				is_direct(weft_file_layout(f, i), write);
	}
}

bool file_plan_is_direct(const struct weft_file *f, bool write)
{
	enum file_switch use = write ? f->hints.cb_write : f->hints.cb_read;

	return !f->seekable || use == FILE_DISABLE ||
	       (use == FILE_AUTO && f->direct[write]);
}

/* ---- ranges -------------------------------------------------------------- */

struct range {
	MPI_Offset offset;
	MPI_Offset end;
};

static struct range range_of(const struct file_plan *p, int rank)
{
	const struct file_member *m = &p->member[rank];
	const struct file_layout *l = weft_file_layout(p->f, rank);
	struct range r;

	r.offset = file_layout_offset(l, (size_t)m->pos);
	r.end = file_layout_end(l, (size_t)m->pos, (size_t)m->bytes);
	return r;
}

static bool is_ordered(const struct file_plan *p, int rank)
{
	const struct file_member *m = &p->member[rank];

	return file_layout_is_ordered(weft_file_layout(p->f, rank),
				      (size_t)m->pos, (size_t)m->bytes);
}

/* The ranges of all members together. */
struct total {
	struct range all;
	MPI_Offset bytes;
	bool interleaved; /* a range begins before the previous one ends */
	bool unordered;	  /* the offsets in a member's range decrease */
};

static struct total add_up(const struct file_plan *p)
{
	struct total t = { .all = { INT64_MAX, 0 } };
	MPI_Offset end = 0;

	for (int i = 0; i < p->f->comm->size; i++) {
		struct range r;

		if (!p->member[i].bytes)
			continue;
		t.unordered = t.unordered || !is_ordered(p, i);
		r = range_of(p, i);
		t.interleaved = t.interleaved || r.offset < end;
		end = r.end;
		t.bytes += p->member[i].bytes;
		if (r.offset < t.all.offset)
			t.all.offset = r.offset;
		if (r.end > t.all.end)
			t.all.end = r.end;
	}
	return t;
}

static bool use_two_phases(const struct weft_file *f, const struct total *t,
			   bool write)
{
	enum file_switch use = write ? f->hints.cb_write : f->hints.cb_read;

	if (!t->bytes || t->unordered || file_plan_is_direct(f, write))
		return false;
	return use == FILE_ENABLE ||
	       (t->interleaved &&
		(t->all.end - t->all.offset) / SPARSE <= t->bytes);
}

static MPI_Offset round_up(MPI_Offset n, MPI_Offset unit)
{
	return (n + unit - 1) / unit * unit;
}

static void divide(struct file_plan *p, const struct total *t)
{
	const struct file_hints *h = &p->f->hints;
	MPI_Offset unit = (MPI_Offset)h->unit, n = p->f->aggregators;
	MPI_Offset window = (MPI_Offset)h->cb_bytes / unit * unit;

	p->base = t->all.offset / unit * unit;
	p->end = t->all.end;
	p->domain = round_up((p->end - p->base + n - 1) / n, unit);
	p->window = window ? window : unit;
	if (p->window > p->domain)
		p->window = p->domain;
	p->rounds = (int)((p->domain + p->window - 1) / p->window);
}

int file_plan_make(struct file_plan *p, const struct weft_file *f,
		   const struct file_member *member, bool write)
{
	struct total t;

	*p = (struct file_plan){ .f = f, .member = member };
	for (int i = 0; i < f->comm->size; i++)
		if (member[i].error)
			return (int)member[i].error;
	t = add_up(p);
	p->two_phase = use_two_phases(f, &t, write);
	if (p->two_phase)
		divide(p, &t);
	return 0;
}

struct file_window file_plan_window(const struct file_plan *p, int aggregator,
				    int round)
{
	MPI_Offset begin = p->base + aggregator * p->domain;
	struct file_window w = { begin + round * p->window,
				 begin + (round + 1) * p->window };

	if (w.end > begin + p->domain)
		w.end = begin + p->domain;
	if (w.end > p->end)
		w.end = p->end;
	if (w.end < w.offset)
		/* the window begins beyond the end, so it is empty */
		w.end = w.offset;
	return w;
}

/* Returns the position, limited to the range of the member. */
static size_t clamp(const struct file_member *m, size_t pos)
{
	size_t lo = (size_t)m->pos, hi = lo + (size_t)m->bytes;

	return pos < lo ? lo : pos > hi ? hi : pos;
}

struct file_part file_plan_part(const struct file_plan *p, int rank,
				struct file_window w)
{
	const struct file_member *m = &p->member[rank];
	const struct file_layout *l = weft_file_layout(p->f, rank);
	struct file_part part = { 0 };

	if (!m->bytes || w.end <= w.offset)
		return part;
	part.pos = clamp(m, file_layout_pos(l, w.offset));
	part.bytes = clamp(m, file_layout_pos(l, w.end)) - part.pos;
	if (!part.bytes)
		return part;
	part.offset = file_layout_offset(l, part.pos);
	part.end = file_layout_end(l, part.pos, part.bytes);
	return part;
}
