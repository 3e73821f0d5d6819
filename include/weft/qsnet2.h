/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Elan4 interface of QsNetII, emulated: command queues, short transaction
 * engine (STEN), DMA, events and input queues. Link with -lweft-nic.
 *
 *	weft_qsnet2_open
 *	  weft_qsnet2_map                    memory that a context may use
 *	  weft_qsnet2_route_set              address of a virtual process
 *	  weft_qsnet2_queue_open             a command queue
 *	  weft_qsnet2_open_packet, ...       build commands, 64-bit words
 *	  weft_qsnet2_queue_write            write them to the queue
 *	  weft_qsnet2_poll                   run the engines
 *	weft_qsnet2_close
 *
 * No function blocks, except those named wait. Functions return 0 or a negative
 * errno. An invalid command, or a packet that the peer refuses, stops its own
 * queue and no other: weft_qsnet2_queue_state returns the reason. One thread at
 * a time per unit.
 */
#ifndef WEFT_QSNET2_H
#define WEFT_QSNET2_H

#include <stdalign.h>
#include <stdint.h>
#include <string.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_QSNET2_QUEUES   8000
#define WEFT_QSNET2_CONTEXTS 16384 /* context numbers have 14 bits */
#define WEFT_QSNET2_VPROCS   16384
/* maximum number of outstanding packets of one queue */
#define WEFT_QSNET2_CHANNELS 2
/* maximum size of one write transaction, bytes */
#define WEFT_QSNET2_WRITE    128
/* maximum size of all transactions of one packet, bytes */
#define WEFT_QSNET2_PACKET   2048
/* maximum number of bytes that an event can copy */
#define WEFT_QSNET2_COPY     2040
/* size of a queue's command port, bytes */
#define WEFT_QSNET2_PAGE     8192

struct weft_qsnet2;

/* Acknowledgement of a packet; also the bits of a guard's accept mask. */
enum weft_qsnet2_ack {
	WEFT_QSNET2_ACK_OK = 1,
	WEFT_QSNET2_ACK_TESTFAIL = 2,
	WEFT_QSNET2_ACK_DISCARD = 4, /* the unit retransmits */
	WEFT_QSNET2_ACK_ERROR = 8,
};

/* Reason why a queue or an engine stopped. */
enum weft_qsnet2_trap {
	WEFT_QSNET2_TRAP_NONE,
	WEFT_QSNET2_TRAP_OVERFLOW, /* the queue was written beyond its depth */
	/* a store was not a whole number of words */
	WEFT_QSNET2_TRAP_WRITE_SIZE,
	WEFT_QSNET2_TRAP_WRITE_ORDER, /* a word was written twice */
	WEFT_QSNET2_TRAP_COMMAND,     /* no such command */
	/* the command is not allowed on this queue */
	WEFT_QSNET2_TRAP_PERMISSION,
	/* a transaction is missing, too long or unknown */
	WEFT_QSNET2_TRAP_TRANSACTION,
	WEFT_QSNET2_TRAP_MEMORY, /* an address has no translation */
	WEFT_QSNET2_TRAP_ROUTE,	 /* no such virtual process */
	WEFT_QSNET2_TRAP_ALIGNMENT,
	WEFT_QSNET2_TRAP_FAIL_COUNT, /* a packet was discarded too often */
	WEFT_QSNET2_TRAP_ACK_ERROR,  /* a packet was acknowledged with Error */
	WEFT_QSNET2_TRAP_CHANNEL, /* the channel is in use or does not exist */
	WEFT_QSNET2_TRAP_DMA_OVERFLOW,	  /* DMA run queue full */
	WEFT_QSNET2_TRAP_THREAD_OVERFLOW, /* thread run queue full */
};

struct weft_qsnet2_attr {
	struct weft_place place;
	/* Called from poll for an interrupt command; cookie: its operand. */
	void (*interrupt)(void *arg, unsigned context, uint64_t cookie);
	/* Program 0 of the thread processor, for every context. */
	void (*thread)(void *arg, unsigned context, const uint64_t regs[6]);
	void *arg;
};

