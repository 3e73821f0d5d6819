/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check bits with odd columns: check i is the parity of the bits in its mask.
 * The first 56 columns are the bytes with three ones; eight bytes with five
 * consecutive ones (mod 8) follow. So every check covers 26 bits of a word, the
 * minimum. A header has 24 more columns with five ones.
 */
#include "prov/code/code_hamming.h"

#include <errno.h>
#include <string.h>

static const uint64_t word_mask[8] = {
	0xf1000000001fffff, 0xe300000fffe0003f, 0xc7003ff003e007c1,
	0x8f0fc0f03c207842, 0x1f71c711c4438884, 0x3eb65926488c9108,
	0x7cdaaa4a91152210, 0xf8ed348d221a4420,
};

static const uint32_t tail_mask[8] = {
	0xd9e5e9, 0xb3cbd3, 0x6797a7, 0xce2f4f,
	0x9d5e9e, 0x3bbc3d, 0x76797a, 0xecf2f4,
};

uint8_t weft_code_secded(uint64_t word)
{
	unsigned checks = 0;

	for (int i = 0; i < 8; i++)
		checks |= (unsigned)__builtin_parityll(word & word_mask[i])
			  << i;
	return (uint8_t)checks;
}

/* Returns the bit of the word that flips these checks, or 64. */
static unsigned bit_of(uint8_t column)
{
	uint64_t all = UINT64_MAX;

	for (int i = 0; i < 8; i++)
		all &= column >> i & 1 ? word_mask[i] : ~word_mask[i];
	return all ? (unsigned)__builtin_ctzll(all) : 64;
}

int weft_code_secded_correct(uint64_t *word, uint8_t *checks)
{
	uint8_t wrong = weft_code_secded(*word) ^ *checks;
	unsigned bit;

	if (!wrong)
		return 0;
	if (!(wrong & (wrong - 1))) {
		*checks ^= wrong;
		return 1;
	}
	bit = bit_of(wrong);
	if (bit == 64)
		return -EBADMSG;
	*word ^= 1ull << bit;
	return 1;
}

uint8_t weft_code_header(const uint8_t header[WEFT_CODE_HEADER_BYTES])
{
	uint64_t word = 0;
	uint32_t tail = header[8] | (uint32_t)header[9] << 8 |
			(uint32_t)header[10] << 16;
	unsigned checks;

	for (int i = 0; i < 8; i++)
		word |= (uint64_t)header[i] << 8 * i;
	checks = weft_code_secded(word);
	for (int i = 0; i < 8; i++)
		checks ^= (unsigned)__builtin_parity(tail & tail_mask[i]) << i;
	return (uint8_t)checks;
}
