/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A carrier on another one, for links with errors: packets get the code of the
 * machine and are damaged by a fault plan; frames whose errors the code detects
 * are retransmitted. It is opened only with a fault plan.
 *
 *  frame on the carrier below, type NOISY_FRAME
 *  +------+------+-----------+-----------------+--------+
 *  | seq  | ack  | packet 32 | payload         | checks |
 *  +------+------+-----------+-----------------+--------+
 *  |<-- covered by the code, may be damaged --- + ---->|
 *
 * All bytes take this path: the carrier has neither DMA nor shared areas, which
 * no code would cover.
 *
 *  noisy.c         windows, retransmission
 *  noisy_ops.c     the carrier's table: calls passed to the carrier below
 *  noisy_code.c    the codes of the machines
 *  noisy_damage.c  selection of the damaged bits
 */
#ifndef WEFT_CARRIER_NOISY_H
#define WEFT_CARRIER_NOISY_H

#include "prov/carrier/carrier.h"
#include "prov/carrier/carrier_faults.h"
#include "prov/code/code_crc.h"
#include "prov/code/code_rs.h"

#include <stdalign.h>

#define NOISY_FRAME  0x70
#define NOISY_LOST   0x71 /* only the header is sent */
#define NOISY_WINDOW 64	  /* unacknowledged frames per peer */
#define NOISY_BYTES  16384

/* Header of a frame. */
struct noisy_head {
	uint64_t seq; /* NOISY_ACK, NOISY_NAK: without a packet */
	uint64_t ack; /* all frames below this have been received */
	struct weft_pkt pkt;
};

static_assert(sizeof(struct noisy_head) == 48, "wire format");

#define NOISY_ACK (UINT64_MAX - 1)
#define NOISY_NAK UINT64_MAX /* and ack is the first frame to retransmit */

/* The tables of a machine's code. */
struct noisy_code {
	enum weft_carrier_code kind;
	struct weft_code_crc crc;
	struct weft_code_rs rs;
};

struct noisy_frame {
	uint32_t bytes;
	uint8_t *data;
};

struct noisy_peer {
	struct weft_peer *peer;
	struct noisy_frame kept[NOISY_WINDOW];
	uint64_t sent;	 /* frames numbered so far */
	uint64_t acked;	 /* all frames below this are acknowledged */
	uint64_t again;	 /* next frame to retransmit; sent: none */
	uint64_t expect; /* number of the next expected frame */
	uint64_t asked;	 /* frame requested by the last NAK, plus one */
	uint64_t moved_ns;
	bool owes; /* an acknowledgement is due */
	bool asks; /* a NAK is due */
};

struct noisy {
	struct weft_carrier base;
	struct weft_carrier *below;
	const struct weft_carrier_up *up;
	void *up_arg;
	struct noisy_peer **peer; /* by index */
	uint32_t peers;
	struct noisy_code code;
	struct carrier_faults faults;
	uint64_t opened_ns;
	uint64_t now_ns;
	bool closing;
	uint64_t damaged; /* frames sent with wrong bits */
	uint64_t found;	  /* damaged frames received and dropped */
	uint64_t fixed;	  /* damaged frames received and corrected */
	uint64_t resent;
	uint64_t full;
	alignas(8) uint8_t in[NOISY_BYTES];
	alignas(8) uint8_t out[NOISY_BYTES];
};

/* noisy_code.c: bytes of checks for `bytes` of data. */
void noisy_code_init(struct noisy_code *c, enum weft_carrier_code kind);
uint32_t noisy_code_bytes(const struct noisy_code *c, uint32_t bytes);
void noisy_code_seal(const struct noisy_code *c, uint8_t *data, uint32_t bytes);
/*
 * Checks `bytes` bytes, checks included, and corrects errors where possible;
 * returns the bytes of data; -EBADMSG.
 */
int noisy_code_open(const struct noisy_code *c, uint8_t *data, uint32_t bytes,
		    bool *fixed_p);

/* noisy_damage.c: true: bits were changed. */
bool noisy_damage(struct noisy *n, uint8_t *data, uint32_t bytes);
int noisy_plan_check(const struct weft_plan *plan, const char *text);

/* noisy.c */
uint64_t noisy_clock(void);
int noisy_send(struct weft_carrier *c, struct weft_peer *peer,
	       const struct weft_pkt *pkt, const struct iovec *iov, int count);
int noisy_poll(struct weft_carrier *c, int budget);
/* Have all living peers acknowledged everything? */
bool noisy_all_acked(const struct noisy *n);
void noisy_peers_free(struct noisy *n);
extern const struct weft_carrier_up noisy_up;

#endif
