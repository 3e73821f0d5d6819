/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the transports of the units. */
#include "prov/machine/machine_transport.h"

#include "src/base/iov.h"

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
