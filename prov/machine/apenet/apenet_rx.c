/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception. The CRC is checked first: a damaged packet is counted, reported by
 * an event and not used. Data is stored at its address. If the address has no
 * translation, the packet and the rest of its message are dropped, and the
 * message ends with an error. Packets of a node arrive in order, one message
 * after the other, so an unexpected packet shows that packets are missing.
 */
#include "prov/machine/apenet/apenet_dev.h"

/* A decoded packet. */
struct rx {
	uint32_t node;
	struct apenet_header h;
	struct apenet_footer f;
	const unsigned char *data;
};

static struct weft_apenet_event end_event(const struct rx *r,
					  const struct apenet_in *in)
{
	return (struct weft_apenet_event){
		.what = in->status ? WEFT_APENET_ERROR : WEFT_APENET_RECEIVED,
		.status = in->status,
		.node = r->node,
		.address =
			in->status == WEFT_APENET_ADDRESS ? in->bad : in->start,
		.bytes = in->bytes,
		.data = in->status ? 0 : r->f.extra,
	};
}

static void report_end(struct weft_apenet *a, const struct rx *r,
		       const struct apenet_in *in)
{
	const struct weft_apenet_event ev = end_event(r, in);

	if (in->status || in->flags & APENET_RECEIVE)
		apenet_event_write(a, &ev);
}

static struct apenet_in *in_of(struct weft_apenet *a, uint32_t node)
{
	struct apenet_in *in = weft_hash_get(&a->in, (uint64_t)node + 1);

	if (in)
		return in;
	in = calloc(1, sizeof(*in));
	if (in && weft_hash_set(&a->in, (uint64_t)node + 1, in)) {
		free(in);
		return NULL;
	}
	return in;
}

static void in_close(struct apenet_in *in)
{
	free(in->stage);
	memset(in, 0, sizeof(*in));
}

/* Ends a message from which packets are missing. */
static void in_truncate(struct weft_apenet *a, struct apenet_in *in,
			const struct rx *r)
{
	struct apenet_get *g;

	if (!in->open)
		return;
	if (!in->status)
		in->status = WEFT_APENET_CUT;
	if (in->op == APENET_PUT)
		report_end(a, r, in);
	g = in->op == APENET_REPLY ? apenet_get_of(a, r->node, in->number)
				   : NULL;
	if (g)
		apenet_get_end(a, g, WEFT_APENET_CUT);
	in_close(in);
}

/* ---- storing data ---- */

/*
 * Appends data to a staged message in host memory. Returns false if out of
 * memory.
 */
static bool in_stage_append(struct apenet_in *in, const struct rx *r)
{
	unsigned char *p;

	/* realloc() to 0 bytes would free in->stage */
	if (!r->h.bytes)
		return true;
	p = realloc(in->stage, in->bytes + r->h.bytes);
	if (!p)
		return false;
	in->stage = p;
	memcpy(p + in->bytes, r->data, r->h.bytes);
	return true;
}

static bool to_device(const struct weft_apenet *a, const struct rx *r)
{
	const struct apenet_buf *b =
		apenet_buf_of(a, r->h.address, r->h.bytes, 0);

	return b && b->kind != a->host;
}

static void in_store(struct weft_apenet *a, struct apenet_in *in,
		     const struct rx *r)
{
	struct apenet_target p = {
		.address = r->h.address,
		.bytes = r->h.bytes,
		.rights = in->op == APENET_PUT ? WEFT_APENET_MAY_WRITE : 0,
		.node = r->node,
	};

	if (in->status) {
		a->stats.dropped++;
		return;
	}
	if (in->staged && to_device(a, r)) {
		if (!in_stage_append(in, r))
			in->status = WEFT_APENET_CUT;
		return;
	}
	p.bad = r->h.address;
	in->status = in->staged ? WEFT_APENET_ADDRESS
				: (uint8_t)apenet_buf_store(a, &p, r->data);
	if (in->status) {
		a->stats.dropped++;
		in->bad = p.bad;
	}
}

/* ---- messages ---- */