int weft_qsnet2_open(const struct weft_qsnet2_attr *attr,
		     struct weft_qsnet2 **s_p);
void weft_qsnet2_close(struct weft_qsnet2 *s);
void weft_qsnet2_name(struct weft_qsnet2 *s, struct sockaddr_in *name);
int weft_qsnet2_poll(struct weft_qsnet2 *s, int budget);
int weft_qsnet2_wait(struct weft_qsnet2 *s, uint64_t timeout_ns);

/*
 * Sets the route of virtual process `vproc`: context and address of its node.
 */
int weft_qsnet2_route_set(struct weft_qsnet2 *s, uint32_t vproc,
			  const struct sockaddr_in *name, unsigned context);

/*
 * Makes vproc a hardware broadcast: a packet or DMA to vproc is sent to the
 * virtual processes low..high, which must have routes (-EINVAL). The
 * acknowledgements are merged: OK if all are OK; otherwise Error has precedence
 * over TestFail, and TestFail over Discard.
 */
int weft_qsnet2_range_set(struct weft_qsnet2 *s, uint32_t vproc, uint32_t low,
			  uint32_t high);

/*
 * Sets timeouts; 0 (default): none. A packet that is not acknowledged within
 * ack_timeout_ns is retransmitted, as if it had been discarded. A packet whose
 * commands are incomplete blocks other queues for packet_timeout_ns; then it is
 * closed, and built again when more of its commands arrive.
 */
void weft_qsnet2_timeouts(struct weft_qsnet2 *s, uint64_t ack_timeout_ns,
			  uint64_t packet_timeout_ns);

/* ---- protection ---- */

#define WEFT_QSNET2_LOCAL_READ	 1u
#define WEFT_QSNET2_LOCAL_WRITE	 2u
#define WEFT_QSNET2_REMOTE_READ	 4u
#define WEFT_QSNET2_REMOTE_WRITE 8u
#define WEFT_QSNET2_REMOTE_EVENT 16u
#define WEFT_QSNET2_ALL		 31u

/* Flags of a mapping. */
/* use the larger of the two page sizes */
#define WEFT_QSNET2_LARGE      32u
#define WEFT_QSNET2_BIG_ENDIAN 64u /* words in these pages are big-endian */

/* Allows a context to access [base, base + bytes) with permissions perm. */
int weft_qsnet2_map(struct weft_qsnet2 *s, unsigned context, void *base,
		    uint64_t bytes, unsigned perm);
/* Maps mem at `address` of the context, which must be below 1 << 63. */
int weft_qsnet2_map_at(struct weft_qsnet2 *s, unsigned context,
		       uint64_t address, void *mem, uint64_t bytes,
		       unsigned perm);
int weft_qsnet2_unmap(struct weft_qsnet2 *s, unsigned context, void *base);
int weft_qsnet2_unmap_at(struct weft_qsnet2 *s, unsigned context,
			 uint64_t address);

/*
 * Sets the two page sizes; allowed are 4, 8, 64 and 512 KB, 2, 4, 64 and 512
 * MB; the defaults are 8 KB and 4 MB.
 */
int weft_qsnet2_pages(struct weft_qsnet2 *s, uint64_t small, uint64_t large);

/*
 * Fault handler of the driver for a context, called from poll if an access has
 * no translation or no permission (`bytes` at `address`, with permissions
 * `perm`). The handler maps the memory (weft_qsnet2_map) and returns 0, and the
 * unit continues; any other value refuses the access. A packet that faults is
 * acknowledged with Discard, and is retransmitted; accesses of the unit itself
 * wait. NULL (default): unmapped memory is an error.
 */
typedef int (*weft_qsnet2_pager)(void *arg, unsigned context, uint64_t address,
				 uint64_t bytes, unsigned perm);
int weft_qsnet2_pager_set(struct weft_qsnet2 *s, unsigned context,
			  weft_qsnet2_pager fn, void *arg);

