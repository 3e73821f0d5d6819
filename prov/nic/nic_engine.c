/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Core of the engine: opening it on a unit, dispatching packets by type,
 * polling, and handling the failure of a peer.
 */
#include "prov/nic/nic_atomic.h"
#include "prov/nic/nic_atomic_exec.h"
#include "prov/nic/nic_cancel.h"
#include "prov/nic/nic_fetch.h"
#include "prov/group/grp_hook.h"
#include "prov/group/grp_net.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_recv.h"
#include "prov/nic/nic_rma.h"
#include "prov/nic/nic_rndv.h"
#include "prov/nic/nic_send.h"
#include "prov/nic/nic_share.h"
#include "src/base/clock.h"
#include "src/base/copy.h"
#include "src/base/log.h"
#include "src/base/must.h"
#include "src/job/fault_plan.h"

#include <stdlib.h>

#define CLOSE_NS	 (2 * 1000 * 1000 * 1000ull)
/* maximum number of packets per run of the interface */
#define INTERFACE_BUDGET 16

/* ---- death of a peer ----------------------------------------------------- */

static void ctrl_drop(struct nic_peer *p)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&p->ctrl)))
		free(weft_container_of(n, struct nic_ctrl, link));
}

static void list_fail(struct weft_nic *nic, struct weft_list *list, int err)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, list) {
		struct weft_nic_op *op =
			weft_container_of(n, struct weft_nic_op, link);

		/*
		 * a peer whose loss was reported for lack of memory is alive,
		 * so the unit still completes its DMA
		 */
		if (op->state != NIC_DMA)
			nic_end(nic, op, err);
	}
}

/*
 * Completes receives that have all bytes of their message: the peer has closed
 * or died, so the FIN can no longer be sent, and is not needed.
 */
static void fin_wait_end(struct weft_nic *nic, struct nic_peer *p)
{
	struct weft_list *n, *tmp;
	struct weft_nic_op *op;

	weft_list_each(n, tmp, &p->fin_wait) {
		op = weft_container_of(n, struct weft_nic_op, link);
		nic_end(nic, op, op->err);
	}
}

static void nic_lost(void *arg, struct weft_peer *peer, int err)
{
	struct weft_nic *nic = arg;
	struct nic_peer *p = peer->up;

	WEFT_ASSERT(err > 0 && err <= UINT16_MAX);
	peer->lost = (uint32_t)err;
	nic->deaths += err == ECONNRESET || err == ENOMEM;
	if (p) {
		p->share = NULL;
		ctrl_drop(p);
		weft_list_remove(&p->busy);
		fin_wait_end(nic, p);
		list_fail(nic, &p->sending, -err);
		list_fail(nic, &p->bulk, -err);
		list_fail(nic, &p->waiting, -err);
	}
	nic_recv_lost(nic, peer, -err);
	grp_lost(nic, peer, -err);
}

/*
 * Reports the loss of each peer for which a packet could not be queued for lack
 * of memory.
 */
static WEFT_COLD void starved_lost(struct weft_nic *nic)
{
	struct weft_list *n;
	struct nic_peer *p;

	nic->starved = false;
	for (n = nic->peers.next; n != &nic->peers; n = n->next) {
		p = weft_container_of(n, struct nic_peer, link);
		if (!p->starved)
			continue;
		p->starved = false;
		weft_log(WEFT_LOG_ERROR,
			 "nic: no memory for a packet to peer %u; all "
			 "operations with the peer fail",
			 p->peer->index);
		nic_lost(nic, p->peer, ENOMEM);
	}
}

/* ---- closed regions ------------------------------------------------------ */

static void peer_region_closed(struct weft_nic *nic, struct nic_peer *p,
			       uint64_t key)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &p->waiting) {
		struct weft_nic_op *op =
			weft_container_of(i, struct weft_nic_op, link);

		if (op->kind != WEFT_SERVE || !op->streams || op->key != key)
			continue;
		nic_fin(nic, op->peer, op->remote_id, -EACCES);
		nic_end(nic, op, -EACCES);
	}
}

void weft_nic_region_closed(struct weft_nic *nic, uint64_t key)
{
	struct weft_list *n;

	if (!nic->stream_min)
		return;
	for (n = nic->peers.next; n != &nic->peers; n = n->next)
		peer_region_closed(
			nic, weft_container_of(n, struct nic_peer, link), key);
}

/* ---- received packets ---------------------------------------------------- */

typedef int (*nic_got_fn)(struct weft_nic *nic, struct weft_peer *src,
			  const struct weft_pkt *pkt, const void *payload);

