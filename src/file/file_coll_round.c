/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rounds of a collective access in two phases. Sender and receiver compute
 * the length of a message from the plan, so messages have no headers:
 *
 *   write   members send their parts to the aggregators, which receive
 *           contiguous parts at their place in the buffer, scatter the others,
 *           and write the window
 *   read    aggregators read the window and send each member its part, less the
 *           bytes beyond the end of the file
 */
#include "src/file/file_coll.h"

#include "src/file/file_layout.h"
#include "src/file/file_stream.h"
#include "src/file/file_window.h"
#include "src/msg/msg_p2p.h"

#include <errno.h>
#include <stdlib.h>

/* ---- helpers ------------------------------------------------------------- */

static struct weft_p2p_args message(struct file_coll *c, char *buf,
				    size_t bytes, int peer)
{
	return (struct weft_p2p_args){ .buf = buf,
				       .count = (MPI_Count)bytes,
				       .dt = weft_dt_of(MPI_BYTE),
				       .peer = peer,
				       .tag = c->tag,
				       .comm = c->f->comm,
				       .mode = WEFT_P2P_COLL };
}

/*
 * Sends a message to a peer. If there is no memory for its data (buf is NULL),
 * an empty message is sent, so that the peer does not hang. Errors are
 * recorded.
 */
static void send(struct file_coll *c, char *buf, size_t bytes, int peer)
{
	const struct weft_p2p_args m = message(c, buf, buf ? bytes : 0, peer);
	struct weft_req *r;
	int rc = weft_core_isend(&m, &r);

	if (!rc)
		file_coll_wait_for(c, r);
	file_coll_fail(c, rc);
}

static struct weft_req *receive(struct file_coll *c, char *buf, size_t bytes,
				int peer)
{
	const struct weft_p2p_args m = message(c, buf, buf ? bytes : 0, peer);
	struct weft_req *r = NULL;

	file_coll_fail(c, weft_core_irecv(&m, &r));
	return r;
}

/* Reserves memory for the packed data of this round. */
static void packed_reserve(struct file_coll *c, size_t bytes)
{
	c->packed_used = 0;
	if (bytes <= c->packed_bytes)
		return;
	free(c->packed);
	c->packed = malloc(bytes);
	c->packed_bytes = c->packed ? bytes : 0;
	if (!c->packed)
		file_coll_fail(c, -ENOMEM);
}

static char *packed_take(struct file_coll *c, size_t bytes)
{
	size_t at = c->packed_used;

	c->packed_used += bytes;
	return c->packed ? c->packed + at : NULL;
}

/* Returns this rank's part of the window of an aggregator. */
static struct file_part own_part(const struct file_coll *c, int aggregator)
{
	return file_plan_part(&c->plan, c->f->comm->rank,
			      file_plan_window(&c->plan, aggregator, c->round));
}

/* Returns the position of a part in this rank's memory. */
static size_t mem_pos(const struct file_coll *c, const struct file_part *p)
{
	return p->pos - c->op.range.pos;
}

/*
 * If this rank is an aggregator, computes its window and the parts of all
 * members in it.
 */
static void find_parts(struct file_coll *c)
{
	if (c->index < 0)
		return;
	c->window = file_plan_window(&c->plan, c->index, c->round);
	for (int i = 0; i < c->f->comm->size; i++)
		c->part[i] = file_plan_part(&c->plan, i, c->window);
}

/*
 * Returns the window's buffer as a typed buffer with the layout of a member's
 * view.
 */
static struct weft_typed window_as(const struct file_coll *c, int rank)
{
	return file_layout_at(weft_file_layout(c->f, rank), c->f->buffer,
			      c->window.offset);
}

static char *window_at(const struct file_coll *c, MPI_Offset offset)
{
	return c->f->buffer ? c->f->buffer + (offset - c->window.offset) : NULL;
}

/* Returns the total size of the other members' parts that have gaps. */
static size_t parts_to_pack(const struct file_coll *c)
{
	size_t sum = 0;

	for (int i = 0; c->index >= 0 && i < c->f->comm->size; i++)
		if (i != c->f->comm->rank && !file_part_is_run(&c->part[i]))
			sum += c->part[i].bytes;
	return sum;
}

