/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gemini interface as transport of the message engine (machine gemini).
 *
 * Engine packets are short messages: an FMA put into the next slot of the
 * mailbox that the peer has for this process, with the flag word after the
 * data. Credits are returned by puts into the sender's mailbox. All mailboxes
 * have the same layout, and a put addresses the mailbox of its sender, so
 * nothing is exchanged first: a mailbox is created with the first message.
 * Credits acknowledge arrival; the puts request no other response, so a peer
 * that does not poll occupies no request buffers. The block transfer engine
 * carries bulk data (gemini_bulk.c). If one process cannot access the other's
 * memory, the unit returns an error, and the engine sends packets.
 */
#include "prov/machine/gemini/gemini_bulk.h"
#include "prov/machine/gemini/gemini_dev.h"
#include "prov/machine/gemini/gemini_transport.h"
#include "prov/machine/machine_transport.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GEMINI_TRANSPORT_SLOTS	32 /* credits of one mailbox, as in Open MPI */
#define GEMINI_TRANSPORT_PTAG	1
/* a slot of 1024 bytes and its request header */
#define GEMINI_TRANSPORT_PACKET 1152
/* the limit of Open MPI; the BTE handles longer accesses */
#define GEMINI_TRANSPORT_WINDOW 1024

/* State of this process for one peer. */
struct gemini_transport_mailbox {
	struct weft_peer *peer;
	/* link in a list while the mailbox may hold a message */
	struct weft_list ready;
	struct gemini_mdd mdd; /* mailbox, as the peer addresses it */
	unsigned char *mem;
	uint32_t sent;
	uint32_t taken;
	uint32_t returned;
};

struct gemini_transport {
	struct weft_unit unit;
	struct weft_gemini *f;
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;
	uint32_t slot_bytes;
	struct weft_table box; /* mailboxes by peer */
	struct weft_list ready;
};

static struct gemini_transport *gemini_transport_of(struct weft_unit *u)
{
	return weft_container_of(u, struct gemini_transport, unit);
}

/* ---- mailboxes ---- */

static struct gemini_transport_mailbox *mailbox_open(struct gemini_transport *e,
						     struct weft_peer *peer)
{
	size_t bytes = GEMINI_BOX_CONTROL +
		       (size_t)GEMINI_TRANSPORT_SLOTS * e->slot_bytes;
	struct gemini_transport_mailbox *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->mem = aligned_alloc(64, bytes);
	if (!b->mem) {
		free(b);
		return NULL;
	}
	memset(b->mem, 0, bytes);
	b->peer = peer;
	weft_list_init(&b->ready);
	b->mdd = (struct gemini_mdd){
		.base = (uintptr_t)b->mem,
		.bytes = bytes,
		.ptag = GEMINI_TRANSPORT_PTAG,
		.flags = WEFT_GEMINI_WRITABLE,
		.cq = WEFT_GEMINI_NO_CQ,
		.valid = true,
	};
	return b;
}

static struct gemini_transport_mailbox *box_of(struct gemini_transport *e,
					       struct weft_peer *peer)
{
	void **cell = weft_table_slot(&e->box, peer->index);

	if (cell && !*cell)
		*cell = mailbox_open(e, peer);
	return cell ? *cell : NULL;
}

static uint64_t mailbox_slot_offset(const struct gemini_transport *e,
				    uint32_t i)
{
	return GEMINI_BOX_CONTROL +
	       (uint64_t)(i & (GEMINI_TRANSPORT_SLOTS - 1u)) * e->slot_bytes;
}

static struct gemini_mdd *gemini_transport_mailbox_mdd(struct weft_gemini *f,
						       struct weft_peer *src)
{
	struct gemini_transport_mailbox *b = box_of(f->engine, src);

	return b ? &b->mdd : NULL;
}

static void gemini_transport_arrived(struct weft_gemini *f,
				     struct weft_peer *src)
{
	struct gemini_transport *e = f->engine;
	struct gemini_transport_mailbox *b = box_of(e, src);

	if (b && weft_list_empty(&b->ready))
		weft_list_push_back(&e->ready, &b->ready);
}

/* ---- sending ---- */

static void gemini_transport_target_set(struct weft_peer *peer,
					struct gemini_request *r)
{
	memset(r, 0, sizeof(*r));
	r->peer = peer;
	r->ptag = GEMINI_TRANSPORT_PTAG;
	r->flags = GEMINI_REQ_QUIET;
}

static bool
gemini_transport_has_credit(struct weft_carrier *c,
			    const struct gemini_transport_mailbox *b)
{
	uint64_t back = nic_event_read((weft_au64 *)(void *)b->mem);

	if (b->sent - (uint32_t)back < GEMINI_TRANSPORT_SLOTS)
		return true;
	c->ops->backend->full(c);
	return false;
}

/*
 * Sets the path of a put to a mailbox. The put is a sequence whose packets may
 * use any link: its flag is written when all of them have arrived, and the
 * receiver reads the slots in order. A full packet may be followed by the rest
 * of its message.
 */
