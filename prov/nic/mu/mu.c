/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Message Unit: open and close, FIFOs and nodes, registers, errors and
 * interrupts. Users call it through weft/mu.h; mu_engine.c opens one for the
 * message engine.
 */
#include "prov/nic/mu/mu_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>

void mu_irq(struct weft_mu *mu, enum weft_mu_irq irq, unsigned id)
{
	uint64_t bit = UINT64_C(1) << irq;

	mu->irq_pending |= bit;
	if (mu->interrupt && (mu->irq_mask & bit))
		mu->interrupt(mu->interrupt_arg, irq, id);
}

void mu_error(struct weft_mu *mu, enum weft_mu_error code, unsigned id,
	      uint64_t address)
{
	mu->err_code = code;
	mu->err_id = id;
	mu->err_address = address;
	mu->err_count++;
	mu_irq(mu, WEFT_MU_IRQ_ERROR, id);
}

/* A peer is lost: records the error; the carrier refuses sends to it. */
static void mu_lost(void *arg, struct weft_peer *peer, int err)
{
	struct weft_mu *mu = arg;

	mu_error(mu, WEFT_MU_ERR_LOST, weft_port_node(&mu->port, peer), 0);
}

static const struct weft_carrier_up mu_up = {
	.deliver = mu_rx_deliver,
	.lost = mu_lost,
};

int mu_create(const struct weft_carrier_ops *ops,
	      const struct weft_carrier_attr *attr, uint64_t seed,
	      struct weft_mu **mu_p)
{
	/* Most FIFOs are never opened: their zeroed pages stay unallocated. */
	void *raw = calloc(1, sizeof(struct weft_mu) + 63);
	struct weft_mu *mu = (void *)(((uintptr_t)raw + 63) & ~(uintptr_t)63);
	struct weft_carrier_attr a = *attr;
	int err;

	if (!raw)
		return -ENOMEM;
	mu->raw = raw;
	weft_rng_init(&mu->rng, seed, 0);
	if (!a.up) {
		a.up = &mu_up;
		a.up_arg = mu;
	}
	err = weft_port_init(&mu->port, ops, &a);
	if (err) {
		free(raw);
		return err;
	}
	*mu_p = mu;
	return 0;
}

WEFT_EXPORT int weft_mu_open(const struct weft_mu_attr *attr,
			     struct weft_mu **mu_p)
{
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr a;
	int err = weft_port_place(&attr->place, &ops, &a);

	if (err)
		return err;
	err = mu_create(ops, &a, attr->seed, mu_p);
	if (err)
		return err;
	(*mu_p)->interrupt = attr->interrupt;
	(*mu_p)->interrupt_arg = attr->arg;
	return 0;
}

WEFT_EXPORT void weft_mu_close(struct weft_mu *mu)
{
	if (!mu)
		return;
	weft_port_fini(&mu->port);
	free(mu->raw);
}

WEFT_EXPORT void weft_mu_name(struct weft_mu *mu, struct sockaddr_in *name)
{
	mu->port.carrier->ops->name_get(mu->port.carrier, name);
}

WEFT_EXPORT int weft_mu_node_set(struct weft_mu *mu, uint32_t node,
				 const struct sockaddr_in *name)
{
	if (node & ~MU_NODE_MASK)
		return -EINVAL;
	return weft_port_node_set(&mu->port, node, name);
}

WEFT_EXPORT int weft_mu_poll(struct weft_mu *mu, int budget)
{
	struct weft_carrier *c = mu->port.carrier;
	int n = mu_tx_run(mu, budget);

	return n + c->ops->poll(c, budget);
}

WEFT_EXPORT int weft_mu_wait(struct weft_mu *mu, uint64_t timeout_ns)
{
	struct weft_carrier *c = mu->port.carrier;

	return c->ops->wait(c, timeout_ns);
}

static bool power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

WEFT_EXPORT int weft_mu_inj_open(struct weft_mu *mu, unsigned id, void *mem,
				 uint32_t slots, unsigned flags)
{
	struct mu_inj *f;

	if (id >= WEFT_MU_INJ_FIFOS || !power_of_two(slots) || !mem ||
	    (uintptr_t)mem % 64 ||
	    (flags & ~(WEFT_MU_SYSTEM | WEFT_MU_HIGH | WEFT_MU_RGET)))
		return -EINVAL;
	f = &mu->inj[id];
	if (f->state != MU_CLOSED)
		return -EBUSY;
	memset(f, 0, sizeof(*f));
	f->ring = mem;
	f->slots = slots;
	f->flags = (uint8_t)flags;
	f->cls = flags & WEFT_MU_SYSTEM ? 2 : flags & WEFT_MU_HIGH ? 1 : 0;
	f->threshold = UINT32_MAX;
	f->state = MU_OPEN;
	return 0;
}

WEFT_EXPORT int weft_mu_inj_close(struct weft_mu *mu, unsigned id)
{
	if (id >= WEFT_MU_INJ_FIFOS || mu->inj[id].state == MU_CLOSED)
		return -EINVAL;
	nic_event_clear(&mu->active[mu->inj[id].cls][id / 64],
			UINT64_C(1) << id % 64);
	mu->inj[id].state = MU_CLOSED;
	return 0;
}

WEFT_EXPORT int weft_mu_inj_post(struct weft_mu *mu, unsigned id,
				 const struct weft_mu_desc *desc,
				 uint64_t *seq_p)
{
	struct mu_inj *f;

	if (id >= WEFT_MU_INJ_FIFOS || mu->inj[id].state == MU_CLOSED)
		return -EINVAL;
	f = &mu->inj[id];
	if (f->flags & WEFT_MU_RGET)
		return -EPERM;
	if (f->state == MU_ERROR)
		return -EIO;
	if (mu_inj_push(f, (const struct mu_desc *)desc, 1))
		return -EAGAIN;
	if (seq_p)
		*seq_p = nic_read_own(&f->tail);
	mu_tx_doorbell(mu, id);
	return 0;
}

