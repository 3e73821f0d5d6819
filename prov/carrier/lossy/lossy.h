/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A carrier on top of another carrier, for links with bit errors: packets get
 * the machine's error code and are damaged by a fault plan; frames whose errors
 * the code detects are retransmitted. This carrier is used only with a fault
 * plan.
 *
 *  frame on the carrier below, type LOSSY_FRAME
 *  +------+------+-----------+-----------------+--------+
 *  | seq  | ack  | packet 32 | payload         | checks |
 *  +------+------+-----------+-----------------+--------+
 *  |<-- covered by the code, may be damaged --- + ---->|
 *
 * All data are sent in frames: the carrier has neither DMA nor shared areas,
 * which no error code would cover.
 *
 *  lossy.c         windows, retransmission
 *  lossy_ops.c     the carrier's table: calls passed to the carrier below
 *  lossy_code.c    the codes of the machines
 *  lossy_damage.c  selection of the damaged bits
 */
#ifndef WEFT_LOSSY_H
#define WEFT_LOSSY_H

#include "prov/arq/arq.h"
#include "prov/carrier/carrier.h"
#include "prov/carrier/carrier_faults.h"
#include "prov/code/code_crc.h"
#include "prov/code/code_rs.h"

#include <stdalign.h>

#define LOSSY_FRAME  0x70
#define LOSSY_LOST   0x71 /* a lost frame: only the header is sent */
#define LOSSY_WINDOW 64	  /* maximum number of unacknowledged frames per peer */
#define LOSSY_BYTES  16384

/* Header of a frame. */
struct lossy_head {
	/* frame number modulo 2^32; LOSSY_ACK, LOSSY_NAK: no packet */
	uint64_t seq;
	uint64_t ack; /* all frames with lower numbers have arrived */
	struct weft_pkt pkt;
};

static_assert(sizeof(struct lossy_head) == 48, "wire format");

#define LOSSY_ACK (UINT64_MAX - 1)
#define LOSSY_NAK UINT64_MAX /* no packet; ack: first frame to retransmit */

/* Tables of a machine's error code. */
struct lossy_code {
	enum weft_carrier_code kind;
	struct weft_code_crc crc;
	struct weft_code_rs rs;
};

struct lossy_frame {
	uint32_t bytes;
	uint8_t *data;
};

struct lossy_peer {
	struct weft_peer *peer;
	struct lossy_frame window[LOSSY_WINDOW];
	struct weft_arq_tx tx;
	/* next frame to retransmit; equal to tx.next: none */
	uint32_t retransmit_next;
	/* retransmission timer, ns; runs while frames are in flight */
	struct weft_arq_timer timer;
	struct weft_arq_win rx; /* receive window: one frame */
	uint32_t nak_frame;	/* frame requested by the last NAK, plus one */
	bool ack_due;
	bool nak_due;
};

struct lossy {
	struct weft_carrier base;
	struct weft_carrier *below;
	const struct weft_carrier_up *up;
	void *up_arg;
	struct lossy_peer **peer; /* peers, indexed as in the carrier below */
	uint32_t peers;
	struct lossy_code code;
	struct carrier_faults faults;
	uint64_t opened_ns;
	uint64_t now_ns;
	bool closing;
	uint64_t damaged; /* frames damaged or dropped by fault injection */
	uint64_t found;	  /* damaged frames detected and dropped */
	uint64_t fixed;	  /* damaged frames corrected */
	uint64_t resent;
	uint64_t full;
	alignas(8) uint8_t in[LOSSY_BYTES];
	alignas(8) uint8_t out[LOSSY_BYTES];
};

/*
 * lossy_code.c; lossy_code_bytes returns the number of bytes of check symbols
 * for `bytes` bytes of data.
 */
void lossy_code_init(struct lossy_code *c, enum weft_carrier_code kind);
uint32_t lossy_code_bytes(const struct lossy_code *c, uint32_t bytes);
void lossy_code_seal(const struct lossy_code *c, uint8_t *data, uint32_t bytes);
/*
 * Checks a received frame of `bytes` bytes, check symbols included, and
 * corrects errors where the code can. Returns the number of data bytes, or
 * -EBADMSG.
 */
int lossy_code_open(const struct lossy_code *c, uint8_t *data, uint32_t bytes,
		    bool *fixed_p);

/* lossy_damage.c; lossy_damage returns whether bits were changed. */
bool lossy_damage(struct lossy *n, uint8_t *data, uint32_t bytes);
int lossy_plan_check(const struct weft_fault_plan *plan, const char *text);

/* lossy.c */
uint64_t lossy_clock(void);
int lossy_send(struct weft_carrier *c, struct weft_peer *peer,
	       const struct weft_pkt *pkt, const struct iovec *iov, int count);
int lossy_poll(struct weft_carrier *c, int budget);
/* Returns whether all living peers have acknowledged all frames. */
bool lossy_all_acked(const struct lossy *n);
void lossy_peers_free(struct lossy *n);
extern const struct weft_carrier_up lossy_up;

#endif
