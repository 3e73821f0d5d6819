/* SPDX-License-Identifier: BSD-3-Clause */
/* GHASH in strides, and selection of an implementation. */
#include "prov/code/code_ghash_step.h"

#include <string.h>

void weft_code_ghash(const struct weft_code_ghash *g, const void *data,
		     size_t len, uint8_t sum[16])
{
	const uint8_t *d = data;
	size_t left = len;

	memset(sum, 0, 16);
	/* One block of the last stride is reserved for the length. */
	for (; left > CODE_GHASH_BYTES - 16;
	     left -= CODE_GHASH_BYTES, d += CODE_GHASH_BYTES) {
		if (left < CODE_GHASH_BYTES) {
			uint8_t full[CODE_GHASH_BYTES] = { 0 };

			memcpy(full, d, left);
			g->unit->stride(g, full, sum);
			left = CODE_GHASH_BYTES;
		} else {
			g->unit->stride(g, d, sum);
		}
	}
	g->unit->last_blocks(g, d, left, len, sum);
}

#ifdef __x86_64__

bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16])
{
	memset(g, 0, sizeof(*g));
	if (code_ghash_wide.is_supported())
		g->unit = &code_ghash_wide;
	else if (code_ghash_narrow.is_supported())
		g->unit = &code_ghash_narrow;
	else
		return false;
	code_ghash_powers(g, h);
	return true;
}

#elif defined(CODE_GHASH_ARM)

bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16])
{
	memset(g, 0, sizeof(*g));
	if (!code_ghash_arm.is_supported())
		return false;
	g->unit = &code_ghash_arm;
	code_ghash_powers(g, h);
	return true;
}

#else

bool weft_code_ghash_init(struct weft_code_ghash *g, const uint8_t h[16])
{
	memset(g, 0, sizeof(*g));
	return false;
}

#endif
