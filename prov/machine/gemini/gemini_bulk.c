/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine: descriptors in a channel of the block
 * transfer engine, each with a transaction, and events in a completion queue,
 * which notify the message engine. On the machine the data moves packet by
 * packet; here it is one copy for each descriptor or, in virtual time, a
 * transfer in the model. The copy includes unaligned ends (not multiples of
 * four bytes), which the machine's software moves by FMA.
 *
 * Live, a descriptor has a local and a remote memory handle. This unit checks
 * both: the local one as on the machine, the remote one in place of the
 * target's unit, whose process may be computing. The status of the transaction
 * is in the event.
 */
#include "prov/machine/gemini/gemini_bulk.h"

#include "prov/backend/backend.h"
#include "prov/machine/machine_transport.h"
#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BULK_EVENTS 128 /* entries of the completion queue */
#define BULK_SEGS   WEFT_COUNT_OF(((struct weft_dma *)0)->local)

/* An outstanding transfer. */
struct gemini_bulk {
	struct weft_dma dma; /* copy of *d */
	struct weft_dma *d;
	struct weft_gemini *f;
	struct weft_unit *unit;
	struct weft_peer *peer;
	int ssid;
	int err;       /* first error */
	unsigned left; /* number of descriptors without an event yet */
	uint64_t at;   /* address of the current segment in the peer */
	bool get;
	bool taken;
};

static_assert(GEMINI_BULKS * BULK_SEGS <= BULK_EVENTS, "one event each");

static bool bulk_is_model(const struct weft_gemini *f)
{
	return f->port.carrier->ops->backend->transfers_later;
}

int gemini_bulk_open(struct weft_gemini *f, size_t offset)
{
	int err;

	f->bulk = calloc(GEMINI_BULKS, sizeof(*f->bulk));
	if (!f->bulk)
		return -ENOMEM;
	err = weft_gemini_cq_open(f, BULK_EVENTS, &f->bulk_cq);
	if (err || bulk_is_model(f))
		return err;
	return gemini_handles_init(f, offset);
}

void gemini_bulk_close(struct weft_gemini *f)
{
	gemini_handles_fini(f);
	free(f->bulk);
	f->bulk = NULL;
}

static void bulk_complete(struct weft_dma *dma, int err)
{
	struct gemini_bulk *b = weft_container_of(dma, struct gemini_bulk, dma);
	struct weft_gemini *f = b->f;

	b->err = err;
	if (!err) {
		f->stats.requests += gemini_packets(dma->bytes);
		f->stats.phits += gemini_put_phits(dma->bytes);
	}
	gemini_txn_close(f, (unsigned)b->ssid, (uint64_t)(b - f->bulk));
	gemini_bulk_events(f);
}

/* Returns 0 or -errno for the status of an event. */
static int status_errno(unsigned status)
{
	switch (status) {
	case WEFT_GEMINI_OK:
		return 0;
	case WEFT_GEMINI_TIMEOUT:
		return -ECONNRESET;
	case WEFT_GEMINI_UNCORRECTABLE:
		return -EFAULT;
	default:
		return -EACCES;
	}
}

void gemini_bulk_events(struct weft_gemini *f)
{
	struct weft_gemini_event ev;

	while (!weft_gemini_cq_read(f, f->bulk_cq, &ev)) {
		struct gemini_bulk *b = &f->bulk[ev.data % GEMINI_BULKS];
		struct weft_dma *d = b->d;
		int err;

		if (!b->err)
			b->err = status_errno(ev.status);
		if (--b->left)
			continue;
		err = b->err;
		b->taken = false;
		b->unit->transfers += !err;
		d->done(d, err);
	}
}

/* Returns the channel of a transfer; transfers use the channels round-robin. */
static unsigned bulk_channel(const struct gemini_bulk *b)
{
	return (unsigned)(b - b->f->bulk) % WEFT_GEMINI_CHANNELS;
}

/*
 * Sets the path of a block transfer. Its packets may use any link, because data
 * is visible only after the event. Injection FIFO 0 is for windows, each of the
 * others for one channel.
 */
static void bte_path_set(const struct gemini_bulk *b,
			 struct weft_pkt_attr *path)
{
	struct weft_carrier *c = b->unit->carrier;

	path->path = (uint8_t)c->ops->backend->path(c, "bte");
	path->vc = WEFT_VC_DYNAMIC;
	path->fifo = (uint8_t)(2 + bulk_channel(b));
}

