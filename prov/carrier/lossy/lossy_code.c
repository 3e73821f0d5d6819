/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The error codes of the machines, applied to frames (prov/code documents which
 * errors they detect):
 *
 *  crc16   two bytes per 96 bytes, as in packets of gemini
 *  crc32   four bytes after the data; the same for crc32c
 *  rs5     five 10-bit symbols per 512 bytes, as in packets of bgq
 *  rs14    crc32, then 14 error-correcting symbols per 640 bytes
 *
 * The check symbols of all pieces follow the data.
 */
#include "prov/carrier/lossy/lossy.h"

#include <errno.h>
#include <string.h>

#define CRC16_PIECE 96u
#define RS5_BYTES   7u
#define RS5_PIECE   512u
#define RS14_PIECE  640u
#define RS14_BYTES  18u
#define CRC32_BYTES 4u

void lossy_code_init(struct lossy_code *c, enum weft_carrier_code kind)
{
	c->kind = kind;
	weft_code_crc_init(&c->crc, kind == WEFT_CARRIER_CRC16 ? WEFT_CODE_CRC16
				    : kind == WEFT_CARRIER_CRC32C
					    ? WEFT_CODE_CRC32C
					    : WEFT_CODE_CRC32);
	weft_code_rs_init(&c->rs, kind == WEFT_CARRIER_RS5 ? 5 : 14);
}

static uint32_t pieces(uint32_t bytes, uint32_t of)
{
	return (bytes + of - 1) / of;
}

uint32_t lossy_code_bytes(const struct lossy_code *c, uint32_t bytes)
{
	switch (c->kind) {
	case WEFT_CARRIER_CRC16:
		return 2 * pieces(bytes, CRC16_PIECE);
	case WEFT_CARRIER_RS5:
		return RS5_BYTES * pieces(bytes, RS5_PIECE);
	case WEFT_CARRIER_RS14:
		return CRC32_BYTES +
		       RS14_BYTES * pieces(bytes + CRC32_BYTES, RS14_PIECE);
	default:
		return CRC32_BYTES;
	}
}

/*
 * Splits `bytes` bytes into pieces of `of` bytes. Returns the length of piece
 * i; *offset_p is its offset.
 */
static uint32_t piece(uint32_t bytes, uint32_t of, uint32_t i,
		      uint32_t *offset_p)
{
	*offset_p = i * of;
	return bytes - *offset_p < of ? bytes - *offset_p : of;
}

static uint16_t crc16_of(const struct lossy_code *c, const uint8_t *data,
			 uint32_t bytes, uint32_t i)
{
	uint32_t offset, len = piece(bytes, CRC16_PIECE, i, &offset);

	return (uint16_t)weft_code_crc(&c->crc, 0, data + offset, len);
}

static void rs_put(const struct lossy_code *c, const uint8_t *data,
		   uint32_t bytes, uint8_t *to, uint32_t room)
{
	struct weft_code_rs_checks checks =
		weft_code_rs_encode(&c->rs, data, 8 * bytes);

	memcpy(to, &checks, room);
}

static struct weft_code_rs_checks rs_get(const uint8_t *from, uint32_t room)
{
	struct weft_code_rs_checks checks = { { 0 } };

	memcpy(&checks, from, room);
	return checks;
}

static void crc32_seal(const struct lossy_code *c, uint8_t *data,
		       uint32_t bytes)
{
	uint32_t crc = weft_code_crc(&c->crc, 0, data, bytes);

	memcpy(data + bytes, &crc, sizeof(crc));
}

/* Appends the check symbols of each piece. */
static void rs_seal(const struct lossy_code *c, uint8_t *data, uint32_t bytes)
{
	uint32_t of = c->kind == WEFT_CARRIER_RS5 ? RS5_PIECE : RS14_PIECE;
	uint32_t room = c->kind == WEFT_CARRIER_RS5 ? RS5_BYTES : RS14_BYTES;
	uint32_t offset, len;

	for (uint32_t i = 0; i < pieces(bytes, of); i++) {
		len = piece(bytes, of, i, &offset);
		rs_put(c, data + offset, len, data + bytes + i * room, room);
	}
}

