/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Message Unit: open and close, FIFOs and nodes, registers, errors and
 * interrupts. Programs use it through weft/bgq.h; bgq_transport.c opens a unit
 * for the message engine.
 */
#include "prov/machine/bgq/bgq_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>

/* registers of a FIFO that its opening sets: start, size, head, tail */
#define BGQ_FIFO_REGS 4

void bgq_irq(struct weft_bgq *mu, enum weft_bgq_irq irq, unsigned id)
{
	uint64_t bit = UINT64_C(1) << irq;

	mu->irq_pending |= bit;
	if (mu->interrupt && (mu->irq_mask & bit))
		mu->interrupt(mu->interrupt_arg, irq, id);
}

void bgq_error(struct weft_bgq *mu, enum weft_bgq_error code, unsigned id,
	       uint64_t address)
{
	mu->err_code = code;
	mu->err_id = id;
	mu->err_address = address;
	mu->err_count++;
	bgq_irq(mu, WEFT_BGQ_IRQ_ERROR, id);
}

/* Records the loss of a peer; the carrier refuses packets to it. */
static void bgq_lost(void *arg, struct weft_peer *peer, int err)
{
	struct weft_bgq *mu = arg;

	bgq_error(mu, WEFT_BGQ_ERR_LOST, weft_port_node(&mu->port, peer), 0);
}

static const struct weft_carrier_up bgq_up = {
	.deliver = bgq_rx_deliver,
	.lost = bgq_lost,
};

int bgq_create(const struct weft_carrier_ops *ops,
	       const struct weft_carrier_attr *attr, uint64_t seed,
	       struct weft_bgq **bgq_p)
{
	/* pages of FIFOs that are never opened are never allocated */
	void *raw = calloc(1, sizeof(struct weft_bgq) + 63);
	struct weft_bgq *mu = (void *)(((uintptr_t)raw + 63) & ~(uintptr_t)63);
	struct weft_carrier_attr a = *attr;
	int err;

	if (!raw)
		return -ENOMEM;
	mu->raw = raw;
	weft_rng_init(&mu->rng, seed, 0);
	mu->range_changes = 1;
	mu->irq_group[WEFT_BGQ_IRQ_ERROR] = WEFT_BGQ_CRITICAL;
	mu->irq_group[WEFT_BGQ_IRQ_HALT] = WEFT_BGQ_MACHINE_CHECK;
	if (!a.up) {
		a.up = &bgq_up;
		a.up_arg = mu;
	}
	err = weft_port_init(&mu->port, ops, &a);
	if (err) {
		free(raw);
		return err;
	}
	*bgq_p = mu;
	return 0;
}

WEFT_EXPORT int weft_bgq_open(const struct weft_bgq_attr *attr,
			      struct weft_bgq **bgq_p)
{
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr a;
	int err = weft_port_place(&attr->place, &ops, &a);

	if (err)
		return err;
	err = bgq_create(ops, &a, attr->seed, bgq_p);
	if (err)
		return err;
	(*bgq_p)->interrupt = attr->interrupt;
	(*bgq_p)->interrupt_arg = attr->arg;
	return 0;
}

WEFT_EXPORT void weft_bgq_close(struct weft_bgq *mu)
{
	if (!mu)
		return;
	weft_port_fini(&mu->port);
	free(mu->raw);
}

WEFT_EXPORT void weft_bgq_name(struct weft_bgq *mu, struct sockaddr_in *name)
{
	weft_port_name(&mu->port, name);
}

WEFT_EXPORT int weft_bgq_node_set(struct weft_bgq *mu, uint32_t node,
				  const struct sockaddr_in *name)
{
	if (node & ~BGQ_NODE_MASK)
		return -EINVAL;
	return weft_port_node_set(&mu->port, node, name);
}

WEFT_EXPORT int weft_bgq_poll(struct weft_bgq *mu, int budget)
{
	struct weft_carrier *c = mu->port.carrier;
	int n = bgq_tx_run(mu, budget);

	bgq_route_run(mu);
	return n + c->ops->poll(c, budget);
}

WEFT_EXPORT int weft_bgq_wait(struct weft_bgq *mu, uint64_t timeout_ns)
{
	struct weft_carrier *c = mu->port.carrier;

	return c->ops->wait(c, timeout_ns);
}

static bool power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