/* Cancels a descriptor that could not start; no event is written for it. */
static void bulk_cancel(struct gemini_bulk *b, int ssid, int err)
{
	b->err = err;
	b->f->txn[ssid].cq = WEFT_GEMINI_NO_CQ;
	gemini_txn_close(b->f, (unsigned)ssid, 0);
}

/* Starts the transfer in the model. */
static void bulk_run_model(struct gemini_bulk *b, int ssid)
{
	struct weft_dma_path path = { .quick = false };
	int err;

	bte_path_set(b, &path.there);
	path.back = path.there;
	b->ssid = ssid;
	err = b->get ? weft_transport_get(b->unit, b->peer, &b->dma, &path)
		     : weft_transport_put(b->unit, b->peer, &b->dma, &path);
	if (err)
		bulk_cancel(b, ssid, err);
}

/*
 * Checks both sides of a descriptor, copies, and sets the status. -EAGAIN,
 * -EOPNOTSUPP: the copy is not possible.
 */
static int bulk_copy(struct gemini_bulk *b, const struct weft_gemini_bte *cmd,
		     enum weft_gemini_status *status_p)
{
	struct weft_gemini *f = b->f;
	struct weft_carrier *c = b->unit->carrier;
	struct iovec local = { .iov_len = cmd->bytes };
	uint64_t here = 0;
	int err;

	*status_p = gemini_translate(&f->mdd[cmd->local.mdh], cmd->local.offset,
				     cmd->bytes, b->get, &here);
	if (*status_p)
		return 0;
	err = gemini_handle_settle(f, b->peer, b->at, cmd, status_p);
	if (err || *status_p)
		return err;
	local.iov_base = (void *)(uintptr_t)here;
	b->unit->copied = true;
	err = b->get ? c->ops->read(c, b->peer, &local, 1, b->at)
		     : c->ops->write(c, b->peer, &local, 1, b->at);
	if (err == -EAGAIN || err == -EOPNOTSUPP)
		return err;
	if (err)
		*status_p = err == -ECONNRESET ? WEFT_GEMINI_TIMEOUT
					       : WEFT_GEMINI_UNCORRECTABLE;
	return 0;
}

void gemini_bulk_run(struct gemini_bulk *b, const struct weft_gemini_bte *cmd,
		     int ssid)
{
	struct weft_gemini *f = b->f;
	enum weft_gemini_status status;
	int err;

	if (weft_unlikely(bulk_is_model(f))) {
		/*
		 * do not access b after this call: it may be in use for another
		 * transfer
		 */
		bulk_run_model(b, ssid);
		return;
	}
	err = bulk_copy(b, cmd, &status);
	if (err) {
		bulk_cancel(b, ssid, err);
		return;
	}
	if (status) {
		f->stats.errors++;
	} else {
		f->stats.requests += gemini_packets(cmd->bytes);
		f->stats.phits += gemini_put_phits(cmd->bytes);
	}
	f->txn[ssid].status = (uint8_t)status;
	gemini_txn_close(f, (unsigned)ssid, cmd->data);
}

static struct gemini_bulk *bulk_alloc(struct weft_gemini *f, struct weft_dma *d)
{
	for (unsigned i = 0; i < GEMINI_BULKS; i++) {
		struct gemini_bulk *b = &f->bulk[i];

		if (b->taken)
			continue;
		*b = (struct gemini_bulk){ .f = f, .dma = *d, .d = d };
		b->taken = true;
		b->dma.done = bulk_complete;
		return b;
	}
	return NULL;
}

/*
 * Returns the path of a transfer by stores to a window, in virtual time: a link
 * selected by a hash of the address, which keeps order (no-adapt), or any link
 * (performance). The target responds on the response channel.
 */
static struct weft_dma_path window_path_of(struct weft_carrier *c,
					   const char *path, unsigned delivery)
{
	uint8_t vc = delivery & WEFT_GEMINI_NO_ADAPT ? WEFT_VC_ORDERED
						     : WEFT_VC_DYNAMIC;

	return (struct weft_dma_path){
		.there = { .path = (uint8_t)c->ops->backend->path(c, path),
			   .vc = vc,
			   .spread = !(delivery & WEFT_GEMINI_NO_HASH) },
		.back = { .path = (uint8_t)c->ops->backend->path(c, "reply"),
			  .vc = WEFT_VC_SYSTEM },
		.quick = true,
	};
}