/*
 * Returns the number of bytes that this rank packs for, or unpacks from, other
 * ranks.
 */
static size_t own_to_pack(const struct file_coll *c)
{
	size_t sum = 0;

	if (file_stream_is_run(&c->op.range.mem))
		return 0;
	for (int a = 0; a < c->f->aggregators; a++)
		if (a != c->index)
			sum += own_part(c, a).bytes;
	return sum;
}

static void next_round(struct file_coll *c, file_stage first)
{
	c->round++;
	if (c->round < c->plan.rounds)
		c->next = first;
	else
		file_coll_agree(c);
}

/* ---- writing ------------------------------------------------------------- */

static void write_send_own(struct file_coll *c)
{
	const struct weft_typed *mem = &c->op.range.mem;

	for (int a = 0; a < c->f->aggregators; a++) {
		struct file_part p = own_part(c, a);
		char *at;

		if (a == c->index || !p.bytes)
			continue;
		if (file_stream_is_run(mem)) {
			at = file_stream_at(mem, mem_pos(c, &p));
		} else {
			at = packed_take(c, p.bytes);
			if (at)
				weft_pack(mem, mem_pos(c, &p), at, p.bytes);
		}
		send(c, at, p.bytes, c->f->aggregator[a]);
	}
}

/* Posts the receives of an aggregator. */
static void write_receive(struct file_coll *c)
{
	for (int i = 0; c->index >= 0 && i < c->f->comm->size; i++) {
		const struct file_part *p = &c->part[i];
		struct weft_req *r;
		char *at;

		if (!p->bytes || i == c->f->comm->rank)
			continue;
		at = file_part_is_run(p) ? window_at(c, p->offset)
					 : packed_take(c, p->bytes);
		r = receive(c, at, p->bytes, i);
		if (r)
			file_coll_wait_for(c, r);
	}
}

/* Copies the parts with gaps and this rank's own part to the buffer. */
static void write_scatter(struct file_coll *c)
{
	const char *at = c->packed;

	for (int i = 0; i < c->f->comm->size; i++) {
		const struct file_part *p = &c->part[i];
		struct weft_typed view = window_as(c, i);

		if (!p->bytes)
			continue;
		if (i == c->f->comm->rank) {
			file_stream_copy(&view, p->pos, &c->op.range.mem,
					 mem_pos(c, p), p->bytes);
		} else if (!file_part_is_run(p)) {
			weft_unpack(&view, p->pos, at, p->bytes);
			at += p->bytes;
		}
	}
}

static void write_window(struct file_job *job)
{
	struct file_coll *c = weft_container_of(job, struct file_coll, job);

	write_scatter(c);
	c->op.error = file_window_write(c->f, c->window, c->f->buffer, c->part);
}

static void write_exchange(struct file_coll *c);

static void write_stored(struct file_coll *c)
{
	file_coll_fail(c, c->op.error);
	next_round(c, write_exchange);
}

static void write_store(struct file_coll *c)
{
	c->next = write_stored;
	if (c->index >= 0 && !c->error)
		file_coll_run(c, write_window);
}

static void write_exchange(struct file_coll *c)
{
	find_parts(c);
	packed_reserve(c, parts_to_pack(c) + own_to_pack(c));
	c->next = write_store;
	/*
	 * in the packed data the received parts come first, then the sent parts
	 */
	write_receive(c);
	write_send_own(c);
}

/* ---- reading ------------------------------------------------------------- */

/* Records that the data of a part ends after `bytes` bytes. */
static void note_end(struct file_coll *c, const struct file_part *p,
		     size_t bytes)
{
	if (bytes < p->bytes && p->pos + bytes < c->valid)
		c->valid = p->pos + bytes;
}

/*
 * Returns the number of bytes of a member's part that are before the end of the
 * file.
 */