/*
 * For programs of the thread processor: returns the process address of a
 * context's memory; NULL: not accessible.
 */
void *weft_qsnet2_memory(struct weft_qsnet2 *s, unsigned context,
			 uint64_t address, uint64_t bytes, unsigned perm);

enum weft_qsnet2_filter {
	WEFT_QSNET2_CLOSED, /* refuse packets for this context (default) */
	WEFT_QSNET2_ACCEPT,
	WEFT_QSNET2_DISCARD_ALL,
	WEFT_QSNET2_ACK_ALL, /* acknowledge OK and do nothing */
};

int weft_qsnet2_filter(struct weft_qsnet2 *s, unsigned context,
		       enum weft_qsnet2_filter mode);

/* ---- command queues ---- */

#define WEFT_QSNET2_MAY_EVENT  1u
#define WEFT_QSNET2_MAY_WAIT   2u
#define WEFT_QSNET2_MAY_MODIFY 4u /* the commands "add" and "copy" */
#define WEFT_QSNET2_MAY_WRITE  8u
#define WEFT_QSNET2_MAY_THREAD 16u
#define WEFT_QSNET2_MAY_DMA    32u
#define WEFT_QSNET2_MAY_STEN   64u
#define WEFT_QSNET2_MAY_INTR   128u
#define WEFT_QSNET2_MAY_ALL    255u

#define WEFT_QSNET2_HIGH 1u /* flag: use the high priority run queue */

/*
 * Opens a command queue. depth: 1, 8, 64 or 512 KB, in bytes. *q_p: its number.
 */
int weft_qsnet2_queue_open(struct weft_qsnet2 *s, unsigned context,
			   uint32_t depth, unsigned perm, unsigned flags,
			   unsigned *q_p);
int weft_qsnet2_queue_close(struct weft_qsnet2 *s, unsigned q);

/*
 * Appends count words in the order given. -EAGAIN: no space for all words, so
 * none was written. -EIO: the queue is in error.
 */
int weft_qsnet2_queue_write(struct weft_qsnet2 *s, unsigned q,
			    const uint64_t *w, unsigned count);
/*
 * Stores bytes at an offset of the 8 KB command port, like stores of a
 * processor: they may be out of order, and a gap stalls the queue. A store that
 * does not fit, is not a whole word or is a duplicate puts the queue in error.
 */
int weft_qsnet2_queue_store(struct weft_qsnet2 *s, unsigned q, uint32_t offset,
			    const void *bytes, unsigned count);

struct weft_qsnet2_queue_state {
	uint8_t trap; /* enum weft_qsnet2_trap */
	/* last acknowledgement of each channel; 0: in flight */
	uint8_t ack[WEFT_QSNET2_CHANNELS];
	uint32_t words; /* number of words not processed yet */
	uint64_t restarts;
	uint64_t address; /* address that caused the trap */
};

int weft_qsnet2_queue_state(struct weft_qsnet2 *s, unsigned q,
			    struct weft_qsnet2_queue_state *st);
/* Empties a queue in error and restarts it. */
int weft_qsnet2_queue_clear(struct weft_qsnet2 *s, unsigned q);

/* Address to which an event writes commands for a command queue. */
#define WEFT_QSNET2_QUEUE_ADDRESS(q) (UINT64_C(1) << 63 | (uint64_t)(q) << 13)

/* ---- commands, collected in a stream ---- */

enum weft_qsnet2_command {
	WEFT_QSNET2_NOP = 1,
	WEFT_QSNET2_OPEN_PACKET,
	WEFT_QSNET2_TRANSACTION,
	WEFT_QSNET2_WRITE_WORD,
	WEFT_QSNET2_ADD_WORD,
	WEFT_QSNET2_COPY64,
	WEFT_QSNET2_GUARD,
	WEFT_QSNET2_SET_EVENT,
	WEFT_QSNET2_WAIT_EVENT,
	WEFT_QSNET2_RUN_DMA,
	WEFT_QSNET2_RUN_THREAD,
	WEFT_QSNET2_INTERRUPT,
};

