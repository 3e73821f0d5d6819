/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unit of machine `native`: passes packets and copies to the carrier
 * unchanged.
 */
#include "prov/nic/nic_int.h"

#include <stdlib.h>

static int direct_open(const struct weft_machine *m,
		       const struct weft_carrier_ops *carrier,
		       const struct weft_carrier_attr *attr,
		       struct weft_unit **u_p)
{
	struct weft_unit *u = calloc(1, sizeof(*u));
	int err;

	if (!u)
		return -ENOMEM;
	u->ops = &weft_unit_direct;
	err = carrier->open(attr, &u->carrier);
	if (err) {
		free(u);
		return err;
	}
	u->fills = u->carrier->fills;
	*u_p = u;
	return 0;
}

static void direct_close(struct weft_unit *u)
{
	u->carrier->ops->close(u->carrier);
	free(u);
}

static int direct_packet(struct weft_unit *u, struct weft_peer *peer,
			 const struct weft_pkt *pkt, const struct iovec *iov,
			 int iov_count)
{
	return u->carrier->ops->send(u->carrier, peer, pkt, iov, iov_count);
}

static int direct_get(struct weft_unit *u, struct weft_peer *peer,
		      struct weft_dma *d)
{
	return u->carrier->ops->backend->get(u->carrier, peer, d, NULL);
}

static int direct_put(struct weft_unit *u, struct weft_peer *peer,
		      struct weft_dma *d)
{
	return u->carrier->ops->backend->put(u->carrier, peer, d, NULL);
}

/* The target's processor executes atomics. */
static int direct_amo(struct weft_unit *u, struct weft_peer *peer,
		      struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

static int direct_poll(struct weft_unit *u, int budget)
{
	return u->carrier->ops->poll(u->carrier, budget);
}

const struct weft_unit_ops weft_unit_direct = {
	.name = "direct",
	.packet_max = UINT16_MAX,
	.open = direct_open,
	.close = direct_close,
	.packet = direct_packet,
	.get = direct_get,
	.put = direct_put,
	.amo = direct_amo,
	.poll = direct_poll,
	.bare = true,
};
