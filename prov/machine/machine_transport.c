/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the transports of the units. */
#include "prov/machine/machine_transport.h"

#include "src/base/attr.h"
#include "src/base/iov.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void **weft_table_slot(struct weft_table *t, uint32_t i)
{
	uint32_t n = t->count ? t->count : 16;
	void **a;

	if (i < t->count)
		return &t->cell[i];
	while (n <= i)
		n *= 2;
	a = realloc(t->cell, n * sizeof(void *));
	if (!a)
		return NULL;
	memset(a + t->count, 0, (n - t->count) * sizeof(void *));
	t->cell = a;
	t->count = n;
	return &a[i];
}

void weft_table_fini(struct weft_table *t)
{
	free(t->cell);
	t->cell = NULL;
	t->count = 0;
}

size_t weft_transport_gather(void *to, const struct weft_pkt *pkt,
			     const struct iovec *iov, int count)
{
	memcpy(to, pkt, sizeof(*pkt));
	return sizeof(*pkt) +
	       weft_iov_gather((char *)to + sizeof(*pkt), iov, count);
}

/* Copies the segments of d, cut to its length. Returns their number. */
static int bulk_iov(const struct weft_dma *d, struct iovec *iov)
{
	size_t left = d->bytes;
	int n = 0;

	for (int i = 0; i < d->local_count && left; i++) {
		iov[n] = d->local[i];
		if (iov[n].iov_len > left)
			iov[n].iov_len = left;
		left -= iov[n].iov_len;
		n += iov[n].iov_len > 0;
	}
	return n;
}

static int bulk_end(struct weft_dma *d, int err)
{
	if (err == -EOPNOTSUPP || err == -EAGAIN)
		return err;
	d->done(d, err);
	return 0;
}

/* ---- in virtual time ---- */

struct bulk {
	struct weft_vt_dma vt;
	struct iovec iov[WEFT_COUNT_OF(((struct weft_dma *)0)->local)];
	struct weft_dma *d;
};

static void bulk_complete(struct weft_vt_dma *vt, int err)
{
	struct bulk *b = weft_container_of(vt, struct bulk, vt);
	struct weft_dma *d = b->d;

	free(b);
	d->done(d, err);
}

static struct bulk *bulk_new(struct weft_dma *d,
			     const struct weft_transport_path *path)
{
	struct bulk *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	b->d = d;
	b->vt = (struct weft_vt_dma){
		.ordered = d->ordered,
		.quick = path->quick,
		.local = b->iov,
		.count = bulk_iov(d, b->iov),
		.remote = d->remote,
		.region = d->region,
		.key = d->key,
		.bytes = d->bytes,
		.routing = path->there,
		.back = path->back,
		.done = bulk_complete,
	};
	return b;
}

/* Posts the transfer, which then belongs to the carrier, or frees it. */
static int bulk_post(struct weft_carrier *c, struct weft_peer *peer,
		     struct bulk *b)
{
	int err = b ? c->virt->dma(c, peer, &b->vt) : -ENOMEM;

	if (err)
		free(b);
	return err;
}

static int bulk_move(struct weft_carrier *c, struct weft_peer *peer,
		     struct weft_dma *d, const struct weft_transport_path *path,
		     bool get)
{
	struct bulk *b = bulk_new(d, path);

	if (b)
		b->vt.get = get;
	return bulk_post(c, peer, b);
}

int weft_transport_get(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d,
		       const struct weft_transport_path *path)
{
	struct weft_carrier *c = u->carrier;
	struct iovec iov[WEFT_COUNT_OF(d->local)];
	int n = bulk_iov(d, iov);

	if (weft_unlikely(c->virt && n))
		return bulk_move(c, peer, d, path, true);
	u->copied = true;
	return bulk_end(d, n ? c->ops->read(c, peer, iov, n, d->remote) : 0);
}

int weft_transport_put(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d,
		       const struct weft_transport_path *path)
{
	struct weft_carrier *c = u->carrier;
	struct iovec iov[WEFT_COUNT_OF(d->local)];
	int n = bulk_iov(d, iov);

	if (weft_unlikely(c->virt && n))
		return bulk_move(c, peer, d, path, false);
	u->copied = true;
	return bulk_end(d, n ? c->ops->write(c, peer, iov, n, d->remote) : 0);
}

int weft_transport_amo(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_amo *a,
		       const struct weft_transport_path *path)
{
	struct bulk *b = bulk_new(&a->dma, path);

	if (b) {
		b->vt.what = a->what;
		b->vt.operand_bytes = a->operand_bytes;
	}
	return bulk_post(u->carrier, peer, b);
}
