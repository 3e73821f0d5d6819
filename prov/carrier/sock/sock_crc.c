/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C, eight bytes a step: table k tells what a byte does to the sum after
 * k more bytes of zero.
 */
#include "prov/carrier/sock/sock_crc.h"

#include <endian.h>
#include <pthread.h>
#include <string.h>

#define CRC_POLY 0x82f63b78u /* 0x1edc6f41, lowest bit first */

static uint32_t crc_table[8][256];

static void crc_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ CRC_POLY : c >> 1;
		crc_table[0][i] = c;
	}
	for (int k = 1; k < 8; k++) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = crc_table[k - 1][i];

			crc_table[k][i] = c >> 8 ^ crc_table[0][c & 0xff];
		}
	}
}

/* Byte i of the eight is followed by 7 - i more of them. */
static inline uint32_t crc_eight(uint32_t c, const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	w = le64toh(w) ^ c;
	return crc_table[7][w & 0xff] ^ crc_table[6][w >> 8 & 0xff] ^
	       crc_table[5][w >> 16 & 0xff] ^ crc_table[4][w >> 24 & 0xff] ^
	       crc_table[3][w >> 32 & 0xff] ^ crc_table[2][w >> 40 & 0xff] ^
	       crc_table[1][w >> 48 & 0xff] ^ crc_table[0][w >> 56];
}

uint32_t sock_crc(const void *data, size_t bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const uint8_t *p = data;
	uint32_t c = UINT32_MAX;

	pthread_once(&once, crc_fill);
	for (; bytes >= 8; bytes -= 8, p += 8)
		c = crc_eight(c, p);
	for (; bytes; bytes--)
		c = c >> 8 ^ crc_table[0][(c ^ *p++) & 0xff];
	return ~c;
}