WEFT_EXPORT int weft_bgq_inj_open(struct weft_bgq *mu, unsigned id, void *mem,
				  uint32_t slots, unsigned flags)
{
	struct bgq_inj *f;
	uint64_t posts;

	if (id >= WEFT_BGQ_INJ_FIFOS || !power_of_two(slots) || !mem ||
	    (uintptr_t)mem % 64 ||
	    (flags & ~(WEFT_BGQ_SYSTEM | WEFT_BGQ_HIGH | WEFT_BGQ_RGET)))
		return -EINVAL;
	f = &mu->inj[id];
	if (f->state != BGQ_CLOSED)
		return -EBUSY;
	posts = weft_load64_relaxed(&f->posts);
	memset(f, 0, sizeof(*f));
	weft_store64_relaxed(&f->posts, posts);
	mu->upc[WEFT_BGQ_UPC_SLAVE_WRITES] += BGQ_FIFO_REGS;
	f->ring = mem;
	f->slots = slots;
	f->flags = (uint8_t)flags;
	f->cls = flags & WEFT_BGQ_SYSTEM ? 2 : flags & WEFT_BGQ_HIGH ? 1 : 0;
	f->threshold = UINT32_MAX;
	f->state = BGQ_OPEN;
	return 0;
}

WEFT_EXPORT int weft_bgq_inj_close(struct weft_bgq *mu, unsigned id)
{
	if (id >= WEFT_BGQ_INJ_FIFOS || mu->inj[id].state == BGQ_CLOSED)
		return -EINVAL;
	nic_event_clear(&mu->active[mu->inj[id].cls][id / 64],
			UINT64_C(1) << id % 64);
	mu->inj[id].state = BGQ_CLOSED;
	return 0;
}

WEFT_EXPORT int weft_bgq_inj_post(struct weft_bgq *mu, unsigned id,
				  const struct weft_bgq_desc *desc,
				  uint64_t *seq_p)
{
	struct bgq_inj *f;

	if (id >= WEFT_BGQ_INJ_FIFOS || mu->inj[id].state == BGQ_CLOSED)
		return -EINVAL;
	f = &mu->inj[id];
	if (f->flags & WEFT_BGQ_RGET)
		return -EPERM;
	if (f->state == BGQ_ERROR)
		return -EIO;
	if (bgq_inj_push(f, (const struct bgq_desc *)desc, 1))
		return -EAGAIN;
	if (seq_p)
		*seq_p = nic_read_own(&f->tail);
	bgq_upc_post(f);
	bgq_tx_doorbell(mu, id);
	return 0;
}

WEFT_EXPORT int weft_bgq_inj_clear(struct weft_bgq *mu, unsigned id)
{
	struct bgq_inj *f;

	if (id >= WEFT_BGQ_INJ_FIFOS || mu->inj[id].state != BGQ_ERROR)
		return -EINVAL;
	f = &mu->inj[id];
	f->state = BGQ_OPEN;
	f->error = WEFT_BGQ_OK;
	f->fetched = false;
	f->loaded = false;
	f->sent = 0;
	f->count++;
	nic_space_return(&f->head, nic_read_own(&f->head) + 1);
	bgq_tx_doorbell(mu, id);
	return 0;
}

WEFT_EXPORT int weft_bgq_rec_open(struct weft_bgq *mu, unsigned id, void *mem,
				  uint64_t bytes, unsigned flags)
{
	struct bgq_rec *r;

	if (id >= WEFT_BGQ_REC_FIFOS || !power_of_two(bytes) || bytes < 1024 ||
	    !mem || (uintptr_t)mem % WEFT_BGQ_CHUNK ||
	    (flags & ~WEFT_BGQ_SYSTEM))
		return -EINVAL;
	r = &mu->rec[id];
	if (r->chunks)
		return -EBUSY;
	memset(r, 0, sizeof(*r));
	mu->upc[WEFT_BGQ_UPC_SLAVE_WRITES] += BGQ_FIFO_REGS;
	r->base = mem;
	r->flags = (uint8_t)flags;
	r->chunks = bytes / WEFT_BGQ_CHUNK;
	return 0;
}

WEFT_EXPORT int weft_bgq_rec_close(struct weft_bgq *mu, unsigned id)
{
	if (id >= WEFT_BGQ_REC_FIFOS || !mu->rec[id].chunks)
		return -EINVAL;
	mu->rec[id].chunks = 0;
	return 0;
}

