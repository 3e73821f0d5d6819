/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of line codes, and the sixteen data words of 4b/5b. */
#include "prov/code/code_line.h"

#include <errno.h>

static const struct {
	uint16_t in, out;
} blocks[] = {
	[WEFT_CODE_LINE_PLAIN] = { 1, 1 },
	[WEFT_CODE_LINE_4B5B] = { 4, 5 },
	[WEFT_CODE_LINE_8B10B] = { 8, 10 },
	[WEFT_CODE_LINE_64B66B] = { 64, 66 },
	[WEFT_CODE_LINE_256B257B] = { 256, 257 },
	[WEFT_CODE_LINE_RS528] = { 20 * 256, 528 * 10 },
};

static const uint8_t words[16] = {
	0x1e, 0x09, 0x14, 0x15, 0x0a, 0x0b, 0x0e, 0x0f,
	0x12, 0x13, 0x16, 0x17, 0x1a, 0x1b, 0x1c, 0x1d,
};

uint64_t weft_code_line_bits(enum weft_code_line code, uint64_t data_bits)
{
	uint64_t in = blocks[code].in;

	return (data_bits / in + (data_bits % in != 0)) * blocks[code].out;
}

uint64_t weft_code_line_data(enum weft_code_line code, uint64_t wire_bits)
{
	return wire_bits / blocks[code].out * blocks[code].in;
}

uint8_t weft_code_4b5b_encode(unsigned nibble)
{
	return words[nibble & 15];
}

int weft_code_4b5b_decode(unsigned word)
{
	for (int i = 0; i < 16; i++)
		if (words[i] == word)
			return i;
	return -EBADMSG;
}
