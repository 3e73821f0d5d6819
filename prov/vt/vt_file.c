/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File accesses in virtual time, on machines with I/O nodes (cfg.io_nodes). An
 * access is two messages on the system channel, between the rank's node and
 * the I/O node of its block, over the I/O node's links:
 *
 *   write   the bytes, node -> I/O node; an empty response
 *   read    an empty request; the bytes, I/O node -> node
 *
 * Between the two messages the I/O node accesses the file system. It executes
 * one access at a time, which takes io_ps plus io_ps_per_byte_x1000 per byte.
 * The rank is in a system call meanwhile: it reads no packets, and continues
 * when the last byte of the second message has arrived.
 */
#include "prov/vt/vt.h"
#include "prov/net/file/net_map.h"

/*
 * Returns the I/O node of a node's block; I/O nodes are numbered after all
 * compute nodes.
 */
static uint32_t io_node(const struct weft_vt *w, uint32_t node)
{
	return net_shape_nodes(&w->cfg) * net_partitions(&w->cfg) +
	       node / w->cfg.io_nodes;
}

static void message_send(struct vt_engine_pass *t, uint32_t i, uint64_t at,
			 uint64_t bytes)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_file *m = (void *)b->payload;
	struct net_msg msg;

	vt_msg_init(t->w, b->from, b->from, &b->attr, &msg);
	msg.dst = io_node(t->w, msg.src);
	if (m->answered) {
		uint32_t node = msg.src;

		msg.src = msg.dst;
		msg.dst = node;
	}
	msg.routing = NET_SYSTEM;
	msg.bytes = bytes;
	msg.cookie = i | VT_COOKIE_FILE;
	m->arrived = 0;
	m->awaited = bytes;
	vt_model_send(t->w, at, &msg);
}

void vt_file_post(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_file *m = (void *)b->payload;

	vt_rank(t->w, b->from)->in_flight++;
	m->answered = 0;
	message_send(t, i, vt_send_time(t->w, b->stamp),
		     m->write ? m->bytes : 0);
}

/*
 * Returns a pointer to the time at which the I/O node's last access ends. It is
 * stored in the record of the first rank of the job that uses this I/O node.
 */
static uint64_t *io_end(struct weft_vt *w, uint32_t rank)
{
	uint32_t io = io_node(w, vt_rank(w, rank)->node), first = 0;

	while (io_node(w, vt_rank(w, first)->node) != io)
		first++;
	return &w->cold_of[first].io_end_ps;
}

/*
 * Returns the time at which the I/O node has completed its access to the file
 * system.
 */
static uint64_t serve(struct vt_engine_pass *t, uint32_t i)
{
	const struct net_config *cfg = &t->w->cfg;
	const struct vt_buf *b = vt_buf(t->w, i);
	const struct vt_file *m = (const void *)b->payload;
	uint64_t *end = io_end(t->w, b->from);

	if (*end < t->time_ps)
		*end = t->time_ps;
	*end += cfg->io_ps + m->bytes * cfg->io_ps_per_byte_x1000 / 1000;
	return *end;
}

static void file_end(struct vt_engine_pass *t, uint32_t i)
{
	uint32_t rank = vt_buf(t->w, i)->from;

	t->w->cold_of[rank].files_done++;
	vt_buf_return(t, i);
	vt_flight_done(t, rank);
	vt_rank_notify(t, rank, t->time_ps);
}

void vt_file_packet(struct vt_engine_pass *t, uint32_t i, uint32_t bytes)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_file *m = (void *)b->payload;

	vt_require(b->kind == VT_FILE);
	m->arrived += bytes;
	if (m->arrived < m->awaited)
		return;
	if (m->answered) {
		file_end(t, i);
		return;
	}
	m->answered = 1;
	message_send(t, i, serve(t, i), m->write ? 0 : m->bytes);
}

/*
 * Ends an access whose message was lost, without adding the time of the access.
 */
void vt_file_lost(struct vt_engine_pass *t, uint32_t i)
{
	vt_require(vt_buf(t->w, i)->kind == VT_FILE);
	file_end(t, i);
}
