/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes. A constructor creates a type, commit makes it usable for messages,
 * and it is freed with its last reference: messages, derived types and windows
 * hold references of their own, so MPI_Type_free is only one put.
 *
 * Fields of the hot path are first: a message of count contiguous elements is
 * count * dt->size bytes from buf + dt->true_lb. Everything else uses the
 * description (struct weft_dtn, types_pack.h), which is normalised when the
 * type is created: adjacent runs are one run, equal steps are one loop.
 */
#ifndef WEFT_TYPES_DT_H
#define WEFT_TYPES_DT_H

#include "src/types/types_attr.h"
#include "src/base/attr.h"
#include "src/types/types_obj.h"

#include <mpi.h>
#include <stddef.h>
#include <string.h>

/*
 * Arithmetic type of an element. WEFT_BASIC_NONE: the type is derived or has no
 * arithmetic. The order is that of the columns in types_op.c.
 */
enum weft_basic {
	WEFT_BASIC_NONE,
	WEFT_BASIC_I8,
	WEFT_BASIC_I16,
	WEFT_BASIC_I32,
	WEFT_BASIC_I64,
	WEFT_BASIC_I128,
	WEFT_BASIC_U8,
	WEFT_BASIC_U16,
	WEFT_BASIC_U32,
	WEFT_BASIC_U64,
	WEFT_BASIC_F32,
	WEFT_BASIC_F64,
	WEFT_BASIC_FLD, /* long double */
	WEFT_BASIC_C32, /* two floats */
	WEFT_BASIC_C64,
	WEFT_BASIC_CLD,
	WEFT_BASIC_L8, /* logical of one byte ... */
	WEFT_BASIC_L16,
	WEFT_BASIC_L32,
	WEFT_BASIC_L64,
	WEFT_BASIC_L128,
	WEFT_BASIC_BYTE,
	WEFT_BASIC_FLOAT_INT, /* pairs: value, index */
	WEFT_BASIC_DOUBLE_INT,
	WEFT_BASIC_LONG_INT,
	WEFT_BASIC_2INT,
	WEFT_BASIC_SHORT_INT,
	WEFT_BASIC_LD_INT,
	WEFT_BASIC_2REAL,
	WEFT_BASIC_2DOUBLE,
	WEFT_BASIC_COUNT,
};

enum {
	WEFT_DT_COMMITTED = 1,
	WEFT_DT_CONTIG = 2, /* any count of elements is one run of bytes */
	WEFT_DT_LB = 4,	    /* set by resized or a mark at any level */
	WEFT_DT_UB = 16,
	WEFT_DT_BOUNDS = WEFT_DT_LB | WEFT_DT_UB,
	WEFT_DT_HUGE = 8, /* int count elements may exceed the address range */
};

enum weft_dtn_kind {
	WEFT_DTN_RUN,  /* len bytes at off */
	WEFT_DTN_VEC,  /* count runs of len bytes, stride apart */
	WEFT_DTN_IDX,  /* count runs, each with its offset and length */
	WEFT_DTN_LOOP, /* count times child, stride apart */
	WEFT_DTN_SEQ,  /* count parts, each a child at its offset */
};

/* Part i of a list: its offset, and the number of bytes before it. */
struct weft_dtn_part {
	MPI_Count off;
	MPI_Count pos; /* the last of count + 1 entries has pos = size */
};

/* One node of the description: which bytes, in which order. */
struct weft_dtn {
	enum weft_dtn_kind kind;
	MPI_Count size; /* bytes of data */
	MPI_Count off;	/* added to all offsets below */
	MPI_Count count;
	MPI_Count len;
	MPI_Count stride;
	const struct weft_dtn_part *part;  /* IDX, SEQ: count + 1 entries */
	const struct weft_dtn *child;	   /* LOOP */
	const struct weft_dtn *const *seq; /* SEQ: child of every part */
};

struct weft_dt_env; /* constructor's arguments, for MPI_Type_get_contents */
struct weft_dt_map; /* its composition of other types */

struct weft_dt {
	struct weft_obj obj; /* predefined: the value of the handle */
	uint32_t flags;
	uint16_t basic;	  /* enum weft_basic */
	uint16_t align;	  /* of the strictest basic type */
	MPI_Count size;	  /* bytes of data; < 0: not supported */
	MPI_Count extent; /* from one element to the next */
	MPI_Count lb;
	MPI_Count true_lb; /* offset of the first byte of data */
	MPI_Count true_extent;
	struct weft_dtn root;
	const struct weft_dt *unit; /* its only basic type; NULL: several */
	MPI_Count units;	    /* basic elements in one element */
	struct weft_dt_env *env;    /* NULL: named */
	struct weft_dt_map *map;    /* NULL: basic */
	struct weft_attr *attr;
	const char *name; /* of a predefined type */
	char *set_name;	  /* given by MPI_Type_set_name */
};

/* All predefined types, by the low byte of their handle (0x200..0x2ff). */
extern struct weft_dt weft_dt_predef[256] WEFT_HIDDEN;

