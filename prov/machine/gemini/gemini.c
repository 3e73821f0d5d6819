/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gemini interface: open and close, polling, datagrams. Programs use it
 * through weft/gemini.h; gemini_transport.c opens an interface for the message
 * engine.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ends outstanding requests to a lost peer with a timeout status. */
static void gemini_lost(void *arg, struct weft_peer *peer, int err)
{
	struct weft_gemini *f = arg;

	gemini_orb_lost(f, peer);
	gemini_bte_lost(f, peer);
}

static const struct weft_carrier_up gemini_up = {
	.deliver = gemini_rx_deliver,
	.lost = gemini_lost,
};

static void gemini_init(struct weft_gemini *f)
{
	const struct weft_pkt ack = {
		.type = GEMINI_PKT,
		.flags = GEMINI_DONE,
		.tag = gemini_tag(0, WEFT_GEMINI_OK),
	};

	f->ntt_bits = WEFT_GEMINI_NTT_GRAIN;
	weft_responses_init(&f->responses, &ack);
	for (unsigned i = 0; i < WEFT_GEMINI_WINDOWS; i++) {
		f->window[i].ssid = -1;
		f->window[i].ptag = f->ptag;
	}
}

int gemini_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr, uint8_t ptag,
		  struct weft_gemini **f_p)
{
	struct weft_gemini *f = calloc(1, sizeof(*f));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!f)
		return -ENOMEM;
	f->ptag = ptag;
	gemini_init(f);
	if (!a.up) {
		a.up = &gemini_up;
		a.up_arg = f;
	}
	gemini_bte_init(f);
	err = weft_port_init(&f->port, ops, &a);
	if (err) {
		weft_gemini_close(f);
		return err;
	}
	f->responses.carrier = f->port.carrier;
	*f_p = f;
	return 0;
}

WEFT_EXPORT int weft_gemini_open(const struct weft_gemini_attr *attr,
				 struct weft_gemini **f_p)
{
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr a;
	int err = -EINVAL;

	if (attr->links <= WEFT_GEMINI_LINKS)
		err = weft_port_place(&attr->place, &ops, &a);
	if (!err)
		err = gemini_create(ops, &a, attr->ptag, f_p);
	if (err)
		return err;
	gemini_link_init(*f_p, attr);
	(*f_p)->scrub_ns = attr->scrub_ns;
	(*f_p)->lazy_amo = attr->lazy_amo;
	(*f_p)->datagram = attr->datagram;
	(*f_p)->datagram_arg = attr->arg;
	return 0;
}

WEFT_EXPORT void weft_gemini_close(struct weft_gemini *f)
{
	if (!f)
		return;
	if (f->port.carrier)
		weft_responses_flush(&f->responses, true);
	weft_gemini_amo_flush(f);
	weft_port_fini(&f->port);
	gemini_link_fini(f);
	weft_responses_fini(&f->responses);
	gemini_bte_fini(f);
	for (unsigned i = 0; i < WEFT_GEMINI_CQS; i++)
		free(f->cq[i].ring);
	free(f);
}

WEFT_EXPORT void weft_gemini_name(struct weft_gemini *f,
				  struct sockaddr_in *name)
{
	weft_port_name(&f->port, name);
}

WEFT_EXPORT int weft_gemini_poll(struct weft_gemini *f, int budget)
{
	struct weft_carrier *c = f->port.carrier;
	int n = weft_unlikely(f->bte_queued) ? gemini_bte_run(f, budget) : 0;

	if (f->links)
		n += gemini_link_run(f, budget);
	if (f->scrub_ns)
		gemini_scrub(f);
	n += c->ops->poll(c, budget);
	if (weft_responses_pending(&f->responses))
		weft_responses_flush(&f->responses, n == 0);
	return n;
}

WEFT_EXPORT int weft_gemini_wait(struct weft_gemini *f, uint64_t timeout_ns)
{
	struct weft_carrier *c = f->port.carrier;

	weft_responses_flush(&f->responses, true);
	return c->ops->wait(c, timeout_ns);
}

WEFT_EXPORT int weft_gemini_datagram_send(struct weft_gemini *f, uint32_t pe,
					  const void *buf, unsigned bytes)
{
	struct weft_carrier *c = f->port.carrier;
	struct weft_peer *peer = gemini_peer(f, pe);
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)buf,
		.iov_len = bytes,
	};
	struct weft_pkt pkt = {
		.type = GEMINI_PKT,
		.flags = GEMINI_DATAGRAM,
		.len = (uint16_t)bytes,
	};

	if (bytes > WEFT_GEMINI_DATAGRAM)
		return -EMSGSIZE;
	if (!peer)
		return -EHOSTUNREACH;
	return c->ops->send(c, peer, &pkt, &iov, 1);
}

WEFT_EXPORT void weft_gemini_stats(struct weft_gemini *f,
				   struct weft_gemini_stats *s)
{
	*s = f->stats;
	s->outstanding = f->orb_used;
}