static int nic_got_empty(struct weft_nic *nic, struct weft_peer *src,
			 const struct weft_pkt *pkt, const void *payload)
{
	return 0;
}

static const nic_got_fn got[NIC_TYPES] = {
	[NIC_MSG] = nic_got_msg,
	[NIC_FIRST] = nic_got_first,
	[NIC_NEXT] = nic_got_next,
	[NIC_RTS] = nic_got_rts,
	[NIC_FIN] = nic_got_fin,
	[NIC_CTS] = nic_got_cts,
	[NIC_BULK] = nic_got_bulk,
	[NIC_COPY_REQUEST] = nic_got_copy_request,
	[NIC_COPY_DONE] = nic_got_copy_done,
	[NIC_WRITE] = nic_got_write,
	[NIC_WRITE_PULL] = nic_got_dma_request,
	[NIC_READ] = nic_got_read,
	[NIC_READ_PUSH] = nic_got_dma_request,
	[NIC_READ_DATA] = nic_got_read_data,
	[NIC_EVENT] = nic_got_event,
	[NIC_ATOMIC] = nic_got_atomic,
	[NIC_RESULT] = nic_got_result,
	[NIC_COLL] = nic_got_coll,
	[NIC_CANCEL] = nic_got_cancel,
	[NIC_EMPTY] = nic_got_empty,
	[NIC_READ_REST] = nic_got_read,
	[NIC_WRITE_OFFER] = nic_got_write_offer,
	[NIC_STORE] = nic_got_store,
	[NIC_STORED] = nic_got_stored,
};

/*
 * Handles a packet. -EAGAIN (no memory) makes the carrier deliver the packet
 * again; invalid packets are counted and dropped. A packet that may need a
 * response is accepted only if the peer's record and memory for the response
 * exist.
 */
static int nic_deliver(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic *nic = arg;
	int err;

	if (weft_likely(pkt->type == NIC_MSG && !(pkt->flags & WEFT_OP_ACK)))
		return nic_got_msg(nic, src, pkt, payload);
	if (!pkt->type || pkt->type >= NIC_TYPES) {
		nic->garbage++;
		return 0;
	}
	if (weft_unlikely(!nic_peer_of(nic, src) || !nic_ready(nic)))
		return -EAGAIN;
	err = got[pkt->type](nic, src, pkt, payload);
	if (err == -EAGAIN)
		return err;
	if (err)
		nic->garbage++;
	return 0;
}

/*
 * Lets the interface process packets that have arrived. Collectives progress
 * only when the processor polls.
 */
static void nic_interface(void *arg)
{
	struct weft_nic *nic = arg;

	nic->unit->ops->poll(nic->unit, INTERFACE_BUDGET);
	if (!weft_list_empty(&nic->busy))
		nic_push_all(nic);
}

static const struct weft_carrier_up nic_up = {
	.deliver = nic_deliver,
	.lost = nic_lost,
	.interface = nic_interface,
};

WEFT_HOT int weft_nic_poll(struct weft_nic *nic, int budget)
{
	int n = nic->unit->ops->poll(nic->unit, budget);

	if (weft_unlikely(!weft_list_empty(&nic->busy))) {
		if (weft_unlikely(nic->starved))
			starved_lost(nic);
		nic_push_all(nic);
	}
	if (weft_unlikely(nic->coll_active))
		grp_poll(nic);
	if (weft_unlikely(!weft_list_empty(&nic->fetching)))
		nic_fetch_poll(nic);
	return n;
}

/* ---- open and close ------------------------------------------------------ */

static void nic_init(struct weft_nic *nic, const struct weft_nic_attr *attr)
{
	nic->machine = attr->machine;
	nic->up = attr->up;
	nic->up_arg = attr->up_arg;
	nic->min_multi = attr->min_multi;
	nic->no_dma = attr->no_dma;
	weft_list_init(&nic->busy);
	weft_list_init(&nic->fetching);
	weft_list_init(&nic->peers);
	weft_list_init(&nic->claimed);
	weft_list_init(&nic->gone);
	weft_list_init(&nic->spare);
	weft_match_init(&nic->match[0]);
	weft_match_init(&nic->match[1]);
	weft_pool_init(&nic->head.ops, sizeof(struct weft_nic_op));
	weft_pool_init(&nic->msgs, sizeof(struct nic_msg));
}

/*
 * Returns the carrier flags of packets that may be reordered or split. Units
 * that count packets must receive as many packets as were sent.
 */
static uint32_t nic_carrier_flags(const struct weft_unit *u)
{
	if (u->carrier->ops->backend->any_route)
		return WEFT_PKT_ANY_ROUTE;
	return u->ops->bare && u->carrier->cuts ? WEFT_PKT_SPLIT_OK : 0;
}