void lossy_code_seal(const struct lossy_code *c, uint8_t *data, uint32_t bytes)
{
	uint16_t crc;

	if (c->kind == WEFT_CARRIER_RS5) {
		rs_seal(c, data, bytes);
	} else if (c->kind == WEFT_CARRIER_RS14) {
		crc32_seal(c, data, bytes);
		rs_seal(c, data, bytes + CRC32_BYTES);
	} else if (c->kind != WEFT_CARRIER_CRC16) {
		crc32_seal(c, data, bytes);
	} else {
		for (uint32_t i = 0; i < pieces(bytes, CRC16_PIECE); i++) {
			crc = crc16_of(c, data, bytes, i);
			memcpy(data + bytes + 2 * i, &crc, sizeof(crc));
		}
	}
}

/* ---- checks of received frames ---- */

static bool crc32_valid(const struct lossy_code *c, const uint8_t *data,
			uint32_t bytes)
{
	uint32_t crc;

	memcpy(&crc, data + bytes, sizeof(crc));
	return crc == weft_code_crc(&c->crc, 0, data, bytes);
}

static bool crc16_valid(const struct lossy_code *c, const uint8_t *data,
			uint32_t bytes)
{
	uint16_t crc;

	for (uint32_t i = 0; i < pieces(bytes, CRC16_PIECE); i++) {
		memcpy(&crc, data + bytes + 2 * i, sizeof(crc));
		if (crc != crc16_of(c, data, bytes, i))
			return false;
	}
	return true;
}

static bool rs5_valid(const struct lossy_code *c, const uint8_t *data,
		      uint32_t bytes)
{
	struct weft_code_rs_checks checks;
	uint32_t offset, len;

	for (uint32_t i = 0; i < pieces(bytes, RS5_PIECE); i++) {
		checks = rs_get(data + bytes + i * RS5_BYTES, RS5_BYTES);
		len = piece(bytes, RS5_PIECE, i, &offset);
		if (!weft_code_rs_check(&c->rs, data + offset, 8 * len,
					&checks))
			return false;
	}
	return true;
}

static bool rs14_valid(const struct lossy_code *c, uint8_t *data,
		       uint32_t bytes, bool *fixed_p)
{
	uint32_t offset, len, all = bytes + CRC32_BYTES;
	struct weft_code_rs_checks checks;
	int wrong;

	for (uint32_t i = 0; i < pieces(all, RS14_PIECE); i++) {
		checks = rs_get(data + all + i * RS14_BYTES, RS14_BYTES);
		len = piece(all, RS14_PIECE, i, &offset);
		wrong = weft_code_rs_correct(&c->rs, data + offset, 8 * len,
					     &checks);
		if (wrong < 0)
			return false;
		*fixed_p |= wrong > 0;
	}
	return crc32_valid(c, data, bytes);
}

/*
 * Returns the number of data bytes in a frame of `bytes` bytes; 0: impossible
 * length.
 */
static uint32_t data_bytes(const struct lossy_code *c, uint32_t bytes)
{
	uint32_t data = bytes - lossy_code_bytes(c, bytes);

	/* more data never have fewer check symbols, so the loop ends */
	while (data + lossy_code_bytes(c, data) < bytes)
		data++;
	return data + lossy_code_bytes(c, data) == bytes ? data : 0;
}

int lossy_code_open(const struct lossy_code *c, uint8_t *data, uint32_t bytes,
		    bool *fixed_p)
{
	uint32_t n =
		bytes > lossy_code_bytes(c, bytes) ? data_bytes(c, bytes) : 0;
	bool valid;

	*fixed_p = false;
	if (!n)
		return -EBADMSG;
	if (c->kind == WEFT_CARRIER_RS5)
		valid = rs5_valid(c, data, n);
	else if (c->kind == WEFT_CARRIER_RS14)
		valid = rs14_valid(c, data, n, fixed_p);
	else if (c->kind == WEFT_CARRIER_CRC16)
		valid = crc16_valid(c, data, n);
	else
		valid = crc32_valid(c, data, n);
	return valid ? (int)n : -EBADMSG;
}