static void mailbox_path_set(struct weft_carrier *c, bool full)
{
	const struct weft_pkt_attr path = { .vc = WEFT_VC_DYNAMIC,
					    .full = full };

	if (weft_unlikely(c->ops->backend->paths))
		c->ops->backend->routing(c, &path);
}

static int gemini_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				   const struct weft_pkt *pkt,
				   const struct iovec *iov, int iov_count)
{
	struct gemini_transport *e = gemini_transport_of(u);
	struct gemini_transport_mailbox *b = box_of(e, peer);
	uint64_t head[2];
	struct gemini_request r;
	int err;

	if (!b)
		return -ENOMEM;
	if (peer->lost)
		return -ECONNRESET;
	if (pkt->len > e->max_bytes || iov_count > GEMINI_IOV - 2)
		return -EMSGSIZE;
	if (!gemini_transport_has_credit(u->carrier, b))
		return -EAGAIN;
	gemini_transport_target_set(peer, &r);
	head[0] = mailbox_slot_offset(e, b->sent);
	head[1] = gemini_slot_word(b->sent + 1, sizeof(*pkt) + pkt->len);
	r.cmd = GEMINI_FLAG;
	r.offset = head[0] + GEMINI_SLOT_HEAD;
	r.bytes = GEMINI_SLOT_HEAD + sizeof(*pkt) + pkt->len;
	r.iov[0] = (struct iovec){ head, GEMINI_FLAG_HEAD };
	r.iov[1] = (struct iovec){ (void *)(uintptr_t)pkt, sizeof(*pkt) };
	memcpy(&r.iov[2], iov, (size_t)iov_count * sizeof(*iov));
	r.iov_count = iov_count + 2;
	mailbox_path_set(u->carrier, pkt->len == e->max_bytes);
	err = gemini_request_quiet(e->f, &r);
	if (!err)
		b->sent++;
	return err;
}

/*
 * Returns credits, half a mailbox at a time. Returns false if the carrier is
 * full.
 */
static bool gemini_transport_credit(struct gemini_transport *e,
				    struct gemini_transport_mailbox *b)
{
	uint64_t credit = b->taken;
	struct gemini_request r;

	if (b->taken - b->returned < GEMINI_TRANSPORT_SLOTS / 2)
		return true;
	gemini_transport_target_set(b->peer, &r);
	r.cmd = GEMINI_PUT;
	r.bytes = sizeof(credit);
	r.iov[0] = (struct iovec){ &credit, sizeof(credit) };
	r.iov_count = 1;
	if (gemini_request_quiet(e->f, &r) == -EAGAIN)
		return false;
	b->returned = b->taken;
	return true;
}

/* ---- receiving ---- */

/* Reads the packet in the next slot. -ENOENT: none; -EPROTO: malformed. */
static int mailbox_peek(struct gemini_transport *e,
			struct gemini_transport_mailbox *b,
			struct weft_pkt *pkt, const void **payload_p)
{
	unsigned char *slot = b->mem + mailbox_slot_offset(e, b->taken);
	uint64_t word = nic_event_read((weft_au64 *)(void *)slot);

	if (word >> 32 != b->taken + 1)
		return -ENOENT;
	memcpy(pkt, slot + GEMINI_SLOT_HEAD, sizeof(*pkt));
	*payload_p = slot + GEMINI_SLOT_HEAD + sizeof(*pkt);
	if (pkt->len > e->max_bytes ||
	    (uint32_t)word != sizeof(*pkt) + pkt->len)
		return -EPROTO;
	return 0;
}

/* Delivers the messages of a mailbox. Returns whether the mailbox is empty. */
static bool mailbox_drain(struct gemini_transport *e,
			  struct gemini_transport_mailbox *b, int *taken_p)
{
	struct weft_pkt pkt;
	const void *payload;
	int err;

	while ((err = mailbox_peek(e, b, &pkt, &payload)) != -ENOENT) {
		if (e->unit.copied)
			return false;
		if (err)
			e->f->stats.rejected++;
		else if (e->up->deliver(e->up_arg, b->peer, &pkt, payload))
			return false;
		b->taken++;
		++*taken_p;
		if (!gemini_transport_credit(e, b))
			return false;
	}
	return gemini_transport_credit(e, b);
}

static int gemini_transport_drain(struct gemini_transport *e)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	int n = 0;

	e->unit.copied = false;
	weft_list_each(pos, tmp, &e->ready) {
		if (mailbox_drain(e,
				  weft_container_of(
					  pos, struct gemini_transport_mailbox,
					  ready),
				  &n))
			weft_list_remove(pos);
	}
	return n;
}

static int gemini_transport_poll(struct weft_unit *u, int budget)
{
	struct gemini_transport *e = gemini_transport_of(u);

	int n;

	weft_gemini_poll(e->f, budget);
	if (weft_list_empty(&e->ready))
		return 0;
	n = gemini_transport_drain(e);
	if (!weft_list_empty(&e->ready))
		u->carrier->ops->wake(u->carrier); /* poll again */
	return n;
}

