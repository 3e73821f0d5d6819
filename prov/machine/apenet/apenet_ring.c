/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of the message engine as puts into rings of slots. */
#include "prov/machine/apenet/apenet_ring.h"
#include "prov/machine/apenet/apenet_single.h"

#include "src/base/attr.h"
#include "src/base/iov.h"

/* State of this process for one peer; counts are numbers of packets. */
struct apenet_ring {
	struct weft_peer *peer;
	struct weft_list pending;
	/* ring of the peer, to which this process sends */
	uint32_t sent; /* number of packets accepted from the engine */
	/* next packet to put; less than `sent`: it is a retransmission */
	uint32_t next;
	/* number of acknowledged packets, whose slots are free */
	uint32_t credit;
	bool keeps; /* sent packets are kept in this ring's send slots */
	struct apenet_slots out;
	uint16_t bytes[APENET_RING_SLOTS]; /* lengths of the send slots */
	/* ring of this process, to which the peer sends */
	uint32_t arrived;
	uint32_t taken;	   /* number of packets accepted by the engine */
	uint32_t returned; /* last value of `taken` sent to the peer */
	bool missing;	   /* packets after `arrived` were damaged or lost */
	bool due;	   /* a credit must be sent now */
	uint64_t base;	   /* board address of the ring; 0: not open */
	struct apenet_slots in;
	uint16_t in_bytes[APENET_RING_SLOTS]; /* lengths of stored packets */
};

/* ---- slots ---- */

static inline unsigned slots_part(uint64_t offset)
{
	return offset >= APENET_RING_LONGS;
}

static inline unsigned char *slots_at(const struct apenet_slots *x,
				      uint64_t offset)
{
	return weft_likely(offset < APENET_RING_LONGS)
		       ? x->part[0] + offset
		       : x->part[1] + (offset - APENET_RING_LONGS);
}

/*
 * Allocates and registers part of a ring, with the attributes of b. b's board
 * address is that of the ring; 0: the address of the memory.
 */
static int slots_open(struct weft_apenet *a, struct apenet_slots *x,
		      unsigned part, struct apenet_buf b)
{
	const uint64_t offset = part ? APENET_RING_LONGS : 0;
	char *mem;
	int err;

	b.bytes = part ? APENET_RING_PART_1 : APENET_RING_PART_0;
	b.kind = a->host;
	mem = aligned_alloc(APENET_RING_SHORT, b.bytes);
	if (!mem)
		return -ENOMEM;
	b.mem = mem;
	b.base = b.base ? b.base + offset : (uintptr_t)mem;
	err = apenet_buf_add(a, &b, &x->buf[part]);
	if (err) {
		free(mem);
		return err;
	}
	x->part[part] = (unsigned char *)mem;
	return 0;
}

static int slots_open_out(struct weft_apenet *a, struct apenet_slots *x,
			  unsigned part)
{
	const struct apenet_buf b = { .only = WEFT_PORT_NO_NODE };

	return slots_open(a, x, part, b);
}

static void slots_free(struct apenet_slots *x)
{
	free(x->part[0]);
	free(x->part[1]);
	memset(x, 0, sizeof(*x));
}

static void slots_close(struct weft_apenet *a, struct apenet_slots *x)
{
	for (unsigned i = 0; i < 2; i++) {
		if (x->part[i])
			weft_apenet_buf_close(a, x->buf[i]);
	}
	slots_free(x);
}

/* ---- rings ---- */

/* Opens the part of the ring that the peer's first packet needs. */
static int ring_open(struct apenet_rings *s, struct apenet_ring *r,
		     uint64_t address)
{
	const unsigned part = slots_part(address & (APENET_RING_SPAN - 1));
	const struct apenet_buf b = {
		.rights = WEFT_APENET_MAY_WRITE,
		.base = address & ~(APENET_RING_SPAN - 1),
		.only = r->peer->index,
	};
	int err;

	if (!(address & APENET_RING_ADDRESS) || r->in.part[part] ||
	    (r->base && r->base != b.base))
		return 0;
	err = slots_open(s->a, &r->in, part, b);
	if (!err)
		r->base = b.base;
	return err;
}

