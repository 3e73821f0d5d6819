/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception. A request is checked (handle, protection tag, bounds, permission)
 * and performed at once, in order of arrival. Its response reports the status;
 * good responses are batched (nic_answer.h).
 */
#include "prov/nic/fma/fma_dev.h"

#include <string.h>

/* ---- sending responses ---- */

static void response_ok(struct weft_fma *f, struct weft_peer *peer, uint32_t id,
			bool now)
{
	f->stats.responses++;
	f->stats.phits += FMA_RSP_PHITS;
	weft_response_ack(&f->answers, peer, id, now);
}

static void response_error(struct weft_fma *f, struct weft_peer *peer,
			   const struct weft_pkt *request,
			   enum weft_fma_status status)
{
	uint32_t id = request->aux;
	struct weft_pkt pkt = {
		.type = FMA_PKT,
		.flags = FMA_DONE,
		.len = sizeof(id),
		.tag = fma_tag(0, status),
	};

	f->stats.rejected++;
	if (fma_unit_flags(request->unit) & FMA_REQ_QUIET)
		return;
	f->stats.responses++;
	f->stats.phits += FMA_ERR_PHITS;
	weft_response_send(&f->answers, peer, &pkt, &id);
}

static void response_data(struct weft_fma *f, struct weft_peer *peer,
			  uint32_t id, const void *data, unsigned bytes)
{
	struct weft_pkt pkt = {
		.type = FMA_PKT,
		.flags = FMA_REPLY,
		.len = (uint16_t)bytes,
		.aux = id,
	};

	f->stats.responses++;
	f->stats.phits += fma_reply_phits(bytes);
	weft_response_send(&f->answers, peer, &pkt, data);
}

/* ---- requests ---- */

/* The memory descriptor of a virtual handle; NULL: none. */
static struct fma_mdd *rx_virtual(struct weft_fma *f, unsigned v)
{
	return v < WEFT_FMA_VMDHS && f->vmdh[v] ? &f->mdd[f->vmdh[v] - 1]
						: NULL;
}

/* The memory descriptor of a request; below the engine, src's mailbox. */
static struct fma_mdd *rx_mdd(struct weft_fma *f, struct weft_peer *src,
			      uint32_t unit)
{
	if (f->mailbox)
		return f->mailbox(f, src);
	if (fma_unit_flags(unit) & FMA_REQ_VMDH)
		return rx_virtual(f, fma_unit_mdh(unit));
	return &f->mdd[fma_unit_mdh(unit)];
}

static enum weft_fma_status rx_address(struct weft_fma *f,
				       struct weft_peer *src, uint32_t unit,
				       uint64_t offset, uint64_t bytes,
				       bool write, uint64_t *addr_p)
{
	struct fma_mdd *m = rx_mdd(f, src, unit);

	if (!m && (fma_unit_flags(unit) & FMA_REQ_VMDH))
		return WEFT_FMA_VMDH_INVALID;
	if (!m || !m->valid)
		return WEFT_FMA_MDD_INVALID;
	if (m->ptag != fma_unit_ptag(unit))
		return WEFT_FMA_PROTECTION;
	return fma_translate(m, offset, bytes, write, addr_p);
}

static void rx_event(struct weft_fma *f, struct weft_peer *src,
		     const struct weft_pkt *pkt)
{
	if (fma_unit_flags(pkt->unit) & FMA_REQ_EVENT)
		fma_cq_write(f, rx_mdd(f, src, pkt->unit)->cq, WEFT_FMA_REMOTE,
			     WEFT_FMA_OK, pkt->data);
}

static enum weft_fma_status rx_put(struct weft_fma *f, struct weft_peer *src,
				   const struct weft_pkt *pkt,
				   const void *payload)
{
	enum weft_fma_status s;
	uint64_t addr;

	if (!pkt->len)
		return WEFT_FMA_OK;
	s = rx_address(f, src, pkt->unit, fma_tag_offset(pkt->tag), pkt->len,
		       true, &addr);
	if (s)
		return s;
	memcpy((void *)(uintptr_t)addr, payload, pkt->len);
	rx_event(f, src, pkt);
	return WEFT_FMA_OK;
}

/* Stores the data, then the flag. */
static enum weft_fma_status rx_flag(struct weft_fma *f, struct weft_peer *src,
				    const struct weft_pkt *pkt,
				    const void *payload)
{
	unsigned bytes = pkt->len - FMA_FLAG_HEAD;
	enum weft_fma_status s;
	uint64_t head[2];
	uint64_t addr;
	uint64_t flag;

	if (pkt->len < FMA_FLAG_HEAD)
		return WEFT_FMA_INVALID_COMMAND;
	memcpy(head, payload, sizeof(head));
	s = rx_address(f, src, pkt->unit, fma_tag_offset(pkt->tag), bytes, true,
		       &addr);
	if (!s)
		s = rx_address(f, src, pkt->unit, head[0], 8, true, &flag);
	if (s)
		return s;
	if (flag % 8)
		return WEFT_FMA_INVALID_COMMAND;
	memcpy((void *)(uintptr_t)addr, (const char *)payload + FMA_FLAG_HEAD,
	       bytes);
	nic_event_post((weft_au64 *)(uintptr_t)flag, head[1]);
	rx_event(f, src, pkt);
	if (f->arrived)
		f->arrived(f, src);
	return WEFT_FMA_OK;
}