static int gemini_transport_deliver(void *arg, struct weft_peer *src,
				    const struct weft_pkt *pkt,
				    const void *payload)
{
	struct gemini_transport *e = arg;

	return gemini_rx_deliver(e->f, src, pkt, payload);
}

/* Delivers all packets of a lost peer before the loss is reported. */
static void gemini_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct gemini_transport *e = arg;

	gemini_orb_lost(e->f, peer);
	gemini_handles_lost(e->f, peer);
	do
		gemini_transport_drain(e);
	while (e->unit.copied);
	e->up->lost(e->up_arg, peer, err);
}

/* Passes the carrier's poll request to the message engine. */
static void gemini_transport_interface(void *arg)
{
	struct gemini_transport *e = arg;

	if (e->up->interface)
		e->up->interface(e->up_arg);
}

static const struct weft_carrier_up gemini_transport_up = {
	.deliver = gemini_transport_deliver,
	.lost = gemini_transport_lost,
	.interface = gemini_transport_interface,
};

/* ---- block transfers ---- */

static int gemini_transport_move(struct weft_unit *u, struct weft_peer *peer,
				 struct weft_dma *d, bool get)
{
	if (peer->lost)
		return -ECONNRESET;
	if (weft_unlikely(u->carrier->ops->backend->paths) && d->bytes &&
	    d->bytes <= GEMINI_TRANSPORT_WINDOW)
		return gemini_bulk_window(u, peer, d, get);
	return gemini_bulk_move(gemini_transport_of(u)->f, u, peer, d, get);
}

static int gemini_transport_get(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	return gemini_transport_move(u, peer, d, true);
}

static int gemini_transport_put(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	return gemini_transport_move(u, peer, d, false);
}

static int gemini_transport_amo(struct weft_unit *u, struct weft_peer *peer,
				struct weft_amo *a)
{
	return peer->lost ? -ECONNRESET : gemini_bulk_amo(u, peer, a);
}

static int gemini_transport_amo_word(struct weft_unit *u,
				     struct weft_peer *peer,
				     struct weft_amo_word *w)
{
	return peer->lost
		       ? -ECONNRESET
		       : gemini_word_amo(gemini_transport_of(u)->f, u, peer, w);
}

static int gemini_transport_mem_open(struct weft_unit *u,
				     const struct iovec *mem, unsigned access)
{
	return gemini_handle_open(
		gemini_transport_of(u)->f, mem,
		access & WEFT_MR_REMOTE_WRITE ? WEFT_GEMINI_WRITABLE : 0, true);
}

static void gemini_transport_mem_close(struct weft_unit *u, int reg)
{
	gemini_handle_close(gemini_transport_of(u)->f, reg);
}

/* ---- open and close ---- */

static void gemini_transport_close(struct weft_unit *u)
{
	struct gemini_transport *e = gemini_transport_of(u);

	if (e->f)
		gemini_bulk_close(e->f);
	weft_gemini_close(e->f);
	for (uint32_t i = 0; i < e->box.count; i++) {
		struct gemini_transport_mailbox *b = e->box.cell[i];

		if (b)
			free(b->mem);
		free(b);
	}
	weft_table_fini(&e->box);
	free(e);
}

static int gemini_transport_open(const struct weft_machine *m,
				 const struct weft_carrier_ops *carrier,
				 const struct weft_carrier_attr *attr,
				 struct weft_unit **u_p)
{
	struct gemini_transport *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	size_t offset = 0;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_gemini;
	e->up = attr->up;
	e->up_arg = attr->up_arg;
	e->max_bytes = m->packet_bytes;
	e->slot_bytes = (uint32_t)(GEMINI_SLOT_HEAD + sizeof(struct weft_pkt) +
				   m->packet_bytes + 63) &
			~63u;
	weft_list_init(&e->ready);
	a.up = &gemini_transport_up;
	a.up_arg = e;
	if (!carrier->backend->transfers_later)
		offset = gemini_handles_reserve(&a);
	err = gemini_create(carrier, &a, GEMINI_TRANSPORT_PTAG, &e->f);
	if (!err)
		err = gemini_bulk_open(e->f, offset);
	if (err) {
		gemini_transport_close(&e->unit);
		return err;
	}
	e->f->engine = e;
	e->f->mailbox = gemini_transport_mailbox_mdd;
	e->f->arrived = gemini_transport_arrived;
	e->unit.carrier = e->f->port.carrier;
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_gemini = {
	.name = "fma",
	.packet_max = GEMINI_TRANSPORT_PACKET,
	.open = gemini_transport_open,
	.close = gemini_transport_close,
	.packet = gemini_transport_packet,
	.get = gemini_transport_get,
	.put = gemini_transport_put,
	.mem_open = gemini_transport_mem_open,
	.mem_close = gemini_transport_mem_close,
	.amo = gemini_transport_amo,
	.amo_word = gemini_transport_amo_word,
	.poll = gemini_transport_poll,
};
