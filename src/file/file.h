/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI files: parallel access to files of the operating system.
 *
 *   weft_file_open -> weft_file_view_set, accesses -> weft_file_close
 *
 * A view (file_view.h) maps a stream of data bytes to file offsets. An access
 * is a range of this stream and a typed buffer in memory
 * (struct weft_file_access). README describes the methods by which an access is
 * carried out.
 *
 * src/mpi has checked the arguments. Functions return 0 or -errno, which
 * weft_file_class() maps to an MPI error class.
 */
#ifndef WEFT_FILE_H
#define WEFT_FILE_H

#include "src/base/atomic.h"
#include "src/comm/comm.h"
#include "src/diag/diag_err.h"
#include "src/file/file_word.h"
#include "src/types/types_pack.h"

#include <mpi.h>
#include <pthread.h>

struct file_layout;
struct file_map;
struct weft_file_rep;
struct weft_info;
struct weft_req;
struct weft_win;

/* Error numbers for errors that no errno value describes. */
enum {
	WEFT_FILE_NOT_SAME = 10000, /* arguments differ between members */
	WEFT_FILE_CONVERSION,	    /* a conversion function failed */
};

/* Modes of collective buffering and data sieving (hints romio_*). */
enum file_switch { FILE_AUTO, FILE_ENABLE, FILE_DISABLE };

/* Values of the hints, equal on all members unless noted otherwise. */
struct file_hints {
	size_t cb_bytes; /* size of an aggregator's buffer, bytes */
	int cb_nodes;	 /* number of aggregators */
	size_t rd_bytes; /* sieving buffer for reads, bytes; may differ */
	size_t wr_bytes; /* sieving buffer for writes, bytes; may differ */
	size_t unit;	 /* alignment of the domains of aggregators, bytes */
	enum file_switch cb_read;
	enum file_switch cb_write;
	enum file_switch ds_read; /* members may have different values */
	enum file_switch ds_write;
};

/* The view of this process. */
struct file_view {
	MPI_Offset disp;
	struct weft_dt *etype;
	struct weft_dt *filetype;
	/* filetype in the data representation of the file; holds a reference */
	struct weft_dt *dt;
	MPI_Count etype_bytes; /* size of an etype in the file, bytes */
	const struct weft_file_rep *rep;
	struct file_layout *layout; /* maps stream to offsets (file_layout.h) */
};

struct weft_file {
	struct weft_err_owner head; /* handle and error handler */
	int fd;
	int amode;
	bool seekable; /* false: a pipe; read() and write() are used */
	bool atomic;
	/* a member has a view with gaps: writes take range locks (README) */
	bool locks;
	/*
	 * collective reads [0] and writes [1] need no exchange of ranges: every
	 * member accesses the file itself
	 */
	bool direct[2];
	/* maximum file size of this process, bytes (RLIMIT_FSIZE) */
	uint64_t max_size;
	struct file_view view;
	struct file_map *map; /* mapping of the file; file_map.h */
	/* individual file pointer, in etypes; changed with `lock` held */
	MPI_Offset pointer;
	pthread_mutex_t lock;
	/* excludes other threads of this process while a range lock is held */
	pthread_mutex_t range_mutex;
	/* excludes other threads of this process while the guard is held */
	pthread_mutex_t guard_mutex;

	/* communicator for messages and collectives of accesses */
	struct weft_comm *comm;
	/* communicator for collectives of all other calls */
	struct weft_comm *control;
	/*
	 * shared file pointer: a word of rank 0 that the members map, or, if
	 * they cannot map it, a word in a window of rank 0 (NULL: mapped)
	 */
	struct file_word word;
	struct weft_win *shared;
	/* window with the lock of atomic mode; NULL: none yet */
	struct weft_win *guard;

	/* split collective in progress, and its kind; 0: none */
	struct weft_req *split;
	int split_kind;

