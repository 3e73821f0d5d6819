/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generation of bit errors in packets, and their detection by the machine's
 * codes. All codes here are linear: whether a code detects an error depends on
 * the error pattern alone, not on the data. So the functions of prov/code are
 * applied to a packet of zeros with the error bits set.
 *
 * Random numbers are counter-based: seed, link and packet number select a
 * stream. The first number u of the stream, uniform in [0, 1), gives the
 * position of the first error: the first k with u < 1 - (1-p)^k. Numbers are
 * integer multiples of 2^-64, so results are equal on all hosts.
 */
#include "prov/net/fault/net_fault_int.h"

#include "prov/code/code_hamming.h"
#include "src/base/hash.h"
#include "src/base/rng.h"

#include <errno.h>

enum { HEADER = WEFT_CODE_HEADER_BYTES + 1, WORD = 8 };

__extension__ typedef unsigned __int128 wide;

static uint64_t mul_high(uint64_t a, uint64_t b)
{
	return (uint64_t)((wide)a * b >> 64);
}

/* Returns the probability of at least one error in n bits: 1 - (1-p)^n. */
static uint64_t error_probability(uint64_t p, uint32_t n)
{
	uint64_t q = 0 - p, all = UINT64_MAX;

	for (; n; n >>= 1) {
		if (n & 1)
			all = mul_high(all, q);
		q = mul_high(q, q);
	}
	return ~all;
}

uint32_t net_fault_error_first(uint64_t draw, uint64_t p, uint32_t count)
{
	uint32_t low = 0, top = count, mid;

	/* Fast path: the probability is at most count * p. */
	if (!p || (wide)p * count <= draw ||
	    error_probability(p, count) <= draw)
		return count;
	while (top - low > 1) {
		mid = low + (top - low) / 2;
		if (draw < error_probability(p, mid))
			top = mid;
		else
			low = mid;
	}
	return top - 1;
}

/* ---- error detection codes ----------------------------------------------- */

static const uint8_t zero[NET_FAULT_WIRE];

static bool crc_detects(const struct weft_code_crc *crc, const uint8_t *wrong,
			uint32_t bytes, unsigned checks)
{
	uint32_t got = 0, made, data = bytes - checks;

	for (unsigned i = 0; i < checks; i++)
		got |= (uint32_t)wrong[data + i] << 8 * i;
	made = weft_code_crc_by_tables(crc, 0, wrong, data) ^
	       weft_code_crc_by_tables(crc, 0, zero, data);
	return made != got;
}

/*
 * Returns whether a Reed-Solomon code detects the error bits; its check symbols
 * are the last bits of the packet.
 */
static bool rs_detects(const struct weft_code_rs *rs, const uint8_t *wrong,
		       uint32_t bytes)
{
	struct weft_code_rs_checks got = { { 0 } };
	uint32_t checks = 10 * rs->checks, data = 8 * bytes - checks, i, at;

	for (i = 0; i < checks; i++) {
		at = data + i;
		if (wrong[at / 8] >> at % 8 & 1)
			got.w[i / 64] |= 1ull << i % 64;
	}
	return !weft_code_rs_check(rs, wrong, data, &got);
}

static bool code_detects(const struct weft_code_crc *crc,
			 const struct weft_code_rs *rs, unsigned code,
			 const uint8_t *wrong, uint32_t bytes)
{
	switch (code) {
	case NET_CODE_CRC16:
		return crc_detects(crc, wrong, bytes, 2);
	case NET_CODE_CRC32:
		return crc_detects(crc, wrong, bytes, 4);
	case NET_CODE_RS1:
	case NET_CODE_RS5:
		return rs_detects(rs, wrong, bytes);
	default:
		return false;
	}
}

/*
 * Returns whether the packet code detects the error bits. The packet is checked
 * span by span (care.code_span), from its end. The span at the start of the
 * packet may be up to twice as long.
 */
static bool packet_code_detects(const struct net *net, const uint8_t *wrong,
				uint32_t bytes)
{
	const struct net_faults *f = net_faults(net);
	uint32_t span = net->cfg.care.code_span, from;

	while (bytes) {
		from = span && bytes >= 2 * span ? bytes - span : 0;
		if (code_detects(&f->crc, &f->rs, net->cfg.care.code,
				 wrong + from, bytes - from))
			return true;
		bytes = from;
	}
	return false;
}

/* bytes per FEC block: RS(528,514) has 5,140 data bits */
enum { BLOCK = 642 };

void net_fault_bits_correct(const struct net *net, uint8_t *wrong,
			    uint32_t bytes)
{
	struct net_faults *f = net_faults(net);
	uint32_t at, len;

	for (at = 0; at < bytes; at += BLOCK) {
		struct weft_code_rs_checks checks = { { 0 } };
		int symbols_corrected;

		len = bytes - at < BLOCK ? bytes - at : BLOCK;
		if (!memcmp(wrong + at, zero, len))
			continue;
		symbols_corrected = weft_code_rs_correct(&f->fec, wrong + at,
							 8 * len, &checks);
		if (symbols_corrected > 0)
			f->sum.symbols_corrected += (uint64_t)symbols_corrected;
	}
}