enum weft_qsnet2_transaction {
	WEFT_QSNET2_T_WRITE = 1, /* writes 1..128 bytes to address */
	WEFT_QSNET2_T_SET_EVENT,
	WEFT_QSNET2_T_REMOTE_DMA, /* DMA descriptor that the target executes */
	WEFT_QSNET2_T_DISCARD,	  /* acknowledge with Discard */
	/* answers TestFail unless the word at address >= operand */
	WEFT_QSNET2_T_TEST_GE,
	WEFT_QSNET2_T_TEST_LT,
	WEFT_QSNET2_T_TEST_EQ,
	WEFT_QSNET2_T_TEST_NE,
	/* like TEST_GE, but answers Discard instead of TestFail */
	WEFT_QSNET2_T_WAIT_GE,
	WEFT_QSNET2_T_WAIT_LT,
	WEFT_QSNET2_T_WAIT_EQ,
	WEFT_QSNET2_T_WAIT_NE,
	/* cookie: enforces order and detects duplicates, per sender */
	WEFT_QSNET2_T_IDENTIFY,
	WEFT_QSNET2_T_ADD_WORD,
	/* writes operand if the word is 0, else TestFail */
	WEFT_QSNET2_T_TEST_AND_WRITE,
	WEFT_QSNET2_T_GET_INDEX, /* reserve a slot of the queue at address */
	WEFT_QSNET2_T_COMMIT,	 /* publish the slot */
};

/* last transaction of the packet: acknowledge now */
#define WEFT_QSNET2_T_LAST 0x100u
/*
 * This transaction and all later ones are deferred to the end of the packet. In
 * a broadcast they are executed at all members if all members have acknowledged
 * the earlier transactions with OK, otherwise at none. So a test and the
 * transactions after it are a query of all members followed by an action at all
 * members (network conditional), and no transaction is executed twice if a
 * member discards the packet.
 */
#define WEFT_QSNET2_T_END  0x800u
/*
 * Data type of a write: for a page of the other byte order, data is swapped in
 * units of this size; bytes (0) are never swapped. Address and length must be
 * multiples of the unit. Tests, additions and events use words of 64 bits.
 */
#define WEFT_QSNET2_T_16   0x200u
#define WEFT_QSNET2_T_32   0x400u
#define WEFT_QSNET2_T_64   0x600u

struct weft_qsnet2_stream {
	uint64_t *word;
	unsigned count;
	/* capacity, words; words beyond it are counted but not stored */
	unsigned max;
};

static inline void weft_qsnet2_word(struct weft_qsnet2_stream *s, uint64_t w)
{
	if (s->count < s->max)
		s->word[s->count] = w;
	s->count++;
}

/*
 * Opens a packet to vproc. restarts: maximum number of retransmissions, after
 * Discard or a timeout, before the queue traps; 255: unlimited.
 */
static inline void weft_qsnet2_open_packet(struct weft_qsnet2_stream *s,
					   unsigned channel, uint32_t vproc,
					   uint8_t restarts)
{
	uint64_t w = (uint64_t)(channel & 255) << 8 | (uint64_t)restarts << 16;

	weft_qsnet2_word(s,
			 WEFT_QSNET2_OPEN_PACKET | w | (uint64_t)vproc << 32);
}

/*
 * Adds a transaction. type may include WEFT_QSNET2_T_LAST; data is padded to
 * words.
 */
static inline void weft_qsnet2_transaction(struct weft_qsnet2_stream *s,
					   unsigned type, uint64_t address,
					   const void *data, unsigned bytes)
{
	const unsigned char *p = (const unsigned char *)data;
	uint64_t w = (uint64_t)(type & 0xffff) << 16 | (uint64_t)bytes << 32;

	weft_qsnet2_word(s, WEFT_QSNET2_TRANSACTION | w);
	weft_qsnet2_word(s, address);
	for (unsigned i = 0; i < bytes; i += 8) {
		w = 0;
		memcpy(&w, p + i, bytes - i < 8 ? bytes - i : 8);
		weft_qsnet2_word(s, w);
	}
}