WEFT_EXPORT int weft_mu_inj_clear(struct weft_mu *mu, unsigned id)
{
	struct mu_inj *f;

	if (id >= WEFT_MU_INJ_FIFOS || mu->inj[id].state != MU_ERROR)
		return -EINVAL;
	f = &mu->inj[id];
	f->state = MU_OPEN;
	f->error = WEFT_MU_OK;
	f->fetched = false;
	f->loaded = false;
	f->sent = 0;
	f->count++;
	nic_space_return(&f->head, nic_read_own(&f->head) + 1);
	mu_tx_doorbell(mu, id);
	return 0;
}

WEFT_EXPORT int weft_mu_rec_open(struct weft_mu *mu, unsigned id, void *mem,
				 uint64_t bytes, unsigned flags)
{
	struct mu_rec *r;

	if (id >= WEFT_MU_REC_FIFOS || !power_of_two(bytes) || bytes < 1024 ||
	    !mem || (uintptr_t)mem % WEFT_MU_CHUNK || (flags & ~WEFT_MU_SYSTEM))
		return -EINVAL;
	r = &mu->rec[id];
	if (r->chunks)
		return -EBUSY;
	memset(r, 0, sizeof(*r));
	r->base = mem;
	r->flags = (uint8_t)flags;
	r->chunks = bytes / WEFT_MU_CHUNK;
	return 0;
}

WEFT_EXPORT int weft_mu_rec_close(struct weft_mu *mu, unsigned id)
{
	if (id >= WEFT_MU_REC_FIFOS || !mu->rec[id].chunks)
		return -EINVAL;
	mu->rec[id].chunks = 0;
	return 0;
}

static uint64_t reg_inj(struct weft_mu *mu, enum weft_mu_reg reg, unsigned id)
{
	struct mu_inj *f = &mu->inj[id];

	if (id >= WEFT_MU_INJ_FIFOS)
		return 0;
	switch (reg) {
	case WEFT_MU_INJ_HEAD:
		return nic_space_read(&f->head);
	case WEFT_MU_INJ_TAIL:
		return nic_doorbell_read(&f->tail);
	case WEFT_MU_INJ_FREE:
		return mu_inj_free(f);
	case WEFT_MU_INJ_COUNT:
		return f->count;
	case WEFT_MU_INJ_ERROR:
		return f->error;
	default:
		return f->threshold;
	}
}

static uint64_t reg_rec(struct weft_mu *mu, enum weft_mu_reg reg, unsigned id)
{
	struct mu_rec *r = &mu->rec[id];

	if (id >= WEFT_MU_REC_FIFOS)
		return 0;
	switch (reg) {
	case WEFT_MU_REC_HEAD:
		return nic_space_read(&r->head) * WEFT_MU_CHUNK;
	case WEFT_MU_REC_TAIL:
		return mu_rec_tail(r) * WEFT_MU_CHUNK;
	case WEFT_MU_REC_SHADOW:
		return (nic_space_read(&r->head) + r->chunks - mu_rec_free(r)) *
		       WEFT_MU_CHUNK;
	case WEFT_MU_REC_FREE:
		return mu_rec_free(r);
	default:
		return r->threshold;
	}
}

static uint64_t reg_net(struct weft_mu *mu, enum weft_mu_reg reg, unsigned id)
{
	if (reg == WEFT_MU_NET_RECEIVED)
		return mu->net_received;
	return id < WEFT_MU_NET_FIFOS ? mu->net_sent[id] : 0;
}

WEFT_EXPORT uint64_t weft_mu_load(struct weft_mu *mu, enum weft_mu_reg reg,
				  unsigned id)
{
	if (reg <= WEFT_MU_INJ_THRESHOLD)
		return reg_inj(mu, reg, id);
	if (reg <= WEFT_MU_REC_THRESHOLD)
		return reg_rec(mu, reg, id);
	switch (reg) {
	case WEFT_MU_IRQ_PENDING:
		return mu->irq_pending;
	case WEFT_MU_IRQ_MASK:
		return mu->irq_mask;
	case WEFT_MU_ERR_CODE:
		return mu->err_code;
	case WEFT_MU_ERR_ID:
		return mu->err_id;
	case WEFT_MU_ERR_ADDRESS:
		return mu->err_address;
	case WEFT_MU_ERR_COUNT:
		return mu->err_count;
	default:
		return reg_net(mu, reg, id);
	}
}

WEFT_EXPORT int weft_mu_store(struct weft_mu *mu, enum weft_mu_reg reg,
			      unsigned id, uint64_t value)
{
	switch (reg) {
	case WEFT_MU_INJ_THRESHOLD:
		if (id >= WEFT_MU_INJ_FIFOS || value > UINT32_MAX)
			return -EINVAL;
		mu->inj[id].threshold = (uint32_t)value;
		return 0;
	case WEFT_MU_REC_THRESHOLD:
		if (id >= WEFT_MU_REC_FIFOS)
			return -EINVAL;
		mu->rec[id].threshold = value;
		return 0;
	case WEFT_MU_IRQ_PENDING:
		mu->irq_pending &= ~value;
		return 0;
	case WEFT_MU_IRQ_MASK:
		mu->irq_mask = value;
		return 0;
	default:
		return -EPERM;
	}
}