static uint64_t reg_inj(struct weft_bgq *mu, enum weft_bgq_reg reg, unsigned id)
{
	struct bgq_inj *f = &mu->inj[id];

	if (id >= WEFT_BGQ_INJ_FIFOS)
		return 0;
	switch (reg) {
	case WEFT_BGQ_INJ_HEAD:
		return nic_space_read(&f->head);
	case WEFT_BGQ_INJ_TAIL:
		return nic_doorbell_read(&f->tail);
	case WEFT_BGQ_INJ_FREE:
		return bgq_inj_free(f);
	case WEFT_BGQ_INJ_COUNT:
		return f->count;
	case WEFT_BGQ_INJ_ERROR:
		return f->error;
	default:
		return f->threshold;
	}
}

static uint64_t reg_rec(struct weft_bgq *mu, enum weft_bgq_reg reg, unsigned id)
{
	struct bgq_rec *r = &mu->rec[id];

	if (id >= WEFT_BGQ_REC_FIFOS)
		return 0;
	switch (reg) {
	case WEFT_BGQ_REC_HEAD:
		return nic_space_read(&r->head) * WEFT_BGQ_CHUNK;
	case WEFT_BGQ_REC_TAIL:
		return bgq_rec_tail(r) * WEFT_BGQ_CHUNK;
	case WEFT_BGQ_REC_SHADOW:
		return (nic_space_read(&r->head) + r->chunks -
			bgq_rec_free(r)) *
		       WEFT_BGQ_CHUNK;
	case WEFT_BGQ_REC_FREE:
		return bgq_rec_free(r);
	default:
		return r->threshold;
	}
}

WEFT_EXPORT int weft_bgq_halt(struct weft_bgq *mu, enum weft_bgq_part part)
{
	if (part >= WEFT_BGQ_PARTS)
		return -EINVAL;
	mu->halted |= 1u << part;
	bgq_irq(mu, WEFT_BGQ_IRQ_HALT, part);
	return 0;
}

/* Returns the bits of the interrupts of a group. */
static uint64_t group_irqs(const struct weft_bgq *mu, unsigned group)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < WEFT_BGQ_IRQS; i++)
		bits |= (uint64_t)(mu->irq_group[i] == group) << i;
	return bits;
}

/*
 * Returns whether processors access the register through the slave port; the
 * others are on the rings of the DCRs and of the performance counters.
 */
static bool is_slave_reg(enum weft_bgq_reg reg)
{
	return reg <= WEFT_BGQ_REC_THRESHOLD || reg == WEFT_BGQ_INJ_FETCHED ||
	       (reg >= WEFT_BGQ_GI_CONTROL && reg <= WEFT_BGQ_GI_STATUS);
}

WEFT_EXPORT uint64_t weft_bgq_load(struct weft_bgq *mu, enum weft_bgq_reg reg,
				   unsigned id)
{
	mu->upc[WEFT_BGQ_UPC_SLAVE_READS] += is_slave_reg(reg);
	if (reg <= WEFT_BGQ_INJ_THRESHOLD)
		return reg_inj(mu, reg, id);
	if (reg <= WEFT_BGQ_REC_THRESHOLD)
		return reg_rec(mu, reg, id);
	switch (reg) {
	case WEFT_BGQ_IRQ_PENDING:
		return mu->irq_pending;
	case WEFT_BGQ_IRQ_MASK:
		return mu->irq_mask;
	case WEFT_BGQ_ERR_CODE:
		return mu->err_code;
	case WEFT_BGQ_ERR_ID:
		return mu->err_id;
	case WEFT_BGQ_ERR_ADDRESS:
		return mu->err_address;
	case WEFT_BGQ_ERR_COUNT:
		return mu->err_count;
	case WEFT_BGQ_GI_CONTROL:
	case WEFT_BGQ_GI_CONTROL_SYSTEM:
		return bgq_gi_load(mu, id, false);
	case WEFT_BGQ_GI_STATUS:
		return bgq_gi_load(mu, id, true);
	case WEFT_BGQ_IRQ_GROUP:
		return id < WEFT_BGQ_IRQS ? mu->irq_group[id] : 0;
	case WEFT_BGQ_GROUP_PENDING:
		return mu->irq_pending & group_irqs(mu, id);
	case WEFT_BGQ_HALTED:
		return mu->halted;
	case WEFT_BGQ_INJ_FETCHED:
		return id < WEFT_BGQ_INJ_FIFOS ? mu->inj[id].fetches : 0;
	case WEFT_BGQ_UPC:
		return bgq_upc_load(mu, id);
	default:
		return reg == WEFT_BGQ_NET_RECEIVED ? mu->net_received
		       : id < WEFT_BGQ_NET_FIFOS    ? mu->net_sent[id]
						    : 0;
	}
}

