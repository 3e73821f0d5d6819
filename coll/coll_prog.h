/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions from which algorithms are built. An algorithm is a function that
 * calls the steps of this rank in order, as if each were executed at once:
 *
 *   coll_send(p, buf, n, dt, right);         posted, not waited for
 *   id = coll_recv(p, tmp, n, dt, left);
 *   coll_wait(p, id);                        tmp is received
 *   coll_reduce(p, tmp, acc, n);             acc = tmp op acc
 *   coll_wait_all(p);
 *
 * A program runs in one of two modes. Immediate: each call is executed at once
 * (blocking operations: no schedule, no allocation beyond temporary buffers).
 * Recorded: each call appends a step, and coll_sched.c executes the steps from
 * the progress loop of src/msg (nonblocking and persistent operations). So an
 * algorithm must depend only on the arguments, not on data.
 *
 * Messages of one operation between two ranks match in the order of posting;
 * messages without bytes are omitted on both sides. After an error the program
 * executes its remaining steps, so that no other rank waits, but sends failure
 * notices in place of its messages, which make the receiver's program fail,
 * too. So a result that depends on failed data is never reported as success.
 *
 *                                  data           signal
 *   success                        all bytes      0 bytes
 *   failed                         0 bytes        1 byte
 *   failed, a process has ended    1 byte (or 0)  2 bytes
 */
#ifndef WEFT_COLL_PROG_H
#define WEFT_COLL_PROG_H

#include "coll/coll.h"
#include "src/comm/comm.h"
#include "src/msg/msg_p2p.h"
#include "src/offload/offload_route_call.h"

enum coll_step_kind {
	COLL_SEND,
	COLL_RECV,
	COLL_WAIT,
	COLL_WAIT_ALL,
	COLL_REDUCE,
	COLL_COPY,
	COLL_UNIT,
};

struct coll_step {
	enum coll_step_kind kind;
	int peer;	 /* SEND, RECV: rank; WAIT: number of the message */
	const char *buf; /* SEND, REDUCE, COPY: source */
	char *to;	 /* RECV, REDUCE, COPY: destination */
	MPI_Count n;
	struct weft_dt *dt;
	MPI_Count to_n;	       /* COPY: number of elements at the destination */
	struct weft_dt *to_dt; /* COPY: type at the destination */
	struct weft_comm *comm;	    /* communicator of SEND, RECV and UNIT */
	struct weft_route *route;   /* class route of UNIT */
	struct weft_coll_call call; /* call of UNIT */
};

/* An outstanding message. */
struct coll_msg {
	struct weft_req *req; /* request of the message; NULL: complete */
	bool in;	      /* a receive, which may get a failure notice */
	MPI_Count want; /* expected size of a receive, bytes; 0: a signal */
};

/* A temporary buffer; all are freed with the program. */
struct coll_tmp {
	struct coll_tmp *next;
};

/* number of an omitted message, which would have no bytes */
#define COLL_NO_MSG (~0u)

enum { COLL_INLINE_MSGS = 16, COLL_INLINE_BYTES = 1024 };

struct coll_prog {
	/* communicator to which rank and size refer; see coll_comm_set() */
	struct weft_comm *comm;
	int rank;
	/* number of peers; intercommunicators: size of the remote group */
	int size;
	bool record;
	int tag;
	struct weft_op *op; /* operation of a reduction; op_dt: its type */
	struct weft_dt *op_dt;
	int err; /* first error, 0: none */
	/* position of this operation in the route's order of posts */
	uint32_t ticket;
	/* number of messages: posted (immediate mode) or recorded */
	unsigned nmsg;
	/* number of the first message that may be incomplete */
	unsigned waited;
	unsigned msg_room;
	struct coll_msg *msg;
	/* recorded steps */
	unsigned nstep;
	unsigned step_room;
	struct coll_step *step;
	struct coll_step *initial_steps; /* first steps, owned by the caller */
	struct coll_tmp *tmp;
	size_t inline_used;
	char word[2]; /* buffer for failure notices, sent or received */
	struct coll_msg inline_msg[COLL_INLINE_MSGS];
	_Alignas(16) char inline_bytes[COLL_INLINE_BYTES];
};

/* Post a message. Return its number for coll_wait(). */
unsigned coll_send(struct coll_prog *p, const void *buf, MPI_Count n,
		   struct weft_dt *dt, int to);
unsigned coll_recv(struct coll_prog *p, void *buf, MPI_Count n,
		   struct weft_dt *dt, int from);
/* Receives and waits; cheaper than coll_recv() and coll_wait(). */
void coll_recv_wait(struct coll_prog *p, void *buf, MPI_Count n,
		    struct weft_dt *dt, int from);
/*
 * Send an empty message to a rank, and receive an empty message from a rank;
 * for barriers.
 */
void coll_signal(struct coll_prog *p, int to);
void coll_expect(struct coll_prog *p, int from);

/*
 * Wait for one message, or for all messages so far. coll_wait_all() makes the
 * ids of all earlier messages invalid.
 */
void coll_wait(struct coll_prog *p, unsigned id);
void coll_wait_all(struct coll_prog *p);