/*
 * Network conditional: if test (WEFT_QSNET2_T_TEST_... or _WAIT_...) of the
 * word at address is true at all members of vproc's range, sets the event at
 * all of them, otherwise at none. With a _WAIT_ test the unit retries by
 * itself: a barrier is one such command, on a word that each member increments
 * when it arrives.
 */
static inline void weft_qsnet2_all_set(struct weft_qsnet2_stream *s,
				       unsigned channel, uint32_t vproc,
				       unsigned test, uint64_t address,
				       uint64_t operand, uint64_t event)
{
	weft_qsnet2_open_packet(s, channel, vproc, 255);
	weft_qsnet2_transaction(s, test, address, &operand, 8);
	weft_qsnet2_transaction(s,
				WEFT_QSNET2_T_SET_EVENT | WEFT_QSNET2_T_END |
					WEFT_QSNET2_T_LAST,
				event, NULL, 0);
}

static inline void weft_qsnet2_cmd3(struct weft_qsnet2_stream *s, uint64_t cmd,
				    uint64_t a, uint64_t b)
{
	weft_qsnet2_word(s, cmd);
	weft_qsnet2_word(s, a);
	weft_qsnet2_word(s, b);
}

static inline void weft_qsnet2_write_word(struct weft_qsnet2_stream *s,
					  uint64_t address, uint64_t value)
{
	weft_qsnet2_cmd3(s, WEFT_QSNET2_WRITE_WORD, address, value);
}

static inline void weft_qsnet2_add_word(struct weft_qsnet2_stream *s,
					uint64_t address, uint64_t value)
{
	weft_qsnet2_cmd3(s, WEFT_QSNET2_ADD_WORD, address, value);
}

static inline void weft_qsnet2_copy64(struct weft_qsnet2_stream *s,
				      uint64_t from, uint64_t to)
{
	weft_qsnet2_cmd3(s, WEFT_QSNET2_COPY64, from, to);
}

/*
 * Waits for the acknowledgement on a channel. If `accept` contains that
 * acknowledgement, the next command is executed, otherwise it is skipped.
 */
static inline void weft_qsnet2_guard(struct weft_qsnet2_stream *s,
				     unsigned channel, unsigned accept)
{
	weft_qsnet2_word(s, WEFT_QSNET2_GUARD | (uint64_t)(channel & 255) << 8 |
				    (uint64_t)accept << 16);
}

/* Sets the event at address, count times. */
static inline void weft_qsnet2_set_event(struct weft_qsnet2_stream *s,
					 uint64_t address, uint32_t count)
{
	weft_qsnet2_word(s, WEFT_QSNET2_SET_EVENT | (uint64_t)count << 32);
	weft_qsnet2_word(s, address);
}

static inline void weft_qsnet2_interrupt(struct weft_qsnet2_stream *s,
					 uint64_t cookie)
{
	weft_qsnet2_word(s, WEFT_QSNET2_INTERRUPT);
	weft_qsnet2_word(s, cookie);
}

/* Starts a thread at pc, with the context and priority of the command queue. */
static inline void weft_qsnet2_start_thread(struct weft_qsnet2_stream *s,
					    uint32_t pc, const uint64_t regs[6])
{
	weft_qsnet2_word(s, WEFT_QSNET2_RUN_THREAD | (uint64_t)pc << 32);
	for (int i = 0; i < 6; i++)
		weft_qsnet2_word(s, regs[i]);
}

static inline void weft_qsnet2_run_thread(struct weft_qsnet2_stream *s,
					  const uint64_t regs[6])
{
	weft_qsnet2_start_thread(s, 0, regs);
}

/* ---- the thread processor ---- */

/* maximum number of waiting threads of one priority */
#define WEFT_QSNET2_THREADS 1024

