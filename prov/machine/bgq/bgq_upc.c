/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance counters of the Message Unit (UPC): packets and messages,
 * requests of the master ports to memory, accesses of processors to the slave
 * port. The unit has no clock, so a program that needs rates divides the counts
 * by the time it has measured.
 */
#include "prov/machine/bgq/bgq_dev.h"

#include "src/base/attr.h"

#include <errno.h>

#define REQUEST_MIN 32u
#define REQUEST_MAX 128u

/*
 * Counts the requests that include [addr, addr + bytes): each has the largest
 * size for which its address is a multiple of its size and the size is not
 * larger than the rest. An address that is not a multiple of 32 thus takes one
 * more request of 32 bytes.
 */
static void count_requests(uint64_t *count, uint64_t *sum, uint64_t addr,
			   uint64_t bytes)
{
	uint64_t at = addr & ~(uint64_t)(REQUEST_MIN - 1);
	uint64_t end =
		(addr + bytes + REQUEST_MIN - 1) & ~(uint64_t)(REQUEST_MIN - 1);
	uint64_t size;

	if (!bytes)
		return;
	*sum += end - at;
	for (; at < end; at += size) {
		/* the largest power of two that divides at, up to 128 */
		size = (at | REQUEST_MAX) & -(at | REQUEST_MAX);
		while (size > end - at)
			size /= 2;
		++*count;
	}
}

void bgq_upc_read(struct weft_bgq *mu, uint64_t addr, uint64_t bytes)
{
	count_requests(&mu->upc[WEFT_BGQ_UPC_MASTER_READS],
		       &mu->upc[WEFT_BGQ_UPC_MASTER_READ_BYTES], addr, bytes);
}

void bgq_upc_write(struct weft_bgq *mu, uint64_t addr, uint64_t bytes)
{
	count_requests(&mu->upc[WEFT_BGQ_UPC_MASTER_WRITES],
		       &mu->upc[WEFT_BGQ_UPC_MASTER_WRITE_BYTES], addr, bytes);
}

void bgq_upc_fetch(struct weft_bgq *mu, struct bgq_inj *f)
{
	f->fetches++;
	/* one request, since a slot is aligned to 64 bytes */
	mu->upc[WEFT_BGQ_UPC_MASTER_READS]++;
	mu->upc[WEFT_BGQ_UPC_MASTER_READ_BYTES] += sizeof(f->cur);
}

void bgq_upc_packet(struct weft_bgq *mu, uint64_t addr, unsigned bytes,
		    bool last)
{
	mu->upc[WEFT_BGQ_UPC_PACKETS_SENT]++;
	mu->upc[WEFT_BGQ_UPC_MESSAGES_SENT] += last;
	bgq_upc_read(mu, addr, bytes);
}

/*
 * Counts the requests for the payloads of all packets of a message. Packets of
 * 512 bytes have the same alignment, thus the same number of requests.
 */
static void count_message(uint64_t *count, uint64_t *sum, uint64_t addr,
			  uint64_t bytes)
{
	uint64_t full = bytes / WEFT_BGQ_PAYLOAD, n = 0, each = 0;

	count_requests(&n, &each, addr, WEFT_BGQ_PAYLOAD);
	*count += full * n;
	*sum += full * each;
	count_requests(count, sum, addr + full * WEFT_BGQ_PAYLOAD,
		       bytes % WEFT_BGQ_PAYLOAD);
}

static uint64_t packets_of(uint64_t bytes)
{
	return (bytes + WEFT_BGQ_PAYLOAD - 1) / WEFT_BGQ_PAYLOAD;
}

void bgq_upc_sent(struct weft_bgq *mu, uint64_t addr, uint64_t bytes)
{
	mu->upc[WEFT_BGQ_UPC_PACKETS_SENT] += packets_of(bytes);
	mu->upc[WEFT_BGQ_UPC_MESSAGES_SENT]++;
	count_message(&mu->upc[WEFT_BGQ_UPC_MASTER_READS],
		      &mu->upc[WEFT_BGQ_UPC_MASTER_READ_BYTES], addr, bytes);
}

void bgq_upc_stored(struct weft_bgq *mu, uint64_t addr, uint64_t bytes)
{
	uint64_t packets = packets_of(bytes);

	mu->upc[WEFT_BGQ_UPC_PACKETS_RECEIVED] += packets;
	mu->upc[WEFT_BGQ_UPC_MESSAGES_RECEIVED]++;
	count_message(&mu->upc[WEFT_BGQ_UPC_MASTER_WRITES],
		      &mu->upc[WEFT_BGQ_UPC_MASTER_WRITE_BYTES], addr, bytes);
	/* each packet decrements the counter */
	mu->upc[WEFT_BGQ_UPC_MASTER_WRITES] += packets;
	mu->upc[WEFT_BGQ_UPC_MASTER_WRITE_BYTES] += packets * REQUEST_MIN;
}

void bgq_upc_post(struct bgq_inj *f)
{
	/* relaxed: one producer writes the count, and it orders nothing */
	weft_store64_relaxed(&f->posts, weft_load64_relaxed(&f->posts) + 1);
}

static uint64_t posts_all(const struct weft_bgq *mu)
{
	uint64_t n = 0;

	/* relaxed: statistics only */
	for (unsigned i = 0; i < WEFT_BGQ_INJ_FIFOS; i++)
		n += weft_load64_relaxed(&mu->inj[i].posts);
	return n;
}

uint64_t bgq_upc_load(const struct weft_bgq *mu, unsigned id)
{
	if (id >= WEFT_BGQ_UPCS)
		return 0;
	return mu->upc[id] +
	       (id == WEFT_BGQ_UPC_SLAVE_WRITES ? posts_all(mu) : 0);
}

int bgq_upc_store(struct weft_bgq *mu, unsigned id, uint64_t value)
{
	if (id >= WEFT_BGQ_UPCS)
		return -EINVAL;
	mu->upc[id] =
		value - (id == WEFT_BGQ_UPC_SLAVE_WRITES ? posts_all(mu) : 0);
	return 0;
}
