/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running CRCs of a link: each end keeps one of all user packets and one of all
 * system packets that it has sent or accepted. At the end of a job the CRCs of
 * the two ends are compared; a difference shows an error that the packet codes
 * did not detect.
 *
 * The CRCs cover the bytes on the wire. The model has no payload data, so the
 * payload is generated from the message and the offset; the receiver's bytes
 * are the sender's bytes with the error bits inverted.
 */
#include "prov/net/fault/net_fault_int.h"

#include "src/base/hash.h"

enum { HEADER_BYTES = 12 };

/* Returns a value that identifies the payload of a packet. */
static uint64_t payload_seed(const struct net *net, const struct net_packet *p,
			     bool coll)
{
	uint64_t cookie = coll ? p->cookie : net_mrec(net, p->msg)->cookie;

	return weft_hash_mix(cookie) ^ weft_hash_mix(p->seq + 1);
}

/* Generates the bytes of a packet on the wire. */
static void packet_image(const struct net *net, const struct net_packet *p,
			 unsigned vc, bool coll, uint8_t *image, uint32_t bytes)
{
	uint64_t seed = payload_seed(net, p, coll), word;
	uint32_t header[3] = { p->dst,
			       (uint32_t)vc << 24 | (uint32_t)p->zone << 16 |
				       (uint32_t)p->kind << 8 | p->chunks,
			       (uint32_t)p->seq };
	uint32_t at = HEADER_BYTES < bytes ? HEADER_BYTES : bytes, part;

	memcpy(image, header, at);
	for (; at < bytes; at += part) {
		word = weft_hash_mix(seed + at);
		part = bytes - at < sizeof(word) ? bytes - at
						 : (uint32_t)sizeof(word);
		memcpy(image + at, &word, part);
	}
}

void net_fault_crc_update(const struct net *net, struct net_fault_link *l,
			  const struct net_packet *p, unsigned vc,
			  uint32_t bytes, const uint8_t *wrong)
{
	const struct weft_code_crc *crc = &net_faults(net)->link_crc;
	bool coll = vc >= NET_VC_COLL0;
	uint8_t image[NET_FAULT_WIRE];
	uint32_t *of = l->crc[vc == NET_VC_SYS];

	packet_image(net, p, vc, coll, image, bytes);
	of[0] = weft_code_crc_by_tables(crc, of[0], image, bytes);
	for (uint32_t i = 0; wrong && i < bytes; i++)
		image[i] ^= wrong[i];
	of[1] = weft_code_crc_by_tables(crc, of[1], image, bytes);
}