static struct apenet_ring *ring_new(struct apenet_rings *s,
				    struct weft_peer *peer)
{
	void **cell = weft_table_slot(&s->peer, peer->index);
	struct apenet_ring *r = cell ? calloc(1, sizeof(*r)) : NULL;

	if (!r)
		return NULL;
	r->peer = peer;
	r->keeps = !s->memory || s->a->noise;
	weft_list_init(&r->pending);
	*cell = r;
	return r;
}

static inline struct apenet_ring *ring_of(struct apenet_rings *s,
					  struct weft_peer *peer)
{
	struct apenet_ring *r = weft_table_get(&s->peer, peer->index);

	return weft_likely(r != NULL) ? r : ring_new(s, peer);
}

static void ring_pend(struct apenet_rings *s, struct apenet_ring *r)
{
	struct weft_carrier *c = s->a->port.carrier;

	if (weft_list_empty(&r->pending))
		weft_list_push_back(&s->pending, &r->pending);
	c->ops->wake(c); /* poll again, do not block */
}

/* ---- events of the board ---- */

static void ring_event(struct apenet_rings *s,
		       const struct weft_apenet_event *ev);

/* Handles the events of the board. */
static void ring_events(struct apenet_rings *s)
{
	struct weft_apenet_event ev;

	while (!weft_apenet_event(s->a, &ev)) {
		if (ev.what == WEFT_APENET_SENT)
			s->out_read = (uint32_t)ev.cookie;
		else
			ring_event(s, &ev);
	}
}

/* ---- sending ---- */

/*
 * Puts a send slot into this process's ring at the peer, at offset p->to. The
 * put of the last free slot requests an event.
 */
WEFT_INLINE int ring_put(struct apenet_rings *s, struct apenet_ring *r,
			 struct apenet_single *p)
{
	int err;

	p->to += s->base;
	p->cookie = s->out_put + 1;
	p->event = s->out_put - s->out_read == APENET_RING_SLOTS - 1;
	err = apenet_single_send(s->a, r->peer, p);
	if (weft_unlikely(err))
		return err;
	s->out_put++;
	if (weft_unlikely(p->event))
		ring_events(s);
	return 0;
}

static int credit_send(struct apenet_rings *s, struct apenet_ring *r)
{
	const struct apenet_credit credit = {
		.taken = r->taken,
		.arrived = r->arrived,
		.resend = r->missing,
	};
	struct apenet_single p = {
		.buf = s->out.buf[0],
		.from = s->out.part[0],
		.bytes = sizeof(credit),
	};

	memcpy(s->out.part[0], &credit, sizeof(credit));
	if (ring_put(s, r, &p) == -EAGAIN)
		return -EAGAIN;
	r->returned = credit.taken;
	r->due = false;
	return 0;
}

static inline bool credit_due(const struct apenet_ring *r)
{
	return r->due || r->taken - r->returned >= APENET_RING_SLOTS / 2;
}

static uint64_t slot_number(const struct apenet_ring *r, uint32_t n)
{
	return n | (uint64_t)r->taken << 32;
}

/* Puts a packet that is stored in the ring's own send slots. */
static int slot_put(struct apenet_rings *s, struct apenet_ring *r, uint32_t n)
{
	uint16_t bytes = r->bytes[n % APENET_RING_SLOTS];
	uint64_t offset = apenet_ring_offset(n, bytes);
	struct apenet_single p = {
		.buf = r->out.buf[slots_part(offset)],
		.from = slots_at(&r->out, offset),
		.bytes = bytes,
		.to = offset,
		.data = slot_number(r, n),
	};

	return ring_put(s, r, &p);
}

/* Retransmits packets. Returns whether all accepted packets have been sent. */
static bool ring_push(struct apenet_rings *s, struct apenet_ring *r)
{
	while (r->next != r->sent && !slot_put(s, r, r->next)) {
		r->next++;
		s->resent++;
	}
	return r->next == r->sent;
}

/* Copies an engine packet to a send slot. */
static inline void slot_fill(unsigned char *slot, const struct weft_pkt *pkt,
			     const struct iovec *iov, int iov_count)
{
	struct apenet_slot *head = (void *)slot;
	uint32_t low;

	memcpy(&low, pkt, sizeof(low));
	*head = (struct apenet_slot){
		.word = low | (uint64_t)pkt->aux << 32,
		.tag = pkt->tag,
		.data = pkt->data,
	};
	if (weft_likely(iov_count == 1 && pkt->len == 8))
		memcpy(head + 1, iov->iov_base, 8);
	else
		weft_iov_gather(head + 1, iov, iov_count);
}

