/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes. A constructor creates a type, commit makes the type usable for
 * messages, and the release of the last reference frees it. Messages, derived
 * types and windows hold references, so MPI_Type_free only drops a reference.
 *
 * Fields of the fast path are first: a message of count contiguous elements is
 * count * dt->size bytes from buf + dt->true_lb. Everything else uses the
 * description (struct weft_dtn, types_pack.h), which is normalised when the
 * type is created: adjacent runs become one run, runs at equal distances become
 * one loop.
 */
#ifndef WEFT_TYPES_DT_H
#define WEFT_TYPES_DT_H

#include "src/types/types_attr.h"
#include "src/base/attr.h"
#include "src/base/num.h"
#include "src/types/types_obj.h"

#include <mpi.h>
#include <stddef.h>
#include <string.h>

enum {
	WEFT_DT_COMMITTED = 1,
	WEFT_DT_CONTIG = 2, /* any count of elements is one run of bytes */
	/* lower bound mark, from resized or MPI_LB at any level */
	WEFT_DT_LB = 4,
	WEFT_DT_UB = 16,
	WEFT_DT_BOUNDS = WEFT_DT_LB | WEFT_DT_UB,
	/* a number of elements that fits an int may exceed the address range */
	WEFT_DT_HUGE = 8,
};

enum weft_dtn_kind {
	WEFT_DTN_RUN,  /* len bytes at off */
	WEFT_DTN_VEC,  /* count runs of len bytes at distance stride */
	WEFT_DTN_IDX,  /* count runs, each with its offset and length */
	WEFT_DTN_LOOP, /* count copies of child at distance stride */
	WEFT_DTN_SEQ,  /* count parts, each with a child and an offset */
};

/* Part of a list: its offset, and the number of data bytes before it. */
struct weft_dtn_part {
	MPI_Count off;
	MPI_Count pos; /* the last of count + 1 entries has pos = size */
};

/* One node of the description, which lists the bytes of data in order. */
struct weft_dtn {
	enum weft_dtn_kind kind;
	MPI_Count size; /* bytes of data */
	MPI_Count off; /* offset that is added to all offsets below this node */
	MPI_Count count;
	MPI_Count len;
	MPI_Count stride;
	const struct weft_dtn_part *part;  /* IDX, SEQ: count + 1 entries */
	const struct weft_dtn *child;	   /* LOOP: the repeated node */
	const struct weft_dtn *const *seq; /* SEQ: child of every part */
};

struct weft_dt_env; /* constructor's arguments, for MPI_Type_get_contents */
struct weft_dt_map; /* composition of the type from other types */

struct weft_dt {
	struct weft_obj obj; /* obj.predefined: value of the handle */
	uint32_t flags;
	uint16_t basic;	  /* enum weft_num_type */
	uint16_t align;	  /* largest alignment of its basic types, bytes */
	MPI_Count size;	  /* size of the data, bytes; < 0: not supported */
	MPI_Count extent; /* distance from one element to the next, bytes */
	MPI_Count lb;
	MPI_Count true_lb; /* offset of the first byte of data */
	MPI_Count true_extent;
	struct weft_dtn root;
	/* the only basic type; NULL: there are several */
	const struct weft_dt *unit;
	MPI_Count units; /* number of basic elements in one element */
	/* constructor's arguments; NULL: predefined type */
	struct weft_dt_env *env;
	struct weft_dt_map *map; /* composition; NULL: basic type */
	struct weft_attr *attr;
	const char *name; /* name of a predefined type */
	char *set_name;	  /* name set by MPI_Type_set_name */
};

/* Predefined types, indexed by the low byte of the handle (0x200..0x2ff). */
extern struct weft_dt weft_dt_predef[256] WEFT_HIDDEN;

/*
 * Returns the type of a handle; NULL: the handle is null, stale, or not a
 * datatype.
 */
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

/*
 * Acquire and drop a reference; references to predefined types are not counted.
 */
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

/* Returns whether count elements are one run of bytes at buf + dt->true_lb. */
static inline bool weft_dt_is_run(const struct weft_dt *dt, MPI_Count count)
{
	return (dt->flags & WEFT_DT_CONTIG) ||
	       (count == 1 && dt->root.kind == WEFT_DTN_RUN);
}

static inline bool weft_dt_is_committed(const struct weft_dt *dt)
{
	return dt->flags & WEFT_DT_COMMITTED;
}

/*
 * Returns whether the type is committed and any number of elements that fits an
 * int can be addressed.
 */
static inline bool weft_dt_is_int_safe(const struct weft_dt *dt)
{
	return (dt->flags & (WEFT_DT_COMMITTED | WEFT_DT_HUGE)) ==
	       WEFT_DT_COMMITTED;
}

/*
 * Returns false if count elements have more bytes, or a larger span, than can
 * be addressed, with some reserve for sums.
 */
bool weft_dt_count_valid(const struct weft_dt *dt, MPI_Count count);

/*
 * Returns the distance in bytes from the first data byte of count elements to
 * the end of the last data byte. This is the size of a temporary buffer tmp;
 * its elements begin at tmp - dt->true_lb.
 */
static inline MPI_Count weft_dt_span(const struct weft_dt *dt, MPI_Count count)
{
	MPI_Count step = dt->extent < 0 ? -dt->extent : dt->extent;

	return count ? dt->true_extent + (count - 1) * step : 0;
}

/*
 * Constructors. All offsets and strides are in bytes. The new type holds
 * references on its component types, is not committed and has no envelope.
 * Return 0, -ENOMEM, or -EOVERFLOW: a size exceeds MPI_Count. The caller has
 * checked the arguments.
 */
int weft_dt_vector(MPI_Count count, MPI_Count blocklen, MPI_Count stride,
		   struct weft_dt *old, struct weft_dt **dt_p);

/*
 * A list of n blocks. blocklen NULL: all blocks have length len; same: all have
 * type old[0].
 */
struct weft_dt_blocks {
	MPI_Count n;
	MPI_Count len;
	const MPI_Count *blocklen;
	const MPI_Count *disp;
	struct weft_dt *const *old;
	bool same;
};
int weft_dt_blocks(const struct weft_dt_blocks *b, struct weft_dt **dt_p);

/* Creates a type with the data of old and other bounds. */
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

/* Makes a type usable for messages; the constructor has done the work. */
void weft_dt_commit(struct weft_dt *dt);

/*
 * weft_dt_walk() calls fn for every run of n basic elements of one type, in the
 * order of the type map; stops at the first result that is not 0 and returns
 * it. Slow if basic types are mixed; used for external32, get_elements and
 * similar calls.
 */
typedef int (*weft_dt_walk_fn)(void *arg, const struct weft_dt *basic,
			       MPI_Count n);
int weft_dt_walk(const struct weft_dt *dt, weft_dt_walk_fn fn, void *arg);

/*
 * Returns the only predefined type of which dt consists (a pair counts as one
 * type); NULL: there are several.
 */
const struct weft_dt *weft_dt_element(const struct weft_dt *dt);

/*
 * Returns the number of basic elements in the first `bytes` bytes of an
 * infinite sequence of dt; -1 if the bytes end inside a basic element.
 */
MPI_Count weft_dt_elements(const struct weft_dt *dt, MPI_Count bytes);
/*
 * Returns the number of bytes of the first n basic elements of a sequence of
 * dt.
 */
MPI_Count weft_dt_bytes(const struct weft_dt *dt, MPI_Count n);

#endif