/*
 * Sets the minimum sizes of shared copies; sizes measured on the host are
 * preferred.
 */
static void nic_shared_copy_sizes(struct weft_nic *nic,
				  const struct weft_nic_attr *attr)
{
	bool host = attr->machine->eager_by_host;

	nic->shared_copy_bytes = NIC_SHARED_COPY_MIN;
	nic->shared_copy_busy_bytes = NIC_SHARED_COPY_MIN;
	if (host && attr->host_shared_copy)
		nic->shared_copy_bytes = attr->host_shared_copy;
	if (host && attr->host_shared_copy_busy)
		nic->shared_copy_busy_bytes = attr->host_shared_copy_busy;
}

static void nic_sizes(struct weft_nic *nic, const struct weft_nic_attr *attr)
{
	size_t mtu = nic->unit->carrier->mtu;

	nic->packet_bytes = attr->machine->packet_bytes;
	if (nic->packet_bytes > mtu)
		nic->packet_bytes = mtu;
	nic->eager_bytes = attr->machine->eager_bytes;
	/* with CMA available, use the eager limit measured by mpiexec */
	if (attr->machine->eager_by_host && attr->host_eager && !attr->no_dma &&
	    nic->unit->carrier->ops == &weft_carrier_shm)
		nic->eager_bytes = attr->host_eager;
	nic_shared_copy_sizes(nic, attr);
	nic->copy_span = weft_copy_span(attr->host_loop);
	if (attr->eager_bytes)
		nic->eager_bytes = attr->eager_bytes;
	if (nic->eager_bytes > NIC_EAGER_CAP)
		nic->eager_bytes = NIC_EAGER_CAP;
	if (nic->unit->ops->bare && nic->unit->carrier->ops->stream)
		nic->stream_min = attr->stream_min;
	nic->loose = nic_carrier_flags(nic->unit);
	nic->whole_bytes = nic->packet_bytes;
	WEFT_ASSERT(nic->packet_bytes > sizeof(uint64_t));
	if (nic->whole_bytes > nic->eager_bytes)
		nic->whole_bytes = nic->eager_bytes;
}

/*
 * Returns whether the fault plan contains faults. The carrier reports syntax
 * errors.
 */
static bool nic_has_faults(const char *faults)
{
	struct weft_fault_plan_why why;
	struct weft_fault_plan plan;
	bool any;

	if (!faults || !*faults)
		return false;
	if (weft_fault_plan_load(faults, &plan, &why))
		return true;
	any = plan.count;
	weft_fault_plan_fini(&plan);
	return any;
}

/*
 * Selects the carrier. Shared memory itself has no errors, so a fault plan
 * requires the lossy carrier on top of it.
 */
static const struct weft_carrier_ops *
nic_carrier(const struct weft_nic_attr *attr, struct weft_carrier_attr *ca)
{
	if (attr->carrier != &weft_carrier_shm || !nic_has_faults(attr->faults))
		return attr->carrier;
	ca->below = attr->carrier;
	ca->code = attr->machine->code;
	return &weft_carrier_lossy;
}

static void nic_match_init(struct weft_nic *nic)
{
	struct weft_carrier *c = nic->unit->carrier;
	const struct weft_backend *b = c->ops->backend;

	nic->unit_matches = b->matches && b->matches(c);
}

int weft_nic_open(const struct weft_nic_attr *attr, struct weft_nic **nic_p)
{
	struct weft_nic *nic = aligned_alloc(64, (sizeof(*nic) + 63) / 64 * 64);
	struct weft_carrier_attr ca = {
		.name = attr->name,
		.up = &nic_up,
		.up_arg = nic,
		.fifo_slots = attr->fifo_slots,
		.spin_ns = attr->spin_ns,
		.share_bytes = nic_share_bytes(),
		.window_bytes = weft_cunit_area_bytes(&attr->machine->cu) +
				weft_cunit_area_bytes(&attr->machine->bar),
		.loop_bytes = attr->host_loop,
		.no_dma = attr->no_dma,
		.faults = attr->faults,
		.silence_ms = attr->silence_ms,
		.encrypt = attr->encrypt,
		.streams = attr->stream_min && attr->machine->unit->bare,
		.key = attr->key,
		.key_bytes = attr->key_bytes,
		.world = attr->world,
		.threads = attr->threads,
		.host_match = attr->host_match,
		.combine = grp_combine,
		.change = nic_atomic_change,
	};
	int err;

	if (!nic)
		return -ENOMEM;
	memset(nic, 0, sizeof(*nic));
	nic_init(nic, attr);
	err = attr->machine->unit->open(attr->machine, nic_carrier(attr, &ca),
					&ca, &nic->unit);
	if (err) {
		free(nic);
		return err;
	}
	nic_sizes(nic, attr);
	nic_match_init(nic);
	nic_share_init(nic);
	err = nic_spares_fill(nic) ? -ENOMEM : grp_open(nic, attr);
	if (err)
		goto err_close;
	*nic_p = nic;
	return 0;
err_close:
	nic->unit->ops->close(nic->unit);
	nic_spares_free(nic);
	free(nic);
	return err;
}