/* Returns whether the next packet may be put now. */
static inline bool ring_ready(struct apenet_rings *s, struct apenet_ring *r)
{
	return r->sent - r->credit != APENET_RING_SLOTS &&
	       s->out_put - s->out_read != APENET_RING_SLOTS &&
	       (weft_likely(r->next == r->sent) || ring_push(s, r));
}

/*
 * Selects the send slot of a packet, other than a short slot that all peers
 * share. Returns NULL: out of memory.
 */
static WEFT_NOINLINE unsigned char *slot_select(struct apenet_rings *s,
						struct apenet_ring *r,
						uint32_t bytes, unsigned *buf_p)
{
	struct apenet_slots *out = r->keeps ? &r->out : &s->out;
	uint32_t n = r->keeps ? r->sent : s->out_put;
	uint64_t offset = apenet_ring_offset(n, bytes);
	unsigned part = slots_part(offset);

	if (!out->part[part] && slots_open_out(s->a, out, part))
		return NULL;
	r->bytes[r->sent % APENET_RING_SLOTS] = (uint16_t)bytes;
	*buf_p = out->buf[part];
	return slots_at(out, offset);
}

WEFT_HOT int apenet_ring_send(struct apenet_rings *s, struct weft_peer *peer,
			      const struct weft_pkt *pkt,
			      const struct iovec *iov, int iov_count)
{
	struct apenet_ring *r = ring_of(s, peer);
	struct apenet_single p = {
		.bytes = (uint32_t)sizeof(struct apenet_slot) + pkt->len,
	};
	unsigned char *slot = s->out.part[0];
	unsigned buf = s->out.buf[0];
	int err;

	if (weft_unlikely(!r))
		return -ENOMEM;
	if (weft_unlikely(peer->lost))
		return -ECONNRESET;
	if (weft_unlikely(pkt->len > s->max_bytes))
		return -EMSGSIZE;
	if (weft_unlikely(!ring_ready(s, r)))
		return -EAGAIN;
	if (weft_likely(p.bytes <= APENET_RING_SHORT && !r->keeps))
		slot += apenet_ring_offset(s->out_put, 0);
	else
		slot = slot_select(s, r, p.bytes, &buf);
	if (weft_unlikely(!slot))
		return -ENOMEM;
	p.buf = buf;
	p.from = slot;
	p.to = apenet_ring_offset(r->sent, p.bytes);
	p.data = slot_number(r, r->sent);
	slot_fill(slot, pkt, iov, iov_count);
	err = ring_put(s, r, &p);
	if (weft_unlikely(err))
		return err;
	r->returned = r->taken;
	r->next = ++r->sent;
	return 0;
}

/* ---- receiving ---- */

/* Handles slots that the peer has freed; an impossible value is ignored. */
static void credit_take(struct apenet_ring *r, uint32_t taken)
{
	if (taken - r->credit <= r->sent - r->credit)
		r->credit = taken;
}

/* Handles a credit that the peer has put into its ring. */
static void credit_event(struct apenet_rings *s, struct apenet_ring *r)
{
	struct apenet_credit credit;

	memcpy(&credit, r->in.part[0], sizeof(credit));
	credit_take(r, credit.taken);
	if (!credit.resend || !r->keeps)
		return;
	if (credit.arrived - r->credit <= r->next - r->credit)
		r->next = credit.arrived;
	r->due = true;
	ring_pend(s, r);
}

/* Reads the header of a packet in a slot; -EPROTO: malformed. */
static inline int slot_read(const struct apenet_rings *s, const void *slot,
			    uint64_t bytes, struct weft_pkt *pkt)
{
	const struct apenet_slot *head = slot;
	uint32_t low = (uint32_t)head->word;

	memcpy(pkt, &low, sizeof(low));
	pkt->carrier = 0;
	pkt->unit = 0;
	pkt->aux = (uint32_t)(head->word >> 32);
	pkt->tag = head->tag;
	pkt->data = head->data;
	return bytes == sizeof(*head) + pkt->len && pkt->len <= s->max_bytes &&
			       pkt->type < WEFT_PKT_UNIT
		       ? 0
		       : -EPROTO;
}

