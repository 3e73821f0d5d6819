/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte order of data types. Packets and hosts are little-endian; an element of
 * data type n has 1 << n bytes.
 */
#ifndef WEFT_QSNET2_SWAP_H
#define WEFT_QSNET2_SWAP_H

#include "prov/machine/machine_order.h"

#include <endian.h>
#include <string.h>

static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "packets hold host words");

/* Returns whether address and bytes are aligned for the data type. */
static inline bool qsnet2_type_ok(unsigned type, uint64_t address,
				  uint64_t bytes)
{
	return !((address | bytes) & ((1u << type) - 1));
}

static inline void qsnet2_swap(void *data, size_t bytes, unsigned type)
{
	unsigned char *p = data;
	size_t unit = (size_t)1 << type;

	for (size_t at = 0; at + unit <= bytes; at += unit) {
		for (size_t i = 0; i < unit / 2; i++) {
			unsigned char b = p[at + i];

			p[at + i] = p[at + unit - 1 - i];
			p[at + unit - 1 - i] = b;
		}
	}
}

static inline uint64_t qsnet2_word_as(uint64_t w, bool big)
{
	return big ? be64toh(w) : w;
}

static inline void qsnet2_word_add(weft_au64 *m, uint64_t v, bool big)
{
	uint64_t old;

	if (!big) {
		nic_event_sub(m, 0 - v);
		return;
	}
	old = nic_event_read(m);
	while (!weft_cas64(m, &old, htobe64(be64toh(old) + v)))
		;
}

#endif