/* A thread as passed to its program. */
struct weft_qsnet2_thread {
	struct weft_qsnet2 *unit;
	void *arg;
	unsigned context;
	unsigned flags; /* WEFT_QSNET2_HIGH */
	uint32_t pc;
	uint64_t regs[6];
};

/*
 * A program is called from poll, is not interrupted, and may write commands to
 * queues. It returns 0 if the thread ends. It returns 1 if the thread continues
 * later with its current registers and pc, after other threads of its priority,
 * and when no thread of high priority is ready.
 */
typedef int (*weft_qsnet2_program)(struct weft_qsnet2_thread *t);

/* Sets program pc (not 0) of a context; fn NULL removes it. */
int weft_qsnet2_program_set(struct weft_qsnet2 *s, unsigned context,
			    uint32_t pc, weft_qsnet2_program fn, void *arg);

/* ---- events ---- */

enum weft_qsnet2_event_type {
	WEFT_QSNET2_EVENT_NONE,
	WEFT_QSNET2_EVENT_COPY, /* copies words of memory from `from` to `to` */
	WEFT_QSNET2_EVENT_WRITE, /* writes the value `from` to `to` */
};

/*
 * An event in memory, aligned to 32. Each set increments count. When count
 * becomes 0 the event fires: it performs the action of type, and count stays 0.
 */
struct weft_qsnet2_event {
	alignas(32) int32_t count;
	uint8_t type;  /* enum weft_qsnet2_event_type */
	uint8_t words; /* length of a copy, words */
	uint16_t reserved;
	uint64_t from;
	uint64_t to;
	uint64_t fired; /* number of times that the event has fired */
};

/*
 * Arms the event: subtracts count and sets the action. Earlier sets count too,
 * so the event may fire at once.
 */
static inline void weft_qsnet2_wait_event(struct weft_qsnet2_stream *s,
					  uint64_t address, uint32_t count,
					  const struct weft_qsnet2_event *e)
{
	weft_qsnet2_word(s, WEFT_QSNET2_WAIT_EVENT | (uint64_t)count << 32);
	weft_qsnet2_word(s, address);
	weft_qsnet2_word(s, e->type | (uint64_t)e->words << 8);
	weft_qsnet2_word(s, e->from);
	weft_qsnet2_word(s, e->to);
}

/* ---- DMA ---- */

#define WEFT_QSNET2_DMA_REMOTE 1u /* vproc executes the descriptor: a get */
/* dst is an input queue; the data fills one slot */
#define WEFT_QSNET2_DMA_QUEUE  2u
/*
 * Data type of the DMA, as for a write (WEFT_QSNET2_T_16, _32); each page may
 * have either byte order.
 */
#define WEFT_QSNET2_DMA_16     64u
#define WEFT_QSNET2_DMA_32     128u
#define WEFT_QSNET2_DMA_64     192u

struct weft_qsnet2_dma {
	uint32_t bytes;
	uint8_t flags;
	/* maximum number of retransmissions; 0: 16, 255: unlimited */
	uint8_t restarts;
	/* DMA_REMOTE: number of this process in the context of vproc */
	uint16_t back;
	uint64_t cookie; /* cookie of the DMA's last packet; 0: none */
	uint32_t vproc;
	uint64_t src;
	uint64_t dst;
	uint64_t src_event; /* event at the source; 0: none */
	uint64_t dst_event;
};

/* Converts a descriptor to its seven words. */
static inline void weft_qsnet2_dma_words(const struct weft_qsnet2_dma *d,
					 uint64_t w[7])
{
	w[0] = d->bytes | (uint64_t)d->flags << 32 |
	       (uint64_t)d->restarts << 40 | (uint64_t)d->back << 48;
	w[1] = d->cookie;
	w[2] = d->vproc;
	w[3] = d->src;
	w[4] = d->dst;
	w[5] = d->src_event;
	w[6] = d->dst_event;
}