/* Offers a packet to the engine. Returns whether the slot is free. */
static inline bool slot_deliver(struct apenet_rings *s, struct apenet_ring *r,
				const struct weft_pkt *pkt, const void *slot)
{
	const struct apenet_slot *head = slot;

	if (weft_unlikely(s->up->deliver(s->up_arg, r->peer, pkt, head + 1)))
		return false;
	r->taken++;
	return true;
}

/* Records that a packet is missing: the peer must retransmit it. */
static void ring_missing(struct apenet_rings *s, struct apenet_ring *r)
{
	r->missing = true;
	r->due = true;
	ring_pend(s, r);
}

static void slot_refuse(struct apenet_rings *s, struct apenet_ring *r,
			uint32_t n)
{
	s->dropped++;
	if (n != r->arrived && n - r->arrived < APENET_RING_SLOTS &&
	    !r->missing)
		ring_missing(s, r);
}

/* Keeps a packet in its slot until the engine accepts it. */
static void slot_hold(struct apenet_rings *s, struct apenet_ring *r, uint32_t n,
		      uint64_t bytes)
{
	r->in_bytes[n % APENET_RING_SLOTS] = (uint16_t)bytes;
	ring_pend(s, r);
}

/*
 * Handles the arrival of a packet in a slot; address, length and data are those
 * of the event.
 */
WEFT_INLINE void slot_event(struct apenet_rings *s, struct apenet_ring *r,
			    const void *slot, uint64_t address, uint64_t bytes,
			    uint64_t data)
{
	uint64_t offset = address - r->base;
	uint32_t n = (uint32_t)data;
	struct weft_pkt pkt;

	if (weft_unlikely(n != r->arrived ||
			  n - r->taken >= APENET_RING_SLOTS ||
			  offset != apenet_ring_offset(n, bytes) ||
			  slot_read(s, slot, bytes, &pkt))) {
		slot_refuse(s, r, n);
		return;
	}
	r->arrived++;
	r->missing = false;
	credit_take(r, (uint32_t)(data >> 32));
	if (weft_unlikely(n != r->taken || !slot_deliver(s, r, &pkt, slot)))
		slot_hold(s, r, n, bytes);
	else if (credit_due(r) && credit_send(s, r))
		ring_pend(s, r);
}

WEFT_INLINE void ring_received(struct apenet_rings *s, struct apenet_ring *r,
			       const void *slot, uint64_t address,
			       uint64_t bytes, uint64_t data)
{
	if (weft_likely(address != r->base))
		slot_event(s, r, slot, address, bytes, data);
	else if (bytes == sizeof(struct apenet_credit))
		credit_event(s, r);
}

static void ring_event(struct apenet_rings *s,
		       const struct weft_apenet_event *ev)
{
	struct apenet_ring *r = weft_table_get(&s->peer, ev->node);

	if (ev->what == WEFT_APENET_RECEIVED)
		ring_received(s, r, slots_at(&r->in, ev->address - r->base),
			      ev->address, ev->bytes, ev->data);
	else if (ev->status == WEFT_APENET_CRC)
		ring_missing(s, r);
	else
		s->dropped++;
}

/* Returns whether a packet is a put of one packet, the only kind in use. */
static bool packet_valid(const struct weft_pkt *pkt)
{
	return pkt->type == APENET_PKT + APENET_PUT &&
	       (pkt->flags & (APENET_FIRST | APENET_LAST | APENET_RECEIVE |
			      APENET_STAGED)) ==
		       (APENET_FIRST | APENET_LAST | APENET_RECEIVE);
}

/* Returns whether a packet has no CRC, or a valid one. */
static bool packet_intact(const struct apenet_rings *s,
			  const struct weft_pkt *pkt, const void *payload)
{
	return (s->memory && pkt->flags & APENET_NO_CRC) ||
	       (pkt->len <= APENET_PAYLOAD &&
		apenet_crc(s->a, pkt, payload) == pkt->unit);
}