/*
 * Corrects the words that the fibres of a link carry at once and that have a
 * single wrong bit: the receiver sees which fibre's symbol is invalid, and
 * restores it from the parity on the spare fibre.
 */
static void correct_by_parity(const struct net *net, uint8_t *wrong,
			      uint32_t bytes)
{
	uint32_t word = net->cfg.care.spare_bytes, at, i, end;

	for (at = 0; at < bytes; at = end) {
		unsigned bits = 0;

		end = at + word < bytes ? at + word : bytes;
		for (i = at; i < end; i++)
			bits += (unsigned)__builtin_popcount(wrong[i]);
		if (bits != 1)
			continue;
		memset(wrong + at, 0, end - at);
		net_faults(net)->sum.bits_corrected++;
	}
}

static enum net_fault_found detect(const struct net *net, const uint8_t *wrong,
				   uint32_t bytes)
{
	const struct net_faults *f = net_faults(net);
	const struct net_reliability *care = &net->cfg.care;

	if (care->header_code && bytes >= HEADER &&
	    weft_code_header(wrong) != wrong[HEADER - 1])
		return NET_FOUND_HEADER;
	if (packet_code_detects(net, wrong, bytes))
		return NET_FOUND_BAD;
	if (code_detects(NULL, &f->end_rs, care->end_code, wrong, bytes))
		return NET_FOUND_AT_END;
	return NET_FOUND_MISSED;
}

/* ---- random bit errors --------------------------------------------------- */

/* Flips the first and last bit of a burst, and random bits between them. */
static void flip_burst(uint8_t *wrong, uint32_t at, uint32_t end,
		       struct weft_rng *r)
{
	uint64_t by = 0;

	for (uint32_t i = at; i < end; i++) {
		if ((i - at) % 64 == 0)
			by = weft_rng_u64(r);
		if (i == at || i + 1 == end || by >> (i - at) % 64 & 1)
			wrong[i / 8] ^= (uint8_t)(1u << i % 8);
	}
}

enum net_fault_found net_fault_bits_draw(const struct net *net,
					 const struct net_fault_link *l,
					 uint64_t id, uint64_t n,
					 uint32_t bytes, uint8_t *wrong)
{
	uint32_t bits = 8 * bytes, at, end;
	struct weft_rng rng;

	weft_rng_init(&rng, net_faults(net)->seed ^ weft_hash_mix(id + 1), n);
	at = net_fault_error_first(weft_rng_u64(&rng), l->ber, bits);
	if (weft_likely(at == bits))
		return NET_FOUND_GOOD;
	memset(wrong, 0, bytes);
	while (at < bits) {
		end = at + l->burst < bits ? at + l->burst : bits;
		flip_burst(wrong, at, end, &rng);
		at = end + net_fault_error_first(weft_rng_u64(&rng), l->ber,
						 bits - end);
	}
	if (net->cfg.care.fec)
		net_fault_bits_correct(net, wrong, bytes);
	if (l->spare)
		correct_by_parity(net, wrong, bytes);
	if ((net->cfg.care.fec || l->spare) && !memcmp(wrong, zero, bytes))
		return NET_FOUND_GOOD;
	return detect(net, wrong, bytes);
}

/* ---- memory errors ------------------------------------------------------- */

/*
 * Generates a word with one wrong bit and, with probability p, a second one.
 * Returns whether SEC-DED corrects the word.
 */
static bool correctable(struct weft_rng *r, uint64_t p)
{
	unsigned bit = (unsigned)weft_rng_below(r, 64);
	uint64_t word = 1ull << bit;
	uint8_t checks = 0;

	if (weft_rng_u64(r) < p)
		word |= 1ull << (bit + 1 + weft_rng_below(r, 63)) % 64;
	return weft_code_secded_correct(&word, &checks) == 1 && !word;
}

uint32_t net_fault_memory_read(const struct net *net, uint32_t node,
			       uint32_t bytes)
{
	struct net_fault_node *m = net_fault_node(net, node);
	uint32_t words = (bytes + WORD - 1) / WORD, at, lost = 0;
	struct weft_rng rng;

	if (weft_likely(!m->memory))
		return 0;
	weft_rng_init(&rng, net_faults(net)->seed ^ ~weft_hash_mix(node + 1),
		      m->reads++);
	for (at = 0;; at++) {
		at += net_fault_error_first(weft_rng_u64(&rng), m->memory,
					    words - at);
		if (at >= words)
			return lost;
		if (correctable(&rng, m->memory))
			m->corrected++;
		else
			lost++;
	}
}