/*
 * Advances the tail of an injection FIFO over descriptors that software has
 * written into its ring.
 */
static int store_tail(struct weft_bgq *mu, unsigned id, uint64_t value)
{
	struct bgq_inj *f = &mu->inj[id % WEFT_BGQ_INJ_FIFOS];
	uint64_t tail = nic_read_own(&f->tail);

	if (id >= WEFT_BGQ_INJ_FIFOS || f->state == BGQ_CLOSED)
		return -EINVAL;
	if (f->flags & WEFT_BGQ_RGET)
		return -EPERM;
	if (value - tail > bgq_inj_free(f))
		return -EINVAL;
	nic_doorbell_ring(&f->tail, value);
	bgq_upc_post(f);
	bgq_tx_doorbell(mu, id);
	return 0;
}

/* Frees the packets of a reception FIFO up to a position in bytes. */
static int store_head(struct weft_bgq *mu, unsigned id, uint64_t value)
{
	struct bgq_rec *r = &mu->rec[id % WEFT_BGQ_REC_FIFOS];
	uint64_t head = nic_read_own(&r->head), chunk = value / WEFT_BGQ_CHUNK;

	if (id >= WEFT_BGQ_REC_FIFOS || !r->chunks || value % WEFT_BGQ_CHUNK ||
	    chunk - head > bgq_rec_tail(r) - head)
		return -EINVAL;
	nic_space_return(&r->head, chunk);
	return 0;
}

static int reg_store(struct weft_bgq *mu, enum weft_bgq_reg reg, unsigned id,
		     uint64_t value)
{
	switch (reg) {
	case WEFT_BGQ_INJ_TAIL:
		return store_tail(mu, id, value);
	case WEFT_BGQ_REC_HEAD:
		return store_head(mu, id, value);
	case WEFT_BGQ_GI_CONTROL:
	case WEFT_BGQ_GI_CONTROL_SYSTEM:
		return bgq_gi_store(mu, id, value,
				    reg == WEFT_BGQ_GI_CONTROL_SYSTEM);
	case WEFT_BGQ_INJ_THRESHOLD:
		if (id >= WEFT_BGQ_INJ_FIFOS || value > UINT32_MAX)
			return -EINVAL;
		mu->inj[id].threshold = (uint32_t)value;
		return 0;
	case WEFT_BGQ_REC_THRESHOLD:
		if (id >= WEFT_BGQ_REC_FIFOS)
			return -EINVAL;
		mu->rec[id].threshold = value;
		return 0;
	case WEFT_BGQ_IRQ_PENDING:
		mu->irq_pending &= ~value;
		return 0;
	case WEFT_BGQ_IRQ_GROUP:
		if (id >= WEFT_BGQ_IRQS || value >= WEFT_BGQ_GROUPS)
			return -EINVAL;
		mu->irq_group[id] = (uint8_t)value;
		return 0;
	case WEFT_BGQ_HALTED:
		mu->halted &= ~(unsigned)value;
		return 0;
	case WEFT_BGQ_IRQ_MASK:
		mu->irq_mask = value;
		return 0;
	case WEFT_BGQ_UPC:
		return bgq_upc_store(mu, id, value);
	default:
		return -EPERM;
	}
}

WEFT_EXPORT int weft_bgq_store(struct weft_bgq *mu, enum weft_bgq_reg reg,
			       unsigned id, uint64_t value)
{
	int err = reg_store(mu, reg, id, value);

	/* stores to a tail are counted for each FIFO */
	if (!err && is_slave_reg(reg) && reg != WEFT_BGQ_INJ_TAIL)
		mu->upc[WEFT_BGQ_UPC_SLAVE_WRITES]++;
	return err;
}