	/*
	 * number of collective accesses started, and completed; they run one at
	 * a time, in the order of the calls
	 */
	weft_au32 coll_started;
	weft_au32 coll_done;
	/*
	 * layouts of all members, by rank; NULL: all members have the layout of
	 * `view`
	 */
	struct file_layout **member;
	int *aggregator; /* ranks of the aggregators */
	int aggregators;
	int hosts;    /* number of hosts of the members */
	int *host_of; /* number of each member's host, by rank */
	char *buffer; /* aggregator's buffer of hints.cb_bytes, or NULL */
	size_t buffer_bytes;

	struct file_hints hints;
	char *path;
	struct weft_list link; /* entry in the list of open files */
};

/* Owner of the error handler of MPI_FILE_NULL. */
extern struct weft_err_owner weft_file_null WEFT_HIDDEN;

static inline struct weft_file *weft_file_of(MPI_File handle)
{
	return weft_obj_of(handle, WEFT_KIND_FILE);
}

static inline MPI_File weft_file_handle(const struct weft_file *f)
{
	return weft_obj_handle(&f->head.obj);
}

/* Returns the layout of the view of a member. */
static inline struct file_layout *weft_file_layout(const struct weft_file *f,
						   int rank)
{
	return f->member ? f->member[rank] : f->view.layout;
}

/*
 * Take and drop a reference for a request; dropping the last reference frees a
 * closed file.
 */
void weft_file_get(struct weft_file *f);
void weft_file_put(struct weft_file *f);

/* ---- errors -------------------------------------------------------------- */

/*
 * Returns rc, which is a negative error number, or -ECONNRESET if the failure
 * of a member caused the error (mpiexec --survive).
 */
int weft_file_errno(const struct weft_file *f, int rc);
/* Return the MPI error class and the message of an error, given as -errno. */
int weft_file_class(int rc);
const char *weft_file_text(int rc);
/* Creates an MPI error code for a request that failed with -errno. */
int weft_file_code(const struct weft_file *f, int rc);
/*
 * Calls the error handler of the file if the request failed. Returns the error
 * code of the request, or 0.
 */
int weft_file_req_error(const struct weft_req *r, const struct weft_file *f);

/* ---- open and close ------------------------------------------------------ */

/* Opens a file; collective. Returns the same result on all members. */
int weft_file_open(struct weft_comm *comm, const char *path, int amode,
		   struct weft_info *info, struct weft_file **file_p);
int weft_file_close(struct weft_file *f);
int weft_file_delete(const char *path);
/* Completes all accesses of worker threads; called by MPI_Finalize. */
void weft_file_fini(void);

/* Get and set the error handler. o: a file, or &weft_file_null. */
struct weft_errh *weft_file_errhandler(const struct weft_err_owner *o);
void weft_file_errhandler_set(struct weft_err_owner *o, struct weft_errh *h);

int weft_file_size(struct weft_file *f, MPI_Offset *size_p);
/* These four functions are collective. */
int weft_file_size_set(struct weft_file *f, MPI_Offset size);
int weft_file_preallocate(struct weft_file *f, MPI_Offset size);
int weft_file_sync(struct weft_file *f);
int weft_file_atomic_set(struct weft_file *f, bool atomic);
int weft_file_hint(struct weft_file *f, struct weft_info *info);
/* Returns a new info with the hints in effect; NULL: no memory. */
struct weft_info *weft_file_info(const struct weft_file *f);

/* Returns the smallest -errno of all members, or 0; collective. */
int weft_file_agree(struct weft_file *f, int rc);
/*
 * As weft_file_agree(), but returns -WEFT_FILE_NOT_SAME if `value` differs
 * between members.
 */
int weft_file_agree_same(struct weft_file *f, int rc, int64_t value);
/* Gets rank 0's value and returns rank 0's rc; collective. */
int weft_file_from_first(struct weft_file *f, int rc, int64_t *value_p);

/* ---- views --------------------------------------------------------------- */

struct weft_file_view_args {
	MPI_Offset disp; /* MPI_DISPLACEMENT_CURRENT is not allowed here */
	struct weft_dt *etype;
	struct weft_dt *filetype;
	const struct weft_file_rep *rep;
};