static inline void weft_qsnet2_run_dma(struct weft_qsnet2_stream *s,
				       const struct weft_qsnet2_dma *d)
{
	uint64_t w[7];

	weft_qsnet2_dma_words(d, w);
	weft_qsnet2_word(s, WEFT_QSNET2_RUN_DMA);
	for (int i = 0; i < 7; i++)
		weft_qsnet2_word(s, w[i]);
}

/* ---- input queues ---- */

/* An input queue in memory, aligned to 64; slots is a power of two. */
struct weft_qsnet2_input {
	alignas(64) uint64_t base;
	uint32_t slot_bytes;
	uint32_t slots;
	uint64_t back;	/* number of filled slots; written by the unit */
	uint64_t front; /* number of released slots; written by the host */
	uint64_t event; /* event set by each commit; 0: none */
};

void weft_qsnet2_input_init(struct weft_qsnet2_input *q, void *mem,
			    uint32_t slot_bytes, uint32_t slots,
			    uint64_t event);
/* Returns the oldest filled slot, or NULL. */
const void *weft_qsnet2_input_peek(struct weft_qsnet2_input *q);
/* Frees the oldest slot. */
void weft_qsnet2_input_release(struct weft_qsnet2_input *q);

/* ---- rails ---- */

/*
 * Several units of a process, each on its own network, used as one. All units
 * must have the same mappings, routes and filters. A long DMA is split into one
 * piece per rail, and its events are set once, when all pieces are complete.
 * Packets and short DMAs use one of the rails, so their order is not kept. A
 * rail that has trapped, or that has lost the DMA's target, is skipped. One
 * thread polls all units.
 */
struct weft_qsnet2_rails;

#define WEFT_QSNET2_RAILS 4

int weft_qsnet2_rails_open(struct weft_qsnet2 *const *rail, unsigned count,
			   unsigned context, struct weft_qsnet2_rails **r_p);
void weft_qsnet2_rails_close(struct weft_qsnet2_rails *r);
/*
 * Writes all commands to one rail; returns the same values as
 * weft_qsnet2_queue_write().
 */
int weft_qsnet2_rails_write(struct weft_qsnet2_rails *r, const uint64_t *w,
			    unsigned count);
/* Starts a DMA. -EAGAIN: no space in the queues now. -EIO: no working rail. */
int weft_qsnet2_rails_dma(struct weft_qsnet2_rails *r,
			  const struct weft_qsnet2_dma *d);

/* ---- tagged ports ---- */

/*
 * Messages between virtual processes, matched by sender and tag in the thread
 * processor of the receiver's unit. Tagged ports are built from the functions
 * above: a short message is a packet to the receiver's input queue, whose event
 * starts the thread; an unexpected message is kept in Elan memory and copied
 * when a receive matches; for a long message only the envelope is sent, and the
 * receiver's thread posts a DMA that the sender's unit executes.
 *
 * 	weft_qsnet2_tports_open   one per context; the processes that
 * 	                          communicate have routes to each other
 * 	  weft_qsnet2_tports_tx, weft_qsnet2_tports_rx
 * 	  weft_qsnet2_tports_done, or weft_qsnet2_tports_wait
 * 	weft_qsnet2_tports_close
 *
 * Buffers are memory that the context has mapped with all permissions
 * (weft_qsnet2_map). Messages of one sender match in the order they were sent.
 * Identified packets (WEFT_QSNET2_T_IDENTIFY) of the context are reserved for
 * the tagged ports. When unexpected messages use elan_bytes, further packets
 * are discarded until space is free.
 */
struct weft_qsnet2_tports;

#define WEFT_QSNET2_ANY		UINT32_MAX /* receive from any sender */
#define WEFT_QSNET2_TPORTS_MAX	2000	   /* longest short message, bytes */
/* flag of tx: complete when the message is received */
#define WEFT_QSNET2_SYNC	1u
/* maximum number of outstanding messages */
#define WEFT_QSNET2_TPORTS_REQS 1024

