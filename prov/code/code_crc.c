/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC by tables, sixteen bytes per step, and the constants for folding.
 *
 * The register holds a remainder; its lowest bit is the highest power. It is
 * added to the first bytes of sixteen input bytes; each byte then contributes
 * independently to the remainder after the sixteen. Row k of the table is for a
 * byte followed by k more bytes.
 *
 * Folding (code_crc_x86.c, code_crc_arm.c) replaces a block of 16 bytes by
 * another with the same remainder D bits later: A x^D = H x^(D+64) + L x^D for
 * its halves H (first in memory) and L, and x^n may be replaced by x^n mod P.
 * The product of two reflected 64-bit words is one bit too low, that is,
 * multiplied by x; so the constants are x^(D+63) and x^(D-1). The tables
 * compute the remainder of the last block.
 */
#include "prov/code/code_crc_step.h"

#include <string.h>

static const struct {
	uint32_t poly;
	uint32_t ones;
} kinds[] = {
	[WEFT_CODE_CRC16] = { 0x8408, 0xffff },
	[WEFT_CODE_CRC32] = { 0xedb88320, 0xffffffff },
	[WEFT_CODE_CRC32C] = { 0x82f63b78, 0xffffffff },
};

/* Returns the register after n more zero bits. */
static uint32_t zeros(uint32_t poly, uint32_t reg, unsigned n)
{
	while (n--)
		reg = reg >> 1 ^ (reg & 1 ? poly : 0);
	return reg;
}

static void fill_table(struct weft_code_crc *c)
{
	for (uint32_t i = 0; i < 256; i++) {
		c->table[0][i] = zeros(c->poly, i, 8);
		for (int k = 1; k < 16; k++)
			c->table[k][i] = zeros(c->poly, c->table[k - 1][i], 8);
	}
}

/* Returns x^n mod P, reflected, in the highest w bits of a 64-bit word. */
static uint64_t power(const struct weft_code_crc *c, unsigned n)
{
	unsigned w = c->ones == 0xffff ? 16 : 32;
	uint32_t one = 1u << (w - 1);

	return (uint64_t)zeros(c->poly, one, n) << (64 - w);
}

static void fill_fold(struct weft_code_crc *c)
{
	static const unsigned ahead[2] = { 512, 128 };

	for (int i = 0; i < 2; i++) {
		c->fold[i][0] = power(c, ahead[i] + 63);
		c->fold[i][1] = power(c, ahead[i] - 1);
	}
}

/* Loads a little-endian word on any host: the first byte is the lowest. */
static inline uint32_t load32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

/* Returns the contribution of the bytes of x to the remainder k bytes later. */
static inline uint32_t contribution_of_four(const struct weft_code_crc *c,
					    uint32_t x, int k)
{
	return c->table[k + 3][x & 255] ^ c->table[k + 2][x >> 8 & 255] ^
	       c->table[k + 1][x >> 16 & 255] ^ c->table[k][x >> 24];
}

uint32_t code_crc_tables(const struct weft_code_crc *c, uint32_t reg,
			 const void *buf, size_t len)
{
	const unsigned char *p = buf;

	for (; len >= 16; len -= 16, p += 16)
		reg = contribution_of_four(c, load32(p) ^ reg, 12) ^
		      contribution_of_four(c, load32(p + 4), 8) ^
		      contribution_of_four(c, load32(p + 8), 4) ^
		      contribution_of_four(c, load32(p + 12), 0);
	for (; len; len--, p++)
		reg = reg >> 8 ^ c->table[0][(reg ^ *p) & 255];
	return reg;
}

uint32_t weft_code_crc_by_tables(const struct weft_code_crc *c, uint32_t crc,
				 const void *buf, size_t len)
{
	return code_crc_tables(c, crc ^ c->ones, buf, len) ^ c->ones;
}

void weft_code_crc_init_tables(struct weft_code_crc *c,
			       enum weft_code_crc_kind kind)
{
	c->poly = kinds[kind].poly;
	c->ones = kinds[kind].ones;
	c->step = code_crc_tables;
	c->how = "tables";
	fill_table(c);
	fill_fold(c);
}

void weft_code_crc_init(struct weft_code_crc *c, enum weft_code_crc_kind kind)
{
	weft_code_crc_init_tables(c, kind);
	code_crc_select(c, kind);
}