/*
 * Returns whether a transfer is outstanding that cannot complete without
 * progress of this process.
 */
static bool nic_unfinished(struct weft_nic *nic)
{
	struct weft_list *n;
	struct nic_peer *p;

	if (weft_nic_fetching(nic))
		return true;
	for (n = nic->peers.next; n != &nic->peers; n = n->next) {
		p = weft_container_of(n, struct nic_peer, link);
		if (!weft_list_empty(&p->ctrl) ||
		    !weft_list_empty(&p->fin_wait) ||
		    !weft_list_empty(&p->sending))
			return true;
	}
	return false;
}

static void peers_free(struct weft_nic *nic)
{
	struct weft_list *n;
	struct nic_peer *p;

	while ((n = weft_list_pop_front(&nic->peers))) {
		p = weft_container_of(n, struct nic_peer, link);
		ctrl_drop(p);
		free(p);
	}
}

void weft_nic_close(struct weft_nic *nic)
{
	uint64_t end = weft_now_ns() + CLOSE_NS;

	if (!nic)
		return;
	while (nic_unfinished(nic) && weft_now_ns() < end) {
		if (!weft_nic_poll(nic, 64))
			weft_relax();
	}
	if (nic->garbage)
		weft_log(WEFT_LOG_INFO, "nic: %llu invalid packets dropped",
			 (unsigned long long)nic->garbage);
	nic_ids_check(nic);
	nic_fetch_fini(nic);
	grp_close(nic);
	nic->unit->ops->close(nic->unit);
	nic_recv_fini(nic);
	nic_ids_drop(nic);
	nic_spares_free(nic);
	peers_free(nic);
	weft_match_fini(&nic->match[0]);
	weft_match_fini(&nic->match[1]);
	weft_pool_fini(&nic->head.ops);
	weft_pool_fini(&nic->msgs);
	free(nic->id_op);
	free(nic->id_next);
	free(nic->region_reg);
	free(nic);
}

bool weft_nic_fetching(const struct weft_nic *nic)
{
	return !weft_list_empty(&nic->fetching);
}

void weft_nic_name(struct weft_nic *nic, union weft_name *name)
{
	nic->unit->carrier->ops->name_get(nic->unit->carrier, name);
}

void weft_nic_stats(const struct weft_nic *nic, struct weft_nic_stats *s)
{
	const struct weft_list *n;

	*s = (struct weft_nic_stats){
		.posted = nic->match[0].posted_used + nic->match[1].posted_used,
		.unexpected = nic->match[0].msgs_used + nic->match[1].msgs_used,
		.rendezvous = nic->rendezvous,
		.dma_bytes = nic->dma_bytes,
		.paced = nic->paced,
		.transfers = nic->unit->transfers,
		.atomics = nic->unit->atomics,
		.garbage = nic->garbage,
	};
	if (nic->unit->ops->counters)
		nic->unit->ops->counters(nic->unit, s->unit);
	if (nic->unit->ops->chain)
		s->chained = nic->unit->ops->chain->started(nic->unit);
	for (n = nic->gone.next; n != &nic->gone; n = n->next)
		s->gone++;
}

void weft_nic_contact(struct weft_nic *nic, struct weft_peer *peer)
{
	const struct weft_pkt pkt = { .type = NIC_EMPTY };

	if (nic_peer_of(nic, peer) && nic_ready(nic))
		nic_ctrl(nic, peer, &pkt, NULL);
}

void weft_nic_ended(struct weft_nic *nic, struct weft_peer *peer)
{
	struct weft_carrier *c = nic->unit->carrier;

	c->ops->ended(c, peer);
}

uint64_t weft_nic_dead_count(const struct weft_nic *nic)
{
	return nic->deaths;
}

struct weft_carrier *weft_nic_carrier(struct weft_nic *nic)
{
	return nic->unit->carrier;
}

void weft_nic_set_min_multi(struct weft_nic *nic, size_t bytes)
{
	nic->min_multi = bytes;
}

void weft_nic_set_up(struct weft_nic *nic, const struct weft_nic_up *up)
{
	nic->up = up;
}