int apenet_ring_deliver(void *arg, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	struct apenet_rings *s = arg;
	struct apenet_ring *r = ring_of(s, src);
	int err;

	if (!r)
		return -EAGAIN;
	if (!packet_valid(pkt)) {
		s->a->stats.refused++;
		if (r->keeps)
			/* a packet may have been damaged on a link */
			ring_missing(s, r);
		return 0;
	}
	if (packet_intact(s, pkt, payload) && ring_open(s, r, pkt->tag))
		return -EAGAIN;
	err = apenet_rx_packet(s->a, src->index, !s->memory, pkt, payload);
	ring_events(s);
	return err;
}

WEFT_HOT int apenet_ring_deliver_fast(void *arg, struct weft_peer *src,
				      const struct weft_pkt *pkt,
				      const void *payload)
{
	struct apenet_rings *s = arg;
	struct apenet_ring *r = weft_table_get(&s->peer, src->index);
	const void *slot = NULL;

	if (weft_likely(r != NULL))
		slot = apenet_single_receive(s->a, src->index, pkt, payload);
	if (weft_unlikely(!slot))
		return apenet_ring_deliver(s, src, pkt, payload);
	ring_received(s, r, slot, pkt->tag, pkt->len, pkt->data);
	return 0;
}

/* ---- pending work ---- */

/*
 * Delivers packets that the engine had refused. The peer's board can write a
 * slot until then, so the header is checked again. Returns whether none is
 * left.
 */
static bool ring_drain(struct apenet_rings *s, struct apenet_ring *r, int *n_p)
{
	struct weft_pkt pkt;

	while (r->taken != r->arrived) {
		uint64_t bytes = r->in_bytes[r->taken % APENET_RING_SLOTS];
		const void *slot =
			slots_at(&r->in, apenet_ring_offset(r->taken, bytes));

		if (slot_read(s, slot, bytes, &pkt)) {
			s->dropped++;
			r->taken++;
			continue;
		}
		if (!slot_deliver(s, r, &pkt, slot))
			return false;
		++*n_p;
	}
	return true;
}

int apenet_rings_run(struct apenet_rings *s)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	int n = 0;

	weft_list_each(pos, tmp, &s->pending) {
		struct apenet_ring *r =
			weft_container_of(pos, struct apenet_ring, pending);
		bool done = ring_drain(s, r, &n);

		done &= r->peer->lost || ring_push(s, r);
		if (!r->peer->lost && credit_due(r))
			done &= !credit_send(s, r);
		if (done)
			weft_list_remove(pos);
	}
	return n;
}

/* Closes the buffers of a lost peer. */
static void ring_close(struct apenet_rings *s, struct apenet_ring *r)
{
	weft_list_remove(&r->pending);
	slots_close(s->a, &r->in);
	slots_close(s->a, &r->out);
}

void apenet_ring_lost(void *arg, struct weft_peer *peer, int err)
{
	struct apenet_rings *s = arg;
	struct apenet_ring *r = weft_table_get(&s->peer, peer->index);
	int n = 0;

	if (r && ring_drain(s, r, &n))
		ring_close(s, r);
	s->up->lost(s->up_arg, peer, err);
}

/* ---- open and close ---- */

int apenet_rings_open(struct apenet_rings *s, struct weft_apenet *a,
		      const struct weft_carrier_attr *up, size_t max_bytes)
{
	struct weft_carrier *c = a->port.carrier;
	union weft_name name;

	s->a = a;
	s->up = up->up;
	s->up_arg = up->up_arg;
	s->max_bytes = max_bytes;
	s->memory = c->ops->memory;
	c->ops->name_get(c, &name);
	s->base = APENET_RING_ADDRESS |
		  weft_hash_mix(weft_name_key(&name)) * APENET_RING_SPAN;
	return slots_open_out(a, &s->out, 0);
}

void apenet_rings_close(struct apenet_rings *s)
{
	for (uint32_t i = 0; i < s->peer.count; i++) {
		struct apenet_ring *r = s->peer.cell[i];

		if (!r)
			continue;
		slots_free(&r->in);
		slots_free(&r->out);
		free(r);
	}
	weft_table_fini(&s->peer);
	slots_free(&s->out);
}
