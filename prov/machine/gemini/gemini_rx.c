/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception. A request is checked (handle, protection tag, bounds, permission)
 * and performed at once, in order of arrival. The response reports the status;
 * responses without error are batched (machine_response.h).
 */
#include "prov/machine/gemini/gemini_dev.h"

#include <string.h>

/* ---- sending responses ---- */

static void response_ok(struct weft_gemini *f, struct weft_peer *peer,
			uint32_t id, bool now)
{
	f->stats.responses++;
	f->stats.phits += GEMINI_RSP_PHITS;
	weft_response_ack(&f->responses, peer, id, now);
}

static void response_error(struct weft_gemini *f, struct weft_peer *peer,
			   const struct weft_pkt *request,
			   enum weft_gemini_status status)
{
	uint32_t id = request->aux;
	struct weft_pkt pkt = {
		.type = GEMINI_PKT,
		.flags = GEMINI_DONE,
		.len = sizeof(id),
		.tag = gemini_tag(0, status),
	};

	f->stats.rejected++;
	if (gemini_unit_flags(request->unit) & GEMINI_REQ_QUIET)
		return;
	f->stats.responses++;
	f->stats.phits += GEMINI_ERR_PHITS;
	weft_response_send(&f->responses, peer, &pkt, &id);
}

static void response_data(struct weft_gemini *f, struct weft_peer *peer,
			  uint32_t id, const void *data, unsigned bytes)
{
	struct weft_pkt pkt = {
		.type = GEMINI_PKT,
		.flags = GEMINI_REPLY,
		.len = (uint16_t)bytes,
		.aux = id,
	};

	f->stats.responses++;
	f->stats.phits += gemini_reply_phits(bytes);
	weft_response_send(&f->responses, peer, &pkt, data);
}

/* ---- requests ---- */

/*
 * Returns the memory descriptor of a request; below the message engine, handle
 * 0 is src's mailbox.
 */
static struct gemini_mdd *rx_mdd(struct weft_gemini *f, struct weft_peer *src,
				 uint32_t unit)
{
	if (f->mailbox && (!gemini_unit_mdh(unit) || !f->handles))
		return f->mailbox(f, src);
	if (gemini_unit_flags(unit) & GEMINI_REQ_VMDH) {
		unsigned v = gemini_unit_mdh(unit);

		return v < WEFT_GEMINI_VMDHS && f->vmdh[v]
			       ? &f->mdd[f->vmdh[v] - 1]
			       : NULL;
	}
	return &f->mdd[gemini_unit_mdh(unit)];
}

static enum weft_gemini_status rx_address(struct weft_gemini *f,
					  struct weft_peer *src, uint32_t unit,
					  uint64_t offset, uint64_t bytes,
					  bool write, uint64_t *addr_p)
{
	struct gemini_mdd *m = rx_mdd(f, src, unit);

	if (!m && (gemini_unit_flags(unit) & GEMINI_REQ_VMDH))
		return WEFT_GEMINI_VMDH_INVALID;
	if (!m || !m->valid)
		return WEFT_GEMINI_MDD_INVALID;
	if (m->ptag != gemini_unit_ptag(unit))
		return WEFT_GEMINI_PROTECTION;
	return gemini_translate(m, offset, bytes, write, addr_p);
}

static void rx_event(struct weft_gemini *f, struct weft_peer *src,
		     const struct weft_pkt *pkt)
{
	if (gemini_unit_flags(pkt->unit) & GEMINI_REQ_EVENT)
		gemini_cq_write(f, rx_mdd(f, src, pkt->unit)->cq,
				WEFT_GEMINI_REMOTE, WEFT_GEMINI_OK, pkt->data);
}

static enum weft_gemini_status rx_put(struct weft_gemini *f,
				      struct weft_peer *src,
				      const struct weft_pkt *pkt,
				      const void *payload)
{
	enum weft_gemini_status s;
	uint64_t addr;

	if (!pkt->len)
		return WEFT_GEMINI_OK;
	s = rx_address(f, src, pkt->unit, gemini_tag_offset(pkt->tag), pkt->len,
		       true, &addr);
	if (s)
		return s;
	memcpy((void *)(uintptr_t)addr, payload, pkt->len);
	rx_event(f, src, pkt);
	return WEFT_GEMINI_OK;
}

/* Stores the data, then the flag. */
static enum weft_gemini_status rx_put_with_flag(struct weft_gemini *f,
						struct weft_peer *src,
						const struct weft_pkt *pkt,
						const void *payload)
{
	unsigned bytes = pkt->len - GEMINI_FLAG_HEAD;
	enum weft_gemini_status s;
	uint64_t head[2];
	uint64_t addr;
	uint64_t flag;

	if (pkt->len < GEMINI_FLAG_HEAD)
		return WEFT_GEMINI_INVALID_COMMAND;
	memcpy(head, payload, sizeof(head));
	s = rx_address(f, src, pkt->unit, gemini_tag_offset(pkt->tag), bytes,
		       true, &addr);
	if (!s)
		s = rx_address(f, src, pkt->unit, head[0], 8, true, &flag);
	if (s)
		return s;
	if (flag % 8)
		return WEFT_GEMINI_INVALID_COMMAND;
	memcpy((void *)(uintptr_t)addr,
	       (const char *)payload + GEMINI_FLAG_HEAD, bytes);
	nic_event_post((weft_au64 *)(uintptr_t)flag, head[1]);
	rx_event(f, src, pkt);
	if (f->arrived)
		f->arrived(f, src);
	return WEFT_GEMINI_OK;
}