/* Reasons to refuse a filetype. */
enum weft_file_type_error {
	WEFT_FILE_TYPE_OK,
	/* the size is not a multiple of the size of the etype */
	WEFT_FILE_TYPE_ETYPE,
	WEFT_FILE_TYPE_NEGATIVE, /* negative displacement */
	WEFT_FILE_TYPE_ORDER,	 /* displacements decrease */
	WEFT_FILE_TYPE_OVERLAP,	 /* pieces overlap, and the file is writable */
};
enum weft_file_type_error weft_file_type_check(const struct weft_file *f,
					       struct weft_dt *etype,
					       struct weft_dt *filetype);

/* Sets the view and resets the file pointers; collective. */
int weft_file_view_set(struct weft_file *f,
		       const struct weft_file_view_args *a);
/* Returns the byte offset of an etype of the view. */
MPI_Offset weft_file_byte_offset(const struct weft_file *f, MPI_Offset etype);
/*
 * Gets the number of etypes before the end of the file, rounded up. Returns 0
 * or -errno.
 */
int weft_file_end(struct weft_file *f, MPI_Offset *etypes_p);

/* ---- data representations ------------------------------------------------ */

/* Returns the representation with this name; NULL: not registered. */
const struct weft_file_rep *weft_file_rep_find(const char *name);
const char *weft_file_rep_name(const struct weft_file_rep *rep);

struct weft_file_rep_args {
	const char *name;
	MPI_Datarep_conversion_function *read;
	MPI_Datarep_conversion_function *write;
	MPI_Datarep_conversion_function_c *read_c;
	MPI_Datarep_conversion_function_c *write_c;
	MPI_Datarep_extent_function *extent;
	void *extra;
};
/*
 * Registers a representation. Returns 0, -EEXIST (the name is already
 * registered) or -ENOMEM.
 */
int weft_file_rep_register(const struct weft_file_rep_args *a);
/*
 * Gets the type that describes dt in the file; the caller drops the reference.
 */
int weft_file_rep_type(const struct weft_file_rep *rep, struct weft_dt *dt,
		       struct weft_dt **dt_p);

/* ---- accesses ------------------------------------------------------------ */

/* An access as the application describes it. */
struct weft_file_access {
	struct weft_file *f;
	bool write;
	MPI_Offset offset; /* position in etypes of the view */
	struct weft_typed mem;
};

/*
 * Returns the number of etypes that the memory holds; -1: not a whole number.
 */
MPI_Offset weft_file_etypes(const struct weft_file *f,
			    const struct weft_typed *mem);

/* Independent access. *bytes_p: number of bytes of memory accessed. */
int weft_file_access(const struct weft_file_access *a, MPI_Count *bytes_p);
int weft_file_iaccess(const struct weft_file_access *a,
		      struct weft_req **req_p);
/* Collective access; every member calls one of these functions. */
int weft_file_access_all(const struct weft_file_access *a, MPI_Count *bytes_p);
int weft_file_iaccess_all(const struct weft_file_access *a,
			  struct weft_req **req_p);

/* ---- file pointers ------------------------------------------------------- */

/* Advances the individual pointer by n etypes. Returns the old value. */
MPI_Offset weft_file_advance(struct weft_file *f, MPI_Offset n);
/* Advances the shared file pointer by n etypes; *old_p: the old value. */
int weft_file_shared_advance(struct weft_file *f, MPI_Offset n,
			     MPI_Offset *old_p);
/*
 * Collective: advances the shared file pointer for each member, as if the
 * members called weft_file_shared_advance() in the order of their ranks.
 */
int weft_file_shared_ordered(struct weft_file *f, MPI_Offset n,
			     MPI_Offset *old_p);
/* Sets the shared file pointer; collective. */
int weft_file_shared_set(struct weft_file *f, MPI_Offset value);
/*
 * Implements MPI_File_seek_shared; collective. Returns -EINVAL if the position
 * would be negative.
 */
int weft_file_shared_seek(struct weft_file *f, MPI_Offset offset, int whence);
/*
 * Gets the byte offset of the shared file pointer, the same at all members;
 * collective.
 */
int weft_file_shared_byte(struct weft_file *f, MPI_Offset *byte_p);

#endif