/* Returns whether a reply contains the next bytes of its get. */
static bool reply_fits(struct weft_apenet *a, const struct apenet_in *in,
		       const struct rx *r)
{
	const struct apenet_get *g = apenet_get_of(a, r->node, in->number);
	uint64_t at = g ? r->h.address - g->c.local : 0;

	return g && at == in->bytes && r->h.bytes <= g->c.bytes - at;
}

static void in_end(struct weft_apenet *a, struct apenet_in *in,
		   const struct rx *r)
{
	struct apenet_get *g;
	const struct apenet_buf *b;

	if (in->stage && !in->status) {
		b = apenet_buf_of(a, in->start, in->bytes,
				  in->op == APENET_PUT ? WEFT_APENET_MAY_WRITE
						       : 0);
		a->stats.copies++;
		if (!b || b->kind->in(apenet_buf_at(b, in->start), in->stage,
				      in->bytes)) {
			in->status = WEFT_APENET_ADDRESS;
			in->bad = in->start;
		}
	}
	if (in->op == APENET_PUT) {
		report_end(a, r, in);
	} else {
		g = apenet_get_of(a, r->node, in->number);
		if (g && !in->status && in->bytes != g->c.bytes)
			in->status = WEFT_APENET_CUT;
		if (g)
			apenet_get_end(a, g, in->status);
	}
	in_close(in);
}

static int rx_data(struct weft_apenet *a, const struct rx *r)
{
	struct apenet_in *in = in_of(a, r->node);

	if (!in)
		return -EAGAIN;
	if (r->h.flags & APENET_FIRST) {
		in_truncate(a, in, r);
		*in = (struct apenet_in){
			.open = true,
			.staged = r->h.flags & APENET_STAGED && to_device(a, r),
			.op = r->h.op,
			.flags = r->h.flags,
			.message = r->h.message,
			.start = r->h.address,
			.number = r->f.extra,
		};
	}
	if (!in->open || in->message != r->h.message || in->op != r->h.op) {
		a->stats.dropped++;
		return 0;
	}
	if (!in->status && r->h.address != in->start + in->bytes)
		in->status = WEFT_APENET_CUT;
	if (in->op == APENET_REPLY && !in->status && !reply_fits(a, in, r))
		in->status = WEFT_APENET_ADDRESS;
	in_store(a, in, r);
	in->bytes += r->h.bytes;
	if (r->h.flags & APENET_LAST)
		in_end(a, in, r);
	return 0;
}

/* Returns whether the packet is a single-packet put and no message is open. */
static bool rx_is_single(const struct weft_apenet *a, const struct rx *r)
{
	return r->h.op == APENET_PUT && !a->in.used &&
	       (r->h.flags & (APENET_FIRST | APENET_LAST | APENET_STAGED)) ==
		       (APENET_FIRST | APENET_LAST);
}

/* Like rx_data(), for a packet that is a whole message, so no state is kept. */
static int rx_single(struct weft_apenet *a, const struct rx *r)
{
	struct apenet_in in = {
		.op = APENET_PUT,
		.flags = r->h.flags,
		.start = r->h.address,
	};

	in_store(a, &in, r);
	in.bytes = r->h.bytes;
	report_end(a, r, &in);
	return 0;
}

static int rx_get(struct weft_apenet *a, const struct rx *r)
{
	struct apenet_get_request req;

	if (r->h.bytes != sizeof(req)) {
		a->stats.refused++;
		return 0;
	}
	memcpy(&req, r->data, sizeof(req));
	return apenet_get_serve(a, r->node, &req);
}

static int rx_refuse(struct weft_apenet *a, const struct rx *r)
{
	struct apenet_get *g = apenet_get_of(a, r->node, r->f.extra);
	struct apenet_in *in = in_of(a, r->node);

	if (!in)
		return -EAGAIN;
	if (in->open && in->op == APENET_REPLY && in->number == r->f.extra)
		in_close(in);
	if (g)
		apenet_get_end(a, g, WEFT_APENET_ADDRESS);
	else
		a->stats.refused++;
	return 0;
}

