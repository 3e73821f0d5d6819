/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The APEnet+ board from inside.
 *
 *	apenet.c         open, close, nodes, poll
 *	apenet_rx.c      what arrives
 *	apenet_get.c     gets, ours and those of others
 *	apenet_tx.c      the DMA engines: memory to packets
 *	apenet_cmd.c     the command queue and the event queue
 *	apenet_buf.c     registered buffers, translation
 *	apenet_tlb.c     translations at hand
 *	apenet_engine.c  the unit below the message engine (machine apenet)
 */
#ifndef WEFT_PROV_APENET_DEV_H
#define WEFT_PROV_APENET_DEV_H

#include "prov/code/code_crc.h"
#include "prov/mem/mem.h"
#include "prov/nic/apenet/apenet_layout.h"
#include "prov/nic/apenet/apenet_tlb.h"
#include "prov/nic/nic_port.h"
#include "src/base/attr.h"
#include "src/base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define APENET_BUFS	1024
#define APENET_PREFETCH 4    /* commands that the board holds */
#define APENET_GETS	256  /* of ours that are under way */
#define APENET_WALK_NS	1100 /* apenet.md i: a packet of the processor's */
#define APENET_SPARE	2    /* events that one packet may need */

struct apenet_buf {
	bool used;
	unsigned rights;
	uint64_t base;
	uint64_t bytes;
	const struct weft_mem_kind *kind;
};

/* A message that goes out: a command, or the answer to a get. */
struct apenet_msg {
	struct weft_list link;
	struct weft_apenet_cmd c;
	uint8_t op; /* enum apenet_op */
	bool begun; /* the last piece has been asked for when asked == bytes */
	bool cut;   /* its memory is gone */
	uint32_t message;
	uint32_t number; /* of the get it is about */
	uint64_t asked;
	unsigned char *stage; /* its bytes, in host memory */
};

enum apenet_dma_state {
	APENET_IDLE,
	APENET_ASKED,  /* the request is on its way to memory */
	APENET_COMING, /* the bytes are; one engine at a time */
};

struct apenet_dma {
	uint8_t state; /* enum apenet_dma_state */
	bool first;
	bool last;
	bool peer; /* read from device memory */
	struct apenet_msg *m;
	uint64_t offset;
	uint32_t bytes;
	uint64_t order; /* of its request among all */
};

/* A message that comes in; of a node there is one at a time. */
struct apenet_in {
	bool open;
	uint8_t op;
	uint8_t flags;
	uint8_t status;
	uint32_t message;
	uint64_t start;
	uint64_t bytes;
	uint64_t number;      /* of our get that it answers */
	uint64_t bad;	      /* the address that was not found */
	unsigned char *stage; /* of a staged one */
};

/* A get of ours. */
struct apenet_get {
	bool used;
	uint16_t gen;
	struct weft_apenet_cmd c;
};

struct weft_apenet {
	struct weft_port port;
	uint32_t node;
	uint32_t message; /* the next one's number */
	struct weft_code_crc crc;
	void (*noise)(unsigned char *wire, size_t bytes); /* for tests */

	struct apenet_buf buf[APENET_BUFS];
	struct apenet_tlb tlb;

	/* Indices run free; the entry of index i is ring[i & (size - 1)]. */
	struct apenet_msg *queue[WEFT_APENET_COMMANDS];
	uint64_t queue_head;
	uint64_t queue_tail;
	struct weft_list backs; /* answers, as commands of the processor */
	bool backs_turn;
	struct weft_list work; /* fetched: the board works on them */
	unsigned held;
	struct apenet_dma dma[WEFT_APENET_DMAS];
	unsigned dmas;
	uint64_t orders;

	struct weft_apenet_event *event;
	uint32_t events;
	uint64_t event_head;
	uint64_t event_tail;
	uint64_t owed; /* events that commands under way will need */

	struct apenet_get get[APENET_GETS];
	struct weft_hash in; /* node + 1 -> struct apenet_in */
	struct weft_apenet_stats stats;
};

/* apenet_buf.c */

/* The buffer that holds it all with these rights, or NULL. */
const struct apenet_buf *apenet_buf_of(const struct weft_apenet *a,
				       uint64_t address, uint64_t bytes,
				       unsigned rights);

/* Where a packet's bytes go, and by what rights. */
struct apenet_place {
	uint64_t address;
	uint32_t bytes;
	unsigned rights;
	uint64_t bad; /* out: the address that was not found */
};

/* Translates and stores; enum weft_apenet_status. */
unsigned apenet_buf_store(struct weft_apenet *a, struct apenet_place *p,
			  const unsigned char *data);

/* apenet_cmd.c */
bool apenet_event_room(const struct weft_apenet *a, unsigned n);
void apenet_event_write(struct weft_apenet *a,
			const struct weft_apenet_event *ev);
/* The end of a command that asked for an event, or did not. */
void apenet_cmd_end(struct weft_apenet *a, const struct weft_apenet_cmd *c,
		    unsigned what, unsigned status);
struct apenet_msg *apenet_msg_new(struct weft_apenet *a,
				  const struct weft_apenet_cmd *c, unsigned op);
/* The next that the board fetches, or NULL. */
struct apenet_msg *apenet_cmd_next(struct weft_apenet *a);
void apenet_cmd_lost(struct weft_apenet *a, uint32_t node, bool all);

/* apenet_tx.c */
int apenet_tx_run(struct weft_apenet *a, int budget);
void apenet_tx_lost(struct weft_apenet *a, uint32_t node, bool all);
/* The memory of a buffer goes. */
void apenet_tx_closed(struct weft_apenet *a);

/* apenet_rx.c */
int apenet_rx_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload);
/* A whole packet from a node; -EAGAIN: no room for what it will tell. */
int apenet_rx_packet(struct weft_apenet *a, uint32_t node,
		     const unsigned char *wire, size_t bytes);
void apenet_rx_lost(struct weft_apenet *a, uint32_t node);
void apenet_rx_fini(struct weft_apenet *a);

/* apenet_get.c */

/* NULL: no such get of that node's. */
struct apenet_get *apenet_get_of(struct weft_apenet *a, uint32_t node,
				 uint64_t number);
void apenet_get_end(struct weft_apenet *a, struct apenet_get *g,
		    unsigned status);
/* Another node wants bytes; -EAGAIN. */
int apenet_get_serve(struct weft_apenet *a, uint32_t node,
		     const struct apenet_ask *ask);
void apenet_get_lost(struct weft_apenet *a, uint32_t node);

#endif