static enum weft_gemini_status
rx_get(struct weft_gemini *f, struct weft_peer *src, const struct weft_pkt *pkt)
{
	unsigned char buf[GEMINI_BTE_BURST];
	unsigned bytes = gemini_tag_extra(pkt->tag);
	enum weft_gemini_status s;
	uint64_t addr;

	if (!bytes || bytes > sizeof(buf) || bytes % 4)
		return WEFT_GEMINI_INVALID_COMMAND;
	s = rx_address(f, src, pkt->unit, gemini_tag_offset(pkt->tag), bytes,
		       false, &addr);
	if (s)
		return s;
	memcpy(buf, (void *)(uintptr_t)addr, bytes);
	response_data(f, src, pkt->aux, buf, bytes);
	return WEFT_GEMINI_OK;
}

static enum weft_gemini_status rx_amo(struct weft_gemini *f,
				      struct weft_peer *src,
				      const struct weft_pkt *pkt,
				      const void *payload)
{
	unsigned op = gemini_tag_extra(pkt->tag);
	enum weft_gemini_status s;
	uint64_t operand[2];
	uint64_t addr;
	uint64_t old;

	if (pkt->len != sizeof(operand) || !gemini_amo_valid(op))
		return WEFT_GEMINI_INVALID_COMMAND;
	memcpy(operand, payload, sizeof(operand));
	s = rx_address(f, src, pkt->unit, gemini_tag_offset(pkt->tag), 8, true,
		       &addr);
	if (s)
		return s;
	if (addr % 8)
		return WEFT_GEMINI_INVALID_COMMAND;
	old = gemini_amo_run(f, addr, op, operand[0], operand[1]);
	if (op & WEFT_GEMINI_FETCH)
		response_data(f, src, pkt->aux, &old, sizeof(old));
	else
		response_ok(f, src, pkt->aux, false);
	return WEFT_GEMINI_OK;
}

/* ---- receiving responses ---- */

static void rx_done(struct weft_gemini *f, struct weft_peer *src,
		    const struct weft_pkt *pkt, const void *payload)
{
	unsigned n = pkt->len / sizeof(uint32_t);
	struct gemini_orb *o;
	uint32_t id;

	for (unsigned i = 0; i < n; i++) {
		memcpy(&id, (const char *)payload + i * sizeof(id), sizeof(id));
		o = gemini_orb_find(f, src, id);
		if (o)
			gemini_orb_end(f, o, gemini_tag_extra(pkt->tag) & 15);
	}
}

static void rx_reply(struct weft_gemini *f, struct weft_peer *src,
		     const struct weft_pkt *pkt, const void *payload)
{
	struct gemini_orb *o = gemini_orb_find(f, src, pkt->aux);

	if (!o)
		return;
	if (pkt->len != o->bytes) {
		gemini_orb_end(f, o, WEFT_GEMINI_HT_DATA);
		return;
	}
	memcpy((void *)(uintptr_t)o->local, payload, pkt->len);
	gemini_orb_end(f, o, WEFT_GEMINI_OK);
}

static void rx_datagram(struct weft_gemini *f, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	unsigned char buf[WEFT_GEMINI_DATAGRAM];

	if (!f->datagram || pkt->len > sizeof(buf))
		return;
	memcpy(buf, payload, pkt->len);
	f->datagram(f->datagram_arg, weft_port_node(&f->port, src), buf,
		    pkt->len);
}

static enum weft_gemini_status rx_request(struct weft_gemini *f,
					  struct weft_peer *src,
					  const struct weft_pkt *pkt,
					  const void *payload)
{
	unsigned flags = gemini_unit_flags(pkt->unit);
	enum weft_gemini_status s;

	switch (pkt->flags) {
	case GEMINI_GET:
		return rx_get(f, src, pkt);
	case GEMINI_AMO:
		return rx_amo(f, src, pkt, payload);
	case GEMINI_PUT:
		s = rx_put(f, src, pkt, payload);
		break;
	case GEMINI_FLAG:
		s = rx_put_with_flag(f, src, pkt, payload);
		break;
	case GEMINI_SEND:
		s = gemini_bte_arrive(f, src, pkt, payload);
		break;
	default:
		s = WEFT_GEMINI_INVALID_COMMAND;
	}
	if (!s && !(flags & GEMINI_REQ_QUIET))
		response_ok(f, src, pkt->aux, flags & GEMINI_REQ_PROMPT);
	return s;
}

int gemini_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct weft_gemini *f = arg;
	enum weft_gemini_status s;

	if (pkt->type != GEMINI_PKT) {
		f->stats.rejected++;
		return 0;
	}
	switch (pkt->flags) {
	case GEMINI_DONE:
		rx_done(f, src, pkt, payload);
		return 0;
	case GEMINI_REPLY:
		rx_reply(f, src, pkt, payload);
		return 0;
	case GEMINI_DATAGRAM:
		rx_datagram(f, src, pkt, payload);
		return 0;
	case GEMINI_CONNECT:
		gemini_msgq_arrive(f->msgq, src, pkt, payload);
		return 0;
	default:
		s = rx_request(f, src, pkt, payload);
	}
	if (s)
		response_error(f, src, pkt, s);
	return 0;
}