int gemini_bulk_window(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d, bool get)
{
	/* delivery mode that keeps the requested order */
	struct weft_dma_path path =
		window_path_of(u->carrier, get ? "get" : "fma",
			       d->ordered ? d->by_line ? WEFT_GEMINI_NO_ADAPT
						       : WEFT_GEMINI_IN_ORDER
					  : WEFT_GEMINI_PERFORMANCE);

	/* a put completes with its response */
	path.there.ack = !get;
	return get ? weft_transport_get(u, peer, d, &path)
		   : weft_transport_put(u, peer, d, &path);
}

int gemini_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_amo *a)
{
	struct weft_dma_path path =
		window_path_of(u->carrier, "amo", WEFT_GEMINI_IN_ORDER);

	path.there.bytes = 1 + (uint32_t)a->operands;
	return weft_transport_amo(u, peer, a, &path);
}

/* Passes all segments to the model as one transfer. */
static int bulk_model(struct gemini_bulk *b)
{
	const struct weft_gemini_bte cmd = { .cq = (uint16_t)b->f->bulk_cq };
	int err;

	b->left = 1;
	err = gemini_bte_bulk(b->f, bulk_channel(b), &cmd, b);
	/* an unsupported transfer fails before any data moves */
	if (!err && b->taken && b->err)
		err = b->err;
	return err;
}

/*
 * Posts one descriptor for a local segment, whose handle is valid until the
 * descriptor has run.
 */
static int bulk_segment(struct gemini_bulk *b, const struct iovec *seg,
			const struct weft_gemini_local *remote)
{
	struct weft_gemini *f = b->f;
	int mdh = gemini_handle_open(f, seg, b->get ? WEFT_GEMINI_WRITABLE : 0,
				     false);
	const struct weft_gemini_bte cmd = {
		.type = b->get ? WEFT_GEMINI_BTE_GET : WEFT_GEMINI_BTE_PUT,
		.cq = (uint16_t)f->bulk_cq,
		.delivery = WEFT_GEMINI_PERFORMANCE,
		.local = { .mdh = (uint16_t)mdh },
		.remote = *remote,
		.bytes = (uint32_t)seg->iov_len,
		.data = (uint64_t)(b - f->bulk),
	};
	int err;

	if (mdh < 0)
		return -EOPNOTSUPP;
	err = gemini_bte_bulk(f, bulk_channel(b), &cmd, b);
	gemini_handle_close(f, mdh);
	if (!err)
		err = b->err;
	b->left += !err;
	return err;
}

/* Posts a descriptor for each segment; their events end the transfer. */
static int bulk_live(struct gemini_bulk *b)
{
	const struct weft_dma *d = b->d;
	const struct iovec mem = { (void *)(uintptr_t)d->remote, d->bytes };
	struct weft_gemini_local remote;
	uint64_t left = d->bytes;
	int err = gemini_handle_find(b->f, b->peer, &mem, !b->get, &remote);

	b->at = d->remote;
	for (int i = 0; i < d->local_count && left && !err; i++) {
		struct iovec seg = d->local[i];

		if (seg.iov_len > left)
			seg.iov_len = left;
		left -= seg.iov_len;
		if (!seg.iov_len)
			continue;
		err = bulk_segment(b, &seg, &remote);
		remote.offset += seg.iov_len;
		b->at += seg.iov_len;
	}
	/*
	 * an error of a later segment is reported with the events of the
	 * earlier ones
	 */
	if (err && b->left) {
		b->err = err;
		err = 0;
	}
	if (!err)
		gemini_bulk_events(b->f);
	return err;
}

int gemini_bulk_move(struct weft_gemini *f, struct weft_unit *u,
		     struct weft_peer *peer, struct weft_dma *d, bool get)
{
	struct gemini_bulk *b;
	int err;

	if (!d->bytes) {
		d->done(d, 0);
		return 0;
	}
	b = bulk_alloc(f, d);
	if (!b)
		return -EAGAIN;
	b->unit = u;
	b->peer = peer;
	b->get = get;
	b->ssid = -1;
	err = bulk_is_model(f) ? bulk_model(b) : bulk_live(b);
	if (err)
		b->taken = false;
	return err;
}
