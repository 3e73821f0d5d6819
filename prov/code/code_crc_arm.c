/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC on arm64, little endian: folds four blocks of 16 bytes at a time by
 * polynomial multiplication (pmull). Data too short to fold uses the CRC
 * instructions, for the two 32-bit CRCs.
 */
#include "prov/code/code_crc_step.h"

#ifdef CODE_CRC_ARM

#include "src/base/attr.h"

#include <arm_acle.h>
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__clang__)
#define WITH_PMULL WEFT_TARGET("aes,crc")
#else
#define WITH_PMULL WEFT_TARGET("+crypto+crc")
#endif

WITH_PMULL static inline uint64x2_t product(uint64_t a, uint64_t b)
{
	return vreinterpretq_u64_p128(vmull_p64((poly64_t)a, (poly64_t)b));
}

/* Folds block a onto block b, over the distance given by the constants k. */
WITH_PMULL static inline uint64x2_t fold(uint64x2_t a, const uint64_t k[2],
					 uint64x2_t b)
{
	uint64x2_t first = product(vgetq_lane_u64(a, 0), k[0]);
	uint64x2_t second = product(vgetq_lane_u64(a, 1), k[1]);

	return veorq_u64(veorq_u64(first, second), b);
}

WITH_PMULL static inline uint64x2_t load(const unsigned char *p)
{
	return vreinterpretq_u64_u8(vld1q_u8(p));
}

/* Folds a multiple of 16 bytes, at least 64, to a block of equal remainder. */
WITH_PMULL static void fold_to_block(const struct weft_code_crc *c,
				     uint32_t reg, const unsigned char *p,
				     size_t len, unsigned char block[16])
{
	uint64x2_t a =
		veorq_u64(load(p), vsetq_lane_u64(reg, vdupq_n_u64(0), 0));
	uint64x2_t b = load(p + 16), d = load(p + 32), e = load(p + 48);

	for (p += 64, len -= 64; len >= 64; p += 64, len -= 64) {
		a = fold(a, c->fold[0], load(p));
		b = fold(b, c->fold[0], load(p + 16));
		d = fold(d, c->fold[0], load(p + 32));
		e = fold(e, c->fold[0], load(p + 48));
	}
	a = fold(fold(fold(a, c->fold[1], b), c->fold[1], d), c->fold[1], e);
	for (; len; p += 16, len -= 16)
		a = fold(a, c->fold[1], load(p));
	vst1q_u8(block, vreinterpretq_u8_u64(a));
}

WITH_PMULL static inline uint32_t castagnoli(uint32_t reg,
					     const unsigned char *p, size_t len)
{
	uint64_t x;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&x, p, 8);
		reg = __crc32cd(reg, x);
	}
	for (; len; len--, p++)
		reg = __crc32cb(reg, *p);
	return reg;
}

WITH_PMULL static inline uint32_t ethernet(uint32_t reg, const unsigned char *p,
					   size_t len)
{
	uint64_t x;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&x, p, 8);
		reg = __crc32d(reg, x);
	}
	for (; len; len--, p++)
		reg = __crc32b(reg, *p);
	return reg;
}

WITH_PMULL static uint32_t step_crc16(const struct weft_code_crc *c,
				      uint32_t reg, const void *buf, size_t len)
{
	const unsigned char *p = buf;
	size_t whole = len & ~(size_t)15;
	unsigned char block[16];

	if (len < 64)
		return code_crc_tables(c, reg, p, len);
	fold_to_block(c, reg, p, whole, block);
	reg = code_crc_tables(c, 0, block, 16);
	return code_crc_tables(c, reg, p + whole, len - whole);
}

WITH_PMULL static uint32_t step_crc32(const struct weft_code_crc *c,
				      uint32_t reg, const void *buf, size_t len)
{
	const unsigned char *p = buf;
	size_t whole = len & ~(size_t)15;
	unsigned char block[16];

	if (len < 128)
		return ethernet(reg, p, len);
	fold_to_block(c, reg, p, whole, block);
	return ethernet(ethernet(0, block, 16), p + whole, len - whole);
}

WITH_PMULL static uint32_t step_crc32c(const struct weft_code_crc *c,
				       uint32_t reg, const void *buf,
				       size_t len)
{
	const unsigned char *p = buf;
	size_t whole = len & ~(size_t)15;
	unsigned char block[16];

	if (len < 128)
		return castagnoli(reg, p, len);
	fold_to_block(c, reg, p, whole, block);
	return castagnoli(castagnoli(0, block, 16), p + whole, len - whole);
}

void code_crc_select(struct weft_code_crc *c, enum weft_code_crc_kind kind)
{
	unsigned long has = getauxval(AT_HWCAP);

	if (!(has & HWCAP_PMULL) || !(has & HWCAP_CRC32))
		return;
	c->step = kind == WEFT_CODE_CRC16   ? step_crc16
		  : kind == WEFT_CODE_CRC32 ? step_crc32
					    : step_crc32c;
	c->how = "pmull";
}

#endif