/* The type of a handle, or NULL: null, stale, or no datatype. */
static inline struct weft_dt *weft_dt_of(MPI_Datatype h)
{
	uintptr_t v = (uintptr_t)h;
	struct weft_dt *dt = &weft_dt_predef[v & 0xff];

	if (v > WEFT_HANDLE_MAX)
		return weft_obj_of(h, WEFT_KIND_DT);
	return v >> 8 == 2 && dt->obj.predefined ? dt : NULL;
}

static inline MPI_Datatype weft_dt_handle(const struct weft_dt *dt)
{
	return weft_obj_handle(&dt->obj);
}

/* References; predefined types are not counted. */
static inline struct weft_dt *weft_dt_get(struct weft_dt *dt)
{
	if (!dt->obj.predefined)
		weft_obj_get(&dt->obj);
	return dt;
}
void weft_dt_put(struct weft_dt *dt);

static inline bool weft_dt_is_contig(const struct weft_dt *dt)
{
	return dt->flags & WEFT_DT_CONTIG;
}

/* True if count elements are one run of bytes at buf + dt->true_lb. */
static inline bool weft_dt_is_run(const struct weft_dt *dt, MPI_Count count)
{
	return (dt->flags & WEFT_DT_CONTIG) ||
	       (count == 1 && dt->root.kind == WEFT_DTN_RUN);
}

static inline bool weft_dt_is_committed(const struct weft_dt *dt)
{
	return dt->flags & WEFT_DT_COMMITTED;
}

/* Committed, and any int is a count of elements that can be addressed. */
static inline bool weft_dt_is_int_safe(const struct weft_dt *dt)
{
	return (dt->flags & (WEFT_DT_COMMITTED | WEFT_DT_HUGE)) ==
	       WEFT_DT_COMMITTED;
}

/*
 * False if count elements have more bytes, or extend further, than can be
 * addressed with some reserve for sums.
 */
bool weft_dt_count_valid(const struct weft_dt *dt, MPI_Count count);

/*
 * Bytes from the first to after the last byte of count elements: the size of a
 * temporary buffer tmp; its elements begin at tmp - dt->true_lb.
 */
static inline MPI_Count weft_dt_span(const struct weft_dt *dt, MPI_Count count)
{
	MPI_Count step = dt->extent < 0 ? -dt->extent : dt->extent;

	return count ? dt->true_extent + (count - 1) * step : 0;
}

/*
 * Constructors. All offsets and strides are in bytes. The new type holds
 * references on its component types, is not committed and has no envelope.
 * -ENOMEM; -EOVERFLOW: sizes beyond MPI_Count. The caller has checked the
 * arguments.
 */
int weft_dt_vector(MPI_Count count, MPI_Count blocklen, MPI_Count stride,
		   struct weft_dt *old, struct weft_dt **dt_p);

/* n blocks; blocklen NULL: all of length len; old[0] for all if same. */
struct weft_dt_blocks {
	MPI_Count n;
	MPI_Count len;
	const MPI_Count *blocklen;
	const MPI_Count *disp;
	struct weft_dt *const *old;
	bool same; /* one type for all blocks */
};
int weft_dt_blocks(const struct weft_dt_blocks *b, struct weft_dt **dt_p);

/* The data of old with other bounds. */
int weft_dt_resized(struct weft_dt *old, MPI_Count lb, MPI_Count extent,
		    struct weft_dt **dt_p);
int weft_dt_dup(struct weft_dt *old, struct weft_dt **dt_p);

struct weft_dt_subarray {
	int ndims;
	const MPI_Count *sizes;
	const MPI_Count *subsizes;
	const MPI_Count *starts;
	int order; /* MPI_ORDER_C or MPI_ORDER_FORTRAN */
};
int weft_dt_subarray(const struct weft_dt_subarray *a, struct weft_dt *old,
		     struct weft_dt **dt_p);

struct weft_dt_darray {
	int size;
	int rank;
	int ndims;
	const MPI_Count *gsizes;
	const int *distribs;
	const int *dargs;
	const int *psizes;
	int order;
};
int weft_dt_darray(const struct weft_dt_darray *a, struct weft_dt *old,
		   struct weft_dt **dt_p);

/* Makes a type ready for messages; cheap, the description exists already. */
void weft_dt_commit(struct weft_dt *dt);

/*
 * Calls fn for every run of n equal basic elements in the order of the type
 * map; stops at the first result that is not 0 and returns it. Slow where
 * basic types are mixed: for external32, get_elements and the like.
 */
typedef int (*weft_dt_walk_fn)(void *arg, const struct weft_dt *basic,
			       MPI_Count n);
int weft_dt_walk(const struct weft_dt *dt, weft_dt_walk_fn fn, void *arg);

/*
 * The predefined type that dt is, or is made of exclusively (a pair counts as
 * one); NULL: several.
 */
const struct weft_dt *weft_dt_element(const struct weft_dt *dt);

/*
 * Basic elements in the first bytes bytes of an infinite sequence of dt; -1 if
 * the bytes end inside of one.
 */
MPI_Count weft_dt_elements(const struct weft_dt *dt, MPI_Count bytes);
/* Bytes of the first n basic elements of an infinite sequence of dt. */
MPI_Count weft_dt_bytes(const struct weft_dt *dt, MPI_Count n);

#endif