/* Computes inout = in op inout for n elements of the receive side's type. */
void coll_reduce(struct coll_prog *p, const void *in, void *inout, MPI_Count n);

/*
 * Copies data like a send to self; does nothing if both sides are the same
 * elements.
 */
void coll_copy(struct coll_prog *p, const void *from, MPI_Count n,
	       struct weft_dt *dt, void *to, MPI_Count to_n,
	       struct weft_dt *to_dt);

/*
 * Executes the whole operation with the provider's collective unit: in
 * immediate mode it is complete on return, in recorded mode it completes like a
 * message.
 */
void coll_unit(struct coll_prog *p, struct weft_route *route,
	       const struct weft_coll_call *call);

/*
 * Makes the following steps use the ranks of comm: the local group of an
 * intercommunicator, or the intercommunicator again.
 */
void coll_comm_set(struct coll_prog *p, struct weft_comm *comm);

/* Allocates a temporary buffer of `bytes` bytes; NULL only if p->err is set. */
void *coll_bytes(struct coll_prog *p, MPI_Count bytes);
/*
 * Allocates a temporary buffer for n elements of dt; the address is that of
 * element 0, as for a user's buffer.
 */
void *coll_elems(struct coll_prog *p, MPI_Count n, const struct weft_dt *dt);
/*
 * Returns the address of element 0 of n elements of type dt that are stored in
 * `block`.
 */
void *coll_first_elem(char *block, MPI_Count n, const struct weft_dt *dt);

/* Returns MPI_BYTE, the type of packed data. */
static inline struct weft_dt *coll_byte(void)
{
	return weft_dt_of(MPI_BYTE);
}

static inline void *coll_at(const void *buf, MPI_Count n,
			    const struct weft_dt *dt)
{
	return (char *)buf + n * dt->extent;
}

/* ---- send and receive side of an operation (coll_side.c) ---- */

static inline bool coll_in_place(const struct weft_coll_side *s)
{
	return s->buf == MPI_IN_PLACE;
}

static inline MPI_Count coll_count(const struct weft_coll_side *s, int i)
{
	return s->counts.at ? weft_coll_num(&s->counts, i) : s->count;
}

static inline struct weft_dt *coll_type(const struct weft_coll_side *s, int i)
{
	struct weft_dt *dt = s->types ? weft_dt_of(s->types[i]) : s->dt;

	/* an empty block may have no type */
	return dt ? dt : coll_byte();
}

static inline MPI_Count coll_block_bytes(const struct weft_coll_side *s, int i)
{
	return coll_count(s, i) * coll_type(s, i)->size;
}

void *coll_block_addr(const struct weft_coll_side *s, int i);

/*
 * Returns the element offsets of n adjacent blocks, computed from their counts;
 * the last of the n + 1 entries is the total. NULL: out of memory (p->err).
 */
MPI_Count *coll_offsets(struct coll_prog *p, const struct weft_coll_side *s,
			int n);

void coll_send_block(struct coll_prog *p, const struct weft_coll_side *s, int i,
		     int to);
unsigned coll_recv_block(struct coll_prog *p, const struct weft_coll_side *s,
			 int i, int from);
/* Copies block i of one side to block j of the other. */
void coll_copy_block(struct coll_prog *p, const struct weft_coll_side *s, int i,
		     const struct weft_coll_side *r, int j);
/* Allgather: copies this rank's block to its position in the receive buffer. */
void coll_own_block(struct coll_prog *p, const struct weft_coll_args *a);

/*
 * A typed buffer as one run of packed bytes: the buffer itself if it is
 * contiguous, otherwise a temporary copy. coll_flat_pack() fills the copy,
 * coll_flat_unpack() copies it back.
 */
struct coll_flat {
	char *bytes;
	MPI_Count len;
	const struct weft_coll_side *side;
	bool copied;
};
void coll_flat_open(struct coll_prog *p, const struct weft_coll_side *side,
		    struct coll_flat *f);
void coll_flat_pack(struct coll_prog *p, struct coll_flat *f);
void coll_flat_unpack(struct coll_prog *p, struct coll_flat *f);

/* Initialises the program of one call; immediate mode unless record is set. */
void coll_prog_init(struct coll_prog *p, const struct weft_coll_args *a,
		    bool record);
/* Sets storage for the first n steps, owned by the caller. */
void coll_prog_steps_set(struct coll_prog *p, struct coll_step *room,
			 unsigned n);
/* Frees the program's memory and references; its messages must be complete. */
void coll_prog_fini(struct coll_prog *p);

/*
 * Executes one step. Returns 1 when it is complete, 0 if it must be called
 * again.
 */
int coll_step_do(struct coll_prog *p, const struct coll_step *st);

/* Returns this rank's input of a reduction: the receive buffer if in place. */
static inline const void *coll_input(const struct weft_coll_args *a)
{
	return coll_in_place(&a->s) ? a->r.buf : a->s.buf;
}

/*
 * Returns the first item of part i when n items are divided evenly into parts.
 */
static inline MPI_Count coll_part_first(MPI_Count n, int parts, int i)
{
	MPI_Count rest = n % parts;

	return n / parts * i + (i < rest ? i : rest);
}

#endif