static enum weft_fma_status rx_get(struct weft_fma *f, struct weft_peer *src,
				   const struct weft_pkt *pkt)
{
	unsigned char buf[FMA_BTE_BURST];
	unsigned bytes = fma_tag_extra(pkt->tag);
	enum weft_fma_status s;
	uint64_t addr;

	if (!bytes || bytes > sizeof(buf) || bytes % 4)
		return WEFT_FMA_INVALID_COMMAND;
	s = rx_address(f, src, pkt->unit, fma_tag_offset(pkt->tag), bytes,
		       false, &addr);
	if (s)
		return s;
	memcpy(buf, (void *)(uintptr_t)addr, bytes);
	response_data(f, src, pkt->aux, buf, bytes);
	return WEFT_FMA_OK;
}

static enum weft_fma_status rx_amo(struct weft_fma *f, struct weft_peer *src,
				   const struct weft_pkt *pkt,
				   const void *payload)
{
	unsigned op = fma_tag_extra(pkt->tag);
	enum weft_fma_status s;
	uint64_t operand[2];
	uint64_t addr;
	uint64_t old;

	if (pkt->len != sizeof(operand) || !fma_amo_valid(op))
		return WEFT_FMA_INVALID_COMMAND;
	memcpy(operand, payload, sizeof(operand));
	s = rx_address(f, src, pkt->unit, fma_tag_offset(pkt->tag), 8, true,
		       &addr);
	if (s)
		return s;
	if (addr % 8)
		return WEFT_FMA_INVALID_COMMAND;
	old = fma_amo_run(f, addr, op, operand[0], operand[1]);
	if (op & WEFT_FMA_FETCH)
		response_data(f, src, pkt->aux, &old, sizeof(old));
	else
		response_ok(f, src, pkt->aux, false);
	return WEFT_FMA_OK;
}

/* ---- receiving responses ---- */

static void rx_done(struct weft_fma *f, struct weft_peer *src,
		    const struct weft_pkt *pkt, const void *payload)
{
	unsigned n = pkt->len / sizeof(uint32_t);
	struct fma_orb *o;
	uint32_t id;

	for (unsigned i = 0; i < n; i++) {
		memcpy(&id, (const char *)payload + i * sizeof(id), sizeof(id));
		o = fma_orb_find(f, src, id);
		if (o)
			fma_orb_end(f, o, fma_tag_extra(pkt->tag) & 15);
	}
}

static void rx_reply(struct weft_fma *f, struct weft_peer *src,
		     const struct weft_pkt *pkt, const void *payload)
{
	struct fma_orb *o = fma_orb_find(f, src, pkt->aux);

	if (!o)
		return;
	if (pkt->len != o->bytes) {
		fma_orb_end(f, o, WEFT_FMA_HT_DATA);
		return;
	}
	memcpy((void *)(uintptr_t)o->local, payload, pkt->len);
	fma_orb_end(f, o, WEFT_FMA_OK);
}

static void rx_datagram(struct weft_fma *f, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	unsigned char buf[WEFT_FMA_DATAGRAM];

	if (!f->datagram || pkt->len > sizeof(buf))
		return;
	memcpy(buf, payload, pkt->len);
	f->datagram(f->datagram_arg, weft_port_node(&f->port, src), buf,
		    pkt->len);
}

static enum weft_fma_status rx_request(struct weft_fma *f,
				       struct weft_peer *src,
				       const struct weft_pkt *pkt,
				       const void *payload)
{
	unsigned flags = fma_unit_flags(pkt->unit);
	enum weft_fma_status s;

	switch (pkt->flags) {
	case FMA_GET:
		return rx_get(f, src, pkt);
	case FMA_AMO:
		return rx_amo(f, src, pkt, payload);
	case FMA_PUT:
		s = rx_put(f, src, pkt, payload);
		break;
	case FMA_FLAG:
		s = rx_flag(f, src, pkt, payload);
		break;
	case FMA_SEND:
		s = fma_bte_arrive(f, src, pkt, payload);
		break;
	default:
		s = WEFT_FMA_INVALID_COMMAND;
	}
	if (!s && !(flags & FMA_REQ_QUIET))
		response_ok(f, src, pkt->aux, flags & FMA_REQ_PROMPT);
	return s;
}

int fma_rx_deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		   const void *payload)
{
	struct weft_fma *f = arg;
	enum weft_fma_status s;

	if (pkt->type != FMA_PKT) {
		f->stats.rejected++;
		return 0;
	}
	switch (pkt->flags) {
	case FMA_DONE:
		rx_done(f, src, pkt, payload);
		return 0;
	case FMA_REPLY:
		rx_reply(f, src, pkt, payload);
		return 0;
	case FMA_DATAGRAM:
		rx_datagram(f, src, pkt, payload);
		return 0;
	case FMA_CONNECT:
		fma_msgq_arrive(f->msgq, src, pkt, payload);
		return 0;
	default:
		s = rx_request(f, src, pkt, payload);
	}
	if (s)
		response_error(f, src, pkt, s);
	return 0;
}
