/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are packed packet by packet (msg_typed.h). */
#include "src/msg/msg_typed.h"

#include "src/offload/offload_device.h"

#include <rdma/fi_ext_weft.h>

static size_t least;

void weft_typed_open(void)
{
	void *ops;

	weft_core.typed = NULL;
	least = SIZE_MAX;
	if (fi_open_ops(&weft_core.domain->fid, FI_WEFT_TYPED, 0, &ops, NULL))
		return;
	weft_core.typed = ops;
	least = weft_core.typed->least(weft_core.ep);
}

static void pack(void *arg, size_t pos, void *to, size_t len)
{
	weft_pack(arg, pos, to, len);
}

static void unpack(void *arg, size_t pos, const void *from, size_t len)
{
	weft_unpack(arg, pos, from, len);
}

bool weft_typed_accept(struct weft_p2p *p)
{
	/* the provider cannot copy device memory while it packs */
	if (p->bytes < least || weft_device_has(&p->data))
		return false;
	p->typed = (struct fi_weft_data){ pack, unpack, &p->data };
	p->packed_by_packet = true;
	return true;
}

int weft_typed_send(struct weft_p2p *p, fi_addr_t to, uint64_t flags)
{
	return (int)weft_core.typed->send(weft_core.ep, &p->typed, p->bytes, to,
					  p->word, flags, &p->io.fi);
}

int weft_typed_recv(struct weft_p2p *p, uint64_t flags)
{
	return (int)weft_core.typed->recv(weft_core.ep, &p->typed, p->bytes,
					  p->word, p->ignore, flags, &p->io.fi);
}