static size_t valid_bytes(const struct file_coll *c, int rank)
{
	const struct file_part *p = &c->part[rank];
	size_t pos;

	if (c->end == INT64_MAX)
		return p->bytes;
	if (c->end < 0)
		return 0;
	pos = file_layout_pos(weft_file_layout(c->f, rank), c->end);
	return pos <= p->pos		 ? 0
	       : pos - p->pos < p->bytes ? pos - p->pos
					 : p->bytes;
}

/* Sends each member its part of the window. */
static void read_send(struct file_coll *c)
{
	for (int i = 0; c->index >= 0 && i < c->f->comm->size; i++) {
		const struct file_part *p = &c->part[i];
		struct weft_typed view = window_as(c, i);
		size_t n = valid_bytes(c, i);
		char *at;

		if (!p->bytes)
			continue;
		if (i == c->f->comm->rank) {
			file_stream_copy(&c->op.range.mem, mem_pos(c, p), &view,
					 p->pos, n);
			note_end(c, p, n);
			continue;
		}
		at = window_at(c, p->offset);
		if (!file_part_is_run(p)) {
			at = packed_take(c, p->bytes);
			if (at)
				weft_pack(&view, p->pos, at, n);
		}
		send(c, at, n, i);
	}
}

/* Posts the receives of this rank's parts. */
static void read_receive(struct file_coll *c)
{
	const struct weft_typed *mem = &c->op.range.mem;

	c->arrivals = 0;
	for (int a = 0; a < c->f->aggregators; a++) {
		struct file_arrival *to = &c->arrival[c->arrivals];
		struct file_part p = own_part(c, a);
		char *at;

		if (a == c->index || !p.bytes)
			continue;
		*to = (struct file_arrival){ .part = p };
		if (file_stream_is_run(mem))
			at = file_stream_at(mem, mem_pos(c, &p));
		else
			at = to->packed = packed_take(c, p.bytes);
		to->req = receive(c, at, p.bytes, c->f->aggregator[a]);
		if (to->req)
			c->arrivals++;
	}
}

static void read_load(struct file_coll *c);

/* Unpacks the parts that have arrived. */
static void read_take(struct file_coll *c)
{
	for (int i = 0; i < c->arrivals; i++) {
		struct file_arrival *from = &c->arrival[i];
		size_t n = (size_t)from->req->bytes;
		int rc = weft_req_collect(&from->req, MPI_STATUS_IGNORE);

		file_coll_fail(c, rc);
		if (rc)
			continue;
		if (from->packed)
			weft_unpack(&c->op.range.mem, mem_pos(c, &from->part),
				    from->packed, n);
		note_end(c, &from->part, n);
	}
	c->arrivals = 0;
	c->await_arrivals = false;
	next_round(c, read_load);
}

static void read_exchange(struct file_coll *c)
{
	if (c->index >= 0 && c->end < 0)
		file_coll_fail(c, (int)c->end);
	read_send(c);
	c->await_arrivals = true;
	c->next = read_take;
}

static void read_window(struct file_job *job)
{
	struct file_coll *c = weft_container_of(job, struct file_coll, job);

	c->end = c->f->buffer ? file_window_read(c->f, c->window, c->f->buffer,
						 c->part)
			      : -ENOMEM;
}

static void read_load(struct file_coll *c)
{
	find_parts(c);
	packed_reserve(c, parts_to_pack(c) + own_to_pack(c));
	read_receive(c);
	c->next = read_exchange;
	if (c->index >= 0)
		file_coll_run(c, read_window);
}

/* ---- start --------------------------------------------------------------- */

/* Allocates the aggregator's buffer, which is kept until the file is closed. */
static void buffer_reserve(struct file_coll *c)
{
	size_t bytes = (size_t)c->plan.window;

	if (c->index < 0 || bytes <= c->f->buffer_bytes)
		return;
	free(c->f->buffer);
	c->f->buffer = malloc(bytes);
	c->f->buffer_bytes = c->f->buffer ? bytes : 0;
	if (!c->f->buffer)
		file_coll_fail(c, -ENOMEM);
}

void file_coll_rounds(struct file_coll *c)
{
	buffer_reserve(c);
	c->round = 0;
	if (c->op.range.write)
		write_exchange(c);
	else
		read_load(c);
}