static int rx_truncate(struct weft_apenet *a, const struct rx *r)
{
	struct apenet_in *in = in_of(a, r->node);

	if (in)
		in_truncate(a, in, r);
	return in ? 0 : -EAGAIN;
}

/* ---- dispatch ---- */

static int (*const rx_op[APENET_OPS])(struct weft_apenet *,
				      const struct rx *) = {
	[APENET_PUT] = rx_data,	    [APENET_GET] = rx_get,
	[APENET_REPLY] = rx_data,   [APENET_REFUSE] = rx_refuse,
	[APENET_CUT] = rx_truncate,
};

static struct rx rx_decode(uint32_t node, const struct weft_pkt *pkt,
			   const void *data)
{
	return (struct rx){
		.node = node,
		.h = { .address = pkt->tag,
		       .bytes = pkt->len,
		       .op = (uint8_t)(pkt->type - APENET_PKT),
		       .flags = pkt->flags,
		       .message = pkt->aux },
		.f = { .extra = pkt->data },
		.data = data,
	};
}

static int rx_execute(struct weft_apenet *a, const struct rx *r)
{
	int err;

	if (r->h.op >= APENET_OPS || r->h.address + r->h.bytes < r->h.address) {
		a->stats.refused++;
		return 0;
	}
	err = rx_is_single(a, r) ? rx_single(a, r) : rx_op[r->h.op](a, r);
	a->stats.packets_in += !err;
	return err;
}

static int rx_checked(struct weft_apenet *a, uint32_t node,
		      const struct weft_pkt *pkt, const void *data)
{
	const struct weft_apenet_event ev = {
		.what = WEFT_APENET_ERROR,
		.status = WEFT_APENET_CRC,
		.node = node,
	};
	unsigned char copy[APENET_PAYLOAD];
	struct rx r = rx_decode(node, pkt, copy);

	memcpy(copy, data, pkt->len);
	if (apenet_crc(a, pkt, copy) == pkt->unit)
		return rx_execute(a, &r);
	a->stats.crc_errors++;
	apenet_event_write(a, &ev);
	return 0;
}

int apenet_rx_packet(struct weft_apenet *a, uint32_t node, bool links,
		     const struct weft_pkt *pkt, const void *data)
{
	struct rx r;

	if (pkt->len > APENET_PAYLOAD) {
		a->stats.refused++;
		return 0;
	}
	if (!apenet_event_space(a, APENET_RX_EVENTS))
		return -EAGAIN;
	if (links || !(pkt->flags & APENET_NO_CRC))
		return rx_checked(a, node, pkt, data);
	r = rx_decode(node, pkt, data);
	return rx_execute(a, &r);
}

int apenet_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct weft_apenet *a = arg;
	uint32_t node = weft_port_node(&a->port, src);

	if (node == WEFT_PORT_NO_NODE || pkt->type < APENET_PKT ||
	    pkt->type >= APENET_PKT + APENET_OPS) {
		a->stats.refused++;
		return 0;
	}
	return apenet_rx_packet(a, node, true, pkt, payload);
}

/* ---- lost nodes, close ---- */

void apenet_rx_lost(struct weft_apenet *a, uint32_t node)
{
	struct apenet_in *in = weft_hash_del(&a->in, (uint64_t)node + 1);
	const struct rx r = { .node = node };

	if (!in)
		return;
	free(in->stage);
	in->stage = NULL;
	if (!in->open || in->op != APENET_PUT) {
		/* apenet_get_lost() has ended the gets of the node */
		free(in);
		return;
	}
	in->status = WEFT_APENET_GONE;
	in->lost = end_event(&r, in);
	if (apenet_event_space(a, 1)) {
		apenet_event_write(a, &in->lost);
		free(in);
		return;
	}
	weft_list_push_back(&a->late, &in->late);
}

static void in_free(void *arg, uint64_t key, void *val)
{
	struct apenet_in *in = val;

	free(in->stage);
	free(in);
}

void apenet_rx_fini(struct weft_apenet *a)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&a->late)))
		free(weft_container_of(pos, struct apenet_in, late));
	weft_hash_each(&a->in, in_free, NULL);
	weft_hash_fini(&a->in);
}