struct weft_qsnet2_tports_attr {
	unsigned context;
	uint32_t vproc; /* virtual process number of this process at peers */
	uint32_t slots; /* slots of the input queue, a power of two; 0: 128 */
	/* largest message sent without an envelope; 0: maximum */
	uint32_t eager_bytes;
	/* memory limit for unexpected messages, bytes; 0: 4 MB */
	uint64_t elan_bytes;
};

struct weft_qsnet2_tports_status {
	uint32_t sender;
	int err; /* 0, -EFAULT, -ECONNRESET, or -EMSGSIZE: message truncated */
	uint64_t tag;
	uint64_t bytes; /* length of the message before truncation */
};

struct weft_qsnet2_tports_stats {
	uint64_t matched;    /* messages that matched a posted receive */
	uint64_t unexpected; /* unexpected messages */
	uint64_t fetched;    /* messages fetched by DMA after an envelope */
	/* memory of unexpected messages in use now, bytes */
	uint64_t elan_bytes;
};

int weft_qsnet2_tports_open(struct weft_qsnet2 *s,
			    const struct weft_qsnet2_tports_attr *attr,
			    struct weft_qsnet2_tports **t_p);
/*
 * Closes the tagged ports: waits at most one second for sends, then drops the
 * incomplete sends.
 */
void weft_qsnet2_tports_close(struct weft_qsnet2_tports *t);

/*
 * Starts a send. 0: request *req_p is outstanding. -EAGAIN: poll, then repeat.
 * -EFAULT: memory not mapped by the context. -ENOENT: no route; -ECONNRESET,
 * -EIO: destination lost or queue trapped.
 */
int weft_qsnet2_tports_tx(struct weft_qsnet2_tports *t, uint32_t dest,
			  uint64_t tag, const void *buf, uint64_t bytes,
			  unsigned flags, unsigned *req_p);
/*
 * Receives a message whose tag equals `tag`, except in the bits set in
 * `ignore`.
 */
int weft_qsnet2_tports_rx(struct weft_qsnet2_tports *t, uint32_t sender,
			  uint64_t tag, uint64_t ignore, void *buf,
			  uint64_t bytes, unsigned *req_p);
/*
 * Tests a request. 0: complete, and its number may be reused. -EAGAIN: not
 * complete. st may be NULL.
 */
int weft_qsnet2_tports_done(struct weft_qsnet2_tports *t, unsigned req,
			    struct weft_qsnet2_tports_status *st);
/*
 * Polls the unit until a request is complete. Returns the same values as
 * weft_qsnet2_tports_done(), or -ETIMEDOUT.
 */
int weft_qsnet2_tports_wait(struct weft_qsnet2_tports *t, unsigned req,
			    struct weft_qsnet2_tports_status *st,
			    uint64_t timeout_ns);
void weft_qsnet2_tports_stats(struct weft_qsnet2_tports *t,
			      struct weft_qsnet2_tports_stats *st);

/* ---- counters ---- */

struct weft_qsnet2_stats {
	uint64_t packets;
	/* received acknowledgements: OK, TestFail, Discard, Error */
	uint64_t acks[4];
	uint64_t restarts; /* packets retransmitted */
	uint64_t refused;  /* malformed packets received */
	uint64_t events;   /* events fired */
	uint64_t dmas;	   /* completed DMAs */
	uint8_t trap;	   /* last trap of the DMA, event and input engines */
	uint64_t trap_address;
	uint64_t late; /* packets retransmitted after a timeout */
	/*
	 * counters of translation: TLB hits and misses, hash chain entries
	 * visited, page entries created from a mapping, faults passed to the
	 * driver
	 */
	uint64_t tlb_hits;
	uint64_t tlb_misses;
	uint64_t walks;
	uint64_t fills;
	uint64_t faults;
	uint64_t threads; /* threads started or resumed */
	uint64_t closed;  /* incomplete packets closed by timeout */
};

void weft_qsnet2_stats(struct weft_qsnet2 *s, struct weft_qsnet2_stats *st);

#ifdef __cplusplus
}
#endif
#endif
